/* SPDX-License-Identifier: MIT
 * Programs of tests whose kernels are compiled. */
#pragma once

#include "cured.h"

gboolean need_compiler (void);
int run_compiled_tests (CuredCompiler **compiler, CuredDevice **device);

/* Skips the test without NVRTC. */
#define NEED_COMPILER()                                                                            \
  G_STMT_START                                                                                     \
  {                                                                                                \
    if (!need_compiler ())                                                                         \
      return;                                                                                      \
  }                                                                                                \
  G_STMT_END
