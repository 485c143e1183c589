/* SPDX-License-Identifier: MIT
 * Keeps an inspection of a document's kernel up to date, in a thread. */
#include <config.h>

#include "model/cured-inspector.h"

#include <string.h>

#include "model/cured-examiner-shared.h"

/* After the last change, so that a slider does not start a compiler a value. */
#define DELAY_MS 60

/* After an inspection that found something: who types on is not waited for. */
#define REMEDIES_DELAY_MS 400

struct _CuredInspector
{
  GObject parent_instance;

  /* Owned */
  CuredDocument *document;
  CuredInspection *inspection; /* nullable: the last that is worth looking at */
  CuredInspection *newest;     /* nullable: the last one, whatever it found */
  CuredKernel *kernel;         /* nullable: that it is of */
  GError *error;               /* nullable */
  struct _Order *shown;        /* nullable: what @inspection is of */
  GCancellable *cancellable;   /* of what runs; nullable */
  char *parameter;             /* nullable: has @value in place of its own */

  CuredBankView *widths;            /* nullable */
  struct _Order *widths_order;      /* nullable: of which they are */
  GCancellable *widths_cancellable; /* of what looks for them; nullable */

  GPtrArray *remedies;                /* nullable: of CuredRemedy */
  GCancellable *remedies_cancellable; /* of what looks for them; nullable */
  guint remedies_id;                  /* of what will */

  gint64 value;
  CuredBankQuery query;
  guint n_holds;
  guint n_remedy_holds;
  gboolean is_stale;
  gboolean is_replaced; /* another kernel is coming */
  gboolean is_edit;     /* the source changed, and nothing else since */
  guint delay_id;
};

enum
{
  CHANGED,
  BUSY_CHANGED,
  WIDTHS_CHANGED,
  REMEDIES_CHANGED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (CuredInspector, cured_inspector, G_TYPE_OBJECT)

/* What a thread works with. */
typedef struct _Order
{
  CuredKernel *kernel;
  gint64 *values;
  CuredLimits limits;
  CuredBankQuery query;
  gint64 time_limit_ms;
} Order;

static Order *
order_copy (const Order *order, gsize n_values)
{
  Order *copy = g_memdup2 (order, sizeof *order);

  copy->kernel = cured_kernel_ref (order->kernel);
  copy->values = g_memdup2 (order->values, (n_values + 1) * sizeof *order->values);
  return copy;
}

static void
order_free (gpointer data)
{
  Order *order = data;

  cured_kernel_unref (order->kernel);
  g_free (order->values);
  g_free (order);
}

static void
inspect_thread (GTask *task, gpointer source, gpointer task_data, GCancellable *cancellable)
{
  Order *order = task_data;
  GError *error = NULL;
  CuredInspection *inspection = NULL;

  inspection = cured_examiner_inspect (cured_examiner_get_shared (), order->kernel, order->values,
                                       &order->limits, &order->query, order->time_limit_ms,
                                       cancellable, &error);
  if (inspection != NULL)
    g_task_return_pointer (task, inspection, (GDestroyNotify) cured_inspection_unref);
  else
    g_task_return_error (task, error);
}

/* What ptxas changes takes a second compilation, which nobody waits for. */

static void
widths_thread (GTask *task, gpointer source, gpointer task_data, GCancellable *cancellable)
{
  Order *order = task_data;
  GError *error = NULL;
  CuredBankView *view = NULL;
  g_autoptr (CuredProgram) program =
      cured_program_new (order->kernel, order->values, &order->limits, &error);

  /* The step is as another process said. */
  if (program != NULL && order->query.step < program->n_steps &&
      program->steps[order->query.step].entry != NULL)
    view = cured_examiner_view_widths (cured_examiner_get_shared (), order->kernel, order->values,
                                       &order->limits, program->steps[order->query.step].entry,
                                       cancellable, &error);
  else if (program != NULL)
    g_set_error_literal (&error, CURED_ERROR, CURED_ERROR_NOT_FOUND, "no such launch");
  if (view != NULL)
    g_task_return_pointer (task, view, (GDestroyNotify) cured_bank_view_unref);
  else
    g_task_return_error (task, error);
}

static void
widths_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  CuredInspector *self = CURED_INSPECTOR (source);
  g_autoptr (CuredBankView) view = g_task_propagate_pointer (G_TASK (result), NULL);

  if (g_task_get_cancellable (G_TASK (result)) != self->widths_cancellable)
    return;
  g_clear_object (&self->widths_cancellable);
  self->widths = g_steal_pointer (&view);
  if (self->widths != NULL)
    g_signal_emit (self, signals[WIDTHS_CHANGED], 0);
}

static void
forget_widths (CuredInspector *self)
{
  if (self->widths_cancellable != NULL)
    g_cancellable_cancel (self->widths_cancellable);
  g_clear_object (&self->widths_cancellable);
  g_clear_pointer (&self->widths, cured_bank_view_unref);
  g_clear_pointer (&self->widths_order, order_free);
}

/* Another block or warp has the same code. */
static void
find_widths (CuredInspector *self, const Order *order)
{
  const CuredBankView *banks = self->newest != NULL ? self->newest->banks : NULL;
  g_autoptr (GTask) task = NULL;
  Order *wanted;
  gsize n_values;

  /* Beside another picture, the other one tells. */
  if (banks == NULL || self->parameter != NULL)
    return;
  n_values = order->kernel->n_parameters;
  if (self->widths_order != NULL && self->widths_order->kernel == order->kernel &&
      self->widths_order->query.step == banks->step &&
      memcmp (self->widths_order->values, order->values, n_values * sizeof *order->values) == 0)
    return;
  forget_widths (self);
  if (banks->n_sites == 0)
    return;
  wanted = order_copy (order, n_values);
  wanted->query.step = banks->step;
  self->widths_order = order_copy (wanted, n_values);
  self->widths_cancellable = g_cancellable_new ();
  task = g_task_new (self, self->widths_cancellable, widths_cb, NULL);
  g_task_set_task_data (task, wanted, order_free);
  g_task_run_in_thread (task, widths_thread);
}

/* What helps takes more compilations, of copies. */

typedef struct
{
  Order *order;
  CuredInspection *inspection;
} Trial;

static void
trial_free (gpointer data)
{
  Trial *trial = data;

  order_free (trial->order);
  cured_inspection_unref (trial->inspection);
  g_free (trial);
}

static void
remedies_thread (GTask *task, gpointer source, gpointer task_data, GCancellable *cancellable)
{
  Trial *trial = task_data;
  GError *error = NULL;
  GPtrArray *remedies = cured_examiner_find_remedies (
      cured_examiner_get_shared (), trial->order->kernel, trial->order->values,
      &trial->order->limits, &trial->order->query, trial->inspection, cancellable, &error);

  if (remedies != NULL)
    g_task_return_pointer (task, remedies, (GDestroyNotify) g_ptr_array_unref);
  else
    g_task_return_error (task, error);
}

static void
remedies_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  CuredInspector *self = CURED_INSPECTOR (source);
  g_autoptr (GPtrArray) remedies = g_task_propagate_pointer (G_TASK (result), NULL);

  if (g_task_get_cancellable (G_TASK (result)) != self->remedies_cancellable)
    return;
  g_clear_object (&self->remedies_cancellable);
  self->remedies = g_steal_pointer (&remedies);
  if (self->remedies != NULL)
    g_signal_emit (self, signals[REMEDIES_CHANGED], 0);
}

static gboolean
try_remedies_cb (gpointer user_data)
{
  CuredInspector *self = user_data;
  g_autoptr (GTask) task = NULL;
  Trial *trial = g_new0 (Trial, 1);

  self->remedies_id = 0;
  trial->order = order_copy (self->shown, self->shown->kernel->n_parameters);
  trial->inspection = cured_inspection_ref (self->newest);
  self->remedies_cancellable = g_cancellable_new ();
  task = g_task_new (self, self->remedies_cancellable, remedies_cb, NULL);
  g_task_set_task_data (task, trial, trial_free);
  g_task_run_in_thread (task, remedies_thread);
  return G_SOURCE_REMOVE;
}

static void
forget_remedies (CuredInspector *self)
{
  g_clear_handle_id (&self->remedies_id, g_source_remove);
  if (self->remedies_cancellable != NULL)
    g_cancellable_cancel (self->remedies_cancellable);
  g_clear_object (&self->remedies_cancellable);
  g_clear_pointer (&self->remedies, g_ptr_array_unref);
}

/* Once the inspection is there to the end, and is of the text that is shown. */
static void
find_remedies (CuredInspector *self)
{
  if (self->n_remedy_holds == 0 || self->n_holds == 0 || self->newest == NULL ||
      self->newest != self->inspection || self->newest->banks == NULL || self->newest->is_partial ||
      self->parameter != NULL || self->remedies != NULL || self->remedies_cancellable != NULL ||
      self->remedies_id != 0 || cured_inspector_is_busy (self))
    return;
  self->remedies_id = g_timeout_add (REMEDIES_DELAY_MS, try_remedies_cb, self);
}

static void
forget_inspection (CuredInspector *self)
{
  forget_remedies (self);
  g_clear_pointer (&self->inspection, cured_inspection_unref);
  g_clear_pointer (&self->shown, order_free);
}

static void inspected_cb (GObject *source, GAsyncResult *result, gpointer data);

/* Takes @order. */
static void
start (CuredInspector *self, Order *order)
{
  g_autoptr (GTask) task = NULL;

  self->cancellable = g_cancellable_new ();
  task = g_task_new (self, self->cancellable, inspected_cb, NULL);
  g_task_set_task_data (task, order, order_free);
  g_task_run_in_thread (task, inspect_thread);
}

/* A block that takes its time is shown as far as it came, and runs again. */
static void
run_to_the_end (CuredInspector *self, const Order *order)
{
  gsize n_values;
  Order *again;

  if (self->newest == NULL || !self->newest->is_partial ||
      order->time_limit_ms == CURED_INSPECTION_TIME_LIMIT_MS)
    return;
  n_values = order->kernel->n_parameters;
  again = order_copy (order, n_values);
  again->time_limit_ms = CURED_INSPECTION_TIME_LIMIT_MS;
  start (self, again);
}

static void
inspected_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  CuredInspector *self = CURED_INSPECTOR (source);
  const Order *order = g_task_get_task_data (G_TASK (result));
  g_autoptr (GError) error = NULL;
  g_autoptr (CuredInspection) inspection = g_task_propagate_pointer (G_TASK (result), &error);

  /* Another one runs, or none is wanted any more. */
  if (g_task_get_cancellable (G_TASK (result)) != self->cancellable)
    return;
  g_clear_object (&self->cancellable);
  g_clear_pointer (&self->newest, cured_inspection_unref);
  g_clear_error (&self->error);
  self->newest = g_steal_pointer (&inspection);
  g_clear_pointer (&self->kernel, cured_kernel_unref);
  self->kernel = cured_kernel_ref (order->kernel);
  /* While a word is half typed, the banks stay as they were before, if there were any. */
  if (self->newest == NULL || self->newest->banks != NULL || !self->is_edit ||
      self->inspection == NULL || self->inspection->banks == NULL)
    {
      gsize n_values;

      n_values = order->kernel->n_parameters;
      forget_inspection (self);
      if (self->newest != NULL)
        {
          self->inspection = cured_inspection_ref (self->newest);
          self->shown = order_copy (order, n_values);
        }
    }
  self->error = g_steal_pointer (&error);
  find_widths (self, order);
  run_to_the_end (self, order);
  find_remedies (self);
  g_object_ref (self);
  g_signal_emit (self, signals[CHANGED], 0);
  g_signal_emit (self, signals[BUSY_CHANGED], 0);
  g_object_unref (self);
}

static void
cancel (CuredInspector *self)
{
  g_clear_handle_id (&self->delay_id, g_source_remove);
  if (self->cancellable != NULL)
    g_cancellable_cancel (self->cancellable);
  g_clear_object (&self->cancellable);
}

static gboolean
start_cb (gpointer user_data)
{
  CuredInspector *self = user_data;
  CuredKernel *kernel = cured_document_get_kernel (self->document);
  gsize n_values;
  gsize parameter;
  const gint64 *values = cured_document_get_point (self->document, &n_values);
  Order *order = g_new0 (Order, 1);

  self->delay_id = 0;
  self->is_stale = FALSE;
  order->kernel = cured_kernel_ref (kernel);
  order->values = g_memdup2 (values, (n_values + 1) * sizeof *values);
  order->limits = *cured_document_get_limits (self->document);
  order->query = self->query;
  if (self->parameter != NULL && cured_kernel_find_parameter (kernel, self->parameter, &parameter))
    order->values[parameter] = self->value;

  order->time_limit_ms = CURED_INSPECTION_FIRST_LIMIT_MS;
  start (self, order);
  return G_SOURCE_REMOVE;
}

/* Whether what was found is of the document's kernel, or of one that was edited to become it. */
static gboolean
is_current (CuredInspector *self)
{
  CuredKernel *kernel = cured_document_get_kernel (self->document);

  if (kernel == NULL || self->kernel == NULL)
    return FALSE;
  return !self->is_replaced || (g_str_equal (kernel->id, self->kernel->id) &&
                                g_str_equal (kernel->source, self->kernel->source));
}

static void
forget (CuredInspector *self)
{
  gboolean had_any = self->newest != NULL || self->inspection != NULL || self->error != NULL;

  forget_widths (self);
  forget_inspection (self);
  g_clear_pointer (&self->newest, cured_inspection_unref);
  g_clear_pointer (&self->kernel, cured_kernel_unref);
  g_clear_error (&self->error);
  if (had_any)
    g_signal_emit (self, signals[CHANGED], 0);
}

static void
update (CuredInspector *self)
{
  gboolean was_busy = cured_inspector_is_busy (self);

  /* Who is told of it may ask for something at once. */
  if (!is_current (self))
    forget (self);
  self->is_stale = TRUE;
  cancel (self);
  forget_remedies (self);
  if (cured_document_get_kernel (self->document) == NULL)
    self->is_stale = FALSE;
  else if (self->n_holds > 0)
    self->delay_id = g_timeout_add (DELAY_MS, start_cb, self);
  if (cured_inspector_is_busy (self) != was_busy)
    g_signal_emit (self, signals[BUSY_CHANGED], 0);
}

/* Block, warp and launch are those of a kernel: another one has others. */
static void
result_changed_cb (CuredInspector *self)
{
  cured_bank_query_init (&self->query);
  self->is_replaced = TRUE;
}

static void
point_changed_cb (CuredInspector *self)
{
  self->is_edit = FALSE;
  update (self);
}

/* The last of the signals, of an edit and of another result. */
static void
source_changed_cb (CuredInspector *self)
{
  self->is_edit = !self->is_replaced;
  self->is_replaced = FALSE;
  if (!self->is_edit || self->delay_id == 0)
    return;
  /* Who types was waited for by the editor already. */
  g_source_remove (self->delay_id);
  self->delay_id = g_idle_add (start_cb, self);
}

static void
cured_inspector_dispose (GObject *object)
{
  CuredInspector *self = CURED_INSPECTOR (object);

  cancel (self);
  forget_widths (self);
  if (self->document != NULL)
    g_signal_handlers_disconnect_by_data (self->document, self);
  g_clear_object (&self->document);
  forget_inspection (self);
  g_clear_pointer (&self->newest, cured_inspection_unref);
  g_clear_pointer (&self->kernel, cured_kernel_unref);
  g_clear_error (&self->error);
  g_clear_pointer (&self->parameter, g_free);
  G_OBJECT_CLASS (cured_inspector_parent_class)->dispose (object);
}

static void
cured_inspector_class_init (CuredInspectorClass *klass)
{
  static const char *const names[N_SIGNALS] = { "changed", "busy-changed", "widths-changed",
                                                "remedies-changed" };

  G_OBJECT_CLASS (klass)->dispose = cured_inspector_dispose;
  for (guint i = 0; i < N_SIGNALS; i++)
    signals[i] = g_signal_new (names[i], CURED_TYPE_INSPECTOR, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                               NULL, G_TYPE_NONE, 0);
}

static void
cured_inspector_init (CuredInspector *self)
{
  cured_bank_query_init (&self->query);
}

/**
 * cured_inspector_new:
 * @document: what to watch
 *
 * Returns: (transfer full): an inspector that nobody holds
 */
CuredInspector *
cured_inspector_new (CuredDocument *document)
{
  CuredInspector *self = g_object_new (CURED_TYPE_INSPECTOR, NULL);

  self->document = g_object_ref (document);
  self->is_stale = TRUE;
  g_signal_connect_swapped (document, "result-changed", G_CALLBACK (result_changed_cb), self);
  g_signal_connect_swapped (document, "kernel-changed", G_CALLBACK (update), self);
  g_signal_connect_swapped (document, "source-changed", G_CALLBACK (source_changed_cb), self);
  g_signal_connect_swapped (document, "point-changed", G_CALLBACK (point_changed_cb), self);
  return self;
}

/**
 * cured_inspector_hold:
 * @self: an inspector
 *
 * Says that one more looks at it: a page that is seen now. An inspector that nobody looks at does
 * no work; what changed meanwhile is made up for.
 */
void
cured_inspector_hold (CuredInspector *self)
{
  g_return_if_fail (CURED_IS_INSPECTOR (self));

  if (self->n_holds++ == 0 && self->is_stale)
    update (self);
}

/**
 * cured_inspector_release:
 * @self: an inspector that was held
 *
 * Takes a cured_inspector_hold() back. What runs for nobody is cancelled.
 */
void
cured_inspector_release (CuredInspector *self)
{
  g_return_if_fail (CURED_IS_INSPECTOR (self));
  g_return_if_fail (self->n_holds > 0);

  if (--self->n_holds == 0 && cured_inspector_is_busy (self))
    update (self);
}

/**
 * cured_inspector_get_inspection:
 * @self: an inspector
 *
 * Returns: (transfer none) (nullable): the last one of this kernel that came to
 *   its end; while a source that is being edited does not compile, the last that
 *   ran
 */
CuredInspection *
cured_inspector_get_inspection (CuredInspector *self)
{
  g_return_val_if_fail (CURED_IS_INSPECTOR (self), NULL);
  return self->inspection;
}

/**
 * cured_inspector_get_cell:
 * @self: an inspector
 *
 * Returns: the cell of the document's result at which and with whose source the
 *   block of cured_inspector_get_inspection() ran; -1: the result has none
 */
gint64
cured_inspector_get_cell (CuredInspector *self)
{
  g_return_val_if_fail (CURED_IS_INSPECTOR (self), -1);
  return self->shown != NULL ? cured_document_find_measured (self->document, self->shown->kernel,
                                                             self->shown->values)
                             : -1;
}

/**
 * cured_inspector_get_newest:
 * @self: an inspector
 *
 * Returns: (transfer none) (nullable): the last one that came to its end, with
 *   its diagnostics, though it found nothing else
 */
CuredInspection *
cured_inspector_get_newest (CuredInspector *self)
{
  g_return_val_if_fail (CURED_IS_INSPECTOR (self), NULL);
  return self->newest;
}

/**
 * cured_inspector_get_widths:
 * @self: an inspector
 *
 * Returns: (transfer none) (nullable): what ptxas changed, in the widths of a
 *   view that has nothing else; it comes a moment after the inspection
 */
const CuredBankView *
cured_inspector_get_widths (CuredInspector *self)
{
  g_return_val_if_fail (CURED_IS_INSPECTOR (self), NULL);
  return self->widths;
}

/**
 * cured_inspector_hold_remedies:
 * @self: an inspector that is held
 *
 * Says that one more looks at what helps against the findings, so that it is tried.
 */
void
cured_inspector_hold_remedies (CuredInspector *self)
{
  g_return_if_fail (CURED_IS_INSPECTOR (self));

  self->n_remedy_holds++;
  find_remedies (self);
}

/**
 * cured_inspector_release_remedies:
 * @self: an inspector whose remedies were held
 *
 * Takes a cured_inspector_hold_remedies() back.
 */
void
cured_inspector_release_remedies (CuredInspector *self)
{
  g_return_if_fail (CURED_IS_INSPECTOR (self));
  g_return_if_fail (self->n_remedy_holds > 0);

  if (--self->n_remedy_holds == 0 && self->remedies == NULL)
    forget_remedies (self);
}

/**
 * cured_inspector_get_remedies:
 * @self: an inspector
 *
 * Returns: (transfer none) (nullable) (element-type CuredRemedy): what helps
 *   against the findings of cured_inspector_get_newest(), and was tried; %NULL:
 *   not known yet
 */
const GPtrArray *
cured_inspector_get_remedies (CuredInspector *self)
{
  g_return_val_if_fail (CURED_IS_INSPECTOR (self), NULL);
  return self->remedies;
}

/**
 * cured_inspector_get_error:
 * @self: an inspector
 *
 * Returns: (transfer none) (nullable): why there is no inspection: no NVRTC,
 *   say
 */
const GError *
cured_inspector_get_error (CuredInspector *self)
{
  g_return_val_if_fail (CURED_IS_INSPECTOR (self), NULL);
  return self->error;
}

/**
 * cured_inspector_is_busy:
 * @self: an inspector
 *
 * Returns: whether there will be another inspection soon
 */
gboolean
cured_inspector_is_busy (CuredInspector *self)
{
  g_return_val_if_fail (CURED_IS_INSPECTOR (self), FALSE);
  return self->delay_id != 0 || self->cancellable != NULL;
}

/**
 * cured_inspector_get_query:
 * @self: an inspector
 *
 * Returns: (transfer none): which launch, block and warp are looked at
 */
const CuredBankQuery *
cured_inspector_get_query (CuredInspector *self)
{
  g_return_val_if_fail (CURED_IS_INSPECTOR (self), NULL);
  return &self->query;
}

/**
 * cured_inspector_set_query:
 * @self: an inspector
 * @query: which launch, block and warp to look at
 */
void
cured_inspector_set_query (CuredInspector *self, const CuredBankQuery *query)
{
  g_return_if_fail (CURED_IS_INSPECTOR (self));

  self->query = *query;
  self->is_edit = FALSE;
  update (self);
}

/**
 * cured_inspector_set_override:
 * @self: an inspector
 * @parameter: (nullable): of the kernel; %NULL: none
 * @value: that it has, whatever the document says
 *
 * For the same site at two values of a parameter, side by side.
 */
void
cured_inspector_set_override (CuredInspector *self, const char *parameter, gint64 value)
{
  char *copy = g_strdup (parameter);

  g_return_if_fail (CURED_IS_INSPECTOR (self));

  g_free (self->parameter);
  self->parameter = copy;
  self->value = value;
  self->is_edit = FALSE;
  update (self);
}
