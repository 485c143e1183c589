/* SPDX-License-Identifier: MIT
 * Times the sum in two launches with its partial sums in many places.
 *
 * usage: measure-places KERNEL FOLDER
 *        measure-places --compile-only KERNEL [ARCH]
 *
 * KERNEL is kernels/reduce/two-launch.cu. The partial sums are put to one place after the other of
 * a region of 64 MiB; all else stays where it is. FOLDER gets times.tsv (set, variant, offset of
 * the partial sums in bytes, median and least cold time in ns) and latency.tsv: for each
 * multiprocessor, and each cache line of the places of the set `parts`, the cycles of a load that
 * finds the line in the second-level cache. lab/measure-places says what they mean. */
#include <cured.h>
#include <stdlib.h>

#include "base/cured-limits-internal.h"
#include "base/cured-median-internal.h"
#include "device/cured-device-internal.h"
#include "kernel/program/cured-program-internal.h"

#define N            3000000
#define REGION_BYTES ((gsize) 64 << 20)
#define N_SPANS      25
#define N_PARTS      64
#define PARTS_STEP   4096
#define LINE_BYTES   128

typedef struct
{
  CuredDevice *device;
  CuredModule *sum;
  CuredModule *load;
  CuredProgram *program; /* of the sum */
  CuredProgram *loads;   /* of the loads, one thread */
  int in, partial, out;
  CuredDevicePtr bindings[3];
  CuredDevicePtr region;
  CuredDevicePtr cycles;
  gsize n_points;
} Bench;

/* Number of places, one step apart, and of timings of each. */
typedef struct
{
  const char *name;
  gsize step;
  gsize n;
  guint turns;
} Set;

static const Set sets[] = {
  { "blocks", 4096, 512, 2 },
  { "lines", LINE_BYTES, 128, 2 },
  { "pages", 2 << 20, 31, 2 },
  { "parts", PARTS_STEP, N_PARTS, 1 },
};

/* Other orders of the two launches, with other contents of the cache and earlier writes. */
static const struct
{
  const char *name;
  gsize n;
  int steps[3];
} variants[] = {
  { "both", 2, { 0, 1 } },
  { "first", 1, { 0 } },
  { "second", 1, { 1 } },
  { "twice second", 3, { 0, 1, 1 } },
  { "twice first", 3, { 0, 0, 1 } },
  { "read before", 3, { 1, 0, 1 } },
};

static const char load_source[] =
    "/*! cured\n"
    " * [Kernel]\n"
    " * Title=Loads from the second-level cache\n"
    " * [Parameter n]\n"
    " * Kind=problem\n"
    " * Default=2112\n"
    " * [Parameter lines]\n"
    " * Kind=problem\n"
    " * Default=33\n"
    " * [Parameter workers]\n"
    " * Kind=launch\n"
    " * Default=132\n"
    " * [Buffer region]\n"
    " * Type=u32\n"
    " * Length=1024\n"
    " * Fill=poison\n"
    " * [Buffer cycles]\n"
    " * Type=u32\n"
    " * Length=n\n"
    " * Fill=poison\n"
    " * [Launch]\n"
    " * Entry=places_load\n"
    " * Grid=workers\n"
    " * Block=32\n"
    " * Arguments=region,cycles,n,lines\n"
    " */\n"
    "extern \"C\" __global__ void\n"
    "places_load (const char *region, unsigned *cycles, int n, int lines)\n"
    "{\n"
    "  unsigned sm, start, end;\n"
    "\n"
    "  asm (\"mov.u32 %0, %%smid;\" : \"=r\"(sm));\n"
    "  if (gridDim.x == 1)\n"
    "    cycles[n] = sm;\n"
    "  if (gridDim.x == 1 || threadIdx.x != 0)\n"
    "    return;\n"
    "  for (int turn = 0; turn < n; turn++)\n"
    "    {\n"
    "      /* Not all at one line at once. */\n"
    "      const int i = (turn + blockIdx.x * 61) % n;\n"
    "      const char *at = region + (size_t) (i / lines) * 4096 +\n"
    "                       (i % lines) * 128;\n"
    "      unsigned least = 1u << 30;\n"
    "\n"
    "      for (int again = 0; again < 6; again++)\n"
    "        {\n"
    "          asm volatile (\"mov.u32 %0, %%clock;\" : \"=r\"(start));\n"
    "          for (int hop = 0; hop < 4; hop++)\n"
    "            asm volatile (\"{ .reg .u64 next; ld.global.cg.u64 next, [%0];\"\n"
    "                          \" add.u64 %0, %0, next; }\"\n"
    "                          : \"+l\"(at) : : \"memory\");\n"
    "          asm volatile (\"mov.u32 %0, %%clock;\" : \"=r\"(end));\n"
    "          least = min (least, end - start);\n"
    "        }\n"
    "      /* Where it was led to is used, or nothing would be loaded. */\n"
    "      cycles[n + 1 + sm * n + i] =\n"
    "        least + (unsigned) (at - region - (size_t) (i / lines) * 4096 -\n"
    "                            (i % lines) * 128);\n"
    "    }\n"
    "}\n";

static gboolean
load_kernel (Bench *self, CuredCompiler *compiler, CuredKernel *kernel, const CuredProgram *program,
             CuredModule **module, GError **error)
{
  g_autoptr (GBytes) image = cured_compiler_compile (compiler, kernel->source, "kernel.cu",
                                                     (const char *const *) program->defines,
                                                     self->device->info.arch, NULL, error);

  if (image == NULL)
    return FALSE;
  *module = self->device->klass->launch->load (self->device, image, error);
  return *module != NULL;
}

static CuredProgram *
new_program (CuredKernel *kernel, const CuredLimits *limits, const char *const *names,
             const gint64 *wanted, GError **error)
{
  g_autofree gint64 *values = g_new (gint64, kernel->n_parameters + 1);

  for (gsize i = 0; i < kernel->n_parameters; i++)
    {
      values[i] = kernel->parameters[i].default_value;
      for (gsize j = 0; names[j] != NULL; j++)
        if (g_str_equal (names[j], kernel->parameters[i].name))
          values[i] = wanted[j];
    }
  return cured_program_new (kernel, values, limits, error);
}

static gboolean
open_bench (Bench *self, CuredKernel *sum, CuredKernel *load, GError **error)
{
  static const char *const sum_names[] = { "n", "block", "blocks", NULL };
  static const gint64 sum_values[] = { N, 256, 1056 };
  static const char *const load_names[] = { "n", "lines", "workers", NULL };
  g_autoptr (CuredCompiler) compiler = NULL;
  const CuredLaunchClass *launch;
  gint64 lines;

  self->device = cured_device_open ("cuda:0", error);
  if (self->device == NULL)
    return FALSE;
  compiler = cured_compiler_new (error);
  if (compiler == NULL)
    return FALSE;
  launch = self->device->klass->launch;
  self->program = new_program (sum, &self->device->info.limits, sum_names, sum_values, error);
  if (self->program == NULL)
    return FALSE;
  self->in = cured_program_find_buffer (self->program, "in");
  self->partial = cured_program_find_buffer (self->program, "partial");
  self->out = cured_program_find_buffer (self->program, "out");
  lines = ((gint64) self->program->buffers[self->partial].size + LINE_BYTES - 1) / LINE_BYTES;
  self->n_points = (gsize) (N_PARTS * lines);
  self->loads = new_program (
      load, &self->device->info.limits, load_names,
      (gint64[]){ (gint64) self->n_points, lines, self->device->info.limits.sms }, error);
  return self->loads != NULL &&
         load_kernel (self, compiler, sum, self->program, &self->sum, error) &&
         load_kernel (self, compiler, load, self->loads, &self->load, error) &&
         launch->allocate (self->device, self->program->buffers[self->in].size,
                           &self->bindings[self->in], error) &&
         launch->allocate (self->device, 4096, &self->bindings[self->out], error) &&
         launch->allocate (self->device, REGION_BYTES, &self->region, error) &&
         launch->allocate (self->device,
                           ((gsize) self->device->info.limits.sms + 1) * (self->n_points + 1) *
                               sizeof (guint32),
                           &self->cycles, error) &&
         launch->set (self->device, self->region, 0, REGION_BYTES, error);
}

static gboolean
time_place (Bench *self, gsize variant, gsize offset, double *median, double *least, GError **error)
{
  CuredProgramStep steps[3];
  CuredProgram program = *self->program;
  double times[N_SPANS];

  for (gsize i = 0; i < variants[variant].n; i++)
    steps[i] = self->program->steps[variants[variant].steps[i]];
  program.steps = steps;
  program.n_steps = variants[variant].n;
  self->bindings[self->partial] = self->region + offset;
  /* The first one is not counted. */
  for (int i = -1; i < N_SPANS; i++)
    {
      CuredSpan span;

      if (!self->device->klass->span (self->device, self->sum, &program, self->bindings,
                                      CURED_TIMING_COLD, 1, &span, error))
        return FALSE;
      if (i >= 0)
        times[i] = span.elapsed_ns - self->device->info.calibration.cold_overhead_ns;
    }
  qsort (times, N_SPANS, sizeof *times, _cured_compare_doubles);
  *median = times[N_SPANS / 2];
  *least = times[0];
  return TRUE;
}

static gboolean
time_all (Bench *self, GString *table, GError **error)
{
  for (gsize i = 0; i < G_N_ELEMENTS (sets); i++)
    for (guint turn = 0; turn < sets[i].turns; turn++)
      for (gsize place = 0; place < sets[i].n; place++)
        for (gsize variant = 0;
             variant < (i + 1 < G_N_ELEMENTS (sets) ? 1 : G_N_ELEMENTS (variants)); variant++)
          {
            double median, least;

            if (!time_place (self, variant, place * sets[i].step, &median, &least, error))
              return FALSE;
            g_string_append_printf (table, "%s\t%s\t%zu\t%.0f\t%.0f\n", sets[i].name,
                                    variants[variant].name, place * sets[i].step, median, least);
          }
  return TRUE;
}

/* A row per multiprocessor; the first one tells where a grid of one block runs. */
static gboolean
load_all (Bench *self, GString *table, GError **error)
{
  const CuredLaunchClass *launch = self->device->klass->launch;
  gsize n_sms = (gsize) self->device->info.limits.sms;
  gsize size = ((n_sms + 1) * self->n_points + 1) * sizeof (guint32);
  g_autofree guint32 *cycles = g_malloc0 (size);
  CuredDevicePtr bindings[] = { self->region, self->cycles };
  CuredProgramStep one = self->loads->steps[0];
  CuredProgram alone = *self->loads;

  one.grid[0] = 1;
  alone.steps = &one;
  if (!launch->set (self->device, self->region, 0, REGION_BYTES, error) ||
      !launch->set (self->device, self->cycles, 0, size, error) ||
      !launch->run (self->device, self->load, self->loads, bindings, error) ||
      !launch->run (self->device, self->load, &alone, bindings, error) ||
      !launch->download (self->device, cycles, self->cycles, size, error))
    return FALSE;
  g_string_append_printf (table, "# one block runs on\t%u\n", cycles[self->n_points]);
  for (gsize sm = 0; sm < n_sms; sm++)
    {
      g_string_append_printf (table, "%zu", sm);
      for (gsize i = 0; i < self->n_points; i++)
        g_string_append_printf (table, "\t%u",
                                cycles[self->n_points + 1 + sm * self->n_points + i]);
      g_string_append_c (table, '\n');
    }
  return TRUE;
}

static gboolean
measure (CuredKernel *sum, CuredKernel *load, const char *folder, GError **error)
{
  g_autoptr (GString) times = g_string_new (NULL);
  g_autoptr (GString) latency = g_string_new (NULL);
  g_autofree char *times_path = g_build_filename (folder, "times.tsv", NULL);
  g_autofree char *latency_path = g_build_filename (folder, "latency.tsv", NULL);
  Bench self = { 0 };
  gboolean is_done = open_bench (&self, sum, load, error) && time_all (&self, times, error) &&
                     load_all (&self, latency, error);

  if (is_done)
    g_print ("%s, driver %s\n", self.device->info.name, self.device->info.driver);
  g_clear_pointer (&self.program, cured_program_free);
  g_clear_pointer (&self.loads, cured_program_free);
  g_clear_pointer (&self.device, cured_device_close);
  return is_done && g_file_set_contents (times_path, times->str, (gssize) times->len, error) &&
         g_file_set_contents (latency_path, latency->str, (gssize) latency->len, error);
}

static gboolean
compile (CuredKernel *load, const char *arch, GError **error)
{
  g_autoptr (CuredCompiler) compiler = cured_compiler_new (error);
  g_autoptr (GBytes) image = NULL;

  if (compiler != NULL)
    image = cured_compiler_compile (compiler, load->source, "kernel.cu", NULL, arch, NULL, error);
  return image != NULL;
}

int
main (int argc, char **argv)
{
  gboolean is_compile = argc > 2 && g_str_equal (argv[1], "--compile-only");
  g_autoptr (CuredKernel) sum = NULL;
  g_autoptr (CuredKernel) load = NULL;
  g_autoptr (GError) error = NULL;

  if (argc < 3)
    {
      g_printerr ("usage: %s KERNEL FOLDER\n"
                  "       %s --compile-only KERNEL [ARCH]\n",
                  argv[0], argv[0]);
      return 2;
    }
  load = cured_kernel_new_from_text (load_source, "load", NULL, &error);
  if (load != NULL)
    sum = cured_kernel_new_from_file (argv[is_compile ? 2 : 1], &error);
  if (sum != NULL && is_compile)
    compile (load, argc > 3 ? argv[3] : "sm_90", &error);
  else if (sum != NULL)
    measure (sum, load, argv[2], &error);
  if (error != NULL)
    {
      g_printerr ("%s\n", error->message);
      return g_error_matches (error, CURED_ERROR, CURED_ERROR_NO_DEVICE) ||
                     g_error_matches (error, CURED_ERROR, CURED_ERROR_NO_COMPILER)
                 ? 77
                 : 1;
    }
  return 0;
}
