// SPDX-License-Identifier: MIT
// Shared-memory banks: patterns that are no stride.
/*! cured
 * [Kernel]
 * Title=Access patterns in shared memory
 * Summary=A warp reads a permutation, one word, a few words, a row or a column of a tile, over and over
 * Family=banks
 * Step=2
 * Like=banks/stride
 *
 * [Parameter stride]  # none
 * [Parameter width]   # none
 * [Parameter base]    # none
 * [Parameter store]   # none
 *
 * [Parameter pattern]
 * Kind=launch
 * Values=0..6
 * Names=permutation,broadcast,multicast,row,column,swizzle,random
 * Default=0
 * Summary=which words the lanes of a warp read
 *
 * [Parameter padding]
 * Kind=launch
 * Values=0..32
 * Default=0
 * Summary=unused columns of the tile; only rows and columns depend on it
 *
 * [Buffer in]
 * Type=u32
 * Length=2048
 * Fill=uniform
 * Low=0
 * High=4294967295
 *
 * [Buffer order]
 * Type=u32
 * Length=32
 * Fill=permutation
 *
 * [Buffer choice]
 * Type=u32
 * Length=32
 * Fill=uniform
 * Low=0
 * High=1023
 *
 * [Launch]
 * Entry=banks_pattern
 * Grid=blocks
 * Block=threads
 * Arguments=in,order,choice,out,pattern,padding,accesses
 *
 * [Check]
 * Output=out
 * Reference=pattern
 */

/* A tile of 32 rows and up to 64 columns. */
#define WORDS 2048

/* In the order of the parameter's names. */
enum
{
  PERMUTATION,
  BROADCAST,
  MULTICAST,
  ROW,
  COLUMN,
  SWIZZLE,
  RANDOM
};

/* The word of the tile that a lane reads. */
__device__ __forceinline__ unsigned
find_word (const unsigned *order,
           const unsigned *choice,
           int pattern,
           int padding,
           unsigned warp,
           unsigned lane)
{
  const unsigned pitch = 32 + padding;

  switch (pattern)
    {
    case PERMUTATION:
      return warp * 32 + order[lane];
    case BROADCAST:
      return warp;
    case MULTICAST:
      return warp + 5 * (lane / 4);
    case ROW:
      return warp * pitch + lane;
    case COLUMN:
      return lane * pitch + warp;
    case SWIZZLE:
      return lane * 32 + (warp ^ lane);
    default:
      return choice[lane];
    }
}

/* Now: shared memory. The cost depends only on the number of different words
 * that the lanes of a warp need from one bank.
 *
 * Not which lane needs which bank: any permutation costs as much as the
 * identity. Not how many lanes need a word: one for all, or a few for several
 * lanes each, are broadcast in the same wavefront. A column of a tile is the
 * bad case, as all of its words are in one bank. It has two cures: rows that
 * are one word longer, or rows whose elements are permuted, word c of row r at
 * c xor r. Padding by an even number spreads a column over half of the banks,
 * or fewer. And random words conflict by chance: with 32 lanes and 32 banks,
 * some bank has several of them. */
extern "C" __global__ void
banks_pattern (const unsigned *__restrict__ in,
               const unsigned *__restrict__ order,
               const unsigned *__restrict__ choice,
               unsigned *__restrict__ out,
               int pattern,
               int padding,
               int accesses)
{
  __shared__ __align__ (128) unsigned words[WORDS];
  const unsigned lane = threadIdx.x % 32;
  const unsigned warp = threadIdx.x / 32;
  const unsigned address = (unsigned) __cvta_generic_to_shared (
      words + find_word (order, choice, pattern, padding, warp, lane));
  unsigned sum = 0;

  for (unsigned i = threadIdx.x; i < WORDS; i += blockDim.x)
    words[i] = in[i];
  __syncthreads ();

  /* Plain loads of one address would be merged. */
#pragma unroll 16
  for (int i = 0; i < accesses; i++)
    {
      unsigned word;

      asm volatile("ld.volatile.shared.u32 %0, [%1];"
                   : "=r"(word)
                   : "r"(address)
                   : "memory");
      sum += word;
    }
  out[(size_t) blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

/*! cured
 * [Sweep]
 * X=pattern
 * Y=padding
 * pattern=0..6
 * padding=0,1,2,4,8,16
 *
 * [Claim permutation]
 * Text=A permutation of the lanes over the banks has no conflict
 * Metric=excess_wavefronts
 * At=pattern=permutation,threads=64,blocks=1,accesses=32
 * High=0
 *
 * [Claim broadcast]
 * Text=One word for all lanes has no conflict
 * Metric=excess_wavefronts
 * At=pattern=broadcast,threads=64,blocks=1,accesses=32
 * High=0
 *
 * [Claim multicast]
 * Text=Eight words for four lanes each have no conflict
 * Metric=excess_wavefronts
 * At=pattern=multicast,threads=64,blocks=1,accesses=32
 * High=0
 *
 * [Claim row]
 * Text=A row of a tile has no conflict, whatever the padding
 * Metric=excess_wavefronts
 * At=pattern=row,padding=2,threads=64,blocks=1,accesses=32
 * High=0
 *
 * [Claim column]
 * Text=A column of a tile of 32 columns is in one bank: 31 excess wavefronts for each of 64 accesses
 * Question=How many excess wavefronts do 64 accesses to a column of a tile of 32 columns take?
 * Metric=excess_wavefronts
 * At=pattern=column,threads=64,blocks=1,accesses=32
 * Low=1984
 * High=1984
 *
 * [Claim column_padded]
 * Text=With one column more it has no conflict
 * Metric=excess_wavefronts
 * At=pattern=column,padding=1,threads=64,blocks=1,accesses=32
 * High=0
 *
 * [Claim column_even]
 * Text=With a row of 34 words, lanes 16 rows apart share a bank: one excess wavefront per access
 * Question=And with two words of padding per row?
 * Metric=excess_wavefronts
 * At=pattern=column,padding=2,threads=64,blocks=1,accesses=32
 * Low=64
 * High=64
 *
 * [Claim swizzle]
 * Text=A column of a swizzled tile has no conflict, without padding
 * Metric=excess_wavefronts
 * At=pattern=swizzle,threads=64,blocks=1,accesses=32
 * High=0
 *
 * [Claim time_permutation]
 * Text=A permutation takes as long as a row
 * Metric=time
 * At=pattern=permutation,padding=0
 * Against=pattern=row
 * Low=0.93
 * High=1.08
 *
 * [Claim time_column]
 * Text=A column takes 32 wavefronts, a row one. It is less than 32 times as long because the row does not keep the pipe fully busy
 * Question=How many times as long as a row does a column without padding take?
 * Metric=time
 * At=pattern=column,padding=0
 * Against=pattern=row,padding=0
 * Low=20
 * High=33
 *
 * [Claim time_random]
 * Text=Random words take some additional wavefronts
 * Metric=time
 * At=pattern=random,padding=0
 * Against=pattern=row,padding=0
 * Low=1.8
 * High=4
 */
