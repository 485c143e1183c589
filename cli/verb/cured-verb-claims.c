/* SPDX-License-Identifier: MIT
 * cured claims: what kernel files claim, and what was found. */
#include "config.h"

#include <glib/gi18n.h>
#include <json-glib/json-glib.h>
#include <stdio.h>

#include "cured-cli.h"

typedef struct
{
  CuredCliClaims *claims;
  JsonBuilder *json; /* NULL: text */
  gboolean is_quiz;
  gboolean is_over; /* the input ended */
  guint n_verdicts[3];
  guint n_guesses;
  guint n_near;
} Claims;

static void
print_claim (const CuredClaim *claim, const CuredClaimResult *result)
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

/* Asks for the figure, then shows it. FALSE at the end of the input. */
static gboolean
ask (Claims *self, CuredKernel *kernel, const CuredClaim *claim, const CuredClaimResult *result)
{
  g_autofree char *question = cured_claim_ask (kernel, claim);
  g_autofree char *figure = cured_claim_describe_figure (claim, result);
  char line[256];
  char *end = line;

  if (figure == NULL)
    return TRUE;
  g_print ("%s\n> ", question);
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

static void
add_claim (JsonBuilder *builder, CuredKernel *kernel, const CuredClaim *claim,
           const CuredClaimResult *result)
{
  cured_cli_json (builder, "{kernel name text metric unit", kernel->id, claim->name, claim->text,
                  cured_metric_info (claim->metric)->id, cured_metric_info (claim->metric)->unit);
  cured_cli_json (builder, "at against low high value verdict reason}", claim->at, claim->against,
                  claim->low, claim->high, result->value,
                  cured_claim_verdict_to_string (result->verdict), result->reason);
}

static gboolean
show_kernel (Claims *self, CuredKernel *kernel, GError **error)
{
  const CuredClaim *claims = kernel->claims;
  gsize n_claims = kernel->n_claims;

  if (n_claims > 0 && self->json == NULL && !self->is_quiz)
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
      if (self->is_quiz)
        continue;
      if (self->json != NULL)
        add_claim (self->json, kernel, &claims[i], &result);
      else
        print_claim (&claims[i], &result);
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

static struct
{
  gboolean quiz;
  char *folder;
  gboolean json;
} given;

/* clang-format off */
static const CuredCliOption rows[] = {
  { "quiz", 0, CURED_CLI_FLAG, &given.quiz, N_ ("Ask for each figure before telling it") },
  { "results", 'r', CURED_CLI_FOLDER, &given.folder, N_ ("Folder of the recordings [Cured’s own]"), N_ ("FOLDER") },
  { "json", 0, CURED_CLI_FLAG, &given.json, N_ ("Print as JSON") },
  { NULL },
};
/* clang-format on */

static int
run_claims (int argc, char **argv, GError **error)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  Claims self = { 0 };
  gboolean is_done = TRUE;

  if (given.quiz && given.json)
    return cured_cli_fail (_ ("--quiz is interactive; omit --json"));
  if (given.folder == NULL)
    given.folder = cured_recordings_find_folder ();
  g_autoptr (CuredCliClaims) claims = cured_cli_claims_new (given.folder, error);
  if (claims == NULL)
    return CURED_EXIT_USAGE;
  self.claims = claims;
  self.is_quiz = given.quiz;
  if (given.json)
    self.json = builder;
  g_auto (GStrv) all = cured_catalogue_list ();
  char **ids = argc > 1 ? argv + 1 : all;
  cured_cli_json_put (builder, "[");
  for (gsize i = 0; ids[i] != NULL && is_done && !self.is_over; i++)
    {
      g_autoptr (CuredKernel) kernel = cured_catalogue_load (ids[i], error);

      is_done = kernel != NULL && show_kernel (&self, kernel, error);
    }
  cured_cli_json_put (builder, "]");
  if (!is_done)
    return CURED_EXIT_USAGE;
  if (given.json)
    cured_cli_print_json (builder);
  else if (given.quiz)
    /* Translators: guesses that were near, of all. */
    g_print (ngettext ("%u of %u guess is within a quarter\n",
                       "%u of %u guesses are within a quarter\n", self.n_guesses),
             self.n_near, self.n_guesses);
  else
    print_verdicts (self.n_verdicts);
  return self.n_verdicts[CURED_CLAIM_BROKEN] > 0 ? CURED_EXIT_FINDING : CURED_EXIT_OK;
}

const CuredVerb cured_verb_claims = {
  .name = "claims",
  .arguments = N_ ("[KERNEL[.cu]…]"),
  .summary = N_ ("Check the claims that kernel files make"),
  .description =
      N_ ("A kernel file makes claims: “a tile of 32 loads half of what a tile of 16\n"
          "loads”. Counts are checked on the emulator, times by recordings, Cured's\nown or those "
          "of --results. Without a kernel, the whole catalogue is checked.\n"
          "\n"
          "--quiz asks for each figure before it tells it: write a number, or nothing.\n"
          "\n"
          "Exit code 1: a claim is broken.\n"
          "\n"
          "Examples:\n"
          "  cured claims\n"
          "  cured claims matmul/tiled\n"
          "  cured claims --quiz banks/stride\n"
          "  cured claims --results data/results\n"),
  .words = CURED_CLI_WORDS_KERNELS,
  .options = { rows },
  .run = run_claims,
};
