/* SPDX-License-Identifier: MIT
 * Recorded cells, and what the model says of them. */
#include "predicted.h"
#include "test.h"

#include <math.h>

#include "base/cured-own.h"

/* Blocks of a launch that are counted besides the first and the last. */
#define N_BLOCKS 2

#define LEAST_CELLS 8

#define TIME_LIMIT_MS (30 * 60 * 1000)

typedef struct
{
  gint64 cell, *values;
  double measured, predicted;
  int registers;
} Cell;

typedef struct
{
  CuredCompiler *compiler;
  CuredResult *result;
  const CuredMachine *machine;
  gint64 traffic_ms;
  FILE *table;
  GMutex lock;
} Prediction;

CURED_CLEAR_FUNC (Cell, clear_cell, values, g_free)

static double
get_metric (CuredResult *result, gint64 cell, const char *id)
{
  gsize metric;

  return cured_result_find_metric (result, id, &metric)
             ? cured_result_get_value (result, cell, metric)
             : NAN;
}

/* Those with a time; at most @max_cells of them, drawn always the same way. */
static GArray *
choose_cells (CuredResult *result, guint max_cells)
{
  gsize n_axes;
  const CuredResultAxis *axes = cured_result_get_axes (result, &n_axes);
  g_autofree gsize *positions = g_new (gsize, n_axes + 1);
  g_autoptr (GRand) random = g_rand_new_with_seed (7);
  GArray *cells = g_array_new (FALSE, TRUE, sizeof (Cell));

  g_array_set_clear_func (cells, clear_cell);
  for (gint64 i = 0; i < cured_result_get_n_cells (result); i++)
    {
      Cell cell = { .cell = i, .measured = get_metric (result, i, "time") };

      if (cured_result_get_state (result, i) != CURED_STATE_OK || !(cell.measured > 0))
        continue;
      cell.registers = (int) fmax (get_metric (result, i, "registers"), 0);
      cell.values = g_new (gint64, n_axes + 1);
      cured_result_get_positions (result, i, positions);
      for (gsize k = 0; k < n_axes; k++)
        cell.values[k] = cured_axis_get_value (axes[k].values, positions[k]);
      g_array_append_val (cells, cell);
    }
  for (guint i = 0; i < cells->len; i++)
    {
      guint k = (guint) g_rand_int_range (random, (int) i, (int) cells->len);
      Cell other = g_array_index (cells, Cell, k);

      g_array_index (cells, Cell, k) = g_array_index (cells, Cell, i);
      g_array_index (cells, Cell, i) = other;
    }
  if (max_cells > 0 && cells->len > max_cells)
    g_array_set_size (cells, max_cells);
  return cells;
}

static void
write_number (FILE *table, const char *name, double value)
{
  if (isnan (value))
    fprintf (table, ",\"%s\":null", name);
  else
    fprintf (table, ",\"%s\":%.9g", name, value);
}

static void
write_terms (FILE *table, const double *terms, int n_terms)
{
  for (int i = 0; i < n_terms; i++)
    write_number (table, cured_term_to_string ((CuredTerm) i), terms[i]);
}

/* All that the formula is made of, so that another one can be tried on it. */
static void
write_launch (FILE *table, const CuredWorkLaunch *launch, const CuredLaunchPrediction *of)
{
  gsize n_fields;
  const CuredWorkField *fields = cured_work_fields (&n_fields);

  fprintf (table, "{\"entry\":\"%s\"", launch->entry);
  write_number (table, "repeats", (double) launch->repeats);
  write_number (table, "blocks", (double) launch->n_blocks);
  write_number (table, "run", (double) launch->n_run);
  write_number (table, "threads", (double) cured_work_launch_count_threads (launch));
  write_number (table, "shared_bytes", (double) launch->shared_bytes);
  write_number (table, "registers", launch->registers);
  write_number (table, "resident", launch->blocks_per_sm);
  write_number (table, "tickets", launch->takes_tickets);
  write_number (table, "steps", launch->steps != NULL ? launch->steps->len : 0);
  write_number (table, "uncertain", launch->uncertain);
  write_number (table, "longest", launch->longest);
  write_number (table, "hottest", launch->hottest);
  write_number (table, "time", of->time_ns);
  write_number (table, "rounds", of->rounds);
  write_number (table, "near", of->near);
  write_number (table, "middle", of->middle);
  write_number (table, "far", of->far);
  write_number (table, "last", of->last);
  write_number (table, "loaded", of->loaded);
  write_number (table, "from_l2", of->from_l2);
  write_number (table, "memory_read", of->memory_read);
  write_number (table, "memory_written", of->memory_written);
  fprintf (table, ",\"terms\":{\"n\":%d", CURED_TERM_LAUNCH);
  write_terms (table, of->terms, CURED_TERM_LAUNCH);
  fprintf (table, "},\"traffic\":{\"known\":%d", !isnan (launch->traffic.l2_read));
  write_number (table, "l1_hits", launch->traffic.l1_hits);
  write_number (table, "l2_read", launch->traffic.l2_read);
  write_number (table, "l2_written", launch->traffic.l2_written);
  write_number (table, "memory_read", launch->traffic.memory_read);
  write_number (table, "memory_written", launch->traffic.memory_written);
  fprintf (table, "},\"work\":{\"n\":%zu", n_fields);
  for (gsize i = 0; i < n_fields; i++)
    write_number (table, fields[i].name, cured_work_get (&launch->total, &fields[i]));
  fprintf (table, "},\"buffers\":[");
  for (guint i = 0; i < launch->buffers->len; i++)
    {
      const CuredWorkBuffer *buffer = g_ptr_array_index (launch->buffers, i);

      fprintf (table, "%s{\"name\":\"%s\"", i > 0 ? "," : "", buffer->name);
      write_number (table, "bytes", buffer->bytes);
      write_number (table, "read", buffer->read);
      write_number (table, "written", buffer->written);
      write_number (table, "once", buffer->once);
      write_number (table, "fresh", buffer->fresh);
      write_number (table, "joined", buffer->joined);
      fprintf (table, "}");
    }
  fprintf (table, "]}");
}

/* One object a line. */
static void
write_cell (FILE *table, CuredResult *result, const Cell *cell, const CuredWorkload *work,
            const CuredMachine *machine, const CuredPrediction *prediction)
{
  g_autoptr (GArray) launches = cured_prediction_list_launches (work, machine);
  gsize n_axes;
  const CuredResultAxis *axes = cured_result_get_axes (result, &n_axes);

  fprintf (table, "{\"kernel\":\"%s\",\"machine\":\"%s\",\"held_by\":\"%s\"",
           cured_result_get_kernel_id (result), machine->id,
           cured_term_to_string (prediction->held_by));
  write_number (table, "cell", (double) cell->cell);
  fprintf (table, ",\"values\":{\"#\":%zu", n_axes);
  for (gsize i = 0; i < n_axes; i++)
    write_number (table, axes[i].name, (double) cell->values[i]);
  fprintf (table, "}");
  write_number (table, "measured", cell->measured);
  write_number (table, "predicted", cell->predicted);
  fprintf (table, ",\"terms\":{\"n\":%d", CURED_N_TERMS);
  write_terms (table, prediction->terms, CURED_N_TERMS);
  fprintf (table, "}");
  write_number (table, "sets", work->n_sets);
  write_number (table, "host_steps", work->n_host_steps);
  fprintf (table, ",\"launches\":[");
  for (guint i = 0; i < launches->len; i++)
    {
      if (i > 0)
        fprintf (table, ",");
      write_launch (table, g_ptr_array_index (work->launches, i),
                    &g_array_index (launches, CuredLaunchPrediction, i));
    }
  fprintf (table, "]}\n");
}

/* Why a launch was cut short; counts of a part of a block represent nothing, and cured predict
 * refuses them, too. */
static const char *
find_end (const CuredWorkload *work)
{
  for (guint i = 0; i < work->launches->len; i++)
    {
      const CuredWorkLaunch *launch = g_ptr_array_index (work->launches, i);

      if (launch->end != NULL)
        return launch->end;
    }
  return NULL;
}

static void
predict_cb (gpointer data, gpointer user_data)
{
  Prediction *self = user_data;
  Cell *cell = data;
  g_autoptr (GError) error = NULL;
  CuredPrediction prediction;
  CuredWorkQuery query;

  cured_work_query_init (&query);
  query.blocks = N_BLOCKS;
  query.registers = cell->registers;
  query.traffic_ms = self->traffic_ms;
  /* Instructions end it, and not what else the machine does. */
  query.time_limit_ms = TIME_LIMIT_MS;
  g_autoptr (CuredWorkload) work =
      cured_workload_count (self->compiler, cured_result_get_kernel (self->result), cell->values,
                            &cured_result_get_device (self->result)->limits, &query, NULL, &error);
  cell->predicted = NAN;
  if (work == NULL || find_end (work) != NULL)
    {
      g_printerr ("# %s, cell %" G_GINT64_FORMAT ": %s\n",
                  cured_result_get_kernel_id (self->result), cell->cell,
                  work == NULL ? error->message : find_end (work));
      return;
    }
  cured_prediction_init (&prediction, work, self->machine);
  cell->predicted = prediction.time_ns;
  if (self->table == NULL)
    return;
  g_mutex_lock (&self->lock);
  write_cell (self->table, self->result, cell, work, self->machine, &prediction);
  g_mutex_unlock (&self->lock);
}

/* Scores up to @max_cells recorded cells (0: all) of a file; writes a JSON object a line and cell
 * to @table (nullable). The cache model is asked where it takes
 * @traffic_ms at most; 0: nowhere, as for cured predict. FALSE: the file has too few cells, or no kernel. */
gboolean
predicted_init (Score *score, const char *path, const CuredMachine *machine, guint max_cells,
                gint64 traffic_ms, FILE *table)
{
  g_autoptr (CuredCompiler) compiler = MUST (cured_compiler_new (&fail));
  Prediction prediction = {
    .compiler = compiler, .machine = machine, .traffic_ms = traffic_ms, .table = table
  };
  guint n = 0;

  g_autoptr (CuredResult) result = MUST (cured_result_load (path, NULL, &fail));
  if (cured_result_get_kernel (result) == NULL)
    return FALSE;
  prediction.result = result;
  g_autoptr (GArray) cells = choose_cells (result, max_cells);
  if (cells->len < LEAST_CELLS)
    return FALSE;
  g_mutex_init (&prediction.lock);
  GThreadPool *pool =
      g_thread_pool_new (predict_cb, &prediction, (int) g_get_num_processors (), FALSE, NULL);
  for (guint i = 0; i < cells->len; i++)
    g_thread_pool_push (pool, &g_array_index (cells, Cell, i), NULL);
  g_thread_pool_free (pool, FALSE, TRUE);
  g_mutex_clear (&prediction.lock);
  g_autofree double *measured = g_new (double, cells->len);
  g_autofree double *predicted = g_new (double, cells->len);
  for (guint i = 0; i < cells->len; i++)
    {
      const Cell *cell = &g_array_index (cells, Cell, i);

      if (isnan (cell->predicted))
        continue;
      measured[n] = cell->measured;
      predicted[n++] = cell->predicted;
    }
  if (n < LEAST_CELLS)
    return FALSE;
  score_init (score, measured, predicted, n);
  return TRUE;
}
