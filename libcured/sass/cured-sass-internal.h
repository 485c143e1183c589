/* SPDX-License-Identifier: MIT
 * What the library alone calls. */
#pragma once

#include "sass/cured-sass.h"

G_BEGIN_DECLS

GArray *cured_sass_list_shared (GBytes *cubin, const char *entry, GError **error);

G_END_DECLS
