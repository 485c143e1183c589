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
 * Default=16
 * Summary=tiles side by side before the next row of tiles: 1 goes down the columns first, many go along the rows
 *
 * [Parameter hint]
 * Kind=compile
 * Values=0..3
 * Names=none,loads,stores,both
 * Default=1
 * Summary=what is marked as not to be used again, for the caches
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
 * If=columns*rows % (16*threads) == 0
 * Reason=a tile has to be shared out in groups of 4 × 4 elements, as many for each thread
 *
 * [Require shared]
 * If=4*columns*rows <= shared_per_block
 * Reason=the tile has to fit in shared memory
 *
 * [Launch]
 * Entry=transpose_best
 * Grid=ceil(n/columns)*ceil(m/rows)
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
 */

/* Elements a thread, in groups of 4 × 4. */
#define GROUPS   (COLUMNS * ROWS / 16 / THREADS)
#define ELEMENTS (16 * GROUPS)

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

/* Where an element of the tile is. Each column of the matrix has a row of the
 * array; exclusive or mixes the column into the bank, so that 32 neighbours of
 * a row and 32 of a column, and 8 pieces of 16 bytes either way, all lie in
 * different banks. */
__device__ __forceinline__ unsigned
place (unsigned column, unsigned row)
{
  const unsigned piece = row / 4 ^ column / 4 % 8;

  return column * ROWS + piece * 4 + ((row ^ column) & 3);
}

extern "C" __global__ void
__launch_bounds__ (THREADS) transpose_best (const float *__restrict__ in,
                                            float *__restrict__ out,
                                            int n,
                                            int m,
                                            int strip)
{
  __shared__ __align__ (128) float tile[COLUMNS * ROWS];
  const unsigned tiles_x = (n + COLUMNS - 1) / COLUMNS;
  const unsigned tiles_y = (m + ROWS - 1) / ROWS;
  const unsigned wide = min ((unsigned) strip, tiles_x);
  const unsigned nth = blockIdx.x / (wide * tiles_y);
  const unsigned rest = blockIdx.x - nth * wide * tiles_y;
  const unsigned width = min (wide, tiles_x - nth * wide);
  const int first_column = (nth * wide + rest % width) * COLUMNS;
  const int first_row = rest / width * ROWS;
  const int right = min (COLUMNS, n - first_column);
  const int bottom = min (ROWS, m - first_row);

  in += (size_t) first_row * n + first_column;
  out += (size_t) first_column * m + first_row;

  if (n % 4 == 0)
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

          *(float4 *) &tile[place (c, r)] =
              make_float4 (w[0].x, w[1].x, w[2].x, w[3].x);
          *(float4 *) &tile[place (c + 1, r) & ~3u] =
              make_float4 (w[1].y, w[0].y, w[3].y, w[2].y);
          *(float4 *) &tile[place (c + 2, r) & ~3u] =
              make_float4 (w[2].z, w[3].z, w[0].z, w[1].z);
          *(float4 *) &tile[place (c + 3, r) & ~3u] =
              make_float4 (w[3].w, w[2].w, w[1].w, w[0].w);
        }
    }
  else
    {
      float v[ELEMENTS];

#pragma unroll
      for (int e = 0; e < ELEMENTS; e++)
        {
          const int i = threadIdx.x + e * THREADS;
          const int c = i % COLUMNS;
          const int r = i / COLUMNS;

          if (c < right && r < bottom)
            v[e] = load_one (in + (size_t) r * n + c);
        }
#pragma unroll
      for (int e = 0; e < ELEMENTS; e++)
        {
          const int i = threadIdx.x + e * THREADS;

          tile[place (i % COLUMNS, i / COLUMNS)] = v[e];
        }
    }
  __syncthreads ();

  if (m % 4 == 0)
    {
#pragma unroll
      for (int g = 0; g < GROUPS; g++)
        {
          const int i = threadIdx.x + g * THREADS;
          const int c = i / (ROWS / 4) * 4;
          const int r = i % (ROWS / 4) * 4;

#pragma unroll
          for (int k = 0; k < 4; k++)
            {
              const float4 w = *(float4 *) &tile[place (c + k, r) & ~3u];

              if (c + k < right && r < bottom)
                store_four (out + (size_t) (c + k) * m + r,
                            k == 0   ? w
                            : k == 1 ? make_float4 (w.y, w.x, w.w, w.z)
                            : k == 2 ? make_float4 (w.z, w.w, w.x, w.y)
                                     : make_float4 (w.w, w.z, w.y, w.x));
            }
        }
    }
  else
    {
#pragma unroll
      for (int e = 0; e < ELEMENTS; e++)
        {
          const int i = threadIdx.x + e * THREADS;
          const int c = i / ROWS;
          const int r = i % ROWS;

          if (c < right && r < bottom)
            store_one (out + (size_t) c * m + r, tile[place (c, r)]);
        }
    }
}
