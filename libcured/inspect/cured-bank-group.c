/* SPDX-License-Identifier: MIT
 * Groups similar sites of a bank view, the worst first. */
#include "inspect/cured-bank-group.h"

#include "base/cured-base-internal.h"
#include "inspect/cured-bank-view-internal.h"

/* Returns: wavefronts of its worst access over the least possible number; NAN if there is no rule
 *   for it, or nothing to count */
double
cured_bank_site_get_ways (const CuredBankSite *self)
{
  g_return_val_if_fail (self != NULL, NAN);

  if (!self->is_known || self->n_patterns == 0)
    return NAN;
  const CuredBankCounts *counts = &self->patterns[0].counts;
  return counts->least > 0 ? (double) counts->wavefronts / counts->least : 1.0;
}

/* @self: a view of a warp
 * Returns: (transfer full): kernel, warp and block, for people: “sum: warp 0 of 8, block (0, 0, 0)
 *   of 64 × 1 × 1” */
char *
cured_bank_view_describe (const CuredBankView *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return g_strdup_printf (_ ("%s: warp %u of %u, block (%u, %u, %u) of %u × %u × %u"), self->entry,
                          self->warp, self->n_warps, self->block[0], self->block[1], self->block[2],
                          self->grid[0], self->grid[1], self->grid[2]);
}

CURED_CLEAR_FUNC (CuredBankGroup, group_clear, view, cured_bank_view_unref, sites, g_array_unref)

CURED_DEFINE_RC (CuredBankGroup, cured_bank_group, group_clear)

/* Returns: (transfer none): the first of its sites, as their representative */
const CuredBankSite *
cured_bank_group_get_site (const CuredBankGroup *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return &self->view->sites[g_array_index (self->sites, gsize, 0)];
}

/* @site: index of a site of its view */
gboolean
cured_bank_group_has (const CuredBankGroup *self, gsize site)
{
  g_return_val_if_fail (self != NULL, FALSE);

  for (guint i = 0; i < self->sites->len; i++)
    if (g_array_index (self->sites, gsize, i) == site)
      return TRUE;
  return FALSE;
}

/* Returns: wavefronts in excess of the least possible number; -1: there is no rule for its
 *   access */
gint64
cured_bank_group_get_excess (const CuredBankGroup *self)
{
  g_return_val_if_fail (self != NULL, -1);

  return cured_bank_group_get_site (self)->is_known ? (gint64) (self->wavefronts - self->least)
                                                    : -1;
}

/* @b: another one of the same view
 *
 * The worst are accesses that can't be served; then the order is by excess, then by cycles. Equal
 * ones stay in the order of the PTX.
 * Returns: less than 0 where @a is worse */
int
cured_bank_group_compare (const CuredBankGroup *a, const CuredBankGroup *b)
{
  gboolean is_faulty_a = cured_bank_group_get_site (a)->fault != NULL;
  gboolean is_faulty_b = cured_bank_group_get_site (b)->fault != NULL;
  gint64 excess_a = cured_bank_group_get_excess (a), excess_b = cured_bank_group_get_excess (b);
  gsize first_a = g_array_index (a->sites, gsize, 0), first_b = g_array_index (b->sites, gsize, 0);

  if (is_faulty_a != is_faulty_b)
    return is_faulty_a ? -1 : 1;
  if (excess_a != excess_b)
    return excess_a > excess_b ? -1 : 1;
  if (a->wavefronts != b->wavefronts)
    return a->wavefronts > b->wavefronts ? -1 : 1;
  return (first_a > first_b) - (first_a < first_b);
}

static gint
compare_cb (gconstpointer a, gconstpointer b)
{
  return cured_bank_group_compare (*(const CuredBankGroup *const *) a,
                                   *(const CuredBankGroup *const *) b);
}

static gboolean
is_chosen (const CuredBankView *view, const CuredBankChoice *choice, gsize site)
{
  return choice == NULL || ((choice->site == 0 || choice->site == (gint64) site + 1) &&
                            (choice->line == 0 || choice->line == view->sites[site].line));
}

static void
group_add (CuredBankGroup *self, gsize site)
{
  g_array_append_val (self->sites, site);
  self->accesses += self->view->sites[site].accesses;
  self->wavefronts += self->view->sites[site].wavefronts;
  self->least += self->view->sites[site].least;
}

/* The existing group to which the site belongs; NULL if there is none. */
static CuredBankGroup *
find_group (const GPtrArray *groups, const CuredBankSite *site)
{
  for (guint i = 0; i < groups->len; i++)
    if (cured_bank_site_is_alike (cured_bank_group_get_site (groups->pdata[i]), site))
      return groups->pdata[i];
  return NULL;
}

/* @view: a view of a warp
 * @choice: (nullable): the sites to show; NULL: all, in groups
 *
 * The groups that window, terminal and pictures show.
 * Returns: (transfer full) (element-type CuredBankGroup): the worst first; empty if the warp does
 *   not access shared memory. NULL with %CURED_ERROR_NOT_FOUND if @choice names a missing site or
 *   line */
GPtrArray *
cured_bank_view_group (CuredBankView *view, const CuredBankChoice *choice, GError **error)
{
  g_return_val_if_fail (view != NULL && (error == NULL || *error == NULL), NULL);

  if (choice != NULL && choice->site > (gint64) view->n_sites)
    return cured_fail_null (error, CURED_ERROR_NOT_FOUND,
                            _ ("there is no site %" PRId64 "; the warp has %zu"), choice->site,
                            view->n_sites);
  g_autoptr (GPtrArray) groups =
      g_ptr_array_new_with_free_func ((GDestroyNotify) cured_bank_group_unref);
  for (gsize i = 0; i < view->n_sites; i++)
    {
      CuredBankGroup *group = NULL;

      if (!is_chosen (view, choice, i))
        continue;
      if (choice == NULL || !choice->is_apart)
        group = find_group (groups, &view->sites[i]);
      if (group == NULL)
        {
          group = g_atomic_rc_box_new0 (CuredBankGroup);
          group->view = cured_bank_view_ref (view);
          group->sites = g_array_new (FALSE, FALSE, sizeof (gsize));
          g_ptr_array_add (groups, group);
        }
      group_add (group, i);
    }
  if (groups->len == 0 && choice != NULL && (choice->site != 0 || choice->line != 0))
    return cured_fail_null (error, CURED_ERROR_NOT_FOUND,
                            _ ("the warp makes no such access to shared memory on line %" PRId64),
                            choice->line);
  g_ptr_array_sort (groups, compare_cb);
  return g_steal_pointer (&groups);
}
