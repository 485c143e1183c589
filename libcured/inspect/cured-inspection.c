/* SPDX-License-Identifier: MIT
 * Inspects a kernel by compiling it and running one block. */
#include "inspect/cured-inspection.h"

#include "base/cured-base-internal.h"
#include "inspect/cured-inspection-internal.h"
#include "inspect/cured-loaded-program-private.h"
#include "kernel/cured-sources-internal.h"
#include "ptx/cured-finding-internal.h"
#include "ptx/cured-ptx-internal.h"

/* Limits for an answer while the user types: less than for a bank view. Launches before the
 * inspected one only prepare data. */
#define MAX_EARLIER_THREADS (G_GUINT64_CONSTANT (1) << 16)
#define MAX_INSTRUCTIONS    G_GUINT64_CONSTANT (16000000)

/* Bounds of the emulator's time in a first answer: enough to show something even after a slow
 * compilation; a longer run is repeated soon. */
#define LEAST_FIRST_RUN_MS 20
#define MOST_FIRST_RUN_MS  120

/* ---- Diagnostics ---- */

CURED_FREE_FUNC (CuredDiagnostic, diagnostic_free, text, g_free)

static void
add_diagnostic (GPtrArray *list, CuredSeverity severity, int line, const char *text)
{
  CuredDiagnostic *diagnostic = CURED_NEW (CuredDiagnostic, .severity = severity, .line = line,
                                           .text = g_strstrip (g_strdup (text)));

  g_ptr_array_add (list, diagnostic);
}

/* Words in NVRTC's log at which a remark begins. */
static const struct
{
  const char *word;
  CuredSeverity severity;
} words[] = {
  { "catastrophic error", CURED_SEVERITY_ERROR },
  { "error", CURED_SEVERITY_ERROR },
  { "warning", CURED_SEVERITY_WARNING },
  { "remark", CURED_SEVERITY_NOTE },
  { "note", CURED_SEVERITY_NOTE },
};

/* "folder/tile.cu(12): error #20: text": the message; NULL for other lines. */
static const char *
parse_remark (const char *line, const char *file_name, int *number, CuredSeverity *severity)
{
  const char *at = strstr (line, "): ");
  const char *open = at;

  if (at == NULL)
    return NULL;
  while (open > line && g_ascii_isdigit (open[-1]))
    open--;
  if (open == at || open == line || open[-1] != '(')
    return NULL;
  /* Line numbers in headers are not the kernel's. */
  *number = 0;
  if (g_strstr_len (line, open - 1 - line, file_name) != NULL)
    *number = (int) MIN (g_ascii_strtoull (open, NULL, 10), G_MAXINT);
  at += strlen ("): ");
  for (gsize i = 0; i < G_N_ELEMENTS (words); i++)
    if (g_str_has_prefix (at, words[i].word))
      {
        const char *colon = strstr (at, ": ");

        *severity = words[i].severity;
        return *number > 0 && colon != NULL ? colon + 2 : line;
      }
  return NULL;
}

static gint
compare_diagnostics (gconstpointer a, gconstpointer b)
{
  const CuredDiagnostic *first = *(const CuredDiagnostic *const *) a;
  const CuredDiagnostic *second = *(const CuredDiagnostic *const *) b;

  if (first->severity != second->severity)
    return first->severity < second->severity ? -1 : 1;
  return (first->line > second->line) - (first->line < second->line);
}

/* NVRTC's log. A warning about a header does not concern the file that includes it. */
static void
take_remarks (GPtrArray *list, const char *log, const char *file_name)
{
  g_auto (GStrv) lines = g_strsplit (log, "\n", -1);

  for (char **line = lines; *line != NULL; line++)
    {
      CuredSeverity severity = CURED_SEVERITY_ERROR;
      int number = 0;
      const char *text = parse_remark (*line, file_name, &number, &severity);

      if (text != NULL && (number > 0 || severity == CURED_SEVERITY_ERROR))
        add_diagnostic (list, severity, number, text);
    }
}

static void
diagnose (GPtrArray *list, const GError *error, const char *file_name)
{
  const CuredErrorPlace *place = cured_error_get_place (error);
  const char *log = cured_error_get_log (error);
  guint n_before = list->len;

  if (log != NULL)
    take_remarks (list, log, file_name);
  if (list->len > n_before)
    return;
  if (place != NULL && _cured_is_file (place->file, file_name))
    add_diagnostic (list, CURED_SEVERITY_ERROR, place->line, place->text);
  else
    add_diagnostic (list, CURED_SEVERITY_ERROR, 0, error->message);
}

/* @error: an error of compiling or parsing a kernel file
 * @file_name: name of the kernel file, without its folder
 *
 * Takes the remarks of NVRTC's log, or the place and text of other errors.
 * Returns: (transfer full) (element-type CuredDiagnostic): at least one; errors first, then by
 *   line */
GPtrArray *
cured_diagnostics_new (const GError *error, const char *file_name)
{
  GPtrArray *list = g_ptr_array_new_with_free_func (diagnostic_free);

  g_return_val_if_fail (error != NULL && file_name != NULL, list);

  diagnose (list, error, file_name);
  g_ptr_array_sort (list, compare_diagnostics);
  return list;
}

/* @severity: a severity
 * Returns: (transfer none): a word for people, translated */
const char *
cured_severity_to_string (CuredSeverity severity)
{
  switch (severity)
    {
    case CURED_SEVERITY_WARNING: return _ ("Warning");
    case CURED_SEVERITY_NOTE:
      /* Translators: a remark of the compiler's that is not a warning. */
      return _ ("Note");
    case CURED_SEVERITY_ERROR:
    default: return _ ("Error");
    }
}

/* ---- Lines ---- */

static void
take_ptx (CuredInspection *self, const CuredLoadedProgram *stage)
{
  gsize size = 0;
  const char *text = g_bytes_get_data (stage->ptx, &size);

  self->ptx = g_strndup (text, size);
  self->n_ptx_lines = 1;
  for (const char *at = self->ptx; *at != '\0'; at++)
    self->n_ptx_lines += *at == '\n';
  self->ptx_lines = g_new0 (int, self->n_ptx_lines);
}

/* A line of the kernel's own text; 0 if it is elsewhere. */
static int
find_line (const CuredKernel *kernel, const CuredPtxModule *module, const CuredPtxInst *inst)
{
  return cured_kernel_find_line (kernel, module->files[inst->file], inst->line, inst->ptx_line);
}

static void
map_lines (CuredInspection *self, const CuredPtxModule *module, const CuredKernel *kernel)
{
  guint n_sites = cured_ptx_module_get_n_sites (module);

  for (guint site = 0; site < n_sites; site++)
    {
      const CuredPtxInst *inst = &module->code[site];
      int line = find_line (kernel, module, inst);

      if (line > 0 && inst->ptx_line > 0 && (gsize) inst->ptx_line <= self->n_ptx_lines)
        self->ptx_lines[inst->ptx_line - 1] = line;
    }
}

/* The source line of a PTX line that could not be parsed, by the last `.loc` before it. */
static int
find_loc (const char *ptx, int ptx_line)
{
  const char *at = ptx;
  guint64 found = 0;

  for (int line = 1; line < ptx_line && at != NULL; line++)
    {
      while (*at == '\t' || *at == ' ')
        at++;
      if (g_str_has_prefix (at, ".loc"))
        {
          char *end = NULL;

          (void) g_ascii_strtoull (at + strlen (".loc"), &end, 10);
          found = g_ascii_strtoull (end, NULL, 10);
        }
      at = strchr (at, '\n');
      at = at != NULL ? at + 1 : NULL;
    }
  return (int) MIN (found, G_MAXINT);
}

CURED_COMPARE_FUNC (CuredLineCounts, compare_lines, line)

static void
count_lines (CuredInspection *self, const CuredPtxModule *module, const CuredReport *report,
             const CuredKernel *kernel)
{
  g_autoptr (GHashTable) rows = g_hash_table_new (NULL, NULL); /* line → n + 1 */

  for (guint site = 0; report->counts != NULL && site < report->n_counts; site++)
    {
      const CuredPtxInst *inst = &module->code[site];
      const CuredSiteCounts *counts = &report->counts[site];
      int line = counts->issued > 0 ? find_line (kernel, module, inst) : 0;

      if (line <= 0)
        continue;
      gsize index = GPOINTER_TO_SIZE (g_hash_table_lookup (rows, GINT_TO_POINTER (line)));
      if (index == 0)
        {
          CuredLineCounts fresh = { .line = line };

          g_array_append_val (self->lines, fresh);
          index = self->lines->len;
          g_hash_table_insert (rows, GINT_TO_POINTER (line), GSIZE_TO_POINTER (index));
        }
      CuredLineCounts *row = &g_array_index (self->lines, CuredLineCounts, index - 1);
      row->issued += counts->issued;
      row->shared_requests += counts->shared_requests;
      row->wavefronts += counts->wavefronts;
      row->least += counts->least;
      row->requests += counts->requests - counts->shared_requests;
      row->sectors += counts->sectors;
      row->diverged += counts->diverged;
    }
  g_array_sort (self->lines, compare_lines);
}

static void
take_findings (CuredInspection *self, const CuredReport *report)
{
  for (guint i = 0; report->findings != NULL && i < report->findings->len; i++)
    {
      const CuredFinding *finding = report->findings->pdata[i];

      /* Only this block runs, so the writing one is missing. */
      if (finding->kind == CURED_FINDING_UNWRITTEN && self->n_blocks > 1)
        continue;
      if (finding->kind != CURED_FINDING_BANK_CONFLICT)
        cured_findings_add (self->findings, finding);
    }
}

/* @line: of the source, from 1
 * Returns: (transfer none) (nullable): the line's counts; %NULL: it did nothing */
const CuredLineCounts *
cured_inspection_find_line (const CuredInspection *self, int line)
{
  CuredLineCounts key = { .line = line };
  guint index;

  g_return_val_if_fail (self != NULL, NULL);

  return g_array_binary_search (self->lines, &key, compare_lines, &index)
             ? &g_array_index (self->lines, CuredLineCounts, index)
             : NULL;
}

/* Returns: the wavefronts of shared memory that bank conflicts add, of all lines */
guint64
cured_inspection_count_excess (const CuredInspection *self)
{
  guint64 excess = 0;

  CURED_EACH (const CuredLineCounts, counts, self->lines)
    excess += counts->wavefronts > counts->least ? counts->wavefronts - counts->least : 0;
  return excess;
}

/* (transfer full): an empty inspection */
CuredInspection *
_cured_inspection_new_empty (void)
{
  CuredInspection *self = g_atomic_rc_box_new0 (CuredInspection);

  self->lines = g_array_new (FALSE, TRUE, sizeof (CuredLineCounts));
  self->findings = g_ptr_array_new_with_free_func ((GDestroyNotify) cured_finding_free);
  self->diagnostics = g_ptr_array_new_with_free_func (diagnostic_free);
  return self;
}

/* (transfer full): the inspection of a kernel that can't be compiled */
CuredInspection *
_cured_inspection_new_refused (CuredKernel *kernel, const GError *error)
{
  CuredInspection *self = _cured_inspection_new_empty ();
  g_autofree char *file_name = cured_kernel_get_file_name (kernel);

  diagnose (self->diagnostics, error, file_name);
  return self;
}

/* ---- Inspecting ---- */

/* The remaining time of a first answer after compiling. */
static gint64
find_run_limit_ms (gint64 time_limit_ms, gint64 start_us)
{
  gint64 elapsed_ms = (g_get_monotonic_time () - start_us) / 1000;

  if (time_limit_ms >= CURED_INSPECTION_TIME_LIMIT_MS)
    return time_limit_ms;
  return CLAMP (time_limit_ms - elapsed_ms, LEAST_FIRST_RUN_MS, MOST_FIRST_RUN_MS);
}

/* Errors of the kernel become diagnostics; FALSE with any other error. */
static gboolean
inspect (CuredInspection *self, CuredCompiler *compiler, const CuredProgram *program,
         const CuredBankQuery *query, gint64 time_limit_ms, GCancellable *cancellable,
         GError **error)
{
  g_autofree char *file_name = cured_kernel_get_file_name (program->kernel);
  g_auto (CuredLoadedProgram) stage = { 0 };
  g_auto (CuredReport) report = { 0 };
  gint64 start_us = g_get_monotonic_time ();
  gboolean is_ready = _cured_loaded_program_init (&stage, compiler, program, FALSE, TRUE,
                                                  cancellable, &self->compile_ns, error);

  if (stage.ptx != NULL)
    take_ptx (self, &stage);
  if (stage.log != NULL)
    take_remarks (self->diagnostics, stage.log, file_name);
  if (!is_ready)
    return FALSE;
  map_lines (self, stage.emulated.module, program->kernel);
  stage.emulated.emulation.watch = CURED_WATCH_COUNTS | CURED_WATCH_RACES | CURED_WATCH_UNDEFINED;
  stage.max_earlier_threads = MAX_EARLIER_THREADS;
  stage.emulated.emulation.max_instructions = MAX_INSTRUCTIONS;
  stage.time_limit_ms = find_run_limit_ms (time_limit_ms, start_us);
  self->banks = _cured_bank_view_new_loaded (&stage, query, &report, cancellable, error);
  if (self->banks == NULL)
    return FALSE;
  self->n_blocks = _cured_step_count_blocks (&program->steps[self->banks->step]);
  count_lines (self, stage.emulated.module, &report, program->kernel);
  take_findings (self, &report);
  self->is_partial = report.end == CURED_END_TIMED_OUT;
  /* An early end of a first answer is not the kernel's fault. */
  if (self->banks->end_text != NULL &&
      !(self->is_partial && time_limit_ms < CURED_INSPECTION_TIME_LIMIT_MS))
    add_diagnostic (self->diagnostics,
                    self->is_partial ? CURED_SEVERITY_NOTE : CURED_SEVERITY_WARNING, 0,
                    self->banks->end_text);
  if (self->banks->note != NULL)
    add_diagnostic (self->diagnostics, CURED_SEVERITY_NOTE, 0, self->banks->note);
  self->run_ns = (g_get_monotonic_time () - start_us) * 1000 - self->compile_ns;
  return TRUE;
}

/* @values: one per parameter, in the kernel's order
 * @limits: limits of the emulated device
 * @query: which launch, block and warp
 * @time_limit_ms: %CURED_INSPECTION_TIME_LIMIT_MS: limit of the launches on the emulator; if less,
 *   such as %CURED_INSPECTION_FIRST_LIMIT_MS: limit of a first answer, including compiling
 *
 * Compiles the kernel and runs one block on the emulator. Blocks; any thread.
 *
 * Made to answer while the user types: fills only the parts of buffers that the block needs, runs
 * earlier launches only if they are small, and makes no machine code, so that @banks has no
 * widths.
 * Returns: (transfer full): the inspection; a kernel that can't be compiled or launched is not an
 *   error, but in @diagnostics. %NULL with %G_IO_ERROR_CANCELLED, or with an error that is not the
 *   kernel's: %CURED_ERROR_DEVICE if this machine lacks memory */
CuredInspection *
cured_inspection_new (CuredCompiler *compiler, CuredKernel *kernel, const gint64 *values,
                      const CuredLimits *limits, const CuredBankQuery *query, gint64 time_limit_ms,
                      GCancellable *cancellable, GError **error)
{
  g_autoptr (CuredInspection) self = _cured_inspection_new_empty ();
  g_autoptr (GError) problem = NULL;

  g_return_val_if_fail (compiler != NULL && kernel != NULL, NULL);

  g_autofree char *file_name = cured_kernel_get_file_name (kernel);
  g_autoptr (CuredProgram) program = cured_program_new (kernel, values, limits, &problem);
  if (program != NULL)
    inspect (self, compiler, program, query, time_limit_ms, cancellable, &problem);
  if (problem != NULL && (problem->domain != CURED_ERROR || problem->code == CURED_ERROR_DEVICE))
    {
      g_propagate_error (error, g_steal_pointer (&problem));
      return NULL;
    }
  if (problem != NULL)
    {
      g_autofree char *ptx_name = g_strconcat (file_name, ".ptx", NULL);
      const CuredErrorPlace *place = cured_error_get_place (problem);

      if (place != NULL && self->ptx != NULL && g_str_equal (place->file, ptx_name))
        add_diagnostic (self->diagnostics, CURED_SEVERITY_ERROR, find_loc (self->ptx, place->line),
                        place->text);
      else
        diagnose (self->diagnostics, problem, file_name);
    }
  g_ptr_array_sort (self->diagnostics, compare_diagnostics);
  return g_steal_pointer (&self);
}

CURED_CLEAR_FUNC (CuredInspection, clear, banks, cured_bank_view_unref, ptx, g_free, ptx_lines,
                  g_free, lines, g_array_unref, findings, g_ptr_array_unref, diagnostics,
                  g_ptr_array_unref)

CURED_DEFINE_RC (CuredInspection, cured_inspection, clear)
