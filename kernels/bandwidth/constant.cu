// SPDX-License-Identifier: MIT
// Streaming reads of constant memory: one word for all lanes, or several.
/*! cured
 * [Kernel]
 * Title=Streaming reads of constant memory
 * Summary=Each block reads a small array of constants, over and over
 * Family=bandwidth
 * Step=6
 * Bytes=4*32*warps*passes*blocks*floor(256/ways)
 *
 * [Parameter ways]
 * Kind=compile
 * Values=1,2,4,8,16,32
 * Default=1
 * Summary=different words that the lanes of a warp want at a time
 *
 * [Parameter warps]
 * Kind=launch
 * Values=1..32
 * Default=32
 * Summary=warps a block
 *
 * [Parameter passes]
 * Kind=problem
 * Default=64
 * Summary=how often the array is read
 *
 * [Parameter blocks]
 * Kind=launch
 * Default=132
 * Summary=blocks in the grid
 *
 * [Buffer in]
 * Type=u32
 * Length=256
 * Fill=ramp
 *
 * [Buffer out]
 * Type=u32
 * Length=32*warps
 * Fill=poison
 *
 * [Buffer cycles]
 * Type=u32
 * Length=blocks
 * Fill=poison
 *
 * [Launch]
 * Entry=bandwidth_constant
 * Grid=blocks
 * Block=32*warps
 * Arguments=out,cycles,passes,0
 *
 * [Cycles]
 * Buffer=cycles
 * Per=warps*passes*256/ways
 *
 * [Check]
 * Output=out
 * Reference=stream
 *
 * [Sweep]
 * X=warps
 * Y=ways
 * warps=1,2,4,8,16,32
 * ways=1,2,4,8,16,32
 */

/* Word i is i, as in the buffer `in`, which is here for the check. */
#define W4(i)   i, i + 1, i + 2, i + 3
#define W16(i)  W4 (i), W4 (i + 4), W4 (i + 8), W4 (i + 12)
#define W64(i)  W16 (i), W16 (i + 16), W16 (i + 32), W16 (i + 48)
#define W256(i) W64 (i), W64 (i + 64), W64 (i + 128), W64 (i + 192)

__constant__ unsigned words[256] = { W256 (0) };

/* Limit: this memory hands out one word at a time, to as many lanes as want
 * it. Lanes that want `ways` different words are served one after the other,
 * and each of them costs what one word for all did: a table that is indexed by
 * the lane belongs into shared memory. */
extern "C" __global__ void
bandwidth_constant (unsigned *__restrict__ out,
                    unsigned *__restrict__ cycles,
                    int passes,
                    int zero)
{
  __shared__ volatile unsigned sums[1024];
  unsigned sum = 0;
  unsigned at = threadIdx.x % WAYS;
  long long start;

  __syncthreads ();
  start = clock64 ();
  /* The compiler does not know that every pass reads the same. */
  for (int pass = 0; pass < passes; pass++, at += zero)
#pragma unroll 8
    for (unsigned i = 0; i < 256; i += WAYS)
      sum += words[i + at];
  /* The store waits for the last load, the barrier for all stores, and the
   * clock for the barrier. */
  sums[threadIdx.x] = sum;
  __syncthreads ();
  if (threadIdx.x == 0)
    cycles[blockIdx.x] = (unsigned) (clock64 () - start);
  /* All blocks read the same, and one tells. */
  if (blockIdx.x == 0)
    out[threadIdx.x] = sum;
}
