// SPDX-License-Identifier: MIT
// Reversal through shared memory, wrong on purpose: a barrier is missing.
/*! cured
 * [Kernel]
 * Title=Reversal through shared memory without a barrier
 * Summary=Each thread stores one element and reads another thread's; nothing makes it wait for that thread
 * Family=specimens
 * Step=1
 * Defect=race,uninitialized
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
 * [Launch]
 * Entry=specimens_reversal
 * Grid=ceil(n/block)
 * Block=block
 * Arguments=in,out,n
 *
 * [Check]
 * Output=out
 * Reference=reverse
 */

/* A specimen. Thread t reads the element that thread BLOCK - 1 - t stores, and
 * nothing ensures that it was stored by then. The first half of the warps
 * reads elements that the second half has hardly begun to load.
 *
 * Expect wrong elements on a GPU, and not always the same ones. With a block
 * of 32 the result may be right every time: a warp often runs in lockstep.
 * Nothing guarantees it. specimens/reversal-fixed has the barrier. */
extern "C" __global__ void
specimens_reversal (const int *__restrict__ in, int *__restrict__ out, int n)
{
  __shared__ int slice[BLOCK];
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  const int j = n - (int) (blockIdx.x + 1) * BLOCK + (int) threadIdx.x;

  if (i < n)
    slice[threadIdx.x] = in[i];
  if (j >= 0)
    out[j] = slice[BLOCK - 1 - threadIdx.x];
}

/*! cured
 * [Sweep]
 * X=block
 * Y=n
 * block=64,256,1024
 * n=1000,1024,10^5
 *
 * [Claim found]
 * Text=Elements are read that may not be stored yet
 * Metric=findings
 * Low=1
 */
