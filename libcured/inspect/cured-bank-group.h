/* SPDX-License-Identifier: MIT
 * What a bank view shows: its sites in groups of those that are alike, the worst first. */
#pragma once

#include "inspect/cured-bank-view.h"

G_BEGIN_DECLS

/**
 * CuredBankChoice: which sites of a view are wanted.
 * @site: number of the one, from 1; 0: any
 * @line: source line; 0: any
 * @is_apart: every site by itself, instead of in groups
 */
typedef struct
{
  gint64 site, line;
  gboolean is_apart;
} CuredBankChoice;

/**
 * CuredBankGroup: sites of one line that are alike, as an unrolled loop's are.
 * @view: whose sites they are; owned
 * @sites: (element-type gsize): their indices in the view, at least one
 * @accesses: of all of them
 * @wavefronts: likewise
 * @least: likewise
 */
typedef struct
{
  CuredBankView *view;
  GArray *sites;
  guint64 accesses, wavefronts, least;
} CuredBankGroup;

GPtrArray *cured_bank_view_group (CuredBankView *view, const CuredBankChoice *choice,
                                  GError **error);
CuredBankGroup *cured_bank_group_ref (CuredBankGroup *self);
void cured_bank_group_unref (CuredBankGroup *self);
const CuredBankSite *cured_bank_group_get_site (const CuredBankGroup *self);
gboolean cured_bank_group_has (const CuredBankGroup *self, gsize site);
gint64 cured_bank_group_get_excess (const CuredBankGroup *self);
int cured_bank_group_compare (const CuredBankGroup *a, const CuredBankGroup *b);
double cured_bank_site_get_ways (const CuredBankSite *self);
char *cured_bank_view_describe (const CuredBankView *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredBankGroup, cured_bank_group_unref)

G_END_DECLS
