// SPDX-License-Identifier: MIT
// Matrix transpose through a tile in shared memory, all columns in one bank.
/*! cured
 * [Kernel]
 * Title=Transpose through shared memory
 * Summary=Rows are read and rows are written, both coalesced; the transpose goes through shared memory, with bank conflicts
 * Family=transpose
 * Step=3
 * Bytes=8*n*m
 * Ceiling=copy
 * Like=transpose/naive
 *
 * [Parameter coalesced]  # none
 *
 * [Launch]
 * Entry=transpose_shared
 * Grid=ceil(n/tile),ceil(m/tile)
 * Block=tile,tile/rows
 * Arguments=in,out,n,m
 */

#define STEP (TILE / ROWS)

/* Before: no single resource; 4.5 times the sectors of a copy. Now: shared
 * memory, at tile=32: word w is in bank w mod 32, a row has 32 words, so a
 * column is in one bank, and a warp gets its words one after another.
 *
 * Against transpose/naive: the tile is written row by row, as it comes from
 * memory, and read by columns. Both accesses of global memory are coalesced,
 * and each sector is moved once; only the column read is slow. With smaller
 * tiles a warp has several short columns, and fewer words collide: block
 * dispatch limits the best, tile=16. */
extern "C" __global__ void
transpose_shared (const float *__restrict__ in,
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
      tile[y + r][x] = in[(size_t) (first_row + y + r) * n + first_column + x];
  __syncthreads ();

#pragma unroll
  for (int r = 0; r < TILE; r += STEP)
    if (first_column + y + r < n && first_row + x < m)
      out[(size_t) (first_column + y + r) * m + first_row + x] = tile[x][y + r];
}

/*! cured
 * [Sweep]
 * X=tile
 * Y=rows
 * tile=4,8,16,32
 * rows=1,2,4,8
 *
 * [Claim sectors]
 * Text=Each request of a warp is for 4 sectors, in both matrices
 * Metric=sectors_per_request
 * At=tile=32,n=64,m=64
 * Low=4
 * High=4
 *
 * [Claim ways]
 * Text=A column of the tile takes 32 wavefronts, a row one: 33 for two accesses, where the padded tile takes 2
 * Question=How many times as many wavefronts does a tile of 32 take without padding as with it?
 * Metric=shared_wavefronts
 * At=tile=32,n=64,m=64
 * Against=transpose/padded tile=32,padding=1,n=64,m=64
 * Low=16.5
 * High=16.5
 *
 * [Claim time]
 * Text=The conflicts keep shared memory busy for 88 % of the time; without them memory is the limit
 * Question=How many times as long does a tile of 32 take without padding as with it?
 * Metric=time
 * At=tile=32,rows=4
 * Against=transpose/padded tile=32,rows=4,padding=1
 * Low=1.6
 * High=2.5
 */
