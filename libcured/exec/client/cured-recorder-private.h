/* SPDX-License-Identifier: MIT
 * Definitions shared by the files of the recorder, which observes a program on a real GPU. It uses
 * only the C library, runs in a separate namespace, and declares CUDA's types itself. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "exec/cured-exec-protocol-private.h"

/* CUfunction or CUkernel, CUstream, CUmodule or CUlibrary, CUevent, CUcontext */
typedef struct Opaque *Handle;

/* Functions of the driver that the recorder calls. ORDER: driver_names. @x: one function for each
 * kind of default stream, the legacy and the per-thread one. */
typedef struct
{
  int (*cuCtxGetCurrent) (Handle *context);
  int (*cuCtxSynchronize) (void);
  int (*cuEventCreate) (Handle *event, unsigned flags);
  int (*cuEventDestroy) (Handle event);
  int (*cuEventElapsedTime) (float *ms, Handle begin, Handle end);
  int (*cuEventQuery) (Handle event);
  int (*cuEventSynchronize) (Handle event);
  int (*cuFuncGetModule) (Handle *module, Handle function);
  int (*cuFuncGetName) (const char **name, Handle function);
  int (*cuFuncGetParamInfo) (Handle function, size_t i, size_t *offset, size_t *size);
  int (*cuKernelGetLibrary) (Handle *library, Handle kernel);
  int (*cuKernelGetName) (const char **name, Handle kernel);
  int (*cuKernelGetParamInfo) (Handle kernel, size_t i, size_t *offset, size_t *size);
  int (*cuLibraryGetGlobal) (uint64_t *address, size_t *size, Handle library, const char *name);
  int (*cuMemGetAddressRange) (uint64_t *address, size_t *size, uint64_t pointer);
  int (*cuMemcpyDtoH) (void *to, uint64_t from, size_t size);
  int (*cuModuleGetGlobal) (uint64_t *address, size_t *size, Handle module, const char *name);
  int (*cuEventRecord[2]) (Handle event, Handle stream);
  int (*cuStreamIsCapturing[2]) (Handle stream, int *status);
} Driver;

/* A launch requested by the program. */
typedef struct
{
  Handle function, stream;
  ExecLaunch shape;   /* without the function and the parameters */
  void **arguments;   /* (nullable) */
  void **extra;       /* (nullable) */
  bool is_own_stream; /* uses the per-thread default stream */
  /* The program's call with its arguments. */
  int (*run) (const void *call);
  const void *call;
} Launch;

typedef int (*Function) (void);

/* CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM */
#define OWN_STREAM 2

/* ---- cured-recorder-driver.c ---- */

struct link_map;

void recorder_set_library (const struct link_map *map);
/* NULL: the driver is too old, or was not found. */
const Driver *recorder_get_driver (void);
/* (transfer full): the concatenated parts of a linked program. */
void *recorder_copy_image (const void *image, size_t *n_bytes);
/* @bytes: (transfer full) (nullable): the image of a module or library. */
void recorder_note_image (Handle module, const void *bytes, size_t n_bytes);
/* (nullable): the image of a module or library. */
const void *recorder_get_image (Handle module, size_t *n_bytes);

/* ---- cured-recorder-launch.c ---- */

int recorder_launch (const Launch *launch);
/* Takes the times of launches that have ended; @is_all: waits for the others. */
void recorder_collect (bool is_all);
/* Forgets all handles, which may be reused. */
void recorder_forget (void);
/* Whether launches are to be saved, so that images are needed. */
bool recorder_is_saving (void);
void recorder_end (void);
