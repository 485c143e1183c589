/* SPDX-License-Identifier: MIT
 * How a cell is measured: what the user may choose, with its defaults. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * CuredOptions:
 * @seed: of the inputs' generator
 * @limit_s: time limit of one cell, compiling and checking included, seconds
 * @min_samples: cold samples at least
 * @max_samples: cold samples at most
 * @sampling_s: seconds of sampling at most, a mode
 * @precision: stop when the half width of the median's 95 % confidence
 *   interval is under this fraction of the median
 * @check: compare the output with the reference before timing
 * @cold: take samples with a cold L2 cache
 * @hot: take samples of back-to-back runs
 * @compile_options: (nullable): further NVRTC options, separated by spaces, as
 *   cured_compile_options_parse() takes them
 * @unsafe_options: (nullable): likewise, of which none is refused; a result
 *   file does not have them
 * @shuffle: on a device that emulates: seed of the order in which blocks and
 *   warps run; 0 is the natural order
 * @blocks: (nullable): on a device that emulates: the blocks that run, as
 *   cured_block_set_check() takes them; NULL is all. The output of some blocks
 *   alone is not compared with the reference.
 *
 * A plain value; cured_options_init() gives the defaults, and a copy is freed
 * with cured_options_clear().
 */
typedef struct
{
  guint64 seed;
  double limit_s;
  guint min_samples;
  guint max_samples;
  double sampling_s;
  double precision;
  gboolean check;
  gboolean cold;
  gboolean hot;
  char *compile_options;
  char *unsafe_options;
  guint64 shuffle;
  char *blocks;
} CuredOptions;

void cured_options_init (CuredOptions *self);
void cured_options_copy (const CuredOptions *self, CuredOptions *copy);
void cured_options_clear (CuredOptions *self);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (CuredOptions, cured_options_clear)

G_END_DECLS
