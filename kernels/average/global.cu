// SPDX-License-Identifier: MIT
// Averaging filter in global memory, one launch per iteration.
/*! cured
 * [Kernel]
 * Title=Averaging in global memory
 * Summary=One launch per iteration; the arrays are swapped between launches
 * Family=average
 * Step=2
 * Bytes=8*n
 * Flops=3*n*iterations
 * Ceiling=fp32
 *
 * [Parameter block]
 * Kind=compile
 * Values=1..1024
 * Default=256
 * Summary=threads per block
 *
 * [Parameter elements]
 * Kind=compile
 * Values=1..16
 * Default=1
 * Summary=elements per thread
 *
 * [Parameter n]
 * Kind=problem
 * Default=10^8
 * Summary=elements, any number
 *
 * [Parameter iterations]
 * Kind=problem
 * Default=100
 * Summary=iterations, any number
 *
 * [Buffer in]
 * Type=f32
 * Length=n
 * Fill=uniform
 * Low=0
 * High=100
 *
 * [Buffer spare]
 * Type=f32
 * Length=n
 * Fill=poison
 *
 * [Buffer out]
 * Type=f32
 * Length=n
 * Fill=poison
 *
 * [Launch 1]
 * Entry=average_global
 * Grid=ceil(n/(block*elements))
 * Block=block
 * Arguments=in,spare,out,(iterations-1)%2,n:i64
 *
 * [Launch 2]
 * Entry=average_global
 * Grid=ceil(n/(block*elements))
 * Block=block
 * Arguments=spare,spare,out,0,n:i64
 * Repeat=iterations-1
 * Swap=spare,out
 *
 * [Check]
 * Output=out
 * Reference=average
 */

/* Now: block dispatch, at elements=1, its default: 390,625 blocks per
 * iteration. With more elements per thread: memory, which needs more bytes in
 * flight than the 8 KiB per multiprocessor of one element per thread.
 *
 * Case 6 of average/cases, with a launch per iteration, since the end of a
 * launch is the only barrier for all blocks. The first launch reads the input,
 * and the others alternate between two arrays, so the last one ends in the
 * output and the input stays for the next run.
 *
 * More elements per thread, BLOCK apart, have all their loads in flight before
 * the first is used. Expect a quarter less time or better with 8, down to
 * memory's rate. Only fewer bytes per iteration help further. */
extern "C" __global__ void
__launch_bounds__ (BLOCK) average_global (
    const float *in, float *spare, float *out, int to_spare, long long n)
{
  const long long first =
      (long long) blockIdx.x * BLOCK * ELEMENTS + threadIdx.x;
  float left[ELEMENTS], middle[ELEMENTS], right[ELEMENTS];

  if (to_spare)
    out = spare;
#pragma unroll
  for (int e = 0; e < ELEMENTS; e++)
    {
      const long long i = first + e * BLOCK;

      left[e] = i > 0 && i < n ? in[i - 1] : 0;
      middle[e] = i < n ? in[i] : 0;
      right[e] = i < n - 1 ? in[i + 1] : 0;
    }
#pragma unroll
  for (int e = 0; e < ELEMENTS; e++)
    {
      const long long i = first + e * BLOCK;

      if (i > 0 && i < n - 1)
        out[i] = (left[e] + middle[e] + right[e]) / 3;
      else if (i < n)
        out[i] = middle[e];
    }
}

/*! cured
 * [Sweep]
 * X=elements
 * Y=block
 * elements=1,2,8
 * block=128,256,512
 *
 * [Claim traffic]
 * Text=Every iteration requests all sectors again
 * Metric=global_sectors
 * At=n=20000,iterations=8
 * Against=iterations=1
 * Low=8
 * High=8
 *
 * [Claim elements]
 * Text=With 8 elements per thread it takes three quarters of the time, or less
 * Metric=time
 * At=elements=8
 * Against=elements=1
 * High=0.75
 */
