// SPDX-License-Identifier: MIT
// Sum by way of the heap, whose memory is freed last.
/*! cured
 * [Kernel]
 * Title=Heap memory freed last
 * Summary=Sums of threads in memory of malloc, which is freed after they were added
 * Family=specimens
 * Step=27
 * Like=specimens/branch-barrier
 *
 * [Launch]
 * Entry=specimens_freed_early_fixed
 * Grid=1
 * Block=block
 * Arguments=in,out,n
 */

/* The twin of specimens/freed-early: memory is freed when its last value has
 * been read. */
extern "C" __global__ void
specimens_freed_early_fixed (const int *__restrict__ in, int *out, int n)
{
  __shared__ int *sums;
  int sum = 0;

  if (threadIdx.x == 0)
    sums = static_cast<int *> (malloc (BLOCK * sizeof (int)));
  __syncthreads ();
  for (int i = threadIdx.x; i < n; i += BLOCK)
    sum += in[i];
  sums[threadIdx.x] = sum;
  __syncthreads ();
  if (threadIdx.x == 0)
    {
      int total = 0;

      for (int i = 0; i < BLOCK; i++)
        total += sums[i];
      free (sums);
      out[0] = total;
    }
}

/*! cured
 * [Claim clean]
 * Text=No freed memory is used
 * Metric=findings
 * High=0
 */
