// SPDX-License-Identifier: MIT
// Shared-memory banks: what a stride between the lanes costs.
/*! cured
 * [Kernel]
 * Title=Strided accesses to shared memory
 * Summary=Lane l of each warp reads or writes shared[base + stride*l], over and over
 * Family=banks
 * Step=1
 *
 * [Parameter stride]
 * Kind=launch
 * Values=0..64
 * Default=1
 * Summary=elements from one lane to the next
 *
 * [Parameter width]
 * Kind=compile
 * Values=4,8,16
 * Default=4
 * Summary=bytes per element
 *
 * [Parameter base]
 * Kind=launch
 * Values=0..63
 * Default=0
 * Summary=element of lane 0
 *
 * [Parameter store]
 * Kind=compile
 * Values=0,1
 * Default=0
 * Summary=0 loads, 1 stores
 *
 * [Parameter threads]
 * Kind=launch
 * Values=32..1024:32
 * Default=256
 * Summary=threads per block, whole warps
 *
 * [Parameter blocks]
 * Kind=launch
 * Default=264
 * Summary=blocks in the grid
 *
 * [Parameter accesses]
 * Kind=problem
 * Default=4096
 * Summary=accesses per thread
 *
 * [Buffer in]
 * Type=u32
 * Length=512*width
 * Fill=uniform
 * Low=0
 * High=4294967295
 *
 * [Buffer out]
 * Type=u32
 * Length=blocks*threads
 * Fill=poison
 *
 * [Launch]
 * Entry=banks_stride
 * Grid=blocks
 * Block=threads
 * Arguments=in,out,stride,base,accesses
 *
 * [Check]
 * Output=out
 * Reference=stride
 */

/* The last lane of the widest stride, from the highest base: 63 + 64 * 31. */
#define ELEMENTS 2048
#define WORDS    (WIDTH / 4)

/* One access of WIDTH bytes. Plain loads would be merged, or dropped as
 * repeated: only volatile ones are all made, and only as one instruction are
 * 8 or 16 bytes one access. */
__device__ __forceinline__ unsigned
load (unsigned address)
{
#if WORDS == 1
  unsigned w0;

  asm volatile("ld.volatile.shared.u32 %0, [%1];"
               : "=r"(w0)
               : "r"(address)
               : "memory");
  return w0;
#elif WORDS == 2
  unsigned w0, w1;

  asm volatile("ld.volatile.shared.v2.u32 {%0, %1}, [%2];"
               : "=r"(w0), "=r"(w1)
               : "r"(address)
               : "memory");
  return w0 + w1;
#else
  unsigned w0, w1, w2, w3;

  asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(w0), "=r"(w1), "=r"(w2), "=r"(w3)
               : "r"(address)
               : "memory");
  return w0 + w1 + w2 + w3;
#endif
}

__device__ __forceinline__ void
store (unsigned address, const unsigned *w)
{
#if WORDS == 1
  asm volatile("st.volatile.shared.u32 [%0], %1;"
               :
               : "r"(address), "r"(w[0])
               : "memory");
#elif WORDS == 2
  asm volatile("st.volatile.shared.v2.u32 [%0], {%1, %2};"
               :
               : "r"(address), "r"(w[0]), "r"(w[1])
               : "memory");
#else
  asm volatile("st.volatile.shared.v4.u32 [%0], {%1, %2, %3, %4};"
               :
               : "r"(address), "r"(w[0]), "r"(w[1]), "r"(w[2]), "r"(w[3])
               : "memory");
#endif
}

/* Now: shared memory. It serves one word of each of the 32 banks at a time;
 * lanes that need different words of one bank wait for each other.
 *
 * With 4-byte elements, a stride that shares no factor with 32 accesses each
 * bank once, and costs as much as stride 1; one with gcd(stride, 32) = k takes
 * k wavefronts; stride 0 is one word for all, broadcast to every lane. Elements
 * of 8 and 16 bytes take two and four wavefronts anyway, and are served by half
 * and quarter warps: expect their conflicts at other strides.
 *
 * The time is that of `accesses` such accesses of every warp; the blocks keep
 * the shared memory of every multiprocessor busy. */
extern "C" __global__ void
banks_stride (const unsigned *__restrict__ in,
              unsigned *__restrict__ out,
              int stride,
              int base,
              int accesses)
{
  __shared__ __align__ (128) unsigned words[ELEMENTS * WORDS];
  const unsigned lane = threadIdx.x % 32;
  const unsigned first = (base + stride * lane) * WORDS;
  const unsigned address = (unsigned) __cvta_generic_to_shared (words + first);
  unsigned sum = 0;

  for (unsigned i = threadIdx.x; i < ELEMENTS * WORDS; i += blockDim.x)
    words[i] = in[i];
  __syncthreads ();

#if STORE
  /* Lanes and warps that share an element write the same to it. */
  unsigned next[WORDS];

  for (int w = 0; w < WORDS; w++)
    next[w] = words[first + w] + 1;
  __syncthreads ();
#pragma unroll 16
  for (int i = 0; i < accesses; i++)
    store (address, next);
  __syncthreads ();
  sum = load (address);
#else
#pragma unroll 16
  for (int i = 0; i < accesses; i++)
    sum += load (address);
#endif
  out[(size_t) blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

/*! cured
 * [Sweep]
 * X=stride
 * Y=width
 * stride=0..64
 * width=4,8,16
 * store=0,1
 *
 * [Claim odd]
 * Text=A stride that shares no factor with 32 has no conflict
 * Metric=excess_wavefronts
 * At=stride=33,width=4,threads=32,blocks=1,accesses=16
 * High=0
 *
 * [Claim eight]
 * Text=A stride of 8 takes gcd(8, 32) = 8 wavefronts per access: seven more than one, for each of 16 accesses
 * Question=How many excess wavefronts do 16 accesses with a stride of 8 take?
 * Metric=excess_wavefronts
 * At=stride=8,width=4,threads=32,blocks=1,accesses=16
 * Low=112
 * High=112
 *
 * [Claim store]
 * Text=A stride of 8 is as bad for stores as for loads
 * Metric=excess_wavefronts
 * At=stride=8,width=4,store=1,threads=32,blocks=1,accesses=16
 * Against=store=0
 * Low=1
 * High=1.2
 *
 * [Claim zero]
 * Text=One word for all lanes has no conflict
 * Metric=excess_wavefronts
 * At=stride=0,width=4,threads=32,blocks=1,accesses=16
 * High=0
 *
 * [Claim wide]
 * Text=Adjacent elements of 16 bytes take four wavefronts and have no conflict
 * Metric=excess_wavefronts
 * At=stride=1,width=16,threads=32,blocks=1,accesses=16
 * High=0
 *
 * [Claim wide_two]
 * Text=Every second element of 8 bytes is already a conflict, where half warps would take one wavefront each
 * Metric=excess_wavefronts
 * At=stride=2,width=8,threads=32,blocks=1,accesses=16
 * Low=32
 * High=32
 *
 * [Claim time]
 * Text=All 32 lanes access one bank. It is less than 32 times as long only because stride 1 keeps the pipe 85.5 % busy, not 100 %
 * Question=How many times as long as a stride of 1 does a stride of 32 take?
 * Metric=time
 * At=stride=32,width=4
 * Against=stride=1
 * Low=20
 * High=33
 *
 * [Claim time_odd]
 * Text=31 shares no factor with 32: every lane has a bank of its own
 * Question=How many times as long as a stride of 1 does a stride of 31 take?
 * Metric=time
 * At=stride=31,width=4
 * Against=stride=1
 * Low=0.9
 * High=1.1
 */
