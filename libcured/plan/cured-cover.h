/* SPDX-License-Identifier: MIT
 * A few cells of a spec in which every two values of two parameters meet. */
#pragma once

#include <glib.h>

#include "base/cured-limits.h"
#include "spec/cured-spec.h"

/* Cells of a spec whose product is too large to be run whole. */
typedef struct
{
  guint n_cells;      /* how many cells there are */
  gsize n_parameters; /* of the kernel */
  gint64 *values;     /* of the cells, one after the other, each in the kernel's order */
  guint n_missed;     /* pairs of values that no launchable cell was found for */
  char *reason;       /* (nullable): why the first of these can't be launched */
} CuredCover;

CuredCover *cured_cover_new (CuredSpec *spec, const CuredLimits *limits, GError **error);
void cured_cover_free (CuredCover *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredCover, cured_cover_free)
