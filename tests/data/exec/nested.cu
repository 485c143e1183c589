// SPDX-License-Identifier: MIT
// Kernels that launch kernels (-rdc=true -lcudadevrt), and graphs with conditions. Exits with 0
// where all is as it should be, or else with 1.
#include <cstdlib>

#include "nested.cuh"

/* Copies the first value once all others of the launch have ended. */
__global__ void
finish (int *data)
{
  data[64] = data[0];
}

__global__ void
parent (int *data, int depth)
{
  cudaStream_t stream;
  int *room = NULL;

  if (threadIdx.x != 0)
    return;
  finish<<<1, 1, 0, cudaStreamTailLaunch>>> (data);
  cudaStreamCreateWithFlags (&stream, cudaStreamNonBlocking);
  cudaMemsetAsync (data + 32, 0, 32 * sizeof *data, stream);
  add<<<1, 32, 0, stream>>> (data + 32, depth);
  cudaStreamDestroy (stream);
  add<<<2, 16, 0, cudaStreamFireAndForget>>> (data, 10);
  if (depth > 1)
    parent<<<1, 32>>> (data, depth - 1);
  cudaMalloc (&room, sizeof *room);
  if (room == NULL || cudaGetLastError () != cudaSuccess)
    printf ("no room\n");
  cudaFree (room);
}

int
main ()
{
  int *data;
  int got[65];

  DO (cudaMalloc (&data, sizeof got));
  DO (cudaMemset (data, 0, sizeof got));
  parent<<<1, 32>>> (data, 3);
  DO (cudaDeviceSynchronize ());
  DO (cudaMemcpy (got, data, sizeof got, cudaMemcpyDeviceToHost));
  /* The innermost one is the last that sets data[32…]. */
  MUST (got[0] == 30 && got[31] == 30 && got[32] == 1 && got[64] == 30);
  add<<<2, 32>>> (data, 5);
  DO (cudaMemcpy (got, data, sizeof got, cudaMemcpyDeviceToHost));
  MUST (got[0] == 35 && got[33] == 6);
  DO (cudaFree (data));
  conditions ();
  puts ("as it should be");
  return 0;
}
