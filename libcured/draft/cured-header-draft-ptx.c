/* SPDX-License-Identifier: MIT
 * Drafts a header for PTX: the parameters of its entries, as their instructions use them. Guesses
 * are marked in the header. */
#include "draft/cured-draft-ptx-private.h"

#include <glib/gstdio.h>

#include "base/cured-base-internal.h"
#include "kernel/cured-element-internal.h"

/* More than any sensible file has; a set of parameters is a word. */
#define MAX_ENTRIES      64
#define WARP_ARRAY_BYTES 56
#define MAX_JSON_BYTES   ((gsize) 1 << 20)
#define MAX_TTIR_BYTES   ((gsize) 16 << 20)
/* Appended to unknown values: the header's own comment. */
#define GUESS "  # a guess"

/* ---- Additional data of compilers ---- */

/* A type of MLIR: "f32", "i64", "f8E4M3FN"; i1 is a byte. */
static void
take_type (CuredPtxDraftParameter *self, const char *type)
{
  const char *word = g_str_has_prefix (type, "f8E4M3") ? "e4m3"
                     : g_str_has_prefix (type, "f8E5") ? "e5m2"
                     : g_str_equal (type, "i1")        ? "i8"
                                                       : type;

  if (!cured_element_from_string (word, &self->element))
    return;
  self->element_bytes = (int) cured_element_get_size (self->element);
  self->is_real = !cured_element_is_integer (self->element);
  self->is_exact = TRUE;
}

/* Names and types of the arguments, from Triton's own language beside the PTX: tt.func public
 * @matmul(%a: !tt.ptr<f32> … loc("a"(#loc)), %n: i32 …) */
static void
read_ttir (CuredPtxDraftEntry *self, const char *ttir)
{
  g_autofree char *head = g_strdup_printf ("tt.func public @%s(", self->name);
  const char *at = strstr (ttir, head);

  if (at == NULL)
    return;
  at += strlen (head);
  const char *end = at + strcspn (at, "\n");
  for (guint i = 0; i < self->parameters->len; i++)
    {
      CuredPtxDraftParameter *parameter = PARAMETER (self, i);
      const char *mark = at;

      while (mark < end && *mark != '%')
        mark++;
      if (mark == end)
        return;
      mark++;
      g_autofree char *name = _cured_draft_read_ptx_name (&mark);
      const char *colon = mark + strspn (mark, ": ");
      if (g_str_has_prefix (colon, "!tt.ptr<"))
        {
          colon += strlen ("!tt.ptr<");
          parameter->is_pointer = TRUE;
        }
      g_autofree char *type = g_strndup (colon, strcspn (colon, " ,>)\n"));
      parameter->label = g_steal_pointer (&name);
      take_type (parameter, type);
      at = colon;
    }
}

/* Arrays of Numba: "5ArrayIfLi2E1C7mutable7alignedE" in the entry's name is one of floats with 2
 * dimensions. (element-type int): the dimensions of each argument, 0 for a scalar, if arrays and
 * scalars account for all parameters. NULL if it is not such a name. */
static GArray *
read_numba (const CuredPtxDraftEntry *self, GString *types)
{
  g_autoptr (GArray) list = g_array_new (FALSE, FALSE, sizeof (int));
  const char *at = strstr (self->name, "5ArrayI");
  guint n = 0;

  if (!g_str_has_prefix (self->name, "_ZN") || at == NULL)
    return NULL;
  /* Scalars are before, each a letter, behind the E that ends the name. */
  while (at > self->name && at[-1] != 'E' && strchr ("fdijlmxybhst", at[-1]))
    at--;
  while (*at != '\0')
    {
      int dimensions = 0;
      char type = *at;

      if (g_str_has_prefix (at, "5ArrayI"))
        {
          at += strlen ("5ArrayI");
          type = *at;
          if (type == '\0' || !g_str_has_prefix (at + 1, "Li") || !g_ascii_isdigit (at[3]))
            return NULL;
          dimensions = at[3] - '0';
          const char *close = strstr (at, "alignedE");
          if (close == NULL)
            return NULL;
          at = close + strlen ("alignedE");
        }
      else if (strchr ("fdijlmxybhst", type) != NULL)
        at++;
      else
        break;
      g_array_append_val (list, dimensions);
      g_string_append_c (types, type);
      n += dimensions > 0 ? 5 + 2 * (guint) dimensions : 1;
    }
  return n == self->parameters->len ? g_steal_pointer (&list) : NULL;
}

/* ---- The draft ---- */

static void
add_problem (CuredHeaderDraft *self, const char *name, const char *value)
{
  CuredDraftParameter *parameter =
      CURED_NEW (CuredDraftParameter, .name = g_strdup (name), .kind = CURED_PARAMETER_PROBLEM,
                 .default_value = g_strdup (value));

  g_ptr_array_add (self->parameters, parameter);
}

static const char *
find_fill (const CuredPtxDraftParameter *parameter)
{
  if (parameter->is_written && !parameter->is_read)
    return "poison";
  return parameter->is_written ? "constant" : "uniform";
}

/* A buffer for the target of @parameter. */
static void
add_buffer (CuredHeaderDraft *self, const CuredPtxDraftParameter *parameter, const char *name,
            const char *length)
{
  CuredDraftBuffer *buffer =
      CURED_NEW (CuredDraftBuffer, .name = g_strdup (name),
                 .fill = g_strdup (find_fill (parameter)), .length = g_strdup (length),
                 .type = parameter->is_exact             ? parameter->element
                         : parameter->element_bytes == 1 ? CURED_ELEMENT_U8
                         : parameter->element_bytes == 2 ? CURED_ELEMENT_U16
                         : parameter->element_bytes == 8
                             ? (parameter->is_real ? CURED_ELEMENT_F64 : CURED_ELEMENT_I64)
                         : parameter->is_real ? CURED_ELEMENT_F32
                                              : CURED_ELEMENT_I32);

  g_ptr_array_add (self->buffers, buffer);
  if (parameter->is_written && self->output == NULL)
    self->output = g_strdup (name);
}

static void
append_argument (GString *text, const char *argument)
{
  g_string_append_printf (text, "%s%s", text->len > 0 ? "," : "", argument);
}

/* A name for the parameter that is valid in a header. */
static char *
make_label (const CuredPtxDraftParameter *parameter, guint i)
{
  const char *label = parameter->label;

  if (label == NULL || !(g_ascii_isalpha (*label) || *label == '_'))
    return g_strdup_printf ("%s%u", parameter->is_pointer ? "buffer" : "n", i);
  return g_strconcat (label, _cured_draft_is_taken (label) ? "_" : "", NULL);
}

/* Drafts Numba's arguments: expanded arrays, and scalars. */
static void
draft_numba (CuredHeaderDraft *self, const CuredPtxDraftEntry *entry, const GArray *dimensions,
             const char *types, GString *arguments)
{
  guint place = 0;

  add_problem (self, "n", "256" GUESS);
  for (guint i = 0; i < dimensions->len; i++)
    {
      int n = g_array_index (dimensions, int, i);
      g_autoptr (GString) length = g_string_new ("n"), shape = g_string_new ("n");
      g_autofree char *name = g_strdup_printf ("array%u", i);
      CuredPtxDraftParameter array = { 0 };

      if (n == 0)
        {
          append_argument (arguments, types[i] == 'f'                        ? "1:f32"
                                      : types[i] == 'd'                      ? "1:f64"
                                      : PARAMETER (entry, place)->bytes == 8 ? "n:i64"
                                                                             : "n");
          place += 1;
          continue;
        }
      for (int k = 1; k < n; k++)
        {
          g_string_append (length, "*n");
          g_string_append (shape, ",n");
        }
      array = *PARAMETER (entry, place + 4);
      array.is_exact = FALSE;
      array.is_real = strchr ("fd", types[i]) != NULL;
      array.element_bytes = strchr ("dxylm", types[i]) != NULL ? 8
                            : strchr ("st", types[i]) != NULL  ? 2
                            : strchr ("bh", types[i]) != NULL  ? 1
                                                               : 4;
      g_string_append (length, GUESS);
      add_buffer (self, &array, name, length->str);
      g_string_prepend (shape, ":numba[");
      g_string_prepend (shape, name);
      g_string_append_c (shape, ']');
      append_argument (arguments, shape->str);
      place += 5 + 2 * (guint) n;
    }
}

/* Appends an argument for @parameter: a buffer, a size, or a placeholder if nothing reads it. In a
 * struct it has no type, since its fields have theirs. */
static void
append_value (CuredHeaderDraft *self, const CuredPtxDraftParameter *parameter, guint i,
              const char *length, GString *values)
{
  g_autofree char *label = make_label (parameter, i);
  gboolean is_real = parameter->is_real && !parameter->is_pointer;
  const char *type = parameter->parent > 0   ? ""
                     : parameter->bytes == 8 ? (is_real ? ":f64" : ":i64")
                     : parameter->bytes == 2 ? (is_real ? ":f16" : ":i16")
                     : parameter->bytes == 1 ? ":u8"
                     : is_real               ? ":f32"
                                             : "";

  if (parameter->is_pointer && parameter->is_used)
    {
      add_buffer (self, parameter, label, length);
      append_argument (values, label);
      return;
    }
  /* Nothing reads it: Triton's scratch memory is such a pointer. */
  g_autofree char *typed = g_strconcat (parameter->is_pointer || !parameter->is_used ? "0"
                                        : parameter->is_real || parameter->bytes < 4 ? "1"
                                                                                     : label,
                                        type, NULL);
  append_argument (values, typed);
}

static int
compare_fields (gconstpointer a, gconstpointer b, gpointer data)
{
  const CuredPtxDraftEntry *entry = data;

  return PARAMETER (entry, *(const guint *) a)->offset -
         PARAMETER (entry, *(const guint *) b)->offset;
}

/* Drafts the arguments of Warp's kernels: the shape of the threads' space, its size, and threads
 * per point; for an array, its data, gradient, shape, strides in bytes, dimensions and flags. */
static char *
draft_warp (CuredHeaderDraft *self, const CuredPtxDraftEntry *entry, guint place)
{
  const CuredPtxDraftParameter *whole = PARAMETER (entry, place);
  gboolean is_array = whole->bytes == WARP_ARRAY_BYTES;
  int first = is_array ? 32 : 0; /* of strides, or of lengths */
  g_autoptr (GString) length = g_string_new ("n"), types = g_string_new (NULL);
  g_autoptr (GString) values = g_string_new (NULL);
  g_autofree char *gradient = NULL;
  int rank = 1, bytes = 4;

  if (!is_array && whole->bytes != 24 && whole->bytes != 32)
    return NULL;
  if (whole->bytes == 32)
    rank = 3;
  for (guint i = 0; i < entry->parameters->len; i++)
    {
      const CuredPtxDraftParameter *field = PARAMETER (entry, i);

      if (field->parent != (int) place + 1)
        continue;
      if (field->bytes == 4 && field->offset >= first && field->offset < first + 16 &&
          (is_array || field->offset < whole->bytes - 16))
        rank = MAX (rank, (field->offset - first) / 4 + 1);
      if (field->is_pointer && field->element_bytes > 0)
        bytes = field->element_bytes;
    }
  for (int k = 1; k < rank; k++)
    g_string_append (length, "*n");
  if (!is_array)
    {
      for (int k = 0; k < rank; k++)
        {
          append_argument (values, "n");
          g_string_append_printf (types, "u32 s%d, ", k);
        }
      return g_strdup_printf ("(%s,%s,1):struct:(%si64 size, i64 mult)", values->str, length->str,
                              types->str);
    }
  for (int k = 0; k < 2; k++)
    {
      const CuredPtxDraftParameter *pointer = NULL;
      g_autofree char *guessed = g_strconcat (length->str, GUESS, NULL);

      for (guint i = 0; i < entry->parameters->len && pointer == NULL; i++)
        if (PARAMETER (entry, i)->parent == (int) place + 1 &&
            PARAMETER (entry, i)->offset == 8 * k && PARAMETER (entry, i)->is_pointer)
          pointer = PARAMETER (entry, i);
      g_autofree char *name = g_strdup_printf ("%s%u", k == 0 ? "array" : "gradient", place);
      if (pointer != NULL)
        add_buffer (self, pointer, name, guessed);
      append_argument (values, pointer != NULL ? name : "0");
    }
  for (int k = 0; k < 4; k++)
    append_argument (values, k < rank ? "n" : "0");
  for (int k = 0; k < 4; k++)
    {
      g_autoptr (GString) stride = g_string_new (NULL);

      g_string_append_printf (stride, "%d", k < rank ? bytes : 0);
      for (int m = k + 1; m < rank; m++)
        g_string_append (stride, "*n");
      append_argument (values, stride->str);
    }
  return g_strdup_printf ("(%s,%d,0):struct:(ptr data, ptr grad, i32 shape[4], i32 strides[4], i32 "
                          "ndim, i32 flags)",
                          values->str, rank);
}

static gboolean
is_of_warp (const CuredPtxDraftEntry *entry)
{
  return entry->parameters->len > 0 && PARAMETER (entry, 0)->is_array &&
         (g_str_has_suffix (entry->name, "_cuda_kernel_forward") ||
          g_str_has_suffix (entry->name, "_cuda_kernel_backward"));
}

/* Whether a host's argument is one of the draft's buffers, possibly with an offset. */
static gboolean
is_buffer (const CuredHeaderDraft *self, const char *given)
{
  gsize length = strspn (given, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "_");

  for (guint k = 0; k < self->buffers->len; k++)
    {
      const char *name = ((CuredDraftBuffer *) self->buffers->pdata[k])->name;

      if (strlen (name) == length && strncmp (name, given, length) == 0)
        return TRUE;
    }
  return FALSE;
}

/* The size of all @given as fields in order, with numbers of @width bytes; @n: the number of fields
 * before @offset. */
static int
lay_out (const CuredHeaderDraft *self, char **given, int width, int offset, guint *n)
{
  int at = 0, alignment = 1;

  *n = 0;
  for (guint i = 0; given[i] != NULL; i++)
    {
      int size = is_buffer (self, given[i]) ? 8 : width;

      at = (at + size - 1) / size * size;
      *n += at < offset;
      at += size;
      alignment = MAX (alignment, size);
    }
  return (at + alignment - 1) / alignment * alignment;
}

/* The item of @given for field @n at @offset: by its offset if the fields exactly fit all items,
 * else the next one of its kind. */
static const char *
find_given (CuredHeaderDraft *self, char **given, const CuredPtxDraftParameter *whole,
            const CuredPtxDraftParameter *field, guint *n_pointers, guint *n_numbers)
{
  guint wanted = *(field->is_pointer ? n_pointers : n_numbers);
  guint n;

  ++*(field->is_pointer ? n_pointers : n_numbers);
  for (int width = 4; width <= 8; width += 4)
    if (lay_out (self, given, width, field->offset, &n) == whole->bytes &&
        n < g_strv_length (given) && is_buffer (self, given[n]) == field->is_pointer)
      return given[n];
  for (guint i = 0; given[i] != NULL; i++)
    if (is_buffer (self, given[i]) == field->is_pointer && wanted-- == 0)
      return given[i];
  self->is_argument_guess = TRUE;
  return field->is_pointer ? "0" : "1";
}

/* A struct by value, as fields that cover all its bytes, and its alignment. @given: (nullable):
 * their values, in the struct's order */
static char *
draft_struct (CuredHeaderDraft *self, const CuredPtxDraftEntry *entry, guint place,
              const char *length, char **given)
{
  const CuredPtxDraftParameter *whole = PARAMETER (entry, place);
  g_autoptr (GString) types = g_string_new (NULL), values = g_string_new (NULL);
  g_autoptr (GArray) fields = g_array_new (FALSE, FALSE, sizeof (guint));
  int at = 0, widest = 1, most = whole->alignment > 0 ? whole->alignment : 8;
  guint n = 0, n_pointers = 0, n_numbers = 0;

  for (guint i = 0; i < entry->parameters->len; i++)
    if (PARAMETER (entry, i)->parent == (int) place + 1)
      g_array_append_val (fields, i);
  g_array_sort_with_data (fields, compare_fields, (gpointer) entry);
  for (guint i = 0; i <= fields->len; i++)
    {
      guint index = i < fields->len ? g_array_index (fields, guint, i) : 0;
      const CuredPtxDraftParameter *field = i < fields->len ? PARAMETER (entry, index) : NULL;
      int end = field != NULL ? field->offset : whole->bytes;

      if (end < at)
        continue;
      /* Bytes that nothing reads. */
      while (at < end)
        {
          int bytes = at % 8 == 0 && end - at >= 8 && most >= 8   ? 8
                      : at % 4 == 0 && end - at >= 4 && most >= 4 ? 4
                                                                  : 1;

          g_string_append_printf (types, "%s%s p%u", n > 0 ? ", " : "",
                                  bytes == 8   ? "i64"
                                  : bytes == 4 ? "i32"
                                               : "u8",
                                  n);
          n++;
          append_argument (values, "0");
          at += bytes;
          widest = MAX (widest, bytes);
        }
      if (field == NULL)
        break;
      g_string_append_printf (types, "%s%s f%u", n > 0 ? ", " : "",
                              field->is_pointer && field->bytes == 8 ? "ptr"
                              : field->is_real && field->bytes == 8  ? "f64"
                              : field->is_real && field->bytes == 4  ? "f32"
                              : field->bytes == 8                    ? "i64"
                              : field->bytes == 4                    ? "i32"
                              : field->bytes == 2                    ? "i16"
                                                                     : "u8",
                              n);
      n++;
      if (given != NULL)
        append_argument (values, find_given (self, given, whole, field, &n_pointers, &n_numbers));
      else
        append_value (self, field, index, length, values);
      at += field->bytes;
      widest = MAX (widest, field->bytes);
    }
  if (whole->alignment > widest)
    {
      g_autofree char *words = g_strdup_printf ("alignas(%d) ", whole->alignment);

      g_string_prepend (types, words);
    }
  return g_strdup_printf ("(%s):struct:(%s)", values->str, types->str);
}

/* Splits a list at commas outside of brackets. */
static char **
split_list (const char *text)
{
  g_autoptr (GPtrArray) parts = g_ptr_array_new ();
  int depth = 0;

  for (const char *begin = text, *at = text;; at++)
    {
      depth += (*at == '(') - (*at == ')');
      if (*at != '\0' && (*at != ',' || depth > 0))
        continue;
      g_ptr_array_add (parts, g_strndup (begin, (gsize) (at - begin)));
      begin = at + 1;
      if (*at == '\0')
        break;
    }
  g_ptr_array_add (parts, NULL);
  return (char **) g_ptr_array_steal (parts, NULL);
}

/* Takes the fields of classes by value from the compiled entry of the draft's kernel. */
void
_cured_header_draft_take_fields (CuredHeaderDraft *self, const char *ptx)
{
  g_autofree char *text = _cured_draft_mask_ptx (ptx);
  g_autofree char *symbol = g_strdup_printf ("%zu%s", strlen (self->function), self->function);
  g_auto (GStrv) arguments = split_list (self->arguments);
  const char *at = text;

  while (self->is_incomplete && self->fields != NULL && (at = strstr (at, ".entry")) != NULL)
    {
      g_autoptr (CuredPtxDraftEntry) entry = NULL;
      guint n = 0;

      at += strlen (".entry");
      entry = g_ascii_isspace (*at) ? _cured_draft_read_entry (&at) : NULL;
      if (entry == NULL ||
          (strstr (entry->name, symbol) == NULL && !g_str_equal (entry->name, self->function)) ||
          entry->parameters->len != g_strv_length (arguments))
        continue;
      _cured_draft_follow_entry (entry);
      self->is_incomplete = FALSE;
      for (; arguments[n] != NULL; n++)
        {
          const char *fields = n < self->fields->len ? self->fields->pdata[n] : NULL;
          g_auto (GStrv) given =
              fields != NULL && *fields != '\0' ? split_list (fields) : g_new0 (char *, 1);
          const CuredPtxDraftParameter *whole = PARAMETER (entry, n);

          if (fields == NULL)
            continue;
          g_free (arguments[n]);
          if (whole->is_array)
            arguments[n] = draft_struct (self, entry, n, NULL, given);
          else
            {
              guint none = 0;

              arguments[n] = g_strconcat (find_given (self, given, whole, whole, &none, &none),
                                          whole->is_pointer                     ? ""
                                          : whole->is_real && whole->bytes == 8 ? ":f64"
                                          : whole->is_real                      ? ":f32"
                                          : whole->bytes == 8                   ? ":i64"
                                          : whole->bytes == 1                   ? ":i8"
                                                                                : "",
                                          NULL);
            }
        }
      g_free (self->arguments);
      self->arguments = g_strjoinv (",", arguments);
    }
}

static void
draft_plain (CuredHeaderDraft *self, const CuredPtxDraftEntry *entry, GString *arguments)
{
  g_autoptr (GString) length = g_string_new (NULL);
  gboolean is_warp = is_of_warp (entry);
  guint n_sizes = 0;

  for (guint i = 0; i < entry->parameters->len; i++)
    {
      const CuredPtxDraftParameter *parameter = PARAMETER (entry, i);

      /* Narrow integers are not sizes. */
      if (parameter->is_pointer || parameter->is_real || !parameter->is_used ||
          parameter->bytes < 4 || parameter->is_array || (is_warp && parameter->parent > 0))
        continue;
      g_autofree char *label = make_label (parameter, i);
      add_problem (self, label, "256" GUESS);
      if (n_sizes++ < 2)
        g_string_append_printf (length, "%s%s", n_sizes > 1 ? "*" : "", label);
    }
  if (n_sizes == 0 || is_warp)
    {
      add_problem (self, "n", is_warp ? "256" GUESS : "4096" GUESS);
      g_string_assign (length, "n");
    }
  else if (n_sizes == 1)
    g_string_append_printf (length, "*%s", length->str);
  g_string_append (length, GUESS);
  for (guint i = 0; i < entry->parameters->len; i++)
    {
      CuredPtxDraftParameter *parameter = PARAMETER (entry, i);
      g_autofree char *value = NULL;

      if (parameter->parent > 0)
        continue;
      if (parameter->is_array)
        {
          value = is_warp ? draft_warp (self, entry, i) : NULL;
          if (value == NULL)
            value = draft_struct (self, entry, i, length->str, NULL);
          append_argument (arguments, value);
        }
      else
        append_value (self, parameter, i, length->str, arguments);
    }
}

/* A title: the last name in a mangled one of C++ or Numba,
 * _ZN7package3addE…. */
static char *
make_title (const char *name)
{
  char *title = NULL;
  const char *at = name;

  if (g_str_has_prefix (at, "_ZN"))
    for (at += 3; g_ascii_isdigit (*at);)
      {
        char *end;
        guint64 length = g_ascii_strtoull (at, &end, 10);

        if (length == 0 || length > strlen (end))
          break;
        g_free (title);
        title = g_strndup (end, length);
        at = end + length;
      }
  if (title == NULL)
    title = g_strdup (name);
  g_strdelimit (title, "_", ' ');
  *title = g_ascii_toupper (*title);
  return title;
}

/* Triton's scratch memory has room for each block of the grid. */
static void
size_scratch (CuredHeaderDraft *self, const CuredPtxDraftEntry *entry)
{
  guint place = entry->parameters->len - 2;
  g_autofree char *blocks = g_strdup (self->grid);

  if (entry->parameters->len < 2)
    return;
  g_autofree char *name = make_label (PARAMETER (entry, place), place);
  CURED_EACH_POINTER (CuredDraftBuffer, buffer, self->buffers)
    {
      if (!g_str_equal (buffer->name, name))
        continue;
      buffer->type = CURED_ELEMENT_U8;
      g_free (buffer->length);
      buffer->length = g_strdup_printf ("%d*%s", entry->scratch, g_strdelimit (blocks, ",", '*'));
      if (g_strcmp0 (self->output, name) == 0)
        g_clear_pointer (&self->output, g_free);
    }
}

/* @warps: of a block, from Triton; 0: unknown. @shared: likewise; -1: unknown. */
static CuredHeaderDraft *
draft_entry (CuredPtxDraftEntry *entry, int warps, gint64 shared)
{
  CuredHeaderDraft *self = _cured_header_draft_new_bare ();
  g_autoptr (GString) arguments = g_string_new (NULL), types = g_string_new (NULL);
  int threads = 0;

  self->function = g_strdup (entry->name);
  self->entry = g_strdup (entry->name);
  self->title = make_title (entry->name);
  _cured_draft_follow_entry (entry);
  /* Parameters used as addresses are not numbers. */
  g_autoptr (GArray) numba = read_numba (entry, types);
  if (numba != NULL)
    draft_numba (self, entry, numba, types->str, arguments);
  else
    draft_plain (self, entry, arguments);
  self->arguments = g_string_free (g_steal_pointer (&arguments), FALSE);
  if (entry->has_block)
    {
      GString *block = g_string_new (NULL);

      threads = entry->block[0];
      g_string_append_printf (block, "%d", entry->block[0]);
      for (int i = 1; i < 3 && entry->block[i] > 0; i++)
        g_string_append_printf (block, ",%d", entry->block[i]);
      if (!entry->is_block_exact)
        g_string_append (block, GUESS);
      self->block = g_string_free (block, FALSE);
    }
  else
    {
      gboolean is_plane = entry->uses_y && warps == 0;

      threads = warps > 0 ? 32 * warps : is_plane ? 16 : 128;
      self->block = is_plane ? g_strdup_printf ("%d,%d" GUESS, threads, threads)
                             : g_strdup_printf ("%d%s", threads, warps > 0 ? "" : GUESS);
    }
  const CuredDraftParameter *first = self->parameters->pdata[0];
  if (entry->has_rows)
    self->grid = g_strdup_printf ("ceil(%s/%d),ceil(%s/%d)" GUESS, first->name, MIN (threads, 32),
                                  first->name, MIN (threads, 32));
  else
    self->grid = g_strdup_printf ("ceil(%s/%d)" GUESS, first->name, threads);
  if (entry->scratch > 0)
    size_scratch (self, entry);
  if (shared > 0)
    self->shared = g_strdup_printf ("%" PRId64, shared);
  else if (shared < 0 && entry->has_shared)
    self->shared = g_strdup ("16384" GUESS);
  return self;
}

/* (transfer full): the text of a regular file of at most @max_bytes; NULL for anything
 * else. */
static char *
load_beside (const char *stem, const char *suffix, gsize max_bytes)
{
  g_autofree char *path = g_strconcat (stem, suffix, NULL), *text = NULL;
  gsize length = 0;
  GStatBuf info;

  if (g_stat (path, &info) != 0 || !S_ISREG (info.st_mode) || (gsize) info.st_size > max_bytes ||
      !g_file_get_contents (path, &text, &length, NULL) || length > max_bytes ||
      strlen (text) != length)
    return NULL;
  return g_steal_pointer (&text);
}

/* A member, or @other if it is missing or not a number. */
static gint64
get_integer (JsonObject *object, const char *name, gint64 min, gint64 max, gint64 other)
{
  JsonNode *node = json_object_get_member (object, name);

  if (node == NULL || !JSON_NODE_HOLDS_VALUE (node))
    return other;
  return CLAMP (json_node_get_int (node), min, max);
}

/* Reads Triton's files beside NAME.ptx: NAME.json and NAME.ttir. */
static void
read_triton (const char *path, CuredPtxDraftEntry *entry, int *warps, gint64 *shared)
{
  g_autofree char *stem = g_strndup (path, strlen (path) - strlen (".ptx"));
  g_autofree char *ttir = load_beside (stem, ".ttir", MAX_TTIR_BYTES);
  g_autofree char *json = load_beside (stem, ".json", MAX_JSON_BYTES);
  g_autoptr (JsonNode) root = NULL;

  if (ttir != NULL)
    read_ttir (entry, ttir);
  if (json != NULL)
    root = _cured_json_parse (json, MAX_JSON_BYTES, NULL);
  if (root == NULL || !JSON_NODE_HOLDS_OBJECT (root))
    return;
  JsonObject *object = json_node_get_object (root);
  *warps = (int) get_integer (object, "num_warps", 0, 32, *warps);
  *shared = get_integer (object, "shared", -1, 1 << 20, *shared);
  entry->scratch = (int) get_integer (object, "global_scratch_size", 0, 1 << 20, 0);
}

/* @path: a `.ptx`; Triton's NAME.json and NAME.ttir beside it are read, if they exist
 * @source: its text
 *
 * Drafts a header for each entry of a module: buffers and numbers as the parameters are used, the
 * block from `.reqntid` or Triton, Numba's arrays by the entry's name. Guesses are marked by a
 * comment.
 * Returns: (transfer full) (element-type CuredHeaderDraft): possibly none */
GPtrArray *
cured_header_draft_from_ptx (const char *path, const char *source)
{
  GPtrArray *drafts = g_ptr_array_new_with_free_func ((GDestroyNotify) cured_header_draft_free);
  g_autofree char *text = _cured_draft_mask_ptx (source);
  const char *at = text;
  gboolean has_shared = strstr (text, ".extern .shared") != NULL;

  while ((at = strstr (at, ".entry")) != NULL && drafts->len < MAX_ENTRIES)
    {
      g_autoptr (CuredPtxDraftEntry) entry = NULL;
      int warps = 0;
      gint64 shared = -1;

      at += strlen (".entry");
      if (!g_ascii_isspace (*at))
        continue;
      entry = _cured_draft_read_entry (&at);
      if (entry == NULL)
        continue;
      entry->has_shared = has_shared;
      if (g_str_has_suffix (path, ".ptx"))
        read_triton (path, entry, &warps, &shared);
      g_ptr_array_add (drafts, draft_entry (entry, warps, shared));
    }
  return drafts;
}
