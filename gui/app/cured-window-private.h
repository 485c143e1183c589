/* SPDX-License-Identifier: MIT
 * Shared by the files of the window. cured-window-frame.c shows titles and actions of the selected
 * tab; cured-window-tabs.c has the tabs, cured-window-tour.c the introductory tour. cured-window.c,
 * above all, is the class. */
#pragma once

#include "app/cured-tab-private.h"

struct _CuredWindow
{
  AdwApplicationWindow parent_instance;

  /* Template widgets */
  AdwWindowTitle *title;
  GtkMenuButton *menu, *export;
  GtkWidget *show_details, *compare;
  GtkWidget *run; /* an AdwSplitButton */
  AdwSplitButton *open;
  CuredToastOverlay *toasts;
  CuredKernelList *kernels;
  AdwFlap *sidebar;
  AdwTabBar *tab_bar;
  AdwTabView *tabs;
  GMenu *recent_menu, *preset_menu, *picture_menu, *table_menu;

  /* Borrowed */
  CuredTab *tab;         /* nullable: the selected one; NULL while it is dragged */
  AdwTabPage *menu_page; /* nullable: whose context menu is open */

  GPtrArray *closed; /* Owned: (element-type GFile): of closed tabs, most recent last */

  GtkWidget *tour_card; /* nullable: no tour */
  guint tour_index;     /* of the card */
  guint tour_id;        /* delays the start of the tour */

  gboolean is_closing; /* when its tabs permit it */
  gboolean is_again;   /* closing because of `closable` */

  gboolean is_dragged; /* a tab is dragged; where the tab bar was pressed: */
  double pressed_x, pressed_y;
};

void _cured_window_init_frame (CuredWindow *self);
void _cured_window_update (CuredWindow *self);
void _cured_window_follow (CuredWindow *self);

void _cured_window_class_install_tabs (GtkWidgetClass *klass);
void _cured_window_init_tabs (CuredWindow *self);
void _cured_window_leave_tabs (CuredWindow *self);
CuredTab *_cured_window_add_tab (CuredWindow *self);
void _cured_window_open_file (CuredWindow *self, GFile *file);
gboolean _cured_window_may_close (CuredWindow *self);

void _cured_window_class_install_tour (GtkWidgetClass *klass);
void _cured_window_offer_tour (CuredWindow *self);
void _cured_window_end_tour (CuredWindow *self);
