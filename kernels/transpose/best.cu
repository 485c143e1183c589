// SPDX-License-Identifier: MIT
// Matrix transpose with 16-byte accesses everywhere.
/*! cured
 * [Kernel]
 * Title=Transpose, 16 bytes at a time
 * Summary=4 × 4 elements a thread, turned in registers, through a swizzled tile; 4-byte accesses where rows are not aligned
 * Family=transpose
 * Step=7
 * Bytes=8*n*m
 * Ceiling=copy
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
 * Summary=threads a block
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
 * Summary=what is marked as not to be used again, for the caches
 *
 * [Parameter sectors]
 * Kind=compile
 * Values=0,1
 * Names=any,whole
 * Default=1
 * Summary=whether rows that are not aligned are written in whole sectors, for which more is read
 *
 * [Parameter n]
 * Kind=problem
 * Default=8192
 * Summary=columns of the matrix
 *
 * [Parameter m]
 * Kind=problem
 * Default=8192
 * Summary=rows of the matrix
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
 * If=columns*rows % (16*threads) == 0 && threads % columns == 0 && threads % rows == 0
 * Reason=a tile has to be shared out in groups of 4 × 4 elements, as many for each thread, and a block has to hold whole rows and columns of it
 *
 * [Require halo]
 * If=sectors == 0 || columns*(rows + 8) % threads == 0
 * Reason=the eight rows more that whole sectors need have to be shared out evenly
 *
 * [Require shared]
 * If=4*columns*(rows + 1 + 8*sectors) <= shared_per_block
 * Reason=the tile has to fit in shared memory
 *
 * [Launch]
 * Entry=transpose_best
 * Grid=ceil(n/columns)*ceil((n % 4 == 0 && m % 4 == 0 ? m : m + 7*sectors)/rows)
 * Block=threads
 * Arguments=in,out,n,m,strip
 *
 * [Check]
 * Output=out
 * Reference=transpose
 *
 * [Sweep]
 * X=columns
 * Y=rows
 * columns=32,64,128
 * rows=32,64,128
 * threads=128,256
 *
 * [Claim none]
 * Text=No two lanes meet in a bank where rows are aligned
 * Metric=excess_wavefronts
 * At=n=128,m=64
 * Low=0
 * High=0
 *
 * [Claim none_odd]
 * Text=Nor where they are not
 * Metric=excess_wavefronts
 * At=n=131,m=65
 * Low=0
 * High=0
 *
 * [Claim instructions]
 * Text=It takes about a third of the instructions of transpose/swizzled
 * Metric=instructions
 * At=n=256,m=256
 * Against=transpose/swizzled n=256,m=256
 * Low=0.3
 * High=0.37
 *
 * [Claim sectors]
 * Text=Each request is of 16 whole sectors
 * Metric=sectors_per_request
 * At=n=128,m=128
 * Low=16
 * High=16
 */

/* Where rows are aligned: groups of 4 × 4 elements a thread. */
#define GROUPS (COLUMNS * ROWS / 16 / THREADS)

/* Where they are not: rows of the tile with those that are read for the sake of
 * whole sectors, and words from one column of it to the next; an odd number
 * spreads a row over the banks. */
#define HALO  (8 * SECTORS)
#define DEPTH (ROWS + HALO)
#define PITCH (DEPTH + 1)

__device__ __forceinline__ float4
load_four (const float *from)
{
#if HINT & 1
  return __ldcs ((const float4 *) from);
#else
  return __ldg ((const float4 *) from);
#endif
}

__device__ __forceinline__ float
load_one (const float *from)
{
#if HINT & 1
  return __ldcs (from);
#else
  return __ldg (from);
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

__device__ __forceinline__ void
store_one (float *to, float value)
{
#if HINT & 2
  __stcs (to, value);
#else
  *to = value;
#endif
}

/* Where an element of the tile is, if rows are aligned. Each column of the
 * matrix has a row of the array; exclusive or mixes the column into the bank, so
 * that 8 pieces of 16 bytes next to each other, either way, lie in different
 * banks. */
__device__ __forceinline__ float4 *
find_piece (float *tile, unsigned column, unsigned row)
{
  return (float4 *) tile + column * (ROWS / 4) + (row / 4 ^ column / 4 % 8);
}

/* What is inside of the matrix: columns up to @right, rows from @top up to
 * @bottom, counted from the tile's corner. */
typedef struct
{
  int right;
  int top;
  int bottom;
} Inside;

/* A group of 4 × 4 is read as four pieces of rows, and kept as four pieces of
 * columns: which number is in which register is all that changes. */
__device__ __forceinline__ void
read_groups (const float *__restrict__ in, float *tile, int n, Inside inside)
{
  float4 v[GROUPS][4];

#pragma unroll
  for (int g = 0; g < GROUPS; g++)
    {
      const int i = threadIdx.x + g * THREADS;
      const int c = i % (COLUMNS / 4) * 4;
      const int r = i / (COLUMNS / 4) * 4;

#pragma unroll
      for (int k = 0; k < 4; k++)
        if (c < inside.right && r + k < inside.bottom)
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
}

__device__ __forceinline__ void
write_groups (float *__restrict__ out, float *tile, int m, Inside inside)
{
#pragma unroll
  for (int g = 0; g < GROUPS; g++)
    {
      const int i = threadIdx.x + g * THREADS;
      const int c = i / (ROWS / 4) * 4;
      const int r = i % (ROWS / 4) * 4;

#pragma unroll
      for (int k = 0; k < 4; k++)
        if (c + k < inside.right && r < inside.bottom)
          store_four (out + (size_t) (c + k) * m + r,
                      *find_piece (tile, c + k, r));
    }
}

/* Neighbours read a piece of a row, one element each. The tests for the edge
 * are for the compiler to leave out where @is_whole. */
__device__ __forceinline__ void
read_elements (const float *__restrict__ in,
               float *tile,
               int n,
               Inside inside,
               bool is_whole)
{
  const int step = THREADS / COLUMNS;
  const int c = threadIdx.x % COLUMNS;
  const int r = threadIdx.x / COLUMNS;
  float v[DEPTH / (THREADS / COLUMNS)];

  in += (size_t) r * n + c;
#pragma unroll
  for (int e = 0; e < DEPTH / step; e++, in += (size_t) step * n)
    if (is_whole || (c < inside.right && r + e * step >= inside.top &&
                     r + e * step < inside.bottom))
      v[e] = load_one (in);
#pragma unroll
  for (int e = 0; e < DEPTH / step; e++)
    tile[c * PITCH + r + e * step] = v[e];
}

/* Neighbours write a piece of a row of the result. For whole sectors, each row
 * of it starts as many elements further to the left as its first one is past
 * the last multiple of 8. */
__device__ __forceinline__ void
write_elements (float *__restrict__ out,
                const float *tile,
                int m,
                int first_column,
                Inside inside,
                bool is_whole)
{
  const int step = THREADS / ROWS;
  const int c = threadIdx.x / ROWS;
  const int r = threadIdx.x % ROWS;

  out += (size_t) c * m + r;
#pragma unroll
  for (int e = 0; e < COLUMNS / step; e++, out += (size_t) step * m)
    {
      const int column = c + e * step;
      const int shift =
          SECTORS ? (unsigned) (first_column + column) * m % 8 : 0;
      const int row = r + HALO - shift;

      if (is_whole ||
          (column < inside.right && row >= inside.top && row < inside.bottom))
        store_one (out - shift, tile[column * PITCH + row]);
    }
}

/* COMMENT */
extern "C" __global__ void
__launch_bounds__ (THREADS) transpose_best (const float *__restrict__ in,
                                            float *__restrict__ out,
                                            int n,
                                            int m,
                                            int strip)
{
  __shared__ __align__ (128) float tile[COLUMNS * PITCH];
  const bool is_aligned = n % 4 == 0 && m % 4 == 0;
  const int halo = is_aligned ? 0 : HALO;
  const unsigned across = (n + COLUMNS - 1) / COLUMNS;
  const unsigned down = (m + (halo > 0 ? 7 : 0) + ROWS - 1) / ROWS;
  const unsigned width = min ((unsigned) strip, across);
  const unsigned nth = blockIdx.x / (width * down);
  const unsigned rest = blockIdx.x % (width * down);
  /* The last strip may be narrower. */
  const unsigned here = min (width, across - nth * width);
  const int first_column = (nth * width + rest % here) * COLUMNS;
  const int first_row = (int) (rest / here * ROWS) - halo;
  const Inside inside = { min (COLUMNS, n - first_column),
                          max (0, -first_row),
                          min (ROWS + halo, m - first_row) };
  const bool is_whole =
      inside.right == COLUMNS && inside.top == 0 && inside.bottom == DEPTH;

  in += (long long) first_row * n + first_column;
  out += (long long) first_column * m + first_row + halo;
  if (is_aligned)
    {
      read_groups (in, tile, n, inside);
      __syncthreads ();
      write_groups (out, tile, m, inside);
      return;
    }

  if (is_whole)
    read_elements (in, tile, n, inside, true);
  else
    read_elements (in, tile, n, inside, false);
  __syncthreads ();
  if (is_whole)
    write_elements (out, tile, m, first_column, inside, true);
  else
    write_elements (out, tile, m, first_column, inside, false);
}
