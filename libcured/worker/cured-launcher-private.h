/* SPDX-License-Identifier: MIT
 * What the tests ask of a launcher. */
#pragma once

#include "worker/cured-launcher.h"

G_BEGIN_DECLS

GPtrArray *_cured_launcher_read_devices (const char *text, GError **error);

G_END_DECLS
