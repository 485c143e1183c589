// SPDX-License-Identifier: MIT
// The example of README.md: the last thread writes past the end of a.
__global__ void
fill (float *a, int n)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n) a[i] = 1;
}

int
main ()
{
  float *a;
  cudaMalloc (&a, 1000 * sizeof *a);
  fill<<<4, 256>>> (a, 1000);
  cudaDeviceSynchronize ();
  cudaFree (a);
}
