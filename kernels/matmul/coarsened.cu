// SPDX-License-Identifier: MIT
// Tiled matrix product, several elements per thread: thread coarsening.
/*! cured
 * [Kernel]
 * Title=Tiled matrix product with thread coarsening
 * Summary=As the tiled product; each thread has a column of several elements of it
 * Family=matmul
 * Step=4
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
 * Entry=matmul_coarsened
 * Grid=ceil(n/tile),ceil(n/tile)
 * Block=tile,ceil(tile/rows)
 * Arguments=a,b,c,n
 */

/* Rows of threads in a block; thread y has rows y, y + STEP, y + 2 STEP … of
 * the tile. Where ROWS does not divide TILE the last of them may be outside. */
#define STEP      ((TILE + ROWS - 1) / ROWS)
#define INSIDE(y) (STEP * ROWS == TILE || (y) < TILE)

/* Before: shared memory. Now: shared memory, with two words from it per
 * multiply-add at rows=1, its default, and ever fewer with more rows.
 *
 * Against matmul/tiled: a thread computes ROWS elements of the product, one
 * below the other, and keeps one element of b in a register for all of them:
 * fewer threads, fewer loads from shared memory per multiply-add. Expect
 * tiles of 32 with eight elements per thread to be well ahead of those with
 * one. */
extern "C" __global__ void
matmul_coarsened (const float *__restrict__ a,
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
              /* Zeros outside the matrices. */
              tile_a[i][x] =
                  row < n && k + x < n ? a[(size_t) row * n + k + x] : 0;
              tile_b[i][x] =
                  k + i < n && column < n ? b[(size_t) (k + i) * n + column]
                                          : 0;
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
 * [Claim rows]
 * Text=Four elements per thread save a third of the wavefronts of shared memory, by the PTX; half of them, by the machine code
 * Metric=shared_wavefronts
 * At=rows=4,n=64
 * Against=rows=1
 * Low=0.6
 * High=0.7
 *
 * [Claim column]
 * Text=With eight elements per thread, tiles of 32 take three fifths of the time, or less
 * Metric=time
 * At=tile=32,rows=8
 * Against=tile=32,rows=1
 * High=0.6
 */
