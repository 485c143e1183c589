/* SPDX-License-Identifier: MIT
 * A device: one const table of functions, whatever runs the kernels. */
#pragma once

#include <gio/gio.h>

#include "device/cured-device-info.h"
#include "kernel/cured-program.h"
#include "ptx/cured-finding.h"

G_BEGIN_DECLS

typedef struct _CuredDevice CuredDevice;
typedef struct _CuredDeviceClass CuredDeviceClass;
typedef struct _CuredModule CuredModule;
typedef struct _CuredJob CuredJob;
typedef struct _CuredOutcome CuredOutcome;

/* An address in the device's memory; 0 is none. */
typedef guint64 CuredDevicePtr;

/**
 * CuredFunctionInfo:
 *
 * What the compiler and the driver say of one entry at one launch.
 */
typedef struct
{
  int registers; /* 0: not known */
  gsize shared_static;
  gsize local_bytes;
  int max_threads_per_block;
  int blocks_per_sm; /* resident, at the step's block size and shared memory */
} CuredFunctionInfo;

typedef enum
{
  CURED_TIMING_COLD, /* caches flushed, one run between two events */
  CURED_TIMING_HOT,  /* many runs back to back between two events */
} CuredTimingMode;

/**
 * CuredSpan:
 * @elapsed_ns: between the two events, overhead still in it
 * @runs: of the program between the two events
 * @sm_clock_hz: mean clock of the multiprocessors meanwhile; NaN: unknown
 */
typedef struct
{
  double elapsed_ns;
  guint runs;
  double sm_clock_hz;
} CuredSpan;

/**
 * CuredEmulation:
 * @watch: what to keep an eye on: #CuredWatch
 * @shuffle: seed of the order of blocks and warps; 0: the natural one
 * @blocks: (nullable): the blocks that run, as cured_block_set_check() takes
 *   them; NULL: all
 * @seed: of the sample of blocks
 * @deadline_us: on g_get_monotonic_time()'s clock, after which runs end with
 *   CURED_ERROR_TIMED_OUT; 0: none
 * @cancellable: (nullable): ends runs with G_IO_ERROR_CANCELLED
 *
 * How a device that emulates runs kernels.
 */
typedef struct
{
  guint watch;
  guint64 shuffle;
  const char *blocks;
  guint64 seed;
  gint64 deadline_us;
  GCancellable *cancellable;
} CuredEmulation;

/**
 * CuredCounts:
 * @blocks: that ran, over all launches; so are the other numbers
 * @instructions: of warps
 * @lane_instructions: of lanes
 * @diverged: times that a branch split a warp
 * @barriers: times that a warp arrived at a block's barrier
 * @wavefronts: of shared memory
 * @least: wavefronts that the same accesses need without a conflict
 * @requests: of global memory, by a warp
 * @sectors: of 32 bytes, each counted once a request
 * @findings: (element-type CuredFinding): the same one of several launches is
 *   one
 * @output: (nullable): what the kernels printed
 *
 * What a device that emulates counted; cured_counts_clear() it.
 */
typedef struct
{
  guint64 blocks;
  guint64 instructions;
  guint64 lane_instructions;
  guint64 diverged;
  guint64 barriers;
  guint64 wavefronts;
  guint64 least;
  guint64 requests;
  guint64 sectors;
  GPtrArray *findings;
  char *output;
} CuredCounts;

void cured_counts_clear (CuredCounts *self);

/**
 * CuredDeviceClass:
 *
 * @measure and @prepare are NULL in a device that runs kernels itself; the
 * other functions but @close are NULL in one that forwards whole cells to
 * another process. All but @prepare block, and none may be called by two
 * threads at once for one device. A function that
 * fails with CURED_ERROR_STICKY leaves a device on which only @close works.
 *
 * @image is what the compiler made for the device's arch: a cubin, or PTX; it
 * is NULL where the device's arch is "", which needs no compiler.
 * @bindings gives each program buffer's address.
 * @span runs the program @runs times (1 when cold) and reports the time; it is
 * NULL in a device that has no time.
 *
 * The last four are NULL in a device that does not emulate:
 * @emulate says how @run runs from here on; what @emulation points to has to
 * last as long.
 * @label says what lies where: @name and @element_bytes are what findings call
 * it by; only these bytes of the allocation may be touched from here on; and
 * with @is_undefined nobody has written them yet.
 * @annotate tells what the chip's own code, made of the same source for the
 * device's @binary_arch, needs; @query is exact only after it.
 * @collect takes what was counted since the last call, also by a run that
 * failed.
 */
struct _CuredDeviceClass
{
  const char *kind;

  CuredModule *(*load) (CuredDevice *self, GBytes *image, GError **error);
  void (*unload) (CuredDevice *self, CuredModule *module);
  gboolean (*query) (CuredDevice *self,
                     CuredModule *module,
                     const CuredProgramStep *step,
                     CuredFunctionInfo *info,
                     GError **error);

  gboolean (*allocate) (CuredDevice *self,
                        gsize size,
                        CuredDevicePtr *address,
                        GError **error);
  void (*release) (CuredDevice *self, CuredDevicePtr address);
  gboolean (*upload) (CuredDevice *self,
                      CuredDevicePtr to,
                      const void *from,
                      gsize size,
                      GError **error);
  gboolean (*download) (CuredDevice *self,
                        void *to,
                        CuredDevicePtr from,
                        gsize size,
                        GError **error);
  gboolean (*copy) (CuredDevice *self,
                    CuredDevicePtr to,
                    CuredDevicePtr from,
                    gsize size,
                    GError **error);
  gboolean (*set) (CuredDevice *self,
                   CuredDevicePtr to,
                   guint8 value,
                   gsize size,
                   GError **error);

  gboolean (*run) (CuredDevice *self,
                   CuredModule *module,
                   const CuredProgram *program,
                   const CuredDevicePtr *bindings,
                   GError **error);
  gboolean (*span) (CuredDevice *self,
                    CuredModule *module,
                    const CuredProgram *program,
                    const CuredDevicePtr *bindings,
                    CuredTimingMode mode,
                    guint runs,
                    CuredSpan *span,
                    GError **error);

  gboolean (*measure) (CuredDevice *self,
                       const CuredJob *job,
                       CuredOutcome *outcome,
                       GCancellable *cancellable,
                       GError **error);

  void (*prepare) (CuredDevice *self, const CuredJob *job);

  void (*emulate) (CuredDevice *self, const CuredEmulation *emulation);
  void (*label) (CuredDevice *self,
                 CuredDevicePtr address,
                 gsize size,
                 const char *name,
                 gsize element_bytes,
                 gboolean is_undefined);
  void (*annotate) (CuredDevice *self, CuredModule *module, GBytes *binary);
  void (*collect) (CuredDevice *self, CuredCounts *counts);

  void (*close) (CuredDevice *self);
};

/**
 * CuredDevice:
 *
 * The head of every implementation's own struct. @workbench belongs to the
 * measuring stage, which keeps inputs, references and compiled variants there
 * between cells. @binary_arch is what the chip's own code is compiled for where
 * that is not what runs: the class has @annotate then.
 */
struct _CuredDevice
{
  const CuredDeviceClass *klass;
  CuredDeviceInfo info;
  const char *binary_arch;
  gpointer workbench;
  GDestroyNotify workbench_free;
};

CuredDevice *cured_device_open (const char *id, GError **error);
gboolean cured_device_is_emulated (const char *id);
const CuredDeviceInfo *cured_device_get_info (const CuredDevice *self);
void cured_device_close (CuredDevice *self);

/**
 * CuredDeviceFound:
 * @id: "cuda:0"
 * @info: (nullable): NULL where the device can't be used
 * @reason: (nullable): why it can't, and what to do
 */
typedef struct
{
  char *id;
  CuredDeviceInfo *info;
  char *reason;
} CuredDeviceFound;

GPtrArray *cured_device_list (void);
void cured_device_list_chips (GPtrArray *list);
void cured_device_found_free (CuredDeviceFound *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredDevice, cured_device_close)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredDeviceFound, cured_device_found_free)
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (CuredCounts, cured_counts_clear)

G_END_DECLS
