/* SPDX-License-Identifier: MIT
 * A picture of an access to the banks: adds lanes to #CuredPicture. */
#include <config.h>

#include "banks/cured-gui-banks.h"

/* (transfer none) (nullable) */
CuredBankPlot *
cured_bank_picture_get_plot (CuredPicture *picture)
{
  return (CuredBankPlot *) cured_picture_get_chart (picture);
}

static gssize
find_lane (const CuredBankPlot *plot, int lane)
{
  return plot != NULL && lane >= 0 ? cured_bank_plot_find_lane (plot, (guint) lane) : -1;
}

/* Keeps the marked lane. */
static void
set_plot (CuredPicture *picture, CuredBankPlot *plot)
{
  int lane = cured_bank_picture_get_lane (picture);

  cured_picture_set_chart (picture, plot != NULL ? &plot->chart : NULL, find_lane (plot, lane));
}

/* Draws another access, with all of its wavefronts. @access: (nullable): NULL: nothing. @why:
 * (nullable): a description for screen readers. */
void
cured_bank_picture_show (CuredPicture *picture, const CuredBankAccess *access,
                         CuredBankPlotMode mode, const char *why)
{
  g_autofree char *hint = g_strdup_printf (
      /* Translators: why an access takes as many wavefronts as it does. */
      _ ("%s. The arrow keys move over lanes and banks, Space plays the wavefronts, Control and an "
         "arrow key steps through them."),
      why != NULL ? why : "");

  g_object_set (picture, "hint", hint, NULL);
  set_plot (picture, access != NULL ? cured_bank_plot_new (access, mode) : NULL);
  cured_picture_set_step (picture, -1, -1);
}

void
cured_bank_picture_set_mode (CuredPicture *picture, CuredBankPlotMode mode)
{
  CuredBankPlot *plot = cured_bank_picture_get_plot (picture);

  if (plot != NULL && plot->mode != mode)
    set_plot (picture, cured_bank_plot_new (&plot->access, mode));
}

/* @wavefront: the one to show, from 0; -1: all. */
void
cured_bank_picture_set_wavefront (CuredPicture *picture, gssize wavefront)
{
  const CuredBankPlot *plot = cured_bank_picture_get_plot (picture);
  gssize first = -1;

  for (guint i = 0; plot != NULL && wavefront >= 0 && first < 0 && i < plot->chips->len; i++)
    if (cured_bank_plot_is_served (plot, i, (guint) wavefront))
      first = i;
  cured_picture_set_step (picture, wavefront, first);
}

/* The first lane of the chip under the pointer or the cursor; -1: none. */
int
cured_bank_picture_get_lane (CuredPicture *picture)
{
  const CuredBankPlot *plot = cured_bank_picture_get_plot (picture);
  gssize chip = cured_picture_get_pointed (picture);

  return plot != NULL && chip >= 0
             ? g_bit_nth_lsf (g_array_index (plot->chips, CuredBankChip, chip).lanes, -1)
             : -1;
}

/* Marks the first chip of a lane, to synchronise two pictures. @lane: a lane; -1: none. */
void
cured_bank_picture_point_at_lane (CuredPicture *picture, int lane)
{
  if (cured_bank_picture_get_lane (picture) != lane)
    cured_picture_set_item (picture, find_lane (cured_bank_picture_get_plot (picture), lane));
}

/* Makes its rows as high as those of @beside, until another access is drawn. The other picture must
 * be aligned likewise. @beside: (nullable): the picture beside it. */
void
cured_bank_picture_align (CuredPicture *picture, CuredPicture *beside)
{
  CuredBankPlot *plot = cured_bank_picture_get_plot (picture);

  if (plot == NULL)
    return;
  cured_bank_plot_align (plot, beside != NULL ? cured_bank_picture_get_plot (beside) : NULL);
  gtk_widget_queue_resize (GTK_WIDGET (picture));
}
