// SPDX-License-Identifier: MIT
// A convolution of 3 × 3 with a border of one, a thread an element.
/*! cured
 * [Kernel]
 * Title=Convolution, plain
 *
 * [Parameter w]
 * Kind=problem
 * Default=8
 *
 * [Parameter h]
 * Kind=problem
 * Default=8
 *
 * [Buffer in]
 * Type=i32
 * Length=8*w*h
 * Fill=uniform
 * Low=-1000
 * High=1000
 *
 * [Buffer out]
 * Type=i32
 * Length=8*w*h
 * Fill=poison
 *
 * [Launch]
 * Entry=plain
 * Grid=w,h
 * Block=8
 * Arguments=out,in,w,h
 *
 * [Check]
 * Output=out
 * Reference=index
 */

extern "C" __global__ void
plain (int *out, const int *in, int w, int h)
{
  const int x = (int) blockIdx.x;
  const int y = (int) blockIdx.y;
  const int c = (int) threadIdx.x;
  int sum = 0;

  for (int tap = 0; tap < 9; tap++)
    {
      const int at_x = x + tap % 3 - 1;
      const int at_y = y + tap / 3 - 1;

      if (at_x >= 0 && at_x < w && at_y >= 0 && at_y < h)
        sum += (tap + 1) * in[(at_y * w + at_x) * 8 + c];
    }
  out[(y * w + x) * 8 + c] = sum;
}
