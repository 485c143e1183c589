// SPDX-License-Identifier: MIT
// Sum in one launch whose second half is in global memory, wrong on purpose.
/*! cured
 * [Kernel]
 * Title=Sum in one launch, in global memory
 * Summary=Static array for the whole vector in every block; the first threads add the blocks' sums in global memory
 * Family=specimens
 * Step=24
 * Defect=global-race,divergent-barrier,exited-barrier
 *
 * [Parameter block]
 * Kind=compile
 * Values=2^5..2^10
 * Default=1024
 * Summary=threads per block, a power of two
 *
 * [Parameter blocks]
 * Kind=compile
 * Values=2^0..2^8
 * Default=8
 * Summary=blocks in the grid, a power of two; the vector has one element per thread
 *
 * [Require array]
 * If=4*block*blocks <= shared_per_block
 * Reason=the shared array is as long as the vector, in every block
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
 * Entry=specimens_one_launch_sum
 * Grid=blocks
 * Block=block
 * Arguments=in,partial,out
 *
 * [Check]
 * Output=out
 * Reference=sum
 */

/* A specimen: reduce/single-launch exactly as in a text. The array is static,
 * its length the vector's, and each block reserves all of it and uses its own
 * slice. The second half works on the blocks' sums where they are, in global
 * memory, with the barrier in the branch of the first threads; other blocks'
 * sums may not have been written yet.
 *
 * A static array has 48 KB at most, so a vector of 16,384 ints does not compile;
 * the copy in shared memory that reduce/single-launch makes of the sums only
 * hides the second race from a tool that looks at shared memory. */
extern "C" __global__ void
specimens_one_launch_sum (const int *in, int *partial, int *out)
{
  __shared__ int data[BLOCK * BLOCKS];
  const int i = blockIdx.x * BLOCK + threadIdx.x;

  data[i] = in[i];
  __syncthreads ();
  for (int half = BLOCK / 2; half > 0; half /= 2)
    {
      if (threadIdx.x < half)
        {
          data[i] += data[i + half];
          __syncthreads ();
        }
    }
  if (threadIdx.x == 0)
    partial[blockIdx.x] = data[i];
  if (i < BLOCKS)
    {
      for (int half = BLOCKS / 2; half > 0; half /= 2)
        {
          if (i < half)
            partial[i] += partial[i + half];
          __syncthreads ();
        }
    }
  if (i == 0)
    out[0] = partial[0];
}

/*! cured
 * [Sweep]
 * X=blocks
 * Y=block
 * block=64,256,1024
 * blocks=1,2,8
 *
 * [Claim found]
 * Text=Nothing makes the first threads wait for the other blocks' sums
 * Metric=findings
 * Low=2
 *
 * [Claim reserved]
 * Text=Each block reserves the array for the whole vector, 8 times what it uses
 * Metric=shared_static
 * Against=specimens/one-launch-sum-fixed
 * Low=8
 * High=8
 */
