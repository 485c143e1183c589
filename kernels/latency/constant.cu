// SPDX-License-Identifier: MIT
// Latency of constant memory: a warp follows pointers that lie in it.
/*! cured
 * [Kernel]
 * Title=Latency of constant memory
 * Summary=A warp follows a ring of offsets in constant memory
 * Family=latency
 * Step=3
 *
 * [Parameter footprint]
 * Kind=compile
 * Values=1,2,4,8,16,32,64
 * Default=1
 * Summary=KiB of the ring
 *
 * [Parameter stride]
 * Kind=compile
 * Values=4,8,16,32,64,128,256,512,1024
 * Default=64
 * Summary=bytes from one offset to the next
 *
 * [Parameter steps]
 * Kind=problem
 * Default=1024
 * Summary=loads of one measurement
 *
 * [Parameter repeats]
 * Kind=launch
 * Default=8
 * Summary=measurements
 *
 * [Buffer out]
 * Type=i32
 * Length=32
 * Fill=poison
 *
 * [Buffer cycles]
 * Type=u32
 * Length=repeats
 * Fill=poison
 *
 * [Launch]
 * Entry=latency_constant
 * Grid=1
 * Block=32
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

/* The ring is an initializer, since no kernel can write to constant memory:
 * word i has the offset of the word that follows it. */
#define WORD(i)  (((i) * 4 + STRIDE) % (FOOTPRINT * 1024)),
#define W4(i)    WORD (i) WORD (i + 1) WORD (i + 2) WORD (i + 3)
#define W16(i)   W4 (i) W4 (i + 4) W4 (i + 8) W4 (i + 12)
#define W64(i)   W16 (i) W16 (i + 16) W16 (i + 32) W16 (i + 48)
#define W256(i)  W64 (i) W64 (i + 64) W64 (i + 128) W64 (i + 192)
#define W512(i)  W256 (i) W256 (i + 256)
#define W1024(i) W512 (i) W512 (i + 512)
#define W2048(i) W1024 (i) W1024 (i + 1024)
#define W4096(i) W2048 (i) W2048 (i + 2048)
#define W8192(i) W4096 (i) W4096 (i + 4096)

__constant__ unsigned ring[FOOTPRINT * 256] = {
#if FOOTPRINT == 1
  W256 (0)
#elif FOOTPRINT == 2
  W512 (0)
#elif FOOTPRINT == 4
  W1024 (0)
#elif FOOTPRINT == 8
  W2048 (0)
#elif FOOTPRINT == 16
  W4096 (0)
#elif FOOTPRINT == 32
  W8192 (0)
#else
  W8192 (0) W8192 (8192)
#endif
};

/* Measures the constant caches. Teaching texts say about 5 cycles, cached. All
 * lanes read one word, the best case of this memory; still, a load whose
 * address comes from another load waits more than 20 cycles for the small cache
 * of the multiprocessor, and past its end three to four times as long for the
 * next one.
 *
 * The heat map's step is the end of the first cache. Upwards, the stride grows:
 * up to a line, fewer of its words are used, and there are more waits; past it,
 * a ring has fewer lines, and a wide one fits again. */
extern "C" __global__ void
latency_constant (int *__restrict__ out,
                  unsigned *__restrict__ cycles,
                  int steps,
                  int repeats)
{
  __shared__ volatile unsigned sink[32];
  unsigned at = 0;

  for (int r = 0; r < repeats; r++)
    {
      long long start, end;

      start = clock64 ();
#pragma unroll 64
      for (int i = 0; i < steps; i++)
        at = *(const unsigned *) ((const char *) ring + at);
      /* The store waits for the last offset, and the clock for the store. */
      sink[threadIdx.x] = at;
      end = clock64 ();
      if (threadIdx.x == 0)
        cycles[r] = (unsigned) (end - start);
    }
  out[threadIdx.x] = at / STRIDE;
}

/*! cured
 * [Sweep]
 * X=footprint
 * Y=stride
 * footprint=1,2,4,8,16,32,64
 * stride=16,64,256,1024
 *
 * [Claim near]
 * Text=Where the ring fits into the first cache, a load takes more than 20 cycles, not 5
 * Metric=cycles
 * At=footprint=1,stride=64
 * Low=20
 * High=32
 *
 * [Claim far]
 * Text=Where it does not fit, three to four times that
 * Metric=cycles
 * At=footprint=16,stride=64
 * Against=footprint=1
 * Low=3
 * High=4
 *
 * [Claim lines]
 * Text=Words that share a line with three others wait for one in four
 * Metric=cycles
 * At=footprint=16,stride=16
 * Against=stride=64
 * Low=0.42
 * High=0.52
 */
