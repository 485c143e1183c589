/* SPDX-License-Identifier: MIT
 * What the library alone calls. */
#pragma once

#include "kernel/program/cured-program.h"

/* Prefix of a kernel's name among a program's defines. Our compiler stage looks up the kernel's
 * symbol by it, and removes it before NVRTC runs. */
#define CURED_PROGRAM_ENTRY_OPTION "--cured-entry="

/* Likewise, a variable that the program fills, by its address: "&mask". */
#define CURED_PROGRAM_VARIABLE_OPTION "--cured-variable=&"

/* Likewise, the only chip that the program is for: "90a". */
#define CURED_PROGRAM_ARCH_OPTION "--cured-arch="

void cured_program_add_up (const CuredProgramBuffer *from, const void *data, void *sum);
gboolean cured_program_check (CuredKernel *kernel, const gint64 *values, const CuredLimits *limits,
                              GError **error);
gboolean cured_program_evaluate_integer (const CuredProgramBuffer *buffer, gint64 i, gint64 *value);
gboolean cured_program_evaluate_real (const CuredProgramBuffer *buffer, gint64 i, double *value);
int cured_program_find_buffer (const CuredProgram *self, const char *name);
gboolean cured_program_get_value (const CuredProgram *self, const char *name, gint64 *value);
CuredProgram *cured_program_new_reference (const CuredProgram *self, CuredKernel *reference,
                                           const CuredLimits *limits, GError **error);
