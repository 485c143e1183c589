/* SPDX-License-Identifier: MIT
 * cured exec: runs a whole CUDA program on the emulator. */
#include "config.h"

#include <glib-unix.h>
#include <glib/gi18n.h>
#include <inttypes.h>
#include <malloc.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "cured-cli.h"

#define DEFAULT_FIRST 3

/* Of memory that was freed: launches are short, and the next one needs as much. */
#define KEPT_BYTES (256 << 20)

typedef struct
{
  gboolean check;
  gboolean banks;
  gboolean counts;
  gboolean all;
  gboolean json;
  int first;
  gint64 n_blocks;
  double limit_s;
  CuredExecOptions exec;
} Options;

static gboolean
interrupt_cb (gpointer data)
{
  g_cancellable_cancel (data);
  return G_SOURCE_CONTINUE;
}

static void
progress_cb (const CuredExecProgress *progress, gpointer data)
{
  g_autofree char *launches = cured_format_count ((gint64) progress->n_launches);
  g_autofree char *instructions = cured_format_quantity ((double) progress->instructions, "");
  g_autofree char *line =
      /* Translators: launches, instructions, and seconds. */
      g_strdup_printf (_ ("%s launches, %s instructions, %.1f s"), launches, instructions,
                       (double) progress->elapsed_us / G_USEC_PER_SEC);

  cured_cli_line_show (line);
}

/* ---- For people ---- */

/* "4 × 2": sizes without what is 1 at the end. */
static char *
format_size (const guint *size)
{
  if (size[2] > 1)
    return g_strdup_printf ("%u × %u × %u", size[0], size[1], size[2]);
  return size[1] > 1 ? g_strdup_printf ("%u × %u", size[0], size[1])
                     : g_strdup_printf ("%u", size[0]);
}

static void
print_kernels (const CuredExecReport *report)
{
  g_autoptr (CuredCliTable) table = cured_cli_table_new ("lrllrrr");

  if (report->kernels->len == 0)
    return;
  cured_cli_table_add (table, _ ("kernel"), _ ("launches"), _ ("grid"), _ ("block"),
                       _ ("instructions"), _ ("excess"), _ ("sectors"), NULL);
  for (guint i = 0; i < report->kernels->len; i++)
    {
      const CuredExecKernel *kernel = g_ptr_array_index (report->kernels, i);
      g_autofree char *launches = cured_format_count ((gint64) kernel->n_launches);
      g_autofree char *grid = format_size (kernel->grid);
      g_autofree char *block = format_size (kernel->block);
      g_autofree char *first_grid =
          kernel->n_geometries > 1 ? g_strconcat (grid, " …", NULL) : NULL;
      g_autofree char *instructions = cured_format_quantity ((double) kernel->instructions, "");
      g_autofree char *excess =
          kernel->least == 0
              ? g_strdup ("")
              : g_strdup_printf ("%.0f %%", 100.0 * (double) (kernel->wavefronts - kernel->least) /
                                                (double) kernel->least);
      g_autofree char *sectors =
          kernel->requests == 0
              ? g_strdup ("")
              : g_strdup_printf ("%.1f", (double) kernel->sectors / (double) kernel->requests);

      cured_cli_table_add (table, kernel->name, launches, first_grid != NULL ? first_grid : grid,
                           block, instructions, excess, sectors, NULL);
    }
  g_print ("\n");
  cured_cli_table_print (table, "");
}

static void
print_list (const char *title, const GPtrArray *texts)
{
  if (texts->len == 0)
    return;
  g_print ("\n%s\n", title);
  for (guint i = 0; i < texts->len; i++)
    g_print ("  %s\n", (const char *) g_ptr_array_index (texts, i));
}

static void
print_report (const CuredExecReport *report)
{
  g_autofree char *launches = cured_format_count ((gint64) report->progress.n_launches);
  g_autofree char *instructions =
      cured_format_quantity ((double) report->progress.instructions, "");

  print_kernels (report);
  for (guint i = 0; i < report->findings->len; i++)
    {
      g_autofree char *text = cured_finding_to_string (g_ptr_array_index (report->findings, i));

      g_print ("\n%s\n", text);
    }
  print_list (_ ("Never freed:"), report->leaks);
  print_list (_ ("Saved:"), report->saved);
  print_list (_ ("Notes:"), report->notes);
  /* Translators: launches, instructions, seconds, and findings. */
  g_print (ngettext ("\n%s launches, %s instructions, %.1f s: %u finding\n",
                     "\n%s launches, %s instructions, %.1f s: %u findings\n",
                     report->findings->len),
           launches, instructions, (double) report->progress.elapsed_us / G_USEC_PER_SEC,
           report->findings->len);
  if (report->is_stopped)
    g_print (_ ("The program was stopped before its end\n"));
}

/* ---- For programs ---- */

static void
add_side (JsonBuilder *builder, const char *name, const CuredFindingSide *side)
{
  if (side->what == NULL)
    return;
  json_builder_set_member_name (builder, name);
  json_builder_begin_object (builder);
  cured_cli_json_add_string (builder, "what", side->what);
  cured_cli_json_add_string (builder, "file", side->file);
  cured_cli_json_add_int (builder, "line", side->line);
  if (side->warp != CURED_FINDING_HOST)
    {
      json_builder_set_member_name (builder, "block");
      json_builder_begin_array (builder);
      for (int i = 0; i < 3; i++)
        json_builder_add_int_value (builder, side->block[i]);
      json_builder_end_array (builder);
      cured_cli_json_add_int (builder, "warp", side->warp);
      cured_cli_json_add_int (builder, "lanes", side->lanes);
    }
  json_builder_end_object (builder);
}

static void
add_sizes (JsonBuilder *builder, const char *name, const guint *sizes)
{
  json_builder_set_member_name (builder, name);
  json_builder_begin_array (builder);
  for (int i = 0; i < 3; i++)
    json_builder_add_int_value (builder, sizes[i]);
  json_builder_end_array (builder);
}

static void
add_texts (JsonBuilder *builder, const char *name, const GPtrArray *texts)
{
  json_builder_set_member_name (builder, name);
  json_builder_begin_array (builder);
  for (guint i = 0; i < texts->len; i++)
    json_builder_add_string_value (builder, g_ptr_array_index (texts, i));
  json_builder_end_array (builder);
}

static void
print_json (const CuredExecReport *report)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();

  json_builder_begin_object (builder);
  cured_cli_json_add_int (builder, "status", report->program_status);
  cured_cli_json_add_int (builder, "launches", (gint64) report->progress.n_launches);
  cured_cli_json_add_int (builder, "instructions", (gint64) report->progress.instructions);
  cured_cli_json_add_double (builder, "elapsed_s",
                             (double) report->progress.elapsed_us / G_USEC_PER_SEC);
  json_builder_set_member_name (builder, "stopped");
  json_builder_add_boolean_value (builder, report->is_stopped);
  json_builder_set_member_name (builder, "kernels");
  json_builder_begin_array (builder);
  for (guint i = 0; i < report->kernels->len; i++)
    {
      const CuredExecKernel *kernel = g_ptr_array_index (report->kernels, i);

      json_builder_begin_object (builder);
      cured_cli_json_add_string (builder, "kernel", kernel->name);
      cured_cli_json_add_int (builder, "launches", (gint64) kernel->n_launches);
      cured_cli_json_add_int (builder, "watched", (gint64) kernel->n_watched);
      cured_cli_json_add_int (builder, "geometries", kernel->n_geometries);
      add_sizes (builder, "grid", kernel->grid);
      add_sizes (builder, "block", kernel->block);
      cured_cli_json_add_int (builder, "instructions", (gint64) kernel->instructions);
      cured_cli_json_add_int (builder, "wavefronts", (gint64) kernel->wavefronts);
      cured_cli_json_add_int (builder, "least_wavefronts", (gint64) kernel->least);
      cured_cli_json_add_int (builder, "requests", (gint64) kernel->requests);
      cured_cli_json_add_int (builder, "sectors", (gint64) kernel->sectors);
      json_builder_end_object (builder);
    }
  json_builder_end_array (builder);
  json_builder_set_member_name (builder, "findings");
  json_builder_begin_array (builder);
  for (guint i = 0; i < report->findings->len; i++)
    {
      const CuredFinding *finding = g_ptr_array_index (report->findings, i);

      json_builder_begin_object (builder);
      cured_cli_json_add_string (builder, "kind", cured_finding_info (finding->kind)->id);
      cured_cli_json_add_string (builder, "kernel", finding->kernel);
      cured_cli_json_add_string (builder, "object", finding->object);
      cured_cli_json_add_string (builder, "detail", finding->detail);
      cured_cli_json_add_int (builder, "count", (gint64) finding->count);
      add_side (builder, "here", &finding->here);
      add_side (builder, "there", &finding->there);
      json_builder_end_object (builder);
    }
  json_builder_end_array (builder);
  add_texts (builder, "never_freed", report->leaks);
  add_texts (builder, "saved", report->saved);
  add_texts (builder, "notes", report->notes);
  json_builder_end_object (builder);
  cured_cli_print_json (builder);
}

/* ---- The verb ---- */

static gboolean
take_options (Options *self, const char *device)
{
  if (device != NULL && !g_str_has_prefix (device, "emulator"))
    {
      cured_cli_fail (_ ("exec runs on the emulator; “%s” is something else"), device);
      return FALSE;
    }
  if (device != NULL && device[strlen ("emulator")] == ':')
    self->exec.arch = device + strlen ("emulator:");
  if (self->check + self->banks + self->counts > 1)
    {
      cured_cli_fail (_ ("--check, --banks and --counts exclude each other"));
      return FALSE;
    }
  if (self->first < 0 || self->n_blocks < 0 || self->limit_s < 0)
    {
      cured_cli_fail (_ ("--first, --blocks and --limit take numbers from 0 on"));
      return FALSE;
    }
  self->exec.watch = self->banks    ? CURED_EXEC_BANKS
                     : self->counts ? CURED_EXEC_COUNTS
                                    : CURED_EXEC_CHECK;
  self->exec.first = self->all ? 0 : (guint) self->first;
  self->exec.n_blocks = (guint64) self->n_blocks;
  self->exec.limit_us = (gint64) (MIN (self->limit_s, 1e9) * G_USEC_PER_SEC);
  self->exec.is_quiet = self->json;
  if (isatty (STDERR_FILENO) != 0 && !cured_cli_is_quiet ())
    self->exec.progress = progress_cb;
  return TRUE;
}

static int
run_exec (GOptionContext *context, int argc, char **argv)
{
  Options options = { .first = DEFAULT_FIRST };
  g_autofree char *device = NULL;
  g_autofree char *kernel = NULL;
  g_autofree char *save = NULL;
  const GOptionEntry entries[] = {
    { "check", 0, 0, G_OPTION_ARG_NONE, &options.check,
      N_ ("Look for races and reads of what nobody wrote [default]"), NULL },
    { "banks", 0, 0, G_OPTION_ARG_NONE, &options.banks, N_ ("Look for bank conflicts"), NULL },
    { "counts", 0, 0, G_OPTION_ARG_NONE, &options.counts, N_ ("Count, and look at bounds alone"),
      NULL },
    { "first", 0, 0, G_OPTION_ARG_INT, &options.first,
      N_ ("Launches of a kernel and geometry that are looked at [3]"), N_ ("N") },
    { "all", 0, 0, G_OPTION_ARG_NONE, &options.all, N_ ("Look at every launch"), NULL },
    { "kernel", 'k', 0, G_OPTION_ARG_STRING, &kernel,
      N_ ("Look at these kernels; the others only run"), N_ ("GLOB") },
    { "save", 0, 0, G_OPTION_ARG_FILENAME, &save,
      N_ ("Save each distinct launch as a kernel file in FOLDER"), N_ ("FOLDER") },
    { "blocks", 0, 0, G_OPTION_ARG_INT64, &options.n_blocks,
      N_ ("Run N blocks of each grid; results are then wrong"), N_ ("N") },
    { "limit", 0, 0, G_OPTION_ARG_DOUBLE, &options.limit_s, N_ ("Stop the program after S seconds"),
      N_ ("S") },
    { "device", 'd', 0, G_OPTION_ARG_STRING, &device, N_ ("Where: emulator:sm_86 [emulator]"),
      N_ ("ID") },
    { "keep-going", 0, 0, G_OPTION_ARG_NONE, &options.exec.keep_going,
      N_ ("An access out of bounds is no error of the program's"), NULL },
    { "json", 0, 0, G_OPTION_ARG_NONE, &options.json,
      N_ ("Print as JSON; what the program prints goes to standard error"), NULL },
    G_OPTION_ENTRY_NULL,
  };
  g_auto (CuredExecReport) report = { 0 };
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;
  guint sources[2];
  gboolean is_done = FALSE;

  g_option_context_set_strict_posix (context, TRUE);
  if (!cured_cli_parse (context, entries, &argc, &argv))
    return CURED_EXIT_USAGE;
  if (argc > 1 && g_str_equal (argv[1], "--"))
    argv++, argc--;
  if (argc < 2)
    return cured_cli_fail (_ ("exec needs a program, such as “cured exec ./mine 1024”"));
  if (!take_options (&options, device))
    return CURED_EXIT_USAGE;
  options.exec.kernel = kernel;
  options.exec.save = save;
#ifdef M_TRIM_THRESHOLD
  mallopt (M_TRIM_THRESHOLD, KEPT_BYTES);
  mallopt (M_MMAP_THRESHOLD, 32 << 20);
#endif
  sources[0] = g_unix_signal_add (SIGINT, interrupt_cb, cancellable);
  sources[1] = g_unix_signal_add (SIGTERM, interrupt_cb, cancellable);
  is_done = cured_exec_run (&options.exec, argv + 1, &report, cancellable, &error);
  for (gsize i = 0; i < G_N_ELEMENTS (sources); i++)
    g_source_remove (sources[i]);
  if (options.exec.progress != NULL)
    cured_cli_line_clear ();
  if (!is_done)
    return cured_cli_fail_error (error);
  if (options.json)
    print_json (&report);
  else
    print_report (&report);
  if (g_cancellable_is_cancelled (cancellable))
    return CURED_EXIT_CANCELLED;
  return report.findings->len > 0 ? CURED_EXIT_FINDING : report.program_status;
}

const CuredVerb cured_verb_exec = {
  .name = "exec",
  .arguments = N_ ("[--] PROGRAM [ARGUMENT…]"),
  .summary = N_ ("Run a whole CUDA program without a GPU"),
  .description =
      N_ ("Runs a program that nvcc made, as it is, with the emulator as its device. Looks\n"
          "for races, accesses out of bounds or misaligned, reads of what nobody wrote, and\n"
          "use after free, and counts what each kernel does. Source lines are known where\n"
          "the program was built with -g -lineinfo.\n"
          "\n"
          "Bounds are looked at in each launch, the rest in the first three launches of\n"
          "each kernel and geometry. The program runs with your rights.\n"
          "\n"
          "Exit code: 1 where something was found, or else the program's own.\n"
          "\n"
          "Examples:\n"
          "  nvcc -g -lineinfo -o mine mine.cu && cured exec ./mine 1024\n"
          "  cured exec --banks -k 'transpose*' ./mine 1024\n"
          "  cured exec --json ./mine 1024 > report.json\n"),
  .words = CURED_CLI_WORDS_FILES,
  .run = run_exec,
};
