// SPDX-License-Identifier: MIT
// Averaging filter in registers, loaded and stored through shared memory.
/*! cured
 * [Kernel]
 * Title=Averaging in registers, staged
 * Summary=As average/warp, but loads and stores pass through shared memory, which turns vectors into neighbours
 * Family=average
 * Step=5
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
 * Default=76
 * Summary=elements per thread
 *
 * [Parameter steps]
 * Kind=compile
 * Values=1..256
 * Default=50
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
 * Entry=average_staged
 * Grid=ceil(ceil(n/(32*elements-8*ceil(steps/4)))/warps)
 * Block=32*warps
 * Shared=128*elements*warps
 * Arguments=in,spare,out,(ceil(iterations/steps)-1)%2,n:i64,iterations-(ceil(iterations/steps)-1)*steps
 *
 * [Launch 2]
 * Entry=average_staged
 * Grid=ceil(ceil(n/(32*elements-8*ceil(steps/4)))/warps)
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

/* As in average/warp: one iteration of a warp's piece, in place. */
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

/* Loads a piece with full sectors and transposes it through shared memory, so
 * that each thread gets neighbours. */
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

/* The inverse, for the piece's core. */
__device__ __forceinline__ void
store (const float x[ELEMENTS],
       float4 *tile,
       float *out,
       long long start,
       long long n,
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
        if (k >= GHOST / 4 && k < (WIDTH - GHOST) / 4)
          ((float4 *) (out + start))[k] = tile[k];
    }
  else
    for (int k = GHOST + lane; k < WIDTH - GHOST && start + k < n; k += 32)
      out[start + k] = ((const float *) tile)[k];
}

/* Before: instruction issue; with few iterations per launch, the loads: a load
 * of 16 bytes per lane takes 32 sectors, and each sector is requested twice.
 * Now: instruction issue.
 *
 * Against average/warp: a warp loads its piece with one vector of 16 bytes per
 * lane, side by side, stores it in shared memory and reads ELEMENTS neighbours
 * per thread. It needs no barrier, since each warp has its own part of shared
 * memory.
 *
 * The eight lanes that shared memory serves at once read vectors that are
 * ELEMENTS words apart. They are in eight different groups of banks where
 * ELEMENTS / 4 is odd, and all in one for ELEMENTS = 64.
 *
 * Expect a large gain with few iterations per launch, and little with many:
 * then the four instructions per element are the limit. */
extern "C" __global__ void __launch_bounds__ (32 * WARPS)
    average_staged (const float *in,
                    float *spare,
                    float *out,
                    int to_spare,
                    long long n,
                    int steps)
{
  extern __shared__ float4 tiles[];
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  const long long piece = (long long) blockIdx.x * WARPS + warp;
  const long long start = piece * (WIDTH - 2 * GHOST) - GHOST;
  const bool is_inner = start >= 0 && start + WIDTH <= n;
  float4 *tile = tiles + WIDTH / 4 * warp;
  float x[ELEMENTS];

  if (start + GHOST >= n)
    return;
  load (x, tile, in, start, n, is_inner);
  filter_all (x, is_inner, start + lane * ELEMENTS, n, steps);
  store (x, tile, to_spare ? spare : out, start, n, is_inner);
}

/*! cured
 * [Sweep]
 * X=steps
 * Y=elements
 * steps=5,10,20,50,100
 * elements=28,60,64,76,92
 *
 * [Claim sectors]
 * Text=With 60 elements per thread, it requests less than half of the sectors of the step before
 * Metric=global_sectors
 * At=elements=60,steps=20,n=20000,iterations=20
 * Against=average/warp elements=60,steps=20,n=20000,iterations=20
 * High=0.45
 *
 * [Claim no conflicts]
 * Text=60 elements per thread are free of bank conflicts
 * Metric=excess_wavefronts
 * At=elements=60,steps=20,n=20000,iterations=20
 * High=0
 *
 * [Claim conflicts]
 * Text=64 elements per thread take shared memory four times as long
 * Metric=shared_wavefronts
 * At=elements=64,steps=20,n=20000,iterations=20
 * Against=elements=60
 * Low=4
 *
 * [Claim few steps]
 * Text=With 20 iterations per launch, 60 elements per thread take at most three quarters of the time of 64 in the step before
 * Metric=time
 * At=elements=60,steps=20
 * Against=average/warp elements=64,steps=20
 * High=0.75
 *
 * [Claim many steps]
 * Text=At its best, it is slightly ahead of the step before
 * Metric=time
 * Against=average/warp
 * Low=0.88
 * High=1
 */
