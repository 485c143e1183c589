/* SPDX-License-Identifier: MIT
 * The built-in kernels' sources: NVRTC takes them for an old and a new device, for the new one also
 * with every compile parameter's values, and the emulator takes the PTX, in which are the entries
 * that the headers name.
 *
 * The quick part: each kernel at its defaults, on the new device, or on the old one where only that
 * can launch it. The quick part of test-sizes.c compiles the ends of the parameters, since it runs
 * them. The shards: the old device, and the parameters together; each by itself is only tried by
 * hand. */
#include "cured.h"

#include <string.h>

#include "cover.h"
#include "kernel/program/cured-program-internal.h"
#include "part.h"
#include "test-compiled.h"
#include "test.h"

static CuredCompiler *compiler;

/* As measuring names it, so that what one test compiled is in the cache for the next. */
static char *
get_file_name (CuredKernel *kernel)
{
  return g_strconcat (kernel->id, ".cu", NULL);
}

static void
compile_binary (CuredKernel *kernel, const gint64 *values, const CuredProfile *profile)
{
  g_autofree char *file_name = get_file_name (kernel);
  g_autoptr (CuredProgram) program =
      MUST (cured_program_new (kernel, values, &profile->limits, &fail));

  g_autoptr (GBytes) image = MUST (cured_compiler_compile (compiler, kernel->source, file_name,
                                                           (const char *const *) program->defines,
                                                           profile->arch, NULL, &fail));
  g_assert_cmpuint (g_bytes_get_size (image), >, 0);
}

static void
compile_ptx (CuredKernel *kernel, const gint64 *values, const CuredProfile *profile)
{
  CuredLimits limits = profile->limits;
  g_autofree char *arch = g_strconcat ("compute_", profile->arch + strlen ("sm_"), NULL);
  g_autofree char *file_name = get_file_name (kernel);
  CuredPtxEntry entry;

  limits.emulated = 1;
  g_autoptr (CuredProgram) program = cured_program_new (kernel, values, &limits, NULL);
  if (program == NULL)
    return;
  g_autoptr (GBytes) ptx =
      MUST (cured_compiler_compile (compiler, kernel->source, file_name,
                                    (const char *const *) program->defines, arch, NULL, &fail));
  /* The emulator runs it: whatever it could not is refused here. */
  g_autoptr (CuredPtxModule) module = MUST (cured_ptx_module_parse (
      g_bytes_get_data (ptx, NULL), (gssize) g_bytes_get_size (ptx), arch, &fail));
  for (gsize k = 0; k < program->n_steps; k++)
    if (program->steps[k].entry != NULL)
      g_assert_true (cured_ptx_module_find_entry (module, program->steps[k].entry, &entry));
}

/* A chip on which the point can't be launched is left out: what the kernel file requires is asked
 * before anything is compiled. */
static gboolean
compile_defaults (CuredKernel *kernel, const gint64 *values)
{
  static const char *const archs[] = { "sm_90", "sm_75" };
  gboolean any = FALSE;

  for (gsize i = 0; i < G_N_ELEMENTS (archs); i++)
    {
      const CuredProfile *profile = cured_profile_find (archs[i]);

      if (!cured_program_check (kernel, values, &profile->limits, NULL))
        continue;
      if (part_has_cell (!any))
        {
          compile_binary (kernel, values, profile);
          compile_ptx (kernel, values, profile);
        }
      any = TRUE;
    }
  return any;
}

/* The compile parameters, all of them together: each value once. As PTX, test-sizes.c compiles
 * them, since it runs them. */
static void
compile_cover (CuredKernel *kernel)
{
  const CuredProfile *profile = cured_profile_find ("sm_90");
  g_autoptr (GPtrArray) cells = cover_parameters (kernel, &profile->limits, TRUE);

  for (guint i = 0; i < cells->len; i++)
    compile_binary (kernel, g_ptr_array_index (cells, i), profile);
}

/* Each compile parameter by itself: its ends, and an odd one from between. */
static void
compile_each (CuredKernel *kernel, gint64 *values)
{
  const CuredProfile *profile = cured_profile_find ("sm_90");
  const CuredParameter *parameters = kernel->parameters;
  gsize n = kernel->n_parameters;

  for (gsize i = 0; i < n; i++)
    if (parameters[i].kind == CURED_PARAMETER_COMPILE)
      {
        gsize length = cured_axis_get_length (parameters[i].values);
        const gsize places[] = { 0, length / 3, length - 1 };

        for (gsize j = 0; j < G_N_ELEMENTS (places); j++)
          {
            values[i] = cured_axis_get_value (parameters[i].values, places[j]);
            if (values[i] == parameters[i].default_value || (j > 0 && places[j] == places[j - 1]) ||
                !cured_program_check (kernel, values, &profile->limits, NULL))
              continue;
            compile_binary (kernel, values, profile);
            compile_ptx (kernel, values, profile);
          }
        values[i] = parameters[i].default_value;
      }
}

static void
test_source (gconstpointer data)
{
  g_autoptr (CuredKernel) kernel = MUST (cured_catalogue_get (data, &fail));
  const CuredParameter *parameters;

  parameters = kernel->parameters;
  gsize n = kernel->n_parameters;
  g_autofree gint64 *values = g_new (gint64, n);
  for (gsize i = 0; i < n; i++)
    values[i] = parameters[i].default_value;
  g_assert_true (compile_defaults (kernel, values));
  if (part_has_cell (FALSE))
    compile_cover (kernel);
  if (part_is_whole ())
    compile_each (kernel, values);
}

/* Each access of banks/stride is one volatile instruction of the full width: a plain load would be
 * merged or dropped. */
static void
test_volatile (void)
{
  static const struct
  {
    gint64 width;
    const char *load;
  } rows[] = { { 4, "ld.volatile.shared.u32 " },
               { 8, "ld.volatile.shared.v2.u32 " },
               { 16, "ld.volatile.shared.v4.u32 " } };
  g_autoptr (CuredKernel) kernel = cured_catalogue_get ("banks/stride", NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *width = g_strdup_printf ("-DWIDTH=%d", (int) rows[i].width);
      const char *const options[] = { width, "-DSTORE=0", NULL };
      g_autoptr (GBytes) ptx = MUST (cured_compiler_compile (compiler, kernel->source, "kernel.cu",
                                                             options, "compute_90", NULL, &fail));
      guint n = 0;

      g_autofree char *text = g_strndup (g_bytes_get_data (ptx, NULL), g_bytes_get_size (ptx));
      for (const char *at = text; (at = strstr (at, rows[i].load)) != NULL; at++)
        n++;
      /* Sixteen in the unrolled loop, one for the rest. */
      g_assert_cmpuint (n, ==, 17);
    }
}

int
main (int argc, char *argv[])
{
  part_init (&argc, argv);
  g_test_init (&argc, &argv, NULL);
  g_auto (GStrv) ids = cured_catalogue_list ();
  for (guint i = 0; ids[i] != NULL; i++)
    {
      g_autofree char *path = g_strconcat ("/kernel-sources/", ids[i], NULL);

      if (part_has_case (i))
        g_test_add_data_func (path, ids[i], test_source);
    }
  if (part_has_cell (TRUE))
    g_test_add_func ("/kernel-sources/volatile", test_volatile);
  return run_compiled_tests (&compiler, NULL);
}
