/* SPDX-License-Identifier: MIT
 * What the library alone calls. */
#pragma once

#include "spec/cured-block-set.h"

GArray *cured_block_set_select (const char *text, guint64 n_blocks, guint64 seed);
