// SPDX-License-Identifier: MIT
// Tree reduction with the barrier inside the branch, wrong on purpose.
/*! cured
 * [Kernel]
 * Title=Barrier in a divergent branch
 * Summary=Tree reduction; only the threads that add wait for each other
 * Family=specimens
 * Step=3
 * Defect=divergent-barrier,exited-barrier
 *
 * [Parameter block]
 * Kind=compile
 * Values=64,128,256,512,1024
 * Default=256
 * Summary=threads per block, a power of two
 *
 * [Parameter n]
 * Kind=problem
 * Default=1000
 * Summary=elements, any number
 *
 * [Buffer in]
 * Type=i32
 * Length=n
 * Fill=uniform
 * Low=-100
 * High=100
 *
 * [Buffer out]
 * Type=i32
 * Length=1
 * Fill=poison
 *
 * [Launch]
 * Entry=specimens_branch_barrier
 * Grid=1
 * Block=block
 * Arguments=in,out,n
 *
 * [Check]
 * Output=out
 * Reference=sum
 */

/* A specimen. It was meant to save time: threads that have nothing to add need
 * not wait, so the barrier went into the branch. But a barrier waits for every
 * thread of the block that has not ended. Once half is less than 32, lanes of
 * one warp diverge: some wait at the barrier, the others at the next one or
 * after the loop.
 *
 * From there on the behaviour is undefined: it may hang, or end with the right
 * sum or a wrong one. It saves one instruction in twenty of
 * specimens/branch-barrier-fixed, and no time. */
extern "C" __global__ void
specimens_branch_barrier (const int *__restrict__ in, int *out, int n)
{
  __shared__ int sums[BLOCK];
  int sum = 0;

  for (int i = threadIdx.x; i < n; i += BLOCK)
    sum += in[i];
  sums[threadIdx.x] = sum;
  __syncthreads ();
  for (int half = BLOCK / 2; half > 0; half /= 2)
    {
      if (threadIdx.x < half)
        {
          sums[threadIdx.x] += sums[threadIdx.x + half];
          __syncthreads ();
        }
    }
  if (threadIdx.x == 0)
    out[0] = sums[0];
}

/*! cured
 * [Sweep]
 * X=block
 * Y=n
 * block=64,256,1024
 * n=1000,1024,10^5
 *
 * [Claim found]
 * Text=Lanes of a warp, and then whole warps, miss barriers for which others wait
 * Metric=findings
 * Low=1
 *
 * [Claim saving]
 * Text=The threads outside of the branch save one instruction in twenty
 * Metric=instructions
 * Against=specimens/branch-barrier-fixed
 * Low=0.94
 * High=0.96
 *
 * [Claim time]
 * Text=It is no faster
 * Metric=time
 * At=block=256,n=10^5
 * Against=specimens/branch-barrier-fixed block=256,n=10^5
 * Low=0.95
 */
