/* SPDX-License-Identifier: MIT
 * Headers that nearly all files of the window include. */
#include "config.h"

#include <adwaita.h>
#include <cured-plot.h>
#include <cured.h>
#include <glib/gi18n.h>
#include <math.h>
#include <string.h>
