/* SPDX-License-Identifier: MIT
 * Panes that are as the user left them. */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

void cured_pane_remember (AdwFlap *flap, const char *key);

G_END_DECLS
