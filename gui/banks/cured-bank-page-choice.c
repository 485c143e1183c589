/* SPDX-License-Identifier: MIT
 * Choices of the bank page: launch, block and warp, and the difference between the sides. */
#include <config.h>

#include "banks/cured-bank-page-private.h"

#include <inttypes.h>

CuredBankView *
_cured_bank_page_get_view (CuredInspector *inspector)
{
  CuredInspection *inspection = cured_inspector_get_inspection (inspector);

  return inspection != NULL ? inspection->banks : NULL;
}

gboolean
_cured_bank_page_is_comparing (CuredBankPage *self)
{
  return gtk_toggle_button_get_active (self->compare);
}

/* ---- Launch, block and warp ---- */

static CuredKernel *
get_kernel_of_second (CuredBankPage *self)
{
  return cured_document_get_kernel (self->rival != NULL ? self->rival : self->page.document);
}

/* (transfer full): the values of the parameters of the first or second side */
static gint64 *
get_values (CuredBankPage *self, gboolean is_second)
{
  gsize n_values;
  const gint64 *point = cured_document_get_point (self->page.document, &n_values);

  if (is_second && self->rival != NULL)
    {
      point = cured_document_get_point (self->rival, &n_values);
      return g_memdup2 (point, MAX (n_values, 1) * sizeof *point);
    }
  gint64 *values = g_new0 (gint64, n_values + 1);
  for (gsize i = 0; i < n_values; i++)
    values[i] = is_second && i == self->parameter ? self->value : point[i];
  return values;
}

/* The program at the values of a side; NULL: not launchable. */
static CuredProgram *
make_program (CuredBankPage *self, gboolean is_second)
{
  CuredKernel *kernel =
      is_second ? get_kernel_of_second (self) : cured_document_get_kernel (self->page.document);
  g_autofree gint64 *values = get_values (self, is_second);

  if (kernel == NULL)
    return NULL;
  return cured_program_new (kernel, values, cured_document_get_limits (self->page.document), NULL);
}

/* The selected launch: the query's, the view's or the first one that exists. */
static const CuredProgramStep *
find_step (CuredBankPage *self, const CuredProgram *program, const CuredBankQuery *query,
           gsize *index)
{
  const CuredBankView *view = _cured_bank_page_get_view (self->page.inspector);

  *index = query->step;
  if (*index == CURED_BANK_FIRST_STEP && view != NULL)
    *index = view->step;
  if (*index < program->n_steps && program->steps[*index].entry != NULL)
    return &program->steps[*index];
  for (*index = 0; *index < program->n_steps; (*index)++)
    if (program->steps[*index].entry != NULL)
      return &program->steps[*index];
  return NULL;
}

/* Clamps block and warp to those of a launch. */
static void
clamp_query (CuredBankQuery *query, const CuredProgramStep *step)
{
  guint64 n_blocks = (guint64) step->grid[0] * step->grid[1] * step->grid[2];
  guint64 n_threads = (guint64) step->block[0] * step->block[1] * step->block[2];

  query->block = MIN (query->block, MAX (n_blocks, 1) - 1);
  query->warp = (guint) MIN (query->warp, (MAX (n_threads, 1) - 1) / 32);
}

static gboolean
is_same_query (const CuredBankQuery *a, const CuredBankQuery *b)
{
  return a->step == b->step && a->block == b->block && a->warp == b->warp && a->arch == b->arch &&
         a->seed == b->seed;
}

static void
set_query (CuredInspector *inspector, const CuredBankQuery *query)
{
  if (!is_same_query (cured_inspector_get_query (inspector), query))
    cured_inspector_set_query (inspector, query);
}

static void
set_query_of_other (CuredBankPage *self, const CuredBankQuery *query)
{
  g_autoptr (CuredProgram) program = make_program (self, TRUE);
  CuredBankQuery other = *query;
  gsize index;

  if (program == NULL)
    return;
  const CuredProgramStep *step = find_step (self, program, &other, &index);
  if (step != NULL)
    clamp_query (&other, step);
  set_query (self->other, &other);
}

static void
fill_launches (CuredBankPage *self, const CuredProgram *program, gsize selected)
{
  g_autoptr (GListStore) store = g_list_store_new (CURED_TYPE_CHOICE);
  g_autoptr (GString) all = g_string_new (NULL);

  for (gsize i = 0; i < program->n_steps; i++)
    {
      const CuredProgramStep *step = &program->steps[i];

      if (step->entry == NULL)
        continue;
      /* Translators: the number of a launch, and the name of a function. */
      g_autofree char *title = g_strdup_printf (_ ("%zu: %s"), i + 1, step->entry);
      g_autofree char *tooltip = g_strdup_printf (
          /* Translators: the number of a launch, the name of a function, and sizes of a grid of
           * blocks and of a block of threads. */
          _ ("Launch %zu: %s, %u × %u × %u blocks of %u × %u × %u threads"), i + 1, step->entry,
          step->grid[0], step->grid[1], step->grid[2], step->block[0], step->block[1],
          step->block[2]);

      cured_choice_add (store, i, title, NULL, tooltip);
      g_string_append (all, tooltip);
    }
  /* Avoids replacing a list while its drop-down handles a selection. */
  if (g_strcmp0 (all->str, self->launches) == 0)
    {
      cured_choice_set_selected (self->launch, selected);
      return;
    }
  cured_set_string (&self->launches, all->str);
  cured_choice_fill (self->launch, store, selected);
  gtk_widget_set_visible (GTK_WIDGET (self->launch),
                          g_list_model_get_n_items (G_LIST_MODEL (store)) > 1);
}

static void
show_block_tooltip (CuredBankPage *self, const CuredProgramStep *step, guint64 block)
{
  g_autofree char *text = g_strdup_printf (
      /* Translators: coordinates of a block, and the size of its grid. */
      _ ("Block (%" PRIu64 ", %" PRIu64 ", %" PRIu64 ") of %u × %u × %u"), block % step->grid[0],
      block / step->grid[0] % step->grid[1], block / step->grid[0] / step->grid[1], step->grid[0],
      step->grid[1], step->grid[2]);

  gtk_widget_set_tooltip_text (GTK_WIDGET (self->block), text);
}

/* Sets value and range together, so that the value is never temporarily out of range. */
static void
set_spin (GtkSpinButton *button, double value, double last)
{
  GtkAdjustment *adjustment = gtk_spin_button_get_adjustment (button);

  gtk_adjustment_configure (adjustment, value, 0.0, last,
                            gtk_adjustment_get_step_increment (adjustment),
                            gtk_adjustment_get_page_increment (adjustment), 0.0);
}

/* Sets the controls to the choices at the point, and the inspectors' queries to the current
 * choice. */
void
_cured_bank_page_update_query (CuredBankPage *self)
{
  g_autoptr (CuredProgram) program = make_program (self, FALSE);
  CuredBankQuery query = *cured_inspector_get_query (self->page.inspector);
  const CuredProgramStep *step = NULL;
  gsize index = 0;

  if (program != NULL)
    step = find_step (self, program, &query, &index);
  gboolean has_step = step != NULL && step->grid[0] > 0 && step->grid[1] > 0 && step->grid[2] > 0;
  gtk_widget_set_sensitive (GTK_WIDGET (self->block), has_step);
  gtk_widget_set_sensitive (GTK_WIDGET (self->warp), has_step);
  if (!has_step)
    return;

  guint64 n_blocks = (guint64) step->grid[0] * step->grid[1] * step->grid[2];
  guint n_warps = (step->block[0] * step->block[1] * step->block[2] + 31) / 32;
  clamp_query (&query, step);
  /* First, so that setting the controls causes no change. */
  set_query (self->page.inspector, &query);
  set_query_of_other (self, &query);
  fill_launches (self, program, index);
  set_spin (self->block, (double) query.block, (double) n_blocks - 1.0);
  set_spin (self->warp, query.warp, (double) n_warps - 1.0);
  show_block_tooltip (self, step, query.block);
  g_autofree char *warps = g_strdup_printf (
      /* Translators: how many groups of 32 threads a block has. */
      ngettext ("The block has %u warp", "The block has %u warps", n_warps), n_warps);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->warp), warps);
}

void
_cured_bank_page_spun_cb (CuredBankPage *self, GtkSpinButton *widget)
{
  const CuredBankQuery *old = cured_inspector_get_query (self->page.inspector);
  CuredBankQuery query = *old;

  /* The other control may still have an outdated value. */
  if (widget == self->block)
    query.block = (guint64) gtk_spin_button_get_value (self->block);
  else
    query.warp = (guint) gtk_spin_button_get_value_as_int (self->warp);
  if (is_same_query (&query, old))
    return;
  cured_inspector_set_query (self->page.inspector, &query);
  _cured_bank_page_update_query (self);
}

void
_cured_bank_page_launch_cb (CuredBankPage *self)
{
  CuredBankQuery query = *cured_inspector_get_query (self->page.inspector);
  gsize index;

  if (!cured_choice_get_selected (self->launch, &index) || index == query.step)
    return;
  query.step = index;
  set_query (self->page.inspector, &query);
  _cured_bank_page_update_query (self);
}

/* ---- Side by side ---- */

/* (transfer full): the other kernels of the family */
static GPtrArray *
list_rivals (CuredBankPage *self)
{
  GPtrArray *rivals = g_ptr_array_new_with_free_func (g_free);
  CuredKernel *kernel = cured_document_get_kernel (self->page.document);
  g_auto (GStrv) ids = cured_catalogue_list ();
  g_autofree char *prefix = g_strconcat (kernel->family != NULL ? kernel->family : "", "/", NULL);

  for (gsize i = 0; ids[i] != NULL; i++)
    if (g_str_has_prefix (ids[i], prefix) && !g_str_equal (ids[i], kernel->id))
      g_ptr_array_add (rivals, g_strdup (ids[i]));
  return rivals;
}

/* Copies the values of parameters that both kernels have. */
void
_cured_bank_page_follow_point (CuredBankPage *self)
{
  CuredKernel *kernel = cured_document_get_kernel (self->page.document);
  const gint64 *values = cured_document_get_point (self->page.document, NULL);
  CuredKernel *rival = self->rival != NULL ? cured_document_get_kernel (self->rival) : NULL;

  for (gsize i = 0; rival != NULL && i < kernel->n_parameters; i++)
    {
      gsize index;

      if (!cured_kernel_find_parameter (rival, kernel->parameters[i].name, &index))
        continue;
      if (rival->parameters[index].values == NULL ||
          cured_axis_find (rival->parameters[index].values, values[i], NULL))
        cured_document_set_value (self->rival, index, values[i]);
    }
}

void
_cured_bank_page_watch_other (CuredBankPage *self, CuredInspector *other)
{
  if (self->other != NULL)
    {
      if (self->is_held)
        cured_inspector_release (self->other);
      g_object_unref (self->other);
    }
  self->other = other;
  g_signal_group_set_target (self->other_signals, other);
  if (self->is_held)
    cured_inspector_hold (other);
}

/* @id: (nullable): of another kernel; %NULL: the second side has the same one */
void
_cured_bank_page_set_rival (CuredBankPage *self, const char *id)
{
  g_autoptr (CuredKernel) kernel = id != NULL ? cured_catalogue_get (id, NULL) : NULL;

  if (kernel == NULL && self->rival == NULL)
    return;
  g_clear_object (&self->rival);
  if (kernel == NULL)
    {
      _cured_bank_page_watch_other (self, cured_inspector_new (self->page.document));
      return;
    }
  self->rival = cured_document_new ();
  cured_document_set_kernel (self->rival, kernel);
  _cured_bank_page_follow_point (self);
  _cured_bank_page_watch_other (self, cured_inspector_new (self->rival));
}

static void
apply_override (CuredBankPage *self)
{
  CuredKernel *kernel = cured_document_get_kernel (self->page.document);

  if (kernel == NULL)
    return;
  if (self->rival == NULL)
    cured_inspector_set_override (self->other, kernel->parameters[self->parameter].name,
                                  self->value);
  set_query_of_other (self, cured_inspector_get_query (self->page.inspector));
}

void
_cured_bank_page_show_first_title (CuredBankPage *self)
{
  CuredKernel *kernel = cured_document_get_kernel (self->page.document);
  const gint64 *values = cured_document_get_point (self->page.document, NULL);

  if (kernel == NULL)
    return;
  if (self->rival != NULL)
    {
      gtk_label_set_label (self->first_title, kernel->id);
      return;
    }
  const CuredParameter *parameter = &kernel->parameters[self->parameter];
  const char *name = parameter->values != NULL
                         ? cured_axis_get_name (parameter->values, values[self->parameter])
                         : NULL;
  g_autofree char *value =
      name != NULL ? g_strdup (name) : cured_format_count (values[self->parameter]);
  g_autofree char *text = g_strdup_printf ("%s = %s", parameter->name, value);
  gtk_label_set_label (self->first_title, text);
}

static void
fill_rivals (CuredBankPage *self)
{
  g_autoptr (GPtrArray) rivals = list_rivals (self);
  g_autoptr (GListStore) store = g_list_store_new (CURED_TYPE_CHOICE);
  gsize selected = 0;

  for (gsize i = 0; i < rivals->len; i++)
    {
      cured_choice_add (store, i, rivals->pdata[i], NULL, NULL);
      if (g_str_equal (rivals->pdata[i], cured_document_get_kernel (self->rival)->id))
        selected = i;
    }
  cured_choice_fill (self->value_list, store, selected);
}

void
_cured_bank_page_fill_values (CuredBankPage *self)
{
  CuredKernel *kernel = cured_document_get_kernel (self->page.document);
  const CuredParameter *parameter = &kernel->parameters[self->parameter];
  g_autoptr (GListStore) store = g_list_store_new (CURED_TYPE_CHOICE);
  gsize selected = 0;

  if (self->rival != NULL)
    {
      fill_rivals (self);
      return;
    }
  g_clear_pointer (&self->choices, cured_axis_unref);
  self->choices = cured_document_get_choices (self->page.document, self->parameter);
  for (gsize i = 0; i < cured_axis_get_length (self->choices); i++)
    {
      g_autofree char *title = cured_axis_format_value (self->choices, i);

      cured_choice_add (store, i, title, NULL, cured_kernel_translate (parameter->summary));
    }
  if (!cured_axis_find (self->choices, self->value, &selected))
    {
      self->value = cured_axis_get_value (self->choices, selected);
      apply_override (self);
    }
  cured_choice_fill (self->value_list, store, selected);
}

/* Initially the next value, or else the previous one: for example padding 0 next to padding 1. */
void
_cured_bank_page_choose_value (CuredBankPage *self)
{
  g_autoptr (CuredAxis) choices = cured_document_get_choices (self->page.document, self->parameter);
  const gint64 *values = cured_document_get_point (self->page.document, NULL);
  gsize n_choices = cured_axis_get_length (choices);
  gsize at = 0;

  cured_axis_find (choices, values[self->parameter], &at);
  if (at + 1 < n_choices)
    at++;
  else if (at > 0)
    at--;
  self->value = cured_axis_get_value (choices, at);
}

gboolean
_cured_bank_page_has_choices (CuredBankPage *self, gsize parameter)
{
  g_autoptr (CuredAxis) choices = cured_document_get_choices (self->page.document, parameter);

  return cured_axis_get_length (choices) > 1;
}

/* The parameter with most influence on bank conflicts, if the kernel has one. */
gboolean
_cured_bank_page_choose_parameter (CuredBankPage *self)
{
  static const char *const names[] = { "padding", "pad", "swizzle", "layout", "stride", "pattern" };
  CuredKernel *kernel = cured_document_get_kernel (self->page.document);

  if (kernel == NULL)
    return FALSE;
  gsize n_parameters = kernel->n_parameters;
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    if (cured_kernel_find_parameter (kernel, names[i], &self->parameter) &&
        _cured_bank_page_has_choices (self, self->parameter))
      return TRUE;
  for (self->parameter = 0; self->parameter < n_parameters; self->parameter++)
    if (_cured_bank_page_has_choices (self, self->parameter))
      return TRUE;
  self->parameter = 0;
  return FALSE;
}

static void
fill_parameters (CuredBankPage *self)
{
  CuredKernel *kernel = cured_document_get_kernel (self->page.document);
  const CuredParameter *parameters = kernel->parameters;
  gsize n_parameters = kernel->n_parameters;
  g_autoptr (GPtrArray) rivals = list_rivals (self);
  g_autoptr (GListStore) store = g_list_store_new (CURED_TYPE_CHOICE);

  for (gsize i = 0; i < n_parameters; i++)
    if (_cured_bank_page_has_choices (self, i))
      cured_choice_add (store, i, parameters[i].name, NULL,
                        cured_kernel_translate (parameters[i].summary));
  if (rivals->len > 0)
    {
      cured_choice_add (store, /* Translators: what two pictures differ in. */
                        n_parameters, _ ("kernel"), NULL, _ ("Another kernel"));
    }
  cured_choice_fill (self->parameter_list, store,
                     self->rival != NULL ? n_parameters : self->parameter);
}

void
_cured_bank_page_hold_other (CuredBankPage *self)
{
  gboolean is_held =
      _cured_bank_page_is_comparing (self) && gtk_widget_get_mapped (GTK_WIDGET (self));

  if (is_held == self->is_held)
    return;
  self->is_held = is_held;
  if (is_held)
    cured_inspector_hold (self->other);
  else
    cured_inspector_release (self->other);
}

void
_cured_bank_page_show_sides (CuredBankPage *self)
{
  gboolean is_on = _cured_bank_page_is_comparing (self);

  if (is_on)
    {
      fill_parameters (self);
      _cured_bank_page_fill_values (self);
      apply_override (self);
      _cured_bank_page_show_first_title (self);
    }
  cured_bank_side_set_head (self->first, is_on ? self->first_head : NULL);
  cured_bank_side_set_narrow (self->first, is_on);
  _cured_bank_page_hold_other (self);
}

void
_cured_bank_page_start_comparing (CuredBankPage *self)
{
  if (_cured_bank_page_is_comparing (self))
    {
      _cured_bank_page_set_rival (self, NULL);
      _cured_bank_page_choose_parameter (self);
      _cured_bank_page_choose_value (self);
    }
  _cured_bank_page_show_sides (self);
}

void
_cured_bank_page_take_parameter (CuredBankPage *self)
{
  CuredKernel *kernel = cured_document_get_kernel (self->page.document);
  gsize parameter;

  if (kernel == NULL || !cured_choice_get_selected (self->parameter_list, &parameter))
    return;
  if (parameter == kernel->n_parameters)
    {
      g_autoptr (GPtrArray) rivals = list_rivals (self);

      _cured_bank_page_set_rival (self, rivals->pdata[0]);
    }
  else
    {
      _cured_bank_page_set_rival (self, NULL);
      self->parameter = parameter;
      _cured_bank_page_choose_value (self);
    }
  _cured_bank_page_fill_values (self);
  apply_override (self);
  _cured_bank_page_show_first_title (self);
}

void
_cured_bank_page_take_value (CuredBankPage *self)
{
  gsize index;

  if (!cured_choice_get_selected (self->value_list, &index))
    return;
  if (self->rival != NULL)
    {
      g_autoptr (GPtrArray) rivals = list_rivals (self);

      _cured_bank_page_set_rival (self, rivals->pdata[index]);
    }
  else
    self->value = cured_axis_get_value (self->choices, index);
  apply_override (self);
}
