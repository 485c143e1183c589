/* SPDX-License-Identifier: MIT
 * How data flows, on screen: a step at a time. */
#pragma once

#include "widgets/cured-picture.h"

G_BEGIN_DECLS

#define CURED_TYPE_FLOW_CHART (cured_flow_chart_get_type ())
/**
 * CuredFlowChart:
 *
 * To be put into a #GtkScrolledWindow, which it scrolls to the step that is shown.
 */
G_DECLARE_FINAL_TYPE (CuredFlowChart, cured_flow_chart, CURED, FLOW_CHART, CuredPicture)

void cured_flow_chart_set_view (CuredFlowChart *self, CuredBankView *view);
gsize cured_flow_chart_get_n_steps (CuredFlowChart *self);
void cured_flow_chart_set_step (CuredFlowChart *self, gssize step);
gssize cured_flow_chart_get_step (CuredFlowChart *self);
char *cured_flow_chart_get_read_out (CuredFlowChart *self);

G_END_DECLS
