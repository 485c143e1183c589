/* SPDX-License-Identifier: MIT
 * Specs: axes by name, what the kernel file allows, and counting cells. */
#include "cured.h"

#include <string.h>
#include "spec/cured-block-set-internal.h"
#include "test.h"

static const char source[] = "/*! cured\n * [Kernel]\n * Title=Test\n"
                             " * [Parameter tile]\n * Kind=compile\n * Values=1..32\n"
                             " * Default=16\n"
                             " * [Parameter blocks]\n * Kind=launch\n * Default=8\n"
                             " * [Parameter n]\n * Kind=problem\n * Default=1000\n"
                             " * [Buffer out]\n * Type=i32\n * Length=n\n * Fill=poison\n"
                             " * [Launch]\n * Entry=test\n * Grid=blocks\n * Block=tile\n"
                             " * Arguments=out,n\n"
                             " * [Sweep]\n * X=tile\n * Y=blocks\n * tile=4..32:4\n"
                             " * blocks=1,2,4\n */\n"
                             "extern \"C\" __global__ void\ntest (int *out, int n)\n{\n}\n";

static CuredSpec *
spec_new (void)
{
  g_autoptr (CuredKernel) kernel =
      MUST (cured_kernel_new_from_text (source, "test/spec", NULL, &fail));

  return cured_spec_new (kernel);
}

static void
assert_axis (CuredSpec *spec, gsize parameter, const char *expected)
{
  g_autofree char *text = cured_axis_to_string (cured_spec_get_axis (spec, parameter));

  g_assert_cmpstr (text, ==, expected);
}

TEST ("/spec/defaults")
{
  g_autoptr (CuredSpec) spec = spec_new ();
  const CuredOptions *options = cured_spec_get_options (spec);
  g_autoptr (GError) error = NULL;
  gint64 n_cells = 0;

  assert_axis (spec, 0, "16");
  assert_axis (spec, 1, "8");
  assert_axis (spec, 2, "1000");
  g_assert_true (cured_spec_count_cells (spec, &n_cells, &error));
  g_assert_cmpint (n_cells, ==, 1);
  g_assert_cmpstr (cured_spec_get_kernel (spec)->id, ==, "test/spec");

  g_assert_cmpuint (options->seed, ==, 1);
  g_assert_cmpfloat (options->limit_s, ==, 20);
  g_assert_cmpuint (options->min_samples, <, options->max_samples);
  g_assert_true (options->check && options->cold && options->hot);
  g_assert_null (options->compile_options);
}

TEST ("/spec/sweep")
{
  g_autoptr (CuredSpec) spec = spec_new ();
  g_autoptr (GError) error = NULL;
  gint64 n_cells = 0;

  g_assert_true (cured_spec_parse_axis (spec, " n = 500", &error));
  cured_spec_use_default_sweep (spec);
  assert_axis (spec, 0, "4..32:4");
  assert_axis (spec, 1, "1,2,4");
  assert_axis (spec, 2, "500");
  g_assert_true (cured_spec_count_cells (spec, &n_cells, &error));
  g_assert_cmpint (n_cells, ==, 24);

  g_assert_true (MUST (cured_spec_parse_axis (spec, "tile=2^0..2^5", &fail)));
  assert_axis (spec, 0, "2^0..2^5");
}

TEST ("/spec/errors")
{
  static const struct
  {
    const char *assignment;
    CuredError code;
    const char *message;
  } rows[] = {
    { "tile", CURED_ERROR_SYNTAX,
      "“tile”: expected a parameter's name, “=” and values, as in tile=4..32:4" },
    { "threads=4", CURED_ERROR_NOT_FOUND,
      "test/spec has no parameter “threads”; it has tile, blocks, n" },
    { "=4", CURED_ERROR_NOT_FOUND, "test/spec has no parameter “”; it has tile, blocks, n" },
    { "tile=16,33", CURED_ERROR_INVALID, "tile of test/spec can't be 33; allowed are 1..32" },
    { "tile=0..4", CURED_ERROR_INVALID, "tile of test/spec can't be 0; allowed are 1..32" },
    { "blocks=", CURED_ERROR_SYNTAX, NULL },
    { "blocks=1,1", CURED_ERROR_INVALID, "blocks: “1,1” has 1 twice" },
    { "n=10^30", CURED_ERROR_OVERFLOW, "n: 10^30 does not fit in 64 bits" },
  };
  g_autoptr (CuredSpec) spec = spec_new ();

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_false (cured_spec_parse_axis (spec, rows[i].assignment, &error));
      g_assert_error (error, CURED_ERROR, (int) rows[i].code);
      if (rows[i].message != NULL)
        g_assert_cmpstr (error->message, ==, rows[i].message);
    }
  assert_axis (spec, 0, "16");
  assert_axis (spec, 1, "8");
  assert_axis (spec, 2, "1000");
}

TEST ("/spec/count-overflow")
{
  g_autoptr (GString) text = g_string_new ("/*! cured\n * [Kernel]\n * Title=Test\n");
  g_autoptr (CuredAxis) axis = cured_axis_parse ("1..65536", NULL);
  g_autoptr (GError) error = NULL;
  gint64 n_cells = 7;

  for (int i = 0; i < 4; i++)
    g_string_append_printf (text, " * [Parameter p%d]\n * Kind=launch\n * Default=1\n", i);
  g_string_append (text, " * [Buffer out]\n * Type=i32\n * Length=1\n * Fill=poison\n"
                         " * [Launch]\n * Entry=test\n * Grid=p0*p1*p2*p3\n"
                         " * Block=32\n * Arguments=out\n */\n"
                         "extern \"C\" __global__ void\ntest (int *out)\n{\n}\n");
  g_autoptr (CuredKernel) kernel =
      MUST (cured_kernel_new_from_text (text->str, "test/count", NULL, &fail));
  g_autoptr (CuredSpec) spec = cured_spec_new (kernel);
  for (int i = 0; i < 4; i++)
    {
      g_autofree char *name = g_strdup_printf ("p%d", i);

      g_assert_true (cured_spec_set_axis (spec, name, axis, &error));
    }
  /* 2^64: one more than what would wrap to 0. */
  FAILS (cured_spec_count_cells (spec, &n_cells, &fail), CURED_ERROR, CURED_ERROR_OVERFLOW, "");
  g_assert_cmpint (n_cells, ==, 7);
}

TEST ("/spec/options")
{
  g_auto (CuredOptions) options = { 0 }, copy = { 0 };

  cured_options_init (&options);
  options.seed = 42;
  options.compile_options = g_strdup ("-lineinfo");
  cured_options_copy (&options, &copy);
  g_assert_cmpuint (copy.seed, ==, 42);
  g_assert_cmpfloat (copy.precision, ==, options.precision);
  g_assert_cmpstr (copy.compile_options, ==, "-lineinfo");
  g_assert_true (copy.compile_options != options.compile_options);
  cured_options_clear (&options);
  g_assert_null (options.compile_options);
  g_assert_cmpstr (copy.compile_options, ==, "-lineinfo");
}

static void
assert_small (const char *id, const char *parameter, const char *expected)
{
  const CuredLimits *limits = &cured_profile_find ("sm_90")->limits;
  g_autoptr (CuredKernel) kernel = MUST (cured_catalogue_get (id, &fail));
  gsize index = 0;

  g_autoptr (CuredSpec) spec = cured_spec_new (kernel);
  cured_spec_use_small_sizes (spec, limits);
  g_assert_true (cured_kernel_find_parameter (kernel, parameter, &index));
  assert_axis (spec, index, expected);
}

/* What the inputs depend on is the problem, whatever its kind; how many counters there are is not,
 * nor how long an output is. */
TEST ("/spec/one-problem")
{
  static const char text[] = "/*! cured\n[Kernel]\nTitle=x\n"
                             "[Launch]\nEntry=f\nGrid=blocks\nBlock=1\n"
                             "[Parameter type]\nKind=compile\nValues=0..1\n"
                             "Names=i32,f32\nDefault=f32\n"
                             "[Parameter op]\nKind=compile\nDefault=3\n"
                             "[Parameter blocks]\nKind=launch\nDefault=4\n"
                             "[Parameter n]\nKind=problem\nDefault=10\n"
                             "[Buffer in]\nType=type:i32,f32\nLength=n\n"
                             "Fill=uniform\nHigh=op > 2 ? 5 : 9\n"
                             "[Buffer counters]\nType=i32\nLength=blocks\n"
                             "Fill=constant\nLow=0\n"
                             "[Buffer out]\nType=type:i32,f32\nLength=blocks\n"
                             "Fill=poison\n"
                             "[Sweep]\nX=type\nY=blocks\ntype=0..1\nop=1..4\n"
                             "blocks=1..8\nn=10,20\n*/";
  g_autoptr (CuredKernel) kernel = MUST (cured_kernel_new_from_text (text, "test", NULL, &fail));

  g_autoptr (CuredSpec) spec = cured_spec_new (kernel);
  g_assert_true (cured_spec_is_problem (spec, 0));
  g_assert_true (cured_spec_is_problem (spec, 1));
  g_assert_false (cured_spec_is_problem (spec, 2));
  g_assert_true (cured_spec_is_problem (spec, 3));
  cured_spec_use_default_sweep (spec);
  cured_spec_use_one_problem (spec);
  assert_axis (spec, 0, "f32");
  assert_axis (spec, 1, "3");
  assert_axis (spec, 2, "1..8");
  assert_axis (spec, 3, "10");
}

/* Sizes that the kernel file refuses are left out; one that takes no awkward size gets round
 * ones. */
TEST ("/spec/small-sizes-required")
{
  static const struct
  {
    const char *condition, *expected;
  } rows[] = { { "n != 31", "1,33,257,1009,4099" },
               { "n % 32 == 0", "32,64,1024,4096,16384" },
               { "n > 10^6", "1048576" },
               { "!emulated", "1048576" } };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      CuredLimits limits = cured_profile_find ("sm_90")->limits;
      g_autofree char *text = g_strdup_printf ("/*! cured\n[Kernel]\nTitle=x\n"
                                               "[Launch]\nEntry=f\nGrid=1\nBlock=1\n"
                                               "[Parameter n]\nKind=problem\nDefault=2^20\n"
                                               "[Buffer a]\nType=f32\nLength=n\nFill=ramp\n"
                                               "[Require a]\nIf=%s\nReason=so\n*/",
                                               rows[i].condition);
      g_autoptr (CuredKernel) kernel =
          MUST (cured_kernel_new_from_text (text, "test", NULL, &fail));

      g_autoptr (CuredSpec) spec = cured_spec_new (kernel);
      limits.emulated = 1;
      cured_spec_use_small_sizes (spec, &limits);
      assert_axis (spec, 0, rows[i].expected);
    }
}

TEST ("/spec/small-sizes")
{
  g_autoptr (CuredSpec) spec = spec_new ();
  const CuredLimits *limits = &cured_profile_find ("sm_90")->limits;

  cured_spec_use_small_sizes (spec, limits);
  assert_axis (spec, 0, "16");
  assert_axis (spec, 1, "8");
  assert_axis (spec, 2, "1,31,257,1009,4099");
  /* n² elements and n³ operations; n elements; what sizes no buffer. */
  assert_small ("matmul/tiled", "n", "1,31,33,97,127");
  assert_small ("vector/add", "n", "1,31,257,1009,4099");
  assert_small ("banks/stride", "accesses", "1,31,33");
  assert_small ("banks/stride", "stride", "1");
}

static void
assert_blocks (const char *text, guint64 n_blocks, const char *expected)
{
  g_autoptr (GArray) blocks = cured_block_set_select (text, n_blocks, 1);
  g_autoptr (GString) got = g_string_new (NULL);

  g_assert_true (cured_block_set_check (text, NULL));
  for (guint i = 0; i < blocks->len; i++)
    g_string_append_printf (got, "%s%" G_GUINT64_FORMAT, i > 0 ? "," : "",
                            g_array_index (blocks, guint64, i));
  g_assert_cmpstr (got->str, ==, expected);
}

TEST ("/spec/blocks")
{
  static const char *const wrong[] = { "",    "sample:", "sample:0",  "sample:x", "-1..3",
                                       "all", "1,1",     "sample:-5", "1.5" };
  const guint64 n_blocks = G_GUINT64_CONSTANT (1) << 62;
  g_autoptr (GArray) sample = cured_block_set_select ("sample:64", 1000, 1);
  g_autoptr (GArray) same = cured_block_set_select ("sample:64", 1000, 1);
  g_autoptr (GArray) other = cured_block_set_select ("sample:64", 1000, 2);
  g_autoptr (GArray) huge = cured_block_set_select ("sample:64", n_blocks, 1);

  assert_blocks ("0..7", 100, "0,1,2,3,4,5,6,7");
  assert_blocks ("9,0,5", 100, "0,5,9");
  assert_blocks ("0..7", 3, "0,1,2");
  assert_blocks ("5", 3, "");
  assert_blocks ("sample:5", 3, "0,1,2");
  assert_blocks ("sample:1", 1, "0");
  for (gsize i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_false (cured_block_set_check (wrong[i], &error));
      g_assert_nonnull (error);
    }

  g_assert_cmpuint (sample->len, ==, 64);
  g_assert_cmpmem (sample->data, 64 * 8, same->data, 64 * 8);
  g_assert_cmpint (memcmp (sample->data, other->data, 64 * 8), !=, 0);
  g_assert_cmpuint (huge->len, ==, 64);
  /* One out of each stretch: distinct, ascending, and spread. */
  for (guint i = 0; i < 64; i++)
    {
      guint64 block = g_array_index (sample, guint64, i);

      g_assert_cmpuint (block, >=, i * 1000 / 64);
      g_assert_cmpuint (block, <, (i + 1) * 1000 / 64 + 1);
      g_assert_cmpuint (g_array_index (huge, guint64, i) / (n_blocks / 64), ==, i);
      if (i > 0)
        g_assert_cmpuint (block, >, g_array_index (sample, guint64, i - 1));
    }
}
