/* SPDX-License-Identifier: MIT
 * What a result says of its rounds and of its clock, for people. */
#include "config.h"

#include "store/cured-result.h"

#include <glib/gi18n-lib.h>

/* More than this share of throttled samples is worth a word. */
#define THROTTLED_MOST 0.1

/* What is looked at: NULL where the result has no such figure. */
typedef struct
{
  const guint8 *states;
  const double *rounds;
  const double *samples;
  const double *hot_samples;
  const double *throttled;
  const double *waits;
} Columns;

static const double *
find_column (CuredResult *self, CuredMetric metric)
{
  gsize index;

  return cured_result_find_metric (self, cured_metric_info (metric)->id, &index)
             ? cured_result_get_column (self, index)
             : NULL;
}

static void
columns_init (Columns *self, CuredResult *result)
{
  *self = (Columns){
    .states = cured_result_get_states (result),
    .rounds = find_column (result, CURED_METRIC_rounds),
    .samples = find_column (result, CURED_METRIC_time_samples),
    .hot_samples = find_column (result, CURED_METRIC_time_hot_samples),
    .throttled = find_column (result, CURED_METRIC_throttled),
    .waits = find_column (result, CURED_METRIC_throttle_waits),
  };
}

/* 0 where it is not known. */
static double
get (const double *column, gint64 cell)
{
  return column != NULL && column[cell] > 0 ? column[cell] : 0;
}

static gboolean
is_timed (const Columns *self, gint64 cell)
{
  return self->states[cell] == CURED_STATE_OK &&
         (get (self->samples, cell) > 0 || get (self->hot_samples, cell) > 0);
}

static gboolean
is_throttled (const Columns *self, gint64 cell)
{
  return get (self->throttled, cell) > THROTTLED_MOST * get (self->samples, cell);
}

/* How many rounds a cell that was timed has. Files of before there were rounds have one. */
static guint
count_rounds (const Columns *self, gint64 cell)
{
  return (guint) CLAMP (get (self->rounds, cell), 1, 1e6);
}

static void
append (GString *text, char *item)
{
  g_string_append_printf (text, "%s%s", text->len > 0 ? "; " : "", item);
  g_free (item);
}

/**
 * cured_result_describe_cell_rounds:
 * @self: a result
 * @cell: a cell's number
 *
 * Says what the cell's intervals hold for, and whether its samples were taken at a low clock.
 *
 * Returns: (transfer full) (nullable): text for people; NULL where Cured did not
 *   time the cell
 */
char *
cured_result_describe_cell_rounds (CuredResult *self, gint64 cell)
{
  g_autoptr (GString) text = g_string_new (NULL);
  Columns columns;
  double n_waits;
  guint n;

  g_return_val_if_fail (CURED_IS_RESULT (self), NULL);

  columns_init (&columns, self);
  if (cured_result_get_imported (self) != NULL || !is_timed (&columns, cell))
    return NULL;
  n = count_rounds (&columns, cell);
  if (n == 1)
    append (text, g_strdup (_ ("One run only: excludes run-to-run variation")));
  else
    append (text, g_strdup_printf (ngettext ("%u round: the interval holds between processes",
                                             "%u rounds: the interval holds between processes", n),
                                   n));
  n_waits = get (columns.waits, cell);
  if (n_waits > 0)
    append (text, g_strdup_printf (ngettext ("waited %.0f time for the clock",
                                             "waited %.0f times for the clock",
                                             (gulong) MIN (n_waits, 1e6)),
                                   n_waits));
  if (is_throttled (&columns, cell))
    append (text, g_strdup_printf (
                      /* Translators: numbers of samples. */
                      _ ("%.0f of %.0f samples were throttled"), get (columns.throttled, cell),
                      get (columns.samples, cell)));
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/**
 * cured_result_describe_rounds:
 * @self: a result
 *
 * As cured_result_describe_cell_rounds(), of all cells.
 *
 * Returns: (transfer full) (nullable): text for people; NULL where Cured timed no
 *   cell
 */
char *
cured_result_describe_rounds (CuredResult *self)
{
  g_autoptr (GString) text = g_string_new (NULL);
  guint least = G_MAXUINT;
  guint most = 0;
  guint n_single = 0;
  guint n_throttled = 0;
  double n_waits = 0;
  Columns columns;

  g_return_val_if_fail (CURED_IS_RESULT (self), NULL);

  if (cured_result_get_imported (self) != NULL)
    return NULL;
  columns_init (&columns, self);
  for (gint64 cell = 0; cell < cured_result_get_n_cells (self); cell++)
    {
      guint n;

      if (!is_timed (&columns, cell))
        continue;
      n = count_rounds (&columns, cell);
      least = MIN (least, n);
      most = MAX (most, n);
      n_single += n == 1;
      n_throttled += is_throttled (&columns, cell);
      n_waits += get (columns.waits, cell);
    }
  if (most == 0)
    return NULL;
  if (least == most)
    g_string_append_printf (text, "%u", most);
  else
    /* Translators: the least and the greatest number. */
    g_string_append_printf (text, _ ("%u to %u"), least, most);
  if (n_single > 0)
    append (text, g_strdup_printf (
                      ngettext ("the interval of %u cell excludes run-to-run variation",
                                "the intervals of %u cells exclude run-to-run variation", n_single),
                      n_single));
  if (n_waits > 0)
    append (text, g_strdup_printf (ngettext ("waited %.0f time for the clock",
                                             "waited %.0f times for the clock",
                                             (gulong) MIN (n_waits, 1e6)),
                                   n_waits));
  if (n_throttled > 0)
    append (text, g_strdup_printf (
                      ngettext ("more than a tenth of the samples of %u cell were throttled",
                                "more than a tenth of the samples of %u cells were throttled",
                                n_throttled),
                      n_throttled));
  return g_string_free (g_steal_pointer (&text), FALSE);
}
