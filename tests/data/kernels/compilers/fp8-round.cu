// SPDX-License-Identifier: MIT
/*! cured
 * [Kernel]
 * Title=Rounding to 8-bit floats of 5 bits of exponent
 *
 * [Parameter n]
 * Kind=problem
 * Default=1000
 *
 * [Buffer x]
 * Type=f32
 * Length=n
 * Fill=normal
 * High=100
 *
 * [Buffer out]
 * Type=f32
 * Length=n
 * Fill=poison
 *
 * [Launch]
 * Entry=round_fp8
 * Grid=ceil(n/128)
 * Block=128
 * Arguments=x,out,n
 *
 * [Check]
 * Output=out
 * Reference=copy
 */
/* Such a float is the upper half of a half: rounding one to 2 bits of mantissa
 * is rounding a real there, to even, above the least normal number. */
extern "C" __global__ void
round_fp8 (const float *x, float *out, int n)
{
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int exponent;
  float scale;

  if (i >= n)
    return;
  if (x[i] == 0.0f)
    {
      out[i] = 0.0f;
      return;
    }
  frexpf (x[i], &exponent);
  scale = ldexpf (1.0f, max (exponent, -13) - 3);
  out[i] = rintf (x[i] / scale) * scale;
}
