/* SPDX-License-Identifier: MIT
 * What a kernel file takes from another one, and where its header may go on. */
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include <cured.h>

#include "test.h"

/* What the others are like. */
#define OTHER                                                                                      \
  "/*! cured\n * [Kernel]\n * Title=Other\n * Flops=n\n *\n"                                       \
  " * [Parameter tile]\n * Kind=compile\n * Default=8     # a comment\n *\n"                       \
  " * [Parameter n]\n * Kind=problem\n * Default=64\n *\n"                                         \
  " * [Buffer in]\n * Type=f32\n * Length=n\n * Fill=uniform\n *\n"                                \
  " * [Buffer out]\n * Type=f32\n * Length=n\n * Fill=poison\n *\n"                                \
  " * [Require even]\n * If=n % tile == 0\n * Reason=it has to be\n *\n"                           \
  " * [Launch]\n * Entry=f\n * Grid=n/tile\n * Block=tile\n"                                       \
  " * Arguments=in,out\n */\n"                                                                     \
  "extern \"C\" __global__ void f (const float *in, float *out) {}\n"                              \
  "/*! cured\n * [Check]\n * Output=out\n * Reference=copy\n *\n"                                  \
  " * [Sweep]\n * tile=8,16\n *\n"                                                                 \
  " * [Claim none]\n * Text=x\n * Metric=barriers\n * High=0\n */\n"

#define MINE(header)                                                                               \
  "/*! cured\n * [Kernel]\n * Title=Mine\n * Like=./other.cu\n" header " */\n"                     \
  "extern \"C\" __global__ void f (const float *in, float *out) { }\n"

typedef struct
{
  char *folder, *path, *other;
} Files;

static void
set_up (Files *self, gconstpointer data)
{
  self->folder = g_dir_make_tmp ("cured-XXXXXX", NULL);
  self->path = g_build_filename (self->folder, "mine.cu", NULL);
  self->other = g_build_filename (self->folder, "other.cu", NULL);
  g_assert_true (g_file_set_contents (self->other, OTHER, -1, NULL));
}

static void
tear_down (Files *self, gconstpointer data)
{
  g_unlink (self->path);
  g_unlink (self->other);
  g_rmdir (self->folder);
  g_free (self->folder);
  g_free (self->path);
  g_free (self->other);
}

#define FIXTURE_TEST(path) TEST_FIXTURE (path, Files, set_up, tear_down)

static CuredKernel *
load (Files *self, const char *text)
{
  return MUST (cured_kernel_new_from_text (text, "mine", self->path, &fail));
}

static void
assert_names (const CuredKernel *kernel, const char *expected)
{
  g_autoptr (GString) names = g_string_new (NULL);

  for (gsize i = 0; i < kernel->n_parameters; i++)
    g_string_append_printf (names, "%s=%d ", kernel->parameters[i].name,
                            (int) kernel->parameters[i].default_value);
  for (gsize i = 0; i < kernel->n_buffers; i++)
    g_string_append_printf (names, "%s ", kernel->buffers[i].name);
  for (gsize i = 0; i < kernel->n_requirements; i++)
    g_string_append_printf (names, "%s ", kernel->requirements[i].name);
  for (gsize i = 0; i < kernel->n_steps; i++)
    g_string_append_printf (names, "%s ", kernel->steps[i].entry);
  g_assert_cmpstr (names->str, ==, expected);
}

/* Nothing of one's own: all but what is about the other kernel alone. */
FIXTURE_TEST ("/kernel-like/all")
{
  g_autoptr (CuredKernel) kernel = load (self, MINE (""));

  assert_names (kernel, "tile=8 n=64 in out even f ");
  g_assert_cmpstr (kernel->title, ==, "Mine");
  g_assert_null (kernel->flops);
  g_assert_cmpuint (kernel->n_claims, ==, 0);
  g_assert_cmpint (kernel->output, ==, 1);
  g_assert_cmpstr (kernel->reference, ==, "copy");
  g_assert_nonnull (kernel->sweep[0]);
}

/* What a file has itself comes first, and replaces the other's whole. */
FIXTURE_TEST ("/kernel-like/override")
{
  g_autoptr (CuredKernel) kernel = load (self, MINE ("[Parameter rows]\nKind=compile\nDefault=2\n"
                                                     "[Parameter n]\nKind=launch\nDefault=10\n"
                                                     "[Sweep]\nrows=1,2\n"));

  assert_names (kernel, "rows=2 n=10 tile=8 in out even f ");
  g_assert_cmpint (kernel->parameters[1].kind, ==, CURED_PARAMETER_LAUNCH);
  g_assert_nonnull (kernel->sweep[0]);
  g_assert_null (kernel->sweep[2]);
}

/* Launches are one program: none is taken where there is one. */
FIXTURE_TEST ("/kernel-like/launches")
{
  g_autoptr (CuredKernel) kernel = load (self, MINE ("[Launch 1]\nEntry=g\nGrid=1\nBlock=1\n"
                                                     "[Launch 2]\nEntry=h\nGrid=1\nBlock=1\n"));

  assert_names (kernel, "tile=8 n=64 in out even g h ");
}

FIXTURE_TEST ("/kernel-like/drop")
{
  g_autoptr (CuredKernel) kernel =
      load (self, MINE ("[Parameter tile]\n[Require even]\n[Check]\n[Sweep]\n"
                        "[Launch]\nEntry=g\nGrid=1\nBlock=1\n"));

  assert_names (kernel, "n=64 in out g ");
  g_assert_cmpint (kernel->output, ==, -1);
}

/* A built-in kernel, wherever the text comes from. */
TEST ("/kernel-like/catalogue")
{
  static const char text[] = "/*! cured\n[Kernel]\nTitle=x\n"
                             "Like=matmul/naive\n*/\n";
  g_autoptr (CuredKernel) kernel = MUST (cured_kernel_new_from_text (text, "mine", NULL, &fail));

  g_assert_cmpstr (kernel->reference, ==, "matmul");
}

/* A copy needs no other file, and its code is on the same lines. */
FIXTURE_TEST ("/kernel-like/copy")
{
  static const char *const texts[] = {
    MINE (""),
    MINE ("[Require even]\n[Parameter n]\nKind=problem\nDefault=10\n"),
    MINE ("") "/*! cured\n[Claim a]\nText=a\nMetric=barriers\nHigh=0 */\n\n",
  };

  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr (CuredKernel) kernel = load (self, texts[i]);

      g_assert_cmpstr (kernel->text, ==, texts[i]);
      g_assert_cmpint (find_line (kernel->source, "extern"), ==, find_line (texts[i], "extern"));
      g_assert_nonnull (strstr (kernel->source, "\n * # Like=./other.cu\n"));
      g_assert_nonnull (strstr (kernel->source, "\n * Default=8     # a comment\n"));
      g_autoptr (CuredKernel) copy =
          MUST (cured_kernel_new_from_text (kernel->source, "copy", NULL, &fail));
      g_assert_cmpstr (copy->source, ==, kernel->source);
      g_assert_cmpstr (copy->text, ==, kernel->source);
      g_assert_cmpuint (copy->n_parameters, ==, kernel->n_parameters);
      g_assert_cmpuint (copy->n_buffers, ==, kernel->n_buffers);
      g_assert_cmpuint (copy->n_requirements, ==, kernel->n_requirements);
      g_assert_cmpuint (copy->n_claims, ==, kernel->n_claims);
      g_assert_cmpuint (copy->n_claims, ==, i == 2);
    }
}

FIXTURE_TEST ("/kernel-like/refused")
{
  g_autofree char *inner = g_build_filename (self->folder, "inner", NULL);
  g_autofree char *below = g_build_filename (inner, "mine.cu", NULL);
  g_autofree char *link = g_build_filename (inner, "link.cu", NULL);
  g_autofree char *chained = g_build_filename (self->folder, "chained.cu", NULL);
  const struct
  {
    const char *path, *like, *header;
    const char *message; /* NULL: it is read */
  } rows[] = {
    { self->path, "other.cu", "", NULL },
    { self->path, "inner/../other.cu", "", NULL },
    { below, "../other.cu", "", ":4: Like=../other.cu: “../other.cu” points" },
    { below, self->other, "", "points outside the kernel file's folder" },
    { below, "link.cu", "", "points outside the kernel file's folder" },
    { NULL, "other.cu", "", "where that is is not known" },
    { NULL, self->other, "", "points outside the kernel file's folder" },
    { self->path, "missing.cu", "", ":4: Like=missing.cu: " },
    { self->path, "matmul/naiv", "", "did you mean matmul/naive?" },
    { self->path, "matmul", "", "is a family of kernels" },
    { self->path, "", "", ":4: Like= has no value" },
    /* One of its own. */
    { self->path, "chained.cu", "", "chained.cu:4: what" },
    { self->path, "mine.cu", "", "mine.cu:4: what another" },
    /* What it takes does not fit, or what it drops is nowhere. */
    { self->path, "other.cu", "[Parameter n]\n",
      ":4: Like=other.cu: [Buffer in]: Length=n: no parameter" },
    { self->path, "other.cu", "[Require odd]\n", ":5: [Require odd] has no" },
  };

  g_assert_cmpint (g_mkdir (inner, 0700), ==, 0);
  g_assert_cmpint (symlink (self->other, link), ==, 0);
  g_assert_true (
      g_file_set_contents (chained, "/*! cured\n[Kernel]\nTitle=x\nLike=other.cu\n*/\n", -1, NULL));
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *text = g_strdup_printf ("/*! cured\n[Kernel]\nTitle=x\nLike=%s\n%s*/\n",
                                               rows[i].like, rows[i].header);
      g_autoptr (GError) error = NULL;

      g_assert_true (g_file_set_contents (self->path, text, -1, NULL));
      g_autoptr (CuredKernel) kernel =
          cured_kernel_new_from_text (text, "mine", rows[i].path, &error);
      if (rows[i].message == NULL)
        {
          g_assert_no_error (error);
          assert_names (kernel, "tile=8 n=64 in out even f ");
          continue;
        }
      g_assert_null (kernel);
      g_assert_nonnull (error);
      g_test_message ("%s", error->message);
      g_assert_nonnull (strstr (error->message, rows[i].message));
      g_assert_true (
          g_str_has_prefix (error->message, rows[i].path != NULL ? rows[i].path : "mine.cu:4: "));
    }
  g_unlink (chained);
  g_unlink (link);
  g_rmdir (inner);
}

/* A mistake in the other file is reported with its own line. */
FIXTURE_TEST ("/kernel-like/other-wrong")
{
  g_autoptr (GError) error = NULL;

  g_assert_true (g_file_set_contents (self->other, "/*! cured\n[Kernel]\nTitel=x\n*/\n", -1, NULL));
  g_assert_null (cured_kernel_new_from_text (MINE (""), "mine", self->path, &error));
  g_test_message ("%s", error->message);
  g_assert_true (g_str_has_prefix (error->message, self->path));
  g_assert_nonnull (strstr (error->message, "mine.cu:4: Like=./other.cu: "));
  g_assert_nonnull (strstr (error->message, "other.cu:3: [Kernel] knows no"));
  /* The line to mend first is of this file. */
  g_assert_nonnull (cured_error_get_place (error));
  g_assert_true (g_str_has_suffix (cured_error_get_place (error)->file, "mine.cu"));
  g_assert_cmpint (cured_error_get_place (error)->line, ==, 4);
  g_assert_true (g_str_has_prefix (cured_error_get_place (error)->text, "Like=./other.cu: "));
}

/* Where the header goes on below the code. */
TEST ("/kernel-like/closing")
{
#define HEAD "/*! cured\n[Kernel]\nTitle=x\n*/\nint i;\n"
#define REST "[Launch]\nEntry=f\nGrid=1\nBlock=1\n*/\n"
  static const struct
  {
    const char *text;
    const char *message; /* NULL: it is read */
  } rows[] = {
    { HEAD "/*! cured\n" REST, NULL },
    { HEAD "  /*! cured\n" REST "\n \t\n", NULL },
    { HEAD "/*! cured\n" REST "// a note\n/* and\n * another */\n", NULL },
    { HEAD "// /*! cured\n/*! cured\n" REST, NULL },
    { HEAD "/*! curedly\n*/\n/*! cured\n" REST, NULL },
    { HEAD "/*! cured\n" REST "int j;\n", ":6: the header goes on here" },
    { HEAD "/*! cured\n" REST "// a note\nint j;", ":6: the header goes on" },
    { HEAD "/*! cured\n" REST "*/\n", ":6: the header goes on here" },
    { HEAD "/*! cured\n*/\n/*! cured\n" REST, ":6: the header goes on here" },
    { HEAD "/*! cured\n[Launch]\n", ":6: the header that starts here" },
    { HEAD "int j; /*! cured\n" REST, ":1: there is no [Launch]" },
    { HEAD "/*! cured\nEntry=f\n" REST, ":7: Entry= stands before" },
    { HEAD "/*! cured\n[Kernel]\nTitle=y\n" REST, ":7: [Kernel] is there" },
    { HEAD "/*! cured\n\n[Lunch]\n" REST, ":8: [Lunch] is not known" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (CuredKernel) kernel = cured_kernel_new_from_text (rows[i].text, "a", NULL, &error);

      if (rows[i].message == NULL)
        {
          g_assert_no_error (error);
          g_assert_cmpstr (kernel->source, ==, rows[i].text);
          continue;
        }
      g_assert_null (kernel);
      g_assert_nonnull (error);
      g_test_message ("%s", error->message);
      g_assert_nonnull (strstr (error->message, rows[i].message));
    }
}
