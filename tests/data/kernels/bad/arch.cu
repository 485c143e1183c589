// SPDX-License-Identifier: MIT
// 6 invalid Arch=sm_90 is not known; expected a compute capability with an a
/*! cured
 * [Kernel]
 * Title=A test
 * Arch=sm_90
 * Flops=n
 * Bytes=4*n
 *
 * [Parameter tile]
 * Kind=compile
 * Values=1..32
 * Default=16
 *
 * [Parameter n]
 * Kind=problem
 * Default=1024
 *
 * [Buffer in]
 * Type=f32
 * Length=n
 * Fill=uniform
 *
 * [Buffer out]
 * Type=f32
 * Length=1
 * Fill=poison
 *
 * [Launch]
 * Entry=test
 * Grid=1
 * Block=tile
 * Arguments=in,out,n
 *
 * [Check]
 * Output=out
 * Reference=sum
 *
 * [Sweep]
 * X=tile
 * tile=1..32
 */
extern "C" __global__ void
test (const float *in, float *out, int n)
{
}
