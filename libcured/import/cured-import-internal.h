/* SPDX-License-Identifier: MIT
 * What the library alone calls. */
#pragma once

#include "import/cured-import.h"

const CuredImportFormat *const *cured_import_formats (void);
