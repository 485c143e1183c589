/* SPDX-License-Identifier: MIT
 * Handlers: bulk copies and reductions of the asynchronous proxy.
 *
 * They complete immediately, including the arrival at their barrier: kernels that wait and fence
 * correctly observe no difference, and the race detector reports the others. */
#include <glib/gi18n-lib.h>
#include <string.h>

#include "ptx/exec/cured-half-private.h"
#include "ptx/cured-tensor-map-internal.h"
#include "ptx/exec/cured-ptx-exec-private.h"

static uint64_t
get_address (const CuredWarp *warp, const CuredPtxOperand *x, int64_t displacement, unsigned l)
{
  uint64_t address = cured_get_lane (warp, x, l) + (uint64_t) displacement;

  return x->width == 4 ? (uint32_t) address : address;
}

/* ---- Elements of a reduction ---- */

static uint64_t
reduce_integer (CuredPtxWord operation, bool is_signed, uint64_t a, uint64_t b)
{
  bool is_less = is_signed ? (int64_t) a < (int64_t) b : a < b;

  switch ((int) operation)
    {
    case CURED_PTX_OPERATION_AND: return a & b;
    case CURED_PTX_OPERATION_OR: return a | b;
    case CURED_PTX_OPERATION_XOR: return a ^ b;
    case CURED_PTX_OPERATION_ADD: return a + b;
    case CURED_PTX_OPERATION_MIN: return is_less ? a : b;
    case CURED_PTX_OPERATION_MAX: return is_less ? b : a;
    case CURED_PTX_OPERATION_INC: return a >= b ? 0 : a + 1;
    default: /* DEC */ return a == 0 || a > b ? b : a - 1;
    }
}

/* f32 has enough bits to make the double rounding harmless. */
static float
reduce_float (CuredPtxWord operation, float a, float b)
{
  return operation == CURED_PTX_OPERATION_ADD
             ? a + b
             : cured_limit_in_memory (a, b, operation == CURED_PTX_OPERATION_MIN);
}

/* Additions of .f32 keep subnormals on an H200 (golden rows), although PTX ISA 9.0 requires
 * cp.reduce.async.bulk to flush them in global memory, like atom. */
static uint64_t
reduce (CuredPtxWord operation, CuredPtxType type, uint64_t a, uint64_t b)
{
  float sum;

  switch ((int) type)
    {
    case CURED_PTX_S32:
      return (uint32_t) reduce_integer (operation, true, (uint64_t) (int64_t) (int32_t) a,
                                        (uint64_t) (int64_t) (int32_t) b);
    case CURED_PTX_S64: return reduce_integer (operation, true, a, b);
    case CURED_PTX_F16:
      return cured_f32_to_f16 (reduce_float (operation, cured_f16_to_f32 ((uint32_t) a),
                                             cured_f16_to_f32 ((uint32_t) b)),
                               CURED_PTX_ROUND_RN);
    case CURED_PTX_BF16:
      return cured_f32_to_bf16 (reduce_float (operation, cured_bf16_to_f32 ((uint32_t) a),
                                              cured_bf16_to_f32 ((uint32_t) b)),
                                CURED_PTX_ROUND_RN);
    case CURED_PTX_F32:
      sum = cured_f32_of_bits ((uint32_t) a) + cured_f32_of_bits ((uint32_t) b);
      return sum != sum ? CURED_NAN_F32 : cured_bits_of_f32 (sum);
    case CURED_PTX_F64: return cured_add_f64_in_memory (a, b, false);
    default: return reduce_integer (operation, false, a, b);
    }
}

/* Other blocks may access the same element. */
#define REDUCE(T)                                                                                  \
  for (uint32_t i = 0; i < size; i += sizeof (T))                                                  \
    {                                                                                              \
      T *at = (T *) (void *) (to + i);                                                             \
      T old = __atomic_load_n (at, __ATOMIC_RELAXED);                                              \
      T b;                                                                                         \
                                                                                                   \
      memcpy (&b, from + i, sizeof b);                                                             \
      while (!__atomic_compare_exchange_n (at, &old, (T) reduce (operation, type, old, b), false,  \
                                           __ATOMIC_RELAXED, __ATOMIC_RELAXED))                    \
        ;                                                                                          \
    }

static void
reduce_all (CuredPtxWord operation, CuredPtxType type, uint8_t *to, const uint8_t *from,
            uint32_t size)
{
  switch (_cured_ptx_types[type].bytes)
    {
    case 2: REDUCE (uint16_t); break;
    case 4: REDUCE (uint32_t); break;
    default: REDUCE (uint64_t); break;
    }
}

/* ---- Copies ---- */

/* An H200 aborts a launch without clusters at a copy to shared memory of the cluster, or a
 * reduction there, if its source is shared memory as well. */
static bool
is_without_cluster (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  CuredPtxGrid *grid = warp->block->grid;
  CuredWitness here;

  if (grid->is_clustered || WORD_OF (inst, FROM) != CURED_PTX_FROM_SHARED ||
      cured_get_space (inst) != CURED_SPACE_SHARED)
    return false;
  here = _cured_warp_witness (warp, inst, mask, _cured_access_what (CURED_ACCESS_COPY));
  _cured_grid_report (
      grid, CURED_FINDING_TRAP, &here, NULL, CURED_SPACE_GENERIC, 0, "%s",
      _ ("a copy from shared memory to shared memory ends a launch that has no clusters"));
  _cured_grid_stop (grid, CURED_END_TRAPPED);
  return true;
}

/* One copy of lane @l, to @to_address, with its barrier at @barrier_address. */
static void
copy_once (CuredWarp *warp, const CuredPtxInst *inst, unsigned l, uint64_t to_address,
           uint64_t barrier_address)
{
  CuredBulk bulk = {
    .inst = inst,
    .lane = l,
    .size = LANES (const uint32_t, inst->x[2])[l],
    .barrier = barrier_address,
  };
  bool has_barrier = barrier_address != UINT64_MAX;
  uint8_t *barrier = NULL, *from, *to;

  if (has_barrier)
    {
      barrier = _cured_warp_find_barrier (warp, &bulk);
      if (barrier == NULL)
        return;
    }
  from = _cured_warp_access_bulk (
      warp, &bulk,
      WORD_OF (inst, FROM) == CURED_PTX_FROM_SHARED ? CURED_SPACE_SHARED : CURED_SPACE_GLOBAL,
      CURED_ACCESS_LOAD, get_address (warp, &inst->x[1], inst->displacement2, l));
  to = _cured_warp_access_bulk (warp, &bulk, cured_get_space (inst),
                                inst->op == CURED_PTX_OP_bulk_reduce ? CURED_ACCESS_REDUCTION
                                : cured_get_space (inst) == CURED_SPACE_SHARED ? CURED_ACCESS_COPY
                                                                               : CURED_ACCESS_STORE,
                                to_address);
  if (from != NULL && to != NULL)
    {
      if (inst->op == CURED_PTX_OP_bulk_reduce)
        reduce_all ((CuredPtxWord) WORD_OF (inst, OPERATION), (CuredPtxType) inst->types[0], to,
                    from, bulk.size);
      else
        memmove (to, from, bulk.size);
    }
  if (barrier != NULL)
    cured_mbarrier_expect (warp, barrier, -(int64_t) bulk.size);
}

/* Maps @address, of any block, to the block of @rank. */
static uint64_t
get_in_block (uint64_t address, unsigned rank)
{
  uint64_t window = cured_is_in_cluster_window (address) ? CURED_SHARED_WINDOW : 0;

  return window + ((uint64_t) (rank + 1) << CURED_WINDOW_BITS |
                   ((address - window) & (CURED_WINDOW_BYTES - 1)));
}

static void
run_bulk (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  bool has_barrier = WORD_OF (inst, COMPLETION) == CURED_PTX_COMPLETION_MBARRIER;
  bool is_multicast = cured_has_word (inst, CURED_PTX_GROUP_MULTICAST);

  if (is_without_cluster (warp, inst, mask))
    return;
  for (uint32_t left = mask; left != 0; left &= left - 1)
    {
      unsigned l = (unsigned) __builtin_ctz (left);
      uint64_t to = get_address (warp, &inst->x[0], inst->displacement, l);
      uint64_t barrier =
          has_barrier ? get_address (warp, &inst->x[3], inst->immediate, l) : UINT64_MAX;

      if (!is_multicast)
        copy_once (warp, inst, l, to, barrier);
      /* PTX ISA 9.0, cp.async.bulk: to the same offset in each block, signalling the barrier at the
       * same offset there. */
      for (uint32_t blocks = is_multicast ? LANES (const uint16_t, inst->x[4])[l] : 0; blocks != 0;
           blocks &= blocks - 1)
        {
          unsigned rank = (unsigned) __builtin_ctz (blocks);

          copy_once (warp, inst, l, get_in_block (to, rank), get_in_block (barrier, rank));
        }
    }
}

/* ---- Copies by a tensor map ----
 *
 * PTX ISA 9.0, sections 5.5 (Tensors) and 9.7.9.27.5 (Tensor copy). */

#define TENSOR_RANK CURED_TENSOR_RANK

/* One copy, and its iteration. */
typedef struct
{
  CuredTensorShape shape;
  uint64_t address;
  int64_t from[TENSOR_RANK];   /* coordinates of the box */
  uint32_t count[TENSOR_RANK]; /* elements copied of each dimension */
  uint32_t element;            /* bytes */
  uint32_t row;                /* contiguous bytes: of the innermost dimension, or of one slice of
                                * channels */
  uint32_t pitch;              /* bytes from row to row in shared memory */
  uint32_t n_rows;
  int64_t offset[TENSOR_RANK]; /* of im2col: of the filter tap */
} Tensor;

/* Swizzles a shared address: chunks of 16 bytes are permuted by bits of the address, in lines of
 * 128 bytes. */
static inline uint64_t
swizzle (uint64_t address, uint32_t bytes)
{
  return address ^ ((address >> 7 & (bytes / 16 - 1)) << 4);
}

/* The first dimension that is not contiguous; of im2col, also the first one of the bounding box. */
static unsigned
get_first_row (const CuredTensorShape *shape)
{
  return shape->interleave != 0 ? 0 : 1;
}

static bool
is_im2col (const CuredPtxInst *inst)
{
  return WORD_OF (inst, TENSOR_MODE) == CURED_PTX_TENSOR_MODE_IM2COL;
}

/* A fault of a copy by tensor map ends the launch, as on an H200: nothing is delivered, so threads
 * that wait for it would do so until the time limit. */
static void
report_tensor (CuredWarp *warp, const CuredBulk *bulk, CuredFindingKind kind, uint64_t address,
               const char *what)
{
  CuredWitness here = _cured_warp_witness (warp, bulk->inst, 1u << bulk->lane,
                                           _cured_access_what (CURED_ACCESS_COPY));

  _cured_grid_report (warp->block->grid, kind, &here, NULL, CURED_SPACE_GENERIC, address, "%s",
                      _ (what));
  _cured_grid_stop (warp->block->grid, CURED_END_TRAPPED);
}

/* Reads the tensor map of @x, the coordinates that follow it, and the @offsets of im2col. */
static bool
read_tensor (CuredWarp *warp, CuredBulk *bulk, const CuredPtxOperand *x, int64_t displacement,
             unsigned rank, const CuredPtxOperand *offsets, Tensor *tensor)
{
  bool is_interleaved;
  uint64_t address = get_address (warp, x, displacement, bulk->lane);
  const uint8_t *object = _cured_warp_find_tensor_map (warp, bulk, address);
  uint64_t bytes;

  if (object == NULL)
    return false;
  _cured_warp_tell_tensor_map (warp, bulk->inst, bulk->lane, address, false);
  if (!cured_tensor_shape_decode (&tensor->shape, &tensor->address, object))
    {
      report_tensor (warp, bulk, CURED_FINDING_OUT_OF_BOUNDS, address,
                     N_ ("what lies there is no tensor map of its launch"));
      return false;
    }
  if (tensor->shape.rank != rank)
    {
      report_tensor (warp, bulk, CURED_FINDING_OUT_OF_BOUNDS, address,
                     N_ ("the tensor map has another number of dimensions than the instruction"));
      return false;
    }
  if (tensor->shape.is_im2col != (offsets != NULL))
    {
      report_tensor (
          warp, bulk, CURED_FINDING_OUT_OF_BOUNDS, address,
          N_ ("the tensor map is of the other mode than the instruction (.tile, .im2col)"));
      return false;
    }
  is_interleaved = tensor->shape.interleave != 0;
  tensor->element = (uint32_t) cured_tensor_type_get_size (tensor->shape.type);
  bytes = tensor->element;
  tensor->n_rows = 1;
  for (unsigned i = 0; i < rank; i++)
    {
      uint32_t step = i == 0 && !is_interleaved ? 1 : tensor->shape.steps[i];

      tensor->from[i] = LANES (const int32_t, x[1 + i])[bulk->lane];
      if (offsets != NULL)
        {
          unsigned first = get_first_row (&tensor->shape);
          bool is_spatial = i >= first && i < first + rank - 2;

          /* Channels, and pixels in place of the second dimension. */
          tensor->count[i] = i < 2 ? tensor->shape.box[i] : 1;
          tensor->offset[i] =
              is_spatial ? LANES (const uint16_t, offsets[i - first])[bulk->lane] : 0;
        }
      else
        tensor->count[i] = (tensor->shape.box[i] + step - 1) / step;
      /* At most 2^40. */
      bytes *= tensor->count[i];
      if (i > 0)
        tensor->n_rows *= tensor->count[i];
    }
  tensor->row = tensor->count[0] * tensor->element;
  if (is_interleaved)
    {
      /* Recorded on an H200: the first dimension consists of adjacent slices, and only one slice of
       * channels is copied, of the last dimension but one. */
      tensor->row = tensor->shape.interleave;
      if (offsets == NULL)
        tensor->count[rank - 2] = 1;
      else
        tensor->count[0] = 1;
      tensor->n_rows = 1;
      for (unsigned i = 0; i < rank; i++)
        tensor->n_rows *= tensor->count[i];
      bytes = (uint64_t) tensor->row * tensor->n_rows;
    }
  /* Rows narrower than the swizzle are padded to its width. */
  tensor->pitch = is_interleaved ? tensor->row : MAX (tensor->row, tensor->shape.swizzle);
  if (bytes > CURED_WINDOW_BYTES)
    {
      report_tensor (warp, bulk, CURED_FINDING_OUT_OF_BOUNDS, address,
                     N_ ("its box is larger than shared memory"));
      return false;
    }
  /* An H200 aborts the launch with an illegal instruction, even for prefetches. */
  if (!is_interleaved && tensor->from[0] * (int64_t) tensor->element % 16 != 0)
    {
      report_tensor (warp, bulk, CURED_FINDING_MISALIGNED, address,
                     N_ ("the first coordinate of the box is no multiple of 16 bytes"));
      return false;
    }
  bulk->size = (uint32_t) bytes;
  bulk->align = 128;
  return true;
}

/* Bytes between elements of a dimension; the first one has a stride if it consists of slices. */
static uint64_t
get_stride (const CuredTensorShape *shape, unsigned dimension)
{
  return dimension == 0 ? shape->interleave : shape->strides[dimension - 1];
}

/* Advances @from to the next pixel: to the next line of the bounding box, then the next image. PTX
 * ISA 9.0, section 5.5.4. */
static void
advance_pixel (const CuredTensorShape *shape, int64_t *from)
{
  unsigned first = get_first_row (shape);

  for (unsigned i = 0; i < shape->rank - 2; i++)
    {
      int64_t *at = &from[first + i];

      *at += shape->steps[first + i];
      if (*at < (int64_t) shape->dims[first + i] + shape->upper[i])
        return;
      *at = shape->lower[i];
    }
  from[shape->rank - 1]++;
}

/* The address of a pixel of im2col in global memory; false: it is out of bounds. */
static bool
get_pixel (const Tensor *tensor, const int64_t *from, uint64_t *address)
{
  const CuredTensorShape *shape = &tensor->shape;

  *address = tensor->address;
  for (unsigned i = get_first_row (shape); i < shape->rank; i++)
    {
      int64_t at = from[i] + tensor->offset[i];

      if (at < 0 || (uint64_t) at >= shape->dims[i])
        return false;
      *address += (uint64_t) at * get_stride (shape, i);
    }
  return true;
}

/* The address of row @index of the box in global memory; false: all of it is out of bounds. */
static bool
get_row (const Tensor *tensor, uint32_t index, uint64_t *address)
{
  const CuredTensorShape *shape = &tensor->shape;

  *address = tensor->address;
  for (unsigned i = get_first_row (shape); i < shape->rank; i++)
    {
      int64_t at = tensor->from[i] + (int64_t) (index % tensor->count[i]) * shape->steps[i];

      index /= tensor->count[i];
      if (at < 0 || (uint64_t) at >= shape->dims[i])
        return false;
      *address += (uint64_t) at * get_stride (shape, i);
    }
  return true;
}

/* The value of an element out of bounds: the NaN of an H200 (golden rows), or 0. */
static void
fill_element (const Tensor *tensor, uint8_t *to)
{
  static const uint8_t nan[] = { 0xf7, 0x7f, 0xf7, 0x7f, 0xf7, 0x7f, 0xf7, 0x7f };

  if (!tensor->shape.fills_nan)
    memset (to, 0, tensor->element);
  else
    memcpy (to, nan, tensor->element);
}

/* Moves one row between a packed copy of it and swizzled shared memory. */
static void
move_row (const Tensor *tensor, uint8_t *shared, uint64_t base, uint32_t index, uint8_t *row,
          bool is_to_shared)
{
  uint32_t span = tensor->shape.swizzle;

  for (uint32_t done = 0; done < tensor->row; done += 16)
    {
      uint64_t offset = (uint64_t) index * tensor->pitch + done;
      uint8_t *at = shared + offset;

      if (span != 0)
        at = shared + (swizzle (base + offset, span) - base);
      if (is_to_shared)
        memcpy (at, row + done, 16);
      else
        memcpy (row + done, at, 16);
    }
}

/* The type with which a reduction treats elements of a tensor; NONE: not supported. */
static CuredPtxType
get_type (CuredTensorType type, CuredPtxWord operation)
{
  bool is_bits = operation == CURED_PTX_OPERATION_AND || operation == CURED_PTX_OPERATION_OR ||
                 operation == CURED_PTX_OPERATION_XOR;

  switch ((int) type)
    {
    case CURED_TENSOR_U32: return is_bits ? CURED_PTX_B32 : CURED_PTX_U32;
    case CURED_TENSOR_I32: return is_bits ? CURED_PTX_B32 : CURED_PTX_S32;
    case CURED_TENSOR_U64: return is_bits ? CURED_PTX_B64 : CURED_PTX_U64;
    case CURED_TENSOR_I64: return is_bits ? CURED_PTX_B64 : CURED_PTX_S64;
    case CURED_TENSOR_F16: return CURED_PTX_F16;
    case CURED_TENSOR_BF16: return CURED_PTX_BF16;
    case CURED_TENSOR_F32:
    case CURED_TENSOR_F32_FTZ:
    case CURED_TENSOR_TF32:
    case CURED_TENSOR_TF32_FTZ: return CURED_PTX_F32;
    case CURED_TENSOR_F64: return CURED_PTX_F64;
    default: return CURED_PTX_TYPE_NONE;
    }
}

/* The elements of a row of the box that are in bounds: bytes @low to @high. Stores from shared
 * memory are in chunks of 16 bytes: an H200 writes the last one completely, beyond the end of the
 * dimension (outputs of matmul-bf16/best and persistent with n of 1, 97 and 100; the strides leave
 * room for it). */
static void
clip_row (const Tensor *tensor, bool is_to_shared, uint32_t *low, uint32_t *high)
{
  int64_t first = CLAMP (-tensor->from[0], 0, (int64_t) tensor->count[0]);
  int64_t last =
      CLAMP ((int64_t) tensor->shape.dims[0] - tensor->from[0], first, (int64_t) tensor->count[0]);

  if (tensor->shape.interleave != 0)
    {
      *low = 0;
      *high = tensor->row;
      return;
    }
  *low = (uint32_t) first * tensor->element;
  *high = (uint32_t) last * tensor->element;
  if (!is_to_shared)
    *high = (*high + 15) & ~15u;
}

/* Flushes subnormals for reductions of floats with .ftz. */
static void
flush_row (uint8_t *row, uint32_t size)
{
  for (uint32_t at = 0; at < size; at += 4)
    {
      uint32_t bits;

      memcpy (&bits, row + at, sizeof bits);
      if ((bits & 0x7f800000) == 0)
        bits &= 0x80000000;
      memcpy (row + at, &bits, sizeof bits);
    }
}

/* Rounds floats copied to shared memory as tf32 or tf32ftz: to nearest, ties to even, as on an H200
 * (golden rows). */
static void
round_row (uint8_t *row, uint32_t low, uint32_t high)
{
  for (uint32_t at = low; at < high; at += 4)
    {
      float x;
      uint32_t bits;

      memcpy (&x, row + at, sizeof x);
      bits = isnan (x) ? 0x7fffe000u : cured_f32_to_tf32 (x, CURED_PTX_ROUND_RN) & 0xffffe000u;
      memcpy (row + at, &bits, sizeof bits);
    }
}

/* @shared: the first byte of the box, at shared address @base. */
static void
copy_tensor (CuredWarp *warp, const CuredBulk *bulk, const Tensor *tensor, uint8_t *shared,
             uint64_t base)
{
  const CuredPtxInst *inst = bulk->inst;
  bool is_to_shared = WORD_OF (inst, SPACE) == CURED_PTX_SPACE_SHARED;
  bool is_reduction = inst->op == CURED_PTX_OP_bulk_tensor_reduce;
  uint8_t row[256 * 8];
  uint32_t low, high;
  int64_t pixel[TENSOR_RANK];
  bool is_tf32 =
      tensor->shape.type == CURED_TENSOR_TF32 || tensor->shape.type == CURED_TENSOR_TF32_FTZ;
  bool is_flushed =
      tensor->shape.type == CURED_TENSOR_F32_FTZ || tensor->shape.type == CURED_TENSOR_TF32_FTZ;

  memcpy (pixel, tensor->from, sizeof pixel);
  clip_row (tensor, is_to_shared, &low, &high);
  for (uint32_t r = 0; r < tensor->n_rows; r++)
    {
      uint64_t address;
      uint8_t *host = NULL;

      if ((tensor->shape.is_im2col ? get_pixel (tensor, pixel, &address)
                                   : get_row (tensor, r, &address)) &&
          low < high)
        host = _cured_warp_access_row (
            warp, bulk,
            is_to_shared   ? CURED_ACCESS_LOAD
            : is_reduction ? CURED_ACCESS_REDUCTION
                           : CURED_ACCESS_STORE,
            tensor->shape.interleave != 0
                ? address
                : (uint64_t) ((int64_t) address + tensor->from[0] * tensor->element + low),
            high - low);
      if (is_to_shared)
        {
          for (uint32_t at = 0; at < tensor->row; at += tensor->element)
            if (host == NULL || at < low || at >= high)
              fill_element (tensor, row + at);
          if (host != NULL)
            memcpy (row + low, host, high - low);
          if (is_tf32 && host != NULL)
            round_row (row, low, high);
          move_row (tensor, shared, base, r, row, true);
          if (tensor->shape.is_im2col)
            advance_pixel (&tensor->shape, pixel);
        }
      else if (host != NULL)
        {
          move_row (tensor, shared, base, r, row, false);
          if (is_reduction && is_flushed)
            {
              flush_row (host, high - low);
              flush_row (row + low, high - low);
            }
          if (is_reduction)
            reduce_all ((CuredPtxWord) WORD_OF (inst, OPERATION),
                        get_type (tensor->shape.type, (CuredPtxWord) WORD_OF (inst, OPERATION)),
                        host, row + low, high - low);
          else
            memcpy (host, row + low, high - low);
          if (is_reduction && is_flushed)
            flush_row (host, high - low);
        }
    }
}

/* One copy of lane @l, with its barrier at @barrier_address unless that is UINT64_MAX, to or from
 * the box at shared address @base. */
static void
copy_tensor_once (CuredWarp *warp, const CuredPtxInst *inst, unsigned l, unsigned rank,
                  uint64_t base, uint64_t barrier_address)
{
  bool is_to_shared = WORD_OF (inst, SPACE) == CURED_PTX_SPACE_SHARED;
  CuredBulk bulk = {
    .inst = inst,
    .lane = l,
    .barrier = barrier_address,
  };
  Tensor tensor;
  uint8_t *barrier = NULL, *shared;
  uint32_t bytes;

  if (is_to_shared)
    {
      barrier = _cured_warp_find_barrier (warp, &bulk);
      if (barrier == NULL)
        return;
    }
  if (!read_tensor (warp, &bulk, &inst->x[is_to_shared ? 1 : 0],
                    is_to_shared ? inst->displacement2 : inst->displacement, rank,
                    is_im2col (inst) ? &inst->x[3 + rank] : NULL, &tensor))
    return;
  if (inst->op == CURED_PTX_OP_bulk_tensor_reduce &&
      get_type (tensor.shape.type, (CuredPtxWord) WORD_OF (inst, OPERATION)) == CURED_PTX_TYPE_NONE)
    {
      report_tensor (warp, &bulk, CURED_FINDING_OUT_OF_BOUNDS, tensor.address,
                     N_ ("the tensor map has a type that reductions do not take"));
      return;
    }
  bytes = bulk.size;
  /* An H200 aborts the launch with an illegal instruction. */
  for (unsigned i = 0; i < rank && !is_to_shared; i++)
    if (tensor.from[i] < 0)
      {
        report_tensor (
            warp, &bulk, CURED_FINDING_OUT_OF_BOUNDS, tensor.address,
            N_ ("a coordinate of the box is negative, which copies to global memory do not take"));
        return;
      }
  bulk.size = tensor.n_rows * tensor.pitch;
  shared = _cured_warp_access_bulk (warp, &bulk, CURED_SPACE_SHARED,
                                    is_to_shared ? CURED_ACCESS_COPY : CURED_ACCESS_LOAD, base);
  /* The swizzle depends only on the offset in the block. */
  if (shared != NULL)
    copy_tensor (warp, &bulk, &tensor, shared, base & (CURED_WINDOW_BYTES - 1));
  if (barrier != NULL)
    cured_mbarrier_expect (warp, barrier, -(int64_t) bytes);
}

static void
run_tensor (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  bool is_to_shared = WORD_OF (inst, SPACE) == CURED_PTX_SPACE_SHARED;
  bool is_multicast = cured_has_word (inst, CURED_PTX_GROUP_MULTICAST);
  unsigned rank = (unsigned) (WORD_OF (inst, DIMENSIONS) - CURED_PTX_DIMENSIONS_D1) + 1;
  const CuredPtxOperand *tile = &inst->x[is_to_shared ? 0 : 1 + rank];
  const CuredPtxOperand *barrier_x = &inst->x[2 + rank];
  const CuredPtxOperand *blocks_x = &inst->x[3 + rank + (is_to_shared ? inst->counts[3] : 0u)];

  for (uint32_t left = mask; left != 0; left &= left - 1)
    {
      unsigned l = (unsigned) __builtin_ctz (left);
      uint64_t base =
          get_address (warp, tile, is_to_shared ? inst->displacement : inst->displacement2, l);
      uint64_t barrier =
          is_to_shared ? get_address (warp, barrier_x, inst->immediate, l) : UINT64_MAX;

      if (!is_multicast)
        copy_tensor_once (warp, inst, l, rank, base, barrier);
      /* PTX ISA 9.0, cp.async.bulk.tensor: to the same offset in each block, signalling the barrier
       * at the same offset there. */
      for (uint32_t blocks = is_multicast ? LANES (const uint16_t, *blocks_x)[l] : 0; blocks != 0;
           blocks &= blocks - 1)
        {
          unsigned block = (unsigned) __builtin_ctz (blocks);

          copy_tensor_once (warp, inst, l, rank, get_in_block (base, block),
                            get_in_block (barrier, block));
        }
    }
}

/* ---- Single values ---- */

/* PTX ISA 9.0, st.async and red.async: each lane sends a value to shared memory of a block of the
 * cluster, and its bytes are signalled to a barrier there. */
static inline uint8_t *
send (CuredWarp *warp, const CuredPtxInst *inst, unsigned l, CuredAccessKind kind, uint32_t size,
      const CuredPtxOperand *barrier, uint8_t **told, CuredSent *sent)
{
  CuredBulk bulk = {
    .inst = inst,
    .lane = l,
    .size = size,
    .barrier = get_address (warp, barrier, inst->displacement2, l),
  };
  uint8_t *to;

  *told = _cured_warp_find_barrier (warp, &bulk);
  if (*told == NULL)
    return NULL;
  to = _cured_warp_access_word (warp, &bulk, kind,
                                get_address (warp, &inst->x[0], inst->displacement, l), size, sent);
  return to;
}

static void
run_st_async (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  uint32_t n = inst->counts[1];
  uint32_t bytes = _cured_ptx_types[inst->types[0]].bytes;
  CuredSent sent = { 0 };

  for (uint32_t left = mask; left != 0; left &= left - 1)
    {
      unsigned l = (unsigned) __builtin_ctz (left);
      uint8_t *told = NULL;
      uint8_t *to =
          send (warp, inst, l, CURED_ACCESS_COPY, n * bytes, &inst->x[1 + n], &told, &sent);

      for (uint32_t i = 0; to != NULL && i < n; i++)
        {
          uint64_t value = cured_get_lane (warp, &inst->x[1 + i], l);

          memcpy (to + i * bytes, &value, bytes);
        }
      if (told != NULL)
        cured_mbarrier_expect (warp, told, -(int64_t) (n * bytes));
    }
  _cured_warp_tell_sent (warp, inst, CURED_ACCESS_COPY, n * bytes, &sent);
}

static void
run_red_async (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  uint32_t bytes = _cured_ptx_types[inst->types[0]].bytes;
  CuredSent sent = { 0 };

  for (uint32_t left = mask; left != 0; left &= left - 1)
    {
      unsigned l = (unsigned) __builtin_ctz (left);
      uint64_t value = cured_get_lane (warp, &inst->x[1], l);
      uint8_t *told = NULL;
      uint8_t *to = send (warp, inst, l, CURED_ACCESS_REDUCTION, bytes, &inst->x[2], &told, &sent);

      if (to != NULL)
        reduce_all ((CuredPtxWord) WORD_OF (inst, OPERATION), (CuredPtxType) inst->types[0], to,
                    (const uint8_t *) &value, bytes);
      if (told != NULL)
        cured_mbarrier_expect (warp, told, -(int64_t) bytes);
    }
  _cured_warp_tell_sent (warp, inst, CURED_ACCESS_REDUCTION, bytes, &sent);
}

/* A hint, without effect. */
static void
run_hint (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
}

/* The box must still be valid. */
static void
run_tensor_hint (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  for (uint32_t left = mask; left != 0; left &= left - 1)
    {
      CuredBulk bulk = { .inst = inst, .lane = (unsigned) __builtin_ctz (left) };
      Tensor tensor;

      read_tensor (warp, &bulk, &inst->x[0], inst->displacement, inst->counts[0] - 1u,
                   is_im2col (inst) ? &inst->x[inst->counts[0]] : NULL, &tensor);
    }
}

/* ---- Changing tensor maps ----
 *
 * PTX ISA 9.0, sections 9.7.9.28 (tensormap.replace) and 9.7.13.16 (tensormap.cp_fenceproxy). The
 * object is the emulator's own. */

/* Finds the lanes' tensor maps, by an access to both ends. */
static void
access_maps (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask, CuredSpace space,
             CuredAccessKind kind, const CuredPtxOperand *x, int64_t displacement,
             CuredHosts *hosts)
{
  CuredWarpRequest request = { inst, mask, space, kind, 16, 16 };

  _cured_warp_access (warp, &request, x, displacement + CURED_TENSOR_MAP_BYTES - 16, hosts);
  request.mask = hosts->mask;
  request.align = 64;
  if (hosts->mask != 0)
    _cured_warp_access (warp, &request, x, displacement, hosts);
}

/* Reports a changed tensor map in memory that copies can use. */
static void
tell_change (CuredWarp *warp, const CuredPtxInst *inst, unsigned l, uint64_t address)
{
  if (_cured_memory_find (warp->block->grid->memory, address) != NULL)
    _cured_warp_tell_tensor_map (warp, inst, l, address, true);
}

static void
run_replace (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  CuredTensorField field = (CuredTensorField) (WORD_OF (inst, FIELD) - CURED_PTX_FIELD_ADDRESS);
  CuredSpace space = cured_get_space (inst);
  const CuredPtxOperand *value = &inst->x[inst->x[2].width != 0 ? 2 : 1];
  CuredHosts hosts;

  access_maps (warp, inst, mask, space, CURED_ACCESS_STORE, &inst->x[0], inst->displacement,
               &hosts);
  for (uint32_t left = hosts.mask; left != 0; left &= left - 1)
    {
      unsigned l = (unsigned) __builtin_ctz (left);
      uint64_t index = value == &inst->x[1] ? 0 : cured_get_lane (warp, value - 1, l);
      uint64_t address = get_address (warp, &inst->x[0], inst->displacement, l);

      if (!cured_tensor_object_replace (hosts.host[l], field, index,
                                        cured_get_lane (warp, value, l)))
        {
          CuredWitness here =
              _cured_warp_witness (warp, inst, 1u << l, _cured_access_what (CURED_ACCESS_STORE));

          _cured_grid_report (
              warp->block->grid, CURED_FINDING_OUT_OF_BOUNDS, &here, NULL, space, address, "%s",
              _ ("what lies there is no tensor map, or its field takes no such value"));
        }
      else if (space != CURED_SPACE_SHARED)
        tell_change (warp, inst, l, address);
    }
}

/* Runs for the whole warp, whose lanes name the same addresses. */
static void
run_copy_map (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  uint32_t first = mask & -mask;
  unsigned l = (unsigned) __builtin_ctz (mask);
  uint8_t map[CURED_TENSOR_MAP_BYTES];
  CuredHosts hosts;

  if (!_cured_warp_converge (warp, mask, CURED_ALL_LANES))
    return;
  access_maps (warp, inst, first, CURED_SPACE_SHARED, CURED_ACCESS_LOAD, &inst->x[1],
               inst->displacement2, &hosts);
  if (hosts.mask == 0)
    return;
  memcpy (map, hosts.host[l], sizeof map);
  access_maps (warp, inst, first, CURED_SPACE_GLOBAL, CURED_ACCESS_STORE, &inst->x[0],
               inst->displacement, &hosts);
  if (hosts.mask == 0)
    return;
  memcpy (hosts.host[l], map, sizeof map);
  tell_change (warp, inst, l, get_address (warp, &inst->x[0], inst->displacement, l));
  _cured_warp_fence (warp, inst, mask, (CuredPtxWord) inst->words[CURED_PTX_GROUP_SCOPE],
                     CURED_PTX_ORDER_RELEASE);
}

/* ---- Groups ---- */

static void
run_commit (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  CURED_TELL_OBSERVERS (warp->block, bulk_copies, warp, mask, CURED_COPIES_COMMIT);
}

static void
run_wait (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  CURED_TELL_OBSERVERS (warp->block, bulk_copies, warp, mask, (int) inst->immediate);
}

/* ---- Forms ---- */

static const char *
check_copy (const CuredPtxInst *inst)
{
  bool has_barrier = WORD_OF (inst, COMPLETION) == CURED_PTX_COMPLETION_MBARRIER;

  if (has_barrier != (inst->x[3].width != 0))
    return has_barrier ? "takes the address of a barrier" : "takes no barrier with .bulk_group";
  return inst->x[2].width != 4 ? "takes the number of bytes in 32 bits" : NULL;
}

static const char *
check_vector (const CuredPtxInst *inst)
{
  return inst->counts[1] * _cured_ptx_types[inst->types[0]].bytes > 16 ? "takes at most 16 bytes"
                                                                       : NULL;
}

/* Faults of a copy by a tensor map with this number of coordinates and of im2col offsets. */
static const char *
check_coordinates (const CuredPtxInst *inst, unsigned n_coordinates, unsigned n_offsets)
{
  if (is_im2col (inst) &&
      (WORD_OF (inst, DIMENSIONS) < CURED_PTX_DIMENSIONS_D3 || n_offsets + 2 != n_coordinates))
    return "takes .3d to .5d with .im2col, and two offsets fewer than dimensions";
  if (n_coordinates != (unsigned) (WORD_OF (inst, DIMENSIONS) - CURED_PTX_DIMENSIONS_D1) + 1)
    return "takes as many coordinates as dimensions";
  return NULL;
}

static const char *
check_tensor (const CuredPtxInst *inst)
{
  bool is_to_shared = WORD_OF (inst, SPACE) == CURED_PTX_SPACE_SHARED;
  const CuredPtxOperand *rest = &inst->x[inst->counts[0] + inst->counts[1]];

  if (inst->counts[is_to_shared ? 0 : 1] != 1)
    return "takes one tensor map, and one address of shared memory";
  if ((rest[0].width != 0) != is_to_shared)
    return "takes the address of a barrier to shared memory, and none from there";
  if ((rest[1 + inst->counts[3]].width != 0) != cured_has_word (inst, CURED_PTX_GROUP_MULTICAST))
    return "takes a mask of blocks with .multicast::cluster, and with that alone";
  return check_coordinates (inst, inst->counts[is_to_shared ? 1 : 0] - 1u, inst->counts[3]);
}

static const char *
check_tensor_reduction (const CuredPtxInst *inst)
{
  return inst->counts[1] != 1 ? "takes one address of shared memory"
                              : check_coordinates (inst, inst->counts[0] - 1u, 0);
}

static const char *
check_tensor_hint (const CuredPtxInst *inst)
{
  return check_coordinates (inst, inst->counts[0] - 1u, inst->counts[1]);
}

static const char *
check_field (const CuredPtxInst *inst)
{
  return inst->x[2].width != 0 ? "takes a value alone for this field" : NULL;
}

static const char *
check_indexed_field (const CuredPtxInst *inst)
{
  return inst->x[2].width == 0 ? "takes a dimension and a value for this field" : NULL;
}

static const char *
check_map (const CuredPtxInst *inst)
{
  return inst->immediate != CURED_TENSOR_MAP_BYTES ? "takes 128 bytes" : NULL;
}

static const char *
check_groups (const CuredPtxInst *inst)
{
  return inst->immediate < 0 || inst->immediate > INT32_MAX ? "takes a number of groups from 0 on"
                                                            : NULL;
}

/* clang-format off */
#define TO_CLUSTER W_SPACE_SHARED, W_WINDOW_CLUSTER
#define BARRIER    W_COMPLETION_MBARRIER
#define GROUP      W_COMPLETION_GROUP
#define BITWISE    W_OPERATION_AND, W_OPERATION_OR, W_OPERATION_XOR
#define LIMITS     W_OPERATION_MIN, W_OPERATION_MAX
#define COUNTS     W_OPERATION_INC, W_OPERATION_DEC
#define DIMENSIONS W_DIMENSIONS_D1, W_DIMENSIONS_D2, W_DIMENSIONS_D3, W_DIMENSIONS_D4, W_DIMENSIONS_D5
#define SCOPE      W_SCOPE_CTA, W_SCOPE_CLUSTER, W_SCOPE_GPU, W_SCOPE_SYS
#define REPLACEABLE MAY (SPACE, GLOBAL), MAY (SPACE, SHARED), W_OBJECT_B1024
/* A reduction in any memory, and one in global memory only. */
#define REDUCED(types, words) \
  CHECKED (bulk_reduce, types, WORDS (words, W_SPACE_SHARED, W_FROM_SHARED, BARRIER), G_HINT, run_bulk, check_copy) \
  REDUCED_GLOBALLY (types, WORDS (words))
#define REDUCED_GLOBALLY(types, words) \
  CHECKED (bulk_reduce, types, WORDS (words, W_SPACE_GLOBAL, W_FROM_SHARED, GROUP), G_HINT, run_bulk, check_copy)
#define REMOTE(types, words) \
  FORM (red_async, types, WORDS (W_ORDER_RELAXED, W_SCOPE_CLUSTER, TO_CLUSTER, BARRIER, words), run_red_async)

static const CuredPtxForm forms[] = {
  CHECKED (bulk, 0, WORDS (W_SPACE_SHARED, W_FROM_SHARED, W_FROM_GLOBAL, BARRIER), G_HINT, run_bulk, check_copy)
  CHECKED (bulk, 0, WORDS (TO_CLUSTER, W_FROM_GLOBAL, BARRIER, W_MULTICAST_CLUSTER), G_HINT, run_bulk, check_copy)
  CHECKED (bulk, 0, WORDS (W_SPACE_GLOBAL, W_FROM_SHARED, GROUP), G_HINT, run_bulk, check_copy)
  REDUCED (T_B32, BITWISE)
  REDUCED_GLOBALLY (T_B64, BITWISE)
  REDUCED (T_I32 | T_U64, W_OPERATION_ADD)
  REDUCED_GLOBALLY (T_F32 | T_F64, W_OPERATION_ADD)
  REDUCED_GLOBALLY (T_F16 | T_BF16, WORDS (W_OPERATION_ADD, W_NOFTZ_NOFTZ))
  REDUCED (T_U32, COUNTS)
  REDUCED (T_I32, LIMITS)
  REDUCED_GLOBALLY (T_I64 | T_F16 | T_BF16, LIMITS)
  CHECKED (bulk_tensor, 0, WORDS (DIMENSIONS, W_SPACE_SHARED, W_FROM_GLOBAL, BARRIER, MAY (TENSOR_MODE, TILE), MAY (TENSOR_MODE, IM2COL)), G_HINT, run_tensor, check_tensor)
  CHECKED (bulk_tensor, 0, WORDS (DIMENSIONS, TO_CLUSTER, W_FROM_GLOBAL, BARRIER, MAY (TENSOR_MODE, TILE), MAY (TENSOR_MODE, IM2COL), W_MULTICAST_CLUSTER), G_HINT, run_tensor, check_tensor)
  CHECKED (bulk_tensor, 0, WORDS (DIMENSIONS, W_SPACE_GLOBAL, W_FROM_SHARED, GROUP, MAY (TENSOR_MODE, TILE)), G_HINT, run_tensor, check_tensor)
  CHECKED (bulk_tensor_reduce, 0, WORDS (DIMENSIONS, W_SPACE_GLOBAL, W_FROM_SHARED, GROUP, BITWISE, W_OPERATION_ADD, LIMITS, COUNTS, MAY (TENSOR_MODE, TILE)), G_HINT, run_tensor, check_tensor_reduction)
  CHECKED (bulk_tensor_prefetch, 0, WORDS (DIMENSIONS, W_LEVEL_L2, W_SPACE_GLOBAL), G_HINT | G_TENSOR_MODE, run_tensor_hint, check_tensor_hint)
  CHECKED (bulk_prefetch, 0, W_SPACE_GLOBAL, G_HINT, run_hint, NULL)
  CHECKED (st_async, T_B32 | T_I32 | T_F32 | T_B64 | T_I64 | T_F64, WORDS (MAY (ORDER, WEAK), TO_CLUSTER, BARRIER, MAY (VECTOR, V2), MAY (VECTOR, V4)), 0, run_st_async, check_vector)
  REMOTE (T_B32, BITWISE)
  REMOTE (T_U32, COUNTS)
  REMOTE (T_I32, LIMITS)
  REMOTE (T_I32 | T_U64, W_OPERATION_ADD)
  CHECKED (tensormap_replace, T_B64, WORDS (W_FIELD_ADDRESS, REPLACEABLE), 0, run_replace, check_field)
  CHECKED (tensormap_replace, T_B64, WORDS (W_FIELD_STRIDE, REPLACEABLE), 0, run_replace, check_indexed_field)
  CHECKED (tensormap_replace, T_B32, WORDS (W_FIELD_BOX, W_FIELD_DIM, W_FIELD_STEP, REPLACEABLE), 0, run_replace, check_indexed_field)
  CHECKED (tensormap_replace, T_B32, WORDS (W_FIELD_RANK, W_FIELD_TYPE, W_FIELD_INTERLEAVE, W_FIELD_SWIZZLE, W_FIELD_FILL, REPLACEABLE), 0, run_replace, check_field)
  CHECKED (tensormap_copy, 0, WORDS (W_SPACE_GLOBAL, W_FROM_SHARED, W_TENSORMAP_GENERIC, W_ORDER_RELEASE, SCOPE, W_SYNC_SYNC, W_ALIGNED_ALIGNED), 0, run_copy_map, check_map)
  FORM (bulk_commit, 0, 0, run_commit)
  CHECKED (bulk_wait, 0, 0, 0, run_wait, check_groups)
  CHECKED (bulk_wait_read, 0, 0, 0, run_wait, check_groups)
};
/* clang-format on */

FORMS_OF (bulk)
