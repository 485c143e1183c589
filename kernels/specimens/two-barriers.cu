// SPDX-License-Identifier: MIT
// Two halves of a block that wait at two barriers, wrong on purpose: it hangs.
/*! cured
 * [Kernel]
 * Title=Two halves of a block at different barriers
 * Summary=One half of the block adds up what both halves summed, once they would have met
 * Family=specimens
 * Step=14
 * Defect=deadlock
 * Like=specimens/branch-barrier
 *
 * [Parameter block]
 * Kind=compile
 * Values=64..1024:64
 * Default=256
 * Summary=threads per block, half of them whole warps
 *
 * [Launch]
 * Entry=specimens_two_barriers
 * Grid=1
 * Block=block
 * Arguments=in,out,n
 */

/* A specimen that hangs a GPU for as long as the program waits. Each half of
 * the block waits at a barrier of its own for all threads of the block, which
 * never arrive. Numbered barriers synchronize parts of a block, but the
 * numbers must agree. */
/* Waits at one of the block's 16 barriers for that many threads. */
__device__ __forceinline__ void
wait_at (int barrier, int threads)
{
  asm volatile("bar.sync %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}

extern "C" __global__ void
specimens_two_barriers (const int *__restrict__ in, int *out, int n)
{
  __shared__ int sums[BLOCK];
  int sum = 0;

  for (int i = threadIdx.x; i < n; i += BLOCK)
    sum += in[i];
  sums[threadIdx.x] = sum;
  if (threadIdx.x < BLOCK / 2)
    {
      wait_at (1, BLOCK);
      if (threadIdx.x == 0)
        {
          for (int t = 1; t < BLOCK; t++)
            sum += sums[t];
          out[0] = sum;
        }
    }
  else
    wait_at (2, BLOCK);
}

/*! cured
 * [Claim found]
 * Text=Both halves wait for ever
 * Metric=findings
 * Low=1
 */
