/* SPDX-License-Identifier: MIT
 * A dialog that drafts a header for a CUDA file without one. */
#include <config.h>

#include "source/cured-gui-source.h"

struct _CuredHeaderDialog
{
  AdwWindow parent_instance;

  /* Template widgets */
  AdwWindowTitle *title;
  GtkWidget *use, *extern_row;
  GtkStack *stack;
  AdwComboRow *entry, *output, *reference;
  GtkEditable *name, *grid, *block, *shared, *arguments;
  GtkSwitch *extern_c;
  AdwPreferencesGroup *parameters, *buffers;
  GtkTextView *preview;
  GtkLabel *verdict;

  /* Owned */
  char *path, *source;
  char *context;           /* nullable: text of included files */
  GPtrArray *functions;    /* (element-type CuredDraftFunction) */
  CuredHeaderDraft *draft; /* nullable: while the form is being filled */
  GPtrArray *rows;         /* (element-type GtkWidget): borrowed, of the two groups */
  char *text;              /* nullable: with the header; only if valid */
};

G_DEFINE_FINAL_TYPE (CuredHeaderDialog, cured_header_dialog, ADW_TYPE_WINDOW)

/* ORDER: as in the drop-down. */
static const char *const fills[] = { "uniform",     "normal",   "ramp",
                                     "permutation", "constant", "poison" };

static const CuredDraftFunction *
get_function (CuredHeaderDialog *self)
{
  guint selected = adw_combo_row_get_selected (self->entry);

  return selected < self->functions->len ? self->functions->pdata[selected] : NULL;
}

static void
set_text (char **field, GtkEditable *editable)
{
  cured_set_string (field, gtk_editable_get_text (editable));
}

/* Shows the header, and whether it is valid. */
static void
refresh (CuredHeaderDialog *self)
{
  const CuredDraftFunction *function = get_function (self);
  g_autoptr (GError) error = NULL;

  if (function == NULL || self->draft == NULL)
    return;
  g_autofree char *header = cured_header_draft_to_text (self->draft);
  gtk_text_buffer_set_text (gtk_text_view_get_buffer (self->preview), header, -1);
  g_autofree char *text = cured_header_draft_apply (
      self->draft,
      gtk_switch_get_active (self->extern_c) && !function->is_template ? function : NULL,
      self->source);
  g_autofree char *id = g_filename_display_basename (self->path);
  g_autoptr (CuredKernel) kernel = cured_kernel_new_from_text (text, id, self->path, &error);
  g_clear_pointer (&self->text, g_free);
  if (kernel == NULL)
    gtk_label_set_text (self->verdict, error->message);
  else
    {
      gtk_label_set_text (self->verdict, _ ("The header is valid."));
      self->text = g_steal_pointer (&text);
    }
  cured_widget_set_class (self->verdict, "error", !(self->text != NULL));
  gtk_widget_set_sensitive (self->use, self->text != NULL);
}

/* Rows of parameters and buffers. */

/* Refreshes the form around a widget, which may be being removed. */
static void
refresh_around (gpointer widget)
{
  CuredHeaderDialog *self =
      CURED_HEADER_DIALOG (gtk_widget_get_ancestor (widget, CURED_TYPE_HEADER_DIALOG));

  if (self != NULL)
    refresh (self);
}

static void
entered_cb (GtkEditable *editable, char **text)
{
  set_text (text, editable);
  refresh_around (editable);
}

/* Scalar types of elements. */
#define N_TYPES 14

static void
type_changed_cb (GtkDropDown *list, GParamSpec *pspec, CuredDraftBuffer *buffer)
{
  guint selected = gtk_drop_down_get_selected (list);
  GtkStringObject *item = gtk_drop_down_get_selected_item (list);

  g_clear_pointer (&buffer->record, g_free);
  if (selected < N_TYPES)
    buffer->type = (CuredElement) selected;
  else
    buffer->record = g_strdup (gtk_string_object_get_string (item));
  refresh_around (list);
}

static void
fill_changed_cb (GtkDropDown *list, GParamSpec *pspec, CuredDraftBuffer *buffer)
{
  guint selected = gtk_drop_down_get_selected (list);

  if (selected >= G_N_ELEMENTS (fills))
    return;
  cured_set_string (&buffer->fill, fills[selected]);
  refresh_around (list);
}

static void
add_row (CuredHeaderDialog *self, AdwPreferencesGroup *group, GtkWidget *row)
{
  adw_preferences_group_add (group, row);
  g_ptr_array_add (self->rows, row);
  /* Needed to remove it. */
  g_object_set_data (G_OBJECT (row), "group", group);
}

static void
clear_rows (CuredHeaderDialog *self)
{
  for (guint i = 0; i < self->rows->len; i++)
    adw_preferences_group_remove (g_object_get_data (self->rows->pdata[i], "group"),
                                  self->rows->pdata[i]);
  g_ptr_array_set_size (self->rows, 0);
}

/* Adds a row with a drop-down to @parent. */
static GtkWidget *
add_list (GtkWidget *parent, const char *title, const char *const *names, guint selected,
          const char *tooltip)
{
  GtkWidget *row = g_object_new (ADW_TYPE_ACTION_ROW, "title", title, NULL);
  GtkWidget *list = gtk_drop_down_new_from_strings (names);

  g_object_set (list, "selected", selected, "valign", GTK_ALIGN_CENTER, "tooltip-text", tooltip,
                NULL);
  cured_widget_name (list, tooltip, NULL);
  adw_action_row_add_suffix (ADW_ACTION_ROW (row), list);
  adw_action_row_set_activatable_widget (ADW_ACTION_ROW (row), list);
  adw_expander_row_add_row (ADW_EXPANDER_ROW (parent), row);
  return list;
}

static void
add_buffer (CuredHeaderDialog *self, CuredDraftBuffer *buffer)
{
  /* ORDER: as CuredElement, followed by the vector or struct type of the source. */
  const char *const types[N_TYPES + 2] = { "i32", "u32",  "f32",  "f64",  "i64",
                                           "u64", "i8",   "u8",   "i16",  "u16",
                                           "f16", "bf16", "e4m3", "e5m2", buffer->record };
  /* ORDER: as fills. */
  const char *const names[] = {
    _ ("Uniform random"), _ ("Normal random"),          _ ("Ramp"), _ ("Permutation"),
    _ ("Zero"),           _ ("Uninitialized (output)"), NULL
  };
  GtkWidget *row =
      g_object_new (ADW_TYPE_EXPANDER_ROW, "title", buffer->name, "expanded", TRUE, NULL);
  GtkWidget *length = g_object_new (ADW_TYPE_ENTRY_ROW, "title", _ ("Length in Elements"), "text",
                                    buffer->length, NULL);
  guint n_fill = 0;

  while (n_fill + 1 < G_N_ELEMENTS (fills) && !g_str_equal (fills[n_fill], buffer->fill))
    n_fill++;
  adw_expander_row_add_row (ADW_EXPANDER_ROW (row), length);
  GtkWidget *type =
      add_list (row, _ ("Type"), types, buffer->record != NULL ? N_TYPES : (guint) buffer->type,
                _ ("Element type"));
  GtkWidget *fill =
      add_list (row, _ ("Contents"), names, n_fill, _ ("Contents before the first launch"));
  g_signal_connect (length, "changed", G_CALLBACK (entered_cb), &buffer->length);
  g_signal_connect (type, "notify::selected", G_CALLBACK (type_changed_cb), buffer);
  g_signal_connect (fill, "notify::selected", G_CALLBACK (fill_changed_cb), buffer);
  add_row (self, self->buffers, row);
}

/* Fills the form with guesses for the chosen function. */
static void
propose (CuredHeaderDialog *self)
{
  const CuredDraftFunction *function = get_function (self);
  g_autoptr (GtkStringList) outputs = gtk_string_list_new (NULL);
  CuredHeaderDraft *draft;
  guint selected = 0;

  if (function == NULL)
    return;
  clear_rows (self);
  g_clear_pointer (&self->draft, cured_header_draft_free);
  g_autofree char *title = g_strdelimit (g_strdup (function->name), "_", ' ');
  *title = g_ascii_toupper (*title);
  draft = cured_header_draft_new_tunable (self->source, self->context, function, title);
  gtk_editable_set_text (self->name, draft->title);
  gtk_editable_set_text (self->grid, draft->grid);
  gtk_editable_set_text (self->block, draft->block);
  gtk_editable_set_text (self->shared, draft->shared != NULL ? draft->shared : "");
  gtk_editable_set_text (self->arguments, draft->arguments);
  gtk_widget_set_visible (self->extern_row, !function->is_extern_c && !function->is_template);
  for (guint i = 0; i < draft->parameters->len; i++)
    {
      CuredDraftParameter *parameter = draft->parameters->pdata[i];
      GtkWidget *row = g_object_new (ADW_TYPE_ENTRY_ROW, "title", parameter->name, "text",
                                     parameter->default_value, NULL);

      g_signal_connect (row, "changed", G_CALLBACK (entered_cb), &parameter->default_value);
      add_row (self, self->parameters, row);
    }
  for (guint i = 0; i < draft->buffers->len; i++)
    {
      CuredDraftBuffer *buffer = draft->buffers->pdata[i];

      add_buffer (self, buffer);
      gtk_string_list_append (outputs, buffer->name);
      if (g_strcmp0 (buffer->name, draft->output) == 0)
        selected = i;
    }
  gtk_widget_set_visible (GTK_WIDGET (self->buffers), draft->buffers->len > 0);
  adw_combo_row_set_model (self->output, G_LIST_MODEL (outputs));
  adw_combo_row_set_selected (self->output, selected);
  self->draft = draft;
  refresh (self);
}

static void
edited_cb (CuredHeaderDialog *self)
{
  guint output = adw_combo_row_get_selected (self->output);
  guint reference = adw_combo_row_get_selected (self->reference);
  gsize n_references;
  const CuredReference *references = cured_reference_list (&n_references);

  if (self->draft == NULL)
    return;
  set_text (&self->draft->title, self->name);
  set_text (&self->draft->grid, self->grid);
  set_text (&self->draft->block, self->block);
  set_text (&self->draft->shared, self->shared);
  set_text (&self->draft->arguments, self->arguments);
  g_clear_pointer (&self->draft->output, g_free);
  g_clear_pointer (&self->draft->reference, g_free);
  if (output < self->draft->buffers->len)
    self->draft->output =
        g_strdup (((CuredDraftBuffer *) self->draft->buffers->pdata[output])->name);
  if (reference > 0 && reference <= n_references)
    self->draft->reference = g_strdup (references[reference - 1].name);
  refresh (self);
}

static void
use_cb (CuredHeaderDialog *self)
{
  if (self->text == NULL)
    return;
  g_object_ref (self);
  g_signal_emit_by_name (self, "ready", self->text);
  gtk_window_close (GTK_WINDOW (self));
  g_object_unref (self);
}

static void
cured_header_dialog_dispose (GObject *object)
{
  CuredHeaderDialog *self = CURED_HEADER_DIALOG (object);
  CuredHeaderDraft *draft = g_steal_pointer (&self->draft);

  gtk_widget_dispose_template (GTK_WIDGET (self), CURED_TYPE_HEADER_DIALOG);
  G_OBJECT_CLASS (cured_header_dialog_parent_class)->dispose (object);
  /* Only now, after the rows that change it. */
  cured_header_draft_free (draft);
}

static void
cured_header_dialog_class_init (CuredHeaderDialogClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->dispose = cured_header_dialog_dispose;
  cured_class_add_signal (klass, "ready", 1, G_TYPE_STRING);
  cured_template_set (klass, "cured-header-dialog");
  CURED_BIND (CuredHeaderDialog, title, use, stack, entry, name, extern_row, extern_c, grid);
  CURED_BIND (CuredHeaderDialog, block, shared, arguments, parameters, buffers, output, reference,
              preview);
  CURED_BIND (CuredHeaderDialog, verdict);
  CURED_CALLBACKS (use_cb, edited_cb);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_Escape, 0, "window.close", NULL);
  CURED_FREES (CuredHeaderDialog, g_free, path, source, context, text);
  CURED_FREES (CuredHeaderDialog, g_ptr_array_unref, functions, rows);
}

static void
cured_header_dialog_init (CuredHeaderDialog *self)
{
  gsize n_references;

  gtk_widget_init_template (GTK_WIDGET (self));
  self->rows = g_ptr_array_new ();
  g_autoptr (GtkStringList) references = gtk_string_list_new (NULL);
  gtk_string_list_append (references, _ ("Nothing"));
  const CuredReference *list = cured_reference_list (&n_references);
  for (gsize i = 0; i < n_references; i++)
    gtk_string_list_append (references, list[i].name);
  adw_combo_row_set_model (self->reference, G_LIST_MODEL (references));
}

/* @parent: (nullable). Returns: a dialog, owned by GTK, not yet presented */
CuredHeaderDialog *
cured_header_dialog_new (GtkWindow *parent, const char *path, const char *source)
{
  g_return_val_if_fail (path != NULL, NULL);
  g_return_val_if_fail (source != NULL, NULL);

  CuredHeaderDialog *self = g_object_new (CURED_TYPE_HEADER_DIALOG, "transient-for", parent, NULL);
  g_autofree char *name = g_filename_display_basename (path);
  adw_window_title_set_subtitle (self->title, name);
  self->path = g_strdup (path);
  self->source = g_strdup (source);
  self->context = cured_header_draft_read_context (path, source);
  self->functions = cured_header_draft_scan (source, self->context);
  g_autoptr (GtkStringList) names = gtk_string_list_new (NULL);
  for (guint i = 0; i < self->functions->len; i++)
    gtk_string_list_append (names, ((CuredDraftFunction *) self->functions->pdata[i])->name);
  adw_combo_row_set_model (self->entry, G_LIST_MODEL (names));
  gtk_stack_set_visible_child_name (self->stack, self->functions->len > 0 ? "form" : "none");
  gtk_widget_set_sensitive (self->use, FALSE);
  propose (self);
  /* Enter accepts the draft. */
  if (self->functions->len > 0)
    gtk_window_set_focus (GTK_WINDOW (self), self->use);
  CURED_CONNECT (self->entry, "notify::selected", propose);
  return self;
}
