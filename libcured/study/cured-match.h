/* SPDX-License-Identifier: MIT
 * Which cells of two results belong together. */
#pragma once

#include "store/cured-result.h"

/* One of two results. */
typedef struct
{
  /* (array length=n_over): numbers of its axes that the other lacks and that have several values: a
   * cell of a pair is the best over them */
  gsize *over;
  gsize n_over; /* how many */
  char *held; /* (nullable): the other parameters that the other lacks, as “padding=1 rows=8” */
  gsize rank; /* the number of the metric that says which cell is the best */
} CuredMatchSide;

/* Parameters are the same where their names are, whatever their kind: what one kernel compiles in,
 * another may be told at the launch. Their values are the same where their numbers are; of values
 * that have names in both, where their names are. */
typedef struct
{
  /* (array zero-terminated=1): the parameters that both have, in the first's order: cells at equal
   * values of them belong together */
  char **shared;
  CuredMatchSide a; /* the first */
  CuredMatchSide b; /* the second */
} CuredMatch;

CuredMatch *cured_match_new (CuredResult *a, CuredResult *b, const char *metric, GError **error);
void cured_match_free (CuredMatch *self);
gboolean cured_match_is_best (const CuredMatch *self);
gboolean cured_match_is_problem (CuredResult *result, gsize axis);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredMatch, cured_match_free)
