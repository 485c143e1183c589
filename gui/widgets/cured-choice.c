/* SPDX-License-Identifier: MIT
 * Items of drop-downs, with a title, a tooltip and perhaps a picture. */
#include <config.h>

#include "widgets/cured-gui-widgets.h"

/* Minimum width of a title, which is ellipsized if space is scarce. */
#define LEAST_CHARS 2

/* Titles up to this length are not ellipsized: "blo…" could be "block" or "blocks". */
#define WHOLE_CHARS 6

/* Lists of at least this many items have a search field. */
#define SEARCHED_FROM 12

struct _CuredChoice
{
  GObject parent_instance;

  gsize index;
  char *title;
  char *detail;          /* nullable */
  char *tooltip;         /* nullable */
  GdkPaintable *picture; /* nullable */
};

CURED_DEFINE_PLAIN_TYPE (CuredChoice, cured_choice, G_TYPE_OBJECT)

static void
cured_choice_class_init (CuredChoiceClass *klass)
{
  CURED_OWNS (CuredChoice, picture);
  CURED_FREES (CuredChoice, g_free, title, detail, tooltip);
}

/* @detail: (nullable): shown dimmed beside the title in the open list; @tooltip: (nullable);
 * @picture: (nullable): shown before the title. Returns: (transfer full): an item for a list
 * model */
CuredChoice *
cured_choice_new (gsize index, const char *title, const char *detail, const char *tooltip,
                  GdkPaintable *picture)
{
  CuredChoice *self = g_object_new (CURED_TYPE_CHOICE, NULL);

  self->index = index;
  self->title = g_strdup (title);
  self->detail = g_strdup (detail);
  self->tooltip = g_strdup (tooltip);
  g_set_object (&self->picture, picture);
  return self;
}

void
cured_choice_add (GListStore *choices, gsize index, const char *title, const char *detail,
                  const char *tooltip)
{
  g_autoptr (CuredChoice) self = cured_choice_new (index, title, detail, tooltip, NULL);

  g_list_store_append (choices, self);
}

CURED_GETTER (const char *, cured_choice_get_title, CuredChoice, title)

CURED_GETTER (gsize, cured_choice_get_index, CuredChoice, index)

static GtkWidget *
add_label (GtkWidget *box, const char *css_class)
{
  GtkWidget *label = gtk_label_new (NULL);

  gtk_label_set_xalign (GTK_LABEL (label), 0.0f);
  if (css_class != NULL)
    gtk_widget_add_css_class (label, css_class);
  gtk_box_append (GTK_BOX (box), label);
  return label;
}

static void
setup_button_cb (GtkSignalListItemFactory *factory, GtkListItem *item)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);
  GtkWidget *picture = gtk_picture_new ();

  gtk_picture_set_can_shrink (GTK_PICTURE (picture), FALSE);
  gtk_widget_set_valign (picture, GTK_ALIGN_CENTER);
  gtk_box_append (GTK_BOX (box), picture);
  GtkWidget *label = add_label (box, NULL);
  gtk_label_set_width_chars (GTK_LABEL (label), LEAST_CHARS);
  gtk_widget_set_hexpand (label, TRUE);
  gtk_list_item_set_child (item, box);
}

static void
bind_button_cb (GtkSignalListItemFactory *factory, GtkListItem *item)
{
  CuredChoice *self = gtk_list_item_get_item (item);
  GtkWidget *picture = gtk_widget_get_first_child (gtk_list_item_get_child (item));
  GtkWidget *label = gtk_widget_get_next_sibling (picture);

  gtk_widget_set_visible (picture, self->picture != NULL);
  gtk_picture_set_paintable (GTK_PICTURE (picture), self->picture);
  gtk_label_set_label (GTK_LABEL (label), self->title);
  gtk_label_set_ellipsize (GTK_LABEL (label), g_utf8_strlen (self->title, -1) <= WHOLE_CHARS
                                                  ? PANGO_ELLIPSIZE_NONE
                                                  : PANGO_ELLIPSIZE_END);
  /* On the button, a picture replaces the title. */
  gtk_widget_set_visible (label, self->picture == NULL);
}

static void
setup_list_cb (GtkSignalListItemFactory *factory, GtkListItem *item)
{
  setup_button_cb (factory, item);
  GtkWidget *box = gtk_list_item_get_child (item);
  GtkWidget *detail = add_label (box, "dim-label");
  gtk_widget_add_css_class (detail, "caption");
  gtk_widget_set_margin_start (detail, 18);
  /* The check mark is a child of this box: bound to the drop-down's choice by the item's own state,
   * as GTK's default list does. */
  gtk_box_append (GTK_BOX (box), gtk_image_new_from_icon_name ("object-select-symbolic"));
}

static void
selected_item_changed_cb (GtkDropDown *drop_down, GParamSpec *pspec, GtkListItem *item)
{
  GtkWidget *box = gtk_list_item_get_child (item);

  gtk_widget_set_opacity (
      gtk_widget_get_last_child (box),
      gtk_drop_down_get_selected_item (drop_down) == gtk_list_item_get_item (item) ? 1.0 : 0.0);
}

static void
bind_list_cb (GtkSignalListItemFactory *factory, GtkListItem *item, GtkDropDown *drop_down)
{
  CuredChoice *self = gtk_list_item_get_item (item);
  GtkWidget *box = gtk_list_item_get_child (item);
  GtkWidget *detail = gtk_widget_get_prev_sibling (gtk_widget_get_last_child (box));

  bind_button_cb (factory, item);
  GtkWidget *title = gtk_widget_get_next_sibling (gtk_widget_get_first_child (box));
  gtk_label_set_ellipsize (GTK_LABEL (title), PANGO_ELLIPSIZE_NONE);
  gtk_widget_set_visible (title, TRUE);
  gtk_label_set_label (GTK_LABEL (detail), self->detail != NULL ? self->detail : "");
  gtk_widget_set_tooltip_text (box, self->tooltip);
  g_signal_connect_object (drop_down, "notify::selected-item",
                           G_CALLBACK (selected_item_changed_cb), item, 0);
  selected_item_changed_cb (drop_down, NULL, item);
}

static void
unbind_list_cb (GtkSignalListItemFactory *factory, GtkListItem *item, GtkDropDown *drop_down)
{
  g_signal_handlers_disconnect_by_data (drop_down, item);
}

static void
selected_changed_cb (GtkDropDown *drop_down)
{
  CuredChoice *self = gtk_drop_down_get_selected_item (drop_down);

  gtk_widget_set_tooltip_text (GTK_WIDGET (drop_down), self != NULL ? self->tooltip : NULL);
}

/* The text to search: the title and the detail. */
static char *
dup_searched (CuredChoice *self)
{
  return g_strconcat (self->title, " ", self->detail, NULL);
}

static gpointer
find_inside (GtkWidget *widget, GType type)
{
  gpointer found = G_TYPE_CHECK_INSTANCE_TYPE (widget, type) ? widget : NULL;

  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL && found == NULL;
       child = gtk_widget_get_next_sibling (child))
    found = find_inside (child, type);
  return found;
}

/* Appends a space to a search, which would otherwise choose the focused row. */
static gboolean
type_space_cb (GtkWidget *popover, GVariant *args, gpointer entry)
{
  int end = (int) g_utf8_strlen (gtk_editable_get_text (entry), -1);

  if (end == 0)
    return FALSE;
  gtk_editable_insert_text (entry, " ", 1, &end);
  gtk_editable_set_position (entry, end);
  return TRUE;
}

/* Adds a search field above a long list. GTK 4.8's own matches only prefixes. */
static void
set_searched (GtkDropDown *drop_down, gboolean is_searched)
{
  GtkWidget *entry = find_inside (GTK_WIDGET (drop_down), GTK_TYPE_SEARCH_ENTRY);
  GtkListView *list = find_inside (GTK_WIDGET (drop_down), GTK_TYPE_LIST_VIEW);
  GtkSelectionModel *rows = list != NULL ? gtk_list_view_get_model (list) : NULL;
  GListModel *filtered = GTK_IS_SINGLE_SELECTION (rows)
                             ? gtk_single_selection_get_model (GTK_SINGLE_SELECTION (rows))
                             : NULL;
  GtkFilter *filter = GTK_IS_FILTER_LIST_MODEL (filtered)
                          ? gtk_filter_list_model_get_filter (GTK_FILTER_LIST_MODEL (filtered))
                          : NULL;

  gtk_drop_down_set_enable_search (drop_down, is_searched);
  if (GTK_IS_STRING_FILTER (filter))
    gtk_string_filter_set_match_mode (GTK_STRING_FILTER (filter),
                                      GTK_STRING_FILTER_MATCH_MODE_SUBSTRING);
  if (entry == NULL)
    return;
  cured_widget_name (entry, _ ("Search"), NULL);
  /* The chosen row gets the focus when the list opens; the field captures typed text. */
  gtk_widget_set_can_focus (entry, FALSE);
  gtk_search_entry_set_key_capture_widget (
      GTK_SEARCH_ENTRY (entry),
      is_searched ? gtk_widget_get_ancestor (entry, GTK_TYPE_POPOVER) : NULL);
}

/* Makes @drop_down show choices: title and picture on the button, details and tooltips in the
 * list. The button has the tooltip of the selected choice. */
static void
set_up (GtkDropDown *drop_down)
{
  if (g_object_get_data (G_OBJECT (drop_down), "is-set-up") != NULL)
    return;
  g_object_set_data (G_OBJECT (drop_down), "is-set-up", drop_down);
  g_autoptr (GtkListItemFactory) button = gtk_signal_list_item_factory_new ();
  g_signal_connect (button, "setup", G_CALLBACK (setup_button_cb), NULL);
  g_signal_connect (button, "bind", G_CALLBACK (bind_button_cb), NULL);
  gtk_drop_down_set_factory (drop_down, button);

  g_autoptr (GtkListItemFactory) list = gtk_signal_list_item_factory_new ();
  g_signal_connect (list, "setup", G_CALLBACK (setup_list_cb), NULL);
  g_signal_connect (list, "bind", G_CALLBACK (bind_list_cb), drop_down);
  g_signal_connect (list, "unbind", G_CALLBACK (unbind_list_cb), drop_down);
  gtk_drop_down_set_list_factory (drop_down, list);

  GtkWidget *entry = find_inside (GTK_WIDGET (drop_down), GTK_TYPE_SEARCH_ENTRY);
  if (entry != NULL)
    {
      GtkEventController *keys = gtk_shortcut_controller_new ();

      gtk_event_controller_set_propagation_phase (keys, GTK_PHASE_CAPTURE);
      gtk_shortcut_controller_add_shortcut (
          GTK_SHORTCUT_CONTROLLER (keys),
          gtk_shortcut_new (gtk_shortcut_trigger_parse_string ("space"),
                            gtk_callback_action_new (type_space_cb, entry, NULL)));
      gtk_widget_add_controller (gtk_widget_get_ancestor (entry, GTK_TYPE_POPOVER), keys);
    }

  /* The text to search, if the list has a search field */
  g_autoptr (GtkExpression) expression = gtk_cclosure_expression_new (
      G_TYPE_STRING, NULL, 0, NULL, G_CALLBACK (dup_searched), NULL, NULL);
  gtk_drop_down_set_expression (drop_down, expression);
  g_signal_connect (drop_down, "notify::selected-item", G_CALLBACK (selected_changed_cb), NULL);
}

/* The handler of user choices, which is blocked during changes by the program. */

static gulong
get_handler (GtkDropDown *drop_down)
{
  return GPOINTER_TO_SIZE (g_object_get_data (G_OBJECT (drop_down), "chosen-handler"));
}

static void
hush (GtkDropDown *drop_down)
{
  if (get_handler (drop_down) != 0)
    g_signal_handler_block (drop_down, get_handler (drop_down));
}

static void
unhush (GtkDropDown *drop_down)
{
  if (get_handler (drop_down) != 0)
    g_signal_handler_unblock (drop_down, get_handler (drop_down));
}

/* Calls @chosen_cb when the user selects a choice, but not when a function of this file does.
 * @drop_down: a drop-down for choices, not yet connected; @chosen_cb: (scope notified): a swapped
 * handler of `notify::selected`; @data: an object; its disposal disconnects the handler. */
void
cured_choice_connect (GtkDropDown *drop_down, GCallback chosen_cb, gpointer data)
{
  g_return_if_fail (get_handler (drop_down) == 0);

  gulong id =
      g_signal_connect_object (drop_down, "notify::selected", chosen_cb, data, G_CONNECT_SWAPPED);
  g_object_set_data (G_OBJECT (drop_down), "chosen-handler", GSIZE_TO_POINTER (id));
}

static void
bound_chosen_cb (GObject *object, GParamSpec *pspec, GtkDropDown *drop_down)
{
  gsize index;

  if (cured_choice_get_selected (drop_down, &index))
    g_object_set (object, g_object_get_data (G_OBJECT (drop_down), "property"), (guint64) index,
                  NULL);
}

/* Selects the property's value. If the list lacks it, cured_choice_fill() selects it later. */
static void
show_bound (GtkDropDown *drop_down)
{
  GObject *object = g_object_get_data (G_OBJECT (drop_down), "object");
  guint64 index;

  if (object == NULL)
    return;
  g_object_get (object, g_object_get_data (G_OBJECT (drop_down), "property"), &index, NULL);
  cured_choice_set_selected (drop_down, (gsize) index);
}

/* Binds @drop_down to @property, an index of a choice, in both directions.
 * @drop_down: a drop-down for choices, not yet connected. */
void
cured_choice_bind (GtkDropDown *drop_down, gpointer object, const char *property)
{
  g_autofree char *detail = g_strconcat ("notify::", property, NULL);

  g_object_set_data_full (G_OBJECT (drop_down), "property", g_strdup (property), g_free);
  g_object_set_data_full (G_OBJECT (drop_down), "object", g_object_ref (object), g_object_unref);
  cured_choice_connect (drop_down, G_CALLBACK (bound_chosen_cb), object);
  g_signal_connect_object (object, detail, G_CALLBACK (show_bound), drop_down, G_CONNECT_SWAPPED);
  show_bound (drop_down);
}

/* Sets the list of @drop_down. @selected: the index to select, unless @drop_down is bound to a
 * property. */
void
cured_choice_fill (GtkDropDown *drop_down, GListStore *choices, gsize selected)
{
  set_up (drop_down);
  hush (drop_down);
  gtk_drop_down_set_model (drop_down, G_LIST_MODEL (choices));
  set_searched (drop_down, g_list_model_get_n_items (G_LIST_MODEL (choices)) >= SEARCHED_FROM);
  cured_choice_set_selected (drop_down, selected);
  show_bound (drop_down);
  unhush (drop_down);
}

/* @index: (out): of the selected choice. Returns: whether there is one */
gboolean
cured_choice_get_selected (GtkDropDown *drop_down, gsize *index)
{
  CuredChoice *self = gtk_drop_down_get_selected_item (drop_down);

  if (self == NULL)
    return FALSE;
  *index = self->index;
  return TRUE;
}

/* Selects by index; does nothing if there is no such choice. */
void
cured_choice_set_selected (GtkDropDown *drop_down, gsize index)
{
  GListModel *model = gtk_drop_down_get_model (drop_down);
  guint n_items = model != NULL ? g_list_model_get_n_items (model) : 0;

  for (guint i = 0; i < n_items; i++)
    {
      g_autoptr (CuredChoice) self = g_list_model_get_item (model, i);

      if (self->index == index)
        {
          hush (drop_down);
          gtk_drop_down_set_selected (drop_down, i);
          unhush (drop_down);
          return;
        }
    }
}
