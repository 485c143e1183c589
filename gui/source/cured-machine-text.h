/* SPDX-License-Identifier: MIT
 * Machine code as text, beside the source. */
#pragma once

#include <cured.h>

char *cured_machine_text (const CuredMachineView *machine, GArray *lines);
