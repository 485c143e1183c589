// SPDX-License-Identifier: MIT
// Reversal with a barrier of the grid, launched as one.
/*! cured
 * [Kernel]
 * Title=Reversal with a barrier of the grid, launched as one
 * Summary=All blocks wait for each other
 * Family=specimens
 * Step=25
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
 * [Buffer copy]
 * Type=i32
 * Length=n
 * Fill=poison
 *
 * [Launch]
 * Entry=specimens_grid_barrier_fixed
 * Grid=min(ceil(n/block),sms)
 * Block=block
 * Cooperative=true
 * Arguments=in,copy,out,n
 *
 * [Check]
 * Output=out
 * Reference=reverse
 */

/* What cooperative_groups::this_grid ().sync () does: a cooperative launch
 * has two words of memory, whose address is in environment registers 1 and
 * 2; the second one counts blocks, and its highest bit flips when all have
 * arrived. */
__device__ __forceinline__ void
sync_grid ()
{
  unsigned low;
  unsigned high;
  unsigned *count;
  unsigned before;
  unsigned now;

  asm volatile("mov.u32 %0, %%envreg1;" : "=r"(high));
  asm volatile("mov.u32 %0, %%envreg2;" : "=r"(low));
  count = (unsigned *) ((unsigned long long) high << 32 | low);
  if (count == nullptr)
    __trap ();
  count++;
  __syncthreads ();
  if (threadIdx.x == 0)
    {
      asm volatile("atom.add.release.gpu.u32 %0, [%1], %2;"
                   : "=r"(before)
                   : "l"(count),
                     "r"(blockIdx.x == 0 ? 0x80000000u - (gridDim.x - 1) : 1u)
                   : "memory");
      do
        asm volatile("ld.acquire.gpu.u32 %0, [%1];"
                     : "=r"(now)
                     : "l"(count)
                     : "memory");
      while (((before ^ now) & 0x80000000u) == 0);
    }
  __syncthreads ();
}

/* The twin of specimens/grid-barrier: Cooperative=true requires that all
 * blocks of the launch are resident at once, or refuses it. */
extern "C" __global__ void
specimens_grid_barrier_fixed (const int *__restrict__ in, int *copy, int *__restrict__ out, int n)
{
  const int first = (int) (blockIdx.x * blockDim.x + threadIdx.x);
  const int step = (int) (gridDim.x * blockDim.x);

  for (int i = first; i < n; i += step)
    copy[i] = in[i];
  sync_grid ();
  for (int i = first; i < n; i += step)
    out[i] = copy[n - 1 - i];
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
