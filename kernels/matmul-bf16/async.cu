// SPDX-License-Identifier: MIT
// Matrix product of bf16: several slabs on their way to shared memory.
/*! cured
 * [Kernel]
 * Title=Matrix product of bf16, asynchronous copies
 * Summary=Several slabs are in flight to shared memory while one is multiplied
 * Family=matmul-bf16
 * Step=4
 * Flops=2*n*n*n
 * Bytes=6*n*n
 * Like=matmul-bf16/naive
 *
 * [Parameter across]  # none
 *
 * [Parameter down]  # none
 *
 * [Parameter tile_m]
 * Kind=compile
 * Values=32,64,128,256
 * Default=128
 * Summary=rows of the product per block
 *
 * [Parameter tile_n]
 * Kind=compile
 * Values=32,64,128,256
 * Default=256
 * Summary=columns of the product per block
 *
 * [Parameter tile_k]
 * Kind=compile
 * Values=16,32,64
 * Default=32
 * Summary=products that are added between two barriers
 *
 * [Parameter warp_m]
 * Kind=compile
 * Values=16,32,64
 * Default=64
 * Summary=rows of the product per warp
 *
 * [Parameter warp_n]
 * Kind=compile
 * Values=16,32,64
 * Default=64
 * Summary=columns of the product per warp
 *
 * [Parameter stages]
 * Kind=compile
 * Values=2..6
 * Default=4
 * Summary=slabs of both matrices in shared memory, one in use and the others in flight
 *
 * [Require chip]
 * If=compute_major >= 8
 * Reason=products of bf16 need compute capability 8.0
 *
 * [Require warps]
 * If=tile_m % warp_m == 0 && tile_n % warp_n == 0
 * Reason=a block's tile consists of whole tiles of warps
 *
 * [Require threads]
 * If=tile_m/warp_m*(tile_n/warp_n)*32 <= 1024
 * Reason=a block has at most 1024 threads
 *
 * [Require copies]
 * If=tile_m*tile_k % (tile_m/warp_m*(tile_n/warp_n)*256) == 0 && tile_k*tile_n % (tile_m/warp_m*(tile_n/warp_n)*256) == 0
 * Reason=each thread has to copy as much of both tiles as any other
 *
 * [Launch]
 * Entry=matmul_bf16_async
 * Grid=ceil(n/tile_n),ceil(n/tile_m)
 * Block=tile_m/warp_m*(tile_n/warp_n)*32
 * Shared=stages*2*(tile_m*tile_k+tile_k*tile_n)
 * Arguments=a,b,c,n
 */

#define WARPS_N (TILE_N / WARP_N)
#define THREADS (TILE_M / WARP_M * WARPS_N * 32)
#define STEPS_M (WARP_M / 16)
#define STEPS_N (WARP_N / 8)
#define BYTES_A (TILE_M * TILE_K * 2)
#define STAGE   (BYTES_A + TILE_K * TILE_N * 2)

/* An element's index in shared memory. Chunks of eight elements are permuted
 * within their row, by the number of the row: in eight consecutive rows, the
 * chunks of a column are in eight different places, of 16 bytes each. */
#define OFFSET(y, x, columns)                                                  \
  (((y) * (columns) + (x)) * 2 ^                                               \
   ((columns) >= 64 ? (y) % 8 : (y) / (64 / (columns)) % ((columns) / 8)) * 16)
#define OFFSET_A(y, x) OFFSET (y, x, TILE_K)
#define OFFSET_B(y, x) OFFSET (y, x, TILE_N)

static __device__ __forceinline__ unsigned
shared_address (const void *pointer)
{
  return (unsigned) __cvta_generic_to_shared (pointer);
}

/* Copies eight elements to shared memory, bypassing registers; those from
 * element valid on become zeros. */
static __device__ __forceinline__ void
copy_piece (unsigned to, const unsigned short *from, int valid)
{
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
               :
               : "r"(to), "l"(from), "r"(min (max (valid, 0), 8) * 2)
               : "memory");
}

/* Requests TILE_K columns of a and TILE_K rows of b. */
static __device__ __forceinline__ void
copy_slab (unsigned to,
           const unsigned short *a,
           const unsigned short *b,
           int first_row,
           int first_column,
           int k,
           int n,
           int pitch)
{
#pragma unroll
  for (int i = (int) threadIdx.x * 8; i < TILE_M * TILE_K; i += THREADS * 8)
    {
      const int y = i / TILE_K;
      const int x = i % TILE_K;
      const int row = first_row + y;
      const int valid = row < n ? n - k - x : 0;

      copy_piece (to + OFFSET_A (y, x),
                  valid > 0 ? a + (size_t) row * pitch + k + x : a,
                  valid);
    }
#pragma unroll
  for (int i = (int) threadIdx.x * 8; i < TILE_K * TILE_N; i += THREADS * 8)
    {
      const int y = i / TILE_N;
      const int x = i % TILE_N;
      const int column = first_column + x;
      const int valid = k + y < n ? n - column : 0;

      copy_piece (to + BYTES_A + OFFSET_B (y, x),
                  valid > 0 ? b + (size_t) (k + y) * pitch + column : b,
                  valid);
    }
}

/* Multiplies a slab: every warp its rows of a by its columns of b, 16 deep. */
static __device__ __forceinline__ void
multiply (float (*d)[STEPS_N][4], unsigned a, unsigned b, int row, int column)
{
  const int lane = (int) threadIdx.x % 32;

#pragma unroll
  for (int k = 0; k < TILE_K; k += 16)
    {
      unsigned from_a[STEPS_M][4];
      unsigned from_b[STEPS_N][2];

#pragma unroll
      for (int i = 0; i < STEPS_M; i++)
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 "
                     "{%0, %1, %2, %3}, [%4];"
                     : "=r"(from_a[i][0]),
                       "=r"(from_a[i][1]),
                       "=r"(from_a[i][2]),
                       "=r"(from_a[i][3])
                     : "r"(a + OFFSET_A (row + i * 16 + lane % 16,
                                     k + lane / 16 * 8))
                     : "memory");
#pragma unroll
      for (int j = 0; j < STEPS_N; j += 2)
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 "
                     "{%0, %1, %2, %3}, [%4];"
                     : "=r"(from_b[j][0]),
                       "=r"(from_b[j][1]),
                       "=r"(from_b[j + 1][0]),
                       "=r"(from_b[j + 1][1])
                     : "r"(b + OFFSET_B (k + lane % 16,
                                     column + j * 8 + lane / 16 * 8))
                     : "memory");
#pragma unroll
      for (int i = 0; i < STEPS_M; i++)
#pragma unroll
        for (int j = 0; j < STEPS_N; j++)
          asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
              "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
              : "+f"(d[i][j][0]),
                "+f"(d[i][j][1]),
                "+f"(d[i][j][2]),
                "+f"(d[i][j][3])
              : "r"(from_a[i][0]),
                "r"(from_a[i][1]),
                "r"(from_a[i][2]),
                "r"(from_a[i][3]),
                "r"(from_b[j][0]),
                "r"(from_b[j][1]));
    }
}

/* Writes two neighbours of a row of the product. */
static __device__ __forceinline__ void
store_pair (
    unsigned short *c, float left, float right, int row, int column, int n)
{
  unsigned short *to = c + (size_t) row * ((n + 7) / 8 * 8) + column;
  unsigned pair;

  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(right), "f"(left));
  if (row < n && column + 1 < n)
    *(unsigned *) to = pair;
  else if (row < n && column < n)
    *to = (unsigned short) pair;
}

/* Writes a warp's part of the product. */
static __device__ __forceinline__ void
store (unsigned short *c, float (*d)[STEPS_N][4], int row, int column, int n)
{
  const int lane = (int) threadIdx.x % 32;

#pragma unroll
  for (int i = 0; i < STEPS_M; i++)
#pragma unroll
    for (int j = 0; j < STEPS_N; j++)
      {
        const int y = row + i * 16 + lane / 4;
        const int x = column + j * 8 + lane % 4 * 2;

        store_pair (c, d[i][j][0], d[i][j][1], y, x, n);
        store_pair (c, d[i][j][2], d[i][j][3], y + 8, x, n);
      }
}

/* Before: latency. Now: latency. Against matmul-bf16/swizzled: cp.async copies
 * from global to shared memory without registers, and no warp waits for it:
 * STAGES - 1 slabs are in flight while one is multiplied. One barrier per slab
 * is left. A warp has 64 × 64 elements of the product, so eight ldmatrix feed
 * 32 mma.
 *
 * This is enough for tensor cores before compute capability 9.0. Those of 9.0
 * are not kept busy by mma.sync: warps load operands into registers, and wait
 * for each product's result. The rest of the rate needs wgmma. */
extern "C" __global__ void __launch_bounds__ (THREADS)
matmul_bf16_async (const unsigned short *__restrict__ a,
                   const unsigned short *__restrict__ b,
                   unsigned short *__restrict__ c,
                   int n)
{
  extern __shared__ __align__ (128) unsigned char memory[];
  const unsigned ring = shared_address (memory);
  const int pitch = (n + 7) / 8 * 8;
  const int warp = (int) threadIdx.x / 32;
  const int row = warp / WARPS_N * WARP_M;
  const int column = warp % WARPS_N * WARP_N;
  const int first_row = (int) blockIdx.y * TILE_M;
  const int first_column = (int) blockIdx.x * TILE_N;
  int reading = 0;
  int writing = STAGES - 1;
  float d[STEPS_M][STEPS_N][4] = {};

#pragma unroll
  for (int s = 0; s < STAGES - 1; s++)
    {
      copy_slab (ring + s * STAGE,
                 a,
                 b,
                 first_row,
                 first_column,
                 s * TILE_K,
                 n,
                 pitch);
      asm volatile("cp.async.commit_group;" ::: "memory");
    }
#pragma unroll 1
  for (int k = 0; k < n; k += TILE_K)
    {
      /* This slab has arrived, for all threads, and all have read the one
       * before: its slot is free. */
      asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
      __syncthreads ();
      copy_slab (ring + writing * STAGE,
                 a,
                 b,
                 first_row,
                 first_column,
                 k + (STAGES - 1) * TILE_K,
                 n,
                 pitch);
      asm volatile("cp.async.commit_group;" ::: "memory");
      multiply (d,
                ring + reading * STAGE,
                ring + reading * STAGE + BYTES_A,
                row,
                column);
      reading = reading == STAGES - 1 ? 0 : reading + 1;
      writing = writing == STAGES - 1 ? 0 : writing + 1;
    }
  /* Copies past the end are still in flight. */
  asm volatile("cp.async.wait_all;" ::: "memory");
  store (c, d, first_row + row, first_column + column, n);
}

/*! cured
 * [Sweep]
 * X=stages
 * Y=tile_k
 * stages=2..5
 * tile_k=32,64
 *
 * [Claim conflicts]
 * Text=No access to shared memory has a conflict
 * Metric=excess_wavefronts
 * At=n=128
 * High=0
 *
 * [Claim barriers]
 * Text=There is one barrier per slab instead of two
 * Metric=barriers
 * At=n=256,tile_n=128,tile_k=64,warp_n=32
 * Against=matmul-bf16/swizzled n=256
 * Low=0.5
 * High=0.5
 */
