/* SPDX-License-Identifier: MIT
 * Headers that nearly all files of the library include, parsed once. Each file still includes what
 * it uses. */
#include "config.h"

#include <gio/gio.h>
#include <glib/gi18n-lib.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
