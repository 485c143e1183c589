// SPDX-License-Identifier: MIT
// A product of bf16 matrices by the copy engine and the tensor cores of sm_90.
/*! cured
 * [Kernel]
 * Title=Product by tensor maps and wgmma
 * Summary=Tiles of 64 × 64 are copied by tensor maps, and four warps multiply them
 * Family=features
 * Step=5
 * Arch=90a
 * Flops=2*n^3
 *
 * [Parameter swizzle]
 * Kind=compile
 * Values=32,64,128
 * Default=128
 * Summary=Bytes of a row of a tile in shared memory
 *
 * [Parameter n]
 * Kind=problem
 * Values=64..512:64
 * Default=128
 * Summary=rows and columns
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
 * [Buffer a16]
 * Type=u32
 * Length=ceil(n*n/2)
 * Fill=poison
 *
 * [Buffer b16]
 * Type=u32
 * Length=ceil(n*n/2)
 * Fill=poison
 *
 * [Buffer c]
 * Type=f32
 * Length=n*n
 * Fill=poison
 *
 * [TensorMap map_a]
 * Buffer=a16
 * Type=bf16
 * Dims=n,n
 * Box=swizzle/2,64
 * Swizzle=swizzle
 *
 * [TensorMap map_b]
 * Buffer=b16
 * Type=bf16
 * Dims=n,n
 * Box=swizzle/2,64
 * Swizzle=swizzle
 *
 * [Launch 1]
 * Entry=features_wgmma_narrow
 * Grid=ceil(n*n/2/256)
 * Block=256
 * Arguments=a,a16,n*n/2
 *
 * [Launch 2]
 * Entry=features_wgmma_narrow
 * Grid=ceil(n*n/2/256)
 * Block=256
 * Arguments=b,b16,n*n/2
 *
 * [Launch 3]
 * Entry=features_wgmma
 * Grid=n/64,n/64
 * Block=128
 * Arguments=map_a,map_b,c,n
 *
 * [Check]
 * Output=c
 * Reference=matmul
 * Tolerance=0.02*sqrt(n)
 */

/* A row of a tile has as many elements as fit into the swizzle's bytes. */
#define ROW    (SWIZZLE / 2)
#define PARTS  (64 / ROW)
#define BYTES  (64 * 64 * 2)

struct alignas (64) TensorMap
{
  unsigned long long opaque[16];
};

__device__ __forceinline__ unsigned
shared_address (const void *pointer)
{
  return (unsigned) __cvta_generic_to_shared (pointer);
}

/* Pairs of floats as bf16. */
extern "C" __global__ void
features_wgmma_narrow (const float *from, unsigned *to, int n)
{
  const int i = (int) (blockIdx.x * blockDim.x + threadIdx.x);

  if (i < n)
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;"
        : "=r"(to[i])
        : "f"(from[2 * i + 1]), "f"(from[2 * i]));
}

__device__ __forceinline__ void
copy_tile (unsigned to, const TensorMap *map, int x, int y, unsigned barrier)
{
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier"
               "::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];"
               :
               : "r"(to), "l"(map), "r"(x), "r"(y), "r"(barrier)
               : "memory");
}

/* The descriptor of a tile: its start, bytes from 8 rows to the next 8
 * (stride) and from one part to the next (leading), and the swizzle. */
__device__ __forceinline__ unsigned long long
describe (unsigned address, unsigned leading, unsigned stride)
{
  const unsigned long long mode = SWIZZLE == 128 ? 1 : SWIZZLE == 64 ? 2 : 3;

  return (address & 0x3ffff) >> 4 | (unsigned long long) (leading >> 4) << 16 |
         (unsigned long long) (stride >> 4) << 32 | mode << 62;
}

/* A is n × n in row order, so its tile is stored along k. B is in row order,
 * too, so its tile is stored along the columns of the product, as wgmma's last
 * number says. */
extern "C" __global__ void __launch_bounds__ (128)
features_wgmma (const __grid_constant__ TensorMap map_a,
                const __grid_constant__ TensorMap map_b, float *c, int n)
{
  __shared__ alignas (1024) unsigned short a[64 * 64];
  __shared__ alignas (1024) unsigned short b[64 * 64];
  __shared__ alignas (8) unsigned long long full;
  const unsigned barrier = shared_address (&full);
  const int row = (int) blockIdx.y * 64;
  const int column = (int) blockIdx.x * 64;
  float d[32];

  for (int i = 0; i < 32; i++)
    d[i] = 0;
  if (threadIdx.x == 0)
    {
      asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier)
                   : "memory");
      asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
  __syncthreads ();

  for (int k = 0; k < n; k += 64)
    {
      if (threadIdx.x == 0)
        {
          asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
                       :
                       : "r"(barrier), "r"(2 * BYTES)
                       : "memory");
          for (int part = 0; part < PARTS; part++)
            {
              copy_tile (shared_address (a) + part * BYTES / PARTS, &map_a,
                         k + part * ROW, row, barrier);
              copy_tile (shared_address (b) + part * BYTES / PARTS, &map_b,
                         column + part * ROW, k, barrier);
            }
        }
      asm volatile("{\n"
                   ".reg .pred done;\n"
                   "wait: mbarrier.try_wait.parity.shared::cta.b64 done, [%0], "
                   "%1;\n"
                   "@!done bra wait;\n"
                   "}"
                   :
                   : "r"(barrier), "r"(k / 64 & 1)
                   : "memory");

      asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
      for (int i = 0; i < 64; i += 16)
        {
          const unsigned long long of_a =
              describe (shared_address (a) + i / ROW * BYTES / PARTS +
                            i % ROW * 2,
                        0, 8 * SWIZZLE);
          const unsigned long long of_b = describe (
              shared_address (b) + i * SWIZZLE, BYTES / PARTS, 8 * SWIZZLE);

          asm volatile(
              "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 "
              "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, "
              "%14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, "
              "%26, %27, %28, %29, %30, %31}, %32, %33, 1, 1, 1, 0, 1;"
              : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]),
                "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]),
                "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]),
                "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]),
                "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]),
                "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]),
                "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]),
                "+f"(d[30]), "+f"(d[31])
              : "l"(of_a), "l"(of_b)
              : "memory");
        }
      asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
      asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
      /* All four warps have read before the next tile arrives. */
      __syncthreads ();
    }

  for (int i = 0; i < 32; i++)
    {
      const int y = row + (int) threadIdx.x / 32 * 16 +
                    (int) threadIdx.x % 32 / 4 + i / 2 % 2 * 8;
      const int x = column + i / 4 * 8 + (int) threadIdx.x % 4 * 2 + i % 2;

      c[y * n + x] = d[i];
    }
}

/*! cured
 * [Sweep]
 * X=n
 * Y=swizzle
 * n=64,128,256
 * swizzle=32,64,128
 *
 * [Claim clean]
 * Text=Nothing is read before it has arrived, or overwritten before it was read
 * Metric=findings
 * At=n=64
 * High=0
 */
