/* SPDX-License-Identifier: MIT
 * Devices here and elsewhere, opened and closed at the same time. */
#pragma once

#include "cured-cli.h"

/* Places of devices. */
typedef struct
{
  char **launchers; /* nullable: commands that run “cured” elsewhere */
  gboolean push;    /* copy this program there first, if it is missing */
} CuredCliPlaces;

extern CuredCliPlaces cured_cli_places;
extern const CuredCliOption cured_cli_place_rows[];

gboolean cured_cli_check_places (void);
char **cured_cli_launch_worker (const char *launcher, GError **error);

typedef struct _CuredCliOpening CuredCliOpening;
typedef GPtrArray CuredCliDevices; /* (element-type CuredDevice) */

CuredCliOpening *cured_cli_opening_new (char **command, const char *id);
void cured_cli_opening_free (gpointer opening);
CuredCliDevices *cured_cli_open_all (GPtrArray *openings, GError **error);
void cured_cli_devices_close (CuredCliDevices *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredCliDevices, cured_cli_devices_close)
