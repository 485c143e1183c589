/* SPDX-License-Identifier: MIT
 * Host code in the ways people write it, and what a header drafted from it has. */
#include <cured.h>
#include <glib/gstdio.h>
#include <string.h>

#include "draft/cured-header-draft-internal.h"
#include "make-result.h"
#include "test.h"

/* A kernel and what launches it, in short. */
#define KERNEL(arguments, body) "__global__ void k (" arguments ") { " body " }\n"
#define MAIN(body)              "int main () { " body " }\n"
#define COPY                    KERNEL ("const float *in, float *out, int n", "out[threadIdx.x] = in[n];")

/* @lines: what the header has, each a line; one that begins with a ! it must not have. */
static const struct
{
  const char *name;
  const char *source;
  const char *lines;
} cases[] = {
  { "spaced-chevrons",
    COPY MAIN (
        "float *a, *b; cudaMalloc (&a, 400); cudaMalloc (&b, 800); k << < 3, 32 >> > (a, b, 7);"),
    "Grid=3\nBlock=32\nArguments=in,out,7\nLength=100\nLength=200" },
  { "memset",
    KERNEL ("int *count, float *sum, unsigned char *byte, short *s",
            "atomicAdd (count, 1); sum[0] += 1; byte[0]++; s[1] += s[0];")
        MAIN (
            "int *c; float *f; unsigned char *b; short *s; cudaMalloc (&c, 4); cudaMalloc (&f, 4);"
            "cudaMalloc (&b, 9); cudaMalloc (&s, 8); cudaMemset (c, 0xff, 4); cudaMemset (f, 0, 4);"
            "cudaMemset (b, 7, 9); cudaMemsetAsync (s, 0x80, 8);"
            "k<<<1, 1>>> (c, f, b, s);"),
    "Fill=constant\nLow=-1\nLow=0\nLow=7\nLow=-32640\n!Fill=uniform" },
  { "memset-then-copy",
    COPY MAIN (
        "float *a, *b, h[9]; cudaMalloc (&a, 36); cudaMalloc (&b, 36); cudaMemset (a, 0, 36);"
        "cudaMemcpy (a, h, 36, cudaMemcpyHostToDevice); k<<<1, 9>>> (a, b, 9);"),
    "Fill=uniform\nFill=poison\n!Fill=constant" },
  { "symbol",
    "__constant__ float taps[3], scale;\nnamespace ns { __constant__ int steps[2][4]; }\n"
    "__constant__ int known = 3;\n" COPY MAIN (
        "float *a; float h[] = { 1, -2.5f, 1'000 }; cudaMalloc (&a, 64);"
        "cudaMemcpyToSymbol (taps, h, sizeof h); k<<<1, 16>>> (a, a, 4);"),
    "[Constant taps]\nType=f32\nLength=3\nValues=1,-2.5,1000\n[Constant ns::steps]\nType=i32\n"
    "Length=2*4\n![Constant known]" },
  { "case-of-switch",
    "template <int N>\n" COPY
    "void f (int w, dim3 b, float *a) { switch (w) { case 8: k<8><<<1, b>>> (a, a, 1); break;"
    " case 32: { k<32><<<1, b>>> (a, a, 1); } } }\n" MAIN (
        "int w = argc > 1 ? atoi (argv[1]) : 32; float *a; cudaMalloc (&a, 4096); f (w, w, a);"),
    "Entry=k<32>\nBlock=32" },
  { "member-set-by-constructor",
    COPY "struct Bench { float *a, *b; int n_, blocks_;\n"
         "  Bench (int n) : n_ (n) { blocks_ = (n + 31) / 32; cudaMalloc (&a, n_ * 4);\n"
         "    cudaMalloc (&b, blocks_ * 4); }\n"
         "  void go () { k<<<blocks_, 32>>> (a, b, n_); } };\n" MAIN (
             "int n = 1000; Bench bench (n); bench.go ();"),
    "Grid=((floor((n+31)/32)))\nArguments=in,out,n\nLength=n\n!# a guess" },
  { "alike-in-two-functions",
    COPY "void f (int m) { float *a; cudaMalloc (&a, m * 4); }\n"
         "void g (int m) { float *a, *b; cudaMalloc (&a, m * 4); cudaMalloc (&b, m * 4);\n"
         "  k<<<2, 32>>> (a, b, m); }\n" MAIN ("int n = 4096; f (n / 8); g (n / 4);"),
    "Length=(floor(n/4))\n!Length=(floor(n/8))" },
  { "too-much-of-a-guess",
    KERNEL ("float *a, int r, int s, int c",
            "extern __shared__ float t[]; a[r * s * c - 1] = t[0];")
        MAIN ("int r, s, c; scanf (\"%d%d%d\", &r, &s, &c); float *a; cudaMalloc (&a, r * s * c * "
              "4); int bytes = r * s * c * 4; k<<<1, 32, bytes>>> (a, r, s, c);"),
    "Default=16  # a guess\n![Parameter bytes]" },
  { "name-of-a-limit",
    KERNEL ("float *a, int warp_size", "a[warp_size - 1] = 1;")
        MAIN ("int warp_size; scanf (\"%d\", &warp_size); float *a; cudaMalloc (&a, warp_size * 4);"
              "k<<<1, 32>>> (a, warp_size);"),
    "[Parameter warp_size_]\nArguments=a,warp_size_" },
  { "index-below-a-number", KERNEL ("int *a", "int i = threadIdx.x; if (i < 10) a[i] = 1;"),
    "Length=max(n,10)  # a guess" },
  { "lengths-without-host",
    KERNEL ("const float *X, const float *W, float *y, int b, int f, int o",
            "int r = blockIdx.y * blockDim.y + threadIdx.y, c = blockIdx.x; if (r >= b || c >= o)"
            " return; float s = 0; for (int i = 0; i < f; i++) s += X[r * f + i] * W[c * f + i];"
            " y[r * o + c] = s;"),
    "Length=b*f  # a guess\nLength=o*f  # a guess\nLength=b*o  # a guess" },
  { "loop-of-unknown-end",
    KERNEL ("const float *a, float *out, int n, bool all",
            "int t = threadIdx.x; if (t < n) { int end = all ? t + 1 : t; float s = 0;"
            " for (int i = 0; i < end; i++) s += a[i]; out[t] = s; }"),
    "!Length=1  # a guess" },
  { "template-argument-of-constants",
    "#define N (32 * 1024)\ntemplate <int B, int EACH>\n" COPY MAIN (
        "const int blocks = 64; const int EACH = N / blocks / 256; float *a; cudaMalloc (&a, N * "
        "4);"
        "k<256, EACH><<<blocks, 256>>> (a, a, 1);"),
    "Entry=k<256, 2>" },
  { "kernel-left-out",
    "#define __K1\n#ifdef __K0\n" COPY "#endif\n#ifdef __K1\n" COPY
    "#endif\n" MAIN ("float *a; cudaMalloc (&a, 64); k<<<1, 16>>> (a, a, 4);"),
    "Entry=k\n!Entry=_Z" },
  { "variadic-macro",
    "template <int N>\n" COPY
    "#define GO(n, ...) do { dim3 g (rows); k<n><<<g, n>>> (__VA_ARGS__); "
    "} while (0)\nvoid f (float *a, float *b, int rows, int c) { if (c < 9) GO (64, a, b, c); "
    "else GO (96, a, b, c); }\n",
    "Entry=k<64>\nGrid=rows\nBlock=64\nArguments=in,out,c" },
  { "functor-without-state",
    "struct Square { __device__ float operator() (float x) const { return x * x; } };\n"
    "template <class F> __global__ void k (float *a, int n, F f) { a[n - 1] = f (a[0]); }\n" MAIN (
        "float *a; cudaMalloc (&a, 400); k<<<1, 32>>> (a, 100, Square ());"),
    "Entry=k<Square>\nArguments=a,100,0:i8" },
  { "template-bounds-index",
    "template <int D>\n" KERNEL (
        "float *a, int n", "int i = blockIdx.x; if (i < n) for (int c = 0; c < D; c++) a[i * "
                           "D + c] = 1;") "void f (float *a, int n) { k<64><<<n, 32>>> (a, n); }\n",
    "Entry=k<64>\nLength=n*64  # a guess" },
  { "literal-list",
    KERNEL ("const int *rows, float *out", "out[rows[threadIdx.x]] = 1;") MAIN (
        "int h[4] = { 0, 2, 0x3, 1 }; int *d; float *o; cudaMalloc (&d, sizeof h);"
        "cudaMalloc (&o, 4 * sizeof *o); cudaMemcpy (d, h, sizeof (h), cudaMemcpyHostToDevice);"
        "k<<<1, 4>>> (d, o);"),
    "Values=0,2,3,1\nLength=4" },
  { "launch-macro",
    "template <int N>\n" COPY "#define RUN(n, ...) \\\n  k<(n)><<<blocks, (n)>>> (a, b, n)\n"
    "void f (float *a, float *b, int blocks, int w) { switch (w) { case 64: RUN (64, 1); break; } "
    "}\n",
    "Entry=k<64>\nGrid=blocks\nBlock=64\nArguments=in,out,64" },
  { "expression-macro",
    "#define UP(a, b) (((a) + (b) - 1) / (b))\n" COPY MAIN (
        "int n = 100; float *a; cudaMalloc (&a, 4 * n); k<<<UP (n, 32), 32>>> (a, a, n);"),
    "Grid=(floor((n+32-1)/32))" },
  { "one-line-function",
    "constexpr int up (int a, int b) { return (a + b - 1) / b; }\n" COPY MAIN (
        "int n = 100; float *a; cudaMalloc (&a, 4 * n); k<<<up (n, 32), 32>>> (a, a, n);"),
    "Grid=(floor((n+32-1)/32))\nArguments=in,in,n" },
  { "enumerator",
    "enum Mode { SLOW, FAST };\nenum class Op { ADD = 3 };\ntemplate <Mode M, Op O>\n" COPY MAIN (
        "float *a; cudaMalloc (&a, 64); k<FAST, Op::ADD><<<1, 16>>> (a, a, 4);"),
    "Entry=k<FAST, Op::ADD>" },
  { "deduced",
    "template <typename T, typename U, typename V>\n" KERNEL (
        "T *a, U n, V x", "a[n] = x;") "template <typename R> void f (R *p) { k<<<1, 8>>> (p, 5u, "
                                       "1.5); }\n" MAIN ("double *p; cudaMalloc (&p, 8 * sizeof "
                                                         "(double)); f<double> (p);"),
    "Entry=k<double, unsigned, double>\nType=f64\nLength=8\nArguments=a,5:u32,1.5:f64" },
  { "struct-by-value",
    "typedef struct Grid_ { int w, h; float *cells; const int *map; } Grid;\n" KERNEL (
        "Grid g", "g.cells[threadIdx.x] = g.map[0];")
        MAIN ("Grid g; g.w = 6; g.h = 7; cudaMalloc (&g.cells, g.w * g.h * sizeof (float));"
              "cudaMalloc (&g.map, 12); k<<<1, 42>>> (g);"),
    "[Buffer cells]\nLength=42\n[Buffer map]\nLength=3\nArguments=(6,7,cells,map):struct:Grid" },
  { "struct-by-reference",
    "struct Size { int w, h; float by; };\n" KERNEL (
        "float *a, Size s, int n",
        "a[n] = s.by;") "void f (float *a, const Size &s, int n) { k<<<s.h, 32>>> (a, s, n); "
                        "}\n" MAIN ("Size size { 6, 7, .5f }; int n = size.w * size.h - 2; float "
                                    "*x, *a;"
                                    "cudaMalloc (&a, n * sizeof (float)); f (a, size, n);"),
    "Grid=7\nArguments=a,(6,7,0.5):struct:Size,40\nLength=40" },
  { "vectors",
    COPY MAIN ("thrust::device_vector<float> a (30), b (60);"
               "k<<<1, 30>>> (thrust::raw_pointer_cast (a.data ()), b.data ().get (), 30);"),
    "Arguments=in,out,30\nLength=30\nLength=60" },
  { "functor",
    "struct Add { const float *x; float by; __device__ float operator() (int i) const { return "
    "x[i] + by; } };\n"
    "template <typename F> " KERNEL ("float *out, F f", "out[threadIdx.x] = f (threadIdx.x);")
        MAIN ("float *x, *o; cudaMalloc (&x, 128); cudaMalloc (&o, 128); k<<<1, 32>>> (o, Add { x, "
              "2.f });"),
    "Entry=k<Add>\nArguments=out,(x,2):struct:Add\nLength=32" },
  { "unknown-class",
    "struct Base { int n; };\ntemplate <typename T> class View : public Base { T *p; public: "
    "__device__ T &at (int i) { return p[i]; } "
    "};\n" KERNEL ("View<float> v", "v.at (0) = 1;") MAIN ("View<float> v; k<<<1, 1>>> (v);"),
    "# a class by value: write its fields, as in (in,n):struct:(ptr in, i32 n)\n![Parameter v]" },
  { "pointer-offset",
    COPY MAIN (
        "float *a; int n = 64; cudaMalloc (&a, 4 * 3 * n); k<<<1, 64>>> (a + n, &a[2 * n], n);"),
    "Arguments=in+n,in+(2*n),n\nLength=3*n" },
  { "pointer-array",
    COPY "void f (float *p[2], int from) { k<<<1, 8>>> (p[from], p[1 - from], 8); }\n" MAIN (
        "float *p[2]; cudaMalloc (&p[0], 32); cudaMalloc (&p[1], 32); f (p, 0);"),
    "[Buffer in]\n[Buffer out]\nArguments=in,out,8" },
  { "sizeof-forms",
    COPY MAIN (
        "const int n = 100; float *a, *b; float h[25]; cudaMalloc (&a, sizeof *a * n);"
        "cudaMalloc (&b, n * sizeof (b[0]) ); k<<<n / 4, sizeof h / sizeof h[0]>>> (a, b, n);"),
    "Length=n\nBlock=25\n![Parameter sizeof]\n![Parameter a]" },
  { "dim3-members",
    COPY MAIN ("float *a; cudaMalloc (&a, 4096); dim3 g, b; g.x = 3; g.y = 2; b.x = 32; b.y = 4;"
               "k<<<g, b>>> (a, a, g.y);"),
    "Grid=3,2\nBlock=32,4\nArguments=in,in,2" },
  { "accumulated",
    COPY MAIN ("int total = 0; for (int i = 0; i < 9; i++) total += i * i; float *a;"
               "cudaMalloc (&a, total * sizeof (float)); k<<<1, 32>>> (a, a, 1);"),
    "[Parameter total]\nDefault=1024  # a guess\nLength=total" },
  { "counted-from-0",
    COPY MAIN (
        "float *a; cudaMalloc (&a, 64); for (int i = 0; i < 9; i++) k<<<1, 16>>> (a, a, i);"),
    "Arguments=in,in,0" },
  { "fixed-size",
    KERNEL ("float *a", "for (int i = 0; i < 15 * 15; i++) a[i] = i;")
        MAIN ("const int cells = 15 * 15; float *a; cudaMalloc (&a, cells * sizeof (float)); "
              "k<<<1, 1>>> (a);"),
    "Length=225\n![Parameter cells]" },
  { "constants-of-constants",
    "#define TILE 8\nconst int rows = TILE * 4;\nstatic constexpr int cells { rows * 2 };\n"
    "struct Shape { static const int depth = rows / 2; };\n" COPY MAIN (
        "float *a; cudaMalloc (&a, cells * 4); k<<<Shape::depth, TILE>>> (a, a, cells);"),
    "Grid=16\nBlock=8\nArguments=in,in,64\nLength=64" },
  { "matrix-product",
    KERNEL ("const float *a, const float *b, float *c, int m, int n, int k_", "int r = blockIdx.y "
                                                                              "* blockDim.y + "
                                                                              "threadIdx.y, s = "
                                                                              "blockIdx.x * "
                                                                              "blockDim.x + "
                                                                              "threadIdx.x;"
                                                                              "if (r >= m || s >= "
                                                                              "n) return; float t "
                                                                              "= 0;"
                                                                              "for (int i = 0; i < "
                                                                              "k_; i++) t += a[r * "
                                                                              "k_ + i] * b[i * n + "
                                                                              "s]; c[r * n + s] = "
                                                                              "t;") "void solve "
                                                                                    "(float *a, "
                                                                                    "float *b, "
                                                                                    "float *c, int "
                                                                                    "M, int N, int "
                                                                                    "K) {\n"
                                                                                    "  dim3 t (16, "
                                                                                    "16); dim3 g "
                                                                                    "((N + 15) / "
                                                                                    "16, (M + 15) "
                                                                                    "/ 16); k<<<g, "
                                                                                    "t>>> (a, b, "
                                                                                    "c, M, N, K); "
                                                                                    "}\n",
    "Length=M*K  # a guess\nLength=K*N  # a guess\nLength=M*N  # a guess" },
  { "unguarded-index",
    KERNEL ("float *a, float *sum",
            "a[blockIdx.x * blockDim.x + threadIdx.x] = 1; sum[blockIdx.x] = "
            "2;") "void run (float *a, float *b) { k<<<12, 64>>> (a, b); }\n",
    "Length=768  # a guess\nLength=12  # a guess" },
  { "overloaded",
    KERNEL ("float *a", "a[0] = 1;") KERNEL ("float *a, int n", "a[n] = 1;")
        MAIN ("float *a; cudaMalloc (&a, 40); k<<<1, 2>>> (a, 9);"),
    "Entry=_Z1kPfi\nArguments=a,9" },
  { "overloaded-by-type",
    "struct Body { float x; };\n" KERNEL ("const float *a, float *b", "b[0] = a[0];")
        KERNEL ("const Body *a, Body *b", "b[0] = a[0];")
            MAIN ("Body *a; cudaMalloc (&a, 40); k<<<1, 2>>> (a, a);"),
    "Entry=_Z1kPK4BodyPS_\nType=struct:Body" },
  { "qualified-call",
    "namespace util { constexpr int div_up (int a, int b) { return (a + b - 1) / b; } }\n" COPY
        MAIN ("int n = 100; float *a; cudaMalloc (&a, 4 * n); k<<<util::div_up (n, 32), 32>>> (a, "
              "a, n);"),
    "Block=32\nLength=n\n!# a guess" },
  { "pointer-alias",
    "typedef float *Reals;\n" KERNEL ("Reals a, int n", "a[n] = 1;")
        MAIN ("float *a; cudaMalloc (&a, 40); k<<<1, 2>>> (a, 9);"),
    "[Buffer a]\nType=f32\nLength=10\nArguments=a,9" },
  { "loop-to-an-expression",
    KERNEL (
        "float *a, int nx, int nz",
        "int i = blockIdx.x; if (i < 1 || i >= nx) return;"
        " for (int k = 1; k < nz - 1; k++) a[k * nx + i] = 1;") "void f (float *a, int nx, int nz) "
                                                                "{ k<<<nx, 32>>> (a, nx, nz); }\n",
    "Length=(nz-1)*nx  # a guess" },
};

static char *
draft (const char *source, const char *context)
{
  g_autoptr (GPtrArray) functions = cured_header_draft_scan (source, context);
  char *text = NULL;

  /* The first that the host launches with what it takes. */
  for (guint i = 0; i < functions->len && (text == NULL || strstr (text, "=threads\n") != NULL);
       i++)
    {
      g_autoptr (CuredHeaderDraft) header =
          cured_header_draft_new_from_source (source, context, functions->pdata[i], "Drafted");

      g_free (text);
      text = cured_header_draft_to_text (header);
    }
  return text;
}

static void
test_kind (gconstpointer data)
{
  const char *const *given = data;
  g_autofree char *text = draft (given[1], NULL);
  g_autofree char *file = g_strconcat (text, given[1], NULL);
  g_auto (GStrv) lines = g_strsplit (given[2], "\n", -1);
  g_autoptr (GError) error = NULL;
  g_autoptr (CuredKernel) kernel = cured_kernel_new_from_text (file, "drafted", NULL, &error);

  g_test_message ("%s", text);
  g_assert_no_error (error);
  for (guint i = 0; lines[i] != NULL; i++)
    {
      gboolean is_wanted = lines[i][0] != '!';
      g_autofree char *line = g_strdup_printf (" * %s\n", lines[i] + !is_wanted);

      g_test_message ("%s", lines[i]);
      g_assert_cmpint (strstr (text, line) != NULL, ==, is_wanted);
    }
}

/* A kernel in a header, and one whose launch is in a file beside it; a file without either names
 * the one that has a kernel. */
TEST ("/draft-kinds/files")
{
  static const char kernel[] = COPY;
  static const char launch[] = MAIN ("float *a; cudaMalloc (&a, 400); k<<<2, 50>>> (a, a, 100);");
  const char *folder = test_folder ();
  static const char *const names[] = { "kernel.h", "main.cu", "alone.cu", "host.cpp", "other.cu" };
  g_autofree char *main_text = g_strconcat ("#include \"kernel.h\"\n", launch, NULL);
  g_autofree char *other = g_strconcat ("int x;\n", NULL);
  const char *const texts[] = { kernel, main_text, kernel, launch, other };

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *path = g_build_filename (folder, names[i], NULL);

      g_assert_true (g_file_set_contents (path, texts[i], -1, NULL));
    }
  for (gsize i = 1; i < 5; i += i)
    {
      g_autofree char *path = g_build_filename (folder, names[i], NULL);
      g_autofree char *source = NULL;
      g_autoptr (GError) error = NULL;
      g_autoptr (GPtrArray) drafts = cured_header_draft_file (path, &source, &error);

      if (i == 4)
        {
          g_assert_error (error, CURED_ERROR, CURED_ERROR_INVALID);
          g_assert_nonnull (strstr (error->message, "alone.cu, beside it, has k"));
          continue;
        }
      g_assert_no_error (error);
      g_autofree char *text = cured_header_draft_to_text (drafts->pdata[0]);
      g_assert_nonnull (strstr (text, "Grid=2\n * Block=50\n"));
      g_assert_nonnull (strstr (text, "Length=100\n"));
    }
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *path = g_build_filename (folder, names[i], NULL);

      g_remove (path);
    }
}

/* What PTX of several compilers passes to its kernels. */
TEST ("/draft-kinds/ptx")
{
  static const struct
  {
    const char *parameters;
    const char *body;
    const char *line;
  } ptx[] = {
    { "k(.param .u64 p, .param .u64 q)",
      ".reg .u64 a, b; .reg .u32 r; .reg .pred s;\nld.param.u64 a, [p];\nld.param.u64 b, [q];\n"
      "setp.eq.u32 s, r, 0;\n@s bra done;\nldg: ld.global.u32 r, [a];\nst.global.u32 [b], r;\n"
      "done: ret;\n",
      "Arguments=buffer0,buffer1\n" },
    { "k$1(.param.u64 %p)", ".reg.u64 %a;ld.param.u64 %a, [%p];st.f32 [%a], 0f00000000;ret;",
      "Entry=k$1\n" },
    { "k(.param .align 8 .b8 p[8], .param .align 4 .b8 n[4])",
      ".reg .b64 a; .reg .b32 r;\nld.param.b64 a, [p];\nld.param.b32 r, [n];\n"
      "st.global.b32 [a], r;\nret;\n",
      "Arguments=buffer0,n1\n" },
    { "k(.param .align 8 .b8 x[32])",
      ".reg .b64 a; .reg .b32 r, t; .reg .f32 f;\nld.param.b64 a, [x+8];\n"
      "ld.param.v2.b32 {r, t}, [x+16];\nld.param.f32 f, [x+24];\nadd.s32 r, r, r;\n"
      "st.global.f32 [a], f;\nst.global.b32 [a+4], r;\nret;\n",
      "Arguments=(0,buffer1,n2,0,1,0):struct:(i64 p0, ptr f1, i32 f2, i32 p3, f32 f4, i32 p5)\n" },
    { "k(.param .align 8 .b8 x[16])", "ret;\n", "Arguments=(0,0):struct:(i64 p0, i64 p1)\n" },
    { "k_cuda_kernel_forward(.param .align 8 .b8 d[24], .param .align 8 .b8 a[56])",
      ".reg .u64 p, n, m; .reg .u32 r, t; .reg .f32 f;\nld.param.v2.u32 {r, t}, [d];\n"
      "ld.param.u64 n, [d+8];\nld.param.u64 p, [a];\nmul.lo.u32 r, r, t;\n"
      "ld.param.v2.u32 {r, t}, [a+32];\nmul.lo.u32 r, r, t;\nst.global.f32 [p], f;\nret;\n",
      "Arguments=(n,n,n*n,1):struct:(u32 s0, u32 s1, i64 size, i64 mult),"
      "(array1,0,n,n,0,0,4*n,4,0,0,2,0):struct:" },
    { "k(.param .f32 x, .param .f64 y, .param .u64 p, .param .s8 b, .param .u16 h, .param .b16 i)",
      ".reg .u64 a; .reg .s16 r, t;\nld.param.u64 a, [p];\nld.param.s8 r, [b];\n"
      "ld.param.b16 t, [i];\nadd.s16 r, r, t;\nst.global.b16 [a], r;\nret;\n",
      "Arguments=0:f32,0:f64,buffer2,1:u8,0:i16,1:i16\n" },
    { "k(.param .u64 p)\n.maxntid 64\n.pragma \"nounroll\";\n.pragma \"nounroll\";",
      ".reg .u64 a;\nld.param.u64 a, [p];\nst.global.u32 [a], 1;\nret;\n", "Arguments=buffer0\n" },
    { "k(.param .u64 p)",
      ".reg .u64 a; .reg .u16 h;\nld.param.u64 a, [p];\nld.global.u8 h, [a];\n"
      "st.global.u8 [a+1], h;\nret;\n",
      "Type=u8\n * Length=n  # a guess\n" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (ptx); i++)
    {
      g_autofree char *source =
          g_strconcat (".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry ",
                       ptx[i].parameters, "\n{\n", ptx[i].body, "}\n", NULL);
      g_autoptr (GPtrArray) drafts = cured_header_draft_from_ptx ("k", source);

      g_assert_cmpuint (drafts->len, ==, 1);
      g_autofree char *text = cured_header_draft_to_text (drafts->pdata[0]);
      if (strstr (text, ptx[i].line) == NULL)
        g_error ("no “%s” in %s", ptx[i].line, text);
    }
}

/* A block is at most what the kernel says that it is compiled for. */
TEST ("/draft-kinds/bounds")
{
  static const struct
  {
    const char *bounds;
    const char *lines;
  } bounds[] = {
    { "__launch_bounds__ (64)", "Values=1..64\n * Default=64\n" },
    { "__launch_bounds__(512, 2)", "Values=1..512\n * Default=256\n" },
    { "__launch_bounds__ (THREADS)", "Values=1..192\n * Default=192\n" },
    { "__launch_bounds__ (bound)", "Values=1..96\n * Default=96\n" },
    { "__launch_bounds__ (N)", "Values=1..1024\n * Default=256\n" },
    { "", "Values=1..1024\n * Default=256\n" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (bounds); i++)
    {
      g_autofree char *source =
          g_strconcat ("#define THREADS 192\nconstexpr int bound = 96;\n__global__ void ",
                       bounds[i].bounds, " k (float *a, int n) { a[threadIdx.x] = n; }\n", NULL);
      g_autoptr (GPtrArray) functions = cured_header_draft_scan (source, NULL);
      g_autoptr (CuredHeaderDraft) draft = cured_header_draft_new (functions->pdata[0], "K");
      g_autofree char *text = cured_header_draft_to_text (draft);

      if (strstr (text, bounds[i].lines) == NULL)
        g_error ("no “%s” in %s", bounds[i].lines, text);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path = g_strconcat ("/draft-kinds/", cases[i].name, NULL);

      g_test_add_data_func (path, &cases[i], test_kind);
    }
  return run_tests ();
}
