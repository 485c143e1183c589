/* SPDX-License-Identifier: MIT
 * Finds similar sites of a warp, and the same site in another view. */
#include <string.h>

#include "inspect/cured-bank-view-internal.h"

/* Returns: (transfer full): the instruction without its operands and its predicate:
 *   “ld.shared.v4.f32” */
char *
cured_bank_site_get_mnemonic (const CuredBankSite *self)
{
  const char *at = self->ptx != NULL ? self->ptx : "";

  if (*at == '@')
    at += strcspn (at, " \t");
  at += strspn (at, " \t");
  return g_strndup (at, strcspn (at, " \t;"));
}

/* @other: another one of the same view
 * Returns: whether the worst accesses of two sites of one line differ only in their first address,
 *   as in an unrolled loop */
gboolean
cured_bank_site_is_alike (const CuredBankSite *self, const CuredBankSite *other)
{
  guint32 distance = 0;
  gboolean is_first = TRUE;

  if (self->line != other->line || self->kind != other->kind ||
      self->is_remote != other->is_remote || self->width != other->width ||
      (self->fault == NULL) != (other->fault == NULL) || self->n_patterns == 0 ||
      other->n_patterns == 0 ||
      memcmp (&self->patterns[0].counts, &other->patterns[0].counts,
              sizeof self->patterns[0].counts) != 0)
    return FALSE;
  const CuredBankAccess *access = &self->patterns[0].access;
  const CuredBankAccess *other_access = &other->patterns[0].access;
  if (access->mask != other_access->mask)
    return FALSE;
  for (guint n = 0; n < CURED_BANK_LANES; n++)
    if ((access->mask >> n & 1) != 0)
      {
        guint32 here = access->addresses[n] - other_access->addresses[n];

        if (!is_first && here != distance)
          return FALSE;
        distance = here;
        is_first = FALSE;
      }
  return TRUE;
}

static gboolean
is_same_line (const CuredBankSite *a, const CuredBankSite *b)
{
  return a->line == b->line && g_strcmp0 (a->file, b->file) == 0;
}

static gboolean
is_same_text (const CuredBankSite *a, const CuredBankSite *b)
{
  return a->source != NULL && g_strcmp0 (a->source, b->source) == 0;
}

static gboolean
is_same_instruction (const CuredBankSite *a, const CuredBankSite *b)
{
  g_autofree char *mnemonic_a = cured_bank_site_get_mnemonic (a);
  g_autofree char *mnemonic_b = cured_bank_site_get_mnemonic (b);

  return g_str_equal (mnemonic_a, mnemonic_b);
}

static gboolean
is_same_kind (const CuredBankSite *a, const CuredBankSite *b)
{
  return a->kind == b->kind;
}

typedef gboolean (*SameFunc) (const CuredBankSite *a, const CuredBankSite *b);

/* @self: the view to search
 * @site: a site of @other
 * @other: another view of the same kernel: at other values of its parameters, of another warp, or
 *   of an edited source
 *
 * Finds the same access: on the same line, or on a moved line with the same text, by the same
 * instruction, or at least by one of its kind. Of several similar ones, the one at the same
 * position.
 * Returns: (nullable): a site of @self; %NULL: there is no such access */
const CuredBankSite *
cured_bank_view_find_like (const CuredBankView *self, const CuredBankSite *site,
                           const CuredBankView *other)
{
  /* ORDER: the most reliable first. */
  static const struct
  {
    SameFunc line, instruction;
  } rules[] = {
    { is_same_line, is_same_instruction },
    { is_same_text, is_same_instruction },
    { is_same_line, is_same_kind },
    { is_same_text, is_same_kind },
  };

  for (gsize r = 0; r < G_N_ELEMENTS (rules); r++)
    {
      const CuredBankSite *found = NULL;
      gsize n_before = 0;

      for (const CuredBankSite *s = other->sites; s < site; s++)
        n_before += rules[r].line (s, site) && rules[r].instruction (s, site);
      for (gsize i = 0; i < self->n_sites; i++)
        if (rules[r].line (&self->sites[i], site) && rules[r].instruction (&self->sites[i], site))
          {
            found = &self->sites[i];
            if (n_before-- == 0)
              break;
          }
      if (found != NULL)
        return found;
    }
  return NULL;
}
