// SPDX-License-Identifier: MIT
// Matrix transpose, 16 bytes per access.
/*! cured
 * [Kernel]
 * Title=Transpose, 16 bytes at a time
 * Summary=4 × 4 elements per thread, transposed by a choice of registers, through a swizzled tile
 * Family=transpose
 * Step=7
 * Bytes=8*n*m
 * Ceiling=copy
 * Like=transpose/naive
 *
 * [Parameter tile]       # none
 * [Parameter coalesced]  # none
 *
 * [Parameter columns]
 * Kind=compile
 * Values=32,64,128,256
 * Default=64
 * Summary=columns of a tile: a piece of a row that is read
 *
 * [Parameter rows]
 * Kind=compile
 * Values=32,64,128,256
 * Default=64
 * Summary=rows of a tile: a piece of a row that is written
 *
 * [Parameter threads]
 * Kind=compile
 * Values=64,128,256,512
 * Default=256
 * Summary=threads per block
 *
 * [Parameter strip]
 * Kind=launch
 * Values=1..65536
 * Default=1
 * Summary=tiles side by side before the next row of tiles: 1 goes down the columns first, many go along the rows
 *
 * [Parameter hint]
 * Kind=compile
 * Values=0..3
 * Names=none,loads,stores,both
 * Default=0
 * Summary=data marked as not used again, for the caches
 *
 * [Parameter n]
 * Kind=problem
 * Default=8192
 * Summary=columns of the matrix, a multiple of 4
 *
 * [Parameter m]
 * Kind=problem
 * Default=8192
 * Summary=rows of the matrix, a multiple of 4
 *
 * [Require aligned]
 * If=n % 4 == 0 && m % 4 == 0
 * Reason=16 bytes are read and written at once, so that rows of both matrices have to be a multiple of 4 elements long; transpose/best takes any
 *
 * [Require whole]
 * If=columns*rows % (16*threads) == 0
 * Reason=a tile has to be shared out in groups of 4 × 4 elements, as many for each thread
 *
 * [Require shared]
 * If=4*columns*rows <= shared_per_block
 * Reason=the tile has to fit in shared memory
 *
 * [Launch]
 * Entry=transpose_wide
 * Grid=ceil(n/columns)*ceil(m/rows)
 * Block=threads
 * Arguments=in,out,n,m,strip
 */

/* Groups of 4 × 4 elements per thread. */
#define GROUPS (COLUMNS * ROWS / 16 / THREADS)

__device__ __forceinline__ float4
load_four (const float *from)
{
#if HINT & 1
  return __ldcs ((const float4 *) from);
#else
  return __ldg ((const float4 *) from);
#endif
}

__device__ __forceinline__ void
store_four (float *to, float4 value)
{
#if HINT & 2
  __stcs ((float4 *) to, value);
#else
  *(float4 *) to = value;
#endif
}

/* The place of four elements of a column of the tile, from a row that is a
 * multiple of 4. Each column of the matrix has a row of the array; an
 * exclusive or mixes the column into the bank, so that 8 neighbouring pieces,
 * in either direction, are in different banks. */
__device__ __forceinline__ float4 *
find_piece (float *tile, unsigned column, unsigned row)
{
  return (float4 *) tile + column * (ROWS / 4) + (row / 4 ^ column / 4 % 8);
}

/* Before: memory. Now: memory, at 98 % of the measured limit.
 *
 * Against transpose/swizzled: a thread has groups of 4 × 4 elements. It reads
 * a group as four pieces of rows, 16 bytes each, and keeps it as four pieces
 * of columns. The transpose of a group costs nothing: it is a choice of
 * registers. Shared memory is accessed 16 bytes at a time, too, and the
 * swizzle moves whole pieces.
 *
 * With that, instructions are few, and the order in which memory is accessed
 * matters. `strip` is the number of tiles side by side before the next row of
 * tiles begins: with 1, concurrent blocks write neighbouring pieces of the same
 * rows, and read pieces of different ones; with many it is the other way round,
 * and takes 1 to 7 % longer. `hint` marks data that is not used again. */
extern "C" __global__ void
__launch_bounds__ (THREADS) transpose_wide (const float *__restrict__ in,
                                            float *__restrict__ out,
                                            int n,
                                            int m,
                                            int strip)
{
  __shared__ __align__ (128) float tile[COLUMNS * ROWS];
  const unsigned across = (n + COLUMNS - 1) / COLUMNS;
  const unsigned down = (m + ROWS - 1) / ROWS;
  const unsigned width = min ((unsigned) strip, across);
  const unsigned nth = blockIdx.x / (width * down);
  const unsigned rest = blockIdx.x % (width * down);
  /* The last strip may be narrower. */
  const unsigned here = min (width, across - nth * width);
  const int first_column = (nth * width + rest % here) * COLUMNS;
  const int first_row = rest / here * ROWS;
  const int right = n - first_column;
  const int bottom = m - first_row;
  float4 v[GROUPS][4];

  in += (size_t) first_row * n + first_column;
  out += (size_t) first_column * m + first_row;
#pragma unroll
  for (int g = 0; g < GROUPS; g++)
    {
      const int i = threadIdx.x + g * THREADS;
      const int c = i % (COLUMNS / 4) * 4;
      const int r = i / (COLUMNS / 4) * 4;

#pragma unroll
      for (int k = 0; k < 4; k++)
        if (c < right && r + k < bottom)
          v[g][k] = load_four (in + (size_t) (r + k) * n + c);
    }

#pragma unroll
  for (int g = 0; g < GROUPS; g++)
    {
      const int i = threadIdx.x + g * THREADS;
      const int c = i % (COLUMNS / 4) * 4;
      const int r = i / (COLUMNS / 4) * 4;
      const float4 *w = v[g];

      *find_piece (tile, c, r) = make_float4 (w[0].x, w[1].x, w[2].x, w[3].x);
      *find_piece (tile, c + 1, r) =
          make_float4 (w[0].y, w[1].y, w[2].y, w[3].y);
      *find_piece (tile, c + 2, r) =
          make_float4 (w[0].z, w[1].z, w[2].z, w[3].z);
      *find_piece (tile, c + 3, r) =
          make_float4 (w[0].w, w[1].w, w[2].w, w[3].w);
    }
  __syncthreads ();

#pragma unroll
  for (int g = 0; g < GROUPS; g++)
    {
      const int i = threadIdx.x + g * THREADS;
      const int c = i / (ROWS / 4) * 4;
      const int r = i % (ROWS / 4) * 4;

#pragma unroll
      for (int k = 0; k < 4; k++)
        if (c + k < right && r < bottom)
          store_four (out + (size_t) (c + k) * m + r,
                      *find_piece (tile, c + k, r));
    }
}

/*! cured
 * [Sweep]
 * X=columns
 * Y=rows
 * columns=32,64,128
 * rows=32,64,128
 * threads=128,256
 * strip=1,65536
 *
 * [Claim none]
 * Text=No access has a bank conflict
 * Metric=excess_wavefronts
 * At=n=128,m=64
 * High=0
 *
 * [Claim sectors]
 * Text=Each request is of 16 whole sectors
 * Metric=sectors_per_request
 * At=n=128,m=128
 * Low=16
 * High=16
 *
 * [Claim instructions]
 * Text=It takes about a third of the instructions of transpose/swizzled
 * Metric=instructions
 * At=n=256,m=256
 * Against=transpose/swizzled n=256,m=256
 * Low=0.3
 * High=0.37
 *
 * [Claim time]
 * Text=It takes hardly longer than a copy
 * Metric=time
 * At=columns=64,rows=64,threads=256
 * Against=transpose/copy vector=4,each=1,threads=256
 * Low=0.95
 * High=1.08
 *
 * [Claim swizzled]
 * Text=It is faster than elements of 4 bytes, eight per thread
 * Metric=time
 * At=columns=64,rows=64,threads=256
 * Against=transpose/swizzled tile=32,rows=8
 * Low=0.8
 * High=0.95
 */
