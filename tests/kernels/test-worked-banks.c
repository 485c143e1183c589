/* SPDX-License-Identifier: MIT
 * Banks of shared memory, worked by hand: which bank a stride takes each lane to with 16 and with
 * 32 of them, and what the recorded times say of it. */
#include <cured.h>

#include "test.h"

#define ALL 0xffffffffu

static CuredBankAccess
make_stride (CuredBankArch arch, guint stride, guint width, guint32 mask)
{
  CuredBankAccess access = {
    .arch = arch, .kind = CURED_BANK_KIND_LOAD, .width = width * 8, .mask = mask
  };

  for (guint lane = 0; lane < CURED_BANK_LANES; lane++)
    access.addresses[lane] = stride * lane * width;
  return access;
}

static guint
get_common_factor (guint a, guint b)
{
  return b == 0 ? a : get_common_factor (b, a % b);
}

/* The banks of lanes 0, 1, 2 … with shared[stride * lane], by hand. */

typedef struct
{
  guint stride;
  guint8 banks[32];
} Row;

static const Row rows_16[] = {
  { 0, { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 } },
  { 1, { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 } },
  { 2, { 0, 2, 4, 6, 8, 10, 12, 14, 0, 2, 4, 6, 8, 10, 12, 14 } },
  { 3, { 0, 3, 6, 9, 12, 15, 2, 5, 8, 11, 14, 1, 4, 7, 10, 13 } },
  { 4, { 0, 4, 8, 12, 0, 4, 8, 12, 0, 4, 8, 12, 0, 4, 8, 12 } },
  { 5, { 0, 5, 10, 15, 4, 9, 14, 3, 8, 13, 2, 7, 12, 1, 6, 11 } },
  { 6, { 0, 6, 12, 2, 8, 14, 4, 10, 0, 6, 12, 2, 8, 14, 4, 10 } },
  { 7, { 0, 7, 14, 5, 12, 3, 10, 1, 8, 15, 6, 13, 4, 11, 2, 9 } },
  { 8, { 0, 8, 0, 8, 0, 8, 0, 8, 0, 8, 0, 8, 0, 8, 0, 8 } },
  { 16, { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 } },
  { 17, { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 } },
};

static const Row rows_32[] = {
  { 0, { 0 } },
  { 1, { 0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
         16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31 } },
  { 2, { 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30,
         0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30 } },
  { 3, { 0,  3,  6,  9,  12, 15, 18, 21, 24, 27, 30, 1,  4,  7,  10, 13,
         16, 19, 22, 25, 28, 31, 2,  5,  8,  11, 14, 17, 20, 23, 26, 29 } },
  { 4, { 0, 4, 8, 12, 16, 20, 24, 28, 0, 4, 8, 12, 16, 20, 24, 28,
         0, 4, 8, 12, 16, 20, 24, 28, 0, 4, 8, 12, 16, 20, 24, 28 } },
  { 6, { 0, 6, 12, 18, 24, 30, 4, 10, 16, 22, 28, 2, 8, 14, 20, 26,
         0, 6, 12, 18, 24, 30, 4, 10, 16, 22, 28, 2, 8, 14, 20, 26 } },
  { 8, { 0, 8, 16, 24, 0, 8, 16, 24, 0, 8, 16, 24, 0, 8, 16, 24,
         0, 8, 16, 24, 0, 8, 16, 24, 0, 8, 16, 24, 0, 8, 16, 24 } },
  { 16, { 0, 16, 0, 16, 0, 16, 0, 16, 0, 16, 0, 16, 0, 16, 0, 16,
          0, 16, 0, 16, 0, 16, 0, 16, 0, 16, 0, 16, 0, 16, 0, 16 } },
  { 31, { 0,  31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17,
          16, 15, 14, 13, 12, 11, 10, 9,  8,  7,  6,  5,  4,  3,  2,  1 } },
  { 32, { 0 } },
  { 33, { 0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
          16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31 } },
};

static void
assert_table (CuredBankArch arch, guint n_banks, guint32 mask, const Row *rows, gsize n_rows)
{
  for (gsize i = 0; i < n_rows; i++)
    {
      CuredBankAccess access = make_stride (arch, rows[i].stride, 4, mask);
      CuredBankPicture picture;

      g_assert_true (cured_bank_model_explain (&access, &picture));
      g_assert_cmpuint (picture.n_banks, ==, n_banks);
      g_assert_cmpuint (picture.n_served, ==, n_banks);
      for (gsize k = 0; k < picture.n_served; k++)
        {
          const CuredBankServed *served = &picture.served[k];

          g_assert_cmpuint (served->bank, ==, rows[i].banks[served->lane]);
        }
      /* Stride 0 is one word for all. */
      g_assert_cmpuint (picture.counts.wavefronts, ==,
                        rows[i].stride == 0 ? 1 : get_common_factor (rows[i].stride, n_banks));
    }
}

TEST ("/worked-banks/table-16")
{
  assert_table (CURED_BANK_ARCH_1, 16, 0xffff, rows_16, G_N_ELEMENTS (rows_16));
}

TEST ("/worked-banks/table-32")
{
  assert_table (CURED_BANK_ARCH_2, 32, ALL, rows_32, G_N_ELEMENTS (rows_32));
  assert_table (CURED_BANK_ARCH_5, 32, ALL, rows_32, G_N_ELEMENTS (rows_32));
}

/* Free of conflicts exactly where stride and banks share no factor. */
TEST ("/worked-banks/factor")
{
  for (guint stride = 1; stride <= 256; stride++)
    {
      CuredBankAccess old = make_stride (CURED_BANK_ARCH_1, stride, 4, 0xffff);
      CuredBankAccess new = make_stride (CURED_BANK_ARCH_5, stride, 4, ALL);
      CuredBankCounts counts;

      g_assert_true (cured_bank_model_count (&old, &counts));
      g_assert_cmpint (counts.conflicts == 0, ==, get_common_factor (stride, 16) == 1);
      g_assert_true (cured_bank_model_count (&new, &counts));
      g_assert_cmpint (counts.conflicts == 0, ==, get_common_factor (stride, 32) == 1);
      g_assert_cmpint (counts.conflicts == 0, ==, stride % 2 == 1);
    }
}

/* An array in 16 of 32 banks, as banks/half-warp lays it out, meets the conflicts of a chip that
 * has 16. */
TEST ("/worked-banks/half-warp")
{
  for (guint banks = 8; banks <= 32; banks *= 2)
    for (guint stride = 0; stride <= 64; stride++)
      {
        guint wavefronts = 0;

        for (guint group = 0; group < 32 / banks; group++)
          {
            CuredBankAccess access = { .kind = CURED_BANK_KIND_LOAD, .width = 32 };
            CuredBankCounts counts;

            for (guint lane = group * banks; lane < (group + 1) * banks; lane++)
              {
                guint element = stride * lane;

                access.mask |= 1u << lane;
                access.addresses[lane] = 4 * (element / banks * 32 + element % banks);
              }
            g_assert_true (cured_bank_model_count (&access, &counts));
            wavefronts += counts.wavefronts;
          }
        if (banks == 16)
          {
            CuredBankAccess access = make_stride (CURED_BANK_ARCH_1, stride, 4, ALL);
            CuredBankCounts counts;

            g_assert_true (cured_bank_model_count (&access, &counts));
            g_assert_cmpuint (wavefronts, ==, counts.wavefronts);
          }
        g_assert_cmpuint (wavefronts, ==,
                          stride == 0 ? 32 / banks
                                      : 32 / banks * get_common_factor (stride, banks));
      }
}

/* A straight line through the points, by least squares. */
static double
fit (const double *x, const double *y, guint n, double *slope)
{
  double mean_x = 0, mean_y = 0, xx = 0, xy = 0, yy = 0;

  for (guint i = 0; i < n; i++)
    {
      mean_x += x[i] / n;
      mean_y += y[i] / n;
    }
  for (guint i = 0; i < n; i++)
    {
      xx += (x[i] - mean_x) * (x[i] - mean_x);
      xy += (x[i] - mean_x) * (y[i] - mean_y);
      yy += (y[i] - mean_y) * (y[i] - mean_y);
    }
  *slope = xy / xx;
  return xy * xy / (xx * yy);
}

static gint64
get_parameter (CuredResult *result, gint64 cell, const char *name)
{
  gsize n_axes;
  const CuredResultAxis *axes = cured_result_get_axes (result, &n_axes);
  g_autofree gsize *positions = g_new0 (gsize, n_axes);

  cured_result_get_positions (result, cell, positions);
  for (gsize i = 0; i < n_axes; i++)
    if (g_str_equal (axes[i].name, name))
      return cured_axis_get_value (axes[i].values, positions[i]);
  g_assert_not_reached ();
}

static gsize
load_metric (CuredResult *result, const char *id)
{
  gsize metric = 0;

  g_assert_true (cured_result_find_metric (result, id, &metric));
  MUST (cured_result_load_column (result, metric, NULL, &fail));
  return metric;
}

static CuredResult *
load_recording (const char *name)
{
  g_autofree char *path = g_build_filename (g_getenv ("CURED_TEST_RESULTS"), name, NULL);

  if (!g_file_test (path, G_FILE_TEST_EXISTS))
    return NULL;
  CuredResult *result = MUST (cured_result_load (path, NULL, &fail));
  return result;
}

/* The recorded times of loads of a stride, for each width, are a straight line in the wavefronts that the
 * model predicts, and its slope is one cycle per wavefront of the multiprocessor: nothing but the
 * model is needed to tell them. */
static void
test_strides_measured (gconstpointer data)
{
  guint width = GPOINTER_TO_UINT (data);
  g_autoptr (CuredResult) result = load_recording ("banks-stride-h200.cured");
  double wavefronts[65], cycles[65];
  gsize time_ns, clock_hz;
  double slope, r2;
  guint n = 0;

  g_assert_nonnull (result);
  time_ns = load_metric (result, "time");
  clock_hz = load_metric (result, "sm_clock");
  for (gint64 cell = 0; cell < cured_result_get_n_cells (result); cell++)
    {
      gint64 stride = get_parameter (result, cell, "stride");
      gint64 sms = cured_result_get_device (result)->limits.sms;
      gint64 blocks = get_parameter (result, cell, "blocks");
      gint64 warps = get_parameter (result, cell, "threads") / 32;
      CuredBankCounts counts;

      if (get_parameter (result, cell, "width") != width ||
          get_parameter (result, cell, "store") != 0)
        continue;
      g_assert_cmpint (cured_result_get_state (result, cell), ==, CURED_STATE_OK);
      g_assert_cmpuint (n, <, G_N_ELEMENTS (wavefronts));
      g_assert_cmpint (blocks % sms, ==, 0);
      CuredBankAccess access = make_stride (CURED_BANK_ARCH_5, (guint) stride, width, ALL);
      g_assert_true (cured_bank_model_count (&access, &counts));
      wavefronts[n] = (double) (counts.wavefronts * (blocks / sms) * warps *
                                get_parameter (result, cell, "accesses"));
      cycles[n] = cured_result_get_value (result, cell, time_ns) / 1e9 *
                  cured_result_get_value (result, cell, clock_hz);
      n++;
    }
  g_assert_cmpuint (n, ==, G_N_ELEMENTS (wavefronts));
  r2 = fit (wavefronts, cycles, n, &slope);
  g_test_message ("%u bytes: %.4f cycles per wavefront, R² %.6f", width, slope, r2);
  g_assert_cmpfloat (r2, >=, 0.99);
  g_assert_cmpfloat (slope, >, 0.95);
  g_assert_cmpfloat (slope, <, 1.05);
}

/* The cycles that banks/conflict read off the multiprocessor's clock. */
TEST ("/worked-banks/conflicts-measured")
{
  g_autoptr (CuredResult) result = load_recording ("banks-conflict-h200.cured");
  double ways[32], cycles[32], slope, r2;
  guint n = 0;

  if (result == NULL)
    {
      g_test_skip ("banks-conflict-h200.cured is not recorded");
      return;
    }
  gsize metric = load_metric (result, "cycles");
  for (gint64 cell = 0; cell < cured_result_get_n_cells (result); cell++)
    if (get_parameter (result, cell, "warps") == 32 && get_parameter (result, cell, "chain") == 0)
      {
        g_assert_cmpuint (n, <, G_N_ELEMENTS (ways));
        ways[n] = (double) get_parameter (result, cell, "ways");
        cycles[n] = cured_result_get_value (result, cell, metric);
        n++;
      }
  g_assert_cmpuint (n, >=, 4);
  r2 = fit (ways, cycles, n, &slope);
  g_test_message ("%.4f cycles a way, R² %.6f", slope, r2);
  g_assert_cmpfloat (r2, >=, 0.99);
  g_assert_cmpfloat (slope, >, 0.9);
  g_assert_cmpfloat (slope, <, 1.1);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/worked-banks/strides-measured/4", GUINT_TO_POINTER (4),
                        test_strides_measured);
  g_test_add_data_func ("/worked-banks/strides-measured/8", GUINT_TO_POINTER (8),
                        test_strides_measured);
  g_test_add_data_func ("/worked-banks/strides-measured/16", GUINT_TO_POINTER (16),
                        test_strides_measured);
  return run_tests ();
}
