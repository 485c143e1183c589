/* SPDX-License-Identifier: MIT
 * Standard input, output and error, which a program may be started without. */
#pragma once

#include <glib.h>

void cured_standard_files_open (void);
