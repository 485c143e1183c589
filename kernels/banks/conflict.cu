// SPDX-License-Identifier: MIT
// Shared-memory banks: the cycles that a conflict costs.
/*! cured
 * [Kernel]
 * Title=Cost of a bank conflict
 * Summary=A given number of lanes conflict in a bank; the kernel reads the clock before and after
 * Family=banks
 * Step=4
 *
 * [Parameter ways]
 * Kind=launch
 * Values=1..32
 * Default=1
 * Summary=lanes that want different words of one bank
 *
 * [Parameter warps]
 * Kind=launch
 * Values=1..32
 * Default=32
 * Summary=warps per block, all of which do the same
 *
 * [Parameter chain]
 * Kind=compile
 * Values=0,1
 * Names=free,chained
 * Default=0
 * Summary=whether an access depends on the one before it
 *
 * [Parameter blocks]
 * Kind=launch
 * Default=132
 * Summary=blocks in the grid
 *
 * [Parameter accesses]
 * Kind=problem
 * Default=1024
 * Summary=accesses per thread
 *
 * [Buffer out]
 * Type=u32
 * Length=blocks*warps*32
 * Fill=poison
 *
 * [Buffer cycles]
 * Type=u32
 * Length=blocks*warps
 * Fill=poison
 *
 * [Launch]
 * Entry=banks_conflict
 * Grid=blocks
 * Block=warps*32
 * Arguments=out,cycles,ways,accesses
 *
 * [Check]
 * Output=out
 * Reference=conflict
 *
 * [Cycles]
 * Buffer=cycles
 * Per=accesses*warps
 */

/* Now: shared memory, one wavefront per cycle.
 *
 * Lane l reads word l mod k of bank l / k, so k lanes share a bank. Each warp
 * counts the cycles from its first access to its last; the metric `cycles` is
 * the cost of one warp's access to its multiprocessor. With many warps that is
 * throughput: expect k cycles for k ways. One warp alone gets a wavefront every
 * two cycles at best. Following a chain of addresses, each read from where the
 * last one pointed, it is latency: expect some twenty cycles without a
 * conflict, and two more per further way. */
extern "C" __global__ void
banks_conflict (unsigned *__restrict__ out,
                unsigned *__restrict__ cycles,
                int ways,
                int accesses)
{
  /* Each word holds its own address. */
  __shared__ __align__ (128) unsigned words[1024];
  const unsigned base = (unsigned) __cvta_generic_to_shared (words);
  const unsigned lane = threadIdx.x % 32;
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned address = base + 4 * (lane % ways * 32 + lane / ways);
  unsigned sum = 0;
  long long start, end;

  for (unsigned w = threadIdx.x; w < 1024; w += blockDim.x)
    words[w] = base + 4 * w;
  __syncthreads ();

  start = clock64 ();
#pragma unroll 16
  for (int a = 0; a < accesses; a++)
    {
      unsigned word;

      asm volatile("ld.volatile.shared.u32 %0, [%1];"
                   : "=r"(word)
                   : "r"(address)
                   : "memory");
      sum += word - base;
#if CHAIN
      address = word;
#endif
    }
  end = clock64 ();
  out[i] = sum / 4;
  if (lane == 0)
    cycles[i / 32] = (unsigned) (end - start);
}

/*! cured
 * [Sweep]
 * X=ways
 * Y=warps
 * ways=1,2,4,8,12,16,24,32
 * warps=1,8,32
 * chain=0,1
 *
 * [Claim degree]
 * Text=An access of k ways takes k wavefronts: seven more than one for each of 64 accesses
 * Metric=excess_wavefronts
 * At=ways=8,warps=1,blocks=1,accesses=64
 * Low=448
 * High=448
 *
 * [Claim throughput]
 * Text=With 32 warps the pipe is full, and each wavefront takes a cycle from all of them
 * Question=With 32 warps, how many times as many cycles does a 32-way conflict take as none?
 * Metric=cycles
 * At=ways=32,warps=32,chain=0
 * Against=ways=1
 * Low=29
 * High=35
 *
 * [Claim latency]
 * Text=One warp waits some twenty cycles for a word
 * Metric=cycles
 * At=ways=1,warps=1,chain=1
 * Low=18
 * High=30
 *
 * [Claim latency_ways]
 * Text=One warp waits for the latency in any case, 24 cycles, and two cycles more for each further way
 * Question=And with one warp that waits for each word?
 * Metric=cycles
 * At=ways=32,warps=1,chain=1
 * Against=ways=1
 * Low=3.2
 * High=4.1
 *
 * [Claim alone]
 * Text=One warp alone takes about two cycles where many take one
 * Metric=cycles
 * At=ways=32,warps=1,chain=0
 * Against=ways=32,warps=32,chain=0
 * Low=1.8
 * High=2.3
 */
