// SPDX-License-Identifier: MIT
// Sum by way of the heap, whose memory is freed too early, wrong on purpose.
/*! cured
 * [Kernel]
 * Title=Heap memory freed too early
 * Summary=Sums of threads in memory of malloc, which is freed before they are added
 * Family=specimens
 * Step=27
 * Defect=heap
 * Like=specimens/branch-barrier
 *
 * [Parameter block]
 * Kind=compile
 * Values=32..1024:32
 * Default=256
 * Summary=threads per block
 *
 * [Launch]
 * Entry=specimens_freed_early
 * Grid=1
 * Block=block
 * Arguments=in,out,n
 */

/* A specimen. Freed memory usually still contains the sums, as long as
 * nothing else was allocated in between. A kernel that does allocate
 * overwrites them. */
extern "C" __global__ void
specimens_freed_early (const int *__restrict__ in, int *out, int n)
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

      free (sums);
      for (int i = 0; i < BLOCK; i++)
        total += sums[i];
      out[0] = total;
    }
}

/*! cured
 * [Claim found]
 * Text=The sums are read after they were freed
 * Metric=findings
 * Low=1
 */
