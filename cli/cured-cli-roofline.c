/* SPDX-License-Identifier: MIT
 * A roofline in the terminal. */
#include <glib/gi18n.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "cured-cli.h"

#define ROWS         18
#define MOST_COLUMNS 100

/* Limit of cells named below the picture. */
#define MAX_NAMED 10

static int
get_place (double value, const double range[2], int n)
{
  return (int) CLAMP (floor (log (value / range[0]) / log (range[1] / range[0]) * n), 0, n - 1);
}

static void
print_picture (const CuredRoofline *self, int n_columns)
{
  char rows[ROWS][MOST_COLUMNS + 1];
  double intensity[2], rate[2];

  cured_roofline_get_range (self, intensity, rate);
  g_autofree char *low = g_strdup_printf ("%.3g", intensity[0]);
  memset (rows, ' ', sizeof rows);
  for (int x = 0; x < n_columns; x++)
    {
      double at = intensity[0] * pow (intensity[1] / intensity[0], (x + 0.5) / n_columns);
      double roof = cured_roofline_get_roof (self, at);

      if (roof >= rate[0])
        rows[get_place (roof, rate, ROWS)][x] = at < self->ridge ? '/' : '-';
    }
  for (guint i = 0; i < self->points->len; i++)
    {
      const CuredRooflinePoint *point = &g_array_index (self->points, CuredRooflinePoint, i);
      char *place = &rows[get_place (point->flop_rate, rate, ROWS)]
                         [get_place (point->intensity, intensity, n_columns)];

      if (*place != '*')
        *place = i == self->best ? '*' : 'o';
    }
  for (int y = ROWS; y-- > 0;)
    {
      g_autofree char *label = NULL;

      if (y % 4 == 1)
        label =
            cured_format_quantity (rate[0] * pow (rate[1] / rate[0], (y + 0.5) / ROWS), "FLOP/s");
      rows[y][n_columns] = '\0';
      g_print ("%14s | %s\n", label != NULL ? label : "", g_strchomp (rows[y]));
    }
  g_print ("%14s   %s%*s\n", "", low, n_columns - (int) strlen (low),
           cured_cli_printf ("%.3g FLOP/B", intensity[1]));
}

/* The bound of a cell: the part of the roof above it. */
static const char *
get_bound (const CuredRoofline *self, const CuredRooflinePoint *point)
{
  return point->intensity < self->ridge ? N_ ("memory") : N_ ("arithmetic");
}

static int
compare_points (gconstpointer a, gconstpointer b)
{
  double x = ((const CuredRooflinePoint *) a)->flop_rate;
  double y = ((const CuredRooflinePoint *) b)->flop_rate;

  return (x < y) - (x > y);
}

/* The limits, the cells below them, and the share that the best ones reach. */
static void
print_text (CuredRoofline *self, CuredResult *result)
{
  g_autoptr (CuredCliTable) table = cured_cli_table_new ("lrrrl");

  print_picture (self, CLAMP (cured_cli_get_columns (STDOUT_FILENO) - 18, 20, MOST_COLUMNS));
  g_print ("\n");
  /* Translators: two rates that a device reaches, and the arithmetic intensity where they meet. */
  g_print (_ ("Limits, measured: %s and %s; they meet at %s\n\n"),
           cured_cli_quantity (self->bytes_per_s, "B/s"),
           cured_cli_quantity (self->flops, "FLOP/s"), cured_cli_quantity (self->ridge, "FLOP/B"));
  g_array_sort (self->points, compare_points);
  cured_cli_table_add (table, C_ ("column", "cell"), "FLOP/s", "FLOP/B",
                       /* Translators: the share of what the limits allow. */
                       C_ ("column", "of the roof"), C_ ("column", "bound by"));
  for (guint i = 0; i < MIN (self->points->len, MAX_NAMED); i++)
    {
      const CuredRooflinePoint *point = &g_array_index (self->points, CuredRooflinePoint, i);

      cured_cli_table_add (table, cured_cli_describe_cell (result, point->cell),
                           cured_cli_quantity (point->flop_rate, "FLOP/s"),
                           cured_cli_printf ("%.4g", point->intensity),
                           cured_cli_quantity (point->flop_rate / point->roof, "ratio"),
                           _ (get_bound (self, point)));
    }
  cured_cli_table_print (table, "");
}

void
cured_cli_print_roofline (CuredResult *result, GError **error)
{
  g_autoptr (CuredRoofline) roofline = cured_roofline_new (result, error);

  if (roofline == NULL)
    return;
  cured_cli_json ("{bytes_per_s flops ridge points[", roofline->bytes_per_s, roofline->flops,
                  roofline->ridge);
  for (guint i = 0; i < roofline->points->len; i++)
    {
      const CuredRooflinePoint *point = &g_array_index (roofline->points, CuredRooflinePoint, i);

      cured_cli_json_put ("{cell:");
      cured_cli_json_add_cell (result, point->cell);
      cured_cli_json ("intensity flop_rate roof bound}", point->intensity, point->flop_rate,
                      point->roof, get_bound (roofline, point));
    }
  cured_cli_json_put ("]}");
  print_text (roofline, result);
}
