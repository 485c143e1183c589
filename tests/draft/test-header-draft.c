/* SPDX-License-Identifier: MIT
 * Headers that are guessed for CUDA files that have none. */
#include <cured.h>
#include <math.h>
#include <string.h>
#include "base/cured-expr-internal.h"
#include "draft/cured-header-draft-internal.h"
#include "make-result.h"
#include "test.h"

static const char plain_source[] =
    "// __global__ void not_this (int a);\n"
    "#include <cuda_fp16.h>\n"
    "#define WORD \"__global__ void nor_this (int a) {}\"\n"
    "const char *text = \"__global__ void nor_that (int a) {}\";\n\n"
    "/* __global__ void neither (void) {} */\n"
    "__global__ void __launch_bounds__ (256, 2)\n"
    "scale (const float *__restrict__ in, float *out, int n, float factor = 2.0f)\n{\n"
    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (i < n)\n"
    "    out[i] = factor * in[i];\n}\n"
    "extern \"C\" __global__ void two (double2 a[], size_t const rows, unsigned long long)\n{\n}\n"
    "extern \"C\" {\n"
    "  __global__ void three () { }\n}\n"
    "template <typename T, int N> __global__ void four (T *data) { }\n";

static const CuredDraftFunction *
get_function (GPtrArray *list, guint n, const char *name)
{
  g_assert_cmpuint (list->len, >, n);
  g_assert_cmpstr (((CuredDraftFunction *) list->pdata[n])->name, ==, name);
  return list->pdata[n];
}

TEST ("/header-draft/scan")
{
  g_autoptr (GPtrArray) list = cured_header_draft_scan (plain_source, NULL);
  const CuredDraftFunction *function = get_function (list, 0, "scale");

  g_assert_cmpuint (list->len, ==, 4);
  g_assert_cmpint (function->line, ==, 7);
  g_assert_false (function->is_extern_c);
  g_assert_false (function->is_template);
  g_assert_false (function->uses_y);
  g_assert_cmpuint (function->n_arguments, ==, 4);
  g_assert_cmpstr (function->arguments[0].name, ==, "in");
  g_assert_cmpstr (function->arguments[0].type, ==, "const float *");
  g_assert_true (function->arguments[0].is_pointer);
  g_assert_true (function->arguments[0].is_const);
  g_assert_true (function->arguments[0].is_exact);
  g_assert_cmpint (function->arguments[0].element, ==, CURED_ELEMENT_F32);
  g_assert_false (function->arguments[1].is_const);
  g_assert_cmpstr (function->arguments[2].name, ==, "n");
  g_assert_cmpint (function->arguments[2].element, ==, CURED_ELEMENT_I32);
  g_assert_cmpstr (function->arguments[3].name, ==, "factor");
  g_assert_cmpint (function->arguments[3].element, ==, CURED_ELEMENT_F32);

  function = get_function (list, 1, "two");
  g_assert_true (function->is_extern_c);
  g_assert_cmpuint (function->n_arguments, ==, 3);
  g_assert_true (function->arguments[0].is_pointer);
  g_assert_cmpuint (function->arguments[0].count, ==, 2);
  g_assert_cmpint (function->arguments[0].element, ==, CURED_ELEMENT_F64);
  g_assert_cmpstr (function->arguments[1].name, ==, "rows");
  g_assert_cmpint (function->arguments[1].element, ==, CURED_ELEMENT_U64);
  g_assert_cmpstr (function->arguments[2].name, ==, "arg3");

  g_assert_true (get_function (list, 2, "three")->is_extern_c);
  g_assert_cmpuint (get_function (list, 2, "three")->n_arguments, ==, 0);
  g_assert_true (get_function (list, 3, "four")->is_template);
}

/* The draft is a kernel file, and it runs. */
TEST ("/header-draft/apply")
{
  g_autoptr (GPtrArray) list = cured_header_draft_scan (plain_source, NULL);
  const CuredDraftFunction *function = get_function (list, 0, "scale");
  g_autoptr (CuredHeaderDraft) draft = cured_header_draft_new (function, "Scale */ it\nup");
  g_autofree char *text = cured_header_draft_apply (draft, function, plain_source);
  g_autoptr (CuredKernel) kernel = MUST (cured_kernel_new_from_text (text, "scale", NULL, &fail));
  const CuredBuffer *buffers;

  g_assert_cmpstr (kernel->title, ==, "Scale * it up");
  buffers = kernel->buffers;
  gsize n = kernel->n_buffers;
  g_assert_cmpuint (n, ==, 2);
  g_assert_cmpint (buffers[0].fill, ==, CURED_FILL_UNIFORM);
  g_assert_cmpint (buffers[1].fill, ==, CURED_FILL_POISON);
  g_assert_true (cured_kernel_find_parameter (kernel, "n", &n));
  g_assert_true (cured_kernel_find_parameter (kernel, "threads", &n));
  g_assert_nonnull (strstr (text, "\nextern \"C\" __global__ void __launch"));
  g_assert_true (cured_header_is_there (text));
  g_assert_false (cured_header_is_there (plain_source));

  /* Done once, it has not to be done again. */
  g_ptr_array_unref (list);
  list = cured_header_draft_scan (text, NULL);
  g_assert_true (get_function (list, 0, "scale")->is_extern_c);
}

TEST ("/header-draft/square")
{
  static const char source[] =
      "__global__ void add (float *a, const float4 *b, int width, int height)\n"
      "{ int y = threadIdx.y; }\n";
  g_autoptr (GPtrArray) list = cured_header_draft_scan (source, NULL);
  const CuredDraftFunction *function = get_function (list, 0, "add");
  g_autoptr (CuredHeaderDraft) draft = cured_header_draft_new (function, "Add");
  g_autofree char *text = cured_header_draft_apply (draft, function, source);
  g_autoptr (CuredKernel) kernel = MUST (cured_kernel_new_from_text (text, "add", NULL, &fail));

  g_assert_nonnull (strstr (text, "Type=f32x4\n * Length=width*height"));
  g_assert_nonnull (strstr (text, "Block=threads_x,threads_y"));
}

static CuredHeaderDraft *
make_draft (const char *source, const char *context, guint nth, const char *name)
{
  g_autoptr (GPtrArray) list = cured_header_draft_scan (source, context);

  return cured_header_draft_new_from_source (source, context, get_function (list, nth, name), name);
}

static CuredKernel *
make_kernel (const CuredHeaderDraft *draft, const char *source)
{
  g_autofree char *text = cured_header_draft_apply (draft, NULL, source);
  return MUST (cured_kernel_new_from_text (text, "k", NULL, &fail));
}

static const CuredDraftParameter *
find_parameter (const CuredHeaderDraft *draft, const char *name)
{
  for (guint i = 0; i < draft->parameters->len; i++)
    {
      const CuredDraftParameter *parameter = draft->parameters->pdata[i];

      if (g_str_equal (parameter->name, name))
        return parameter;
    }
  g_error ("no parameter %s", name);
}

/* What the host's code says of a launch is what the header has. */
TEST ("/header-draft/launch")
{
  static const char source[] =
      "#define TILE 16\n"
      "#define CEIL_DIV(a, b) (((a) + (b) - 1) / (b))\n"
      "struct pair { int a; double b; };\n"
      "namespace ns {\n"
      "template <typename T, int N> __global__ void k (T *out, const T *in, int n) { out[0] = "
      "in[0]; }\n}\n"
      "__global__ void two (pair *p, float x, int rows) { }\n"
      "void run (float *a, const float *b, int n, int block)\n{\n"
      "  const int blocks = CEIL_DIV (n, block);\n"
      "  ns::k<float, TILE><<<blocks, block, 2 * sizeof (float)>>> (a, b, n);\n}\n"
      "int main (int argc, char **argv)\n{\n"
      "  int n = argc > 1 ? atoi (argv[1]) : 1 << 12;\n"
      "  float *a, *b;\n"
      "  pair *p;\n"
      "  dim3 grid (n / TILE, 4), threads (TILE, TILE);\n"
      "  cudaMalloc ((void **) &a, n * sizeof (float));\n"
      "  cudaMalloc (&b, sizeof (float) * n);\n"
      "  cudaMalloc (&p, n * sizeof (pair));\n"
      "  run (a, b, n, 256);\n"
      "  two<<<grid, threads>>> (p, 0.5f, 3 * 7);\n}\n";
  g_autoptr (CuredHeaderDraft) first = make_draft (source, NULL, 0, "k");
  g_autoptr (CuredHeaderDraft) second = make_draft (source, NULL, 1, "two");
  g_autoptr (CuredKernel) kernel = make_kernel (first, source);
  const CuredDraftParameter *size = find_parameter (first, "n");
  const CuredDraftParameter *block = find_parameter (first, "block");
  const CuredDraftBuffer *out = first->buffers->pdata[0];

  g_assert_cmpstr (first->entry, ==, "ns::k<float, 16>");
  /* A number that a caller gives is one that can be varied. */
  g_assert_cmpstr (first->block, ==, "block");
  g_assert_cmpstr (block->default_value, ==, "256");
  g_assert_cmpstr (first->shared, ==, "8");
  g_assert_cmpstr (first->arguments, ==, "out,in,n");
  g_assert_cmpstr (size->name, ==, "n");
  g_assert_cmpstr (size->default_value, ==, "4096");
  g_assert_cmpstr (out->length, ==, "n");
  g_assert_cmpstr (out->fill, ==, "poison");
  g_assert_cmpstr (second->block, ==, "16,16");
  g_assert_nonnull (strstr (second->grid, "n/16"));
  g_assert_cmpstr (second->arguments, ==, "p,0.5:f32,21");
  /* The source says what a pair is. */
  g_assert_cmpstr (((CuredDraftBuffer *) second->buffers->pdata[0])->record, ==, "struct:pair");
  g_assert_cmpstr (((CuredDraftBuffer *) second->buffers->pdata[0])->length, ==, "n");
}

/* Names that a header has for itself, none at all, and a mark in front. */
TEST ("/header-draft/names")
{
  static const char source[] =
      "\xef\xbb\xbf__global__ void k (int *max, int threads, unsigned X) {}\n";
  g_autoptr (GPtrArray) list = cured_header_draft_scan (source, NULL);
  const CuredDraftFunction *function = get_function (list, 0, "k");
  g_autoptr (CuredHeaderDraft) draft = cured_header_draft_new (function, "K");
  g_autofree char *text = cured_header_draft_apply (draft, function, source);

  g_assert_true (g_str_has_prefix (text, "\xef\xbb\xbf/*! cured"));
  g_assert_nonnull (strstr (text, "extern \"C\" __global__"));
  g_autoptr (CuredKernel) kernel = MUST (cured_kernel_new_from_text (text + 3, "k", NULL, &fail));
}

/* Anything may be opened: cut at every byte, and with random bytes. */
TEST ("/header-draft/odd")
{
  static const char *const odd[] = {
    "",
    "__global__",
    "__global__ void",
    "__global__ void k",
    "__global__ void k (",
    "__global__ void k (int",
    "__global__ void k (int *",
    "__global__ ()",
    "__global__ void (*pointer) (int);",
    "__global__ void k (void (*f) (int, int), int a[2][3]);",
    "__global__ void k (thing<int, 3> a, other<x<y>> *b) {}",
    "__global__ __attribute__ ((noinline)) void k (int a) {}",
    "R\"x(__global__ void k (int a) {})x\" ' \" /*",
    "#define A \\\n __global__ void k () {}\n'",
    "#",
    "\"\\",
    "{{{{}}}}}}}}} __global__ void k (int , , ) {",
    "template <int N = (3 > 2)> __global__ void k (int a) {}",
    "/*! cured",
  };

  for (gsize i = 0; i < G_N_ELEMENTS (odd); i++)
    g_ptr_array_unref (cured_header_draft_scan (odd[i], NULL));
  for (gsize i = 0; i < sizeof plain_source; i++)
    {
      g_autofree char *cut = g_strndup (plain_source, i);
      g_autoptr (GPtrArray) list = cured_header_draft_scan (cut, NULL);

      for (guint k = 0; k < list->len; k++)
        {
          g_autoptr (CuredHeaderDraft) draft = cured_header_draft_new (list->pdata[k], "x");
          g_autofree char *text = cured_header_draft_apply (draft, list->pdata[k], cut);

          g_assert_cmpuint (strlen (text), >, i);
        }
    }
  for (int turn = 0; turn < 3000; turn++)
    {
      static const char bits[] = "(){}<>[];,*\"'/\\#\n =_aR&:";
      g_autofree char *text = g_strdup (plain_source);

      for (int k = 0; k < 8; k++)
        text[g_test_rand_int_range (0, sizeof plain_source - 1)] =
            bits[g_test_rand_int_range (0, sizeof bits - 1)];
      g_ptr_array_unref (cured_header_draft_scan (text, NULL));
    }
}

/* Vectors and structs are passed by value, and narrow types by their names. */
TEST ("/header-draft/by-value")
{
  static const char source[] = "struct P { float a; int n[2]; };\n"
                               "__global__ void k (float4 v, P p, __half s, unsigned char c,\n"
                               "                   const __half *in, short *out) { }\n"
                               "void f (__half *i, short *o, P p) { k<<<4, 32>>> (make_float4 (0, "
                               "0, 0, 0), p, 1, 2, i, o); }\n";
  g_autoptr (CuredHeaderDraft) draft = make_draft (source, NULL, 0, "k");
  g_autoptr (CuredKernel) kernel = make_kernel (draft, source);

  g_assert_true (g_str_has_prefix (draft->arguments, "(1,1,1,1):f32x4,(1,1,1):struct:P,"));
  g_assert_nonnull (strstr (draft->arguments, ":f16,"));
  g_assert_nonnull (strstr (draft->arguments, ":u8,"));
  g_assert_cmpint (kernel->buffers[0].type, ==, CURED_ELEMENT_F16);
  g_assert_cmpint (kernel->buffers[1].type, ==, CURED_ELEMENT_I16);
}

/* Pointers to vectors and structs; one whose struct has a pointer, or stands elsewhere, is bytes as
 * before. */
TEST ("/header-draft/records")
{
  static const char source[] = "typedef struct { float4 at; float mass; } Body;\n"
                               "struct Node { int key; Node *next; };\n"
                               "__global__ void k (const Body *__restrict__ in, int2 *pairs,\n"
                               "                   struct Node *list, float4 *out, int n)\n"
                               "{ out[n] = in[n].at; pairs[n].x = list[n].key; }\n"
                               "void f (int n) {\n"
                               "  Body *i; int2 *p; Node *l; float4 *o;\n"
                               "  cudaMalloc (&i, n * sizeof (Body));\n"
                               "  cudaMalloc (&p, n * sizeof (int2));\n"
                               "  cudaMalloc (&l, n * sizeof (Node));\n"
                               "  cudaMalloc (&o, n * sizeof (float4));\n"
                               "  k<<<n / 32, 32>>> (i, p, l, o, n); }\n";
  g_autoptr (CuredHeaderDraft) draft = make_draft (source, NULL, 0, "k");
  g_autoptr (CuredKernel) kernel = make_kernel (draft, source);
  static const char *const types[] = { "struct:Body", "i32x2", "u32", "f32x4" };

  for (gsize i = 0; i < G_N_ELEMENTS (types); i++)
    {
      g_autofree char *type = cured_kernel_describe_type (kernel, i);

      g_assert_cmpstr (type, ==, types[i]);
    }
  g_assert_cmpstr (cured_expr_get_text (kernel->buffers[0].length), ==, "n");
  g_assert_cmpint (kernel->buffers[0].fill, ==, CURED_FILL_UNIFORM);
  g_assert_cmpint (kernel->buffers[3].fill, ==, CURED_FILL_POISON);
  g_assert_cmpstr (cured_expr_get_text (kernel->buffers[2].length), ==, "4*(n)");
}

/* Constants of the host's alone are sizes that can be others; what device code is compiled with is
 * not, nor is what is made of it. Types have the file's own names, parameters their defaults, and a
 * kernel's launch by another one says nothing. */
TEST ("/header-draft/constants")
{
  static const char source[] =
      "#define FIXED 512\n"
      "#define BLOCK 256\n"
      "#ifdef NO\n"
      "#define USE_DP\n"
      "#endif\n"
      "#ifdef USE_DP\n"
      "typedef double real;\n"
      "#else\n"
      "typedef float real;\n"
      "#endif\n"
      "__global__ void child (int *a) { a[threadIdx.x] = 1; }\n"
      "__global__ void k (real *a, const real x, size_t n, int turns = 3)\n"
      "{ __shared__ real s[FIXED]; child<<<99, 99>>> (0); }\n"
      "int main () {\n"
      "  const int n = 100000000;\n"
      "  int size = FIXED * sizeof (int);\n"
      "  int *b; real *a;\n"
      "  cudaMalloc (&a, n * sizeof (real));\n"
      "  cudaMalloc (&b, size);\n"
      "  k<<<(n - 1) / BLOCK + 1, BLOCK>>> (a, 1.9 * 1.9, n);\n"
      "  child<<<1, FIXED>>> (b); }\n";
  g_autoptr (CuredHeaderDraft) child = make_draft (source, NULL, 0, "child");
  g_autoptr (CuredHeaderDraft) draft = make_draft (source, NULL, 1, "k");
  const CuredDraftBuffer *a = draft->buffers->pdata[0];
  const CuredDraftBuffer *b = child->buffers->pdata[0];

  g_assert_cmpstr (find_parameter (draft, "n")->default_value, ==, "100000000");
  /* Small ones are among them, for a check. */
  g_assert_cmpint (g_ascii_strtoll (find_parameter (draft, "n")->values, NULL, 10), <, 8192);
  g_assert_cmpstr (draft->block, ==, "BLOCK");
  g_assert_cmpstr (find_parameter (draft, "BLOCK")->default_value, ==, "256");
  g_assert_cmpstr (draft->arguments, ==, "a,1.9*1.9:f32,n:u64,3");
  g_assert_cmpint (a->type, ==, CURED_ELEMENT_F32);
  g_assert_cmpstr (a->length, ==, "n");
  g_assert_cmpstr (child->grid, ==, "1");
  g_assert_cmpstr (child->block, ==, "512");
  g_assert_cmpuint (child->parameters->len, ==, 0);
  g_assert_cmpstr (b->length, ==, "512");
}

/* A kernel by another name: a pointer, an array of pointers, a runtime call, a configuration, and a
 * template of the host's that launches it. */
TEST ("/header-draft/indirect")
{
  static const char source[] =
      "#define BLOCK 64\n"
      "typedef double real;\n"
      "__global__ void scale (float *x, float f, int n) { x[n] *= f; }\n"
      "template <typename T, int B> __global__ void add (T *c, const T *a, int n) { c[n] = a[n]; "
      "}\n"
      "__global__ void pointed (int *p, int m) { p[m] = m; }\n"
      "__global__ void listed (int *q, int m, int k) { q[m] = k; }\n"
      "__global__ void listed_too (int *q, int m, int k) { q[m] = k; }\n"
      "__global__ void configured (short *s, int n) { s[n] = 1; }\n"
      "__global__ void whole (char *w, int n) { w[n] = 1; }\n"
      "__global__ void guessed (int *a, int *b, int *c, int *d) { *a = *b; }\n"
      "template <typename T, int B = 32> void launch_add (T *c, T *a, int n)\n"
      "{ add<T, B><<<(n + B - 1) / B, B>>> (c, a, n); }\n"
      "void run (void (*f) (int *, int), int *p, int n)\n"
      "{ f<<<n / BLOCK, BLOCK>>> (p, n); }\n"
      "int main () {\n"
      "  int n = 1 << 16; float g = 2.5f; float *d; int *p; real *a, *c;\n"
      "  cudaDeviceProp prop; int blocksPerSM; short *s; char *w;\n"
      "  cudaMalloc (&d, n * sizeof (float)); cudaMalloc (&p, n * 4);\n"
      "  cudaMalloc ((void **) &a, n * sizeof (real));\n"
      "  void *args[] = { &d, &g, (void *) (&n) };\n"
      "  dim3 grid ((n + 255) / 256), block (256);\n"
      "  cudaLaunchKernel ((const void *) scale, grid, block, args, 16, 0);\n"
      "  launch_add<real, 128> (c, a, n);\n"
      "  run (pointed, p, n);\n"
      "  void (*list[]) (int *, int, int) = { listed, listed_too };\n"
      "  list[0]<<<3, 96>>> (p, n, 5);\n"
      "  cudaLaunchConfig_t config; config.gridDim = dim3 (n / 512);\n"
      "  config.blockDim = 512; config.dynamicSmemBytes = 1024;\n"
      "  cudaLaunchKernelEx (&config, configured, s, n);\n"
      "  void *all[2] = { (void *) &w, &n };\n"
      "  cudaLaunchCooperativeKernel ((void *) whole,\n"
      "    prop.multiProcessorCount * blocksPerSM, 256, all);\n"
      "  table.entry<<<1, 32>>> (p, p, p, p); }\n";
  static const struct
  {
    const char *name, *entry, *grid, *block, *shared, *arguments;
    CuredElement type; /* of the first buffer */
    const char *length;
  } cases[] = {
    { "scale", "scale", "(floor((n+255)/256))", "256", "16", "x,2.5:f32,n", CURED_ELEMENT_F32,
      "n" },
    { "add", "add<real, 128>", "(floor((n+128-1)/128))", "128", NULL, "c,a,n", CURED_ELEMENT_F64,
      NULL },
    { "pointed", "pointed", "(floor(n/BLOCK))", "BLOCK", NULL, "p,n", CURED_ELEMENT_I32, "n" },
    { "listed", "listed", "3", "96", NULL, "q,n,5", CURED_ELEMENT_I32, "n" },
    { "configured", "configured", "(floor(n/512))", "512", "1024", "s,n", CURED_ELEMENT_I16, NULL },
    { "whole", "whole", "sms*blocksPerSM", "256", NULL, "w,n", CURED_ELEMENT_I8, NULL },
    { "guessed", "guessed", "1", "32", NULL, "a,a,a,a", CURED_ELEMENT_I32, "65536" },
  };
  g_autoptr (GPtrArray) list = cured_header_draft_scan (source, NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      const CuredDraftFunction *function = NULL;

      for (guint k = 0; k < list->len; k++)
        if (g_str_equal (((CuredDraftFunction *) list->pdata[k])->name, cases[i].name))
          function = list->pdata[k];
      g_assert_nonnull (function);
      g_autoptr (CuredHeaderDraft) draft =
          cured_header_draft_new_from_source (source, NULL, function, cases[i].name);
      g_assert_cmpstr (draft->entry, ==, cases[i].entry);
      g_assert_cmpstr (draft->grid, ==, cases[i].grid);
      g_assert_cmpstr (draft->block, ==, cases[i].block);
      g_assert_cmpstr (draft->shared, ==, cases[i].shared);
      g_assert_cmpstr (draft->arguments, ==, cases[i].arguments);
      g_assert_cmpint (draft->is_cooperative, ==, g_str_equal (cases[i].name, "whole"));
      const CuredDraftBuffer *buffer = draft->buffers->pdata[0];
      g_assert_cmpint (buffer->type, ==, cases[i].type);
      if (cases[i].length != NULL)
        g_assert_cmpstr (buffer->length, ==, cases[i].length);
      g_autofree char *text = cured_header_draft_apply (draft, NULL, source);
      g_autoptr (CuredKernel) kernel = MUST (cured_kernel_new_from_text (text, "k", NULL, &fail));
    }
}

/* What the host asks the device, chooses, and sets later. */
TEST ("/header-draft/values")
{
  static const char source[] =
      "const int N = 100000000;\n"
      "const int bytes = 4 * N;\n"
      "int n_sms = 0;\n"
      "void setup () { cudaDeviceProp prop; n_sms = prop.multiProcessorCount; }\n"
      "__global__ void k (float *a, int n, int m, std::bool_constant<true>) { if (n < N) a[n] = n; "
      "}\n"
      "int main () { float *a; cudaDeviceProp prop; int n = 4096;\n"
      "  int block = prop.maxThreadsPerMultiProcessor == 1536 ? 768 : 1024;\n"
      "  cudaMalloc (&a, bytes);\n"
      "  k<<<2 * n_sms, block>>> (a, n % 32 == 0 ? n / 32 : n / 32 + 1, 3, {}); }\n";
  g_autoptr (CuredHeaderDraft) draft = make_draft (source, NULL, 0, "k");
  const CuredDraftBuffer *a = draft->buffers->pdata[0];
  g_autoptr (CuredKernel) kernel = make_kernel (draft, source);

  g_assert_cmpstr (draft->grid, ==, "2*sms");
  g_assert_nonnull (strstr (draft->block, "max_threads_per_sm==1536"));
  g_assert_nonnull (strstr (draft->block, "768"));
  g_assert_nonnull (strstr (draft->arguments, "floor(n/32)+1"));
  g_assert_true (g_str_has_suffix (draft->arguments, ",3,0:i8"));
  /* N is what device code has: so large is the buffer. */
  g_assert_cmpstr (a->length, ==, "100000000");
}

/* Smaller sizes are parts of a block's, where the host's is: the kernel does not ask for less.
 * Where the host's is not, or its grid does not depend on a size, any are. */
TEST ("/header-draft/tiles")
{
  static const struct
  {
    const char *launch, *values;
  } cases[] = {
    { "k<<<(n + 1023) / 1024, 512>>> (a, n);", "1024,2048,4096" },
    { "k<<<(n + 511) / 512, 512>>> (a, n);", "512,1024,2048,4096" },
    { "k<<<n / 4096, 512>>> (a, n);", "4096" },
    { "k<<<(n + 299) / 300, 300>>> (a, n);", "256,512,1024,2048,4096" },
    { "k<<<64, 512>>> (a, n);", "256,512,1024,2048,4096" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *source = g_strdup_printf (
          "__global__ void k (float *a, int n) { a[blockIdx.x * 1024 + threadIdx.x] = n; }\n"
          "int main () { float *a; int n = 4096;\n"
          "  cudaMalloc (&a, 4 * n); %s }\n",
          cases[i].launch);
      g_autoptr (CuredHeaderDraft) draft = make_draft (source, NULL, 0, "k");

      g_assert_cmpstr (find_parameter (draft, "n")->values, ==, cases[i].values);
    }
}

static gboolean
is_1000_cb (const char *name, CuredNumber *value, gpointer user_data)
{
  *value = (CuredNumber){ .integer = 1000 };
  return TRUE;
}

/* What small variables make is as large as they are, which the launch hands on. */
TEST ("/header-draft/products")
{
  static const char source[] =
      "__global__ void k (float *a, int nx, int ny) { a[ny * nx - 1] = 1; }\n"
      "int main () { float *a; int nx = 16; int ny = 8; int nxy = nx * ny;\n"
      "  cudaMalloc (&a, 4 * nxy); k<<<1, 32>>> (a, nx, ny); }\n";
  g_autoptr (CuredHeaderDraft) draft = make_draft (source, NULL, 0, "k");
  const CuredDraftBuffer *a = draft->buffers->pdata[0];
  g_autoptr (CuredExpr) length = cured_expr_parse (a->length, NULL);
  gint64 n = 0;

  g_assert_cmpuint (draft->parameters->len, ==, 0);
  g_assert_true (cured_expr_evaluate_integer (length, is_1000_cb, NULL, &n, NULL));
  g_assert_cmpint (n, ==, 128);
}

/* A size that is too much even at the least of what it is made of becomes one to choose; one that
 * the launch does not depend on is cut to what that seems to need. */
TEST ("/header-draft/too-large")
{
  static const char source[] = "__global__ void k (float *a, int n) { a[n] = n; }\n"
                               "const int chunks = 64;\n"
                               "const int size = 1024 * 1024 * chunks;\n"
                               "const int N = 100000000;\n"
                               "int main () { float *a; const int M = 8 * N;\n"
                               "  cudaMalloc (&a, M); k<<<size / 256, 256>>> (a, size); }\n";
  g_autoptr (CuredHeaderDraft) draft = make_draft (source, NULL, 0, "k");
  const CuredDraftBuffer *a = draft->buffers->pdata[0];

  g_assert_cmpstr (draft->grid, ==, "(floor(size/256))");
  g_assert_cmpstr (find_parameter (draft, "size")->default_value, ==, "67108864");
  g_assert_true (g_str_has_prefix (find_parameter (draft, "size")->values, "256,"));
  g_assert_true (g_str_has_prefix (a->length, "min(200000000,"));
  g_assert_true (a->is_guess);
}

/* What a file includes from its own folder is known, too. */
TEST ("/header-draft/context")
{
  static const char source[] = "#include \"mine.h\"\n"
                               "__global__ void k (word *a) { __shared__ word s[WIDTH]; }\n"
                               "void f (word *a, int n) { k<<<n, WIDTH>>> (a); }\n";
  static const char context[] = "typedef short word;\n#define WIDTH 96\n";
  const char *folder = test_folder ();
  g_autofree char *path = g_build_filename (folder, "k.cu", NULL);
  g_autofree char *header = g_build_filename (folder, "mine.h", NULL);
  g_autofree char *text = NULL;

  MUST (g_file_set_contents (path, source, -1, &fail));
  g_assert_null (cured_header_draft_read_context (path, source));
  MUST (g_file_set_contents (header, context, -1, &fail));
  g_autofree char *found = cured_header_draft_read_context (path, source);
  g_assert_nonnull (strstr (found, context));
  g_autoptr (GPtrArray) drafts = MUST (cured_header_draft_file (path, &text, &fail));
  const CuredHeaderDraft *draft = drafts->pdata[0];
  g_assert_cmpstr (draft->block, ==, "96");
  g_assert_cmpint (((CuredDraftBuffer *) draft->buffers->pdata[0])->type, ==, CURED_ELEMENT_I16);
}

/* Grids as people write them, for 1000 elements in blocks of 128. */
TEST ("/header-draft/grids")
{
  static const struct
  {
    const char *grid;
    gint64 x, y;
  } grids[] = {
    { "(n + 127) / 128", 8, 1 },
    { "((n + 127) / 128)", 8, 1 },
    { "n / 128 + 1", 8, 1 },
    { "(n - 1) / 128 + 1", 8, 1 },
    { "dim3 ((n + 127) / 128)", 8, 1 },
    { "dim3 ((n + 127) / 128, 2)", 8, 2 },
    { "dim3 (2, (n + 127) / 128)", 2, 8 },
    { "{ 2, 3 }", 2, 3 },
    { "(n + 127) >> 7", 8, 1 },
    { "(unsigned) ((n + 127) / 128)", 8, 1 },
    { "(int) ceil ((float) n / 128)", 8, 1 },
    { "std::min ((n + 127) / 128, 5)", 5, 1 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (grids); i++)
    {
      g_autofree char *source =
          g_strdup_printf ("__global__ void k (float *a, int n) { a[threadIdx.x] = n; }\n"
                           "void f () { int n = 1000; float *a; cudaMalloc (&a, n * 4);\n"
                           "  k<<<%s, 128>>> (a, n); }\n",
                           grids[i].grid);
      g_autoptr (CuredHeaderDraft) draft = make_draft (source, NULL, 0, "k");
      g_autofree char *text = cured_header_draft_apply (draft, NULL, source);
      g_autoptr (GError) error = NULL;
      g_autoptr (CuredKernel) kernel = cured_kernel_new_from_text (text, "k", NULL, &error);
      const gint64 expected[] = { grids[i].x, grids[i].y };

      g_test_message ("%s", grids[i].grid);
      g_assert_no_error (error);
      for (gsize k = 0; k < G_N_ELEMENTS (expected); k++)
        {
          const CuredExpr *expr = kernel->steps[0].grid[k];
          gint64 n = 1;

          if (expr != NULL)
            g_assert_true (cured_expr_evaluate_integer (expr, is_1000_cb, NULL, &n, &error));
          g_assert_cmpint (n, ==, expected[k]);
        }
    }
}

/* A constant of the file is a size that can be another one where device code has none of it: what a
 * kernel calls its own parameter is not it. */
TEST ("/header-draft/host-constants")
{
  static const struct
  {
    const char *body, *arguments;
  } cases[] = {
    { "a[threadIdx.x] = N;", "a,N" },
    { "a[threadIdx.x] = N + M;", "a,100000" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *source =
          g_strdup_printf ("const int N = 100000;\nconst int M = sizeof (float) * N;\n"
                           "__global__ void k (float *a, const int N) { %s }\n"
                           "void f () { float *a; cudaMalloc (&a, M);\n"
                           "  k<<<1, 128>>> (a, N); }\n",
                           cases[i].body);
      g_autoptr (CuredHeaderDraft) draft = make_draft (source, NULL, 0, "k");

      g_assert_cmpstr (draft->arguments, ==, cases[i].arguments);
    }
}

/* What a struct gives each of its objects is no constant of that name; what it has once is one. */
TEST ("/header-draft/members")
{
  static const struct
  {
    const char *context;
    const char *value; /* of N */
  } cases[] = {
    { "struct Grid { int N = 0; float h; };\n", "1024" },
    { "struct Grid { float h; static const int N = 100; };\n", "100" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      static const char source[] = "__global__ void k (float *a, int n) { a[threadIdx.x] = n; }\n"
                                   "void f (int N) { float *a; cudaMalloc (&a, N * 4);\n"
                                   "  k<<<1, 128>>> (a, N); }\n";
      g_autoptr (CuredHeaderDraft) draft = make_draft (source, cases[i].context, 0, "k");

      g_assert_cmpstr (draft->arguments, ==, "a,N");
      g_assert_cmpstr (((CuredDraftParameter *) draft->parameters->pdata[0])->default_value, ==,
                       cases[i].value);
    }
}

/* Numbers as C++ writes them; what does not fit is none. */
TEST ("/header-draft/literals")
{
  static const struct
  {
    const char *text;
    gint64 integer;
    double real; /* NAN: an integer */
  } cases[] = {
    { "0", 0, NAN },
    { "1'000'000", 1000000, NAN },
    { "0b100000000", 256, NAN },
    { "0B1'01ull", 5, NAN },
    { "0x1'F", 31, NAN },
    { "0xffUL", 255, NAN },
    { "0xF", 15, NAN },
    { "0400", 256, NAN },
    { "10LLU", 10, NAN },
    { "7z", 7, NAN },
    { "9223372036854775807", G_MAXINT64, NAN },
    { "1.5", 0, 1.5 },
    { "1'000.5f", 0, 1000.5 },
    { "2.f", 0, 2 },
    { "1e3", 0, 1000 },
    { "0x1.8p3", 0, 12 },
    { "0x1p-1F", 0, 0.5 },
    { ".25L", 0, 0.25 },
  };
  static const char *const wrong[] = {
    "", "9223372036854775808", "08", "0x", "0b2", "1.5q", "12ab", "0x1.8p3ff"
  };
  CuredNumber number;

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_test_message ("%s", cases[i].text);
      g_assert_true (_cured_literal_read (cases[i].text, &number));
      g_assert_cmpint (number.is_double, ==, !isnan (cases[i].real));
      if (number.is_double)
        g_assert_cmpfloat (number.real, ==, cases[i].real);
      else
        g_assert_cmpint (number.integer, ==, cases[i].integer);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      g_test_message ("%s", wrong[i]);
      g_assert_false (_cured_literal_read (wrong[i], &number));
    }
}

/* Constants that are computed from others, and what has no value: a loop, a product that does not
 * fit, a macro with arguments, a division by 0. */
TEST ("/header-draft/folding")
{
  static const char source[] = "#define A 0x10\n#define B (A * 4)\n#define F(x) 3\n"
                               "#define LOOP LOOP2\n#define LOOP2 (LOOP)\n"
                               "constexpr int C = B + 1'0, D {C};\n"
                               "enum { E = D << 2, BIG = 0x7fffffff * 0x7fffffff * 4 };\n"
                               "const int values[] = { %s };\n";
  static const struct
  {
    const char *text;
    gint64 value; /* -1: none */
  } cases[] = {
    { "A", 16 },    { "B / 3", 21 }, { "C", 74 },          { "D - -1", 75 },
    { "E", 296 },   { "~0 & 7", 7 }, { "(A | 1) % 5", 2 }, { "1 << 3 + 1", 16 },
    { "LOOP", -1 }, { "BIG", -1 },   { "F(1)", -1 },       { "A / 0", -1 },
    { "2.5", -1 },  { "NOT", -1 },   { "1 <", -1 },        { "1 << 64", -1 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *text = g_strdup_printf (source, cases[i].text);
      g_autoptr (CuredTokens) tokens = _cured_tokens_new (text);
      guint open = tokens->tokens->len - 1;
      gint64 value = -1;

      while (!_cured_tokens_is (tokens, open, "{"))
        open--;
      g_test_message ("%s", cases[i].text);
      g_assert_cmpint (
          _cured_literal_fold (tokens, open + 1, CURED_TOKEN (tokens, open)->match, &value), ==,
          cases[i].value >= 0);
      if (cases[i].value >= 0)
        g_assert_cmpint (value, ==, cases[i].value);
    }
}

/* Sizes and scalars of a launch, as they are written and as they are converted. */
TEST ("/header-draft/conversions")
{
  static const struct
  {
    const char *code; /* gives n its value */
    const char *arguments;
  } cases[] = {
    { "int n = 1'000'000 / 31250;", "a,32" },
    { "int n = 0b100000;", "a,32" },
    { "int n = (int) 32.9;", "a,32" },
    { "int n = static_cast<int> (0x1p5 + 0.5);", "a,32" },
    { "int n = int (32.5f);", "a,32" },
    { "int n = 32.75;", "a,32" },
    { "unsigned n = (unsigned) 040u;", "a,32" },
    { "int m = atoi (x); int n = (int) (m * 0.5);", "a,(floor((m*0.5)))" },
    { "int m = atoi (x); int n = m * 0.5f;", "a,floor((m*0.5))" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *source =
          g_strdup_printf ("__global__ void k (float *a, int n) { a[threadIdx.x] = n; }\n"
                           "void f (char *x, float *a) { %s\n  k<<<1, 32>>> (a, n); }\n",
                           cases[i].code);
      g_autoptr (CuredHeaderDraft) draft = make_draft (source, NULL, 0, "k");

      g_test_message ("%s", cases[i].code);
      g_assert_cmpstr (draft->arguments, ==, cases[i].arguments);
    }
}

/* Constants become parameters that a default sweep varies, and the file still compiles alone. */
TEST ("/header-draft/tunable")
{
  static const struct
  {
    const char *source;
    const char *parts[8]; /* of the kernel file */
    const char *sweep[2]; /* parameters of its default sweep */
    guint n_values;       /* of each, at least */
  } rows[] = {
    { "#define TILE 16\n"
      "__global__ void mm (const float *a, float *c, int n)\n"
      "{ __shared__ float t[TILE][TILE]; t[threadIdx.y][threadIdx.x] = a[0]; c[n] = t[0][0]; }\n"
      "int main () { int n = 512; float *a, *c; cudaMalloc (&a, n * n * 4);\n"
      "cudaMalloc (&c, n * n * 4); dim3 b (TILE, TILE), g (n / TILE, n / TILE);\n"
      "mm<<<g, b>>> (a, c, n); }\n",
      { "[Parameter TILE]\n * Kind=compile\n * Values=1,2,4,8,16,32\n * Default=16\n",
        "Block=TILE,TILE\n", "#ifndef TILE\n#define TILE 16\n#endif\n", "X=TILE\n" },
      { "TILE", "n" },
      6 },
    { "const int BLOCK = 128; // threads\n"
      "__global__ void add (float *x, int n)\n"
      "{ int i = blockIdx.x * BLOCK + threadIdx.x; if (i < n) x[i] += 1; }\n"
      "int main () { int n = 1 << 20; float *x; cudaMalloc (&x, n * 4);\n"
      "add<<<(n + BLOCK - 1) / BLOCK, BLOCK>>> (x, n); }\n",
      { "[Parameter BLOCK]\n * Kind=compile\n", "Block=BLOCK\n",
        "#ifndef BLOCK\nconst int BLOCK = 128; // threads\n#endif\n" },
      { "BLOCK", "n" },
      6 },
    { "__global__ void add (float *x, int n)\n"
      "{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] += 1; }\n"
      "int main () { int n = 1 << 20; float *x; cudaMalloc (&x, n * 4);\n"
      "add<<<(n + 255) / 256, 256>>> (x, n); }\n",
      { "[Parameter THREADS]\n * Kind=launch\n * Values=32,64,128,256,512,1024\n",
        "Block=THREADS\n" },
      { "THREADS", "n" },
      6 },
    /* Where the kernel itself has the number, the launch is not free. */
    { "__global__ void add (float *x, int n)\n"
      "{ __shared__ float s[256]; s[threadIdx.x] = blockDim.x; x[n] = s[0]; }\n"
      "int main () { int n = 1 << 20; float *x; cudaMalloc (&x, n * 4);\n"
      "add<<<(n + 255) / 256, 256>>> (x, n); }\n",
      { "Block=256\n" },
      { "n", NULL },
      6 },
    /* A constant that the launch gives the template is its argument. */
    { "#define TILE 32\n"
      "template <int T> __global__ void mm (const float *a, float *c, int n)\n"
      "{ __shared__ float t[T][T]; t[threadIdx.y][threadIdx.x] = a[0]; c[n] = t[0][0]; }\n"
      "int main () { int n = 512; float *a, *c; cudaMalloc (&a, n * n * 4);\n"
      "cudaMalloc (&c, n * n * 4); dim3 b (TILE, TILE), g (n / TILE, n / TILE);\n"
      "mm<TILE><<<g, b>>> (a, c, n); }\n",
      { "Entry=mm<TILE>\n", "Block=TILE,TILE\n", "#ifndef TILE\n#define TILE 32\n#endif\n" },
      { "TILE", "n" },
      6 },
    /* So is the size of the block, under a name that the template does not have. */
    { "template <typename T, int THREADS> __global__ void add (T *x, int n)\n"
      "{ int i = blockIdx.x * THREADS + threadIdx.x; if (i < n) x[i] += 1; }\n"
      "int main () { int n = 1000; float *x; cudaMalloc (&x, n * 4);\n"
      "add<float, 128><<<(n + 127) / 128, 128>>> (x, n); }\n",
      { "[Parameter BLOCK_THREADS]\n * Kind=compile\n * Values=32,64,128,256,512,1024\n",
        "Entry=add<float, BLOCK_THREADS>\n", "+(BLOCK_THREADS-1))/BLOCK_THREADS",
        "Block=BLOCK_THREADS\n" },
      { "BLOCK_THREADS", "n" },
      6 },
    /* Another number of the template is the host's. */
    { "#define SIZE 64\n"
      "template <int N> __global__ void add (float *x)\n"
      "{ for (int i = 0; i < N; i++) x[i * SIZE + threadIdx.x] += 1; }\n"
      "int main () { float *x; cudaMalloc (&x, 8 * SIZE * 4); add<8><<<1, SIZE>>> (x); }\n",
      { "Entry=add<8>\n", "Block=SIZE\n" },
      { "SIZE", NULL },
      6 },
    /* A variable of the host's is an axis as well. */
    { "__global__ void add (float *x, int n)\n"
      "{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] += 1; }\n"
      "int main () { unsigned n = 100, threads = 64, blocks = (n + threads - 1) / threads;\n"
      "float *x; cudaMalloc (&x, n * 4); add<<<blocks, threads>>> (x, n); }\n",
      { "[Parameter threads]\n * Kind=launch\n * Values=32,64,128,256,512,1024\n" },
      { "threads", "n" },
      6 },
    /* A block that is less than a warp is the host's all the same. */
    { "#define TILE 16\n"
      "__global__ void twice (float *x, int n)\n"
      "{ int i = blockIdx.x * TILE + threadIdx.x; if (i < n) x[i] *= 2; }\n"
      "int main () { int n = 4096; float *x; cudaMalloc (&x, n * sizeof (float));\n"
      "twice<<<(n + TILE - 1) / TILE, TILE>>> (x, n); }\n",
      { " * Values=16,32,64,128,256,512,1024\n * Default=16\n" },
      { "TILE", "n" },
      6 },
    /* Memory that the problem's size does not tell has no larger problem. */
    { "__global__ void add (float *x, int n)\n"
      "{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] += 1; }\n"
      "int main () { unsigned n = 100; float *x; cudaMalloc (&x, 400);\n"
      "add<<<(n + 63) / 64, 64>>> (x, n); }\n",
      { "[Parameter n]\n * Kind=problem\n * Values=100\n" },
      { "THREADS", NULL },
      6 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (GPtrArray) functions = cured_header_draft_scan (rows[i].source, NULL);
      g_autoptr (CuredHeaderDraft) draft =
          cured_header_draft_new_tunable (rows[i].source, NULL, functions->pdata[0], "T");
      g_autofree char *text = cured_header_draft_apply (draft, NULL, rows[i].source);
      g_autofree char *again = cured_header_draft_apply (draft, NULL, text);
      g_autoptr (CuredKernel) kernel =
          MUST (cured_kernel_new_from_text (text, "t.cu", "t.cu", &fail));

      for (gsize k = 0; rows[i].parts[k] != NULL; k++)
        if (strstr (text, rows[i].parts[k]) == NULL)
          g_error ("“%s” is not in:\n%s", rows[i].parts[k], text);
      /* What has its #ifndef gets no other. */
      g_assert_null (strstr (again, "#ifndef TILE\n#ifndef TILE"));
      g_autoptr (CuredSpec) spec = cured_spec_new (kernel);
      cured_spec_use_default_sweep (spec);
      for (gsize k = 0; k < 2 && rows[i].sweep[k] != NULL; k++)
        {
          gsize parameter;

          g_assert_true (cured_kernel_find_parameter (kernel, rows[i].sweep[k], &parameter));
          g_assert_cmpuint (cured_axis_get_length (cured_spec_get_axis (spec, parameter)), >=,
                            rows[i].n_values);
        }
    }
}
