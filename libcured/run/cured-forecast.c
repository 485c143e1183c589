/* SPDX-License-Identifier: MIT
 * Predicted times of a plan's cells, to order them and to guide searches. */
#include "run/cured-forecast.h"

#include <stdlib.h>

#include "base/cured-base-internal.h"
#include "device/cured-device.h"
#include "device/cured-machine-facts.h"
#include "worker/cured-examiner.h"

/* Limit of processes that predict concurrently. */
#define MOST_PROCESSES 8

/* Predictions are meant to save time: a cell that takes longer is left out. */
#define CELL_LIMIT_S 10.0

/* A kind of device on which cells are measured. */
typedef struct
{
  CuredMachine *machine; /* nullable: no device is for this place */
  char *device;          /* its device's name */
  gboolean is_own;       /* the facts are those of its chip */
} Place;

struct _CuredForecast
{
  CuredPlan *plan;
  double *times; /* (array length=n_grid): ns; NaN: not predicted */
  gint64 n_predicted;
  gint64 n_cells; /* cells that can be launched */
  Place *places;
  gsize n_places;
};

/* State that the threads share. */
typedef struct
{
  CuredForecast *forecast;
  CuredOptions options;
  const gint64 *cells;
  gint64 n_cells;
  gsize place;
  CuredForecastProgressFunc func;
  gpointer user_data;
  GCancellable *cancellable;

  GMutex lock;
  gint64 next;   /* next index in @cells */
  gint64 n_done; /* of all places */
  char *reason;  /* nullable: why the first cell failed that did */
  GError *error; /* nullable: why no cell can be predicted */
} Work;

static gboolean
take_cell (Work *self, gint64 *cell)
{
  g_mutex_lock (&self->lock);
  gboolean is_there = self->error == NULL && self->next < self->n_cells &&
                      !g_cancellable_is_cancelled (self->cancellable);
  if (is_there)
    *cell = self->cells[self->next++];
  g_mutex_unlock (&self->lock);
  return is_there;
}

static void
note_cell (Work *self, gint64 cell, const CuredOutcome *outcome)
{
  CuredForecast *forecast = self->forecast;
  double time_ns =
      outcome->state == CURED_STATE_OK ? outcome->metrics[CURED_METRIC_predicted_time] : NAN;

  g_mutex_lock (&self->lock);
  if (time_ns > 0)
    {
      forecast->times[cell] = time_ns;
      forecast->n_predicted++;
    }
  else if (self->reason == NULL)
    self->reason = g_strdup (outcome->reason);
  self->n_done++;
  if (self->func != NULL)
    self->func (self->n_done, forecast->n_cells, self->user_data);
  g_mutex_unlock (&self->lock);
}

static void
fail_work (Work *self, GError *error)
{
  g_mutex_lock (&self->lock);
  if (self->error == NULL)
    self->error = error;
  else
    g_error_free (error);
  g_mutex_unlock (&self->lock);
}

/* Runs one process of the model until there are no more cells. */
static gpointer
predict_thread (gpointer data)
{
  Work *self = data;
  CuredPlan *plan = self->forecast->plan;
  CuredSpec *spec = cured_plan_get_spec (plan);
  CuredKernel *kernel = cured_spec_get_kernel (spec);
  const Place *place = &self->forecast->places[self->place];
  g_autofree char *id = g_strconcat ("model:", place->machine->id, NULL);
  g_autofree gint64 *values = g_new0 (gint64, kernel->n_parameters + 1);
  GError *error = NULL;
  gint64 cell;
  g_autoptr (CuredDevice) device = cured_device_open_confined (id, &error);

  while (error == NULL && take_cell (self, &cell))
    {
      g_autoptr (CuredOutcome) outcome = cured_outcome_new ();
      CuredJob job = {
        .kernel = kernel,
        .values = values,
        .options = &self->options,
      };

      cured_plan_get_values (plan, cell, values);
      if (cured_measure (device, &job, outcome, self->cancellable, &error))
        note_cell (self, cell, outcome);
    }
  if (error != NULL)
    fail_work (self, error);
  return NULL;
}

/* The place's cells that can be launched, in the plan's order. */
static gint64 *
list_cells (CuredPlan *plan, gsize place, gint64 *n_cells)
{
  gint64 n_launchable = cured_plan_get_n_launchable (plan);
  gint64 *cells = g_new (gint64, n_launchable + 1);

  *n_cells = 0;
  for (gint64 i = 0; i < n_launchable; i++)
    {
      gint64 cell = cured_plan_get_ordered (plan, i);

      if (cured_plan_get_place (plan, cell) == place)
        cells[(*n_cells)++] = cell;
    }
  return cells;
}

static void
predict_place (Work *self, gsize place)
{
  g_autoptr (GPtrArray) threads = g_ptr_array_new ();
  g_autofree gint64 *cells = list_cells (self->forecast->plan, place, &self->n_cells);
  gint64 n_threads = MIN (MIN (g_get_num_processors (), MOST_PROCESSES), self->n_cells);

  self->cells = cells;
  self->next = 0;
  self->place = place;
  for (gint64 i = 0; i < n_threads; i++)
    {
      GThread *thread = g_thread_try_new ("cured-forecast", predict_thread, self, NULL);

      if (thread != NULL)
        g_ptr_array_add (threads, thread);
    }
  if (threads->len == 0)
    predict_thread (self);
  for (guint i = 0; i < threads->len; i++)
    g_thread_join (g_ptr_array_index (threads, i));
}

/* Chooses the machine facts for each place. */
static gboolean
find_machines (CuredForecast *self, const CuredDeviceInfo *const *devices, gsize n_devices,
               GError **error)
{
  for (gsize i = 0; i < n_devices; i++)
    {
      gsize at;

      if (!cured_plan_find_place (self->plan, devices[i]->name, devices[i]->arch, &at) ||
          self->places[at].machine != NULL)
        continue;
      if (g_str_equal (devices[i]->kind, "model"))
        return cured_fail (error, CURED_ERROR_INVALID,
                           _ ("the times of a model are predictions already"));
      Place *place = &self->places[at];
      place->machine = cured_machine_nearest (devices[i], &place->is_own);
      place->device = g_strdup (devices[i]->name);
      if (place->machine != NULL)
        continue;
      return cured_fail (error, CURED_ERROR_NOT_FOUND,
                         _ ("there are no machine facts of %s, nor of any other chip; “cured "
                            "measure-machine” makes them on a GPU"),
                         devices[i]->name);
    }
  return TRUE;
}

static gboolean
predict (CuredForecast *self, CuredForecastProgressFunc func, gpointer user_data,
         GCancellable *cancellable, GError **error)
{
  Work work = {
    .forecast = self,
    .func = func,
    .user_data = user_data,
    .cancellable = cancellable,
  };

  cured_options_copy (cured_spec_get_options (cured_plan_get_spec (self->plan)), &work.options);
  work.options.limit_s = MIN (work.options.limit_s, CELL_LIMIT_S);
  g_mutex_init (&work.lock);
  for (gsize i = 0; i < self->n_places && work.error == NULL; i++)
    if (self->places[i].machine != NULL)
      predict_place (&work, i);
  g_mutex_clear (&work.lock);
  cured_options_clear (&work.options);
  if (g_cancellable_is_cancelled (cancellable))
    {
      g_clear_error (&work.error);
      g_cancellable_set_error_if_cancelled (cancellable, &work.error);
    }
  else if (work.error == NULL && self->n_predicted == 0)
    g_set_error (&work.error, CURED_ERROR, CURED_ERROR_INVALID, _ ("no cell can be predicted: %s"),
                 work.reason != NULL ? work.reason
                                     : _ ("the machine facts lack figures that the model needs"));
  g_free (work.reason);
  if (work.error == NULL)
    return TRUE;
  g_propagate_error (error, work.error);
  return FALSE;
}

/* @plan: cells
 * @devices: (array length=n_devices): devices that will measure them; cells of a place without a
 *   device are not predicted
 * @func: (nullable) (scope call): called after each cell
 *
 * Predicts the times of all cells that can be launched, like the device `model:CHIP`, in confined
 * processes. The machine facts are those of the device's chip, or else of the most similar one,
 * which cured_forecast_describe() names. Blocks.
 * Returns: (transfer full): at least one predicted cell; NULL with `G_IO_ERROR_CANCELLED`,
 *   %CURED_ERROR_NOT_FOUND where there are no machine facts, %CURED_ERROR_INVALID where no cell can
 *   be predicted, or there are more than %CURED_FORECAST_MAX_CELLS, or as from
 *   cured_device_open_confined() */
CuredForecast *
cured_forecast_new (CuredPlan *plan, const CuredDeviceInfo *const *devices, gsize n_devices,
                    CuredForecastProgressFunc func, gpointer user_data, GCancellable *cancellable,
                    GError **error)
{
  g_return_val_if_fail (plan != NULL && devices != NULL, NULL);

  g_autoptr (CuredForecast) self = CURED_NEW (CuredForecast, .plan = cured_plan_ref (plan),
                                              .n_cells = cured_plan_get_n_launchable (plan),
                                              .n_places = cured_plan_get_n_places (plan));
  self->places = g_new0 (Place, self->n_places);
  if (self->n_cells > CURED_FORECAST_MAX_CELLS)
    {
      g_autofree char *count = cured_format_count (self->n_cells);
      g_autofree char *most = cured_format_count (CURED_FORECAST_MAX_CELLS);

      return cured_fail_null (
          error, CURED_ERROR_INVALID,
          _ ("of %s cells at most %s are predicted ahead; fewer values of a parameter "
             "make a smaller sweep"),
          count, most);
    }
  self->times = g_new (double, cured_plan_get_n_cells (plan) + 1);
  for (gint64 i = 0; i < cured_plan_get_n_cells (plan); i++)
    self->times[i] = NAN;
  if (!find_machines (self, devices, n_devices, error) ||
      !predict (self, func, user_data, cancellable, error))
    return NULL;
  return g_steal_pointer (&self);
}

void
cured_forecast_free (CuredForecast *self)
{
  for (gsize i = 0; i < self->n_places; i++)
    {
      g_clear_pointer (&self->places[i].machine, cured_machine_free);
      g_free (self->places[i].device);
    }
  CURED_CLEAR (places, g_free, times, g_free, plan, cured_plan_unref);
  g_free (self);
}

/* Returns: (transfer none): the predicted time of each cell of the plan, in ns; NaN for those that
 *   were not predicted */
CURED_GETTER (const double *, cured_forecast_get_times, const CuredForecast, times)

/* Returns: (transfer full): number of predicted cells, and the chip of the machine facts: a line
 *   for people for each kind of device */
char *
cured_forecast_describe (const CuredForecast *self)
{
  g_autoptr (GString) text = g_string_new (NULL);

  g_return_val_if_fail (self != NULL, NULL);

  for (gsize i = 0; i < self->n_places; i++)
    {
      const Place *place = &self->places[i];

      if (place->machine == NULL)
        continue;
      const char *name = place->machine->name != NULL ? place->machine->name : place->machine->id;
      if (text->len > 0)
        g_string_append_c (text, '\n');
      if (place->is_own)
        /* Translators: a chip. */
        g_string_append_printf (text, _ ("Predicted by the machine facts of %s"), name);
      else
        /* Translators: the chip that is most like a device, and the device. */
        g_string_append_printf (text,
                                _ ("Predicted by the machine facts of %s, as there are none of %s"),
                                name, place->device);
    }
  if (self->n_predicted < self->n_cells)
    {
      g_autofree char *predicted = cured_format_count (self->n_predicted);
      g_autofree char *all = cured_format_count (self->n_cells);

      g_string_append_printf (text,
                              /* Translators: how many cells, of how many. */
                              ngettext ("\n%s of %s cells could be predicted",
                                        "\n%s of %s cells could be predicted",
                                        (gulong) self->n_predicted),
                              predicted, all);
    }
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/* ---- The order ---- */

typedef struct
{
  gint64 cell;
  gint64 position; /* in the plan's order */
  gint64 problem;  /* the first position of the same problem */
  double time_ns;
} Entry;

/* Problems in the plan's order, each by predicted time; unpredicted cells come last. */
static int
compare_entries (gconstpointer a, gconstpointer b)
{
  const Entry *x = a, *y = b;

  if (x->problem != y->problem)
    return x->problem < y->problem ? -1 : 1;
  if (isnan (x->time_ns) != isnan (y->time_ns))
    return isnan (x->time_ns) ? 1 : -1;
  if (!isnan (x->time_ns) && x->time_ns != y->time_ns)
    return x->time_ns < y->time_ns ? -1 : 1;
  return (x->position > y->position) - (x->position < y->position);
}

static gboolean
is_same_problem (CuredPlan *plan, gint64 cell, gint64 other, gint64 *values, gint64 *others)
{
  CuredSpec *spec = cured_plan_get_spec (plan);
  gsize n_parameters = cured_spec_get_kernel (spec)->n_parameters;

  cured_plan_get_values (plan, cell, values);
  cured_plan_get_values (plan, other, others);
  for (gsize i = 0; i < n_parameters; i++)
    if (cured_spec_is_problem (spec, i) && values[i] != others[i])
      return FALSE;
  return cured_plan_get_place (plan, cell) == cured_plan_get_place (plan, other);
}

/* @n_cells: (out): their number
 *
 * The cells that can be launched, the predicted best of a problem first, and those that were not
 * predicted last. Problems keep the plan's order, since their inputs and references are costly to
 * make; a short time of a small problem says nothing of a large one.
 * Returns: (transfer full) (array length=n_cells): numbers of cells, for
 *   cured_runner_set_order() */
gint64 *
cured_forecast_order (const CuredForecast *self, gsize *n_cells)
{
  g_return_val_if_fail (self != NULL && n_cells != NULL, NULL);

  CuredKernel *kernel = cured_spec_get_kernel (cured_plan_get_spec (self->plan));
  g_autofree gint64 *values = g_new0 (gint64, kernel->n_parameters + 1);
  g_autofree gint64 *others = g_new0 (gint64, kernel->n_parameters + 1);
  g_autofree Entry *entries = g_new0 (Entry, self->n_cells + 1);
  gint64 *cells = g_new (gint64, self->n_cells + 1);
  for (gint64 i = 0; i < self->n_cells; i++)
    {
      gint64 cell = cured_plan_get_ordered (self->plan, i);

      entries[i] = (Entry){ cell, i, i, self->times[cell] };
      if (i > 0 && is_same_problem (self->plan, cell, entries[i - 1].cell, values, others))
        entries[i].problem = entries[i - 1].problem;
    }
  qsort (entries, (size_t) self->n_cells, sizeof *entries, compare_entries);
  for (gint64 i = 0; i < self->n_cells; i++)
    cells[i] = entries[i].cell;
  *n_cells = (gsize) self->n_cells;
  return cells;
}
