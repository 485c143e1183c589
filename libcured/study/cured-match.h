/* SPDX-License-Identifier: MIT
 * Matches the cells of two results. */
#pragma once

#include "store/cured-result.h"

/* One of two results. */
typedef struct
{
  /* (array length=n_over): numbers of its axes that the other lacks and that have several values: a
   * cell of a pair is the best over them */
  gsize *over;
  gsize n_over;
  char *held; /* (nullable): constant parameters that the other lacks, as “padding=1 rows=8” */
  gsize rank; /* index of the metric that defines the best cell */
} CuredMatchSide;

/* Parameters are the same if their names are, whatever their kind: one kernel may compile in what
 * another one gets at the launch. Values are the same if their numbers are; if both have names, if
 * the names are. */
typedef struct
{
  /* (array zero-terminated=1): the parameters that both have, in the first's order: cells at equal
   * values of them match */
  char **shared;
  CuredMatchSide a; /* the first */
  CuredMatchSide b; /* the second */
} CuredMatch;

CuredMatch *cured_match_new (CuredResult *a, CuredResult *b, const char *metric, GError **error);
void cured_match_free (CuredMatch *self);
gboolean cured_match_is_best (const CuredMatch *self);
gboolean cured_match_is_problem (CuredResult *result, gsize axis);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredMatch, cured_match_free)
