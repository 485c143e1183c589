/* SPDX-License-Identifier: MIT
 * The application: windows, preferences and actions shared by all windows. */
#include <config.h>

#include "app/cured-gui-app.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif

struct _CuredApplication
{
  AdwApplication parent_instance;
};

CURED_DEFINE_PLAIN_TYPE (CuredApplication, cured_application, ADW_TYPE_APPLICATION)

static const struct
{
  const char *id;
  AdwColorScheme scheme;
} colour_schemes[] = {
  { "system", ADW_COLOR_SCHEME_DEFAULT },
  { "light", ADW_COLOR_SCHEME_FORCE_LIGHT },
  { "dark", ADW_COLOR_SCHEME_FORCE_DARK },
};

static void
apply_colour_scheme (const char *id)
{
  for (gsize i = 0; i < G_N_ELEMENTS (colour_schemes); i++)
    if (g_str_equal (colour_schemes[i].id, id))
      adw_style_manager_set_color_scheme (adw_style_manager_get_default (),
                                          colour_schemes[i].scheme);
}

static void
colour_scheme_changed_cb (GSimpleAction *action, GVariant *value, gpointer user_data)
{
  const char *id = g_variant_get_string (value, NULL);

  apply_colour_scheme (id);
  g_simple_action_set_state (action, value);
  cured_settings_set_string ("colour-scheme", id);
}

static CuredWindow *
new_window (CuredApplication *self)
{
  return cured_window_new (GTK_APPLICATION (self));
}

static void
new_window_cb (GSimpleAction *action, GVariant *parameter, gpointer user_data)
{
  gtk_window_present (GTK_WINDOW (new_window (user_data)));
}

static void
help_cb (GSimpleAction *action, GVariant *parameter, gpointer user_data)
{
  GtkApplication *self = user_data;
  GtkWindow *help = NULL;

  for (GList *l = gtk_application_get_windows (self); l != NULL; l = l->next)
    if (CURED_IS_HELP (l->data))
      help = l->data;
  if (help == NULL)
    help = GTK_WINDOW (cured_help_new (self));
  gtk_window_present (help);
}

static void
preferences_cb (GSimpleAction *action, GVariant *parameter, gpointer user_data)
{
  gtk_window_present (
      GTK_WINDOW (cured_preferences_new (gtk_application_get_active_window (user_data))));
}

static void
copy_version_cb (GtkWidget *button)
{
  gdk_clipboard_set_text (gtk_widget_get_clipboard (button), "Cured " CURED_VERSION);
}

/* The button that copies the version shows an AdwToast, and dismissing one while it is being
 * replaced crashes libadwaita 1.2. */
static void
copy_without_toast (GtkWidget *widget)
{
  if (GTK_IS_BUTTON (widget) && g_strcmp0 (gtk_actionable_get_action_name (GTK_ACTIONABLE (widget)),
                                           "about.copy-property") == 0)
    {
      gtk_actionable_set_action_name (GTK_ACTIONABLE (widget), NULL);
      g_signal_connect (widget, "clicked", G_CALLBACK (copy_version_cb), NULL);
    }
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    copy_without_toast (child);
}

static void
about_cb (GSimpleAction *action, GVariant *parameter, gpointer user_data)
{
  GtkApplication *self = user_data;
  GtkWidget *about = g_object_new (
      ADW_TYPE_ABOUT_WINDOW, "transient-for", gtk_application_get_active_window (self),
      "application-name", _ ("Cured"), "application-icon", CURED_APP_ID, "version", CURED_VERSION,
      "developer-name", _ ("The Cured authors"), "comments",
      _ ("Shows how a CUDA kernel's time depends on its tile size and block count."),
      "license-type", GTK_LICENSE_MIT_X11,
      /* Translators: your name and address, one translator a line. */
      "translator-credits", _ ("translator-credits"), NULL);

  copy_without_toast (about);
  gtk_window_present (GTK_WINDOW (about));
}

/* Windows with a running sweep ask before closing; the application ends with the last window. */
static void
quit_cb (GSimpleAction *action, GVariant *parameter, gpointer user_data)
{
  GList *windows = g_list_copy (gtk_application_get_windows (user_data));

  /* Some are closed together with their parent. */
  g_list_foreach (windows, (GFunc) (void (*) (void)) g_object_ref, NULL);
  for (GList *l = windows; l != NULL; l = l->next)
    gtk_window_close (l->data);
  g_list_free_full (windows, g_object_unref);
}

static const GActionEntry actions[] = {
  { "new-window", new_window_cb },
  { "help", help_cb },
  { "about", about_cb },
  { "preferences", preferences_cb },
  { "quit", quit_cb },
  { "colour-scheme", NULL, "s", "'system'", colour_scheme_changed_cb },
};

static const struct
{
  const char *action, *accels[4];
} shortcuts[] = {
  { "app.new-window", { "<Control><Shift>n" } },
  { "app.quit", { "<Control>q" } },
  { "app.preferences", { "<Control>comma" } },
  { "window.close", { "<Control><Shift>w" } },
  { "win.new-tab", { "<Control>t" } },
  { "win.close-tab", { "<Control>w" } },
  { "win.reopen-tab", { "<Control><Shift>t" } },
  { "app.help", { "F1" } },
  { "win.show-help-overlay", { "<Control>question" } },
  { "win.open", { "<Control>o" } },
  { "win.save", { "<Control>s" } },
  { "win.new-sweep", { "<Control>n" } },
  { "win.run-again", { "<Control>r", "F5" } },
  { "win.rerun-cells", { "<Control><Shift>r" } },
  { "win.run-finer", { "<Control><Shift>f" } },
  { "win.pause-sweep", { "<Control><Shift>p" } },
  { "win.cancel-sweep", { "<Control><Shift>x" } },
  { "win.go-to-fastest", { "<Control>b" } },
  { "win.export", { "<Control>e" } },
  { "win.export-options", { "<Control><Shift>e" } },
  { "win.copy-picture", { "<Control><Shift>c" } },
  { "win.copy-table", { "<Control><Alt>c" } },
  { "win.print", { "<Control>p" } },
  { "win.find-kernel", { "<Control>k" } },
  { "win.show-sidebar", { "F8" } },
  { "win.show-details", { "F9" } },
  { "win.next-pane", { "F6" } },
  { "win.previous-pane", { "<Shift>F6" } },
  { "win.show-view::map", { "<Alt>1", "<Alt>KP_1" } },
  { "win.show-view::banks", { "<Alt>2", "<Alt>KP_2" } },
  { "win.show-view::ladder", { "<Alt>3", "<Alt>KP_3" } },
  { "win.show-view::source", { "<Alt>4", "<Alt>KP_4" } },
  { "win.show-view::compare", { "<Alt>5", "<Alt>KP_5" } },
  { "win.swap-axes", { "<Control><Shift>a" } },
  { "win.zoom-in", { "<Control>plus", "<Control>equal", "<Control>KP_Add" } },
  { "win.zoom-out", { "<Control>minus", "<Control>KP_Subtract" } },
  { "win.zoom-reset", { "<Control>0", "<Control>KP_0" } },
};

static void
cured_application_startup (GApplication *application)
{
  GtkApplication *self = GTK_APPLICATION (application);
  g_autofree char *scheme = cured_settings_get_string ("colour-scheme");

  G_APPLICATION_CLASS (cured_application_parent_class)->startup (application);
  gtk_window_set_default_icon_name (CURED_APP_ID);
  cured_format_set_digits ((guint) cured_settings_get_int ("digits", CURED_DIGITS));

  g_action_map_add_action_entries (G_ACTION_MAP (self), actions, G_N_ELEMENTS (actions), self);
  for (gsize i = 0; i < G_N_ELEMENTS (shortcuts); i++)
    gtk_application_set_accels_for_action (self, shortcuts[i].action, shortcuts[i].accels);

  if (scheme != NULL)
    g_action_group_change_action_state (G_ACTION_GROUP (self), "colour-scheme",
                                        g_variant_new_string (scheme));
}

/* Ctrl+W closes a tab in windows with tabs, and the window otherwise. */
static void
cured_application_window_added (GtkApplication *application, GtkWindow *window)
{
  GTK_APPLICATION_CLASS (cured_application_parent_class)->window_added (application, window);
  if (CURED_IS_WINDOW (window))
    return;
  GtkEventController *keys = gtk_shortcut_controller_new ();
  gtk_shortcut_controller_add_shortcut (
      GTK_SHORTCUT_CONTROLLER (keys),
      gtk_shortcut_new (gtk_keyval_trigger_new (GDK_KEY_w, GDK_CONTROL_MASK),
                        gtk_named_action_new ("window.close")));
  gtk_widget_add_controller (GTK_WIDGET (window), keys);
}

static void
cured_application_activate (GApplication *application)
{
  GtkWindow *window = gtk_application_get_active_window (GTK_APPLICATION (application));

  if (window == NULL)
    window = GTK_WINDOW (new_window (CURED_APPLICATION (application)));
  gtk_window_present (window);
}

static void
cured_application_open (GApplication *application, GFile **files, int n_files, const char *hint)
{
  for (int i = 0; i < n_files; i++)
    cured_window_open_somewhere (GTK_APPLICATION (application), files[i]);
  /* Selects the first one. */
  if (n_files > 1)
    cured_window_open_somewhere (GTK_APPLICATION (application), files[0]);
}

static void
cured_application_class_init (CuredApplicationClass *klass)
{
  GApplicationClass *application_class = G_APPLICATION_CLASS (klass);

  application_class->startup = cured_application_startup;
  application_class->activate = cured_application_activate;
  application_class->open = cured_application_open;
  GTK_APPLICATION_CLASS (klass)->window_added = cured_application_window_added;
}

/* Creates the application without registering it. The resource path is the same in every build
 * profile. Returns: (transfer full): the application */
CuredApplication *
cured_application_new (void)
{
#ifdef __GLIBC__
  /* Compiling and loading run in separate threads. The C library gives each its own arena, which
   * keeps its memory after the thread has ended, so closed windows would still occupy memory.
   * Images of a frame stay on the heap, since mapping and unmapping their pages each time took
   * longer than drawing. Memory of a closed tab is returned when it is finalized. */
  mallopt (M_ARENA_MAX, 2);
  mallopt (M_MMAP_THRESHOLD, 8 * 1024 * 1024);
  mallopt (M_TRIM_THRESHOLD, 32 * 1024 * 1024);
#endif
  return g_object_new (CURED_TYPE_APPLICATION, "application-id", CURED_APP_ID, "flags",
                       G_APPLICATION_HANDLES_OPEN, "resource-base-path", "/io/github/cured/Cured",
                       NULL);
}
