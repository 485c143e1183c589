/* SPDX-License-Identifier: MIT
 * Two results as a drawing: the map of their ratio, and the table of pairs. */
#include "config.h"

#include "base/cured-base-internal.h"
#include "plot/export/cured-drawing-internal.h"
#include "plot/export/cured-export-private.h"
#include "plot/map/cured-map-plot-private.h"
#include "study/cured-comparison.h"

/* Text is collected up to this many bytes before it is written. */
#define BUFFER_BYTES (64 * 1024)

typedef struct
{
  CuredGrid *grid;
  char *path_a, *path_b, *metric;
} Ratio;

static void
ratio_draw (gconstpointer data, cairo_t *cr, const CuredPlotStyle *style, double width,
            double height)
{
  const Ratio *self = data;

  _cured_plot_draw_grid (self->grid, cr, style, width, height);
}

/* The table. A result belongs to one thread, so both files are read again. */
typedef struct
{
  CuredResult *a, *b;
  CuredComparison *comparison;
} Pairs;

CURED_CLEAR_FUNC (Pairs, pairs_clear, a, g_object_unref, b, g_object_unref, comparison,
                  cured_comparison_free)

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Pairs, pairs_clear)

static gboolean
pairs_init (Pairs *self, const Ratio *ratio, GCancellable *cancellable, GError **error)
{
  self->a = cured_result_load (ratio->path_a, cancellable, error);
  if (self->a == NULL)
    return FALSE;
  self->b = cured_result_load (ratio->path_b, cancellable, error);
  if (self->b == NULL)
    return FALSE;
  self->comparison = cured_comparison_new (self->a, self->b, ratio->metric, error);
  return self->comparison != NULL;
}

static gboolean
flush (GString *text, gsize at_least, GOutputStream *stream, GCancellable *cancellable,
       GError **error)
{
  if (text->len < at_least)
    return TRUE;
  gboolean is_written =
      g_output_stream_write_all (stream, text->str, text->len, NULL, cancellable, error);
  g_string_truncate (text, 0);
  return is_written;
}

static void
append_number (GString *text, double value)
{
  g_autofree char *number = isfinite (value) ? cured_format_file_number (value) : NULL;

  g_string_append (text, number != NULL ? number : "null");
}

/* The parameters of both results, those of the first one first: one column each. */
static char **
list_parameters (const Pairs *self)
{
  g_autoptr (GStrvBuilder) names = g_strv_builder_new ();
  gsize n_axes, n_others;
  const CuredResultAxis *axes = cured_result_get_axes (self->a, &n_axes);
  const CuredResultAxis *others = cured_result_get_axes (self->b, &n_others);

  for (gsize i = 0; i < n_axes; i++)
    g_strv_builder_add (names, axes[i].name);
  for (gsize i = 0; i < n_others; i++)
    {
      gboolean is_known = FALSE;

      for (gsize j = 0; j < n_axes; j++)
        is_known = is_known || g_str_equal (axes[j].name, others[i].name);
      if (!is_known)
        g_strv_builder_add (names, others[i].name);
    }
  return g_strv_builder_end (names);
}

static gboolean
get_parameter (CuredResult *result, gint64 cell, gsize *positions, const char *name, gint64 *value)
{
  gsize n_axes;
  const CuredResultAxis *axes = cured_result_get_axes (result, &n_axes);

  if (cell < 0)
    return FALSE;
  for (gsize i = 0; i < n_axes; i++)
    if (g_str_equal (axes[i].name, name))
      {
        cured_result_get_positions (result, cell, positions);
        *value = cured_axis_get_value (axes[i].values, positions[i]);
        return TRUE;
      }
  return FALSE;
}

static gboolean
write_pairs (const Ratio *ratio, gboolean is_json, GOutputStream *stream, GCancellable *cancellable,
             GError **error)
{
  static const char *const members[] = { "a", "b", "ratio", "significance" };
  g_autoptr (GString) text = g_string_new (NULL);
  g_auto (Pairs) pairs = { 0 };
  gsize n_axes, n_others;

  if (!pairs_init (&pairs, ratio, cancellable, error))
    return FALSE;
  g_auto (GStrv) names = list_parameters (&pairs);
  cured_result_get_axes (pairs.a, &n_axes);
  cured_result_get_axes (pairs.b, &n_others);
  g_autofree gsize *positions = g_new0 (gsize, MAX (n_axes, n_others) + 1);
  if (is_json)
    g_string_append (text, "[\n");
  else
    {
      _cured_csv_texts (text, (const char *const *) names, g_strv_length (names));
      _cured_csv_texts (text, members, G_N_ELEMENTS (members));
      _cured_csv_text (text, "verdict");
      _cured_csv_end (text);
    }
  for (guint i = 0; i < pairs.comparison->pairs->len; i++)
    {
      const CuredPair *pair = &g_array_index (pairs.comparison->pairs, CuredPair, i);
      const double numbers[] = { pair->a, pair->b, pair->ratio, pair->significance };

      if (is_json)
        g_string_append (text, i > 0 ? ",\n{" : "{");
      for (gsize j = 0; names[j] != NULL; j++)
        {
          gint64 value;
          gboolean has_value = get_parameter (pairs.a, pair->cell_a, positions, names[j], &value) ||
                               get_parameter (pairs.b, pair->cell_b, positions, names[j], &value);

          if (!is_json && has_value)
            _cured_csv_integer (text, value);
          else if (!is_json)
            _cured_csv_text (text, NULL);
          else if (has_value)
            g_string_append_printf (text, "\"%s\": %" PRId64 ", ", names[j], value);
          else
            g_string_append_printf (text, "\"%s\": null, ", names[j]);
        }
      for (gsize j = 0; j < G_N_ELEMENTS (numbers); j++)
        {
          if (!is_json)
            {
              _cured_csv_number (text, numbers[j]);
              continue;
            }
          g_string_append_printf (text, "\"%s\": ", members[j]);
          append_number (text, numbers[j]);
          g_string_append (text, ", ");
        }
      if (is_json)
        g_string_append_printf (text, "\"verdict\": \"%s\"}",
                                cured_verdict_to_string (pair->verdict));
      else
        {
          _cured_csv_text (text, cured_verdict_to_string (pair->verdict));
          _cured_csv_end (text);
        }
      if (g_cancellable_set_error_if_cancelled (cancellable, error) ||
          !flush (text, BUFFER_BYTES, stream, cancellable, error))
        return FALSE;
    }
  if (is_json)
    g_string_append (text, "\n]\n");
  return flush (text, 0, stream, cancellable, error);
}

static gboolean
ratio_write_csv (gconstpointer data, GOutputStream *stream, GCancellable *cancellable,
                 GError **error)
{
  return write_pairs (data, FALSE, stream, cancellable, error);
}

static gboolean
ratio_write_json (gconstpointer data, GOutputStream *stream, GCancellable *cancellable,
                  GError **error)
{
  return write_pairs (data, TRUE, stream, cancellable, error);
}

CURED_FREE_FUNC (Ratio, ratio_free, grid, cured_grid_free, path_a, g_free, path_b, g_free, metric,
                 g_free)

static const CuredDrawingClass ratio_class = {
  .draw = ratio_draw,
  .write_csv = ratio_write_csv,
  .write_json = ratio_write_json,
  .free = ratio_free,
};

/* @result: the first result, from a file
 * @view: its view, whose other result is from a file, too
 * Returns: (transfer full): the map, with a table of all pairs of cells */
CuredDrawing *
cured_drawing_new_ratio (CuredResult *result, const CuredView *view)
{
  Ratio *ratio = g_new0 (Ratio, 1);
  g_autofree char *origin = _cured_export_describe_origin (result);
  g_autofree char *slice = _cured_export_describe_slice (result, view);
  double width, height;

  g_return_val_if_fail (view->other != NULL, NULL);

  ratio->grid = cured_grid_new (result, view);
  ratio->path_a = g_strdup (cured_result_get_path (result));
  ratio->path_b = g_strdup (cured_result_get_path (view->other));
  ratio->metric = g_strdup (cured_result_get_metrics (result, NULL)[view->metric].id);
  g_autofree char *base_a = g_filename_display_basename (ratio->path_a);
  g_autofree char *base_b = g_filename_display_basename (ratio->path_b);
  g_autofree char *name = g_strdup ("comparison");
  /* Translators: the names of two files. */
  g_autofree char *title = g_strdup_printf (_ ("%s against %s"), base_b, base_a);
  g_autofree char *footnote = g_strdup_printf (
      /* Translators: a figure of two files, as "Time: other ÷ this", the name of the other file,
       * that of this one, and a version. */
      _ ("%s: other is %s, this is %s. Faint cells may be the same: their 95 %% confidence "
         "intervals overlap. Cured\u00a0%s"),
      ratio->grid->metric.title, base_b, base_a, CURED_VERSION);
  _cured_plot_measure_grid (ratio->grid, &width, &height);
  CuredDrawing *self = cured_drawing_new (&ratio_class, ratio, name, width, height);
  cured_drawing_set_caption (self, title, origin, *slice != '\0' ? slice : NULL, footnote);
  return self;
}
