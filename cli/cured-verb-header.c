/* SPDX-License-Identifier: MIT
 * cured header: drafts the header of a file that has none. */
#include "config.h"

#include <glib/gi18n.h>

#include "cured-cli.h"

typedef struct
{
  /* Owned */
  char *kernel;
  char *output;
  char *triton;

  gboolean in_place;
  gboolean force;
} HeaderOptions;

static void
header_options_clear (HeaderOptions *self)
{
  g_free (self->kernel);
  g_free (self->output);
  g_free (self->triton);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (HeaderOptions, header_options_clear)

/* The names of what can be launched: “a, b”. */
static char *
list_names (GPtrArray *drafts)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < drafts->len; i++)
    {
      const CuredHeaderDraft *draft = g_ptr_array_index (drafts, i);

      cured_cli_append_item (text, draft->entry);
    }
  return g_string_free (text, FALSE);
}

/* The one that --kernel names, or the first one. */
static const CuredHeaderDraft *
choose (GPtrArray *drafts, const char *name)
{
  for (guint i = 0; i < drafts->len; i++)
    {
      const CuredHeaderDraft *draft = g_ptr_array_index (drafts, i);

      if (name == NULL || g_str_equal (draft->entry, name) || g_str_equal (draft->function, name))
        return draft;
    }
  return NULL;
}

static int
run_header (GOptionContext *context, int argc, char **argv)
{
  g_auto (HeaderOptions) options = { 0 };
  const GOptionEntry entries[] = {
    { "kernel", 'k', 0, G_OPTION_ARG_STRING, &options.kernel,
      N_ ("Which kernel of the file [the first one that is launched]"), N_ ("NAME") },
    { "output", 'o', 0, G_OPTION_ARG_FILENAME, &options.output,
      N_ ("Write header and source to this file"), N_ ("FILE") },
    { "force", 0, 0, G_OPTION_ARG_NONE, &options.force, N_ ("Replace FILE"), NULL },
    { "triton", 0, 0, G_OPTION_ARG_FILENAME, &options.triton,
      N_ ("Take the PTX of Triton's cache: the newest of --kernel's name"), N_ ("FOLDER") },
    { "in-place", 0, 0, G_OPTION_ARG_NONE, &options.in_place,
      N_ ("Put the header on top of the file itself"), NULL },
    G_OPTION_ENTRY_NULL,
  };
  g_autoptr (GPtrArray) drafts = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *found = NULL;
  g_autofree char *names = NULL;
  g_autofree char *text = NULL;
  g_autofree char *source = NULL;
  const CuredHeaderDraft *draft;
  const char *path;

  if (!cured_cli_parse (context, entries, &argc, &argv))
    return CURED_EXIT_USAGE;
  if (options.triton != NULL && argc == 1)
    {
      found = cured_header_find_triton (options.triton, options.kernel, &error);
      if (found == NULL)
        return cured_cli_fail_error (error);
      if (!cured_cli_is_quiet ())
        g_printerr (_ ("%s: drafted for this file\n"), found);
    }
  else if (argc != 2 || options.triton != NULL)
    return cured_cli_fail (_ ("header needs one file, such as “cured header scan.cu”"));
  if (options.in_place && options.output != NULL)
    return cured_cli_fail (_ ("--in-place writes to the file itself; leave --output out"));
  path = found != NULL ? found : argv[1];
  if (!cured_cli_check_with (options.force, "--force", options.output != NULL, "-o FILE") ||
      !cured_cli_check_output (options.output, (char *[]){ (char *) path, NULL }, options.force))
    return CURED_EXIT_USAGE;
  drafts = cured_header_draft_file (path, &source, &error);
  if (drafts == NULL)
    return cured_cli_fail_error (error);
  names = list_names (drafts);
  draft = choose (drafts, options.kernel);
  if (draft == NULL)
    return cured_cli_fail (_ ("%s has no kernel “%s”; it has %s"), path, options.kernel, names);
  if (options.kernel == NULL && drafts->len > 1 && !cured_cli_is_quiet ())
    g_printerr (_ ("%s: drafted for %s; --kernel chooses among %s\n"), path, draft->entry, names);
  if (options.output == NULL && !options.in_place)
    {
      text = cured_header_draft_to_text (draft);
      g_print ("%s", text);
      return CURED_EXIT_OK;
    }
  text = cured_header_draft_apply (draft, NULL, source);
  if (!cured_output_file_write_text (options.in_place ? path : options.output, text, &error))
    return cured_cli_fail_error (error);
  return CURED_EXIT_OK;
}

const CuredVerb cured_verb_header = {
  .name = "header",
  .arguments = N_ ("FILE"),
  .summary = N_ ("Draft the header of a file that has none"),
  .description =
      N_ ("Reads the kernels of a CUDA file and where its host code launches them, or the\n"
          "entries of a PTX file and what Triton or Numba say of their arguments, and\n"
          "prints the comment that makes it a kernel file: parameters, buffers, grid, block\n"
          "and arguments. What the source does not say is guessed: read the comment before\n"
          "you trust it. cured-kernel(5) explains each line.\n"
          "\n"
          "Examples:\n"
          "  cured header scan.cu\n"
          "  cured header scan.cu --kernel block_scan -o mine.cu\n"
          "  cured header scan.cu --in-place && cured check scan.cu\n"
          "  cured header --triton ~/.triton/cache -k softmax -o softmax.ptx\n"),
  .words = CURED_CLI_WORDS_KERNELS,
  .run = run_header,
};
