// SPDX-License-Identifier: MIT
// The driver API, as programs look for it: a module, its symbols and launches. With “apart” two
// streams write the same bytes in any order, with “ordered” one waits for the other.
#include <cstdio>
#include <cstring>
#include <cuda.h>
#include <dlfcn.h>

static const char module_text[] = ".version 8.0\n.target sm_75\n.address_size 64\n"
                                  ".visible .global .align 4 .u32 seen;\n"
                                  ".visible .entry store (.param .u64 to, .param .u32 value)\n"
                                  "{\n"
                                  "  .reg .b64 %rd<2>;\n"
                                  "  .reg .b32 %r<2>;\n"
                                  "  ld.param.u64 %rd1, [to];\n"
                                  "  ld.param.u32 %r1, [value];\n"
                                  "  st.global.u32 [%rd1], %r1;\n"
                                  "  st.global.u32 [seen], %r1;\n"
                                  "  ret;\n"
                                  "}\n";

static decltype (&cuGetProcAddress) find;

template <typename T>
static T *
get (T *, const char *name)
{
  void *function = NULL;
  CUdriverProcAddressQueryResult status;

  find (name, &function, CUDA_VERSION, 0, &status);
  return (T *) function;
}

// A function of the driver, without linking it.
#define CU(name) get (decltype (&name) (NULL), #name)

#define DO(call)                                                                                   \
  do                                                                                               \
    if ((call) != CUDA_SUCCESS)                                                                    \
      {                                                                                            \
        printf ("line %d\n", __LINE__);                                                            \
        return 1;                                                                                  \
      }                                                                                            \
  while (0)

// Two launches of streams of their own, the second of which waits for the first, or not.
static int
write_twice (CUfunction function, void **arguments, bool is_ordered)
{
  CUstream streams[2];
  CUevent done;

  DO (CU (cuEventCreate) (&done, CU_EVENT_DISABLE_TIMING));
  for (int i = 0; i < 2; i++)
    DO (CU (cuStreamCreate) (&streams[i], CU_STREAM_NON_BLOCKING));
  DO (CU (cuLaunchKernel) (function, 1, 1, 1, 1, 1, 1, 0, streams[0], arguments, NULL));
  DO (CU (cuEventRecord) (done, streams[0]));
  if (is_ordered)
    DO (CU (cuStreamWaitEvent) (streams[1], done, 0));
  DO (CU (cuLaunchKernel) (function, 1, 1, 1, 1, 1, 1, 0, streams[1], arguments, NULL));
  DO (CU (cuCtxSynchronize) ());
  for (int i = 0; i < 2; i++)
    DO (CU (cuStreamDestroy) (streams[i]));
  DO (CU (cuEventDestroy) (done));
  return 0;
}

int
main (int argc, char **argv)
{
  CUdevice device;
  CUcontext context;
  CUmodule module;
  CUfunction function;
  CUdeviceptr memory, seen;
  size_t size;
  unsigned value = 42;
  unsigned got = 0;
  void *arguments[] = { &memory, &value };

  find = (decltype (find)) dlsym (dlopen ("libcuda.so.1", RTLD_NOW), "cuGetProcAddress_v2");
  if (find == NULL)
    return 1;
  DO (CU (cuInit) (0));
  DO (CU (cuDeviceGet) (&device, 0));
  DO (CU (cuDevicePrimaryCtxRetain) (&context, device));
  DO (CU (cuCtxSetCurrent) (context));
  DO (CU (cuModuleLoadData) (&module, module_text));
  DO (CU (cuModuleGetFunction) (&function, module, "store"));
  DO (CU (cuModuleGetGlobal) (&seen, &size, module, "seen"));
  DO (CU (cuMemAlloc) (&memory, 4));
  DO (CU (cuLaunchKernel) (function, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL));
  if (argc > 1 && write_twice (function, arguments, strcmp (argv[1], "ordered") == 0) != 0)
    return 1;
  DO (CU (cuMemcpyDtoH) (&got, memory, 4));
  if (got != 42 || size != 4)
    return 1;
  DO (CU (cuMemcpyDtoH) (&got, seen, 4));
  DO (CU (cuMemFree) (memory));
  DO (CU (cuModuleUnload) (module));
  puts (got == 42 ? "as it should be" : "wrong");
  return 0;
}
