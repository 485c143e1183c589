// SPDX-License-Identifier: MIT
// Sum, product, minimum or maximum of integers or reals, by one source.
/*! cured
 * [Kernel]
 * Title=Reduction with any operation and type
 * Summary=Sum, product, minimum or maximum of i32, f32 or f64: loads of 16 bytes in even shares, shuffles, last block
 * Family=reduce
 * Step=18
 * Bytes=(type == 2 ? 8 : 4)*n
 * Ceiling=read
 *
 * [Parameter op]
 * Kind=compile
 * Values=0..3
 * Names=sum,product,min,max
 * Default=0
 * Summary=operation on the elements
 *
 * [Parameter type]
 * Kind=compile
 * Values=0..2
 * Names=i32,f32,f64
 * Default=0
 * Summary=type of the elements
 *
 * [Parameter block]
 * Kind=compile
 * Values=2^5..2^10
 * Default=1024
 * Summary=threads per block, a power of two
 *
 * [Parameter loads]
 * Kind=compile
 * Values=1..16
 * Default=4
 * Summary=loads of 16 bytes in flight per thread
 *
 * [Parameter per_sm]
 * Kind=launch
 * Values=1,2,4,8,16
 * Default=2
 * Summary=blocks per multiprocessor
 *
 * [Parameter n]
 * Kind=problem
 * Default=10^8
 * Summary=elements, any number
 * # The family's numbers for sums. A product must neither leave the type's range
 * # nor end at 0: reals lie around 1, the closer the more of them there are, with
 * # a mean logarithm of 0, so that products are a random walk around 1; integers
 * # are odd, since they wrap. For a minimum or maximum they are spread wide, so
 * # that few elements, or one, are it.
 *
 * [Buffer in]
 * Type=type:i32,f32,f64
 * Length=n
 * Fill=uniform
 * Low=op == 0 ? -100 : op > 1 ? -10^9 : type == 0 ? -99 : 1 - min(0.5, 20/sqrt(n)) + min(0.25, 400/n)/6
 * High=op == 0 ? 100 : op > 1 ? 10^9 : type == 0 ? 99 : 1 + min(0.5, 20/sqrt(n)) + min(0.25, 400/n)/6
 * Step=op == 1 ? 2 : 1
 * # Each block's result in words of 64 bits, half flag and half result: one word,
 * # or two for f64.
 *
 * [Buffer results]
 * Type=u32
 * Length=(type == 2 ? 4 : 2)*per_sm*sms
 * Fill=constant
 * Low=0
 *
 * [Buffer finished]
 * Type=u32
 * Length=1
 * Fill=constant
 * Low=0
 *
 * [Buffer out]
 * Type=type:i32,f32,f64
 * Length=1
 * Fill=poison
 *
 * [Launch]
 * Entry=reduce_any
 * Grid=per_sm*sms
 * Block=block
 * Arguments=in,results,finished,out,n:i64
 * # As many roundings as elements, up and down by chance: they add up to the
 * # square root of their number, in units of the partial sums' last digit, or of
 * # the product's. Products of floats so near 1 are rounded down a little more
 * # often than up, for what would tip the scales is below their last digit.
 * # Minima and maxima are exact.
 *
 * [Check]
 * Output=out
 * Reference=reduce
 * Tolerance=op > 0 || type == 0 ? 0 : sqrt(n)*(type == 1 ? 1e-3 : 1e-12)
 * Relative=op != 1 || type == 0 ? 0 : type == 1 ? 2e-7*sqrt(n) + 1e-9*n : 4e-16*sqrt(n)
 */

#define SUM     0
#define PRODUCT 1
#define MIN     2

#define I32 0
#define F32 1

/* The element, 16 bytes of elements, and for each operation its neutral
 * element and its result for two. Integers wrap. */
#if TYPE == I32
typedef int Element;
typedef int4 Vector;
#define LOWEST         (-2147483647 - 1)
#define HIGHEST        2147483647
#define ADD(a, b)      ((int) ((unsigned) (a) + (unsigned) (b)))
#define MULTIPLY(a, b) ((int) ((unsigned) (a) * (unsigned) (b)))
#define LESSER(a, b)   min (a, b)
#define GREATER(a, b)  max (a, b)
#elif TYPE == F32
typedef float Element;
typedef float4 Vector;
#define LOWEST         (-__int_as_float (0x7f800000))
#define HIGHEST        __int_as_float (0x7f800000)
#define ADD(a, b)      ((a) + (b))
#define MULTIPLY(a, b) ((a) * (b))
#define LESSER(a, b)   fminf (a, b)
#define GREATER(a, b)  fmaxf (a, b)
#else
typedef double Element;
typedef double2 Vector;
#define LOWEST         (-__longlong_as_double (0x7ff0000000000000))
#define HIGHEST        __longlong_as_double (0x7ff0000000000000)
#define ADD(a, b)      ((a) + (b))
#define MULTIPLY(a, b) ((a) * (b))
#define LESSER(a, b)   fmin (a, b)
#define GREATER(a, b)  fmax (a, b)
#endif

#if OP == SUM
#define NEUTRAL       0
#define COMBINE(a, b) ADD (a, b)
#elif OP == PRODUCT
#define NEUTRAL       1
#define COMBINE(a, b) MULTIPLY (a, b)
#elif OP == MIN
#define NEUTRAL       HIGHEST
#define COMBINE(a, b) LESSER (a, b)
#else
#define NEUTRAL       LOWEST
#define COMBINE(a, b) GREATER (a, b)
#endif

#define WIDTH ((int) (sizeof (Vector) / sizeof (Element)))

__device__ __forceinline__ Element
combine (Element a, Element b)
{
  return COMBINE (a, b);
}

__device__ __forceinline__ Element
combine_vector (Element value, Vector v)
{
#if TYPE == I32 || TYPE == F32
  return combine (value, combine (combine (v.x, v.y), combine (v.z, v.w)));
#else
  return combine (value, combine (v.x, v.y));
#endif
}

/* Combines one value per thread: the lanes of a warp with shuffles, then the
 * warps' values, in the first warp. The result is thread 0's. */
__device__ __forceinline__ Element
combine_block (Element value, Element *values)
{
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2)
    value = combine (value, __shfl_down_sync (0xffffffff, value, distance));
  if (threadIdx.x % 32 == 0)
    values[threadIdx.x / 32] = value;
  __syncthreads ();
  if (threadIdx.x < 32)
    {
      value = threadIdx.x < BLOCK / 32 ? values[threadIdx.x] : NEUTRAL;
#pragma unroll
      for (int distance = BLOCK / 64; distance > 0; distance /= 2)
        value = combine (value, __shfl_down_sync (0xffffffff, value, distance));
    }
  return value;
}

/* A result that a block passes to the last one: each 32 bits of it share a
 * word of 64 with a flag, so that no fence is needed to order the two. */
#define FLAG  0x100000000ull
#define WORDS ((int) (sizeof (Element) / 4))

__device__ __forceinline__ void
hand_over (Element value, unsigned long long *words)
{
#if TYPE == I32
  atomicExch (words, FLAG | (unsigned) value);
#elif TYPE == F32
  atomicExch (words, FLAG | __float_as_uint (value));
#else
  atomicExch (words, FLAG | (unsigned) __double2loint (value));
  atomicExch (words + 1, FLAG | (unsigned) __double2hiint (value));
#endif
}

/* Combines the results of all blocks, one per thread and iteration, and resets
 * their words for the next run. Four are requested before the first is waited
 * for; one that has not arrived is in flight. */
__device__ __forceinline__ Element
take_over (unsigned long long *words)
{
  Element value = NEUTRAL;

  for (unsigned block = threadIdx.x; block < gridDim.x; block += 4 * BLOCK)
    {
      unsigned long long taken[4][WORDS];

#pragma unroll
      for (int i = 0; i < 4; i++)
#pragma unroll
        for (int w = 0; w < WORDS; w++)
          if (block + i * BLOCK < gridDim.x)
            taken[i][w] =
                atomicExch (words + (block + i * BLOCK) * WORDS + w, 0ull);
#pragma unroll
      for (int i = 0; i < 4; i++)
        if (block + i * BLOCK < gridDim.x)
          {
#pragma unroll
            for (int w = 0; w < WORDS; w++)
              while (taken[i][w] < FLAG)
                taken[i][w] =
                    atomicExch (words + (block + i * BLOCK) * WORDS + w, 0ull);
#if TYPE == I32
            value = combine (value, (int) (unsigned) taken[i][0]);
#elif TYPE == F32
            value = combine (value, __uint_as_float ((unsigned) taken[i][0]));
#else
            value = combine (value,
                             __hiloint2double ((int) (unsigned) taken[i][1],
                                               (int) (unsigned) taken[i][0]));
#endif
          }
    }
  return value;
}

/* Before: memory. Now: memory, whatever the operation and the type:
 * combining takes few instructions per byte.
 *
 * Against reduce/packed: only a 32-bit sum fits into half a word beside a
 * counter, and only an addition can be added to both. The general part is the
 * last block, and here it needs no fences. A block's result and its flag are
 * the halves of one word, written at once, while the counter is already on its
 * way; the last block reads each word until it finds its flag, and clears it
 * for the next run. Its threads read all of them, so there should be few
 * blocks, of many threads, no more than are resident. Expect a product to take
 * as long as a sum, and doubles twice as long as integers. */
extern "C" __global__ void
__launch_bounds__ (BLOCK) reduce_any (const Element *__restrict__ in,
                                      unsigned long long *results,
                                      unsigned *finished,
                                      Element *out,
                                      long long n)
{
  __shared__ Element values[BLOCK / 32];
  const long long threads = (long long) BLOCK * gridDim.x;
  const long long thread = (long long) blockIdx.x * BLOCK + threadIdx.x;
  const long long n_vectors = n / WIDTH;
  const long long rounds = n_vectors / (threads * LOADS);
  const Vector *from = (const Vector *) in +
                       (long long) blockIdx.x * (BLOCK * LOADS) + threadIdx.x;
  Element value = NEUTRAL;
  int is_last = 0;

#pragma unroll 1
  for (long long round = 0; round < rounds; round++)
    {
      Vector v[LOADS];

#pragma unroll
      for (int i = 0; i < LOADS; i++)
        v[i] = __ldg (from + i * BLOCK);
#pragma unroll
      for (int i = 0; i < LOADS; i++)
        value = combine_vector (value, v[i]);
      from += threads * LOADS;
    }

  /* The rest is less than a round. It is distributed as one load per
   * thread, so that no block has one tile more than another. */
  from = (const Vector *) in + rounds * (threads * LOADS) + thread;
#pragma unroll
  for (int i = 0; i < LOADS; i++)
    if (rounds * (threads * LOADS) + i * threads + thread < n_vectors)
      value = combine_vector (value, __ldg (from + i * threads));
  if (n_vectors * WIDTH + thread < n)
    value = combine (value, in[n_vectors * WIDTH + thread]);
  value = combine_block (value, values);

  if (threadIdx.x == 0)
    {
      hand_over (value, results + blockIdx.x * WORDS);
      is_last = atomicInc (finished, gridDim.x - 1) == gridDim.x - 1;
    }
  if (!__syncthreads_or (is_last))
    return;

  value = combine_block (take_over (results), values);
  if (threadIdx.x == 0)
    out[0] = value;
}

/*! cured
 * [Sweep]
 * X=op
 * Y=type
 * op=0..3
 * type=0..2
 * per_sm=2,4
 * block=512,1024
 *
 * [Claim product]
 * Text=A product takes no longer than a sum
 * Metric=time
 * At=op=1
 * Against=op=0
 * Low=0.94
 * High=1.06
 *
 * [Claim minimum]
 * Text=Nor does a minimum
 * Metric=time
 * At=op=2
 * Against=op=0
 * Low=0.94
 * High=1.06
 *
 * [Claim bytes]
 * Text=Doubles take twice the time of integers, as they are twice the bytes
 * Metric=time
 * At=type=2
 * Against=type=0
 * Low=1.85
 * High=2.1
 *
 * [Claim fences]
 * Text=No longer than with fences around the finish
 * Metric=time
 * At=block=1024,per_sm=2
 * Against=reduce/shuffle block=512,loads=4,per_sm=4
 * Low=0.9
 * High=1.04
 *
 * [Claim rate]
 * Text=The memory's rate
 * Metric=of_ceiling
 * At=block=1024,per_sm=2
 * Low=0.9
 */
