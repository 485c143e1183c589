// SPDX-License-Identifier: MIT
/*! cured
 * [Kernel]
 * Title=Layer norm of rows, a thread each
 *
 * [Parameter rows]
 * Kind=problem
 * Default=5
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
 * [Buffer weight]
 * Type=f32
 * Length=columns
 * Fill=uniform
 *
 * [Buffer bias]
 * Type=f32
 * Length=columns
 * Fill=uniform
 *
 * [Buffer out]
 * Type=f32
 * Length=rows*columns
 * Fill=poison
 *
 * [Launch]
 * Entry=layer_norm_rows
 * Grid=ceil(rows/32)
 * Block=32
 * Arguments=x,weight,bias,out,rows,columns
 *
 * [Check]
 * Output=out
 * Reference=copy
 */
extern "C" __global__ void
layer_norm_rows (const float *x,
                 const float *weight,
                 const float *bias,
                 float *out,
                 int rows,
                 int columns)
{
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  double mean = 0.0, variance = 0.0;

  if (row >= rows)
    return;
  for (int i = 0; i < columns; i++)
    mean += x[row * columns + i];
  mean /= columns;
  for (int i = 0; i < columns; i++)
    variance += (x[row * columns + i] - mean) * (x[row * columns + i] - mean);
  variance /= columns;
  for (int i = 0; i < columns; i++)
    out[row * columns + i] = (float) ((x[row * columns + i] - mean) /
                                          sqrt (variance + 1e-5) * weight[i] +
                                      bias[i]);
}
