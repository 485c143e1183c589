/* SPDX-License-Identifier: MIT
 * Opens standard input, output and error if the program was started without them. */
#pragma once

#include <glib.h>

void cured_standard_files_open (void);
