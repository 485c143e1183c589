// SPDX-License-Identifier: MIT
// Sum whose partial sums go back to the host, which adds them.
/*! cured
 * [Kernel]
 * Title=Partial sums added up on the host
 * Summary=Grid-stride partial sums, copied to the host and added there
 * Family=reduce
 * Step=11
 * Role=detour
 * Bytes=4*n
 * Ceiling=read
 * Like=reduce/interleaved-modulo
 *
 * [Buffer few]  # none
 *
 * [Parameter block]
 * Kind=compile
 * Values=1..1024
 * Default=256
 * Summary=threads per block
 *
 * [Parameter blocks]
 * Kind=launch
 * Default=1056
 * Summary=blocks in the grid, and partial sums
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
 * Length=blocks
 * Fill=poison
 *
 * [Launch 1]
 * Entry=reduce_host_sum
 * Grid=blocks
 * Block=block
 * Arguments=in,partial,n:i64
 *
 * [Launch 2]
 * Host=sum
 * From=partial
 * To=out
 */

/* Before: memory. Now: latency. Memory is busy 56 % of the time; the rest is
 * the way to the host and back.
 *
 * A detour, against reduce/two-launch: there is no second launch. The partial
 * sums are copied to the host, the host adds them, and the sum is copied back.
 * That is the simplest code. The cost is a round trip: the host sleeps until
 * the kernel and the copy are done, and the device is idle until the host has
 * answered. Expect that time on top, whatever the length, and more of it for
 * many blocks. */
extern "C" __global__ void
reduce_host_sum (const int *__restrict__ in,
                 int *__restrict__ partial,
                 long long n)
{
  __shared__ int sums[BLOCK];
  const long long stride = (long long) BLOCK * gridDim.x;
  int sum = 0;

  for (long long i = (long long) blockIdx.x * BLOCK + threadIdx.x; i < n;
       i += stride)
    sum += in[i];

  /* The upper half is added to the lower; an odd one in the middle waits
   * for the next step, so any size of the block works. */
  sums[threadIdx.x] = sum;
  __syncthreads ();
  for (int active = BLOCK; active > 1; active = (active + 1) / 2)
    {
      const int half = (active + 1) / 2;

      if (threadIdx.x < active / 2)
        sums[threadIdx.x] += sums[threadIdx.x + half];
      __syncthreads ();
    }
  if (threadIdx.x == 0)
    partial[blockIdx.x] = sums[0];
}

/*! cured
 * [Sweep]
 * X=blocks
 * Y=block
 * block=64,128,256,512,1024
 * blocks=24,132,264,528,1056,2112,4224,2^16
 *
 * [Claim time]
 * Text=The round trip to the host takes longer than a second launch
 * Question=For a sum of 10⁸ elements, how many times as long as with two launches does it take with a sum on the host?
 * Metric=time
 * At=block=256,blocks=1056
 * Against=reduce/two-launch block=256,blocks=1056
 * Low=1.1
 *
 * [Claim blocks]
 * Text=Many partial sums take longer to copy and to add
 * Metric=time
 * At=block=256,blocks=2^16
 * Against=block=256,blocks=1056
 * Low=1.1
 */
