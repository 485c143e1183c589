/* SPDX-License-Identifier: MIT
 * The application: windows, preferences and what belongs to all windows. */
#pragma once

#include <adwaita.h>

#define CURED_TYPE_APPLICATION (cured_application_get_type ())
G_DECLARE_FINAL_TYPE (CuredApplication, cured_application, CURED, APPLICATION, AdwApplication)

CuredApplication *cured_application_new (void);
