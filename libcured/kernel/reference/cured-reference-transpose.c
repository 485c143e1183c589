/* SPDX-License-Identifier: MIT
 * Matrix transpose. */
#include "kernel/reference/cured-reference-private.h"

#include <glib/gi18n-lib.h>
#include <inttypes.h>
#include <string.h>

#include "kernel/cured-kernel-internal.h"
#include "kernel/cured-parallel-internal.h"
#include "kernel/program/cured-program-internal.h"

/* transpose: the rows of the output (n × m) are the columns of "in" (m × n); without a parameter m,
 * it is n. */

/* Rows of the output that a thread writes side by side, so that it reads a few cache lines of each
 * row of the input instead of one word. */
#define STRIP 64

typedef struct
{
  gsize size;
  const char *in;
  char *out;
  gint64 n, m;
} Turn;

static void
turn_strip (gint64 begin, gint64 end, gpointer user_data)
{
  const Turn *self = user_data;

  for (gint64 column = 0; column < self->m; column++)
    for (gint64 row = begin; row < end; row++)
      {
        gint64 to = row * self->m + column, from = column * self->n + row;

        /* The usual sizes are special cases, to avoid calls of memcpy(). */
        if (self->size == 4)
          AT (guint32, self->out, to) = AT (const guint32, self->in, from);
        else if (self->size == 8)
          AT (guint64, self->out, to) = AT (const guint64, self->in, from);
        else
          memcpy (self->out + (gsize) to * self->size, self->in + (gsize) from * self->size,
                  self->size);
      }
}

gboolean
_cured_reference_transpose (const CuredProgram *program, const void *const *inputs, void *output,
                            GCancellable *cancellable, GError **error)
{
  const CuredProgramBuffer *out = _cured_reference_get_output (program);
  gint64 n;
  guint64 length;
  int in;

  if (!_cured_reference_get_parameter (program, "n", &n, error))
    return FALSE;
  gint64 m = n;
  cured_program_get_value (program, "m", &m);
  if (n < 1 || m < 1 || !g_uint64_checked_mul (&length, (guint64) n, (guint64) m) ||
      length != (guint64) out->length)
    return _cured_reference_refuse (program, error,
                                    _ ("needs an output of n × m elements (%" PRId64 " × %" PRId64
                                       "); [Buffer %s] has %" PRId64),
                                    n, m, out->buffer->name, out->length);
  if (!_cured_reference_find_input (program, "in", out->length, &in, error))
    return FALSE;
  Turn turn = (Turn){ cured_buffer_get_element_size (out->buffer), inputs[in], output, n, m };
  if (!_cured_parallel (n, STRIP, turn_strip, &turn, cancellable))
    return _cured_reference_cancelled (cancellable, error);
  return TRUE;
}
