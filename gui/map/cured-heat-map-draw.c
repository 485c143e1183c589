/* SPDX-License-Identifier: MIT
 * Drawing of the heat map: cached nodes, and marks on top of them. */
#include <config.h>

#include "map/cured-heat-map-private.h"

/* Minimum side of a marked cell on screen, so that a cell smaller than a pixel can still be
 * found. */
#define MARK_MIN 7.0

/* Nothing of the legend is farther to the left. */
#define KEY_MARGIN 2.0

/* A cell with a side shorter than this is narrow. */
#define NARROW 18.0

/* Two concentric rings: one at @bounds and one outside; grows @bounds. */
static void
snapshot_frame (GtkSnapshot *snapshot, graphene_rect_t *bounds, float width, const GdkRGBA *outer,
                const GdkRGBA *inner)
{
  float widths[4] = { width, width, width, width };
  GdkRGBA outers[4] = { *outer, *outer, *outer, *outer };
  GdkRGBA inners[4] = { *inner, *inner, *inner, *inner };
  GskRoundedRect outline;

  gsk_rounded_rect_init_from_rect (&outline, bounds, 0.0f);
  gtk_snapshot_append_border (snapshot, &outline, widths, inners);
  graphene_rect_inset (bounds, -width, -width);
  gsk_rounded_rect_init_from_rect (&outline, bounds, 1.0f);
  gtk_snapshot_append_border (snapshot, &outline, widths, outers);
}

static void
snapshot_mark (CuredHeatMap *self, GtkSnapshot *snapshot, gsize column, gsize row, float width,
               const GdkRGBA *outer, const GdkRGBA *inner)
{
  CuredRect cell;
  graphene_rect_t bounds;

  cured_plot_geometry_get_cell (&self->geometry, _cured_heat_map_get_grid (self), column, row,
                                &cell);
  if (cell.width < MARK_MIN)
    {
      cell.x -= (MARK_MIN - cell.width) / 2.0;
      cell.width = MARK_MIN;
    }
  if (cell.height < MARK_MIN)
    {
      cell.y -= (MARK_MIN - cell.height) / 2.0;
      cell.height = MARK_MIN;
    }
  graphene_rect_init (&bounds, (float) cell.x, (float) cell.y, (float) cell.width,
                      (float) cell.height);
  /* In a narrow cell, both rings are outside of it, so that its colour is visible. */
  if (MIN (cell.width, cell.height) < NARROW)
    graphene_rect_inset (&bounds, -width, -width);
  snapshot_frame (snapshot, &bounds, width, outer, inner);
}

/* A frame around the selected cells, whose colours do not change. */
static void
snapshot_selection (CuredHeatMap *self, GtkSnapshot *snapshot, const GdkRGBA *outer,
                    const GdkRGBA *inner)
{
  const CuredGrid *grid = _cured_heat_map_get_grid (self);
  graphene_rect_t bounds;
  CuredGridRect rect;
  CuredRect first, last;

  if (!cured_map_view_get_selection (self->view, &rect))
    return;
  cured_plot_geometry_get_cell (&self->geometry, grid, rect.column, rect.row + rect.n_rows - 1,
                                &first);
  cured_plot_geometry_get_cell (&self->geometry, grid, rect.column + rect.n_columns - 1, rect.row,
                                &last);
  graphene_rect_init (&bounds, (float) first.x, (float) first.y,
                      (float) (last.x + last.width - first.x),
                      (float) (last.y + last.height - first.y));
  snapshot_frame (snapshot, &bounds, 3.0f, outer, inner);
}

/* The profiles along the row and the column of a cell. */
static void
snapshot_marginals (CuredHeatMap *self, GtkSnapshot *snapshot, gsize column, gsize row)
{
  const CuredRect *parts[] = { &self->geometry.along_x, &self->geometry.along_y };
  for (gsize i = 0; i < G_N_ELEMENTS (parts); i++)
    {
      /* The upper part extends to the edge: its labels are in the corner. */
      double width = i == 0 ? self->geometry.width - parts[i]->x - 1 : parts[i]->width;

      if (parts[i]->width < 1 || parts[i]->height < 1)
        return;
      cairo_t *cr = gtk_snapshot_append_cairo (
          snapshot, &GRAPHENE_RECT_INIT ((float) parts[i]->x, (float) parts[i]->y, (float) width,
                                         (float) parts[i]->height));
      cured_plot_draw_marginals (cr, _cured_heat_map_get_grid (self), self->cache, &self->geometry,
                                 &self->style, column, row);
      cairo_destroy (cr);
    }
}

/* A GPU draws the cells as a texture. The Cairo renderer copies a texture for each frame, which
 * takes longer than everything else in a map of a million cells; there, cells are drawn in the
 * Cairo node. */
static gboolean
uses_texture (CuredHeatMap *self)
{
  GtkNative *native = gtk_widget_get_native (GTK_WIDGET (self));

  return native != NULL && !GSK_IS_CAIRO_RENDERER (gtk_native_get_renderer (native));
}

/* The cells' colours, at the resolution of the screen. */
static void
snapshot_cells (CuredHeatMap *self, GtkSnapshot *snapshot)
{
  const CuredRect *plot = &self->geometry.plot;
  int width, height;

  g_autoptr (GBytes) pixels = cured_plot_render_cells (
      _cured_heat_map_get_grid (self), self->cache, &self->geometry, &self->style,
      gtk_widget_get_scale_factor (GTK_WIDGET (self)), &width, &height);
  if (pixels == NULL)
    return;
  g_autoptr (GdkTexture) texture =
      gdk_memory_texture_new (width, height, GDK_MEMORY_DEFAULT, pixels, (gsize) width * 4);
  gtk_snapshot_append_texture (snapshot, texture,
                               &GRAPHENE_RECT_INIT ((float) plot->x, (float) plot->y,
                                                    (float) plot->width, (float) plot->height));
}

/* A line has few points, so it is redrawn for each frame, including marks. */
static void
snapshot_line (CuredHeatMap *self, GtkSnapshot *snapshot, const GdkRGBA *accent,
               const GdkRGBA *white)
{
  const CuredGrid *grid = _cured_heat_map_get_grid (self);
  GtkWidget *widget = GTK_WIDGET (self);
  CuredPlotCursor cursor = { self->is_hovered, self->hovered_column, 0 };
  CuredPlotCursor selection = { self->selected >= 0, (gsize) MAX (self->selected, 0), 0 };
  gsize row;
  cairo_t *cr = gtk_snapshot_append_cairo (
      snapshot, &GRAPHENE_RECT_INIT (0, 0, (float) gtk_widget_get_width (widget),
                                     (float) gtk_widget_get_height (widget)));

  if (!self->is_hovered && gtk_widget_has_focus (widget))
    cursor.is_shown = _cured_heat_map_get_cursor (self, &cursor.column, &row);
  _cured_heat_map_ensure_cache (self);
  cured_plot_draw (cr, grid, self->cache, &self->geometry, &self->style, &cursor, &selection);
  cured_plot_draw_keys (cr, grid, self->cache, &self->geometry, &self->style);
  cairo_destroy (cr);
  snapshot_selection (self, snapshot, accent, white);
}

/* Whether the cell shown in the details also has the cursor's mark. */
static gboolean
is_cursor_marked (CuredHeatMap *self)
{
  gsize column, row;

  return gtk_widget_has_focus (GTK_WIDGET (self)) &&
         _cured_heat_map_get_cursor (self, &column, &row) &&
         (gsize) self->selected == row * _cured_heat_map_get_grid (self)->nx + column;
}

static cairo_t *
append_cairo (GtkSnapshot *snapshot, const CuredRect *rect)
{
  return gtk_snapshot_append_cairo (snapshot, &GRAPHENE_RECT_INIT ((float) rect->x, (float) rect->y,
                                                                   (float) rect->width,
                                                                   (float) rect->height));
}

/* The area above, below and right of the moving part. (transfer full) (nullable) */
static GskRenderNode *
record_keys (CuredHeatMap *self)
{
  const CuredPlotGeometry *geometry = &self->geometry;
  GtkSnapshot *keys = gtk_snapshot_new ();
  CuredRect moving, parts[3];

  cured_plot_geometry_get_moving (geometry, &moving);
  double top = geometry->along_x.height > 0 ? geometry->along_x.y : moving.y;
  double bottom = moving.y + moving.height;
  parts[0] = (CuredRect){ 0, 0, geometry->width, top };
  parts[1] = (CuredRect){ 0, bottom, geometry->width, geometry->height - bottom };
  parts[2] = (CuredRect){ geometry->legend.x - KEY_MARGIN, top,
                          geometry->width - geometry->legend.x + KEY_MARGIN, bottom - top };
  for (gsize i = 0; i < (geometry->legend.width > 0 ? 3 : 2); i++)
    {
      if (parts[i].height <= 0)
        continue;
      cairo_t *cr = append_cairo (keys, &parts[i]);
      cured_plot_draw_keys (cr, _cured_heat_map_get_grid (self), self->cache, geometry,
                            &self->style);
      cairo_destroy (cr);
    }
  return gtk_snapshot_free_to_node (keys);
}

static void
ensure_nodes (CuredHeatMap *self)
{
  _cured_heat_map_ensure_cache (self);
  if (self->node == NULL)
    {
      GtkSnapshot *map = gtk_snapshot_new ();
      CuredRect moving;

      self->style.draw_cells = !uses_texture (self);
      if (!self->style.draw_cells)
        snapshot_cells (self, map);
      cured_plot_geometry_get_moving (&self->geometry, &moving);
      cairo_t *cr = append_cairo (map, &moving);
      cured_plot_draw (cr, _cured_heat_map_get_grid (self), self->cache, &self->geometry,
                       &self->style, NULL, NULL);
      cairo_destroy (cr);
      self->node = gtk_snapshot_free_to_node (map);
    }
  if (self->keys == NULL)
    self->keys = record_keys (self);
}

/* @column, @row: the cell under the pointer or, without one, of the cursor */
void
_cured_heat_map_draw (CuredHeatMap *self, GtkSnapshot *snapshot, gsize column, gsize row)
{
  const CuredGrid *grid = _cured_heat_map_get_grid (self);
  static const GdkRGBA black = { 0.0f, 0.0f, 0.0f, 0.85f };
  static const GdkRGBA white = { 1.0f, 1.0f, 1.0f, 0.95f };
  static const GdkRGBA veil = { 1.0f, 1.0f, 1.0f, 0.7f };
  const CuredRect *plot = &self->geometry.plot;
  GdkRGBA accent = { (float) self->style.accent.red, (float) self->style.accent.green,
                     (float) self->style.accent.blue, 1.0f };

  if (!self->has_geometry)
    return;

  if (cured_grid_is_line (grid))
    {
      snapshot_line (self, snapshot, &accent, &white);
      return;
    }

  ensure_nodes (self);
  if (self->keys != NULL)
    gtk_snapshot_append_node (snapshot, self->keys);
  if (self->node != NULL)
    gtk_snapshot_append_node (snapshot, self->node);
  snapshot_marginals (self, snapshot, column, row);

  graphene_rect_t clip =
      GRAPHENE_RECT_INIT ((float) plot->x - 4.0f, (float) plot->y - 4.0f,
                          (float) plot->width + 8.0f, (float) plot->height + 8.0f);
  gtk_snapshot_push_clip (snapshot, &clip);
  snapshot_selection (self, snapshot, &accent, &white);
  if (self->is_hovered)
    snapshot_mark (self, snapshot, self->hovered_column, self->hovered_row, 1.0f, &veil, &black);
  /* In the accent colour: black frames mark the region of nearly best cells. */
  if (self->selected >= 0 && !is_cursor_marked (self))
    snapshot_mark (self, snapshot, (gsize) self->selected % grid->nx,
                   (gsize) self->selected / grid->nx, 2.0f, &white, &accent);
  if (gtk_widget_has_focus (GTK_WIDGET (self)))
    {
      _cured_heat_map_get_cursor (self, &column, &row);
      snapshot_mark (self, snapshot, column, row, 2.0f, &accent, &white);
    }
  gtk_snapshot_pop (snapshot);
}
