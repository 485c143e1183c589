/* SPDX-License-Identifier: MIT
 * The list of all kernels, by family, with a search. */
#include <config.h>

#include "widgets/cured-gui-widgets.h"

#include <string.h>

/* Implementation notes: a thread parses the catalogue and lists the recordings, once for all
 * windows. A search rebuilds the tree, which has about a hundred rows. */

/* The item of a row: a family or a kernel. Immutable except for @is_shown. */
#define CURED_TYPE_KERNEL_ITEM (cured_kernel_item_get_type ())
G_DECLARE_FINAL_TYPE (CuredKernelItem, cured_kernel_item, CURED, KERNEL_ITEM, GObject)

struct _CuredKernelItem
{
  GObject parent_instance;

  char *id;      /* nullable: a family */
  char *title;   /* in the language of the user */
  char *english; /* the untranslated title; nullable: of a family */
  char *summary; /* nullable */
  char *family;
  int rung;
  gboolean has_defect;
  GListStore *kernels; /* nullable; of a family */
  gboolean is_shown;
};

CURED_DEFINE_PLAIN_TYPE (CuredKernelItem, cured_kernel_item, G_TYPE_OBJECT)

static void
cured_kernel_item_class_init (CuredKernelItemClass *klass)
{
  CURED_PROPERTY (CuredKernelItem, "shown", G_TYPE_BOOLEAN, is_shown, NULL);
  CURED_OWNS (CuredKernelItem, kernels);
  CURED_FREES (CuredKernelItem, g_free, id, title, english, summary, family);
}

/* The output of the thread. */
typedef struct
{
  GPtrArray *kernels;     /* of CuredKernelItem, in the order of the list */
  GHashTable *recordings; /* paths by the kernel's id */
} Known;

struct _CuredKernelList
{
  AdwBin parent_instance;

  /* Template widgets */
  GtkSearchEntry *search;
  GtkStack *stack;
  GtkListView *list;

  /* Owned */
  GListStore *families;
  GtkTreeListModel *tree;
  CuredTask *reading;
  char *shown; /* nullable: id of the kernel that the window shows */

  const Known *known; /* nullable: not loaded yet; shared by all windows */
  gboolean is_taking; /* activates the first match when the kernels are loaded */
};

G_DEFINE_FINAL_TYPE (CuredKernelList, cured_kernel_list, ADW_TYPE_BIN)

/* Reading the catalogue. */

static int
compare_items (gconstpointer a, gconstpointer b)
{
  const CuredKernelItem *first = *(CuredKernelItem *const *) a;
  const CuredKernelItem *second = *(CuredKernelItem *const *) b;
  int order = g_strcmp0 (first->family, second->family);

  if (order == 0)
    order = (first->rung > second->rung) - (first->rung < second->rung);
  return order != 0 ? order : g_strcmp0 (first->id, second->id);
}

static gpointer
read_known (gpointer data)
{
  Known *known = g_new0 (Known, 1);
  g_auto (GStrv) ids = cured_catalogue_list ();

  known->kernels = g_ptr_array_new_with_free_func (g_object_unref);
  for (char **id = ids; *id != NULL; id++)
    {
      g_autoptr (CuredKernel) kernel = cured_catalogue_get (*id, NULL);
      int rung;

      if (kernel == NULL)
        continue;
      CuredKernelItem *item = g_object_new (CURED_TYPE_KERNEL_ITEM, NULL);
      item->id = g_strdup (*id);
      item->title = g_strdup (cured_kernel_translate (kernel->title));
      item->english = g_strdup (kernel->title);
      item->summary = g_strdup (cured_kernel_translate (kernel->summary));
      /* Without a family, the folder's name is used. */
      item->family =
          kernel->family != NULL ? g_strdup (kernel->family) : g_strndup (*id, strcspn (*id, "/"));
      item->has_defect = kernel->defect != NULL;
      /* Kernels on no ladder come last. */
      rung = kernel->rung;
      item->rung = rung > 0 ? rung : G_MAXINT;
      g_ptr_array_add (known->kernels, item);
    }
  g_ptr_array_sort (known->kernels, compare_items);
  g_autofree char *folder = cured_recordings_find_folder ();
  known->recordings = cured_recordings_read (folder);
  return known;
}

static GOnce known_once = G_ONCE_INIT;

static void
read_work (CuredTask *task)
{
  task->output = g_once (&known_once, read_known, NULL);
}

/* The rows. */

static CuredKernelItem *
copy_item (const CuredKernelItem *item, gboolean is_shown)
{
  CuredKernelItem *copy = g_object_new (CURED_TYPE_KERNEL_ITEM, NULL);

  copy->id = g_strdup (item->id);
  copy->title = g_strdup (item->title);
  copy->english = g_strdup (item->english);
  copy->summary = g_strdup (item->summary);
  copy->family = g_strdup (item->family);
  copy->has_defect = item->has_defect;
  copy->is_shown = is_shown;
  return copy;
}

/* Whether the kernel's id, titles and summary contain every word of the search. */
static gboolean
is_match (const CuredKernelItem *item, char **words)
{
  g_autofree char *all = g_strjoin (" ", item->id, item->title, item->english,
                                    item->summary != NULL ? item->summary : "", NULL);
  g_autofree char *folded = g_utf8_casefold (all, -1);

  for (; *words != NULL; words++)
    if (strstr (folded, *words) == NULL)
      return FALSE;
  return TRUE;
}

static GListModel *
create_children (gpointer object, gpointer user_data)
{
  CuredKernelItem *item = object;

  return item->kernels != NULL ? G_LIST_MODEL (g_object_ref (item->kernels)) : NULL;
}

static guint
find_row (CuredKernelList *self, const char *id)
{
  guint n_rows = g_list_model_get_n_items (G_LIST_MODEL (self->tree));

  for (guint i = 0; i < n_rows; i++)
    {
      g_autoptr (GtkTreeListRow) row = g_list_model_get_item (G_LIST_MODEL (self->tree), i);
      g_autoptr (CuredKernelItem) item = gtk_tree_list_row_get_item (row);

      if (g_strcmp0 (item->id, id) == 0)
        return i;
    }
  return GTK_INVALID_LIST_POSITION;
}

/* Expands the family of the shown kernel, and scrolls there. */
static void
reveal_shown (CuredKernelList *self)
{
  guint n_rows = g_list_model_get_n_items (G_LIST_MODEL (self->tree));

  if (self->shown == NULL)
    return;
  for (guint i = 0; i < n_rows; i++)
    {
      g_autoptr (GtkTreeListRow) row = g_list_model_get_item (G_LIST_MODEL (self->tree), i);
      g_autoptr (CuredKernelItem) item = gtk_tree_list_row_get_item (row);
      guint n_kernels =
          item->kernels != NULL ? g_list_model_get_n_items (G_LIST_MODEL (item->kernels)) : 0;

      for (guint j = 0; j < n_kernels; j++)
        {
          g_autoptr (CuredKernelItem) kernel =
              g_list_model_get_item (G_LIST_MODEL (item->kernels), j);

          if (kernel->is_shown)
            gtk_tree_list_row_set_expanded (row, TRUE);
        }
      n_rows = g_list_model_get_n_items (G_LIST_MODEL (self->tree));
    }
  guint position = find_row (self, self->shown);
  if (position != GTK_INVALID_LIST_POSITION)
    gtk_widget_activate_action (GTK_WIDGET (self->list), "list.scroll-to-item", "u", position);
}

static void
fill (CuredKernelList *self)
{
  g_autofree char *text = g_utf8_casefold (gtk_editable_get_text (GTK_EDITABLE (self->search)), -1);
  g_auto (GStrv) words = g_strsplit_set (text, " ", -1);
  gboolean is_search = text[0] != '\0';
  CuredKernelItem *family = NULL;

  if (self->known == NULL)
    return;
  g_clear_object (&self->families);
  self->families = g_list_store_new (CURED_TYPE_KERNEL_ITEM);
  for (guint i = 0; i < self->known->kernels->len; i++)
    {
      const CuredKernelItem *known = self->known->kernels->pdata[i];

      if (!is_match (known, words))
        continue;
      if (family == NULL || !g_str_equal (family->family, known->family))
        {
          family = g_object_new (CURED_TYPE_KERNEL_ITEM, NULL);
          family->title = g_strdup (known->family);
          family->family = g_strdup (known->family);
          family->kernels = g_list_store_new (CURED_TYPE_KERNEL_ITEM);
          g_list_store_append (self->families, family);
          g_object_unref (family);
        }
      g_autoptr (CuredKernelItem) item = copy_item (known, g_strcmp0 (known->id, self->shown) == 0);
      g_list_store_append (family->kernels, item);
    }

  g_clear_object (&self->tree);
  self->tree = gtk_tree_list_model_new (G_LIST_MODEL (g_object_ref (self->families)), FALSE,
                                        is_search, create_children, NULL, NULL);
  {
    g_autoptr (GtkNoSelection) selection =
        gtk_no_selection_new (G_LIST_MODEL (g_object_ref (self->tree)));
    GtkRoot *root = gtk_widget_get_root (GTK_WIDGET (self));
    GtkWidget *focus = root != NULL ? gtk_root_get_focus (root) : NULL;

    /* GTK 4.8 moves the focus of a row that goes to the next one, and aborts: the next one belongs to
     * the old model, too (gtk_list_item_manager_ensure_items()). */
    if (focus != NULL && gtk_widget_is_ancestor (focus, GTK_WIDGET (self->list)))
      gtk_widget_grab_focus (GTK_WIDGET (self->search));
    gtk_list_view_set_model (self->list, GTK_SELECTION_MODEL (selection));
  }
  gtk_stack_set_visible_child_name (self->stack, family != NULL ? "list" : "none");
  reveal_shown (self);
}

static void search_activate_cb (CuredKernelList *self);

static void
read_cb (CuredKernelList *self, CuredTask *task)
{
  self->known = task->output;
  fill (self);
  g_signal_emit_by_name (self, "loaded");
  if (self->is_taking)
    search_activate_cb (self);
}

/* The kernels are never freed. */
static const CuredTaskKind read_task = CURED_TASK_KIND (read_work, read_cb, NULL, NULL);

static void
show_row (GtkWidget *row, gpointer data, gpointer user_data)
{
  const CuredKernelItem *item = data;
  const char *slash = item->id != NULL ? strrchr (item->id, '/') : NULL;
  guint n_kernels =
      item->kernels != NULL ? g_list_model_get_n_items (G_LIST_MODEL (item->kernels)) : 0;
  g_autofree char *count = cured_format_count (n_kernels);
  g_autofree char *tooltip = NULL;

  /* The id without the family is the title. */
  cured_list_rows_set_text (row, "title",
                            slash != NULL      ? slash + 1
                            : item->id != NULL ? item->id
                                               : item->title);
  cured_list_rows_set_text (row, "detail", item->id != NULL ? item->title : NULL);
  gtk_tree_expander_set_indent_for_icon (GTK_TREE_EXPANDER (row), item->id == NULL);
  if (item->id != NULL)
    tooltip =
        g_strdup_printf ("%s\n%s%s%s", item->title, item->id, item->summary != NULL ? "\n" : "",
                         item->summary != NULL ? item->summary : "");
  else
    /* Translators: the number of kernels in a family. */
    tooltip = g_strdup_printf (ngettext ("%s kernel", "%s kernels", n_kernels), count);
  cured_list_rows_set_text (row, "badge",
                            item->id == NULL ? count
                            /* Translators: of a kernel that has a bug, to learn from. */
                            : item->has_defect ? _ ("defect")
                                               : NULL);
  cured_widget_set_class (cured_list_rows_get (row, "badge"), "pill-label", item->id != NULL);
  cured_widget_set_class (cured_list_rows_get (row, "badge"), "dim-label", item->id == NULL);
  gtk_widget_set_visible (cured_list_rows_get (row, "mark"), item->is_shown);
  cured_widget_set_class (cured_list_rows_get (row, "title"), "heading",
                          item->is_shown || item->id == NULL);
  gtk_widget_set_tooltip_text (row, tooltip);
}

static const CuredListRows rows = { .ui = "cured-kernel-row",
                                    .show = show_row,
                                    .signal = "notify::shown" };

static void
activate_cb (CuredKernelList *self, guint position)
{
  g_autoptr (GtkTreeListRow) row = g_list_model_get_item (G_LIST_MODEL (self->tree), position);
  g_autoptr (CuredKernelItem) item = gtk_tree_list_row_get_item (row);

  if (item->id == NULL)
    gtk_tree_list_row_set_expanded (row, !gtk_tree_list_row_get_expanded (row));
  else
    g_signal_emit_by_name (self, "chosen", item->id);
}

/* Enter in the search activates the first match, once the kernels are loaded. */
static void
search_activate_cb (CuredKernelList *self)
{
  self->is_taking = self->known == NULL;
  fill (self);
  if (self->tree != NULL && g_list_model_get_n_items (G_LIST_MODEL (self->tree)) > 1 &&
      gtk_editable_get_text (GTK_EDITABLE (self->search))[0] != '\0')
    activate_cb (self, 1);
}

static void
stop_search_cb (CuredKernelList *self)
{
  gtk_editable_set_text (GTK_EDITABLE (self->search), "");
}

static gboolean
cured_kernel_list_grab_focus (GtkWidget *widget)
{
  return gtk_widget_grab_focus (GTK_WIDGET (CURED_KERNEL_LIST (widget)->search));
}

static void
cured_kernel_list_class_init (CuredKernelListClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  widget_class->grab_focus = cured_kernel_list_grab_focus;
  cured_class_add_signal (klass, "chosen", 1, G_TYPE_STRING);
  cured_class_add_signal (klass, "loaded", 0);
  cured_template_set (klass, "cured-kernel-list");
  CURED_CALLBACKS (activate_cb, fill, search_activate_cb, stop_search_cb);
  CURED_BIND (CuredKernelList, search, stack, list);
  CURED_OWNS (CuredKernelList, tree, families);
  CURED_FREES (CuredKernelList, g_free, shown);
}

static void
cured_kernel_list_init (CuredKernelList *self)
{
  g_autoptr (GtkListItemFactory) factory = cured_list_rows_new (&rows, NULL);

  gtk_widget_init_template (GTK_WIDGET (self));
  gtk_list_view_set_factory (self->list, factory);

  cured_task_start (&self->reading, self, &read_task, NULL);
}

/* Marks the kernel that the window shows, and expands its family. @id: (nullable). */
void
cured_kernel_list_set_shown (CuredKernelList *self, const char *id)
{
  if (g_strcmp0 (self->shown, id) == 0)
    return;
  cured_set_string (&self->shown, id);
  if (self->known == NULL)
    return;
  guint n_families = g_list_model_get_n_items (G_LIST_MODEL (self->families));
  for (guint i = 0; i < n_families; i++)
    {
      g_autoptr (CuredKernelItem) family = g_list_model_get_item (G_LIST_MODEL (self->families), i);
      guint n_kernels = g_list_model_get_n_items (G_LIST_MODEL (family->kernels));

      for (guint j = 0; j < n_kernels; j++)
        {
          g_autoptr (CuredKernelItem) item =
              g_list_model_get_item (G_LIST_MODEL (family->kernels), j);
          gboolean is_shown = g_strcmp0 (item->id, id) == 0;

          if (item->is_shown == is_shown)
            continue;
          item->is_shown = is_shown;
          g_object_notify (G_OBJECT (item), "shown");
        }
    }
  reveal_shown (self);
}

gboolean
cured_kernel_list_is_loaded (CuredKernelList *self)
{
  return self->known != NULL;
}

/* Returns: (nullable): the path of the kernel's recorded sweep; NULL: there is none, or the list is
 * still loading */
const char *
cured_kernel_list_get_recording (CuredKernelList *self, const char *id)
{
  g_return_val_if_fail (id != NULL, NULL);
  return self->known != NULL ? g_hash_table_lookup (self->known->recordings, id) : NULL;
}
