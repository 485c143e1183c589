/* SPDX-License-Identifier: MIT
 * How an explanation is put into words. */
#pragma once

#include "explain/cured-explanation.h"

CuredResource _cured_explanation_find_possible (const CuredExplanation *self);
char *_cured_explanation_describe (const CuredExplanation *self);
char *_cured_explanation_describe_change (const CuredExplanation *self);
