/* SPDX-License-Identifier: MIT
 * How a cell is measured: what the user may choose, with its defaults. */
#include "spec/cured-options.h"

/**
 * cured_options_init:
 * @self: (out caller-allocates): uninitialized memory
 *
 * Sets the defaults: seed 1, 20 s a cell, 30 to 1000 samples, 0.5 s of
 * sampling a mode, an interval of ±0.2 %, output checked, both modes measured,
 * no further compiler options; all blocks in the natural order.
 */
void
cured_options_init (CuredOptions *self)
{
  *self = (CuredOptions){
    .seed = 1,
    .limit_s = 20,
    .min_samples = 30,
    .max_samples = 1000,
    .sampling_s = 0.5,
    .precision = 0.002,
    .check = TRUE,
    .cold = TRUE,
    .hot = TRUE,
  };
}

/**
 * cured_options_copy:
 * @self: options
 * @copy: (out caller-allocates): uninitialized memory; cured_options_clear()
 *   it
 *
 * Makes a deep copy.
 */
void
cured_options_copy (const CuredOptions *self, CuredOptions *copy)
{
  *copy = *self;
  copy->compile_options = g_strdup (self->compile_options);
  copy->unsafe_options = g_strdup (self->unsafe_options);
  copy->blocks = g_strdup (self->blocks);
}

/**
 * cured_options_clear:
 * @self: options
 *
 * Frees what they own; the struct itself is the caller's.
 */
void
cured_options_clear (CuredOptions *self)
{
  g_clear_pointer (&self->compile_options, g_free);
  g_clear_pointer (&self->unsafe_options, g_free);
  g_clear_pointer (&self->blocks, g_free);
}
