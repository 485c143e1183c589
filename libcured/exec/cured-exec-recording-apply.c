/* SPDX-License-Identifier: MIT
 * Applies a recorded launch to a draft. The draft's expressions from the source are kept if they
 * evaluate to the recorded values; otherwise the recorded numbers replace them. */
#include <gio/gio.h>

#include "base/cured-base-internal.h"
#include "exec/cured-exec-private.h"
#include "exec/cured-exec-recording-private.h"
#include "kernel/cured-element-internal.h"

/* The input of a reference that copies. */
#define EXPECTED "in"

/* Limit of numbers in the draft itself; more are in a file beside it. */
#define MAX_VALUES 64

typedef struct
{
  const CuredExecRecorded *recorded;
  CuredHeaderDraft *draft;
  const char *source;
  const char *output; /* (nullable): the draft's file */
  GHashTable *values; /* name of a parameter → gint64 * */
  char **given;       /* the draft's arguments */
  guint n_given;
  char **names;            /* names of the recorded buffers in the draft; NULL: none yet */
  CuredDraftBuffer **like; /* buffers that give their types; NULL: as recorded */
  gboolean *is_plain;      /* an argument points into an element of that type */
} Apply;

/* ---- Texts ---- */

/* Splits a list at commas outside of brackets. */
static char **
split (const char *text)
{
  g_autoptr (GPtrArray) parts = g_ptr_array_new ();
  int depth = 0;
  const char *begin = text;

  for (const char *at = text; text != NULL && *text != '\0'; at++)
    {
      depth += (*at == '(') - (*at == ')');
      if (*at != '\0' && (*at != ',' || depth > 0))
        continue;
      g_ptr_array_add (parts, g_strstrip (g_strndup (begin, (gsize) (at - begin))));
      begin = at + 1;
      if (*at == '\0')
        break;
    }
  g_ptr_array_add (parts, NULL);
  return (char **) g_ptr_array_steal (parts, NULL);
}

static void
replace (char **text, char **by)
{
  g_free (*text);
  *text = g_steal_pointer (by);
}

/* The colon before an argument's type; NULL: it has none. */
static const char *
find_type (const char *argument)
{
  int depth = 0;

  for (const char *at = argument; *at != '\0'; at++)
    {
      depth += (*at == '(') - (*at == ')');
      if (*at == ':' && depth == 0)
        return at;
    }
  return NULL;
}

static gboolean
has_word (const char *text, const char *word)
{
  gsize length = strlen (word);

  for (const char *at = text; at != NULL && (at = strstr (at, word)) != NULL; at += length)
    if ((at == text || !(g_ascii_isalnum (at[-1]) || at[-1] == '_')) &&
        !(g_ascii_isalnum (at[length]) || at[length] == '_'))
      return TRUE;
  return FALSE;
}

/* The shortest text that reads back as the same real. */
static char *
format_real (double value, gboolean is_single)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  for (int digits = 1; digits <= 17; digits++)
    {
      char format[8];

      g_snprintf (format, sizeof format, "%%.%dg", digits);
      g_ascii_formatd (text, sizeof text, format, value);
      if (is_single ? (float) g_ascii_strtod (text, NULL) == (float) value
                    : g_ascii_strtod (text, NULL) == value)
        break;
    }
  return g_strdup (text);
}

/* ---- The draft's expressions ---- */

static gboolean
lookup_cb (const char *name, CuredNumber *value, gpointer data)
{
  const gint64 *known = g_hash_table_lookup (data, name);

  if (known != NULL)
    *value = (CuredNumber){ .integer = *known };
  return known != NULL;
}

static gboolean
evaluate (const char *text, GHashTable *values, CuredNumber *number)
{
  g_autoptr (CuredExpr) expr = text != NULL ? cured_expr_parse (text, NULL) : NULL;

  return expr != NULL && cured_expr_evaluate (expr, lookup_cb, values, number, NULL);
}

static gboolean
comes_to (const char *text, GHashTable *values, gint64 wanted)
{
  g_autoptr (CuredExpr) expr = text != NULL ? cured_expr_parse (text, NULL) : NULL;
  gint64 number = 0;

  return expr != NULL && cured_expr_evaluate_integer (expr, lookup_cb, values, &number, NULL) &&
         number == wanted;
}

/* ---- Recorded values ---- */

/* All expressions of a recorded launch are numbers. */
static gint64
get_number (const CuredExpr *expr, gint64 missing)
{
  g_autoptr (GHashTable) none = g_hash_table_new (g_str_hash, g_str_equal);
  gint64 number = missing;

  if (expr != NULL && !cured_expr_evaluate_integer (expr, lookup_cb, none, &number, NULL))
    return missing;
  return number;
}

static double
get_real (const CuredExpr *expr)
{
  g_autoptr (GHashTable) none = g_hash_table_new (g_str_hash, g_str_equal);
  double number = NAN;

  cured_expr_evaluate_double (expr, lookup_cb, none, &number, NULL);
  return number;
}

static gsize
get_bytes (const CuredBuffer *buffer)
{
  return (gsize) get_number (buffer->length, 0) * cured_element_get_size (buffer->type);
}

static gsize
get_offset (const CuredKernel *kernel, const CuredArgument *argument)
{
  return (gsize) get_number (argument->expr, 0) *
         cured_element_get_size (kernel->buffers[argument->buffer].type);
}

/* A scalar's bytes. */
static gsize
store_scalar (const CuredArgument *argument, guint8 *bytes)
{
  if (cured_element_is_integer (argument->type))
    cured_element_store_integer (argument->type, bytes, (guint64) get_number (argument->expr, 0));
  else
    cured_element_store (argument->type, bytes, get_real (argument->expr));
  return cured_element_get_size (argument->type);
}

/* A struct's bytes; its pointers are 0. */
static guint8 *
dup_bytes (const CuredArgument *argument)
{
  guint8 *bytes = g_malloc0 (argument->record->size + 8);

  for (gsize i = 0; i < argument->record->n_fields; i++)
    if (argument->parts[i].buffer < 0)
      store_scalar (&argument->parts[i], bytes + argument->record->fields[i].offset);
  return bytes;
}

/* The fields of "(data,n,1.5):struct:Rows"; empty for other texts. */
static char **
split_fields (const char *given)
{
  const char *colon = given != NULL ? find_type (given) : NULL;
  g_autofree char *inside = given != NULL && given[0] == '(' && colon != NULL && colon[-1] == ')'
                                ? g_strndup (given + 1, (gsize) (colon - given) - 2)
                                : NULL;

  return split (inside);
}

/* ---- Parameters ---- */

static void
set_value (GHashTable *values, const char *name, gint64 value, GHashTable *solved)
{
  gint64 *known = g_hash_table_lookup (values, name);

  if (known == NULL || !g_hash_table_add (solved, (gpointer) name))
    return;
  *known = value;
}

/* Likewise, by fields of a struct that are just a parameter. */
static void
solve_fields (GHashTable *values, const CuredArgument *argument, const char *given,
              const char *source, GHashTable *solved)
{
  g_autofree guint8 *bytes = dup_bytes (argument);
  g_auto (GStrv) fields = split_fields (given);
  g_autoptr (CuredRecord) record = NULL;
  CuredElement element = CURED_ELEMENT_I32;
  gpointer name = NULL;

  if (!_cured_type_parse (find_type (given) + 1, source, &element, &record, NULL) ||
      record == NULL || record->size != argument->record->size ||
      record->n_fields != g_strv_length (fields))
    return;
  for (gsize i = 0; i < record->n_fields; i++)
    if (cured_element_is_integer (record->fields[i].type) && !record->fields[i].is_pointer &&
        g_hash_table_lookup_extended (values, fields[i], &name, NULL))
      set_value (
          values, name,
          cured_element_load_integer (record->fields[i].type, bytes + record->fields[i].offset),
          solved);
}

/* (transfer full): the value of each parameter in a launch: that of an argument, of the block, the
 * grid or a length that is just this parameter; else its default. */
static GHashTable *
solve (const CuredHeaderDraft *draft, const char *source, char **given, guint n_given,
       const CuredKernel *kernel)
{
  const CuredStep *step = &kernel->steps[0];
  GHashTable *values = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, g_free);
  g_autoptr (GHashTable) solved = g_hash_table_new (g_str_hash, g_str_equal);
  g_auto (GStrv) blocks = split (draft->block), grids = split (draft->grid);

  CURED_EACH_POINTER (const CuredDraftParameter, parameter, draft->parameters)
    {
      gint64 *value = g_new0 (gint64, 1);
      CuredNumber number = { 0 };

      if (evaluate (parameter->default_value, values, &number) && !number.is_double)
        *value = number.integer;
      g_hash_table_insert (values, parameter->name, value);
    }
  for (guint i = 0; i < n_given && i < step->n_arguments; i++)
    {
      const CuredArgument *argument = &step->arguments[i];
      const char *type = find_type (given[i]);
      g_autofree char *text =
          type != NULL ? g_strndup (given[i], (gsize) (type - given[i])) : g_strdup (given[i]);
      gpointer name = NULL;

      if (argument->buffer < 0 && argument->record == NULL &&
          cured_element_is_integer (argument->type) &&
          g_hash_table_lookup_extended (values, text, &name, NULL))
        set_value (values, name, get_number (argument->expr, 0), solved);
      else if (argument->record != NULL && type != NULL)
        solve_fields (values, argument, given[i], source, solved);
    }
  for (guint turn = 0; turn < 2; turn++)
    for (guint i = 0; i < 3 && (turn == 0 ? blocks : grids)[i] != NULL; i++)
      {
        gpointer name = NULL;

        if (g_hash_table_lookup_extended (values, (turn == 0 ? blocks : grids)[i], &name, NULL))
          set_value (values, name, get_number ((turn == 0 ? step->block : step->grid)[i], 1),
                     solved);
      }
  return values;
}

/* ---- Sizes ---- */

/* "ceil(n/256),1": the draft's expressions if they evaluate to the recorded sizes, else these. */
static char *
make_sizes (const char *text, CuredExpr *const *sizes, GHashTable *values, guint *n_other)
{
  g_auto (GStrv) parts = split (text);
  g_autoptr (GString) made = g_string_new (NULL);
  guint n_parts = g_strv_length (parts), n = 3;

  while (n > 1 && n > n_parts && get_number (sizes[n - 1], 1) == 1)
    n--;
  for (guint i = 0; i < n; i++)
    {
      gint64 size = get_number (sizes[i], 1);
      gboolean is_same = i < n_parts && comes_to (parts[i], values, size);

      if (i > 0)
        g_string_append_c (made, ',');
      if (is_same)
        g_string_append (made, parts[i]);
      else
        g_string_append_printf (made, "%" PRId64, size);
      *n_other += !is_same;
    }
  return g_string_free (g_steal_pointer (&made), FALSE);
}

/* Number of the kernel's launches whose grid and block match the draft's expressions. */
static guint
count_alike (const CuredExecRecording *recording, const Apply *self)
{
  guint n = 0;

  CURED_EACH_POINTER (const CuredExecRecorded, other, recording->launches)
    {
      const CuredStep *step = &other->kernel->steps[0];
      g_autofree char *grid = NULL, *block = NULL;
      guint n_other = 0;

      if (!g_str_equal (step->entry, self->recorded->kernel->steps[0].entry))
        continue;
      g_autoptr (GHashTable) values =
          solve (self->draft, self->source, self->given, self->n_given, other->kernel);
      grid = make_sizes (self->draft->grid, step->grid, values, &n_other);
      block = make_sizes (self->draft->block, step->block, values, &n_other);
      n += n_other == 0;
    }
  return n;
}

/* ---- Arguments ---- */

static CuredDraftBuffer *
find_buffer (const CuredHeaderDraft *draft, const char *name, gsize length)
{
  CURED_EACH_POINTER (CuredDraftBuffer, buffer, draft->buffers)
    if (!buffer->is_constant && strlen (buffer->name) == length &&
        strncmp (buffer->name, name, length) == 0)
      return buffer;
  return NULL;
}

static gboolean
is_taken (const Apply *self, const char *name)
{
  for (gsize i = 0; i < self->recorded->kernel->n_buffers; i++)
    if (g_strcmp0 (self->names[i], name) == 0)
      return TRUE;
  return g_str_equal (name, EXPECTED) || g_hash_table_contains (self->values, name);
}

/* Bytes of an element. */
static gsize
measure (const CuredDraftBuffer *buffer, const char *source)
{
  g_autoptr (CuredRecord) record = NULL;
  CuredElement type = buffer->type;

  if (buffer->record == NULL)
    return cured_element_get_size (buffer->type);
  if (!_cured_type_parse (buffer->record, source, &type, &record, NULL))
    return 0;
  return record != NULL ? record->size : cured_element_get_size (type);
}

/* Finds the draft's buffer for a recorded one, by the argument's text. */
static void
name_buffer (Apply *self, const CuredArgument *argument, const char *given)
{
  const CuredKernel *kernel = self->recorded->kernel;
  int i = argument->buffer;
  gsize length = given != NULL ? strspn (given, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "_") : 0;
  CuredDraftBuffer *like = length > 0 ? find_buffer (self->draft, given, length) : NULL;
  gsize size = like != NULL ? measure (like, self->source) : 0;

  if (size == 0 || get_offset (kernel, argument) % size != 0 ||
      get_bytes (&kernel->buffers[i]) % size != 0)
    self->is_plain[i] |= like != NULL;
  if (self->names[i] != NULL)
    return;
  self->like[i] = like;
  self->names[i] = g_strdup (like != NULL ? like->name : kernel->buffers[i].name);
  while (TRUE)
    {
      char *name = self->names[i];

      self->names[i] = NULL;
      if (!is_taken (self, name))
        {
          self->names[i] = name;
          break;
        }
      self->names[i] = g_strconcat (name, "_", NULL);
      g_free (name);
    }
}

static gsize
get_element_size (const Apply *self, int buffer)
{
  return self->like[buffer] != NULL && !self->is_plain[buffer]
             ? measure (self->like[buffer], self->source)
             : cured_element_get_size (self->recorded->kernel->buffers[buffer].type);
}

static void
append_pointer (const Apply *self, const CuredArgument *argument, GString *text)
{
  gsize offset = get_offset (self->recorded->kernel, argument);

  g_string_append (text, self->names[argument->buffer]);
  if (offset > 0)
    g_string_append_printf (text, "+%zu", offset / get_element_size (self, argument->buffer));
}

/* A number of @type out of @bytes. */
static void
append_number (GString *text, CuredElement type, const guint8 *bytes)
{
  if (cured_element_is_integer (type))
    {
      gint64 number = cured_element_load_integer (type, bytes);

      g_string_append_printf (text, "%" PRId64, number);
      return;
    }
  g_autofree char *real = format_real (cured_element_load (type, bytes), type != CURED_ELEMENT_F64);
  g_string_append (text, real);
}

/* Whether an expression of the draft evaluates to the number in @bytes. */
static gboolean
is_number (const Apply *self, const char *expr, CuredElement type, const guint8 *bytes)
{
  CuredNumber number = { 0 };
  guint8 drafted[8] = { 0 };

  if (!evaluate (expr, self->values, &number) ||
      (number.is_double && cured_element_is_integer (type)))
    return FALSE;
  if (cured_element_is_integer (type))
    cured_element_store_integer (type, drafted, (guint64) number.integer);
  else
    cured_element_store (type, drafted, number.is_double ? number.real : (double) number.integer);
  return memcmp (bytes, drafted, cured_element_get_size (type)) == 0;
}

/* Appends a struct by the draft's fields, from the recorded words. */
static gboolean
append_record (const Apply *self, const CuredArgument *argument, const char *given, GString *text)
{
  const char *colon = given != NULL ? find_type (given) : NULL;
  const char *type = colon != NULL ? colon + 1 : NULL;
  g_auto (GStrv) fields = split_fields (given);
  g_autoptr (CuredRecord) record = NULL;
  CuredElement element = CURED_ELEMENT_I32;
  g_autofree guint8 *bytes = dup_bytes (argument);
  g_autofree const CuredArgument **pointers =
      g_new0 (const CuredArgument *, argument->record->size + 1);
  g_autoptr (GString) made = g_string_new ("(");

  if (type == NULL || !_cured_type_parse (type, self->source, &element, &record, NULL) ||
      record == NULL || record->size != argument->record->size)
    return FALSE;
  for (gsize i = 0; i < argument->record->n_fields; i++)
    if (argument->parts[i].buffer >= 0)
      pointers[argument->record->fields[i].offset] = &argument->parts[i];
  for (gsize i = 0; i < record->n_fields; i++)
    {
      const CuredField *field = &record->fields[i];
      const CuredArgument *pointer = pointers[field->offset];
      guint64 word = 0;

      memcpy (&word, bytes + field->offset, cured_element_get_size (field->type));
      g_string_append (made, i > 0 ? "," : "");
      if ((pointer != NULL) != field->is_pointer && (pointer != NULL || word != 0))
        return FALSE;
      if (!cured_element_is_integer (field->type) &&
          !isfinite (cured_element_load (field->type, bytes + field->offset)))
        return FALSE;
      if (pointer != NULL)
        append_pointer (self, pointer, made);
      else if (g_strv_length (fields) == record->n_fields &&
               is_number (self, fields[i], field->type, bytes + field->offset))
        g_string_append (made, fields[i]);
      else
        append_number (made, field->type, bytes + field->offset);
    }
  g_string_append_printf (text, "%s):%s", made->str, type);
  return TRUE;
}

/* Appends a struct by its recorded words. */
static void
append_words (const Apply *self, const CuredArgument *argument, GString *text)
{
  g_string_append_c (text, '(');
  for (gsize i = 0; i < argument->record->n_fields; i++)
    {
      const CuredArgument *part = &argument->parts[i];

      g_string_append (text, i > 0 ? "," : "");
      if (part->buffer >= 0)
        append_pointer (self, part, text);
      else
        g_string_append (text, cured_expr_get_text (part->expr));
    }
  g_string_append_printf (text, "):%s", argument->record->text);
}

/* Appends a number: the draft's expression if it evaluates to it. */
static void
append_scalar (const Apply *self, const CuredArgument *argument, const char *given, GString *text)
{
  const char *colon = given != NULL ? find_type (given) : NULL;
  g_autofree char *expr =
      colon != NULL ? g_strndup (given, (gsize) (colon - given)) : g_strdup (given);
  CuredElement type = CURED_ELEMENT_I32;
  guint8 bytes[8] = { 0 };
  gsize size = store_scalar (argument, bytes);

  if (given == NULL || (colon != NULL && !cured_element_from_string (colon + 1, &type)) ||
      cured_element_get_size (type) != size)
    {
      append_number (text, argument->type, bytes);
      g_string_append_printf (text, ":%s", cured_element_to_string (argument->type));
      return;
    }
  if (is_number (self, expr, type, bytes))
    {
      g_string_append (text, given);
      return;
    }
  append_number (text, type, bytes);
  if (colon != NULL)
    g_string_append (text, colon);
}

static char *
make_arguments (Apply *self)
{
  const CuredStep *step = &self->recorded->kernel->steps[0];
  g_autoptr (GString) text = g_string_new (NULL);

  for (gsize i = 0; i < step->n_arguments; i++)
    {
      const CuredArgument *argument = &step->arguments[i];
      const char *given = i < self->n_given ? self->given[i] : NULL;

      g_string_append (text, i > 0 ? "," : "");
      if (argument->buffer >= 0)
        append_pointer (self, argument, text);
      else if (argument->record != NULL)
        {
          if (!append_record (self, argument, given, text))
            append_words (self, argument, text);
        }
      else
        append_scalar (self, argument, given, text);
    }
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static void
name_buffers (Apply *self)
{
  const CuredStep *step = &self->recorded->kernel->steps[0];

  for (gsize i = 0; i < step->n_arguments; i++)
    {
      const CuredArgument *argument = &step->arguments[i];
      const char *given = i < self->n_given ? self->given[i] : NULL;

      if (argument->buffer >= 0)
        name_buffer (self, argument, given);
      if (argument->record == NULL)
        continue;
      g_auto (GStrv) fields = split_fields (given);
      for (gsize k = 0, n_pointers = 0; k < argument->record->n_fields; k++)
        {
          const CuredArgument *part = &argument->parts[k];

          if (part->buffer < 0)
            continue;
          /* The draft's fields that name buffers, in their order. */
          while (n_pointers < g_strv_length (fields) &&
                 find_buffer (self->draft, fields[n_pointers],
                              strspn (fields[n_pointers],
                                      G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "_")) == NULL)
            n_pointers++;
          name_buffer (self, part, n_pointers < g_strv_length (fields) ? fields[n_pointers] : NULL);
          n_pointers++;
        }
    }
}

/* ---- Contents ---- */

/* Whether element @i is Low + i * High. */
static gboolean
is_ramp (CuredElement type, const guint8 *bytes, gsize n)
{
  gsize size = cured_element_get_size (type);
  double low = cured_element_load (type, bytes);
  double high = n > 1 ? cured_element_load (type, bytes + size) - low : 0;

  /* Integers that single precision can represent. */
  if (n < 3 || size < 4 || floor (low) != low || floor (high) != high ||
      fabs (low) + fabs (high) * (double) n > 16777216)
    return FALSE;
  for (gsize i = 0; i < n; i++)
    if (cured_element_load (type, bytes + i * size) != low + high * (double) i)
      return FALSE;
  return TRUE;
}

/* The period of the elements; 0 if it is long. */
static gsize
find_period (const guint8 *bytes, gsize size, gsize n)
{
  for (gsize period = 1; period <= MIN (n, MAX_VALUES); period++)
    if (period >= n || memcmp (bytes, bytes + period * size, (n - period) * size) == 0)
      return period;
  return 0;
}

/* Whether the numbers can be written: integers that a double can represent, or reals other than
 * NaN. */
static gboolean
is_writable (CuredElement type, const guint8 *bytes, gsize n)
{
  gsize size = cured_element_get_size (type);

  for (gsize i = 0; i < n; i++)
    {
      double value = cured_element_load (type, bytes + i * size);

      if (!isfinite (value) ||
          (cured_element_is_integer (type) && fabs (value) >= 9007199254740992.0))
        return FALSE;
      /* A zero with a sign. */
      if (value == 0 && signbit (value))
        return FALSE;
    }
  return TRUE;
}

static char *
format_number (CuredElement type, const guint8 *bytes)
{
  GString *text = g_string_new (NULL);

  append_number (text, type, bytes);
  return g_string_free (text, FALSE);
}

/* Describes the contents by Fill= and a few numbers, if possible. */
static gboolean
describe (CuredDraftBuffer *buffer, const guint8 *bytes, gsize n)
{
  gsize size = cured_element_get_size (buffer->type);
  g_autoptr (GString) text = g_string_new (NULL);

  if (buffer->record != NULL || n == 0)
    return FALSE;
  gsize period = find_period (bytes, size, n);
  if (period != 1 && is_ramp (buffer->type, bytes, n))
    {
      double low = cured_element_load (buffer->type, bytes);

      buffer->fill = g_strdup ("ramp");
      buffer->low = format_number (buffer->type, bytes);
      buffer->high =
          g_strdup_printf ("%.0f", cured_element_load (buffer->type, bytes + size) - low);
      return TRUE;
    }
  if (period > 1 && n <= MAX_VALUES)
    period = n;
  if (period == 0 || !is_writable (buffer->type, bytes, period))
    return FALSE;
  for (gsize i = 0; i < period; i++)
    {
      g_string_append (text, i > 0 ? "," : "");
      append_number (text, buffer->type, bytes + i * size);
    }
  buffer->fill = g_strdup (period == 1 ? "constant" : "values");
  buffer->low = g_string_free (g_steal_pointer (&text), FALSE);
  return TRUE;
}

/* A guess: uniform between the minimum and the maximum of the recorded values. */
static void
describe_range (CuredDraftBuffer *buffer, const guint8 *bytes, gsize n)
{
  gsize size = cured_element_get_size (buffer->type);
  gboolean has_range = buffer->record == NULL && is_writable (buffer->type, bytes, n);

  buffer->is_fill_guess = TRUE;
  buffer->fill = g_strdup ("uniform");
  if (has_range)
    {
      const guint8 *low = bytes, *high = bytes;

      for (gsize i = 1; i < n; i++)
        {
          double value = cured_element_load (buffer->type, bytes + i * size);

          if (value < cured_element_load (buffer->type, low))
            low = bytes + i * size;
          if (value > cured_element_load (buffer->type, high))
            high = bytes + i * size;
        }
      buffer->low = format_number (buffer->type, low);
      buffer->high = format_number (buffer->type, high);
    }
}

/* Copies saved contents to a file beside the draft. */
static gboolean
put_file (const Apply *self, const CuredBuffer *from, const char *what, CuredDraftBuffer *to,
          GError **error)
{
  g_autofree char *folder = g_path_get_dirname (self->recorded->kernel->path);
  g_autofree char *old = g_build_filename (folder, from->file, NULL);
  g_autofree char *base = g_path_get_basename (self->output);
  g_autofree char *place = g_path_get_dirname (self->output);
  const char *dot = strrchr (base, '.');
  g_autofree char *stem = dot != NULL ? g_strndup (base, (gsize) (dot - base)) : g_strdup (base);
  g_autofree char *plain = g_strdup (what);
  g_autoptr (GFile) source = g_file_new_for_path (old);

  g_strcanon (plain, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "_.", '_');
  g_autofree char *name = g_strdup_printf ("%s.%s.bin%s", stem, plain,
                                           g_str_has_suffix (from->file, ".zst") ? ".zst" : "");
  g_autofree char *path = g_build_filename (place, name, NULL);
  g_autoptr (GFile) target = g_file_new_for_path (path);
  to->fill = g_strdup ("file");
  to->low = g_steal_pointer (&name);
  return g_file_copy (source, target, G_FILE_COPY_OVERWRITE, NULL, NULL, NULL, error);
}

/* Sets Fill= from the recorded contents. */
static gboolean
fill (const Apply *self, const CuredBuffer *from, const CuredDraftBuffer *like, const char *what,
      CuredDraftBuffer *to, GError **error)
{
  gsize n_bytes = 0;
  const guint8 *bytes = NULL;

  /* The program makes the kernel read unwritten memory; other numbers let the kernel itself be
   * inspected. */
  if (from->fill == CURED_FILL_POISON && self->recorded->reads_unwritten &&
      !(like != NULL && g_str_equal (like->fill, "poison")))
    {
      to->is_fill_guess = TRUE;
      to->fill = g_strdup (like != NULL ? like->fill : "uniform");
      to->low = g_strdup (like != NULL ? like->low : NULL);
      to->high = g_strdup (like != NULL ? like->high : NULL);
      return TRUE;
    }
  if (from->fill == CURED_FILL_POISON || from->fill == CURED_FILL_CONSTANT)
    {
      to->fill = g_strdup (from->fill == CURED_FILL_POISON ? "poison" : "constant");
      return TRUE;
    }
  if (from->contents != NULL)
    bytes = g_bytes_get_data (from->contents, &n_bytes);
  gsize n = n_bytes / cured_element_get_size (to->type);
  if (bytes != NULL && describe (to, bytes, n))
    return TRUE;
  if (self->output != NULL)
    return put_file (self, from, what, to, error);
  if (bytes != NULL)
    describe_range (to, bytes, n);
  else
    to->fill = g_strdup ("uniform");
  return TRUE;
}

static CuredDraftBuffer *
add_buffer (GPtrArray *buffers, const char *name, const CuredDraftBuffer *like,
            const CuredBuffer *recorded)
{
  CuredDraftBuffer *buffer = CURED_NEW (CuredDraftBuffer, .name = g_strdup (name),
                                        .type = like != NULL ? like->type : recorded->type,
                                        .record = like != NULL ? g_strdup (like->record) : NULL);

  g_ptr_array_add (buffers, buffer);
  return buffer;
}

static void
set_length (Apply *self, CuredDraftBuffer *buffer, const CuredDraftBuffer *like,
            const CuredBuffer *recorded)
{
  gint64 n = (gint64) (get_bytes (recorded) / measure (buffer, self->source));

  buffer->length = like != NULL && comes_to (like->length, self->values, n)
                       ? g_strdup (like->length)
                       : g_strdup_printf ("%" PRId64, n);
}

/* Adds the expected contents of the buffer that the launch changed. */
static gboolean
add_expected (Apply *self, GPtrArray *buffers, GError **error)
{
  const CuredKernel *kernel = self->recorded->kernel;
  const CuredBuffer *from = NULL;
  const CuredDraftBuffer *output = NULL;

  for (gsize i = 0; kernel->reference != NULL && i < kernel->n_buffers; i++)
    if (g_str_equal (kernel->buffers[i].name, EXPECTED))
      from = &kernel->buffers[i];
  if (from == NULL || self->names[kernel->output] == NULL)
    return TRUE;
  for (guint i = 0; i < buffers->len; i++)
    if (g_str_equal (((CuredDraftBuffer *) buffers->pdata[i])->name, self->names[kernel->output]))
      output = buffers->pdata[i];
  g_autofree char *what = g_strconcat (output->name, ".after", NULL);
  CuredDraftBuffer *to = add_buffer (buffers, EXPECTED, output, from);
  to->length = g_strdup (output->length);
  if (!fill (self, from, NULL, what, to, error))
    return FALSE;
  if (to->is_fill_guess)
    {
      g_ptr_array_remove_index (buffers, buffers->len - 1);
      return TRUE;
    }
  self->draft->output = g_strdup (output->name);
  self->draft->reference = g_strdup ("copy");
  self->draft->is_exact = to->record == NULL && cured_element_is_integer (to->type);
  return TRUE;
}

static gboolean
make_buffers (Apply *self, GPtrArray *buffers, GError **error)
{
  const CuredKernel *kernel = self->recorded->kernel;
  gboolean has_guess = FALSE;

  g_clear_pointer (&self->draft->output, g_free);
  g_clear_pointer (&self->draft->reference, g_free);

  for (gsize i = 0; i < kernel->n_buffers; i++)
    {
      const CuredBuffer *from = &kernel->buffers[i];
      const CuredDraftBuffer *like = self->is_plain[i] ? NULL : self->like[i];
      g_autofree char *name = NULL;

      if (from->is_constant)
        {
          name = _cured_exec_demangle_whole (from->name);
          const char *last = g_strrstr (name, "::");
          /* Tables of CUDA's own functions need no entry. */
          if (!has_word (self->source, last != NULL ? last + 2 : name))
            continue;
          CURED_EACH_POINTER (CuredDraftBuffer, other, self->draft->buffers)
            if (other->is_constant && g_str_equal (other->name, name) &&
                measure (other, self->source) > 0 &&
                get_bytes (from) % measure (other, self->source) == 0)
              like = other;
        }
      else if (self->names[i] == NULL)
        continue;
      else
        name = g_strdup (self->names[i]);
      CuredDraftBuffer *to = add_buffer (buffers, name, like, from);
      to->is_constant = from->is_constant;
      set_length (self, to, like, from);
      if (!fill (self, from, like, name, to, error))
        return FALSE;
      has_guess |= to->is_fill_guess;
    }
  /* Results of guessed contents are unknown. */
  return has_guess || add_expected (self, buffers, error);
}

/* ---- The draft ---- */

/* An entry's name without spaces and suffixes of numbers, and with numbers for parameters. */
static char *
simplify (const Apply *self, const char *entry)
{
  g_autoptr (GRegex) number = g_regex_new ("\\b(\\d+)[uUlL]+", 0, 0, NULL);
  g_autofree char *plain = g_regex_replace (number, entry, -1, 0, "\\1", 0, NULL);
  GHashTableIter iter;
  gpointer name = NULL, value = NULL;

  g_hash_table_iter_init (&iter, self->values);
  while (g_hash_table_iter_next (&iter, &name, &value))
    {
      g_autofree char *macro = g_ascii_strup (name, -1);
      g_autofree char *pattern = g_strdup_printf ("\\b%s\\b", macro);
      g_autofree char *by = g_strdup_printf ("%" PRId64, *(gint64 *) value);
      g_autoptr (GRegex) regex = g_regex_new (pattern, 0, 0, NULL);
      char *replaced =
          regex != NULL ? g_regex_replace_literal (regex, plain, -1, 0, by, 0, NULL) : NULL;

      if (replaced == NULL)
        continue;
      g_free (plain);
      plain = replaced;
    }
  char *to = plain;
  for (const char *at = plain; *at != '\0'; at++)
    if (*at != ' ')
      *to++ = *at;
  *to = '\0';
  return g_steal_pointer (&plain);
}

static void
set_entry (const Apply *self)
{
  g_auto (GStrv) parts = g_strsplit (self->recorded->name, "(anonymous namespace)::", -1);
  g_autofree char *name = g_strjoinv ("", parts), *drafted = simplify (self, self->draft->entry);
  g_autofree char *recorded = simplify (self, name);

  if (g_str_equal (drafted, recorded) || strchr (name, '<') == NULL)
    return;
  g_free (self->draft->entry);
  self->draft->entry = g_steal_pointer (&name);
}

static gboolean
is_used (const CuredHeaderDraft *draft, const char *name)
{
  gboolean is_found = has_word (draft->grid, name) || has_word (draft->block, name) ||
                      has_word (draft->shared, name) || has_word (draft->arguments, name);

  for (guint i = 0; i < draft->buffers->len; i++)
    is_found |= has_word (((CuredDraftBuffer *) draft->buffers->pdata[i])->length, name);
  return is_found;
}

/* The recorded results are valid only for the recorded sizes; the block may vary if no length
 * equals it. */
static void
set_parameters (const Apply *self, guint n_alike)
{
  CuredHeaderDraft *draft = self->draft;

  for (guint i = draft->parameters->len; i-- > 0;)
    {
      CuredDraftParameter *parameter = draft->parameters->pdata[i];
      gint64 value = *(gint64 *) g_hash_table_lookup (self->values, parameter->name);
      g_autofree char *text = g_strdup_printf ("%" PRId64, value);
      gboolean is_size = parameter->kind == CURED_PARAMETER_PROBLEM;

      if (parameter->kind != CURED_PARAMETER_COMPILE && !is_used (draft, parameter->name))
        {
          g_ptr_array_remove_index (draft->parameters, i);
          continue;
        }
      for (guint k = 0; k < draft->buffers->len; k++)
        is_size |=
            has_word (((CuredDraftBuffer *) draft->buffers->pdata[k])->length, parameter->name);
      if (is_size)
        {
          g_free (parameter->values);
          parameter->values = g_strdup (text);
          g_clear_pointer (&parameter->sweep, g_free);
        }
      else if (g_strcmp0 (parameter->default_value, text) != 0)
        {
          g_clear_pointer (&parameter->values, g_free);
          g_clear_pointer (&parameter->sweep, g_free);
        }
      g_free (parameter->default_value);
      parameter->default_value = g_steal_pointer (&text);
      parameter->is_guess = FALSE;
      parameter->n_launches = n_alike;
    }
}

/* Whether the launch is of the draft's kernel. */
static gboolean
is_of (const CuredExecRecorded *recorded, const CuredHeaderDraft *draft)
{
  g_autofree char *plain = g_strndup (recorded->name, strcspn (recorded->name, "<"));
  const char *last = g_strrstr (plain, "::");

  if (g_str_has_prefix (draft->entry, "_Z"))
    return g_str_equal (draft->entry, recorded->kernel->steps[0].entry);
  return g_str_equal (last != NULL ? last + 2 : plain, draft->function);
}

/* @drafts: (element-type CuredHeaderDraft): drafts of the file's kernels
 * Returns: the index of the draft whose kernel was launched first; -1: none was */
int
cured_exec_recording_find (const CuredExecRecording *self, const GPtrArray *drafts)
{
  for (guint i = 0; i < self->launches->len; i++)
    for (guint k = 0; k < drafts->len; k++)
      if (is_of (self->launches->pdata[i], drafts->pdata[k]))
        return (int) k;
  return -1;
}

static void
apply_clear (Apply *self)
{
  for (gsize i = 0; self->names != NULL && i < self->recorded->kernel->n_buffers; i++)
    g_free (self->names[i]);
  CURED_CLEAR (names, g_free, like, g_free, is_plain, g_free, given, g_strfreev, values,
               g_hash_table_unref);
}

/* @draft: draft of a kernel in its file
 * @source: of the file, with what it includes: types may be there
 * @output: (nullable): the draft's file: contents of buffers are written to files beside it; NULL:
 *   contents that a few numbers do not describe are guessed
 * @error: return location
 *
 * Sets a draft to the first launch of its kernel: grid, block, arguments, contents before, and of
 * one buffer after it. Blocks on the files.
 * Returns: FALSE with %CURED_ERROR_NOT_FOUND if the kernel was not launched, or its launch could
 *   not be kept (the draft is unchanged), or with an error of GIO's */
gboolean
cured_exec_recording_apply (CuredExecRecording *self, CuredHeaderDraft *draft, const char *source,
                            const char *output, GError **error)
{
  Apply apply = { .draft = draft, .source = source, .output = output };
  guint n_other = 0, n_alike = 0;
  gsize n_buffers = 0;

  g_return_val_if_fail (self != NULL && draft != NULL && source != NULL, FALSE);

  for (guint i = 0; i < self->launches->len && apply.recorded == NULL; i++)
    if (is_of (self->launches->pdata[i], draft))
      apply.recorded = self->launches->pdata[i];
  if (apply.recorded == NULL)
    return cured_fail (error, CURED_ERROR_NOT_FOUND, _ ("no launch of %s was recorded"),
                       draft->entry);
  if (strstr (apply.recorded->name, "{lambda") != NULL ||
      strstr (apply.recorded->name, "'lambda") != NULL)
    return cured_fail (
        error, CURED_ERROR_NOT_FOUND,
        _ ("%s takes a lambda, which a header can't name; “cured exec --save” saves its "
           "launches as PTX"),
        draft->function);
  const CuredStep *step = &apply.recorded->kernel->steps[0];
  n_buffers = apply.recorded->kernel->n_buffers;
  apply.given = split (draft->arguments);
  apply.n_given = g_strv_length (apply.given);
  if (apply.n_given != step->n_arguments)
    apply.n_given = 0;
  apply.values = solve (draft, source, apply.given, apply.n_given, apply.recorded->kernel);
  apply.names = g_new0 (char *, n_buffers + 1);
  apply.like = g_new0 (CuredDraftBuffer *, n_buffers + 1);
  apply.is_plain = g_new0 (gboolean, n_buffers + 1);
  g_autoptr (GPtrArray) buffers =
      g_ptr_array_new_with_free_func ((GDestroyNotify) cured_draft_buffer_free);
  n_alike = count_alike (self, &apply);
  name_buffers (&apply);
  gboolean is_done = make_buffers (&apply, buffers, error);
  if (is_done)
    {
      g_autofree char *grid = make_sizes (draft->grid, step->grid, apply.values, &n_other);
      g_autofree char *block = make_sizes (draft->block, step->block, apply.values, &n_other);
      g_autofree char *arguments = make_arguments (&apply);
      gint64 shared = get_number (step->shared, 0);

      replace (&draft->grid, &grid);
      replace (&draft->block, &block);
      replace (&draft->arguments, &arguments);
      g_clear_pointer (&draft->cluster, g_free);
      if (step->cluster[0] != NULL)
        draft->cluster = make_sizes (NULL, step->cluster, apply.values, &n_other);
      if (!(shared > 0 && comes_to (draft->shared, apply.values, shared)))
        {
          g_free (draft->shared);
          draft->shared = shared > 0 ? g_strdup_printf ("%" PRId64, shared) : NULL;
        }
      draft->is_cooperative = step->is_cooperative;
      draft->is_incomplete = draft->is_argument_guess = FALSE;
      g_ptr_array_unref (draft->buffers);
      draft->buffers = g_steal_pointer (&buffers);
      set_parameters (&apply, MAX (n_alike, 1));
      if (apply.recorded->reads_unwritten)
        g_ptr_array_add (self->notes,
                         g_strdup_printf (_ ("%s read what nobody had written; such contents are "
                                             "guesses, and “cured exec” says where they are read"),
                                          draft->function));
      set_entry (&apply);
    }
  apply_clear (&apply);
  return is_done;
}
