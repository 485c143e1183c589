/* SPDX-License-Identifier: MIT
 * Completion of command lines: a short script for each shell, which asks the command for the words
 * that may follow. */
#include <glib/gi18n.h>
#include <string.h>

#include "cured-cli.h"

/* Implementation notes
 *
 * “cured --complete SHELL LINE” prints a line for each word that may follow LINE: the word, a tab and
 * its description. “<.cured” means files of that suffix, “<” for any file and “</” for folders,
 * which shells complete themselves. So options are known from the verbs' own tables alone. */

typedef struct
{
  const char *head;  /* repeated before each word: fish compares whole words */
  const char *value; /* required beginning of a word */
} Request;

static void
append_word (GString *text, const char *word)
{
  g_string_append_printf (text, "%s%s", text->len > 0 ? "|" : "", word);
}

void
cured_cli_list_metrics (GString *words)
{
  for (int i = 0; i < CURED_N_METRICS; i++)
    append_word (words, cured_metric_info ((CuredMetric) i)->id);
}

/* (transfer container) */
static void
append_words (GString *text, char **words)
{
  append_word (text, cured_cli_lend (g_strjoinv ("|", words)));
  g_free (words);
}

void
cured_cli_list_formats (GString *words)
{
  gsize n = 0;
  const CuredExportFormat *formats = cured_export_formats (&n);

  append_words (words, CURED_CLI_COLLECT (formats, n, id));
}

void
cured_cli_list_colours (GString *words)
{
  gsize n = 0;
  const CuredColourMap *maps = cured_colour_map_list (&n);

  append_words (words, CURED_CLI_COLLECT (maps, n, id));
}

void
cured_cli_list_archs (GString *words)
{
  gsize n = 0;
  const CuredProfile *profiles = cured_profile_list (&n);

  append_words (words, CURED_CLI_COLLECT (profiles, n, arch));
}

void
cured_cli_list_devices (GString *words)
{
  gsize n_profiles = 0;
  const CuredProfile *profiles = cured_profile_list (&n_profiles);

  append_word (words, "cuda:0|emulator");
  for (gsize i = 0; i < n_profiles; i++)
    if (profiles[i].is_emulated)
      g_string_append_printf (words, "|emulator:%s", profiles[i].arch);
}

/* Lists the recently used launchers. */
void
cured_cli_list_launchers (GString *words)
{
  g_autofree char *path = g_build_filename (g_get_user_config_dir (), "cured", "launchers", NULL);
  g_autofree char *text = NULL;

  if (g_file_get_contents (path, &text, NULL, NULL))
    append_word (words, g_strdelimit (g_strchomp (text), "\n", '|'));
}

static void
offer (const Request *self, const char *word, const char *description)
{
  if (word[0] == '<')
    g_print ("%s\n", word);
  else if (g_str_has_prefix (word, self->value))
    g_print ("%s%s\t%s\n", self->head, word, description);
}

static void
offer_all (const Request *self, const char *const *words)
{
  for (gsize i = 0; words[i] != NULL; i++)
    offer (self, words[i], "");
}

static void
offer_verbs (const Request *self, const CuredVerb *const *verbs)
{
  for (gsize i = 0; verbs[i] != NULL; i++)
    offer (self, verbs[i]->name, _ (verbs[i]->summary));
}

static void
offer_options (const Request *self, const GArray *options)
{
  offer (self, "--help", _ ("Print the options"));
  for (guint i = 0; i < options->len; i++)
    {
      const CuredCliOption *option = &g_array_index (options, CuredCliOption, i);
      g_autofree char *word =
          g_strconcat ("--", option->name, option->type != CURED_CLI_FLAG ? "=" : "", NULL);

      offer (self, word, _ (option->help));
    }
}

static void
offer_values (const Request *self, const CuredCliOption *option)
{
  g_autoptr (GString) list = g_string_new (option->words);

  if (option->list != NULL)
    option->list (list);
  g_auto (GStrv) words = g_strsplit (list->str, "|", -1);
  offer_all (self, (const char *const *) words);
  if (option->type == CURED_CLI_FOLDER)
    offer (self, "</", "");
  else if (option->type == CURED_CLI_FILE && list->len == 0)
    offer (self, "<", "");
}

static void
offer_arguments (const Request *self, CuredCliWords what)
{
  static const char *const suffixes[] = {
    [CURED_CLI_WORDS_KERNELS] = "<.cu",
    [CURED_CLI_WORDS_FAMILIES] = "<.cured",
    [CURED_CLI_WORDS_RESULTS] = "<.cured",
    [CURED_CLI_WORDS_FILES] = "<",
  };
  g_auto (GStrv) words = what == CURED_CLI_WORDS_KERNELS    ? cured_catalogue_list ()
                         : what == CURED_CLI_WORDS_FAMILIES ? cured_ladder_list_families ()
                                                            : NULL;

  if (words != NULL)
    offer_all (self, (const char *const *) words);
  if (what != CURED_CLI_WORDS_NONE)
    offer (self, suffixes[what], "");
}

/* Finds the option of @word, “--metric” or “-m”; NULL: none that takes a value. */
static const CuredCliOption *
find_option (const GArray *options, const char *word)
{
  for (guint i = 0; i < options->len; i++)
    {
      const CuredCliOption *option = &g_array_index (options, CuredCliOption, i);

      if (option->type == CURED_CLI_FLAG || word[0] != '-')
        continue;
      if (word[1] == '-' ? g_str_equal (word + 2, option->name)
                         : word[1] != '\0' && word[1] == option->letter && word[2] == '\0')
        return option;
    }
  return NULL;
}

/* Prints what may follow the words of @line, the last of which is completed. */
int
cured_cli_complete (const CuredVerb *const *verbs, const char *shell, const char *line)
{
  g_auto (GStrv) parts = g_strsplit_set (line, " \t", -1);
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  gsize n_parts = g_strv_length (parts);
  char *word = n_parts > 0 ? parts[n_parts - 1] : (char *) "";
  const char *equals = g_str_has_prefix (word, "--") ? strchr (word, '=') : NULL;
  g_autofree char *name = equals != NULL ? g_strndup (word, (gsize) (equals - word)) : NULL;
  g_autofree char *head = equals != NULL && g_str_equal (shell, "fish")
                              ? g_strndup (word, (gsize) (equals + 1 - word))
                              : g_strdup ("");
  Request self = { head, equals != NULL ? equals + 1 : word };
  const CuredVerb *verb = NULL;

  for (gsize i = 0; i + 1 < n_parts; i++)
    if (*parts[i] != '\0')
      g_strv_builder_add (builder, parts[i]);
  g_auto (GStrv) words = g_strv_builder_end (builder);
  guint n_words = g_strv_length (words);
  self.value += self.value[0] == '"' || self.value[0] == '\'';
  if (n_words < 2)
    {
      offer_verbs (&self, verbs);
      offer_all (&self, (const char *const[]){ "help", "--help", "--version", NULL });
      return CURED_EXIT_OK;
    }
  if (g_str_equal (words[1], "help"))
    offer_verbs (&self, verbs);
  for (gsize i = 0; verbs[i] != NULL; i++)
    if (g_str_equal (verbs[i]->name, words[1]))
      verb = verbs[i];
  if (verb == NULL)
    return CURED_EXIT_OK;
  g_autoptr (GArray) options = cured_cli_list_options (verb);
  const CuredCliOption *option = find_option (options, name != NULL ? name : words[n_words - 1]);
  if (option != NULL)
    offer_values (&self, option);
  else if (word[0] == '-')
    offer_options (&self, options);
  else
    offer_arguments (&self, verb->words);
  return CURED_EXIT_OK;
}

/* Prints a script that completes the command line in @shell. */
int
cured_cli_print_completions (const char *shell)
{
  g_autofree char *path = g_strconcat ("/io/github/cured/completions/cured.", shell, NULL);
  g_autoptr (GBytes) script = g_resources_lookup_data (path, G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);

  if (script == NULL)
    return cured_cli_fail (_ ("--completions: “%s” is not one of bash, fish and zsh"), shell);
  g_print ("%s", (const char *) g_bytes_get_data (script, NULL));
  return CURED_EXIT_OK;
}
