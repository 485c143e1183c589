/* SPDX-License-Identifier: MIT
 * The messages of docs/worker-protocol.md: lines, JSON and what they carry. */
#include "config.h"

#include "worker/cured-answer-private.h"
#include "worker/cured-message-private.h"

#include <inttypes.h>
#include <errno.h>
#include <gio/gio.h>
#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/cured-error.h"
#include "base/cured-json-internal.h"
#include "base/cured-limits-internal.h"
#include "base/cured-units.h"
#include "device/cured-device-info-internal.h"
#include "measure/cured-outcome-internal.h"
#include "measure/cured-sampler-internal.h"
#include "ptx/cured-finding-internal.h"
#include "spec/cured-options-internal.h"

/* ORDER: as CuredError. */
static const char *const error_names[] = {
  [CURED_ERROR_SYNTAX] = "syntax",
  [CURED_ERROR_INVALID] = "invalid",
  [CURED_ERROR_OVERFLOW] = "overflow",
  [CURED_ERROR_NOT_FOUND] = "not-found",
  [CURED_ERROR_NOT_LAUNCHABLE] = "not-launchable",
  [CURED_ERROR_NO_DEVICE] = "no-device",
  [CURED_ERROR_NO_COMPILER] = "no-compiler",
  [CURED_ERROR_COMPILE] = "compile",
  [CURED_ERROR_DEVICE] = "device",
  [CURED_ERROR_STICKY] = "sticky",
  [CURED_ERROR_CRASHED] = "crashed",
  [CURED_ERROR_TIMED_OUT] = "timed-out",
  [CURED_ERROR_PROTOCOL] = "protocol",
  [CURED_ERROR_FOREIGN] = "foreign",
  [CURED_ERROR_NEWER] = "newer",
  [CURED_ERROR_DAMAGED] = "damaged",
  [CURED_ERROR_STORAGE] = "storage",
};

/* ORDER: as CuredStop. */
static const char *const stop_names[] = {
  [CURED_STOP_NO] = "no",         [CURED_STOP_PRECISE] = "precise",
  [CURED_STOP_STABLE] = "stable", [CURED_STOP_SAMPLES] = "samples",
  [CURED_STOP_TIME] = "time",
};

/* -- lines -- */

/**
 * _cured_lines_init:
 * @self: uninitialized
 * @fd: a descriptor to read from; stays the caller's
 */
void
_cured_lines_init (CuredLines *self, int fd)
{
  self->fd = fd;
  self->bytes = g_byte_array_new ();
  self->searched = 0;
}

/**
 * _cured_lines_clear:
 * @self: (nullable): initialized or all zero
 */
void
_cured_lines_clear (CuredLines *self)
{
  g_clear_pointer (&self->bytes, g_byte_array_unref);
}

/**
 * _cured_lines_read:
 * @self: the reader
 *
 * Reads once; blocks where the descriptor does. Call _cured_lines_take() until it has no more line
 * before reading again.
 *
 * Returns: CURED_LINES_ERROR with @error set to an operating system's error,
 *   or to CURED_ERROR_PROTOCOL where a line is longer than
 *   %CURED_MESSAGE_MAX_BYTES
 */
CuredLinesStatus
_cured_lines_read (CuredLines *self, GError **error)
{
  const gsize chunk = 64 << 10;
  gsize used = self->bytes->len;
  gssize n;

  if (used >= CURED_MESSAGE_MAX_BYTES)
    {
      g_autofree char *most = cured_format_quantity (CURED_MESSAGE_MAX_BYTES, "B");

      g_set_error (error, CURED_ERROR, CURED_ERROR_PROTOCOL,
                   _ ("Expected a message in one line of at most %s; this one goes on"), most);
      return CURED_LINES_ERROR;
    }

  g_byte_array_set_size (self->bytes, (guint) (used + chunk));
  do
    n = read (self->fd, self->bytes->data + used, chunk);
  while (n < 0 && errno == EINTR);
  g_byte_array_set_size (self->bytes, (guint) (used + (gsize) MAX (n, 0)));

  if (n > 0)
    return CURED_LINES_MORE;
  if (n == 0)
    return CURED_LINES_END;
  if (errno == EAGAIN || errno == EWOULDBLOCK)
    return CURED_LINES_NOTHING;
  /* The other side of a socket went away with unread data: an end as well. */
  if (errno == ECONNRESET)
    return CURED_LINES_END;
  g_set_error (error, G_IO_ERROR, g_io_error_from_errno (errno), _ ("Can't read a message: %s"),
               g_strerror (errno));
  return CURED_LINES_ERROR;
}

/**
 * _cured_lines_take:
 * @self: the reader
 *
 * Returns: (transfer full) (nullable): the next whole line without its end;
 *   NULL where more has to be read. A line with a zero byte ends there, which
 *   no JSON text survives.
 */
char *
_cured_lines_take (CuredLines *self)
{
  const guint8 *end = NULL;
  gsize length;
  char *line;

  if (self->bytes->len > self->searched)
    end = memchr (self->bytes->data + self->searched, '\n', self->bytes->len - self->searched);
  if (end == NULL)
    {
      self->searched = self->bytes->len;
      return NULL;
    }
  length = (gsize) (end - self->bytes->data);
  line = g_strndup ((const char *) self->bytes->data, length);
  g_byte_array_remove_range (self->bytes, 0, (guint) length + 1);
  self->searched = 0;
  return line;
}

/* -- messages -- */

/**
 * _cured_message_new:
 * @type: the value of its `type`
 *
 * Returns: (transfer full): a message with no other field
 */
JsonObject *
_cured_message_new (const char *type)
{
  JsonObject *message = json_object_new ();

  json_object_set_string_member (message, "type", type);
  return message;
}

/* What was said, short and printable, for an error message. */
static char *
quote_line (const char *line)
{
  const gsize kept = 80;
  g_autofree char *valid = NULL;
  g_autofree char *start = g_strndup (line, kept);

  valid = g_utf8_make_valid (start, -1);
  return g_strdup_printf (strlen (line) > kept ? "“%s…”" : "“%s”", valid);
}

/**
 * _cured_message_parse:
 * @line: what the other side said
 * @type: (out) (transfer none): the message's `type`, owned by the message
 *
 * Returns: (transfer full): the message; NULL with CURED_ERROR_PROTOCOL where
 *   @line is no JSON object with a `type`
 */
JsonObject *
_cured_message_parse (const char *line, const char **type, GError **error)
{
  g_autoptr (GError) parse_error = NULL;
  g_autoptr (JsonNode) root = _cured_json_parse (line, CURED_MESSAGE_MAX_BYTES, &parse_error);
  JsonNode *node;

  if (root == NULL || !JSON_NODE_HOLDS_OBJECT (root))
    {
      g_autofree char *quoted = quote_line (line);

      g_set_error (error, CURED_ERROR, CURED_ERROR_PROTOCOL,
                   _ ("Expected a message, one JSON object in a line, and got %s%s%s"), quoted,
                   parse_error != NULL ? ": " : "",
                   parse_error != NULL ? parse_error->message : "");
      return NULL;
    }

  node = json_object_get_member (json_node_get_object (root), "type");
  if (node == NULL || !JSON_NODE_HOLDS_VALUE (node) ||
      json_node_get_value_type (node) != G_TYPE_STRING)
    {
      g_autofree char *quoted = quote_line (line);

      g_set_error (error, CURED_ERROR, CURED_ERROR_PROTOCOL,
                   _ ("Expected a message with a “type” and got %s"), quoted);
      return NULL;
    }
  *type = json_node_get_string (node);
  return json_object_ref (json_node_get_object (root));
}

/**
 * _cured_message_to_line:
 * @message: a message
 *
 * Returns: (transfer full): the message as JSON with the line's end
 */
char *
_cured_message_to_line (JsonObject *message)
{
  g_autoptr (JsonNode) node = json_node_new (JSON_NODE_OBJECT);
  g_autoptr (JsonGenerator) generator = json_generator_new ();
  g_autoptr (GString) line = g_string_new (NULL);

  json_node_set_object (node, message);
  json_generator_set_root (generator, node);
  json_generator_to_gstring (generator, line);
  g_string_append_c (line, '\n');
  return g_string_free (g_steal_pointer (&line), FALSE);
}

static JsonNode *
find (JsonObject *message, const char *name)
{
  JsonNode *node = json_object_get_member (message, name);

  return node == NULL || JSON_NODE_HOLDS_NULL (node) ? NULL : node;
}

static gboolean
fail_field (GError **error, const char *name, const char *expected)
{
  g_set_error (error, CURED_ERROR, CURED_ERROR_PROTOCOL,
               /* Translators: a field's name, and “a string”, “an integer from 0 to 9”, “an array”
                * … */
               _ ("The message's field “%s” should be %s"), name, expected);
  return FALSE;
}

static gboolean
node_is_number (JsonNode *node, double *value)
{
  if (!JSON_NODE_HOLDS_VALUE (node) || (json_node_get_value_type (node) != G_TYPE_INT64 &&
                                        json_node_get_value_type (node) != G_TYPE_DOUBLE))
    return FALSE;
  *value = json_node_get_double (node);
  return isfinite (*value);
}

/**
 * _cured_message_require:
 * @message: a message
 * @name: a field that has to be there
 *
 * Returns: FALSE with CURED_ERROR_PROTOCOL where the field is missing or null
 */
gboolean
_cured_message_require (JsonObject *message, const char *name, GError **error)
{
  if (find (message, name) != NULL)
    return TRUE;
  g_set_error (error, CURED_ERROR, CURED_ERROR_PROTOCOL,
               _ ("The message has no field “%s”, which it should have"), name);
  return FALSE;
}

/**
 * _cured_message_get_string:
 * @message: a message
 * @name: of the field
 * @value: (inout) (transfer none): unchanged where the field is missing or
 *   null
 *
 * The other getters of this family treat a missing field alike.
 *
 * Returns: FALSE with CURED_ERROR_PROTOCOL where the field is of another type
 */
gboolean
_cured_message_get_string (JsonObject *message, const char *name, const char **value,
                           GError **error)
{
  JsonNode *node = find (message, name);

  if (node == NULL)
    return TRUE;
  if (!JSON_NODE_HOLDS_VALUE (node) || json_node_get_value_type (node) != G_TYPE_STRING)
    return fail_field (error, name, _ ("a string"));
  *value = json_node_get_string (node);
  return TRUE;
}

/**
 * _cured_message_get_integer:
 * @message: a message
 * @name: of the field
 * @min: the least value that is allowed
 * @max: the greatest
 * @value: (inout): unchanged where the field is missing or null
 *
 * Returns: FALSE with CURED_ERROR_PROTOCOL where the field is not an integer in
 *   that range
 */
gboolean
_cured_message_get_integer (JsonObject *message, const char *name, gint64 min, gint64 max,
                            gint64 *value, GError **error)
{
  JsonNode *node = find (message, name);

  if (node == NULL)
    return TRUE;
  if (!JSON_NODE_HOLDS_VALUE (node) || json_node_get_value_type (node) != G_TYPE_INT64)
    return fail_field (error, name, _ ("an integer"));
  if (json_node_get_int (node) < min || json_node_get_int (node) > max)
    {
      g_autofree char *range =
          g_strdup_printf (_ ("an integer from %" PRId64 " to %" PRId64), min, max);

      return fail_field (error, name, range);
    }
  *value = json_node_get_int (node);
  return TRUE;
}

/**
 * _cured_message_get_number:
 * @message: a message
 * @name: of the field
 * @value: (inout): unchanged where the field is missing or null
 *
 * Returns: FALSE with CURED_ERROR_PROTOCOL where the field is not a finite
 *   number
 */
gboolean
_cured_message_get_number (JsonObject *message, const char *name, double *value, GError **error)
{
  JsonNode *node = find (message, name);
  double number;

  if (node == NULL)
    return TRUE;
  if (!node_is_number (node, &number))
    return fail_field (error, name, _ ("a number"));
  *value = number;
  return TRUE;
}

/**
 * _cured_message_get_boolean:
 * @message: a message
 * @name: of the field
 * @value: (inout): unchanged where the field is missing or null
 *
 * Returns: FALSE with CURED_ERROR_PROTOCOL where the field is not a boolean
 */
gboolean
_cured_message_get_boolean (JsonObject *message, const char *name, gboolean *value, GError **error)
{
  JsonNode *node = find (message, name);

  if (node == NULL)
    return TRUE;
  if (!JSON_NODE_HOLDS_VALUE (node) || json_node_get_value_type (node) != G_TYPE_BOOLEAN)
    return fail_field (error, name, _ ("true or false"));
  *value = json_node_get_boolean (node);
  return TRUE;
}

/**
 * _cured_message_get_object:
 * @message: a message
 * @name: of the field
 * @value: (inout) (transfer none): unchanged where the field is missing or
 *   null
 *
 * Returns: FALSE with CURED_ERROR_PROTOCOL where the field is not an object
 */
gboolean
_cured_message_get_object (JsonObject *message, const char *name, JsonObject **value,
                           GError **error)
{
  JsonNode *node = find (message, name);

  if (node == NULL)
    return TRUE;
  if (!JSON_NODE_HOLDS_OBJECT (node))
    return fail_field (error, name, _ ("an object"));
  *value = json_node_get_object (node);
  return TRUE;
}

/**
 * _cured_message_get_array:
 * @message: a message
 * @name: of the field
 * @value: (inout) (transfer none): unchanged where the field is missing or
 *   null
 *
 * Returns: FALSE with CURED_ERROR_PROTOCOL where the field is not an array
 */
gboolean
_cured_message_get_array (JsonObject *message, const char *name, JsonArray **value, GError **error)
{
  JsonNode *node = find (message, name);

  if (node == NULL)
    return TRUE;
  if (!JSON_NODE_HOLDS_ARRAY (node))
    return fail_field (error, name, _ ("an array"));
  *value = json_node_get_array (node);
  return TRUE;
}

/* A string may hold what a kernel or a driver printed: any bytes. */
static void
set_string (JsonObject *json, const char *name, const char *value)
{
  g_autofree char *valid = NULL;

  if (value == NULL)
    return;
  valid = g_utf8_make_valid (value, -1);
  json_object_set_string_member (json, name, valid);
}

/* JSON has no NaN: what is missing is absent. */
static void
set_number (JsonObject *json, const char *name, double value)
{
  if (isfinite (value))
    json_object_set_double_member (json, name, value);
}

static gboolean
dup_string (JsonObject *json, const char *name, char **copy, GError **error)
{
  const char *value = NULL;

  if (!_cured_message_get_string (json, name, &value, error))
    return FALSE;
  if (value != NULL)
    {
      g_free (*copy);
      *copy = g_strdup (value);
    }
  return TRUE;
}

static gboolean
get_uint (JsonObject *json, const char *name, guint *value, GError **error)
{
  gint64 number = *value;

  if (!_cured_message_get_integer (json, name, 0, G_MAXUINT, &number, error))
    return FALSE;
  *value = (guint) number;
  return TRUE;
}

/* -- errors -- */

/**
 * _cured_error_to_message:
 * @error: what went wrong
 *
 * Returns: (transfer full): an `error` message
 */
JsonObject *
_cured_error_to_message (const GError *error)
{
  const CuredErrorPlace *place = cured_error_get_place (error);
  JsonObject *message = _cured_message_new ("error");

  if (error->domain == CURED_ERROR && error->code >= 0 &&
      error->code < (int) G_N_ELEMENTS (error_names))
    json_object_set_string_member (message, "code", error_names[error->code]);
  set_string (message, "message", error->message);
  if (place != NULL)
    {
      set_string (message, "file", place->file);
      json_object_set_int_member (message, "line", place->line);
      json_object_set_int_member (message, "column", place->column);
      set_string (message, "text", place->text);
    }
  if (cured_error_get_log (error) != NULL)
    set_string (message, "log", cured_error_get_log (error));
  return message;
}

/* What an error carries beside its message; what can't be read is left out. */
static void
read_place (JsonObject *message, GError *error)
{
  const char *file = NULL;
  const char *text = NULL;
  const char *log = NULL;
  gint64 line = 0;
  gint64 column = 0;

  if (_cured_message_get_string (message, "file", &file, NULL) &&
      _cured_message_get_string (message, "text", &text, NULL) &&
      _cured_message_get_integer (message, "line", 1, G_MAXINT, &line, NULL) &&
      _cured_message_get_integer (message, "column", 0, G_MAXINT, &column, NULL) && file != NULL &&
      text != NULL && line > 0)
    cured_error_set_place (error, file, (guint) line, (guint) column, text);
  if (_cured_message_get_string (message, "log", &log, NULL) && log != NULL)
    cured_error_set_log (error, log);
}

/**
 * _cured_error_from_message:
 * @message: an `error` message, from a side that is not trusted
 *
 * Returns: (transfer full): the error; `G_IO_ERROR_FAILED` where its code is
 *   missing or not known here
 */
GError *
_cured_error_from_message (JsonObject *message)
{
  const char *code = NULL;
  const char *text = NULL;

  if (!_cured_message_get_string (message, "message", &text, NULL) || text == NULL)
    text = _ ("The worker failed and did not say why");
  if (_cured_message_get_string (message, "code", &code, NULL) && code != NULL)
    for (gsize i = 0; i < G_N_ELEMENTS (error_names); i++)
      if (g_str_equal (error_names[i], code))
        {
          GError *error = g_error_new_literal (CURED_ERROR, (int) i, text);

          read_place (message, error);
          return error;
        }
  return g_error_new_literal (G_IO_ERROR, G_IO_ERROR_FAILED, text);
}

/* -- options -- */

/**
 * _cured_options_to_json:
 * @options: how cells are measured
 *
 * Returns: (transfer full): every option that is there, by its name
 */
JsonObject *
_cured_options_to_json (const CuredOptions *options)
{
  JsonObject *json = json_object_new ();
  gsize n_rows;
  const CuredOptionInfo *rows = cured_options_list (&n_rows);

  for (gsize i = 0; i < n_rows; i++)
    {
      const CuredOptionInfo *row = &rows[i];
      g_autofree char *text = NULL;

      switch (row->type)
        {
        case CURED_OPTION_FLAG:
          json_object_set_boolean_member (json, row->name,
                                          cured_option_get_number (row, options) > 0);
          break;
        case CURED_OPTION_COUNT:
          json_object_set_int_member (json, row->name,
                                      (gint64) cured_option_get_number (row, options));
          break;
        case CURED_OPTION_NUMBER:
          set_number (json, row->name, cured_option_get_number (row, options));
          break;
        case CURED_OPTION_SEED:
        case CURED_OPTION_WORDS:
        case CURED_OPTION_BLOCKS:
          text = cured_option_to_string (row, options);
          if (*text != '\0')
            set_string (json, row->name, text);
          break;
        }
    }
  return json;
}

static gboolean
option_from_json (JsonObject *json, const CuredOptionInfo *row, CuredOptions *options,
                  GError **error)
{
  const char *expected = _ ("a string");
  g_autofree char *number = NULL;
  const char *text = NULL;
  gboolean flag = FALSE;
  gint64 count = 0;
  double value = 0;

  if (find (json, row->name) == NULL)
    return TRUE;
  switch (row->type)
    {
    case CURED_OPTION_FLAG:
      if (!_cured_message_get_boolean (json, row->name, &flag, error))
        return FALSE;
      text = flag ? "1" : "0";
      break;
    case CURED_OPTION_COUNT:
      if (!_cured_message_get_integer (json, row->name, 0, G_MAXUINT, &count, error))
        return FALSE;
      text = number = g_strdup_printf ("%" PRId64, count);
      break;
    case CURED_OPTION_NUMBER:
      expected = _ ("a number, 0 or more");
      if (!_cured_message_get_number (json, row->name, &value, error))
        return FALSE;
      text = number = cured_format_file_number (value);
      break;
    case CURED_OPTION_SEED:
      expected = _ ("a 64-bit integer in a string");
      break;
    case CURED_OPTION_BLOCKS:
      expected = _ ("blocks, such as 0..7");
      break;
    case CURED_OPTION_WORDS:
      break;
    }
  if (text == NULL && !_cured_message_get_string (json, row->name, &text, error))
    return FALSE;
  return cured_option_read (row, options, text) || fail_field (error, row->name, expected);
}

/**
 * _cured_options_from_json:
 * @json: options, from a side that is not trusted
 * @options: (inout): initialized; what @json does not have stays as it is
 *
 * Returns: FALSE with CURED_ERROR_PROTOCOL; @options is then valid, and partly
 *   changed
 */
gboolean
_cured_options_from_json (JsonObject *json, CuredOptions *options, GError **error)
{
  gsize n_rows;
  const CuredOptionInfo *rows = cured_options_list (&n_rows);

  for (gsize i = 0; i < n_rows; i++)
    if (!option_from_json (json, &rows[i], options, error))
      return FALSE;
  return TRUE;
}

/* -- device -- */

/* (transfer full): by their names */
JsonObject *
_cured_limits_to_json (const CuredLimits *limits)
{
  JsonObject *json = json_object_new ();
  gsize n_rows;
  const CuredLimitInfo *rows = cured_limits_list (&n_rows);

  for (gsize i = 0; i < n_rows; i++)
    {
      gint64 value = 0;

      cured_limits_get (limits, rows[i].name, &value);
      json_object_set_int_member (json, rows[i].name, value);
    }
  return json;
}

/**
 * _cured_device_info_to_json:
 * @info: who a device is
 *
 * Returns: (transfer full): all of it; limits by their names
 */
JsonObject *
_cured_device_info_to_json (const CuredDeviceInfo *info)
{
  JsonObject *json = json_object_new ();
  gsize n_facts;
  const CuredDeviceFact *facts = cured_device_facts (&n_facts);

  json_object_set_object_member (json, "limits", _cured_limits_to_json (&info->limits));
  for (gsize i = 0; i < n_facts; i++)
    {
      const CuredDeviceFact *fact = &facts[i];
      JsonObject *object = json;

      if (fact->group != NULL)
        {
          if (!json_object_has_member (json, fact->group))
            json_object_set_object_member (json, fact->group, json_object_new ());
          object = json_object_get_object_member (json, fact->group);
        }
      if (fact->type == CURED_DEVICE_FACT_NUMBER)
        set_number (object, fact->key, cured_device_fact_get_number (fact, info));
      else
        set_string (object, fact->key, cured_device_fact_get_text (fact, info));
    }
  return json;
}

/* From a side that is not trusted; FALSE with CURED_ERROR_PROTOCOL. */
gboolean
_cured_limits_from_json (JsonObject *json, CuredLimits *limits, GError **error)
{
  gsize n_rows;
  const CuredLimitInfo *rows = cured_limits_list (&n_rows);

  for (gsize i = 0; i < n_rows; i++)
    {
      gint64 value = 0;

      if (!_cured_message_get_integer (json, rows[i].name, 0, G_MAXINT64, &value, error))
        return FALSE;
      cured_limits_set (limits, rows[i].name, value);
    }
  return TRUE;
}

static gboolean
fact_from_json (JsonObject *json, const CuredDeviceFact *fact, CuredDeviceInfo *info,
                GError **error)
{
  JsonObject *object = NULL;
  const char *text = NULL;
  double number = CURED_MISSING;

  if (fact->group == NULL)
    object = json;
  else if (!_cured_message_get_object (json, fact->group, &object, error))
    return FALSE;
  if (object == NULL)
    return TRUE;
  if (fact->type == CURED_DEVICE_FACT_NUMBER)
    {
      if (!_cured_message_get_number (object, fact->key, &number, error))
        return FALSE;
      cured_device_fact_set_number (fact, info, number);
      return TRUE;
    }
  if (!_cured_message_get_string (object, fact->key, &text, error))
    return FALSE;
  if (text != NULL)
    cured_device_fact_set_text (fact, info, text);
  return TRUE;
}

/**
 * _cured_device_info_from_json:
 * @json: who a device is, from a side that is not trusted
 * @info: (out caller-allocates): cleared with cured_device_info_clear()
 *
 * Returns: FALSE with CURED_ERROR_PROTOCOL; @info then holds nothing
 */
gboolean
_cured_device_info_from_json (JsonObject *json, CuredDeviceInfo *info, GError **error)
{
  JsonObject *limits = NULL;
  gboolean ok;
  gsize n_facts;
  const CuredDeviceFact *facts = cured_device_facts (&n_facts);

  cured_device_info_init (info);
  /* Not this machine: which one, the other side says. */
  g_free (info->host);
  info->host = g_strdup ("");

  ok = _cured_message_get_object (json, "limits", &limits, error) &&
       (limits == NULL || _cured_limits_from_json (limits, &info->limits, error));
  for (gsize i = 0; ok && i < n_facts; i++)
    ok = fact_from_json (json, &facts[i], info, error);
  if (!ok)
    cured_device_info_clear (info);
  return ok;
}

/* -- outcome -- */

/**
 * _cured_stage_from_string:
 * @text: a stage's name
 * @stage: (out): the stage
 *
 * Returns: FALSE for an unknown name
 */
gboolean
_cured_stage_from_string (const char *text, CuredStage *stage)
{
  for (int i = 0; i < CURED_N_STAGES; i++)
    if (g_str_equal (cured_stage_to_string ((CuredStage) i), text))
      {
        *stage = (CuredStage) i;
        return TRUE;
      }
  return FALSE;
}

static JsonObject *
samples_to_json (const CuredSamples *samples)
{
  JsonObject *json = json_object_new ();
  JsonArray *times = json_array_new ();
  JsonArray *clocks = json_array_new ();
  JsonArray *throttled = json_array_new ();
  gboolean has_clock = FALSE;

  for (guint i = 0; i < samples->samples->len; i++)
    {
      const CuredSample *sample = &g_array_index (samples->samples, CuredSample, i);

      if (isfinite (sample->time_ns))
        json_array_add_double_element (times, sample->time_ns);
      else
        json_array_add_null_element (times);
      if (isfinite (sample->sm_clock_hz))
        {
          json_array_add_double_element (clocks, sample->sm_clock_hz);
          has_clock = TRUE;
        }
      else
        json_array_add_null_element (clocks);
      if (sample->throttled)
        json_array_add_int_element (throttled, i);
    }
  json_object_set_int_member (json, "runs", samples->runs);
  json_object_set_string_member (json, "stop", stop_names[samples->stop]);
  if (samples->n_waits > 0)
    json_object_set_int_member (json, "waits", samples->n_waits);
  json_object_set_array_member (json, "time_ns", times);
  if (has_clock)
    json_object_set_array_member (json, "sm_clock_hz", clocks);
  else
    json_array_unref (clocks);
  if (json_array_get_length (throttled) > 0)
    json_object_set_array_member (json, "throttled", throttled);
  else
    json_array_unref (throttled);
  return json;
}

static gboolean
element_to_number (JsonArray *array, guint index, const char *name, double *value, GError **error)
{
  JsonNode *node = json_array_get_element (array, index);

  *value = CURED_MISSING;
  if (JSON_NODE_HOLDS_NULL (node) || node_is_number (node, value))
    return TRUE;
  return fail_field (error, name, _ ("an array of numbers"));
}

static CuredSamples *
samples_from_json (JsonObject *json, CuredTimingMode mode, GError **error)
{
  g_autoptr (CuredSamples) samples = cured_samples_new (mode, 1);
  JsonArray *times = NULL;
  JsonArray *clocks = NULL;
  JsonArray *throttled = NULL;
  const char *stop = NULL;
  guint n = 0;

  if (!get_uint (json, "runs", &samples->runs, error) ||
      !get_uint (json, "waits", &samples->n_waits, error) ||
      !_cured_message_get_string (json, "stop", &stop, error) ||
      !_cured_message_get_array (json, "time_ns", &times, error) ||
      !_cured_message_get_array (json, "sm_clock_hz", &clocks, error) ||
      !_cured_message_get_array (json, "throttled", &throttled, error))
    return NULL;
  for (gsize i = 0; stop != NULL && i < G_N_ELEMENTS (stop_names); i++)
    if (g_str_equal (stop_names[i], stop))
      samples->stop = (CuredStop) i;

  if (times != NULL)
    n = json_array_get_length (times);
  if (clocks != NULL && json_array_get_length (clocks) != n)
    {
      fail_field (error, "sm_clock_hz", _ ("as long as “time_ns”"));
      return NULL;
    }
  for (guint i = 0; i < n; i++)
    {
      CuredSample sample = { .sm_clock_hz = CURED_MISSING };

      if (!element_to_number (times, i, "time_ns", &sample.time_ns, error) ||
          (clocks != NULL &&
           !element_to_number (clocks, i, "sm_clock_hz", &sample.sm_clock_hz, error)))
        return NULL;
      if (sample.time_ns < 0.0)
        {
          fail_field (error, "time_ns", _ ("an array of times"));
          return NULL;
        }
      /* One that is missing keeps its place, and counts for nothing. */
      g_array_append_val (samples->samples, sample);
    }
  for (guint i = 0; throttled != NULL && i < json_array_get_length (throttled); i++)
    {
      double index;

      if (!element_to_number (throttled, i, "throttled", &index, error))
        return NULL;
      if (!(index >= 0 && index < n))
        {
          fail_field (error, "throttled", _ ("positions in “time_ns”"));
          return NULL;
        }
      g_array_index (samples->samples, CuredSample, (guint) index).throttled = TRUE;
    }
  cured_samples_update (samples);
  return g_steal_pointer (&samples);
}

static JsonObject *
side_to_json (const CuredFindingSide *side)
{
  JsonObject *json = json_object_new ();
  JsonArray *block = json_array_new ();

  set_string (json, "file", side->file);
  json_object_set_int_member (json, "line", side->line);
  json_object_set_int_member (json, "ptx_line", side->ptx_line);
  set_string (json, "source", side->source);
  set_string (json, "what", side->what);
  for (int i = 0; i < 3; i++)
    json_array_add_int_element (block, side->block[i]);
  json_object_set_array_member (json, "block", block);
  json_object_set_int_member (json, "warp", side->warp);
  json_object_set_int_member (json, "lanes", side->lanes);
  return json;
}

/**
 * _cured_finding_to_json:
 * @finding: what a detector found
 *
 * Returns: (transfer full): all of it; a side that is not there is left out
 */
JsonObject *
_cured_finding_to_json (const CuredFinding *finding)
{
  JsonObject *json = json_object_new ();

  json_object_set_string_member (json, "kind", cured_finding_info (finding->kind)->id);
  set_string (json, "kernel", finding->kernel);
  json_object_set_object_member (json, "here", side_to_json (&finding->here));
  if (finding->there.what != NULL)
    json_object_set_object_member (json, "there", side_to_json (&finding->there));
  set_string (json, "object", finding->object);
  set_string (json, "detail", finding->detail);
  json_object_set_int_member (json, "count", (gint64) MIN (finding->count, (guint64) G_MAXINT64));
  return json;
}

static gboolean
side_from_json (JsonObject *json, CuredFinding *finding, CuredFindingSide *side, GError **error)
{
  const char *what = NULL;
  JsonArray *block = NULL;
  gint64 line = 0;
  gint64 ptx_line = 0;
  gint64 lanes = 0;

  if (!dup_string (json, "file", &side->file, error) ||
      !dup_string (json, "source", &side->source, error) ||
      !_cured_message_get_string (json, "what", &what, error) ||
      !_cured_message_get_integer (json, "line", 0, G_MAXINT, &line, error) ||
      !_cured_message_get_integer (json, "ptx_line", 0, G_MAXINT, &ptx_line, error) ||
      !get_uint (json, "warp", &side->warp, error) ||
      !_cured_message_get_integer (json, "lanes", 0, G_MAXUINT32, &lanes, error) ||
      !_cured_message_get_array (json, "block", &block, error))
    return FALSE;
  side->line = (int) line;
  side->ptx_line = (int) ptx_line;
  side->lanes = (guint32) lanes;
  cured_finding_take_what (finding, side, g_strdup (what));
  for (guint i = 0; block != NULL && i < MIN (json_array_get_length (block), 3); i++)
    {
      double number;

      if (!element_to_number (block, i, "block", &number, error))
        return FALSE;
      if (number >= 0 && number <= G_MAXUINT)
        side->block[i] = (guint) number;
    }
  return TRUE;
}

/* A kind that this version does not know is left out. */
static gboolean
read_findings (JsonArray *array, CuredOutcome *outcome, GError **error)
{
  for (guint i = 0; i < json_array_get_length (array); i++)
    {
      JsonNode *node = json_array_get_element (array, i);
      g_autoptr (CuredFinding) finding = g_new0 (CuredFinding, 1);
      const char *kind = NULL;
      JsonObject *json;
      JsonObject *here = NULL;
      JsonObject *there = NULL;
      gint64 count = 1;

      if (!JSON_NODE_HOLDS_OBJECT (node))
        return fail_field (error, "findings", _ ("an array of objects"));
      json = json_node_get_object (node);
      if (!_cured_message_get_string (json, "kind", &kind, error) ||
          !dup_string (json, "kernel", &finding->kernel, error) ||
          !dup_string (json, "object", &finding->object, error) ||
          !dup_string (json, "detail", &finding->detail, error) ||
          !_cured_message_get_object (json, "here", &here, error) ||
          !_cured_message_get_object (json, "there", &there, error) ||
          !_cured_message_get_integer (json, "count", 0, G_MAXINT64, &count, error) ||
          (here != NULL && !side_from_json (here, finding, &finding->here, error)) ||
          (there != NULL && !side_from_json (there, finding, &finding->there, error)))
        return FALSE;
      finding->count = (guint64) count;
      if (kind != NULL && cured_finding_kind_from_id (kind, &finding->kind))
        g_ptr_array_add (outcome->findings, g_steal_pointer (&finding));
    }
  return TRUE;
}

static JsonArray *
texts_to_json (char **texts)
{
  JsonArray *array = json_array_new ();

  for (gsize i = 0; texts[i] != NULL; i++)
    json_array_add_string_element (array, texts[i]);
  return array;
}

static JsonArray *
excerpts_to_json (const GPtrArray *excerpts)
{
  JsonArray *array = json_array_new ();

  for (guint i = 0; i < excerpts->len; i++)
    {
      const CuredExcerpt *excerpt = g_ptr_array_index (excerpts, i);
      JsonObject *element = json_object_new ();

      set_string (element, "buffer", excerpt->buffer);
      set_string (element, "type", excerpt->type);
      json_object_set_int_member (element, "length", excerpt->length);
      json_object_set_int_member (element, "first", excerpt->first);
      if (excerpt->before != NULL)
        json_object_set_array_member (element, "before", texts_to_json (excerpt->before));
      json_object_set_array_member (element, "after", texts_to_json (excerpt->after));
      json_array_add_object_element (array, element);
    }
  return array;
}

/**
 * _cured_outcome_to_json:
 * @outcome: what became of a cell
 * @json: (inout): the message that gets the outcome's fields
 */
void
_cured_outcome_to_json (const CuredOutcome *outcome, JsonObject *json)
{
  JsonObject *metrics = json_object_new ();
  JsonObject *stages = json_object_new ();

  json_object_set_string_member (json, "state", cured_state_to_string (outcome->state));
  set_string (json, "reason", outcome->reason);
  for (int i = 0; i < CURED_N_METRICS; i++)
    set_number (metrics, cured_metric_info ((CuredMetric) i)->id, outcome->metrics[i]);
  json_object_set_object_member (json, "metrics", metrics);
  if (outcome->cold != NULL)
    json_object_set_object_member (json, "cold", samples_to_json (outcome->cold));
  if (outcome->hot != NULL)
    json_object_set_object_member (json, "hot", samples_to_json (outcome->hot));
  if (outcome->n_mismatches > 0)
    {
      JsonArray *mismatches = json_array_new ();

      for (guint i = 0; i < outcome->mismatches->len; i++)
        {
          const CuredMismatch *mismatch = g_ptr_array_index (outcome->mismatches, i);
          JsonObject *element = json_object_new ();

          set_string (element, "buffer", mismatch->buffer);
          json_object_set_int_member (element, "index", mismatch->index);
          set_string (element, "got", mismatch->got);
          set_string (element, "expected", mismatch->expected);
          json_array_add_object_element (mismatches, element);
        }
      json_object_set_array_member (json, "mismatches", mismatches);
      json_object_set_int_member (json, "n_mismatches",
                                  (gint64) MIN (outcome->n_mismatches, (guint64) G_MAXINT64));
    }
  if (outcome->findings->len > 0)
    {
      JsonArray *findings = json_array_new ();

      for (guint i = 0; i < outcome->findings->len; i++)
        json_array_add_object_element (
            findings, _cured_finding_to_json (g_ptr_array_index (outcome->findings, i)));
      json_object_set_array_member (json, "findings", findings);
    }
  set_string (json, "output", outcome->output);
  if (outcome->excerpts != NULL)
    json_object_set_array_member (json, "excerpts", excerpts_to_json (outcome->excerpts));
  if (outcome->work != NULL)
    {
      g_autofree char *work = _cured_answer_to_text (_cured_workload_to_variant (outcome->work));

      json_object_set_string_member (json, "work", work);
    }
  for (int i = 0; i < CURED_N_STAGES; i++)
    json_object_set_int_member (stages, cured_stage_to_string ((CuredStage) i),
                                outcome->stage_ns[i]);
  json_object_set_object_member (json, "stage_ns", stages);
}

static gboolean
read_mismatches (JsonArray *array, CuredOutcome *outcome, GError **error)
{
  for (guint i = 0; i < json_array_get_length (array); i++)
    {
      JsonNode *node = json_array_get_element (array, i);
      g_autoptr (CuredMismatch) mismatch = g_new0 (CuredMismatch, 1);
      JsonObject *json;

      if (!JSON_NODE_HOLDS_OBJECT (node))
        return fail_field (error, "mismatches", _ ("an array of objects"));
      json = json_node_get_object (node);
      mismatch->buffer = g_strdup ("");
      mismatch->got = g_strdup ("");
      mismatch->expected = g_strdup ("");
      if (!dup_string (json, "buffer", &mismatch->buffer, error) ||
          !dup_string (json, "got", &mismatch->got, error) ||
          !dup_string (json, "expected", &mismatch->expected, error) ||
          !_cured_message_get_integer (json, "index", G_MININT64, G_MAXINT64, &mismatch->index,
                                       error))
        return FALSE;
      g_ptr_array_add (outcome->mismatches, g_steal_pointer (&mismatch));
    }
  return TRUE;
}

/**
 * _cured_ranges_to_json:
 * @ranges: (element-type CuredRange): of a job
 *
 * Returns: (transfer full): an array of objects
 */
JsonArray *
_cured_ranges_to_json (const GPtrArray *ranges)
{
  JsonArray *array = json_array_new ();

  for (guint i = 0; i < ranges->len; i++)
    {
      const CuredRange *range = g_ptr_array_index (ranges, i);
      JsonObject *element = json_object_new ();

      set_string (element, "buffer", range->buffer);
      json_object_set_int_member (element, "first", range->first);
      json_object_set_int_member (element, "length", range->length);
      json_array_add_object_element (array, element);
    }
  return array;
}

/**
 * _cured_ranges_from_json:
 * @array: from a side that is not trusted
 * @error: CURED_ERROR_PROTOCOL
 *
 * Returns: (transfer full) (element-type CuredRange): ranges, of buffers that
 *   perhaps are not there
 */
GPtrArray *
_cured_ranges_from_json (JsonArray *array, GError **error)
{
  g_autoptr (GPtrArray) ranges = g_ptr_array_new_with_free_func ((GDestroyNotify) cured_range_free);

  for (guint i = 0; i < json_array_get_length (array); i++)
    {
      JsonNode *node = json_array_get_element (array, i);
      g_autoptr (CuredRange) range = g_new0 (CuredRange, 1);
      JsonObject *json;

      if (i >= CURED_EXCERPT_MAX || !JSON_NODE_HOLDS_OBJECT (node))
        {
          fail_field (error, "excerpts", _ ("an array of a few objects"));
          return NULL;
        }
      json = json_node_get_object (node);
      range->length = CURED_EXCERPT_ELEMENTS;
      if (!_cured_message_require (json, "buffer", error) ||
          !dup_string (json, "buffer", &range->buffer, error) ||
          !_cured_message_get_integer (json, "first", 0, G_MAXINT64, &range->first, error) ||
          !_cured_message_get_integer (json, "length", 1, CURED_EXCERPT_MAX_ELEMENTS,
                                       &range->length, error))
        return NULL;
      g_ptr_array_add (ranges, g_steal_pointer (&range));
    }
  return g_steal_pointer (&ranges);
}

static char **
texts_from_json (JsonArray *array, GError **error)
{
  guint length = json_array_get_length (array);
  g_auto (GStrv) texts = NULL;

  if (length <= CURED_EXCERPT_MAX_ELEMENTS)
    texts = g_new0 (char *, length + 1);
  for (guint i = 0; texts != NULL && i < length; i++)
    {
      JsonNode *node = json_array_get_element (array, i);

      if (json_node_get_value_type (node) != G_TYPE_STRING)
        g_clear_pointer (&texts, g_strfreev);
      else
        texts[i] = json_node_dup_string (node);
    }
  if (texts == NULL)
    fail_field (error, "excerpts", _ ("arrays of strings"));
  return g_steal_pointer (&texts);
}

static gboolean
read_excerpt (JsonObject *json, CuredOutcome *outcome, GError **error)
{
  g_autoptr (CuredExcerpt) excerpt = g_new0 (CuredExcerpt, 1);
  JsonArray *before = NULL;
  JsonArray *after = NULL;

  if (!_cured_message_require (json, "buffer", error) ||
      !_cured_message_require (json, "type", error) ||
      !_cured_message_require (json, "after", error) ||
      !dup_string (json, "buffer", &excerpt->buffer, error) ||
      !dup_string (json, "type", &excerpt->type, error) ||
      !_cured_message_get_integer (json, "length", 0, G_MAXINT64, &excerpt->length, error) ||
      !_cured_message_get_integer (json, "first", 0, G_MAXINT64 - CURED_EXCERPT_MAX_ELEMENTS,
                                   &excerpt->first, error) ||
      !_cured_message_get_array (json, "before", &before, error) ||
      !_cured_message_get_array (json, "after", &after, error))
    return FALSE;
  excerpt->after = texts_from_json (after, error);
  if (excerpt->after == NULL)
    return FALSE;
  if (before != NULL)
    {
      excerpt->before = texts_from_json (before, error);
      if (excerpt->before == NULL)
        return FALSE;
      if (g_strv_length (excerpt->before) != g_strv_length (excerpt->after))
        return fail_field (error, "excerpts", _ ("arrays of one length"));
    }
  g_ptr_array_add (outcome->excerpts, g_steal_pointer (&excerpt));
  return TRUE;
}

static gboolean
read_excerpts (JsonArray *array, CuredOutcome *outcome, GError **error)
{
  g_clear_pointer (&outcome->excerpts, g_ptr_array_unref);
  outcome->excerpts = g_ptr_array_new_with_free_func ((GDestroyNotify) cured_excerpt_free);
  for (guint i = 0; i < json_array_get_length (array); i++)
    {
      JsonNode *node = json_array_get_element (array, i);

      if (i >= CURED_EXCERPT_MAX || !JSON_NODE_HOLDS_OBJECT (node))
        return fail_field (error, "excerpts", _ ("an array of a few objects"));
      if (!read_excerpt (json_node_get_object (node), outcome, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
read_work (const char *text, CuredOutcome *outcome, GError **error)
{
  g_autoptr (GVariant) variant = _cured_answer_from_text (text, _cured_workload_type, error);

  if (variant == NULL)
    return FALSE;
  outcome->work = _cured_workload_from_variant (variant, error);
  return outcome->work != NULL;
}

/**
 * _cured_outcome_from_json:
 * @json: an `outcome` message, from a side that is not trusted
 * @outcome: (inout): as cured_outcome_new() made it
 *
 * Metrics that this version does not know are left out.
 *
 * Returns: FALSE with CURED_ERROR_PROTOCOL; @outcome is then valid, and partly
 *   filled
 */
gboolean
_cured_outcome_from_json (JsonObject *json, CuredOutcome *outcome, GError **error)
{
  JsonObject *metrics = NULL;
  JsonObject *stages = NULL;
  JsonObject *cold = NULL;
  JsonObject *hot = NULL;
  JsonArray *mismatches = NULL;
  JsonArray *findings = NULL;
  JsonArray *excerpts = NULL;
  const char *state = NULL;
  const char *work = NULL;
  gint64 n_mismatches = 0;

  if (!_cured_message_require (json, "state", error) ||
      !_cured_message_get_string (json, "state", &state, error))
    return FALSE;
  if (!cured_state_from_string (state, &outcome->state))
    return fail_field (error, "state", _ ("the name of a cell's state"));
  if (!dup_string (json, "reason", &outcome->reason, error) ||
      !dup_string (json, "output", &outcome->output, error) ||
      !_cured_message_get_object (json, "metrics", &metrics, error) ||
      !_cured_message_get_object (json, "stage_ns", &stages, error) ||
      !_cured_message_get_object (json, "cold", &cold, error) ||
      !_cured_message_get_object (json, "hot", &hot, error) ||
      !_cured_message_get_array (json, "mismatches", &mismatches, error) ||
      !_cured_message_get_array (json, "findings", &findings, error) ||
      !_cured_message_get_array (json, "excerpts", &excerpts, error) ||
      !_cured_message_get_string (json, "work", &work, error) ||
      !_cured_message_get_integer (json, "n_mismatches", 0, G_MAXINT64, &n_mismatches, error))
    return FALSE;
  outcome->n_mismatches = (guint64) n_mismatches;

  for (int i = 0; metrics != NULL && i < CURED_N_METRICS; i++)
    if (!_cured_message_get_number (metrics, cured_metric_info ((CuredMetric) i)->id,
                                    &outcome->metrics[i], error))
      return FALSE;
  for (int i = 0; stages != NULL && i < CURED_N_STAGES; i++)
    if (!_cured_message_get_integer (stages, cured_stage_to_string ((CuredStage) i), 0, G_MAXINT64,
                                     &outcome->stage_ns[i], error))
      return FALSE;
  if (mismatches != NULL && !read_mismatches (mismatches, outcome, error))
    return FALSE;
  if (findings != NULL && !read_findings (findings, outcome, error))
    return FALSE;
  if (excerpts != NULL && !read_excerpts (excerpts, outcome, error))
    return FALSE;
  if (work != NULL && !read_work (work, outcome, error))
    return FALSE;
  if (cold != NULL)
    {
      outcome->cold = samples_from_json (cold, CURED_TIMING_COLD, error);
      if (outcome->cold == NULL)
        return FALSE;
    }
  if (hot != NULL)
    {
      outcome->hot = samples_from_json (hot, CURED_TIMING_HOT, error);
      if (outcome->hot == NULL)
        return FALSE;
    }
  return TRUE;
}
