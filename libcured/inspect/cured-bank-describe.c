/* SPDX-License-Identifier: MIT
 * Explains the wavefronts of an access in a sentence, and names kinds of
 * accesses. */
#include <inttypes.h>
#include <glib/gi18n-lib.h>

#include "inspect/cured-bank-view.h"

/* Lanes that are named one by one in a sentence, and the names of what it does. */
#define MAX_NAMED 6

/* Bytes between consecutive active lanes, if these are the same for all. */
static gboolean
find_stride (const CuredBankAccess *access, gint64 *stride)
{
  int last = -1;
  gboolean is_found = FALSE;

  for (int n = 0; n < CURED_BANK_LANES; n++)
    {
      gint64 distance;

      if ((access->mask >> n & 1) == 0)
        continue;
      if (last >= 0)
        {
          distance = (gint64) access->addresses[n] - access->addresses[last];
          if (distance % (n - last) != 0 || (is_found && distance / (n - last) != *stride))
            return FALSE;
          *stride = distance / (n - last);
          is_found = TRUE;
        }
      last = n;
    }
  return is_found;
}

static guint
get_gcd (guint a, guint b)
{
  while (b != 0)
    {
      guint rest = a % b;

      a = b;
      b = rest;
    }
  return a;
}

/* “0, 1, 2, 3, 4, 5, …” */
static char *
list_lanes (guint32 lanes)
{
  GString *text = g_string_new (NULL);
  guint n_named = 0;

  for (guint n = 0; n < CURED_BANK_LANES; n++)
    if ((lanes >> n & 1) != 0 && n_named++ <= MAX_NAMED)
      {
        if (n_named > MAX_NAMED)
          g_string_append (text, ", …");
        else
          g_string_append_printf (text, "%s%u", n_named > 1 ? ", " : "", n);
      }
  return g_string_free (text, FALSE);
}

/* The slowest bank: its number of wavefronts, and its lanes. */
static guint
find_worst_bank (const CuredBankPicture *picture, guint *n_turns, guint32 *lanes)
{
  guint worst = 0;

  *n_turns = 0;
  for (guint bank = 0; bank < picture->n_banks; bank++)
    {
      guint32 bank_lanes = 0;
      guint turns = 0;

      for (guint w = 0; w < picture->counts.wavefronts; w++)
        {
          guint32 served = 0;

          for (gsize i = 0; i < picture->n_served; i++)
            if (picture->served[i].bank == bank && picture->served[i].wavefront == w)
              served |= 1u << picture->served[i].lane;
          turns += served != 0;
          bank_lanes |= served;
        }
      if (turns > *n_turns)
        {
          *n_turns = turns;
          *lanes = bank_lanes;
          worst = bank;
        }
    }
  return worst;
}

static gboolean
is_one_by_one (CuredBankKind kind)
{
  switch (kind)
    {
    case CURED_BANK_KIND_REDUCTION:
    case CURED_BANK_KIND_ATOMIC:
    case CURED_BANK_KIND_EXCHANGE:
    case CURED_BANK_KIND_SWAP:
    case CURED_BANK_KIND_COPY: return TRUE;
    case CURED_BANK_KIND_LOAD:
    case CURED_BANK_KIND_STORE:
    case CURED_BANK_KIND_LDMATRIX_X1:
    case CURED_BANK_KIND_LDMATRIX_X2:
    case CURED_BANK_KIND_LDMATRIX_X4:
    case CURED_BANK_KIND_STMATRIX_X1:
    case CURED_BANK_KIND_STMATRIX_X2:
    case CURED_BANK_KIND_STMATRIX_X4:
    case CURED_BANK_KIND_INCREMENT:
    case CURED_BANK_KIND_REMOTE_LOAD:
    case CURED_BANK_KIND_REMOTE_STORE:
    case CURED_BANK_KIND_REMOTE_ASYNC_STORE:
    case CURED_BANK_KIND_REMOTE_ASYNC_REDUCTION:
    case CURED_BANK_KIND_REMOTE_REDUCTION:
    case CURED_BANK_KIND_REMOTE_ATOMIC:
    case CURED_BANK_KIND_REMOTE_SWAP:
    default: return FALSE;
    }
}

static char *
describe_conflict (const CuredBankAccess *access, const CuredBankPicture *picture)
{
  gint64 stride = 0;
  gboolean is_regular = find_stride (access, &stride);
  gboolean has_stride = is_regular && stride != 0 && stride % 4 == 0;
  guint words = (guint) (ABS (stride) / 4);
  guint32 lanes = 0;
  guint n_turns = 0, bank = find_worst_bank (picture, &n_turns, &lanes);
  guint period = picture->n_banks / get_gcd (words, picture->n_banks);
  g_autofree char *list = list_lanes (lanes);

  /* ptxas reduces across the warp first if it knows that all lanes have one address. */
  if (is_regular && stride == 0 &&
      (access->kind == CURED_BANK_KIND_REDUCTION || access->kind == CURED_BANK_KIND_ATOMIC))
    return g_strdup (
        _ ("all lanes at one address take turns, unless ptxas lets one of them do it for all"));
  if (is_one_by_one (access->kind))
    return g_strdup_printf (
        /* Translators: a bank's number and several lanes: “0, 4, 8, …”. */
        _ ("lanes that meet in a bank take turns here, even at one word: bank %u has lanes %s"),
        bank, list);
  /* Banks of 8 bytes have another period. */
  if (has_stride && access->width <= 32 &&
      (access->arch == CURED_BANK_ARCH_5 || access->arch == CURED_BANK_ARCH_2))
    return period == 1
               ? g_strdup_printf (g_dngettext (GETTEXT_PACKAGE,
                                               "stride %u word: every lane in bank %u",
                                               "stride %u words: every lane in bank %u", words),
                                  words, bank)
               : g_strdup_printf (
                     g_dngettext (
                         GETTEXT_PACKAGE,
                         /* Translators: the third number is the banks used, the fourth all banks. */
                         "stride %u word: lanes %u apart meet in a bank, %u of %u banks are used",
                         "stride %u words: lanes %u apart meet in a bank, %u of %u banks are used",
                         words),
                     words, period, period, picture->n_banks);
  if (has_stride)
    return g_strdup_printf (
        g_dngettext (GETTEXT_PACKAGE,
                     /* Translators: the stride, a bank's number, how often
                      * it has to serve, and whom: “0, 4, 8, …”. */
                     "stride %u word: bank %u is accessed %u times, by lanes %s",
                     "stride %u words: bank %u is accessed %u times, by lanes %s", words),
        words, bank, n_turns, list);
  return g_strdup_printf (
      g_dngettext (
          GETTEXT_PACKAGE,
          /* Translators: a bank's number, how often it has to serve, always more than once, and
           * whom: “0, 4, 8, …”. */
          "bank %u is accessed %u time, by lanes %s", "bank %u is accessed %u times, by lanes %s",
          n_turns),
      bank, n_turns, list);
}

/* Describes the sectors and cycles of an access to another block's memory. Narrow stores may wait
 * longer for banks, and padding helps them. */
static char *
describe_remote (const CuredBankAccess *access, const CuredBankPicture *picture)
{
  double cycles = cured_bank_model_get_remote_cycles (access, false);
  double mutual = cured_bank_model_get_remote_cycles (access, true);
  guint sectors = picture->counts.wavefronts;

  if (picture->counts.conflicts > 0 &&
      (access->kind == CURED_BANK_KIND_REMOTE_LOAD || access->width >= 32))
    return g_strdup_printf (
        /* Translators: a number of sectors, always more than one, twice cycles, and the least
         * sectors. */
        _ ("%u sectors of another block’s shared memory, about %.3g cycles, %.3g if both blocks "
           "access each other’s; side by side, the lanes’ bytes are in %u. Padding against bank "
           "conflicts changes nothing here"),
        sectors, cycles, mutual, picture->counts.least);
  return g_strdup_printf (
      g_dngettext (GETTEXT_PACKAGE,
                   /* Translators: a number of sectors, and twice cycles. */
                   "%u sector of another block’s shared memory, about %.3g cycles, %.3g if both "
                   "blocks access each other’s",
                   "%u sectors of another block’s shared memory, about %.3g cycles, %.3g if both "
                   "blocks access each other’s",
                   sectors),
      sectors, cycles, mutual);
}

/* Returns: (transfer full): an explanation of its wavefronts, for people, without a full stop;
 *   translated */
char *
cured_bank_access_describe (const CuredBankAccess *access)
{
  CuredBankPicture picture;
  gint64 stride = 0;
  gboolean has_stride = find_stride (access, &stride);

  if (!cured_bank_model_explain (access, &picture))
    return g_strdup (_ ("there is no measured rule for this access"));
  if (picture.n_served == 0)
    return g_strdup (_ ("no lane takes part"));
  if (cured_bank_kind_is_remote (access->kind))
    return describe_remote (access, &picture);
  if (picture.counts.conflicts > 0)
    return describe_conflict (access, &picture);
  if ((access->mask & (access->mask - 1)) == 0)
    return g_strdup (_ ("one lane alone"));
  if (has_stride && stride == 0)
    return g_strdup (_ ("all lanes at one address: one wavefront serves them all"));
  if (picture.counts.least > 1)
    return g_strdup_printf (
        _ ("%u bits per lane are served in %u groups of lanes, each without a conflict"),
        access->width, picture.counts.least);
  if (has_stride && stride % 4 == 0)
    return g_strdup_printf (
        g_dngettext (GETTEXT_PACKAGE, "stride %" PRId64 " word: no bank conflicts",
                     "stride %" PRId64 " words: no bank conflicts", (gulong) ABS (stride / 4)),
        ABS (stride / 4));
  return g_strdup (_ ("no bank conflicts"));
}

/* @access: one of its accesses
 *
 * As cured_bank_access_describe(), unless the site has a fault, which is then described: its lanes
 * are not in any figure.
 * Returns: (transfer full): for people, without a full stop; translated */
char *
cured_bank_site_describe (const CuredBankSite *self, const CuredBankAccess *access)
{
  if (self->fault == NULL)
    return cured_bank_access_describe (access);
  g_autofree char *lanes = list_lanes (self->fault->here.lanes);
  return g_strdup_printf (
      self->fault->kind == CURED_FINDING_MISALIGNED
          /* Translators: several lanes: “1, 2, 3, …”, a warp's number, and why. */
          ? _ ("misaligned: lanes %s of warp %u can't be served, and a GPU stops the kernel here "
               "(%s)")
          : _ ("out of bounds: lanes %s of warp %u can't be served, and a GPU stops the kernel "
               "here (%s)"),
      lanes, self->fault->here.warp, self->fault->detail != NULL ? self->fault->detail : "");
}

/* An addition to shared memory by a compare-and-swap loop was measured on an H200, with one
 * warp and 1 to 32 lanes at an address: 91, 186, 376, 756, 1516 and 3036 cycles, which fit a
 * line.
 * Returns: the cycles of its slowest access; 0: it is not such a loop */
guint
cured_bank_site_get_loop_cycles (const CuredBankSite *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->loop_lanes > 0 ? 95 * self->loop_lanes - 4 : 0;
}

/* Returns: (transfer full) (nullable): the cost of the loop, for people; translated; %NULL if it is
 *   not one */
char *
cured_bank_site_describe_loop (const CuredBankSite *self)
{
  guint cycles = cured_bank_site_get_loop_cycles (self);

  if (cycles == 0)
    return NULL;
  return self->loop_lanes == 1
             ? g_strdup_printf (
                   _ ("A loop of compare and swap: about %u cycles, a lane an address."), cycles)
             : g_strdup_printf (
                   /* Translators: always more than one lane. */
                   g_dngettext (GETTEXT_PACKAGE,
                                "%u lane adds to one address in a loop of compare and swap: about "
                                "%u cycles. Shuffle first.",
                                "%u lanes add to one address in a loop of compare and swap: about "
                                "%u cycles. Shuffle first.",
                                self->loop_lanes),
                   self->loop_lanes, cycles);
}

/* @kind: a kind of access
 * Returns: (transfer none): one word for it; untranslated */
const char *
cured_access_kind_get_name (CuredAccessKind kind)
{
  static const char *const names[] = {
    /* Translators: this and the next ones are what an instruction does to memory. */
    [CURED_ACCESS_LOAD] = N_ ("load"),         [CURED_ACCESS_STORE] = N_ ("store"),
    [CURED_ACCESS_ATOMIC] = N_ ("atomic"),     [CURED_ACCESS_REDUCTION] = N_ ("reduction"),
    [CURED_ACCESS_LDMATRIX] = N_ ("ldmatrix"), [CURED_ACCESS_STMATRIX] = N_ ("stmatrix"),
    [CURED_ACCESS_COPY] = N_ ("cp.async"),
  };

  g_return_val_if_fail ((guint) kind < G_N_ELEMENTS (names), "");
  return names[kind];
}
