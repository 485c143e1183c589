// SPDX-License-Identifier: MIT
// Operands that wgmma reads from shared memory, in each of their layouts.
/*! cured
 * [Kernel]
 * Title=Operands of wgmma in shared memory
 * Summary=Four warps multiply the tiles of their descriptors, over and over, and read the clock before and after
 * Family=banks
 * Step=6
 * Arch=90a
 *
 * [Parameter type]
 * Kind=compile
 * Values=0,1,2
 * Names=bf16,tf32,e4m3
 * Default=0
 * Summary=type of the operands; sums are f32
 *
 * [Parameter n]
 * Kind=compile
 * Values=8..256:8
 * Default=64
 * Summary=columns of the product
 *
 * [Parameter major_a]
 * Kind=compile
 * Values=0,1
 * Names=k,m
 * Default=0
 * Summary=whether a's tile is stored along k or along its rows; bf16 only
 *
 * [Parameter major_b]
 * Kind=compile
 * Values=0,1
 * Names=k,n
 * Default=0
 * Summary=whether b's tile is stored along k or along the columns of the product; bf16 only
 *
 * [Parameter held]
 * Kind=compile
 * Values=0,1
 * Names=shared,registers
 * Default=0
 * Summary=where a is stored
 *
 * [Parameter swizzle]
 * Kind=launch
 * Values=0,32,64,128
 * Default=128
 * Summary=bytes within which chunks of 16 bytes are permuted
 *
 * [Parameter leading_a]
 * Kind=launch
 * Values=0..16384:16
 * Default=128
 * Summary=bytes of a's descriptor in the leading dimension
 *
 * [Parameter stride_a]
 * Kind=launch
 * Values=0..16384:16
 * Default=1024
 * Summary=bytes of a's descriptor in the stride dimension
 *
 * [Parameter leading_b]
 * Kind=launch
 * Values=0..4096:16
 * Default=128
 * Summary=bytes of b's descriptor in the leading dimension
 *
 * [Parameter stride_b]
 * Kind=launch
 * Values=0..4096:16
 * Default=1024
 * Summary=bytes of b's descriptor in the stride dimension
 *
 * [Parameter offset_a]
 * Kind=launch
 * Values=0..112:16
 * Default=0
 * Summary=bytes from a multiple of 1024 to a
 *
 * [Parameter offset_b]
 * Kind=launch
 * Values=0..112:16
 * Default=0
 * Summary=bytes from a multiple of 1024 to b
 *
 * [Parameter products]
 * Kind=launch
 * Values=0..4096
 * Default=64
 * Summary=products, one after the other
 *
 * [Buffer out]
 * Type=u32
 * Length=128
 * Fill=poison
 *
 * [Buffer cycles]
 * Type=u32
 * Length=4
 * Fill=poison
 *
 * [Require majors]
 * If=type == 0 || (major_a == 0 && major_b == 0)
 * Reason=operands of types other than bf16 are stored along k
 *
 * [Require registers]
 * If=held == 0 || major_a == 0
 * Reason=an operand in registers has no layout
 *
 * [Require reach_a]
 * If=7*stride_a + leading_a + 1280 <= 65536 && 3*leading_a + 3*stride_a + 1280 <= 65536
 * Reason=a has to end within its 64 KiB
 *
 * [Require reach_b]
 * If=31*stride_b + leading_b + 1280 <= 131072 && 31*leading_b + 3*stride_b + 1280 <= 131072
 * Reason=b has to end within its 128 KiB
 *
 * [Launch]
 * Entry=banks_wgmma_operand
 * Grid=1
 * Block=128
 * Shared=65536+131072+1024
 * Arguments=out,cycles,swizzle,leading_a,stride_a,leading_b,stride_b,offset_a,offset_b,products
 *
 * [Check]
 * Output=out
 * Reference=index
 *
 * [Cycles]
 * Buffer=cycles
 * Per=products == 0 ? 1 : products
 */

/* The names of n / 2 registers. */
#define D8   "d0, d1, d2, d3"
#define D16  D8 ", d4, d5, d6, d7"
#define D24  D16 ", d8, d9, d10, d11"
#define D32  D24 ", d12, d13, d14, d15"
#define D40  D32 ", d16, d17, d18, d19"
#define D48  D40 ", d20, d21, d22, d23"
#define D56  D48 ", d24, d25, d26, d27"
#define D64  D56 ", d28, d29, d30, d31"
#define D72  D64 ", d32, d33, d34, d35"
#define D80  D72 ", d36, d37, d38, d39"
#define D88  D80 ", d40, d41, d42, d43"
#define D96  D88 ", d44, d45, d46, d47"
#define D104 D96 ", d48, d49, d50, d51"
#define D112 D104 ", d52, d53, d54, d55"
#define D120 D112 ", d56, d57, d58, d59"
#define D128 D120 ", d60, d61, d62, d63"
#define D136 D128 ", d64, d65, d66, d67"
#define D144 D136 ", d68, d69, d70, d71"
#define D152 D144 ", d72, d73, d74, d75"
#define D160 D152 ", d76, d77, d78, d79"
#define D168 D160 ", d80, d81, d82, d83"
#define D176 D168 ", d84, d85, d86, d87"
#define D184 D176 ", d88, d89, d90, d91"
#define D192 D184 ", d92, d93, d94, d95"
#define D200 D192 ", d96, d97, d98, d99"
#define D208 D200 ", d100, d101, d102, d103"
#define D216 D208 ", d104, d105, d106, d107"
#define D224 D216 ", d108, d109, d110, d111"
#define D232 D224 ", d112, d113, d114, d115"
#define D240 D232 ", d116, d117, d118, d119"
#define D248 D240 ", d120, d121, d122, d123"
#define D256 D248 ", d124, d125, d126, d127"

#define TEXT_(text)   #text
#define TEXT(text)    TEXT_ (text)
#define JOIN_(a, b)   a##b
#define JOIN(a, b)    JOIN_ (a, b)
#if TYPE == 0
#define SHAPE  "k16.f32.bf16.bf16"
#define MAJORS ", " TEXT (MAJOR_A) ", " TEXT (MAJOR_B)
#define MAJOR  ", " TEXT (MAJOR_B)
#elif TYPE == 1
#define SHAPE  "k8.f32.tf32.tf32"
#define MAJORS ""
#define MAJOR  ""
#else
#define SHAPE  "k32.f32.e4m3.e4m3"
#define MAJORS ""
#define MAJOR  ""
#endif

#define FRONT "wgmma.mma_async.sync.aligned.m64n" TEXT (N) SHAPE " {" JOIN (D, N) "}, "
#if HELD
#define PRODUCT FRONT "{zero, zero, zero, zero}, %1, old, 1, 1" MAJOR ";\n"
#else
#define PRODUCT FRONT "%2, %1, old, 1, 1" MAJORS ";\n"
#endif

__device__ __forceinline__ unsigned long long
describe (unsigned address, int leading, int stride, int swizzle)
{
  const unsigned long long mode = swizzle == 128  ? 1
                                  : swizzle == 64 ? 2
                                  : swizzle == 32 ? 3
                                                  : 0;

  return (address & 0x3ffff) >> 4 | (unsigned long long) (leading >> 4) << 16 |
         (unsigned long long) (stride >> 4) << 32 |
         (unsigned long long) (address >> 7 & 7) << 49 | mode << 62;
}

/* Measures how the tensor cores read their operands.
 *
 * The contents of shared memory do not matter: it is cleared, and then only
 * the operands are read from it. Counts and cycles added by `products` are
 * theirs. On an H200 no layout that a descriptor can express is slower than
 * another, or takes a wavefront more (docs/banks.md). */
extern "C" __global__ void __launch_bounds__ (128)
banks_wgmma_operand (unsigned *__restrict__ out,
                     unsigned *__restrict__ cycles,
                     int swizzle,
                     int leading_a,
                     int stride_a,
                     int leading_b,
                     int stride_b,
                     int offset_a,
                     int offset_b,
                     int products)
{
  extern __shared__ __align__ (1024) unsigned char operands[];
  const unsigned base =
      ((unsigned) __cvta_generic_to_shared (operands) + 1023) & ~1023u;
  const unsigned long long a =
      describe (base + offset_a, leading_a, stride_a, swizzle);
  const unsigned long long b =
      describe (base + 65536 + offset_b, leading_b, stride_b, swizzle);
  long long start, end;
  float sum;

  for (int i = threadIdx.x; i < (65536 + 131072 + 1024) / 16; i += 128)
    ((uint4 *) operands)[i] = make_uint4 (0, 0, 0, 0);
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads ();

  start = clock64 ();
  /* The compiler would drop a product with unused sums. */
  asm volatile("{\n"
               ".reg .f32 d<128>;\n"
               ".reg .b32 left, zero;\n"
               ".reg .pred more, old;\n"
               "mov.b32 zero, 0;\n"
               "mov.b32 left, %3;\n"
               "mov.f32 d0, 0f00000000;\n"
               "wgmma.fence.sync.aligned;\n"
               "setp.eq.s32 more, left, 0;\n"
               "@more bra done;\n"
               "again:\n"
               "setp.ne.s32 old, left, %3;\n" PRODUCT "sub.s32 left, left, 1;\n"
               "setp.ne.s32 more, left, 0;\n"
               "@more bra again;\n"
               "done:\n"
               "wgmma.commit_group.sync.aligned;\n"
               "wgmma.wait_group.sync.aligned 0;\n"
               "mov.f32 %0, d0;\n"
               "}"
               : "=f"(sum)
               : "l"(b), "l"(a), "r"(products)
               : "memory");
  end = clock64 ();
  if (threadIdx.x % 32 == 0)
    cycles[threadIdx.x / 32] = (unsigned) (end - start);
  /* The sum is 0. */
  out[threadIdx.x] = threadIdx.x + (unsigned) sum;
}

/*! cured
 * [Sweep]
 * X=swizzle
 * Y=n
 * swizzle=0,32,64,128
 * n=64,128,256
 * products=256
 *
 * [Claim operands]
 * Text=Operands are a wavefront per 128 bytes: 16 of a and 2 of b, beside the 1544 that clear the memory
 * Metric=shared_wavefronts
 * At=products=1,n=8
 * Low=1562
 * High=1562
 *
 * [Claim swizzle]
 * Text=Without a swizzle they are as many
 * Metric=shared_wavefronts
 * At=products=1,n=8,swizzle=0
 * Low=1562
 * High=1562
 */
