/* SPDX-License-Identifier: MIT
 * The slice of a result that one heat map shows. */
#pragma once

#include "plot/cured-colour-map.h"
#include "store/cured-result.h"

G_BEGIN_DECLS

/* For a view of a result that has one axis only: no parameter runs there. */
#define CURED_AXIS_NONE G_MAXSIZE

/**
 * CuredView:
 * @x_axis: index of the result's axis that runs to the right
 * @y_axis: index of the axis that runs upwards, or %CURED_AXIS_NONE
 * @metric: index of the result's metric
 * @positions: of all axes; those of @x_axis and @y_axis are not looked at
 * @colours: the colour map
 * @logarithmic: colour by the logarithm of the value
 */
typedef struct
{
  gsize x_axis;
  gsize y_axis;
  gsize metric;
  gsize *positions;
  const CuredColourMap *colours;
  gboolean logarithmic;
} CuredView;

void cured_view_init (CuredView *self, CuredResult *result);
void
cured_view_copy (const CuredView *self, CuredResult *result, CuredView *copy);
void cured_view_clear (CuredView *self);

/**
 * CuredGrid:
 * @values: nx * ny, row by row from the bottom; NaN where there is none
 * @states: nx * ny
 * @cells: nx * ny cell numbers of the result
 * @best: index into the arrays, or -1
 * @low: least value; NaN: no value at all
 * @high: greatest value
 */
typedef struct
{
  gsize nx;
  gsize ny;
  double *values;
  guint8 *states;
  gint64 *cells;
  gssize best;
  double low;
  double high;
  char *x_title;
  char *y_title; /* nullable */
  const CuredAxis *x_values;
  const CuredAxis *y_values; /* nullable */
  CuredMetricInfo metric;
  const CuredColourMap *colours;
  gboolean logarithmic;
  CuredResult *result;
} CuredGrid;

CuredGrid *cured_grid_new (CuredResult *result, const CuredView *view);
void cured_grid_free (CuredGrid *self);
double cured_grid_get_position (const CuredGrid *self, double value);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredGrid, cured_grid_free)

G_END_DECLS
