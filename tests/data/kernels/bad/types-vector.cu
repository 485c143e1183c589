// SPDX-License-Identifier: MIT
// 24 invalid “f32x9y” is not known
/*! cured
 * [Kernel]
 * Title=A test
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
 * [Parameter t]
 * Kind=launch
 * Values=0..1
 * Default=1
 *
 * [Buffer in]
 * Type=t:i32,f32x9y
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
 * Grid=ceil(n/tile)
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
