/* SPDX-License-Identifier: MIT
 * The list of a source's problems; a row jumps to its line. */
#include <config.h>

#include "source/cured-gui-source.h"

/* About four lines of text; the list scrolls. */
#define MOST_HEIGHT 132

struct _CuredProblemList
{
  GtkWidget parent_instance;

  /* Children */
  GtkWidget *scrolled;
  GtkListBox *list;

  guint n_rows;
  int next; /* row for cured_problem_list_go_to_next() */
};

G_DEFINE_FINAL_TYPE (CuredProblemList, cured_problem_list, GTK_TYPE_WIDGET)

static void
row_activated_cb (CuredProblemList *self, GtkListBoxRow *row)
{
  int line = GPOINTER_TO_INT (g_object_get_data (G_OBJECT (row), "line"));

  self->next = gtk_list_box_row_get_index (row) + 1;
  g_signal_emit_by_name (self, "activated", line);
}

static void
cured_problem_list_dispose (GObject *object)
{
  CuredProblemList *self = CURED_PROBLEM_LIST (object);

  g_clear_pointer (&self->scrolled, gtk_widget_unparent);
  G_OBJECT_CLASS (cured_problem_list_parent_class)->dispose (object);
}

static void
cured_problem_list_class_init (CuredProblemListClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = cured_problem_list_dispose;
  cured_class_add_signal (klass, "activated", 1, G_TYPE_INT);
  cured_class_add_signal (klass, "remedy-chosen", 1, G_TYPE_INT);
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
}

static void
cured_problem_list_init (CuredProblemList *self)
{
  self->list = g_object_new (GTK_TYPE_LIST_BOX, "selection-mode", GTK_SELECTION_NONE, NULL);
  cured_widget_name (self->list, _ ("Problems"), NULL);
  self->scrolled = g_object_new (GTK_TYPE_SCROLLED_WINDOW, "hscrollbar-policy", GTK_POLICY_NEVER,
                                 "propagate-natural-height", TRUE, "max-content-height",
                                 MOST_HEIGHT, "child", self->list, NULL);
  gtk_widget_set_parent (self->scrolled, GTK_WIDGET (self));
  CURED_CONNECT (self->list, "row-activated", row_activated_cb);
}

static void
remedy_clicked_cb (CuredProblemList *self, GtkWidget *button)
{
  int index = GPOINTER_TO_INT (g_object_get_data (G_OBJECT (button), "index"));

  g_signal_emit_by_name (self, "remedy-chosen", index);
}

/* A compiler may warn about every line of a file, and each row is a widget. */
#define MAX_WARNINGS 500

/* Returns: the row's box, to which more can be appended. */
static GtkBox *
add_row (CuredProblemList *self, const char *icon_name, const char *kind, int line,
         const char *text)
{
  /* Translators: a line of a program's source, and its number. */
  g_autofree char *place = line > 0 ? g_strdup_printf (_ ("Line %d"), line) : g_strdup ("");
  /* Translators: of a screen reader: “Error”, “Line 12”, what is wrong. */
  g_autofree char *all = g_strdup_printf (_ ("%s. %s. %s"), kind, place, text);
  GtkWidget *box = cured_widget_add_row (self->list, 9, all, NULL);
  GtkWidget *row = gtk_widget_get_parent (box);

  g_object_set (box, "margin-start", 12, "margin-end", 12, "margin-top", 6, "margin-bottom", 6,
                NULL);
  CURED_APPEND (box,
                g_object_new (GTK_TYPE_IMAGE, "icon-name", icon_name, "tooltip-text", kind,
                              "valign", GTK_ALIGN_START, NULL),
                cured_widget_new (GTK_TYPE_LABEL, "dim-label numeric", "label", place,
                                  "width-chars", 9, "valign", GTK_ALIGN_START, NULL),
                cured_widget_new (GTK_TYPE_LABEL, NULL, "label", text, "wrap", TRUE, "wrap-mode",
                                  PANGO_WRAP_WORD_CHAR, "lines", 4, "ellipsize",
                                  PANGO_ELLIPSIZE_END, "hexpand", TRUE, "tooltip-text", text,
                                  NULL));
  gtk_list_box_row_set_activatable (GTK_LIST_BOX_ROW (row), TRUE);
  g_object_set_data (G_OBJECT (row), "line", GINT_TO_POINTER (line));
  self->n_rows++;
  return GTK_BOX (box);
}

static void
add_remedy (CuredProblemList *self, const CuredRemedy *remedy, int index)
{
  GtkBox *box = add_row (self, "emblem-ok-symbolic", _ ("Remedy"), remedy->line, remedy->text);
  /* Translators: of a change of the source that was tried. */
  GtkWidget *button = gtk_button_new_with_mnemonic (_ ("App_ly"));
  /* Translators: what a change of the source does. */
  g_autofree char *label = g_strdup_printf (_ ("Apply: %s"), remedy->text);

  for (GtkWidget *child = gtk_widget_get_first_child (GTK_WIDGET (box)); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    gtk_widget_set_valign (child, GTK_ALIGN_CENTER);
  gtk_widget_set_valign (button, GTK_ALIGN_CENTER);
  gtk_widget_set_tooltip_text (
      button, _ ("Apply this change. The emulator has tried it with one block; Undo reverts it."));
  cured_widget_name (button, label, NULL);
  g_object_set_data (G_OBJECT (button), "index", GINT_TO_POINTER (index));
  CURED_CONNECT (button, "clicked", remedy_clicked_cb);
  gtk_box_append (box, button);
}

/* Adds the remedies for a finding; -1: those for none. */
static void
add_remedies (CuredProblemList *self, const GPtrArray *remedies, int finding)
{
  for (guint i = 0; remedies != NULL && i < remedies->len; i++)
    if (((const CuredRemedy *) remedies->pdata[i])->finding == finding)
      add_remedy (self, remedies->pdata[i], (int) i);
}

/* Replaces the problems; shows all errors, but at most MAX_WARNINGS warnings. An empty list is
 * hidden. @kernel: (nullable): required if there are findings; @diagnostics: (nullable)
 * (element-type CuredDiagnostic): of the compiler; @findings: (nullable) (element-type
 * CuredFinding): of the emulator; @remedies: (nullable) (element-type CuredRemedy): for findings
 * and bank conflicts. */
void
cured_problem_list_set (CuredProblemList *self, const CuredKernel *kernel, GPtrArray *diagnostics,
                        GPtrArray *findings, const GPtrArray *remedies)
{
  static const char *const icons[] = { "dialog-error-symbolic", "dialog-warning-symbolic",
                                       "dialog-information-symbolic" };
  guint n_warnings = 0;

  cured_widget_empty (self->list);
  self->n_rows = 0;
  self->next = 0;
  for (guint i = 0; diagnostics != NULL && i < diagnostics->len; i++)
    {
      const CuredDiagnostic *diagnostic = diagnostics->pdata[i];

      if (diagnostic->severity != CURED_SEVERITY_ERROR && ++n_warnings > MAX_WARNINGS)
        continue;
      add_row (self, icons[diagnostic->severity], cured_severity_to_string (diagnostic->severity),
               diagnostic->line, diagnostic->text);
    }
  if (n_warnings > MAX_WARNINGS)
    {
      guint n = n_warnings - MAX_WARNINGS;
      g_autofree char *text = g_strdup_printf (
          ngettext ("%u more message of the compiler", "%u more messages of the compiler", n), n);

      add_row (self, icons[CURED_SEVERITY_WARNING],
               cured_severity_to_string (CURED_SEVERITY_WARNING), 0, text);
    }
  for (guint i = 0; findings != NULL && i < findings->len; i++)
    {
      const CuredFinding *finding = findings->pdata[i];
      g_autofree char *text = cured_finding_to_string (finding);

      add_row (self, "dialog-warning-symbolic", _ (cured_finding_info (finding->kind)->title),
               cured_kernel_find_line (kernel, finding->here.file, finding->here.line,
                                       finding->here.ptx_line),
               text);
      add_remedies (self, remedies, (int) i);
    }
  add_remedies (self, remedies, -1);
  gtk_widget_set_visible (GTK_WIDGET (self), self->n_rows > 0);
}

CURED_GETTER (guint, cured_problem_list_get_n_rows, CuredProblemList, n_rows)

/* Activates the next problem; after the last one, the first. */
void
cured_problem_list_go_to_next (CuredProblemList *self)
{
  GtkListBoxRow *row = gtk_list_box_get_row_at_index (self->list, self->next);
  if (row == NULL)
    row = gtk_list_box_get_row_at_index (self->list, 0);
  if (row != NULL)
    row_activated_cb (self, row);
}
