/* SPDX-License-Identifier: MIT
 * Drawing: the whole of libcured-plot, for programs that have Cairo and Pango. */
#pragma once

#include <pango/pangocairo.h>

#include "cured.h"

G_BEGIN_DECLS

#include "plot/bank/cured-bank-plot.h"
#include "plot/bank/cured-flow-plot.h"
#include "plot/bank/cured-thread-plot.h"
#include "plot/cured-colour-map.h"
#include "plot/cured-factor-colour.h"
#include "plot/cured-paint.h"
#include "plot/cured-chart.h"
#include "plot/cured-plot-bars.h"
#include "plot/export/cured-drawing-banks.h"
#include "plot/export/cured-drawing.h"
#include "plot/export/cured-export.h"
#include "plot/export/cured-site.h"
#include "plot/map/cured-grid.h"
#include "plot/map/cured-map-charts.h"
#include "plot/map/cured-map-plot.h"

G_END_DECLS
