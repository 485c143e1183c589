/* SPDX-License-Identifier: MIT
 * The slice of a result that one heat map shows. */
#pragma once

#include "plot/cured-colour-map.h"
#include "store/cured-result.h"

/* No parameter on this axis: for a view of a result with one axis. */
#define CURED_AXIS_NONE G_MAXSIZE

/* Cells within this many per cent of the best one belong to its region. */
#define CURED_GRID_NEAR_BEST 2

/* From this ratio of the greatest to the least value, a view starts logarithmic. */
#define CURED_VIEW_LOGARITHMIC_FROM 2.0

/* The ends of a scale of colours, in the grid's unit. Values beyond have the colour of the
 * end. */
typedef struct
{
  gboolean has_low;    /* @low is set; otherwise the scale begins at the least value */
  gboolean has_high;   /* @high is set; otherwise the scale ends at the greatest value */
  gboolean has_centre; /* for ratios: @centre is set; otherwise it is 1 */
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
  /* index of the result's axis to the right; %CURED_AXIS_NONE only if the kernel has no
   * parameters */
  gsize x_axis;
  gsize y_axis; /* index of the upward axis, or %CURED_AXIS_NONE */
  gsize metric; /* index of the result's metric */
  /* of all axes; those of @x_axis and @y_axis only select the row and column of the curves */
  gsize *positions;
  const CuredColourMap *colours;
  gboolean logarithmic; /* colour by the logarithm of the value */
  /* write values as multiples of the best one, if one end of the metric is better */
  gboolean relative;
  /* (nullable): a second result to compare with; the view holds a reference. The grid's values are
   * then ratios: the other's value over the first's */
  CuredResult *other;
  gboolean region;    /* outline the cells that are nearly as good as the best one */
  gboolean marginals; /* draw the values along a row and a column beside the map */
  /* (nullable): id of a second metric, drawn as contours; borrowed from the
   * result */
  const char *contour;
  /* for ratios: leave out cells whose confidence intervals overlap; otherwise they are only
   * faint */
  gboolean hide_alike;
  /* each place of the map has the best cell over the other parameters, except problem sizes, which
   * stay at their position; not for ratios */
  gboolean best_over;
  /* (nullable): ids of the metrics in a table; NULL: all that have values; borrowed */
  const char *const *columns;
  CuredColourLimits limits; /* of the colours, as chosen */
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

/* Looks of cells without a value, besides the states: numbered from the end of #CuredState. */
typedef enum
{
  CURED_LOOK_EMPTY = CURED_N_STATES, /* ok, but lacks the metric */
  CURED_LOOK_ONLY_THIS,              /* in ratios: only the first result has a value */
  CURED_LOOK_ONLY_OTHER,             /* in ratios: only the other result has one */
  CURED_N_LOOKS
} CuredLook;

/* A copy of the data when the grid was made: immutable, whatever happens to the results,
 * to which it holds references. For a sparse result, an axis has only the values with
 * cells.
 *
 * A ratio's axes have the values of both results, @metric has its own title and no unit,
 * @colours are diverging, and nothing is @best. */
typedef struct
{
  gsize nx, ny;
  /* nx * ny, row by row from the bottom; NaN if there is none, as in every cell that is not ok.
   * With @other, its value over that of @result */
  double *values;
  guint8 *states;      /* nx * ny; a #CuredState, of @result, or a #CuredLook */
  gint64 *cells;       /* nx * ny cell numbers of the result; -1: only @other has such a cell */
  gint64 *other_cells; /* (nullable): nx * ny cell numbers of @other; -1: it has no such cell */
  guint8 *is_alike;    /* (nullable): nx * ny, of a ratio: the two confidence intervals overlap */
  gboolean hide_alike; /* as in the view */
  gboolean has_best;   /* one end of the metric is better, and it is not a total of the whole run */
  /* (nullable): lower ends of the values' confidence intervals; only with one axis, for a metric
   * with intervals */
  double *lows;
  double *highs; /* (nullable): upper ends, likewise */
  /* index into the arrays, or -1: no value, or no best. With @bests, the one of the problem that
   * represents all */
  gssize best;
  /* (nullable): for a time, if one axis has problem sizes: for each of its values the index of its
   * best cell, or -1, since a smaller problem takes less time without being better */
  gssize *bests;
  gsize n_bests;         /* 0 without @bests */
  gboolean is_problem_x; /* the problem sizes are @x_values */
  /* (nullable): if values are multiples of @bests (as in a relative grid, which has no unit): the
   * values of @bests */
  double *best_values;
  const char *unit; /* (nullable): unit of @best_values */
  /* (nullable): nx * ny: the cell is ok, but the emulator has findings */
  guint8 *is_flagged;
  gsize n_flagged;               /* number of flagged cells */
  guint8 *is_noted;              /* (nullable): nx * ny: the cell has a note */
  gsize n_noted;                 /* number of cells with notes */
  double low;                    /* least value; NaN: no values */
  double high;                   /* greatest value */
  gsize n_states[CURED_N_LOOKS]; /* number of cells in each state, and with each look of a ratio */
  gsize column;                  /* the view's position */
  gsize row;                     /* likewise */
  gsize n_empty;                 /* cells that are ok and lack this metric */
  /* cells within %CURED_GRID_NEAR_BEST per cent of the best one, which is included */
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
  /* as in the view: @values do not change, but cured_grid_format_value() writes them as multiples
   * of the best one */
  gboolean relative;
  CuredColourLimits limits;
  CuredResult *result; /* nullable */
  CuredResult *other;  /* nullable; if set, the values are ratios */
  char *ratio_title;   /* nullable: the metric's title, if it is a ratio */
} CuredGrid;

/* A rectangle of at least one cell. */
typedef struct
{
  gsize column; /* the leftmost */
  gsize row;    /* the lowest */
  gsize n_columns, n_rows;
} CuredGridRect;

typedef struct
{
  gsize n_cells;  /* cells in the rectangle */
  gsize n_values; /* cells with a value */
  double low;     /* least value; NaN: no values */
  double high;    /* greatest value */
} CuredGridSummary;

/* The values denote names, such as those of cured_factor_get_title(): regions are drawn, without a
 * scale. */
static inline gboolean
cured_grid_is_named (const CuredGrid *self)
{
  return g_str_equal (self->metric.unit, "limit");
}

/* Only one axis has a parameter: the values are drawn as a line, not as a strip of
 * colours. */
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

/* The values are a model's predictions, which have two digits. */
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
