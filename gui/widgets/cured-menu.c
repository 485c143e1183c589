/* SPDX-License-Identifier: MIT
 * Menu items, and recently opened files. */
#include <config.h>

#include "widgets/cured-gui-widgets.h"

/* Appends an item with @name, whose underscores make no mnemonic. */
void
cured_menu_append_name (GMenu *menu, const char *name, const char *action, const char *target)
{
  g_auto (GStrv) parts = g_strsplit (name, "_", -1);
  g_autofree char *label = g_strjoinv ("__", parts);
  g_autoptr (GMenuItem) item = g_menu_item_new (label, NULL);

  g_menu_item_set_action_and_target (item, action, "s", target);
  g_menu_append_item (menu, item);
}

static int
compare_visited (gconstpointer a, gconstpointer b)
{
  GtkRecentInfo *info_a = *(GtkRecentInfo *const *) a;
  GtkRecentInfo *info_b = *(GtkRecentInfo *const *) b;

  return g_date_time_compare (gtk_recent_info_get_visited (info_b),
                              gtk_recent_info_get_visited (info_a));
}

/* @suffixes: (array zero-terminated=1): of the file names. Returns: (transfer full) (element-type
 * GtkRecentInfo): local files that still exist, most recent first */
GPtrArray *
cured_menu_list_recent (const char *const *suffixes)
{
  GList *items = gtk_recent_manager_get_items (gtk_recent_manager_get_default ());
  GPtrArray *recent = g_ptr_array_new_with_free_func ((GDestroyNotify) gtk_recent_info_unref);

  for (GList *l = items; l != NULL; l = l->next)
    for (gsize i = 0; suffixes[i] != NULL; i++)
      if (g_str_has_suffix (gtk_recent_info_get_uri (l->data), suffixes[i]) &&
          gtk_recent_info_is_local (l->data) && gtk_recent_info_exists (l->data))
        g_ptr_array_add (recent, gtk_recent_info_ref (l->data));
  g_list_free_full (items, (GDestroyNotify) gtk_recent_info_unref);
  g_ptr_array_sort (recent, compare_visited);
  return recent;
}
