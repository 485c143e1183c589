/* SPDX-License-Identifier: MIT
 * The limit of a cell: by hand, and of kernels whose times were recorded. */
#include "cured.h"
#include "ptx/cured-work-internal.h"
#include "test-compiled.h"
#include "test.h"

#include <math.h>

static CuredMachine *machine;

/* That the cache model may take for what is counted. */
static gint64 traffic_ms;

/* Of its threads; 0: they limit nothing. */
static int registers;

/* ---- By hand ---- */

/* One launch of @blocks blocks of 256 threads that does @work. */
static CuredExplanation *
explain (double blocks, const CuredWork *work, double time_ns)
{
  g_autoptr (CuredWorkload) workload = cured_workload_new ();
  CuredWorkLaunch *launch = cured_workload_add (workload, "k");

  for (int i = 0; i < 3; i++)
    launch->grid[i] = launch->block[i] = 1;
  launch->grid[0] = (guint) blocks;
  launch->block[0] = 256;
  launch->n_blocks = launch->n_run = (guint64) blocks;
  launch->blocks_per_sm = 8;
  launch->total = *work;
  return cured_explanation_new (workload, machine, time_ns, NAN);
}

/* Each pipe alone: what it does in a microsecond takes one. */
TEST ("/explain/pipes")
{
  double cycles = machine->sm_clock_hz * machine->sms * 1e-6;
  const struct
  {
    CuredWork work;
    CuredResource resource;
  } rows[] = {
    { { .fp32 = 4 * cycles }, CURED_RESOURCE_FP32 },
    { { .imad = 2 * cycles }, CURED_RESOURCE_FP32 },
    { { .fp32 = 3 * cycles, .imad = cycles }, CURED_RESOURCE_FP32 },
    { { .lines = cycles / 2, .wavefronts = cycles / 2 }, CURED_RESOURCE_L1 },
    { { .alu = 2 * cycles }, CURED_RESOURCE_INTEGER },
    { { .fp64 = 2 * cycles }, CURED_RESOURCE_FP64 },
    { { .mufu = 0.5 * cycles }, CURED_RESOURCE_SPECIAL },
    { { .tensor = cycles }, CURED_RESOURCE_TENSOR },
    { { .lsu = cycles }, CURED_RESOURCE_LOAD_STORE },
    { { .control = 4 * cycles }, CURED_RESOURCE_ISSUE },
    { { .wavefronts = cycles, .least = cycles }, CURED_RESOURCE_SHARED },
    { { .lines = cycles }, CURED_RESOURCE_L1 },
    { { .constant_words = 0.5 * cycles }, CURED_RESOURCE_CONSTANT },
    { { .load_cg = machine->l2_both * 1e-6 / 32 }, CURED_RESOURCE_L2 },
    { { .stored = machine->l2_write * 1e-6 / 32 }, CURED_RESOURCE_L2 },
    { { .atomics = 1e-6 / (machine->atomic_ns * 1e-9) }, CURED_RESOURCE_ATOMIC },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (CuredExplanation) half = explain (1, &rows[i].work, 1000);
      const CuredResourceUse *use = &half->uses[rows[i].resource];
      double wanted = rows[i].work.load_cg > 0 ? machine->l2_both / machine->l2_read * 1000 : 1000;

      g_assert_cmpfloat_with_epsilon (use->time_ns, MAX (wanted, 1000), 0.01);
    }
}

/* The same work in more and more time: contradicted, bound, unexplained. */
TEST ("/explain/verdicts")
{
  double cycles = machine->sm_clock_hz * machine->sms * 1e-6;
  CuredWork work = { .wavefronts = 100 * cycles, .least = 100 * cycles };
  g_autoptr (CuredExplanation) impossible = explain (1056, &work, 80000);
  g_autoptr (CuredExplanation) bound = explain (1056, &work, 105000);
  g_autoptr (CuredExplanation) unknown = explain (1056, &work, 300000);

  g_assert_cmpint (impossible->bottleneck, ==, CURED_BOTTLENECK_CONTRADICTED);
  g_assert_null (impossible->change);
  g_assert_cmpint (cured_explanation_get_limiter (impossible), ==, CURED_FACTOR_CONTRADICTED);
  g_assert_cmpint (bound->bottleneck, ==, CURED_BOTTLENECK_RESOURCE);
  g_assert_cmpint (bound->limit, ==, CURED_RESOURCE_SHARED);
  g_assert_cmpfloat (bound->excess, ==, 0);
  g_assert_cmpint (unknown->bottleneck, ==, CURED_BOTTLENECK_UNEXPLAINED);
}

/* Of another block's memory, what could be saved is named: seven of eight sectors. */
TEST ("/explain/remote")
{
  double cycles = machine->sm_clock_hz * machine->sms * 1e-6;
  CuredWork work = { .remote = 100 * cycles * machine->remote, .alu = cycles };

  work.remote_least = work.remote / 8;
  g_autoptr (CuredExplanation) self = explain (1056, &work, 130000);
  g_assert_cmpint (self->limit, ==, CURED_RESOURCE_REMOTE);
  g_assert_cmpfloat_with_epsilon (self->excess, 0.875, 1e-9);
  g_assert_nonnull (strstr (self->sentence, "% of its sectors would not be needed"));
}

/* An upper bound is no verdict, and refutes that nothing is busy: a buffer is loaded again and
 * again, of which L2 may have held a part. */
TEST ("/explain/upper-bound")
{
  double sectors = machine->l2_read * 1e-4 / 32;
  g_autoptr (CuredWorkload) work = cured_workload_new ();
  CuredWorkLaunch *launch = cured_workload_add (work, "k");
  CuredWorkBuffer *buffer = cured_work_launch_add_buffer (launch);

  buffer->name = g_strdup ("in");
  buffer->bytes = (guint64) sectors * 8;
  buffer->read = sectors;
  for (int i = 0; i < 3; i++)
    launch->grid[i] = launch->block[i] = 1;
  launch->repeats = 1;
  launch->total = (CuredWork){ .load_ca = sectors, .alu = 1 };
  g_autoptr (CuredExplanation) self = cured_explanation_new (work, machine, 250000, NAN);
  g_autoptr (CuredExplanation) idle = cured_explanation_new (work, machine, 500000, NAN);
  g_assert_true (self->uses[CURED_RESOURCE_MEMORY].is_most);
  g_assert_cmpint (self->bottleneck, ==, CURED_BOTTLENECK_UNEXPLAINED);
  g_assert_nonnull (strstr (self->sentence, "memory may be the limit"));
  g_assert_null (strstr (idle->sentence, "may be the limit"));
}

/* Half of the wavefronts are conflicts: without them, half of the time. The twin has as many, and
 * none of them is. */
TEST ("/explain/excess")
{
  double cycles = machine->sm_clock_hz * machine->sms * 1e-6;
  CuredWork work = { .wavefronts = 100 * cycles, .least = 50 * cycles, .alu = 40 * cycles };
  g_autoptr (CuredExplanation) self = explain (1056, &work, 100000);

  g_assert_cmpint (self->limit, ==, CURED_RESOURCE_SHARED);
  g_assert_cmpfloat_with_epsilon (self->excess, 0.5, 1e-9);
  g_assert_cmpfloat_with_epsilon (self->after, 0.5, 1e-9);
  work.least = work.wavefronts;
  g_autoptr (CuredExplanation) twin = explain (1056, &work, 100000);
  g_assert_cmpfloat (twin->excess, ==, 0);
  g_assert_cmpfloat_with_epsilon (twin->after, 1, 1e-9);
}

/* Shared memory is a stage of L1. It is named where it takes most of L1's cycles; where lines take a
 * good part of them, L1 is. */
TEST ("/explain/shared-in-l1")
{
  double cycles = machine->sm_clock_hz * machine->sms * 1e-6;
  CuredWork work = { .wavefronts = 80 * cycles, .least = 80 * cycles, .lines = 10 * cycles };
  g_autoptr (CuredExplanation) shared = explain (1056, &work, 100000);

  g_assert_cmpint (shared->limit, ==, CURED_RESOURCE_SHARED);
  g_assert_cmpint (shared->next, !=, CURED_RESOURCE_L1);
  g_assert_cmpfloat (shared->uses[CURED_RESOURCE_L1].share, >,
                     shared->uses[CURED_RESOURCE_SHARED].share);
  /* A busier bar is not left without a word. */
  g_assert_nonnull (strstr (shared->sentence, "L1 cache is busy"));
  work.wavefronts = work.least = 60 * cycles;
  work.lines = 35 * cycles;
  g_autoptr (CuredExplanation) lines = explain (1056, &work, 100000);
  g_assert_cmpint (lines->limit, ==, CURED_RESOURCE_L1);
}

/* A few blocks: shares are of the whole chip, and the sentence says which multiprocessors have
 * work. */
TEST ("/explain/parallelism")
{
  CuredWork work = { .issued = 1e6, .lsu = 1e6, .requests = 1e6 };
  g_autoptr (CuredExplanation) few = explain (8, &work, 1e6);
  g_autoptr (CuredExplanation) many = explain (1584, &work, 1e6);

  work.load_cg = 4e6;
  g_assert_cmpfloat (few->parallelism.sms_busy, ==, 8);
  g_assert_cmpfloat (few->parallelism.threads, ==, 8 * 256);
  g_assert_nonnull (strstr (few->sentence, "8 of 132"));
  g_assert_null (strstr (many->sentence, "of 132"));
  g_assert_cmpfloat (many->parallelism.sms_busy, ==, 132);
  g_assert_cmpfloat_with_epsilon (many->parallelism.waves, 1.5, 1e-9);
  g_assert_cmpfloat_with_epsilon (many->parallelism.tail, 0.25, 1e-9);
}

/* L2 and memory are what caches let through, where that is known, and a bound of it where it is
 * not. The twin's L1 has all of it. */
TEST ("/explain/traffic")
{
  g_autoptr (CuredWorkload) work = cured_workload_new ();
  CuredWorkLaunch *launch = cured_workload_add (work, "k");
  CuredResourceUse uses[CURED_N_RESOURCES];
  CuredTraffic sum;

  launch->n_blocks = launch->n_run = 132;
  launch->total.load_ca = 1e6;
  launch->total.stored = 1e5;
  g_assert_false (cured_workload_get_traffic (work, &sum));
  cured_workload_get_uses (work, machine, NAN, uses);
  g_assert_cmpfloat (uses[CURED_RESOURCE_L2].work, ==, 32 * 1.1e6);

  launch->traffic = (CuredTraffic){ 9e5, 3.2e6, 3.2e6, 1.6e6, 0.8e6 };
  g_assert_true (cured_workload_get_traffic (work, &sum));
  cured_workload_get_uses (work, machine, NAN, uses);
  g_assert_false (uses[CURED_RESOURCE_L2].is_most);
  g_assert_cmpfloat (uses[CURED_RESOURCE_L2].work, ==, 6.4e6);
  g_assert_cmpfloat_with_epsilon (uses[CURED_RESOURCE_L2].time_ns, 6.4e6 / machine->l2_both * 1e9,
                                  1e-6);
  g_assert_cmpfloat (uses[CURED_RESOURCE_MEMORY].work, ==, 2.4e6);
  g_assert_cmpfloat_with_epsilon (
      uses[CURED_RESOURCE_MEMORY].time_ns,
      (1.6e6 / machine->memory_read + 0.8e6 / machine->memory_write) * 1e9, 1e-6);

  launch->traffic = (CuredTraffic){ 1e6, 0, 0, 0, 0 };
  cured_workload_get_uses (work, machine, NAN, uses);
  g_assert_cmpfloat (uses[CURED_RESOURCE_L2].time_ns, ==, 0);
  g_assert_cmpfloat (uses[CURED_RESOURCE_MEMORY].time_ns, ==, 0);
}

/* ---- Counting ---- */

/* No figure depends on how busy the processors are. */
static void
init_query (CuredWorkQuery *query)
{
  cured_work_query_init (query);
  query->time_limit_ms = 600000;
}

/* (transfer full): the defaults, but for what @point says */
static gint64 *
get_values (const CuredKernel *kernel, const char *point)
{
  gint64 *values = g_new (gint64, kernel->n_parameters + 1);

  for (gsize i = 0; i < kernel->n_parameters; i++)
    {
      g_autofree char *key = g_strdup_printf ("%s=", kernel->parameters[i].name);
      const char *found = point != NULL ? strstr (point, key) : NULL;

      values[i] = found != NULL ? g_ascii_strtoll (found + strlen (key), NULL, 10)
                                : kernel->parameters[i].default_value;
    }
  return values;
}

static CuredWorkload *
count (const char *id, const char *point, guint blocks)
{
  g_autoptr (CuredCompiler) compiler = MUST (cured_compiler_new (&fail));
  g_autoptr (CuredKernel) kernel = MUST (cured_catalogue_load (id, &fail));
  CuredLimits limits = cured_profile_find ("sm_90")->limits;
  CuredWorkQuery query;

  g_autofree gint64 *values = get_values (kernel, point);
  limits.global_bytes = (gint64) 1 << 37;
  limits.sms = 132;
  limits.l2_bytes = 60 << 20;
  init_query (&query);
  query.blocks = blocks;
  query.registers = registers;
  query.traffic_ms = traffic_ms;
  return MUST (cured_workload_count (compiler, kernel, values, &limits, &query, NULL, &fail));
}

static const CuredWorkLaunch *
get_launch (const CuredWorkload *work, guint i)
{
  g_assert_cmpuint (i, <, work->launches->len);
  return g_ptr_array_index (work->launches, i);
}

/* A part of a block is not reported as if it were the whole; with time, it is counted. On a busy
 * machine the time is over before the launch. */
TEST ("/explain/cut")
{
  NEED_COMPILER ();
  g_autoptr (GError) error = NULL;
  g_autoptr (CuredCompiler) compiler = MUST (cured_compiler_new (&fail));
  g_autoptr (CuredKernel) kernel = MUST (cured_catalogue_load ("matmul/naive", &fail));
  CuredLimits limits = cured_profile_find ("sm_90")->limits;
  CuredWorkQuery query;

  g_autofree gint64 *values = g_new (gint64, kernel->n_parameters + 1);
  for (gsize i = 0; i < kernel->n_parameters; i++)
    values[i] = kernel->parameters[i].default_value;
  limits.global_bytes = (gint64) 1 << 37;
  limits.sms = 132;
  init_query (&query);
  query.blocks = 2;
  query.traffic_ms = 0;
  query.time_limit_ms = 1;
  g_autoptr (CuredWorkload) work =
      cured_workload_count (compiler, kernel, values, &limits, &query, NULL, &error);
  g_assert_error (error, CURED_ERROR, CURED_ERROR_TIMED_OUT);
  g_assert_null (work);
  g_assert_nonnull (strstr (error->message, "matmul_naive"));
  g_assert_null (strchr (error->message, '\n'));
  g_autoptr (CuredWorkload) whole = count ("matmul/naive", NULL, 2);
  g_assert_null (get_launch (whole, 0)->end);
}

/* Loads of two neighbouring blocks are one request; those of distant blocks are not. */
TEST ("/explain/pairs")
{
  NEED_COMPILER ();
  static const char text[] =
      "/*! cured\n[Kernel]\nTitle=Pairs\n"
      "[Parameter apart]\nKind=problem\nDefault=0\n"
      "[Buffer in]\nType=i32\nLength=64*16384\nFill=constant\nLow=0\n"
      "[Buffer out]\nType=i32\nLength=128\nFill=constant\nLow=0\n"
      "[Launch]\nEntry=k\nGrid=128\nBlock=32\nArguments=in,out,apart\n*/\n"
      "extern \"C\" __global__ void k (const int *in, int *out, int apart) {\n"
      "  int part = apart ? blockIdx.x % 64 : blockIdx.x / 2, sum = 0;\n"
      "  for (int i = threadIdx.x; i < 16384; i += 32)\n"
      "    sum += in[part * 16384 + i];\n"
      "  out[blockIdx.x] = sum;\n}\n";
  g_autoptr (CuredCompiler) compiler = MUST (cured_compiler_new (&fail));
  g_autoptr (CuredKernel) kernel = MUST (cured_kernel_new_from_text (text, "pairs", NULL, &fail));
  CuredLimits limits = cured_profile_find ("sm_90")->limits;
  CuredWorkQuery query;

  limits.global_bytes = (gint64) 1 << 37;
  limits.sms = 132;
  limits.l2_bytes = 1 << 20;
  init_query (&query);
  for (gint64 apart = 0; apart < 2; apart++)
    {
      g_autoptr (CuredWorkload) work =
          MUST (cured_workload_count (compiler, kernel, &apart, &limits, &query, NULL, &fail));

      const CuredWorkBuffer *in = g_ptr_array_index (get_launch (work, 0)->buffers, 0);
      g_assert_cmpstr (in->name, ==, "in");
      g_assert_cmpfloat_with_epsilon (in->fresh, 0.5, 0.01);
      g_assert_cmpfloat_with_epsilon (in->joined, apart ? 0 : 0.5, 0.01);
    }
}

/* A ticket says which block is last; two launches need none. */
TEST ("/explain/tickets")
{
  NEED_COMPILER ();
  g_autoptr (CuredWorkload) last = count ("reduce/last-block", "n=1000000", 6);
  g_autoptr (CuredWorkload) two = count ("reduce/two-launch", "n=1000000", 6);
  g_autoptr (CuredWorkload) atomic = count ("reduce/atomic", "n=1000000", 6);

  g_assert_true (get_launch (last, 0)->takes_tickets);
  g_assert_cmpuint (get_launch (last, 0)->n_run, ==, get_launch (last, 0)->n_blocks);
  g_assert_false (get_launch (two, 0)->takes_tickets);
  g_assert_cmpuint (get_launch (two, 0)->n_run, ==, 8);
  g_assert_cmpuint (two->launches->len, ==, 2);
  g_assert_false (get_launch (atomic, 0)->takes_tickets);
}

#define TICKETS(body)                                                                              \
  "/*! cured\n[Kernel]\nTitle=Tickets\n"                                                           \
  "[Parameter n]\nKind=problem\nDefault=64\n"                                                      \
  "[Buffer out]\nType=i32\nLength=n\nFill=constant\nLow=0\n"                                       \
  "[Buffer next]\nType=i32\nLength=1\nFill=constant\nLow=0\n"                                      \
  "[Launch]\nEntry=k\nGrid=n\nBlock=32\nArguments=out,next,n\n*/\n"                                \
  "extern \"C\" __global__ void k (int *out, int *next, int n) {\n"                                \
  "  int sum = 0;\n" body "  out[blockIdx.x] = sum;\n}\n"
#define WORK "  for (int i = 0; i < 200; i++) sum = sum * 3 + out[(i + sum) & 15];\n"

/* Where all blocks would be too many, a few represent them, if their work is not handed out. */
TEST ("/explain/many-tickets")
{
  NEED_COMPILER ();
  static const char *const texts[] = {
    TICKETS (WORK "  if (atomicAdd (next, 1) == n - 1)\n"
                  "    for (int i = 0; i < n; i++) sum += out[i];\n"),
    TICKETS ("  __shared__ int tile;\n"
             "  for (;;) {\n"
             "    __syncthreads ();\n"
             "    if (threadIdx.x == 0) tile = atomicAdd (next, 1);\n"
             "    __syncthreads ();\n"
             "    if (tile >= n) break;\n" WORK "  }\n"),
  };
  g_autoptr (GError) error = NULL;
  g_autoptr (CuredCompiler) compiler = MUST (cured_compiler_new (&fail));
  CuredLimits limits = cured_profile_find ("sm_90")->limits;
  const gint64 values[] = { 64 };

  limits.global_bytes = (gint64) 1 << 37;
  limits.sms = 132;
  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr (CuredKernel) kernel =
          MUST (cured_kernel_new_from_text (texts[i], "tickets", NULL, &fail));
      CuredWorkQuery query;

      init_query (&query);
      g_autoptr (CuredWorkload) whole =
          MUST (cured_workload_count (compiler, kernel, values, &limits, &query, NULL, &fail));
      g_assert_true (get_launch (whole, 0)->takes_tickets);
      g_assert_cmpuint (get_launch (whole, 0)->n_run, ==, 64);
      query.max_instructions = 40000;
      g_autoptr (CuredWorkload) few =
          cured_workload_count (compiler, kernel, values, &limits, &query, NULL, &error);
      if (i == 1)
        {
          g_assert_null (few);
          g_assert_error (error, CURED_ERROR, CURED_ERROR_TIMED_OUT);
          break;
        }
      g_assert_no_error (error);
      g_assert_true (get_launch (few, 0)->takes_tickets);
      g_assert_cmpuint (get_launch (few, 0)->n_run, ==, 8);
      g_assert_cmpfloat_with_epsilon (cured_work_get_slots (&get_launch (few, 0)->total) /
                                          cured_work_get_slots (&get_launch (whole, 0)->total),
                                      1, 0.05);
    }
}

/* A few blocks say what all of them do. */
TEST ("/explain/sample")
{
  NEED_COMPILER ();
  g_autoptr (CuredWorkload) some = count ("transpose/shared", "tile=16 n=1000 m=1000", 6);
  g_autoptr (CuredWorkload) all = count ("transpose/shared", "tile=16 n=1000 m=1000", 0);
  CuredWork a, b;

  cured_workload_get_total (some, &a);
  cured_workload_get_total (all, &b);
  g_assert_cmpuint (get_launch (some, 0)->n_run, ==, 8);
  g_assert_cmpuint (get_launch (all, 0)->n_run, ==, 63 * 63);
  g_assert_cmpfloat (get_launch (all, 0)->error, ==, 0);
  /* One column in 63 is half as wide, and a sample may have a block of it. */
  g_assert_cmpfloat (fabs (a.wavefronts / b.wavefronts - 1), <, 0.1);
  g_assert_cmpfloat (fabs (a.issued / b.issued - 1), <, 0.1);
  g_assert_cmpfloat (b.stored, >=, 1000.0 * 1000 * 4 / 32);
}

/* Of a cluster all blocks run, whichever was drawn: products of 16 x 8 x 16 are as many with and
 * without. */
TEST ("/explain/clusters")
{
  NEED_COMPILER ();
  static const char *const values[] = { "cluster=1 n=1024", "cluster=2 n=1024" };

  for (gsize i = 0; i < G_N_ELEMENTS (values); i++)
    {
      g_autoptr (CuredWorkload) some = count ("matmul-bf16/best", values[i], 2);
      CuredWork total;

      cured_workload_get_total (some, &total);
      g_assert_cmpuint (get_launch (some, 0)->n_run, <, 64);
      g_assert_cmpfloat (fabs (total.tensor / (1024.0 * 1024 * 1024 / 2048) - 1), <, 0.1);
    }
}

/* Two loads whose sectors are the same but for one: a block asks for each sector twice, and once
 * where L1 forgets nothing. */
TEST ("/explain/reuse")
{
  NEED_COMPILER ();
  static const char text[] = "/*! cured\n * [Kernel]\n * Title=Again\n"
                             " * [Buffer in]\n * Type=f32\n * Length=4096\n * Fill=ramp\n"
                             " * [Buffer out]\n * Type=f32\n * Length=4096\n * Fill=poison\n"
                             " * [Launch]\n * Entry=again\n * Grid=4\n * Block=256\n"
                             " * Arguments=in,out\n */\n"
                             "extern \"C\" __global__ void\nagain (const float *in, float *out)\n"
                             "{\n"
                             "  int i = 512 * blockIdx.x + threadIdx.x;\n"
                             "  float a = in[i];\n"
                             "  __syncthreads ();\n"
                             "  out[i] = a + in[i + 8];\n}\n";
  g_autoptr (CuredCompiler) compiler = MUST (cured_compiler_new (&fail));
  CuredLimits limits = cured_profile_find ("sm_90")->limits;
  CuredWorkQuery query;
  gint64 none = 0;

  g_autoptr (CuredKernel) kernel = MUST (cured_kernel_new_from_text (text, "again", NULL, &fail));
  limits.global_bytes = (gint64) 1 << 37;
  limits.sms = 132;
  init_query (&query);
  query.traffic_ms = 2000;
  g_autoptr (CuredWorkload) work =
      MUST (cured_workload_count (compiler, kernel, &none, &limits, &query, NULL, &fail));
  const CuredWorkLaunch *launch = get_launch (work, 0);
  for (guint i = 0; i < launch->buffers->len; i++)
    {
      const CuredWorkBuffer *buffer = g_ptr_array_index (launch->buffers, i);
      gboolean is_in = g_str_equal (buffer->name, "in");

      g_assert_cmpfloat (buffer->read, ==, is_in ? 4 * 64 : 0);
      g_assert_cmpfloat (buffer->once, ==, is_in ? 4 * 33 : 0);
      g_assert_cmpfloat (buffer->written, ==, is_in ? 0 : 4 * 32);
    }
  g_assert_cmpuint (launch->buffers->len, ==, 2);
  /* The cache model's L1 forgets nothing here. */
  g_assert_cmpfloat (launch->traffic.l1_hits, ==, 4 * 31);
  g_assert_cmpfloat (launch->traffic.l2_read, ==, 4 * 33 * 32);
  g_assert_cmpfloat (launch->traffic.l2_written, ==, 4 * 32 * 32);
}

static gboolean
knows_waves (const CuredWorkload *work)
{
  const CuredWorkLaunch *launch = get_launch (work, 0);

  for (guint i = 0; i < launch->buffers->len; i++)
    {
      const CuredWorkBuffer *buffer = g_ptr_array_index (launch->buffers, i);

      if (!isnan (buffer->fresh))
        return TRUE;
    }
  return FALSE;
}

/* What blocks that run at the same time share is read from memory once: beside dram__bytes_read of
 * an H200 (data/counters/h200.tsv). What fits into L2, or is loaded once, is not looked at. */
TEST ("/explain/waves")
{
  NEED_COMPILER ();
  static const struct
  {
    const char *kernel, *point;
    int registers;
    double read;
  } rows[] = {
    { "matmul/async",
      "n=4096 tile_m=128 tile_n=128 tile_k=16 thread_m=8 thread_n=16 lanes=4 stages=2 resident=2",
      255, 342e6 },
    { "matmul/registers", "n=4096 tile_m=128 tile_n=128 tile_k=16 thread_m=2 thread_n=8", 64,
      619e6 },
  };
  g_autoptr (CuredMachine) h200 = MUST (cured_machine_find ("h200", &fail));
  g_autoptr (CuredWorkload) small = count ("matmul/async", "n=1024", 2);
  g_autoptr (CuredWorkload) copy = count ("transpose/copy", "n=8192 m=8192", 2);

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      registers = rows[i].registers;
      g_autoptr (CuredWorkload) work = count (rows[i].kernel, rows[i].point, 2);
      registers = 0;
      g_autoptr (GArray) launches = cured_prediction_list_launches (work, h200);
      g_assert_true (knows_waves (work));
      g_assert_cmpfloat_with_epsilon (
          g_array_index (launches, CuredLaunchPrediction, 0).memory_read, rows[i].read,
          0.1 * rows[i].read);
    }
  g_assert_false (knows_waves (small));
  g_assert_false (knows_waves (copy));
}

/* Bars of products that four warps ask for, beside those of Nsight Compute on an H200
 * (docs/explain.md), of as much time as has the tensor cores as busy. */
TEST ("/explain/products")
{
  NEED_COMPILER ();
  static const struct
  {
    const char *kernel;
    double tensor, l1, issue;
  } rows[] = {
    { "matmul-bf16/specialised", 0.7809, 0.5372, 0.0903 },
    { "matmul-bf16/wgmma", 0.7391, 0.6008, 0.1918 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (CuredWorkload) work = count (rows[i].kernel, "n=4096", 2);
      CuredResourceUse uses[CURED_N_RESOURCES];

      cured_workload_get_uses (work, machine, NAN, uses);
      double time_ns = uses[CURED_RESOURCE_TENSOR].time_ns / rows[i].tensor;
      g_assert_cmpfloat_with_epsilon (uses[CURED_RESOURCE_L1].time_ns / time_ns, rows[i].l1, 0.02);
      g_assert_cmpfloat_with_epsilon (uses[CURED_RESOURCE_ISSUE].time_ns / time_ns, rows[i].issue,
                                      0.02);
    }
}

/* The cache model is asked where that does not take too long, and says of a copy that each byte
 * comes once. */
TEST ("/explain/caches")
{
  NEED_COMPILER ();
  const double bytes = 512 * 512 * 4;
  CuredTraffic traffic;

  traffic_ms = 2000;
  g_autoptr (CuredWorkload) work = count ("transpose/copy", "n=512 m=512", 6);
  traffic_ms = 1;
  g_autoptr (CuredWorkload) none = count ("transpose/naive", "n=4096 m=4096", 6);
  traffic_ms = 0;
  g_assert_true (cured_workload_get_traffic (work, &traffic));
  g_assert_cmpfloat (traffic.memory_read, ==, bytes);
  g_assert_cmpfloat (traffic.l2_read, ==, bytes);
  g_assert_cmpfloat (traffic.l2_written, ==, bytes);
  g_assert_cmpfloat (traffic.l1_hits, ==, 0);
  g_assert_false (cured_workload_get_traffic (none, &traffic));
}

/* Where each byte is moved once, the model need not run, and would say the same. */
TEST ("/explain/foreseen")
{
  NEED_COMPILER ();
  static const struct
  {
    const char *kernel, *point;
    gboolean is_foreseen;
  } rows[] = {
    { "reduce/two-launch", "n=4000000 block=256 blocks=264", TRUE },
    /* Bytes written stay in L2, or most of them do not. */
    { "transpose/copy", "n=1024 m=1024", TRUE },
    { "vector/add", "n=12000000", TRUE },
    { "average/global", "n=1000000", FALSE },
    { "transpose/naive", "n=1024 m=1024", FALSE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (CuredCompiler) compiler = MUST (cured_compiler_new (&fail));
      g_autoptr (CuredKernel) kernel = MUST (cured_catalogue_load (rows[i].kernel, &fail));
      g_autofree gint64 *values = get_values (kernel, rows[i].point);
      CuredTraffic traffic;
      CuredCacheTraffic sum;

      traffic_ms = 1;
      g_autoptr (CuredWorkload) work = count (rows[i].kernel, rows[i].point, 6);
      traffic_ms = 0;
      g_assert_cmpint (cured_workload_get_traffic (work, &traffic), ==, rows[i].is_foreseen);
      if (!rows[i].is_foreseen)
        continue;
      g_autoptr (GPtrArray) launches =
          MUST (cured_traffic_view_new (compiler, kernel, values, "sm_90", 0, 0, NULL, &fail));
      cured_launch_traffic_sum (launches, &sum);
      double little = 0.01 * (sum.dram_read_bytes + sum.dram_write_bytes);
      g_assert_cmpfloat_with_epsilon (traffic.l2_read, sum.l2_read_sectors * 32, little);
      g_assert_cmpfloat_with_epsilon (traffic.l2_written, sum.l2_write_sectors * 32, little);
      g_assert_cmpfloat_with_epsilon (traffic.memory_read, sum.dram_read_bytes, little);
      g_assert_cmpfloat_with_epsilon (traffic.memory_written, sum.dram_write_bytes, little);
    }
}

/* ---- Recorded times ---- */

TEST ("/explain/recorded")
{
  NEED_COMPILER ();
  static const struct
  {
    const char *kernel, *point;
    double time_ns;
    CuredResource limit;
  } rows[] = {
    /* data/results/…-h200.cured. */
    { "banks/stride", "stride=32 width=4", 1.06e6, CURED_RESOURCE_SHARED },
    { "reduce/packed", "block=256 loads=4 per_sm=64", 88.8e3, CURED_RESOURCE_MEMORY },
    { "average/march", "elements=124 strips=12", 1.30e6, CURED_RESOURCE_ISSUE },
    { "transpose/shared", "tile=16 rows=4", 162.0e3, CURED_RESOURCE_DISPATCH },
    { "transpose/shared", "tile=32 rows=4", 306.2e3, CURED_RESOURCE_SHARED },
    { "matmul/tiled", "tile=16 n=2048", 2.105e6, CURED_RESOURCE_SHARED },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (CuredWorkload) work = count (rows[i].kernel, rows[i].point, 6);
      g_autoptr (CuredExplanation) self =
          cured_explanation_new (work, machine, rows[i].time_ns, NAN);

      g_test_message ("%s: %s", rows[i].kernel, self->sentence);
      g_assert_cmpint (self->bottleneck, ==, CURED_BOTTLENECK_RESOURCE);
      g_assert_cmpint (self->limit, ==, rows[i].limit);
    }
}

/* Loads of one trip of the loop are in flight together, those of 16 bytes more of them. A copy is
 * waited for in other ways. */
TEST ("/explain/in-flight")
{
  NEED_COMPILER ();
  g_autoptr (CuredWorkload) two = count ("reduce/two-launch", "n=1000000", 2);
  g_autoptr (CuredWorkload) vector = count ("reduce/vector", "n=4000000", 2);
  g_autoptr (CuredWorkload) bulk = count ("reduce/bulk", "n=4000000", 2);
  CuredParallelism parallelism;

  g_assert_cmpfloat (get_launch (two, 0)->in_flight, >=, 8);
  g_assert_cmpfloat (get_launch (two, 0)->in_flight, <=, 64);
  g_assert_cmpfloat (get_launch (vector, 0)->in_flight, >=, 48);
  g_assert_true (isnan (get_launch (bulk, 0)->in_flight));
  /* 264 blocks of 256 threads: a quarter of the threads, 124 µs. Fewer bytes are no advice there. */
  g_autoptr (CuredWorkload) few = count ("reduce/two-launch", "block=256 blocks=264", 2);
  g_autoptr (CuredWorkload) many = count ("reduce/two-launch", "block=256 blocks=1056", 2);
  g_autoptr (CuredExplanation) waiting = cured_explanation_new (few, machine, 124.1e3, NAN);
  g_autoptr (CuredExplanation) busy = cured_explanation_new (many, machine, 95.9e3, NAN);
  g_assert_cmpint (waiting->limit, ==, CURED_RESOURCE_MEMORY);
  g_assert_nonnull (strstr (waiting->change, "in flight"));
  g_assert_cmpint (busy->limit, ==, CURED_RESOURCE_MEMORY);
  g_assert_null (strstr (busy->change, "in flight"));
  cured_workload_get_parallelism (two, machine, &parallelism);
  g_assert_cmpfloat (parallelism.bytes, ==, 1056 * 256 * get_launch (two, 0)->in_flight);
}

/* The assembler joins loads: PTX has 570 M accesses, which would contradict the time. Half of the
 * time does. */
TEST ("/explain/joined")
{
  NEED_COMPILER ();
  g_autoptr (CuredWorkload) work = count ("matmul/tiled", "tile=32", 6);
  g_autoptr (CuredExplanation) self = cured_explanation_new (work, machine, 1927488, NAN);
  g_autoptr (CuredExplanation) half = cured_explanation_new (work, machine, 1927488 / 2.0, NAN);
  CuredWork total;

  cured_workload_get_total (work, &total);
  /* sm__inst_executed_pipe_lsu and smsp__inst_executed of data/counters. */
  g_assert_cmpfloat_with_epsilon (total.lsu / 369491968, 1, 1e-6);
  g_assert_cmpfloat_with_epsilon (cured_work_get_slots (&total) / 861536256, 1, 1e-6);
  g_assert_cmpint (self->bottleneck, ==, CURED_BOTTLENECK_RESOURCE);
  g_assert_cmpint (half->bottleneck, ==, CURED_BOTTLENECK_CONTRADICTED);
  g_assert_nonnull (strstr (half->sentence, "No verdict"));
}

/* Each block of transpose/copy's machine code has accesses, which settle how often it ran; the loop
 * of average/march has none. */
TEST ("/explain/uncertain")
{
  NEED_COMPILER ();
  g_autoptr (CuredWorkload) march = count ("average/march", "n=65536", 2);
  g_autoptr (CuredWorkload) copy = count ("transpose/copy", "n=64 m=64", 2);
  g_autoptr (CuredExplanation) self = cured_explanation_new (march, machine, 1e6, NAN);

  g_assert_cmpfloat (get_launch (copy, 0)->uncertain, <, 0.05);
  g_assert_cmpfloat (get_launch (march, 0)->uncertain, >, 0.2);
  g_assert_cmpfloat (self->uncertain, ==, get_launch (march, 0)->uncertain);
}

/* 8 blocks of 64 threads on 132 multiprocessors. */
TEST ("/explain/latency")
{
  NEED_COMPILER ();
  g_autoptr (CuredWorkload) work = count ("reduce/two-launch", "block=64 blocks=8", 6);
  g_autoptr (CuredExplanation) self = cured_explanation_new (work, machine, 11.1e6, NAN);

  g_assert_cmpint (self->bottleneck, ==, CURED_BOTTLENECK_LATENCY);
  g_assert_nonnull (strstr (self->sentence, "8 of 132 multiprocessors"));
  g_assert_nonnull (strstr (self->sentence, "512 threads"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  machine = MUST (cured_machine_find ("h200", &fail));
  int status = run_tests ();
  cured_machine_free (machine);
  return status;
}
