// SPDX-License-Identifier: MIT
// Matrix product of bf16 by clusters of blocks that share what they read.
/*! cured
 * [Kernel]
 * Title=Matrix product of bf16, clusters with multicast
 * Summary=Neighbouring blocks share copies, by multicast to the shared memory of each
 * Family=matmul-bf16
 * Step=8
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
 * Default=256
 * Summary=columns of the product per block
 *
 * [Parameter stages]
 * Kind=compile
 * Values=2..6
 * Default=4
 * Summary=slabs of both matrices in shared memory
 *
 * [Parameter cluster]
 * Kind=compile
 * Values=1,2,4
 * Default=1
 * Summary=blocks of a cluster, which share copies
 *
 * [Parameter group]
 * Kind=compile
 * Values=1,2,4,8,16,32
 * Default=8
 * Summary=rows of tiles that are walked together, column by column
 *
 * [Parameter pieces]
 * Kind=compile
 * Values=1..4
 * Default=2
 * Summary=pieces of 16 × 64 elements per warp in shared memory that wait to be written
 *
 * [Require chip]
 * If=compute_major == 9 && compute_minor == 0
 * Reason=wgmma is an instruction of compute capability 9.0 alone
 *
 * [Require sums]
 * If=tile_m*tile_n <= 32768
 * Reason=two warpgroups have registers for the sums of 128 × 256 elements
 *
 * [Require parts]
 * If=tile_m > tile_n || tile_n/cluster >= 64
 * Reason=the columns of b that blocks share come in boxes of 64
 *
 * [TensorMap map_a]
 * Buffer=a
 * Dims=n,n
 * Strides=16*ceil(n/8)
 * Box=64,tile_m>tile_n ? tile_m/cluster : tile_m
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
 * [TensorMap map_c]
 * Buffer=c
 * Dims=n,n
 * Strides=16*ceil(n/8)
 * Box=64,16
 * Swizzle=128
 * Promotion=256
 *
 * [Launch]
 * Entry=matmul_bf16_best
 * Grid=cluster*min(floor(sms/cluster),tile_m>tile_n ? ceil(n/tile_m)*ceil(n/(tile_n*cluster)) : ceil(n/(tile_m*cluster))*ceil(n/tile_n))
 * Block=384
 * Shared=stages*((tile_m+tile_n)*128+16)+16384*pieces
 * Arguments=map_a,map_b,map_c,n
 */

#define TILE_K    64 /* a row of a slab: the 128 bytes that the swizzle is for */
#define CONSUMERS 2
#define THREADS   (128 * (CONSUMERS + 1))
#define STEPS_M   (TILE_M / CONSUMERS / 64)
#define BYTES_A   (TILE_M * TILE_K * 2)
#define BYTES_B   (TILE_N * TILE_K * 2)
#define STAGE     (BYTES_A + BYTES_B)
#define PIECE     (16 * 64 * 2)
#define SHARE_A   (TILE_M > TILE_N)
#define ALL       ((1 << CLUSTER) - 1)
#if CLUSTER == 1
#define IN_CLUSTERS
#else
#define IN_CLUSTERS __cluster_dims__ (CLUSTER, 1, 1)
#endif

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

/* The rank of this block in its cluster. */
static __device__ __forceinline__ unsigned
get_rank (void)
{
  return CLUSTER == 1 ? 0 : blockIdx.x % CLUSTER;
}

/* A barrier of all blocks of the cluster. */
static __device__ __forceinline__ void
meet (void)
{
#if CLUSTER == 1
  __syncthreads ();
#else
  asm volatile("barrier.cluster.arrive.release.aligned;\n"
               "barrier.cluster.wait.acquire.aligned;" ::
                   : "memory");
#endif
}

/* Has a box of a matrix copied, to this block or to all of the cluster. */
static __device__ __forceinline__ void
copy_box (unsigned to,
          const TensorMap *map,
          int x,
          int y,
          unsigned barrier,
          bool to_all)
{
  if (CLUSTER == 1 || !to_all)
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile"
                 ".mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];"
                 :
                 : "r"(to), "l"(map), "r"(x), "r"(y), "r"(barrier)
                 : "memory");
  else
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile"
                 ".mbarrier::complete_tx::bytes.multicast::cluster "
                 "[%0], [%1, {%2, %3}], [%4], %5;"
                 :
                 : "r"(to),
                   "l"(map),
                   "r"(x),
                   "r"(y),
                   "r"(barrier),
                   "h"((unsigned short) ALL)
                 : "memory");
}

/* Starts the copy of a slab: TILE_K columns of a and as many rows of b, these
 * in boxes of 64 columns. Elements outside of the matrices become zeros, and
 * their bytes count. Of data shared by the cluster, each block copies its part
 * to all blocks. */
static __device__ __forceinline__ void
copy_slab (unsigned to,
           const TensorMap *map_a,
           const TensorMap *map_b,
           int row,
           int column,
           int k,
           unsigned barrier)
{
  const int rank = (int) get_rank ();

  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
               :
               : "r"(barrier), "r"(STAGE)
               : "memory");
  if (SHARE_A)
    copy_box (to + rank * (BYTES_A / CLUSTER),
              map_a,
              k,
              row + rank * (TILE_M / CLUSTER),
              barrier,
              true);
  else
    copy_box (to, map_a, k, row, barrier, false);
#pragma unroll
  for (int x = 0; x < TILE_N / (SHARE_A ? 1 : CLUSTER); x += 64)
    {
      const int at = x + (SHARE_A ? 0 : rank * (TILE_N / CLUSTER));

      copy_box (to + BYTES_A + at * (TILE_K * 2),
                map_b,
                column + at,
                k,
                barrier,
                !SHARE_A);
    }
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

/* The place of a tile of the product. Blocks of a cluster have neighbours,
 * which share columns of b, or rows of a where the tile is higher than wide.
 * Clusters walk GROUP rows of such pairs together, column by column, so that
 * what they read at the same time is in the L2 cache. */
static __device__ __forceinline__ void
find_tile (int tile, int n, int *row, int *column)
{
  const int height = SHARE_A ? TILE_M : TILE_M * CLUSTER;
  const int width = SHARE_A ? TILE_N * CLUSTER : TILE_N;
  const int tiles_m = (n + height - 1) / height;
  const int tiles_n = (n + width - 1) / width;
  const int first = tile / (GROUP * tiles_n) * GROUP;
  const int rows = min (GROUP, tiles_m - first);
  const int place = tile % (GROUP * tiles_n);

  *row = (first + place % rows) * height;
  *column = place / rows * width;
  if (SHARE_A)
    *column += (int) get_rank () * TILE_N;
  else
    *row += (int) get_rank () * TILE_M;
}

static __device__ __forceinline__ int
count_tiles (int n)
{
  const int height = SHARE_A ? TILE_M : TILE_M * CLUSTER;
  const int width = SHARE_A ? TILE_N * CLUSTER : TILE_N;

  return (n + height - 1) / height * ((n + width - 1) / width);
}

/* Elects one lane of the warp; all lanes call it together. */
static __device__ __forceinline__ bool
is_elected (void)
{
  unsigned elected;

  asm volatile("{\n"
               ".reg .pred one;\n"
               "elect.sync _|one, 0xffffffff;\n"
               "selp.u32 %0, 1, 0, one;\n"
               "}"
               : "=r"(elected));
  return elected != 0;
}

/* The producer warp: one lane requests slab after slab, of all tiles of this
 * block, as slots of the ring become free. All lanes take the same path, so
 * that the compiler can keep addresses in uniform registers. */
static __device__ __forceinline__ void
produce (const TensorMap *map_a,
         const TensorMap *map_b,
         unsigned ring,
         unsigned full,
         unsigned empty,
         int n)
{
  const int tiles = count_tiles (n);
  unsigned parity = 1;
  int slot = 0;

  for (int tile = (int) blockIdx.x / CLUSTER; tile < tiles;
       tile += (int) gridDim.x / CLUSTER)
    {
      int row, column;

      find_tile (tile, n, &row, &column);
      for (int k = 0; k < n; k += TILE_K)
        {
          wait_for (empty + slot * 8, parity);
          if (is_elected ())
            copy_slab (ring + slot * STAGE,
                       map_a,
                       map_b,
                       row,
                       column,
                       k,
                       full + slot * 8);
          if (++slot == STAGES)
            {
              slot = 0;
              parity ^= 1;
            }
        }
    }
}

/* Reports that this warp has read a slot of the ring, to every block that
 * copies into it. */
static __device__ __forceinline__ void
release (unsigned barrier)
{
  const unsigned lane = threadIdx.x % 32;

#if CLUSTER == 1
  if (lane == 0)
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier)
                 : "memory");
#else
  if (lane < CLUSTER)
    asm volatile("{\n"
                 ".reg .b32 there;\n"
                 "mapa.shared::cluster.u32 there, %0, %1;\n"
                 "mbarrier.arrive.shared::cluster.b64 _, [there];\n"
                 "}"
                 :
                 : "r"(barrier), "r"(lane)
                 : "memory");
#endif
}

/* Writes a warp's part of a tile, 16 rows by 64 columns at a time: as bf16 to
 * shared memory, swizzled so that no two lanes conflict, and from there by the
 * copy engine, which leaves out what is outside of the product. */
static __device__ __forceinline__ void
store (const TensorMap *map_c,
       float (*d)[TILE_N / 2],
       unsigned pieces,
       int *piece,
       int row,
       int column)
{
  const int lane = (int) threadIdx.x % 32;
  const int y = lane % 16;

#pragma unroll
  for (int m = 0; m < STEPS_M; m++)
#pragma unroll
    for (int x = 0; x < TILE_N; x += 64)
      {
        const unsigned to = pieces + *piece * PIECE;

        /* The slot has been read, and only this warp writes to it. */
        if (lane == 0)
          asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(PIECES - 1)
                       : "memory");
        __syncwarp ();
#pragma unroll
        for (int j = 0; j < 64; j += 16)
          {
            const float *from = d[m] + (x + j) / 2;
            const int chunk = (j / 8 + lane / 16) ^ (y % 8);
            unsigned pairs[4];

#pragma unroll
            for (int i = 0; i < 4; i++)
              asm("cvt.rn.bf16x2.f32 %0, %1, %2;"
                  : "=r"(pairs[i])
                  : "f"(from[2 * i + 1]), "f"(from[2 * i]));
            asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], "
                         "{%1, %2, %3, %4};"
                         :
                         : "r"(to + y * 128 + chunk * 16),
                           "r"(pairs[0]),
                           "r"(pairs[1]),
                           "r"(pairs[2]),
                           "r"(pairs[3])
                         : "memory");
          }
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncwarp ();
        if (lane == 0)
          {
            asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile"
                         ".bulk_group [%0, {%1, %2}], [%3];"
                         :
                         : "l"(map_c),
                           "r"(column + x),
                           "r"(row + m * 64),
                           "r"(to)
                         : "memory");
            asm volatile("cp.async.bulk.commit_group;" ::: "memory");
          }
        *piece = *piece == PIECES - 1 ? 0 : *piece + 1;
      }
}

/* The two consumer warpgroups: each multiplies its rows of the slabs as
 * they arrive, and writes its part of the tile. warp counts from the first
 * of them. */
static __device__ __forceinline__ void
consume (const TensorMap *map_c,
         unsigned ring,
         unsigned pieces,
         unsigned full,
         unsigned empty,
         int warp,
         int n)
{
  const int first = warp / 4 * (TILE_M / CONSUMERS);
  const int tiles = count_tiles (n);
  unsigned parity = 0;
  int slot = 0;
  int piece = 0;
  float d[STEPS_M][TILE_N / 2];

  for (int tile = (int) blockIdx.x / CLUSTER; tile < tiles;
       tile += (int) gridDim.x / CLUSTER)
    {
      int row, column;
      int before = 0;

      find_tile (tile, n, &row, &column);
#pragma unroll 1
      for (int k = 0; k < n; k += TILE_K)
        {
          const unsigned base = ring + slot * STAGE;
          const unsigned long long a =
              describe (base + first * (TILE_K * 2), 0);
          const unsigned long long b =
              describe (base + BYTES_A, 64 * TILE_K * 2);

          wait_for (full + slot * 8, parity);
          asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
          for (int i = 0; i < TILE_K; i += 16)
#pragma unroll
            for (int m = 0; m < STEPS_M; m++)
              multiply (d[m],
                        a + (m * 64 * TILE_K * 2 + i * 2) / 16,
                        b + i * 128 / 16,
                        i > 0 || k > 0);
          asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
          /* The products of the previous slab have completed, while these are
           * queued: the tensor cores do not wait for the warps. */
          asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
          if (k > 0)
            release (empty + before * 8);
          before = slot;
          if (++slot == STAGES)
            {
              slot = 0;
              parity ^= 1;
            }
        }
      asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
      release (empty + before * 8);
      store (map_c,
             d,
             pieces,
             &piece,
             row + first + warp % 4 * 16,
             column);
    }
  if (threadIdx.x % 32 == 0)
    asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
}

/* Before: tensor cores. Now: tensor cores. Against matmul-bf16/persistent:
 * blocks may come in clusters, whose tiles are below each other (side by side,
 * where a tile is higher than wide) and share columns of b. Each block copies
 * its part of the slab, and the copy engine writes it to the shared memory of
 * all (multicast). With two blocks, 128 × 256 elements each, L2 sends each
 * block 32 KiB per slab, not 48. At n = 4096 that gains nothing (cluster=1 is
 * best); at 4097, 245 µs against 327.
 *
 * A slot of the ring is free when all blocks of the cluster have read it, so
 * each warp signals all of them. No block ends before the others have written
 * to it. */
extern "C" __global__ void __launch_bounds__ (THREADS, 1) IN_CLUSTERS
matmul_bf16_best (const __grid_constant__ TensorMap map_a,
                  const __grid_constant__ TensorMap map_b,
                  const __grid_constant__ TensorMap map_c,
                  int n)
{
  extern __shared__ __align__ (1024) unsigned char memory[];
  const unsigned ring = shared_address (memory);
  const unsigned pieces = ring + STAGES * STAGE;
  const unsigned full = pieces + CONSUMERS * 4 * PIECES * PIECE;
  const unsigned empty = full + STAGES * 8;
  const int warp = __shfl_sync (0xffffffff, (int) threadIdx.x / 32, 0);

  if (threadIdx.x == 0)
    {
      for (int i = 0; i < STAGES; i++)
        {
          asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;"
                       :
                       : "r"(full + i * 8)
                       : "memory");
          asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;"
                       :
                       : "r"(empty + i * 8), "r"(CONSUMERS * 4 * CLUSTER)
                       : "memory");
        }
      asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
  meet ();

  if (warp < 4)
    {
      asm volatile("setmaxnreg.dec.sync.aligned.u32 40;" ::: "memory");
      if (warp == 0)
        produce (&map_a, &map_b, ring, full, empty, n);
    }
  else
    {
      asm volatile("setmaxnreg.inc.sync.aligned.u32 232;" ::: "memory");
      consume (&map_c,
               ring,
               pieces + (warp - 4) * PIECES * PIECE,
               full,
               empty,
               warp - 4,
               n);
    }
#if CLUSTER > 1
  /* No block ends while another one of its cluster writes to it. */
  __syncwarp ();
  meet ();
#endif
}

/*! cured
 * [Sweep]
 * X=n
 * Y=group
 * n=4096,4097
 * group=4,8,16
 * cluster=1,2
 *
 * [Claim clean]
 * Text=Nothing is read before it has arrived, or overwritten before it was read
 * Metric=findings
 * At=n=264
 * High=0
 *
 * [Claim stores]
 * Text=The product goes to shared memory with no conflict
 * Metric=excess_wavefronts
 * At=n=256
 * High=0
 */
