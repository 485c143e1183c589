/* SPDX-License-Identifier: MIT
 * The application as tests/gui/monkey drives it: held in one folder, and telling which actions and
 * windows were reached.
 *
 * usage: monkey-window FOLDER [FILE…]
 *
 * It can write nothing outside of FOLDER, nor can what it starts. It exits with 77 where the kernel
 * can't hold it there. It answers lines on its standard input: "report" by what was reached until
 * now and what is held, "open PATH" by opening a file, "activate NAME" by an action of the window
 * in front, "close" by a new window in the place of all others. */
#include <config.h>

#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <locale.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <adwaita.h>
#include <glib-unix.h>

#include "app/cured-gui-app.h"

#define NO_CONFINEMENT 77

/* Confinement: what changes files, as far as this kernel knows it. Headers may be older. */

#define WRITE_FILE (1ull << 1)
/* From the removal of folders to the making of symbolic links. */
#define CHANGE_FOLDERS (((1ull << 13) - 1) & ~((1ull << 4) - 1))
#define REFER          (1ull << 13)
#define TRUNCATE       (1ull << 14)

static gboolean
allow (int rules, const char *path, guint64 access)
{
  struct landlock_path_beneath_attr rule = { .allowed_access = access };

  rule.parent_fd = open (path, O_PATH | O_CLOEXEC);
  gboolean is_allowed = rule.parent_fd >= 0 && syscall (SYS_landlock_add_rule, rules,
                                                        LANDLOCK_RULE_PATH_BENEATH, &rule, 0) == 0;
  if (rule.parent_fd >= 0)
    close (rule.parent_fd);
  return is_allowed;
}

static gboolean
confine (const char *folder)
{
  long version = syscall (SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
  guint64 access =
      WRITE_FILE | CHANGE_FOLDERS | (version >= 2 ? REFER : 0) | (version >= 3 ? TRUNCATE : 0);
  struct landlock_ruleset_attr attributes = { .handled_access_fs = access };

  if (version < 1)
    return FALSE;
  int rules = (int) syscall (SYS_landlock_create_ruleset, &attributes,
                             sizeof attributes.handled_access_fs, 0);
  gboolean is_confined = rules >= 0 && allow (rules, folder, access) &&
                         allow (rules, "/dev", WRITE_FILE) &&
                         prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
                         syscall (SYS_landlock_restrict_self, rules, 0) == 0;
  if (rules >= 0)
    close (rules);
  return is_confined;
}

/* Where a message comes from, below it. */

extern void __sanitizer_print_stack_trace (void) __attribute__ ((weak));

/* GTK names a widget by type and address: where is it? */
static void
print_place (const GLogField *field)
{
  const char *address = field->length < 0 ? strstr (field->value, " 0x") : NULL;
  gpointer named = NULL;

  if (address == NULL || sscanf (address, "%p", &named) != 1)
    return;
  g_printerr ("it is");
  for (GtkWidget *widget = named; widget != NULL; widget = gtk_widget_get_parent (widget))
    {
      const char *id = gtk_buildable_get_buildable_id (GTK_BUILDABLE (widget));

      g_printerr (" < %s", G_OBJECT_TYPE_NAME (widget));
      if (id != NULL)
        g_printerr (" “%s”", id);
    }
  g_printerr ("\n");
}

/* How many of @frames are the window's own: neither these of the log, which are the first, nor
 * main. A sanitizer's come before these. */
static guint
count_own (void *const *frames, int n_frames)
{
  Dl_info here, info;
  gboolean has_begun = FALSE, is_log = TRUE;
  guint n_own = 0;

  if (dladdr (__func__, &here) == 0)
    return G_MAXUINT;
  for (int i = 0; i < n_frames; i++)
    {
      gboolean is_own = dladdr (frames[i], &info) != 0 && info.dli_fbase == here.dli_fbase &&
                        !(info.dli_sname != NULL && (g_str_equal (info.dli_sname, "main") ||
                                                     g_str_equal (info.dli_sname, "_start")));

      if (!is_own)
        is_log = !has_begun;
      else if (!is_log)
        n_own++;
      has_begun |= is_own;
    }
  return n_own;
}

static GLogWriterOutput
write_log (GLogLevelFlags level, const GLogField *fields, gsize n_fields, gpointer user_data)
{
  void *frames[256];
  GLogWriterOutput output = g_log_writer_default (level, fields, n_fields, user_data);

  if (level > G_LOG_LEVEL_WARNING)
    return output;
  int n_frames = backtrace (frames, G_N_ELEMENTS (frames));
  /* It says whose a message is, and comes right after it. */
  g_printerr ("frames of the window: %u\n", count_own (frames, n_frames));
  for (gsize i = 0; i < n_fields; i++)
    if (g_str_equal (fields[i].key, "MESSAGE") &&
        (strstr (fields[i].value, "Trying to snapshot ") != NULL ||
         strstr (fields[i].value, " minimum height ") != NULL ||
         strstr (fields[i].value, " minimum width ") != NULL))
      print_place (&fields[i]);
  if (__sanitizer_print_stack_trace != NULL)
    __sanitizer_print_stack_trace ();
  else
    backtrace_symbols_fd (frames, MIN (n_frames, 40), STDERR_FILENO);
  return output;
}

/* A crash tells where, too; sanitizers do so by themselves, but for SIGABRT, which asks where the
 * window is stuck. */
static void
crash_cb (int number)
{
  void *frames[60];

  backtrace_symbols_fd (frames, backtrace (frames, G_N_ELEMENTS (frames)), STDERR_FILENO);
  signal (number, SIG_DFL);
  raise (number);
}

static void
trace_crashes (void)
{
  static const int numbers[] = { SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGFPE };
  gsize n = __sanitizer_print_stack_trace != NULL ? 1 : G_N_ELEMENTS (numbers);
  void *frame;

  /* Nothing is to be loaded in the handler. */
  backtrace (&frame, 1);
  for (gsize i = 0; i < n; i++)
    signal (numbers[i], crash_cb);
}

/* What was reached: how often each action was used, and at how many looks each window was seen. */

typedef struct
{
  GtkWidgetActionActivateFunc call;
} Callback;

static GHashTable *callbacks; /* name → Callback */
static GHashTable *actions;   /* name → count */
static GHashTable *windows;   /* what is seen → count */

static void
count (GHashTable *counts, const char *name, guint by)
{
  guint known = GPOINTER_TO_UINT (g_hash_table_lookup (counts, name));

  g_hash_table_insert (counts, g_strdup (name), GUINT_TO_POINTER (known + by));
}

static void
counting_cb (GtkWidget *widget, const char *name, GVariant *parameter)
{
  const Callback *callback = g_hash_table_lookup (callbacks, name);

  count (actions, name, 1);
  callback->call (widget, name, parameter);
}

/* The linker puts these in the place of GTK's, for the window's own classes. */

void __real_gtk_widget_class_install_action (GtkWidgetClass *klass, const char *name,
                                             const char *parameter_type,
                                             GtkWidgetActionActivateFunc callback);
void __wrap_gtk_widget_class_install_action (GtkWidgetClass *klass, const char *name,
                                             const char *parameter_type,
                                             GtkWidgetActionActivateFunc callback);

void
__wrap_gtk_widget_class_install_action (GtkWidgetClass *klass, const char *name,
                                        const char *parameter_type,
                                        GtkWidgetActionActivateFunc callback)
{
  Callback *known = g_new (Callback, 1);

  /* Names are of one class each: the callback is found by them. */
  g_assert_false (g_hash_table_contains (callbacks, name));
  known->call = callback;
  g_hash_table_insert (callbacks, g_strdup (name), known);
  count (actions, name, 0);
  __real_gtk_widget_class_install_action (klass, name, parameter_type, counting_cb);
}

static gboolean
action_hook (GSignalInvocationHint *hint, guint n_values, const GValue *values, gpointer user_data)
{
  count (actions, g_action_get_name (g_value_get_object (&values[0])), 1);
  return TRUE;
}

static void
hook (const char *signal)
{
  g_type_class_unref (g_type_class_ref (G_TYPE_SIMPLE_ACTION));
  g_signal_add_emission_hook (g_signal_lookup (signal, G_TYPE_SIMPLE_ACTION), 0, action_hook, NULL,
                              NULL);
}

static AdwViewStack *
find_views (GtkWidget *widget)
{
  AdwViewStack *found = NULL;

  if (ADW_IS_VIEW_STACK (widget))
    return ADW_VIEW_STACK (widget);
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL && found == NULL;
       child = gtk_widget_get_next_sibling (child))
    found = find_views (child);
  return found;
}

static char *
describe (GtkWidget *window)
{
  const char *type = G_OBJECT_TYPE_NAME (window);

  if (CURED_IS_WINDOW (window))
    {
      /* None, while the last one is dragged. */
      CuredTab *tab = cured_window_get_tab (CURED_WINDOW (window));
      const char *view = tab != NULL ? cured_tab_get_view_name (tab) : "empty";
      AdwViewStack *views = g_str_equal (view, "result") ? find_views (GTK_WIDGET (tab)) : NULL;

      if (views != NULL)
        view = adw_view_stack_get_visible_child_name (views);
      return g_strdup_printf ("%s: %s", type, view);
    }
  if (ADW_IS_MESSAGE_DIALOG (window))
    return g_strdup_printf ("%s: %s", type,
                            adw_message_dialog_get_heading (ADW_MESSAGE_DIALOG (window)));
  return g_strdup (type);
}

static gboolean
look (gpointer user_data)
{
  g_autoptr (GList) all = gtk_window_list_toplevels ();

  for (GList *l = all; l != NULL; l = l->next)
    if (gtk_widget_get_mapped (l->data))
      {
        g_autofree char *seen = describe (l->data);

        count (windows, seen, 1);
      }
  return G_SOURCE_CONTINUE;
}

static void
print_counts (const char *what, GHashTable *counts)
{
  GHashTableIter iter;
  gpointer name, value;

  g_hash_table_iter_init (&iter, counts);
  while (g_hash_table_iter_next (&iter, &name, &value))
    g_print ("%s\t%s\t%u\n", what, (const char *) name, GPOINTER_TO_UINT (value));
}

static void
print_accelerators (GtkApplication *application)
{
  g_auto (GStrv) names = gtk_application_list_action_descriptions (application);

  for (char **name = names; *name != NULL; name++)
    {
      g_auto (GStrv) accels = gtk_application_get_accels_for_action (application, *name);

      for (char **accel = accels; *accel != NULL; accel++)
        g_print ("accelerator\t%s\t%s\n", *name, *accel);
    }
}

/* Of an address or memory sanitizer, which has an allocator of its own; or NULL. */
extern size_t __sanitizer_get_current_allocated_bytes (void) __attribute__ ((weak));

static void
print_held (GtkApplication *application)
{
  struct mallinfo2 info = mallinfo2 ();
  gsize n_bytes = __sanitizer_get_current_allocated_bytes != NULL
                      ? __sanitizer_get_current_allocated_bytes ()
                      : info.uordblks + info.hblkhd;
  guint n_windows = 0, n_tabs = 0;

  for (GList *l = gtk_application_get_windows (application); l != NULL; l = l->next)
    if (CURED_IS_WINDOW (l->data))
      {
        n_windows++;
        n_tabs += cured_window_get_n_tabs (l->data);
      }
  g_print ("held\twindows\t%u\n", n_windows);
  g_print ("held\ttabs\t%u\n", n_tabs);
  g_print ("held\tKiB\t%" G_GSIZE_FORMAT "\n", n_bytes / 1024);
}

/* No question appears; dialogs take it for a no. */
static void
close_all (GtkApplication *application)
{
  g_autoptr (GPtrArray) all = g_ptr_array_new_with_free_func (g_object_unref);

  for (GList *l = gtk_application_get_windows (application); l != NULL; l = l->next)
    g_ptr_array_add (all, g_object_ref (l->data));
  g_action_group_activate_action (G_ACTION_GROUP (application), "new-window", NULL);
  for (guint i = 0; i < all->len; i++)
    if (CURED_IS_WINDOW (all->pdata[i]))
      gtk_window_destroy (all->pdata[i]);
    else
      gtk_window_close (all->pdata[i]);
}

/* What of @widget is seen and has the action, which a menu could name. */
static GtkWidget *
find_owner (GtkWidget *widget, const char *name, const GVariantType **type)
{
  GtkWidgetClass *klass = GTK_WIDGET_GET_CLASS (widget);
  GType owner;
  const char *action, *property;
  GtkWidget *found = NULL;

  for (guint i = 0; gtk_widget_class_query_action (klass, i, &owner, &action, type, &property); i++)
    if (g_str_equal (action, name))
      return widget;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL && found == NULL;
       child = gtk_widget_get_next_sibling (child))
    if (gtk_widget_get_mapped (child))
      found = find_owner (child, name, type);
  return found;
}

/* As by a menu of the window in front: name, a tab, and what the action gets where it takes a
 * text. */
static void
activate (const char *text)
{
  g_auto (GStrv) words = g_strsplit (text, "\t", 2);
  g_autoptr (GList) all = gtk_window_list_toplevels ();

  for (GList *l = all; l != NULL; l = l->next)
    {
      const GVariantType *type = NULL;
      GtkWidget *owner =
          gtk_window_is_active (l->data) ? find_owner (l->data, words[0], &type) : NULL;

      if (owner == NULL)
        continue;
      gtk_widget_activate_action_variant (owner, words[0],
                                          type != NULL ? g_variant_new_string (words[1]) : NULL);
      return;
    }
}

static void
answer (GtkApplication *application, const char *line)
{
  if (g_str_has_prefix (line, "open "))
    {
      g_autoptr (GFile) file = g_file_new_for_path (line + strlen ("open "));

      /* Without a window, it may be on its way out. */
      if (g_application_get_is_registered (G_APPLICATION (application)))
        g_application_open (G_APPLICATION (application), &file, 1, "");
      return;
    }
  if (g_str_has_prefix (line, "activate "))
    {
      activate (line + strlen ("activate "));
      return;
    }
  if (g_str_equal (line, "close"))
    {
      close_all (application);
      return;
    }
  print_held (application);
  print_accelerators (application);
  print_counts ("action", actions);
  print_counts ("window", windows);
  g_print ("answered\n");
}

static gboolean
input_cb (GIOChannel *channel, GIOCondition condition, gpointer application)
{
  g_autofree char *line = NULL;
  gsize end = 0;

  if (g_io_channel_read_line (channel, &line, NULL, &end, NULL) != G_IO_STATUS_NORMAL)
    {
      /* Whoever drives it has gone. */
      g_application_quit (application);
      return G_SOURCE_REMOVE;
    }
  line[end] = '\0';
  answer (application, line);
  return G_SOURCE_CONTINUE;
}

int
main (int argc, char **argv)
{
  g_autoptr (GIOChannel) input = g_io_channel_unix_new (STDIN_FILENO);

  if (argc < 2)
    {
      g_printerr ("usage: monkey-window FOLDER [FILE…]\n");
      return 2;
    }
  if (!confine (argv[1]))
    {
      g_printerr (
          "skipped: this kernel has no Landlock, so that the window could write anywhere\n");
      return NO_CONFINEMENT;
    }
  setlocale (LC_ALL, "");
  trace_crashes ();
  g_log_set_writer_func (write_log, NULL, NULL);
  callbacks = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  actions = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  windows = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  hook ("activate");
  hook ("change-state");

  g_autoptr (CuredApplication) application = cured_application_new ();
  g_io_add_watch (input, G_IO_IN | G_IO_HUP, input_cb, application);
  g_timeout_add (100, look, NULL);
  argv[1] = argv[0];
  int status = g_application_run (G_APPLICATION (application), argc - 1, argv + 1);
  g_hash_table_unref (callbacks);
  g_hash_table_unref (actions);
  g_hash_table_unref (windows);
  return status;
}
