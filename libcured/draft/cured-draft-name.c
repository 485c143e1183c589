/* SPDX-License-Identifier: MIT
 * Values of names in host code: by assignments, callers, constants and macros. */
#include "draft/cured-draft-private.h"

#include "base/cured-each-internal.h"
#include "kernel/cured-kernel-internal.h"

/* Whether the function adds to the variable, which starts with 0 at @value, or doubles one that
 * starts with 1: its final value is unknown. A loop's counter counts as 0. */
static gboolean
is_accumulated (const CuredHostSource *source, const CuredTokens *names, guint name, int function,
                const CuredTokenSpan *value)
{
  const CuredTokens *tokens = source->tokens;
  const CuredHostFunction *where = &g_array_index (source->functions, CuredHostFunction, function);

  gint64 start;

  if (value->tokens != tokens || value->end != value->begin + 1 || value->begin < 4 ||
      !_cured_literal_fold (tokens, value->begin, value->end, &start) || start < 0 || start > 1)
    return FALSE;
  for (guint i = value->begin; i > where->body && !_cured_draft_ends_statement (sign (tokens, i));
       i--)
    if (is (tokens, i - 1, "for"))
      return FALSE;
  for (guint i = where->body; i < match (tokens, where->body); i++)
    if (is_word (tokens, i) && _cured_draft_is_same (tokens, i, names, name) &&
        (start == 0 ? (sign (tokens, i + 1) == '+' &&
                       (sign (tokens, i + 2) == '=' || sign (tokens, i + 2) == '+')) ||
                          (sign (tokens, i - 1) == '+' && sign (tokens, i - 2) == '+') ||
                          /* n = n + … */
                          (sign (tokens, i + 1) == '=' && is_word (tokens, i + 2) &&
                           _cured_draft_is_same (tokens, i + 2, names, name) &&
                           sign (tokens, i + 3) == '+')
                    : (sign (tokens, i + 1) == '*' && sign (tokens, i + 2) == '=') ||
                          (sign (tokens, i + 1) == '<' && sign (tokens, i + 2) == '<' &&
                           sign (tokens, i + 3) == '=')))
      return TRUE;
  return FALSE;
}

/* A member of the function's class, or a variable of the file, that another function sets. */
static gboolean
find_set_elsewhere (const CuredHostSource *source, const CuredTokens *names, guint name,
                    int function, CuredTokenSpan *span)
{
  const CuredTokens *tokens = source->tokens;
  CuredDeclared declared;

  /* A local variable, whose value is unknown. */
  if (_cured_draft_find_declaration (source, names, name, function, tokens->tokens->len,
                                     &declared) &&
      _cured_draft_find_function_at (source, declared.type.begin) == function)
    return FALSE;
  for (guint k = 0; k < source->functions->len; k++)
    {
      const CuredHostFunction *other = &g_array_index (source->functions, CuredHostFunction, k);
      guint end = match (tokens, other->body);

      /* Bench (size_t n) : n_ (n) */
      for (guint i = match (tokens, other->open); i + 1 < other->body; i++)
        if (is_word (tokens, i) && _cured_draft_is_same (tokens, i, names, name) &&
            (sign (tokens, i + 1) == '(' || sign (tokens, i + 1) == '{') &&
            match (tokens, i + 1) != CURED_TOKEN_NONE)
          {
            *span = (CuredTokenSpan){ tokens, i + 2, match (tokens, i + 1), (int) k };
            return TRUE;
          }
      if ((int) k == function || other->is_device || end == CURED_TOKEN_NONE ||
          _cured_draft_find_parameter (source, (int) k, names, name) >= 0 ||
          !_cured_draft_find_assignment (source, names, name, other->body, end, 0, span) ||
          span->begin < 3 || sign (tokens, span->begin - 1) != '=' ||
          !_cured_draft_ends_statement (sign (tokens, span->begin - 3)) ||
          (_cured_draft_find_declaration (source, names, name, (int) k, end, &declared) &&
           _cured_draft_find_function_at (source, declared.type.begin) == (int) k))
        continue;
      span->function = (int) k;
      return TRUE;
    }
  return FALSE;
}

/* Finds a name's value, in the function or by its callers; @nth: index of the assignment, from the
 * last one back. */
gboolean
_cured_draft_resolve (const CuredDrafting *self, const CuredTokens *names, guint name, int function,
                      guint before, guint nth, CuredTokenSpan *span)
{
  const CuredHostSource *source = self->source;
  int parameter;
  CuredTokenSpan call;

  span->function = function;
  if (function >= 0)
    {
      const CuredHostFunction *where =
          &g_array_index (source->functions, CuredHostFunction, function);

      if (_cured_draft_find_assignment (source, names, name, where->body, before, nth, span))
        return !is_accumulated (source, names, name, function, span) &&
               !(is_word (source->tokens, span->begin) &&
                 _cured_draft_is_same (source->tokens, span->begin, names, name) &&
                 _cured_draft_find_assignment (source, names, name, where->body, before, nth + 1,
                                               &call) &&
                 is_accumulated (source, names, name, function, &call));
      if (nth > 0)
        return FALSE;
      parameter = _cured_draft_find_parameter (source, function, names, name);
      if (parameter >= 0)
        {
          if (!_cured_draft_find_call (source, function, parameter, &call))
            return FALSE;
          *span = call;
          return TRUE;
        }
      if (_cured_draft_find_template_argument (source, function, names, name, &call))
        {
          *span = call;
          return TRUE;
        }
      return find_set_elsewhere (source, names, name, function, span);
    }
  /* static constexpr int threads = M * N / 4; of a class template. */
  return _cured_draft_find_template_argument (source, -1, names, name, span);
}

/* Whether the word at @i is a non-static member of a struct. */
static gboolean
is_member (const CuredTokens *tokens, guint i)
{
  for (guint k = i; k > 0 && sign (tokens, k - 1) != ';'; k--)
    if (is (tokens, k - 1, "static") || is (tokens, k - 1, "constexpr"))
      return FALSE;
  for (guint open = i; open-- > 0;)
    {
      guint close = match (tokens, open);

      if (sign (tokens, open) != '{' || close == CURED_TOKEN_NONE || close < i)
        continue;
      for (guint k = open; k > 0 && sign (tokens, k - 1) != ';' && sign (tokens, k - 1) != '{' &&
                           sign (tokens, k - 1) != '}';
           k--)
        if (is (tokens, k - 1, "struct") || is (tokens, k - 1, "class"))
          return TRUE;
    }
  return FALSE;
}

/* The assignment to a file variable that is 0 until a function sets it. */
static void
find_later (const CuredHostSource *self, const char *name, CuredTokenSpan *span)
{
  const CuredTokens *tokens = self->tokens;

  if (span->end != span->begin + 1 || !is (tokens, span->begin, "0"))
    return;
  CURED_EACH_WORD (i, tokens, name)
    {
      int function;

      if (sign (tokens, i + 1) != '=' || sign (tokens, i + 2) == '=' ||
          (function = _cured_draft_find_function_at (self, i)) < 0)
        continue;
      *span =
          (CuredTokenSpan){ tokens, i + 2, _cured_draft_find_value_end (tokens, i + 2), function };
      return;
    }
}

/* A constant or a macro of the file. */
gboolean
_cured_draft_resolve_constant (const CuredDrafting *self, const char *name, CuredTokenSpan *span)
{
  const CuredHostSource *source = self->source;
  const CuredTokens *tokens = source->tokens, *macro = g_hash_table_lookup (source->macros, name);

  if (macro != NULL)
    {
      *span = (CuredTokenSpan){ macro, 0, macro->tokens->len, -1 };
      return macro->tokens->len > 0;
    }
  CURED_EACH_WORD (i, tokens, name)
    {
      guint close = sign (tokens, i + 1) == '{' ? match (tokens, i + 1) : 0;
      gboolean is_braced = close > 0 && close != CURED_TOKEN_NONE &&
                           sign (tokens, close + 1) == ';' && is_word (tokens, i - 1) &&
                           !is (tokens, i - 1, "struct") && !is (tokens, i - 1, "class") &&
                           !is (tokens, i - 1, "enum");

      if ((!is_braced && (sign (tokens, i + 1) != '=' || sign (tokens, i + 2) == '=')) ||
          _cured_draft_find_function_at (source, i) >= 0 || is_member (tokens, i))
        continue;
      *span =
          (CuredTokenSpan){ tokens, i + 2,
                            is_braced ? close : _cured_draft_find_value_end (tokens, i + 2), -1 };
      find_later (source, name, span);
      return TRUE;
    }
  return FALSE;
}

gboolean
_cured_draft_has_word (const CuredTokens *tokens, guint begin, guint end, const char *word)
{
  for (guint i = begin; i < end; i++)
    if (is (tokens, i, word))
      return TRUE;
  return FALSE;
}

/* Whether the word at @i is a function's parameter, or in the body of a function with such a
 * parameter, so that it does not mean a file-level name. */
static gboolean
is_of_parameter (const CuredHostSource *self, guint i)
{
  const CuredTokens *tokens = self->tokens;
  int function = _cured_draft_find_function_at (self, i);
  char before = i > 0 ? sign (tokens, i - 1) : 0, after = sign (tokens, i + 1);

  if (function >= 0)
    return _cured_draft_find_parameter (self, function, tokens, i) >= 0;
  return i > 0 && (is_word (tokens, i - 1) || before == '*' || before == '&') &&
         (after == ',' || after == ')') && !is (tokens, i - 1, "return");
}

/* The constant whose value contains the word at @i: `const int m = n * 4;` outside of functions; 0:
 * none. */
static guint
find_constant_of (const CuredTokens *tokens, guint i)
{
  for (; i > 1; i--)
    {
      char c = sign (tokens, i - 1);

      if (c == '=' && is_word (tokens, i - 2))
        return i - 2;
      if (c == ';' || c == '{' || c == '}')
        return 0;
    }
  return 0;
}

/* Whether device code may use a constant or macro of the file, too: if it occurs outside of host
 * functions, except in its own definition and in those of names that device code does not use. */
gboolean
_cured_draft_is_seen_by_device (const CuredHostSource *self, const char *name, guint depth)
{
  const CuredTokens *tokens = self->tokens;
  GHashTableIter iter;
  gpointer macro;

  CURED_EACH_WORD (i, tokens, name)
    {
      if (is_of_parameter (self, i))
        continue;
      int function = _cured_draft_find_function_at (self, i);
      if (function < 0 && (sign (tokens, i + 1) == '=' || sign (tokens, i + 1) == '{'))
        continue;
      guint constant = function < 0 ? find_constant_of (tokens, i) : 0;
      if (constant > 0 && depth < MAX_DEPTH)
        {
          g_autofree char *other = _cured_tokens_dup (tokens, constant);

          if (!_cured_draft_is_seen_by_device (self, other, depth + 1))
            continue;
        }
      if (function < 0 || g_array_index (self->functions, CuredHostFunction, function).is_device)
        return TRUE;
    }
  g_hash_table_iter_init (&iter, self->macros);
  while (g_hash_table_iter_next (&iter, NULL, &macro))
    if (_cured_draft_has_word (macro, 0, ((CuredTokens *) macro)->tokens->len, name))
      return TRUE;
  return FALSE;
}

/* Whether a copy to the device reads the variable at @i. */
static gboolean
is_copied (const CuredTokens *tokens, guint i)
{
  for (guint open = i; open-- > 1 && open + MAX_EXPR > i;)
    if (match (tokens, open) != CURED_TOKEN_NONE && match (tokens, open) > i)
      return i > open + 2 &&
             g_str_has_prefix (tokens->text + CURED_TOKEN (tokens, open - 1)->begin, "cudaMemcpy");
  return FALSE;
}

/* Whether a function fills the variable: read_size (&n). */
gboolean
_cured_draft_is_filled_elsewhere (const CuredHostSource *self, const char *name)
{
  for (guint i = 1; i < self->tokens->tokens->len; i++)
    if (is (self->tokens, i, name) && sign (self->tokens, i - 1) == '&' &&
        (i < 2 || sign (self->tokens, i - 2) == '(' || sign (self->tokens, i - 2) == ',') &&
        !is_copied (self->tokens, i))
      return TRUE;
  return FALSE;
}

/* (transfer full): @text with the word replaced by @by */
char *
_cured_draft_text_replace (const char *text, const char *word, const char *by)
{
  g_autofree char *pattern = g_strdup_printf ("\\b%s\\b", word);
  g_autoptr (GRegex) regex = g_regex_new (pattern, G_REGEX_RAW, 0, NULL);

  return g_regex_replace_literal (regex, text, -1, 0, by, 0, NULL);
}

/* Likewise in place; @text: (inout) (nullable) */
void
_cured_draft_replace_in (char **text, const char *word, const char *by)
{
  char *replaced = *text != NULL ? _cured_draft_text_replace (*text, word, by) : NULL;

  g_free (*text);
  *text = replaced;
}

/* The index of the constructor argument, of @n_items, that becomes the field: `: at_ (at)` or `at_
 * = at;`. -1 if unknown; @number if the class has no such constructor. */
static int
find_item (const CuredTokens *tokens, const char *name, const char *field, guint n_items,
           gsize number)
{
  int item = n_items > number ? (int) number : -1;

  CURED_EACH_WORD (i, tokens, name)
    {
      guint close = sign (tokens, i + 1) == '(' ? match (tokens, i + 1) : CURED_TOKEN_NONE;
      g_autoptr (GArray) parameters = NULL;
      guint k = close + 1, begin = close;

      if (close == CURED_TOKEN_NONE ||
          (sign (tokens, k) != '{' && (sign (tokens, k) != ':' || sign (tokens, k + 1) == ':')))
        continue;
      parameters = _cured_draft_split (tokens, i + 2, close, -1);
      if (parameters->len < n_items || (i > 0 && is (tokens, i - 1, "return")))
        continue;
      item = -1;
      /* The initializers, and the body behind them. */
      for (gboolean is_body = FALSE;
           !is_body && k < tokens->tokens->len && sign (tokens, k) != ';';)
        {
          is_body = sign (tokens, k) == '{' && (k == close + 1 || !is_word (tokens, k - 1));
          k = match (tokens, k) < tokens->tokens->len && sign (tokens, k) != ')' &&
                      sign (tokens, k) != '}'
                  ? match (tokens, k) + 1
                  : k + 1;
        }
      for (guint at = begin; at + 3 < k && item < 0; at++)
        {
          gboolean is_set = is (tokens, at, field) &&
                            (sign (tokens, at + 1) == '=' || match (tokens, at + 1) == at + 3) &&
                            (sign (tokens, at + 3) == ';' || sign (tokens, at + 3) == ')' ||
                             sign (tokens, at + 3) == '}');

          for (guint p = 0; is_set && p < MIN (parameters->len, n_items); p++)
            {
              const CuredTokenSpan *span = &g_array_index (parameters, CuredTokenSpan, p);
              guint end = span->begin;

              while (end < span->end && sign (tokens, end) != '=')
                end++;
              if (end > span->begin && _cured_draft_is_same (tokens, end - 1, tokens, at + 2))
                item = (int) p;
            }
        }
      return item;
    }
  return item;
}

/* The host's value of a field of @span: an item in its braces, or an assigned value. FALSE if
 * unknown. */
gboolean
_cured_draft_find_field_value (const CuredDrafting *self, const CuredTokenSpan *span, gsize number,
                               const char *field, CuredTokenSpan *value)
{
  const CuredHostSource *source = self->source;
  const CuredTokens *tokens = source->tokens;
  CuredTokenSpan at = *span;
  guint before = self->launch->chevron;
  g_autofree char *type = NULL;
  CuredDeclared declared;
  int item = (int) number;

  /* A parameter has the caller's value, a call the returned one. */
  for (guint turn = 0; turn < 4 && at.tokens == tokens && at.function >= 0; turn++)
    {
      const CuredHostFunction *function =
          &g_array_index (source->functions, CuredHostFunction, at.function);
      CuredTokenSpan next;

      if (_cured_draft_find_returned (source, &at, &next))
        {
          at = next;
          continue;
        }
      if (at.end != at.begin + 1)
        break;
      before = turn > 0 ? at.begin : MAX (before, at.begin);
      if (_cured_draft_find_member (source, tokens, at.begin, field, function->body, before, value))
        {
          value->function = at.function;
          return TRUE;
        }
      if (type == NULL &&
          _cured_draft_find_declaration (source, tokens, at.begin, at.function, before,
                                         &declared) &&
          declared.type.end > declared.type.begin)
        type = _cured_tokens_dup (declared.type.tokens, declared.type.begin);
      if (!_cured_draft_resolve (self, tokens, at.begin, at.function, before, 0, &next))
        return FALSE;
      at = next;
    }
  /* Axpy { 2, x, y }, Axpy (2, x, y) */
  if (type == NULL && at.begin < at.end && is_word (at.tokens, at.begin))
    type = _cured_tokens_dup (at.tokens, at.begin);
  while (at.begin < at.end && sign (at.tokens, at.begin) != '{' &&
         sign (at.tokens, at.begin) != '(')
    at.begin++;
  if (at.tokens != tokens || at.begin >= at.end || match (tokens, at.begin) == CURED_TOKEN_NONE)
    return FALSE;
  g_autoptr (GArray) items =
      _cured_draft_split (tokens, at.begin + 1, match (tokens, at.begin), at.function);
  /* { .n = 3, .a = a } */
  CURED_EACH (CuredTokenSpan, named, items)
    if (sign (tokens, named->begin) == '.' && is (tokens, named->begin + 1, field) &&
        sign (tokens, named->begin + 2) == '=')
      {
        *value = *named;
        value->begin += 3;
        return TRUE;
      }
    else if (sign (tokens, named->begin) == '.')
      item = -1;
  if (type != NULL && field[0] != '\0' && item >= 0)
    item = find_item (tokens, type, field, items->len, number);
  if (item < 0 || (guint) item >= items->len)
    return FALSE;
  *value = g_array_index (items, CuredTokenSpan, item);
  return TRUE;
}

/* The value of `NAME.FIELD`, by the declaration of the struct. */
gboolean
_cured_draft_find_field (const CuredDrafting *self, const CuredTokenSpan *span, const char *field,
                         CuredTokenSpan *value)
{
  g_autofree char *type = NULL;
  CuredDeclared declared;

  if (span->tokens != self->source->tokens ||
      !_cured_draft_find_declaration (self->source, span->tokens, span->begin, span->function,
                                      span->begin, &declared) ||
      declared.type.end != declared.type.begin + 1)
    return FALSE;
  type = _cured_draft_dup_span (declared.type.tokens, declared.type.begin, declared.type.end);
  g_autoptr (CuredRecord) record = _cured_record_new_from_source (self->source->source, type, NULL);
  for (gsize i = 0; record != NULL && i < record->n_fields; i++)
    if (g_str_equal (record->fields[i].name, field))
      return _cured_draft_find_field_value (self, span, i, field, value);
  return FALSE;
}
