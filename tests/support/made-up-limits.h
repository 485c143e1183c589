/* SPDX-License-Identifier: MIT
 * Limits of devices that tests make up: members of an initializer. */
#pragma once

/* Of a launch. */
#define LAUNCH_LIMITS                                                                              \
  .max_threads_per_block = 1024, .max_block_x = 1024, .max_block_y = 1024, .max_block_z = 64,      \
  .max_grid_x = G_MAXINT32, .max_grid_y = 65535, .max_grid_z = 65535

/* Of an H200, but for its memory and clocks. */
#define H200_LIMITS                                                                                \
  LAUNCH_LIMITS, .compute_major = 9, .sms = 132, .warp_size = 32, .max_threads_per_sm = 2048,      \
                 .max_blocks_per_sm = 32, .shared_per_block = 48 << 10,                            \
                 .shared_per_block_optin = 227 << 10, .shared_per_sm = 228 << 10,                  \
                 .registers_per_block = 65536, .registers_per_sm = 65536
