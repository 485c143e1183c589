/* SPDX-License-Identifier: MIT
 * Expressions of kernel files: integers and doubles, checked arithmetic. */
#pragma once

#include <glib.h>

/* The value of an expression: an exact 64-bit integer or a double. */
typedef struct
{
  gboolean is_double;
  union
  {
    gint64 integer;
    double real;
  };
} CuredNumber;

/* A parsed expression, immutable. `+ - * / %` (`/` of two integers is an integer if it divides
 * without a rest, otherwise a double; `%` as in C), `^` (power), comparisons, `&& || !`, `?:`,
 * parentheses, `min max ceil floor pow2 log2 abs sqrt` and names. Integer overflow and a division
 * by zero are errors. */
typedef struct _CuredExpr CuredExpr;

/* Gives the value of @name. Returns FALSE for an unknown name. */
typedef gboolean (*CuredExprLookup) (const char *name, CuredNumber *value, gpointer user_data);

typedef void (*CuredExprNameFunc) (const char *name, gpointer user_data);

void cured_expr_free (CuredExpr *self);
const char *cured_expr_get_text (const CuredExpr *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredExpr, cured_expr_free)
