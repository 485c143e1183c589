// SPDX-License-Identifier: MIT
// Matrix transpose through the shared memory of another block, with padding.
/*! cured
 * [Kernel]
 * Title=Transpose of the other block’s tile, padded
 * Summary=An unused column shifts the rows by a bank each, as it would help in the block’s own memory
 * Family=cluster
 * Step=2
 * Like=cluster/column
 * Bytes=8*n*m
 * Ceiling=copy
 *
 * [Launch]
 * Entry=cluster_padded
 * Grid=n/32,m/32
 * Block=32,32
 * Cluster=2,1
 * Arguments=in,out,n,m
 */

__device__ __forceinline__ void
sync_cluster ()
{
  asm volatile("barrier.cluster.arrive.release.aligned;\n\t"
               "barrier.cluster.wait.acquire.aligned;" ::
                   : "memory");
}

/* A word of the other block's shared memory. */
__device__ __forceinline__ float
load_of_other (const float *own)
{
  unsigned rank, address;
  float value;

  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
               : "=r"(address)
               : "r"((unsigned) __cvta_generic_to_shared (own)), "r"(rank ^ 1));
  asm volatile("ld.shared::cluster.f32 %0, [%1];" : "=f"(value) : "r"(address) : "memory");
  return value;
}

/* Against cluster/column: a row is 33 words long. The banks of a column differ
 * now, and nothing changes: the network carries sectors, and a column still
 * has 32 of them. */
extern "C" __global__ void
cluster_padded (const float *__restrict__ in, float *__restrict__ out, int n, int m)
{
  __shared__ float tile[32][33];
  const int x = threadIdx.x;
  const int y = threadIdx.y;
  const int row = blockIdx.y * 32;
  const int other = (blockIdx.x ^ 1) * 32;

  tile[y][x] = in[(size_t) (row + y) * n + blockIdx.x * 32 + x];
  sync_cluster ();
  out[(size_t) (other + y) * m + row + x] = load_of_other (&tile[x][y]);
  sync_cluster ();
}

/*! cured
 * [Sweep]
 * X=n
 * Y=m
 * n=1024,2048,4096,8192
 * m=1024,2048,4096,8192
 *
 * [Claim sectors]
 * Text=Padding changes nothing in another block's memory
 * Metric=remote_sectors
 * At=n=64,m=64
 * Low=4096
 * High=4096
 *
 * [Claim time]
 * Text=An unused column changes nothing here: the network carries sectors, and banks are not the limit
 * Question=How many times as long does the transpose take with padding as without it?
 * Metric=time
 * At=n=8192,m=8192
 * Against=cluster/column n=8192,m=8192
 * Low=0.97
 * High=1.03
 */
