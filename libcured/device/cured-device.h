/* SPDX-License-Identifier: MIT
 * Devices of all kinds. */
#pragma once

#include <glib.h>

#include "device/cured-device-info.h"

typedef struct _CuredDevice CuredDevice;
typedef struct _CuredModule CuredModule;

/* An address in the device's memory; 0 is none. */
typedef guint64 CuredDevicePtr;

/* Data of compiler and driver about a kernel at one launch. */
typedef struct
{
  int registers; /* 0: unknown */
  gsize shared_static, local_bytes;
  int max_threads_per_block;
  int blocks_per_sm; /* resident, at the step's block size and shared memory */
} CuredFunctionInfo;

typedef enum
{
  CURED_TIMING_COLD, /* caches flushed, one run between two events */
  CURED_TIMING_HOT,  /* many runs back to back between two events */
} CuredTimingMode;

gboolean cured_device_is_emulated (const char *id);
gboolean cured_device_is_model (const char *id);
const CuredDeviceInfo *cured_device_get_info (const CuredDevice *self);
gboolean cured_device_has_time (const CuredDevice *self);
void cured_device_close (CuredDevice *self);

typedef struct
{
  char *id;              /* "cuda:0" */
  CuredDeviceInfo *info; /* (nullable): NULL if the device can't be used */
  char *reason;          /* (nullable): the reason why it can't be used, with a remedy */
} CuredDeviceFound;

void cured_device_found_free (CuredDeviceFound *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredDevice, cured_device_close)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredDeviceFound, cured_device_found_free)
