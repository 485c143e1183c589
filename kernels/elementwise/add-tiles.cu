// SPDX-License-Identifier: MIT
// Sum of two matrices, several tiles per block: a grid smaller than the matrix.
/*! cured
 * [Kernel]
 * Title=Sum of matrices, several tiles per block
 * Summary=Load, add and store, in a loop over the tiles of a block
 * Family=elementwise
 * Step=3
 * Bytes=12*n*n
 * Ceiling=copy
 * Like=elementwise/add
 *
 * [Parameter tile]
 * Kind=compile
 * Values=1..32
 * Default=16
 * Summary=rows and columns of a tile, and of the block
 *
 * [Parameter tiles]
 * Kind=launch
 * Default=8
 * Summary=tiles per block, one after another
 *
 * [Require tiles]
 * If=tiles >= 1
 * Reason=A block has one tile or more.
 *
 * [Launch]
 * Entry=elementwise_add_tiles
 * Grid=ceil(ceil(n/tile)^2/tiles)
 * Block=tile,tile
 * Arguments=a,b,out,n
 */

/* Before: memory. Now: memory, at 64 %: a block that waits for one tile has not
 * requested the next.
 *
 * Against elementwise/add-tile: the grid is smaller than the matrix, and each
 * block processes several tiles, a grid apart. Blocks of 4 × 4 gain, since
 * fewer of them start. But within a block nothing overlaps. There are two
 * barriers per tile now, since a tile may be overwritten only after all have
 * read it. The loop saves no sector either. Blocks of 16 × 16 are slower than
 * without tiles. */
extern "C" __global__ void
elementwise_add_tiles (const float *__restrict__ a,
                       const float *__restrict__ b,
                       float *__restrict__ out,
                       int n)
{
  __shared__ float tile_a[TILE][TILE];
  __shared__ float tile_b[TILE][TILE];
  const int x = threadIdx.x;
  const int y = threadIdx.y;
  const unsigned across = (n + TILE - 1) / TILE;
  const long long n_tiles = (long long) across * across;

  for (long long tile = blockIdx.x; tile < n_tiles; tile += gridDim.x)
    {
      const int row = (int) (tile / across) * TILE + y;
      const int column = (int) (tile % across) * TILE + x;
      const long long i = (long long) row * n + column;
      const bool is_inside = row < n && column < n;

      if (is_inside)
        {
          tile_a[y][x] = a[i];
          tile_b[y][x] = b[i];
        }
      __syncthreads ();
      if (is_inside)
        out[i] = tile_a[y][x] + tile_b[y][x];
      __syncthreads ();
    }
}

/*! cured
 * [Sweep]
 * X=tile
 * Y=tiles
 * tile=4,8,16,32
 * tiles=1,2,4,8,16,32,64,128
 *
 * [Claim sectors]
 * Text=The loop saves no sector either
 * Metric=global_sectors
 * At=n=100,tile=16,tiles=5
 * Against=elementwise/add n=100,tile=16
 * Low=1
 * High=1
 *
 * [Claim barriers]
 * Text=There are two barriers per tile now
 * Metric=barriers
 * At=n=64,tile=16,tiles=4
 * Against=elementwise/add-tile n=64,tile=16
 * Low=2
 * High=2
 *
 * [Claim tiny]
 * Text=Blocks of 4 × 4 gain, since fewer of them start
 * Metric=time
 * At=n=10000,tile=4,tiles=4
 * Against=n=10000,tile=4,tiles=1
 * High=0.5
 *
 * [Claim time]
 * Text=Blocks of 16 × 16 are slower than without tiles
 * Metric=time
 * At=n=10000,tile=16,tiles=8
 * Against=elementwise/add n=10000,tile=16
 * Low=1.05
 */
