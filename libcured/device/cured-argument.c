/* SPDX-License-Identifier: MIT
 * A launch's arguments, as the bytes that a kernel takes. */
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
