/* SPDX-License-Identifier: MIT
 * The command: finds the verb and hands over to it. */
#include "config.h"

#include <glib/gi18n.h>
#include <locale.h>
#include <signal.h>
#include <sys/resource.h>

#include "cured-cli.h"

/* clang-format off */
static const CuredVerb *const verbs[] = {
#define VERB(name) &cured_verb_##name,
#include "cured-verbs.def"
  NULL,
};
/* clang-format on */

static const CuredVerb *
find_verb (const char *name)
{
  for (gsize i = 0; verbs[i] != NULL; i++)
    if (g_str_equal (verbs[i]->name, name))
      return verbs[i];
  return NULL;
}

/* Libraries abort if memory allocation fails, and at half of this limit they do so before any
 * message can be printed. */
#define LEAST_MEMORY ((rlim_t) 512 << 20)

static gboolean
has_memory (void)
{
  struct rlimit limit;

  if (getrlimit (RLIMIT_AS, &limit) != 0 || limit.rlim_cur >= LEAST_MEMORY)
    return TRUE;
  g_printerr (
      _ ("cured: “ulimit -v” leaves %s of memory, and %s are needed. Raise it, and try again.\n"),
      cured_cli_quantity ((double) limit.rlim_cur, "B"),
      cured_cli_quantity ((double) LEAST_MEMORY, "B"));
  return FALSE;
}

static void
print_help (void)
{
  g_autoptr (CuredCliTable) table = cured_cli_table_new ("ll");

  g_print (_ ("Usage:\n  cured VERB [OPTION…]\n\n"));
  g_print (_ ("Times CUDA kernels over tile sizes and block counts, and shows heat maps.\n\n"));
  g_print (_ ("Verbs:\n"));
  for (gsize i = 0; verbs[i] != NULL; i++)
    cured_cli_table_add (table, verbs[i]->name, _ (verbs[i]->summary));
  cured_cli_table_print (table, "  ");
  g_print (_ ("\n"
              "Examples:\n"
              "  cured kernels matmul/tiled\n"
              "  cured run matmul/tiled -p tile=4..32:4 -o tiles.cured\n"
              "  cured show tiles.cured\n"
              "\n"
              "“cured VERB --help” explains a verb and its options; “cured --version” prints\nthe "
              "version; “cured --completions SHELL” prints a script for bash, fish or zsh.\n"
              "\n"
              "Exit codes: 0 done; 1 done, and something was found (a wrong result, a crash,\n"
              "a loss past --fail-on, an access predicted wrongly); 2 not done: wrong usage,\n"
              "bad input, no device, full disk; 130 stopped with Ctrl+C.\n"));
}

static int
fail_unknown (const char *word)
{
  g_autofree char **names = g_new0 (char *, G_N_ELEMENTS (verbs));

  for (gsize i = 0; verbs[i] != NULL; i++)
    names[i] = (char *) verbs[i]->name;
  cured_cli_sort_nearest (word, names);

  if (word[0] == '-')
    return cured_cli_fail (_ ("unknown option “%s” before a verb; “cured --help” lists the verbs"),
                           word);
  if (cured_cli_is_near (word, names[0]))
    return cured_cli_fail (
        _ ("“%s” is not a verb; did you mean “cured %s”? “cured --help” lists all"), word,
        names[0]);
  if (g_str_has_suffix (word, ".cured"))
    return cured_cli_fail (_ ("“%s” is not a verb; “cured show %s” shows a result file"), word,
                           word);
  if (cured_kernel_is_file_name (word))
    return cured_cli_fail (_ ("“%s” is not a verb; “cured run %s” runs a kernel file"), word, word);
  return cured_cli_fail (_ ("“%s” is not a verb; “cured --help” lists them"), word);
}

static int
run_verb (const CuredVerb *verb, int argc, char **argv)
{
  g_autofree char *program = g_strdup_printf ("cured %s", verb->name);
  g_autoptr (GError) error = NULL;

  /* GOption's usage line begins with the program's name. */
  g_set_prgname (program);
  if (!cured_cli_parse (verb, &argc, &argv))
    return CURED_EXIT_USAGE;
  if (verb->arguments == NULL && argc > 1)
    return cured_cli_fail (_ ("“%s”: %s takes no arguments"), argv[1], verb->name);
  if (argc - 1 < verb->least || (verb->most > 0 && argc - 1 > verb->most))
    return verb->usage != NULL ? cured_cli_fail ("%s", _ (verb->usage))
                               : cured_cli_fail (_ ("“%s”: one kernel at a time"), argv[2]);
  int status = verb->run (argc, argv, &error);
  return error != NULL ? cured_cli_fail_error (error) : status;
}

int
main (int argc, char **argv)
{
  const CuredVerb *verb = NULL;
  int status = CURED_EXIT_OK;

  cured_standard_files_open ();
  cured_bundle_use ();
  setlocale (LC_ALL, "");
  bindtextdomain (GETTEXT_PACKAGE, cured_bundle_get_locale_folder ());
  bind_textdomain_codeset (GETTEXT_PACKAGE, "UTF-8");
  textdomain (GETTEXT_PACKAGE);
  g_set_prgname ("cured");
  cured_cli_print_init ();
  /* A file that grows past “ulimit -f” is an error that its writer reports and cleans up after. */
  signal (SIGXFSZ, SIG_IGN);

  const char *word = argc > 1 ? argv[1] : "--help";
  if (g_str_equal (word, "help") && argc > 2)
    {
      char *help[] = { argv[0], (char *) "--help", NULL };

      verb = find_verb (argv[2]);
      status = verb != NULL ? run_verb (verb, 2, help) : fail_unknown (argv[2]);
    }
  else if (g_str_equal (word, "--help") || g_str_equal (word, "-h") || g_str_equal (word, "-?") ||
           g_str_equal (word, "help"))
    print_help ();
  else if (g_str_equal (word, "--completions"))
    status = cured_cli_print_completions (argc > 2 ? argv[2] : "");
  else if (g_str_equal (word, "--complete") && argc > 3)
    status = cured_cli_complete (verbs, argv[2], argv[3]);
  else if (g_str_equal (word, "--version"))
    g_print ("cured %s\n", CURED_VERSION);
  else if ((verb = find_verb (word)) != NULL)
    status = has_memory () ? run_verb (verb, argc - 1, argv + 1) : CURED_EXIT_USAGE;
  else
    status = fail_unknown (word);

  return cured_cli_print_flush (status);
}
