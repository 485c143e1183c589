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

/* PTX that the emulator does not run, and what helps. The longest that fits counts. */
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

/* How many of @list are @mnemonic's; 0: it is not in front. */
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

/* The row of the words; CURED_PTX_N_OPS: none. @n_front is what it took. */
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

/* "m64n128k16" is "m64k16" and "n128": @columns and @depth get room for these. FALSE: it is no such
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

/* Whether @word, a state space, is one of @op's: some want the window of shared memory named, or
 * have the block's alone. */
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
      if (length > 6 && strncmp (at, "kind::", 6) == 0)
        _cured_ptx_parser_fail (
            self, name, CURED_ERROR_INVALID,
            _ ("%.*s: products of scaled blocks are not emulated: use f16, bf16 or plain fp8"),
            (int) name->length, name->at);
      from += length + 1;
    }
  /* CUB writes vote.ballot.sync, which ptxas takes for vote.sync.ballot. */
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

/* What the words of @name say, until the next call. Each spelling is taken apart once a module. */
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
