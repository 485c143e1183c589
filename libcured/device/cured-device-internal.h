/* SPDX-License-Identifier: MIT
 * What a device can do: const tables of functions, each whole or not there. */
#pragma once

#include <gio/gio.h>
#include <glib.h>

#include "device/cured-device-info.h"
#include "device/cured-device.h"
#include "device/cured-devices.h"
#include "device/cured-machine-facts.h"
#include "kernel/program/cured-program.h"
#include "ptx/cured-tensor-map.h"
#include "ptx/cured-work.h"
#include "ptx/machine/cured-launch.h"

G_BEGIN_DECLS

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
 * @blocks: (nullable): the blocks that run, as cured_block_set_check() takes them; NULL: all
 * @seed: of the sample of blocks
 * @deadline_us: on g_get_monotonic_time()'s clock, after which runs end with
 *   CURED_ERROR_TIMED_OUT; 0: none
 * @cpu_limit_ms: of a launch, as in #CuredLaunch
 * @cancellable: (nullable): ends runs with G_IO_ERROR_CANCELLED
 * @max_instructions: of warps, that a launch may take; 0: no limit
 * @bank_arch: the banks that are counted
 * @trace: (nullable): called for each access, by one thread at a time
 * @trace_data: for @trace
 * @caches: (nullable): as of #CuredLaunch
 * @resident_blocks: likewise
 * @is_counting: likewise
 * @turn: likewise
 * @first_instructions: likewise
 * @block_list: (nullable) (array length=n_block_list): the blocks that run, where they are not
 *   @blocks
 *
 * How a device that emulates runs kernels.
 */
typedef struct
{
  guint watch;
  guint64 shuffle;
  const char *blocks;
  guint64 seed;
  gint64 deadline_us, cpu_limit_ms;
  GCancellable *cancellable;
  guint64 max_instructions;
  CuredBankArch bank_arch;
  CuredTraceFunc trace;
  gpointer trace_data;
  CuredCaches *caches;
  guint resident_blocks;
  gboolean is_counting;
  guint turn;
  guint64 first_instructions;
  const guint64 *block_list;
  gsize n_block_list;
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
 * @loads: elements that lanes loaded from global memory
 * @flops: floating-point operations of lanes
 * @work: (nullable): of the launches, scaled up where only some blocks ran
 * @findings: (element-type CuredFinding): the same one of several launches is one
 * @output: (nullable): what the kernels printed
 *
 * What a device that emulates counted; _cured_counts_clear() it.
 */
typedef struct
{
  guint64 blocks, instructions, lane_instructions, diverged, barriers, wavefronts, least, remote;
  guint64 requests, sectors, loads, flops;
  CuredWorkload *work;
  GPtrArray *findings;
  char *output;
} CuredCounts;

void _cured_counts_clear (CuredCounts *self);
gboolean _cured_constant_check (const CuredProgramBuffer *buffer, gsize size, GError **error);

/**
 * CuredLaunchClass: a device of this process, which runs kernels.
 * @load: @image is what the compiler made for the device's arch: a cubin, or PTX; NULL where the
 *   device's arch is "", which needs no compiler
 * @find_variable: where a variable of the source, by its name there, begins, and its size in bytes
 * @run: runs the program once, with the steps that are not timed; @bindings gives each of its
 *   buffers' address
 *
 * All block, and none may be called by two threads at once for one device. A function that fails
 * with %CURED_ERROR_STICKY leaves a device that can only be closed.
 */
typedef struct
{
  CuredModule *(*load) (CuredDevice *self, GBytes *image, GError **error);
  void (*unload) (CuredDevice *self, CuredModule *module);
  gboolean (*query) (CuredDevice *self, CuredModule *module, const CuredProgramStep *step,
                     CuredFunctionInfo *info, GError **error);

  gboolean (*find_variable) (CuredDevice *self, CuredModule *module, const char *name,
                             CuredDevicePtr *address, gsize *size, GError **error);

  gboolean (*allocate) (CuredDevice *self, gsize size, CuredDevicePtr *address, GError **error);
  void (*release) (CuredDevice *self, CuredDevicePtr address);
  gboolean (*upload) (CuredDevice *self, CuredDevicePtr to, const void *from, gsize size,
                      GError **error);
  gboolean (*download) (CuredDevice *self, void *to, CuredDevicePtr from, gsize size,
                        GError **error);
  gboolean (*copy) (CuredDevice *self, CuredDevicePtr to, CuredDevicePtr from, gsize size,
                    GError **error);
  gboolean (*set) (CuredDevice *self, CuredDevicePtr to, guint8 value, gsize size, GError **error);

  gboolean (*run) (CuredDevice *self, CuredModule *module, const CuredProgram *program,
                   const CuredDevicePtr *bindings, GError **error);
} CuredLaunchClass;

/**
 * CuredEmulatorClass: what only a device that emulates can do.
 * @emulate: says how @run runs from here on; what @emulation points to has to last as long
 * @label: says what lies where: @name and @element_bytes are what findings call it by; only these
 *   bytes of the allocation may be touched from here on; and with @is_undefined they are not
 *   written yet
 * @get_binary_arch: what the chip's own code is compiled for: "sm_90"
 * @annotate: tells what that code, made of the same source, needs; @query is exact only after it
 * @collect: takes what was counted since the last call, also by a run that failed
 */
typedef struct
{
  void (*emulate) (CuredDevice *self, const CuredEmulation *emulation);
  void (*label) (CuredDevice *self, CuredDevicePtr address, gsize size, const char *name,
                 gsize element_bytes, gboolean is_undefined);
  const char *(*get_binary_arch) (CuredDevice *self);
  void (*annotate) (CuredDevice *self, CuredModule *module, GBytes *binary);
  void (*collect) (CuredDevice *self, CuredCounts *counts);
} CuredEmulatorClass;

/**
 * CuredDeviceClass:
 * @launch: (nullable): NULL: the device measures whole cells elsewhere, and its
 *   class is the head of the measuring stage's #CuredCellClass
 * @span: (nullable): runs the program @runs times (1 when cold) and reports the
 *   time; steps that run before each run are outside of it, and a program that
 *   has such is run once a span; NULL where cured_device_has_time() is %FALSE, or @launch is NULL
 * @emulator: (nullable): NULL where a chip runs the kernels
 * @get_machine: (nullable): of a device that runs nothing and predicts times:
 *   the chip that it represents; then @launch is NULL
 * @close: frees the device
 */
typedef struct
{
  const CuredLaunchClass *launch;
  gboolean (*span) (CuredDevice *self, CuredModule *module, const CuredProgram *program,
                    const CuredDevicePtr *bindings, CuredTimingMode mode, guint runs,
                    CuredSpan *span, GError **error);
  const CuredEmulatorClass *emulator;
  const CuredMachine *(*get_machine) (const CuredDevice *self);
  void (*close) (CuredDevice *self);
} CuredDeviceClass;

/**
 * CuredDevice:
 *
 * The head of every implementation's own struct. @workbench belongs to the measuring stage, which
 * keeps inputs, references and compiled variants there between cells, or in what it has in common
 * with others, its @share; it also finds out that the device @stays_slow, so that to wait for its
 * clock is in vain, and remembers when the last sample was taken.
 */
struct _CuredDevice
{
  const CuredDeviceClass *klass;
  CuredDeviceInfo info;
  gboolean stays_slow;
  gint64 last_sample_us;
  struct _CuredShare *share; /* (nullable) (transfer none): before it measures */
  gpointer workbench;
  GDestroyNotify workbench_free;
};

GStrv _cured_machine_list_folders (void);
gboolean _cured_cubin_read_usage (GBytes *cubin, const char *entry, int *registers,
                                  gsize *stack_bytes, GError **error);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (CuredCounts, _cured_counts_clear)

/* ---- Device info ---- */

void cured_device_fact_set_number (const CuredDeviceFact *self, CuredDeviceInfo *of, double number);
void cured_device_fact_set_text (const CuredDeviceFact *self, CuredDeviceInfo *of,
                                 const char *text);

char *cured_device_describe_sharing (const char *name);

/* ---- Devices ---- */

void _cured_device_load (const char *id);
void cured_device_list_chips (GPtrArray *list);

/* ---- Driver library ---- */

void *_cured_driver_library_open (const char *name, const char *beside);

/* ---- Driver tensor ---- */

gboolean _cured_driver_encode_tensor_map (const CuredTensorShape *shape, guint64 address,
                                          guint8 object[CURED_TENSOR_MAP_BYTES], GError **error);

G_END_DECLS
