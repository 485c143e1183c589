/* SPDX-License-Identifier: MIT
 * Options: how verbs tell theirs, and those that several verbs have alike. */
#include "config.h"

#include <glib/gi18n.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cured-cli.h"

/* Set while cured_cli_list_entries() asks a verb what it has. */
static CuredCliEntryFunc lister;
static gpointer lister_data;

/* What the options below were given. */
static gboolean is_quiet;
static gboolean is_plain;
static gboolean is_coloured;
static char *colour_when;

void
cured_cli_add_entries (GOptionContext *context, const GOptionEntry *entries)
{
  if (lister == NULL)
    {
      g_option_context_add_main_entries (context, entries, GETTEXT_PACKAGE);
      return;
    }
  for (gsize i = 0; entries[i].long_name != NULL; i++)
    if ((entries[i].flags & G_OPTION_FLAG_HIDDEN) == 0)
      lister (&entries[i], lister_data);
}

void
cured_cli_list_entries (const CuredVerb *verb, CuredCliEntryFunc func, gpointer user_data)
{
  g_autoptr (GOptionContext) context = g_option_context_new (NULL);
  char *words[] = { (char *) verb->name, NULL };

  lister = func;
  lister_data = user_data;
  verb->run (context, 1, words);
  lister = NULL;
}

/* Returns whether --quiet was given: nothing is printed but errors. */
gboolean
cured_cli_is_quiet (void)
{
  return is_quiet;
}

void
cured_cli_add_colour (GOptionContext *context)
{
  const GOptionEntry entries[] = {
    { "color", 0, 0, G_OPTION_ARG_STRING, &colour_when,
      N_ ("Colours: auto, always or never [auto]"), N_ ("WHEN") },
    { "colour", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_NONE, &is_coloured, NULL, NULL },
    { "plain", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_NONE, &is_plain, NULL, NULL },
    G_OPTION_ENTRY_NULL,
  };

  cured_cli_add_entries (context, entries);
}

/* What --color says, or else the terminal and NO_COLOR (https://no-color.org). */
gboolean
cured_cli_get_colour (gboolean *colour)
{
  const char *when = colour_when;

  if (is_plain + is_coloured + (when != NULL) > 1)
    {
      cured_cli_fail (_ ("--color, --colour (always) and --plain (never) exclude each other"));
      return FALSE;
    }
  if (when == NULL)
    when = is_plain ? "never" : is_coloured ? "always" : "auto";
  if (g_str_equal (when, "auto"))
    *colour = cured_cli_wants_colour (STDOUT_FILENO);
  else if (g_str_equal (when, "always") || g_str_equal (when, "never"))
    *colour = when[0] == 'a';
  else
    {
      cured_cli_fail (_ ("--color: “%s” is not one of auto, always and never"), when);
      return FALSE;
    }
  return TRUE;
}

static void
ignore_cb (const char *text)
{
}

/* Parses the options. `--help` is answered here and ends the process. A wrong option is reported
 * on standard error. */
gboolean
cured_cli_parse (GOptionContext *context, const GOptionEntry *entries, int *argc, char ***argv)
{
  static const GOptionEntry common[] = {
    { "quiet", 'q', 0, G_OPTION_ARG_NONE, &is_quiet, N_ ("Print errors only"), NULL },
    G_OPTION_ENTRY_NULL,
  };
  g_autoptr (GError) error = NULL;

  cured_cli_add_entries (context, entries);
  cured_cli_add_entries (context, common);
  if (lister != NULL)
    return FALSE;
  if (g_option_context_parse (context, argc, argv, &error))
    {
      /* “--” only ends the options; what follows it is an argument. */
      if (*argc > 1 && g_str_equal ((*argv)[1], "--"))
        {
          for (int i = 1; i + 1 < *argc; i++)
            (*argv)[i] = (*argv)[i + 1];
          (*argc)--;
        }
      if (is_quiet)
        g_set_print_handler (ignore_cb);
      return TRUE;
    }
  for (int i = 1; error->domain == G_CONVERT_ERROR && i < *argc; i++)
    if (!g_utf8_validate ((*argv)[i], -1, NULL))
      {
        g_autofree char *argument = g_filename_display_name ((*argv)[i]);

        /* GLib's message does not say of which. */
        g_prefix_error (&error, "“%s”: ", argument);
        break;
      }
  cured_cli_fail (_ ("%s; “%s --help” lists the options"), error->message, g_get_prgname ());
  return FALSE;
}

/* Returns FALSE after a message: the option would do nothing. */
gboolean
cured_cli_check_with (gboolean is_given, const char *option, gboolean has_other, const char *other)
{
  if (!is_given || has_other)
    return TRUE;
  /* Translators: two options, such as --dark and -o OUT. */
  cured_cli_fail (_ ("%s goes with %s"), option, other);
  return FALSE;
}

static gboolean
is_same_file (const GStatBuf *status, const char *path)
{
  GStatBuf other;

  return g_stat (path, &other) == 0 && other.st_dev == status->st_dev &&
         other.st_ino == status->st_ino;
}

/* A device or a pipe is no file that is replaced. */
gboolean
cured_cli_check_output (const char *output, char **inputs, gboolean force)
{
  g_autofree char *name = NULL;
  GStatBuf status;

  if (output == NULL)
    return TRUE;
  name = g_filename_display_name (output);
  if (*output == '\0')
    cured_cli_fail (_ ("-o: expected the name of a file"));
  else if (g_stat (output, &status) != 0)
    {
      g_autofree char *folder = g_path_get_dirname (output);
      g_autofree char *folder_name = g_filename_display_name (folder);

      if (g_file_test (folder, G_FILE_TEST_IS_DIR))
        return TRUE;
      cured_cli_fail (_ ("%s can't be written: there is no folder %s"), name, folder_name);
    }
  else if (S_ISDIR (status.st_mode))
    cured_cli_fail (_ ("%s is a folder; name a file in it"), name);
  else if (!S_ISREG (status.st_mode))
    return TRUE;
  else
    {
      for (gsize i = 0; inputs != NULL && inputs[i] != NULL; i++)
        if (is_same_file (&status, inputs[i]))
          {
            cured_cli_fail (_ ("%s is what is read; name another file with -o"), name);
            return FALSE;
          }
      if (force)
        return TRUE;
      cured_cli_fail (_ ("%s exists; --force replaces it"), name);
    }
  return FALSE;
}

/* A switch of the table of options: of one row, or of two that are MIN..MAX. */
typedef struct
{
  const CuredOptionInfo *row;
  const CuredOptionInfo *last; /* nullable: of the other end */
  char *help;
  gboolean is_given;
  char *text;   /* nullable: not given */
  char **words; /* nullable: not given */
} Switch;

struct _CuredCliSwitches
{
  GArray *switches;
};

static void
switch_clear (Switch *self)
{
  g_free (self->help);
  g_free (self->text);
  g_strfreev (self->words);
}

/* As it is typed. */
static char *
describe_default (const CuredOptionInfo *row, const CuredOptions *defaults)
{
  g_autofree char *percent = NULL;

  if (!g_str_equal (row->unit, "ratio"))
    return cured_option_to_string (row, defaults);
  percent = cured_format_file_number (100 * cured_option_get_number (row, defaults));
  return g_strconcat (percent, "%", NULL);
}

static char *
describe_switch (const Switch *self)
{
  g_auto (CuredOptions) defaults = { 0 };
  g_autofree char *first = NULL;
  g_autofree char *last = NULL;

  cured_options_init (&defaults);
  first = describe_default (self->row, &defaults);
  if (self->last != NULL)
    last = describe_default (self->last, &defaults);
  if (self->row->type == CURED_OPTION_FLAG || *first == '\0')
    return g_strdup (_ (self->row->help));
  return g_strdup_printf ("%s [%s%s%s]", _ (self->row->help), first, last != NULL ? ".." : "",
                          last != NULL ? last : "");
}

/* Returns the switches of how cells are measured. */
CuredCliSwitches *
cured_cli_switches_new (const char *const *names)
{
  CuredCliSwitches *self = g_new0 (CuredCliSwitches, 1);
  gsize n_rows;
  const CuredOptionInfo *rows = cured_options_list (&n_rows);

  self->switches = g_array_new (FALSE, TRUE, sizeof (Switch));
  g_array_set_clear_func (self->switches, (GDestroyNotify) switch_clear);
  for (gsize i = 0; i < n_rows; i++)
    {
      Switch one = { .row = &rows[i] };

      if (names != NULL && !g_strv_contains (names, rows[i].name))
        continue;
      if (i + 1 < n_rows && g_str_equal (rows[i].switch_name, rows[i + 1].switch_name))
        one.last = &rows[++i];
      one.help = describe_switch (&one);
      g_array_append_val (self->switches, one);
    }
  return self;
}

void
cured_cli_switches_free (CuredCliSwitches *self)
{
  g_array_unref (self->switches);
  g_free (self);
}

void
cured_cli_switches_add (CuredCliSwitches *self, GOptionContext *context)
{
  g_autofree GOptionEntry *entries = g_new0 (GOptionEntry, self->switches->len + 1);

  for (guint i = 0; i < self->switches->len; i++)
    {
      Switch *one = &g_array_index (self->switches, Switch, i);
      GOptionEntry *entry = &entries[i];

      entry->long_name = one->row->switch_name;
      entry->description = one->help;
      entry->arg_description = one->row->argument;
      switch (one->row->type)
        {
        case CURED_OPTION_FLAG:
          entry->arg = G_OPTION_ARG_NONE;
          entry->arg_data = &one->is_given;
          break;
        case CURED_OPTION_WORDS:
          entry->arg = G_OPTION_ARG_STRING_ARRAY;
          entry->arg_data = &one->words;
          break;
        case CURED_OPTION_COUNT:
        case CURED_OPTION_SEED:
        case CURED_OPTION_NUMBER:
        case CURED_OPTION_BLOCKS:
          entry->arg = G_OPTION_ARG_STRING;
          entry->arg_data = &one->text;
          break;
        }
    }
  cured_cli_add_entries (context, entries);
}

/* Returns whether one was given that counts on the emulator alone. */
gboolean
cured_cli_switches_has_emulator (const CuredCliSwitches *self)
{
  for (guint i = 0; i < self->switches->len; i++)
    {
      const Switch *one = &g_array_index (self->switches, Switch, i);

      if ((one->row->flags & CURED_OPTION_EMULATOR) != 0 && (one->text != NULL || one->is_given))
        return TRUE;
    }
  return FALSE;
}

static gboolean
apply_range (const Switch *self, CuredOptions *options, GError **error)
{
  const char *dots = strstr (self->text, "..");
  g_autofree char *least =
      dots != NULL ? g_strndup (self->text, (gsize) (dots - self->text)) : g_strdup (self->text);
  const char *most = dots != NULL ? dots + 2 : self->text;

  if (cured_option_parse (self->row, options, least, NULL) &&
      cured_option_parse (self->last, options, most, NULL) &&
      cured_option_get_number (self->row, options) <= cured_option_get_number (self->last, options))
    return TRUE;
  g_set_error (error, CURED_ERROR, CURED_ERROR_INVALID,
               _ ("--%s %s: expected MIN..MAX with 1 ≤ MIN ≤ MAX, such as 20..1000"),
               self->row->switch_name, self->text);
  return FALSE;
}

static gboolean
apply_words (const Switch *self, const CuredKernel *kernel, CuredOptions *options, GError **error)
{
  g_autofree char *text = g_strjoinv (" ", self->words);

  if ((self->row->flags & CURED_OPTION_UNSAFE) != 0 && (kernel == NULL || kernel->path == NULL))
    {
      g_set_error (error, CURED_ERROR, CURED_ERROR_INVALID,
                   _ ("--%s is for kernel files (.cu) on this machine; name one"),
                   self->row->switch_name);
      return FALSE;
    }
  if (cured_option_parse (self->row, options, text, error))
    return TRUE;
  g_prefix_error (error, "--%s: ", self->row->switch_name);
  return FALSE;
}

static gboolean
apply_text (const Switch *self, CuredOptions *options, GError **error)
{
  const CuredOptionInfo *row = self->row;
  g_autofree char *number = NULL;
  double fraction = 0;

  if (g_str_equal (row->unit, "ratio"))
    {
      if (!cured_cli_parse_percent (self->text, &fraction, error))
        {
          g_prefix_error (error, "--%s: ", row->switch_name);
          return FALSE;
        }
      if (fraction < row->min || fraction > row->max)
        {
          g_autofree char *least = cured_format_file_number (100 * row->min);
          g_autofree char *most = cured_format_file_number (100 * row->max);

          g_set_error (error, CURED_ERROR, CURED_ERROR_INVALID,
                       _ ("--%s %s: expected a percentage from %s%% to %s%%"), row->switch_name,
                       self->text, least, most);
          return FALSE;
        }
      number = cured_format_file_number (fraction);
    }
  if (cured_option_parse (row, options, number != NULL ? number : self->text, error))
    return TRUE;
  g_prefix_error (error, "--%s %s: ", row->switch_name, self->text);
  return FALSE;
}

/* Returns FALSE with an error; @options is then valid, and partly changed. */
gboolean
cured_cli_switches_apply (const CuredCliSwitches *self, const CuredKernel *kernel,
                          CuredOptions *options, GError **error)
{
  g_auto (CuredOptions) defaults = { 0 };

  cured_options_init (&defaults);
  for (guint i = 0; i < self->switches->len; i++)
    {
      const Switch *one = &g_array_index (self->switches, Switch, i);

      /* A flag's switch says what is not so without it. */
      if (one->is_given)
        cured_option_set_number (one->row, options,
                                 cured_option_get_number (one->row, &defaults) == 0);
      if (one->words != NULL && !apply_words (one, kernel, options, error))
        return FALSE;
      if (one->text != NULL && (one->last != NULL ? !apply_range (one, options, error)
                                                  : !apply_text (one, options, error)))
        return FALSE;
    }
  return TRUE;
}
