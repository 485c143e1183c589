// SPDX-License-Identifier: MIT
// Averaging filter in registers, with shuffles between lanes.
/*! cured
 * [Kernel]
 * Title=Averaging in registers
 * Summary=A warp holds a piece in its registers for many iterations; lanes exchange their ends
 * Family=average
 * Step=4
 * Bytes=8*n
 * Flops=3*n*iterations
 * Ceiling=fp32
 * Like=average/global
 *
 * [Parameter block]  # none
 *
 * [Parameter elements]
 * Kind=compile
 * Values=4..128:4
 * Default=64
 * Summary=elements per thread
 *
 * [Parameter steps]
 * Kind=compile
 * Values=1..256
 * Default=100
 * Summary=iterations per launch
 *
 * [Parameter warps]
 * Kind=compile
 * Values=1..32
 * Default=1
 * Summary=warps per block
 *
 * [Require core]
 * If=32*elements > 8*ceil(steps/4)
 * Reason=the ghost zones leave nothing of the warp's piece
 *
 * [Launch 1]
 * Entry=average_warp
 * Grid=ceil(ceil(n/(32*elements-8*ceil(steps/4)))/warps)
 * Block=32*warps
 * Arguments=in,spare,out,(ceil(iterations/steps)-1)%2,n:i64,iterations-(ceil(iterations/steps)-1)*steps
 *
 * [Launch 2]
 * Entry=average_warp
 * Grid=ceil(ceil(n/(32*elements-8*ceil(steps/4)))/warps)
 * Block=32*warps
 * Arguments=spare,spare,out,0,n:i64,steps
 * Repeat=ceil(iterations/steps)-1
 * Swap=spare,out
 */

#define WIDTH (32 * ELEMENTS)
/* A multiple of 4, so that all vectors of 16 bytes are aligned. */
#define GHOST ((STEPS + 3) / 4 * 4)

/* x / 3 to the bit, see average/shared. */
#define HIGH 0x1.555554p-2F
#define LOW  0x1.555556p-26F

__device__ __forceinline__ float
third (float x)
{
  return __fmaf_rn (x, HIGH, __fmul_rn (x, LOW));
}

/* One iteration of a warp's piece, in place. Neighbours beyond a thread's two
 * ends come from the lanes beside it. Elements from "low" up to, not
 * including, "high" change. */
__device__ __forceinline__ void
filter (float x[ELEMENTS], int low, int high)
{
  const float left = __shfl_up_sync (0xffffffff, x[ELEMENTS - 1], 1);
  const float right = __shfl_down_sync (0xffffffff, x[0], 1);
  float pair = left + x[0];

#pragma unroll
  for (int e = 0; e < ELEMENTS; e++)
    {
      const float next = e < ELEMENTS - 1 ? x[e + 1] : right;
      const float sum = pair + next;

      /* Before x[e] is overwritten, so that no register needs to be moved. */
      pair = x[e] + next;
      if (e >= low && e < high)
        x[e] = third (sum);
    }
}

/* All iterations. In most pieces every element changes. At the ends of the
 * array, each element checks whether it is the first or the last, which stay;
 * values beyond them do not matter. */
__device__ __forceinline__ void
filter_all (
    float x[ELEMENTS], bool is_inner, long long first, long long n, int steps)
{
  if (is_inner)
    {
#pragma unroll 2
      for (int step = 0; step < steps; step++)
        filter (x, 0, ELEMENTS);
    }
  else
    {
      const int low = first < 1 ? (int) (1 - first) : 0;
      const int high =
          n - 1 - first < ELEMENTS ? (int) (n - 1 - first) : ELEMENTS;

#pragma unroll 1
      for (int step = 0; step < steps; step++)
        filter (x, low, high);
    }
}

/* Before: shared memory and barriers: for each element, average/shared reads
 * two elements there and writes one, and it waits for the whole block in each
 * iteration. Now: instruction issue.
 *
 * Against average/shared: registers. A warp holds 32 * ELEMENTS neighbouring
 * elements, ELEMENTS of them in each thread, so most neighbours of an element
 * are in the same thread; two shuffles per iteration bring the others. There
 * are no barriers, and no shared memory. An element then costs two additions, a
 * multiplication and a fused multiply-add: four instructions, and 2 / ELEMENTS
 * shuffles. Each warp has ghost zones, which cost 2 * STEPS out of 32 *
 * ELEMENTS.
 *
 * The obstacle: a thread's elements are neighbours in memory, so lanes read
 * pieces far apart, each 16 bytes of a different sector. */
extern "C" __global__ void __launch_bounds__ (32 * WARPS)
    average_warp (const float *in,
                  float *spare,
                  float *out,
                  int to_spare,
                  long long n,
                  int steps)
{
  const int lane = threadIdx.x % 32;
  const long long piece = (long long) blockIdx.x * WARPS + threadIdx.x / 32;
  const long long start = piece * (WIDTH - 2 * GHOST) - GHOST;
  const long long first = start + lane * ELEMENTS;
  const bool is_inner = start >= 0 && start + WIDTH <= n;
  float x[ELEMENTS];

  if (start + GHOST >= n)
    return;
  if (to_spare)
    out = spare;

#pragma unroll
  for (int e = 0; e < ELEMENTS; e += 4)
    if (is_inner)
      *(float4 *) (x + e) = *(const float4 *) (in + first + e);
    else
#pragma unroll
      for (int k = e; k < e + 4; k++)
        x[k] = first + k >= 0 && first + k < n ? in[first + k] : 0;

  filter_all (x, is_inner, first, n, steps);

#pragma unroll
  for (int e = 0; e < ELEMENTS; e += 4)
    {
      const int at = lane * ELEMENTS + e;

      if (at < GHOST || at >= WIDTH - GHOST)
        continue;
      if (is_inner)
        *(float4 *) (out + first + e) = *(float4 *) (x + e);
      else
#pragma unroll
        for (int k = e; k < e + 4; k++)
          if (first + k < n)
            out[first + k] = x[k];
    }
}

/*! cured
 * [Sweep]
 * X=steps
 * Y=elements
 * steps=5,10,20,50,100
 * elements=8,16,32,64
 *
 * [Claim instructions]
 * Text=It takes less than half of the instructions of the step before
 * Metric=instructions
 * At=elements=32,steps=20,n=20000,iterations=20
 * Against=average/shared steps=20,n=20000,iterations=20
 * High=0.4
 *
 * [Claim sectors]
 * Text=A load or store of a warp requests a sector per lane
 * Metric=sectors_per_request
 * At=steps=20,n=20000,iterations=20
 * Low=28
 *
 * [Claim faster]
 * Text=It takes less than two fifths of the time of average/shared
 * Metric=time
 * Against=average/shared
 * High=0.4
 *
 * [Claim few steps]
 * Text=With 5 iterations per launch the loads dominate: it takes more than half of the time of average/shared
 * Metric=time
 * At=steps=5
 * Against=average/shared steps=5
 * Low=0.5
 */
