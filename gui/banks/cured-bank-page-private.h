/* SPDX-License-Identifier: MIT
 * Shared by the files of the bank page. */
#pragma once

#include "banks/cured-gui-banks.h"

struct _CuredBankPage
{
  CuredPage page;

  /* Template widgets */
  GtkWidget *choosers, *show_text, *show_flow, *title_row, *show_source, *flow_window,
      *threads_window;
  CuredPointButton *point;
  GtkDropDown *launch, *pattern;
  GtkSpinButton *block, *warp;
  GtkSpinner *spinner, *busy_spinner;
  GtkToggleButton *compare, *addresses, *flow, *threads;
  GtkLabel *note, *site_title, *widths, *read_out;
  GtkStack *stack;
  AdwStatusPage *empty;
  GtkPaned *paned;
  CuredBankSites *sites;
  CuredBankPlayer *player;
  GtkBox *sides;
  CuredPicture *flow_chart, *thread_chart;
  CuredBankSide *first, *second;

  /* Owned */
  CuredKernel *kernel;   /* nullable: for which the controls are set */
  CuredInspector *other; /* with another value of @parameter, or of @rival */
  GSignalGroup *other_signals;
  GtkWidget *first_head, *second_head;
  CuredAxis *choices;   /* nullable: values of @parameter */
  CuredDocument *rival; /* nullable: with another kernel for the second side */
  char *launches;       /* nullable: text of the list of launches */

  /* Borrowed: in the heads */
  GtkLabel *first_title;
  GtkDropDown *parameter_list, *value_list;

  CuredBankAccess drawn; /* the first side's latest */
  gsize parameter;       /* of the kernel: which differs between the sides */
  gint64 value;          /* of the second side */
  gboolean is_held, is_wide;
  gboolean is_tight; /* for @choosers with the button's text */
  gboolean was_laid_out;
  int roomy; /* width required by @choosers with the text */
  guint layout_id, fit_id;
  gulong selected_id; /* of @sites */
};

CuredBankView *_cured_bank_page_get_view (CuredInspector *inspector);
gboolean _cured_bank_page_is_comparing (CuredBankPage *self);
void _cured_bank_page_update_query (CuredBankPage *self);
void _cured_bank_page_spun_cb (CuredBankPage *self, GtkSpinButton *widget);
void _cured_bank_page_launch_cb (CuredBankPage *self);
void _cured_bank_page_follow_point (CuredBankPage *self);
void _cured_bank_page_watch_other (CuredBankPage *self, CuredInspector *other);
void _cured_bank_page_set_rival (CuredBankPage *self, const char *id);
void _cured_bank_page_show_first_title (CuredBankPage *self);
void _cured_bank_page_fill_values (CuredBankPage *self);
void _cured_bank_page_choose_value (CuredBankPage *self);
gboolean _cured_bank_page_has_choices (CuredBankPage *self, gsize parameter);
gboolean _cured_bank_page_choose_parameter (CuredBankPage *self);
void _cured_bank_page_hold_other (CuredBankPage *self);
void _cured_bank_page_show_sides (CuredBankPage *self);
void _cured_bank_page_start_comparing (CuredBankPage *self);
void _cured_bank_page_take_parameter (CuredBankPage *self);
void _cured_bank_page_take_value (CuredBankPage *self);
