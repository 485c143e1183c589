/* SPDX-License-Identifier: MIT
 * Plans: numbering, reasons, the order of running, and their size. */
#include "cured.h"
#include "made-up-limits.h"
#include "test.h"

#include <string.h>
#include <time.h>

/* One parameter of each kind, in an order that is not the one of running. */
static const char source[] = "/*! cured\n * [Kernel]\n * Title=Test\n"
                             " * [Parameter threads]\n * Kind=launch\n * Default=32\n"
                             " * [Parameter tile]\n * Kind=compile\n * Default=1\n"
                             " * [Parameter n]\n * Kind=problem\n * Default=100\n"
                             " * [Parameter blocks]\n * Kind=launch\n * Default=1\n"
                             " * [Buffer out]\n * Type=i32\n * Length=n\n * Fill=poison\n"
                             " * [Launch]\n * Entry=test\n * Grid=blocks\n * Block=threads,tile\n"
                             " * Arguments=out,n\n */\n"
                             "extern \"C\" __global__ void\ntest (int *out, int n)\n{\n}\n";

enum
{
  THREADS,
  TILE,
  N,
  BLOCKS,
  N_PARAMETERS
};

static const CuredLimits limits = {
  LAUNCH_LIMITS,
};

static CuredSpec *
spec_new (const char *const *axes)
{
  g_autoptr (CuredKernel) kernel =
      MUST (cured_kernel_new_from_text (source, "test/plan", NULL, &fail));

  CuredSpec *spec = cured_spec_new (kernel);
  for (gsize i = 0; axes[i] != NULL; i++)
    {
      MUST (cured_spec_parse_axis (spec, axes[i], &fail));
    }
  return spec;
}

static CuredPlan *
plan_new (const char *const *axes)
{
  g_autoptr (CuredSpec) spec = spec_new (axes);
  CuredPlan *plan = MUST (cured_plan_new (spec, &limits, &fail));

  g_assert_true (cured_plan_get_spec (plan) == spec);
  return plan;
}

TEST ("/plan/one")
{
  const char *const axes[] = { NULL };
  g_autoptr (CuredPlan) plan = plan_new (axes);
  gint64 values[N_PARAMETERS];

  g_assert_cmpint (cured_plan_get_n_cells (plan), ==, 1);
  g_assert_cmpint (cured_plan_get_n_launchable (plan), ==, 1);
  g_assert_cmpint (cured_plan_get_ordered (plan, 0), ==, 0);
  g_assert_null (cured_plan_get_reason (plan, 0));
  cured_plan_get_values (plan, 0, values);
  g_assert_cmpint (values[THREADS], ==, 32);
  g_assert_cmpint (values[TILE], ==, 1);
  g_assert_cmpint (values[N], ==, 100);
  g_assert_cmpint (values[BLOCKS], ==, 1);
}

TEST ("/plan/numbering")
{
  const char *const axes[] = { "threads=64,32", "tile=1,2,3", "n=10,20", "blocks=5,7,6,8", NULL };
  g_autoptr (CuredPlan) plan = plan_new (axes);
  static const gint64 threads[] = { 64, 32 };
  static const gint64 tiles[] = { 1, 2, 3 };
  static const gint64 sizes[] = { 10, 20 };
  static const gint64 blocks[] = { 5, 7, 6, 8 };
  gint64 cell = 0;

  g_assert_cmpint (cured_plan_get_n_cells (plan), ==, 2 * 3 * 2 * 4);
  /* The kernel's last parameter runs fastest. */
  for (int a = 0; a < 2; a++)
    for (int b = 0; b < 3; b++)
      for (int c = 0; c < 2; c++)
        for (int d = 0; d < 4; d++, cell++)
          {
            gint64 values[N_PARAMETERS];

            cured_plan_get_values (plan, cell, values);
            g_assert_cmpint (values[THREADS], ==, threads[a]);
            g_assert_cmpint (values[TILE], ==, tiles[b]);
            g_assert_cmpint (values[N], ==, sizes[c]);
            g_assert_cmpint (values[BLOCKS], ==, blocks[d]);
          }
}

static void
assert_described (const char *const *axes, gint64 cell, const char *expected)
{
  g_autoptr (CuredPlan) plan = plan_new (axes);
  g_autofree char *text = cured_plan_describe_cell (plan, cell);

  g_assert_cmpstr (text, ==, expected);
}

/* What varies, or all where nothing does. */
TEST ("/plan/describe")
{
  const char *const one[] = { "n=100", NULL };
  const char *const two[] = { "tile=1,2", "blocks=5,7,6", NULL };

  assert_described (one, 0, "threads=32 tile=1 n=100 blocks=1");
  assert_described (two, 0, "tile=1 blocks=5");
  assert_described (two, 4, "tile=2 blocks=7");
}

/* n slowest, then tile, then threads, then blocks; each in its axis' order. */
TEST ("/plan/order")
{
  const char *const axes[] = { "threads=64,32", "tile=1,3,2", "n=20,10", "blocks=5,7", NULL };
  g_autoptr (CuredPlan) plan = plan_new (axes);
  static const gint64 threads[] = { 64, 32 };
  static const gint64 tiles[] = { 1, 3, 2 };
  static const gint64 sizes[] = { 20, 10 };
  static const gint64 blocks[] = { 5, 7 };
  gint64 position = 0;

  for (int c = 0; c < 2; c++)
    for (int b = 0; b < 3; b++)
      for (int a = 0; a < 2; a++)
        for (int d = 0; d < 2; d++, position++)
          {
            gint64 values[N_PARAMETERS];

            cured_plan_get_values (plan, cured_plan_get_ordered (plan, position), values);
            g_assert_cmpint (values[N], ==, sizes[c]);
            g_assert_cmpint (values[TILE], ==, tiles[b]);
            g_assert_cmpint (values[THREADS], ==, threads[a]);
            g_assert_cmpint (values[BLOCKS], ==, blocks[d]);
          }
}

TEST ("/plan/reasons")
{
  const char *const axes[] = { "threads=256..2048:256", "tile=1,2", "n=0,50", "blocks=0..2", NULL };
  g_autoptr (CuredPlan) plan = plan_new (axes);
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  gint64 n_launchable = 0;

  for (gint64 cell = 0; cell < cured_plan_get_n_cells (plan); cell++)
    {
      gint64 values[N_PARAMETERS];
      const char *reason = cured_plan_get_reason (plan, cell);

      cured_plan_get_values (plan, cell, values);
      gboolean is_launchable =
          values[THREADS] * values[TILE] <= 1024 && values[N] > 0 && values[BLOCKS] > 0;
      g_assert_true ((reason == NULL) == is_launchable);
      n_launchable += is_launchable;
      if (values[THREADS] == 2048 && values[TILE] == 2 && values[N] > 0)
        g_assert_nonnull (strstr (reason, "4096"));
    }
  g_assert_cmpint (cured_plan_get_n_launchable (plan), ==, n_launchable);
  g_assert_cmpint (n_launchable, ==, (4 + 2) * 2);

  /* The order holds each launchable cell once, and no other. */
  for (gint64 i = 0; i < n_launchable; i++)
    {
      gint64 cell = cured_plan_get_ordered (plan, i);

      g_assert_null (cured_plan_get_reason (plan, cell));
      g_assert_true (g_hash_table_add (seen, GSIZE_TO_POINTER ((gsize) cell + 1)));
    }
}

TEST ("/plan/none")
{
  const char *const axes[] = { "threads=4096,8192", NULL };
  g_autoptr (CuredPlan) plan = plan_new (axes);

  g_assert_cmpint (cured_plan_get_n_cells (plan), ==, 2);
  g_assert_cmpint (cured_plan_get_n_launchable (plan), ==, 0);
  g_assert_nonnull (cured_plan_get_reason (plan, 0));
  g_assert_nonnull (cured_plan_get_reason (plan, 1));
}

TEST ("/plan/million")
{
  const char *const axes[] = { "threads=1..1000", "blocks=1..1000", NULL };
  clock_t start = clock ();
  g_autoptr (CuredPlan) plan = plan_new (axes);
  double seconds = (double) (clock () - start) / CLOCKS_PER_SEC;

  g_test_message ("%.2f s of a core", seconds);
  g_assert_cmpint (cured_plan_get_n_cells (plan), ==, 1000000);
  g_assert_cmpint (cured_plan_get_n_launchable (plan), ==, 1000000);
  g_assert_cmpint (cured_plan_get_ordered (plan, 999999), ==, 999999);
  g_assert_cmpfloat (seconds, <, 30);
}

TEST ("/plan/too-many")
{
  const char *const axes[] = { "threads=1..1000", "tile=1..1000", "blocks=1..1000", NULL };
  const char *const overflow[] = { "threads=1..65536", "tile=1..65536", "n=1..65536",
                                   "blocks=1..65536", NULL };
  g_autoptr (CuredSpec) many = spec_new (axes);
  g_autoptr (CuredSpec) huge = spec_new (overflow);
  g_autoptr (GError) error = NULL;

  g_assert_null (cured_plan_new (many, &limits, &error));
  g_assert_error (error, CURED_ERROR, CURED_ERROR_INVALID);
  g_assert_nonnull (strstr (error->message, "1,000,000,000 cells"));
  g_assert_nonnull (strstr (error->message, "16,777,216"));
  g_clear_error (&error);
  FAILS (cured_plan_new (huge, &limits, &fail), CURED_ERROR, CURED_ERROR_OVERFLOW, "");
}

/* Every two values of two parameters meet, but for those that no cell can be launched with. */
TEST ("/plan/cover")
{
  const char *const axes[] = { "threads=1,32,1024", "tile=1,2,3", "n=1,7,31,100",
                               "blocks=1,2,3,4,5", NULL };
  const char *const too_many[] = { "threads=4096,8192", NULL };
  g_autoptr (CuredSpec) spec = spec_new (axes);
  g_autoptr (CuredSpec) none = spec_new (too_many);
  g_autoptr (CuredCover) cover = MUST (cured_cover_new (spec, &limits, &fail));
  g_autoptr (CuredCover) again = MUST (cured_cover_new (spec, &limits, &fail));

  g_test_message ("%u cells", cover->n_cells);
  /* 180 cells are all of them, and 20 the fewest. */
  g_assert_cmpuint (cover->n_cells, >=, 20);
  g_assert_cmpuint (cover->n_cells, <=, 32);
  g_assert_cmpuint (cover->n_parameters, ==, N_PARAMETERS);
  /* 1024 threads in each of 2 or 3 rows are too many. */
  g_assert_cmpuint (cover->n_missed, ==, 2);
  g_assert_nonnull (cover->reason);
  g_assert_cmpmem (cover->values, cover->n_cells * N_PARAMETERS * sizeof (gint64), again->values,
                   again->n_cells * N_PARAMETERS * sizeof (gint64));
  for (gsize i = 0; i < N_PARAMETERS; i++)
    for (gsize j = i + 1; j < N_PARAMETERS; j++)
      {
        const CuredAxis *one = cured_spec_get_axis (spec, i);
        const CuredAxis *other = cured_spec_get_axis (spec, j);

        for (gsize a = 0; a < cured_axis_get_length (one); a++)
          for (gsize b = 0; b < cured_axis_get_length (other); b++)
            {
              gint64 x = cured_axis_get_value (one, a);
              gint64 y = cured_axis_get_value (other, b);
              gboolean is_launchable = i != THREADS || j != TILE || x * y <= 1024;
              gboolean is_met = FALSE;

              for (guint c = 0; c < cover->n_cells; c++)
                is_met = is_met || (cover->values[c * N_PARAMETERS + i] == x &&
                                    cover->values[c * N_PARAMETERS + j] == y);
              g_assert_cmpint (is_met, ==, is_launchable);
            }
      }

  g_autoptr (CuredCover) empty = MUST (cured_cover_new (none, &limits, &fail));
  g_assert_cmpuint (empty->n_cells, ==, 0);
  g_assert_nonnull (empty->reason);
}
