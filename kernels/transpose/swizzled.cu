// SPDX-License-Identifier: MIT
// Matrix transpose through a tile in shared memory whose rows are permuted.
/*! cured
 * [Kernel]
 * Title=Transpose, swizzled tile
 * Summary=Element x of row y of the tile is kept at x xor y: no conflicts, and no memory for padding
 * Family=transpose
 * Step=5
 * Bytes=8*n*m
 * Ceiling=copy
 * Like=transpose/naive
 *
 * [Parameter coalesced]  # none
 *
 * [Launch]
 * Entry=transpose_swizzled
 * Grid=ceil(n/tile),ceil(m/tile)
 * Block=tile,tile/rows
 * Arguments=in,out,n,m
 */

#define STEP (TILE / ROWS)

/* Before: memory. Now: memory, as in transpose/padded.
 *
 * Against transpose/padded: an exclusive or with the row's number permutes each
 * row within itself. A row still covers all banks; a column, whose rows are
 * permuted differently, now does, too. It takes one more instruction and no
 * memory for padding, and rows keep their alignment, which the accesses of 16
 * bytes of transpose/wide will need. It works for any tile that is a power of
 * two: also for 16, where no padding suits both writing and reading. */
extern "C" __global__ void
transpose_swizzled (const float *__restrict__ in,
                    float *__restrict__ out,
                    int n,
                    int m)
{
  __shared__ float tile[TILE][TILE];
  const int x = threadIdx.x;
  const int y = threadIdx.y;
  const int first_column = blockIdx.x * TILE;
  const int first_row = blockIdx.y * TILE;

#pragma unroll
  for (int r = 0; r < TILE; r += STEP)
    if (first_row + y + r < m && first_column + x < n)
      tile[y + r][x ^ (y + r)] =
          in[(size_t) (first_row + y + r) * n + first_column + x];
  __syncthreads ();

#pragma unroll
  for (int r = 0; r < TILE; r += STEP)
    if (first_column + y + r < n && first_row + x < m)
      out[(size_t) (first_column + y + r) * m + first_row + x] =
          tile[x][(y + r) ^ x];
}

/*! cured
 * [Sweep]
 * X=tile
 * Y=rows
 * tile=4,8,16,32
 * rows=1,2,4,8
 *
 * [Claim none_8]
 * Text=No access has a bank conflict with a tile of 8
 * Metric=excess_wavefronts
 * At=tile=8,n=67,m=67
 * Low=0
 * High=0
 *
 * [Claim none_16]
 * Text=No access has a bank conflict with a tile of 16
 * Metric=excess_wavefronts
 * At=tile=16,n=67,m=67
 * Low=0
 * High=0
 *
 * [Claim none_32]
 * Text=No access has a bank conflict with a tile of 32
 * Metric=excess_wavefronts
 * At=tile=32,n=67,m=67
 * Low=0
 * High=0
 *
 * [Claim words]
 * Text=A tile of 32 takes 4096 bytes of shared memory, and not one more
 * Metric=shared_static
 * At=tile=32,n=64,m=64
 * Low=4096
 * High=4096
 *
 * [Claim padded]
 * Text=It takes as long as transpose/padded
 * Metric=time
 * At=tile=32,rows=4
 * Against=transpose/padded tile=32,rows=4,padding=1
 * Low=0.92
 * High=1.12
 *
 * [Claim several]
 * Text=Eight elements per thread, all in flight at once, take about half of the time of one
 * Metric=time
 * At=tile=32,rows=8
 * Against=rows=1
 * Low=0.38
 * High=0.6
 */
