/* SPDX-License-Identifier: MIT
 * What the library alone calls. */
#pragma once

#include "run/cured-runner.h"

G_BEGIN_DECLS

gboolean cured_runner_is_running (CuredRunner *self);

G_END_DECLS
