// SPDX-License-Identifier: MIT
// Sum by a tree whose last rounds are one warp's: __syncwarp for __syncthreads.
/*! cured
 * [Kernel]
 * Title=Last warp unrolled
 * Summary=The tree's last rounds are left to one warp, whose lanes wait for each other with __syncwarp
 * Family=reduce
 * Step=7
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
 * Entry=reduce_last_warp
 * Grid=ceil(n/(2*block))
 * Block=block
 * Arguments=in,partial,n:i64
 *
 * [Launch 2]
 * Entry=reduce_last_warp_finish
 * Grid=min(ceil(ceil(n/(2*block))/block),sms)
 * Block=block
 * Arguments=partial,few,ceil(n/(2*block)):i64
 *
 * [Launch 3]
 * Entry=reduce_last_warp_finish
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
#pragma unroll 1
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

/* Before: instruction issue. Now: block dispatch: blocks that add 512 elements
 * each end almost as fast as they can start.
 *
 * Against reduce/first-add: from 64 sums on, one warp does all the work, and
 * the others need not wait for it at barrier after barrier. __syncwarp replaces
 * __syncthreads: lanes of a warp need not run in lockstep since compute capability
 * 7.0. Older kernels have no barrier there, and race: see specimens/last-warp
 * and its twin. Expect fewer barriers and instructions, and three quarters of
 * the time. */
extern "C" __global__ void
reduce_last_warp (const int *__restrict__ in,
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
reduce_last_warp_finish (const int *__restrict__ partial,
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
 * [Claim barriers]
 * Text=A third of the barriers, with blocks of 256 threads
 * Metric=barriers
 * At=block=256,n=65536
 * Against=reduce/first-add block=256,n=65536
 * Low=0.33
 * High=0.34
 *
 * [Claim instructions]
 * Text=Fewer instructions, too
 * Metric=instructions
 * At=block=256,n=65536
 * Against=reduce/first-add block=256,n=65536
 * High=0.7
 *
 * [Claim time]
 * Text=Clearly less time
 * Metric=time
 * At=block=256,n=10^8
 * Against=reduce/first-add block=256
 * High=0.85
 */
