// SPDX-License-Identifier: MIT
// Matrix product of bf16 by the copy engine and wgmma.
/*! cured
 * [Kernel]
 * Title=Matrix product of bf16, copy engine and wgmma
 * Summary=One thread starts the copies of tiles; four warps together multiply straight from shared memory
 * Family=matmul-bf16
 * Step=5
 * Flops=2*n*n*n
 * Bytes=6*n*n
 * Like=matmul-bf16/naive
 * Arch=90a
 *
 * [Parameter across]  # none
 *
 * [Parameter down]  # none
 *
 * [Parameter tile_m]
 * Kind=compile
 * Values=128,256
 * Default=128
 * Summary=rows of the product per block
 *
 * [Parameter tile_n]
 * Kind=compile
 * Values=128,256
 * Default=128
 * Summary=columns of the product per block
 *
 * [Parameter stages]
 * Kind=compile
 * Values=2..6
 * Default=4
 * Summary=slabs of both matrices in shared memory
 *
 * [Require chip]
 * If=compute_major == 9 && compute_minor == 0
 * Reason=wgmma is an instruction of compute capability 9.0 alone
 *
 * [Require sums]
 * If=tile_m*tile_n <= 32768
 * Reason=512 threads have no registers for sums of 256 columns
 *
 * [TensorMap map_a]
 * Buffer=a
 * Dims=n,n
 * Strides=16*ceil(n/8)
 * Box=64,tile_m
 * Swizzle=128
 * Promotion=256
 *
 * [TensorMap map_b]
 * Buffer=b
 * Dims=n,n
 * Strides=16*ceil(n/8)
 * Box=64,64
 * Swizzle=128
 * Promotion=256
 *
 * [Launch]
 * Entry=matmul_bf16_wgmma
 * Grid=ceil(n/tile_n),ceil(n/tile_m)
 * Block=2*tile_m
 * Shared=stages*((tile_m+tile_n)*128+8)
 * Arguments=map_a,map_b,c,n
 */

#define TILE_K  64 /* a row of a slab: the 128 bytes that the swizzle is for */
#define THREADS (TILE_M * 2)
#define BYTES_A (TILE_M * TILE_K * 2)
#define BYTES_B (TILE_N * TILE_K * 2)
#define STAGE   (BYTES_A + BYTES_B)

/* The names of a product's sums in inline PTX. */
#define NAMES_64 \
  "%0, %1, %2, %3, %4, %5, %6, %7, " \
  "%8, %9, %10, %11, %12, %13, %14, %15, " \
  "%16, %17, %18, %19, %20, %21, %22, %23, " \
  "%24, %25, %26, %27, %28, %29, %30, %31, " \
  "%32, %33, %34, %35, %36, %37, %38, %39, " \
  "%40, %41, %42, %43, %44, %45, %46, %47, " \
  "%48, %49, %50, %51, %52, %53, %54, %55, " \
  "%56, %57, %58, %59, %60, %61, %62, %63"
#define NAMES_128 \
  NAMES_64 ", " \
  "%64, %65, %66, %67, %68, %69, %70, %71, " \
  "%72, %73, %74, %75, %76, %77, %78, %79, " \
  "%80, %81, %82, %83, %84, %85, %86, %87, " \
  "%88, %89, %90, %91, %92, %93, %94, %95, " \
  "%96, %97, %98, %99, %100, %101, %102, %103, " \
  "%104, %105, %106, %107, %108, %109, %110, %111, " \
  "%112, %113, %114, %115, %116, %117, %118, %119, " \
  "%120, %121, %122, %123, %124, %125, %126, %127"
#define SUMS_8(d, i)                                                           \
  "+f"((d)[i]), "+f"((d)[i + 1]), "+f"((d)[i + 2]), "+f"((d)[i + 3]),          \
      "+f"((d)[i + 4]), "+f"((d)[i + 5]), "+f"((d)[i + 6]), "+f"((d)[i + 7])
#define SUMS_32(d, i)                                                          \
  SUMS_8 (d, i), SUMS_8 (d, i + 8), SUMS_8 (d, i + 16), SUMS_8 (d, i + 24)

struct alignas (64) TensorMap
{
  unsigned long long opaque[16];
};

static __device__ __forceinline__ unsigned
shared_address (const void *pointer)
{
  return (unsigned) __cvta_generic_to_shared (pointer);
}

/* Waits for the end of a phase of a barrier. */
static __device__ __forceinline__ void
wait_for (unsigned barrier, unsigned parity)
{
  asm volatile("{\n"
               ".reg .pred done;\n"
               "again:\n"
               "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
               "@!done bra again;\n"
               "}"
               :
               : "r"(barrier), "r"(parity)
               : "memory");
}

/* Starts the copy of a box of a matrix. */
static __device__ __forceinline__ void
copy_box (unsigned to, const TensorMap *map, int x, int y, unsigned barrier)
{
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile"
               ".mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];"
               :
               : "r"(to), "l"(map), "r"(x), "r"(y), "r"(barrier)
               : "memory");
}

/* Starts the copy of a slab: TILE_K columns of a and as many rows of b, these
 * in boxes of 64 columns. Elements outside of the matrices become zeros, and
 * their bytes count. */
static __device__ __forceinline__ void
copy_slab (unsigned to,
           const TensorMap *map_a,
           const TensorMap *map_b,
           int row,
           int column,
           int k,
           unsigned barrier)
{
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
               :
               : "r"(barrier), "r"(STAGE)
               : "memory");
  copy_box (to, map_a, k, row, barrier);
#pragma unroll
  for (int x = 0; x < TILE_N; x += 64)
    copy_box (to + BYTES_A + x * (TILE_K * 2), map_b, column + x, k, barrier);
}

/* The descriptor of a matrix in shared memory: its start, bytes from one box
 * to the next along the columns of b (a has none), bytes from 8 rows to the
 * next 8, and the swizzle of 128 bytes. */
static __device__ __forceinline__ unsigned long long
describe (unsigned address, unsigned from_box_to_box)
{
  return (address & 0x3ffff) >> 4 |
         (unsigned long long) (from_box_to_box >> 4) << 16 | 64ull << 32 |
         1ull << 62;
}

/* d = a · b, or a · b + d where d has sums already. */
static __device__ __forceinline__ void
multiply (float *d, unsigned long long a, unsigned long long b, int more)
{
#if TILE_N == 256
  asm volatile(
      "{\n"
      ".reg .pred more;\n"
      "setp.ne.b32 more, %130, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 {" NAMES_128
      "}, %128, %129, more, 1, 1, 0, 1;\n"
      "}"
      : SUMS_32 (d, 0), SUMS_32 (d, 32), SUMS_32 (d, 64), SUMS_32 (d, 96)
      : "l"(a), "l"(b), "r"(more)
      : "memory");
#else
  asm volatile(
      "{\n"
      ".reg .pred more;\n"
      "setp.ne.b32 more, %66, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {" NAMES_64
      "}, %64, %65, more, 1, 1, 0, 1;\n"
      "}"
      : SUMS_32 (d, 0), SUMS_32 (d, 32)
      : "l"(a), "l"(b), "r"(more)
      : "memory");
#endif
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

/* Writes a warp's rows of the product straight from its registers. */
static __device__ __forceinline__ void
store (unsigned short *c, const float *d, int row, int column, int n)
{
  const int lane = (int) threadIdx.x % 32;
  const int y = row + lane / 4;

#pragma unroll
  for (int i = 0; i < TILE_N / 2; i += 4)
    {
      const int x = column + i * 2 + lane % 4 * 2;

      store_pair (c, d[i], d[i + 1], y, x, n);
      store_pair (c, d[i + 2], d[i + 3], y + 8, x, n);
    }
}

/* Before: latency. Now: tensor cores. Against matmul-bf16/async: wgmma
 * multiplies 64 × 16 elements of a by 16 × TILE_N of b, for four warps at once,
 * a warpgroup. Both come from shared memory: no ldmatrix, no registers for
 * operands, and one instruction is 16 to 32 mma per warp. It is asynchronous,
 * so a warpgroup issues a slab's products and waits for those of the slab
 * before.
 *
 * Copies are the copy engine's work: one thread names a box of the matrix, and
 * its bytes arrive swizzled, with zeros outside of the matrix, counted by a
 * barrier in shared memory. No thread computes addresses or checks bounds.
 *
 * The remaining loss: all warpgroups synchronize before the next copy, so the
 * slowest one delays it, and while a block writes its tile its tensor cores
 * wait. */
extern "C" __global__ void __launch_bounds__ (THREADS)
matmul_bf16_wgmma (const __grid_constant__ TensorMap map_a,
                   const __grid_constant__ TensorMap map_b,
                   unsigned short *__restrict__ c,
                   int n)
{
  extern __shared__ __align__ (1024) unsigned char memory[];
  const unsigned ring = shared_address (memory);
  const unsigned full = ring + STAGES * STAGE;
  const int row = (int) blockIdx.y * TILE_M;
  const int column = (int) blockIdx.x * TILE_N;
  const int first = (int) threadIdx.x / 128 * 64;
  unsigned parity = 0;
  int slot = 0;
  float d[TILE_N / 2];

  if (threadIdx.x == 0)
    {
      for (int i = 0; i < STAGES; i++)
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;"
                     :
                     : "r"(full + i * 8)
                     : "memory");
      asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
      for (int i = 0; i < STAGES && i * TILE_K < n; i++)
        copy_slab (ring + i * STAGE,
                   &map_a,
                   &map_b,
                   row,
                   column,
                   i * TILE_K,
                   full + i * 8);
    }
  __syncthreads ();

#pragma unroll 1
  for (int k = 0; k < n; k += TILE_K)
    {
      const int before = slot == 0 ? STAGES - 1 : slot - 1;
      const int next = k + (STAGES - 1) * TILE_K;
      const unsigned base = ring + slot * STAGE;
      const unsigned long long a = describe (base + first * (TILE_K * 2), 0);
      const unsigned long long b = describe (base + BYTES_A, 64 * TILE_K * 2);

      wait_for (full + slot * 8, parity);
      asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
      for (int i = 0; i < TILE_K; i += 16)
        multiply (d, a + i * 2 / 16, b + i * 128 / 16, i > 0 || k > 0);
      asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
      /* The products of the previous slab have completed, in all warps: its
       * slot is free. */
      asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
      __syncthreads ();
      if (threadIdx.x == 0 && k > 0 && next < n)
        copy_slab (ring + before * STAGE,
                   &map_a,
                   &map_b,
                   row,
                   column,
                   next,
                   full + before * 8);
      if (++slot == STAGES)
        {
          slot = 0;
          parity ^= 1;
        }
    }
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
  store (c, d, row + (int) threadIdx.x / 32 * 16, column, n);
}

/*! cured
 * [Sweep]
 * X=stages
 * Y=tile_n
 * stages=2..4
 * tile_n=128,256
 *
 * [Claim clean]
 * Text=Nothing is read before it has arrived, or overwritten before it was read
 * Metric=findings
 * At=n=200
 * High=0
 *
 * [Claim instructions]
 * Text=It takes less than a quarter of the instructions of mma and ldmatrix
 * Metric=instructions
 * At=n=256
 * Against=matmul-bf16/async n=256
 * High=0.25
 */
