/* SPDX-License-Identifier: MIT
 * The document of a tab: a kernel, a result, and a point of its parameters. */
#pragma once

#include "model/cured-map-view.h"

/* What changed; several at once, since each edit of a kernel may bring other values. */
typedef enum
{
  CURED_DOCUMENT_RESULT = 1 << 0, /* another result, or none: something was opened */
  CURED_DOCUMENT_KERNEL = 1 << 1, /* another kernel, or none, or an edited one */
  CURED_DOCUMENT_POINT = 1 << 2,  /* a parameter has another value */
  CURED_DOCUMENT_SOURCE = 1 << 3, /* the text, whether it can be parsed or not */
  CURED_DOCUMENT_LINE = 1 << 4,   /* another line of the source is looked at */
  CURED_DOCUMENT_EVERYTHING = (1 << 5) - 1,
} CuredDocumentChange;

#define CURED_TYPE_DOCUMENT (cured_document_get_type ())
/* The one model that the pages of a tab share. Main thread only. Signal `changed`
 * (CuredDocumentChange what): one for each change, after everything is up to date. Property
 * `map-view`: how the result's map is seen. */
G_DECLARE_FINAL_TYPE (CuredDocument, cured_document, CURED, DOCUMENT, GObject)

CuredDocument *cured_document_new (void);
void cured_document_set_result (CuredDocument *self, CuredResult *result);
void cured_document_set_kernel (CuredDocument *self, CuredKernel *kernel);
CuredResult *cured_document_get_result (CuredDocument *self);
CuredKernel *cured_document_get_kernel (CuredDocument *self);
CuredMapView *cured_document_get_map_view (CuredDocument *self);
const CuredLimits *cured_document_get_limits (CuredDocument *self);

const gint64 *cured_document_get_point (CuredDocument *self, gsize *n_values);
char *cured_document_describe_point (CuredDocument *self);
void cured_document_set_value (CuredDocument *self, gsize parameter, gint64 value);
CuredAxis *cured_document_get_choices (CuredDocument *self, gsize parameter);
gint64 cured_document_get_cell (CuredDocument *self);
gint64 cured_document_find_measured (CuredDocument *self, CuredKernel *kernel,
                                     const gint64 *values);
void cured_document_set_cell (CuredDocument *self, gint64 cell);

const char *cured_document_get_source (CuredDocument *self);
void cured_document_set_source (CuredDocument *self, const char *source);
const char *cured_document_get_original (CuredDocument *self);
void cured_document_set_original (CuredDocument *self, const char *source);
gboolean cured_document_is_edited (CuredDocument *self);
const GError *cured_document_get_source_error (CuredDocument *self);

int cured_document_get_line (CuredDocument *self);
void cured_document_set_line (CuredDocument *self, int line);
