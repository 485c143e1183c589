/* SPDX-License-Identifier: MIT
 * Functions for the library only. */
#pragma once

#include "spec/cured-block-set.h"

GArray *cured_block_set_select (const char *text, guint64 n_blocks, guint64 seed);
