/* SPDX-License-Identifier: MIT
 * Finds the form of an instruction, or explains why it has none. */
#include "config.h"

#include <string.h>

#include "ptx/exec/cured-ptx-exec-private.h"

/* The exec files. */
#define FILES(X)                                                                                   \
  X (atomic)                                                                                       \
  X (barrier)                                                                                      \
  X (bulk)                                                                                         \
  X (compare)                                                                                      \
  X (control)                                                                                      \
  X (convert)                                                                                      \
  X (float)                                                                                        \
  X (half)                                                                                         \
  X (int)                                                                                          \
  X (logic)                                                                                        \
  X (matrix)                                                                                       \
  X (memory)                                                                                       \
  X (mma)                                                                                          \
  X (move)                                                                                         \
  X (texture)                                                                                      \
  X (video)                                                                                        \
  X (warp)                                                                                         \
  X (wgmma)                                                                                        \
  X (wmma)

#define DECLARE(file)    extern const CuredPtxForms _cured_ptx_forms_##file;
#define DECLARE_V3(file) extern const CuredPtxForms _cured_ptx_forms_##file##_v3;
#define ADDRESS(file)    &_cured_ptx_forms_##file,
#define ADDRESS_V3(file) &_cured_ptx_forms_##file##_v3,

FILES (DECLARE)

static const CuredPtxForms *const baseline[] = { FILES (ADDRESS) };

#if CURED_HAVE_EXEC_V3
FILES (DECLARE_V3)

static const CuredPtxForms *const v3[] = { FILES (ADDRESS_V3) };

static bool
has_v3 (void)
{
  return __builtin_cpu_supports ("avx2") && __builtin_cpu_supports ("fma") &&
         __builtin_cpu_supports ("bmi2");
}
#endif

static CuredPtxFormTable *
make_table (const CuredPtxForms *const *files)
{
  CuredPtxFormTable *self = g_new0 (CuredPtxFormTable, 1);

  for (guint file = 0; file < G_N_ELEMENTS (baseline); file++)
    for (guint i = 0; i < files[file]->n; i++)
      self->n[files[file]->rows[i].op]++;
  for (guint op = 0; op < CURED_PTX_N_OPS; op++)
    self->rows[op] = g_new0 (const CuredPtxForm *, self->n[op]);
  memset (self->n, 0, sizeof self->n);
  for (guint file = 0; file < G_N_ELEMENTS (baseline); file++)
    for (guint i = 0; i < files[file]->n; i++)
      {
        const CuredPtxForm *form = &files[file]->rows[i];

        self->rows[form->op][self->n[form->op]++] = form;
      }
  return self;
}

const CuredPtxFormTable *
_cured_ptx_get_forms (bool is_baseline)
{
  static CuredPtxFormTable *tables[2];

  if (g_once_init_enter (&tables[is_baseline]))
    {
      const CuredPtxForms *const *files = baseline;

#if CURED_HAVE_EXEC_V3
      if (!is_baseline && has_v3 ())
        files = v3;
#endif
      g_once_init_leave (&tables[is_baseline], make_table (files));
    }
  return tables[is_baseline];
}

/* ---- Matching ---- */

static guint
count_types (const CuredPtxForm *self)
{
  guint n = 0;

  while (n < G_N_ELEMENTS (self->types) && self->types[n] != 0)
    n++;
  return n;
}

/* Whether the first @n types match. */
static bool
takes_types (const CuredPtxForm *self, const CuredPtxInst *inst, guint n)
{
  if (self->types[0] == ANY_TYPES)
    return true;
  for (guint i = 0; i < n; i++)
    if (i >= G_N_ELEMENTS (self->types) || (self->types[i] >> inst->types[i] & 1) == 0)
      return false;
  return true;
}

static bool
takes_all_types (const CuredPtxForm *self, const CuredPtxInst *inst)
{
  return self->types[0] == ANY_TYPES ||
         (count_types (self) == inst->n_types && takes_types (self, inst, inst->n_types));
}

/* @word: of @group; CURED_PTX_NO_WORD: absent. */
static bool
takes_word (const CuredPtxForm *self, guint group, guint word)
{
  bool is_named = false;

  if ((self->free >> group & 1) != 0)
    return true;
  for (guint i = 0; i < G_N_ELEMENTS (self->words) && self->words[i] != 0; i++)
    {
      guint own = self->words[i] & ~MAY_BE_MISSING;

      if (_cured_ptx_word_groups[own] != group)
        continue;
      is_named = true;
      if (own == word || (word == CURED_PTX_NO_WORD && own != self->words[i]))
        return true;
    }
  return !is_named && (word == CURED_PTX_NO_WORD || group == CURED_PTX_GROUP_WINDOW);
}

/* Groups that are checked for @op: rows omit WINDOW, which accompanies a space. */
static uint64_t
get_groups (guint op)
{
  return _cured_ptx_ops[op].modifiers | (uint64_t) 1 << CURED_PTX_GROUP_WINDOW;
}

/* The form that matches the types and words of @inst; NULL: none. */
const CuredPtxForm *
_cured_ptx_find_form (const CuredPtxFormTable *table, const CuredPtxInst *inst)
{
  for (guint i = 0; i < table->n[inst->op]; i++)
    {
      const CuredPtxForm *form = table->rows[inst->op][i];
      uint64_t left = get_groups (inst->op);

      if (!takes_all_types (form, inst))
        continue;
      for (; left != 0; left &= left - 1)
        if (!takes_word (form, (guint) __builtin_ctzll (left), inst->words[__builtin_ctzll (left)]))
          break;
      if (left == 0)
        return form;
    }
  return NULL;
}

/* ---- Explaining a mismatch ---- */

/* ".a, .b or .c" */
static void
append_list (GString *text, guint n_names, const bool *is_named, const char *(*get_name) (guint))
{
  guint left = 0, n = 0;

  for (guint i = 0; i < n_names; i++)
    left += is_named[i];
  for (guint i = 0; i < n_names; i++)
    if (is_named[i])
      {
        left--;
        g_string_append_printf (text, "%s.%s",
                                n == 0      ? ""
                                : left == 0 ? " or "
                                            : ", ",
                                get_name (i));
        n++;
      }
}

static const char *
get_type_name (guint type)
{
  return _cured_ptx_types[type].word;
}

static const char *
get_word_name (guint word)
{
  return _cured_ptx_word_names[word];
}

static void
explain_types (GString *text, const CuredPtxForm *const *rows, guint n, const CuredPtxInst *inst)
{
  static const char *const numbers[] = { "no type", "one type", "two types", "three types" };
  static const char *const ordinals[] = { "first", "second", "third" };
  bool counts[G_N_ELEMENTS (numbers)] = { false };
  bool types[CURED_PTX_N_TYPES] = { false };
  const char *separator = "takes ";
  guint at = 0;

  for (guint i = 0; i < n; i++)
    counts[count_types (rows[i])] = true;
  if (!counts[MIN (inst->n_types, G_N_ELEMENTS (numbers) - 1)])
    {
      for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
        if (counts[i])
          {
            g_string_append_printf (text, "%s%s", separator, numbers[i]);
            separator = " or ";
          }
      return;
    }
  for (; at + 1 < inst->n_types; at++)
    {
      bool fits = false;

      for (guint i = 0; i < n; i++)
        fits |= takes_types (rows[i], inst, at + 1);
      if (!fits)
        break;
    }
  for (guint i = 0; i < n; i++)
    if (takes_types (rows[i], inst, at) && count_types (rows[i]) == inst->n_types)
      for (guint type = 1; type < CURED_PTX_N_TYPES; type++)
        types[type] |= (rows[i]->types[at] >> type & 1) != 0;
  g_string_append (text, "takes ");
  append_list (text, CURED_PTX_N_TYPES, types, get_type_name);
  g_string_append_printf (text, " as its %s type", ordinals[at]);
}

/* Appends the words of @inst before @group, or its types: those that conflict with its word in
 * @group. */
static void
append_rest (GString *text, const CuredPtxForm *const *rows, guint n, const CuredPtxInst *inst,
             guint group)
{
  bool is_of_types = true;

  for (guint i = 0; i < n; i++)
    is_of_types &=
        !takes_all_types (rows[i], inst) || !takes_word (rows[i], group, inst->words[group]);
  if (!is_of_types)
    {
      g_string_append (text, " with ");
      for (guint g = 0; g < group; g++)
        if (inst->words[g] != CURED_PTX_NO_WORD)
          g_string_append_printf (text, ".%s", _cured_ptx_word_names[inst->words[g]]);
    }
  else if (inst->n_types > 0)
    {
      g_string_append (text, " for ");
      for (guint i = 0; i < inst->n_types; i++)
        g_string_append_printf (text, ".%s", _cured_ptx_types[inst->types[i]].word);
    }
}

/* Returns: (transfer full): the reason why @inst has no form: "takes no .sat for .u32" */
char *
_cured_ptx_explain (const CuredPtxFormTable *table, const CuredPtxInst *inst)
{
  const CuredPtxForm *const *rows = table->rows[inst->op];
  guint n = table->n[inst->op];
  g_autofree const CuredPtxForm **left = g_new (const CuredPtxForm *, n + 1);
  guint n_left = 0;
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < n; i++)
    if (takes_all_types (rows[i], inst))
      left[n_left++] = rows[i];
  if (n_left == 0)
    {
      explain_types (text, rows, n, inst);
      return g_string_free (text, FALSE);
    }
  for (guint group = 0; group < CURED_PTX_N_GROUPS; group++)
    {
      guint word = inst->words[group];
      bool words[CURED_PTX_N_WORDS] = { false };
      bool has_choice = false;
      guint n_before = n_left;

      if ((get_groups (inst->op) >> group & 1) == 0)
        continue;
      n_left = 0;
      for (guint i = 0; i < n_before; i++)
        {
          for (guint w = 1; w < CURED_PTX_N_WORDS; w++)
            if (_cured_ptx_word_groups[w] == group && takes_word (left[i], group, w))
              words[w] = has_choice = true;
          if (takes_word (left[i], group, word))
            left[n_left++] = left[i];
        }
      if (n_left > 0)
        continue;
      g_string_append (text, word == CURED_PTX_NO_WORD ? "needs " : "takes ");
      if (has_choice)
        append_list (text, CURED_PTX_N_WORDS, words, get_word_name);
      if (word != CURED_PTX_NO_WORD)
        {
          g_string_append_printf (text, "%s .%s", has_choice ? ", not" : "no",
                                  _cured_ptx_word_names[word]);
          append_rest (text, rows, n, inst, group);
        }
      break;
    }
  return g_string_free (text, FALSE);
}
