/* SPDX-License-Identifier: MIT
 * A tile in CuTe's or Triton's notation, and one access to it. */
#pragma once

#include <gtk/gtk.h>

#include "cured.h"

#define CURED_TYPE_LAYOUT_PANEL (cured_layout_panel_get_type ())
/* Signal: `changed`: the access is another one. */
G_DECLARE_FINAL_TYPE (CuredLayoutPanel, cured_layout_panel, CURED, LAYOUT_PANEL, GtkBox)

const CuredBankAccess *cured_layout_panel_get_access (CuredLayoutPanel *self);
char *cured_layout_panel_describe (CuredLayoutPanel *self);
