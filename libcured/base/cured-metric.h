/* SPDX-License-Identifier: MIT
 * The table of metrics of a cell. */
#pragma once

#include <glib.h>

typedef enum
{
  CURED_ORIGIN_MEASURED,  /* read off a device's clock */
  CURED_ORIGIN_COUNTED,   /* counted exactly (compiler's report, emulator, driver) */
  CURED_ORIGIN_DERIVED,   /* computed from the kernel file's formulas */
  CURED_ORIGIN_PREDICTED, /* predicted by a model of a chip */
} CuredOrigin;

/* The better end of a metric. */
typedef enum
{
  CURED_BETTER_LOWER,
  CURED_BETTER_HIGHER,
  CURED_BETTER_NEITHER,
} CuredBetter;

/* ORDER: id, unit, origin, better, whether it depends on a device's clock, directly or not
 * (TIMED), or is the SAME every time and on the emulator, too; title, description, formula
 * from other figures (NULL: none; keys of a kernel file are written as they are there). The
 * number of a row is not stored anywhere: files and the protocol have the id. The first row is
 * a view's default. Units: "ns", "Hz", "B", "B/s", "FLOP/s", "cycles", "ratio" (a fraction;
 * shown as percent), "limit" (the number of a name: cured_factor_to_string ()), "" (a
 * count). */
/* clang-format off */
#define CURED_METRICS(X) \
  X (time, "ns", MEASURED, LOWER, TIMED, N_ ("Time"), \
     N_ ("Median of one run with a cold L2 cache, event overhead taken off"), \
     N_ ("median of the cold samples − event overhead")) \
  X (time_low, "ns", MEASURED, LOWER, TIMED, N_ ("Time, low"), /* xgettext:no-c-format */ \
     N_ ("Lower end of the 95 % confidence interval of the median, cold"), NULL) \
  X (time_high, "ns", MEASURED, LOWER, TIMED, N_ ("Time, high"), /* xgettext:no-c-format */ \
     N_ ("Upper end of the 95 % confidence interval of the median, cold"), NULL) \
  X (time_min, "ns", MEASURED, LOWER, TIMED, N_ ("Minimum time"), \
     N_ ("Minimum of the samples, cold"), NULL) \
  X (time_mean, "ns", DERIVED, LOWER, TIMED, N_ ("Time, mean"), \
     N_ ("Mean of the samples, cold"), \
     N_ ("sum of the cold samples ÷ their number")) \
  X (time_p75, "ns", MEASURED, LOWER, TIMED, N_ ("Time, 75th percentile"), \
     N_ ("75th percentile of the samples, cold"), NULL) \
  X (time_p90, "ns", MEASURED, LOWER, TIMED, N_ ("Time, 90th percentile"), \
     N_ ("90th percentile of the samples, cold"), NULL) \
  X (time_p99, "ns", MEASURED, LOWER, TIMED, N_ ("Time, 99th percentile"), \
     N_ ("99th percentile of the samples, cold"), NULL) \
  X (time_spread, "ratio", DERIVED, LOWER, TIMED, N_ ("Spread"), \
     N_ ("Interquartile range over the median, cold"), \
     N_ ("(third quartile − first quartile) ÷ median")) \
  X (time_samples, "", COUNTED, NEITHER, TIMED, N_ ("Samples"), \
     N_ ("Number of cold samples"), NULL) \
  X (rounds, "", COUNTED, NEITHER, TIMED, N_ ("Rounds"), \
     N_ ("Rounds of samples, each in a fresh process; the intervals of one round hold within this process"), NULL) \
  X (time_between, "ratio", DERIVED, LOWER, TIMED, N_ ("Spread between rounds"), \
     N_ ("Standard deviation of the rounds' medians over the time, cold"), \
     N_ ("standard deviation of the rounds' medians ÷ time")) \
  X (time_hot, "ns", MEASURED, LOWER, TIMED, N_ ("Time, hot"), \
     N_ ("Median of one run inside a batch of back-to-back runs; caches are warm"), \
     N_ ("median over batches of (span of the batch ÷ runs in it)")) \
  X (time_hot_low, "ns", MEASURED, LOWER, TIMED, N_ ("Time, hot, low"), /* xgettext:no-c-format */ \
     N_ ("Lower end of the 95 % confidence interval of the median, hot"), NULL) \
  X (time_hot_high, "ns", MEASURED, LOWER, TIMED, N_ ("Time, hot, high"), /* xgettext:no-c-format */ \
     N_ ("Upper end of the 95 % confidence interval of the median, hot"), NULL) \
  X (time_hot_spread, "ratio", DERIVED, LOWER, TIMED, N_ ("Spread, hot"), \
     N_ ("Interquartile range over the median, hot"), \
     N_ ("(third quartile − first quartile) ÷ median")) \
  X (time_hot_samples, "", COUNTED, NEITHER, TIMED, N_ ("Samples, hot"), \
     N_ ("Number of hot samples"), NULL) \
  X (time_hot_between, "ratio", DERIVED, LOWER, TIMED, N_ ("Spread between rounds, hot"), \
     N_ ("Standard deviation of the rounds' medians over the time, hot"), \
     N_ ("standard deviation of the rounds' medians ÷ time")) \
  X (bandwidth, "B/s", DERIVED, HIGHER, TIMED, N_ ("Bandwidth"), \
     N_ ("The kernel file's Bytes formula over the cold time"), \
     N_ ("Bytes ÷ time")) \
  X (flop_rate, "FLOP/s", DERIVED, HIGHER, TIMED, N_ ("Arithmetic rate"), \
     N_ ("The kernel file's Flops formula over the cold time"), \
     N_ ("Flops ÷ time")) \
  X (intensity, "FLOP/B", DERIVED, NEITHER, SAME, N_ ("Arithmetic intensity"), \
     N_ ("The kernel file's Flops formula over its Bytes formula"), \
     N_ ("Flops ÷ Bytes")) \
  X (time_per_element, "ns", DERIVED, LOWER, TIMED, N_ ("Time per element"), \
     N_ ("Cold time over the kernel file's Elements formula, or else over the elements of its longest buffer"), \
     N_ ("time ÷ Elements")) \
  X (of_ceiling, "ratio", DERIVED, HIGHER, TIMED, N_ ("Share of the limit"), \
     N_ ("Rate divided by the device's own measured limit, of the kind that the kernel file names"), \
     N_ ("bandwidth or arithmetic rate ÷ the device's measured limit")) \
  X (cycles, "cycles", MEASURED, LOWER, TIMED, N_ ("Cycles"), \
     N_ ("Cycles that the kernel measured itself with the multiprocessor's clock, over the kernel file's Per formula; median of what it wrote"), \
     N_ ("median of the clock's differences ÷ Per")) \
  X (sm_clock, "Hz", MEASURED, NEITHER, TIMED, N_ ("SM clock"), \
     N_ ("Median clock of the multiprocessors around the cold samples"), NULL) \
  X (sm_clock_hot, "Hz", MEASURED, NEITHER, TIMED, N_ ("SM clock, hot"), \
     N_ ("Median clock of the multiprocessors around the hot samples"), NULL) \
  X (throttled, "", COUNTED, LOWER, TIMED, N_ ("Throttled samples"), \
     N_ ("Samples during which the clock was under three quarters of the highest"), NULL) \
  X (throttle_waits, "", COUNTED, LOWER, TIMED, N_ ("Waits for the clock"), \
     N_ ("Times that sampling waited and started over, because more than a tenth of the samples were throttled"), NULL) \
  X (predicted_time, "ns", PREDICTED, LOWER, SAME, N_ ("Predicted time"), \
     N_ ("Time of one run with a cold L2 cache, predicted by the model; the kernel did not run on the chip"), NULL) \
  X (shared_wavefronts, "", COUNTED, LOWER, SAME, N_ ("Shared wavefronts"), \
     N_ ("Wavefronts of shared memory, counted by the emulator's bank model"), NULL) \
  X (excess_wavefronts, "", COUNTED, LOWER, SAME, N_ ("Excess wavefronts"), \
     N_ ("Wavefronts of shared memory that bank conflicts add, counted by the emulator's bank model"), \
     N_ ("wavefronts − wavefronts of the same accesses without conflicts")) \
  X (remote_sectors, "", COUNTED, LOWER, SAME, N_ ("Remote sectors"), \
     N_ ("Sectors of 32 bytes of other blocks' shared memory that accesses of a cluster's warps take, counted by the emulator's bank model"), NULL) \
  X (conflict_ways, "", DERIVED, LOWER, SAME, N_ ("Ways of bank conflicts"), \
     N_ ("Wavefronts of a shared-memory access over its wavefronts without a conflict, mean over all accesses"), \
     N_ ("wavefronts ÷ (wavefronts − excess wavefronts)")) \
  X (global_sectors, "", COUNTED, LOWER, SAME, N_ ("Global sectors"), \
     N_ ("Sectors of 32 bytes of global memory that warps requested, each counted once per request, counted by the emulator"), NULL) \
  X (sectors_per_request, "", COUNTED, LOWER, SAME, N_ ("Sectors per request"), \
     N_ ("Global sectors over the accesses of warps to global memory, counted by the emulator"), \
     N_ ("global sectors ÷ accesses of warps to global memory")) \
  X (global_loads, "", COUNTED, LOWER, SAME, N_ ("Global loads"), \
     N_ ("Elements that lanes loaded from global memory, counted by the emulator; of copies to shared memory, words of 32 bits"), NULL) \
  X (flops, "", COUNTED, NEITHER, SAME, N_ ("Floating-point operations"), \
     N_ ("Additions, multiplications, divisions and functions of lanes in floating point, counted by the emulator; a multiply-add is two"), NULL) \
  X (flops_per_load, "", COUNTED, HIGHER, SAME, N_ ("Operations per load"), \
     N_ ("Floating-point operations over elements loaded from global memory, counted by the emulator"), \
     N_ ("floating-point operations ÷ elements loaded from global memory")) \
  X (instructions, "", COUNTED, LOWER, SAME, N_ ("Instructions"), \
     N_ ("PTX instructions that warps executed, counted by the emulator"), NULL) \
  X (lanes_active, "ratio", COUNTED, HIGHER, SAME, N_ ("Active lanes"), \
     N_ ("Lanes that took part in an instruction over the 32 of a warp, mean over all instructions, counted by the emulator"), \
     N_ ("lanes that took part ÷ (32 × instructions)")) \
  X (divergent_branches, "", COUNTED, LOWER, SAME, N_ ("Divergent branches"), \
     N_ ("Times that a branch split a warp, counted by the emulator"), NULL) \
  X (barriers, "", COUNTED, NEITHER, SAME, N_ ("Barrier arrivals"), \
     N_ ("Times that a warp arrived at a barrier of its block, counted by the emulator"), NULL) \
  X (l1_hit_rate, "ratio", PREDICTED, HIGHER, SAME, N_ ("L1 hit rate"), \
     N_ ("Share of the requested sectors of global and local memory that hit in L1, by the cache model"), \
     N_ ("sectors that hit L1 ÷ sectors requested from it")) \
  X (l2_sectors, "", PREDICTED, LOWER, SAME, N_ ("L2 sectors"), \
     N_ ("Sectors of 32 bytes that multiprocessors read, write or change atomically in L2, by the cache model"), \
     N_ ("sectors read + sectors written + sectors of atomic operations")) \
  X (l2_hit_rate, "ratio", PREDICTED, HIGHER, SAME, N_ ("L2 hit rate"), \
     N_ ("Share of the L2 sectors that need no access to memory, by the cache model"), \
     N_ ("L2 sectors that need nothing from memory ÷ L2 sectors")) \
  X (dram_bytes, "B", PREDICTED, LOWER, SAME, N_ ("Memory traffic"), \
     N_ ("Bytes read from and written to memory, by the cache model"), \
     N_ ("bytes read + bytes written")) \
  X (findings, "", COUNTED, LOWER, SAME, N_ ("Findings"), \
     N_ ("Findings of the emulator, without bank conflicts"), NULL) \
  X (blocks_run, "", COUNTED, NEITHER, SAME, N_ ("Blocks run"), \
     N_ ("Blocks that the emulator ran, over all launches; the other counts are of these"), NULL) \
  X (slots_fp32, "", DERIVED, LOWER, SAME, N_ ("Slots, single precision"), \
     N_ ("Issue slots of single precision, estimated from the PTX that the emulator counted, of all blocks"), \
     N_ ("sum of executed PTX instructions × slots of the pipe that ptxas makes of each")) \
  X (slots_imad, "", DERIVED, LOWER, SAME, N_ ("Slots, integer multiplication"), \
     N_ ("Issue slots of integer multiplication, estimated from the PTX that the emulator counted, of all blocks"), \
     N_ ("sum of executed PTX instructions × slots of the pipe that ptxas makes of each")) \
  X (slots_alu, "", DERIVED, LOWER, SAME, N_ ("Slots, integer"), \
     N_ ("Issue slots of integer arithmetic, logic and moves, estimated from the PTX that the emulator counted, of all blocks"), \
     N_ ("sum of executed PTX instructions × slots of the pipe that ptxas makes of each")) \
  X (slots_half, "", DERIVED, LOWER, SAME, N_ ("Slots, half precision"), \
     N_ ("Issue slots of half precision, estimated from the PTX that the emulator counted, of all blocks"), \
     N_ ("sum of executed PTX instructions × slots of the pipe that ptxas makes of each")) \
  X (slots_fp64, "", DERIVED, LOWER, SAME, N_ ("Slots, double precision"), \
     N_ ("Issue slots of double precision, estimated from the PTX that the emulator counted, of all blocks"), \
     N_ ("sum of executed PTX instructions × slots of the pipe that ptxas makes of each")) \
  X (slots_mufu, "", DERIVED, LOWER, SAME, N_ ("Slots, special functions"), \
     N_ ("Issue slots of special functions and conversions, estimated from the PTX that the emulator counted, of all blocks"), \
     N_ ("sum of executed PTX instructions × slots of the pipe that ptxas makes of each")) \
  X (slots_lsu, "", DERIVED, LOWER, SAME, N_ ("Slots, load and store"), \
     N_ ("Issue slots of loads, stores and shuffles, estimated from the PTX that the emulator counted, of all blocks"), \
     N_ ("sum of executed PTX instructions × slots of the pipe that ptxas makes of each")) \
  X (slots_tensor, "", DERIVED, LOWER, SAME, N_ ("Slots, tensor"), \
     N_ ("Products of 16 × 8 by 8 × 16 words that the emulator counted, of all blocks; they take no issue slots of their own"), \
     N_ ("sum of executed PTX instructions × slots of the pipe that ptxas makes of each")) \
  X (slots_control, "", DERIVED, LOWER, SAME, N_ ("Slots, control"), \
     N_ ("Issue slots of branches, barriers, exits and products of matrices, estimated from the PTX that the emulator counted, of all blocks"), \
     N_ ("sum of executed PTX instructions × slots of the pipe that ptxas makes of each")) \
  X (global_lines, "", COUNTED, LOWER, SAME, N_ ("Global lines"), \
     N_ ("L1 cycles spent on global accesses: 128 bytes each, of one line or of two in different banks, of all blocks"), NULL) \
  X (constant_accesses, "", COUNTED, LOWER, SAME, N_ ("Constant accesses"), \
     N_ ("Accesses of warps to constant memory and to parameters, of all blocks"), NULL) \
  X (atomic_operations, "", COUNTED, LOWER, SAME, N_ ("Atomic operations"), \
     N_ ("Atomic operations of lanes on global memory, of all blocks"), NULL) \
  X (atomic_addresses, "", COUNTED, NEITHER, SAME, N_ ("Atomic addresses"), \
     N_ ("Distinct addresses of the atomic operations, each counted once per request, of all blocks"), NULL) \
  X (warps, "", COUNTED, NEITHER, SAME, N_ ("Warps"), \
     N_ ("Warps of the grid; maximum over the launches"), NULL) \
  X (sms_busy, "", COUNTED, NEITHER, SAME, N_ ("Busy multiprocessors"), \
     N_ ("Multiprocessors that get a block; maximum over the launches"), NULL) \
  X (threads_in_flight, "", COUNTED, NEITHER, SAME, N_ ("Threads in flight"), \
     N_ ("Threads that are resident on the whole chip at once; maximum over the launches"), NULL) \
  X (waves, "", DERIVED, NEITHER, SAME, N_ ("Waves"), \
     N_ ("Blocks of the grid over those that are resident on the whole chip at once; maximum over the launches"), \
     N_ ("blocks ÷ (blocks per multiprocessor × multiprocessors)")) \
  X (tail, "ratio", DERIVED, NEITHER, SAME, N_ ("Tail"), \
     N_ ("Share of the last wave that stays empty, of the launch with most waves"), \
     N_ ("1 − waves ÷ waves rounded up")) \
  X (limiter, "limit", DERIVED, NEITHER, SAME, N_ ("Limiter"), \
     N_ ("The cell's limit, by cured explain"), \
     N_ ("the resource with the highest share of what the chip's rate allows")) \
  X (limiter_share, "ratio", DERIVED, NEITHER, SAME, N_ ("Busiest resource"), \
     N_ ("Share of the time that the busiest resource needs, by cured explain"), \
     N_ ("work ÷ (rate × time), the greatest")) \
  X (limiter_next, "limit", DERIVED, NEITHER, SAME, N_ ("Next limit"), \
     N_ ("The second busiest resource, by cured explain"), \
     N_ ("the resource of the second greatest work ÷ (rate × time)")) \
  X (limiter_next_share, "ratio", DERIVED, NEITHER, SAME, N_ ("Next limit's share"), \
     N_ ("Share of the time that the next limit needs, by cured explain"), \
     N_ ("work ÷ (rate × time), the second greatest")) \
  X (sampled_excess, "", DERIVED, LOWER, SAME, N_ ("Excess wavefronts, sampled"), \
     N_ ("Wavefronts of shared memory that bank conflicts add, by cured explain: counted in some of the blocks, for all of them"), \
     N_ ("wavefronts − wavefronts without a conflict, scaled up to all blocks")) \
  X (bytes_in_flight, "B", DERIVED, NEITHER, SAME, N_ ("Bytes in flight"), \
     N_ ("Bytes that loads of the whole chip have requested at a time, before warps wait for them, by cured explain; of the launch that executed most"), \
     N_ ("threads in flight × bytes that the machine code of a thread requests before it waits")) \
  X (occupancy, "ratio", DERIVED, NEITHER, SAME, N_ ("Theoretical occupancy"), \
     N_ ("Resident warps over the maximum that a multiprocessor holds; minimum over the launches"), \
     N_ ("resident warps ÷ the maximum that a multiprocessor holds")) \
  X (blocks_per_sm, "", COUNTED, NEITHER, SAME, N_ ("Blocks per multiprocessor"), \
     N_ ("Resident blocks per multiprocessor; minimum over the launches"), NULL) \
  X (registers, "", COUNTED, NEITHER, SAME, N_ ("Registers"), \
     N_ ("Registers per thread; maximum over the launches"), NULL) \
  X (shared_static, "B", COUNTED, NEITHER, SAME, N_ ("Static shared memory"), \
     N_ ("Static shared memory per block; maximum over the launches"), NULL) \
  X (shared_dynamic, "B", COUNTED, NEITHER, SAME, N_ ("Dynamic shared memory"), \
     N_ ("Dynamic shared memory per block; maximum over the launches"), NULL) \
  X (local_bytes, "B", COUNTED, LOWER, SAME, N_ ("Local memory"), \
     N_ ("Local memory per thread (spills and stack); maximum over the launches"), NULL) \
  X (threads_per_block, "", COUNTED, NEITHER, SAME, N_ ("Threads per block"), \
     N_ ("Threads per block; maximum over the launches"), NULL) \
  X (grid_blocks, "", COUNTED, NEITHER, SAME, N_ ("Blocks"), \
     N_ ("Blocks in the grid; maximum over the launches"), NULL) \
  X (compile_time, "ns", MEASURED, NEITHER, TIMED, N_ ("Compile time"), \
     N_ ("Time that NVRTC took for this variant, when it was first compiled"), NULL)
/* clang-format on */

typedef enum
{
#define CURED_METRIC_ENUM(id, ...) CURED_METRIC_##id,
  CURED_METRICS (CURED_METRIC_ENUM)
#undef CURED_METRIC_ENUM
      CURED_N_METRICS
} CuredMetric;

/* The cells whose figures can be compared. */
typedef enum
{
  CURED_SCOPE_ALL,     /* all, such as for a rate or a number per access */
  CURED_SCOPE_PROBLEM, /* those of one problem: for a time, as smaller ones take less */
  CURED_SCOPE_NONE,    /* none: a count of the whole run grows with the grid */
} CuredScope;

/* A row of the table. @title, @description and @formula are untranslated; pass them through gettext
 * before showing them. */
typedef struct
{
  const char *id, *unit;
  CuredOrigin origin;
  CuredBetter better;
  gboolean is_timed;
  const char *title, *description;
  const char *formula; /* nullable */
} CuredMetricInfo;

const CuredMetricInfo *cured_metric_info (CuredMetric metric);
gboolean cured_metric_from_id (const char *id, CuredMetric *metric);
const char *cured_metric_get_formula (const char *id);
CuredScope cured_metric_get_scope (const CuredMetricInfo *info);
const char *cured_origin_to_string (CuredOrigin origin);
