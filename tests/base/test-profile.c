/* SPDX-License-Identifier: MIT
 * The table of compute capabilities is whole, and has what an H200 said. */
#include "cured.h"
#include "test.h"

TEST ("/profile/table")
{
  gsize n_profiles = 0;
  const CuredProfile *profiles = cured_profile_list (&n_profiles);

  g_assert_cmpuint (n_profiles, ==, 29);
  for (gsize i = 0; i < n_profiles; i++)
    {
      const CuredLimits *limits = &profiles[i].limits;
      g_autofree char *arch =
          g_strdup_printf ("sm_%d%d", (int) limits->compute_major, (int) limits->compute_minor);

      g_assert_cmpstr (profiles[i].arch, ==, arch);
      g_assert_true (cured_profile_find (arch) == &profiles[i]);
      g_assert_cmpint (limits->sms > 0, ==, profiles[i].is_emulated);
      g_assert_cmpint (limits->warp_size, ==, 32);
      g_assert_cmpint (limits->max_threads_per_sm % limits->warp_size, ==, 0);
      g_assert_cmpint (limits->shared_per_block_optin, >=, limits->shared_per_block);
      g_assert_cmpint ((gint64) profiles[i].shared_reserved + limits->shared_per_block_optin, <=,
                       limits->shared_per_sm);
      g_assert_cmpint (limits->registers_per_block, <=, limits->registers_per_sm);
      g_assert_cmpint (limits->max_threads_per_block, <=, limits->max_threads_per_sm);
      g_assert_cmpint (limits->max_block_x, ==, limits->max_threads_per_block);
      g_assert_cmpint (profiles[i].register_unit, >, 0);
      g_assert_cmpuint (profiles[i].shared_unit, >, 0);
      g_assert_cmpint (profiles[i].banks, ==, limits->compute_major == 1 ? 16 : 32);
      /* Ascending. */
      if (i > 0)
        g_assert_cmpint (10 * profiles[i - 1].limits.compute_major +
                             profiles[i - 1].limits.compute_minor,
                         <, 10 * limits->compute_major + limits->compute_minor);
    }
  g_assert_null (cured_profile_find ("sm_22"));
  g_assert_null (cured_profile_find (""));
}

/* The table has what an H200 said of itself. */
TEST ("/profile/recorded")
{
  const CuredProfile *profile = cured_profile_find ("sm_90");
  g_autofree char *path =
      g_build_filename (g_getenv ("CURED_TEST_RESULTS"), "vector-add-h200.cured", NULL);
  g_autoptr (CuredResult) result = MUST (cured_result_load (path, NULL, &fail));
  gsize n_limits = 0;
  const CuredLimitInfo *limits = cured_limits_list (&n_limits);

  const CuredLimits *device = &cured_result_get_device (result)->limits;
  for (gsize i = 0; i < n_limits; i++)
    {
      gint64 here = 0, there = 0;

      cured_limits_get (&profile->limits, limits[i].name, &here);
      cured_limits_get (device, limits[i].name, &there);
      if (here != 0)
        g_assert_cmpint (here, ==, there);
    }
}
