/* SPDX-License-Identifier: MIT
 * A heat map as characters, for a terminal or a log. */
#include "plot/export/cured-export-private.h"
#include "plot/map/cured-map-plot-private.h"

#include "base/cured-base-internal.h"

#include "plot/map/cured-grid-internal.h"

/* Implementation notes
 *
 * If there is room, a cell shows its value. Otherwise it is one digit, with 9 for the best tenth of
 * the range: shades of grey would mean the opposite on a light terminal, and a digit survives in a
 * log file. With colour, values and digits have the window's colours as background. */

/* More rows than this would scroll out of view. */
#define MOST_ROWS 48

/* ORDER: as CuredState, then CuredLook. */
static const char state_letters[] = ".?WFCT-?<>";

/* A cell of the map: one of the grid, or the best of several. */
typedef struct
{
  gsize index;
  gboolean is_best; /* the best of the whole grid */
} Block;

/* An escape sequence, with its position in the text. */
typedef struct
{
  gsize offset, length;
} Sequence;

typedef struct
{
  CuredResult *result;
  const CuredView *view;
  CuredGrid *grid;
  CuredPlotScale scale;
  gsize columns;
  gboolean colour, is_utf8;
  gsize step_x, step_y;
  gsize nx; /* blocks */
  gsize ny;
  gsize cell_width; /* characters */
  gsize left;       /* characters before the first cell */
  gboolean has_values;
  gsize n_looks[CURED_N_LOOKS];
  GString *text;
  GArray *sequences; /* (element-type Sequence) in @text, in order */
} Map;

static gsize
count_characters (const char *text)
{
  return (gsize) g_utf8_strlen (text, -1);
}

static void
append_padded (GString *text, const char *word, gsize width, gboolean to_right)
{
  gsize length = count_characters (word), padding = width > length ? width - length : 0;

  if (to_right)
    for (gsize i = 0; i < padding; i++)
      g_string_append_c (text, ' ');
  g_string_append (text, word);
  if (!to_right)
    for (gsize i = 0; i < padding; i++)
      g_string_append_c (text, ' ');
}

static void
trim_end (GString *text)
{
  while (text->len > 0 && text->str[text->len - 1] == ' ')
    g_string_truncate (text, text->len - 1);
}

/* The best cell of the block, or one without a value if none has one. */
static Block
get_block (const Map *self, gsize bx, gsize by)
{
  const CuredGrid *grid = self->grid;
  gsize x_end = MIN ((bx + 1) * self->step_x, grid->nx);
  gsize y_end = MIN ((by + 1) * self->step_y, grid->ny);
  gsize first = by * self->step_y * grid->nx + bx * self->step_x;
  Block block = { first, FALSE };
  gsize marked = first;
  double best = NAN;

  for (gsize y = by * self->step_y; y < y_end; y++)
    for (gsize x = bx * self->step_x; x < x_end; x++)
      {
        gsize index = y * grid->nx + x;
        double position = cured_grid_get_position (grid, grid->values[index]);

        if (!isnan (position) && !(position <= best))
          {
            best = position;
            block.index = index;
          }
        if (cured_grid_is_best (grid, index) && (!block.is_best || (gssize) index == grid->best))
          {
            block.is_best = TRUE;
            marked = index;
          }
      }
  if (block.is_best)
    block.index = marked;
  return block;
}

/* The text of a cell; @position: NaN if there is no value. */
static char *
describe_block (const Map *self, const Block *block, double *position)
{
  const CuredGrid *grid = self->grid;
  double value = grid->values[block->index];
  guint look = cured_grid_get_look (grid, block->index);
  g_autofree char *number = NULL;

  *position = cured_grid_get_position (grid, value);
  if (isnan (value))
    return g_strdup_printf ("%c", state_letters[look]);
  if (self->has_values)
    {
      number = _cured_plot_scale_format (&self->scale, value);
      return g_strconcat (number, block->is_best ? "*" : "", NULL);
    }
  if (block->is_best)
    return g_strdup ("*");
  return g_strdup_printf ("%d", (int) MIN (floor (*position * 10), 9));
}

static void
append_sequence (Map *self, const char *text)
{
  Sequence sequence = { self->text->len, strlen (text) };

  g_string_append (self->text, text);
  g_array_append_val (self->sequences, sequence);
}

/* Titles, names and labels come from the file, which is untrusted: removes all control characters
 * except the map's own sequences. */
static void
make_printable (Map *self)
{
  GString *text = g_string_sized_new (self->text->len);
  gsize at = 0;

  CURED_EACH (const Sequence, sequence, self->sequences)
    {
      cured_append_printable (text, self->text->str + at, sequence->offset - at);
      at = sequence->offset + sequence->length;
      g_string_append_len (text, self->text->str + sequence->offset, (gssize) sequence->length);
    }
  cured_append_printable (text, self->text->str + at, self->text->len - at);
  g_string_free (self->text, TRUE);
  self->text = text;
}

static void
append_colour (Map *self, double position)
{
  char text[64];
  CuredColour colour = cured_colour_map_get (self->grid->colours, position);
  gboolean is_light = _cured_plot_is_light (colour);

  g_snprintf (text, sizeof text, "\033[48;2;%d;%d;%d;38;2;%sm", (int) lround (colour.red * 255),
              (int) lround (colour.green * 255), (int) lround (colour.blue * 255),
              is_light ? "20;20;20" : "255;255;255");
  append_sequence (self, text);
}

static char *
format_axis_value (const CuredAxis *axis, gsize index)
{
  return cured_axis_format_value (axis, index);
}

/* Each block is labelled by its first cell. */
static gsize
measure_axis (const CuredAxis *axis, gsize step)
{
  gsize width = 0;

  if (axis == NULL)
    return 0;
  for (gsize i = 0; i < cured_axis_get_length (axis); i += step)
    {
      g_autofree char *label = format_axis_value (axis, i);

      width = MAX (width, count_characters (label));
    }
  return width;
}

static gsize
measure_values (const Map *self)
{
  const CuredGrid *grid = self->grid;
  gsize width = 1;

  for (gsize i = 0; i < grid->nx * grid->ny; i++)
    if (!isnan (grid->values[i]))
      {
        g_autofree char *text = _cured_plot_scale_format (&self->scale, grid->values[i]);

        width = MAX (width, count_characters (text) + cured_grid_is_best (grid, i));
      }
  return width;
}

static void
lay_out (Map *self)
{
  const CuredGrid *grid = self->grid;

  self->step_x = 1;
  self->step_y = (grid->ny + MOST_ROWS - 1) / MOST_ROWS;
  self->left = measure_axis (grid->y_values, self->step_y) + 2;
  gsize room = self->columns > self->left + 4 ? self->columns - self->left : 4;
  /* A value takes at least three digits and a gap. */
  if (self->step_y == 1 && grid->nx <= room / 3)
    {
      gsize width = measure_values (self);

      /* With colour, the gap is part of the cell. */
      self->cell_width = MAX (width, measure_axis (grid->x_values, 1)) + 1;
      if (grid->nx * self->cell_width <= room)
        self->has_values = TRUE;
      else if (grid->nx * (width + 1) <= room)
        {
          self->cell_width = width + 1;
          self->has_values = TRUE;
        }
    }
  if (!self->has_values)
    {
      self->cell_width = grid->nx * 2 <= room ? 2 : 1;
      self->step_x = (grid->nx * self->cell_width + room - 1) / room;
    }
  self->nx = (grid->nx + self->step_x - 1) / self->step_x;
  self->ny = (grid->ny + self->step_y - 1) / self->step_y;
}

static void
append_row (Map *self, gsize by)
{
  const CuredGrid *grid = self->grid;

  if (grid->y_values != NULL)
    {
      g_autofree char *label = format_axis_value (grid->y_values, by * self->step_y);

      append_padded (self->text, label, self->left - 2, TRUE);
    }
  else
    append_padded (self->text, "", self->left - 2, TRUE);
  g_string_append (self->text, self->is_utf8 ? " │" : " |");
  for (gsize bx = 0; bx < self->nx; bx++)
    {
      Block block = get_block (self, bx, by);
      double position;
      g_autofree char *word = describe_block (self, &block, &position);

      if (isnan (position))
        self->n_looks[cured_grid_get_look (grid, block.index)]++;
      if (self->colour && !isnan (position))
        {
          append_colour (self, position);
          append_padded (self->text, word, self->cell_width, TRUE);
          append_sequence (self, "\033[0m");
        }
      else
        append_padded (self->text, word, self->cell_width, TRUE);
    }
  trim_end (self->text);
  g_string_append_c (self->text, '\n');
}

static void
append_x_labels (Map *self)
{
  const CuredAxis *axis = self->grid->x_values;
  gsize width = measure_axis (axis, 1), first = 0, step = 1;
  gsize at = 0; /* characters written after @left */

  append_padded (self->text, "", self->left - 1, TRUE);
  g_string_append (self->text, self->is_utf8 ? "└" : "+");
  for (gsize i = 0; i < self->nx * self->cell_width; i++)
    g_string_append (self->text, self->is_utf8 ? "─" : "-");
  g_string_append_c (self->text, '\n');
  append_padded (self->text, "", self->left, TRUE);
  if (self->step_x == 1)
    _cured_plot_axis_ticks (
        axis, width + 1 <= self->cell_width ? 1 : (width + self->cell_width) / self->cell_width,
        &first, &step);
  else
    {
      /* A label is for the first column of a block. */
      step = (width + self->cell_width) / self->cell_width * self->step_x;
    }
  for (gsize i = first; i < self->grid->nx; i += step)
    {
      gsize end = (i / self->step_x + 1) * self->cell_width;
      g_autofree char *label = format_axis_value (axis, i);
      gsize length = count_characters (label), begin = end > length ? end - length : 0;

      /* Leave out a label that would touch the one before it. */
      if (at > 0 && begin <= at)
        continue;
      append_padded (self->text, "", begin - at, TRUE);
      g_string_append (self->text, label);
      at = begin + length;
    }
  g_string_append_c (self->text, '\n');
}

static void
append_axis_title (GString *text, const char *name, const char *summary)
{
  g_string_append (text, name);
  if (summary != NULL && *summary != '\0')
    g_string_append_printf (text, " (%s)", summary);
}

static void
append_heat_map (Map *self)
{
  lay_out (self);
  if (self->grid->y_title != NULL)
    {
      append_axis_title (self->text, self->grid->y_title, self->grid->y_summary);
      g_string_append_c (self->text, '\n');
    }
  for (gsize by = self->ny; by-- > 0;)
    append_row (self, by);
  if (self->grid->x_values != NULL)
    {
      append_x_labels (self);
      append_padded (self->text, "", self->left, TRUE);
      append_axis_title (self->text, self->grid->x_title, self->grid->x_summary);
      g_string_append_c (self->text, '\n');
    }
}

/* One parameter varies: a bar per value. */
static void
append_bars (Map *self)
{
  const CuredGrid *grid = self->grid;

  self->step_x = (grid->nx + MOST_ROWS - 1) / MOST_ROWS;
  self->step_y = 1;
  self->nx = (grid->nx + self->step_x - 1) / self->step_x;
  self->ny = 1;
  self->has_values = TRUE;
  gsize label_width =
      MAX (measure_axis (grid->x_values, self->step_x), count_characters (grid->x_title));
  gsize value_width = MAX (measure_values (self), 14);
  gsize room = self->columns > label_width + value_width + 14
                   ? self->columns - label_width - value_width - 4
                   : 10;
  append_padded (self->text, grid->x_title, label_width, TRUE);
  if (grid->x_summary != NULL)
    g_string_append_printf (self->text, "  (%s)", grid->x_summary);
  g_string_append_c (self->text, '\n');
  for (gsize bx = 0; bx < self->nx; bx++)
    {
      Block block = get_block (self, bx, 0);
      g_autofree char *label = format_axis_value (grid->x_values, block.index);
      double value = grid->values[block.index];
      double position;
      gsize length;

      append_padded (self->text, label, label_width, TRUE);
      g_string_append (self->text, self->is_utf8 ? " │ " : " | ");
      if (isnan (value))
        {
          g_string_append_printf (
              self->text, "%s\n",
              _cured_plot_state_title (cured_grid_get_look (grid, block.index)));
          continue;
        }
      g_autofree char *word = describe_block (self, &block, &position);
      append_padded (self->text, word, value_width, TRUE);
      g_string_append_c (self->text, ' ');
      /* Bars begin at 0, so that their lengths are comparable. */
      length =
          grid->high > 0 && value > 0 ? (gsize) lround (value / grid->high * (double) room) : 0;
      if (self->colour && length > 0)
        append_colour (self, position);
      for (gsize i = 0; i < length; i++)
        g_string_append (self->text, self->colour ? " " : self->is_utf8 ? "█" : "#");
      if (self->colour && length > 0)
        append_sequence (self, "\033[0m");
      trim_end (self->text);
      g_string_append_c (self->text, '\n');
    }
}

static void
append_keys (Map *self)
{
  const CuredGrid *grid = self->grid;
  gsize at = 0; /* characters in the line */

  for (guint look = 0; look < CURED_N_LOOKS; look++)
    {
      g_autofree char *key = NULL;

      if (self->n_looks[look] == 0)
        continue;
      g_autofree char *count = cured_format_count (
          look == CURED_LOOK_EMPTY ? (gint64) grid->n_empty : (gint64) grid->n_states[look]);
      key =
          g_strdup_printf ("%c %s: %s", state_letters[look], _cured_plot_state_title (look), count);
      gsize length = count_characters (key);
      if (at > 0 && at + 3 + length > self->columns)
        {
          g_string_append_c (self->text, '\n');
          at = 0;
        }
      g_string_append_printf (self->text, "%s%s", at > 0 ? "   " : "", key);
      at += (at > 0 ? 3 : 0) + length;
    }
  if (at > 0)
    g_string_append_c (self->text, '\n');
}

static char *
format_with_unit (const Map *self, double value)
{
  g_autofree char *number = _cured_plot_scale_format (&self->scale, value);

  if (*self->scale.unit == '\0')
    return g_steal_pointer (&number);
  return g_strdup_printf ("%s %s", number, self->scale.unit);
}

static void
append_best (Map *self, gssize index)
{
  const CuredGrid *grid = self->grid;
  gboolean is_predicted = cured_grid_is_predicted (grid);
  g_autofree char *value = is_predicted || self->scale.is_relative
                               ? cured_grid_format_raw (grid, (gsize) index)
                               : format_with_unit (self, grid->values[index]);
  g_autofree char *where =
      _cured_export_describe_cell (self->result, self->view, grid->cells[index]);

  if (is_predicted)
    g_string_append_printf (self->text,
                            *where != '\0' ? _ ("* predicted best: %s at %s\n")
                                           : _ ("* predicted best: %s\n"),
                            value, where);
  else
    g_string_append_printf (
        self->text, *where != '\0' ? _ ("* best: %s at %s\n") : _ ("* best: %s\n"), value, where);
}

/* Appends the legend of digits and colours. */
static void
append_scale (Map *self)
{
  const CuredGrid *grid = self->grid;

  if (isnan (grid->low))
    {
      g_string_append (self->text, _ ("No cell has a value of this metric."));
      g_string_append_c (self->text, '\n');
      return;
    }
  g_autofree char *worst = format_with_unit (self, cured_grid_get_value (grid, 0));
  g_autofree char *best = format_with_unit (self, cured_grid_get_value (grid, 1));
  if (!cured_grid_is_line (grid) && grid->high > grid->low && (self->colour || !self->has_values))
    {
      g_string_append_printf (self->text, "%s ", worst);
      for (int i = 0; i < 10; i++)
        {
          double position = (i + 0.5) / 10;

          if (self->colour)
            append_colour (self, position);
          if (self->has_values)
            g_string_append_c (self->text, cured_grid_is_predicted (grid) ? '/' : ' ');
          else
            g_string_append_printf (self->text, "%d", i);
        }
      if (self->colour)
        append_sequence (self, "\033[0m");
      g_string_append_printf (self->text, " %s%s%s\n", best,
                              grid->metric.better == CURED_BETTER_NEITHER ? "" : _ (" (better)"),
                              grid->logarithmic && grid->low > 0 ? _ (", logarithmic") : "");
    }
  if (grid->bests == NULL && grid->best >= 0)
    append_best (self, grid->best);
  for (gsize i = 0; i < MIN (grid->n_bests, MOST_ROWS); i++)
    if (grid->bests[i] >= 0)
      append_best (self, grid->bests[i]);
}

/* The axes of a sparse result may have values without any cell. */
static void
append_left_out (Map *self)
{
  const CuredResultAxis *axes = cured_result_get_axes (self->result, NULL);
  gsize nx =
      self->grid->x_values != NULL ? cured_axis_get_length (axes[self->view->x_axis].values) : 1;
  gsize ny =
      self->grid->y_values != NULL ? cured_axis_get_length (axes[self->view->y_axis].values) : 1;

  if (self->grid->nx < nx || self->grid->ny < ny)
    /* Translators: numbers of values of the two parameters of a map. */
    g_string_append_printf (
        self->text, _ ("Shown are %zu × %zu of %zu × %zu values; the others have no cell.\n"),
        self->grid->nx, self->grid->ny, nx, ny);
}

/* @result: what to show
 * @view: the slice to show
 * @columns: width of the terminal, in characters
 * @colour: whether the terminal supports 24-bit colours
 *
 * A heat map as text: values if they fit, otherwise digits from 0 (worst) to 9 (best). A map that
 * is larger than the terminal shows the best of several cells at a time, and says so. If only one
 * parameter varies, values are bars. In a locale without UTF-8, the text is ASCII. Except for
 * colours, it has no control characters.
 * Returns: (transfer full): lines, each ended by a newline */
char *
cured_export_terminal (CuredResult *result, const CuredView *view, int columns, gboolean colour)
{
  g_autoptr (CuredGrid) grid = cured_grid_new (result, view);
  g_autofree char *title = _cured_export_describe_title (result);
  g_autofree char *origin = _cured_export_describe_origin (result);
  g_autofree char *slice = _cured_export_describe_slice (result, view);
  Map map = {
    .result = result,
    .view = view,
    .grid = grid,
    .columns = (gsize) MAX (columns, 20),
    .colour = colour,
    .is_utf8 = g_get_charset (NULL),
    .text = g_string_new (NULL),
    .sequences = g_array_new (FALSE, FALSE, sizeof (Sequence)),
  };

  _cured_plot_scale_init_grid (&map.scale, grid);
  g_autofree char *metric = _cured_plot_metric_text (grid, &map.scale);
  g_string_append_printf (map.text, "%s\n", title);
  if (*origin != '\0')
    g_string_append_printf (map.text, "%s\n", origin);
  if (*slice != '\0')
    g_string_append_printf (map.text, "%s\n", slice);
  g_string_append_printf (map.text, "%s\n\n", metric);
  if (cured_grid_is_line (grid))
    append_bars (&map);
  else
    append_heat_map (&map);
  g_string_append_c (map.text, '\n');
  append_keys (&map);
  append_scale (&map);
  append_left_out (&map);
  if (map.step_x > 1 || map.step_y > 1)
    g_string_append_printf (map.text, _ ("Each place shows the best of %zu × %zu cells.\n"),
                            map.step_x, map.step_y);
  make_printable (&map);
  g_array_unref (map.sequences);
  if (!map.is_utf8)
    {
      g_autofree char *text = NULL;

      /* GLib would replace these two by question marks. */
      g_string_replace (map.text, "·", "-", 0);
      g_string_replace (map.text, "×", "x", 0);
      text = g_string_free (map.text, FALSE);
      return g_str_to_ascii (text, "C");
    }
  return g_string_free (map.text, FALSE);
}
