/* SPDX-License-Identifier: MIT
 * Findings: the table, the text, and how a launch gathers them. */
#include "access-bench.h"

#include <string.h>

#include "ptx/cured-finding-internal.h"
#include "ptx/emulator/cured-emulator.h"
#include "ptx/parse/cured-ptx-parse.h"
#include "test.h"

TEST ("/finding/table")
{
  g_autoptr (GHashTable) ids = g_hash_table_new (g_str_hash, g_str_equal);

  for (guint i = 0; i < CURED_N_FINDINGS; i++)
    {
      const CuredFindingInfo *info = cured_finding_info ((CuredFindingKind) i);

      g_assert_true (g_hash_table_add (ids, (gpointer) info->id));
      for (const char *p = info->id; *p != '\0'; p++)
        g_assert_true (g_ascii_islower (*p) || *p == '-');
      g_assert_cmpuint (strlen (info->title), >, 3);
      g_assert_cmpuint (strlen (info->meaning), >, 10);
      g_assert_nonnull (info->defect);
    }
  g_assert_cmpstr (cured_finding_info (CURED_FINDING_RACE_SHARED)->id, ==, "race-shared");
  g_assert_cmpstr (cured_finding_info (CURED_FINDING_RACE_SHARED)->defect, ==, "race");
}

TEST ("/finding/text")
{
  CuredFinding finding = {
    .kind = CURED_FINDING_RACE_SHARED,
    .kernel = (char *) "reduce_naive",
    .here = { .file = (char *) "/somewhere/reduce.cu",
              .line = 31,
              .ptx_line = 100,
              .what = "write",
              .block = { 1, 2, 0 },
              .warp = 1,
              .lanes = 0x8001ff0e },
    .there = { .ptx_line = 120, .source = (char *) "x = tile[3]", .what = "read", .lanes = 8 },
    .object = (char *) "tile[3]",
    .detail = (char *) "One more sentence.",
    .count = 211840,
  };
  g_autofree char *text = cured_finding_to_string (&finding);
  g_autoptr (CuredFinding) copy = cured_finding_copy (&finding);
  g_autofree char *copied = cured_finding_to_string (copy);

  g_assert_cmpstr (text, ==,
                   "Race in shared memory in reduce_naive: tile[3]\n"
                   "  write at reduce.cu:31 by block (1, 2, 0), warp 1, lanes 1–3, 8–16, 31\n"
                   "  read at line 120 of the PTX by block (0, 0, 0), warp 0, lane 3\n"
                   "    x = tile[3]\n"
                   "  One more sentence.\n"
                   "  211,840 times");
  g_assert_cmpstr (copied, ==, text);
  g_assert_true (copy->kernel != finding.kernel);
  finding = (CuredFinding){ .kind = CURED_FINDING_TRAP, .here = { .what = "trap" }, .count = 1 };
  g_autofree char *bare = cured_finding_to_string (&finding);
  g_assert_cmpstr (bare, ==, "Trap\n  trap by block (0, 0, 0), warp 0");
}

static void
report (AccessBench *self, CuredFindingKind kind, const CuredPtxInst *here,
        const CuredPtxInst *there, guint64 block, guint64 address)
{
  CuredWitness one = { .inst = here, .what = "write", .block = block };
  CuredWitness two = { .inst = there, .what = "read", .block = block };

  _cured_grid_report (&self->grid, kind, &one, there != NULL ? &two : NULL, CURED_SPACE_GLOBAL,
                      address, "block %u", (guint) block);
}

/* The same places and kind are one; the lowest block is described, whichever came first; the order
 * is by block and place. */
TEST ("/finding/gathering")
{
  g_autoptr (AccessBench) self = access_bench_new (EXEC_BENCH_BASELINE);
  CuredPtxInst a = { .site = 7, .line = 70, .file = 1 };
  CuredPtxInst b = { .site = 3, .line = 30, .file = 1 };

  self->launch.grid[0] = 3;
  self->launch.grid[1] = 2;
  self->launch.grid[2] = 2;
  report (self, CURED_FINDING_RACE_GLOBAL, &a, &b, 9, self->a);
  report (self, CURED_FINDING_RACE_GLOBAL, &a, &b, 5, self->a + 8);
  report (self, CURED_FINDING_RACE_GLOBAL, &a, &b, 7, self->a + 12);
  report (self, CURED_FINDING_RACE_GLOBAL, &a, &b, 5, self->a + 16);
  report (self, CURED_FINDING_RACE_GLOBAL, &b, &a, 5, self->a);
  report (self, CURED_FINDING_OUT_OF_BOUNDS, &a, NULL, 11, self->a + 4098);
  report (self, CURED_FINDING_OUT_OF_BOUNDS, &b, NULL, 2, 64);
  g_autoptr (GPtrArray) findings = access_bench_take_findings (self);
  g_assert_cmpuint (findings->len, ==, 4);
  const CuredFinding *finding = g_ptr_array_index (findings, 0);
  g_assert_cmpint (finding->kind, ==, CURED_FINDING_OUT_OF_BOUNDS);
  g_assert_cmpstr (finding->object, ==, "address 0x40");
  g_assert_cmpuint (finding->here.block[0], ==, 2);
  finding = g_ptr_array_index (findings, 1);
  g_assert_cmpint (finding->here.line, ==, 30);
  g_assert_cmpint (finding->there.line, ==, 70);
  finding = g_ptr_array_index (findings, 2);
  g_assert_cmpint (finding->here.line, ==, 70);
  g_assert_cmpstr (finding->here.file, ==, "/somewhere/k.cu");
  g_assert_cmpuint (finding->count, ==, 4);
  g_assert_cmpstr (finding->detail, ==, "block 5");
  g_assert_cmpstr (finding->object, ==, "a[2]");
  g_assert_cmpuint (finding->here.block[0], ==, 2);
  g_assert_cmpuint (finding->here.block[1], ==, 1);
  g_assert_cmpuint (finding->here.block[2], ==, 0);
  finding = g_ptr_array_index (findings, 3);
  g_assert_cmpstr (finding->object, ==, "a[1024] + 2 bytes");
  g_assert_cmpuint (finding->here.block[2], ==, 1);
}

/* Kernels that do everything wrong end, too. */
TEST ("/finding/cap")
{
  g_autoptr (AccessBench) self = access_bench_new (EXEC_BENCH_BASELINE);

  for (guint i = 0; i < 3000; i++)
    {
      CuredPtxInst inst = { .site = i };

      report (self, CURED_FINDING_MISALIGNED, &inst, NULL, 0, 0);
    }
  g_autoptr (GPtrArray) findings = access_bench_take_findings (self);
  g_assert_cmpuint (findings->len, ==, 1000);
}

static CuredFinding
make_finding (CuredFindingKind kind, int line, int ptx_line, int there, guint64 count)
{
  return (CuredFinding){
    .kind = kind,
    .kernel = (char *) "k",
    .here = { .file = (char *) "k.cu", .line = line, .ptx_line = ptx_line },
    .there = { .file = (char *) "k.cu", .line = there, .what = "read" },
    .count = count,
  };
}

/* One missing barrier of a loop that was unrolled is one finding. */
TEST ("/finding/lines")
{
  g_autoptr (GPtrArray) findings =
      g_ptr_array_new_with_free_func ((GDestroyNotify) cured_finding_free);
  CuredFinding finding;

  for (int i = 0; i < 18; i++)
    {
      finding = make_finding (CURED_FINDING_RACE_SHARED, 30, 100 + i, 40, 2);
      g_assert_true (cured_findings_add (findings, &finding) == (i == 0));
      /* Whoever of the two is caught. */
      finding = make_finding (CURED_FINDING_RACE_SHARED, 40, 200 + i, 30, 3);
      g_assert_false (cured_findings_add (findings, &finding));
    }
  g_assert_cmpuint (findings->len, ==, 1);
  const CuredFinding *first = g_ptr_array_index (findings, 0);
  g_assert_cmpuint (first->count, ==, 18 * 5);
  g_assert_cmpint (first->here.ptx_line, ==, 100);

  /* Another line, another kind, another kernel, or lines that nobody knows. */
  finding = make_finding (CURED_FINDING_RACE_SHARED, 30, 100, 41, 1);
  g_assert_true (cured_findings_add (findings, &finding));
  finding = make_finding (CURED_FINDING_RACE_GLOBAL, 30, 100, 40, 1);
  g_assert_true (cured_findings_add (findings, &finding));
  finding = make_finding (CURED_FINDING_RACE_SHARED, 30, 100, 40, 1);
  finding.kernel = (char *) "other";
  g_assert_true (cured_findings_add (findings, &finding));
  finding = make_finding (CURED_FINDING_MISALIGNED, 0, 7, 0, 1);
  g_assert_true (cured_findings_add (findings, &finding));
  g_assert_false (cured_findings_add (findings, &finding));
  finding = make_finding (CURED_FINDING_MISALIGNED, 0, 8, 0, 1);
  g_assert_true (cured_findings_add (findings, &finding));
  g_assert_cmpuint (findings->len, ==, 6);
}

/* Names of what is touched, as the source has them. */
TEST ("/finding/objects")
{
  static const char text[] = ".version 8.0\n.target sm_90\n.address_size 64\n"
                             ".const .align 4 .b8 _ZN2ns4coefE[64];\n"
                             ".global .align 4 .u32 counter;\n"
                             ".shared .align 4 .b8 _ZL5cache[64];\n"
                             ".extern .shared .align 16 .b8 dynamic[];\n"
                             ".visible .entry k (.param .u64 p) {\n"
                             ".shared .align 4 .b8 _ZZ1kE4tile_0[128];\n"
                             ".reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .b16 %h<3>;\n"
                             "mov.u32 %r1, _ZZ1kE4tile_0; ld.shared.u32 %r2, [%r1+12];\n"
                             "ld.shared.u8 %h1, [_ZZ1kE4tile_0+13];\n"
                             "ld.shared.v2.u32 {%r3, %r4}, [_ZL5cache+8];\n"
                             "ld.shared.f64 %rd3, [dynamic+16];\n"
                             "ld.shared.u32 %r5, [dynamic+400];\n"
                             "mov.u64 %rd1, counter; st.global.u32 [%rd1+4], %r2;\n"
                             "mov.u64 %rd2, _ZN2ns4coefE; ld.const.u8 %h2, [%rd2+70];\n"
                             "ret; }\n";
  static const char *const objects[] = {
    "tile[3] (shared memory, byte 76)",
    "tile[13] (shared memory, byte 77)",
    "cache[4] (shared memory, byte 8)",
    "dynamic[2] (shared memory, byte 208)",
    "dynamic[100] (shared memory, byte 592)",
    "counter[1]",
    "coef[70]",
  };
  g_autoptr (GError) error = NULL;
  g_autoptr (CuredMemory) memory = cured_memory_new (1 << 20);
  g_autoptr (CuredPtxModule) module = MUST (cured_ptx_module_parse (text, -1, "k.ptx", &fail));
  g_auto (CuredReport) told = { 0 };
  guint64 parameter = 0;
  CuredLaunch launch = {
    .module = module,
    .memory = memory,
    .entry = "k",
    .grid = { 1, 1, 1 },
    .block = { 1, 1, 1 },
    .shared_bytes = 64,
    .parameters = &parameter,
    .parameters_bytes = sizeof parameter,
    .watch = CURED_WATCH_UNDEFINED,
    /* What an element is, after the apostrophe of a remark. */
    .source = "// a warp's own\n__shared__ short cache[32];",
  };

  g_assert_true (cured_ptx_module_link (module, memory, &error));
  g_assert_true (MUST (cured_emulator_launch (&launch, &told, NULL, &fail)));
  g_assert_cmpuint (told.findings->len, ==, G_N_ELEMENTS (objects));
  for (guint i = 0; i < told.findings->len; i++)
    {
      const CuredFinding *finding = g_ptr_array_index (told.findings, i);

      g_assert_cmpstr (finding->object, ==, objects[i]);
    }
}
