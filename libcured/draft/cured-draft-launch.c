/* SPDX-License-Identifier: MIT
 * Drafts headers from the host code of a CUDA source: its launches, their memory, and their
 * numbers.
 *
 * This is not an interpreter: a name has the value last assigned above, or that of a call's
 * argument, a macro or a constant; if none is found, it becomes a parameter of the kernel file.
 * Sources are untrusted, so each search is bounded. */
#include "draft/cured-draft-private.h"

#include "base/cured-base-internal.h"

/* ---- Templates ---- */

/* Whether some enumeration of the source has the name. */
static gboolean
is_enumerator (const CuredTokens *tokens, guint name)
{
  CURED_EACH_WORD (i, tokens, "enum")
    {
      guint open = i + 1;

      while (open < i + 8 && sign (tokens, open) != '{' && sign (tokens, open) != ';')
        open++;
      if (sign (tokens, open) != '{' || match (tokens, open) == CURED_TOKEN_NONE)
        continue;
      for (guint k = open + 1; k < match (tokens, open); k++)
        if (is_word (tokens, k) && _cured_draft_is_same (tokens, k, tokens, name) &&
            sign (tokens, k - 1) != '=')
          return TRUE;
    }
  return FALSE;
}

/* (transfer full) (nullable): the type of a launch's argument, as in the source; that of its target
 * if @is_pointer. */
static char *
deduce (CuredDrafting *self, const CuredTokenSpan *span, gboolean is_pointer, guint depth)
{
  const CuredTokens *tokens = span->tokens, *all = self->source->tokens;
  guint name = span->begin;
  CuredDeclared declared;
  CuredTokenSpan value;

  if (span->begin >= span->end)
    return NULL;
  if (!is_pointer && CURED_TOKEN (tokens, span->end - 1)->kind == CURED_TOKEN_NUMBER)
    {
      g_autofree char *word = _cured_tokens_dup (tokens, span->end - 1);
      CuredNumber number;

      if (!_cured_literal_read (word, &number))
        return NULL;
      if (number.is_double)
        return g_strdup (strpbrk (word, "fF") != NULL ? "float" : "double");
      return g_strdup (strpbrk (word, "lL") != NULL   ? "long long"
                       : strpbrk (word, "uU") != NULL ? "unsigned"
                                                      : "int");
    }
  while (name < span->end && !is_word (tokens, name))
    name++;
  guint first = name, after;
  if (name >= span->end || sign (tokens, span->begin) == '[')
    return NULL;
  while (sign (tokens, name + 1) == ':' && sign (tokens, name + 2) == ':' &&
         is_word (tokens, name + 3))
    name += 3;
  after = name + 1;
  /* (float *) p, Axpy { … }, Scale<float> (2), make_scale () */
  if (_cured_draft_is_type_word (tokens, name))
    return _cured_tokens_dup (tokens, name);
  if (sign (tokens, name + 1) == '<')
    after = _cured_tokens_skip_angles (tokens, name + 1, span->end);
  if (sign (tokens, after) == '{' || sign (tokens, after) == '(')
    {
      g_autofree char *word = _cured_tokens_dup (tokens, name);
      int function = _cured_draft_find_function (self->source, word);

      if (_cured_draft_is_class (all, word))
        return _cured_draft_dup_span (tokens, first, after);
      if (function < 0 ||
          !_cured_draft_read_declared (
              all, g_array_index (self->source->functions, CuredHostFunction, function).name,
              function, &declared))
        return NULL;
    }
  else if (!_cured_draft_find_declaration (self->source, tokens, name, span->function,
                                           tokens == all ? name : self->launch->chevron, &declared))
    return NULL;
  if (_cured_draft_has_word (all, declared.type.begin, declared.type.end, "auto"))
    return tokens == all && depth < 4 &&
                   _cured_draft_resolve (self, tokens, name, span->function, name, 0, &value)
               ? deduce (self, &value, is_pointer, depth + 1)
               : NULL;
  /* Array<float> a; a.get () is a pointer to its elements. */
  if (is_pointer && sign (all, declared.type.end - 1) == '>' && sign (tokens, after) == '.')
    {
      while (declared.type.begin < declared.type.end && sign (all, declared.type.begin) != '<')
        declared.type.begin++;
      g_autoptr (GArray) inner =
          _cured_draft_split (all, declared.type.begin + 1, declared.type.end - 1, span->function);
      if (inner->len == 0)
        return NULL;
      declared.type = g_array_index (inner, CuredTokenSpan, 0);
    }
  /* A member's type is known if its class's function is. */
  if (declared.type.function < 0)
    declared.type.function = span->function;
  _cured_draft_follow_type (self->source, &declared.type);
  return _cured_draft_dup_span (declared.type.tokens, declared.type.begin, declared.type.end);
}

/* (transfer full) (nullable): the type that the launch gives parameter @n, from 1, of the kernel's
 * template: by itself, or by an argument. */
static char *
find_template_type (CuredDrafting *self, guint n, const GArray *explicit, const GArray *given)
{
  if (explicit != NULL && n <= explicit->len)
    {
      CuredTokenSpan span = g_array_index (explicit, CuredTokenSpan, n - 1);

      _cured_draft_follow_type (self->source, &span);
      return _cured_draft_dup_span (span.tokens, span.begin, span.end);
    }
  for (gsize i = 0; i < self->kernel->n_arguments && i < given->len; i++)
    {
      const CuredDraftArgument *argument = &self->kernel->arguments[i];
      char *type =
          argument->of_template == n
              ? deduce (self, &g_array_index (given, CuredTokenSpan, i), argument->is_pointer, 0)
              : NULL;

      if (type != NULL)
        return type;
    }
  return NULL;
}

/* Whether the compiler knows the type, or the source declares it. */
static gboolean
is_known_type (CuredDrafting *self, const char *type)
{
  g_autoptr (CuredTokens) tokens = _cured_tokens_new (type);

  if (_cured_draft_is_stateless (self->source->tokens, type))
    return TRUE;
  if (strchr (type, '<') != NULL && strcspn (type, "&*") == strlen (type))
    {
      g_autofree char *name = _cured_tokens_dup (tokens, 0);

      return _cured_draft_is_class (self->source->tokens, name);
    }
  return tokens->tokens->len > 0 && strcspn (type, "&*") == strlen (type) &&
         _cured_draft_measure_type (self, tokens, 0, tokens->tokens->len, 1) > 0 &&
         (strlen (type) > 2 || _cured_draft_is_class (self->source->tokens, type));
}

/* Keeps the sizes with which the expression is @number, since a template argument can't vary. */
static void
keep_number (CuredHeaderDraft *draft, const char *text, gint64 number)
{
  g_autoptr (CuredExpr) expr = cured_expr_parse (text, NULL);
  gint64 other;

  CURED_EACH_POINTER (CuredDraftParameter, parameter, draft->parameters)
    {
      char *whole = parameter->default_value;

      if (parameter->values == NULL || !_cured_draft_uses_word (text, parameter->name))
        continue;
      g_auto (GStrv) values = g_strsplit (parameter->values, ",", -1);
      GString *kept = g_string_new (NULL);
      for (guint i = 0; values[i] != NULL; i++)
        {
          parameter->default_value = values[i];
          if (cured_expr_evaluate_integer (expr, _cured_draft_get_default_cb, draft, &other,
                                           NULL) &&
              other == number)
            g_string_append_printf (kept, "%s%s", kept->len > 0 ? "," : "", values[i]);
        }
      parameter->default_value = whole;
      g_free (parameter->values);
      parameter->values = g_string_free (kept, FALSE);
    }
}

/* A template argument that is not a type: a number, or an enumerator's name. */
static char *
make_template_value (CuredDrafting *self, const CuredDraftTemplate *parameter,
                     const CuredTokenSpan *span)
{
  guint n = self->draft->parameters->len;
  gint64 number = 0;

  if (span != NULL && is_word (span->tokens, span->end - 1) &&
      span->tokens == self->source->tokens && is_enumerator (span->tokens, span->end - 1))
    return _cured_draft_dup_span (span->tokens, span->begin, span->end);
  g_autofree char *expr = span != NULL ? _cured_draft_make_expr (self, span, NULL) : NULL;
  /* Values chosen at run time can't be arguments; those computed from constants
   * can. */
  if (expr == NULL || !_cured_draft_evaluate_known (self->draft, expr, &number))
    number = parameter->is_bool ? 0 : (self->is_flat ? 256 : 16);
  else
    keep_number (self->draft, expr, number);
  while (self->draft->parameters->len > n)
    g_ptr_array_remove_index (self->draft->parameters, self->draft->parameters->len - 1);
  return g_strdup_printf ("%" PRId64, number);
}

/* (transfer full) (nullable): parameter @n of the kernel's template, deduced from a class argument:
 * for `k (View<T, P> v)`, from `View<float, Plain> v`. */
static char *
match_class (CuredDrafting *self, guint n, const GArray *given)
{
  const CuredTokens *tokens = self->source->tokens;
  const CuredHostFunction *kernel = NULL;
  guint open;

  CURED_EACH (const CuredHostFunction, function, self->source->functions)
    if (function->is_device && is (tokens, function->name, self->kernel->name))
      kernel = function;
  if (kernel == NULL)
    return NULL;
  for (open = kernel->name; open > 0 && !_cured_draft_ends_statement (sign (tokens, open - 1));)
    open--;
  if (!is (tokens, open++, "template"))
    return NULL;
  g_autoptr (GArray) names = _cured_draft_split (
      tokens, open + 1, _cured_tokens_skip_angles (tokens, open, kernel->name) - 1, -1);
  g_autoptr (GArray) parameters =
      _cured_draft_split (tokens, kernel->open + 1, match (tokens, kernel->open), -1);
  if (n >= names->len)
    return NULL;
  CuredTokenSpan name = g_array_index (names, CuredTokenSpan, n);
  for (guint i = name.begin; i < name.end; i++)
    if (sign (tokens, i) == '=')
      name.end = i;
  for (guint i = 0; i < parameters->len && i < given->len; i++)
    {
      CuredTokenSpan type = g_array_index (parameters, CuredTokenSpan, i);
      g_autofree char *own = NULL;

      while (type.begin < type.end && sign (tokens, type.begin) != '<')
        type.begin++;
      if (type.begin == type.end ||
          (own = deduce (self, &g_array_index (given, CuredTokenSpan, i), FALSE, 0)) == NULL ||
          strchr (own, '<') == NULL)
        continue;
      g_autoptr (CuredTokens) words = _cured_tokens_new (own);
      guint first = 0;
      while (sign (words, first) != '<')
        first++;
      g_autoptr (GArray) wanted = _cured_draft_split (
          tokens, type.begin + 1, _cured_tokens_skip_angles (tokens, type.begin, type.end) - 1, -1);
      g_autoptr (GArray) items = _cured_draft_split (words, first + 1, words->tokens->len - 1, -1);
      for (guint k = 0; k < wanted->len && k < items->len; k++)
        {
          const CuredTokenSpan *item = &g_array_index (items, CuredTokenSpan, k);

          if (_cured_draft_is_same (tokens, g_array_index (wanted, CuredTokenSpan, k).begin, tokens,
                                    name.end - 1))
            return _cured_draft_dup_span (words, item->begin, item->end);
        }
    }
  return NULL;
}

/* `k`, `ns::k<float, 16>`. */
static char *
make_entry (CuredDrafting *self, const GArray *explicit, const GArray *given)
{
  GString *text = g_string_new (self->kernel->space);

  g_string_append (text, self->kernel->name);
  if (!self->kernel->is_template)
    return g_string_free (text, FALSE);
  g_string_append_c (text, '<');
  for (guint i = 0; i < self->kernel->n_template; i++)
    {
      const CuredDraftTemplate *parameter = &self->kernel->templates[i];
      const CuredTokenSpan *span = explicit != NULL && i < explicit->len
                                       ? &g_array_index (explicit, CuredTokenSpan, i)
                                       : NULL;
      g_autofree char *value =
          parameter->is_type ? find_template_type (self, i + 1, explicit, given) : NULL;

      for (gsize k = 0; k < self->kernel->n_arguments && k < given->len; k++)
        self->draft->is_lambda |= self->kernel->arguments[k].of_template == i + 1 &&
                                  sign (g_array_index (given, CuredTokenSpan, k).tokens,
                                        g_array_index (given, CuredTokenSpan, k).begin) == '[';

      if (span == NULL && value == NULL && (parameter->has_default || parameter->is_pack))
        break;
      if (value != NULL && !is_known_type (self, value))
        g_clear_pointer (&value, g_free);
      if (value == NULL && span == NULL)
        value = match_class (self, i, given);
      if (value == NULL && !parameter->is_type)
        value = make_template_value (self, parameter, span);
      g_string_append_printf (text, "%s%s", i > 0 ? ", " : "", value != NULL ? value : "float");
    }
  g_string_append_c (text, '>');
  return g_string_free (text, FALSE);
}

/* The default of a parameter. */
static gboolean
find_default (const CuredHostSource *self, const char *kernel, guint n, CuredTokenSpan *value)
{
  const CuredTokens *tokens = self->tokens;

  /* Of a declaration, too. */
  CURED_EACH_WORD (i, tokens, kernel)
    {
      if (sign (tokens, i + 1) != '(' || match (tokens, i + 1) == CURED_TOKEN_NONE ||
          !_cured_draft_is_for_device (tokens, i))
        continue;
      g_autoptr (GArray) list = _cured_draft_split (tokens, i + 2, match (tokens, i + 1), -1);
      if (n >= list->len)
        continue;
      *value = g_array_index (list, CuredTokenSpan, n);
      while (value->begin < value->end && sign (tokens, value->begin) != '=')
        value->begin++;
      if (value->begin++ < value->end)
        return TRUE;
    }
  return FALSE;
}

/* The kernel's arguments, with the types that the launch gives its template. (transfer full): with
 * copies of their types */
static CuredDraftArgument *
specialise (CuredDrafting *self, const GArray *explicit, const GArray *given)
{
  CuredDraftArgument *arguments = g_memdup2 (
      self->kernel->arguments, self->kernel->n_arguments * sizeof *self->kernel->arguments);

  for (gsize i = 0; i < self->kernel->n_arguments; i++)
    {
      CuredDraftArgument *argument = &arguments[i];
      g_autofree char *type =
          argument->of_template > 0
              ? find_template_type (self, argument->of_template, explicit, given)
              : NULL;
      g_autoptr (CuredTokens) tokens = type != NULL ? _cured_tokens_new (type) : NULL;

      argument->type = g_strdup (argument->type);
      if (type == NULL ||
          _cured_draft_find_element (self, &(CuredTokenSpan){ tokens, 0, tokens->tokens->len, -1 },
                                     0, argument) ||
          !is_known_type (self, type))
        continue;
      /* A struct. */
      g_free (argument->type);
      argument->type = g_steal_pointer (&type);
      argument->size = 0;
      argument->is_exact = FALSE;
    }
  return arguments;
}

/* The @values that @tile divides, and the last one, which is the host's. */
static char *
keep_multiples (const char *values, gint64 tile)
{
  g_auto (GStrv) list = g_strsplit (values, ",", -1);
  GString *text = g_string_new (NULL);

  for (gsize i = 0; list[i] != NULL; i++)
    if (list[i + 1] == NULL || g_ascii_strtoll (list[i], NULL, 10) % tile == 0)
      g_string_append_printf (text, "%s%s", text->len > 0 ? "," : "", list[i]);
  return g_string_free (text, FALSE);
}

/* If a block's part divides the host's size, keeps only multiples of it, since the kernel may not
 * check for a rest. */
static void
keep_tiles (CuredHeaderDraft *draft)
{
  const char *extent = draft->grid;

  while (extent != NULL && *extent != '\0')
    {
      gsize n = 0;
      gint64 blocks;

      for (int depth = 0; extent[n] != '\0' && (extent[n] != ',' || depth > 0); n++)
        depth += (extent[n] == '(') - (extent[n] == ')');
      g_autofree char *text = g_strndup (extent, n);
      extent += n + (extent[n] == ',');
      g_autoptr (CuredExpr) expr = cured_expr_parse (text, NULL);
      if (expr == NULL ||
          !cured_expr_evaluate_integer (expr, _cured_draft_get_default_cb, draft, &blocks, NULL))
        continue;
      CURED_EACH_POINTER (CuredDraftParameter, parameter, draft->parameters)
        {
          gint64 size = g_ascii_strtoll (parameter->default_value, NULL, 10);
          g_autofree char *values = parameter->values;
          g_autoptr (CuredTokens) words = _cured_tokens_new (text);

          if (values != NULL && blocks > 0 && size % blocks == 0 &&
              _cured_draft_has_word (words, 0, words->tokens->len, parameter->name))
            parameter->values = keep_multiples (values, size / blocks);
          else
            parameter->values = g_steal_pointer (&values);
        }
    }
}

/* Unknown sizes in structs are made equal, so that they fit together. */
static void
even_members (const CuredDrafting *self)
{
  guint n = 0;

  for (guint turn = 0; turn < 2; turn++)
    CURED_EACH_POINTER (CuredDraftParameter, parameter, self->draft->parameters)
      {
        if (!parameter->is_member || !parameter->is_guess ||
            parameter->kind != CURED_PARAMETER_PROBLEM)
          continue;
        n += turn == 0;
        if (turn == 0 || n < 2)
          continue;
        g_free (parameter->values);
        g_free (parameter->default_value);
        parameter->values = g_strdup (self->is_flat ? "1024" : "64");
        parameter->default_value = g_strdup (parameter->values);
      }
}

/* Joins a size that is not an argument with an equal one that is: of a square, only one side may be
 * passed. */
static void
join_equal (CuredHeaderDraft *draft)
{
  for (guint i = draft->parameters->len; i-- > 0;)
    {
      const CuredDraftParameter *silent = draft->parameters->pdata[i], *told = NULL;

      if (silent->is_guess || silent->kind != CURED_PARAMETER_PROBLEM ||
          _cured_draft_uses_word (draft->arguments, silent->name))
        continue;
      for (guint k = 0; k < draft->parameters->len && told == NULL; k++)
        {
          const CuredDraftParameter *other = draft->parameters->pdata[k];

          if (k != i && !other->is_guess &&
              _cured_draft_uses_word (draft->arguments, other->name) &&
              g_str_equal (other->default_value, silent->default_value))
            told = other;
        }
      if (told == NULL)
        continue;
      _cured_draft_replace_in (&draft->grid, silent->name, told->name);
      _cured_draft_replace_in (&draft->block, silent->name, told->name);
      _cured_draft_replace_in (&draft->shared, silent->name, told->name);
      for (guint k = 0; k < draft->buffers->len; k++)
        _cured_draft_replace_in (&((CuredDraftBuffer *) draft->buffers->pdata[k])->length,
                                 silent->name, told->name);
      g_ptr_array_remove_index (draft->parameters, i);
    }
}

/* If neither grid nor block depends on a size, keeps its buffer large enough for all
 * threads. */
static void
keep_threads (CuredHeaderDraft *draft)
{
  g_autofree char *shape =
      g_strdelimit (g_strconcat (draft->grid, ",", draft->block, NULL), ",", '*');
  gint64 n, length;

  _cured_draft_replace_in (&shape, "warp_size", "32");
  g_autoptr (CuredExpr) threads = cured_expr_parse (shape, NULL);
  if (threads == NULL ||
      !cured_expr_evaluate_integer (threads, _cured_draft_get_default_cb, draft, &n, NULL))
    return;
  CURED_EACH_POINTER (CuredDraftParameter, parameter, draft->parameters)
    {
      g_auto (GStrv) values =
          g_strsplit (parameter->values != NULL ? parameter->values : "", ",", -1);

      if (parameter->is_guess || parameter->values == NULL ||
          _cured_draft_uses_word (shape, parameter->name))
        continue;
      GString *kept = g_string_new (NULL);
      for (guint k = 0; values[k] != NULL; k++)
        {
          g_autofree char *whole = parameter->default_value;
          gboolean is_enough = TRUE;

          for (guint b = 0; b < draft->buffers->len; b++)
            {
              const char *text = ((CuredDraftBuffer *) draft->buffers->pdata[b])->length;
              g_autoptr (CuredExpr) expr = _cured_draft_uses_word (text, parameter->name)
                                               ? cured_expr_parse (text, NULL)
                                               : NULL;
              gboolean is_large = FALSE;

              for (guint turn = 0; turn < 2 && expr != NULL; turn++)
                {
                  parameter->default_value = turn == 0 ? whole : values[k];
                  if (!cured_expr_evaluate_integer (expr, _cured_draft_get_default_cb, draft,
                                                    &length, NULL))
                    continue;
                  is_enough &= turn == 0 || !is_large || length >= n;
                  is_large = length >= n;
                }
            }
          parameter->default_value = g_steal_pointer (&whole);
          if (is_enough || values[k + 1] == NULL)
            g_string_append_printf (kept, "%s%s", kept->len > 0 ? "," : "", values[k]);
        }
      g_free (parameter->values);
      parameter->values = g_string_free (kept, FALSE);
    }
}

static void
fix_size (CuredDraftBuffer *buffer, const CuredDraftParameter *parameter)
{
  gint64 number;

  _cured_draft_replace_in (&buffer->length, parameter->name, parameter->default_value);
  if (!_cured_draft_get_constant (buffer->length, &number))
    return;
  g_free (buffer->length);
  buffer->length = g_strdup_printf ("%" PRId64, number);
}

/* Cuts a buffer that is too large for a check to the size that the launch seems to need. */
static void
cut_size (CuredDrafting *self, CuredDraftBuffer *buffer, const CuredDraftParameter *parameter)
{
  gint64 number;

  if (!_cured_draft_uses_word (buffer->length, parameter->name))
    return;
  fix_size (buffer, parameter);
  if (_cured_draft_get_constant (buffer->length, &number) && number <= MAX_WHOLE)
    return;
  g_autofree char *enough = _cured_draft_bound_length (self, buffer->name);
  if (enough == NULL)
    enough = _cured_draft_guess_length (self->draft, parameter->name);
  g_autofree char *all = buffer->length;
  buffer->length = g_strdup_printf ("min(%s,%s)", all, enough);
  buffer->is_guess = TRUE;
}

/* A size that the kernel does not get keeps the host's value: a smaller one would cut a buffer
 * whose length is built into the kernel. */
static void
fix_sizes (CuredDrafting *self)
{
  CuredHeaderDraft *draft = self->draft;

  for (guint i = draft->parameters->len; i-- > 0;)
    {
      const CuredDraftParameter *parameter = draft->parameters->pdata[i];
      const char *const texts[] = { draft->grid, draft->block, draft->shared, draft->arguments };
      gboolean is_used = parameter->is_guess;
      gboolean is_huge = g_ascii_strtoll (parameter->default_value, NULL, 10) >= HUGE_SIZE;

      for (gsize k = 0; k < G_N_ELEMENTS (texts); k++)
        is_used |= _cured_draft_uses_word (texts[k], parameter->name);
      for (guint k = 0; k < draft->buffers->len && !is_used; k++)
        if (is_huge)
          cut_size (self, draft->buffers->pdata[k], parameter);
        else
          fix_size (draft->buffers->pdata[k], parameter);
      if (!is_used)
        g_ptr_array_remove_index (draft->parameters, i);
    }
}

/* Halves guessed sizes until an expression of them is not too large. */
static void
shrink (CuredHeaderDraft *draft, const char *text, gint64 limit)
{
  g_autoptr (CuredExpr) expr = text != NULL ? cured_expr_parse (text, NULL) : NULL;
  gint64 value = 0;

  while (expr != NULL &&
         (!cured_expr_evaluate_integer (expr, _cured_draft_get_default_cb, draft, &value, NULL) ||
          value > limit))
    {
      CuredDraftParameter *most = NULL;
      gint64 largest = 1;

      CURED_EACH_POINTER (CuredDraftParameter, parameter, draft->parameters)
        {
          gint64 number = g_ascii_strtoll (parameter->default_value, NULL, 10);

          if (!parameter->is_guess || number <= largest ||
              !_cured_draft_uses_word (text, parameter->name))
            continue;
          most = parameter;
          largest = number;
        }
      if (most == NULL)
        return;
      g_free (most->values);
      g_free (most->default_value);
      most->default_value = g_strdup_printf ("%" PRId64, largest / 2);
      most->values = g_strdup (most->default_value);
    }
}

/* The product of several guesses may exceed a block's shared memory, or a device's
 * memory. */
static void
shrink_guesses (CuredHeaderDraft *draft)
{
  g_autofree char *threads = g_strdup (draft->block);

  if (threads != NULL && strchr (threads, '(') == NULL)
    shrink (draft, g_strdelimit (threads, ",", '*'), MAX_THREADS);
  shrink (draft, draft->shared, MAX_SHARED);
  for (guint i = 0; i < draft->buffers->len; i++)
    shrink (draft, ((CuredDraftBuffer *) draft->buffers->pdata[i])->length, HUGE_SIZE);
}

/* The namespaces around a word: `a::b::`. */
static char *
find_space (const CuredTokens *tokens, guint word)
{
  GString *space = g_string_new (NULL);

  for (guint i = 0; i + 2 < word; i++)
    {
      guint open = i + 1;

      if (!is (tokens, i, "namespace"))
        continue;
      while (open < word && (is_word (tokens, open) || sign (tokens, open) == ':'))
        open++;
      if (sign (tokens, open) == '{' && open > i + 1 && match (tokens, open) > word &&
          match (tokens, open) != CURED_TOKEN_NONE)
        {
          g_autofree char *name = _cured_draft_dup_span (tokens, i + 1, open);

          g_string_append_printf (space, "%s::", name);
        }
    }
  return g_string_free (space, FALSE);
}

/* `__constant__ float taps[5];`, which the host fills and device code reads. */
static void
add_constant (CuredDrafting *self, guint keyword)
{
  const CuredTokens *tokens = self->source->tokens;
  guint end = keyword, name = 0;
  g_autofree char *space = find_space (tokens, keyword), *text = NULL, *whole = NULL;
  g_autoptr (GString) length = g_string_new (NULL);
  CuredDraftArgument argument = { .is_const = TRUE, .element = CURED_ELEMENT_U32, .count = 1 };
  CuredHostPointer pointer = { .name = { tokens, 0, 0, -1 } };
  CuredDeclared declared;

  while (end < tokens->tokens->len && !_cured_draft_ends_statement (sign (tokens, end)) &&
         sign (tokens, end) != '=')
    {
      if (is_word (tokens, end) && (sign (tokens, end + 1) == '[' || sign (tokens, end + 1) == ';'))
        name = name == 0 ? end : name;
      end = sign (tokens, end) == '[' && match (tokens, end) != CURED_TOKEN_NONE
                ? match (tokens, end) + 1
                : end + 1;
    }
  if (name == 0 || sign (tokens, end) != ';' ||
      !_cured_draft_read_declared (tokens, name, -1, &declared) || declared.stars > 0)
    return;
  while (declared.type.begin < name && (is (tokens, declared.type.begin, "__constant__") ||
                                        is (tokens, declared.type.begin, "__device__") ||
                                        is (tokens, declared.type.begin, "const")))
    declared.type.begin++;
  for (guint i = name + 1; sign (tokens, i) == '[' && match (tokens, i) != CURED_TOKEN_NONE;
       i = match (tokens, i) + 1)
    {
      g_autofree char *part = _cured_draft_make_expr (
          self, &(CuredTokenSpan){ tokens, i + 1, match (tokens, i), -1 }, NULL);

      if (part == NULL)
        return;
      g_string_append_printf (length, strpbrk (part, "+-/") != NULL ? "%s(%s)" : "%s%s",
                              length->len > 0 ? "*" : "", part);
    }
  if (declared.type.begin >= declared.type.end)
    return;
  argument.name = text = _cured_tokens_dup (tokens, name);
  argument.type = whole = _cured_draft_dup_span (tokens, declared.type.begin, declared.type.end);
  argument.is_exact = _cured_draft_find_element (self, &declared.type, 0, &argument);
  if (!argument.is_exact)
    argument.size =
        _cured_draft_measure_type (self, tokens, declared.type.begin, declared.type.end, 1);
  if (argument.size == 0)
    return;
  pointer.name.begin = name;
  CuredHostFill host = _cured_draft_find_host_fill (self, &pointer);
  /* A __device__ variable is 0 unless it is set. */
  if (!host.is_filled && is (tokens, keyword, "__device__"))
    return;
  {
    g_autofree char *full = g_strconcat (space, text, NULL);
    gsize bytes = argument.size;

    if (!argument.is_exact)
      argument.size = 0;
    _cured_draft_add_buffer (self, full, &argument, bytes, length->len > 0 ? length->str : "1",
                             FALSE, &host);
  }
  {
    CuredDraftBuffer *buffer = self->draft->buffers->pdata[self->draft->buffers->len - 1];

    buffer->is_constant = TRUE;
    if (!_cured_draft_copy_host (self, buffer, &host))
      buffer->is_fill_guess = host.values == NULL && host.byte < 0;
  }
  g_free (host.values);
}

static void
add_constants (CuredDrafting *self)
{
  const CuredTokens *tokens = self->source->tokens;

  for (guint i = 0; i < tokens->tokens->len; i++)
    if ((is (tokens, i, "__constant__") ||
         (is (tokens, i, "__device__") && !is (tokens, i - 1, "__constant__") &&
          !is (tokens, i + 1, "__constant__"))) &&
        _cured_draft_find_function_at (self->source, i) < 0)
      add_constant (self, i);
}

/* Whether the launch can be of this one of several kernels of the same name. */
static gboolean
takes_given (CuredDrafting *self, const GArray *given)
{
  for (gsize i = 0; i < self->kernel->n_arguments && self->kernel->is_overloaded; i++)
    {
      const CuredDraftArgument *argument = &self->kernel->arguments[i];
      g_autofree char *type =
          deduce (self, &g_array_index (given, CuredTokenSpan, i), argument->is_pointer, 0);
      g_autoptr (CuredTokens) tokens = type != NULL ? _cured_tokens_new (type) : NULL;
      CuredDraftArgument other = *argument;

      if (tokens == NULL)
        continue;
      gboolean is_element = _cured_draft_find_element (
          self, &(CuredTokenSpan){ tokens, 0, tokens->tokens->len, -1 }, 0, &other);
      if (is_element != (argument->size > 0) ||
          (is_element ? other.element != argument->element || other.count != argument->count
                      : strstr (argument->type, type) == NULL))
        return FALSE;
    }
  return TRUE;
}

static CuredHeaderDraft *
draft_launch (CuredHostSource *source, const CuredDraftFunction *kernel,
              const CuredHostLaunch *launch, const char *title)
{
  CuredDrafting self = {
    .source = source, .kernel = kernel, .launch = launch, .is_flat = !kernel->uses_y
  };
  CuredHeaderDraft *draft = _cured_header_draft_new_empty (kernel, title);
  g_autoptr (GArray) given = _cured_draft_get_given (source, launch);
  g_autoptr (GHashTable) pointers = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  g_autoptr (GArray) explicit = NULL;
  g_autofree CuredDraftArgument *special = NULL;
  CuredDraftFunction own = *kernel;
  GString *arguments = g_string_new (NULL);
  CuredTokenSpan value;

  if (launch->arguments != 0)
    explicit = _cured_draft_split (source->tokens, launch->arguments + 1, launch->arguments_end - 1,
                                   _cured_draft_find_function_at (source, launch->arguments));
  while (given->len < kernel->n_arguments &&
         find_default (source, kernel->name, given->len, &value))
    g_array_append_val (given, value);
  self.draft = draft;
  self.pointers = pointers;
  own.arguments = special = specialise (&self, explicit, given);
  draft->is_cooperative = launch->is_cooperative;
  self.kernel = &own;
  if (launch->grid.end > launch->grid.begin)
    {
      draft->grid = _cured_draft_make_extent (&self, &launch->grid);
      draft->block = _cured_draft_make_extent (&self, &launch->block);
    }
  if (launch->shared.end > launch->shared.begin)
    {
      draft->shared = _cured_draft_make_expr (&self, &launch->shared, NULL);
      if (g_strcmp0 (draft->shared, "0") == 0)
        g_clear_pointer (&draft->shared, g_free);
    }
  /* Numbers first, from which lengths of buffers are guessed. */
  for (guint turn = 0; turn < 2; turn++)
    {
      g_string_truncate (arguments, 0);
      for (guint i = 0; i < draft->buffers->len;)
        g_ptr_array_remove_index (draft->buffers, i);
      g_hash_table_remove_all (pointers);
      for (guint i = 0; i < own.n_arguments && i < given->len; i++)
        if (turn == 1 || !own.arguments[i].is_pointer)
          _cured_draft_add_argument (&self, &own.arguments[i],
                                     &g_array_index (given, CuredTokenSpan, i), arguments);
    }
  draft->arguments = g_string_free (arguments, FALSE);
  add_constants (&self);
  even_members (&self);
  fix_sizes (&self);
  join_equal (draft);
  keep_tiles (draft);
  if (draft->grid != NULL && draft->block != NULL)
    keep_threads (draft);
  shrink_guesses (draft);
  g_autofree char *symbol = draft->entry;
  self.kernel = kernel;
  draft->entry = kernel->is_overloaded && !kernel->is_template
                     ? g_strdup (symbol)
                     : make_entry (&self, explicit, given);
  for (gsize i = 0; i < own.n_arguments; i++)
    g_free (own.arguments[i].type);
  if (draft->grid == NULL || draft->block == NULL || given->len != kernel->n_arguments ||
      !takes_given (&self, given) || self.nodes > MAX_NODES)
    g_clear_pointer (&draft, cured_header_draft_free);
  return draft;
}

/* Whether the host reaches a launch: FALSE if it is in another `case` of a `switch` whose value is
 * known. @to: (nullable): gets the value of the case for a parameter that is a guess */
static gboolean
is_reached (CuredHostSource *source, const CuredDraftFunction *kernel,
            const CuredHostLaunch *launch, CuredHeaderDraft *to)
{
  const CuredTokens *tokens = source->tokens;
  g_autoptr (CuredHeaderDraft) draft = _cured_header_draft_new_bare ();
  CuredDrafting self = { .source = source, .draft = draft, .kernel = kernel, .launch = launch };
  CuredTokenSpan label = { tokens, 0, 0, launch->function };
  CuredTokenSpan selector = { tokens, 0, 0, launch->function };
  gint64 a, b;
  guint depth = 0;

  for (guint i = launch->chevron; i > 3 && selector.begin == 0; i--)
    {
      char c = sign (tokens, i - 1);

      if (c == '}')
        depth++;
      else if (c == '{' && depth > 0)
        depth--;
      else if (c == '{' && sign (tokens, i - 2) == ')')
        {
          guint open = i - 2;

          while (open > 1 && match (tokens, open) != i - 2)
            open--;
          if (!is (tokens, open - 1, "switch"))
            continue;
          selector.begin = open + 1;
          selector.end = i - 2;
        }
      else if (depth == 0 && label.begin == 0 && is (tokens, i - 1, "default"))
        return TRUE;
      else if (depth == 0 && label.begin == 0 && is (tokens, i - 1, "case"))
        label.begin = i;
    }
  if (selector.begin == 0 || label.begin == 0)
    return TRUE;
  for (label.end = label.begin; label.end < launch->chevron && sign (tokens, label.end) != ':';)
    label.end++;
  g_autofree char *wanted = _cured_draft_make_expr (&self, &label, NULL);
  if (wanted == NULL || !_cured_draft_get_constant (wanted, &a))
    return TRUE;
  g_autofree char *chosen = _cured_draft_make_expr (&self, &selector, NULL);
  for (guint i = 0; to != NULL && i < to->parameters->len; i++)
    {
      CuredDraftParameter *parameter = to->parameters->pdata[i];

      if (!parameter->is_guess || g_strcmp0 (parameter->name, chosen) != 0)
        continue;
      g_free (parameter->default_value);
      g_free (parameter->values);
      parameter->default_value = g_strdup_printf ("%" PRId64, a);
      parameter->values = g_strdup (parameter->default_value);
      parameter->is_guess = FALSE;
    }
  for (guint i = 0; i < draft->parameters->len; i++)
    if (((CuredDraftParameter *) draft->parameters->pdata[i])->is_guess)
      return TRUE;
  g_autoptr (CuredExpr) expr = chosen != NULL ? cured_expr_parse (chosen, NULL) : NULL;
  return expr == NULL ||
         !cured_expr_evaluate_integer (expr, _cured_draft_get_default_cb, draft, &b, NULL) ||
         a == b;
}

/* For a kernel without a known launch: derives lengths from its indices and their bounds. */
static void
bound_lengths (CuredHostSource *source, const CuredDraftFunction *kernel, CuredHeaderDraft *draft)
{
  CuredHostLaunch launch = { .function = -1 };
  CuredDrafting self = { .source = source, .draft = draft, .kernel = kernel, .launch = &launch };
  guint n = 0;

  for (gsize i = 0; i < kernel->n_arguments && n < draft->buffers->len; i++)
    {
      CuredDraftBuffer *buffer = draft->buffers->pdata[n];
      gboolean is_read, is_written, is_index;
      gint64 number;

      if (!kernel->arguments[i].is_pointer)
        continue;
      n++;
      buffer->is_guess = TRUE;
      _cured_draft_read_use (source, kernel->name, kernel->arguments[i].name, &is_read, &is_written,
                             &is_index);
      /* The kernel adds to its output. */
      if (is_read && g_str_equal (buffer->fill, "poison"))
        {
          g_free (buffer->fill);
          buffer->fill = g_strdup ("constant");
          buffer->is_fill_guess = TRUE;
        }
      g_autofree char *length = _cured_draft_bound_length (&self, kernel->arguments[i].name);
      if (length == NULL || strstr (length, "threads") != NULL)
        continue;
      g_autofree char *old = buffer->length;
      buffer->length = _cured_draft_get_constant (length, &number)
                           ? g_strdup_printf ("max(%s,%" PRId64 ")", old, number)
                           : g_steal_pointer (&length);
    }
}

/* @source: text of a CUDA file
 * @context: (nullable): from cured_header_draft_read_context()
 * @function: one that cured_header_draft_scan() found in it
 * @title: title of the kernel
 *
 * Guesses a header from the host code's launch of the function. Without a launch that can be
 * followed, works like cured_header_draft_new().
 * Returns: (transfer full): a draft to be corrected */
CuredHeaderDraft *
cured_header_draft_new_from_source (const char *source, const char *context,
                                    const CuredDraftFunction *function, const char *title)
{
  g_auto (CuredHostSource) self = { 0 };
  CuredHeaderDraft *draft = NULL;

  g_return_val_if_fail (source != NULL, NULL);
  g_return_val_if_fail (function != NULL, NULL);
  g_return_val_if_fail (title != NULL, NULL);

  _cured_draft_source_init (&self, source, context);
  for (guint turn = 0; turn < 2; turn++)
    CURED_EACH (const CuredHostLaunch, launch, self.launches)
      {
        if (!is (self.tokens, launch->name, function->name) ||
            is_reached (&self, function, launch, NULL) != (turn == 0))
          continue;
        draft = draft_launch (&self, function, launch, title);
        if (draft == NULL)
          continue;
        is_reached (&self, function, launch, draft);
        return draft;
      }
  draft = cured_header_draft_new (function, title);
  bound_lengths (&self, function, draft);
  shrink_guesses (draft);
  return draft;
}

/* (transfer full) (element-type guint): their indices: launched ones first, in the host's
 * order. */
GArray *
_cured_header_draft_order (const char *source, GPtrArray *functions)
{
  g_auto (CuredHostSource) self = { 0 };
  GArray *order = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autofree gboolean *is_taken = g_new0 (gboolean, functions->len + 1);

  _cured_draft_source_init (&self, source, NULL);
  for (guint i = 0; i < self.launches->len; i++)
    for (guint k = 0; k < functions->len; k++)
      {
        const CuredDraftFunction *function = functions->pdata[k];

        g_autoptr (CuredHeaderDraft) draft = NULL;

        if (is_taken[k] || !is (self.tokens, g_array_index (self.launches, CuredHostLaunch, i).name,
                                function->name))
          continue;
        if (function->is_overloaded &&
            (draft =
                 draft_launch (&self, function, &g_array_index (self.launches, CuredHostLaunch, i),
                               function->name)) == NULL)
          continue;
        is_taken[k] = TRUE;
        g_array_append_val (order, k);
      }
  for (guint k = 0; k < functions->len; k++)
    if (!is_taken[k])
      g_array_append_val (order, k);
  return order;
}
