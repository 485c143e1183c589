/* SPDX-License-Identifier: MIT
 * Macros and types for writing and finding handlers. */
#pragma once

#include "ptx/cured-ptx-ops-private.h"
#include "ptx/machine/cured-warp-private.h"

/* The exec files are compiled twice on x86-64: for every processor, and for those with AVX2 and FMA
 * (x86-64-v3); EXEC_SUFFIX distinguishes them. Only their tables of forms and _cured_warp_access ()
 * are not static. */

/* Chooses the handler of an instruction whose words match a form: NULL, and sets @problem (static
 * text, "takes registers of 32 bits"), if its operands or its combination of words do not match.
 * All of @inst is set except run. */
typedef CuredPtxHandler (*CuredPtxSelector) (const CuredPtxInst *inst, const char **problem);

/* The problem with the operands of @inst (static text); NULL: none. */
typedef const char *(*CuredPtxCheck) (const CuredPtxInst *inst);

/* A form of an instruction: the types and words after its mnemonic, and its handler. Words are
 * required; of several in one group, one of them. A group without words must be absent, unless it
 * is free. Error messages and the coverage page are derived from the forms. */
typedef struct
{
  uint16_t op, words[24];
  uint64_t types[3]; /* allowed types of each suffix; 0: no suffix; or ANY_TYPES */
  uint64_t free;     /* groups that may be absent or have any word */
  CuredPtxHandler run;
  CuredPtxCheck check;     /* (nullable) */
  CuredPtxSelector select; /* (nullable): finds the handler if @run is NULL */
} CuredPtxForm;

/* An optional word. */
#define MAY_BE_MISSING   ((uint16_t) 0x8000)
#define MAY(group, word) (MAY_BE_MISSING | CURED_PTX_##group##_##word)

/* Any types or none: the selector checks them. */
#define ANY_TYPES UINT64_MAX
#define ANY_WORDS UINT64_MAX

/* Several entries of a column. */
#define TYPES(...) __VA_ARGS__
#define WORDS(...) __VA_ARGS__

/* The rows of forms:
 *
 *   FORM (popc, T_B32, 0, popc_32)                       popc.b32
 *   FORM (add, T_S32, W_SAT_SAT, add_sat)                add.sat.s32
 *   CHECKED (discard, 0, W_LEVEL_L2, 0, run, check)      check () tests its operands
 *   CHOICE (mov, T_ANY, 0, 0, select_mov)                select_mov () finds the handler
 *
 * Several entries of a column are enclosed in TYPES () or WORDS (); the fourth column is the free
 * groups. */
#define FORM(op, types, words, run) { CURED_PTX_OP_##op, { words }, { types }, 0, run, NULL, NULL },
#define CHECKED(op, types, words, free, run, check)                                                \
  { CURED_PTX_OP_##op, { words }, { types }, free, run, check, NULL },
#define CHOICE(op, types, words, free, select)                                                     \
  { CURED_PTX_OP_##op, { words }, { types }, free, NULL, NULL, select },

/* Names of words in rows of forms. */
enum
{
#define WORD(word, group, value) W_##group##_##value = CURED_PTX_##group##_##value,
#include "ptx/cured-ptx-words.def"
};

/* Types by width. */
#define T_I16 (T_U16 | T_S16)
#define T_I32 (T_U32 | T_S32)
#define T_I64 (T_U64 | T_S64)
#define T_W16 (T_I16 | T_B16)
#define T_W32 (T_I32 | T_B32 | T_F32)
#define T_W64 (T_I64 | T_B64 | T_F64)

/* Handlers name_16, name_32 and name_64, and those for each integer type. */
#define BY_WIDTH(op, name)                                                                         \
  FORM (op, T_W16, 0, name##_16) FORM (op, T_W32, 0, name##_32) FORM (op, T_W64, 0, name##_64)
#define BY_SIGN(op, name)                                                                          \
  FORM (op, T_U16, 0, name##_u16)                                                                  \
  FORM (op, T_S16, 0, name##_s16)                                                                  \
  FORM (op, T_U32, 0, name##_u32)                                                                  \
  FORM (op, T_S32, 0, name##_s32)                                                                  \
  FORM (op, T_U64, 0, name##_u64)                                                                  \
  FORM (op, T_S64, 0, name##_s64)

/* The forms of one file. */
typedef struct
{
  const CuredPtxForm *rows;
  unsigned n;
} CuredPtxForms;

/* At the end of an exec file: exports its table `forms`. */
#define FORMS_OF(name)                                                                             \
  extern const CuredPtxForms CURED_PASTE (_cured_ptx_forms_##name, EXEC_SUFFIX);                   \
  const CuredPtxForms CURED_PASTE (_cured_ptx_forms_##name,                                        \
                                   EXEC_SUFFIX) = { forms, sizeof forms / sizeof forms[0] };

/* The forms of all files, by op. */
typedef struct
{
  const CuredPtxForm **rows[CURED_PTX_N_OPS];
  unsigned n[CURED_PTX_N_OPS];
} CuredPtxFormTable;

/* Of the best build for this processor, or of the baseline build. */
const CuredPtxFormTable *_cured_ptx_get_forms (bool is_baseline);
const CuredPtxForm *_cured_ptx_find_form (const CuredPtxFormTable *table, const CuredPtxInst *inst);
char *_cured_ptx_explain (const CuredPtxFormTable *table, const CuredPtxInst *inst);

static inline CuredPtxHandler
cured_ptx_form_select (const CuredPtxForm *self, const CuredPtxInst *inst, const char **problem)
{
  if (self->select != NULL)
    return self->select (inst, problem);
  *problem = self->check != NULL ? self->check (inst) : NULL;
  return *problem == NULL ? self->run : NULL;
}

/* In a selector: rejects the instruction with a reason if @condition is true. */
#define REFUSE_IF(condition, reason)                                                               \
  G_STMT_START                                                                                     \
  {                                                                                                \
    if (condition)                                                                                 \
      {                                                                                            \
        *problem = (reason);                                                                       \
        return NULL;                                                                               \
      }                                                                                            \
  }                                                                                                \
  G_STMT_END

/* The word of @inst in a group of modifiers; 0: none. */
#define WORD_OF(inst, group) ((inst)->words[CURED_PTX_GROUP_##group])

static inline bool
cured_has_word (const CuredPtxInst *inst, CuredPtxGroup group)
{
  return inst->words[group] != CURED_PTX_NO_WORD;
}

/* The first operand of letter @which. */
static inline const CuredPtxOperand *
cured_get_operands (const CuredPtxInst *inst, unsigned which)
{
  const CuredPtxOperand *x = inst->x;

  for (unsigned i = 0; i < which; i++)
    x += inst->counts[i];
  return x;
}

/* Whether @n operands are present and have @width. */
static inline bool
cured_are_wide (const CuredPtxOperand *x, unsigned n, unsigned width)
{
  for (unsigned i = 0; i < n; i++)
    if (x[i].width != width)
      return false;
  return true;
}

#define CURED_ALL_LANES 0xffffffffu

__extension__ typedef unsigned __int128 cured_uint128;
__extension__ typedef __int128 cured_int128;

/* The lanes of operand @x, as an array of @type. */
#define LANES(type, x) ((type *) __builtin_assume_aligned (warp->bases[(x).base] + (x).offset, 64))

/* A lane's bits, zero-extended. */
static inline uint64_t
cured_get_lane (const CuredWarp *warp, const CuredPtxOperand *x, unsigned l)
{
  const uint8_t *lanes = warp->bases[x->base] + x->offset;

  return x->width == 2   ? ((const uint16_t *) lanes)[l]
         : x->width == 4 ? ((const uint32_t *) lanes)[l]
                         : ((const uint64_t *) lanes)[l];
}

/* Does nothing if @x is '_'. */
static inline void
cured_set_lane (CuredWarp *warp, const CuredPtxOperand *x, unsigned l, uint64_t value)
{
  uint8_t *lanes = warp->bases[x->base] + x->offset;

  if (x->width == 2)
    ((uint16_t *) lanes)[l] = (uint16_t) value;
  else if (x->width == 4)
    ((uint32_t *) lanes)[l] = (uint32_t) value;
  else if (x->width == 8)
    ((uint64_t *) lanes)[l] = value;
}

/* The space named by @inst. */
static inline CuredSpace
cured_get_space (const CuredPtxInst *inst)
{
  static const uint8_t spaces[] = { CURED_SPACE_CONST, CURED_SPACE_GLOBAL, CURED_SPACE_LOCAL,
                                    CURED_SPACE_SHARED, CURED_SPACE_PARAM };
  CuredPtxWord word = inst->words[CURED_PTX_GROUP_SPACE];

  /* ORDER: the words of the group. */
  G_STATIC_ASSERT (CURED_PTX_SPACE_PARAM - CURED_PTX_SPACE_CONST == 4);
  return word == CURED_PTX_NO_WORD ? CURED_SPACE_GENERIC
                                   : (CuredSpace) spaces[word - CURED_PTX_SPACE_CONST];
}

/* Number of elements in the vector of a load, store or atomic. */
static inline unsigned
cured_get_vector (const CuredPtxInst *inst)
{
  CuredPtxWord vector = inst->words[CURED_PTX_GROUP_VECTOR];

  return vector == CURED_PTX_NO_WORD ? 1 : 2u << (vector - CURED_PTX_VECTOR_V2);
}

/* A predicate's bits, negated if the operand is. */
static inline uint32_t
cured_get_predicate (const CuredWarp *warp, const CuredPtxOperand *x)
{
  uint32_t bits = *(const uint32_t *) (warp->bases[x->base] + x->offset);

  return x->is_negated ? ~bits : bits;
}

static inline void
cured_set_predicate (CuredWarp *warp, const CuredPtxOperand *x, uint32_t mask, uint32_t bits)
{
  uint32_t *to = (uint32_t *) (warp->bases[x->base] + x->offset);

  *to = (*to & ~mask) | (bits & mask);
}

/* 1 << l as an array: shifts by a different amount per lane require AVX2, and prevent loops over
 * predicates from being vectorized. */
#define CURED_BITS_4(T, l) (T) 1 << (l), (T) 1 << ((l) + 1), (T) 1 << ((l) + 2), (T) 1 << ((l) + 3)
#define CURED_BITS_16(T, l)                                                                        \
  CURED_BITS_4 (T, l), CURED_BITS_4 (T, (l) + 4), CURED_BITS_4 (T, (l) + 8),                       \
      CURED_BITS_4 (T, (l) + 12)

static const uint32_t cured_lane_bits_32[CURED_WARP_LANES]
    __attribute__ ((aligned (64), unused)) = { CURED_BITS_16 (uint32_t, 0),
                                               CURED_BITS_16 (uint32_t, 16) };
static const uint64_t cured_lane_bits_64[CURED_WARP_LANES]
    __attribute__ ((aligned (64), unused)) = { CURED_BITS_16 (uint64_t, 0),
                                               CURED_BITS_16 (uint64_t, 16) };

/* A lane's destination only ever aliases that lane's sources: there are no dependences between
 * lanes. */
#ifdef __clang__
#define CURED_IVDEP _Pragma ("clang loop vectorize(assume_safety)")
#else
#define CURED_IVDEP _Pragma ("GCC ivdep")
#endif

/* Runs @statement with l = each lane of @mask; for a full mask the compiler vectorizes the loop.
 * For other masks, computing all lanes and blending was tried: it costs as much as 10 to 16 single
 * lanes, and most partial masks are half a warp or one lane. */
#define FOR_LANES(mask, statement)                                                                 \
  G_STMT_START                                                                                     \
  {                                                                                                \
    if (G_LIKELY ((mask) == CURED_ALL_LANES))                                                      \
      CURED_IVDEP for (unsigned l = 0; l < CURED_WARP_LANES; l++) { statement; }                   \
    else                                                                                           \
      for (uint32_t left_ = (mask); left_ != 0; left_ &= left_ - 1)                                \
        {                                                                                          \
          unsigned l = (unsigned) __builtin_ctz (left_);                                           \
          statement;                                                                               \
        }                                                                                          \
  }                                                                                                \
  G_STMT_END

/* Defines a handler with one destination and sources of one type each:
 *
 *   UNARY (popc_32, uint32_t, uint32_t, (uint32_t) __builtin_popcount (a))
 *   BINARY (add_32, uint32_t, uint32_t, a + b)
 *
 * Expressions can use a, b, c (this lane's sources), l, inst and warp. A destination may be one of
 * the sources: the loops read a lane before they write it. */
#define UNARY(name, D, A, expression)                                                              \
  static void name (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)                      \
  {                                                                                                \
    D *d_ = LANES (D, inst->x[0]);                                                                 \
    const A *a_ = LANES (A, inst->x[1]);                                                           \
                                                                                                   \
    FOR_LANES (mask, A a = a_[l]; d_[l] = (D) (expression));                                       \
  }

#define BINARY_2(name, D, A, B, expression)                                                        \
  static void name (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)                      \
  {                                                                                                \
    D *d_ = LANES (D, inst->x[0]);                                                                 \
    const A *a_ = LANES (A, inst->x[1]);                                                           \
    const B *b_ = LANES (B, inst->x[2]);                                                           \
                                                                                                   \
    FOR_LANES (mask, A a = a_[l]; B b = b_[l]; d_[l] = (D) (expression));                          \
  }
#define BINARY(name, D, A, expression) BINARY_2 (name, D, A, A, expression)

#define TERNARY_3(name, D, A, B, C, expression)                                                    \
  static void name (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)                      \
  {                                                                                                \
    D *d_ = LANES (D, inst->x[0]);                                                                 \
    const A *a_ = LANES (A, inst->x[1]);                                                           \
    const B *b_ = LANES (B, inst->x[2]);                                                           \
    const C *c_ = LANES (C, inst->x[3]);                                                           \
                                                                                                   \
    FOR_LANES (mask, A a = a_[l]; B b = b_[l]; C c = c_[l]; d_[l] = (D) (expression));             \
  }
#define TERNARY(name, D, A, expression) TERNARY_3 (name, D, A, A, A, expression)

/* Vectors of 256 bits: for an OR over all lanes compilers make a chain of shuffles, while a test is
 * one instruction. */
typedef uint32_t Row32 __attribute__ ((vector_size (32)));
typedef uint64_t Row64 __attribute__ ((vector_size (32)));

static inline bool
cured_is_zero (Row64 row)
{
#ifdef __AVX__
  typedef long long Test __attribute__ ((vector_size (32)));

  return __builtin_ia32_ptestz256 ((Test) row, (Test) row);
#else
  return (row[0] | row[1] | row[2] | row[3]) == 0;
#endif
}

/* ---- Convergence ---- */

/* Whether the lanes of @mask can proceed. Each lane names the participating lanes (@members); lanes
 * of one instruction may name different ones, such as their half of the warp, and each set is then
 * independent.
 *
 * @members: of each lane */
static inline bool
cured_gather_named (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask,
                    const uint32_t *members)
{
  uint32_t all = members[__builtin_ctz (mask)];
  uint32_t unlike = mask ^ CURED_ALL_LANES;
  uint32_t strangers = 0;

  /* Usually the whole warp names the whole warp. */
  for (unsigned l = 0; l < CURED_WARP_LANES; l++)
    unlike |= members[l] ^ CURED_ALL_LANES;
  if (G_LIKELY (unlike == 0))
    return _cured_warp_converge (warp, mask, all);

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
    _cured_warp_report_strangers (warp, inst, strangers, members);
  return true;
}
