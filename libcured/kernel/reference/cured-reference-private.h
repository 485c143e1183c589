/* SPDX-License-Identifier: MIT
 * Code that the references share, and their declarations for the table. */
#pragma once

#include "kernel/cured-reference-table-private.h"
#include "kernel/reference/cured-reference.h"

/* Elements per chunk of a memory-bound loop: about a millisecond. */
#define CHUNK (1 << 20)

/* Element @index of an array of @type at @data. */
#define AT(type, data, index) (((type *) (data))[index])

gboolean _cured_reference_cancelled (GCancellable *cancellable, GError **error);
gboolean _cured_reference_refuse (const CuredProgram *program, GError **error, const char *format,
                                  ...) G_GNUC_PRINTF (3, 4);
const CuredProgramBuffer *_cured_reference_get_output (const CuredProgram *program);
gboolean _cured_reference_check_single (const CuredProgram *program, GError **error);
gboolean _cured_reference_check_filled (const CuredProgram *program, int index, GError **error);
gboolean _cured_reference_find_input (const CuredProgram *program, const char *name, gint64 length,
                                      int *index, GError **error);
gboolean _cured_reference_get_parameter (const CuredProgram *program, const char *name,
                                         gint64 *value, GError **error);
double _cured_reference_sum_reals (const double *in, gint64 n);

#define DECLARE(name, function, summary)                                                           \
  gboolean _cured_reference_##function (const CuredProgram *program, const void *const *inputs,    \
                                        void *output, GCancellable *cancellable, GError **error);

CURED_REFERENCES (DECLARE)

#undef DECLARE
