/* SPDX-License-Identifier: MIT
 * The messages of docs/worker-protocol.md: lines, JSON and errors. */
#pragma once

#include "worker/cured-worker-records-private.h"

/* A longer line is refused from either side. */
#define CURED_MESSAGE_MAX_BYTES ((gsize) 64 << 20)

/* How a line begins that is read before those that wait. */
#define CURED_MESSAGE_CANCEL "{\"type\":\"cancel\""

/* Cuts what arrives on a descriptor into lines. The descriptor stays the caller's. */
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
JsonObject *_cured_message_of (const char *type, const CuredRecordInfo *record, gconstpointer of);
JsonObject *_cured_message_parse (const char *line, const char **type, GError **error);
char *_cured_message_to_line (JsonObject *message);
JsonObject *_cured_error_to_message (const GError *error);
GError *_cured_error_from_message (JsonObject *message);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (CuredLines, _cured_lines_clear)
