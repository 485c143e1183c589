/* SPDX-License-Identifier: MIT
 * Every built-in kernel: it parses, has a sweep, and makes a program. */
#include "cured.h"

#include <string.h>
#include "kernel/program/cured-program-internal.h"
#include "made-up-limits.h"
#include "test.h"

/* What an H200 allows. */
static const CuredLimits h200 = {
  H200_LIMITS,
  .l2_bytes = G_GINT64_CONSTANT (62914560),
  .global_bytes = G_GINT64_CONSTANT (150000000000),
};

static void
test_kernel (gconstpointer data)
{
  const char *id = data;
  g_autoptr (CuredKernel) kernel = MUST (cured_catalogue_get (id, &fail));
  g_autofree char *entry = g_strdelimit (g_strdup (id), "/-", '_');
  const CuredParameter *parameters;
  const CuredStep *steps;
  gsize n_parameters, n_steps, x, y;
  gint64 n_cells = 1, n_launchable = 0;

  g_assert_cmpstr (kernel->id, ==, id);
  g_assert_null (kernel->path);
  g_assert_nonnull (kernel->title);
  g_assert_nonnull (kernel->summary);
  g_assert_nonnull (kernel->family);
  g_assert_cmpint (kernel->rung, >=, 1);
  /* What is never stored is not compared. */
  g_assert_true (kernel->output >= 0 || g_str_has_prefix (id, "specimens/no-store"));

  parameters = kernel->parameters;
  n_parameters = kernel->n_parameters;
  g_autofree gint64 *values = g_new (gint64, n_parameters);
  for (gsize i = 0; i < n_parameters; i++)
    {
      g_assert_nonnull (parameters[i].summary);
      values[i] = parameters[i].default_value;
    }

  g_autoptr (CuredProgram) program = MUST (cured_program_new (kernel, values, &h200, &fail));
  g_assert_true (MUST (cured_program_check (kernel, values, &h200, &fail)));

  /* Every entry is the id's, and is a C function of the source. */
  steps = kernel->steps;
  n_steps = kernel->n_steps;
  for (gsize i = 0; i < n_steps; i++)
    if (steps[i].entry != NULL)
      {
        g_autofree char *call = g_strconcat (steps[i].entry, " (", NULL);

        g_assert_true (g_str_has_prefix (steps[i].entry, entry));
        g_assert_nonnull (strstr (kernel->source, call));
      }
  g_assert_nonnull (strstr (kernel->source, "extern \"C\" __global__"));

  /* The default sweep is a plane, and has cells to run. */
  g_assert_nonnull (kernel->sweep_x);
  g_assert_nonnull (kernel->sweep_y);
  g_assert_true (cured_kernel_find_parameter (kernel, kernel->sweep_x, &x));
  g_assert_true (cured_kernel_find_parameter (kernel, kernel->sweep_y, &y));
  g_assert_cmpuint (cured_axis_get_length (kernel->sweep[x]), >=, 2);
  g_assert_cmpuint (cured_axis_get_length (kernel->sweep[y]), >=, 2);
  for (gsize i = 0; i < n_parameters; i++)
    if (kernel->sweep[i] != NULL)
      n_cells *= (gint64) cured_axis_get_length (kernel->sweep[i]);
  g_assert_cmpint (n_cells, <=, 10000);
  for (gint64 cell = 0; cell < n_cells; cell++)
    {
      gint64 rest = cell;

      for (gsize i = n_parameters; i-- > 0;)
        {
          const CuredAxis *axis = kernel->sweep[i];
          gint64 length = axis == NULL ? 1 : (gint64) cured_axis_get_length (axis);

          values[i] = axis == NULL ? parameters[i].default_value
                                   : cured_axis_get_value (axis, (gsize) (rest % length));
          rest /= length;
        }
      n_launchable += cured_program_check (kernel, values, &h200, NULL);
    }
  g_assert_cmpint (n_launchable, >=, n_cells / 2);
}

TEST ("/catalogue/folder")
{
  const char *folder = g_getenv ("CURED_KERNELS_DIR");
  g_auto (GStrv) ids = cured_catalogue_list ();
  const char *family;
  guint n = 0;

  if (folder == NULL)
    {
      g_test_skip ("CURED_KERNELS_DIR is not set");
      return;
    }
  g_autoptr (GDir) families = MUST (g_dir_open (folder, 0, &fail));
  while ((family = g_dir_read_name (families)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, family, NULL);
      g_autoptr (GDir) files = g_dir_open (path, 0, NULL);
      const char *file;

      while (files != NULL && (file = g_dir_read_name (files)) != NULL)
        if (g_str_has_suffix (file, ".cu"))
          {
            g_autofree char *id =
                g_strdup_printf ("%s/%.*s", family, (int) strlen (file) - 3, file);

            if (!g_strv_contains ((const char *const *) ids, id))
              g_error ("%s is not in the catalogue; add it to cured-kernels.gresource.xml", id);
            n++;
          }
    }
  g_assert_cmpuint (n, ==, g_strv_length (ids));
}

TEST ("/catalogue/sorted")
{
  g_auto (GStrv) ids = cured_catalogue_list ();

  g_assert_nonnull (ids[0]);
  for (guint i = 1; ids[i] != NULL; i++)
    g_assert_cmpstr (ids[i - 1], <, ids[i]);
}

TEST ("/catalogue/unknown")
{
  g_autoptr (GError) error = NULL;

  g_assert_null (cured_catalogue_get ("vector/ad", &error));
  g_assert_error (error, CURED_ERROR, CURED_ERROR_NOT_FOUND);
  g_assert_nonnull (strstr (error->message, "did you mean vector/add?"));
  g_assert_nonnull (strstr (error->message, "cured kernels"));
  g_clear_error (&error);

  FAILS (cured_catalogue_get ("no such thing at all", &fail), CURED_ERROR, CURED_ERROR_NOT_FOUND,
         "cured kernels");

  /* Neither a folder of the catalogue nor an empty word is a kernel. */
  FAILS (cured_catalogue_load ("vector", &fail), CURED_ERROR, CURED_ERROR_NOT_FOUND, "");
  FAILS (cured_catalogue_load ("", &fail), CURED_ERROR, CURED_ERROR_NOT_FOUND, "");
}

TEST ("/catalogue/path")
{
  g_autofree char *path =
      g_build_filename (g_getenv ("CURED_KERNELS_DIR"), "vector", "add.cu", NULL);

  g_autoptr (CuredKernel) kernel = MUST (cured_catalogue_load (path, &fail));
  g_assert_cmpstr (kernel->id, ==, "add");
  g_assert_cmpstr (kernel->path, ==, path);

  g_clear_pointer (&kernel, cured_kernel_unref);
  FAILS (cured_catalogue_load ("/nowhere/missing.cu", &fail), G_FILE_ERROR, G_FILE_ERROR_NOENT,
         "missing.cu");
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_auto (GStrv) ids = cured_catalogue_list ();
  for (guint i = 0; ids[i] != NULL; i++)
    {
      g_autofree char *path = g_strconcat ("/catalogue/kernel/", ids[i], NULL);

      g_test_add_data_func (path, ids[i], test_kernel);
    }
  return run_tests ();
}
