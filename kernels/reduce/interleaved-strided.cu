// SPDX-License-Identifier: MIT
// Sum by a tree over neighbours: whole warps work, and meet in the banks.
/*! cured
 * [Kernel]
 * Title=Interleaved addressing with bank conflicts
 * Summary=One element per thread; the first threads add, at an index that is a multiple of twice the distance
 * Family=reduce
 * Step=4
 * Bytes=4*n
 * Ceiling=read
 * Like=reduce/interleaved-modulo
 *
 * [Launch 1]
 * Entry=reduce_interleaved_strided
 * Grid=ceil(n/block)
 * Block=block
 * Arguments=in,partial,n:i64
 *
 * [Launch 2]
 * Entry=reduce_interleaved_strided_finish
 * Grid=min(ceil(ceil(n/block)/block),sms)
 * Block=block
 * Arguments=partial,few,ceil(n/block):i64
 *
 * [Launch 3]
 * Entry=reduce_interleaved_strided_finish
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
  for (unsigned distance = 1; distance < BLOCK; distance *= 2)
    {
      const unsigned i = 2 * distance * threadIdx.x;

      if (i < BLOCK)
        sums[i] += sums[i + distance];
      __syncthreads ();
    }
  return sums[0];
}

/* Before: instruction issue. Now: shared memory. At its best cell, with blocks
 * of 128 threads, block dispatch takes 85 % of the time and shared memory 75 %.
 *
 * Against reduce/interleaved-modulo: the same additions, done by the first
 * threads of the block. There is no remainder, and warps work as a whole or not
 * at all. But neighbouring lanes are now two distances apart: at distance 1 two
 * of them share a bank, at 2 four, and so on up to a whole warp. The accesses of
 * warps with active lanes take as many wavefronts as before, when each of many
 * warps had work for a few of its lanes. Those of idle warps, one wavefront
 * each, come on top, and there are more of them now: an H200 counts 1.45 times
 * the wavefronts with blocks of 128 threads. Expect to gain the instructions,
 * and nothing with small blocks: the rate at which blocks start is the limit
 * there, as in all steps with few elements per block. */
extern "C" __global__ void
reduce_interleaved_strided (const int *__restrict__ in,
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
reduce_interleaved_strided_finish (const int *__restrict__ partial,
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
 * [Claim wavefronts]
 * Text=Without those of idle warps, as many wavefronts as in the step before: full warps with conflicts now, where many warps had work for a few lanes each
 * Question=How many times as many wavefronts of shared memory does interleaved-strided take as interleaved-modulo?
 * Metric=shared_wavefronts
 * At=block=256,n=65536
 * Against=reduce/interleaved-modulo block=256,n=65536
 * Low=0.95
 * High=1.05
 *
 * [Claim conflicts]
 * Text=Conflicts cost more than 10,000 wavefronts for 65,536 elements
 * Metric=excess_wavefronts
 * At=block=256,n=65536
 * Low=10000
 *
 * [Claim time]
 * Text=The remainder is gone, and warps work as a whole: fewer instructions
 * Question=What fraction of the time of interleaved-modulo does interleaved-strided take?
 * Metric=time
 * At=block=256,n=10^8
 * Against=reduce/interleaved-modulo block=256
 * High=0.75
 *
 * [Claim start]
 * Text=With blocks of 64 threads the tree does not matter: starting the blocks is what takes the time
 * Metric=time
 * At=block=64,n=10^8
 * Against=reduce/interleaved-modulo block=64
 * Low=0.93
 * High=1.07
 */
