/* SPDX-License-Identifier: MIT
 * Headers that nearly all files of the command include. */
#include "config.h"

#include <cured-plot.h>
#include <cured.h>
#include <gio/gio.h>
#include <glib/gi18n.h>
#include <math.h>
#include <string.h>
