/* SPDX-License-Identifier: MIT
 * cured claims: what kernel files claim, and what was found. */
#include "config.h"

#include <glib/gi18n.h>
#include <json-glib/json-glib.h>
#include <math.h>
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

/* A guess that is so near counts. */
#define NEAR 1.25

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

/* Both as they are, and one over the other. */
static gboolean
is_near (double guess, double value)
{
  if (value == 0 || guess == 0)
    return guess == value;
  return guess / value <= NEAR && value / guess <= NEAR;
}

/* Asks for the figure before it is told. FALSE: nobody answers. */
static gboolean
ask (Claims *self, CuredKernel *kernel, const CuredClaim *claim, const CuredClaimResult *result)
{
  g_autofree char *question = cured_claim_ask (kernel, claim);
  g_autofree char *figure = cured_claim_describe_figure (claim, result);
  char line[256];
  char *end = line;
  double guess;

  if (figure == NULL)
    return TRUE;
  g_print ("%s\n> ", question);
  if (!read_guess (line, sizeof line))
    {
      g_print ("\n");
      return FALSE;
    }
  guess = g_ascii_strtod (line, &end);
  if (end != line)
    {
      self->n_guesses++;
      self->n_near += is_near (guess, result->value);
    }
  /* Translators: a figure that was asked for, and a sentence about it. */
  g_print (_ ("%s. %s\n\n"), figure, claim->text);
  return TRUE;
}

static void
add_claim (JsonBuilder *builder, CuredKernel *kernel, const CuredClaim *claim,
           const CuredClaimResult *result)
{
  json_builder_begin_object (builder);
  cured_cli_json_add_string (builder, "kernel", kernel->id);
  cured_cli_json_add_string (builder, "name", claim->name);
  cured_cli_json_add_string (builder, "text", claim->text);
  cured_cli_json_add_string (builder, "metric", cured_metric_info (claim->metric)->id);
  cured_cli_json_add_string (builder, "unit", cured_metric_info (claim->metric)->unit);
  cured_cli_json_add_string (builder, "at", claim->at);
  cured_cli_json_add_string (builder, "against", claim->against);
  cured_cli_json_add_double (builder, "low", claim->low);
  cured_cli_json_add_double (builder, "high", claim->high);
  cured_cli_json_add_double (builder, "value", result->value);
  cured_cli_json_add_string (builder, "verdict", cured_claim_verdict_to_string (result->verdict));
  cured_cli_json_add_string (builder, "reason", result->reason);
  json_builder_end_object (builder);
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

static int
run_claims (GOptionContext *context, int argc, char **argv)
{
  g_autofree char *folder = NULL;
  gboolean json = FALSE;
  gboolean quiz = FALSE;
  const GOptionEntry entries[] = {
    { "quiz", 0, 0, G_OPTION_ARG_NONE, &quiz, N_ ("Ask for each figure before telling it"), NULL },
    { "results", 'r', 0, G_OPTION_ARG_FILENAME, &folder,
      N_ ("Where recordings lie, for claims about times"), N_ ("FOLDER") },
    { "json", 0, 0, G_OPTION_ARG_NONE, &json, N_ ("Print as JSON"), NULL },
    G_OPTION_ENTRY_NULL,
  };
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  g_auto (GStrv) all = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (CuredCliClaims) claims = NULL;
  Claims self = { 0 };
  char **ids;
  gboolean is_done = TRUE;

  if (!cured_cli_parse (context, entries, &argc, &argv))
    return CURED_EXIT_USAGE;
  if (quiz && json)
    return cured_cli_fail (_ ("--quiz asks people; leave out --json"));
  if (quiz && folder == NULL)
    folder = cured_recordings_find_folder ();
  claims = cured_cli_claims_new (folder, &error);
  if (claims == NULL)
    return cured_cli_fail_error (error);
  self.claims = claims;
  self.is_quiz = quiz;
  if (json)
    self.json = builder;
  all = cured_catalogue_list ();
  ids = argc > 1 ? argv + 1 : all;
  json_builder_begin_array (builder);
  for (gsize i = 0; ids[i] != NULL && is_done && !self.is_over; i++)
    {
      g_autoptr (CuredKernel) kernel = cured_catalogue_load (ids[i], &error);

      is_done = kernel != NULL && show_kernel (&self, kernel, &error);
    }
  json_builder_end_array (builder);
  if (!is_done)
    return cured_cli_fail_error (error);
  if (json)
    cured_cli_print_json (builder);
  else if (quiz)
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
  .description = N_ ("A kernel file makes claims: “a tile of 32 loads half of what a tile of 16\n"
                     "loads”. Counts are checked on the emulator, times against the recordings of\n"
                     "--results. Without a kernel, all kernels of the catalogue are checked.\n"
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
  .run = run_claims,
};
