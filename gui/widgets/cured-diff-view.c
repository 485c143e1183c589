/* SPDX-License-Identifier: MIT
 * A diff of two texts, below a description. */
#include <config.h>

#include "widgets/cured-gui-widgets.h"

/* Lines of context around a change. */
#define CONTEXT "-U4"

struct _CuredDiffView
{
  GtkTextView parent_instance;

  /* Owned */
  GCancellable *cancellable; /* of the running diff */
};

G_DEFINE_FINAL_TYPE (CuredDiffView, cured_diff_view, GTK_TYPE_TEXT_VIEW)

/* ORDER: looked up by name. Colours on light and dark backgrounds. */
static const struct
{
  const char *name, *light_text, *light_ground, *dark_text, *dark_ground;
} tag_colours[] = {
  { "added", "#0d5023", "#d7f5df", "#b8f0c8", "#123d22" },
  { "removed", "#82071e", "#ffdfe0", "#ffc9c9", "#4b1416" },
  { "place", "#3d5a80", "#e7edf5", "#a9c7ee", "#22303f" },
};

static void
style_changed_cb (CuredDiffView *self)
{
  GtkTextTagTable *tags =
      gtk_text_buffer_get_tag_table (gtk_text_view_get_buffer (GTK_TEXT_VIEW (self)));
  gboolean is_dark = adw_style_manager_get_dark (adw_style_manager_get_default ());

  for (gsize i = 0; i < G_N_ELEMENTS (tag_colours); i++)
    g_object_set (gtk_text_tag_table_lookup (tags, tag_colours[i].name), "foreground",
                  is_dark ? tag_colours[i].dark_text : tag_colours[i].light_text,
                  "paragraph-background",
                  is_dark ? tag_colours[i].dark_ground : tag_colours[i].light_ground, NULL);
}

static void
append (CuredDiffView *self, const char *text, gssize length, const char *tag)
{
  GtkTextBuffer *buffer = gtk_text_view_get_buffer (GTK_TEXT_VIEW (self));
  GtkTextIter end;

  gtk_text_buffer_get_end_iter (buffer, &end);
  if (tag != NULL)
    gtk_text_buffer_insert_with_tags_by_name (buffer, &end, text, (int) length, tag, NULL);
  else
    gtk_text_buffer_insert (buffer, &end, text, (int) length);
}

static void
append_diff (CuredDiffView *self, const char *text)
{
  gboolean is_begun = FALSE;

  while (*text != '\0')
    {
      const char *newline = strchr (text, '\n');
      gssize length = newline != NULL ? newline - text + 1 : (gssize) strlen (text);
      const char *tag = NULL;

      if (*text == '@')
        {
          tag = "place";
          is_begun = TRUE;
        }
      else if (*text == '+' && is_begun)
        tag = "added";
      else if (*text == '-' && is_begun)
        tag = "removed";
      append (self, text, length, tag);
      text += length;
    }
}

static void
show_start (CuredDiffView *self)
{
  GtkTextBuffer *buffer = gtk_text_view_get_buffer (GTK_TEXT_VIEW (self));
  GtkTextIter start;

  gtk_text_buffer_get_start_iter (buffer, &start);
  gtk_text_buffer_place_cursor (buffer, &start);
  g_signal_emit_by_name (self, "changed");
}

static void
diff_ended_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (CuredDiffView) self = user_data;
  g_autoptr (GError) error = NULL;
  g_autofree char *out = NULL;
  gboolean is_done =
      g_subprocess_communicate_utf8_finish (G_SUBPROCESS (source), result, &out, NULL, &error);

  g_file_delete (g_object_get_data (source, "file"), NULL, NULL);
  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return;
  if (!is_done)
    append (self, error->message, -1, NULL);
  else if (out == NULL || *out == '\0')
    append (self, _ ("The sources are the same."), -1, "prose");
  else
    append_diff (self, out);
  show_start (self);
}

/* diff(1) reads the new text from standard input, and the old one from a temporary file, which is
 * deleted afterwards. */
static gboolean
start_diff (CuredDiffView *self, const char *old_name, const char *old_text, const char *new_name,
            const char *new_text, GError **error)
{
  g_autoptr (GFileIOStream) stream = NULL;
  g_autoptr (GFile) file = g_file_new_tmp ("cured-XXXXXX.cu", &stream, error);
  g_autoptr (GSubprocess) process = NULL;

  if (file == NULL)
    return FALSE;
  gboolean is_written =
      g_output_stream_write_all (g_io_stream_get_output_stream (G_IO_STREAM (stream)), old_text,
                                 strlen (old_text), NULL, NULL, error);
  if (is_written)
    process = g_subprocess_new (G_SUBPROCESS_FLAGS_STDIN_PIPE | G_SUBPROCESS_FLAGS_STDOUT_PIPE,
                                error, "diff", CONTEXT, "--label", old_name, "--label", new_name,
                                g_file_peek_path (file), "-", NULL);
  if (process == NULL)
    {
      g_file_delete (file, NULL, NULL);
      return FALSE;
    }
  g_object_set_data_full (G_OBJECT (process), "file", g_object_ref (file), g_object_unref);
  g_subprocess_communicate_utf8_async (process, new_text, self->cancellable, diff_ended_cb,
                                       g_object_ref (self));
  return TRUE;
}

static void
cancel (CuredDiffView *self)
{
  g_cancellable_cancel (self->cancellable);
  g_clear_object (&self->cancellable);
}

static void
cured_diff_view_dispose (GObject *object)
{
  cancel (CURED_DIFF_VIEW (object));
  G_OBJECT_CLASS (cured_diff_view_parent_class)->dispose (object);
}

static void
cured_diff_view_class_init (CuredDiffViewClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = cured_diff_view_dispose;
  cured_class_add_signal (klass, "changed", 0);
}

static void
cured_diff_view_init (CuredDiffView *self)
{
  GtkTextBuffer *buffer = gtk_text_view_get_buffer (GTK_TEXT_VIEW (self));

  /* Tab moves the focus. */
  g_object_set (self, "editable", FALSE, "cursor-visible", FALSE, "accepts-tab", FALSE, "monospace",
                TRUE, "left-margin", 12, "right-margin", 12, "top-margin", 9, "bottom-margin", 9,
                NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (tag_colours); i++)
    gtk_text_buffer_create_tag (buffer, tag_colours[i].name, NULL);
  gtk_text_buffer_create_tag (buffer, "prose", "family", "Sans", "wrap-mode", GTK_WRAP_WORD_CHAR,
                              NULL);
  cured_widget_name (self, _ ("What changed in the source"), NULL);
  CURED_CONNECT (adw_style_manager_get_default (), "notify::dark", style_changed_cb);
  style_changed_cb (self);
}

/* Shows the diff, or all of @new_text without an old text. @prose: (nullable): text above the
 * diff; @old_text: (nullable). */
void
cured_diff_view_show (CuredDiffView *self, const char *prose, const char *old_name,
                      const char *old_text, const char *new_name, const char *new_text)
{
  g_autoptr (GError) error = NULL;

  cured_diff_view_clear (self);
  self->cancellable = g_cancellable_new ();
  if (prose != NULL)
    {
      append (self, prose, -1, "prose");
      append (self, "\n\n", -1, "prose");
    }
  if (old_text == NULL)
    append (self, new_text, -1, NULL);
  else if (start_diff (self, old_name, old_text, new_name, new_text, &error))
    return;
  else
    {
      g_autofree char *message = NULL;

      if (g_error_matches (error, G_SPAWN_ERROR, G_SPAWN_ERROR_NOENT))
        message = g_strdup (_ ("The program “diff” is not installed (package diffutils): this is "
                               "the whole new source."));
      append (self, message != NULL ? message : error->message, -1, "prose");
      append (self, "\n\n", -1, "prose");
      append (self, new_text, -1, NULL);
    }
  show_start (self);
}

/* Clears the view; cancels a running diff. */
void
cured_diff_view_clear (CuredDiffView *self)
{
  cancel (self);
  gtk_text_buffer_set_text (gtk_text_view_get_buffer (GTK_TEXT_VIEW (self)), "", 0);
}

char *
cured_diff_view_get_text (CuredDiffView *self)
{
  GtkTextIter start, end;

  GtkTextBuffer *buffer = gtk_text_view_get_buffer (GTK_TEXT_VIEW (self));
  gtk_text_buffer_get_bounds (buffer, &start, &end);
  return gtk_text_buffer_get_text (buffer, &start, &end, FALSE);
}
