/* SPDX-License-Identifier: MIT
 * Which options of NVRTC a kernel file may ask for. */
#include "kernel/cured-compile-options-internal.h"

#include "base/cured-base-internal.h"
#include "kernel/cured-ptx-text-internal.h"

/* NVRTC has options that write files (--time, --fdevice-time-trace, --pch-dir), that read them
 * (--pre-include, --use-pch), and that hand words on to other programs' parsers. A list of harmless
 * options is short and stays right when NVRTC gets new ones. */

typedef enum
{
  VALUE_NONE,
  VALUE_WORD,   /* "-opt=value" or "-opt value" */
  VALUE_JOINED, /* "-Dvalue", too */
  VALUE_PTXAS,  /* one of `ptxas_words` */
} Value;

typedef struct
{
  const char *name;
  Value value;
} Option;

/* Sorted by meaning, as in docs/kernel-files.md. Source: NVRTC documentation, "Supported Compile
 * Options". */
static const Option options_table[] = {
  /* clang-format off */
  { "-D", VALUE_JOINED },
  { "--define-macro", VALUE_WORD },
  { "-U", VALUE_JOINED },
  { "--undefine-macro", VALUE_WORD },
  { "-I", VALUE_JOINED },
  { "--include-path", VALUE_WORD },
  { "-std", VALUE_WORD },
  { "--std", VALUE_WORD },
  { "-use_fast_math", VALUE_NONE },
  { "--use_fast_math", VALUE_NONE },
  { "-ftz", VALUE_WORD },
  { "--ftz", VALUE_WORD },
  { "-prec-div", VALUE_WORD },
  { "--prec-div", VALUE_WORD },
  { "-prec-sqrt", VALUE_WORD },
  { "--prec-sqrt", VALUE_WORD },
  { "-fmad", VALUE_WORD },
  { "--fmad", VALUE_WORD },
  { "-maxrregcount", VALUE_WORD },
  { "--maxrregcount", VALUE_WORD },
  { "-extra-device-vectorization", VALUE_NONE },
  { "--extra-device-vectorization", VALUE_NONE },
  { "-restrict", VALUE_NONE },
  { "--restrict", VALUE_NONE },
  { "-default-device", VALUE_NONE },
  { "--device-as-default-execution-space", VALUE_NONE },
  { "-Ofc", VALUE_WORD },
  { "--Ofast-compile", VALUE_WORD },
  { "-dopt", VALUE_WORD },
  { "--dopt", VALUE_WORD },
  { "-jtd", VALUE_WORD },
  { "--jump-table-density", VALUE_WORD },
  { "--device-stack-protector", VALUE_WORD },
  { "-Xptxas", VALUE_PTXAS },
  { "--ptxas-options", VALUE_PTXAS },
  { "-lineinfo", VALUE_NONE },
  { "--generate-line-info", VALUE_NONE },
  { "-G", VALUE_NONE },
  { "--device-debug", VALUE_NONE },
  { "--device-int128", VALUE_NONE },
  { "-device-int128", VALUE_NONE },
  { "--device-float128", VALUE_NONE },
  { "-device-float128", VALUE_NONE },
  { "-builtin-move-forward", VALUE_WORD },
  { "--builtin-move-forward", VALUE_WORD },
  { "-builtin-initializer-list", VALUE_WORD },
  { "--builtin-initializer-list", VALUE_WORD },
  { "-w", VALUE_NONE },
  { "--disable-warnings", VALUE_NONE },
  { "-diag-error", VALUE_WORD },
  { "--diag-error", VALUE_WORD },
  { "-diag-suppress", VALUE_WORD },
  { "--diag-suppress", VALUE_WORD },
  { "-diag-warn", VALUE_WORD },
  { "--diag-warn", VALUE_WORD },
  { "-opt-info", VALUE_WORD },
  { "--optimization-info", VALUE_WORD },
  { "-err-no", VALUE_NONE },
  { "--display-error-number", VALUE_NONE },
  { "-no-err-no", VALUE_NONE },
  { "--no-display-error-number", VALUE_NONE },
  { "-brief-diag", VALUE_WORD },
  { "--brief-diagnostics", VALUE_WORD },
  /* clang-format on */
};

/* Options for ptxas; after a name that ends in `=`, any letters and digits are allowed. */
static const char *const ptxas_words[] = {
  "-v",
  "--verbose",
  "-O0",
  "-O1",
  "-O2",
  "-O3",
  "--opt-level=",
  "-dlcm=",
  "--def-load-cache=",
  "-dscm=",
  "--def-store-cache=",
  "--allow-expensive-optimizations=",
  "--warn-on-spills",
  "--warn-on-local-memory-usage",
  "--warn-on-double-precision-use",
};

static gboolean
is_ptxas_word (const char *word)
{
  for (gsize i = 0; i < G_N_ELEMENTS (ptxas_words); i++)
    {
      gsize length = strlen (ptxas_words[i]);

      if (ptxas_words[i][length - 1] != '=')
        {
          if (g_str_equal (ptxas_words[i], word))
            return TRUE;
          continue;
        }
      if (!g_str_has_prefix (word, ptxas_words[i]))
        continue;
      for (word += length; g_ascii_isalnum (*word); word++)
        ;
      return *word == '\0';
    }
  return FALSE;
}

/* The row of the option @word. @rest gets the value behind its name; NULL where the value is the
 * next word, or the option has none. */
static const Option *
find_option (const char *word, const char **rest)
{
  for (gsize i = 0; i < G_N_ELEMENTS (options_table); i++)
    {
      const Option *option = &options_table[i];
      gsize length = strlen (option->name);

      if (!g_str_has_prefix (word, option->name))
        continue;
      *rest = NULL;
      if (word[length] == '\0')
        return option;
      *rest = word + length;
      if (word[length] == '=' && option->value != VALUE_NONE)
        {
          *rest += 1;
          return option;
        }
      if (option->value == VALUE_JOINED && word[1] != '-')
        return option;
    }
  return NULL;
}

/* @options: (nullable) (array zero-terminated=1): words for NVRTC
 * @error: %CURED_ERROR_INVALID, which names the word
 *
 * Checks that every option is safe in a file from a stranger: it defines, warns or optimises,
 * and neither reads nor writes a file. `-I` is allowed: cured_sources_new() restricts its
 * folder.
 * Returns: %FALSE with an error */
gboolean
cured_compile_options_check (const char *const *options, GError **error)
{
  for (gsize i = 0; options != NULL && options[i] != NULL; i++)
    {
      const char *word = options[i], *value = NULL;
      const Option *option = find_option (word, &value);
      gboolean is_good = option != NULL && !_cured_text_has_control (word);

      if (is_good && option->value != VALUE_NONE && value == NULL)
        {
          value = options[i + 1];
          /* NVRTC could take a value that looks like an option for one. */
          is_good = value != NULL && !_cured_text_has_control (value) &&
                    (*value != '-' || option->value == VALUE_PTXAS);
          if (value != NULL)
            i++;
        }
      if (is_good && option->value == VALUE_PTXAS)
        is_good = is_ptxas_word (value);
      if (is_good)
        continue;
      return cured_fail (
          error, CURED_ERROR_INVALID,
          /* Translators: an option of the compiler's. */
          _ ("the option “%s” is not one that Cured passes on to NVRTC; cured-kernel(5) "
             "lists those, and “cured run --unsafe-option” passes any other one"),
          word);
    }
  return TRUE;
}

/* @text: options as a person writes them, split as a shell does
 * @error: a `G_SHELL_ERROR`, or as from cured_compile_options_check()
 * Returns: (transfer full) (array zero-terminated=1): the words; %NULL with an error */
char **
cured_compile_options_parse (const char *text, GError **error)
{
  g_auto (GStrv) words = NULL;
  g_autoptr (GError) local = NULL;

  if (*text == '\0')
    return g_new0 (char *, 1);
  if (!g_shell_parse_argv (text, NULL, &words, &local) &&
      !g_error_matches (local, G_SHELL_ERROR, G_SHELL_ERROR_EMPTY_STRING))
    {
      g_propagate_error (error, g_steal_pointer (&local));
      return NULL;
    }
  if (words == NULL)
    return g_new0 (char *, 1);
  return cured_compile_options_check ((const char *const *) words, error) ? g_steal_pointer (&words)
                                                                          : NULL;
}

/* @options: (nullable) (array zero-terminated=1): words for NVRTC
 * @folders: (element-type utf8): gets a copy of the folder of each `-I`
 * Returns: (transfer full) (array zero-terminated=1): the other words */
char **
cured_compile_options_take_folders (const char *const *options, GPtrArray *folders)
{
  g_autoptr (GStrvBuilder) others = g_strv_builder_new ();

  for (gsize i = 0; options != NULL && options[i] != NULL; i++)
    {
      const char *value = NULL;
      const Option *option = find_option (options[i], &value);

      if (option == NULL ||
          (!g_str_equal (option->name, "-I") && !g_str_equal (option->name, "--include-path")))
        {
          g_strv_builder_add (others, options[i]);
          /* Skip the option's value, even if it looks like an option. */
          if (option != NULL && option->value != VALUE_NONE && value == NULL &&
              options[i + 1] != NULL)
            g_strv_builder_add (others, options[++i]);
          continue;
        }
      if (value == NULL && options[i + 1] != NULL)
        value = options[++i];
      if (value != NULL && *value != '\0')
        g_ptr_array_add (folders, g_strdup (value));
    }
  return g_strv_builder_end (others);
}
