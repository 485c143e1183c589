/* SPDX-License-Identifier: MIT
 * One result: the map, what it shows, and the details beside it. */
#pragma once

#include <adwaita.h>

#include "model/cured-document.h"
#include "map/cured-heat-map.h"
#include "model/cured-sweep.h"

G_BEGIN_DECLS

#define CURED_TYPE_RESULT_PAGE (cured_result_page_get_type ())
G_DECLARE_FINAL_TYPE (
    CuredResultPage, cured_result_page, CURED, RESULT_PAGE, AdwBin)

void cured_result_page_set_document (CuredResultPage *self,
                                     CuredDocument *document);
CuredResult *cured_result_page_get_result (CuredResultPage *self);
void cured_result_page_set_sweep (CuredResultPage *self, CuredSweep *sweep);
const CuredView *cured_result_page_get_view (CuredResultPage *self);
CuredHeatMap *cured_result_page_get_map (CuredResultPage *self);
AdwFlap *cured_result_page_get_flap (CuredResultPage *self);
void cured_result_page_swap_axes (CuredResultPage *self);
void cured_result_page_select_cursor (CuredResultPage *self);
char *cured_result_page_get_cell_text (CuredResultPage *self);
char *cured_result_page_get_table_text (CuredResultPage *self);

/**
 * CuredSelectedAxis: what a selection of cells covers of one parameter.
 */
typedef struct
{
  gsize axis;   /* of the result; CURED_AXIS_NONE: no parameter runs there */
  gsize first;  /* index of a value of the axis */
  gsize last;   /* likewise, @first or more */
  gint64 least; /* of the values from @first to @last */
  gint64 most;
} CuredSelectedAxis;

GArray *cured_result_page_get_selected_cells (CuredResultPage *self,
                                              gsize *n_cells);
gboolean cured_result_page_get_selection_axes (CuredResultPage *self,
                                               CuredSelectedAxis *x,
                                               CuredSelectedAxis *y);

G_END_DECLS
