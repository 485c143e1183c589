/* SPDX-License-Identifier: MIT
 * PTX of Triton and Numba, for three chips: it runs in the emulator with a right
 * result and no finding but bank conflicts. */
#include <string.h>

#include <cured.h>

static const char *const chips[] = { "sm_80", "sm_90", "sm_100" };
static CuredDevice *devices[G_N_ELEMENTS (chips)];
static char *folder;

typedef struct
{
  char *name;
  gsize chip;
} Case;

static void
case_free (gpointer data)
{
  g_free (((Case *) data)->name);
  g_free (data);
}

/* The kernel for a chip: of the header, the name of its PTX alone differs. */
static CuredKernel *
load (const Case *self)
{
  g_autofree char *name = g_strconcat (self->name, ".kernel", NULL);
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_autofree char *ptx_name =
      g_strconcat (self->name, "-", chips[self->chip], ".ptx", NULL);
  g_autofree char *ptx_path = g_build_filename (folder, ptx_name, NULL);
  g_autofree char *header = NULL;
  g_autofree char *ptx = NULL;
  g_autofree char *text = NULL;
  g_autoptr (GError) error = NULL;
  CuredKernel *kernel;

  if (g_str_equal (chips[self->chip], "sm_90"))
    kernel = cured_kernel_new_from_file (path, &error);
  else
    {
      g_file_get_contents (path, &header, NULL, &error);
      g_assert_no_error (error);
      g_file_get_contents (ptx_path, &ptx, NULL, &error);
      g_assert_no_error (error);
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
  g_autoptr (GError) error = NULL;
  CuredJob job = { .kernel = kernel, .values = values, .options = &options };

  for (gsize i = 0; i < kernel->n_parameters; i++)
    values[i] = kernel->parameters[i].default_value;
  cured_options_init (&options);
  cured_measure (devices[self->chip], &job, outcome, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (outcome->reason, ==, NULL);
  g_assert_cmpint (outcome->state, ==, CURED_STATE_OK);
  for (guint i = 0; i < outcome->findings->len; i++)
    {
      const CuredFinding *finding = g_ptr_array_index (outcome->findings, i);

      g_assert_cmpint (finding->kind, ==, CURED_FINDING_BANK_CONFLICT);
    }
}

int
main (int argc, char *argv[])
{
  g_autoptr (GPtrArray) cases = g_ptr_array_new_with_free_func (case_free);
  g_autoptr (GError) error = NULL;
  GDir *listing;
  const char *name;
  int status;

  g_test_init (&argc, &argv, NULL);
  folder = g_build_filename (
      g_getenv ("CURED_TEST_DATA"), "kernels", "compilers", NULL);
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
  listing = g_dir_open (folder, 0, &error);
  g_assert_no_error (error);
  while ((name = g_dir_read_name (listing)) != NULL)
    for (gsize i = 0;
         g_str_has_suffix (name, ".kernel") && i < G_N_ELEMENTS (chips);
         i++)
      {
        Case *self = g_new0 (Case, 1);
        g_autofree char *path = NULL;

        self->name = g_strndup (name, strlen (name) - strlen (".kernel"));
        self->chip = i;
        g_ptr_array_add (cases, self);
        path = g_strdup_printf ("/other-compilers/%s/%s", self->name, chips[i]);
        g_test_add_data_func (path, self, test_case);
      }
  g_dir_close (listing);
  g_assert_cmpuint (cases->len, ==, 15 * G_N_ELEMENTS (chips));
  status = g_test_run ();
  for (gsize i = 0; i < G_N_ELEMENTS (chips); i++)
    cured_device_close (devices[i]);
  g_free (folder);
  return status;
}
