/* SPDX-License-Identifier: MIT
 * cured claims: what kernel files claim, and what was found. */
#include "config.h"

#include <glib/gi18n.h>
#include <json-glib/json-glib.h>
#include <math.h>

#include "cured-cli.h"

typedef struct
{
  GPtrArray *recordings; /* of CuredResult, in the order of their names */
  gboolean has_folder;   /* of recordings; it may have none */
  CuredDevice *device;   /* NULL until something is counted */
  JsonBuilder *json;     /* NULL: text */
  guint n_verdicts[3];
} Claims;

/* Loads what lies in @folder. A file that can't be read is named and skipped. */
static gboolean
load_recordings (Claims *self, const char *folder, GError **error)
{
  g_autoptr (GPtrArray) paths = cured_recordings_list (folder, error);

  if (paths == NULL)
    return FALSE;
  for (guint i = 0; i < paths->len; i++)
    {
      g_autoptr (GError) local_error = NULL;
      CuredResult *result =
          cured_result_load (paths->pdata[i], NULL, &local_error);

      if (result != NULL)
        g_ptr_array_add (self->recordings, result);
      else
        g_printerr ("cured: %s\n", local_error->message);
    }
  return TRUE;
}

/* (nullable) (transfer none): the first recording of a kernel */
static CuredResult *
find_recording (Claims *self, const char *id)
{
  for (guint i = 0; i < self->recordings->len; i++)
    if (g_strcmp0 (cured_result_get_kernel_id (self->recordings->pdata[i]),
                   id) == 0)
      return self->recordings->pdata[i];
  return NULL;
}

static gboolean
find_out (Claims *self,
          CuredKernel *kernel,
          const CuredClaim *claim,
          CuredClaimResult *result,
          GError **error)
{
  CuredResult *recorded;

  if (cured_claim_is_counted (claim))
    {
      if (self->device == NULL)
        self->device = cured_device_open_confined ("emulator:sm_90", error);
      return self->device != NULL &&
             cured_claim_count (kernel, claim, self->device, result, error);
    }
  recorded = find_recording (self, kernel->id);
  if (recorded == NULL)
    {
      *result = (CuredClaimResult){
        .verdict = CURED_CLAIM_NOT_RECORDED,
        .value = NAN,
        .low = claim->low,
        .high = claim->high,
        .reason = g_strdup (!self->has_folder
                                ? _ ("a time; --results names recordings")
                                : _ ("no recording of this kernel")),
      };
      return TRUE;
    }
  return cured_claim_look_up (kernel,
                              claim,
                              recorded,
                              claim->against_kernel != NULL
                                  ? find_recording (self, claim->against_kernel)
                                  : NULL,
                              result,
                              error);
}

static void
print_claim (const CuredClaim *claim, const CuredClaimResult *result)
{
  g_autofree char *text = cured_claim_to_string (claim);
  const char *unit = cured_metric_info (claim->metric)->unit;
  gboolean is_plain = claim->against != NULL || g_str_equal (unit, "ratio");

  g_print ("  %s: %s\n    %s: ", claim->name, claim->text, text);
  if (isnan (result->value))
    g_print ("%s", _ (cured_claim_verdict_to_string (result->verdict)));
  else
    {
      g_autofree char *figure =
          g_strdup_printf ("%.6g%s%s",
                           result->value,
                           is_plain || *unit == '\0' ? "" : " ",
                           is_plain ? "" : unit);
      const char *verdict = _ (cured_claim_verdict_to_string (result->verdict));

      if (cured_claim_is_counted (claim))
        /* Translators: a figure of a claim and whether the claim holds, as
         * “1.5, counted, holds”. */
        g_print (_ ("%s, counted, %s"), figure, verdict);
      else
        /* Translators: a figure of a claim and whether the claim holds, as
         * “12 ns, recorded, broken”. */
        g_print (_ ("%s, recorded, %s"), figure, verdict);
    }
  g_print ("%s%s%s\n",
           result->reason != NULL ? " (" : "",
           result->reason != NULL ? result->reason : "",
           result->reason != NULL ? ")" : "");
}

static void
add_claim (JsonBuilder *builder,
           CuredKernel *kernel,
           const CuredClaim *claim,
           const CuredClaimResult *result)
{
  json_builder_begin_object (builder);
  cured_cli_json_add_string (builder, "kernel", kernel->id);
  cured_cli_json_add_string (builder, "name", claim->name);
  cured_cli_json_add_string (builder, "text", claim->text);
  cured_cli_json_add_string (
      builder, "metric", cured_metric_info (claim->metric)->id);
  cured_cli_json_add_string (
      builder, "unit", cured_metric_info (claim->metric)->unit);
  cured_cli_json_add_string (builder, "at", claim->at);
  cured_cli_json_add_string (builder, "against", claim->against);
  cured_cli_json_add_double (builder, "low", claim->low);
  cured_cli_json_add_double (builder, "high", claim->high);
  cured_cli_json_add_double (builder, "value", result->value);
  cured_cli_json_add_string (
      builder, "verdict", cured_claim_verdict_to_string (result->verdict));
  cured_cli_json_add_string (builder, "reason", result->reason);
  json_builder_end_object (builder);
}

static gboolean
show_kernel (Claims *self, CuredKernel *kernel, GError **error)
{
  const CuredClaim *claims = kernel->claims;
  gsize n_claims = kernel->n_claims;

  if (n_claims > 0 && self->json == NULL)
    g_print ("%s\n", kernel->id);
  for (gsize i = 0; i < n_claims; i++)
    {
      g_auto (CuredClaimResult) result = { 0 };

      if (!find_out (self, kernel, &claims[i], &result, error))
        return FALSE;
      self->n_verdicts[result.verdict]++;
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
      /* Translators: claims about kernels; this and the next two are put side
       * by side. */
      g_strdup_printf (ngettext ("%u holds", "%u hold", n_hold), n_hold);
  g_autofree char *broken = g_strdup_printf (
      ngettext ("%u is broken", "%u are broken", n_broken), n_broken);
  g_autofree char *unknown = g_strdup_printf (
      ngettext ("%u is not recorded", "%u are not recorded", n_unknown),
      n_unknown);

  /* Translators: “5 hold”, “1 is broken”, “2 are not recorded”. */
  g_print (_ ("%s, %s, %s\n"), hold, broken, unknown);
}

static int
run_claims (GOptionContext *context, int argc, char **argv)
{
  g_autofree char *folder = NULL;
  gboolean json = FALSE;
  const GOptionEntry entries[] = {
    { "results",
      'r',
      0,
      G_OPTION_ARG_FILENAME,
      &folder,
      N_ ("Where recordings lie, for claims about times"),
      N_ ("FOLDER") },
    { "json", 0, 0, G_OPTION_ARG_NONE, &json, N_ ("Print as JSON"), NULL },
    G_OPTION_ENTRY_NULL,
  };
  g_autoptr (GPtrArray) recordings =
      g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  g_auto (GStrv) all = NULL;
  g_autoptr (GError) error = NULL;
  Claims self = { .recordings = recordings };
  char **ids;
  gboolean is_done = TRUE;

  cured_cli_add_quiet (context);
  if (!cured_cli_parse (context, entries, &argc, &argv))
    return CURED_EXIT_USAGE;
  self.has_folder = folder != NULL;
  if (folder != NULL && !load_recordings (&self, folder, &error))
    return cured_cli_fail_error (error);
  if (json)
    self.json = builder;
  all = cured_catalogue_list ();
  ids = argc > 1 ? argv + 1 : all;
  json_builder_begin_array (builder);
  for (gsize i = 0; ids[i] != NULL && is_done; i++)
    {
      g_autoptr (CuredKernel) kernel = cured_catalogue_load (ids[i], &error);

      is_done = kernel != NULL && show_kernel (&self, kernel, &error);
    }
  json_builder_end_array (builder);
  g_clear_pointer (&self.device, cured_device_close);
  if (!is_done)
    return cured_cli_fail_error (error);
  if (json)
    cured_cli_print_json (builder);
  else
    print_verdicts (self.n_verdicts);
  return self.n_verdicts[CURED_CLAIM_BROKEN] > 0 ? CURED_EXIT_FINDING
                                                 : CURED_EXIT_OK;
}

const CuredVerb cured_verb_claims = {
  .name = "claims",
  .arguments = N_ ("[KERNEL[.cu]…]"),
  .summary = N_ ("Check the claims that kernel files make"),
  .description = N_ (
      "A kernel file makes claims: “a tile of 32 loads half of what a tile of "
      "16\n"
      "loads”. Counts are checked on the emulator, times against the "
      "recordings of\n"
      "--results. Without a kernel, all kernels of the catalogue are "
      "checked.\n"
      "\n"
      "Exit code 1: a claim is broken.\n"
      "\n"
      "Examples:\n"
      "  cured claims\n"
      "  cured claims matmul/tiled\n"
      "  cured claims --results data/results\n"),
  .words = CURED_CLI_WORDS_KERNELS,
  .run = run_claims,
};
