/* SPDX-License-Identifier: MIT
 * Data flow as drawings: through shared memory step by step, and from elements to threads. */
#include "config.h"

#include <glib/gi18n-lib.h>

#include "plot/bank/cured-flow-plot.h"
#include "plot/bank/cured-thread-plot.h"
#include "plot/export/cured-drawing-banks.h"
#include "plot/export/cured-drawing-internal.h"

/* @chart: (transfer full). @legend: explanation of its colours */
static CuredDrawing *
new_drawing (CuredChart *chart, gssize item, const char *name, const char *title,
             const char *first_line, const char *second_line, const char *legend)
{
  CuredDrawing *drawing = cured_drawing_new_chart (chart, item, name);
  g_autofree char *footnote = g_strdup_printf ("%s Cured\u00a0%s", legend, CURED_VERSION);

  cured_drawing_set_caption (drawing, title, first_line, second_line, footnote);
  return drawing;
}

/* @view: accesses of a warp, in order
 * @name: name for a file, without a suffix
 * @title: its title, such as the kernel's id
 * @first_line: (nullable): a line below the title, such as the parameters
 * @second_line: (nullable): a second line, such as block and warp
 *
 * Draws a warp's accesses to shared memory from top to bottom: a column per word, a row per access,
 * and lines from the words that a lane loaded to those that it stores next. A reduction looks like
 * a tree. Above, a strip per buffer shows what the block reads and writes. The first 48 accesses
 * and 96 words are shown. There is no table.
 * Returns: (transfer full): the picture */
CuredDrawing *
cured_drawing_new_flow (CuredBankView *view, const char *name, const char *title,
                        const char *first_line, const char *second_line)
{
  g_return_val_if_fail (view != NULL, NULL);

  return new_drawing (
      cured_flow_plot_new (view), -1, name, title, first_line, second_line,
      _ ("Blue: loaded; orange: stored. A column is a word of shared memory, a row an access of "
         "the warp; a line leads from what a lane loaded to where it stores next."));
}

/* @view: a block's accesses
 * @cell: the marked thread, or another item of cured_thread_plot_new(); -1: none
 * @name: name for a file, without a suffix
 * @title: its title, such as the kernel's id
 * @first_line: (nullable): a line below the title, such as the parameters
 * @second_line: (nullable): a second line, such as the block
 *
 * Draws the threads of a block and, beside them, the elements of each buffer in the colour of the
 * thread that touches them. There is no table.
 * Returns: (transfer full): the picture */
CuredDrawing *
cured_drawing_new_threads (CuredBankView *view, gssize cell, const char *name, const char *title,
                           const char *first_line, const char *second_line)
{
  g_return_val_if_fail (view != NULL, NULL);

  return new_drawing (
      cured_thread_plot_new (view), cell, name, title, first_line, second_line,
      _ ("A thread has a colour, and an element the colour and the number of the thread that "
         "touches it; grey: several do. A number beside a row is that of its first element."));
}
