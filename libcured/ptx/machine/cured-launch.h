/* SPDX-License-Identifier: MIT
 * A launch on the emulator and what it reports. */
#pragma once

#include "base/cured-limits.h"
#include "bank/cured-bank-model.h"
#include "ptx/cured-finding.h"
#include "ptx/cured-ptx-module.h"
#include "ptx/cured-cache-traffic.h"
#include "ptx/machine/cured-memory.h"

/* What an instruction does to memory. */
typedef enum
{
  CURED_ACCESS_LOAD,
  CURED_ACCESS_STORE,
  CURED_ACCESS_ATOMIC,    /* whose result may be used */
  CURED_ACCESS_REDUCTION, /* without a result */
  CURED_ACCESS_LDMATRIX,
  CURED_ACCESS_STMATRIX,
  CURED_ACCESS_COPY, /* cp.async's write to shared memory */
} CuredAccessKind;

/* One access of one warp, as observers receive it. */
typedef struct
{
  guint site; /* index of the instruction; cured_ptx_module_get_place() gives its place */
  /* shared memory (addresses count from the block's first byte), or else global memory */
  gboolean is_shared;
  gboolean is_remote;    /* the shared memory of another block of the cluster */
  CuredAccessKind kind;  /* the kind of access */
  guint width;           /* bytes per lane */
  guint64 block;         /* linear index of the block */
  guint warp;            /* of the block */
  guint32 mask;          /* participating lanes */
  guint64 addresses[32]; /* of the lanes in @mask */
} CuredTraced;

typedef void (*CuredTraceFunc) (const CuredTraced *access, gpointer user_data);

/* The caches of a chip, with their contents. */
typedef struct _CuredCaches CuredCaches;

typedef struct _CuredTexture CuredTexture;

/* What a launch watches in addition to bounds, alignment, barriers and deadlocks, which are always
 * watched. */
typedef enum
{
  CURED_WATCH_COUNTS = 1 << 0,    /* instructions, wavefronts, sectors per site */
  CURED_WATCH_RACES = 1 << 1,     /* shared and global memory */
  CURED_WATCH_UNDEFINED = 1 << 2, /* uninitialized reads, unwritten outputs */
  /* with CURED_WATCH_COUNTS, data that a block loads again; in a chip's order, also data that
   * another block has loaded */
  CURED_WATCH_REUSE = 1 << 4,
} CuredWatch;

/* Counts of one instruction in a launch. */
typedef struct
{
  guint64 issued;          /* warps that executed it */
  guint64 lanes;           /* lanes that executed it */
  guint64 diverged;        /* of a branch: warps that diverged there */
  guint64 requests;        /* of a memory instruction: accesses of warps with an active lane */
  guint64 shared_requests; /* of those, the ones to shared memory */
  guint64 wavefronts;      /* of shared memory, by the bank model */
  guint64 least;           /* wavefronts that the same lanes would need without conflicts */
  guint64 remote;          /* of another block's shared memory, remote sectors, by the bank model */
  guint64 remote_least;    /* remote sectors if the same lanes accessed consecutive addresses */
  /* 128-byte lines that loads of another block's shared memory request */
  guint64 remote_requests;
  guint64 sectors; /* of global memory: 32-byte sectors, each counted once per request */
  /* passes of L1 that they take: 128 bytes each, from one line, or from two whose bytes are in
   * different banks */
  guint64 lines;
  guint64 partial;        /* stored sectors of which only some bytes were stored */
  guint64 local_requests; /* of @requests, those to local memory */
  guint64 local_sectors;  /* sectors of local memory, where the words of 32 lanes are adjacent */
  /* of atomic operations on global memory: distinct addresses, each counted once per request; of
   * constant memory likewise */
  guint64 addresses;
  guint64 constants; /* accesses of warps to constant memory; not among @requests */
} CuredSiteCounts;

/* Traffic of a launch with one allocation. */
typedef struct
{
  char *name;    /* (nullable): of the buffer */
  guint64 bytes; /* that kernels may access */
  guint64 read;  /* sectors of loads, each counted once per request */
  /* sectors of loads through L1, each counted once per block, and all of those that bypass it;
   * equal to @read if reuse was not watched */
  guint64 once;
  guint64 by_block; /* sectors of loads, each counted once per block */
  /* sectors of loads, each counted once; both only if blocks ran in a chip's order and reuse was
   * watched */
  guint64 by_all;
  guint64 by_pair; /* likewise, each counted once for blocks 0 and 1, for 2 and 3, … */
  guint64 written; /* sectors of stores and atomic operations */
} CuredRegionCounts;

/* How a launch ended. */
typedef enum
{
  CURED_END_DONE,
  CURED_END_TIMED_OUT, /* instructions or time; see the report's text */
  CURED_END_TRAPPED,   /* trap, assert, or an access that is fatal on every device */
  CURED_END_DEADLOCK,
} CuredEnd;

/* What to run, and how. */
typedef struct
{
  CuredPtxModule *module; /* parsed and linked with @memory */
  CuredMemory *memory;    /* global memory */
  const char *entry;      /* name of the kernel */
  /* (nullable): the CUDA code, so that findings can use the elements that it declares */
  const char *source;
  /* @grid, @block: dimensions, none of them 0 */
  guint grid[3], block[3];
  guint cluster[3]; /* blocks per cluster; [0] 0: as the kernel requires, or no cluster */
  gboolean
      is_cooperative; /* all blocks are resident at once, and a barrier of the whole grid works */
  gsize shared_bytes; /* dynamic shared memory */
  const void *parameters; /* the parameter block */
  gsize parameters_bytes;
  /* (nullable) (array length=n_textures): textures over linear memory; handles are
   * CURED_TEXTURE_HANDLE plus their index */
  const CuredTexture *textures;
  gsize n_textures;
  /* (nullable): of the emulated device; only `sms`, `max_blocks_per_sm` and the like are used here:
   * the device checks the launch */
  const CuredLimits *limits;
  guint watch;              /* #CuredWatch */
  CuredBankArch bank_arch;  /* the banks */
  guint threads;            /* host threads; 0: one per processor */
  guint64 seed;             /* order of blocks and warps; 0: the natural one */
  guint64 max_instructions; /* warp instructions of the grid; 0: no cap */
  gint64 time_limit_ms;     /* of wall time; 0: none */
  gint64 cpu_limit_ms;      /* of processor time per host thread; 0: none */
  /* (nullable) (array length=n_blocks): linear indices of the blocks to run; NULL: all. All blocks
   * of a cluster run */
  const guint64 *blocks;
  gsize n_blocks;
  gsize stack_bytes; /* local memory per thread; 0: as much as needed, at most 64 KiB */
  /* (nullable): called for each access to shared or global memory, by one thread at a time */
  CuredTraceFunc trace;
  gpointer trace_data;      /* for @trace */
  gboolean is_trace_global; /* @trace is called for accesses to global memory only */
  CuredCaches *caches;      /* (nullable): caches that accesses go through, reset for this launch */
  /* blocks that a multiprocessor holds at once. With this, or with @caches, one host thread runs
   * the blocks in a chip's order, a few instructions of each warp in turn, and skips data on
   * which neither control flow nor an address depends: the outputs are not valid, and apart from
   * caches only CURED_WATCH_REUSE is available */
  guint resident_blocks;
  /* matrix products are skipped if neither control flow nor an address depends on them: the outputs
   * are not valid */
  gboolean is_counting;
  /* in a chip's order: instructions of a warp per turn; 0: the default */
  guint turn;
  /* in a chip's order: warp instructions per block. Blocks run one after the other, each until it
   * has executed that many; 0: all of them in turn, to their ends */
  guint64 first_instructions;
} CuredLaunch;

/* Results of a launch; clear with cured_report_clear(). */
typedef struct
{
  CuredEnd end;   /* how it ended */
  char *end_text; /* (nullable): why it did not end normally, and where each warp was waiting */
  guint64 instructions;      /* of warps */
  guint64 lane_instructions; /* of lanes */
  CuredSiteCounts *counts;   /* (array): one per site of the module, if requested */
  guint n_counts;
  guint64 barriers;     /* arrivals of warps at a block's barrier */
  guint64 n_blocks_run; /* blocks that ran */
  double squares;       /* sum over blocks of the squared number of warp instructions */
  guint64 longest;      /* instructions of the warp that executed the most */
  /* atomic operations on the global address that had the most; an address that several blocks use
   * counts as if all blocks of the grid used it */
  double hottest;
  /* (array): allocations that were accessed, if counts were requested */
  CuredRegionCounts *regions;
  guint n_regions;
  GPtrArray *findings; /* (element-type CuredFinding) */
  GString *output;     /* (nullable): printed output */
  /* (nullable) (array length=n_traffic): one per site of the module, if the launch had caches */
  CuredCacheTraffic *traffic;
  guint n_traffic;
  gboolean is_data_needed; /* with caches: flow or addresses depended on global memory */
} CuredReport;

void cured_report_clear (CuredReport *self);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (CuredReport, cured_report_clear)
