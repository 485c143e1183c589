/* SPDX-License-Identifier: MIT
 * A spec on a device: numbered cells, and the order in which they run. */
#pragma once

#include <glib.h>

#include "base/cured-limits.h"
#include "spec/cured-spec.h"

/* Limit of cells of a plan; a larger product of axes is an error. */
#define CURED_PLAN_MAX_CELLS (G_GINT64_CONSTANT (1) << 24)

/* Immutable and reference-counted. Cell numbers are the index in the cartesian product of all
 * parameters' axes, the kernel's last parameter running fastest: a cell's number alone gives its
 * values. A plan for several kinds of devices has one more axis, the fastest: the place where a
 * cell is measured. */
typedef struct _CuredPlan CuredPlan;

/* A kind of device that all cells are measured on. */
typedef struct
{
  const char *name;          /* the device's name, never empty */
  const char *arch;          /* the target of compilation, or "" */
  const CuredLimits *limits; /* the device's limits */
} CuredPlanPlace;

CuredPlan *cured_plan_new (CuredSpec *spec, const CuredLimits *limits, GError **error);
CuredPlan *cured_plan_new_on (CuredSpec *spec, const CuredPlanPlace *places, gsize n_places,
                              GError **error);
CuredPlan *cured_plan_ref (CuredPlan *self);
void cured_plan_unref (CuredPlan *self);
CuredSpec *cured_plan_get_spec (const CuredPlan *self);
const CuredAxis *cured_plan_get_places (const CuredPlan *self);
gsize cured_plan_get_n_places (const CuredPlan *self);
gsize cured_plan_get_place (const CuredPlan *self, gint64 cell);
gboolean cured_plan_find_place (const CuredPlan *self, const char *name, const char *arch,
                                gsize *place);
gint64 cured_plan_get_n_cells (const CuredPlan *self);
gint64 cured_plan_get_n_launchable (const CuredPlan *self);
gint64 cured_plan_get_n_left_out (const CuredPlan *self);
gboolean cured_plan_is_left_out (const CuredPlan *self, gint64 cell);
void cured_plan_get_values (const CuredPlan *self, gint64 cell, gint64 *values);
char *cured_plan_describe_cell (const CuredPlan *self, gint64 cell);
const char *cured_plan_get_reason (const CuredPlan *self, gint64 cell);
gint64 cured_plan_get_ordered (const CuredPlan *self, gint64 position);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredPlan, cured_plan_unref)
