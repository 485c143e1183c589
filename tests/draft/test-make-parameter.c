/* SPDX-License-Identifier: MIT
 * Numbers of a kernel file that become parameters. No display. */
#include <string.h>

#include <cured.h>

#include "test-compiled.h"
#include "test.h"

#define HEADER(entry, shape)                                                                       \
  "/*! cured\n * [Kernel]\n * Title=T\n *\n * [Buffer out]\n * Type=f32\n * Length=4096\n"         \
  " * Fill=poison\n *\n * [Launch]\n * Entry=" entry "\n" shape " * Arguments=out\n */\n"
#define CODE(attributes, value)                                                                    \
  "__global__ void" attributes "\n"                                                                \
  "k (float *out)\n{\n  out[blockIdx.x * blockDim.x + threadIdx.x] = " value ";\n}\n"

static const struct
{
  const char *name;
  const char *source;
  const char *at;       /* in the line that is chosen */
  const char *parts[5]; /* of the new source; none: it is refused */
} rows[] = {
  { "define",
    HEADER ("k", " * Grid=4096/64\n * Block=64\n") "#define TILE 64\n" CODE ("", "TILE"),
    "#define",
    { " * [Parameter tile]\n * Kind=compile\n * Values=16,32,64,128,256\n * Default=64\n *\n"
      " * [Launch]\n",
      " * Grid=4096/tile\n * Block=tile\n", "#ifndef TILE\n#define TILE 64\n#endif\n" } },
  { "constant",
    HEADER ("k", " * Grid=8\n * Block=64\n") "const int twice = 2;\n" CODE ("", "twice"),
    "const int",
    { "#ifndef TWICE\n#define TWICE 2\n#endif\nconst int twice = TWICE;\n" } },
  { "block",
    HEADER ("k", " * Grid=8\n * Block=64\n") CODE ("", "1"),
    "Block=",
    { " * [Parameter block]\n * Kind=launch\n * Values=32,64,96,128,192,256,384\n",
      "Block=block\n" } },
  /* Half a grid would be left out. */
  { "divides",
    HEADER ("k", " * Grid=96/24\n * Block=24\n") "#define TILE 24\n" CODE ("", "TILE"),
    "#define",
    { " * Values=8,12,16,24,32,48\n" } },
  { "bounds",
    HEADER ("k", " * Grid=8\n * Block=128\n") CODE (" __launch_bounds__ (128)", "1"),
    "__launch_bounds__",
    { " * [Parameter threads]\n * Kind=compile\n * Values=32,64,96,128,192,256,384,512,768\n",
      "Block=threads\n",
      "#ifndef THREADS\n#define THREADS 128\n#endif\n__global__ void __launch_bounds__ "
      "(THREADS)\n" } },
  /* The kernel needs its 128 threads: the bound alone changes. */
  { "bounds-alone",
    HEADER ("k", " * Grid=8\n * Block=128\n") CODE (" __launch_bounds__ (128)", "128"),
    "__launch_bounds__",
    { " * Values=128,192,256,384,512,768\n", "Block=128\n", " = 128;" } },
  { "bounds-blocks",
    HEADER ("k", " * Grid=8\n * Block=256\n") CODE (" __launch_bounds__ (THREADS, 2)", "1"),
    "__launch_bounds__",
    { " * [Parameter min_blocks]\n * Kind=compile\n * Values=1,2,4,8,16\n", "Block=256\n",
      "__launch_bounds__ (THREADS, MIN_BLOCKS)\n" } },
  { "bounds-resident",
    HEADER ("k", " * Grid=8\n * Block=256\n") CODE (" __launch_bounds__ (512, 2)", "512"),
    "__launch_bounds__",
    { " * [Parameter threads]\n * Kind=compile\n * Values=512,768,1024\n" } },
  { "template",
    HEADER ("k<float, 64, 2>", " * Grid=4096/64\n * Block=64\n") "template <typename T, int TILE = "
                                                                 "16, int N = 1>\n" CODE ("",
                                                                                          "TILE"),
    "template",
    { " * [Parameter k_tile]\n * Kind=compile\n * Values=16,32,64,128,256\n * Default=64\n",
      " * Entry=k<float, K_TILE, 2>\n * Grid=4096/k_tile\n * Block=k_tile\n", "int TILE = 16" } },
  { "entry",
    HEADER ("ns::k<64>", " * Grid=4096/64\n * Block=64\n") "namespace ns\n{\ntemplate <int "
                                                           "size>\n" CODE ("", "size") "}\n",
    "Entry=",
    { " * [Parameter size]\n * Kind=compile\n", " * Entry=ns::k<SIZE>\n", "template <int size>" } },
  { "next-argument",
    HEADER ("k<K_TILE, 2>",
            " * Grid=8\n * Block=64\n") "template <int TILE, int N>\n" CODE ("", "TILE"),
    "Entry=",
    { " * [Parameter k_n]\n", " * Entry=k<K_TILE, K_N>\n" } },
  { "other-template",
    HEADER ("k<64>", " * Grid=8\n * Block=64\n") "template <int A>\n__device__ int f () { return "
                                                 "A; }\ntemplate <int B>\n" CODE ("", "B"),
    "template <int A>",
    { " * [Parameter k_b]\n" } },
  { "no-number", HEADER ("k", " * Grid=8\n * Block=64\n") CODE ("", "1"), "out[", { NULL } },
  { "fixed-block", HEADER ("k", " * Grid=8\n * Block=64\n") CODE ("", "64"), "Block=", { NULL } },
  { "two-names",
    HEADER ("k", " * Grid=8\n * Block=64\n") "const int twice = 2;\n" CODE ("", "twice + TWICE"),
    "const int",
    { NULL } },
  { "no-header", "#define TILE 64\n" CODE ("", "TILE"), "#define", { NULL } },
};

static int
get_line (const char *source, const char *at)
{
  int line = 1;

  for (const char *c = source; c < at; c++)
    line += *c == '\n';
  return line;
}

TEST_ROWS ("/make-parameter/%s", rows)
{
  const typeof (rows[0]) *row = data;
  g_autofree char *name = NULL;

  if (row->parts[0] == NULL)
    {
      FAILS (cured_make_parameter (
                 row->source, get_line (row->source, strstr (row->source, row->at)), &name, &fail),
             CURED_ERROR, CURED_ERROR_INVALID, "");
      g_assert_null (name);
      return;
    }
  g_autofree char *text = MUST (cured_make_parameter (
      row->source, get_line (row->source, strstr (row->source, row->at)), &name, &fail));
  for (gsize i = 0; row->parts[i] != NULL; i++)
    if (strstr (text, row->parts[i]) == NULL)
      g_error ("“%s” is not in:\n%s", row->parts[i], text);
  g_autoptr (CuredKernel) kernel = MUST (cured_kernel_new_from_text (text, "t.cu", "t.cu", &fail));
  gsize parameter;
  g_assert_true (cured_kernel_find_parameter (kernel, name, &parameter));
}

/* The compiler takes a macro as an argument of the template. */
TEST ("/make-parameter/compiles")
{
  const char *source = rows[8].source;
  const gint64 values[] = { 32 };
  CuredBankQuery query;
  g_autofree char *name = NULL;

  NEED_COMPILER ();
  cured_bank_query_init (&query);
  g_assert_cmpstr (rows[8].name, ==, "template");
  g_autofree char *text = MUST (
      cured_make_parameter (source, get_line (source, strstr (source, "template")), &name, &fail));
  g_autoptr (CuredKernel) kernel = MUST (cured_kernel_new_from_text (text, "t.cu", "t.cu", &fail));
  g_autoptr (CuredCompiler) compiler = MUST (cured_compiler_new (&fail));
  g_autoptr (CuredInspection) inspection =
      MUST (cured_inspection_new (compiler, kernel, values, &cured_profile_find ("sm_90")->limits,
                                  &query, CURED_INSPECTION_TIME_LIMIT_MS, NULL, &fail));
  g_assert_cmpuint (inspection->n_blocks, ==, 4096 / 32);
  g_assert_cmpuint (inspection->diagnostics->len, ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  return run_tests ();
}
