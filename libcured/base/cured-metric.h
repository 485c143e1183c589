/* SPDX-License-Identifier: MIT
 * The table of every figure that a cell can carry. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * CuredOrigin:
 * @CURED_ORIGIN_MEASURED: read off a device's clock
 * @CURED_ORIGIN_COUNTED: counted exactly (compiler's report, emulator, driver)
 * @CURED_ORIGIN_DERIVED: computed from the kernel file's formulas
 * @CURED_ORIGIN_PREDICTED: what a model of a chip says
 */
typedef enum
{
  CURED_ORIGIN_MEASURED,
  CURED_ORIGIN_COUNTED,
  CURED_ORIGIN_DERIVED,
  CURED_ORIGIN_PREDICTED,
} CuredOrigin;

/**
 * CuredBetter: which end of a metric is the good one.
 */
typedef enum
{
  CURED_BETTER_LOWER,
  CURED_BETTER_HIGHER,
  CURED_BETTER_NEITHER,
} CuredBetter;

/* ORDER: id, unit, origin, better, title, description. The number of a row is not written anywhere:
 * files and protocol carry the id. The first row is what a view shows when nothing was chosen.
 * Units: "ns", "Hz", "B", "B/s", "FLOP/s", "cycles", "ratio" (a fraction; shown as percent),
 * "limit" (the number of a name: cured_limit_to_string ()), "" (a count). */
#define CURED_METRICS(X)                                                                             \
  X (time, "ns", MEASURED, LOWER, N_ ("Time"),                                                       \
     N_ ("Median of one run with a cold L2 cache, event overhead taken off"))                        \
  X (time_low, "ns", MEASURED, LOWER, N_ ("Time, low"), /* xgettext:no-c-format */                   \
     N_ ("Lower end of the 95 % confidence interval of the median, cold"))                           \
  X (time_high, "ns", MEASURED, LOWER, N_ ("Time, high"), /* xgettext:no-c-format */                 \
     N_ ("Upper end of the 95 % confidence interval of the median, cold"))                           \
  X (time_min, "ns", MEASURED, LOWER, N_ ("Minimum time"), N_ ("Minimum of the samples, cold"))      \
  X (time_mean, "ns", DERIVED, LOWER, N_ ("Time, mean"), N_ ("Mean of the samples, cold"))           \
  X (time_spread, "ratio", DERIVED, LOWER, N_ ("Spread"),                                            \
     N_ ("Interquartile range over the median, cold"))                                               \
  X (time_samples, "", COUNTED, NEITHER, N_ ("Samples"), N_ ("Number of cold samples"))              \
  X (rounds, "", COUNTED, NEITHER, N_ ("Rounds"),                                                    \
     N_ ("Rounds of samples, each in a fresh process; the intervals of one round hold within "       \
         "this process"))                                                                            \
  X (time_between, "ratio", DERIVED, LOWER, N_ ("Spread between rounds"),                            \
     N_ ("Standard deviation of the rounds' medians over the time, cold"))                           \
  X (time_hot, "ns", MEASURED, LOWER, N_ ("Time, hot"),                                              \
     N_ ("Median of one run inside a batch of back-to-back runs; caches are warm"))                  \
  X (time_hot_low, "ns", MEASURED, LOWER, N_ ("Time, hot, low"), /* xgettext:no-c-format */          \
     N_ ("Lower end of the 95 % confidence interval of the median, hot"))                            \
  X (time_hot_high, "ns", MEASURED, LOWER, N_ ("Time, hot, high"), /* xgettext:no-c-format */        \
     N_ ("Upper end of the 95 % confidence interval of the median, hot"))                            \
  X (time_hot_spread, "ratio", DERIVED, LOWER, N_ ("Spread, hot"),                                   \
     N_ ("Interquartile range over the median, hot"))                                                \
  X (time_hot_samples, "", COUNTED, NEITHER, N_ ("Samples, hot"), N_ ("Number of hot samples"))      \
  X (time_hot_between, "ratio", DERIVED, LOWER, N_ ("Spread between rounds, hot"),                   \
     N_ ("Standard deviation of the rounds' medians over the time, hot"))                            \
  X (bandwidth, "B/s", DERIVED, HIGHER, N_ ("Bandwidth"),                                            \
     N_ ("The kernel file's Bytes formula over the cold time"))                                      \
  X (flop_rate, "FLOP/s", DERIVED, HIGHER, N_ ("Arithmetic rate"),                                   \
     N_ ("The kernel file's Flops formula over the cold time"))                                      \
  X (of_ceiling, "ratio", DERIVED, HIGHER, N_ ("Share of the limit"),                                \
     N_ ("Rate divided by the device's own measured limit, of the kind that the kernel file "        \
         "names"))                                                                                   \
  X (cycles, "cycles", MEASURED, LOWER, N_ ("Cycles"),                                               \
     N_ ("Cycles that the kernel measured itself with the multiprocessor's clock, over the "         \
         "kernel file's Per formula; median of what it wrote"))                                      \
  X (sm_clock, "Hz", MEASURED, NEITHER, N_ ("SM clock"),                                             \
     N_ ("Median clock of the multiprocessors around the cold samples"))                             \
  X (sm_clock_hot, "Hz", MEASURED, NEITHER, N_ ("SM clock, hot"),                                    \
     N_ ("Median clock of the multiprocessors around the hot samples"))                              \
  X (throttled, "", COUNTED, LOWER, N_ ("Throttled samples"),                                        \
     N_ ("Samples during which the clock was under three quarters of the highest"))                  \
  X (throttle_waits, "", COUNTED, LOWER, N_ ("Waits for the clock"),                                 \
     N_ ("How often sampling waited and began again, because more than a tenth of the samples "      \
         "were throttled"))                                                                          \
  X (predicted_time, "ns", PREDICTED, LOWER, N_ ("Predicted time"),                                  \
     N_ ("What the model says one run takes with a cold L2 cache; the kernel did not run on the "    \
         "chip"))                                                                                    \
  X (shared_wavefronts, "", COUNTED, LOWER, N_ ("Shared wavefronts"),                                \
     N_ ("Wavefronts of shared memory, counted by the emulator's bank model"))                       \
  X (excess_wavefronts, "", COUNTED, LOWER, N_ ("Excess wavefronts"),                                \
     N_ ("Wavefronts of shared memory that bank conflicts add, counted by the emulator's bank "      \
         "model"))                                                                                   \
  X (global_sectors, "", COUNTED, LOWER, N_ ("Global sectors"),                                      \
     N_ ("Sectors of 32 bytes of global memory that warps asked for, each counted once per "         \
         "request, counted by the emulator"))                                                        \
  X (sectors_per_request, "", COUNTED, LOWER, N_ ("Sectors per request"),                            \
     N_ ("Global sectors over the accesses of warps to global memory, counted by the emulator"))     \
  X (global_loads, "", COUNTED, LOWER, N_ ("Global loads"),                                          \
     N_ ("Elements that lanes loaded from global memory, counted by the emulator; of copies to "     \
         "shared memory, words of 32 bits"))                                                         \
  X (flops, "", COUNTED, NEITHER, N_ ("Floating-point operations"),                                  \
     N_ ("Additions, multiplications, divisions and functions of lanes in floating point, "          \
         "counted by the emulator; a multiply-add is two"))                                          \
  X (flops_per_load, "", COUNTED, HIGHER, N_ ("Operations per load"),                                \
     N_ ("Floating-point operations over elements loaded from global memory, counted by the "        \
         "emulator"))                                                                                \
  X (instructions, "", COUNTED, LOWER, N_ ("Instructions"),                                          \
     N_ ("PTX instructions that warps executed, counted by the emulator"))                           \
  X (lanes_active, "ratio", COUNTED, HIGHER, N_ ("Active lanes"),                                    \
     N_ ("Lanes that took part in an instruction over the 32 of a warp, mean over all "              \
         "instructions, counted by the emulator"))                                                   \
  X (divergent_branches, "", COUNTED, LOWER, N_ ("Divergent branches"),                              \
     N_ ("Times that a branch split a warp, counted by the emulator"))                               \
  X (barriers, "", COUNTED, NEITHER, N_ ("Barrier arrivals"),                                        \
     N_ ("Times that a warp arrived at a barrier of its block, counted by the emulator"))            \
  X (l1_hit_rate, "ratio", PREDICTED, HIGHER, N_ ("L1 hit rate"),                                    \
     N_ ("Sectors of global and local memory that the first cache has over all that warps ask of "   \
         "it, by the cache model"))                                                                  \
  X (l2_sectors, "", PREDICTED, LOWER, N_ ("L2 sectors"),                                            \
     N_ ("Sectors of 32 bytes that multiprocessors read from, write to or have changed by the "      \
         "second cache, by the cache model"))                                                        \
  X (l2_hit_rate, "ratio", PREDICTED, HIGHER, N_ ("L2 hit rate"),                                    \
     N_ ("L2 sectors that need nothing from memory over all, by the cache model"))                   \
  X (dram_bytes, "B", PREDICTED, LOWER, N_ ("Memory traffic"),                                       \
     N_ ("Bytes read from and written to memory behind the second cache, by the cache model"))       \
  X (findings, "", COUNTED, LOWER, N_ ("Findings"),                                                  \
     N_ ("Places that the emulator's detectors object to, bank conflicts left out"))                 \
  X (blocks_run, "", COUNTED, NEITHER, N_ ("Blocks run"),                                            \
     N_ ("Blocks that the emulator ran, over all launches; the other counts are of these"))          \
  X (slots_fp32, "", DERIVED, LOWER, N_ ("Slots, single precision"),                                 \
     N_ ("Issue slots of single precision, estimated from the PTX that the emulator counted, of "    \
         "all blocks"))                                                                              \
  X (slots_imad, "", DERIVED, LOWER, N_ ("Slots, integer multiplication"),                           \
     N_ ("Issue slots of integer multiplication, estimated from the PTX that the emulator "          \
         "counted, of all blocks"))                                                                  \
  X (slots_alu, "", DERIVED, LOWER, N_ ("Slots, integer"),                                           \
     N_ ("Issue slots of integer arithmetic, logic and moves, estimated from the PTX that the "      \
         "emulator counted, of all blocks"))                                                         \
  X (slots_half, "", DERIVED, LOWER, N_ ("Slots, half precision"),                                   \
     N_ ("Issue slots of half precision, estimated from the PTX that the emulator counted, of "      \
         "all blocks"))                                                                              \
  X (slots_fp64, "", DERIVED, LOWER, N_ ("Slots, double precision"),                                 \
     N_ ("Issue slots of double precision, estimated from the PTX that the emulator counted, of "    \
         "all blocks"))                                                                              \
  X (slots_mufu, "", DERIVED, LOWER, N_ ("Slots, special functions"),                                \
     N_ ("Issue slots of special functions and conversions, estimated from the PTX that the "        \
         "emulator counted, of all blocks"))                                                         \
  X (slots_lsu, "", DERIVED, LOWER, N_ ("Slots, load and store"),                                    \
     N_ ("Issue slots of loads, stores and shuffles, estimated from the PTX that the emulator "      \
         "counted, of all blocks"))                                                                  \
  X (slots_tensor, "", DERIVED, LOWER, N_ ("Slots, tensor"),                                         \
     N_ ("Products of 16 × 8 by 8 × 16 words that the emulator counted, of all blocks; they take " \
         "no issue slots of their own"))                                                             \
  X (slots_control, "", DERIVED, LOWER, N_ ("Slots, control"),                                       \
     N_ ("Issue slots of branches, barriers, exits and products of matrices, estimated from the "    \
         "PTX that the emulator counted, of all blocks"))                                            \
  X (global_lines, "", COUNTED, LOWER, N_ ("Global lines"),                                          \
     N_ ("Turns of L1 that accesses of warps to global memory take: 128 bytes each, of one line "    \
         "or of two in different banks, of all blocks"))                                             \
  X (constant_accesses, "", COUNTED, LOWER, N_ ("Constant accesses"),                                \
     N_ ("Accesses of warps to constant memory and to parameters, of all blocks"))                   \
  X (atomic_operations, "", COUNTED, LOWER, N_ ("Atomic operations"),                                \
     N_ ("Atomic operations of lanes on global memory, of all blocks"))                              \
  X (atomic_addresses, "", COUNTED, NEITHER, N_ ("Atomic addresses"),                                \
     N_ ("Distinct addresses of the atomic operations, each counted once per request, of all "       \
         "blocks"))                                                                                  \
  X (warps, "", COUNTED, NEITHER, N_ ("Warps"),                                                      \
     N_ ("Warps of the grid; maximum over the launches"))                                            \
  X (sms_busy, "", COUNTED, NEITHER, N_ ("Busy multiprocessors"),                                    \
     N_ ("Multiprocessors that get a block; maximum over the launches"))                             \
  X (threads_in_flight, "", COUNTED, NEITHER, N_ ("Threads in flight"),                              \
     N_ ("Threads that are resident on the whole chip at once; maximum over the launches"))          \
  X (waves, "", DERIVED, NEITHER, N_ ("Waves"),                                                      \
     N_ ("Blocks of the grid over those that are resident on the whole chip at once; maximum "       \
         "over the launches"))                                                                       \
  X (tail, "ratio", DERIVED, NEITHER, N_ ("Tail"),                                                   \
     N_ ("Share of the last wave that stays empty, of the launch with most waves"))                  \
  X (limiter, "limit", DERIVED, NEITHER, N_ ("Limiter"),                                             \
     N_ ("What holds the cell, by cured explain"))                                                   \
  X (limiter_share, "ratio", DERIVED, NEITHER, N_ ("Busiest resource"),                              \
     N_ ("Share of the time that the busiest resource needs, by cured explain"))                     \
  X (limiter_next, "limit", DERIVED, NEITHER, N_ ("Next limit"),                                     \
     N_ ("The busiest resource but one, by cured explain"))                                          \
  X (limiter_next_share, "ratio", DERIVED, NEITHER, N_ ("Next limit's share"),                       \
     N_ ("Share of the time that the next limit needs, by cured explain"))                           \
  X (sampled_excess, "", DERIVED, LOWER, N_ ("Excess wavefronts, sampled"),                          \
     N_ ("Wavefronts of shared memory that bank conflicts add, by cured explain: counted in some "   \
         "of the blocks, for all of them"))                                                          \
  X (occupancy, "ratio", DERIVED, NEITHER, N_ ("Occupancy"),                                         \
     N_ ("Resident warps over the maximum that a multiprocessor holds; minimum over the "            \
         "launches"))                                                                                \
  X (blocks_per_sm, "", COUNTED, NEITHER, N_ ("Blocks per multiprocessor"),                          \
     N_ ("Resident blocks per multiprocessor; minimum over the launches"))                           \
  X (registers, "", COUNTED, NEITHER, N_ ("Registers"),                                              \
     N_ ("Registers per thread; maximum over the launches"))                                         \
  X (shared_static, "B", COUNTED, NEITHER, N_ ("Static shared memory"),                              \
     N_ ("Static shared memory per block; maximum over the launches"))                               \
  X (shared_dynamic, "B", COUNTED, NEITHER, N_ ("Dynamic shared memory"),                            \
     N_ ("Dynamic shared memory per block; maximum over the launches"))                              \
  X (local_bytes, "B", COUNTED, LOWER, N_ ("Local memory"),                                          \
     N_ ("Local memory per thread (spills and stack); maximum over the launches"))                   \
  X (threads_per_block, "", COUNTED, NEITHER, N_ ("Threads per block"),                              \
     N_ ("Threads per block; maximum over the launches"))                                            \
  X (grid_blocks, "", COUNTED, NEITHER, N_ ("Blocks"),                                               \
     N_ ("Blocks in the grid; maximum over the launches"))                                           \
  X (compile_time, "ns", MEASURED, NEITHER, N_ ("Compile time"),                                     \
     N_ ("Time that NVRTC took for this variant, when it was first compiled"))

typedef enum
{
#define CURED_METRIC_ENUM(id, unit, origin, better, title, description) CURED_METRIC_##id,
  CURED_METRICS (CURED_METRIC_ENUM)
#undef CURED_METRIC_ENUM
      CURED_N_METRICS
} CuredMetric;

/**
 * CuredMetricInfo:
 *
 * A row of the table. @title and @description are untranslated; pass them through gettext before
 * showing them.
 */
typedef struct
{
  const char *id;
  const char *unit;
  CuredOrigin origin;
  CuredBetter better;
  const char *title;
  const char *description;
} CuredMetricInfo;

const CuredMetricInfo *cured_metric_info (CuredMetric metric);
gboolean cured_metric_from_id (const char *id, CuredMetric *metric);
const char *cured_metric_get_formula (const char *id);
const char *cured_origin_to_string (CuredOrigin origin);

G_END_DECLS
