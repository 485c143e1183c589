/* SPDX-License-Identifier: MIT
 * NVRTC behind its cache: what it makes, refuses and remembers. */
#include <cured.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>
#include "device/cured-compiler-internal.h"
#include "make-result.h"
#include "test.h"

static const char good_source[] = "extern \"C\" __global__ void\n"
                                  "scale (float *data) { data[threadIdx.x] *= FACTOR; }\n";

/* 444 is landlock_create_ruleset on every architecture. */
static gboolean
has_landlock (void)
{
  return syscall (444, NULL, 0, 1u) >= 1;
}

static CuredCompiler *
get_compiler (void)
{
  g_autoptr (GError) error = NULL;
  CuredCompiler *compiler = cured_compiler_new (&error);

  if (compiler == NULL)
    g_test_skip (error->message);
  return compiler;
}

static GBytes *
compile_factor (CuredCompiler *compiler, const char *factor, const char *arch, gint64 *compile_ns)
{
  g_autofree char *define = g_strconcat ("-DFACTOR=", factor, NULL);
  const char *options[] = { define, NULL };
  return MUST (
      cured_compiler_compile (compiler, good_source, "scale.cu", options, arch, compile_ns, &fail));
}

/* A folder's name is no pattern. */
TEST ("/compiler/escape")
{
  g_autofree char *pattern = _cured_escape_pattern ("/opt/env [1]*?\\");

  g_assert_cmpstr (pattern, ==, "/opt/env \\[1\\]\\*\\?\\\\");
}

TEST ("/compiler/kinds")
{
  g_autoptr (CuredCompiler) compiler = get_compiler ();
  const char *options[] = { "-DFACTOR=2", NULL };
  gint64 cubin_ns = 0, ptx_ns = 0;

  if (compiler == NULL)
    return;
  g_assert_true (g_str_has_prefix (cured_compiler_get_version (compiler), "NVRTC 1"));
  /* What is being edited is not looked for in the cache. */
  CuredSources *sources = cured_sources_new_from_text (good_source);
  g_autoptr (GBytes) alone = cured_compiler_compile_live (compiler, sources, "scale.cu", options,
                                                          "compute_90", NULL, NULL, NULL);
  cured_sources_unref (sources);
  cured_compiler_free (g_steal_pointer (&compiler));
  compiler = get_compiler ();
  /* One compilation makes both. */
  g_autoptr (GBytes) cubin = compile_factor (compiler, "2", "sm_90", &cubin_ns);
  g_autoptr (GBytes) ptx = compile_factor (compiler, "2", "compute_90", &ptx_ns);
  g_assert_cmpint (ptx_ns, ==, cubin_ns);
  g_assert_true (g_bytes_equal (ptx, alone));
  g_assert_cmpmem (g_bytes_get_data (cubin, NULL), 4, "\177ELF", 4);
  g_assert_nonnull (strstr (g_bytes_get_data (ptx, NULL), ".visible .entry scale"));
}

TEST ("/compiler/error")
{
  g_autoptr (CuredCompiler) compiler = get_compiler ();
  g_autoptr (GError) error = NULL;

  if (compiler == NULL)
    return;
  for (int turn = 0; turn < 2; turn++)
    {
      g_clear_error (&error);
      g_assert_null (cured_compiler_compile (compiler, "\nint broken (void) { return x; }\n",
                                             "broken.cu", NULL, "sm_90", NULL, &error));
      g_assert_error (error, CURED_ERROR, CURED_ERROR_COMPILE);
      g_assert_nonnull (strstr (error->message, "broken.cu(2)"));
    }
}

/* NVRTC repeats the line in each of its warnings. */
TEST ("/compiler/long-log")
{
  g_autoptr (CuredCompiler) compiler = get_compiler ();
  g_autoptr (GError) error = NULL;
  g_autoptr (GString) source = g_string_new ("int broken (void) { return x; } ");

  if (compiler == NULL)
    return;
  for (int i = 0; i < 1000; i++)
    g_string_append (source, "/*");
  g_string_append (source, "*/\n");
  g_assert_null (
      cured_compiler_compile (compiler, source->str, "long.cu", NULL, "sm_90", NULL, &error));
  g_assert_error (error, CURED_ERROR, CURED_ERROR_COMPILE);
  g_assert_cmpuint (strlen (error->message), >, 1 << 19);
  g_assert_cmpuint (strlen (error->message), <, (1 << 20) + 1000);
}

static char *
get_cached_file (void)
{
  g_autofree char *folder = g_build_filename (g_get_user_cache_dir (), "cured", "compiled", NULL);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);

  g_assert_nonnull (dir);
  const char *name = g_dir_read_name (dir);
  g_assert_nonnull (name);
  char *path = g_build_filename (folder, name, NULL);
  g_assert_null (g_dir_read_name (dir));
  return path;
}

TEST ("/compiler/cache")
{
  g_autoptr (GBytes) first = NULL;
  gint64 first_ns = 0;

  {
    g_autoptr (CuredCompiler) compiler = get_compiler ();

    if (compiler == NULL)
      return;
    first = compile_factor (compiler, "3", "compute_80", &first_ns);
    g_assert_cmpint (first_ns, >, 0);
  }
  g_autofree char *path = get_cached_file ();

  /* Another compiler takes it from the disk: the compile time is that of the first time, to the
   * nanosecond. */
  {
    g_autoptr (CuredCompiler) compiler = get_compiler ();
    gint64 again_ns = 0;
    g_autoptr (GBytes) again = compile_factor (compiler, "3", "compute_80", &again_ns);

    g_assert_true (g_bytes_equal (first, again));
    g_assert_cmpint (again_ns, ==, first_ns);
  }

  /* A damaged file is not believed. */
  {
    g_autoptr (CuredCompiler) compiler = get_compiler ();
    g_autofree char *contents = NULL;
    gsize size;

    g_assert_true (g_file_get_contents (path, &contents, &size, NULL));
    contents[size - 1] ^= 1;
    g_assert_true (g_file_set_contents (path, contents, (gssize) size, NULL));
    g_autoptr (GBytes) again = compile_factor (compiler, "3", "compute_80", NULL);
    g_assert_true (g_bytes_equal (first, again));
  }
}

/* Remarks on a source that compiles are not lost on the disk. */
TEST ("/compiler/log")
{
  static const char source[] = "extern \"C\" __global__ void\nempty (void) { int spare; }\n";
  g_autoptr (GBytes) first = NULL;

  for (int turn = 0; turn < 2; turn++)
    {
      g_autoptr (CuredCompiler) compiler = get_compiler ();
      g_autoptr (GError) error = NULL;
      g_autofree char *log = NULL;
      g_autoptr (CuredSources) sources = cured_sources_new_from_text (source);

      if (compiler == NULL)
        return;
      if (turn == 0)
        first =
            cured_compiler_compile (compiler, source, "empty.cu", NULL, "compute_90", NULL, &error);
      g_assert_no_error (error);
      g_autoptr (GBytes) image = MUST (cured_compiler_compile_live (
          compiler, sources, "empty.cu", NULL, "compute_90", &log, NULL, &fail));
      g_assert_true (g_bytes_equal (image, first));
      g_assert_nonnull (strstr (log, "empty.cu(2): warning"));
      g_assert_nonnull (strstr (log, "spare"));
    }
}

/* What is included is a part of what is compiled: another content, another folder, another name. */
TEST ("/compiler/included")
{
  static const char text[] = "#include \"foo.cuh\"\n"
                             "extern \"C\" __global__ void\nset (int *out) { *out = FOO; }\n";
  const char *contents[] = { "#define FOO 1111\n", "#define FOO 2222\n" };
  g_autoptr (CuredCompiler) compiler = get_compiler ();
  const char *folder = test_folder ();
  g_autofree char *header = g_build_filename (folder, "foo.cuh", NULL);
  g_autofree char *path = g_build_filename (folder, "set.cu", NULL);

  if (compiler == NULL)
    return;
  for (int turn = 0; turn < 4; turn++)
    {
      g_autofree char *source = g_strconcat ("/*! cured\n * [Kernel]\n * Title=Set\n"
                                             " * [Buffer out]\n * Type=i32\n * Length=1\n"
                                             " * Fill=poison\n"
                                             " * [Launch]\n * Entry=set\n * Grid=1\n * Block=1\n"
                                             " * Arguments=out\n"
                                             " * [Check]\n * Output=out\n * Reference=index\n */\n",
                                             text, NULL);
      g_autoptr (CuredKernel) kernel =
          MUST (cured_kernel_new_from_text (source, "set", path, &fail));

      g_assert_true (g_file_set_contents (header, contents[turn % 2], -1, NULL));
      g_autoptr (CuredSources) sources = MUST (cured_sources_new (kernel, NULL, &fail));
      g_autoptr (GBytes) ptx = MUST (cured_compiler_compile_sources (
          compiler, sources, "set.cu", NULL, "compute_90", NULL, &fail));
      g_assert_cmpint (strstr (g_bytes_get_data (ptx, NULL), "1111") != NULL, ==, turn % 2 == 0);
      g_assert_cmpint (strstr (g_bytes_get_data (ptx, NULL), "2222") != NULL, ==, turn % 2 == 1);
    }
}

/* Where the system can, NVRTC itself opens nothing but the toolkit: not even of a text that was
 * not looked through. */
TEST ("/compiler/locked")
{
  g_autoptr (CuredCompiler) compiler = get_compiler ();
  const char *folder = test_folder ();
  g_autofree char *secret = g_build_filename (folder, "secret.txt", NULL);
  g_autofree char *written = g_build_filename (folder, "written.csv", NULL);
  g_autofree char *source = g_strdup_printf ("#include \"%s\"\n", secret);
  g_autofree char *option = g_strconcat ("--time=", written, NULL);
  const char *options[] = { option, NULL };
  g_autoptr (GError) error = NULL;

  if (compiler == NULL)
    return;
  if (!has_landlock ())
    {
      g_test_skip ("this kernel has no Landlock");
      return;
    }
  g_assert_true (g_file_set_contents (secret, "the secret line\n", -1, NULL));
  g_autoptr (GBytes) image =
      cured_compiler_compile (compiler, source, "reader.cu", NULL, "compute_90", NULL, &error);
  g_assert_null (image);
  g_assert_error (error, CURED_ERROR, CURED_ERROR_COMPILE);
  g_assert_null (strstr (error->message, "the secret line"));
  g_clear_error (&error);
  image = cured_compiler_compile (compiler, good_source, "writer.cu", options, "compute_90", NULL,
                                  &error);
  g_assert_false (g_file_test (written, G_FILE_TEST_EXISTS));
}

static guint64
count_cached_bytes (void)
{
  g_autofree char *folder = g_build_filename (g_get_user_cache_dir (), "cured", "compiled", NULL);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  guint64 bytes = 0;
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);
      GStatBuf info;

      if (g_stat (path, &info) == 0)
        bytes += (guint64) info.st_size;
    }
  return bytes;
}

#define FULL_BYTES ((guint64) 1 << 20)

/* Variants with a table of 64 KiB each: more than the folder may have. */
static void
fill_cache (void)
{
  g_autoptr (CuredCompiler) compiler = get_compiler ();

  for (int i = 0; compiler != NULL && i < 30; i++)
    {
      g_autofree char *define = g_strdup_printf ("-DFIRST=%d", i);
      const char *options[] = { define, NULL };
      g_autoptr (GBytes) image =
          MUST (cured_compiler_compile (compiler,
                                        "__device__ int table[16384] = { FIRST };\n"
                                        "extern \"C\" __global__ void\nget (int *out, int i)\n"
                                        "{ *out = table[i]; }\n",
                                        "table.cu", options, "sm_90", NULL, &fail));

      g_assert_nonnull (image);
    }
}

/* Two processes fill one folder, and both find what they need. */
TEST ("/compiler/full")
{
  g_autoptr (CuredCompiler) compiler = get_compiler ();

  if (compiler == NULL)
    return;
  g_setenv ("CURED_CACHE_MIB", "1", TRUE);
  {
    g_autofree char *cache = g_strdup (g_get_user_cache_dir ());
    g_autoptr (GSubprocessLauncher) launcher = g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_NONE);
    g_autofree char *self = g_file_read_link ("/proc/self/exe", NULL);
    GSubprocess *processes[2];

    g_subprocess_launcher_setenv (launcher, "CURED_TEST_FILL_CACHE", cache, TRUE);
    for (gsize i = 0; i < G_N_ELEMENTS (processes); i++)
      {
        processes[i] = MUST (g_subprocess_launcher_spawn (launcher, &fail, self, NULL));
      }
    for (gsize i = 0; i < G_N_ELEMENTS (processes); i++)
      {
        g_assert_true (g_subprocess_wait_check (processes[i], NULL, NULL));
        g_object_unref (processes[i]);
      }
    g_assert_cmpuint (count_cached_bytes (), <=, FULL_BYTES * 5 / 4);
    g_assert_cmpuint (count_cached_bytes (), >, FULL_BYTES / 2);
  }
  g_unsetenv ("CURED_CACHE_MIB");
}

static gpointer
compile_in_thread (gpointer data)
{
  gint64 compile_ns = 0;
  g_autoptr (GBytes) image = compile_factor (data, "4", "sm_90", &compile_ns);

  g_assert_nonnull (image);
  return g_memdup2 (&compile_ns, sizeof compile_ns);
}

/* Threads that want the same variant at once share one compilation: all hear the same compile
 * time. */
TEST ("/compiler/shared")
{
  g_autoptr (CuredCompiler) compiler = get_compiler ();
  g_autoptr (CuredSources) sources = cured_sources_new_from_text (good_source);
  const char *options[] = { "-DFACTOR=4", NULL };
  GThread *threads[8];
  gint64 first_ns = 0;

  if (compiler == NULL)
    return;
  cured_compiler_prepare (compiler, sources, "scale.cu", options, "sm_90");
  for (gsize i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new ("compile", compile_in_thread, compiler);
  for (gsize i = 0; i < G_N_ELEMENTS (threads); i++)
    {
      g_autofree gint64 *ns = g_thread_join (threads[i]);

      if (i == 0)
        first_ns = *ns;
      g_assert_cmpint (*ns, ==, first_ns);
    }
}

/* Closing with work asked for and not begun neither hangs nor leaks. */
TEST ("/compiler/dropped")
{
  CuredCompiler *compiler = get_compiler ();
  g_autoptr (CuredSources) sources = cured_sources_new_from_text (good_source);

  if (compiler == NULL)
    return;
  for (int i = 0; i < 40; i++)
    {
      g_autofree char *define = g_strdup_printf ("-DFACTOR=%d", 100 + i);
      const char *options[] = { define, NULL };

      cured_compiler_prepare (compiler, sources, "scale.cu", options, "sm_90");
    }
  cured_compiler_free (compiler);
}

/* Cooperative groups need headers that have a folder of their own since CUDA 13; where there is a
 * toolkit, both folders are found. */
TEST ("/compiler/headers")
{
  static const char source[] =
      "#include <cooperative_groups.h>\n"
      "extern \"C\" __global__ void\n"
      "wait (void) { cooperative_groups::this_thread_block ().sync (); }\n";
  g_autoptr (CuredCompiler) compiler = get_compiler ();

  if (compiler == NULL)
    return;
  g_autofree char *root = g_path_get_dirname (cured_compiler_get_path (compiler));
  g_autofree char *headers = g_build_filename (root, "..", "include", "cccl", NULL);
  if (!g_file_test (headers, G_FILE_TEST_IS_DIR))
    {
      g_test_skip ("NVRTC stands alone, without the toolkit's headers");
      return;
    }
  g_autoptr (GBytes) ptx =
      MUST (cured_compiler_compile (compiler, source, "wait.cu", NULL, "compute_90", NULL, &fail));
  g_assert_nonnull (strstr (g_bytes_get_data (ptx, NULL), "bar"));
}

/* Sources as nvcc takes them: functions without a mark, kernels called as functions of CUDA or all
 * alike, headers that are half the host's or not there, and traits that only the toolkit has. */
TEST ("/compiler/as-nvcc")
{
  static const struct
  {
    const char *source;
    const char *entry;  /* as the header names it */
    const char *symbol; /* that it has */
  } cases[] = {
    { "constexpr int up (int a) { return a + 1; }\n__global__ void k (int *a) { a[0] = up (1); }\n"
      "int main () { k<<<up (2), 1>>> (nullptr); }\n",
      "k", "_Z1kPi" },
    { "__global__ void norm (float *a) { a[0] = sqrtf (a[1]); }\n", "norm", "_Z4normPf" },
    { "__global__ void k (float *a) { a[0] = 1; }\n__global__ void k (int *a, int n) { a[n] = 1; "
      "}\n",
      "_Z1kPii", "_Z1kPii" },
    { "#include \"cuda_of_mine.h\"\n__global__ void k (int *a) { a[0] = 1; }\n", "k", "_Z1kPi" },
    { "#include <type_traits>\ntemplate <class T> __device__ int f (T)\n"
      "{ return std::is_convertible_v<T, int> && std::is_trivially_copyable<T>::value; }\n"
      "__global__ void k (int *a) { a[0] = f (2.f); }\n",
      "k", "_Z1kPi" },
    { "#include <complex>\nnamespace own {\nenum { FP_NAN =\n#define FP_NAN 0\n  FP_NAN };\n}\n"
      "__global__ void k (float *a)\n"
      "{ a[0] = std::complex<float> (a[1], FP_NORMAL).real () + FP_NAN; }\n",
      "k", "_Z1kPf" },
    { "#include <cmath>\n#include <cstring>\n__global__ void k (float *a, int n) {\n"
      "  std::memcpy (a, a + 4, 4); a[1] = pow (n, 2) + std::pow (2u, n) + std::tgamma (a[2]); }\n",
      "k", "_Z1kPfi" },
    { "#include <cub/cub.cuh>\n__global__ void k (int *a) {\n"
      "  __shared__ typename cub::WarpReduce<int>::TempStorage s;\n"
      "  a[0] = cub::WarpReduce<int> (s).Sum (a[threadIdx.x]); }\n",
      "k", "_Z1kPi" },
  };
  g_autoptr (CuredCompiler) compiler = get_compiler ();

  if (compiler == NULL)
    return;
  g_autofree char *root = g_path_get_dirname (cured_compiler_get_path (compiler));
  g_autofree char *headers = g_build_filename (root, "..", "include", "cccl", NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *text = g_strdup_printf (
          "/*! cured\n[Kernel]\nTitle=x\n[Buffer a]\nType=i32\nLength=64\n"
          "Fill=uniform\n[Launch]\nEntry=%s\nGrid=1\nBlock=32\nArguments=a\n*/\n%s",
          cases[i].entry, cases[i].source);
      g_autofree char *option = g_strconcat ("--cured-entry=", cases[i].entry, NULL);
      g_autofree char *head = g_strdup_printf (".entry %s(", cases[i].symbol);
      const char *options[] = { option, NULL };
      g_autoptr (CuredKernel) kernel = MUST (cured_kernel_new_from_text (text, "x", NULL, &fail));

      if (strstr (text, "#include <") != NULL && !g_file_test (headers, G_FILE_TEST_IS_DIR))
        continue;
      g_test_message ("%s", cases[i].source);
      g_autoptr (CuredSources) sources = MUST (cured_sources_new (kernel, NULL, &fail));
      g_autoptr (GBytes) ptx = MUST (cured_compiler_compile_live (
          compiler, sources, "x.cu", options, "compute_90", NULL, NULL, &fail));
      g_assert_nonnull (strstr (g_bytes_get_data (ptx, NULL), head));
    }
}

TEST ("/compiler/missing")
{
  g_autoptr (GError) error = NULL;

  g_setenv ("CURED_NVRTC", "/nonexistent/libnvrtc.so", TRUE);
  g_assert_null (cured_compiler_new (&error));
  g_unsetenv ("CURED_NVRTC");
  g_assert_error (error, CURED_ERROR, CURED_ERROR_NO_COMPILER);
  g_assert_nonnull (strstr (error->message, "/nonexistent/libnvrtc.so"));
}

int
main (int argc, char **argv)
{
  const char *cache = g_getenv ("CURED_TEST_FILL_CACHE");

  if (cache != NULL)
    {
      g_setenv ("XDG_CACHE_HOME", cache, TRUE);
      fill_cache ();
      return 0;
    }
  /* An own cache folder for every test. */
  g_test_init (&argc, &argv, G_TEST_OPTION_ISOLATE_DIRS, NULL);
  return run_tests ();
}
