/* SPDX-License-Identifier: MIT
 * The short manual: what the window shows, and what its figures mean. */
#pragma once

#include <adwaita.h>

#define CURED_TYPE_HELP (cured_help_get_type ())
G_DECLARE_FINAL_TYPE (CuredHelp, cured_help, CURED, HELP, AdwWindow)

CuredHelp *cured_help_new (GtkApplication *application);
