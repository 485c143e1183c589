/* SPDX-License-Identifier: MIT
 * Moves, packing and unpacking, addresses in other spaces; PTX ISA 9.0, section 9.7.9. */
#include "ptx/exec/cured-ptx-exec-private.h"

#include <stddef.h>

#define BYTES(inst) (_cured_ptx_types[(inst)->types[0]].bytes)

/* ---- mov of one value ---- */

static void
mov_pred (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  cured_set_predicate (warp, &inst->x[0], mask, cured_get_predicate (warp, &inst->x[1]));
}

UNARY (mov_16, uint16_t, uint16_t, a)
UNARY (mov_32, uint32_t, uint32_t, a)
UNARY (mov_64, uint64_t, uint64_t, a)
/* Truncation of special registers and addresses of 64 bits, and of 32-bit special registers that
 * used to have 16. */
UNARY (mov_16_of_32, uint16_t, uint32_t, a)
UNARY (mov_16_of_64, uint16_t, uint64_t, a)
UNARY (mov_32_of_64, uint32_t, uint64_t, a)
/* Addresses of variables with an offset. */
UNARY (mov_address_32, uint32_t, uint32_t, a + (uint32_t) inst->displacement)
UNARY (mov_address_64, uint64_t, uint64_t, a + (uint64_t) inst->displacement)
UNARY (mov_address_32_of_64, uint32_t, uint64_t, a + (uint64_t) inst->displacement)

#define CLOCK(name)                                                                                \
  static void clock_##name (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)              \
  {                                                                                                \
    _cured_warp_update_clocks (warp);                                                              \
    name (warp, inst, mask);                                                                       \
  }

CLOCK (mov_32)
CLOCK (mov_64)
CLOCK (mov_32_of_64)

/* ---- Packing ---- */

static void
pack_2x32 (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  uint64_t *d = LANES (uint64_t, inst->x[0]);
  const uint32_t *low = LANES (uint32_t, inst->x[1]);
  const uint32_t *high = LANES (uint32_t, inst->x[2]);

  FOR_LANES (mask, d[l] = (uint64_t) high[l] << 32 | low[l]);
}

static void
pack_any (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  unsigned n = inst->counts[1];
  unsigned bits = 8u * BYTES (inst) / n;
  uint64_t part = (UINT64_C (1) << bits) - 1;

  for (uint32_t left = mask; left != 0; left &= left - 1)
    {
      unsigned l = (unsigned) __builtin_ctz (left);
      uint64_t value = 0;

      for (unsigned k = 0; k < n; k++)
        value |= (cured_get_lane (warp, &inst->x[1 + k], l) & part) << (k * bits);
      cured_set_lane (warp, &inst->x[0], l, value);
    }
}

static void
unpack_2x32 (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  uint32_t *low = LANES (uint32_t, inst->x[0]);
  uint32_t *high = LANES (uint32_t, inst->x[1]);
  const uint64_t *a = LANES (uint64_t, inst->x[2]);

  FOR_LANES (mask, uint64_t both = a[l]; low[l] = (uint32_t) both;
             high[l] = (uint32_t) (both >> 32));
}

static void
unpack_any (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  unsigned n = inst->counts[0];
  unsigned bits = 8u * BYTES (inst) / n;
  uint64_t part = (UINT64_C (1) << bits) - 1;

  for (uint32_t left = mask; left != 0; left &= left - 1)
    {
      unsigned l = (unsigned) __builtin_ctz (left);
      uint64_t value = cured_get_lane (warp, &inst->x[n], l);

      for (unsigned k = 0; k < n; k++)
        cured_set_lane (warp, &inst->x[k], l, value >> (k * bits) & part);
    }
}

/* {a, b} to {b, a}: all sources are read before anything is written. */
static void
mov_vector (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  unsigned n = inst->counts[0];

  for (uint32_t left = mask; left != 0; left &= left - 1)
    {
      unsigned l = (unsigned) __builtin_ctz (left);
      uint64_t values[4];

      for (unsigned k = 0; k < n; k++)
        values[k] = cured_get_lane (warp, &inst->x[n + k], l);
      for (unsigned k = 0; k < n; k++)
        cured_set_lane (warp, &inst->x[k], l, values[k]);
    }
}

/* Whether @n operands from @x on, some of which may be absent, are parts of a type of @bytes. A
 * one-byte part is in a register of two bytes. */
static gboolean
are_parts (const CuredPtxOperand *x, unsigned n, unsigned bytes, gboolean sink)
{
  unsigned part = bytes / n;

  if ((n != 2 && n != 4) || part == 0)
    return FALSE;
  for (unsigned k = 0; k < n; k++)
    if (x[k].width != MAX (part, 2) && !(sink && x[k].width == 0))
      return FALSE;
  return TRUE;
}

static CuredPtxHandler
select_mov (const CuredPtxInst *inst, const char **problem)
{
  unsigned n_to = inst->counts[0];
  unsigned n_from = inst->counts[1];
  const CuredPtxOperand *a = &inst->x[n_to];
  unsigned bytes = BYTES (inst);
  gboolean is_bits = _cured_ptx_types[inst->types[0]].kind == CURED_PTX_KIND_B;

  if (inst->types[0] == CURED_PTX_PRED)
    {
      REFUSE_IF (n_to != 1 || n_from != 1 || inst->x[0].width != 1 || a->width != 1,
                 "moves one predicate");
      return mov_pred;
    }
  if (n_to > 1 || n_from > 1)
    {
      REFUSE_IF (!is_bits, "packs and unpacks .b16, .b32 and .b64");
      REFUSE_IF (n_to > 1 && n_from > 1, "takes braces on one side only");
      if (n_to > 1)
        {
          REFUSE_IF (a->width != bytes, "wants a source of its type");
          REFUSE_IF (!are_parts (inst->x, n_to, bytes, TRUE),
                     "wants two or four parts that make up its type");
          if (bytes == 8 && n_to == 2 && inst->x[0].width == 4 && inst->x[1].width == 4)
            return unpack_2x32;
          return unpack_any;
        }
      REFUSE_IF (inst->x[0].width != bytes, "wants a destination of its type");
      REFUSE_IF (!are_parts (a, n_from, bytes, FALSE),
                 "wants two or four parts that make up its type");
      return bytes == 8 && n_from == 2 ? pack_2x32 : pack_any;
    }
  REFUSE_IF (inst->x[0].width != bytes, "wants a destination of its type");
  REFUSE_IF (a->width < bytes, "wants a source of its type");
  if (inst->displacement != 0)
    {
      REFUSE_IF (bytes < 4, "takes addresses of 32 or 64 bits");
      return bytes == 8 ? mov_address_64 : a->width == 8 ? mov_address_32_of_64 : mov_address_32;
    }
  if (a->base == CURED_BASE_SPECIALS && a->offset >= offsetof (CuredSpecials, clock))
    {
      REFUSE_IF (bytes < 4, "takes clocks of 32 or 64 bits");
      return bytes == 8 ? clock_mov_64 : a->width == 8 ? clock_mov_32_of_64 : clock_mov_32;
    }
  switch (bytes)
    {
    case 2: return a->width == 8 ? mov_16_of_64 : a->width == 4 ? mov_16_of_32 : mov_16;
    case 4: return a->width == 8 ? mov_32_of_64 : mov_32;
    default: return mov_64;
    }
}

/* ---- Generic addresses ---- */

UNARY (cvta_shared, uint64_t, uint64_t, a + (uint64_t) inst->displacement + CURED_SHARED_WINDOW)
UNARY (cvta_local, uint64_t, uint64_t, a + (uint64_t) inst->displacement + CURED_LOCAL_WINDOW)
UNARY (cvta_param, uint64_t, uint64_t, a + (uint64_t) inst->displacement + CURED_PARAM_WINDOW)
UNARY (cvta_to_shared, uint64_t, uint64_t, a - CURED_SHARED_WINDOW)
UNARY (cvta_to_local, uint64_t, uint64_t, a - CURED_LOCAL_WINDOW)
UNARY (cvta_to_param, uint64_t, uint64_t, a - CURED_PARAM_WINDOW)

/* An address in the shared memory of the block of rank @b: the rank plus one precedes the offset
 * (PTX ISA 9.0, mapa). */
static inline uint64_t
map_address (uint64_t a, uint64_t window, uint32_t b)
{
  uint64_t offset = (a - window) & (CURED_WINDOW_BYTES - 1);

  return window + (((uint64_t) MIN (b, CURED_MAX_CLUSTER) + 1) << CURED_WINDOW_BITS | offset);
}

#define MAPA(id, T, window)                                                                        \
  static void id (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)                        \
  {                                                                                                \
    T *to = LANES (T, inst->x[0]);                                                                 \
    const T *a = LANES (T, inst->x[1]);                                                            \
    const uint32_t *b = LANES (uint32_t, inst->x[2]);                                              \
                                                                                                   \
    for (uint32_t left = mask; left != 0; left &= left - 1)                                        \
      {                                                                                            \
        unsigned l = (unsigned) __builtin_ctz (left);                                              \
                                                                                                   \
        to[l] = (T) map_address ((uint64_t) a[l] + (uint64_t) inst->displacement, window, b[l]);   \
      }                                                                                            \
  }
MAPA (mapa_shared_32, uint32_t, 0)
MAPA (mapa_shared_64, uint64_t, 0)
MAPA (mapa_generic, uint64_t, CURED_SHARED_WINDOW)

static void
run_getctarank (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  uint32_t *to = LANES (uint32_t, inst->x[0]);
  uint64_t window = cured_has_word (inst, CURED_PTX_GROUP_SPACE) ? 0 : CURED_SHARED_WINDOW;

  for (uint32_t left = mask; left != 0; left &= left - 1)
    {
      unsigned l = (unsigned) __builtin_ctz (left);
      uint64_t rank =
          (cured_get_lane (warp, &inst->x[1], l) + (uint64_t) inst->displacement - window) >>
          CURED_WINDOW_BITS;

      to[l] = rank == 0 ? warp->block->rank : (uint32_t) rank - 1;
    }
}

/* Constant variables are in global memory, and recognized by their addresses. */
static gboolean
is_constant (const CuredWarp *warp, uint64_t address)
{
  const CuredPtxModule *module = warp->block->grid->module;

  for (guint i = 0; i < module->n_variables; i++)
    if (module->variables[i].space == CURED_SPACE_CONST &&
        address - module->variables[i].address < module->variables[i].size)
      return TRUE;
  return FALSE;
}

/* Parameters of the kernel count as global as well. */
static gboolean
is_in_space (const CuredWarp *warp, const CuredPtxInst *inst, uint64_t address)
{
  uint64_t own = CURED_SHARED_WINDOW + ((uint64_t) warp->block->rank + 1) * CURED_WINDOW_BYTES;

  switch (WORD_OF (inst, SPACE))
    {
    case CURED_PTX_SPACE_SHARED:
      return cured_has_word (inst, CURED_PTX_GROUP_WINDOW)
                 ? cured_is_in_cluster_window (address)
                 : cured_is_in_window (address, CURED_SHARED_WINDOW) ||
                       cured_is_in_window (address, own);
    case CURED_PTX_SPACE_LOCAL: return cured_is_in_window (address, CURED_LOCAL_WINDOW);
    case CURED_PTX_SPACE_PARAM: return cured_is_in_window (address, CURED_PARAM_WINDOW);
    case CURED_PTX_SPACE_CONST: return is_constant (warp, address);
    default:
      return !cured_is_in_cluster_window (address) &&
             !cured_is_in_window (address, CURED_LOCAL_WINDOW) && !is_constant (warp, address);
    }
}

static void
isspacep_64 (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  const uint64_t *a = LANES (uint64_t, inst->x[1]);
  uint32_t bits = 0;

  for (uint32_t left = mask; left != 0; left &= left - 1)
    {
      unsigned l = (unsigned) __builtin_ctz (left);
      uint64_t address = a[l] + (uint64_t) inst->displacement;

      if (is_in_space (warp, inst, address))
        bits |= 1u << l;
    }
  cured_set_predicate (warp, &inst->x[0], mask, bits);
}

/* ---- Forms ---- */

/* clang-format off */
static const CuredPtxForm forms[] = {
  CHOICE (mov, T_PRED | T_INT | T_BITS | T_F32 | T_F64, 0, 0, select_mov)
  FORM (mov, T_INT | T_BITS | T_F32 | T_F64, WORDS (W_VECTOR_V2, W_VECTOR_V4), mov_vector)
  FORM (cvta, T_U64, WORDS (W_SPACE_GLOBAL, W_SPACE_CONST), mov_address_64)
  FORM (cvta, T_U64, W_SPACE_SHARED, cvta_shared)
  FORM (cvta, T_U64, W_SPACE_LOCAL, cvta_local)
  FORM (cvta, T_U64, W_SPACE_PARAM, cvta_param)
  FORM (cvta_to, T_U64, WORDS (W_SPACE_GLOBAL, W_SPACE_CONST), mov_64)
  FORM (cvta_to, T_U64, W_SPACE_SHARED, cvta_to_shared)
  FORM (cvta_to, T_U64, W_SPACE_LOCAL, cvta_to_local)
  FORM (cvta_to, T_U64, W_SPACE_PARAM, cvta_to_param)
  FORM (mapa, T_U64, 0, mapa_generic)
  FORM (mapa, T_U32, WORDS (W_SPACE_SHARED, W_WINDOW_CLUSTER), mapa_shared_32)
  FORM (mapa, T_U64, WORDS (W_SPACE_SHARED, W_WINDOW_CLUSTER), mapa_shared_64)
  FORM (getctarank, T_U64, 0, run_getctarank)
  FORM (getctarank, T_U32 | T_U64, WORDS (W_SPACE_SHARED, W_WINDOW_CLUSTER), run_getctarank)
  FORM (isspacep, 0, WORDS (W_SPACE_GLOBAL, W_SPACE_SHARED, W_SPACE_LOCAL, W_SPACE_PARAM, W_SPACE_CONST), isspacep_64)
};
/* clang-format on */

FORMS_OF (move)
