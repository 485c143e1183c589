/* SPDX-License-Identifier: MIT
 * The bank explorer and the stride explorer, in a real window. */
#include <math.h>
#include <string.h>

#include "app/cured-window-private.h"
#include "gui-test.h"
#include "make-result.h"

static gboolean
shows_picture (gpointer data)
{
  return shows (data, "view");
}

static gboolean
shows_empty (gpointer data)
{
  return shows (data, "empty");
}

static gboolean
is_idle (gpointer data)
{
  return !cured_inspector_is_busy (((CuredWindow *) data)->tab->inspector);
}

/* The page of a window, once it has what is asked for. */
static GtkWidget *
show_banks (CuredWindow *window, Condition condition)
{
  gtk_widget_activate_action (GTK_WIDGET (window), "win.show-view", "s", "banks");
  GtkWidget *page = wait_for_view (window, "banks");
  assert_soon (condition (page));
  settle ();
  assert_soon (is_idle (window));
  return page;
}

static void
set_value (CuredWindow *window, const char *name, gint64 value)
{
  gsize parameter;

  assert_soon (cured_kernel_find_parameter (cured_document_get_kernel (window->tab->document), name,
                                            &parameter));
  cured_document_set_value (window->tab->document, parameter, value);
  settle ();
  assert_soon (is_idle (window));
}

static CuredPicture *
get_chart (GtkWidget *page, const char *side)
{
  return CURED_PICTURE (get (get (page, side), "chart"));
}

static guint
get_wavefronts (GtkWidget *page, const char *side)
{
  const CuredBankPlot *plot = cured_bank_picture_get_plot (get_chart (page, side));

  return plot != NULL ? plot->counts.wavefronts : 0;
}

static const char *
get_label (GtkWidget *page, const char *name)
{
  return gtk_label_get_label (GTK_LABEL (get (page, name)));
}

static void
press_button (GtkWidget *page, const char *name)
{
  gtk_widget_activate (get (page, name));
  settle ();
}

static void
choose (GtkWidget *page, const char *name, gsize index)
{
  GtkDropDown *list = GTK_DROP_DOWN (get (page, name));
  gsize listed;

  /* What the program sets is no choice of a person's. */
  for (guint i = 0; !cured_choice_get_selected (list, &listed) || listed != index; i++)
    gtk_drop_down_set_selected (list, i);
  settle ();
}

static void
select_load (GtkWidget *page)
{
  CuredBankSites *sites = CURED_BANK_SITES (get (page, "sites"));
  gsize site = 0;

  while (cured_bank_sites_get_selected (sites)->kind != CURED_ACCESS_LOAD)
    assert_soon (cured_bank_sites_select (sites, site++));
  settle ();
}

/* Of the figures of a side: the first or the last label of a row: titles of groups, what figures
 * are, values. */
static GtkLabel *
get_figure (GtkWidget *page, const char *side, int row, gboolean is_last)
{
  GtkWidget *figures = get (get (page, side), "figures");
  GtkLabel *found = NULL;
  int at;

  for (GtkWidget *child = gtk_widget_get_first_child (figures);
       child != NULL && (found == NULL || is_last); child = gtk_widget_get_next_sibling (child))
    {
      gtk_grid_query_child (GTK_GRID (figures), child, NULL, &at, NULL, NULL);
      if (at == row)
        found = GTK_LABEL (child);
    }
  return found;
}

/* What stands over the figures of a side, of the first group or the last, in full. */
static const char *
get_group_title (GtkWidget *page, const char *side, gboolean is_last)
{
  GtkLabel *title = get_figure (page, side, 0, is_last);

  assert_soon (gtk_widget_get_mapped (GTK_WIDGET (title)) &&
               !pango_layout_is_ellipsized (gtk_label_get_layout (title)));
  return gtk_label_get_label (title);
}

/* Of a label's text. */
static int
get_baseline (GtkWidget *page, GtkLabel *label)
{
  graphene_point_t at;
  int y;

  g_assert_true (
      gtk_widget_compute_point (GTK_WIDGET (label), page, &GRAPHENE_POINT_INIT (0, 0), &at));
  gtk_label_get_layout_offsets (label, NULL, &y);
  return (int) at.y + y + PANGO_PIXELS (pango_layout_get_baseline (gtk_label_get_layout (label)));
}

/* The list, a site's picture, and what keys tell of its lanes. */
TEST ("/banks/sites")
{
  CuredWindow *window = open_recorded ("transpose-shared-h200.cured");
  GtkWidget *page = show_banks (window, shows_picture);
  CuredBankSites *sites = CURED_BANK_SITES (get (page, "sites"));
  CuredPicture *chart = get_chart (page, "first");

  set_value (window, "tile", 32);
  assert_soon_cmpuint (cured_bank_sites_get_n_rows (sites), ==, 2);
  const CuredBankSite *site = cured_bank_sites_get_selected (sites);
  assert_soon_cmpint (site->kind, ==, CURED_ACCESS_LOAD);
  assert_soon_cmpuint (site->wavefronts - site->least, ==, 31);
  assert_soon_cmpuint (get_wavefronts (page, "first"), ==, 32);
  assert_soon_nonnull (strstr (get_label (page, "site_title"), "ld.shared.f32"));
  shoot ("sites");

  /* Each figure has its unit and where it is from in sight. */
  assert_soon_cmpstr (get_group_title (page, "first", FALSE), ==,
                      "Wavefronts, counted by the emulator");
  assert_soon_cmpstr (get_group_title (page, "first", TRUE), ==, "Measured");

  /* All are on one line, also where the characters of one have a higher font. */
  GtkLabel *access = get_figure (page, "first", 2, FALSE);
  int height = gtk_widget_get_height (GTK_WIDGET (access));
  gtk_widget_add_css_class (GTK_WIDGET (access), "title-1");
  assert_soon (gtk_widget_get_height (GTK_WIDGET (access)) > height);
  int other = get_baseline (page, get_figure (page, "first", 2, TRUE));
  g_assert_cmpint (ABS (get_baseline (page, access) - other), <=, 1);

  /* The second row, by the keyboard. */
  gtk_widget_child_focus (GTK_WIDGET (sites), GTK_DIR_TAB_FORWARD);
  assert_soon (cured_bank_sites_select (sites, 0));
  settle ();
  assert_soon_cmpuint (get_wavefronts (page, "first"), ==, 1);
  int second_line = cured_bank_sites_get_selected (sites)->line;

  /* Lanes, by the arrow keys; each is read out. */
  assert_soon (cured_bank_sites_select (sites, (gsize) (4)));
  gtk_widget_grab_focus (GTK_WIDGET (chart));
  press ("Right");
  assert_soon_cmpint (cured_bank_picture_get_lane (chart), >=, 0);
  g_autofree char *before = g_strdup (get_label (page, "read_out"));
  press ("Down");
  assert_soon_cmpstr (get_label (page, "read_out"), !=, before);
  g_test_message ("%s", get_label (page, "read_out"));
  assert_soon_nonnull (strstr (get_label (page, "read_out"), "ane"));
  shoot ("sites-cursor");

  press_button (page, "addresses");
  shoot ("sites-addresses");

  /* Another page shows the line, and has one shown. */
  press_button (page, "show_source");
  assert_soon_cmpint (cured_document_get_line (window->tab->document), ==, site->line);
  assert_soon_cmpstr (adw_view_stack_get_visible_child_name (window->tab->views), ==, "source");
  cured_document_set_line (window->tab->document, second_line);
  assert_soon_cmpint (cured_bank_sites_get_selected (sites)->line, ==, second_line);
}

TEST ("/banks/compare")
{
  CuredWindow *window = open_recorded ("transpose-padded-h200.cured");
  GtkWidget *page = show_banks (window, shows_picture);

  set_value (window, "tile", 32);
  set_value (window, "padding", 0);
  select_load (page);
  assert_soon_cmpuint (get_wavefronts (page, "first"), ==, 32);
  assert_soon_not (gtk_widget_get_visible (get (page, "second")));

  press_button (page, "compare");
  assert_soon (get_wavefronts (page, "second") != 0);
  assert_soon (gtk_widget_get_visible (get (page, "second")));
  assert_soon_cmpuint (get_wavefronts (page, "first"), ==, 32);
  assert_soon_cmpuint (get_wavefronts (page, "second"), ==, 1);
  shoot ("compare");

  /* One cursor for both. */
  gtk_widget_grab_focus (GTK_WIDGET (get_chart (page, "first")));
  press ("Down Down Down");
  assert_soon_cmpint (cured_bank_picture_get_lane (get_chart (page, "first")), ==,
                      cured_bank_picture_get_lane (get_chart (page, "second")));
  press_button (page, "addresses");
  shoot ("compare-addresses");

  /* Off again: nothing more runs for the second side. */
  press_button (page, "compare");
  assert_soon_not (gtk_widget_get_visible (get (page, "second")));
}

/* Returns: the line of the PTX that the list goes to */
static int
press_in (CuredBankSites *sites, const char *key)
{
  int before = cured_bank_sites_get_selected (sites)->ptx_line;

  press (key);
  assert_soon (cured_bank_sites_get_selected (sites)->ptx_line != before);
  return cured_bank_sites_get_selected (sites)->ptx_line;
}

/* The keyboard focus stays in the list when other figures come. */
TEST ("/banks/keys")
{
  CuredWindow *window = open_recorded ("matmul-tile-padding-h200.cured");
  GtkWidget *page = show_banks (window, shows_picture);
  CuredBankSites *sites = CURED_BANK_SITES (get (page, "sites"));

  set_value (window, "padding", 0);
  set_value (window, "tile", 32);
  assert_soon_cmpuint (cured_bank_sites_get_n_rows (sites), ==, 4);
  assert_soon (gtk_widget_child_focus (GTK_WIDGET (sites), GTK_DIR_TAB_FORWARD));
  press_in (sites, "Down");
  int third = press_in (sites, "Down");
  int fourth = press_in (sites, "Down");
  press_in (sites, "Up");
  set_value (window, "n", 1024);
  assert_soon_cmpint (cured_bank_sites_get_selected (sites)->ptx_line, ==, third);
  press_in (sites, "Down");
  assert_soon_cmpint (cured_bank_sites_get_selected (sites)->ptx_line, ==, fourth);
}

/* The list of the second side's head of which the item has this title. */
static gboolean
choose_in_head (GtkWidget *widget, const char *title)
{
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      GListModel *model =
          GTK_IS_DROP_DOWN (child) ? gtk_drop_down_get_model (GTK_DROP_DOWN (child)) : NULL;

      for (guint i = 0; model != NULL && i < g_list_model_get_n_items (model); i++)
        {
          g_autoptr (CuredChoice) choice = g_list_model_get_item (model, i);

          if (g_str_equal (cured_choice_get_title (choice), title))
            {
              gtk_drop_down_set_selected (GTK_DROP_DOWN (child), i);
              return TRUE;
            }
        }
      if (choose_in_head (child, title))
        return TRUE;
    }
  return FALSE;
}

/* The same load in two kernels, at what both have of parameters. */
TEST ("/banks/compare-kernels")
{
  CuredWindow *window = open_recorded ("transpose-padded-h200.cured");
  GtkWidget *page = show_banks (window, shows_picture);

  set_value (window, "tile", 32);
  set_value (window, "padding", 1);
  select_load (page);
  assert_soon (get_wavefronts (page, "first") == 1);
  press_button (page, "compare");
  assert_soon (get_wavefronts (page, "second") != 0);
  assert_soon (choose_in_head (get (page, "second"), "kernel"));
  assert_soon (choose_in_head (get (page, "second"), "transpose/shared"));
  assert_soon (get_wavefronts (page, "second") == 32);
  assert_soon_cmpuint (get_wavefronts (page, "first"), ==, 1);
  shoot ("compare-kernels");
  press_button (page, "addresses");
  shoot ("compare-kernels-addresses");

  /* The other follows, and a parameter takes its place again. */
  set_value (window, "tile", 16);
  assert_soon (get_wavefronts (page, "second") != 0 && get_wavefronts (page, "second") != 32);
  assert_soon (choose_in_head (get (page, "second"), "padding"));
  assert_soon (get_wavefronts (page, "second") != 0);
  assert_soon_not (choose_in_head (get (page, "second"), "transpose/shared"));
}

TEST ("/banks/play")
{
  CuredWindow *window = open_recorded ("transpose-shared-h200.cured");
  GtkWidget *page = show_banks (window, shows_picture);
  CuredBankPlayer *player = CURED_BANK_PLAYER (get (page, "player"));
  CuredPicture *chart = get_chart (page, "first");
  CuredBankSites *sites = CURED_BANK_SITES (get (page, "sites"));
  GtkSettings *settings = gtk_widget_get_settings (page);

  g_object_set (settings, "gtk-enable-animations", TRUE, NULL);
  set_value (window, "tile", 32);
  gtk_widget_grab_focus (GTK_WIDGET (chart));
  assert_soon_cmpint (cured_picture_get_step (chart), ==, -1);
  press ("ctrl+Right");
  assert_soon_cmpint (cured_picture_get_step (chart), ==, 0);
  press ("ctrl+Right ctrl+Right");
  assert_soon_cmpint (cured_picture_get_step (chart), ==, 2);
  press ("ctrl+Left");
  assert_soon_cmpint (cured_picture_get_step (chart), ==, 1);
  shoot ("play");

  /* The same access keeps its position; another one starts at the beginning. */
  set_value (window, "n", 4096);
  assert_soon_cmpint (cured_picture_get_step (chart), ==, 1);
  set_value (window, "tile", 16);
  assert_soon_cmpint (cured_picture_get_step (chart), ==, -1);
  set_value (window, "tile", 32);
  press ("ctrl+Right ctrl+Right");
  assert_soon_cmpint (cured_picture_get_step (chart), ==, 1);

  press ("space");
  assert_soon (cured_bank_player_is_playing (player));
  assert_soon (cured_picture_get_step (chart) > 2);
  press ("space");
  assert_soon_not (cured_bank_player_is_playing (player));

  /* It stops where it is not shown. */
  cured_bank_player_set_step (player, 0);
  gtk_widget_grab_focus (GTK_WIDGET (chart));
  press ("space");
  assert_soon (cured_bank_player_is_playing (player));
  gtk_widget_activate_action (GTK_WIDGET (window), "win.show-view", "s", "map");
  assert_soon (!cured_bank_player_is_playing (player));
  show_banks (window, shows_picture);
  assert_soon_not (cured_bank_player_is_playing (player));

  /* In time: stores come before loads, and the list follows. */
  choose (page, "what", CURED_BANK_PLAY_ACCESSES);
  assert_soon_cmpint (cured_bank_sites_get_selected (sites)->kind, ==, CURED_ACCESS_STORE);
  assert_soon_cmpuint (get_wavefronts (page, "first"), ==, 1);
  gtk_widget_grab_focus (GTK_WIDGET (chart));
  press ("ctrl+Right ctrl+Right");
  assert_soon_cmpuint (cured_bank_player_get_step (player), ==, 2);
  set_value (window, "n", 1024);
  assert_soon_cmpuint (cured_bank_player_get_step (player), ==, 2);
  press ("ctrl+Right ctrl+Right ctrl+Right");
  assert_soon_cmpint (cured_bank_sites_get_selected (sites)->kind, ==, CURED_ACCESS_LOAD);
  assert_soon_cmpuint (get_wavefronts (page, "first"), ==, 32);
  shoot ("play-time");

  /* Without animations, it steps. */
  g_object_set (settings, "gtk-enable-animations", FALSE, NULL);
  assert_soon_not (gtk_widget_get_sensitive (get (page, "play")));
  press ("space");
  assert_soon_not (cured_bank_player_is_playing (player));
  press ("ctrl+Left");
  assert_soon_cmpuint (cured_bank_player_get_step (player), ==, 4);
  g_object_set (settings, "gtk-enable-animations", TRUE, NULL);
  assert_soon (gtk_widget_get_sensitive (get (page, "play")));
  g_object_set (settings, "gtk-enable-animations", FALSE, NULL);
}

TEST ("/banks/choosers")
{
  CuredWindow *window = open_recorded ("reduce-two-launch-h200.cured");
  GtkWidget *page = show_banks (window, shows_picture);
  GtkSpinButton *block = GTK_SPIN_BUTTON (get (page, "block"));
  GtkSpinButton *warp = GTK_SPIN_BUTTON (get (page, "warp"));
  double last;

  set_value (window, "n", 1000000);
  set_value (window, "block", 256);
  set_value (window, "blocks", 132);
  gtk_spin_button_get_range (warp, NULL, &last);
  assert_soon_cmpfloat (last, ==, 7.0);
  gtk_spin_button_get_range (block, NULL, &last);
  assert_soon_cmpfloat (last, ==, 131.0);

  gtk_spin_button_set_value (warp, 3);
  gtk_spin_button_set_value (block, 100);
  settle ();
  assert_soon (is_idle (window));
  assert_soon_cmpuint (cured_inspector_get_inspection (window->tab->inspector)->banks->warp, ==, 3);
  assert_soon_cmpuint (cured_inspector_get_inspection (window->tab->inspector)->banks->block[0], ==,
                       100);
  shoot ("choosers");

  /* Fewer blocks and warps: what was chosen stays inside of them. */
  set_value (window, "block", 64);
  set_value (window, "blocks", 24);
  assert_soon (is_idle (window));
  assert_soon_cmpfloat (gtk_spin_button_get_value (warp), ==, 1.0);
  assert_soon_cmpfloat (gtk_spin_button_get_value (block), ==, 23.0);
  shoot ("fewer");
  assert_soon (shows_picture (page));

  /* The second launch has one block. */
  assert_soon (gtk_widget_get_visible (get (page, "launch")));
  choose (page, "launch", 1);
  assert_soon (is_idle (window));
  gtk_spin_button_get_range (block, NULL, &last);
  assert_soon_cmpfloat (last, ==, 0.0);
  shoot ("launch");
  assert_soon (shows_picture (page));
}

TEST ("/banks/empty")
{
  CuredWindow *window = open_recorded ("vector-add-h200.cured");
  GtkWidget *page = show_banks (window, shows_empty);
  const char *description = adw_status_page_get_description (ADW_STATUS_PAGE (get (page, "empty")));

  assert_soon_nonnull (strstr (description, "Kernels that use it are "));
  shoot ("empty");
  close_window (window);

  /* A letter too many is reported with its line, and taken back. */
  window = open_recorded ("transpose-shared-h200.cured");
  page = show_banks (window, shows_picture);
  g_autofree char *original = g_strdup (cured_document_get_source (window->tab->document));
  const char *memory = strstr (original, "__shared__");
  g_autofree char *source =
      g_strdup_printf ("%.*soops %s", (int) (memory - original), original, memory);
  cured_document_set_source (window->tab->document, source);
  assert_soon (is_mapped (get (page, "note")));
  assert_soon_nonnull (strstr (get_label (page, "note"), "oops"));
  assert_soon (shows_picture (page));
  shoot ("edited");
  set_value (window, "tile", 8);
  assert_soon (shows_empty (page));
  settle ();
  description = adw_status_page_get_description (ADW_STATUS_PAGE (get (page, "empty")));
  assert_soon_nonnull (strstr (description, "oops"));
  assert_soon (gtk_widget_get_visible (get (page, "show_text")));
  shoot ("compile-error");
  cured_document_set_source (window->tab->document, original);
  assert_soon (shows_picture (page));
  close_window (window);

  /* Figures alone. */
  window = open_result ("small.cured");
  if (cured_document_get_kernel (window->tab->document) == NULL)
    show_banks (window, shows_empty);
}

TEST ("/banks/export")
{
  CuredWindow *window = open_recorded ("transpose-shared-h200.cured");
  g_autofree char *path = in_folder ("banks.csv");
  g_autofree char *picture = in_folder ("banks.png");
  g_autofree char *text = NULL;
  gboolean is_settled = FALSE;

  show_banks (window, shows_picture);
  g_signal_connect_swapped (window, "settled", G_CALLBACK (set_cb), &is_settled);
  cured_tab_export (cured_window_get_tab (window), cured_export_format_find ("csv"), path);
  assert_soon (is_set (&is_settled));
  assert_soon (g_file_get_contents (path, &text, NULL, NULL));
  assert_soon_nonnull (strstr (text, "ld.shared"));
  is_settled = FALSE;
  cured_tab_export (cured_window_get_tab (window), cured_export_format_find ("png"), picture);
  assert_soon (is_set (&is_settled));
  assert_soon (g_file_test (picture, G_FILE_TEST_EXISTS));
  g_signal_handlers_disconnect_by_data (window, &is_settled);
}

TEST ("/banks/kernel")
{
  CuredWindow *window = open_recorded ("vector-add-h200.cured");
  g_autoptr (CuredKernel) kernel = cured_catalogue_get ("matmul/tiled", NULL);
  g_autoptr (CuredKernel) other = cured_catalogue_get ("transpose/shared", NULL);
  GtkWidget *page = show_banks (window, shows_empty);

  /* A kernel of which nothing was measured. */
  gtk_window_set_default_size (GTK_WINDOW (window), 1280, 800);
  cured_document_set_kernel (window->tab->document, kernel);
  assert_soon (shows_picture (page));
  settle ();
  assert_soon_cmpuint (get_wavefronts (page, "first"), ==, 1);
  /* ptxas makes few wide loads of many narrow ones. */
  assert_soon (is_mapped (get (page, "widths")));
  assert_soon_nonnull (strstr (get_label (page, "widths"), "128"));
  shoot ("kernel");

  /* Nothing of it is shown for another kernel, which takes its time. */
  cured_document_set_kernel (window->tab->document, other);
  assert_soon_not (shows_picture (page));
  assert_soon_null (cured_bank_sites_get_selected (CURED_BANK_SITES (get (page, "sites"))));
  assert_soon_null (cured_page_get_drawing (page));
  assert_soon (shows_picture (page));
  cured_document_set_kernel (window->tab->document, kernel);
  assert_soon (shows_picture (page));

  /* With much room the list is beside the picture. */
  gtk_window_set_default_size (GTK_WINDOW (window), 2560, 1440);
  settle ();
  if (gtk_widget_get_width (page) >= 1500)
    assert_soon_cmpint (gtk_orientable_get_orientation (GTK_ORIENTABLE (get (page, "paned"))), ==,
                        GTK_ORIENTATION_HORIZONTAL);
  shoot ("kernel-large");
}

/* The last figure of a side: the time. */
static const char *
get_time (GtkWidget *page, const char *side)
{
  return gtk_label_get_label (get_figure (page, side, 2, TRUE));
}

static void
edit (CuredWindow *window, const char *what, const char *with)
{
  g_auto (GStrv) parts = g_strsplit (cured_document_get_source (window->tab->document), what, 2);
  g_autofree char *text = g_strjoinv (with, parts);

  assert_soon_cmpuint (g_strv_length (parts), ==, 2);
  cured_document_set_source (window->tab->document, text);
  settle ();
  assert_soon (is_idle (window));
}

/* Without being asked whether to save. */
static void
close_edited (CuredWindow *window)
{
  g_autofree char *source = g_strdup (cured_document_get_source (window->tab->document));

  cured_document_set_original (window->tab->document, source);
  close_window (window);
}

/* A time is shown beside the counts of the source that it was measured with. */
TEST ("/banks/edited")
{
  CuredWindow *window = open_recorded ("transpose-padded-h200.cured");
  GtkWidget *page = show_banks (window, shows_picture);

  set_value (window, "tile", 32);
  set_value (window, "padding", 1);
  select_load (page);
  assert_soon_cmpuint (get_wavefronts (page, "first"), ==, 1);
  g_autofree char *time = g_strdup (get_time (page, "first"));
  assert_soon_nonnull (strstr (time, "µs"));

  edit (window, "[TILE + PADDING]", "[TILE]");
  assert_soon (get_wavefronts (page, "first") == 32);
  assert_soon_cmpstr (get_time (page, "first"), ==, "—");
  shoot ("edited");

  /* Saving it makes it no other kernel's time. */
  g_autofree char *source = g_strdup (cured_document_get_source (window->tab->document));
  cured_document_set_original (window->tab->document, source);
  select_load (page);
  assert_soon_cmpstr (get_time (page, "first"), ==, "—");

  edit (window, "[TILE][TILE]", "[TILE][TILE + PADDING]");
  assert_soon (get_wavefronts (page, "first") == 1);
  assert_soon_cmpstr (get_time (page, "first"), ==, time);
  close_edited (window);
}

/* Before anything of it was ever compiled. */
TEST ("/banks/never-compiled")
{
  CuredWindow *window = open_recorded ("vector-add-h200.cured");
  g_autoptr (CuredKernel) kernel = cured_catalogue_get ("transpose/shared", NULL);

  cured_document_set_kernel (window->tab->document, kernel);
  edit (window, "__shared__ float", "__shared__ flaot");
  GtkWidget *page = show_banks (window, shows_empty);
  assert_soon_cmpstr (adw_status_page_get_title (ADW_STATUS_PAGE (get (page, "empty"))), ==,
                      "The Kernel Does Not Compile");
  /* Another mistake gets another message. */
  edit (window, "__shared__ flaot", "__shared__ folat");
  assert_soon (strstr (adw_status_page_get_description (ADW_STATUS_PAGE (get (page, "empty"))),
                       "folat") != NULL);
  edit (window, "__shared__ folat", "__shared__ float");
  assert_soon (shows_picture (page));
}

/* A result whose source this Cured refuses: the file has one, and both views show its
 * fault. */
TEST ("/banks/refused")
{
  g_autofree char *path = in_folder ("refused.cured");
  g_autofree char *contents = NULL;
  gsize length;

  make_result (path, &(MakeResult){ .n_tiles = 2 });
  MUST (g_file_get_contents (path, &contents, &length, &fail));
  char *group = memmem (contents, length, "[Launch]", 8);
  assert_soon_nonnull (group);
  memcpy (group, "[Lunch!]", 8);
  MUST (g_file_set_contents (path, contents, (gssize) length, &fail));
  CuredWindow *window = open_path (path);
  assert_soon_nonnull (cured_document_get_result (window->tab->document));
  assert_soon_null (cured_document_get_kernel (window->tab->document));
  GtkWidget *page = show_banks (window, shows_empty);
  assert_soon_nonnull (
      strstr (adw_status_page_get_description (ADW_STATUS_PAGE (get (page, "empty"))), "[Lunch!]"));
  assert_soon (gtk_widget_get_visible (get (page, "show_text")));
  g_autofree char *wrong = g_strdup (cured_document_get_source (window->tab->document));
  assert_soon_nonnull (cured_document_get_source_error (window->tab->document));
  /* It may be mended here. */
  edit (window, "[Lunch!]", "[Launch]");
  assert_soon_null (cured_document_get_source_error (window->tab->document));
  assert_soon_nonnull (cured_document_get_kernel (window->tab->document));
  cured_document_set_source (window->tab->document, wrong);
  assert_soon_nonnull (cured_document_get_source_error (window->tab->document));
  close_edited (window);
}

/* Rows of 130 bytes: most of what ldmatrix reads is misaligned. */
TEST ("/banks/fault")
{
  static const char source[] =
      "/*! cured\n * [Kernel]\n * Title=Rows\n *\n"
      " * [Buffer out]\n * Type=u32\n * Length=32\n * Fill=poison\n *\n"
      " * [Launch]\n * Entry=rows\n * Grid=1\n * Block=32\n * Arguments=out\n */\n"
      "extern \"C\" __global__ void\nrows (unsigned *out)\n{\n"
      "  __shared__ __align__ (16) unsigned short tile[32][65];\n"
      "  unsigned a, b, c, d;\n\n"
      "  for (int i = threadIdx.x; i < 32 * 65; i += 32)\n"
      "    tile[0][i] = i;\n"
      "  __syncthreads ();\n"
      "  asm volatile (\"ldmatrix.sync.aligned.m8n8.x4.shared.b16 \"\n"
      "    \"{%0, %1, %2, %3}, [%4];\" : \"=r\" (a), \"=r\" (b), \"=r\" (c),\n"
      "    \"=r\" (d) : \"r\" ((unsigned) __cvta_generic_to_shared (\n"
      "    &tile[threadIdx.x][0])));\n"
      "  out[threadIdx.x] = a + b + c + d;\n}\n";
  g_autofree char *path = in_folder ("fault.cu");

  MUST (g_file_set_contents (path, source, -1, &fail));
  CuredWindow *window = open_path (path);
  GtkWidget *page = show_banks (window, shows_picture);
  CuredBankSites *sites = CURED_BANK_SITES (get (page, "sites"));
  GtkWidget *note = get (page, "note");
  /* The worst is first. */
  assert_soon_cmpint (cured_bank_sites_get_selected (sites)->kind, ==, CURED_ACCESS_LDMATRIX);
  assert_soon (gtk_widget_get_visible (note));
  assert_soon (gtk_widget_has_css_class (note, "error"));
  assert_soon_nonnull (strstr (get_label (page, "note"), "Misaligned access"));
  assert_soon (g_str_has_prefix (gtk_label_get_label (GTK_LABEL (get (get (page, "first"), "why"))),
                                 "misaligned: lanes 1, 2, 3"));
  assert_soon_null (strstr (get_label (page, "read_out"), "conflict-free"));
  shoot ("fault");

  edit (window, "tile[32][65]", "tile[32][72]");
  assert_soon (!gtk_widget_get_visible (note));
  assert_soon_null (cured_bank_sites_get_selected (sites)->fault);
  close_edited (window);
}

/* A block with more to do than the emulator waits for is not a wrong one. */
TEST ("/banks/limit")
{
  CuredWindow *window = open_recorded ("transpose-shared-h200.cured");
  GtkWidget *page = show_banks (window, shows_picture);
  GtkWidget *note = get (page, "note");

  edit (window, "__syncthreads ();",
        "__syncthreads (); for (;;) ((volatile float *) tile)[0] = 1;");
  assert_soon (gtk_widget_get_visible (note) &&
               strstr (get_label (page, "note"), "The emulator's limit") != NULL);
  assert_soon_not (gtk_widget_has_css_class (note, "error"));
  close_edited (window);
}

/* How data flows has the player that the banks have. */
TEST ("/banks/flow")
{
  CuredWindow *window = open_recorded ("reduce-sequential-h200.cured");
  GtkWidget *page = show_banks (window, shows_picture);
  CuredPicture *chart = CURED_PICTURE (get (page, "flow_chart"));
  CuredBankPlayer *player = CURED_BANK_PLAYER (get (page, "player"));

  assert_soon_not (gtk_widget_get_visible (get (page, "flow_window")));
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (get (page, "flow")), TRUE);
  assert_soon (gtk_widget_get_mapped (GTK_WIDGET (chart)));
  assert_soon_not (gtk_widget_get_visible (get (page, "sides")));
  assert_soon_cmpint (cured_bank_player_get_play (player), ==, CURED_BANK_PLAY_ACCESSES);
  assert_soon_cmpint (cured_picture_get_step (chart), ==, 0);
  assert_soon_cmpuint (cured_picture_get_chart (chart)->n_steps, >, 3);

  /* By keyboard: on, to the last and back, and the list goes along. */
  gtk_widget_grab_focus (GTK_WIDGET (chart));
  press ("Down");
  assert_soon_cmpint (cured_picture_get_step (chart), ==, 1);
  assert_soon_cmpuint (cured_bank_player_get_step (player), ==, 1);
  assert_soon (g_str_has_prefix (get_label (page, "read_out"), "Line "));
  shoot ("flow");
  press ("End");
  assert_soon_cmpint (cured_picture_get_step (chart), ==,
                      (gssize) cured_picture_get_chart (chart)->n_steps - 1);
  press ("Home");
  assert_soon_cmpint (cured_picture_get_step (chart), ==, 0);
  g_object_set (gtk_widget_get_settings (page), "gtk-enable-animations", TRUE, NULL);
  press ("space");
  assert_soon_cmpint (cured_picture_get_step (chart), >, 1);
  press ("space");
  assert_soon_not (cured_bank_player_is_playing (player));
  g_object_set (gtk_widget_get_settings (page), "gtk-enable-animations", FALSE, NULL);
  g_autoptr (CuredDrawing) drawing = cured_page_get_drawing (page);
  assert_soon_nonnull (drawing);

  /* Another block has another part of the input. */
  const CuredBankView *view = cured_inspector_get_inspection (window->tab->inspector)->banks;
  assert_soon_cmpuint (view->n_slices, >, 0);
  assert_soon_cmpuint (view->slices[0].read_begin, ==, 0);
  gtk_spin_button_set_value (GTK_SPIN_BUTTON (get (page, "block")), 1);
  assert_soon (
      is_idle (window) && cured_inspector_get_inspection (window->tab->inspector) != NULL &&
      cured_inspector_get_inspection (window->tab->inspector)->banks->slices[0].read_begin > 0);
}

/* Threads are played, and gone to by keyboard; so are elements, which the player does not have. */
TEST ("/banks/threads")
{
  CuredWindow *window = open_recorded ("reduce-sequential-h200.cured");
  GtkWidget *page = show_banks (window, shows_picture);
  CuredPicture *chart = CURED_PICTURE (get (page, "thread_chart"));
  CuredBankPlayer *player = CURED_BANK_PLAYER (get (page, "player"));

  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (get (page, "threads")), TRUE);
  assert_soon (gtk_widget_get_mapped (GTK_WIDGET (chart)));
  assert_soon_not (gtk_widget_get_visible (get (page, "sides")));
  assert_soon_not (gtk_widget_get_visible (get (player, "what")));
  gssize n_threads = (gssize) cured_picture_get_chart (chart)->n_steps;
  assert_soon_cmpint (n_threads, >=, 32);
  assert_soon_cmpint (cured_picture_get_item (chart), ==, -1);
  shoot ("threads");

  /* Where the pointer is, a thread would be chosen. */
  move_pointer_to (page, 1, 1);
  gtk_widget_grab_focus (GTK_WIDGET (chart));
  press ("Right");
  assert_soon_cmpint (cured_picture_get_item (chart), ==, 0);
  press ("Right");
  assert_soon_cmpint (cured_picture_get_item (chart), ==, 1);
  assert_soon_cmpuint (cured_bank_player_get_step (player), ==, 2);
  assert_soon (g_str_has_prefix (get_label (page, "read_out"), "Thread 1 "));
  assert_soon_nonnull (strstr (get_label (page, "read_out"), "reads in["));
  shoot ("thread");
  press ("Page_Down");
  assert_soon_cmpint (cured_picture_get_item (chart), ==, n_threads);
  assert_soon (g_str_has_prefix (get_label (page, "read_out"), "in[0]; read"));
  shoot ("element");
  press ("Escape");
  assert_soon_cmpint (cured_picture_get_item (chart), ==, -1);
  assert_soon_cmpuint (cured_bank_player_get_step (player), ==, 0);

  g_object_set (gtk_widget_get_settings (page), "gtk-enable-animations", TRUE, NULL);
  press ("space");
  assert_soon_cmpint (cured_picture_get_item (chart), >, 0);
  press ("space");
  assert_soon_not (cured_bank_player_is_playing (player));
  g_object_set (gtk_widget_get_settings (page), "gtk-enable-animations", FALSE, NULL);
  g_autoptr (CuredDrawing) drawing = cured_page_get_drawing (page);
  assert_soon_nonnull (drawing);

  /* The banks have their own things to play again. */
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (get (page, "banks")), TRUE);
  assert_soon_cmpint (cured_bank_player_get_play (player), ==, CURED_BANK_PLAY_WAVEFRONTS);
  assert_soon (gtk_widget_get_visible (get (player, "what")));
}

/* Without shared memory, there still is what a block does to its buffers. */
TEST ("/banks/buffers")
{
  CuredWindow *window = open_recorded ("vector-one-h200.cured");
  GtkWidget *page = show_banks (window, shows_empty);

  assert_soon (gtk_widget_get_visible (get (page, "show_flow")));
  press_button (page, "show_flow");
  assert_soon (shows (page, "view"));
  assert_soon (gtk_widget_get_mapped (get (page, "thread_chart")));
  assert_soon_cmpuint (
      cured_picture_get_chart (CURED_PICTURE (get (page, "thread_chart")))->n_steps, >, 0);
  g_autoptr (CuredDrawing) drawing = cured_page_get_drawing (page);
  assert_soon_nonnull (drawing);
  shoot ("buffers");
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (get (page, "flow")), TRUE);
  assert_soon (gtk_widget_get_mapped (get (page, "flow_chart")));
  assert_soon_cmpuint (cured_picture_get_chart (CURED_PICTURE (get (page, "flow_chart")))->n_steps,
                       ==, 0);
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (get (page, "banks")), TRUE);
  assert_soon (shows_empty (page));
}

/* Nothing is cut where there is little room, in the dark. */
TEST ("/banks/small")
{
  AdwStyleManager *manager = adw_style_manager_get_default ();
  CuredWindow *window = open_recorded ("transpose-padded-h200.cured");

  adw_style_manager_set_color_scheme (manager, ADW_COLOR_SCHEME_FORCE_DARK);
  gtk_window_set_default_size (GTK_WINDOW (window), 800, 600);
  settle ();
  GtkWidget *page = show_banks (window, shows_picture);
  set_value (window, "tile", 32);
  set_value (window, "padding", 0);
  select_load (page);
  assert_soon_cmpint (gtk_widget_get_width (GTK_WIDGET (window)), <=, 830);
  shoot ("small-dark");
  press_button (page, "compare");
  assert_soon (get_wavefronts (page, "second") != 0);
  shoot ("small-compare-dark");
  assert_soon_cmpstr (get_group_title (page, "second", FALSE), ==, "Wavefronts · excess, counted");
  assert_soon_cmpstr (get_group_title (page, "second", TRUE), ==, "Measured");
  assert_soon_cmpint (gtk_widget_get_width (GTK_WIDGET (window)), <=, 830);
  close_window (window);

  window = open_recorded ("reduce-two-launch-h200.cured");
  gtk_window_set_default_size (GTK_WINDOW (window), 800, 600);
  settle ();
  page = show_banks (window, shows_picture);
  shoot ("small-launches");
  assert_soon_cmpint (gtk_widget_get_width (GTK_WIDGET (window)), <=, 830);
  adw_style_manager_set_color_scheme (manager, ADW_COLOR_SCHEME_DEFAULT);
}

TEST ("/banks/stride")
{
  CuredWindow *window = cured_window_new (application);
  CuredBankCounts counts;

  gtk_window_present (GTK_WINDOW (window));
  settle ();
  gtk_widget_activate_action (GTK_WIDGET (window), "win.stride-explorer", NULL);
  GtkWindow *explorer = find_dialog (CURED_TYPE_STRIDE_EXPLORER);
  assert_soon_nonnull (explorer);
  assert_soon (is_mapped (explorer));
  settle ();
  CuredPicture *chart = CURED_PICTURE (get (explorer, "chart"));
  counts = cured_bank_picture_get_plot (chart)->counts;
  assert_soon_cmpuint (counts.wavefronts, ==, 1);
  shoot ("stride");

  /* A column of a tile: every lane in one bank. */
  gtk_drop_down_set_selected (GTK_DROP_DOWN (get (explorer, "preset")), 3);
  settle ();
  counts = cured_bank_picture_get_plot (chart)->counts;
  assert_soon_cmpuint (counts.wavefronts, ==, 32);
  assert_soon_cmpuint (counts.conflicts, ==, 31);
  shoot ("stride-column");

  /* A row of 32 words gets one more by the keyboard alone: no conflict. */
  press ("alt+p");
  press ("Right");
  counts = cured_bank_picture_get_plot (chart)->counts;
  assert_soon_cmpuint (counts.wavefronts, ==, 1);
  assert_soon_cmpuint (gtk_drop_down_get_selected (GTK_DROP_DOWN (get (explorer, "preset"))), ==,
                       13);
  press ("alt+a");
  shoot ("stride-padded");

  /* A swizzle of bytes that is written for elements, and what is offered. */
  gtk_stack_set_visible_child_name (GTK_STACK (get (explorer, "stack")), "layout");
  settle ();
  counts = cured_bank_picture_get_plot (chart)->counts;
  assert_soon_cmpuint (counts.wavefronts, ==, 8);
  assert_soon_cmpuint (counts.conflicts, ==, 4);
  shoot ("layout");
  gpointer panel = get (explorer, "layout");
  gtk_widget_activate (get (panel, "nearest"));
  settle ();
  assert_soon_cmpstr (gtk_editable_get_text (GTK_EDITABLE (get (panel, "layout"))), ==,
                      "Swizzle<3,3,3> o (16,64):(64,1)");
  counts = cured_bank_picture_get_plot (chart)->counts;
  assert_soon_cmpuint (counts.conflicts, ==, 0);
  gtk_editable_set_text (GTK_EDITABLE (get (panel, "layout")), "(16,64");
  settle ();
  shoot ("layout-unfinished");
  press ("Escape");
  assert_soon_null (find_dialog (CURED_TYPE_STRIDE_EXPLORER));
}

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  CuredCompiler *compiler = cured_compiler_new (&error);

  /* Every picture of banks is that of a kernel that ran. */
  if (compiler == NULL)
    {
      g_print ("skipped: %s\n", error->message);
      return 77;
    }
  cured_compiler_free (compiler);
  begin (&argc, &argv);
  return run_and_end ();
}
