/* SPDX-License-Identifier: MIT
 * What cured banks prints. */
#pragma once

#include "cured-cli.h"

G_BEGIN_DECLS

/**
 * CuredCliBankArch:
 * @name: as it is printed: "9.0"
 * @arch: the banks
 * @description: untranslated
 */
typedef struct
{
  const char *name;
  CuredBankArch arch;
  const char *description;
} CuredCliBankArch;

/**
 * CuredCliBankChoice:
 * @sites: that are shown; where they are apart, every pattern is printed
 * @colour: with colours
 */
typedef struct
{
  CuredBankChoice sites;
  gboolean colour;
} CuredCliBankChoice;

void cured_cli_print_bank_picture (const CuredBankPicture *picture,
                                   gboolean colour);
void cured_cli_json_add_counts (JsonBuilder *builder,
                                const CuredBankCounts *counts);
void cured_cli_json_add_served (JsonBuilder *builder,
                                const CuredBankPicture *picture);

gboolean cured_cli_print_bank_view (CuredBankView *view,
                                    const CuredProgram *program,
                                    const CuredCliBankArch *arch,
                                    const CuredCliBankChoice *choice,
                                    GError **error);
CuredDrawing *cured_cli_draw_bank_view (CuredBankView *view,
                                        const CuredProgram *program,
                                        const CuredCliBankChoice *choice,
                                        CuredBankPlotMode mode,
                                        GError **error);
gboolean cured_cli_print_bank_view_json (CuredBankView *view,
                                         const CuredProgram *program,
                                         const CuredCliBankArch *arch,
                                         const CuredCliBankChoice *choice,
                                         GError **error);

G_END_DECLS
