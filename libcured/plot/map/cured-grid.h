/* SPDX-License-Identifier: MIT
 * The slice of a result that one heat map shows. */
#pragma once

#include "plot/cured-colour-map.h"
#include "store/cured-result.h"

/* For a view of a result that has one axis only: no parameter runs there. */
#define CURED_AXIS_NONE G_MAXSIZE

/* How near to the best a cell is that belongs to its region, in per cent. */
#define CURED_GRID_NEAR_BEST 2

/* The greatest value over the least from which a view starts logarithmic. */
#define CURED_VIEW_LOGARITHMIC_FROM 2.0

/* The values where a scale of colours begins and ends, in the grid's unit. What is beyond has the
 * colour of the end. */
typedef struct
{
  gboolean has_low;    /* @low is given; else the scale begins at the least value */
  gboolean has_high;   /* @high is given; else the scale ends at the greatest value */
  gboolean has_centre; /* of a ratio: @centre is given; else it is 1 */
  double low, high;
  double centre; /* the middle of the diverging colours */
} CuredColourLimits;

gboolean cured_colour_limits_check (const CuredColourLimits *self, gboolean is_ratio,
                                    GError **error);

static inline gboolean
cured_colour_limits_is_set (const CuredColourLimits *self)
{
  return self->has_low || self->has_high || self->has_centre;
}

typedef struct
{
  /* index of the result's axis that runs to the right; %CURED_AXIS_NONE only where the kernel has
   * no parameters at all */
  gsize x_axis;
  gsize y_axis; /* index of the axis that runs upwards, or %CURED_AXIS_NONE */
  gsize metric; /* index of the result's metric */
  /* of all axes; those of @x_axis and @y_axis only tell where the curves beside the map run */
  gsize *positions;
  const CuredColourMap *colours; /* the colour map */
  gboolean logarithmic;          /* colour by the logarithm of the value */
  /* write values as multiples of the best one, where one end of the metric is better */
  gboolean relative;
  /* (nullable): a second result, to which the first is compared; the view holds a reference. The
   * grid's values are then ratios: the other's over the first's */
  CuredResult *other;
  gboolean region;    /* outline the cells that are nearly as good as the best one */
  gboolean marginals; /* draw the values along a row and a column beside the map */
  /* (nullable): id of a second metric, of which lines of equal value are drawn; borrowed from the
   * result */
  const char *contour;
  /* of a ratio: leave cells out whose confidence intervals overlap; else they are only fainter */
  gboolean hide_alike;
  /* each place of the map has the best cell over the other parameters, but for those of which two
   * values are two problems, which stay at their position; not of a ratio */
  gboolean best_over;
  /* (nullable): ids of the metrics that a table has; NULL: all that have values; borrowed */
  const char *const *columns;
  CuredColourLimits limits; /* of the colours, as they were chosen */
} CuredView;

void cured_view_init (CuredView *self, CuredResult *result);
gboolean cured_view_tells (const CuredView *self, CuredResult *result);
gboolean cured_view_suggests_logarithm (const CuredView *self, CuredResult *result);
gboolean cured_view_suggests_relative (const CuredView *self, CuredResult *result);
void cured_view_copy (const CuredView *self, CuredResult *result, CuredView *copy);
void cured_view_adopt (CuredView *self, CuredResult *result, const CuredView *old,
                       CuredResult *old_result, gboolean is_live);
void cured_view_clear (CuredView *self);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (CuredView, cured_view_clear)

/* What a cell without a value is, beyond the states: these numbers go on where #CuredState ends. */
typedef enum
{
  CURED_LOOK_EMPTY = CURED_N_STATES, /* ok, and lacks the metric */
  CURED_LOOK_ONLY_THIS,              /* of a ratio: only the first result has a value */
  CURED_LOOK_ONLY_OTHER,             /* only the other result has one */
  CURED_N_LOOKS
} CuredLook;

/* A copy of what it shows, as it was when the grid was made: immutable, whatever happens to the
 * results, which it keeps alive. Of a sparse result, an axis has the values of which some cell
 * holds something.
 *
 * A ratio's axes have the values of both results, @metric has its own title and no unit,
 * @colours are diverging, and nothing is @best. */
typedef struct
{
  gsize nx, ny;
  /* nx * ny, row by row from the bottom; NaN where there is none, which is so for every cell that
   * is not ok. Of a grid with @other, its value over that of @result */
  double *values;
  guint8 *states;      /* nx * ny; a #CuredState, of @result, or a #CuredLook */
  gint64 *cells;       /* nx * ny cell numbers of the result; -1: only @other has such a cell */
  gint64 *other_cells; /* (nullable): nx * ny cell numbers of @other; -1: it has no such cell */
  guint8 *is_alike;    /* (nullable): nx * ny, of a ratio: the two confidence intervals overlap */
  gboolean hide_alike; /* as of the view */
  gboolean has_best;   /* one end of the metric is better, and it is no total of the whole run */
  /* (nullable): lower ends of the values' confidence intervals; only where there is one axis and
   * the metric has such a figure */
  double *lows;
  double *highs; /* (nullable): upper ends, likewise */
  /* index into the arrays, or -1: no value, or no best. Where there are @bests, that of the problem
   * that represents all */
  gssize best;
  /* (nullable): of a time, where one axis runs over problems: for each value of that axis the index
   * of its best cell, or -1. A smaller problem takes less time and is no better */
  gssize *bests;
  gsize n_bests;         /* 0 where there are none */
  gboolean is_problem_x; /* it is @x_values that are problems */
  /* (nullable): where values are multiples of @bests (a relative grid has them so, and no unit):
   * what they are multiples of */
  double *best_values;
  const char *unit; /* (nullable): of @best_values */
  /* (nullable): nx * ny: the emulator found something in the cell that runs well */
  guint8 *is_flagged;
  gsize n_flagged;               /* how many of these there are */
  guint8 *is_noted;              /* (nullable): nx * ny: the cell has a note */
  gsize n_noted;                 /* how many of these there are */
  double low;                    /* least value; NaN: no value at all */
  double high;                   /* greatest value */
  gsize n_states[CURED_N_LOOKS]; /* cells in each state, and of the looks of a ratio */
  gsize column;                  /* where the view's position is */
  gsize row;                     /* likewise */
  gsize n_empty;                 /* cells that are ok and lack this metric */
  /* cells within %CURED_GRID_NEAR_BEST per cent of the best one, that one included */
  gsize n_near_best;
  char *x_title;       /* nullable */
  char *x_summary;     /* nullable */
  char *y_title;       /* nullable */
  char *y_summary;     /* nullable */
  CuredAxis *x_values; /* nullable */
  CuredAxis *y_values; /* nullable */
  CuredMetricInfo metric;
  double *contour_values; /* (nullable): nx * ny of @contour_metric, as @values */
  CuredMetricInfo contour_metric;
  gboolean region, marginals;
  const CuredColourMap *colours;
  gboolean logarithmic;
  /* as of the view: @values are what they are, and cured_grid_format_value() writes them as
   * multiples of the best one */
  gboolean relative;
  CuredColourLimits limits;
  CuredResult *result; /* nullable */
  CuredResult *other;  /* nullable; not NULL: the values are ratios */
  char *ratio_title;   /* nullable: the metric's, if it is a ratio */
} CuredGrid;

/* A rectangle of cells, of at least one. */
typedef struct
{
  gsize column; /* the leftmost */
  gsize row;    /* the lowest */
  gsize n_columns, n_rows;
} CuredGridRect;

typedef struct
{
  gsize n_cells;  /* of the rectangle */
  gsize n_values; /* of those, how many have a value */
  double low;     /* least value; NaN: no value at all */
  double high;    /* greatest value */
} CuredGridSummary;

/* The values are numbers of names, such as those of cured_factor_get_title(): regions are drawn, and
 * no scale. */
static inline gboolean
cured_grid_is_named (const CuredGrid *self)
{
  return g_str_equal (self->metric.unit, "limit");
}

/* One parameter runs and none is on the other axis: the values are drawn as a line, not as a strip
 * of colours. */
static inline gboolean
cured_grid_is_line (const CuredGrid *self)
{
  return self->y_values == NULL && self->nx > 1 && !cured_grid_is_named (self);
}

/* The values are ratios of two results. */
static inline gboolean
cured_grid_is_ratio (const CuredGrid *self)
{
  return self->other != NULL;
}

/* The values are what a model says, which has two digits. */
static inline gboolean
cured_grid_is_predicted (const CuredGrid *self)
{
  return self->metric.origin == CURED_ORIGIN_PREDICTED;
}

CuredGrid *cured_grid_new (CuredResult *result, const CuredView *view);
void cured_grid_free (CuredGrid *self);
double cured_grid_get_position (const CuredGrid *self, double value);
gboolean cured_grid_has_region (const CuredGrid *self);
gboolean cured_grid_is_near_best (const CuredGrid *self, gsize index);
gboolean cured_grid_is_best (const CuredGrid *self, gsize index);
gssize cured_grid_get_best_of (const CuredGrid *self, gsize index);
double cured_grid_get_raw (const CuredGrid *self, gsize index);
gboolean cured_grid_is_relative (const CuredGrid *self);
char *cured_grid_format_value (const CuredGrid *self, double value);
char *cured_grid_format_best (const CuredGrid *self);
char *cured_grid_format_raw (const CuredGrid *self, gsize index);
guint cured_grid_get_look (const CuredGrid *self, gsize index);
const char *cured_grid_choose_unit (const CuredGrid *self, double *factor);
char *cured_grid_name_metric (CuredResult *result, const CuredMetricInfo *metric);
void cured_grid_summarize (const CuredGrid *self, const CuredGridRect *rect,
                           CuredGridSummary *summary);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredGrid, cured_grid_free)
