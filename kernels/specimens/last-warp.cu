// SPDX-License-Identifier: MIT
// Sum of a block whose last warp does not wait, wrong on purpose.
/*! cured
 * [Kernel]
 * Title=Last warp unrolled, without __syncwarp
 * Summary=Tree reduction; the last 64 sums are added by one warp, which is assumed to run in lockstep
 * Family=specimens
 * Step=2
 * Defect=race
 * Like=specimens/branch-barrier
 *
 * [Launch]
 * Entry=specimens_last_warp
 * Grid=1
 * Block=block
 * Arguments=in,out,n
 */

/* A specimen. The last 64 sums are added up by one warp, and its author left
 * the barriers out: a warp was assumed to run in lockstep, so that every lane
 * has read before any writes. That held until 2017. Since then (compute
 * capability 7.0) each lane has its own place in the program, the compiler may
 * move lanes apart, and volatile only says that each access happens. Lane 0
 * reads what lane 16 is about to overwrite.
 *
 * Expect the right sum on most GPUs and compilers, and a finding nevertheless.
 * specimens/last-warp-fixed has __syncwarp (), and so does reduce/last-warp,
 * the corresponding step of the ladder. */
__device__ void
add_warp (volatile int *sums, int lane)
{
  sums[lane] += sums[lane + 32];
  sums[lane] += sums[lane + 16];
  sums[lane] += sums[lane + 8];
  sums[lane] += sums[lane + 4];
  sums[lane] += sums[lane + 2];
  sums[lane] += sums[lane + 1];
}

extern "C" __global__ void
specimens_last_warp (const int *__restrict__ in, int *out, int n)
{
  __shared__ int sums[BLOCK];
  int sum = 0;

  for (int i = threadIdx.x; i < n; i += BLOCK)
    sum += in[i];
  sums[threadIdx.x] = sum;
  __syncthreads ();
  for (int half = BLOCK / 2; half > 32; half /= 2)
    {
      if (threadIdx.x < half)
        sums[threadIdx.x] += sums[threadIdx.x + half];
      __syncthreads ();
    }
  if (threadIdx.x < 32)
    add_warp (sums, threadIdx.x);
  if (threadIdx.x == 0)
    out[0] = sums[0];
}

/*! cured
 * [Claim found]
 * Text=Lanes read elements that other lanes of their warp overwrite
 * Metric=findings
 * Low=1
 *
 * [Claim saving]
 * Text=The missing barriers are one instruction in forty
 * Metric=instructions
 * Against=specimens/last-warp-fixed
 * Low=0.97
 * High=0.98
 */
