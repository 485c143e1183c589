/* SPDX-License-Identifier: MIT
 * Functions on launchers that only this stage needs. */
#pragma once

#include "worker/cured-launcher.h"

/* The exit status of a shell that does not find a program. */
#define CURED_LAUNCHER_NO_PROGRAM 127

GPtrArray *_cured_launcher_read_devices (const char *text, GError **error);
