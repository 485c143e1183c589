/* SPDX-License-Identifier: MIT
 * Vector addition. */
#include "config.h"

#include "kernel/reference/cured-reference-private.h"

#include "kernel/cured-parallel-private.h"

/* vector-add: the output is a + b, element by element. */

typedef struct
{
  CuredElement type;
  const void *a;
  const void *b;
  void *out;
} Add;

static void
add_chunk (gint64 begin, gint64 end, gpointer user_data)
{
  Add *self = user_data;

  /* A sum of two floats that is rounded to double first is the same float. */
  switch (self->type)
    {
    case CURED_ELEMENT_I32:
    case CURED_ELEMENT_U32:
      for (gint64 i = begin; i < end; i++)
        AT (guint32, self->out, i) =
            AT (const guint32, self->a, i) + AT (const guint32, self->b, i);
      break;
    case CURED_ELEMENT_F32:
      for (gint64 i = begin; i < end; i++)
        AT (float, self->out, i) =
            AT (const float, self->a, i) + AT (const float, self->b, i);
      break;
    case CURED_ELEMENT_F64:
      for (gint64 i = begin; i < end; i++)
        AT (double, self->out, i) =
            AT (const double, self->a, i) + AT (const double, self->b, i);
      break;
    case CURED_ELEMENT_I64:
    default:
      g_assert_not_reached ();
    }
}

gboolean
_cured_reference_vector_add (const CuredProgram *program,
                             const void *const *inputs,
                             void *output,
                             GCancellable *cancellable,
                             GError **error)
{
  const CuredProgramBuffer *out = _cured_reference_get_output (program);
  Add add;
  int a, b;

  if (!_cured_reference_find_input (program, "a", out->length, &a, error) ||
      !_cured_reference_find_input (program, "b", out->length, &b, error))
    return FALSE;
  add = (Add){ out->buffer->type, inputs[a], inputs[b], output };
  if (!_cured_parallel (out->length, CHUNK, add_chunk, &add, cancellable))
    return _cured_reference_cancelled (cancellable, error);
  return TRUE;
}
