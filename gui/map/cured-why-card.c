/* SPDX-License-Identifier: MIT
 * The limiter of a cell: a sentence, and a bar for each resource. */
#include <config.h>

#include "map/cured-gui-map.h"

/* Minimum share of the time; a resource that is busy for less limits nothing. */
#define LEAST_SHOWN 0.01

struct _CuredWhyCard
{
  CuredCellCard parent_instance;

  /* Owned; nullable */
  CuredExplainer *explainer;
  CuredDocument *document;
  CuredAdvice *advice; /* of the cell */
  CuredKernel *kernel; /* whose @next_step is known */
  char *next_step;     /* id of the kernel that follows */
};

G_DEFINE_FINAL_TYPE (CuredWhyCard, cured_why_card, CURED_TYPE_CELL_CARD)

/* The work, time and rate behind a bar. */
static char *
describe_use (const CuredExplanation *explanation, CuredResource resource)
{
  const CuredResourceUse *use = &explanation->uses[resource];
  g_autofree char *work = cured_format_count ((gint64) (use->work + 0.5));
  g_autofree char *busy = cured_format_quantity (use->time_ns, "ns");
  g_autofree char *time = cured_format_quantity (explanation->time_ns, "ns");
  g_autoptr (GString) text = g_string_new (NULL);

  g_string_append_printf (text,
                          /* Translators: a number and what it counts: “1,234 wavefronts”. */
                          _ ("Counted: %s %s"), work, cured_resource_get_unit (resource));
  if (use->rate > 0)
    {
      gboolean is_bytes = resource == CURED_RESOURCE_MEMORY || resource == CURED_RESOURCE_L2;
      g_autofree char *rate =
          cured_format_quantity (is_bytes ? use->rate : use->rate / 1e9, is_bytes ? "B/s" : "");

      g_string_append_c (text, '\n');
      if (is_bytes)
        /* Translators: a rate with its unit: “4.5 TB/s”. */
        g_string_append_printf (text, _ ("Rate of the machine: %s"), rate);
      else
        g_string_append_printf (
            text,
            /* Translators: a number, and what it counts: “620 wavefronts per nanosecond”. */
            _ ("Rate of the machine: %s %s per nanosecond"), rate,
            cured_resource_get_unit (resource));
    }
  g_string_append_c (text, '\n');
  g_string_append_printf (text,
                          /* Translators: two times: “Busy 90 µs of 100 µs that were measured”. */
                          _ ("Busy for %s of the measured %s"), busy, time);
  if (cured_explain_is_at_limit (use->share))
    /* Translators: ends “100.6 % of the limit that was measured with it”. */
    g_string_append (text, _ (": at the measured limit"));
  if (use->is_most)
    {
      g_string_append_c (text, '\n');
      g_string_append (
          text, _ ("Upper bound: cache hits are unknown. Not used to determine the limiter."));
    }
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static void
add_bar (GtkListBox *bars, const CuredExplanation *explanation, CuredResource resource,
         GtkSizeGroup *titles, GtkSizeGroup *values)
{
  const CuredResourceUse *use = &explanation->uses[resource];
  gboolean is_limit =
      explanation->bottleneck == CURED_BOTTLENECK_RESOURCE && explanation->limit == resource;
  const char *title = cured_resource_get_title (resource);
  g_autofree char *share = cured_format_quantity (use->share, "ratio");
  g_autofree char *value = use->is_most ? g_strdup_printf ("≤\u00a0%s", share) : g_strdup (share);
  g_autofree char *tooltip = describe_use (explanation, resource);
  cured_share_row_add (bars, title, use->share, value, is_limit, tooltip, titles, values);
}

static double
get_rank (const CuredExplanation *explanation, int resource)
{
  return explanation->bottleneck == CURED_BOTTLENECK_RESOURCE &&
                 (int) explanation->limit == resource
             ? G_MAXDOUBLE
             : explanation->uses[resource].share;
}

/* The cell's limiter first, then the busiest resources. */
static void
add_bars (GtkListBox *bars, const CuredExplanation *explanation)
{
  g_autoptr (GtkSizeGroup) titles = gtk_size_group_new (GTK_SIZE_GROUP_HORIZONTAL);
  g_autoptr (GtkSizeGroup) values = gtk_size_group_new (GTK_SIZE_GROUP_HORIZONTAL);
  gboolean is_added[CURED_N_RESOURCES] = { FALSE };

  for (;;)
    {
      int most = -1;

      for (int i = 0; i < CURED_N_RESOURCES; i++)
        if (!is_added[i] && explanation->uses[i].share >= LEAST_SHOWN &&
            (most < 0 || get_rank (explanation, i) > get_rank (explanation, most)))
          most = i;
      if (most < 0)
        return;
      is_added[most] = TRUE;
      add_bar (bars, explanation, (CuredResource) most, titles, values);
    }
}

static void
show_facts (CuredWhyCard *self, GtkLabel *facts, const CuredExplanation *explanation)
{
  const CuredParallelism *parallelism = &explanation->parallelism;
  const CuredMachine *machine = cured_explainer_get_machine (self->explainer);
  g_autoptr (GString) text = g_string_new (NULL);
  g_autofree char *threads = cured_format_count ((gint64) parallelism->threads);

  if (explanation->change != NULL)
    g_string_append_printf (text, "%s\n", explanation->change);
  g_string_append_printf (
      text,
      /* Translators: numbers, and the name of a GPU. */
      _ ("%.0f of %.0f multiprocessors busy, %s threads in flight; rates of %s."),
      parallelism->sms_busy, parallelism->sms, threads, machine->name);
  if (explanation->error > 0)
    {
      g_string_append_c (text, ' ');
      g_string_append_printf (
          text, _ ("A sample of the blocks was counted; standard error %.2g\u00a0%%."),
          explanation->error * 100);
    }
  gtk_label_set_label (facts, text->str);
}

/* Looks up the following step in the catalogue, once per kernel. */
static const char *
find_next_step (CuredWhyCard *self)
{
  CuredKernel *kernel = cured_document_get_kernel (self->document);

  if (kernel == self->kernel)
    return self->next_step;
  g_clear_pointer (&self->kernel, cured_kernel_unref);
  g_clear_pointer (&self->next_step, g_free);
  if (kernel != NULL)
    {
      self->kernel = cured_kernel_ref (kernel);
      self->next_step = cured_ladder_find_next (kernel);
    }
  return self->next_step;
}

/* Suggests a faster cell, the most expensive line, or the ladder's next step. */
static void
show_next (CuredWhyCard *self, CuredCellCardParts *parts, const CuredExplanation *explanation)
{
  CuredResult *result = cured_document_get_result (self->document);
  const char *next_step = find_next_step (self);

  g_clear_pointer (&self->advice, cured_advice_free);
  if (result != NULL && parts->cell < cured_result_get_n_cells (result))
    self->advice = cured_advice_new (result, parts->cell);
  gtk_label_set_label (parts->advice, self->advice != NULL ? self->advice->sentence : "");
  gtk_widget_set_visible (GTK_WIDGET (parts->advice), self->advice != NULL);
  gtk_widget_set_visible (parts->go_to_cell, self->advice != NULL);
  gtk_widget_set_visible (parts->show_source, explanation != NULL && explanation->line > 0);
  if (explanation != NULL && explanation->line > 0)
    {
      /* Translators: a button that shows a line of the source. */
      g_autofree char *label = g_strdup_printf (_ ("Open L_ine %d"), explanation->line);

      gtk_button_set_label (GTK_BUTTON (parts->show_source), label);
    }
  gtk_widget_set_visible (GTK_WIDGET (parts->next_step),
                          explanation != NULL && self->advice == NULL && next_step != NULL);
  if (next_step != NULL)
    {
      /* Translators: a button that opens a kernel of this id. */
      g_autofree char *label = g_strdup_printf (_ ("_Next Step: %s"), next_step);

      gtk_button_set_label (parts->next_step, label);
    }
}

static gboolean
cured_why_card_update (CuredCellCard *card, CuredCellCardParts *parts)
{
  CuredWhyCard *self = CURED_WHY_CARD (card);
  const char *problem = NULL;
  GtkListBoxRow *row;

  while ((row = gtk_list_box_get_row_at_index (parts->bars, 0)) != NULL)
    gtk_list_box_remove (parts->bars, GTK_WIDGET (row));
  if (self->explainer == NULL)
    return FALSE;
  const CuredExplanation *explanation =
      cured_explainer_get_explanation (self->explainer, parts->cell, &problem);
  cured_cell_card_set_text (card,
                            explanation != NULL ? explanation->sentence
                            : problem != NULL   ? problem
                                              : _ ("Counting the resources that this cell uses…"),
                            explanation == NULL && problem == NULL);
  if (explanation != NULL)
    {
      add_bars (parts->bars, explanation);
      show_facts (self, parts->facts, explanation);
    }
  gtk_widget_set_visible (GTK_WIDGET (parts->bars), explanation != NULL);
  gtk_widget_set_visible (GTK_WIDGET (parts->facts), explanation != NULL);
  show_next (self, parts, explanation);
  return TRUE;
}

static void
go_to_cell_cb (CuredWhyCard *self)
{
  if (self->advice != NULL)
    cured_map_view_set_cell (cured_document_get_map_view (self->document), self->advice->cell);
}

static void
open_line_cb (CuredWhyCard *self)
{
  const char *problem;
  const CuredExplanation *explanation = cured_explainer_get_explanation (
      self->explainer, cured_cell_card_get_parts (CURED_CELL_CARD (self))->cell, &problem);

  if (explanation == NULL)
    return;
  cured_document_set_line (self->document, explanation->line);
  gtk_widget_activate_action (GTK_WIDGET (self), "win.show-view", "s", "source");
}

static void
next_step_cb (CuredWhyCard *self)
{
  if (self->next_step != NULL)
    gtk_widget_activate_action (GTK_WIDGET (self), "win.open-kernel", "s", self->next_step);
}

static void
cured_why_card_ask (CuredCellCard *card, gboolean is_wanted)
{
  CuredWhyCard *self = CURED_WHY_CARD (card);

  if (self->explainer != NULL)
    cured_explainer_set_cell (self->explainer,
                              is_wanted ? cured_cell_card_get_parts (card)->cell : -1);
}

static void
explained_cb (CuredCellCard *card, gint64 cell)
{
  if (cell == cured_cell_card_get_parts (card)->cell)
    cured_cell_card_update (card);
}

static void
cured_why_card_class_init (CuredWhyCardClass *klass)
{
  CURED_CELL_CARD_CLASS (klass)->ask = cured_why_card_ask;
  CURED_CELL_CARD_CLASS (klass)->update = cured_why_card_update;
  CURED_OWNS (CuredWhyCard, explainer, document);
  CURED_FREES (CuredWhyCard, cured_advice_free, advice);
  CURED_FREES (CuredWhyCard, cured_kernel_unref, kernel);
  CURED_FREES (CuredWhyCard, g_free, next_step);
}

static void
cured_why_card_init (CuredWhyCard *self)
{
  CuredCellCardParts *parts = cured_cell_card_get_parts (CURED_CELL_CARD (self));

  /* Translators: the heading of what holds a cell back. */
  gtk_label_set_label (parts->title, _ ("Why"));
  cured_widget_name (parts->spinner, _ ("Counting"), NULL);
  CURED_CONNECT (parts->go_to_cell, "clicked", go_to_cell_cb);
  CURED_CONNECT (parts->next_step, "clicked", next_step_cb);
  CURED_CONNECT (parts->show_source, "clicked", open_line_cb);
}

/* Sets the explainer of a card without one. */
void
cured_why_card_set_explainer (CuredWhyCard *self, CuredDocument *document,
                              CuredExplainer *explainer)
{
  g_set_object (&self->document, document);
  g_set_object (&self->explainer, explainer);
  CURED_CONNECT (explainer, "explained", explained_cb);
}
