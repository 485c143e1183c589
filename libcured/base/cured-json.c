/* SPDX-License-Identifier: MIT
 * Untrusted JSON, bounded before json-glib parses it. */

#include "base/cured-base-internal.h"

/* Without this, a million brackets would crash the process, since json-glib's parser recurses. It
 * also accepts apostrophes as quotes, and skips comments, in which brackets could hide: so outside
 * of strings, only JSON is accepted. */
static gboolean
check_json (const char *text, gsize max_bytes, GError **error)
{
  gboolean in_string = FALSE;
  guint depth = 0;
  const char *p = text;

  for (; *p != '\0' && (gsize) (p - text) <= max_bytes; p++)
    {
      if (in_string)
        {
          /* json-glib takes \250 for a byte, which is not valid text. */
          if (*p == '\\' && strchr ("\"\\/bfnrtu", p[1]) == NULL)
            return cured_fail (error, CURED_ERROR_PROTOCOL, _ ("it is not JSON"));
          if (*p == '\\' && p[1] != '\0')
            p++;
          else if (*p == '"')
            in_string = FALSE;
        }
      else if (*p == '"')
        in_string = TRUE;
      else if (*p == '[' || *p == '{')
        {
          if (++depth > CURED_JSON_MAX_DEPTH)
            return cured_fail (error, CURED_ERROR_PROTOCOL, _ ("it nests deeper than %d levels"),
                               CURED_JSON_MAX_DEPTH);
        }
      else if (*p == ']' || *p == '}')
        depth -= depth > 0;
      else if (!g_ascii_isalnum (*p) && strchr (",:+-. \t\r\n", *p) == NULL)
        return cured_fail (error, CURED_ERROR_PROTOCOL, _ ("it is not JSON"));
    }
  if (*p == '\0')
    return TRUE;
  return cured_fail (error, CURED_ERROR_PROTOCOL, _ ("it has more than %zu bytes"), max_bytes);
}

/* Parses all JSON from a process or a file that is not Cured's own, except imports, which have
 * cured-import-json.c, as truncated files are useful there. */
JsonNode *
_cured_json_parse (const char *text, gsize max_bytes, GError **error)
{
  g_autoptr (JsonParser) parser = json_parser_new_immutable ();

  if (!check_json (text, max_bytes, error) || !json_parser_load_from_data (parser, text, -1, error))
    return NULL;
  JsonNode *root = json_parser_steal_root (parser);
  if (root == NULL)
    g_set_error_literal (error, CURED_ERROR, CURED_ERROR_PROTOCOL, _ ("it is not JSON"));
  return root;
}

void
_cured_json_add_text (JsonBuilder *self, const char *name, const char *value)
{
  json_builder_set_member_name (self, name);
  if (value != NULL)
    json_builder_add_string_value (self, value);
  else
    json_builder_add_null_value (self);
}

void
_cured_json_add_int (JsonBuilder *self, const char *name, gint64 value)
{
  json_builder_set_member_name (self, name);
  json_builder_add_int_value (self, value);
}

void
_cured_json_add_real (JsonBuilder *self, const char *name, double value)
{
  json_builder_set_member_name (self, name);
  if (isfinite (value))
    json_builder_add_double_value (self, value);
  else
    json_builder_add_null_value (self);
}

void
_cured_json_add_flag (JsonBuilder *self, const char *name, gboolean value)
{
  json_builder_set_member_name (self, name);
  json_builder_add_boolean_value (self, value);
}

void
_cured_json_begin_array (JsonBuilder *self, const char *name)
{
  json_builder_set_member_name (self, name);
  json_builder_begin_array (self);
}
