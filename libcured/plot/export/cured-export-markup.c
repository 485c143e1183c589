/* SPDX-License-Identifier: MIT
 * Maps as text that other programs typeset: Markdown, LaTeX and PGFPlots. */
#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "plot/export/cured-export-private.h"
#include "plot/map/cured-map-plot-private.h"

/* ORDER: as CuredMarkup. */
static const struct
{
  const char *bold[2], *separator, *row[2];
} marks[] = {
  { { "**", "**" }, " | ", { "| ", " |\n" } },
  { { "\\textbf{", "}" }, " & ", { "", " \\\\\n" } },
};

/* Characters that not every font of LaTeX has. */
static const struct
{
  const char *character, *latex;
} characters[] = {
  { "µ", "$\\mu$" }, { "×", "$\\times$" }, { "·", "$\\cdot$" },  { "÷", "$\\div$" },
  { "−", "$-$" },    { "–", "--" },        { "…", "\\ldots{}" }, { "\u00a0", "~" },
};

static void
append (GString *text, CuredMarkup markup, const char *words)
{
  for (const char *p = words; p != NULL && *p != '\0';)
    {
      gsize i = markup == CURED_MARKUP_MARKDOWN ? G_N_ELEMENTS (characters) : 0;

      while (i < G_N_ELEMENTS (characters) && !g_str_has_prefix (p, characters[i].character))
        i++;
      if (i < G_N_ELEMENTS (characters))
        {
          g_string_append (text, characters[i].latex);
          p += strlen (characters[i].character);
        }
      else
        _cured_markup_append_char (text, markup, *p++);
    }
}

static void
append_value (GString *text, CuredMarkup markup, const CuredAxis *values, gsize position)
{
  g_autofree char *value = values != NULL ? cured_axis_format_value (values, position) : NULL;

  append (text, markup, value);
}

static void
append_cell (GString *text, CuredMarkup markup, const CuredGrid *grid, gsize index)
{
  g_autofree char *value =
      isnan (grid->values[index])
          ? g_strdup (_cured_plot_state_title (cured_grid_get_look (grid, index)))
          : cured_grid_format_value (grid, grid->values[index]);
  gboolean is_best = cured_grid_is_best (grid, index);

  g_string_append (text, is_best ? marks[markup].bold[0] : "");
  append (text, markup, value);
  g_string_append (text, is_best ? marks[markup].bold[1] : "");
}

/* The table's title: above it in Markdown, its caption in LaTeX. */
static void
append_title (GString *text, const CuredGrid *grid, const char *const *lines, CuredMarkup markup)
{
  g_autofree char *title = _cured_export_describe_title (grid->result);
  gboolean is_latex = markup == CURED_MARKUP_LATEX;

  g_string_append (text,
                   is_latex ? "\\begin{table}\n\\centering\n\\caption{" : marks[markup].bold[0]);
  append (text, markup, title);
  g_string_append (text, is_latex ? "" : marks[markup].bold[1]);
  for (gsize i = 0; lines[i] != NULL; i++)
    {
      g_string_append (text, is_latex ? ", " : " · ");
      append (text, markup, lines[i]);
    }
  g_string_append (text, is_latex ? ". " : "\n\n");
  append (text, markup, _ (grid->metric.title));
  g_string_append (text, ", ");
  if (cured_grid_is_relative (grid))
    {
      g_autofree char *multiple = _cured_plot_multiple_text (grid);

      append (text, markup, multiple);
      g_string_append (text, ", ");
    }
  append (text, markup, _ (cured_origin_to_string (grid->metric.origin)));
  g_string_append (text, is_latex ? ".}\n" : "\n\n");
}

/* (transfer full). @lines: NULL-terminated: text below the title. A map has the visible columns; a
 * line has a row per value. */
char *
_cured_export_grid_to_markup (const CuredGrid *grid, const char *const *lines, CuredMarkup markup)
{
  GString *text = g_string_new (NULL);
  gboolean is_line = grid->y_values == NULL, is_latex = markup == CURED_MARKUP_LATEX;
  gsize n_columns = is_line ? 1 : grid->nx;
  g_autofree char *alignment = g_strnfill (n_columns + 1, 'r');

  append_title (text, grid, lines, markup);
  if (is_latex)
    g_string_append_printf (text, "\\begin{tabular}{%s}\n\\hline\n", alignment);
  g_string_append (text, marks[markup].row[0]);
  if (!is_line)
    {
      append (text, markup, grid->y_title);
      g_string_append (text, is_latex ? " $\\downarrow$ " : " ↓ ");
    }
  append (text, markup, grid->x_title);
  g_string_append (text, is_line ? "" : is_latex ? " $\\rightarrow$" : " →");
  if (is_line)
    {
      g_string_append (text, marks[markup].separator);
      append (text, markup, _ (grid->metric.title));
    }
  for (gsize x = 0; x < grid->nx && !is_line; x++)
    {
      g_string_append (text, marks[markup].separator);
      append_value (text, markup, grid->x_values, x);
    }
  g_string_append (text, marks[markup].row[1]);
  if (is_latex)
    g_string_append (text, "\\hline\n");
  for (gsize i = 0; i <= n_columns && !is_latex; i++)
    g_string_append (text, i == n_columns ? "|---:|\n" : "|---:");
  for (gsize row = 0; row < (is_line ? grid->nx : grid->ny); row++)
    {
      g_string_append (text, marks[markup].row[0]);
      append_value (text, markup, is_line ? grid->x_values : grid->y_values, row);
      for (gsize x = 0; x < n_columns; x++)
        {
          g_string_append (text, marks[markup].separator);
          append_cell (text, markup, grid, is_line ? row : row * grid->nx + x);
        }
      g_string_append (text, marks[markup].row[1]);
    }
  if (is_latex)
    g_string_append (text, "\\hline\n\\end{tabular}\n\\end{table}\n");
  return g_string_free (text, FALSE);
}

/* ---- PGFPlots ---- */

static void
append_key (GString *text, const char *key, const char *words, const char *unit)
{
  g_string_append_printf (text, "  %s={", key);
  append (text, CURED_MARKUP_PGFPLOTS, words);
  if (unit != NULL && *unit != '\0')
    {
      g_string_append (text, " (");
      append (text, CURED_MARKUP_PGFPLOTS, unit);
      g_string_append (text, ")");
    }
  g_string_append (text, "},\n");
}

/* Ticks are equidistant, whatever the values. */
static void
append_ticks (GString *text, char axis, const CuredAxis *values, gsize n)
{
  g_string_append_printf (text, "  %ctick={0,...,%zu},\n  %cticklabels={", axis, n - 1, axis);
  for (gsize i = 0; i < n; i++)
    {
      g_string_append (text, i > 0 ? ",{" : "{");
      append_value (text, CURED_MARKUP_PGFPLOTS, values, i);
      g_string_append (text, "}");
    }
  g_string_append (text, "},\n");
}

static void
append_number (GString *text, double value)
{
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];

  g_string_append_printf (
      text, " %s", isnan (value) ? "nan" : g_ascii_formatd (buffer, sizeof buffer, "%.6g", value));
}

/* (transfer full) (nullable): a tikzpicture for LaTeX with the package pgfplots; NULL for what it
 * can't draw: a matrix of one row or column, or no values at all. */
char *
_cured_export_grid_to_pgfplots (const CuredGrid *grid)
{
  gboolean is_line = grid->y_values == NULL;
  gboolean has_interval = is_line && grid->lows != NULL && grid->highs != NULL;
  CuredPlotScale scale;

  if (isnan (grid->low) || (!is_line && (grid->nx < 2 || grid->ny < 2)))
    return NULL;
  g_autofree char *title = _cured_export_describe_title (grid->result);
  GString *text = g_string_new ("% \\usepackage{pgfplots} \\pgfplotsset{compat=1.18}\n"
                                "\\begin{tikzpicture}\n\\begin{axis}[\n");
  _cured_plot_scale_init (&scale, grid->metric.unit, grid->low,
                          isnan (grid->low) ? NAN : grid->low);
  append_key (text, "title", title, NULL);
  append_key (text, "xlabel", grid->x_title, NULL);
  append_ticks (text, 'x', grid->x_values, grid->nx);
  append_key (text, "ylabel", is_line ? _ (grid->metric.title) : grid->y_title,
              is_line ? scale.unit : NULL);
  if (!is_line)
    {
      append_ticks (text, 'y', grid->y_values, grid->ny);
      g_string_append (text, "  colorbar,\n  colorbar style={");
      append_key (text, "ylabel", _ (grid->metric.title), scale.unit);
      /* pgfplots needs a colour bar of non-zero length. */
      if (grid->low == grid->high)
        {
          g_string_append (text, "  },\n  point meta min=");
          append_number (text,
                         grid->low / scale.factor - fabs (grid->low / scale.factor) / 10 - 1e-3);
          g_string_append (text, ", point meta max=");
          append_number (text,
                         grid->high / scale.factor + fabs (grid->high / scale.factor) / 10 + 1e-3);
          g_string_append (text, ",\n");
        }
      else
        g_string_append (text, "  },\n");
      /* The limits are the map's, so that rows without a value keep their place. */
      g_string_append_printf (text,
                              "  colormap/viridis,\n"
                              "  xmin=-0.5, xmax=%zu.5, ymin=-0.5, ymax=%zu.5,\n]\n"
                              "\\addplot[matrix plot*, mesh/cols=%zu, point meta=explicit] "
                              "table[meta=v] {\nx y v\n",
                              grid->nx - 1, grid->ny - 1, grid->nx);
    }
  else
    g_string_append (text, has_interval ? "]\n\\addplot+[mark=*, error bars/.cd, y dir=both, "
                                          "y explicit] table[y error plus=p, y error minus=m] {\n"
                                          "x y p m\n"
                                        : "]\n\\addplot+[mark=*] table {\nx y\n");
  for (gsize i = 0; i < grid->nx * grid->ny; i++)
    {
      double value = grid->values[i] / scale.factor;

      if (is_line && isnan (value))
        continue;
      g_string_append_printf (text, "%zu", i % grid->nx);
      if (!is_line)
        g_string_append_printf (text, " %zu", i / grid->nx);
      append_number (text, value);
      if (has_interval)
        {
          append_number (text, grid->highs[i] / scale.factor - value);
          append_number (text, value - grid->lows[i] / scale.factor);
        }
      g_string_append_c (text, '\n');
    }
  g_string_append (text, "};\n\\end{axis}\n\\end{tikzpicture}\n");
  return g_string_free (text, FALSE);
}
