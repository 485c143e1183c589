/* SPDX-License-Identifier: MIT
 * The document of a tab: a kernel, a result, and a point in parameter space. */
#include <config.h>

#include "model/cured-gui-model.h"

/* Maximum number of values of a parameter in a list. */
#define MAX_OFFERED 256

struct _CuredDocument
{
  GObject parent_instance;

  /* Owned */
  CuredMapView *map_view; /* of @result */
  CuredResult *result;    /* nullable */
  CuredKernel *kernel;    /* nullable; of the edited source, if it was edited */
  char *original;         /* nullable: the source as opened */
  char *source;           /* nullable: with edits */
  GError *source_error;
  gint64 *values; /* one per parameter of @kernel */
  gsize n_values;
  gint64 cell;      /* of @result, at @values; -1: none */
  gulong chosen_id; /* of @map_view */
  int line;         /* of @source, from 1; 0: none */
};

G_DEFINE_FINAL_TYPE (CuredDocument, cured_document, G_TYPE_OBJECT)

/* The cell of the result at the values of all parameters; -1: none. */
static gint64
find_cell (CuredDocument *self, CuredKernel *kernel, const gint64 *values)
{
  gsize n_axes = 0;
  const CuredResultAxis *axes =
      self->result != NULL ? cured_result_get_axes (self->result, &n_axes) : NULL;
  g_autofree gsize *positions = g_new0 (gsize, n_axes + 1);

  if (axes == NULL || kernel == NULL)
    return -1;
  for (gsize i = 0; i < n_axes; i++)
    {
      gsize parameter;

      if (!cured_kernel_find_parameter (kernel, axes[i].name, &parameter) ||
          !cured_axis_find (axes[i].values, values[parameter], &positions[i]))
        return -1;
    }
  return cured_result_get_cell (self->result, positions);
}

/* Only in related kernels do parameters of one name have the same meaning: “n” of a sum is not that
 * of a matrix. */
static gboolean
is_related (const CuredKernel *a, const CuredKernel *b)
{
  return a != NULL && (g_str_equal (a->id, b->id) ||
                       (a->family != NULL && g_strcmp0 (a->family, b->family) == 0));
}

/* Parameters of both kernels keep their values. */
static void
take_kernel (CuredDocument *self, CuredKernel *kernel)
{
  g_autoptr (CuredKernel) old = self->kernel;
  g_autofree gint64 *old_values = self->values;

  self->kernel = kernel != NULL ? cured_kernel_ref (kernel) : NULL;
  self->n_values = kernel != NULL ? kernel->n_parameters : 0;
  self->values = g_new0 (gint64, self->n_values + 1);
  for (gsize i = 0; i < self->n_values; i++)
    {
      const CuredParameter *parameter = &kernel->parameters[i];
      gsize before;

      self->values[i] = parameter->default_value;
      if (is_related (old, kernel) && cured_kernel_find_parameter (old, parameter->name, &before) &&
          (parameter->values == NULL ||
           cured_axis_find (parameter->values, old_values[before], NULL)))
        self->values[i] = old_values[before];
    }
  self->cell = find_cell (self, self->kernel, self->values);
}

static void
take_cell (CuredDocument *self, gint64 cell)
{
  gsize n_axes;
  const CuredResultAxis *axes = cured_result_get_axes (self->result, &n_axes);
  g_autofree gsize *positions = g_new0 (gsize, n_axes + 1);

  cured_result_get_positions (self->result, cell, positions);
  for (gsize i = 0; i < n_axes && self->kernel != NULL; i++)
    {
      gsize parameter;

      if (cured_kernel_find_parameter (self->kernel, axes[i].name, &parameter))
        self->values[parameter] = cured_axis_get_value (axes[i].values, positions[i]);
    }
  self->cell = cell;
}

static void
open_source (CuredDocument *self, const char *source)
{
  cured_set_string (&self->original, source);
  cured_set_string (&self->source, self->original);
  g_clear_error (&self->source_error);
  self->line = 0;
}

static void
emit (CuredDocument *self, CuredDocumentChange what)
{
  g_signal_emit_by_name (self, "changed", what);
}

static void
cell_chosen_cb (CuredDocument *self)
{
  gint64 cell = cured_map_view_get_cell (self->map_view);

  if (cell >= 0)
    cured_document_set_cell (self, cell);
}

/* The map shows the slice with the current cell. */
static void
show_cell (CuredDocument *self)
{
  if (self->cell >= 0)
    cured_map_view_set_cell (self->map_view, self->cell);
}

static void
cured_document_class_init (CuredDocumentClass *klass)
{
  CURED_PROPERTY (CuredDocument, "map-view", CURED_TYPE_MAP_VIEW, map_view, NULL);
  cured_class_add_signal (klass, "changed", 1, G_TYPE_UINT);
  CURED_OWNS (CuredDocument, map_view, result);
  CURED_FREES (CuredDocument, cured_kernel_unref, kernel);
  CURED_FREES (CuredDocument, g_error_free, source_error);
  CURED_FREES (CuredDocument, g_free, original, source, values);
}

static void
cured_document_init (CuredDocument *self)
{
  self->cell = -1;
  self->map_view = cured_map_view_new ();
  self->chosen_id = CURED_CONNECT (self->map_view, "notify::cell", cell_chosen_cb);
}

CURED_DEFINE_NEW (CuredDocument, cured_document)

/* (transfer full) (nullable): parses the edited text; stores an error on failure. A file's text
 * that this version of Cured rejects may become valid by editing. */
static CuredKernel *
parse_source (CuredDocument *self)
{
  const char *id = self->kernel != NULL   ? self->kernel->id
                   : self->result != NULL ? cured_result_get_kernel_id (self->result)
                                          : NULL;

  g_clear_error (&self->source_error);
  if (id == NULL)
    return NULL;
  return cured_kernel_new_from_text (
      self->source, id, self->kernel != NULL ? self->kernel->path : NULL, &self->source_error);
}

/* The map chooses the best cell initially; signals are emitted after everything is updated. */
static void
show_result (CuredDocument *self)
{
  gint64 cell;

  g_signal_handler_block (self->map_view, self->chosen_id);
  cured_map_view_set_result (self->map_view, self->result, self->cell);
  g_signal_handler_unblock (self->map_view, self->chosen_id);
  cell = cured_map_view_get_cell (self->map_view);
  if (cell >= 0 && cell != self->cell)
    take_cell (self, cell);
}

/* Shows a result, with its kernel and its source; edits of the source are discarded. If the kept
 * parameter values match no cell, those of the first cell are used. Emits a change of everything.
 * @result: (nullable): an opened or running result. */
void
cured_document_set_result (CuredDocument *self, CuredResult *result)
{
  CuredKernel *kernel = result != NULL ? cured_result_get_kernel (result) : NULL;

  g_autoptr (CuredKernel) refused = NULL;

  g_set_object (&self->result, result);
  open_source (self, result != NULL ? cured_result_get_source (result) : NULL);
  take_kernel (self, kernel);
  if (kernel == NULL && self->source != NULL && *self->source != '\0')
    {
      refused = parse_source (self);
      if (refused != NULL)
        g_set_error_literal (
            &self->source_error, CURED_ERROR, CURED_ERROR_INVALID,
            _ ("The source in this file has other parameters than its measurements"));
    }
  if (self->cell < 0 && result != NULL && cured_result_get_n_cells (result) > 0)
    take_cell (self, 0);
  show_result (self);
  emit (self, CURED_DOCUMENT_EVERYTHING);
}

/* Shows a kernel without a result. Emits a change of everything. @kernel: (nullable) */
void
cured_document_set_kernel (CuredDocument *self, CuredKernel *kernel)
{
  g_clear_object (&self->result);
  /* A file of the user's own is edited in place; other kernels become a copy. */
  open_source (self, kernel == NULL ? NULL : kernel->path != NULL ? kernel->text : kernel->source);
  take_kernel (self, kernel);
  show_result (self);
  emit (self, CURED_DOCUMENT_EVERYTHING);
}

CURED_GETTER (CuredResult *, cured_document_get_result, CuredDocument, result)

/* Returns: (nullable): the kernel of the edited source or, if that can't be parsed, the last valid
 * one; NULL if nothing is open or the file has no kernel */
CURED_GETTER (CuredKernel *, cured_document_get_kernel, CuredDocument, kernel)

CURED_GETTER (CuredMapView *, cured_document_get_map_view, CuredDocument, map_view)

/* Returns: the limits of the result's device; without known ones, those of sm_90 */
const CuredLimits *
cured_document_get_limits (CuredDocument *self)
{
  if (self->result != NULL &&
      cured_result_get_device (self->result)->limits.max_threads_per_block > 0)
    return &cured_result_get_device (self->result)->limits;
  return &cured_profile_find ("sm_90")->limits;
}

/* @n_values: (out) (optional): their number. Returns: (array length=n_values): one value per
 * parameter of the kernel, in the kernel's order; valid until the next change */
const gint64 *
cured_document_get_point (CuredDocument *self, gsize *n_values)
{
  if (n_values != NULL)
    *n_values = self->n_values;
  return self->values;
}

/* (transfer full): such as “tile=16 n=1024” */
char *
cured_document_describe_point (CuredDocument *self)
{
  const CuredParameter *parameters = self->kernel->parameters;
  GString *text = g_string_new (NULL);

  for (gsize i = 0; i < self->n_values; i++)
    {
      g_autofree char *value = cured_axis_value_to_string (parameters[i].values, self->values[i]);

      g_string_append_printf (text, "%s%s=%s", i > 0 ? " " : "", parameters[i].name, value);
    }
  return g_string_free (text, FALSE);
}

void
cured_document_set_value (CuredDocument *self, gsize parameter, gint64 value)
{
  g_return_if_fail (parameter < self->n_values);

  if (self->values[parameter] == value)
    return;
  self->values[parameter] = value;
  self->cell = find_cell (self, self->kernel, self->values);
  show_cell (self);
  emit (self, CURED_DOCUMENT_POINT);
}

CURED_GETTER (gint64, cured_document_get_cell, CuredDocument, cell)

/* Finds a measured cell of a kernel with this exact source. Returns: the result's cell, or -1 if it
 * has none of that source at these values */
gint64
cured_document_find_measured (CuredDocument *self, CuredKernel *kernel, const gint64 *values)
{
  if (self->result == NULL ||
      g_strcmp0 (kernel->source, cured_result_get_source (self->result)) != 0)
    return -1;
  return find_cell (self, kernel, values);
}

void
cured_document_set_cell (CuredDocument *self, gint64 cell)
{
  g_return_if_fail (self->result != NULL);
  g_return_if_fail (cell >= 0 && cell < cured_result_get_n_cells (self->result));

  if (self->cell == cell)
    return;
  take_cell (self, cell);
  show_cell (self);
  emit (self, CURED_DOCUMENT_POINT);
}

/* Returns: (nullable): the kernel file's text, with edits */
CURED_GETTER (const char *, cured_document_get_source, CuredDocument, source)

/* Edits the source, even of a result without a valid kernel. If it can't be parsed, the previous
 * kernel is kept, and cured_document_get_source_error() has the error. */
void
cured_document_set_source (CuredDocument *self, const char *source)
{
  g_return_if_fail (source != NULL);

  if (g_strcmp0 (self->source, source) == 0)
    return;
  cured_set_string (&self->source, source);
  g_autoptr (CuredKernel) kernel = parse_source (self);
  if (kernel != NULL)
    take_kernel (self, kernel);
  emit (self, kernel != NULL ? CURED_DOCUMENT_KERNEL | CURED_DOCUMENT_POINT | CURED_DOCUMENT_SOURCE
                             : CURED_DOCUMENT_SOURCE);
}

/* Returns: (nullable): the source as last opened or saved */
CURED_GETTER (const char *, cured_document_get_original, CuredDocument, original)

/* Sets the text with which cured_document_is_edited() compares the source. @source: the text of the
 * file, for example after saving. */
void
cured_document_set_original (CuredDocument *self, const char *source)
{
  g_return_if_fail (source != NULL);

  if (g_strcmp0 (self->original, source) == 0)
    return;
  cured_set_string (&self->original, source);
  emit (self, CURED_DOCUMENT_SOURCE);
}

gboolean
cured_document_is_edited (CuredDocument *self)
{
  return g_strcmp0 (self->source, self->original) != 0;
}

/* Returns: (nullable): why the edited text, or the text in a result, is not a kernel file */
CURED_GETTER (const GError *, cured_document_get_source_error, CuredDocument, source_error)

/* Returns: the current line of the source, from 1; 0: none */
CURED_GETTER (int, cured_document_get_line, CuredDocument, line)

/* Selects a line of the source, on all pages. @line: from 1; 0: none. */
void
cured_document_set_line (CuredDocument *self, int line)
{
  g_return_if_fail (line >= 0);

  if (self->line == line)
    return;
  self->line = line;
  emit (self, CURED_DOCUMENT_LINE);
}

static int
compare_values (gconstpointer a, gconstpointer b)
{
  gint64 value_a = *(const gint64 *) a;
  gint64 value_b = *(const gint64 *) b;

  return (value_a > value_b) - (value_a < value_b);
}

/* (nullable): the values of a parameter to offer */
static const CuredAxis *
find_offer (CuredDocument *self, gsize parameter)
{
  const CuredParameter *about = &self->kernel->parameters[parameter];
  gsize n_axes = 0;
  const CuredResultAxis *axes =
      self->result != NULL ? cured_result_get_axes (self->result, &n_axes) : NULL;

  if (about->values != NULL && cured_axis_get_length (about->values) <= MAX_OFFERED)
    return about->values;
  for (gsize i = 0; i < n_axes; i++)
    if (g_str_equal (axes[i].name, about->name) && cured_axis_get_length (axes[i].values) > 1)
      return axes[i].values;
  return self->kernel->sweep[parameter];
}

/* Returns: (transfer full): values to choose from, in order: all permitted ones, if they are few,
 * or else those of the result or of the default sweep; includes the parameter's current value */
CuredAxis *
cured_document_get_choices (CuredDocument *self, gsize parameter)
{
  g_autoptr (GArray) values = g_array_new (FALSE, FALSE, sizeof (gint64));

  g_return_val_if_fail (parameter < self->n_values, NULL);

  const CuredAxis *offer = find_offer (self, parameter);
  gsize n_offered = offer != NULL ? cured_axis_get_length (offer) : 0;
  for (gsize i = 0; i < MIN (n_offered, MAX_OFFERED); i++)
    {
      gint64 value = cured_axis_get_value (offer, i);

      if (value != self->values[parameter])
        g_array_append_val (values, value);
    }
  g_array_append_val (values, self->values[parameter]);
  g_array_sort (values, compare_values);
  g_autoptr (CuredAxis) axis =
      cured_axis_new ((const gint64 *) (gpointer) values->data, values->len);
  return cured_axis_new_like (axis, self->kernel->parameters[parameter].values);
}
