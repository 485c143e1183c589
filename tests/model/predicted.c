/* SPDX-License-Identifier: MIT
 * Recorded cells, and what the model says of them. */
#include "predicted.h"

#include <math.h>

/* Blocks of a launch that are counted besides the first and the last. */
#define N_BLOCKS 2

#define LEAST_CELLS 8

typedef struct
{
  gint64 cell;
  gint64 *values;
  double measured;
  double predicted;
  int registers;
} Cell;

typedef struct
{
  CuredCompiler *compiler;
  CuredResult *result;
  const CuredMachine *machine;
  FILE *table;
  GMutex lock;
} Prediction;

static void
clear_cell (gpointer data)
{
  g_free (((Cell *) data)->values);
}

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

      if (cured_result_get_state (result, i) != CURED_STATE_OK ||
          !(cell.measured > 0))
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
predict_cb (gpointer data, gpointer user_data)
{
  Prediction *self = user_data;
  Cell *cell = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (CuredWorkload) work = NULL;
  CuredPrediction prediction;
  CuredWorkQuery query;

  cured_work_query_init (&query);
  query.blocks = N_BLOCKS;
  query.registers = cell->registers;
  work = cured_workload_count (self->compiler,
                               cured_result_get_kernel (self->result),
                               cell->values,
                               &cured_result_get_device (self->result)->limits,
                               &query,
                               NULL,
                               &error);
  cell->predicted = NAN;
  if (work == NULL)
    {
      g_printerr ("# %s, cell %" G_GINT64_FORMAT ": %s\n",
                  cured_result_get_kernel_id (self->result),
                  cell->cell,
                  error->message);
      return;
    }
  cured_prediction_init (&prediction, work, self->machine);
  cell->predicted = prediction.time_ns;
  if (self->table == NULL)
    return;
  g_mutex_lock (&self->lock);
  fprintf (self->table,
           "%s\t%" G_GINT64_FORMAT "\t%.6g\t%.6g\t%s",
           cured_result_get_kernel_id (self->result),
           cell->cell,
           cell->measured,
           cell->predicted,
           cured_term_to_string (prediction.held_by));
  for (int i = 0; i < CURED_N_TERMS; i++)
    fprintf (self->table, "\t%.6g", prediction.terms[i]);
  fprintf (self->table, "\n");
  g_mutex_unlock (&self->lock);
}

/* Scores up to @max_cells recorded cells (0: all) of a file; writes a line a
 * cell to @table (nullable). FALSE: the file has too few cells, or no kernel. */
gboolean
predicted_init (Score *score,
                const char *path,
                const CuredMachine *machine,
                guint max_cells,
                FILE *table)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (CuredCompiler) compiler = cured_compiler_new (&error);
  g_autoptr (CuredResult) result = NULL;
  g_autoptr (GArray) cells = NULL;
  g_autofree double *measured = NULL;
  g_autofree double *predicted = NULL;
  GThreadPool *pool;
  Prediction prediction = { .compiler = compiler,
                            .machine = machine,
                            .table = table };
  guint n = 0;

  g_assert_no_error (error);
  result = cured_result_load (path, NULL, &error);
  g_assert_no_error (error);
  if (cured_result_get_kernel (result) == NULL)
    return FALSE;
  prediction.result = result;
  cells = choose_cells (result, max_cells);
  if (cells->len < LEAST_CELLS)
    return FALSE;
  g_mutex_init (&prediction.lock);
  pool = g_thread_pool_new (
      predict_cb, &prediction, (int) g_get_num_processors (), FALSE, NULL);
  for (guint i = 0; i < cells->len; i++)
    g_thread_pool_push (pool, &g_array_index (cells, Cell, i), NULL);
  g_thread_pool_free (pool, FALSE, TRUE);
  g_mutex_clear (&prediction.lock);
  measured = g_new (double, cells->len);
  predicted = g_new (double, cells->len);
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
