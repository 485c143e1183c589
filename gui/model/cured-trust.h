/* SPDX-License-Identifier: MIT
 * Which sources run on a GPU without a question. */
#pragma once

#include "cured.h"

void cured_trust_add (const char *source);
gboolean cured_trust_has (const char *kernel_id, const char *source);
