/* SPDX-License-Identifier: MIT
 * Inputs from a seeded generator: the same on every machine. */
#pragma once

#include <glib.h>

#include "kernel/program/cured-program.h"

/* Every byte of a poisoned buffer: as f32 -1.0e-13, as i32 -1431655766; kernels do not write it by
 * accident. */
#define CURED_POISON_BYTE 0xAA
