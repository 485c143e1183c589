// SPDX-License-Identifier: MIT
// Squared error of two matrices, block by block: one value per block.
/*! cured
 * [Kernel]
 * Title=Squared error by blocks
 * Summary=2-D grid of 2-D blocks, one element per thread, a tree in shared memory; one value per block, then their sum and the mean
 * Family=squared-error
 * Step=1
 * Bytes=8*n*n
 * Ceiling=read
 *
 * [Parameter bx]
 * Kind=compile
 * Values=1..1024
 * Default=16
 * Summary=columns of a block
 *
 * [Parameter by]
 * Kind=compile
 * Values=1..1024
 * Default=16
 * Summary=rows of a block
 *
 * [Parameter n]
 * Kind=problem
 * Default=10000
 * Summary=rows and columns of the matrices, any number
 *
 * [Require block]
 * If=bx*by <= max_threads_per_block
 * Reason=A block has no more threads than the device allows.
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
 * [Buffer out]
 * Type=f32
 * Length=ceil(n/bx)*ceil(n/by)+2
 * Fill=poison
 *
 * [Launch 1]
 * Entry=squared_error_blocks
 * Grid=ceil(n/bx),ceil(n/by)
 * Block=bx,by
 * Arguments=a,b,out,n
 *
 * [Launch 2]
 * Entry=squared_error_blocks_finish
 * Grid=1
 * Block=1024
 * Arguments=out,ceil(n/bx)*ceil(n/by),n
 *
 * [Check]
 * Output=out
 * Reference=squared-error
 * Relative=(ceil(ceil(n/bx)*ceil(n/by)/1024) + 26)*2^-24 # half a step for each addition that an element is in
 */

/* Threads of the launch that adds the values of the blocks. */
#define FINISH 1024

/* Adds up one number per thread with a tree in shared memory, for any number of
 * threads. The sum is thread 0's. */
__device__ __forceinline__ float
add_block (float sum, float *sums, int thread, int n_threads)
{
  sums[thread] = sum;
  __syncthreads ();
  for (int active = n_threads; active > 1; active = (active + 1) / 2)
    {
      if (thread < active / 2)
        sums[thread] += sums[thread + (active + 1) / 2];
      __syncthreads ();
    }
  return sums[0];
}

/* Now: load and store: the tree, in shared memory, and the barriers. The
 * blocks are patches of the matrix, and each computes one number of its
 * own. A thread loads two numbers, and then its block passes log2(BX · BY)
 * barriers, while most threads have nothing to add and none has a load in
 * flight; then the block ends.
 *
 * A device starts blocks one after another. With small ones that takes all
 * the time: half the threads per block are twice the blocks, and twice the
 * time. With large ones the tree is long, and few blocks are resident:
 * expect blocks of 32 × 32 to be slower than those of 32 × 8. A warp is 32
 * threads in the order of x, then y; where a patch has fewer columns, a
 * warp reads pieces of several rows, and requests more sectors than it
 * needs. */
extern "C" __global__ void
squared_error_blocks (const float *__restrict__ a,
                      const float *__restrict__ b,
                      float *__restrict__ out,
                      int n)
{
  __shared__ float sums[BX * BY];
  const int thread = threadIdx.y * BX + threadIdx.x;
  const long long row = (long long) blockIdx.y * BY + threadIdx.y;
  const long long column = (long long) blockIdx.x * BX + threadIdx.x;
  float difference = 0;
  float sum;

  /* Threads outside the matrix add 0, and reach every barrier. */
  if (row < n && column < n)
    difference = a[row * n + column] - b[row * n + column];
  sum = add_block (difference * difference, sums, thread, BX * BY);
  if (thread == 0)
    out[(long long) blockIdx.y * gridDim.x + blockIdx.x] = sum;
}

/* One block adds the values of the blocks: the sum follows them, and the mean
 * follows the sum. */
extern "C" __global__ void
squared_error_blocks_finish (float *out, int n_values, int n)
{
  __shared__ float sums[FINISH];
  float sum = 0;

  for (int i = threadIdx.x; i < n_values; i += FINISH)
    sum += out[i];
  sum = add_block (sum, sums, threadIdx.x, FINISH);
  if (threadIdx.x == 0)
    {
      out[n_values] = sum;
      out[n_values + 1] = sum / ((float) n * (float) n);
    }
}

/*! cured
 * [Sweep]
 * X=bx
 * Y=by
 * bx=4,8,16,32,64,128
 * by=1,2,4,8,16,32
 *
 * [Claim blocks]
 * Text=Half the threads per block are twice the blocks, and twice the time
 * Metric=time
 * At=bx=4,by=4
 * Against=bx=8,by=4
 * Low=1.8
 * High=2.2
 *
 * [Claim tree]
 * Text=Expect blocks of 32 × 32 to be slower than those of 32 × 8
 * Metric=time
 * At=n=10000,bx=32,by=32
 * Against=n=10000,bx=32,by=8
 * Low=1.15
 *
 * [Claim narrow]
 * Text=Where a patch has few columns, a warp requests more sectors than it needs
 * Metric=global_sectors
 * At=n=250,bx=4,by=64
 * Against=n=250,bx=32,by=8
 * Low=1.2
 */
