/* SPDX-License-Identifier: MIT
 * What a window shows before a file is open. */
#include <config.h>

#include "start/cured-start-page.h"

#include <math.h>
#include <string.h>

#include <glib/gi18n.h>

#include "cured-plot.h"
#include "start/cured-lesson-row.h"
#include "widgets/cured-menu.h"
#include "widgets/cured-text.h"

#define MAX_RECENT 5

#define THUMBNAIL_WIDTH  72
#define THUMBNAIL_HEIGHT 48

struct _CuredStartPage
{
  AdwBin parent_instance;

  /* Template widgets */
  GtkImage *icon;
  AdwExpanderRow *lessons;
  GtkWidget *recent_group;
  GtkListBox *recent;
  GtkWidget *recorded_group;
  GtkListBox *recorded;

  GCancellable *cancellable; /* Owned */
};

enum
{
  OPEN_FILE,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (CuredStartPage, cured_start_page, ADW_TYPE_BIN)

static void
row_activated_cb (CuredStartPage *self, AdwActionRow *row)
{
  GFile *file = g_object_get_data (G_OBJECT (row), "file");

  g_signal_emit (self, signals[OPEN_FILE], 0, file);
}

static AdwActionRow *
add_row (CuredStartPage *self,
         GtkListBox *list,
         GFile *file,
         const char *title,
         const char *subtitle)
{
  AdwActionRow *row = ADW_ACTION_ROW (adw_action_row_new ());

  adw_preferences_row_set_use_markup (ADW_PREFERENCES_ROW (row), FALSE);
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), title);
  adw_action_row_set_subtitle (row, subtitle);
  adw_action_row_set_subtitle_lines (row, 2);
  adw_action_row_add_suffix (row,
                             g_object_new (GTK_TYPE_IMAGE,
                                           "icon-name",
                                           "go-next-symbolic",
                                           "accessible-role",
                                           GTK_ACCESSIBLE_ROLE_PRESENTATION,
                                           NULL));
  gtk_list_box_row_set_activatable (GTK_LIST_BOX_ROW (row), TRUE);
  g_object_set_data_full (
      G_OBJECT (row), "file", g_object_ref (file), g_object_unref);
  g_signal_connect_object (
      row, "activated", G_CALLBACK (row_activated_cb), self, G_CONNECT_SWAPPED);
  gtk_list_box_append (list, GTK_WIDGET (row));
  return row;
}

static void
clear_list (GtkListBox *list)
{
  GtkWidget *child;

  while ((child = gtk_widget_get_first_child (GTK_WIDGET (list))) != NULL)
    gtk_list_box_remove (list, child);
}

/* A folder as people write it. */
static char *
folder_name (GFile *file)
{
  g_autoptr (GFile) folder = g_file_get_parent (file);
  g_autofree char *path = g_file_get_path (folder);

  if (g_str_has_prefix (path, g_get_home_dir ()))
    return g_strconcat ("~", path + strlen (g_get_home_dir ()), NULL);
  return g_steal_pointer (&path);
}

static void
fill_recent (CuredStartPage *self)
{
  const char *const suffixes[] = { ".cured", NULL };
  g_autoptr (GPtrArray) files = cured_menu_list_recent (suffixes);

  clear_list (self->recent);
  for (guint i = 0; i < MIN (files->len, MAX_RECENT); i++)
    {
      g_autoptr (GFile) file =
          g_file_new_for_uri (gtk_recent_info_get_uri (files->pdata[i]));
      g_autofree char *name = g_file_get_basename (file);
      g_autofree char *folder = folder_name (file);

      add_row (self, self->recent, file, name, folder);
    }
  gtk_widget_set_visible (self->recent_group, files->len > 0);
}

/* Recorded samples. */

/* The map without axes, a few pixels wide. */
static GdkTexture *
draw_thumbnail (CuredResult *result)
{
  const int scale = 2;
  const int width = THUMBNAIL_WIDTH * scale;
  const int height = THUMBNAIL_HEIGHT * scale;
  CuredView view;
  g_autoptr (CuredGrid) grid = NULL;
  g_autoptr (GBytes) bytes = NULL;
  guint32 *pixels = g_new (guint32, (gsize) (width * height));

  cured_view_init (&view, result);
  grid = cured_grid_new (result, &view);
  cured_view_clear (&view);
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++)
      {
        gsize column = (gsize) x * grid->nx / (gsize) width;
        gsize row = (gsize) (height - 1 - y) * grid->ny / (gsize) height;
        double value = grid->values[row * grid->nx + column];

        pixels[y * width + x] =
            isnan (value)
                ? 0x66333333
                : cured_colour_map_get_pixel (
                      grid->colours, cured_grid_get_position (grid, value));
      }
  bytes =
      g_bytes_new_take (pixels, (gsize) (width * height) * sizeof (guint32));
  return gdk_memory_texture_new (width,
                                 height,
                                 GDK_MEMORY_DEFAULT,
                                 bytes,
                                 (gsize) width * sizeof (guint32));
}

static void
sample_loaded_cb (GObject *source, GAsyncResult *async, gpointer user_data)
{
  g_autoptr (AdwActionRow) row = user_data;
  g_autoptr (GError) error = NULL;
  g_autoptr (CuredResult) result = cured_result_load_finish (async, &error);
  g_autoptr (GdkTexture) texture = NULL;
  g_autofree char *device = NULL;
  g_autofree char *cells = NULL;
  g_autofree char *subtitle = NULL;
  GtkWidget *picture;
  gint64 n_cells;

  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return;
  if (result == NULL)
    {
      adw_action_row_set_subtitle (row, error->message);
      return;
    }

  n_cells = cured_result_get_n_cells (result);
  device = cured_text_device (cured_result_get_device (result));
  cells = cured_format_count (n_cells);
  /* Translators: a kernel's id, a device's name, and how many cells there
   * are, as in "matmul/tiled · NVIDIA H200 · 252 cells". */
  subtitle = g_strdup_printf (
      ngettext ("%s · %s · %s cell", "%s · %s · %s cells", (gulong) n_cells),
      cured_result_get_kernel_id (result),
      device,
      cells);
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row),
                                 cured_result_get_title (result));
  adw_action_row_set_subtitle (row, subtitle);

  texture = draw_thumbnail (result);
  picture = gtk_picture_new_for_paintable (GDK_PAINTABLE (texture));
  gtk_widget_set_size_request (picture, THUMBNAIL_WIDTH, THUMBNAIL_HEIGHT);
  gtk_widget_set_valign (picture, GTK_ALIGN_CENTER);
  gtk_widget_set_margin_top (picture, 6);
  gtk_widget_set_margin_bottom (picture, 6);
  gtk_widget_set_overflow (picture, GTK_OVERFLOW_HIDDEN);
  gtk_widget_add_css_class (picture, "thumbnail");
  adw_action_row_add_prefix (row, picture);
}

/* ORDER: as they are shown. Of what was recorded, the maps that tell most to
 * somebody who is new; the others are opened like any file. */
static const char *const featured[] = {
  "reduce-two-launch", "matmul-tiled", "average-shared", "transpose-naive",
  "latency-global",    "banks-stride", "vector-add",     "reduce-single-launch",
};

static void
fill_recorded (CuredStartPage *self)
{
  g_autofree char *folder = cured_recordings_find_folder ();
  g_autoptr (GPtrArray) paths = cured_recordings_list (folder, NULL);
  guint n_paths = paths != NULL ? paths->len : 0;
  g_autoptr (GPtrArray) shown = g_ptr_array_new ();
  g_autofree char *description = NULL;

  clear_list (self->recorded);
  for (gsize i = 0; n_paths > 0 && i < G_N_ELEMENTS (featured); i++)
    {
      const char *path = cured_recordings_find (paths, featured[i], NULL);

      if (path != NULL)
        g_ptr_array_add (shown, (gpointer) path);
    }
  /* A folder of somebody's own. */
  if (shown->len == 0 && n_paths > 0)
    g_ptr_array_extend (shown, paths, NULL, NULL);
  if (n_paths > shown->len)
    {
      g_autofree char *parent = g_path_get_dirname (folder);
      g_autofree char *above = g_path_get_basename (parent);
      g_autofree char *base = g_path_get_basename (folder);

      /* Translators: the last two folders of a path */
      description = g_strdup_printf (ngettext ("%u more is in …/%s/%s",
                                               "%u more are in …/%s/%s",
                                               n_paths - shown->len),
                                     n_paths - shown->len,
                                     above,
                                     base);
    }
  adw_preferences_group_set_description (
      ADW_PREFERENCES_GROUP (self->recorded_group), description);
  gtk_widget_set_tooltip_text (self->recorded_group,
                               description != NULL ? folder : NULL);

  for (guint i = 0; i < shown->len; i++)
    {
      const char *path = g_ptr_array_index (shown, i);
      g_autofree char *base = g_path_get_basename (path);
      g_autoptr (GFile) file = g_file_new_for_path (path);
      AdwActionRow *row = add_row (self, self->recorded, file, base, "");

      cured_result_load_async (
          path, self->cancellable, sample_loaded_cb, g_object_ref (row));
    }
  gtk_widget_set_visible (self->recorded_group, n_paths > 0);
}

static void
lesson_open_cb (CuredStartPage *self, GFile *file)
{
  g_signal_emit (self, signals[OPEN_FILE], 0, file);
}

static void
add_lessons (CuredStartPage *self)
{
  gsize n_lessons;
  const CuredLesson *lessons = cured_lessons (&n_lessons);

  for (gsize i = 0; i < n_lessons; i++)
    {
      GtkWidget *row = cured_lesson_row_new (&lessons[i]);

      adw_expander_row_add_row (self->lessons, row);
      g_signal_connect_object (row,
                               "open-file",
                               G_CALLBACK (lesson_open_cb),
                               self,
                               G_CONNECT_SWAPPED);
    }
}

static void
cured_start_page_dispose (GObject *object)
{
  CuredStartPage *self = CURED_START_PAGE (object);

  g_cancellable_cancel (self->cancellable);
  gtk_widget_dispose_template (GTK_WIDGET (self), CURED_TYPE_START_PAGE);
  G_OBJECT_CLASS (cured_start_page_parent_class)->dispose (object);
}

static void
cured_start_page_finalize (GObject *object)
{
  CuredStartPage *self = CURED_START_PAGE (object);

  g_object_unref (self->cancellable);
  G_OBJECT_CLASS (cured_start_page_parent_class)->finalize (object);
}

static void
cured_start_page_class_init (CuredStartPageClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = cured_start_page_dispose;
  G_OBJECT_CLASS (klass)->finalize = cured_start_page_finalize;

  signals[OPEN_FILE] = g_signal_new ("open-file",
                                     CURED_TYPE_START_PAGE,
                                     G_SIGNAL_RUN_LAST,
                                     0,
                                     NULL,
                                     NULL,
                                     NULL,
                                     G_TYPE_NONE,
                                     1,
                                     G_TYPE_FILE);

  gtk_widget_class_set_template_from_resource (
      widget_class, "/io/github/cured/Cured/cured-start-page.ui");
  gtk_widget_class_bind_template_child (widget_class, CuredStartPage, icon);
  gtk_widget_class_bind_template_child (widget_class, CuredStartPage, lessons);
  gtk_widget_class_bind_template_child (
      widget_class, CuredStartPage, recent_group);
  gtk_widget_class_bind_template_child (widget_class, CuredStartPage, recent);
  gtk_widget_class_bind_template_child (
      widget_class, CuredStartPage, recorded_group);
  gtk_widget_class_bind_template_child (widget_class, CuredStartPage, recorded);
}

static void
cured_start_page_init (CuredStartPage *self)
{
  self->cancellable = g_cancellable_new ();
  gtk_widget_init_template (GTK_WIDGET (self));
  gtk_image_set_from_icon_name (self->icon, CURED_APP_ID);
  add_lessons (self);
  g_signal_connect_object (gtk_recent_manager_get_default (),
                           "changed",
                           G_CALLBACK (fill_recent),
                           self,
                           G_CONNECT_SWAPPED);
}

/**
 * cured_start_page_refresh:
 * @self: a start page
 *
 * Lists recent files and recorded samples anew. The samples' titles and
 * pictures come as their files are read, off the main thread.
 */
void
cured_start_page_refresh (CuredStartPage *self)
{
  g_return_if_fail (CURED_IS_START_PAGE (self));

  fill_recent (self);
  fill_recorded (self);
}
