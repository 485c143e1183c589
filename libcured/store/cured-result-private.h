/* SPDX-License-Identifier: MIT
 * Functions on results that only the tables need. */
#pragma once

#include "store/cured-result.h"

/* Reads the reasons of a result's cells in the order of their numbers, without keeping them. */
typedef struct _CuredReasons CuredReasons;

CuredReasons *_cured_reasons_new (CuredResult *result, GError **error);
const char *_cured_reasons_get (CuredReasons *self, gint64 cell);
void _cured_reasons_free (CuredReasons *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredReasons, _cured_reasons_free)
