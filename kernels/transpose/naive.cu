// SPDX-License-Identifier: MIT
// Matrix transpose, straight from global memory to global memory.
/*! cured
 * [Kernel]
 * Title=Transpose, global memory only
 * Summary=Each thread moves its elements itself; the lanes of a warp are neighbours where they read, or where they write
 * Family=transpose
 * Step=2
 * Bytes=8*n*m
 * Ceiling=copy
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
 * [Parameter coalesced]
 * Kind=compile
 * Values=0,1
 * Names=reads,writes
 * Default=0
 * Summary=where the lanes of a warp are neighbours in memory
 *
 * [Parameter n]
 * Kind=problem
 * Default=8192
 * Summary=columns of the matrix, any number
 *
 * [Parameter m]
 * Kind=problem
 * Default=8192
 * Summary=rows of the matrix, any number
 *
 * [Buffer in]
 * Type=f32
 * Length=n*m
 * Fill=uniform
 *
 * [Buffer out]
 * Type=f32
 * Length=n*m
 * Fill=poison
 *
 * [Require whole]
 * If=tile % rows == 0
 * Reason=the rows of a tile have to be shared out evenly
 *
 * [Launch]
 * Entry=transpose_naive
 * Grid=coalesced == 0 ? ceil(n/tile) : ceil(m/tile),coalesced == 0 ? ceil(m/tile) : ceil(n/tile)
 * Block=tile,tile/rows
 * Arguments=in,out,n,m
 *
 * [Check]
 * Output=out
 * Reference=transpose
 */

#define STEP (TILE / ROWS)

/* Now: no single resource, at tile=32 and coalesced reads. Lanes that are
 * neighbours of a row share sectors of 32 bytes, 8 to a sector; lanes that are
 * neighbours of a column access one each, and use 4 of its bytes. One of the
 * two arrays is always accessed that way. At its best cell, block dispatch is
 * the limit.
 *
 * Against transpose/copy: the same bytes are used, but more are moved. Which
 * side should be coalesced? The rest of a sector that is read stays in L1,
 * where the next warp finds it; every write goes on to L2. Expect coalesced
 * writes (`coalesced`) to win by far. A small tile helps: a warp of several
 * rows shares sectors on both sides, and the next warps find the others in
 * L1. */
extern "C" __global__ void
transpose_naive (const float *__restrict__ in,
                 float *__restrict__ out,
                 int n,
                 int m)
{
#pragma unroll
  for (int r = 0; r < ROWS; r++)
    {
      const int x = blockIdx.x * TILE + threadIdx.x;
      const int y = blockIdx.y * TILE + threadIdx.y + r * STEP;
      const int column = COALESCED ? y : x;
      const int row = COALESCED ? x : y;

      if (column < n && row < m)
        out[(size_t) column * m + row] = in[(size_t) row * n + column];
    }
}

/*! cured
 * [Sweep]
 * X=tile
 * Y=coalesced
 * tile=8,16,32
 * coalesced=0,1
 * rows=1,4,8
 *
 * [Claim rows]
 * Text=32 neighbours of a row are 4 sectors, 32 of a column are 32: 18 a request
 * Metric=sectors_per_request
 * At=tile=32,coalesced=0,n=64,m=64
 * Low=18
 * High=18
 *
 * [Claim moved]
 * Text=Of the columns' sectors 4 of 32 bytes are used: (4 + 32) / (4 + 4) = 4.5 times the sectors of a copy
 * Question=How many times the sectors of a copy does the naive transpose request, with a tile of 32 and coalesced reads?
 * Metric=global_sectors
 * At=tile=32,coalesced=0,n=256,m=256
 * Against=transpose/copy n=256,m=256
 * Low=4.5
 * High=4.5
 *
 * [Claim tile]
 * Text=With four rows of 8 per warp it requests 1.5 times the sectors of a copy
 * Metric=global_sectors
 * At=tile=8,rows=1,n=256,m=256
 * Against=transpose/copy n=256,m=256
 * Low=1.5
 * High=1.5
 *
 * [Claim reads]
 * Text=With coalesced reads it takes three to four times as long as with coalesced writes
 * Metric=time
 * At=tile=32,rows=4,coalesced=0
 * Against=coalesced=1
 * Low=2.8
 * High=4.2
 *
 * [Claim tile_time]
 * Text=With tiles of 16 and coalesced writes it takes as long as transpose/shared: block dispatch limits both
 * Metric=time
 * At=tile=16,rows=4,coalesced=1
 * Against=transpose/shared tile=16,rows=4
 * Low=0.88
 * High=1.13
 */
