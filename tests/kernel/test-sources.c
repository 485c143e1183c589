/* SPDX-License-Identifier: MIT
 * What a kernel may include, and which options it may ask for. */
#include <cured.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>
#include "kernel/cured-compile-options-internal.h"
#include "kernel/cured-element-internal.h"
#include "test.h"

static const char header[] = "/*! cured\n * [Kernel]\n * Title=Test\n"
                             "%s *\n"
                             " * [Buffer out]\n * Type=i32\n * Length=32\n * Fill=poison\n *\n"
                             " * [Launch]\n * Entry=test\n * Grid=1\n * Block=32\n"
                             " * Arguments=out\n *\n"
                             " * [Check]\n * Output=out\n * Reference=index\n */\n";

typedef struct
{
  char *folder;  /* of the kernel file */
  char *outside; /* beside it */
  char *secret;  /* a file in @outside */
} Fixture;

static void
write_file (const char *folder, const char *name, const char *text)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_autofree char *parent = g_path_get_dirname (path);

  g_assert_cmpint (g_mkdir_with_parents (parent, 0700), ==, 0);
  g_assert_true (g_file_set_contents (path, text, -1, NULL));
}

static void
set_up (Fixture *self, gconstpointer data)
{
  g_autofree char *made = g_dir_make_tmp ("cured-sources-XXXXXX", NULL);
  g_autofree char *root = realpath (made, NULL);

  self->folder = g_build_filename (root, "own", NULL);
  self->outside = g_build_filename (root, "outside", NULL);
  self->secret = g_build_filename (self->outside, "secret.txt", NULL);
  write_file (self->outside, "secret.txt", "the secret line\n");
  write_file (self->folder, "one.cuh", "#define ONE 1\n");
}

static void
remove_tree (const char *path)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *child = g_build_filename (path, name, NULL);

      if (g_file_test (child, G_FILE_TEST_IS_DIR) && !g_file_test (child, G_FILE_TEST_IS_SYMLINK))
        remove_tree (child);
      else
        g_unlink (child);
    }
  g_rmdir (path);
}

static void
tear_down (Fixture *self, gconstpointer data)
{
  g_autofree char *root = g_path_get_dirname (self->folder);

  remove_tree (root);
  g_free (self->folder);
  g_free (self->outside);
  g_free (self->secret);
}

#define FIXTURE_TEST(path) TEST_FIXTURE (path, Fixture, set_up, tear_down)

/* With @folder NULL, as one of a result file. */
static CuredKernel *
make_kernel (const char *folder, const char *options, const char *body)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_autofree char *path = folder != NULL ? g_build_filename (folder, "test.cu", NULL) : NULL;

  g_string_append (text, header);
  g_string_replace (text, "%s", options, 1);
  g_string_append (text, body);
  CuredKernel *kernel = MUST (cured_kernel_new_from_text (text->str, "test", path, &fail));
  return kernel;
}

static CuredSources *
read_sources (const char *folder, const char *body, const char *const *options, GError **error)
{
  g_autoptr (CuredKernel) kernel = make_kernel (folder, "", body);

  return cured_sources_new (kernel, options, error);
}

static void
assert_refused (const char *folder, const char *body)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (CuredSources) sources = read_sources (folder, body, NULL, &error);

  if (sources != NULL)
    g_error ("not refused: %s", body);
  g_assert_error (error, CURED_ERROR, CURED_ERROR_INVALID);
  g_assert_nonnull (strstr (error->message, "test.cu:"));
  g_assert_null (strstr (error->message, "the secret line"));
}

/* A file beside the kernel, one in a folder of -I, and files that these include, under whatever
 * spelling: each is there once. */
FIXTURE_TEST ("/sources/own")
{
  const char *options[] = { "-I", self->outside, NULL };

  write_file (self->folder, "sub/a.h", "\xEF\xBB\xBF#include \"b.h\"\n#include \"../c.h\"\n");
  write_file (self->folder, "sub/b.h", "#pragma once\n");
  write_file (self->folder, "c.h", "#include \"sub/../sub/b.h\"\n");
  write_file (self->outside, "lib.h", "#define LIB 1\n");
  g_autoptr (CuredSources) sources = MUST (read_sources (self->folder,
                                                         "#include \"sub/a.h\"\n"
                                                         "#include \"./c.h\"\n"
                                                         "#include <lib.h>\n"
                                                         "#include <cuda_fp16.h>\n"
                                                         "#if __has_include(\"missing.h\")\n"
                                                         "#endif\n",
                                                         options, &fail));
  g_assert_cmpuint (sources->n, ==, 4);
  for (gsize i = 0; i < sources->n; i++)
    if (g_str_equal (sources->names[i], "sub/a.h"))
      g_assert_cmpstr (sources->texts[i], ==, "#include \"sub/b.h\"\n#include \"c.h\"\n");
    else if (g_str_equal (sources->names[i], "c.h"))
      g_assert_cmpstr (sources->texts[i], ==, "#include \"sub/b.h\"\n");
  g_assert_nonnull (strstr (sources->text, "#include \"c.h\"\n"));
  g_assert_nonnull (strstr (sources->text, "#include <lib.h>\n"));
}

static gboolean
has_text (const CuredSources *self, const char *text)
{
  gboolean has = strstr (self->text, text) != NULL;

  for (gsize i = 0; i < self->n; i++)
    has |= strstr (self->texts[i], text) != NULL;
  return has;
}

/* The compiler gets a warning in the place of a file of another folder. */
static void
assert_left_out (const char *folder, const char *body)
{
  g_autoptr (CuredSources) sources = MUST (read_sources (folder, body, NULL, &fail));

  g_assert_true (has_text (sources, "name its folder with -I"));
  g_assert_false (has_text (sources, "the secret line"));
}

/* What is carried away includes the same where nothing of it is: what lay beside the kernel, in a
 * folder of Include= and in one of -I, under whatever spelling, and the missing ones. */
FIXTURE_TEST ("/sources/carry")
{
  const char *options[] = { "-I", self->outside, NULL };

  write_file (self->folder, "sub/a.h", "#include \"../c.h\"\n#include \"one.cuh\"\n#define IN_A\n");
  write_file (self->folder, "c.h", "#include \"sub/../sub/a.h\"\n#define IN_C\n");
  write_file (self->outside, "lib.h", "#define IN_LIB\n");
  g_autoptr (CuredKernel) kernel = make_kernel (self->folder, " * Include=sub\n",
                                                "#include <a.h>\n"
                                                "#include \"./c.h\"\n"
                                                "#include <lib.h>\n"
                                                "#include \"missing/host.h\"\n"
                                                "#include <stdint.h>\n");
  g_autofree char *text = cured_sources_carry (kernel, options);
  g_autoptr (CuredKernel) carried = MUST (cured_kernel_new_from_text (text, "test", NULL, &fail));
  g_autoptr (CuredSources) sources = MUST (cured_sources_new (carried, NULL, &fail));
  g_assert_true (has_text (sources, "#define IN_A"));
  g_assert_true (has_text (sources, "#define IN_C"));
  g_assert_true (has_text (sources, "#define IN_LIB"));
  g_assert_true (has_text (sources, "#define ONE 1"));
  g_assert_true (has_text (sources, "#warning missing/host.h"));
  /* Once and for all. */
  g_autofree char *again = cured_sources_carry (carried, NULL);
  g_assert_cmpstr (again, ==, text);

  /* A kernel that includes nothing stays what it is. */
  cured_kernel_unref (g_steal_pointer (&kernel));
  kernel = make_kernel (self->folder, "", "#include <stdint.h>\n");
  g_free (g_steal_pointer (&text));
  text = cured_sources_carry (kernel, NULL);
  g_assert_cmpstr (text, ==, kernel->source);
}

/* A text from elsewhere gets what it carries and no file of this machine, whatever its groups are
 * called. */
FIXTURE_TEST ("/sources/carry-private")
{
  static const char group[] = "/*! cured\n[Include %s]\nBytes=0\n*/\n";
  const char *const names[] = { "../secret.txt", self->secret, "a/../../b" };
  g_autofree char *outside = g_strdup_printf ("#include \"%s\"\n", self->secret);
  g_autoptr (GError) error = NULL;

  assert_refused (NULL, outside);
  assert_left_out (NULL, "#include \"../outside/secret.txt\"\n");
  assert_refused (NULL, "#embed \"../outside/secret.txt\"\n");
  /* Not even where the process stands there. */
  g_assert_cmpint (g_chdir (self->outside), ==, 0);
  g_autoptr (CuredSources) sources = read_sources (NULL,
                                                   "#include \"secret.txt\"\n"
                                                   "/*! cured\n"
                                                   "[Include other.h]\nBytes=24\n"
                                                   /* #include "secret.txt" */
                                                   "1=I2luY2x1ZGUgInNlY3JldC50eHQiCg==\n"
                                                   "*/\n",
                                                   NULL, &error);
  g_assert_cmpint (g_chdir ("/"), ==, 0);
  g_assert_no_error (error);
  g_assert_false (has_text (sources, "the secret line"));
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autoptr (GString) text = g_string_new (header);
      g_autoptr (CuredKernel) kernel = NULL;

      g_string_replace (text, "%s", "", 1);
      g_string_append (text, "void f ();\n");
      g_string_append (text, group);
      g_string_replace (text, "%s", names[i], 1);
      FAILS (cured_kernel_new_from_text (text->str, "test", NULL, &fail), CURED_ERROR,
             CURED_ERROR_INVALID, "");
    }
}

/* A struct's fields may be declared in a file that the kernel includes, with names that stand there
 * for their types, and are as well where the file is not. */
FIXTURE_TEST ("/sources/types")
{
  static const char include[] = "#include \"body.h\"\n";
  static const char buffer[] = " * [Buffer bodies]\n * Type=struct:body_t\n * Length=1\n"
                               " * Fill=uniform\n";
  g_autofree char *text = NULL;

  write_file (self->folder, "body.h",
              "#ifdef WIDE\ntypedef double real;\n#else\n"
              "typedef float real;\n#endif\n"
              "struct Body { real x, m; int id; };\n"
              "typedef struct Body body_t;\n");
  for (int wide = 0; wide < 2; wide++)
    {
      g_autofree char *keys = g_strconcat (wide ? " * Options=-DWIDE=1\n" : "", buffer, NULL);
      g_autoptr (CuredKernel) kernel = make_kernel (self->folder, keys, include);

      g_assert_cmpuint (kernel->buffers[0].record->n_fields, ==, 3);
      g_assert_cmpuint (kernel->buffers[0].record->size, ==, wide ? 24 : 12);
      g_free (text);
      text = cured_sources_carry (kernel, NULL);
      g_autoptr (CuredKernel) carried =
          MUST (cured_kernel_new_from_text (text, "test", NULL, &fail));
      g_assert_true (cured_record_equal (carried->buffers[0].record, kernel->buffers[0].record));
    }

  /* Without it, that is unknown. */
  g_autoptr (GString) alone = g_string_new (header);
  g_string_replace (alone, "%s", buffer, 1);
  FAILS (cured_kernel_new_from_text (alone->str, "test", NULL, &fail), CURED_ERROR,
         CURED_ERROR_INVALID, "");
}

/* Nor can there be enough names to make a lookup take for ever. */
FIXTURE_TEST ("/sources/carry-many")
{
  g_autoptr (GString) text = g_string_new (header);

  g_string_replace (text, "%s", "", 1);
  g_string_append (text, "void f ();\n/*! cured\n");
  for (int i = 0; i < 1025; i++)
    g_string_append_printf (text, "[Include %d.h]\nBytes=0\n", i);
  g_string_append (text, "*/\n");
  FAILS (cured_kernel_new_from_text (text->str, "test", NULL, &fail), CURED_ERROR,
         CURED_ERROR_INVALID, "1024");
}

/* Include= leads into the kernel file's folder alone. */
FIXTURE_TEST ("/sources/include-key")
{
  g_autoptr (CuredKernel) kernel = make_kernel (self->folder, " * Include=../outside\n", "");
  FAILS (cured_sources_new (kernel, NULL, &fail), CURED_ERROR, CURED_ERROR_INVALID, "../outside");
}

/* Two files of one name in two folders stay two. */
FIXTURE_TEST ("/sources/same-name")
{
  write_file (self->folder, "b.h", "#define B_TOP 1\n");
  write_file (self->folder, "sub/a.h", "#include \"b.h\"\n");
  write_file (self->folder, "sub/b.h", "#define B_SUB 1\n");
  g_autoptr (CuredSources) sources =
      MUST (read_sources (self->folder, "#include \"sub/a.h\"\n#include \"b.h\"\n", NULL, &fail));
  g_assert_cmpuint (sources->n, ==, 3);
}

/* Each way to a file that is none of the kernel's own. */
FIXTURE_TEST ("/sources/outside")
{
  static const char *const forms[] = {
    /* A file whose name leads out is left out. */
    "#include \"%s\"\n",
    "  #  include  \"%s\"\n",
    "%%:include \"%s\"\n",
    "?\?=include \"%s\"\n",
    "#inc\\\nlude \"%s\"\n",
    "#include \\\n\"%s\"\n",
    "#/* a\nb */include/**/\"%s\"\n",
    "/* a\n*/ #include \"%s\"\n",
    "const char *s = R\"(/*)\";\n#include \"%s\"\n",
    "#import \"%s\"\n",
    /* What is refused. */
    "#include <%s>\n",
    "#include_next \"%s\"\n",
    "#embed \"%s\"\n",
    "#if __has_include(\"%s\")\n#endif\n",
    "#if __has_include ( <%s> )\n#endif\n",
  };
  const gsize n_left_out = 10;
  const char *const names[] = { self->secret, "../outside/secret.txt", "link.h",
                                "folder/secret.txt", "./sub/../../outside/secret.txt" };
  g_autofree char *link = g_build_filename (self->folder, "link.h", NULL);
  g_autofree char *link_folder = g_build_filename (self->folder, "folder", NULL);

  write_file (self->folder, "sub/a.h", "");
  g_assert_cmpint (symlink (self->secret, link), ==, 0);
  g_assert_cmpint (symlink (self->outside, link_folder), ==, 0);
  for (gsize i = 0; i < G_N_ELEMENTS (forms); i++)
    for (gsize k = 0; k < G_N_ELEMENTS (names); k++)
      {
        g_autoptr (GString) body = g_string_new (forms[i]);

        g_string_replace (body, "%%", "%", 0);
        g_string_replace (body, "%s", names[k], 0);
        /* In angle brackets, the file's own folder is not looked into. */
        if (strstr (names[k], "..") != NULL && i < n_left_out)
          {
            assert_left_out (self->folder, body->str);
            assert_left_out (NULL, body->str);
            continue;
          }
        if (strchr (forms[i], '<') == NULL || strstr (names[k], "..") != NULL ||
            g_path_is_absolute (names[k]))
          assert_refused (self->folder, body->str);
        if (strstr (names[k], "..") != NULL || g_path_is_absolute (names[k]))
          assert_refused (NULL, body->str);
      }
  /* A file that does not exist may have a name of the toolkit's. */
  assert_left_out (self->folder, "#include \"cuda_helpers.cuh\"\n");
  assert_left_out (self->folder, "#include <cuda_utils.h>\n");
}

/* A macro names what is included: files that some definition leads to are there, none is that a
 * directive alone could not include, and the compiler gets names instead. */
FIXTURE_TEST ("/sources/macros")
{
  static const char *const right[] = {
    "#define M \"one.cuh\"\n#include M\n",
    "#define M(x) #x\n#include M (one.cuh) // which\n",
    "#define S(x) #x\n#define X(x) S (x)\n#define F one.cuh\n#include X(F)\n",
    "#define M(a, b) \"a##b\"\n#undef M\n#define S(x) #x\n#define M(a, b) S (a ## b)\n"
    "#include M (one, .cuh)\n",
    "#if 1\n#define M \"none.cuh\"\n#else\n#define M \"one.cuh\"\n#endif\n#include M\n",
    "#include \"macro.h\"\n#include NEXT\n#include FROM_NEXT\n",
  };
  static const char *const refused[] = {
    "#define M \"/etc/passwd\"\n#include M\n",
    "#define M </etc/passwd>\n#include M\n",
    "#define M <../outside/secret.txt>\n#include M\n",
    "#define M \"one.cuh\"\n%%:include M\n",
    "#define M \"one.cuh\"\n?\?=include M\n",
    "#define $M \"one.cuh\"\n#include $M\n",
    "#define M \"one.cuh\"\n#if __has_include(M)\n#endif\n",
  };
  static const char *const unknown[] = {
    "#include M (x)\n",
    "#define M M\n#include M\n",
    "#define M(x) M (x)\n#include M (1)\n",
    "#define M(x) \"one.cuh\"\n#include M (1, 2)\n",
  };

  write_file (self->folder, "macro.h", "#define NEXT \"next.h\"\n");
  write_file (self->folder, "next.h", "#define FROM_NEXT \"one.cuh\"\n");
  for (gsize i = 0; i < G_N_ELEMENTS (right); i++)
    {
      g_autoptr (CuredSources) sources = MUST (read_sources (self->folder, right[i], NULL, &fail));

      g_assert_true (has_text (sources, "#define ONE 1"));
      g_assert_null (strstr (sources->text, "include M"));
    }
  for (gsize i = 0; i < G_N_ELEMENTS (refused); i++)
    {
      g_autoptr (GString) body = g_string_new (refused[i]);

      g_string_replace (body, "%%", "%", 0);
      assert_refused (self->folder, body->str);
      assert_refused (NULL, body->str);
    }
  assert_left_out (self->folder, "#define M \"../outside/secret.txt\"\n#include M\n");
  for (gsize i = 0; i < G_N_ELEMENTS (unknown); i++)
    {
      g_autoptr (CuredSources) sources =
          MUST (read_sources (self->folder, unknown[i], NULL, &fail));

      g_assert_true (has_text (sources, "names no file that is there"));
    }
}

/* A text that fills `std` itself where NVRTC compiles it does not get another one in front. */
FIXTURE_TEST ("/sources/std")
{
  static const char own[] = "#ifdef __CUDACC_RTC__\n"
                            "namespace std {\nusing cuda::std::is_same;\n}\n"
                            "#else\n#include <type_traits>\n#endif\n";

  for (gsize i = 0; i < 2; i++)
    {
      g_autoptr (CuredSources) sources =
          MUST (read_sources (NULL, i == 0 ? own : "#include <type_traits>\n", NULL, &fail));
      const char *base = NULL;

      for (gsize k = 0; k < sources->n; k++)
        if (g_str_equal (sources->names[k], "cured/base.h"))
          base = sources->texts[k];
      g_assert_nonnull (base);
      g_assert_true ((strstr (base, "cured/std.h") == NULL) == (i == 0));
    }
}

/* Words that look like a directive and are none. */
FIXTURE_TEST ("/sources/harmless")
{
  g_autoptr (CuredSources) sources =
      MUST (read_sources (NULL,
                          "// see the #include of the header, or # include it\n"
                          "#ifdef __has_include\n"
                          "#endif\n"
                          "#include <cuda_fp16.h>\n"
                          "#define INCLUDE(x) #x\n",
                          NULL, &fail));

  g_assert_cmpuint (sources->n, ==, 0);
}

static char *
repeat (const char *begin, const char *part, guint n, const char *end)
{
  GString *text = g_string_new (begin);

  for (guint i = 0; i < n; i++)
    g_string_append (text, part);
  g_string_append (text, end);
  return g_string_free (text, FALSE);
}

/* What would be looked through again from each of its signs. */
FIXTURE_TEST ("/sources/long")
{
  static const struct
  {
    const char *begin, *part;
    guint n;
    const char *end;
    gboolean is_refused;
  } cases[] = {
    { "#/*", " ", 500, "*/include <cuda_fp16.h>\n", FALSE },
    { "#include/*", " ", 500, "*/<cuda_fp16.h>\n", FALSE },
    { "//", "_\\\n", 200000, "\n", FALSE },
    { "", "# /**/\n", 200000, "\n", FALSE },
    { "#/*", " ", 2000, "*/include <cuda_fp16.h>\n", TRUE },
    { "#include/*", " ", 2000, "*/<cuda_fp16.h>\n", TRUE },
    { "//", "#/*", 300000, "\n", TRUE },
    { "//", "#/*", 300000, "*/\n", TRUE },
    { "//", "#include <", 300000, "\n", TRUE },
  };
  g_autofree char *huge = repeat ("", "          ", 4 << 20, "\n");
  g_autofree char *large = repeat (header, "          ", 1 << 20, "\n");
  g_autoptr (GString) text = g_string_new (large);

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *body = repeat (cases[i].begin, cases[i].part, cases[i].n, cases[i].end);

      if (cases[i].is_refused)
        {
          assert_refused (NULL, body);
          continue;
        }
      g_autoptr (CuredSources) sources = MUST (read_sources (NULL, body, NULL, &fail));
    }
  g_string_replace (text, "%s", "", 1);
  g_autoptr (CuredKernel) kernel =
      MUST (cured_kernel_new_from_text (text->str, "test", NULL, &fail));
  g_string_append (text, huge);
  FAILS (cured_kernel_new_from_text (text->str, "test", NULL, &fail), CURED_ERROR,
         CURED_ERROR_INVALID, "");
}

/* A header that includes itself is read once; of one in another encoding, the bytes that are no
 * UTF-8 are replaced. */
FIXTURE_TEST ("/sources/odd-files")
{
  write_file (self->folder, "loop.h", "#include \"loop.h\"\n");
  g_autoptr (CuredSources) sources =
      MUST (read_sources (self->folder, "#include \"loop.h\"\n", NULL, &fail));
  g_assert_cmpuint (sources->n, ==, 1);
  write_file (self->folder, "odd.h", "\xff\xfe");
  g_clear_pointer (&sources, cured_sources_unref);
  sources = MUST (read_sources (self->folder, "#include \"odd.h\"\n", NULL, &fail));
  g_assert_cmpuint (sources->n, ==, 1);
  g_assert_true (g_utf8_validate (sources->texts[0], -1, NULL));
}

/* Options=-I of a file leads into its folder alone. */
FIXTURE_TEST ("/sources/options-folder")
{
  g_autoptr (CuredKernel) inside =
      make_kernel (self->folder, " * Options=-Isub\n", "#include <a.h>\n");
  g_autoptr (CuredKernel) outside =
      make_kernel (self->folder, " * Options=-I../outside\n", "#include <secret.txt>\n");

  write_file (self->folder, "sub/a.h", "");
  g_autoptr (CuredSources) sources = MUST (cured_sources_new (inside, NULL, &fail));
  g_assert_cmpuint (sources->n, ==, 1);
  g_clear_pointer (&sources, cured_sources_unref);
  FAILS (cured_sources_new (outside, NULL, &fail), CURED_ERROR, CURED_ERROR_INVALID, "");
}

TEST ("/sources/options")
{
  static const char *const good[] = {
    "",
    "-DN=4 -D N=4 --define-macro=N=4 -UN --undefine-macro N",
    "-std=c++17 --std=c++20 -lineinfo --generate-line-info -G",
    "--use_fast_math -use_fast_math --ftz=true -prec-div=false --prec-sqrt=false --fmad=false",
    "--maxrregcount=32 --maxrregcount 32 -maxrregcount=64",
    "--extra-device-vectorization --restrict -default-device --device-as-default-execution-space",
    "-Xptxas -v -Xptxas=-O3 --ptxas-options=-dlcm=cg",
    "-I. --include-path=sub -w --diag-suppress=177",
  };
  static const char *const bad[] = {
    "--time=/tmp/file",
    "-time=/tmp/file",
    "--time /tmp/file",
    "--fdevice-time-trace=/tmp/file",
    "-fdevice-time-trace=/tmp/file",
    "--device-time-trace=/tmp/file",
    "--pre-include=/etc/passwd",
    "-include /etc/passwd",
    "--pch",
    "--create-pch=/tmp/file",
    "--pch-dir=/tmp",
    "--options-file=/tmp/file",
    "@/tmp/file",
    "other.cu",
    "--gpu-architecture=sm_70",
    "-DN=4 --time=/tmp/file",
    "-D --time=/tmp/file",
    "--maxrregcount --time=/tmp/file",
    "--maxrregcount",
    "-D",
    "-Xptxas -o=/tmp/file",
    "--ptxas-options=--output-file=/tmp/file",
    "-Xptxas=-dlcm=../x",
    "'-DX=1\n#include \"/etc/passwd\"'",
    "--use_fast_math=--time",
    "-restrictx",
    "-Dopt=1 -lineinfo=/tmp/file",
  };

  for (gsize i = 0; i < G_N_ELEMENTS (good); i++)
    {
      g_auto (GStrv) words = MUST (cured_compile_options_parse (good[i], &fail));

      g_assert_nonnull (words);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_autoptr (GError) error = NULL;
      g_auto (GStrv) words = cured_compile_options_parse (bad[i], &error);

      if (words != NULL)
        g_error ("not refused: %s", bad[i]);
      g_assert_error (error, CURED_ERROR, CURED_ERROR_INVALID);
    }
}

/* In a kernel file, as in a result file, with file and line. */
TEST ("/sources/options-of-file")
{
  g_autoptr (GString) text = g_string_new (header);
  g_autoptr (GError) error = NULL;

  g_string_replace (text, "%s", " * Options=-DX=1 --time=/tmp/file\n", 1);
  g_assert_null (cured_kernel_new_from_text (text->str, "test", NULL, &error));
  g_assert_error (error, CURED_ERROR, CURED_ERROR_INVALID);
  g_assert_nonnull (strstr (error->message, "test.cu:4: "));
  g_assert_nonnull (strstr (error->message, "--time=/tmp/file"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, G_TEST_OPTION_ISOLATE_DIRS, NULL);
  return run_tests ();
}
