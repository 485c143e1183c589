/* SPDX-License-Identifier: MIT
 * A launch on the emulator and what it reports. */
#pragma once

#include "base/cured-limits.h"
#include "bank/cured-bank-model.h"
#include "ptx/cured-finding.h"
#include "ptx/cured-ptx-module.h"
#include "ptx/cured-cache-traffic.h"
#include "ptx/machine/cured-memory.h"

G_BEGIN_DECLS

/**
 * CuredAccessKind: what an instruction does to memory.
 * @CURED_ACCESS_COPY: cp.async's write to shared memory
 */
typedef enum
{
  CURED_ACCESS_LOAD,
  CURED_ACCESS_STORE,
  CURED_ACCESS_ATOMIC,    /* its result may be used */
  CURED_ACCESS_REDUCTION, /* it has none */
  CURED_ACCESS_LDMATRIX,
  CURED_ACCESS_STMATRIX,
  CURED_ACCESS_COPY,
} CuredAccessKind;

/**
 * CuredTraced: one access of one warp, for who watches.
 * @site: index of the instruction; cured_ptx_module_get_place() says where
 * @is_shared: shared memory (addresses count from the block's first byte), or
 *   else global memory
 * @is_remote: the shared memory of another block of the cluster
 * @kind: what is done
 * @width: bytes per lane
 * @block: linear index of the block
 * @warp: of the block
 * @mask: lanes that took part
 * @addresses: of the lanes of @mask
 */
typedef struct
{
  guint site;
  gboolean is_shared;
  gboolean is_remote;
  CuredAccessKind kind;
  guint width;
  guint64 block;
  guint warp;
  guint32 mask;
  guint64 addresses[32];
} CuredTraced;

typedef void (*CuredTraceFunc) (const CuredTraced *access, gpointer user_data);

/**
 * CuredCaches:
 *
 * The caches of a chip, and what is in them.
 */
typedef struct _CuredCaches CuredCaches;

typedef struct _CuredTexture CuredTexture;

/**
 * CuredWatch: what a launch keeps an eye on, beyond what it must.
 * @CURED_WATCH_COUNTS: instructions, wavefronts, sectors per site
 * @CURED_WATCH_RACES: shared and global memory
 * @CURED_WATCH_UNDEFINED: uninitialized reads, unwritten outputs
 * @CURED_WATCH_REUSE: with CURED_WATCH_COUNTS, what a block loads again; in the
 *   order of a chip, also what another one has loaded
 *
 * Bounds, alignment, barriers and deadlocks are always watched.
 */
typedef enum
{
  CURED_WATCH_COUNTS = 1 << 0,
  CURED_WATCH_RACES = 1 << 1,
  CURED_WATCH_UNDEFINED = 1 << 2,
  CURED_WATCH_REUSE = 1 << 4,
} CuredWatch;

/**
 * CuredSiteCounts: what one instruction did in a launch.
 * @issued: warps that executed it
 * @lanes: lanes that executed it
 * @diverged: of a branch: warps that split there
 * @requests: of a memory instruction: accesses of warps with an active lane
 * @shared_requests: of these, to shared memory
 * @wavefronts: of shared memory, by the bank model
 * @least: wavefronts that the same lanes need without a conflict
 * @remote: of another block's shared memory, remote sectors, by the bank model
 * @remote_least: remote sectors of the same lanes side by side
 * @remote_requests: lines of 128 bytes that loads of another block's shared memory ask for
 * @sectors: of global memory: 32-byte sectors, each counted once a request
 * @lines: turns of L1 that they take: 128 bytes each, of a line, or of two whose
 *   bytes are in different banks
 * @partial: of the sectors that were stored: not all of their bytes were
 * @local_requests: of @requests, to local memory
 * @local_sectors: of it, where 32 lanes' words lie side by side
 * @addresses: of atomic operations on global memory: distinct ones, each
 *   counted once a request; of constant memory likewise
 * @constants: accesses of warps to constant memory; not among @requests
 */
typedef struct
{
  guint64 issued;
  guint64 lanes;
  guint64 diverged;
  guint64 requests;
  guint64 shared_requests;
  guint64 wavefronts;
  guint64 least;
  guint64 remote;
  guint64 remote_least;
  guint64 remote_requests;
  guint64 sectors;
  guint64 lines;
  guint64 partial;
  guint64 local_requests;
  guint64 local_sectors;
  guint64 addresses;
  guint64 constants;
} CuredSiteCounts;

/**
 * CuredRegionCounts: what a launch asked of one allocation.
 * @name: (nullable): of the buffer
 * @bytes: that kernels may touch
 * @read: sectors of loads, each counted once a request
 * @written: sectors of stores and atomic operations
 * @once: sectors of loads through L1, each counted once a block, and all of
 *   those past it; as many as @read where that was not watched
 * @by_block: sectors of loads, each counted once a block
 * @by_all: sectors of loads, each counted once; both where blocks ran in the
 *   order of a chip and reuse was watched
 * @by_pair: likewise, each counted once for blocks 0 and 1, for 2 and 3, …
 */
typedef struct
{
  char *name;
  guint64 bytes;
  guint64 read;
  guint64 once;
  guint64 by_block;
  guint64 by_all;
  guint64 by_pair;
  guint64 written;
} CuredRegionCounts;

/**
 * CuredEnd: how a launch ended.
 */
typedef enum
{
  CURED_END_DONE,
  CURED_END_TIMED_OUT, /* instructions or time; see the report's text */
  CURED_END_TRAPPED,   /* trap, assert, or an access that no device survives */
  CURED_END_DEADLOCK,
} CuredEnd;

/**
 * CuredLaunch: what to run and how.
 * @module: parsed, and linked with @memory
 * @memory: global memory
 * @entry: name of the kernel
 * @source: (nullable): the CUDA code, for findings to count in the elements
 *   that it declares
 * @grid, @block: sizes; none is 0
 * @cluster: blocks of a cluster; [0] 0: as the kernel asks for, or none
 * @is_cooperative: all blocks are alive at once, and a barrier of the whole grid
 *   works
 * @shared_bytes: dynamic shared memory
 * @parameters: the parameter block
 * @textures: (nullable) (array length=n_textures): over linear memory, which
 *   their numbers behind CURED_TEXTURE_HANDLE represent
 * @limits: (nullable): of the device that is imitated; only `sms`,
 *   `max_blocks_per_sm` and the like are looked at here: who checks the launch
 *   is the device
 * @watch: #CuredWatch
 * @bank_arch: the banks
 * @threads: host threads; 0: as many as there are processors
 * @seed: order of blocks and warps; 0: the natural one
 * @max_instructions: of warps, over the grid; 0: no cap
 * @time_limit_ms: by the clock; 0: none
 * @cpu_limit_ms: of processor time, of each host thread; 0: none
 * @blocks: (nullable) (array length=n_blocks): linear indices of the blocks
 *   that run; NULL: all. Of a cluster, all blocks run
 * @stack_bytes: local memory per thread; 0: as much as it needs, at most 64 KiB
 * @trace: (nullable): called for each access to shared or global memory, by
 *   one thread at a time
 * @trace_data: for @trace
 * @is_trace_global: @trace is called for accesses to global memory alone
 * @caches: (nullable): caches that accesses go through, begun for this launch
 * @resident_blocks: that a multiprocessor holds at once. With this, or with
 *   @caches, one host thread runs the blocks in the order of a chip, a few
 *   instructions of each warp in turn, and computes no data that decides
 *   neither where a kernel goes nor what it touches: what it writes is not to
 *   be looked at, and but for caches only CURED_WATCH_REUSE watches
 * @is_counting: products of matrices are not formed whose values decide neither
 *   where a kernel goes nor what it touches: what it writes is not to be looked at
 * @turn: in the order of a chip: instructions of a warp until the next one has
 *   its turn; 0: the default
 * @first_instructions: in the order of a chip: of the warps of a block. Blocks run
 *   one after the other, each until it has had that many; 0: all of them in turn, to
 *   their ends
 */
typedef struct
{
  CuredPtxModule *module;
  CuredMemory *memory;
  const char *entry;
  const char *source;
  guint grid[3];
  guint block[3];
  guint cluster[3];
  gboolean is_cooperative;
  gsize shared_bytes;
  const void *parameters;
  gsize parameters_bytes;
  const CuredTexture *textures;
  gsize n_textures;
  const CuredLimits *limits;
  guint watch;
  CuredBankArch bank_arch;
  guint threads;
  guint64 seed;
  guint64 max_instructions;
  gint64 time_limit_ms;
  gint64 cpu_limit_ms;
  const guint64 *blocks;
  gsize n_blocks;
  gsize stack_bytes;
  CuredTraceFunc trace;
  gpointer trace_data;
  gboolean is_trace_global;
  CuredCaches *caches;
  guint resident_blocks;
  gboolean is_counting;
  guint turn;
  guint64 first_instructions;
} CuredLaunch;

/**
 * CuredReport: what a launch did; clear with cured_report_clear().
 * @end: how it ended
 * @end_text: (nullable): why, where it is not done: where each warp stood
 * @instructions: of warps
 * @lane_instructions: of lanes
 * @counts: (array): one per site of the module, where they were asked for
 * @barriers: times that a warp arrived at a block's barrier
 * @n_blocks_run: blocks that ran
 * @squares: sum over blocks of the square of their warps' instructions
 * @longest: instructions of the warp that executed most
 * @hottest: atomic operations on the global address that had most of them; an
 *   address that several blocks met counts as if all of the grid's did
 * @regions: (array): allocations that were touched, where counts were asked for
 * @findings: (element-type CuredFinding)
 * @output: (nullable): what the kernel printed
 * @traffic: (nullable) (array length=n_traffic): one per site of the module,
 *   where the launch had caches
 * @is_data_needed: where it had: contents of global memory decided something
 */
typedef struct
{
  CuredEnd end;
  char *end_text;
  guint64 instructions;
  guint64 lane_instructions;
  CuredSiteCounts *counts;
  guint n_counts;
  guint64 barriers;
  guint64 n_blocks_run;
  double squares;
  guint64 longest;
  double hottest;
  CuredRegionCounts *regions;
  guint n_regions;
  GPtrArray *findings;
  GString *output;
  CuredCacheTraffic *traffic;
  guint n_traffic;
  gboolean is_data_needed;
} CuredReport;

void cured_report_clear (CuredReport *self);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (CuredReport, cured_report_clear)

G_END_DECLS
