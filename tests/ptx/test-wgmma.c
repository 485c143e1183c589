/* SPDX-License-Identifier: MIT
 * Products of matrices by four warps: what is refused, and what is found. What they give, the golden
 * cases say. */
#include <cured.h>
#include <string.h>

#include "test.h"

#define BYTES 32768

/* Each thread stores 256 bytes of the two tiles; %rd3 and %rd4 are their descriptors, without
 * strides. */
#define FRONT                                                                                      \
  ".version 8.3\n.target sm_90a\n.address_size 64\n"                                               \
  ".visible .entry k (.param .u64 p) {\n"                                                          \
  ".reg .pred %p<9>; .reg .b32 %r<20>; .reg .b64 %rd<9>;\n"                                        \
  ".shared .align 1024 .b8 s[32768];\n"                                                            \
  "ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x; mov.u32 %r2, s;\n"                                 \
  "mov.u32 %r4, 0; mul.lo.u32 %r5, %r1, 256;\n"                                                    \
  "F: add.u32 %r6, %r5, %r4; cvt.u64.u32 %rd2, %r6; add.u64 %rd2, %rd2, %rd1;\nld.global.u32 "     \
  "%r7, [%rd2]; add.u32 %r6, %r6, %r2;\n"                                                          \
  "st.shared.u32 [%r6], %r7; add.u32 %r4, %r4, 4; setp.lt.u32 %p1, %r4, 256;\n@%p1 bra "           \
  "F;\nfence.proxy.async.shared::cta;\nbar.sync 0;\n"                                              \
  "shr.u32 %r8, %r2, 4; cvt.u64.u32 %rd3, %r8; add.u64 %rd4, %rd3, 1024;\n"

static void
run (const char *ptx, guint n_threads, CuredReport *report)
{
  g_autoptr (CuredMemory) memory = cured_memory_new ((guint64) 1 << 22);
  g_autoptr (CuredPtxModule) module = MUST (cured_ptx_module_parse (ptx, -1, "wgmma.ptx", &fail));
  guint64 address;
  CuredLaunch launch = {
    .module = module,
    .memory = memory,
    .entry = "k",
    .grid = { 1, 1, 1 },
    .block = { n_threads, 1, 1 },
    .parameters = &address,
    .parameters_bytes = sizeof address,
    .watch = CURED_WATCH_RACES,
    .max_instructions = 1000000,
    .threads = 1,
  };

  MUST (cured_memory_allocate (memory, BYTES, &address, &fail));
  MUST (cured_ptx_module_link (module, memory, &fail));
  memset (cured_memory_map (memory, address, BYTES), 0, BYTES);
  MUST (cured_emulator_launch (&launch, report, NULL, &fail));
}

TEST ("/wgmma/refused")
{
  static const struct
  {
    const char *body, *message;
  } bodies[] = {
    { "m64n8k16.f32.f16.f16 {%r1, %r2, %r3}, %rd3, %rd4, 1, 1, 1, 0, 0;",
      "another number of registers for d" },
    { "m64n12k16.f32.f16.f16 {%r1, %r2, %r3, %r4}, %rd3, %rd4, 1, 1, 1, 0, 0;", "knows no word" },
    { "m64n8k8.f32.f16.f16 {%r1, %r2, %r3, %r4}, %rd3, %rd4, 1, 1, 1, 0, 0;",
      "no such shape for these types" },
    { "m64n8k16.f32.f16.f16 {%r1, %r2, %r3, %r4}, %rd3, %rd4, 1, 1, 1;",
      "another number of scales" },
    { "m64n8k16.f16.bf16.bf16 {%r1, %r2}, %rd3, %rd4, 1, 1, 1, 0, 0;",
      "no such shape for these types" },
    { "m64n8k16.f32.f16.f16 {%r1, %r2, %r3, %r4}, {%r5, %r6}, %rd4, 1, 1, 1, 0;",
      "a descriptor or four registers" },
    { "m64n40k32.s32.s8.s8 {%r1}, %rd3, %rd4, 1;", "no such shape" },
    { "m64n8k256.s32.b1.b1 {%r1, %r2, %r3, %r4}, %rd3, %rd4, 1;", ".and.popc" },
    { ".sp m64n8k32.f32.f16.f16 {%r1, %r2, %r3, %r4}, %rd3, %rd4, %r5, 2, 1, 1, 1, 0, 0;",
      "no such selector" },
    { ".sp m64n8k64.s32.s8.s8 {%r1, %r2, %r3, %r4}, %rd3, %rd4, %r5, 1, 1;", "no such selector" },
    { ".sp m64n8k16.f32.f16.f16 {%r1, %r2, %r3, %r4}, %rd3, %rd4, %r5, 0, 1, 1, 1, 0, 0;",
      "no such shape for these types" },
    { "m64n8k64.s32.s8.s8 {%r1, %r2, %r3, %r4}, %rd3, %rd4, 1;", "no such shape for these types" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (bodies); i++)
    {
      g_autoptr (GError) error = NULL;
      gboolean is_sparse = g_str_has_prefix (bodies[i].body, ".sp ");
      g_autofree char *ptx =
          g_strconcat (FRONT "wgmma.mma_async", is_sparse ? ".sp" : "", ".sync.aligned.",
                       bodies[i].body + (is_sparse ? 4 : 0), "ret;\n}\n", NULL);
      CuredPtxModule *module = cured_ptx_module_parse (ptx, -1, "wgmma.ptx", &error);

      g_assert_null (module);
      g_test_message ("%s", error->message);
      g_assert_nonnull (strstr (error->message, bodies[i].message));
    }
}

#define MULTIPLY                                                                                   \
  "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%r14, %r15, %r16, %r17}, {%r10, %r11, "      \
  "%r12, %r13}, %rd4, 1, 1, 1, 0;\n"
#define ORDER  "wgmma.fence.sync.aligned;\n"
#define COMMIT "wgmma.commit_group.sync.aligned;\n"
#define WAIT   "wgmma.wait_group.sync.aligned 0;\n"
#define USE    "add.f32 %r18, %r14, %r15;\n"

/* What is found, and in a twin is not. */
TEST ("/wgmma/found")
{
  static const struct
  {
    const char *body;
    const char *text; /* NULL: nothing */
    guint threads;
  } bodies[] = {
    { ORDER MULTIPLY COMMIT WAIT USE, NULL, 128 },
    { ORDER MULTIPLY COMMIT USE WAIT, "may still have this register", 128 },
    { ORDER MULTIPLY USE COMMIT WAIT, "may still have this register", 128 },
    /* An older group is waited for, and the last one not. */
    { ORDER MULTIPLY COMMIT MULTIPLY COMMIT "wgmma.wait_group.sync.aligned 1;\n" USE WAIT,
      "may still have this register", 128 },
    { ORDER MULTIPLY COMMIT MULTIPLY COMMIT WAIT USE, NULL, 128 },
    /* A's registers may be read, and not written. */
    { ORDER MULTIPLY COMMIT "add.u32 %r18, %r10, 1;\n" WAIT, NULL, 128 },
    { ORDER MULTIPLY COMMIT "add.u32 %r10, %r11, 1;\n" WAIT, "may still have this register", 128 },
    { MULTIPLY COMMIT WAIT, "no wgmma.fence", 128 },
    { ORDER "add.u32 %r10, %r11, 1;\n" MULTIPLY COMMIT WAIT, "written after the last wgmma.fence",
      128 },
    { "add.u32 %r10, %r11, 1;\n" ORDER MULTIPLY COMMIT WAIT, NULL, 128 },
    { ORDER MULTIPLY COMMIT WAIT "add.f32 %r14, %r14, %r14;\n" MULTIPLY COMMIT WAIT,
      "written after the last wgmma.fence", 128 },
    { ORDER MULTIPLY COMMIT WAIT "add.f32 %r14, %r14, %r14;\n" ORDER MULTIPLY COMMIT WAIT, NULL,
      128 },
    { ORDER MULTIPLY COMMIT, "nothing waits for the product", 128 },
    /* The tile is stored to. */
    { ORDER MULTIPLY COMMIT "bar.sync 0; st.shared.u32 [%r2 + 16384], 0;\n" WAIT,
      "may not have read this yet", 128 },
    { ORDER MULTIPLY COMMIT WAIT "bar.sync 0;\nsetp.ne.u32 %p2, %r1, 0;\n"
                                 "@!%p2 st.shared.u32 [%r2 + 16384], 0;\n",
      NULL, 128 },
    { ORDER MULTIPLY COMMIT WAIT, "it is for four warps", 64 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (bodies); i++)
    {
      g_autofree char *ptx =
          g_strconcat (FRONT "or.b64 %rd4, %rd4, 0x1000080000;\n"
                             "mov.b32 %r10, 0; mov.b32 %r11, 0; mov.b32 %r12, 0;\n"
                             "mov.b32 %r13, 0; mov.b32 %r14, 0; mov.b32 %r15, 0;\n"
                             "mov.b32 %r16, 0; mov.b32 %r17, 0;\n",
                       bodies[i].body, "ret;\n}\n", NULL);
      g_auto (CuredReport) report = { 0 };
      gboolean is_found = FALSE;

      run (ptx, bodies[i].threads, &report);
      for (guint f = 0; f < report.findings->len; f++)
        {
          const CuredFinding *finding = report.findings->pdata[f];

          g_test_message ("%zu: %s", i, finding->detail);
          is_found |= bodies[i].text != NULL && strstr (finding->detail, bodies[i].text) != NULL;
        }
      g_assert_cmpint (is_found, ==, bodies[i].text != NULL);
      if (bodies[i].text == NULL)
        g_assert_cmpuint (report.findings->len, ==, 0);
    }
}
