/* SPDX-License-Identifier: MIT
 * Runs a whole CUDA program with the emulator as its device. */
#pragma once

#include <gio/gio.h>

#include "ptx/cured-finding.h"

G_BEGIN_DECLS

/**
 * CuredExecWatch: what launches keep an eye on beyond bounds.
 * @CURED_EXEC_CHECK: races, reads of unwritten memory, and counts
 * @CURED_EXEC_BANKS: counts, and bank conflicts are findings
 * @CURED_EXEC_COUNTS: counts
 */
typedef enum
{
  CURED_EXEC_CHECK,
  CURED_EXEC_BANKS,
  CURED_EXEC_COUNTS,
} CuredExecWatch;

/**
 * CuredExecProgress: how far a program is.
 */
typedef struct
{
  guint64 n_launches;
  guint64 instructions;
  gint64 elapsed_us;
} CuredExecProgress;

typedef void (*CuredExecProgressFunc) (const CuredExecProgress *progress, gpointer user_data);

/**
 * CuredExecOptions:
 * @arch: (nullable): of the chip, "sm_90"
 * @watch: what is looked at
 * @first: launches of a kernel and geometry that are watched; 0: all
 * @kernel: (nullable): a glob of kernels that are watched and saved; the others only run
 * @n_blocks: blocks of a grid that run; 0: all
 * @n_devices: that the program sees; 0: one
 * @limit_us: after which the program is stopped; 0: none
 * @n_launches: the program is stopped after about this many launches; 0: never
 * @keep_going: an access out of bounds is a finding and no error of the program's
 * @is_quiet: what the program prints goes to standard error
 * @save: (nullable): a folder for kernel files; those of an earlier run are replaced
 * @save_bytes: what these files may have together; 0: 4 GiB
 * @is_gpu: the program has its GPU: launches are timed and saved, and not looked at
 * @progress: (nullable): called now and then
 * @progress_data: for @progress
 */
typedef struct
{
  const char *arch;
  CuredExecWatch watch;
  guint first;
  const char *kernel;
  guint64 n_blocks;
  guint n_devices;
  gint64 limit_us;
  guint64 n_launches;
  gboolean keep_going;
  gboolean is_quiet;
  const char *save;
  guint64 save_bytes;
  gboolean is_gpu;
  CuredExecProgressFunc progress;
  gpointer progress_data;
} CuredExecOptions;

/**
 * CuredExecKernel: what all launches of a kernel did.
 * @name: as the source has it
 * @n_launches: launches
 * @n_watched: of these, those that were counted and looked at
 * @n_geometries: different grids and blocks
 * @grid, @block: of the first launch
 * @instructions: of warps, of all launches
 * @wavefronts, @least: of shared memory, of the launches that were watched, and what they would be
 *   without a conflict
 * @sectors, @requests: of global memory, likewise
 * @elapsed_us: by the clock of this machine
 * @path: (nullable): the kernel file of the first launch that was saved
 * @n_timed: on a GPU, launches that were timed
 * @total_ns, @median_ns, @least_ns: of these, by events
 */
typedef struct
{
  char *name;
  guint64 n_launches;
  guint64 n_watched;
  guint n_geometries;
  guint grid[3];
  guint block[3];
  guint64 instructions;
  guint64 wavefronts;
  guint64 least;
  guint64 sectors;
  guint64 requests;
  gint64 elapsed_us;
  char *path;
  guint64 n_timed;
  double total_ns;
  double median_ns;
  double least_ns;
} CuredExecKernel;

/**
 * CuredExecReport: what became of a program; clear with cured_exec_report_clear().
 * @kernels: (element-type CuredExecKernel): in the order of their first launches
 * @findings: (element-type CuredFinding)
 * @notes: (element-type utf8): sentences about unsupported functions and the like
 * @leaks: (element-type utf8): what was never freed
 * @saved: (element-type utf8): files that were written
 * @fidelity: (nullable): a sentence on how near results are to a chip's; NULL: no launch was
 * watched
 * @program_status: exit code, or 128 and the signal's number
 * @is_stopped: by Ctrl+C or by the limit
 */
typedef struct
{
  GPtrArray *kernels;
  GPtrArray *findings;
  GPtrArray *notes;
  GPtrArray *leaks;
  GPtrArray *saved;
  char *fidelity;
  CuredExecProgress progress;
  int program_status;
  gboolean is_stopped;
} CuredExecReport;

gboolean cured_exec_run (const CuredExecOptions *options, char **argv, CuredExecReport *report,
                         GCancellable *cancellable, GError **error);
void cured_exec_report_clear (CuredExecReport *self);
char *cured_exec_progress_to_string (const CuredExecProgress *self);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (CuredExecReport, cured_exec_report_clear)

G_END_DECLS
