/* SPDX-License-Identifier: MIT
 * Constants of a source as parameters: a draft whose map has two axes.
 *
 * A definition in one line, `#define TILE 16` or `const int TILE = 16;`, is hidden from the
 * drafter, which then writes the name in place of the number. In the kernel file, the definition is
 * inside an #ifndef, so that the parameter's -D takes precedence and the file still compiles by
 * itself. */
#include "draft/cured-header-draft-internal.h"

#include "base/cured-base-internal.h"
#include "kernel/cured-ptx-text-internal.h"

/* Limit of constants tried per source. */
#define MAX_CONSTANTS 16

/* Larger constants are not sizes of tiles, blocks or unrolled loops. */
#define MOST 65536

/* Limit of a parameter's values. */
#define N_VALUES 6

/* Threads of a block. */
#define MOST_THREADS 1024

/* The name is group 2, the number group 3. */
#define DEFINITIONS                                                                                \
  "^([ \\t]*#[ \\t]*define[ \\t]+|(?:(?:static|constexpr|const|inline|unsigned|signed|long|short|" \
  "int|size_t|__device__|__constant__|auto|uint32_t|int32_t)[ \\t]+)+)([A-Z][A-Z0-9_]*)"           \
  "[ \\t]*(?:=[ \\t]*)?\\(?(\\d{1,6})[uUlL]*\\)?[ \\t]*;?[ \\t]*(?://.*|/\\*[^\\n]*\\*/[ \\t]*)?$"

/* The literal is group 1. */
#define LAUNCH_OF_LITERAL "<<<[^;{}]*,[ \\t\\n]*(\\d{2,4})[ \\t\\n]*(?:,[^;{}<>]*)?>>>"

typedef struct
{
  char *name;
  gint64 value;
  gsize begin, end;     /* of the definition; both 0: a literal of the launch */
  gboolean is_argument; /* of the kernel's template */
} Constant;

CURED_CLEAR_FUNC (Constant, constant_clear, name, g_free)

static GArray *
find_constants (const char *source)
{
  GArray *list = g_array_new (FALSE, FALSE, sizeof (Constant));
  g_autoptr (GRegex) regex = g_regex_new (DEFINITIONS, G_REGEX_MULTILINE | G_REGEX_RAW, 0, NULL);
  g_autoptr (GMatchInfo) match = NULL;

  g_array_set_clear_func (list, constant_clear);
  for (g_regex_match (regex, source, 0, &match);
       g_match_info_matches (match) && list->len < MAX_CONSTANTS; g_match_info_next (match, NULL))
    {
      g_autofree char *name = g_match_info_fetch (match, 2);
      g_autofree char *number = g_match_info_fetch (match, 3);
      Constant constant = { .value = g_ascii_strtoll (number, NULL, 10) };
      gboolean is_again = FALSE;
      int begin, end;

      for (guint i = 0; i < list->len; i++)
        is_again |= g_str_equal (g_array_index (list, Constant, i).name, name);
      if (is_again || constant.value < 1 || constant.value > MOST ||
          !g_match_info_fetch_pos (match, 0, &begin, &end))
        continue;
      constant.name = g_steal_pointer (&name);
      constant.begin = (gsize) begin;
      constant.end = (gsize) end;
      g_array_append_val (list, constant);
    }
  return list;
}

/* The source without the definitions, with the same line numbers. */
static char *
hide (const char *source, const GArray *constants)
{
  char *text = g_strdup (source);

  CURED_EACH (const Constant, constant, constants)
    if (constant->end > constant->begin)
      memset (text + constant->begin, ' ', constant->end - constant->begin);
  return text;
}

/* The kernel's own text, from its name to the brace that ends it. */
static char *
dup_body (const char *source, const CuredDraftFunction *function)
{
  g_autofree char *pattern =
      g_strdup_printf ("__global__[^;{}]*\\b%s\\b[^;{}]*\\{", function->name);
  g_autoptr (GRegex) regex = g_regex_new (pattern, G_REGEX_RAW, 0, NULL);
  g_autoptr (GMatchInfo) match = NULL;
  int depth = 1, begin, at;

  if (!g_regex_match (regex, source, 0, &match) || !g_match_info_fetch_pos (match, 0, &begin, &at))
    return g_strdup ("");
  for (; source[at] != '\0' && depth > 0; at++)
    depth += (source[at] == '{') - (source[at] == '}');
  return g_strndup (source + begin, (gsize) (at - begin));
}

/* Names a literal number of threads in the launch, if the kernel uses blockDim and does not contain
 * the number. Returns: (transfer full): the text with a name in place of the number, and of the
 * number less one */
static char *
name_literal (const char *text, const char *body, GArray *constants)
{
  g_autoptr (GRegex) regex = g_regex_new (LAUNCH_OF_LITERAL, G_REGEX_RAW, 0, NULL);
  g_autoptr (GMatchInfo) match = NULL;
  Constant constant = { 0 };
  int begin, end;

  if (!g_regex_match (regex, text, 0, &match) || !_cured_text_has_word (body, "blockDim") ||
      _cured_text_has_word (text, "THREADS"))
    return g_strdup (text);
  g_autofree char *number = g_match_info_fetch (match, 1);
  constant.value = g_ascii_strtoll (number, NULL, 10);
  if (constant.value < 32 || constant.value > MOST_THREADS || _cured_text_has_word (body, number) ||
      !g_match_info_fetch_pos (match, 0, &begin, &end))
    return g_strdup (text);
  g_autofree char *launch = g_strndup (text + begin, (gsize) (end - begin));
  g_autofree char *less = g_strdup_printf ("%" PRId64, constant.value - 1);
  g_autofree char *named = _cured_draft_text_replace (launch, number, "THREADS");
  g_autofree char *both = _cured_draft_text_replace (named, less, "(THREADS-1)");
  constant.name = g_strdup ("THREADS");
  g_array_append_val (constants, constant);
  return g_strdup_printf ("%.*s%s%s", begin, text, both, text + end);
}

static gboolean
has_name (const CuredHeaderDraft *draft, const char *name)
{
  return (draft->grid != NULL && _cured_text_has_word (draft->grid, name)) ||
         (draft->block != NULL && _cured_text_has_word (draft->block, name)) ||
         (draft->shared != NULL && _cured_text_has_word (draft->shared, name));
}

/* Powers of two around the value, and the value. Of a block's only size, from a warp on. */
static char *
list_values (gint64 value, gint64 most, gboolean is_alone)
{
  gint64 power = 1, first;
  gboolean is_written = FALSE;
  GString *text = g_string_new (NULL);

  while (power * 2 <= (is_alone ? most : MIN (value * 4, most)))
    power *= 2;
  first = MAX (power >> (N_VALUES - 1), 1);
  for (gint64 v = first; v <= power; v *= 2)
    {
      if (!is_written && v > value)
        g_string_append_printf (text, "%s%" PRId64, text->len > 0 ? "," : "", value);
      is_written |= v >= value;
      g_string_append_printf (text, "%s%" PRId64, text->len > 0 ? "," : "", v);
    }
  if (!is_written)
    g_string_append_printf (text, "%s%" PRId64, text->len > 0 ? "," : "", value);
  return g_string_free (text, FALSE);
}

/* The greatest extent of a dimension of the block; for a square one, the root. */
static gint64
get_most (const CuredHeaderDraft *draft, const char *name)
{
  g_auto (GStrv) parts = draft->block != NULL ? g_strsplit (draft->block, ",", -1) : NULL;
  guint n = 0;

  for (guint i = 0; parts != NULL && parts[i] != NULL; i++)
    n += _cured_text_has_word (parts[i], name);
  return n == 0 ? MOST : n == 1 ? MOST_THREADS : 32;
}

/* Whether @name alone is the size of the block. */
static gboolean
is_alone (const CuredHeaderDraft *draft, const char *name)
{
  return g_strcmp0 (draft->block, name) == 0;
}

static CuredDraftParameter *
find_parameter (const CuredHeaderDraft *draft, const char *name)
{
  CURED_EACH_POINTER (CuredDraftParameter, parameter, draft->parameters)
    if (g_str_equal (parameter->name, name))
      return parameter;
  return NULL;
}

static void
use_constant (CuredHeaderDraft *draft, const Constant *constant, const char *body)
{
  gboolean is_literal = constant->end == 0;
  CuredDraftParameter *parameter = find_parameter (draft, constant->name);

  if (parameter == NULL && !constant->is_argument &&
      (is_literal || !_cured_text_has_word (body, constant->name)))
    return;
  if (parameter == NULL)
    {
      parameter = g_new0 (CuredDraftParameter, 1);
      parameter->name = g_strdup (constant->name);
      g_ptr_array_add (draft->parameters, parameter);
    }
  g_free (parameter->values);
  g_free (parameter->default_value);
  parameter->kind =
      is_literal && !constant->is_argument ? CURED_PARAMETER_LAUNCH : CURED_PARAMETER_COMPILE;
  parameter->values = list_values (constant->value, get_most (draft, constant->name),
                                   is_alone (draft, constant->name));
  parameter->default_value = g_strdup_printf ("%" PRId64, constant->value);
  parameter->is_guess = FALSE;
}

/* @text: arguments or parameters of a template, without the outer angle brackets
 * @length: its bytes
 *
 * Returns: (transfer full) (element-type utf8): the parts between commas outside of brackets,
 *   stripped; one empty text for an empty list */
GPtrArray *
cured_template_split (const char *text, gsize length)
{
  GPtrArray *parts = g_ptr_array_new_with_free_func (g_free);
  gsize begin = 0;
  int depth = 0;

  for (gsize i = 0; i <= length; i++)
    if (i == length || (text[i] == ',' && depth == 0))
      {
        g_ptr_array_add (parts, g_strstrip (g_strndup (text + begin, i - begin)));
        begin = i + 1;
      }
    else
      depth += (strchr ("<({", text[i]) != NULL) - (strchr (">)}", text[i]) != NULL);
  return parts;
}

/* (transfer full): the arguments of the kernel's template in its first launch */
static GPtrArray *
find_given (const char *source, const char *kernel)
{
  g_autofree char *pattern =
      g_strdup_printf ("\\b%s[ \\t\\n]*<(?!<<)([^;{}]*?)>[ \\t\\n]*<<<", kernel);
  g_autoptr (GRegex) regex = g_regex_new (pattern, G_REGEX_RAW, 0, NULL);
  g_autoptr (GMatchInfo) match = NULL;

  if (!g_regex_match (regex, source, 0, &match))
    return cured_template_split ("", 0);
  g_autofree char *text = g_match_info_fetch (match, 1);
  return cured_template_split (text, strlen (text));
}

static Constant *
find_constant (GArray *constants, const char *name)
{
  CURED_EACH (Constant, constant, constants)
    if (g_str_equal (constant->name, name))
      return constant;
  return NULL;
}

/* Makes a constant for a block size that is also a template argument, under a new name: a macro
 * with the template parameter's name would replace that. */
static Constant *
name_block (CuredHeaderDraft *draft, const char *source, const char *number, GArray *constants)
{
  static const char *const names[] = { "THREADS", "BLOCK_THREADS", "THREADS_OF_BLOCK" };
  Constant constant = { .value = g_ascii_strtoll (number, NULL, 10), .is_argument = TRUE };
  g_autofree char *less = g_strdup_printf ("%" PRId64, constant.value - 1);
  gsize i = 0;

  while (i < G_N_ELEMENTS (names) && _cured_text_has_word (source, names[i]))
    i++;
  if (i == G_N_ELEMENTS (names) || constant.value < 2 || constant.value > MOST_THREADS)
    return NULL;
  g_autofree char *smaller = g_strdup_printf ("(%s-1)", names[i]);
  _cured_draft_replace_in (&draft->block, number, names[i]);
  _cured_draft_replace_in (&draft->shared, number, names[i]);
  _cured_draft_replace_in (&draft->grid, number, names[i]);
  _cured_draft_replace_in (&draft->grid, less, smaller);
  constant.name = g_strdup (names[i]);
  g_array_append_val (constants, constant);
  return &g_array_index (constants, Constant, constants->len - 1);
}

/* Numbers in the launch's template arguments: a constant used there, or the size of the block.
 * Others are taken from @plain, which knows the constants. */
static void
use_template (CuredHeaderDraft *draft, const CuredHeaderDraft *plain, const char *source,
              const char *kernel, GArray *constants)
{
  const char *open = plain->entry != NULL ? strchr (plain->entry, '<') : NULL;
  g_autoptr (GPtrArray) given = find_given (source, kernel);

  if (open == NULL)
    return;
  g_autoptr (GPtrArray) arguments = cured_template_split (open + 1, strlen (open) - 2);
  for (guint i = 0; i < arguments->len; i++)
    {
      const char *number = arguments->pdata[i];
      Constant *constant = i < given->len ? find_constant (constants, given->pdata[i]) : NULL;

      if (!g_ascii_isdigit (*number) || strspn (number, "0123456789") != strlen (number))
        continue;
      for (guint k = 0; k < constants->len && constant == NULL; k++)
        {
          Constant *other = &g_array_index (constants, Constant, k);

          if (other->end == 0 && other->value == g_ascii_strtoll (number, NULL, 10))
            constant = other;
        }
      if (constant == NULL && draft->block != NULL && _cured_text_has_word (draft->block, number))
        constant = name_block (draft, source, number, constants);
      if (constant == NULL)
        continue;
      constant->is_argument = TRUE;
      g_free (arguments->pdata[i]);
      arguments->pdata[i] = g_strdup (constant->name);
    }
  g_ptr_array_add (arguments, NULL);
  g_autofree char *joined = g_strjoinv (", ", (char **) arguments->pdata);
  g_free (draft->entry);
  draft->entry = g_strdup_printf ("%.*s<%s>", (int) (open - plain->entry), plain->entry, joined);
}

/* The last values of a list. */
static char *
take_last (const char *values, guint n)
{
  g_auto (GStrv) parts = g_strsplit (values, ",", -1);
  guint length = g_strv_length (parts);

  return g_strjoinv (",", parts + (length > n ? length - n : 0));
}

/* Whether buffers grow with the problem: each depends on a parameter, has one element, or is
 * constant memory. */
static gboolean
may_grow (const CuredHeaderDraft *draft)
{
  CURED_EACH_POINTER (const CuredDraftBuffer, buffer, draft->buffers)
    {
      gboolean depends = buffer->is_constant || g_str_equal (buffer->length, "1");

      for (guint k = 0; k < draft->parameters->len && !depends; k++)
        depends = _cured_text_has_word (
            buffer->length, ((CuredDraftParameter *) draft->parameters->pdata[k])->name);
      if (!depends || (g_str_equal (buffer->fill, "values") && !buffer->is_constant))
        return FALSE;
    }
  return TRUE;
}

/* Gives a parameter enough values for an axis: for a block size, usual ones; for a problem size,
 * multiples of the host's, which blocks divide as well; for a guess, smaller ones. */
static void
widen (CuredHeaderDraft *draft, CuredDraftParameter *parameter)
{
  static const int factors[] = { 2, 3, 4, 6, 8, 12, 16 };
  gint64 value = g_ascii_strtoll (parameter->default_value, NULL, 10);
  gboolean is_problem = parameter->kind == CURED_PARAMETER_PROBLEM;
  g_autoptr (GString) text = g_string_new (parameter->values);
  g_auto (GStrv) parts = g_strsplit (text->str, ",", -1);
  guint n = g_strv_length (parts);

  if (value < 1 || (!is_problem && parameter->values != NULL))
    return;
  if (!is_problem && parameter->kind == CURED_PARAMETER_LAUNCH && draft->block != NULL &&
      _cured_text_has_word (draft->block, parameter->name))
    parameter->values =
        list_values (value, get_most (draft, parameter->name), is_alone (draft, parameter->name));
  if (!is_problem || n == 0)
    return;
  for (gint64 less = g_ascii_strtoll (parts[0], NULL, 10) / 2;
       parameter->is_guess && n < N_VALUES && less >= 16; less /= 2, n++)
    {
      g_autofree char *before = g_strdup_printf ("%" PRId64 ",", less);

      g_string_prepend (text, before);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (factors) && n < N_VALUES && may_grow (draft); i++, n++)
    g_string_append_printf (text, ",%" PRId64, value * factors[i]);
  g_free (parameter->values);
  parameter->values = g_strdup (text->str);
}

/* Sweeps parameters of the launch first, then known problem sizes, then parameters that only the
 * kernel uses. */
static void
choose_sweep (CuredHeaderDraft *draft)
{
  guint n_axes = 0;

  for (guint i = 0; i < draft->parameters->len; i++)
    widen (draft, draft->parameters->pdata[i]);
  for (int round = 0; round < 4; round++)
    for (guint i = 0; i < draft->parameters->len && n_axes < 2; i++)
      {
        CuredDraftParameter *parameter = draft->parameters->pdata[i];
        gboolean is_problem = parameter->kind == CURED_PARAMETER_PROBLEM;
        int rank = is_problem && parameter->is_guess   ? 2
                   : is_problem                        ? 1
                   : has_name (draft, parameter->name) ? 0
                                                       : 3;

        if (rank != round || parameter->sweep != NULL || parameter->values == NULL ||
            strchr (parameter->values, ',') == NULL)
          continue;
        parameter->sweep = take_last (parameter->values, N_VALUES + 1);
        n_axes++;
      }
}

/* @source: a CUDA file's text
 * @context: (nullable): what it includes
 * @function: of @source
 * @title: title of the kernel
 *
 * Drafts as cured_header_draft_new_from_source() does, and makes parameters of the constants that
 * the kernel or its launch depends on: `#define`s and `const`s of one line, a literal block size
 * in the launch of a kernel that uses blockDim, and both as template arguments. The default sweep
 * has two of the parameters. cured_header_draft_apply() then puts the definitions into an
 * `#ifndef`.
 * Returns: (transfer full): a draft */
CuredHeaderDraft *
cured_header_draft_new_tunable (const char *source, const char *context,
                                const CuredDraftFunction *function, const char *title)
{
  g_autoptr (CuredHeaderDraft) plain =
      cured_header_draft_new_from_source (source, context, function, title);
  g_autoptr (GArray) constants = find_constants (source);
  g_autofree char *body = dup_body (source, function), *hidden = hide (source, constants);
  g_autofree char *named = name_literal (hidden, body, constants);

  g_autoptr (CuredHeaderDraft) draft =
      cured_header_draft_new_from_source (named, context, function, title);
  /* Something else depended on the number. */
  if (draft->buffers->len != plain->buffers->len ||
      g_strcmp0 (draft->arguments, plain->arguments) != 0)
    {
      choose_sweep (plain);
      return g_steal_pointer (&plain);
    }
  use_template (draft, plain, source, function->name, constants);
  for (guint i = 0; i < constants->len; i++)
    use_constant (draft, &g_array_index (constants, Constant, i), body);
  choose_sweep (draft);
  return g_steal_pointer (&draft);
}

/* Lets a parameter's -D go before the definitions of its name: (transfer full) */
char *
_cured_header_draft_guard (const CuredHeaderDraft *self, const char *source)
{
  g_autoptr (GArray) constants = find_constants (source);
  GString *text = g_string_new (source);

  for (guint i = constants->len; i-- > 0;)
    {
      const Constant *constant = &g_array_index (constants, Constant, i);
      const CuredDraftParameter *parameter = find_parameter (self, constant->name);

      if (parameter == NULL || parameter->kind != CURED_PARAMETER_COMPILE)
        continue;
      g_autofree char *guard = g_strdup_printf ("#ifndef %s\n", constant->name);
      g_autofree char *before = g_strndup (source, constant->begin);
      if (g_str_has_suffix (before, guard))
        continue;
      g_string_insert (text, (gssize) constant->end, "\n#endif");
      g_string_insert (text, (gssize) constant->begin, guard);
    }
  return g_string_free (text, FALSE);
}
