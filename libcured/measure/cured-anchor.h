/* SPDX-License-Identifier: MIT
 * One cell that is measured again and again tells whether devices that should be alike are. */
#pragma once

#include <glib.h>

/* By how much a device is off its peers, or off itself, before it is named. */
#define CURED_ANCHOR_LIMIT 0.01

/* One time of an anchor cell on one device. */
typedef struct
{
  gsize device;   /* index of who measured */
  gint64 cell;    /* which one; anchors of different cells are not compared */
  char *measured; /* when, ISO 8601; NULL where it is not known */
  double time_ns; /* the median */
  double low_ns;  /* lower end of its confidence interval, or NaN */
  double high_ns; /* upper end, or NaN */
} CuredAnchor;

/* What there is to say of a device. */
typedef enum
{
  /* its anchor takes another time than those of devices of the same name */
  CURED_DEVICE_NOTE_OFF_PEERS,
  CURED_DEVICE_NOTE_DRIFT,  /* its anchor takes another time than before */
  CURED_DEVICE_NOTE_SHARED, /* it is a part of a chip, or others use it as well */
} CuredDeviceNoteKind;

typedef struct
{
  gsize device;             /* index of the device */
  CuredDeviceNoteKind kind; /* what it is about */
  /* a ratio less one: of its time and its peers', or of the last time that differs and the first;
   * NaN: none */
  double value;
  char *detail; /* the same in English words */
} CuredDeviceNote;

GArray *cured_anchors_judge (const CuredAnchor *anchors, gsize n_anchors, const char *const *groups,
                             gsize n_devices);
void cured_anchor_clear (gpointer self);
