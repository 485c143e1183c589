/* SPDX-License-Identifier: MIT
 * The gutter with the excess wavefronts of each source line. */
#include <config.h>

#include "source/cured-gui-source.h"

struct _CuredExcessGutter
{
  GtkSourceGutterRendererText parent_instance;

  /* Owned */
  CuredInspection *inspection; /* nullable */

  guint64 most; /* maximum excess wavefronts of a line */
};

G_DEFINE_FINAL_TYPE (CuredExcessGutter, cured_excess_gutter, GTK_SOURCE_TYPE_GUTTER_RENDERER_TEXT)

/* Opacity of the background: the minimum that is visible, and the maximum with readable text,
 * in dark and light style. */
#define LEAST_ALPHA 0.18
#define MOST_ALPHA  0.65

static guint64
get_excess (const CuredLineCounts *counts)
{
  return counts->wavefronts > counts->least ? counts->wavefronts - counts->least : 0;
}

static char *
format (guint64 count)
{
  return cured_format_count ((gint64) count);
}

static const CuredLineCounts *
find_counts (CuredExcessGutter *self, guint line)
{
  return self->inspection != NULL ? cured_inspection_find_line (self->inspection, (int) line + 1)
                                  : NULL;
}

static void
query_data (GtkSourceGutterRenderer *renderer, GtkSourceGutterLines *lines, guint line)
{
  const CuredLineCounts *counts = find_counts (CURED_EXCESS_GUTTER (renderer), line);
  gboolean is_dark = adw_style_manager_get_dark (adw_style_manager_get_default ());
  g_autofree char *excess = NULL;
  g_autofree char *text = NULL;

  /* The colour of line numbers is too faint on an orange background. */
  if (counts != NULL && get_excess (counts) > 0)
    {
      excess = format (get_excess (counts));
      text = g_strdup_printf ("<span foreground=\"%s\">%s</span>", is_dark ? "#ffffff" : "#000000",
                              excess);
    }
  else if (counts != NULL && counts->shared_requests > 0)
    text = g_strdup ("0");
  gtk_source_gutter_renderer_text_set_markup (GTK_SOURCE_GUTTER_RENDERER_TEXT (renderer),
                                              text != NULL ? text : "", -1);
}

static void
snapshot_line (GtkSourceGutterRenderer *renderer, GtkSnapshot *snapshot,
               GtkSourceGutterLines *lines, guint line)
{
  CuredExcessGutter *self = CURED_EXCESS_GUTTER (renderer);
  const CuredLineCounts *counts = find_counts (self, line);
  guint64 excess = counts != NULL ? get_excess (counts) : 0;

  if (excess > 0)
    {
      /* Logarithmic: otherwise one bad line would make the others pale. */
      double heat = log1p ((double) excess) / log1p ((double) self->most);
      GdkRGBA warm = { 0.90f, 0.38f, 0.0f,
                       (float) (LEAST_ALPHA + (MOST_ALPHA - LEAST_ALPHA) * heat) };
      int y, height;

      gtk_source_gutter_lines_get_line_yrange (
          lines, line, GTK_SOURCE_GUTTER_RENDERER_ALIGNMENT_MODE_CELL, &y, &height);
      gtk_snapshot_append_color (
          snapshot, &warm,
          &GRAPHENE_RECT_INIT (0, (float) y, (float) gtk_widget_get_width (GTK_WIDGET (renderer)),
                               (float) height));
    }
  GTK_SOURCE_GUTTER_RENDERER_CLASS (cured_excess_gutter_parent_class)
      ->snapshot_line (renderer, snapshot, lines, line);
}

/* Explains the counts, in lines for a tooltip. */
static char *
describe (const CuredLineCounts *counts)
{
  GString *text = g_string_new (NULL);
  g_autofree char *issued = format (counts->issued);
  g_autofree char *excess = format (get_excess (counts));
  g_autofree char *wavefronts = format (counts->wavefronts);
  g_autofree char *least = format (counts->least);
  g_autofree char *shared = format (counts->shared_requests);
  g_autofree char *sectors = format (counts->sectors);
  g_autofree char *global = format (counts->requests);
  g_autofree char *diverged = format (counts->diverged);

  /* Translators: a line of a program's source, and its number. */
  g_string_append_printf (text, _ ("Line %d, one block"), counts->line);
  g_string_append_c (text, '\n');
  g_string_append_printf (text, _ ("%s instructions of warps"), issued);
  if (counts->shared_requests > 0)
    {
      g_string_append_c (text, '\n');
      g_string_append_printf (text, _ ("%s excess wavefronts: turns that bank conflicts cost"),
                              excess);
      g_string_append_c (text, '\n');
      g_string_append_printf (
          text,
          _ ("%s wavefronts, %s without a conflict, of %s accesses of warps to shared memory"),
          wavefronts, least, shared);
    }
  if (counts->requests > 0)
    {
      g_string_append_c (text, '\n');
      g_string_append_printf (
          text, _ ("%s sectors of 32 bytes, of %s accesses of warps to global memory"), sectors,
          global);
    }
  if (counts->diverged > 0)
    {
      g_string_append_c (text, '\n');
      g_string_append_printf (text, _ ("%s divergent branches of warps"), diverged);
    }
  return g_string_free (text, FALSE);
}

static gboolean
query_tooltip_cb (CuredExcessGutter *self, int x, int y, gboolean is_keyboard, GtkTooltip *tooltip)
{
  GtkSourceView *view = gtk_source_gutter_renderer_get_view (GTK_SOURCE_GUTTER_RENDERER (self));
  GtkTextIter iter;
  int buffer_y;

  gtk_text_view_window_to_buffer_coords (GTK_TEXT_VIEW (view), GTK_TEXT_WINDOW_WIDGET, 0, y, NULL,
                                         &buffer_y);
  gtk_text_view_get_line_at_y (GTK_TEXT_VIEW (view), &iter, buffer_y, NULL);
  const CuredLineCounts *counts = find_counts (self, (guint) gtk_text_iter_get_line (&iter));
  if (counts == NULL)
    return FALSE;
  g_autofree char *text = describe (counts);
  gtk_tooltip_set_text (tooltip, text);
  return TRUE;
}

static void
cured_excess_gutter_class_init (CuredExcessGutterClass *klass)
{
  GtkSourceGutterRendererClass *renderer_class = GTK_SOURCE_GUTTER_RENDERER_CLASS (klass);

  renderer_class->query_data = query_data;
  renderer_class->snapshot_line = snapshot_line;
  CURED_FREES (CuredExcessGutter, cured_inspection_unref, inspection);
}

static void
cured_excess_gutter_init (CuredExcessGutter *self)
{
  GtkSourceGutterRenderer *renderer = GTK_SOURCE_GUTTER_RENDERER (self);

  gtk_source_gutter_renderer_set_xalign (renderer, 1.0f);
  gtk_source_gutter_renderer_set_yalign (renderer, 0.5f);
  gtk_source_gutter_renderer_set_xpad (renderer, 4);
  gtk_widget_set_has_tooltip (GTK_WIDGET (self), TRUE);
  g_signal_connect (self, "query-tooltip", G_CALLBACK (query_tooltip_cb), NULL);
}

CURED_DEFINE_NEW (CuredExcessGutter, cured_excess_gutter)

/* @inspection: (nullable): whose lines to show. */
void
cured_excess_gutter_set_inspection (CuredExcessGutter *self, CuredInspection *inspection)
{
  int width;

  if (inspection != NULL)
    cured_inspection_ref (inspection);
  g_clear_pointer (&self->inspection, cured_inspection_unref);
  self->inspection = inspection;
  self->most = 0;
  for (guint i = 0; inspection != NULL && i < inspection->lines->len; i++)
    {
      guint64 excess = get_excess (&g_array_index (inspection->lines, CuredLineCounts, i));

      self->most = MAX (self->most, excess);
    }
  /* As wide as the widest number, with a minimum, so that the text does not shift. */
  g_autofree char *text = format (MAX (self->most, 999));
  gtk_source_gutter_renderer_text_measure (GTK_SOURCE_GUTTER_RENDERER_TEXT (self), text, &width,
                                           NULL);
  gtk_widget_set_size_request (
      GTK_WIDGET (self),
      width + 2 * gtk_source_gutter_renderer_get_xpad (GTK_SOURCE_GUTTER_RENDERER (self)), -1);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}
