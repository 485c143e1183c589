// SPDX-License-Identifier: MIT
// Sum by a tree that has no loop: the compiler writes out every round.
/*! cured
 * [Kernel]
 * Title=Completely unrolled tree
 * Summary=All rounds of the tree written out by the compiler, since the block's size is a constant
 * Family=reduce
 * Step=8
 * Bytes=4*n
 * Ceiling=read
 * Like=reduce/first-add
 *
 * [Parameter block]
 * Kind=compile
 * Values=2^6..2^10
 * Default=256
 * Summary=threads per block, a power of two
 *
 * [Launch 1]
 * Entry=reduce_unrolled
 * Grid=ceil(n/(2*block))
 * Block=block
 * Arguments=in,partial,n:i64
 *
 * [Launch 2]
 * Entry=reduce_unrolled_finish
 * Grid=min(ceil(ceil(n/(2*block))/block),sms)
 * Block=block
 * Arguments=partial,few,ceil(n/(2*block)):i64
 *
 * [Launch 3]
 * Entry=reduce_unrolled_finish
 * Grid=1
 * Block=block
 * Arguments=few,out,min(ceil(ceil(n/(2*block))/block),sms):i64
 */

/* Adds up one number per thread; the sum is thread 0's. */
__device__ __forceinline__ int
add_block (int sum)
{
  __shared__ int sums[BLOCK];

  sums[threadIdx.x] = sum;
  __syncthreads ();
#pragma unroll
  for (unsigned half = BLOCK / 2; half > 32; half /= 2)
    {
      if (threadIdx.x < half)
        sums[threadIdx.x] += sums[threadIdx.x + half];
      __syncthreads ();
    }
  if (threadIdx.x < 32)
    {
      sum = sums[threadIdx.x];
#pragma unroll
      for (unsigned half = 32; half > 0; half /= 2)
        {
          /* Read, wait, write, wait: a lane reads an element that another
           * one writes in the same step. */
          sum += sums[threadIdx.x + half];
          __syncwarp ();
          sums[threadIdx.x] = sum;
          __syncwarp ();
        }
    }
  return sum;
}

/* Before: block dispatch. Now: block dispatch, still: what a block executes
 * matters little.
 *
 * Against reduce/last-warp: the block's size is a compile-time constant, so
 * the steps before the last warp need no loop either: no counter, no
 * branch, and addresses are part of the instructions. Expect fewer
 * instructions, as many barriers, and almost the same time: the number of
 * blocks is the same. */
extern "C" __global__ void
reduce_unrolled (const int *__restrict__ in,
                 int *__restrict__ partial,
                 long long n)
{
  const long long i = (long long) blockIdx.x * (2 * BLOCK) + threadIdx.x;
  int sum = 0;

  if (i < n)
    sum = in[i];
  if (i + BLOCK < n)
    sum += in[i + BLOCK];
  sum = add_block (sum);
  if (threadIdx.x == 0)
    partial[blockIdx.x] = sum;
}

/* Adds the blocks' sums: first on every multiprocessor, then in one block. */
extern "C" __global__ void
reduce_unrolled_finish (const int *__restrict__ partial,
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
 * block=64,128,256,512,1024
 * n=10^5,10^6,10^7,10^8
 *
 * [Claim instructions]
 * Text=Fewer instructions
 * Metric=instructions
 * At=block=256,n=65536
 * Against=reduce/last-warp block=256,n=65536
 * High=0.85
 *
 * [Claim barriers]
 * Text=As many barriers
 * Metric=barriers
 * At=block=256,n=65536
 * Against=reduce/last-warp block=256,n=65536
 * Low=1
 * High=1
 *
 * [Claim time]
 * Text=The time hardly changes
 * Metric=time
 * At=block=256,n=10^8
 * Against=reduce/last-warp block=256
 * Low=0.9
 * High=1.05
 */
