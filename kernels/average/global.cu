// SPDX-License-Identifier: MIT
// Averaging filter in global memory, one launch an iteration.
/*! cured
 * [Kernel]
 * Title=Averaging in global memory
 * Summary=One launch an iteration, one element a thread; the arrays trade places between launches
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
 * Summary=threads a block
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
 * Grid=ceil(n/block)
 * Block=block
 * Arguments=in,spare,out,(iterations-1)%2,n:i64
 *
 * [Launch 2]
 * Entry=average_global
 * Grid=ceil(n/block)
 * Block=block
 * Arguments=spare,spare,out,0,n:i64
 * Repeat=iterations-1
 * Swap=spare,out
 *
 * [Check]
 * Output=out
 * Reference=average
 *
 * [Sweep]
 * X=block
 * Y=iterations
 * block=64,128,256,512,1024
 * iterations=1,10,100
 */
extern "C" __global__ void
__launch_bounds__ (BLOCK) average_global (
    const float *in, float *spare, float *out, int to_spare, long long n)
{
  const long long i = (long long) blockIdx.x * BLOCK + threadIdx.x;

  if (to_spare)
    out = spare;
  if (i > 0 && i < n - 1)
    out[i] = (in[i - 1] + in[i] + in[i + 1]) / 3;
  else if (i < n)
    out[i] = in[i];
}
