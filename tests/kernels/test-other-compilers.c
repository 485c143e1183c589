/* SPDX-License-Identifier: MIT
 * PTX of Triton and Numba, for three chips: it runs in the emulator with a right result and no
 * finding but bank conflicts. */
#include <string.h>

#include <cured.h>

#include "test.h"

#include "base/cured-own.h"

static const char *const chips[] = { "sm_80", "sm_90", "sm_100" };
static CuredDevice *devices[G_N_ELEMENTS (chips)];
static char *folder;

typedef struct
{
  char *name;
  gsize chip;
} Case;

CURED_FREE_FUNC (Case, case_free, name, g_free)

/* The kernel for a chip: of the header, the name of its PTX alone differs. */
static CuredKernel *
load (const Case *self)
{
  g_autofree char *name = g_strconcat (self->name, ".kernel", NULL);
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_autofree char *ptx_name = g_strconcat (self->name, "-", chips[self->chip], ".ptx", NULL);
  g_autofree char *ptx_path = g_build_filename (folder, ptx_name, NULL);
  g_autofree char *header = NULL, *ptx = NULL, *text = NULL;
  g_autoptr (GError) error = NULL;
  CuredKernel *kernel;

  if (g_str_equal (chips[self->chip], "sm_90"))
    kernel = cured_kernel_new_from_file (path, &error);
  else
    {
      MUST (g_file_get_contents (path, &header, NULL, &fail));
      MUST (g_file_get_contents (ptx_path, &ptx, NULL, &fail));
      text = g_strconcat (ptx, "/*! cured\n", header, "*/\n", NULL);
      kernel = cured_kernel_new_from_text (text, self->name, ptx_path, &error);
    }
  g_assert_no_error (error);
  g_assert_true (kernel->is_ptx);
  g_assert_cmpstr (kernel->path, ==, ptx_path);
  return kernel;
}

static void
test_case (gconstpointer data)
{
  const Case *self = data;
  g_autoptr (CuredKernel) kernel = load (self);
  g_autofree gint64 *values = g_new0 (gint64, kernel->n_parameters + 1);
  g_auto (CuredOptions) options = { 0 };
  g_autoptr (CuredOutcome) outcome = cured_outcome_new ();
  CuredJob job = { .kernel = kernel, .values = values, .options = &options };

  for (gsize i = 0; i < kernel->n_parameters; i++)
    values[i] = kernel->parameters[i].default_value;
  cured_options_init (&options);
  MUST (cured_measure (devices[self->chip], &job, outcome, NULL, &fail));
  g_assert_cmpstr (outcome->reason, ==, NULL);
  g_assert_cmpint (outcome->state, ==, CURED_STATE_OK);
  for (guint i = 0; i < outcome->findings->len; i++)
    {
      const CuredFinding *finding = g_ptr_array_index (outcome->findings, i);

      g_assert_cmpint (finding->kind, ==, CURED_FINDING_BANK_CONFLICT);
    }
}

/* (transfer full): the line that the worst site of the product is of. */
static char *
find_worst_line (CuredKernel *kernel)
{
  g_autoptr (CuredCompiler) compiler = cured_compiler_new (NULL);
  g_autofree gint64 *values = g_new0 (gint64, kernel->n_parameters + 1);
  const CuredBankSite *worst = NULL;
  CuredBankQuery query;

  for (gsize i = 0; i < kernel->n_parameters; i++)
    values[i] = kernel->parameters[i].default_value;
  g_autoptr (CuredProgram) program =
      MUST (cured_program_new (kernel, values, &cured_profile_find ("sm_90")->limits, &fail));
  cured_bank_query_init (&query);
  g_autoptr (CuredBankView) view =
      MUST (cured_bank_view_new (compiler, program, &query, NULL, &fail));
  for (gsize i = 0; i < view->n_sites; i++)
    if (worst == NULL ||
        view->sites[i].wavefronts - view->sites[i].least > worst->wavefronts - worst->least)
      worst = &view->sites[i];
  g_assert_nonnull (worst);
  g_assert_true (g_str_has_suffix (worst->file, "triton_kernels.py"));
  return g_strdup (worst->source);
}

/* A site of the PTX has the text of its Python line: of the file beside it, and of what a result
 * file carries, where there is no folder. */
TEST ("/other-compilers/lines")
{
  g_autofree char *path = g_build_filename (folder, "triton-matmul.kernel", NULL);
  g_autoptr (CuredKernel) kernel = MUST (cured_kernel_new_from_file (path, &fail));

  g_autofree char *text = cured_sources_carry (kernel, NULL);
  g_autoptr (CuredKernel) carried = MUST (cured_kernel_new_from_text (text, "matmul", NULL, &fail));
  g_autoptr (CuredKernel) alone =
      MUST (cured_kernel_new_from_text (kernel->source, "matmul", NULL, &fail));
  g_autofree char *here = find_worst_line (kernel);
  g_autofree char *there = find_worst_line (carried);
  g_autofree char *none = find_worst_line (alone);
  g_assert_cmpstr (here, ==, "total = tl.dot(x.to(tl.float16), y.to(tl.float16), total)");
  g_assert_cmpstr (there, ==, here);
  g_assert_null (none);
}

/* So has a finding: the product's tiles without the barrier between them. */
TEST ("/other-compilers/finding")
{
  g_autofree char *path = g_build_filename (folder, "triton-matmul.kernel", NULL);
  g_autoptr (CuredKernel) kernel = MUST (cured_kernel_new_from_file (path, &fail));
  g_auto (CuredOptions) options = { 0 };
  g_autoptr (CuredOutcome) outcome = cured_outcome_new ();
  const CuredFinding *race = NULL;
  const gint64 values[] = { 96 };
  CuredJob job = { .values = values, .options = &options };

  g_autofree char *text = cured_sources_carry (kernel, NULL);
  g_auto (GStrv) parts = g_strsplit (text, "bar.sync ", -1);
  g_free (text);
  text = g_strjoinv ("bar.warp.sync 0xffffffff; // ", parts);
  g_autoptr (CuredKernel) broken = MUST (cured_kernel_new_from_text (text, "matmul", NULL, &fail));
  job.kernel = broken;
  cured_options_init (&options);
  MUST (cured_measure (devices[1], &job, outcome, NULL, &fail));
  for (guint i = 0; i < outcome->findings->len && race == NULL; i++)
    if (((const CuredFinding *) outcome->findings->pdata[i])->kind == CURED_FINDING_RACE_SHARED)
      race = outcome->findings->pdata[i];
  g_assert_nonnull (race);
  g_assert_nonnull (race->here.source);
  g_autofree char *told = cured_finding_to_string (race);
  g_assert_nonnull (strstr (told, race->here.source));
  g_assert_nonnull (strstr (race->here.source, "tl."));
}

int
main (int argc, char *argv[])
{
  g_autoptr (GPtrArray) cases = g_ptr_array_new_with_free_func (case_free);
  g_autoptr (GError) error = NULL;
  const char *name;

  g_test_init (&argc, &argv, NULL);
  folder = g_build_filename (g_getenv ("CURED_TEST_DATA"), "kernels", "compilers", NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (chips); i++)
    {
      g_autofree char *id = g_strconcat ("emulator:", chips[i], NULL);

      devices[i] = cured_device_open (id, &error);
      if (g_error_matches (error, CURED_ERROR, CURED_ERROR_NO_COMPILER))
        {
          g_print ("1..0 # SKIP no NVRTC for the references\n");
          return 0;
        }
      g_assert_no_error (error);
    }
  GDir *listing = MUST (g_dir_open (folder, 0, &fail));
  while ((name = g_dir_read_name (listing)) != NULL)
    for (gsize i = 0; g_str_has_suffix (name, ".kernel") && i < G_N_ELEMENTS (chips); i++)
      {
        Case *self = g_new0 (Case, 1);

        self->name = g_strndup (name, strlen (name) - strlen (".kernel"));
        self->chip = i;
        g_ptr_array_add (cases, self);
        g_autofree char *path = g_strdup_printf ("/other-compilers/%s/%s", self->name, chips[i]);
        g_test_add_data_func (path, self, test_case);
      }
  g_dir_close (listing);
  g_assert_cmpuint (cases->len, ==, 15 * G_N_ELEMENTS (chips));
  int status = run_tests ();
  for (gsize i = 0; i < G_N_ELEMENTS (chips); i++)
    cured_device_close (devices[i]);
  g_free (folder);
  return status;
}
