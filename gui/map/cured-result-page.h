/* SPDX-License-Identifier: MIT
 * One result: the map, what it shows, and the details beside it. */
#pragma once

#include "map/cured-heat-map.h"
#include "widgets/cured-page.h"

#define CURED_TYPE_RESULT_PAGE (cured_result_page_get_type ())
G_DECLARE_FINAL_TYPE (CuredResultPage, cured_result_page, CURED, RESULT_PAGE, CuredPage)

CuredMapView *cured_result_page_get_map_view (CuredResultPage *self);
CuredHeatMap *cured_result_page_get_map (CuredResultPage *self);
AdwFlap *cured_result_page_get_flap (CuredResultPage *self);
char *cured_result_page_get_cell_text (CuredResultPage *self);
