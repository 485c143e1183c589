/* SPDX-License-Identifier: MIT
 * A result on the command line: chooses the visible part, and prints it. */
#include <inttypes.h>
#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "cured-cli-job.h"
#include "cured-cli.h"

/* Returns FALSE with CURED_ERROR_NOT_FOUND, whose message lists the metrics. */
gboolean
cured_cli_find_metric (CuredResult *result, const char *id, gsize *metric, GError **error)
{
  gsize n_metrics = 0, n_used = 0;

  if (cured_result_find_metric (result, id, metric))
    return TRUE;
  const CuredMetricInfo *metrics = cured_result_get_metrics (result, &n_metrics);
  for (gsize i = 0; i < n_metrics; i++)
    if (cured_result_has_values (result, i))
      n_used++;
  if (n_used == 0)
    return cured_fail (error, CURED_ERROR_NOT_FOUND,
                       _ ("no metric “%s”: the file holds no metrics"), id);
  char **ids = g_new0 (char *, n_metrics + 1);
  for (gsize i = 0, n = 0; i < n_metrics; i++)
    if (cured_result_has_values (result, i))
      ids[n++] = (char *) metrics[i].id;
  return cured_cli_set_unknown (error, cured_cli_printf (_ ("no metric “%s”"), id), id, ids);
}

typedef struct
{
  CuredResult *result;
  const CuredMachine *machine;
} Limiters;

static gboolean
explain (CuredCliJob *job, gpointer user_data, GCancellable *cancellable, GError **error)
{
  const Limiters *self = user_data;
  g_autoptr (CuredExaminer) examiner = cured_examiner_new (NULL);

  return cured_explain_limiters (self->result, self->machine, examiner, cured_cli_job_report, job,
                                 cancellable, error);
}

/* Returns FALSE after a message if no metric needs the machine's facts. */
gboolean
cured_cli_check_machine (const char *machine_id, const char *metric)
{
  return cured_cli_check_with (machine_id != NULL, "--machine", cured_limiters_has_metric (metric),
                               "--metric limiter");
}

/* The limits of cells are not in the file: computes them if @metric is one of theirs, with progress
 * on standard error, until it is done or cancelled. */
gboolean
cured_cli_add_limiters (CuredResult *result, const char *metric, const char *machine_id,
                        GError **error)
{
  Limiters limiters = { .result = result };

  gsize time;

  if (!cured_limiters_has_metric (metric))
    return TRUE;
  if (!cured_result_find_metric (result, cured_metric_info (CURED_METRIC_time)->id, &time) ||
      !cured_result_has_values (result, time))
    {
      if (cured_device_info_has_time (cured_result_get_device (result)))
        return cured_fail (error, CURED_ERROR_NOT_FOUND, _ ("No cell of %s has a time"),
                           cured_result_get_path (result));
      return cured_fail (
          error, CURED_ERROR_NOT_FOUND,
          _ ("The file has no measured times, and a limit is a share of one: measure the "
             "kernel on a GPU, with “cured run --device cuda:0”"));
    }
  g_autoptr (CuredMachine) machine = cured_explain_find_machine (result, machine_id, error);
  if (machine == NULL)
    return FALSE;
  limiters.machine = machine;
  /* Translators: what goes on while cells are counted. */
  return cured_cli_job_run (_ ("Counting"), explain, &limiters, NULL, error);
}

static gboolean
find_axis (CuredResult *result, const char *name, gsize *axis, GError **error)
{
  gsize n_axes = 0;
  const CuredResultAxis *axes = cured_result_get_axes (result, &n_axes);

  for (gsize i = 0; i < n_axes; i++)
    if (g_str_equal (axes[i].name, name))
      {
        *axis = i;
        return TRUE;
      }
  return cured_cli_set_unknown (error, cured_cli_printf (_ ("no parameter “%s”"), name), name,
                                CURED_CLI_COLLECT (axes, n_axes, name));
}

/* “tile=16” → the axis and the position of the value on it. */
static gboolean
parse_position (CuredResult *result, const char *assignment, gsize *axis, gsize *position,
                GError **error)
{
  const char *equals = strchr (assignment, '=');
  g_autofree char *values = NULL;
  gint64 value = 0;

  if (equals == NULL || equals == assignment)
    return cured_cli_refuse (error, _ ("“%s” is not PARAMETER=VALUE, such as tile=16"), assignment);
  g_autofree char *name = g_strstrip (g_strndup (assignment, (gsize) (equals - assignment)));
  if (!find_axis (result, name, axis, error))
    return FALSE;
  const CuredResultAxis *found = &cured_result_get_axes (result, NULL)[*axis];
  gboolean is_named = cured_axis_is_named (found->values);
  gboolean is_value =
      cured_axis_parse_value (found->values, equals + 1, &value, is_named ? NULL : error);
  if (!is_value && !is_named)
    return FALSE;
  if (is_value && cured_axis_find (found->values, value, position))
    return TRUE;
  values = cured_axis_to_string (found->values);
  return cured_fail (error, CURED_ERROR_NOT_FOUND,
                     _ ("“%s” has no value %s in this file; it has %s"), name, equals + 1, values);
}

/* “tile=16,n=1024” in two; a comma that no other assignment follows is part of the value: imported
 * values may be any text. */
static char **
split_assignments (const char *text)
{
  g_auto (GStrv) parts = g_strsplit (text, ",", -1);
  GPtrArray *joined = g_ptr_array_new ();

  for (gsize i = 0; parts[i] != NULL; i++)
    {
      char *before = joined->len > 0 ? g_ptr_array_index (joined, joined->len - 1) : NULL;

      if (before == NULL || strchr (parts[i], '=') != NULL)
        {
          g_ptr_array_add (joined, g_strdup (parts[i]));
          continue;
        }
      g_ptr_array_index (joined, joined->len - 1) = g_strconcat (before, ",", parts[i], NULL);
      g_free (before);
    }
  g_ptr_array_add (joined, NULL);
  return (char **) g_ptr_array_free (joined, FALSE);
}

/* Finds the cell at @assignments. Fails with an error that names missing or unknown parameters. */
gboolean
cured_cli_find_cell (CuredResult *result, const char *assignments, gint64 *cell, GError **error)
{
  gsize n_axes = 0;
  const CuredResultAxis *axes = cured_result_get_axes (result, &n_axes);
  g_autofree gsize *positions = g_new0 (gsize, n_axes);
  g_autofree gboolean *is_set = g_new0 (gboolean, n_axes);
  g_auto (GStrv) parts = split_assignments (assignments);

  for (gsize i = 0; parts[i] != NULL; i++)
    {
      gsize axis = 0, position = 0;

      if (!parse_position (result, parts[i], &axis, &position, error))
        return FALSE;
      if (is_set[axis])
        return cured_cli_refuse (error, _ ("“%s” is given twice"), axes[axis].name);
      positions[axis] = position;
      is_set[axis] = TRUE;
    }
  for (gsize i = 0; i < n_axes; i++)
    if (!is_set[i] && cured_axis_get_length (axes[i].values) > 1)
      return cured_cli_refuse (error, _ ("“%s” does not name one cell: add %s=VALUE, one of %s"),
                               assignments, axes[i].name,
                               cured_cli_lend (cured_axis_to_string (axes[i].values)));
  *cell = cured_result_get_cell (result, positions);
  return TRUE;
}

CuredCliViewOptions cured_cli_view;

/* clang-format off */
const CuredCliOption cured_cli_view_rows[] = {
#define OPTION(type, member, name, letter, ...)                                                    \
  { name, letter, CURED_CLI_##type, &cured_cli_view.member, __VA_ARGS__ },
#include "cured-cli-view.def"
#undef OPTION
  { NULL },
};
/* clang-format on */

/* If only one of the map's axes was chosen and it is the other one's default, swaps the two. */
static gboolean
choose_axes (CuredResult *result, CuredView *view, GError **error)
{
  const CuredCliViewOptions *self = &cured_cli_view;
  gsize n_axes = 0;
  const CuredResultAxis *axes = cured_result_get_axes (result, &n_axes);
  gsize x = view->x_axis;
  gsize y = view->y_axis;

  if (self->x != NULL && !find_axis (result, self->x, &x, error))
    return FALSE;
  if (g_strcmp0 (self->y, "none") == 0)
    y = CURED_AXIS_NONE;
  else if (self->y != NULL && !find_axis (result, self->y, &y, error))
    return FALSE;
  if (self->x != NULL && self->y == NULL && x == y)
    y = view->x_axis;
  if (self->y != NULL && self->x == NULL && x == y)
    {
      x = view->y_axis;
      /* A result with one axis has no horizontal one. */
      if (x == CURED_AXIS_NONE)
        {
          x = y;
          for (gsize i = 0; i < n_axes && x == y; i++)
            if (i != y)
              x = i;
        }
    }
  /* Without parameters, both axes are missing. */
  if (x == y && x != CURED_AXIS_NONE)
    return cured_cli_refuse (error, _ ("“%s” can't be both the horizontal and the vertical axis"),
                             axes[x].name);
  view->x_axis = x;
  view->y_axis = y;
  return TRUE;
}

/* Gives the other parameters the values of one --at. */
static gboolean
fix_axes (const char *at, CuredResult *result, CuredView *view, GError **error)
{
  const CuredResultAxis *axes = cured_result_get_axes (result, NULL);
  g_auto (GStrv) parts = split_assignments (at);

  for (gsize i = 0; parts[i] != NULL; i++)
    {
      gsize axis = 0, position = 0;

      if (!parse_position (result, parts[i], &axis, &position, error))
        return FALSE;
      /* A single value of the map's other axis turns the map into a line. */
      if (cured_cli_view.x != NULL && cured_cli_view.y == NULL && axis == view->y_axis)
        view->y_axis = CURED_AXIS_NONE;
      if (axis == view->x_axis || axis == view->y_axis)
        return cured_cli_refuse (
            error, _ ("--at %s: “%s” is an axis of the map; choose others with --x and --y"),
            parts[i], axes[axis].name);
      view->positions[axis] = position;
    }
  return TRUE;
}

static gboolean
choose_colours (CuredResult *result, CuredView *view, GError **error)
{
  const CuredCliViewOptions *self = &cured_cli_view;
  const CuredMetricInfo *metric = &cured_result_get_metrics (result, NULL)[view->metric];

  if (self->colours != NULL && (view->colours = cured_colour_map_find (self->colours)) == NULL)
    {
      gsize n_maps = 0;
      const CuredColourMap *maps = cured_colour_map_list (&n_maps);

      return cured_cli_set_unknown (error,
                                    cured_cli_printf (_ ("no colour map “%s”"), self->colours),
                                    self->colours, CURED_CLI_COLLECT (maps, n_maps, id));
    }
  if ((self->logarithmic && self->linear) || (self->relative && self->absolute))
    return cured_cli_refuse (error, self->logarithmic && self->linear
                                        ? _ ("--log and --linear exclude each other")
                                        : _ ("--relative and --absolute exclude each other"));
  if (self->relative && metric->better == CURED_BETTER_NEITHER)
    return cured_cli_refuse (
        error, _ ("--relative: “%s” has no best value, since neither end is better"), metric->id);
  if (!cured_cli_get_limits (self->color_min, self->color_max, NULL, metric->unit, FALSE,
                             &view->limits, error))
    return FALSE;
  view->relative =
      self->relative || (!self->absolute && cured_view_suggests_relative (view, result));
  view->logarithmic = self->logarithmic || (view->logarithmic && !self->linear);
  return TRUE;
}

/* The given limits of colours, in the unit of the values. */
gboolean
cured_cli_get_limits (const char *low, const char *high, const char *centre, const char *unit,
                      gboolean is_ratio, CuredColourLimits *limits, GError **error)
{
  const struct
  {
    const char *name;
    const char *text;
    gboolean *has;
    double *value;
  } all[] = {
    { "color-min", low, &limits->has_low, &limits->low },
    { "color-max", high, &limits->has_high, &limits->high },
    { "color-center", centre, &limits->has_centre, &limits->centre },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (all); i++)
    {
      if (all[i].text == NULL)
        continue;
      if (!cured_parse_quantity (all[i].text, unit, 1, all[i].value, error))
        return cured_cli_prefix (error, "--%s: ", all[i].name);
      *all[i].has = TRUE;
    }
  return cured_colour_limits_check (limits, is_ratio, error);
}

/* Pictures show the first. Names live as long as the process. */
static gboolean
choose_metrics (CuredResult *result, CuredView *view, GError **error)
{
  if (cured_cli_view.metric == NULL)
    return TRUE;
  char **names = g_strsplit (cured_cli_view.metric, ",", -1);
  for (gsize i = g_strv_length (names); i-- > 0;)
    if (!cured_cli_find_metric (result, names[i], &view->metric, error))
      return FALSE;
  view->columns = (const char *const *) names;
  return TRUE;
}

/* The part of @result that the options choose. Clear @view with cured_view_clear(); on failure it is
 * clear. */
gboolean
cured_cli_get_view (CuredResult *result, CuredView *view, GError **error)
{
  const CuredCliViewOptions *self = &cured_cli_view;

  cured_view_init (view, result);
  gboolean is_done = choose_metrics (result, view, error) && choose_axes (result, view, error);
  view->best_over = self->best_over;
  for (gsize i = 0; is_done && self->at != NULL && self->at[i] != NULL; i++)
    is_done = fix_axes (self->at[i], result, view, error);
  if (is_done && choose_colours (result, view, error))
    return TRUE;
  cured_view_clear (view);
  return FALSE;
}

/* Returns the values of the parameters that vary in @result, or of all if none varies. */
const char *
cured_cli_describe_cell (CuredResult *result, gint64 cell)
{
  gsize n_axes = 0;
  const CuredResultAxis *axes = cured_result_get_axes (result, &n_axes);
  g_autofree gsize *positions = g_new0 (gsize, n_axes + 1);
  gboolean all = cured_result_get_n_cells (result) == 1;
  GString *text = g_string_new (NULL);

  cured_result_get_positions (result, cell, positions);
  for (gsize i = 0; i < n_axes; i++)
    if (all || cured_axis_get_length (axes[i].values) > 1)
      cured_cli_append_value (text, axes[i].name, axes[i].values,
                              cured_axis_get_value (axes[i].values, positions[i]));
  return cured_cli_lend (g_string_free (text, FALSE));
}

/* Adds the number of further devices, and the notes on all devices. */
static void
add_devices (CuredCliTable *table, CuredResult *result)
{
  gsize n_devices, n_notes;
  const CuredDeviceNote *notes = cured_result_get_notes (result, &n_notes);

  cured_result_get_devices (result, &n_devices);
  if (n_devices > 1)
    {
      g_autofree char *line =
          g_strdup_printf (ngettext ("and %s more", "and %s more", (gulong) (n_devices - 1)),
                           cured_cli_count (n_devices - 1));

      cured_cli_table_add (table, "", line);
    }
  for (gsize i = 0; i < n_notes; i++)
    cured_cli_table_add (table, i == 0 ? _ ("Note") : "",
                         cured_cli_lend (cured_result_describe_note (result, &notes[i])));
}

/* Prints the kernel, the devices, the time and the states of cells. */
void
cured_cli_print_facts (CuredResult *result, gboolean has_title)
{
  g_autoptr (CuredCliTable) table = cured_cli_table_new ("ll");
  const CuredDeviceInfo *device = cured_result_get_device (result);
  GDateTime *created = cured_result_get_created (result);
  const char *title = cured_result_get_title (result);
  gsize n_axes = 0;
  const CuredResultAxis *axes = cured_result_get_axes (result, &n_axes);
  g_autoptr (GString) text = g_string_new (NULL);

  if (title != NULL && title[0] != '\0')
    g_string_append_printf (text,
                            /* Translators: a kernel, and its title. */
                            _ ("%s: %s"), cured_result_get_kernel_id (result), title);
  else
    g_string_append (text, cured_result_get_kernel_id (result));
  if (!has_title)
    cured_cli_table_add (table, _ ("Kernel"), text->str);

  g_string_assign (text, device->name[0] != '\0' ? device->name : device->id);
  if (device->name[0] != '\0')
    g_string_append_printf (text, " (%s)", device->id);
  if (device->driver[0] != '\0')
    cured_cli_append_item (text, cured_cli_printf (_ ("driver %s"), device->driver));
  if (device->compiler[0] != '\0')
    cured_cli_append_item (text, device->compiler);
  if (device->host[0] != '\0')
    {
      /* Translators: the name of a machine. */

      cured_cli_append_item (text, cured_cli_printf (_ ("on %s"), device->host));
    }
  cured_cli_table_add (table, _ ("Device"), text->str);
  add_devices (table, result);

  if (created != NULL && !has_title)
    cured_cli_table_add (table, _ ("Date"), cured_cli_lend (cured_format_date (created)));

  for (gsize i = 0; i < n_axes; i++)
    cured_cli_table_add (table, i == 0 ? _ ("Parameters") : "",
                         cured_cli_printf ("%s=%s", axes[i].name,
                                           cured_cli_lend (cured_axis_to_string (axes[i].values))));

  g_string_truncate (text, 0);
  for (guint i = 0; i < CURED_N_STATES; i++)
    {
      /* ORDER: the finished ones first. */
      CuredState state = (CuredState) ((i + 1) % CURED_N_STATES);
      gint64 count = cured_result_count_state (result, state);

      if (count > 0)
        g_string_append_printf (text, "%s%s %s", text->len > 0 ? ", " : "", cured_cli_count (count),
                                _ (cured_state_to_string (state)));
    }
  cured_cli_table_add (table, _ ("Cells"), text->str);
  g_autofree char *rounds = cured_result_describe_rounds (result);
  if (rounds != NULL)
    cured_cli_table_add (table, _ ("Rounds"), rounds);
  if (cured_result_get_remark (result, CURED_REMARK_OF_FILE) != NULL)
    cured_cli_table_add (table, _ ("File note"),
                         cured_result_get_remark (result, CURED_REMARK_OF_FILE));
  cured_cli_table_print (table, "");
}

static void
print_mismatches (const CuredOutcome *outcome)
{
  g_autoptr (CuredCliTable) table = cured_cli_table_new ("lrll");
  guint n_listed = outcome->mismatches != NULL ? outcome->mismatches->len : 0;

  cured_cli_json_put ("mismatches[");
  for (guint i = 0; i < n_listed; i++)
    {
      const CuredMismatch *mismatch = g_ptr_array_index (outcome->mismatches, i);

      cured_cli_table_add (table, mismatch->buffer,
                           cured_cli_printf ("[%" PRId64 "]", mismatch->index),
                           cured_cli_printf (_ ("got %s,"), mismatch->got),
                           cured_cli_printf (_ ("expected %s"), mismatch->expected));
      cured_cli_json ("{buffer index got expected}", mismatch->buffer, mismatch->index,
                      mismatch->got, mismatch->expected);
    }
  cured_cli_json_put ("]");
  cured_cli_table_print (table, "  ");
  if (n_listed > 0 && outcome->n_mismatches > n_listed)
    /* Translators: elements that are wrong, or cells that failed. */
    g_print (ngettext ("  … and %s more\n", "  … and %s more\n",
                       (gulong) (outcome->n_mismatches - n_listed)),
             cured_cli_count ((gint64) (outcome->n_mismatches - n_listed)));
  g_print (n_listed > 0 ? "\n" : "");
}

/* Prints all data of one cell. */
gboolean
cured_cli_print_cell (CuredResult *result, gint64 cell, GError **error)
{
  g_autoptr (CuredOutcome) outcome = cured_result_load_outcome (result, cell, error);
  g_autoptr (CuredCliTable) table = cured_cli_table_new ("lrll");
  gsize n_metrics = 0;
  const CuredMetricInfo *metrics = cured_result_get_metrics (result, &n_metrics);

  if (outcome == NULL)
    return FALSE;
  const char *state = cured_state_to_string (outcome->state);
  cured_cli_json_put ("{values:");
  cured_cli_json_add_cell (result, cell);
  cured_cli_json ("state reason", state, outcome->reason);
  g_print ("%s: %s\n", cured_cli_describe_cell (result, cell), _ (state));
  if (outcome->reason != NULL)
    g_print ("%s\n", outcome->reason);
  const char *remark = cured_result_get_remark (result, cell);
  cured_cli_json ("note", remark);
  if (remark != NULL)
    /* Translators: what somebody wrote about a cell. */
    g_print (_ ("Note: %s\n"), remark);
  g_autofree char *rounds = cured_result_describe_cell_rounds (result, cell);
  if (rounds != NULL)
    g_print ("%s\n", rounds);
  print_mismatches (outcome);
  cured_cli_json_put ("findings[");
  for (guint i = 0; i < outcome->findings->len; i++)
    {
      const char *text =
          cured_cli_lend (cured_finding_to_string (g_ptr_array_index (outcome->findings, i)));

      g_print ("%s\n", text);
      cured_cli_json (".", text);
    }
  cured_cli_json_put ("] metrics{");
  for (gsize i = 0; i < n_metrics; i++)
    {
      const CuredMetricInfo *info = &metrics[i];
      double figure = cured_result_get_value (result, cell, i);

      if (isnan (figure))
        continue;
      cured_cli_json ("$", info->id, figure);
      cured_cli_table_add (table, info->id,
                           cured_cli_lend (cured_result_format_value (result, cell, i)),
                           _ (cured_origin_to_string (info->origin)), _ (info->description));
    }
  cured_cli_table_print (table, "  ");
  cured_cli_json ("} output}", outcome->output);
  if (outcome->output != NULL && outcome->output[0] != '\0')
    {
      g_print (_ ("The kernel printed:\n"));
      g_print ("%s%s", outcome->output, g_str_has_suffix (outcome->output, "\n") ? "" : "\n");
    }
  return TRUE;
}

static const char *
get_better (const CuredMetricInfo *metric)
{
  return metric->better == CURED_BETTER_LOWER    ? "lower"
         : metric->better == CURED_BETTER_HIGHER ? "higher"
                                                 : "neither";
}

void
cured_cli_json_add_metric (const CuredMetricInfo *metric)
{
  cured_cli_json ("{id unit origin better}", metric->id, metric->unit,
                  cured_origin_to_string (metric->origin), get_better (metric));
}

/* Adds a value as in cured_cli_json_add_values(). */
static void
add_value (CuredResult *result, const CuredAxis *axis, gint64 value)
{
  const char *name = cured_axis_get_name (axis, value);

  if (name != NULL && cured_result_get_imported (result) != NULL)
    cured_cli_json (".", name);
  else
    cured_cli_json (".", value);
}

/* Adds an array of values of an axis. */
void
cured_cli_json_add_axis (const char *member, CuredResult *result, const CuredAxis *values)
{
  cured_cli_json ("$[", member);
  for (gsize i = 0; i < cured_axis_get_length (values); i++)
    add_value (result, values, cured_axis_get_value (values, i));
  cured_cli_json_put ("]");
}

static void
add_notes_json (CuredResult *result)
{
  gsize n_devices, n_notes;
  const CuredDeviceNote *notes = cured_result_get_notes (result, &n_notes);

  cured_result_get_devices (result, &n_devices);
  cured_cli_json ("devices notes[", n_devices);
  for (gsize i = 0; i < n_notes; i++)
    cured_cli_json (".", cured_cli_lend (cured_result_describe_note (result, &notes[i])));
  cured_cli_json_put ("]");
}

/* Adds what cured_cli_print_facts() prints. */
void
cured_cli_json_add_facts (CuredResult *result)
{
  const CuredDeviceInfo *device = cured_result_get_device (result);
  GDateTime *created = cured_result_get_created (result);

  cured_cli_json ("file kernel title created finished?", cured_result_get_path (result),
                  cured_result_get_kernel_id (result), cured_result_get_title (result),
                  cured_cli_lend (created != NULL ? g_date_time_format_iso8601 (created) : NULL),
                  cured_result_is_finished (result));
  cured_cli_json ("device{id name driver compiler host}", device->id, device->name, device->driver,
                  device->compiler, device->host);
  add_notes_json (result);
  cured_cli_json ("note", cured_result_get_remark (result, CURED_REMARK_OF_FILE));
  cured_cli_json_put ("states{");
  for (guint i = 0; i < CURED_N_STATES; i++)
    cured_cli_json ("$", cured_state_to_string ((CuredState) i),
                    cured_result_count_state (result, (CuredState) i));
  cured_cli_json_put ("}");
}

/* Adds a member for each parameter; in imported files, named values are written as names, since
 * their numbers are meaningless. */
void
cured_cli_json_add_values (CuredResult *result, gint64 cell, const char *const *but)
{
  gsize n_axes = 0;
  const CuredResultAxis *axes = cured_result_get_axes (result, &n_axes);
  g_autofree gsize *positions = g_new0 (gsize, n_axes);

  cured_result_get_positions (result, cell, positions);
  for (gsize i = 0; i < n_axes; i++)
    {
      gint64 value = cured_axis_get_value (axes[i].values, positions[i]);

      if (but != NULL && g_strv_contains (but, axes[i].name))
        continue;
      cured_cli_json ("$:", axes[i].name);
      add_value (result, axes[i].values, value);
    }
}

/* Adds an object with the values of all parameters; null if there is no such cell. */
void
cured_cli_json_add_cell (CuredResult *result, gint64 cell)
{
  cured_cli_json_put (cell >= 0 ? "{" : "~");
  if (cell < 0)
    return;
  cured_cli_json_add_values (result, cell, NULL);
  cured_cli_json_put ("}");
}
