// SPDX-License-Identifier: MIT
// The program of docs/exec.md: transposes a matrix of n × n, n from the command line.
#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void
transpose (float *out, const float *in, int n)
{
  __shared__ float tile[32][32];
  int x = blockIdx.x * 32, y = blockIdx.y * 32;

  for (int r = threadIdx.y; r < 32; r += 8)
    if (y + r < n && x + threadIdx.x < n)
      tile[r][threadIdx.x] = in[(y + r) * n + x + threadIdx.x];
  __syncthreads ();
  for (int r = threadIdx.y; r < 32; r += 8)
    if (x + r < n && y + threadIdx.x < n)
      out[(x + r) * n + y + threadIdx.x] = tile[threadIdx.x][r];
}

int
main (int argc, char **argv)
{
  int n = argc > 1 ? atoi (argv[1]) : 64;
  dim3 grid ((n + 31) / 32, (n + 31) / 32), block (32, 8);
  std::vector<float> host (n * n);
  float *in, *out;

  for (int i = 0; i < n * n; i++)
    host[i] = i;
  cudaMalloc (&in, n * n * sizeof *in);
  cudaMalloc (&out, n * n * sizeof *out);
  cudaMemcpy (in, host.data (), n * n * sizeof *in, cudaMemcpyHostToDevice);
  transpose<<<grid, block>>> (out, in, n);
  cudaMemcpy (host.data (), out, n * n * sizeof *out, cudaMemcpyDeviceToHost);
  cudaFree (in);
  cudaFree (out);
  printf ("out[1] is %g\n", host[1]);
}
