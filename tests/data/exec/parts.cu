// SPDX-License-Identifier: MIT
// The other half: calls a function of the first one.
#include <cstdio>

extern __device__ int twice (int i);
extern __device__ int seen;

__global__ void
fill (int *out)
{
  out[threadIdx.x] = twice (threadIdx.x);
  if (threadIdx.x == 0)
    seen = 42;
}

int
main ()
{
  int *out;
  int got[32];

  cudaMalloc (&out, sizeof got);
  fill<<<1, 32>>> (out);
  cudaMemcpy (got, out, sizeof got, cudaMemcpyDeviceToHost);
  cudaFree (out);
  puts (got[31] == 62 ? "as it should be" : "wrong");
  return 0;
}
