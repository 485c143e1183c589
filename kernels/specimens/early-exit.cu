// SPDX-License-Identifier: MIT
// Vector addition whose last threads leave before a barrier, wrong on purpose.
/*! cured
 * [Kernel]
 * Title=Early exit before a barrier
 * Summary=out = a + b through shared memory; threads past the end return at once
 * Family=specimens
 * Step=4
 * Defect=exited-barrier
 *
 * [Parameter block]
 * Kind=compile
 * Values=32..1024:32
 * Default=256
 * Summary=threads per block
 *
 * [Parameter n]
 * Kind=problem
 * Default=1000
 * Summary=elements, any number
 *
 * [Buffer a]
 * Type=i32
 * Length=n
 * Fill=uniform
 * Low=-100
 * High=100
 *
 * [Buffer b]
 * Type=i32
 * Length=n
 * Fill=uniform
 * Low=-100
 * High=100
 *
 * [Buffer out]
 * Type=i32
 * Length=n
 * Fill=poison
 *
 * [Launch]
 * Entry=specimens_early_exit
 * Grid=ceil(n/block)
 * Block=block
 * Arguments=a,b,out,n
 *
 * [Check]
 * Output=out
 * Reference=vector-add
 */

/* A specimen. The usual first line of a kernel, and a barrier below it: CUDA
 * requires that all threads of a block reach __syncthreads () or none. Today's
 * GPUs do not wait for threads that ended, so this gives the right result
 * there; older ones hung, and later code, a shuffle or another barrier, finds
 * lanes missing. Where n is a multiple of the block no thread leaves, and
 * nothing is wrong. */
extern "C" __global__ void
specimens_early_exit (const int *__restrict__ a,
                      const int *__restrict__ b,
                      int *__restrict__ out,
                      int n)
{
  __shared__ int slice[BLOCK];
  const int i = blockIdx.x * BLOCK + threadIdx.x;

  if (i >= n)
    return;
  slice[threadIdx.x] = a[i];
  __syncthreads ();
  out[i] = slice[threadIdx.x] + b[i];
}

/*! cured
 * [Sweep]
 * X=block
 * Y=n
 * block=64,256,1024
 * n=1000,1023,10^5
 *
 * [Claim found]
 * Text=In the last block threads end before the barrier
 * Metric=findings
 * Low=1
 *
 * [Claim multiple]
 * Text=Where n is a multiple of the block no thread leaves
 * Metric=findings
 * At=n=1024
 * High=0
 */
