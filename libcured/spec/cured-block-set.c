/* SPDX-License-Identifier: MIT
 * Subsets of the blocks of a grid. */
#include "spec/cured-block-set-internal.h"

#include "base/cured-base-internal.h"

#define SAMPLE_PREFIX "sample:"

/* (nullable): the axis; a sample has none. */
static CuredAxis *
parse (const char *text, guint64 *n_sampled, GError **error)
{
  *n_sampled = 0;
  if (g_str_has_prefix (text, SAMPLE_PREFIX))
    {
      if (g_ascii_string_to_unsigned (text + strlen (SAMPLE_PREFIX), 10, 1, CURED_AXIS_MAX_VALUES,
                                      n_sampled, NULL))
        return NULL;
      return cured_fail_null (error, CURED_ERROR_INVALID,
                              _ ("“%s”: expected sample:N with N from 1 to %d, such as sample:64"),
                              text, CURED_AXIS_MAX_VALUES);
    }
  g_autoptr (CuredAxis) axis = cured_axis_parse (text, error);
  if (axis == NULL)
    return NULL;
  for (gsize i = 0; i < cured_axis_get_length (axis); i++)
    if (cured_axis_get_value (axis, i) < 0)
      return cured_fail_null (error, CURED_ERROR_INVALID,
                              _ ("“%s”: blocks are counted from 0, such as 0..7"), text);
  return g_steal_pointer (&axis);
}

/* @text: "0..7", "0,5,9" (as axes are written), or "sample:64"
 * @error: set to CURED_ERROR_SYNTAX or CURED_ERROR_INVALID
 * Returns: whether the text is valid */
gboolean
cured_block_set_check (const char *text, GError **error)
{
  guint64 n_sampled = 0;
  g_autoptr (CuredAxis) axis = parse (text, &n_sampled, error);

  return axis != NULL || n_sampled > 0;
}

/* splitmix64 (Steele, Lea, Flood 2014): one step from any state is random enough to choose a
 * block. */
static guint64
mix (guint64 x)
{
  x += G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);
  x = (x ^ x >> 30) * G_GUINT64_CONSTANT (0xbf58476d1ce4e5b9);
  x = (x ^ x >> 27) * G_GUINT64_CONSTANT (0x94d049bb133111eb);
  return x ^ x >> 31;
}

static int
compare (gconstpointer a, gconstpointer b)
{
  guint64 x = *(const guint64 *) a, y = *(const guint64 *) b;

  return (x > y) - (x < y);
}

/* @text: accepted by cured_block_set_check()
 * @n_blocks: number of blocks of the grid
 * @seed: for a sample
 *
 * A sample takes one block out of each of N equal stretches of the grid, so that it covers both
 * ends and the middle; it depends on the seed alone. Blocks beyond the grid are left out.
 * Returns: (transfer full) (element-type guint64): linear indices, ascending */
GArray *
cured_block_set_select (const char *text, guint64 n_blocks, guint64 seed)
{
  guint64 n_sampled = 0;
  g_autoptr (CuredAxis) axis = parse (text, &n_sampled, NULL);
  GArray *blocks = g_array_new (FALSE, FALSE, sizeof (guint64));

  for (gsize i = 0; axis != NULL && i < cured_axis_get_length (axis); i++)
    {
      guint64 block = (guint64) cured_axis_get_value (axis, i);

      if (block < n_blocks)
        g_array_append_val (blocks, block);
    }
  n_sampled = MIN (n_sampled, n_blocks);
  for (guint64 i = 0; i < n_sampled; i++)
    {
      /* No overflow: grids have fewer than 2^63 blocks, samples fewer than 2^21. */
      guint64 first = n_blocks / n_sampled * i + n_blocks % n_sampled * i / n_sampled;
      guint64 next = n_blocks / n_sampled * (i + 1) + n_blocks % n_sampled * (i + 1) / n_sampled;
      guint64 block = first + mix (seed ^ mix (i)) % (next - first);

      g_array_append_val (blocks, block);
    }
  g_array_sort (blocks, compare);
  return blocks;
}
