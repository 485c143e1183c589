/* SPDX-License-Identifier: MIT
 * Runs a whole CUDA program with the emulator as its device. */
#pragma once

#include <gio/gio.h>

#include "ptx/cured-finding.h"

/* What is checked in launches besides bounds. */
typedef enum
{
  CURED_EXEC_CHECK,  /* races, reads of unwritten memory, and counts */
  CURED_EXEC_BANKS,  /* counts, and bank conflicts are findings */
  CURED_EXEC_COUNTS, /* counts */
} CuredExecWatch;

/* A program's progress. */
typedef struct
{
  guint64 n_launches, instructions;
  gint64 elapsed_us;
} CuredExecProgress;

typedef void (*CuredExecProgressFunc) (const CuredExecProgress *progress, gpointer user_data);

typedef struct
{
  const char *arch;     /* (nullable): of the chip, "sm_90" */
  CuredExecWatch watch; /* what is checked */
  guint first;          /* number of checked first launches per kernel and geometry; 0: all */
  /* (nullable): a glob of kernels that are checked and saved; others only run */
  const char *kernel;
  guint64 n_blocks;    /* blocks of a grid that run; 0: all */
  guint n_devices;     /* devices that the program sees; 0: one */
  gint64 limit_us;     /* time after which the program is stopped; 0: none */
  guint64 n_launches;  /* the program is stopped after about this many launches; 0: never */
  gboolean keep_going; /* an access out of bounds is only a finding, not an error for the program */
  gboolean is_quiet;   /* the program's output goes to standard error */
  /* (nullable): a folder for kernel files; those of an earlier run are replaced */
  const char *save;
  guint64 save_bytes; /* limit of these files' total size; 0: 4 GiB */
  gboolean is_gpu;    /* the program uses its GPU: launches are timed and saved, but not checked */
  CuredExecProgressFunc progress; /* (nullable): called now and then */
  gpointer progress_data;         /* for @progress */
} CuredExecOptions;

/* The launches of a kernel. */
typedef struct
{
  char *name;         /* as in the source */
  guint64 n_launches; /* launches */
  guint64 n_watched;  /* of these, those that were counted and checked */
  guint n_geometries; /* different grids and blocks */
  /* @grid, @block: of the first launch */
  guint grid[3], block[3];
  guint64 instructions; /* of warps, of all launches */
  /* @wavefronts, @least: of shared memory in checked launches, and without
   * conflicts */
  guint64 wavefronts, least;
  /* @sectors, @requests: of global memory, likewise */
  guint64 sectors, requests;
  gint64 elapsed_us; /* by the clock of this machine */
  char *path;        /* (nullable): the kernel file of the first launch that was saved */
  guint64 n_timed;   /* on a GPU, launches that were timed */
  /* @total_ns, @median_ns, @least_ns: of these, by events */
  double total_ns, median_ns, least_ns;
} CuredExecKernel;

/* The result of a program; clear with cured_exec_report_clear(). */
typedef struct
{
  GPtrArray *kernels;  /* (element-type CuredExecKernel): in the order of their first launches */
  GPtrArray *findings; /* (element-type CuredFinding) */
  GPtrArray *notes;    /* (element-type utf8): sentences about unsupported functions and the like */
  GPtrArray *leaks;    /* (element-type utf8): what was never freed */
  GPtrArray *saved;    /* (element-type utf8): files that were written */
  /* (nullable): a sentence on how close results are to a chip's; NULL: no launch was checked */
  char *fidelity;
  CuredExecProgress progress;
  int program_status;  /* exit code, or 128 and the signal's number */
  gboolean is_stopped; /* by Ctrl+C or by the limit */
} CuredExecReport;

gboolean cured_exec_run (const CuredExecOptions *options, char **argv, CuredExecReport *report,
                         GCancellable *cancellable, GError **error);
void cured_exec_report_clear (CuredExecReport *self);
char *cured_exec_progress_to_string (const CuredExecProgress *self);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (CuredExecReport, cured_exec_report_clear)
