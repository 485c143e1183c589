/* SPDX-License-Identifier: MIT
 * cured claims: the claims of kernel files, and the found figures. */
#include <glib/gi18n.h>
#include <json-glib/json-glib.h>
#include <stdio.h>

#include "cured-cli.h"

#define CURED_VERB "verb/cured-verb-claims.def"
#include "cured-verb.h"

typedef struct
{
  CuredCliClaims *claims;
  gboolean is_quiz;
  gboolean is_over; /* the input ended */
  guint n_verdicts[3], n_guesses, n_near;
} Claims;

static void
print_claim (CuredKernel *kernel, const CuredClaim *claim, const CuredClaimResult *result)
{
  g_autofree char *text = cured_claim_to_string (claim);
  const char *verdict = _ (cured_claim_verdict_to_string (result->verdict));
  g_autofree char *figure = cured_claim_describe_figure (claim, result);

  g_print ("  %s: %s\n    %s: ", claim->name, claim->text, text);
  if (figure == NULL)
    g_print ("%s", verdict);
  else if (cured_claim_is_counted (claim))
    /* Translators: a figure, and whether it is as claimed. */
    g_print (_ ("%s, counted, %s"), figure, verdict);
  else
    g_print (_ ("%s, recorded, %s"), figure, verdict);
  cured_cli_json ("{kernel name text metric unit at against low high value verdict reason}",
                  kernel->id, claim->name, claim->text, cured_metric_info (claim->metric)->id,
                  cured_metric_info (claim->metric)->unit, claim->at, claim->against, claim->low,
                  claim->high, result->value, cured_claim_verdict_to_string (result->verdict),
                  result->reason);
  g_print ("%s%s%s\n", result->reason != NULL ? " (" : "",
           result->reason != NULL ? result->reason : "", result->reason != NULL ? ")" : "");
}

/* Reads a line; FALSE at the end of the input. */
static gboolean
read_guess (char *line, gsize size)
{
  fflush (stdout);
  if (fgets (line, (int) size, stdin) == NULL)
    return FALSE;
  g_strstrip (line);
  return TRUE;
}

/* Asks the user to guess the figure, then shows it. FALSE at the end of the input. */
static gboolean
ask (Claims *self, CuredKernel *kernel, const CuredClaim *claim, const CuredClaimResult *result)
{
  g_autofree char *figure = cured_claim_describe_figure (claim, result);
  char line[256];
  char *end = line;

  if (figure == NULL)
    return TRUE;
  g_print ("%s\n> ", cured_cli_lend (cured_claim_ask (kernel, claim)));
  if (!read_guess (line, sizeof line))
    {
      g_print ("\n");
      return FALSE;
    }
  double guess = g_ascii_strtod (line, &end);
  if (end != line)
    {
      gboolean is_near = cured_claim_is_near (guess, result->value);

      self->n_guesses++;
      self->n_near += is_near;
      g_print ("%s ", is_near ? _ ("Right:") : _ ("No:"));
    }
  /* Translators: a figure that was asked for, and a sentence about it. */
  g_print (_ ("%s. %s\n\n"), figure, claim->text);
  return TRUE;
}

static gboolean
show_kernel (Claims *self, CuredKernel *kernel, GError **error)
{
  const CuredClaim *claims = kernel->claims;
  gsize n_claims = kernel->n_claims;

  if (n_claims > 0 && !self->is_quiz)
    g_print ("%s\n", kernel->id);
  for (gsize i = 0; i < n_claims; i++)
    {
      g_auto (CuredClaimResult) result = { 0 };

      if (!cured_cli_claims_find_out (self->claims, kernel, &claims[i], &result, error))
        return FALSE;
      self->n_verdicts[result.verdict]++;
      if (self->is_quiz && !ask (self, kernel, &claims[i], &result))
        {
          self->is_over = TRUE;
          return TRUE;
        }
      if (!self->is_quiz)
        print_claim (kernel, &claims[i], &result);
    }
  return TRUE;
}

static void
print_verdicts (const guint *n_verdicts)
{
  guint n_hold = n_verdicts[CURED_CLAIM_HOLDS];
  guint n_broken = n_verdicts[CURED_CLAIM_BROKEN];
  guint n_unknown = n_verdicts[CURED_CLAIM_NOT_RECORDED];
  g_autofree char *hold =
      /* Translators: claims about kernels; this and the next two are put side by side. */
      g_strdup_printf (ngettext ("%u holds", "%u hold", n_hold), n_hold);
  g_autofree char *broken =
      g_strdup_printf (ngettext ("%u is broken", "%u are broken", n_broken), n_broken);
  g_autofree char *unknown = g_strdup_printf (
      ngettext ("%u is not recorded", "%u are not recorded", n_unknown), n_unknown);

  /* Translators: “5 hold”, “1 is broken”, “2 are not recorded”. */
  g_print (_ ("%s, %s, %s\n"), hold, broken, unknown);
}

static int
run (int argc, char **argv, GError **error)
{
  Claims self = { 0 };
  gboolean is_done = TRUE;

  if (given.quiz && cured_cli_is_json)
    return cured_cli_fail (_ ("--quiz is interactive; omit --json"));
  if (given.folder == NULL)
    given.folder = cured_recordings_find_folder ();
  g_autoptr (CuredCliClaims) claims = cured_cli_claims_new (given.folder, error);
  if (claims == NULL)
    return CURED_EXIT_USAGE;
  self.claims = claims;
  self.is_quiz = given.quiz;
  g_auto (GStrv) all = cured_catalogue_list ();
  char **ids = argc > 1 ? argv + 1 : all;
  cured_cli_json_put ("[");
  for (gsize i = 0; ids[i] != NULL && is_done && !self.is_over; i++)
    {
      g_autoptr (CuredKernel) kernel = cured_catalogue_load (ids[i], error);

      is_done = kernel != NULL && show_kernel (&self, kernel, error);
    }
  cured_cli_json_put ("]");
  if (!is_done)
    return CURED_EXIT_USAGE;
  if (given.quiz)
    /* Translators: guesses that were near, of all. */
    g_print (ngettext ("%u of %u guess is within a quarter\n",
                       "%u of %u guesses are within a quarter\n", self.n_guesses),
             self.n_near, self.n_guesses);
  else
    print_verdicts (self.n_verdicts);
  return self.n_verdicts[CURED_CLAIM_BROKEN] > 0 ? CURED_EXIT_FINDING : CURED_EXIT_OK;
}
