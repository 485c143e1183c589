/* SPDX-License-Identifier: MIT
 * Tensor maps: how the copy engine walks an array of one to five dimensions. */
#pragma once

#include <glib.h>

#define CURED_TENSOR_RANK 5

/* Size and alignment of a kernel's parameter, which is passed by value. */
#define CURED_TENSOR_MAP_BYTES     128
#define CURED_TENSOR_MAP_ALIGNMENT 64

/* ORDER: as CUtensorMapDataType. */
typedef enum
{
  CURED_TENSOR_U8,
  CURED_TENSOR_U16,
  CURED_TENSOR_U32,
  CURED_TENSOR_I32,
  CURED_TENSOR_U64,
  CURED_TENSOR_I64,
  CURED_TENSOR_F16,
  CURED_TENSOR_F32,
  CURED_TENSOR_F64,
  CURED_TENSOR_BF16,
  CURED_TENSOR_F32_FTZ,
  CURED_TENSOR_TF32,
  CURED_TENSOR_TF32_FTZ,
  CURED_N_TENSOR_TYPES
} CuredTensorType;

typedef struct
{
  CuredTensorType type;
  guint rank;                      /* dimensions, 1 to 5; array elements beyond are unused */
  guint64 dims[CURED_TENSOR_RANK]; /* elements, the innermost dimension first */
  /* bytes between elements of dimension i + 1 */
  guint64 strides[CURED_TENSOR_RANK - 1];
  guint box[CURED_TENSOR_RANK];   /* elements copied of each dimension, 1 to 256 */
  guint steps[CURED_TENSOR_RANK]; /* N copies every Nth of these elements, 1 to 8 */
  guint swizzle;      /* bytes within which chunks of 16 are permuted: 0, 32, 64 or 128 */
  guint interleave;   /* bytes of a slice of channels: 0 (none), 16 or 32 */
  guint promotion;    /* minimum size of a fetch of L2, in bytes: 0, 64, 128 or 256 */
  gboolean fills_nan; /* elements out of bounds are NaN; FALSE: zero */
  /* copies take pixels of a bounding box, for convolutions; the first two numbers of @box are
   * channels per pixel and pixels per copy */
  gboolean is_im2col;
  /* of im2col: start of the bounding box in each dimension between the first and the last */
  int lower[CURED_TENSOR_RANK - 2];
  /* of im2col: its end, relative to the end of the dimension */
  int upper[CURED_TENSOR_RANK - 2];
} CuredTensorShape;

const char *const *cured_tensor_type_list (void);
gsize cured_tensor_type_get_size (CuredTensorType type);
