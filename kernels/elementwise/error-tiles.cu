// SPDX-License-Identifier: MIT
// Squared error of two matrices, several tiles per block.
/*! cured
 * [Kernel]
 * Title=Squared error, several tiles per block
 * Summary=Load, compute and store, in a loop over the tiles of a block; one value per tile, then sum and mean
 * Family=elementwise
 * Step=5
 * Bytes=8*n*n
 * Ceiling=read
 * Like=elementwise/error-tile
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
 * [Launch 1]
 * Entry=elementwise_error_tiles
 * Grid=ceil(ceil(n/tile)^2/tiles)
 * Block=tile,tile
 * Arguments=a,b,out,n
 *
 * [Launch 2]
 * Entry=elementwise_error_tiles_finish
 * Grid=1
 * Block=1024
 * Arguments=out,ceil(n/tile)^2,n
 */

/* Threads of the launch that adds the values of the tiles; a power of two. */
#define FINISH 1024

/* Adds up the squares of the differences of a tile, for any TILE: a tree over
 * the tile as a vector. All threads take part; the sum is in square[0]. */
__device__ __forceinline__ void
add_tile (float *square, int thread)
{
  for (int active = TILE * TILE; active > 1; active = (active + 1) / 2)
    {
      if (thread < active / 2)
        square[thread] += square[thread + (active + 1) / 2];
      __syncthreads ();
    }
}

/* Before: load and store. Now: load and store: one tree per tile.
 *
 * Against elementwise/error-tile: fewer blocks, of several tiles each. Tiles
 * of 4 × 4 gain, since fewer blocks start; those of 16 × 16 gain next to
 * nothing. A block pays for a tree per tile; the loop saves no sector. It
 * would help to have one tree at the end, for all tiles of a block, as in
 * squared-error/stride: but then a tile has no value of its own. */
extern "C" __global__ void
elementwise_error_tiles (const float *__restrict__ a,
                         const float *__restrict__ b,
                         float *__restrict__ out,
                         int n)
{
  __shared__ float tile_a[TILE][TILE];
  __shared__ float tile_b[TILE][TILE];
  __shared__ float square[TILE * TILE];
  const int x = threadIdx.x;
  const int y = threadIdx.y;
  const int thread = y * TILE + x;
  const unsigned across = (n + TILE - 1) / TILE;
  const long long n_tiles = (long long) across * across;

  for (long long tile = blockIdx.x; tile < n_tiles; tile += gridDim.x)
    {
      const int row = (int) (tile / across) * TILE + y;
      const int column = (int) (tile % across) * TILE + x;
      const long long i = (long long) row * n + column;
      const bool is_inside = row < n && column < n;
      float difference;

      /* Zeros outside the matrices. */
      tile_a[y][x] = is_inside ? a[i] : 0;
      tile_b[y][x] = is_inside ? b[i] : 0;
      __syncthreads ();
      difference = tile_a[y][x] - tile_b[y][x];
      square[thread] = difference * difference;
      __syncthreads ();
      add_tile (square, thread);
      if (thread == 0)
        out[tile] = square[0];
      /* The next tile's squares may not be written before the first thread
       * has read this sum. The barrier after the loads ensures that. */
    }
}

/* One block adds the values of the tiles: the sum follows them, and the mean
 * follows the sum. */
extern "C" __global__ void
elementwise_error_tiles_finish (float *out, int n_values, int n)
{
  __shared__ float sums[FINISH];
  float sum = 0;

  for (int i = threadIdx.x; i < n_values; i += FINISH)
    sum += out[i];
  sums[threadIdx.x] = sum;
  __syncthreads ();
  for (int half = FINISH / 2; half > 0; half /= 2)
    {
      if (threadIdx.x < half)
        sums[threadIdx.x] += sums[threadIdx.x + half];
      __syncthreads ();
    }
  if (threadIdx.x == 0)
    {
      out[n_values] = sums[0];
      out[n_values + 1] = sums[0] / ((float) n * (float) n);
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
 * Text=The loop saves no sector
 * Metric=global_sectors
 * At=n=100,tile=16,tiles=5
 * Against=elementwise/error-tile n=100,tile=16
 * Low=0.98
 * High=1.02
 *
 * [Claim tree]
 * Text=Each tile costs a tree, however many tiles a block has
 * Metric=barriers
 * At=n=64,tile=16,tiles=4
 * Against=n=64,tile=16,tiles=1
 * Low=0.98
 * High=1.02
 *
 * [Claim tiny]
 * Text=Tiles of 4 × 4 gain, since fewer blocks start
 * Metric=time
 * At=n=10000,tile=4,tiles=8
 * Against=n=10000,tile=4,tiles=1
 * High=0.6
 *
 * [Claim time]
 * Text=Those of 16 × 16 gain next to nothing
 * Metric=time
 * At=n=10000,tile=16,tiles=8
 * Against=n=10000,tile=16,tiles=1
 * Low=0.8
 * High=1.1
 */
