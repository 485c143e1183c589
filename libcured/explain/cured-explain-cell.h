/* SPDX-License-Identifier: MIT
 * Finds what limits the cells of a result. */
#pragma once

#include "explain/cured-explanation.h"
#include "store/cured-result.h"
#include "worker/cured-examiner.h"

CuredMachine *cured_explain_find_machine (CuredResult *result, const char *id, GError **error);
CuredWorkload *cured_explain_count (CuredResult *result, gint64 cell, CuredExaminer *examiner,
                                    GCancellable *cancellable, GError **error);
#define CURED_N_LIMITER_METRICS 6

/* The limits of the cells of a result; those not explained yet are unknown. */
typedef struct
{
  gint64 n_cells;                           /* cells of the result */
  double *columns[CURED_N_LIMITER_METRICS]; /* by metric: a number per cell; NaN: not known */
} CuredLimiters;

gboolean cured_limiters_has_metric (const char *id);
CuredLimiters *cured_limiters_new (gint64 n_cells);
CuredLimiters *cured_limiters_new_from (CuredResult *result);
void cured_limiters_set (CuredLimiters *self, gint64 cell, const CuredExplanation *explanation);
gboolean cured_limiters_has (const CuredLimiters *self, gint64 cell);
void cured_limiters_show (const CuredLimiters *self, CuredResult *result);
gboolean cured_limiters_save (const CuredLimiters *self, const char *path, GError **error);
void cured_limiters_free (CuredLimiters *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredLimiters, cured_limiters_free)

/* *
 * CuredExplainFunc:
 * @done: number of cells explained
 * @all: total number of cells to explain
 *
 * Called with progress, in the explaining thread. */
typedef void (*CuredExplainFunc) (gint64 done, gint64 all, gpointer user_data);

gboolean cured_explain_limiters (CuredResult *result, const CuredMachine *machine,
                                 CuredExaminer *examiner, CuredExplainFunc func, gpointer user_data,
                                 GCancellable *cancellable, GError **error);
CuredExplanation *cured_explain_cell (CuredResult *result, gint64 cell, const CuredMachine *machine,
                                      CuredExaminer *examiner, GCancellable *cancellable,
                                      GError **error);
