/* SPDX-License-Identifier: MIT
 * Limiting factors of a kernel, by name: values of the metric `limiter`. */
#include "base/cured-base-internal.h"

/* ORDER: as CuredResource. */
static const struct
{
  const char *id, *title, *name, *unit;
} resources[] = {
  { "issue", N_ ("Issue"), NC_ ("mid-sentence", "instruction issue"), N_ ("issue slots") },
  { "fp32", N_ ("Single precision"), NC_ ("mid-sentence", "single precision"), N_ ("issue slots") },
  { "integer", N_ ("Integer"), NC_ ("mid-sentence", "integer arithmetic"), N_ ("issue slots") },
  { "fp64", N_ ("Double precision"), NC_ ("mid-sentence", "double precision"), N_ ("issue slots") },
  { "special", N_ ("Special functions"), NC_ ("mid-sentence", "special functions"),
    N_ ("issue slots") },
  { "tensor", N_ ("Tensor"), NC_ ("mid-sentence", "tensor cores"), N_ ("issue slots") },
  { "load-store", N_ ("Load and store"), NC_ ("mid-sentence", "load and store"),
    N_ ("issue slots") },
  { "shared", N_ ("Shared memory"), NC_ ("mid-sentence", "shared memory"), N_ ("wavefronts") },
  { "constant", N_ ("Constant memory"), NC_ ("mid-sentence", "constant memory"), N_ ("words") },
  { "l1", N_ ("L1 cache"), NC_ ("mid-sentence", "the L1 cache"), N_ ("lines") },
  { "l2", N_ ("L2 cache"), NC_ ("mid-sentence", "the L2 cache"), N_ ("bytes") },
  { "memory", N_ ("Memory"), NC_ ("mid-sentence", "memory"), N_ ("bytes") },
  { "atomic", N_ ("Atomic operations"), NC_ ("mid-sentence", "atomic operations"),
    N_ ("operations") },
  { "dispatch", N_ ("Block dispatch"), NC_ ("mid-sentence", "block dispatch"), N_ ("blocks") },
  { "launch", N_ ("Launch"), NC_ ("mid-sentence", "the launch"), N_ ("launches") },
  { "remote", N_ ("Other blocks’ memory"),
    NC_ ("mid-sentence", "the shared memory of other blocks"), N_ ("remote sectors") },
};
G_STATIC_ASSERT (G_N_ELEMENTS (resources) == CURED_N_RESOURCES);

/* Returns: (transfer none): "load-store", as in files */
const char *
cured_resource_to_string (CuredResource resource)
{
  g_return_val_if_fail ((guint) resource < CURED_N_RESOURCES, NULL);
  return resources[resource].id;
}

/* Returns: (transfer none): for people, translated */
const char *
cured_resource_get_title (CuredResource resource)
{
  g_return_val_if_fail ((guint) resource < CURED_N_RESOURCES, NULL);
  return _ (resources[resource].title);
}

/* Returns: (transfer none): for use within a sentence, translated: "load and store" */
const char *
cured_resource_get_name (CuredResource resource)
{
  g_return_val_if_fail ((guint) resource < CURED_N_RESOURCES, NULL);
  return g_dpgettext2 (GETTEXT_PACKAGE, "mid-sentence", resources[resource].name);
}

/* Returns: (transfer none): unit of its work, translated */
const char *
cured_resource_get_unit (CuredResource resource)
{
  g_return_val_if_fail ((guint) resource < CURED_N_RESOURCES, NULL);
  return _ (resources[resource].unit);
}

/* @value: a value of the metric `limiter`; in a file, it may be any number
 * Returns: the value; -1 if it is invalid, with the title "?" */
int
cured_factor_from_value (double value)
{
  /* NaN fails the comparison, too. */
  if (value >= 0 && value <= CURED_FACTOR_CONTRADICTED && floor (value) == value &&
      cured_factor_to_string ((int) value) != NULL)
    return (int) value;
  return -1;
}

/* @limit: a value of the metric `limiter`
 * Returns: (transfer none) (nullable): "shared", as in files; NULL: there is no such value */
const char *
cured_factor_to_string (int limit)
{
  if (limit >= 0 && limit < CURED_N_RESOURCES)
    return cured_resource_to_string ((CuredResource) limit);
  switch (limit)
    {
    case CURED_FACTOR_LATENCY: return "latency";
    case CURED_FACTOR_UNEXPLAINED: return "unexplained";
    case CURED_FACTOR_CONTRADICTED: return "contradicted";
    default: return NULL;
    }
}

/* @limit: a value of the metric `limiter`
 * Returns: (transfer none): for people, translated; "?" for an invalid value, which a file may
 *   have */
const char *
cured_factor_get_title (int limit)
{
  if (limit >= 0 && limit < CURED_N_RESOURCES)
    return cured_resource_get_title ((CuredResource) limit);
  switch (limit)
    {
    case CURED_FACTOR_LATENCY: return _ ("Latency");
    case CURED_FACTOR_UNEXPLAINED: return _ ("Unexplained");
    case CURED_FACTOR_CONTRADICTED: return _ ("Contradicted");
    default: return "?";
    }
}
