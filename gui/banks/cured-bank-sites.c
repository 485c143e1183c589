/* SPDX-License-Identifier: MIT
 * The list of a warp's accesses to shared memory, by source line. */
#include <config.h>

#include "banks/cured-gui-banks.h"

#include <string.h>

/* A row: similar sites of one line. Has a signal for changes. */
#define CURED_TYPE_BANK_ROW (cured_bank_row_get_type ())
G_DECLARE_FINAL_TYPE (CuredBankRow, cured_bank_row, CURED, BANK_ROW, GObject)

struct _CuredBankRow
{
  GObject parent_instance;

  CuredBankGroup *group; /* owned */
};

CURED_DEFINE_PLAIN_TYPE (CuredBankRow, cured_bank_row, G_TYPE_OBJECT)

struct _CuredBankSites
{
  AdwBin parent_instance;

  /* Owned */
  CuredBankView *view; /* nullable */
  GListStore *rows;
  GtkSingleSelection *selection;

  /* Borrowed */
  GtkColumnView *table;
  GtkColumnViewColumn *instruction;

  gulong selected_id; /* of @selection */
};

G_DEFINE_FINAL_TYPE (CuredBankSites, cured_bank_sites, ADW_TYPE_BIN)

static void
cured_bank_row_class_init (CuredBankRowClass *klass)
{
  cured_class_add_signal (klass, "changed", 0);
  CURED_FREES (CuredBankRow, cured_bank_group_unref, group);
}

static const CuredBankSite *
row_get_site (CuredBankRow *self)
{
  return cured_bank_group_get_site (self->group);
}

static void
row_set_group (CuredBankRow *self, CuredBankGroup *group)
{
  g_clear_pointer (&self->group, cured_bank_group_unref);
  self->group = cured_bank_group_ref (group);
  g_signal_emit_by_name (self, "changed");
}

/* Unknown values sort first. */

typedef gint64 (*KeyFunc) (CuredBankRow *row);

static gint64
get_line (CuredBankRow *row)
{
  return row_get_site (row)->line;
}

static gint64
get_wavefronts (CuredBankRow *row)
{
  return row_get_site (row)->is_known ? (gint64) row->group->wavefronts : -1;
}

static gint64
get_excess (CuredBankRow *row)
{
  return cured_bank_group_get_excess (row->group);
}

/* A faulty access ranks as worst. */
static gint64
get_badness (CuredBankRow *row)
{
  return row_get_site (row)->fault != NULL ? G_MAXINT64 : get_excess (row);
}

/* Equal rows keep the order of the groups, worst first. */
static int
compare_cb (gconstpointer a, gconstpointer b, gpointer user_data)
{
  CuredBankRow *row_a = (gpointer) a;
  CuredBankRow *row_b = (gpointer) b;
  KeyFunc get_key = (KeyFunc) (gintptr) user_data;
  gint64 key_a = get_key (row_a);
  gint64 key_b = get_key (row_b);

  return (key_a > key_b) - (key_a < key_b);
}

static int
compare_text_cb (gconstpointer a, gconstpointer b, gpointer user_data)
{
  g_autofree char *text_a = cured_bank_site_get_mnemonic (row_get_site ((gpointer) a));
  g_autofree char *text_b = cured_bank_site_get_mnemonic (row_get_site ((gpointer) b));

  return strcmp (text_a, text_b);
}

/* Cells. */

/* such as “tile_a · ld.shared.f32 · 32 bits · 16×” */
static char *
describe_instruction (CuredBankRow *row)
{
  const CuredBankSite *site = row_get_site (row);
  g_autofree char *plain = cured_bank_site_get_mnemonic (site);
  g_autofree char *mnemonic =
      site->array != NULL ? g_strdup_printf ("%s · %s", site->array, plain) : g_strdup (plain);

  if (row->group->sites->len > 1)
    return g_strdup_printf (
        /* Translators: an instruction, how many bits per lane it accesses, and how many alike there
         * are on the line. */
        _ ("%s · %u bits · %u×"), mnemonic, site->width, row->group->sites->len);
  /* Translators: an instruction, and how many bits per lane it accesses. */
  return g_strdup_printf (_ ("%s · %u bits"), mnemonic, site->width);
}

static char *
describe_row (CuredBankRow *row)
{
  const CuredBankSite *site = row_get_site (row);
  g_autofree char *instruction = describe_instruction (row);
  g_autofree char *accesses = cured_format_count ((gint64) row->group->accesses);
  g_autofree char *wavefronts = cured_format_count ((gint64) row->group->wavefronts);
  g_autofree char *excess = cured_format_count (get_excess (row));

  if (site->fault != NULL)
    {
      g_autofree char *fault = cured_finding_to_string (site->fault);

      return g_strdup_printf ("%s\n%s\n%s", instruction, site->ptx, fault);
    }
  if (site->loop_lanes > 0)
    {
      g_autofree char *loop = cured_bank_site_describe_loop (site);

      return g_strdup_printf ("%s\n%s\n%s", instruction, site->ptx, loop);
    }
  if (!site->is_known)
    return g_strdup_printf (
        /* Translators: a source line, an instruction, its text, and how many times it ran. */
        _ ("Line %d: %s\n%s\n%s accesses of this warp; the bank model has no measured rule for "
           "this instruction"),
        site->line, instruction, site->ptx, accesses);
  if (site->is_remote)
    return g_strdup_printf (
        /* Translators: a source line, an instruction, its text, how many times it ran, how many
         * sectors it took, and how many too many. */
        _ ("Line %d: %s\n%s\nAccesses of this warp: %s\nRemote sectors, turns on the way to "
           "another block’s shared memory, counted by the emulator: %s\nExcess, sectors that "
           "scattered lanes add: %s"),
        site->line, instruction, site->ptx, accesses, wavefronts, excess);
  return g_strdup_printf (
      /* Translators: a source line, an instruction, its text, how many times it ran, how many turns
       * the memory took, and how many too many. */
      _ ("Line %d: %s\n%s\nAccesses of this warp: %s\nWavefronts, turns of the shared memory, "
         "counted by the emulator: %s\nExcess, wavefronts that bank conflicts add: %s"),
      site->line, instruction, site->ptx, accesses, wavefronts, excess);
}

static void
show_cell (GtkWidget *label, CuredBankRow *row, const char *text)
{
  g_autofree char *tooltip = describe_row (row);

  gtk_label_set_label (GTK_LABEL (label), text);
  gtk_widget_set_tooltip_text (label, tooltip);
}

static void
show_line (GtkWidget *label, gpointer row, gpointer data)
{
  int line = row_get_site (row)->line;
  g_autofree char *text = line > 0 ? g_strdup_printf ("%d", line) : g_strdup ("–");

  show_cell (label, row, text);
}

static void
show_source (GtkWidget *label, gpointer row, gpointer data)
{
  const CuredBankSite *site = row_get_site (row);
  g_autofree char *name = site->file != NULL ? g_path_get_basename (site->file) : NULL;

  show_cell (label, row, site->source != NULL ? site->source : name != NULL ? name : site->ptx);
}

static void
show_instruction (GtkWidget *label, gpointer row, gpointer data)
{
  g_autofree char *text = describe_instruction (row);

  show_cell (label, row, text);
}

static void
show_wavefronts (GtkWidget *label, gpointer row, gpointer data)
{
  gint64 count = get_wavefronts (row);
  g_autofree char *number = count >= 0 ? cured_format_count (count) : g_strdup ("–");
  g_autofree char *text = count >= 0 && row_get_site (row)->is_remote
                              ? g_strdup_printf (_ ("%s remote"), number)
                              : g_strdup (number);

  show_cell (label, row, text);
}

static void
show_excess (GtkWidget *label, gpointer row, gpointer data)
{
  gboolean is_faulty = row_get_site (row)->fault != NULL;
  gint64 excess = get_excess (row);
  g_autofree char *text = excess >= 0 ? cured_format_count (excess) : g_strdup ("–");

  /* Translators: in place of a number of wavefronts: an access is misaligned or out of bounds. */
  show_cell (label, row, is_faulty ? C_ ("of an access", "Fault") : text);
  cured_widget_set_class (label, "error", excess > 0 || is_faulty);
}

typedef enum
{
  COLUMN_LINE,
  COLUMN_SOURCE,
  COLUMN_INSTRUCTION,
  COLUMN_WAVEFRONTS,
  COLUMN_EXCESS,
  N_COLUMNS
} Column;

/* ORDER: of Column. */
static const struct
{
  const char *title;
  CuredListRows rows;
  KeyFunc get_key; /* nullable: sort by text */
} columns[N_COLUMNS] = {
  { N_ ("Line"), { NULL, "numeric", show_line, "changed" }, get_line },
  { N_ ("Source"), { NULL, "monospace", show_source, "changed" }, get_line },
  { N_ ("Instruction"), { NULL, "caption", show_instruction, "changed" }, NULL },
  { N_ ("Wavefronts"), { NULL, "numeric", show_wavefronts, "changed" }, get_wavefronts },
  /* Translators: wavefronts that bank conflicts add. */
  { N_ ("Excess"), { NULL, "numeric", show_excess, "changed" }, get_badness },
};

static GtkColumnViewColumn *
add_column (CuredBankSites *self, Column column)
{
  KeyFunc get_key = columns[column].get_key;
  g_autoptr (GtkColumnViewColumn) added = gtk_column_view_column_new (
      _ (columns[column].title), cured_list_rows_new (&columns[column].rows, NULL));
  g_autoptr (GtkSorter) sorter = GTK_SORTER (gtk_custom_sorter_new (
      get_key != NULL ? compare_cb : compare_text_cb, (gpointer) (gintptr) get_key, NULL));

  gtk_column_view_column_set_sorter (added, sorter);
  gtk_column_view_column_set_expand (added, column == COLUMN_SOURCE);
  gtk_column_view_append_column (self->table, added);
  return added;
}

static void
selected_cb (CuredBankSites *self)
{
  g_signal_emit_by_name (self, "selected");
}

static void
activate_cb (CuredBankSites *self)
{
  g_signal_emit_by_name (self, "activated");
}

static void
cured_bank_sites_class_init (CuredBankSitesClass *klass)
{
  cured_class_add_signal (klass, "selected", 0);
  cured_class_add_signal (klass, "activated", 0);
  CURED_OWNS (CuredBankSites, selection, rows);
  CURED_FREES (CuredBankSites, cured_bank_view_unref, view);
}

static void
cured_bank_sites_init (CuredBankSites *self)
{
  GtkWidget *window = gtk_scrolled_window_new ();
  GtkColumnViewColumn *excess = NULL; /* the last one */

  self->rows = g_list_store_new (CURED_TYPE_BANK_ROW);
  self->table = GTK_COLUMN_VIEW (gtk_column_view_new (NULL));
  gtk_widget_add_css_class (GTK_WIDGET (self->table), "data-table");
  for (Column column = COLUMN_LINE; column < N_COLUMNS; column++)
    {
      GtkColumnViewColumn *added = add_column (self, column);

      if (column == COLUMN_INSTRUCTION)
        self->instruction = added;
      excess = added;
    }

  GtkSortListModel *sorted =
      gtk_sort_list_model_new (g_object_ref (G_LIST_MODEL (self->rows)),
                               g_object_ref (gtk_column_view_get_sorter (self->table)));
  self->selection = gtk_single_selection_new (G_LIST_MODEL (sorted));
  gtk_column_view_set_model (self->table, GTK_SELECTION_MODEL (self->selection));
  gtk_column_view_sort_by_column (self->table, excess, GTK_SORT_DESCENDING);
  cured_widget_name (self->table, _ ("Accesses to shared memory, by source line"), NULL);
  self->selected_id = CURED_CONNECT (self->selection, "notify::selected-item", selected_cb);
  CURED_CONNECT (self->table, "activate", activate_cb);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (window), GTK_WIDGET (self->table));
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (window), GTK_POLICY_NEVER,
                                  GTK_POLICY_AUTOMATIC);
  adw_bin_set_child (ADW_BIN (self), window);
}

/* (transfer none) (nullable) */
static CuredBankRow *
get_row (CuredBankSites *self, guint position)
{
  g_autoptr (CuredBankRow) row = g_list_model_get_item (G_LIST_MODEL (self->selection), position);

  return row;
}

/* Rows of the same instruction are reused, which keeps the keyboard focus. */
static void
fill (CuredBankSites *self)
{
  g_autoptr (GHashTable) known = g_hash_table_new_full (NULL, NULL, NULL, g_object_unref);
  g_autoptr (GPtrArray) rows = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr (GPtrArray) groups = NULL;
  guint n_before = g_list_model_get_n_items (G_LIST_MODEL (self->rows));

  for (guint i = 0; i < n_before; i++)
    {
      CuredBankRow *row = g_list_model_get_item (G_LIST_MODEL (self->rows), i);

      g_hash_table_insert (known, GUINT_TO_POINTER (row_get_site (row)->site), row);
    }
  if (self->view != NULL)
    groups = cured_bank_view_group (self->view, NULL, NULL);
  for (guint i = 0; groups != NULL && i < groups->len; i++)
    {
      CuredBankGroup *group = groups->pdata[i];
      gpointer row = NULL;

      if (!g_hash_table_steal_extended (
              known, GUINT_TO_POINTER (cured_bank_group_get_site (group)->site), NULL, &row))
        row = g_object_new (CURED_TYPE_BANK_ROW, NULL);
      row_set_group (row, group);
      g_ptr_array_add (rows, row);
    }
  g_list_store_splice (self->rows, 0, n_before, rows->pdata, rows->len);
}

/* Lists the sites of another view. Keeps the selected access if the view has it, or else selects
 * the worst one. Emits `selected`. @view: (nullable) */
void
cured_bank_sites_set_view (CuredBankSites *self, CuredBankView *view)
{
  const CuredBankSite *now = NULL;

  const CuredBankSite *before = cured_bank_sites_get_selected (self);
  g_autoptr (CuredBankView) old = g_steal_pointer (&self->view);
  self->view = view != NULL ? cured_bank_view_ref (view) : NULL;
  if (before != NULL && view != NULL)
    now = cured_bank_view_find_like (view, before, old);
  g_signal_handler_block (self->selection, self->selected_id);
  fill (self);
  gtk_single_selection_set_selected (self->selection, 0);
  if (now != NULL)
    cured_bank_sites_select (self, (gsize) (now - view->sites));
  g_signal_handler_unblock (self->selection, self->selected_id);
  g_signal_emit_by_name (self, "selected");
}

/* (transfer none) (nullable): the first site of the selected row */
const CuredBankSite *
cured_bank_sites_get_selected (CuredBankSites *self)
{
  CuredBankRow *row = gtk_single_selection_get_selected_item (self->selection);
  return row != NULL ? row_get_site (row) : NULL;
}

/* Whether the selected row contains the site. */
gboolean
cured_bank_sites_is_selected (CuredBankSites *self, gsize site)
{
  CuredBankRow *row = gtk_single_selection_get_selected_item (self->selection);
  return row != NULL && cured_bank_group_has (row->group, site);
}

/* Selects the row that contains a site. Returns: %FALSE if there is none */
gboolean
cured_bank_sites_select (CuredBankSites *self, gsize site)
{
  for (guint i = 0; i < cured_bank_sites_get_n_rows (self); i++)
    if (cured_bank_group_has (get_row (self, i)->group, site))
      {
        gtk_single_selection_set_selected (self->selection, i);
        return TRUE;
      }
  return FALSE;
}

static gboolean
is_on_line (const CuredBankSite *site, const CuredKernel *kernel, int line)
{
  return cured_kernel_find_line (kernel, site->file, site->line, site->ptx_line) == line;
}

/* Selects the first row of a line, unless one of that line is already selected. Returns: %FALSE if
 * the line has no access */
gboolean
cured_bank_sites_select_line (CuredBankSites *self, const CuredKernel *kernel, int line)
{
  const CuredBankSite *selected = cured_bank_sites_get_selected (self);
  if (selected != NULL && is_on_line (selected, kernel, line))
    return TRUE;
  for (guint i = 0; i < cured_bank_sites_get_n_rows (self); i++)
    {
      const CuredBankSite *site = row_get_site (get_row (self, i));

      if (is_on_line (site, kernel, line))
        {
          gtk_single_selection_set_selected (self->selection, i);
          return TRUE;
        }
    }
  return FALSE;
}

guint
cured_bank_sites_get_n_rows (CuredBankSites *self)
{
  return g_list_model_get_n_items (G_LIST_MODEL (self->selection));
}

void
cured_bank_sites_set_wide (CuredBankSites *self, gboolean is_wide)
{
  gtk_column_view_column_set_visible (self->instruction, is_wide);
}
