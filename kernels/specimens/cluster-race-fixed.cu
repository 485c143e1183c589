// SPDX-License-Identifier: MIT
// Reversal through a cluster, synchronized by the cluster.
/*! cured
 * [Kernel]
 * Title=Reversal through a cluster, synchronized by the cluster
 * Summary=Blocks of a cluster read each other's shared memory after a barrier of the cluster
 * Family=specimens
 * Step=23
 * Like=specimens/early-exit
 *
 * [Buffer a]  # none
 * [Buffer b]  # none
 *
 * [Buffer in]
 * Type=i32
 * Length=n
 * Fill=uniform
 * Low=-100
 * High=100
 *
 * [Require chip]
 * If=compute_major >= 9
 * Reason=Clusters need compute capability 9.0
 *
 * [Launch]
 * Entry=specimens_cluster_race_fixed
 * Grid=2*ceil(n/(2*block))
 * Block=block
 * Cluster=2
 * Arguments=in,out,n
 *
 * [Check]
 * Output=out
 * Reference=reverse
 */

__device__ __forceinline__ void
sync_cluster ()
{
  asm volatile("barrier.cluster.arrive.release.aligned;\n\t"
               "barrier.cluster.wait.acquire.aligned;" ::
                   : "memory");
}

/* A word of shared memory of block @rank of the cluster. */
__device__ __forceinline__ int
load_of_block (const int *own, unsigned rank)
{
  unsigned address;
  int value;

  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
               : "=r"(address)
               : "r"((unsigned) __cvta_generic_to_shared (own)), "r"(rank));
  asm volatile("ld.shared::cluster.s32 %0, [%1];"
               : "=r"(value)
               : "r"(address)
               : "memory");
  return value;
}

/* The twin of specimens/cluster-race: both blocks arrive at the barrier of the
 * cluster before either reads the other's slice. */
extern "C" __global__ void
specimens_cluster_race_fixed (const int *__restrict__ in, int *__restrict__ out, int n)
{
  __shared__ int slice[BLOCK];
  unsigned rank;
  const int i = (int) (blockIdx.x * BLOCK + threadIdx.x);
  const int j = (int) ((blockIdx.x ^ 1) * BLOCK + threadIdx.x);

  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  slice[threadIdx.x] = 0;
  sync_cluster ();
  slice[threadIdx.x] = i < n ? in[i] : 0;
  sync_cluster ();
  if (j < n)
    out[n - 1 - j] = load_of_block (&slice[threadIdx.x], rank ^ 1);
  sync_cluster ();
}

/*! cured
 * [Sweep]
 * X=block
 * Y=n
 * block=64,256,1024
 * n=1024,4096,10^5
 *
 * [Claim found]
 * Text=Nothing is found
 * Metric=findings
 * High=0
 */
