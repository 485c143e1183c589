/* SPDX-License-Identifier: MIT
 * Options: how verbs tell theirs, and those that several verbs have alike. */
#include "config.h"

#include <glib/gi18n.h>
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

/**
 * cured_cli_add_entries:
 * @context: of the verb
 * @entries: options that it has
 */
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

/**
 * cured_cli_list_entries:
 * @verb: a verb
 * @func: (scope call): called with each of its options
 * @user_data: for @func
 */
void
cured_cli_list_entries (const CuredVerb *verb,
                        CuredCliEntryFunc func,
                        gpointer user_data)
{
  g_autoptr (GOptionContext) context = g_option_context_new (NULL);
  char *words[] = { (char *) verb->name, NULL };

  lister = func;
  lister_data = user_data;
  verb->run (context, 1, words);
  lister = NULL;
}

/**
 * cured_cli_add_quiet:
 * @context: gets the option --quiet
 */
void
cured_cli_add_quiet (GOptionContext *context)
{
  const GOptionEntry entries[] = {
    { "quiet",
      'q',
      0,
      G_OPTION_ARG_NONE,
      &is_quiet,
      N_ ("Print errors only; the exit code tells the rest"),
      NULL },
    G_OPTION_ENTRY_NULL,
  };

  cured_cli_add_entries (context, entries);
}

/**
 * cured_cli_is_quiet:
 *
 * Returns: whether --quiet was given: nothing is printed but errors
 */
gboolean
cured_cli_is_quiet (void)
{
  return is_quiet;
}

/**
 * cured_cli_add_colour:
 * @context: gets the options --color, --colour and --plain
 */
void
cured_cli_add_colour (GOptionContext *context)
{
  const GOptionEntry entries[] = {
    { "color",
      0,
      0,
      G_OPTION_ARG_STRING,
      &colour_when,
      N_ ("Colours: auto, always or never [auto]"),
      N_ ("WHEN") },
    { "colour",
      0,
      G_OPTION_FLAG_HIDDEN,
      G_OPTION_ARG_NONE,
      &is_coloured,
      NULL,
      NULL },
    { "plain",
      0,
      G_OPTION_FLAG_HIDDEN,
      G_OPTION_ARG_NONE,
      &is_plain,
      NULL,
      NULL },
    G_OPTION_ENTRY_NULL,
  };

  cured_cli_add_entries (context, entries);
}

/**
 * cured_cli_get_colour:
 * @colour: (out): whether to print colours on standard output
 *
 * What --color says, or else the terminal and NO_COLOR
 * (https://no-color.org).
 *
 * Returns: FALSE after a message: the options make no sense
 */
gboolean
cured_cli_get_colour (gboolean *colour)
{
  const char *when = colour_when;

  if (is_plain + is_coloured + (when != NULL) > 1)
    {
      cured_cli_fail (
          _ ("--color, --colour (always) and --plain (never) exclude each "
             "other"));
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
      cured_cli_fail (_ ("--color: “%s” is not one of auto, always and never"),
                      when);
      return FALSE;
    }
  return TRUE;
}

static void
ignore_cb (const char *text)
{
}

/**
 * cured_cli_parse:
 * @context: of the verb; its groups are kept
 * @entries: the verb's own options
 * @argc: (inout): as in main()
 * @argv: (inout): likewise; keeps what is not an option
 *
 * Parses the options. `--help` is answered here and ends the process. A wrong
 * option is reported on standard error.
 *
 * Returns: FALSE: the verb should return %CURED_EXIT_USAGE
 */
gboolean
cured_cli_parse (GOptionContext *context,
                 const GOptionEntry *entries,
                 int *argc,
                 char ***argv)
{
  g_autoptr (GError) error = NULL;

  cured_cli_add_entries (context, entries);
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
  cured_cli_fail (_ ("%s; “%s --help” lists the options"),
                  error->message,
                  g_get_prgname ());
  return FALSE;
}
