/* SPDX-License-Identifier: MIT
 * The error domain of the whole library. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * CURED_ERROR:
 *
 * Error domain of libcured. Cancellation is `G_IO_ERROR_CANCELLED`, and errors
 * of the operating system keep GIO's domain.
 */
#define CURED_ERROR (cured_error_quark ())

/**
 * CuredError:
 * @CURED_ERROR_SYNTAX: a text can't be parsed; the message has file and line
 * @CURED_ERROR_INVALID: a text was parsed and breaks a rule
 * @CURED_ERROR_OVERFLOW: a number does not fit
 * @CURED_ERROR_NOT_FOUND: no kernel, parameter, metric or device of that name
 * @CURED_ERROR_NOT_LAUNCHABLE: the device's limits forbid the launch
 * @CURED_ERROR_NO_DEVICE: no such device on this machine, or no driver for it
 * @CURED_ERROR_NO_COMPILER: NVRTC was not found
 * @CURED_ERROR_COMPILE: NVRTC refused the source; the message is its log
 * @CURED_ERROR_DEVICE: a device call failed; the device can still be used
 * @CURED_ERROR_STICKY: the device context is lost; the process has to end
 * @CURED_ERROR_CRASHED: the worker process died
 * @CURED_ERROR_TIMED_OUT: a time limit was exceeded
 * @CURED_ERROR_PROTOCOL: the other process said something unexpected
 * @CURED_ERROR_FOREIGN: the file is not a Cured result file
 * @CURED_ERROR_NEWER: the file was written by a later version of Cured
 * @CURED_ERROR_DAMAGED: the file is cut or damaged
 * @CURED_ERROR_STORAGE: writing failed (disk full, read-only, permissions)
 */
typedef enum
{
  CURED_ERROR_SYNTAX,
  CURED_ERROR_INVALID,
  CURED_ERROR_OVERFLOW,
  CURED_ERROR_NOT_FOUND,
  CURED_ERROR_NOT_LAUNCHABLE,
  CURED_ERROR_NO_DEVICE,
  CURED_ERROR_NO_COMPILER,
  CURED_ERROR_COMPILE,
  CURED_ERROR_DEVICE,
  CURED_ERROR_STICKY,
  CURED_ERROR_CRASHED,
  CURED_ERROR_TIMED_OUT,
  CURED_ERROR_PROTOCOL,
  CURED_ERROR_FOREIGN,
  CURED_ERROR_NEWER,
  CURED_ERROR_DAMAGED,
  CURED_ERROR_STORAGE,
} CuredError;

GQuark cured_error_quark (void);

G_END_DECLS
