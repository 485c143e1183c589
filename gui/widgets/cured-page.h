/* SPDX-License-Identifier: MIT
 * Base class of a tab's pages: the document, visibility and export. */
#pragma once

#include <adwaita.h>

#include "model/cured-inspector.h"

#define CURED_TYPE_PAGE            (cured_page_get_type ())
#define CURED_PAGE(object)         ((CuredPage *) (object))
#define CURED_PAGE_CLASS(klass)    ((CuredPageClass *) (klass))
#define CURED_PAGE_GET_CLASS(self) ((CuredPageClass *) G_OBJECT_GET_CLASS (self))

/* A page of a tab. Its template has a stack `stack` with the page `empty`, an AdwStatusPage
 * `empty`, and perhaps a page `loading` with a `spinner`. */
typedef struct
{
  AdwBin parent_instance;

  CuredDocument *document;   /* what it shows */
  CuredInspector *inspector; /* (nullable): that runs for it while it is seen */
  CuredResult *result;       /* (nullable): the document's, whose cells are watched */
  gboolean is_stale;         /* nobody looked since it was to be refreshed */
} CuredPage;

/* @opened: (nullable): the document is there; without it, @changed tells of everything; @changed:
 * (nullable): something else is in it; @refresh: (nullable): shows what the document has now;
 * called while somebody looks; @held: (nullable): somebody looks, at what needs no @refresh, or
 * does not any more; the inspector runs meanwhile, for pages that have this; @get_drawing:
 * (transfer full) (nullable): what is seen now; NULL: nothing */
typedef struct
{
  AdwBinClass parent_class;

  void (*opened) (CuredPage *self);
  void (*changed) (CuredPage *self, CuredDocumentChange what);
  void (*cell_changed) (CuredPage *self); /* (nullable): a sweep runs */
  void (*refresh) (CuredPage *self);
  void (*held) (CuredPage *self, gboolean is_held);
  CuredDrawing *(*get_drawing) (CuredPage *self);
} CuredPageClass;

GType cured_page_get_type (void);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredPage, g_object_unref)

/* In class_init(): what a page does, which takes the instance as what it is. */
#define CURED_PAGE_DOES(method, function)                                                          \
  CURED_PAGE_CLASS (klass)->method =                                                               \
      (__typeof__ (CURED_PAGE_CLASS (klass)->method)) (void (*) (void)) function

void cured_page_open (gpointer self, CuredDocument *document, CuredInspector *inspector);
void cured_page_refresh_soon (gpointer self);
void cured_page_show (gpointer self, const char *name);
void cured_page_show_empty (gpointer self, const char *icon, const char *title,
                            const char *description);
CuredDrawing *cured_page_get_drawing (gpointer self);

/* @bytes is NULL where @path was written, or @error says why not. */
typedef void (*CuredWrittenFunc) (gpointer owner, const char *path, GBytes *bytes,
                                  const GError *error);

void cured_page_write (gpointer owner, CuredDrawing *drawing, const CuredExportFormat *format,
                       const CuredExportOptions *options, const char *path,
                       CuredWrittenFunc written);
