/* SPDX-License-Identifier: MIT
 * Checks claims of kernel files: by running the kernel and counting, or by a recording. */
#include "study/cured-study-internal.h"

#include "base/cured-base-internal.h"
#include "kernel/read/cured-catalogue.h"
#include "kernel/cured-kernel-internal.h"
#include "measure/cured-measure.h"

/* A quotient of two counts is not exactly the decimal fraction of a bound. */
#define ROUNDING 1e-9

/* Frees its members. */
CURED_DEFINE_CLEAR (CuredClaimResult, cured_claim_result_clear, reason, g_free)

/* Returns: (transfer none): "holds", "broken" or "not recorded"; to be translated */
const char *
cured_claim_verdict_to_string (CuredClaimVerdict verdict)
{
  static const char *const words[] = { N_ ("holds"), N_ ("broken"), N_ ("not recorded") };

  g_return_val_if_fail ((guint) verdict < G_N_ELEMENTS (words), NULL);
  return words[verdict];
}

/* Returns: whether it is about a count, which cured_claim_count() checks; others are about times,
 *   and need a recording */
gboolean
cured_claim_is_counted (const CuredClaim *claim)
{
  g_return_val_if_fail (claim != NULL, FALSE);
  return !cured_metric_info (claim->metric)->is_timed;
}

static void
append_bound (GString *text, const char *sign, double bound)
{
  if (!isnan (bound))
    g_string_append_printf (text, " %s %.6g", sign, bound);
}

/* Returns: (transfer full): the condition, without the claim's text: “time at tile=32 against
 *   tile=8 ≥ 0.4 ≤ 0.6” */
char *
cured_claim_to_string (const CuredClaim *claim)
{
  g_return_val_if_fail (claim != NULL, NULL);

  GString *text = g_string_new (cured_metric_info (claim->metric)->id);
  if (claim->at != NULL)
    g_string_append_printf (text, _ (" at %s"), claim->at);
  if (claim->against != NULL)
    g_string_append_printf (text, _ (" against %s"), claim->against);
  append_bound (text, "≥", claim->low);
  append_bound (text, "≤", claim->high);
  return g_string_free (text, FALSE);
}

static void
judge (const CuredClaim *claim, double value, CuredClaimResult *result)
{
  result->value = value;
  if (isnan (value))
    result->verdict = CURED_CLAIM_NOT_RECORDED;
  else if (value < claim->low - fabs (claim->low) * ROUNDING ||
           value > claim->high + fabs (claim->high) * ROUNDING)
    result->verdict = CURED_CLAIM_BROKEN;
  else
    result->verdict = CURED_CLAIM_HOLDS;
}

static void
init_result (const CuredClaim *claim, CuredClaimResult *result)
{
  *result = (CuredClaimResult){
    .verdict = CURED_CLAIM_NOT_RECORDED, .value = NAN, .low = claim->low, .high = claim->high
  };
}

static CuredKernel *
load_other (const CuredClaim *claim, gint64 **values, GError **error)
{
  g_autoptr (CuredKernel) other = cured_catalogue_get (claim->against_kernel, error);

  if (other == NULL)
    return NULL;
  const CuredParameter *parameters = other->parameters;
  gsize n = other->n_parameters;
  g_autofree gint64 *point = g_new (gint64, n + 1);
  for (gsize i = 0; i < n; i++)
    point[i] = parameters[i].default_value;
  if (claim->against_point != NULL &&
      !cured_kernel_parse_point (other, claim->against_point, point, error))
    return NULL;
  *values = g_steal_pointer (&point);
  return g_steal_pointer (&other);
}

/* @claim: a claim of @kernel that has an Against=
 * @values: (out) (transfer full): the point, one per parameter of the returned kernel
 * @error: CURED_ERROR_NOT_FOUND if Against= names a missing kernel, or as from
 *   cured_kernel_parse_point()
 * Returns: (transfer full) (nullable): @kernel, or the other kernel that is compared with */
CuredKernel *
cured_claim_load_against (CuredKernel *kernel, const CuredClaim *claim, gint64 **values,
                          GError **error)
{
  gsize n;

  g_return_val_if_fail (kernel != NULL && claim != NULL && claim->against != NULL, NULL);

  if (claim->against_kernel == NULL)
    {
      n = kernel->n_parameters;
      *values = g_memdup2 (claim->against_values, n * sizeof **values);
      return cured_kernel_ref (kernel);
    }
  CuredKernel *other = load_other (claim, values, error);
  if (other == NULL)
    g_prefix_error (error, _ ("[Claim %s] of %s, Against=%s: "), claim->name, kernel->id,
                    claim->against);
  return other;
}

/* The count; NaN with a reason if the kernel does not run here. */
static gboolean
count (CuredKernel *kernel, const gint64 *values, CuredMetric metric, CuredDevice *device,
       double *figure, char **reason, GError **error)
{
  g_autoptr (CuredOutcome) outcome = cured_outcome_new ();
  g_autoptr (GError) local = NULL;
  g_auto (CuredOptions) options = { 0 };
  CuredJob job = { .kernel = kernel, .values = values, .options = &options };

  cured_options_init (&options);
  /* The detectors are slow, and only needed to count findings. */
  options.check = metric == CURED_METRIC_findings;
  options.cold = FALSE;
  options.hot = FALSE;
  if (!cured_measure (device, &job, outcome, NULL, &local) && outcome->state == CURED_STATE_NOT_RUN)
    {
      g_propagate_error (error, g_steal_pointer (&local));
      return FALSE;
    }
  *figure = outcome->metrics[metric];
  if (isnan (*figure) && *reason == NULL)
    *reason = outcome->reason != NULL ? g_strdup (outcome->reason)
                                      : g_strdup_printf (_ ("the cell has no figure “%s”"),
                                                         cured_metric_info (metric)->id);
  return TRUE;
}

/* @claim: one of its claims, about a count
 * @device: an emulator
 * @result: (out caller-allocates): cleared with cured_claim_result_clear()
 * @error: as from cured_claim_load_against(), or from cured_measure() if the device can't be used
 *
 * Runs the kernel once, and the one that it is compared with. Blocks.
 * Returns: whether @result was set. That the claim is broken, or that the kernel does not run on
 *   @device, is not an error. */
gboolean
cured_claim_count (CuredKernel *kernel, const CuredClaim *claim, CuredDevice *device,
                   CuredClaimResult *result, GError **error)
{
  double value = NAN;

  g_return_val_if_fail (kernel != NULL && claim != NULL && device != NULL && result != NULL &&
                            cured_claim_is_counted (claim),
                        FALSE);

  init_result (claim, result);
  if (!count (kernel, claim->at_values, claim->metric, device, &value, &result->reason, error))
    return FALSE;
  if (claim->against != NULL)
    {
      g_autofree gint64 *values = NULL;
      g_autoptr (CuredKernel) other = cured_claim_load_against (kernel, claim, &values, error);
      double against = NAN;

      if (other == NULL ||
          !count (other, values, claim->metric, device, &against, &result->reason, error))
        {
          cured_claim_result_clear (result);
          return FALSE;
        }
      value /= against;
    }
  judge (claim, value, result);
  return TRUE;
}

/* The figure at a point of a recording; NaN if it was not recorded. */
static double
look_up (CuredKernel *kernel, const gint64 *values, CuredMetric metric, CuredResult *result)
{
  gsize n_axes, n_parameters, column;
  const CuredResultAxis *axes = cured_result_get_axes (result, &n_axes);
  g_autofree gsize *positions = g_new0 (gsize, n_axes + 1);

  n_parameters = kernel->n_parameters;
  if (n_axes != n_parameters ||
      !cured_result_find_metric (result, cured_metric_info (metric)->id, &column))
    return NAN;
  for (gsize i = 0; i < n_axes; i++)
    {
      gsize index;

      if (!cured_kernel_find_parameter (kernel, axes[i].name, &index) ||
          !cured_axis_find (axes[i].values, values[index], &positions[i]))
        return NAN;
    }
  return cured_result_get_value (result, cured_result_get_cell (result, positions), column);
}

/* @claim: one of its claims
 * @recorded: a result of @kernel
 * @against: (nullable): a result of the kernel that Against= names; NULL if it names none, or none
 *   is recorded
 * @result: (out caller-allocates): cleared with cured_claim_result_clear()
 * @error: as from cured_claim_load_against()
 *
 * Checks a claim by recordings, which may be of any device.
 * Returns: whether @result was set. That the claim is broken, or its cells are not in the
 *   recordings, is not an error. */
gboolean
cured_claim_look_up (CuredKernel *kernel, const CuredClaim *claim, CuredResult *recorded,
                     CuredResult *against, CuredClaimResult *result, GError **error)
{
  g_return_val_if_fail (
      kernel != NULL && claim != NULL && CURED_IS_RESULT (recorded) && result != NULL, FALSE);

  init_result (claim, result);
  double value = look_up (kernel, claim->at_values, claim->metric, recorded);
  if (claim->against != NULL)
    {
      g_autofree gint64 *values = NULL;
      g_autoptr (CuredKernel) other = cured_claim_load_against (kernel, claim, &values, error);

      if (other == NULL)
        return FALSE;
      if (claim->against_kernel == NULL)
        against = recorded;
      value /= against != NULL ? look_up (other, values, claim->metric, against) : NAN;
    }
  judge (claim, value, result);
  if (isnan (value))
    result->reason = g_strdup (_ ("the cell is not in the recording"));
  return TRUE;
}

/* Two digits of a measured figure, as more are not reproducible; two decimals of a ratio near 1.
 * Counts are exact. */
static char *
format_figure (double value, gboolean is_ratio, gboolean is_counted)
{
  double size = fabs (value), step = pow (10, floor (log10 (size)) - 1);

  if (is_counted)
    return g_strdup_printf (is_ratio ? "%.3g" : "%.6g", value);
  if (is_ratio && size >= 0.1 && size < 2)
    return g_strdup_printf ("%.2f", value);
  return g_strdup_printf ("%.10g", size > 0 ? round (value / step) * step : value);
}

/* Returns: (transfer full) (nullable): the figure with its unit; NULL where there is none */
char *
cured_claim_describe_figure (const CuredClaim *claim, const CuredClaimResult *result)
{
  const char *unit = cured_metric_info (claim->metric)->unit;
  gboolean is_plain = claim->against != NULL || g_str_equal (unit, "ratio");

  if (isnan (result->value))
    return NULL;
  g_autofree char *figure = format_figure (result->value, is_plain, cured_claim_is_counted (claim));
  return g_strdup_printf ("%s%s%s", figure, is_plain || *unit == '\0' ? "" : " ",
                          is_plain ? "" : unit);
}

/* @kernel: the kernel that makes the claim
 * @claim: one of its claims
 * Returns: (transfer full): the claim as a question, whose answer is a number */
char *
cured_claim_ask (CuredKernel *kernel, const CuredClaim *claim)
{
  const CuredMetricInfo *info = cured_metric_info (claim->metric);

  if (claim->question != NULL)
    return g_strdup (claim->question);
  const char *at = claim->at != NULL ? claim->at : _ ("its defaults");

  if (claim->against != NULL)
    /* Translators: a kernel, a metric, a point, and what it is divided by. */
    return g_strdup_printf (_ ("%s: %s at %s, over that of %s?"), kernel->id, _ (info->title), at,
                            claim->against);
  if (*info->unit != '\0' && !g_str_equal (info->unit, "ratio"))
    /* Translators: a kernel, a metric, a point, and a unit. */
    return g_strdup_printf (_ ("%s: %s at %s, in %s?"), kernel->id, _ (info->title), at,
                            info->unit);
  /* Translators: a kernel, a metric, and a point. */
  return g_strdup_printf (_ ("%s: %s at %s?"), kernel->id, _ (info->title), at);
}

/* A guess within this factor counts as right. */
#define NEAR 1.25

/* @guess: a figure
 * Returns: whether the guess counts as right: within a factor of 1.25 */
gboolean
cured_claim_is_near (double guess, double value)
{
  if (value == 0 || guess == 0)
    return guess == value;
  return guess / value > 0 && guess / value <= NEAR && value / guess <= NEAR;
}
