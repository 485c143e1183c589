/* SPDX-License-Identifier: MIT
 * The messages of docs/worker-protocol.md: lines, JSON and contents. */
#include "worker/cured-message-private.h"

#include <errno.h>
#include <gio/gio.h>
#include <glib/gi18n-lib.h>
#include <string.h>
#include <unistd.h>

#include "base/cured-error.h"
#include "base/cured-json-internal.h"
#include "base/cured-own.h"
#include "base/cured-units.h"

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

/* -- Lines -- */

/* The caller owns @fd. */
void
_cured_lines_init (CuredLines *self, int fd)
{
  self->fd = fd;
  self->bytes = g_byte_array_new ();
  self->searched = 0;
}

CURED_DEFINE_CLEAR (CuredLines, _cured_lines_clear, bytes, g_byte_array_unref)

/* Reads once; blocks if the descriptor does. Call _cured_lines_take() until it returns NULL before
 * reading again. The error is the operating system's, or CURED_ERROR_PROTOCOL for a line that is
 * too long. */
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
  /* The other side of a socket ended with unread data: treat it as the end, too. */
  if (errno == ECONNRESET)
    return CURED_LINES_END;
  g_set_error (error, G_IO_ERROR, g_io_error_from_errno (errno), _ ("Can't read a message: %s"),
               g_strerror (errno));
  return CURED_LINES_ERROR;
}

/* (transfer full) (nullable): the next whole line without its newline; NULL: read more. A line ends
 * at a zero byte, which makes its JSON invalid. */
char *
_cured_lines_take (CuredLines *self)
{
  const guint8 *end = NULL;

  if (self->bytes->len > self->searched)
    end = memchr (self->bytes->data + self->searched, '\n', self->bytes->len - self->searched);
  if (end == NULL)
    {
      self->searched = self->bytes->len;
      return NULL;
    }
  gsize length = (gsize) (end - self->bytes->data);
  char *line = g_strndup ((const char *) self->bytes->data, length);
  g_byte_array_remove_range (self->bytes, 0, (guint) length + 1);
  self->searched = 0;
  return line;
}

/* -- Messages -- */

JsonObject *
_cured_message_new (const char *type)
{
  JsonObject *message = json_object_new ();

  json_object_set_string_member (message, "type", type);
  return message;
}

/* A message, shortened and printable, for an error. */
static char *
quote_line (const char *line)
{
  const gsize kept = 80;
  g_autofree char *start = g_strndup (line, kept), *valid = g_utf8_make_valid (start, -1);

  return g_strdup_printf (strlen (line) > kept ? "“%s…”" : "“%s”", valid);
}

/* (transfer full): a JSON object, and its `type`, which it owns; NULL with CURED_ERROR_PROTOCOL */
JsonObject *
_cured_message_parse (const char *line, const char **type, GError **error)
{
  g_autoptr (GError) parse_error = NULL;
  g_autoptr (JsonNode) root = _cured_json_parse (line, CURED_MESSAGE_MAX_BYTES, &parse_error);

  if (root == NULL || !JSON_NODE_HOLDS_OBJECT (root))
    {
      g_autofree char *quoted = quote_line (line);

      return cured_fail_null (error, CURED_ERROR_PROTOCOL,
                              _ ("Expected a message, one JSON object in a line, and got %s%s%s"),
                              quoted, parse_error != NULL ? ": " : "",
                              parse_error != NULL ? parse_error->message : "");
    }

  JsonNode *node = json_object_get_member (json_node_get_object (root), "type");
  if (node == NULL || !JSON_NODE_HOLDS_VALUE (node) ||
      json_node_get_value_type (node) != G_TYPE_STRING)
    {
      g_autofree char *quoted = quote_line (line);

      return cured_fail_null (error, CURED_ERROR_PROTOCOL,
                              _ ("Expected a message with a “type” and got %s"), quoted);
    }
  *type = json_node_get_string (node);
  return json_object_ref (json_node_get_object (root));
}

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

/* -- Requests and errors -- */

/* A message with only a record's fields; the caller adds others. */
JsonObject *
_cured_message_of (const char *type, const CuredRecordInfo *record, gconstpointer of)
{
  JsonObject *message = _cured_message_new (type);

  _cured_record_add_to_json (record, of, message);
  return message;
}

JsonObject *
_cured_error_to_message (const GError *error)
{
  const CuredErrorPlace *place = cured_error_get_place (error);
  CuredFailure failure = {
    .message = error->message,
    .log = (char *) cured_error_get_log (error),
  };

  if (error->domain == CURED_ERROR && error->code >= 0 &&
      error->code < (int) G_N_ELEMENTS (error_names))
    failure.code = (char *) error_names[error->code];
  if (place != NULL)
    {
      failure.file = place->file;
      failure.line = place->line;
      failure.column = place->column;
      failure.text = place->text;
    }
  return _cured_message_of ("error", &_cured_failure_record, &failure);
}

/* (transfer full): the error of an untrusted side; G_IO_ERROR_FAILED if its code is missing or
 * unknown here. Unreadable parts are left out. */
GError *
_cured_error_from_message (JsonObject *message)
{
  CuredFailure failure = { 0 };
  GError *error = NULL;

  if (!_cured_record_from_json (&_cured_failure_record, message, &failure, NULL))
    failure.line = 0;
  if (failure.message == NULL)
    failure.message = g_strdup (_ ("The worker failed and did not say why"));
  for (gsize i = 0; error == NULL && i < G_N_ELEMENTS (error_names); i++)
    if (g_strcmp0 (error_names[i], failure.code) == 0)
      error = g_error_new_literal (CURED_ERROR, (int) i, failure.message);
  if (error == NULL)
    error = g_error_new_literal (G_IO_ERROR, G_IO_ERROR_FAILED, failure.message);
  else
    {
      if (failure.file != NULL && failure.text != NULL && failure.line > 0)
        cured_error_set_place (error, failure.file, failure.line, failure.column, failure.text);
      if (failure.log != NULL)
        cured_error_set_log (error, failure.log);
    }
  _cured_record_clear (&_cured_failure_record, &failure);
  return error;
}
