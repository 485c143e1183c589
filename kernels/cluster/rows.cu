// SPDX-License-Identifier: MIT
// Matrix transpose through the shared memory of another block, row by row.
/*! cured
 * [Kernel]
 * Title=Transpose of the other block’s tile, by rows
 * Summary=Rows of the other block’s tile come over first, and are turned in the block’s own memory
 * Family=cluster
 * Step=3
 * Like=cluster/column
 * Bytes=8*n*m
 * Ceiling=copy
 *
 * [Launch]
 * Entry=cluster_rows
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

/* Against cluster/padded: a warp reads a row of the other block's tile, four
 * sectors of 32 bytes, and puts it into its own; the column is read there,
 * where padding does help. The tile that the other block reads has no padding:
 * its rows would begin within a sector, and take five. */
extern "C" __global__ void
cluster_rows (const float *__restrict__ in, float *__restrict__ out, int n, int m)
{
  __shared__ float tile[32][32];
  __shared__ float turned[32][33];
  const int x = threadIdx.x;
  const int y = threadIdx.y;
  const int row = blockIdx.y * 32;
  const int other = (blockIdx.x ^ 1) * 32;

  tile[y][x] = in[(size_t) (row + y) * n + blockIdx.x * 32 + x];
  sync_cluster ();
  turned[y][x] = load_of_other (&tile[y][x]);
  sync_cluster ();
  out[(size_t) (other + y) * m + row + x] = turned[x][y];
}

/*! cured
 * [Sweep]
 * X=n
 * Y=m
 * n=1024,2048,4096,8192
 * m=1024,2048,4096,8192
 *
 * [Claim sectors]
 * Text=A row of another block's tile takes four sectors, an eighth of a column's
 * Metric=remote_sectors
 * At=n=64,m=64
 * Low=512
 * High=512
 *
 * [Claim conflicts]
 * Text=In the block's own memory, padding still pays
 * Metric=excess_wavefronts
 * At=n=64,m=64
 * High=0
 *
 * [Claim time]
 * Text=A row of the other block's tile takes four sectors, a column 32, and this kernel 0.44 of the time
 * Question=How many times as long does it take by rows as by columns?
 * Metric=time
 * At=n=8192,m=8192
 * Against=cluster/column n=8192,m=8192
 * Low=0.4
 * High=0.5
 */
