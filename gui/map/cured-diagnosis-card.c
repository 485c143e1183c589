/* SPDX-License-Identifier: MIT
 * What the emulator finds in a cell that went wrong on a device. */
#include <config.h>

#include "map/cured-diagnosis-card.h"

#include <glib/gi18n.h>

#include "widgets/cured-text.h"

/* More is in the source's list. */
#define MAX_FINDINGS 3
#define MAX_LINES    12

struct _CuredDiagnosisCard
{
  AdwBin parent_instance;

  /* Template widgets */
  GtkSpinner *busy;
  GtkLabel *told;
  GtkWidget *show_source;

  /* Owned */
  CuredDocument *document;
  CuredInspector *inspector;

  gint64 cell; /* -1: none that went wrong */
  int line;    /* of the first finding; 0: none */
  gboolean is_holding;
};

G_DEFINE_FINAL_TYPE (CuredDiagnosisCard, cured_diagnosis_card, ADW_TYPE_BIN)

/* The one of this cell, or NULL while there is none yet. */
static CuredInspection *
get_inspection (CuredDiagnosisCard *self)
{
  return self->is_holding && !cured_inspector_is_busy (self->inspector) &&
                 cured_inspector_get_cell (self->inspector) == self->cell
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

static void
append_finding (CuredDiagnosisCard *self, GString *text, const CuredFinding *finding)
{
  g_autofree char *told = cured_finding_to_string (finding);
  CuredKernel *kernel = cured_document_get_kernel (self->document);

  if (self->line == 0 && kernel != NULL)
    self->line = cured_kernel_find_line (kernel, finding->here.file, finding->here.line,
                                         finding->here.ptx_line);
  append_line (text, told);
}

static void
append_remedies (CuredDiagnosisCard *self, GString *text)
{
  const GPtrArray *remedies = cured_inspector_get_remedies (self->inspector);

  for (guint i = 0; remedies != NULL && i < remedies->len; i++)
    {
      const CuredRemedy *remedy = remedies->pdata[i];
      g_autofree char *line = NULL;

      if (remedy->finding < 0)
        continue;
      /* Translators: a change of the source, and what it does. */
      line = g_strdup_printf (_ ("What helps: %s"), remedy->text);
      append_line (text, line);
    }
}

/* (transfer full): what was found, in some lines */
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

static void
update (CuredDiagnosisCard *self)
{
  CuredInspection *inspection = NULL;
  const GError *error = NULL;
  gboolean is_shown = self->cell >= 0 && self->inspector != NULL &&
                      cured_document_get_kernel (self->document) != NULL;
  g_autofree char *text = NULL;
  g_autofree char *lines = NULL;

  if (is_shown)
    {
      inspection = get_inspection (self);
      error = cured_inspector_get_error (self->inspector);
      /* Of a source that was edited since, nothing is said of the cell. */
      is_shown = !self->is_holding || inspection != NULL || error != NULL ||
                 cured_inspector_is_busy (self->inspector);
    }
  gtk_widget_set_visible (GTK_WIDGET (self), is_shown);
  if (!is_shown)
    return;
  self->line = 0;
  if (inspection != NULL)
    text = describe (self, inspection);
  else if (error != NULL && !cured_inspector_is_busy (self->inspector))
    text = g_strdup (error->message);
  else
    text = g_strdup (_ ("The emulator runs a block of it…"));
  lines = cured_text_first_lines (text, MAX_LINES);
  gtk_label_set_label (self->told, lines);
  gtk_spinner_set_spinning (self->busy, inspection == NULL && error == NULL);
  gtk_widget_set_visible (self->show_source, self->line > 0);
}

static void
show_source_cb (CuredDiagnosisCard *self)
{
  cured_document_set_line (self->document, self->line);
  gtk_widget_activate_action (GTK_WIDGET (self), "win.show-view", "s", "source");
}

/* The inspector works while somebody looks. */
static void
hold (CuredDiagnosisCard *self)
{
  gboolean is_wanted =
      self->inspector != NULL && self->cell >= 0 && gtk_widget_get_mapped (GTK_WIDGET (self));

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
cured_diagnosis_card_map (GtkWidget *widget)
{
  CuredDiagnosisCard *self = CURED_DIAGNOSIS_CARD (widget);

  GTK_WIDGET_CLASS (cured_diagnosis_card_parent_class)->map (widget);
  hold (self);
  update (self);
}

static void
cured_diagnosis_card_unmap (GtkWidget *widget)
{
  GTK_WIDGET_CLASS (cured_diagnosis_card_parent_class)->unmap (widget);
  hold (CURED_DIAGNOSIS_CARD (widget));
}

static void
cured_diagnosis_card_dispose (GObject *object)
{
  CuredDiagnosisCard *self = CURED_DIAGNOSIS_CARD (object);

  self->cell = -1;
  hold (self);
  if (self->inspector != NULL)
    g_signal_handlers_disconnect_by_data (self->inspector, self);
  g_clear_object (&self->inspector);
  g_clear_object (&self->document);
  gtk_widget_dispose_template (GTK_WIDGET (self), CURED_TYPE_DIAGNOSIS_CARD);
  G_OBJECT_CLASS (cured_diagnosis_card_parent_class)->dispose (object);
}

static void
cured_diagnosis_card_class_init (CuredDiagnosisCardClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = cured_diagnosis_card_dispose;
  widget_class->map = cured_diagnosis_card_map;
  widget_class->unmap = cured_diagnosis_card_unmap;

  gtk_widget_class_set_template_from_resource (widget_class,
                                               "/io/github/cured/Cured/cured-diagnosis-card.ui");
  gtk_widget_class_bind_template_child (widget_class, CuredDiagnosisCard, busy);
  gtk_widget_class_bind_template_child (widget_class, CuredDiagnosisCard, told);
  gtk_widget_class_bind_template_child (widget_class, CuredDiagnosisCard, show_source);
  gtk_widget_class_bind_template_callback (widget_class, show_source_cb);
}

static void
cured_diagnosis_card_init (CuredDiagnosisCard *self)
{
  self->cell = -1;
  gtk_widget_init_template (GTK_WIDGET (self));
}

void
cured_diagnosis_card_set_inspector (CuredDiagnosisCard *self, CuredDocument *document,
                                    CuredInspector *inspector)
{
  static const char *const names[] = { "notify::inspection", "notify::busy", "notify::remedies" };

  g_return_if_fail (CURED_IS_DIAGNOSIS_CARD (self));

  g_set_object (&self->document, document);
  g_set_object (&self->inspector, inspector);
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    g_signal_connect_swapped (inspector, names[i], G_CALLBACK (update), self);
}

/* Says what the emulator finds in another cell, as soon as that is known. @cell: of the
 * document's result, which went wrong; -1: none that did. */
void
cured_diagnosis_card_set_cell (CuredDiagnosisCard *self, gint64 cell)
{
  g_return_if_fail (CURED_IS_DIAGNOSIS_CARD (self));

  self->cell = cell;
  update (self);
  hold (self);
  update (self);
}
