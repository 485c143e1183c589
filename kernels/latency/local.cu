// SPDX-License-Identifier: MIT
// Latency of local memory: each thread follows indices in an array of its own.
/*! cured
 * [Kernel]
 * Title=Latency of local memory
 * Summary=Each thread follows a ring of indices in an array of its own
 * Family=latency
 * Step=5
 *
 * [Parameter hops]
 * Kind=compile
 * Values=1..1024
 * Default=8
 * Summary=elements of a thread's ring
 *
 * [Parameter warps]
 * Kind=launch
 * Values=1..32
 * Default=1
 * Summary=warps of the block
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
 * Entry=latency_local
 * Grid=1
 * Block=32*warps
 * Arguments=out,cycles,steps,repeats
 *
 * [Cycles]
 * Buffer=cycles
 * Per=steps
 *
 * [Check]
 * Output=out
 * Reference=chase
 */

/* Measures L1, and the levels behind it. Local memory is a thread's own part
 * of global memory; despite its name it is as far away as any other cached
 * data. It holds arrays with an index that is unknown at compile time, and
 * spilled registers.
 *
 * The words of a warp's lanes are adjacent, so a load of one element by all
 * lanes is four sectors. Expect a small ring to stay in L1, and the rings of
 * 32 warps to leave it as they grow. (A ring of one element takes no time: its
 * index is always 0, and ptxas drops the loads.) */
extern "C" __global__ void
latency_local (int *__restrict__ out,
               unsigned *__restrict__ cycles,
               int steps,
               int repeats)
{
  __shared__ volatile unsigned sink[1024];
  volatile unsigned ring[HOPS];
  unsigned at = 0;

  for (unsigned h = 0; h < HOPS; h++)
    ring[h] = (h + 1) % HOPS;
  for (int r = 0; r < repeats; r++)
    {
      long long start, end;

      __syncthreads ();
      start = clock64 ();
#pragma unroll 16
      for (int i = 0; i < steps; i++)
        at = ring[at];
      /* The store waits for the last index, and the clock for the store. */
      sink[threadIdx.x] = at;
      end = clock64 ();
      if (threadIdx.x % 32 == 0)
        cycles[threadIdx.x / 32 * repeats + r] = (unsigned) (end - start);
    }
  out[threadIdx.x] = at;
}

/*! cured
 * [Sweep]
 * X=hops
 * Y=warps
 * hops=1,8,64,256,1024
 * warps=1,8,32
 *
 * [Claim bytes]
 * Text=The array is in local memory: 4 bytes for each element, of each thread
 * Metric=local_bytes
 * At=hops=1024
 * Low=4096
 * High=4112
 */
