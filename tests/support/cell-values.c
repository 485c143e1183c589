/* SPDX-License-Identifier: MIT
 * Cells as tables of counters name them. */
#include "cell-values.h"

#include <string.h>

/* Reads "n=7 tile=3" into the kernel's values, where other parameters have their defaults. FALSE:
 * the kernel has no such parameter. */
gboolean
cell_values_read (CuredKernel *kernel, const char *text, gint64 *values)
{
  g_auto (GStrv) words = g_strsplit (text, " ", -1);

  for (gsize i = 0; i < kernel->n_parameters; i++)
    values[i] = kernel->parameters[i].default_value;
  for (char **word = words; *word != NULL; word++)
    {
      char *value = strchr (*word, '=');
      gsize parameter;

      if (**word == '\0')
        continue;
      if (value == NULL)
        return FALSE;
      *value++ = '\0';
      if (!cured_kernel_find_parameter (kernel, *word, &parameter))
        return FALSE;
      values[parameter] = g_ascii_strtoll (value, NULL, 10);
    }
  return TRUE;
}
