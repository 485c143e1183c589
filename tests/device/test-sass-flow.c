/* SPDX-License-Identifier: MIT
 * How often machine code ran: kernels whose trips are counted by hand, emulated and compiled for
 * sm_90. */
#include <cured.h>
#include <math.h>

#include "base/cured-own.h"
#include "device/cured-emulated-internal.h"
#include "sass/cured-sass-flow-internal.h"
#include "made-up-limits.h"
#include "test.h"

#define PTX_ARCH     "compute_90"
#define MACHINE_ARCH "sm_90"

static const CuredLimits limits = {
  LAUNCH_LIMITS,   .compute_major = 9,        .sms = 132,
  .warp_size = 32, .shared_per_block = 49152, .global_bytes = G_GINT64_CONSTANT (1) << 32,
};

/* What became of a launch. */
typedef struct
{
  const CuredEmulated *emulated;
  GBytes *cubin;
  CuredSassCode *code;
  CuredSassFlow *flow;
  GArray *sites;
  guint64 n_warps;
} Ran;

CURED_CLEAR_FUNC (Ran, ran_clear, code, cured_sass_code_free, flow, cured_sass_flow_free, sites,
                  g_array_unref, cubin, g_bytes_unref)

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Ran, ran_clear)

static guint64
count_warps (const CuredProgramStep *step)
{
  guint64 threads = (guint64) step->block[0] * step->block[1] * step->block[2];

  return (guint64) step->grid[0] * step->grid[1] * step->grid[2] * ((threads + 31) / 32);
}

static gboolean
look_cb (const CuredProgramStep *step, const CuredReport *report, gpointer user_data,
         GError **error)
{
  Ran *self = user_data;

  self->code = cured_sass_code_new (self->cubin, step->entry, error);
  if (self->code == NULL)
    return FALSE;
  self->n_warps = count_warps (step);
  self->sites = cured_sass_list_sites (self->emulated->module, report->counts, report->n_counts);
  self->flow =
      cured_sass_flow_new (self->code, (const CuredSassSite *) (gpointer) self->sites->data,
                           self->sites->len, self->n_warps);
  return TRUE;
}

/* FALSE: there is no NVRTC, and the test is skipped. */
static gboolean
run_kernel (CuredKernel *kernel, gint64 n, Ran *ran)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (CuredCompiler) compiler = cured_compiler_new (&error);
  g_autofree gint64 *values = g_new0 (gint64, kernel->n_parameters + 1);
  CuredEmulated emulated = { .limits = &limits, .is_lazy = TRUE };

  if (compiler == NULL)
    {
      g_test_skip (error->message);
      return FALSE;
    }
  for (gsize i = 0; i < kernel->n_parameters; i++)
    values[i] =
        g_str_equal (kernel->parameters[i].name, "n") ? n : kernel->parameters[i].default_value;
  g_autoptr (CuredProgram) program = MUST (cured_program_new (kernel, values, &limits, &fail));
  g_autoptr (GBytes) ptx =
      MUST (cured_compiler_compile (compiler, kernel->source, "kernel.cu",
                                    (const char *const *) program->defines, PTX_ARCH, NULL, &fail));
  ran->cubin = MUST (cured_compiler_compile (compiler, kernel->source, "kernel.cu",
                                             (const char *const *) program->defines, MACHINE_ARCH,
                                             NULL, &fail));

  CuredMemory *memory = cured_memory_new ((guint64) limits.global_bytes);
  g_autofree CuredDevicePtr *bindings = g_new0 (CuredDevicePtr, program->n_buffers + 1);
  emulated.program = program;
  emulated.memory = memory;
  emulated.bindings = bindings;
  emulated.emulation.watch = CURED_WATCH_COUNTS;
  emulated.module = MUST (_cured_emulated_load (ptx, "PTX", memory, &fail));
  MUST (_cured_emulated_allocate (program, emulated.module, memory, 1, CURED_WATCH_COUNTS, TRUE,
                                  bindings, &fail));
  ran->emulated = &emulated;
  MUST (_cured_emulated_run (&emulated, program->n_steps, look_cb, ran, &fail));
  ran->emulated = NULL;
  cured_ptx_module_free (emulated.module);
  cured_memory_free (memory);
  return TRUE;
}

/* n trips or elements; blocks of 64 threads, 8 of them. */
static gboolean
run_body (const char *body, gint64 n, Ran *ran)
{
  g_autofree char *text = g_strdup_printf ("/*! cured\n * [Kernel]\n * Title=Test\n * Family=test\n"
                                           " * [Parameter n]\n * Kind=problem\n * Default=256\n"
                                           " * [Buffer a]\n * Type=f32\n * Length=512*n\n"
                                           " * Fill=ramp\n"
                                           " * [Buffer b]\n * Type=f32\n * Length=512*n\n"
                                           " * Fill=poison\n"
                                           " * [Launch]\n * Entry=run\n * Grid=8\n * Block=64\n"
                                           " * Arguments=a,b,n\n */\n"
                                           "extern \"C\" __global__ void\n"
                                           "run (const float *a, float *b, int n)\n{\n"
                                           "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                           "  %s\n}\n",
                                           body);
  g_autoptr (CuredKernel) kernel = MUST (cured_kernel_new_from_text (text, "test", NULL, &fail));

  return run_kernel (kernel, n, ran);
}

static double
count (const Ran *ran, CuredSassClass op_class)
{
  return ran->flow->by_class[op_class];
}

/* By pipe and by class it is the same sum, and it is between its bounds. */
static void
check_sums (const Ran *ran)
{
  double by_pipe = 0, by_class = 0;
  guint n_insts = 0;

  for (guint i = 0; i < CURED_SASS_N_PIPES; i++)
    by_pipe += ran->flow->by_pipe[i];
  for (guint i = 0; i < CURED_SASS_N_CLASSES; i++)
    by_class += ran->flow->by_class[i];
  g_assert_cmpfloat (by_pipe, ==, ran->flow->total);
  g_assert_cmpfloat (by_class, ==, ran->flow->total);
  g_assert_cmpfloat (ran->flow->low, <=, ran->flow->total);
  g_assert_cmpfloat (ran->flow->total, <=, ran->flow->high);
  g_assert_cmpuint (ran->flow->n_contradictions, ==, 0);
  for (guint i = 0; i < ran->flow->blocks->len; i++)
    {
      const CuredSassBlock *block = &g_array_index (ran->flow->blocks, CuredSassBlock, i);

      g_assert_cmpuint (block->first, ==, n_insts);
      n_insts += block->n_insts;
    }
  g_assert_cmpuint (n_insts, ==, ran->code->insts->len);
}

/* 16 warps, of which 11 have work: all before the branch run once, all behind it 11 times. */
TEST ("/sass-flow/straight")
{
  g_auto (Ran) ran = { 0 };
  guint n_before = 0, n_after = 0;
  gboolean is_after = FALSE;

  if (!run_body ("if (i < n) b[i] = a[i] + 1;", 11 * 32, &ran))
    return;
  check_sums (&ran);
  for (guint i = 0; i < ran.code->insts->len; i++)
    {
      const CuredSassInst *inst = &g_array_index (ran.code->insts, CuredSassInst, i);

      if (is_after)
        n_after++;
      else
        n_before++;
      if (inst->op_class == CURED_SASS_CLASS_EXIT)
        {
          if (is_after)
            break;
          is_after = TRUE;
        }
    }
  g_assert_cmpfloat (ran.flow->uncertain, ==, 0);
  g_assert_cmpfloat (ran.flow->total, ==, 16 * n_before + 11 * n_after);
  g_assert_cmpfloat (count (&ran, CURED_SASS_CLASS_LOAD_GLOBAL), ==, 11);
  g_assert_cmpfloat (count (&ran, CURED_SASS_CLASS_STORE_GLOBAL), ==, 11);
  g_assert_cmpfloat (count (&ran, CURED_SASS_CLASS_ADD), ==, 11);
  g_assert_cmpfloat (ran.flow->requests[CURED_SASS_CLASS_LOAD_GLOBAL][2], ==, 11);
  g_assert_cmpfloat (count (&ran, CURED_SASS_CLASS_UNKNOWN), ==, 0);
}

/* 50 trips of 16 warps, however often the assembler unrolls them. */
static void
test_loop (gconstpointer data)
{
  const char *body = data;
  g_auto (Ran) ran = { 0 };

  if (!run_body (body, 50, &ran))
    return;
  check_sums (&ran);
  g_assert_cmpfloat (count (&ran, CURED_SASS_CLASS_MULTIPLY_ADD), ==, 50 * 16);
  g_assert_cmpfloat (count (&ran, CURED_SASS_CLASS_STORE_GLOBAL), ==, 16);
}

/* A loop with a load is certain, but for the trips that a part of it makes. */
TEST ("/sass-flow/loads")
{
  g_auto (Ran) ran = { 0 };

  if (!run_body ("float s = 0;\n"
                 "#pragma unroll 1\n"
                 "for (int k = 0; k < n; k++) s += a[512 * k + i];\n"
                 "b[i] = s;",
                 50, &ran))
    return;
  check_sums (&ran);
  g_assert_cmpfloat (count (&ran, CURED_SASS_CLASS_LOAD_GLOBAL), ==, 50 * 16);
  g_assert_cmpfloat (count (&ran, CURED_SASS_CLASS_ADD), ==, 50 * 16);
}

/* Whole warps go either way, or lanes of each do: then both ways run. */
static void
test_branches (gconstpointer data)
{
  const char *condition = data;
  gboolean is_split = g_str_has_prefix (condition, "(i & 1)");
  g_auto (Ran) ran = { 0 };
  g_autofree char *body =
      g_strdup_printf ("if %s { b[i] = a[i]; __syncwarp (); b[i + 512] = 1; __threadfence (); }\n"
                       "else { b[i] = sqrtf (a[i + 512]); __threadfence (); }",
                       condition);

  if (!run_body (body, 2, &ran))
    return;
  g_assert_cmpuint (ran.flow->n_contradictions, ==, 0);
  g_assert_cmpfloat (count (&ran, CURED_SASS_CLASS_STORE_GLOBAL), ==,
                     is_split ? 3 * 16 : 2 * 4 + 12);
}

/* The assembler joins loads of shared memory: as many bits are loaded. */
TEST ("/sass-flow/joined")
{
  g_autoptr (CuredKernel) kernel = MUST (cured_catalogue_get ("matmul/tiled", &fail));
  g_auto (Ran) ran = { 0 };
  double bits = 0, ptx_bits = 0;

  if (!run_kernel (kernel, 64, &ran))
    return;
  check_sums (&ran);
  for (guint i = 0; i < CURED_SASS_N_WIDTHS; i++)
    bits += ran.flow->requests[CURED_SASS_CLASS_LOAD_SHARED][i] * (8u << i);
  for (guint i = 0; i < ran.sites->len; i++)
    {
      const CuredSassSite *site = &g_array_index (ran.sites, CuredSassSite, i);

      if (site->op_class == CURED_SASS_CLASS_LOAD_SHARED)
        ptx_bits += (double) site->issued * site->width;
    }
  g_assert_cmpfloat (bits, >, 0);
  g_assert_cmpfloat (bits, ==, ptx_bits);
  /* Some are joined: fewer requests than the PTX has. */
  g_assert_cmpfloat (ran.flow->requests[CURED_SASS_CLASS_LOAD_SHARED][4], >, 0);
  g_assert_cmpfloat (count (&ran, CURED_SASS_CLASS_BARRIER), ==, 2 * 128 * 4);
}

/* Counts that can't be are left out, and what they were of is not exact. */
TEST ("/sass-flow/contradiction")
{
  g_auto (Ran) ran = { 0 };

  if (!run_body ("b[i] = a[i] + 1;", 1, &ran))
    return;
  g_assert_cmpfloat (ran.flow->uncertain, ==, 0);
  for (guint i = 0; i < ran.sites->len; i++)
    {
      CuredSassSite *site = &g_array_index (ran.sites, CuredSassSite, i);

      if (site->op_class == CURED_SASS_CLASS_STORE_GLOBAL)
        site->issued *= 2;
    }
  g_autoptr (CuredSassFlow) flow = cured_sass_flow_new (
      ran.code, (const CuredSassSite *) (gpointer) ran.sites->data, ran.sites->len, ran.n_warps);
  g_assert_cmpuint (flow->n_contradictions, >, 0);
  g_assert_cmpfloat (flow->uncertain, >, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/sass-flow/loop/rolled",
                        "float s = 0;\n"
                        "#pragma unroll 1\n"
                        "for (int k = 0; k < n; k++) s = s * n + 1;\n"
                        "b[i] = s;",
                        test_loop);
  g_test_add_data_func ("/sass-flow/loop/unrolled",
                        "float s = 0;\n"
                        "#pragma unroll 4\n"
                        "for (int k = 0; k < n; k++) s = s * n + 1;\n"
                        "b[i] = s;",
                        test_loop);
  g_test_add_data_func ("/sass-flow/loop/whole",
                        "float s = 0;\n"
                        "#pragma unroll\n"
                        "for (int k = 0; k < 50; k++) s = s * n + 1;\n"
                        "b[i] = s;",
                        test_loop);
  g_test_add_data_func ("/sass-flow/branches/warps", "(i < 64 * n)", test_branches);
  g_test_add_data_func ("/sass-flow/branches/lanes", "(i & 1)", test_branches);
  return run_tests ();
}
