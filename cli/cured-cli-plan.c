/* SPDX-License-Identifier: MIT
 * Prints a plan without running it. */
#include <glib/gi18n.h>

#include "cured-cli-progress.h"
#include "cured-cli.h"

/* Limits of the cells that --dry-run prints without --verbose, and of the groups of reasons that it
 * always prints. */
#define MAX_DRY_CELLS   10
#define MAX_DRY_REASONS 10

typedef struct
{
  const char *reason; /* owned by the plan */
  gint64 first, count;
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

static void
print_reasons (CuredPlan *plan)
{
  g_autoptr (GArray) reasons = collect_reasons (plan);

  if (reasons->len > 0)
    g_print (_ ("Not launchable:\n"));
  cured_cli_json_put ("reasons[");
  for (guint i = 0; i < reasons->len; i++)
    {
      const Reason *reason = &g_array_index (reasons, Reason, i);

      cured_cli_json ("{reason cells}", reason->reason, reason->count);
      if (i < MAX_DRY_REASONS)
        /* Translators: how many cells can't be launched, why, and the first of them. */
        g_print (_ ("  %s × %s, first %s\n"), cured_cli_count (reason->count), reason->reason,
                 cured_cli_lend (cured_plan_describe_cell (plan, reason->first)));
    }
  cured_cli_json_put ("]");
  if (reasons->len > MAX_DRY_REASONS)
    g_print (ngettext ("  … and %u more reason\n", "  … and %u more reasons\n",
                       reasons->len - MAX_DRY_REASONS),
             reasons->len - MAX_DRY_REASONS);
}

/* The first cells that run; in JSON, all of them or none. */
static void
print_order (CuredPlan *plan, gboolean all)
{
  const CuredKernel *kernel = cured_spec_get_kernel (cured_plan_get_spec (plan));
  g_autofree gint64 *values = g_new0 (gint64, kernel->n_parameters + 1);
  gint64 n_launchable = cured_plan_get_n_launchable (plan);
  gint64 n_shown = all ? n_launchable : MIN (n_launchable, MAX_DRY_CELLS);

  if (n_shown > 0)
    g_print (_ ("In this order:\n"));
  cured_cli_json_put (all ? "order[" : "");
  for (gint64 i = 0; i < n_shown; i++)
    {
      gint64 cell = cured_plan_get_ordered (plan, i);

      g_print ("  %s\n", cured_cli_lend (cured_plan_describe_cell (plan, cell)));
      cured_plan_get_values (plan, cell, values);
      cured_cli_json_put (all ? "{" : "");
      for (gsize j = 0; j < kernel->n_parameters && all; j++)
        cured_cli_json ("$", kernel->parameters[j].name, values[j]);
      cured_cli_json_put (all ? "}" : "");
    }
  cured_cli_json_put (all ? "]" : "");
  if (n_shown < n_launchable)
    /* Translators: cells that are run after those above. */
    g_print (ngettext ("  … and %s more (--verbose prints it)\n",
                       "  … and %s more (--verbose prints them)\n",
                       (gulong) (n_launchable - n_shown)),
             cured_cli_count (n_launchable - n_shown));
}

/* Prints the cells that a run would measure, and why it leaves others out. */
void
cured_cli_print_plan (CuredPlan *plan, CuredDevice *on, gboolean all)
{
  const CuredDeviceInfo *device = on != NULL ? cured_device_get_info (on) : NULL;
  CuredSpec *spec = cured_plan_get_spec (plan);
  CuredKernel *kernel = cured_spec_get_kernel (spec);
  gint64 n_cells = cured_plan_get_n_cells (plan);
  gint64 n_launchable = cured_plan_get_n_launchable (plan);
  gint64 n_left_out = cured_plan_get_n_left_out (plan);
  CuredEstimate estimate = { CURED_ESTIMATE_NONE, CURED_MISSING, CURED_MISSING };

  if (device != NULL)
    cured_estimate_sweep (plan, device, NULL, NULL, &estimate);
  cured_cli_json ("{kernel device cells launchable estimate_s estimate_by left_out", kernel->id,
                  device != NULL ? device->name : NULL, n_cells, n_launchable, estimate.sweep_s,
                  cured_estimate_basis_to_string (estimate.basis), n_left_out);
  if (device != NULL)
    /* Translators: a kernel, a device's name and its id. */
    g_print (_ ("%s on %s (%s)\n"), kernel->id, device->name, device->id);
  else
    g_print (_ ("%s, without a device: no limit rules out a cell\n"), kernel->id);
  for (gsize i = 0; i < kernel->n_parameters; i++)
    g_print ("  %s=%s\n", kernel->parameters[i].name,
             cured_cli_lend (cured_axis_to_string (cured_spec_get_axis (spec, i))));
  g_print (
      ngettext ("%s cell, %s launchable\n", "%s cells, %s of them launchable\n", (gulong) n_cells),
      cured_cli_count (n_cells), cured_cli_count (n_launchable));
  if (n_left_out > 0)
    /* Translators: how many cells, and a condition. */
    g_print (_ ("%s left out, which do not meet %s\n"), cured_cli_count (n_left_out),
             cured_spec_get_options (spec)->where);
  if (device != NULL && n_launchable > 0)
    /* Translators: how long a sweep will take. */
    g_print (_ ("Time: %s\n"), cured_cli_lend (cured_estimate_describe (&estimate, NULL)));
  print_reasons (plan);
  print_order (plan, all);
  cured_cli_json_put ("}");
}
