// SPDX-License-Identifier: MIT
// Matrix product that fetches a slab while it multiplies the one before.
/*! cured
 * [Kernel]
 * Title=Matrix product, double buffered
 * Summary=Two stages of both tiles: the next slab is in flight, through registers, while the threads multiply
 * Family=matmul
 * Step=7
 * Flops=2*n*n*n
 * Bytes=12*n*n
 * Ceiling=fp32
 * Like=matmul/vector
 *
 * [Require threads]
 * If=tile_m/thread_m*(tile_n/thread_n) >= 32 && tile_m/thread_m*(tile_n/thread_n) <= 1024
 * Reason=a block has 32 … 1024 threads: tile_m × tile_n over thread_m × thread_n
 *
 * [Require registers]
 * If=thread_m*thread_n <= 128
 * Reason=more than 128 sums per thread do not fit its registers
 *
 * [Require shared]
 * If=2*(tile_k*(tile_m+padding)+tile_k*tile_n)*4 <= 49152
 * Reason=two stages of both tiles have to fit 48 KB of static shared memory
 *
 * [Require copies]
 * If=tile_m*tile_k/4 % (tile_m/thread_m*(tile_n/thread_n)) == 0 && tile_n*tile_k/4 % (tile_m/thread_m*(tile_n/thread_n)) == 0
 * Reason=each thread has to fetch as many fours of both tiles as any other
 *
 * [Launch]
 * Entry=matmul_double_buffer
 * Grid=ceil(n/tile_n),ceil(n/tile_m)
 * Block=tile_m/thread_m*(tile_n/thread_n)
 * Arguments=a,b,c,n
 */

#define THREADS_N (TILE_N / THREAD_N)
#define THREADS_M (TILE_M / THREAD_M)
#define THREADS   (THREADS_M * THREADS_N)
#define FOURS_A   (TILE_M * TILE_K / 4 / THREADS)
#define FOURS_B   (TILE_N * TILE_K / 4 / THREADS)

/* Four neighbours of a row, with zeros outside the matrix. Where rows do not
 * start at multiples of 16 bytes, the elements are loaded one by one. */
static __device__ __forceinline__ float4
load4 (const float *from, int row, int column, int n)
{
  float4 four = { 0, 0, 0, 0 };

  from += (size_t) row * n + column;
  if (row >= n)
    return four;
  if (n % 4 == 0)
    return column < n ? *(const float4 *) from : four;
  if (column < n)
    four.x = from[0];
  if (column + 1 < n)
    four.y = from[1];
  if (column + 2 < n)
    four.z = from[2];
  if (column + 3 < n)
    four.w = from[3];
  return four;
}

static __device__ __forceinline__ void
store4 (float *to, int row, int column, int n, float4 four)
{
  to += (size_t) row * n + column;
  if (row >= n)
    return;
  if (n % 4 == 0)
    {
      if (column < n)
        *(float4 *) to = four;
      return;
    }
  if (column < n)
    to[0] = four.x;
  if (column + 1 < n)
    to[1] = four.y;
  if (column + 2 < n)
    to[2] = four.z;
  if (column + 3 < n)
    to[3] = four.w;
}

/* A slab of both matrices in a thread's registers, between its loads and
 * stores. */
struct slab
{
  float4 a[FOURS_A];
  float4 b[FOURS_B];
};

static __device__ __forceinline__ void
fetch (struct slab *slab,
       const float *a,
       const float *b,
       int first_row,
       int first_column,
       int k,
       int n)
{
#pragma unroll
  for (int p = 0; p < FOURS_A; p++)
    {
      const int i = threadIdx.x + p * THREADS;

      slab->a[p] =
          load4 (a, first_row + i / (TILE_K / 4), k + i % (TILE_K / 4) * 4, n);
    }
#pragma unroll
  for (int p = 0; p < FOURS_B; p++)
    {
      const int i = threadIdx.x + p * THREADS;

      slab->b[p] = load4 (
          b, k + i / (TILE_N / 4), first_column + i % (TILE_N / 4) * 4, n);
    }
}

static __device__ __forceinline__ void
put (const struct slab *slab,
     float (*tile_a)[TILE_M + PADDING],
     float (*tile_b)[TILE_N])
{
#pragma unroll
  for (int p = 0; p < FOURS_A; p++)
    {
      const int i = threadIdx.x + p * THREADS;
      const int y = i / (TILE_K / 4);
      const int x = i % (TILE_K / 4) * 4;

      tile_a[x][y] = slab->a[p].x;
      tile_a[x + 1][y] = slab->a[p].y;
      tile_a[x + 2][y] = slab->a[p].z;
      tile_a[x + 3][y] = slab->a[p].w;
    }
#pragma unroll
  for (int p = 0; p < FOURS_B; p++)
    {
      const int i = threadIdx.x + p * THREADS;

      *(float4 *) &tile_b[i / (TILE_N / 4)][i % (TILE_N / 4) * 4] = slab->b[p];
    }
}

/* Before: latency: a block requests a slab, waits for global memory,
 * multiplies, and requests again; with register tiles few other blocks are
 * resident to use the time. Now: instruction issue.
 *
 * Here the loads of the next slab are issued before the multiplication, and
 * stored to the other of two stages after it: the block's own arithmetic hides
 * the wait. With two stages one barrier per slab is enough. Expect about half
 * of the barriers, and with 8 × 16 elements per thread to save a seventh of the
 * time or more. */
extern "C" __global__ void __launch_bounds__ (THREADS, RESIDENT)
matmul_double_buffer (const float *__restrict__ a,
                      const float *__restrict__ b,
                      float *__restrict__ c,
                      int n)
{
  __shared__ alignas (16) float tile_a[2][TILE_K][TILE_M + PADDING];
  __shared__ alignas (16) float tile_b[2][TILE_K][TILE_N];
  const int row = threadIdx.x / THREADS_N * 4;
  const int column = threadIdx.x % THREADS_N * 4;
  const int first_row = blockIdx.y * TILE_M;
  const int first_column = blockIdx.x * TILE_N;
  alignas (16) float sums[THREAD_M][THREAD_N] = { 0 };
  struct slab slab;
  int stage = 0;

  fetch (&slab, a, b, first_row, first_column, 0, n);
  put (&slab, tile_a[0], tile_b[0]);
  __syncthreads ();

  for (int k = 0; k < n; k += TILE_K)
    {
      if (k + TILE_K < n)
        fetch (&slab, a, b, first_row, first_column, k + TILE_K, n);

#pragma unroll
      for (int j = 0; j < TILE_K; j++)
        {
          float from_a[THREAD_M];
          float from_b[THREAD_N];

#pragma unroll
          for (int p = 0; p < THREAD_M; p += 4)
            *(float4 *) (from_a + p) =
                *(const float4 *) &tile_a[stage][j][row + p * THREADS_M];
#pragma unroll
          for (int p = 0; p < THREAD_N; p += 4)
            *(float4 *) (from_b + p) =
                *(const float4 *) &tile_b[stage][j][column + p * THREADS_N];
#pragma unroll
          for (int r = 0; r < THREAD_M; r++)
#pragma unroll
            for (int s = 0; s < THREAD_N; s++)
              sums[r][s] += from_a[r] * from_b[s];
        }

      /* The other stage was read one slab ago, before a barrier that the
       * whole block has passed since. */
      stage ^= 1;
      if (k + TILE_K < n)
        put (&slab, tile_a[stage], tile_b[stage]);
      __syncthreads ();
    }

#pragma unroll
  for (int r = 0; r < THREAD_M; r++)
#pragma unroll
    for (int s = 0; s < THREAD_N; s += 4)
      store4 (c,
              first_row + row + r / 4 * (4 * THREADS_M) + r % 4,
              first_column + column + s * THREADS_N,
              n,
              *(const float4 *) &sums[r][s]);
}

/*! cured
 * [Claim barriers]
 * Text=One barrier per slab rather than two, and one before the first
 * Metric=barriers
 * At=n=128
 * Against=matmul/vector n=128
 * High=9/16
 *
 * [Claim faster]
 * Text=It saves a seventh of the time or more, which was waiting
 * Metric=time
 * At=thread_n=16
 * Against=matmul/vector thread_n=16
 * High=0.86
 */
