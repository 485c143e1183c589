/* SPDX-License-Identifier: MIT
 * Translates types and expressions of host code to the language of kernel files. */
#include "draft/cured-draft-private.h"

#include "base/cured-base-internal.h"
#include "kernel/cured-kernel-internal.h"

/* Granularity of rows of pitched memory. */
#define PITCH 512

static gboolean translate (CuredDrafting *self, const CuredTokenSpan *span, guint depth,
                           CuredDraftValue *value);

/* ---- Types ---- */

/* Bytes of a type; 0: not known. */
gsize
_cured_draft_measure_type (CuredDrafting *self, const CuredTokens *tokens, guint begin, guint end,
                           guint depth)
{
  g_autoptr (GString) name = g_string_new (NULL);
  guint last = begin;

  if (depth > MAX_DEPTH || self->nodes++ > MAX_NODES)
    return 0;
  for (guint i = begin; i < end; i++)
    {
      if (sign (tokens, i) == '*')
        return 8;
      if (!is_word (tokens, i))
        continue;
      if (!is (tokens, i, "const") && !is (tokens, i, "struct") && !is (tokens, i, "std") &&
          !is (tokens, i, "volatile"))
        {
          g_autofree char *word = _cured_tokens_dup (tokens, i);

          if (name->len > 0)
            g_string_append_c (name, ' ');
          g_string_append (name, word);
          last = i;
        }
    }
  gsize size = _cured_draft_get_type_size (name->str);
  if (size > 0 || name->len == 0 || strchr (name->str, ' ') != NULL)
    return size;
  {
    const CuredTokens *macro = g_hash_table_lookup (self->source->macros, name->str);
    const CuredTokens *all = self->source->tokens;
    CuredTokenSpan span = { tokens, last, last + 1, -1 };

    if (tokens == all)
      {
        span.function = _cured_draft_find_function_at (self->source, last);
        _cured_draft_follow_type (self->source, &span);
        if (span.begin != last)
          return _cured_draft_measure_type (self, span.tokens, span.begin, span.end, depth + 1);
      }

    if (macro != NULL)
      return _cured_draft_measure_type (self, macro, 0, macro->tokens->len, depth + 1);
    /* typedef float NAME; using NAME = float; */
    for (guint i = 0; i + 3 < all->tokens->len; i++)
      {
        guint to = i + 1;

        if (is (all, i, "using") && _cured_draft_is_same (all, i + 1, tokens, last) &&
            sign (all, i + 2) == '=')
          return _cured_draft_measure_type (self, all, i + 3,
                                            _cured_draft_find_value_end (all, i + 3), depth + 1);
        if (!is (all, i, "typedef"))
          continue;
        while (to < all->tokens->len && to < i + 16 && sign (all, to) != ';' &&
               sign (all, to) != '{')
          to++;
        if (sign (all, to) == ';' && _cured_draft_is_same (all, to - 1, tokens, last))
          return _cured_draft_measure_type (self, all, i + 1, to - 1, depth + 1);
      }
  }
  /* A template's own type is float unless the code says otherwise. */
  if (self->kernel->is_template && name->len <= 2)
    return 4;
  g_autoptr (CuredRecord) record =
      _cured_record_new_from_source (self->source->source, name->str, NULL);
  return record != NULL ? record->size : 0;
}

/* Bytes of the operand of `sizeof` at @i: a type, or an expression of one name; @next is behind
 * it. */
gsize
_cured_draft_get_sizeof (CuredDrafting *self, const CuredTokenSpan *span, guint i, guint depth,
                         guint *next)
{
  const CuredTokens *tokens = span->tokens;
  gboolean is_bracket = sign (tokens, i + 1) == '(' && match (tokens, i + 1) < span->end;
  guint begin = is_bracket ? i + 2 : i + 1;
  guint end = is_bracket ? match (tokens, i + 1) : begin, stars = 0;
  CuredDeclared declared;

  while (!is_bracket && end < span->end && sign (tokens, end) == '*')
    end++;
  if (!is_bracket && is_word (tokens, end))
    for (end++; end < span->end && match (tokens, end) < span->end && sign (tokens, end) == '[';)
      end = match (tokens, end) + 1;
  *next = is_bracket ? end + 1 : end;
  while (begin < end && sign (tokens, begin) == '*')
    {
      stars++;
      begin++;
    }
  for (guint k = begin + 1; k < end && stars < 8; k++)
    if (sign (tokens, k) == '[' && match (tokens, k) < end)
      {
        stars++;
        k = match (tokens, k);
      }
  if (begin >= end)
    return 0;
  if (stars == 0 && (_cured_draft_is_type_word (tokens, begin) || end > begin + 1))
    return _cured_draft_measure_type (self, tokens, begin, end, depth);
  if (!is_word (tokens, begin) ||
      !_cured_draft_find_declaration (
          self->source, tokens, begin, span->function,
          tokens == self->source->tokens ? begin : self->launch->chevron, &declared))
    return _cured_draft_measure_type (self, tokens, begin, end, depth);
  if (declared.stars > stars)
    return 8;
  _cured_draft_follow_type (self->source, &declared.type);
  gsize size = _cured_draft_measure_type (self, declared.type.tokens, declared.type.begin,
                                          declared.type.end, depth);
  if (size == 0)
    return _cured_draft_measure_type (self, tokens, begin, end, depth);
  for (; declared.bracket != 0 && stars == 0 && sign (tokens, declared.bracket) == '[' &&
         match (tokens, declared.bracket) != CURED_TOKEN_NONE;
       declared.bracket = match (tokens, declared.bracket) + 1)
    {
      CuredTokenSpan length = { tokens, declared.bracket + 1, match (tokens, declared.bracket),
                                span->function };
      g_autofree char *text = _cured_draft_make_expr (self, &length, NULL);
      gint64 n = 0;

      /* The length of its list. */
      if (length.begin == length.end && sign (tokens, length.end + 2) == '{')
        {
          g_autoptr (GArray) items = _cured_draft_split (
              tokens, length.end + 3, match (tokens, length.end + 2), span->function);

          n = items->len;
        }
      else if (text == NULL || !_cured_draft_get_constant (text, &n))
        return 0;
      if (n < 1 || !g_size_checked_mul (&size, size, (gsize) n))
        return 0;
    }
  return size;
}

/* ---- Expressions ---- */

typedef struct
{
  CuredDrafting *draft;
  CuredTokenSpan span;
  guint at, depth;
  CuredDraftValue *value; /* the text that grows */
} Reader;

static gboolean read_ternary (Reader *self, GString *text, gboolean *is_real);

const char *
_cured_draft_dup_name (CuredDrafting *self, const char *name)
{
  /* Names that a header keeps for itself. */
  return _cured_draft_is_taken (name) ? "_" : "";
}

gboolean
_cured_draft_has_draft_parameter (const CuredHeaderDraft *self, const char *name)
{
  for (guint i = 0; i < self->parameters->len; i++)
    if (g_str_equal (((CuredDraftParameter *) self->parameters->pdata[i])->name, name))
      return TRUE;
  return FALSE;
}

/* The value, halved repeatedly, so that smaller problems keep divisors of the host's
 * size. */
static char *
list_values (gint64 value, gboolean is_flat)
{
  gint64 list[24];
  gint64 unit = is_flat && value % 256 == 0 ? 256 : value % 32 == 0 ? 32 : 16;
  guint n = 0;
  GString *text = g_string_new (NULL);

  for (gint64 v = value; n < G_N_ELEMENTS (list) && v >= unit; v /= 2)
    {
      list[n++] = v;
      if (v % 2 == 0 && (unit == 16 || v / 2 % unit == 0))
        continue;
      /* Then of a multiple of the blocks, since numbers like 10^8 can't be halved often. */
      if (v < LARGE || v / 2 < unit)
        break;
      v = v / 2 / unit * unit * 2;
    }
  if (n == 0)
    list[n++] = value;
  while (n-- > 0)
    g_string_append_printf (text, "%s%" PRId64, text->len > 0 ? "," : "", list[n]);
  return g_string_free (text, FALSE);
}

/* Makes a host variable a parameter of the kernel file. */
void
_cured_draft_add_parameter (CuredDrafting *self, const char *name, gint64 value, gboolean is_known)
{
  g_autofree char *lower = g_ascii_strdown (name, -1);
  gboolean is_per_sm = strstr (lower, "persm") != NULL || strstr (lower, "per_sm") != NULL;
  gboolean is_shape = is_per_sm || strstr (lower, "block") != NULL ||
                      strstr (lower, "thread") != NULL || strstr (lower, "grid") != NULL ||
                      strstr (lower, "tile") != NULL;

  if (_cured_draft_has_draft_parameter (self->draft, name))
    return;
  CuredDraftParameter *parameter =
      CURED_NEW (CuredDraftParameter, .name = g_strdup (name), .is_guess = !is_known);
  if (!is_known)
    {
      value = 1024;
      if (is_per_sm)
        value = 1;
      else if (is_shape)
        value = strstr (lower, "grid") != NULL || strstr (lower, "num") != NULL
                    ? 64
                    : (!self->is_flat                                                   ? 16
                       : g_str_has_suffix (lower, "y") || g_str_has_suffix (lower, "z") ? 1
                                                                                        : 256);
      else if (strstr (lower, "batch") != NULL || strstr (lower, "iter") != NULL ||
               strstr (lower, "step") != NULL || strstr (lower, "repeat") != NULL)
        value = 4;
      else if (strstr (lower, "pitch") != NULL)
        value = 1024;
      else if (strstr (lower, "kernel") != NULL || strstr (lower, "filter") != NULL ||
               strstr (lower, "mask") != NULL || strstr (lower, "radius") != NULL ||
               strstr (lower, "channel") != NULL || strstr (lower, "component") != NULL ||
               g_str_has_prefix (lower, "krow") || g_str_has_prefix (lower, "kcol"))
        value = 3;
      else if (strstr (lower, "stride") != NULL || g_str_has_suffix (lower, "pad") ||
               strstr (lower, "padding") != NULL || g_str_has_prefix (lower, "pad_") ||
               strstr (lower, "offset") != NULL || strstr (lower, "idx") != NULL ||
               g_str_has_suffix (name, "Id") || g_str_equal (lower, "id") ||
               g_str_has_suffix (lower, "_id"))
        value = 1;
    }
  parameter->kind = is_shape || value < 64 ? CURED_PARAMETER_LAUNCH : CURED_PARAMETER_PROBLEM;
  parameter->values =
      parameter->kind == CURED_PARAMETER_PROBLEM ? list_values (value, self->is_flat) : NULL;
  parameter->default_value = g_strdup_printf ("%" PRId64, value);
  g_ptr_array_add (self->draft->parameters, parameter);
}

static gboolean
no_name_cb (const char *name, CuredNumber *value, gpointer user_data)
{
  return FALSE;
}

/* The number of an expression without names. */
gboolean
_cured_draft_get_constant (const char *text, gint64 *value)
{
  g_autoptr (CuredExpr) expr = cured_expr_parse (text, NULL);

  return expr != NULL && cured_expr_evaluate_integer (expr, no_name_cb, NULL, value, NULL);
}

/* Appends the translation of a span to @text, in brackets if needed. */
static gboolean
append_span (Reader *self, const CuredTokenSpan *span, GString *text, gboolean *is_real)
{
  CuredDraftValue value = { g_string_new (NULL), FALSE };
  gboolean is_done = translate (self->draft, span, self->depth + 1, &value);
  gint64 number;

  if (is_done && value.text->len < MAX_EXPR)
    {
      gboolean is_plain =
          strspn (value.text->str, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "_.") == value.text->len;

      if (!value.is_real && _cured_draft_get_constant (value.text->str, &number))
        g_string_append_printf (text, "%" PRId64, number);
      else
        g_string_append_printf (text, is_plain ? "%s" : "(%s)", value.text->str);
      *is_real |= value.is_real;
    }
  is_done = is_done && value.text->len < MAX_EXPR;
  g_string_free (value.text, TRUE);
  return is_done;
}

/* A component of a dim3: 0 is x. A missing component is 1, but x of a scalar is its value. */
static gboolean
append_component (Reader *self, const CuredTokenSpan *span, guint part, GString *text)
{
  const CuredTokens *tokens = span->tokens;
  guint open = span->begin;
  g_autoptr (GArray) list = NULL;
  gboolean is_real = FALSE;

  if (self->depth > MAX_DEPTH)
    return FALSE;
  /* (dim3 (x, y)) of a macro, and what a function returns. */
  CuredTokenSpan inside = (CuredTokenSpan){ tokens, open + 1, span->end - 1, span->function };
  if ((sign (tokens, open) == '(' && is (tokens, open + 1, "dim3") &&
       match (tokens, open) + 1 == span->end) ||
      (!is (tokens, open, "dim3") &&
       _cured_draft_find_returned (self->draft->source, span, &inside)))
    {
      Reader next = *self;

      next.depth++;
      return append_component (&next, &inside, part, text);
    }
  /* dim3 grid; grid.x = …; */
  if (span->end == open + 1 && is_word (tokens, open) && span->function >= 0)
    {
      const CuredHostSource *source = self->draft->source;
      guint before = tokens == source->tokens ? open : self->draft->launch->chevron;
      guint body = g_array_index (source->functions, CuredHostFunction, span->function).body;

      inside.function = span->function;
      if (_cured_draft_find_member (source, tokens, open, "x\0y\0z" + 2 * part, body, before,
                                    &inside))
        return append_span (self, &inside, text, &is_real);
      /* An argument: dim3 cover (int n, dim3 block). */
      CuredDeclared declared;
      if (_cured_draft_find_declaration (source, tokens, open, span->function, before, &declared) &&
          is (declared.type.tokens, declared.type.end - 1, "dim3") &&
          _cured_draft_resolve (self->draft, tokens, open, span->function, before, 0, &inside))
        {
          Reader next = *self;

          next.depth++;
          return append_component (&next, &inside, part, text);
        }
    }
  if (is (tokens, open, "dim3") || is (tokens, open, "uint3"))
    open++;
  /* All of it: (n + 255) / 256 begins with a bracket, too. */
  if ((sign (tokens, open) == '(' || sign (tokens, open) == '{') &&
      match (tokens, open) + 1 == span->end)
    {
      list = _cured_draft_split (tokens, open + 1, match (tokens, open), span->function);
      if (list->len <= part)
        {
          g_string_append_c (text, '1');
          return TRUE;
        }
      inside = g_array_index (list, CuredTokenSpan, part);
      return append_span (self, &inside, text, &is_real);
    }
  if (part > 0)
    {
      g_string_append_c (text, '1');
      return TRUE;
    }
  return append_span (self, span, text, &is_real);
}

/* n = 1 << 20: a size that may be varied. Values computed from the file's constants or from other
 * variables follow these, and template arguments are in the kernel's name. */
static gboolean
find_variable (const CuredDrafting *self, const char *name, const CuredTokenSpan *value,
               const char *text, gint64 *number)
{
  for (guint i = value->begin; i < value->end; i++)
    if (is_word (value->tokens, i))
      {
        g_autofree char *word = _cured_tokens_dup (value->tokens, i);
        CuredTokenSpan constant;

        if (g_str_equal (word, "sizeof") || _cured_draft_resolve_constant (self, word, &constant) ||
            _cured_draft_resolve (self, value->tokens, i, value->function, value->begin, 0,
                                  &constant))
          return FALSE;
      }
  if (value->tokens == self->source->tokens && value->begin > self->launch->arguments &&
      value->end < self->launch->arguments_end)
    return FALSE;
  if (self->launch->arguments != 0 &&
      _cured_draft_has_word (self->source->tokens, self->launch->arguments,
                             self->launch->arguments_end, name))
    return FALSE;
  return _cured_draft_get_constant (text, number) && *number >= 64;
}

static gboolean
get_value (const CuredHeaderDraft *draft, const char *name, gboolean is_least, CuredNumber *value)
{
  CURED_EACH_POINTER (const CuredDraftParameter, parameter, draft->parameters)
    {
      const char *text =
          is_least && parameter->values != NULL ? parameter->values : parameter->default_value;

      if (!g_str_equal (parameter->name, name))
        continue;
      *value = (CuredNumber){ .integer = g_ascii_strtoll (text, NULL, 10) };
      return TRUE;
    }
  return FALSE;
}

/* The least value of a parameter of those so far. */
static gboolean
get_least_cb (const char *name, CuredNumber *value, gpointer user_data)
{
  return get_value (user_data, name, TRUE, value);
}

gboolean
_cured_draft_get_default_cb (const char *name, CuredNumber *value, gpointer user_data)
{
  return get_value (user_data, name, FALSE, value);
}

/* A product of numbers and parameters that is too large for a check even at their least values,
 * such as 1024 * 1024 * chunks: it becomes one parameter. */
static gboolean
is_too_large (const CuredDrafting *self, const char *text, gint64 *number)
{
  /* Guesses can be made smaller themselves. */
  CURED_EACH_POINTER (const CuredDraftParameter, parameter, self->draft->parameters)
    if (parameter->is_guess && strstr (text, parameter->name) != NULL)
      return FALSE;
  if (_cured_draft_get_constant (text, number) ||
      strspn (text, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "_*()") != strlen (text))
    return FALSE;
  g_autoptr (CuredExpr) expr = cured_expr_parse (text, NULL);
  return expr != NULL &&
         cured_expr_evaluate_integer (expr, get_least_cb, self->draft, number, NULL) &&
         *number >= HUGE_SIZE &&
         cured_expr_evaluate_integer (expr, _cured_draft_get_default_cb, self->draft, number, NULL);
}

/* Whether a span begins with a type of integers: `int`, `unsigned int`, `size_t`. */
static gboolean
is_integer_type (const CuredTokens *tokens, guint i)
{
  CuredElement type;
  guint count;
  g_autofree char *word = i < tokens->tokens->len ? _cured_tokens_dup (tokens, i) : NULL;

  return word != NULL && cured_element_find_c_type (word, &type, &count) && count == 1 &&
         cured_element_is_integer (type);
}

/* A real that is converted to an integer loses its fraction. */
static void
append_cast (GString *text, const char *value, gboolean was_real, gboolean is_integer)
{
  g_autoptr (CuredExpr) expr = was_real && is_integer ? cured_expr_parse (value, NULL) : NULL;
  double real;

  if (expr != NULL && cured_expr_evaluate_double (expr, no_name_cb, NULL, &real, NULL) &&
      fabs (real) < 0x1p53)
    g_string_append_printf (text, "%" PRId64, (gint64) real);
  else
    g_string_append_printf (text, was_real && is_integer ? "floor(%s)" : "%s", value);
}

/* As append_span(), of what is assigned: `int n = 0.5 * m` has no fraction. */
static gboolean
append_converted (Reader *self, const CuredTokenSpan *span, GString *text, gboolean *is_real)
{
  g_autoptr (GString) value = g_string_new (NULL);
  gboolean is_integer = span->begin > 2 && sign (span->tokens, span->begin - 1) == '=' &&
                        is_integer_type (span->tokens, span->begin - 3);
  gboolean was_real = FALSE, was_assigned = self->draft->is_assigned;

  self->draft->is_assigned = TRUE;
  gboolean is_done = append_span (self, span, value, &was_real);
  self->draft->is_assigned = was_assigned;
  if (!is_done)
    return FALSE;
  append_cast (text, value->str, was_real, is_integer);
  *is_real |= was_real && !is_integer;
  return TRUE;
}

/* Members of cudaDeviceProp that have a name in expressions. */
static const struct
{
  const char *name, *limit;
} properties[] = {
  { "multiProcessorCount", "sms" },
  { "maxThreadsPerBlock", "max_threads_per_block" },
  { "maxThreadsPerMultiProcessor", "max_threads_per_sm" },
  { "sharedMemPerBlock", "shared_per_block" },
  { "warpSize", "warp_size" },
};

/* The number of elements of a host container, which is the whole @span: from `std::vector<int> a
 * (n)`, a list, or its last resize. */
static gboolean
append_size (Reader *self, CuredTokenSpan span, GString *text, gboolean *is_real)
{
  const CuredHostSource *source = self->draft->source;
  const CuredTokens *tokens = source->tokens;
  CuredDeclared declared;

  for (guint turn = 0; turn < 4 && span.tokens == tokens && span.end == span.begin + 1; turn++)
    {
      CuredTokenSpan next, name = span;

      for (guint i = span.begin; i > 0; i--)
        if (is (tokens, i, "resize") && sign (tokens, i - 1) == '.' &&
            _cured_draft_is_same (tokens, i - 2, tokens, name.begin) &&
            sign (tokens, i + 1) == '(' && match (tokens, i + 1) != CURED_TOKEN_NONE &&
            _cured_draft_find_function_at (source, i) == span.function)
          return append_span (
              self, &(CuredTokenSpan){ tokens, i + 2, match (tokens, i + 1), span.function }, text,
              is_real);
      if (!_cured_draft_resolve (self->draft, tokens, span.begin, span.function, span.begin, 0,
                                 &next))
        return FALSE;
      span = next;
      if (span.end == span.begin + 1)
        continue;
      if (!_cured_draft_find_declaration (source, tokens, name.begin, name.function, name.begin,
                                          &declared) ||
          !(_cured_draft_has_word (tokens, declared.type.begin, declared.type.end, "vector") ||
            _cured_draft_has_word (tokens, declared.type.begin, declared.type.end, "auto")))
        return FALSE;
    }
  while (span.begin < span.end && sign (span.tokens, span.begin) != '(' &&
         sign (span.tokens, span.begin) != '{')
    span.begin++;
  if (span.begin >= span.end || match (span.tokens, span.begin) + 1 != span.end)
    return FALSE;
  g_autoptr (GArray) items =
      _cured_draft_split (span.tokens, span.begin + 1, span.end - 1, span.function);
  if (items->len == 0)
    return FALSE;
  if (sign (span.tokens, span.begin) == '(')
    return append_span (self, &g_array_index (items, CuredTokenSpan, 0), text, is_real);
  g_string_append_printf (text, "%u", items->len);
  return TRUE;
}

/* The value of `NAME.METHOD ()`: the size of a container, or a returned field. */
static gboolean
append_method (Reader *self, const CuredTokenSpan *name, guint method, GString *text,
               gboolean *is_real)
{
  const CuredHostSource *source = self->draft->source;
  const CuredTokens *tokens = source->tokens;
  CuredTokenSpan value;

  if (name->tokens != tokens || name->function < 0 || match (tokens, method + 1) != method + 2)
    return FALSE;
  if (is (tokens, method, "size") && append_size (self, *name, text, is_real))
    return TRUE;
  CURED_EACH (const CuredHostFunction, function, source->functions)
    {
      guint body = function->body;

      if (!_cured_draft_is_same (tokens, function->name, tokens, method) ||
          !is (tokens, body + 1, "return") || match (tokens, body) != body + 4)
        continue;
      g_autofree char *field = _cured_tokens_dup (tokens, body + 2);
      return _cured_draft_find_field (self->draft, name, field, &value) &&
             append_span (self, &value, text, is_real);
    }
  return FALSE;
}

/* Whether the host's variable may be a parameter: while lengths are bounded, none is added. */
static gboolean
may_be_parameter (CuredDrafting *self, const char *word)
{
  g_autofree char *name = g_strconcat (word, _cured_draft_dup_name (self, word), NULL);

  return !self->is_bounding || _cured_draft_has_draft_parameter (self->draft, name);
}

/* Whether a name continues at @i: a nested member, an element, a call. */
static gboolean
is_path (const CuredTokens *tokens, guint i)
{
  char c = sign (tokens, i);

  return c == '.' || c == '[' || c == '(' || (c == '-' && sign (tokens, i + 1) == '>');
}

/* Appends the value of @word, @mine, or the name of a parameter with that value. */
static void
append_resolved (Reader *self, const char *word, const CuredTokenSpan *span, GString *mine,
                 gboolean may_be_named, GString *text)
{
  gint64 number;

  if (may_be_named && may_be_parameter (self->draft, word) &&
      (find_variable (self->draft, word, span, mine->str, &number) ||
       is_too_large (self->draft, mine->str, &number)))
    {
      g_string_printf (mine, "%s%s", word, _cured_draft_dup_name (self->draft, word));
      _cured_draft_add_parameter (self->draft, mine->str, number, TRUE);
    }
  g_string_append (text, mine->str);
}

/* A name, perhaps with parts: `n`, `grid.x`, `params.n`. */
static gboolean
read_name (Reader *self, GString *text, gboolean *is_real)
{
  const CuredTokens *tokens = self->span.tokens;
  guint name = self->at;
  g_autofree char *word = _cured_tokens_dup (tokens, name), *known = NULL, *pitch = NULL;
  CuredDeclared declared;
  guint part = G_MAXUINT;
  CuredTokenSpan span;
  guint before = tokens == self->draft->source->tokens ? name : self->draft->launch->chevron;

  self->at++;
  while (sign (tokens, self->at) == ':' && sign (tokens, self->at + 1) == ':' &&
         is_word (tokens, self->at + 2))
    {
      g_free (word);
      name = self->at + 2;
      word = _cured_tokens_dup (tokens, name);
      self->at += 3;
    }
  if (sign (tokens, self->at) == '.' && self->at + 1 < self->span.end)
    {
      if (is (tokens, self->at + 1, "x"))
        part = 0;
      else if (is (tokens, self->at + 1, "y"))
        part = 1;
      else if (is (tokens, self->at + 1, "z"))
        part = 2;
    }
  if (part != G_MAXUINT)
    {
      const CuredHostSource *source = self->draft->source;
      int function = self->span.function;

      self->at += 2;
      if (function >= 0 && _cured_draft_find_member (
                               source, tokens, name, "x\0y\0z" + 2 * part,
                               g_array_index (source->functions, CuredHostFunction, function).body,
                               MIN (before, source->tokens->tokens->len), &span))
        {
          span.function = function;
          return append_span (self, &span, text, is_real);
        }
      if (_cured_draft_resolve (self->draft, tokens, name, function, before, 0, &span))
        return append_component (self, &span, part, text);
    }
  /* Only the first component of an unknown dim3 is guessed. */
  if (part != G_MAXUINT && part > 0 &&
      _cured_draft_find_declaration (self->draft->source, tokens, name, self->span.function, before,
                                     &declared) &&
      is (declared.type.tokens, declared.type.end - 1, "dim3"))
    {
      g_string_append_c (text, '1');
      return TRUE;
    }
  /* a.in.n */
  guint end = self->at;
  while (part == G_MAXUINT && sign (tokens, end) == '.' && is_word (tokens, end + 1))
    end += 2;
  if (end > self->at + 2 && self->span.function >= 0 && !is_path (tokens, end))
    {
      const CuredHostSource *source = self->draft->source;
      g_autofree char *path = _cured_draft_dup_span (tokens, self->at + 1, end);

      span.function = self->span.function;
      if (_cured_draft_find_member (
              source, tokens, name, path,
              g_array_index (source->functions, CuredHostFunction, span.function).body, before,
              &span))
        {
          self->at = end;
          return append_span (self, &span, text, is_real);
        }
    }
  /* A member of something: a name of its own. */
  while (self->at + 1 < self->span.end &&
         (sign (tokens, self->at) == '.' ||
          (sign (tokens, self->at) == '-' && sign (tokens, self->at + 1) == '>')))
    {
      guint member = self->at + (sign (tokens, self->at) == '.' ? 1 : 2);

      if (!is_word (tokens, member))
        return FALSE;
      for (gsize i = 0; i < G_N_ELEMENTS (properties); i++)
        if (is (tokens, member, properties[i].name))
          {
            self->at = member + 1;
            g_string_append (text, properties[i].limit);
            return TRUE;
          }
      guint close = match (tokens, member + 1);
      gboolean is_call = sign (tokens, member + 1) == '(' && close < self->span.end;
      gboolean is_item = sign (tokens, member + 1) == '[' && close == member + 3;
      guint after = is_item ? close + 1 : member + 1;
      g_autofree char *next = _cured_draft_dup_span (tokens, member, after);
      CuredTokenSpan object = { tokens, name, name + 1, self->span.function };
      if (part == G_MAXUINT && self->span.function >= 0 && !is_path (tokens, after) &&
          _cured_draft_find_field (self->draft, &object, next, &span))
        {
          self->at = after;
          return append_span (self, &span, text, is_real);
        }
      self->at = is_call ? close + 1 : member + 1;
      if (is_call && part == G_MAXUINT && append_method (self, &object, member, text, is_real))
        return TRUE;
      /* x.size (1) */
      if (is_call && (self->draft->is_assigned || close > member + 3))
        return FALSE;
      next[is_item ? strcspn (next, "[ ") : strlen (next)] = '\0';
      g_autofree char *which =
          is_call ? _cured_draft_dup_span (tokens, member + 2, close) : g_strdup ("");
      char *joined = g_strconcat (word, "_", next, which, NULL);
      g_free (word);
      word = joined;
      part = 0;
    }
  if (sign (tokens, self->at) == '[')
    {
      gint64 index = 0;

      self->at = match (tokens, self->at) + 1;
      /* int threads[] = { 16, 8 }; threads[i] is the first one in a loop. */
      if (part == G_MAXUINT &&
          ((self->at == name + 4 && is_word (tokens, name + 2)) ||
           _cured_literal_fold (tokens, name + 2, self->at - 1, &index)) &&
          _cured_draft_resolve (self->draft, tokens, name, self->span.function, before, 0, &span) &&
          sign (span.tokens, span.begin) == '{' && match (span.tokens, span.begin) < span.end)
        {
          g_autoptr (GArray) items = _cured_draft_split (
              span.tokens, span.begin + 1, match (span.tokens, span.begin), span.function);

          if (index >= 0 && index < items->len)
            return append_span (self, &g_array_index (items, CuredTokenSpan, index), text, is_real);
        }
      part = 0;
    }
  if (self->at < self->span.end && sign (tokens, self->at) == '(')
    return FALSE;
  if (part == G_MAXUINT)
    {
      for (guint nth = 0; nth < 4; nth++)
        {
          guint n_before = self->draft->draft->parameters->len;

          if (!_cured_draft_resolve (self->draft, tokens, name, self->span.function, before, nth,
                                     &span))
            break;
          g_autoptr (GString) mine = g_string_new (NULL);
          gboolean was_const = is (span.tokens, span.begin, "dim3");
          if (append_converted (self, &span, mine, is_real) &&
              !(g_str_equal (mine->str, "0") &&
                _cured_draft_is_filled_elsewhere (self->draft->source, word)))
            {
              append_resolved (self, word, &span, mine, !was_const && !*is_real, text);
              return TRUE;
            }
          while (self->draft->draft->parameters->len > n_before)
            g_ptr_array_remove_index (self->draft->draft->parameters,
                                      self->draft->draft->parameters->len - 1);
        }
      if (_cured_draft_resolve_constant (self->draft, word, &span))
        {
          g_autoptr (GString) mine = g_string_new (NULL);

          if (append_converted (self, &span, mine, is_real))
            {
              append_resolved (self, word, &span, mine,
                               !*is_real &&
                                   !_cured_draft_is_seen_by_device (self->draft->source, word, 0),
                               text);
              return TRUE;
            }
        }
    }
  g_free (known);
  known = g_strconcat (word, _cured_draft_dup_name (self->draft, word), NULL);
  for (char *at = known; *at != '\0'; at++)
    if ((*at & 0x80) != 0 || *at == '$')
      return FALSE;
  if (_cured_draft_get_type_size (word) > 0)
    return FALSE;
  if (part == G_MAXUINT &&
      (pitch = _cured_draft_find_pitch (self->draft, NULL, word, NULL)) != NULL)
    {
      g_string_append (text, pitch);
      return TRUE;
    }
  _cured_draft_add_parameter (self->draft, known, 0, FALSE);
  CURED_EACH_POINTER (CuredDraftParameter, parameter, self->draft->draft->parameters)
    parameter->is_member |= part != G_MAXUINT && g_str_equal (parameter->name, known);
  g_string_append (text, known);
  return TRUE;
}

/* sizeof (float), max (a, b), ceil (x), div_up (a, b), … */
static gboolean
read_call (Reader *self, GString *text, gboolean *is_real)
{
  static const struct
  {
    const char *name, *call;
  } calls[] = { { "ceil", "ceil" },  { "ceilf", "ceil" }, { "max", "max" },     { "min", "min" },
                { "fmax", "max" },   { "fmin", "min" },   { "floor", "floor" }, { "sqrt", "sqrt" },
                { "sqrtf", "sqrt" }, { "log2", "log2" },  { "abs", "abs" } };
  const CuredTokens *tokens = self->span.tokens;
  g_autofree char *name = _cured_tokens_dup (tokens, self->at), *lower = g_ascii_strdown (name, -1);
  /* max<int> (a, b) */
  guint open = sign (tokens, self->at + 1) == '<'
                   ? _cured_tokens_skip_angles (tokens, self->at + 1, self->span.end)
                   : self->at + 1;
  guint close = match (tokens, open);
  gboolean is_first = TRUE;
  const char *call = NULL;
  guint first = self->at;
  CuredTokenSpan type = { tokens, first, first + 1, self->span.function };
  CuredTokenSpan returned;

  if (close == CURED_TOKEN_NONE || close >= self->span.end)
    return FALSE;
  self->at = close + 1;
  g_autoptr (GArray) list = _cured_draft_split (tokens, open + 1, close, self->span.function);
  if (tokens == self->draft->source->tokens)
    _cured_draft_follow_type (self->draft->source, &type);
  if (list->len == 1 && (_cured_draft_get_type_size (name) > 0 || type.begin != first))
    {
      gboolean is_integer = is_integer_type (type.tokens, type.end - 1), was_real = FALSE;
      g_autoptr (GString) value = g_string_new (NULL);

      if (!append_span (self, &g_array_index (list, CuredTokenSpan, 0), value, &was_real))
        return FALSE;
      append_cast (text, value->str, was_real, is_integer);
      *is_real |= !is_integer;
      return TRUE;
    }
  /* __float2half (x) */
  if (list->len == 1 && g_str_has_prefix (name, "__float2"))
    {
      *is_real = TRUE;
      return append_span (self, &g_array_index (list, CuredTokenSpan, 0), text, is_real);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (calls); i++)
    if (g_str_equal (calls[i].name, name))
      call = calls[i].call;
  if (call == NULL &&
      _cured_draft_find_returned (
          self->draft->source, &(CuredTokenSpan){ tokens, first, close + 1, self->span.function },
          &returned))
    return append_span (self, &returned, text, is_real);
  if (call == NULL && list->len == 2 && strstr (lower, "div") != NULL)
    {
      gboolean is_ratio = FALSE;

      g_string_append (text, "ceil(");
      if (!append_span (self, &g_array_index (list, CuredTokenSpan, 0), text, &is_ratio))
        return FALSE;
      g_string_append_c (text, '/');
      if (!append_span (self, &g_array_index (list, CuredTokenSpan, 1), text, &is_ratio))
        return FALSE;
      g_string_append_c (text, ')');
      return TRUE;
    }
  if (call == NULL || list->len == 0 || list->len > 2)
    return FALSE;
  g_string_append_printf (text, "%s(", call);
  for (guint i = 0; i < list->len; i++)
    {
      gboolean is_part_real = FALSE;

      if (!is_first)
        g_string_append_c (text, ',');
      is_first = FALSE;
      if (!append_span (self, &g_array_index (list, CuredTokenSpan, i), text, &is_part_real))
        return FALSE;
    }
  g_string_append_c (text, ')');
  return TRUE;
}

static gboolean
read_number (Reader *self, GString *text, gboolean *is_real)
{
  g_autofree char *word = _cured_tokens_dup (self->span.tokens, self->at++);
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];
  CuredNumber number;

  if (!_cured_literal_read (word, &number))
    return FALSE;
  *is_real |= number.is_double;
  if (!number.is_double)
    {
      g_string_append_printf (text, "%" PRId64, number.integer);
      return TRUE;
    }
  g_ascii_formatd (buffer, sizeof buffer, "%.9g", number.real);
  if (strpbrk (word, "fF") == NULL && g_ascii_strtod (buffer, NULL) != number.real)
    g_ascii_dtostr (buffer, sizeof buffer, number.real);
  g_string_append (text, buffer);
  return isfinite (number.real);
}

/* Whether the word at @at is called, perhaps as a template. */
static gboolean
is_call (const Reader *self)
{
  const CuredTokens *tokens = self->span.tokens;
  guint open = self->at + 1;

  if (open < self->span.end && sign (tokens, open) == '<')
    {
      open = _cured_tokens_skip_angles (tokens, open, self->span.end);
      if (open <= self->at + 2 || sign (tokens, open - 1) != '>')
        return FALSE;
    }
  return open < self->span.end && sign (tokens, open) == '(';
}

static gboolean
read_unary (Reader *self, GString *text, gboolean *is_real)
{
  const CuredTokens *tokens = self->span.tokens;

  if (self->at >= self->span.end || self->draft->nodes++ > MAX_NODES || text->len > MAX_EXPR)
    return FALSE;
  char c = sign (tokens, self->at);
  if (c == '-' || c == '+')
    {
      self->at++;
      if (c == '-')
        g_string_append_c (text, '-');
      return read_unary (self, text, is_real);
    }
  if (c == '(')
    {
      guint close = match (tokens, self->at);

      if (close == CURED_TOKEN_NONE || close >= self->span.end)
        return FALSE;
      gsize size =
          close - self->at <= 4
              ? _cured_draft_measure_type (self->draft, tokens, self->at + 1, close, MAX_DEPTH - 2)
              : 0;
      /* (float) n */
      if (size > 0 && close + 1 < self->span.end &&
          (is_word (tokens, close + 1) || sign (tokens, close + 1) == '(' ||
           CURED_TOKEN (tokens, close + 1)->kind == CURED_TOKEN_NUMBER))
        {
          gboolean is_integer = is_integer_type (tokens, close - 1), was_real = FALSE;
          g_autoptr (GString) value = g_string_new (NULL);

          self->at = close + 1;
          if (!read_unary (self, value, &was_real))
            return FALSE;
          append_cast (text, value->str, was_real, is_integer);
          *is_real |= !is_integer;
          return TRUE;
        }
      else
        {
          CuredTokenSpan inside = { tokens, self->at + 1, close, self->span.function };

          self->at = close + 1;
          return append_span (self, &inside, text, is_real);
        }
    }
  if (c != 0)
    return FALSE;
  if (CURED_TOKEN (tokens, self->at)->kind == CURED_TOKEN_NUMBER)
    return read_number (self, text, is_real);
  if (!is_word (tokens, self->at))
    return FALSE;
  if (is (tokens, self->at, "static_cast") && sign (tokens, self->at + 1) == '<')
    {
      guint open = _cured_tokens_skip_angles (tokens, self->at + 1, self->span.end);
      CuredTokenSpan inside = { tokens, open + 1, match (tokens, open), self->span.function };
      gboolean is_integer = is_integer_type (tokens, open - 2), was_real = FALSE;
      g_autoptr (GString) value = g_string_new (NULL);

      if (sign (tokens, open) != '(' || inside.end == CURED_TOKEN_NONE)
        return FALSE;
      self->at = inside.end + 1;
      if (!append_span (self, &inside, value, &was_real))
        return FALSE;
      append_cast (text, value->str, was_real, is_integer);
      *is_real |= !is_integer;
      return TRUE;
    }
  /* std::max (…) */
  if (is (tokens, self->at, "std") && sign (tokens, self->at + 1) == ':')
    self->at += 3;
  if (is (tokens, self->at, "true") || is (tokens, self->at, "false"))
    {
      g_string_append_c (text, is (tokens, self->at, "true") ? '1' : '0');
      self->at++;
      return TRUE;
    }
  if (is (tokens, self->at, "sizeof"))
    {
      gsize size =
          _cured_draft_get_sizeof (self->draft, &self->span, self->at, self->depth, &self->at);

      g_string_append_printf (text, "%zu", size > 0 ? size : 4);
      return TRUE;
    }
  /* util::div_up (…) */
  guint qualified = self->at;
  while (qualified + 3 < self->span.end && sign (tokens, qualified + 1) == ':' &&
         sign (tokens, qualified + 2) == ':' && is_word (tokens, qualified + 3))
    qualified += 3;
  if (is_call (&(Reader){ .span = self->span, .at = qualified }))
    {
      self->at = qualified;
      return read_call (self, text, is_real);
    }
  return is_word (tokens, self->at) && read_name (self, text, is_real);
}

/* The operator at @at: its words, its rank; 0 where there is none. */
static int
peek_operator (const Reader *self, const char **op, guint *n)
{
  static const struct
  {
    const char *op;
    int rank;
  } operators[] = { { "||", 1 }, { "&&", 2 }, { "==", 3 }, { "!=", 3 }, { "<=", 4 },
                    { ">=", 4 }, { "<<", 5 }, { ">>", 5 }, { "<", 4 },  { ">", 4 },
                    { "+", 6 },  { "-", 6 },  { "*", 7 },  { "/", 7 },  { "%", 7 } };
  const CuredTokens *tokens = self->span.tokens;
  char first = self->at < self->span.end ? sign (tokens, self->at) : 0;
  char second = self->at + 1 < self->span.end ? sign (tokens, self->at + 1) : 0;

  for (gsize i = 0; first != 0 && i < G_N_ELEMENTS (operators); i++)
    if (operators[i].op[0] == first && (operators[i].op[1] == '\0' || operators[i].op[1] == second))
      {
        *op = operators[i].op;
        *n = (guint) strlen (*op);
        return operators[i].rank;
      }
  return 0;
}

static gboolean
read_binary (Reader *self, int least, GString *text, gboolean *is_real)
{
  const char *op = NULL;
  guint n = 0;
  int rank;

  if (!read_unary (self, text, is_real))
    return FALSE;
  while ((rank = peek_operator (self, &op, &n)) >= least && rank > 0)
    {
      g_autoptr (GString) right = g_string_new (NULL);
      gboolean is_right_real = FALSE;

      self->at += n;
      if (!read_binary (self, rank + 1, right, &is_right_real))
        return FALSE;
      g_autofree char *left = g_strdup (text->str);
      if (g_str_equal (op, "<<"))
        g_string_printf (text, "(%s)*2^(%s)", left, right->str);
      else if (g_str_equal (op, ">>"))
        g_string_printf (text, "floor((%s)/2^(%s))", left, right->str);
      else if (*op == '/' && !*is_real && !is_right_real)
        {
          gint64 a, b;

          /* Whole numbers that come out even need no floor. */
          if (_cured_draft_get_constant (left, &a) && _cured_draft_get_constant (right->str, &b) &&
              b != 0)
            g_string_printf (text, "%" PRId64, a / b);
          else
            g_string_printf (text, "floor(%s/%s)", left, right->str);
        }
      else
        g_string_printf (text, "%s%s%s", left, op, right->str);
      *is_real |= is_right_real;
      if (text->len > MAX_EXPR)
        return FALSE;
    }
  return TRUE;
}

static gboolean
read_ternary (Reader *self, GString *text, gboolean *is_real)
{
  const CuredTokens *tokens = self->span.tokens;
  guint question = self->at;

  for (; question < self->span.end; question++)
    {
      if (sign (tokens, question) == '?')
        break;
      if (match (tokens, question) != CURED_TOKEN_NONE)
        question = match (tokens, question);
    }
  if (question < self->span.end)
    {
      guint colon = question;
      gboolean asks_command_line = FALSE;
      CuredTokenSpan parts[3];

      for (; colon < self->span.end && sign (tokens, colon) != ':'; colon++)
        if (match (tokens, colon) != CURED_TOKEN_NONE)
          colon = match (tokens, colon);
      for (guint i = self->at; i < question; i++)
        asks_command_line |= is (tokens, i, "argc") || is (tokens, i, "argv");
      if (asks_command_line && colon < self->span.end)
        {
          self->at = colon + 1;
          return read_ternary (self, text, is_real);
        }
      if (colon >= self->span.end)
        return FALSE;
      parts[0] = (CuredTokenSpan){ tokens, self->at, question, self->span.function };
      parts[1] = (CuredTokenSpan){ tokens, question + 1, colon, self->span.function };
      parts[2] = (CuredTokenSpan){ tokens, colon + 1, self->span.end, self->span.function };
      self->at = self->span.end;
      g_string_append_c (text, '(');
      for (guint i = 0; i < G_N_ELEMENTS (parts); i++)
        {
          gboolean is_part_real = FALSE;

          if (i > 0)
            g_string_append_c (text, i == 1 ? '?' : ':');
          if (!append_span (self, &parts[i], text, &is_part_real))
            return FALSE;
          *is_real |= i > 0 && is_part_real;
        }
      g_string_append_c (text, ')');
      return TRUE;
    }
  return read_binary (self, 1, text, is_real);
}

/* Translates C to a kernel file's language. FALSE if that is not possible; the result is then
 * useless. */
static gboolean
translate (CuredDrafting *self, const CuredTokenSpan *span, guint depth, CuredDraftValue *value)
{
  Reader reader = {
    .draft = self, .span = *span, .at = span->begin, .depth = depth, .value = value
  };

  if (depth > MAX_DEPTH || span->begin >= span->end || span->end > span->tokens->tokens->len)
    return FALSE;
  /* int n { 3 }; */
  if (sign (span->tokens, span->begin) == '{' && match (span->tokens, span->begin) + 1 == span->end)
    {
      reader.at = reader.span.begin = span->begin + 1;
      reader.span.end = span->end - 1;
    }
  return read_ternary (&reader, value->text, &value->is_real) && reader.at == reader.span.end;
}

/* An expression, or NULL. */
char *
_cured_draft_make_expr (CuredDrafting *self, const CuredTokenSpan *span, gboolean *is_real)
{
  CuredDraftValue value = { g_string_new (NULL), FALSE };
  gint64 number;

  if (!translate (self, span, 0, &value) || value.text->len > MAX_EXPR)
    {
      g_string_free (value.text, TRUE);
      return NULL;
    }
  if (is_real != NULL)
    *is_real = value.is_real;
  if (!value.is_real && _cured_draft_get_constant (value.text->str, &number))
    g_string_printf (value.text, "%" PRId64, number);
  return g_string_free (value.text, FALSE);
}

/* grid and block: up to three expressions. */
char *
_cured_draft_make_extent (CuredDrafting *self, const CuredTokenSpan *span)
{
  GString *text = g_string_new (NULL);
  CuredTokenSpan whole = *span;
  Reader reader = { .draft = self, .depth = 1 };
  const CuredTokens *tokens = whole.tokens;
  g_autoptr (GPtrArray) parts = g_ptr_array_new_with_free_func (g_free);

  /* Follow a host variable, through several assignments. */
  for (guint turn = 0; turn < 6 && whole.end == whole.begin + 1 && is_word (tokens, whole.begin);
       turn++)
    {
      CuredTokenSpan next, returned;
      guint before = tokens == self->source->tokens ? whole.begin : self->launch->chevron;

      if (_cured_draft_resolve (self, tokens, whole.begin, whole.function, before, 0, &next))
        ;
      else
        {
          g_autofree char *word = _cured_tokens_dup (tokens, whole.begin);

          if (!_cured_draft_resolve_constant (self, word, &next))
            break;
        }
      /* A number keeps its name. */
      if (!is (next.tokens, next.begin, "dim3") && sign (next.tokens, next.begin) != '(' &&
          sign (next.tokens, next.begin) != '{' &&
          !(next.end == next.begin + 1 && is_word (next.tokens, next.begin)) &&
          !_cured_draft_find_returned (self->source, &next, &returned))
        break;
      /* dim3 grid (x, y), or int n = (a + b) / c. */
      if (sign (next.tokens, next.begin) == '(' && match (next.tokens, next.begin) + 1 != next.end)
        break;
      whole = next;
      tokens = whole.tokens;
    }
  reader.span = whole;
  for (guint i = 0; i < 3; i++)
    {
      GString *part = g_string_new (NULL);
      gint64 number;

      if (!append_component (&reader, &whole, i, part))
        {
          g_string_free (part, TRUE);
          break;
        }
      if (_cured_draft_get_constant (part->str, &number))
        g_string_printf (part, "%" PRId64, number);
      g_ptr_array_add (parts, g_string_free (part, FALSE));
    }
  while (parts->len > 1 && g_str_equal (parts->pdata[parts->len - 1], "1"))
    g_ptr_array_remove_index (parts, parts->len - 1);
  for (guint i = 0; i < parts->len; i++)
    {
      char *part = parts->pdata[i];
      gsize n = strlen (part);

      /* Remove brackets around the whole. */
      g_string_append_printf (text, "%s", i > 0 ? "," : "");
      if (n > 2 && part[0] == '(' && part[n - 1] == ')' && strchr (part + 1, '(') == NULL)
        g_string_append_len (text, part + 1, (gssize) n - 2);
      else
        g_string_append (text, part);
    }
  if (text->len == 0)
    {
      g_string_free (text, TRUE);
      return NULL;
    }
  return g_string_free (text, FALSE);
}

/* Whether @name occurs from @begin to @end. */
gboolean
_cured_draft_mentions (const CuredTokens *tokens, guint begin, guint end,
                       const CuredHostPointer *pointer)
{
  const CuredTokens *names = pointer->name.tokens;
  gboolean has_name = FALSE, has_member = pointer->member == 0;

  for (guint i = begin; i < end; i++)
    if (is_word (tokens, i))
      {
        has_name |= _cured_draft_is_same (tokens, i, names, pointer->name.begin);
        has_member |=
            !has_member && _cured_draft_is_same (tokens, i, names, pointer->member) &&
            (pointer->outer == 0 ||
             (i > begin + 1 && _cured_draft_is_same (tokens, i - 2, names, pointer->outer)));
      }
  return has_name && has_member;
}

/* Bytes of a row that cudaMallocPitch (…, &NAME, width, height) allocates; NULL if there is no such
 * call. @target: (nullable): gets the pointer; @rows: (out) (optional): number of rows */
char *
_cured_draft_find_pitch (CuredDrafting *self, const CuredHostPointer *target, const char *name,
                         CuredTokenSpan *rows)
{
  const CuredTokens *tokens = self->source->tokens;

  CURED_EACH_WORD (i, tokens, "cudaMallocPitch")
    {
      guint close = match (tokens, i + 1);
      g_autofree char *width = NULL;

      if (close == CURED_TOKEN_NONE)
        continue;
      g_autoptr (GArray) list = _cured_draft_split (
          tokens, i + 2, close, _cured_draft_find_function_at (self->source, i));
      const CuredTokenSpan *parts = (const CuredTokenSpan *) (gpointer) list->data;
      if (list->len < 4 ||
          (target != NULL ? !_cured_draft_mentions (tokens, parts[0].begin, parts[0].end, target)
                          : !_cured_draft_has_word (tokens, parts[1].begin, parts[1].end, name)) ||
          (width = _cured_draft_make_expr (self, &parts[2], NULL)) == NULL)
        continue;
      if (rows != NULL)
        *rows = parts[3];
      return g_strdup_printf ("ceil((%s)/%d)*%d", width, PITCH, PITCH);
    }
  return NULL;
}

/* Size of the pointer's target in bytes; 4 if unknown. */
gsize
_cured_draft_find_size (const char *source, const char *type, gboolean is_template)
{
  g_auto (CuredHostSource) all = { 0 };
  g_autofree char *plain = g_strdup (type);
  CuredDraftFunction kernel = { .is_template = is_template };
  CuredDrafting draft = { .source = &all, .kernel = &kernel };

  g_strdelimit (plain, "*&", ' ');
  g_autoptr (CuredTokens) tokens = _cured_tokens_new (plain);
  _cured_draft_source_init (&all, source, NULL);
  gsize size = _cured_draft_measure_type (&draft, tokens, 0, tokens->tokens->len, 0);
  return size > 0 ? size : 4;
}
