// SPDX-License-Identifier: MIT
// Matrix product with register tiles and loads of 16 bytes.
/*! cured
 * [Kernel]
 * Title=Matrix product, vector loads
 * Summary=Register tiles; all loads are of four elements, and the tile of a is stored transposed
 * Family=matmul
 * Step=6
 * Flops=2*n*n*n
 * Bytes=12*n*n
 * Ceiling=fp32
 *
 * [Parameter tile_m]
 * Kind=compile
 * Values=16,32,64,128,256
 * Default=128
 * Summary=rows of the product per block
 *
 * [Parameter tile_n]
 * Kind=compile
 * Values=16,32,64,128,256
 * Default=128
 * Summary=columns of the product per block
 *
 * [Parameter tile_k]
 * Kind=compile
 * Values=4,8,16,32
 * Default=16
 * Summary=products that are added between two barriers
 *
 * [Parameter thread_m]
 * Kind=compile
 * Values=4,8,16
 * Default=8
 * Summary=rows of the product per thread
 *
 * [Parameter thread_n]
 * Kind=compile
 * Values=4,8,16
 * Default=8
 * Summary=columns of the product per thread
 *
 * [Parameter padding]
 * Kind=compile
 * Values=0,4
 * Default=4
 * Summary=words that are added to each row of the tile of a
 *
 * [Parameter resident]
 * Kind=compile
 * Values=1..4
 * Default=2
 * Summary=blocks per multiprocessor that its registers must suffice for
 *
 * [Parameter n]
 * Kind=problem
 * Default=4096
 * Summary=rows and columns of the matrices, any number
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
 * If=(tile_k*(tile_m+padding)+tile_k*tile_n)*4 <= 49152
 * Reason=both tiles have to fit 48 KB of static shared memory
 *
 * [Buffer a]
 * Type=f32
 * Length=n*n
 * Fill=uniform
 * Low=-1
 * High=1
 *
 * [Buffer b]
 * Type=f32
 * Length=n*n
 * Fill=uniform
 * Low=-1
 * High=1
 *
 * [Buffer c]
 * Type=f32
 * Length=n*n
 * Fill=poison
 *
 * [Launch]
 * Entry=matmul_vector
 * Grid=ceil(n/tile_n),ceil(n/tile_m)
 * Block=tile_m/thread_m*(tile_n/thread_n)
 * Arguments=a,b,c,n
 *
 * [Check]
 * Output=c
 * Reference=matmul
 * Tolerance=(n+8)*1e-7       # seven standard deviations of the rounding errors
 */

#define THREADS_N (TILE_N / THREAD_N)
#define THREADS_M (TILE_M / THREAD_M)
#define THREADS   (THREADS_M * THREADS_N)

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

/* Before: instruction issue: 16 loads from shared memory per 64
 * multiply-adds with 8 × 8 elements. Now: latency; nothing is busy 60 %
 * of the time.
 *
 * Here one load fetches four elements. For that a thread's rows and
 * columns are neighbours, four at a time, and the tile of a is stored
 * transposed in shared memory: the elements of one k are adjacent. Loads
 * from global memory are of four elements, too.
 *
 * Padding spreads the columns of four that a warp writes to the transposed
 * tile over the banks. Expect at least a quarter of the instructions to be
 * saved, and at the same tiles an eighth of the time or more. The rest is lost
 * where a block waits for its slab. */
extern "C" __global__ void __launch_bounds__ (THREADS, RESIDENT)
matmul_vector (const float *__restrict__ a,
               const float *__restrict__ b,
               float *__restrict__ c,
               int n)
{
  __shared__ alignas (16) float tile_a[TILE_K][TILE_M + PADDING];
  __shared__ alignas (16) float tile_b[TILE_K][TILE_N];
  const int t = threadIdx.x;
  const int row = t / THREADS_N * 4;
  const int column = t % THREADS_N * 4;
  const int first_row = blockIdx.y * TILE_M;
  const int first_column = blockIdx.x * TILE_N;
  alignas (16) float sums[THREAD_M][THREAD_N] = { 0 };

  for (int k = 0; k < n; k += TILE_K)
    {
#pragma unroll
      for (int i = t; i < TILE_M * TILE_K / 4; i += THREADS)
        {
          const int y = i / (TILE_K / 4);
          const int x = i % (TILE_K / 4) * 4;
          const float4 four = load4 (a, first_row + y, k + x, n);

          tile_a[x][y] = four.x;
          tile_a[x + 1][y] = four.y;
          tile_a[x + 2][y] = four.z;
          tile_a[x + 3][y] = four.w;
        }
#pragma unroll
      for (int i = t; i < TILE_K * TILE_N / 4; i += THREADS)
        {
          const int y = i / (TILE_N / 4);
          const int x = i % (TILE_N / 4) * 4;

          *(float4 *) &tile_b[y][x] = load4 (b, k + y, first_column + x, n);
        }
      __syncthreads ();

#pragma unroll
      for (int j = 0; j < TILE_K; j++)
        {
          float from_a[THREAD_M];
          float from_b[THREAD_N];

#pragma unroll
          for (int p = 0; p < THREAD_M; p += 4)
            *(float4 *) (from_a + p) =
                *(const float4 *) &tile_a[j][row + p * THREADS_M];
#pragma unroll
          for (int p = 0; p < THREAD_N; p += 4)
            *(float4 *) (from_b + p) =
                *(const float4 *) &tile_b[j][column + p * THREADS_N];
#pragma unroll
          for (int r = 0; r < THREAD_M; r++)
#pragma unroll
            for (int s = 0; s < THREAD_N; s++)
              sums[r][s] += from_a[r] * from_b[s];
        }
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
 * [Sweep]
 * X=tile_n
 * Y=tile_m
 * tile_m=64,128
 * tile_n=64,128
 * tile_k=8,16
 * thread_n=8,16
 *
 * [Claim instructions]
 * Text=A quarter of the instructions and more is saved
 * Metric=instructions
 * At=n=128
 * Against=matmul/registers n=128
 * High=0.75
 *
 * [Claim padding]
 * Text=Without the padding the stores conflict three times as often
 * Metric=excess_wavefronts
 * At=padding=0,n=128
 * Against=padding=4
 * Low=3
 * High=3
 *
 * [Claim faster]
 * Text=At the same tiles it saves an eighth of the time and more
 * Metric=time
 * At=thread_n=8
 * Against=matmul/registers tile_n=128
 * High=0.87
 */
