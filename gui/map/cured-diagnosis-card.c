/* SPDX-License-Identifier: MIT
 * The emulator's findings in a cell that failed on a device. */
#include <config.h>

#include "map/cured-gui-map.h"

#include <string.h>

/* The list of the source has all. */
#define MAX_FINDINGS 5
#define MAX_LINES    12

struct _CuredDiagnosisCard
{
  CuredCellCard parent_instance;

  /* Owned */
  CuredDocument *document;
  CuredInspector *inspector;

  int line; /* of the first finding; 0: none */
  gboolean is_holding;
};

G_DEFINE_FINAL_TYPE (CuredDiagnosisCard, cured_diagnosis_card, CURED_TYPE_CELL_CARD)

/* The inspection of this cell, or NULL if there is none yet. */
static CuredInspection *
get_inspection (CuredDiagnosisCard *self, gint64 cell)
{
  return self->is_holding && !cured_inspector_is_busy (self->inspector) &&
                 cured_inspector_get_cell (self->inspector) == cell
             ? cured_inspector_get_newest (self->inspector)
             : NULL;
}

static void
append_line (GString *text, const char *line)
{
  if (text->len > 0)
    g_string_append_c (text, '\n');
  g_string_append (text, line);
}

/* The finding and its line; the source page has block, warp and lanes. */
static void
append_finding (CuredDiagnosisCard *self, GString *text, const CuredFinding *finding)
{
  g_autofree char *whole = cured_finding_to_string (finding);
  CuredKernel *kernel = cured_document_get_kernel (self->document);
  int line = kernel != NULL ? cured_kernel_find_line (kernel, finding->here.file,
                                                      finding->here.line, finding->here.ptx_line)
                            : 0;

  whole[strcspn (whole, "\n")] = '\0';
  /* Translators: a finding, and the line of the source. */
  g_autofree char *told =
      line > 0 ? g_strdup_printf (_ ("Line %d: %s"), line, whole) : g_strdup (whole);
  if (self->line == 0)
    self->line = line;
  if (strstr (text->str, told) == NULL)
    append_line (text, told);
}

static void
append_remedies (CuredDiagnosisCard *self, GString *text)
{
  const GPtrArray *remedies = cured_inspector_get_remedies (self->inspector);

  for (guint i = 0; remedies != NULL && i < remedies->len; i++)
    {
      const CuredRemedy *remedy = remedies->pdata[i];

      if (remedy->finding < 0)
        continue;
      /* Translators: a change of the source, and what it does. */
      g_autofree char *line = g_strdup_printf (_ ("What helps: %s"), remedy->text);
      append_line (text, line);
    }
}

/* (transfer full): the findings, in a few lines */
static char *
describe (CuredDiagnosisCard *self, CuredInspection *inspection)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; i < inspection->findings->len && i < MAX_FINDINGS; i++)
    append_finding (self, text, inspection->findings->pdata[i]);
  if (inspection->banks != NULL)
    for (guint i = 0; i < inspection->banks->faults->len && i < MAX_FINDINGS; i++)
      if (inspection->findings->len == 0)
        append_finding (self, text, inspection->banks->faults->pdata[i]);
  for (guint i = 0; text->len == 0 && i < inspection->diagnostics->len; i++)
    {
      const CuredDiagnostic *diagnostic = inspection->diagnostics->pdata[i];

      if (diagnostic->severity == CURED_SEVERITY_ERROR ||
          (inspection->banks != NULL &&
           g_strcmp0 (diagnostic->text, inspection->banks->end_text) == 0))
        {
          self->line = diagnostic->line;
          append_line (text, diagnostic->text);
        }
    }
  if (text->len == 0)
    append_line (text, _ ("It ran one block, and found nothing wrong in it."));
  append_remedies (self, text);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static gboolean
cured_diagnosis_card_update (CuredCellCard *card, CuredCellCardParts *parts)
{
  CuredDiagnosisCard *self = CURED_DIAGNOSIS_CARD (card);
  g_autofree char *text = NULL;

  if (self->inspector == NULL || cured_document_get_kernel (self->document) == NULL)
    return FALSE;
  CuredInspection *inspection = get_inspection (self, parts->cell);
  const GError *error = cured_inspector_get_error (self->inspector);
  gboolean is_busy = cured_inspector_is_busy (self->inspector);
  /* After the source was edited, nothing is shown for the cell. */
  if (self->is_holding && inspection == NULL && error == NULL && !is_busy)
    return FALSE;
  self->line = 0;
  if (inspection != NULL)
    text = describe (self, inspection);
  else if (error != NULL && !is_busy)
    text = g_strdup (error->message);
  else
    text = g_strdup (_ ("The emulator runs a block of it…"));
  g_autofree char *lines = cured_text_first_lines (text, MAX_LINES);
  cured_cell_card_set_text (card, lines, inspection == NULL && error == NULL);
  gtk_widget_set_visible (parts->show_source, self->line > 0);
  return TRUE;
}

static void
show_source_cb (CuredDiagnosisCard *self)
{
  cured_document_set_line (self->document, self->line);
  gtk_widget_activate_action (GTK_WIDGET (self), "win.show-view", "s", "source");
}

/* The inspector is held while the card is visible. */
static void
cured_diagnosis_card_ask (CuredCellCard *card, gboolean is_wanted)
{
  CuredDiagnosisCard *self = CURED_DIAGNOSIS_CARD (card);

  is_wanted = is_wanted && self->inspector != NULL;
  if (is_wanted == self->is_holding)
    return;
  self->is_holding = is_wanted;
  if (is_wanted)
    {
      cured_inspector_hold (self->inspector);
      cured_inspector_hold_remedies (self->inspector);
    }
  else
    {
      cured_inspector_release_remedies (self->inspector);
      cured_inspector_release (self->inspector);
    }
}

static void
cured_diagnosis_card_dispose (GObject *object)
{
  cured_diagnosis_card_ask (CURED_CELL_CARD (object), FALSE);
  cured_class_dispose (object);
}

static void
cured_diagnosis_card_class_init (CuredDiagnosisCardClass *klass)
{
  CURED_OWNS (CuredDiagnosisCard, inspector, document);
  G_OBJECT_CLASS (klass)->dispose = cured_diagnosis_card_dispose;
  CURED_CELL_CARD_CLASS (klass)->ask = cured_diagnosis_card_ask;
  CURED_CELL_CARD_CLASS (klass)->update = cured_diagnosis_card_update;
}

static void
cured_diagnosis_card_init (CuredDiagnosisCard *self)
{
  CuredCellCardParts *parts = cured_cell_card_get_parts (CURED_CELL_CARD (self));

  gtk_label_set_label (parts->title, _ ("Emulator findings"));
  cured_widget_name (parts->spinner, _ ("The emulator runs"), NULL);
  gtk_widget_set_margin_top (GTK_WIDGET (self), 12);
  CURED_CONNECT (parts->show_source, "clicked", show_source_cb);
}

/* Sets the inspector of @document for a card without one. */
void
cured_diagnosis_card_set_inspector (CuredDiagnosisCard *self, CuredDocument *document,
                                    CuredInspector *inspector)
{
  static const char *const names[] = { "notify::inspection", "notify::busy", "notify::remedies" };

  g_set_object (&self->document, document);
  g_set_object (&self->inspector, inspector);
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    CURED_CONNECT (inspector, names[i], cured_cell_card_update);
}
