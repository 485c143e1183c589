/* SPDX-License-Identifier: MIT
 * Anchors: one cell, measured repeatedly, shows whether devices of one kind are alike. */
#pragma once

#include <glib.h>

/* A device that differs from its peers, or from its earlier times, by more than this part is
 * noted. */
#define CURED_ANCHOR_LIMIT 0.01

/* One time of an anchor cell on one device. */
typedef struct
{
  gsize device;   /* index of the device */
  gint64 cell;    /* number of the cell; anchors of different cells are not compared */
  char *measured; /* date, ISO 8601; NULL if unknown */
  double time_ns; /* the median */
  double low_ns;  /* lower end of its confidence interval, or NaN */
  double high_ns; /* upper end, or NaN */
} CuredAnchor;

/* Kinds of notes on a device. */
typedef enum
{
  /* its anchor's time differs from those of devices of the same name */
  CURED_DEVICE_NOTE_OFF_PEERS,
  CURED_DEVICE_NOTE_DRIFT,  /* its anchor's time has changed */
  CURED_DEVICE_NOTE_SHARED, /* it is a part of a chip, or others use it as well */
} CuredDeviceNoteKind;

typedef struct
{
  gsize device;             /* index of the device */
  CuredDeviceNoteKind kind; /* kind of note */
  /* relative difference: of its time to its peers', or of a later time to the first; NaN:
   * none */
  double value;
  char *detail; /* description in English */
} CuredDeviceNote;

GArray *cured_anchors_judge (const CuredAnchor *anchors, gsize n_anchors, const char *const *groups,
                             gsize n_devices);
void cured_anchor_clear (gpointer self);
