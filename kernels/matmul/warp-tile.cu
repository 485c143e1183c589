// SPDX-License-Identifier: MIT
// Double-buffered matrix product with a tile of the product per warp.
/*! cured
 * [Kernel]
 * Title=Matrix product, warp tiles
 * Summary=The lanes of a warp share a compact tile, in an order that shared memory serves in two wavefronts per load
 * Family=matmul
 * Step=8
 * Flops=2*n*n*n
 * Bytes=12*n*n
 * Ceiling=fp32
 * Like=matmul/vector
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
 * [Parameter lanes]
 * Kind=compile
 * Values=2,4,8,16
 * Default=4
 * Summary=lanes of a warp side by side; the others are below them
 *
 * [Require warps]
 * If=tile_m % (32/lanes*thread_m) == 0 && tile_n % (lanes*thread_n) == 0
 * Reason=a block's tile consists of whole tiles of warps
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
 * Entry=matmul_warp_tile
 * Grid=ceil(n/tile_n),ceil(n/tile_m)
 * Block=tile_m/thread_m*(tile_n/thread_n)
 * Arguments=a,b,c,n
 */

#define LANES_N LANES
#define LANES_M (32 / LANES)
#define WARP_M  (LANES_M * THREAD_M)
#define WARP_N  (LANES_N * THREAD_N)
#define WARPS_N (TILE_N / WARP_N)
#define THREADS (TILE_M / WARP_M * WARPS_N * 32)
#define FOURS_A (TILE_M * TILE_K / 4 / THREADS)
#define FOURS_B (TILE_N * TILE_K / 4 / THREADS)

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

/* Before: instruction issue, and perhaps shared memory: in
 * matmul/double-buffer a warp is two rows of 16 threads, or four of 8: it
 * reads the whole width of the block's tile of b, and a load of 16 bytes by 16
 * different lanes takes a wavefront per eight of them. Now: instruction issue,
 * still.
 *
 * Here a warp has a tile of its own, about as high as it is wide, so it reads
 * less of both. Within it neighbouring lanes are paired: 0 and 1 are side by
 * side, 2 and 3 below them. Hardware serves a load of 16 bytes by half-warps
 * rather than quarter-warps where the lanes of every pair (i, i ^ 1), or of
 * every pair (i, i ^ 2), read the same address: in this order a does the one
 * and b the other.
 *
 * Expect nearly three tenths fewer wavefronts, and hardly less time: they were
 * not the limit. */
extern "C" __global__ void __launch_bounds__ (THREADS, RESIDENT)
matmul_warp_tile (const float *__restrict__ a,
                  const float *__restrict__ b,
                  float *__restrict__ c,
                  int n)
{
  __shared__ alignas (16) float tile_a[2][TILE_K][TILE_M + PADDING];
  __shared__ alignas (16) float tile_b[2][TILE_K][TILE_N];
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  const int lane_column = (lane & 1) | lane / 4 % (LANES_N / 2) * 2;
  const int lane_row = (lane / 2 & 1) | lane / 4 / (LANES_N / 2) * 2;
  const int row = warp / WARPS_N * WARP_M + lane_row * 4;
  const int column = warp % WARPS_N * WARP_N + lane_column * 4;
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
                *(const float4 *) &tile_a[stage][j][row + p * LANES_M];
#pragma unroll
          for (int p = 0; p < THREAD_N; p += 4)
            *(float4 *) (from_b + p) =
                *(const float4 *) &tile_b[stage][j][column + p * LANES_N];
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
              first_row + row + r / 4 * (4 * LANES_M) + r % 4,
              first_column + column + s * LANES_N,
              n,
              *(const float4 *) &sums[r][s]);
}

/*! cured
 * [Sweep]
 * X=lanes
 * Y=tile_k
 * lanes=2,4,8,16
 * tile_k=8,16
 * thread_n=8,16
 * resident=1,2
 *
 * [Claim wavefronts]
 * Text=Nearly three tenths of shared memory's wavefronts are saved
 * Metric=shared_wavefronts
 * At=n=128
 * Against=matmul/double-buffer n=128
 * High=0.72
 *
 * [Claim same]
 * Text=It hardly saves time: shared memory's wavefronts were not the limit
 * Metric=time
 * At=lanes=2,thread_n=16
 * Against=matmul/double-buffer thread_n=16
 * Low=0.9
 * High=1.1
 */
