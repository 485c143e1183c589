/* SPDX-License-Identifier: MIT
 * The bank model alone: a stride or a tile, and its bank conflicts. */
#include <config.h>

#include "banks/cured-gui-banks.h"

struct _CuredStrideExplorer
{
  AdwWindow parent_instance;

  /* Template widgets */
  GtkDropDown *preset, *arch, *kind;
  GtkGrid *sliders;
  GtkLabel *formula, *figures, *why, *read_out;
  GtkStack *stack;
  CuredLayoutPanel *layout;
  GtkToggleButton *addresses;
  CuredPicture *chart;

  CuredBankStride stride; /* as shown by the controls */
  guint width;            /* bytes: of @stride */

  /* Borrowed: in the grid; ORDER: of Slider */
  GtkRange *ranges[5];
  GtkLabel *values[5];
};

G_DEFINE_FINAL_TYPE (CuredStrideExplorer, cured_stride_explorer, ADW_TYPE_WINDOW)

static const struct
{
  CuredBankArch arch;
  const char *title, *detail;
} archs[] = {
  { CURED_BANK_ARCH_5, N_ ("Maxwell and later"),
    N_ ("Compute capability 5.0 and later: 32 banks of 4 bytes; measured") },
  { CURED_BANK_ARCH_3, N_ ("Kepler"),
    N_ ("Compute capability 3.x in its mode of 4 bytes: 32 banks of 8 bytes; from NVIDIA's "
        "documentation") },
  { CURED_BANK_ARCH_3_WIDE, N_ ("Kepler, 8 bytes"),
    N_ ("Compute capability 3.x in its mode of 8 bytes: 32 banks of 8 bytes; from NVIDIA's "
        "documentation") },
  { CURED_BANK_ARCH_2, N_ ("Fermi"),
    N_ ("Compute capability 2.x: 32 banks of 4 bytes; from NVIDIA's documentation") },
  { CURED_BANK_ARCH_1, N_ ("Tesla"),
    N_ ("Compute capability 1.x: 16 banks of 4 bytes, half a warp at a time; from NVIDIA's "
        "documentation") },
};

/* ORDER: as a learner encounters them. */
static const struct
{
  const char *title;
  guint width; /* bytes */
  guint stride, padding, every;
} presets[] = {
  { N_ ("Neighbouring words"), 4, 1, 0, 32 },
  { N_ ("Every second word"), 4, 2, 0, 32 },
  { N_ ("One word for all lanes"), 4, 0, 0, 32 },
  { N_ ("Column of a 32 × 32 tile (transpose)"), 4, 32, 0, 32 },
  { N_ ("The column, rows padded by a word"), 4, 32, 1, 32 },
  { N_ ("Column of a 16 × 16 tile"), 4, 16, 0, 16 },
  { N_ ("Structure of three floats"), 4, 3, 0, 32 },
  { N_ ("Structure of four floats"), 4, 4, 0, 32 },
  { N_ ("Neighbouring float2"), 8, 1, 0, 32 },
  { N_ ("Neighbouring float4"), 16, 1, 0, 32 },
  { N_ ("Column of doubles"), 8, 32, 0, 32 },
  { N_ ("Neighbouring bytes"), 1, 1, 0, 32 },
  { N_ ("Every fourth byte"), 1, 4, 0, 32 },
};

/* Index of the list's entry for values that match no preset. */
#define OWN G_N_ELEMENTS (presets)

typedef enum
{
  SLIDER_STRIDE,
  SLIDER_WIDTH,
  SLIDER_BASE,
  SLIDER_PADDING,
  SLIDER_EVERY,
  N_SLIDERS
} Slider;

/* ORDER: of Slider. If @is_power, the displayed value is 2 to the power of the slider's. */
static const struct
{
  const char *title, *tooltip;
  guint low, high;
  gboolean is_power;
} sliders[] = {
  { N_ ("_Stride"), N_ ("Elements from one lane to the next"), 0, 64, FALSE },
  { N_ ("_Width"), N_ ("Bytes per element"), 0, 4, TRUE },
  { N_ ("_Base"), N_ ("Element of lane 0"), 0, 63, FALSE },
  { N_ ("_Padding"), N_ ("Elements left out after every row"), 0, 16, FALSE },
  { N_ ("_Row"), N_ ("Elements of a row; the padding follows them"), 0, 7, TRUE },
};

G_STATIC_ASSERT (G_N_ELEMENTS (sliders) == N_SLIDERS);

static guint
get_number (Slider slider, double value)
{
  guint number = (guint) (value + 0.5);

  return sliders[slider].is_power ? 1u << number : number;
}

static void
update_read_out (CuredStrideExplorer *self)
{
  g_autofree char *text = cured_picture_get_read_out (self->chart);

  gtk_label_set_label (self->read_out, text);
}

static void
show_figures (CuredStrideExplorer *self, const CuredBankAccess *access)
{
  CuredBankCounts counts;

  if (!cured_bank_model_count (access, &counts))
    return;
  cured_widget_print (
      self->figures,
      /* Translators: turns of the shared memory that an access takes, how many it takes at least,
       * and how many are too many. */
      ngettext ("%u wavefront · ideal %u · %u in conflict",
                "%u wavefronts · ideal %u · %u in conflict", counts.wavefronts),
      counts.wavefronts, counts.least, counts.conflicts);
  cured_widget_set_class (self->figures, "error", counts.conflicts > 0);
}

static CuredBankPlotMode
get_mode (CuredStrideExplorer *self)
{
  return gtk_toggle_button_get_active (self->addresses) ? CURED_BANK_PLOT_ADDRESSES
                                                        : CURED_BANK_PLOT_BANKS;
}

static void
show (CuredStrideExplorer *self, const CuredBankAccess *access, const char *why)
{
  gtk_label_set_label (self->why, why);
  show_figures (self, access);
  cured_bank_picture_show (self->chart, access, get_mode (self), why);
  update_read_out (self);
}

/* While an entered layout is invalid, the last valid one is shown. */
static void
update (CuredStrideExplorer *self)
{
  const CuredBankAccess *worst = cured_layout_panel_get_access (self->layout);
  g_autofree char *why = NULL;
  CuredBankAccess access;

  if (g_strcmp0 (gtk_stack_get_visible_child_name (self->stack), "layout") == 0)
    {
      why = cured_layout_panel_describe (self->layout);
      if (worst != NULL)
        show (self, worst, why);
      return;
    }
  self->stride.width = self->width * 8;
  g_autofree char *formula = cured_bank_stride_format (&self->stride);
  cured_bank_stride_get_access (&self->stride, &access);
  why = cured_bank_access_describe (&access);
  gtk_label_set_label (self->formula, formula);
  show (self, &access, why);
}

static void
show_value (CuredStrideExplorer *self, Slider slider)
{
  guint number = get_number (slider, gtk_range_get_value (self->ranges[slider]));
  g_autofree char *text = NULL;

  if (slider == SLIDER_WIDTH)
    text = g_strdup_printf (ngettext ("%u byte", "%u bytes", number), number);
  else
    text = cured_format_count (number);
  gtk_label_set_label (self->values[slider], text);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->ranges[slider]),
                                  GTK_ACCESSIBLE_PROPERTY_VALUE_TEXT, text, -1);
}

static guint *
get_field (CuredStrideExplorer *self, Slider slider)
{
  guint *const fields[N_SLIDERS] = {
    [SLIDER_STRIDE] = &self->stride.stride, [SLIDER_WIDTH] = &self->width,
    [SLIDER_BASE] = &self->stride.base,     [SLIDER_PADDING] = &self->stride.padding,
    [SLIDER_EVERY] = &self->stride.every,
  };

  return fields[slider];
}

/* Ignores a change to the current value. */
static void
slid_cb (GtkRange *range, CuredStrideExplorer *self)
{
  Slider slider = (Slider) GPOINTER_TO_INT (g_object_get_data (G_OBJECT (range), "slider"));
  guint number = get_number (slider, gtk_range_get_value (range));

  show_value (self, slider);
  if (*get_field (self, slider) == number)
    return;
  *get_field (self, slider) = number;
  cured_choice_set_selected (self->preset, OWN);
  update (self);
}

static void
preset_cb (CuredStrideExplorer *self)
{
  gsize index;

  if (!cured_choice_get_selected (self->preset, &index) || index == OWN)
    return;
  self->stride.stride = presets[index].stride;
  self->width = presets[index].width;
  self->stride.base = 0;
  self->stride.padding = presets[index].padding;
  self->stride.every = presets[index].every;
  for (Slider slider = 0; slider < N_SLIDERS; slider++)
    {
      guint number = *get_field (self, slider);

      gtk_range_set_value (self->ranges[slider],
                           sliders[slider].is_power ? g_bit_nth_lsf (number, -1) : (double) number);
    }
  update (self);
}

static void
rules_cb (CuredStrideExplorer *self)
{
  gsize arch = 0;
  gsize kind = 0;

  cured_choice_get_selected (self->arch, &arch);
  cured_choice_get_selected (self->kind, &kind);
  self->stride.arch = archs[arch].arch;
  self->stride.kind = kind == 0 ? CURED_BANK_KIND_LOAD : CURED_BANK_KIND_STORE;
  update (self);
}

static void
mode_cb (CuredStrideExplorer *self)
{
  cured_bank_picture_set_mode (self->chart, get_mode (self));
}

static void
add_slider (CuredStrideExplorer *self, Slider slider)
{
  const char *tooltip = _ (sliders[slider].tooltip);
  GtkWidget *scale = gtk_scale_new_with_range (GTK_ORIENTATION_HORIZONTAL, sliders[slider].low,
                                               sliders[slider].high, 1.0);
  GtkWidget *label =
      cured_widget_new (GTK_TYPE_LABEL, NULL, "label", _ (sliders[slider].title), "use-underline",
                        TRUE, "mnemonic-widget", scale, "tooltip-text", tooltip, NULL);
  GtkWidget *value =
      cured_widget_new (GTK_TYPE_LABEL, "numeric", "width-chars", 8, "xalign", 1.0, NULL);
  int row = (int) slider;

  gtk_grid_attach (self->sliders, label, 0, row, 1, 1);
  g_object_set (scale, "round-digits", 0, "hexpand", TRUE, "tooltip-text", tooltip, NULL);
  gtk_accessible_update_relation (GTK_ACCESSIBLE (scale), GTK_ACCESSIBLE_RELATION_LABELLED_BY,
                                  label, NULL, -1);
  gtk_accessible_update_property (GTK_ACCESSIBLE (scale), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION,
                                  tooltip, -1);
  gtk_grid_attach (self->sliders, scale, 1, row, 1, 1);
  gtk_grid_attach (self->sliders, value, 2, row, 1, 1);

  self->ranges[slider] = GTK_RANGE (scale);
  self->values[slider] = GTK_LABEL (value);
  g_object_set_data (G_OBJECT (scale), "slider", GINT_TO_POINTER (slider));
  g_signal_connect (scale, "value-changed", G_CALLBACK (slid_cb), self);
}

static void
fill_lists (CuredStrideExplorer *self)
{
  g_autoptr (GListStore) patterns = g_list_store_new (CURED_TYPE_CHOICE);
  g_autoptr (GListStore) chips = g_list_store_new (CURED_TYPE_CHOICE);
  g_autoptr (GListStore) kinds = g_list_store_new (CURED_TYPE_CHOICE);
  const char *detail = _ ("An access pattern to begin with");

  for (gsize i = 0; i < OWN; i++)
    cured_choice_add (patterns, i, _ (presets[i].title), NULL, detail);
  /* Translators: of a list of examples: values that the user has chosen. */
  cured_choice_add (patterns, OWN, _ ("Your own values"), NULL, detail);
  for (gsize i = 0; i < G_N_ELEMENTS (archs); i++)
    cured_choice_add (chips, i, _ (archs[i].title), NULL, _ (archs[i].detail));
  cured_choice_add (kinds, 0, _ ("Load"), NULL,
                    _ ("All lanes read: those that read one word share it"));
  cured_choice_add (kinds, 1, _ ("Store"), NULL,
                    _ ("All lanes write: of those that write to one word, one wins"));
  cured_choice_fill (self->preset, patterns, 0);
  cured_choice_fill (self->arch, chips, 0);
  cured_choice_fill (self->kind, kinds, 0);
}

static void
cured_stride_explorer_dispose (GObject *object)
{
  adw_window_set_content (ADW_WINDOW (object), NULL);
  cured_template_dispose (object);
}

static void
cured_stride_explorer_class_init (CuredStrideExplorerClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = cured_stride_explorer_dispose;
  CURED_NEEDS (PICTURE, LAYOUT_PANEL);
  cured_template_set (klass, "cured-stride-explorer");
  CURED_CALLBACKS (update, mode_cb, update_read_out);
  CURED_BIND (CuredStrideExplorer, preset, arch, kind, sliders, formula, stack, layout, figures);
  CURED_BIND (CuredStrideExplorer, why, addresses, chart, read_out);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_Escape, 0, "window.close", NULL);
}

static void
cured_stride_explorer_init (CuredStrideExplorer *self)
{
  cured_bank_stride_init (&self->stride);
  gtk_widget_init_template (GTK_WIDGET (self));
  for (int i = 0; i < N_SLIDERS; i++)
    add_slider (self, (Slider) i);
  fill_lists (self);
  preset_cb (self);
  for (int i = 0; i < N_SLIDERS; i++)
    show_value (self, (Slider) i);

  cured_choice_connect (self->preset, G_CALLBACK (preset_cb), self);
  cured_choice_connect (self->arch, G_CALLBACK (rules_cb), self);
  cured_choice_connect (self->kind, G_CALLBACK (rules_cb), self);
}

/* Creates a window for the bank model alone, which needs no kernel; it is not presented yet.
 * Returns: (transfer none): the window, owned by GTK. @parent: (nullable): the window to which it
 * belongs */
CuredStrideExplorer *
cured_stride_explorer_new (GtkWindow *parent)
{
  return g_object_new (CURED_TYPE_STRIDE_EXPLORER, "transient-for", parent, NULL);
}
