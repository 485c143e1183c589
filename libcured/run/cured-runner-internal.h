/* SPDX-License-Identifier: MIT
 * What the library alone calls. */
#pragma once

#include "run/cured-runner.h"

gboolean cured_runner_is_running (CuredRunner *self);
