/* SPDX-License-Identifier: MIT
 * The messages of docs/worker-protocol.md: lines, JSON and what they carry. */
#pragma once

#include <json-glib/json-glib.h>

#include "measure/cured-outcome.h"
#include "device/cured-device.h"
#include "worker/cured-worker.h"
#include "spec/cured-options.h"

G_BEGIN_DECLS

/* A line that is longer is refused, whoever sent it. */
#define CURED_MESSAGE_MAX_BYTES ((gsize) 64 << 20)

/* How a line begins that is read before those that wait. */
#define CURED_MESSAGE_CANCEL "{\"type\":\"cancel\""

/**
 * CuredLines:
 *
 * Cuts what arrives on a descriptor into lines. The descriptor stays the caller's.
 */
typedef struct
{
  int fd;
  GByteArray *bytes;
  gsize searched; /* bytes that are known to hold no line's end */
} CuredLines;

typedef enum
{
  CURED_LINES_MORE,
  CURED_LINES_NOTHING, /* a non-blocking descriptor has nothing now */
  CURED_LINES_END,
  CURED_LINES_ERROR,
} CuredLinesStatus;

void _cured_lines_init (CuredLines *self, int fd);
void _cured_lines_clear (CuredLines *self);
CuredLinesStatus _cured_lines_read (CuredLines *self, GError **error);
char *_cured_lines_take (CuredLines *self);

JsonObject *_cured_message_new (const char *type);
JsonObject *_cured_message_parse (const char *line, const char **type, GError **error);
char *_cured_message_to_line (JsonObject *message);

gboolean _cured_message_get_string (JsonObject *message, const char *name, const char **value,
                                    GError **error);
gboolean _cured_message_get_integer (JsonObject *message, const char *name, gint64 min, gint64 max,
                                     gint64 *value, GError **error);
gboolean _cured_message_get_number (JsonObject *message, const char *name, double *value,
                                    GError **error);
gboolean _cured_message_get_boolean (JsonObject *message, const char *name, gboolean *value,
                                     GError **error);
gboolean _cured_message_get_object (JsonObject *message, const char *name, JsonObject **value,
                                    GError **error);
gboolean _cured_message_get_array (JsonObject *message, const char *name, JsonArray **value,
                                   GError **error);
gboolean _cured_message_require (JsonObject *message, const char *name, GError **error);

JsonObject *_cured_error_to_message (const GError *error);
GError *_cured_error_from_message (JsonObject *message);

JsonObject *_cured_options_to_json (const CuredOptions *options);
gboolean _cured_options_from_json (JsonObject *json, CuredOptions *options, GError **error);
JsonObject *_cured_device_info_to_json (const CuredDeviceInfo *info);
gboolean _cured_limits_from_json (JsonObject *json, CuredLimits *limits, GError **error);
JsonObject *_cured_limits_to_json (const CuredLimits *limits);
gboolean _cured_device_info_from_json (JsonObject *json, CuredDeviceInfo *info, GError **error);
JsonArray *_cured_ranges_to_json (const GPtrArray *ranges);
GPtrArray *_cured_ranges_from_json (JsonArray *array, GError **error);
JsonObject *_cured_finding_to_json (const CuredFinding *finding);
void _cured_outcome_to_json (const CuredOutcome *outcome, JsonObject *json);
gboolean _cured_outcome_from_json (JsonObject *json, CuredOutcome *outcome, GError **error);

gboolean _cured_stage_from_string (const char *text, CuredStage *stage);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (CuredLines, _cured_lines_clear)

G_END_DECLS
