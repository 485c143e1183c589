/* SPDX-License-Identifier: MIT
 * Launches cells without timing them, for a profiler to look at.
 *
 * usage: gpu-launch COUNT KERNEL [NAME=VALUE ...] [, KERNEL ...]
 *
 * Cured's own way of timing holds the stream with a kernel until the timed one
 * is enqueued; a profiler that runs launches one by one would wait for that
 * for ever. */
#include <cured.h>
#include <stdlib.h>
#include <string.h>

static gboolean
launch (CuredDevice *device,
        CuredCompiler *compiler,
        int count,
        char **words,
        int n_words,
        GError **error)
{
  g_autoptr (CuredKernel) kernel = cured_catalogue_load (words[0], error);
  g_autoptr (CuredSpec) spec = NULL;
  g_autoptr (CuredPlan) plan = NULL;
  g_autoptr (CuredProgram) program = NULL;
  g_autofree gint64 *values = NULL;
  g_autofree CuredDevicePtr *bindings = NULL;
  g_autoptr (GBytes) image = NULL;
  CuredModule *module;
  gsize n_parameters;

  if (kernel == NULL)
    return FALSE;
  spec = cured_spec_new (kernel);
  for (int i = 1; i < n_words; i++)
    if (!cured_spec_parse_axis (spec, words[i], error))
      return FALSE;
  plan = cured_plan_new (spec, &device->info.limits, error);
  if (plan == NULL)
    return FALSE;
  cured_kernel_get_parameters (kernel, &n_parameters);
  values = g_new0 (gint64, n_parameters + 1);
  cured_plan_get_values (plan, 0, values);
  program = cured_program_new (kernel, values, &device->info.limits, error);
  if (program == NULL)
    return FALSE;

  image = cured_compiler_compile (compiler,
                                  cured_kernel_get_source (kernel),
                                  cured_kernel_get_id (kernel),
                                  (const char *const *) program->defines,
                                  device->info.arch,
                                  NULL,
                                  error);
  if (image == NULL)
    return FALSE;
  module = device->klass->load (device, image, error);
  if (module == NULL)
    return FALSE;
  bindings = g_new0 (CuredDevicePtr, program->n_buffers + 1);
  for (gsize i = 0; i < program->n_buffers; i++)
    {
      const CuredProgramBuffer *buffer = &program->buffers[i];
      g_autofree void *host = g_malloc (MAX (buffer->size, 1));

      cured_fill_buffer (buffer, i, 1, host);
      if (!device->klass->allocate (
              device, MAX (buffer->size, 1), &bindings[i], error) ||
          !device->klass->upload (
              device, bindings[i], host, buffer->size, error))
        return FALSE;
    }
  for (gsize i = 0; i < program->n_steps; i++)
    {
      CuredFunctionInfo info;

      /* Also opts in to the shared memory that the step wants. */
      if (program->steps[i].entry != NULL &&
          !device->klass->query (
              device, module, &program->steps[i], &info, error))
        return FALSE;
    }
  for (int i = 0; i < count; i++)
    if (!device->klass->run (device, module, program, bindings, error))
      return FALSE;
  for (gsize i = 0; i < program->n_buffers; i++)
    device->klass->release (device, bindings[i]);
  device->klass->unload (device, module);
  return TRUE;
}

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (CuredDevice) device = NULL;
  g_autoptr (CuredCompiler) compiler = NULL;
  int start = 2;

  if (argc < 3)
    {
      g_printerr ("usage: %s COUNT KERNEL [NAME=VALUE ...] [, KERNEL ...]\n",
                  argv[0]);
      return 2;
    }
  device = cured_device_open ("cuda:0", &error);
  if (device == NULL)
    {
      g_printerr ("%s\n", error->message);
      return 77;
    }
  compiler = cured_compiler_new (&error);
  while (error == NULL && start < argc)
    {
      int end = start;

      while (end < argc && !g_str_equal (argv[end], ","))
        end++;
      if (!launch (device,
                   compiler,
                   atoi (argv[1]),
                   argv + start,
                   end - start,
                   &error))
        break;
      start = end + 1;
    }
  if (error != NULL)
    {
      g_printerr ("%s: %s\n", argv[start], error->message);
      return 1;
    }
  return 0;
}
