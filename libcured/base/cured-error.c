/* SPDX-License-Identifier: MIT
 * The error domain of the whole library. */
#include "base/cured-error.h"

G_DEFINE_QUARK (cured - error - quark, cured_error)
