/* SPDX-License-Identifier: MIT
 * All samples of one cell as a strip plot. */
#include <config.h>

#include "map/cured-sample-strip.h"

#include <math.h>

#include <glib/gi18n.h>

#include "widgets/cured-plot-look.h"

/* Of the plot of one mode, its text included. */
#define MODE_HEIGHT 112

/* Of its text: a side bar is narrow. */
#define TEXT_SCALE 0.9

struct _CuredSampleStrip
{
  CuredPicture parent_instance;

  /* Borrowed, nullable */
  const CuredOutcome *outcome;
  const CuredOutcome *beside;
};

G_DEFINE_FINAL_TYPE (CuredSampleStrip, cured_sample_strip, CURED_TYPE_PICTURE)

static void
cured_sample_strip_draw (CuredPicture *picture, cairo_t *cr, const CuredPlotStyle *style,
                         double width, double height)
{
  CuredSampleStrip *self = CURED_SAMPLE_STRIP (picture);

  if (self->outcome != NULL)
    cured_plot_draw_samples (cr, self->outcome, self->beside, style, width, height);
}

static void
cured_sample_strip_measure (GtkWidget *widget, GtkOrientation orientation, int for_size,
                            int *minimum, int *natural, int *minimum_baseline,
                            int *natural_baseline)
{
  CuredSampleStrip *self = CURED_SAMPLE_STRIP (widget);
  const CuredOutcome *outcome = self->outcome;
  int n_modes = outcome == NULL ? 0 : (outcome->cold != NULL) + (outcome->hot != NULL);

  if (orientation == GTK_ORIENTATION_HORIZONTAL)
    {
      *minimum = 160;
      *natural = 280;
    }
  else
    *minimum = *natural =
        (int) ceil (MODE_HEIGHT * n_modes * cured_plot_look_get_text_scale (widget));
}

static void
cured_sample_strip_class_init (CuredSampleStripClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  widget_class->measure = cured_sample_strip_measure;
  CURED_PICTURE_CLASS (klass)->draw = cured_sample_strip_draw;
  CURED_PICTURE_CLASS (klass)->text_scale = TEXT_SCALE;
  gtk_widget_class_set_css_name (widget_class, "samplestrip");
}

static void
cured_sample_strip_init (CuredSampleStrip *self)
{
  /* There is nothing in it to go to. */
  gtk_widget_set_focusable (GTK_WIDGET (self), FALSE);
}

static char *
describe_samples (const CuredSamples *samples)
{
  g_autofree char *count = cured_format_count (samples->samples->len);
  g_autofree char *median = cured_format_quantity (samples->statistics.median, "ns");

  if (samples->mode == CURED_TIMING_COLD)
    /* Translators: how many samples, and their median. */
    return g_strdup_printf (
        ngettext ("%s cold sample, median %s", "%s cold samples, median %s", samples->samples->len),
        count, median);
  /* Translators: how many samples, and their median. */
  return g_strdup_printf (
      ngettext ("%s hot sample, median %s", "%s hot samples, median %s", samples->samples->len),
      count, median);
}

/**
 * cured_sample_strip_set_outcome:
 * @self: a sample strip
 * @outcome: (nullable): whose samples to show; borrowed until the next call
 *
 * Shows the samples of another cell, and tells assistive technology how many there are and where
 * their median is.
 */
void
cured_sample_strip_set_outcome (CuredSampleStrip *self, const CuredOutcome *outcome)
{
  g_autoptr (GString) label = g_string_new (_ ("Samples"));

  g_return_if_fail (CURED_IS_SAMPLE_STRIP (self));

  self->outcome = outcome;
  if (outcome != NULL && outcome->cold != NULL)
    {
      g_autofree char *text = describe_samples (outcome->cold);

      g_string_append_printf (label, ". %s", text);
    }
  if (outcome != NULL && outcome->hot != NULL)
    {
      g_autofree char *text = describe_samples (outcome->hot);

      g_string_append_printf (label, ". %s", text);
    }
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, label->str,
                                  -1);
  gtk_widget_queue_resize (GTK_WIDGET (self));
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

/**
 * cured_sample_strip_set_beside:
 * @self: a sample strip
 * @beside: (nullable): whose samples stand in the strip beside this one; borrowed
 *   until the next call
 *
 * Gives both strips the same scales, where the other one is told of this outcome likewise.
 */
void
cured_sample_strip_set_beside (CuredSampleStrip *self, const CuredOutcome *beside)
{
  g_return_if_fail (CURED_IS_SAMPLE_STRIP (self));

  self->beside = beside;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}
