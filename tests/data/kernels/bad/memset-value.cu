// SPDX-License-Identifier: MIT
// 30 invalid Value=256 is out of range; expected 0 to 255
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
 * [Launch 1]
 * Memset=out
 * Value=256
 *
 * [Launch 2]
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
