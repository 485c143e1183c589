/* SPDX-License-Identifier: MIT
 * A result's rounds and clock, described for people. */
#include "store/cured-result.h"

#include <glib/gi18n-lib.h>
#include <math.h>

/* From this share on, throttled samples are mentioned. */
#define THROTTLED_MOST 0.1

/* Indices of metrics; G_MAXSIZE: the result lacks it. */
typedef struct
{
  CuredResult *result;
  gsize rounds, samples, hot_samples, throttled, waits;
} Columns;

static gsize
find_column (CuredResult *self, CuredMetric metric)
{
  gsize index = G_MAXSIZE;

  if (cured_result_find_metric (self, cured_metric_info (metric)->id, &index))
    cured_result_load_column (self, index, NULL, NULL);
  return index;
}

static void
columns_init (Columns *self, CuredResult *result)
{
  *self = (Columns){
    .result = result,
    .rounds = find_column (result, CURED_METRIC_rounds),
    .samples = find_column (result, CURED_METRIC_time_samples),
    .hot_samples = find_column (result, CURED_METRIC_time_hot_samples),
    .throttled = find_column (result, CURED_METRIC_throttled),
    .waits = find_column (result, CURED_METRIC_throttle_waits),
  };
}

/* 0 if it is unknown. */
static double
get (const Columns *self, gsize column, gint64 cell)
{
  double value = column != G_MAXSIZE ? cured_result_get_value (self->result, cell, column) : 0;

  return value > 0 ? value : 0;
}

static gboolean
is_timed (const Columns *self, gint64 cell)
{
  return cured_result_get_state (self->result, cell) == CURED_STATE_OK &&
         (get (self, self->samples, cell) > 0 || get (self, self->hot_samples, cell) > 0);
}

static gboolean
is_throttled (const Columns *self, gint64 cell)
{
  return get (self, self->throttled, cell) > THROTTLED_MOST * get (self, self->samples, cell);
}

/* The number of rounds of a timed cell; 1 in files that predate rounds. */
static guint
count_rounds (const Columns *self, gint64 cell)
{
  return (guint) CLAMP (get (self, self->rounds, cell), 1, 1e6);
}

static void
append (GString *text, char *item)
{
  g_string_append_printf (text, "%s%s", text->len > 0 ? "; " : "", item);
  g_free (item);
}

/* Says what the cell's intervals cover, and whether its samples were taken at a low clock.
 * Returns: (transfer full) (nullable): text for people; NULL if Cured did not time the cell */
char *
cured_result_describe_cell_rounds (CuredResult *self, gint64 cell)
{
  g_autoptr (GString) text = g_string_new (NULL);
  Columns columns;

  g_return_val_if_fail (CURED_IS_RESULT (self), NULL);

  columns_init (&columns, self);
  if (cured_result_get_imported (self) != NULL || !is_timed (&columns, cell))
    return NULL;
  guint n = count_rounds (&columns, cell);
  if (n == 1)
    append (text, g_strdup (_ ("One run only: excludes run-to-run variation")));
  else
    append (text, g_strdup_printf (ngettext ("%u round: includes run-to-run variation",
                                             "%u rounds: includes run-to-run variation", n),
                                   n));
  double n_waits = get (&columns, columns.waits, cell);
  if (n_waits > 0)
    append (text, g_strdup_printf (ngettext ("waited %.0f time for the clock",
                                             "waited %.0f times for the clock",
                                             (gulong) MIN (n_waits, 1e6)),
                                   n_waits));
  if (is_throttled (&columns, cell))
    append (text,
            g_strdup_printf (
                /* Translators: numbers of samples. */
                _ ("%.0f of %.0f samples were throttled"), get (&columns, columns.throttled, cell),
                get (&columns, columns.samples, cell)));
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/* As cured_result_describe_cell_rounds(), for all cells.
 * Returns: (transfer full) (nullable): text for people; NULL where Cured timed no cell */
char *
cured_result_describe_rounds (CuredResult *self)
{
  g_autoptr (GString) text = g_string_new (NULL);
  guint least = G_MAXUINT, most = 0, n_single = 0, n_throttled = 0;
  double n_waits = 0;
  Columns columns;

  g_return_val_if_fail (CURED_IS_RESULT (self), NULL);

  if (cured_result_get_imported (self) != NULL)
    return NULL;
  columns_init (&columns, self);
  CURED_EACH_CELL (self, cell)
    {
      if (!is_timed (&columns, cell))
        continue;
      guint n = count_rounds (&columns, cell);
      least = MIN (least, n);
      most = MAX (most, n);
      n_single += n == 1;
      n_throttled += is_throttled (&columns, cell);
      n_waits += get (&columns, columns.waits, cell);
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

/* @note: one of cured_result_get_notes()
 * Returns: (transfer full): a line for people, which names the device */
char *
cured_result_describe_note (CuredResult *self, const CuredDeviceNote *note)
{
  gsize n_devices;

  g_return_val_if_fail (CURED_IS_RESULT (self) && note != NULL, NULL);

  const CuredResultDevice *devices = cured_result_get_devices (self, &n_devices);
  g_return_val_if_fail (note->device < n_devices, NULL);

  const CuredDeviceInfo *info = &devices[note->device].info;
  g_autofree char *who =
      *info->uuid != '\0'
          ? g_strdup_printf ("%s (%s, %s, %s)", info->name, info->id, info->host, info->uuid)
          : g_strdup_printf ("%s (%s, %s)", info->name, info->id, info->host);
  g_autofree char *percent = g_strdup_printf ("%.1f", fabs (note->value) * 100);
  switch (note->kind)
    {
    case CURED_DEVICE_NOTE_OFF_PEERS:
      /* Translators: a device, and a number. */
      return g_strdup_printf (
          note->value > 0
              ? _ ("%s: its anchor cell takes %s %% longer than on devices of the same name")
              : _ ("%s: its anchor cell takes %s %% less time than on devices of the same name"),
          who, percent);
    case CURED_DEVICE_NOTE_DRIFT:
      return g_strdup_printf (note->value > 0
                                  ? _ ("%s: its anchor cell became %s %% slower during the sweep")
                                  : _ ("%s: its anchor cell became %s %% faster during the sweep"),
                              who, percent);
    case CURED_DEVICE_NOTE_SHARED:
      /* Translators: a device, and who else uses it, as “MIG 1g.10gb”. */
      return g_strdup_printf (_ ("%s: a part of a chip, or not alone on it: %s"), who,
                              note->detail);
    default: g_return_val_if_reached (NULL);
    }
}
