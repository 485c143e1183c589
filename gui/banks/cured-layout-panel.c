/* SPDX-License-Identifier: MIT
 * A tile in CuTe's or Triton's notation, and one access to it. */
#include <config.h>

#include "banks/cured-gui-banks.h"

struct _CuredLayoutPanel
{
  GtkBox parent_instance;

  /* Template widgets */
  GtkEntry *layout, *shape;
  GtkDropDown *type, *access;
  GtkLabel *result, *nearest_label;
  GtkButton *nearest;

  CuredBankTileCount count;
  gboolean is_valid;  /* @count is valid for the entered values */
  char *nearest_text; /* NULL: no conflicts, or no better layout found */
};

G_DEFINE_FINAL_TYPE (CuredLayoutPanel, cured_layout_panel, GTK_TYPE_BOX)

/* ORDER: by frequency of use. */
static const char *const accesses[] = {
  "ldmatrix.x4",     "ldmatrix.x4.trans", "ldmatrix.x2",   "stmatrix.x4", "ld.row.b32",
  "ld.row.b128",     "ld.column.b32",     "st.row.b32",    "st.row.b128", "st.column.b32",
  "ld.fragment.b32", "st.fragment.b32",   "st.column.b16", "cp.async.16",
};

static const struct
{
  const char *title;
  guint bits;
} types[] = {
  { N_ ("f16, bf16: 2 bytes"), 16 },
  { N_ ("f8, i8: 1 byte"), 8 },
  { N_ ("f32, i32: 4 bytes"), 32 },
  { N_ ("f64: 8 bytes"), 64 },
};

/* Parses “32x64”; empty if the layout has its own shape */
static gboolean
parse_shape (CuredLayoutPanel *self, guint *n_rows, guint *n_columns)
{
  const char *text = gtk_editable_get_text (GTK_EDITABLE (self->shape));
  g_auto (GStrv) words = g_strsplit_set (text, "x×", -1);
  guint64 rows = 0;
  guint64 columns = 0;
  guint last = g_strv_length (words);

  *n_rows = *n_columns = 0;
  if (*text == '\0')
    return TRUE;
  /* × has two bytes, between which g_strsplit_set() finds an empty word. */
  if (last < 2 ||
      !g_ascii_string_to_unsigned (words[0], 10, 1, CURED_BANK_LAYOUT_MAX_ROWS, &rows, NULL) ||
      !g_ascii_string_to_unsigned (words[last - 1], 10, 1, CURED_BANK_LAYOUT_MAX_ROWS, &columns,
                                   NULL))
    return FALSE;
  *n_rows = (guint) rows;
  *n_columns = (guint) columns;
  return TRUE;
}

static gboolean
count (CuredLayoutPanel *self, GError **error)
{
  g_autoptr (CuredBankLayout) layout = NULL;
  g_autoptr (CuredBankLayout) nearest = NULL;
  const CuredBankTileAccess *access = NULL;
  gsize type = 0;
  gsize index = 0;
  guint n_rows = 0;
  guint n_columns = 0;

  g_clear_pointer (&self->nearest_text, g_free);
  if (!parse_shape (self, &n_rows, &n_columns))
    {
      g_set_error (error, CURED_ERROR, CURED_ERROR_SYNTAX,
                   _ ("Write the shape as rows and columns, such as 64x128."));
      return FALSE;
    }
  cured_choice_get_selected (self->type, &type);
  cured_choice_get_selected (self->access, &index);
  layout = cured_bank_layout_parse (gtk_editable_get_text (GTK_EDITABLE (self->layout)), n_rows,
                                    n_columns, types[type].bits, error);
  access = cured_bank_tile_access_find (accesses[index], error);
  if (layout == NULL || access == NULL ||
      !cured_bank_tile_access_count (access, layout, &self->count, error))
    return FALSE;
  if (self->count.conflicts > 0)
    nearest = cured_bank_layout_find_nearest (layout, &access, 1);
  if (nearest != NULL)
    self->nearest_text = cured_bank_layout_format (nearest);
  return TRUE;
}

static void
update (CuredLayoutPanel *self)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL;

  self->is_valid = count (self, &error);
  if (!self->is_valid)
    text = g_strdup (error->message);
  else
    {
      g_autofree char *wavefronts = cured_format_count ((gint64) self->count.wavefronts);
      g_autofree char *least = cured_format_count ((gint64) self->count.least);
      g_autofree char *conflicts = cured_format_count ((gint64) self->count.conflicts);

      text = g_strdup_printf (
          /* Translators: of an access, at all places of a tile. */
          ngettext ("%u place: %s wavefronts, ideal %s, %s in conflict",
                    "%u places: %s wavefronts, ideal %s, %s in conflict", self->count.n_places),
          self->count.n_places, wavefronts, least, conflicts);
    }
  gtk_label_set_label (self->result, text);
  gtk_widget_set_visible (GTK_WIDGET (self->nearest), self->nearest_text != NULL);
  if (self->nearest_text != NULL)
    {
      /* Translators: a button; %s is a layout. */
      g_autofree char *label = g_strdup_printf (_ ("Use %s"), self->nearest_text);

      gtk_label_set_label (self->nearest_label, label);
    }
  g_signal_emit_by_name (self, "changed");
}

static void
use_nearest_cb (CuredLayoutPanel *self)
{
  g_autofree char *text = g_strdup (self->nearest_text);

  if (text != NULL)
    gtk_editable_set_text (GTK_EDITABLE (self->layout), text);
}

static const char *
get_access_detail (const char *name)
{
  if (g_str_has_prefix (name, "ldmatrix") || g_str_has_prefix (name, "stmatr"))
    return _ ("Rows of 16 bytes of matrices of 8 × 8");
  if (strstr (name, "column") != NULL)
    return _ ("One lane below the other");
  if (strstr (name, "fragment") != NULL)
    return _ ("Eight rows of four lanes each, as in mma fragments");
  return _ ("Neighbouring lanes along a row");
}

static void
fill (CuredLayoutPanel *self)
{
  g_autoptr (GListStore) kinds = g_list_store_new (CURED_TYPE_CHOICE);
  g_autoptr (GListStore) sizes = g_list_store_new (CURED_TYPE_CHOICE);

  for (gsize i = 0; i < G_N_ELEMENTS (accesses); i++)
    cured_choice_add (kinds, i, accesses[i], get_access_detail (accesses[i]), NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (types); i++)
    cured_choice_add (sizes, i, _ (types[i].title), NULL, NULL);
  cured_choice_fill (self->access, kinds, 0);
  cured_choice_fill (self->type, sizes, 0);
}

static void
cured_layout_panel_class_init (CuredLayoutPanelClass *klass)
{
  cured_class_add_signal (klass, "changed", 0);
  cured_template_set (klass, "cured-layout-panel");
  CURED_BIND (CuredLayoutPanel, layout, shape, type, access, result, nearest, nearest_label);
  CURED_CALLBACKS (update, use_nearest_cb);
  CURED_FREES (CuredLayoutPanel, g_free, nearest_text);
}

static void
cured_layout_panel_init (CuredLayoutPanel *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  fill (self);
  update (self);
  cured_choice_connect (self->access, G_CALLBACK (update), self);
  cured_choice_connect (self->type, G_CALLBACK (update), self);
}

/* (transfer none) (nullable): the worst access to the tile; NULL while the entered layout is
 * invalid */
const CuredBankAccess *
cured_layout_panel_get_access (CuredLayoutPanel *self)
{
  return self->is_valid ? &self->count.worst : NULL;
}

/* (transfer full): a description of the access of cured_layout_panel_get_access() */
char *
cured_layout_panel_describe (CuredLayoutPanel *self)
{
  gsize index = 0;

  cured_choice_get_selected (self->access, &index);
  /* Translators: an access, and the row and column at which it begins. */
  return g_strdup_printf (_ ("The costliest %s of the tile: from (%u, %u) on"), accesses[index],
                          self->count.row, self->count.column);
}
