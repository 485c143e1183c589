/* SPDX-License-Identifier: MIT
 * What a page's script draws from: a result as one JSON document. */
#include "config.h"

#include <glib/gi18n-lib.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <string.h>

#include "base/cured-limit.h"
#include "base/cured-units-internal.h"
#include "explain/cured-explain-cell.h"
#include "plot/cured-limit-colour.h"
#include "plot/export/cured-page-private.h"
#include "plot/map/cured-map-plot-private.h"

/* Of all cells together; those of each are thinned evenly. */
#define MAX_SAMPLES 24000

/* That a predicted value has. */
#define PREDICTED_DIGITS 2

/* Of a cell, in bytes: why it failed, what was found. */
#define MAX_NOTE_BYTES 2000

static void
append_key (GString *json, const char *key)
{
  char last = json->str[json->len - 1];

  if (last != '{' && last != '[')
    g_string_append_c (json, ',');
  _cured_page_append_json_string (json, key);
  g_string_append_c (json, ':');
}

static void
append_string (GString *json, const char *key, const char *text)
{
  append_key (json, key);
  _cured_page_append_json_string (json, text);
}

static void
append_number (GString *json, const char *key, double value)
{
  append_key (json, key);
  _cured_page_append_json_number (json, value);
}

static void
append_comma (GString *json, gboolean is_first)
{
  if (!is_first)
    g_string_append_c (json, ',');
}

/* What the script says. */
static void
append_words (GString *json)
{
  const struct
  {
    const char *key;
    const char *text;
  } words[] = {
    { "metric", _ ("Metric") },
    { "across", _ ("Across") },
    { "upwards", _ ("Upwards") },
    { "scale", _ ("Colours") },
    { "linear", _ ("linear") },
    { "logarithmic", _ ("logarithmic") },
    { "zoomIn", _ ("Zoom in") },
    { "zoomOut", _ ("Zoom out") },
    { "zoomAll", _ ("Show all") },
    { "best", _ ("Best") },
    { "toBest", _ ("Go to the best cell") },
    { "theme", _ ("Dark or light") },
    { "none", _ ("none") },
    { "map", _ ("Heat map") },
    { "help", _ ("Arrow keys move between cells, B goes to the best one, plus and minus zoom, 0 "
                 "shows all.") },
    { "samples", _ ("Samples") },
    { "cold", _ ("cold") },
    { "hot", _ ("hot") },
    /* Translators: of a list of samples of which every third, say, is shown. */
    { "thinned", _ ("1 of %s shown") },
    { "noValue", _ ("no value") },
    { "value", _ ("Value") },
    { "access", _ ("Access") },
    { "limitTitle", _ ("What holds it") },
    { "relative", _ ("× the best") },
    { "multiples", _ ("Values") },
    { "asMultiples", _ ("multiples of the best") },
    { "asValues", _ ("with their unit") },
    /* Translators: a figure that a model made, as in "predicted 14 µs". */
    { "predicted", _ ("predicted %s") },
  };

  append_key (json, "words");
  g_string_append_c (json, '{');
  for (gsize i = 0; i < G_N_ELEMENTS (words); i++)
    append_string (json, words[i].key, words[i].text);
  g_string_append_c (json, '}');
}

/* What stands between thousands, as people read them here. */
static char *
get_separator (void)
{
  g_autofree char *text = cured_format_count (10000);
  gsize length = strlen (text);

  return length > 5 ? g_strndup (text + 2, length - 5) : g_strdup ("");
}

static void
append_numbers (GString *json)
{
  gsize n_scales;
  const CuredUnitScale *scales = cured_unit_scales (&n_scales);
  g_autofree char *separator = get_separator ();

  append_string (json, "point", localeconv ()->decimal_point);
  append_string (json, "separator", separator);
  append_key (json, "units");
  g_string_append_c (json, '{');
  for (gsize i = 0; i < n_scales; i++)
    {
      append_key (json, scales[i].unit);
      g_string_append_c (json, '[');
      for (gsize k = 0; k < scales[i].n_prefixes; k++)
        {
          append_comma (json, k == 0);
          g_string_append_c (json, '[');
          _cured_page_append_json_number (json, scales[i].prefixes[k].scale);
          g_string_append_c (json, ',');
          _cured_page_append_json_string (json, scales[i].prefixes[k].symbol);
          g_string_append_c (json, ']');
        }
      g_string_append_c (json, ']');
    }
  g_string_append_c (json, '}');
}

static void
append_colour (GString *json, CuredColour colour)
{
  g_string_append_printf (json, "%02x%02x%02x", (guint) (colour.red * 255 + 0.5),
                          (guint) (colour.green * 255 + 0.5), (guint) (colour.blue * 255 + 0.5));
}

static void
append_colours (GString *json, const CuredColourMap *colours)
{
  append_key (json, "ramp");
  g_string_append_c (json, '"');
  for (int i = 0; i < 256; i++)
    g_string_append_printf (json, "%02x%02x%02x", colours->rgb[i][0], colours->rgb[i][1],
                            colours->rgb[i][2]);
  g_string_append_c (json, '"');
  append_key (json, "limits");
  g_string_append_c (json, '{');
  for (int limit = 0; limit <= CURED_LIMIT_CONTRADICTED; limit++)
    {
      g_autofree char *key = g_strdup_printf ("%d", limit);

      if (limit >= CURED_N_RESOURCES && limit < CURED_LIMIT_LATENCY)
        continue;
      append_key (json, key);
      g_string_append_c (json, '[');
      _cured_page_append_json_string (json, cured_limit_get_title (limit));
      g_string_append (json, ",\"");
      append_colour (json, cured_limit_get_colour (limit));
      g_string_append (json, "\"]");
    }
  g_string_append_c (json, '}');
}

static void
append_axes (GString *json, CuredResult *result)
{
  gsize n_axes;
  const CuredResultAxis *axes = cured_result_get_axes (result, &n_axes);

  append_key (json, "axes");
  g_string_append_c (json, '[');
  for (gsize i = 0; i < n_axes; i++)
    {
      append_comma (json, i == 0);
      g_string_append_c (json, '{');
      append_string (json, "name", axes[i].name);
      append_string (json, "about", axes[i].summary);
      append_key (json, "values");
      g_string_append_c (json, '[');
      for (gsize k = 0; k < cured_axis_get_length (axes[i].values); k++)
        {
          g_autofree char *value = cured_axis_format_value (axes[i].values, k);

          append_comma (json, k == 0);
          _cured_page_append_json_string (json, value);
        }
      g_string_append (json, "]}");
    }
  g_string_append_c (json, ']');
}

/* One number where all cells have the same. */
static void
append_column (GString *json, const double *values, gint64 n_cells)
{
  gboolean is_even = TRUE;

  for (gint64 i = 1; i < n_cells && is_even; i++)
    is_even = values[i] == values[0];
  append_key (json, is_even ? "all" : "values");
  if (is_even)
    {
      _cured_page_append_json_number (json, values[0]);
      return;
    }
  g_string_append_c (json, '[');
  for (gint64 i = 0; i < n_cells; i++)
    {
      append_comma (json, i == 0);
      _cured_page_append_json_number (json, values[i]);
    }
  g_string_append_c (json, ']');
}

static gboolean
append_metrics (GString *json, CuredResult *result, const CuredView *view, GError **error)
{
  gint64 n_cells = cured_result_get_n_cells (result);
  gsize n_metrics;
  const CuredMetricInfo *metrics = cured_result_get_metrics (result, &n_metrics);
  gboolean is_first = TRUE;

  append_key (json, "metrics");
  g_string_append_c (json, '[');
  for (gsize i = 0; i < n_metrics; i++)
    {
      const char *formula = cured_metric_get_formula (metrics[i].id);

      if (!cured_result_has_values (result, i) && i != view->metric)
        continue;
      if (!cured_result_load_column (result, i, NULL, error))
        return FALSE;
      append_comma (json, is_first);
      is_first = FALSE;
      g_string_append_c (json, '{');
      append_string (json, "id", metrics[i].id);
      append_string (json, "title", _ (metrics[i].title));
      append_string (json, "unit", metrics[i].unit);
      append_string (json, "origin", _ (cured_origin_to_string (metrics[i].origin)));
      append_number (json, "better",
                     metrics[i].better == CURED_BETTER_LOWER    ? -1
                     : metrics[i].better == CURED_BETTER_HIGHER ? 1
                                                                : 0);
      if (metrics[i].origin == CURED_ORIGIN_PREDICTED)
        append_number (json, "digits", PREDICTED_DIGITS);
      append_string (json, "about", _ (metrics[i].description));
      if (formula != NULL)
        append_string (json, "formula", _ (formula));
      append_column (json, cured_result_get_column (result, i), n_cells);
      g_string_append_c (json, '}');
    }
  g_string_append_c (json, ']');
  return TRUE;
}

static void
append_view (GString *json, CuredResult *result, const CuredView *view)
{
  gsize n_axes;

  cured_result_get_axes (result, &n_axes);
  append_key (json, "view");
  g_string_append_c (json, '{');
  append_number (json, "x", view->x_axis < n_axes ? (double) view->x_axis : -1);
  append_number (json, "y", view->y_axis < n_axes ? (double) view->y_axis : -1);
  append_string (json, "metric", cured_result_get_metrics (result, NULL)[view->metric].id);
  append_key (json, "logarithmic");
  g_string_append (json, view->logarithmic ? "true" : "false");
  append_key (json, "relative");
  g_string_append (json, view->relative ? "true" : "false");
  append_key (json, "positions");
  g_string_append_c (json, '[');
  for (gsize i = 0; i < n_axes; i++)
    {
      append_comma (json, i == 0);
      g_string_append_printf (json, "%zu", view->positions[i]);
    }
  g_string_append (json, "]}");
}

static void
append_samples (GString *json, const char *key, const CuredSamples *samples, guint most)
{
  guint step;

  if (samples == NULL || samples->samples->len == 0)
    return;
  step = (samples->samples->len + most - 1) / most;
  append_key (json, key);
  g_string_append_c (json, '{');
  append_number (json, "step", step);
  append_key (json, "ns");
  g_string_append_c (json, '[');
  for (guint i = 0; i < samples->samples->len; i += step)
    {
      char buffer[G_ASCII_DTOSTR_BUF_SIZE];
      double time = g_array_index (samples->samples, CuredSample, i).time_ns;

      append_comma (json, i == 0);
      g_string_append (json, isfinite (time) ? g_ascii_formatd (buffer, sizeof buffer, "%.5g", time)
                                             : "null");
    }
  g_string_append (json, "]}");
}

static void
append_note (GString *json, const char *key, const char *text)
{
  g_autofree char *valid = NULL;

  if (text == NULL || *text == '\0')
    return;
  valid = g_utf8_make_valid (text, (gssize) MIN (strlen (text), MAX_NOTE_BYTES));
  append_string (json, key, valid);
}

static gboolean
append_cells (GString *json, CuredResult *result, GError **error)
{
  gint64 n_cells = cured_result_get_n_cells (result);
  guint most = (guint) CLAMP (MAX_SAMPLES / 2 / MAX (n_cells, 1), 6, 200);
  g_autoptr (GPtrArray) sentences = g_ptr_array_new_with_free_func (g_free);

  g_ptr_array_set_size (sentences, (int) n_cells);
  _cured_page_explain (result, (char **) sentences->pdata);
  append_key (json, "states");
  g_string_append_c (json, '[');
  for (gint64 i = 0; i < n_cells; i++)
    {
      append_comma (json, i == 0);
      g_string_append_printf (json, "%d", (int) cured_result_get_state (result, i));
    }
  g_string_append_c (json, ']');
  append_key (json, "stateNames");
  g_string_append_c (json, '[');
  for (guint i = 0; i < CURED_N_STATES; i++)
    {
      append_comma (json, i == 0);
      _cured_page_append_json_string (json, cured_state_get_title (i));
    }
  g_string_append_c (json, ']');

  append_key (json, "cells");
  g_string_append_c (json, '[');
  for (gint64 i = 0; i < n_cells; i++)
    {
      g_autoptr (CuredOutcome) outcome = NULL;

      append_comma (json, i == 0);
      g_string_append_c (json, '{');
      if (cured_result_get_state (result, i) != CURED_STATE_NOT_RUN)
        {
          outcome = cured_result_load_outcome (result, i, error);
          if (outcome == NULL)
            return FALSE;
          append_note (json, "reason", outcome->reason);
          append_note (json, "output", outcome->output);
          append_samples (json, "cold", outcome->cold, most);
          append_samples (json, "hot", outcome->hot, most);
          if (outcome->findings != NULL && outcome->findings->len > 0)
            {
              append_key (json, "findings");
              g_string_append_c (json, '[');
              for (guint k = 0; k < MIN (outcome->findings->len, 8); k++)
                {
                  g_autofree char *text =
                      cured_finding_to_string (g_ptr_array_index (outcome->findings, k));

                  append_comma (json, k == 0);
                  _cured_page_append_json_string (json, text);
                }
              g_string_append_c (json, ']');
            }
        }
      append_note (json, "holds", sentences->pdata[i]);
      g_string_append_c (json, '}');
    }
  g_string_append_c (json, ']');
  return TRUE;
}

/**
 * _cured_page_explain:
 * @result: a result; it gets the metrics of cured_limiters_show()
 * @sentences: an empty place per cell, for what holds it, to be freed
 *
 * Explains the cells of which the file holds the counts, where the chip's rates are known. Nothing
 * is compiled or emulated.
 */
void
_cured_page_explain (CuredResult *result, char **sentences)
{
  gint64 n_cells = cured_result_get_n_cells (result);
  g_autoptr (CuredMachine) machine = cured_explain_find_machine (result, NULL, NULL);
  g_autoptr (CuredLimiters) limiters = NULL;
  gsize time;
  gsize clock;

  if (machine == NULL || !cured_result_find_metric (result, "time", &time) ||
      !cured_result_find_metric (result, "sm_clock", &clock))
    return;
  for (gint64 i = 0; i < n_cells; i++)
    {
      CuredWorkload *work = NULL;
      g_autoptr (CuredExplanation) explanation = NULL;
      double time_ns = cured_result_get_value (result, i, time);

      if (!(time_ns > 0) || !cured_result_load_work (result, i, &work, NULL) || work == NULL)
        continue;
      explanation =
          cured_explanation_new (work, machine, time_ns, cured_result_get_value (result, i, clock));
      cured_workload_unref (work);
      if (explanation == NULL)
        continue;
      if (limiters == NULL)
        limiters = cured_limiters_new (n_cells);
      cured_limiters_set (limiters, i, explanation);
      sentences[i] = explanation->change != NULL
                         ? g_strconcat (explanation->sentence, " ", explanation->change, NULL)
                         : g_strdup (explanation->sentence);
    }
  if (limiters != NULL)
    cured_limiters_show (limiters, result);
}

/**
 * _cured_page_append_data:
 * @json: empty
 * @result: what is shown
 * @view: how it is shown at first
 * @error: where the file can't be read
 *
 * Returns: FALSE where it could not be read
 */
gboolean
_cured_page_append_data (GString *json, CuredResult *result, const CuredView *view, GError **error)
{
  g_string_append_c (json, '{');
  append_words (json);
  append_numbers (json);
  append_colours (json, view->colours);
  append_axes (json, result);
  append_view (json, result, view);
  if (!append_cells (json, result, error) || !append_metrics (json, result, view, error))
    return FALSE;
  g_string_append_c (json, '}');
  return TRUE;
}
