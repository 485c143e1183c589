/* SPDX-License-Identifier: MIT
 * Work: functions for the library only. */
#pragma once

#include "ptx/cured-work.h"

CuredWorkSite *cured_work_launch_add_site (CuredWorkLaunch *self);
CuredWorkBuffer *cured_work_launch_add_buffer (CuredWorkLaunch *self);
gboolean cured_work_is_amount (double value);
gboolean cured_work_launch_is_sane (const CuredWorkLaunch *self);

double _cured_work_buffer_get_read (const CuredWorkBuffer *self);
double *_cured_work_at (CuredWork *self, const CuredWorkField *field);
