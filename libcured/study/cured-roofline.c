/* SPDX-License-Identifier: MIT
 * Cells under the limits of their device, by arithmetic intensity. */
#include "study/cured-roofline.h"

#include "base/cured-base-internal.h"

/* @self: (nullable): a roofline */
CURED_DEFINE_FREE (CuredRoofline, cured_roofline_free, points, g_array_unref)

/* @intensity: FLOP per byte
 * Returns: the rate that memory and arithmetic allow at this intensity, FLOP per second */
double
cured_roofline_get_roof (const CuredRoofline *self, double intensity)
{
  return fmin (self->flops, intensity * self->bytes_per_s);
}

/* @intensity: (out caller-allocates) (array fixed-size=2): range of the horizontal axis
 * @rate: (out caller-allocates) (array fixed-size=2): range of the vertical axis
 *
 * Both axes are logarithmic, and include the ridge and all points. */
void
cured_roofline_get_range (const CuredRoofline *self, double intensity[2], double rate[2])
{
  intensity[0] = intensity[1] = self->ridge;
  rate[0] = rate[1] = self->flops;
  CURED_EACH (const CuredRooflinePoint, point, self->points)
    {
      intensity[0] = fmin (intensity[0], point->intensity);
      intensity[1] = fmax (intensity[1], point->intensity);
      rate[0] = fmin (rate[0], point->flop_rate);
      rate[1] = fmax (rate[1], point->flop_rate);
    }
  intensity[0] /= 2;
  intensity[1] *= 4;
  rate[0] /= 2;
  rate[1] *= 2;
}

static gboolean
load (CuredResult *result, CuredMetric metric, gsize *index, GError **error)
{
  const char *id = cured_metric_info (metric)->id;

  if (!cured_result_find_metric (result, id, index) || !cured_result_has_values (result, *index))
    return cured_fail (error, CURED_ERROR_NOT_FOUND,
                       _ ("a roofline needs %s, which no cell has: time a kernel whose file has "
                          "Flops= and Bytes=, or import both rates"),
                       id);
  return cured_result_load_column (result, *index, NULL, error);
}

/* @error: set to CURED_ERROR_NOT_FOUND if it has no rates, or its device no measured limits
 *
 * The intensity is the ratio of the two rates, as given by the kernel file's formulas.
 * Returns: (transfer full) (nullable): the limits, and the cells under them */
CuredRoofline *
cured_roofline_new (CuredResult *result, GError **error)
{
  g_autoptr (CuredRoofline) self = g_new0 (CuredRoofline, 1);
  double most = 0;
  gsize flop_rate, bandwidth;

  g_return_val_if_fail (CURED_IS_RESULT (result), NULL);

  self->points = g_array_new (FALSE, FALSE, sizeof (CuredRooflinePoint));
  const CuredDeviceInfo *device = cured_result_get_device (result);
  self->bytes_per_s = fmax (device->ceilings.read_bytes_per_s, device->ceilings.copy_bytes_per_s);
  self->flops = device->ceilings.fp32_flops;
  self->ridge = self->flops / self->bytes_per_s;
  if (!(self->ridge > 0) || !isfinite (self->ridge))
    return cured_fail_null (error, CURED_ERROR_NOT_FOUND,
                            _ ("the file has no measured limits of %s; a sweep that times kernels "
                               "on it records them"),
                            device->name);
  if (!load (result, CURED_METRIC_flop_rate, &flop_rate, error) ||
      !load (result, CURED_METRIC_bandwidth, &bandwidth, error))
    return NULL;
  CURED_EACH_CELL (result, cell)
    {
      double rate = cured_result_get_value (result, cell, flop_rate);
      double intensity = rate / cured_result_get_value (result, cell, bandwidth);
      CuredRooflinePoint point = { cell, intensity, rate,
                                   cured_roofline_get_roof (self, intensity) };

      if (cured_result_get_state (result, cell) != CURED_STATE_OK || !(intensity > 0) ||
          !isfinite (intensity) || !(rate > 0))
        continue;
      if (rate > most)
        {
          most = rate;
          self->best = self->points->len;
        }
      g_array_append_val (self->points, point);
    }
  if (self->points->len == 0)
    return cured_fail_null (error, CURED_ERROR_NOT_FOUND,
                            _ ("no cell has both an arithmetic rate and a bandwidth"));
  return g_steal_pointer (&self);
}
