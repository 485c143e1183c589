/* SPDX-License-Identifier: MIT
 * A launch's arguments, as the bytes that a kernel takes. */
#include "config.h"

#include <glib/gi18n-lib.h>

#include "base/cured-error.h"
#include "device/cured-device-private.h"

/**
 * _cured_argument_get:
 * @step: a launch
 * @index: of an argument
 * @bindings: each program buffer's address
 * @turn: of the step's repetitions, from 0
 * @value: (out): its value
 *
 * The last repetition sees the buffers that swap as the kernel file names them.
 *
 * Returns: the argument's size in bytes, which is also its alignment
 */
gsize
_cured_argument_get (const CuredProgramStep *step,
                     gsize index,
                     const CuredDevicePtr *bindings,
                     gint64 turn,
                     CuredArgumentValue *value)
{
  const CuredProgramArgument *argument = &step->arguments[index];
  gboolean is_swapped = (step->repeat - 1 - turn) % 2 != 0;
  int buffer = argument->buffer;

  if (buffer >= 0)
    {
      if (is_swapped && buffer == step->swap[0])
        buffer = step->swap[1];
      else if (is_swapped && buffer == step->swap[1])
        buffer = step->swap[0];
      value->address = bindings[buffer];
      return sizeof value->address;
    }
  switch (argument->type)
    {
    case CURED_ELEMENT_I32:
      value->i32 = (gint32) argument->integer;
      break;
    case CURED_ELEMENT_U32:
      value->u32 = (guint32) argument->integer;
      break;
    case CURED_ELEMENT_I64:
      value->i64 = argument->integer;
      break;
    case CURED_ELEMENT_F32:
      value->f32 = (float) argument->real;
      break;
    case CURED_ELEMENT_F64:
      value->f64 = argument->real;
      break;
    default:
      g_assert_not_reached ();
    }
  return cured_element_get_size (argument->type);
}

/**
 * _cured_arguments_pack:
 * @step: a launch
 * @bindings: each program buffer's address
 * @turn: of the step's repetitions, from 0
 * @parameter_bytes: that the kernel takes
 * @error: return location
 *
 * Returns: (transfer full): the parameter block: each argument at a multiple of
 *   its own size, as CUDA lays them out; NULL with %CURED_ERROR_INVALID where
 *   the kernel takes another number of bytes: on a chip it would read whatever
 *   lies there
 */
GByteArray *
_cured_arguments_pack (const CuredProgramStep *step,
                       const CuredDevicePtr *bindings,
                       gint64 turn,
                       gsize parameter_bytes,
                       GError **error)
{
  static const guint8 zeros[8] = { 0 };
  g_autoptr (GByteArray) packed = g_byte_array_new ();

  for (gsize i = 0; i < step->n_arguments; i++)
    {
      CuredArgumentValue value = { 0 };
      gsize size = _cured_argument_get (step, i, bindings, turn, &value);

      g_byte_array_append (
          packed, zeros, (guint) ((size - packed->len % size) % size));
      g_byte_array_append (packed, (const guint8 *) &value, (guint) size);
    }
  if (packed->len == parameter_bytes)
    return g_steal_pointer (&packed);
  g_set_error (error,
               CURED_ERROR,
               CURED_ERROR_INVALID,
               _ ("“%s” takes %zu bytes of parameters, and Arguments= gives it "
                  "%u; the types of numbers have to agree, as in n:i64 for "
                  "long long"),
               step->entry,
               parameter_bytes,
               packed->len);
  return NULL;
}
