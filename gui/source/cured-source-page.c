/* SPDX-License-Identifier: MIT
 * The kernel, its PTX and machine code, and problems in it. */
#include <config.h>

#include "source/cured-gui-source.h"

#include <string.h>
#include <gtksourceview/gtksource.h>

/* From the last keystroke to parsing the text. */
#define DELAY_MS 150

/* Scrolling is repeated while a long text is being laid out. */
#define TURN_MS     16
#define LEAST_TURNS 2
#define MOST_TURNS  30

#define MARK_ERROR   "cured-error"
#define MARK_WARNING "cured-warning"
#define MARK_FINDING "cured-finding"

struct _CuredSourcePage
{
  CuredPage page;

  /* Template widgets */
  GtkStack *stack;
  GtkLabel *state, *matches, *compile_time, *run_time, *block, *findings, *excess;
  GtkSpinner *spinner;
  GtkToggleButton *show_ptx, *show_sass;
  GtkSearchBar *search_bar;
  GtkEditable *search, *line;
  GtkSourceView *view, *code;
  GtkWidget *side;
  CuredProblemList *problems;
  GtkMenuButton *place;

  /* Owned */
  GtkSourceSearchContext *context;
  GFile *file;     /* nullable: where Save writes the source without asking */
  char *code_text; /* nullable: the PTX or machine code */
  GArray *lines;   /* of int: the source line of each line of @code_text; 0: none */

  /* Borrowed */
  GtkSourceBuffer *buffer;    /* of @view */
  GtkTextBuffer *code_buffer; /* of @code */
  CuredExcessGutter *gutter;
  GtkTextTag *error_tag, *warning_tag;
  GtkTextTag *linked_tag; /* of @code_buffer */

  GtkEventController *shortcuts; /* of the window, while the page is visible */

  guint delay_id, scroll_id;
  guint n_turns;       /* since scroll_id was set */
  double seen_height;  /* visible, of @view */
  guint n_opened;      /* number of sources opened so far */
  gboolean is_loading; /* this page is setting the editor's text */
  gboolean is_moving;  /* this page is moving a cursor */
  gboolean is_scroll_due;
};

G_DEFINE_FINAL_TYPE (CuredSourcePage, cured_source_page, CURED_TYPE_PAGE)

static GtkTextBuffer *
get_text_buffer (CuredSourcePage *self)
{
  return GTK_TEXT_BUFFER (self->buffer);
}

static char *
get_text (CuredSourcePage *self)
{
  GtkTextIter start, end;

  gtk_text_buffer_get_bounds (get_text_buffer (self), &start, &end);
  return gtk_text_buffer_get_text (get_text_buffer (self), &start, &end, TRUE);
}

/* The line of a buffer's cursor, from 1. */
static int
get_cursor_line (GtkTextBuffer *buffer)
{
  GtkTextIter iter;

  gtk_text_buffer_get_iter_at_mark (buffer, &iter, gtk_text_buffer_get_insert (buffer));
  return gtk_text_iter_get_line (&iter) + 1;
}

static void
go_to_line (CuredSourcePage *self, GtkSourceView *view, int line)
{
  GtkTextBuffer *buffer = gtk_text_view_get_buffer (GTK_TEXT_VIEW (view));
  GtkTextIter iter;

  gtk_text_buffer_get_iter_at_line (buffer, &iter, MAX (line - 1, 0));
  self->is_moving = TRUE;
  gtk_text_buffer_place_cursor (buffer, &iter);
  self->is_moving = FALSE;
  gtk_text_view_scroll_to_mark (GTK_TEXT_VIEW (view), gtk_text_buffer_get_insert (buffer), 0.2,
                                FALSE, 0.0, 0.0);
}

/* @height: of the visible part */
static gboolean
is_cursor_within (CuredSourcePage *self, int height)
{
  GtkTextView *view = GTK_TEXT_VIEW (self->view);
  GtkTextIter iter;
  GdkRectangle line, visible;

  gtk_text_buffer_get_iter_at_mark (get_text_buffer (self), &iter,
                                    gtk_text_buffer_get_insert (get_text_buffer (self)));
  gtk_text_view_get_iter_location (view, &iter, &line);
  gtk_text_view_get_visible_rect (view, &visible);
  return line.y >= visible.y && line.y + line.height <= visible.y + height;
}

static gboolean
is_cursor_in_sight (CuredSourcePage *self)
{
  return is_cursor_within (self, gtk_widget_get_height (GTK_WIDGET (self->view)));
}

static gboolean
scroll_cb (gpointer user_data)
{
  CuredSourcePage *self = user_data;

  /* Without a height, the line would end up above the top. */
  if (gtk_widget_get_height (GTK_WIDGET (self->view)) <= 1)
    return G_SOURCE_CONTINUE;
  /* A second layout may undo the first scrolling. */
  if (++self->n_turns > LEAST_TURNS && (is_cursor_in_sight (self) || self->n_turns > MOST_TURNS))
    {
      self->scroll_id = 0;
      return G_SOURCE_REMOVE;
    }
  gtk_text_view_scroll_to_mark (GTK_TEXT_VIEW (self->view),
                                gtk_text_buffer_get_insert (get_text_buffer (self)), 0.0, TRUE, 0.0,
                                0.3);
  return G_SOURCE_CONTINUE;
}

/* Scrolls to the cursor once the page is visible, and after GTK has measured the lines, which it
 * does at a higher priority: before its layout, a view has no line positions. */
static void
scroll_soon (CuredSourcePage *self)
{
  self->is_scroll_due = !gtk_widget_get_mapped (GTK_WIDGET (self));
  g_clear_handle_id (&self->scroll_id, g_source_remove);
  self->n_turns = 0;
  if (!self->is_scroll_due)
    self->scroll_id = g_timeout_add_full (G_PRIORITY_DEFAULT_IDLE, TURN_MS, scroll_cb, self, NULL);
}

static void
keep_cb (CuredSourcePage *self)
{
  gtk_text_view_scroll_mark_onscreen (GTK_TEXT_VIEW (self->view),
                                      gtk_text_buffer_get_insert (get_text_buffer (self)));
}

/* Keeps the edited line visible when the list of problems takes room from the text. */
static void
height_changed_cb (CuredSourcePage *self, GParamSpec *pspec, GtkAdjustment *adjustment)
{
  double before = self->seen_height;

  self->seen_height = gtk_adjustment_get_page_size (adjustment);
  if (self->seen_height < before && self->scroll_id == 0 && is_cursor_within (self, (int) before))
    CURED_LATER (scroll_id, 0, keep_cb);
}

/* ---- Problems ---- */

static void
clear_marks (CuredSourcePage *self)
{
  GtkTextBuffer *buffer = get_text_buffer (self);
  GtkTextIter start, end;

  gtk_text_buffer_get_bounds (buffer, &start, &end);
  gtk_source_buffer_remove_source_marks (self->buffer, &start, &end, NULL);
  gtk_text_buffer_remove_tag (buffer, self->error_tag, &start, &end);
  gtk_text_buffer_remove_tag (buffer, self->warning_tag, &start, &end);
}

/* Marks a line, and underlines its text for a diagnostic of the compiler. */
static void
mark_line (CuredSourcePage *self, int line, const char *category)
{
  GtkTextBuffer *buffer = get_text_buffer (self);
  GtkTextIter start, end;

  if (line <= 0 || line > gtk_text_buffer_get_line_count (buffer))
    return;
  gtk_text_buffer_get_iter_at_line (buffer, &start, line - 1);
  gtk_source_buffer_create_source_mark (self->buffer, NULL, category, &start);
  if (g_str_equal (category, MARK_FINDING))
    return;
  end = start;
  if (!gtk_text_iter_ends_line (&end))
    gtk_text_iter_forward_to_line_end (&end);
  while (gtk_text_iter_compare (&start, &end) < 0 &&
         g_unichar_isspace (gtk_text_iter_get_char (&start)))
    gtk_text_iter_forward_char (&start);
  gtk_text_buffer_apply_tag (
      buffer, g_str_equal (category, MARK_ERROR) ? self->error_tag : self->warning_tag, &start,
      &end);
}

static const char *
get_category (CuredSeverity severity)
{
  return severity == CURED_SEVERITY_ERROR ? MARK_ERROR : MARK_WARNING;
}

/* The source's name in errors. */
static char *
get_file_name (CuredSourcePage *self)
{
  CuredKernel *kernel = cured_document_get_kernel (self->page.document);
  CuredResult *result = cured_document_get_result (self->page.document);

  if (kernel != NULL)
    return cured_kernel_get_file_name (kernel);
  /* A result whose source is invalid. */
  return g_strconcat (result != NULL ? cured_result_get_kernel_id (result) : "", ".cu", NULL);
}

/* (transfer full): of the newest text: the header's error, or those of the compiler and the
 * emulator. */
static GPtrArray *
list_diagnostics (CuredSourcePage *self)
{
  const GError *error = cured_document_get_source_error (self->page.document);
  CuredInspection *newest = cured_inspector_get_newest (self->page.inspector);
  const GError *failure = cured_inspector_get_error (self->page.inspector);
  g_autofree char *name = get_file_name (self);

  if (error != NULL)
    return cured_diagnostics_new (error, name);
  if (failure != NULL)
    return cured_diagnostics_new (failure, name);
  return newest != NULL ? g_ptr_array_ref (newest->diagnostics) : NULL;
}

/* (transfer none) (nullable): of the shown text; NULL: none */
static GPtrArray *
get_findings (CuredSourcePage *self)
{
  CuredInspection *newest = cured_inspector_get_newest (self->page.inspector);

  return newest != NULL && cured_document_get_source_error (self->page.document) == NULL
             ? newest->findings
             : NULL;
}

/* The source line of a finding; 0: none. */
static int
find_line (CuredSourcePage *self, const CuredFinding *finding)
{
  CuredKernel *kernel = cured_document_get_kernel (self->page.document);

  return kernel != NULL ? cured_kernel_find_line (kernel, finding->here.file, finding->here.line,
                                                  finding->here.ptx_line)
                        : 0;
}

static void
show_problems (CuredSourcePage *self)
{
  g_autoptr (GPtrArray) diagnostics = list_diagnostics (self);
  GPtrArray *findings = get_findings (self);

  clear_marks (self);
  for (guint i = 0; diagnostics != NULL && i < diagnostics->len; i++)
    {
      const CuredDiagnostic *diagnostic = diagnostics->pdata[i];

      mark_line (self, diagnostic->line, get_category (diagnostic->severity));
    }
  for (guint i = 0; findings != NULL && i < findings->len; i++)
    mark_line (self, find_line (self, findings->pdata[i]), MARK_FINDING);
  cured_problem_list_set (
      self->problems, cured_document_get_kernel (self->page.document), diagnostics, findings,
      findings != NULL ? cured_inspector_get_remedies (self->page.inspector) : NULL);
}

/* The problems of a line, a line each; NULL: none. */
static char *
describe_line (CuredSourcePage *self, int line)
{
  g_autoptr (GPtrArray) diagnostics = list_diagnostics (self);
  GPtrArray *findings = get_findings (self);
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; diagnostics != NULL && i < diagnostics->len; i++)
    {
      const CuredDiagnostic *diagnostic = diagnostics->pdata[i];

      if (diagnostic->line == line)
        g_string_append_printf (text, "%s%s", text->len > 0 ? "\n" : "", diagnostic->text);
    }
  for (guint i = 0; findings != NULL && i < findings->len; i++)
    {
      const CuredFinding *finding = findings->pdata[i];
      g_autofree char *told = cured_finding_to_string (finding);

      if (find_line (self, finding) == line)
        g_string_append_printf (text, "%s%s", text->len > 0 ? "\n" : "", told);
    }
  return text->len > 0 ? g_string_free (g_steal_pointer (&text), FALSE) : NULL;
}

static gboolean
query_tooltip_cb (GtkTextView *view, int x, int y, gboolean is_keyboard, GtkTooltip *tooltip,
                  CuredSourcePage *self)
{
  int line = get_cursor_line (get_text_buffer (self));

  if (!is_keyboard)
    {
      GtkTextIter iter;

      gtk_text_view_window_to_buffer_coords (view, GTK_TEXT_WINDOW_WIDGET, x, y, &x, &y);
      gtk_text_view_get_line_at_y (view, &iter, y, NULL);
      line = gtk_text_iter_get_line (&iter) + 1;
    }
  g_autofree char *text = describe_line (self, line);
  if (text != NULL)
    gtk_tooltip_set_text (tooltip, text);
  return text != NULL;
}

static char *
mark_tooltip_cb (GtkSourceMarkAttributes *attributes, GtkSourceMark *mark, CuredSourcePage *self)
{
  GtkTextIter iter;

  gtk_text_buffer_get_iter_at_mark (get_text_buffer (self), &iter, GTK_TEXT_MARK (mark));
  return describe_line (self, gtk_text_iter_get_line (&iter) + 1);
}

/* ---- Figures ---- */

/* Shows figures of the current text; there are none while it does not compile. */
static void
show_status (CuredSourcePage *self)
{
  CuredInspection *inspection = cured_document_get_source_error (self->page.document) == NULL
                                    ? cured_inspector_get_newest (self->page.inspector)
                                    : NULL;
  GtkLabel *const labels[] = { self->compile_time, self->run_time, self->block, self->findings,
                               self->excess };

  for (gsize i = 0; i < G_N_ELEMENTS (labels); i++)
    gtk_label_set_text (labels[i], "");
  if (inspection == NULL || inspection->banks == NULL)
    return;
  double compile_ms = (double) inspection->compile_ns / 1e6;
  guint64 n_excess = cured_inspection_count_excess (inspection);
  g_autofree char *blocks = cured_format_count ((gint64) inspection->n_blocks);
  g_autofree char *excess = cured_format_count ((gint64) n_excess);
  if (compile_ms >= 0.5)
    cured_widget_print (self->compile_time, _ ("compiled in %.0f ms"), compile_ms);
  cured_widget_print (self->run_time, _ ("emulated in %.0f ms"), (double) inspection->run_ns / 1e6);
  cured_widget_print (self->block,
                      ngettext ("1 of %s block", "1 of %s blocks", (gulong) inspection->n_blocks),
                      blocks);
  cured_widget_print (self->findings,
                      ngettext ("%u finding", "%u findings", inspection->findings->len),
                      inspection->findings->len);
  cured_widget_print (self->excess,
                      ngettext ("%s excess wavefront", "%s excess wavefronts", (gulong) n_excess),
                      excess);
}

/* ---- PTX and machine code ---- */

/* Marks the PTX or machine code of the cursor's line. */
static void
link_code (CuredSourcePage *self, gboolean is_scrolling)
{
  GtkTextBuffer *buffer = self->code_buffer;
  int line = get_cursor_line (get_text_buffer (self));
  gboolean is_first = TRUE;
  GtkTextIter start, end;

  gtk_text_buffer_get_bounds (buffer, &start, &end);
  gtk_text_buffer_remove_tag (buffer, self->linked_tag, &start, &end);
  for (guint i = 0; i < self->lines->len; i++)
    {
      if (g_array_index (self->lines, int, i) != line)
        continue;
      gtk_text_buffer_get_iter_at_line (buffer, &start, (int) i);
      end = start;
      gtk_text_iter_forward_line (&end);
      gtk_text_buffer_apply_tag (buffer, self->linked_tag, &start, &end);
      if (is_first && is_scrolling)
        go_to_line (self, self->code, (int) i + 1);
      is_first = FALSE;
    }
}

/* (transfer full) (nullable): the PTX. @lines: gets the source line of each of its lines. */
static char *
take_ptx (CuredSourcePage *self, GArray *lines)
{
  CuredInspection *newest = cured_inspector_get_newest (self->page.inspector);
  /* Show PTX even if the emulator rejects it. */
  CuredInspection *inspection = newest != NULL && newest->ptx != NULL
                                    ? newest
                                    : cured_inspector_get_inspection (self->page.inspector);

  if (inspection == NULL)
    return NULL;
  if (inspection->n_ptx_lines > 0)
    g_array_append_vals (lines, inspection->ptx_lines, (guint) inspection->n_ptx_lines);
  return g_strdup (inspection->ptx);
}

/* (transfer full) (nullable): the machine code, or why there is none */
static char *
take_machine (CuredSourcePage *self, GArray *lines)
{
  const GError *error;
  const CuredMachineView *machine = cured_inspector_get_machine (self->page.inspector, &error);

  if (machine != NULL)
    return cured_machine_text (machine, lines);
  return g_strdup (error != NULL ? error->message : _ ("Compiling to machine code…"));
}

static void
show_code (CuredSourcePage *self)
{
  gboolean is_machine = gtk_toggle_button_get_active (self->show_sass);

  if (self->page.inspector == NULL || !gtk_widget_get_visible (self->side))
    return;
  g_array_set_size (self->lines, 0);
  g_autofree char *text =
      is_machine ? take_machine (self, self->lines) : take_ptx (self, self->lines);
  if (g_strcmp0 (text, self->code_text) != 0)
    {
      g_free (self->code_text);
      self->code_text = g_steal_pointer (&text);
      self->is_moving = TRUE;
      gtk_text_buffer_set_text (self->code_buffer, self->code_text != NULL ? self->code_text : "",
                                -1);
      self->is_moving = FALSE;
    }
  link_code (self, TRUE);
}

static void
code_moved_cb (CuredSourcePage *self)
{
  guint row = (guint) get_cursor_line (self->code_buffer) - 1;
  int line = row < self->lines->len ? g_array_index (self->lines, int, row) : 0;

  if (self->is_moving || line == 0)
    return;
  go_to_line (self, self->view, line);
  link_code (self, FALSE);
  cured_document_set_line (self->page.document, line);
}

/* At most one of the two is shown. */
static void
code_toggled_cb (CuredSourcePage *self, GtkToggleButton *button)
{
  gboolean is_active = gtk_toggle_button_get_active (button);
  gboolean is_machine = button == self->show_sass;

  cured_settings_set_toggle (is_machine ? "sass" : "ptx", is_active);
  if (is_active)
    gtk_toggle_button_set_active (is_machine ? self->show_ptx : self->show_sass, FALSE);
  gtk_widget_set_visible (self->side, gtk_toggle_button_get_active (self->show_ptx) ||
                                          gtk_toggle_button_get_active (self->show_sass));
  /* Machine code shows offsets instead. */
  gtk_source_view_set_show_line_numbers (self->code,
                                         !gtk_toggle_button_get_active (self->show_sass));
  cured_widget_name (GTK_WIDGET (self->code),
                     gtk_toggle_button_get_active (self->show_sass) ? _ ("Machine code") : "PTX",
                     NULL);
  if (self->page.inspector != NULL)
    cured_inspector_want_machine (self->page.inspector,
                                  gtk_toggle_button_get_active (self->show_sass));
  show_code (self);
}

/* ---- Following the inspector and the document ---- */

/* Moves to the kernel, below the header. */
static void
go_to_kernel (CuredSourcePage *self)
{
  GtkTextIter iter, end;

  gtk_text_buffer_get_start_iter (get_text_buffer (self), &iter);
  if (!gtk_text_iter_forward_search (&iter, "__global__", GTK_TEXT_SEARCH_TEXT_ONLY, &iter, &end,
                                     NULL))
    gtk_text_buffer_get_start_iter (get_text_buffer (self), &iter);
  go_to_line (self, self->view, gtk_text_iter_get_line (&iter) + 1);
  scroll_soon (self);
}

static void
inspected_cb (CuredSourcePage *self)
{
  CuredInspection *inspection = cured_inspector_get_inspection (self->page.inspector);
  CuredInspection *newest = cured_inspector_get_newest (self->page.inspector);

  /* If the text has an error, the inspection is of an earlier text, whose lines may differ. */
  cured_excess_gutter_set_inspection (self->gutter, inspection == newest ? inspection : NULL);
  show_problems (self);
  show_status (self);
  show_code (self);
}

static void
busy_cb (CuredSourcePage *self)
{
  gtk_spinner_set_spinning (self->spinner, cured_inspector_is_busy (self->page.inspector));
}

static void
show_state (CuredSourcePage *self)
{
  gboolean is_edited = cured_document_is_edited (self->page.document);
  CuredKernel *kernel = cured_document_get_kernel (self->page.document);
  g_autofree char *name = NULL;
  g_autofree char *text = NULL;

  if (self->file != NULL)
    name = cured_text_file (self->file);
  else if (kernel != NULL)
    name = g_strdup (kernel->id);
  if (name == NULL)
    text = g_strdup ("");
  else if (is_edited)
    /* Translators: a file's name, or a kernel's. */
    text = g_strdup_printf (_ ("%s · edited"), name);
  else
    text = g_strdup (name);
  gtk_label_set_text (self->state, text);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "source.revert", is_edited);
}

static void
set_file (CuredSourcePage *self, GFile *file)
{
  g_set_object (&self->file, file);
  show_state (self);
}

static void
take_file (CuredSourcePage *self)
{
  CuredKernel *kernel = cured_document_get_kernel (self->page.document);
  const char *path = kernel != NULL ? kernel->path : NULL;
  g_autoptr (GFile) file = NULL;

  g_clear_handle_id (&self->delay_id, g_source_remove);
  self->n_opened++;
  /* A result contains its source, but its path is that of the result. */
  if (path != NULL && cured_document_get_result (self->page.document) == NULL &&
      g_file_test (path, G_FILE_TEST_IS_REGULAR))
    file = g_file_new_for_path (path);
  set_file (self, file);
}

/* Replaces the text; Undo can't revert this. */
static void
load_text (CuredSourcePage *self, const char *text)
{
  GtkTextBuffer *buffer = get_text_buffer (self);

  gtk_text_buffer_begin_irreversible_action (buffer);
  gtk_text_buffer_set_text (buffer, text != NULL ? text : "", -1);
  gtk_text_buffer_end_irreversible_action (buffer);
}

static void
show_source (CuredSourcePage *self, gboolean is_opened)
{
  const char *source = cured_document_get_source (self->page.document);
  g_autofree char *text = get_text (self);
  GtkTextBuffer *buffer = get_text_buffer (self);

  gtk_stack_set_visible_child_name (self->stack, source != NULL ? "editor" : "empty");
  if (self->delay_id == 0 && g_strcmp0 (source, text) != 0)
    {
      GtkTextIter start, end;

      self->is_loading = TRUE;
      clear_marks (self);
      if (is_opened)
        load_text (self, source);
      else
        {
          gtk_text_buffer_begin_user_action (buffer);
          gtk_text_buffer_get_bounds (buffer, &start, &end);
          gtk_text_buffer_delete (buffer, &start, &end);
          gtk_text_buffer_insert (buffer, &start, source, -1);
          gtk_text_buffer_end_user_action (buffer);
        }
      self->is_loading = FALSE;
      if (is_opened)
        go_to_kernel (self);
    }
  show_state (self);
  show_problems (self);
  show_status (self);
}

static void
line_changed_cb (CuredSourcePage *self)
{
  int line = cured_document_get_line (self->page.document);

  if (line <= 0 || line == get_cursor_line (get_text_buffer (self)))
    return;
  go_to_line (self, self->view, line);
  if (!gtk_widget_get_mapped (GTK_WIDGET (self)))
    scroll_soon (self);
  link_code (self, TRUE);
}

static void
document_changed_cb (CuredSourcePage *self, CuredDocumentChange what)
{
  if ((what & CURED_DOCUMENT_RESULT) != 0)
    take_file (self);
  if ((what & CURED_DOCUMENT_SOURCE) != 0)
    show_source (self, (what & CURED_DOCUMENT_RESULT) != 0);
  if ((what & CURED_DOCUMENT_LINE) != 0)
    line_changed_cb (self);
}

/* ---- Editing ---- */

static void
take_text (CuredSourcePage *self)
{
  g_autofree char *text = get_text (self);

  g_clear_handle_id (&self->delay_id, g_source_remove);
  if (cured_document_get_source (self->page.document) != NULL)
    cured_document_set_source (self->page.document, text);
}

static void
text_changed_cb (CuredSourcePage *self)
{
  if (self->is_loading || self->page.document == NULL)
    return;
  CURED_LATER (delay_id, DELAY_MS, take_text);
}

static void
moved_cb (CuredSourcePage *self)
{
  int line = get_cursor_line (get_text_buffer (self));

  /* Translators: a line of a program's source, and its number. */
  g_autofree char *text = g_strdup_printf (_ ("Line %d"), line);
  gtk_menu_button_set_label (self->place, text);
  if (self->is_moving || self->is_loading || self->page.document == NULL)
    return;
  link_code (self, TRUE);
  cured_document_set_line (self->page.document, line);
}

static void
undo_changed_cb (CuredSourcePage *self)
{
  GtkTextBuffer *buffer = get_text_buffer (self);

  gtk_widget_action_set_enabled (GTK_WIDGET (self), "source.undo",
                                 gtk_text_buffer_get_can_undo (buffer));
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "source.redo",
                                 gtk_text_buffer_get_can_redo (buffer));
}

static void
undo_cb (GtkWidget *widget, const char *action, GVariant *parameter)
{
  GtkTextBuffer *buffer = get_text_buffer (CURED_SOURCE_PAGE (widget));

  if (g_str_equal (action, "source.undo"))
    gtk_text_buffer_undo (buffer);
  else
    gtk_text_buffer_redo (buffer);
}

static void
revert_cb (CuredSourcePage *self, const char *action, GVariant *parameter)
{
  const char *original = cured_document_get_original (self->page.document);

  g_clear_handle_id (&self->delay_id, g_source_remove);
  if (original != NULL)
    {
      g_autofree char *copy = g_strdup (original);

      cured_document_set_source (self->page.document, copy);
      /* The editor may have edits that the document lacks. */
      show_source (self, FALSE);
    }
  gtk_widget_grab_focus (GTK_WIDGET (self->view));
}

/* ---- Finding ---- */

static void
show_matches (CuredSourcePage *self)
{
  int n = gtk_source_search_context_get_occurrences_count (self->context);
  g_autofree char *text = NULL;

  if (n >= 0 && *gtk_editable_get_text (self->search) != '\0')
    text = g_strdup_printf (ngettext ("%d match", "%d matches", (gulong) n), n);
  gtk_label_set_text (self->matches, text != NULL ? text : "");
}

static void
search (CuredSourcePage *self, gboolean is_forward, gboolean is_same)
{
  GtkTextBuffer *buffer = get_text_buffer (self);
  GtkTextIter start, end, match_start, match_end;

  gtk_text_buffer_get_selection_bounds (buffer, &start, &end);
  gboolean is_found =
      is_forward ? gtk_source_search_context_forward (self->context, is_same ? &start : &end,
                                                      &match_start, &match_end, NULL)
                 : gtk_source_search_context_backward (self->context, &start, &match_start,
                                                       &match_end, NULL);
  if (!is_found)
    return;
  gtk_text_buffer_select_range (buffer, &match_start, &match_end);
  gtk_text_view_scroll_to_mark (GTK_TEXT_VIEW (self->view), gtk_text_buffer_get_insert (buffer),
                                0.2, FALSE, 0.0, 0.0);
}

static void
search_changed_cb (CuredSourcePage *self)
{
  gtk_source_search_settings_set_search_text (
      gtk_source_search_context_get_settings (self->context), gtk_editable_get_text (self->search));
  search (self, TRUE, TRUE);
  show_matches (self);
}

static void
search_next_cb (CuredSourcePage *self)
{
  search (self, TRUE, FALSE);
}

static void
search_previous_cb (CuredSourcePage *self)
{
  search (self, FALSE, FALSE);
}

static void
search_stopped_cb (CuredSourcePage *self)
{
  gtk_search_bar_set_search_mode (self->search_bar, FALSE);
  gtk_widget_grab_focus (GTK_WIDGET (self->view));
}

static void
find_cb (CuredSourcePage *self, const char *action, GVariant *parameter)
{
  GtkTextBuffer *buffer = get_text_buffer (self);
  GtkTextIter start, end;

  if (g_str_equal (action, "source.find-next"))
    search_next_cb (self);
  else if (g_str_equal (action, "source.find-previous"))
    search_previous_cb (self);
  else
    {
      gtk_search_bar_set_search_mode (self->search_bar, TRUE);
      if (gtk_text_buffer_get_selection_bounds (buffer, &start, &end) &&
          gtk_text_iter_get_line (&start) == gtk_text_iter_get_line (&end))
        {
          g_autofree char *selected = gtk_text_buffer_get_text (buffer, &start, &end, FALSE);

          gtk_editable_set_text (self->search, selected);
        }
      gtk_widget_grab_focus (GTK_WIDGET (self->search));
    }
}

/* ---- Going to a line ---- */

static void
jump (CuredSourcePage *self, int line)
{
  go_to_line (self, self->view, line);
  link_code (self, TRUE);
  cured_document_set_line (self->page.document, line);
  gtk_widget_grab_focus (GTK_WIDGET (self->view));
}

static void
go_to_line_cb (CuredSourcePage *self, const char *action, GVariant *parameter)
{
  gtk_editable_set_text (self->line, "");
  gtk_menu_button_popup (self->place);
  gtk_widget_grab_focus (GTK_WIDGET (self->line));
}

static void
line_entered_cb (CuredSourcePage *self)
{
  gint64 line = g_ascii_strtoll (gtk_editable_get_text (self->line), NULL, 10);
  int last = gtk_text_buffer_get_line_count (get_text_buffer (self));

  gtk_menu_button_popdown (self->place);
  if (line > 0)
    jump (self, (int) MIN (line, last));
}

static void
problem_activated_cb (CuredSourcePage *self, int line)
{
  if (line > 0)
    jump (self, line);
}

/* Applies a remedy as one step of Undo. While the user types, remedies are of an older text. */
static void
remedy_chosen_cb (CuredSourcePage *self, int index)
{
  const GPtrArray *remedies = cured_inspector_get_remedies (self->page.inspector);
  GtkTextBuffer *buffer = get_text_buffer (self);
  GtkTextIter at;

  if (self->delay_id != 0 || remedies == NULL || index >= (int) remedies->len)
    return;
  const CuredRemedy *remedy = remedies->pdata[index];
  if (!gtk_text_buffer_get_iter_at_line_index (buffer, &at, remedy->line - 1, remedy->column))
    return;
  gtk_text_buffer_begin_user_action (buffer);
  gtk_text_buffer_insert (buffer, &at, remedy->insertion, -1);
  gtk_text_buffer_end_user_action (buffer);
  jump (self, remedy->line);
  gtk_widget_grab_focus (GTK_WIDGET (self->view));
}

/* Moves the cursor to the line where the menu opens. */
static void
menu_wanted_cb (CuredSourcePage *self, int n_press, double x, double y)
{
  GtkTextView *view = GTK_TEXT_VIEW (self->view);
  GtkTextIter at;
  int buffer_x, buffer_y;

  if (gtk_text_buffer_get_has_selection (get_text_buffer (self)))
    return;
  gtk_text_view_window_to_buffer_coords (view, GTK_TEXT_WINDOW_WIDGET, (int) x, (int) y, &buffer_x,
                                         &buffer_y);
  gtk_text_view_get_iter_at_location (view, &at, buffer_x, buffer_y);
  gtk_text_buffer_place_cursor (get_text_buffer (self), &at);
}

/* Turns a number into a parameter, as one step of Undo. */
static void
make_parameter_cb (CuredSourcePage *self, const char *action, GVariant *parameter)
{
  GtkTextBuffer *buffer = get_text_buffer (self);
  g_autofree char *text = get_text (self);
  g_autofree char *name = NULL;
  g_autoptr (GError) error = NULL;
  GtkTextIter start, end;
  g_autofree char *changed = cured_make_parameter (text, get_cursor_line (buffer), &name, &error);

  if (changed == NULL)
    {
      g_signal_emit_by_name (self, "message", error->message);
      return;
    }
  gtk_text_buffer_begin_user_action (buffer);
  gtk_text_buffer_get_bounds (buffer, &start, &end);
  gtk_text_buffer_delete (buffer, &start, &end);
  gtk_text_buffer_insert (buffer, &start, changed, -1);
  gtk_text_buffer_end_user_action (buffer);
  take_text (self);
  /* Go to its values in the header. */
  g_autofree char *section = g_strdup_printf ("[Parameter %s]", name);
  gtk_text_buffer_get_start_iter (buffer, &start);
  if (gtk_text_iter_forward_search (&start, section, GTK_TEXT_SEARCH_TEXT_ONLY, &start, &end, NULL))
    jump (self, gtk_text_iter_get_line (&start) + 1);
  /* Translators: the name of a parameter. */
  g_autofree char *message = g_strdup_printf (
      _ ("“%s” is a parameter now, with the values in the header; Run sweeps it"), name);
  g_signal_emit_by_name (self, "message", message);
}

static void
next_problem_cb (GtkWidget *widget, const char *action, GVariant *parameter)
{
  cured_problem_list_go_to_next (CURED_SOURCE_PAGE (widget)->problems);
}

/* ---- Saving ---- */

typedef struct
{
  CuredSourcePage *page;
  GFile *file;
  char *text;
  char *known;    /* nullable: expected content of the file; NULL: any */
  char *etag;     /* nullable: of the file, when last read */
  guint n_looks;  /* times that the file was read for this save */
  guint n_opened; /* the page's, when @text was its source */
} Save;

/* Limit for a file that is constantly being written. */
#define MOST_LOOKS 3

static void look_and_write (Save *save);
static void ask_where (CuredSourcePage *self);

CURED_FREE_FUNC (Save, save_free, page, g_object_unref, file, g_object_unref, text, g_free, known,
                 g_free, etag, g_free)

static void
written_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  Save *save = user_data;
  CuredSourcePage *self = save->page;
  g_autofree char *name = cured_text_file (save->file);
  g_autofree char *text = NULL;
  g_autoptr (GError) error = NULL;

  if (!g_file_replace_contents_finish (G_FILE (source), result, NULL, &error))
    {
      if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_WRONG_ETAG) && save->n_looks < MOST_LOOKS)
        {
          look_and_write (save);
          return;
        }
      /* Translators: a file's name, and why. */
      text = g_strdup_printf (_ ("“%s” could not be saved: %s"), name, error->message);
    }
  else
    {
      text = g_strdup_printf (_ ("“%s” saved"), name);
      /* A source opened meanwhile has its own file. */
      if (self->page.document != NULL && save->n_opened == self->n_opened)
        {
          cured_document_set_original (self->page.document, save->text);
          set_file (self, save->file);
        }
      g_signal_emit_by_name (self, "saved", save->file);
    }
  g_signal_emit_by_name (self, "message", text);
  save_free (save);
}

/* Replaces the file atomically. */
static void
write_file (Save *save)
{
  g_autoptr (GBytes) bytes = g_bytes_new (save->text, strlen (save->text));

  g_file_replace_contents_bytes_async (save->file, bytes, save->etag, FALSE, G_FILE_CREATE_NONE,
                                       NULL, written_cb, save);
}

static void
overwrite_cb (gpointer owner, const char *response, AdwMessageDialog *dialog)
{
  if (g_str_equal (response, "save"))
    write_file (g_object_steal_data (G_OBJECT (dialog), "save"));
  else if (g_str_equal (response, "save-as"))
    ask_where (owner);
}

static void
ask_whether (Save *save)
{
  static const CuredAnswer answers[] = {
    { "cancel", N_ ("_Cancel") },
    { "save-as", N_ ("Save _As…") },
    { "save", N_ ("_Save Anyway"), ADW_RESPONSE_DESTRUCTIVE },
    { NULL },
  };
  GtkRoot *root = gtk_widget_get_root (GTK_WIDGET (save->page));
  g_autofree char *name = cured_text_file (save->file);

  /* The window was closed, and its edits discarded: keep the other program's text. */
  if (!GTK_IS_WINDOW (root))
    {
      save_free (save);
      return;
    }
  /* Translators: a file's name. */
  g_autofree char *title = g_strdup_printf (_ ("Overwrite “%s”?"), name);
  g_object_set_data_full (G_OBJECT (cured_ask (GTK_WINDOW (root), title,
                                               _ ("Another program changed the file since it was "
                                                  "opened. Saving it replaces that change."),
                                               answers, save->page, overwrite_cb)),
                          "save", save, (GDestroyNotify) save_free);
}

static void
looked_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  Save *save = user_data;
  g_autofree char *there = NULL;

  g_clear_pointer (&save->etag, g_free);
  gboolean is_there =
      g_file_load_contents_finish (G_FILE (source), result, &there, NULL, &save->etag, NULL);
  /* A deleted file is created again. */
  if (!is_there || g_str_equal (there, save->known) || g_str_equal (there, save->text))
    {
      write_file (save);
      return;
    }
  g_free (save->known);
  save->known = g_steal_pointer (&there);
  ask_whether (save);
}

/* Asks before it overwrites changes by another program. Compares contents, since a new time alone
 * is no change. */
static void
look_and_write (Save *save)
{
  save->n_looks++;
  g_file_load_contents_async (save->file, NULL, looked_cb, save);
}

/* Saves the current text. @known: (nullable): expected content of the file; NULL: any. */
static void
save_to (CuredSourcePage *self, GFile *file, const char *known)
{
  Save *save = g_new0 (Save, 1);

  take_text (self);
  save->page = g_object_ref (self);
  save->file = g_object_ref (file);
  save->text = get_text (self);
  save->known = g_strdup (known);
  save->n_opened = self->n_opened;
  if (known != NULL)
    look_and_write (save);
  else
    write_file (save);
}

/* The chooser has confirmed the replacement of an existing file. */
static void
chosen_cb (gpointer self, GFile *file)
{
  if (file != NULL)
    save_to (self, file, NULL);
}

static void
ask_where (CuredSourcePage *self)
{
  const CuredChooserFilter kernels = { _ ("Kernel files"), { "cu" } };
  CuredKernel *kernel = cured_document_get_kernel (self->page.document);
  g_autofree char *base = self->file != NULL ? cured_text_file (self->file)
                          : kernel != NULL   ? g_path_get_basename (kernel->id)
                                             : g_strdup (_ ("kernel"));
  g_autofree char *name =
      g_str_has_suffix (base, ".cu") ? g_strdup (base) : g_strconcat (base, ".cu", NULL);

  cured_chooser_ask (self,
                     &(CuredChooser){ .action = GTK_FILE_CHOOSER_ACTION_SAVE,
                                      .title = _ ("Save as a Kernel File"),
                                      .accept = _ ("_Save"),
                                      .name = name,
                                      .beside = self->file,
                                      .filters = &kernels,
                                      .n_filters = 1 },
                     chosen_cb);
}

static void
save_cb (CuredSourcePage *self, const char *action, GVariant *parameter)
{
  if (self->page.document == NULL || cured_document_get_source (self->page.document) == NULL)
    return;
  if (self->file != NULL && g_str_equal (action, "source.save"))
    save_to (self, self->file, cured_document_get_original (self->page.document));
  else
    ask_where (self);
}

/* ---- The widget ---- */

static void
follow_scheme (CuredSourcePage *self)
{
  gboolean is_dark = adw_style_manager_get_dark (adw_style_manager_get_default ());
  GtkSourceStyleScheme *scheme = gtk_source_style_scheme_manager_get_scheme (
      gtk_source_style_scheme_manager_get_default (), is_dark ? "Adwaita-dark" : "Adwaita");
  GdkRGBA linked = { 0.21f, 0.52f, 0.89f, is_dark ? 0.35f : 0.22f };
  GdkRGBA warning = { is_dark ? 0.97f : 0.78f, is_dark ? 0.89f : 0.53f, 0, 1 };

  gtk_source_buffer_set_style_scheme (self->buffer, scheme);
  gtk_source_buffer_set_style_scheme (GTK_SOURCE_BUFFER (self->code_buffer), scheme);
  g_object_set (self->warning_tag, "underline-rgba", &warning, NULL);
  g_object_set (self->linked_tag, "paragraph-background-rgba", &linked, NULL);
}

/* Keyboard shortcuts for the whole window, wherever the focus is. */
static GtkEventController *
make_shortcuts (void)
{
  static const struct
  {
    const char *trigger, *action;
  } keys[] = {
    { "<Control>s", "source.save" },
    { "<Control><Shift>s", "source.save-as" },
    { "<Control>f", "source.find" },
    { "<Control>g", "source.find-next" },
    { "<Control><Shift>g", "source.find-previous" },
    { "<Control>i", "source.go-to-line" },
    { "F4", "source.next-problem" },
    { "<Control><Shift>m", "source.make-parameter" },
  };
  GtkEventController *controller = gtk_shortcut_controller_new ();

  gtk_shortcut_controller_set_scope (GTK_SHORTCUT_CONTROLLER (controller),
                                     GTK_SHORTCUT_SCOPE_GLOBAL);
  for (gsize i = 0; i < G_N_ELEMENTS (keys); i++)
    gtk_shortcut_controller_add_shortcut (
        GTK_SHORTCUT_CONTROLLER (controller),
        gtk_shortcut_new (gtk_shortcut_trigger_parse_string (keys[i].trigger),
                          gtk_named_action_new (keys[i].action)));
  return controller;
}

static void
held_cb (CuredSourcePage *self, gboolean is_held)
{
  GtkWidget *widget = GTK_WIDGET (self);

  if (is_held)
    {
      self->shortcuts = make_shortcuts ();
      gtk_widget_add_controller (widget, self->shortcuts);
      cured_inspector_hold_remedies (self->page.inspector);
      /* A scroll was requested while the page was hidden. */
      if (self->is_scroll_due)
        scroll_soon (self);
      return;
    }
  cured_inspector_release_remedies (self->page.inspector);
  gtk_widget_remove_controller (widget, g_steal_pointer (&self->shortcuts));
  if (self->scroll_id != 0)
    self->is_scroll_due = TRUE;
  g_clear_handle_id (&self->scroll_id, g_source_remove);
  /* Other pages need the last edits. */
  if (self->delay_id != 0)
    take_text (self);
}

/* ---- Export ---- */

static CuredDrawing *
get_drawing (CuredSourcePage *self)
{
  CuredKernel *kernel = cured_document_get_kernel (self->page.document);
  CuredInspection *inspection = cured_inspector_get_newest (self->page.inspector);

  if (kernel == NULL || inspection == NULL)
    return NULL;
  g_autofree char *name = g_strdelimit (g_strdup (kernel->id), "/", '-');
  g_autofree char *point = cured_document_describe_point (self->page.document);
  return cured_drawing_new_source (inspection, cured_document_get_source (self->page.document),
                                   name, kernel->title, point);
}

static void
opened_cb (CuredSourcePage *self)
{
  CuredDocument *document = self->page.document;

  CURED_CONNECT (self->page.inspector, "notify::inspection", inspected_cb);
  CURED_CONNECT (self->page.inspector, "notify::busy", busy_cb);
  CURED_CONNECT (self->page.inspector, "notify::remedies", show_problems);
  CURED_CONNECT (self->page.inspector, "notify::machine", show_code);
  cured_inspector_want_machine (self->page.inspector,
                                gtk_toggle_button_get_active (self->show_sass));
  take_file (self);
  /* Makes edits from elsewhere undoable. */
  if (cured_document_is_edited (document))
    {
      self->is_loading = TRUE;
      load_text (self, cured_document_get_original (document));
      self->is_loading = FALSE;
    }
  show_source (self, !cured_document_is_edited (document));
  go_to_kernel (self);
  inspected_cb (self);
  busy_cb (self);
  line_changed_cb (self);
}

static void
cured_source_page_dispose (GObject *object)
{
  CuredSourcePage *self = CURED_SOURCE_PAGE (object);

  if (self->buffer != NULL)
    g_signal_handlers_disconnect_by_data (self->buffer, self);
  if (self->code_buffer != NULL)
    g_signal_handlers_disconnect_by_data (self->code_buffer, self);
  self->buffer = NULL;
  self->code_buffer = NULL;
  cured_template_dispose (object);
}

static void
cured_source_page_class_init (CuredSourcePageClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = cured_source_page_dispose;
  g_type_ensure (GTK_SOURCE_TYPE_VIEW);
  CURED_NEEDS (PROBLEM_LIST);
  cured_class_add_signal (klass, "message", 1, G_TYPE_STRING);
  cured_class_add_signal (klass, "saved", 1, G_TYPE_FILE);
  cured_template_set (klass, "cured-source-page");
  CURED_OWNS (CuredSourcePage, context, file);
  CURED_PAGE_DOES (opened, opened_cb);
  CURED_PAGE_DOES (changed, document_changed_cb);
  CURED_PAGE_DOES (held, held_cb);
  CURED_PAGE_DOES (get_drawing, get_drawing);
  CURED_TIMERS (CuredSourcePage, delay_id, scroll_id);
  CURED_FREES (CuredSourcePage, g_free, code_text);
  CURED_FREES (CuredSourcePage, g_array_unref, lines);
  CURED_BIND (CuredSourcePage, stack, state, spinner, show_ptx, search_bar, search, matches, view);
  CURED_BIND (CuredSourcePage, code, problems, place, line, compile_time, run_time, block,
              findings);
  CURED_BIND (CuredSourcePage, excess, show_sass, side);
  CURED_CALLBACKS (query_tooltip_cb, search_changed_cb, search_next_cb, search_previous_cb,
                   search_stopped_cb, line_entered_cb, problem_activated_cb, remedy_chosen_cb);
  CURED_CALLBACKS (menu_wanted_cb);

  CURED_ACTION ("source.undo", NULL, undo_cb);
  CURED_ACTION ("source.redo", NULL, undo_cb);
  CURED_ACTION ("source.revert", NULL, revert_cb);
  CURED_ACTION ("source.save", NULL, save_cb);
  CURED_ACTION ("source.save-as", NULL, save_cb);
  CURED_ACTION ("source.find", NULL, find_cb);
  CURED_ACTION ("source.find-next", NULL, find_cb);
  CURED_ACTION ("source.find-previous", NULL, find_cb);
  CURED_ACTION ("source.go-to-line", NULL, go_to_line_cb);
  CURED_ACTION ("source.next-problem", NULL, next_problem_cb);
  CURED_ACTION ("source.make-parameter", NULL, make_parameter_cb);
}

static void
add_mark (CuredSourcePage *self, const char *category, const char *icon_name, int priority)
{
  g_autoptr (GtkSourceMarkAttributes) attributes = gtk_source_mark_attributes_new ();

  gtk_source_mark_attributes_set_icon_name (attributes, icon_name);
  g_signal_connect_object (attributes, "query-tooltip-text", G_CALLBACK (mark_tooltip_cb), self, 0);
  gtk_source_view_set_mark_attributes (self->view, category, attributes, priority);
}

static void
cured_source_page_init (CuredSourcePage *self)
{
  static const char *const languages[] = { "cuda", "cpp", "c" };
  GtkSourceLanguageManager *manager = gtk_source_language_manager_get_default ();
  GtkSourceLanguage *language = NULL;

  gtk_widget_init_template (GTK_WIDGET (self));
  self->lines = g_array_new (FALSE, FALSE, sizeof (int));
  self->buffer = GTK_SOURCE_BUFFER (gtk_text_view_get_buffer (GTK_TEXT_VIEW (self->view)));
  self->code_buffer = gtk_text_view_get_buffer (GTK_TEXT_VIEW (self->code));
  for (gsize i = 0; i < G_N_ELEMENTS (languages) && language == NULL; i++)
    language = gtk_source_language_manager_get_language (manager, languages[i]);
  gtk_source_buffer_set_language (self->buffer, language);
  gtk_source_buffer_set_highlight_matching_brackets (GTK_SOURCE_BUFFER (self->code_buffer), FALSE);
  /* A tag created later takes precedence. */
  self->warning_tag = gtk_text_buffer_create_tag (get_text_buffer (self), "cured-warning",
                                                  "underline", PANGO_UNDERLINE_ERROR, NULL);
  self->error_tag = gtk_text_buffer_create_tag (get_text_buffer (self), "cured-error", "underline",
                                                PANGO_UNDERLINE_ERROR, NULL);
  self->linked_tag = gtk_text_buffer_create_tag (self->code_buffer, "cured-linked", NULL);
  add_mark (self, MARK_ERROR, "dialog-error-symbolic", 3);
  add_mark (self, MARK_FINDING, "dialog-warning-symbolic", 2);
  add_mark (self, MARK_WARNING, "dialog-information-symbolic", 1);
  self->gutter = cured_excess_gutter_new ();
  gtk_source_gutter_insert (gtk_source_view_get_gutter (self->view, GTK_TEXT_WINDOW_LEFT),
                            GTK_SOURCE_GUTTER_RENDERER (self->gutter), 0);
  cured_excess_gutter_set_inspection (self->gutter, NULL);

  g_autoptr (GtkSourceSearchSettings) settings = gtk_source_search_settings_new ();
  gtk_source_search_settings_set_wrap_around (settings, TRUE);
  self->context = gtk_source_search_context_new (self->buffer, settings);
  gtk_search_bar_connect_entry (self->search_bar, self->search);
  CURED_CONNECT (self->context, "notify::occurrences-count", show_matches);
  g_object_bind_property (self->search_bar, "search-mode-enabled", self->context, "highlight",
                          G_BINDING_SYNC_CREATE);

  CURED_CONNECT (self->buffer, "changed", text_changed_cb);
  CURED_CONNECT (self->buffer, "notify::cursor-position", moved_cb);
  CURED_CONNECT (self->buffer, "notify::can-undo", undo_changed_cb);
  CURED_CONNECT (self->buffer, "notify::can-redo", undo_changed_cb);
  CURED_CONNECT (self->code_buffer, "notify::cursor-position", code_moved_cb);
  CURED_CONNECT (self->show_ptx, "toggled", code_toggled_cb);
  CURED_CONNECT (self->show_sass, "toggled", code_toggled_cb);
  /* Restores the choice of code. */
  gtk_toggle_button_set_active (self->show_ptx, cured_settings_get_toggle ("ptx", FALSE));
  gtk_toggle_button_set_active (self->show_sass, cured_settings_get_toggle ("sass", FALSE));
  CURED_CONNECT (gtk_scrollable_get_vadjustment (GTK_SCROLLABLE (self->view)), "notify::page-size",
                 height_changed_cb);
  CURED_CONNECT (adw_style_manager_get_default (), "notify::dark", follow_scheme);
  follow_scheme (self);
  undo_changed_cb (self);
  moved_cb (self);
}

/* Passes pending edits to the document without the usual delay. To be called before anything that
 * would lose them. */
void
cured_source_page_commit (CuredSourcePage *self)
{
  if (self->delay_id != 0 && self->page.document != NULL)
    take_text (self);
}
