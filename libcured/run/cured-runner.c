/* SPDX-License-Identifier: MIT
 * Runs a plan on devices into a result file. */
#include "run/cured-runner-private.h"

#include "base/cured-base-internal.h"
#include "measure/cured-measure-internal.h"
#include "run/cured-search-internal.h"
#include "store/cured-store-internal.h"
#include "worker/cured-worker-internal.h"

/* Number of cells announced ahead to a device, so that it compiles them. */
#define LOOK_AHEAD 16

/* From this share on, throttled samples are mentioned. */
#define THROTTLED_MOST 0.1

G_DEFINE_FINAL_TYPE (CuredRunner, cured_runner, G_TYPE_OBJECT)

enum
{
  CELL_FINISHED,
  DEVICE_FAILED,
  FINISHED,
  N_SIGNALS,
};

static guint signals[N_SIGNALS];

/* An event for the listening thread. */
typedef struct
{
  GWeakRef *runner; /* an atomic box, shared by all events of a run */
  guint signal;
  gint64 cell;
  CuredOutcome *outcome;
  CuredDevice *device;
  GError *error;
} Event;

static void
seat_free (gpointer data)
{
  Seat *self = data;

  g_hash_table_unref (self->announced);
  g_hash_table_unref (self->measured);
  g_clear_error (&self->error);
  g_free (self);
}

/* -- Signals -- */

static void
weak_ref_clear (gpointer data)
{
  g_weak_ref_clear (data);
}

static void
weak_ref_release (GWeakRef *weak)
{
  g_atomic_rc_box_release_full (weak, weak_ref_clear);
}

static void
event_free (gpointer data)
{
  Event *self = data;

  weak_ref_release (self->runner);
  g_clear_pointer (&self->outcome, cured_outcome_free);
  g_clear_error (&self->error);
  g_free (self);
}

static void
join_threads (CuredRunner *self)
{
  if (self->thread != NULL)
    g_thread_join (g_steal_pointer (&self->thread));
}

static gboolean
event_cb (gpointer user_data)
{
  Event *event = user_data;
  g_autoptr (CuredRunner) self = g_weak_ref_get (event->runner);

  if (self == NULL)
    return G_SOURCE_REMOVE;
  switch (event->signal)
    {
    case CELL_FINISHED:
      g_signal_emit (self, signals[CELL_FINISHED], 0, event->cell, event->outcome);
      break;
    case DEVICE_FAILED:
      g_signal_emit (self, signals[DEVICE_FAILED], 0, event->device, event->error);
      break;
    case FINISHED:
      /* After the threads have ended, a listener may drop the devices. */
      join_threads (self);
      g_mutex_lock (&self->lock);
      self->is_running = FALSE;
      g_mutex_unlock (&self->lock);
      g_signal_emit (self, signals[FINISHED], 0, event->error);
      break;
    default: g_assert_not_reached ();
    }
  return G_SOURCE_REMOVE;
}

static Event *
event_new (CuredRunner *self, guint signal)
{
  Event *event =
      CURED_NEW (Event, .runner = g_atomic_rc_box_acquire (self->weak_self), .signal = signal);

  return event;
}

static void
event_send (Event *event, GMainContext *context)
{
  g_autoptr (GSource) source = g_idle_source_new ();

  /* The same priority for all events, so that no outcome comes after `finished`. */
  g_source_set_priority (source, G_PRIORITY_DEFAULT);
  g_source_set_callback (source, event_cb, event, event_free);
  g_source_attach (source, context);
}

/* -- Cells -- */

static void
stop_with_error (CuredRunner *self, GError *error)
{
  g_mutex_lock (&self->lock);
  if (self->error == NULL)
    self->error = error;
  else
    g_error_free (error);
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->lock);
  g_cancellable_cancel (self->cancellable);
}

/* With the lock held. A search needs more rounds only of the best cell and of those that can't be
 * distinguished from it. */
static void
list_contenders (CuredRunner *self, Place *place)
{
  CuredSearchReport report;
  g_autoptr (GArray) cells = cured_search_list_alike (self->search);

  cured_search_get_report (self->search, &report);
  if (report.best >= 0)
    g_array_prepend_val (cells, report.best);
  for (guint i = 0; i < cells->len; i++)
    {
      gint64 cell = g_array_index (cells, gint64, i);
      Work work = { .cell = (guint32) cell, .round = 1, .is_further = TRUE, .is_counted = TRUE };
      guint n_missing = 0;

      /* Cells that an earlier run visited are in the file. */
      if (!g_hash_table_contains (self->missing, &cell))
        _cured_store_get_missing_rounds (self->store, cell, self->n_rounds, &n_missing, NULL);
      else
        n_missing = GPOINTER_TO_UINT (g_hash_table_lookup (self->missing, &cell));
      if (n_missing == 0)
        continue;
      work.n_missing = (guint16) n_missing;
      self->progress.n_left += n_missing;
      g_array_append_val (place->todo, work);
    }
}

/* With the lock held: takes the first cell to do that the seat's process has not
 * measured. */
static gboolean
take_todo (Place *place, Seat *seat, Work *work)
{
  guint i = MAX (place->position, seat->n_measured);

  /* This remains valid: a cell moved into a gap comes from the front, and new ones are
   * appended. */
  for (; i < place->todo->len; seat->n_measured = ++i)
    {
      Work *found = &g_array_index (place->todo, Work, i);

      if (g_hash_table_contains (seat->measured, GUINT_TO_POINTER (found->cell)))
        continue;
      *work = *found;
      *found = g_array_index (place->todo, Work, place->position);
      place->position++;
      return TRUE;
    }
  return FALSE;
}

/* With the lock held: whether the seat should get a fresh process rather than wait for others to
 * measure the cells that it can't. */
static gboolean
is_stuck (const Place *place)
{
  guint n_left = place->todo->len - place->position;

  return n_left > 0 && (n_left >= place->n_seats || place->n_in_flight == 0);
}

/* The next cell to run, or FALSE if this thread is done. A thread that finds no cell waits while
 * others are in flight, since these may need another round. */
static gboolean
take_cell (CuredRunner *self, Seat *seat, Work *work)
{
  Place *place = &self->places[seat->place];
  gboolean found = FALSE;
  gint64 cell;

  g_mutex_lock (&self->lock);
  while (!found && !(self->is_cancelled || self->is_stopping || self->error != NULL))
    if (self->is_paused)
      g_cond_wait (&self->changed, &self->lock);
    else if (take_todo (place, seat, work))
      found = TRUE;
    else if (is_stuck (place))
      {
        seat->is_worn = TRUE;
        seat->n_measured = 0;
        g_hash_table_remove_all (seat->measured);
      }
    else if (self->search != NULL && !place->is_searched && cured_search_next (self->search, &cell))
      {
        *work = (Work){ .cell = (guint32) cell };
        found = TRUE;
      }
    else if (place->n_in_flight > 0)
      g_cond_wait (&self->changed, &self->lock);
    else if (self->search != NULL && !place->is_searched)
      {
        place->is_searched = TRUE;
        list_contenders (self, place);
        g_cond_broadcast (&self->changed);
      }
    else
      break;
  if (found)
    {
      g_hash_table_add (seat->measured, GUINT_TO_POINTER (work->cell));
      self->progress.round = MAX (self->progress.round, work->round + 1u);
      place->n_in_flight++;
    }
  g_mutex_unlock (&self->lock);
  return found;
}

/* Whether the seat is likely to need another process: @work needs more rounds, or may after this
 * one, or its process has measured the cell appended last. */
static gboolean
foresees_renewal (CuredRunner *self, const Seat *seat, const Work *work)
{
  Place *place = &self->places[seat->place];

  if (work->n_missing > 1 || (work->round > 0 && self->n_rounds == 0))
    return TRUE;
  g_mutex_lock (&self->lock);
  gboolean is_likely =
      self->search != NULL && !place->is_searched
          ? self->n_rounds != 1
          : place->position < place->todo->len &&
                g_hash_table_contains (
                    seat->measured,
                    GUINT_TO_POINTER (
                        g_array_index (place->todo, Work, place->todo->len - 1).cell));
  g_mutex_unlock (&self->lock);
  return is_likely;
}

static void
give_cell_back (CuredRunner *self, const Work *work)
{
  Place *place = &self->places[cured_plan_get_place (self->plan, work->cell)];

  g_mutex_lock (&self->lock);
  g_array_append_vals (place->todo, work, 1);
  place->n_in_flight--;
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->lock);
}

static void
init_job (CuredRunner *self, const Work *work, gint64 *values, CuredJob *job)
{
  CuredSpec *spec = cured_plan_get_spec (self->plan);

  cured_plan_get_values (self->plan, work->cell, values);
  memset (job, 0, sizeof *job);
  job->kernel = cured_spec_get_kernel (spec);
  job->values = values;
  job->options = &self->options[!work->is_further ? 0 : work->is_alike ? 2 : 1];
}

/* A search knows few cells ahead, so each is announced to every device. */
static void
look_ahead_in_search (CuredRunner *self, Seat *seat, gint64 *values)
{
  gint64 cells[LOOK_AHEAD];
  guint n_cells = 0;

  g_mutex_lock (&self->lock);
  while (n_cells < LOOK_AHEAD && cured_search_peek (self->search, n_cells, &cells[n_cells]))
    n_cells++;
  g_mutex_unlock (&self->lock);

  for (guint i = 0; i < n_cells; i++)
    {
      Work work = { .cell = (guint32) cells[i] };
      CuredJob job;

      if (!g_hash_table_add (seat->announced, g_memdup2 (&cells[i], sizeof cells[i])))
        continue;
      init_job (self, &work, values, &job);
      cured_prepare (seat->device, &job);
    }
}

/* Announces cells that this device will run soon. Several devices each compile their share of the
 * next cells, and find those of the others in the cache on disk. */
static void
look_ahead (CuredRunner *self, Seat *seat, gint64 *values)
{
  Place *place = &self->places[seat->place];
  guint n_seats = place->n_seats;
  Work next[LOOK_AHEAD];
  guint n_next = 0;

  g_mutex_lock (&self->lock);
  gboolean is_search = self->search != NULL && !place->is_searched;
  for (guint i = MAX (place->position, seat->n_prepared);
       i < MIN (place->position + LOOK_AHEAD * n_seats, place->todo->len); i++)
    {
      if (i % n_seats == seat->index && n_next < LOOK_AHEAD)
        next[n_next++] = g_array_index (place->todo, Work, i);
      seat->n_prepared = i + 1;
    }
  g_mutex_unlock (&self->lock);

  if (is_search)
    look_ahead_in_search (self, seat, values);
  for (guint i = 0; i < n_next; i++)
    {
      CuredJob job;

      init_job (self, &next[i], values, &job);
      cured_prepare (seat->device, &job);
    }
}

static void
count_cell (CuredRunner *self, const Work *work, const CuredOutcome *outcome, gint64 wall_us)
{
  CuredProgress *progress = &self->progress;
  double time_ns = outcome->metrics[CURED_METRIC_time], wall_ns = (double) wall_us * 1000;
  gint64 cell = work->cell;
  Place *place = &self->places[cured_plan_get_place (self->plan, cell)];
  guint n_missing =
      self->n_rounds == 1 ? 0 : cured_outcome_get_missing_rounds (outcome, self->n_rounds);

  /* A sweep with only hot times has no cold one. */
  if (isnan (time_ns))
    time_ns = outcome->metrics[CURED_METRIC_time_hot];

  g_mutex_lock (&self->lock);
  if (self->search != NULL)
    cured_search_add_outcome (self->search, cell, outcome);
  if (!work->is_counted)
    progress->n_done++;
  else if (outcome->state != CURED_STATE_OK)
    progress->n_states[CURED_STATE_OK]--;
  if (!work->is_counted || outcome->state != CURED_STATE_OK)
    progress->n_states[outcome->state]++;
  progress->n_left -= work->n_missing;
  if (self->search != NULL && !place->is_searched)
    g_hash_table_insert (self->missing, g_memdup2 (&cell, sizeof cell),
                         GUINT_TO_POINTER (n_missing));
  else if (n_missing > 0)
    {
      Work more = { .cell = work->cell,
                    .n_missing = (guint16) MIN (n_missing, G_MAXUINT16),
                    .round = (guint16) (work->round + 1),
                    .is_further = TRUE,
                    .is_alike = work->is_alike || cured_samples_agree (outcome->cold, outcome->hot),
                    .is_counted = TRUE };

      g_array_append_val (place->todo, more);
      progress->n_left += more.n_missing;
    }
  if (outcome->metrics[CURED_METRIC_throttled] >
      THROTTLED_MOST * outcome->metrics[CURED_METRIC_time_samples])
    progress->n_throttled++;
  if (outcome->state == CURED_STATE_OK && !isnan (time_ns) &&
      (cell == progress->best_cell || !(time_ns >= progress->best_ns)))
    {
      progress->best_ns = time_ns;
      progress->best_cell = cell;
    }
  self->pace_ns[self->n_paced++ % PACE_CELLS] = wall_ns;
  self->sum_ns += wall_ns;
  progress->cells_ns += wall_us * 1000;
  place->n_in_flight--;
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->lock);
}

static void
count_start (CuredRunner *self, Seat *seat)
{
  gint64 start_ns = _cured_worker_device_take_start_ns (seat->device);

  g_mutex_lock (&self->lock);
  self->progress.start_ns += start_ns;
  g_mutex_unlock (&self->lock);
}

/* A cell that is not ok in one of its rounds has no time. */
static gboolean
write_cell (CuredRunner *self, const Record *record, GError **error)
{
  const Work *work = &record->work;
  CuredOutcome *outcome = record->outcome;

  if (work->is_further && outcome->state == CURED_STATE_OK)
    return _cured_store_add_round (self->store, work->cell, outcome, record->seat->number, error);
  if (work->is_further && outcome->reason != NULL)
    {
      g_autofree char *reason = g_steal_pointer (&outcome->reason);

      /* Translators: what became of a cell that was ok before. */
      outcome->reason = g_strdup_printf (_ ("%s (in a later round; it was ok before)"), reason);
    }
  return _cured_store_append_from (self->store, work->cell, outcome, record->seat->number, error);
}

CURED_FREE_FUNC (Record, record_free, outcome, cured_outcome_free)

/* With the lock held: waits until the file has all measurements of @seat. */
static void
wait_for_file (CuredRunner *self, Seat *seat)
{
  gint64 began_us = g_get_monotonic_time ();

  while (seat->n_unwritten > 0)
    g_cond_wait (&self->changed, &self->lock);
  self->progress.store_ns += (g_get_monotonic_time () - began_us) * 1000;
}

/* Queues @outcome (transfer full) for writing. A device is at most one cell ahead of the file, so
 * that no more is lost if everything is killed. A search must know a cell before it chooses the
 * next one. */
static void
record_cell (CuredRunner *self, Seat *seat, const Work *work, CuredOutcome *outcome, gint64 wall_us)
{
  Record *record = g_new (Record, 1);
  CuredProgress *progress = &self->progress;
  double n_waits = outcome->metrics[CURED_METRIC_throttle_waits];

  *record = (Record){ *work, seat, outcome, wall_us };
  g_mutex_lock (&self->lock);
  /* The times of this round; the file adds previous ones. */
  for (int i = 0; i < CURED_N_STAGES; i++)
    progress->stage_ns[i] += outcome->stage_ns[i];
  if (n_waits > 0)
    progress->n_waits += (gint64) MIN (n_waits, 1e6);
  wait_for_file (self, seat);
  seat->n_unwritten++;
  g_async_queue_push (self->records, record);
  if (self->search != NULL)
    wait_for_file (self, seat);
  g_mutex_unlock (&self->lock);
}

/* In one transaction: all records that arrived from several devices while the disk was busy. */
static gboolean
write_cells (CuredRunner *self, GPtrArray *records, GError **error)
{
  gboolean is_batch = records->len > 1;

  if (is_batch && !cured_store_begin_batch (self->store, error))
    return FALSE;
  for (guint i = 0; i < records->len; i++)
    if (!write_cell (self, records->pdata[i], error))
      return FALSE;
  return !is_batch || cured_store_end_batch (self->store, error);
}

/* Writes outcomes, then counts them, while the devices continue to measure. */
static gpointer
write_thread (gpointer data)
{
  CuredRunner *self = data;
  gboolean is_over = FALSE;

  while (!is_over)
    {
      g_autoptr (GPtrArray) records = g_ptr_array_new_with_free_func ((GDestroyNotify) record_free);
      g_autoptr (GError) error = NULL;

      for (Record *record = g_async_queue_pop (self->records); record != NULL;
           record = g_async_queue_try_pop (self->records))
        if (record->seat != NULL)
          g_ptr_array_add (records, record);
        else
          {
            is_over = TRUE;
            record_free (record);
          }
      gboolean is_written = write_cells (self, records, &error);
      /* Before a device may continue. */
      if (!is_written)
        stop_with_error (self, g_steal_pointer (&error));
      CURED_EACH_POINTER (Record, record, records)
        {
          if (is_written)
            {
              Event *event = event_new (self, CELL_FINISHED);

              count_cell (self, &record->work, record->outcome, record->wall_us);
              event->cell = record->work.cell;
              event->outcome = g_steal_pointer (&record->outcome);
              event_send (event, self->context);
            }
          else
            give_cell_back (self, &record->work);
          g_mutex_lock (&self->lock);
          record->seat->n_unwritten--;
          g_cond_broadcast (&self->changed);
          g_mutex_unlock (&self->lock);
        }
    }
  return NULL;
}

/* Its next process has not received this one's announcements. */
static void
forget_announced (Seat *seat)
{
  seat->n_prepared = 0;
  g_hash_table_remove_all (seat->announced);
}

/* Measures one cell. Returns FALSE if the device can't be used again. */
static gboolean
run_cell (CuredRunner *self, Seat *seat, const Work *work, gint64 *values)
{
  gint64 cell = work->cell;
  g_autoptr (CuredOutcome) outcome = cured_outcome_new ();
  g_autoptr (GError) error = NULL;
  gint64 began_us = g_get_monotonic_time ();
  CuredJob job;

  init_job (self, work, values, &job);
  g_mutex_lock (&self->lock);
  if (self->ranges != NULL && !work->is_counted && (self->shown < 0 || self->shown == cell))
    {
      self->shown = cell;
      job.ranges = self->ranges;
    }
  g_mutex_unlock (&self->lock);
  gboolean ok = cured_measure (seat->device, &job, outcome, self->cancellable, &error);
  count_start (self, seat);

  /* A lost device in our own process yields an outcome, but can't continue. */
  if (!ok && (!g_error_matches (error, CURED_ERROR, CURED_ERROR_STICKY) ||
              outcome->state == CURED_STATE_NOT_RUN))
    {
      if (!g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
        seat->error = g_steal_pointer (&error);
      give_cell_back (self, work);
      return FALSE;
    }

  gint64 wall_us = g_get_monotonic_time () - began_us;
  seat->n_deaths = outcome->state == CURED_STATE_CRASHED ? seat->n_deaths + 1 : 0;
  if (seat->n_deaths >= CURED_RUNNER_MAX_DEATHS)
    seat->error = g_error_new (
        CURED_ERROR, CURED_ERROR_CRASHED,
        _ ("the worker died %u times in a row with no cell finished in between; the last time: %s"),
        seat->n_deaths, outcome->reason != NULL ? outcome->reason : "?");
  if (outcome->state == CURED_STATE_CRASHED || outcome->state == CURED_STATE_TIMED_OUT)
    forget_announced (seat);
  record_cell (self, seat, work, g_steal_pointer (&outcome), wall_us);

  if (!ok)
    seat->error = g_steal_pointer (&error);
  return seat->error == NULL;
}

/* A map has times of one kind of device, or an axis of kinds: a cell of another kind would be wrong
 * without being noticed. */
static GError *
refuse_mixture (CuredRunner *self, const Seat *seat)
{
  const Seat *first = g_ptr_array_index (self->seats, 0);
  const CuredDeviceInfo *theirs = cured_device_get_info (first->device);
  const CuredDeviceInfo *ours = cured_device_get_info (seat->device);
  gsize place;

  if (self->n_places > 1)
    return cured_plan_find_place (self->plan, ours->name, ours->arch, &place)
               ? NULL
               : g_error_new (CURED_ERROR, CURED_ERROR_INVALID,
                              /* Translators: a device's id, and its name. */
                              _ ("%s is %s, and the sweep is for other ones"), ours->id,
                              ours->name);
  if (g_str_equal (ours->name, theirs->name) && g_str_equal (ours->arch, theirs->arch))
    return NULL;
  return g_error_new (CURED_ERROR, CURED_ERROR_INVALID,
                      /* Translators: a device's id, its name, and the name of other ones. */
                      _ ("%s is %s, and the other devices of this run are %s; run it by itself, "
                         "into a file of its own"),
                      ours->id, ours->name, theirs->name);
}

/* Measures the anchor if it is due. Its errors are ignored, since cells will report them. */
static void
run_anchor (CuredRunner *self, Seat *seat, gboolean is_last, gint64 *values)
{
  gint64 cell = self->places[seat->place].anchor;
  g_autoptr (GError) error = NULL;
  CuredJob job;

  g_mutex_lock (&self->lock);
  gboolean is_wanted = !self->is_cancelled && self->error == NULL;
  g_mutex_unlock (&self->lock);
  if (!is_wanted || self->anchor_s <= 0 || cell < 0 ||
      (!is_last && seat->anchored_us != 0 &&
       (double) (g_get_monotonic_time () - seat->anchored_us) / 1e6 < self->anchor_s))
    return;
  g_autoptr (CuredOutcome) outcome = cured_outcome_new ();
  init_job (self, &(Work){ .cell = (guint32) cell }, values, &job);
  if (!cured_measure (seat->device, &job, outcome, self->cancellable, &error))
    return;
  seat->anchored_us = g_get_monotonic_time ();
  if (!_cured_store_add_anchor (self->store, seat->number, cell, outcome, &error))
    stop_with_error (self, g_steal_pointer (&error));
}

/* Finds the number of the seat's device in the file. */
static GError *
take_seat (CuredRunner *self, Seat *seat)
{
  GError *error = NULL;

  _cured_store_add_device (self->store, cured_device_get_info (seat->device), seat->place,
                           &seat->number, &error);
  return error;
}

static gpointer
seat_thread (gpointer data)
{
  Seat *seat = data;
  CuredRunner *self = seat->runner;
  Work work;
  gsize n_parameters = cured_spec_get_kernel (cured_plan_get_spec (self->plan))->n_parameters;
  g_autofree gint64 *values = g_new0 (gint64, n_parameters + 1);

  /* Time spent before the run does not count. */
  _cured_worker_device_take_start_ns (seat->device);
  seat->error = refuse_mixture (self, seat);
  if (seat->error == NULL)
    seat->error = take_seat (self, seat);
  while (seat->error == NULL && take_cell (self, seat, &work))
    {
      if (seat->is_worn)
        {
          seat->is_worn = FALSE;
          forget_announced (seat);
          cured_device_renew (seat->device);
        }
      if (foresees_renewal (self, seat, &work))
        cured_device_foresee_renewal (seat->device);
      run_anchor (self, seat, FALSE, values);
      look_ahead (self, seat, values);
      if (!run_cell (self, seat, &work, values))
        break;
    }
  /* An idle device needs no last anchor. */
  if (seat->error == NULL && seat->anchored_us != 0)
    run_anchor (self, seat, TRUE, values);
  if (seat->error != NULL)
    {
      Event *event = event_new (self, DEVICE_FAILED);

      event->device = seat->device;
      event->error = g_error_copy (seat->error);
      event_send (event, self->context);
      g_mutex_lock (&self->lock);
      self->progress.n_devices--;
      g_mutex_unlock (&self->lock);
    }
  return NULL;
}

/* -- The run -- */

/* Why a run has unfinished cells although all threads have ended. */
static GError *
explain_end (CuredRunner *self)
{
  g_autofree char *n_done = cured_format_count (self->progress.n_done);
  g_autofree char *n_cells = cured_format_count (self->progress.n_cells);
  const GError *first = NULL;

  if (self->error != NULL)
    return g_error_copy (self->error);
  if (self->is_cancelled || (self->is_stopping && (self->progress.n_left > 0 ||
                                                   self->progress.n_done < self->progress.n_cells)))
    return g_error_new_literal (G_IO_ERROR, G_IO_ERROR_CANCELLED, _ ("The run was cancelled"));
  if (self->progress.n_done >= self->progress.n_cells && self->progress.n_left <= 0)
    return NULL;

  g_autoptr (GString) reasons = g_string_new (NULL);
  CURED_EACH_POINTER (const Seat, seat, self->seats)
    {
      if (seat->error == NULL)
        continue;
      if (first == NULL)
        first = seat->error;
      g_string_append_printf (reasons, "%s%s: %s", reasons->len > 0 ? "; " : "",
                              cured_device_get_info (seat->device)->id, seat->error->message);
    }
  if (first == NULL)
    return g_error_new_literal (CURED_ERROR, CURED_ERROR_NO_DEVICE,
                                _ ("There is no device to run on"));
  if (self->progress.n_done >= self->progress.n_cells)
    return g_error_new (first->domain, first->code,
                        /* Translators: of samples. */
                        _ ("Stopped before the last round, because no device is left: %s"),
                        reasons->str);
  return g_error_new (first->domain, first->code,
                      _ ("Stopped with %s of %s cells done, because no device is left: %s"), n_done,
                      n_cells, reasons->str);
}

static gpointer
run_thread (gpointer data)
{
  CuredRunner *self = data;
  g_autoptr (GPtrArray) threads = g_ptr_array_new ();
  g_autoptr (GError) error = NULL;

  _cured_runner_assign_seats (self);
  _cured_runner_choose_rounds (self);
  if (!_cured_runner_list_cells (self, &error))
    stop_with_error (self, g_steal_pointer (&error));
  GThread *writer = g_thread_try_new ("cured-records", write_thread, self, &error);
  if (writer == NULL)
    stop_with_error (self, g_steal_pointer (&error));
  for (guint i = 0; writer != NULL && i < self->seats->len; i++)
    {
      gpointer seat = g_ptr_array_index (self->seats, i);
      GThread *thread = g_thread_try_new ("cured-cells", seat_thread, seat, NULL);

      if (thread != NULL)
        g_ptr_array_add (threads, thread);
      else
        seat_thread (seat);
    }
  for (guint i = 0; i < threads->len; i++)
    g_thread_join (g_ptr_array_index (threads, i));
  if (writer != NULL)
    {
      g_async_queue_push (self->records, g_new0 (Record, 1));
      g_thread_join (writer);
    }

  g_mutex_lock (&self->lock);
  if (self->search != NULL)
    {
      CuredSearchReport report;

      /* A search may end before its limit of cells. */
      cured_search_get_report (self->search, &report);
      if (report.is_finished)
        self->progress.n_cells = self->progress.n_done;
    }
  error = explain_end (self);
  g_mutex_unlock (&self->lock);
  if (error == NULL && _cured_runner_is_complete (self))
    cured_store_finish (self->store, &error);
  /* A stopped run saves notes about its devices, too, unless the disk is full. */
  _cured_store_write_notes (self->store, error == NULL ? &error : NULL);
  g_mutex_lock (&self->lock);
  self->ended_us = g_get_monotonic_time ();
  g_mutex_unlock (&self->lock);
  Event *event = event_new (self, FINISHED);
  event->error = g_steal_pointer (&error);
  event_send (event, self->context);
  return NULL;
}

static void
cured_runner_dispose (GObject *object)
{
  CuredRunner *self = CURED_RUNNER (object);

  cured_runner_cancel (self);
  join_threads (self);
  self->is_running = FALSE;
  G_OBJECT_CLASS (cured_runner_parent_class)->dispose (object);
}

static void
cured_runner_finalize (GObject *object)
{
  CuredRunner *self = CURED_RUNNER (object);

  CURED_CLEAR (plan, cured_plan_unref, seats, g_ptr_array_unref, context, g_main_context_unref,
               weak_self, weak_ref_release);
  g_clear_object (&self->cancellable);
  CURED_CLEAR (records, g_async_queue_unref, chosen, g_array_unref, part, g_array_unref, ranges,
               g_ptr_array_unref, order, g_array_unref);
  for (gsize i = 0; i < self->n_places; i++)
    g_array_unref (self->places[i].todo);
  for (gsize i = 0; i < G_N_ELEMENTS (self->options); i++)
    cured_options_clear (&self->options[i]);
  g_hash_table_unref (self->missing);
  g_free (self->places);
  g_clear_error (&self->error);
  g_mutex_clear (&self->lock);
  g_cond_clear (&self->changed);
  G_OBJECT_CLASS (cured_runner_parent_class)->finalize (object);
}

static void
cured_runner_class_init (CuredRunnerClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->dispose = cured_runner_dispose;
  object_class->finalize = cured_runner_finalize;

  /* *
   * CuredRunner::cell-finished:
   * @self: the runner
   * @cell: the cell's number
   * @outcome: (type gpointer): a #CuredOutcome, valid during the emission
   *
   * A cell was measured, and is on disk. */
  signals[CELL_FINISHED] =
      g_signal_new ("cell-finished", CURED_TYPE_RUNNER, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                    G_TYPE_NONE, 2, G_TYPE_INT64, G_TYPE_POINTER);
  /**
   * CuredRunner::device-failed:
   * @self: the runner
   * @device: (type gpointer): the #CuredDevice
   * @error: why
   *
   * A device can't run cells any more. The run goes on with the others. */
  signals[DEVICE_FAILED] =
      g_signal_new ("device-failed", CURED_TYPE_RUNNER, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                    G_TYPE_NONE, 2, G_TYPE_POINTER, G_TYPE_ERROR);
  /**
   * CuredRunner::finished:
   * @self: the runner
   * @error: (nullable): why not all cells are done; `G_IO_ERROR_CANCELLED`
   *   after cured_runner_cancel()
   *
   * The run is over and its threads have ended. Every `cell-finished` came before. */
  signals[FINISHED] = g_signal_new ("finished", CURED_TYPE_RUNNER, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                                    NULL, G_TYPE_NONE, 1, G_TYPE_ERROR);
}

static void
cured_runner_init (CuredRunner *self)
{
  self->seats = g_ptr_array_new_with_free_func (seat_free);
  self->cancellable = g_cancellable_new ();
  self->records = g_async_queue_new ();
  g_mutex_init (&self->lock);
  g_cond_init (&self->changed);
  self->progress.best_cell = -1;
  self->progress.best_ns = CURED_MISSING;
  self->progress.eta_ns = -1;
  self->progress.round = 1;
  self->missing = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
}

/* @plan: the cells
 * @store: (transfer none): the file made for @plan; must outlive the runner
 * Returns: (transfer full): a runner with no device, for one run */
CuredRunner *
cured_runner_new (CuredPlan *plan, CuredStore *store)
{
  g_return_val_if_fail (plan != NULL && store != NULL, NULL);

  CuredRunner *self = g_object_new (CURED_TYPE_RUNNER, NULL);
  self->plan = cured_plan_ref (plan);
  self->store = store;
  self->progress.n_cells = cured_plan_get_n_launchable (plan);
  self->progress.n_left = self->progress.n_cells;
  self->n_places = cured_plan_get_n_places (plan);
  self->places = g_new0 (Place, self->n_places);
  for (gsize i = 0; i < self->n_places; i++)
    {
      self->places[i].todo = g_array_new (FALSE, FALSE, sizeof (Work));
      self->places[i].anchor = -1;
    }
  return self;
}

/* @self: a runner that was not started
 * @device: (transfer none): measures cells in a thread of its own from cured_runner_start() to
 *   `finished`, and must not be used otherwise meanwhile. A device without a place in the plan
 *   fails at once; if the plan has only one place, this means a device of another name than the
 *   first */
void
cured_runner_add_device (CuredRunner *self, CuredDevice *device)
{
  g_return_if_fail (CURED_IS_RUNNER (self) && device != NULL && self->context == NULL);

  Seat *seat =
      CURED_NEW (Seat, .runner = self, .device = device,
                 .announced = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL),
                 .measured = g_hash_table_new (NULL, NULL));
  g_ptr_array_add (self->seats, seat);
}

/* @self: a runner that was not started
 * @search: (transfer none): a search of the runner's plan, which knows the cells in the file; must
 *   not be used otherwise from cured_runner_start() to `finished`
 *
 * Makes the runner run only the cells of @search. The file is not marked as finished at the end: a
 * later run may add cells. */
void
cured_runner_set_search (CuredRunner *self, CuredSearch *search)
{
  g_return_if_fail (CURED_IS_RUNNER (self) && self->context == NULL);

  self->search = search;
}

/* @self: a runner that was not started
 * @cells: (array length=n_cells): numbers of cells of the plan
 *
 * Makes the runner run only these cells, whether the file has them or not; those that can't be
 * launched are left out. A cell in the file is kept until the new outcome replaces it
 * atomically. */
void
cured_runner_set_cells (CuredRunner *self, const gint64 *cells, gsize n_cells)
{
  g_return_if_fail (CURED_IS_RUNNER (self) && self->context == NULL &&
                    n_cells <= CURED_PLAN_MAX_CELLS);

  g_clear_pointer (&self->chosen, g_array_unref);
  self->chosen = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_array_append_vals (self->chosen, cells, (guint) n_cells);
}

/* @self: a runner that was not started
 * @cells: (array length=n_cells): numbers of cells of the plan
 *
 * Makes the runner leave out all other cells, as for cured_shard_cells(). Cells in the file are not
 * run again. */
void
cured_runner_set_part (CuredRunner *self, const gint64 *cells, gsize n_cells)
{
  g_return_if_fail (CURED_IS_RUNNER (self) && self->context == NULL &&
                    n_cells <= CURED_PLAN_MAX_CELLS);

  g_clear_pointer (&self->part, g_array_unref);
  self->part = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_array_append_vals (self->part, cells, (guint) n_cells);
}

/* @self: a runner that was not started
 * @ranges: (element-type CuredRange): ranges of the kernel's buffers
 * @cell: number of a cell of the plan; -1: the first that runs
 *
 * Adds excerpts of buffers to the outcome of one cell that `cell-finished` passes. There are none
 * if the cell is not run, or its kernel does not end. */
void
cured_runner_show (CuredRunner *self, GPtrArray *ranges, gint64 cell)
{
  g_return_if_fail (CURED_IS_RUNNER (self) && self->context == NULL && ranges != NULL);

  g_clear_pointer (&self->ranges, g_ptr_array_unref);
  self->ranges = g_ptr_array_ref (ranges);
  self->shown = cell;
}

/* @self: a runner that was not started
 * @cells: (array length=n_cells): all cells of the plan that can be launched, each once, as from
 *   cured_forecast_order()
 *
 * Makes the runner take the cells in this order instead of the plan's; each place takes its own
 * cells. A search has its own order. */
void
cured_runner_set_order (CuredRunner *self, const gint64 *cells, gsize n_cells)
{
  g_return_if_fail (CURED_IS_RUNNER (self) && self->context == NULL &&
                    (gint64) n_cells == cured_plan_get_n_launchable (self->plan));

  g_clear_pointer (&self->order, g_array_unref);
  self->order = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_array_append_vals (self->order, cells, (guint) n_cells);
}

/* @self: a runner that was not started
 * @interval_s: seconds between two measurements; 0: none
 *
 * Makes each device measure an anchor cell, the same on all devices of a kind, at its start, at its
 * end and every @interval_s between, to note devices of one name that differ, or that drift, in the
 * file. */
void
cured_runner_set_anchors (CuredRunner *self, double interval_s)
{
  g_return_if_fail (CURED_IS_RUNNER (self) && self->context == NULL && interval_s >= 0);

  self->anchor_s = interval_s;
}

/* @self: a runner that was not started
 *
 * Runs the cells that the file lacks, and missing rounds of others. A cell in the file with any
 * other state than ok is finished, unless cured_runner_set_cells() names it. The output is checked
 * in a cell's first round. Does not block; signals arrive on the thread-default main context of the
 * calling thread. No signal needs a listener: dropping the last reference cancels the run and waits
 * for its threads. */
void
cured_runner_start (CuredRunner *self)
{
  GError *error = NULL;

  g_return_if_fail (CURED_IS_RUNNER (self) && self->context == NULL);

  self->context = g_main_context_ref_thread_default ();
  self->weak_self = g_atomic_rc_box_new0 (GWeakRef);
  g_weak_ref_init (self->weak_self, self);
  self->is_running = TRUE;
  self->progress.n_devices = self->seats->len;
  self->began_us = g_get_monotonic_time ();
  self->thread = g_thread_try_new ("cured-run", run_thread, self, &error);
  if (self->thread == NULL)
    {
      Event *event = event_new (self, FINISHED);

      event->error = error;
      event_send (event, self->context);
    }
}

/* Ends the run within a second; the cells in flight stay not run. Any thread may call it, any
 * number of times. `finished` follows. */
void
cured_runner_cancel (CuredRunner *self)
{
  g_return_if_fail (CURED_IS_RUNNER (self));

  g_mutex_lock (&self->lock);
  self->is_cancelled = TRUE;
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->lock);
  g_cancellable_cancel (self->cancellable);
}

/* Begins no further cell. The cells in flight are finished and written; a caller that can't wait
 * for them calls cured_runner_cancel(). Any thread may call it, any number of times. `finished`
 * follows. */
void
cured_runner_stop (CuredRunner *self)
{
  g_return_if_fail (CURED_IS_RUNNER (self));

  g_mutex_lock (&self->lock);
  self->is_stopping = TRUE;
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->lock);
}

/* @paused: whether to begin no further cell
 *
 * The cells in flight are finished first. Any thread may call it. */
void
cured_runner_set_paused (CuredRunner *self, gboolean paused)
{
  g_return_if_fail (CURED_IS_RUNNER (self));

  g_mutex_lock (&self->lock);
  self->is_paused = paused;
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->lock);
}

/* TRUE from cured_runner_start() until `finished` is emitted. */
gboolean
cured_runner_is_running (CuredRunner *self)
{
  g_return_val_if_fail (CURED_IS_RUNNER (self), FALSE);

  g_mutex_lock (&self->lock);
  gboolean is_running = self->is_running;
  g_mutex_unlock (&self->lock);
  return is_running;
}

/* With the lock held. The length of a search is unknown. */
static gint64
count_left (CuredRunner *self)
{
  const CuredProgress *progress = &self->progress;

  return progress->n_left + (self->search != NULL ? progress->n_cells - progress->n_done : 0);
}

/* With the lock held. The pace is the mean of the whole run's and that of the last cells, so that
 * neither one slow cell nor a slow start dominates. */
static gint64
estimate_rest_ns (CuredRunner *self)
{
  gint64 n_left = count_left (self), n_recent = MIN (self->n_paced, PACE_CELLS);
  double recent_ns = 0;

  if (n_left <= 0)
    return 0;
  if (n_recent == 0)
    return -1;
  for (gint64 i = 0; i < n_recent; i++)
    recent_ns += self->pace_ns[i];
  double pace_ns =
      0.5 * recent_ns / (double) n_recent + 0.5 * self->sum_ns / (double) self->n_paced;
  return (gint64) (pace_ns * (double) n_left / (double) MAX (self->progress.n_devices, 1));
}

/* @progress: (out caller-allocates): the current progress
 *
 * Any thread may call it. `n_cells` is an upper bound until the first cell is finished: cells in
 * the file are looked up in the background. */
void
cured_runner_get_progress (CuredRunner *self, CuredProgress *progress)
{
  gint64 now_us;

  g_return_if_fail (CURED_IS_RUNNER (self) && progress != NULL);

  g_mutex_lock (&self->lock);
  *progress = self->progress;
  progress->n_left = count_left (self);
  progress->n_measured = self->n_paced;
  if (self->began_us != 0)
    {
      now_us = self->ended_us != 0 ? self->ended_us : g_get_monotonic_time ();
      progress->elapsed_ns = (now_us - self->began_us) * 1000;
      progress->eta_ns = estimate_rest_ns (self);
    }
  g_mutex_unlock (&self->lock);
}

typedef struct
{
  gboolean is_finished;
  GError *error;
} Waiting;

static void
finished_cb (CuredRunner *self, GError *error, gpointer user_data)
{
  Waiting *waiting = user_data;

  waiting->is_finished = TRUE;
  waiting->error = error != NULL ? g_error_copy (error) : NULL;
}

static void
cancelled_cb (GCancellable *cancellable, gpointer user_data)
{
  cured_runner_cancel (user_data);
}

/* @self: a runner that was not started
 * @cancellable: (nullable): cancels the run
 *
 * Starts the run, once, and blocks until it is over. Signals are emitted meanwhile in the calling
 * thread.
 * Returns: FALSE with @error set if not all cells are done: `G_IO_ERROR_CANCELLED`;
 *   CURED_ERROR_STORAGE or another error of writing the file; CURED_ERROR_CRASHED or another error
 *   of the last device if none is left */
gboolean
cured_runner_run (CuredRunner *self, GCancellable *cancellable, GError **error)
{
  g_autoptr (GMainContext) context = g_main_context_new ();
  Waiting waiting = { 0 };
  gulong cancelled_id = 0;

  g_return_val_if_fail (CURED_IS_RUNNER (self), FALSE);

  /* `finished` would never be emitted. */
  if (self->context != NULL)
    return cured_fail (error, CURED_ERROR_INVALID,
                       _ ("This run was started already; continue its file with another one"));
  g_main_context_push_thread_default (context);
  gulong finished_id = g_signal_connect (self, "finished", G_CALLBACK (finished_cb), &waiting);
  cured_runner_start (self);
  if (cancellable != NULL)
    cancelled_id = g_cancellable_connect (cancellable, G_CALLBACK (cancelled_cb), self, NULL);
  while (!waiting.is_finished)
    g_main_context_iteration (context, TRUE);
  g_cancellable_disconnect (cancellable, cancelled_id);
  g_signal_handler_disconnect (self, finished_id);
  g_main_context_pop_thread_default (context);

  if (waiting.error == NULL)
    return TRUE;
  g_propagate_error (error, waiting.error);
  return FALSE;
}
