// SPDX-License-Identifier: MIT
// Matrix transpose through a tile in shared memory whose rows are padded.
/*! cured
 * [Kernel]
 * Title=Transpose, padded tile
 * Summary=Unused columns shift each row of the tile by some banks
 * Family=transpose
 * Step=4
 * Bytes=8*n*m
 * Ceiling=copy
 * Like=transpose/naive
 *
 * [Parameter coalesced]  # none
 *
 * [Parameter tile]
 * Kind=compile
 * Values=4,8,16,32
 * Default=32
 * Summary=rows and columns of a tile
 *
 * [Parameter rows]
 * Kind=compile
 * Values=1,2,4,8
 * Default=4
 * Summary=elements per thread, in as many rows; the block is tile × tile/rows threads
 *
 * [Parameter padding]
 * Kind=compile
 * Values=0..8
 * Default=1
 * Summary=unused columns of the tile
 *
 * [Launch]
 * Entry=transpose_padded
 * Grid=ceil(n/tile),ceil(m/tile)
 * Block=tile,tile/rows
 * Arguments=in,out,n,m
 */

#define STEP (TILE / ROWS)

/* Before: shared memory. Now: memory, and the number of its accesses of 4
 * bytes in flight.
 *
 * Against transpose/shared: a row is TILE + PADDING words long, so the next
 * element of a column is PADDING banks further. With a tile of 32 any odd
 * padding spreads a column over all banks, since odd numbers share no
 * factor with 32; even ones do. Smaller tiles need other numbers: in a tile
 * of 16 a warp has two rows and reads two columns, and with a padding that
 * suits the read, the second row wraps into banks of the first as it is
 * written. */
extern "C" __global__ void
transpose_padded (const float *__restrict__ in,
                  float *__restrict__ out,
                  int n,
                  int m)
{
  __shared__ float tile[TILE][TILE + PADDING];
  const int x = threadIdx.x;
  const int y = threadIdx.y;
  const int first_column = blockIdx.x * TILE;
  const int first_row = blockIdx.y * TILE;

#pragma unroll
  for (int r = 0; r < TILE; r += STEP)
    if (first_row + y + r < m && first_column + x < n)
      tile[y + r][x] = in[(size_t) (first_row + y + r) * n + first_column + x];
  __syncthreads ();

#pragma unroll
  for (int r = 0; r < TILE; r += STEP)
    if (first_column + y + r < n && first_row + x < m)
      out[(size_t) (first_column + y + r) * m + first_row + x] = tile[x][y + r];
}

/*! cured
 * [Sweep]
 * X=padding
 * Y=tile
 * padding=0..4,8
 * tile=8,16,32
 * rows=4
 *
 * [Claim none]
 * Text=With a tile of 32 and one column more, no access has a bank conflict
 * Metric=excess_wavefronts
 * At=tile=32,padding=1,n=64,m=64
 * Low=0
 * High=0
 *
 * [Claim even]
 * Text=Two columns more use half of the banks, with two lanes in each
 * Metric=shared_wavefronts
 * At=tile=32,padding=2,n=64,m=64
 * Against=tile=32,padding=1
 * Low=1.5
 * High=1.5
 *
 * [Claim sixteen]
 * Text=With a tile of 16 even the best padding leaves a third of the wavefronts to conflicts
 * Metric=excess_wavefronts
 * At=tile=16,padding=2,n=64,m=64
 * Low=128
 * High=128
 *
 * [Claim time_even]
 * Text=An even padding costs no time here, since memory is the limit
 * Metric=time
 * At=tile=32,rows=4,padding=2
 * Against=padding=1
 * Low=0.93
 * High=1.07
 */
