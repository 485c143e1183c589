/* SPDX-License-Identifier: MIT
 * Checks of tensor maps, and the emulator's object for them. */
#include "ptx/cured-tensor-map-internal.h"

#include "base/cured-base-internal.h"

/* ORDER: as in the enumeration. */
static const char *const words[] = { "u8",  "u16", "u32",  "i32",    "u64",  "i64",     "f16",
                                     "f32", "f64", "bf16", "f32ftz", "tf32", "tf32ftz", NULL };
static const guint8 sizes[] = { 1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4 };

G_STATIC_ASSERT (G_N_ELEMENTS (sizes) == CURED_N_TENSOR_TYPES);
G_STATIC_ASSERT (G_N_ELEMENTS (words) == CURED_N_TENSOR_TYPES + 1);

/* Returns: (transfer none) (array zero-terminated=1): names of the types in kernel files, in the
 * order of the enumeration */
const char *const *
cured_tensor_type_list (void)
{
  return words;
}

/* @type: of a tensor's elements
 * Returns: bytes of an element */
gsize
cured_tensor_type_get_size (CuredTensorType type)
{
  g_return_val_if_fail ((guint) type < CURED_N_TENSOR_TYPES, 0);

  return sizes[type];
}

/* @type: of a tensor's elements
 * Returns: whether they are floating-point numbers */
gboolean
cured_tensor_type_is_float (CuredTensorType type)
{
  return type >= CURED_TENSOR_F16 && type < CURED_N_TENSOR_TYPES;
}

/* Checks the box and step of one dimension. */
static gboolean
check_dimension (const CuredTensorShape *self, guint i, GError **error)
{
  if (self->dims[i] < 1 || self->dims[i] > (guint64) 1 << 32)
    return cured_error_refuse (
        error, _ ("Dims= has %" PRIu64 " elements in dimension %u; 1 to 2^32 are possible"),
        self->dims[i], i);
  if (!self->is_im2col && (self->box[i] < 1 || self->box[i] > 256))
    return cured_error_refuse (
        error, _ ("Box= has %u elements in dimension %u; 1 to 256 are possible"), self->box[i], i);
  if (self->steps[i] < 1 || self->steps[i] > 8)
    return cured_error_refuse (error,
                               _ ("ElementStrides= has %u in dimension %u; 1 to 8 are possible"),
                               self->steps[i], i);
  return TRUE;
}

/* Checks channels, pixels and corners, as cuTensorMapEncodeIm2col() does. */
static gboolean
check_im2col (const CuredTensorShape *self, GError **error)
{
  int most = self->rank == 3 ? 1 << 15 : self->rank == 4 ? 1 << 7 : 1 << 4;

  if (self->rank < 3)
    return cured_error_refuse (error, _ ("im2col needs 3 dimensions or more"));
  if (self->box[0] < 1 || self->box[0] > 256 || self->box[1] < 1 || self->box[1] > 1024)
    return cured_error_refuse (
        error,
        _ ("Channels= is %u and Pixels= %u; 1 to 256 channels and 1 to 1024 pixels are possible"),
        self->box[0], self->box[1]);
  for (guint i = 0; i + 2 < self->rank; i++)
    if (self->lower[i] < -most || self->lower[i] >= most || self->upper[i] < -most ||
        self->upper[i] >= most)
      return cured_error_refuse (
          error, _ ("the corners of dimension %u are %d and %d; %d to %d are possible"), i + 1,
          self->lower[i], self->upper[i], -most, most - 1);
  return TRUE;
}

/* Checks that the tensor's last byte is within the buffer. */
static gboolean
check_extent (const CuredTensorShape *self, guint64 buffer_bytes, GError **error)
{
  guint64 unit = self->interleave > 0 ? self->interleave : sizes[self->type];
  guint64 end = self->dims[0] * unit;

  /* Below 2^32 * 2^40 in each of four dimensions. */
  for (guint i = 1; i < self->rank; i++)
    {
      guint64 span;

      if (!g_uint64_checked_mul (&span, self->dims[i] - 1, self->strides[i - 1]) ||
          !g_uint64_checked_add (&end, end, span))
        end = G_MAXUINT64;
      if (end > buffer_bytes)
        break;
    }
  return end <= buffer_bytes ||
         cured_error_refuse (error,
                             _ ("the tensor of Dims= and Strides= ends after %" PRIu64
                                " bytes, and its buffer has %" PRIu64),
                             end, buffer_bytes);
}

/* @buffer_bytes: size of the buffer of the tensor
 * @error: (nullable): %CURED_ERROR_NOT_LAUNCHABLE
 *
 * Requires what cuTensorMapEncodeTiled() requires, and that the tensor is within its buffer.
 * Returns: whether the tensor map is valid */
gboolean
cured_tensor_shape_check (const CuredTensorShape *self, guint64 buffer_bytes, GError **error)
{
  guint align = self->interleave == 32 ? 32 : 16;
  guint64 row = (guint64) self->box[0] * sizes[self->type];

  if (self->rank < 1 || self->rank > CURED_TENSOR_RANK)
    return cured_error_refuse (error, _ ("a tensor has 1 to 5 dimensions"));
  for (guint i = 0; i < self->rank; i++)
    if (!check_dimension (self, i, error))
      return FALSE;
  if (self->is_im2col && !check_im2col (self, error))
    return FALSE;
  if (self->swizzle != 0 && self->swizzle != 32 && self->swizzle != 64 && self->swizzle != 128)
    return cured_error_refuse (error, _ ("Swizzle= is %u; 0, 32, 64 and 128 bytes are possible"),
                               self->swizzle);
  if (self->interleave != 0 && self->interleave != 16 && self->interleave != 32)
    return cured_error_refuse (error, _ ("Interleave= is %u; 0, 16 and 32 bytes are possible"),
                               self->interleave);
  if (self->promotion != 0 && self->promotion != 64 && self->promotion != 128 &&
      self->promotion != 256)
    return cured_error_refuse (error, _ ("Promotion= is %u; 0, 64, 128 and 256 bytes are possible"),
                               self->promotion);
  if (self->interleave != 0 && self->rank < 3)
    return cured_error_refuse (error, _ ("Interleave= needs 3 dimensions or more"));
  if (self->interleave == 32 && self->swizzle != 32)
    return cured_error_refuse (error, _ ("Interleave=32 needs Swizzle=32"));
  if (self->fills_nan && !cured_tensor_type_is_float (self->type))
    return cured_error_refuse (error, _ ("Fill=nan needs a type of reals"));
  for (guint i = 0; i + 1 < self->rank; i++)
    if (self->strides[i] == 0 || self->strides[i] % align != 0 ||
        self->strides[i] >= (guint64) 1 << 40)
      return cured_error_refuse (error,
                                 _ ("the stride of dimension %u is %" PRIu64
                                    " bytes; a multiple of %u below 2^40 is needed"),
                                 i + 1, self->strides[i], align);
  if (row % 16 != 0)
    return cured_error_refuse (
        error, _ ("a row of Box= is %" PRIu64 " bytes; a multiple of 16 is needed"), row);
  if (self->interleave == 0 && self->swizzle != 0 && row > self->swizzle)
    return cured_error_refuse (
        error, _ ("a row of Box= is %" PRIu64 " bytes, and Swizzle=%u takes so many at most"), row,
        self->swizzle);
  return check_extent (self, buffer_bytes, error);
}

/* "Cured's", to detect memory that is not a tensor map. */
#define MAGIC 0x644d5443u

/* The emulator's object. The hardware's is undocumented. */
typedef struct
{
  guint32 magic;
  guint8 type, rank, swizzle, interleave;
  guint64 address, strides[CURED_TENSOR_RANK - 1];
  guint32 last[CURED_TENSOR_RANK]; /* dims minus one */
  guint16 box[CURED_TENSOR_RANK];
  guint8 steps[CURED_TENSOR_RANK], fills_nan, is_im2col;
  gint16 lower[CURED_TENSOR_RANK - 2], upper[CURED_TENSOR_RANK - 2];
} Object;

G_STATIC_ASSERT (sizeof (Object) <= CURED_TENSOR_MAP_BYTES);

/* @self: a shape that passes cured_tensor_shape_check()
 * @address: address of the tensor in global memory
 * @object: (out): the emulator's object, passed to kernels */
void
cured_tensor_shape_encode (const CuredTensorShape *self, guint64 address,
                           guint8 object[CURED_TENSOR_MAP_BYTES])
{
  Object data = {
    .magic = MAGIC,
    .type = (guint8) self->type,
    .rank = (guint8) self->rank,
    .swizzle = (guint8) self->swizzle,
    .interleave = (guint8) self->interleave,
    .address = address,
    .fills_nan = self->fills_nan != FALSE,
    .is_im2col = self->is_im2col != FALSE,
  };

  for (guint i = 0; i < self->rank; i++)
    {
      data.last[i] = (guint32) (self->dims[i] - 1);
      data.box[i] = (guint16) self->box[i];
      data.steps[i] = (guint8) self->steps[i];
      if (i > 0)
        data.strides[i - 1] = self->strides[i - 1];
      if (self->is_im2col && i + 2 < self->rank)
        {
          data.lower[i] = (gint16) self->lower[i];
          data.upper[i] = (gint16) self->upper[i];
        }
    }
  memset (object, 0, CURED_TENSOR_MAP_BYTES);
  memcpy (object, &data, sizeof data);
}

/* @self: (out): the shape
 * @address: (out): address of the tensor in global memory
 * @object: the memory that a kernel uses as a tensor map
 * Returns: %FALSE: @object is not a valid tensor map */
gboolean
cured_tensor_shape_decode (CuredTensorShape *self, guint64 *address,
                           const guint8 object[CURED_TENSOR_MAP_BYTES])
{
  Object data;

  memcpy (&data, object, sizeof data);
  if (data.magic != MAGIC || data.type >= CURED_N_TENSOR_TYPES || data.rank < 1 ||
      data.rank > CURED_TENSOR_RANK)
    return FALSE;
  *address = data.address;
  *self = (CuredTensorShape){
    .type = (CuredTensorType) data.type,
    .rank = data.rank,
    .swizzle = data.swizzle,
    .interleave = data.interleave,
    .fills_nan = data.fills_nan,
    .is_im2col = data.is_im2col,
  };
  for (guint i = 0; i < data.rank; i++)
    {
      self->dims[i] = (guint64) data.last[i] + 1;
      self->box[i] = data.box[i];
      self->steps[i] = data.steps[i];
      if (i > 0)
        self->strides[i - 1] = data.strides[i - 1];
      if (i + 2 < data.rank)
        {
          self->lower[i] = data.lower[i];
          self->upper[i] = data.upper[i];
        }
    }
  /* Kernels can write anything to the memory that they use as a tensor map. */
  return cured_tensor_shape_check (self, G_MAXUINT64, NULL);
}

/* Sets @to to @value; returns FALSE if it exceeds @most. */
#define PUT(to, value, most)                                                                       \
  G_STMT_START                                                                                     \
  {                                                                                                \
    if ((value) > (most))                                                                          \
      return FALSE;                                                                                \
    (to) = (__typeof__ (to)) (value);                                                              \
  }                                                                                                \
  G_STMT_END

/* @object: the emulator's tensor map, which may be invalid between two changes, or zeros
 * @field: the field to change
 * @index: dimension, for fields of dimensions
 * @value: as `tensormap.replace` takes it (PTX ISA 9.0, Tensormap)
 * Returns: %FALSE: @object is not a tensor map, or the value is invalid */
gboolean
cured_tensor_object_replace (guint8 object[CURED_TENSOR_MAP_BYTES], CuredTensorField field,
                             guint64 index, guint64 value)
{
  static const guint8 types[] = {
    CURED_TENSOR_U8,       CURED_TENSOR_U16, CURED_TENSOR_U32,  CURED_TENSOR_I32,
    CURED_TENSOR_U64,      CURED_TENSOR_I64, CURED_TENSOR_F16,  CURED_TENSOR_F32,
    CURED_TENSOR_F32_FTZ,  CURED_TENSOR_F64, CURED_TENSOR_BF16, CURED_TENSOR_TF32,
    CURED_TENSOR_TF32_FTZ,
  };
  static const guint8 swizzles[] = { 0, 32, 64, 128 };
  static const guint8 interleaves[] = { 0, 16, 32 };
  static const guint8 zeros[CURED_TENSOR_MAP_BYTES];
  Object data;

  memcpy (&data, object, sizeof data);
  /* Kernels may build a tensor map from zeros, field by field. */
  if (memcmp (object, zeros, sizeof zeros) == 0)
    {
      data.magic = MAGIC;
      data.rank = 1;
    }
  if (data.magic != MAGIC || index >= CURED_TENSOR_RANK)
    return FALSE;
  switch (field)
    {
    case CURED_TENSOR_FIELD_ADDRESS: data.address = value; break;
    case CURED_TENSOR_FIELD_RANK: PUT (data.rank, value + 1, CURED_TENSOR_RANK); break;
    case CURED_TENSOR_FIELD_BOX: PUT (data.box[index], value, G_MAXUINT16); break;
    case CURED_TENSOR_FIELD_DIM:
      /* 2^32 does not fit in 32 bits, and 0 is invalid. */
      PUT (data.last[index], value - 1, G_MAXUINT32);
      break;
    case CURED_TENSOR_FIELD_STRIDE:
      /* ptxas accepts a fifth one, which has no effect. */
      if (index + 1 < CURED_TENSOR_RANK)
        data.strides[index] = value;
      break;
    case CURED_TENSOR_FIELD_STEP: PUT (data.steps[index], value, G_MAXUINT8); break;
    case CURED_TENSOR_FIELD_TYPE:
      PUT (value, value, G_N_ELEMENTS (types) - 1);
      data.type = types[value];
      break;
    case CURED_TENSOR_FIELD_INTERLEAVE:
      PUT (value, value, G_N_ELEMENTS (interleaves) - 1);
      data.interleave = interleaves[value];
      break;
    case CURED_TENSOR_FIELD_SWIZZLE:
      PUT (value, value, G_N_ELEMENTS (swizzles) - 1);
      data.swizzle = swizzles[value];
      break;
    case CURED_TENSOR_FIELD_FILL:
    default: PUT (data.fills_nan, value, 1u); break;
    }
  memcpy (object, &data, sizeof data);
  return TRUE;
}
