/* SPDX-License-Identifier: MIT
 * cured check: tests kernels against their files. */
#include <glib/gi18n.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "cured-cli-devices.h"

/* The options of a sweep that matter without timing. */
static const char *const option_names[] = {
  "seed", "limit_s", "compile_options", "unsafe_options", NULL,
};

#define CURED_VERB "verb/cured-verb-check.def"
#include "cured-verb.h"

/* Limit up to which all cells of small problems run; beyond it, a selection in which every pair of
 * values of two parameters occurs. */
#define MAX_PRODUCT 32

/* Limit of lines of a kernel file that are searched for marks. */
#define MAX_HEADER_LINES 4096

/* Seconds that a cell may take on a GPU by default, once it is compiled: the problems are small,
 * and a faulty kernel may never end. */
#define GPU_LIMIT_S 1

/* Number of cells whose variants are compiled in advance on the device's other cores. */
#define LOOK_AHEAD 64

/* A kernel and its cells to check: a plan's or a cover's. */
typedef struct
{
  CuredSpec *spec;
  CuredPlan *plan;          /* nullable */
  CuredCover *cover;        /* nullable */
  CuredCheckResult *result; /* initially, cells that can't be launched */
  guint64 first;            /* index of its first cell among those of all turns */
  guint n_cells;
} Turn;

typedef struct
{
  CuredDevice *device;
  GPtrArray *turns;    /* one per kernel */
  guint64 n_cells;     /* of all turns */
  guint64 n_announced; /* cells already announced to the device */
  gboolean has_detectors;
  gboolean has_claims; /* the device is the chip for which files claim counts */
  CuredCliTable *table;
  GString *details;
  CuredExaminer *examiner; /* nullable: none was needed yet; owned */
  gint64 *found_values;    /* nullable: values of the first finding; owned */
  const char *stopped;     /* nullable: why the kernel's other cells are skipped, translated */
  guint n_kernels;
  guint n_compared; /* kernels with a [Check] */
  guint n_bad;
} Check;

static void
show_line (const char *kernel, const char *where)
{
  if (cured_cli_line_is_redrawn () && !cured_cli_is_quiet)
    cured_cli_line_show (cured_cli_printf ("%s, %s", kernel, where));
}

/* ---- JSON ---- */

static void
add_side (CuredKernel *kernel, const char *name, const CuredFindingSide *side)
{
  cured_cli_json ("${what file line ptx_line source block warp lanes}", name, side->what,
                  cured_cli_find_source (kernel, side->file), side->line, side->ptx_line,
                  side->source, side->block, side->warp, side->lanes);
}

static void
add_finding (CuredKernel *kernel, const CuredFinding *finding, gboolean is_declared)
{
  const CuredFindingInfo *info = cured_finding_info (finding->kind);

  cured_cli_json ("{kind defect declared? entry object detail count", info->id, info->defect,
                  is_declared, finding->kernel, finding->object, finding->detail, finding->count);
  add_side (kernel, "here", &finding->here);
  if (finding->there.what != NULL)
    add_side (kernel, "there", &finding->there);
  cured_cli_json_put ("}");
}

static void
add_cell (CuredKernel *kernel, const gint64 *values, const CuredOutcome *outcome)
{

  cured_cli_json_put ("{values{");
  for (gsize i = 0; i < kernel->n_parameters; i++)
    cured_cli_json ("$", kernel->parameters[i].name, values[i]);
  cured_cli_json ("} state reason metrics{", cured_state_to_string (outcome->state),
                  outcome->reason);
  for (guint i = 0; i < CURED_N_METRICS; i++)
    if (!isnan (outcome->metrics[i]))
      cured_cli_json ("$", cured_metric_info ((CuredMetric) i)->id, outcome->metrics[i]);
  cured_cli_json_put ("}}");
}

static void
add_defects (guint32 defects)
{
  for (guint i = 0; i < CURED_N_FINDINGS; i++)
    if ((defects >> i & 1) != 0)
      cured_cli_json (".", cured_finding_info ((CuredFindingKind) i)->defect);
}

static void
add_remedies (const GPtrArray *remedies)
{
  cured_cli_json_put ("remedies[");
  for (guint i = 0; remedies != NULL && i < remedies->len; i++)
    {
      const CuredRemedy *remedy = g_ptr_array_index (remedies, i);

      cured_cli_json ("{text line column insertion}", remedy->text, remedy->line, remedy->column,
                      remedy->insertion);
    }
  cured_cli_json_put ("]");
}

static void
end_cells (const CuredCheckResult *result, const GPtrArray *remedies)
{
  cured_cli_json_put ("] declared[");
  add_defects (result->declared);
  cured_cli_json_put ("] missing[");
  if (result->has_detectors)
    add_defects (result->declared & ~result->found);
  cured_cli_json_put ("] findings[");
  for (guint i = 0; i < result->findings->len; i++)
    {
      const CuredFinding *finding = g_ptr_array_index (result->findings, i);

      add_finding (result->kernel, finding, cured_check_result_is_declared (result, finding));
    }
  cured_cli_json_put ("]");
  add_remedies (remedies);
  cured_cli_json ("broken_claims", result->n_broken);
  if (result->refusal != NULL)
    cured_cli_json ("refusal", result->refusal);
  if (result->limit != NULL)
    cured_cli_json ("limit", result->limit);
  cured_cli_json ("ok?}", cured_check_result_is_good (result));
}

/* ---- For people ---- */

/* “race, out-of-bounds”: each word once. */
static char *
describe_findings (const CuredCheckResult *result)
{
  gboolean seen[CURED_N_FINDINGS] = { FALSE };
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; i < result->findings->len; i++)
    {
      const CuredFinding *finding = g_ptr_array_index (result->findings, i);

      if (seen[finding->kind])
        continue;
      seen[finding->kind] = TRUE;
      g_string_append_printf (text, "%s%s", text->len > 0 ? ", " : "",
                              cured_finding_info (finding->kind)->defect);
    }
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/* Whether the file specifies the expected output. */
static gboolean
is_compared (const CuredCheckResult *result)
{
  return result->kernel->reference != NULL;
}

static char *
describe_verdict (const CuredCheckResult *result)
{
  g_autoptr (GString) text = g_string_new (NULL);

  if (cured_check_result_is_refused (result))
    return g_strdup_printf (_ ("not here: %s"), result->refusal);
  if (result->n_cells == 0)
    return g_strdup (_ ("no cell can be launched"));
  if (result->n_bad > 0)
    cured_cli_append_item (text, result->state == CURED_STATE_WRONG
                                     ? _ ("wrong")
                                     : cured_state_get_title (result->state));
  if (result->n_broken > 0)
    cured_cli_append_item (text, _ ("broken claim"));
  if (result->n_undeclared > 0)
    cured_cli_append_item (text, _ ("undeclared finding"));
  for (guint i = 0; result->has_detectors && i < CURED_N_FINDINGS; i++)
    if (((result->declared & ~result->found) >> i & 1) != 0)
      {
        cured_cli_append_item (
            text,
            cured_cli_lend (/* Translators: the word of kernel files for a defect that a kernel has on purpose, as
             * “race”. */
                            g_strdup_printf (_ ("%s not found"),
                                             cured_finding_info ((CuredFindingKind) i)->defect)));
      }
  if (text->len == 0 && !is_compared (result))
    g_string_append_printf (text, _ ("ran %u/%u, not compared: no [Check]"), result->n_right,
                            result->n_cells);
  else if (text->len == 0)
    g_string_append (text, result->declared != 0 ? _ ("ok, as declared") : _ ("ok"));
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/* Bank conflicts are slow, not wrong, and declared findings are intended: neither are reported. */
static gboolean
is_wanted (const Check *self, const CuredCheckResult *result, const CuredFinding *finding)
{
  return given.verbose || (!cured_check_result_is_declared (result, finding) &&
                           finding->kind != CURED_FINDING_BANK_CONFLICT);
}

/* Appends further guesses that decide the addresses of accesses: a draft marks such lines. */
static void
append_marked (GString *details, const CuredKernel *kernel)
{
  static const char *const keys[] = { "Grid=", "Block=", "Shared=", "Arguments=", NULL };
  g_auto (GStrv) lines = g_strsplit (kernel->text, "\n", MAX_HEADER_LINES);
  g_autofree char *group = NULL;
  gboolean has_reals = FALSE;

  for (guint i = 0; lines[i] != NULL && strstr (lines[i], "*/") == NULL; i++)
    {
      const char *line = lines[i] + strspn (lines[i], " *");

      if (*line == '[')
        {
          g_free (group);
          group = g_strndup (line + 1, strcspn (line + 1, "]"));
        }
      /* Addresses do not depend on reals. */
      if (g_str_has_prefix (line, "Type="))
        has_reals = line[5] == 'f' || line[5] == 'b' || line[5] == 'e';
      if (strstr (line, "# a guess") == NULL)
        continue;
      if (g_str_has_prefix (line, "Fill=") && !has_reals && group != NULL &&
          strchr (group, ' ') != NULL)
        /* Translators: a buffer of a kernel. */
        g_string_append_printf (details, _ (" (with the contents of %s, a guess)"),
                                strchr (group, ' ') + 1);
      for (guint k = 0; keys[k] != NULL; k++)
        if (g_str_has_prefix (line, keys[k]))
          /* Translators: a line of a kernel file, such as Block=256. */
          g_string_append_printf (details, _ (" (with %.*s, a guess)"), (int) strcspn (line, " #"),
                                  line);
    }
}

/* “ (with in[n], a guess)” for each buffer in @text whose length a draft guessed; else for each
 * guessed size. */
static void
append_guesses (GString *details, const CuredKernel *kernel, const char *text)
{
  gsize length = details->len;
  gboolean has_length = FALSE;

  for (gsize i = 0; i < kernel->n_buffers; i++)
    {
      const CuredBuffer *buffer = &kernel->buffers[i];
      g_autofree char *pattern = g_strdup_printf ("\\b%s\\b", buffer->name);

      if (buffer->is_guess && g_regex_match_simple (pattern, text, 0, 0))
        g_string_append_printf (details, _ (" (with %s[%s], a guess)"), buffer->name,
                                cured_expr_get_text (buffer->length));
    }
  has_length = details->len > length;
  for (gsize i = 0; i < kernel->n_parameters; i++)
    if (!has_length && kernel->parameters[i].is_guess)
      /* Translators: a parameter of a kernel. */
      g_string_append_printf (details, _ (" (with %s, a guess)"), kernel->parameters[i].name);
  append_marked (details, kernel);
}

static void
append_details (Check *self, const CuredCheckResult *result, const GPtrArray *remedies)
{
  const char *id = result->kernel->id;

  if (result->reason != NULL)
    g_string_append_printf (self->details, "%s: %s\n", id, result->reason);
  if (result->n_cells == 0 && result->limit != NULL)
    g_string_append_printf (self->details, "%s: %s\n", id, result->limit);
  for (guint i = 0; i < result->findings->len; i++)
    {
      const CuredFinding *finding = g_ptr_array_index (result->findings, i);
      gboolean is_declared = cured_check_result_is_declared (result, finding);

      if (!is_wanted (self, result, finding))
        continue;
      g_autofree char *text = cured_finding_to_string (finding);
      g_string_append_printf (self->details, "%s%s: %s", id, is_declared ? _ (" (declared)") : "",
                              text);
      append_guesses (self->details, result->kernel, text);
      g_string_append_c (self->details, '\n');
    }
  for (guint i = 0; remedies != NULL && i < remedies->len; i++)
    {
      const CuredRemedy *remedy = g_ptr_array_index (remedies, i);

      g_string_append_printf (
          self->details,
          /* Translators: a kernel, and a change of its source that was tried. */
          _ ("%s: tried: %s\n"), id, remedy->text);
    }
}

static void
add_row (Check *self, const CuredCheckResult *result, const GPtrArray *remedies)
{
  cured_cli_table_add (self->table, result->kernel->id,
                       is_compared (result) || result->n_right < result->n_cells
                           ? cured_cli_printf ("%u/%u", result->n_right, result->n_cells)
                           : "–",
                       result->has_detectors ? cured_cli_count ((gint64) result->excess) : "",
                       cured_cli_lend (describe_verdict (result)),
                       cured_cli_lend (describe_findings (result)));
  cured_cli_table_print (self->table, "");
  fflush (stdout);
  append_details (self, result, remedies);
}

/* ---- Running ---- */

/* Makes a spec of small problems, overridden by -p. */
static CuredSpec *
make_spec (Check *self, CuredKernel *kernel, GError **error)
{
  const CuredLimits *limits = &cured_device_get_info (self->device)->limits;
  g_autoptr (CuredSpec) spec = cured_spec_new (kernel);
  CuredOptions *options = cured_spec_get_options (spec);

  /* Nothing is timed. */
  options->cold = FALSE;
  options->hot = FALSE;
  if (cured_device_has_time (self->device))
    options->limit_s = GPU_LIMIT_S;
  if (!cured_cli_switches_apply (kernel, options, error))
    return NULL;
  cured_spec_use_small_sizes (spec, limits);
  if (!cured_cli_set_axes (spec, given.axes, error))
    return NULL;
  return g_steal_pointer (&spec);
}

/* Whether -p names the parameter. */
static gboolean
is_asked (const Check *self, const char *name)
{
  gsize n = strlen (name);

  for (char **axis = given.axes; axis != NULL && *axis != NULL; axis++)
    if (strncmp (*axis, name, n) == 0 && (*axis)[n] == '=')
      return TRUE;
  return FALSE;
}

/* Combinations of the values that -p does not set. */
static double
count_unasked (const Check *self, const CuredSpec *spec)
{
  const CuredParameter *parameters = cured_spec_get_kernel (spec)->parameters;
  gsize n_parameters = cured_spec_get_kernel (spec)->n_parameters;
  double n = 1.0;

  for (gsize i = 0; i < n_parameters; i++)
    if (!is_asked (self, parameters[i].name))
      n *= (double) cured_axis_get_length (cured_spec_get_axis (spec, i));
  return n;
}

static const char *
describe_values (const CuredSpec *spec, const gint64 *values)
{
  const CuredKernel *kernel = cured_spec_get_kernel (spec);
  GString *text = g_string_new (NULL);

  for (gsize i = 0; i < kernel->n_parameters; i++)
    if (cured_axis_get_length (cured_spec_get_axis (spec, i)) > 1)
      cured_cli_append_value (text, kernel->parameters[i].name, kernel->parameters[i].values,
                              values[i]);
  return cured_cli_lend (g_string_free (text, FALSE));
}

/* Remembers the first values at which something reported was found. */
static void
remember_found (Check *self, const CuredCheckResult *result, const CuredOutcome *outcome,
                const gint64 *values)
{
  gsize n_parameters = result->kernel->n_parameters;
  gboolean is_any = FALSE;

  for (guint i = 0; outcome->findings != NULL && i < outcome->findings->len; i++)
    is_any |= is_wanted (self, result, g_ptr_array_index (outcome->findings, i));
  if (!is_any || self->found_values != NULL)
    return;
  self->found_values = g_new0 (gint64, n_parameters + 1);
  for (gsize i = 0; i < n_parameters; i++)
    self->found_values[i] = values[i];
}

/* A failure that the kernel's other cells would have, too: the compiler reached a limit or crashed,
 * or a GPU hung. (nullable) */
static const char *
find_stop (const Check *self, const CuredOutcome *outcome)
{
  gboolean is_timed_out = outcome->state == CURED_STATE_TIMED_OUT;
  gboolean is_compiler = is_timed_out || outcome->state == CURED_STATE_CRASHED;

  for (int stage = 0; stage < CURED_N_STAGES; stage++)
    is_compiler &= (outcome->stage_ns[stage] > 0) == (stage == CURED_STAGE_COMPILE);
  if (is_compiler)
    return _ ("the compiler hit a limit");
  if (is_timed_out && !self->has_detectors)
    return _ ("this one did not end");
  return NULL;
}

/* Fills @values with the cell's values. */
static CuredJob
get_job (const Turn *turn, guint cell, gint64 *values)
{
  CuredKernel *kernel = cured_spec_get_kernel (turn->spec);
  gsize n = kernel->n_parameters;

  if (turn->plan != NULL)
    cured_plan_get_values (turn->plan, cured_plan_get_ordered (turn->plan, cell), values);
  else
    memcpy (values, turn->cover->values + cell * n, n * sizeof *values);
  return (CuredJob){
    .kernel = kernel,
    .values = values,
    .options = cured_spec_get_options (turn->spec),
  };
}

static gint64 *
new_values (const Turn *turn)
{
  return g_new0 (gint64, cured_spec_get_kernel (turn->spec)->n_parameters + 1);
}

/* Announces to the device the cells of all kernels after the one at @here. */
static void
look_ahead (Check *self, guint64 here)
{
  guint64 end = MIN (here + LOOK_AHEAD, self->n_cells);

  self->n_announced = MAX (self->n_announced, here + 1);
  for (guint i = 0; i < self->turns->len && self->n_announced < end; i++)
    {
      const Turn *turn = g_ptr_array_index (self->turns, i);
      g_autofree gint64 *values = new_values (turn);

      while (self->n_announced < MIN (end, turn->first + turn->n_cells))
        {
          CuredJob job = get_job (turn, (guint) (self->n_announced++ - turn->first), values);

          cured_prepare (self->device, &job);
        }
    }
}

static gboolean
check_cell (Check *self, Turn *turn, guint cell, GError **error)
{
  g_autoptr (CuredOutcome) outcome = cured_outcome_new ();
  g_autofree gint64 *values = new_values (turn);
  CuredJob job = get_job (turn, cell, values);
  const char *where = describe_values (turn->spec, job.values);

  show_line (job.kernel->id, where);
  look_ahead (self, turn->first + cell);
  /* The first one in the natural order, the others in different orders: results must not depend on
   * it. */
  cured_spec_get_options (turn->spec)->shuffle = cell;
  if (!cured_measure (self->device, &job, outcome, NULL, error) &&
      outcome->state == CURED_STATE_NOT_RUN)
    return FALSE;
  g_clear_error (error);
  cured_check_result_add (turn->result, outcome, where);
  self->stopped = find_stop (self, outcome);
  remember_found (self, turn->result, outcome, job.values);
  add_cell (job.kernel, job.values, outcome);
  return TRUE;
}

/* Plans every cell of the spec. */
static gboolean
plan_product (Check *self, Turn *turn, GError **error)
{
  const CuredLimits *limits = &cured_device_get_info (self->device)->limits;
  CuredKernel *kernel = cured_spec_get_kernel (turn->spec);
  CuredPlan *plan = turn->plan = cured_plan_new (turn->spec, limits, error);

  if (plan == NULL)
    return FALSE;
  g_autofree gint64 *values = new_values (turn);
  for (gint64 cell = 0; cell < cured_plan_get_n_cells (plan); cell++)
    {
      const char *reason = cured_plan_get_reason (plan, cell);

      if (reason == NULL)
        continue;
      cured_plan_get_values (plan, cell, values);
      const char *refusal = cured_program_find_refusal (kernel, values, limits);
      if (refusal != NULL)
        cured_check_result_add_refusal (turn->result, refusal);
      else
        cured_check_result_add_unlaunchable (turn->result, reason);
    }
  turn->n_cells = (guint) cured_plan_get_n_launchable (plan);
  return TRUE;
}

/* Plans cells in which every pair of values of two parameters occurs. */
static gboolean
plan_pairs (Check *self, Turn *turn, GError **error)
{
  const CuredLimits *limits = &cured_device_get_info (self->device)->limits;
  CuredCover *cover = turn->cover = cured_cover_new (turn->spec, limits, error);

  if (cover == NULL)
    return FALSE;
  if (cover->n_cells == 0)
    cured_check_result_add_unlaunchable (turn->result, cover->reason);
  turn->n_cells = cover->n_cells;
  return TRUE;
}

/* Checks the file's claims about counts; claims about times need a recording. */
static gboolean
check_claims (Check *self, CuredKernel *kernel, CuredCheckResult *result, GError **error)
{
  const CuredClaim *claims = kernel->claims;
  gsize n_claims = kernel->n_claims;

  for (gsize i = 0; i < n_claims; i++)
    {
      g_auto (CuredClaimResult) claimed = { 0 };
      g_autofree char *value = NULL;

      if (!cured_claim_is_counted (&claims[i]))
        continue;
      show_line (kernel->id, claims[i].name);
      if (!cured_claim_count (kernel, &claims[i], self->device, &claimed, error))
        return FALSE;
      if (claimed.verdict == CURED_CLAIM_NOT_RECORDED)
        continue;
      cured_check_result_add_claim (result, claimed.verdict == CURED_CLAIM_BROKEN);
      if (claimed.verdict != CURED_CLAIM_BROKEN)
        continue;
      value = cured_format_file_number (claimed.value);
      g_string_append_printf (self->details, _ ("%s: claim “%s” is broken: %s is %s\n"), kernel->id,
                              claims[i].name, cured_cli_lend (cured_claim_to_string (&claims[i])),
                              value);
    }
  return TRUE;
}

/* One change may fix several findings; it is reported once. */
static void
leave_out_repeats (GPtrArray *remedies)
{
  guint i = 1;

  while (i < remedies->len)
    {
      const CuredRemedy *remedy = g_ptr_array_index (remedies, i);
      gboolean is_repeated = FALSE;

      for (guint k = 0; k < i && !is_repeated; k++)
        {
          const CuredRemedy *other = g_ptr_array_index (remedies, k);

          is_repeated = other->line == remedy->line && other->column == remedy->column &&
                        g_str_equal (other->insertion, remedy->insertion);
        }
      if (is_repeated)
        g_ptr_array_remove_index (remedies, i);
      else
        i++;
    }
}

/* Fixes of the reported findings, if the emulator also finds them in a single block. (transfer
 * full) (nullable): none was looked for */
static GPtrArray *
find_remedies (Check *self, const CuredCheckResult *result)
{
  const CuredLimits *limits = &cured_device_get_info (self->device)->limits;
  CuredKernel *kernel = result->kernel;
  gboolean is_any = FALSE;
  CuredBankQuery query;

  for (guint i = 0; i < result->findings->len; i++)
    is_any |= is_wanted (self, result, g_ptr_array_index (result->findings, i));
  if (!is_any || !self->has_detectors || cured_cli_places.launchers != NULL ||
      self->found_values == NULL)
    return NULL;
  if (self->examiner == NULL)
    self->examiner = cured_examiner_new (NULL);
  show_line (kernel->id, _ ("remedies"));
  cured_bank_query_init (&query);
  /* Without one, only the findings count. */
  g_autoptr (CuredInspection) inspection =
      cured_examiner_inspect (self->examiner, kernel, self->found_values, limits, &query,
                              CURED_INSPECTION_TIME_LIMIT_MS, NULL, NULL);
  if (inspection == NULL)
    return NULL;
  return cured_examiner_find_remedies (self->examiner, kernel, self->found_values, limits, &query,
                                       inspection, NULL, NULL);
}

CURED_FREE_FUNC (Turn, turn_free, spec, cured_spec_unref, result, cured_check_result_free, plan,
                 cured_plan_unref, cover, cured_cover_free)

static gboolean
plan_turn (Check *self, CuredKernel *kernel, GError **error)
{
  Turn *turn = g_new0 (Turn, 1);

  g_ptr_array_add (self->turns, turn);
  turn->spec = make_spec (self, kernel, error);
  if (turn->spec == NULL)
    return FALSE;
  turn->result = cured_check_result_new (kernel, self->has_detectors);
  if (!(count_unasked (self, turn->spec) <= MAX_PRODUCT || kernel->n_parameters < 2
            ? plan_product (self, turn, error)
            : plan_pairs (self, turn, error)))
    return FALSE;
  turn->first = self->n_cells;
  self->n_cells += turn->n_cells;
  return TRUE;
}

static gboolean
check_kernel (Check *self, Turn *turn, GError **error)
{
  CuredKernel *kernel = cured_spec_get_kernel (turn->spec);
  CuredCheckResult *result = turn->result;

  g_clear_pointer (&self->found_values, g_free);
  self->stopped = NULL;
  cured_cli_json ("{kernel cells[", kernel->id);
  for (guint i = 0; i < turn->n_cells && self->stopped == NULL; i++)
    if (!check_cell (self, turn, i, error))
      return FALSE;
  if (turn->cover != NULL)
    {
      g_string_append_printf (
          self->details,
          /* Translators: a kernel, cells that were run, and all that there are. */
          _ ("%s: %u of %s cells, covering every pair of values of two parameters; "
             "-p selects others\n"),
          kernel->id, turn->n_cells, cured_cli_quantity (count_unasked (self, turn->spec), ""));
    }
  if (given.axes != NULL && result->n_cells == 0 && result->limit != NULL &&
      !cured_check_result_is_refused (result))
    /* The file is not to blame for the user's values. */
    return cured_cli_refuse (error, _ ("no cell can be launched on %s: %s"),
                             cured_device_get_info (self->device)->name, result->limit);
  if (self->stopped != NULL && !cured_check_result_is_good (result))
    /* Translators: a kernel, and a reason. */
    g_string_append_printf (self->details, _ ("%s: no other cell was tried, since %s\n"),
                            kernel->id, self->stopped);
  if (self->has_claims && self->stopped == NULL && !check_claims (self, kernel, result, error))
    return FALSE;
  g_autoptr (GPtrArray) remedies = find_remedies (self, result);
  if (remedies != NULL)
    leave_out_repeats (remedies);
  cured_cli_line_clear ();
  self->n_kernels++;
  self->n_compared += is_compared (result);
  if (!cured_check_result_is_good (result))
    self->n_bad++;
  end_cells (result, remedies);
  add_row (self, result, remedies);
  return TRUE;
}

static gboolean
check_all (Check *self, char **names, GError **error)
{
  for (gsize i = 0; names[i] != NULL; i++)
    {
      g_autoptr (CuredKernel) kernel = cured_cli_load_kernel (names[i], error);

      if (kernel == NULL || !cured_cli_refill (&kernel, given.fills, error) ||
          !plan_turn (self, kernel, error))
        return FALSE;
    }
  for (guint i = 0; i < self->turns->len; i++)
    if (!check_kernel (self, g_ptr_array_index (self->turns, i), error))
      {
        cured_cli_line_clear ();
        return FALSE;
      }
  return TRUE;
}

static CuredDevice *
open_device (GError **error)
{
  char **launchers = cured_cli_places.launchers;

  if (launchers == NULL)
    return cured_device_open_confined (given.device_id, error);
  if (launchers[1] != NULL)
    {
      cured_cli_refuse (error, _ ("check runs on one device; name one --launcher"));
      return NULL;
    }
  g_auto (GStrv) command = cured_cli_launch_worker (launchers[0], error);
  if (command == NULL)
    return NULL;
  CuredDevice *device =
      cured_worker_device_new ((const char *const *) command, given.device_id, error);
  if (device != NULL)
    cured_launcher_remember (launchers[0]);
  return device;
}

static void
print_result (Check *self)
{
  const CuredDeviceInfo *info = cured_device_get_info (self->device);

  cured_cli_json ("] ok?}", self->n_bad == 0);
  if (self->details->len > 0)
    g_print ("\n%s", self->details->str);
  if (self->n_bad == 0 && self->n_compared == 0)
    /* Translators: a number of kernels, and a device. */
    g_print (ngettext ("\n%u kernel on %s: nothing found; no result was compared\n",
                       "\n%u kernels on %s: nothing found; no result was compared\n",
                       self->n_kernels),
             self->n_kernels, info->name);
  else if (self->n_bad == 0)
    /* Translators: a number of kernels, and a device. */
    g_print (ngettext ("\n%u kernel on %s: all as their files say\n",
                       "\n%u kernels on %s: all as their files say\n", self->n_kernels),
             self->n_kernels, info->name);
  else
    /* Translators: how many kernels, of how many, on a device. */
    g_print (ngettext ("\n%u kernel of %u on %s is not as its file says\n",
                       "\n%u kernels of %u on %s are not as their files say\n", self->n_bad),
             self->n_bad, self->n_kernels, info->name);
}

static int
run (int argc, char **argv, GError **error)
{
  g_autoptr (CuredCliTable) table = cured_cli_table_new ("lrrll");
  g_autoptr (GString) details = g_string_new (NULL);
  g_autoptr (GPtrArray) turns = g_ptr_array_new_with_free_func (turn_free);
  g_auto (GStrv) catalogue = argc == 1 ? cured_catalogue_list () : NULL;
  char **names = argc > 1 ? argv + 1 : catalogue;
  Check check = { .table = table, .details = details, .turns = turns };

  if (!cured_cli_check_places ())
    return CURED_EXIT_USAGE;
  signal (SIGPIPE, SIG_IGN);
  g_autoptr (CuredDevice) device = open_device (error);
  if (device == NULL)
    return CURED_EXIT_USAGE;
  if (cured_device_is_model (cured_device_get_info (device)->id))
    return cured_cli_fail (_ ("%s runs no kernels; check on the emulator instead"),
                           given.device_id);
  check.device = device;
  check.has_detectors = cured_device_is_emulated (cured_device_get_info (device)->id);
  check.has_claims =
      check.has_detectors && g_str_equal (cured_device_get_info (device)->arch, CURED_CLAIM_ARCH);
  cured_cli_json ("{device kernels[", cured_device_get_info (device)->id);
  gsize width = 0;
  for (char **name = names; *name != NULL; name++)
    width = MAX (width, cured_cli_get_width (*name));
  cured_cli_table_widen (table, 0, width);
  cured_cli_table_widen (table, 3, cured_cli_get_width (_ ("ok, as declared")));
  cured_cli_table_add (table, _ ("kernel"), _ ("correct"), check.has_detectors ? _ ("excess") : "",
                       "", _ ("found"));
  gboolean is_done = check_all (&check, names, error);
  cured_examiner_free (check.examiner);
  g_free (check.found_values);
  if (!is_done)
    return CURED_EXIT_USAGE;
  print_result (&check);
  return check.n_bad > 0 ? CURED_EXIT_FINDING : CURED_EXIT_OK;
}
