// SPDX-License-Identifier: MIT
// Dot product in two launches: partial sums, then one block.
/*! cured
 * [Kernel]
 * Title=Dot product in two launches
 * Summary=Grid-stride products and a tree in shared memory, then one block adds the partial sums
 * Family=dot
 * Step=2
 * Bytes=8*n
 * Ceiling=read
 * Like=dot/shuffle
 *
 * [Parameter loads]  # none
 *
 * [Parameter block]
 * Kind=compile
 * Values=1..1024
 * Default=256
 * Summary=threads per block
 *
 * [Launch 1]
 * Entry=dot_two_launch
 * Grid=blocks
 * Block=block
 * Arguments=a,b,partial,n:i64
 *
 * [Launch 2]
 * Entry=dot_two_launch_finish
 * Grid=1
 * Block=block
 * Arguments=partial,out,blocks
 */

/* Adds up one number per thread with a tree in shared memory, for any size of
 * the block. The sum is thread 0's. */
__device__ __forceinline__ float
add_block (float sum)
{
  __shared__ float cache[BLOCK];

  cache[threadIdx.x] = sum;
  __syncthreads ();
  for (int active = BLOCK; active > 1; active = (active + 1) / 2)
    {
      if (threadIdx.x < active / 2)
        cache[threadIdx.x] += cache[threadIdx.x + (active + 1) / 2];
      __syncthreads ();
    }
  return cache[0];
}

/* Before: memory, at 73 %; the rest is the way to the host, while the device is
 * idle. Now: memory.
 *
 * Against dot/host-sum: the sums stay on the device, and a second launch of one
 * block adds them. The end of the first launch is the grid-wide barrier that a
 * kernel lacks. Expect a short vector to gain most: its time was mostly the way
 * to the host. */
extern "C" __global__ void
dot_two_launch (const float *__restrict__ a,
                const float *__restrict__ b,
                float *__restrict__ partial,
                long long n)
{
  const long long stride = (long long) BLOCK * gridDim.x;
  float sum = 0;

  for (long long i = (long long) blockIdx.x * BLOCK + threadIdx.x; i < n;
       i += stride)
    sum += a[i] * b[i];
  sum = add_block (sum);
  if (threadIdx.x == 0)
    partial[blockIdx.x] = sum;
}

/* One block adds the blocks' sums, however many there are. */
extern "C" __global__ void
dot_two_launch_finish (const float *__restrict__ partial,
                       float *__restrict__ out,
                       int n_partial)
{
  float sum = 0;

  for (int i = threadIdx.x; i < n_partial; i += BLOCK)
    sum += partial[i];
  sum = add_block (sum);
  if (threadIdx.x == 0)
    out[0] = sum;
}

/*! cured
 * [Sweep]
 * X=blocks
 * Y=block
 * block=64,256,1024
 * blocks=24,66,132,264,528,1056,2112,4224
 * n=10^6,10^8
 *
 * [Claim grid]
 * Text=24 blocks of 256 threads have too few bytes in flight to keep memory busy
 * Question=How many times as long as 1,056 blocks of 256 threads do 24 blocks take?
 * Metric=time
 * At=block=256,blocks=24
 * Against=block=256,blocks=1056
 * Low=4
 *
 * [Claim short]
 * Text=A short vector spends most of its time on the way to the host
 * Question=For a dot product of 10⁶ elements, what fraction of the time with a sum on the host do two launches take?
 * Metric=time
 * At=n=1000000,block=256,blocks=528
 * Against=dot/host-sum n=1000000,block=256,blocks=528
 * High=0.6
 */
