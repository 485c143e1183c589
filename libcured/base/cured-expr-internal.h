/* SPDX-License-Identifier: MIT
 * What the library alone calls. */
#pragma once

#include "base/cured-expr.h"

gboolean cured_expr_evaluate (const CuredExpr *self, CuredExprLookup lookup, gpointer user_data,
                              CuredNumber *result, GError **error);
gboolean cured_expr_evaluate_double (const CuredExpr *self, CuredExprLookup lookup,
                                     gpointer user_data, double *result, GError **error);
gboolean cured_expr_evaluate_integer (const CuredExpr *self, CuredExprLookup lookup,
                                      gpointer user_data, gint64 *result, GError **error);
void cured_expr_foreach_name (const CuredExpr *self, CuredExprNameFunc func, gpointer user_data);
CuredExpr *cured_expr_parse (const char *text, GError **error);
