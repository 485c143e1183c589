// SPDX-License-Identifier: MIT
// Shared-memory banks: 16 of them and half warps, as on the first chips.
/*! cured
 * [Kernel]
 * Title=Bank conflicts of half warps, with 16 and 32 banks
 * Summary=Lane l reads element stride*l of an array in 8, 16 or 32 of the banks, that many lanes at a time
 * Family=banks
 * Step=3
 * Like=banks/stride
 *
 * [Parameter width]  # none
 * [Parameter base]   # none
 * [Parameter store]  # none
 *
 * [Parameter stride]
 * Kind=launch
 * Values=0..64
 * Default=1
 * Summary=elements from one lane to the next
 *
 * [Parameter banks]
 * Kind=compile
 * Values=8,16,32
 * Default=16
 * Summary=banks of the array, and lanes that are served together
 *
 * [Buffer in]
 * Type=u32
 * Length=2048
 * Fill=uniform
 * Low=0
 * High=4294967295
 *
 * [Launch]
 * Entry=banks_half_warp
 * Grid=blocks
 * Block=threads
 * Arguments=in,out,stride,accesses
 */

/* Elements, and the word of the last one when only 8 banks are used. */
#define ELEMENTS 2048
#define WORDS    (ELEMENTS / BANKS * 32)

/* Now: shared memory, of which this emulates an older one. Compute capability 1
 * had 16 banks, and served a warp's halves one after another. Here element e is
 * in word e mod 16 of row e / 16, and rows are 32 words long: elements use
 * 16 of the 32 banks as they did then. The two halves of the warp have an
 * instruction each.
 *
 * Stride s has no conflict exactly if it shares no factor with the number of
 * banks; both numbers are powers of two, so odd strides are conflict-free on
 * both. An even stride s takes as many wavefronts as the greatest common
 * divisor of s and the banks, and half warps pay that twice. `cured banks
 * --arch=1.x --stride=2` draws the same for one access. */
extern "C" __global__ void
banks_half_warp (const unsigned *__restrict__ in,
                 unsigned *__restrict__ out,
                 int stride,
                 int accesses)
{
  __shared__ __align__ (128) unsigned words[WORDS];
  const unsigned lane = threadIdx.x % 32;
  const unsigned element = stride * lane;
  const unsigned address = (unsigned) __cvta_generic_to_shared (
      words + element / BANKS * 32 + element % BANKS);
  unsigned sum = 0;

  for (unsigned i = threadIdx.x; i < WORDS; i += blockDim.x)
    if (i % 32 < BANKS)
      words[i] = in[i / 32 * BANKS + i % 32];
  __syncthreads ();

#pragma unroll 8
  for (int i = 0; i < accesses; i++)
    {
      unsigned word = 0;

      /* One instruction for each group of lanes, which the others skip. */
#pragma unroll
      for (unsigned group = 0; group < 32 / BANKS; group++)
        asm volatile("{\n"
                     "  .reg .pred mine;\n"
                     "  setp.eq.u32 mine, %2, %3;\n"
                     "  @mine ld.volatile.shared.u32 %0, [%1];\n"
                     "}"
                     : "+r"(word)
                     : "r"(address), "r"(lane / BANKS), "r"(group)
                     : "memory");
      sum += word;
    }
  out[(size_t) blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

/*! cured
 * [Sweep]
 * X=stride
 * Y=banks
 * stride=0..17,24,31..33,48,64
 * banks=16,32
 *
 * [Claim two]
 * Text=With 16 banks a stride of 2 takes twice the wavefronts of stride 1: one too many for each of two halves
 * Metric=excess_wavefronts
 * At=banks=16,stride=2,threads=32,blocks=1,accesses=64
 * Low=128
 * High=128
 *
 * [Claim three]
 * Text=A stride of 3 shares no factor with 16 and has no conflict
 * Metric=excess_wavefronts
 * At=banks=16,stride=3,threads=32,blocks=1,accesses=64
 * High=0
 *
 * [Claim sixteen]
 * Text=With 16 banks a stride of 16 has each half warp in one bank: 15 wavefronts too many, twice per access
 * Metric=excess_wavefronts
 * At=banks=16,stride=16,threads=32,blocks=1,accesses=64
 * Low=1920
 * High=1920
 *
 * [Claim sixteen_of_32]
 * Text=With 32 banks a stride of 16 uses two banks: 15 wavefronts too many, once per access
 * Metric=excess_wavefronts
 * At=banks=32,stride=16,threads=32,blocks=1,accesses=64
 * Low=960
 * High=960
 *
 * [Claim time]
 * Text=Half warps pay a conflict twice: a stride of 2 on 16 banks takes twice the time of 32
 * Metric=time
 * At=stride=2,banks=16
 * Against=stride=2,banks=32
 * Low=1.8
 * High=2.15
 */
