// SPDX-License-Identifier: MIT
// Averaging filter in shared memory, several iterations per launch.
/*! cured
 * [Kernel]
 * Title=Averaging in shared memory
 * Summary=Each block loads ghost zones as wide as its iterations, and repeats its neighbours' work there
 * Family=average
 * Step=3
 * Bytes=8*n
 * Flops=3*n*iterations
 * Ceiling=fp32
 * Like=average/global
 *
 * [Parameter elements]  # none
 *
 * [Parameter block]
 * Kind=compile
 * Values=1..1024
 * Default=512
 * Summary=threads per block, and elements that it loads
 *
 * [Parameter steps]
 * Kind=compile
 * Values=1..256
 * Default=20
 * Summary=iterations per launch
 *
 * [Parameter division]
 * Kind=compile
 * Values=0,1
 * Default=multiply
 * Names=divide,multiply
 * Summary=how to divide by three
 *
 * [Require core]
 * If=block > 2*steps
 * Reason=the ghost zones leave nothing of the block
 *
 * [Launch 1]
 * Entry=average_shared
 * Grid=ceil(n/(block-2*steps))
 * Block=block
 * Arguments=in,spare,out,(ceil(iterations/steps)-1)%2,n:i64,iterations-(ceil(iterations/steps)-1)*steps
 *
 * [Launch 2]
 * Entry=average_shared
 * Grid=ceil(n/(block-2*steps))
 * Block=block
 * Arguments=spare,spare,out,0,n:i64,steps
 * Repeat=ceil(iterations/steps)-1
 * Swap=spare,out
 */

/* x / 3, rounded as a division rounds. A third is HIGH + LOW to 48 bits. The
 * product with LOW is rounded, which no longer matters: x / 3 is never nearer
 * than a sixth of its last place to a rounding boundary. HIGH is rounded down,
 * so that zeros and infinities keep their sign. The results differ from a
 * division's below 2^-122 only; tests/kernels/test-thirds.c tries every
 * mantissa. */
#define HIGH 0x1.555554p-2F
#define LOW  0x1.555556p-26F

__device__ __forceinline__ float
third (float x)
{
  return DIVISION == 0 ? x / 3 : __fmaf_rn (x, HIGH, __fmul_rn (x, LOW));
}

/* Before: block dispatch; with more elements per thread, memory: average/global
 * moves 8 bytes per element and iteration, for two additions and a division.
 * Now: shared memory.
 *
 * Against average/global: a block makes several iterations before it writes.
 * For that it needs its neighbours' intermediate results, so it loads "steps"
 * elements more on each side, the ghost zones, and computes these again itself.
 * With each iteration the outermost elements become wrong, one more on each
 * side; after all of them the core is still right.
 *
 * The heat map is the trade-off. More iterations per launch move fewer bytes
 * per iteration, but leave less of the block: of 128 elements, 28 after 50
 * iterations, of 1024 still 924.
 *
 * A division is many instructions, which begin to matter here. A division by a
 * constant can be two, see third(), with the same bits. */
extern "C" __global__ void
__launch_bounds__ (BLOCK) average_shared (const float *in,
                                          float *spare,
                                          float *out,
                                          int to_spare,
                                          long long n,
                                          int steps)
{
  __shared__ float tiles[2][BLOCK];
  const int k = threadIdx.x;
  const long long i = (long long) blockIdx.x * (BLOCK - 2 * STEPS) - STEPS + k;
  const bool is_kept = k >= STEPS && k < BLOCK - STEPS && i < n;
  /* The array's ends stay, and the block's have no neighbour. */
  const bool has_neighbours = k > 0 && k < BLOCK - 1 && i > 0 && i < n - 1;
  float value = i >= 0 && i < n ? in[i] : 0;

  if (to_spare)
    out = spare;
  for (int step = 0; step < steps; step++)
    {
      float *tile = tiles[step % 2];

      /* One barrier per iteration is enough: the next one writes the other
       * tile. */
      tile[k] = value;
      __syncthreads ();
      if (has_neighbours)
        value = third (tile[k - 1] + value + tile[k + 1]);
    }
  if (is_kept)
    out[i] = value;
}

/*! cured
 * [Sweep]
 * X=steps
 * Y=block
 * steps=5,20,50
 * block=128,512,1024
 * division=divide,multiply
 *
 * [Claim sectors]
 * Text=20 iterations per launch load and store once, plus ghost zones of 20 elements on each side
 * Question=What fraction of the sectors does it request with 20 iterations per launch instead of 1?
 * Metric=global_sectors
 * At=steps=20,n=20000,iterations=20
 * Against=steps=1
 * High=0.06
 *
 * [Claim faster]
 * Text=Shared memory is the limit now, not global memory
 * Question=What fraction of the time of average/global does it take?
 * Metric=time
 * Against=average/global
 * High=0.19
 *
 * [Claim division]
 * Text=Without divisions, two thirds of the time or less
 * Metric=time
 * Against=division=divide
 * High=0.67
 */
