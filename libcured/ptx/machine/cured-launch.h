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
  CURED_ACCESS_ATOMIC,    /* its result may be used */
  CURED_ACCESS_REDUCTION, /* it has none */
  CURED_ACCESS_LDMATRIX,
  CURED_ACCESS_STMATRIX,
  CURED_ACCESS_COPY, /* cp.async's write to shared memory */
} CuredAccessKind;

/* One access of one warp, as observers get it. */
typedef struct
{
  guint site; /* index of the instruction; cured_ptx_module_get_place() says where */
  /* shared memory (addresses count from the block's first byte), or else global memory */
  gboolean is_shared;
  gboolean is_remote;    /* the shared memory of another block of the cluster */
  CuredAccessKind kind;  /* what is done */
  guint width;           /* bytes per lane */
  guint64 block;         /* linear index of the block */
  guint warp;            /* of the block */
  guint32 mask;          /* lanes that took part */
  guint64 addresses[32]; /* of the lanes of @mask */
} CuredTraced;

typedef void (*CuredTraceFunc) (const CuredTraced *access, gpointer user_data);

/* The caches of a chip, and what is in them. */
typedef struct _CuredCaches CuredCaches;

typedef struct _CuredTexture CuredTexture;

/* What a launch keeps an eye on, beyond what it must.
 *
 * Bounds, alignment, barriers and deadlocks are always watched. */
typedef enum
{
  CURED_WATCH_COUNTS = 1 << 0,    /* instructions, wavefronts, sectors per site */
  CURED_WATCH_RACES = 1 << 1,     /* shared and global memory */
  CURED_WATCH_UNDEFINED = 1 << 2, /* uninitialized reads, unwritten outputs */
  /* with CURED_WATCH_COUNTS, what a block loads again; in the order of a chip, also what another
   * one has loaded */
  CURED_WATCH_REUSE = 1 << 4,
} CuredWatch;

/* What one instruction did in a launch. */
typedef struct
{
  guint64 issued;          /* warps that executed it */
  guint64 lanes;           /* lanes that executed it */
  guint64 diverged;        /* of a branch: warps that split there */
  guint64 requests;        /* of a memory instruction: accesses of warps with an active lane */
  guint64 shared_requests; /* of these, to shared memory */
  guint64 wavefronts;      /* of shared memory, by the bank model */
  guint64 least;           /* wavefronts that the same lanes need without a conflict */
  guint64 remote;          /* of another block's shared memory, remote sectors, by the bank model */
  guint64 remote_least;    /* remote sectors of the same lanes side by side */
  /* lines of 128 bytes that loads of another block's shared memory ask for */
  guint64 remote_requests;
  guint64 sectors; /* of global memory: 32-byte sectors, each counted once a request */
  /* turns of L1 that they take: 128 bytes each, of a line, or of two whose bytes are in different
   * banks */
  guint64 lines;
  guint64 partial;        /* of the sectors that were stored: not all of their bytes were */
  guint64 local_requests; /* of @requests, to local memory */
  guint64 local_sectors;  /* of it, where 32 lanes' words lie side by side */
  /* of atomic operations on global memory: distinct ones, each counted once a request; of constant
   * memory likewise */
  guint64 addresses;
  guint64 constants; /* accesses of warps to constant memory; not among @requests */
} CuredSiteCounts;

/* What a launch asked of one allocation. */
typedef struct
{
  char *name;    /* (nullable): of the buffer */
  guint64 bytes; /* that kernels may touch */
  guint64 read;  /* sectors of loads, each counted once a request */
  /* sectors of loads through L1, each counted once a block, and all of those past it; as many as
   * @read where that was not watched */
  guint64 once;
  guint64 by_block; /* sectors of loads, each counted once a block */
  /* sectors of loads, each counted once; both where blocks ran in the order of a chip and reuse was
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
  CURED_END_TRAPPED,   /* trap, assert, or an access that no device survives */
  CURED_END_DEADLOCK,
} CuredEnd;

/* What to run and how. */
typedef struct
{
  CuredPtxModule *module; /* parsed, and linked with @memory */
  CuredMemory *memory;    /* global memory */
  const char *entry;      /* name of the kernel */
  /* (nullable): the CUDA code, for findings to count in the elements that it declares */
  const char *source;
  /* @grid, @block: sizes; none is 0 */
  guint grid[3], block[3];
  guint cluster[3];        /* blocks of a cluster; [0] 0: as the kernel asks for, or none */
  gboolean is_cooperative; /* all blocks are alive at once, and a barrier of the whole grid works */
  gsize shared_bytes;      /* dynamic shared memory */
  const void *parameters;  /* the parameter block */
  gsize parameters_bytes;
  /* (nullable) (array length=n_textures): over linear memory, which their numbers behind
   * CURED_TEXTURE_HANDLE represent */
  const CuredTexture *textures;
  gsize n_textures;
  /* (nullable): of the device that is imitated; only `sms`, `max_blocks_per_sm` and the like are
   * looked at here: the device checks the launch */
  const CuredLimits *limits;
  guint watch;              /* #CuredWatch */
  CuredBankArch bank_arch;  /* the banks */
  guint threads;            /* host threads; 0: as many as there are processors */
  guint64 seed;             /* order of blocks and warps; 0: the natural one */
  guint64 max_instructions; /* of warps, over the grid; 0: no cap */
  gint64 time_limit_ms;     /* by the clock; 0: none */
  gint64 cpu_limit_ms;      /* of processor time, of each host thread; 0: none */
  /* (nullable) (array length=n_blocks): linear indices of the blocks that run; NULL: all. Of a
   * cluster, all blocks run */
  const guint64 *blocks;
  gsize n_blocks;
  gsize stack_bytes; /* local memory per thread; 0: as much as it needs, at most 64 KiB */
  /* (nullable): called for each access to shared or global memory, by one thread at a time */
  CuredTraceFunc trace;
  gpointer trace_data;      /* for @trace */
  gboolean is_trace_global; /* @trace is called for accesses to global memory alone */
  CuredCaches *caches;      /* (nullable): caches that accesses go through, begun for this launch */
  /* that a multiprocessor holds at once. With this, or with @caches, one host thread runs the
   * blocks in the order of a chip, a few instructions of each warp in turn, and computes no data
   * that decides neither where a kernel goes nor what it touches: what it writes is not to be
   * looked at, and but for caches only CURED_WATCH_REUSE watches */
  guint resident_blocks;
  /* products of matrices are not formed whose values decide neither where a kernel goes nor what it
   * touches: what it writes is not to be looked at */
  gboolean is_counting;
  /* in the order of a chip: instructions of a warp until the next one has its turn; 0: the
   * default */
  guint turn;
  /* in the order of a chip: of the warps of a block. Blocks run one after the other, each until it
   * has had that many; 0: all of them in turn, to their ends */
  guint64 first_instructions;
} CuredLaunch;

/* What a launch did; clear with cured_report_clear(). */
typedef struct
{
  CuredEnd end;              /* how it ended */
  char *end_text;            /* (nullable): why, where it is not done: where each warp stood */
  guint64 instructions;      /* of warps */
  guint64 lane_instructions; /* of lanes */
  CuredSiteCounts *counts;   /* (array): one per site of the module, where they were asked for */
  guint n_counts;
  guint64 barriers;     /* times that a warp arrived at a block's barrier */
  guint64 n_blocks_run; /* blocks that ran */
  double squares;       /* sum over blocks of the square of their warps' instructions */
  guint64 longest;      /* instructions of the warp that executed most */
  /* atomic operations on the global address that had most of them; an address that several blocks
   * met counts as if all of the grid's did */
  double hottest;
  /* (array): allocations that were touched, where counts were asked for */
  CuredRegionCounts *regions;
  guint n_regions;
  GPtrArray *findings; /* (element-type CuredFinding) */
  GString *output;     /* (nullable): what the kernel printed */
  /* (nullable) (array length=n_traffic): one per site of the module, where the launch had caches */
  CuredCacheTraffic *traffic;
  guint n_traffic;
  gboolean is_data_needed; /* where it had: contents of global memory decided something */
} CuredReport;

void cured_report_clear (CuredReport *self);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (CuredReport, cured_report_clear)
