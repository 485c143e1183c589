/* SPDX-License-Identifier: MIT
 * Exchanges between lanes of a warp: shuffles, votes, matches, reductions. */
#include <glib/gi18n-lib.h>

#include "ptx/exec/cured-half-private.h"
#include "ptx/exec/cured-ptx-exec-private.h"

/* Removes from @left the first lanes that name the same members. */
static uint32_t
take_set (uint32_t *left, const uint32_t *members)
{
  uint32_t wanted = members[__builtin_ctz (*left)];
  uint32_t set = 0;

  for (uint32_t rest = *left; rest != 0; rest &= rest - 1)
    if (members[__builtin_ctz (rest)] == wanted)
      set |= 1u << __builtin_ctz (rest);
  *left &= ~set;
  return set;
}

/* Sets the destination, if present. */
static inline void
give (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask, const uint32_t *values)
{
  uint32_t *d = LANES (uint32_t, inst->x[0]);

  if (inst->x[0].width != 0)
    FOR_LANES (mask, d[l] = values[l]);
}

/* ---- Shuffles ---- */

/* PTX ISA 9.0, shfl.sync: c has the limit of a segment and, from bit 8 on, the bits that are
 * constant in a segment. Sets each lane's source, or the lane itself if its source is outside its
 * segment, and whether it is inside. */
static inline __attribute__ ((always_inline)) void
find_sources (CuredPtxWord mode, const uint32_t *b, const uint32_t *c, uint32_t *source,
              uint32_t *is_inside)
{
  for (int l = 0; l < CURED_WARP_LANES; l++)
    {
      int limit = (int) (c[l] & 31);
      int keep = (int) (c[l] >> 8 & 31);
      int distance = (int) (b[l] & 31);
      int most = (l & keep) | (limit & ~keep);
      int from = mode == CURED_PTX_MODE_UP     ? l - distance
                 : mode == CURED_PTX_MODE_DOWN ? l + distance
                 : mode == CURED_PTX_MODE_BFLY ? l ^ distance
                                               : (l & keep) | (distance & ~keep);
      bool is_in = mode == CURED_PTX_MODE_UP ? from >= most : from <= most;

      source[l] = (uint32_t) (is_in ? from : l);
      is_inside[l] = is_in;
    }
}

static void
report_missing (CuredWarp *warp, const CuredPtxInst *inst, uint32_t missing, const uint32_t *source)
{
  CuredWitness here = _cured_warp_witness (warp, inst, missing, NC_ ("in a finding", "read"));
  unsigned l = (unsigned) __builtin_ctz (missing);

  _cured_grid_report (
      warp->block->grid, CURED_FINDING_INACTIVE_LANE, &here, NULL, CURED_SPACE_GENERIC, 0,
      _ ("lane %u reads the value of lane %u, which does not take part"), l, source[l]);
}

static inline __attribute__ ((always_inline)) void
shuffle (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask, CuredPtxWord mode)
{
  const uint32_t *a = LANES (const uint32_t, inst->x[2]);
  const uint32_t *members = LANES (const uint32_t, inst->x[5]);
  uint32_t source[CURED_WARP_LANES], is_inside[CURED_WARP_LANES], values[CURED_WARP_LANES];
  uint32_t strange = 0;

  if (!cured_gather_named (warp, inst, mask, members))
    return;
  find_sources (mode, LANES (const uint32_t, inst->x[3]), LANES (const uint32_t, inst->x[4]),
                source, is_inside);
  for (uint32_t l = 0; l < CURED_WARP_LANES; l++)
    {
      values[l] = a[source[l]];
      strange |= (~(mask & members[l]) >> source[l] & 1) & (source[l] != l) & (mask >> l & 1);
    }
  if (G_UNLIKELY (strange != 0))
    {
      uint32_t missing = 0;

      /* The value of an inactive lane is undefined. Here it is an H200's: 0 for a lane at another
       * instruction, its value for one that is here but not in the mask. */
      for (uint32_t left = mask; left != 0; left &= left - 1)
        {
          unsigned l = (unsigned) __builtin_ctz (left);

          if (source[l] != l && (mask & members[l] & 1u << source[l]) == 0)
            missing |= 1u << l;
          if ((mask >> source[l] & 1) == 0)
            values[l] = 0;
        }
      report_missing (warp, inst, missing, source);
    }
  give (warp, inst, mask, values);
  if (inst->x[1].width != 0)
    {
      uint32_t inside = 0;

      for (unsigned l = 0; l < CURED_WARP_LANES; l++)
        inside |= is_inside[l] << l;
      cured_set_predicate (warp, &inst->x[1], mask, inside);
    }
}

#define SHUFFLE(name, mode)                                                                        \
  static void name (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)                      \
  {                                                                                                \
    shuffle (warp, inst, mask, mode);                                                              \
  }

SHUFFLE (shuffle_up, CURED_PTX_MODE_UP)
SHUFFLE (shuffle_down, CURED_PTX_MODE_DOWN)
SHUFFLE (shuffle_bfly, CURED_PTX_MODE_BFLY)
SHUFFLE (shuffle_idx, CURED_PTX_MODE_IDX)

/* ---- Votes ---- */

static void
vote (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  CuredPtxWord mode = (CuredPtxWord) inst->words[CURED_PTX_GROUP_MODE];
  const uint32_t *members = LANES (const uint32_t, inst->x[2]);
  uint32_t left = mask;
  uint32_t votes = 0, result = 0;

  if (!cured_gather_named (warp, inst, mask, members))
    return;
  votes = cured_get_predicate (warp, &inst->x[1]);
  while (left != 0)
    {
      uint32_t set = take_set (&left, members);
      uint32_t voters = set & members[__builtin_ctz (set)];
      uint32_t yes = votes & voters;

      if (mode == CURED_PTX_MODE_BALLOT)
        {
          if (inst->x[0].width != 0)
            for (uint32_t rest = set; rest != 0; rest &= rest - 1)
              LANES (uint32_t, inst->x[0])[__builtin_ctz (rest)] = yes;
        }
      else if (mode == CURED_PTX_MODE_ALL)
        result |= yes == voters ? set : 0;
      else if (mode == CURED_PTX_MODE_ANY)
        result |= yes != 0 ? set : 0;
      else
        result |= yes == voters || yes == 0 ? set : 0;
    }
  if (mode != CURED_PTX_MODE_BALLOT && inst->x[0].width != 0)
    cured_set_predicate (warp, &inst->x[0], mask, result);
}

/* ---- Matches ---- */

static void
match_any (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  const uint32_t *members = LANES (const uint32_t, inst->x[2]);
  uint32_t same[CURED_WARP_LANES] = { 0 };

  if (!cured_gather_named (warp, inst, mask, members))
    return;
  for (uint32_t left = mask; left != 0; left &= left - 1)
    {
      unsigned l = (unsigned) __builtin_ctz (left);
      uint64_t value = cured_get_lane (warp, &inst->x[1], l);

      for (uint32_t rest = mask & members[l]; rest != 0; rest &= rest - 1)
        {
          unsigned k = (unsigned) __builtin_ctz (rest);

          if (cured_get_lane (warp, &inst->x[1], k) == value)
            same[l] |= 1u << k;
        }
    }
  give (warp, inst, mask, same);
}

static void
match_all (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  const uint32_t *members = LANES (const uint32_t, inst->x[3]);
  uint32_t left = mask;
  uint32_t equal = 0, sets[CURED_WARP_LANES] = { 0 };

  if (!cured_gather_named (warp, inst, mask, members))
    return;
  while (left != 0)
    {
      uint32_t set = take_set (&left, members);
      uint32_t voters = set & members[__builtin_ctz (set)];
      bool is_equal = true;

      for (uint32_t rest = voters; rest != 0; rest &= rest - 1)
        is_equal &= cured_get_lane (warp, &inst->x[2], (unsigned) __builtin_ctz (rest)) ==
                    cured_get_lane (warp, &inst->x[2], (unsigned) __builtin_ctz (voters));
      if (!is_equal)
        continue;
      equal |= set;
      for (uint32_t rest = set; rest != 0; rest &= rest - 1)
        sets[__builtin_ctz (rest)] = voters;
    }
  give (warp, inst, mask, sets);
  if (inst->x[1].width != 0)
    cured_set_predicate (warp, &inst->x[1], mask, equal);
}

/* ---- Reductions ---- */

static uint32_t
reduce (CuredPtxWord operation, bool is_signed, uint32_t a, uint32_t b)
{
  switch ((int) operation)
    {
    case CURED_PTX_OPERATION_ADD: return a + b;
    case CURED_PTX_OPERATION_MIN:
      return is_signed ? (uint32_t) MIN ((int32_t) a, (int32_t) b) : MIN (a, b);
    case CURED_PTX_OPERATION_MAX:
      return is_signed ? (uint32_t) MAX ((int32_t) a, (int32_t) b) : MAX (a, b);
    case CURED_PTX_OPERATION_AND: return a & b;
    case CURED_PTX_OPERATION_OR: return a | b;
    default: return a ^ b;
    }
}

/* NaNs are ignored unless .NaN is given. */
static uint32_t
reduce_float (const CuredPtxInst *inst, uint32_t bits_a, uint32_t bits_b)
{
  bool is_max = inst->words[CURED_PTX_GROUP_OPERATION] == CURED_PTX_OPERATION_MAX;
  float a = cured_f32_of_bits (bits_a);
  float b = cured_f32_of_bits (bits_b);

  if (a != a || b != b)
    return cured_has_word (inst, CURED_PTX_GROUP_NAN) || (a != a && b != b) ? CURED_NAN_F32
           : a != a                                                         ? bits_b
                                                                            : bits_a;
  /* -0 is less than +0. */
  if (a == b)
    return (bits_a >> 31) == (uint32_t) is_max ? bits_b : bits_a;
  return (a > b) == is_max ? bits_a : bits_b;
}

static void
reduce_warp (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  CuredPtxWord operation = (CuredPtxWord) inst->words[CURED_PTX_GROUP_OPERATION];
  bool is_signed = inst->types[0] == CURED_PTX_S32;
  bool is_float = inst->types[0] == CURED_PTX_F32;
  uint32_t digits = cured_has_word (inst, CURED_PTX_GROUP_ABS) ? 0x7fffffff : UINT32_MAX;
  const uint32_t *a = LANES (const uint32_t, inst->x[1]);
  const uint32_t *members = LANES (const uint32_t, inst->x[2]);
  uint32_t results[CURED_WARP_LANES] = { 0 };
  uint32_t left = mask;

  if (!cured_gather_named (warp, inst, mask, members))
    return;
  while (left != 0)
    {
      uint32_t set = take_set (&left, members);
      uint32_t from = set & members[__builtin_ctz (set)];
      uint32_t result = 0;

      if (from != 0)
        {
          result = a[__builtin_ctz (from)] & digits;
          if (is_float)
            result = reduce_float (inst, result, result);
          for (from &= from - 1; from != 0; from &= from - 1)
            {
              uint32_t next = a[__builtin_ctz (from)] & digits;

              result = is_float ? reduce_float (inst, result, next)
                                : reduce (operation, is_signed, result, next);
            }
        }
      for (uint32_t rest = set; rest != 0; rest &= rest - 1)
        results[__builtin_ctz (rest)] = result;
    }
  give (warp, inst, mask, results);
}

/* ---- Active lanes ---- */

static void
get_active (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  uint32_t *d = LANES (uint32_t, inst->x[0]);

  FOR_LANES (mask, d[l] = mask);
}

/* Elects the lowest lane; the ISA does not define which one. */
static void
elect (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  const uint32_t *members = LANES (const uint32_t, inst->x[2]);
  uint32_t leaders[CURED_WARP_LANES] = { 0 }, elected = 0;
  uint32_t left = mask;

  if (!cured_gather_named (warp, inst, mask, members))
    return;
  while (left != 0)
    {
      uint32_t set = take_set (&left, members);
      uint32_t candidates = set & members[__builtin_ctz (set)];
      uint32_t leader = (uint32_t) __builtin_ctz (candidates != 0 ? candidates : set);

      elected |= 1u << leader;
      for (uint32_t rest = set; rest != 0; rest &= rest - 1)
        leaders[__builtin_ctz (rest)] = leader;
    }
  give (warp, inst, mask, leaders);
  if (inst->x[1].width != 0)
    cured_set_predicate (warp, &inst->x[1], mask, elected);
}

static const char *
check_elect (const CuredPtxInst *inst)
{
  return inst->x[1].width != 1 ? "takes a predicate destination" : NULL;
}

/* ---- Forms ---- */

/* clang-format off */
static const CuredPtxForm forms[] = {
  FORM (shfl, T_B32, W_MODE_UP, shuffle_up)
  FORM (shfl, T_B32, W_MODE_DOWN, shuffle_down)
  FORM (shfl, T_B32, W_MODE_BFLY, shuffle_bfly)
  FORM (shfl, T_B32, W_MODE_IDX, shuffle_idx)
  FORM (vote, T_PRED, WORDS (W_MODE_ALL, W_MODE_ANY, W_MODE_UNI), vote)
  FORM (vote, T_B32, W_MODE_BALLOT, vote)
  FORM (match, T_B32 | T_B64, 0, match_any)
  FORM (match_all, T_B32 | T_B64, 0, match_all)
  FORM (redux, T_I32, WORDS (W_OPERATION_ADD, W_OPERATION_MIN, W_OPERATION_MAX), reduce_warp)
  FORM (redux, T_B32, WORDS (W_OPERATION_AND, W_OPERATION_OR, W_OPERATION_XOR), reduce_warp)
  FORM (redux_float, T_F32, WORDS (W_OPERATION_MIN, W_OPERATION_MAX, MAY (ABS, ABS), MAY (NAN, NAN)), reduce_warp)
  FORM (activemask, T_B32, 0, get_active)
  CHECKED (elect, 0, 0, 0, elect, check_elect)
};
/* clang-format on */

FORMS_OF (warp)
