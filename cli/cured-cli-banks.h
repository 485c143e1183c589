/* SPDX-License-Identifier: MIT
 * Output of cured banks. */
#pragma once

#include "cured-cli.h"

/* *
 * CuredCliBankArch:
 * @name: as printed: "9.0"
 * @arch: the banks
 * @description: untranslated
 */
typedef struct
{
  const char *name;
  CuredBankArch arch;
  const char *description;
} CuredCliBankArch;

/* *
 * CuredCliBankChoice:
 * @sites: the sites to show; if they are apart, every pattern is printed
 * @colour: whether to use colours
 */
typedef struct
{
  CuredBankChoice sites;
  gboolean colour;
} CuredCliBankChoice;

/**
 * CuredCliBankLayoutOptions: of banks --layout; each may be NULL but @layout.
 * @layout: in CuTe's or Triton's notation
 * @accesses: to the tile
 * @type: of an element
 * @shape: ROWSxCOLUMNS
 */
typedef struct
{
  char *layout;
  char **accesses;
  char *type;
  char *shape;
} CuredCliBankLayoutOptions;

/* * CuredCliBankLayout: a layout, and the cost of its
 * accesses.
 */
typedef struct _CuredCliBankLayout CuredCliBankLayout;

CuredCliBankLayout *cured_cli_bank_layout_new (const CuredCliBankLayoutOptions *options,
                                               GError **error);
void cured_cli_bank_layout_free (CuredCliBankLayout *self);
void cured_cli_bank_layout_print (const CuredCliBankLayout *self, gboolean colour);
CuredDrawing *cured_cli_bank_layout_draw (const CuredCliBankLayout *self, CuredBankPlotMode mode);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredCliBankLayout, cured_cli_bank_layout_free)

void cured_cli_print_bank_picture (const CuredBankAccess *access, const CuredBankPicture *picture,
                                   gboolean colour);
void cured_cli_json_add_counts (const CuredBankCounts *counts);
void cured_cli_json_add_served (const CuredBankPicture *picture);

gboolean cured_cli_print_bank_view (CuredBankView *view, const CuredProgram *program,
                                    const CuredCliBankArch *arch, const CuredCliBankChoice *choice,
                                    GError **error);
CuredDrawing *cured_cli_draw_bank_view (CuredBankView *view, const CuredProgram *program,
                                        const CuredCliBankChoice *choice, CuredBankPlotMode mode,
                                        GError **error);
CuredDrawing *cured_cli_draw_flow (CuredBankView *view, const CuredProgram *program,
                                   gboolean is_threads);
gboolean cured_cli_print_bank_view_json (CuredBankView *view, const CuredProgram *program,
                                         const CuredCliBankArch *arch,
                                         const CuredCliBankChoice *choice, GError **error);
