/* SPDX-License-Identifier: MIT
 * A device: one const table of functions, whatever runs the kernels. */
#pragma once

#include <gio/gio.h>

#include "base/cured-limits.h"
#include "kernel/cured-program.h"

G_BEGIN_DECLS

typedef struct _CuredDevice CuredDevice;
typedef struct _CuredDeviceClass CuredDeviceClass;
typedef struct _CuredModule CuredModule;
typedef struct _CuredJob CuredJob;
typedef struct _CuredOutcome CuredOutcome;

/* An address in the device's memory; 0 is none. */
typedef guint64 CuredDevicePtr;

/**
 * CuredCeilings:
 *
 * What the device itself reaches, measured by Cured; NaN is not measured.
 */
typedef struct
{
  double copy_bytes_per_s; /* bytes read plus bytes written */
  double read_bytes_per_s;
  double fp32_flops; /* FLOP/s; a fused multiply-add counts as two */
  char *date;        /* ISO 8601, when they were measured; nullable */
} CuredCeilings;

/**
 * CuredCalibration:
 *
 * What the clock itself costs; see docs/measuring.md.
 */
typedef struct
{
  double cold_overhead_ns; /* taken off a span around one program */
  double resolution_ns;    /* least difference between two event spans */
} CuredCalibration;

/**
 * CuredDeviceInfo:
 *
 * Who a device is. Strings are never NULL; "" is unknown.
 */
typedef struct
{
  char *id;   /* "cuda:0", "emulator:sm_90" */
  char *kind; /* "cuda", "emulator", "fake" */
  char *name; /* "NVIDIA H200" */
  char *uuid;
  char *arch;    /* what NVRTC compiles for: "sm_90" */
  char *driver;  /* "580.159.04" */
  char *runtime; /* "CUDA 13.0" */
  char *host;
  char *compiler; /* "NVRTC 13.0" */
  CuredLimits limits;
  CuredCalibration calibration;
  CuredCeilings ceilings;
} CuredDeviceInfo;

/**
 * CuredFunctionInfo:
 *
 * What the compiler and the driver say of one entry at one launch.
 */
typedef struct
{
  int registers;
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
 * @span runs the program @runs times (1 when cold) and reports the time.
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

  void (*close) (CuredDevice *self);
};

/**
 * CuredDevice:
 *
 * The head of every implementation's own struct. @workbench belongs to the
 * measuring stage, which keeps inputs, references and compiled variants there
 * between cells.
 */
struct _CuredDevice
{
  const CuredDeviceClass *klass;
  CuredDeviceInfo info;
  gpointer workbench;
  GDestroyNotify workbench_free;
};

CuredDevice *cured_device_open (const char *id, GError **error);
const CuredDeviceInfo *cured_device_get_info (const CuredDevice *self);
void cured_device_close (CuredDevice *self);
void cured_device_info_init (CuredDeviceInfo *self);
void cured_device_info_copy (const CuredDeviceInfo *self,
                             CuredDeviceInfo *copy);
void cured_device_info_clear (CuredDeviceInfo *self);

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

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredDevice, cured_device_close)

G_END_DECLS
