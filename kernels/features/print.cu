// SPDX-License-Identifier: MIT
// Vector addition whose first threads print what they do.
/*! cured
 * [Kernel]
 * Title=Printing from a kernel
 * Summary=One element per thread; the first of them print what they add
 * Family=features
 * Step=3
 * Bytes=12*n
 *
 * [Parameter threads]
 * Kind=launch
 * Values=1..1024
 * Default=3
 * Summary=threads per block
 *
 * [Parameter lines]
 * Kind=launch
 * Values=0..64
 * Default=4
 * Summary=elements that are printed, one line each
 *
 * [Parameter n]
 * Kind=problem
 * Default=10
 * Summary=elements
 *
 * [Buffer a]
 * Type=i32
 * Length=n
 * Fill=ramp
 * Low=0
 * High=1
 *
 * [Buffer b]
 * Type=i32
 * Length=n
 * Fill=ramp
 * Low=0
 * High=2
 *
 * [Buffer out]
 * Type=i32
 * Length=n
 * Fill=poison
 *
 * [Launch]
 * Entry=features_print
 * Grid=ceil(n/threads)
 * Block=threads
 * Arguments=a,b,out,n,lines
 *
 * [Check]
 * Output=out
 * Reference=vector-add
 */

/* A kernel can print. The order of lines is not defined: within a warp, lanes
 * print one after another, and warps and blocks print in the order in which
 * they arrive. Lines go into a buffer of the device, which the host empties
 * when it waits for the kernel; if a kernel prints more than fits, the oldest
 * lines are lost. A kernel that prints keeps its results in memory like any
 * other: the sums are checked.
 *
 * Expect instructions for every line, and a line to cost more than the rest of
 * the kernel: print for debugging, not while measuring. */
extern "C" __global__ void
features_print (const int *__restrict__ a,
                const int *__restrict__ b,
                int *__restrict__ out,
                int n,
                int lines)
{
  const int i = blockIdx.x * blockDim.x + threadIdx.x;

  if (i < n)
    out[i] = a[i] + b[i];
  if (i < n && i < lines)
    printf ("block %d, thread %d: %d + %d = %d\n",
            (int) blockIdx.x,
            (int) threadIdx.x,
            a[i],
            b[i],
            out[i]);
}

/*! cured
 * [Sweep]
 * X=lines
 * Y=threads
 * lines=0,4
 * threads=3,10
 *
 * [Claim divergence]
 * Text=Printing takes a branch that splits a warp
 * Metric=divergent_branches
 * At=n=10,threads=10,lines=4
 * Low=1
 *
 * [Claim instructions]
 * Text=Expect instructions for every line
 * Metric=instructions
 * At=n=32,threads=32,lines=32
 * Against=n=32,threads=32,lines=0
 * Low=1.2
 *
 * [Claim time]
 * Text=Expect a line to cost more than all the rest
 * Metric=time
 * At=threads=3,lines=4
 * Against=threads=3,lines=0
 * Low=4
 */
