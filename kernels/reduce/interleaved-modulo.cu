// SPDX-License-Identifier: MIT
// Sum by a tree over neighbours: the working threads are spread over all warps.
/*! cured
 * [Kernel]
 * Title=Interleaved addressing with divergent branches
 * Summary=One element per thread; a thread adds its neighbour's sum if its number is divisible by twice the distance
 * Family=reduce
 * Step=3
 * Bytes=4*n
 * Ceiling=read
 *
 * [Parameter block]
 * Kind=compile
 * Values=2^5..2^10
 * Default=256
 * Summary=threads per block, a power of two
 *
 * [Parameter n]
 * Kind=problem
 * Default=10^8
 * Summary=elements, any number
 *
 * [Buffer in]
 * Type=i32
 * Length=n
 * Fill=uniform
 * Low=-100
 * High=100
 *
 * [Buffer partial]
 * Type=i32
 * Length=ceil(n/block)
 * Fill=poison
 *
 * [Buffer few]
 * Type=i32
 * Length=min(ceil(ceil(n/block)/block),sms)
 * Fill=poison
 *
 * [Buffer out]
 * Type=i32
 * Length=1
 * Fill=poison
 *
 * [Launch 1]
 * Entry=reduce_interleaved_modulo
 * Grid=ceil(n/block)
 * Block=block
 * Arguments=in,partial,n:i64
 *
 * [Launch 2]
 * Entry=reduce_interleaved_modulo_finish
 * Grid=min(ceil(ceil(n/block)/block),sms)
 * Block=block
 * Arguments=partial,few,ceil(n/block):i64
 *
 * [Launch 3]
 * Entry=reduce_interleaved_modulo_finish
 * Grid=1
 * Block=block
 * Arguments=few,out,min(ceil(ceil(n/block)/block),sms):i64
 *
 * [Check]
 * Output=out
 * Reference=sum
 */

/* Adds up one number per thread; every thread gets the sum. The loop is not
 * unrolled: its remainders would become masks, which is a later step. */
__device__ __forceinline__ int
add_block (int sum)
{
  __shared__ int sums[BLOCK];

  sums[threadIdx.x] = sum;
  __syncthreads ();
#pragma unroll 1
  for (unsigned distance = 1; distance < BLOCK; distance *= 2)
    {
      if (threadIdx.x % (2 * distance) == 0)
        sums[threadIdx.x] += sums[threadIdx.x + distance];
      __syncthreads ();
    }
  return sums[0];
}

/* Before: launches and the tree. Now: instruction issue. Deciding which
 * threads add costs many times the addition.
 *
 * Against reduce/single-launch-fixed: a tree as in a drawing. Neighbours are
 * added first, then neighbours of neighbours, and a thread is active if its
 * number is divisible by twice the distance. That is correct, and slow in two
 * ways. The remainder by a number known only at run time is a division. And
 * the active threads are spread evenly: until the distance reaches the width
 * of a warp, every warp executes the addition for a few of its lanes. Expect a
 * rate far below the memory's, whatever the block. */
extern "C" __global__ void
reduce_interleaved_modulo (const int *__restrict__ in,
                           int *__restrict__ partial,
                           long long n)
{
  const long long i = (long long) blockIdx.x * BLOCK + threadIdx.x;
  const int sum = add_block (i < n ? in[i] : 0);

  if (threadIdx.x == 0)
    partial[blockIdx.x] = sum;
}

/* Adds the blocks' sums: first on every multiprocessor, then in one block. */
extern "C" __global__ void
reduce_interleaved_modulo_finish (const int *__restrict__ partial,
                                  int *__restrict__ out,
                                  long long n_partial)
{
  const long long stride = (long long) BLOCK * gridDim.x;
  int sum = 0;

  for (long long i = (long long) blockIdx.x * BLOCK + threadIdx.x;
       i < n_partial;
       i += stride)
    sum += partial[i];
  sum = add_block (sum);
  if (threadIdx.x == 0)
    out[blockIdx.x] = sum;
}

/*! cured
 * [Sweep]
 * X=block
 * Y=n
 * block=32,64,128,256,512,1024
 * n=10^5,10^6,10^7,10^8
 *
 * [Claim lanes]
 * Text=Fewer lanes take part in an instruction than in the next step
 * Metric=lanes_active
 * At=block=256,n=65536
 * Against=reduce/interleaved-strided block=256,n=65536
 * High=0.85
 *
 * [Claim branches]
 * Text=Active threads are spread over all warps, so nearly every warp splits at every step
 * Question=How many times as many branches split a warp in interleaved-modulo as in interleaved-strided?
 * Metric=divergent_branches
 * At=block=256,n=65536
 * Against=reduce/interleaved-strided block=256,n=65536
 * Low=5
 *
 * [Claim rate]
 * Text=It does not reach a fifth of the memory's rate
 * Metric=of_ceiling
 * At=block=256,n=10^8
 * High=0.2
 */
