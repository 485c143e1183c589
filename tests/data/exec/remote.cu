// SPDX-License-Identifier: MIT
// Each block of a cluster of two reads a column of the other block's tile.
#include <cooperative_groups.h>

__global__ void __cluster_dims__ (2, 1, 1)
read_column (float *out)
{
  __shared__ float tile[32][32];
  cooperative_groups::cluster_group cluster = cooperative_groups::this_cluster ();

  for (int i = 0; i < 32; i++)
    tile[i][threadIdx.x] = i;
  cluster.sync ();
  const float *other = cluster.map_shared_rank (&tile[0][0], cluster.block_rank () ^ 1);
  out[blockIdx.x * 32 + threadIdx.x] = other[threadIdx.x * 32];
  cluster.sync ();
}

int
main ()
{
  float out[64], *buffer;

  cudaMalloc (&buffer, sizeof out);
  read_column<<<2, 32>>> (buffer);
  cudaMemcpy (out, buffer, sizeof out, cudaMemcpyDeviceToHost);
  cudaFree (buffer);
  return out[5] != 5;
}
