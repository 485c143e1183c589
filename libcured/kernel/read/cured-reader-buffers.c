/* SPDX-License-Identifier: MIT
 * Reads a kernel's buffers, constants and tensor maps. */
#include "kernel/read/cured-reader-private.h"

#include "base/cured-base-internal.h"
#include "kernel/cured-element-internal.h"
#include "kernel/cured-kernel-internal.h"
#include "kernel/cured-kernel-private.h"
#include "kernel/read/cured-data-private.h"

/* Limit of numbers listed in a file or on a command line. */
#define MAX_VALUES 4096

#define fail(self, key, code, ...) reader_fail (self, key, CURED_ERROR_##code, __VA_ARGS__)

gboolean
_cured_reader_is_identifier (const char *text)
{
  if (!g_ascii_isalpha (*text) && *text != '_')
    return FALSE;
  for (; *text != '\0'; text++)
    if (!g_ascii_isalnum (*text) && *text != '_')
      return FALSE;
  return TRUE;
}

gboolean
_cured_reader_has_buffer (const CuredKernel *kernel, const char *name)
{
  for (gsize i = 0; i < kernel->n_buffers; i++)
    if (g_str_equal (kernel->buffers[i].name, name))
      return TRUE;
  return FALSE;
}

/* Whether the key's line still has a draft's mark for a guess. */
gboolean
_cured_reader_is_guess (const CuredReader *self, const char *key)
{
  const char *text = _cured_header_get_text (self->header, self->group);
  gsize length = strlen (key);

  for (; text != NULL && *text != '\0';
       text += strcspn (text, "\n") + (strchr (text, '\n') != NULL))
    if (strncmp (text, key, length) == 0 && text[length] == '=')
      return g_strstr_len (text, (gssize) strcspn (text, "\n"), "# a guess") != NULL;
  return FALSE;
}

/* ---- [Buffer NAME], [Constant NAME] ---- */

static gboolean
parse_type (CuredReader *self, const char *whole, const char *text, CuredBuffer *buffer)
{
  g_autoptr (GError) local = NULL;

  if (!_cured_type_parse (text, _cured_reader_get_declarations (self), &buffer->type,
                          &buffer->record, &local))
    return fail (self, "Type", INVALID, "Type=%s: %s", whole, local->message);
  return buffer->record == NULL || !cured_record_has_pointer (buffer->record) ||
         fail (self, "Type", INVALID,
               _ ("Type=%s has a pointer, which no fill can make; expected fields of numbers. A "
                  "struct with pointers can be an argument by value"),
               text);
}

/* "type:i32,f32": the value 0 or 1 of the parameter "type" picks a type. */
static void
read_types (CuredReader *self, CuredBuffer *buffer, const char *text)
{
  const char *colon = strchr (text, ':');
  g_autofree char *name = g_strstrip (g_strndup (text, (gsize) (colon - text)));
  g_auto (GStrv) items = _cured_reader_split (colon + 1);
  guint n = g_strv_length (items);
  gsize index;

  if (!cured_kernel_find_parameter (self->kernel, name, &index))
    {
      g_autofree const char **names = _cured_kernel_list_names (self->kernel, FALSE);
      g_autofree char *hint = _cured_suggest (name, names);

      fail (self, "Type", NOT_FOUND, _ ("Type=%s: no parameter is called %s%s"), text, name, hint);
      return;
    }
  const CuredParameter *parameter = &self->kernel->parameters[index];
  gboolean is_covered = parameter->values != NULL;
  for (gsize i = 0; is_covered && i < cured_axis_get_length (parameter->values); i++)
    {
      gint64 value = cured_axis_get_value (parameter->values, i);

      is_covered = value >= 0 && value < (gint64) n;
    }
  if (!is_covered)
    {
      fail (self, "Type", INVALID,
            _ ("Type=%s: the Values= of %s have to be from 0 to %u, the number of types less one"),
            text, name, n - 1);
      return;
    }
  buffer->type_parameter = (int) index;
  buffer->variants = g_new0 (CuredBuffer, n);
  buffer->n_variants = n;
  for (guint i = 0; i < n; i++)
    if (!parse_type (self, text, items[i], &buffer->variants[i]))
      return;
  buffer->type = buffer->variants[parameter->default_value].type;
}

static gboolean
has_field (const CuredBuffer *buffer, gboolean integers)
{
  if (buffer->record == NULL)
    return cured_element_is_integer (buffer->type) == integers;
  for (gsize i = 0; i < buffer->record->n_fields; i++)
    if (cured_element_is_integer (buffer->record->fields[i].type) == integers)
      return TRUE;
  return FALSE;
}

/* Whether some type of the buffer has integers, or reals. */
static gboolean
has_type (const CuredBuffer *buffer, gboolean integers)
{
  for (gsize i = 0; i < buffer->n_variants; i++)
    if (has_field (&buffer->variants[i], integers))
      return TRUE;
  return buffer->n_variants == 0 && has_field (buffer, integers);
}

static gboolean
has_record (const CuredBuffer *buffer)
{
  for (gsize i = 0; i < buffer->n_variants; i++)
    if (buffer->variants[i].record != NULL)
      return TRUE;
  return buffer->record != NULL;
}

/* Takes a buffer's file from its [File NAME] group, which was added when the kernel file was first
 * opened, or came with a result. For a large file, the group has only the digest: if the file is
 * missing here, the buffer has no contents, and no cell can run. */
static void
read_contents (CuredReader *self, CuredBuffer *buffer)
{
  g_autofree char *group = g_strconcat (CURED_DATA_FILE, buffer->file, NULL);
  g_autofree char *digest = _cured_header_get (self->header, group, CURED_DATA_DIGEST);
  g_autoptr (GBytes) carried = NULL, whole = NULL;
  g_autoptr (GError) local = NULL;

  buffer->is_apart = digest != NULL;
  if (digest != NULL && self->inputs != NULL)
    {
      GByteArray *sent = g_hash_table_lookup (self->inputs, digest);

      if (sent != NULL)
        buffer->contents = g_bytes_new_with_free_func (
            sent->data, sent->len, (GDestroyNotify) g_byte_array_unref, g_byte_array_ref (sent));
    }
  else if (digest != NULL)
    carried = _cured_data_load_named (self->header, group, self->kernel->path, &local);
  else
    carried = _cured_data_read (self->header, group);
  if (carried == NULL && local == NULL)
    {
      buffer->checksum = g_steal_pointer (&digest);
      return;
    }
  if (local == NULL && g_bytes_get_size (carried) > 0)
    whole = _cured_data_expand (carried, buffer->file, CURED_MAX_INPUT_BYTES - self->n_data_bytes,
                                &local);
  if (whole != NULL)
    self->n_data_bytes += g_bytes_get_size (whole);
  if (local != NULL)
    fail (self, "File", INVALID, "File=%s: %s", buffer->file, local->message);
  else if (whole != NULL && g_bytes_get_size (whole) == 0)
    fail (self, "File", INVALID, _ ("%s is empty; expected the elements of a buffer"),
          buffer->file);
  else if (whole == NULL)
    fail (self, "File", NOT_FOUND,
          _ ("File=%s is not here: a file beside the kernel file is read when that is opened, and "
             "this text came without it; open the kernel file where %s lies"),
          buffer->file, buffer->file);
  else if (buffer->n_variants > 0)
    fail (self, "File", INVALID, _ ("File=%s is of one type; expected Type= with one too"),
          buffer->file);
  else if ((buffer->contents = _cured_data_get_elements (whole, buffer, &local)) == NULL)
    fail (self, "File", INVALID, "File=%s: %s", buffer->file, local->message);
  else if (buffer->is_apart)
    buffer->checksum = g_steal_pointer (&digest);
  else
    buffer->checksum = g_compute_checksum_for_bytes (G_CHECKSUM_SHA256, buffer->contents);
}

/* Reads `Value=(7*i) % n`. */
static void
read_value (CuredReader *self, CuredBuffer *buffer)
{
  g_autofree char *value = _cured_reader_get (self, "Value", TRUE);
  gsize index;

  if (value == NULL)
    return;
  if (cured_kernel_find_parameter (self->kernel, "i", &index))
    fail (self, "Value", INVALID,
          _ ("Value=: i is the index of an element, and a parameter is called so; give that "
             "another name"));
  self->index = "i";
  buffer->value = _cured_reader_parse_expr (self, "Value", value);
  self->index = NULL;
}

/* Reads `Values=25,6,34`. */
static void
read_listed (CuredReader *self, CuredBuffer *buffer)
{
  g_autofree char *text = _cured_reader_get (self, "Values", TRUE);

  if (text == NULL)
    return;
  g_auto (GStrv) words = g_strsplit (text, ",", MAX_VALUES + 1);
  buffer->n_values = g_strv_length (words);
  if (buffer->n_values > MAX_VALUES)
    fail (self, "Values", INVALID, _ ("Values= has %d numbers at most"), MAX_VALUES);
  buffer->values = g_new (double, buffer->n_values);
  for (gsize i = 0; i < buffer->n_values; i++)
    {
      const char *word = g_strstrip (words[i]);
      char *end = NULL;
      double value = g_ascii_strtod (word, &end);

      if (end == word || *end != '\0' || !isfinite (value) ||
          ((buffer->record != NULL && buffer->n_variants == 0
                ? cured_element_is_integer (
                      buffer->record->fields[i % buffer->record->n_fields].type)
                : has_type (buffer, TRUE)) &&
           (value != floor (value) || value < G_MININT32 || value > G_MAXUINT32)))
        {
          fail (self, "Values", INVALID, _ ("“%s” is no number that buffer %s can have"), word,
                buffer->name);
          return;
        }
      buffer->values[i] = value;
    }
}

/* ORDER: as in CuredFill. @keys: the keys that the fill uses; @implied_by: the key that implies it
 * if Fill= is missing. */
static const struct
{
  const char *word, *keys, *implied_by;
} fills[] = {
  { "poison", "", NULL },          { "constant", "Low ", NULL },
  { "ramp", "Low High ", NULL },   { "uniform", "Low High Step ", NULL },
  { "normal", "Low High ", NULL }, { "permutation", "", NULL },
  { "sorted", "Low High ", NULL }, { "expression", "Value ", "Value" },
  { "file", "File ", "File" },     { "values", "Values ", "Values" },
};

/* Reads a buffer's fill from Fill=, or from a key that only one fill has. */
static void
read_fill (CuredReader *self, CuredBuffer *buffer)
{
  static const char *const keys[] = { "Low", "High", "Step", "Value", "File", "Values" };
  /* ORDER: the first key found decides. */
  static const int implied[] = { CURED_FILL_FILE, CURED_FILL_EXPRESSION, CURED_FILL_VALUES };
  const char *words[G_N_ELEMENTS (fills) + 1] = { NULL };
  int fill = -1;

  for (gsize i = 0; i < G_N_ELEMENTS (fills); i++)
    words[i] = fills[i].word;
  for (gsize i = 0; i < G_N_ELEMENTS (implied) && fill < 0; i++)
    if (_cured_reader_has (self, fills[implied[i]].implied_by))
      fill = implied[i];
  g_autofree char *word = _cured_reader_get (self, "Fill", fill < 0);
  if (word != NULL)
    fill = _cured_reader_find_word (self, "Fill", word, words);
  if (self->error != NULL)
    return;
  buffer->fill = (CuredFill) fill;
  if (fill == CURED_FILL_PERMUTATION && (has_type (buffer, FALSE) || has_record (buffer)))
    fail (self, "Fill", INVALID, _ ("Fill=permutation needs a buffer of integers, as i32"));
  if (fill == CURED_FILL_NORMAL && has_type (buffer, TRUE))
    fail (self, "Fill", INVALID, _ ("Fill=normal needs a buffer of reals, as f32"));
  if (fill == CURED_FILL_POISON && buffer->is_constant)
    fail (self, "Fill", INVALID,
          _ ("Fill=poison is for what a kernel writes, and constant memory is only read; choose "
             "another fill"));
  if (buffer->step != NULL && !has_type (buffer, TRUE))
    fail (self, "Step", INVALID, _ ("Step= needs a buffer of integers, as i32"));
  for (gsize i = 0; i < G_N_ELEMENTS (keys); i++)
    {
      g_autofree char *key = g_strconcat (keys[i], " ", NULL);

      if (_cured_reader_has (self, keys[i]) && strstr (fills[fill].keys, key) == NULL)
        fail (self, keys[i], INVALID, _ ("%s= means nothing to Fill=%s"), keys[i],
              fills[fill].word);
    }
  if (fill == CURED_FILL_CONSTANT && buffer->low == NULL)
    g_free (_cured_reader_get (self, "Low", TRUE));
  else if (fill == CURED_FILL_VALUES)
    read_listed (self, buffer);
  else if (fill == CURED_FILL_EXPRESSION)
    read_value (self, buffer);
  else if (fill == CURED_FILL_FILE && buffer->file == NULL)
    g_free (_cured_reader_get (self, "File", TRUE));
  else if (fill == CURED_FILL_FILE && self->error == NULL)
    read_contents (self, buffer);
}

/* "mask", "filter::mask". */
gboolean
_cured_reader_is_qualified (const char *text)
{
  g_auto (GStrv) parts = g_strsplit (text, "::", -1);

  for (guint i = 0; parts[i] != NULL; i++)
    if (!_cured_reader_is_identifier (parts[i]))
      return FALSE;
  return parts[0] != NULL && strlen (text) <= MAX_ENTRY;
}

gpointer
_cured_reader_begin_buffer (CuredReader *self)
{
  CuredKernel *kernel = self->kernel;
  const char *name = self->name;
  gboolean is_constant = g_str_has_prefix (self->group, "Constant ");
  gsize index;

  if (is_constant ? !_cured_reader_is_qualified (name) : !_cured_reader_is_identifier (name))
    fail (
        self, NULL, INVALID,
        is_constant
            ? _ ("“%s” can't name a variable of the source; expected a name as in mask or ns::mask")
            : _ ("“%s” can't name a buffer; use letters, digits and _"),
        name);
  else if (is_constant && _cured_reader_has_buffer (kernel, name))
    fail (self, NULL, INVALID, _ ("%s is a buffer already; give that another name"), name);
  else if (cured_kernel_find_parameter (kernel, name, &index))
    fail (self, NULL, INVALID, _ ("%s is a parameter already; choose another name"), name);
  CuredBuffer *buffer = READER_ADD (kernel->buffers, kernel->n_buffers);
  buffer->name = g_strdup (name);
  buffer->is_constant = is_constant;
  buffer->type_parameter = -1;
  return buffer;
}

/* A length computed from a guess is a guess. */
static void
find_guess_cb (const char *name, gpointer user_data)
{
  const CuredKernel *kernel = ((gpointer *) user_data)[0];
  CuredBuffer *buffer = ((gpointer *) user_data)[1];
  gsize index;

  buffer->is_guess |=
      cured_kernel_find_parameter (kernel, name, &index) && kernel->parameters[index].is_guess;
}

void
_cured_reader_end_buffer (CuredReader *self, gpointer record)
{
  CuredBuffer *buffer = record;
  g_autofree char *type = _cured_reader_get (self, "Type", TRUE);

  if (type == NULL)
    return;
  buffer->is_guess = _cured_reader_is_guess (self, "Length");
  cured_expr_foreach_name (buffer->length, find_guess_cb, &(gpointer[]){ self->kernel, buffer });
  if (strchr (type, ':') != NULL && !g_str_has_prefix (type, "struct:"))
    read_types (self, buffer, type);
  else
    parse_type (self, type, type, buffer);
  if (self->error == NULL)
    read_fill (self, buffer);
  for (gsize i = 0; i < buffer->n_variants; i++)
    {
      CuredBuffer *variant = &buffer->variants[i];
      CuredElement element = variant->type;
      CuredRecord *fields = variant->record;

      *variant = *buffer;
      variant->type = element;
      variant->record = fields;
      variant->variants = NULL;
      variant->n_variants = 0;
    }
}

/* ---- [TensorMap NAME] ---- */

/* Without Type=, the elements have the buffer's type. */
static void
take_buffer_type (CuredReader *self, CuredTensorMap *map)
{
  const CuredBuffer *buffer = &self->kernel->buffers[map->buffer];

  if (buffer->n_variants > 0)
    fail (self, NULL, SYNTAX, _ ("[%s] has no Type=, and a parameter picks that of [Buffer %s]"),
          self->group, buffer->name);
  for (int type = 0; cured_tensor_type_list ()[type] != NULL && buffer->record == NULL; type++)
    if (g_str_equal (cured_tensor_type_list ()[type], _cured_element_words[buffer->type]))
      {
        map->type = (CuredTensorType) type;
        return;
      }
  fail (self, NULL, SYNTAX,
        _ ("[%s] has no Type=, and no tensor map has the elements of [Buffer %s]; say as what they "
           "are copied, such as Type=u8"),
        self->group, buffer->name);
}

/* Reads one expression per dimension, or none. */
static void
read_ranked (CuredReader *self, const char *key, gboolean is_needed, guint rank, CuredExpr **exprs)
{
  guint n = _cured_reader_get_exprs (self, key, is_needed, exprs, rank);

  if (n != 0 && n != rank)
    fail (self, key, INVALID, _ ("%s= has too few dimensions; expected %u"), key, rank);
}

/* Reads the extent of one copy: a box of each dimension or, for im2col, channels and a number of
 * pixels, and the two corners that bound them. */
static void
read_box (CuredReader *self, CuredTensorMap *map)
{
  guint n_corners = map->rank > 2 ? map->rank - 2 : 0;

  map->is_im2col = _cured_reader_has (self, "Channels") || _cured_reader_has (self, "Pixels") ||
                   _cured_reader_has (self, "LowerCorner") ||
                   _cured_reader_has (self, "UpperCorner");
  if (!map->is_im2col)
    {
      read_ranked (self, "Box", TRUE, map->rank, map->box);
      return;
    }
  if (_cured_reader_has (self, "Box"))
    fail (self, "Box", INVALID,
          _ ("Box= is what a copy takes of a tiled tensor, and Channels= and Pixels= of im2col; "
             "leave one of both out"));
  else if (n_corners == 0)
    fail (self, "Dims", INVALID,
          _ ("Dims= has too few dimensions; im2col needs channels, one to three dimensions of "
             "pixels, and images"));
  _cured_reader_get_exprs (self, "Channels", TRUE, &map->box[0], 1);
  _cured_reader_get_exprs (self, "Pixels", TRUE, &map->box[1], 1);
  read_ranked (self, "LowerCorner", FALSE, n_corners, map->lower);
  read_ranked (self, "UpperCorner", FALSE, n_corners, map->upper);
}

gpointer
_cured_reader_begin_tensor_map (CuredReader *self)
{
  CuredKernel *kernel = self->kernel;
  gsize index;

  if (!_cured_reader_is_identifier (self->name))
    fail (self, NULL, INVALID, _ ("“%s” can't name a tensor map; use letters, digits and _"),
          self->name);
  else if (cured_kernel_find_parameter (kernel, self->name, &index) ||
           _cured_reader_has_buffer (kernel, self->name))
    fail (self, NULL, INVALID, _ ("%s is a parameter or a buffer already; choose another name"),
          self->name);
  CuredTensorMap *map = READER_ADD (kernel->tensor_maps, kernel->n_tensor_maps);
  map->name = g_strdup (self->name);
  return map;
}

void
_cured_reader_end_tensor_map (CuredReader *self, gpointer record)
{
  CuredTensorMap *map = record;
  g_autofree char *type = _cured_reader_get (self, "Type", FALSE);

  if (type != NULL)
    map->type = (CuredTensorType) MAX (
        _cured_reader_find_word (self, "Type", type, cured_tensor_type_list ()), 0);
  else if (self->error == NULL)
    take_buffer_type (self, map);
  map->rank = _cured_reader_get_exprs (self, "Dims", TRUE, map->dims, CURED_TENSOR_RANK);
  if (self->error != NULL)
    return;
  read_box (self, map);
  read_ranked (self, "ElementStrides", FALSE, map->rank, map->steps);
  read_ranked (self, "Strides", FALSE, map->rank - 1, map->strides);
}
