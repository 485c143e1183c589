/* SPDX-License-Identifier: MIT
 * Instructions of each kind of fidelity, by the word on the command line. */
#include <cstring>

__global__ void
exact (float *out)
{
  out[threadIdx.x] = out[threadIdx.x] + 1.0f;
}

__global__ void
approximate (float *out)
{
  out[threadIdx.x] = __expf (out[threadIdx.x]);
}

__global__ void
unruled (float *out)
{
  __shared__ float sum;

  if (threadIdx.x == 0)
    sum = 0.0f;
  __syncthreads ();
  atomicAdd (&sum, 1.0f);
  __syncthreads ();
  out[threadIdx.x] = sum;
}

int
main (int argc, char **argv)
{
  float *out;

  cudaMalloc (&out, 32 * sizeof *out);
  cudaMemset (out, 0, 32 * sizeof *out);
  if (strcmp (argv[1], "exact") == 0)
    exact<<<1, 32>>> (out);
  else if (strcmp (argv[1], "approximate") == 0)
    approximate<<<1, 32>>> (out);
  else
    unruled<<<1, 32>>> (out);
  cudaDeviceSynchronize ();
  cudaFree (out);
  return 0;
}
