/* SPDX-License-Identifier: MIT
 * Does the emulator compute what a GPU computes?
 *
 * usage: compare-instructions [--seed N] [--inputs N] [--variants N] [--programs N] [--jobs N]
 *                             [--seconds N] [--emulate]
 *
 * Runs the same PTX on the same inputs on both, and prints what differs, made small:
 *
 *   inputs    the golden cases, with other inputs than those that are recorded: all instructions,
 *             copies by tensor maps, mbarriers, cp.async, clusters and textures included
 *   variants  golden cases with a number or another register in the place of one
 *   programs  up to 200 random instructions with branches and loops
 *
 * --inputs is how often each case runs. --emulate leaves the GPU out, and counts what the emulator
 * refuses of what it should take. A text that takes the GPU's context with it is counted, and its
 * job goes on with the next one. */
#include "golden-gpu.h"

#include <cured.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_SHOWN     20
#define MAX_STEPS     400
#define PROGRAM_SEEDS 8
/* Number of blocks per launch, each with different inputs. */
#define MAX_BLOCKS 256
/* Exit status of a process whose context is lost. */
#define LOST 3

typedef enum
{
  CLASS_INPUTS,
  CLASS_VARIANTS,
  CLASS_PROGRAMS,
  N_CLASSES
} Class;

static const char *const class_names[] = { "inputs", "variants", "programs" };

/* Results of one class. */
typedef struct
{
  guint64 n;
  guint64 tuples;
  guint64 equal;
  guint64 different;
  guint64 optimized;     /* different, but equal without ptxas's optimization */
  guint64 refused_there; /* by the driver */
  guint64 refused_here;  /* by the emulator only */
  guint64 taken_here;    /* accepted by the emulator only */
  guint64 failed;
  guint64 lost; /* the GPU's context was lost */
} Count;

static struct
{
  int seed;
  int inputs;
  int variants;
  int programs;
  int jobs;
  int seconds;
  gboolean is_emulated;
} options = { .seed = 1, .inputs = 4, .variants = 1000, .programs = 1000, .jobs = 1 };

/* State of one process, in memory shared with its parent. */
typedef struct
{
  Count counts[N_CLASSES];
  guint at; /* index of the current text; a new process continues after it */
  guint n_shown;
} Job;

/* ---- Random numbers ---- */

static guint64 state;

static guint
pick (guint n)
{
  state =
      state * G_GUINT64_CONSTANT (6364136223846793005) + G_GUINT64_CONSTANT (1442695040888963407);
  return (guint) (state >> 33) % n;
}

#define PICK(list) (list)[pick (G_N_ELEMENTS (list))]

/* ---- One text on both ---- */

typedef enum
{
  SAME,
  OTHER,
  OPTIMIZED,
  REFUSED_THERE,
  REFUSED_HERE,
  TAKEN_HERE,
  FAILED
} Verdict;

typedef struct
{
  guint64 tuples;
  guint64 seed; /* seed of the inputs with different outputs */
  guint thread;
  guint8 *there; /* contents of the buffer on the GPU, and on the emulator */
  guint8 *here;
  char *problem;
} Comparison;

static void
comparison_clear (Comparison *self)
{
  g_free (self->there);
  g_free (self->here);
  g_free (self->problem);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Comparison, comparison_clear)

/* Whether a launch ended normally, so that outputs can be compared. */
static gboolean
emulate (GoldenCase *golden, CuredPtxModule *module, guint8 *buffer, Comparison *result)
{
  g_auto (CuredReport) report = { 0 };
  g_autoptr (GError) error = NULL;

  if (golden_case_emulate (golden, module, buffer, &report, &error) &&
      report.end == CURED_END_DONE && report.findings->len == 0)
    return TRUE;
  result->problem = g_strdup (error != NULL             ? error->message
                              : report.end_text != NULL ? report.end_text
                                                        : "a finding");
  return FALSE;
}

/* How many blocks one launch may have: where the text does not ask for the block's number, and
 * operands are at no place that the host encodes. */
static guint
count_blocks (const GoldenCase *golden)
{
  return golden->map_at >= 0 || golden->texture_of != NULL || golden_case_has_cluster (golden) ||
                 strstr (golden->ptx, "ctaid") != NULL || strstr (golden->ptx, "clusterid") != NULL
             ? 1
             : MAX_BLOCKS;
}

/* Gives each block its own buffer, @step bytes after the previous one's. */
static char *
load_blocks (GoldenGpu *gpu, GoldenCase *golden, gsize step, gboolean is_optimized)
{
  static const char before[] = "cvta.to.global.u64 %_base, %_base;\n";
  g_autoptr (GString) text = g_string_new (golden->ptx);
  g_autofree char *after = g_strdup_printf (
      "%s  mov.u32 %%_tid, %%ctaid.x;\n  mad.wide.u32 %%_base, %%_tid, %" G_GSIZE_FORMAT
      ", %%_base;\n",
      before, step);
  char *ptx = golden->ptx;
  char *problem;

  if (count_blocks (golden) == 1)
    return golden_gpu_load_as (gpu, golden, is_optimized);
  g_string_replace (text, before, after, 1);
  golden->ptx = text->str;
  problem = golden_gpu_load_as (gpu, golden, is_optimized);
  golden->ptx = ptx;
  return problem;
}

/* Runs @golden with inputs of the seeds from @first on, @n times. */
static Verdict
compare_as (GoldenCase *golden, guint64 first, guint n, gboolean is_optimized, Comparison *result)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (CuredPtxModule) module =
      cured_ptx_module_parse (golden->ptx, -1, golden->name, &error);
  guint n_blocks = MIN (n, count_blocks (golden));
  /* No access of a case needs more alignment. */
  gsize step = (golden->size + 1023) / 1024 * 1024;
  g_autofree guint8 *there = g_malloc (n_blocks * step);
  g_autofree guint8 *here = g_malloc (n_blocks * step);
  GoldenGpu gpu = { 0 };
  Verdict verdict = SAME;

  if (!options.is_emulated &&
      (result->problem = load_blocks (&gpu, golden, step, is_optimized)) != NULL)
    return module == NULL ? REFUSED_THERE : TAKEN_HERE;
  if (module == NULL)
    {
      result->problem = g_strdup (error->message);
      verdict = REFUSED_HERE;
    }
  for (guint done = 0; done < n && verdict == SAME; done += n_blocks)
    {
      guint n_now = MIN (n_blocks, n - done);

      for (guint i = 0; i < n_now && verdict == SAME; i++)
        {
          golden_case_fill (golden, first + done + i);
          memcpy (there + i * step, golden->buffer, golden->size);
          /* First, since an intentional trap would end the context. */
          if (!emulate (golden, module, here + i * step, result))
            verdict = FAILED;
        }
      if (verdict != SAME)
        break;
      if (options.is_emulated)
        memcpy (there, here, n_now * step);
      else if ((result->problem =
                    golden_gpu_run_blocks (&gpu, golden, n_now, there, n_now * step)) != NULL)
        {
          /* An error that ends the context ends the process. */
          if (cudaDeviceSynchronize () != cudaSuccess)
            {
              g_print ("\ncontext lost by %s/%s: %s\n%s\n", golden->row, golden->name,
                       result->problem, golden->ptx);
              _exit (LOST);
            }
          verdict = FAILED;
          break;
        }
      for (guint i = 0; i < n_now && verdict == SAME; i++)
        {
          result->tuples += golden->n_threads;
          if (golden_case_count_differences (golden, there + i * step, here + i * step,
                                             &result->thread) == 0)
            continue;
          verdict = OTHER;
          result->seed = first + done + i;
          result->there = g_memdup2 (there + i * step, golden->size);
          result->here = g_memdup2 (here + i * step, golden->size);
        }
    }
  if (!options.is_emulated)
    golden_gpu_unload (&gpu);
  return verdict;
}

/* Likewise; differences are retried without ptxas's optimizer. */
static Verdict
compare (GoldenCase *golden, guint64 first, guint n, Comparison *result)
{
  g_auto (Comparison) again = { 0 };
  Verdict verdict = compare_as (golden, first, n, TRUE, result);

  return verdict == OTHER && compare_as (golden, first, n, FALSE, &again) == SAME ? OPTIMIZED
                                                                                  : verdict;
}

static void
count (Job *job, Class class, Verdict verdict, const Comparison *result)
{
  Count *to = &job->counts[class];

  to->n++;
  to->tuples += result->tuples;
  to->equal += verdict == SAME;
  to->different += verdict == OTHER;
  to->optimized += verdict == OPTIMIZED;
  to->refused_there += verdict == REFUSED_THERE;
  to->refused_here += verdict == REFUSED_HERE;
  to->taken_here += verdict == TAKEN_HERE;
  to->failed += verdict == FAILED;
}

static void
print_operand (GString *out, const GoldenOperand *operand, const guint8 *buffer, guint thread)
{
  const guint8 *at = buffer + operand->offset + thread * operand->bytes;

  g_string_append_printf (out, " %s = ", operand->name);
  for (gsize k = operand->bytes; k-- > 0;)
    g_string_append_printf (out, "%02x", at[k]);
}

/* Prints inputs and outputs of the thread with different outputs. */
static void
show (Job *job, Class class, GoldenCase *golden, const char *body, const Comparison *result)
{
  g_autoptr (GString) out = g_string_new (NULL);

  if (job->n_shown++ >= MAX_SHOWN)
    return;
  g_string_append_printf (out, "\n%s: %s/%s, seed %" G_GUINT64_FORMAT ", thread %u\n\n    %s\n",
                          class_names[class], golden->row, golden->name, result->seed,
                          result->thread, body);
  golden_case_fill (golden, result->seed);
  for (guint pass = 0; pass < 3; pass++)
    {
      static const char *const names[] = { "inputs", "GPU", "emulator" };
      const guint8 *buffers[] = { golden->buffer, result->there, result->here };

      g_string_append_printf (out, "    %s:", names[pass]);
      for (guint i = 0; i < golden->operands->len; i++)
        {
          const GoldenOperand *operand = &g_array_index (golden->operands, GoldenOperand, i);

          if (operand->role != GOLDEN_WARP && (operand->role == GOLDEN_IN) == (pass == 0))
            print_operand (out, operand, buffers[pass], result->thread);
        }
      g_string_append_c (out, '\n');
    }
  g_print ("%s", out->str);
}

static void
show_refused (Job *job, Class class, Verdict verdict, const char *body, const Comparison *result)
{
  if (job->n_shown++ < MAX_SHOWN)
    g_print ("\n%s: %s refuses %s\n\n    %s\n", class_names[class],
             verdict == TAKEN_HERE ? "the driver" : "the emulator", result->problem, body);
}

/* ---- Variants of golden cases ---- */

/* A 32-bit integer input of @golden; NULL: there is none. */
static const GoldenOperand *
find_integer (const GoldenCase *golden, guint skip)
{
  for (guint i = 0; i < golden->operands->len; i++)
    {
      const GoldenOperand *operand = &g_array_index (golden->operands, GoldenOperand, i);

      if (operand->role == GOLDEN_IN && operand->bytes == 4 &&
          (operand->type == CURED_PTX_U32 || operand->type == CURED_PTX_S32 ||
           operand->type == CURED_PTX_B32) &&
          skip-- == 0)
        return operand;
    }
  return NULL;
}

/* Returns: (transfer full) (nullable): @golden's text, changed by one random step. */
static char *
change (const GoldenCase *golden)
{
  static const char *const numbers[] = { "0",  "1",  "-1", "2",          "7",          "31",
                                         "32", "33", "63", "0x80000000", "0x7fffffff", "255" };
  const GoldenOperand *operand = find_integer (golden, pick (2));
  const char *open = strstr (golden->ptx, "  {\n    ");
  const char *close = open != NULL ? strstr (open, "\n  }\n") : NULL;
  g_autoptr (GString) body = NULL;
  g_autofree char *name = NULL;

  if (close == NULL || operand == NULL || strchr (open + 4, '{') != NULL)
    return NULL;
  body = g_string_new_len (open + 8, close - open - 8);
  name = g_strdup_printf ("%%_%s", operand->name);
  if (pick (2) == 0)
    {
      if (g_string_replace (body, name, PICK (numbers), 1) == 0)
        return NULL;
    }
  else
    {
      const GoldenOperand *other = find_integer (golden, 1);
      g_autofree char *twice = g_strdup_printf ("%%_%s", other != NULL ? other->name : "");

      if (other == NULL || other == operand || g_string_replace (body, name, twice, 1) == 0)
        return NULL;
    }
  g_string_prepend_len (body, golden->ptx, open + 8 - golden->ptx);
  g_string_append (body, close);
  return g_string_free (g_steal_pointer (&body), FALSE);
}

static char *
get_body (const char *ptx)
{
  const char *open = strstr (ptx, "  {\n    ");
  const char *close = open != NULL ? strstr (open, "\n  }\n") : NULL;

  return close != NULL ? g_strndup (open + 8, (gsize) (close - open - 8)) : g_strdup (ptx);
}

static void
run_variant (Job *job, GPtrArray *cases)
{
  GoldenCase *golden = cases->pdata[pick (cases->len)];
  char *before = golden->ptx;
  char *changed = NULL;

  changed = change (golden);
  if (changed == NULL)
    return;
  g_auto (Comparison) result = { 0 };
  g_autofree char *body = get_body (changed);
  golden->ptx = changed;
  Verdict verdict = compare (golden, 1 + pick (1000), 4, &result);
  count (job, CLASS_VARIANTS, verdict, &result);
  if (verdict == OTHER)
    show (job, CLASS_VARIANTS, golden, body, &result);
  else if (verdict == REFUSED_HERE || verdict == TAKEN_HERE)
    show_refused (job, CLASS_VARIANTS, verdict, body, &result);
  golden->ptx = before;
  g_free (changed);
}

/* ---- Random programs ---- */

/* R: a register of 32 bits, F: of a float, L: of 64 bits, P: a predicate, I: a number. Nothing that
 * ptxas contracts or folds in another way than the ISA has it (docs/what-ptxas-changes.md). */
static const char *const templates[] = {
  "add.s32 R, R, R;",
  "sub.s32 R, R, R;",
  "mul.lo.s32 R, R, R;",
  "mul.hi.u32 R, R, R;",
  "mul.hi.s32 R, R, R;",
  "mad.lo.s32 R, R, R, R;",
  "and.b32 R, R, R;",
  "or.b32 R, R, R;",
  "xor.b32 R, R, R;",
  "not.b32 R, R;",
  "shl.b32 R, R, R;",
  "shr.u32 R, R, R;",
  "shr.s32 R, R, R;",
  "shf.l.wrap.b32 R, R, R, R;",
  "shf.r.clamp.b32 R, R, R, R;",
  "lop3.b32 R, R, R, R, 0x96;",
  "lop3.b32 R, R, R, R, 0xe8;",
  "prmt.b32 R, R, R, R;",
  "popc.b32 R, R;",
  "clz.b32 R, R;",
  "brev.b32 R, R;",
  "bfind.u32 R, R;",
  "bfe.u32 R, R, R, R;",
  "bfi.b32 R, R, R, R, R;",
  "min.s32 R, R, R;",
  "max.u32 R, R, R;",
  "abs.s32 R, R;",
  "sad.u32 R, R, R, R;",
  "add.s32 R, R, I;",
  "xor.b32 R, R, I;",
  "mul.lo.u32 R, R, I;",
  "div.u32 R, R, R;",
  "rem.s32 R, R, R;",
  "dp4a.s32.s32 R, R, R, R;",
  "selp.b32 R, R, R, P;",
  "slct.s32.s32 R, R, R, R;",
  "setp.lt.s32 P, R, R;",
  "setp.eq.u32 P, R, I;",
  "setp.ge.u32 P, R, R;",
  "setp.lt.f32 P, F, F;",
  "setp.gtu.f32 P, F, F;",
  "and.pred P, P, P;",
  "xor.pred P, P, P;",
  "not.pred P, P;",
  "add.rn.f32 F, F, F;",
  "mul.rn.f32 F, F, F;",
  "fma.rn.f32 F, F, F, F;",
  "fma.rz.f32 F, F, F, F;",
  "add.rn.ftz.f32 F, F, F;",
  "mul.rn.ftz.f32 F, F, F;",
  "sub.rm.f32 F, F, F;",
  "rcp.approx.ftz.f32 F, F;",
  "rsqrt.approx.f32 F, F;",
  "ex2.approx.ftz.f32 F, F;",
  "lg2.approx.f32 F, F;",
  "sin.approx.f32 F, F;",
  "tanh.approx.f32 F, F;",
  "sqrt.rn.f32 F, F;",
  "div.rn.f32 F, F, F;",
  "cvt.rn.f32.s32 F, R;",
  "cvt.rzi.s32.f32 R, F;",
  "cvt.rni.ftz.u32.f32 R, F;",
  "cvt.u64.u32 L, R;",
  "cvt.u32.u64 R, L;",
  "add.s64 L, L, L;",
  "mul.lo.s64 L, L, L;",
  "mul.wide.s32 L, R, R;",
  "mad.wide.u32 L, R, R, L;",
  "shr.u64 L, L, R;",
  "xor.b64 L, L, L;",
  "mov.b64 L, {R, R};",
  "mov.b32 F, R;",
  "mov.b32 R, F;",
  "add.cc.u32 R, R, R; addc.u32 R, R, R;",
  "sub.cc.u32 R, R, R; subc.u32 R, R, R;",
  "vote.sync.ballot.b32 R, P, -1;",
  "shfl.sync.bfly.b32 R, R, 5, 31, -1;",
  "redux.sync.add.u32 R, R, -1;",
};

#define N_REGISTERS  6
#define N_FLOATS     4
#define N_LONGS      3
#define N_PREDICATES 3

static char *
make_statement (gboolean is_divergent)
{
  const char *from;
  GString *text = g_string_new (NULL);

  /* Instructions with .sync need all lanes to be active. */
  do
    from = PICK (templates);
  while (is_divergent && strstr (from, ".sync") != NULL);
  for (; *from != '\0'; from++)
    switch (*from)
      {
      case 'R': g_string_append_printf (text, "r%u", pick (N_REGISTERS)); break;
      case 'F': g_string_append_printf (text, "f%u", pick (N_FLOATS)); break;
      case 'L': g_string_append_printf (text, "l%u", pick (N_LONGS)); break;
      case 'P': g_string_append_printf (text, "p%u", pick (N_PREDICATES)); break;
      case 'I':
        g_string_append_printf (text, "%u", pick (4) == 0 ? (guint) state : pick (70));
        break;
      default: g_string_append_c (text, *from);
      }
  return g_string_free (text, FALSE);
}

/* Adds @n statements; some are branches over others, or loops around them. */
static void
add_statements (GPtrArray *program, guint n, guint depth, guint *label)
{
  for (guint i = 0; i < n; i++)
    {
      guint what = depth < 3 ? pick (16) : 16;
      guint inside = 1 + pick (5);
      guint at = *label;

      if (what > 1)
        {
          g_ptr_array_add (program, make_statement (depth > 0));
          continue;
        }
      /* A construct is one element, so that it is kept or removed as a whole. */
      g_autoptr (GPtrArray) body = g_ptr_array_new_with_free_func (g_free);
      g_autoptr (GString) text = g_string_new (NULL);
      (*label)++;
      add_statements (body, inside, depth + 1, label);
      if (what == 0)
        g_string_append_printf (text, "@%sp%u bra S%u; ", pick (2) == 0 ? "!" : "",
                                pick (N_PREDICATES), at);
      else
        g_string_append_printf (text,
                                "{ .reg .b32 n%u; .reg .pred q%u; and.b32 n%u, r%u, 3; S%u: ", at,
                                at, at, pick (N_REGISTERS), at);
      for (guint k = 0; k < body->len; k++)
        g_string_append_printf (text, "%s ", (char *) body->pdata[k]);
      if (what == 0)
        g_string_append_printf (text, "S%u:", at);
      else
        g_string_append_printf (text,
                                "sub.s32 n%u, n%u, 1; setp.gt.s32 q%u, n%u, 0; @q%u bra S%u; }", at,
                                at, at, at, at, at);
      g_ptr_array_add (program, g_string_free (g_steal_pointer (&text), FALSE));
    }
}

/* The program as a case: eight inputs, and all registers as outputs. */
static GoldenCase *
make_case (const GPtrArray *program)
{
  g_autoptr (GString) body = g_string_new (
      "{ .reg .b32 r0, r1, r2, r3, r4, r5, f0, f1, f2, f3; .reg .b64 l0, l1, l2; "
      ".reg .pred p0, p1, p2; mov.b32 r0, $a; "
      "mov.b32 r1, $b; mov.b32 r2, $c; mov.b32 r3, $g; add.s32 r4, $a, 7; xor.b32 r5, $b, $g; "
      "mov.b32 f0, $d; mov.b32 f1, $e; mov.b32 f2, $h; mov.b32 f3, $g; mov.b64 l0, $f; "
      "cvt.s64.s32 l1, $a; cvt.u64.u32 l2, $c; setp.lt.s32 p0, $a, $b; setp.ne.b32 p1, $c, 0; "
      "setp.gt.s32 p2, $g, 0; ");

  for (guint i = 0; i < program->len; i++)
    g_string_append_printf (body, "%s ", (char *) program->pdata[i]);
  g_string_append (body, "mov.b32 $i, r0; mov.b32 $j, r1; mov.b32 $k, r2; mov.b32 $l, r3; "
                         "mov.b32 $m, r4; mov.b32 $n, r5; mov.b32 $o, f0; mov.b32 $q, f1; "
                         "mov.b32 $s, f2; mov.b32 $t, f3; mov.b64 $u, l0; mov.b64 $v, l1; "
                         "mov.b64 $w, l2; selp.b32 $x, 1, 0, p0; }");
  return golden_case_new ("program", "program", body->str,
                          "i:b32 j:b32 k:b32 l:b32 m:b32 n:b32 o:b32 q:b32 s:b32 t:b32 u:b64 v:b64 "
                          "w:b64 x:b32 <- a:s32 b:s32 c:u32@shift d:f32 e:f32@tame f:s64 g:s32 "
                          "h:f32 n=256");
}

static Verdict
run_program (const GPtrArray *program, guint64 seed, Comparison *result, GoldenCase **golden)
{
  *golden = make_case (program);
  return compare (*golden, seed, PROGRAM_SEEDS, result);
}

/* Removes statements as long as outputs still differ. */
static void
reduce (GPtrArray *program, guint64 seed)
{
  guint steps = 0;

  for (guint size = MAX (program->len / 2, 1);; size /= 2)
    {
      for (guint at = 0; at < program->len && steps < MAX_STEPS; steps++)
        {
          guint n = MIN (size, program->len - at);
          g_autoptr (GPtrArray) shorter = g_ptr_array_new ();
          g_auto (Comparison) result = { 0 };
          GoldenCase *golden = NULL;
          Verdict verdict;

          for (guint i = 0; i < program->len; i++)
            if (i < at || i >= at + n)
              g_ptr_array_add (shorter, program->pdata[i]);
          verdict = run_program (shorter, seed, &result, &golden);
          golden_case_free (golden);
          if (verdict == OTHER)
            g_ptr_array_remove_range (program, at, n);
          else
            at += n;
        }
      if (size == 1)
        break;
    }
}

static void
run_random (Job *job)
{
  g_autoptr (GPtrArray) program = g_ptr_array_new_with_free_func (g_free);
  g_auto (Comparison) result = { 0 };
  GoldenCase *golden = NULL;
  guint label = 0;
  guint64 seed = 1 + pick (100000);
  Verdict verdict;

  add_statements (program, 10 + pick (120), 0, &label);
  verdict = run_program (program, seed, &result, &golden);
  count (job, CLASS_PROGRAMS, verdict, &result);
  if (verdict == OTHER && job->n_shown < MAX_SHOWN)
    {
      g_auto (Comparison) small = { 0 };
      g_autoptr (GString) text = g_string_new (NULL);

      golden_case_free (golden);
      reduce (program, seed);
      run_program (program, seed, &small, &golden);
      for (guint i = 0; i < program->len; i++)
        g_string_append_printf (text, "%s ", (char *) program->pdata[i]);
      show (job, CLASS_PROGRAMS, golden, text->str, &small);
    }
  else if (verdict == REFUSED_HERE || verdict == TAKEN_HERE)
    show_refused (job, CLASS_PROGRAMS, verdict, golden->ptx, &result);
  golden_case_free (golden);
}

/* ---- Jobs ---- */

static void
run_case (Job *job, GoldenCase *golden)
{
  g_auto (Comparison) result = { 0 };
  Verdict verdict =
      compare (golden, (guint64) options.seed * 1000000 + 1, (guint) options.inputs, &result);

  count (job, CLASS_INPUTS, verdict, &result);
  if (verdict == OTHER)
    {
      g_autofree char *body = get_body (golden->ptx);

      show (job, CLASS_INPUTS, golden, body, &result);
    }
}

/* All classes in sequence, with a number for each text. */
static Class
find_class (guint at, guint n_cases)
{
  guint n_inputs = options.inputs > 0 ? n_cases : 0;

  return at < n_inputs                                                         ? CLASS_INPUTS
         : at < n_inputs + (guint) options.variants                            ? CLASS_VARIANTS
         : at < n_inputs + (guint) options.variants + (guint) options.programs ? CLASS_PROGRAMS
                                                                               : N_CLASSES;
}

static void G_GNUC_NORETURN
run_job (Job *job, GPtrArray *cases)
{
  for (Class class; (class = find_class (job->at, cases->len)) != N_CLASSES;
       job->at += (guint) options.jobs)
    {
      /* A text does not depend on the job that runs it. */
      state = (guint64) options.seed << 32 | job->at;
      pick (2);
      if (class == CLASS_INPUTS)
        run_case (job, cases->pdata[job->at]);
      else if (class == CLASS_VARIANTS)
        run_variant (job, cases);
      else
        run_random (job);
    }
  _exit (0);
}

static void
alarm_cb (int signal)
{
  (void) signal;
}

static void
run_jobs (Job *jobs, GPtrArray *cases)
{
  const struct sigaction action = { .sa_handler = alarm_cb };
  g_autofree pid_t *pids = g_new (pid_t, (gsize) options.jobs);
  int n_running = options.jobs;
  int status;

  for (int i = 0; i < options.jobs; i++)
    if ((pids[i] = fork ()) == 0)
      run_job (&jobs[i], cases);
  sigaction (SIGALRM, &action, NULL);
  alarm ((unsigned) options.seconds);
  for (pid_t pid; n_running > 0 && (pid = wait (&status)) > 0;)
    for (int i = 0; i < options.jobs; i++)
      {
        if (pids[i] != pid)
          continue;
        if (WIFEXITED (status) && WEXITSTATUS (status) == 0)
          {
            n_running--;
            pids[i] = 0;
            continue;
          }
        jobs[i].counts[find_class (jobs[i].at, cases->len)].lost++;
        jobs[i].at += (guint) options.jobs;
        if ((pids[i] = fork ()) == 0)
          run_job (&jobs[i], cases);
      }
  for (int i = 0; i < options.jobs; i++)
    if (pids[i] > 0)
      kill (pids[i], SIGKILL);
}

int
main (int argc, char **argv)
{
  GOptionEntry entries[] = {
    { "seed", 0, 0, G_OPTION_ARG_INT, &options.seed, "another seed, other inputs", "N" },
    { "inputs", 0, 0, G_OPTION_ARG_INT, &options.inputs, "inputs of each golden case", "N" },
    { "variants", 0, 0, G_OPTION_ARG_INT, &options.variants, "changed cases", "N" },
    { "programs", 0, 0, G_OPTION_ARG_INT, &options.programs, "random programs", "N" },
    { "jobs", 0, 0, G_OPTION_ARG_INT, &options.jobs, "processes", "N" },
    { "seconds", 0, 0, G_OPTION_ARG_INT, &options.seconds, "ends after that, and counts", "N" },
    { "emulate", 0, 0, G_OPTION_ARG_NONE, &options.is_emulated, "leave the GPU out", NULL },
    { 0 },
  };
  g_autoptr (GOptionContext) context = g_option_context_new (NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) cases = NULL;
  Count counts[N_CLASSES] = { 0 };
  Job *jobs;
  guint64 n_wrong = 0;

  g_option_context_add_main_entries (context, entries, NULL);
  if (!g_option_context_parse (context, &argc, &argv, &error))
    {
      g_printerr ("%s\n", error->message);
      return 2;
    }
  options.jobs = CLAMP (options.jobs, 1, 64);
  cases = golden_cases_new (NULL);
  jobs = mmap (NULL, (gsize) options.jobs * sizeof *jobs, PROT_READ | PROT_WRITE,
               MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (jobs == MAP_FAILED)
    return 1;
  for (int i = 0; i < options.jobs; i++)
    jobs[i].at = (guint) i;
  run_jobs (jobs, cases);
  for (int i = 0; i < options.jobs; i++)
    for (gsize k = 0; k < sizeof counts / (sizeof (guint64)); k++)
      ((guint64 *) counts)[k] += ((const guint64 *) jobs[i].counts)[k];

  g_print ("| class | texts | tuples | equal | different | optimized | refused by both | by the "
           "emulator alone "
           "| by the driver alone | failed | context lost "
           "|\n|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n");
  for (int i = 0; i < N_CLASSES; i++)
    {
      const Count *n = &counts[i];
      const guint64 row[] = { n->n,         n->tuples,        n->equal,        n->different,
                              n->optimized, n->refused_there, n->refused_here, n->taken_here,
                              n->failed,    n->lost };

      g_print ("| %s", class_names[i]);
      for (gsize k = 0; k < G_N_ELEMENTS (row); k++)
        g_print (" | %" PRIu64, row[k]);
      g_print (" |\n");
      /* Without a driver, invalid variants can't be recognized. */
      n_wrong += n->different + (options.is_emulated && i == CLASS_VARIANTS ? 0 : n->refused_here);
    }
  return n_wrong > 0 ? 1 : 0;
}
