/* SPDX-License-Identifier: MIT
 * The sweep that follows a result: the same, or a finer one. */
#include "store/cured-next-sweep.h"

/* @result: of a sweep
 * @kernel: (transfer none): its kernel, possibly edited since
 *
 * Requests the same axes and options. A parameter that the kernel now lacks, or whose values are no
 * longer allowed, gets its default.
 * Returns: (transfer full): the spec */
CuredSpec *
cured_spec_new_from_result (CuredResult *result, CuredKernel *kernel)
{
  gsize n_axes;

  g_return_val_if_fail (CURED_IS_RESULT (result) && kernel != NULL, NULL);

  CuredSpec *self = cured_spec_new (kernel);
  CuredOptions *options = cured_spec_get_options (self);
  const CuredResultAxis *axes = cured_result_get_axes (result, &n_axes);
  for (gsize i = 0; i < n_axes; i++)
    {
      g_autoptr (GError) error = NULL;

      if (!cured_spec_set_axis (self, axes[i].name, axes[i].values, &error))
        g_debug ("%s", error->message);
    }
  cured_options_clear (options);
  cured_options_copy (cured_result_get_options (result), options);
  return self;
}

/* @self: from cured_spec_new_from_result()
 * @axis: index of an axis of the result
 * @first: position of a value on it
 * @last: position of another one, @first or greater
 *
 * Narrows the axis to this range, and adds values of the kernel file in between, by
 * cured_axis_refine(); a single value gets neighbours. An axis of one value, or of a parameter that
 * the kernel lacks, stays as it is. */
void
cured_spec_refine (CuredSpec *self, CuredResult *result, gsize axis, gsize first, gsize last)
{
  gsize n_axes, parameter;

  g_return_if_fail (self != NULL && CURED_IS_RESULT (result));
  const CuredResultAxis *axes = cured_result_get_axes (result, &n_axes);
  g_return_if_fail (axis < n_axes && first <= last);

  CuredKernel *kernel = cured_spec_get_kernel (self);
  if (cured_axis_get_length (axes[axis].values) == 1 ||
      !cured_kernel_find_parameter (kernel, axes[axis].name, &parameter))
    return;
  g_autoptr (CuredAxis) finer =
      cured_axis_refine (axes[axis].values, first, last, kernel->parameters[parameter].values);
  cured_spec_set_axis (self, axes[axis].name, finer, NULL);
}
