/* SPDX-License-Identifier: MIT
 * The sweep that follows a result: the same, or a finer one. */

#include "make-result.h"
#include "other-values.h"
#include "store/cured-next-sweep.h"
#include "test.h"

TEST ("/next-sweep/result")
{
  const char *folder = test_folder ();
  g_autofree char *path = g_build_filename (folder, "a.cured", NULL);
  gsize n_axes, n_finer = 0;

  make_result (path, &(MakeResult){ 0 });
  g_autoptr (CuredResult) result = cured_result_load (path, NULL, NULL);
  g_assert_nonnull (result);
  g_autoptr (CuredSpec) spec =
      cured_spec_new_from_result (result, cured_result_get_kernel (result));
  assert_same_options (cured_result_get_options (result), cured_spec_get_options (spec), 0);
  const CuredResultAxis *axes = cured_result_get_axes (result, &n_axes);
  for (gsize i = 0; i < n_axes; i++)
    {
      g_autofree char *there = cured_axis_to_string (axes[i].values);
      g_autofree char *here = cured_axis_to_string (cured_spec_get_axis (spec, i));
      gsize length = cured_axis_get_length (axes[i].values);

      g_assert_cmpstr (here, ==, there);
      cured_spec_refine (spec, result, i, 0, length - 1);
      g_autofree char *finer = cured_axis_to_string (cured_spec_get_axis (spec, i));
      if (length == 1)
        g_assert_cmpstr (finer, ==, there);
      n_finer += cured_axis_get_length (cured_spec_get_axis (spec, i)) > length;
    }
  g_assert_cmpuint (n_finer, >, 0);
}
