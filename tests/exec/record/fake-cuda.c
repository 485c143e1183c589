/* SPDX-License-Identifier: MIT
 * A driver of which the device is the processor, and that knows one kernel, saxpy (n, a, x, y). A
 * launch takes 1000 ns a block by its events. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__ ((visibility ("default")))
#define MAX    16

typedef struct
{
  uint64_t at;
} Event;

static struct
{
  char *begin;
  size_t size;
} memory[MAX];

static uint64_t clock_ns;
static const char kernel_name[] = "saxpy";
static float scale = 1;
static int context;
static int module;

EXPORT int cuDriverGetVersion (int *version);
EXPORT int cuGetProcAddress_v2 (const char *name, void **pointer, int version, uint64_t flags,
                                int *status);
EXPORT int cuLaunchKernel (void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                           unsigned by, unsigned bz, unsigned shared, void *stream,
                           void **arguments, void **extra);

static int
nothing (void)
{
  return 0;
}

static int
get_context (void **current)
{
  *current = &context;
  return 0;
}

static int
create_event (Event **event, unsigned flags)
{
  *event = calloc (1, sizeof **event);
  return 0;
}

static int
record_event (Event *event, void *stream)
{
  event->at = clock_ns;
  return 0;
}

static int
get_elapsed (float *ms, const Event *begin, const Event *end)
{
  *ms = (float) (end->at - begin->at) * 1e-6F;
  return 0;
}

static int
is_capturing (void *stream, int *status)
{
  *status = 0;
  return 0;
}

static int
get_module (void **found, void *function)
{
  *found = &module;
  return 0;
}

static int
get_name (const char **name, void *function)
{
  *name = kernel_name;
  return 0;
}

static int
get_parameter (void *function, size_t i, size_t *offset, size_t *size)
{
  static const size_t offsets[] = { 0, 4, 8, 16, 24 };

  if (i >= 4)
    return 1;
  *offset = offsets[i];
  *size = i < 2 ? 4 : 8;
  return 0;
}

static int
get_global (uint64_t *address, size_t *size, void *owner, const char *name)
{
  *address = (uint64_t) (uintptr_t) &scale;
  *size = sizeof scale;
  return strcmp (name, "scale") == 0 ? 0 : 500;
}

static int
allocate (uint64_t *address, size_t size)
{
  for (int i = 0; i < MAX; i++)
    if (memory[i].begin == NULL)
      {
        memory[i].begin = malloc (size);
        memory[i].size = size;
        *address = (uint64_t) (uintptr_t) memory[i].begin;
        return 0;
      }
  return 2;
}

static int
get_range (uint64_t *address, size_t *size, uint64_t pointer)
{
  for (int i = 0; i < MAX; i++)
    if (memory[i].begin != NULL &&
        pointer - (uint64_t) (uintptr_t) memory[i].begin < memory[i].size)
      {
        *address = (uint64_t) (uintptr_t) memory[i].begin;
        *size = memory[i].size;
        return 0;
      }
  return 1;
}

static int
copy_from (void *to, uint64_t from, size_t size)
{
  memcpy (to, (const void *) (uintptr_t) from, size);
  return 0;
}

static int
copy_to (uint64_t to, const void *from, size_t size)
{
  memcpy ((void *) (uintptr_t) to, from, size);
  return 0;
}

static int
load (void **loaded, const void *image)
{
  *loaded = &module;
  return 0;
}

static int
get_function (void **function, void *owner, const char *name)
{
  *function = &module;
  return strcmp (name, kernel_name) == 0 ? 0 : 500;
}

int
cuLaunchKernel (void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                unsigned bz, unsigned shared, void *stream, void **arguments, void **extra)
{
  unsigned n = *(const unsigned *) arguments[0];
  float a = *(const float *) arguments[1];
  const float *x = *(float *const *) arguments[2];
  float *y = *(float *const *) arguments[3];

  for (unsigned i = 0; i < n && i < gx * bx; i++)
    y[i] = scale * a * x[i] + y[i];
  clock_ns += gx * 1000;
  return 0;
}

int
cuDriverGetVersion (int *version)
{
  *version = 13000;
  return 0;
}

#define ANY(function) ((void (*) (void)) (function))

int
cuGetProcAddress_v2 (const char *name, void **pointer, int version, uint64_t flags, int *status)
{
  static const struct
  {
    const char *name;
    void (*function) (void);
  } functions[] = {
    { "cuCtxGetCurrent", ANY (get_context) },
    { "cuCtxSynchronize", ANY (nothing) },
    { "cuEventCreate", ANY (create_event) },
    { "cuEventDestroy", ANY (nothing) },
    { "cuEventElapsedTime", ANY (get_elapsed) },
    { "cuEventQuery", ANY (nothing) },
    { "cuEventSynchronize", ANY (nothing) },
    { "cuFuncGetModule", ANY (get_module) },
    { "cuFuncGetName", ANY (get_name) },
    { "cuFuncGetParamInfo", ANY (get_parameter) },
    { "cuMemAlloc", ANY (allocate) },
    { "cuMemGetAddressRange", ANY (get_range) },
    { "cuMemcpyDtoH", ANY (copy_from) },
    { "cuMemcpyHtoD", ANY (copy_to) },
    { "cuModuleGetGlobal", ANY (get_global) },
    { "cuModuleGetFunction", ANY (get_function) },
    { "cuModuleLoadData", ANY (load) },
    { "cuModuleUnload", ANY (nothing) },
    { "cuEventRecord", ANY (record_event) },
    { "cuStreamIsCapturing", ANY (is_capturing) },
    { "cuLaunchKernel", ANY (cuLaunchKernel) },
  };

  *pointer = NULL;
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
    if (strcmp (functions[i].name, name) == 0)
      memcpy (pointer, &functions[i].function, sizeof *pointer);
  return *pointer != NULL ? 0 : 500;
}
