// SPDX-License-Identifier: MIT
// Latency of shared memory: each lane follows pointers that lie in it.
/*! cured
 * [Kernel]
 * Title=Latency of shared memory
 * Summary=Each lane follows a ring of pointers in shared memory
 * Family=latency
 * Step=2
 *
 * [Parameter stride]
 * Kind=launch
 * Values=1..32
 * Default=1
 * Summary=words from one lane's pointer to the next lane's
 *
 * [Parameter warps]
 * Kind=launch
 * Values=1..32
 * Default=1
 * Summary=warps of the block, all on the same pointers
 *
 * [Parameter hops]
 * Kind=launch
 * Values=1..8
 * Default=2
 * Summary=pointers of a lane's ring
 *
 * [Parameter steps]
 * Kind=problem
 * Default=256
 * Summary=loads of one measurement
 *
 * [Parameter repeats]
 * Kind=launch
 * Default=8
 * Summary=measurements
 *
 * [Buffer out]
 * Type=i32
 * Length=32*warps
 * Fill=poison
 *
 * [Buffer cycles]
 * Type=u32
 * Length=warps*repeats
 * Fill=poison
 *
 * [Launch]
 * Entry=latency_shared
 * Grid=1
 * Block=32*warps
 * Arguments=out,cycles,stride,hops,steps,repeats
 *
 * [Cycles]
 * Buffer=cycles
 * Per=steps
 *
 * [Check]
 * Output=out
 * Reference=chase
 */

/* A lane's pointers are 32 strides apart, of which the widest is 32 words. */
#define WORDS (8 * 32 * 32)

__device__ __forceinline__ unsigned
follow (unsigned at)
{
  unsigned next;

  asm volatile ("ld.volatile.shared.u32 %0, [%1];"
                : "=r"(next)
                : "r"(at)
                : "memory");
  return next;
}

/* Now: latency, of shared memory. Teaching texts say about 5 cycles; in a
 * chain of dependent loads, each takes more than 20. Other warps can use them.
 *
 * A stride of k puts k lanes' words into one bank, where k is a power of two,
 * and the load takes k wavefronts. For latency they add: a single warp waits
 * less than four times as long for 32 of them as for one. For throughput, in a
 * pipe that many warps have filled, they multiply: each wavefront takes a cycle
 * from all warps. */
extern "C" __global__ void
latency_shared (int *__restrict__ out,
                unsigned *__restrict__ cycles,
                int stride,
                int hops,
                int steps,
                int repeats)
{
  __shared__ unsigned ring[WORDS];
  __shared__ volatile unsigned sink[1024];
  const unsigned base = (unsigned) __cvta_generic_to_shared (ring);
  const unsigned lane = threadIdx.x % 32;
  const unsigned row = 32 * stride * 4;
  const unsigned first = base + lane * stride * 4;
  unsigned at = first;

  if (threadIdx.x < 32)
    for (int h = 0; h < hops; h++)
      ring[(h * 32 + lane) * stride] = first + (h + 1) % hops * row;

  for (int r = 0; r < repeats; r++)
    {
      long long start, end;

      __syncthreads ();
      start = clock64 ();
#pragma unroll 64
      for (int i = 0; i < steps; i++)
        at = follow (at);
      /* The store waits for the last pointer, and the clock for the store. */
      sink[threadIdx.x] = at;
      end = clock64 ();
      if (lane == 0)
        cycles[threadIdx.x / 32 * repeats + r] = (unsigned) (end - start);
    }
  out[threadIdx.x] = (at - first) / row;
}

/*! cured
 * [Sweep]
 * X=warps
 * Y=stride
 * warps=1,2,4,8,16,32
 * stride=1,2,4,8,16,32
 *
 * [Claim latency]
 * Text=A load from shared memory passes the pipe of loads and the crossbar of the banks
 * Question=Shared memory takes 5 cycles, the text says. After how many cycles can a load be used?
 * Metric=cycles
 * At=stride=1,warps=1
 * Low=20
 * High=31
 *
 * [Claim conflict]
 * Text=For one warp, a conflict of all 32 lanes takes less than four times as long
 * Metric=cycles
 * At=stride=32,warps=1
 * Against=stride=1
 * Low=3.2
 * High=4
 *
 * [Claim full]
 * Text=Where 32 warps fill the pipe, it takes some 32 times as long
 * Metric=cycles
 * At=stride=32,warps=32
 * Against=stride=1
 * Low=29
 * High=34
 *
 * [Claim wavefront]
 * Text=A wavefront then takes one cycle
 * Metric=cycles
 * At=stride=32,warps=32
 * Low=980
 * High=1080
 */
