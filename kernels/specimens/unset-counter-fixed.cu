// SPDX-License-Identifier: MIT
// Sum in shared memory that starts at 0.
/*! cured
 * [Kernel]
 * Title=Initialized sum in shared memory
 * Summary=Each warp adds to one number in shared memory, which one of them set to 0
 * Family=specimens
 * Step=7
 * Like=specimens/branch-barrier
 *
 * [Parameter block]
 * Kind=compile
 * Values=32..1024:32
 * Default=256
 * Summary=threads per block
 *
 * [Launch]
 * Entry=specimens_unset_counter_fixed
 * Grid=1
 * Block=block
 * Arguments=in,out,n
 */

/* The twin of specimens/unset-counter: one thread sets the sum to 0, with a
 * barrier between that and the first addition. */
extern "C" __global__ void
specimens_unset_counter_fixed (const int *__restrict__ in, int *out, int n)
{
  __shared__ int total;
  int sum = 0;

  if (threadIdx.x == 0)
    total = 0;
  __syncthreads ();

  for (int i = threadIdx.x; i < n; i += BLOCK)
    sum += in[i];
  for (int half = 16; half > 0; half /= 2)
    sum += __shfl_down_sync (0xffffffff, sum, half);
  if (threadIdx.x % 32 == 0)
    atomicAdd (&total, sum);
  __syncthreads ();
  if (threadIdx.x == 0)
    out[0] = total;
}

/*! cured
 * [Claim clean]
 * Text=The sum is 0 before the first addition
 * Metric=findings
 * High=0
 *
 * [Claim barriers]
 * Text=It takes a second barrier
 * Metric=barriers
 * Against=specimens/unset-counter
 * Low=2
 * High=2
 */
