// SPDX-License-Identifier: MIT
// Streaming reads of constant memory: one word for all lanes, or several.
/*! cured
 * [Kernel]
 * Title=Streaming reads from constant memory
 * Summary=Each block reads a small array of constants, over and over
 * Family=bandwidth
 * Step=6
 * Bytes=4*32*warps*passes*blocks*(32/ways)
 *
 * [Parameter ways]
 * Kind=compile
 * Values=1,2,4,8,16,32
 * Default=1
 * Summary=different words requested by the lanes of a warp
 *
 * [Parameter warps]
 * Kind=launch
 * Values=1..32
 * Default=8
 * Summary=warps per block
 *
 * [Parameter passes]
 * Kind=problem
 * Default=512
 * Summary=how often the array is read
 *
 * [Parameter blocks]
 * Kind=launch
 * Default=8
 * Summary=blocks in the grid; one for each multiprocessor fills the device
 *
 * [Buffer in]
 * Type=u32
 * Length=32
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
 * Per=warps*passes*32/ways
 *
 * [Check]
 * Output=out
 * Reference=stream
 */

/* Word i is i, as in the buffer `in`, which serves the check. */
#define W4(i)   i, i + 1, i + 2, i + 3
#define W16(i)  W4 (i), W4 (i + 4), W4 (i + 8), W4 (i + 12)
#define W32(i) W16 (i), W16 (i + 16)

__constant__ unsigned words[32] = { W32 (0) };

/* Measures constant memory, which delivers one word at a time, to any number of
 * lanes, in two cycles of the multiprocessor. Lanes that need `ways` different
 * words are served one after another, and each word takes as long as one for
 * all lanes, so 32 take 32 times as long: a table that is indexed by the lane
 * belongs in shared memory. */
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
  /* Hides from the compiler that every pass reads the same data. */
#pragma unroll 4
  for (int pass = 0; pass < passes; pass++, at += zero)
#pragma unroll
    for (unsigned i = 0; i < 32; i += WAYS)
      sum += words[i + at];
  /* The store waits for the last load, the barrier for all stores, and the
   * clock for the barrier. */
  sums[threadIdx.x] = sum;
  __syncthreads ();
  if (threadIdx.x == 0)
    cycles[blockIdx.x] = (unsigned) (clock64 () - start);
  /* All blocks read the same; one reports. */
  if (blockIdx.x == 0)
    out[threadIdx.x] = sum;
}

/*! cured
 * [Sweep]
 * X=warps
 * Y=ways
 * warps=1,2,4,8,16,32
 * ways=1,2,4,8,16,32
 * blocks=132
 *
 * [Claim one]
 * Text=A word for all lanes takes two cycles of the multiprocessor
 * Metric=cycles
 * At=ways=1,warps=32,blocks=132
 * Low=1.85
 * High=2.3
 *
 * [Claim many]
 * Text=A word for each lane takes 32 times as long
 * Metric=cycles
 * At=ways=32,warps=32,blocks=132
 * Against=ways=1
 * Low=29
 * High=34
 */
