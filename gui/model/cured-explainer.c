/* SPDX-License-Identifier: MIT
 * Determines the limiters of a result's cells in the background. */
#include <config.h>

#include "model/cured-gui-model.h"

#include <string.h>

/* Delay after the last change, so that cells the cursor only passes are not explained. */
#define DELAY_MS 120

/* Maximum number of cells lost if the window is closed early. */
#define MANY_UNSAVED 16

struct _CuredExplainer
{
  GObject parent_instance;

  /* Owned */
  CuredResult *result;     /* nullable */
  CuredMachine *machine;   /* nullable: no facts about the machine */
  char *problem;           /* nullable: why nothing can be explained */
  CuredLimiters *limiters; /* nullable: no result */
  CuredLimiters *unsaved;  /* nullable: those that the file lacks */
  GHashTable *found;       /* gint64 to Found */
  GArray *cells;           /* of gint64: cells wanted after @cell */
  guint n_done;            /* of @cells, the number of leading ones that are done */
  CuredResult *copy;       /* nullable: of the file, for the next task */
  CuredTask *task, *saving;

  gint64 n_kept;   /* leading cells considered for the file; -1: the file is not written */
  guint n_unsaved; /* upper bound of the number of cells in @unsaved */
  gboolean is_paused;
  gint64 cell; /* wanted first; -1: none */
  guint delay_id;
};

typedef struct
{
  CuredExplanation *explanation; /* nullable */
  char *problem;                 /* nullable */
} Found;

G_DEFINE_FINAL_TYPE (CuredExplainer, cured_explainer, G_TYPE_OBJECT)

CURED_FREE_FUNC (Found, found_free, explanation, cured_explanation_free, problem, g_free)

/* The input of a thread. A result belongs to one thread at a time. */
typedef struct
{
  CuredResult *result; /* the window's */
  CuredResult *copy;   /* nullable: not loaded yet */
  CuredMachine *machine;
  gint64 cell;
} Order;

CURED_FREE_FUNC (Order, order_free, result, g_object_unref, copy, g_object_unref, machine,
                 cured_machine_free)

static void
explain_work (CuredTask *task)
{
  Order *order = task->input;

  if (order->copy == NULL)
    order->copy = cured_result_load_again (order->result, task->cancellable, &task->error);
  if (order->copy != NULL)
    task->output =
        cured_explain_cell (order->copy, order->cell, order->machine, cured_examiner_get_shared (),
                            task->cancellable, &task->error);
}

static void schedule (CuredExplainer *self, guint delay_ms);
static void save (CuredExplainer *self);

static void
explained_cb (CuredExplainer *self, CuredTask *task)
{
  Order *order = task->input;
  Found *found = g_new0 (Found, 1);

  self->copy = g_steal_pointer (&order->copy);
  found->explanation = g_steal_pointer (&task->output);
  found->problem = task->error != NULL ? g_strdup (task->error->message) : NULL;
  g_hash_table_insert (self->found, g_memdup2 (&order->cell, sizeof order->cell), found);
  if (found->explanation != NULL)
    {
      cured_limiters_set (self->limiters, order->cell, found->explanation);
      if (self->unsaved == NULL)
        self->unsaved = cured_limiters_new (self->limiters->n_cells);
      cured_limiters_set (self->unsaved, order->cell, found->explanation);
      cured_limiters_show (self->limiters, self->result);
      self->n_unsaved++;
      g_signal_emit_by_name (self, "limiters-changed");
    }
  if (self->n_unsaved >= MANY_UNSAVED)
    save (self);
  g_signal_emit_by_name (self, "explained", order->cell);
  schedule (self, 0);
}

static const CuredTaskKind explain_task =
    CURED_TASK_KIND (explain_work, explained_cb, order_free, cured_explanation_free);

static gboolean
is_wanted (CuredExplainer *self, gint64 cell)
{
  return cell >= 0 && !g_hash_table_contains (self->found, &cell);
}

/* ---- The file ---- */

typedef struct
{
  CuredLimiters *limiters;
  char *path;
} Saving;

CURED_FREE_FUNC (Saving, saving_free, limiters, cured_limiters_free, path, g_free)

static void
save_work (CuredTask *task)
{
  const Saving *saving = task->input;

  cured_limiters_save (saving->limiters, saving->path, &task->error);
}

/* If the file can't be written, it stays unchanged; the window shows the limiters anyway. */
static void
saved_cb (CuredExplainer *self, CuredTask *task)
{
  if (task->error == NULL)
    g_signal_emit_by_name (self, "saved");
  /* For cells explained meanwhile. */
  schedule (self, 0);
}

static const CuredTaskKind save_task = CURED_TASK_KIND (save_work, saved_cb, saving_free, NULL);

/* Writes the limiters that the file lacks; one write at a time. */
static void
save (CuredExplainer *self)
{
  if (self->n_kept < 0 || self->n_unsaved == 0 || self->saving != NULL)
    return;
  Saving *saving = g_new0 (Saving, 1);
  saving->limiters = g_steal_pointer (&self->unsaved);
  saving->path = g_strdup (cured_result_get_path (self->result));
  self->n_unsaved = 0;
  cured_task_start (&self->saving, self, &save_task, saving);
}

static gint64
find_next (CuredExplainer *self)
{
  if (self->limiters == NULL)
    return -1;
  if (is_wanted (self, self->cell))
    return self->cell;
  for (; self->n_done < self->cells->len; self->n_done++)
    {
      gint64 cell = g_array_index (self->cells, gint64, self->n_done);

      /* For the map, a limiter already in the file is enough. */
      if (is_wanted (self, cell) && !cured_limiters_has (self->limiters, cell) &&
          cured_result_get_state (self->result, cell) == CURED_STATE_OK)
        return cell;
    }
  for (; self->n_kept >= 0 && self->n_kept < cured_result_get_n_cells (self->result);
       self->n_kept++)
    if (is_wanted (self, self->n_kept) && !cured_limiters_has (self->limiters, self->n_kept) &&
        cured_result_get_state (self->result, self->n_kept) == CURED_STATE_OK)
      return self->n_kept;
  return -1;
}

static void
start_cb (CuredExplainer *self)
{
  gint64 cell = find_next (self);

  if (cell < 0)
    return;
  Order *order = g_new0 (Order, 1);
  order->result = g_object_ref (self->result);
  order->copy = g_steal_pointer (&self->copy);
  order->machine = cured_machine_find (self->machine->id, NULL);
  order->cell = cell;
  cured_task_start (&self->task, self, &explain_task, order);
}

static void
cancel (CuredExplainer *self)
{
  g_clear_handle_id (&self->delay_id, g_source_remove);
  cured_task_cancel (&self->task);
}

/* Starts the cell with the highest priority, replacing a running one. */
static void
schedule (CuredExplainer *self, guint delay_ms)
{
  gint64 next =
      self->problem == NULL && self->result != NULL && !self->is_paused ? find_next (self) : -1;

  if (next >= 0 && self->task != NULL && ((const Order *) self->task->input)->cell == next)
    return;
  cancel (self);
  if (next >= 0)
    CURED_LATER (delay_id, delay_ms, start_cb);
  else if (!self->is_paused)
    save (self);
}

static void
cured_explainer_dispose (GObject *object)
{
  cured_explainer_set_result (CURED_EXPLAINER (object), NULL);
  G_OBJECT_CLASS (cured_explainer_parent_class)->dispose (object);
}

static void
cured_explainer_class_init (CuredExplainerClass *klass)
{
  CURED_FREES (CuredExplainer, g_hash_table_unref, found);
  CURED_FREES (CuredExplainer, g_array_unref, cells);
  G_OBJECT_CLASS (klass)->dispose = cured_explainer_dispose;
  cured_class_add_signal (klass, "explained", 1, G_TYPE_INT64);
  cured_class_add_signal (klass, "limiters-changed", 0);
  cured_class_add_signal (klass, "saved", 0);
}

static void
cured_explainer_init (CuredExplainer *self)
{
  self->cell = -1;
  self->n_kept = -1;
  self->found = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, found_free);
  self->cells = g_array_new (FALSE, FALSE, sizeof (gint64));
}

CURED_DEFINE_NEW (CuredExplainer, cured_explainer)

/* Returns: (transfer full) (nullable): why no cell of @result can be explained. */
static char *
find_problem (CuredExplainer *self)
{
  const CuredDeviceInfo *device = cured_result_get_device (self->result);

  if (!cured_device_info_has_time (device))
    return g_strdup (_ ("Only results measured on a GPU can be explained."));
  if (device->name[0] == '\0')
    return g_strdup (_ ("The file does not say which device it was measured on, so there are no "
                        "rates to compare with."));
  if (self->machine == NULL)
    return g_strdup_printf (
        /* Translators: the name of a GPU. */
        _ ("There are no machine facts for “%s”, so its rates are unknown."), device->name);
  return NULL;
}

/* Discards data of the previous result. If @result can be explained, it gets the metric `limiter`,
 * without values yet. @result: (nullable): the result to explain. */
void
cured_explainer_set_result (CuredExplainer *self, CuredResult *result)
{
  cancel (self);
  g_hash_table_remove_all (self->found);
  g_array_set_size (self->cells, 0);
  g_clear_object (&self->copy);
  g_clear_pointer (&self->machine, cured_machine_free);
  g_clear_pointer (&self->problem, g_free);
  g_clear_pointer (&self->limiters, cured_limiters_free);
  g_clear_pointer (&self->unsaved, cured_limiters_free);
  self->n_done = 0;
  self->n_unsaved = 0;
  self->n_kept = -1;
  self->cell = -1;
  g_set_object (&self->result, result);
  if (result == NULL)
    return;
  self->machine = cured_explain_find_machine (result, NULL, NULL);
  self->problem = find_problem (self);
  if (self->problem != NULL)
    return;
  self->limiters = cured_limiters_new_from (result);
  if (self->limiters == NULL)
    self->limiters = cured_limiters_new (cured_result_get_n_cells (result));
  cured_limiters_show (self->limiters, result);
}

/* @is_paused: whether to suspend work, since a sweep needs the processors */
void
cured_explainer_set_paused (CuredExplainer *self, gboolean is_paused)
{
  if (self->is_paused == is_paused)
    return;
  self->is_paused = is_paused;
  schedule (self, DELAY_MS);
  if (self->cell >= 0)
    g_signal_emit_by_name (self, "explained", self->cell);
}

/* Returns: (nullable): why no cell can be explained, translated */
CURED_GETTER (const char *, cured_explainer_get_problem, CuredExplainer, problem)

/* Returns: (nullable): the machine whose rates are used */
CURED_GETTER (const CuredMachine *, cured_explainer_get_machine, CuredExplainer, machine)

/* Explains this cell before all others. Emits `explained` later, unless it is known. @cell: the
 * cell shown; -1: none. */
void
cured_explainer_set_cell (CuredExplainer *self, gint64 cell)
{
  if (cell == self->cell)
    return;
  self->cell = cell;
  schedule (self, DELAY_MS);
}

/* Explains these cells one by one. @n_cells: 0 if no map of limiters is visible. */
void
cured_explainer_set_cells (CuredExplainer *self, const gint64 *cells, gsize n_cells)
{
  if (n_cells == self->cells->len &&
      (n_cells == 0 || memcmp (cells, self->cells->data, n_cells * sizeof *cells) == 0))
    return;
  g_array_set_size (self->cells, 0);
  if (n_cells > 0)
    g_array_append_vals (self->cells, cells, (guint) n_cells);
  self->n_done = 0;
  schedule (self, DELAY_MS);
}

/* @n_done: (out): number of wanted cells that are done; @n_all: (out): number of wanted cells.
 * Returns: whether some are pending */
gboolean
cured_explainer_get_progress (CuredExplainer *self, guint *n_done, guint *n_all)
{
  /* Skips known ones. */
  if (self->result != NULL)
    find_next (self);
  *n_done = self->n_done;
  *n_all = self->cells->len;
  return self->problem == NULL && *n_done < *n_all;
}

/* Discards data of a cell that was run. Since a sweep then writes the result's file, the limiters
 * of all its cells are from now on written to it as soon as nothing else is wanted; emits `saved`.
 * The file of a result that was only opened is never written. */
void
cured_explainer_forget_cell (CuredExplainer *self, gint64 cell)
{
  /* The copy is outdated. */
  g_clear_object (&self->copy);
  cancel (self);
  g_hash_table_remove (self->found, &cell);
  if (self->limiters != NULL)
    cured_limiters_set (self->limiters, cell, NULL);
  if (self->unsaved != NULL)
    cured_limiters_set (self->unsaved, cell, NULL);
  self->n_done = 0;
  self->n_kept = 0;
  schedule (self, DELAY_MS);
}

/* @problem: (out) (nullable): why there is none; NULL: not known yet. Returns: (nullable): the
 * cell's explanation */
const CuredExplanation *
cured_explainer_get_explanation (CuredExplainer *self, gint64 cell, const char **problem)
{
  const Found *found = g_hash_table_lookup (self->found, &cell);
  *problem = self->problem;
  if (found == NULL && self->problem == NULL && self->is_paused)
    *problem = _ ("Explained when the sweep has ended.");
  if (found == NULL)
    return NULL;
  *problem = found->problem;
  return found->explanation;
}
