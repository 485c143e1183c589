// SPDX-License-Identifier: MIT
// Matrix product with tiles in shared memory, by as many blocks as one likes.
/*! cured
 * [Kernel]
 * Title=Matrix product by tiles, any number of blocks
 * Summary=Each block processes several tiles of the product, a grid apart
 * Family=matmul
 * Step=3
 * Role=detour
 * Flops=2*n*n*n
 * Bytes=12*n*n
 * Ceiling=fp32
 * Like=matmul/naive
 *
 * [Parameter bx]  # none
 * [Parameter by]  # none
 *
 * [Parameter tile]
 * Kind=compile
 * Values=1..32
 * Default=16
 * Summary=rows and columns of a tile, and of a block
 *
 * [Parameter blocks]
 * Kind=launch
 * Values=1..65536
 * Default=1056
 * Summary=blocks in the grid, any number
 *
 * [Launch]
 * Entry=matmul_tile_lab
 * Grid=blocks
 * Block=tile,tile
 * Arguments=a,b,c,n
 */

/* Before: shared memory. Now: shared memory, given enough blocks.
 *
 * A detour, against matmul/tiled: the grid no longer follows from the matrix.
 * A block takes the tiles of the product that are a grid apart, so the number
 * of blocks is free, as in the texts' exercise. Few blocks leave
 * multiprocessors idle, and blocks beyond the number of tiles have no work.
 * Loads and arithmetic stay the same. */
extern "C" __global__ void
matmul_tile_lab (const float *__restrict__ a,
                 const float *__restrict__ b,
                 float *__restrict__ c,
                 int n)
{
  __shared__ float tile_a[TILE][TILE];
  __shared__ float tile_b[TILE][TILE];
  const int x = threadIdx.x;
  const int y = threadIdx.y;
  const int side = (n + TILE - 1) / TILE;

  for (long long t = blockIdx.x; t < (long long) side * side; t += gridDim.x)
    {
      const int column = (int) (t % side) * TILE + x;
      const int row = (int) (t / side) * TILE + y;
      float sum = 0;

      for (int k = 0; k < n; k += TILE)
        {
          /* Zeros outside the matrices. */
          tile_a[y][x] = row < n && k + x < n ? a[(size_t) row * n + k + x] : 0;
          tile_b[y][x] =
              k + y < n && column < n ? b[(size_t) (k + y) * n + column] : 0;
          __syncthreads ();

#pragma unroll
          for (int j = 0; j < TILE; j++)
            sum += tile_a[y][j] * tile_b[j][x];
          __syncthreads ();
        }
      if (row < n && column < n)
        c[(size_t) row * n + column] = sum;
    }
}

/*! cured
 * [Sweep]
 * X=tile
 * Y=blocks
 * tile=4,8,12,16,20,24,28,32
 * blocks=24,66,132,264,528,1056,2112,4224
 * n=2048
 *
 * [Claim same loads]
 * Text=Whatever the number of blocks, as many elements are loaded as in matmul/tiled
 * Metric=global_loads
 * At=tile=16,blocks=3,n=64
 * Against=matmul/tiled tile=16,n=64
 * Low=1
 * High=1
 *
 * [Claim reuse]
 * Text=Each of them is used for as many operations
 * Metric=flops_per_load
 * At=tile=16,blocks=3,n=64
 * Low=16
 * High=16
 *
 * [Claim busy]
 * Text=A grid of 24 blocks leaves most of 132 multiprocessors without one
 * Metric=sms_busy
 * At=tile=16,blocks=24,n=64
 * High=24
 */
