// SPDX-License-Identifier: MIT
// Squared error of two matrices, taken as vectors, with a grid-stride loop.
/*! cured
 * [Kernel]
 * Title=Squared error with a grid-stride loop
 * Summary=The matrices are vectors of n*n elements; many elements per thread, a tree in shared memory, then one block
 * Family=squared-error
 * Step=2
 * Bytes=8*n*n
 * Ceiling=read
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
 * Summary=blocks in the grid
 *
 * [Parameter n]
 * Kind=problem
 * Default=10000
 * Summary=rows and columns of the matrices, any number
 *
 * [Buffer a]
 * Type=f32
 * Length=n*n
 * Fill=uniform
 * Low=-1
 * High=1
 *
 * [Buffer b]
 * Type=f32
 * Length=n*n
 * Fill=uniform
 * Low=-1
 * High=1
 *
 * [Buffer partial]
 * Type=f32
 * Length=blocks
 * Fill=poison
 *
 * [Buffer out]
 * Type=f32
 * Length=2
 * Fill=poison
 *
 * [Launch 1]
 * Entry=squared_error_stride
 * Grid=blocks
 * Block=block
 * Arguments=a,b,partial,n
 *
 * [Launch 2]
 * Entry=squared_error_stride_finish
 * Grid=1
 * Block=block
 * Arguments=partial,out,blocks,n
 *
 * [Check]
 * Output=out
 * Reference=squared-error
 * Relative=(ceil(n*n/(block*blocks)) + ceil(blocks/block) + 26)*2^-24 # half a step for each addition that an element is in
 */

/* Adds up one number per thread with a tree in shared memory, for any size of
 * the block. The sum is thread 0's. */
__device__ __forceinline__ float
add_block (float sum)
{
  __shared__ float sums[BLOCK];

  sums[threadIdx.x] = sum;
  __syncthreads ();
  for (int active = BLOCK; active > 1; active = (active + 1) / 2)
    {
      if (threadIdx.x < active / 2)
        sums[threadIdx.x] += sums[threadIdx.x + (active + 1) / 2];
      __syncthreads ();
    }
  return sums[0];
}

/* Before: load and store, of one tree per patch. Now: memory.
 *
 * Against squared-error/blocks: no element depends on its neighbours, so rows
 * and columns do not matter, and a matrix is a vector of n² elements. The grid
 * is as large as the device, not as the matrix; a thread adds up hundreds of
 * elements before the one tree of its block. Expect few barriers, however large
 * the matrices, and a third of the time. The price: there is no value per patch
 * any more. */
extern "C" __global__ void
squared_error_stride (const float *__restrict__ a,
                      const float *__restrict__ b,
                      float *__restrict__ partial,
                      int n)
{
  const long long length = (long long) n * n;
  const long long stride = (long long) BLOCK * gridDim.x;
  float sum = 0;

  for (long long i = (long long) blockIdx.x * BLOCK + threadIdx.x; i < length;
       i += stride)
    {
      const float difference = a[i] - b[i];

      sum += difference * difference;
    }
  sum = add_block (sum);
  if (threadIdx.x == 0)
    partial[blockIdx.x] = sum;
}

/* One block adds the blocks' sums, and divides. */
extern "C" __global__ void
squared_error_stride_finish (const float *__restrict__ partial,
                             float *__restrict__ out,
                             int n_partial,
                             int n)
{
  float sum = 0;

  for (int i = threadIdx.x; i < n_partial; i += BLOCK)
    sum += partial[i];
  sum = add_block (sum);
  if (threadIdx.x == 0)
    {
      out[0] = sum;
      out[1] = sum / ((float) n * (float) n);
    }
}

/*! cured
 * [Sweep]
 * X=blocks
 * Y=block
 * block=64,128,256,512,1024
 * blocks=66,132,264,528,1056,2112,4224
 *
 * [Claim barriers]
 * Text=Expect the barriers to be few, however large the matrices are
 * Metric=barriers
 * At=n=512,block=256,blocks=32
 * Against=squared-error/blocks n=512,bx=16,by=16
 * High=0.1
 *
 * [Claim time]
 * Text=Expect it to be well ahead
 * Metric=time
 * At=block=256,blocks=1056
 * Against=squared-error/blocks bx=16,by=16
 * High=0.6
 */
