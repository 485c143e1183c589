// SPDX-License-Identifier: MIT
// Matrix transpose, 16 bytes per access, whatever the alignment of the rows.
/*! cured
 * [Kernel]
 * Title=Transpose, rows of any alignment
 * Summary=Aligned pieces of 16 bytes are read and written, though rows start anywhere; excess elements of a piece are left to the neighbour
 * Family=transpose
 * Step=8
 * Bytes=8*n*m
 * Ceiling=copy
 * Like=transpose/naive
 *
 * [Parameter tile]       # none
 * [Parameter coalesced]  # none
 * [Require whole]        # none
 *
 * [Parameter columns]
 * Kind=compile
 * Values=61,93,125,128
 * Default=125
 * Summary=columns of a tile: a piece of a row that is read; 128 only where rows are aligned
 *
 * [Parameter rows]
 * Kind=compile
 * Values=32,64,128
 * Default=64
 * Summary=rows of a tile: a piece of a row that is written
 *
 * [Parameter threads]
 * Kind=compile
 * Values=256,512,1024
 * Default=512
 * Summary=threads per block
 *
 * [Parameter strip]
 * Kind=launch
 * Values=1..65536
 * Default=1
 * Summary=tiles side by side before the next row of tiles: 1 goes down the columns first, many go along the rows
 *
 * [Require columns]
 * If=columns <= 125 || n % 4 == 0
 * Reason=a warp reads 128 elements of a row, of which the first three may belong to the neighbour unless rows are a multiple of 4 elements long
 *
 * [Launch]
 * Entry=transpose_best
 * Grid=ceil(n/columns)*ceil((m + (m % 8 == 0 ? 0 : 7))/rows)
 * Block=threads
 * Shared=4*columns*(rows + 7)
 * Arguments=in,out,n,m,strip
 */

#define WARPS (THREADS / 32)

/* Rows of the tile, including those read to complete sectors. Their number is
 * odd: with that many words from one column of the tile to the next, a row is
 * spread over the banks. */
#define HALO  7
#define DEPTH (ROWS + HALO)

/* Lanes that write a column of the tile, and columns that a warp writes at
 * once. */
#define LANES (ROWS / 4)
#define SIDES (32 / LANES)

#define N_READS  ((DEPTH + WARPS - 1) / WARPS)
#define N_WRITES ((COLUMNS + WARPS * SIDES - 1) / (WARPS * SIDES))

/* Element (j + @turn) mod 4 of @v for j = 0, 1, 2, 3. Four lanes that would
 * conflict with each of their elements do not if each starts with another
 * one. */
__device__ __forceinline__ float4
turn_left (float4 v, unsigned turn)
{
  if (turn & 1)
    v = make_float4 (v.y, v.z, v.w, v.x);
  if (turn & 2)
    v = make_float4 (v.z, v.w, v.x, v.y);
  return v;
}

/* 16 aligned bytes at @from, of which the first @left elements are valid. */
__device__ __forceinline__ float4
read_piece (const float *from, long long left)
{
  float4 v = make_float4 (0, 0, 0, 0);

  if (left >= 4)
    return __ldg ((const float4 *) from);
  v.x = from[0];
  if (left > 1)
    v.y = from[1];
  if (left > 2)
    v.z = from[2];
  return v;
}

/* Next to a conditional write, the compiler would split it into four
 * writes. */
__device__ __forceinline__ void
write_piece (float *to, float4 v)
{
  asm volatile("st.global.v4.f32 [%0], {%1, %2, %3, %4};"
               :
               : "l"(to), "f"(v.x), "f"(v.y), "f"(v.z), "f"(v.w)
               : "memory");
}

/* Before: memory; where rows are not aligned, the traffic within L2. Now:
 * memory. Rows of an odd length start anywhere in a sector, and a tile's
 * pieces of them end anywhere. A sector that two tiles share is read by both;
 * one that two tiles write is written in parts, which costs L2 more than its
 * bytes.
 *
 * Against transpose/wide: any number of rows and columns. Reading, a warp
 * takes aligned pieces of 16 bytes, from before the tile on, and drops
 * elements outside. Writing, each row of the result starts where a sector
 * starts, up to 7 elements before the tile; for that the tile has 7 rows more
 * than it writes, except where the rows of the result are a multiple of 8
 * elements long. So every sector is written by one tile, at once, and only
 * some are read twice. Expect rows of odd length to cost little, and aligned
 * ones as much as in transpose/wide.
 *
 * Elements of a piece go to four columns of the tile, and lanes 8 apart would
 * share a bank: each starts with another element of its piece, and the piece
 * is rotated accordingly. Reading a column back is the same in reverse. */
extern "C" __global__ void
__launch_bounds__ (THREADS) transpose_best (const float *__restrict__ in,
                                            float *__restrict__ out,
                                            int n,
                                            int m,
                                            int strip)
{
  extern __shared__ float tile[];
  const int halo = m % 8 == 0 ? 0 : HALO;
  const unsigned across = (n + COLUMNS - 1) / COLUMNS;
  const unsigned down = (m + halo + ROWS - 1) / ROWS;
  const unsigned width = min ((unsigned) strip, across);
  const unsigned nth = blockIdx.x / (width * down);
  const unsigned rest = blockIdx.x % (width * down);
  /* The last strip may be narrower. */
  const unsigned here = min (width, across - nth * width);
  const int first_column = (nth * width + rest % here) * COLUMNS;
  const int first_row = (int) (rest / here * ROWS) - halo;
  const unsigned right = min (COLUMNS, n - first_column);
  /* Of the tile's rows, counted from first_row, these are in the matrix. */
  const int top = max (0, -first_row);
  const int bottom = min (ROWS + halo, m - first_row);
  const unsigned lane = threadIdx.x % 32;
  const unsigned warp = threadIdx.x / 32;
  const unsigned turn = lane / 8;
  float4 v[N_READS];

  /* A warp reads a piece of a row: from the last multiple of 4 elements on, so
   * that up to three in front belong to the tile on the left. */
  {
    const long long length = (long long) n * m;
    long long at = (long long) (first_row + (int) warp) * n + first_column;

#pragma unroll
    for (int e = 0; e < N_READS; e++, at += (long long) WARPS * n)
      {
        const int row = warp + e * WARPS;
        const int before = (int) at & 3;
        const long long from = at - before + 4 * lane;

        if (row >= top && row < bottom && 4 * (int) lane - before < (int) right)
          v[e] = read_piece (in + from, length - from);
      }
  }

  {
    unsigned at = (unsigned) (first_row + (int) warp) * n + first_column;

#pragma unroll
    for (int e = 0; e < N_READS; e++, at += (unsigned) WARPS * n)
      {
        const int row = warp + e * WARPS;
        const unsigned first = 4 * lane - (at & 3);
        const float4 w = turn_left (v[e], turn);
        const float elements[4] = { w.x, w.y, w.z, w.w };

#pragma unroll
        for (int j = 0; j < 4; j++)
          {
            /* The rest of the tile wraps around, past its right edge. */
            const unsigned column = first + (j + turn) % 4;

            if (column < right && row < DEPTH)
              tile[column * DEPTH + row] = elements[j];
          }
      }
  }
  __syncthreads ();

  /* A warp writes columns of the tile that are 8 apart: all are shifted
   * equally. */
  {
    const unsigned first = warp % 8 + 8 * (warp / 8 * SIDES + lane / LANES);
    const int shift =
        halo == 0 ? 0 : (unsigned) (first_column + first) * (unsigned) m % 8;
    const int row = 4 * (lane % LANES) + halo - shift;
    const float *from = tile + first * DEPTH + row;
    float *to =
        out + (long long) (first_column + (int) first) * m + first_row + row;

#pragma unroll
    for (int e = 0; e < N_WRITES; e++, to += (long long) (WARPS * SIDES) * m)
      if (first + e * WARPS * SIDES < right)
        {
          const float *f = from + e * WARPS * SIDES * DEPTH;

          if (row >= top && row + 4 <= bottom)
            {
              const float4 w = make_float4 (f[turn],
                                            f[(1 + turn) % 4],
                                            f[(2 + turn) % 4],
                                            f[(3 + turn) % 4]);

              write_piece (to, turn_left (w, (4 - turn) % 4));
            }
          else
            for (int k = 0; k < 4; k++)
              if (row + k >= top && row + k < bottom)
                to[k] = f[k];
        }
  }
}

/*! cured
 * [Sweep]
 * X=columns
 * Y=rows
 * columns=125,128
 * rows=32,64,128
 * n=8191,8192
 * m=8191,8192
 *
 * [Claim none]
 * Text=No access has a bank conflict
 * Metric=excess_wavefronts
 * At=n=251,m=505
 * High=0
 *
 * [Claim sectors]
 * Text=With rows of odd length it requests about a tenth more sectors than a copy
 * Metric=global_sectors
 * At=n=1241,m=505
 * Against=transpose/copy n=1241,m=505
 * Low=1.05
 * High=1.15
 *
 * [Claim narrow]
 * Text=Each request has at least twice the sectors of one for elements of 4 bytes
 * Metric=sectors_per_request
 * At=n=1241,m=505
 * Against=transpose/swizzled n=1241,m=505
 * Low=2
 *
 * [Claim odd]
 * Text=Rows of odd length cost an eighth at most
 * Metric=time
 * At=columns=125,rows=64,n=8191,m=8191
 * Against=columns=128,rows=64,n=8192,m=8192
 * Low=0.98
 * High=1.12
 *
 * [Claim wide]
 * Text=Where rows are aligned it is as fast as transpose/wide
 * Metric=time
 * At=columns=128,rows=64,n=8192,m=8192
 * Against=transpose/wide columns=64,rows=64,threads=256,strip=1
 * Low=0.95
 * High=1.07
 */
