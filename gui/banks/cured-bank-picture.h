/* SPDX-License-Identifier: MIT
 * A picture of an access to the banks: what a #CuredPicture does not know of lanes. */
#pragma once

#include "widgets/cured-picture.h"

CuredBankPlot *cured_bank_picture_get_plot (CuredPicture *picture);
void cured_bank_picture_show (CuredPicture *picture, const CuredBankAccess *access,
                              CuredBankPlotMode mode, const char *why);
void cured_bank_picture_set_mode (CuredPicture *picture, CuredBankPlotMode mode);
void cured_bank_picture_set_wavefront (CuredPicture *picture, gssize wavefront);
int cured_bank_picture_get_lane (CuredPicture *picture);
void cured_bank_picture_point_at_lane (CuredPicture *picture, int lane);
void cured_bank_picture_align (CuredPicture *picture, CuredPicture *beside);
