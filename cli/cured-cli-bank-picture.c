/* SPDX-License-Identifier: MIT
 * The picture of an access: a row per wavefront, a column per bank. */
#include <glib/gi18n.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "cured-cli-banks.h"

typedef struct
{
  const CuredBankPicture *picture;
  const char *row; /* heading of the rows */
  gboolean colour;
  GArray *groups; /* (element-type guint32): lanes behind the letters */
} Drawing;

/* Mask of the lanes that a bank serves in a wavefront. */
static guint32
get_lanes (const Drawing *self, guint wavefront, guint bank)
{
  guint32 lanes = 0;

  for (gsize i = 0; i < self->picture->n_served; i++)
    if (self->picture->served[i].wavefront == wavefront && self->picture->served[i].bank == bank)
      lanes |= 1u << self->picture->served[i].lane;
  return lanes;
}

static guint
get_first_lane (guint32 lanes)
{
  return (guint) g_bit_nth_lsf (lanes, -1);
}

static gboolean
is_single (guint32 lanes)
{
  return (lanes & (lanes - 1)) == 0;
}

/* Lanes that are served together have a letter, which the legend explains. At most 16 groups of two
 * or more are in a wavefront; the next may have the same groups. */
static char
get_letter (Drawing *self, guint32 lanes)
{
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  guint i = 0;

  for (; i < self->groups->len; i++)
    if (g_array_index (self->groups, guint32, i) == lanes)
      break;
  if (i == self->groups->len)
    g_array_append_val (self->groups, lanes);
  return i < strlen (letters) ? letters[i] : '*';
}

/* The colour depends on the number of the first lane. */
static void
append_cell (Drawing *self, GString *line, guint32 lanes)
{
  CuredColour colour;
  gboolean is_light = FALSE;

  if (lanes == 0)
    {
      g_string_append (line, "  ·");
      return;
    }
  g_string_append_c (line, ' ');
  if (self->colour)
    {
      colour =
          cured_colour_map_get (cured_colour_map_find ("viridis"), get_first_lane (lanes) / 31.0);
      is_light = 0.3 * colour.red + 0.6 * colour.green + 0.1 * colour.blue > 0.5;
      g_string_append_printf (line, "\033[48;2;%d;%d;%d;38;2;%sm", (int) lround (255 * colour.red),
                              (int) lround (255 * colour.green), (int) lround (255 * colour.blue),
                              is_light ? "0;0;0" : "255;255;255");
    }
  if (is_single (lanes))
    g_string_append_printf (line, "%2u", get_first_lane (lanes));
  else
    g_string_append_printf (line, "%2c", get_letter (self, lanes));
  if (self->colour)
    g_string_append (line, "\033[0m");
}

/* A row per wavefront, a column per bank, of @n_columns banks from @first. */
static void
print_panel (Drawing *self, guint first, guint n_columns)
{
  g_autoptr (GString) header = g_string_new (NULL);
  gboolean is_idle = TRUE;
  gsize width = MAX (cured_cli_get_width (self->row), 3);

  for (gsize i = 0; i < self->picture->n_served; i++)
    if (self->picture->served[i].bank - first < n_columns)
      is_idle = FALSE;
  if (is_idle)
    {
      /* Translators: the first and the last of many banks. */
      g_print (_ ("Banks %u–%u are idle.\n"), first, first + n_columns - 1);
      return;
    }
  for (guint bank = first; bank < first + n_columns; bank++)
    g_string_append_printf (header, " %2u", bank);
  g_print ("%*s │ %s\n", (int) width, "", _ ("bank"));
  g_print ("%s │%s\n", self->row, header->str);
  for (guint w = 0; w < self->picture->counts.wavefronts; w++)
    {
      g_autoptr (GString) line = g_string_new (NULL);

      g_string_append_printf (line, "%*u │", (int) width, w + 1);
      for (guint bank = first; bank < first + n_columns; bank++)
        append_cell (self, line, get_lanes (self, w, bank));
      g_string_append_c (line, '\n');
      cured_cli_print_coloured (line->str);
    }
}

/* Prints the picture, as wide as the terminal allows, and a legend of its letters; an empty line
 * follows each part. */
void
cured_cli_print_bank_picture (const CuredBankAccess *access, const CuredBankPicture *picture,
                              gboolean colour)
{
  g_autoptr (GArray) groups = g_array_new (FALSE, FALSE, sizeof (guint32));
  const char *row = cured_bank_kind_is_remote (access->kind) ? _ ("turn") : _ ("wavefront");
  Drawing drawing = { picture, row, colour, groups };
  int room = cured_cli_get_columns (STDOUT_FILENO) - (int) cured_cli_get_width (drawing.row) - 2;
  guint n_columns = picture->n_banks;

  while (n_columns > 8 && (int) n_columns * 3 > room)
    n_columns /= 2;
  for (guint first = 0; first < picture->n_banks; first += n_columns)
    {
      print_panel (&drawing, first, n_columns);
      g_print ("\n");
    }
  for (guint i = 0; i < groups->len; i++)
    {
      guint32 lanes = g_array_index (groups, guint32, i);

      g_print (
          /* Translators: a letter of the picture and the lanes that it
           * stands for, always several. */
          _ ("%c: lanes %s together\n"), get_letter (&drawing, lanes),
          cured_cli_lend (cured_bank_lanes_format (lanes)));
    }
  if (groups->len > 0)
    g_print ("\n");
}

void
cured_cli_json_add_counts (const CuredBankCounts *counts)
{
  cured_cli_json ("wavefronts least conflicts", counts->wavefronts, counts->least,
                  counts->conflicts);
}

void
cured_cli_json_add_served (const CuredBankPicture *picture)
{
  cured_cli_json_put ("served[");
  for (gsize i = 0; i < picture->n_served; i++)
    {
      const CuredBankServed *served = &picture->served[i];

      cured_cli_json ("{lane word bank wavefront broadcast?}", served->lane, served->word,
                      served->bank, served->wavefront, served->is_broadcast);
    }
  cured_cli_json_put ("]");
}
