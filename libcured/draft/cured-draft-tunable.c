/* SPDX-License-Identifier: MIT
 * Constants of a source as parameters: a draft whose map has two axes.
 *
 * A definition that is one line, `#define TILE 16` or `const int TILE = 16;`, is hidden from the
 * drafter, which then writes the name where it would have written the number. In the kernel file the
 * definition is inside an #ifndef, so that the parameter's -D goes before it and the file still
 * compiles by itself. */
#include "draft/cured-header-draft-internal.h"

#include <inttypes.h>
#include <string.h>

#include "base/cured-each-internal.h"
#include "base/cured-own.h"

/* Constants that are tried, of a source. */
#define MAX_CONSTANTS 16

/* A constant beyond is no size of a tile or a block, and what is unrolled. */
#define MOST 65536

/* Values that a parameter gets, at most. */
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
  gsize begin, end; /* of the definition; both 0: a literal of the launch */
} Constant;

CURED_CLEAR_FUNC (Constant, constant_clear, name, g_free)

static gboolean
has_word (const char *text, const char *word)
{
  g_autofree char *pattern = g_strdup_printf ("\\b%s\\b", word);

  return g_regex_match_simple (pattern, text, 0, 0);
}

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

/* The source without the definitions, each line where it was. */
static char *
hide (const char *source, const GArray *constants)
{
  char *text = g_strdup (source);

  CURED_EACH (const Constant, constant, constants)
    if (constant->end > constant->begin)
      memset (text + constant->begin, ' ', constant->end - constant->begin);
  return text;
}

static char *
replace_word (const char *text, const char *word, const char *by)
{
  g_autofree char *pattern = g_strdup_printf ("\\b%s\\b", word);
  g_autoptr (GRegex) regex = g_regex_new (pattern, G_REGEX_RAW, 0, NULL);

  return g_regex_replace_literal (regex, text, -1, 0, by, 0, NULL);
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

/* A literal number of threads in the launch: a parameter, where the kernel asks how large
 * its block is and has nothing of that size. Returns: (transfer full): the text with a name in the
 * place of the number, and in that of the number less one */
static char *
name_literal (const char *text, const char *body, GArray *constants)
{
  g_autoptr (GRegex) regex = g_regex_new (LAUNCH_OF_LITERAL, G_REGEX_RAW, 0, NULL);
  g_autoptr (GMatchInfo) match = NULL;
  Constant constant = { 0 };
  g_autofree char *number = NULL, *less = NULL, *launch = NULL, *named = NULL, *both = NULL;
  int begin, end;

  if (!g_regex_match (regex, text, 0, &match) || !has_word (body, "blockDim") ||
      has_word (text, "THREADS"))
    return g_strdup (text);
  number = g_match_info_fetch (match, 1);
  constant.value = g_ascii_strtoll (number, NULL, 10);
  if (constant.value < 32 || constant.value > MOST_THREADS || has_word (body, number) ||
      !g_match_info_fetch_pos (match, 0, &begin, &end))
    return g_strdup (text);
  launch = g_strndup (text + begin, (gsize) (end - begin));
  less = g_strdup_printf ("%" PRId64, constant.value - 1);
  named = replace_word (launch, number, "THREADS");
  both = replace_word (named, less, "(THREADS-1)");
  constant.name = g_strdup ("THREADS");
  g_array_append_val (constants, constant);
  return g_strdup_printf ("%.*s%s%s", begin, text, both, text + end);
}

static gboolean
has_name (const CuredHeaderDraft *draft, const char *name)
{
  return (draft->grid != NULL && has_word (draft->grid, name)) ||
         (draft->block != NULL && has_word (draft->block, name)) ||
         (draft->shared != NULL && has_word (draft->shared, name));
}

/* Powers of two around the value, and the value: what threads are of, up to a block's. */
static char *
list_values (gint64 value, gint64 most)
{
  gint64 power = 1, first;
  gboolean is_written = FALSE;
  GString *text = g_string_new (NULL);

  while (power * 2 <= MIN (value * 4, most))
    power *= 2;
  first = MAX (power >> (N_VALUES - 1), 1);
  for (gint64 v = first; v <= power; v *= 2)
    {
      if (!is_written && v > value && value >= first)
        g_string_append_printf (text, "%s%" PRId64, text->len > 0 ? "," : "", value);
      is_written |= v >= value;
      g_string_append_printf (text, "%s%" PRId64, text->len > 0 ? "," : "", v);
    }
  if (!is_written)
    g_string_append_printf (text, "%s%" PRId64, text->len > 0 ? "," : "", value);
  return g_string_free (text, FALSE);
}

/* The threads that a dimension of the block may have: of a square one, the root. */
static gint64
get_most (const CuredHeaderDraft *draft, const char *name)
{
  g_auto (GStrv) parts = draft->block != NULL ? g_strsplit (draft->block, ",", -1) : NULL;
  guint n = 0;

  for (guint i = 0; parts != NULL && parts[i] != NULL; i++)
    n += has_word (parts[i], name);
  return n == 0 ? MOST : n == 1 ? MOST_THREADS : 32;
}

static CuredDraftParameter *
find_parameter (const CuredHeaderDraft *draft, const char *name)
{
  for (guint i = 0; i < draft->parameters->len; i++)
    {
      CuredDraftParameter *parameter = draft->parameters->pdata[i];

      if (g_str_equal (parameter->name, name))
        return parameter;
    }
  return NULL;
}

static void
use_constant (CuredHeaderDraft *draft, const Constant *constant, const char *body)
{
  gboolean is_literal = constant->end == 0;
  CuredDraftParameter *parameter = find_parameter (draft, constant->name);

  if (parameter == NULL && (is_literal || !has_word (body, constant->name)))
    return;
  if (parameter == NULL)
    {
      parameter = g_new0 (CuredDraftParameter, 1);
      parameter->name = g_strdup (constant->name);
      g_ptr_array_add (draft->parameters, parameter);
    }
  g_free (parameter->values);
  g_free (parameter->default_value);
  parameter->kind = is_literal ? CURED_PARAMETER_LAUNCH : CURED_PARAMETER_COMPILE;
  parameter->values = list_values (constant->value, get_most (draft, constant->name));
  parameter->default_value = g_strdup_printf ("%" PRId64, constant->value);
  parameter->is_guess = FALSE;
}

/* The last values of a list. */
static char *
take_last (const char *values, guint n)
{
  g_auto (GStrv) parts = g_strsplit (values, ",", -1);
  guint length = g_strv_length (parts);

  return g_strjoinv (",", parts + (length > n ? length - n : 0));
}

/* What shapes the launch is swept first, then the problem, then what the kernel alone knows. */
static void
choose_sweep (CuredHeaderDraft *draft)
{
  guint n_axes = 0;

  for (int round = 0; round < 3; round++)
    for (guint i = 0; i < draft->parameters->len && n_axes < 2; i++)
      {
        CuredDraftParameter *parameter = draft->parameters->pdata[i];
        int rank = parameter->kind == CURED_PARAMETER_PROBLEM ? 1
                   : has_name (draft, parameter->name)        ? 0
                                                              : 2;

        if (rank != round || parameter->sweep != NULL || parameter->values == NULL ||
            strchr (parameter->values, ',') == NULL)
          continue;
        parameter->sweep = take_last (parameter->values, N_VALUES + 1);
        n_axes++;
      }
}

/**
 * cured_header_draft_new_tunable:
 * @source: a CUDA file's text
 * @context: (nullable): what it includes
 * @function: of @source
 * @title: of the kernel
 *
 * Drafts as cured_header_draft_new_from_source() does, and makes parameters of the constants that
 * the kernel or its launch depends on: `#define`s and `const`s of a line, and a block's size that is
 * written in the launch of a kernel which asks for it. The default sweep has two of the parameters.
 * cured_header_draft_apply() then puts the definitions into an `#ifndef`.
 *
 * Returns: (transfer full): a draft */
CuredHeaderDraft *
cured_header_draft_new_tunable (const char *source, const char *context,
                                const CuredDraftFunction *function, const char *title)
{
  g_autoptr (CuredHeaderDraft) plain =
      cured_header_draft_new_from_source (source, context, function, title);
  g_autoptr (CuredHeaderDraft) draft = NULL;
  g_autoptr (GArray) constants = find_constants (source);
  g_autofree char *body = dup_body (source, function);
  g_autofree char *hidden = hide (source, constants);
  g_autofree char *named = name_literal (hidden, body, constants);

  draft = cured_header_draft_new_from_source (named, context, function, title);
  /* Something else depended on a number. */
  if (draft->buffers->len != plain->buffers->len ||
      g_strcmp0 (draft->arguments, plain->arguments) != 0)
    {
      choose_sweep (plain);
      return g_steal_pointer (&plain);
    }
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
      g_autofree char *before = NULL, *guard = NULL;

      if (parameter == NULL || parameter->kind != CURED_PARAMETER_COMPILE)
        continue;
      guard = g_strdup_printf ("#ifndef %s\n", constant->name);
      before = g_strndup (source, constant->begin);
      if (g_str_has_suffix (before, guard))
        continue;
      g_string_insert (text, (gssize) constant->end, "\n#endif");
      g_string_insert (text, (gssize) constant->begin, guard);
    }
  return g_string_free (text, FALSE);
}
