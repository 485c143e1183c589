/* SPDX-License-Identifier: MIT
 * The view of a result on a map, to which all controls bind. */
#pragma once

#include "cured-plot.h"

#define CURED_TYPE_MAP_VIEW (cured_map_view_get_type ())
/* A result, or a pair of results, and what is looked at: the metric, the axes, the slice, contour
 * and colours; and in the grid that follows from these, the cursor, the selected cells and the cell
 * whose details are shown, which is the cursor's.
 *
 * Whoever changes something sets a property or calls a function here; whoever shows something
 * follows `notify`. All properties are up to date before the first notification, so the order of
 * handlers does not matter.
 *
 * Properties that are numbers are what a #CuredView has: `metric`, `x-axis`, `y-axis`, and
 * `contour`, one more than the metric's index, or 0. `colours` is an index of
 * cured_colour_map_list(). `has-y-axis`, `logarithmic`, `relative`, `fit-colours`, whether a map
 * that is zoomed has colours for what is seen, `region`, `best-over`, `marginals`, `hide-alike` and
 * `is-live`, whether a sweep is filling the result, are booleans. `logarithmic`, `relative` and
 * `fit-colours` are remembered for each metric. `limits` is whether a person chose where colours
 * begin or end. `result`, `grid`, `positions`, `cursor`, `selection` and `cell` are there for their
 * notifications; functions give their values. */
G_DECLARE_FINAL_TYPE (CuredMapView, cured_map_view, CURED, MAP_VIEW, GObject)

/* The part of one parameter that a selection of cells covers. */
typedef struct
{
  gsize axis;   /* of the result; CURED_AXIS_NONE: no parameter runs there */
  gsize first;  /* index of a value of the axis */
  gsize last;   /* likewise, @first or more */
  gint64 least; /* of the values from @first to @last */
  gint64 most;
} CuredSelectedAxis;

CuredMapView *cured_map_view_new (void);
void cured_map_view_set_result (CuredMapView *self, CuredResult *result, gint64 cell);
void cured_map_view_set_pair (CuredMapView *self, CuredResult *a, CuredResult *b);
void cured_map_view_load_pair (CuredMapView *self, CuredResult *a, CuredResult *b);
CuredResult *cured_map_view_get_result (CuredMapView *self);
const CuredView *cured_map_view_get_view (CuredMapView *self);
const CuredGrid *cured_map_view_get_grid (CuredMapView *self);
gboolean cured_map_view_is_live (CuredMapView *self);

void cured_map_view_refresh (CuredMapView *self);
void cured_map_view_set_metric (CuredMapView *self, gsize metric);
void cured_map_view_set_limits (CuredMapView *self, const CuredColourLimits *limits);
void cured_map_view_set_axes (CuredMapView *self, gsize x_axis, gsize y_axis);
void cured_map_view_swap_axes (CuredMapView *self);
void cured_map_view_set_position (CuredMapView *self, gsize axis, gsize position);
void cured_map_view_set_positions (CuredMapView *self, const gsize *positions);

gboolean cured_map_view_get_cursor (CuredMapView *self, gsize *column, gsize *row);
void cured_map_view_set_cursor (CuredMapView *self, gsize column, gsize row);
gssize cured_map_view_get_best (CuredMapView *self);
void cured_map_view_go_to_best (CuredMapView *self);

gint64 cured_map_view_get_cell (CuredMapView *self);
void cured_map_view_set_cell (CuredMapView *self, gint64 cell);
void cured_map_view_choose_cursor (CuredMapView *self);
gboolean cured_map_view_is_best (CuredMapView *self, gint64 cell);

gboolean cured_map_view_get_selection (CuredMapView *self, CuredGridRect *rect);
void cured_map_view_set_selection (CuredMapView *self, const CuredGridRect *rect);
void cured_map_view_begin_selection (CuredMapView *self, gsize column, gsize row);
void cured_map_view_extend_selection (CuredMapView *self, gsize column, gsize row);
GArray *cured_map_view_get_selected_cells (CuredMapView *self);
gboolean cured_map_view_get_selection_axes (CuredMapView *self, CuredSelectedAxis *x,
                                            CuredSelectedAxis *y);
