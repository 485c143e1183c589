/* SPDX-License-Identifier: MIT
 * Kernel files that are PTX, and headers in files of their own. */
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cured.h>

#include "kernel/cured-ptx-text-internal.h"
#include "kernel/cured-sources-internal.h"
#include "test.h"

#define PTX                                                                                        \
  "//\n// Made by a compiler\n//\n.version 8.0\n.target sm_90a, debug\n"                           \
  ".address_size 64\n\t.file\t1 \"/somewhere/made.py\"\n"                                          \
  "\t.file 2 \"/etc/passwd\"\n"                                                                    \
  ".visible .entry f(.param .u64 f_0)\n{\n\tret;\n}\n"

#define GROUPS                                                                                     \
  "[Kernel]\nTitle=PTX\n%s\n[Parameter n]\nKind=problem\nDefault=8\n\n"                            \
  "[Buffer x]\nType=f32\nLength=n*n\nFill=uniform\n\n"                                             \
  "[Launch]\nEntry=f\nGrid=1\nBlock=32\nArguments=%s\n"

typedef struct
{
  char *folder;
} Files;

static void
set_up (Files *self, gconstpointer data)
{
  self->folder = g_dir_make_tmp ("cured-XXXXXX", NULL);
}

static void
tear_down (Files *self, gconstpointer data)
{
  GDir *listing = g_dir_open (self->folder, 0, NULL);
  const char *name;

  while ((name = g_dir_read_name (listing)) != NULL)
    {
      g_autofree char *path = g_build_filename (self->folder, name, NULL);

      g_unlink (path);
    }
  g_dir_close (listing);
  g_rmdir (self->folder);
  g_free (self->folder);
}

#define FIXTURE_TEST(path) TEST_FIXTURE (path, Files, set_up, tear_down)

static char *
write_file (Files *self, const char *name, const char *text)
{
  char *path = g_build_filename (self->folder, name, NULL);

  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  return path;
}

#define MAKE(more, arguments) g_strdup_printf (GROUPS, more, arguments)

static CuredKernel *
load (const char *path)
{
  CuredKernel *kernel = MUST (cured_kernel_new_from_file (path, &fail));

  g_assert_cmpstr (kernel->title, ==, "PTX");
  g_assert_true (kernel->is_ptx);
  g_assert_cmpuint (kernel->n_steps, ==, 1);
  return kernel;
}

static void
assert_refused (const char *path, const char *where, const char *word)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (CuredKernel) kernel = cured_kernel_new_from_file (path, &error);

  g_assert_null (kernel);
  g_assert_nonnull (error);
  if (strstr (error->message, where) == NULL || strstr (error->message, word) == NULL)
    g_error ("“%s” names neither %s nor %s", error->message, where, word);
}

/* Above the code and below it; the lines of the code stay where they are. */
FIXTURE_TEST ("/kernel-ptx/inside")
{
  g_autofree char *groups = MAKE ("", "x");
  g_autofree char *above = g_strconcat ("/*! cured\n", groups, "*/\n", PTX, NULL);
  g_autofree char *below = g_strconcat (PTX, "/*! cured\n", groups, "*/\n", NULL);
  g_autofree char *first = write_file (self, "above.ptx", above);
  g_autofree char *second = write_file (self, "below.ptx", below);
  g_autoptr (CuredKernel) one = load (first);
  g_autoptr (CuredKernel) two = load (second);

  g_assert_cmpstr (one->id, ==, "above");
  g_assert_true (g_str_has_prefix (two->source, PTX));
}

/* What a person wrote about the PTX outlives the next run of the compiler. */
FIXTURE_TEST ("/kernel-ptx/beside")
{
  g_autofree char *groups = MAKE ("", "x");
  g_autofree char *comment = g_strconcat ("/*! cured\n", groups, "*/\n", NULL);
  g_autofree char *ptx = write_file (self, "made.ptx", PTX);
  g_autofree char *side = write_file (self, "made.ptx.kernel", groups);
  g_autoptr (CuredKernel) one = load (ptx);
  g_autoptr (CuredKernel) two = load (side);

  g_assert_cmpstr (one->id, ==, "made");
  g_assert_cmpstr (two->id, ==, "made");
  g_assert_cmpstr (one->path, ==, ptx);
  g_assert_cmpstr (one->source, ==, two->source);
  g_assert_true (g_str_has_prefix (one->source, PTX));
  g_assert_true (g_file_set_contents (side, comment, -1, NULL));
  g_autoptr (CuredKernel) three = load (ptx);
  /* As a result file or a worker has it. */
  g_autoptr (CuredKernel) again =
      MUST (cured_kernel_new_from_text (three->source, "made", NULL, &fail));
  g_assert_true (again->is_ptx);
  g_assert_cmpuint (again->n_buffers, ==, 1);
}

FIXTURE_TEST ("/kernel-ptx/named")
{
  g_autofree char *groups = MAKE ("Source=made.ptx", "x");
  g_autofree char *ptx = write_file (self, "made.ptx", PTX);
  g_autofree char *side = write_file (self, "mine.kernel", groups);
  g_autoptr (CuredKernel) kernel = load (side);

  g_assert_cmpstr (kernel->id, ==, "mine");
  g_assert_true (g_str_has_suffix (kernel->path, "/made.ptx"));
  g_autoptr (CuredKernel) again =
      MUST (cured_kernel_new_from_text (kernel->source, "mine", NULL, &fail));
}

FIXTURE_TEST ("/kernel-ptx/refused")
{
  static const struct
  {
    const char *name, *text, *word;
  } cases[] = {
    { "none.ptx", PTX, ".kernel" },
    { "free.kernel", "[Kernel]\nTitle=PTX\n", "Source=" },
    { "out.kernel", "[Kernel]\nSource=link.ptx\n", "outside" },
    { "gone.kernel", "[Kernel]\nSource=gone.ptx\n", "gone.ptx" },
    { "cuda.kernel", "[Kernel]\nSource=made.cu\n", ".ptx" },
    { "like.kernel", "[Kernel]\nSource=none.ptx\nLike=vector/add\n", "Like=" },
    { "more.kernel", "[Kernel]\n*/ .version\n", "more.kernel:2" },
    { "open.kernel", "/*! cured\n[Kernel]\n", "open.kernel:1" },
    { "text.kernel", "[Kernel]\nSource=text.kernel.ptx\n", ".version" },
    { "key.kernel", "[Kernel]\nSource=none.ptx\nTitel=x\n", "key.kernel:3" },
    { "twice.kernel", "[Kernel]\nSource=inside.ptx\nTitle=x\n", "header" },
  };
  g_autofree char *text = write_file (self, "text.kernel.ptx", "hello\n");
  g_autofree char *link = g_build_filename (self->folder, "link.ptx", NULL);
  g_autofree char *inside =
      write_file (self, "inside.ptx", "/*! cured\n[Kernel]\nTitle=x\n*/\n" PTX);

  g_assert_cmpint (symlink ("/etc/passwd", link), ==, 0);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path = write_file (self, cases[i].name, cases[i].text);

      assert_refused (path, cases[i].name, cases[i].word);
    }
}

/* What only a compiler could do something with. */
FIXTURE_TEST ("/kernel-ptx/compiled-before")
{
  g_autofree char *options = MAKE ("Source=made.ptx\nOptions=-DA=1", "x");
  g_autofree char *macro = MAKE ("Source=made.ptx\n[Parameter t]\nKind=compile\nDefault=1", "x");
  g_autofree char *ptx = write_file (self, "made.ptx", PTX);
  g_autofree char *first = write_file (self, "options.kernel", options);
  g_autofree char *second = write_file (self, "macro.kernel", macro);

  assert_refused (first, "options.kernel:4", "Options=");
  assert_refused (second, "macro.kernel:5", "Kind=compile");
}

/* meminfo, parent, items, bytes of one, data, lengths, strides. */
FIXTURE_TEST ("/kernel-ptx/numba")
{
  static const gint64 expected[] = { 0, 0, 24, 4, -1, 3, 8, 32, 4, 1 };
  g_autofree char *groups = MAKE ("Source=made.ptx", "x:numba[3, n],1");
  g_autofree char *ptx = write_file (self, "made.ptx", PTX);
  g_autofree char *side = write_file (self, "mine.kernel", groups);
  g_autoptr (CuredKernel) kernel = load (side);
  const gint64 values[] = { 8 };

  g_autoptr (CuredProgram) program =
      MUST (cured_program_new (kernel, values, &cured_profile_find ("sm_90")->limits, &fail));
  g_assert_cmpuint (program->steps[0].n_arguments, ==, G_N_ELEMENTS (expected));
  for (gsize i = 0; i < G_N_ELEMENTS (expected); i++)
    {
      const CuredProgramArgument *argument = &program->steps[0].arguments[i];

      if (i == 4)
        {
          g_assert_cmpint (argument->buffer, ==, 0);
          continue;
        }
      g_assert_cmpint (argument->buffer, ==, -1);
      g_assert_cmpint (argument->integer, ==, expected[i]);
    }
}

FIXTURE_TEST ("/kernel-ptx/numba-refused")
{
  static const char *const arguments[] = {
    "x:numba", "x:numba[]", "x:numba[n", "y:numba[n]", "x:numba[n,]",
  };
  g_autofree char *ptx = write_file (self, "made.ptx", PTX);

  for (gsize i = 0; i < G_N_ELEMENTS (arguments); i++)
    {
      g_autofree char *groups = MAKE ("Source=made.ptx", arguments[i]);
      g_autofree char *side = write_file (self, "mine.kernel", groups);

      assert_refused (side, "mine.kernel:17", "Arguments=");
    }
}

/* The sources of the lines are read beside the PTX, whatever folder it names. */
FIXTURE_TEST ("/kernel-ptx/sources")
{
  g_autofree char *groups = MAKE ("", "x");
  g_autofree char *ptx = write_file (self, "made.ptx", PTX);
  g_autofree char *side = write_file (self, "made.ptx.kernel", groups);
  g_autofree char *py = write_file (self, "made.py", "print ('hello')\n");
  g_autofree char *link = g_build_filename (self->folder, "passwd", NULL);
  g_autoptr (CuredKernel) kernel = load (ptx);
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (symlink ("/etc/passwd", link), ==, 0);
  g_autoptr (CuredSources) sources = MUST (cured_sources_new (kernel, NULL, &fail));
  g_assert_cmpstr (sources->text, ==, kernel->source);
  g_assert_cmpuint (sources->n, ==, 1);
  g_assert_cmpstr (sources->names[0], ==, "made.py");
  g_assert_cmpstr (sources->texts[0], ==, "print ('hello')\n");
  g_autoptr (CuredKernel) sent = cured_kernel_new_from_text (kernel->source, "made", NULL, &error);
  g_autoptr (CuredSources) none = MUST (cured_sources_new (sent, NULL, &fail));
  g_assert_cmpuint (none->n, ==, 0);
}

/* They go into result files, and are read there where the text is all there is; what it carries is
 * not looked for on the disk. */
FIXTURE_TEST ("/kernel-ptx/sources-carried")
{
  g_autofree char *groups = MAKE ("", "x");
  g_autofree char *ptx = write_file (self, "made.ptx", PTX);
  g_autofree char *side = write_file (self, "made.ptx.kernel", groups);
  g_autofree char *py = write_file (self, "made.py", "first\n  second\n");
  g_autoptr (CuredKernel) kernel = load (ptx);
  g_autofree char *text = cured_sources_carry (kernel, NULL);

  g_assert_nonnull (strstr (text, "[Include made.py]"));
  g_assert_null (strstr (text, "[Include passwd]"));
  g_assert_true (g_file_set_contents (py, "changed\n", -1, NULL));
  g_autoptr (CuredKernel) sent = MUST (cured_kernel_new_from_text (text, "made", NULL, &fail));
  g_autoptr (CuredSources) sources = MUST (cured_sources_new (sent, NULL, &fail));
  g_assert_cmpuint (sources->n, ==, 1);
  g_autofree char *line = _cured_sources_dup_line (sources, "/somewhere/made.py", 2);
  g_assert_cmpstr (line, ==, "second");
  g_autofree char *none = _cured_sources_dup_line (sources, "/somewhere/unmade.py", 2);
  g_assert_null (none);
  none = _cured_sources_dup_line (sources, "made.py", 4);
  g_assert_null (none);
}

/* Include= leads into folders below, and an option wherever a person wants. */
FIXTURE_TEST ("/kernel-ptx/sources-elsewhere")
{
  g_autofree char *below = MAKE ("Include=src", "x");
  g_autofree char *above = MAKE ("Include=../", "x");
  g_autofree char *plain = MAKE ("", "x");
  g_autofree char *ptx = write_file (self, "made.ptx", PTX);
  g_autofree char *side = write_file (self, "made.ptx.kernel", below);
  g_autofree char *source_folder = g_build_filename (self->folder, "src", NULL);
  g_autofree char *py = g_build_filename (source_folder, "made.py", NULL);
  g_autofree char *named = g_strconcat ("-I", source_folder, NULL);
  const char *const options[] = { named, NULL };
  const char *const etc[] = { "-I/etc", NULL };

  g_assert_cmpint (g_mkdir (source_folder, 0700), ==, 0);
  g_assert_true (g_file_set_contents (py, "found\n", -1, NULL));
  for (guint i = 0; i < 3; i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_true (g_file_set_contents (side, i == 0 ? below : i == 1 ? above : plain, -1, NULL));
      g_autoptr (CuredKernel) kernel = load (ptx);
      g_autoptr (CuredSources) sources =
          cured_sources_new (kernel, i == 2 ? options : NULL, &error);
      if (i == 1)
        {
          g_assert_null (sources);
          g_assert_error (error, CURED_ERROR, CURED_ERROR_INVALID);
          continue;
        }
      g_assert_no_error (error);
      g_assert_cmpuint (sources->n, ==, 1);
      g_assert_cmpstr (sources->texts[0], ==, "found\n");
    }
  /* The person may name what the file may not: “passwd” of its second .file. */
  {
    g_autoptr (CuredKernel) kernel = load (ptx);
    g_autoptr (CuredSources) sources = cured_sources_new (kernel, etc, NULL);

    g_assert_cmpuint (sources->n, ==, 1);
    g_assert_cmpstr (sources->names[0], ==, "passwd");
  }
  g_unlink (py);
  g_rmdir (source_folder);
}

/* Where in the kernel's own text a place is. */
FIXTURE_TEST ("/kernel-ptx/find-line")
{
  g_autofree char *groups = MAKE ("", "x");
  g_autofree char *ptx = write_file (self, "made.ptx", PTX);
  g_autofree char *side = write_file (self, "made.ptx.kernel", groups);
  g_autoptr (CuredKernel) kernel = load (ptx);
  g_autoptr (CuredKernel) other = cured_catalogue_get ("vector/add", NULL);

  g_assert_cmpint (cured_kernel_find_line (kernel, "made.py", 2, 9), ==, 9);
  g_assert_cmpint (cured_kernel_find_line (other, "/x/vector/add.cu", 2, 9), ==, 2);
  g_assert_cmpint (cured_kernel_find_line (other, "add.cuh", 2, 9), ==, 0);
  g_assert_cmpint (cured_kernel_find_line (other, NULL, 2, 9), ==, 0);
}

TEST ("/kernel-ptx/target")
{
  static const struct
  {
    const char *text, *arch;
    gboolean runs;
  } cases[] = {
    { ".version 8.0\n.target sm_80\n", "compute_90", TRUE },
    { ".version 8.0\n.target sm_90\n", "sm_90", TRUE },
    { ".version 8.0\n.target sm_90a, debug\n", "sm_90", TRUE },
    { ".version 8.0\n.target sm_90a\n", "sm_100", FALSE },
    { ".version 8.0\n.target sm_100f\n", "sm_103", TRUE },
    { ".version 8.0\n.target sm_100f\n", "sm_120", FALSE },
    { ".version 8.0\n.target sm_100\n", "compute_90", FALSE },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_cmpint (_cured_ptx_text_check_target (cases[i].text, "a.ptx", cases[i].arch, &error),
                       ==, cases[i].runs);
      if (!cases[i].runs)
        g_assert_error (error, CURED_ERROR, CURED_ERROR_INVALID);
    }
}

TEST ("/kernel-ptx/is-ptx")
{
  g_assert_true (_cured_text_is_ptx ("\xEF\xBB\xBF// a\n/* b */\n.version 8.0"));
  g_assert_false (_cured_text_is_ptx ("// .version 8.0\n"));
  g_assert_false (_cured_text_is_ptx (".versions 8"));
  g_assert_false (_cured_text_is_ptx ("/* .version 8.0"));
  g_assert_false (_cured_text_is_ptx (""));
}

/* What is drafted for PTX: text of a header. */
static char *
draft (const char *path, GError **error)
{
  g_autofree char *source = NULL;
  g_autoptr (GPtrArray) drafts = cured_header_draft_file (path, &source, error);

  return drafts != NULL ? cured_header_draft_to_text (drafts->pdata[0]) : NULL;
}

static void
assert_line (const char *text, const char *line)
{
  g_autofree char *whole = g_strdup_printf (" * %s\n", line);

  if (strstr (text, whole) == NULL)
    g_error ("no line “%s” in\n%s", line, text);
}

/* The parameters as they are used: read, written, added to, a number, one that nothing uses; the
 * address goes through a copy, a sum and shared memory. */
#define USES                                                                                       \
  ".version 8.0\n.target sm_80\n.address_size 64\n"                                                \
  ".extern .shared .align 16 .b8 pool[];\n"                                                        \
  ".visible .entry uses(\n"                                                                        \
  "  .param .u64 .ptr .global .align 1 uses_0, // text, with commas\n"                             \
  "  .param .u64 uses_1,\n  .param .u64 uses_2,\n"                                                 \
  "  .param .u32 uses_3,\n  .param .f64 uses_4,\n"                                                 \
  "  .param .u64 .ptr .global .align 1 uses_5\n"                                                   \
  ")\n.reqntid 64, 2, 1\n{\n"                                                                      \
  "  ld.param.b64 %rd1, [uses_0];\n  ld.param.u64 %rd2, [uses_1];\n"                               \
  "  ld.param.u64 %rd3, [uses_2];\n  ld.param.b32 %r1, [uses_3];\n"                                \
  "  ld.param.f64 %fd1, [uses_4];\n"                                                               \
  "  cvta.to.global.u64 %rd4, %rd1;\n  mul.wide.s32 %rd5, %r1, 4;\n"                               \
  "  add.s64 %rd6, %rd4, %rd5;\n  @%p1 ld.global.b32 %r2, [%rd6+8];\n"                             \
  "  add.f32 %r3, %r2, %r2;\n"                                                                     \
  "  mad.lo.s64 %rd7, %rd5, %rd5, %rd2;\n  st.global.v2.f64 [%rd7], {%fd1, %fd1};\n"               \
  "  st.shared.b64 [pool], %rd3;\n  ld.shared.b64 %rd8, [pool];\n"                                 \
  "  atom.global.add.u32 %r4, [%rd8], %r1;\n  ret;\n}\n"

FIXTURE_TEST ("/kernel-ptx/draft")
{
  g_autofree char *path = write_file (self, "uses.ptx", USES);

  g_autofree char *text = MUST (draft (path, &fail));
  assert_line (text, "Title=Uses");
  assert_line (text, "Block=64,2,1");
  assert_line (text, "Shared=16384  # a guess");
  assert_line (text, "Arguments=buffer0,buffer1,buffer2,n3,1:f64,0:i64");
  g_autofree char *side = write_file (self, "uses.ptx.kernel", text);
  g_autoptr (CuredKernel) kernel = MUST (cured_kernel_new_from_file (path, &fail));
  g_assert_cmpuint (kernel->n_buffers, ==, 3);
  g_assert_cmpint (kernel->buffers[0].type, ==, CURED_ELEMENT_F32);
  g_assert_cmpint (kernel->buffers[0].fill, ==, CURED_FILL_UNIFORM);
  g_assert_cmpint (kernel->buffers[1].type, ==, CURED_ELEMENT_F64);
  g_assert_cmpint (kernel->buffers[1].fill, ==, CURED_FILL_POISON);
  g_assert_cmpint (kernel->buffers[2].type, ==, CURED_ELEMENT_I32);
  g_assert_cmpint (kernel->buffers[2].fill, ==, CURED_FILL_CONSTANT);
}

/* Triton's own files tell names, types, warps and shared memory. */
FIXTURE_TEST ("/kernel-ptx/draft-triton")
{
  static const char *const ptx =
      ".version 8.0\n.target sm_80\n.address_size 64\n"
      ".visible .entry add_one(\n.param .u64 .ptr .global .align 1 p_0,\n"
      ".param .u32 p_1,\n.param .u64 .ptr .global .align 1 p_2\n)\n"
      "{\nld.param.b64 %rd1, [p_0];\nld.param.b32 %r1, [p_1];\n"
      "ld.global.b32 %r2, [%rd1];\nst.global.b32 [%rd1], %r2;\nret;\n}\n";
  g_autofree char *other = write_file (self, "other.ptx", ptx);
  g_autofree char *path = write_file (self, "add_one.ptx", ptx);
  g_autofree char *json = write_file (self, "add_one.json", "{\"num_warps\": 8, \"shared\": 4096}");
  g_autofree char *ttir = write_file (
      self, "add_one.ttir",
      "module {\n  tt.func public @add_one(%values: !tt.ptr<f32> {tt.divisibility = 16 : i32} "
      "loc(\"values\"(#loc)), %n: i32 loc(\"n\"(#loc))) attributes {noinline = false} {\n");
  g_autoptr (GError) error = NULL;

  g_autofree char *found = cured_header_find_triton (self->folder, NULL, &error);
  g_assert_null (found);
  g_assert_error (error, CURED_ERROR, CURED_ERROR_NOT_FOUND);
  g_assert_nonnull (strstr (error->message, "add_one, other"));
  g_clear_error (&error);
  found = MUST (cured_header_find_triton (self->folder, "add_one", &fail));
  g_assert_cmpstr (found, ==, path);
  g_autofree char *none = cured_header_find_triton (self->folder, "add_two", &error);
  g_assert_error (error, CURED_ERROR, CURED_ERROR_NOT_FOUND);
  g_clear_error (&error);

  g_autofree char *text = MUST (draft (path, &fail));
  assert_line (text, "[Buffer values]");
  assert_line (text, "Type=f32");
  assert_line (text, "Fill=constant");
  assert_line (text, "Block=256");
  assert_line (text, "Shared=4096");
  assert_line (text, "Arguments=values,n,0:i64");
}

/* Files beside the PTX are a stranger's, too: one that is too deep or too large, no file or no JSON
 * is ignored. */
FIXTURE_TEST ("/kernel-ptx/draft-beside")
{
  static const char *const ptx =
      ".visible .entry add_one(\n.param .u64 p_0\n)\n"
      "{\nld.param.b64 %rd1, [p_0];\nst.global.b32 [%rd1], 1;\nret;\n}\n";
  static const struct
  {
    const char *before; /* of the object's other members */
    char filler;
    gsize n;
    const char *after;
    gboolean is_read;
  } beside[] = {
    { "\"x\": \"", ' ', 1000, "\"", TRUE },
    { "\"x\": \"", ' ', 2 << 20, "\"", FALSE },
    { "\"x\": \"", '[', 1000, "\"", TRUE },
    { "\"x\": ", '[', 1000000, "", FALSE },
    { "\"x\": /* ' */ ", '[', 1000000, "", FALSE },
    { "\"shared\": [4096], \"x\": \"", ' ', 1, "\"", TRUE },
    { "\"shared\": null, \"x\": \"", ' ', 1, "\"", TRUE },
  };
  g_autofree char *path = write_file (self, "add_one.ptx", ptx);
  g_autofree char *stem = g_build_filename (self->folder, "add_one", NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (beside); i++)
    {
      g_autoptr (GString) json = g_string_new ("{\"num_warps\": 8, ");

      g_string_append (json, beside[i].before);
      for (gsize n = 0; n < beside[i].n; n++)
        g_string_append_c (json, beside[i].filler);
      g_string_append_printf (json, "%s}", beside[i].after);
      g_autofree char *file = write_file (self, "add_one.json", json->str);
      g_autofree char *text = MUST (draft (path, &fail));
      g_test_message ("%zu", i);
      g_assert_cmpint (strstr (text, "\n * Block=256\n") != NULL, ==, beside[i].is_read);
      g_assert_cmpint (g_unlink (file), ==, 0);
    }

  /* A pipe would never end. */
  for (int i = 0; i < 2; i++)
    {
      g_autofree char *pipe = g_strconcat (stem, i == 0 ? ".json" : ".ttir", NULL);

      g_assert_cmpint (mkfifo (pipe, 0600), ==, 0);
      g_autofree char *text = MUST (draft (path, &fail));
      g_assert_cmpint (g_unlink (pipe), ==, 0);
    }
}

FIXTURE_TEST ("/kernel-ptx/draft-numba")
{
  g_autofree char *folder =
      g_build_filename (g_getenv ("CURED_TEST_DATA"), "kernels", "compilers", NULL);
  g_autofree char *path = g_build_filename (folder, "numba-saxpy-sm_90.ptx", NULL);

  g_autofree char *text = MUST (draft (path, &fail));
  assert_line (text, "Title=Saxpy");
  assert_line (text, "Arguments=1:f32,array1:numba[n],array2:numba[n],array3:numba[n]");
}

/* Cut anywhere, it drafts something or says that there is no kernel. */
FIXTURE_TEST ("/kernel-ptx/draft-cut")
{
  for (gsize length = 0; length < strlen (USES); length += 7)
    {
      g_autofree char *part = g_strndup (USES, length);
      g_autofree char *path = write_file (self, "uses.ptx", part);
      g_autoptr (GError) error = NULL;
      g_autofree char *text = draft (path, &error);

      g_assert_true ((text == NULL) == (error != NULL));
    }
}

/* NVRTC counts the NUL behind its PTX, and some programs write it to the file. Kernels of GCC have
 * dollars in their names. */
FIXTURE_TEST ("/kernel-ptx/foreign")
{
  static const char text[] = PTX "\0ret;\n";
  g_autofree char *path = g_build_filename (self->folder, "made.ptx", NULL);
  g_autofree char *groups = MAKE ("Source=made.ptx", "x");
  g_autoptr (GString) named = g_string_new (groups);
  g_autofree char *side = write_file (self, "made.ptx.kernel", groups);

  g_assert_true (g_file_set_contents (path, text, sizeof PTX, NULL));
  cured_kernel_unref (load (side));
  g_assert_true (g_file_set_contents (path, text, sizeof text - 1, NULL));
  assert_refused (side, "made.ptx", "NUL");
  g_assert_true (g_file_set_contents (path, PTX, -1, NULL));
  g_string_replace (named, "Entry=f", "Entry=f$_omp_fn$0", 1);
  g_assert_true (g_file_set_contents (side, named->str, -1, NULL));
  cured_kernel_unref (load (side));
}
