/* SPDX-License-Identifier: MIT
 * A requested sweep: a kernel, axes and options. */
#pragma once

#include <glib.h>

#include "base/cured-limits.h"
#include "kernel/cured-kernel.h"
#include "spec/cured-options.h"

/* A requested sweep. Every parameter of the kernel has an axis; unless set, it has a single value,
 * the default. Mutable until a plan is made of it; reference-counted. */
typedef struct _CuredSpec CuredSpec;

CuredSpec *cured_spec_new (CuredKernel *kernel);
CuredSpec *cured_spec_ref (CuredSpec *self);
void cured_spec_unref (CuredSpec *self);
CuredKernel *cured_spec_get_kernel (const CuredSpec *self);
CuredOptions *cured_spec_get_options (CuredSpec *self);
gboolean cured_spec_set_axis (CuredSpec *self, const char *parameter, CuredAxis *axis,
                              GError **error);
gboolean cured_spec_parse_axis (CuredSpec *self, const char *assignment, GError **error);
gboolean cured_spec_parse_tied (CuredSpec *self, const char *assignment, GError **error);
void cured_spec_add_condition (CuredSpec *self, const char *condition);
void cured_spec_use_default_sweep (CuredSpec *self);
gboolean cured_spec_is_problem (const CuredSpec *self, gsize parameter);
void cured_spec_use_one_problem (CuredSpec *self);
void cured_spec_use_small_sizes (CuredSpec *self, const CuredLimits *limits);
const CuredAxis *cured_spec_get_axis (const CuredSpec *self, gsize parameter);
gboolean cured_spec_count_cells (const CuredSpec *self, gint64 *n_cells, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredSpec, cured_spec_unref)
