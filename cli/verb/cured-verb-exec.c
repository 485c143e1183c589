/* SPDX-License-Identifier: MIT
 * cured exec: runs a whole CUDA program on the emulator. */
#include "config.h"

#include <glib-unix.h>
#include <glib/gi18n.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cured-cli.h"
#include "cured-cli-sweep.h"

/* Of memory that was freed: launches are short, and the next one needs as much. */
#define KEPT_BYTES (256 << 20)

/* Launches of a kernel and geometry that are looked at. */
#define FIRST 3

static struct
{
  gboolean check;
  gboolean banks;
  gboolean counts;
  gboolean all;
  gboolean json;
  int progress;
  gint64 first;
  gint64 n_blocks;
  gint64 n_devices;
  double limit_s;
  char *device;
  char *kernel;
  char *save;
  gboolean keep_going;
  gboolean is_gpu; /* by --device */
} given = { .first = FIRST, .n_devices = 1 };

/* clang-format off */
static const CuredCliOption rows[] = {
  { "check", 0, CURED_CLI_FLAG, &given.check, N_ ("Look for races and uninitialized reads [default]") },
  { "banks", 0, CURED_CLI_FLAG, &given.banks, N_ ("Look for bank conflicts") },
  { "counts", 0, CURED_CLI_FLAG, &given.counts, N_ ("Only count, and check bounds") },
  { "first", 0, CURED_CLI_INT, &given.first,
    N_ ("Launches of each kernel and geometry to check [3]"), N_ ("N"), NULL, 0, G_MAXINT32 },
  { "all", 0, CURED_CLI_FLAG, &given.all, N_ ("Check every launch") },
  { "kernel", 'k', CURED_CLI_TEXT, &given.kernel, N_ ("Check these kernels; the others only run"), N_ ("GLOB") },
  { "save", 0, CURED_CLI_FOLDER, &given.save, N_ ("Save each distinct launch as a kernel file in FOLDER"), N_ ("FOLDER") },
  { "blocks", 0, CURED_CLI_INT, &given.n_blocks,
    N_ ("Run N blocks of each grid; results are then wrong"), N_ ("N"), NULL, 0, G_MAXINT64 },
  { "limit", 0, CURED_CLI_REAL, &given.limit_s, N_ ("Stop the program after S seconds"), N_ ("S"), NULL, 0, 1000000000 },
  { "device", 'd', CURED_CLI_TEXT, &given.device,
    N_ ("Device to run on: emulator:sm_86, cuda, cuda:1 [emulator]"), N_ ("ID"), .list = cured_cli_list_devices },
  { "devices", 0, CURED_CLI_INT, &given.n_devices, N_ ("Devices that the program sees [1]"), N_ ("N"), NULL, 1, 16 },
  { "keep-going", 0, CURED_CLI_FLAG, &given.keep_going, N_ ("Continue after an out-of-bounds access") },
  { "json", 0, CURED_CLI_FLAG, &given.json, N_ ("Print as JSON; the program's output goes to stderr") },
  { "progress", 0, CURED_CLI_WORD, &given.progress,
    N_ ("Progress: auto, or lines of JSON on stdout before the report [auto]"), N_ ("HOW"), "auto|json" },
  { NULL },
};
/* clang-format on */

static gboolean
interrupt_cb (gpointer data)
{
  g_cancellable_cancel (data);
  return G_SOURCE_CONTINUE;
}

static void
progress_cb (const CuredExecProgress *progress, gpointer data)
{
  g_autofree char *line = cured_exec_progress_to_string (progress);

  cured_cli_line_show (line);
}

static void
json_progress_cb (const CuredExecProgress *progress, gpointer data)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  g_autoptr (JsonNode) root = NULL;
  g_autofree char *line = NULL;

  cured_cli_json (builder, "{launches instructions elapsed_s}", progress->n_launches,
                  progress->instructions, (double) progress->elapsed_us / G_USEC_PER_SEC);
  root = json_builder_get_root (builder);
  line = json_to_string (root, FALSE);
  g_print ("%s\n", line);
  fflush (stdout);
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

/* On a GPU: how long launches took. */
static void
print_times (const CuredExecReport *report)
{
  g_autoptr (CuredCliTable) table = cured_cli_table_new ("lrllrrrr");
  double all_ns = 0;

  for (guint i = 0; i < report->kernels->len; i++)
    all_ns += ((CuredExecKernel *) g_ptr_array_index (report->kernels, i))->total_ns;
  cured_cli_table_add (table, _ ("kernel"), _ ("launches"), _ ("grid"), _ ("block"), _ ("median"),
                       _ ("minimum"), _ ("total"), _ ("share"), NULL);
  for (guint i = 0; i < report->kernels->len; i++)
    {
      const CuredExecKernel *kernel = g_ptr_array_index (report->kernels, i);
      g_autofree char *launches = cured_format_count ((gint64) kernel->n_launches);
      g_autofree char *size = format_size (kernel->grid);
      g_autofree char *grid = g_strconcat (size, kernel->n_geometries > 1 ? " …" : "", NULL);
      g_autofree char *block = format_size (kernel->block);
      g_autofree char *median = cured_format_quantity (kernel->median_ns, "ns");
      g_autofree char *least = cured_format_quantity (kernel->least_ns, "ns");
      g_autofree char *total = cured_format_quantity (kernel->total_ns, "ns");
      g_autofree char *share = g_strdup_printf ("%.1f %%", 100 * kernel->total_ns / all_ns);
      gboolean is_timed = kernel->n_timed > 0;

      cured_cli_table_add (table, kernel->name, launches, grid, block, is_timed ? median : "",
                           is_timed ? least : "", is_timed ? total : "", is_timed ? share : "",
                           NULL);
    }
  g_print ("\n");
  cured_cli_table_print (table, "");
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

  if (given.is_gpu && report->kernels->len > 0)
    print_times (report);
  else
    print_kernels (report);
  for (guint i = 0; i < report->findings->len; i++)
    {
      g_autofree char *text = cured_finding_to_string (g_ptr_array_index (report->findings, i));

      g_print ("\n%s\n", text);
    }
  print_list (_ ("Never freed:"), report->leaks);
  print_list (_ ("Saved:"), report->saved);
  print_list (_ ("Notes:"), report->notes);
  if (report->fidelity != NULL)
    g_print ("\n%s\n", report->fidelity);
  g_autofree char *counted = g_strdup_printf (
      ngettext ("%s launch", "%s launches", (gulong) report->progress.n_launches), launches);
  if (given.is_gpu)
    /* Translators: “5 launches”, and seconds. */
    g_print (_ ("\n%s, %.1f s\n"), counted, (double) report->progress.elapsed_us / G_USEC_PER_SEC);
  else
    /* Translators: “5 launches”, instructions, seconds, and findings. */
    g_print (ngettext ("\n%s, %s instructions, %.1f s: %u finding\n",
                       "\n%s, %s instructions, %.1f s: %u findings\n", report->findings->len),
             counted, instructions, (double) report->progress.elapsed_us / G_USEC_PER_SEC,
             report->findings->len);
  if (report->is_stopped)
    g_print (_ ("The program was stopped before its end\n"));
  else if (report->program_status > 128)
    /* Translators: what ended a program, such as “Segmentation fault”. */
    g_print (_ ("The program was ended by a signal: %s\n"),
             g_strsignal (report->program_status - 128));
  else if (report->program_status != 0)
    g_print (_ ("The program's exit code was %d\n"), report->program_status);
}

/* ---- For programs ---- */

static void
add_side (JsonBuilder *builder, const char *name, const CuredFindingSide *side)
{
  if (side->what == NULL)
    return;
  json_builder_set_member_name (builder, name);
  cured_cli_json (builder, "{what file line", side->what, side->file, side->line);
  if (side->warp != CURED_FINDING_HOST)
    {
      cured_cli_json_put (builder, "block[");
      for (int i = 0; i < 3; i++)
        cured_cli_json (builder, ".", side->block[i]);
      cured_cli_json (builder, "] warp lanes", side->warp, side->lanes);
    }
  cured_cli_json_put (builder, "}");
}

static void
add_sizes (JsonBuilder *builder, const char *name, const guint *sizes)
{
  json_builder_set_member_name (builder, name);
  cured_cli_json_put (builder, "[");
  for (int i = 0; i < 3; i++)
    cured_cli_json (builder, ".", sizes[i]);
  cured_cli_json_put (builder, "]");
}

static void
add_texts (JsonBuilder *builder, const char *name, const GPtrArray *texts)
{
  json_builder_set_member_name (builder, name);
  cured_cli_json_put (builder, "[");
  for (guint i = 0; i < texts->len; i++)
    cured_cli_json (builder, ".", g_ptr_array_index (texts, i));
  cured_cli_json_put (builder, "]");
}

static void
print_json (const CuredExecReport *report)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();

  cured_cli_json (builder, "{status launches instructions elapsed_s stopped? kernels[",
                  report->program_status, report->progress.n_launches,
                  report->progress.instructions,
                  (double) report->progress.elapsed_us / G_USEC_PER_SEC, report->is_stopped);
  for (guint i = 0; i < report->kernels->len; i++)
    {
      const CuredExecKernel *kernel = g_ptr_array_index (report->kernels, i);

      cured_cli_json (builder, "{kernel file launches watched geometries", kernel->name,
                      kernel->path, kernel->n_launches, kernel->n_watched, kernel->n_geometries);
      add_sizes (builder, "grid", kernel->grid);
      add_sizes (builder, "block", kernel->block);
      if (given.is_gpu)
        cured_cli_json (builder, "timed median_ns minimum_ns total_ns}", kernel->n_timed,
                        kernel->median_ns, kernel->least_ns, kernel->total_ns);
      else
        cured_cli_json (builder, "instructions wavefronts least_wavefronts requests sectors}",
                        kernel->instructions, kernel->wavefronts, kernel->least, kernel->requests,
                        kernel->sectors);
    }
  cured_cli_json_put (builder, "] findings[");
  for (guint i = 0; i < report->findings->len; i++)
    {
      const CuredFinding *finding = g_ptr_array_index (report->findings, i);
      g_autofree char *text = cured_finding_to_string (finding);

      cured_cli_json (builder, "{kind kernel object detail count text",
                      cured_finding_info (finding->kind)->id, finding->kernel, finding->object,
                      finding->detail, finding->count, text);
      add_side (builder, "here", &finding->here);
      add_side (builder, "there", &finding->there);
      cured_cli_json_put (builder, "}");
    }
  cured_cli_json_put (builder, "]");
  add_texts (builder, "never_freed", report->leaks);
  add_texts (builder, "saved", report->saved);
  add_texts (builder, "notes", report->notes);
  cured_cli_json (builder, "fidelity}", report->fidelity);
  cured_cli_print_json (builder);
}

/* ---- The verb ---- */

/* FALSE after a message. */
static gboolean
take_gpu (CuredExecOptions *exec)
{
  if (given.check || given.banks || given.counts || given.all || given.n_blocks > 0 ||
      given.keep_going || given.first != FIRST)
    return cured_cli_deny (_ ("on a GPU launches are timed and saved; --check, --banks, --counts, "
                              "--first, --all, --blocks and --keep-going need the emulator"));
  given.is_gpu = exec->is_gpu = TRUE;
  if (given.device[strlen ("cuda")] == ':')
    g_setenv ("CUDA_VISIBLE_DEVICES", given.device + strlen ("cuda:"), TRUE);
  return TRUE;
}

static gboolean
take_options (CuredExecOptions *exec)
{
  if (given.device != NULL &&
      (g_str_equal (given.device, "cuda") || g_str_has_prefix (given.device, "cuda:")))
    {
      if (!take_gpu (exec))
        return FALSE;
    }
  else if (given.device != NULL && !g_str_has_prefix (given.device, "emulator"))
    return cured_cli_deny (_ ("exec runs on the emulator or on a GPU; “%s” is something else: "
                              "expected emulator, emulator:sm_90, cuda or cuda:1"),
                           given.device);
  if (given.check + given.banks + given.counts > 1)
    return cured_cli_deny (_ ("--check, --banks and --counts exclude each other"));
  if (!given.is_gpu && given.device != NULL && given.device[strlen ("emulator")] == ':')
    exec->arch = given.device + strlen ("emulator:");
  exec->watch = given.banks    ? CURED_EXEC_BANKS
                : given.counts ? CURED_EXEC_COUNTS
                               : CURED_EXEC_CHECK;
  exec->first = given.all ? 0 : (guint) given.first;
  exec->n_blocks = (guint64) given.n_blocks;
  exec->n_devices = (guint) given.n_devices;
  exec->limit_us = (gint64) (given.limit_s * G_USEC_PER_SEC);
  exec->is_quiet = given.json;
  exec->keep_going = given.keep_going;
  exec->kernel = given.kernel;
  exec->save = given.save;
  if (given.progress == CURED_CLI_PROGRESS_JSON)
    exec->progress = json_progress_cb;
  else if (isatty (STDERR_FILENO) != 0 && !cured_cli_is_quiet ())
    exec->progress = progress_cb;
  return TRUE;
}

static int
run_exec (int argc, char **argv, GError **error)
{
  CuredExecOptions exec = { 0 };
  g_auto (CuredExecReport) report = { 0 };
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  guint sources[2];

  if (!take_options (&exec))
    return CURED_EXIT_USAGE;
#ifdef M_TRIM_THRESHOLD
  mallopt (M_TRIM_THRESHOLD, KEPT_BYTES);
  mallopt (M_MMAP_THRESHOLD, 32 << 20);
#endif
  sources[0] = g_unix_signal_add (SIGINT, interrupt_cb, cancellable);
  sources[1] = g_unix_signal_add (SIGTERM, interrupt_cb, cancellable);
  gboolean is_done = cured_exec_run (&exec, argv + 1, &report, cancellable, error);
  for (gsize i = 0; i < G_N_ELEMENTS (sources); i++)
    g_source_remove (sources[i]);
  if (exec.progress == progress_cb)
    cured_cli_line_clear ();
  if (!is_done)
    return CURED_EXIT_USAGE;
  (given.json ? print_json : print_report) (&report);
  if (report.is_stopped)
    return CURED_EXIT_CANCELLED;
  return report.findings->len > 0 ? CURED_EXIT_FINDING : report.program_status;
}

const CuredVerb cured_verb_exec = {
  .name = "exec",
  .arguments = N_ ("[--] PROGRAM [ARGUMENT…]"),
  .summary = N_ ("Run a whole CUDA program without a GPU"),
  .description =
      N_ ("Runs an unmodified CUDA program with the emulator as its device. Looks for races,\n"
          "out-of-bounds and misaligned accesses, uninitialized reads, and use after free,\n"
          "and counts the work of each kernel. Source lines are known if the program was\n"
          "built with -g -lineinfo.\n"
          "\n"
          "Bounds are checked in each launch, the rest in the first three launches of\n"
          "each kernel and geometry. The program runs with your rights.\n"
          "\n"
          "On a GPU (--device cuda), each launch is timed by events instead, without a\n"
          "profiler's permission, and --save works as well.\n"
          "\n"
          "Exit code: 1 after findings, or else the program's own.\n"
          "\n"
          "Examples:\n"
          "  nvcc -g -lineinfo -o mine mine.cu && cured exec ./mine 1024\n"
          "  cured exec --banks -k 'transpose*' ./mine 1024\n"
          "  cured exec --json ./mine 1024 > report.json\n"
          "  cured exec --device cuda --save launches ./mine 1048576\n"),
  .words = CURED_CLI_WORDS_FILES,
  .options = { rows },
  .least = 1,
  .usage = N_ ("exec needs a program, such as “cured exec ./mine 1024”"),
  .is_strict = TRUE,
  .run = run_exec,
};
