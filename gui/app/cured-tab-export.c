/* SPDX-License-Identifier: MIT
 * Export from a tab, copying and printing. */
#include <config.h>

#include "app/cured-tab-private.h"

static CuredDrawing *
get_drawing (CuredTab *self)
{
  GtkWidget *page = _cured_tab_get_view (self);

  return cured_page_get_drawing (page);
}

static const CuredExportFormat *
find_format (const char *path)
{
  const char *dot = strrchr (path, '.');
  g_autofree char *suffix = dot != NULL ? g_ascii_strdown (dot + 1, -1) : NULL;

  return suffix != NULL ? cured_export_format_find (suffix) : NULL;
}

static void
exported_cb (gpointer self, const char *path, GBytes *bytes, const GError *error)
{
  g_autofree char *name = g_filename_display_basename (path);
  g_autofree char *text = NULL;

  if (error == NULL)
    {
      /* Translators: a file's name. */
      text = g_strdup_printf (_ ("Exported to “%s”"), name);
      g_signal_emit_by_name (self, "written", text, path);
    }
  else
    {
      /* Translators: a file's name, and why it can't be written. */
      text = g_strdup_printf (_ ("“%s” can't be written: %s"), name, error->message);
      _cured_tab_toast (self, text);
    }
  _cured_tab_settled (self);
}

static void
write_to (CuredTab *self, const CuredExportFormat *format, const CuredExportOptions *options,
          const char *path)
{
  g_autoptr (CuredDrawing) drawing = get_drawing (self);

  if (drawing == NULL)
    {
      _cured_tab_toast (self, _ ("There is nothing to export here yet."));
      _cured_tab_settled (self);
      return;
    }
  cured_page_write (self, drawing, format, options, path, exported_cb);
}

static void
export_chosen_cb (gpointer user_data, GFile *file)
{
  CuredTab *self = user_data;
  g_autofree char *path = file != NULL ? g_file_get_path (file) : NULL;
  const CuredExportFormat *format = path != NULL ? find_format (path) : NULL;

  if (path != NULL)
    /* The typed name determines the format. */
    write_to (self, format != NULL ? format : self->export_format,
              self->has_export_options ? &self->export_options : NULL, path);
  else if (file != NULL)
    _cured_tab_toast (self, _ ("Choose a folder of this machine to export to."));
}

static void
choose_file (CuredTab *self, const CuredDrawing *drawing, const CuredExportFormat *format)
{
  if (drawing == NULL)
    {
      _cured_tab_toast (self, _ ("There is nothing to export here yet."));
      return;
    }
  self->export_format = format;
  g_autofree char *name = g_strdup_printf ("%s.%s", cured_drawing_get_name (drawing), format->id);
  cured_chooser_ask (self,
                     &(CuredChooser){ .action = GTK_FILE_CHOOSER_ACTION_SAVE,
                                      .title = _ ("Export"),
                                      .accept = _ ("_Export"),
                                      .name = name,
                                      .beside = self->file },
                     export_chosen_cb);
}

static void
export_as_cb (CuredTab *self, const char *action, GVariant *parameter)
{
  const CuredExportFormat *format =
      cured_export_format_find (g_variant_get_string (parameter, NULL));
  g_autoptr (CuredDrawing) drawing = get_drawing (self);

  g_return_if_fail (format != NULL);

  self->has_export_options = FALSE;
  choose_file (self, drawing, format);
}

static void
look_chosen_cb (gpointer owner, const CuredExportFormat *format, const CuredExportOptions *options)
{
  CuredTab *self = owner;
  g_autoptr (CuredDrawing) drawing = get_drawing (self);

  self->has_export_options = TRUE;
  self->export_options = *options;
  choose_file (self, drawing, format);
}

/* With the last chosen look. */
static void
export_options_cb (CuredTab *self, const char *action, GVariant *parameter)
{
  g_autoptr (CuredDrawing) drawing = get_drawing (self);

  if (drawing == NULL)
    {
      _cured_tab_toast (self, _ ("There is nothing to export here yet."));
      return;
    }
  if (!self->has_export_options)
    self->export_options.dark = adw_style_manager_get_dark (adw_style_manager_get_default ());
  cured_export_dialog_show (_cured_tab_get_parent (self), drawing, &self->export_options, self,
                            look_chosen_cb);
}

gboolean
_cured_tab_has_table (CuredTab *self)
{
  g_autoptr (CuredDrawing) drawing = get_drawing (self);

  return drawing != NULL && cured_drawing_has_table (drawing);
}

static void
picture_ready_cb (gpointer self, const char *path, GBytes *bytes, const GError *error)
{
  g_autoptr (GError) problem = NULL;
  g_autoptr (GdkTexture) texture =
      bytes != NULL ? gdk_texture_new_from_bytes (bytes, &problem) : NULL;
  g_autofree char *text =
      texture != NULL ? g_strdup (_ ("Picture copied"))
                      /* Translators: why a picture can't be copied. */
                      : g_strdup_printf (_ ("The picture can't be copied: %s"),
                                         problem != NULL ? problem->message : error->message);

  if (texture != NULL)
    gdk_clipboard_set_texture (gtk_widget_get_clipboard (self), texture);
  _cured_tab_toast (self, text);
  _cured_tab_settled (self);
}

static void
copy_picture_cb (CuredTab *self, const char *action, GVariant *parameter)
{
  g_autoptr (CuredDrawing) drawing = get_drawing (self);

  if (drawing == NULL)
    {
      _cured_tab_toast (self, _ ("There is no picture to copy here."));
      _cured_tab_settled (self);
      return;
    }
  cured_page_write (self, drawing, cured_export_format_find ("png"), NULL, NULL, picture_ready_cb);
}

static void
table_ready_cb (gpointer self, const char *path, GBytes *bytes, const GError *error)
{
  if (bytes != NULL)
    {
      g_autofree char *text = g_strndup (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));

      gdk_clipboard_set_text (gtk_widget_get_clipboard (self), text);
      _cured_tab_toast (self, _ ("Table copied"));
    }
  else
    {
      /* Translators: why a table can't be copied. */
      g_autofree char *text = g_strdup_printf (_ ("The table can't be copied: %s"), error->message);
      _cured_tab_toast (self, text);
    }
  _cured_tab_settled (self);
}

static void
copy_table_cb (CuredTab *self, const char *action, GVariant *parameter)
{
  g_autoptr (CuredDrawing) drawing = get_drawing (self);

  if (drawing == NULL || !cured_drawing_has_table (drawing))
    {
      _cured_tab_toast (self, _ ("There is no table to copy here."));
      _cured_tab_settled (self);
      return;
    }
  cured_page_write (self, drawing, cured_export_format_find ("csv"), NULL, NULL, table_ready_cb);
}

/* Printing: one page, filled by the drawing as far as its aspect ratio allows. */

static void
draw_page_cb (GtkPrintOperation *operation, GtkPrintContext *context, int page,
              CuredDrawing *drawing)
{
  cairo_t *cr = gtk_print_context_get_cairo_context (context);
  double page_width = gtk_print_context_get_width (context);
  double page_height = gtk_print_context_get_height (context);
  double width, height;
  CuredPlotStyle style;

  cured_drawing_get_size (drawing, &width, &height);
  double scale = MIN (page_width / width, page_height / height);
  cairo_translate (cr, (page_width - width * scale) / 2, 0);
  cairo_scale (cr, scale, scale);
  cured_plot_style_init (&style, FALSE);
  style.vector = TRUE;
  cured_drawing_draw (drawing, cr, &style, width, height);
}

static void
printed_cb (GtkPrintOperation *operation, GtkPrintOperationResult result, CuredTab *self)
{
  g_autoptr (GError) error = NULL;

  if (result == GTK_PRINT_OPERATION_RESULT_ERROR)
    {
      gtk_print_operation_get_error (operation, &error);
      /* Translators: why a page can't be printed. */
      g_autofree char *text = g_strdup_printf (_ ("Printing failed: %s"), error->message);
      _cured_tab_toast (self, text);
    }
  else if (result == GTK_PRINT_OPERATION_RESULT_APPLY)
    g_set_object (&self->print_settings, gtk_print_operation_get_print_settings (operation));
  _cured_tab_settled (self);
}

/* Prints the current page on one sheet. Emits `settled`. @path: (nullable): a PDF file to write
 * instead; NULL: asks for a printer. */
void
cured_tab_print (CuredTab *self, const char *path)
{
  double width, height;

  g_autoptr (CuredDrawing) drawing = get_drawing (self);
  if (drawing == NULL)
    {
      _cured_tab_toast (self, _ ("There is nothing to print here yet."));
      _cured_tab_settled (self);
      return;
    }
  cured_drawing_get_size (drawing, &width, &height);
  g_autoptr (GtkPrintOperation) operation = gtk_print_operation_new ();
  g_autoptr (GtkPageSetup) setup = gtk_page_setup_new ();
  gtk_page_setup_set_orientation (setup, width > height ? GTK_PAGE_ORIENTATION_LANDSCAPE
                                                        : GTK_PAGE_ORIENTATION_PORTRAIT);
  gtk_print_operation_set_default_page_setup (operation, setup);
  gtk_print_operation_set_print_settings (operation, self->print_settings);
  gtk_print_operation_set_n_pages (operation, 1);
  gtk_print_operation_set_unit (operation, GTK_UNIT_POINTS);
  gtk_print_operation_set_job_name (operation, cured_drawing_get_name (drawing));
  gtk_print_operation_set_embed_page_setup (operation, TRUE);
  gtk_print_operation_set_allow_async (operation, TRUE);
  if (path != NULL)
    gtk_print_operation_set_export_filename (operation, path);
  g_signal_connect_data (operation, "draw-page", G_CALLBACK (draw_page_cb),
                         cured_drawing_ref (drawing),
                         (GClosureNotify) (void (*) (void)) cured_drawing_unref, 0);
  g_signal_connect_object (operation, "done", G_CALLBACK (printed_cb), self, 0);
  gtk_print_operation_run (operation,
                           path != NULL ? GTK_PRINT_OPERATION_ACTION_EXPORT
                                        : GTK_PRINT_OPERATION_ACTION_PRINT_DIALOG,
                           _cured_tab_get_parent (self), NULL);
}

static void
print_cb (CuredTab *self, const char *action, GVariant *parameter)
{
  cured_tab_print (self, NULL);
}

static void
copy_cell_cb (CuredTab *self, const char *action, GVariant *parameter)
{
  g_autofree char *text = cured_result_page_get_cell_text (self->page);

  if (text == NULL)
    return;
  gdk_clipboard_set_text (gtk_widget_get_clipboard (GTK_WIDGET (self)), text);
  _cured_tab_toast (self, _ ("Cell copied"));
}

/* Exports the current page in a thread; shows the outcome in a toast and emits `settled`. */
void
cured_tab_export (CuredTab *self, const CuredExportFormat *format, const char *path)
{
  write_to (self, format, NULL, path);
}

const CuredTabAction _cured_tab_export_actions[] = {
  { "win.export-as", "s", export_as_cb },        { "win.export-options", NULL, export_options_cb },
  { "win.copy-picture", NULL, copy_picture_cb }, { "win.export-table", "s", export_as_cb },
  { "win.copy-table", NULL, copy_table_cb },     { "win.print", NULL, print_cb },
  { "win.copy-cell", NULL, copy_cell_cb },       { NULL },
};
