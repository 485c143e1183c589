/* SPDX-License-Identifier: MIT
 * Texts about two results. */
#include <config.h>

#include "compare/cured-gui-compare.h"

#include <math.h>

/* @cell: the best over some parameters of @side. Returns: (transfer full) (nullable): its values of
 * these parameters, as “padding 1” */
char *
cured_compare_text_best (CuredResult *result, const CuredMatchSide *side, gint64 cell)
{
  gsize n_axes;
  const CuredResultAxis *axes = cured_result_get_axes (result, &n_axes);
  g_autofree gsize *positions = g_new0 (gsize, n_axes + 1);
  g_autoptr (GString) text = g_string_new (NULL);

  if (cell < 0 || side->n_over == 0)
    return NULL;
  cured_result_get_positions (result, cell, positions);
  for (gsize i = 0; i < side->n_over; i++)
    {
      const CuredResultAxis *axis = &axes[side->over[i]];
      g_autofree char *value = cured_axis_format_value (axis->values, positions[side->over[i]]);

      g_string_append_printf (text, "%s%s %s", i > 0 ? ", " : "", axis->name, value);
    }
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/* The shortest suffix of a path that differs from the other's. */
static char *
describe_path (const char *path, const char *other)
{
  g_autofree char *name = g_filename_display_basename (path);
  g_autofree char *folder = g_path_get_dirname (path);
  g_autofree char *other_name = g_filename_display_basename (other);
  g_autofree char *other_folder = g_path_get_dirname (other);

  if (!g_str_equal (name, other_name) || g_str_equal (folder, path) ||
      g_str_equal (folder, other_folder))
    return g_steal_pointer (&name);
  g_autofree char *above = describe_path (folder, other_folder);
  return g_build_filename (above, name, NULL);
}

/* Returns: (transfer full): what distinguishes the result from @other (nullable): kernel, device,
 * or else the file */
char *
cured_compare_text_result (CuredResult *result, CuredResult *other)
{
  gboolean is_other_kernel = other != NULL && g_strcmp0 (cured_result_get_kernel_id (result),
                                                         cured_result_get_kernel_id (other)) != 0;
  gboolean is_other_device =
      other != NULL && g_strcmp0 (cured_result_get_device (result)->name,
                                  cured_result_get_device (other)->name) != 0;
  g_autofree char *device = NULL;

  if (is_other_device)
    device = cured_text_device (cured_result_get_device (result));
  if (is_other_kernel && is_other_device)
    return g_strdup_printf ("%s · %s", cured_result_get_kernel_id (result), device);
  if (is_other_kernel)
    return g_strdup (cured_result_get_kernel_id (result));
  if (is_other_device)
    return g_steal_pointer (&device);
  return describe_path (cured_result_get_path (result),
                        other != NULL ? cured_result_get_path (other) : "");
}

/* Returns: (transfer full): the number of cells by verdict: “12 better · 3 same” */
char *
cured_compare_text_counts (const CuredComparison *comparison)
{
  g_autoptr (GString) counts = g_string_new (NULL);

  for (guint i = 0; i < CURED_N_VERDICTS; i++)
    if (comparison->n_verdicts[i] > 0)
      {
        g_autofree char *count = cured_format_count (comparison->n_verdicts[i]);

        /* Translators: how many cells, and their verdict: "12 better". */
        g_string_append_printf (counts, _ ("%s%s %s"), counts->len > 0 ? " · " : "", count,
                                _ (cured_verdict_to_string ((CuredVerdict) i)));
      }
  return g_string_free (g_steal_pointer (&counts), FALSE);
}

/* All multiples have the same number of digits. */
static void
add_multiple (GString *text, const char *format, double multiple)
{
  g_autofree char *told = cured_format_multiple (multiple, 3);

  g_string_append_printf (text, "%s%s", text->len > 0 ? " · " : "", format);
  g_string_replace (text, "%s", told, 1);
}

/* Returns: (transfer full): means, extremes and other differences, a line each */
char *
cured_compare_text_summary (const CuredComparison *comparison, CuredResult *a, CuredResult *b,
                            const CuredMetricInfo *metric)
{
  gboolean is_time = g_str_equal (metric->unit, "ns");
  g_autofree char *match = cured_comparison_describe (comparison, a, b, metric->id);
  g_autoptr (GString) summary = g_string_new (NULL);

  if (!isnan (comparison->geometric_mean))
    add_multiple (summary, _ ("Geometric mean of B ÷ A: %s"), comparison->geometric_mean);
  /* Translators: of the cell that gained most, such as “×2.00”. */
  if (comparison->best > 1)
    add_multiple (summary, is_time ? _ ("largest speed-up: %s") : _ ("largest gain: %s"),
                  comparison->best);
  /* Translators: of the cell that lost most, such as “×2.00”. */
  if (comparison->worst > 1)
    add_multiple (summary, is_time ? _ ("largest slowdown: %s") : _ ("largest loss: %s"),
                  comparison->worst);
  if (match != NULL)
    g_string_append_printf (summary, "\n%s", match);
  if (g_strcmp0 (cured_result_get_device (a)->name, cured_result_get_device (b)->name) != 0)
    {
      g_autofree char *name_a = cured_text_device (cured_result_get_device (a));
      g_autofree char *name_b = cured_text_device (cured_result_get_device (b));

      g_string_append_c (summary, '\n');
      /* Translators: the names of two devices. */
      g_string_append_printf (summary, _ ("Two devices: %s and %s"), name_a, name_b);
    }
  return g_string_free (g_steal_pointer (&summary), FALSE);
}
