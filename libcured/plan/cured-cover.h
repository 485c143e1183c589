/* SPDX-License-Identifier: MIT
 * A few cells of a spec in which every two values of two parameters meet. */
#pragma once

#include <glib.h>

#include "base/cured-limits.h"
#include "spec/cured-spec.h"

/* Cells of a spec whose product is too large to run. */
typedef struct
{
  guint n_cells;      /* number of cells */
  gsize n_parameters; /* parameters of the kernel */
  gint64 *values;     /* cell by cell, each in the kernel's order of parameters */
  guint n_missed;     /* pairs of values without a launchable cell */
  char *reason;       /* (nullable): why the first of these can't be launched */
} CuredCover;

CuredCover *cured_cover_new (CuredSpec *spec, const CuredLimits *limits, GError **error);
void cured_cover_free (CuredCover *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredCover, cured_cover_free)
