/* SPDX-License-Identifier: MIT
 * JSON from elsewhere: bounded before json-glib gets it. */
#pragma once

#include <json-glib/json-glib.h>

G_BEGIN_DECLS

/* Messages and what compilers write nest five deep; json-glib's parser recurses, so that a longer
 * row of brackets would cost it the stack. */
#define CURED_JSON_MAX_DEPTH 32

JsonNode *_cured_json_parse (const char *text, gsize max_bytes, GError **error);

G_END_DECLS
