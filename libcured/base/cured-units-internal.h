/* SPDX-License-Identifier: MIT
 * What the library alone calls. */
#pragma once

#include "base/cured-units.h"

G_BEGIN_DECLS

/**
 * CuredUnitPrefix:
 * @scale: how many of the plain unit are one of this
 * @symbol: "µs"
 */
typedef struct
{
  double scale;
  const char *symbol;
} CuredUnitPrefix;

/**
 * CuredUnitScale:
 * @unit: the plain one
 * @prefixes: (array length=n_prefixes): with prefixes, the least first
 */
typedef struct
{
  const char *unit;
  const CuredUnitPrefix *prefixes;
  gsize n_prefixes;
} CuredUnitScale;

const CuredUnitScale *cured_unit_scales (gsize *n_scales);
const char *cured_count_separator (void);
char *cured_format_quantity_aligned (double value, const char *unit, double scale_of);
gboolean cured_parse_file_number (const char *text, double *value, GError **error);

G_END_DECLS
