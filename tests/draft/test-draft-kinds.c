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
  const char *name, *source, *lines;
} cases[] = {
#include "draft-kinds.def"
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
  static const char *const names[] = { "kernel.h", "main.cu",  "alone.cu",
                                       "host.cpp", "other.cu", "declares.cu" };
  g_autofree char *main_text = g_strconcat ("#include \"kernel.h\"\n", launch, NULL);
  g_autofree char *other = g_strconcat ("int x;\n", NULL);
  g_autofree char *declares =
      g_strconcat ("__global__ void k (float *, float *, int);", launch, NULL);
  const char *const texts[] = { kernel, main_text, kernel, launch, other, declares };

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *path = g_build_filename (folder, names[i], NULL);

      g_assert_true (g_file_set_contents (path, texts[i], -1, NULL));
    }
  for (gsize i = 1; i < G_N_ELEMENTS (names); i += i < 4 ? i : 1)
    {
      g_autofree char *path = g_build_filename (folder, names[i], NULL);
      g_autofree char *source = NULL;
      g_autoptr (GError) error = NULL;
      g_autoptr (GPtrArray) drafts = cured_header_draft_file (path, &source, &error);

      if (i >= 4)
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
    const char *parameters, *body, *line;
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
    { "k(.param .u32 n, .param .align 16 .b8 x[16], .param .align 4 .b8 y[12])",
      ".reg .b32 r; .reg .f32 a, b, c, d;\nld.param.b32 r, [n];\n"
      "ld.param.v4.f32 {a, b, c, d}, [x];\nadd.f32 a, b, c;\nadd.f32 a, a, d;\n"
      "ld.param.b32 r, [y+8];\nret;\n",
      "Arguments=n0,(1,1,1,1):struct:(alignas(16) f32 f0, f32 f1, f32 f2, f32 f3),"
      "(0,0,n7):struct:(i32 p0, i32 p1, i32 f2)\n" },
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

/* Classes by value whose fields the text does not tell: as the kernel reads them. */
TEST ("/draft-kinds/classes")
{
  static const struct
  {
    const char *source;
    const char *parameters; /* of PTX */
    const char *body, *line;
  } classes[] = {
    { "template <typename T> struct Scale { T by; int n; __device__ T operator() (T x) { return x "
      "* "
      "by; } };\ntemplate <class F> " KERNEL ("float *a, F f", "a[f.n] = f (a[0]);")
          MAIN ("float *p; cudaMalloc (&p, 40); k<<<1, 1>>> (p, Scale<float> { 2.5f, 9 });"),
      "_Z1kI5ScaleIfEEvPfT_ (.param .u64 a, .param .align 4 .b8 x[8])",
      "ld.param.u64 p, [a]; ld.param.f32 f, [x]; ld.param.b32 r, [x+4]; add.s32 r, r, r;"
      "st.global.f32 [p], f; st.global.b32 [p+4], r; ret;",
      "Entry=k<Scale<float>>\n * Grid=1\n * Block=1\n * Arguments=a,(2.5,9):struct:(f32 f0, i32 "
      "f1)\n" },
    { "template <typename T> class View { T *p; long n, unread; public: __host__ View (T *q, long "
      "*shape) : p (q) {} };\ntemplate <typename T> using Long = View<T>;\n" KERNEL (
          "Long<float> v", "v.at (0) = 1;")
          MAIN ("float *p; long shape[] = { 10, 4 }; cudaMalloc (&p, 40); Long<float> v (p, shape);"
                "k<<<1, 1>>> (v);"),
      "_Z1k4ViewIfE (.param .align 8 .b8 x[24])",
      "ld.param.u64 p, [x]; ld.param.u64 q, [x+8]; st.global.f32 [p], f; st.global.b64 [p+8], q;"
      "ret;",
      "Length=10\n * Fill=uniform\n *\n * [Launch]\n * Entry=k\n * Grid=1\n * Block=1\n * "
      "Arguments=(p,10,0):struct:(ptr f0, i64 f1, i64 p2)\n" },
    { "struct Base {};\ntemplate <class T> struct Pair : Base { T *b, *a; };\n" KERNEL (
          "Pair<int> x", "x.a[0] = x.b[0];")
          MAIN ("int *p, *q; Pair<int> x; cudaMalloc (&p, 4); cudaMalloc (&q, 8); x.a = p; x.b = q;"
                "k<<<1, 1>>> (x);"),
      "_Z1k4PairIiE (.param .align 8 .b8 x[16])",
      "ld.param.u64 p, [x]; ld.param.u64 q, [x+8]; ld.global.u32 r, [p]; st.global.u32 [q], r; "
      "ret;",
      "Arguments=(q,p):struct:(ptr f0, ptr f1)\n" },
    { "template <class T> struct Box { int n; T *p; void make (int m); };\n"
      "template <class T> void Box<T>::make (int m) { n = m; cudaMalloc (&p, n * sizeof (int)); "
      "}\n" KERNEL ("Box<int> x", "x.p[x.n - 1] = 1;")
          MAIN ("Box<int> x; x.make (30); k<<<1, 1>>> (x);"),
      "_Z1k3BoxIiE (.param .align 8 .b8 x[16])",
      "ld.param.b32 r, [x]; ld.param.u64 p, [x+8]; st.global.u32 [p], r; ret;",
      "Arguments=(30,0,p):struct:(i32 f0, i32 p1, ptr f2)\n" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (classes); i++)
    {
      g_autofree char *ptx = g_strconcat (
          ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry _Z1qv ()\n{\nret;\n}\n"
          ".visible .entry ",
          classes[i].parameters, "\n{\n.reg .u64 p, q; .reg .u32 r; .reg .f32 f;\n",
          classes[i].body, "}\n", NULL);
      g_autoptr (GPtrArray) functions = cured_header_draft_scan (classes[i].source, NULL);
      g_autoptr (CuredHeaderDraft) made =
          cured_header_draft_new_from_source (classes[i].source, NULL, functions->pdata[0], "K");

      g_assert_true (made->is_incomplete);
      _cured_header_draft_take_fields (made, ptx);
      g_assert_false (made->is_incomplete);
      g_autofree char *text = cured_header_draft_to_text (made);
      if (strstr (text, classes[i].line) == NULL)
        g_error ("no “%s” in %s", classes[i].line, text);
    }
}

/* ptxas refuses a byte-order mark. */
TEST ("/draft-kinds/mark")
{
  g_autofree char *path = g_build_filename (test_folder (), "mark.ptx", NULL), *source = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_true (g_file_set_contents (
      path, "\xEF\xBB\xBF.version 8.0\n.visible .entry k ()\n{\nret;\n}\n", -1, NULL));
  g_assert_null (cured_header_draft_file (path, &source, &error));
  g_assert_error (error, CURED_ERROR, CURED_ERROR_SYNTAX);
  g_remove (path);
}

/* A block is at most what the kernel says that it is compiled for. */
TEST ("/draft-kinds/bounds")
{
  static const struct
  {
    const char *bounds, *lines;
  } bounds[] = {
    { "__launch_bounds__ (64)", "Values=1..64\n * Default=64  # a guess\n" },
    { "__launch_bounds__(512, 2)", "Values=1..512\n * Default=256  # a guess\n" },
    { "__launch_bounds__ (THREADS)", "Values=1..192\n * Default=192  # a guess\n" },
    { "__launch_bounds__ (bound)", "Values=1..96\n * Default=96  # a guess\n" },
    { "__launch_bounds__ (N)", "Values=1..1024\n * Default=256  # a guess\n" },
    { "", "Values=1..1024\n * Default=256  # a guess\n" },
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
