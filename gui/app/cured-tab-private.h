/* SPDX-License-Identifier: MIT
 * Shared by the files of the tab. cured-tab-frame.c shows pages and calls none of the others, which
 * use it independently of each other: cured-tab-open.c for input, cured-tab-export.c for output,
 * cured-tab-note.c for notes, cured-tab-run.c for sweeps. cured-tab.c, above all, is the class. */
#pragma once

#include "app/cured-gui-app.h"
#include "banks/cured-gui-banks.h"
#include "compare/cured-gui-compare.h"
#include "folder/cured-gui-folder.h"
#include "ladder/cured-gui-ladder.h"
#include "program/cured-gui-program.h"
#include "source/cured-gui-source.h"
#include "start/cured-gui-start.h"
#include "sweep/cured-gui-sweep.h"

/* An action of the window for its selected tab. */
typedef struct
{
  const char *name;
  const char *parameter; /* nullable: type string */
  void (*activate) (CuredTab *self, const char *action, GVariant *parameter);
  gboolean is_of_file; /* acts on the contents; waits while a file is being read */
} CuredTabAction;

struct _CuredTab
{
  AdwBin parent_instance;

  /* Template widgets */
  GtkStack *stack;
  CuredStartPage *start_page;
  CuredFolderPage *folder_page;
  CuredProgramPage *program_page;
  AdwStatusPage *loading, *error;
  GtkSpinner *spinner;
  GtkWidget *open_another, *switcher;
  CuredLessonBar *lesson_bar;
  AdwViewStack *views;
  CuredResultPage *page;
  CuredRunBar *run_bar;

  /* The other views, nullable: not created yet (_cured_tab_need_view()) */
  CuredBankPage *bank_page;
  CuredLadderPage *ladder_page;
  CuredSourcePage *source_page;
  CuredComparePage *compare_page;

  /* Owned */
  char *title, *subtitle;
  CuredDocument *document;
  CuredInspector *inspector;
  GFile *file;  /* nullable: the start page, or a kernel of the catalogue */
  GFile *other; /* nullable: to compare with, once @file is loaded */
  CuredLoader *loader;
  GFileMonitor *monitor;            /* nullable: of @file */
  const CuredTabAction *awaited;    /* nullable: runs once the file is read */
  GVariant *awaited_parameter;      /* nullable */
  CuredRunController *controller;   /* of the sweeps */
  char *bare_text;                  /* nullable: of a kernel file without a header */
  GtkPrintSettings *print_settings; /* nullable: nothing printed yet */

  const CuredExportFormat *export_format; /* for the file chooser */
  CuredExportOptions export_options;      /* as last chosen */
  gboolean has_export_options;            /* @export_options apply to the chosen file */
  CuredResult *noted;                     /* nullable, owned: its last note can be undone */
  gint64 noted_cell;
  char *note_before;       /* nullable: the previous note of that cell */
  gboolean is_closing;     /* once the sweep has ended */
  gboolean is_giving_up;   /* the user discards the edited source */
  gboolean wants_keys;     /* the map is new and not yet visible */
  GtkWidget *focus_before; /* nullable, weak: when the file was requested */
  gboolean is_browsing;    /* the file was chosen in the sidebar */
};

/* Each ends with a row whose name is NULL. */
extern const CuredTabAction _cured_tab_actions[];
extern const CuredTabAction _cured_tab_run_actions[];
extern const CuredTabAction _cured_tab_export_actions[];
extern const CuredTabAction _cured_tab_note_actions[];

void _cured_tab_init_frame (CuredTab *self);
void _cured_tab_settled (CuredTab *self);
void _cured_tab_toast (CuredTab *self, const char *text);
void _cured_tab_call (CuredTab *self);
void _cured_tab_let_go (CuredTab *self);
GtkWindow *_cured_tab_get_parent (CuredTab *self);
GtkWidget *_cured_tab_get_shown (CuredTab *self);
void _cured_tab_remember_file (GFile *file);
void _cured_tab_stop_watching (CuredTab *self);
void _cured_tab_need_view (CuredTab *self, const char *name);
void _cured_tab_choose_view (CuredTab *self, const char *name);
GtkWidget *_cured_tab_get_view (CuredTab *self);
gboolean _cured_tab_shows (CuredTab *self, const char *name);
void _cured_tab_show_view (CuredTab *self, const char *name);
void _cured_tab_await (CuredTab *self, const CuredTabAction *action, GVariant *parameter);
void _cured_tab_show_start (CuredTab *self);
void _cured_tab_take_keys (CuredTab *self);
void _cured_tab_show_folder (CuredTab *self);
void _cured_tab_show_program (CuredTab *self);
void _cured_tab_show_result (CuredTab *self, CuredResult *result);
void _cured_tab_show_kernel (CuredTab *self, CuredKernel *kernel);
gboolean _cured_tab_is_edited (CuredTab *self);
gboolean _cured_tab_is_idle (CuredTab *self);
void _cured_tab_if_edits_may_go (CuredTab *self, void (*proceed) (CuredTab *self, gpointer data),
                                 gpointer data, GDestroyNotify free_data);
void _cured_tab_set_titles (CuredTab *self, const char *title, const char *subtitle);

void _cured_tab_init_open (CuredTab *self);
gboolean _cured_tab_is_reading (CuredTab *self);
void _cured_tab_act (CuredTab *self, const CuredTabAction *action, GVariant *parameter);
void _cured_tab_open_kernel (CuredTab *self, const char *id, const char *path);

gboolean _cured_tab_has_table (CuredTab *self);

void _cured_tab_init_run (CuredTab *self);
