/* SPDX-License-Identifier: MIT
 * The importance of a sweep's parameters. */
#pragma once

#include "store/cured-result.h"

typedef struct
{
  gsize axis;   /* index of the result's axis */
  double share; /* share of the variance that the parameter explains by itself: 0.83 */
} CuredParameterShare;

/* A functional analysis of variance. Free with cured_importance_free(). */
typedef struct
{
  /* (array length=n_parameters): those with several values, the most important first */
  CuredParameterShare *parameters;
  gsize n_parameters;
  /* share of the variance that no parameter explains by itself: their interactions */
  double together;
  gint64 n_cells; /* cells with a value */
  /* the variance is of the figure's logarithm */
  gboolean is_logarithmic;
} CuredImportance;

CuredImportance *cured_importance_new (CuredResult *result, gsize metric);
char *cured_importance_describe (const CuredImportance *self, CuredResult *result);
void cured_importance_free (CuredImportance *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredImportance, cured_importance_free)
