/* SPDX-License-Identifier: MIT
 * Functions on field tables that only the library uses. */
#pragma once

#include <json-glib/json-glib.h>

#include "base/cured-fields.h"

gint64 _cured_field_get_integer (const CuredFieldInfo *self, gconstpointer at);
gboolean _cured_field_set_integer (const CuredFieldInfo *self, gpointer at, gint64 value);
gboolean _cured_field_is_default (const CuredFieldInfo *self, gconstpointer of);
gboolean _cured_field_find_name (const CuredFieldInfo *self, const char *name, int *value);
gboolean _cured_field_takes_real (const CuredFieldInfo *self, double value);

char *_cured_text_shorten (const char *text, gsize most);

gpointer _cured_record_new (const CuredRecordInfo *self);
void _cured_record_init (const CuredRecordInfo *self, gpointer of);
void _cured_record_clear (const CuredRecordInfo *self, gpointer of);
void _cured_record_add_to_json (const CuredRecordInfo *self, gconstpointer of, JsonObject *json);
gboolean _cured_record_from_json (const CuredRecordInfo *self, JsonObject *json, gpointer of,
                                  GError **error);
gboolean _cured_json_fail (GError **error, const char *name, const char *expected);
