/* SPDX-License-Identifier: MIT
 * Tests whose kernels are compiled. */
#include "test-compiled.h"

#include "test.h"

gboolean
need_compiler (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (CuredCompiler) compiler = cured_compiler_new (&error);

  if (compiler == NULL)
    g_test_skip (error->message);
  return compiler != NULL;
}

/* Like run_tests(), with a compiler and, unless @device is NULL, an emulator; without NVRTC, all
 * tests are skipped. */
int
run_compiled_tests (CuredCompiler **compiler, CuredDevice **device)
{
  g_autoptr (GError) error = NULL;

  *compiler = cured_compiler_new (&error);
  if (*compiler == NULL)
    {
      g_print ("1..0 # SKIP %s\n", error->message);
      return 0;
    }
  if (device != NULL)
    {
      *device = cured_device_open ("emulator:sm_90", &error);
      g_assert_no_error (error);
    }
  int status = run_tests ();
  if (device != NULL)
    g_clear_pointer (device, cured_device_close);
  g_clear_pointer (compiler, cured_compiler_free);
  return status;
}
