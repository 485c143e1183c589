/* SPDX-License-Identifier: MIT
 * Loops over arrays whose elements are structs, or pointers to them. */
#pragma once

#include <glib.h>

/* @Type: (const) type of the elements
 * @item: a pointer to one, declared here
 * @array: a #GArray, which does not change meanwhile */
#define CURED_EACH(Type, item, array)                                                              \
  for (Type *item = (gpointer) (array)->data,                                                      \
            *item##_end = item != NULL ? item + (array)->len : item;                               \
       item < item##_end; item++)

/* @Type: (const) type that the elements point to
 * @item: an element, declared here
 * @array: a #GPtrArray, which does not change meanwhile */
#define CURED_EACH_POINTER(Type, item, array)                                                      \
  for (Type **item##_at = (gpointer) (array)->pdata,                                               \
            **item##_end = item##_at != NULL ? item##_at + (array)->len : item##_at, *item = NULL; \
       item##_at < item##_end && (item = *item##_at, TRUE); item##_at++)
