// SPDX-License-Identifier: MIT
// Transpose through a tile of 32 columns, wrong on purpose: all in one bank.
/*! cured
 * [Kernel]
 * Title=Tile column in one bank
 * Summary=Transpose; a warp reads a column of a tile whose rows are 32 words long
 * Family=specimens
 * Step=11
 * Defect=bank-conflict
 *
 * [Parameter rows]
 * Kind=compile
 * Values=1,2,4,8,16,32
 * Default=8
 * Summary=rows of threads per block; each thread moves 32/rows elements
 *
 * [Parameter n]
 * Kind=problem
 * Default=96
 * Summary=rows and columns, any number
 *
 * [Buffer in]
 * Type=f32
 * Length=n*n
 * Fill=uniform
 *
 * [Buffer out]
 * Type=f32
 * Length=n*n
 * Fill=poison
 *
 * [Launch]
 * Entry=specimens_tile_column
 * Grid=ceil(n/32),ceil(n/32)
 * Block=32,rows
 * Arguments=in,out,n
 *
 * [Check]
 * Output=out
 * Reference=transpose
 */

/* A specimen that only costs time. Word w of shared memory is in bank w mod
 * 32, and a row of the tile has 32 words: a column is in one bank, and its 32
 * words are read one after the other. Expect a correct result, 32 wavefronts
 * where one would do, and for a large matrix more than twice the time. */
extern "C" __global__ void
specimens_tile_column (const float *__restrict__ in,
                       float *__restrict__ out,
                       int n)
{
  __shared__ float tile[32][32];
  const int x = blockIdx.x * 32 + threadIdx.x;
  const int y = blockIdx.y * 32 + threadIdx.y;
  const int to_x = blockIdx.y * 32 + threadIdx.x;
  const int to_y = blockIdx.x * 32 + threadIdx.y;

  for (int r = 0; r < 32; r += ROWS)
    if (x < n && y + r < n)
      tile[threadIdx.y + r][threadIdx.x] = in[(y + r) * n + x];
  __syncthreads ();
  for (int r = 0; r < 32; r += ROWS)
    if (to_x < n && to_y + r < n)
      out[(to_y + r) * n + to_x] = tile[threadIdx.x][threadIdx.y + r];
}

/*! cured
 * [Sweep]
 * X=rows
 * Y=n
 * rows=4,8,16,32
 * n=96,1000,4096
 *
 * [Claim conflicts]
 * Text=Each of 288 columns is read with 32 wavefronts, 31 too many
 * Metric=excess_wavefronts
 * Low=31*288
 * High=31*288
 *
 * [Claim time]
 * Text=At 4096 rows it takes more than twice the time of its twin
 * Metric=time
 * At=rows=8,n=4096
 * Against=specimens/tile-column-fixed rows=8,n=4096
 * Low=2
 *
 * [Claim column]
 * Text=A column of the tile takes 32 wavefronts: 31 too many for each of 32 reads
 * Metric=excess_wavefronts
 * At=rows=8,n=32
 * Low=992
 * High=992
 */
