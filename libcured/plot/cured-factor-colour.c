/* SPDX-License-Identifier: MIT
 * A colour for each name that the metric `limiter` can have. */
#include "plot/cured-factor-colour.h"

#include "base/cured-limiting-factor.h"

/* Implementation notes
 *
 * The hues are near those of Okabe and Ito, “Color Universal Design”, and of Tol, “Colour schemes”;
 * additional ones were chosen so that any two stay apart in CIELAB, for normal vision, deuteranopia
 * and protanopia, which tests verify. Blues are memory, the darker the farther away; grey means
 * unexplained. */

static const guint32 resources[] = {
  [CURED_RESOURCE_ISSUE] = 0x2daf6c,      [CURED_RESOURCE_FP32] = 0xe05422,
  [CURED_RESOURCE_INTEGER] = 0x7f2259,    [CURED_RESOURCE_FP64] = 0x661100,
  [CURED_RESOURCE_SPECIAL] = 0x89228c,    [CURED_RESOURCE_TENSOR] = 0xa1649b,
  [CURED_RESOURCE_LOAD_STORE] = 0xf0f022, [CURED_RESOURCE_SHARED] = 0xecb73d,
  [CURED_RESOURCE_CONSTANT] = 0x84a447,   [CURED_RESOURCE_L1] = 0xdef0f0,
  [CURED_RESOURCE_L2] = 0x30aff0,         [CURED_RESOURCE_MEMORY] = 0x2274cb,
  [CURED_RESOURCE_ATOMIC] = 0x2222a1,     [CURED_RESOURCE_DISPATCH] = 0x226434,
  [CURED_RESOURCE_LAUNCH] = 0xf0f09f,     [CURED_RESOURCE_REMOTE] = 0x381af6,
};
G_STATIC_ASSERT (G_N_ELEMENTS (resources) == CURED_N_RESOURCES);

#define LATENCY      0xbac4e7
#define UNEXPLAINED  0xa2a2a2
#define CONTRADICTED 0x292929

/* @limit: a value of the metric `limiter`
 * Returns: its colour in every map, on light and dark backgrounds */
CuredColour
cured_factor_get_colour (int limit)
{
  guint32 rgb = UNEXPLAINED;

  if (limit >= 0 && limit < CURED_N_RESOURCES)
    rgb = resources[limit];
  else if (limit == CURED_FACTOR_LATENCY)
    rgb = LATENCY;
  else if (limit == CURED_FACTOR_CONTRADICTED)
    rgb = CONTRADICTED;
  return (CuredColour){ (rgb >> 16 & 0xff) / 255.0, (rgb >> 8 & 0xff) / 255.0,
                        (rgb & 0xff) / 255.0 };
}
