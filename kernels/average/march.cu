// SPDX-License-Identifier: MIT
// Averaging filter in registers: a warp marches through the array.
/*! cured
 * [Kernel]
 * Title=Averaging in registers, marching
 * Summary=A warp goes from piece to piece, a step to the left with each iteration, and needs ghost zones only where it begins and ends
 * Family=average
 * Step=7
 * Bytes=8*n
 * Flops=3*n*iterations
 * Ceiling=fp32
 * Like=average/global
 *
 * [Parameter block]  # none
 *
 * [Parameter elements]
 * Kind=compile
 * Values=4..160:4
 * Default=124
 * Summary=elements per thread
 *
 * [Parameter steps]
 * Kind=compile
 * Values=1..256
 * Default=100
 * Summary=iterations per launch
 *
 * [Parameter unroll]
 * Kind=compile
 * Values=1..4
 * Default=2
 * Summary=iterations that the code unrolls
 *
 * [Parameter warps]
 * Kind=compile
 * Values=1..32
 * Default=4
 * Summary=warps per block
 *
 * [Parameter strips]
 * Kind=launch
 * Values=1..64
 * Default=12
 * Summary=strips per multiprocessor, a warp each
 *
 * [Launch 1]
 * Entry=average_march
 * Grid=ceil(max(sms,1)*strips/warps)
 * Block=32*warps
 * Shared=(128*elements+64*ceil(steps/4))*warps
 * Arguments=in,spare,out,(ceil(iterations/steps)-1)%2,n:i64,iterations-(ceil(iterations/steps)-1)*steps,ceil((n+32*elements+8*ceil(steps/4)*max(sms,1)*strips)/(32*elements*max(sms,1)*strips))
 *
 * [Launch 2]
 * Entry=average_march
 * Grid=ceil(max(sms,1)*strips/warps)
 * Block=32*warps
 * Shared=(128*elements+64*ceil(steps/4))*warps
 * Arguments=spare,spare,out,0,n:i64,steps,ceil((n+32*elements+8*ceil(steps/4)*max(sms,1)*strips)/(32*elements*max(sms,1)*strips))
 * Repeat=ceil(iterations/steps)-1
 * Swap=spare,out
 */

#define WIDTH (32 * ELEMENTS)
#define GHOST ((STEPS + 3) / 4 * 4)

/* x / 3 to the bit, see average/shared. */
#define HIGH 0x1.555554p-2F
#define LOW  0x1.555556p-26F

__device__ __forceinline__ float
third (float x)
{
  return __fmaf_rn (x, HIGH, __fmul_rn (x, LOW));
}

/* One iteration, in place, from right to left. Lane 0 takes its left
 * neighbours from "before", and lane 31 saves its right end in "after". */
__device__ __forceinline__ void
filter (
    float x[ELEMENTS], const float2 *before, float2 *after, int low, int high)
{
  const int lane = threadIdx.x % 32;
  float2 left;

  left.x = __shfl_up_sync (0xffffffff, x[ELEMENTS - 2], 1);
  left.y = __shfl_up_sync (0xffffffff, x[ELEMENTS - 1], 1);
  if (lane == 31)
    *after = make_float2 (x[ELEMENTS - 2], x[ELEMENTS - 1]);
  if (lane == 0)
    left = *before;
#pragma unroll
  for (int e = ELEMENTS - 1; e >= 0; e--)
    {
      const float first = e >= 2 ? x[e - 2] : e == 1 ? left.y : left.x;
      const float second = e >= 1 ? x[e - 1] : left.y;

      /* Unchanged elements move, too. */
      x[e] = e >= low && e < high ? third (first + second + x[e]) : second;
    }
}

/* As in average/staged: loads a piece with full sectors and transposes it
 * through shared memory, so that each thread gets neighbours. */
__device__ __forceinline__ void
load (float x[ELEMENTS],
      float4 *tile,
      const float *in,
      long long start,
      long long n,
      bool is_inner)
{
  const int lane = threadIdx.x % 32;

  if (is_inner)
    {
#pragma unroll
      for (int k = 0; k < ELEMENTS / 4; k++)
        tile[32 * k + lane] = ((const float4 *) (in + start))[32 * k + lane];
    }
  else
    for (int k = lane; k < WIDTH; k += 32)
      ((float *) tile)[k] = start + k >= 0 && start + k < n ? in[start + k] : 0;
  __syncwarp ();
#pragma unroll
  for (int k = 0; k < ELEMENTS / 4; k++)
    {
      const float4 four = tile[ELEMENTS / 4 * lane + k];

      x[4 * k] = four.x;
      x[4 * k + 1] = four.y;
      x[4 * k + 2] = four.z;
      x[4 * k + 3] = four.w;
    }
}

/* The inverse, for the strip. */
__device__ __forceinline__ void
store (const float x[ELEMENTS],
       float4 *tile,
       float *out,
       long long start,
       long long begin,
       long long end)
{
  const int lane = threadIdx.x % 32;

  /* No lane may write there while another one still reads its loads. */
  __syncwarp ();
#pragma unroll
  for (int k = 0; k < ELEMENTS / 4; k++)
    tile[ELEMENTS / 4 * lane + k] =
        make_float4 (x[4 * k], x[4 * k + 1], x[4 * k + 2], x[4 * k + 3]);
  __syncwarp ();
  if (start >= begin && start + WIDTH <= end && start % 4 == 0)
    {
#pragma unroll
      for (int k = 0; k < ELEMENTS / 4; k++)
        ((float4 *) (out + start))[32 * k + lane] = tile[32 * k + lane];
    }
  else
    for (int k = lane; k < WIDTH; k += 32)
      if (start + k >= begin && start + k < end)
        out[start + k] = ((const float *) tile)[k];
  /* And the next piece may not be loaded over elements that are still being
   * stored. */
  __syncwarp ();
}

/* Before: instruction issue, part of it on results computed twice. Now:
 * instruction issue. average/staged redoes ghost zones; average/block has fewer,
 * at the price of barriers.
 *
 * Against average/staged: a warp owns a long strip, and processes it piece by
 * piece. In each iteration its piece moves left by one element: element e
 * becomes the mean of e - 2, e - 1 and e. It needs nothing from the right, and
 * from the left the two values that the same warp had at the right end of its
 * previous piece, in the same iteration. These stay in shared memory. So
 * pieces join without ghost zones; only the strip has them, at its two ends.
 *
 * Then all iterations fit in one launch, memory is read and written once, and
 * arithmetic is the limit: 4 instructions per element and iteration, for three
 * counted operations. With at most two operations per instruction, that is 3 /
 * 8 of the device's peak at best, and this is near it. There are as many
 * strips as resident warps, so all end together. */
extern "C" __global__ void __launch_bounds__ (32 * WARPS)
    average_march (const float *in,
                   float *spare,
                   float *out,
                   int to_spare,
                   long long n,
                   int steps,
                   int pieces)
{
  extern __shared__ float4 tiles[];
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  const long long strip = (long long) blockIdx.x * WARPS + warp;
  const long long length = (long long) WIDTH * pieces - 2 * GHOST;
  /* The first strip has one piece less: the array's ends take longer. */
  const long long begin = strip * length - WIDTH;
  const long long first = begin > 0 ? begin : 0;
  const long long end = begin + length < n ? begin + length : n;
  float4 *tile = tiles + (WIDTH / 4 + GHOST) * warp;
  /* Of the piece before, and of this one: they alternate. */
  float2 *ends = (float2 *) (tile + WIDTH / 4);
  float x[ELEMENTS];

  /* The first piece has no predecessor; the resulting values are not kept. */
  for (int k = lane; k < 2 * GHOST; k += 32)
    ends[k] = make_float2 (0, 0);
  __syncwarp ();

  if (begin >= n)
    return;
  /* A piece before the array needs no work. */
  for (int piece = begin - GHOST + WIDTH <= 0; piece < pieces; piece++)
    {
      const long long start = begin - GHOST + (long long) WIDTH * piece;
      const bool is_inner = start > steps && start + WIDTH < n;
      const float2 *before = ends + piece % 2 * GHOST;
      float2 *after = ends + (piece + 1) % 2 * GHOST;

      if (start - steps >= end)
        break;
      load (x, tile, in, start, n, start >= 0 && start + WIDTH <= n);
      if (is_inner)
        {
#pragma unroll UNROLL
          for (int step = 0; step < steps; step++)
            filter (x, before + step, after + step, 0, ELEMENTS);
        }
      else
        {
#pragma unroll 1
          for (int step = 0; step < steps; step++)
            {
              /* The place of x[0] after this iteration. */
              const long long at = start + lane * ELEMENTS - 1 - step;
              const long long last = n - 1 - at;

              filter (x,
                      before + step,
                      after + step,
                      at < 1 ? (int) (1 - at) : 0,
                      last < ELEMENTS ? (int) last : ELEMENTS);
            }
        }
      store (x, tile, to_spare ? spare : out, start - steps, first, end);
    }
}

/*! cured
 * [Sweep]
 * X=strips
 * Y=elements
 * strips=4,8,12,16,20
 * elements=28,60,92,124
 *
 * [Claim sectors]
 * Text=It requests fewer sectors of global memory than with ghost zones per warp
 * Metric=global_sectors
 * At=elements=12,steps=20,strips=1,n=400000,iterations=20
 * Against=average/staged elements=12,steps=20,n=400000,iterations=20
 * High=0.96
 *
 * [Claim no conflicts]
 * Text=124 elements per thread are free of bank conflicts
 * Metric=excess_wavefronts
 * At=n=20000,steps=20,strips=1,iterations=20
 * High=0
 *
 * [Claim much faster]
 * Text=It takes less than a twentieth of the time of average/global
 * Metric=time
 * Against=average/global
 * High=1/20
 *
 * [Claim limit]
 * Text=It reaches more than 32 % of the device's arithmetic rate
 * Metric=of_ceiling
 * Low=0.32
 * High=3/8
 */
