/* SPDX-License-Identifier: MIT
 * Keeps an inspection of a document's kernel up to date, in a thread. */
#include <config.h>

#include "model/cured-gui-model.h"

#include <string.h>

/* Delay after the last change, so that moving a slider does not start a compiler for each value. */
#define DELAY_MS 60

/* Delay after an inspection with findings, even while the user keeps typing. */
#define REMEDIES_DELAY_MS 400

/* The input of a task, kept with its results. Reference-counted; main thread only. */
typedef struct
{
  CuredKernel *kernel;
  gint64 *values;
  CuredLimits limits;
  CuredBankQuery query;
  gint64 time_limit_ms;
  CuredInspection *inspection; /* nullable: whose findings need remedies */
} Order;

struct _CuredInspector
{
  GObject parent_instance;

  /* Owned */
  CuredDocument *document;
  CuredInspection *inspection; /* nullable: the last one to be shown */
  Order *shown;                /* nullable: of @inspection */
  CuredInspection *newest;     /* nullable: the last one, with or without results */
  Order *order;                /* nullable: of @newest or @error */
  GError *error;               /* nullable */
  char *parameter;             /* nullable: overridden with @value */
  CuredBankView *widths;       /* nullable */
  Order *widths_order;         /* nullable: of @widths, pending or known */
  GPtrArray *remedies;         /* nullable: of CuredRemedy */
  CuredMachineView *machine;   /* nullable */
  GError *machine_error;       /* nullable: why @machine is missing */
  CuredTask *task, *widths_task, *remedies_task, *machine_task;

  gint64 value;
  CuredBankQuery query;
  guint n_holds, n_remedy_holds;
  gboolean is_machine_wanted, is_stale;
  gboolean is_edit; /* only the source changed, and nothing else since */
  guint delay_id;
  guint remedies_id; /* delays @remedies_task */
};

G_DEFINE_FINAL_TYPE (CuredInspector, cured_inspector, G_TYPE_OBJECT)

CURED_CLEAR_FUNC (Order, order_clear, kernel, cured_kernel_unref, values, g_free, inspection,
                  cured_inspection_unref)

static void
order_unref (gpointer order)
{
  g_rc_box_release_full (order, order_clear);
}

static Order *
order_copy (Order *order)
{
  Order *copy = g_rc_box_dup (sizeof *order, order);

  copy->kernel = cured_kernel_ref (order->kernel);
  copy->values =
      g_memdup2 (order->values, (order->kernel->n_parameters + 1) * sizeof *order->values);
  copy->inspection = NULL;
  return copy;
}

/* The application's only examiner, since its processes cache compiled code. Thread-safe. Returns:
 * (transfer none): the examiner */
CuredExaminer *
cured_examiner_get_shared (void)
{
  static gsize is_made;
  static CuredExaminer *examiner;

  if (g_once_init_enter (&is_made))
    {
      examiner = cured_examiner_new (NULL);
      g_once_init_leave (&is_made, 1);
    }
  return examiner;
}

/* A comparison with ptxas needs a second compilation, so it follows the inspection. */

static void
find_widths_work (CuredTask *task)
{
  const Order *order = task->input;
  g_autoptr (CuredProgram) program =
      cured_program_new (order->kernel, order->values, &order->limits, &task->error);

  /* Another process determined the step, so it may be out of range. */
  if (program != NULL && order->query.step < program->n_steps &&
      program->steps[order->query.step].entry != NULL)
    task->output = cured_examiner_view_widths (
        cured_examiner_get_shared (), order->kernel, order->values, &order->limits,
        program->steps[order->query.step].entry, task->cancellable, &task->error);
}

static void
widths_found_cb (CuredInspector *self, CuredTask *task)
{
  self->widths = g_steal_pointer (&task->output);
  if (self->widths != NULL)
    g_object_notify (G_OBJECT (self), "widths");
}

static const CuredTaskKind widths_task =
    CURED_TASK_KIND (find_widths_work, widths_found_cb, order_unref, cured_bank_view_unref);

static void
forget_widths (CuredInspector *self)
{
  cured_task_cancel (&self->widths_task);
  g_clear_pointer (&self->widths, cured_bank_view_unref);
  g_clear_pointer (&self->widths_order, order_unref);
}

/* Another block or warp has the same code, so widths are kept. */
static void
find_widths (CuredInspector *self)
{
  const CuredBankView *banks = self->newest != NULL ? self->newest->banks : NULL;
  Order *order = self->order;
  const Order *old = self->widths_order;

  /* With an override, the other picture shows the widths. */
  if (banks == NULL || self->parameter != NULL)
    return;
  if (old != NULL && old->kernel == order->kernel && old->query.step == banks->step &&
      memcmp (old->values, order->values, order->kernel->n_parameters * sizeof *old->values) == 0)
    return;
  forget_widths (self);
  if (banks->n_sites == 0)
    return;
  self->widths_order = order_copy (order);
  self->widths_order->query.step = banks->step;
  cured_task_start (&self->widths_task, self, &widths_task, g_rc_box_acquire (self->widths_order));
}

/* Remedies need further compilations, of modified copies. */

static void
find_remedies_work (CuredTask *task)
{
  const Order *order = task->input;

  task->output = cured_examiner_find_remedies (cured_examiner_get_shared (), order->kernel,
                                               order->values, &order->limits, &order->query,
                                               order->inspection, task->cancellable, &task->error);
}

static void
remedies_found_cb (CuredInspector *self, CuredTask *task)
{
  self->remedies = g_steal_pointer (&task->output);
  if (self->remedies != NULL)
    g_object_notify (G_OBJECT (self), "remedies");
}

static const CuredTaskKind remedies_task =
    CURED_TASK_KIND (find_remedies_work, remedies_found_cb, order_unref, g_ptr_array_unref);

static void
try_remedies_cb (CuredInspector *self)
{
  Order *order = order_copy (self->shown);

  order->inspection = cured_inspection_ref (self->newest);
  cured_task_start (&self->remedies_task, self, &remedies_task, order);
}

static void
forget_remedies (CuredInspector *self)
{
  g_clear_handle_id (&self->remedies_id, g_source_remove);
  cured_task_cancel (&self->remedies_task);
  g_clear_pointer (&self->remedies, g_ptr_array_unref);
}

/* Starts only when the inspection is complete and matches the displayed text. */
static void
find_remedies (CuredInspector *self)
{
  if (self->n_remedy_holds == 0 || self->n_holds == 0 || self->newest == NULL ||
      self->newest != self->inspection || self->newest->banks == NULL || self->newest->is_partial ||
      self->parameter != NULL || self->remedies != NULL || self->remedies_task != NULL ||
      self->remedies_id != 0 || cured_inspector_is_busy (self))
    return;
  CURED_LATER (remedies_id, REMEDIES_DELAY_MS, try_remedies_cb);
}

/* Machine code needs another compilation and a complete run. */

static void
view_machine_work (CuredTask *task)
{
  const Order *order = task->input;

  task->output =
      cured_examiner_view_machine (cured_examiner_get_shared (), order->kernel, order->values,
                                   &order->limits, &order->query, task->cancellable, &task->error);
}

static void
machine_viewed_cb (CuredInspector *self, CuredTask *task)
{
  self->machine = g_steal_pointer (&task->output);
  self->machine_error = g_steal_pointer (&task->error);
  g_object_notify (G_OBJECT (self), "machine");
}

static const CuredTaskKind machine_task =
    CURED_TASK_KIND (view_machine_work, machine_viewed_cb, order_unref, cured_machine_view_free);

static void
forget_machine (CuredInspector *self)
{
  cured_task_cancel (&self->machine_task);
  g_clear_pointer (&self->machine, cured_machine_view_free);
  g_clear_error (&self->machine_error);
}

/* Only a kernel that runs has machine code. */
static void
find_machine (CuredInspector *self)
{
  if (self->is_machine_wanted && self->n_holds > 0 && self->newest != NULL &&
      self->newest->banks != NULL && self->machine == NULL && self->machine_error == NULL &&
      self->machine_task == NULL && !cured_inspector_is_busy (self))
    cured_task_start (&self->machine_task, self, &machine_task, g_rc_box_acquire (self->order));
}

static void
forget_inspection (CuredInspector *self)
{
  forget_remedies (self);
  g_clear_pointer (&self->inspection, cured_inspection_unref);
  g_clear_pointer (&self->shown, order_unref);
}

static void
forget_newest (CuredInspector *self)
{
  forget_machine (self);
  g_clear_pointer (&self->newest, cured_inspection_unref);
  g_clear_pointer (&self->order, order_unref);
  g_clear_error (&self->error);
}

/* The inspection itself. */

static void
inspect_work (CuredTask *task)
{
  const Order *order = task->input;

  task->output = cured_examiner_inspect (cured_examiner_get_shared (), order->kernel, order->values,
                                         &order->limits, &order->query, order->time_limit_ms,
                                         task->cancellable, &task->error);
}

static void inspected_cb (CuredInspector *self, CuredTask *task);

static const CuredTaskKind inspect_task =
    CURED_TASK_KIND (inspect_work, inspected_cb, order_unref, cured_inspection_unref);

/* A block that runs long is shown partially, then runs again. */
static void
run_to_the_end (CuredInspector *self)
{
  if (self->newest == NULL || !self->newest->is_partial ||
      self->order->time_limit_ms == CURED_INSPECTION_TIME_LIMIT_MS)
    return;
  Order *again = order_copy (self->order);
  again->time_limit_ms = CURED_INSPECTION_TIME_LIMIT_MS;
  cured_task_start (&self->task, self, &inspect_task, again);
}

static void
inspected_cb (CuredInspector *self, CuredTask *task)
{
  forget_newest (self);
  self->newest = g_steal_pointer (&task->output);
  self->error = g_steal_pointer (&task->error);
  self->order = g_steal_pointer (&task->input);
  /* While the source is invalid during an edit, the previous banks are kept, if any. */
  if (self->newest == NULL || self->newest->banks != NULL || !self->is_edit ||
      self->inspection == NULL || self->inspection->banks == NULL)
    {
      forget_inspection (self);
      if (self->newest != NULL)
        {
          self->inspection = cured_inspection_ref (self->newest);
          self->shown = g_rc_box_acquire (self->order);
        }
    }
  find_widths (self);
  run_to_the_end (self);
  find_remedies (self);
  find_machine (self);
  g_object_notify (G_OBJECT (self), "inspection");
  g_object_notify (G_OBJECT (self), "busy");
}

static void
start_cb (CuredInspector *self)
{
  CuredKernel *kernel = cured_document_get_kernel (self->document);
  gsize n_values, parameter;
  const gint64 *values = cured_document_get_point (self->document, &n_values);
  Order *order = g_rc_box_new0 (Order);

  self->is_stale = FALSE;
  order->kernel = cured_kernel_ref (kernel);
  order->values = g_memdup2 (values, (n_values + 1) * sizeof *values);
  order->limits = *cured_document_get_limits (self->document);
  order->query = self->query;
  order->time_limit_ms = CURED_INSPECTION_FIRST_LIMIT_MS;
  if (self->parameter != NULL && cured_kernel_find_parameter (kernel, self->parameter, &parameter))
    order->values[parameter] = self->value;
  cured_task_start (&self->task, self, &inspect_task, order);
}

static void
cancel (CuredInspector *self)
{
  g_clear_handle_id (&self->delay_id, g_source_remove);
  cured_task_cancel (&self->task);
}

static void
forget (CuredInspector *self)
{
  gboolean had_any = self->newest != NULL || self->inspection != NULL || self->error != NULL;

  forget_widths (self);
  forget_inspection (self);
  forget_newest (self);
  if (had_any)
    g_object_notify (G_OBJECT (self), "inspection");
}

static void
update (CuredInspector *self)
{
  gboolean was_busy = cured_inspector_is_busy (self);

  self->is_stale = TRUE;
  cancel (self);
  forget_remedies (self);
  if (cured_document_get_kernel (self->document) == NULL)
    self->is_stale = FALSE;
  else if (self->n_holds > 0)
    CURED_LATER (delay_id, DELAY_MS, start_cb);
  if (cured_inspector_is_busy (self) != was_busy)
    g_object_notify (G_OBJECT (self), "busy");
}

/* Whether the newest inspection has @kernel's source. */
static gboolean
is_of (CuredInspector *self, const CuredKernel *kernel)
{
  return kernel != NULL && self->order != NULL &&
         g_str_equal (kernel->id, self->order->kernel->id) &&
         g_str_equal (kernel->source, self->order->kernel->source);
}

static void
document_changed_cb (CuredInspector *self, CuredDocumentChange what)
{
  CuredKernel *kernel = cured_document_get_kernel (self->document);
  gboolean is_opened = (what & CURED_DOCUMENT_RESULT) != 0;

  if ((what & (CURED_DOCUMENT_KERNEL | CURED_DOCUMENT_POINT | CURED_DOCUMENT_SOURCE)) == 0)
    return;
  self->is_edit = (what & CURED_DOCUMENT_SOURCE) != 0 && !is_opened;
  /* Block, warp and launch belong to a kernel, so they are reset. */
  if (is_opened)
    cured_bank_query_init (&self->query);
  /* Handlers of its signals may start work at once. */
  if (kernel == NULL || (is_opened && !is_of (self, kernel)))
    forget (self);
  if ((what & (CURED_DOCUMENT_KERNEL | CURED_DOCUMENT_POINT)) != 0)
    update (self);
  /* The editor already waited for a pause in typing. */
  if (self->is_edit && self->delay_id != 0)
    CURED_LATER (delay_id, 0, start_cb);
}

static void
cured_inspector_dispose (GObject *object)
{
  CuredInspector *self = CURED_INSPECTOR (object);

  cancel (self);
  forget_widths (self);
  forget_inspection (self);
  forget_newest (self);
  cured_class_dispose (object);
}

static void
cured_inspector_class_init (CuredInspectorClass *klass)
{
  CURED_OWNS (CuredInspector, document);
  CURED_FREES (CuredInspector, g_free, parameter);
  G_OBJECT_CLASS (klass)->dispose = cured_inspector_dispose;
  CURED_PROPERTY (CuredInspector, "inspection", G_TYPE_POINTER, inspection, NULL);
  CURED_FLAG ("busy", cured_inspector_is_busy);
  CURED_PROPERTY (CuredInspector, "widths", G_TYPE_POINTER, widths, NULL);
  CURED_PROPERTY (CuredInspector, "remedies", G_TYPE_POINTER, remedies, NULL);
  CURED_PROPERTY (CuredInspector, "machine", G_TYPE_POINTER, machine, NULL);
}

static void
cured_inspector_init (CuredInspector *self)
{
  cured_bank_query_init (&self->query);
}

CuredInspector *
cured_inspector_new (CuredDocument *document)
{
  CuredInspector *self = g_object_new (CURED_TYPE_INSPECTOR, NULL);

  self->document = g_object_ref (document);
  self->is_stale = TRUE;
  CURED_CONNECT (document, "changed", document_changed_cb);
  return self;
}

/* Adds a visible page as a user. An inspector without users does no work; it catches up when
 * held. */
void
cured_inspector_hold (CuredInspector *self)
{
  if (self->n_holds++ > 0)
    return;
  if (self->is_stale)
    update (self);
  else
    {
      find_widths (self);
      find_remedies (self);
      find_machine (self);
    }
}

/* Removes a page; without users, work is cancelled. */
void
cured_inspector_release (CuredInspector *self)
{
  g_return_if_fail (self->n_holds > 0);

  if (--self->n_holds > 0)
    return;
  if (cured_inspector_is_busy (self))
    update (self);
  if (self->widths_task != NULL)
    forget_widths (self);
  cured_task_cancel (&self->machine_task);
  if (self->remedies == NULL)
    forget_remedies (self);
}

/* Returns: (nullable): the last completed one of this kernel or, while an edited source does not
 * compile, the last one that ran */
CURED_GETTER (CuredInspection *, cured_inspector_get_inspection, CuredInspector, inspection)

/* Returns: the cell of the document's result with the point and source of
 * cured_inspector_get_inspection(); -1: none */
gint64
cured_inspector_get_cell (CuredInspector *self)
{
  return self->shown != NULL ? cured_document_find_measured (self->document, self->shown->kernel,
                                                             self->shown->values)
                             : -1;
}

/* Returns: (nullable): the last completed one, even if it has only diagnostics */
CURED_GETTER (CuredInspection *, cured_inspector_get_newest, CuredInspector, newest)

/* Returns: (nullable): what ptxas changed, in the widths of an otherwise empty view; known a moment
 * after the inspection */
CURED_GETTER (const CuredBankView *, cured_inspector_get_widths, CuredInspector, widths)

/* Sets whether machine code is compiled while a page is visible. */
void
cured_inspector_want_machine (CuredInspector *self, gboolean is_wanted)
{
  self->is_machine_wanted = is_wanted;
  if (!is_wanted)
    cured_task_cancel (&self->machine_task);
  find_machine (self);
}

/* @error: (out): why there is none; NULL: not known yet
 * Returns: (nullable): the machine code of cured_inspector_get_newest() */
const CuredMachineView *
cured_inspector_get_machine (CuredInspector *self, const GError **error)
{
  *error = self->machine_error;
  return self->machine;
}

/* Adds a page as a user of remedies, so that they are tried. */
void
cured_inspector_hold_remedies (CuredInspector *self)
{
  self->n_remedy_holds++;
  find_remedies (self);
}

void
cured_inspector_release_remedies (CuredInspector *self)
{
  g_return_if_fail (self->n_remedy_holds > 0);

  if (--self->n_remedy_holds == 0 && self->remedies == NULL)
    forget_remedies (self);
}

/* Returns: (nullable) (element-type CuredRemedy): remedies for the findings of
 * cured_inspector_get_newest() that were tried with success; NULL: not known yet */
CURED_GETTER (const GPtrArray *, cured_inspector_get_remedies, CuredInspector, remedies)

/* Returns: (nullable): why there is no inspection, for example without NVRTC */
CURED_GETTER (const GError *, cured_inspector_get_error, CuredInspector, error)

gboolean
cured_inspector_is_busy (CuredInspector *self)
{
  return self->delay_id != 0 || self->task != NULL;
}

const CuredBankQuery *
cured_inspector_get_query (CuredInspector *self)
{
  return &self->query;
}

/* Selects another launch, block or warp. */
void
cured_inspector_set_query (CuredInspector *self, const CuredBankQuery *query)
{
  self->query = *query;
  self->is_edit = FALSE;
  update (self);
}

/* Overrides the document's value of a parameter, to compare one site at two values side by side.
 * @parameter: (nullable): NULL: no override */
void
cured_inspector_set_override (CuredInspector *self, const char *parameter, gint64 value)
{
  g_autofree char *old = self->parameter;

  self->parameter = g_strdup (parameter);
  self->value = value;
  self->is_edit = FALSE;
  update (self);
}
