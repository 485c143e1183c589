/* SPDX-License-Identifier: MIT
 * The names of a compiled image's kernels, behind its last byte. */
#pragma once

#include <glib.h>

GBytes *_cured_image_add_names (GBytes *image, const char *const *names);
char **_cured_image_list_names (GBytes *image);
char *_cured_image_find_symbol (GBytes *image, const char *entry);
