/* SPDX-License-Identifier: MIT
 * What shells complete the command line with, made of the verbs' own tables. */
#include "config.h"

#include <glib/gi18n.h>
#include <string.h>

#include "cured-cli.h"

static void
append_word (GString *text, const char *word)
{
  if (text->len > 0)
    g_string_append_c (text, ' ');
  g_string_append (text, word);
}

static void
append_metrics (GString *text)
{
  for (int i = 0; i < CURED_N_METRICS; i++)
    append_word (text, cured_metric_info ((CuredMetric) i)->id);
}

static void
append_formats (GString *text)
{
  gsize n_formats = 0;
  const CuredExportFormat *formats = cured_export_formats (&n_formats);

  for (gsize i = 0; i < n_formats; i++)
    append_word (text, formats[i].id);
}

static void
append_colours (GString *text)
{
  gsize n_maps = 0;
  const CuredColourMap *maps = cured_colour_map_list (&n_maps);

  for (gsize i = 0; i < n_maps; i++)
    append_word (text, maps[i].id);
}

static void
append_archs (GString *text)
{
  gsize n_profiles = 0;
  const CuredProfile *profiles = cured_profile_list (&n_profiles);

  for (gsize i = 0; i < n_profiles; i++)
    append_word (text, profiles[i].arch);
}

static void
append_capabilities (GString *text)
{
  append_word (text, "1.x 2.x 3.x 3.x/8 5.0 9.0");
}

static void
append_devices (GString *text)
{
  gsize n_profiles = 0;
  const CuredProfile *profiles = cured_profile_list (&n_profiles);

  append_word (text, "cuda:0 emulator");
  for (gsize i = 0; i < n_profiles; i++)
    if (profiles[i].is_emulated)
      g_string_append_printf (text, " emulator:%s", profiles[i].arch);
}

static void
append_when (GString *text)
{
  append_word (text, "auto always never");
}

static void
append_views (GString *text)
{
  append_word (text, "banks addresses");
}

static void
append_rules (GString *text)
{
  append_word (text, "fail newest oldest first");
}

static void
append_differences (GString *text)
{
  append_word (text, "source options axes");
}

static void
append_shards (GString *text)
{
  append_word (text, "slurm");
}

/* Options whose values are known, by their metavariable in the verbs'
 * tables. */
static const struct
{
  const char *option;
  const char *metavariable;
  void (*append) (GString *text);
} values_table[] = {
  { "metric", NULL, append_metrics },
  { "format", NULL, append_formats },
  { "colours", NULL, append_colours },
  { "arch", "ARCH", append_archs },
  { "arch", "CAPABILITY", append_capabilities },
  { "device", "ID", append_devices },
  { "device", "ID,…", append_devices },
  { "color", NULL, append_when },
  { "view", NULL, append_views },
  { "on-conflict", NULL, append_rules },
  { "accept", NULL, append_differences },
  { "shard", NULL, append_shards },
};

/* The words that an option takes, or "". */
static char *
get_values (const GOptionEntry *entry)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (values_table); i++)
    if (g_str_equal (entry->long_name, values_table[i].option) &&
        (values_table[i].metavariable == NULL ||
         g_strcmp0 (entry->arg_description, values_table[i].metavariable) == 0))
      values_table[i].append (text);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static gboolean
has_value (const GOptionEntry *entry)
{
  return entry->arg != G_OPTION_ARG_NONE;
}

static gboolean
is_folder (const GOptionEntry *entry)
{
  return entry->arg == G_OPTION_ARG_FILENAME && g_strcmp0 (entry->arg_description, "FOLDER") == 0;
}

static gboolean
is_launcher (const GOptionEntry *entry)
{
  return g_str_equal (entry->long_name, "launcher");
}

static gboolean
is_file (const GOptionEntry *entry)
{
  return entry->arg == G_OPTION_ARG_FILENAME && !is_folder (entry);
}

/* What the names of an option's files end in, or "". */
static const char *
get_suffix (const GOptionEntry *entry)
{
  return g_strcmp0 (entry->arg_description, "NAME|FILE") == 0 ? CURED_PRESET_SUFFIX : "";
}

static char *
list_kernels (void)
{
  g_auto (GStrv) ids = cured_catalogue_list ();

  return g_strjoinv (" ", ids);
}

static char *
list_families (void)
{
  g_auto (GStrv) families = cured_ladder_list_families ();

  return g_strjoinv (" ", families);
}

/* What a verb's entries are written to. */
typedef struct
{
  const CuredVerb *verb;
  GString *out;
} Script;

/* A text in single quotes, where all that shells read is \ and '. */
static char *
quote (const char *text, const char *escaped, const char *apostrophe)
{
  g_autoptr (GString) quoted = g_string_new (NULL);

  for (const char *at = text; *at != '\0'; at++)
    if (*at == '\'')
      g_string_append (quoted, apostrophe);
    else
      {
        if (strchr (escaped, *at) != NULL)
          g_string_append_c (quoted, '\\');
        g_string_append_c (quoted, *at);
      }
  return g_string_free (g_steal_pointer (&quoted), FALSE);
}

/* bash */

static void
add_bash_option (const GOptionEntry *entry, gpointer user_data)
{
  GString *options = user_data;

  g_string_append_printf (options, " --%s%s", entry->long_name, has_value (entry) ? "=" : "");
}

static void
add_bash_values (const GOptionEntry *entry, gpointer user_data)
{
  Script *self = user_data;
  g_autofree char *values = get_values (entry);

  if (!has_value (entry))
    return;
  g_string_append_printf (self->out, "    %s:--%s", self->verb->name, entry->long_name);
  if (entry->short_name != 0)
    g_string_append_printf (self->out, " | %s:-%c", self->verb->name, entry->short_name);
  g_string_append (self->out, ") ");
  if (is_folder (entry))
    g_string_append (self->out, "_cured_files \"$value\" /");
  else if (is_launcher (entry))
    g_string_append (self->out, "_cured_launchers \"$value\"");
  else if (is_file (entry))
    g_string_append_printf (self->out, "_cured_files \"$value\" '%s'", get_suffix (entry));
  else
    g_string_append_printf (self->out, "_cured_words \"$value\" '%s'", values);
  g_string_append (self->out, "; return ;;\n");
}

/* What cured_launcher_remember() writes, for a shell of the family. */
#define LAUNCHERS "\"${XDG_CONFIG_HOME:-$HOME/.config}/cured/launchers\""

static const char bash_head[] =
    "# bash completion of cured, as “cured --completions bash” prints it\n"
    "\n"
    "# Offers those of the words $2 that begin with $1. The shell takes what\n"
    "# follows a colon for a word of its own.\n"
    "_cured_words ()\n"
    "{\n"
    "  local head=\n"
    "\n"
    "  [[ $COMP_WORDBREAKS == *:* && $1 == *:* ]] && head=${1%\"${1##*:}\"}\n"
    "  mapfile -t COMPREPLY < <(compgen -W \"$2\" -- \"$1\")\n"
    "  COMPREPLY=(\"${COMPREPLY[@]#\"$head\"}\")\n"
    "}\n"
    "\n"
    "# Offers folders, and files whose names begin with $1 and end in $2.\n"
    "_cured_files ()\n"
    "{\n"
    "  local file\n"
    "\n"
    "  compopt -o filenames 2> /dev/null\n"
    "  while IFS= read -r file; do\n"
    "    if [[ -d $file || ( $2 != / && $file == *\"$2\" ) ]]; then\n"
    "      COMPREPLY+=(\"$file\")\n"
    "    fi\n"
    "  done < <(compgen -f -- \"$1\")\n"
    "}\n"
    "\n"
    "# Offers the words $2, and files that end in $3.\n"
    "_cured_words_or_files ()\n"
    "{\n"
    "  local file\n"
    "\n"
    "  _cured_words \"$1\" \"$2\"\n"
    "  for file in \"$1\"*\"$3\"; do\n"
    "    [[ -f $file ]] && COMPREPLY+=(\"$file\")\n"
    "  done\n"
    "  [[ ${#COMPREPLY[@]} -gt 0 ]] || _cured_files \"$1\" \"$3\"\n"
    "}\n"
    "\n"
    "# Offers the launchers that were used last, newest first, quoted unless the\n"
    "# line has a quote already.\n"
    "_cured_launchers ()\n"
    "{\n"
    "  local line begin=${1#[\\\"\\']}\n"
    "\n"
    "  compopt -o nosort 2> /dev/null\n"
    "  while IFS= read -r line; do\n"
    "    [[ $line == \"$begin\"* ]] || continue\n"
    "    [[ $begin != \"$1\" ]] || printf -v line %q \"$line\"\n"
    "    COMPREPLY+=(\"$line\")\n"
    "  done < <(cat " LAUNCHERS " 2> /dev/null)\n"
    "}\n"
    "\n"
    "_cured ()\n"
    "{\n"
    "  local line=${COMP_LINE:0:COMP_POINT} word rest verb option value\n"
    "  local -a parts\n"
    "\n"
    "  COMPREPLY=()\n"
    "  word=${line##*[[:space:]]}\n"
    "  rest=${line%\"$word\"}\n"
    "  read -ra parts <<< \"$rest\"\n"
    "  verb=${parts[1]-}\n"
    "  option=${parts[${#parts[@]} - 1]-}\n"
    "  value=$word\n"
    "  if [[ $word == --*=* ]]; then\n"
    "    option=${word%%=*}\n"
    "    value=${word#*=}\n"
    "  fi\n"
    "\n";

static void
write_bash (GString *out, const CuredVerb *const *verbs)
{
  g_autofree char *kernels = list_kernels ();
  g_autofree char *families = list_families ();
  g_autoptr (GString) names = g_string_new (NULL);

  for (gsize i = 0; verbs[i] != NULL; i++)
    append_word (names, verbs[i]->name);
  g_string_append (out, bash_head);
  g_string_append_printf (out,
                          "  local kernels='%s'\n"
                          "\n"
                          "  if [[ -z $verb ]]; then\n"
                          "    _cured_words \"$word\" '%s help --help --version'\n"
                          "    return\n"
                          "  fi\n"
                          "  case $verb:$option in\n"
                          "    help:*) _cured_words \"$word\" '%s'; return ;;\n",
                          kernels, names->str, names->str);
  for (gsize i = 0; verbs[i] != NULL; i++)
    {
      Script self = { verbs[i], out };

      cured_cli_list_entries (verbs[i], add_bash_values, &self);
    }
  g_string_append (out, "  esac\n"
                        "  if [[ $word == -* ]]; then\n"
                        "    case $verb in\n");
  for (gsize i = 0; verbs[i] != NULL; i++)
    {
      g_autoptr (GString) options = g_string_new ("--help");

      cured_cli_list_entries (verbs[i], add_bash_option, options);
      g_string_append_printf (out, "      %s) _cured_words \"$word\" '%s' ;;\n", verbs[i]->name,
                              options->str);
    }
  g_string_append (out, "    esac\n"
                        "    [[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace 2> /dev/null\n"
                        "    return\n"
                        "  fi\n"
                        "  case $verb in\n");
  for (gsize i = 0; verbs[i] != NULL; i++)
    {
      const char *name = verbs[i]->name;

      switch (verbs[i]->words)
        {
        case CURED_CLI_WORDS_KERNELS:
          g_string_append_printf (
              out, "    %s) _cured_words_or_files \"$word\" \"$kernels\" .cu ;;\n", name);
          break;
        case CURED_CLI_WORDS_FAMILIES:
          g_string_append_printf (out, "    %s) _cured_words_or_files \"$word\" '%s' .cured ;;\n",
                                  name, families);
          break;
        case CURED_CLI_WORDS_RESULTS:
          g_string_append_printf (out, "    %s) _cured_files \"$word\" .cured ;;\n", name);
          break;
        case CURED_CLI_WORDS_FILES:
          g_string_append_printf (out, "    %s) _cured_files \"$word\" '' ;;\n", name);
          break;
        case CURED_CLI_WORDS_NONE:
        default:
          break;
        }
    }
  g_string_append (out, "  esac\n"
                        "}\n"
                        "complete -F _cured cured\n");
}

/* zsh */

/* Of words for _arguments, where a colon ends the list. */
static char *
quote_zsh (const char *text)
{
  return quote (text, "[]:\\", "'\\''");
}

static void
add_zsh_option (const GOptionEntry *entry, gpointer user_data)
{
  Script *self = user_data;
  g_autofree char *words = get_values (entry);
  g_autofree char *values = quote_zsh (words);
  g_autofree char *summary = quote_zsh (entry->description);
  g_autofree char *what = quote_zsh (entry->arg_description != NULL ? entry->arg_description : "");
  gboolean is_repeated = entry->arg == G_OPTION_ARG_STRING_ARRAY;
  const char *suffix = get_suffix (entry);
  g_autofree char *action = is_folder (entry)     ? g_strdup ("_files -/")
                            : is_launcher (entry) ? g_strdup ("_cured_launchers")
                            : *suffix != '\0'     ? g_strdup_printf ("_files -g \"*%s\"", suffix)
                            : is_file (entry)     ? g_strdup ("_files")
                            : values[0] != '\0'   ? g_strdup_printf ("(%s)", values)
                                                  : g_strdup (" ");
  g_autofree char *argument =
      has_value (entry) ? g_strdup_printf (":%s:%s", what, action) : g_strdup ("");
  const char *equals = has_value (entry) ? "=" : "";

  g_string_append_printf (self->out, " \\\n        '%s--%s%s[%s]%s'", is_repeated ? "*" : "",
                          entry->long_name, equals, summary, argument);
  if (entry->short_name != 0)
    g_string_append_printf (self->out, " \\\n        '%s-%c%s[%s]%s'", is_repeated ? "*" : "",
                            entry->short_name, has_value (entry) ? "+" : "", summary, argument);
}

static void
write_zsh (GString *out, const CuredVerb *const *verbs)
{
  g_autofree char *kernels = list_kernels ();
  g_autofree char *families = list_families ();

  g_string_append_printf (out,
                          "#compdef cured\n"
                          "# zsh completion of cured, as “cured --completions zsh” prints it\n"
                          "\n"
                          "_cured_kernels ()\n"
                          "{\n"
                          "  _alternative 'kernels:kernel:(%s)' \\\n"
                          "    'files:kernel file:_files -g \"*.cu\"'\n"
                          "}\n"
                          "\n"
                          "_cured_families ()\n"
                          "{\n"
                          "  _alternative 'families:family:(%s)' \\\n"
                          "    'files:result file:_files -g \"*.cured\"'\n"
                          "}\n"
                          "\n"
                          "_cured_launchers ()\n"
                          "{\n"
                          "  compadd -V launchers -- ${(f)\"$(cat " LAUNCHERS " 2> /dev/null)\"}\n"
                          "}\n"
                          "\n"
                          "_cured ()\n"
                          "{\n"
                          "  local -a verbs\n"
                          "  local verb\n"
                          "\n"
                          "  verbs=(\n",
                          kernels, families);
  for (gsize i = 0; verbs[i] != NULL; i++)
    {
      g_autofree char *summary = quote (verbs[i]->summary, "\\", "'\\''");

      g_string_append_printf (out, "    '%s:%s'\n", verbs[i]->name, summary);
    }
  g_string_append (out, "  )\n"
                        "  if (( CURRENT == 2 )); then\n"
                        "    _describe -t verbs verb verbs\n"
                        "    return\n"
                        "  fi\n"
                        "  verb=$words[2]\n"
                        "  shift words\n"
                        "  (( CURRENT-- ))\n"
                        "  case $verb in\n"
                        "    help) _describe -t verbs verb verbs ;;\n");
  for (gsize i = 0; verbs[i] != NULL; i++)
    {
      Script self = { verbs[i], out };

      g_string_append_printf (out, "    %s)\n      _arguments -s '--help[Print the options]'",
                              verbs[i]->name);
      cured_cli_list_entries (verbs[i], add_zsh_option, &self);
      switch (verbs[i]->words)
        {
        case CURED_CLI_WORDS_KERNELS:
          g_string_append (out, " \\\n        '*:kernel:_cured_kernels'");
          break;
        case CURED_CLI_WORDS_FAMILIES:
          g_string_append (out, " \\\n        '*:family:_cured_families'");
          break;
        case CURED_CLI_WORDS_RESULTS:
          g_string_append (out, " \\\n        '*:result file:_files -g \"*.cured\"'");
          break;
        case CURED_CLI_WORDS_FILES:
          g_string_append (out, " \\\n        '*:file:_files'");
          break;
        case CURED_CLI_WORDS_NONE:
        default:
          break;
        }
      g_string_append (out, "\n      ;;\n");
    }
  g_string_append (out, "  esac\n"
                        "}\n"
                        "\n"
                        "_cured \"$@\"\n");
}

/* fish */

static char *
quote_fish (const char *text)
{
  return quote (text, "\\", "\\'");
}

static void
add_fish_option (const GOptionEntry *entry, gpointer user_data)
{
  Script *self = user_data;
  g_autofree char *values = get_values (entry);
  g_autofree char *summary = quote_fish (entry->description);

  g_string_append_printf (self->out, "complete -c cured -n '__fish_seen_subcommand_from %s' -l %s",
                          self->verb->name, entry->long_name);
  if (entry->short_name != 0)
    g_string_append_printf (self->out, " -s %c", entry->short_name);
  if (is_folder (entry))
    g_string_append (self->out, " -x -a '(__fish_complete_directories)'");
  else if (is_launcher (entry))
    g_string_append (self->out, " -x -k -a '(sh -c \\'cat " LAUNCHERS " 2> /dev/null\\')'");
  else if (*get_suffix (entry) != '\0')
    g_string_append_printf (self->out, " -x -a '(__fish_complete_suffix %s)'", get_suffix (entry));
  else if (is_file (entry))
    g_string_append (self->out, " -r -F");
  else if (has_value (entry))
    g_string_append (self->out, " -x");
  if (values[0] != '\0')
    g_string_append_printf (self->out, " -a '%s'", values);
  g_string_append_printf (self->out, " -d '%s'\n", summary);
}

static void
write_fish (GString *out, const CuredVerb *const *verbs)
{
  g_autofree char *kernels = list_kernels ();
  g_autofree char *families = list_families ();

  g_string_append (
      out, "# fish completion of cured, as “cured --completions fish” prints it\n"
           "\n"
           "complete -c cured -f\n"
           "complete -c cured -n __fish_use_subcommand -l help -d 'Print the verbs'\n"
           "complete -c cured -n __fish_use_subcommand -l version -d 'Print the version'\n");
  for (gsize i = 0; verbs[i] != NULL; i++)
    {
      Script self = { verbs[i], out };
      const char *name = verbs[i]->name;
      g_autofree char *summary = quote_fish (verbs[i]->summary);
      g_autofree char *words =
          verbs[i]->words == CURED_CLI_WORDS_KERNELS
              ? g_strdup_printf ("%s (__fish_complete_suffix .cu)", kernels)
          : verbs[i]->words == CURED_CLI_WORDS_FAMILIES
              ? g_strdup_printf ("%s (__fish_complete_suffix .cured)", families)
          : verbs[i]->words == CURED_CLI_WORDS_RESULTS
              ? g_strdup ("(__fish_complete_suffix .cured)")
          : verbs[i]->words == CURED_CLI_WORDS_FILES ? g_strdup ("(__fish_complete_path)")
                                                     : NULL;

      g_string_append_printf (out, "\ncomplete -c cured -n __fish_use_subcommand -a %s -d '%s'\n",
                              name, summary);
      if (words != NULL)
        g_string_append_printf (
            out, "complete -c cured -n '__fish_seen_subcommand_from %s' -a '%s'\n", name, words);
      cured_cli_list_entries (verbs[i], add_fish_option, &self);
    }
}

static const struct
{
  const char *name;
  void (*write) (GString *out, const CuredVerb *const *verbs);
} shells[] = {
  { "bash", write_bash },
  { "fish", write_fish },
  { "zsh", write_zsh },
};

/* Prints a script that completes the command line in a shell. */
int
cured_cli_print_completions (const CuredVerb *const *verbs, const char *shell)
{
  for (gsize i = 0; i < G_N_ELEMENTS (shells); i++)
    if (g_str_equal (shell, shells[i].name))
      {
        g_autoptr (GString) out = g_string_new (NULL);

        shells[i].write (out, verbs);
        g_print ("%s", out->str);
        return CURED_EXIT_OK;
      }
  return cured_cli_fail (_ ("--completions: “%s” is not one of bash, fish and zsh"), shell);
}
