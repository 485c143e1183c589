// SPDX-License-Identifier: MIT
// Latency of global memory and its caches: a thread follows pointers.
/*! cured
 * [Kernel]
 * Title=Latency of global memory and its caches
 * Summary=One thread follows a ring of pointers that are a stride apart
 * Family=latency
 * Step=4
 * Like=latency/shared
 *
 * [Parameter warps]  # none
 * [Parameter hops]   # none
 *
 * [Parameter footprint]
 * Kind=problem
 * Default=1024
 * Summary=KiB of the ring
 *
 * [Parameter stride]
 * Kind=launch
 * Values=2^3..2^21
 * Default=128
 * Summary=bytes from one pointer to the next
 *
 * [Parameter cache]
 * Kind=compile
 * Values=0,1
 * Names=all,l2
 * Default=0
 * Summary=loads through all caches, or past the first one
 *
 * [Require ring]
 * If=footprint * 1024 >= stride
 * Reason=not one stride fits into the footprint
 *
 * [Buffer ring]
 * Type=f64
 * Length=footprint*128
 * Fill=poison
 *
 * [Buffer out]
 * Type=i32
 * Length=1
 * Fill=poison
 *
 * [Buffer cycles]
 * Type=u32
 * Length=repeats
 * Fill=poison
 *
 * [Launch 1]
 * Entry=latency_global_link
 * Grid=max(1,min(1024,ceil(footprint*1024/stride/256)))
 * Block=256
 * Arguments=ring,floor(footprint*1024/stride),stride/8
 *
 * [Launch 2]
 * Entry=latency_global
 * Grid=1
 * Block=1024
 * Arguments=ring,out,cycles,floor(footprint*1024/stride),stride/8,steps,repeats
 */

typedef unsigned long long Pointer;

__device__ __forceinline__ Pointer
follow (Pointer at)
{
  Pointer next;

#if CACHE == 0
  asm volatile ("ld.global.u64 %0, [%1];" : "=l"(next) : "l"(at) : "memory");
#else
  asm volatile ("ld.global.cg.u64 %0, [%1];" : "=l"(next) : "l"(at) : "memory");
#endif
  return next;
}

/* A pointer has a sector of 32 bytes to itself, and fills all of it: a
 * partially written sector would have to be completed from memory. */
extern "C" __global__ void
latency_global_link (Pointer *ring, int hops, int step)
{
  const int copies = step < 4 ? 1 : 4;

  for (int h = blockIdx.x * blockDim.x + threadIdx.x; h < hops;
       h += gridDim.x * blockDim.x)
    {
      const long long next = (long long) (h + 1 < hops ? h + 1 : 0) * step;

      for (int k = 0; k < copies; k++)
        ring[(long long) h * step + k] =
            (Pointer) __cvta_generic_to_global (ring + next);
    }
}

/* Measures latency: one load at a time, each with the address of the next.
 * Teaching texts say about 500 cycles for global memory. It is three numbers:
 * some 30 cycles while the ring fits L1, some 280 while it fits L2, some 670
 * from memory. At a stride of 32 bytes it is 457 to 476, since memory fills 64
 * bytes: each second sector is there already.
 *
 * The map's second step, to memory, is where the ring outgrows L2. The first
 * one is not the end of L1: a run writes the ring, which leaves it in L2, and
 * then follows 2,048 pointers. Where the ring has 1,024 of them or more, at
 * least half of the loads are the first of their pointer.
 *
 * Upwards, the stride grows: four pointers per line; one; one per several
 * lines, so that a ring of few pointers fits the caches whatever its footprint;
 * and one per page of 2 MiB. Pages cost nothing yet at 16,384 of them, eight
 * times as many as in the column before. */
extern "C" __global__ void
latency_global (Pointer *ring,
                int *__restrict__ out,
                unsigned *__restrict__ cycles,
                int hops,
                int step,
                int steps,
                int repeats)
{
  __shared__ volatile Pointer sink;
  const Pointer first = (Pointer) __cvta_generic_to_global (ring);
  Pointer at = first;

  if (threadIdx.x != 0)
    return;

  for (int r = 0; r < repeats; r++)
    {
      long long start, end;

      start = clock64 ();
#pragma unroll 16
      for (int i = 0; i < steps; i++)
        at = follow (at);
      /* The store waits for the last pointer, and the clock for the store. */
      sink = at;
      end = clock64 ();
      cycles[r] = (unsigned) (end - start);
    }
  out[0] = (int) ((at - first) / 8 / step);
}

/*! cured
 * [Sweep]
 * X=footprint
 * Y=stride
 * footprint=16,64,128,256,1024,16384,32768,65536,262144,1048576,4194304,33554432
 * stride=32,128,65536,2097152
 *
 * [Claim first]
 * Text=In L1 a load takes some 30 cycles
 * Metric=cycles
 * At=footprint=64,stride=128
 * Low=28
 * High=37
 *
 * [Claim second]
 * Text=In L2, some 280 cycles
 * Metric=cycles
 * At=footprint=16384,stride=128
 * Low=230
 * High=330
 *
 * [Claim memory]
 * Text=A load from memory passes L1 and L2 first
 * Question=Global memory takes 500 cycles, the text says. After how many cycles can a load from memory be used, at a stride of 128 bytes?
 * Metric=cycles
 * At=footprint=1048576,stride=128
 * Low=590
 * High=800
 *
 * [Claim fills]
 * Text=Memory fills 64 bytes at a time: at a stride of 32 bytes every second sector is there already
 * Metric=cycles
 * At=footprint=1048576,stride=32
 * Against=stride=128
 * Low=0.6
 * High=0.8
 *
 * [Claim few-pointers]
 * Text=A ring of few pointers stays in L1, however far apart they are
 * Metric=cycles
 * At=footprint=1048576,stride=2097152
 * Against=footprint=64,stride=128
 * Low=0.95
 * High=1.05
 *
 * [Claim pages]
 * Text=A ring over 16,384 pages of 2 MiB takes no longer than one over 2,048
 * Metric=cycles
 * At=footprint=33554432,stride=2097152
 * Against=footprint=4194304
 * Low=0.85
 * High=1.2
 */
