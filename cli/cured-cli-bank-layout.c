/* SPDX-License-Identifier: MIT
 * cured banks --layout: a tile in shared memory as CuTe or Triton lays it out, and the cost of a
 * warp's accesses to it. */
#include <glib/gi18n.h>

#include "cured-cli-banks.h"

typedef struct
{
  const CuredBankTileAccess *access;
  CuredBankTileCount count;
} Row;

struct _CuredCliBankLayout
{
  CuredBankLayout *layout;
  char *text;
  guint element_bits;
  GArray *rows;
  const Row *worst;         /* the one with most conflicts, then with most wavefronts */
  CuredBankLayout *nearest; /* NULL: none, or not needed */
};

/* ORDER: the first is the default. */
static const struct
{
  const char *name;
  guint bits;
} types[] = {
  { "f16", 16 },  { "bf16", 16 }, { "i16", 16 },   { "u16", 16 }, { "b16", 16 }, { "f8", 8 },
  { "e4m3", 8 },  { "e5m2", 8 },  { "i8", 8 },     { "u8", 8 },   { "b8", 8 },   { "f32", 32 },
  { "tf32", 32 }, { "i32", 32 },  { "u32", 32 },   { "b32", 32 }, { "f64", 64 }, { "i64", 64 },
  { "u64", 64 },  { "b64", 64 },  { "b128", 128 },
};

static gboolean
parse_type (const char *text, guint *bits, GError **error)
{
  g_autoptr (GString) names = g_string_new (NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (types); i++)
    {
      if (text == NULL || g_str_equal (text, types[i].name))
        {
          *bits = types[i].bits;
          return TRUE;
        }
      g_string_append_printf (names, "%s%s", i > 0 ? ", " : "", types[i].name);
    }
  return cured_cli_refuse (error, _ ("--type: “%s” is not an element type; write one of %s"), text,
                           names->str);
}

/* “64x128” */
static gboolean
parse_shape (const char *text, guint *n_rows, guint *n_columns, GError **error)
{
  guint64 numbers[2] = { 0 };

  if (text == NULL)
    return TRUE;
  g_auto (GStrv) words = g_strsplit (text, "x", -1);
  if (g_strv_length (words) == 2 &&
      g_ascii_string_to_unsigned (words[0], 10, 1, CURED_BANK_LAYOUT_MAX_ROWS, &numbers[0], NULL) &&
      g_ascii_string_to_unsigned (words[1], 10, 1, CURED_BANK_LAYOUT_MAX_ROWS, &numbers[1], NULL))
    {
      *n_rows = (guint) numbers[0];
      *n_columns = (guint) numbers[1];
      return TRUE;
    }
  return cured_cli_refuse (
      error,
      _ ("--shape: “%s” is not a shape; write rows and columns from 1 to %d, such as 64x128"), text,
      CURED_BANK_LAYOUT_MAX_ROWS);
}

static gboolean
count_accesses (CuredCliBankLayout *self, char **names, GError **error)
{
  const char *const usual[] = { "ldmatrix", NULL };

  for (const char *const *name = names != NULL ? (const char *const *) names : usual; *name != NULL;
       name++)
    {
      Row row = { cured_bank_tile_access_find (*name, error), { 0 } };

      if (row.access == NULL ||
          !cured_bank_tile_access_count (row.access, self->layout, &row.count, error))
        return FALSE;
      g_array_append_val (self->rows, row);
    }
  return TRUE;
}

static void
find_nearest (CuredCliBankLayout *self)
{
  g_autofree const CuredBankTileAccess **accesses =
      g_new (const CuredBankTileAccess *, self->rows->len);

  for (guint i = 0; i < self->rows->len; i++)
    {
      const Row *row = &g_array_index (self->rows, Row, i);

      accesses[i] = row->access;
      if (self->worst == NULL || row->count.conflicts > self->worst->count.conflicts)
        self->worst = row;
    }
  if (self->worst->count.conflicts > 0)
    self->nearest = cured_bank_layout_find_nearest (self->layout, accesses, self->rows->len);
}

/* Returns the layout with the cost of its accesses. */
CuredCliBankLayout *
cured_cli_bank_layout_new (const CuredCliBankLayoutOptions *options, GError **error)
{
  g_autoptr (CuredCliBankLayout) self = g_new0 (CuredCliBankLayout, 1);
  guint n_rows = 0, n_columns = 0;

  self->rows = g_array_new (FALSE, FALSE, sizeof (Row));
  if (!parse_type (options->type, &self->element_bits, error) ||
      !parse_shape (options->shape, &n_rows, &n_columns, error))
    return NULL;
  self->layout =
      cured_bank_layout_parse (options->layout, n_rows, n_columns, self->element_bits, error);
  if (self->layout == NULL || !count_accesses (self, options->accesses, error))
    return NULL;
  self->text = cured_bank_layout_format (self->layout);
  find_nearest (self);
  return g_steal_pointer (&self);
}

CURED_DEFINE_FREE (CuredCliBankLayout, cured_cli_bank_layout_free, layout, cured_bank_layout_free,
                   nearest, cured_bank_layout_free, text, g_free, rows, g_array_unref)

static char *
describe_worst (const CuredCliBankLayout *self)
{
  /* Translators: an access and the row and column of the tile at which it begins. */
  return g_strdup_printf (_ ("%s at (%u, %u)"),
                          cured_bank_tile_access_get_name (self->worst->access),
                          self->worst->count.row, self->worst->count.column);
}

static void
print_rows (const CuredCliBankLayout *self)
{
  g_autoptr (CuredCliTable) table = cured_cli_table_new ("lrrrr");

  cured_cli_table_add (table, C_ ("column", "access"), C_ ("column", "places"), _ ("wavefronts"),
                       C_ ("column", "ideal"), _ ("conflicts"));
  cured_cli_json ("{layout rows columns width accesses[", self->text,
                  cured_bank_layout_get_n_rows (self->layout),
                  cured_bank_layout_get_n_columns (self->layout), self->element_bits / 8);
  for (guint i = 0; i < self->rows->len; i++)
    {
      const Row *row = &g_array_index (self->rows, Row, i);
      const CuredBankTileCount *count = &row->count;
      const char *name = cured_bank_tile_access_get_name (row->access);
      CuredBankPicture picture;

      cured_cli_table_add (table, name, count->n_places, count->wavefronts, count->least,
                           count->conflicts);
      cured_cli_json ("{access places wavefronts ideal conflicts worst{row column", name,
                      count->n_places, count->wavefronts, count->least, count->conflicts,
                      count->row, count->column);
      if (!cured_bank_model_explain (&count->worst, &picture))
        g_assert_not_reached ();
      cured_cli_json_add_counts (&picture.counts);
      cured_cli_json_add_served (&picture);
      cured_cli_json_put ("}}");
    }
  cured_cli_json_put ("]");
  cured_cli_table_print (table, "");
}

static void
print_nearest (const CuredCliBankLayout *self)
{
  if (self->worst->count.conflicts == 0)
    g_print (_ ("No access has a conflict.\n"));
  else if (self->nearest == NULL)
    g_print (_ ("No layout of this kind was found without a conflict.\n"));
  else
    {
      const char *nearest = cured_cli_lend (cured_bank_layout_format (self->nearest));

      cured_cli_json ("nearest", nearest);
      g_print (_ ("Nearest without a conflict: %s\n"), nearest);
    }
  cured_cli_json_put ("}");
}

/* Prints the accesses, the worst one's picture, and the nearest layout without a conflict. */
void
cured_cli_bank_layout_print (const CuredCliBankLayout *self, gboolean colour)
{
  g_autofree char *worst = describe_worst (self);
  CuredBankPicture picture;

  g_print ("%s\n", self->text);
  g_print (ngettext ("%u × %u elements of %u byte\n", "%u × %u elements of %u bytes\n",
                     self->element_bits / 8),
           cured_bank_layout_get_n_rows (self->layout),
           cured_bank_layout_get_n_columns (self->layout), self->element_bits / 8);
  if (cured_bank_layout_swizzles_elements (self->layout))
    g_print (_ ("The swizzle changes element numbers; one of byte addresses is “Swizzle<…> o "
                "smem_ptr o …”.\n"));
  g_print ("\n");
  print_rows (self);
  g_print ("\n%s:\n\n", worst);
  if (!cured_bank_model_explain (&self->worst->count.worst, &picture))
    g_assert_not_reached ();
  cured_cli_print_bank_picture (&self->worst->count.worst, &picture, colour);
  g_print (_ ("wavefronts %u, ideal %u, conflicts %u\n"), picture.counts.wavefronts,
           picture.counts.least, picture.counts.conflicts);
  g_print ("\n");
  print_nearest (self);
}

/* Returns a drawing of the worst access. */
CuredDrawing *
cured_cli_bank_layout_draw (const CuredCliBankLayout *self, CuredBankPlotMode mode)
{
  g_autofree char *worst = describe_worst (self);
  CuredBankShown shown = { .access = self->worst->count.worst };

  return cured_drawing_new_banks (&shown, 1, mode, "banks", worst, self->text, NULL);
}
