/* SPDX-License-Identifier: MIT
 * What the words at an instruction's front say: row, types, modifiers. */
#include "ptx/parse/cured-ptx-parser-private.h"

#include "base/cured-base-internal.h"

#define MAX_WORDS 24

typedef struct
{
  const char *at;
  guint32 length;
} Word;

static const struct
{
  const char *word;
  guint8 group, value;
} words[] = {
#define WORD(word, group, value)  { word, CURED_PTX_GROUP_##group, CURED_PTX_##group##_##value },
#define ALIAS(word, group, value) WORD (word, group, value)
#include "ptx/cured-ptx-words.def"
};

/* PTX that the emulator does not run, with advice. The longest match counts. */
static const struct
{
  const char *front, *advice;
} unsupported[] = {
  { "multimem", N_ ("multicast memory is not emulated") },
  { "tcgen05", N_ ("tcgen05 is not emulated: use mma.sync") },
  { "clusterlaunchcontrol", N_ ("clusters that are launched while a kernel runs are not emulated: "
                                "count work with an atomic operation") },
  { "st.bulk", N_ ("bulk stores are not emulated: use st") },
  { "wmma", NULL },
  { "mma", NULL },
  { "txq", N_ ("the size of a texture is not known to the emulator: pass it as an argument") },
  { "suq", N_ ("the size of a surface is not known to the emulator: pass it as an argument") },
  { "sust.p", N_ ("formatted stores are not emulated: use sust.b") },
  { "sured", N_ ("reductions on surfaces are not emulated: use red.global") },
  { "istypep", N_ ("texture references are not emulated: use texture objects") },
  { "alloca",
    N_ ("memory on the stack whose size is known when it runs is not emulated: use an array") },
  { "stacksave",
    N_ ("memory on the stack whose size is known when it runs is not emulated: use an array") },
  { "stackrestore",
    N_ ("memory on the stack whose size is known when it runs is not emulated: use an array") },
  { "shfl", N_ ("no device of today has it without .sync: use shfl.sync") },
  { "vote", N_ ("no device of today has it without .sync: use vote.sync") },
  { "bar", NULL },
  { "barrier", NULL },
  { "mbarrier", NULL },
  { "fence", NULL },
  { "discard", NULL },
};

static gboolean
is_word (const Word *word, const char *text)
{
  return strncmp (word->at, text, word->length) == 0 && text[word->length] == '\0';
}

/* Number of elements of @list that @mnemonic starts with; 0: it does not match. */
static guint
count_front (const Word *list, guint n, const char *mnemonic)
{
  for (guint i = 0;; i++)
    {
      gsize length = strcspn (mnemonic, ".");

      if (i == n || list[i].length != length || memcmp (list[i].at, mnemonic, length) != 0)
        return 0;
      if (mnemonic[length] == '\0')
        return i + 1;
      mnemonic += length + 1;
    }
}

static CuredPtxType
find_type (CuredPtxParser *self, const Word *word)
{
  CuredPtxToken name = { .at = word->at, .length = word->length };

  name.hash = _cured_ptx_hash (word->at, word->length, self->lexer.seed);
  guint32 atom = _cured_ptx_find_atom (self, &name);
  if (ATOM (self, atom)->key <= CURED_KEY_FIRST_TYPE)
    return CURED_PTX_TYPE_NONE;
  return (CuredPtxType) (ATOM (self, atom)->key - CURED_KEY_FIRST_TYPE);
}

static void G_GNUC_NORETURN
fail_unknown (CuredPtxParser *self, const CuredPtxToken *name, const Word *list, guint n)
{
  guint best = 0;
  const char *advice = NULL;
  gboolean is_known = FALSE;

  for (guint i = 0; i < G_N_ELEMENTS (unsupported); i++)
    {
      guint length = count_front (list, n, unsupported[i].front);

      if (length > best)
        {
          best = length;
          advice = unsupported[i].advice;
          is_known = TRUE;
        }
    }
  for (guint op = 0; op < CURED_PTX_N_OPS; op++)
    {
      const char *mnemonic = _cured_ptx_ops[op].mnemonic;

      if (strncmp (mnemonic, list[0].at, list[0].length) == 0 &&
          (mnemonic[list[0].length] == '.' || mnemonic[list[0].length] == '\0'))
        is_known = TRUE;
    }
  if (advice != NULL)
    _cured_ptx_parser_fail (self, name, CURED_ERROR_INVALID, "%.*s: %s", (int) name->length,
                            name->at, _ (advice));
  if (is_known)
    _cured_ptx_parser_fail (self, name, CURED_ERROR_INVALID,
                            _ ("%.*s is not emulated; cured-ptx(7) lists what is"),
                            (int) name->length, name->at);
  _cured_ptx_parser_fail (
      self, name, CURED_ERROR_SYNTAX,
      _ ("%.*s is not a PTX instruction that the emulator knows; cured-ptx(7) lists those"),
      (int) name->length, name->at);
}

/* The row for the words; CURED_PTX_N_OPS: none. @n_front: number of words it matched. */
static guint
find_row (const Word *list, guint n, CuredPtxType first, guint *n_front)
{
  guint best = CURED_PTX_N_OPS;
  gboolean best_fits = FALSE;

  *n_front = 0;
  for (guint op = 0; op < CURED_PTX_N_OPS; op++)
    {
      const CuredPtxOpInfo *info = &_cured_ptx_ops[op];

      if (info->mnemonic[0] != list[0].at[0])
        continue;
      guint length = count_front (list, n, info->mnemonic);
      gboolean fits =
          first == CURED_PTX_TYPE_NONE ? info->types == 0 : (info->types >> first & 1) != 0;
      if (length > *n_front || (length == *n_front && length > 0 && fits && !best_fits))
        {
          best = op;
          best_fits = fits;
          *n_front = length;
        }
    }
  return best;
}

/* Splits "m64n128k16" into "m64k16" and "n128", stored to @columns and @depth. FALSE: no such
 * word. */
static gboolean
split_shape (const Word *word, char columns[8], char depth[12])
{
  char text[16];

  if (word->length >= sizeof text || word->length < 6 || memcmp (word->at, "m64n", 4) != 0)
    return FALSE;
  memcpy (text, word->at, word->length);
  text[word->length] = '\0';
  char *k = strchr (text, 'k');
  if (k == NULL || k - text - 3 >= 8 || strlen (k) >= 8)
    return FALSE;
  g_snprintf (columns, 8, "%.*s", (int) (k - text - 3), text + 3);
  g_snprintf (depth, 12, "m64%s", k);
  return TRUE;
}

/* Whether @op allows the state space @word: some require the window of shared memory, or
 * allow the block's alone. */
static gboolean
takes_space (guint op, const Word *word)
{
  switch (op)
    {
    case CURED_PTX_OP_cp_async:
    case CURED_PTX_OP_cp_async_mbarrier:
    case CURED_PTX_OP_ldmatrix:
    case CURED_PTX_OP_stmatrix:
    case CURED_PTX_OP_mbarrier_init:
    case CURED_PTX_OP_mbarrier_inval:
    case CURED_PTX_OP_mbarrier_test_wait:
    case CURED_PTX_OP_mbarrier_try_wait: return !is_word (word, "shared::cluster");
    case CURED_PTX_OP_bulk:
    case CURED_PTX_OP_bulk_reduce:
    case CURED_PTX_OP_bulk_tensor:
    case CURED_PTX_OP_bulk_tensor_reduce:
    case CURED_PTX_OP_fence_proxy: return !is_word (word, "shared");
    case CURED_PTX_OP_tensormap_replace:
    case CURED_PTX_OP_tensormap_copy:
      return !is_word (word, "shared") && !is_word (word, "shared::cluster");
    default: return TRUE;
    }
}

/* Minimum version and target of ptxas for a name that starts with one of the fronts, and has one of
 * the words. If chips differ in the version, the least. ptxas 13.0 supports sm_75 or later, so 75
 * excludes no older target. */
static const struct
{
  const char *fronts, *words; /* (nullable): any */
  guint8 version, target;     /* 78 for 7.8, 90 for sm_90 */
  gboolean is_specific;       /* needs sm_90a, not only sm_90 */
} since[] = {
  { NULL, "bf16 bf16x2 tf32", 70, 80 },
  { "ex2 tanh add sub mul red atom", "bf16 bf16x2", 78, 90 },
  { "setp set", "bf16 bf16x2", 78, 90 },
  { "cvt.rmi cvt.rni cvt.rpi cvt.rzi cvt.f64 cvt.rn.f16 cvt.rz.f16", "bf16", 78, 90 },
  { "cvt.bf16 cvt.rn.bf16 cvt.rz.bf16 cvt.rm.bf16 cvt.rp.bf16", "u16 s16 u32 s32 u64 s64 f16 f64",
    78, 90 },
  { "cvt.rn.tf32 cvt.rz.tf32 cvt.rn.relu.tf32 cvt.rz.relu.tf32", NULL, 78, 90 },
  { "cvt.rz.satfinite cvt.rna.satfinite", NULL, 81, 75 },
  { "cvt", "e4m3x2 e5m2x2", 78, 89 },
  { "cvt", "f16x2", 70, 80 },
  { NULL, "f32x2 e2m1x2 e2m3x2 e3m2x2 ue8m0x2", 86, 100 },
  { "mov ld ldu st", "b128", 83, 75 },
  { "cvt.pack ldmatrix", NULL, 65, 75 },
  { "abs", "f16 f16x2", 65, 75 },
  { "tanh", NULL, 70, 75 },
  { "ex2", "f16 f16x2", 70, 75 },
  { "fma cvt", "relu", 70, 80 },
  { "min max", "NaN f16 f16x2", 70, 80 },
  { "min max", "xorsign", 72, 86 },
  { "min max", "relu", 80, 90 },
  { "min max add", "u16x2 s16x2", 80, 90 },
  { "fma", "oob", 81, 90 },
  { "bmsk szext", NULL, 76, 75 },
  { "lop3", "and or", 82, 75 },
  { "mma", NULL, 64, 75 },
  { "mma", "s32 m16n8k8", 65, 75 },
  { "mma", "b1", 70, 75 },
  { "mma wmma", "m16n8k4 m16n8k16 m16n8k32 m16n8k64 m16n8k128 m16n8k256 m16n16k8 f64", 70, 80 },
  { "mma.sync.aligned.m16n8k4 mma.sync.aligned.m16n8k8 mma.sync.aligned.m16n8k16", "f64", 78, 90 },
  { "mma wmma", "and", 71, 80 },
  { "mma", "sp", 71, 80 },
  { "mma", "e4m3 e5m2", 84, 89 },
  { "mma.sync.aligned.m16n8k16", "e4m3 e5m2", 87, 89 },
  { "mma", "sp::ordered_metadata", 85, 80 },
  { "wgmma", NULL, 80, 90, TRUE },
  { "wgmma", "sp", 82, 90, TRUE },
  { "movmatrix", NULL, 78, 75 },
  { "stmatrix mapa getctarank griddepcontrol barrier.cluster", NULL, 78, 90 },
  { "elect prefetch.tensormap fence.mbarrier_init fence.proxy.async", NULL, 80, 90 },
  { "setmaxnreg", NULL, 80, 90, TRUE },
  { "tensormap.replace", NULL, 83, 90, TRUE },
  { "tensormap fence.proxy.tensormap::generic", NULL, 83, 90 },
  { "redux mbarrier cp.async", NULL, 70, 80 },
  { "redux", "f32", 86, 100, TRUE },
  { "mbarrier", "parity", 71, 80 },
  { "mbarrier.try_wait", NULL, 78, 90 },
  { "mbarrier", "expect_tx complete_tx", 80, 90 },
  { "mbarrier", "acquire release", 80, 80 },
  { "mbarrier.arrive mbarrier.arrive_drop mbarrier.test_wait mbarrier.try_wait", "relaxed", 86,
    90 },
  { "cp", "bulk", 80, 90 },
  { "st red", "async", 81, 90 },
  { "atom red", "v2 v4 v8", 81, 90 },
  { NULL, "cluster shared::cluster", 78, 90 },
  { NULL, "shared::cta", 78, 75 },
  { "barrier.cta bar.cta", NULL, 78, 75 },
  { "cvta isspacep", "param", 77, 75 },
  { "ld", "param::entry param::func", 83, 75 },
  { "ld st", "mmio", 82, 75 },
  { "createpolicy discard applypriority", NULL, 74, 80 },
  { NULL, "L2::cache_hint L2::256B", 74, 80 },
  { NULL, "L2::64B L2::128B", 74, 75 },
  { "ld st", "L1::evict_normal L1::evict_unchanged L1::evict_first L1::evict_last L1::no_allocate",
    74, 75 },
};

/* Whether @name begins with one of @names, or has one of them as a later word. */
static gboolean
has_one (const CuredPtxToken *name, const char *names, gboolean is_front)
{
  for (gsize length; *names != '\0'; names += length + (names[length] == ' '))
    {
      length = strcspn (names, " ");
      for (gsize at = 0; at + length <= name->length && (at == 0 || !is_front); at++)
        if ((at == 0) == is_front && (at == 0 || name->at[at - 1] == '.') &&
            memcmp (name->at + at, names, length) == 0 &&
            (at + length == name->length || name->at[at + length] == '.'))
          return TRUE;
    }
  return FALSE;
}

static void
check_since (CuredPtxParser *self, const CuredPtxToken *name)
{
  guint version = 0, target = 0;
  gboolean is_specific = FALSE;

  for (guint i = 0; i < G_N_ELEMENTS (since); i++)
    if ((since[i].fronts == NULL || has_one (name, since[i].fronts, TRUE)) &&
        (since[i].words == NULL || has_one (name, since[i].words, FALSE)))
      {
        version = MAX (version, since[i].version);
        target = MAX (target, since[i].target);
        is_specific |= since[i].is_specific;
      }
  if (self->version < version || (target > 75 && self->module->target < (int) target) ||
      (is_specific && !self->is_specific))
    _cured_ptx_parser_fail (
        self, name, CURED_ERROR_INVALID,
        _ ("%.*s needs .version %u.%u and .target sm_%u%s, or later ones, at the "
           "head of the module"),
        (int) name->length, name->at, version / 10, version % 10, target, is_specific ? "a" : "");
}

/* Types that emulate .b128: two of .b64, or .v2.b64. */
static gboolean
takes_pair (const Word *list)
{
  return is_word (&list[0], "mov") || is_word (&list[0], "ld") || is_word (&list[0], "ldu") ||
         (is_word (&list[0], "st") && !is_word (&list[1], "async"));
}

static CuredPtxOpcode
decode (CuredPtxParser *self, const CuredPtxToken *name)
{
  CuredPtxOpcode opcode = { 0 };
  char columns[8], depth[12];
  Word list[MAX_WORDS];
  guint n = 0, n_front;
  CuredPtxType first = CURED_PTX_TYPE_NONE;

  for (guint32 from = 0; from <= name->length;)
    {
      const char *at = name->at + from, *stop = memchr (at, '.', name->length - from);
      guint32 length = stop != NULL ? (guint32) (stop - at) : name->length - from;

      if (n == MAX_WORDS)
        _cured_ptx_parser_fail (self, name, CURED_ERROR_SYNTAX,
                                _ ("an instruction has at most %d words"), MAX_WORDS);
      list[n++] = (Word){ at, length };
      if (split_shape (&list[n - 1], columns, depth) && n < MAX_WORDS)
        {
          list[n - 1] = (Word){ depth, (guint32) strlen (depth) };
          list[n++] = (Word){ columns, (guint32) strlen (columns) };
        }
      if (is_word (&list[n - 1], "b128") && n < MAX_WORDS)
        {
          if (!takes_pair (list) && !is_word (&list[0], "clusterlaunchcontrol"))
            _cured_ptx_parser_fail (self, name, CURED_ERROR_INVALID,
                                    _ ("values of 128 bits are not emulated: use two of 64"));
          opcode.is_pair = TRUE;
          list[n - 1] = (Word){ "b64", 3 };
          if (!is_word (&list[0], "mov"))
            list[n++] = (Word){ "v2", 2 };
        }
      if (length > 6 && strncmp (at, "kind::", 6) == 0)
        _cured_ptx_parser_fail (
            self, name, CURED_ERROR_INVALID,
            _ ("%.*s: products of scaled blocks are not emulated: use f16, bf16 or plain fp8"),
            (int) name->length, name->at);
      from += length + 1;
    }
  /* CUB writes vote.ballot.sync, which ptxas accepts as vote.sync.ballot. */
  if (n > 2 && is_word (&list[0], "vote") && is_word (&list[2], "sync"))
    {
      Word mode = list[1];

      list[1] = list[2];
      list[2] = mode;
    }
  for (guint i = 1; i < n && first == CURED_PTX_TYPE_NONE; i++)
    first = find_type (self, &list[i]);

  guint row = find_row (list, n, first, &n_front);
  if (row == CURED_PTX_N_OPS)
    fail_unknown (self, name, list, n);
  for (guint i = 0; i < G_N_ELEMENTS (unsupported); i++)
    if (count_front (list, n, unsupported[i].front) > n_front)
      fail_unknown (self, name, list, n);
  const CuredPtxOpInfo *info = &_cured_ptx_ops[row];
  opcode.op = (guint16) row;

  for (guint i = n_front; i < n; i++)
    {
      CuredPtxType type = find_type (self, &list[i]);
      gboolean is_known = FALSE, is_taken = FALSE;

      if (type != CURED_PTX_TYPE_NONE)
        {
          if (opcode.n_types == G_N_ELEMENTS (opcode.types) ||
              (opcode.n_types == 0 && (info->types >> type & 1) == 0))
            _cured_ptx_parser_fail (
                self, name, CURED_ERROR_INVALID,
                _ ("%.*s: the emulator has no %s of type .%.*s; cured-ptx(7) lists what it has"),
                (int) name->length, name->at, info->mnemonic, (int) list[i].length, list[i].at);
          opcode.types[opcode.n_types++] = (guint8) type;
          continue;
        }
      for (guint k = 0; k < G_N_ELEMENTS (words) && !is_taken; k++)
        if (is_word (&list[i], words[k].word))
          {
            guint8 group = words[k].group;

            is_known = TRUE;
            if ((info->modifiers & ((uint64_t) 1 << group)) != 0 &&
                opcode.words[group] == CURED_PTX_NO_WORD && takes_space (opcode.op, &list[i]))
              {
                opcode.words[group] = words[k].value;
                is_taken = TRUE;
                if (is_word (&list[i], "shared::cluster"))
                  opcode.words[CURED_PTX_GROUP_WINDOW] = CURED_PTX_WINDOW_CLUSTER;
              }
          }
      if (!is_taken)
        _cured_ptx_parser_fail (
            self, name, is_known ? CURED_ERROR_INVALID : CURED_ERROR_SYNTAX,
            is_known ? _ ("%.*s: the emulator's %s takes no .%.*s here; cured-ptx(7) lists what it "
                          "takes")
                     : _ ("%.*s: the emulator's %s knows no word .%.*s; cured-ptx(7) lists what it "
                          "takes"),
            (int) name->length, name->at, info->mnemonic, (int) list[i].length, list[i].at);
    }
  if (info->types != 0 && opcode.n_types == 0)
    _cured_ptx_parser_fail (self, name, CURED_ERROR_SYNTAX,
                            _ ("%.*s has no type; add one, as in add.u32"), (int) name->length,
                            name->at);
  if (self->forms != NULL)
    check_since (self, name);
  if (self->forms != NULL)
    {
      CuredPtxInst inst = { .op = opcode.op, .n_types = opcode.n_types };

      memcpy (inst.types, opcode.types, sizeof inst.types);
      memcpy (inst.words, opcode.words, sizeof inst.words);
      opcode.form = _cured_ptx_find_form (self->forms, &inst);
      if (opcode.form == NULL)
        {
          CuredPtxToken reason =
              _cured_ptx_make_token (self, name, _cured_ptx_explain (self->forms, &inst));

          _cured_ptx_parser_fail (self, name, CURED_ERROR_INVALID, "%.*s %s", (int) name->length,
                                  name->at, reason.at);
        }
    }
  return opcode;
}

/* The decoded words of @name; valid until the next call. A spelling is decoded once a module. */
const CuredPtxOpcode *
_cured_ptx_get_opcode (CuredPtxParser *self, const CuredPtxToken *name)
{
  guint32 atom = _cured_ptx_make_atom (self, name);

  if (G_UNLIKELY (ATOM (self, atom)->opcode == 0))
    {
      CuredPtxOpcode opcode = decode (self, name);

      g_array_append_val (self->opcodes, opcode);
      ATOM (self, atom)->opcode = self->opcodes->len;
    }
  return &g_array_index (self->opcodes, CuredPtxOpcode, ATOM (self, atom)->opcode - 1);
}
