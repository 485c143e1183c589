/* SPDX-License-Identifier: MIT
 * cured exec: runs a whole CUDA program on the emulator. */
#include <glib-unix.h>
#include <glib/gi18n.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cured-cli.h"
#include "cured-cli-sweep.h"

/* Limit of inspected launches of the same kernel and geometry. */
#define FIRST 3

#define CURED_VERB "verb/cured-verb-exec.def"
#include "cured-verb.h"

static gboolean is_gpu; /* set by --device */

/* Freed memory to keep: launches are short, and the next one needs as much. */
#define KEPT_BYTES (256 << 20)

static gboolean
interrupt_cb (gpointer data)
{
  g_cancellable_cancel (data);
  return G_SOURCE_CONTINUE;
}

static void
progress_cb (const CuredExecProgress *progress, gpointer data)
{
  cured_cli_line_show (cured_cli_lend (cured_exec_progress_to_string (progress)));
}

static void
json_progress_cb (const CuredExecProgress *progress, gpointer data)
{
  g_autofree char *line =
      cured_cli_json_line ("{launches instructions elapsed_s}", progress->n_launches,
                           progress->instructions, (double) progress->elapsed_us / G_USEC_PER_SEC);

  cured_cli_print_document (cured_cli_printf ("%s\n", line));
  fflush (stdout);
}

/* "4 × 2": sizes without trailing ones. */
static const char *
format_size (const guint *size)
{
  return size[2] > 1   ? cured_cli_printf ("%u × %u × %u", size[0], size[1], size[2])
         : size[1] > 1 ? cured_cli_printf ("%u × %u", size[0], size[1])
                       : cured_cli_printf ("%u", size[0]);
}

static const char *
format_grid (const CuredExecKernel *kernel)
{
  return cured_cli_printf ("%s%s", format_size (kernel->grid),
                           kernel->n_geometries > 1 ? " …" : "");
}

/* Prints the times of launches on a GPU. */
static void
print_times (const CuredExecReport *report)
{
  g_autoptr (CuredCliTable) table = cured_cli_table_new ("lrllrrrr");
  double all_ns = 0;

  for (guint i = 0; i < report->kernels->len; i++)
    all_ns += ((CuredExecKernel *) g_ptr_array_index (report->kernels, i))->total_ns;
  cured_cli_table_add (table, _ ("kernel"), _ ("launches"), _ ("grid"), _ ("block"), _ ("median"),
                       _ ("minimum"), _ ("total"), _ ("share"));
  for (guint i = 0; i < report->kernels->len; i++)
    {
      const CuredExecKernel *kernel = g_ptr_array_index (report->kernels, i);
      gboolean is_timed = kernel->n_timed > 0;

      cured_cli_table_add (
          table, kernel->name, kernel->n_launches, format_grid (kernel),
          format_size (kernel->block), is_timed ? cured_cli_quantity (kernel->median_ns, "ns") : "",
          is_timed ? cured_cli_quantity (kernel->least_ns, "ns") : "",
          is_timed ? cured_cli_quantity (kernel->total_ns, "ns") : "",
          is_timed ? cured_cli_printf ("%.1f %%", 100 * kernel->total_ns / all_ns) : "");
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
                       _ ("instructions"), _ ("excess"), _ ("sectors"));
  for (guint i = 0; i < report->kernels->len; i++)
    {
      const CuredExecKernel *kernel = g_ptr_array_index (report->kernels, i);

      cured_cli_table_add (
          table, kernel->name, kernel->n_launches, format_grid (kernel),
          format_size (kernel->block), cured_cli_quantity ((double) kernel->instructions, ""),
          kernel->least == 0
              ? ""
              : cured_cli_printf ("%.0f %%", 100.0 * (double) (kernel->wavefronts - kernel->least) /
                                                 (double) kernel->least),
          kernel->requests == 0
              ? ""
              : cured_cli_printf ("%.1f", (double) kernel->sectors / (double) kernel->requests));
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
add_side (const char *name, const CuredFindingSide *side)
{
  if (side->what == NULL)
    return;
  cured_cli_json ("${what file line", name, side->what, side->file, side->line);
  if (side->warp != CURED_FINDING_HOST)
    cured_cli_json ("block warp lanes", side->block, side->warp, side->lanes);
  cured_cli_json_put ("}");
}

static void
add_kernels (const CuredExecReport *report)
{
  cured_cli_json ("{status launches instructions elapsed_s stopped? kernels[",
                  report->program_status, report->progress.n_launches,
                  report->progress.instructions,
                  (double) report->progress.elapsed_us / G_USEC_PER_SEC, report->is_stopped);
  for (guint i = 0; i < report->kernels->len; i++)
    {
      const CuredExecKernel *kernel = g_ptr_array_index (report->kernels, i);

      cured_cli_json ("{kernel file launches watched geometries grid block", kernel->name,
                      kernel->path, kernel->n_launches, kernel->n_watched, kernel->n_geometries,
                      kernel->grid, kernel->block);
      if (is_gpu)
        cured_cli_json ("timed median_ns minimum_ns total_ns}", kernel->n_timed, kernel->median_ns,
                        kernel->least_ns, kernel->total_ns);
      else
        cured_cli_json ("instructions wavefronts least_wavefronts requests sectors}",
                        kernel->instructions, kernel->wavefronts, kernel->least, kernel->requests,
                        kernel->sectors);
    }
  cured_cli_json_put ("] findings[");
}

static void
print_report (const CuredExecReport *report)
{
  add_kernels (report);
  if (is_gpu && report->kernels->len > 0)
    print_times (report);
  else
    print_kernels (report);
  for (guint i = 0; i < report->findings->len; i++)
    {
      const CuredFinding *finding = g_ptr_array_index (report->findings, i);
      const char *text = cured_cli_lend (cured_finding_to_string (finding));

      g_print ("\n%s\n", text);
      cured_cli_json ("{kind kernel object detail count text",
                      cured_finding_info (finding->kind)->id, finding->kernel, finding->object,
                      finding->detail, finding->count, text);
      add_side ("here", &finding->here);
      add_side ("there", &finding->there);
      cured_cli_json_put ("}");
    }
  cured_cli_json ("] never_freed saved notes fidelity}", report->leaks, report->saved,
                  report->notes, report->fidelity);
  print_list (_ ("Never freed:"), report->leaks);
  print_list (_ ("Saved:"), report->saved);
  print_list (_ ("Notes:"), report->notes);
  if (report->fidelity != NULL)
    g_print ("\n%s\n", report->fidelity);
  g_autofree char *counted =
      g_strdup_printf (ngettext ("%s launch", "%s launches", (gulong) report->progress.n_launches),
                       cured_cli_count (report->progress.n_launches));
  if (is_gpu)
    /* Translators: “5 launches”, and seconds. */
    g_print (_ ("\n%s, %.1f s\n"), counted, (double) report->progress.elapsed_us / G_USEC_PER_SEC);
  else
    /* Translators: “5 launches”, instructions, seconds, and findings. */
    g_print (ngettext ("\n%s, %s instructions, %.1f s: %u finding\n",
                       "\n%s, %s instructions, %.1f s: %u findings\n", report->findings->len),
             counted, cured_cli_quantity ((double) report->progress.instructions, ""),
             (double) report->progress.elapsed_us / G_USEC_PER_SEC, report->findings->len);
  if (report->is_stopped)
    g_print (_ ("The program was stopped before its end\n"));
  else if (report->program_status > 128)
    /* Translators: what ended a program, such as “Segmentation fault”. */
    g_print (_ ("The program was ended by a signal: %s\n"),
             g_strsignal (report->program_status - 128));
  else if (report->program_status != 0)
    g_print (_ ("The program's exit code was %d\n"), report->program_status);
}

/* FALSE after a message. */
static gboolean
take_gpu (CuredExecOptions *exec)
{
  if (given.check || given.banks || given.counts || given.all || given.n_blocks > 0 ||
      given.keep_going || given.first != FIRST)
    return cured_cli_deny (_ ("on a GPU launches are timed and saved; --check, --banks, --counts, "
                              "--first, --all, --blocks and --keep-going need the emulator"));
  is_gpu = exec->is_gpu = TRUE;
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
  if (!is_gpu && given.device != NULL && given.device[strlen ("emulator")] == ':')
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
  exec->save_bytes = (guint64) given.save_mib << 20;
  if (given.progress == CURED_CLI_PROGRESS_JSON)
    exec->progress = json_progress_cb;
  else if (cured_cli_line_is_redrawn () && !cured_cli_is_quiet)
    exec->progress = progress_cb;
  return TRUE;
}

static int
run (int argc, char **argv, GError **error)
{
  CuredExecOptions exec = { 0 };
  g_auto (CuredExecReport) report = { 0 };
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  guint sources[2];

  if (!take_options (&exec))
    return CURED_EXIT_USAGE;
  if (given.json)
    cured_cli_begin_document ();
#ifdef M_TRIM_THRESHOLD
  mallopt (M_TRIM_THRESHOLD, KEPT_BYTES);
  mallopt (M_MMAP_THRESHOLD, 32 << 20);
#endif
  sources[0] = g_unix_signal_add (SIGINT, interrupt_cb, cancellable);
  sources[1] = g_unix_signal_add (SIGTERM, interrupt_cb, cancellable);
  gboolean is_done = cured_exec_run (&exec, argv + 1, &report, cancellable, error);
  for (gsize i = 0; i < G_N_ELEMENTS (sources); i++)
    g_source_remove (sources[i]);
  cured_cli_line_clear ();
  if (!is_done)
    return CURED_EXIT_USAGE;
  print_report (&report);
  if (report.is_stopped)
    return CURED_EXIT_CANCELLED;
  return report.findings->len > 0 ? CURED_EXIT_FINDING : report.program_status;
}
