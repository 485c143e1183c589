/* SPDX-License-Identifier: MIT
 * Two results, cell by cell. */
#include <config.h>

#include "compare/cured-gui-compare.h"
#include "map/cured-gui-map.h"

#include <math.h>

/* Maximum rows in the list of changes; `cured compare --all` prints all of them. */
#define MAX_ROWS 1000

#define ONE_MAP 0

/* Maximum recent files in the menu. */
#define MAX_RECENT 8

/* Interval of comparisons while a sweep runs. */
#define REFRESH_DELAY_MS 2000

/* A row of the list. */

#define CURED_TYPE_PAIR_ROW (cured_pair_row_get_type ())
G_DECLARE_FINAL_TYPE (CuredPairRow, cured_pair_row, CURED, PAIR_ROW, GObject)

struct _CuredPairRow
{
  GObject parent_instance;

  CuredPair pair;
  char *where;
};

CURED_DEFINE_PLAIN_TYPE (CuredPairRow, cured_pair_row, G_TYPE_OBJECT)

static void
cured_pair_row_class_init (CuredPairRowClass *klass)
{
  CURED_FREES (CuredPairRow, g_free, where);
}

/* The output of a thread. It has loaded its own results, with the columns for the map, and passes
 * them to the page. */
typedef struct
{
  CuredResult *a, *b;
  CuredComparison *comparison;
  GArray *largest;
  guint n_left_out;
} Found;

CURED_FREE_FUNC (Found, found_free, a, g_object_unref, b, g_object_unref, comparison,
                 cured_comparison_free, largest, g_array_unref)

struct _CuredComparePage
{
  CuredPage page;

  /* Template widgets */
  GtkWidget *files, *empty_buttons, *choose_empty, *charts, *strips;
  GtkLabel *name_a, *name_b, *read_out, *counts, *best, *summary, *left_out, *change, *value_a,
      *value_b;
  GtkMenuButton *choose;
  GtkStack *stack;
  AdwStatusPage *empty;
  GtkSpinner *spinner;
  GtkDropDown *metric, *x_axis, *y_axis, *show_as;
  GtkCheckButton *significant;
  CuredPicture *chart, *strip_a, *strip_b;
  CuredSlices *slices;
  CuredHeatMap *map;
  GtkColumnView *list;

  /* Owned */
  CuredMapView *view; /* of @a, with @b; empty if they are NULL */
  CuredResult *other; /* nullable: the chosen second file */
  CuredResult *a;     /* nullable: nothing is compared */
  CuredResult *b;     /* nullable, as @a */
  Found *found;       /* nullable */
  gsize shown_as;     /* 0: one map; else an axis + 1, with a map for each of its values */
  guint chart_id;
  GListStore *changes;
  GtkSingleSelection *selection;
  CuredTask *loading, *comparing;
  GCancellable *sampling; /* nullable */
  CuredOutcome *outcome_a, *outcome_b;
  char *recorded; /* nullable: path of the kernel's recording */

  gint64 cell_a; /* whose samples are shown; -1: none */
  gint64 cell_b;
  double full_width;   /* of the list with all columns; 0: all are shown */
  gboolean is_fitting; /* fit_columns() is scheduled */
  gboolean is_swapped;
  gboolean is_moving; /* list and map follow each other */
  guint refresh_id;
};

G_DEFINE_FINAL_TYPE (CuredComparePage, cured_compare_page, CURED_TYPE_PAGE)

static void
show_empty (CuredComparePage *self, const char *title, const char *description,
            gboolean has_buttons)
{
  gtk_widget_set_visible (self->empty_buttons, has_buttons);
  cured_page_show_empty (self, NULL, title, description);
}

static const CuredMetricInfo *
get_metric (CuredComparePage *self)
{
  return &cured_result_get_metrics (self->a, NULL)[cured_map_view_get_view (self->view)->metric];
}

/* Samples of one cell of each file. */

static void
clear_samples (CuredComparePage *self)
{
  g_cancellable_cancel (self->sampling);
  g_clear_object (&self->sampling);
  cured_picture_set_chart (self->strip_a, NULL, -1);
  cured_picture_set_chart (self->strip_b, NULL, -1);
  g_clear_pointer (&self->outcome_a, cured_outcome_free);
  g_clear_pointer (&self->outcome_b, cured_outcome_free);
}

/* Both plots have the same scales. */
static void
draw_samples (CuredPicture *strip, const CuredOutcome *outcome, const CuredOutcome *beside)
{
  cured_picture_set_chart (strip, outcome != NULL ? cured_samples_plot_new (outcome, beside) : NULL,
                           -1);
}

static void
sampled_cb (GObject *source, GAsyncResult *answer, gpointer user_data)
{
  g_autoptr (CuredComparePage) self = user_data;
  g_autoptr (GError) error = NULL;
  CuredOutcome *outcome = cured_result_load_outcome_finish (CURED_RESULT (source), answer, &error);

  if (outcome == NULL)
    return;
  if (CURED_RESULT (source) == self->a && self->outcome_a == NULL)
    self->outcome_a = outcome;
  else if (CURED_RESULT (source) == self->b && self->outcome_b == NULL)
    self->outcome_b = outcome;
  else
    cured_outcome_free (outcome);
  draw_samples (self->strip_a, self->outcome_a, self->outcome_b);
  draw_samples (self->strip_b, self->outcome_b, self->outcome_a);
}

static void
set_value (GtkLabel *label, const char *side, CuredResult *result, gint64 cell, const char *metric)
{
  g_autofree char *figure = NULL;
  gsize index;

  if (cell < 0)
    figure = g_strdup (_ ("no such cell"));
  else if (cured_result_find_metric (result, metric, &index) &&
           !isnan (cured_result_get_value (result, cell, index)))
    figure = cured_text_figure (result, cell, index);
  else
    figure = g_strdup (cured_state_get_title (cured_result_get_state (result, cell)));
  /* Translators: which file, A or B, and its figure. */
  g_autofree char *text = g_strdup_printf (_ ("%s: %s"), side, figure);
  cured_widget_say (label, text);
}

/* (nullable): the pair of two cells */
static const CuredPair *
find_pair (CuredComparePage *self, gint64 cell_a, gint64 cell_b)
{
  const GArray *pairs = self->found->comparison->pairs;

  for (guint i = 0; i < pairs->len; i++)
    {
      const CuredPair *pair = &g_array_index (pairs, CuredPair, i);

      if (pair->cell_a == cell_a && pair->cell_b == cell_b)
        return pair;
    }
  return NULL;
}

/* A value with its cell, as "2.98 ms (tile_m 128)". */
static char *
describe_value (CuredComparePage *self, CuredResult *result, gint64 cell, double value)
{
  g_autofree char *figure = cured_format_quantity (value, get_metric (self)->unit);
  g_autofree char *where = cured_text_values (result, cell, FALSE);

  /* Translators: a figure, and the parameters of its cell. */
  return where != NULL && *where != '\0' ? g_strdup_printf (_ ("%s (%s)"), figure, where)
                                         : g_steal_pointer (&figure);
}

/* Shows the bests of A and B for the problem at the cursor. */
static void
show_best (CuredComparePage *self, const CuredPair *like)
{
  CuredPair best;
  gboolean has_best = cured_comparison_get_best (self->found->comparison, self->a, self->b,
                                                 get_metric (self)->id, like, &best);

  gtk_widget_set_visible (GTK_WIDGET (self->best), has_best);
  if (!has_best)
    return;
  g_autofree char *a = describe_value (self, self->a, best.cell_a, best.a);
  g_autofree char *b = describe_value (self, self->b, best.cell_b, best.b);
  g_autofree char *change = cured_pair_describe (&best, get_metric (self));
  cured_widget_print (
      self->best,
      /* Translators: how the best of file B differs from the best of file A, as in "2.1 % slower",
       * and both figures. */
      _ ("Best against best: B is %s.\nA: %s\nB: %s"), change, a, b);
}

static void
show_change (CuredComparePage *self, const CuredPair *pair)
{
  gboolean is_told = pair != NULL && pair->verdict != CURED_VERDICT_ONLY_A &&
                     pair->verdict != CURED_VERDICT_ONLY_B;

  gtk_widget_set_visible (GTK_WIDGET (self->change), is_told);
  if (!is_told)
    return;
  g_autofree char *change = cured_pair_describe (pair, get_metric (self));
  /* Translators: how a cell of file B differs from the one of file A, as in "2.1 % slower". */
  cured_widget_print (self->change, _ ("B is %s."), change);
}

static void
show_samples (CuredComparePage *self, gint64 cell_a, gint64 cell_b)
{
  const char *metric = get_metric (self)->id;
  const CuredPair *pair = self->found != NULL ? find_pair (self, cell_a, cell_b) : NULL;

  show_change (self, pair);
  if (self->found != NULL)
    show_best (self, pair);
  set_value (self->value_a, "A", self->a, cell_a, metric);
  set_value (self->value_b, "B", self->b, cell_b, metric);
  cured_map_view_set_cell (self->view, cell_a);
  if (cell_a == self->cell_a && cell_b == self->cell_b)
    return;
  self->cell_a = cell_a;
  self->cell_b = cell_b;
  clear_samples (self);
  self->sampling = g_cancellable_new ();
  if (cell_a >= 0)
    cured_result_load_outcome_async (self->a, cell_a, self->sampling, sampled_cb,
                                     g_object_ref (self));
  if (cell_b >= 0)
    cured_result_load_outcome_async (self->b, cell_b, self->sampling, sampled_cb,
                                     g_object_ref (self));
}

/* The map. */

static gboolean
get_cursor_cells (CuredComparePage *self, gint64 *cell_a, gint64 *cell_b)
{
  const CuredGrid *grid = cured_map_view_get_grid (self->view);
  gsize column, row;

  if (!cured_map_view_get_cursor (self->view, &column, &row) || grid->other_cells == NULL)
    return FALSE;
  *cell_a = grid->cells[row * grid->nx + column];
  *cell_b = grid->other_cells[row * grid->nx + column];
  return TRUE;
}

static void update_read_out (CuredComparePage *self);

/* Maps side by side, one for each value of a parameter. */

static CuredChart *
make_chart (CuredComparePage *self)
{
  return cured_multiples_new (self->a, cured_map_view_get_view (self->view), self->shown_as - 1);
}

static void
update_chart (CuredComparePage *self)
{
  gboolean is_shown = self->a != NULL && self->found != NULL && self->shown_as != ONE_MAP;

  g_clear_handle_id (&self->chart_id, g_source_remove);
  if (is_shown)
    cured_picture_set_chart (self->chart, make_chart (self), -1);
  gtk_widget_set_visible (self->charts, is_shown);
  gtk_widget_set_visible (GTK_WIDGET (self->map), !is_shown);
  update_read_out (self);
}

static void
fill_show_as (CuredComparePage *self)
{
  g_autoptr (GListStore) store = g_list_store_new (CURED_TYPE_CHOICE);
  const CuredView *view = cured_map_view_get_view (self->view);

  if (!cured_slices_may_split (self->a, view, self->shown_as))
    self->shown_as = ONE_MAP;
  cured_slices_add_splits (store, self->a, view);
  cured_choice_fill (self->show_as, store, self->shown_as);
  gtk_widget_set_visible (GTK_WIDGET (self->show_as),
                          g_list_model_get_n_items (G_LIST_MODEL (store)) > 1);
}

static void
show_as_chosen_cb (CuredComparePage *self)
{
  gsize number;

  if (self->a == NULL || !cured_choice_get_selected (self->show_as, &number) ||
      number == self->shown_as)
    return;
  self->shown_as = number;
  update_chart (self);
}

/* Shows only the map of the marked panel. */
static void
chart_activated_cb (CuredComparePage *self)
{
  gssize item = cured_picture_get_item (self->chart);
  gsize axis = self->shown_as - 1;
  gsize n_axes;
  gint64 cell = item >= 0
                    ? cured_map_chart_get_cell (cured_picture_get_chart (self->chart), (gsize) item)
                    : -1;

  if (cell < 0)
    return;
  cured_result_get_axes (self->a, &n_axes);
  g_autofree gsize *positions = g_new0 (gsize, n_axes);
  cured_result_get_positions (self->a, cell, positions);
  self->shown_as = ONE_MAP;
  cured_choice_set_selected (self->show_as, ONE_MAP);
  cured_map_view_set_position (self->view, axis, positions[axis]);
  update_chart (self);
  gtk_widget_grab_focus (GTK_WIDGET (self->map));
}

static void
grid_changed_cb (CuredComparePage *self)
{
  update_read_out (self);
  if (self->a == NULL || self->found == NULL)
    return;
  fill_show_as (self);
  CURED_LATER (chart_id, 0, update_chart);
}

static void
update_read_out (CuredComparePage *self)
{
  gsize column, row;

  if (self->shown_as != ONE_MAP)
    {
      g_autofree char *told = cured_picture_get_read_out (self->chart);

      cured_widget_say (self->read_out, told);
      return;
    }
  if (!cured_heat_map_get_pointed (self->map, &column, &row))
    return;
  g_autofree char *text = cured_text_read_out (cured_map_view_get_grid (self->view), column, row);
  cured_widget_say (self->read_out, text);
}

/* Selects the row of the cell at the cursor, if the list has it. */
static void
cursor_moved_cb (CuredComparePage *self)
{
  gint64 cell_a, cell_b;

  update_read_out (self);
  if (!get_cursor_cells (self, &cell_a, &cell_b))
    return;
  show_samples (self, cell_a, cell_b);
  if (self->is_moving)
    return;
  self->is_moving = TRUE;
  guint n = g_list_model_get_n_items (G_LIST_MODEL (self->selection));
  for (guint i = 0; i <= n; i++)
    {
      g_autoptr (CuredPairRow) change =
          i < n ? g_list_model_get_item (G_LIST_MODEL (self->selection), i) : NULL;

      if (i < n && (change->pair.cell_a != cell_a || change->pair.cell_b != cell_b))
        continue;
      gtk_single_selection_set_selected (self->selection, i < n ? i : GTK_INVALID_LIST_POSITION);
      break;
    }
  self->is_moving = FALSE;
}

/* Gets a pair's slice, in the first file's axes. */
static gboolean
get_pair_positions (CuredComparePage *self, const CuredPair *pair, gsize *positions)
{
  gsize n_axes, n_others;
  const CuredResultAxis *axes = cured_result_get_axes (self->a, &n_axes);
  const CuredResultAxis *others = cured_result_get_axes (self->b, &n_others);
  const CuredView *view = cured_map_view_get_view (self->view);
  g_autofree gsize *other_positions = g_new0 (gsize, n_others + 1);

  if (pair->cell_a >= 0)
    {
      cured_result_get_positions (self->a, pair->cell_a, positions);
      return TRUE;
    }
  cured_result_get_positions (self->b, pair->cell_b, other_positions);
  for (gsize i = 0; i < n_axes; i++)
    for (gsize j = 0; j < n_others; j++)
      if (g_str_equal (axes[i].name, others[j].name) &&
          !cured_axis_find (axes[i].values,
                            cured_axis_get_value (others[j].values, other_positions[j]),
                            &positions[i]) &&
          i != view->x_axis && i != view->y_axis)
        return FALSE;
  return TRUE;
}

/* Shows the slice of a pair and puts the cursor there. */
static void
go_to_pair (CuredComparePage *self, const CuredPair *pair)
{
  gsize n_axes;

  cured_result_get_axes (self->a, &n_axes);
  g_autofree gsize *positions =
      g_memdup2 (cured_map_view_get_view (self->view)->positions, MAX (n_axes, 1) * sizeof (gsize));
  if (!get_pair_positions (self, pair, positions))
    {
      show_samples (self, pair->cell_a, pair->cell_b);
      return;
    }
  cured_map_view_set_positions (self->view, positions);
  const CuredGrid *grid = cured_map_view_get_grid (self->view);
  for (gsize i = 0; i < grid->nx * grid->ny; i++)
    if (grid->cells[i] == pair->cell_a && grid->other_cells[i] == pair->cell_b)
      {
        cured_map_view_set_cursor (self->view, i % grid->nx, i / grid->nx);
        break;
      }
  show_samples (self, pair->cell_a, pair->cell_b);
}

static void
row_selected_cb (CuredComparePage *self)
{
  CuredPairRow *change = gtk_single_selection_get_selected_item (self->selection);

  if (change == NULL || self->is_moving || self->a == NULL)
    return;
  self->is_moving = TRUE;
  go_to_pair (self, &change->pair);
  self->is_moving = FALSE;
}

static void
fill_metric (CuredComparePage *self)
{
  g_autoptr (GListStore) store = g_list_store_new (CURED_TYPE_CHOICE);
  gsize n_metrics;
  const CuredMetricInfo *metrics = cured_result_get_metrics (self->a, &n_metrics);
  gsize metric = cured_map_view_get_view (self->view)->metric;

  for (gsize i = 0; i < n_metrics; i++)
    {
      gsize other;

      /* Names have no ratio. */
      if (g_str_equal (metrics[i].unit, "limit"))
        continue;
      if (i != metric && (!cured_result_has_values (self->a, i) ||
                          !cured_result_find_metric (self->b, metrics[i].id, &other) ||
                          !cured_result_has_values (self->b, other)))
        continue;
      g_autofree char *title = cured_text_metric (&metrics[i]);
      g_autofree char *tooltip = cured_text_metric_tooltip (&metrics[i]);

      cured_choice_add (store, i, title, cured_text_origin (metrics[i].origin), tooltip);
    }
  cured_choice_fill (self->metric, store, metric);
}

/* The list. */

static char *
describe_pair (CuredComparePage *self, const CuredPair *pair)
{
  g_autofree char *where = pair->cell_a >= 0 ? cured_text_values (self->a, pair->cell_a, FALSE)
                                             : cured_text_values (self->b, pair->cell_b, FALSE);
  g_autofree char *best =
      cured_compare_text_best (self->b, &self->found->comparison->match->b, pair->cell_b);

  if (pair->cell_a < 0 || best == NULL)
    return g_steal_pointer (&where);
  /* Translators: the parameters of a cell, and those that only file B has. */
  return g_strdup_printf (_ ("%s · B: %s"), where, best);
}

typedef enum
{
  COLUMN_CELL,
  COLUMN_RATIO,
  COLUMN_CHANGE,
  COLUMN_A,
  COLUMN_B,
  N_COLUMNS
} Column;

/* ORDER: as Column. */
static const struct
{
  const char *title, *tooltip;
} columns[N_COLUMNS] = {
  { N_ ("Cell"), N_ ("Its parameters") },
  { N_ ("B ÷ A"), N_ ("The value in the second file divided by the one in the first") },
  /* Translators: how a cell of the second file differs. */
  { N_ ("Change"), N_ ("Green is better, orange is worse; grey is within the noise, or too small "
                       "to matter") },
  { "A", N_ ("The value in the first file") },
  { "B", N_ ("The value in the second file") },
};

static char *
format_side (CuredComparePage *self, CuredResult *result, gint64 cell, double value)
{
  if (!isnan (value))
    return cured_format_quantity (value, get_metric (self)->unit);
  if (cell < 0)
    return g_strdup ("—");
  return g_strdup (cured_state_get_title (cured_result_get_state (result, cell)));
}

static char *
format_column (CuredComparePage *self, Column column, CuredPairRow *change)
{
  const CuredPair *pair = &change->pair;

  switch (column)
    {
    case COLUMN_CELL: return g_strdup (change->where);
    case COLUMN_A: return format_side (self, self->a, pair->cell_a, pair->a);
    case COLUMN_B: return format_side (self, self->b, pair->cell_b, pair->b);
    case COLUMN_RATIO:
      return isnan (pair->ratio) ? g_strdup ("—") : g_strdup_printf ("%.3f", pair->ratio);
    case COLUMN_CHANGE: return cured_pair_describe_change (pair, get_metric (self));
    case N_COLUMNS:
    default: g_return_val_if_reached (g_strdup (""));
    }
}

static void
setup_cb (GtkSignalListItemFactory *factory, GtkListItem *item, gpointer user_data)
{
  Column column = GPOINTER_TO_UINT (user_data);
  GtkWidget *label = gtk_label_new (NULL);

  gtk_label_set_xalign (GTK_LABEL (label),
                        column == COLUMN_CELL || column == COLUMN_CHANGE ? 0.0f : 1.0f);
  if (column == COLUMN_CELL || column == COLUMN_CHANGE)
    {
      gtk_label_set_wrap (GTK_LABEL (label), TRUE);
      gtk_label_set_width_chars (GTK_LABEL (label), 9);
      gtk_label_set_max_width_chars (GTK_LABEL (label), 13);
    }
  gtk_widget_add_css_class (label, "numeric");
  gtk_list_item_set_child (item, label);
}

static void
bind_cb (GtkSignalListItemFactory *factory, GtkListItem *item, gpointer user_data)
{
  static const char *const classes[] = { "success", "warning", "dim-label" };
  Column column = GPOINTER_TO_UINT (user_data);
  CuredComparePage *self = g_object_get_data (G_OBJECT (factory), "page");
  CuredPairRow *change = gtk_list_item_get_item (item);
  GtkWidget *label = gtk_list_item_get_child (item);
  gsize shade = change->pair.verdict == CURED_VERDICT_BETTER  ? 0
                : change->pair.verdict == CURED_VERDICT_WORSE ? 1
                                                              : 2;
  g_autofree char *sentence = NULL;

  if (self->a == NULL)
    return;
  g_autofree char *text = format_column (self, column, change);
  gtk_label_set_label (GTK_LABEL (label), text);
  if (column == COLUMN_CHANGE)
    sentence = cured_pair_describe (&change->pair, get_metric (self));
  gtk_widget_set_tooltip_text (label, sentence != NULL        ? sentence
                                      : column == COLUMN_CELL ? text
                                                              : _ (columns[column].tooltip));
  for (gsize i = 0; i < G_N_ELEMENTS (classes); i++)
    cured_widget_set_class (label, classes[i], column == COLUMN_CHANGE && i == shade);
}

static double
get_number (Column column, const CuredPair *pair)
{
  switch (column)
    {
    case COLUMN_A: return pair->a;
    case COLUMN_B: return pair->b;
    case COLUMN_RATIO: return pair->ratio;
    case COLUMN_CHANGE: return pair->verdict;
    case COLUMN_CELL: return (double) (pair->cell_a >= 0 ? pair->cell_a : pair->cell_b);
    case N_COLUMNS:
    default: g_return_val_if_reached (0.0);
    }
}

/* Pairs without a number come last. */
static int
compare_cb (gconstpointer a, gconstpointer b, gpointer user_data)
{
  Column column = GPOINTER_TO_UINT (user_data);
  double number_a = get_number (column, &((const CuredPairRow *) a)->pair);
  double number_b = get_number (column, &((const CuredPairRow *) b)->pair);

  if (isnan (number_a) || isnan (number_b))
    return isnan (number_a) - isnan (number_b);
  return (number_a > number_b) - (number_a < number_b);
}

static void
add_column (CuredComparePage *self, Column column)
{
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new ();
  g_autoptr (GtkSorter) sorter =
      GTK_SORTER (gtk_custom_sorter_new (compare_cb, GUINT_TO_POINTER (column), NULL));

  /* Not owned: the page owns the list, and that the factory. */
  g_object_set_data (G_OBJECT (factory), "page", self);
  g_signal_connect (factory, "setup", G_CALLBACK (setup_cb), GUINT_TO_POINTER (column));
  g_signal_connect (factory, "bind", G_CALLBACK (bind_cb), GUINT_TO_POINTER (column));
  GtkColumnViewColumn *view_column = gtk_column_view_column_new (
      column == COLUMN_A || column == COLUMN_B ? columns[column].title : _ (columns[column].title),
      factory);
  gtk_column_view_column_set_sorter (view_column, sorter);
  gtk_column_view_column_set_resizable (view_column, TRUE);
  gtk_column_view_column_set_expand (view_column, column == COLUMN_CELL);
  gtk_column_view_append_column (self->list, view_column);
  g_object_unref (view_column);
}

/* Hides the two columns of values if there is no room; they are also below the list. Called when
 * idle, since columns can't be changed during the list's allocation. */
static void
fit_columns (gpointer user_data)
{
  g_autoptr (CuredComparePage) self = user_data;
  gboolean has_values = self->full_width == 0;
  double width, needed;

  self->is_fitting = FALSE;
  if (self->list == NULL)
    return;
  GtkAdjustment *adjustment = gtk_scrollable_get_hadjustment (GTK_SCROLLABLE (self->list));
  width = gtk_adjustment_get_page_size (adjustment);
  needed = gtk_adjustment_get_upper (adjustment);
  if (has_values ? needed <= width : width < self->full_width)
    return;
  self->full_width = has_values ? needed : 0;
  for (guint i = COLUMN_A; i <= COLUMN_B; i++)
    {
      g_autoptr (GtkColumnViewColumn) column =
          g_list_model_get_item (gtk_column_view_get_columns (self->list), i);

      gtk_column_view_column_set_visible (column, !has_values);
    }
}

static void
list_resized_cb (CuredComparePage *self)
{
  if (self->is_fitting)
    return;
  self->is_fitting = TRUE;
  g_idle_add_once (fit_columns, g_object_ref (self));
}

static void
fill_list (CuredComparePage *self)
{
  gboolean significant = gtk_check_button_get_active (self->significant);
  g_autoptr (GPtrArray) rows = g_ptr_array_new_with_free_func (g_object_unref);
  guint n_left_out = self->found->n_left_out;

  for (guint i = 0; i < self->found->largest->len; i++)
    {
      const CuredPair *pair = &g_array_index (self->found->comparison->pairs, CuredPair,
                                              g_array_index (self->found->largest, guint, i));

      if (significant && pair->verdict == CURED_VERDICT_SAME)
        {
          n_left_out++;
          continue;
        }
      CuredPairRow *change = g_object_new (CURED_TYPE_PAIR_ROW, NULL);
      change->pair = *pair;
      change->where = describe_pair (self, pair);
      g_ptr_array_add (rows, change);
    }
  self->is_moving = TRUE;
  g_list_store_splice (self->changes, 0, g_list_model_get_n_items (G_LIST_MODEL (self->changes)),
                       rows->pdata, rows->len);
  gtk_single_selection_set_selected (self->selection, GTK_INVALID_LIST_POSITION);
  self->is_moving = FALSE;
  gtk_widget_set_visible (GTK_WIDGET (self->left_out), n_left_out > 0);
  cured_widget_print (
      self->left_out,
      ngettext ("%u smaller change is not listed", "%u smaller changes are not listed", n_left_out),
      n_left_out);
}

static void
significant_changed_cb (CuredComparePage *self)
{
  if (self->a != NULL && self->found != NULL)
    fill_list (self);
}

/* The summary. */

static void
update_summary (CuredComparePage *self)
{
  const CuredComparison *comparison = self->found->comparison;
  g_autofree char *counts = cured_compare_text_counts (comparison);
  g_autofree char *summary =
      cured_compare_text_summary (comparison, self->a, self->b, get_metric (self));

  gtk_label_set_label (self->counts, counts);
  gtk_label_set_label (self->summary, summary);
}

/* Comparing. */

typedef struct
{
  char *path_a, *path_b, *metric;
} Comparing;

CURED_FREE_FUNC (Comparing, comparing_free, path_a, g_free, path_b, g_free, metric, g_free)

/* A result belongs to one thread, so this one reads both files itself. */
static void
compare_work (CuredTask *task)
{
  const Comparing *comparing = task->input;
  g_autoptr (CuredResult) a =
      cured_result_load (comparing->path_a, task->cancellable, &task->error);
  g_autoptr (CuredResult) b =
      a != NULL ? cured_result_load (comparing->path_b, task->cancellable, &task->error) : NULL;
  CuredComparison *comparison =
      b != NULL ? cured_comparison_new (a, b, comparing->metric, &task->error) : NULL;

  if (comparison == NULL)
    return;
  Found *found = g_new0 (Found, 1);
  found->a = g_steal_pointer (&a);
  found->b = g_steal_pointer (&b);
  found->comparison = comparison;
  found->largest = cured_comparison_list_largest (comparison, MAX_ROWS, FALSE, &found->n_left_out);
  task->output = found;
}

static void
compared_cb (CuredComparePage *self, CuredTask *task)
{
  gint64 cell_a, cell_b;

  if (task->output == NULL)
    {
      show_empty (self, _ ("These Can’t Be Compared"), task->error->message, TRUE);
      return;
    }
  g_clear_pointer (&self->found, found_free);
  self->found = g_steal_pointer (&task->output);
  clear_samples (self);
  g_set_object (&self->a, self->found->a);
  g_set_object (&self->b, self->found->b);
  cured_map_view_load_pair (self->view, self->a, self->b);
  update_summary (self);
  fill_list (self);
  cured_page_show (self, "view");
  self->cell_a = -1;
  self->cell_b = -1;
  if (get_cursor_cells (self, &cell_a, &cell_b))
    show_samples (self, cell_a, cell_b);
}

static const CuredTaskKind compare_task =
    CURED_TASK_KIND (compare_work, compared_cb, comparing_free, found_free);

static void
cancel_comparing (CuredComparePage *self)
{
  g_clear_handle_id (&self->refresh_id, g_source_remove);
  cured_task_cancel (&self->comparing);
}

static void
compare (CuredComparePage *self)
{
  Comparing *comparing = g_new0 (Comparing, 1);

  cancel_comparing (self);
  comparing->path_a = g_strdup (cured_result_get_path (self->a));
  comparing->path_b = g_strdup (cured_result_get_path (self->b));
  comparing->metric = g_strdup (get_metric (self)->id);
  cured_task_start (&self->comparing, self, &compare_task, comparing);
}

static void
metric_changed_cb (CuredComparePage *self)
{
  if (self->found != NULL)
    compare (self);
}

static void
drop_pair (CuredComparePage *self)
{
  cancel_comparing (self);
  clear_samples (self);
  self->cell_a = -1;
  self->cell_b = -1;
  self->is_moving = TRUE;
  g_list_store_remove_all (self->changes);
  self->is_moving = FALSE;
  g_clear_pointer (&self->found, found_free);
  g_clear_object (&self->a);
  g_clear_object (&self->b);
}

static void
set_name (GtkLabel *label, CuredResult *result, CuredResult *other)
{
  g_autofree char *name =
      result != NULL ? cured_compare_text_result (result, other) : g_strdup ("—");
  g_autofree char *path =
      result != NULL ? g_filename_display_name (cured_result_get_path (result)) : NULL;

  gtk_label_set_label (label, name);
  gtk_widget_set_tooltip_text (GTK_WIDGET (label), path);
}

/* Finds a recording of the document's kernel other than the document's file. */
static void
find_recorded (CuredComparePage *self, CuredResult *result)
{
  g_autofree char *folder = cured_recordings_find_folder ();
  g_autoptr (GPtrArray) paths = cured_recordings_list (folder, NULL);

  g_clear_pointer (&self->recorded, g_free);
  if (result != NULL && paths != NULL)
    self->recorded = g_strdup (cured_recordings_find (paths, cured_result_get_kernel_id (result),
                                                      cured_result_get_path (result)));
}

/* Updates the two files from the document and the chosen one. */
static void
update_inputs (CuredComparePage *self)
{
  CuredResult *result = cured_document_get_result (self->page.document);
  CuredResult *a = self->is_swapped ? self->other : result;
  CuredResult *b = self->is_swapped ? result : self->other;

  find_recorded (self, result);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "compare.recorded", self->recorded != NULL);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "compare.swap", a != NULL && b != NULL);
  gtk_widget_set_visible (self->files, result != NULL);
  set_name (self->name_a, a, b);
  set_name (self->name_b, b, a);
  drop_pair (self);
  if (result == NULL || self->other == NULL)
    cured_map_view_set_result (self->view, NULL, -1);
  if (result == NULL)
    {
      show_empty (self, _ ("No Result"),
                  _ ("Open a result file, or run a sweep: it is the first of two."), FALSE);
      return;
    }
  if (self->other == NULL)
    {
      show_empty (self, _ ("Compare With What?"),
                  _ ("Choose a second result file, or drop one here: of the same kernel before a "
                     "change, on another device, or at other clocks."),
                  TRUE);
      return;
    }
  self->a = g_object_ref (a);
  self->b = g_object_ref (b);
  cured_map_view_set_pair (self->view, a, b);
  fill_metric (self);
  cured_page_show (self, "loading");
  compare (self);
}

static gboolean
refresh_cb (CuredComparePage *self)
{
  /* Comparing large files can take longer than the interval: let it finish. */
  if (self->comparing != NULL)
    return G_SOURCE_CONTINUE;
  self->refresh_id = 0;
  if (self->a != NULL && gtk_widget_get_mapped (GTK_WIDGET (self)))
    compare (self);
  else
    self->page.is_stale = TRUE;
  return G_SOURCE_REMOVE;
}

/* A sweep runs. */
static void
cell_changed_cb (CuredComparePage *self)
{
  if (self->refresh_id == 0)
    self->refresh_id = g_timeout_add (REFRESH_DELAY_MS, G_SOURCE_FUNC (refresh_cb), self);
}

static void
document_changed_cb (CuredComparePage *self, CuredDocumentChange what)
{
  if ((what & CURED_DOCUMENT_RESULT) != 0)
    cured_page_refresh_soon (self);
}

/* The second file. */

static void
load_work (CuredTask *task)
{
  task->output = cured_result_load_ready (task->input, task->cancellable, &task->error);
}

static void
loaded_cb (CuredComparePage *self, CuredTask *task)
{
  if (task->output == NULL)
    {
      show_empty (self, _ ("The File Can’t Be Opened"), task->error->message, TRUE);
      return;
    }
  cured_settings_set_string ("compare-with", cured_result_get_path (task->output));
  g_set_object (&self->other, task->output);
  cured_page_refresh_soon (self);
}

static const CuredTaskKind load_task =
    CURED_TASK_KIND (load_work, loaded_cb, g_free, g_object_unref);

/* Loads the second file; returns at once. */
void
cured_compare_page_open (CuredComparePage *self, const char *path)
{
  drop_pair (self);
  cured_map_view_set_result (self->view, NULL, -1);
  cured_page_show (self, "loading");
  cured_task_start (&self->loading, self, &load_task, g_strdup (path));
}

static void
chosen_cb (gpointer self, GFile *file)
{
  g_autofree char *path = file != NULL ? g_file_get_path (file) : NULL;

  if (path != NULL)
    cured_compare_page_open (self, path);
}

static void
choose_cb (CuredComparePage *self, const char *action, GVariant *parameter)
{
  const CuredChooserFilter results = { _ ("Cured results"), { "cured" } };
  g_autofree char *path = self->page.result != NULL
                              ? g_path_get_dirname (cured_result_get_path (self->page.result))
                              : NULL;
  g_autoptr (GFile) folder = path != NULL ? g_file_new_for_path (path) : NULL;

  cured_chooser_ask (self,
                     &(CuredChooser){ .action = GTK_FILE_CHOOSER_ACTION_OPEN,
                                      .title = _ ("Compare With"),
                                      .accept = _ ("_Compare"),
                                      .folder = folder,
                                      .filters = &results,
                                      .n_filters = 1 },
                     chosen_cb);
}

static void
recorded_cb (CuredComparePage *self, const char *action, GVariant *parameter)
{
  if (self->recorded != NULL)
    cured_compare_page_open (self, self->recorded);
}

static void
file_cb (GtkWidget *widget, const char *action, GVariant *parameter)
{
  g_autofree char *path = g_filename_from_uri (g_variant_get_string (parameter, NULL), NULL, NULL);

  if (path != NULL)
    cured_compare_page_open (CURED_COMPARE_PAGE (widget), path);
}

static void
swap_cb (CuredComparePage *self, const char *action, GVariant *parameter)
{
  if (self->other == NULL)
    return;
  self->is_swapped = !self->is_swapped;
  update_inputs (self);
}

static void
add_file (GMenu *menu, const char *path)
{
  g_autofree char *name = g_filename_display_basename (path);
  g_autofree char *uri = g_filename_to_uri (path, NULL, NULL);

  if (uri != NULL)
    cured_menu_append_name (menu, name, "compare.file", uri);
}

static void
fill_menu (GtkMenuButton *button, gpointer user_data)
{
  const char *const suffixes[] = { ".cured", NULL };
  CuredComparePage *self = user_data;
  g_autoptr (GPtrArray) files = cured_menu_list_recent (suffixes);
  g_autofree char *last = cured_settings_get_string ("compare-with");
  g_autoptr (GMenu) menu = g_menu_new ();
  g_autoptr (GMenu) recent = g_menu_new ();
  g_autoptr (GMenu) others = g_menu_new ();

  if (last != NULL && *last != '\0' && g_file_test (last, G_FILE_TEST_IS_REGULAR))
    add_file (recent, last);
  for (guint i = 0; i < files->len; i++)
    {
      g_autofree char *path =
          g_filename_from_uri (gtk_recent_info_get_uri (files->pdata[i]), NULL, NULL);

      if (path == NULL || g_strcmp0 (path, last) == 0 ||
          (self->page.result != NULL &&
           g_strcmp0 (path, cured_result_get_path (self->page.result)) == 0) ||
          g_menu_model_get_n_items (G_MENU_MODEL (recent)) >= MAX_RECENT)
        continue;
      add_file (recent, path);
    }
  g_menu_append (others, _ ("Recor_ded Sweep of This Kernel"), "compare.recorded");
  g_menu_append (others, _ ("Choose a _File…"), "compare.choose");
  g_menu_append_section (menu, _ ("Recent"), G_MENU_MODEL (recent));
  g_menu_append_section (menu, NULL, G_MENU_MODEL (others));
  gtk_menu_button_set_menu_model (button, G_MENU_MODEL (menu));
}

static gboolean
drop_cb (CuredComparePage *self, const GValue *value)
{
  g_autoptr (GSList) files = gdk_file_list_get_files (g_value_get_boxed (value));
  g_autofree char *path = files != NULL ? g_file_get_path (files->data) : NULL;

  /* Without a first file, leave it to the window to open this one. */
  if (path == NULL || self->page.result == NULL)
    return FALSE;
  cured_compare_page_open (self, path);
  return TRUE;
}

/* The page. */

static CuredDrawing *
get_drawing (CuredComparePage *self)
{
  if (self->a == NULL || self->found == NULL)
    return NULL;
  if (self->shown_as != ONE_MAP)
    return cured_drawing_new_map_chart (self->a, make_chart (self),
                                        cured_picture_get_item (self->chart));
  return cured_drawing_new_ratio (self->a, cured_map_view_get_view (self->view));
}

static void
cured_compare_page_dispose (GObject *object)
{
  CuredComparePage *self = CURED_COMPARE_PAGE (object);

  if (self->map != NULL)
    drop_pair (self);
  cured_template_dispose (object);
}

static void
cured_compare_page_class_init (CuredComparePageClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = cured_compare_page_dispose;
  CURED_PROPERTY (CuredComparePage, "map-view", CURED_TYPE_MAP_VIEW, view, NULL);

  CURED_NEEDS (HEAT_MAP, PICTURE, SLICES);
  CURED_ACTION ("compare.choose", NULL, choose_cb);
  CURED_ACTION ("compare.recorded", NULL, recorded_cb);
  CURED_ACTION ("compare.file", "s", file_cb);
  CURED_ACTION ("compare.swap", NULL, swap_cb);
  cured_template_set (klass, "cured-compare-page");
  CURED_BIND (CuredComparePage, files, name_a, name_b, choose, stack, empty, empty_buttons,
              choose_empty);
  CURED_BIND (CuredComparePage, spinner, metric, x_axis, y_axis, significant, slices, map,
              read_out);
  CURED_BIND (CuredComparePage, counts, best, summary, list, left_out, strips, change, value_a);
  CURED_BIND (CuredComparePage, value_b, strip_a, strip_b);
  CURED_CALLBACKS (update_read_out, chart_activated_cb);
  CURED_BIND (CuredComparePage, show_as, charts, chart);
  CURED_TIMERS (CuredComparePage, chart_id);
  CURED_OWNS (CuredComparePage, selection, changes, view, other);
  CURED_PAGE_DOES (changed, document_changed_cb);
  CURED_PAGE_DOES (cell_changed, cell_changed_cb);
  CURED_PAGE_DOES (refresh, update_inputs);
  CURED_PAGE_DOES (get_drawing, get_drawing);
  CURED_FREES (CuredComparePage, g_free, recorded);
}

static void
bind_view (CuredComparePage *self)
{
  CURED_CONNECT (self->view, "notify::grid", grid_changed_cb);
  cured_choice_connect (self->show_as, G_CALLBACK (show_as_chosen_cb), self);
  CURED_CONNECT (self->view, "notify::positions", cursor_moved_cb);
  CURED_CONNECT (self->view, "notify::metric", metric_changed_cb);
  CURED_CONNECT (self->view, "notify::hide-alike", significant_changed_cb);
  CURED_CONNECT (self->view, "notify::cursor", cursor_moved_cb);
  g_object_bind_property (self->significant, "active", self->view, "hide-alike",
                          G_BINDING_SYNC_CREATE);
  cured_choice_bind (self->metric, self->view, "metric");
  cured_slices_set_view (self->slices, self->view, self->x_axis, self->y_axis);
}

static void
cured_compare_page_init (CuredComparePage *self)
{
  GtkDropTarget *target = gtk_drop_target_new (GDK_TYPE_FILE_LIST, GDK_ACTION_COPY);

  self->cell_a = -1;
  self->cell_b = -1;
  self->view = cured_map_view_new ();
  gtk_widget_init_template (GTK_WIDGET (self));
  bind_view (self);
  gtk_menu_button_set_create_popup_func (self->choose, fill_menu, self, NULL);
  gtk_widget_set_tooltip_text (
      GTK_WIDGET (self->summary),
      _ ("The geometric mean is of the ratios of all cells that both files have. Gains and losses "
         "count only where the confidence intervals are apart."));

  self->changes = g_list_store_new (CURED_TYPE_PAIR_ROW);
  for (guint i = 0; i < N_COLUMNS; i++)
    add_column (self, (Column) i);
  CURED_CONNECT (gtk_scrollable_get_hadjustment (GTK_SCROLLABLE (self->list)), "changed",
                 list_resized_cb);
  GtkSortListModel *sorted =
      gtk_sort_list_model_new (G_LIST_MODEL (g_object_ref (self->changes)),
                               g_object_ref (gtk_column_view_get_sorter (self->list)));
  self->selection = gtk_single_selection_new (G_LIST_MODEL (sorted));
  gtk_single_selection_set_autoselect (self->selection, FALSE);
  gtk_single_selection_set_can_unselect (self->selection, TRUE);
  gtk_column_view_set_model (self->list, GTK_SELECTION_MODEL (self->selection));
  CURED_CONNECT (self->selection, "notify::selected-item", row_selected_cb);

  CURED_CONNECT (target, "drop", drop_cb);
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (target));
}

/* Returns: (nullable): the shown comparison; NULL: none yet */
const CuredComparison *
cured_compare_page_get_comparison (CuredComparePage *self)
{
  return self->found != NULL ? self->found->comparison : NULL;
}
