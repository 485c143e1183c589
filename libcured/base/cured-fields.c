/* SPDX-License-Identifier: MIT
 * Structs as JSON and back, by their field tables. */

#include "base/cured-base-internal.h"

/* Limit of a list's elements when reading. */
#define MAX_ELEMENTS (1 << 24)

#define AT(of, field)         ((gpointer) ((guint8 *) (of) + (field)->offset))
#define VALUE(type, at)       (*(type *) (at))
#define COUNT(of, field)      VALUE (gsize, (guint8 *) (of) + (field)->n_offset)
#define ELEMENT(field, at, i) ((gpointer) ((guint8 *) (at) + (i) * (field)->size))

static JsonNode *value_to_node (const CuredFieldInfo *field, gconstpointer of);
static gboolean node_to_value (const CuredFieldInfo *field, JsonNode *node, gpointer of,
                               GError **error);

/* Values */

gint64
_cured_field_get_integer (const CuredFieldInfo *self, gconstpointer at)
{
  switch (self->size)
    {
    case 1: return self->is_signed ? VALUE (gint8, at) : VALUE (guint8, at);
    case 2: return self->is_signed ? VALUE (gint16, at) : VALUE (guint16, at);
    case 4: return self->is_signed ? (gint64) VALUE (gint32, at) : (gint64) VALUE (guint32, at);
    default:
      return self->is_signed ? VALUE (gint64, at)
                             : (gint64) MIN (VALUE (guint64, at), (guint64) G_MAXINT64);
    }
}

/* FALSE if the member can't hold @value; it is then unchanged. */
gboolean
_cured_field_set_integer (const CuredFieldInfo *self, gpointer at, gint64 value)
{
  guint bits = (guint) self->size * 8;
  gint64 most = self->is_signed ? (gint64) (G_MAXUINT64 >> (65 - bits))
                : bits == 64    ? G_MAXINT64
                                : (gint64) (G_MAXUINT64 >> (64 - bits));
  gint64 least = self->is_signed ? -most - 1 : 0;

  if (value < least || value > most ||
      (self->least < self->most && ((double) value < self->least || (double) value > self->most)))
    return FALSE;
  /* By type for each size, independent of byte order. */
  switch (self->size)
    {
    case 1: VALUE (guint8, at) = (guint8) value; return TRUE;
    case 2: VALUE (guint16, at) = (guint16) value; return TRUE;
    case 4: VALUE (guint32, at) = (guint32) value; return TRUE;
    default: VALUE (guint64, at) = (guint64) value; return TRUE;
    }
}

gboolean
_cured_field_takes_real (const CuredFieldInfo *self, double value)
{
  return isfinite (value) &&
         (self->least >= self->most || (value >= self->least && value <= self->most));
}

gboolean
_cured_field_find_name (const CuredFieldInfo *self, const char *name, int *value)
{
  for (int i = 0; i <= (int) self->most; i++)
    if (g_strcmp0 (self->get_name (i), name) == 0)
      {
        *value = i;
        return TRUE;
      }
  return FALSE;
}

/* Whether the member has its default; for a record, whether its first member has. */
gboolean
_cured_field_is_default (const CuredFieldInfo *self, gconstpointer of)
{
  gconstpointer at = AT (of, self);

  switch ((int) self->type)
    {
    case CURED_FIELD_INTEGER:
    case CURED_FIELD_NAME:
    case CURED_FIELD_BOOLEAN: return _cured_field_get_integer (self, at) == 0;
    case CURED_FIELD_BIG: return VALUE (guint64, at) == 0;
    case CURED_FIELD_REAL:
      return !isfinite (VALUE (double, at)) || ((self->flags & CURED_FIELD_SPARSE) != 0 &&
                                                fpclassify (VALUE (double, at)) == FP_ZERO);
    case CURED_FIELD_TEXT:
    case CURED_FIELD_DATE:
    case CURED_FIELD_TEXTS:
    case CURED_FIELD_POINTER: return VALUE (gpointer, at) == NULL;
    case CURED_FIELD_RECORD: return _cured_field_is_default (&self->of->fields[0], at);
    case CURED_FIELD_POINTERS:
      return VALUE (GPtrArray *, at) == NULL || VALUE (GPtrArray *, at)->len == 0;
    case CURED_FIELD_STRUCTS: return VALUE (GArray *, at) == NULL || VALUE (GArray *, at)->len == 0;
    case CURED_FIELD_ARRAY:
    case CURED_FIELD_NUMBERS: return COUNT (of, self) == 0;
    default: return FALSE;
    }
}

/* Initializes a record: unknown numbers are NaN. */
void
_cured_record_init (const CuredRecordInfo *self, gpointer of)
{
  for (gsize i = 0; i < self->n_fields; i++)
    {
      const CuredFieldInfo *field = &self->fields[i];

      if (field->type == CURED_FIELD_REAL && (field->flags & CURED_FIELD_NULLABLE) != 0)
        VALUE (double, AT (of, field)) = NAN;
      else if (field->type == CURED_FIELD_RECORD)
        _cured_record_init (field->of, AT (of, field));
    }
  if (self->init != NULL)
    self->init (of);
}

gpointer
_cured_record_new (const CuredRecordInfo *self)
{
  gpointer of = self->create != NULL ? self->create () : g_malloc0 (self->size);

  _cured_record_init (self, of);
  return of;
}

/* Frees the members' contents, and sets them to 0. */
void
_cured_record_clear (const CuredRecordInfo *self, gpointer of)
{
  for (gsize i = 0; i < self->n_fields; i++)
    {
      const CuredFieldInfo *field = &self->fields[i];
      gpointer at = AT (of, field);

      switch ((int) field->type)
        {
        case CURED_FIELD_TEXT: g_clear_pointer (&VALUE (char *, at), g_free); break;
        case CURED_FIELD_DATE: g_clear_pointer (&VALUE (GDateTime *, at), g_date_time_unref); break;
        case CURED_FIELD_TEXTS: g_clear_pointer (&VALUE (char **, at), g_strfreev); break;
        case CURED_FIELD_RECORD: _cured_record_clear (field->of, at); break;
        case CURED_FIELD_POINTER:
          if (VALUE (gpointer, at) != NULL)
            field->of->free (g_steal_pointer (&VALUE (gpointer, at)));
          break;
        case CURED_FIELD_POINTERS:
          g_clear_pointer (&VALUE (GPtrArray *, at), g_ptr_array_unref);
          break;
        case CURED_FIELD_STRUCTS: g_clear_pointer (&VALUE (GArray *, at), g_array_unref); break;
        case CURED_FIELD_ARRAY:
          for (gsize k = 0; k < COUNT (of, field); k++)
            _cured_record_clear (field->of, ELEMENT (field, VALUE (gpointer, at), k));
          g_clear_pointer (&VALUE (gpointer, at), g_free);
          COUNT (of, field) = 0;
          break;
        case CURED_FIELD_NUMBERS:
          g_clear_pointer (&VALUE (gpointer, at), g_free);
          COUNT (of, field) = 0;
          break;
        default: break;
        }
    }
}

/* Writing */

static JsonNode *
text_to_node (const char *text)
{
  g_autofree char *valid = g_utf8_make_valid (text != NULL ? text : "", -1);
  JsonNode *node = json_node_alloc ();

  return json_node_init_string (node, valid);
}

static JsonNode *
take_array (JsonArray *array)
{
  JsonNode *node = json_node_new (JSON_NODE_ARRAY);

  json_node_take_array (node, array);
  return node;
}

static JsonNode *
list_to_node (const CuredFieldInfo *field, gconstpointer of)
{
  JsonArray *array = json_array_new ();
  gpointer at = AT (of, field);
  gsize n = field->n;

  switch ((int) field->type)
    {
    case CURED_FIELD_POINTERS:
      for (guint i = 0; VALUE (GPtrArray *, at) != NULL && i < VALUE (GPtrArray *, at)->len; i++)
        json_array_add_element (
            array, cured_record_to_json (field->of, VALUE (GPtrArray *, at)->pdata[i]));
      break;
    case CURED_FIELD_STRUCTS:
      for (guint i = 0; VALUE (GArray *, at) != NULL && i < VALUE (GArray *, at)->len; i++)
        json_array_add_element (array, cured_record_to_json (field->of, VALUE (GArray *, at)->data +
                                                                            i * field->of->size));
      break;
    case CURED_FIELD_ARRAY:
      for (gsize i = 0; i < COUNT (of, field); i++)
        json_array_add_element (
            array, cured_record_to_json (field->of, ELEMENT (field, VALUE (gpointer, at), i)));
      break;
    case CURED_FIELD_TEXTS:
      for (char **text = VALUE (char **, at); text != NULL && *text != NULL; text++)
        json_array_add_element (array, text_to_node (*text));
      break;
    default:
      if (field->type == CURED_FIELD_NUMBERS)
        {
          n = COUNT (of, field);
          at = VALUE (gpointer, at);
        }
      for (gsize i = 0; i < n; i++)
        json_array_add_int_element (array,
                                    _cured_field_get_integer (field, ELEMENT (field, at, i)));
    }
  return take_array (array);
}

static JsonNode *
value_to_node (const CuredFieldInfo *field, gconstpointer of)
{
  JsonNode *node = json_node_alloc ();
  gpointer at = AT (of, field);
  g_autofree char *text = NULL;

  switch ((int) field->type)
    {
    case CURED_FIELD_INTEGER:
      return json_node_init_int (node, _cured_field_get_integer (field, at));
    case CURED_FIELD_BOOLEAN: return json_node_init_boolean (node, VALUE (gboolean, at));
    case CURED_FIELD_REAL: return json_node_init_double (node, VALUE (double, at));
    case CURED_FIELD_NAME:
      return json_node_init_string (node,
                                    field->get_name ((int) _cured_field_get_integer (field, at)));
    case CURED_FIELD_BIG:
      text = g_strdup_printf ("%" PRIu64, VALUE (guint64, at));
      return json_node_init_string (node, text);
    case CURED_FIELD_BYTES:
      text = g_base64_encode (at, field->size);
      return json_node_init_string (node, text);
    default: json_node_free (node);
    }
  if (field->type == CURED_FIELD_TEXT)
    return text_to_node (VALUE (char *, at));
  if (field->type == CURED_FIELD_RECORD)
    return cured_record_to_json (field->of, at);
  if (field->type == CURED_FIELD_POINTER)
    return cured_record_to_json (field->of, VALUE (gpointer, at));
  return list_to_node (field, of);
}

static gboolean
is_left_out (const CuredFieldInfo *field, gconstpointer of)
{
  if ((field->flags & CURED_FIELD_NO_JSON) != 0 || field->type == CURED_FIELD_DATE)
    return TRUE;
  /* JSON has no NaN. */
  return ((field->flags & (CURED_FIELD_NULLABLE | CURED_FIELD_SPARSE)) != 0 ||
          field->type == CURED_FIELD_REAL || field->type == CURED_FIELD_POINTER) &&
         _cured_field_is_default (field, of);
}

/* The object that contains the field, and the field's name in it; NULL if it is missing and not
 * @create. */
static JsonObject *
find_object (JsonObject *json, const char **name, gboolean create)
{
  const char *dot = strchr (*name, '.');

  if (dot == NULL)
    return json;
  g_autofree char *outer = g_strndup (*name, (gsize) (dot - *name));
  *name = dot + 1;
  JsonNode *node = json_object_get_member (json, outer);
  if (node == NULL && create)
    {
      json_object_set_object_member (json, outer, json_object_new ());
      node = json_object_get_member (json, outer);
    }
  return node != NULL && JSON_NODE_HOLDS_OBJECT (node) ? json_node_get_object (node) : NULL;
}

/* Adds the fields to an object that may have others. */
void
_cured_record_add_to_json (const CuredRecordInfo *self, gconstpointer of, JsonObject *json)
{
  for (gsize i = 0; i < self->n_fields; i++)
    {
      const char *name = self->fields[i].name;

      if (is_left_out (&self->fields[i], of))
        continue;
      JsonObject *object = find_object (json, &name, TRUE);
      json_object_set_member (object, name, value_to_node (&self->fields[i], of));
    }
}

/* @of: a struct that it describes
 * Returns: (transfer full): an object with the fields by their names, or a list of them */
JsonNode *
cured_record_to_json (const CuredRecordInfo *self, gconstpointer of)
{
  JsonNode *node;
  gsize n = self->n_fields;

  if (!self->is_row)
    {
      node = json_node_new (JSON_NODE_OBJECT);
      json_node_take_object (node, json_object_new ());
      _cured_record_add_to_json (self, of, json_node_get_object (node));
      return node;
    }
  JsonArray *array = json_array_new ();
  while (n > 0 && is_left_out (&self->fields[n - 1], of))
    n--;
  for (gsize i = 0; i < n; i++)
    if (is_left_out (&self->fields[i], of))
      json_array_add_null_element (array);
    else
      json_array_add_element (array, value_to_node (&self->fields[i], of));
  return take_array (array);
}

/* Reading */

gboolean
_cured_json_fail (GError **error, const char *name, const char *expected)
{
  return cured_fail (
      error, CURED_ERROR_PROTOCOL,
      /* Translators: a field's name, and “a string”, “an integer from 0 to 9”, “an array”
                * … */
      _ ("The message's field “%s” should be %s"), name, expected);
}

static const char *
node_get_text (JsonNode *node)
{
  return JSON_NODE_HOLDS_VALUE (node) && json_node_get_value_type (node) == G_TYPE_STRING
             ? json_node_get_string (node)
             : NULL;
}

static gboolean
read_integer (const CuredFieldInfo *field, JsonNode *node, gpointer at, GError **error)
{
  if (!JSON_NODE_HOLDS_VALUE (node) || json_node_get_value_type (node) != G_TYPE_INT64)
    return _cured_json_fail (error, field->name, _ ("an integer"));
  if (_cured_field_set_integer (field, at, json_node_get_int (node)))
    return TRUE;
  if (field->least >= field->most)
    return _cured_json_fail (error, field->name, _ ("an integer"));
  g_autofree char *range =
      g_strdup_printf (_ ("an integer from %" PRId64 " to %" PRId64), (gint64) field->least,
                       (gint64) MIN (field->most, 9e18));
  return _cured_json_fail (error, field->name, range);
}

/* (transfer full): @text, cut to about @most bytes with an ellipsis; 0: no
 * limit. Untrusted text may be long, and laying out a line may take quadratic
 * time. */
char *
_cured_text_shorten (const char *text, gsize most)
{
  if (most == 0 || strnlen (text, most + 1) <= most)
    return g_strdup (text);
  const char *end = g_utf8_find_prev_char (text, text + most);
  return g_strdup_printf ("%.*s…", (int) (end != NULL ? end - text : 0), text);
}

static gboolean
read_text (const CuredFieldInfo *field, JsonNode *node, gpointer at, GError **error)
{
  const char *text = node_get_text (node);

  if (text == NULL)
    return _cured_json_fail (error, field->name, _ ("a string"));
  g_free (VALUE (char *, at));
  VALUE (char *, at) = _cured_text_shorten (text, (gsize) field->most);
  return TRUE;
}

static gboolean
read_bytes (const CuredFieldInfo *field, JsonNode *node, gpointer at, GError **error)
{
  const char *text = node_get_text (node);
  g_autofree guchar *bytes = NULL;
  gsize size = 0;

  if (text != NULL)
    bytes = g_base64_decode (text, &size);
  if (bytes == NULL || size != field->size)
    return _cured_json_fail (error, field->name, _ ("a string"));
  memcpy (at, bytes, size);
  return TRUE;
}

static gboolean
read_big (const CuredFieldInfo *field, JsonNode *node, gpointer at, GError **error)
{
  const char *text = node_get_text (node);
  guint64 value;

  if (text == NULL || !g_ascii_string_to_unsigned (text, 10, 0, G_MAXUINT64, &value, NULL))
    return _cured_json_fail (error, field->name, _ ("a 64-bit integer in a string"));
  VALUE (guint64, at) = value;
  return TRUE;
}

static gboolean
read_record (const CuredRecordInfo *self, const char *name, JsonNode *node, gpointer of,
             GError **error)
{
  gboolean ok = TRUE;

  if (!self->is_row)
    return JSON_NODE_HOLDS_OBJECT (node)
               ? _cured_record_from_json (self, json_node_get_object (node), of, error)
               : _cured_json_fail (error, name, _ ("an object"));
  if (!JSON_NODE_HOLDS_ARRAY (node) ||
      json_array_get_length (json_node_get_array (node)) > self->n_fields)
    return _cured_json_fail (error, name, _ ("an array"));
  JsonArray *array = json_node_get_array (node);
  for (guint i = 0; ok && i < json_array_get_length (array); i++)
    if (!JSON_NODE_HOLDS_NULL (json_array_get_element (array, i)))
      ok = node_to_value (&self->fields[i], json_array_get_element (array, i), of, error);
  if (self->finish != NULL && !self->finish (of) && ok)
    return _cured_json_fail (error, name, _ ("an array of numbers"));
  return ok;
}

static void
fill_texts (const CuredRecordInfo *self, gpointer of)
{
  for (gsize i = 0; i < self->n_fields; i++)
    if (self->fields[i].type == CURED_FIELD_TEXT &&
        (self->fields[i].flags & CURED_FIELD_NULLABLE) == 0 &&
        VALUE (char *, AT (of, &self->fields[i])) == NULL)
      VALUE (char *, AT (of, &self->fields[i])) = g_strdup ("");
}

/* NULL without an error means that the element is unknown here. */
static gpointer
read_element (const CuredFieldInfo *field, JsonNode *node, GError **error)
{
  const CuredRecordInfo *record = field->of;
  gpointer of = _cured_record_new (record);
  gboolean ok = read_record (record, field->name, node, of, error);

  if (ok && (record->is_known == NULL || record->is_known (of)))
    {
      fill_texts (record, of);
      return of;
    }
  if (record->free != NULL)
    record->free (of);
  else
    {
      _cured_record_clear (record, of);
      g_free (of);
    }
  return NULL;
}

static gboolean
read_elements (const CuredFieldInfo *field, JsonArray *array, gpointer of, GError **error)
{
  gpointer at = AT (of, field);
  guint n = json_array_get_length (array);
  gboolean ok = TRUE;

  if (field->type == CURED_FIELD_POINTERS && VALUE (GPtrArray *, at) == NULL)
    VALUE (GPtrArray *, at) = g_ptr_array_new_with_free_func (field->of->free);
  if (field->type == CURED_FIELD_STRUCTS && VALUE (GArray *, at) == NULL)
    VALUE (GArray *, at) = g_array_new (FALSE, TRUE, (guint) field->of->size);
  if (field->type == CURED_FIELD_ARRAY)
    VALUE (gpointer, at) = g_malloc0_n (MAX (n, 1), field->of->size);
  for (guint i = 0; ok && i < n; i++)
    {
      JsonNode *node = json_array_get_element (array, i);

      if (field->type == CURED_FIELD_POINTERS)
        {
          GError *local_error = NULL;
          gpointer element = read_element (field, node, &local_error);

          ok = local_error == NULL;
          if (element != NULL)
            g_ptr_array_add (VALUE (GPtrArray *, at), element);
          else if (!ok)
            g_propagate_error (error, local_error);
        }
      else
        {
          guint8 *element;

          if (field->type == CURED_FIELD_STRUCTS)
            {
              g_array_set_size (VALUE (GArray *, at), VALUE (GArray *, at)->len + 1);
              element = (guint8 *) VALUE (GArray *, at)->data +
                        (VALUE (GArray *, at)->len - 1) * field->of->size;
            }
          else
            element = VALUE (guint8 *, at) + COUNT (of, field)++ * field->of->size;
          memset (element, 0, field->of->size);
          _cured_record_init (field->of, element);
          ok = read_record (field->of, field->name, node, element, error);
          fill_texts (field->of, element);
        }
    }
  return ok;
}

static gboolean
read_list (const CuredFieldInfo *field, JsonNode *node, gpointer of, GError **error)
{
  gpointer at = AT (of, field);

  if (!JSON_NODE_HOLDS_ARRAY (node))
    return _cured_json_fail (error, field->name, _ ("an array"));
  JsonArray *array = json_node_get_array (node);
  guint n = json_array_get_length (array);
  if (n > MAX_ELEMENTS || (field->type == CURED_FIELD_INTEGERS && n > field->n) ||
      (field->type != CURED_FIELD_INTEGERS && field->most > 0 && n > field->most))
    return _cured_json_fail (error, field->name, _ ("shorter"));
  if (field->of != NULL)
    return read_elements (field, array, of, error);
  if (field->type == CURED_FIELD_TEXTS)
    {
      char **texts = g_new0 (char *, n + 1);

      g_strfreev (VALUE (char **, at));
      VALUE (char **, at) = texts;
      for (guint i = 0; i < n; i++)
        {
          texts[i] = g_strdup (node_get_text (json_array_get_element (array, i)));
          if (texts[i] == NULL)
            return _cured_json_fail (error, field->name, _ ("arrays of strings"));
        }
      return TRUE;
    }
  if (field->type == CURED_FIELD_NUMBERS)
    {
      g_free (VALUE (gpointer, at));
      at = VALUE (gpointer, at) = g_malloc0_n (MAX (n, 1), field->size);
      COUNT (of, field) = n;
    }
  for (guint i = 0; i < n; i++)
    {
      JsonNode *element = json_array_get_element (array, i);

      if (!JSON_NODE_HOLDS_VALUE (element) || json_node_get_value_type (element) != G_TYPE_INT64 ||
          !_cured_field_set_integer (field, ELEMENT (field, at, i), json_node_get_int (element)))
        return _cured_json_fail (error, field->name, _ ("an array of numbers"));
    }
  return TRUE;
}

static gboolean
node_to_value (const CuredFieldInfo *field, JsonNode *node, gpointer of, GError **error)
{
  gpointer at = AT (of, field);
  GType type = JSON_NODE_HOLDS_VALUE (node) ? json_node_get_value_type (node) : G_TYPE_NONE;
  int value;

  switch ((int) field->type)
    {
    case CURED_FIELD_INTEGER: return read_integer (field, node, at, error);
    case CURED_FIELD_BOOLEAN:
      if (type != G_TYPE_BOOLEAN)
        return _cured_json_fail (error, field->name, _ ("true or false"));
      VALUE (gboolean, at) = json_node_get_boolean (node);
      return TRUE;
    case CURED_FIELD_REAL:
      if ((type != G_TYPE_INT64 && type != G_TYPE_DOUBLE) ||
          !_cured_field_takes_real (field, json_node_get_double (node)))
        return _cured_json_fail (error, field->name, _ ("a number"));
      VALUE (double, at) = json_node_get_double (node);
      return TRUE;
    case CURED_FIELD_BIG: return read_big (field, node, at, error);
    case CURED_FIELD_TEXT: return read_text (field, node, at, error);
    case CURED_FIELD_NAME:
      if (node_get_text (node) == NULL)
        return _cured_json_fail (error, field->name, _ ("a string"));
      if (_cured_field_find_name (field, node_get_text (node), &value))
        return _cured_field_set_integer (field, at, value);
      /* A later version may have more of them. */
      return (field->flags & CURED_FIELD_REQUIRED) == 0 ||
             _cured_json_fail (error, field->name, _ ("a name that is known here"));
    case CURED_FIELD_BYTES: return read_bytes (field, node, at, error);
    case CURED_FIELD_RECORD: return read_record (field->of, field->name, node, at, error);
    case CURED_FIELD_POINTER:
      VALUE (gpointer, at) = read_element (field, node, error);
      return VALUE (gpointer, at) != NULL;
    default: return read_list (field, node, of, error);
    }
}

/* Reads untrusted JSON; a member whose field is missing or null is unchanged. FALSE with
 * CURED_ERROR_PROTOCOL; @of is then valid, but partly filled. */
gboolean
_cured_record_from_json (const CuredRecordInfo *self, JsonObject *json, gpointer of, GError **error)
{
  gboolean ok = TRUE;

  for (gsize i = 0; ok && i < self->n_fields; i++)
    {
      const CuredFieldInfo *field = &self->fields[i];
      const char *name = field->name;

      if ((field->flags & CURED_FIELD_NO_JSON) != 0 || field->type == CURED_FIELD_DATE)
        continue;
      JsonObject *object = find_object (json, &name, FALSE);
      JsonNode *node = object != NULL ? json_object_get_member (object, name) : NULL;
      if (node != NULL && !JSON_NODE_HOLDS_NULL (node))
        ok = node_to_value (field, node, of, error);
      else if ((field->flags & CURED_FIELD_REQUIRED) != 0)
        {
          g_set_error (error, CURED_ERROR, CURED_ERROR_PROTOCOL,
                       _ ("The message has no field “%s”, which it should have"), field->name);
          ok = FALSE;
        }
    }
  if (self->finish != NULL && !self->finish (of) && ok)
    {
      g_set_error (error, CURED_ERROR, CURED_ERROR_PROTOCOL,
                   _ ("The worker's answer makes no sense (%s)"), self->name);
      ok = FALSE;
    }
  return ok;
}
