/* SPDX-License-Identifier: MIT
 * The functions of devices: const tables, each of which is complete or missing. */
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

typedef struct
{
  double elapsed_ns;  /* between the two events, with overhead */
  guint runs;         /* runs of the program between the two events */
  double sm_clock_hz; /* mean clock of the multiprocessors meanwhile; NaN: unknown */
} CuredSpan;

/* How an emulating device runs kernels. */
typedef struct
{
  guint watch;     /* detectors to use: #CuredWatch */
  guint64 shuffle; /* seed of the order of blocks and warps; 0: the natural one */
  /* (nullable): the blocks that run, as cured_block_set_check() takes them; NULL: all */
  const char *blocks;
  guint64 seed; /* seed of the sample of blocks */
  /* on g_get_monotonic_time()'s clock, after which runs end with CURED_ERROR_TIMED_OUT; 0: none */
  gint64 deadline_us;
  gint64 cpu_limit_ms;        /* per launch, as in #CuredLaunch */
  GCancellable *cancellable;  /* (nullable): ends runs with G_IO_ERROR_CANCELLED */
  guint64 max_instructions;   /* limit of warp instructions of a launch; 0: none */
  CuredBankArch bank_arch;    /* the chip whose banks are counted */
  CuredTraceFunc trace;       /* (nullable): called for each access, by one thread at a time */
  gpointer trace_data;        /* for @trace */
  CuredCaches *caches;        /* (nullable): as in #CuredLaunch */
  guint resident_blocks;      /* likewise */
  gboolean is_counting;       /* likewise */
  guint turn;                 /* likewise */
  guint64 first_instructions; /* likewise */
  /* (nullable) (array length=n_block_list): the blocks that run, instead of @blocks */
  const guint64 *block_list;
  gsize n_block_list;
} CuredEmulation;

/* Counts of an emulating device; _cured_counts_clear() it. */
typedef struct
{
  guint64 blocks;            /* blocks that ran, over all launches, as for the other counts */
  guint64 instructions;      /* of warps */
  guint64 lane_instructions; /* of lanes */
  guint64 diverged;          /* times that a branch split a warp */
  guint64 barriers;          /* times that a warp arrived at a block's barrier */
  guint64 wavefronts;        /* of shared memory */
  guint64 least;             /* wavefronts that the same accesses need without a conflict */
  guint64 remote;
  guint64 requests;    /* requests of warps to global memory */
  guint64 sectors;     /* sectors of 32 bytes, each counted once per request */
  guint64 loads;       /* elements that lanes loaded from global memory */
  guint64 flops;       /* floating-point operations of lanes */
  CuredWorkload *work; /* (nullable): of the launches, scaled if only some blocks ran */
  GPtrArray *findings; /* (element-type CuredFinding): each once, even if in several launches */
  char *output;        /* (nullable): what the kernels printed */
} CuredCounts;

void _cured_counts_clear (CuredCounts *self);
gboolean _cured_constant_check (const CuredProgramBuffer *buffer, gsize size, GError **error);

/* A device of this process, which runs kernels.
 *
 * All functions block, and must not be called for one device by two threads at once. After
 * %CURED_ERROR_STICKY, a device can only be closed. */
typedef struct
{
  /* @image: the compiler's output for the device's arch: a cubin, or PTX; NULL if the device's arch
   * is "", which needs no compiler */
  CuredModule *(*load) (CuredDevice *self, GBytes *image, GError **error);
  void (*unload) (CuredDevice *self, CuredModule *module);
  gboolean (*query) (CuredDevice *self, CuredModule *module, const CuredProgramStep *step,
                     CuredFunctionInfo *info, GError **error);

  /* finds a variable by its name in the source: its address, and its size in bytes */
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

  /* runs the program once, including untimed steps; @bindings: the address of each of its
   * buffers */
  gboolean (*run) (CuredDevice *self, CuredModule *module, const CuredProgram *program,
                   const CuredDevicePtr *bindings, GError **error);
} CuredLaunchClass;

/* Functions that only emulating devices have. */
typedef struct
{
  /* sets how @run works from here on; the data of @emulation must stay valid as long */
  void (*emulate) (CuredDevice *self, const CuredEmulation *emulation);
  /* labels a buffer: findings use @name and @element_bytes; from here on, only these
   * bytes of the allocation may be accessed; with @is_undefined, they count as
   * unwritten */
  void (*label) (CuredDevice *self, CuredDevicePtr address, gsize size, const char *name,
                 gsize element_bytes, gboolean is_undefined);
  /* the arch of the chip's machine code: "sm_90" */
  const char *(*get_binary_arch) (CuredDevice *self);
  /* gives the machine code of the same source, for its resource needs; @query is exact only after
   * it */
  void (*annotate) (CuredDevice *self, CuredModule *module, GBytes *binary);
  /* takes the counts since the last call, including those of failed runs */
  void (*collect) (CuredDevice *self, CuredCounts *counts);
} CuredEmulatorClass;

typedef struct
{
  /* (nullable): NULL: the device measures whole cells in another process, and its class is the head
   * of the measuring stage's #CuredCellClass */
  const CuredLaunchClass *launch;
  /* (nullable): runs the program @runs times (1 if cold) and reports the time, without steps that
   * precede each run; a program with such steps is run once per span; NULL if
   * cured_device_has_time() is %FALSE, or @launch is NULL */
  gboolean (*span) (CuredDevice *self, CuredModule *module, const CuredProgram *program,
                    const CuredDevicePtr *bindings, CuredTimingMode mode, guint runs,
                    CuredSpan *span, GError **error);
  const CuredEmulatorClass *emulator; /* (nullable): NULL if a chip runs the kernels */
  /* (nullable): for a device that only predicts times: the chip that it represents; @launch is then
   * NULL */
  const CuredMachine *(*get_machine) (const CuredDevice *self);
  /* frees the device */
  void (*close) (CuredDevice *self);
} CuredDeviceClass;

/* The head of every implementation's own struct. @workbench belongs to the measuring stage, which
 * keeps inputs, references and compiled variants between cells there, or in @share, in common with
 * other devices; it also sets @stays_slow if waiting for the device's clock is useless, and the
 * time of the last sample. */
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
