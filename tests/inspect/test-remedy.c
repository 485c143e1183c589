/* SPDX-License-Identifier: MIT
 * Changes that end a finding, tried by the emulator on a copy. */
#include <cured.h>
#include <string.h>

#include "test-compiled.h"
#include "test.h"

static CuredCompiler *compiler;
static guint n_trials;

static CuredInspection *
inspect (CuredKernel *kernel, gpointer data, GCancellable *cancellable, GError **error)
{
  g_autofree gint64 *values = g_new0 (gint64, kernel->n_parameters + 1);
  CuredBankQuery query;

  for (gsize i = 0; i < kernel->n_parameters; i++)
    values[i] = kernel->parameters[i].default_value;
  cured_bank_query_init (&query);
  n_trials++;
  return cured_inspection_new (compiler, kernel, values, &cured_profile_find ("sm_90")->limits,
                               &query, CURED_INSPECTION_TIME_LIMIT_MS, cancellable, error);
}

static GPtrArray *
find_remedies (CuredKernel *kernel, CuredInspection **inspection)
{
  g_autoptr (CuredInspection) before = MUST (inspect (kernel, NULL, NULL, &fail));

  g_assert_nonnull (before->banks);
  n_trials = 0;
  GPtrArray *remedies = MUST (cured_remedies_try (kernel, before, inspect, NULL, NULL, &fail));
  if (inspection != NULL)
    *inspection = g_steal_pointer (&before);
  return remedies;
}

static GPtrArray *
find_remedies_of (const char *id)
{
  g_autoptr (CuredKernel) kernel = MUST (cured_catalogue_get (id, &fail));

  return find_remedies (kernel, NULL);
}

/* A barrier that is missing, where all threads pass. */
TEST ("/remedy/barrier")
{
  g_autoptr (GError) error = NULL;
  g_autoptr (CuredKernel) kernel = cured_catalogue_get ("specimens/reversal", &error);
  g_autoptr (CuredInspection) before = NULL;
  g_autoptr (GPtrArray) remedies = find_remedies (kernel, &before);

  g_assert_cmpuint (before->findings->len, >, 0);
  g_assert_cmpuint (remedies->len, ==, 1);
  const CuredRemedy *remedy = remedies->pdata[0];
  g_assert_cmpint (remedy->finding, >=, 0);
  g_assert_nonnull (strstr (remedy->text, "no finding"));
  g_assert_cmpstr (remedy->insertion, ==, "  __syncthreads ();\n");
  g_assert_cmpint (remedy->column, ==, 0);
  /* What is offered is what was tried. */
  g_autoptr (CuredKernel) mended =
      MUST (cured_kernel_new_from_text (remedy->source, kernel->id, NULL, &fail));
  g_autoptr (CuredInspection) after = MUST (inspect (mended, NULL, NULL, &fail));
  g_assert_cmpuint (after->findings->len, ==, 0);
}

TEST ("/remedy/padding")
{
  g_autoptr (GPtrArray) remedies = find_remedies_of ("specimens/tile-column");

  g_assert_cmpuint (remedies->len, ==, 1);
  const CuredRemedy *remedy = remedies->pdata[0];
  g_assert_cmpint (remedy->finding, ==, -1);
  g_assert_nonnull (strstr (remedy->source, "float tile[32][32 + 1];"));
  g_assert_nonnull (strstr (remedy->text, "tile"));
  g_assert_nonnull (strstr (remedy->text, "992"));
  g_assert_nonnull (strstr (remedy->text, "0"));
}

/* What is right is left alone, and nothing is compiled for it. */
TEST ("/remedy/twins")
{
  static const char *const ids[] = { "specimens/reversal-fixed", "specimens/tile-column-fixed" };

  for (gsize i = 0; i < G_N_ELEMENTS (ids); i++)
    {
      g_autoptr (GPtrArray) remedies = find_remedies_of (ids[i]);

      g_assert_cmpuint (remedies->len, ==, 0);
      g_assert_cmpuint (n_trials, ==, 0);
    }
}

/* One barrier is not enough, or no barrier could help: nothing is offered. */
TEST ("/remedy/none")
{
  static const char *const ids[] = { "specimens/average-shared", "specimens/past-end",
                                     "specimens/branch-barrier" };

  for (gsize i = 0; i < G_N_ELEMENTS (ids); i++)
    {
      g_autoptr (GPtrArray) remedies = find_remedies_of (ids[i]);

      g_assert_cmpuint (remedies->len, ==, 0);
    }
}

/* Arrays that only a comment or a literal has, those of one dimension and such as end in nothing
 * are no places. */
TEST ("/remedy/places")
{
  static const char text[] = "/*! cured\n * [Kernel]\n * Title=Places\n *\n"
                             " * [Buffer out]\n * Type=f32\n * Length=32\n * Fill=poison\n *\n"
                             " * [Launch]\n * Entry=places\n * Grid=1\n * Block=32\n"
                             " * Arguments=out\n */\n"
                             "// __shared__ float comment[32][32];\n"
                             "#define UNUSED \"__shared__ float text[1][1];\"\n"
                             "#define OPEN __shared__ float open[32\n"
                             "extern \"C\" __global__ void\nplaces (float *out)\n{\n"
                             "  __shared__ float flat[32 * 32];\n"
                             "  __shared__ float small[2][32], tile[32][32];\n\n"
                             "  small[0][threadIdx.x] = 0;\n"
                             "  flat[32 * threadIdx.x] = 1;\n"
                             "  tile[threadIdx.x][0] = 2;\n"
                             "  out[threadIdx.x] = flat[32 * threadIdx.x] +\n"
                             "      tile[threadIdx.x][0] +\n"
                             "      small[0][threadIdx.x];\n}\n";
  g_autoptr (CuredKernel) kernel = MUST (cured_kernel_new_from_text (text, "places", NULL, &fail));

  g_autoptr (GPtrArray) remedies = find_remedies (kernel, NULL);
  /* Of two arrays in one declaration, the first is tried: it helps nothing. */
  g_assert_cmpuint (n_trials, ==, 1);
  g_assert_cmpuint (remedies->len, ==, 0);
}

TEST ("/remedy/cancelled")
{
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (CuredKernel) kernel = MUST (cured_catalogue_get ("specimens/reversal", &fail));
  g_autoptr (CuredInspection) before = MUST (inspect (kernel, NULL, NULL, &fail));

  g_cancellable_cancel (cancellable);
  FAILS (cured_remedies_try (kernel, before, inspect, NULL, cancellable, &fail), G_IO_ERROR,
         G_IO_ERROR_CANCELLED, "");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  return run_compiled_tests (&compiler, NULL);
}
