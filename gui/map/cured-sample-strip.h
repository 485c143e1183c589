/* SPDX-License-Identifier: MIT
 * All samples of one cell as a strip plot. */
#pragma once

#include "widgets/cured-picture.h"

G_BEGIN_DECLS

#define CURED_TYPE_SAMPLE_STRIP (cured_sample_strip_get_type ())
G_DECLARE_FINAL_TYPE (CuredSampleStrip, cured_sample_strip, CURED, SAMPLE_STRIP, CuredPicture)

void cured_sample_strip_set_outcome (CuredSampleStrip *self, const CuredOutcome *outcome);
void cured_sample_strip_set_beside (CuredSampleStrip *self, const CuredOutcome *beside);

G_END_DECLS
