// SPDX-License-Identifier: MIT
/*! cured
 * [Kernel]
 * Title=Scaled vector addition
 *
 * [Parameter n]
 * Kind=problem
 * Default=1000
 *
 * [Buffer x]
 * Type=f32
 * Length=n
 * Fill=uniform
 *
 * [Buffer y]
 * Type=f32
 * Length=n
 * Fill=uniform
 *
 * [Buffer out]
 * Type=f32
 * Length=n
 * Fill=poison
 *
 * [Launch]
 * Entry=saxpy
 * Grid=ceil(n/128)
 * Block=128
 * Arguments=x,y,out,n
 *
 * [Check]
 * Output=out
 * Reference=copy
 */
extern "C" __global__ void
saxpy (const float *x, const float *y, float *out, int n)
{
  const int i = blockIdx.x * blockDim.x + threadIdx.x;

  if (i < n)
    out[i] = 2.5f * x[i] + y[i];
}
