// SPDX-License-Identifier: MIT
// Sum in two launches of one kernel: grid-stride partial sums, then one block.
/*! cured
 * [Kernel]
 * Title=Sum in two launches
 * Summary=Grid-stride partial sums, then one block adds the partial sums
 * Family=reduce
 * Step=10
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
 * Summary=blocks in the grid of the first launch
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
 * Entry=reduce_two_launch
 * Grid=blocks
 * Block=block
 * Arguments=in,partial,n:i64
 *
 * [Launch 2]
 * Entry=reduce_two_launch
 * Grid=1
 * Block=block
 * Arguments=partial,out,blocks:i64
 */

/* Before: memory. Now: memory, once enough bytes are in flight.
 *
 * Against reduce/several: a thread walks through the vector with a stride
 * of the grid, so the grid is a free choice, whatever the length, and one
 * kernel does both launches. The heat map is about that choice. Each
 * thread has a few loads in flight, so the number of threads sets the
 * bytes in flight: 24 blocks of 1024, 66 of 384 and 132 of 192 take the
 * same time on an H200, whether 24 or all 132 multiprocessors work. Once
 * memory is busy, more threads gain nothing; far more blocks than fit at
 * once cost time again, for their start and their partial sums. Expect
 * the time of several elements per thread. A block of any size works:
 * where the tree's width is odd, the middle element waits for the next
 * step. */
extern "C" __global__ void
reduce_two_launch (const int *__restrict__ in,
                   int *__restrict__ out,
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
    out[blockIdx.x] = sums[0];
}

/*! cured
 * [Sweep]
 * X=blocks
 * Y=block
 * block=64,96,128,192,256,384,512,768,1024
 * blocks=8,24,66,132,264,528,1056,2112,4224
 *
 * [Claim grid]
 * Text=24 blocks of 256 threads have 221 KB in flight, 1,056 have 9.7 MB: memory waits for requests
 * Question=How many times as long as 1,056 blocks of 256 threads do 24 blocks take?
 * Metric=time
 * At=block=256,blocks=24
 * Against=block=256,blocks=1056
 * Low=7
 *
 * [Claim diagonal]
 * Text=As many threads in flight, 25,000, on 24 multiprocessors or on all 132: bytes in flight are what counts
 * Question=24 blocks of 1,024 threads use 24 of 132 multiprocessors. How many times as long as 132 blocks of 192 do they take?
 * Metric=time
 * At=block=1024,blocks=24
 * Against=block=192,blocks=132
 * Low=0.97
 * High=1.03
 *
 * [Claim advice]
 * Text=Two blocks per multiprocessor, the text's advice, are within 1 % of the best cell
 * Metric=time
 * At=block=1024,blocks=264
 * Against=block=256,blocks=2112
 * High=1.02
 *
 * [Claim rate]
 * Text=With 9.7 MB in flight memory is busy nearly all the time
 * Question=What share of the measured read limit do 1,056 blocks of 256 threads reach?
 * Metric=of_ceiling
 * At=block=256,blocks=1056
 * Low=0.85
 *
 * [Claim waves]
 * Text=Sixteen times as many blocks as fit at once have to start, and add sixteen times the partial sums
 * Question=How many times as long as 264 blocks of 1,024 threads do 4,224 blocks take?
 * Metric=time
 * At=block=1024,blocks=4224
 * Against=block=1024,blocks=264
 * Low=1.1
 */
