/* SPDX-License-Identifier: MIT
 * cured compare: two result files, cell by cell. */
#include "config.h"

#include <glib/gi18n.h>
#include <math.h>

#include "cured-cli.h"

/* Rows that are printed where --all is not given. */
#define MAX_ROWS 20

typedef struct
{
  CuredResult *a;
  CuredResult *b;
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

/* A cell fails where B is significantly worse by more than the limit, or where B ran it and it no
 * longer is ok: a time that turned into a wrong result is worse than any time. A cell that B never
 * ran is not a finding. */
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

/* The values of the parameters that the best of B was chosen over. */
static char *
describe_chosen (const Report *self, gint64 cell)
{
  const CuredMatchSide *side = &self->comparison->match->b;
  gsize n_axes;
  const CuredResultAxis *axes = cured_result_get_axes (self->b, &n_axes);
  g_autofree gsize *positions = g_new0 (gsize, n_axes + 1);
  g_autofree const char **names = g_new0 (const char *, side->n_over + 1);
  g_autofree const CuredAxis **naming = g_new0 (const CuredAxis *, side->n_over + 1);
  g_autofree gint64 *values = g_new0 (gint64, side->n_over + 1);

  cured_result_get_positions (self->b, cell, positions);
  for (gsize i = 0; i < side->n_over; i++)
    {
      gsize axis = side->over[i];

      names[i] = axes[axis].name;
      naming[i] = axes[axis].values;
      values[i] = cured_axis_get_value (axes[axis].values, positions[axis]);
    }
  return cured_cli_describe_values (names, naming, values, side->n_over);
}

/* What varies in A, and what only B has: no name is in both. */
static char *
describe_pair (const Report *self, const CuredPair *pair)
{
  if (pair->cell_a < 0)
    return cured_cli_describe_cell (self->b, pair->cell_b);
  g_autofree char *where = cured_cli_describe_cell (self->a, pair->cell_a);
  if (pair->cell_b < 0 || self->comparison->match->b.n_over == 0)
    return g_steal_pointer (&where);
  g_autofree char *chosen = describe_chosen (self, pair->cell_b);
  return g_strconcat (where, where[0] != '\0' ? " " : "", chosen, NULL);
}

static char *
format_change (double ratio)
{
  if (isnan (ratio))
    return g_strdup ("");
  g_autofree char *text = cured_format_quantity (fabs (ratio - 1.0), "ratio");
  return g_strconcat (ratio >= 1.0 ? "+" : "−", text, NULL);
}

static char *
format_value (const Report *self, CuredResult *result, gint64 cell, double value)
{
  if (!isnan (value))
    return cured_format_quantity (value, self->metric->unit);
  if (cell < 0)
    return g_strdup ("-");
  return g_strdup (_ (cured_state_to_string (cured_result_get_state (result, cell))));
}

static char *
format_significance (double significance)
{
  if (isnan (significance))
    return g_strdup ("");
  return g_strdup_printf ("%.1f", significance);
}

static void
print_side (CuredCliTable *table, const char *name, CuredResult *result)
{
  const CuredDeviceInfo *device = cured_result_get_device (result);
  GDateTime *created = cured_result_get_created (result);
  g_autofree char *date = NULL;

  if (created != NULL)
    date = cured_format_date (created);
  cured_cli_table_add (
      table, name, cured_result_get_path (result), cured_result_get_kernel_id (result),
      device->name[0] != '\0' ? device->name : device->id, date != NULL ? date : "", NULL);
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

  print_side (sides, "A", self->a);
  print_side (sides, "B", self->b);
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
                       _ ("significance"), "", NULL);
  for (guint i = 0; i < largest->len; i++)
    {
      const CuredPair *pair =
          &g_array_index (self->comparison->pairs, CuredPair, g_array_index (largest, guint, i));
      g_autofree char *a = NULL;
      g_autofree char *b = NULL;
      g_autofree char *significance = NULL;
      g_autofree char *verdict = NULL;

      g_autofree char *where = describe_pair (self, pair);
      a = format_value (self, self->a, pair->cell_a, pair->a);
      b = format_value (self, self->b, pair->cell_b, pair->b);
      g_autofree char *change = format_change (pair->ratio);
      verdict = g_strdup_printf ("%s%s", _ (cured_verdict_to_string (pair->verdict)),
                                 is_failing (self, pair) ? " !" : "");
      significance = format_significance (pair->significance);
      cured_cli_table_add (table, where, a, b, change, significance, verdict, NULL);
    }
  if (largest->len > 0)
    cured_cli_table_print (table, "");
  if (n_left_out > 0)
    {
      if (largest->len > 0)
        g_print ("… ");
      g_print (ngettext ("%u more cell (--all prints it)\n", "%u more cells (--all prints them)\n",
                         n_left_out),
               n_left_out);
    }

  for (guint i = 0; i < G_N_ELEMENTS (self->comparison->n_verdicts); i++)
    if (self->comparison->n_verdicts[i] > 0)
      {
        g_autofree char *count =
            /* Translators: a number of cells, and “better”, “only in A” … */
            g_strdup_printf (_ ("%u %s"), self->comparison->n_verdicts[i],
                             _ (cured_verdict_to_string ((CuredVerdict) i)));

        cured_cli_append_item (counts, count);
      }
  g_print ("\n%s\n", counts->str);
  if (!isnan (self->comparison->geometric_mean))
    {
      g_autofree char *change = format_change (self->comparison->geometric_mean);

      g_print (_ ("Geometric mean of B/A: %.4f (%s)\n"), self->comparison->geometric_mean, change);
    }
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
add_side (JsonBuilder *builder, const char *name, CuredResult *result)
{
  const CuredDeviceInfo *device = cured_result_get_device (result);

  json_builder_set_member_name (builder, name);
  cured_cli_json (builder, "{file kernel device driver}", cured_result_get_path (result),
                  cured_result_get_kernel_id (result), device->name, device->driver);
}

static void
add_names (JsonBuilder *builder, const char *member, char **names)
{
  json_builder_set_member_name (builder, member);
  cured_cli_json_put (builder, "[");
  for (gsize i = 0; names[i] != NULL; i++)
    cured_cli_json (builder, ".", names[i]);
  cured_cli_json_put (builder, "]");
}

static void
add_over (JsonBuilder *builder, const char *member, const CuredMatchSide *side, CuredResult *result)
{
  const CuredResultAxis *axes = cured_result_get_axes (result, NULL);
  g_autoptr (GStrvBuilder) names = g_strv_builder_new ();

  for (gsize i = 0; i < side->n_over; i++)
    g_strv_builder_add (names, axes[side->over[i]].name);
  g_auto (GStrv) list = g_strv_builder_end (names);
  add_names (builder, member, list);
}

/* The parameters of both: those of A's cell, and what only B has of B's. */
static void
add_values (JsonBuilder *builder, const Report *self, const CuredPair *pair)
{
  g_autoptr (GStrvBuilder) names = g_strv_builder_new ();
  gsize n_axes = 0;
  const CuredResultAxis *axes = cured_result_get_axes (self->a, &n_axes);

  for (gsize i = 0; i < n_axes && pair->cell_a >= 0; i++)
    g_strv_builder_add (names, axes[i].name);
  g_auto (GStrv) list = g_strv_builder_end (names);
  cured_cli_json_put (builder, "{");
  if (pair->cell_a >= 0)
    cured_cli_json_add_values (builder, self->a, pair->cell_a, NULL);
  if (pair->cell_b >= 0)
    cured_cli_json_add_values (builder, self->b, pair->cell_b, (const char *const *) list);
  cured_cli_json_put (builder, "}");
}

static void
print_json (const Report *self)
{
  const CuredMatch *match = self->comparison->match;
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  g_autoptr (GArray) largest =
      cured_comparison_list_largest (self->comparison, MAX_ROWS, TRUE, NULL);

  cured_cli_json_put (builder, "{");
  add_side (builder, "a", self->a);
  add_side (builder, "b", self->b);
  cured_cli_json (builder, "metric unit", self->metric->id, self->metric->unit);
  add_names (builder, "shared", match->shared);
  add_over (builder, "best_over_a", &match->a, self->a);
  add_over (builder, "best_over_b", &match->b, self->b);
  cured_cli_json (builder, "best_by fail_on failing geometric_mean verdicts{",
                  cured_match_is_best (match)
                      ? cured_result_get_metrics (self->a, NULL)[match->a.rank].id
                      : NULL,
                  self->limit, self->n_failing, self->comparison->geometric_mean);
  for (guint i = 0; i < G_N_ELEMENTS (self->comparison->n_verdicts); i++)
    {
      json_builder_set_member_name (builder, cured_verdict_to_string ((CuredVerdict) i));
      cured_cli_json (builder, ".", self->comparison->n_verdicts[i]);
    }
  cured_cli_json_put (builder, "}");

  cured_cli_json (builder, "best worst largest[", self->comparison->best, self->comparison->worst);
  for (guint i = 0; i < largest->len; i++)
    cured_cli_json (builder, ".", g_array_index (largest, guint, i));
  cured_cli_json_put (builder, "] cells[");
  for (guint i = 0; i < self->comparison->pairs->len; i++)
    {
      const CuredPair *pair = &g_array_index (self->comparison->pairs, CuredPair, i);

      cured_cli_json_put (builder, "{values:");
      add_values (builder, self, pair);
      cured_cli_json (builder, "a b ratio significance verdict failing?}", pair->a, pair->b,
                      pair->ratio, pair->significance, cured_verdict_to_string (pair->verdict),
                      is_failing (self, pair));
    }
  cured_cli_json_put (builder, "]}");
  cured_cli_print_json (builder);
}

/* The time; of a file of the emulator, which has none, what a view of it shows first. */
static char *
get_default_metric (CuredResult *result)
{
  g_auto (CuredView) view = { 0 };

  if (cured_device_info_has_time (cured_result_get_device (result)))
    return g_strdup ("time");
  cured_view_init (&view, result);
  return g_strdup (cured_result_get_metrics (result, NULL)[view.metric].id);
}

/* What the window shows: the map of ratios, or the table of all pairs. */
static gboolean
write_file (const Report *self, const CuredCliExportOptions *options, gsize metric, GError **error)
{
  const CuredExportFormat *format = cured_cli_export_options_get_format (options, error);
  g_auto (CuredView) view = { 0 };

  if (format == NULL)
    return FALSE;
  cured_view_init (&view, self->a);
  view.metric = metric;
  view.other = g_object_ref (self->b);
  g_autoptr (CuredDrawing) drawing = cured_drawing_new_ratio (self->a, &view);
  return cured_cli_export (options, drawing, format, error);
}

/* The names of all their parameters; the names stay theirs. */
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

/* “BLOCK=block”: a parameter of either file, and what the other calls it. */
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
      /* A name that the other lacks would match nothing. */
      if (!has_parameter (other, names[1]))
        {
          cured_cli_set_unknown (
              error, g_strdup_printf (_ ("--map %s: no parameter “%s”"), text, names[1]), names[1],
              list_parameters (&other, 1));
          return FALSE;
        }
      if (cured_result_rename_axis (results[i], names[0], names[1], &local_error))
        return TRUE;
      g_propagate_prefixed_error (error, g_steal_pointer (&local_error), "--map %s: ", text);
      return FALSE;
    }
  cured_cli_set_unknown (error, g_strdup_printf (_ ("--map %s: no parameter “%s”"), text, names[0]),
                         names[0], list_parameters (results, G_N_ELEMENTS (results)));
  return FALSE;
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

static struct
{
  char *metric;
  double limit;
  gboolean exit_code;
  char **maps;
  gboolean all;
  gboolean json;
} given = { .limit = CURED_MISSING };

/* clang-format off */
static const CuredCliOption rows[] = {
  { "metric", 'm', CURED_CLI_TEXT, &given.metric, N_ ("The metric to compare [time]"), N_ ("METRIC"), .list = cured_cli_list_metrics },
  { "fail-on", 0, CURED_CLI_PERCENT, &given.limit, N_ ("Exit with 1 where B is worse by more"), N_ ("PERCENT") },
  { "exit-code", 0, CURED_CLI_FLAG, &given.exit_code, N_ ("Exit with 1 where a cell is better or worse") },
  { "map", 0, CURED_CLI_TEXTS, &given.maps, N_ ("Match parameter NAME with OTHER"), N_ ("NAME=OTHER") },
  { "all", 'a', CURED_CLI_FLAG, &given.all, N_ ("Print every cell, not only the largest changes") },
  { "json", 0, CURED_CLI_FLAG, &given.json, N_ ("Print as JSON") },
  { NULL },
};
/* clang-format on */

static int
run_compare (int argc, char **argv, GError **error)
{
  Report report = { .limit = given.limit };
  const CuredCliExportOptions *export = &cured_cli_export_options;
  gsize index = 0;

  if (export->output != NULL && given.json)
    return cured_cli_fail (_ ("--json and -o exclude each other; -o OUT.json writes the pairs"));
  if (!cured_cli_export_options_check (export, argv + 1))
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
  else if (given.json)
    print_json (&report);
  else
    print_text (&report, given.all);
  return report.n_failing > 0 || (given.exit_code && count_differing (&report) > 0)
             ? CURED_EXIT_FINDING
             : CURED_EXIT_OK;
}

const CuredVerb cured_verb_compare = {
  .name = "compare",
  .arguments = N_ ("A B"),
  .summary = N_ ("Compare two result files, cell by cell"),
  .description =
      N_ ("Cells are matched by the parameters that both files have; over a parameter of\nonly one "
          "file, the best cell is used. A cell is better or worse\n"
          "where the difference is more than both intervals explain, and half a percent at\n"
          "least; in cycles as well, where the clocks are known. With --fail-on, cells that\n"
          "were ok in A and are wrong, failed, crashed or timed out in B count as worse by\n"
          "any amount. The exit code is 1 where --fail-on or --exit-code says so.\n"
          "\n"
          "Examples:\n"
          "  cured compare before.cured after.cured\n"
          "  cured compare before.cured after.cured --fail-on 5%\n"
          "  cured compare before.cured after.cured --exit-code --quiet\n"
          "  cured compare tuner.cured mine.cured --map BLOCK=block\n"
          "  cured compare before.cured after.cured --metric bandwidth --json\n"
          "  cured compare before.cured after.cured -o pairs.csv\n"),
  .words = CURED_CLI_WORDS_RESULTS,
  .options = { cured_cli_export_rows, rows },
  .least = 2,
  .most = 2,
  .usage = N_ ("compare needs two result files, such as “cured compare before.cured after.cured”"),
  .run = run_compare,
};
