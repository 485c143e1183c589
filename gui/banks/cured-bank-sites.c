/* SPDX-License-Identifier: MIT
 * The list of a warp's accesses to shared memory, by source line. */
#include <config.h>

#include "banks/cured-bank-sites.h"
#include "model/cured-class.h"

#include <inttypes.h>

#include <glib/gi18n.h>

/* A row: sites of one line that are alike. It tells when they are others. */
#define CURED_TYPE_BANK_ROW (cured_bank_row_get_type ())
G_DECLARE_FINAL_TYPE (CuredBankRow, cured_bank_row, CURED, BANK_ROW, GObject)

struct _CuredBankRow
{
  GObject parent_instance;

  CuredBankGroup *group; /* owned */
};

G_DEFINE_FINAL_TYPE (CuredBankRow, cured_bank_row, G_TYPE_OBJECT)

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

static void
cured_bank_row_init (CuredBankRow *self)
{
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

/* Sorting: what is not known is the least. */

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

/* What can't be served at all is the worst. */
static gint64
get_badness (CuredBankRow *row)
{
  return row_get_site (row)->fault != NULL ? G_MAXINT64 : get_excess (row);
}

/* Equals stay in the order of the groups, the worst first. */
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

typedef void (*BindFunc) (CuredBankRow *row, GtkLabel *label);

/* “tile_a · ld.shared.f32 · 32 bits · 16×” */
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
  return g_strdup_printf (
      /* Translators: a source line, an instruction, its text, how many times it ran, how many turns
       * the memory took, and how many too many. */
      _ ("Line %d: %s\n%s\nAccesses of this warp: %s\nWavefronts, turns of the shared memory, "
         "counted by the emulator: %s\nExcess, wavefronts that bank conflicts add: %s"),
      site->line, instruction, site->ptx, accesses, wavefronts, excess);
}

static void
bind_line (CuredBankRow *row, GtkLabel *label)
{
  int line = row_get_site (row)->line;
  g_autofree char *text = line > 0 ? g_strdup_printf ("%d", line) : g_strdup ("–");

  gtk_label_set_label (label, text);
}

static void
bind_source (CuredBankRow *row, GtkLabel *label)
{
  const CuredBankSite *site = row_get_site (row);
  g_autofree char *name = site->file != NULL ? g_path_get_basename (site->file) : NULL;

  if (site->source != NULL)
    gtk_label_set_label (label, site->source);
  else
    gtk_label_set_label (label, name != NULL ? name : site->ptx);
}

static void
bind_instruction (CuredBankRow *row, GtkLabel *label)
{
  g_autofree char *text = describe_instruction (row);

  gtk_label_set_label (label, text);
}

static void
bind_count (GtkLabel *label, gint64 count)
{
  g_autofree char *text = count >= 0 ? cured_format_count (count) : g_strdup ("–");

  gtk_label_set_label (label, text);
}

static void
bind_wavefronts (CuredBankRow *row, GtkLabel *label)
{
  bind_count (label, get_wavefronts (row));
}

static void
bind_excess (CuredBankRow *row, GtkLabel *label)
{
  gboolean is_faulty = row_get_site (row)->fault != NULL;
  gint64 excess = get_excess (row);

  if (is_faulty)
    /* Translators: in place of a number of wavefronts: an access is misaligned or out of bounds. */
    gtk_label_set_label (label, C_ ("of an access", "Fault"));
  else
    bind_count (label, excess);
  if (excess > 0 || is_faulty)
    gtk_widget_add_css_class (GTK_WIDGET (label), "error");
  else
    gtk_widget_remove_css_class (GTK_WIDGET (label), "error");
}

static void
setup_cb (GtkSignalListItemFactory *factory, GtkListItem *item)
{
  GtkWidget *label = gtk_label_new (NULL);
  const char *css_class = g_object_get_data (G_OBJECT (factory), "css-class");
  gboolean is_number = g_strcmp0 (css_class, "numeric") == 0;

  gtk_label_set_xalign (GTK_LABEL (label), is_number ? 1.0f : 0.0f);
  if (!is_number)
    gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
  gtk_label_set_single_line_mode (GTK_LABEL (label), TRUE);
  gtk_widget_add_css_class (label, css_class);
  g_object_set_data (G_OBJECT (label), "bind", g_object_get_data (G_OBJECT (factory), "bind"));
  gtk_list_item_set_child (item, label);
}

static void
show_row (GtkLabel *label, CuredBankRow *row)
{
  BindFunc bind = (BindFunc) (gintptr) g_object_get_data (G_OBJECT (label), "bind");
  g_autofree char *tooltip = describe_row (row);

  bind (row, label);
  gtk_widget_set_tooltip_text (GTK_WIDGET (label), tooltip);
}

static void
bind_cb (GtkSignalListItemFactory *factory, GtkListItem *item)
{
  CuredBankRow *row = gtk_list_item_get_item (item);
  GtkLabel *label = GTK_LABEL (gtk_list_item_get_child (item));

  show_row (label, row);
  g_signal_connect_object (row, "changed", G_CALLBACK (show_row), label, G_CONNECT_SWAPPED);
}

static void
unbind_cb (GtkSignalListItemFactory *factory, GtkListItem *item)
{
  g_signal_handlers_disconnect_by_data (gtk_list_item_get_item (item),
                                        gtk_list_item_get_child (item));
}

static GtkColumnViewColumn *
add_column (CuredBankSites *self, const char *title, const char *css_class, BindFunc bind,
            GtkSorter *sorter)
{
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new ();

  g_object_set_data (G_OBJECT (factory), "css-class", (gpointer) css_class);
  g_object_set_data (G_OBJECT (factory), "bind", (gpointer) (gintptr) bind);
  g_signal_connect (factory, "setup", G_CALLBACK (setup_cb), NULL);
  g_signal_connect (factory, "bind", G_CALLBACK (bind_cb), NULL);
  g_signal_connect (factory, "unbind", G_CALLBACK (unbind_cb), NULL);
  g_autoptr (GtkColumnViewColumn) column = gtk_column_view_column_new (title, factory);
  gtk_column_view_column_set_sorter (column, sorter);
  g_object_unref (sorter);
  gtk_column_view_append_column (self->table, column);
  return column;
}

static GtkSorter *
sorter_new (KeyFunc get_key)
{
  return GTK_SORTER (gtk_custom_sorter_new (compare_cb, (gpointer) (gintptr) get_key, NULL));
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

  self->rows = g_list_store_new (CURED_TYPE_BANK_ROW);
  self->table = GTK_COLUMN_VIEW (gtk_column_view_new (NULL));
  gtk_widget_add_css_class (GTK_WIDGET (self->table), "data-table");
  add_column (self, _ ("Line"), "numeric", bind_line, sorter_new (get_line));
  GtkColumnViewColumn *source =
      add_column (self, _ ("Source"), "monospace", bind_source, sorter_new (get_line));
  gtk_column_view_column_set_expand (source, TRUE);
  self->instruction = add_column (self, _ ("Instruction"), "caption", bind_instruction,
                                  GTK_SORTER (gtk_custom_sorter_new (compare_text_cb, NULL, NULL)));
  add_column (self, _ ("Wavefronts"), "numeric", bind_wavefronts, sorter_new (get_wavefronts));
  /* Translators: wavefronts that bank conflicts add. */
  GtkColumnViewColumn *excess =
      add_column (self, _ ("Excess"), "numeric", bind_excess, sorter_new (get_badness));

  GtkSortListModel *sorted =
      gtk_sort_list_model_new (g_object_ref (G_LIST_MODEL (self->rows)),
                               g_object_ref (gtk_column_view_get_sorter (self->table)));
  self->selection = gtk_single_selection_new (G_LIST_MODEL (sorted));
  gtk_column_view_set_model (self->table, GTK_SELECTION_MODEL (self->selection));
  gtk_column_view_sort_by_column (self->table, excess, GTK_SORT_DESCENDING);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->table), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Accesses to shared memory, by source line"), -1);
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

/* A row of the same instruction stays, and with it the keys. */
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

/* Lists the sites of another view. The same access as before stays selected, where there is one;
 * else the worst is. `selected` follows. @view: (nullable): what to list. */
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

/* (transfer none) (nullable): the first site of the selected row. */
const CuredBankSite *
cured_bank_sites_get_selected (CuredBankSites *self)
{
  CuredBankRow *row = gtk_single_selection_get_selected_item (self->selection);
  return row != NULL ? row_get_site (row) : NULL;
}

/* Whether the selected row has the site, perhaps with others. */
gboolean
cured_bank_sites_is_selected (CuredBankSites *self, gsize site)
{
  CuredBankRow *row = gtk_single_selection_get_selected_item (self->selection);
  return row != NULL && cured_bank_group_has (row->group, site);
}

/* Selects the row that a site is part of. Returns %FALSE where there is none. */
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

/* Selects the first row of a line, unless one of that line is. Returns %FALSE where the line
 * makes no access. */
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

/* How many rows it has. */
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
