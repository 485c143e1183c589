/* SPDX-License-Identifier: MIT
 * The work of a run: the places of devices, the number of rounds, and the remaining cells. */
#include "run/cured-runner-private.h"

#include "base/cured-base-internal.h"
#include "measure/cured-measure-internal.h"
#include "store/cured-store-internal.h"

/* Rounds that most cells need if the number of rounds is chosen per cell. */
#define EXPECTED_ROUNDS 2

/* Number of rounds that a new cell is expected to need. */
static guint
get_expected_rounds (const CuredRunner *self)
{
  return self->n_rounds > 0 ? self->n_rounds : EXPECTED_ROUNDS;
}

static GHashTable *
make_set (GArray *cells)
{
  GHashTable *set = g_hash_table_new (g_int64_hash, g_int64_equal);

  for (guint i = 0; i < cells->len; i++)
    g_hash_table_add (set, &g_array_index (cells, gint64, i));
  return set;
}

/* Assigns devices to places. A device without a place fails soon. */
void
_cured_runner_assign_seats (CuredRunner *self)
{
  CURED_EACH_POINTER (Seat, seat, self->seats)
    {
      const CuredDeviceInfo *info = cured_device_get_info (seat->device);

      if (!cured_plan_find_place (self->plan, info->name, info->arch, &seat->place))
        continue;
      seat->index = self->places[seat->place].n_seats++;
    }
}

/* A device that can't get a fresh process, or does not measure time, measures one round. */
void
_cured_runner_choose_rounds (CuredRunner *self)
{
  const CuredOptions *options = cured_spec_get_options (cured_plan_get_spec (self->plan));

  self->n_rounds = options->rounds;
  CURED_EACH_POINTER (const Seat, seat, self->seats)
    if (!cured_device_can_renew (seat->device) || !cured_device_has_time (seat->device))
      self->n_rounds = 1;
  guint n_expected = get_expected_rounds (self);
  for (gsize i = 0; i < G_N_ELEMENTS (self->options); i++)
    {
      CuredOptions *own = &self->options[i];

      cured_options_copy (options, own);
      own->rounds = n_expected;
      /* Limits and precision are per cell: a round gets its share of the time, and may be less
       * precise, as several medians are combined. */
      own->precision *= sqrt (n_expected);
      own->sampling_s /= n_expected;
      own->min_samples = (MAX (options->min_samples, 1) - 1) / n_expected + 1;
      own->max_samples = MAX (options->max_samples / n_expected, own->min_samples);
    }
  /* Checks made in a cell's first round are not repeated. */
  for (gsize i = 1; i < G_N_ELEMENTS (self->options); i++)
    {
      self->options[i].check = FALSE;
      self->options[i].counts = FALSE;
    }
  /* Each of its samples counts for both modes. */
  self->options[2].hot = FALSE;
  self->options[2].min_samples = (self->options[2].min_samples + 1) / 2;
}

/* The work left on a cell. Returns FALSE for nothing, or with @error. */
static gboolean
plan_cell (CuredRunner *self, gint64 cell, gboolean is_chosen, Work *work, GError **error)
{
  guint n_missing = 0;

  *work = (Work){
    .cell = (guint32) cell,
    .n_missing = (guint16) get_expected_rounds (self),
    .is_further = !is_chosen && cured_store_get_state (self->store, cell) != CURED_STATE_NOT_RUN,
  };
  if (!work->is_further)
    return TRUE;
  if (self->n_rounds == 1)
    return FALSE;
  if (!_cured_store_get_missing_rounds (self->store, cell, self->n_rounds, &n_missing, error))
    return FALSE;
  work->n_missing = (guint16) MIN (n_missing, G_MAXUINT16);
  return n_missing > 0;
}

/* Called before there are other threads, for all cells at once: querying the file for each cell
 * would make other threads wait for the disk. FALSE on the first error. */
gboolean
_cured_runner_list_cells (CuredRunner *self, GError **error)
{
  g_autoptr (GError) local_error = NULL;
  gint64 n_launchable = cured_plan_get_n_launchable (self->plan);
  g_autoptr (GHashTable) chosen = self->chosen != NULL ? make_set (self->chosen) : NULL;
  g_autoptr (GHashTable) part = self->part != NULL ? make_set (self->part) : NULL;
  gint64 n_cells = 0, n_left = 0;

  /* The anchor does not depend on the order: it is the same for all runs of the plan. */
  for (gint64 i = 0; i < n_launchable; i++)
    {
      gint64 cell = cured_plan_get_ordered (self->plan, i);
      Place *place = &self->places[cured_plan_get_place (self->plan, cell)];

      if (place->anchor < 0)
        place->anchor = cell;
    }
  for (gint64 i = 0; i < n_launchable; i++)
    {
      gint64 cell = self->order != NULL ? g_array_index (self->order, gint64, i)
                                        : cured_plan_get_ordered (self->plan, i);
      Place *place = &self->places[cured_plan_get_place (self->plan, cell)];
      gboolean is_chosen = chosen != NULL && g_hash_table_contains (chosen, &cell);
      Work work;

      if (self->search == NULL && (place->n_seats > 0 || self->n_places == 1) &&
          (part == NULL || g_hash_table_contains (part, &cell)) && (chosen == NULL || is_chosen) &&
          plan_cell (self, cell, is_chosen, &work, local_error == NULL ? &local_error : NULL))
        {
          g_array_append_val (place->todo, work);
          n_left += work.n_missing;
          n_cells++;
        }
    }
  g_mutex_lock (&self->lock);
  self->progress.n_cells = n_cells;
  self->progress.n_left = n_left;
  if (self->search != NULL)
    {
      CuredSearchReport report;

      cured_search_get_report (self->search, &report);
      self->progress.n_cells = report.n_most - report.n_visited;
    }
  g_mutex_unlock (&self->lock);
  if (local_error == NULL)
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&local_error));
  return FALSE;
}

/* Whether the file has all cells that can run; a run of chosen cells, of a part, or for some
 * devices only does not imply that. */
gboolean
_cured_runner_is_complete (CuredRunner *self)
{
  gint64 n_launchable = cured_plan_get_n_launchable (self->plan);

  if (self->search != NULL)
    return FALSE;
  for (gint64 i = 0; i < n_launchable; i++)
    {
      gint64 cell = cured_plan_get_ordered (self->plan, i);
      guint n_missing = 0;

      if (!_cured_store_get_missing_rounds (self->store, cell, self->n_rounds, &n_missing, NULL) ||
          n_missing > 0)
        return FALSE;
    }
  return TRUE;
}
