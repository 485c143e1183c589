/* SPDX-License-Identifier: MIT
 * Items of menus: names, and the files that were opened last. */
#pragma once

#include <gtk/gtk.h>

void cured_menu_append_name (GMenu *menu, const char *name, const char *action, const char *target);
GPtrArray *cured_menu_list_recent (const char *const *suffixes);
