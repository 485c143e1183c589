/* SPDX-License-Identifier: MIT
 * What the library alone calls. */
#pragma once

#include "import/cured-import.h"

G_BEGIN_DECLS

const CuredImportFormat *const *cured_import_formats (void);

G_END_DECLS
