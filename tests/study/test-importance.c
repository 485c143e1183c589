/* SPDX-License-Identifier: MIT
 * Which parameter matters, beside a published analysis of variance. */
#include <cured.h>

#include "test.h"

#define MOST_PARAMETERS 3

/* Of statsmodels 0.15.0: ols ("log (time) ~ C (tile) + C (rows)"), anova_lm (typ=1): sum_sq of each
 * parameter over that of all cells; where cells are missing, rsquared of each by itself. */
static const struct
{
  const char *kernel;
  struct
  {
    const char *parameter;
    double share;
  } shares[MOST_PARAMETERS];
} rows[] = {
  { "matmul-coarsened", { { "tile", 0.965445 }, { "rows", 0.006803 } } },
  { "matmul-tiled", { { "n", 0.692960 }, { "tile", 0.306547 } } },
  { "reduce-two-launch", { { "blocks", 0.794393 }, { "block", 0.115413 } } },
  { "transpose-padded", { { "tile", 0.942978 }, { "padding", 0.019196 } } },
  { "banks-stride", { { "stride", 0.676189 }, { "width", 0.309417 }, { "store", 0.0 } } },
  { "latency-global", { { "footprint", 0.470113 }, { "stride", 0.315873 } } },
  { "average-shared", { { "block", 0.272976 }, { "steps", 0.177669 }, { "division", 0.174528 } } },
  { "matmul-registers",
    { { "thread_m", 0.397062 }, { "thread_n", 0.217585 }, { "tile_n", 0.149484 } } },
};

/* What another recording of the same kernel may differ by. */
#define SAME_KERNEL 0.01

static CuredResult *
load (const char *kernel)
{
  g_autofree char *name = g_strconcat (kernel, "-h200.cured", NULL);
  g_autofree char *path = g_build_filename (g_getenv ("CURED_TEST_RESULTS"), name, NULL);

  return MUST (cured_result_load_ready (path, NULL, &fail));
}

TEST ("/importance/published")
{
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (CuredResult) result = load (rows[i].kernel);
      const CuredResultAxis *axes = cured_result_get_axes (result, NULL);
      double together = 1;
      gsize metric;

      g_assert_true (cured_result_find_metric (result, "time", &metric));
      g_autoptr (CuredImportance) self = cured_importance_new (result, metric);
      g_assert_nonnull (self);
      g_assert_true (self->is_logarithmic);
      for (gsize k = 0; k < self->n_parameters; k++)
        {
          g_test_message ("%s: %s %.6f", rows[i].kernel, axes[self->parameters[k].axis].name,
                          self->parameters[k].share);
          g_assert_cmpstr (axes[self->parameters[k].axis].name, ==, rows[i].shares[k].parameter);
          g_assert_cmpfloat_with_epsilon (self->parameters[k].share, rows[i].shares[k].share,
                                          SAME_KERNEL);
          together -= self->parameters[k].share;
        }
      g_assert_cmpfloat_with_epsilon (self->together, MAX (together, 0), 1e-9);
    }
}

/* What matters is said in words; together, where no parameter has as much by itself. */
TEST ("/importance/words")
{
  g_autoptr (CuredResult) alone = load ("matmul-coarsened");
  g_autoptr (CuredResult) pair = load ("average-shared");
  gsize metric;

  g_assert_true (cured_result_find_metric (alone, "time", &metric));
  g_autoptr (CuredImportance) of_alone = cured_importance_new (alone, metric);
  g_autofree char *first = cured_importance_describe (of_alone, alone);
  g_assert_true (g_str_has_prefix (first, "tile matters most"));
  g_assert_true (cured_result_find_metric (pair, "time", &metric));
  g_autoptr (CuredImportance) of_pair = cured_importance_new (pair, metric);
  g_autofree char *second = cured_importance_describe (of_pair, pair);
  g_assert_true (g_str_has_prefix (second, "Parameters interact: "));
}

/* A figure that is the same in all cells has no variance to share. */
TEST ("/importance/none")
{
  g_autoptr (CuredResult) result = load ("matmul-coarsened");
  gint64 n_cells = cured_result_get_n_cells (result);
  g_autofree double *alike = g_new (double, n_cells);
  gsize metric;

  for (gint64 i = 0; i < n_cells; i++)
    alike[i] = 7;
  cured_result_set_column (result, CURED_METRIC_barriers, alike);
  g_assert_true (cured_result_find_metric (result, "barriers", &metric));
  g_assert_null (cured_importance_new (result, metric));
  alike[0] = 8;
  cured_result_set_column (result, CURED_METRIC_barriers, alike);
  g_autoptr (CuredImportance) one = cured_importance_new (result, metric);
  g_assert_nonnull (one);
}
