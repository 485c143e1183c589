/* SPDX-License-Identifier: MIT
 * What is cut out of sources that have host code. */
#include <cured.h>
#include <string.h>

#include "kernel/sources/cured-host-code-internal.h"
#include "kernel/cured-tokens-internal.h"
#include "test.h"

static char *
cut (const char *text)
{
  g_auto (CuredHostCode) code = { 0 };

  _cured_host_code_init (&code);
  _cured_host_code_learn (&code, text);
  char *result = _cured_host_code_cut (&code, text);
  g_assert_cmpuint (strlen (result), ==, strlen (text));
  for (gsize i = 0; text[i] != '\0'; i++)
    {
      g_assert_true ((text[i] == '\n') == (result[i] == '\n'));
      g_assert_true (result[i] == text[i] || result[i] == ' ');
    }
  return result;
}

/* All of @text goes. */
static void
assert_cut (const char *text)
{
  g_autofree char *result = cut (text);

  g_strstrip (result);
  g_assert_cmpstr (result, ==, "");
}

static void
assert_kept (const char *text)
{
  g_autofree char *result = cut (text);

  g_assert_cmpstr (result, ==, text);
}

TEST ("/host-code/host")
{
  assert_cut ("int main () { return 0; }");
  assert_cut ("int main (int argc, char **argv)\n{\n  k<<<1, 2>>> (a);\n}\n");
  assert_cut ("template <typename T> void launch (T *a) { k<T><<<1, 2>>> (a); }");
  assert_cut ("void launch (float *a);");
  assert_cut ("static std::vector<float> data;");
  assert_cut ("std::map<int, int> m = { { 1, 2 }, { 3, 4 } };");
  assert_cut ("float *d_a, *d_b;");
  assert_cut ("int n = 1 << 20;");
  assert_cut ("class Big { std::string name; void f () { cout << name; } };");
  assert_cut ("Thing::Thing (int a) : a_ { a }, b_ (3) { f (); }");
  assert_cut ("int f () try { g (); } catch (int e) { h (); }");
  assert_cut ("using list = std::vector<int>;");
  assert_cut ("typedef std::vector<int> list;\nlist all;");
  assert_cut ("struct A { FILE *f; };\nstruct B { A a; };");
  assert_cut ("const char *name = \"} {\";");
  assert_cut ("__host__ void f () { if (1) { } }");
  assert_cut ("std::ostream &operator<< (std::ostream &o, int a) { return o; }");
  assert_cut ("template void launch<float> (float *);");
  assert_cut ("struct timer { struct timespec from, to; };\nstruct timer t;");
  assert_cut ("struct body *bodies;");
  assert_cut ("using namespace std::chrono;\nusing namespace cv;\nusing namespace ::at;");
  assert_cut ("namespace py = pybind11;\nnamespace fs = std::filesystem;");
  assert_cut ("class Blob { cudnnTensorDescriptor_t d; cublasStatus_t s; };");
}

/* A variable of a type goes; the type stays. */
TEST ("/host-code/variables")
{
  static const struct
  {
    const char *text, *left;
  } cases[] = {
    { "struct P { int x; } a[2];", "struct P { int x; }     ;" },
    { "struct P { int x; };\nstruct P a;", "struct P { int x; };\n           " },
    { "struct P { int x; };\nstatic union U b[4] = { 1 };",
      "struct P { int x; };\n                            " },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *left = cut (cases[i].text);

      g_assert_cmpstr (left, ==, cases[i].left);
    }
}

TEST ("/host-code/device")
{
  assert_kept ("__global__ void k (int *a) { a[0] = 1; }");
  assert_kept ("extern \"C\" __global__ void k (int *a) { a[0] = '\\''; }");
  assert_kept ("__device__ __forceinline__ int f (int a) { return a; }");
  assert_kept ("template <typename T, int N = (3 > 2)> __global__ void\n"
               "__launch_bounds__ (256) k (T *a) {}");
  assert_kept ("__host__ __device__ int f (int a) { return a; }");
  assert_kept ("__constant__ float c[16];\nextern __shared__ float s[];");
  assert_kept ("constexpr int f (int a) { return a; }");
  assert_kept ("#define IF_17 constexpr\ntemplate <int N> IF_17 auto f () { return N; }");
  assert_kept ("const int N = 16;\nconstexpr int M[2] = { 1, 2 };");
  assert_kept ("enum E { A, B };\nenum class F : int { C };");
  assert_kept ("typedef struct { float x, y; } point;");
  assert_kept ("struct P { float x; __device__ float f () const { return x; } };");
  assert_kept ("template <class T> struct V { T x; };\nstruct W;");
  assert_kept ("template <typename T, template <typename> class A = V>\nusing W = X<T, A, int>;");
  assert_kept ("template <class T, bool B = std::is_convertible_v<T, int>> struct C { T x; };");
  assert_kept ("using namespace std;\nusing real = double;");
  assert_kept ("namespace cg = cooperative_groups;\nusing namespace cg;\n"
               "namespace wmma = nvcuda::wmma;\nusing namespace nvcuda;");
  assert_kept ("namespace a { namespace b { struct V; } }\nusing namespace a::b;\n"
               "using namespace ::a;\nnamespace c = a;");
  assert_kept ("namespace a { namespace b { __device__ int f () { return 1; } } }");
  assert_kept ("#define BOTH __host__ __device__\nBOTH int f () { return 1; }");
  assert_kept ("#define KERNEL(n) __global__ void n (int *a) { a[0] = 1; }\n"
               "KERNEL (one)\nKERNEL (two)\n");
  assert_kept ("static_assert (sizeof (int) == 4, \"\");");
  assert_kept ("struct W;\ntemplate <> struct V<int>;\n__constant__ struct W w;");
}

/* Preprocessor lines stay, and a function that begins twice ends once. */
TEST ("/host-code/lines")
{
  g_autofree char *text = cut ("#ifdef A\n"
                               "int main () {\n"
                               "#else\n"
                               "int main (int argc) {\n"
                               "#endif\n"
                               "  f (\"}\");\n"
                               "#define N 4\n}\n"
                               "__device__ int x;\n");
  g_autofree char *member = cut ("struct P {\n  int x;\n  void f () { g (); }\n"
                                 "  __device__ int h () { return x; }\n};\n");

  g_assert_nonnull (strstr (text, "#ifdef A\n"));
  g_assert_nonnull (strstr (text, "#else\n"));
  g_assert_nonnull (strstr (text, "#endif\n"));
  g_assert_nonnull (strstr (text, "#define N 4\n"));
  g_assert_nonnull (strstr (text, "\n__device__ int x;\n"));
  g_assert_null (strstr (text, "main"));
  g_assert_null (strstr (text, "}"));
  g_assert_nonnull (strstr (member, "int x;"));
  g_assert_nonnull (strstr (member, "return x;"));
  g_assert_null (strstr (member, "g ()"));
}

/* Texts and comments hide what they have. */
TEST ("/host-code/hidden")
{
  assert_kept ("// int main () {\n/* } */ __device__ int a;\n");
  assert_kept ("__device__ const char *t = R\"x(int main () { )\" )x\";\n"
               "#if 0\n it's { nothing\n#endif\n__device__ int b = 1'000;\n");
}

/* Where brackets say nothing, nothing is cut; and it ends soon. */
TEST ("/host-code/hostile")
{
  static const char *const open[] = {
    "int main () {",
    "}",
    "int f ( {",
    "template <",
    "#if\n{\n#else\n#endif\n",
    "R\"(",
    "\"",
    "'",
    "/*",
    "struct A {",
    "namespace",
    "extern \"C\" {",
  };
  static const char *const many[] = { "<",         "{",       "(",     "template<",   "#if 1\n",
                                      "struct A{", "#if 0\n", "R\"a(", "__global__ ", "a<<<" };

  for (gsize i = 0; i < G_N_ELEMENTS (open); i++)
    assert_kept (open[i]);
  for (gsize i = 0; i < G_N_ELEMENTS (many); i++)
    {
      g_autoptr (GString) text = g_string_new (NULL);

      while (text->len < (i == 0 ? 4 << 20 : 1 << 18))
        g_string_append (text, many[i]);
      g_autofree char *result = cut (text->str);
      if (i != 0)
        g_ptr_array_unref (cured_header_draft_scan (text->str, NULL));
    }
}

TEST ("/host-code/tokens")
{
  g_autoptr (CuredTokens) tokens = _cured_tokens_new ("a (b[1.5e+3], \"c)\") // d\n{ }");

  g_assert_true (tokens->is_whole);
  g_assert_cmpuint (tokens->tokens->len, ==, 11);
  g_assert_cmpuint (CURED_TOKEN (tokens, 1)->match, ==, 8);
  g_assert_cmpuint (CURED_TOKEN (tokens, 3)->match, ==, 5);
  g_assert_true (_cured_tokens_is (tokens, 4, "1.5e+3"));
  g_assert_cmpint (CURED_TOKEN (tokens, 7)->kind, ==, CURED_TOKEN_TEXT);
  g_assert_cmpint (_cured_tokens_get_sign (tokens, 9), ==, '{');
  g_assert_cmpint (_cured_tokens_get_sign (tokens, 99), ==, 0);
}

TEST ("/host-code/words")
{
  g_autoptr (CuredTokens) tokens = _cured_tokens_new ("n (\"n\", m, n) nn 'n' + n");
  g_autoptr (CuredTokens) others = _cured_tokens_new ("= n");
  guint places[] = { 0, 6, 11 }, n = 0;

  CURED_EACH_WORD (i, tokens, "n")
    g_assert_cmpuint (i, ==, places[n++]);
  g_assert_cmpuint (n, ==, 3);
  CURED_EACH_SAME (i, tokens, others, 1)
    g_assert_cmpuint (i, ==, places[3 - n--]);
  g_assert_cmpuint (n, ==, 0);
  g_assert_cmpuint (_cured_tokens_find (tokens, "\"n\""), ==, CURED_TOKEN_NONE);
  g_assert_cmpuint (_cured_tokens_find (tokens, "o"), ==, CURED_TOKEN_NONE);
}
