/* SPDX-License-Identifier: MIT
 * Standard input, output and error, which a program may be started without. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

void cured_standard_files_open (void);

G_END_DECLS
