/* SPDX-License-Identifier: MIT
 * malloc and free of kernels: what they give, and whose mistakes are found. */
#include <cured.h>
#include <string.h>

#include "test.h"

#include "base/cured-own.h"

#define LANES 64

/* Each thread has 8 bytes of the buffer, at %g; `new` and `old` call malloc and free with what is
 * in %s and %p. */
#define FRONT                                                                                      \
  ".version 8.8\n.target sm_90\n.address_size 64\n"                                                \
  ".extern .func (.param .b64 r) malloc (.param .b64 s);\n"                                        \
  ".extern .func free (.param .b64 p);\n"                                                          \
  ".func (.reg .b64 %p) new (.reg .b64 %s) {\n"                                                    \
  ".param .b64 a; .param .b64 b; st.param.b64 [a], %s;\n"                                          \
  "call.uni (b), malloc, (a); ld.param.b64 %p, [b]; ret; }\n"                                      \
  ".func old (.reg .b64 %p) {\n"                                                                   \
  ".param .b64 a; st.param.b64 [a], %p; call.uni free, (a); ret; }\n"                              \
  ".visible .entry k (.param .u64 out) {\n"                                                        \
  ".reg .b64 %g, %p, %q, %s; .reg .b32 %t, %u, %v; .reg .pred %c;\n"                               \
  "ld.param.u64 %g, [out]; mov.u32 %t, %tid.x; mad.wide.u32 %g, %t, 8, %g;\n"

#define BACK "ret;\n}\n"

typedef struct
{
  CuredMemory *memory;
  guint64 address, values[LANES];
} Bench;

static Bench *
bench_new (void)
{
  Bench *self = g_new0 (Bench, 1);

  self->memory = cured_memory_new (0);
  MUST (cured_memory_allocate (self->memory, sizeof self->values, &self->address, &fail));
  return self;
}

CURED_FREE_FUNC (Bench, bench_free, memory, cured_memory_free)

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Bench, bench_free)

/* Runs the kernel's body; how many findings of the kind there are, of one at most. */
static guint
run (Bench *self, const char *body, guint n_threads, CuredFindingKind kind)
{
  g_autofree char *ptx = g_strconcat (FRONT, body, BACK, NULL);
  g_autoptr (CuredPtxModule) module = MUST (cured_ptx_module_parse (ptx, -1, "heap.ptx", &fail));
  g_auto (CuredReport) report = { 0 };
  CuredLaunch launch = {
    .module = module,
    .memory = self->memory,
    .entry = "k",
    .grid = { 1, 1, 1 },
    .block = { n_threads, 1, 1 },
    .parameters = &self->address,
    .parameters_bytes = sizeof self->address,
    .watch = CURED_WATCH_RACES | CURED_WATCH_UNDEFINED,
    .max_instructions = 1000000,
    .threads = 1,
  };

  MUST (cured_ptx_module_link (module, self->memory, &fail));
  MUST (cured_emulator_launch (&launch, &report, NULL, &fail));
  g_assert_cmpint (report.end, ==, CURED_END_DONE);
  memcpy (self->values, cured_memory_map (self->memory, self->address, sizeof self->values),
          sizeof self->values);
  if (report.findings->len == 0)
    return 0;
  g_assert_cmpuint (report.findings->len, ==, 1);
  g_assert_cmpint (((CuredFinding *) report.findings->pdata[0])->kind, ==, kind);
  return 1;
}

/* Each thread writes its own number to its own 24 bytes. */
TEST ("/heap/blocks")
{
  g_autoptr (Bench) bench = bench_new ();

  g_assert_cmpuint (run (bench,
                         "mov.u64 %s, 24; call (%p), new, (%s);\n"
                         "st.global.u64 [%g], %p; cvt.u64.u32 %q, %t;\n"
                         "st.u64 [%p], %q; st.u64 [%p+8], %q; st.u64 [%p+16], %q;\n"
                         "bar.sync 0; ld.u64 %s, [%p+16]; setp.ne.u64 %c, %s, %q;\n"
                         "@%c st.global.u64 [%g], 1; ld.u64 %s, [%p];\n"
                         "setp.ne.u64 %c, %s, %q; @%c st.global.u64 [%g], 1;\n"
                         "call old, (%p);\n",
                         LANES, CURED_FINDING_HEAP),
                    ==, 0);
  for (guint i = 0; i < LANES; i++)
    {
      g_assert_cmpuint (bench->values[i], >, 16);
      g_assert_cmpuint (bench->values[i] % 16, ==, 0);
      for (guint k = 0; k < i; k++)
        g_assert_cmpuint (MAX (bench->values[i], bench->values[k]) -
                              MIN (bench->values[i], bench->values[k]),
                          >=, 24);
    }
}

/* An address for no bytes, and none for more than there are; free takes both. */
TEST ("/heap/nothing")
{
  g_autoptr (Bench) bench = bench_new ();

  g_assert_cmpuint (run (bench,
                         "mov.u64 %s, 0; call (%p), new, (%s);\n"
                         "mov.u64 %s, 0x10000000000; call (%q), new, (%s);\n"
                         "st.global.u64 [%g], %q;\n"
                         "call old, (%q); call old, (%p);\n",
                         1, CURED_FINDING_HEAP),
                    ==, 0);
  g_assert_cmpuint (bench->values[0], ==, 0);
}

/* A megabyte at a time until there is none, and what was freed again. */
TEST ("/heap/limit")
{
  g_autoptr (Bench) bench = bench_new ();

  g_assert_cmpuint (run (bench,
                         "mov.u32 %u, 0; mov.u64 %q, 0;\n"
                         "L: mov.u64 %s, 1000000; call (%p), new, (%s);\n"
                         "setp.eq.u64 %c, %p, 0; @%c bra E; mov.u64 %q, %p;\n"
                         "add.u32 %u, %u, 1; setp.lt.u32 %c, %u, 100; @%c bra L;\n"
                         "E: cvt.u64.u32 %p, %u; st.global.u64 [%g], %p;\n"
                         "call old, (%q); mov.u64 %s, 999999; call (%p), new, (%s);\n"
                         "sub.u64 %p, %p, %q; st.global.u64 [%g+8], %p;\n",
                         1, CURED_FINDING_HEAP),
                    ==, 0);
  g_assert_cmpuint (bench->values[0], ==, 8);
  g_assert_cmpuint (bench->values[1], ==, 0);
}

/* Memory outlives the kernel. */
TEST ("/heap/launches")
{
  g_autoptr (Bench) bench = bench_new ();

  g_assert_cmpuint (run (bench,
                         "mov.u64 %s, 8; call (%p), new, (%s);\n"
                         "st.u64 [%p], 77; st.global.u64 [%g], %p;\n",
                         1, CURED_FINDING_HEAP),
                    ==, 0);
  g_assert_cmpuint (run (bench,
                         "ld.global.u64 %p, [%g]; ld.u64 %q, [%p];\n"
                         "st.global.u64 [%g], %q; call old, (%p);\n",
                         1, CURED_FINDING_HEAP),
                    ==, 0);
  g_assert_cmpuint (bench->values[0], ==, 77);
}

TEST ("/heap/findings")
{
  static const struct
  {
    const char *wrong, *right;
    CuredFindingKind kind;
  } cases[] = {
    /* Freed twice. */
    { "call old, (%p); call old, (%p);", "call old, (%p);", CURED_FINDING_HEAP },
    /* Freed from the middle. */
    { "add.u64 %p, %p, 16; call old, (%p);", "call old, (%p);", CURED_FINDING_HEAP },
    /* What malloc did not give. */
    { "call old, (%g);", "call old, (%p);", CURED_FINDING_HEAP },
    /* Read and written after it was freed. */
    { "call old, (%p); ld.u32 %u, [%p];", "ld.u32 %u, [%p]; call old, (%p);", CURED_FINDING_HEAP },
    { "call old, (%p); st.global.u8 [%p+39], 0;", "st.global.u8 [%p+39], 0; call old, (%p);",
      CURED_FINDING_HEAP },
    { "call old, (%p); atom.add.u32 %u, [%p], 1;", "atom.add.u32 %u, [%p], 1; call old, (%p);",
      CURED_FINDING_HEAP },
    /* Past the end, also by a byte of an access. */
    { "st.u8 [%p+40], 0;", "st.u8 [%p+39], 0;", CURED_FINDING_OUT_OF_BOUNDS },
    { "st.u64 [%p+40], 0;", "st.u64 [%p+32], 0;", CURED_FINDING_OUT_OF_BOUNDS },
    { "st.u32 [%p+-4], 0;", "st.u32 [%p], 0;", CURED_FINDING_OUT_OF_BOUNDS },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    for (guint is_right = 0; is_right < 2; is_right++)
      {
        g_autoptr (Bench) bench = bench_new ();
        g_autofree char *body =
            g_strconcat ("mov.u64 %s, 40; call (%p), new, (%s);\n"
                         "st.u64 [%p], 1; st.u64 [%p+32], 1;\n",
                         is_right ? cases[i].right : cases[i].wrong, "\n", NULL);

        g_assert_cmpuint (run (bench, body, 1, cases[i].kind), ==, is_right ? 0 : 1);
      }
}
