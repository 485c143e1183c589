// SPDX-License-Identifier: MIT
// What both parts of nested.cu define alike: a kernel, a function with a table, and shared memory.
#pragma once
#include <cstdio>

#define MUST(condition)                                                                            \
  do                                                                                               \
    if (!(condition))                                                                              \
      {                                                                                            \
        printf ("line %d: %s\n", __LINE__, cudaGetErrorString (cudaPeekAtLastError ()));           \
        exit (1);                                                                                  \
      }                                                                                            \
  while (0)
#define DO(call) MUST ((call) == cudaSuccess)

template <typename T>
__device__ __noinline__ T
turn (T x)
{
  __shared__ T values[32];

  values[threadIdx.x] = x;
  __syncwarp ();
  return values[threadIdx.x ^ 1];
}

template <typename T>
__global__ void
add (T *data, T what)
{
  data[blockIdx.x * blockDim.x + threadIdx.x] += turn (what);
}

void conditions ();
