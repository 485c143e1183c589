/* SPDX-License-Identifier: MIT
 * What the files of the window share. cured-window-frame.c shows things and
 * calls none of the others; cured-window-open.c is what comes in,
 * cured-window-export.c what goes out, cured-window-run.c what the window says of
 * its sweeps, cured-window-tour.c the cards of the first start: they stand side by
 * side on the frame. cured-window.c, on top, is
 * the class. */
#pragma once

#include "banks/cured-bank-page.h"
#include "widgets/cured-chooser.h"
#include "compare/cured-compare-page.h"
#include "model/cured-document.h"
#include "model/cured-inspector.h"
#include "model/cured-loader.h"
#include "model/cured-run-controller.h"
#include "widgets/cured-kernel-list.h"
#include "ladder/cured-ladder-page.h"
#include "sweep/cured-run-bar.h"
#include "source/cured-source-page.h"
#include "start/cured-start-page.h"
#include "sweep/cured-sweep-dialog.h"
#include "widgets/cured-toast-overlay.h"
#include "app/cured-window.h"

G_BEGIN_DECLS

struct _CuredWindow
{
  AdwApplicationWindow parent_instance;

  /* Template widgets */
  AdwWindowTitle *title;
  GtkMenuButton *menu;
  GtkMenuButton *export;
  GtkWidget *show_details;
  GtkWidget *compare;
  GtkWidget *run; /* an AdwSplitButton */
  AdwSplitButton *open;
  GtkWidget *open_another;
  CuredToastOverlay *toasts;
  GtkStack *stack;
  CuredStartPage *start_page;
  AdwStatusPage *loading;
  GtkSpinner *spinner;
  AdwStatusPage *error;
  CuredKernelList *kernels;
  AdwFlap *sidebar;
  AdwViewSwitcher *switcher;
  AdwViewStack *views;
  CuredResultPage *page;
  CuredBankPage *bank_page;
  CuredLadderPage *ladder_page;
  CuredSourcePage *source_page;
  CuredComparePage *compare_page;
  CuredRunBar *run_bar;
  GMenu *recent_menu;
  GMenu *preset_menu;
  GMenu *picture_menu;
  GMenu *table_menu;

  /* Owned */
  CuredDocument *document;
  CuredInspector *inspector;
  GFile *file; /* nullable: the start page */
  CuredLoader *loader;
  CuredRunController *controller; /* of the sweeps */
  char *bare_text;                /* nullable: of a kernel that gets a header */
  GtkPrintSettings *print_settings; /* nullable: nothing was printed yet */

  GtkWidget *tour_card; /* nullable: no tour */
  guint tour_index;     /* of the card */
  guint tour_id;        /* of the tour that begins */

  const CuredExportFormat *export_format; /* that a file is chosen for */
  gboolean is_closing;                    /* when the sweep has ended */
  gboolean is_giving_up;                  /* the edited source may go */
  gboolean is_folding;                    /* a flap moves by itself */
  gboolean is_browsing; /* the file was chosen in the sidebar */
};

void _cured_window_init_frame (CuredWindow *self);
void _cured_window_toast (CuredWindow *self, const char *text);
gboolean _cured_window_shows (CuredWindow *self, const char *name);
void _cured_window_show_view (CuredWindow *self, const char *name);
void _cured_window_show_start (CuredWindow *self);
void _cured_window_show_result (CuredWindow *self, CuredResult *result);
void _cured_window_show_kernel (CuredWindow *self, CuredKernel *kernel);
gboolean _cured_window_is_edited (CuredWindow *self);
gboolean _cured_window_is_idle (CuredWindow *self);
void _cured_window_if_edits_may_go (CuredWindow *self,
                                    void (*proceed) (CuredWindow *self,
                                                     gpointer data),
                                    gpointer data,
                                    GDestroyNotify free_data);
void _cured_window_set_titles (CuredWindow *self,
                               const char *title,
                               const char *subtitle);
void _cured_window_settled (CuredWindow *self);

void _cured_window_class_install_open (GtkWidgetClass *klass);
void _cured_window_init_open (CuredWindow *self);

void _cured_window_class_install_run (GtkWidgetClass *klass);
void _cured_window_init_run (CuredWindow *self);

void _cured_window_class_install_export (GtkWidgetClass *klass);
void _cured_window_init_export (CuredWindow *self);

void _cured_window_class_install_tour (GtkWidgetClass *klass);
void _cured_window_init_tour (CuredWindow *self);
void _cured_window_end_tour (CuredWindow *self);

G_END_DECLS
