// SPDX-License-Identifier: MIT
// Matrix product, persistent stream-K: a grid that stays, equal shares for all.
/*! cured
 * [Kernel]
 * Title=Matrix product, persistent stream-K
 * Summary=Persistent blocks, as many as are resident, take pipelined tiles; tiles after the last whole wave are shared among them (stream-K)
 * Family=matmul
 * Step=11
 * Flops=2*n*n*n
 * Bytes=12*n*n
 * Ceiling=fp32
 * Like=matmul/async
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
 * Default=256
 * Summary=columns of the product per block
 *
 * [Parameter tile_k]
 * Kind=compile
 * Values=8,16,32
 * Default=8
 * Summary=products that are added between two barriers
 *
 * [Parameter thread_m]
 * Kind=compile
 * Values=4,8,16
 * Default=16
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
 * Default=16
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
 * Default=1
 * Summary=blocks per multiprocessor that its registers must suffice for
 *
 * [Parameter group]
 * Kind=compile
 * Values=1,2,4,8,16,32
 * Default=8
 * Summary=rows of tiles that are walked together, column by column
 *
 * [Parameter split]
 * Kind=compile
 * Values=0,1
 * Names=tiles,shares
 * Default=1
 * Summary=tiles after the last full wave: one per block, or shared by all blocks in equal parts
 *
 * [Parameter patch_m]
 * Kind=compile
 * Values=1,2,4,8,16
 * Default=1
 * Summary=rows of a patch of a thread's sums
 *
 * [Parameter patch_n]
 * Kind=compile
 * Values=1,2,4,8,16
 * Default=8
 * Summary=columns of a patch of a thread's sums
 *
 * [Parameter walk]
 * Kind=compile
 * Values=0,1
 * Names=across,down
 * Default=0
 * Summary=order of the sums within a patch
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
 * [Require patches]
 * If=thread_m % patch_m == 0 && thread_n % patch_n == 0
 * Reason=a thread's sums consist of whole patches
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
 * If=tile_m*8 % (tile_m/thread_m*(tile_n/thread_n)) == 0 && tile_k*tile_n/4 % (tile_m/thread_m*(tile_n/thread_n)) == 0
 * Reason=each thread has to copy as much of both tiles as any other
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
 * [Buffer aligned]
 * Type=f32
 * Length=n%4==0 ? 1 : n*(4*ceil(n/4))
 * Fill=poison
 *
 * [Buffer parts]
 * Type=f32
 * Length=split==0 || min(sms*resident,ceil(n/tile_m)*ceil(n/tile_n)*ceil(n/tile_k/16))==ceil(n/tile_m)*ceil(n/tile_n) ? 4 : 2*min(sms*resident,ceil(n/tile_m)*ceil(n/tile_n)*ceil(n/tile_k/16))*tile_m*tile_n
 * Fill=poison
 *
 * [Buffer done]
 * Type=i32
 * Length=2*sms*resident
 * Fill=constant
 * Low=0
 *
 * [Launch 1]
 * Entry=matmul_best_align
 * Grid=n
 * Block=256
 * Repeat=n%4==0 ? 0 : 1
 * Arguments=b,aligned,n
 *
 * [Launch 2]
 * Entry=matmul_best
 * Grid=min(sms*resident,ceil(n/tile_m)*ceil(n/tile_n)*ceil(n/tile_k/16))
 * Block=tile_m/thread_m*(tile_n/thread_n)
 * Shared=stages*tile_k*(tile_m+4+tile_n)*4
 * Arguments=a,b,aligned,c,parts,done,n
 */

#define LANES_N   LANES
#define LANES_M   (32 / LANES)
#define WARP_M    (LANES_M * THREAD_M)
#define WARP_N    (LANES_N * THREAD_N)
#define WARPS_N   (TILE_N / WARP_N)
#define THREADS   (TILE_M / WARP_M * WARPS_N * 32)
#define ROW_A     (TILE_M + 4)
#define STAGE     (TILE_K * (ROW_A + TILE_N))
#define PATCHES_N (THREAD_N / PATCH_N)
#define PATCH     (PATCH_M * PATCH_N)

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

/* A thread's source address, without k, and the distance from there to the
 * matrices' ends. */
struct source
{
  const float *a;
  const float *b;
  int rows_a;
  int columns_a;
  int rows_b;
  int columns_b;
};

/* A thread's first piece of a slab: eight neighbours of a row of a by eight
 * lanes, four neighbours of a row of b by one. */
#define ROW_OF_A    ((int) threadIdx.x / 8)
#define COLUMN_OF_A ((int) threadIdx.x % 8)
#define ROW_OF_B    ((int) threadIdx.x / (TILE_N / 4))
#define COLUMN_OF_B ((int) threadIdx.x % (TILE_N / 4) * 4)

/* Requests TILE_K columns of a and TILE_K rows of b. It has no branches, so
 * that the compiler can spread it among the multiply-adds. */
static __device__ __forceinline__ void
copy_slab (float *stage, const struct source *from, int k, int n, int pitch)
{
  const int step_a = THREADS / 8;
  const int step_b = THREADS / (TILE_N / 4);
  const float *a = from->a + k;
  const float *b = from->b + (long long) k * pitch;
  float *to_a = stage + COLUMN_OF_A * ROW_A + ROW_OF_A;
  float *to_b = stage + TILE_K * ROW_A + ROW_OF_B * TILE_N + COLUMN_OF_B;

#pragma unroll
  for (int i = 0; i < TILE_M; i += step_a)
#pragma unroll
    for (int j = 0; j < TILE_K; j += 8)
      copy (to_a + j * ROW_A + i,
            a + (size_t) i * n + j,
            1,
            i < from->rows_a && k + j < from->columns_a);
#pragma unroll
  for (int i = 0; i < TILE_K; i += step_b)
    copy (to_b + i * TILE_N,
          b + (size_t) i * pitch,
          4,
          k + i < from->rows_b && from->columns_b > 0);
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

/* All products. Each multiply-add shares an operand with the one before, which
 * is then in the operand cache: the order goes back and forth, patch by patch
 * and within a patch. */
static __device__ __forceinline__ void
multiply (float (*sums)[THREAD_N], const float *from_a, const float *from_b)
{
#pragma unroll
  for (int i = 0; i < THREAD_M * THREAD_N; i++)
    {
      const int patch = i / PATCH;
      const int down = patch / PATCHES_N;
      const int across =
          down % 2 == 0 ? patch % PATCHES_N : PATCHES_N - 1 - patch % PATCHES_N;
      const int place = i % PATCH;
      int r = WALK == 0 ? place / PATCH_N : place % PATCH_M;
      int s = WALK == 0 ? place % PATCH_N : place / PATCH_M;

      if (WALK == 0 && (r + PATCH_M * patch) % 2 != 0)
        s = PATCH_N - 1 - s;
      if (WALK == 1 && (s + PATCH_N * patch) % 2 != 0)
        r = PATCH_M - 1 - r;
      r += down * PATCH_M;
      s += across * PATCH_N;
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
           int pitch,
           int first_row,
           int first_column,
           int first_slab,
           int end_slab,
           int row,
           int column)
{
  extern __shared__ float4 memory[];
  float *stages = (float *) memory;
  const struct source from = {
    a + (size_t) (first_row + ROW_OF_A) * n + COLUMN_OF_A,
    b + (size_t) ROW_OF_B * pitch + first_column + COLUMN_OF_B,
    n - first_row - ROW_OF_A,
    n - COLUMN_OF_A,
    n - ROW_OF_B,
    pitch - first_column - COLUMN_OF_B,
  };
  alignas (16) float from_a[2][THREAD_M];
  alignas (16) float from_b[2][THREAD_N];
  int reading = 0;
  int writing = (STAGES - 1) * STAGE;

#pragma unroll
  for (int s = 0; s < STAGES - 1; s++)
    {
      copy_slab (
          stages + s * STAGE, &from, (first_slab + s) * TILE_K, n, pitch);
      asm volatile("cp.async.commit_group;" ::: "memory");
    }
  asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
  __syncthreads ();
  fetch (from_a[0], from_b[0], stages, row, column, 0);

#pragma unroll 1
  for (int s = first_slab; s < end_slab; s++)
#pragma unroll
    for (int k = 0; k < TILE_K; k++)
      {
        if (k == 0)
          {
            /* All threads have fetched the slab before this one, and passed
             * the barrier since: its slot is free. Past the end, copies
             * bring unused data. */
            copy_slab (
                stages + writing, &from, (s + STAGES - 1) * TILE_K, n, pitch);
            asm volatile("cp.async.commit_group;" ::: "memory");
            writing = writing == (STAGES - 1) * STAGE ? 0 : writing + STAGE;
          }
        if (k == TILE_K - 1)
          {
            /* The next slab has arrived, for all threads. */
            asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2)
                         : "memory");
            __syncthreads ();
            reading = reading == (STAGES - 1) * STAGE ? 0 : reading + STAGE;
          }
        /* The next operands are fetched before this k is multiplied. */
        fetch (from_a[(k + 1) % 2],
               from_b[(k + 1) % 2],
               stages + reading,
               row,
               column,
               (k + 1) % TILE_K);
        multiply (sums, from_a[k % 2], from_b[k % 2]);
      }
  asm volatile("cp.async.wait_all;" ::: "memory");
}

/* Writes a thread's elements of the product. */
static __device__ __forceinline__ void
store (float *c, int n, int row, int column, float (*sums)[THREAD_N])
{
#pragma unroll
  for (int r = 0; r < THREAD_M; r++)
#pragma unroll
    for (int p = 0; p < THREAD_N; p += 4)
      {
        const int y = row + r / 4 * LANES_M * 4 + r % 4;
        const int x = column + p * LANES_N;
        float *to = c + (size_t) y * n + x;

        if (n % 4 == 0)
          {
            if (y < n && x < n)
              *(float4 *) to = *(const float4 *) &sums[r][p];
          }
        else
#pragma unroll
          for (int i = 0; i < 4; i++)
            if (y < n && x + i < n)
              to[i] = sums[r][p + i];
      }
}

/* The place of a tile. Tiles that are multiplied at the same time are near
 * each other, in GROUP rows of tiles: they share rows of a and columns of b,
 * which then come from the L2 cache. */
static __device__ __forceinline__ void
find_tile (int tile, int n, int *first_row, int *first_column)
{
  const int tiles_m = (n + TILE_M - 1) / TILE_M;
  const int tiles_n = (n + TILE_N - 1) / TILE_N;
  const int first = tile / (GROUP * tiles_n) * GROUP;
  const int rows = min (GROUP, tiles_m - first);
  const int place = tile % (GROUP * tiles_n);

  *first_row = (first + place % rows) * TILE_M;
  *first_column = place / rows * TILE_N;
}

/* The first of a block's share of the shared slabs. */
static __device__ __forceinline__ long long
find_share (int block, long long slabs)
{
  return slabs * block / gridDim.x;
}

/* Adds up several blocks' parts of a tile, if this block is the last of them.
 * Returns whether it was, with the whole sums.
 *
 * Pairs are swapped on the way. A vector store needs its first element in an
 * even register, as do the loads of b; sums that are stored in swapped order
 * are kept in swapped order, and then no multiply-add reads a sum and an
 * element of b from the same half of the registers. */
static __device__ __forceinline__ bool
gather (float (*sums)[THREAD_N],
        float *parts,
        int *done,
        int tile,
        int first_slab,
        int end_slab,
        int slabs,
        long long shared_slabs)
{
  __shared__ bool last;
  const size_t part = (size_t) TILE_M * TILE_N;
  const long long begin = (long long) tile * slabs;
  float4 *mine =
      (float4 *) (parts + (2 * blockIdx.x + (first_slab == 0)) * part);
  int block = blockIdx.x;

#pragma unroll
  for (int r = 0; r < THREAD_M; r++)
#pragma unroll
    for (int p = 0; p < THREAD_N; p += 4)
      mine[(r * THREAD_N + p) / 4 * THREADS + threadIdx.x] = make_float4 (
          sums[r][p + 1], sums[r][p], sums[r][p + 3], sums[r][p + 2]);
  __syncthreads ();
  if (threadIdx.x == 0)
    {
      /* The barrier orders the block's threads, the fences the blocks. */
      __threadfence ();
      last = atomicAdd (&done[tile], end_slab - first_slab) ==
             slabs - (end_slab - first_slab);
      __threadfence ();
      if (last)
        done[tile] = 0;
    }
  __syncthreads ();
  if (!last)
    return false;

  /* In the blocks' order, whichever block is last: the result is always the
   * same. */
  while (find_share (block, shared_slabs) > begin)
    block--;
#pragma unroll
  for (int i = 0; i < THREAD_M * THREAD_N; i++)
    sums[i / THREAD_N][i % THREAD_N] = 0;
  for (; find_share (block, shared_slabs) < begin + slabs; block++)
    {
      const bool starts = find_share (block, shared_slabs) <= begin;
      const float4 *from =
          (const float4 *) (parts + (2 * block + starts) * part);

      if (find_share (block + 1, shared_slabs) ==
          find_share (block, shared_slabs))
        continue;
#pragma unroll
      for (int r = 0; r < THREAD_M; r++)
#pragma unroll
        for (int p = 0; p < THREAD_N; p += 4)
          {
            const float4 four =
                __ldcg (&from[(r * THREAD_N + p) / 4 * THREADS + threadIdx.x]);

            sums[r][p + 1] += four.x;
            sums[r][p] += four.y;
            sums[r][p + 3] += four.z;
            sums[r][p + 2] += four.w;
          }
    }
  return true;
}

static __device__ __forceinline__ void
multiply_tiles (const float *a,
                const float *b,
                float *c,
                float *parts,
                int *done,
                int n,
                int pitch)
{
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  const int lane_column = (lane & 1) | lane / 4 % (LANES_N / 2) * 2;
  const int lane_row = (lane / 2 & 1) | lane / 4 / (LANES_N / 2) * 2;
  const int row = warp / WARPS_N * WARP_M + lane_row * 4;
  const int column = warp % WARPS_N * WARP_N + lane_column * 4;
  const int slabs = (n + TILE_K - 1) / TILE_K;
  const int tiles = ((n + TILE_M - 1) / TILE_M) * ((n + TILE_N - 1) / TILE_N);
  /* Whole tiles for each block while there are two waves of them or more. */
  const int whole =
      SPLIT == 1 ? max (tiles / (int) gridDim.x - 1, 0) * gridDim.x : tiles;
  const long long shared_slabs = (long long) (tiles - whole) * slabs;
  const long long end = find_share (blockIdx.x + 1, shared_slabs);
  long long next = find_share (blockIdx.x, shared_slabs);
  int tile = blockIdx.x;

  while (tile < whole || next < end)
    {
      alignas (16) float sums[THREAD_M][THREAD_N] = { 0 };
      const bool is_whole = tile < whole;
      const int shared_tile = is_whole ? 0 : (int) (next / slabs);
      const int first_slab = is_whole ? 0 : (int) (next % slabs);
      const int end_slab =
          is_whole ? slabs
                   : (int) min (end - next + first_slab, (long long) slabs);
      int first_row;
      int first_column;

      find_tile (
          is_whole ? tile : whole + shared_tile, n, &first_row, &first_column);
      add_slabs (sums,
                 a,
                 b,
                 n,
                 pitch,
                 first_row,
                 first_column,
                 first_slab,
                 end_slab,
                 row,
                 column);
      if (end_slab - first_slab == slabs || gather (sums,
                                                    parts,
                                                    done,
                                                    shared_tile,
                                                    first_slab,
                                                    end_slab,
                                                    slabs,
                                                    shared_slabs))
        store (c, n, first_row + row, first_column + column, sums);
      if (is_whole)
        tile += gridDim.x;
      else
        next += end_slab - first_slab;
      /* The stages are still being read by other warps. */
      __syncthreads ();
    }
}

/* Copies b with rows that start at multiples of 16 bytes. */
extern "C" __global__ void
matmul_best_align (const float *__restrict__ b,
                   float *__restrict__ aligned,
                   int n)
{
  const int pitch = (n + 3) / 4 * 4;

  b += (size_t) blockIdx.x * n;
  aligned += (size_t) blockIdx.x * pitch;
  for (int i = threadIdx.x; i < pitch; i += blockDim.x)
    aligned[i] = i < n ? b[i] : 0;
}

/* A persistent stream-K product. Before: instruction issue, but for the
 * last wave: in matmul/pipelined the tiles go to the multiprocessors one by
 * one, and at the end some of those are idle. With tiles this large there are few
 * waves, and a product that is one row larger may need one more. Now:
 * instruction issue.
 *
 * Here as many blocks as are resident take whole tiles while there are enough
 * for all, and then equal shares of the slabs that are left, wherever the
 * borders of the tiles are: that is stream-K. A tile that is shared by several
 * blocks is added up by the block that ends last. GROUP rows of tiles are
 * walked together, so that their slabs come from the L2 cache. Expect less
 * time than matmul/pipelined at its best, and a product that is one row and
 * one column larger to keep most of the rate.
 *
 * Where rows of b do not start at multiples of 16 bytes, a launch before
 * copies them to aligned rows, which reads and writes b once more.
 *
 * The order of the sums matters, too: a multiply-add reads three registers, and
 * the operand cache has some of them. The orders of the sweep differ by 1 to
 * 3 %. */
extern "C" __global__ void __launch_bounds__ (THREADS, RESIDENT)
matmul_best (const float *__restrict__ a,
             const float *__restrict__ b,
             const float *__restrict__ aligned,
             float *__restrict__ c,
             float *__restrict__ parts,
             int *__restrict__ done,
             int n)
{
  multiply_tiles (
      a, n % 4 == 0 ? b : aligned, c, parts, done, n, (n + 3) / 4 * 4);
}

/*! cured
 * [Sweep]
 * X=n
 * Y=patch_n
 * n=4096,4097
 * patch_n=2,8
 * split=0,1
 * lanes=4,16
 *
 * [Claim conflicts]
 * Text=No access to shared memory has a conflict
 * Metric=excess_wavefronts
 * At=n=128
 * High=0
 *
 * [Claim faster]
 * Text=It takes less time than the best of the step before
 * Metric=time
 * At=n=4096
 * Against=matmul/pipelined tile_k=16,stages=2,thread_n=16
 * High=0.99
 *
 * [Claim shares]
 * Text=Where a product needs a little more than whole waves, equal shares save a twelfth of the time and more
 * Metric=time
 * At=n=4097,split=1
 * Against=split=0
 * High=0.92
 *
 * [Claim steady]
 * Text=A product that is one row and one column larger keeps four fifths of the rate and more
 * Metric=flop_rate
 * At=n=4097
 * Against=n=4096
 * Low=0.8
 */
