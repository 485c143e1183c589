// SPDX-License-Identifier: MIT
// Sum in shared memory that starts at nothing, wrong on purpose.
/*! cured
 * [Kernel]
 * Title=Uninitialized sum in shared memory
 * Summary=Each warp adds to one number in shared memory, whatever it was before
 * Family=specimens
 * Step=7
 * Defect=uninitialized
 * Like=specimens/branch-barrier
 *
 * [Parameter block]
 * Kind=compile
 * Values=32..1024:32
 * Default=256
 * Summary=threads per block
 *
 * [Launch]
 * Entry=specimens_unset_counter
 * Grid=1
 * Block=block
 * Arguments=in,out,n
 */

/* A specimen. Shared memory contains the leftovers of the previous block, not
 * zeros, and the first addition reads them. On a freshly reset GPU they may
 * well be 0, and the sum right. */
extern "C" __global__ void
specimens_unset_counter (const int *__restrict__ in, int *out, int n)
{
  __shared__ int total;
  int sum = 0;

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
 * [Claim found]
 * Text=The first addition reads unwritten shared memory
 * Metric=findings
 * Low=1
 */
