/* SPDX-License-Identifier: MIT
 * Several devices, opened and closed at the same time. */
#pragma once

#include "cured-cli.h"

G_BEGIN_DECLS

typedef struct _CuredCliOpening CuredCliOpening;
typedef GPtrArray CuredCliDevices; /* (element-type CuredDevice) */

CuredCliOpening *cured_cli_opening_new (char **command, const char *id);
void cured_cli_opening_free (gpointer opening);
CuredCliDevices *cured_cli_open_all (GPtrArray *openings, GError **error);
void cured_cli_devices_close (CuredCliDevices *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredCliDevices, cured_cli_devices_close)

G_END_DECLS
