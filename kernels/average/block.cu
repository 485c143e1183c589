// SPDX-License-Identifier: MIT
// Averaging filter in registers, with ghost zones of whole blocks.
/*! cured
 * [Kernel]
 * Title=Averaging in registers, blockwise
 * Summary=The warps of a block exchange their ends in each iteration: only the block has ghost zones
 * Family=average
 * Step=6
 * Role=detour
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
 * Default=92
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
 * Default=4
 * Summary=warps per block
 *
 * [Require core]
 * If=32*elements*warps > 8*ceil(steps/4)
 * Reason=the ghost zones leave nothing of the block
 *
 * [Launch 1]
 * Entry=average_block
 * Grid=ceil(n/(32*elements*warps-8*ceil(steps/4)))
 * Block=32*warps
 * Shared=128*elements*warps
 * Arguments=in,spare,out,(ceil(iterations/steps)-1)%2,n:i64,iterations-(ceil(iterations/steps)-1)*steps
 *
 * [Launch 2]
 * Entry=average_block
 * Grid=ceil(n/(32*elements*warps-8*ceil(steps/4)))
 * Block=32*warps
 * Shared=128*elements*warps
 * Arguments=spare,spare,out,0,n:i64,steps
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

/* One iteration, in place; "parity" alternates. The threads at a warp's ends
 * publish their end elements to the neighbouring warps. Most of the work is
 * between that and the barrier, and the elements at the ends come last. */
__device__ __forceinline__ void
filter (
    float x[ELEMENTS], float (*ends)[2][WARPS], int parity, int low, int high)
{
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  float left = __shfl_up_sync (0xffffffff, x[ELEMENTS - 1], 1);
  float right = __shfl_down_sync (0xffffffff, x[0], 1);
  const float first = x[0];
  const float second = x[1];
  float pair = first + second;

  if (lane == 0)
    ends[parity][0][warp] = x[0];
  if (lane == 31)
    ends[parity][1][warp] = x[ELEMENTS - 1];
#pragma unroll
  for (int e = 1; e < ELEMENTS - 1; e++)
    {
      const float sum = pair + x[e + 1];

      pair = x[e] + x[e + 1];
      if (e >= low && e < high)
        x[e] = third (sum);
    }
  __syncthreads ();
  if (lane == 0 && warp > 0)
    left = ends[parity][1][warp - 1];
  if (lane == 31 && warp < WARPS - 1)
    right = ends[parity][0][warp + 1];
  if (0 >= low && 0 < high)
    x[0] = third ((left + first) + second);
  if (ELEMENTS - 1 >= low && ELEMENTS - 1 < high)
    x[ELEMENTS - 1] = third (pair + right);
}

/* All iterations. In most pieces every element changes. At the ends of the
 * array, each element checks whether it is the first or the last, which stay;
 * values beyond them do not matter. */
__device__ __forceinline__ void
filter_all (float x[ELEMENTS],
            float (*ends)[2][WARPS],
            bool is_inner,
            long long first,
            long long n,
            int steps)
{
  if (is_inner)
    {
#pragma unroll 2
      for (int step = 0; step < steps; step++)
        filter (x, ends, step % 2, 0, ELEMENTS);
    }
  else
    {
      const int low = first < 1 ? (int) (1 - first) : 0;
      const int high =
          n - 1 - first < ELEMENTS ? (int) (n - 1 - first) : ELEMENTS;

#pragma unroll 1
      for (int step = 0; step < steps; step++)
        filter (x, ends, step % 2, low, high);
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

/* The inverse, for the block's core. */
__device__ __forceinline__ void
store (const float x[ELEMENTS],
       float4 *tile,
       float *out,
       long long start,
       long long begin,
       long long end,
       bool is_inner)
{
  const int lane = threadIdx.x % 32;

  /* No lane may write there while another one still reads its loads. */
  __syncwarp ();
#pragma unroll
  for (int k = 0; k < ELEMENTS / 4; k++)
    tile[ELEMENTS / 4 * lane + k] =
        make_float4 (x[4 * k], x[4 * k + 1], x[4 * k + 2], x[4 * k + 3]);
  __syncwarp ();
  if (is_inner)
    {
#pragma unroll
      for (int k = lane; k < WIDTH / 4; k += 32)
        if (start + 4 * k >= begin && start + 4 * k < end)
          ((float4 *) (out + start))[k] = tile[k];
    }
  else
    for (int k = lane; k < WIDTH; k += 32)
      if (start + k >= begin && start + k < end)
        out[start + k] = ((const float *) tile)[k];
}

/* Before: instruction issue, part of it in ghost zones: with 76 elements per
 * thread and 50 iterations, a warp redoes 104 elements of 2432, and with longer
 * pieces fewer warps are resident: 12 instead of 16 with 92 elements. Now:
 * instruction issue.
 *
 * A detour, against average/staged: the warps of a block exchange the elements
 * at their ends in each iteration, through shared memory. Only the block has
 * ghost zones, and all iterations fit in one launch, for a barrier per
 * iteration. Two places for the ends alternate, so one barrier is enough.
 *
 * Expect no gain: with few warps per block more is recomputed, and with many
 * there is more waiting. */
extern "C" __global__ void __launch_bounds__ (32 * WARPS)
    average_block (const float *in,
                   float *spare,
                   float *out,
                   int to_spare,
                   long long n,
                   int steps)
{
  extern __shared__ float4 tiles[];
  __shared__ float ends[2][2][WARPS];
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  const long long begin = (long long) blockIdx.x * (WARPS * WIDTH - 2 * GHOST);
  const long long after = begin + WARPS * WIDTH - 2 * GHOST;
  const long long end = after < n ? after : n;
  const long long start = begin - GHOST + warp * WIDTH;
  const bool is_inner = start >= 0 && start + WIDTH <= n;
  float4 *tile = tiles + WIDTH / 4 * warp;
  float x[ELEMENTS];

  load (x, tile, in, start, n, is_inner);
  filter_all (x, ends, is_inner, start + lane * ELEMENTS, n, steps);
  store (x, tile, to_spare ? spare : out, start, begin, end, is_inner);
}

/*! cured
 * [Sweep]
 * X=warps
 * Y=elements
 * warps=1,2,4,8,16
 * elements=28,44,60,92
 *
 * [Claim barriers]
 * Text=Each warp waits once per iteration
 * Metric=barriers
 * At=warps=8,n=100,iterations=20
 * Low=160
 * High=160
 *
 * [Claim no gain]
 * Text=The barriers cost what the ghost zones save
 * Metric=time
 * Against=average/staged
 * Low=0.93
 * High=1.1
 *
 * [Claim one warp]
 * Text=With one warp per block there is no neighbour to exchange with, and it is slower
 * Metric=time
 * At=warps=1
 * Against=warps=4
 * Low=1.02
 */
