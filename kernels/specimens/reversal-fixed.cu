// SPDX-License-Identifier: MIT
// Reversal through shared memory, with the barrier that it needs.
/*! cured
 * [Kernel]
 * Title=Reversal through shared memory
 * Summary=Each thread stores one element and reads another thread's after a barrier
 * Family=specimens
 * Step=1
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
 * Entry=specimens_reversal_fixed
 * Grid=ceil(n/block)
 * Block=block
 * Arguments=in,out,n
 *
 * [Check]
 * Output=out
 * Reference=reverse
 */

/* The twin of specimens/reversal. The barrier orders every store of the block
 * before every load after it. It is outside of the branches, so that all
 * threads reach it, including those past the end. */
extern "C" __global__ void
specimens_reversal_fixed (const int *__restrict__ in,
                          int *__restrict__ out,
                          int n)
{
  __shared__ int slice[BLOCK];
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  const int j = n - (int) (blockIdx.x + 1) * BLOCK + (int) threadIdx.x;

  if (i < n)
    slice[threadIdx.x] = in[i];
  __syncthreads ();
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
 * [Claim clean]
 * Text=Every store is before every load
 * Metric=findings
 * High=0
 *
 * [Claim barriers]
 * Text=Each of 32 warps arrives at the one barrier once
 * Metric=barriers
 * Low=32
 * High=32
 *
 * [Claim cost]
 * Text=The barrier is three instructions in a hundred
 * Metric=instructions
 * Against=specimens/reversal
 * Low=1.03
 * High=1.04
 */
