/* SPDX-License-Identifier: MIT
 * Differences of two steps of a ladder: counts, and the author's text. */

#include "base/cured-base-internal.h"
#include "kernel/program/cured-program.h"
#include "study/cured-ladder.h"
#include "worker/cured-examiner.h"
#include "measure/cured-measure.h"

/* The chip for which both are counted, which has recordings. */
#define DEVICE "emulator:sm_90"

/* Limits of the common problem, which takes some tenths of a second per step. */
#define MAX_ELEMENTS (1 << 18)
#define MAX_FLOPS    1e8

/* Halvings after which nothing is left. */
#define MAX_HALVINGS 64

/* Limit of each of the two, in seconds. */
#define LIMIT_S 20.0

static const CuredMetric recorded_metrics[] = {
  CURED_METRIC_time,           CURED_METRIC_bandwidth,
  CURED_METRIC_flop_rate,      CURED_METRIC_of_ceiling,
  CURED_METRIC_cycles,         CURED_METRIC_occupancy,
  CURED_METRIC_registers,      CURED_METRIC_shared_static,
  CURED_METRIC_shared_dynamic, CURED_METRIC_threads_per_block,
  CURED_METRIC_grid_blocks,
};

static const CuredMetric counted_metrics[] = {
  CURED_METRIC_instructions,        CURED_METRIC_shared_wavefronts,
  CURED_METRIC_excess_wavefronts,   CURED_METRIC_global_sectors,
  CURED_METRIC_sectors_per_request, CURED_METRIC_lanes_active,
  CURED_METRIC_divergent_branches,  CURED_METRIC_barriers,
};

/* Returns: (transfer none) (array length=n_metrics): metrics for comparing recordings of two steps,
 *   in the order in which they are shown */
const CuredMetric *
cured_ladder_recorded_metrics (gsize *n_metrics)
{
  *n_metrics = G_N_ELEMENTS (recorded_metrics);
  return recorded_metrics;
}

/* Returns: (transfer none) (array length=n_metrics): metrics that cured_ladder_count() counts, in
 *   the order in which they are shown */
const CuredMetric *
cured_ladder_counted_metrics (gsize *n_metrics)
{
  *n_metrics = G_N_ELEMENTS (counted_metrics);
  return counted_metrics;
}

/* One of the two, at some problem. */
typedef struct
{
  CuredKernel *kernel;
  const CuredParameter *parameters;
  gsize n_parameters;
  gint64 *values;
} Side;

static void
side_init (Side *self, const CuredRung *rung)
{
  self->kernel = rung->step->kernel;
  self->parameters = self->kernel->parameters;
  self->n_parameters = self->kernel->n_parameters;
  self->values = g_new0 (gint64, self->n_parameters + 1);
  for (gsize i = 0; i < self->n_parameters; i++)
    self->values[i] =
        rung->cell != NULL ? rung->cell->values[i] : self->parameters[i].default_value;
}

CURED_CLEAR_FUNC (Side, side_clear, values, g_free)

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Side, side_clear)

/* Both get each problem size, the smaller one if both have the
 * parameter. */
static void
share_problem (Side *a, Side *b)
{
  for (gsize i = 0; i < a->n_parameters; i++)
    {
      gsize other;

      if (a->parameters[i].kind != CURED_PARAMETER_PROBLEM ||
          !cured_kernel_find_parameter (b->kernel, a->parameters[i].name, &other))
        continue;
      gint64 least = MIN (a->values[i], b->values[other]);
      a->values[i] = least;
      b->values[other] = least;
    }
}

/* Halves the greatest size of the problem in both; FALSE: all of them are 1. */
static gboolean
halve (Side *a, Side *b)
{
  gssize greatest = -1;
  gsize other;

  for (gsize i = 0; i < a->n_parameters; i++)
    if (a->parameters[i].kind == CURED_PARAMETER_PROBLEM && a->values[i] > 1 &&
        (greatest < 0 || a->values[i] > a->values[greatest]))
      greatest = (gssize) i;
  if (greatest < 0)
    return FALSE;
  a->values[greatest] /= 2;
  if (cured_kernel_find_parameter (b->kernel, a->parameters[greatest].name, &other))
    b->values[other] = a->values[greatest];
  return TRUE;
}

static gboolean
is_small (const Side *self, const CuredLimits *limits)
{
  double elements = 0;

  if (cured_program_find_refusal (self->kernel, self->values, limits) != NULL)
    return FALSE;
  g_autoptr (CuredProgram) program = cured_program_new (self->kernel, self->values, limits, NULL);
  if (program == NULL)
    return FALSE;
  for (gsize i = 0; i < program->n_buffers; i++)
    elements += (double) program->buffers[i].length;
  return elements <= MAX_ELEMENTS && !(program->flops > MAX_FLOPS);
}

static char *
describe_problem (const Side *self)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (gsize i = 0; i < self->n_parameters; i++)
    if (self->parameters[i].kind == CURED_PARAMETER_PROBLEM)
      g_string_append_printf (text, "%s%s=%" PRId64, text->len > 0 ? "," : "",
                              self->parameters[i].name, self->values[i]);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static gboolean
count (const Side *self, CuredDevice *device, double *metrics, GCancellable *cancellable,
       GError **error)
{
  g_autoptr (CuredOutcome) outcome = cured_outcome_new ();
  g_autoptr (GError) local = NULL;
  g_auto (CuredOptions) options = { 0 };
  CuredJob job = { .kernel = self->kernel, .values = self->values, .options = &options };

  cured_options_init (&options);
  options.check = FALSE;
  options.cold = FALSE;
  options.hot = FALSE;
  options.limit_s = LIMIT_S;
  if (!cured_measure (device, &job, outcome, cancellable, &local) &&
      outcome->state == CURED_STATE_NOT_RUN)
    {
      g_propagate_error (error, g_steal_pointer (&local));
      return FALSE;
    }
  if (isnan (outcome->metrics[CURED_METRIC_instructions]))
    return cured_fail (
        error, CURED_ERROR_DEVICE, /* Translators: a kernel's id, and why it can't be run. */
        _ ("%s can't be counted: %s"), self->kernel->id,
        outcome->reason != NULL ? outcome->reason : cured_state_get_title (outcome->state));
  memcpy (metrics, outcome->metrics, sizeof outcome->metrics);
  return TRUE;
}

/* @before: a step
 * @after: the step to compare it with
 * @error: %CURED_ERROR_NOT_LAUNCHABLE if no small problem suits both, %CURED_ERROR_NO_COMPILER if
 *   NVRTC is missing, or an error of the emulator
 *
 * Runs both on the emulator, each with the parameters of its fastest cell, at a common problem,
 * halved until it is small enough. Blocks for up to some seconds: run it in a thread.
 * Returns: (transfer full) (nullable): the counts */
CuredLadderCounts *
cured_ladder_count (const CuredRung *before, const CuredRung *after, GCancellable *cancellable,
                    GError **error)
{
  g_auto (Side) a = { 0 }, b = { 0 };
  guint n_halvings = 0;

  g_return_val_if_fail (before != NULL && after != NULL, NULL);

  g_autoptr (CuredDevice) device = cured_device_open_confined (DEVICE, error);
  if (device == NULL)
    return NULL;
  const CuredLimits *limits = &cured_device_get_info (device)->limits;
  side_init (&a, before);
  side_init (&b, after);
  share_problem (&a, &b);
  while (!is_small (&a, limits) || !is_small (&b, limits))
    if (n_halvings++ >= MAX_HALVINGS || !halve (&a, &b))
      return cured_fail_null (
          error, CURED_ERROR_NOT_LAUNCHABLE, /* Translators: the ids of two kernels. */
          _ ("%s and %s have no small problem in common"), a.kernel->id, b.kernel->id);
  g_autoptr (CuredLadderCounts) self = g_new0 (CuredLadderCounts, 1);
  self->problem = describe_problem (&b);
  if (!count (&a, device, self->before, cancellable, error) ||
      !count (&b, device, self->after, cancellable, error))
    return NULL;
  return g_steal_pointer (&self);
}

/* @self: (transfer full): counts */
CURED_DEFINE_FREE (CuredLadderCounts, cured_ladder_counts_free, problem, g_free)

/* Paragraph by paragraph. */
static char *
translate (const char *text)
{
  g_auto (GStrv) paragraphs = g_strsplit (text, "\n\n", -1);

  for (gsize i = 0; paragraphs[i] != NULL; i++)
    {
      char *paragraph = g_steal_pointer (&paragraphs[i]);

      paragraphs[i] = g_strdup (cured_kernel_translate (paragraph));
      g_free (paragraph);
    }
  return g_strjoinv ("\n\n", paragraphs);
}

/* The comment that ends right before @at, or NULL. */
static char *
take_comment (const char *source, const char *at)
{
  const char *end = at;
  g_autoptr (GString) words = g_string_new (NULL);

  while (end > source && g_ascii_isspace (end[-1]))
    end--;
  if (end - source < 4 || end[-1] != '/' || end[-2] != '*')
    return NULL;
  const char *begin = g_strrstr_len (source, end - 2 - source, "/*");
  if (begin == NULL || begin[2] == '!')
    return NULL;
  g_autofree char *text = g_strndup (begin + 2, (gsize) (end - 2 - (begin + 2)));
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  for (gsize i = 0; lines[i] != NULL; i++)
    {
      const char *line = g_strstrip (lines[i]);

      if (*line == '*')
        line++;
      while (g_ascii_isspace (*line))
        line++;
      /* Paragraphs are kept, lines are not. */
      if (*line == '\0')
        g_string_append (words, words->len > 0 ? "\n\n" : "");
      else
        g_string_append_printf (
            words, "%s%s", words->len > 0 && words->str[words->len - 1] != '\n' ? " " : "", line);
    }
  return translate (g_strstrip (words->str));
}

/* Gets the author's text on the step: the comment above the first `__global__` function, translated
 * if the kernel comes with Cured.
 * Returns: (transfer full) (nullable): the text, without the marks of a comment; paragraphs are
 *   separated by an empty line */
char *
cured_ladder_get_prose (const CuredKernel *kernel)
{
  const char *source = kernel->source, *body = strstr (source, "*/"), *at = body;

  g_return_val_if_fail (source != NULL, NULL);

  while (at != NULL && (at = strstr (at, "__global__")) != NULL)
    {
      const char *line = at;

      /* Back to the beginning of the declaration: a template, extern "C". */
      while (line > body && !(line[-1] == '\n' && (line - 1 == body || line[-2] == '\n' ||
                                                   (line - 3 >= body && line[-2] == '/'))))
        line--;
      char *text = take_comment (source, line);
      if (text != NULL)
        return text;
      at += strlen ("__global__");
    }
  return NULL;
}
