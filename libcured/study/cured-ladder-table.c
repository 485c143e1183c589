/* SPDX-License-Identifier: MIT
 * A ladder as text for other programs: CSV and JSON, always in C locale. */

#include "base/cured-base-internal.h"
#include "study/cured-study-internal.h"

/* ORDER: the columns. */
static const char *const columns[] = {
  "kind",   "step", "id",       "title",         "is_detour", "problem", "where",         "time",
  "factor", "rate", "of_limit", "standard_time", "is_scaled", "limiter", "limiter_share", "file",
};

static const char *
get_limiter (const CuredRung *rung)
{
  return rung->limiter >= 0 ? cured_factor_to_string (rung->limiter) : NULL;
}

static void
append_rung (GString *text, const CuredLadderView *self, guint index)
{
  const CuredRung *rung = &g_array_index (self->rungs, CuredRung, index);
  const CuredKernel *kernel = rung->step->kernel;
  const CuredLadderCell *cell = rung->cell;

  _cured_csv_text (text, "step");
  _cured_csv_integer (text, kernel->rung);
  _cured_csv_text (text, kernel->id);
  _cured_csv_text (text, kernel->title);
  _cured_csv_integer (text, kernel->is_detour);
  _cured_csv_text (text, cell != NULL ? self->ladder->problems[cell->problem] : NULL);
  _cured_csv_text (text, cell != NULL ? cell->where : NULL);
  _cured_csv_number (text, rung->time);
  _cured_csv_number (text, cured_ladder_view_get_factor (self, index, FALSE));
  _cured_csv_number (text, rung->rate);
  _cured_csv_number (text, rung->of_limit);
  _cured_csv_number (text, rung->standard_time);
  _cured_csv_integer (text, rung->is_scaled ? 1 : 0);
  _cured_csv_text (text, get_limiter (rung));
  _cured_csv_number (text, rung->limiter_share);
  _cured_csv_text (text, rung->step->path);
  _cured_csv_end (text);
}

/* A row for a peer or the limit. */
static void
append_mark (GString *text, const char *kind, const char *name, const char *problem, double time,
             double rate, double of_limit)
{
  const char *const head[] = { kind, NULL, name, NULL, NULL, problem, NULL };
  const char *const tail[] = { NULL, NULL, NULL, NULL, NULL };

  _cured_csv_texts (text, head, G_N_ELEMENTS (head));
  _cured_csv_number (text, time);
  _cured_csv_text (text, NULL);
  _cured_csv_number (text, rate);
  _cured_csv_number (text, of_limit);
  _cured_csv_texts (text, tail, G_N_ELEMENTS (tail));
  _cured_csv_end (text);
}

static gboolean
write_text (const char *text, gsize length, GOutputStream *stream, GCancellable *cancellable,
            GError **error)
{
  return g_output_stream_write_all (stream, text, length, NULL, cancellable, error);
}

/* @stream: the stream to write to
 *
 * Writes a row per step, one per peer, and one for the limit; times in ns, rates in bytes or
 * operations per second, all in the C locale.
 * Returns: whether it was written */
gboolean
cured_ladder_view_write_csv (const CuredLadderView *self, GOutputStream *stream,
                             GCancellable *cancellable, GError **error)
{
  g_autoptr (GString) text = g_string_new (NULL);

  _cured_csv_texts (text, columns, G_N_ELEMENTS (columns));
  _cured_csv_end (text);
  for (guint i = 0; i < self->rungs->len; i++)
    append_rung (text, self, i);
  CURED_EACH_POINTER (const CuredLadderPeer, peer, self->peers)
    {
      append_mark (text, "peer", peer->name, self->ladder->problems[peer->problem], peer->time,
                   peer->rate, CURED_MISSING);
    }
  if (!isnan (self->ladder->limit))
    append_mark (text, "limit", self->ladder->limit_name, self->ladder->problems[self->problem],
                 self->limit_time, self->ladder->limit, 1);
  return write_text (text->str, text->len, stream, cancellable, error);
}

static void
add_rung (JsonBuilder *builder, const CuredLadderView *self, guint index)
{
  const CuredRung *rung = &g_array_index (self->rungs, CuredRung, index);
  const CuredKernel *kernel = rung->step->kernel;

  json_builder_begin_object (builder);
  _cured_json_add_int (builder, "step", kernel->rung);
  _cured_json_add_text (builder, "id", kernel->id);
  _cured_json_add_text (builder, "title", kernel->title);
  _cured_json_add_flag (builder, "is_detour", kernel->is_detour);
  _cured_json_add_text (builder, "problem",
                        rung->cell != NULL ? self->ladder->problems[rung->cell->problem] : NULL);
  _cured_json_add_text (builder, "where", rung->cell != NULL ? rung->cell->where : NULL);
  _cured_json_add_real (builder, "time", rung->time);
  _cured_json_add_real (builder, "factor", cured_ladder_view_get_factor (self, index, FALSE));
  _cured_json_add_real (builder, "rate", rung->rate);
  _cured_json_add_real (builder, "of_limit", rung->of_limit);
  _cured_json_add_real (builder, "standard_time", rung->standard_time);
  _cured_json_add_flag (builder, "is_scaled", rung->is_scaled);
  _cured_json_add_text (builder, "limiter", get_limiter (rung));
  _cured_json_add_real (builder, "limiter_share", rung->limiter_share);
  _cured_json_add_text (builder, "file", rung->step->path);
  json_builder_end_object (builder);
}

/* @stream: the stream to write to
 *
 * Writes the same data as cured_ladder_view_write_csv(), as one object.
 * Returns: whether it was written */
gboolean
cured_ladder_view_write_json (const CuredLadderView *self, GOutputStream *stream,
                              GCancellable *cancellable, GError **error)
{
  const CuredLadder *ladder = self->ladder;
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  g_autoptr (JsonGenerator) generator = json_generator_new ();
  gsize length;

  json_builder_begin_object (builder);
  _cured_json_add_text (builder, "family", ladder->family);
  _cured_json_add_text (builder, "device", ladder->device);
  _cured_json_add_text (builder, "problem",
                        ladder->problems[0] != NULL ? ladder->problems[self->problem] : NULL);
  _cured_json_begin_array (builder, "problems");
  for (gsize i = 0; ladder->problems[i] != NULL; i++)
    json_builder_add_string_value (builder, ladder->problems[i]);
  json_builder_end_array (builder);
  _cured_json_add_text (builder, "rate", cured_metric_info (ladder->rate)->id);
  _cured_json_add_text (builder, "limit_name", ladder->limit_name);
  _cured_json_add_real (builder, "limit", ladder->limit);
  _cured_json_add_real (builder, "limit_time", self->limit_time);
  _cured_json_add_real (builder, "work", self->work);
  _cured_json_begin_array (builder, "steps");
  for (guint i = 0; i < self->rungs->len; i++)
    add_rung (builder, self, i);
  json_builder_end_array (builder);
  _cured_json_begin_array (builder, "peers");
  CURED_EACH_POINTER (const CuredLadderPeer, peer, self->peers)
    {
      json_builder_begin_object (builder);
      _cured_json_add_text (builder, "name", peer->name);
      _cured_json_add_real (builder, "time", peer->time);
      _cured_json_add_real (builder, "rate", peer->rate);
      json_builder_end_object (builder);
    }
  json_builder_end_array (builder);
  json_builder_end_object (builder);
  g_autoptr (JsonNode) root = json_builder_get_root (builder);
  json_generator_set_pretty (generator, TRUE);
  json_generator_set_root (generator, root);
  g_autofree char *text = json_generator_to_data (generator, &length);
  return write_text (text, length, stream, cancellable, error) &&
         write_text ("\n", 1, stream, cancellable, error);
}
