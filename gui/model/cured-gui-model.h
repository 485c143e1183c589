/* SPDX-License-Identifier: MIT
 * Models of the window: documents, sweeps and inspections, and macros for classes. */
#pragma once

#include <gio/gio.h>
#include <glib/gi18n.h>

#include "cured-plot.h"

/* ---- Macros to declare a class's signals, properties, owned fields and timers ---- */

typedef enum
{
  CURED_OWNED_OBJECT, /* unreferenced and disconnected in dispose() */
  CURED_OWNED_TIMER,  /* removed in dispose() */
  CURED_OWNED_MEMORY, /* freed in finalize() */
} CuredOwned;

typedef void (*CuredCallFunc) (gpointer self);
typedef gboolean (*CuredIsFunc) (gpointer self);
typedef void (*CuredSetFunc) (gpointer self, const GValue *value);

void cured_class_own (gpointer klass, CuredOwned kind, gsize offset, GDestroyNotify drop);
void cured_class_add_signal (gpointer klass, const char *name, guint n_types, ...);
void cured_class_add_property (gpointer klass, const char *name, GType type, gsize offset,
                               CuredIsFunc is, CuredSetFunc set);
void cured_class_call_later (gpointer self, guint *id, guint delay_ms, CuredCallFunc call);
void cured_class_drop (GObject *object);
void cured_set_string (char **field, const char *text);
void cured_class_dispose (GObject *object);
void cured_class_finalize (GObject *object);

/* Defines a final class whose instances are initialized to zero. */
#define CURED_DEFINE_PLAIN_TYPE(Type, prefix, PARENT)                                              \
  G_DEFINE_FINAL_TYPE (Type, prefix, PARENT)                                                       \
  static void prefix##_init (Type *self) {}

/* Defines prefix_new (). */
#define CURED_DEFINE_NEW(Type, prefix)                                                             \
  Type *prefix##_new (void) { return g_object_new (prefix##_get_type (), NULL); }

/* clang-format off */
/* Expands to macro (Type, argument, name) for up to eight names. */
#define CURED_MAP(macro, Type, arg, ...)                                                           \
  CURED_MAP_PICK (__VA_ARGS__, CURED_MAP_8, CURED_MAP_7, CURED_MAP_6, CURED_MAP_5, CURED_MAP_4,    \
                  CURED_MAP_3, CURED_MAP_2, CURED_MAP_1, 0) (macro, Type, arg, __VA_ARGS__)
#define CURED_MAP_PICK(a, b, c, d, e, f, g, h, macro, ...) macro
#define CURED_MAP_1(m, T, x, a) m (T, x, a)
#define CURED_MAP_2(m, T, x, a, ...) m (T, x, a); CURED_MAP_1 (m, T, x, __VA_ARGS__)
#define CURED_MAP_3(m, T, x, a, ...) m (T, x, a); CURED_MAP_2 (m, T, x, __VA_ARGS__)
#define CURED_MAP_4(m, T, x, a, ...) m (T, x, a); CURED_MAP_3 (m, T, x, __VA_ARGS__)
#define CURED_MAP_5(m, T, x, a, ...) m (T, x, a); CURED_MAP_4 (m, T, x, __VA_ARGS__)
#define CURED_MAP_6(m, T, x, a, ...) m (T, x, a); CURED_MAP_5 (m, T, x, __VA_ARGS__)
#define CURED_MAP_7(m, T, x, a, ...) m (T, x, a); CURED_MAP_6 (m, T, x, __VA_ARGS__)
#define CURED_MAP_8(m, T, x, a, ...) m (T, x, a); CURED_MAP_7 (m, T, x, __VA_ARGS__)
/* clang-format on */

/* In class_init() of a final class: fields that own an object, a timer, or memory freed by
 * @free. */
#define CURED_OWNS(Type, ...)        CURED_MAP (CURED_OWNS_OBJECT, Type, 0, __VA_ARGS__)
#define CURED_TIMERS(Type, ...)      CURED_MAP (CURED_OWNS_TIMER, Type, 0, __VA_ARGS__)
#define CURED_FREES(Type, free, ...) CURED_MAP (CURED_OWNS_MEMORY, Type, free, __VA_ARGS__)
#define CURED_OWNS_OBJECT(Type, x, name)                                                           \
  cured_class_own (klass, CURED_OWNED_OBJECT, G_STRUCT_OFFSET (Type, name), g_object_unref)
#define CURED_OWNS_TIMER(Type, x, name)                                                            \
  cured_class_own (klass, CURED_OWNED_TIMER, G_STRUCT_OFFSET (Type, name), NULL)
#define CURED_OWNS_MEMORY(Type, free, name)                                                        \
  cured_class_own (klass, CURED_OWNED_MEMORY, G_STRUCT_OFFSET (Type, name), (GDestroyNotify) free)

/* In class_init(): a property with the value of a field, or a flag computed by a function. @set:
 * (nullable): setter; changes are announced by g_object_notify(). */
#define CURED_PROPERTY(Type, name, TYPE, field, set)                                               \
  cured_class_add_property (klass, name, TYPE, G_STRUCT_OFFSET (Type, field), NULL,                \
                            (CuredSetFunc) set)
#define CURED_FLAG(name, is)                                                                       \
  cured_class_add_property (klass, name, G_TYPE_BOOLEAN, 0, (CuredIsFunc) is, NULL)

/* Calls @function (self) once, after @delay_ms or, if that is 0, when idle. @field of self is the
 * source's id until then; a pending call is replaced. */
#define CURED_LATER(field, delay_ms, function)                                                     \
  cured_class_call_later (self, &self->field, delay_ms, (CuredCallFunc) function)

/* Connects @callback, with self as its first argument, until one of the two objects is gone. */
#define CURED_CONNECT(instance, signal, callback)                                                  \
  g_signal_connect_object (instance, signal, G_CALLBACK (callback), self, G_CONNECT_SWAPPED)

/* ---- Work in a thread, for an object of the main thread ---- */

/* All background work of the window consists of tasks. The thread holds no reference to the owner,
 * so references are only dropped in the main thread. If the owner is disposed of while its task
 * runs, the task is cancelled. Everything a task has is freed in the main thread. */
typedef struct _CuredTask CuredTask;

typedef struct
{
  void (*work) (CuredTask *task);                 /* in a thread: sets @output or @error */
  void (*done) (gpointer owner, CuredTask *task); /* main thread; never after a cancel */
  GDestroyNotify free_input;                      /* nullable */
  GDestroyNotify free_output;                     /* nullable */
  int priority;                                   /* like that of a #GSource */
} CuredTaskKind;

/* The functions of a task; @done takes the owner as its own type. */
#define CURED_TASK_KIND(work_, done_, free_input_, free_output_)                                   \
  {                                                                                                \
    .work = work_, .done = (void (*) (gpointer, CuredTask *)) done_,                               \
    .free_input = (GDestroyNotify) free_input_, .free_output = (GDestroyNotify) free_output_       \
  }

struct _CuredTask
{
  gpointer input;
  gpointer output; /* nullable; done() may steal it, like @error */
  GError *error;   /* nullable */
  GCancellable *cancellable;

  /*< private >*/
  const CuredTaskKind *kind;
  GObject *owner; /* nullable: NULL after a cancel */
  CuredTask **slot;
};

void cured_task_start (CuredTask **slot, gpointer owner, const CuredTaskKind *kind, gpointer input);
void cured_task_cancel (CuredTask **slot);

/* ---- The view of a result on a map, to which all controls bind ---- */

#define CURED_TYPE_MAP_VIEW (cured_map_view_get_type ())
/* A result, or a pair of results, and its view: metric, axes, slice, contour and colours; and in
 * the resulting grid, the cursor, the selected cells and the cell whose details are shown, which is
 * the cursor's.
 *
 * Controls change the view with a property or a function and follow it with `notify`. All
 * properties are up to date before the first notification, so the order of handlers does not
 * matter.
 *
 * Numeric properties are those of a #CuredView: `metric`, `x-axis`, `y-axis`, and `contour`, one
 * more than the metric's index, or 0. `colours` is an index into cured_colour_map_list(). Booleans
 * are `has-y-axis`, `logarithmic`, `relative`, `fit-colours`, whether a zoomed map's colours are
 * scaled to its visible cells, `region`, `best-over`, `marginals`, `hide-alike` and `is-live`,
 * whether a sweep is filling the result. `logarithmic`, `relative` and `fit-colours` are remembered
 * for each metric. `limits` is whether the user set the limits of the colours. `result`, `grid`,
 * `positions`, `cursor`, `selection` and `cell` exist only for their notifications; functions
 * return their values. */
G_DECLARE_FINAL_TYPE (CuredMapView, cured_map_view, CURED, MAP_VIEW, GObject)

/* The values of one parameter covered by a selection of cells. */
typedef struct
{
  gsize axis;   /* of the result; CURED_AXIS_NONE: no parameter in this direction */
  gsize first;  /* index of a value of the axis */
  gsize last;   /* likewise, at least @first */
  gint64 least; /* minimum of the values from @first to @last */
  gint64 most;
} CuredSelectedAxis;

CuredMapView *cured_map_view_new (void);
void cured_map_view_set_result (CuredMapView *self, CuredResult *result, gint64 cell);
void cured_map_view_set_pair (CuredMapView *self, CuredResult *a, CuredResult *b);
void cured_map_view_load_pair (CuredMapView *self, CuredResult *a, CuredResult *b);
CuredResult *cured_map_view_get_result (CuredMapView *self);
const CuredView *cured_map_view_get_view (CuredMapView *self);
const CuredGrid *cured_map_view_get_grid (CuredMapView *self);
gboolean cured_map_view_is_live (CuredMapView *self);

void cured_map_view_refresh (CuredMapView *self);
void cured_map_view_set_metric (CuredMapView *self, gsize metric);
void cured_map_view_set_limits (CuredMapView *self, const CuredColourLimits *limits);
void cured_map_view_set_axes (CuredMapView *self, gsize x_axis, gsize y_axis);
void cured_map_view_swap_axes (CuredMapView *self);
void cured_map_view_set_position (CuredMapView *self, gsize axis, gsize position);
void cured_map_view_set_positions (CuredMapView *self, const gsize *positions);

gboolean cured_map_view_get_cursor (CuredMapView *self, gsize *column, gsize *row);
void cured_map_view_set_cursor (CuredMapView *self, gsize column, gsize row);
gssize cured_map_view_get_best (CuredMapView *self);
void cured_map_view_go_to_best (CuredMapView *self);

gint64 cured_map_view_get_cell (CuredMapView *self);
void cured_map_view_set_cell (CuredMapView *self, gint64 cell);
void cured_map_view_choose_cursor (CuredMapView *self);
gboolean cured_map_view_is_best (CuredMapView *self, gint64 cell);

gboolean cured_map_view_get_selection (CuredMapView *self, CuredGridRect *rect);
void cured_map_view_set_selection (CuredMapView *self, const CuredGridRect *rect);
void cured_map_view_begin_selection (CuredMapView *self, gsize column, gsize row);
void cured_map_view_extend_selection (CuredMapView *self, gsize column, gsize row);
GArray *cured_map_view_get_selected_cells (CuredMapView *self);
gboolean cured_map_view_get_selection_axes (CuredMapView *self, CuredSelectedAxis *x,
                                            CuredSelectedAxis *y);

/* ---- The document of a tab: a kernel, a result, and a point in parameter space ---- */

/* What changed; can be combined, since an edit of a kernel may change values, too. */
typedef enum
{
  CURED_DOCUMENT_RESULT = 1 << 0, /* another result, or none: something was opened */
  CURED_DOCUMENT_KERNEL = 1 << 1, /* another kernel, or none, or an edited one */
  CURED_DOCUMENT_POINT = 1 << 2,  /* another value of a parameter */
  CURED_DOCUMENT_SOURCE = 1 << 3, /* the text, whether valid or not */
  CURED_DOCUMENT_LINE = 1 << 4,   /* another current line of the source */
  CURED_DOCUMENT_EVERYTHING = (1 << 5) - 1,
} CuredDocumentChange;

#define CURED_TYPE_DOCUMENT (cured_document_get_type ())
/* The model shared by the pages of a tab. Main thread only. Signal `changed` (CuredDocumentChange
 * what): emitted once per change, after everything is up to date. Property `map-view`: the view of
 * the result on a map. */
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

/* ---- Keeps an inspection of a document's kernel up to date, in a thread ---- */

#define CURED_TYPE_INSPECTOR (cured_inspector_get_type ())
/* Compiles and emulates again after a change of the document's kernel or point, a moment after the
 * last one; outdated work is cancelled. Idle while it is not held. Main thread only.
 *
 * Read-only properties: `inspection`, notified when it or the error changes; `busy`; `widths`,
 * notified when ptxas's changes are known; `remedies`, notified when those for the findings are
 * known. */
G_DECLARE_FINAL_TYPE (CuredInspector, cured_inspector, CURED, INSPECTOR, GObject)

CuredInspector *cured_inspector_new (CuredDocument *document);
void cured_inspector_hold (CuredInspector *self);
void cured_inspector_release (CuredInspector *self);
CuredInspection *cured_inspector_get_inspection (CuredInspector *self);
gint64 cured_inspector_get_cell (CuredInspector *self);
CuredInspection *cured_inspector_get_newest (CuredInspector *self);
const CuredBankView *cured_inspector_get_widths (CuredInspector *self);
void cured_inspector_want_machine (CuredInspector *self, gboolean is_wanted);
const CuredMachineView *cured_inspector_get_machine (CuredInspector *self, const GError **error);
void cured_inspector_hold_remedies (CuredInspector *self);
void cured_inspector_release_remedies (CuredInspector *self);
const GPtrArray *cured_inspector_get_remedies (CuredInspector *self);
const GError *cured_inspector_get_error (CuredInspector *self);
gboolean cured_inspector_is_busy (CuredInspector *self);
const CuredBankQuery *cured_inspector_get_query (CuredInspector *self);
void cured_inspector_set_query (CuredInspector *self, const CuredBankQuery *query);
void cured_inspector_set_override (CuredInspector *self, const char *parameter, gint64 value);
CuredExaminer *cured_examiner_get_shared (void);

/* ---- Detects that a kernel was changed and can run again ---- */

#define CURED_TYPE_CHANGE (cured_change_get_type ())
/* While active, watches the kernel of a document, both as edited and in its file. Signals: `ready`:
 * a moment after the last change, if the kernel compiles and the emulator finds no errors;
 * `refused` (const char *reason): otherwise. */
G_DECLARE_FINAL_TYPE (CuredChange, cured_change, CURED, CHANGE, GObject)

CuredChange *cured_change_new (CuredDocument *document, CuredInspector *inspector);
void cured_change_set_active (CuredChange *self, gboolean is_active);
gboolean cured_change_is_active (CuredChange *self);

/* ---- Determines the limiters of a result's cells in the background ---- */

#define CURED_TYPE_EXPLAINER (cured_explainer_get_type ())
/* Explains one cell at a time in a thread, and keeps the explanations. Main thread only. Signals:
 * `explained`, with a cell whose explanation is now known; `limiters-changed`: the result's metric
 * `limiter` has other values; `saved`: they are in its file. */
G_DECLARE_FINAL_TYPE (CuredExplainer, cured_explainer, CURED, EXPLAINER, GObject)

CuredExplainer *cured_explainer_new (void);
void cured_explainer_set_result (CuredExplainer *self, CuredResult *result);
void cured_explainer_set_paused (CuredExplainer *self, gboolean is_paused);
const char *cured_explainer_get_problem (CuredExplainer *self);
void cured_explainer_set_cell (CuredExplainer *self, gint64 cell);
void cured_explainer_set_cells (CuredExplainer *self, const gint64 *cells, gsize n_cells);
gboolean cured_explainer_get_progress (CuredExplainer *self, guint *n_done, guint *n_all);
void cured_explainer_forget_cell (CuredExplainer *self, gint64 cell);
const CuredExplanation *cured_explainer_get_explanation (CuredExplainer *self, gint64 cell,
                                                         const char **problem);
const CuredMachine *cured_explainer_get_machine (CuredExplainer *self);

/* ---- Recognises the format of a file and reads it ---- */

#define CURED_TYPE_LOADER (cured_loader_get_type ())
/* Reads one file at a time, off the main thread. Property `status`: the current phase. Each call is
 * followed by one of these signals in the main thread, unless cured_loader_cancel() is called:
 * `result` (CuredResult *): the file is a result; `kernel` (CuredKernel *): it is a kernel file;
 * `bare-kernel` (const char *text): it is one without a header; `imported` (CuredImport *): another
 * program's measurements were imported; `path-needed`: they can't be imported next to their file;
 * cured_loader_import() takes another path; `failed` (GError *). */
G_DECLARE_FINAL_TYPE (CuredLoader, cured_loader, CURED, LOADER, GObject)

/* The phases of a loader. */
typedef enum
{
  CURED_LOADER_IDLE,
  CURED_LOADER_OPENING,
  CURED_LOADER_IMPORTING,
} CuredLoaderStatus;

CuredLoader *cured_loader_new (void);
void cured_loader_load (CuredLoader *self, const char *path);
void cured_loader_import (CuredLoader *self, const char *out_path);
void cured_loader_cancel (CuredLoader *self);
CuredLoaderStatus cured_loader_get_status (CuredLoader *self);

/* ---- A sweep that runs in the background: worker, file and result together ---- */

#define CURED_TYPE_SWEEP (cured_sweep_get_type ())
/* Opens a worker and the file off the main thread, runs, and updates a #CuredResult. Signals, all
 * in the main thread: `started`, when the result exists; `progress`, after each cell and after
 * pausing or continuing; `finished` (GError *error), at the end; @error is nullable, and
 * G_IO_ERROR_CANCELLED after a cancel. */
G_DECLARE_FINAL_TYPE (CuredSweep, cured_sweep, CURED, SWEEP, GObject)

char *cured_sweep_get_folder (void);
char *cured_sweep_propose_path (const char *kernel_id, const char *folder);
CuredSweep *cured_sweep_new (CuredSpec *spec, const char *device_id, const char *path,
                             gboolean overwrite);
CuredSweep *cured_sweep_new_resume (CuredResult *result);
CuredSweep *cured_sweep_new_again (CuredResult *result, const gint64 *cells, gsize n_cells,
                                   const char *path);
void cured_sweep_set_launcher (CuredSweep *self, const char *launcher);
const char *cured_sweep_get_launcher (CuredSweep *self);
CuredKernel *cured_sweep_get_kernel (CuredSweep *self);
gboolean cured_sweep_is_copy (CuredSweep *self);
const char *cured_sweep_get_device_id (CuredSweep *self);
void cured_sweep_start (CuredSweep *self);
void cured_sweep_cancel (CuredSweep *self);
void cured_sweep_set_paused (CuredSweep *self, gboolean is_paused);
gboolean cured_sweep_is_paused (CuredSweep *self);
gboolean cured_sweep_is_active (CuredSweep *self);
gboolean cured_sweep_is_cancelled (CuredSweep *self);
CuredResult *cured_sweep_get_result (CuredSweep *self);
const char *cured_sweep_get_path (CuredSweep *self);
gboolean cured_sweep_get_progress (CuredSweep *self, CuredProgress *progress);
gboolean cured_sweep_get_predicting (CuredSweep *self, gint64 *n_done, gint64 *n_cells);
const char *cured_sweep_get_note (CuredSweep *self);

/* ---- The sweep of a tab, and possible next sweeps ---- */

#define CURED_TYPE_RUN_CONTROLLER (cured_run_controller_get_type ())
/* Runs one sweep at a time: creates it for the document, asks for permission before foreign source
 * code runs, and starts, pauses, cancels and resumes it. Has no user interface. Main thread only.
 *
 * Properties: `sweep`, the running or last one; `is-running`; `is-paused`, writable during a sweep;
 * `runs-on-change`, writable, whether the result's sweep runs again after a change of the kernel;
 * and the available actions: `can-resume`, `can-run-again`, `can-run-cells`, `can-refine` and
 * `has-best`, whether the document's map has a best cell to go to. All are up to date before the
 * first notification.
 *
 * Signals: `changed`: a cell is done, a sweep started, was paused or ended, or the document has
 * another result; `started` (CuredResult *): a sweep has a result, to be shown; `finished` (GError
 * *error): a sweep ended and no other follows; @error is nullable, and G_IO_ERROR_CANCELLED after a
 * cancel; `permission-needed` (CuredResult *): its source code is foreign, so
 * cured_run_controller_permit() must be called; `permitted` (CuredSweep *): the argument of
 * cured_run_controller_request() may start, here or elsewhere; `message` (const char *text), for
 * the user. */
G_DECLARE_FINAL_TYPE (CuredRunController, cured_run_controller, CURED, RUN_CONTROLLER, GObject)

CuredRunController *cured_run_controller_new (CuredDocument *document, CuredInspector *inspector);
CuredDocument *cured_run_controller_get_document (CuredRunController *self);
CuredSweep *cured_run_controller_get_sweep (CuredRunController *self);
const char *cured_run_controller_get_launcher (CuredRunController *self);
gboolean cured_run_controller_is_running (CuredRunController *self);
gboolean cured_run_controller_is_shown (CuredRunController *self);

CuredSpec *cured_run_controller_make_spec (CuredRunController *self);
CuredSpec *cured_run_controller_make_finer_spec (CuredRunController *self);

void cured_run_controller_request (CuredRunController *self, CuredSweep *sweep);
void cured_run_controller_permit (CuredRunController *self, gboolean may_run);
void cured_run_controller_start (CuredRunController *self, CuredSweep *sweep);
void cured_run_controller_run_again (CuredRunController *self);
void cured_run_controller_run_cells (CuredRunController *self);
void cured_run_controller_resume (CuredRunController *self);
void cured_run_controller_cancel (CuredRunController *self);
void cured_run_controller_forget (CuredRunController *self);

void cured_trust_add (const char *source);
gboolean cured_trust_has (const char *kernel_id, const char *source);

/* ---- Persistent settings of the application ---- */

GSettings *cured_settings_get (void);

char *cured_settings_get_string (const char *key);
void cured_settings_set_string (const char *key, const char *value);
gboolean cured_settings_get_boolean (const char *key, gboolean fallback);
void cured_settings_set_boolean (const char *key, gboolean value);
int cured_settings_get_int (const char *key, int fallback);
void cured_settings_set_int (const char *key, int value);
gboolean cured_settings_get_toggle (const char *name, gboolean fallback);
gboolean cured_settings_find_toggle (const char *name, gboolean *value);
void cured_settings_set_toggle (const char *name, gboolean value);
