/* SPDX-License-Identifier: MIT
 * A launch's arguments, as the bytes that a kernel takes. */

#include "base/cured-base-internal.h"
#include "device/cured-argument-private.h"
#include "device/cured-device-internal.h"
#include "kernel/cured-kernel-internal.h"
#include "ptx/cured-tensor-map-internal.h"

/* In the last repetition, swapped buffers are those that the kernel file names. */
static CuredDevicePtr
get_address (const CuredProgramStep *step, int buffer, const CuredDevicePtr *bindings, gint64 turn)
{
  gboolean is_swapped = ((step->repeat - 1 - turn) % 2 != 0) != step->is_swapped;

  if (is_swapped && buffer == step->swap[0])
    buffer = step->swap[1];
  else if (is_swapped && buffer == step->swap[1])
    buffer = step->swap[0];
  return bindings[buffer];
}

/* @alignment: (out): its alignment in bytes
 * Returns: its size in bytes */
gsize
_cured_argument_get_size (const CuredProgramArgument *argument, gsize *alignment)
{
  if (argument->record != NULL)
    {
      *alignment = argument->record->alignment;
      return argument->record->size;
    }
  if (argument->tensor_map >= 0)
    {
      *alignment = CURED_TENSOR_MAP_ALIGNMENT;
      return CURED_TENSOR_MAP_BYTES;
    }
  gsize size =
      argument->buffer >= 0 ? sizeof (CuredDevicePtr) : cured_element_get_size (argument->type);
  *alignment = size;
  return size;
}

static void
put (const CuredProgramStep *step, const CuredProgramArgument *argument,
     const CuredDevicePtr *bindings, gint64 turn, guint8 *value)
{
  if (argument->record != NULL)
    {
      memset (value, 0, argument->record->size);
      for (gsize i = 0; i < argument->record->n_fields; i++)
        put (step, &argument->parts[i], bindings, turn, value + argument->record->fields[i].offset);
      return;
    }
  if (argument->buffer < 0)
    {
      if (cured_element_is_integer (argument->type))
        cured_element_store_integer (argument->type, value, (guint64) argument->integer);
      else
        cured_element_store (argument->type, value, argument->real);
      return;
    }
  CuredDevicePtr address = get_address (step, argument->buffer, bindings, turn) + argument->offset;
  memcpy (value, &address, sizeof address);
}

/* The texture over a whole buffer. */
static CuredTexture
get_texture (const CuredProgram *program, const CuredProgramStep *step,
             const CuredProgramArgument *argument, const CuredDevicePtr *bindings, gint64 turn)
{
  static const CuredPtxType types[] = {
    [CURED_ELEMENT_I32] = CURED_PTX_S32, [CURED_ELEMENT_U32] = CURED_PTX_U32,
    [CURED_ELEMENT_F32] = CURED_PTX_F32, [CURED_ELEMENT_I8] = CURED_PTX_S8,
    [CURED_ELEMENT_U8] = CURED_PTX_U8,   [CURED_ELEMENT_I16] = CURED_PTX_S16,
    [CURED_ELEMENT_U16] = CURED_PTX_U16, [CURED_ELEMENT_F16] = CURED_PTX_F16,
  };
  const CuredProgramBuffer *buffer = &program->buffers[argument->buffer];
  CuredElement type;
  guint n_channels;

  /* The program has already checked the type. */
  cured_buffer_get_channels (buffer->buffer, &type, &n_channels);
  return (CuredTexture){
    .address = get_address (step, argument->buffer, bindings, turn),
    .n_elements = (guint64) buffer->length,
    .type = types[type],
    .n_channels = (guint8) n_channels,
    .is_normalized = argument->texture == CURED_TEXTURE_NORMALIZED,
  };
}

/* In the last repetition, swapped buffers are those that the kernel file names.
 *
 * @turn: index of the step's repetition, from 0
 * @value: (out caller-allocates): room for _cured_argument_get_size() bytes, aligned accordingly
 *   for a tensor map
 * Returns: %FALSE where @encode or @make_texture failed */
gboolean
_cured_argument_get (const CuredProgram *program, const CuredProgramStep *step, gsize index,
                     const CuredDevicePtr *bindings, gint64 turn, CuredEncodeFunc encode,
                     CuredTextureFunc make_texture, gpointer data, void *value, GError **error)
{
  const CuredProgramArgument *argument = &step->arguments[index];

  if (argument->tensor_map >= 0)
    {
      const CuredProgramTensorMap *map = &program->tensor_maps[argument->tensor_map];

      if (encode (&map->shape, get_address (step, map->buffer, bindings, turn), value, error))
        return TRUE;
      g_prefix_error (error,
                      "[TensorMap %s]: ", program->kernel->tensor_maps[argument->tensor_map].name);
      return FALSE;
    }
  if (argument->texture != CURED_TEXTURE_NO)
    {
      CuredTexture texture = get_texture (program, step, argument, bindings, turn);
      guint64 handle = 0;

      if (!make_texture (data, &texture, &handle, error))
        {
          g_prefix_error (error, "%s:texture: ", program->buffers[argument->buffer].buffer->name);
          return FALSE;
        }
      memcpy (value, &handle, sizeof handle);
      return TRUE;
    }
  put (step, argument, bindings, turn, value);
  return TRUE;
}

/* @size: size of the variable, in bytes
 * Returns: %FALSE with %CURED_ERROR_INVALID where the variable is too small */
gboolean
_cured_constant_check (const CuredProgramBuffer *buffer, gsize size, GError **error)
{
  return buffer->size <= size ||
         cured_fail (
             error, CURED_ERROR_INVALID,
             _ ("[Constant %s] has %zu bytes (Length=%s), and the variable of that name has %zu; "
                "expected as many or fewer"),
             buffer->buffer->name, buffer->size, cured_expr_get_text (buffer->buffer->length),
             size);
}

/* Whether the kernel's parameter at @offset is of the argument's kind. */
static gboolean
check_kind (const CuredProgramStep *step, gsize index, const CuredPtxEntry *entry, guint offset,
            GError **error)
{
  const CuredProgramArgument *argument = &step->arguments[index];
  gboolean is_real = argument->buffer < 0 &&
                     (argument->type == CURED_ELEMENT_F32 || argument->type == CURED_ELEMENT_F64);
  guint64 others = is_real ? entry->integers : entry->floats;
  gboolean is_wide = argument->buffer < 0 && cured_element_get_size (argument->type) == 8;

  /* Parameters that PTX declares as bytes, or packs into one word, can't be checked. */
  if (argument->record != NULL || argument->tensor_map >= 0 ||
      (argument->buffer < 0 && cured_element_get_size (argument->type) < 4))
    return TRUE;
  return offset >= 256 || (others >> offset / 4 & 1) == 0 ||
         cured_fail (
             error, CURED_ERROR_INVALID,
             _ ("Argument %zu of “%s” is %s in Arguments=, and the kernel takes %s there; say so "
                "after a colon, as in 1:%s"),
             index + 1, step->entry,
             argument->buffer >= 0 ? _ ("a buffer") : cured_element_to_string (argument->type),
             is_real ? _ ("an integer") : _ ("a floating-point number"),
             is_real ? (is_wide ? "i64" : "i32") : (is_wide ? "f64" : "f32"));
}

/* The emulator's tensor maps. */
static gboolean
encode_object (const CuredTensorShape *shape, CuredDevicePtr address,
               guint8 object[CURED_TENSOR_MAP_BYTES], GError **error)
{
  cured_tensor_shape_encode (shape, address, object);
  return TRUE;
}

/* The emulator's textures: a handle is a number. */
static gboolean
add_texture (gpointer data, const CuredTexture *texture, guint64 *handle, GError **error)
{
  GArray *textures = data;

  *handle = CURED_TEXTURE_HANDLE + textures->len;
  g_array_append_val (textures, *texture);
  return TRUE;
}

/* @turn: index of the step's repetition, from 0
 * @textures: (element-type CuredTexture): gets those of the launch
 * Returns: (transfer full): the parameter block: each argument at a multiple of its alignment, as
 *   CUDA lays them out; NULL with %CURED_ERROR_INVALID if the kernel takes another number of bytes,
 *   or a number of another kind: on a chip it would read garbage */
GByteArray *
_cured_arguments_pack (const CuredProgram *program, const CuredProgramStep *step,
                       const CuredDevicePtr *bindings, gint64 turn, const CuredPtxEntry *entry,
                       GArray *textures, GError **error)
{
  g_autoptr (GByteArray) packed = g_byte_array_new ();

  for (gsize i = 0; i < step->n_arguments; i++)
    {
      _Alignas(CURED_TENSOR_MAP_ALIGNMENT) guint8 object[CURED_TENSOR_MAP_BYTES];
      gboolean is_map = step->arguments[i].tensor_map >= 0;
      gsize alignment, size = _cured_argument_get_size (&step->arguments[i], &alignment);
      guint at = packed->len, place = (guint) ((at + alignment - 1) / alignment * alignment);

      g_byte_array_set_size (packed, place + (guint) size);
      memset (packed->data + at, 0, place - at);
      if (!check_kind (step, i, entry, place, error) ||
          !_cured_argument_get (program, step, i, bindings, turn, encode_object, add_texture,
                                textures, is_map ? object : packed->data + place, error))
        return NULL;
      if (is_map)
        memcpy (packed->data + place, object, size);
    }
  if (packed->len == entry->parameter_bytes)
    return g_steal_pointer (&packed);
  return cured_fail_null (
      error, CURED_ERROR_INVALID,
      _ ("“%s” takes %zu bytes of parameters, and Arguments= gives it %u; the types of "
         "numbers have to agree, as in n:i64 for long long"),
      step->entry, entry->parameter_bytes, packed->len);
}
