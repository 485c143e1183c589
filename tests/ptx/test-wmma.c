/* SPDX-License-Identifier: MIT
 * Faults of a fragment of wmma or a sparse factor; their results are golden cases. */
#include <cured.h>

#include "test.h"

#define HEAD ".version 8.8\n.target sm_90a\n.address_size 64\n"

static CuredPtxModule *
parse (const char *body, GError **error)
{
  g_autofree char *text = g_strconcat (
      HEAD ".shared .align 128 .b8 s[256];\n.visible .entry k () {\n.reg .b32 %a<8>, %t;\n", body,
      "ret;\n}\n", NULL);

  return cured_ptx_module_parse (text, -1, "wmma.ptx", error);
}

/* A matrix that is longer than the memory it is in. */
TEST ("/wmma/findings")
{
  g_autoptr (CuredMemory) memory = cured_memory_new (1 << 20);
  g_autoptr (CuredPtxModule) module =
      MUST (parse ("mov.u32 %t, %tid.x; shl.b32 %t, %t, 3; st.shared.b64 [%t], 0; bar.sync 0;\n"
                   "wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 "
                   "{%a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7}, [s], 16;\n",
                   &fail));
  g_auto (CuredReport) report = { 0 };
  CuredLaunch launch = {
    .module = module,
    .memory = memory,
    .entry = "k",
    .grid = { 1, 1, 1 },
    .block = { 32, 1, 1 },
    .watch = CURED_WATCH_RACES | CURED_WATCH_UNDEFINED,
    .threads = 1,
  };

  MUST (cured_ptx_module_link (module, memory, &fail));
  MUST (cured_emulator_launch (&launch, &report, NULL, &fail));
  g_assert_cmpuint (report.findings->len, ==, 1);
  g_assert_cmpint (((const CuredFinding *) report.findings->pdata[0])->kind, ==,
                   CURED_FINDING_OUT_OF_BOUNDS);
}

/* Selectors of the metadata: as many as there are, and one more. */
TEST ("/wmma/selectors")
{
  static const struct
  {
    const char *shape, *factors;
    guint n;
  } rows[] = {
    { "m16n8k16", "{%a0, %a1, %a2, %a3}, {%a0, %a1}, {%a2, %a3}, {%a0, %a1, %a2, %a3}", 4 },
    { "m16n8k32",
      "{%a0, %a1, %a2, %a3}, {%a0, %a1, %a2, %a3}, {%a0, %a1, %a2, %a3}, {%a0, %a1, %a2, %a3}", 2 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    for (guint selector = 0; selector <= rows[i].n; selector++)
      {
        g_autofree char *body =
            g_strdup_printf ("mma.sp.sync.aligned.%s.row.col.f32.f16.f16.f32 %s, %%t, %u;\n",
                             rows[i].shape, rows[i].factors, selector);
        g_autoptr (GError) error = NULL;
        g_autoptr (CuredPtxModule) module = parse (body, &error);

        g_test_message ("%s %s", body, error != NULL ? error->message : "");
        g_assert_true ((module != NULL) == (selector < rows[i].n));
      }
}
