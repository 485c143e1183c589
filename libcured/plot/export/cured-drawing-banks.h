/* SPDX-License-Identifier: MIT
 * Accesses to the banks of shared memory as a drawing. */
#pragma once

#include "plot/bank/cured-bank-plot.h"
#include "plot/export/cured-drawing.h"
#include "inspect/cured-bank-view.h"

/* One picture of a drawing. */
typedef struct
{
  /* (nullable): its view; the table then has all its sites. NULL: an access without a
   * kernel */
  CuredBankView *view;
  gsize site;             /* index of a #CuredBankSite in @view */
  CuredBankAccess access; /* an access of that site, one of its patterns or another one */
  const char *title;      /* (nullable): text above the picture that distinguishes it */
} CuredBankShown;

CuredDrawing *cured_drawing_new_banks (const CuredBankShown *shown, gsize n_shown,
                                       CuredBankPlotMode mode, const char *name, const char *title,
                                       const char *first_line, const char *second_line);

CuredDrawing *cured_drawing_new_flow (CuredBankView *view, const char *name, const char *title,
                                      const char *first_line, const char *second_line);

CuredDrawing *cured_drawing_new_threads (CuredBankView *view, gssize cell, const char *name,
                                         const char *title, const char *first_line,
                                         const char *second_line);
