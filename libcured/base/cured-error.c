/* SPDX-License-Identifier: MIT
 * The error domain of the whole library. */
#include "base/cured-error.h"

/* The name is one token for the macro and a subtraction for clang-format. */
// clang-format off
G_DEFINE_QUARK (cured-error-quark, cured_error)
// clang-format on
