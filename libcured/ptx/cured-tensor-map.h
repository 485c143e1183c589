/* SPDX-License-Identifier: MIT
 * Tensor maps: how the copy engine walks an array of one to five dimensions. */
#pragma once

#include <glib.h>

#define CURED_TENSOR_RANK 5

/* What a kernel takes, by value: its bytes and its alignment. */
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
  /* bytes from an index of dimension i + 1 to the next one */
  guint64 strides[CURED_TENSOR_RANK - 1];
  guint box[CURED_TENSOR_RANK];   /* elements that one copy takes of each dimension, 1 to 256 */
  guint steps[CURED_TENSOR_RANK]; /* N copies every Nth of these elements, 1 to 8 */
  guint swizzle;      /* bytes within which chunks of 16 are permuted: 0, 32, 64 or 128 */
  guint interleave;   /* bytes of a slice of channels: 0 (none), 16 or 32 */
  guint promotion;    /* bytes that the L2 cache fetches at least: 0, 64, 128 or 256 */
  gboolean fills_nan; /* elements out of bounds are NaN, and zero where not */
  /* copies take pixels of a bounding box, as convolutions do; of @box, the first two numbers are
   * the channels of a pixel and the pixels of a copy */
  gboolean is_im2col;
  /* of im2col, where the bounding box begins in each dimension between the first and the last */
  int lower[CURED_TENSOR_RANK - 2];
  /* of im2col, where it ends, behind the last element of the dimension */
  int upper[CURED_TENSOR_RANK - 2];
} CuredTensorShape;

const char *const *cured_tensor_type_list (void);
gsize cured_tensor_type_get_size (CuredTensorType type);
