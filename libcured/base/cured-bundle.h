/* SPDX-License-Identifier: MIT
 * Files in archives of dev/bundle, which replace the machine's. */
#pragma once

#include <glib.h>

void cured_bundle_use (void);
const char *cured_bundle_get_locale_folder (void);
