// SPDX-License-Identifier: MIT
// What the tests' fake device runs: small, and never compiled.
/*! cured
 * [Kernel]
 * Title=Fake vector addition
 * Summary=Runs on the fake device of the tests
 * Family=fake
 * Bytes=12*n
 * Flops=n
 *
 * [Parameter tile]
 * Kind=compile
 * Values=1..64
 * Default=4
 *
 * [Parameter blocks]
 * Kind=launch
 * Default=8
 *
 * [Parameter n]
 * Kind=problem
 * Default=64
 *
 * [Buffer a]
 * Type=i32
 * Length=n
 * Fill=uniform
 * Low=-1000
 * High=1000
 *
 * [Buffer b]
 * Type=i32
 * Length=n
 * Fill=ramp
 *
 * [Buffer out]
 * Type=i32
 * Length=n
 * Fill=poison
 *
 * [Launch]
 * Entry=fake_add
 * Grid=blocks
 * Block=32*tile
 * Arguments=a,b,out,n
 *
 * [Check]
 * Output=out
 * Reference=vector-add
 *
 * [Sweep]
 * X=tile
 * Y=blocks
 * tile=1,2,4,8,16,32
 * blocks=1..8
 */
extern "C" __global__ void
fake_add (const int *a, const int *b, int *out, int n)
{
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
       i += gridDim.x * blockDim.x)
    out[i] = a[i] + b[i];
}
