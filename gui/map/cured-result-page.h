/* SPDX-License-Identifier: MIT
 * One result: the map, what it shows, and the details beside it. */
#pragma once

#include <adwaita.h>

#include "model/cured-inspector.h"
#include "map/cured-heat-map.h"

G_BEGIN_DECLS

#define CURED_TYPE_RESULT_PAGE (cured_result_page_get_type ())
G_DECLARE_FINAL_TYPE (CuredResultPage, cured_result_page, CURED, RESULT_PAGE, AdwBin)

void cured_result_page_set_document (CuredResultPage *self, CuredDocument *document);
void cured_result_page_set_inspector (CuredResultPage *self, CuredInspector *inspector);
CuredMapView *cured_result_page_get_map_view (CuredResultPage *self);
CuredHeatMap *cured_result_page_get_map (CuredResultPage *self);
AdwFlap *cured_result_page_get_flap (CuredResultPage *self);
char *cured_result_page_get_cell_text (CuredResultPage *self);

G_END_DECLS
