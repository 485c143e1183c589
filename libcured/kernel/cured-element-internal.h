/* SPDX-License-Identifier: MIT
 * The fields of a buffer's elements and of a launch's arguments. */
#pragma once

#include "kernel/cured-kernel.h"

/* Limits of one element: fields and bytes. */
#define CURED_RECORD_MAX_FIELDS 256
#define CURED_RECORD_MAX_BYTES  4096

gsize cured_element_get_size (CuredElement type);
const char *cured_element_to_string (CuredElement type);
gboolean cured_element_from_string (const char *word, CuredElement *type);
gboolean cured_element_is_integer (CuredElement type);
void cured_element_get_range (CuredElement type, gint64 *low, gint64 *high);
double cured_element_get_largest (CuredElement type);
double cured_element_get_default_relative (CuredElement type);
gboolean cured_element_tells_poison (CuredElement type);
double cured_element_load (CuredElement type, const void *data);
gint64 cured_element_load_integer (CuredElement type, const void *data);
void cured_element_store (CuredElement type, void *data, double value);
void cured_element_store_integer (CuredElement type, void *data, guint64 value);
double cured_element_step_down (CuredElement type, double value);
gboolean cured_element_find_c_type (const char *name, CuredElement *type, guint *count);

CuredRecord *cured_record_new_vector (CuredElement type, guint count);
CuredRecord *_cured_record_new_from_source (const char *source, const char *name, GError **error);
gboolean _cured_type_parse (const char *text, const char *source, CuredElement *type,
                            CuredRecord **record, GError **error);
void cured_record_free (CuredRecord *self);
gboolean cured_record_equal (const CuredRecord *self, const CuredRecord *other);
gboolean cured_record_has_pointer (const CuredRecord *self);

gsize cured_buffer_get_element_size (const CuredBuffer *self);
gboolean cured_buffer_get_channels (const CuredBuffer *self, CuredElement *type, guint *n_channels);
const char *cured_buffer_get_type_name (const CuredBuffer *self);
gboolean cured_buffer_has_type_of (const CuredBuffer *self, const CuredBuffer *other);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredRecord, cured_record_free)
