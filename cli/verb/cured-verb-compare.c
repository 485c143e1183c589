/* SPDX-License-Identifier: MIT
 * cured compare: two result files, cell by cell. */
#include <glib/gi18n.h>
#include <math.h>

#include "cured-cli.h"

#define CURED_VERB "verb/cured-verb-compare.def"
#include "cured-verb.h"

/* Limit of rows without --all. */
#define MAX_ROWS 20

typedef struct
{
  CuredResult *a, *b;
  CuredComparison *comparison;
  const CuredMetricInfo *metric;
  double limit; /* NaN: no --fail-on */
  guint n_failing;
} Report;

/* Cells that are better or worse. */
static guint
count_differing (const Report *self)
{
  const guint *n_verdicts = self->comparison->n_verdicts;

  return n_verdicts[CURED_VERDICT_BETTER] + n_verdicts[CURED_VERDICT_WORSE];
}

/* A cell fails if B is significantly worse by more than the limit, or if B ran it and it is no
 * longer ok: a time that turned into a wrong result is worse than any time. A cell that B never ran
 * is not a finding. */
static gboolean
is_failing (const Report *self, const CuredPair *pair)
{
  double loss = self->metric->better == CURED_BETTER_HIGHER ? 1.0 / pair->ratio : pair->ratio;

  if (isnan (self->limit))
    return FALSE;
  if (pair->verdict == CURED_VERDICT_WORSE)
    return loss - 1.0 > self->limit;
  if (pair->verdict == CURED_VERDICT_ONLY_A && pair->cell_b >= 0)
    {
      CuredState state = cured_result_get_state (self->b, pair->cell_b);

      return state == CURED_STATE_WRONG || state == CURED_STATE_FAILED ||
             state == CURED_STATE_CRASHED || state == CURED_STATE_TIMED_OUT;
    }
  return FALSE;
}

static void
count (Report *self)
{
  for (guint i = 0; i < self->comparison->pairs->len; i++)
    if (is_failing (self, &g_array_index (self->comparison->pairs, CuredPair, i)))
      self->n_failing++;
}

/* The values of the parameters over which the best of B was chosen. */
static const char *
describe_chosen (const Report *self, gint64 cell)
{
  const CuredMatchSide *side = &self->comparison->match->b;
  gsize n_axes;
  const CuredResultAxis *axes = cured_result_get_axes (self->b, &n_axes);
  g_autofree gsize *positions = g_new0 (gsize, n_axes + 1);
  GString *text = g_string_new (NULL);

  cured_result_get_positions (self->b, cell, positions);
  for (gsize i = 0; i < side->n_over; i++)
    {
      const CuredResultAxis *axis = &axes[side->over[i]];

      cured_cli_append_value (text, axis->name, axis->values,
                              cured_axis_get_value (axis->values, positions[side->over[i]]));
    }
  return cured_cli_lend (g_string_free (text, FALSE));
}

/* The parameters that vary in A, and those of B alone: no name occurs twice. */
static const char *
describe_pair (const Report *self, const CuredPair *pair)
{
  if (pair->cell_a < 0)
    return cured_cli_describe_cell (self->b, pair->cell_b);
  const char *where = cured_cli_describe_cell (self->a, pair->cell_a);
  if (pair->cell_b < 0 || self->comparison->match->b.n_over == 0)
    return where;
  return cured_cli_printf ("%s%s%s", where, where[0] != '\0' ? " " : "",
                           describe_chosen (self, pair->cell_b));
}

static const char *
format_change (double ratio)
{
  return isnan (ratio) ? ""
                       : cured_cli_printf ("%s%s", ratio >= 1.0 ? "+" : "−",
                                           cured_cli_quantity (fabs (ratio - 1.0), "ratio"));
}

static const char *
format_value (const Report *self, CuredResult *result, gint64 cell, double value)
{
  return !isnan (value) ? cured_cli_quantity (value, self->metric->unit)
         : cell < 0     ? "-"
                        : _ (cured_state_to_string (cured_result_get_state (result, cell)));
}

static void
print_side (CuredCliTable *table, const char *name, const char *member, CuredResult *result)
{
  const CuredDeviceInfo *device = cured_result_get_device (result);
  GDateTime *created = cured_result_get_created (result);
  const char *path = cured_result_get_path (result);
  const char *kernel = cured_result_get_kernel_id (result);

  cured_cli_table_add (table, name, path, kernel,
                       device->name[0] != '\0' ? device->name : device->id,
                       created != NULL ? cured_cli_lend (cured_format_date (created)) : "");
  cured_cli_json ("${file kernel device driver}", member, path, kernel, device->name,
                  device->driver);
}

static void
print_text (const Report *self, gboolean all)
{
  g_autoptr (CuredCliTable) sides = cured_cli_table_new ("lllll");
  g_autoptr (CuredCliTable) table = cured_cli_table_new ("lrrrrl");
  g_autoptr (GString) counts = g_string_new (NULL);
  guint n_left_out;
  g_autoptr (GArray) largest =
      cured_comparison_list_largest (self->comparison, all ? 0 : MAX_ROWS, !all, &n_left_out);
  g_autofree char *matching =
      cured_comparison_describe (self->comparison, self->a, self->b, self->metric->id);

  cured_cli_json_put ("{");
  print_side (sides, "A", "a", self->a);
  print_side (sides, "B", "b", self->b);
  cured_cli_table_print (sides, "");
  if (self->metric->unit[0] != '\0')
    g_print ("%s (%s, %s): %s\n\n", _ (self->metric->title), self->metric->id,
             g_str_equal (self->metric->unit, "ratio") ? "%" : self->metric->unit,
             _ (self->metric->description));
  else
    g_print ("%s (%s): %s\n\n", _ (self->metric->title), self->metric->id,
             _ (self->metric->description));
  if (matching != NULL)
    g_print ("%s\n\n", matching);

  cured_cli_table_add (table, _ ("cell"), "A", "B", _ ("B/A − 1"),
                       /* Translators: the difference over the reach of the confidence intervals. */
                       _ ("significance"), "");
  for (guint i = 0; i < largest->len; i++)
    {
      const CuredPair *pair =
          &g_array_index (self->comparison->pairs, CuredPair, g_array_index (largest, guint, i));

      cured_cli_table_add (
          table, describe_pair (self, pair), format_value (self, self->a, pair->cell_a, pair->a),
          format_value (self, self->b, pair->cell_b, pair->b), format_change (pair->ratio),
          isnan (pair->significance) ? "" : cured_cli_printf ("%.1f", pair->significance),
          cured_cli_printf ("%s%s", _ (cured_verdict_to_string (pair->verdict)),
                            is_failing (self, pair) ? " !" : ""));
    }
  if (largest->len > 0)
    cured_cli_table_print (table, "");
  if (n_left_out > 0)
    {
      g_print (largest->len > 0 ? "… " : "");
      g_print (ngettext ("%u more cell (--all prints it)\n", "%u more cells (--all prints them)\n",
                         n_left_out),
               n_left_out);
    }

  for (guint i = 0; i < G_N_ELEMENTS (self->comparison->n_verdicts); i++)
    if (self->comparison->n_verdicts[i] > 0)
      /* Translators: a number of cells, and “better”, “only in A” … */
      cured_cli_append_item (counts,
                             cured_cli_printf (_ ("%u %s"), self->comparison->n_verdicts[i],
                                               _ (cured_verdict_to_string ((CuredVerdict) i))));
  g_print ("\n%s\n", counts->str);
  if (!isnan (self->comparison->geometric_mean))
    g_print (_ ("Geometric mean of B/A: %.4f (%s)\n"), self->comparison->geometric_mean,
             format_change (self->comparison->geometric_mean));
  if (!isnan (self->limit))
    {
      g_autofree char *limit = cured_format_quantity (self->limit, "ratio");

      if (self->n_failing > 0)
        g_print (ngettext ("%u cell is worse by more than %s, or no longer ok.\n",
                           "%u cells are worse by more than %s, or no longer ok.\n",
                           self->n_failing),
                 self->n_failing, limit);
      else
        g_print (_ ("No cell is worse by more than %s.\n"), limit);
    }
}

static void
add_over (const char *member, const CuredMatchSide *side, CuredResult *result)
{
  const CuredResultAxis *axes = cured_result_get_axes (result, NULL);

  cured_cli_json ("$[", member);
  for (gsize i = 0; i < side->n_over; i++)
    cured_cli_json (".", axes[side->over[i]].name);
  cured_cli_json_put ("]");
}

/* Adds the parameters of both: those of A's cell, and those of B's that A lacks. */
static void
add_values (const Report *self, const CuredPair *pair)
{
  g_autoptr (GStrvBuilder) names = g_strv_builder_new ();
  gsize n_axes = 0;
  const CuredResultAxis *axes = cured_result_get_axes (self->a, &n_axes);

  for (gsize i = 0; i < n_axes && pair->cell_a >= 0; i++)
    g_strv_builder_add (names, axes[i].name);
  g_auto (GStrv) list = g_strv_builder_end (names);
  cured_cli_json_put ("{");
  if (pair->cell_a >= 0)
    cured_cli_json_add_values (self->a, pair->cell_a, NULL);
  if (pair->cell_b >= 0)
    cured_cli_json_add_values (self->b, pair->cell_b, (const char *const *) list);
  cured_cli_json_put ("}");
}

/* The rest of the document, with every pair. */
static void
add_pairs (const Report *self)
{
  const CuredMatch *match = self->comparison->match;
  g_autoptr (GArray) largest =
      cured_comparison_list_largest (self->comparison, MAX_ROWS, TRUE, NULL);

  cured_cli_json ("metric unit shared", self->metric->id, self->metric->unit, match->shared);
  add_over ("best_over_a", &match->a, self->a);
  add_over ("best_over_b", &match->b, self->b);
  cured_cli_json ("best_by fail_on failing geometric_mean verdicts{",
                  cured_match_is_best (match)
                      ? cured_result_get_metrics (self->a, NULL)[match->a.rank].id
                      : NULL,
                  self->limit, self->n_failing, self->comparison->geometric_mean);
  for (guint i = 0; i < G_N_ELEMENTS (self->comparison->n_verdicts); i++)
    cured_cli_json ("$", cured_verdict_to_string ((CuredVerdict) i),
                    self->comparison->n_verdicts[i]);
  cured_cli_json_put ("}");

  cured_cli_json ("best worst largest[", self->comparison->best, self->comparison->worst);
  for (guint i = 0; i < largest->len; i++)
    cured_cli_json (".", g_array_index (largest, guint, i));
  cured_cli_json_put ("] cells[");
  for (guint i = 0; i < self->comparison->pairs->len; i++)
    {
      const CuredPair *pair = &g_array_index (self->comparison->pairs, CuredPair, i);

      cured_cli_json_put ("{values:");
      add_values (self, pair);
      cured_cli_json ("a b ratio significance verdict failing?}", pair->a, pair->b, pair->ratio,
                      pair->significance, cured_verdict_to_string (pair->verdict),
                      is_failing (self, pair));
    }
  cured_cli_json_put ("]}");
}

/* The time; for the emulator's files, which have none, the first metric of a view. */
static char *
get_default_metric (CuredResult *result)
{
  g_auto (CuredView) view = { 0 };

  if (cured_device_info_has_time (cured_result_get_device (result)))
    return g_strdup ("time");
  cured_view_init (&view, result);
  return g_strdup (cured_result_get_metrics (result, NULL)[view.metric].id);
}

/* As in the window: the map of ratios, or the table of all pairs. */
static gboolean
write_file (const Report *self, CuredCliExportOptions *options, gsize metric, GError **error)
{
  const CuredExportFormat *format = cured_cli_export_options_get_format (options, error);
  g_auto (CuredView) view = { 0 };

  if (format == NULL)
    return FALSE;
  cured_view_init (&view, self->a);
  view.metric = metric;
  view.other = g_object_ref (self->b);
  if (!cured_cli_get_limits (given.color_min, given.color_max, given.color_center, "", TRUE,
                             &view.limits, error))
    return FALSE;
  g_autoptr (CuredDrawing) drawing = cured_drawing_new_ratio (self->a, &view);
  return cured_cli_export (options, drawing, format, error);
}

/* (transfer container): the names of all parameters of the results. */
static char **
list_parameters (CuredResult *const *results, gsize n_results)
{
  GPtrArray *names = g_ptr_array_new ();

  for (gsize i = 0; i < n_results; i++)
    {
      gsize n_axes;
      const CuredResultAxis *axes = cured_result_get_axes (results[i], &n_axes);

      for (gsize k = 0; k < n_axes; k++)
        if (!g_ptr_array_find_with_equal_func (names, axes[k].name, g_str_equal, NULL))
          g_ptr_array_add (names, (char *) axes[k].name);
    }
  g_ptr_array_add (names, NULL);
  return (char **) g_ptr_array_free (names, FALSE);
}

static gboolean
has_parameter (CuredResult *result, const char *name)
{
  gsize n_axes;
  const CuredResultAxis *axes = cured_result_get_axes (result, &n_axes);

  for (gsize i = 0; i < n_axes; i++)
    if (g_str_equal (axes[i].name, name))
      return TRUE;
  return FALSE;
}

/* “BLOCK=block”: a parameter of either file, and its name in the other. */
static gboolean
apply_map (const char *text, CuredResult *a, CuredResult *b, GError **error)
{
  g_auto (GStrv) names = g_strsplit (text, "=", 2);
  CuredResult *const results[] = { a, b };

  if (g_strv_length (names) != 2 || *names[0] == '\0' || *names[1] == '\0')
    return cured_cli_refuse (error, _ ("--map %s: expected two names, such as BLOCK=block"), text);
  for (gsize i = 0; i < G_N_ELEMENTS (results); i++)
    {
      g_autoptr (GError) local_error = NULL;
      CuredResult *other = results[1 - i];

      if (!has_parameter (results[i], names[0]))
        continue;
      /* A name that the other file lacks would match nothing. */
      if (!has_parameter (other, names[1]))
        return cured_cli_set_unknown (
            error, cured_cli_printf (_ ("--map %s: no parameter “%s”"), text, names[1]), names[1],
            list_parameters (&other, 1));
      if (cured_result_rename_axis (results[i], names[0], names[1], &local_error))
        return TRUE;
      g_propagate_error (error, g_steal_pointer (&local_error));
      return cured_cli_prefix (error, "--map %s: ", text);
    }
  return cured_cli_set_unknown (
      error, cured_cli_printf (_ ("--map %s: no parameter “%s”"), text, names[0]), names[0],
      list_parameters (results, G_N_ELEMENTS (results)));
}

/* Whether a cell of one file was compared with one of the other. */
static gboolean
has_pair (const CuredComparison *comparison)
{
  const guint *n_verdicts = comparison->n_verdicts;

  return n_verdicts[CURED_VERDICT_SAME] + n_verdicts[CURED_VERDICT_BETTER] +
             n_verdicts[CURED_VERDICT_WORSE] >
         0;
}

static int
run (int argc, char **argv, GError **error)
{
  Report report = { .limit = given.limit };
  CuredCliExportOptions *export = &cured_cli_export_options;
  gsize index = 0;

  if (export->output != NULL && cured_cli_is_json)
    return cured_cli_fail (_ ("--json and -o exclude each other; -o OUT.json writes the pairs"));
  if (!cured_cli_export_options_check (export, argv + 1) ||
      !cured_cli_check_with (given.color_min != NULL, "--color-min", export->output != NULL,
                             "-o OUT") ||
      !cured_cli_check_with (given.color_max != NULL, "--color-max", export->output != NULL,
                             "-o OUT") ||
      !cured_cli_check_with (given.color_center != NULL, "--color-center", export->output != NULL,
                             "-o OUT"))
    return CURED_EXIT_USAGE;
  g_autoptr (CuredResult) a = cured_result_load (argv[1], NULL, error);
  if (a == NULL)
    return CURED_EXIT_USAGE;
  g_autoptr (CuredResult) b = cured_result_load (argv[2], NULL, error);
  if (given.metric == NULL)
    given.metric = get_default_metric (a);
  if (b == NULL || !cured_cli_find_metric (a, given.metric, &index, error))
    return CURED_EXIT_USAGE;
  for (gsize i = 0; given.maps != NULL && given.maps[i] != NULL; i++)
    if (!apply_map (given.maps[i], a, b, error))
      return CURED_EXIT_USAGE;
  g_autoptr (CuredComparison) comparison = cured_comparison_new (a, b, given.metric, error);
  if (comparison == NULL)
    return CURED_EXIT_USAGE;

  report.a = a;
  report.b = b;
  report.comparison = comparison;
  report.metric = &cured_result_get_metrics (a, NULL)[index];
  count (&report);
  if ((!isnan (given.limit) || given.exit_code) && report.n_failing == 0 && !has_pair (comparison))
    return cured_cli_fail (_ ("nothing to compare: no cell has a value in both %s and %s"), argv[1],
                           argv[2]);
  if (export->output != NULL)
    {
      if (!write_file (&report, export, index, error))
        return CURED_EXIT_USAGE;
    }
  else
    {
      print_text (&report, given.all);
      add_pairs (&report);
    }
  return report.n_failing > 0 || (given.exit_code && count_differing (&report) > 0)
             ? CURED_EXIT_FINDING
             : CURED_EXIT_OK;
}
