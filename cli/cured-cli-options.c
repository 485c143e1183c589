/* SPDX-License-Identifier: MIT
 * The options of verbs: tables of rows that are parsed, completed and explained. */
#include <errno.h>
#include <glib/gi18n.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cured-cli.h"

static int colour_when;

/* ORDER: as the words of --color. */
enum
{
  COLOUR_AUTO,
  COLOUR_ALWAYS,
  COLOUR_NEVER,
};

/* clang-format off */
const CuredCliOption cured_cli_json_rows[] = {
  { "json", 0, CURED_CLI_FLAG, &cured_cli_is_json, N_ ("Print as JSON") },
  { NULL },
};

const CuredCliOption cured_cli_colour_rows[] = {
  { "color", 0, CURED_CLI_WORD, &colour_when, N_ ("Colours: auto, always or never [auto]"), N_ ("WHEN"), "auto|always|never" },
  { NULL },
};

static const CuredCliOption common_rows[] = {
  { "quiet", 'q', CURED_CLI_FLAG, &cured_cli_is_quiet, N_ ("Print errors only") },
  { NULL },
};
/* clang-format on */

const char *const cured_cli_all_switches[] = { NULL };

/* A switch of the table of a sweep's options: of one row, or of two as MIN..MAX. */
typedef struct
{
  const CuredOptionInfo *row;
  const CuredOptionInfo *last; /* nullable: the row of MAX */
  char *help;
  gboolean is_given;
  char *text;   /* nullable: not given */
  char **words; /* nullable: not given */
} Switch;

/* The value of an option. Texts live as long as the process, which runs one verb. */
typedef struct
{
  const CuredCliOption *option;
  char *text, **texts;
} Slot;

static GPtrArray *switches; /* (element-type Switch); NULL: the verb has none */

/* Describes the default as it would be typed. */
static char *
describe_default (const CuredOptionInfo *row, const CuredOptions *defaults)
{
  if (!g_str_equal (row->unit, "ratio"))
    return cured_option_to_string (row, defaults);
  g_autofree char *percent =
      cured_format_file_number (100 * cured_option_get_number (row, defaults));
  return g_strconcat (percent, "%", NULL);
}

static char *
describe_switch (const Switch *self)
{
  g_auto (CuredOptions) defaults = { 0 };
  g_autofree char *last = NULL;

  cured_options_init (&defaults);
  g_autofree char *first = describe_default (self->row, &defaults);
  if (self->last != NULL)
    last = describe_default (self->last, &defaults);
  if (self->row->type == CURED_OPTION_FLAG || *first == '\0')
    return g_strdup (_ (self->row->help));
  return g_strdup_printf ("%s [%s%s%s]", _ (self->row->help), first, last != NULL ? ".." : "",
                          last != NULL ? last : "");
}

static gboolean
takes_several (const CuredOptionInfo *row)
{
  return row->type == CURED_OPTION_WORDS || row->type == CURED_OPTION_CONDITION;
}

/* @names: names of the verb's rows of the table; an empty list means all. */
static void
collect_switches (const char *const *names, GArray *options)
{
  gsize n_rows;
  const CuredOptionInfo *rows = cured_options_list (&n_rows);

  switches = g_ptr_array_new ();
  for (gsize i = 0; i < n_rows; i++)
    {
      CuredCliOption option = { .name = rows[i].switch_name, .argument = rows[i].argument };

      if (names[0] != NULL && !g_strv_contains (names, rows[i].name))
        continue;
      Switch *one = g_new0 (Switch, 1);
      one->row = &rows[i];
      if (i + 1 < n_rows && g_str_equal (rows[i].switch_name, rows[i + 1].switch_name))
        one->last = &rows[++i];
      one->help = describe_switch (one);
      option.help = one->help;
      option.type = one->row->type == CURED_OPTION_FLAG ? CURED_CLI_FLAG
                    : takes_several (one->row)          ? CURED_CLI_TEXTS
                                                        : CURED_CLI_TEXT;
      option.value = one->row->type == CURED_OPTION_FLAG ? (gpointer) &one->is_given
                     : takes_several (one->row)          ? (gpointer) &one->words
                                                         : (gpointer) &one->text;
      g_ptr_array_add (switches, one);
      g_array_append_val (options, option);
    }
}

/* All options of a verb: (element-type CuredCliOption) (transfer full). */
GArray *
cured_cli_list_options (const CuredVerb *verb)
{
  GArray *options = g_array_new (FALSE, FALSE, sizeof (CuredCliOption));

  for (gsize i = 0; verb->options[i] != NULL; i++)
    for (const CuredCliOption *row = verb->options[i]; row->name != NULL; row++)
      g_array_append_vals (options, row, 1);
  if (verb->switches != NULL)
    collect_switches (verb->switches, options);
  g_array_append_vals (options, common_rows, 1);
  return options;
}

static gboolean
parse_int (const CuredCliOption *option, const char *text, GError **error)
{
  if (g_ascii_string_to_signed (text, 10, option->least, option->most, option->value, NULL))
    return TRUE;
  if (option->most == G_MAXINT64)
    return cured_cli_refuse (error, _ ("--%s %s: expected a whole number from %lld on"),
                             option->name, text, (long long) option->least);
  return cured_cli_refuse (error, _ ("--%s %s: expected a whole number from %lld to %lld"),
                           option->name, text, (long long) option->least, (long long) option->most);
}

static gboolean
parse_real (const CuredCliOption *option, const char *text, GError **error)
{
  char *end = NULL;
  double value = g_ascii_strtod (text, &end);

  if (end != text && *end == '\0' && value >= (double) option->least &&
      value <= (double) option->most)
    {
      *(double *) option->value = value;
      return TRUE;
    }
  return cured_cli_refuse (error, _ ("--%s %s: expected a number from %lld on"), option->name, text,
                           (long long) option->least);
}

static gboolean
parse_word (const CuredCliOption *option, const char *text, GError **error)
{
  g_auto (GStrv) words = g_strsplit (option->words, "|", -1);

  for (int i = 0; words[i] != NULL; i++)
    if (g_str_equal (words[i], text))
      {
        *(int *) option->value = i;
        return TRUE;
      }
  /* Translators: an option, what it was given, and the words that it takes. */
  return cured_cli_refuse (error, _ ("--%s %s: expected one of %s"), option->name, text,
                           cured_cli_lend (g_strjoinv (", ", words)));
}

/* Texts go to the option's variable, which owns them; parsed texts are freed. */
static gboolean
set_value (Slot *slot, GError **error)
{
  const CuredCliOption *option = slot->option;
  g_autofree char *text = g_steal_pointer (&slot->text);

  if (slot->texts != NULL)
    *(char ***) option->value = slot->texts;
  if (text == NULL)
    return TRUE;
  switch (option->type)
    {
    case CURED_CLI_INT: return parse_int (option, text, error);
    case CURED_CLI_REAL: return parse_real (option, text, error);
    case CURED_CLI_WORD: return parse_word (option, text, error);
    case CURED_CLI_PERCENT:
      if (cured_cli_parse_percent (text, option->value, error))
        return TRUE;
      return cured_cli_prefix (error, "--%s: ", option->name);
    case CURED_CLI_TEXT:
    case CURED_CLI_FILE:
    case CURED_CLI_FOLDER:
    case CURED_CLI_TEXTS:
    case CURED_CLI_FLAG:
    default: *(char **) option->value = g_steal_pointer (&text); return TRUE;
    }
}

static void
add_entry (GOptionContext *context, const CuredCliOption *option, Slot *slot)
{
  GOptionEntry entries[] = {
    { option->name, option->letter, 0, G_OPTION_ARG_STRING, &slot->text, option->help,
      option->argument },
    G_OPTION_ENTRY_NULL,
  };

  slot->option = option;
  if (option->type == CURED_CLI_FLAG)
    {
      entries[0].arg = G_OPTION_ARG_NONE;
      entries[0].arg_data = option->value;
    }
  else if (option->type == CURED_CLI_TEXTS)
    {
      entries[0].arg = G_OPTION_ARG_STRING_ARRAY;
      entries[0].arg_data = &slot->texts;
    }
  else if (option->type == CURED_CLI_FILE || option->type == CURED_CLI_FOLDER)
    entries[0].arg = G_OPTION_ARG_FILENAME;
  g_option_context_add_main_entries (context, entries, GETTEXT_PACKAGE);
}

/* Parses the options of @verb, and leaves the arguments in @argv. `--help` is handled here and
 * exits. FALSE after a message. */
gboolean
cured_cli_parse (const CuredVerb *verb, int *argc, char ***argv)
{
  g_autoptr (GOptionContext) context =
      g_option_context_new (verb->arguments != NULL ? _ (verb->arguments) : NULL);
  g_autoptr (GArray) options = cured_cli_list_options (verb);
  g_autofree Slot *slots = g_new0 (Slot, options->len);
  g_autoptr (GError) error = NULL;

  g_option_context_set_summary (context, _ (verb->summary));
  g_option_context_set_description (context, _ (verb->description));
  g_option_context_set_ignore_unknown_options (context, verb->passes_on);
  g_option_context_set_strict_posix (context, verb->is_strict);
  for (guint i = 0; i < options->len; i++)
    add_entry (context, &g_array_index (options, CuredCliOption, i), &slots[i]);
  if (!g_option_context_parse (context, argc, argv, &error))
    {
      for (int i = 1; error->domain == G_CONVERT_ERROR && i < *argc; i++)
        if (!g_utf8_validate ((*argv)[i], -1, NULL))
          {
            /* GLib's message does not name the argument. */
            g_prefix_error (&error,
                            "“%s”: ", cured_cli_lend (g_filename_display_name ((*argv)[i])));
            break;
          }
      return cured_cli_deny (_ ("%s; “%s --help” lists the options"), error->message,
                             g_get_prgname ());
    }
  for (guint i = 0; i < options->len; i++)
    if (!set_value (&slots[i], &error))
      {
        cured_cli_fail_error (error);
        return FALSE;
      }
  /* “--” only ends the options; arguments follow. */
  if (*argc > 1 && g_str_equal ((*argv)[1], "--"))
    {
      for (int i = 1; i < *argc; i++)
        (*argv)[i] = (*argv)[i + 1];
      (*argc)--;
    }
  if (cured_cli_is_quiet)
    cured_cli_print_nothing ();
  if (cured_cli_is_json)
    cured_cli_begin_document ();
  return TRUE;
}

/* Whether to print colours on standard output: depends on --color, or else on the terminal and
 * NO_COLOR (https://no-color.org). */
gboolean
cured_cli_get_colour (void)
{
  const char *no_colour = g_getenv ("NO_COLOR");

  if (colour_when != COLOUR_AUTO)
    return colour_when == COLOUR_ALWAYS;
  return isatty (STDOUT_FILENO) && (no_colour == NULL || no_colour[0] == '\0') &&
         g_strcmp0 (g_getenv ("TERM"), "dumb") != 0;
}

/* FALSE after a message: @option, such as “--dark”, would do nothing without @other, such as “-o
 * OUT”. */
gboolean
cured_cli_check_with (gboolean is_given, const char *option, gboolean has_other, const char *other)
{
  if (!is_given || has_other)
    return TRUE;
  /* Translators: two options, such as --dark and -o OUT. */
  return cured_cli_deny (_ ("%s goes with %s"), option, other);
}

static gboolean
is_same_file (const GStatBuf *status, const char *path)
{
  GStatBuf other;

  return g_stat (path, &other) == 0 && other.st_dev == status->st_dev &&
         other.st_ino == status->st_ino;
}

/* Whether @output may be written; makes its folder. FALSE after a message if it is one of @inputs
 * or, without @force, if it exists. A device or a pipe is not replaced. */
gboolean
cured_cli_check_output (const char *output, char **inputs, gboolean force)
{
  GStatBuf status;

  if (output == NULL)
    return TRUE;
  g_autofree char *name = g_filename_display_name (output);
  if (*output == '\0')
    return cured_cli_deny (_ ("-o: expected the name of a file"));
  if (g_stat (output, &status) != 0)
    {
      g_autofree char *folder = g_path_get_dirname (output);

      return g_mkdir_with_parents (folder, 0777) == 0 ||
             cured_cli_deny (_ ("%s can't be written: %s"), name, g_strerror (errno));
    }
  if (S_ISDIR (status.st_mode))
    return cured_cli_deny (_ ("%s is a folder; name a file in it"), name);
  for (gsize i = 0; S_ISREG (status.st_mode) && inputs != NULL && inputs[i] != NULL; i++)
    if (is_same_file (&status, inputs[i]))
      return cured_cli_deny (_ ("%s is an input; name another file with -o"), name);
  if (S_ISREG (status.st_mode) && !force)
    return cured_cli_deny (_ ("%s exists; --force replaces it"), name);
  return TRUE;
}

/* Whether a switch was given that has an effect on the emulator only. */
gboolean
cured_cli_switches_has_emulator (void)
{
  for (guint i = 0; switches != NULL && i < switches->len; i++)
    {
      const Switch *one = g_ptr_array_index (switches, i);

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
  return cured_cli_refuse (error,
                           _ ("--%s %s: expected MIN..MAX with 1 ≤ MIN ≤ MAX, such as 20..1000"),
                           self->row->switch_name, self->text);
}

static gboolean
apply_words (const Switch *self, const CuredKernel *kernel, CuredOptions *options, GError **error)
{
  g_autofree char *text = g_strjoinv (" ", self->words);

  if ((self->row->flags & CURED_OPTION_UNSAFE) != 0 && (kernel == NULL || kernel->path == NULL))
    return cured_cli_refuse (error, _ ("--%s is for kernel files (.cu) on this machine; name one"),
                             self->row->switch_name);
  if (cured_option_parse (self->row, options, text, error))
    return TRUE;
  return cured_cli_prefix (error, "--%s: ", self->row->switch_name);
}

/* Several conditions, and a preset's, are combined by “and”. */
static gboolean
apply_condition (const Switch *self, CuredOptions *options, GError **error)
{
  g_autoptr (GString) all = g_string_new (options->where);

  for (gsize i = 0; self->words[i] != NULL; i++)
    {
      if (!cured_option_parse (self->row, options, self->words[i], error))
        return cured_cli_prefix (error, "--%s %s: ", self->row->switch_name, self->words[i]);
      if (all->len > 0)
        {
          g_string_prepend_c (all, '(');
          g_string_append_printf (all, ") && (%s)", self->words[i]);
        }
      else
        g_string_append (all, self->words[i]);
    }
  return cured_option_parse (self->row, options, all->str, error);
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
        return cured_cli_prefix (error, "--%s: ", row->switch_name);
      if (fraction < row->min || fraction > row->max)
        return cured_cli_refuse (error, _ ("--%s %s: expected a percentage from %s%% to %s%%"),
                                 row->switch_name, self->text,
                                 cured_cli_lend (cured_format_file_number (100 * row->min)),
                                 cured_cli_lend (cured_format_file_number (100 * row->max)));
      number = cured_format_file_number (fraction);
    }
  if (cured_option_parse (row, options, number != NULL ? number : self->text, error))
    return TRUE;
  return cured_cli_prefix (error, "--%s %s: ", row->switch_name, self->text);
}

/* Applies the given switches to @options. @kernel: (nullable): the kernel to compile. FALSE with an
 * error that names the switch; @options is then valid, and partly changed. */
gboolean
cured_cli_switches_apply (const CuredKernel *kernel, CuredOptions *options, GError **error)
{
  g_auto (CuredOptions) defaults = { 0 };

  cured_options_init (&defaults);
  for (guint i = 0; switches != NULL && i < switches->len; i++)
    {
      const Switch *one = g_ptr_array_index (switches, i);

      /* A flag turns its option's default around. */
      if (one->is_given)
        cured_option_set_number (one->row, options,
                                 cured_option_get_number (one->row, &defaults) == 0);
      if (one->words != NULL &&
          (one->row->type == CURED_OPTION_CONDITION ? !apply_condition (one, options, error)
                                                    : !apply_words (one, kernel, options, error)))
        return FALSE;
      if (one->text != NULL && (one->last != NULL ? !apply_range (one, options, error)
                                                  : !apply_text (one, options, error)))
        return FALSE;
    }
  return TRUE;
}
