// SPDX-License-Identifier: MIT
// Sum in one launch, wrong on purpose: a barrier that not all threads reach.
/*! cured
 * [Kernel]
 * Title=Sum in one launch (deadlocks)
 * Summary=Barrier inside a branch, no grid-wide synchronization, whole vector in every block's shared memory
 * Family=reduce
 * Step=1
 * Bytes=4*block*blocks
 * Defect=race,global-race,divergent-barrier,exited-barrier
 *
 * [Parameter block]
 * Kind=launch
 * Values=2^0..2^10
 * Default=1024
 * Summary=threads per block, a power of two
 *
 * [Parameter blocks]
 * Kind=launch
 * Values=2^0..2^10
 * Default=8
 * Summary=blocks in the grid, a power of two; the vector has one element per thread
 *
 * [Buffer in]
 * Type=i32
 * Length=block*blocks
 * Fill=uniform
 * Low=-100
 * High=100
 *
 * [Buffer partial]
 * Type=i32
 * Length=blocks
 * Fill=constant              # 0: what a block reads that comes too early
 * Low=0
 *
 * [Buffer out]
 * Type=i32
 * Length=1
 * Fill=poison
 *
 * [Launch]
 * Entry=reduce_single_launch
 * Grid=blocks
 * Block=block
 * Shared=4*block*blocks      # the whole vector, in every block
 * Arguments=in,partial,out
 *
 * [Check]
 * Output=out
 * Reference=sum
 */

/* A specimen, with three mistakes:
 *
 * 1. Both barriers inside an "if". A barrier waits for every thread of the
 *    block that has not ended. In the second branch, with 8 blocks, lanes 0 to
 *    7 of the first warp wait at the barrier, and lanes 8 to 31 wait after the
 *    branch for lanes 0 to 7: the kernel hangs. The first branch, where the
 *    other threads run on into the next step, is just as wrong and may happen
 *    to work; nothing guarantees it. Threads that have passed it overwrite
 *    data that others still read, and some end while others wait.
 * 2. The first threads add up the blocks' sums in global memory, but nothing
 *    makes them wait for the other blocks. The sums may not be written yet,
 *    and the result is wrong, or right by luck.
 * 3. Each block reserves shared memory for the whole vector. It is not split
 *    among the blocks: every block gets all of it, uses its own slice and
 *    keeps other blocks off the multiprocessor. A vector that is longer than
 *    a block's shared memory can't be launched at all.
 *
 * One block alone has nothing to wait for in the second branch, and ends.
 * reduce/single-launch-fixed has none of the three. */
extern "C" __global__ void
reduce_single_launch (const int *in, int *partial, int *out)
{
  extern __shared__ int data[];
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

  data[i] = in[i];
  __syncthreads ();
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2)
    {
      if (threadIdx.x < half)
        {
          data[i] += data[i + half];
          __syncthreads ();
        }
    }
  if (threadIdx.x == 0)
    partial[blockIdx.x] = data[i];
  if (i < gridDim.x)
    {
      data[i] = partial[i];
      for (unsigned half = gridDim.x / 2; half > 0; half /= 2)
        {
          if (i < half)
            data[i] += data[i + half];
          __syncthreads ();
        }
    }
  if (i == 0)
    out[0] = data[0];
}

/*! cured
 * [Sweep]
 * X=blocks
 * Y=block
 * block=64,256,1024
 * blocks=1,2,8,32,64
 *
 * [Claim reserved]
 * Text=Each of 8 blocks reserves the whole vector of 8,192 ints: shared memory is not split among blocks
 * Question=The text says that a shared array is split among the blocks. How many bytes does each of 8 blocks reserve for a vector of 8,192 ints?
 * Metric=shared_dynamic
 * At=block=1024,blocks=8
 * Low=32768
 * High=32768
 *
 * [Claim resident]
 * Text=With 64 blocks of 256 threads, the reserved arrays leave room for three blocks on a multiprocessor instead of eight
 * Question=What share of the occupancy of one block do 64 blocks of 256 threads reach?
 * Metric=occupancy
 * At=block=256,blocks=64
 * Against=block=256,blocks=1
 * High=0.5
 */
