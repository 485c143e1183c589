/* SPDX-License-Identifier: MIT
 * Programs of tests whose kernels are compiled. */
#pragma once

#include "cured.h"

G_BEGIN_DECLS

gboolean need_compiler (void);
int run_compiled_tests (CuredCompiler **compiler, CuredDevice **device);

G_END_DECLS

/* Skips the test without NVRTC. */
#define NEED_COMPILER()                                                                            \
  G_STMT_START                                                                                     \
  {                                                                                                \
    if (!need_compiler ())                                                                         \
      return;                                                                                      \
  }                                                                                                \
  G_STMT_END
