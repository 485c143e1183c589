// SPDX-License-Identifier: MIT
// Dot product: a partial sum per block, which the host adds up.
/*! cured
 * [Kernel]
 * Title=Dot product, finished by the host
 * Summary=Grid-stride products, a tree in shared memory, and partial sums that the host adds
 * Family=dot
 * Step=1
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
 * Entry=dot_host_sum
 * Grid=blocks
 * Block=block
 * Arguments=a,b,partial,n:i64
 *
 * [Launch 2]
 * Host=sum
 * From=partial
 * To=out
 */

/* Now: memory, at 71 %; the rest is the way to the host and back. Eight bytes
 * are read for one multiplication and one addition.
 *
 * A thread adds up the products of its elements, which are a grid apart, and
 * stores its sum in an array in shared memory; a tree reduces that array to
 * one partial sum per block. A small grid has too few bytes in flight, and
 * that is the first thing that the heat map shows: 24 blocks of 256 threads
 * take ten times as long as 1,056.
 *
 * The host adds the partial sums. It has to wait for the kernel, fetch them,
 * and send the result back: expect the round trip to the host to take much
 * longer than adding a thousand numbers on the device. */
extern "C" __global__ void
dot_host_sum (const float *__restrict__ a,
              const float *__restrict__ b,
              float *__restrict__ partial,
              long long n)
{
  __shared__ float cache[BLOCK];
  const long long stride = (long long) BLOCK * gridDim.x;
  float sum = 0;

  for (long long i = (long long) blockIdx.x * BLOCK + threadIdx.x; i < n;
       i += stride)
    sum += a[i] * b[i];

  /* The upper half is added to the lower. An odd number in the middle waits
   * for the next step, so any size of the block works. The barrier is for
   * all threads, whether they add or not. */
  cache[threadIdx.x] = sum;
  __syncthreads ();
  for (int active = BLOCK; active > 1; active = (active + 1) / 2)
    {
      if (threadIdx.x < active / 2)
        cache[threadIdx.x] += cache[threadIdx.x + (active + 1) / 2];
      __syncthreads ();
    }
  if (threadIdx.x == 0)
    partial[blockIdx.x] = cache[0];
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
 * At=n=100000000,block=256,blocks=24
 * Against=n=100000000,block=256,blocks=1056
 * Low=2
 */
