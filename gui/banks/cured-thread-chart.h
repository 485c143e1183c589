/* SPDX-License-Identifier: MIT
 * Which thread touches which element, on screen. */
#pragma once

#include "widgets/cured-picture.h"

G_BEGIN_DECLS

#define CURED_TYPE_THREAD_CHART (cured_thread_chart_get_type ())
/**
 * CuredThreadChart:
 *
 * To be put into a #GtkScrolledWindow, which it scrolls to the cell that is chosen. Signals:
 * `chosen`: by key or click, another thread or element; `cursor-moved`: the read-out is another
 * one.
 */
G_DECLARE_FINAL_TYPE (CuredThreadChart, cured_thread_chart, CURED, THREAD_CHART, CuredPicture)

void cured_thread_chart_set_view (CuredThreadChart *self, CuredBankView *view);
gsize cured_thread_chart_get_n_threads (CuredThreadChart *self);
void cured_thread_chart_set_chosen (CuredThreadChart *self, gssize cell);
gssize cured_thread_chart_get_chosen (CuredThreadChart *self);
char *cured_thread_chart_get_read_out (CuredThreadChart *self);

G_END_DECLS
