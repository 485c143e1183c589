/* SPDX-License-Identifier: MIT
 * The arguments of a launch: buffers, arrays of pointers, classes by value, numbers. */
#include "draft/cured-draft-private.h"

#include "base/cured-base-internal.h"
#include "kernel/cured-element-internal.h"

gboolean
_cured_draft_uses_word (const char *text, const char *word)
{
  g_autoptr (CuredTokens) tokens = text != NULL ? _cured_tokens_new (text) : NULL;

  return tokens != NULL && _cured_draft_has_word (tokens, 0, tokens->tokens->len, word);
}

/* Least usual value of a guessed size. */
#define LEAST_GUESS 255

/* Sets the buffer's fill as the host does, or as its use in the kernel requires. */
static void
set_fill (CuredDraftBuffer *buffer, const CuredDraftArgument *argument, const CuredRecord *record,
          const CuredHostFill *host, gboolean is_output, gboolean is_index)
{
  gsize size = cured_element_get_size (buffer->type);
  gboolean has_integer = record == NULL && cured_element_is_integer (buffer->type);

  for (gsize i = 0; record != NULL && i < record->n_fields; i++)
    has_integer |= cured_element_is_integer (record->fields[i].type);
  if (host->values != NULL && record == NULL)
    {
      buffer->fill = g_strdup ("values");
      buffer->low = g_strdup (host->values);
    }
  else if (host->byte == 0 || (host->byte > 0 && record == NULL && has_integer && size <= 4))
    {
      guint32 word = 0x01010101u * (guint32) host->byte;

      buffer->fill = g_strdup ("constant");
      if (buffer->type == CURED_ELEMENT_I32)
        buffer->low = g_strdup_printf ("%d", (gint32) word);
      else if (cured_element_is_integer (buffer->type))
        buffer->low = g_strdup_printf ("%u", (word & (G_MAXUINT32 >> (32 - 8 * MIN (size, 4)))));
      if (buffer->type == CURED_ELEMENT_I8 || buffer->type == CURED_ELEMENT_I16)
        {
          g_free (buffer->low);
          buffer->low = g_strdup_printf ("%d", size == 1 ? (gint8) word : (gint16) word);
        }
    }
  else if (is_output && !argument->is_const && !host->is_filled)
    buffer->fill = g_strdup ("poison");
  else if (has_integer && (is_index || !argument->is_exact ||
                           (host->is_filled && is_output && !argument->is_const)))
    buffer->fill = g_strdup ("constant");
  else
    buffer->fill = g_strdup ("uniform");
  /* The kernel's addresses depend on these contents. */
  buffer->is_fill_guess = (is_index || !argument->is_exact) && host->values == NULL &&
                          host->byte < 0 && !g_str_equal (buffer->fill, "poison");
}

void
_cured_draft_add_buffer (CuredDrafting *self, const char *name, const CuredDraftArgument *argument,
                         gsize bytes, const char *length, gboolean is_guess,
                         const CuredHostFill *host)
{
  CuredDraftBuffer *buffer = g_new0 (CuredDraftBuffer, 1);
  gsize size = cured_element_get_size (argument->element);
  gboolean is_read, is_written, is_index;
  g_autoptr (CuredRecord) record = NULL;

  _cured_draft_read_use (self->source, self->kernel->name, argument->name, &is_read, &is_written,
                         &is_index);
  buffer->name = g_strdup (name);
  buffer->type = argument->element;
  buffer->is_guess = is_guess;
  buffer->record = _cured_draft_find_record (self->source->source, argument, &record);
  if (record != NULL && record->size != bytes)
    {
      g_clear_pointer (&buffer->record, g_free);
      g_clear_pointer (&record, cured_record_free);
    }
  if (record != NULL || bytes == size)
    buffer->length = g_strdup (length);
  else if (bytes % size == 0)
    buffer->length = g_strdup_printf ("%zu*(%s)", bytes / size, length);
  else
    {
      buffer->type = CURED_ELEMENT_U32;
      buffer->length = g_strdup_printf ("ceil(%zu*(%s)/4)", bytes, length);
    }
  set_fill (buffer, argument, record, host, is_written && (!is_read || host->is_filled), is_index);
  g_ptr_array_add (self->draft->buffers, buffer);
}

static gboolean
has_buffer (const CuredHeaderDraft *self, const char *name)
{
  for (guint i = 0; i < self->buffers->len; i++)
    if (g_str_equal (((CuredDraftBuffer *) self->buffers->pdata[i])->name, name))
      return TRUE;
  return FALSE;
}

/* The largest extent that the grid covers: the length of a buffer if the host's code does not show
 * it. */
char *
_cured_draft_guess_length (const CuredHeaderDraft *draft, const char *without)
{
  const char *names[3];
  gboolean is_guess = FALSE;
  guint n = 0;

  for (guint i = 0; i < draft->parameters->len && n < G_N_ELEMENTS (names); i++)
    {
      const CuredDraftParameter *parameter = draft->parameters->pdata[i];

      if (parameter->kind == CURED_PARAMETER_PROBLEM && g_strcmp0 (parameter->name, without) != 0)
        {
          names[n++] = parameter->name;
          is_guess = parameter->is_guess;
        }
    }
  /* The side of a square, perhaps. */
  if (n == 1 && is_guess)
    return g_strdup_printf ("%s*%s", names[0], names[0]);
  if (n == 3)
    return g_strdup_printf ("max(%s*%s,max(%s*%s,%s*%s))", names[0], names[1], names[0], names[2],
                            names[1], names[2]);
  return n == 0   ? g_strdup ("2^20")
         : n == 1 ? g_strdup (names[0])
                  : _cured_draft_join (names[0], "*", names[1]);
}

/* The element type of a type in the source, which may be an alias. */
gboolean
_cured_draft_find_element (CuredDrafting *self, const CuredTokenSpan *type, guint depth,
                           CuredDraftArgument *to)
{
  const CuredTokens *all = self->source->tokens;
  CuredTokenSpan next = { all, 0, 0, -1 };

  if (type->end <= type->begin || depth > MAX_DEPTH)
    return FALSE;
  g_autofree char *name =
      g_strndup (type->tokens->text + CURED_TOKEN (type->tokens, type->begin)->begin,
                 CURED_TOKEN (type->tokens, type->end - 1)->end -
                     CURED_TOKEN (type->tokens, type->begin)->begin);
  if (cured_element_find_c_type (name, &to->element, &to->count))
    {
      to->size = to->count * cured_element_get_size (to->element);
      return TRUE;
    }
  if (type->end != type->begin + 1)
    return FALSE;
  const CuredTokens *macro = g_hash_table_lookup (self->source->macros, name);
  if (macro != NULL)
    {
      next = (CuredTokenSpan){ macro, 0, macro->tokens->len, -1 };
      return _cured_draft_find_element (self, &next, depth + 1, to);
    }
  for (guint i = 0; i + 3 < all->tokens->len; i++)
    {
      if (is (all, i, "using") && is (all, i + 1, name) && sign (all, i + 2) == '=')
        {
          next.begin = i + 3;
          next.end = _cured_draft_find_value_end (all, i + 3);
          return _cured_draft_find_element (self, &next, depth + 1, to);
        }
      if (!is (all, i, "typedef"))
        continue;
      next.begin = next.end = i + 1;
      while (next.end < all->tokens->len && next.end < i + 16 && sign (all, next.end) != ';' &&
             sign (all, next.end) != '{')
        next.end++;
      if (sign (all, next.end--) == ';' && is (all, next.end, name))
        return _cured_draft_find_element (self, &next, depth + 1, to);
    }
  return FALSE;
}

/* An unused name for a buffer. */
static char *
make_buffer_name (CuredDrafting *self, const char *wanted)
{
  char *name = g_strconcat (wanted, _cured_draft_dup_name (self, wanted), NULL);

  g_strcanon (name, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "_", '_');
  while (has_buffer (self->draft, name) || _cured_draft_has_draft_parameter (self->draft, name))
    {
      char *other = g_strconcat (name, "_", NULL);

      g_free (name);
      name = other;
    }
  return name;
}

/* Whether an unknown size is part of the expression. */
static gboolean
is_guessed (const CuredHeaderDraft *draft, const char *text)
{
  CURED_EACH_POINTER (const CuredDraftParameter, parameter, draft->parameters)
    if (parameter->is_guess && _cured_draft_uses_word (text, parameter->name))
      return TRUE;
  return FALSE;
}

/* Evaluates an expression with the host's sizes, none of which may be a guess. */
gboolean
_cured_draft_evaluate_known (CuredHeaderDraft *draft, const char *text, gint64 *number)
{
  g_autoptr (CuredExpr) expr = cured_expr_parse (text, NULL);

  return expr != NULL && !is_guessed (draft, text) &&
         cured_expr_evaluate_integer (expr, _cured_draft_get_default_cb, draft, number, NULL);
}

/* Appends the value of a host expression; sizes that it depends on are then
 * fixed. */
static gboolean
append_known (CuredDrafting *self, const CuredTokenSpan *span, GString *text)
{
  CuredHeaderDraft *draft = self->draft;
  g_autofree char *value = _cured_draft_make_expr (self, span, NULL);
  g_autoptr (CuredExpr) expr = value != NULL ? cured_expr_parse (value, NULL) : NULL;
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];
  double number;

  if (expr == NULL ||
      !cured_expr_evaluate_double (expr, _cured_draft_get_default_cb, draft, &number, NULL))
    return FALSE;
  CURED_EACH_POINTER (CuredDraftParameter, parameter, draft->parameters)
    {
      if (!_cured_draft_uses_word (value, parameter->name))
        continue;
      g_free (parameter->values);
      parameter->values = g_strdup (parameter->default_value);
    }
  g_string_append_printf (text, "%s%s", text->len > 0 ? "," : "",
                          g_ascii_formatd (buffer, sizeof buffer, "%.9g", number));
  return TRUE;
}

/* Fills a number or a struct from the host's variable from which it is copied. */
gboolean
_cured_draft_copy_host (CuredDrafting *self, CuredDraftBuffer *buffer, const CuredHostFill *host)
{
  g_autoptr (GString) values = g_string_new (NULL);
  g_autoptr (CuredRecord) record = NULL;
  CuredElement type = buffer->type;
  CuredTokenSpan from = host->from, value = from;
  gsize n_known = 0;
  gboolean is_known = from.begin < from.end && sign (from.tokens, from.begin) == '&' &&
                      g_strcmp0 (buffer->length, "1") == 0;

  if (!is_known)
    return FALSE;
  from.begin++;
  if (buffer->record == NULL)
    is_known = append_known (self, &from, values);
  else if (_cured_type_parse (buffer->record, self->source->source, &type, &record, NULL) &&
           record != NULL)
    {
      for (gsize i = 0; i < record->n_fields; i++)
        if (_cured_draft_find_field_value (self, &from, i, record->fields[i].name, &value) &&
            append_known (self, &value, values))
          n_known++;
        else
          g_string_append (values, i > 0 ? ",0" : "0");
    }
  if (record != NULL ? n_known == 0 : !is_known)
    return FALSE;
  g_free (buffer->fill);
  g_free (buffer->low);
  buffer->fill = g_strdup ("values");
  buffer->low = g_string_free (g_steal_pointer (&values), FALSE);
  buffer->is_fill_guess = record != NULL && n_known < record->n_fields;
  return TRUE;
}

/* Adds an array of pointers that the host copies to the device: a buffer for each pointer, and a
 * step that stores their addresses. */
static gboolean
add_table (CuredDrafting *self, const CuredDraftArgument *argument, const CuredTokenSpan *span,
           GString *arguments)
{
  g_auto (CuredHostPointer) pointer = { 0 }, item = { 0 };
  CuredHeaderDraft *draft = self->draft;
  CuredHostFill host = { .byte = -1 };
  CuredDraftArgument table = {
    .name = argument->name, .element = CURED_ELEMENT_U64, .count = 1, .size = 8, .is_exact = TRUE
  };
  gsize bytes = argument->size > 0 ? argument->size : 4;
  g_autofree char *name = make_buffer_name (self, argument->name), *n_items = NULL, *length = NULL;
  g_autoptr (GString) parameters = g_string_new ("void **to"), body = g_string_new (NULL);
  g_autoptr (GString) given = g_string_new (name);
  CuredHostFill none = { .byte = 0 };
  gint64 n = 0;

  if (_cured_draft_find_pointer (self, span, &pointer))
    {
      n_items = _cured_draft_find_length (self, &pointer, 8);
      host = _cured_draft_find_host_fill (self, &pointer);
      g_free (host.values);
    }
  if (n_items == NULL || !_cured_draft_evaluate_known (draft, n_items, &n) || n < 1 ||
      n > MAX_TABLE)
    return FALSE;
  if (host.from.end > host.from.begin && _cured_draft_find_pointer (self, &host.from, &item))
    length = _cured_draft_find_length (self, &item, bytes);
  gboolean is_guess = length == NULL;
  if (is_guess)
    length = _cured_draft_guess_length (draft, NULL);
  _cured_draft_add_buffer (self, name, &table, 8, n_items, FALSE, &none);
  for (gint64 i = 0; i < n; i++)
    {
      g_autofree char *own = g_strdup_printf ("%s_%" PRId64, name, i);

      _cured_draft_add_buffer (self, own, argument, bytes, length, is_guess,
                               &(CuredHostFill){ .byte = -1 });
      g_string_append_printf (parameters, ", void *p%" PRId64, i);
      g_string_append_printf (body, " to[%" PRId64 "] = p%" PRId64 ";", i, i);
      g_string_append_printf (given, ",%s", own);
    }
  if (draft->setup == NULL)
    draft->setup = g_ptr_array_new_with_free_func (g_free);
  g_ptr_array_add (draft->setup,
                   g_strdup_printf (" * Setup=once\n * Entry=cured_point_%s\n * Grid=1\n"
                                    " * Block=1\n * Arguments=%s\n",
                                    name, given->str));
  {
    g_autofree char *before = draft->code;

    draft->code = g_strdup_printf ("%sextern \"C\" __global__ void cured_point_%s (%s) {%s }\n",
                                   before != NULL ? before : "", name, parameters->str, body->str);
  }
  g_string_append (arguments, name);
  return TRUE;
}

/* Adds the buffer that @span points at, once, and the argument: `in`, `in+4`. */
static void
add_pointer (CuredDrafting *self, const CuredDraftArgument *argument, const CuredTokenSpan *span,
             GString *arguments)
{
  g_auto (CuredHostPointer) pointer = { 0 };
  gsize bytes = argument->size;
  CuredHostFill host = { .byte = -1 };
  g_autofree char *name = NULL, *length = NULL, *least = NULL;
  const char *known = NULL;
  gint64 number;

  if (span->end == span->begin + 1 &&
      (is (span->tokens, span->begin, "NULL") || is (span->tokens, span->begin, "nullptr") ||
       is (span->tokens, span->begin, "0")))
    {
      g_string_append (arguments, "0:i64");
      return;
    }
  if (argument->is_table && add_table (self, argument, span, arguments))
    return;
  if (bytes == 0)
    bytes =
        _cured_draft_find_size (self->source->source, argument->type, self->kernel->is_template);
  bytes = MAX (bytes, 1);
  if (span->end > span->begin && _cured_draft_find_pointer (self, span, &pointer))
    {
      known = g_hash_table_lookup (self->pointers, pointer.key);
      if (known == NULL)
        {
          length = _cured_draft_find_length (self, &pointer, bytes);
          host = _cured_draft_find_host_fill (self, &pointer);
        }
    }
  if (known == NULL)
    {
      gboolean is_guess = length == NULL;

      if (is_guess)
        length = _cured_draft_bound_length (self, argument->name);
      else if (is_guessed (self->draft, length) &&
               (least = _cured_draft_bound_length (self, argument->name)) != NULL &&
               _cured_draft_get_constant (least, &number) && number > LEAST_GUESS)
        {
          char *larger = g_strdup_printf ("max(%s,%" PRId64 ")", length, number);

          g_free (length);
          length = larger;
        }
      if (length == NULL)
        length = _cured_draft_guess_length (self->draft, NULL);
      name = make_buffer_name (self, argument->name);
      _cured_draft_add_buffer (self, name, argument, bytes, length, is_guess, &host);
      _cured_draft_copy_host (self, self->draft->buffers->pdata[self->draft->buffers->len - 1],
                              &host);
      g_free (host.values);
      known = name;
      if (pointer.key != NULL)
        g_hash_table_insert (self->pointers, g_strdup (pointer.key), g_strdup (name));
    }
  g_string_append (arguments, known);
  if (pointer.offset.end > pointer.offset.begin)
    {
      g_autofree char *offset = _cured_draft_make_expr (self, &pointer.offset, NULL);

      if (offset != NULL && !g_str_equal (offset, "0"))
        g_string_append_printf (arguments, strpbrk (offset, "+-*/(") != NULL ? "+(%s)" : "+%s",
                                offset);
    }
}

/* Position of a field in the struct's declaration, possibly of a nested struct: `in.n`. */
static guint
find_field (const CuredTokens *tokens, const char *record, const char *field)
{
  const char *dot = strchr (field, '.');
  CuredDeclared declared;

  if (dot != NULL)
    {
      g_autofree char *own = g_strndup (field, (gsize) (dot - field));
      guint at = find_field (tokens, record, own);

      if (at == 0 || !_cured_draft_read_declared (tokens, at, -1, &declared) ||
          declared.type.end <= declared.type.begin)
        return 0;
      g_autofree char *type = _cured_tokens_dup (declared.type.tokens, declared.type.end - 1);
      return find_field (tokens, type, dot + 1);
    }
  for (guint i = 0; i + 2 < tokens->tokens->len; i++)
    {
      guint open = i + 1;

      if (!(is (tokens, i, "struct") || is (tokens, i, "class")))
        continue;
      while (open < i + 12 && sign (tokens, open) != '{' && sign (tokens, open) != ';')
        open++;
      if (sign (tokens, open) != '{' || match (tokens, open) == CURED_TOKEN_NONE ||
          (!_cured_draft_has_word (tokens, i, open, record) &&
           !is (tokens, match (tokens, open) + 1, record)))
        continue;
      for (guint k = open + 1; k < match (tokens, open); k++)
        if (is (tokens, k, field) && sign (tokens, k + 1) != 0 &&
            strchr (";,=[{", sign (tokens, k + 1)) != NULL &&
            _cured_draft_read_declared (tokens, k, -1, &declared))
          return k;
    }
  return 0;
}

/* Whether the source declares a class template of that name, whose fields only the compiler
 * knows. */
static gboolean
is_class_template (const CuredTokens *tokens, const char *name)
{
  CURED_EACH_WORD (i, tokens, name)
    if (sign (tokens, i - 2) == '>' && (is (tokens, i - 1, "struct") ||
                                        is (tokens, i - 1, "class") || is (tokens, i - 1, "using")))
      return TRUE;
  return FALSE;
}

/* The host's value of a field, possibly of a nested struct. */
static gboolean
find_value (const CuredDrafting *self, const CuredTokenSpan *span, const CuredRecord *record,
            gsize i, CuredTokenSpan *value)
{
  const char *field = record->fields[i].name;
  gsize n = strcspn (field, "."), place = 0, first = i;
  CuredTokenSpan whole = { 0 };
  /* Otherwise an item of a list is a whole member. */
  gboolean is_flat = _cured_draft_find_field_value (self, span, record->n_fields - 1, "", &whole);

  for (gsize k = 1; k <= i; k++)
    {
      const char *name = record->fields[k].name, *last = record->fields[k - 1].name;
      gsize length = strcspn (name, ".");

      if (name[length] == '.' && strncmp (name, last, length + 1) == 0)
        continue;
      place++;
      first = k;
    }
  if (field[n] == '\0')
    return _cured_draft_find_field_value (self, span, is_flat ? i : place, field, value);
  g_autofree char *name = g_strndup (field, n);
  return _cured_draft_find_field_value (self, span, is_flat ? i : G_MAXINT, field, value) ||
         (!is_flat && _cured_draft_find_field_value (self, span, place, name, &whole) &&
          _cured_draft_find_field_value (self, &whole, i - (place == 0 ? 0 : first), field + n + 1,
                                         value));
}

/* Finds the host function that allocates the member's target: `cudaMalloc (&data_, …)`. */
static gboolean
find_own_allocation (const CuredHostSource *source, const char *member, CuredTokenSpan *value)
{
  const CuredTokens *tokens = source->tokens;

  CURED_EACH_WORD (i, tokens, member)
    {
      guint open = i - 1;

      if (sign (tokens, i - 1) != '&' || sign (tokens, i + 1) != ',')
        continue;
      /* (void **) */
      if (sign (tokens, open - 1) == ')')
        while (open > 1 && sign (tokens, --open) != '(')
          ;
      if (sign (tokens, open - 1) == '(' && is_word (tokens, open - 2) &&
          g_str_has_prefix (tokens->text + CURED_TOKEN (tokens, open - 2)->begin, "cudaMalloc"))
        {
          *value = (CuredTokenSpan){ tokens, i, i + 1, _cured_draft_find_function_at (source, i) };
          return value->function >= 0;
        }
    }
  return FALSE;
}

/* A vector, or a struct that the source declares, field by field; a 1 for an unknown field. */
static gboolean
add_by_value (CuredDrafting *self, const CuredDraftArgument *argument, const CuredTokenSpan *span,
              GString *arguments)
{
  const CuredTokens *tokens = self->source->tokens;
  g_autoptr (CuredRecord) record = NULL;
  g_autofree char *name = g_strdup (argument->type);

  if (g_str_has_prefix (name, "const "))
    memmove (name, name + strlen ("const "), strlen (name) - 5);
  if (argument->count > 1)
    record = cured_record_new_vector (argument->element, argument->count);
  else if (argument->size == 0 && strpbrk (name, " <*&") == NULL &&
           !is_class_template (tokens, name))
    record = _cured_record_new_from_source (self->source->source, name, NULL);
  if (record == NULL)
    return FALSE;
  g_string_append_c (arguments, '(');
  for (gsize i = 0; i < record->n_fields; i++)
    {
      const CuredField *field = &record->fields[i];
      CuredTokenSpan value = { tokens, 0, 0, -1 };
      gboolean is_known = argument->count == 1 && find_value (self, span, record, i, &value);
      guint at = field->is_pointer ? find_field (tokens, name, field->name) : 0;
      CuredDeclared declared;

      g_string_append (arguments, i > 0 ? "," : "");
      if (at != 0 && _cured_draft_read_declared (tokens, at, -1, &declared))
        {
          g_autofree char *type =
              _cured_draft_dup_span (tokens, declared.type.begin, declared.type.end);
          char *dot = strrchr (field->name, '.');
          CuredDraftArgument pointed = { .name = dot != NULL ? dot + 1 : field->name,
                                         .type = type,
                                         .is_pointer = TRUE,
                                         .element = CURED_ELEMENT_U32,
                                         .count = 1 };

          /* sp.data, which cudaMalloc () sets: the pointer is a member. */
          if (!is_known && span->end == span->begin + 1 && span->tokens == tokens)
            {
              g_auto (GStrv) parts = g_strsplit (field->name, ".", -1);

              for (guint k = 0; k + 2 < tokens->tokens->len && !is_known; k++)
                {
                  guint n = 0;

                  while (_cured_draft_is_same (tokens, k, tokens, span->begin) &&
                         parts[n] != NULL && sign (tokens, k + 1 + 2 * n) == '.' &&
                         is (tokens, k + 2 + 2 * n, parts[n]))
                    n++;
                  value = (CuredTokenSpan){ tokens, k, k + 1 + 2 * n,
                                            _cured_draft_find_function_at (self->source, k) };
                  is_known = n > 0 && parts[n] == NULL;
                }
            }
          pointed.is_exact = _cured_draft_find_element (self, &declared.type, 0, &pointed);
          g_autofree char *owner = _cured_draft_dup_span (span->tokens, span->begin, span->end);
          self->owner =
              !is_known && find_own_allocation (self->source, field->name, &value) ? owner : NULL;
          add_pointer (self, &pointed, &value, arguments);
          self->owner = NULL;
          continue;
        }
      g_autofree char *expr =
          is_known && !field->is_pointer ? _cured_draft_make_expr (self, &value, NULL) : NULL;
      self->draft->is_argument_guess |= expr == NULL;
      g_string_append (arguments, expr != NULL ? expr : field->is_pointer ? "0" : "1");
    }
  g_string_append_printf (arguments, "):%s", record->text);
  return TRUE;
}

/* Appends a part of a class by value: a buffer if the host's is a pointer, the parts of an array,
 * or a number. */
static void
add_part (CuredDrafting *self, const CuredTokenSpan *span, guint depth, GString *text)
{
  const CuredTokens *tokens = span->tokens;
  guint name = span->begin;
  CuredDeclared declared = { 0 };
  CuredTokenSpan value;

  while (name < span->end && !is_word (tokens, name))
    name++;
  if (name < span->end && tokens == self->source->tokens &&
      _cured_draft_find_declaration (self->source, tokens, name, span->function, name, &declared) &&
      declared.stars > 0)
    {
      g_autofree char *type =
          _cured_draft_dup_span (declared.type.tokens, declared.type.begin, declared.type.end);
      g_autofree char *own = _cured_tokens_dup (tokens, name);
      CuredDraftArgument pointed = {
        .name = own, .type = type, .is_pointer = TRUE, .element = CURED_ELEMENT_U32, .count = 1
      };

      g_string_append (text, text->len > 0 ? "," : "");
      _cured_draft_follow_type (self->source, &declared.type);
      pointed.is_exact = _cured_draft_find_element (self, &declared.type, 0, &pointed);
      add_pointer (self, &pointed, span, text);
      return;
    }
  /* int shape[] = { 3, 4 }; */
  if (declared.bracket != 0 && depth < MAX_DEPTH && span->end == name + 1 &&
      _cured_draft_resolve (self, tokens, name, span->function, name, 0, &value) &&
      sign (value.tokens, value.begin) == '{' && match (value.tokens, value.begin) < value.end)
    {
      g_autoptr (GArray) items = _cured_draft_split (
          value.tokens, value.begin + 1, match (value.tokens, value.begin), value.function);

      for (guint i = 0; i < items->len; i++)
        add_part (self, &g_array_index (items, CuredTokenSpan, i), depth + 1, text);
      return;
    }
  g_autofree char *expr = _cured_draft_make_expr (self, span, NULL);
  self->draft->is_argument_guess |= expr == NULL;
  g_string_append_printf (text, "%s%s", text->len > 0 ? "," : "", expr != NULL ? expr : "1");
}

/* Finds what a method that the host calls, `a.allocate (40, 60)`, assigns to the field at
 * @field of @object: a value, or an allocation. FALSE if none is found. */
static gboolean
find_set_by_call (CuredDrafting *self, const CuredTokenSpan *object, guint field,
                  CuredTokenSpan *value)
{
  const CuredHostSource *source = self->source;
  const CuredTokens *tokens = source->tokens;
  g_autofree char *name = _cured_tokens_dup (tokens, field);

  for (guint i = g_array_index (source->functions, CuredHostFunction, object->function).body;
       i + 3 < self->launch->chevron; i++)
    {
      if (!is_word (tokens, i) || !_cured_draft_is_same (tokens, i, tokens, object->begin) ||
          sign (tokens, i + 1) != '.' || sign (tokens, i + 3) != '(' ||
          match (tokens, i + 3) == CURED_TOKEN_NONE)
        continue;
      g_autofree char *method = _cured_tokens_dup (tokens, i + 2);
      int function = _cured_draft_find_function (source, method);
      if (function < 0)
        continue;
      guint body = g_array_index (source->functions, CuredHostFunction, function).body;
      if (!_cured_draft_find_assignment (source, tokens, field, body, match (tokens, body), 0,
                                         value))
        {
          if (find_own_allocation (source, name, value) && value->function == function)
            return TRUE;
          continue;
        }
      value->function = function;
      g_autoptr (GArray) given =
          _cured_draft_split (tokens, i + 4, match (tokens, i + 3), object->function);
      int item = value->end == value->begin + 1
                     ? _cured_draft_find_parameter (source, function, tokens, value->begin)
                     : -1;
      if (item >= 0 && (guint) item < given->len)
        *value = g_array_index (given, CuredTokenSpan, item);
      return TRUE;
    }
  return FALSE;
}

/* Finds the last assignment of the host to the field at @field before the
 * launch. */
static gboolean
find_set (CuredDrafting *self, const CuredTokenSpan *object, guint field, CuredTokenSpan *value)
{
  const CuredTokens *tokens = self->source->tokens;
  g_autofree char *name = _cured_tokens_dup (tokens, field);

  value->function = object->function;
  return object->function >= 0 && object->tokens == tokens && object->end == object->begin + 1 &&
         (_cured_draft_find_member (
              self->source, tokens, object->begin, name,
              g_array_index (self->source->functions, CuredHostFunction, object->function).body,
              self->launch->chevron, value) ||
          find_set_by_call (self, object, field, value));
}

/* (transfer full): the host's values of a class by value, "p,64", from its list or field by
 * field. */
static char *
list_parts (CuredDrafting *self, const CuredDraftArgument *argument, const CuredTokenSpan *span)
{
  const CuredTokens *tokens = self->source->tokens;
  g_autofree char *name = g_strdup (argument->type);
  g_autofree char *whole = _cured_draft_dup_span (span->tokens, span->begin, span->end);
  GString *text = g_string_new (NULL);
  CuredTokenSpan value = { tokens, 0, 0, -1 };
  guint open = 0;

  for (guint i = 0; i < MAX_FIELDS && _cured_draft_find_field_value (self, span, i, "", &value);
       i++)
    add_part (self, &value, 0, text);
  if (g_str_has_prefix (name, "const "))
    memmove (name, name + strlen ("const "), strlen (name) - 5);
  name[strcspn (name, "< ")] = '\0';
  CURED_EACH_WORD (i, tokens, name)
    if (open == 0 && text->len == 0 &&
        (is (tokens, i - 1, "struct") || is (tokens, i - 1, "class")))
      {
        for (open = i + 1; !_cured_draft_ends_statement (sign (tokens, open)) && open < i + 15;)
          open++;
        if (sign (tokens, open) != '{' || match (tokens, open) == CURED_TOKEN_NONE)
          open = 0;
      }
  self->owner = whole;
  for (guint i = open + 1; open != 0 && i < match (tokens, open); i++)
    if (sign (tokens, i) == '{' || sign (tokens, i) == '(')
      i = MIN (match (tokens, i), match (tokens, open));
    else if (is_word (tokens, i) && sign (tokens, i + 1) != 0 &&
             strchr (";,=[", sign (tokens, i + 1)) != NULL && find_set (self, span, i, &value))
      add_part (self, &value, 0, text);
  self->owner = NULL;
  return g_string_free (text, FALSE);
}

/* Whether the source declares a class of that name, or an alias of one, rather than another
 * thing. */
gboolean
_cured_draft_is_class (const CuredTokens *tokens, const char *type)
{
  CURED_EACH_WORD (i, tokens, type)
    if (is (tokens, i - 1, "struct") || is (tokens, i - 1, "using") ||
        /* Not template <class T>. */
        (is (tokens, i - 1, "class") && sign (tokens, i - 2) != '<' &&
         sign (tokens, i - 2) != ',') ||
        (sign (tokens, i - 1) == '}' && sign (tokens, i + 1) == ';'))
      return TRUE;
  return FALSE;
}

/* Whether the source declares a struct of that name with functions only: a functor. */
gboolean
_cured_draft_is_stateless (const CuredTokens *tokens, const char *type)
{
  const char *path = g_strrstr_len (type, (gssize) strcspn (type, "<"), ":");
  const char *own = path != NULL ? path + 1 : type;
  g_autofree char *name = g_strndup (own, strcspn (own, "<"));

  CURED_EACH_WORD (i, tokens, name)
    {
      guint end = match (tokens, i + 1);
      gboolean has_call = FALSE;

      if (!(is (tokens, i - 1, "struct") || is (tokens, i - 1, "class")) ||
          sign (tokens, i + 1) != '{' || end == CURED_TOKEN_NONE)
        continue;
      /* Each piece that ends has had parentheses. */
      for (guint k = i + 2; k < end; k++)
        {
          if (sign (tokens, k) == ';' && sign (tokens, k - 1) != '}' && !has_call)
            return FALSE;
          if (sign (tokens, k) == ';')
            has_call = FALSE;
          has_call |= sign (tokens, k) == '(';
          if (match (tokens, k) < end)
            k = match (tokens, k);
          if (sign (tokens, k) == '}')
            has_call = FALSE;
        }
      return TRUE;
    }
  return FALSE;
}

/* Whether the source declares an enumeration of that name, which is passed as a number. */
static gboolean
is_enum (const CuredTokens *tokens, const char *type)
{
  CURED_EACH_WORD (i, tokens, type)
    if (is (tokens, i - 1, "enum") ||
        ((is (tokens, i - 1, "class") || is (tokens, i - 1, "struct")) &&
         is (tokens, i - 2, "enum")))
      return TRUE;
  return FALSE;
}

void
_cured_draft_add_argument (CuredDrafting *self, const CuredDraftArgument *argument,
                           const CuredTokenSpan *span, GString *arguments)
{
  gboolean is_real = FALSE;

  g_string_append (arguments, arguments->len > 0 ? "," : "");
  if (argument->is_pointer)
    {
      add_pointer (self, argument, span, arguments);
      return;
    }
  if (add_by_value (self, argument, span, arguments))
    return;
  /* It carries only a type. */
  if (g_str_has_suffix (argument->type, "_constant") ||
      _cured_draft_is_stateless (self->source->tokens, argument->type))
    {
      g_string_append (arguments, "0:i8");
      return;
    }
  /* A class with unknown fields, which the user must write. */
  if (argument->size == 0 && argument->count == 1 &&
      !is_enum (self->source->tokens, argument->type))
    {
      guint n = (guint) (argument - self->kernel->arguments);

      self->draft->is_incomplete = TRUE;
      if (self->draft->fields == NULL)
        self->draft->fields = g_ptr_array_new_with_free_func (g_free);
      if (self->draft->fields->len <= n)
        g_ptr_array_set_size (self->draft->fields, (int) n + 1);
      g_free (self->draft->fields->pdata[n]);
      self->draft->fields->pdata[n] = list_parts (self, argument, span);
      g_string_append (arguments, "0");
      return;
    }
  g_autofree char *expr = _cured_draft_make_expr (self, span, &is_real);
  if (!cured_element_is_integer (argument->element))
    {
      self->draft->is_argument_guess |= expr == NULL;
      g_string_append_printf (arguments, "%s:%s", expr != NULL ? expr : "1",
                              cured_element_to_string (argument->element));
      return;
    }
  if (expr == NULL)
    {
      g_autofree char *name =
          g_strconcat (argument->name, _cured_draft_dup_name (self, argument->name), NULL);

      _cured_draft_add_parameter (self, name, 0, FALSE);
      expr = g_steal_pointer (&name);
    }
  g_string_append (arguments, expr);
  if (argument->element != CURED_ELEMENT_I32)
    g_string_append_printf (arguments, ":%s", cured_element_to_string (argument->element));
}
