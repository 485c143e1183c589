/* SPDX-License-Identifier: MIT
 * The page and the titles of a tab. */
#include <config.h>

#include "app/cured-tab-private.h"

#include <string.h>

static void
changed (CuredTab *self)
{
  g_signal_emit_by_name (self, "changed");
}

void
_cured_tab_settled (CuredTab *self)
{
  g_signal_emit_by_name (self, "settled");
}

/* Shows a short message over the contents. */
void
_cured_tab_toast (CuredTab *self, const char *text)
{
  g_signal_emit_by_name (self, "message", text);
}

/* Reports that something the user waits for has ended, or that a question is asked. */
void
_cured_tab_call (CuredTab *self)
{
  g_signal_emit_by_name (self, "attention");
}

static gboolean
tell_closable (gpointer user_data)
{
  g_signal_emit_by_name (user_data, "closable");
  return G_SOURCE_REMOVE;
}

/* Emits `closable` when idle, since the dialog that asked must not outlive its window. */
void
_cured_tab_let_go (CuredTab *self)
{
  g_idle_add_full (G_PRIORITY_DEFAULT_IDLE, tell_closable, g_object_ref (self), g_object_unref);
}

/* Returns: (nullable): the parent of the tab's dialogs; NULL while it is dragged between windows */
GtkWindow *
_cured_tab_get_parent (CuredTab *self)
{
  GtkRoot *root = gtk_widget_get_root (GTK_WIDGET (self));

  return GTK_IS_WINDOW (root) ? GTK_WINDOW (root) : NULL;
}

/* Returns: whether the tab shows the page @name. On another page, the document may still have the
 * previous contents */
gboolean
_cured_tab_shows (CuredTab *self, const char *name)
{
  return g_strcmp0 (gtk_stack_get_visible_child_name (self->stack), name) == 0;
}

/* Adds @file to the recent files. */
void
_cured_tab_remember_file (GFile *file)
{
  g_autofree char *uri = g_file_get_uri (file);
  GtkRecentData data = {
    .mime_type = (char *) (g_str_has_suffix (uri, ".cu") ? "text/x-c++src" : "application/x-cured"),
    .app_name = (char *) "Cured",
    .app_exec = (char *) "cured-gtk %f",
    .is_private = FALSE
  };

  gtk_recent_manager_add_full (gtk_recent_manager_get_default (), uri, &data);
}

/* Views. */

static void go_on (CuredTab *self);

static void
saved_cb (CuredTab *self, GFile *file)
{
  _cured_tab_remember_file (file);
  /* A kernel is now in that file; a result keeps its own. */
  if (cured_document_get_result (self->document) == NULL)
    g_set_object (&self->file, file);
  go_on (self);
}

/* Views that a tab may never show. Each has a placeholder, in which it is created when needed. */
static const struct
{
  const char *name, *page;
  GType (*get_type) (void);
  gsize offset; /* in the tab */
} views[] = {
  { "banks", "bank_page", cured_bank_page_get_type, G_STRUCT_OFFSET (CuredTab, bank_page) },
  { "ladder", "ladder_page", cured_ladder_page_get_type, G_STRUCT_OFFSET (CuredTab, ladder_page) },
  { "source", "source_page", cured_source_page_get_type, G_STRUCT_OFFSET (CuredTab, source_page) },
  { "compare", "compare_page", cured_compare_page_get_type,
    G_STRUCT_OFFSET (CuredTab, compare_page) },
};

/* Gives a view the accessible name of its tab. */
static void
name_view (CuredTab *self, GtkWidget *place, GtkWidget *view)
{
  AdwViewStackPage *page = adw_view_stack_get_page (self->views, place);
  g_auto (GStrv) parts = g_strsplit (adw_view_stack_page_get_title (page), "_", -1);
  g_autofree char *name = g_strjoinv (NULL, parts);

  cured_widget_name (view, name, NULL);
}

/* Creates a view when it is first shown, with the current document. */
void
_cured_tab_need_view (CuredTab *self, const char *name)
{
  GtkWidget *place = adw_view_stack_get_child_by_name (self->views, name);

  for (gsize i = 0; i < G_N_ELEMENTS (views); i++)
    if (g_str_equal (views[i].name, name) && adw_bin_get_child (ADW_BIN (place)) == NULL)
      {
        GtkWidget *view = g_object_new (views[i].get_type (), "name", views[i].page, NULL);

        G_STRUCT_MEMBER (gpointer, self, views[i].offset) = view;
        cured_page_open (view, self->document, self->inspector);
        if (CURED_IS_SOURCE_PAGE (view))
          {
            CURED_CONNECT (view, "message", _cured_tab_toast);
            CURED_CONNECT (view, "saved", saved_cb);
          }
        name_view (self, place, view);
        adw_bin_set_child (ADW_BIN (place), view);
      }
}

/* Selects a view of the tab. */
void
_cured_tab_choose_view (CuredTab *self, const char *name)
{
  /* First, so that a widget can take the focus. */
  _cured_tab_need_view (self, name);
  adw_view_stack_set_visible_child_name (self->views, name);
}

GtkWidget *
_cured_tab_get_view (CuredTab *self)
{
  GtkWidget *view = adw_view_stack_get_visible_child (self->views);

  return view == GTK_WIDGET (self->page) ? view : adw_bin_get_child (ADW_BIN (view));
}

static void
view_changed_cb (CuredTab *self)
{
  /* The tab is being disposed of. */
  if (self->document == NULL)
    return;
  _cured_tab_need_view (self, adw_view_stack_get_visible_child_name (self->views));
  changed (self);
}

GtkWidget *
_cured_tab_get_shown (CuredTab *self)
{
  return _cured_tab_shows (self, "result") ? _cured_tab_get_view (self)
                                           : gtk_stack_get_visible_child (self->stack);
}

/* Remembers an action that was requested before the file is read, replacing an earlier one.
 * @action: (nullable): to run when it is read; NULL: none; @parameter: (nullable): of @action. */
void
_cured_tab_await (CuredTab *self, const CuredTabAction *action, GVariant *parameter)
{
  self->awaited = action;
  g_clear_pointer (&self->awaited_parameter, g_variant_unref);
  if (parameter != NULL)
    self->awaited_parameter = g_variant_ref_sink (parameter);
}

void
_cured_tab_show_view (CuredTab *self, const char *name)
{
  /* Reading failed. */
  if (!g_str_equal (name, "loading") && !g_str_equal (name, "result"))
    _cured_tab_await (self, NULL, NULL);
  gtk_stack_set_visible_child_name (self->stack, name);
  gtk_spinner_set_spinning (self->spinner, g_str_equal (name, "loading"));
  changed (self);
}

void
_cured_tab_set_titles (CuredTab *self, const char *title, const char *subtitle)
{
  cured_set_string (&self->title, title);
  cured_set_string (&self->subtitle, subtitle);
  changed (self);
}

/* Translators: between the parts of what a tab shows: a kernel, a device, a date, a file. */
#define SEPARATOR _ (" · ")

/* The subtitle consists of kernel, device, date and file. */
static void
update_titles (CuredTab *self)
{
  CuredResult *result = cured_document_get_result (self->document);
  CuredKernel *kernel = cured_document_get_kernel (self->document);
  g_autoptr (GPtrArray) parts = g_ptr_array_new_with_free_func (g_free);

  if (!_cured_tab_shows (self, "result"))
    return;
  if (result != NULL)
    {
      GDateTime *created = cured_result_get_created (result);

      g_ptr_array_add (parts, g_strdup (cured_result_get_kernel_id (result)));
      g_ptr_array_add (parts, cured_text_device (cured_result_get_device (result)));
      if (created != NULL)
        g_ptr_array_add (parts, cured_format_date (created));
      g_ptr_array_add (parts, g_filename_display_basename (cured_result_get_path (result)));
    }
  else if (kernel != NULL)
    {
      g_ptr_array_add (parts, g_strdup (kernel->id));
      g_ptr_array_add (parts, g_strdup (_ ("not measured yet")));
    }
  if (cured_document_is_edited (self->document))
    /* Translators: the source of a kernel, by the user. */
    g_ptr_array_add (parts, g_strdup (_ ("edited")));
  g_ptr_array_add (parts, NULL);
  const char *title = result != NULL   ? cured_result_get_title (result)
                      : kernel != NULL ? kernel->title
                                       : NULL;
  g_autofree char *subtitle = g_strjoinv (SEPARATOR, (char **) parts->pdata);
  _cured_tab_set_titles (self, title != NULL ? cured_kernel_translate (title) : _ ("Cured"),
                         subtitle);
}

static void
end_lesson (CuredTab *self)
{
  cured_lesson_bar_set_lesson (self->lesson_bar, NULL);
}

static void
lesson_chosen_cb (CuredTab *self, const CuredLesson *lesson)
{
  cured_lesson_bar_set_lesson (self->lesson_bar, lesson);
}

/* A lesson applies to one kernel. */
static void
kernel_changed_cb (CuredTab *self)
{
  const CuredLesson *lesson = cured_lesson_bar_get_lesson (self->lesson_bar);
  CuredKernel *kernel = cured_document_get_kernel (self->document);

  if (lesson != NULL && kernel != NULL && !g_str_equal (kernel->id, lesson->recording))
    end_lesson (self);
}

void
_cured_tab_show_start (CuredTab *self)
{
  end_lesson (self);
  g_clear_object (&self->file);
  _cured_tab_set_titles (self, _ ("Cured"), "");
  cured_document_set_result (self->document, NULL);
  cured_start_page_refresh (self->start_page);
  _cured_tab_show_view (self, "start");
}

/* Gives a new map the focus as soon as its tab is visible. */
void
_cured_tab_take_keys (CuredTab *self)
{
  if (!self->wants_keys || !gtk_widget_get_mapped (GTK_WIDGET (self)))
    return;
  self->wants_keys = FALSE;
  if (_cured_tab_shows (self, "result") &&
      g_strcmp0 (adw_view_stack_get_visible_child_name (self->views), "map") == 0)
    gtk_widget_grab_focus (GTK_WIDGET (cured_result_page_get_map (self->page)));
}

void
_cured_tab_show_folder (CuredTab *self)
{
  g_autofree char *path = g_file_get_path (self->file);
  g_autofree char *place = cured_text_place (path);
  g_autofree char *name = g_filename_display_basename (path);

  cured_document_set_result (self->document, NULL);
  cured_folder_page_open (self->folder_page, self->file);
  _cured_tab_set_titles (self, name, place);
  _cured_tab_show_view (self, "folder");
}

/* Shows the program page for the file, which is an executable program. */
void
_cured_tab_show_program (CuredTab *self)
{
  g_autoptr (GFile) folder = g_file_get_parent (self->file);
  g_autofree char *path = g_file_get_path (folder);
  g_autofree char *place = cured_text_place (path);
  g_autofree char *name = cured_text_file (self->file);

  cured_document_set_result (self->document, NULL);
  _cured_tab_set_titles (self, name, place);
  _cured_tab_show_view (self, "program");
  cured_program_page_open (self->program_page, self->file);
}

void
_cured_tab_show_result (CuredTab *self, CuredResult *result)
{
  cured_document_set_result (self->document, result);
  _cured_tab_show_view (self, "result");
  update_titles (self);
  self->wants_keys = !gtk_widget_get_mapped (GTK_WIDGET (self)) ||
                     cured_widget_may_focus (self, self->focus_before);
  _cured_tab_take_keys (self);
}

/* Shows a kernel without a result. */
void
_cured_tab_show_kernel (CuredTab *self, CuredKernel *kernel)
{
  g_clear_object (&self->file);
  cured_run_controller_forget (self->controller);
  cured_document_set_kernel (self->document, kernel);
  _cured_tab_show_view (self, "result");
  update_titles (self);
}

/* Returns: whether the source has unsaved edits */
gboolean
_cured_tab_is_edited (CuredTab *self)
{
  if (!_cured_tab_shows (self, "result"))
    return FALSE;
  if (self->source_page != NULL)
    cured_source_page_commit (self->source_page);
  return cured_document_is_edited (self->document);
}

/* Returns: whether something else can be opened here without losing anything */
gboolean
_cured_tab_is_idle (CuredTab *self)
{
  return self->file == NULL && !_cured_tab_shows (self, "result") &&
         !cured_run_controller_is_running (self->controller);
}

/* Unsaved edits. */

typedef struct
{
  CuredTab *tab;
  void (*proceed) (CuredTab *self, gpointer data);
  gpointer data;
  GDestroyNotify free_data;
} Question;

static void
question_free (Question *self)
{
  if (self->free_data != NULL)
    self->free_data (self->data);
  g_object_unref (self->tab);
  g_free (self);
}

/* Continues after the source was saved. */
static void
go_on (CuredTab *self)
{
  Question *question = g_object_steal_data (G_OBJECT (self->source_page), "question");

  if (question == NULL)
    return;
  question->proceed (self, question->data);
  question_free (question);
}

/* Continues when the source is saved. If the user cancels the choice of a file, the request is
 * dropped. */
static void
save_first (CuredTab *self, Question *question)
{
  _cured_tab_choose_view (self, "source");
  g_object_set_data_full (G_OBJECT (self->source_page), "question", question,
                          (GDestroyNotify) question_free);
  gtk_widget_activate_action (GTK_WIDGET (self->source_page), "source.save", NULL);
}

static void
edits_response_cb (gpointer owner, const char *response, AdwMessageDialog *dialog)
{
  const Question *self = g_object_get_data (G_OBJECT (dialog), "question");

  if (g_str_equal (response, "discard"))
    self->proceed (owner, self->data);
  else if (g_str_equal (response, "save"))
    save_first (owner, g_object_steal_data (G_OBJECT (dialog), "question"));
}

/* Calls @proceed: at once if the source has no unsaved edits, otherwise only if the user saves or
 * discards them. @free_data: (nullable): of @data. */
void
_cured_tab_if_edits_may_go (CuredTab *self, void (*proceed) (CuredTab *self, gpointer data),
                            gpointer data, GDestroyNotify free_data)
{
  static const CuredAnswer answers[] = {
    { "keep", N_ ("_Keep Editing") },
    { "discard", N_ ("_Discard"), ADW_RESPONSE_DESTRUCTIVE },
    { "save", N_ ("_Save…") },
    { NULL },
  };
  Question *question = g_new0 (Question, 1);

  question->tab = g_object_ref (self);
  question->proceed = proceed;
  question->data = data;
  question->free_data = free_data;
  if (!_cured_tab_is_edited (self))
    {
      proceed (self, data);
      question_free (question);
      return;
    }

  _cured_tab_call (self);
  g_object_set_data_full (
      G_OBJECT (cured_ask (_cured_tab_get_parent (self), _ ("Discard the Edited Source?"),
                           _ ("The kernel's source was edited, and is not saved as a file."),
                           answers, self, edits_response_cb)),
      "question", question, (GDestroyNotify) question_free);
}

/* Returns: its page: `start`, `folder`, `program`, `loading`, `error` or `result` */
const char *
cured_tab_get_view_name (CuredTab *self)
{
  return gtk_stack_get_visible_child_name (self->stack);
}

/* Returns: (transfer full): the tab's name: that of its file or kernel */
char *
cured_tab_get_name (CuredTab *self)
{
  if (self->file != NULL)
    {
      char *name = cured_text_file (self->file);

      if (g_str_has_suffix (name, ".cured"))
        name[strlen (name) - strlen (".cured")] = '\0';
      return name;
    }
  CuredKernel *kernel = cured_document_get_kernel (self->document);
  if (_cured_tab_shows (self, "result") && kernel != NULL)
    return g_strdup (kernel->id);
  if (cured_run_controller_is_running (self->controller))
    return g_strdup (_ ("New Sweep"));
  return g_strdup (_ ("New Tab"));
}

gboolean
cured_tab_is_busy (CuredTab *self)
{
  return cured_loader_get_status (self->loader) != CURED_LOADER_IDLE ||
         cured_run_controller_is_running (self->controller);
}

static void
document_changed_cb (CuredTab *self, CuredDocumentChange what)
{
  if ((what & CURED_DOCUMENT_KERNEL) != 0)
    kernel_changed_cb (self);
  if ((what & CURED_DOCUMENT_RESULT) != 0)
    changed (self);
  if ((what & CURED_DOCUMENT_SOURCE) != 0)
    update_titles (self);
}

/* Connects signals for the titles and views. */
void
_cured_tab_init_frame (CuredTab *self)
{
  name_view (self, GTK_WIDGET (self->page), GTK_WIDGET (self->page));
  CURED_CONNECT (self->views, "notify::visible-child", view_changed_cb);
  CURED_CONNECT (self->start_page, "lesson-chosen", lesson_chosen_cb);
  CURED_CONNECT (self->lesson_bar, "closed", end_lesson);
  CURED_CONNECT (self->document, "changed", document_changed_cb);
  CURED_CONNECT (self->controller, "notify", changed);
}
