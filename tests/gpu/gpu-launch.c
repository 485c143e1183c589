/* SPDX-License-Identifier: MIT
 * Launches cells without timing them, for a profiler to look at.
 *
 * usage: gpu-launch [--flush] [--bare] COUNT KERNEL [NAME=VALUE ...]
 *                   [, KERNEL ...]
 *
 * --flush empties the L2 cache before each program. --bare leaves buffers that a kernel has to
 * write as they were allocated, for a tool that looks for uninitialized reads.
 *
 * Cured's own way of timing holds the stream with a kernel until the timed one is enqueued; a
 * profiler that runs launches one by one would wait for that for ever. */
#include <cured.h>
#include <stdlib.h>

#include "device/cured-device-internal.h"
#include "kernel/fill/cured-fill-internal.h"

/* A program with all that it needs on the device. */
typedef struct
{
  CuredDevice *device;
  CuredProgram *program;
  CuredModule *module;
  CuredDevicePtr *bindings;
} Ready;

static void
ready_clear (Ready *self)
{
  for (gsize i = 0; self->bindings != NULL && i < self->program->n_buffers; i++)
    if (self->bindings[i] != 0)
      self->device->klass->launch->release (self->device, self->bindings[i]);
  if (self->module != NULL)
    self->device->klass->launch->unload (self->device, self->module);
  g_free (self->bindings);
  if (self->program != NULL)
    cured_program_free (self->program);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Ready, ready_clear)

/* Compiles, loads and fills @kernel at the first cell of @spec. */
static gboolean
ready_init (Ready *self, CuredDevice *device, CuredCompiler *compiler, CuredSpec *spec,
            gboolean is_bare, GError **error)
{
  CuredKernel *kernel = cured_spec_get_kernel (spec);
  gsize n_parameters;

  self->device = device;
  g_autoptr (CuredPlan) plan = cured_plan_new (spec, &device->info.limits, error);
  if (plan == NULL)
    return FALSE;
  n_parameters = kernel->n_parameters;
  g_autofree gint64 *values = g_new0 (gint64, n_parameters + 1);
  cured_plan_get_values (plan, 0, values);
  self->program = cured_program_new (kernel, values, &device->info.limits, error);
  if (self->program == NULL)
    return FALSE;
  g_autoptr (GBytes) image = cured_compiler_compile (compiler, kernel->source, kernel->id,
                                                     (const char *const *) self->program->defines,
                                                     device->info.arch, NULL, error);
  if (image == NULL || (self->module = device->klass->launch->load (device, image, error)) == NULL)
    return FALSE;
  self->bindings = g_new0 (CuredDevicePtr, self->program->n_buffers + 1);
  for (gsize i = 0; i < self->program->n_buffers; i++)
    {
      const CuredProgramBuffer *buffer = &self->program->buffers[i];

      if (!device->klass->launch->allocate (device, MAX (buffer->size, 1), &self->bindings[i],
                                            error))
        return FALSE;
      if (is_bare && buffer->buffer->fill == CURED_FILL_POISON)
        continue;
      g_autofree void *host = g_malloc (MAX (buffer->size, 1));
      cured_fill_buffer (buffer, i, 1, host);
      if (!device->klass->launch->upload (device, self->bindings[i], host, buffer->size, error))
        return FALSE;
    }
  for (gsize i = 0; i < self->program->n_steps; i++)
    {
      CuredFunctionInfo info;

      /* Also opts in to the shared memory that the step wants. */
      if (self->program->steps[i].entry != NULL &&
          !device->klass->launch->query (device, self->module, &self->program->steps[i], &info,
                                         error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
ready_run (Ready *self, GError **error)
{
  return self->device->klass->launch->run (self->device, self->module, self->program,
                                           self->bindings, error);
}

/* Reads many times the L2 cache, as the timing does before every cold run. A profiler that empties
 * the cache before each kernel would do so between the launches of one program too. */
static const char flush_source[] = "/*! cured\n * [Kernel]\n * Title=Flush\n"
                                   " * [Buffer data]\n * Type=i32\n * Length=6*l2_bytes/4\n"
                                   " * Fill=constant\n * Low=0\n"
                                   " * [Buffer sink]\n * Type=i32\n * Length=1\n * Fill=poison\n"
                                   " * [Launch]\n * Entry=flush\n * Grid=4*sms\n * Block=512\n"
                                   " * Arguments=data,sink,6*l2_bytes/16:i64\n */\n"
                                   "extern \"C\" __global__ void\n"
                                   "flush (const int4 *data, int *sink, long long n)\n{\n"
                                   "  int sum = 0;\n"
                                   "  for (long long i = blockIdx.x * 512ll + threadIdx.x; i < n;\n"
                                   "       i += 512ll * gridDim.x)\n"
                                   "    sum += data[i].x + data[i].y + data[i].z + data[i].w;\n"
                                   "  if (sum == 12345)\n"
                                   "    *sink = sum;\n}\n";

static gboolean
launch (CuredDevice *device, CuredCompiler *compiler, Ready *flush, gboolean is_bare, int count,
        char **words, int n_words, GError **error)
{
  g_autoptr (CuredKernel) kernel = cured_catalogue_load (words[0], error);
  g_auto (Ready) ready = { 0 };

  if (kernel == NULL)
    return FALSE;
  g_autoptr (CuredSpec) spec = cured_spec_new (kernel);
  for (int i = 1; i < n_words; i++)
    if (!cured_spec_parse_axis (spec, words[i], error))
      return FALSE;
  if (!ready_init (&ready, device, compiler, spec, is_bare, error))
    return FALSE;
  for (int i = 0; i < count; i++)
    if ((flush->program != NULL && !ready_run (flush, error)) || !ready_run (&ready, error))
      return FALSE;
  return TRUE;
}

static gboolean
prepare_flush (Ready *flush, CuredDevice *device, CuredCompiler *compiler, GError **error)
{
  g_autoptr (CuredKernel) kernel = cured_kernel_new_from_text (flush_source, "flush", NULL, error);

  if (kernel == NULL)
    return FALSE;
  g_autoptr (CuredSpec) spec = cured_spec_new (kernel);
  return ready_init (flush, device, compiler, spec, FALSE, error);
}

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  g_auto (Ready) flush = { 0 };
  gboolean is_flushed = FALSE, is_bare = FALSE;
  int count_at = 1;

  for (; count_at < argc && g_str_has_prefix (argv[count_at], "--"); count_at++)
    {
      is_flushed = is_flushed || g_str_equal (argv[count_at], "--flush");
      is_bare = is_bare || g_str_equal (argv[count_at], "--bare");
    }
  int start = count_at + 1;
  if (argc <= start)
    {
      g_printerr ("usage: %s [--flush] [--bare] COUNT KERNEL [NAME=VALUE ...] [, KERNEL ...]\n",
                  argv[0]);
      return 2;
    }
  g_autoptr (CuredDevice) device = cured_device_open ("cuda:0", &error);
  if (device == NULL)
    {
      g_printerr ("%s\n", error->message);
      return 77;
    }
  g_autoptr (CuredCompiler) compiler = cured_compiler_new (&error);
  if (compiler != NULL && is_flushed)
    prepare_flush (&flush, device, compiler, &error);
  while (error == NULL && start < argc)
    {
      int end = start;

      while (end < argc && !g_str_equal (argv[end], ","))
        end++;
      if (!launch (device, compiler, &flush, is_bare, atoi (argv[count_at]), argv + start,
                   end - start, &error))
        break;
      start = end + 1;
    }
  if (error != NULL)
    {
      g_printerr ("%s: %s\n", argv[MIN (start, argc - 1)], error->message);
      return 1;
    }
  return 0;
}
