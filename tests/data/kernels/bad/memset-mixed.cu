// SPDX-License-Identifier: MIT
// 31 invalid Entry= means nothing in a launch with Memset=
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
 * Memset=out
 * Value=0
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
