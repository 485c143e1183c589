/* SPDX-License-Identifier: MIT
 * The error domain of the whole library. */
#pragma once

#include <glib.h>

/* Error domain of libcured. Cancellation is `G_IO_ERROR_CANCELLED`, and errors of the operating
 * system keep GIO's domain. */
#define CURED_ERROR (cured_error_quark ())

typedef enum
{
  CURED_ERROR_SYNTAX,    /* a text can't be parsed; cured_error_get_place() has file and line */
  CURED_ERROR_INVALID,   /* a text was parsed, but is invalid */
  CURED_ERROR_OVERFLOW,  /* a number does not fit */
  CURED_ERROR_NOT_FOUND, /* no kernel, parameter, metric or device of that name */
  CURED_ERROR_NOT_LAUNCHABLE, /* the device's limits forbid the launch */
  CURED_ERROR_NO_DEVICE,      /* no such device on this machine, or no driver for it */
  CURED_ERROR_NO_COMPILER,    /* NVRTC was not found */
  CURED_ERROR_COMPILE,        /* NVRTC refused the source; see cured_error_get_log() */
  CURED_ERROR_DEVICE,         /* a device call failed; the device can still be used */
  CURED_ERROR_STICKY,         /* the device context is lost; the process must end */
  CURED_ERROR_CRASHED,        /* the worker process died */
  CURED_ERROR_TIMED_OUT,      /* a time limit was exceeded */
  CURED_ERROR_PROTOCOL,       /* the other process sent something unexpected */
  CURED_ERROR_FOREIGN,        /* the file is not a Cured result file */
  CURED_ERROR_NEWER,          /* the file was written by a later version of Cured */
  CURED_ERROR_DAMAGED,        /* the file is truncated or damaged */
  CURED_ERROR_STORAGE,        /* writing failed (disk full, read-only, permissions) */
} CuredError;

/* The place of an error. */
typedef struct
{
  char *file; /* as named in the message */
  int line;   /* from 1 */
  int column; /* in bytes, from 1; 0: unknown */
  char *text; /* the message without the place, and without prefixes */
} CuredErrorPlace;

GQuark cured_error_quark (void);
gboolean cured_fail (GError **error, CuredError code, const char *format, ...) G_GNUC_PRINTF (3, 4);
void *cured_fail_null (GError **error, CuredError code, const char *format, ...)
    G_GNUC_PRINTF (3, 4);
gboolean cured_error_refuse (GError **error, const char *format, ...) G_GNUC_PRINTF (2, 3);
void cured_set_error_at (GError **error, CuredError code, const char *file, guint line,
                         guint column, const char *text);
void cured_error_set_place (GError *error, const char *file, guint line, guint column,
                            const char *text);
const CuredErrorPlace *cured_error_get_place (const GError *error);
void cured_error_set_log (GError *error, const char *log);
const char *cured_error_get_log (const GError *error);
