/* SPDX-License-Identifier: MIT
 * Questions over a window. */
#pragma once

#include <adwaita.h>

typedef struct
{
  const char *id; /* NULL: the row after the last */
  const char *label;
  AdwResponseAppearance appearance;
} CuredAnswer;

typedef void (*CuredResponseFunc) (gpointer owner, const char *id, AdwMessageDialog *dialog);

extern const CuredAnswer cured_answer_close[];

AdwMessageDialog *cured_ask (GtkWindow *parent, const char *title, const char *text,
                             const CuredAnswer *answers, gpointer owner, CuredResponseFunc asked);
