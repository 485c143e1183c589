// SPDX-License-Identifier: MIT
// Matrix transpose with the blocks in another order.
/*! cured
 * [Kernel]
 * Title=Transpose, block order
 * Summary=As the swizzled one; blocks that run at the same time work along a row, along a column, or along a diagonal
 * Family=transpose
 * Step=6
 * Role=detour
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
 * [Parameter order]
 * Kind=compile
 * Values=0..2
 * Names=row,column,diagonal
 * Default=2
 * Summary=order of the tiles of consecutive blocks
 *
 * [Launch]
 * Entry=transpose_diagonal
 * Grid=ceil(n/tile)*ceil(m/tile)
 * Block=tile,tile/rows
 * Arguments=in,out,n,m
 */

#define STEP (TILE / ROWS)

/* Before: memory. Now: memory. On the chips of 2008 it was divided into
 * partitions, interleaved every 256 bytes; with rows of a power of two, blocks
 * that wrote below each other all used one partition, and the others were
 * idle. The cure was to give concurrent blocks tiles along a diagonal, which
 * differ in row and in column.
 *
 * A detour, against transpose/swizzled: only the order. Expect it to be the
 * slowest of the three orders today: addresses are hashed over the memory's
 * channels, so a power of two is as good as any other number; and along a row
 * or a column at least one matrix is accessed in long pieces, along a diagonal
 * neither is. `m` has powers of two, and numbers next to them. */
extern "C" __global__ void
transpose_diagonal (const float *__restrict__ in,
                    float *__restrict__ out,
                    int n,
                    int m)
{
  __shared__ float tile[TILE][TILE];
  const int x = threadIdx.x;
  const int y = threadIdx.y;
  const unsigned across = (n + TILE - 1) / TILE;
  const unsigned down = (m + TILE - 1) / TILE;
#if ORDER == 0
  const unsigned tile_x = blockIdx.x % across;
  const unsigned tile_y = blockIdx.x / across;
#elif ORDER == 1
  const unsigned tile_x = blockIdx.x / down;
  const unsigned tile_y = blockIdx.x % down;
#else
  /* Row by row, each one tile further to the right than the one above,
   * wrapping around at the edge of the matrix. */
  const unsigned tile_y = blockIdx.x % down;
  const unsigned tile_x = (blockIdx.x / down + tile_y) % across;
#endif
  const int first_column = tile_x * TILE;
  const int first_row = tile_y * TILE;

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
 * X=m
 * Y=order
 * m=4096,4104,4128,8192,8200,8224
 * order=0..2
 *
 * [Claim same]
 * Text=The order of the blocks changes nothing of what each of them moves
 * Question=How many times as many sectors does the diagonal order request as the order of rows?
 * Metric=global_sectors
 * At=order=2,n=96,m=160
 * Against=order=0
 * Low=1
 * High=1
 *
 * [Claim diagonal]
 * Text=Addresses are hashed over the memory's channels, so no partition is camped on; along a diagonal neither matrix is accessed in long pieces
 * Question=How many times as long as the order of rows does the diagonal order take, at 8192²?
 * Metric=time
 * At=order=2,m=8192
 * Against=order=0
 * Low=1
 * High=1.15
 *
 * [Claim columns]
 * Text=The order of columns is the fastest: the diagonal takes up to 8 % longer
 * Metric=time
 * At=order=2,m=8224
 * Against=order=1
 * Low=1.03
 * High=1.12
 *
 * [Claim smallest]
 * Text=The diagonal is the slowest where the orders differ least, too
 * Metric=time
 * At=order=2,m=4104
 * Against=order=0
 * Low=1
 * High=1.1
 *
 * [Claim power]
 * Text=Rows of a power of two take as long as rows next to it
 * Metric=time
 * At=order=0,m=8192
 * Against=m=8200
 * Low=0.92
 * High=1.06
 */
