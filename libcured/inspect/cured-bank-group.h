/* SPDX-License-Identifier: MIT
 * What a bank view shows: its sites in groups of those that are alike, the worst first. */
#pragma once

#include "inspect/cured-bank-view.h"

/* Which sites of a view are wanted. */
typedef struct
{
  gint64 site;       /* number of the one, from 1; 0: any */
  gint64 line;       /* source line; 0: any */
  gboolean is_apart; /* every site by itself, instead of in groups */
} CuredBankChoice;

/* Sites of one line that are alike, as an unrolled loop's are. */
typedef struct
{
  CuredBankView *view; /* whose sites they are; owned */
  GArray *sites;       /* (element-type gsize): their indices in the view, at least one */
  guint64 accesses;    /* of all of them */
  guint64 wavefronts;  /* likewise */
  guint64 least;       /* likewise */
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
