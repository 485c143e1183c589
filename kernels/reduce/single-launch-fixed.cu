// SPDX-License-Identifier: MIT
// Sum with one element per thread: the careful twin of reduce/single-launch.
/*! cured
 * [Kernel]
 * Title=Sum with one element per thread
 * Summary=Barriers outside the branches, a slice's own shared memory, partial sums added by a second launch
 * Family=reduce
 * Step=2
 * Bytes=4*n
 * Ceiling=read
 * Like=reduce/interleaved-modulo
 *
 * [Buffer few]  # none
 *
 * [Parameter block]
 * Kind=compile
 * Values=1..1024
 * Default=1024
 * Summary=threads per block
 *
 * [Parameter n]
 * Kind=problem
 * Default=8192
 * Summary=elements, any number
 *
 * [Launch 1]
 * Entry=reduce_single_launch_fixed
 * Grid=ceil(n/block)
 * Block=block
 * Arguments=in,partial,n:i64
 *
 * [Launch 2]
 * Entry=reduce_single_launch_fixed_finish
 * Grid=1
 * Block=block
 * Arguments=partial,out,ceil(n/block):i64
 */

/* Adds up one number per thread, for any size of the block: the upper half is
 * added to the lower, and an odd one in the middle waits for the next round.
 * Every thread reaches every barrier. The sum is thread 0's. */
__device__ __forceinline__ int
add_block (int sum)
{
  __shared__ int sums[BLOCK];

  sums[threadIdx.x] = sum;
  __syncthreads ();
  for (int active = BLOCK; active > 1; active = (active + 1) / 2)
    {
      const int half = (active + 1) / 2;

      if (threadIdx.x < active / 2)
        sums[threadIdx.x] += sums[threadIdx.x + half];
      __syncthreads ();
    }
  return sums[0];
}

/* Now: launch. 8,192 elements take little longer than one. A long vector is
 * another matter: there every thread loads one element, and then half of the
 * remaining threads are idle in each of log2(BLOCK) steps.
 *
 * Against reduce/single-launch: threads past the end add 0 instead of leaving
 * early, so no thread misses a barrier; a block keeps BLOCK numbers in shared
 * memory, not n; and the end of the launch makes the second launch wait for all
 * blocks. Expect a small fraction of the memory's rate for a long vector, and
 * two launches for a short one. */
extern "C" __global__ void
reduce_single_launch_fixed (const int *__restrict__ in,
                            int *__restrict__ partial,
                            long long n)
{
  const long long i = (long long) blockIdx.x * BLOCK + threadIdx.x;
  const int sum = add_block (i < n ? in[i] : 0);

  if (threadIdx.x == 0)
    partial[blockIdx.x] = sum;
}

/* One block adds the blocks' sums, however many there are. */
extern "C" __global__ void
reduce_single_launch_fixed_finish (const int *__restrict__ partial,
                                   int *__restrict__ out,
                                   long long n_partial)
{
  int sum = 0;

  for (long long i = threadIdx.x; i < n_partial; i += BLOCK)
    sum += partial[i];
  sum = add_block (sum);
  if (threadIdx.x == 0)
    out[0] = sum;
}

/*! cured
 * [Sweep]
 * X=block
 * Y=n
 * block=32,64,96,128,192,256,384,512,768,1024
 * n=1,8191,8192,8193,10^5,10^6,10^7,10^8
 *
 * [Claim rate]
 * Text=Far less than half of the memory's rate
 * Metric=of_ceiling
 * At=block=1024,n=10^8
 * High=0.4
 *
 * [Claim launches]
 * Text=8192 elements take about as long as one: the launches
 * Metric=time
 * At=block=1024,n=8192
 * Against=block=1024,n=1
 * Low=0.9
 * High=1.4
 */
