/* SPDX-License-Identifier: MIT
 * Profiles of chips: the table is whole, and occupancy is what CUDA itself said
 * of kernels on an H200. */
#include "cured.h"

static void
test_table (void)
{
  gsize n_profiles = 0;
  const CuredProfile *profiles = cured_profile_list (&n_profiles);

  g_assert_cmpuint (n_profiles, >=, 5);
  for (gsize i = 0; i < n_profiles; i++)
    {
      const CuredLimits *limits = &profiles[i].limits;
      g_autofree char *arch = g_strdup_printf (
          "sm_%d%d", (int) limits->compute_major, (int) limits->compute_minor);

      g_assert_cmpstr (profiles[i].arch, ==, arch);
      g_assert_true (cured_profile_find (arch) == &profiles[i]);
      g_assert_cmpint (limits->sms, >, 0);
      g_assert_cmpint (limits->warp_size, ==, 32);
      g_assert_cmpint (limits->max_threads_per_sm % limits->warp_size, ==, 0);
      g_assert_cmpint (
          limits->shared_per_block_optin, >=, limits->shared_per_block);
      g_assert_cmpint ((gint64) profiles[i].shared_reserved +
                           limits->shared_per_block_optin,
                       ==,
                       limits->shared_per_sm);
      /* A block of the largest size fits everywhere. */
      g_assert_cmpint (
          cured_profile_get_blocks_per_sm (&profiles[i], 1024, 32, 0), >=, 1);
    }
  g_assert_null (cured_profile_find ("sm_20"));
  g_assert_null (cured_profile_find (""));
}

static double
get_figure (CuredResult *result, gint64 cell, const char *id)
{
  gsize metric = 0;

  g_assert_true (cured_result_find_metric (result, id, &metric));
  return cured_result_get_value (result, cell, metric);
}

/* What CUDA said of every cell that was recorded on an H200. */
static void
test_recorded (gconstpointer data)
{
  const CuredProfile *profile = cured_profile_find ("sm_90");
  g_autofree char *path = g_build_filename (
      g_getenv ("CURED_TEST_RESULTS"), (const char *) data, NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (CuredResult) result = cured_result_load (path, NULL, &error);
  gint64 n_compared = 0;
  gint64 n_cells;

  g_assert_no_error (error);
  n_cells = cured_result_get_n_cells (result);
  for (gint64 i = 0; i < n_cells; i++)
    {
      double recorded = get_figure (result, i, "blocks_per_sm");
      double shared = get_figure (result, i, "shared_static") +
                      get_figure (result, i, "shared_dynamic");
      int blocks;

      if (!(recorded > 0))
        continue;
      blocks = cured_profile_get_blocks_per_sm (
          profile,
          (gint64) get_figure (result, i, "threads_per_block"),
          (int) get_figure (result, i, "registers"),
          (gsize) shared);
      g_assert_cmpint (blocks, ==, (int) recorded);
      n_compared++;
    }
  g_assert_cmpint (n_compared, >, 0);

  /* The table has what the device said of itself. */
  {
    const CuredLimits *device = &cured_result_get_device (result)->limits;
    gsize n_limits = 0;
    const CuredLimitInfo *limits = cured_limits_list (&n_limits);

    for (gsize i = 0; i < n_limits; i++)
      {
        gint64 here = 0;
        gint64 there = 0;

        cured_limits_get (&profile->limits, limits[i].name, &here);
        cured_limits_get (device, limits[i].name, &there);
        if (here != 0)
          g_assert_cmpint (here, ==, there);
      }
  }
}

static void
test_limits (void)
{
  const CuredProfile *profile = cured_profile_find ("sm_90");

  /* 255 registers: 8192 a warp, 2 warps a partition, 8 a multiprocessor. */
  g_assert_cmpint (cured_profile_get_max_threads (profile, 255), ==, 256);
  g_assert_cmpint (
      cured_profile_get_blocks_per_sm (profile, 256, 255, 0), ==, 1);
  g_assert_cmpint (
      cured_profile_get_blocks_per_sm (profile, 257, 255, 0), ==, 0);
  g_assert_cmpint (cured_profile_get_max_threads (profile, 0), ==, 1024);
  /* Shared memory: one block with all of it, none with a byte more. */
  g_assert_cmpint (
      cured_profile_get_blocks_per_sm (profile, 32, 16, 232448), ==, 1);
  g_assert_cmpint (
      cured_profile_get_blocks_per_sm (profile, 32, 16, 232449), ==, 0);
  /* sm_75 reserves nothing and gives out 256 bytes at a time. */
  profile = cured_profile_find ("sm_75");
  g_assert_cmpint (
      cured_profile_get_blocks_per_sm (profile, 32, 16, 4096), ==, 16);
  g_assert_cmpint (
      cured_profile_get_blocks_per_sm (profile, 32, 16, 4097), ==, 15);
  g_assert_cmpint (
      cured_profile_get_blocks_per_sm (profile, 1024, 64, 0), ==, 1);
  g_assert_cmpint (
      cured_profile_get_blocks_per_sm (profile, 1025, 16, 0), ==, 0);
  g_assert_cmpint (cured_profile_get_blocks_per_sm (profile, 0, 16, 0), ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_summary ("What chips allow, and how many blocks they hold");

  g_test_add_func ("/profile/table", test_table);
  g_test_add_func ("/profile/limits", test_limits);
  g_test_add_data_func (
      "/profile/recorded/vector", "vector-add-h200.cured", test_recorded);
  g_test_add_data_func (
      "/profile/recorded/banks", "banks-stride-h200.cured", test_recorded);
  g_test_add_data_func (
      "/profile/recorded/matmul", "matmul-tiled-h200.cured", test_recorded);
  g_test_add_data_func ("/profile/recorded/reduce",
                        "reduce-two-launch-h200.cured",
                        test_recorded);

  return g_test_run ();
}
