/* SPDX-License-Identifier: MIT
 * Words an explanation. */
#pragma once

#include "explain/cured-explanation.h"

char *_cured_explanation_describe (const CuredExplanation *self, CuredResource possible);
char *_cured_explanation_describe_change (const CuredExplanation *self);
