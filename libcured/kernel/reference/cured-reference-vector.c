/* SPDX-License-Identifier: MIT
 * Vector addition. */
#include "kernel/reference/cured-reference-private.h"

#include "kernel/cured-element-internal.h"
#include "kernel/cured-parallel-internal.h"

/* vector-add: the output is a + b, element by element. */

typedef struct
{
  CuredElement type;
  const void *a, *b;
  void *out;
} Add;

/* For all other types. The sum of two floats of 16 or 8 bits is exact as a double, so it is rounded
 * once. */
static void
add_any (const Add *self, gint64 begin, gint64 end)
{
  gsize size = cured_element_get_size (self->type);

  for (gint64 i = begin; i < end; i++)
    {
      const char *a = (const char *) self->a + (gsize) i * size;
      const char *b = (const char *) self->b + (gsize) i * size;
      char *out = (char *) self->out + (gsize) i * size;

      if (cured_element_is_integer (self->type))
        cured_element_store_integer (self->type, out,
                                     (guint64) cured_element_load_integer (self->type, a) +
                                         (guint64) cured_element_load_integer (self->type, b));
      else
        cured_element_store (self->type, out,
                             cured_element_load (self->type, a) +
                                 cured_element_load (self->type, b));
    }
}

static void
add_chunk (gint64 begin, gint64 end, gpointer user_data)
{
  Add *self = user_data;

  /* Rounding a sum of two floats to double first gives the same float. */
  switch ((int) self->type)
    {
    case CURED_ELEMENT_I32:
    case CURED_ELEMENT_U32:
      for (gint64 i = begin; i < end; i++)
        AT (guint32, self->out, i) =
            AT (const guint32, self->a, i) + AT (const guint32, self->b, i);
      break;
    case CURED_ELEMENT_F32:
      for (gint64 i = begin; i < end; i++)
        AT (float, self->out, i) = AT (const float, self->a, i) + AT (const float, self->b, i);
      break;
    case CURED_ELEMENT_F64:
      for (gint64 i = begin; i < end; i++)
        AT (double, self->out, i) = AT (const double, self->a, i) + AT (const double, self->b, i);
      break;
    default: add_any (self, begin, end); break;
    }
}

gboolean
_cured_reference_vector_add (const CuredProgram *program, const void *const *inputs, void *output,
                             GCancellable *cancellable, GError **error)
{
  const CuredProgramBuffer *out = _cured_reference_get_output (program);
  int a, b;

  if (!_cured_reference_find_input (program, "a", out->length, &a, error) ||
      !_cured_reference_find_input (program, "b", out->length, &b, error))
    return FALSE;
  Add add = (Add){ out->buffer->type, inputs[a], inputs[b], output };
  if (!_cured_parallel (out->length, CHUNK, add_chunk, &add, cancellable))
    return _cured_reference_cancelled (cancellable, error);
  return TRUE;
}
