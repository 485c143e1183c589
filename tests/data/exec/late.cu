// SPDX-License-Identifier: MIT
// A library with kernels and a runtime of its own, which late-main.cpp loads.
__global__ void
fill (int *out)
{
  out[threadIdx.x] = threadIdx.x;
}

extern "C" int
work (void)
{
  int *out;
  int got[32];

  if (cudaMalloc (&out, sizeof got) != cudaSuccess)
    return 1;
  fill<<<1, 32>>> (out);
  cudaMemcpy (got, out, sizeof got, cudaMemcpyDeviceToHost);
  cudaFree (out);
  return got[31] == 31 ? 0 : 2;
}
