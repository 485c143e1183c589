// SPDX-License-Identifier: MIT
// What “cured measure-machine” runs: one small loop for each resource of a chip.
/*! cured
 * [Kernel]
 * Title=Probes of a chip's resources
 * Summary=One resource is kept busy, or waited for, and nothing else
 *
 * [Parameter probe]
 * Kind=compile
 * Values=0..18
 * Names=issue,fp32,imad,alu,half,fp64,mufu,shuffle,shared,shared-wide,constant,constant-words,lines,l2-lines,chase,chase-l2,stream-read,stream-write,stream-copy
 * Default=1
 * Summary=the resource
 *
 * [Parameter atomics]
 * Kind=compile
 * Values=0..2
 * Names=none,same,any
 * Default=0
 * Summary=atomic additions take the place of the probe: to one word, or to many
 *
 * [Parameter warps]
 * Kind=launch
 * Values=1..32
 * Default=1
 * Summary=warps per block
 *
 * [Parameter blocks]
 * Kind=launch
 * Default=1
 * Summary=blocks in the grid
 *
 * [Parameter footprint]
 * Kind=problem
 * Default=64
 * Summary=KiB of global memory that is used
 *
 * [Parameter stride]
 * Kind=launch
 * Values=0,2^3..2^21
 * Default=0
 * Summary=bytes from one pointer to the next; 0: the memory holds no pointers
 *
 * [Parameter steps]
 * Kind=problem
 * Default=1024
 * Summary=how often a thread does it; 0: the kernel returns at once
 *
 * [Parameter launches]
 * Kind=launch
 * Values=1..512
 * Default=1
 * Summary=how often the kernel is launched
 *
 * [Parameter copy]
 * Kind=launch
 * Values=0..4
 * Names=none,to-device,to-host,pageable-to-device,pageable-to-host
 * Default=0
 * Summary=the host copies the memory, and no kernel runs
 *
 * [Buffer data]
 * Type=u32
 * Length=footprint*256
 * Fill=poison
 *
 * [Buffer out]
 * Type=u32
 * Length=1024
 * Fill=poison
 *
 * [Buffer cycles]
 * Type=u32
 * Length=warps*min(blocks,1024)
 * Fill=poison
 *
 * [Launch 1]
 * Entry=machine_link
 * Grid=256
 * Block=256
 * Arguments=data,stride > 0 ? floor(footprint*1024/max(stride,1)) : 0,floor(stride/8)
 * Repeat=stride > 0 ? 1 : 0
 *
 * [Launch 2]
 * Entry=machine_probe
 * Grid=blocks
 * Block=32*warps
 * Arguments=data,out,cycles,footprint*64:i64,steps,stride > 0 && footprint <= 16384 ? floor(footprint*1024/max(stride,1)) : 0,0,1
 * Repeat=copy > 0 ? 0 : launches
 *
 * [Launch 3]
 * Host=send
 * To=data
 * Repeat=copy == 1 ? launches : 0
 *
 * [Launch 4]
 * Host=fetch
 * From=data
 * Repeat=copy == 2 ? launches : 0
 *
 * [Launch 5]
 * Host=send-pageable
 * To=data
 * Repeat=copy == 3 ? launches : 0
 *
 * [Launch 6]
 * Host=fetch-pageable
 * From=data
 * Repeat=copy == 4 ? launches : 0
 *
 * [Cycles]
 * Buffer=cycles
 * Per=max(1,steps)
 */

typedef unsigned long long Pointer;

/* A pointer has its sector of 32 bytes to itself, and is written to all of it:
 * one that was written in part would have to be completed from memory. */
extern "C" __global__ void
machine_link (unsigned *data, int hops, int step)
{
  Pointer *ring = (Pointer *) data;
  const int copies = step < 4 ? 1 : 4;

  for (int h = blockIdx.x * blockDim.x + threadIdx.x; h < hops;
       h += gridDim.x * blockDim.x)
    for (int k = 0; k < copies; k++)
      ring[(long long) h * step + k] = (Pointer) __cvta_generic_to_global (
          ring + (long long) (h + 1 < hops ? h + 1 : 0) * step);
}

/* Steps between two looks at the loop's counter: many, so that the counter
 * costs next to nothing, and few enough for the instruction cache. */
#define UNROLL 128

typedef uint4 Wide;

/* Accesses of a thread that are under way at a time. */
#define BATCH 4

#define W4(i)    i, i + 1, i + 2, i + 3
#define W16(i)   W4 (i), W4 (i + 4), W4 (i + 8), W4 (i + 12)
#define NEXT4(i) 4 * (i) + 4, 4 * (i) + 8, 4 * (i) + 12, (4 * (i) + 16) % 256
#define NEXT16(i)                                                              \
  NEXT4 (i), NEXT4 (i + 4), NEXT4 (i + 8), NEXT4 (i + 12)

/* Word i has the offset of word i + 1. */
__constant__ unsigned ring[64] = { NEXT16 (0), NEXT16 (16), NEXT16 (32),
                                   NEXT16 (48) };

#if PROBE == 5
typedef double Value;
#elif PROBE == 0 || PROBE == 1 || PROBE == 6
typedef float Value;
#else
typedef unsigned Value;
#endif

/* Each result is the next operand. Multiply-adds at full rate have no other: two
 * registers of one bank would halve it. Of the others the compiler does not know
 * that they change nothing: zero and one are arguments. */
__device__ __forceinline__ void
apply (Value &x, unsigned &y, Value zero, Value one, unsigned amount)
{
#if PROBE == 0
  asm volatile ("fma.rn.f32 %0, %0, %0, %0;" : "+f"(x));
  asm volatile ("shf.l.wrap.b32 %0, %0, %0, %1;" : "+r"(y) : "r"(amount));
#elif PROBE == 1
  asm volatile ("fma.rn.f32 %0, %0, %0, %0;" : "+f"(x));
#elif PROBE == 2
  asm volatile ("mad.lo.s32 %0, %0, %2, %1;" : "+r"(x) : "r"(zero), "r"(one));
#elif PROBE == 3
  asm volatile ("shf.l.wrap.b32 %0, %0, %0, %1;" : "+r"(x) : "r"(amount));
#elif PROBE == 4
  asm volatile ("fma.rn.f16x2 %0, %0, %0, %0;" : "+r"(x));
#elif PROBE == 5
  asm volatile ("fma.rn.f64 %0, %0, %0, %0;" : "+d"(x));
#elif PROBE == 6
  asm volatile ("ex2.approx.ftz.f32 %0, %0;" : "+f"(x));
#elif PROBE == 7
  x = __shfl_xor_sync (0xFFFFFFFF, x, amount);
#elif PROBE == 8
  asm volatile ("ld.volatile.shared.u32 %0, [%0];" : "+r"(x) : : "memory");
#elif PROBE == 10
  x = *(const unsigned *) ((const char *) ring + x);
#endif
}

/* A load past the first cache, or not. */
__device__ __forceinline__ unsigned
load_wide (const Wide *from)
{
  Wide v;

#if PROBE == 12
  asm volatile ("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                : "l"(from));
#else
  asm volatile ("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
                : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                : "l"(from));
#endif
  return v.x + v.y + v.z + v.w;
}

extern "C" __global__ void __launch_bounds__ (1024)
machine_probe (unsigned *__restrict__ data,
               unsigned *__restrict__ out,
               unsigned *__restrict__ cycles,
               long long n,
               int steps,
               int warm,
               int zero,
               int one)
{
  const long long thread = (long long) blockIdx.x * blockDim.x + threadIdx.x;
  const long long threads = (long long) gridDim.x * blockDim.x;
  unsigned sum = 0;

  if (steps == 0)
    return;

#if ATOMICS != 0
  /* One lane of a warp, since lanes that hit one word might be joined on their
   * way; or all lanes, each a sector of its own, all over the memory. */
#if ATOMICS == 1
  unsigned *word = data + (threadIdx.x / 32) * zero;

  if (threadIdx.x % 32 == 0)
    for (int i = 0; i < steps; i++)
      asm volatile ("red.global.add.u32 [%0], %1;" : : "l"(word), "r"(one));
#else
  unsigned at = (unsigned) thread * 2654435761u;

  for (int i = 0; i < steps; i++, at = at * 1664525u + 1013904223u)
    asm volatile ("red.global.add.u32 [%0], %1;"
                  :
                  : "l"(data + (long long) (at >> 8) % (n / 2) * 8),
                    "r"(one)
                  : "memory");
#endif

#elif PROBE >= 16
  /* `steps` passes over all of the memory, by all threads; a copy is from its
   * first half to its second. */
  Wide *wide = (Wide *) data;
  const long long end = PROBE == 18 ? n / 2 : n;

  for (int pass = 0; pass < steps; pass++)
    for (long long i = thread; i < end; i += BATCH * threads)
      {
        Wide v[BATCH];

#pragma unroll
        for (int b = 0; b < BATCH; b++)
          if (i + b * threads < end)
            {
              const Wide *from = wide + i + b * threads;

#if PROBE == 16
              sum += load_wide (from);
#elif PROBE == 18
              asm volatile ("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
                            : "=r"(v[b].x), "=r"(v[b].y), "=r"(v[b].z),
                              "=r"(v[b].w)
                            : "l"(from));
#else
              v[b] = make_uint4 (pass, pass, pass, pass);
#endif
            }
#if PROBE != 16
#pragma unroll
        for (int b = 0; b < BATCH; b++)
          if (i + b * threads < end)
            {
              Wide *to = wide + i + b * threads + (PROBE == 18 ? end : 0);

              asm volatile ("st.global.v4.u32 [%0], {%1, %2, %3, %4};"
                            :
                            : "l"(to), "r"(v[b].x), "r"(v[b].y), "r"(v[b].z),
                              "r"(v[b].w)
                            : "memory");
            }
#endif
      }

#else
  __shared__ __align__ (16) volatile unsigned sink[4096];
  const unsigned base = (unsigned) __cvta_generic_to_shared ((void *) sink);
  long long start;

  /* A lane's pointer in shared memory leads to itself. */
  for (int i = threadIdx.x; i < 4096; i += blockDim.x)
    sink[i] = base + 4 * i;
  __syncthreads ();
  start = clock64 ();

#if PROBE <= 8 || PROBE == 10
  const Value a = (Value) zero;
  const Value b = (Value) one;
  unsigned y = threadIdx.x;
#if PROBE == 8
  Value x = base + 4 * threadIdx.x;
#elif PROBE == 10
  /* The compiler must not find that all lanes have one. */
  Value x = 4 * zero * threadIdx.x;
#else
  Value x = (Value) threadIdx.x;
#endif

#pragma unroll 1
  for (int i = 0; i < steps; i += UNROLL)
#pragma unroll
    for (int k = 0; k < UNROLL; k++)
      apply (x, y, a, b, zero);
  sum = (unsigned) x + y;

#elif PROBE == 9
  const unsigned from = base + 16 * (threadIdx.x % 256);

#pragma unroll 1
  for (int i = 0; i < steps; i += UNROLL)
#pragma unroll
    for (int k = 0; k < UNROLL; k++)
      {
        Wide v;

        asm volatile ("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                      : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                      : "r"(from));
        sum += v.x;
      }

#elif PROBE == 11
  unsigned at = threadIdx.x % 32;

#pragma unroll 1
  for (int i = 0; i < steps; i += UNROLL)
#pragma unroll
    for (int k = 0; k < UNROLL; k++, at += zero)
      sum += ring[at];

#elif PROBE == 12 || PROBE == 13
  /* The steps are spread over the memory, a batch after the other; the block
   * begins anew at its end. */
  const Wide *wide = (const Wide *) data;
  long long i = threadIdx.x;

#pragma unroll 1
  for (int k = 0; k < steps; k += BATCH)
    {
#pragma unroll
      for (int b = 0; b < BATCH; b++)
        sum += load_wide (wide + i + b * blockDim.x);
      i += BATCH * blockDim.x;
      if (i >= n)
        i = threadIdx.x;
    }

#else
  Pointer at = (Pointer) __cvta_generic_to_global (data);

  /* Once around before the clock runs: what another multiprocessor wrote comes
   * from its side of the L2 cache the first time, and nothing is in L1 yet. */
  if (threadIdx.x == 0)
    for (int i = 0; i < warm; i++)
#if PROBE == 14
      asm volatile ("ld.global.u64 %0, [%0];" : "+l"(at) : : "memory");
#else
      asm volatile ("ld.global.cg.u64 %0, [%0];" : "+l"(at) : : "memory");
#endif
  start = clock64 ();
  if (threadIdx.x == 0)
#pragma unroll 16
    for (int i = 0; i < steps; i++)
      {
#if PROBE == 14
        asm volatile ("ld.global.u64 %0, [%0];" : "+l"(at) : : "memory");
#else
        asm volatile ("ld.global.cg.u64 %0, [%0];" : "+l"(at) : : "memory");
#endif
      }
  sum = (unsigned) at;
#endif

  /* The store waits for the last result, and the clock for the store. A block
   * is done when its last warp is. */
  sink[threadIdx.x] = sum;
  __syncthreads ();
  if (threadIdx.x % 32 == 0 && blockIdx.x < 1024)
    cycles[blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32] =
        (unsigned) (clock64 () - start);
#endif
  if (sum == (unsigned) one)
    out[thread % 1024] = sum;
}
