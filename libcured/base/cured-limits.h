/* SPDX-License-Identifier: MIT
 * A device's limits, by C name and by the name that expressions use. */
#pragma once

#include <glib.h>

/* ORDER: one row per field: field, unit, meaning. The field's name is also its name in expressions,
 * in JSON and in the result file. */
#define CURED_LIMITS_FIELDS(X)                                                                     \
  X (compute_major, "", "compute capability, major")                                               \
  X (compute_minor, "", "compute capability, minor")                                               \
  X (sms, "", "streaming multiprocessors")                                                         \
  X (warp_size, "threads", "threads per warp")                                                     \
  X (max_threads_per_block, "threads", "threads per block")                                        \
  X (max_threads_per_sm, "threads", "resident threads per multiprocessor")                         \
  X (max_blocks_per_sm, "blocks", "resident blocks per multiprocessor")                            \
  X (max_block_x, "threads", "block size in x")                                                    \
  X (max_block_y, "threads", "block size in y")                                                    \
  X (max_block_z, "threads", "block size in z")                                                    \
  X (max_grid_x, "blocks", "grid size in x")                                                       \
  X (max_grid_y, "blocks", "grid size in y")                                                       \
  X (max_grid_z, "blocks", "grid size in z")                                                       \
  X (shared_per_block, "B", "shared memory per block, without opting in")                          \
  X (shared_per_block_optin, "B", "shared memory per block, opted in")                             \
  X (shared_per_sm, "B", "shared memory per multiprocessor")                                       \
  X (registers_per_block, "", "32-bit registers per block")                                        \
  X (registers_per_sm, "", "32-bit registers per multiprocessor")                                  \
  X (l2_bytes, "B", "level-2 cache")                                                               \
  X (global_bytes, "B", "device memory")                                                           \
  X (sm_clock_khz, "kHz", "highest clock of the multiprocessors")                                  \
  X (memory_clock_khz, "kHz", "highest clock of the memory")                                       \
  X (memory_bus_bits, "bit", "width of the memory bus")                                            \
  X (emulated, "", "1: Cured's emulator, 0: a GPU")

/* The limits of a device. 0 means that the device did not report it, except for `compute_minor` and
 * `emulated`, where it is a normal value. */
typedef struct
{
#define CURED_LIMITS_FIELD(name, unit, meaning) gint64 name;
  CURED_LIMITS_FIELDS (CURED_LIMITS_FIELD)
#undef CURED_LIMITS_FIELD
} CuredLimits;

typedef struct
{
  const char *name;    /* the name in expressions, JSON and result files */
  const char *unit;    /* the unit, "" for a plain number */
  const char *meaning; /* one phrase for people (untranslated) */
  gsize offset;        /* of the field in #CuredLimits */
} CuredLimitInfo;

const CuredLimitInfo *cured_limits_list (gsize *n_limits);
gboolean cured_limits_get (const CuredLimits *self, const char *name, gint64 *value);
gboolean cured_limits_is_known (const char *name, gint64 value);
