/* SPDX-License-Identifier: MIT
 * Logic, shifts and byte permutations; PTX ISA 9.0, section 9.7.8. */
#include "ptx/exec/cured-ptx-exec-private.h"

/* ---- Bit by bit ---- */

#define PREDICATE_2(name, operator)                                                                \
  static void name (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)                      \
  {                                                                                                \
    uint32_t a = cured_get_predicate (warp, &inst->x[1]);                                          \
    uint32_t b = cured_get_predicate (warp, &inst->x[2]);                                          \
                                                                                                   \
    cured_set_predicate (warp, &inst->x[0], mask, a operator b);                                   \
  }

#define LOGIC_2(name, operator)                                                                    \
  PREDICATE_2 (name##_pred, operator)                                                              \
  BINARY (name##_16, uint16_t, uint16_t, a operator b)                                             \
  BINARY (name##_32, uint32_t, uint32_t, a operator b)                                             \
  BINARY (name##_64, uint64_t, uint64_t, a operator b)

LOGIC_2 (and, &)
LOGIC_2 (or, |)
LOGIC_2 (xor, ^)

static void
not_pred (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  uint32_t a = cured_get_predicate (warp, &inst->x[1]);

  cured_set_predicate (warp, &inst->x[0], mask, ~a);
}

UNARY (not_16, uint16_t, uint16_t, ~a)
UNARY (not_32, uint32_t, uint32_t, ~a)
UNARY (not_64, uint64_t, uint64_t, ~a)
UNARY (cnot_16, uint16_t, uint16_t, a == 0)
UNARY (cnot_32, uint32_t, uint32_t, a == 0)
UNARY (cnot_64, uint64_t, uint64_t, a == 0)

/* ---- lop3 ---- */

/* Bit 4a + 2b + c of @table is the result for the three bits. With the table's bits spread over
 * words, it is a tree of seven selections by a, b and c. */
#define CHOOSE(bit, one, zero) (((bit) & (one)) | (~(bit) & (zero)))

static inline uint32_t
look_up (uint32_t a, uint32_t b, uint32_t c, const uint32_t *table)
{
  uint32_t zero = CHOOSE (b, CHOOSE (c, table[3], table[2]), CHOOSE (c, table[1], table[0]));
  uint32_t one = CHOOSE (b, CHOOSE (c, table[7], table[6]), CHOOSE (c, table[5], table[4]));

  return CHOOSE (a, one, zero);
}

static void
lop3_32 (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  uint32_t *d = LANES (uint32_t, inst->x[0]);
  const uint32_t *a = LANES (uint32_t, inst->x[2]);
  const uint32_t *b = LANES (uint32_t, inst->x[3]);
  const uint32_t *c = LANES (uint32_t, inst->x[4]);
  uint32_t table[8];

  for (unsigned i = 0; i < 8; i++)
    table[i] = (inst->immediate >> i & 1) != 0 ? UINT32_MAX : 0;
  FOR_LANES (mask, d[l] = look_up (a[l], b[l], c[l], table));
}

/* The row's optional predicate follows the immediate. */
static const CuredPtxOperand *
lop3_source (const CuredPtxInst *inst)
{
  unsigned at = 0;

  for (unsigned k = 0; k < 6; k++)
    at += inst->counts[k];
  return &inst->x[at];
}

static void
lop3_predicate (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  const uint32_t *a = LANES (uint32_t, inst->x[2]);
  const uint32_t *b = LANES (uint32_t, inst->x[3]);
  const uint32_t *c = LANES (uint32_t, inst->x[4]);
  uint32_t q = cured_get_predicate (warp, lop3_source (inst));
  uint32_t table[8], is_set = 0;

  for (unsigned i = 0; i < 8; i++)
    table[i] = (inst->immediate >> i & 1) != 0 ? UINT32_MAX : 0;
  FOR_LANES (mask, {
    uint32_t value = look_up (a[l], b[l], c[l], table);

    is_set |= value != 0 ? 1u << l : 0;
    if (inst->x[0].width != 0)
      LANES (uint32_t, inst->x[0])[l] = value;
  });
  cured_set_predicate (warp, &inst->x[1], mask,
                       WORD_OF (inst, OPERATION) == CURED_PTX_OPERATION_AND ? is_set & q
                                                                            : is_set | q);
}

/* ---- Shifts ---- */

/* Amounts are unsigned, and limited to the width. */
BINARY_2 (shl_16, uint16_t, uint16_t, uint32_t, b > 15 ? 0 : a << b)
BINARY_2 (shl_32, uint32_t, uint32_t, uint32_t, b > 31 ? 0 : a << (b & 31))
BINARY_2 (shl_64, uint64_t, uint64_t, uint32_t, b > 63 ? 0 : a << (b & 63))
BINARY_2 (shr_16, uint16_t, uint16_t, uint32_t, b > 15 ? 0 : a >> b)
BINARY_2 (shr_32, uint32_t, uint32_t, uint32_t, b > 31 ? 0 : a >> (b & 31))
BINARY_2 (shr_64, uint64_t, uint64_t, uint32_t, b > 63 ? 0 : a >> (b & 63))
BINARY_2 (shr_s_16, int16_t, int16_t, uint32_t, a >> MIN (b, 15))
BINARY_2 (shr_s_32, int32_t, int32_t, uint32_t, a >> MIN (b, 31))
BINARY_2 (shr_s_64, int64_t, int64_t, uint32_t, a >> MIN (b, 63))

/* The pair b:a, shifted by the amount with .wrap or .clamp. */
#define FUNNEL(name, amount, direction, part)                                                      \
  TERNARY (name, uint32_t, uint32_t, (((uint64_t) b << 32 | a) direction (amount)) >> (part))

FUNNEL (shf_l_wrap, c & 31, <<, 32)
FUNNEL (shf_l_clamp, MIN (c, 32), <<, 32)
FUNNEL (shf_r_wrap, c & 31, >>, 0)
FUNNEL (shf_r_clamp, MIN (c, 32), >>, 0)

/* ---- prmt ---- */

/* A byte of the pair b:a, selected by bits 0 to 2; with bit 3, its sign in all eight bits. */
static inline uint32_t
pick_byte (uint64_t pair, uint32_t selector)
{
  uint32_t byte = (uint32_t) (pair >> (8 * (selector & 7))) & 0xff;
  uint32_t sign = (byte >> 7) * 0xff;

  return (selector & 8) != 0 ? sign : byte;
}

static inline uint32_t
permute (uint32_t a, uint32_t b, uint32_t selectors)
{
  uint64_t pair = (uint64_t) b << 32 | a;

  return pick_byte (pair, selectors) | pick_byte (pair, selectors >> 4) << 8 |
         pick_byte (pair, selectors >> 8) << 16 | pick_byte (pair, selectors >> 12) << 24;
}

/* The selectors of the modes, by the two lowest bits of the third source: in the encoding of the
 * default mode. */
static const uint16_t prmt_f4e[4] = { 0x3210, 0x4321, 0x5432, 0x6543 };
static const uint16_t prmt_b4e[4] = { 0x5670, 0x6701, 0x7012, 0x0123 };
static const uint16_t prmt_rc8[4] = { 0x0000, 0x1111, 0x2222, 0x3333 };
static const uint16_t prmt_ecl[4] = { 0x3210, 0x3211, 0x3222, 0x3333 };
static const uint16_t prmt_ecr[4] = { 0x0000, 0x1110, 0x2210, 0x3210 };
static const uint16_t prmt_rc16[4] = { 0x1010, 0x3232, 0x1010, 0x3232 };

TERNARY (prmt_any, uint32_t, uint32_t, permute (a, b, c))
TERNARY (prmt_any_f4e, uint32_t, uint32_t, permute (a, b, prmt_f4e[c & 3]))
TERNARY (prmt_any_b4e, uint32_t, uint32_t, permute (a, b, prmt_b4e[c & 3]))
TERNARY (prmt_any_rc8, uint32_t, uint32_t, permute (a, b, prmt_rc8[c & 3]))
TERNARY (prmt_any_ecl, uint32_t, uint32_t, permute (a, b, prmt_ecl[c & 3]))
TERNARY (prmt_any_ecr, uint32_t, uint32_t, permute (a, b, prmt_ecr[c & 3]))
TERNARY (prmt_any_rc16, uint32_t, uint32_t, permute (a, b, prmt_rc16[c & 3]))

/* ---- Forms ---- */

/* The table of lop3 must be a byte. */
static const char *
check_table (const CuredPtxInst *inst)
{
  bool has_word = cured_has_word (inst, CURED_PTX_GROUP_OPERATION);

  if (inst->immediate < 0 || inst->immediate > 255)
    return "wants a table from 0 to 255";
  if ((inst->x[1].width != 0) != has_word || (lop3_source (inst)->width != 0) != has_word)
    return "takes a second destination and a predicate with .and and .or, and with these alone";
  return inst->x[0].width == 0 && !has_word ? "wants a destination" : NULL;
}

/* clang-format off */
static const CuredPtxForm forms[] = {
  FORM (and, T_PRED, 0, and_pred) BY_WIDTH (and, and)
  FORM (or, T_PRED, 0, or_pred)   BY_WIDTH (or, or)
  FORM (xor, T_PRED, 0, xor_pred) BY_WIDTH (xor, xor)
  FORM (not, T_PRED, 0, not_pred) BY_WIDTH (not, not)
  BY_WIDTH (cnot, cnot)
  CHECKED (lop3, T_B32, 0, 0, lop3_32, check_table)
  CHECKED (lop3, T_B32, WORDS (W_OPERATION_AND, W_OPERATION_OR), 0, lop3_predicate, check_table)
  BY_WIDTH (shl, shl)
  FORM (shr, T_B16 | T_U16, 0, shr_16)
  FORM (shr, T_B32 | T_U32, 0, shr_32)
  FORM (shr, T_B64 | T_U64, 0, shr_64)
  FORM (shr, T_S16, 0, shr_s_16)
  FORM (shr, T_S32, 0, shr_s_32)
  FORM (shr, T_S64, 0, shr_s_64)
  FORM (shf, T_B32, WORDS (W_MODE_L, W_WRAP_WRAP), shf_l_wrap)
  FORM (shf, T_B32, WORDS (W_MODE_L, W_WRAP_CLAMP), shf_l_clamp)
  FORM (shf, T_B32, WORDS (W_MODE_R, W_WRAP_WRAP), shf_r_wrap)
  FORM (shf, T_B32, WORDS (W_MODE_R, W_WRAP_CLAMP), shf_r_clamp)
  FORM (prmt, T_B32, 0, prmt_any)
  FORM (prmt, T_B32, W_MODE_F4E, prmt_any_f4e)
  FORM (prmt, T_B32, W_MODE_B4E, prmt_any_b4e)
  FORM (prmt, T_B32, W_MODE_RC8, prmt_any_rc8)
  FORM (prmt, T_B32, W_MODE_ECL, prmt_any_ecl)
  FORM (prmt, T_B32, W_MODE_ECR, prmt_any_ecr)
  FORM (prmt, T_B32, W_MODE_RC16, prmt_any_rc16)
};
/* clang-format on */

FORMS_OF (logic)
