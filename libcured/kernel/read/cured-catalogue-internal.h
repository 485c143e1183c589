/* SPDX-License-Identifier: MIT
 * What the library alone calls. */
#pragma once

#include "kernel/read/cured-catalogue.h"

CuredKernel *cured_catalogue_load_reference (const CuredKernel *kernel, GError **error);
