// SPDX-License-Identifier: MIT
/*! cured
 * [Kernel]
 * Title=Histogram, a thread for each bin
 *
 * [Parameter n]
 * Kind=problem
 * Default=3000
 *
 * [Buffer x]
 * Type=i32
 * Length=n
 * Fill=uniform
 * High=1000
 *
 * [Buffer out]
 * Type=i32
 * Length=64
 * Fill=constant
 * Low=0
 *
 * [Launch]
 * Entry=count_bins
 * Grid=1
 * Block=64
 * Arguments=x,out,n
 *
 * [Check]
 * Output=out
 * Reference=copy
 */
extern "C" __global__ void
count_bins (const int *x, int *out, int n)
{
  int count = 0;

  for (int i = 0; i < n; i++)
    count += x[i] % 64 == (int) threadIdx.x;
  out[threadIdx.x] = count;
}
