// SPDX-License-Identifier: MIT
// Sum finished by the last block, wrong on purpose: one name for two sizes.
/*! cured
 * [Kernel]
 * Title=Two sizes of one name
 * Summary=The last block adds the partial sums; a size declared inside the kernel hides the one that counts them
 * Family=specimens
 * Step=20
 * Defect=out-of-bounds
 *
 * [Parameter block]
 * Kind=compile
 * Values=2^5..2^10
 * Default=256
 * Summary=threads per block, a power of two
 *
 * [Parameter blocks]
 * Kind=compile
 * Values=1..1024
 * Default=24
 * Summary=blocks in the grid
 *
 * [Parameter n]
 * Kind=problem
 * Default=10000
 * Summary=elements, any number
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
 * [Buffer finished]
 * Type=u32
 * Length=1
 * Fill=constant
 * Low=0
 *
 * [Buffer out]
 * Type=i32
 * Length=1
 * Fill=poison
 *
 * [Launch]
 * Entry=specimens_hidden_size
 * Grid=blocks
 * Block=block
 * Arguments=in,partial,finished,out,n
 *
 * [Check]
 * Output=out
 * Reference=sum
 */

static constexpr int grid_size = BLOCKS;

/* A specimen. Outside the kernel grid_size is the number of blocks, inside it
 * the number of threads of the grid: the step of the loop. The last block
 * should use the outer one, the number of partial sums; the compiler takes the
 * inner one, which exceeds every thread's index. So every thread of the last
 * block reads a partial sum, and with more threads per block than blocks most
 * of them read past the end.
 *
 * Expect a sum of arbitrary memory: right by luck, where the memory after the
 * partial sums happens to be zero. With at least as many blocks as threads per
 * block nothing is read past the end, and the sum lacks the partial sums
 * beyond the block's threads. -Wshadow warns of such a name. */
extern "C" __global__ void
specimens_hidden_size (const int *__restrict__ in,
                       int *partial,
                       unsigned *finished,
                       int *out,
                       int n)
{
  __shared__ int sums[BLOCK];
  const int grid_size = BLOCK * gridDim.x;
  int sum = 0;
  int is_last = 0;

  for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += grid_size)
    sum += in[i];
  sums[threadIdx.x] = sum;
  __syncthreads ();
  for (int half = BLOCK / 2; half > 0; half /= 2)
    {
      if (threadIdx.x < half)
        sums[threadIdx.x] += sums[threadIdx.x + half];
      __syncthreads ();
    }
  if (threadIdx.x == 0)
    {
      partial[blockIdx.x] = sums[0];
      __threadfence ();
      is_last = atomicAdd (finished, 1u) == gridDim.x - 1;
    }
  if (!__syncthreads_or (is_last))
    return;
  __threadfence ();
  sums[threadIdx.x] = threadIdx.x < grid_size ? partial[threadIdx.x] : 0;
  __syncthreads ();
  for (int half = BLOCK / 2; half > 0; half /= 2)
    {
      if (threadIdx.x < half)
        sums[threadIdx.x] += sums[threadIdx.x + half];
      __syncthreads ();
    }
  if (threadIdx.x == 0)
    {
      out[0] = sums[0];
      *finished = 0;
    }
}

/*! cured
 * [Sweep]
 * X=block
 * Y=blocks
 * block=64,256,1024
 * blocks=1,24,132
 *
 * [Claim found]
 * Text=Threads of the last block read past the partial sums
 * Metric=findings
 * Low=1
 *
 * [Claim as many]
 * Text=With as many blocks as threads per block nothing is past the end
 * Metric=findings
 * At=block=32,blocks=32
 * High=0
 */
