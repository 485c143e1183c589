// SPDX-License-Identifier: MIT
// Sum by a tree over halves: neighbouring lanes add neighbouring numbers.
/*! cured
 * [Kernel]
 * Title=Sequential addressing
 * Summary=One element per thread; the first half adds the second half, again and again
 * Family=reduce
 * Step=5
 * Bytes=4*n
 * Ceiling=read
 * Like=reduce/interleaved-modulo
 *
 * [Launch 1]
 * Entry=reduce_sequential
 * Grid=ceil(n/block)
 * Block=block
 * Arguments=in,partial,n:i64
 *
 * [Launch 2]
 * Entry=reduce_sequential_finish
 * Grid=min(ceil(ceil(n/block)/block),sms)
 * Block=block
 * Arguments=partial,few,ceil(n/block):i64
 *
 * [Launch 3]
 * Entry=reduce_sequential_finish
 * Grid=1
 * Block=block
 * Arguments=few,out,min(ceil(ceil(n/block)/block),sms):i64
 */

/* Adds up one number per thread; every thread gets the sum. */
__device__ __forceinline__ int
add_block (int sum)
{
  __shared__ int sums[BLOCK];

  sums[threadIdx.x] = sum;
  __syncthreads ();
#pragma unroll 1
  for (unsigned half = BLOCK / 2; half > 0; half /= 2)
    {
      if (threadIdx.x < half)
        sums[threadIdx.x] += sums[threadIdx.x + half];
      __syncthreads ();
    }
  return sums[0];
}

/* Before: shared memory. Now: instruction issue, of the tree: each thread loads
 * one number and then waits at one barrier per step, while ever fewer have
 * work.
 *
 * Against reduce/interleaved-strided: the upper half is added to the lower
 * half. The sum does not depend on which numbers are paired, and this way
 * neighbouring lanes access neighbouring words: no bank conflicts. Expect a
 * modest gain in time; the barriers remain. */
extern "C" __global__ void
reduce_sequential (const int *__restrict__ in,
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
reduce_sequential_finish (const int *__restrict__ partial,
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
 * [Claim conflicts]
 * Text=No access has a bank conflict
 * Metric=excess_wavefronts
 * At=block=256,n=65536
 * Low=0
 * High=0
 *
 * [Claim wavefronts]
 * Text=Without those of idle warps, less than a third of the wavefronts of the step before
 * Metric=shared_wavefronts
 * At=block=256,n=65536
 * Against=reduce/interleaved-strided block=256,n=65536
 * High=0.33
 *
 * [Claim time]
 * Text=Less time than with conflicts
 * Metric=time
 * At=block=256,n=10^8
 * Against=reduce/interleaved-strided block=256
 * High=0.9
 */
