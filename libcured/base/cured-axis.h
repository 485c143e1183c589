/* SPDX-License-Identifier: MIT
 * The values that one parameter takes in a sweep. */
#pragma once

#include <glib.h>

/* Limit of an axis's values; a longer range is an error, not an allocation. */
#define CURED_AXIS_MAX_VALUES (1 << 20)

/* An ordered list of distinct integers, immutable and reference-counted. Written `1,2,4`, `4..32`,
 * `4..32:4` (step 4; a negative step counts down), `2^4..2^12` (powers of two), or a
 * comma-separated mix of them. Without a step, a range goes up or down by 1, and one whose ends are
 * both written as powers of the same base from power to power. `_` and `'` may group digits;
 * `100M`, `64K` and `1G` are not understood (write 10^8). `A^B` is a power wherever a number is
 * allowed.
 *
 * The values may have names, of letters, digits, `_` and `-`, which are then written and read in
 * their place. Names from another program's file may be any text; they can only be read as single
 * values. */
typedef struct _CuredAxis CuredAxis;

CuredAxis *cured_axis_parse (const char *text, GError **error);
CuredAxis *cured_axis_new (const gint64 *values, gsize n_values);
CuredAxis *cured_axis_ref (CuredAxis *self);
void cured_axis_unref (CuredAxis *self);
gsize cured_axis_get_length (const CuredAxis *self);
gint64 cured_axis_get_value (const CuredAxis *self, gsize index);
gboolean cured_axis_equal (const CuredAxis *a, const CuredAxis *b);
gboolean cured_axis_find (const CuredAxis *self, gint64 value, gsize *index);
CuredAxis *cured_axis_refine (const CuredAxis *self, gsize first, gsize last,
                              const CuredAxis *allowed);
char *cured_axis_to_string (const CuredAxis *self);
CuredAxis *cured_axis_new_texts (const char *const *texts, gsize n_texts);
CuredAxis *cured_axis_new_named (const CuredAxis *values, const char *const *names);
CuredAxis *cured_axis_new_like (CuredAxis *self, const CuredAxis *named);
CuredAxis *cured_axis_parse_named (const char *text, const CuredAxis *named, GError **error);
gboolean cured_axis_parse_value (const CuredAxis *named, const char *text, gint64 *value,
                                 GError **error);
gboolean cured_axis_is_named (const CuredAxis *self);
const char *cured_axis_get_name (const CuredAxis *self, gint64 value);
char *cured_axis_value_to_string (const CuredAxis *self, gint64 value);
char *cured_axis_format_value (const CuredAxis *self, gsize index);
gboolean cured_axis_is_name (const char *text);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredAxis, cured_axis_unref)
