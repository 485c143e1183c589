// SPDX-License-Identifier: MIT
// Transpose through a tile of 33 columns.
/*! cured
 * [Kernel]
 * Title=Tile column spread over the banks
 * Summary=Transpose; a warp reads a column of a tile whose rows are 33 words long
 * Family=specimens
 * Step=11
 * Like=specimens/tile-column
 *
 * [Launch]
 * Entry=specimens_tile_column_fixed
 * Grid=ceil(n/32),ceil(n/32)
 * Block=32,rows
 * Arguments=in,out,n
 */

/* The twin of specimens/tile-column: an unused 33rd column shifts each row by
 * one bank, so a column touches all 32 banks. */
extern "C" __global__ void
specimens_tile_column_fixed (const float *__restrict__ in,
                             float *__restrict__ out,
                             int n)
{
  __shared__ float tile[32][33];
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
 * [Claim free]
 * Text=No access has a conflict
 * Metric=excess_wavefronts
 * High=0
 *
 * [Claim wavefronts]
 * Text=A store and a load take 2 wavefronts in place of 33
 * Metric=shared_wavefronts
 * Against=specimens/tile-column
 * Low=2/33
 * High=2/33
 *
 * [Claim bytes]
 * Text=The unused column takes 128 bytes more
 * Metric=shared_static
 * Low=32*33*4
 * High=32*33*4
 *
 * [Claim column]
 * Text=A column of the tile has no conflict
 * Metric=excess_wavefronts
 * At=rows=8,n=32
 * High=0
 */
