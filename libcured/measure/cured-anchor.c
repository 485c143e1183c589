/* SPDX-License-Identifier: MIT
 * Anchors: one cell, measured repeatedly, shows whether devices of one kind are alike. */
#include "measure/cured-anchor.h"

#include <math.h>

#include "base/cured-each-internal.h"
#include "base/cured-median-internal.h"
#include "base/cured-own.h"

/* Implementation notes: a device is compared with the median of its peers, each
 * represented by the median of its own anchors, so that neither an odd device nor an odd
 * anchor affects the others. If two devices differ, either may be the odd one, and both
 * are named. A drift needs two anchors whose intervals do not overlap: a wide interval is
 * noise. */

static gboolean
intervals_meet (const CuredAnchor *a, const CuredAnchor *b)
{
  double a_low = isnan (a->low_ns) ? a->time_ns : a->low_ns;
  double a_high = isnan (a->high_ns) ? a->time_ns : a->high_ns;
  double b_low = isnan (b->low_ns) ? b->time_ns : b->low_ns;
  double b_high = isnan (b->high_ns) ? b->time_ns : b->high_ns;

  return a_low <= b_high && b_low <= a_high;
}

/* The anchors of one device, those of its first cell. */
typedef struct
{
  gint64 cell;
  double median;      /* NaN: none */
  GPtrArray *anchors; /* (element-type CuredAnchor) (nullable) */
} Own;

CURED_CLEAR_FUNC (Own, own_clear, anchors, g_ptr_array_unref)

static GArray *
collect (const CuredAnchor *anchors, gsize n_anchors, gsize n_devices)
{
  GArray *all = g_array_sized_new (FALSE, TRUE, sizeof (Own), (guint) n_devices);

  g_array_set_clear_func (all, own_clear);
  g_array_set_size (all, (guint) n_devices);
  for (gsize i = 0; i < n_anchors; i++)
    {
      if (anchors[i].device >= n_devices)
        continue;
      Own *own = &g_array_index (all, Own, anchors[i].device);
      if (own->anchors == NULL)
        {
          own->anchors = g_ptr_array_new ();
          own->cell = anchors[i].cell;
        }
      if (own->cell == anchors[i].cell)
        g_ptr_array_add (own->anchors, (gpointer) &anchors[i]);
    }
  for (gsize i = 0; i < n_devices; i++)
    {
      Own *own = &g_array_index (all, Own, i);
      g_autoptr (GArray) times = g_array_new (FALSE, FALSE, sizeof (double));

      for (guint j = 0; own->anchors != NULL && j < own->anchors->len; j++)
        {
          const CuredAnchor *anchor = g_ptr_array_index (own->anchors, j);

          g_array_append_val (times, anchor->time_ns);
        }
      own->median = _cured_median ((double *) (void *) times->data, times->len);
    }
  return all;
}

/* The greatest change between two anchors of the device; NaN if there is
 * none. */
static double
find_drift (const Own *own)
{
  const CuredAnchor *least = NULL, *most = NULL;
  double change = NAN;

  CURED_EACH_POINTER (const CuredAnchor, anchor, own->anchors)
    {
      if (least != NULL && !intervals_meet (least, anchor) &&
          !(fabs (anchor->time_ns / least->time_ns - 1) <= fabs (change)))
        change = anchor->time_ns / least->time_ns - 1;
      if (most != NULL && !intervals_meet (most, anchor) &&
          !(fabs (anchor->time_ns / most->time_ns - 1) <= fabs (change)))
        change = anchor->time_ns / most->time_ns - 1;
      if (least == NULL || anchor->time_ns < least->time_ns)
        least = anchor;
      if (most == NULL || anchor->time_ns > most->time_ns)
        most = anchor;
    }
  return change;
}

static void
add_note (GArray *notes, gsize device, CuredDeviceNoteKind kind, double value)
{
  const char *how = value > 0 ? "slower" : "faster";
  CuredDeviceNote note = {
    .device = device,
    .kind = kind,
    .value = value,
    .detail = g_strdup_printf (kind == CURED_DEVICE_NOTE_DRIFT
                                   ? "its anchor became %.1f %% %s"
                                   : "its anchor is %.1f %% %s than its peers'",
                               fabs (value) * 100, how),
  };

  g_array_append_val (notes, note);
}

CURED_CLEAR_FUNC (CuredDeviceNote, note_clear, detail, g_free)

static void
judge_device (GArray *notes, GArray *all, const char *const *groups, gsize device)
{
  const Own *own = &g_array_index (all, Own, device);
  g_autoptr (GArray) peers = g_array_new (FALSE, FALSE, sizeof (double));
  double drift = find_drift (own);

  for (guint i = 0; i < all->len; i++)
    {
      const Own *peer = &g_array_index (all, Own, i);

      if (i != device && peer->anchors != NULL && peer->cell == own->cell &&
          g_str_equal (groups[i], groups[device]))
        g_array_append_val (peers, peer->median);
    }
  if (peers->len > 0)
    {
      double off = own->median / _cured_median ((double *) (void *) peers->data, peers->len) - 1;

      if (fabs (off) > CURED_ANCHOR_LIMIT)
        add_note (notes, device, CURED_DEVICE_NOTE_OFF_PEERS, off);
    }
  if (fabs (drift) > CURED_ANCHOR_LIMIT)
    add_note (notes, device, CURED_DEVICE_NOTE_DRIFT, drift);
}

/* @anchors: (array length=n_anchors): in the order in which they were measured
 * @groups: (array length=n_devices): devices with equal texts should be alike
 *
 * Names the devices whose anchor is more than 1 % off the median of their peers', or whose anchor
 * changed by more than 1 % and more than its confidence interval. If a device has anchors of
 * several cells, only the first cell counts.
 * Returns: (transfer full) (element-type CuredDeviceNote): notes, by device */
GArray *
cured_anchors_judge (const CuredAnchor *anchors, gsize n_anchors, const char *const *groups,
                     gsize n_devices)
{
  GArray *notes = g_array_new (FALSE, TRUE, sizeof (CuredDeviceNote));
  g_autoptr (GArray) all = collect (anchors, n_anchors, n_devices);

  g_array_set_clear_func (notes, note_clear);
  for (gsize device = 0; device < n_devices; device++)
    if (g_array_index (all, Own, device).anchors != NULL)
      judge_device (notes, all, groups, device);
  return notes;
}

/* @self: (type CuredAnchor): an anchor, whose strings are freed */
void
cured_anchor_clear (gpointer self)
{
  g_free (((CuredAnchor *) self)->measured);
}
