/* SPDX-License-Identifier: MIT
 * Expressions of kernel files: integers and doubles, checked arithmetic. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * CuredNumber:
 *
 * The value of an expression: an exact 64-bit integer or a double.
 */
typedef struct
{
  gboolean is_double;
  union
  {
    gint64 integer;
    double real;
  };
} CuredNumber;

/**
 * CuredExpr:
 *
 * A parsed expression, immutable. `+ - * / %` (`/` of two integers is exact
 * where it divides, otherwise a double; `%` follows C), `^` (power),
 * comparisons, `&& || !`, `?:`, parentheses, `min max ceil floor pow2 log2 abs
 * sqrt` and names. Integer overflow and a division by zero are errors.
 */
typedef struct _CuredExpr CuredExpr;

/**
 * CuredExprLookup:
 *
 * Gives the value of @name. Returns FALSE for an unknown name.
 */
typedef gboolean (*CuredExprLookup) (const char *name,
                                     CuredNumber *value,
                                     gpointer user_data);

typedef void (*CuredExprNameFunc) (const char *name, gpointer user_data);

CuredExpr *cured_expr_parse (const char *text, GError **error);
void cured_expr_free (CuredExpr *self);
const char *cured_expr_get_text (const CuredExpr *self);
void cured_expr_foreach_name (const CuredExpr *self,
                              CuredExprNameFunc func,
                              gpointer user_data);
gboolean cured_expr_evaluate (const CuredExpr *self,
                              CuredExprLookup lookup,
                              gpointer user_data,
                              CuredNumber *result,
                              GError **error);
gboolean cured_expr_evaluate_integer (const CuredExpr *self,
                                      CuredExprLookup lookup,
                                      gpointer user_data,
                                      gint64 *result,
                                      GError **error);
gboolean cured_expr_evaluate_double (const CuredExpr *self,
                                     CuredExprLookup lookup,
                                     gpointer user_data,
                                     double *result,
                                     GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredExpr, cured_expr_free)

G_END_DECLS
