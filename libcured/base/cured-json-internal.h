/* SPDX-License-Identifier: MIT
 * Untrusted JSON, bounded before json-glib parses it, and members for a builder. */
#pragma once

#include <json-glib/json-glib.h>

/* Messages and compilers' files nest five deep; json-glib's parser recurses, so that deep nesting
 * could overflow the stack. */
#define CURED_JSON_MAX_DEPTH 32

/* A text that is NULL and a number that is not finite are null. */
void _cured_json_add_text (JsonBuilder *self, const char *name, const char *value);
void _cured_json_add_int (JsonBuilder *self, const char *name, gint64 value);
void _cured_json_add_real (JsonBuilder *self, const char *name, double value);
void _cured_json_add_flag (JsonBuilder *self, const char *name, gboolean value);
void _cured_json_begin_array (JsonBuilder *self, const char *name);

JsonNode *_cured_json_parse (const char *text, gsize max_bytes, GError **error);
