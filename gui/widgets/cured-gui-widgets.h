/* SPDX-License-Identifier: MIT
 * Widgets and texts that pages share. */
#pragma once

#include <adwaita.h>

#include "model/cured-gui-model.h"

/* ---- Widget classes with a template, and helpers for widgets ---- */

void cured_template_set (gpointer klass, const char *name);
void cured_template_dispose (GObject *object);
GtkWidget *cured_widget_new (GType type, const char *classes, const char *first,
                             ...) G_GNUC_NULL_TERMINATED;
GtkWidget *cured_widget_new_row (const char *title, const char *subtitle, int subtitle_lines);
void cured_widget_lead_on (gpointer row);
GtkWidget *cured_widget_add_row (gpointer list, int spacing, const char *name, const char *tooltip);
void cured_widget_empty (gpointer widget);
void cured_widget_name (gpointer widget, const char *name, const char *description);
void cured_widget_set_class (gpointer widget, const char *css_class, gboolean is_set);
void cured_widget_say (gpointer label, const char *text);
void cured_widget_print (gpointer label, const char *format, ...) G_GNUC_PRINTF (2, 3);
void cured_widget_cut (gpointer label);
void cured_widget_cut_long (gpointer label, int n_characters);
gboolean cured_widget_may_focus (gpointer widget, GtkWidget *before);

/* Appends up to eight children to a box. */
#define CURED_APPEND(box, ...)                                                                     \
  do                                                                                               \
    {                                                                                              \
      GtkBox *box_of_children = GTK_BOX (box);                                                     \
      CURED_MAP (CURED_APPEND_CHILD, box_of_children, 0, __VA_ARGS__);                             \
    }                                                                                              \
  while (0)
#define CURED_APPEND_CHILD(box, x, child) gtk_box_append (box, GTK_WIDGET (child))

/* Defines a final class whose instances are initialized from their template. */
#define CURED_DEFINE_TEMPLATE_TYPE(Type, prefix, PARENT)                                           \
  G_DEFINE_FINAL_TYPE (Type, prefix, PARENT)                                                       \
  static void prefix##_init (Type *self) { gtk_widget_init_template (GTK_WIDGET (self)); }

/* In class_init(): binds children of the template, binds handlers, registers child classes. */
#define CURED_BIND(Type, ...) CURED_MAP (CURED_BIND_CHILD, Type, 0, __VA_ARGS__)
#define CURED_CALLBACKS(...)  CURED_MAP (CURED_BIND_CALLBACK, 0, 0, __VA_ARGS__)
#define CURED_NEEDS(...)      CURED_MAP (CURED_ENSURE, 0, 0, __VA_ARGS__)
/* In class_init(): installs an action, whose function takes the instance as its own type. */
#define CURED_ACTION(name, parameter, activate)                                                    \
  gtk_widget_class_install_action (GTK_WIDGET_CLASS (klass), name, parameter,                      \
                                   (GtkWidgetActionActivateFunc) activate)
#define CURED_BIND_CHILD(Type, x, name)                                                            \
  gtk_widget_class_bind_template_child (GTK_WIDGET_CLASS (klass), Type, name)
#define CURED_BIND_CALLBACK(x, y, name)                                                            \
  gtk_widget_class_bind_template_callback (GTK_WIDGET_CLASS (klass), name)
#define CURED_ENSURE(x, y, NAME) g_type_ensure (CURED_TYPE_##NAME)

/* ---- Questions over a window ---- */

typedef struct
{
  const char *id; /* NULL: the row after the last */
  const char *label;
  AdwResponseAppearance appearance;
} CuredAnswer;

typedef void (*CuredResponseFunc) (gpointer owner, const char *id, AdwMessageDialog *dialog);

extern const CuredAnswer cured_answer_close[];

AdwMessageDialog *cured_ask (GtkWindow *parent, const char *title, const char *text,
                             const CuredAnswer *answers, gpointer owner, CuredResponseFunc asked);

/* ---- Items of drop-downs, with a title, a tooltip and perhaps a picture ---- */

#define CURED_TYPE_CHOICE (cured_choice_get_type ())
G_DECLARE_FINAL_TYPE (CuredChoice, cured_choice, CURED, CHOICE, GObject)

CuredChoice *cured_choice_new (gsize index, const char *title, const char *detail,
                               const char *tooltip, GdkPaintable *picture);
gsize cured_choice_get_index (CuredChoice *self);
const char *cured_choice_get_title (CuredChoice *self);

void cured_choice_add (GListStore *choices, gsize index, const char *title, const char *detail,
                       const char *tooltip);
void cured_choice_connect (GtkDropDown *drop_down, GCallback chosen_cb, gpointer data);
void cured_choice_bind (GtkDropDown *drop_down, gpointer object, const char *property);
void cured_choice_fill (GtkDropDown *drop_down, GListStore *choices, gsize selected);
gboolean cured_choice_get_selected (GtkDropDown *drop_down, gsize *index);
void cured_choice_set_selected (GtkDropDown *drop_down, gsize index);

/* ---- Asks for files to open or to write ---- */

/* Files to choose from. */
typedef struct
{
  const char *title;
  const char *suffixes[4]; /* without their dots; none: any file */
} CuredChooserFilter;

/* A question for files. All is copied. */
typedef struct
{
  GtkFileChooserAction action;
  const char *title;
  const char *accept;                /* the button, with its mnemonic */
  const char *name;                  /* nullable: of a file to write */
  GFile *folder;                     /* nullable: initial folder; NULL: the last chooser's */
  GFile *beside;                     /* nullable: file whose folder is the fallback */
  const CuredChooserFilter *filters; /* nullable */
  gsize n_filters;
  gboolean is_multiple; /* of files to open */
  /* (nullable): takes all files of @is_multiple at once; NULL: a CuredChosenFunc takes them one by
   * one */
  void (*all_chosen) (gpointer self, GListModel *files);
} CuredChooser;

/* Called once for each chosen file, or once with NULL for none. @self: the object that asked;
 * @file: (nullable) */
typedef void (*CuredChosenFunc) (gpointer self, GFile *file);

void cured_chooser_ask (gpointer self, const CuredChooser *chooser, CuredChosenFunc chosen);

/* ---- A diff of two texts, below a description ---- */

#define CURED_TYPE_DIFF_VIEW (cured_diff_view_get_type ())
/* A read-only text. The diff comes from a diff(1) process; the buffer's `changed` signals its
 * arrival. */
G_DECLARE_FINAL_TYPE (CuredDiffView, cured_diff_view, CURED, DIFF_VIEW, GtkTextView)

void cured_diff_view_show (CuredDiffView *self, const char *prose, const char *old_name,
                           const char *old_text, const char *new_name, const char *new_text);
void cured_diff_view_clear (CuredDiffView *self);
char *cured_diff_view_get_text (CuredDiffView *self);

/* ---- The list of all kernels, by family, with a search ---- */

#define CURED_TYPE_KERNEL_LIST (cured_kernel_list_get_type ())
/* Signals: `chosen` (const char *id): a kernel of the catalogue was activated; `loaded`: the
 * kernels were loaded, which takes a moment. */
G_DECLARE_FINAL_TYPE (CuredKernelList, cured_kernel_list, CURED, KERNEL_LIST, AdwBin)

void cured_kernel_list_set_shown (CuredKernelList *self, const char *id);
gboolean cured_kernel_list_is_loaded (CuredKernelList *self);
const char *cured_kernel_list_get_recording (CuredKernelList *self, const char *id);

/* ---- Rows of lists, their widgets and items ---- */

/* How a list makes its rows. @show: shows an item in the row; in a tree, the tree row's item */
typedef struct
{
  const char *ui; /* (nullable): the resource with the row as its object `row`; NULL: a label */
  const char *classes; /* (nullable): of the label, separated by spaces */
  void (*show) (GtkWidget *row, gpointer item, gpointer data);
  const char *signal; /* (nullable): an item's signal that updates its row */
} CuredListRows;

GtkListItemFactory *cured_list_rows_new (const CuredListRows *rows, gpointer data);
gpointer cured_list_rows_get (GtkWidget *row, const char *id);
void cured_list_rows_set_text (GtkWidget *row, const char *id, const char *text);

/* ---- Menu items, and recently opened files ---- */

void cured_menu_append_name (GMenu *menu, const char *name, const char *action, const char *target);
GPtrArray *cured_menu_list_recent (const char *const *suffixes);

/* ---- Base class of a tab's pages: the document, visibility and export ---- */

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
  CuredInspector *inspector; /* (nullable): held while the page is visible */
  CuredResult *result;       /* (nullable): the document's, whose cells are watched */
  gboolean is_stale;         /* to be refreshed when next shown */
} CuredPage;

/* @opened: (nullable): called when the document is set; if NULL, @changed is called with all flags;
 * @changed: (nullable): called when the document changed; @refresh: (nullable): shows the current
 * document; called while the page is shown; @held: (nullable): called when the page is shown and
 * needs no @refresh, and when it is hidden; the inspector is held meanwhile, for pages with this;
 * @get_drawing: (transfer full) (nullable): the current content; NULL: none */
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

/* In class_init(): sets a method, whose function takes the instance as its own type. */
#define CURED_PAGE_DOES(method, function)                                                          \
  CURED_PAGE_CLASS (klass)->method =                                                               \
      (__typeof__ (CURED_PAGE_CLASS (klass)->method)) (void (*) (void)) function

void cured_page_open (gpointer self, CuredDocument *document, CuredInspector *inspector);
void cured_page_refresh_soon (gpointer self);
void cured_page_show (gpointer self, const char *name);
void cured_page_show_empty (gpointer self, const char *icon, const char *title,
                            const char *description);
CuredDrawing *cured_page_get_drawing (gpointer self);

/* @bytes: (nullable): NULL if written to @path, or on error. @error: (nullable). */
typedef void (*CuredWrittenFunc) (gpointer owner, const char *path, GBytes *bytes,
                                  const GError *error);

void cured_page_write (gpointer owner, CuredDrawing *drawing, const CuredExportFormat *format,
                       const CuredExportOptions *options, const char *path,
                       CuredWrittenFunc written);

/* ---- Panes that remember whether they are shown ---- */

void cured_pane_remember (AdwFlap *flap, const char *key);
void cured_pane_ask (AdwFlap *flap, gboolean is_asked);

/* ---- A chart of any kind on screen ---- */

#define CURED_TYPE_PICTURE (cured_picture_get_type ())
/* Shows a #CuredChart of any kind, and handles pointer, keys, scrolling and accessibility; follows
 * the desktop's text size and colour scheme. Properties: `hint`: describes the keys to screen
 * readers; `text-scale`: size of the text relative to labels. Signals: `pointed`: the item under
 * the pointer, the marked item or the chart changed; `marked`: the user marked another item;
 * `activated`: the user activated the marked item; `step` (int by), `play`: the user pressed a
 * player's key. */
G_DECLARE_FINAL_TYPE (CuredPicture, cured_picture, CURED, PICTURE, GtkWidget)

void cured_picture_set_chart (CuredPicture *self, CuredChart *chart, gssize item);
CuredChart *cured_picture_get_chart (CuredPicture *self);
void cured_picture_set_item (CuredPicture *self, gssize item);
gssize cured_picture_get_item (CuredPicture *self);
gssize cured_picture_get_pointed (CuredPicture *self);
void cured_picture_set_step (CuredPicture *self, gssize step, gssize item);
gssize cured_picture_get_step (CuredPicture *self);
char *cured_picture_get_read_out (CuredPicture *self);
void cured_picture_set_tooltips (CuredPicture *self, GStrv tooltips);

/* ---- The look of a plot in a window: its colours and its text ---- */

gboolean cured_plot_look_update (CuredPlotStyle *style, GtkWidget *widget, double text_scale);

/* ---- A button that shows and changes a document's point ---- */

#define CURED_TYPE_POINT_BUTTON (cured_point_button_get_type ())
G_DECLARE_FINAL_TYPE (CuredPointButton, cured_point_button, CURED, POINT_BUTTON, AdwBin)

void cured_point_button_set_document (CuredPointButton *self, CuredDocument *document);
const char *cured_point_button_get_text (CuredPointButton *self);

/* ---- Texts about cells and figures ---- */

/* Maximum number of lines in a tooltip */
#define CURED_TEXT_TOOLTIP_LINES 12

const char *cured_text_origin (CuredOrigin origin);
char *cured_text_metric (const CuredMetricInfo *metric);
char *cured_text_metric_of (CuredResult *result, const CuredMetricInfo *metric);
char *cured_text_metric_tooltip (const CuredMetricInfo *metric);
char *cured_text_grouped (const char *text);
char *cured_text_values (CuredResult *result, gint64 cell, gboolean all);
char *cured_text_figure (CuredResult *result, gint64 cell, gsize metric);
char *cured_text_read_out (const CuredGrid *grid, gsize column, gsize row);
char *cured_text_selection (const CuredGrid *grid, const CuredGridSummary *summary);
char *cured_text_cell (CuredResult *result, gint64 cell, const CuredOutcome *outcome);
char *cured_text_first_lines (const char *text, guint n_lines);
char *cured_text_failures (const gint64 *n_states);
char *cured_text_file (GFile *file);
char *cured_text_place (const char *path);
char *cured_text_device (const CuredDeviceInfo *device);

/* ---- Short messages over what is shown, one at a time ---- */

#define CURED_TYPE_TOAST_OVERLAY (cured_toast_overlay_get_type ())
/* Shows a message over `child` for some seconds. A new message replaces the old one at once; Escape
 * dismisses it.
 *
 * AdwToastOverlay of libadwaita 1.2 crashes if a toast is shown or dismissed during another one's
 * animation. */
G_DECLARE_FINAL_TYPE (CuredToastOverlay, cured_toast_overlay, CURED, TOAST_OVERLAY, GtkWidget)

/* Called when a message's button is clicked. @data: of cured_toast_overlay_offer() */
typedef void (*CuredToastFunc) (CuredToastOverlay *self, gpointer data);

void cured_toast_overlay_show (CuredToastOverlay *self, const char *text);
void cured_toast_overlay_offer (CuredToastOverlay *self, const char *text, const char *label,
                                CuredToastFunc func, gpointer data, GDestroyNotify free_data);
const char *cured_toast_overlay_get_text (CuredToastOverlay *self);
