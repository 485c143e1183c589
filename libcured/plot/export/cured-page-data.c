/* SPDX-License-Identifier: MIT
 * Data of a page's script: notes of cells and additional views, as JSON. */
#include <gio/gio.h>

#include "base/cured-base-internal.h"
#include "explain/cured-explain-cell.h"
#include "plot/export/cured-page-private.h"
#include "store/cured-remarks.h"

/* Limit for all cells together; each cell's samples are thinned evenly. */
#define MAX_SAMPLES 24000

/* Limits per cell, in bytes: error and findings. */
#define MAX_NOTE_BYTES 2000

/* Limit of findings per cell. */
#define MAX_FINDINGS 8

/* The strip of a cell's samples, in its own units. */
#define STRIP_WIDTH  320
#define STRIP_MARGIN 8
#define STRIP_ROW    20

static void
add_string (JsonBuilder *json, const char *key, const char *text)
{
  g_autofree char *valid = g_utf8_make_valid (text != NULL ? text : "", -1);

  if (key != NULL)
    json_builder_set_member_name (json, key);
  json_builder_add_string_value (json, valid);
}

static void
begin (JsonBuilder *json, const char *key, gboolean is_array)
{
  if (key != NULL)
    json_builder_set_member_name (json, key);
  if (is_array)
    json_builder_begin_array (json);
  else
    json_builder_begin_object (json);
}

static void
add_note (JsonBuilder *json, const char *key, const char *text)
{
  g_autofree char *cut = g_strndup (text != NULL ? text : "", MAX_NOTE_BYTES);

  if (*cut != '\0')
    add_string (json, key, cut);
}

static void
add_words (JsonBuilder *json)
{
  const struct
  {
    const char *key, *text;
  } words[] = {
    { "view", _ ("Metric") },
    { "theme", _ ("Dark or light") },
    { "best", _ ("Best") },
    { "toBest", _ ("Go to the best cell") },
    { "help", _ ("Arrow keys move between cells, B goes to the best one, plus and minus zoom, 0 "
                 "shows all.") },
    { "samples", _ ("Samples") },
    { "access", _ ("Access") },
    { "limit", _ ("What limits it") },
  };

  begin (json, "words", FALSE);
  for (gsize i = 0; i < G_N_ELEMENTS (words); i++)
    add_string (json, words[i].key, words[i].text);
  json_builder_end_object (json);
}

/* ---- Cells ---- */

/* (transfer full): the finite times, at most @most. */
static GArray *
thin (const CuredSamples *samples, guint most, guint *step)
{
  GArray *times = g_array_new (FALSE, FALSE, sizeof (double));
  guint n = samples != NULL ? samples->samples->len : 0;

  *step = MAX ((n + most - 1) / most, 1);
  for (guint i = 0; i < n; i += *step)
    {
      double time = g_array_index (samples->samples, CuredSample, i).time_ns;

      if (isfinite (time))
        g_array_append_val (times, time);
    }
  return times;
}

/* Dots, as strokes of length 0 with round ends, and the position of their median. */
static void
add_mode (JsonBuilder *json, const char *name, GArray *times, guint step, int row,
          const double range[2])
{
  g_autoptr (GString) dots = g_string_new (NULL);
  double scale = (STRIP_WIDTH - 2 * STRIP_MARGIN) / MAX (range[1] - range[0], 1e-9);
  g_autofree char *shown = g_strdup_printf ("%u", step);
  /* Translators: of a list of samples of which every third, say, is shown. */
  g_autofree char *thinned = g_strdup_printf (_ ("1 of %s shown"), shown);
  g_autofree char *label = g_strdup_printf ("%s (%s)", name, thinned);

  for (guint i = 0; i < times->len; i++)
    g_string_append_printf (
        dots, "M%ld %dh0",
        lround (STRIP_MARGIN + scale * (g_array_index (times, double, i) - range[0])),
        12 + row * STRIP_ROW + (int) (i % 5) * 2);
  g_array_sort (times, _cured_compare_doubles);
  begin (json, NULL, FALSE);
  add_string (json, "name", step > 1 ? label : name);
  add_string (json, "dots", dots->str);
  _cured_json_add_int (
      json, "median",
      lround (STRIP_MARGIN + scale * (g_array_index (times, double, times->len / 2) - range[0])));
  json_builder_end_object (json);
}

static void
add_samples (JsonBuilder *json, const CuredOutcome *outcome, guint most)
{
  const CuredSamples *const samples[] = { outcome->cold, outcome->hot };
  const char *const names[] = { _ ("cold"), _ ("hot") };
  double range[2] = { INFINITY, -INFINITY };
  GArray *times[G_N_ELEMENTS (samples)];
  guint steps[G_N_ELEMENTS (samples)];
  int row = 0;

  for (gsize k = 0; k < G_N_ELEMENTS (samples); k++)
    {
      times[k] = thin (samples[k], most, &steps[k]);
      for (guint i = 0; i < times[k]->len; i++)
        {
          range[0] = MIN (range[0], g_array_index (times[k], double, i));
          range[1] = MAX (range[1], g_array_index (times[k], double, i));
        }
    }
  if (range[0] <= range[1])
    {
      begin (json, "range", TRUE);
      for (gsize i = 0; i < G_N_ELEMENTS (range); i++)
        {
          g_autofree char *text = cured_format_quantity (range[i], "ns");

          add_string (json, NULL, text);
        }
      json_builder_end_array (json);
      begin (json, "samples", TRUE);
      for (gsize k = 0; k < G_N_ELEMENTS (samples); k++)
        if (times[k]->len > 0)
          add_mode (json, names[k], times[k], steps[k], row++, range);
      json_builder_end_array (json);
    }
  for (gsize k = 0; k < G_N_ELEMENTS (samples); k++)
    g_array_unref (times[k]);
}

/* By cell number, since most cells of a sparse result are empty. */
static gboolean
add_cells (JsonBuilder *json, CuredResult *result, GHashTable *sentences, GError **error)
{
  gint64 n_held =
      cured_result_get_n_cells (result) - cured_result_count_state (result, CURED_STATE_NOT_RUN);
  guint most = (guint) CLAMP (MAX_SAMPLES / 2 / MAX (n_held, 1), 6, 200);

  begin (json, "cells", FALSE);
  CURED_EACH_CELL (result, i)
    {
      g_autoptr (CuredOutcome) outcome = cured_result_load_outcome (result, i, error);
      g_autofree char *number = g_strdup_printf ("%" PRId64, i);

      if (outcome == NULL)
        return FALSE;
      begin (json, number, FALSE);
      add_note (json, "remark", cured_result_get_remark (result, i));
      add_note (json, "reason", outcome->reason);
      add_note (json, "output", outcome->output);
      add_samples (json, outcome, most);
      if (outcome->findings != NULL)
        {
          begin (json, "findings", TRUE);
          for (guint k = 0; k < MIN (outcome->findings->len, MAX_FINDINGS); k++)
            {
              g_autofree char *text =
                  cured_finding_to_string (g_ptr_array_index (outcome->findings, k));

              add_string (json, NULL, text);
            }
          json_builder_end_array (json);
        }
      add_note (json, "holds", g_hash_table_lookup (sentences, &i));
      json_builder_end_object (json);
    }
  json_builder_end_object (json);
  return TRUE;
}

/* Explains the cells whose counts are in the file, if the chip's rates are known. Compiles and
 * emulates nothing. @result: gets the metrics of cured_limiters_show(). */
void
_cured_page_explain (CuredResult *result, GHashTable *sentences)
{
  gint64 n_cells = cured_result_get_n_cells (result);
  g_autoptr (CuredMachine) machine = cured_explain_find_machine (result, NULL, NULL);
  g_autoptr (CuredLimiters) limiters = NULL;
  gsize time, clock;

  if (machine == NULL || !cured_result_find_metric (result, "time", &time) ||
      !cured_result_find_metric (result, "sm_clock", &clock))
    return;
  CURED_EACH_CELL (result, i)
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
      g_hash_table_insert (sentences, g_memdup2 (&i, sizeof i),
                           g_strjoin (" ", explanation->sentence, explanation->change, NULL));
    }
  if (limiters != NULL)
    cured_limiters_show (limiters, result);
}

/* ---- Views ---- */

/* Compresses it in a format that browsers unpack. */
static char *
pack (const GString *svg)
{
  g_autoptr (GConverter) zlib =
      G_CONVERTER (g_zlib_compressor_new (G_ZLIB_COMPRESSOR_FORMAT_ZLIB, 9));
  g_autoptr (GOutputStream) memory = g_memory_output_stream_new_resizable ();
  g_autoptr (GOutputStream) stream = g_converter_output_stream_new (memory, zlib);

  g_output_stream_write_all (stream, svg->str, svg->len, NULL, NULL, NULL);
  g_output_stream_close (stream, NULL, NULL);
  return g_base64_encode (g_memory_output_stream_get_data (G_MEMORY_OUTPUT_STREAM (memory)),
                          g_memory_output_stream_get_data_size (G_MEMORY_OUTPUT_STREAM (memory)));
}

/* The index of each map cell that was run, row by row from the bottom, each followed by its cell
 * number. */
static void
add_numbers (JsonBuilder *json, const CuredGrid *grid)
{
  begin (json, "numbers", TRUE);
  for (gsize i = 0; i < grid->nx * grid->ny; i++)
    if (grid->states[i] != CURED_STATE_NOT_RUN)
      {
        json_builder_add_int_value (json, (gint64) i);
        json_builder_add_int_value (json, grid->cells[i]);
      }
  json_builder_end_array (json);
}

static void
add_view (JsonBuilder *json, const CuredPageView *view, gboolean is_first)
{
  const CuredGrid *grid = view->grid;
  static const char *const themes[] = { "light", "dark" };

  begin (json, NULL, FALSE);
  add_string (json, "label", view->label);
  add_string (json, "title", view->title);
  add_string (json, "origin", _ (cured_origin_to_string (grid->metric.origin)));
  add_string (json, "about", _ (grid->metric.description));
  add_string (json, "place", view->place);
  _cured_json_add_int (json, "width", (gint64) view->width);
  _cured_json_add_int (json, "height", (gint64) view->height);
  add_string (json, "metric", grid->metric.id);
  _cured_json_add_int (json, "best", grid->best);
  add_numbers (json, grid);
  for (gsize i = 0; !is_first && i < G_N_ELEMENTS (themes); i++)
    {
      g_autofree char *packed = pack (view->svgs[i]);

      add_string (json, themes[i], packed);
    }
  json_builder_end_object (json);
}

/* Escapes text that could end the enclosing element, and characters that old scripts take for
 * newlines. */
static void
append_escaped (GString *text, const char *json)
{
  for (const char *p = json; *p != '\0'; p = g_utf8_next_char (p))
    {
      gunichar c = g_utf8_get_char (p);

      if (c == '<' || c == '>' || c == '&' || (c >= 0x7f && c < 0xa0) ||
          (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069))
        g_string_append_printf (text, "\\u%04x", c);
      else
        g_string_append_unichar (text, c);
    }
}

/* FALSE if the result could not be read. */
gboolean
_cured_page_append_data (GString *text, CuredResult *result, const GPtrArray *views,
                         GHashTable *sentences, GError **error)
{
  g_autoptr (JsonBuilder) json = json_builder_new ();
  g_autoptr (JsonGenerator) generator = json_generator_new ();
  const CuredGrid *grid = ((CuredPageView *) views->pdata[0])->grid;

  begin (json, NULL, FALSE);
  add_words (json);
  _cured_json_add_int (json, "columns", (gint64) grid->nx);
  _cured_json_add_int (json, "rows", (gint64) grid->ny);
  begin (json, "views", TRUE);
  for (guint i = 0; i < views->len; i++)
    add_view (json, views->pdata[i], i == 0);
  json_builder_end_array (json);
  if (!add_cells (json, result, sentences, error))
    return FALSE;
  json_builder_end_object (json);
  g_autoptr (JsonNode) root = json_builder_get_root (json);
  json_generator_set_root (generator, root);
  g_autofree char *all = json_generator_to_data (generator, NULL);
  append_escaped (text, all);
  return TRUE;
}
