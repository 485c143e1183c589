/* SPDX-License-Identifier: MIT
 * Panes that are as the user left them. */
#pragma once

#include <adwaita.h>

void cured_pane_remember (AdwFlap *flap, const char *key);
