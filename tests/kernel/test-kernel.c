/* SPDX-License-Identifier: MIT
 * Kernel files: what a good one means, and what is said of a bad one. */
#include "cured.h"

#include <glib/gstdio.h>
#include <libintl.h>
#include <locale.h>
#include <math.h>
#include <string.h>
#include <unistd.h>
#include "kernel/read/cured-catalogue-internal.h"
#include "make-result.h"
#include "test.h"

/* Everything that the form has, in the order that reads worst. */
static const char whole[] = "\xEF\xBB\xBF// a licence\r\n"
                            "/* and another\n"
                            "   comment */\n"
                            "/*! cured\r\n * [Launch 1]\r\n * Memset=count\n * Value=7\n\n"
                            " * # a comment\n"
                            " * [Launch 2]\n * Entry=first_step      # in words\n"
                            " * Grid = min(n, blocks) , 2\n * Block=tile,tile/2,1\n"
                            "   Shared=4*tile\n"
                            "Arguments=a, count, n, n:i64, n/2.0:f32, n > 3 ? 1 : 2, sms:u32\n"
                            " * Repeat=3\n * Swap=a,b\n *\n"
                            " * [Launch 3]\n * Entry=second_step\n * Grid=1\n * Block=1\n *\n"
                            " * [Check]\n * Output=b\n * Reference=kernel:vector/add\n"
                            " * Tolerance=n*1e-7\n * Relative=0.5\n *\n"
                            " * [Kernel]\n * Title=Ein Titel mit Umlaut: \xC3\xA4 = \\n\n"
                            " * Summary=C# has no room here, a # b has\n * Family=test\n * Step=4\n"
                            " * Flops=2*n\n * Bytes=8*n\n * Ceiling=copy\n * Defect=race, trap\n"
                            " * Options=--maxrregcount=32 '-DNAME=a b'\n *\n"
                            " * [Buffer a]\n * Type=f64\n * Length=n*tile\n * Fill=normal\n"
                            " * High=2\n *\n"
                            " * [Buffer b]\n * Type=f64\n * Length=n*tile\n * Fill=poison\n *\n"
                            " * [Buffer count]\n * Type=few:u32\n * Length=1\n * Fill=constant\n"
                            " * Low=-0\n *\n"
                            " * [Require whole tiles ]\n * Reason=a tile has to be whole\n"
                            " * If=n % tile == 0\n *\n"
                            " * [Require b]\n * If=!emulated\n * Reason=only here\n *\n"
                            " * [Claim first of all]\n * Text=Tiles need no barrier\n"
                            " * Metric=barriers\n * At=n=10^3 , tile=4\n"
                            " * Against=tile=8,few=none\n * Low=-1/2\n * High=2^3\n *\n"
                            " * [Claim other]\n * Text=It is faster\n * Metric=time\n"
                            " * Against=vector/add  n=1000\n * High=0.5\n *\n"
                            " * [Claim own]\n * Text=It is as fast\n * Metric=time\n * At=tile=4\n"
                            " * Against=test/whole\n * High=1\n *\n"
                            " * [Sweep]\n * X=blocks\n * Y=tile\n * blocks=2^0..2^3\n * tile=2,4\n"
                            " *\n"
                            " * [Parameter tile]\n * Kind=compile\n * Values=2..32:2\n"
                            " * Default=16\n * Summary=side of a tile\n *\n"
                            " * [Parameter blocks]\n * Kind=launch\n * Default=8\n *\n"
                            " * [Parameter n]\n * Kind=problem\n * Default=10^8\n *\n"
                            " * [Parameter few]\n * Kind=problem\n * Values=0\n * Names=none\n"
                            " * Default=none */\n"
                            "extern \"C\" __global__ void first_step () {}\n";

TEST ("/kernel/whole")
{
  g_autoptr (GError) error = NULL;
  g_autoptr (CuredKernel) kernel = cured_kernel_new_from_text (whole, "test/whole", NULL, &error);
  const char *const *options;
  const CuredParameter *parameters;
  const CuredBuffer *buffers;
  const CuredStep *steps;
  const CuredRequirement *requirements;
  const CuredClaim *claims;
  gsize n, index;

  g_assert_no_error (error);
  g_assert_cmpstr (kernel->id, ==, "test/whole");
  g_assert_cmpstr (kernel->source, ==, whole);
  g_assert_cmpstr (kernel->title, ==, "Ein Titel mit Umlaut: ä = \\n");
  g_assert_cmpstr (kernel->summary, ==, "C# has no room here, a");
  g_assert_cmpstr (kernel->family, ==, "test");
  g_assert_cmpint (kernel->rung, ==, 4);
  g_assert_cmpint (kernel->ceiling, ==, CURED_CEILING_COPY);
  g_assert_cmpstr (kernel->defect, ==, "race, trap");
  g_assert_cmphex (kernel->defects, ==, 1u << CURED_FINDING_RACE_SHARED | 1u << CURED_FINDING_TRAP);
  options = kernel->options;
  g_assert_cmpstr (options[0], ==, "--maxrregcount=32");
  g_assert_cmpstr (options[1], ==, "-DNAME=a b");
  g_assert_null (options[2]);
  g_assert_cmpstr (cured_expr_get_text (kernel->flops), ==, "2*n");
  g_assert_cmpstr (cured_expr_get_text (kernel->bytes), ==, "8*n");

  parameters = kernel->parameters;
  n = kernel->n_parameters;
  g_assert_cmpuint (n, ==, 4);
  g_assert_cmpstr (parameters[0].name, ==, "tile");
  g_assert_cmpint (parameters[0].kind, ==, CURED_PARAMETER_COMPILE);
  g_assert_cmpuint (cured_axis_get_length (parameters[0].values), ==, 16);
  g_assert_cmpint (parameters[0].default_value, ==, 16);
  g_assert_cmpstr (parameters[0].summary, ==, "side of a tile");
  g_assert_cmpstr (parameters[1].name, ==, "blocks");
  g_assert_cmpint (parameters[1].kind, ==, CURED_PARAMETER_LAUNCH);
  g_assert_null (parameters[1].values);
  g_assert_null (parameters[1].summary);
  g_assert_cmpint (parameters[2].kind, ==, CURED_PARAMETER_PROBLEM);
  g_assert_cmpint (parameters[2].default_value, ==, 100000000);
  g_assert_cmpstr (cured_axis_get_name (parameters[3].values, 0), ==, "none");
  g_assert_cmpint (parameters[3].default_value, ==, 0);
  g_assert_true (cured_kernel_find_parameter (kernel, "n", &index));
  g_assert_cmpuint (index, ==, 2);
  g_assert_false (cured_kernel_find_parameter (kernel, "m", &index));

  buffers = kernel->buffers;
  n = kernel->n_buffers;
  g_assert_cmpuint (n, ==, 3);
  g_assert_cmpstr (buffers[0].name, ==, "a");
  g_assert_cmpint (buffers[0].type, ==, CURED_ELEMENT_F64);
  g_assert_cmpint (buffers[0].fill, ==, CURED_FILL_NORMAL);
  g_assert_null (buffers[0].low);
  g_assert_nonnull (buffers[0].high);
  g_assert_cmpint (buffers[2].type, ==, CURED_ELEMENT_U32);
  g_assert_cmpint (buffers[2].fill, ==, CURED_FILL_CONSTANT);

  steps = kernel->steps;
  n = kernel->n_steps;
  g_assert_cmpuint (n, ==, 3);
  g_assert_null (steps[0].entry);
  g_assert_cmpint (steps[0].memset_buffer, ==, 2);
  g_assert_cmpint (steps[0].memset_value, ==, 7);
  g_assert_cmpstr (steps[1].entry, ==, "first_step");
  g_assert_cmpint (steps[1].memset_buffer, ==, -1);
  g_assert_cmpstr (cured_expr_get_text (steps[1].grid[0]), ==, "min(n, blocks)");
  g_assert_cmpstr (cured_expr_get_text (steps[1].grid[1]), ==, "2");
  g_assert_null (steps[1].grid[2]);
  g_assert_nonnull (steps[1].block[2]);
  g_assert_nonnull (steps[1].shared);
  g_assert_nonnull (steps[1].repeat);
  g_assert_cmpint (steps[1].swap[0], ==, 0);
  g_assert_cmpint (steps[1].swap[1], ==, 1);
  g_assert_cmpuint (steps[1].n_arguments, ==, 7);
  g_assert_cmpint (steps[1].arguments[0].buffer, ==, 0);
  g_assert_cmpint (steps[1].arguments[1].buffer, ==, 2);
  g_assert_cmpint (steps[1].arguments[2].buffer, ==, -1);
  g_assert_cmpint (steps[1].arguments[2].type, ==, CURED_ELEMENT_I32);
  g_assert_cmpint (steps[1].arguments[3].type, ==, CURED_ELEMENT_I64);
  g_assert_cmpint (steps[1].arguments[4].type, ==, CURED_ELEMENT_F32);
  g_assert_cmpint (steps[1].arguments[5].type, ==, CURED_ELEMENT_I32);
  g_assert_cmpstr (cured_expr_get_text (steps[1].arguments[5].expr), ==, "n > 3 ? 1 : 2");
  g_assert_cmpint (steps[1].arguments[6].type, ==, CURED_ELEMENT_U32);
  g_assert_cmpuint (steps[2].n_arguments, ==, 0);
  g_assert_cmpint (steps[2].swap[0], ==, -1);

  requirements = kernel->requirements;
  n = kernel->n_requirements;
  g_assert_cmpuint (n, ==, 2);
  g_assert_cmpstr (requirements[0].name, ==, "whole tiles");
  g_assert_cmpstr (cured_expr_get_text (requirements[0].condition), ==, "n % tile == 0");
  g_assert_cmpstr (requirements[0].reason, ==, "a tile has to be whole");
  g_assert_cmpstr (requirements[1].name, ==, "b");

  claims = kernel->claims;
  n = kernel->n_claims;
  g_assert_cmpuint (n, ==, 3);
  g_assert_cmpstr (claims[0].name, ==, "first of all");
  g_assert_cmpstr (claims[0].text, ==, "Tiles need no barrier");
  g_assert_cmpint (claims[0].metric, ==, CURED_METRIC_barriers);
  g_assert_cmpint (claims[0].at_values[0], ==, 4);
  g_assert_cmpint (claims[0].at_values[1], ==, 8);
  g_assert_cmpint (claims[0].at_values[2], ==, 1000);
  g_assert_cmpint (claims[0].against_values[0], ==, 8);
  g_assert_cmpint (claims[0].against_values[2], ==, 1000);
  g_assert_null (claims[0].against_kernel);
  g_assert_cmpfloat (claims[0].low, ==, -0.5);
  g_assert_cmpfloat (claims[0].high, ==, 8);
  g_assert_true (cured_claim_is_counted (&claims[0]));
  g_assert_cmpint (claims[1].at_values[0], ==, 16);
  g_assert_cmpstr (claims[1].against_kernel, ==, "vector/add");
  g_assert_cmpstr (claims[1].against_point, ==, "n=1000");
  g_assert_null (claims[1].against_values);
  g_assert_true (isnan (claims[1].low));
  g_assert_false (cured_claim_is_counted (&claims[1]));
  g_assert_null (claims[2].against_kernel);
  g_assert_cmpint (claims[2].against_values[0], ==, 4);

  g_assert_cmpint (kernel->output, ==, 1);
  g_assert_cmpstr (kernel->reference, ==, "kernel:vector/add");
  g_assert_nonnull (kernel->tolerance);
  g_assert_nonnull (kernel->relative);

  g_assert_cmpstr (kernel->sweep_x, ==, "blocks");
  g_assert_cmpstr (kernel->sweep_y, ==, "tile");
  g_assert_cmpuint (cured_axis_get_length (kernel->sweep[0]), ==, 2);
  g_assert_cmpuint (cured_axis_get_length (kernel->sweep[1]), ==, 4);
  g_assert_null (kernel->sweep[2]);
}

/* A draft's guess stays one until a person takes the mark away. */
TEST ("/kernel/guesses")
{
  g_autoptr (CuredKernel) kernel = MUST (cured_kernel_new_from_text (
      "/*! cured\n[Kernel]\nTitle=x\n[Parameter n]\nKind=problem\nDefault=8  # a guess\n"
      "[Parameter m]\nKind=problem\nDefault=8\n"
      "[Buffer a]\nType=i32\nLength=2*n\nFill=uniform\n"
      "[Buffer b]\nType=i32\nLength=m\nFill=uniform  # a guess\n"
      "[Buffer c]\nType=i32\nLength=m*m  # a guess\nFill=uniform\n"
      "[Launch]\nEntry=f\nGrid=1\nBlock=1\nArguments=a,b,c\n*/\nint x;\n",
      "x", NULL, &fail));

  g_assert_true (kernel->parameters[0].is_guess);
  g_assert_false (kernel->parameters[1].is_guess);
  g_assert_true (kernel->buffers[0].is_guess);
  g_assert_false (kernel->buffers[1].is_guess);
  g_assert_true (kernel->buffers[2].is_guess);
}

/* The least that will do: no check, no sweep, no parameter. */
TEST ("/kernel/least")
{
  g_autoptr (CuredKernel) kernel =
      MUST (cured_kernel_new_from_text ("/*! cured\n[Kernel]\nTitle=x\n[Launch]\n"
                                        "Entry=f\nGrid=1\nBlock=1\n*/",
                                        "least", NULL, &fail));

  g_assert_cmpint (kernel->output, ==, -1);
  g_assert_null (kernel->reference);
  g_assert_null (kernel->summary);
  g_assert_null (kernel->defect);
  g_assert_cmphex (kernel->defects, ==, 0);
  g_assert_null (kernel->flops);
  g_assert_null (kernel->sweep_x);
  g_assert_cmpint (kernel->rung, ==, 0);
  g_assert_cmpint (kernel->ceiling, ==, CURED_CEILING_NONE);
  g_assert_null (kernel->options[0]);
  gsize n = kernel->n_parameters;
  g_assert_cmpuint (n, ==, 0);
  n = kernel->n_requirements;
  g_assert_cmpuint (n, ==, 0);
}

TEST ("/kernel/host")
{
  g_autoptr (CuredKernel) kernel =
      MUST (cured_kernel_new_from_text ("/*! cured\n[Kernel]\nTitle=x\n"
                                        "[Buffer a]\nType=i32\nLength=3\nFill=uniform\n"
                                        "[Buffer b]\nType=i32\nLength=1\nFill=poison\n"
                                        "[Launch 1]\nEntry=f\nGrid=1\nBlock=1\nArguments=a\n"
                                        "[Launch 2]\nTo=b\nFrom=a\nHost=sum\n*/",
                                        "host", NULL, &fail));
  const CuredStep *steps;

  steps = kernel->steps;
  gsize n = kernel->n_steps;
  g_assert_cmpuint (n, ==, 2);
  g_assert_cmpint (steps[0].host_from, ==, -1);
  g_assert_cmpint (steps[0].host_to, ==, -1);
  g_assert_null (steps[1].entry);
  g_assert_cmpint (steps[1].memset_buffer, ==, -1);
  g_assert_cmpint (steps[1].host_from, ==, 0);
  g_assert_cmpint (steps[1].host_to, ==, 1);
}

/* The title of a kernel that comes with Cured has its translation; another one is itself, and
 * nothing stays nothing. */
TEST ("/kernel/titles")
{
  static const char own[] = "A title that no catalogue has";
  const char *folder = g_getenv ("CURED_TEST_LOCALEDIR");
  g_autofree char *usual = g_strdup (setlocale (LC_ALL, NULL));
  g_autoptr (CuredKernel) kernel = cured_catalogue_get ("transpose/padded", NULL);
  const char *title;

  g_assert_nonnull (kernel);
  g_assert_cmpstr (cured_kernel_translate (kernel->title), ==, kernel->title);
  if (folder == NULL || setlocale (LC_ALL, "C.UTF-8") == NULL)
    {
      g_test_skip ("no catalogues, or no locale in which they are read");
      return;
    }
  g_setenv ("LANGUAGE", "de", TRUE);
  bindtextdomain ("cured", folder);
  bind_textdomain_codeset ("cured", "UTF-8");
  title = cured_kernel_translate (kernel->title);
  if (g_str_equal (title, kernel->title))
    g_test_skip ("the catalogues were not built");
  else
    g_assert_cmpstr (title, ==, "Transponieren, Kachel mit Padding");
  g_assert_true (cured_kernel_translate (own) == own);
  g_assert_cmpstr (cured_kernel_translate (""), ==, "");
  g_unsetenv ("LANGUAGE");
  setlocale (LC_ALL, usual);
}

/* What is fetched or sent has one buffer, and the memory is one of two. */
TEST ("/kernel/host-copies")
{
  static const struct
  {
    const char *keys;
    CuredHostWork host;
    gboolean is_pageable;
    const char *message; /* nullable: it is as it should be */
  } rows[] = {
    { "Host=fetch\nFrom=a\n", CURED_HOST_FETCH, FALSE, NULL },
    { "Host=fetch-pageable\nFrom=a\n", CURED_HOST_FETCH, TRUE, NULL },
    { "Host=send\nTo=a\nRepeat=3\n", CURED_HOST_SEND, FALSE, NULL },
    { "Host=send-pageable\nTo=a\n", CURED_HOST_SEND, TRUE, NULL },
    { "Host=fetch\nFrom=a\nTo=b\n", 0, 0, "To= means nothing" },
    { "Host=send\nFrom=a\nTo=b\n", 0, 0, "From= means nothing" },
    { "Host=sum\nFrom=a\nTo=b\nRepeat=2\n", 0, 0, "Repeat= means nothing" },
    { "Host=fetch\nTo=a\n", 0, 0, "To= means nothing" },
    { "Host=send\n", 0, 0, "To" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autofree char *text = g_strdup_printf ("/*! cured\n[Kernel]\nTitle=x\n"
                                               "[Buffer a]\nType=i32\nLength=3\nFill=uniform\n"
                                               "[Buffer b]\nType=i32\nLength=1\nFill=poison\n"
                                               "[Launch 1]\nEntry=f\nGrid=1\nBlock=1\nArguments=a\n"
                                               "[Launch 2]\n%s*/",
                                               rows[i].keys);
      g_autoptr (CuredKernel) kernel = cured_kernel_new_from_text (text, "host", NULL, &error);

      g_test_message ("%s", rows[i].keys);
      if (rows[i].message != NULL)
        {
          g_assert_null (kernel);
          g_assert_nonnull (strstr (error->message, rows[i].message));
          continue;
        }
      g_assert_no_error (error);
      g_assert_cmpint (kernel->steps[0].host, ==, CURED_HOST_NONE);
      g_assert_cmpint (kernel->steps[1].host, ==, rows[i].host);
      g_assert_cmpint (kernel->steps[1].is_pageable, ==, rows[i].is_pageable);
      g_assert_cmpint (kernel->steps[1].host_from, ==, rows[i].host == CURED_HOST_FETCH ? 0 : -1);
      g_assert_cmpint (kernel->steps[1].host_to, ==, rows[i].host == CURED_HOST_SEND ? 0 : -1);
    }
}

/* A parameter picks the type of a buffer. */
TEST ("/kernel/types")
{
  g_autoptr (CuredKernel) kernel = MUST (
      cured_kernel_new_from_text ("/*! cured\n[Kernel]\nTitle=x\n"
                                  "[Parameter type]\nKind=compile\nValues=2,0,1\nDefault=2\n"
                                  "[Buffer a]\nType=type: i32, f32, f64\nLength=3\nFill=uniform\n"
                                  "[Buffer b]\nType=f32\nLength=3\nFill=poison\n"
                                  "[Launch]\nEntry=f\nGrid=1\nBlock=1\nArguments=a,b\n*/",
                                  "types", NULL, &fail));
  static const CuredElement expected[] = { CURED_ELEMENT_I32, CURED_ELEMENT_F32,
                                           CURED_ELEMENT_F64 };
  static const CuredLimits limits;
  const CuredBuffer *buffers;

  buffers = kernel->buffers;
  g_assert_cmpint (buffers[0].type, ==, CURED_ELEMENT_F64);
  g_autofree char *a = cured_kernel_describe_type (kernel, 0);
  g_autofree char *b = cured_kernel_describe_type (kernel, 1);
  g_assert_cmpstr (a, ==, "type:i32,f32,f64");
  g_assert_cmpstr (b, ==, "f32");
  for (gint64 type = 0; type < 3; type++)
    {
      g_autoptr (CuredProgram) program = MUST (cured_program_new (kernel, &type, &limits, &fail));

      g_assert_cmpstr (program->buffers[0].buffer->name, ==, "a");
      g_assert_cmpint (program->buffers[0].buffer->type, ==, expected[type]);
      g_assert_cmpuint (program->buffers[0].size, ==, type == 2 ? 24 : 12);
      /* The fill's defaults are the type's. */
      g_assert_cmpfloat (program->buffers[0].high, ==, type == 0 ? 99 : 1);
      g_assert_cmpint (program->buffers[1].buffer->type, ==, CURED_ELEMENT_F32);
    }
}

/* The second line of each file says which line is at fault, the error's code, and what the message
 * has in it. */
static void
test_bad (gconstpointer data)
{
  static const struct
  {
    const char *name;
    int code;
  } codes[] = { { "syntax", CURED_ERROR_SYNTAX },
                { "invalid", CURED_ERROR_INVALID },
                { "overflow", CURED_ERROR_OVERFLOW },
                { "not-found", CURED_ERROR_NOT_FOUND } };
  const char *path = data;
  g_autofree char *text = NULL;
  g_autoptr (GError) error = NULL;
  int code = -1;

  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  g_auto (GStrv) lines = g_strsplit (text, "\n", 3);
  g_auto (GStrv) words = g_strsplit (lines[1], " ", 4);
  g_assert_cmpuint (g_strv_length (words), ==, 4);
  for (guint i = 0; i < G_N_ELEMENTS (codes); i++)
    if (g_str_equal (codes[i].name, words[2]))
      code = codes[i].code;

  g_autoptr (CuredKernel) kernel = cured_kernel_new_from_file (path, &error);
  g_assert_null (kernel);
  g_assert_nonnull (error);
  g_test_message ("%s", error->message);
  g_assert_error (error, CURED_ERROR, code);
  g_autofree char *prefix = g_strdup_printf ("%s:%s: ", path, words[1]);
  g_assert_true (g_str_has_prefix (error->message, prefix));
  g_assert_nonnull (strstr (error->message + strlen (prefix), words[3]));
}

static void
assert_refused (const char *text, gsize length, const char *expected)
{
  g_autofree char *path = NULL;
  g_autoptr (GError) error = NULL;
  int file = g_file_open_tmp ("cured-XXXXXX.cu", &path, NULL);

  g_assert_cmpint (file, >=, 0);
  close (file);
  g_assert_true (g_file_set_contents (path, text, (gssize) length, NULL));
  g_autoptr (CuredKernel) kernel = cured_kernel_new_from_file (path, &error);
  g_assert_null (kernel);
  g_assert_nonnull (error);
  g_test_message ("%s", error->message);
  g_assert_nonnull (strstr (error->message, path));
  g_assert_nonnull (strstr (error->message, expected));
  g_unlink (path);
}

TEST ("/kernel/bytes")
{
  g_autofree char *large = g_strnfill ((32 << 20) + 1, ' ');

  assert_refused (large, strlen (large), "are too many for a kernel file");
  assert_refused ("// a\n\0/*! cured", 15, ":2: a NUL byte");
  assert_refused ("// a\n// \xE4\n", 10, ":2: the text is not UTF-8");
  assert_refused ("", 0, ":1: no header");
  assert_refused ("/*! cure", 8, ":1: the comment that starts here");
  assert_refused ("/*! cured", 9, ":1: the header that starts here");
  assert_refused ("/*! cured\n[Ker\001nel]\n*/", 22, ":2: a group's name");
}

TEST ("/kernel/not-a-file")
{
  FAILS (cured_kernel_new_from_file ("/", &fail), CURED_ERROR, CURED_ERROR_INVALID,
         "not a regular file");
  FAILS (cured_kernel_new_from_file ("/dev/zero", &fail), CURED_ERROR, CURED_ERROR_INVALID, "");
  FAILS (cured_kernel_new_from_file ("/nowhere/x.cu", &fail), G_FILE_ERROR, G_FILE_ERROR_NOENT, "");
}

/* Every beginning of a good file, and every file with one byte changed, is taken or refused, and
 * nothing else; the sanitizers watch. */
TEST ("/kernel/mangled")
{
  static const char bytes[] = "\0\n[]=*/#, \x80(\x01\x7F";

  for (gsize i = 0; i < sizeof whole; i++)
    {
      g_autofree char *cut = g_strndup (whole, i);
      g_autoptr (GError) error = NULL;
      g_autoptr (CuredKernel) kernel = cured_kernel_new_from_text (cut, "cut", NULL, &error);

      g_assert_true ((kernel == NULL) == (error != NULL));
    }
  for (gsize i = 0; i < sizeof whole - 1; i++)
    for (gsize j = 0; j < sizeof bytes - 1; j++)
      {
        g_autofree char *changed = g_strdup (whole);
        g_autoptr (GError) error = NULL;

        changed[i] = bytes[j];
        g_autoptr (CuredKernel) kernel =
            cured_kernel_new_from_text (changed, "changed", NULL, &error);
        g_assert_true ((kernel == NULL) == (error != NULL));
      }
}

TEST ("/kernel/reference")
{
  const char *folder = test_folder ();
  g_autofree char *path = g_build_filename (folder, "mine.cu", NULL);
  g_autofree char *other = g_build_filename (folder, "other.cu", NULL);
  g_autoptr (GError) error = NULL;

#define HEAD                                                                                       \
  "/*! cured\n[Kernel]\nTitle=x\n[Launch]\nEntry=f\nGrid=1\nBlock=1\n"                             \
  "[Buffer out]\nType=i32\nLength=1\nFill=poison\n"
#define CHECK "[Check]\nOutput=out\nReference="

  g_assert_true (g_file_set_contents (path, HEAD CHECK "./other.cu\n*/\n", -1, &error));
  g_autoptr (CuredKernel) kernel = MUST (cured_kernel_new_from_file (path, &fail));

  FAILS (cured_catalogue_load_reference (kernel, &fail), G_FILE_ERROR, G_FILE_ERROR_NOENT,
         "Reference=./other.cu of mine");

  g_assert_true (g_file_set_contents (other, HEAD "*/\n", -1, &error));
  FAILS (cured_catalogue_load_reference (kernel, &fail), CURED_ERROR, CURED_ERROR_INVALID, "");

  g_assert_true (g_file_set_contents (other, HEAD CHECK "sum\n*/\n", -1, &error));
  g_autoptr (CuredKernel) reference = MUST (cured_catalogue_load_reference (kernel, &fail));
  g_assert_cmpstr (reference->id, ==, "other");
  g_clear_pointer (&reference, cured_kernel_unref);
  g_clear_pointer (&kernel, cured_kernel_unref);

  /* The same text without its folder, as a result file has it. */
  kernel = MUST (cured_kernel_new_from_text (HEAD CHECK "./other.cu\n*/\n", "mine", NULL, &fail));
  FAILS (cured_catalogue_load_reference (kernel, &fail), CURED_ERROR, CURED_ERROR_NOT_FOUND, "");
  g_clear_pointer (&kernel, cured_kernel_unref);

  kernel = cured_kernel_new_from_text (HEAD CHECK "kernel:vector/add\n*/\n", "mine", NULL, &error);
  reference = MUST (cured_catalogue_load_reference (kernel, &fail));
  g_assert_cmpstr (reference->id, ==, "vector/add");
}

/* A kernel with @reference, at @path or, NULL, as a result file has it: an error with @message, or
 * no error. */
static void
assert_reference (const char *path, const char *reference, const char *message)
{
  g_autofree char *text = g_strdup_printf (HEAD CHECK "%s\n*/\n", reference);
  g_autoptr (GError) error = NULL;
  g_autoptr (CuredKernel) kernel = MUST (cured_kernel_new_from_text (text, "mine", path, &fail));

  g_autoptr (CuredKernel) loaded = cured_catalogue_load_reference (kernel, &error);
  if (message == NULL)
    {
      g_assert_no_error (error);
      g_assert_cmpstr (loaded->id, ==, "other");
      return;
    }
  g_assert_null (loaded);
  g_assert_nonnull (error);
  g_assert_nonnull (strstr (error->message, reference));
  g_assert_nonnull (strstr (error->message, message));
}

/* Which files a kernel that somebody sent may have opened. */
TEST ("/kernel/reference-elsewhere")
{
#define OUTSIDE "points outside the kernel file's folder"
#define UNKNOWN "where that is is not known"
  g_autofree char *folder = g_dir_make_tmp ("cured-XXXXXX", NULL);
  g_autofree char *inner = g_build_filename (folder, "inner", NULL);
  g_autofree char *path = g_build_filename (inner, "mine.cu", NULL);
  g_autofree char *below = g_build_filename (inner, "below", NULL);
  g_autofree char *private = g_build_filename (folder, "other.cu", NULL);
  g_autofree char *beside = g_build_filename (inner, "other.cu", NULL);
  g_autofree char *deep = g_build_filename (below, "other.cu", NULL);
  g_autofree char *link = g_build_filename (inner, "link.cu", NULL);
  const char *const files[] = { private, beside, deep };

  g_assert_cmpint (g_mkdir_with_parents (below, 0700), ==, 0);
  for (gsize i = 0; i < G_N_ELEMENTS (files); i++)
    g_assert_true (g_file_set_contents (files[i], HEAD CHECK "sum\n*/\n", -1, NULL));
  g_assert_cmpint (symlink (private, link), ==, 0);

  assert_reference (path, private, OUTSIDE);
  assert_reference (path, "../other.cu", OUTSIDE);
  assert_reference (path, "below/../../other.cu", OUTSIDE);
  assert_reference (path, "./link.cu", OUTSIDE);
  assert_reference (path, beside, NULL);
  assert_reference (path, "./other.cu", NULL);
  assert_reference (path, "below/../other.cu", NULL);
  assert_reference (path, "below/other.cu", NULL);

  /* Of a result file, none, whatever there is. */
  assert_reference (NULL, private, OUTSIDE);
  assert_reference (NULL, beside, OUTSIDE);
  assert_reference (NULL, "./other.cu", UNKNOWN);
  assert_reference (NULL, "../other.cu", UNKNOWN);

  g_unlink (link);
  for (gsize i = 0; i < G_N_ELEMENTS (files); i++)
    g_unlink (files[i]);
  g_rmdir (below);
  g_rmdir (inner);
  g_rmdir (folder);
#undef OUTSIDE
#undef UNKNOWN
}

/* The page on kernel files: its example is one, and it names every limit and every reference. */
TEST ("/kernel/page")
{
  g_autofree char *path =
      g_build_filename (g_getenv ("CURED_KERNELS_DIR"), "..", "docs", "kernel-files.md", NULL);
  g_autofree char *text = NULL;
  gsize n;

  g_assert_true (MUST (g_file_get_contents (path, &text, NULL, &fail)));
  const char *start = strstr (text, "```c\n");
  g_assert_nonnull (start);
  start += strlen ("```c\n");
  g_autofree char *example = g_strndup (start, (gsize) (strstr (start, "```") - start));
  g_autoptr (CuredKernel) kernel =
      MUST (cured_kernel_new_from_text (example, "example", NULL, &fail));
  g_assert_cmpstr (kernel->sweep_y, ==, "blocks");

  const CuredLimitInfo *limits = cured_limits_list (&n);
  for (gsize i = 0; i < n; i++)
    {
      g_autofree char *quoted = g_strdup_printf ("`%s`", limits[i].name);

      g_assert_nonnull (strstr (text, quoted));
    }
  const CuredReference *references = cured_reference_list (&n);
  for (gsize i = 0; i < n; i++)
    {
      g_autofree char *row = g_strdup_printf ("| `%s` |", references[i].name);

      g_assert_nonnull (strstr (text, row));
    }
}

int
main (int argc, char *argv[])
{
  const char *name;

  g_test_init (&argc, &argv, NULL);

  g_autofree char *folder = g_build_filename (g_getenv ("CURED_TEST_DATA"), "kernels", "bad", NULL);
  g_autoptr (GDir) files = g_dir_open (folder, 0, NULL);
  g_assert_nonnull (files);
  while ((name = g_dir_read_name (files)) != NULL)
    {
      g_autofree char *path = g_strdup_printf ("/kernel/bad/%.*s", (int) strlen (name) - 3, name);

      g_test_add_data_func_full (path, g_build_filename (folder, name, NULL), test_bad, g_free);
    }
  return run_tests ();
}
