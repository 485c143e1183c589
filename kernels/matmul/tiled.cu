// SPDX-License-Identifier: MIT
// Matrix product with tiles in shared memory.
/*! cured
 * [Kernel]
 * Title=Tiled matrix product
 * Summary=Tiles of both matrices staged in shared memory, one or more elements of the product per thread
 * Family=matmul
 * Step=2
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
 * Summary=rows and columns of a tile
 *
 * [Parameter rows]
 * Kind=compile
 * Values=1,2,4,8
 * Default=1
 * Summary=elements of the product per thread, one below the other; the block is tile × ceil(tile/rows) threads
 *
 * [Launch]
 * Entry=matmul_tiled
 * Grid=ceil(n/tile),ceil(n/tile)
 * Block=tile,ceil(tile/rows)
 * Arguments=a,b,c,n
 */

/* Rows of threads in a block; thread y has rows y, y + STEP, y + 2 STEP … of
 * the tile. Where ROWS does not divide TILE the last of them may be outside. */
#define STEP      ((TILE + ROWS - 1) / ROWS)
#define INSIDE(y) (STEP * ROWS == TILE || (y) < TILE)

/* Limit: shared memory. An element that is loaded from global memory is used
 * TILE times, so global loads per multiply-add fall as 2/TILE. What is left are
 * two loads from shared memory for each multiply-add.
 *
 * Against matmul/naive: the reuse is planned, not left to the cache. Small
 * tiles cost more than they save: a tile of 4 fills half a warp, which meets
 * two barriers for every four multiply-adds. A tile that is no power of two may
 * leave lanes of the last warp idle, and loads unaligned pieces. rows > 1 keeps
 * one element of b in a register for several products: fewer threads, fewer
 * loads from shared memory per multiply-add, more work per thread. Expect tiles
 * of 32 to be ahead of the plain kernel, and those with eight elements per
 * thread to be well ahead of those with one. */
extern "C" __global__ void
matmul_tiled (const float *__restrict__ a,
              const float *__restrict__ b,
              float *__restrict__ c,
              int n)
{
  __shared__ float tile_a[TILE][TILE];
  __shared__ float tile_b[TILE][TILE];
  const int x = threadIdx.x;
  const int y = threadIdx.y;
  const int column = blockIdx.x * TILE + x;
  const int first_row = blockIdx.y * TILE;
  float sums[ROWS] = { 0 };

  for (int k = 0; k < n; k += TILE)
    {
#pragma unroll
      for (int r = 0; r < ROWS; r++)
        {
          const int i = y + r * STEP;
          const int row = first_row + i;

          if (INSIDE (i))
            {
              /* Outside the matrices there are zeros, which add nothing. */
              tile_a[i][x] =
                  row < n && k + x < n ? a[(size_t) row * n + k + x] : 0;
              tile_b[i][x] =
                  k + i < n && column < n ? b[(size_t) (k + i) * n + column] : 0;
            }
        }
      __syncthreads ();

#pragma unroll UNROLL
      for (int j = 0; j < TILE; j++)
        {
          const float factor = tile_b[j][x];

#pragma unroll
          for (int r = 0; r < ROWS; r++)
            if (INSIDE (y + r * STEP))
              sums[r] += tile_a[y + r * STEP][j] * factor;
        }
      __syncthreads ();
    }

#pragma unroll
  for (int r = 0; r < ROWS; r++)
    {
      const int row = first_row + y + r * STEP;

      if (INSIDE (y + r * STEP) && row < n && column < n)
        c[(size_t) row * n + column] = sums[r];
    }
}

/*! cured
 * [Parameter unroll]
 * Kind=compile
 * Values=1,2,4,8,16,32
 * Default=32
 * Summary=times the inner loop is unrolled, at most
 *
 * [Sweep]
 * X=tile
 * Y=rows
 * tile=1..32
 * rows=1,2,4,8
 *
 * [Claim loads]
 * Text=A tile twice as wide asks for half of the sectors, but for those of the product
 * Metric=global_sectors
 * At=tile=32,n=64
 * Against=tile=16
 * Low=0.5
 * High=0.56
 *
 * [Claim sectors]
 * Text=A tile of 16 asks for about an eighth of the plain kernel's sectors, though for a sixteenth of its elements
 * Metric=global_sectors
 * At=tile=16,n=64
 * Against=matmul/naive bx=16,by=16,n=64
 * Low=1/8
 * High=0.14
 *
 * [Claim rows]
 * Text=Four elements per thread take a third of the wavefronts of shared memory away
 * Metric=shared_wavefronts
 * At=rows=4,n=64
 * Against=rows=1
 * Low=0.6
 * High=0.7
 *
 * [Claim many]
 * Text=A multiprocessor of an H200 holds 32 blocks with tiles of 8
 * Metric=blocks_per_sm
 * At=tile=8,n=64
 * Low=32
 * High=32
 *
 * [Claim few]
 * Text=It holds 2 blocks with tiles of 32
 * Metric=blocks_per_sm
 * At=tile=32,n=64
 * Low=2
 * High=2
 *
 * [Claim small]
 * Text=A tile of 4 takes more than three times as long as one of 16
 * Metric=time
 * At=tile=4
 * Against=tile=16
 * Low=3
 *
 * [Claim odd]
 * Text=A tile of 31 takes longer than one of 32
 * Metric=time
 * At=tile=31
 * Against=tile=32
 * Low=1.2
 *
 * [Claim column]
 * Text=With eight elements per thread, tiles of 32 take three fifths of the time, or less
 * Metric=time
 * At=tile=32,rows=8
 * Against=tile=32,rows=1
 * High=0.6
 *
 * [Claim against]
 * Text=Tiles of 32 are faster than the plain kernel's blocks of 32 × 8
 * Metric=time
 * At=tile=32
 * Against=matmul/naive bx=32,by=8
 * High=0.9
 */
