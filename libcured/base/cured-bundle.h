/* SPDX-License-Identifier: MIT
 * What an archive of dev/bundle brings along, in place of the machine's. */
#pragma once

#include <glib.h>

void cured_bundle_use (void);
const char *cured_bundle_get_locale_folder (void);
