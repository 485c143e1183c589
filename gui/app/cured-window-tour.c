/* SPDX-License-Identifier: MIT
 * A tour of four cards at the first start, each at the widget that it describes. */
#include <config.h>

#include "app/cured-window-private.h"

/* Key in the settings. */
#define SEEN "tour-seen"

/* ---- Targets of the cards ---- */

static GtkWidget *
find_map (CuredWindow *self, const char *view)
{
  return GTK_WIDGET (cured_result_page_get_map (self->tab->page));
}

/* The details or, if they are hidden, the button that shows them. */
static GtkWidget *
find_details (CuredWindow *self, const char *view)
{
  AdwFlap *flap = cured_result_page_get_flap (self->tab->page);

  return adw_flap_get_reveal_flap (flap) ? adw_flap_get_flap (flap) : self->show_details;
}

/* (nullable): the button @index in @root; @index is reduced by the number of buttons passed */
static GtkWidget *
find_button (GtkWidget *root, guint *index)
{
  for (GtkWidget *child = gtk_widget_get_first_child (root); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      /* The switcher has two forms, of which only the one that fits is visible. */
      if (!gtk_widget_get_child_visible (child))
        continue;
      if (GTK_IS_TOGGLE_BUTTON (child))
        {
          if ((*index)-- == 0)
            return child;
          continue;
        }
      GtkWidget *found = find_button (child, index);
      if (found != NULL)
        return found;
    }
  return NULL;
}

/* The button of a view or, if there is none, the whole switcher. */
static GtkWidget *
find_tab (CuredWindow *self, const char *view)
{
  g_autoptr (GtkSelectionModel) pages = adw_view_stack_get_pages (self->tab->views);
  guint n = g_list_model_get_n_items (G_LIST_MODEL (pages));

  for (guint i = 0; i < n; i++)
    {
      g_autoptr (AdwViewStackPage) page = g_list_model_get_item (G_LIST_MODEL (pages), i);
      guint index = i;

      if (!g_str_equal (adw_view_stack_page_get_name (page), view))
        continue;
      GtkWidget *button = find_button (self->tab->switcher, &index);
      return button != NULL ? button : self->tab->switcher;
    }
  return self->tab->switcher;
}

/* ORDER: of appearance. */
static const struct
{
  GtkWidget *(*find) (CuredWindow *self, const char *view);
  const char *view; /* nullable: any view */
  GtkPositionType side;
  const char *title, *text;
} cards[] = {
  { find_map, NULL, GTK_POS_BOTTOM, N_ ("The map"),
    N_ ("Each cell is one pair of parameter values, and its colour says how long the kernel took. "
        "The star is the best one. Drag to select cells; right-click for what can be done with "
        "them.") },
  { find_details, NULL, GTK_POS_LEFT, N_ ("A cell"),
    N_ ("Click a cell or use the arrow keys. This panel shows everything known about it: its "
        "figures, what limits it, and each sample.") },
  { find_tab, "banks", GTK_POS_BOTTOM, N_ ("The banks"),
    N_ ("Which thread hits which bank of shared memory, and what a conflict costs. An emulator "
        "runs the block, so no GPU is needed.") },
  { find_tab, "source", GTK_POS_BOTTOM, N_ ("The source"),
    N_ ("The kernel as it was measured. It can be edited: it is compiled and emulated as you type, "
        "and what helps against a finding is one click.") },
};

/* ---- A card ---- */

static void show_card (CuredWindow *self, guint index);

static gboolean
drop_card (gpointer popover)
{
  g_autoptr (GtkWidget) card = popover;

  if (gtk_widget_get_parent (card) != NULL)
    gtk_widget_unparent (card);
  return G_SOURCE_REMOVE;
}

/* A card is hidden while another window is active. */
static void
is_active_cb (GtkWidget *card)
{
  GtkWidget *window = gtk_widget_get_parent (card);

  if (window != NULL)
    gtk_widget_set_visible (card, gtk_window_is_active (GTK_WINDOW (window)));
}

static void
forget_card (CuredWindow *self)
{
  GtkWidget *card = self->tour_card;

  self->tour_card = NULL;
  if (card == NULL)
    return;
  g_signal_handlers_disconnect_by_data (card, self);
  g_signal_handlers_disconnect_by_data (self, card);
  gtk_popover_popdown (GTK_POPOVER (card));
  /* Deferred while the card emits its signal; the reference keeps a closed window alive until its
   * card is gone. */
  g_object_set_data_full (G_OBJECT (card), "window", g_object_ref (self), g_object_unref);
  g_idle_add (drop_card, g_object_ref (card));
}

static void
end_tour (CuredWindow *self)
{
  cured_settings_set_boolean (SEEN, TRUE);
  forget_card (self);
}

static void
skip_cb (CuredWindow *self)
{
  end_tour (self);
  if (self->tab != NULL && gtk_widget_get_mapped (find_map (self, NULL)))
    gtk_widget_grab_focus (find_map (self, NULL));
}

static void
next_cb (CuredWindow *self)
{
  guint next = self->tour_index + 1;

  if (next == G_N_ELEMENTS (cards))
    {
      skip_cb (self);
      return;
    }
  forget_card (self);
  show_card (self, next);
}

/* On Escape; if another window becomes active, the card is only hidden. */
static void
closed_cb (CuredWindow *self)
{
  if (gtk_window_is_active (GTK_WINDOW (self)))
    skip_cb (self);
}

/* Points at the star, from the side, or at the middle of a large target. */
static void
point_at (CuredWindow *self, GtkWidget *target)
{
  CuredMapView *view = cured_result_page_get_map_view (self->tab->page);
  const CuredGrid *grid = cured_map_view_get_grid (view);
  gssize best = cured_map_view_get_best (view);
  graphene_rect_t bounds, star;

  if (!gtk_widget_compute_bounds (target, GTK_WIDGET (self), &bounds))
    return;
  if (target == find_map (self, NULL) && best >= 0 &&
      cured_heat_map_get_cell_area (CURED_HEAT_MAP (target), (gsize) best % grid->nx,
                                    (gsize) best / grid->nx, &star))
    graphene_rect_offset_r (&star, graphene_rect_get_x (&bounds), graphene_rect_get_y (&bounds),
                            &bounds);
  else if (graphene_rect_get_width (&bounds) > 200.0f &&
           graphene_rect_get_height (&bounds) > 200.0f)
    graphene_rect_inset (&bounds, graphene_rect_get_width (&bounds) / 3.0f,
                         graphene_rect_get_height (&bounds) / 3.0f);
  gtk_popover_set_pointing_to (GTK_POPOVER (self->tour_card),
                               &(GdkRectangle){ (int) graphene_rect_get_x (&bounds),
                                                (int) graphene_rect_get_y (&bounds),
                                                (int) graphene_rect_get_width (&bounds),
                                                (int) graphene_rect_get_height (&bounds) });
}

/* GtkPopover measures the height for one width and allocates another, so both are fixed. */
static void
fix_size (GtkWidget *box)
{
  int width = 0;
  int height = 0;

  gtk_widget_measure (box, GTK_ORIENTATION_HORIZONTAL, -1, NULL, &width, NULL, NULL);
  gtk_widget_measure (box, GTK_ORIENTATION_VERTICAL, width, NULL, &height, NULL, NULL);
  gtk_widget_set_size_request (box, width, height);
}

static void
show_card (CuredWindow *self, guint index)
{
  g_autoptr (GtkBuilder) builder =
      gtk_builder_new_from_resource ("/io/github/cured/Cured/cured-tour-card.ui");
  gboolean is_last = index + 1 == G_N_ELEMENTS (cards);
  gpointer skip = gtk_builder_get_object (builder, "skip");
  gpointer next = gtk_builder_get_object (builder, "next");
  g_autofree char *place = g_strdup_printf (
      /* Translators: a card of a tour: “2 of 4”. */
      _ ("%u of %u"), index + 1, (guint) G_N_ELEMENTS (cards));

  self->tour_index = index;
  self->tour_card = GTK_WIDGET (gtk_builder_get_object (builder, "card"));
  gtk_popover_set_position (GTK_POPOVER (self->tour_card), cards[index].side);
  g_object_set (gtk_builder_get_object (builder, "title"), "label", _ (cards[index].title), NULL);
  g_object_set (gtk_builder_get_object (builder, "text"), "label", _ (cards[index].text), NULL);
  g_object_set (gtk_builder_get_object (builder, "place"), "label", place, NULL);
  gtk_widget_set_visible (skip, !is_last);
  gtk_button_set_label (next, is_last ? _ ("_Done") : _ ("_Next"));
  CURED_CONNECT (skip, "clicked", skip_cb);
  CURED_CONNECT (next, "clicked", next_cb);
  cured_widget_name (self->tour_card, _ (cards[index].title), _ (cards[index].text));
  gtk_widget_set_parent (self->tour_card, GTK_WIDGET (self));
  fix_size (GTK_WIDGET (gtk_builder_get_object (builder, "box")));
  point_at (self, cards[index].find (self, cards[index].view));
  CURED_CONNECT (self->tour_card, "closed", closed_cb);
  gtk_popover_popup (GTK_POPOVER (self->tour_card));
  g_signal_connect_object (self, "notify::is-active", G_CALLBACK (is_active_cb), self->tour_card,
                           G_CONNECT_SWAPPED);
  gtk_widget_grab_focus (next);
}

/* ---- The tour ---- */

static gboolean
shows_map (CuredWindow *self)
{
  return self->tab != NULL && _cured_tab_shows (self->tab, "result") &&
         cured_document_get_result (self->tab->document) != NULL &&
         !cured_map_view_is_live (cured_document_get_map_view (self->tab->document)) &&
         g_strcmp0 (adw_view_stack_get_visible_child_name (self->tab->views), "map") == 0;
}

static void
begin_cb (CuredWindow *self)
{
  if (self->tour_card == NULL && shows_map (self) && gtk_window_is_active (GTK_WINDOW (self)) &&
      !cured_settings_get_boolean (SEEN, TRUE))
    show_card (self, 0);
}

static void
tour_cb (CuredWindow *self, const char *action, GVariant *parameter)
{
  forget_card (self);
  if (self->tab == NULL)
    return;
  adw_view_stack_set_visible_child_name (self->tab->views, "map");
  if (shows_map (self))
    show_card (self, 0);
}

void
_cured_window_class_install_tour (GtkWidgetClass *klass)
{
  CURED_ACTION ("win.tour", NULL, tour_cb);
}

/* Shows the cards once, with the first visible map that is not being filled, after a delay for the
 * layout. If the map of a card disappears, so does the card, and the tour starts over. */
void
_cured_window_offer_tour (CuredWindow *self)
{
  if (self->tour_card != NULL && !shows_map (self))
    forget_card (self);
  if (self->tour_id == 0 && self->tour_card == NULL && shows_map (self) &&
      !cured_settings_get_boolean (SEEN, TRUE))
    CURED_LATER (tour_id, 400, begin_cb);
}

void
_cured_window_end_tour (CuredWindow *self)
{
  g_clear_handle_id (&self->tour_id, g_source_remove);
  if (self->tour_card != NULL)
    {
      g_signal_handlers_disconnect_by_data (self->tour_card, self);
      gtk_widget_unparent (self->tour_card);
    }
  self->tour_card = NULL;
}
