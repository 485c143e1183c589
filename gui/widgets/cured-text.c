/* SPDX-License-Identifier: MIT
 * Texts about cells and figures. */
#include <config.h>

#include "widgets/cured-gui-widgets.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Prevents a line break between a name and its value. */
#define NO_BREAK_SPACE "\302\240"

/* Returns: the translated name of an origin */
const char *
cured_text_origin (CuredOrigin origin)
{
  switch (origin)
    {
    case CURED_ORIGIN_MEASURED: return _ ("Measured");
    case CURED_ORIGIN_COUNTED: return _ ("Counted");
    case CURED_ORIGIN_PREDICTED: return _ ("Predicted");
    case CURED_ORIGIN_DERIVED:
    default: return _ ("Derived");
    }
}

/* Compilers may print very long lines. */
#define MAX_LINE_BYTES 240

/* Returns: (transfer full): the first lines, with an ellipsis if there is more */
char *
cured_text_first_lines (const char *text, guint n_lines)
{
  const gsize max_bytes = (gsize) n_lines * MAX_LINE_BYTES;
  const char *end = text;

  for (guint i = 1;; i++)
    {
      end += strcspn (end, "\n");
      if (*end == '\0' || i == n_lines)
        break;
      end++;
    }
  if ((gsize) (end - text) > max_bytes)
    {
      end = text + max_bytes;
      /* Do not split a character. */
      while (((guchar) *end & 0xc0) == 0x80)
        end--;
    }
  if (*end == '\0' || g_str_equal (end, "\n"))
    return g_strndup (text, (gsize) (end - text));
  return g_strdup_printf ("%.*s…", (int) (end - text), text);
}

/* Names a figure with its unit, as "Bandwidth (B/s)". A time has no fixed unit, since each value
 * chooses one from ns to s. Returns: (transfer full): a translated text */
char *
cured_text_metric (const CuredMetricInfo *metric)
{
  return cured_grid_name_metric (NULL, metric);
}

/* Names a figure as cured_text_metric() does, and the device's limit if it is a share of that.
 * Returns: (transfer full): a translated text */
char *
cured_text_metric_of (CuredResult *result, const CuredMetricInfo *metric)
{
  return cured_grid_name_metric (result, metric);
}

/* Explains a figure: title, unit, description, formula, origin, and whether lower or higher is
 * better. Returns: (transfer full): a translated text of a few lines */
char *
cured_text_metric_tooltip (const CuredMetricInfo *metric)
{
  g_autofree char *title = cured_text_metric (metric);
  const char *origin =
      metric->origin == CURED_ORIGIN_MEASURED    ? _ ("Measured: read off the device's clock.")
      : metric->origin == CURED_ORIGIN_COUNTED   ? _ ("Counted: an exact number.")
      : metric->origin == CURED_ORIGIN_PREDICTED ? _ ("Predicted: what a model of the chip says.")
                                                 : _ ("Derived: computed from other metrics.");
  const char *better = metric->better == CURED_BETTER_LOWER    ? _ ("Lower is better.")
                       : metric->better == CURED_BETTER_HIGHER ? _ ("Higher is better.")
                                                               : NULL;

  const char *formula = cured_metric_get_formula (metric->id);
  g_autoptr (GString) text = g_string_new (title);

  g_string_append_printf (text, "\n%s.", _ (metric->description));
  if (formula != NULL)
    {
      g_string_append_c (text, '\n');
      /* Translators: how a figure is computed, as in "Formula: Bytes ÷ time". */
      g_string_append_printf (text, _ ("Formula: %s"), _ (formula));
    }
  g_string_append_printf (text, "\n%s", origin);
  if (better != NULL)
    g_string_append_printf (text, " %s", better);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/* Returns: (transfer full): the text with grouped digits in long numbers: "n=100,000,000" */
char *
cured_text_grouped (const char *text)
{
  GString *grouped = g_string_new (NULL);

  while (*text != '\0')
    {
      gsize n_other = strcspn (text, "0123456789");
      gsize n_digits = strspn (text + n_other, "0123456789");
      g_autofree char *digits = g_strndup (text + n_other, n_digits);
      g_autofree char *number = n_digits > 0 && n_digits < 19
                                    ? cured_format_count (g_ascii_strtoll (digits, NULL, 10))
                                    : g_strdup (digits);

      g_string_append_len (grouped, text, (gssize) n_other);
      g_string_append (grouped, number);
      text += n_other + n_digits;
    }
  return g_string_free (grouped, FALSE);
}

/* Describes a cell by its parameters: "tile 16, blocks 132". @all: includes axes of one value.
 * Returns: (transfer full): the text */
char *
cured_text_values (CuredResult *result, gint64 cell, gboolean all)
{
  g_autoptr (GString) text = g_string_new (NULL);
  gsize n_axes;
  const CuredResultAxis *axes = cured_result_get_axes (result, &n_axes);
  g_autofree gsize *positions = g_new (gsize, MAX (n_axes, 1));

  cured_result_get_positions (result, cell, positions);
  for (gsize i = 0; i < n_axes; i++)
    {
      if (!all && cured_axis_get_length (axes[i].values) == 1)
        continue;
      /* Digits are grouped for display, but not in texts for scripts. */
      g_autofree char *value =
          all || cured_axis_is_named (axes[i].values)
              ? cured_axis_format_value (axes[i].values, positions[i])
              : cured_format_count (cured_axis_get_value (axes[i].values, positions[i]));
      g_string_append_printf (text, "%s%s" NO_BREAK_SPACE "%s", text->len > 0 ? ", " : "",
                              axes[i].name, value);
    }
  /* No parameter varies in a result of one cell. */
  if (text->len == 0 && !all && n_axes > 0)
    return cured_text_values (result, cell, TRUE);
  /* Without parameters, there is only one cell. */
  if (n_axes == 0)
    g_string_assign (text, cured_result_get_title (result));
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/* Formats a figure with its unit, with three digits. (Lists of all figures of a cell, which show an
 * interval below its time, use cured_result_format_value().) Returns: (transfer full): the text; a
 * dash if there is no number */
char *
cured_text_figure (CuredResult *result, gint64 cell, gsize metric)
{
  double value = cured_result_get_value (result, cell, metric);

  if (isnan (value))
    return g_strdup ("—");
  return cured_format_quantity (value, cured_result_get_metrics (result, NULL)[metric].unit);
}

/* The value as on the map and with its unit; marks predictions. */
static char *
describe_number (const CuredGrid *grid, gsize index)
{
  gboolean is_multiple = cured_grid_is_relative (grid) && !cured_grid_is_best (grid, index);
  g_autofree char *figure = cured_grid_is_relative (grid) && !is_multiple
                                ? cured_grid_format_raw (grid, index)
                                : cured_grid_format_value (grid, grid->values[index]);

  if (!is_multiple)
    return cured_grid_is_predicted (grid)
               /* Translators: a figure that a model made, as in "predicted 14 µs". */
               ? g_strdup_printf (_ ("predicted %s"), figure)
               : g_steal_pointer (&figure);
  g_autofree char *quantity = cured_grid_format_raw (grid, index);
  if (cured_grid_is_predicted (grid))
    /* Translators: a multiple of the best, and a figure, as in "predicted ×1.4 the best (14
     * µs)". */
    return g_strdup_printf (_ ("predicted %s the best (%s)"), figure, quantity);
  /* Translators: a multiple of the best, and a figure, as in "×1.43 the best (106 µs)". */
  return g_strdup_printf (_ ("%s the best (%s)"), figure, quantity);
}

static char *
describe_value (const CuredGrid *grid, gsize index)
{
  if (!isnan (grid->values[index]))
    return describe_number (grid, index);
  switch (cured_grid_get_look (grid, index))
    {
    case CURED_LOOK_EMPTY:
      /* Translators: a cell ran well, but has no such figure. */
      return g_strdup (_ ("no value"));
    case CURED_LOOK_ONLY_THIS:
      /* Translators: a cell has a value in one of two files. */
      return g_strdup (_ ("only in this file"));
    case CURED_LOOK_ONLY_OTHER:
      /* Translators: a cell has a value in one of two files. */
      return g_strdup (_ ("only in the other file"));
    default: return g_strdup (cured_state_get_title ((CuredState) grid->states[index]));
    }
}

static char *
describe_other (CuredResult *result, const char *metric, gint64 cell)
{
  gsize index;

  if (cell < 0 || !cured_result_find_metric (result, metric, &index))
    return g_strdup ("—");
  return cured_text_figure (result, cell, index);
}

/* The line about a ratio, with the figures of both files. */
static char *
read_out_ratio (const CuredGrid *grid, gsize index)
{
  gint64 cell = grid->cells[index];
  g_autofree char *figure = describe_value (grid, index);
  g_autofree char *value = describe_other (grid->result, grid->metric.id, cell);
  g_autofree char *other = describe_other (grid->other, grid->metric.id, grid->other_cells[index]);
  g_autofree char *values = NULL;

  if (cell >= 0)
    values = cured_text_values (grid->result, cell, FALSE);
  else if (grid->other_cells[index] >= 0)
    values = cured_text_values (grid->other, grid->other_cells[index], FALSE);
  else
    return g_strdup (figure);
  /* Translators: parameters' values, a ratio of two files, the figure of this file and that of the
   * other, as in "tile 16, blocks 132: 0.95 (106 µs → 101 µs)". */
  return g_strdup_printf (_ ("%s: %s (%s → %s)"), values, figure, value, other);
}

/* The figure; NaN if the file lacks it. */
static double
get_figure (CuredResult *result, gint64 cell, CuredMetric metric)
{
  gsize index;

  return cured_result_find_metric (result, cured_metric_info (metric)->id, &index)
             ? cured_result_get_value (result, cell, index)
             : NAN;
}

/* The limit of a cell, and the distance to the next one. */
static char *
read_out_limiter (const CuredGrid *grid, gsize index, const char *values)
{
  gint64 cell = grid->cells[index];
  int limit = cured_factor_from_value (grid->values[index]);
  int next = cured_factor_from_value (get_figure (grid->result, cell, CURED_METRIC_limiter_next));
  double after = get_figure (grid->result, cell, CURED_METRIC_limiter_next_share);
  g_autofree char *share =
      cured_format_quantity (get_figure (grid->result, cell, CURED_METRIC_limiter_share), "ratio");

  if (limit >= 0 && limit < CURED_N_RESOURCES && next >= 0 && !isnan (after))
    return g_strdup_printf (
        /* Translators: parameters' values, a resource, a percentage, another resource and a
         * fraction, as in "tile 16: held by Shared memory, 97 %; next: Memory at 0.55 of the
         * time". */
        _ ("%s: held by %s, %s; next: %s at %.2f of the time"), values,
        cured_factor_get_title (limit), share, cured_factor_get_title (next), after);
  return g_strdup_printf (
      /* Translators: parameters' values, "Latency" or "Unexplained", and a percentage. */
      _ ("%s: %s; the busiest resource is busy %s of the time"), values,
      cured_factor_get_title (limit), share);
}

static char *
read_out (const CuredGrid *grid, gsize index)
{
  if (cured_grid_is_ratio (grid))
    return read_out_ratio (grid, index);
  g_autofree char *values = cured_text_values (grid->result, grid->cells[index], FALSE);
  if (g_str_equal (grid->metric.id, cured_metric_info (CURED_METRIC_limiter)->id) &&
      !isnan (grid->values[index]))
    return read_out_limiter (grid, index, values);
  g_autofree char *figure = describe_value (grid, index);
  if (grid->is_flagged != NULL && grid->is_flagged[index])
    {
      g_autofree char *plain = g_steal_pointer (&figure);

      /* Translators: a figure of a cell that runs well, in which the emulator found a race or the
       * like. */
      figure = g_strdup_printf (_ ("%s, with findings"), plain);
    }
  if (cured_grid_has_region (grid) && !cured_grid_is_best (grid, index) &&
      cured_grid_is_near_best (grid, index))
    return g_strdup_printf (
        /* Translators: parameters' values, the figure of a cell, and a number of per cent, as in
         * "tile 16, blocks 132: 107 µs, within 2 % of the best". */
        _ ("%s: %s, within %d\u00a0%% of the best"), values, figure, CURED_GRID_NEAR_BEST);
  if (cured_grid_is_best (grid, index))
    /* Translators: parameters' values and the figure of the best cell, as in "tile 16, blocks 132:
     * 106.3 µs, the best". */
    return g_strdup_printf (_ ("%s: %s, the best"), values, figure);
  /* Translators: parameters' values and the figure of a cell, as in
   * "tile 16, blocks 132: 106.3 µs". */
  return g_strdup_printf (_ ("%s: %s"), values, figure);
}

/* Describes a cell of a heat map in one line, shown under the map and read by screen readers:
 * "tile 16, blocks 132: 106.3 µs". Returns: (transfer full): the text */
char *
cured_text_read_out (const CuredGrid *grid, gsize column, gsize row)
{
  gsize index = row * grid->nx + column;
  g_autofree char *text = read_out (grid, index);

  if (grid->is_noted == NULL || !grid->is_noted[index])
    return g_steal_pointer (&text);
  g_autofree char *note =
      cured_text_first_lines (cured_result_get_remark (grid->result, grid->cells[index]), 1);
  /* Translators: what there is to say of a cell, and what somebody wrote about it. */
  return g_strdup_printf (_ ("%s. Note: %s"), text, note);
}

/* Describes a selection by its size and its range of figures: "6 cells selected: 358 µs to
 * 1.25 ms". Returns: (transfer full): the text */
char *
cured_text_selection (const CuredGrid *grid, const CuredGridSummary *summary)
{
  g_autofree char *count = cured_format_count ((gint64) summary->n_cells);

  if (summary->n_values == 0)
    /* Translators: cells of the map that are selected, none of which has the figure that the map
     * shows. */
    return g_strdup_printf (ngettext ("%s cell selected, no value", "%s cells selected, no value",
                                      (gulong) summary->n_cells),
                            count);
  /* Names have no minimum or maximum. */
  if (cured_grid_is_named (grid))
    return g_strdup_printf (
        ngettext ("%s cell selected", "%s cells selected", (gulong) summary->n_cells), count);
  /* Multiples of different bests have no common unit. */
  g_autofree char *low = grid->best_values != NULL
                             ? cured_grid_format_value (grid, summary->low)
                             : cured_format_quantity (summary->low, grid->metric.unit);
  g_autofree char *high = grid->best_values != NULL
                              ? cured_grid_format_value (grid, summary->high)
                              : cured_format_quantity (summary->high, grid->metric.unit);
  /* Translators: cells of the map that are selected, and their least and greatest figure. */
  return g_strdup_printf (ngettext ("%s cell selected: %s to %s", "%s cells selected: %s to %s",
                                    (gulong) summary->n_cells),
                          count, low, high);
}

/* Describes a cell in full, for the clipboard. @outcome: (nullable): details beyond its figures.
 * Returns: (transfer full): a text of several lines */
char *
cured_text_cell (CuredResult *result, gint64 cell, const CuredOutcome *outcome)
{
  g_autoptr (GString) text = g_string_new (cured_result_get_title (result));
  g_autofree char *values = cured_text_values (result, cell, TRUE);
  gsize n_metrics;
  const CuredMetricInfo *metrics = cured_result_get_metrics (result, &n_metrics);

  g_string_append_printf (text, "\n%s\n%s", values,
                          cured_state_get_title (cured_result_get_state (result, cell)));
  if (outcome != NULL && outcome->reason != NULL)
    g_string_append_printf (text, ": %s", outcome->reason);
  g_string_append_c (text, '\n');

  for (gsize i = 0; i < n_metrics; i++)
    {
      if (isnan (cured_result_get_value (result, cell, i)))
        continue;
      g_autofree char *figure = cured_result_format_value (result, cell, i);
      g_string_append_printf (text, "%s: %s (%s)\n", _ (metrics[i].title), figure,
                              cured_text_origin (metrics[i].origin));
    }

  for (guint i = 0; outcome != NULL && outcome->mismatches != NULL && i < outcome->mismatches->len;
       i++)
    {
      const CuredMismatch *mismatch = g_ptr_array_index (outcome->mismatches, i);

      /* Translators: an element of an array: name, index, and two numbers. */
      g_string_append_printf (text, _ ("%s[%" PRId64 "]: got %s, expected %s\n"), mismatch->buffer,
                              mismatch->index, mismatch->got, mismatch->expected);
    }
  if (outcome != NULL && outcome->output != NULL && *outcome->output != '\0')
    g_string_append_printf (text, "%s\n", outcome->output);
  /* Plain spaces suit searches and scripts better. */
  g_string_replace (text, NO_BREAK_SPACE, " ", 0);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/* Counts failed cells by state: "1 timed out, 2 failed". Returns: (transfer full) (nullable): the
 * text; NULL if there are none */
char *
cured_text_failures (const gint64 *n_states)
{
  static const CuredState order[] = { CURED_STATE_WRONG, CURED_STATE_FAILED, CURED_STATE_CRASHED,
                                      CURED_STATE_TIMED_OUT };
  g_autoptr (GString) text = g_string_new (NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (order); i++)
    {
      if (n_states[order[i]] == 0)
        continue;
      g_autofree char *count = cured_format_count (n_states[order[i]]);
      g_string_append_printf (text, "%s%s %s", text->len > 0 ? ", " : "", count,
                              cured_state_get_title (order[i]));
    }
  return text->len > 0 ? g_string_free (g_steal_pointer (&text), FALSE) : NULL;
}

/* Returns: (transfer full): the device's name, or its id if it has none */
char *
cured_text_device (const CuredDeviceInfo *device)
{
  return g_strdup (*device->name != '\0' ? device->name : device->id);
}

/* Returns: (transfer full): the file's name in UTF-8; the whole URI if it has no base name */
char *
cured_text_file (GFile *file)
{
  g_autofree char *base = g_file_get_basename (file);

  return base != NULL ? g_filename_display_name (base) : g_file_get_parse_name (file);
}

/* Returns: (transfer full): the path, with `~` for the home directory */
char *
cured_text_place (const char *path)
{
  const char *home = g_get_home_dir ();
  g_autofree char *place =
      g_str_has_prefix (path, home) && strchr ("/", path[strlen (home)]) != NULL
          ? g_strconcat ("~", path + strlen (home), NULL)
          : g_strdup (path);

  return g_filename_display_name (place);
}
