/* SPDX-License-Identifier: MIT
 * What the library alone calls. */
#pragma once

#include "sass/cured-sass.h"

GArray *cured_sass_list_shared (GBytes *cubin, const char *entry, GError **error);
