/* SPDX-License-Identifier: MIT
 * Cells under the limits of their device, by arithmetic intensity. */
#pragma once

#include "store/cured-result.h"

typedef struct
{
  gint64 cell;      /* a cell's number */
  double intensity; /* FLOP per byte */
  double flop_rate; /* FLOP per second */
  double roof;      /* rate that the limits allow at that intensity, FLOP per second */
} CuredRooflinePoint;

typedef struct
{
  double bytes_per_s; /* the higher of the device's measured limits of reading and copying */
  double flops;       /* its measured limit in single precision */
  double ridge;       /* the intensity at which both allow the same */
  GArray *points;     /* (element-type CuredRooflinePoint): in the order of cells */
  guint best;         /* index of the point with the highest rate */
} CuredRoofline;

CuredRoofline *cured_roofline_new (CuredResult *result, GError **error);
void cured_roofline_free (CuredRoofline *self);
double cured_roofline_get_roof (const CuredRoofline *self, double intensity);
void cured_roofline_get_range (const CuredRoofline *self, double intensity[2], double rate[2]);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredRoofline, cured_roofline_free)
