// SPDX-License-Identifier: MIT
// Tiled matrix product with a tile of the product in each thread's registers.
/*! cured
 * [Kernel]
 * Title=Matrix product, register tiles
 * Summary=Each thread keeps several rows and columns of the product in registers
 * Family=matmul
 * Step=5
 * Flops=2*n*n*n
 * Bytes=12*n*n
 * Ceiling=fp32
 * Like=matmul/vector
 *
 * [Parameter padding]   # none
 * [Parameter resident]  # none
 * [Require registers]   # none
 * [Require shared]      # none
 *
 * [Parameter tile_m]
 * Kind=compile
 * Values=16,32,64,128
 * Default=128
 * Summary=rows of the product per block
 *
 * [Parameter tile_n]
 * Kind=compile
 * Values=16,32,64,128
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
 * Values=1,2,4,8
 * Default=8
 * Summary=rows of the product per thread
 *
 * [Parameter thread_n]
 * Kind=compile
 * Values=1,2,4,8
 * Default=8
 * Summary=columns of the product per thread
 *
 * [Launch]
 * Entry=matmul_registers
 * Grid=ceil(n/tile_n),ceil(n/tile_m)
 * Block=tile_m/thread_m*(tile_n/thread_n)
 * Arguments=a,b,c,n
 */

#define THREADS_N (TILE_N / THREAD_N)
#define THREADS_M (TILE_M / THREAD_M)
#define THREADS   (THREADS_M * THREADS_N)

/* Before: shared memory: two words per multiply-add in matmul/tiled, a little
 * more than one in matmul/coarsened. Now: instruction issue.
 *
 * Here a thread has THREAD_M rows and THREAD_N columns of the product. For
 * each k it reads THREAD_M words of a's tile and THREAD_N words of b's into
 * registers and multiplies each with each: with 8 × 8 elements 16 words are
 * read for 64 multiply-adds, and with 1 × 1 it is the tiled product again. The
 * price is registers, and thus threads: there are fewer warps to hide a wait,
 * but each has more independent work.
 *
 * A thread's columns are THREADS_N apart, so the lanes of a warp read
 * neighbouring words. Expect 8 × 8 elements per thread to beat columns of
 * eight. */
extern "C" __global__ void __launch_bounds__ (THREADS)
matmul_registers (const float *__restrict__ a,
                  const float *__restrict__ b,
                  float *__restrict__ c,
                  int n)
{
  __shared__ float tile_a[TILE_M][TILE_K];
  __shared__ float tile_b[TILE_K][TILE_N];
  const int t = threadIdx.x;
  const int x = t % THREADS_N;
  const int y = t / THREADS_N;
  const int first_row = blockIdx.y * TILE_M;
  const int first_column = blockIdx.x * TILE_N;
  float sums[THREAD_M][THREAD_N] = { 0 };

  for (int k = 0; k < n; k += TILE_K)
    {
      /* Zeros outside the matrices. */
#pragma unroll
      for (int i = t; i < TILE_M * TILE_K; i += THREADS)
        {
          const int row = first_row + i / TILE_K;
          const int from = k + i % TILE_K;

          tile_a[i / TILE_K][i % TILE_K] =
              row < n && from < n ? a[(size_t) row * n + from] : 0;
        }
#pragma unroll
      for (int i = t; i < TILE_K * TILE_N; i += THREADS)
        {
          const int from = k + i / TILE_N;
          const int column = first_column + i % TILE_N;

          tile_b[i / TILE_N][i % TILE_N] =
              from < n && column < n ? b[(size_t) from * n + column] : 0;
        }
      __syncthreads ();

#pragma unroll
      for (int j = 0; j < TILE_K; j++)
        {
          float from_a[THREAD_M];
          float from_b[THREAD_N];

#pragma unroll
          for (int r = 0; r < THREAD_M; r++)
            from_a[r] = tile_a[y + r * THREADS_M][j];
#pragma unroll
          for (int s = 0; s < THREAD_N; s++)
            from_b[s] = tile_b[j][x + s * THREADS_N];
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
    for (int s = 0; s < THREAD_N; s++)
      {
        const int row = first_row + y + r * THREADS_M;
        const int column = first_column + x + s * THREADS_N;

        if (row < n && column < n)
          c[(size_t) row * n + column] = sums[r][s];
      }
}

/*! cured
 * [Sweep]
 * X=thread_n
 * Y=thread_m
 * thread_m=1,2,4,8
 * thread_n=1,2,4,8
 * tile_n=64,128
 *
 * [Claim words]
 * Text=8 × 8 elements per thread need a quarter of the wavefronts of 2 × 2
 * Metric=shared_wavefronts
 * At=thread_m=8,thread_n=8,n=128
 * Against=tile_m=64,tile_n=64,thread_m=2,thread_n=2
 * High=0.3
 *
 * [Claim faster]
 * Text=8 × 8 elements per thread are faster than the coarsened product's column of eight
 * Metric=flop_rate
 * At=thread_m=8,thread_n=8,tile_n=128
 * Against=matmul/coarsened tile=32,rows=8
 * Low=1.1
 *
 * [Claim fewer]
 * Text=2 × 4 elements take 1.5 times as long or more
 * Metric=time
 * At=thread_m=2,thread_n=4,tile_n=64
 * Against=thread_m=8,thread_n=8
 * Low=1.5
 */
