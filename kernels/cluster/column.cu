// SPDX-License-Identifier: MIT
// Matrix transpose through the shared memory of another block, column by column.
/*! cured
 * [Kernel]
 * Title=Transpose of the other block’s tile, by columns
 * Summary=Each block of a cluster of two loads a tile, and writes the columns of the other block’s tile
 * Family=cluster
 * Step=1
 * Bytes=8*n*m
 * Ceiling=copy
 *
 * [Parameter n]
 * Kind=problem
 * Default=8192
 * Summary=columns of the matrix, a multiple of 64
 *
 * [Parameter m]
 * Kind=problem
 * Default=8192
 * Summary=rows of the matrix, a multiple of 32
 *
 * [Buffer in]
 * Type=f32
 * Length=n*m
 * Fill=uniform
 *
 * [Buffer out]
 * Type=f32
 * Length=n*m
 * Fill=poison
 *
 * [Require chip]
 * If=compute_major >= 9
 * Reason=Clusters need compute capability 9.0
 *
 * [Require whole]
 * If=n % 64 == 0 && m % 32 == 0
 * Reason=A cluster moves two tiles of 32 × 32
 *
 * [Launch]
 * Entry=cluster_column
 * Grid=n/32,m/32
 * Block=32,32
 * Cluster=2,1
 * Arguments=in,out,n,m
 *
 * [Check]
 * Output=out
 * Reference=transpose
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

/* A warp reads a column of the other block's tile: 32 sectors of 32 bytes, each
 * in a line of its own, of which it needs a word each. Where two blocks read
 * each other's memory, sectors and lines take 1.5 cycles each: 96 cycles. In
 * its own block's memory it would be a bank conflict of 32 ways. */
extern "C" __global__ void
cluster_column (const float *__restrict__ in, float *__restrict__ out, int n, int m)
{
  __shared__ float tile[32][32];
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
 * Text=A column of another block's tile takes 32 sectors, a word of each
 * Question=How many remote sectors do the loads of 4 blocks of 32 warps take?
 * Metric=remote_sectors
 * At=n=64,m=64
 * Low=4096
 * High=4096
 */
