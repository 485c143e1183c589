/* SPDX-License-Identifier: MIT
 * What lanes of a warp tell each other: shuffles, votes, matches, reductions. */
#include "config.h"

#include <string.h>

#include "ptx/cured-ptx-exec-private.h"

/* Whether the lanes of @mask can go ahead. Each lane names the lanes that take
 * part (@members); lanes of one instruction may name different ones, such as
 * their half of the warp, and then each set is for itself.
 *
 * @inst:
 * @members: of each lane */
static bool
gather (CuredWarp *warp,
        const CuredPtxInst *inst,
        uint32_t mask,
        const uint32_t *members)
{
  uint32_t all = 0;
  uint32_t strangers = 0;

  for (uint32_t left = mask; left != 0; left &= left - 1)
    {
      unsigned l = (unsigned) __builtin_ctz (left);

      all |= members[l];
      if ((members[l] >> l & 1) == 0)
        strangers |= 1u << l;
    }
  if (!_cured_warp_converge (warp, mask, all))
    return false;
  if (strangers != 0)
    {
      CuredWitness here = _cured_warp_witness (warp, inst, strangers, "read");
      unsigned l = (unsigned) __builtin_ctz (strangers);

      _cured_grid_report (warp->block->grid,
                          CURED_FINDING_INACTIVE_LANE,
                          &here,
                          NULL,
                          CURED_SPACE_GENERIC,
                          0,
                          "lane %u is not in the mask that it names: 0x%08x",
                          l,
                          members[l]);
    }
  return true;
}

/* The first lanes of @left that name the same members. */
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

/* ---- Shuffles ---- */

/* PTX ISA 9.0, shfl.sync: c holds the limit of a segment and, from bit 8 on,
 * the bits that segments keep. */
static inline int
get_source (
    CuredPtxWord mode, int lane, uint32_t b, uint32_t c, bool *is_inside)
{
  int limit = (int) (c & 31);
  int keep = (int) (c >> 8 & 31);
  int most = (lane & keep) | (limit & ~keep & 31);
  int least = lane & keep;
  int distance = (int) (b & 31);
  int source = 0;

  switch ((int) mode)
    {
    case CURED_PTX_MODE_UP:
      source = lane - distance;
      *is_inside = source >= most;
      break;
    case CURED_PTX_MODE_DOWN:
      source = lane + distance;
      *is_inside = source <= most;
      break;
    case CURED_PTX_MODE_BFLY:
      source = lane ^ distance;
      *is_inside = source <= most;
      break;
    default:
      source = least | (distance & ~keep & 31);
      *is_inside = source <= most;
      break;
    }
  return *is_inside ? source : lane;
}

static void
shuffle (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  CuredPtxWord mode = (CuredPtxWord) inst->words[CURED_PTX_GROUP_MODE];
  const uint32_t *a = LANES (const uint32_t, inst->x[2]);
  const uint32_t *b = LANES (const uint32_t, inst->x[3]);
  const uint32_t *c = LANES (const uint32_t, inst->x[4]);
  const uint32_t *members = LANES (const uint32_t, inst->x[5]);
  uint32_t values[CURED_WARP_LANES];
  uint32_t inside = 0;
  uint32_t missing = 0;
  unsigned missing_source = 0;

  if (!gather (warp, inst, mask, members))
    return;
  memcpy (values, a, sizeof values);
  for (uint32_t left = mask; left != 0; left &= left - 1)
    {
      int l = __builtin_ctz (left);
      bool is_inside = false;
      int source = get_source (mode, l, b[l], c[l], &is_inside);

      inside |= (uint32_t) is_inside << l;
      /* The value of a lane that does not take part is undefined. Here it is
       * what an H200 gives: 0 of one that is elsewhere, its value of one that
       * is here and was not named. */
      values[l] = (mask >> source & 1) != 0 ? a[source] : 0;
      if ((mask & members[l] & 1u << source) == 0 && source != l)
        {
          if (missing == 0)
            missing_source = (unsigned) source;
          missing |= 1u << l;
        }
    }
  if (inst->x[0].width != 0)
    {
      uint32_t *d = LANES (uint32_t, inst->x[0]);

      FOR_LANES (mask, d[l] = values[l]);
    }
  if (inst->x[1].width != 0)
    cured_set_predicate (warp, &inst->x[1], mask, inside);
  if (missing != 0)
    {
      CuredWitness here = _cured_warp_witness (warp, inst, missing, "read");

      _cured_grid_report (warp->block->grid,
                          CURED_FINDING_INACTIVE_LANE,
                          &here,
                          NULL,
                          CURED_SPACE_GENERIC,
                          0,
                          "lane %u reads the value of lane %u, which does not "
                          "take part",
                          (unsigned) __builtin_ctz (missing),
                          missing_source);
    }
}

CuredPtxHandler
SELECT (shfl) (const CuredPtxInst *inst, const char **problem)
{
  switch (inst->words[CURED_PTX_GROUP_MODE])
    {
    case CURED_PTX_MODE_UP:
    case CURED_PTX_MODE_DOWN:
    case CURED_PTX_MODE_BFLY:
    case CURED_PTX_MODE_IDX:
      return shuffle;
    default:
      *problem = "takes .up, .down, .bfly or .idx";
      return NULL;
    }
}

/* ---- Votes ---- */

static void
vote (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  CuredPtxWord mode = (CuredPtxWord) inst->words[CURED_PTX_GROUP_MODE];
  const uint32_t *members = LANES (const uint32_t, inst->x[2]);
  uint32_t left = mask;
  uint32_t votes = 0;
  uint32_t result = 0;

  if (!gather (warp, inst, mask, members))
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

CuredPtxHandler
SELECT (vote) (const CuredPtxInst *inst, const char **problem)
{
  bool is_predicate = inst->types[0] == CURED_PTX_PRED;

  switch (inst->words[CURED_PTX_GROUP_MODE])
    {
    case CURED_PTX_MODE_ALL:
    case CURED_PTX_MODE_ANY:
    case CURED_PTX_MODE_UNI:
      if (is_predicate)
        return vote;
      *problem = "takes .pred";
      return NULL;
    case CURED_PTX_MODE_BALLOT:
      if (!is_predicate)
        return vote;
      *problem = "takes .b32";
      return NULL;
    default:
      *problem = "takes .all, .any, .uni or .ballot";
      return NULL;
    }
}

/* ---- Matches ---- */

static inline uint64_t
get_value (const CuredWarp *warp, const CuredPtxOperand *x, unsigned lane)
{
  if (x->width == 8)
    return LANES (const uint64_t, *x)[lane];
  return LANES (const uint32_t, *x)[lane];
}

static void
match_any (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  const uint32_t *members = LANES (const uint32_t, inst->x[2]);
  uint32_t same[CURED_WARP_LANES] = { 0 };

  if (!gather (warp, inst, mask, members))
    return;
  for (uint32_t left = mask; left != 0; left &= left - 1)
    {
      unsigned l = (unsigned) __builtin_ctz (left);
      uint64_t value = get_value (warp, &inst->x[1], l);

      for (uint32_t rest = mask & members[l]; rest != 0; rest &= rest - 1)
        {
          unsigned k = (unsigned) __builtin_ctz (rest);

          if (get_value (warp, &inst->x[1], k) == value)
            same[l] |= 1u << k;
        }
    }
  if (inst->x[0].width != 0)
    {
      uint32_t *d = LANES (uint32_t, inst->x[0]);

      FOR_LANES (mask, d[l] = same[l]);
    }
}

CuredPtxHandler
SELECT (match) (const CuredPtxInst *inst, const char **problem)
{
  return match_any;
}

static void
match_all (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  const uint32_t *members = LANES (const uint32_t, inst->x[3]);
  uint32_t left = mask;
  uint32_t equal = 0;
  uint32_t sets[CURED_WARP_LANES] = { 0 };

  if (!gather (warp, inst, mask, members))
    return;
  while (left != 0)
    {
      uint32_t set = take_set (&left, members);
      uint32_t voters = set & members[__builtin_ctz (set)];
      bool is_equal = true;

      for (uint32_t rest = voters; rest != 0; rest &= rest - 1)
        is_equal &=
            get_value (warp, &inst->x[2], (unsigned) __builtin_ctz (rest)) ==
            get_value (warp, &inst->x[2], (unsigned) __builtin_ctz (voters));
      if (!is_equal)
        continue;
      equal |= set;
      for (uint32_t rest = set; rest != 0; rest &= rest - 1)
        sets[__builtin_ctz (rest)] = voters;
    }
  if (inst->x[0].width != 0)
    {
      uint32_t *d = LANES (uint32_t, inst->x[0]);

      FOR_LANES (mask, d[l] = sets[l]);
    }
  if (inst->x[1].width != 0)
    cured_set_predicate (warp, &inst->x[1], mask, equal);
}

CuredPtxHandler
SELECT (match_all) (const CuredPtxInst *inst, const char **problem)
{
  return match_all;
}

/* ---- Reductions ---- */

static uint32_t
reduce (CuredPtxWord operation, bool is_signed, uint32_t a, uint32_t b)
{
  switch ((int) operation)
    {
    case CURED_PTX_OPERATION_ADD:
      return a + b;
    case CURED_PTX_OPERATION_MIN:
      return is_signed ? (uint32_t) MIN ((int32_t) a, (int32_t) b) : MIN (a, b);
    case CURED_PTX_OPERATION_MAX:
      return is_signed ? (uint32_t) MAX ((int32_t) a, (int32_t) b) : MAX (a, b);
    case CURED_PTX_OPERATION_AND:
      return a & b;
    case CURED_PTX_OPERATION_OR:
      return a | b;
    default:
      return a ^ b;
    }
}

static void
reduce_warp (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  CuredPtxWord operation =
      (CuredPtxWord) inst->words[CURED_PTX_GROUP_OPERATION];
  bool is_signed = inst->types[0] == CURED_PTX_S32;
  const uint32_t *a = LANES (const uint32_t, inst->x[1]);
  const uint32_t *members = LANES (const uint32_t, inst->x[2]);
  uint32_t results[CURED_WARP_LANES] = { 0 };
  uint32_t left = mask;

  if (!gather (warp, inst, mask, members))
    return;
  while (left != 0)
    {
      uint32_t set = take_set (&left, members);
      uint32_t from = set & members[__builtin_ctz (set)];
      uint32_t result = 0;

      if (from != 0)
        {
          result = a[__builtin_ctz (from)];
          for (from &= from - 1; from != 0; from &= from - 1)
            result =
                reduce (operation, is_signed, result, a[__builtin_ctz (from)]);
        }
      for (uint32_t rest = set; rest != 0; rest &= rest - 1)
        results[__builtin_ctz (rest)] = result;
    }
  if (inst->x[0].width != 0)
    {
      uint32_t *d = LANES (uint32_t, inst->x[0]);

      FOR_LANES (mask, d[l] = results[l]);
    }
}

CuredPtxHandler
SELECT (redux) (const CuredPtxInst *inst, const char **problem)
{
  bool is_bits = inst->types[0] == CURED_PTX_B32;

  switch (inst->words[CURED_PTX_GROUP_OPERATION])
    {
    case CURED_PTX_OPERATION_ADD:
    case CURED_PTX_OPERATION_MIN:
    case CURED_PTX_OPERATION_MAX:
      if (!is_bits)
        return reduce_warp;
      *problem = "takes .u32 or .s32 for this operation";
      return NULL;
    case CURED_PTX_OPERATION_AND:
    case CURED_PTX_OPERATION_OR:
    case CURED_PTX_OPERATION_XOR:
      if (is_bits)
        return reduce_warp;
      *problem = "takes .b32 for this operation";
      return NULL;
    default:
      *problem = "takes .add, .min, .max, .and, .or or .xor";
      return NULL;
    }
}

/* ---- Who is here ---- */

static void
get_active (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  uint32_t *d = LANES (uint32_t, inst->x[0]);

  FOR_LANES (mask, d[l] = mask);
}

CuredPtxHandler
SELECT (activemask) (const CuredPtxInst *inst, const char **problem)
{
  return get_active;
}

/* The lowest lane is elected: which one it is, the ISA leaves open. */
static void
elect (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  const uint32_t *members = LANES (const uint32_t, inst->x[2]);
  uint32_t leaders[CURED_WARP_LANES] = { 0 };
  uint32_t elected = 0;
  uint32_t left = mask;

  if (!gather (warp, inst, mask, members))
    return;
  while (left != 0)
    {
      uint32_t set = take_set (&left, members);
      uint32_t candidates = set & members[__builtin_ctz (set)];
      uint32_t leader =
          (uint32_t) __builtin_ctz (candidates != 0 ? candidates : set);

      elected |= 1u << leader;
      for (uint32_t rest = set; rest != 0; rest &= rest - 1)
        leaders[__builtin_ctz (rest)] = leader;
    }
  if (inst->x[0].width != 0)
    {
      uint32_t *d = LANES (uint32_t, inst->x[0]);

      FOR_LANES (mask, d[l] = leaders[l]);
    }
  if (inst->x[1].width != 0)
    cured_set_predicate (warp, &inst->x[1], mask, elected);
}

CuredPtxHandler
SELECT (elect) (const CuredPtxInst *inst, const char **problem)
{
  if (inst->x[1].width == 1)
    return elect;
  *problem = "takes a predicate destination";
  return NULL;
}
