/* SPDX-License-Identifier: MIT
 * Runs a whole CUDA program with the emulator as its device. */
#pragma once

#include <gio/gio.h>

#include "ptx/cured-finding.h"

/* What launches keep an eye on beyond bounds. */
typedef enum
{
  CURED_EXEC_CHECK,  /* races, reads of unwritten memory, and counts */
  CURED_EXEC_BANKS,  /* counts, and bank conflicts are findings */
  CURED_EXEC_COUNTS, /* counts */
} CuredExecWatch;

/* How far a program is. */
typedef struct
{
  guint64 n_launches, instructions;
  gint64 elapsed_us;
} CuredExecProgress;

typedef void (*CuredExecProgressFunc) (const CuredExecProgress *progress, gpointer user_data);

typedef struct
{
  const char *arch;     /* (nullable): of the chip, "sm_90" */
  CuredExecWatch watch; /* what is looked at */
  guint first;          /* launches of a kernel and geometry that are watched; 0: all */
  /* (nullable): a glob of kernels that are watched and saved; the others only run */
  const char *kernel;
  guint64 n_blocks;    /* blocks of a grid that run; 0: all */
  guint n_devices;     /* that the program sees; 0: one */
  gint64 limit_us;     /* after which the program is stopped; 0: none */
  guint64 n_launches;  /* the program is stopped after about this many launches; 0: never */
  gboolean keep_going; /* an access out of bounds is a finding and no error of the program's */
  gboolean is_quiet;   /* what the program prints goes to standard error */
  /* (nullable): a folder for kernel files; those of an earlier run are replaced */
  const char *save;
  guint64 save_bytes; /* what these files may have together; 0: 4 GiB */
  gboolean is_gpu;    /* the program has its GPU: launches are timed and saved, and not looked at */
  CuredExecProgressFunc progress; /* (nullable): called now and then */
  gpointer progress_data;         /* for @progress */
} CuredExecOptions;

/* What all launches of a kernel did. */
typedef struct
{
  char *name;         /* as the source has it */
  guint64 n_launches; /* launches */
  guint64 n_watched;  /* of these, those that were counted and looked at */
  guint n_geometries; /* different grids and blocks */
  /* @grid, @block: of the first launch */
  guint grid[3], block[3];
  guint64 instructions; /* of warps, of all launches */
  /* @wavefronts, @least: of shared memory, of the launches that were watched, and what they would
   * be without a conflict */
  guint64 wavefronts, least;
  /* @sectors, @requests: of global memory, likewise */
  guint64 sectors, requests;
  gint64 elapsed_us; /* by the clock of this machine */
  char *path;        /* (nullable): the kernel file of the first launch that was saved */
  guint64 n_timed;   /* on a GPU, launches that were timed */
  /* @total_ns, @median_ns, @least_ns: of these, by events */
  double total_ns, median_ns, least_ns;
} CuredExecKernel;

/* What became of a program; clear with cured_exec_report_clear(). */
typedef struct
{
  GPtrArray *kernels;  /* (element-type CuredExecKernel): in the order of their first launches */
  GPtrArray *findings; /* (element-type CuredFinding) */
  GPtrArray *notes;    /* (element-type utf8): sentences about unsupported functions and the like */
  GPtrArray *leaks;    /* (element-type utf8): what was never freed */
  GPtrArray *saved;    /* (element-type utf8): files that were written */
  /* (nullable): a sentence on how near results are to a chip's; NULL: no launch was watched */
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
