/* SPDX-License-Identifier: MIT
 * A launch on the emulator and what it reports. */
#include "ptx/machine/cured-launch.h"

/* Frees what a report holds, and zeroes it. */
void
cured_report_clear (CuredReport *self)
{
  g_free (self->end_text);
  g_free (self->counts);
  for (guint i = 0; i < self->n_regions; i++)
    g_free (self->regions[i].name);
  g_free (self->regions);
  g_free (self->traffic);
  if (self->findings != NULL)
    g_ptr_array_unref (self->findings);
  if (self->output != NULL)
    g_string_free (self->output, TRUE);
  memset (self, 0, sizeof *self);
}
