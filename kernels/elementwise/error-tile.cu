// SPDX-License-Identifier: MIT
// Squared error of two matrices, one tile per block: load, compute, store.
/*! cured
 * [Kernel]
 * Title=Squared error, one tile per block
 * Summary=Both tiles go to shared memory, then a tree adds the squares of their differences; one value per tile, then sum and mean
 * Family=elementwise
 * Step=4
 * Bytes=8*n*n
 * Ceiling=read
 *
 * [Parameter tile]
 * Kind=compile
 * Values=1..32
 * Default=16
 * Summary=rows and columns of a tile, and of the block
 *
 * [Parameter n]
 * Kind=problem
 * Default=10000
 * Summary=rows and columns of the matrices, any number
 *
 * [Buffer a]
 * Type=f32
 * Length=n*n
 * Fill=uniform
 * Low=-1
 * High=1
 *
 * [Buffer b]
 * Type=f32
 * Length=n*n
 * Fill=uniform
 * Low=-1
 * High=1
 *
 * [Buffer out]
 * Type=f32
 * Length=ceil(n/tile)^2+2
 * Fill=poison
 *
 * [Launch 1]
 * Entry=elementwise_error_tile
 * Grid=ceil(n/tile),ceil(n/tile)
 * Block=tile,tile
 * Arguments=a,b,out,n
 *
 * [Launch 2]
 * Entry=elementwise_error_tile_finish
 * Grid=1
 * Block=1024
 * Arguments=out,ceil(n/tile)^2,n
 *
 * [Check]
 * Output=out
 * Reference=squared-error
 * Relative=(ceil(ceil(n/tile)^2/1024) + 26)*2^-24 # half a step for each addition that an element is in
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

/* Now: load and store: the tree of every tile, as in squared-error/blocks.
 *
 * Against squared-error/blocks: the tiles of both matrices are staged in
 * shared memory before anything is computed. The tree needs shared memory:
 * there each thread reads values that others wrote. The tiles do not: each
 * element is read once, by the thread that loaded it. Global memory is read as
 * often as without tiles, and shared memory takes more wavefronts. Expect no
 * gain, and tiles of 32 × 32, with the longest tree, to be slower than those
 * of 16 × 16. */
extern "C" __global__ void
elementwise_error_tile (const float *__restrict__ a,
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
  const int column = blockIdx.x * TILE + x;
  const int row = blockIdx.y * TILE + y;
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
    out[(long long) blockIdx.y * gridDim.x + blockIdx.x] = square[0];
}

/* One block adds the values of the tiles: the sum follows them, and the mean
 * follows the sum. */
extern "C" __global__ void
elementwise_error_tile_finish (float *out, int n_values, int n)
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
 * Y=n
 * tile=4,8,16,24,32
 * n=1000,1024,4096,10000
 *
 * [Claim sectors]
 * Text=Global memory is read as often as without tiles
 * Metric=global_sectors
 * At=n=100,tile=16
 * Against=squared-error/blocks n=100,bx=16,by=16
 * Low=0.98
 * High=1.02
 *
 * [Claim wavefronts]
 * Text=There are more wavefronts of shared memory
 * Metric=shared_wavefronts
 * At=n=100,tile=16
 * Against=squared-error/blocks n=100,bx=16,by=16
 * Low=1.1
 *
 * [Claim time]
 * Text=Expect it to gain nothing
 * Metric=time
 * At=n=10000,tile=16
 * Against=squared-error/blocks n=10000,bx=16,by=16
 * Low=1
 *
 * [Claim large]
 * Text=Expect tiles of 32 × 32, with the longest tree, to be slower than those of 16 × 16
 * Metric=time
 * At=n=10000,tile=32
 * Against=n=10000,tile=16
 * Low=1.08
 */
