/* SPDX-License-Identifier: MIT
 * One of the pictures side by side, with its figures. */
#pragma once

#include <adwaita.h>

#include "banks/cured-bank-picture.h"

#define CURED_TYPE_BANK_SIDE (cured_bank_side_get_type ())
G_DECLARE_FINAL_TYPE (CuredBankSide, cured_bank_side, CURED, BANK_SIDE, AdwBin)

CuredPicture *cured_bank_side_get_chart (CuredBankSide *self);
void cured_bank_side_set_mode (CuredBankSide *self, CuredBankPlotMode mode);
void cured_bank_side_set_head (CuredBankSide *self, GtkWidget *head);
void cured_bank_side_clear_figures (CuredBankSide *self);
void cured_bank_side_add_group (CuredBankSide *self, const char *title, const char *narrow_title);
void cured_bank_side_add_figure (CuredBankSide *self, const char *caption, const char *value,
                                 const char *narrow_value, const char *tooltip);
void cured_bank_side_set_narrow (CuredBankSide *self, gboolean is_narrow);
void cured_bank_side_show_access (CuredBankSide *self, const CuredBankSite *site,
                                  const CuredBankAccess *access);
void cured_bank_side_show_message (CuredBankSide *self, const char *title, const char *text);
