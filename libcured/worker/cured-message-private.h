/* SPDX-License-Identifier: MIT
 * The messages of docs/worker-protocol.md: lines, JSON and errors. */
#pragma once

#include "worker/cured-worker-records-private.h"

/* Longer lines are refused by both sides. */
#define CURED_MESSAGE_MAX_BYTES ((gsize) 64 << 20)

/* Beginning of a line that is handled before queued ones. */
#define CURED_MESSAGE_CANCEL "{\"type\":\"cancel\""

/* Splits a descriptor's input into lines. The caller owns the descriptor. */
typedef struct
{
  int fd;
  GByteArray *bytes;
  gsize searched; /* bytes already searched for a newline */
} CuredLines;

typedef enum
{
  CURED_LINES_MORE,
  CURED_LINES_NOTHING, /* a non-blocking descriptor has no data now */
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
