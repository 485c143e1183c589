/* SPDX-License-Identifier: MIT
 * Options for measuring, a row each. */
#include <config.h>

#include "sweep/cured-gui-sweep.h"

#include <math.h>
#include <string.h>

/* Decimal places of a number; trailing zeros are not shown. */
#define DIGITS 4

/* Wide enough for sensible values, though not for the table's maximum. */
#define WIDTH_CHARS 6

typedef struct
{
  GValue value; /* ORDER: first, since g_value_unset() clears an option */
  const CuredOptionInfo *info;
  GtkWidget *control; /* borrowed; nullable: not in the dialog */
} Option;

struct _CuredOptionsGroup
{
  AdwPreferencesGroup parent_instance;

  /* Template widgets */
  AdwExpanderRow *measuring, *advanced;

  GArray *options; /* Owned; of Option, in the order of the table */
  gboolean is_emulated;
};

enum
{
  PROP_0,
  PROP_EMULATED,
  PROP_FIRST_OPTION,
};

G_DEFINE_FINAL_TYPE (CuredOptionsGroup, cured_options_group, ADW_TYPE_PREFERENCES_GROUP)

static gboolean
is_number (const CuredOptionInfo *info)
{
  return info->type == CURED_OPTION_COUNT || info->type == CURED_OPTION_NUMBER;
}

/* The minimum; 0, for automatic, if Cured can choose the count. */
static double
get_least (const CuredOptionInfo *info)
{
  return (info->flags & CURED_OPTION_AUTO) != 0 ? 0 : info->min;
}

static char *
get_property_name (const CuredOptionInfo *info)
{
  return g_strdelimit (g_strdup (info->name), "_", '-');
}

static GParamSpec *
make_property (const CuredOptionInfo *info)
{
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_EXPLICIT_NOTIFY;
  g_autofree char *name = get_property_name (info);

  if (info->type == CURED_OPTION_FLAG)
    return g_param_spec_boolean (name, NULL, NULL, FALSE, flags);
  if (is_number (info))
    return g_param_spec_double (name, NULL, NULL, get_least (info), info->max, info->min, flags);
  return g_param_spec_string (name, NULL, NULL, NULL, flags);
}

/* A title without its mnemonic. */
static char *
get_name (const CuredOptionInfo *info)
{
  g_auto (GStrv) parts = g_strsplit (_ (info->title), "_", -1);

  return g_strjoinv ("", parts);
}

/* Rows. */

static gboolean
show_text (GtkSpinButton *spin, const char *text)
{
  if (!g_str_equal (gtk_editable_get_text (GTK_EDITABLE (spin)), text))
    gtk_editable_set_text (GTK_EDITABLE (spin), text);
  return TRUE;
}

/* Shows no trailing zeros. */
static gboolean
output_cb (GtkSpinButton *spin)
{
  guint digits = gtk_spin_button_get_digits (spin);
  g_autofree char *text = g_strdup_printf ("%.*f", (int) digits, gtk_spin_button_get_value (spin));
  char *end = text + strlen (text);

  if (digits > 0)
    {
      while (end[-1] == '0')
        end--;
      /* The locale's decimal separator */
      if (!g_ascii_isdigit (end[-1]))
        end--;
      *end = '\0';
    }
  return show_text (spin, text);
}

/* Shows 0 as “auto”. */
static gboolean
output_auto_cb (GtkSpinButton *spin)
{
  int value = gtk_spin_button_get_value_as_int (spin);
  /* Translators: a number that Cured chooses. */
  g_autofree char *text =
      value == 0 ? g_strdup (C_ ("a number", "auto")) : g_strdup_printf ("%d", value);

  return show_text (spin, text);
}

static int
input_auto_cb (GtkSpinButton *spin, double *value)
{
  const char *text = gtk_editable_get_text (GTK_EDITABLE (spin));
  char *end = NULL;

  if (g_str_equal (text, C_ ("a number", "auto")) || g_str_equal (text, "auto"))
    {
      *value = 0;
      return TRUE;
    }
  *value = g_strtod (text, &end);
  return *text != '\0' && *end == '\0' ? TRUE : GTK_INPUT_ERROR;
}

/* The power of ten for which the default is 5 to 50 steps. */
static double
get_step (const CuredOptionInfo *info)
{
  g_auto (CuredOptions) defaults = { 0 };

  cured_options_init (&defaults);
  if ((info->flags & CURED_OPTION_AUTO) != 0)
    return 1;
  return pow (10, floor (log10 (cured_option_get_number (info, &defaults) / 5)));
}

static double
get_factor (const CuredOptionInfo *info)
{
  return g_str_equal (info->unit, "ratio") ? 100 : 1;
}

static gboolean
multiply (GBinding *binding, const GValue *from, GValue *to, gpointer info)
{
  g_value_set_double (to, g_value_get_double (from) * get_factor (info));
  return TRUE;
}

static gboolean
divide (GBinding *binding, const GValue *from, GValue *to, gpointer info)
{
  g_value_set_double (to, g_value_get_double (from) / get_factor (info));
  return TRUE;
}

static GtkWidget *
make_spin (const CuredOptionInfo *info)
{
  double factor = get_factor (info);
  double step = get_step (info) * factor;
  GtkWidget *spin =
      gtk_spin_button_new_with_range (get_least (info) * factor, info->max * factor, step);

  gtk_spin_button_set_increments (GTK_SPIN_BUTTON (spin), step, 10 * step);
  gtk_spin_button_set_digits (GTK_SPIN_BUTTON (spin),
                              info->type == CURED_OPTION_COUNT ? 0 : DIGITS);
  if ((info->flags & CURED_OPTION_AUTO) != 0)
    {
      g_signal_connect (spin, "input", G_CALLBACK (input_auto_cb), NULL);
      g_signal_connect (spin, "output", G_CALLBACK (output_auto_cb), NULL);
    }
  else
    {
      gtk_spin_button_set_numeric (GTK_SPIN_BUTTON (spin), TRUE);
      g_signal_connect (spin, "output", G_CALLBACK (output_cb), NULL);
    }
  gtk_editable_set_width_chars (GTK_EDITABLE (spin), WIDTH_CHARS);
  gtk_editable_set_max_width_chars (GTK_EDITABLE (spin), WIDTH_CHARS);
  return spin;
}

static GtkWidget *
make_entry (const CuredOptionInfo *info)
{
  return g_object_new (ADW_TYPE_ENTRY_ROW, "activates-default", TRUE, "input-purpose",
                       info->type == CURED_OPTION_SEED ? GTK_INPUT_PURPOSE_DIGITS
                                                       : GTK_INPUT_PURPOSE_FREE_FORM,
                       NULL);
}

/* A row with a control, which has the row's accessible name. */
static GtkWidget *
make_row (const CuredOptionInfo *info, GtkWidget *control)
{
  GtkWidget *row = g_object_new (ADW_TYPE_ACTION_ROW, "subtitle", _ (info->description),
                                 "subtitle-lines", 0, NULL);
  g_autofree char *name = get_name (info);

  gtk_widget_set_valign (control, GTK_ALIGN_CENTER);
  adw_action_row_add_suffix (ADW_ACTION_ROW (row), control);
  adw_action_row_set_activatable_widget (ADW_ACTION_ROW (row), control);
  cured_widget_name (control, name, _ (info->description));
  return row;
}

static void
add_row (CuredOptionsGroup *self, Option *option)
{
  const CuredOptionInfo *info = option->info;
  g_autofree char *name = get_property_name (info);
  GBindingFlags flags = G_BINDING_BIDIRECTIONAL | G_BINDING_SYNC_CREATE;
  GtkWidget *row;

  if (info->type == CURED_OPTION_FLAG)
    {
      option->control = gtk_switch_new ();
      row = make_row (info, option->control);
      g_object_bind_property (self, name, option->control, "active", flags);
    }
  else if (is_number (info))
    {
      option->control = make_spin (info);
      row = make_row (info, option->control);
      g_object_bind_property_full (
          self, name, gtk_spin_button_get_adjustment (GTK_SPIN_BUTTON (option->control)), "value",
          flags, multiply, divide, (gpointer) info, NULL);
    }
  else
    {
      row = option->control = make_entry (info);
      g_object_bind_property (self, name, row, "text", flags);
    }
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), _ (info->title));
  adw_preferences_row_set_use_underline (ADW_PREFERENCES_ROW (row), TRUE);
  gtk_widget_set_name (option->control, info->name);
  gtk_widget_set_tooltip_text (option->control, _ (info->description));
  if ((info->flags & CURED_OPTION_EMULATOR) != 0)
    g_object_bind_property (self, "emulated", row, "sensitive", G_BINDING_SYNC_CREATE);
  adw_expander_row_add_row (
      (info->flags & CURED_OPTION_ADVANCED) != 0 ? self->advanced : self->measuring, row);
}

static void
mark (GtkWidget *control, gboolean is_valid)
{
  cured_widget_set_class (control, "error", !is_valid);
  gtk_accessible_update_state (
      GTK_ACCESSIBLE (control), GTK_ACCESSIBLE_STATE_INVALID,
      is_valid ? GTK_ACCESSIBLE_INVALID_FALSE : GTK_ACCESSIBLE_INVALID_TRUE, -1);
}

static void
cured_options_group_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  CuredOptionsGroup *self = CURED_OPTIONS_GROUP (object);

  if (id == PROP_EMULATED)
    g_value_set_boolean (value, self->is_emulated);
  else
    g_value_copy (&g_array_index (self->options, Option, id - PROP_FIRST_OPTION).value, value);
}

static void
cured_options_group_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  CuredOptionsGroup *self = CURED_OPTIONS_GROUP (object);

  if (id == PROP_EMULATED)
    {
      if (self->is_emulated == g_value_get_boolean (value))
        return;
      self->is_emulated = g_value_get_boolean (value);
    }
  else
    {
      Option *option = &g_array_index (self->options, Option, id - PROP_FIRST_OPTION);

      if (g_param_values_cmp (pspec, &option->value, value) == 0)
        return;
      g_value_copy (value, &option->value);
    }
  g_object_notify_by_pspec (object, pspec);
  g_signal_emit_by_name (self, "changed");
}

static void
cured_options_group_class_init (CuredOptionsGroupClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  gsize n_rows;
  const CuredOptionInfo *rows = cured_options_list (&n_rows);

  object_class->get_property = cured_options_group_get_property;
  object_class->set_property = cured_options_group_set_property;
  g_object_class_install_property (
      object_class, PROP_EMULATED,
      g_param_spec_boolean ("emulated", NULL, NULL, FALSE,
                            G_PARAM_READWRITE | G_PARAM_EXPLICIT_NOTIFY));
  for (gsize i = 0; i < n_rows; i++)
    g_object_class_install_property (object_class, PROP_FIRST_OPTION + (guint) i,
                                     make_property (&rows[i]));

  cured_class_add_signal (klass, "changed", 0);

  cured_template_set (klass, "cured-options-group");
  CURED_BIND (CuredOptionsGroup, measuring, advanced);
  CURED_FREES (CuredOptionsGroup, g_array_unref, options);
}

static void
cured_options_group_init (CuredOptionsGroup *self)
{
  gsize n_rows;
  const CuredOptionInfo *rows = cured_options_list (&n_rows);
  g_auto (CuredOptions) defaults = { 0 };

  gtk_widget_init_template (GTK_WIDGET (self));
  self->options = g_array_new (FALSE, TRUE, sizeof (Option));
  g_array_set_clear_func (self->options, (GDestroyNotify) g_value_unset);
  for (gsize i = 0; i < n_rows; i++)
    {
      Option option = { .info = &rows[i] };

      g_value_init (&option.value, rows[i].type == CURED_OPTION_FLAG ? G_TYPE_BOOLEAN
                                   : is_number (&rows[i])            ? G_TYPE_DOUBLE
                                                                     : G_TYPE_STRING);
      g_array_append_val (self->options, option);
    }
  cured_options_init (&defaults);
  cured_options_group_set_options (self, &defaults);
  for (guint i = 0; i < self->options->len; i++)
    if (rows[i].title != NULL)
      add_row (self, &g_array_index (self->options, Option, i));
}

/* Shows @options in the rows. */
void
cured_options_group_set_options (CuredOptionsGroup *self, const CuredOptions *options)
{
  for (guint i = 0; i < self->options->len; i++)
    {
      const CuredOptionInfo *info = g_array_index (self->options, Option, i).info;
      g_autofree char *name = get_property_name (info);
      g_autofree char *text = cured_option_to_string (info, options);

      if (info->type == CURED_OPTION_FLAG)
        g_object_set (self, name, cured_option_get_number (info, options) > 0, NULL);
      else if (is_number (info))
        g_object_set (self, name, cured_option_get_number (info, options), NULL);
      else
        g_object_set (self, name, text, NULL);
    }
}

static gboolean
read_text (const Option *option, CuredOptions *options, GError **error)
{
  const char *typed = g_value_get_string (&option->value);
  g_autofree char *text = g_strstrip (g_strdup (typed != NULL ? typed : ""));

  if (cured_option_parse (option->info, options, text, error))
    return TRUE;
  g_autofree char *name = get_name (option->info);
  g_prefix_error (error, "%s: ", name);
  return FALSE;
}

/* Reads the rows, and marks invalid ones. @options: (inout): valid options, which get the typed
 * values; without an emulator, its options get their defaults. Returns: whether all are valid and
 * compatible with each other */
gboolean
cured_options_group_read (CuredOptionsGroup *self, CuredOptions *options, GError **error)
{
  g_autoptr (GError) first = NULL;

  for (guint i = 0; i < self->options->len; i++)
    {
      const Option *option = &g_array_index (self->options, Option, i);
      const CuredOptionInfo *info = option->info;
      gboolean is_valid = TRUE;

      if (option->control == NULL)
        continue;
      if (info->type == CURED_OPTION_FLAG)
        cured_option_set_number (info, options, g_value_get_boolean (&option->value));
      else if (is_number (info))
        cured_option_set_number (info, options, g_value_get_double (&option->value));
      else if (self->is_emulated || (info->flags & CURED_OPTION_EMULATOR) == 0)
        is_valid = read_text (option, options, first == NULL ? &first : NULL);
      mark (option->control, is_valid);
    }
  if (!self->is_emulated)
    cured_options_drop_emulated (options);
  if (first == NULL)
    return cured_options_check (options, error);
  g_propagate_error (error, g_steal_pointer (&first));
  return FALSE;
}
