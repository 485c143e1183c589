// SPDX-License-Identifier: MIT
// 35 invalid Host=max is not known; expected one of sum, fetch, fetch-pageable, send, send-pageable
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
 * Entry=test
 * Grid=ceil(n/tile)
 * Block=tile
 * Arguments=in,out,n
 *
 * [Launch 2]
 * Host=max
 * From=in
 * To=out
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
