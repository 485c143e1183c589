// SPDX-License-Identifier: MIT
// Matrix product of bf16: tiles in shared memory with padded rows, and ldmatrix.
/*! cured
 * [Kernel]
 * Title=Matrix product of bf16, ldmatrix and padded rows
 * Summary=Tiles with padded rows in shared memory; ldmatrix gives each lane its operands
 * Family=matmul-bf16
 * Step=2
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
 * Default=128
 * Summary=columns of the product per block
 *
 * [Parameter tile_k]
 * Kind=compile
 * Values=16,32,64
 * Default=64
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
 * Default=32
 * Summary=columns of the product per warp
 *
 * [Parameter padding]
 * Kind=compile
 * Values=0,8
 * Default=8
 * Summary=elements of padding after each row in shared memory
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
 * Entry=matmul_bf16_padding
 * Grid=ceil(n/tile_n),ceil(n/tile_m)
 * Block=tile_m/warp_m*(tile_n/warp_n)*32
 * Shared=2*(tile_m*(tile_k+padding)+tile_k*(tile_n+padding))
 * Arguments=a,b,c,n
 */

#define WARPS_N (TILE_N / WARP_N)
#define THREADS (TILE_M / WARP_M * WARPS_N * 32)
#define STEPS_M (WARP_M / 16)
#define STEPS_N (WARP_N / 8)
#define PITCH_A ((TILE_K + PADDING) * 2)
#define PITCH_B ((TILE_N + PADDING) * 2)
#define BYTES_A (TILE_M * PITCH_A)

/* An element's index in shared memory. */
#define OFFSET_A(y, x) ((y) * PITCH_A + (x) * 2)
#define OFFSET_B(y, x) ((y) * PITCH_B + (x) * 2)

static __device__ __forceinline__ unsigned
shared_address (const void *pointer)
{
  return (unsigned) __cvta_generic_to_shared (pointer);
}

/* Eight neighbours of a row; those from element valid on are zeros. */
static __device__ __forceinline__ uint4
load_piece (const unsigned short *from, int valid)
{
  unsigned piece[4] = { 0, 0, 0, 0 };

  if (valid >= 8)
    return *(const uint4 *) from;
#pragma unroll
  for (int i = 0; i < 8; i++)
    if (i < valid)
      piece[i / 2] |= (unsigned) from[i] << i % 2 * 16;
  return make_uint4 (piece[0], piece[1], piece[2], piece[3]);
}

/* Copies TILE_K columns of a and TILE_K rows of b to shared memory through
 * registers, 16 bytes per thread. */
static __device__ __forceinline__ void
copy_slab (unsigned char *to_a,
           unsigned char *to_b,
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

      *(uint4 *) (to_a + OFFSET_A (y, x)) =
          load_piece (a + (size_t) row * pitch + k + x, row < n ? n - k - x : 0);
    }
#pragma unroll
  for (int i = (int) threadIdx.x * 8; i < TILE_K * TILE_N; i += THREADS * 8)
    {
      const int y = i / TILE_N;
      const int x = i % TILE_N;
      const int column = first_column + x;

      *(uint4 *) (to_b + OFFSET_B (y, x)) = load_piece (
          b + (size_t) (k + y) * pitch + column, k + y < n ? n - column : 0);
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

/* Before: L1 cache. Now: no single resource. A block has a tile of a and one of
 * b in shared memory, each element of which is multiplied by a whole row or
 * column of the other. ldmatrix loads the operands of an mma: each lane names a
 * row of eight elements, and each gets two neighbours of four such 8 × 8
 * matrices; of b, whose neighbours in a register are neighbours of a column, it
 * delivers them transposed, which no load of 32 bits could.
 *
 * Eight rows of 16 bytes are one wavefront if they are in different banks. Rows
 * of 64 elements begin 128 bytes apart, and those of 128 begin 256 bytes apart,
 * so all eight are in the same four banks. With 16 bytes of padding behind each
 * row, each begins four banks further: no conflicts any more.
 *
 * The remaining loss is time without products: while the next slab comes from
 * global memory through registers, all warps wait. */
extern "C" __global__ void __launch_bounds__ (THREADS)
matmul_bf16_padding (const unsigned short *__restrict__ a,
       const unsigned short *__restrict__ b,
       unsigned short *__restrict__ c,
       int n)
{
  extern __shared__ __align__ (128) unsigned char memory[];
  unsigned char *to_b = memory + BYTES_A;
  const int pitch = (n + 7) / 8 * 8;
  const int warp = (int) threadIdx.x / 32;
  const int row = warp / WARPS_N * WARP_M;
  const int column = warp % WARPS_N * WARP_N;
  const int first_row = (int) blockIdx.y * TILE_M;
  const int first_column = (int) blockIdx.x * TILE_N;
  float d[STEPS_M][STEPS_N][4] = {};

#pragma unroll 1
  for (int k = 0; k < n; k += TILE_K)
    {
      copy_slab (memory, to_b, a, b, first_row, first_column, k, n, pitch);
      __syncthreads ();
      multiply (
          d, shared_address (memory), shared_address (to_b), row, column);
      /* All warps have read the slab before the next one arrives. */
      __syncthreads ();
    }
  store (c, d, first_row + row, first_column + column, n);
}

/*! cured
 * [Sweep]
 * X=tile_k
 * Y=tile_n
 * tile_k=16,32,64
 * tile_n=64,128,256
 * padding=0,8
 *
 * [Claim conflicts]
 * Text=With padding, no access to shared memory has a conflict
 * Metric=excess_wavefronts
 * At=n=128
 * High=0
 *
 * [Claim unpadded]
 * Text=Without padding, they take more than twice the wavefronts
 * Metric=shared_wavefronts
 * At=padding=0,n=128
 * Against=padding=8
 * Low=2
 *
 * [Claim sectors]
 * Text=It requests less than a tenth of the sectors of matmul-bf16/naive
 * Metric=global_sectors
 * At=n=128
 * Against=matmul-bf16/naive n=128
 * High=0.1
 */
