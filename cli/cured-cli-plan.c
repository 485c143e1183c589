/* SPDX-License-Identifier: MIT
 * A plan before it runs: what a sweep would do. */
#include "config.h"

#include <glib/gi18n.h>

#include "cured-cli-progress.h"
#include "cured-cli.h"

/* Cells of a plan that --dry-run prints where --verbose is not given, and groups of reasons that it
 * prints at all. */
#define MAX_DRY_CELLS   10
#define MAX_DRY_REASONS 10

typedef struct
{
  const char *reason; /* of the plan */
  gint64 first;
  gint64 count;
} Reason;

static int
compare_reason (gconstpointer a, gconstpointer b)
{
  const Reason *reason_a = a;
  const Reason *reason_b = b;

  if (reason_a->count != reason_b->count)
    return reason_a->count < reason_b->count ? 1 : -1;
  return (reason_a->first > reason_b->first) - (reason_a->first < reason_b->first);
}

/* Why cells can't be launched, the most frequent reason first. */
static GArray *
collect_reasons (CuredPlan *plan)
{
  g_autoptr (GHashTable) indices = g_hash_table_new (g_str_hash, g_str_equal);
  GArray *reasons = g_array_new (FALSE, FALSE, sizeof (Reason));
  gint64 n_cells = cured_plan_get_n_cells (plan);

  for (gint64 i = 0; i < n_cells; i++)
    {
      const char *reason = cured_plan_get_reason (plan, i);
      gpointer index = NULL;

      if (reason == NULL)
        continue;
      if (g_hash_table_lookup_extended (indices, reason, NULL, &index))
        g_array_index (reasons, Reason, GPOINTER_TO_UINT (index)).count++;
      else
        {
          Reason row = { reason, i, 1 };

          g_hash_table_insert (indices, (gpointer) reason, GUINT_TO_POINTER (reasons->len));
          g_array_append_val (reasons, row);
        }
    }
  g_array_sort (reasons, compare_reason);
  return reasons;
}

/* Prints what a run would do, and why it leaves cells out. */
void
cured_cli_print_plan (CuredPlan *plan, CuredDevice *on, gboolean all)
{
  const CuredDeviceInfo *device = on != NULL ? cured_device_get_info (on) : NULL;
  CuredSpec *spec = cured_plan_get_spec (plan);
  CuredKernel *kernel = cured_spec_get_kernel (spec);
  const CuredParameter *parameters = kernel->parameters;
  gsize n_parameters = kernel->n_parameters;
  gint64 n_launchable = cured_plan_get_n_launchable (plan);
  gint64 n_shown = all ? n_launchable : MIN (n_launchable, MAX_DRY_CELLS);
  g_autoptr (GArray) reasons = collect_reasons (plan);
  g_autofree char *cells = cured_format_count (cured_plan_get_n_cells (plan));
  g_autofree char *launchable = cured_format_count (n_launchable);

  if (device != NULL)
    /* Translators: a kernel, a device's name and its id. */
    g_print (_ ("%s on %s (%s)\n"), kernel->id, device->name, device->id);
  else
    g_print (_ ("%s, without a device: no limit rules out a cell\n"), kernel->id);
  for (gsize i = 0; i < n_parameters; i++)
    {
      g_autofree char *values = cured_axis_to_string (cured_spec_get_axis (spec, i));

      g_print ("  %s=%s\n", parameters[i].name, values);
    }
  g_print (ngettext ("%s cell, %s launchable\n", "%s cells, %s of them launchable\n",
                     (gulong) cured_plan_get_n_cells (plan)),
           cells, launchable);
  if (cured_plan_get_n_left_out (plan) > 0)
    {
      g_autofree char *left_out = cured_format_count (cured_plan_get_n_left_out (plan));

      /* Translators: how many cells, and a condition. */
      g_print (_ ("%s left out, which do not meet %s\n"), left_out,
               cured_spec_get_options (spec)->where);
    }
  if (device != NULL && n_launchable > 0)
    {
      CuredEstimate estimate;

      cured_estimate_sweep (plan, device, NULL, NULL, &estimate);
      g_autofree char *duration = cured_estimate_describe (&estimate, NULL);
      /* Translators: how long a sweep will take. */
      g_print (_ ("Time: %s\n"), duration);
    }

  if (reasons->len > 0)
    g_print (_ ("Not launchable:\n"));
  for (guint i = 0; i < MIN (reasons->len, MAX_DRY_REASONS); i++)
    {
      const Reason *reason = &g_array_index (reasons, Reason, i);
      g_autofree char *count = cured_format_count (reason->count);
      g_autofree char *where = cured_plan_describe_cell (plan, reason->first);

      /* Translators: how many cells can't be launched, why, and the first of them. */
      g_print (_ ("  %s × %s, first %s\n"), count, reason->reason, where);
    }
  if (reasons->len > MAX_DRY_REASONS)
    g_print (ngettext ("  … and %u more reason\n", "  … and %u more reasons\n",
                       reasons->len - MAX_DRY_REASONS),
             reasons->len - MAX_DRY_REASONS);

  if (n_shown > 0)
    g_print (_ ("In this order:\n"));
  for (gint64 i = 0; i < n_shown; i++)
    {
      g_autofree char *where = cured_plan_describe_cell (plan, cured_plan_get_ordered (plan, i));

      g_print ("  %s\n", where);
    }
  if (n_shown < n_launchable)
    {
      g_autofree char *more = cured_format_count (n_launchable - n_shown);

      /* Translators: cells that are run after those above. */
      g_print (ngettext ("  … and %s more (--verbose prints it)\n",
                         "  … and %s more (--verbose prints them)\n",
                         (gulong) (n_launchable - n_shown)),
               more);
    }
}

/* As cured_cli_print_plan(), for programs. */
void
cured_cli_print_plan_json (CuredPlan *plan, CuredDevice *on, gboolean all)
{
  const CuredDeviceInfo *device = on != NULL ? cured_device_get_info (on) : NULL;
  CuredKernel *kernel = cured_spec_get_kernel (cured_plan_get_spec (plan));
  const CuredParameter *parameters = kernel->parameters;
  gsize n_parameters = kernel->n_parameters;
  g_autofree gint64 *values = g_new0 (gint64, n_parameters);
  gint64 n_launchable = cured_plan_get_n_launchable (plan);
  g_autoptr (GArray) reasons = collect_reasons (plan);
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  CuredEstimate estimate = { CURED_ESTIMATE_NONE, CURED_MISSING, CURED_MISSING };

  if (device != NULL)
    cured_estimate_sweep (plan, device, NULL, NULL, &estimate);
  cured_cli_json (builder,
                  "{kernel device cells launchable estimate_s estimate_by left_out reasons[",
                  kernel->id, device != NULL ? device->name : NULL, cured_plan_get_n_cells (plan),
                  n_launchable, estimate.sweep_s, cured_estimate_basis_to_string (estimate.basis),
                  cured_plan_get_n_left_out (plan));
  for (guint i = 0; i < reasons->len; i++)
    {
      const Reason *reason = &g_array_index (reasons, Reason, i);

      cured_cli_json (builder, "{reason cells}", reason->reason, reason->count);
    }
  cured_cli_json_put (builder, "]");
  if (all)
    {
      cured_cli_json_put (builder, "order[");
      for (gint64 i = 0; i < n_launchable; i++)
        {
          cured_plan_get_values (plan, cured_plan_get_ordered (plan, i), values);
          cured_cli_json_put (builder, "{");
          for (gsize j = 0; j < n_parameters; j++)
            cured_cli_json_int (builder, parameters[j].name, values[j]);
          cured_cli_json_put (builder, "}");
        }
      cured_cli_json_put (builder, "]");
    }
  cured_cli_json_put (builder, "}");
  cured_cli_print_json (builder);
}
