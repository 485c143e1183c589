/* SPDX-License-Identifier: MIT
 * NVML and NVRTC as a library that says what the variable FAKE_DRIVER asks for: words such as
 * “mig=1 processes=2”. Everything else is healthy. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__ ((visibility ("default")))

/* The number after “@name=”, or what is healthy. */
static long
ask (const char *name, long healthy)
{
  const char *text = getenv ("FAKE_DRIVER");
  size_t length = strlen (name);

  for (; text != NULL && *text != '\0'; text++)
    if (strncmp (text, name, length) == 0 && text[length] == '=')
      return strtol (text + length + 1, NULL, 10);
  return healthy;
}

/* NVML's entries, by its names. */
#define NVML(name, ...)                                                                            \
  EXPORT int name (__VA_ARGS__);                                                                   \
  EXPORT int name (__VA_ARGS__)

NVML (nvmlInit_v2, void) { return (int) ask ("init", 0); }

NVML (nvmlShutdown, void) { return 0; }

NVML (nvmlDeviceGetCount_v2, unsigned *n)
{
  *n = (unsigned) ask ("gpus", 1);
  return 0;
}

NVML (nvmlDeviceGetHandleByIndex_v2, unsigned index, void **device)
{
  static int devices[64];

  *device = &devices[index];
  return (int) ask ("handle", 0);
}

NVML (nvmlDeviceGetName, void *device, char *name, unsigned length)
{
  snprintf (name, length, "NVIDIA Fake");
  return 0;
}

NVML (nvmlSystemGetDriverVersion, char *version, unsigned length)
{
  snprintf (version, length, "580.1");
  return 0;
}

NVML (nvmlSystemGetCudaDriverVersion_v2, int *version)
{
  *version = (int) ask ("cuda", 13000);
  return 0;
}

NVML (nvmlDeviceGetPersistenceMode, void *device, int *mode)
{
  *mode = (int) ask ("persistence", 1);
  return 0;
}

NVML (nvmlDeviceGetCurrentClocksThrottleReasons, void *device, unsigned long long *reasons)
{
  *reasons = (unsigned long long) ask ("reasons", 1);
  return 0;
}

NVML (nvmlDeviceGetClockInfo, void *device, int type, unsigned *mhz)
{
  *mhz = 1500;
  return 0;
}

NVML (nvmlDeviceGetMaxClockInfo, void *device, int type, unsigned *mhz)
{
  *mhz = 1980;
  return 0;
}

NVML (nvmlDeviceGetEccMode, void *device, int *now, int *next)
{
  *now = 1;
  *next = (int) ask ("next_ecc", 1);
  return 0;
}

NVML (nvmlDeviceGetTotalEccErrors, void *device, int type, int since, unsigned long long *n)
{
  *n = (unsigned long long) ask ("errors", 0);
  return 0;
}

NVML (nvmlDeviceGetMigMode, void *device, unsigned *now, unsigned *next)
{
  *now = *next = (unsigned) ask ("mig", 0);
  return 0;
}

NVML (nvmlDeviceGetComputeRunningProcesses_v3, void *device, unsigned *n, void *processes)
{
  *n = (unsigned) ask ("processes", 0);
  return *n > 0 ? 7 : 0;
}

NVML (nvmlDeviceGetComputeMode, void *device, int *mode)
{
  *mode = (int) ask ("mode", 0);
  return 0;
}

/* NVRTC's entries: a program is its source. */
static const char *source;

EXPORT const char *nvrtcGetErrorString (int result);

EXPORT const char *
nvrtcGetErrorString (int result)
{
  return result == 0 ? "NVRTC_SUCCESS" : "NVRTC_ERROR";
}

NVML (nvrtcVersion, int *major, int *minor)
{
  *major = 13;
  *minor = 0;
  return 0;
}

NVML (nvrtcCreateProgram, const char **program, const char *text, const char *name, int n_headers,
      const char *const *headers, const char *const *names)
{
  *program = source = text;
  return 0;
}

NVML (nvrtcAddNameExpression, const char *program, const char *name) { return 0; }

NVML (nvrtcGetLoweredName, const char *program, const char *name, const char **symbol)
{
  *symbol = name;
  return 0;
}

NVML (nvrtcDestroyProgram, const char **program)
{
  *program = NULL;
  return 0;
}

NVML (nvrtcCompileProgram, const char *program, int n_options, const char *const *options)
{
  if (ask ("builtins", 1) == 0)
    return 7;
  return strstr (program, "#include") != NULL && ask ("headers", 1) == 0 ? 6 : 0;
}

static const char image[] = ".version 8.0";

NVML (nvrtcGetPTXSize, const char *program, size_t *size)
{
  *size = sizeof image;
  return 0;
}

NVML (nvrtcGetPTX, const char *program, char *ptx)
{
  memcpy (ptx, image, sizeof image);
  return 0;
}

NVML (nvrtcGetCUBINSize, const char *program, size_t *size)
{
  return nvrtcGetPTXSize (program, size);
}

NVML (nvrtcGetCUBIN, const char *program, char *cubin) { return nvrtcGetPTX (program, cubin); }

static const char *
get_log (void)
{
  return ask ("builtins", 1) == 0 ? "failed to open libnvrtc-builtins" : "";
}

NVML (nvrtcGetProgramLogSize, const char *program, size_t *size)
{
  *size = strlen (get_log ()) + 1;
  return 0;
}

NVML (nvrtcGetProgramLog, const char *program, char *log)
{
  strcpy (log, get_log ());
  return 0;
}
