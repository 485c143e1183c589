/* SPDX-License-Identifier: MIT
 * cured header: drafts the header of a file that has none. */
#include "config.h"

#include <glib/gi18n.h>

#include "cured-cli.h"

static struct
{
  char *kernel;
  char *output;
  char *triton;
  gboolean tunable;
  gboolean in_place;
  gboolean force;
} given;

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

/* (transfer full): with constants of the source as parameters; of PTX, which has none, as it is */
static CuredHeaderDraft *
make_tunable (const char *path, const char *source, const CuredHeaderDraft *draft)
{
  g_autofree char *context = cured_header_draft_read_context (path, source);
  g_autoptr (GPtrArray) functions = cured_header_draft_scan (source, context);

  for (guint i = 0; i < functions->len; i++)
    {
      const CuredDraftFunction *function = functions->pdata[i];

      if (g_str_equal (function->name, draft->function))
        return cured_header_draft_new_tunable (source, context, function, draft->title);
    }
  return NULL;
}

/* clang-format off */
static const CuredCliOption rows[] = {
  { "kernel", 'k', CURED_CLI_TEXT, &given.kernel,
    N_ ("Kernel to draft [the first one launched]"), N_ ("NAME") },
  { "output", 'o', CURED_CLI_FILE, &given.output, N_ ("Write header and source to this file"), N_ ("FILE") },
  { "force", 0, CURED_CLI_FLAG, &given.force, N_ ("Replace FILE") },
  { "triton", 0, CURED_CLI_FOLDER, &given.triton,
    N_ ("Newest PTX of --kernel's name in Triton's cache"), N_ ("FOLDER") },
  { "tunable", 0, CURED_CLI_FLAG, &given.tunable, N_ ("Make parameters of constants, and sweep two of them") },
  { "in-place", 0, CURED_CLI_FLAG, &given.in_place, N_ ("Put the header on top of the file itself") },
  { NULL },
};
/* clang-format on */

static int
run_header (int argc, char **argv, GError **error)
{
  g_autoptr (GPtrArray) drafts = NULL;
  g_autofree char *found = NULL;
  g_autofree char *names = NULL;
  g_autofree char *text = NULL;
  g_autofree char *source = NULL;
  g_autoptr (CuredHeaderDraft) tuned = NULL;
  const CuredHeaderDraft *draft;
  const char *path;

  if (given.triton != NULL && argc == 1)
    {
      found = cured_header_find_triton (given.triton, given.kernel, error);
      if (found == NULL)
        return CURED_EXIT_USAGE;
      if (!cured_cli_is_quiet ())
        g_printerr (_ ("%s: drafted for this file\n"), found);
    }
  else if (argc != 2 || given.triton != NULL)
    return cured_cli_fail (_ ("header needs one file, such as “cured header scan.cu”"));
  if (given.in_place && given.output != NULL)
    return cured_cli_fail (_ ("--in-place writes to the file itself; leave --output out"));
  path = found != NULL ? found : argv[1];
  if (!cured_cli_check_with (given.force, "--force", given.output != NULL, "-o FILE") ||
      !cured_cli_check_output (given.output, (char *[]){ (char *) path, NULL }, given.force))
    return CURED_EXIT_USAGE;
  drafts = cured_header_draft_file (path, &source, error);
  if (drafts == NULL)
    return CURED_EXIT_USAGE;
  names = list_names (drafts);
  draft = choose (drafts, given.kernel);
  if (draft == NULL)
    return cured_cli_fail (_ ("%s has no kernel “%s”; it has %s"), path, given.kernel, names);
  if (given.kernel == NULL && drafts->len > 1 && !cured_cli_is_quiet ())
    g_printerr (_ ("%s: drafted for %s; --kernel chooses among %s\n"), path, draft->entry, names);
  if (given.tunable)
    {
      tuned = make_tunable (path, source, draft);
      if (tuned == NULL)
        return cured_cli_fail (_ ("%s: --tunable needs a CUDA source; PTX has no constants"), path);
      draft = tuned;
    }
  if (given.output == NULL && !given.in_place)
    {
      text = cured_header_draft_to_text (draft);
      g_print ("%s", text);
      return CURED_EXIT_OK;
    }
  text = cured_header_draft_apply (draft, NULL, source);
  if (!cured_output_file_write_text (given.in_place ? path : given.output, text, error))
    return CURED_EXIT_USAGE;
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
  .options = { rows },
  .run = run_header,
};
