// SPDX-License-Identifier: MIT
/*! cured
 * [Kernel]
 * Title=Softmax of rows, a thread each
 *
 * [Parameter rows]
 * Kind=problem
 * Default=7
 *
 * [Parameter columns]
 * Kind=problem
 * Default=200
 *
 * [Buffer x]
 * Type=f32
 * Length=rows*columns
 * Fill=normal
 *
 * [Buffer out]
 * Type=f32
 * Length=rows*columns
 * Fill=poison
 *
 * [Launch]
 * Entry=softmax_rows
 * Grid=ceil(rows/32)
 * Block=32
 * Arguments=x,out,rows,columns
 *
 * [Check]
 * Output=out
 * Reference=copy
 */
extern "C" __global__ void
softmax_rows (const float *x, float *out, int rows, int columns)
{
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  double most = -1.0e300, sum = 0.0;

  if (row >= rows)
    return;
  for (int i = 0; i < columns; i++)
    most = fmax (most, (double) x[row * columns + i]);
  for (int i = 0; i < columns; i++)
    sum += exp ((double) x[row * columns + i] - most);
  for (int i = 0; i < columns; i++)
    out[row * columns + i] =
        (float) (exp ((double) x[row * columns + i] - most) / sum);
}
