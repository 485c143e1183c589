/* SPDX-License-Identifier: MIT
 * What kernel files claim: counts on the emulator, times in the recordings. No kernel of the
 * catalogue goes without a claim. */
#include "cured.h"

#include <math.h>
#include <string.h>
#include "kernel/program/cured-program-internal.h"
#include "part.h"
#include "study/cured-study-internal.h"
#include "test.h"

static CuredDevice *device; /* nullable: no compiler is here */

static const CuredLimits *
get_h200 (void)
{
  return &cured_profile_find ("sm_90")->limits;
}

/* "matmul/tiled" → "…/matmul-tiled-h200.cured" */
static char *
get_recording (const char *id)
{
  g_autofree char *name = g_strconcat (id, "-h200.cured", NULL);

  g_strdelimit (name, "/", '-');
  return g_build_filename (g_getenv ("CURED_TEST_RESULTS"), name, NULL);
}

/* Every kernel of the catalogue gets recorded: dev/record. NULL, and counted as skipped, where a
 * new one is not yet. */
static CuredResult *
load_recording (const char *id)
{
  g_autofree char *path = get_recording (id);

  if (!g_file_test (path, G_FILE_TEST_EXISTS))
    {
      g_test_message ("%s is made on a GPU by dev/record", path);
      g_test_skip ("not recorded on a GPU");
      return NULL;
    }
  return MUST (cured_result_load (path, NULL, &fail));
}

/* Whether a point is a cell of the kernel's default sweep. */
static void
assert_in_sweep (CuredKernel *kernel, const gint64 *values, const CuredClaim *claim)
{
  const CuredParameter *parameters = kernel->parameters;
  gsize n = kernel->n_parameters;

  for (gsize i = 0; i < n; i++)
    {
      const CuredAxis *axis = kernel->sweep[i];

      if (axis != NULL ? !cured_axis_find (axis, values[i], NULL)
                       : values[i] != parameters[i].default_value)
        g_error ("[Claim %s]: %s=%" G_GINT64_FORMAT " is not in the default sweep of %s",
                 claim->name, parameters[i].name, values[i], kernel->id);
    }
}

/* The point can be launched, and a time at it gets recorded. */
static void
assert_point (CuredKernel *kernel, const gint64 *values, const CuredClaim *claim)
{
  CuredLimits limits = *get_h200 ();
  g_autoptr (GError) error = NULL;

  limits.emulated = cured_claim_is_counted (claim);
  if (!cured_claim_is_counted (claim))
    assert_in_sweep (kernel, values, claim);
  if (!cured_program_check (kernel, values, &limits, &error))
    g_error ("[Claim %s] is about a point of %s that can't be launched: %s", claim->name,
             kernel->id, error->message);
}

static void
test_form (gconstpointer data)
{
  const char *id = data;
  g_autoptr (CuredKernel) kernel = cured_catalogue_get (id, NULL);
  const CuredClaim *claims = kernel->claims;
  gsize n_claims = kernel->n_claims;

  if (n_claims == 0)
    g_error ("%s claims nothing; give it a [Claim NAME]", id);
  for (gsize i = 0; i < n_claims; i++)
    {
      g_autofree gint64 *values = NULL;

      assert_point (kernel, claims[i].at_values, &claims[i]);
      if (claims[i].against == NULL)
        continue;
      g_autoptr (CuredKernel) other =
          MUST (cured_claim_load_against (kernel, &claims[i], &values, &fail));
      assert_point (other, values, &claims[i]);
    }
}

static void
assert_holds (CuredKernel *kernel, const CuredClaim *claim, const CuredClaimResult *result)
{
  g_autofree char *text = cured_claim_to_string (claim);

  g_test_message ("%s: %s: %.6g", claim->name, text, result->value);
  if (result->verdict != CURED_CLAIM_HOLDS)
    g_error ("%s: [Claim %s] %s: %s, it is %.9g%s%s", kernel->id, claim->name,
             cured_claim_verdict_to_string (result->verdict), text, result->value,
             result->reason != NULL ? "; " : "", result->reason != NULL ? result->reason : "");
}

static void
test_counted (gconstpointer data)
{
  g_autoptr (CuredKernel) kernel = cured_catalogue_get (data, NULL);
  const CuredClaim *claims = kernel->claims;
  gsize n_claims = kernel->n_claims;
  gsize n_counted = 0;

  if (device == NULL)
    {
      g_test_skip ("there is no compiler");
      return;
    }
  for (gsize i = 0; i < n_claims; i++)
    {
      g_auto (CuredClaimResult) result = { 0 };
      gint64 start_us = g_get_monotonic_time ();

      if (!cured_claim_is_counted (&claims[i]) || !part_has_cell (n_counted++ == 0))
        continue;
      MUST (cured_claim_count (kernel, &claims[i], device, &result, &fail));
      assert_holds (kernel, &claims[i], &result);
      g_test_message ("%.2f s", (double) (g_get_monotonic_time () - start_us) / 1e6);
    }
}

/* Whether each value of @part is one of @all. */
static gboolean
is_part (const CuredAxis *part, const CuredAxis *all)
{
  for (gsize i = 0; i < cured_axis_get_length (part); i++)
    if (!cured_axis_find (all, cured_axis_get_value (part, i), NULL))
      return FALSE;
  return TRUE;
}

/* What is recorded is the default sweep, all of it; where that has grown since, the missing cells
 * are counted as skipped. */
static void
assert_is_sweep (CuredKernel *kernel, CuredResult *recorded)
{
  g_autoptr (CuredSpec) spec = cured_spec_new (kernel);
  gsize n_axes;
  const CuredResultAxis *axes = cured_result_get_axes (recorded, &n_axes);
  const CuredParameter *parameters = kernel->parameters;
  gsize n_parameters = kernel->n_parameters;

  cured_spec_use_default_sweep (spec);
  g_assert_cmpuint (n_axes, ==, n_parameters);
  for (gsize i = 0; i < n_axes; i++)
    {
      g_autofree char *here = cured_axis_to_string (axes[i].values);
      g_autofree char *there = cured_axis_to_string (cured_spec_get_axis (spec, i));

      g_assert_cmpstr (axes[i].name, ==, parameters[i].name);
      if (!g_str_equal (here, there) && is_part (axes[i].values, cured_spec_get_axis (spec, i)))
        {
          g_test_message ("%s=%s is recorded, of %s", axes[i].name, here, there);
          g_test_skip ("not all of the sweep is recorded on a GPU");
        }
      else if (!g_str_equal (here, there))
        g_error ("%s was recorded at %s=%s; its default sweep is %s=%s", kernel->id, axes[i].name,
                 here, axes[i].name, there);
    }
}

static void
test_recorded (gconstpointer data)
{
  g_autoptr (CuredKernel) kernel = cured_catalogue_get (data, NULL);
  g_autoptr (CuredResult) recorded = load_recording (data);
  const CuredClaim *claims = kernel->claims;
  gsize n_claims = kernel->n_claims;

  if (recorded == NULL)
    return;
  assert_is_sweep (kernel, recorded);
  for (gsize i = 0; i < n_claims; i++)
    {
      g_auto (CuredClaimResult) result = { 0 };
      g_autoptr (CuredResult) against = NULL;

      if (cured_claim_is_counted (&claims[i]))
        continue;
      if (claims[i].against_kernel != NULL)
        {
          against = load_recording (claims[i].against_kernel);
          if (against == NULL)
            continue;
        }
      MUST (cured_claim_look_up (kernel, &claims[i], recorded, against, &result, &fail));
      assert_holds (kernel, &claims[i], &result);
    }
}

static CuredKernel *
make (const char *claim)
{
  g_autofree char *text = g_strdup_printf ("/*! cured\n[Kernel]\nTitle=Test\nBytes=4*n\n"
                                           "[Parameter block]\nKind=compile\nValues=32..128:32\n"
                                           "Default=64\n"
                                           "[Parameter n]\nKind=problem\nDefault=256\n"
                                           "[Buffer out]\nType=i32\nLength=n\nFill=poison\n"
                                           "[Launch]\nEntry=test\nGrid=n/block\nBlock=block\n"
                                           "Arguments=out\n"
                                           "[Require hardware]\nIf=n < 1000\nReason=too many\n"
                                           "[Claim test]\nText=So it is\n%s*/\n"
                                           "extern \"C\" __global__ void test (int *out) {\n"
                                           "  out[blockIdx.x * BLOCK + threadIdx.x] = 1;\n"
                                           "  __syncthreads ();\n}\n",
                                           claim);
  return MUST (cured_kernel_new_from_text (text, "test", NULL, &fail));
}

static void
test_verdicts (void)
{
  static const struct
  {
    const char *claim;
    CuredClaimVerdict verdict;
    double value;
  } rows[] = {
    /* A barrier per warp. */
    { "Metric=barriers\nLow=8\nHigh=8\n", CURED_CLAIM_HOLDS, 8 },
    { "Metric=barriers\nLow=8.5\n", CURED_CLAIM_BROKEN, 8 },
    { "Metric=barriers\nHigh=7\n", CURED_CLAIM_BROKEN, 8 },
    { "Metric=barriers\nAt=n=512,block=128\nLow=16\n", CURED_CLAIM_HOLDS, 16 },
    /* What Against= does not name is as At= has it. */
    { "Metric=barriers\nAt=n=512\nAgainst=block=128\nLow=1\nHigh=1\n", CURED_CLAIM_HOLDS, 1 },
    { "Metric=barriers\nAt=n=64\nAgainst=n=192\nLow=1/3\nHigh=1/3\n", CURED_CLAIM_HOLDS, 1.0 / 3 },
    { "Metric=instructions\nAgainst=vector/add n=1000,threads=128,blocks=1\n"
      "Low=0.0001\nHigh=0.99\n",
      CURED_CLAIM_HOLDS, NAN },
    { "Metric=barriers\nAt=n=1024\nLow=0\n", CURED_CLAIM_NOT_RECORDED, NAN },
    /* Above 0 is any number of times 0. */
    { "Metric=barriers\nAgainst=vector/add n=1000,threads=128,blocks=1\n"
      "High=2\n",
      CURED_CLAIM_BROKEN, NAN },
    { "Metric=barriers\nAgainst=vector/add n=1000,threads=128,blocks=1\n"
      "Low=2\n",
      CURED_CLAIM_HOLDS, NAN },
    /* 0 / 0 is not a figure. */
    { "Metric=excess_wavefronts\nAgainst=n=64\nLow=0\n", CURED_CLAIM_NOT_RECORDED, NAN },
  };

  if (device == NULL)
    {
      g_test_skip ("there is no compiler");
      return;
    }
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (CuredKernel) kernel = make (rows[i].claim);
      g_auto (CuredClaimResult) result = { 0 };

      g_assert_true (MUST (cured_claim_count (kernel, kernel->claims, device, &result, &fail)));
      g_test_message ("%g %s", result.value, result.reason);
      g_assert_cmpint (result.verdict, ==, rows[i].verdict);
      if (!isnan (rows[i].value))
        g_assert_cmpfloat_with_epsilon (result.value, rows[i].value, 1e-12);
      g_assert_cmpstr (result.reason, ==,
                       strstr (rows[i].claim, "1024") != NULL ? "too many" : NULL);
    }
}

static void
test_against (void)
{
  static const struct
  {
    const char *against, *message;
  } rows[] = {
    { "vector/ad", "did you mean vector/add?" },
    { "vector/add m=3", "no parameter is called m" },
    { "vector/add n", "expected PARAMETER=VALUE" },
    { "vector/add n=2,n=3", "n stands twice" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *claim =
          g_strdup_printf ("Metric=barriers\nLow=1\nAgainst=%s\n", rows[i].against);
      g_autoptr (CuredKernel) kernel = make (claim);
      g_autoptr (GError) error = NULL;
      gint64 *values = NULL;

      g_assert_null (cured_claim_load_against (kernel, kernel->claims, &values, &error));
      g_assert_nonnull (error);
      g_assert_nonnull (strstr (error->message, rows[i].message));
      g_assert_nonnull (strstr (error->message, "[Claim test] of test"));
    }
}

/* A time is looked up in what was recorded; counts are there too. */
static void
test_look_up (void)
{
  g_autofree char *path = get_recording ("matmul/tiled");
  g_autoptr (GError) error = NULL;
  g_autoptr (CuredResult) recorded = cured_result_load (path, NULL, &error);
  static const struct
  {
    const char *claim;
    CuredClaimVerdict verdict;
  } rows[] = {
    { "At=tile=16\nAgainst=tile=4\nHigh=0.9\n", CURED_CLAIM_HOLDS },
    { "At=tile=16\nAgainst=tile=4\nLow=1\n", CURED_CLAIM_BROKEN },
    { "At=tile=16\nHigh=0.001\n", CURED_CLAIM_BROKEN },
    { "At=tile=16,n=3\nLow=0\n", CURED_CLAIM_NOT_RECORDED },
    { "At=tile=16\nAgainst=matmul/naive\nLow=0\n", CURED_CLAIM_NOT_RECORDED },
  };

  g_assert_no_error (error);
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (CuredKernel) tiled = cured_catalogue_get ("matmul/tiled", NULL);
      const char *source = tiled->source;
      const char *sweep = strstr (source, " * [Sweep]");
      g_autofree char *text =
          g_strdup_printf ("%.*s * [Claim a test]\nText=So\nMetric=time\n%s%s",
                           (int) (sweep - source), source, rows[i].claim, sweep);
      g_autoptr (CuredKernel) kernel =
          MUST (cured_kernel_new_from_text (text, "matmul/tiled", NULL, &fail));
      g_auto (CuredClaimResult) result = { 0 };

      /* The file's own are in the comment that closes it. */
      g_assert_true (
          MUST (cured_claim_look_up (kernel, kernel->claims, recorded, NULL, &result, &fail)));
      g_assert_cmpint (result.verdict, ==, rows[i].verdict);
      g_assert_true ((result.reason != NULL) == (result.verdict == CURED_CLAIM_NOT_RECORDED));
    }
}

static void
add (const char *group, const char *id, GTestDataFunc func)
{
  g_autofree char *path = g_strconcat ("/claims/", group, "/", id, NULL);

  g_test_add_data_func (path, id, func);
}

int
main (int argc, char *argv[])
{
  part_init (&argc, argv);
  g_test_init (&argc, &argv, NULL);
  device = cured_device_open ("emulator", NULL);
  g_auto (GStrv) ids = cured_catalogue_list ();
  for (guint i = 0; ids[i] != NULL; i++)
    {
      if (part_has_case (i))
        add ("counted", ids[i], test_counted);
      if (!part_has_cell (TRUE))
        continue;
      add ("form", ids[i], test_form);
      add ("recorded", ids[i], test_recorded);
    }
  if (part_has_cell (TRUE))
    {
      g_test_add_func ("/claims/verdicts", test_verdicts);
      g_test_add_func ("/claims/against", test_against);
      g_test_add_func ("/claims/look-up", test_look_up);
    }
  int status = g_test_run ();
  g_clear_pointer (&device, cured_device_close);
  return status;
}
