/* SPDX-License-Identifier: MIT
 * The look of a plot in a window: its colours and its text. */
#pragma once

#include <gtk/gtk.h>

#include "cured-plot.h"

gboolean cured_plot_look_update (CuredPlotStyle *style, GtkWidget *widget, double text_scale);
