// SPDX-License-Identifier: MIT
// Matrix product whose slabs come by asynchronous copies, several stages ahead.
/*! cured
 * [Kernel]
 * Title=Matrix product, asynchronous copies
 * Summary=Slabs of both matrices are copied to shared memory without registers, several stages ahead
 * Family=matmul
 * Step=9
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
 * Values=8,16,32
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
 * Default=16
 * Summary=columns of the product per thread
 *
 * [Parameter lanes]
 * Kind=compile
 * Values=2,4,8,16
 * Default=4
 * Summary=lanes of a warp side by side; the others are below them
 *
 * [Parameter stages]
 * Kind=compile
 * Values=2..6
 * Default=3
 * Summary=slabs of both matrices in shared memory, one in use and the others in flight
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
 * [Require chip]
 * If=compute_major >= 8
 * Reason=cp.async needs compute capability 8.0
 *
 * [Require warps]
 * If=tile_m % (32/lanes*thread_m) == 0 && tile_n % (lanes*thread_n) == 0
 * Reason=a block's tile consists of whole tiles of warps
 *
 * [Require sums]
 * If=thread_m*thread_n <= 128
 * Reason=more than 128 sums per thread do not fit its registers
 *
 * [Require registers]
 * If=tile_m*tile_n*resident <= registers_per_sm/2
 * Reason=sums may fill half of a multiprocessor's registers: the others hold what is multiplied, and addresses
 *
 * [Require threads]
 * If=tile_m/thread_m*(tile_n/thread_n) <= 1024
 * Reason=a block has at most 1024 threads
 *
 * [Require copies]
 * If=tile_n <= tile_m/thread_m*(tile_n/thread_n) && tile_m*8 % (tile_m/thread_m*(tile_n/thread_n)) == 0 && tile_k*tile_n/4 % (tile_m/thread_m*(tile_n/thread_n)) == 0
 * Reason=each thread has to copy as much of both tiles as any other, and a row of b's tile is at most as long as the block has threads
 *
 * [Require shared]
 * If=(stages*tile_k*(tile_m+4+tile_n)*4+1024)*resident <= shared_per_sm
 * Reason=the stages of all resident blocks have to fit a multiprocessor's shared memory
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
 * Entry=matmul_async
 * Grid=ceil(n/tile_n),ceil(n/tile_m)
 * Block=tile_m/thread_m*(tile_n/thread_n)
 * Shared=stages*tile_k*(tile_m+4+tile_n)*4
 * Arguments=a,b,c,n
 *
 * [Check]
 * Output=c
 * Reference=matmul
 * Tolerance=(n+8)*1e-7       # seven standard deviations of the rounding errors
 */

#define LANES_N LANES
#define LANES_M (32 / LANES)
#define WARP_M  (LANES_M * THREAD_M)
#define WARP_N  (LANES_N * THREAD_N)
#define WARPS_N (TILE_N / WARP_N)
#define THREADS (TILE_M / WARP_M * WARPS_N * 32)
#define ROW_A   (TILE_M + 4)
#define STAGE   (TILE_K * (ROW_A + TILE_N))

/* Copies width elements, 1 or 4, to shared memory, bypassing registers; zeros
 * where the source is outside of its matrix. */
static __device__ __forceinline__ void
copy (float *to, const float *from, int width, bool inside)
{
  const unsigned address = (unsigned) __cvta_generic_to_shared (to);

  if (width == 4)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(address),
                 "l"(from),
                 "r"(inside ? 16 : 0));
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(address),
                 "l"(from),
                 "r"(inside ? 4 : 0));
}

/* A thread's next source address, and the distance from the slab's corner to
 * the matrices' ends. */
struct source
{
  const float *a;
  const float *b;
  int rows;
  int columns;
  int ks;
};

/* A thread's first piece of a slab, for pieces of that many elements. */
#define ROW_OF_A           ((int) threadIdx.x / 8)
#define COLUMN_OF_A        ((int) threadIdx.x % 8)
#define ROW_OF_B(width)    ((int) threadIdx.x / (TILE_N / (width)))
#define COLUMN_OF_B(width) ((int) threadIdx.x % (TILE_N / (width)) * (width))

static __device__ __forceinline__ void
copy_pieces (
    float *stage, const struct source *from, int n, int width, bool is_inside)
{
  const int step_a = THREADS / 8;
  const int step_b = THREADS / (TILE_N / width);
  float *to_a = stage + COLUMN_OF_A * ROW_A + ROW_OF_A;
  float *to_b =
      stage + TILE_K * ROW_A + ROW_OF_B (width) * TILE_N + COLUMN_OF_B (width);

#pragma unroll
  for (int i = 0; i < TILE_M; i += step_a)
#pragma unroll
    for (int j = 0; j < TILE_K; j += 8)
      copy (to_a + j * ROW_A + i,
            from->a + (size_t) i * n + j,
            1,
            is_inside ||
                (ROW_OF_A + i < from->rows && COLUMN_OF_A + j < from->ks));
#pragma unroll
  for (int i = 0; i < TILE_K; i += step_b)
    copy (to_b + i * TILE_N,
          from->b + (size_t) i * n,
          width,
          is_inside || (ROW_OF_B (width) + i < from->ks &&
                        COLUMN_OF_B (width) < from->columns));
}

/* Requests the next slab of both matrices: TILE_K columns of a, TILE_K rows of
 * b. */
static __device__ __forceinline__ void
copy_slab (float *stage, struct source *from, int n, int width)
{
  if (from->rows >= TILE_M && from->columns >= TILE_N && from->ks >= TILE_K)
    copy_pieces (stage, from, n, width, true);
  else
    copy_pieces (stage, from, n, width, false);
  from->a += TILE_K;
  from->b += (size_t) TILE_K * n;
  from->ks -= TILE_K;
}

/* A thread's operands at one k: its rows of a and its columns of b. */
static __device__ __forceinline__ void
fetch (float *from_a,
       float *from_b,
       const float *stage,
       int row,
       int column,
       int k)
{
  const float *tile_a = stage + k * ROW_A + row;
  const float *tile_b = stage + TILE_K * ROW_A + k * TILE_N + column;

#pragma unroll
  for (int p = 0; p < THREAD_M; p += 4)
    *(float4 *) (from_a + p) = *(const float4 *) (tile_a + p * LANES_M);
#pragma unroll
  for (int p = 0; p < THREAD_N; p += 4)
    *(float4 *) (from_b + p) = *(const float4 *) (tile_b + p * LANES_N);
}

/* All products, back and forth: a row starts with the element of b with which
 * the row before it ended, which is then in the operand cache. */
static __device__ __forceinline__ void
multiply (float (*sums)[THREAD_N], const float *from_a, const float *from_b)
{
#pragma unroll
  for (int r = 0; r < THREAD_M; r++)
#pragma unroll
    for (int i = 0; i < THREAD_N; i++)
      {
        const int s = r % 2 == 0 ? i : THREAD_N - 1 - i;

        sums[r][s] += from_a[r] * from_b[s];
      }
}

/* Adds the products of the slabs from first_slab up to end_slab. row and
 * column are the thread's own first ones within the block's tile. */
static __device__ __forceinline__ void
add_slabs (float (*sums)[THREAD_N],
           const float *a,
           const float *b,
           int n,
           int first_row,
           int first_column,
           int first_slab,
           int end_slab,
           int row,
           int column,
           int width)
{
  extern __shared__ float4 memory[];
  float *stages = (float *) memory;
  const int first_k = first_slab * TILE_K;
  struct source from = {
    a + (size_t) (first_row + ROW_OF_A) * n + first_k + COLUMN_OF_A,
    b + (size_t) (first_k + ROW_OF_B (width)) * n + first_column +
        COLUMN_OF_B (width),
    n - first_row,
    n - first_column,
    n - first_k,
  };
  int reading = 0;
  int writing = (STAGES - 1) * STAGE;

#pragma unroll
  for (int s = 0; s < STAGES - 1; s++)
    {
      if (first_slab + s < end_slab)
        copy_slab (stages + s * STAGE, &from, n, width);
      asm volatile("cp.async.commit_group;" ::: "memory");
    }
#pragma unroll 1
  for (int s = first_slab; s < end_slab; s++)
    {
      /* This slab has arrived, for all threads; and all have multiplied the
       * one before, whose slot the next copies reuse. */
      asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
      __syncthreads ();
      if (s + STAGES - 1 < end_slab)
        copy_slab (stages + writing, &from, n, width);
      asm volatile("cp.async.commit_group;" ::: "memory");
#pragma unroll
      for (int k = 0; k < TILE_K; k++)
        {
          alignas (16) float from_a[THREAD_M];
          alignas (16) float from_b[THREAD_N];

          fetch (from_a, from_b, stages + reading, row, column, k);
          multiply (sums, from_a, from_b);
        }
      reading = reading == (STAGES - 1) * STAGE ? 0 : reading + STAGE;
      writing = writing == (STAGES - 1) * STAGE ? 0 : writing + STAGE;
    }
}

/* Writes a thread's elements of the product. */
static __device__ __forceinline__ void
store (float *c, int n, int row, int column, float (*sums)[THREAD_N], int width)
{
#pragma unroll
  for (int r = 0; r < THREAD_M; r++)
#pragma unroll
    for (int p = 0; p < THREAD_N; p += 4)
      {
        const int y = row + r / 4 * LANES_M * 4 + r % 4;
        const int x = column + p * LANES_N;
        float *to = c + (size_t) y * n + x;

        if (width == 4 && y < n && x < n)
          *(float4 *) to = *(const float4 *) &sums[r][p];
        if (width == 1)
#pragma unroll
          for (int i = 0; i < 4; i++)
            if (y < n && x + i < n)
              to[i] = sums[r][p + i];
      }
}

static __device__ __forceinline__ void
multiply_tile (const float *a, const float *b, float *c, int n, int width)
{
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  const int lane_column = (lane & 1) | lane / 4 % (LANES_N / 2) * 2;
  const int lane_row = (lane / 2 & 1) | lane / 4 / (LANES_N / 2) * 2;
  const int row = warp / WARPS_N * WARP_M + lane_row * 4;
  const int column = warp % WARPS_N * WARP_N + lane_column * 4;
  const int first_row = blockIdx.y * TILE_M;
  const int first_column = blockIdx.x * TILE_N;
  alignas (16) float sums[THREAD_M][THREAD_N] = { 0 };

  add_slabs (sums,
             a,
             b,
             n,
             first_row,
             first_column,
             0,
             (n + TILE_K - 1) / TILE_K,
             row,
             column,
             width);
  store (c, n, first_row + row, first_column + column, sums, width);
}

/* Before: instruction issue; a slab in flight takes registers that sums could
 * use, and storing it takes instructions. Now: instruction issue.
 *
 * Here asynchronous copies bring it straight to shared memory, and
 * STAGES of them are in flight at once: the wait is hidden however long
 * a slab's arithmetic takes. Expect it to be no slower than the best of
 * matmul/warp-tile, with 8 × 8 elements per thread.
 *
 * b is copied 16 bytes at a time. a has to be transposed, and so is
 * copied element by element: eight lanes take the 32 bytes of a sector
 * of a row and store them four words apart, modulo the banks, with those
 * of the next three rows between them. Where rows do not start at
 * multiples of 16 bytes, b comes the same way. No bank is accessed
 * twice. */
extern "C" __global__ void __launch_bounds__ (THREADS, RESIDENT)
matmul_async (const float *__restrict__ a,
              const float *__restrict__ b,
              float *__restrict__ c,
              int n)
{
  if (n % 4 == 0)
    multiply_tile (a, b, c, n, 4);
  else
    multiply_tile (a, b, c, n, 1);
}

/*! cured
 * [Sweep]
 * X=stages
 * Y=tile_k
 * tile_k=8,16,32
 * stages=2,3,4
 * thread_n=8,16
 *
 * [Claim conflicts]
 * Text=The transposing copies have no bank conflict
 * Metric=excess_wavefronts
 * At=n=128
 * High=0
 *
 * [Claim faster]
 * Text=No slower than the best of the step before
 * Metric=time
 * At=tile_k=16,stages=3,thread_n=8
 * Against=matmul/warp-tile lanes=2,thread_n=16
 * High=1
 */
