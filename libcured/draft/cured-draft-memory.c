/* SPDX-License-Identifier: MIT
 * Buffers of a launch: their variables, lengths and contents from the host. */
#include "draft/cured-draft-private.h"

#include "base/cured-base-internal.h"

/* ---- Memory ---- */

CURED_DEFINE_CLEAR (CuredHostPointer, _cured_draft_pointer_clear, key, g_free)

/* Follows `a`, `a + n`, `&a[n]`, `a[i]`, `p->a` or `(float *) a` to the variable that owns it. */
gboolean
_cured_draft_find_pointer (CuredDrafting *self, const CuredTokenSpan *span,
                           CuredHostPointer *pointer)
{
  CuredTokenSpan at = *span;
  g_autofree char *index = g_strdup ("");

  for (guint turn = 0; turn < 6; turn++)
    {
      const CuredTokens *tokens = at.tokens;
      guint name = at.begin;
      gboolean is_address = FALSE;
      CuredTokenSpan next;

      /* turn % 2 ? b : a */
      for (guint i = at.begin; i < at.end; i++)
        if (sign (tokens, i) == '?')
          name = at.begin = i + 1;
        else if (sign (tokens, i) == ':' && sign (tokens, i + 1) != ':' &&
                 sign (tokens, i - 1) != ':')
          at.end = i;
        else if (match (tokens, i) < at.end)
          i = match (tokens, i);
      while (name < at.end &&
             (!is_word (tokens, name) || _cured_draft_is_type_word (tokens, name) ||
              is (tokens, name, "thrust") || (name + 1 < at.end && sign (tokens, name + 1) == ':')))
        is_address |= sign (tokens, name++) == '&';
      if (name >= at.end)
        return FALSE;
      pointer->name = at;
      pointer->name.begin = name;
      guint after = name + 1;
      while (after + 1 < at.end &&
             (sign (tokens, after) == '.' ||
              (sign (tokens, after) == '-' && sign (tokens, after + 1) == '>')))
        {
          guint member = after + (sign (tokens, after) == '.' ? 1 : 2);

          after = member + 1;
          if (sign (tokens, after) != '(')
            {
              if (pointer->member > at.begin)
                {
                  g_free (index);
                  index = _cured_tokens_dup (tokens, pointer->member);
                  pointer->outer = pointer->member;
                }
              pointer->member = member;
            }
          else if (match (tokens, after) < at.end)
            after = match (tokens, after) + 1;
        }
      if (after < at.end && sign (tokens, after) == '[' && match (tokens, after) < at.end)
        {
          CuredTokenSpan inside = { tokens, after + 1, match (tokens, after), at.function };

          after = inside.end + 1;
          if (is_address)
            pointer->offset = inside;
          else
            {
              g_free (index);
              index = _cured_draft_dup_span (tokens, inside.begin - 1, inside.end + 1);
            }
        }
      if (after + 1 < at.end && sign (tokens, after) == '+' && pointer->offset.begin == 0)
        pointer->offset = (CuredTokenSpan){ tokens, after + 1, at.end, at.function };
      int parameter = _cured_draft_find_parameter (self->source, at.function, tokens, name);
      if (parameter < 0 || !_cured_draft_find_call (self->source, at.function, parameter, &next))
        break;
      at = next;
    }
  {
    g_autofree char *name = _cured_tokens_dup (pointer->name.tokens, pointer->name.begin);
    g_autofree char *member = pointer->member != 0
                                  ? _cured_tokens_dup (pointer->name.tokens, pointer->member)
                                  : g_strdup ("");

    pointer->key =
        g_strconcat (self->owner != NULL ? self->owner : "", name, ".", member, index, NULL);
  }
  return TRUE;
}

/* A size in bytes as elements of @bytes each: `n * sizeof (float)` is n floats. */
static char *
make_length (CuredDrafting *self, const CuredTokenSpan *size, gsize bytes)
{
  const CuredTokens *tokens = size->tokens;
  CuredTokenSpan rest = *size;
  gint64 number;

  for (guint i = size->begin; i < size->end; i++)
    {
      guint next = i + 1;
      gint64 unit = 0;

      if (sign (tokens, i) == '(' && match (tokens, i) < size->end)
        i = match (tokens, i);
      if (is (tokens, i, "sizeof"))
        unit = (gint64) _cured_draft_get_sizeof (self, size, i, 1, &next);
      else if (CURED_TOKEN (tokens, i)->kind != CURED_TOKEN_NUMBER || bytes == 1 ||
               !_cured_literal_fold (tokens, i, i + 1, &unit) || unit != (gint64) bytes)
        continue;
      if (unit != (gint64) bytes)
        break;
      if (i == size->begin && sign (tokens, next) == '*' && next + 1 < size->end)
        rest.begin = next + 1;
      else if (next >= size->end && i > size->begin + 1 && sign (tokens, i - 1) == '*')
        rest.end = i - 1;
      else if (i == size->begin && next >= size->end)
        return g_strdup ("1");
      else
        break;
      /* n + m * sizeof (float) is not a product. */
      for (guint k = rest.begin; k < rest.end; k++)
        {
          if (sign (tokens, k) == '+' || sign (tokens, k) == '-')
            return NULL;
          if (match (tokens, k) < rest.end)
            k = match (tokens, k);
        }
      return _cured_draft_make_expr (self, &rest, NULL);
    }
  g_autofree char *expr = _cured_draft_make_expr (self, size, NULL);
  if (expr == NULL || bytes == 1)
    return g_steal_pointer (&expr);
  if (_cured_draft_get_constant (expr, &number))
    return g_strdup_printf ("%" PRId64, number / (gint64) bytes + (number % (gint64) bytes != 0));
  return g_strdup_printf ("ceil((%s)/%zu)", expr, bytes);
}

/* Likewise; @function: the allocating function; -1: any. */
static char *
find_length_in (CuredDrafting *self, const CuredHostPointer *pointer, gsize bytes, int function)
{
  const CuredTokens *tokens = self->source->tokens;
  CuredTokenSpan host = { 0 };

  /* thrust::device_vector<float> a (n); */
  CURED_EACH_SAME (i, tokens, pointer->name.tokens, pointer->name.begin)
    {
      int at = _cured_draft_find_function_at (self->source, i);
      CuredDeclared declared;

      if ((function >= 0 && at != function) ||
          (sign (tokens, i + 1) != '(' && sign (tokens, i + 1) != '{') ||
          match (tokens, i + 1) == CURED_TOKEN_NONE ||
          !_cured_draft_read_declared (tokens, i, at, &declared) ||
          !_cured_draft_has_word (tokens, declared.type.begin, declared.type.end, "device_vector"))
        continue;
      g_autoptr (GArray) list =
          _cured_draft_split (tokens, i + 2, match (tokens, i + 1), declared.type.function);
      if (list->len > 0)
        return _cured_draft_make_expr (self, &g_array_index (list, CuredTokenSpan, 0), NULL);
    }
  CURED_EACH (const CuredHostCall, call, self->source->calls)
    {
      g_autoptr (GArray) list = NULL;
      CuredTokenSpan size;
      guint i = call->name, begin = i;

      if (call->is_copy ||
          (function >= 0 && _cured_draft_find_function_at (self->source, i) != function))
        continue;
      while (begin > 0 && begin + 8 > i && !_cured_draft_ends_statement (sign (tokens, begin - 1)))
        begin--;
      list = _cured_draft_split (tokens, i + 2, match (tokens, i + 1),
                                 _cured_draft_find_function_at (self->source, i));
      if (list->len >= 2)
        {
          const CuredTokenSpan *to = &g_array_index (list, CuredTokenSpan, 0);

          if (!_cured_draft_mentions (tokens, to->begin, to->end, pointer))
            continue;
          size = g_array_index (list, CuredTokenSpan, 1);
        }
      else
        {
          /* p = (float **) malloc (n * sizeof (float *)), before cudaMalloc (&p[i], …) */
          if (list->len == 1 && host.end == 0 && _cured_draft_mentions (tokens, begin, i, pointer))
            host = g_array_index (list, CuredTokenSpan, 0);
          continue;
        }
      char *expr = make_length (self, &size, bytes);
      if (expr != NULL)
        return expr;
    }
  return host.end > host.begin ? make_length (self, &host, bytes) : NULL;
}

/* The number of elements of @bytes bytes that the host allocates for the pointer, in the variable's
 * own function if possible, since others may have the same name. */
char *
_cured_draft_find_length (CuredDrafting *self, const CuredHostPointer *pointer, gsize bytes)
{
  CuredTokenSpan rows;
  g_autofree char *pitch = _cured_draft_find_pitch (self, pointer, NULL, &rows);
  g_autofree char *height = pitch != NULL ? _cured_draft_make_expr (self, &rows, NULL) : NULL;
  char *length = NULL;
  gint64 number;

  if (height != NULL)
    {
      length = g_strdup_printf ("ceil(%s*(%s)/%zu)", pitch, height, bytes);
      if (_cured_draft_get_constant (length, &number))
        {
          g_free (length);
          length = g_strdup_printf ("%" PRId64, number);
        }
    }
  else if (pointer->name.function >= 0)
    length = find_length_in (self, pointer, bytes, pointer->name.function);
  return length != NULL ? length : find_length_in (self, pointer, bytes, -1);
}

/* The numbers of `float h[] = { 1, 2 };`, as a header has them; NULL if it is not such a list. */
static char *
list_values_of (const CuredHostSource *self, const CuredTokenSpan *from)
{
  const CuredTokens *tokens = self->tokens;
  guint name = from->begin, open = CURED_TOKEN_NONE;

  while (name < from->end && !is_word (tokens, name))
    name++;
  if (name + 1 < from->end)
    return NULL;
  for (guint i = 0; i < from->begin && name < from->end; i++)
    if (is_word (tokens, i) && _cured_draft_is_same (tokens, i, tokens, name) &&
        sign (tokens, i + 1) == '[' && match (tokens, i + 1) != CURED_TOKEN_NONE)
      {
        guint at = match (tokens, i + 1) + 1;

        at += sign (tokens, at) == '=';
        /* It must have one dimension, and never change. */
        if (sign (tokens, at) == '{')
          open = open == CURED_TOKEN_NONE ? at : 0;
        else if (sign (tokens, at) == '=' || sign (tokens, at - 1) == '=')
          return NULL;
      }
  if (open == CURED_TOKEN_NONE || open == 0 || match (tokens, open) == CURED_TOKEN_NONE ||
      match (tokens, open) > open + 512)
    return NULL;
  GString *text = g_string_new (NULL);
  for (guint i = open + 1; i < match (tokens, open); i++)
    {
      g_autofree char *word = _cured_tokens_dup (tokens, i);
      CuredNumber number;
      char buffer[G_ASCII_DTOSTR_BUF_SIZE];

      if (sign (tokens, i) == ',' || sign (tokens, i) == '-')
        g_string_append_c (text, sign (tokens, i));
      else if (!_cured_literal_read (word, &number))
        {
          g_string_free (text, TRUE);
          return NULL;
        }
      else if (number.is_double)
        g_string_append (text, g_ascii_formatd (buffer, sizeof buffer, "%.9g", number.real));
      else
        g_string_append_printf (text, "%" PRId64, number.integer);
    }
  if (g_str_has_suffix (text->str, ","))
    g_string_truncate (text, text->len - 1);
  return g_string_free (text, text->len == 0);
}

/* Managed memory: a[i] = …; or *a = …; */
static void
take_assignment (const CuredHostSource *source, guint i, CuredHostFill *fill)
{
  const CuredTokens *tokens = source->tokens;
  guint equals = 0;

  if (sign (tokens, i + 1) == '[' && match (tokens, i + 1) != CURED_TOKEN_NONE)
    equals = match (tokens, i + 1) + 1;
  else if (sign (tokens, i - 1) == '*' && _cured_draft_ends_statement (sign (tokens, i - 2)))
    equals = i + 1;
  int function = _cured_draft_find_function_at (source, i);
  if (equals == 0 || sign (tokens, equals) != '=' || sign (tokens, equals + 1) == '=' ||
      function < 0 || g_array_index (source->functions, CuredHostFunction, function).is_device)
    return;
  gboolean is_zero = is (tokens, equals + 1, "0") && sign (tokens, equals + 2) == ';';
  fill->byte = is_zero && (!fill->is_filled || fill->byte == 0) ? 0 : -1;
  fill->is_filled = TRUE;
}

static void
take_copy (CuredDrafting *self, const CuredHostPointer *pointer, guint i, CuredHostFill *fill)
{
  const CuredTokens *tokens = self->source->tokens;
  g_autoptr (GArray) list = _cured_draft_split (tokens, i + 2, match (tokens, i + 1),
                                                _cured_draft_find_function_at (self->source, i));
  const CuredTokenSpan *parts = (const CuredTokenSpan *) (gpointer) list->data;
  g_autofree char *word = _cured_tokens_dup (tokens, i);
  gint64 byte;

  if (list->len < 2 || !_cured_draft_mentions (tokens, parts[0].begin, parts[0].end, pointer))
    return;
  fill->is_filled = TRUE;
  fill->byte = -1;
  g_clear_pointer (&fill->values, g_free);
  fill->from.end = fill->from.begin;
  if (strstr (word, "emset") == NULL)
    {
      fill->from = parts[1];
      fill->values = list_values_of (self->source, &parts[1]);
      return;
    }
  g_autofree char *expr = _cured_draft_make_expr (self, &parts[1], NULL);
  if (expr != NULL && _cured_draft_get_constant (expr, &byte))
    fill->byte = (int) (byte & 0xff);
}

/* The fill of the pointer, or of a symbol, by the host's copies and memsets. */
CuredHostFill
_cured_draft_find_host_fill (CuredDrafting *self, const CuredHostPointer *pointer)
{
  const CuredTokens *tokens = self->source->tokens;
  GArray *calls = self->source->calls;
  CuredHostFill fill = { .byte = -1 };
  guint name = _cured_tokens_find_same (tokens, pointer->name.tokens, pointer->name.begin), n = 0;

  /* The later one counts. */
  while (name != CURED_TOKEN_NONE || n < calls->len)
    {
      CuredHostCall call = { CURED_TOKEN_NONE };

      if (n < calls->len)
        call = g_array_index (calls, CuredHostCall, n);
      if (call.name < name)
        {
          if (call.is_copy)
            take_copy (self, pointer, call.name, &fill);
          n++;
        }
      else
        {
          take_assignment (self->source, name, &fill);
          name = tokens->nexts[name];
        }
    }
  return fill;
}

/* Finds how the kernel uses its parameter @name. */
void
_cured_draft_read_use (const CuredHostSource *self, const char *kernel, const char *name,
                       gboolean *is_read, gboolean *is_written, gboolean *is_index)
{
  const CuredTokens *tokens = self->tokens;

  *is_read = *is_written = *is_index = FALSE;
  CURED_EACH (const CuredHostFunction, function, self->functions)
    {
      guint last, brackets = 0;

      if (!is (tokens, function->name, kernel))
        continue;
      last = match (tokens, function->body);
      for (guint i = function->body; i < last; i++)
        {
          guint after = i + 1;

          brackets += sign (tokens, i) == '[';
          if (sign (tokens, i) == ']' && brackets > 0)
            brackets--;
          if (!is (tokens, i, name) || sign (tokens, i - 1) == '.')
            continue;
          if (brackets > 0)
            *is_index = TRUE;
          while (sign (tokens, after) == '[' && match (tokens, after) != CURED_TOKEN_NONE)
            after = match (tokens, after) + 1;
          if (sign (tokens, after) == '.' && after > i + 1)
            after += 2;
          if (after > i + 1 && sign (tokens, after) == '=' && sign (tokens, after + 1) != '=')
            *is_written = TRUE;
          else if (sign (tokens, i - 1) == '*' && after == i + 1 && sign (tokens, after) == '=' &&
                   sign (tokens, after + 1) != '=')
            *is_written = TRUE;
          else
            *is_read = TRUE;
        }
    }
}

/* ---- Lengths by indices ---- */

static char *bound (CuredDrafting *self, const CuredTokenSpan *span, guint depth);

/* Part @n of a grid or a block. */
static char *
get_extent_part (const char *extent, guint n)
{
  int depth = 0;

  for (const char *at = extent; at != NULL;)
    {
      gsize length = 0;

      for (; at[length] != '\0' && (at[length] != ',' || depth > 0); length++)
        depth += (at[length] == '(') - (at[length] == ')');
      if (n-- == 0)
        return g_strndup (at, length);
      at = at[length] == ',' ? at + length + 1 : NULL;
    }
  return g_strdup ("1");
}

/* The extent of a builtin such as threadIdx.y that begins at @i. */
static char *
get_builtin (CuredDrafting *self, const CuredTokenSpan *span, const char *const names[2])
{
  const CuredTokens *tokens = span->tokens;
  guint i = span->begin;
  gboolean is_block = is (tokens, i, names[0]);

  if (span->end != i + 3 || !(is_block || is (tokens, i, names[1])) || sign (tokens, i + 1) != '.')
    return NULL;
  return get_extent_part (is_block ? self->draft->block : self->draft->grid,
                          is (tokens, i + 2, "x")   ? 0
                          : is (tokens, i + 2, "y") ? 1
                                                    : 2);
}

char *
_cured_draft_join (const char *left, const char *op, const char *right)
{
  gboolean is_product = *op == '*';
  gboolean has_sum = strpbrk (left, "+-") != NULL && !g_str_has_suffix (left, ")");
  gboolean right_has_sum = strpbrk (right, "+-/") != NULL && !g_str_has_suffix (right, ")");
  gsize digits = strlen (left);
  gint64 number;

  /* n+1-1 is n. */
  while (digits > 0 && g_ascii_isdigit (left[digits - 1]))
    digits--;
  if (!is_product && digits > 1 && strchr ("+-", left[digits - 1]) != NULL &&
      _cured_draft_get_constant (right, &number) &&
      !(*op == '-' ? __builtin_sub_overflow (g_ascii_strtoll (left + digits - 1, NULL, 10), number,
                                             &number)
                   : __builtin_add_overflow (g_ascii_strtoll (left + digits - 1, NULL, 10), number,
                                             &number)))
    {
      g_autofree char *sum = g_strndup (left, digits - 1);
      return number == 0 ? g_steal_pointer (&sum) : g_strdup_printf ("%s%+" PRId64, sum, number);
    }

  g_autofree char *text = g_strdup_printf (is_product && has_sum         ? "(%s)%s%s%s%s"
                                           : is_product && right_has_sum ? "%s%s(%s)%s%s"
                                                                         : "%s%s%s%s%s",
                                           left, op, right, "", "");
  if (is_product && has_sum && right_has_sum)
    {
      g_free (text);
      text = g_strdup_printf ("(%s)%s(%s)", left, op, right);
    }
  return _cured_draft_get_constant (text, &number) ? g_strdup_printf ("%" PRId64, number)
                                                   : g_steal_pointer (&text);
}

/* Whether the span is a variable that the kernel steps: i++, ++i, i += 4. */
static gboolean
is_counted (const CuredDrafting *self, const CuredTokenSpan *variable)
{
  const CuredTokens *tokens = variable->tokens;
  const CuredHostFunction *kernel =
      &g_array_index (self->source->functions, CuredHostFunction, variable->function);

  if (variable->end != variable->begin + 1 || !is_word (tokens, variable->begin))
    return FALSE;
  for (guint i = kernel->body + 2; i + 2 < match (tokens, kernel->body); i++)
    if (is_word (tokens, i) && _cured_draft_is_same (tokens, i, tokens, variable->begin) &&
        ((sign (tokens, i + 1) == '+' &&
          (sign (tokens, i + 2) == '+' || sign (tokens, i + 2) == '=')) ||
         (sign (tokens, i - 1) == '+' && sign (tokens, i - 2) == '+')))
      return TRUE;
  return FALSE;
}

/* An expression that is the same for all threads; NULL if it is not, or unknown. */
static char *
get_uniform (CuredDrafting *self, const CuredTokenSpan *span)
{
  static const char *const sizes[] = { "blockDim", "gridDim" };
  const CuredTokens *tokens = span->tokens;
  guint n = self->draft->parameters->len;
  char *expr = get_builtin (self, span, sizes);

  if (expr != NULL)
    return expr;
  if (_cured_draft_has_word (tokens, span->begin, span->end, "threadIdx") ||
      _cured_draft_has_word (tokens, span->begin, span->end, "blockIdx") ||
      _cured_draft_has_word (tokens, span->begin, span->end, "blockDim") ||
      _cured_draft_has_word (tokens, span->begin, span->end, "gridDim"))
    return NULL;
  for (guint i = span->begin; i < span->end; i++)
    if (is_counted (self, &(CuredTokenSpan){ tokens, i, i + 1, span->function }))
      return NULL;
  self->is_bounding = TRUE;
  expr = _cured_draft_make_expr (self, span, NULL);
  self->is_bounding = FALSE;
  if (self->draft->parameters->len == n)
    return expr;
  while (self->draft->parameters->len > n)
    g_ptr_array_remove_index (self->draft->parameters, self->draft->parameters->len - 1);
  g_free (expr);
  return NULL;
}

/* Whether @text is @other, or @other plus a number. */
static gboolean
adds_number (const char *text, const char *other)
{
  gsize n = strlen (other);

  return g_str_has_prefix (text, other) &&
         (text[n] == '\0' ||
          (text[n] == '+' && text[n + 1 + strspn (text + n + 1, G_CSET_DIGITS)] == '\0'));
}

/* The larger of two bounds; takes @left. */
static char *
take_larger (char *left, const char *right)
{
  g_autofree char *old = left;
  gint64 a, b;

  if (left == NULL || adds_number (right, left))
    return g_strdup (right);
  if (adds_number (left, right))
    return g_steal_pointer (&old);
  if (_cured_draft_get_constant (left, &a) && _cured_draft_get_constant (right, &b))
    return g_strdup (a > b ? left : right);
  return g_strdup_printf ("max(%s,%s)", left, right);
}

/* The end of the loop at @i, if its head sets the variable at @name, `for (int i = 0;`; else 0. */
static guint
find_loop_end (const CuredTokens *tokens, guint i, guint name)
{
  guint end = is (tokens, i, "for") ? match (tokens, i + 1) : CURED_TOKEN_NONE;
  gboolean is_set = FALSE;

  for (guint k = i + 2; end != CURED_TOKEN_NONE && k < end && sign (tokens, k) != ';'; k++)
    is_set |= sign (tokens, k + 1) == '=' && _cured_draft_is_same (tokens, k, tokens, name);
  if (!is_set)
    return 0;
  /* With nested loops and conditions, the innermost statement. */
  for (guint last = ++end + 256;
       end < MIN (last, tokens->tokens->len) && !_cured_draft_ends_statement (sign (tokens, end));
       end++)
    if (match (tokens, end) != CURED_TOKEN_NONE)
      end = match (tokens, end);
  return sign (tokens, end) == '{' && match (tokens, end) != CURED_TOKEN_NONE ? match (tokens, end)
                                                                              : end;
}

static gboolean
is_same_span (const CuredTokens *tokens, guint i, const CuredTokenSpan *span)
{
  for (guint k = span->begin; k < span->end; k++, i++)
    if (i >= tokens->tokens->len || !_cured_draft_is_same (tokens, i, tokens, k))
      return FALSE;
  return TRUE;
}

/* The bound with which the kernel compares the variable, in its loop if it has one: `i < n`, or `i
 * >= n` before returning; `tile * 16 + x < n` for an expression. */
static char *
find_guard (CuredDrafting *self, const CuredTokenSpan *variable, guint depth)
{
  const CuredTokens *tokens = variable->tokens;
  const CuredHostFunction *kernel =
      &g_array_index (self->source->functions, CuredHostFunction, variable->function);
  guint begin = kernel->body, end = match (tokens, begin), last;
  guint n = variable->end - variable->begin;
  char *most = NULL;

  for (guint i = kernel->body; i < variable->begin && n == 1; i++)
    if ((last = find_loop_end (tokens, i, variable->begin)) > variable->begin)
      {
        begin = i;
        end = last;
      }
  for (guint i = begin; i + n + 1 < end; i++)
    {
      char c = sign (tokens, i + n);
      CuredTokenSpan other = { tokens, i + n + 1, 0, variable->function };

      /* Another variable of that name. */
      if (n == 1 && begin == kernel->body &&
          (last = find_loop_end (tokens, i, variable->begin)) > 0 && sign (tokens, i + 3) != '=')
        {
          i = last;
          continue;
        }
      if ((c != '<' && c != '>') || !is_same_span (tokens, i, variable) ||
          sign (tokens, i + n + 1) == c ||
          (i > 0 && (sign (tokens, i - 1) == '+' || sign (tokens, i - 1) == '*')))
        continue;
      if (sign (tokens, i + n + 1) == '=')
        other.begin++;
      gboolean is_inclusive = (c == '<') == (other.begin == i + n + 2);
      /* `i > 0` is an upper bound only before leaving; `i < 1` only otherwise. */
      guint close = i;
      while (close < i + 64 && sign (tokens, close) != ')' &&
             !_cured_draft_ends_statement (sign (tokens, close)))
        close = match (tokens, close) != CURED_TOKEN_NONE ? match (tokens, close) + 1 : close + 1;
      close += sign (tokens, close) == ')';
      close += sign (tokens, close) == '{';
      /* if (i >= n) i = n - 1; bounds it as well, and if (i < 0) i = 0; does not. */
      gboolean is_clamp = sign (tokens, close - 1) == ')' && sign (tokens, close + n) == '=' &&
                          sign (tokens, close + n + 1) != '=' &&
                          is_same_span (tokens, close, variable);
      if ((c == '>') != (is_clamp || is (tokens, close, "return") ||
                         is (tokens, close, "continue") || is (tokens, close, "break")))
        continue;
      for (other.end = other.begin; other.end < other.begin + 64; other.end++)
        {
          char stop = sign (tokens, other.end);

          if (stop == '&' || stop == '|' || stop == ')' || stop == '?' || stop == ',' ||
              _cured_draft_ends_statement (stop))
            break;
          if (match (tokens, other.end) != CURED_TOKEN_NONE)
            other.end = match (tokens, other.end);
        }
      g_autofree char *text = get_uniform (self, &other);
      if (text != NULL && is_inclusive)
        {
          char *next = _cured_draft_join (text, "+", "1");

          g_free (text);
          text = next;
        }
      /* j <= row: bounded by the number of rows. */
      if (text == NULL && (text = bound (self, &other, depth + 1)) != NULL && !is_inclusive)
        {
          char *less = _cured_draft_join (text, "-", "1");

          g_free (text);
          text = less;
        }
      if (text != NULL)
        most = take_larger (most, text);
    }
  return most;
}

/* The bound of min (a, b): the known one; of max (a, b) and ?: the larger one. */
static char *
bound_both (CuredDrafting *self, const CuredTokenSpan *left, const CuredTokenSpan *right,
            gboolean is_least, guint depth)
{
  char *a = bound (self, left, depth + 1);
  g_autofree char *b = bound (self, right, depth + 1);

  if (a == NULL || b == NULL)
    {
      g_autofree char *known = a != NULL ? a : g_steal_pointer (&b);

      return is_least ? g_steal_pointer (&known) : NULL;
    }
  if (!is_least || g_str_equal (a, b))
    return take_larger (a, b);
  g_autofree char *least = g_strdup_printf ("min(%s,%s)", a, b);
  g_free (a);
  return g_steal_pointer (&least);
}

/* The bound of a kernel variable: by a comparison, else by its definition. */
static char *
bound_name (CuredDrafting *self, const CuredTokenSpan *span, guint depth)
{
  static const char *const counters[] = { "threadIdx", "blockIdx" };
  char *text = get_builtin (self, span, counters);
  g_autofree char *name = NULL;
  CuredTokenSpan value;

  if (text != NULL)
    return text;
  if (match (span->tokens, span->begin + 1) + 1 == span->end)
    {
      gboolean is_least =
          g_str_has_suffix (name = _cured_tokens_dup (span->tokens, span->begin), "min");
      g_autoptr (GArray) items =
          _cured_draft_split (span->tokens, span->begin + 2, span->end - 1, span->function);

      return items->len == 2 && (is_least || g_str_has_suffix (name, "max"))
                 ? bound_both (self, &g_array_index (items, CuredTokenSpan, 0),
                               &g_array_index (items, CuredTokenSpan, 1), is_least, depth)
                 : NULL;
    }
  if (span->end != span->begin + 1 || !is_word (span->tokens, span->begin))
    return NULL;
  text = find_guard (self, span, depth);
  if (text != NULL)
    return text;
  if (!is_counted (self, span) &&
      _cured_draft_find_assignment (
          self->source, span->tokens, span->begin,
          g_array_index (self->source->functions, CuredHostFunction, span->function).body,
          span->begin, 0, &value))
    {
      value.function = span->function;
      return bound (self, &value, depth + 1);
    }
  return NULL;
}

/* The last operator of the lowest rank outside of brackets: the root of the expression. */
static guint
find_root (const CuredTokenSpan *span, char *op)
{
  static const char *const ranks[] = { "?<>&|^=", "+-", "*/%" };
  const CuredTokens *tokens = span->tokens;

  for (gsize rank = 0; rank < G_N_ELEMENTS (ranks); rank++)
    {
      guint found = 0;

      for (guint i = span->begin; i < span->end; i++)
        {
          char c = sign (tokens, i);

          if (match (tokens, i) < span->end)
            i = match (tokens, i);
          else if (c != 0 && i > span->begin && strchr (ranks[rank], c) != NULL &&
                   (sign (tokens, i - 1) == 0 || strchr (")]", sign (tokens, i - 1)) != NULL))
            found = i;
        }
      if (found != 0)
        {
          *op = sign (tokens, found);
          return found;
        }
    }
  return 0;
}

/* One more than the greatest index, as an expression; NULL if unknown. Differences are bounded by
 * their minuend. */
static char *
bound (CuredDrafting *self, const CuredTokenSpan *span, guint depth)
{
  const CuredTokens *tokens = span->tokens;
  CuredTokenSpan left = *span, right = *span;
  g_autofree char *a = NULL, *b = NULL, *size = NULL;
  char op = 0;

  if (depth > MAX_DEPTH || span->begin >= span->end || span->end > tokens->tokens->len ||
      self->nodes++ > MAX_NODES)
    return NULL;
  if (sign (tokens, span->begin) == '(' && match (tokens, span->begin) + 1 == span->end)
    {
      CuredTokenSpan inside = { tokens, span->begin + 1, span->end - 1, span->function };

      return bound (self, &inside, depth + 1);
    }
  left.end = find_root (span, &op);
  right.begin = left.end + 1;
  if (left.end != 0 && op != '?' && (a = find_guard (self, span, depth)) != NULL)
    return g_steal_pointer (&a);
  if (left.end == 0)
    {
      char *text = bound_name (self, span, depth);

      /* The end of a loop with an unknown bound is unknown, too. */
      if (text != NULL || is_counted (self, span) || (a = get_uniform (self, span)) == NULL)
        return text;
      return _cured_draft_join (a, "+", "1");
    }
  if (op == '-')
    return (a = get_uniform (self, span)) != NULL ? _cured_draft_join (a, "+", "1")
                                                  : bound (self, &left, depth + 1);
  if (op == '?')
    {
      left.begin = right.begin;
      for (left.end = left.begin; left.end < span->end && sign (tokens, left.end) != ':';
           left.end++)
        if (match (tokens, left.end) < span->end)
          left.end = match (tokens, left.end);
      right.begin = left.end + 1;
      return bound_both (self, &left, &right, FALSE, depth);
    }
  if (op == '+')
    {
      /* x * size + y, with y below size: (size of x) * size. */
      for (guint turn = 0; turn < 2; turn++)
        {
          const CuredTokenSpan *product = turn == 0 ? &left : &right;
          const CuredTokenSpan *rest = turn == 0 ? &right : &left;
          CuredTokenSpan x = *product, factor = *product;
          char times = 0;

          x.end = find_root (product, &times);
          factor.begin = x.end + 1;
          if (x.end == 0 || times != '*')
            continue;
          g_clear_pointer (&b, g_free);
          b = bound (self, rest, depth + 1);
          for (guint swap = 0; swap < 2 && b != NULL; swap++)
            {
              CuredTokenSpan other = x;

              g_clear_pointer (&size, g_free);
              g_clear_pointer (&a, g_free);
              size = get_uniform (self, &factor);
              a = size != NULL && g_str_equal (size, b) ? bound (self, &x, depth + 1) : NULL;
              if (a != NULL)
                return _cured_draft_join (a, "*", size);
              x = factor;
              factor = other;
            }
        }
      g_clear_pointer (&a, g_free);
      g_clear_pointer (&b, g_free);
      a = bound (self, &left, depth + 1);
      b = bound (self, &right, depth + 1);
      if (a == NULL || b == NULL)
        return NULL;
      size = _cured_draft_join (a, "+", b);
      return _cured_draft_join (size, "-", "1");
    }
  if (op == '%')
    return get_uniform (self, &right);
  if (op != '*' && op != '/')
    return NULL;
  b = get_uniform (self, &right);
  a = b != NULL ? bound (self, &left, depth + 1) : NULL;
  if (a == NULL && op == '*')
    {
      g_free (b);
      b = get_uniform (self, &left);
      a = b != NULL ? bound (self, &right, depth + 1) : NULL;
    }
  if (a == NULL)
    return NULL;
  return op == '*' ? g_strdup_printf ("(%s-1)*%s+1", a, b)
                   : g_strdup_printf ("floor((%s-1)/(%s))+1", a, b);
}

/* The most elements of @bytes that an access to the one at @i touches: 16 bytes with
 * (float4 *) &a[i], FLOAT4 (a[i]) and COPY_16 (to, &a[i]). */
static guint
get_width (const CuredTokens *tokens, guint i, gsize bytes)
{
  guint n = 0, wide = bytes > 0 && bytes < 16 ? 16 / bytes : 1;
  gboolean is_called = FALSE;

  while (i > 0 && (sign (tokens, i - 1) == '&' || sign (tokens, i - 1) == '('))
    {
      is_called = sign (tokens, --i) == '(';
      n += !is_called;
    }
  if (is_called && is_word (tokens, i - 1))
    {
      g_autofree char *name = _cured_tokens_dup (tokens, i - 1);

      return strpbrk (name, "abcdefghijklmnopqrstuvwxyz") == NULL ? wide : 1;
    }
  return n == 1 && i > 0 && (is_called || strchr ("),", sign (tokens, i - 1)) != NULL) &&
                 sign (tokens, i - 1) != 0
             ? wide
             : 1;
}

/* The least length of the array, by all its indices in the function; NULL if some are unknown. */
static char *
bound_in (CuredDrafting *self, guint function, const char *argument, gsize bytes, guint depth)
{
  const CuredTokens *tokens = self->source->tokens;
  guint body = g_array_index (self->source->functions, CuredHostFunction, function).body;
  g_autofree char *most = NULL;

  for (guint i = body; i < match (tokens, body); i++)
    {
      g_autofree char *text = NULL;

      if (!is (tokens, i, argument) || sign (tokens, i - 1) == '.' ||
          /* Its declaration. */
          (depth > 0 && sign (tokens, i + 1) == '='))
        continue;
      if (sign (tokens, i + 1) == '[' && match (tokens, i + 1) != CURED_TOKEN_NONE)
        {
          CuredTokenSpan index = { tokens, i + 2, match (tokens, i + 1), (int) function };
          g_autofree char *end = bound (self, &index, 0);
          guint width = get_width (tokens, i, bytes);

          /* A[i] with i < n has n elements. */
          if (end != NULL && width > 1 && strchr (end, '+') != NULL)
            {
              g_autofree char *more = g_strdup_printf ("%u", width - 1);

              text = _cured_draft_join (end, "+", more);
            }
          else
            text = g_steal_pointer (&end);
        }
      /* *out = …, atomicAdd (out, …) */
      else if ((sign (tokens, i - 1) == '*' && sign (tokens, i + 1) == '=') ||
               (sign (tokens, i - 1) == '(' && sign (tokens, i + 1) == ',' && i > 2 &&
                strncmp (tokens->text + CURED_TOKEN (tokens, i - 2)->begin, "atomic", 6) == 0))
        text = g_strdup ("1");
      /* const float *row = in + r * n; */
      else if (sign (tokens, i - 1) == '=' && is_word (tokens, i - 2) &&
               !is (tokens, i - 2, argument) && sign (tokens, i + 1) == '+' && depth < 4)
        {
          CuredTokenSpan offset = { tokens, i + 2, _cured_draft_find_value_end (tokens, i + 2),
                                    (int) function };
          g_autofree char *name = _cured_tokens_dup (tokens, i - 2);
          g_autofree char *own = bound_in (self, function, name, bytes, depth + 1);
          g_autofree char *from = own != NULL ? bound (self, &offset, 0) : NULL;
          g_autofree char *sum = from != NULL ? _cured_draft_join (from, "+", own) : NULL;

          text = sum != NULL ? _cured_draft_join (sum, "-", "1") : NULL;
        }
      if (text == NULL || strlen (text) > MAX_EXPR)
        return NULL;
      most = take_larger (g_steal_pointer (&most), text);
    }
  return g_steal_pointer (&most);
}

/* Likewise, for an argument of the kernel. */
char *
_cured_draft_bound_length (CuredDrafting *self, const char *argument)
{
  const CuredHostSource *source = self->source;
  g_autofree char *most = NULL;
  gsize bytes = 0;

  for (gsize i = 0; i < self->kernel->n_arguments; i++)
    if (g_str_equal (self->kernel->arguments[i].name, argument))
      bytes = self->kernel->arguments[i].size;

  for (guint k = 0; k < source->functions->len; k++)
    {
      const CuredHostFunction *function = &g_array_index (source->functions, CuredHostFunction, k);

      if (!is (source->tokens, function->name, self->kernel->name) || !function->is_device)
        continue;
      g_autofree char *text = bound_in (self, k, argument, bytes, 0);
      if (text != NULL)
        most = take_larger (g_steal_pointer (&most), text);
    }
  return g_steal_pointer (&most);
}
