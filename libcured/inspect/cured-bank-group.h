/* SPDX-License-Identifier: MIT
 * Groups similar sites of a bank view, the worst first. */
#pragma once

#include "inspect/cured-bank-view.h"

/* A choice of a view's sites. */
typedef struct
{
  gint64 site;       /* number of a site, from 1; 0: any */
  gint64 line;       /* source line; 0: any */
  gboolean is_apart; /* each site separately, not in groups */
} CuredBankChoice;

/* Similar sites of one line, such as an unrolled loop's. */
typedef struct
{
  CuredBankView *view; /* view of the sites; owned */
  GArray *sites;       /* (element-type gsize): their indices in the view, at least one */
  guint64 accesses;    /* of all sites */
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
