// SPDX-License-Identifier: MIT
// Sum finished by the last block, with a name for each size.
/*! cured
 * [Kernel]
 * Title=A name for each size
 * Summary=The last block adds as many partial sums as there are blocks
 * Family=specimens
 * Step=20
 * Like=specimens/hidden-size
 *
 * [Launch]
 * Entry=specimens_hidden_size_fixed
 * Grid=blocks
 * Block=block
 * Arguments=in,partial,finished,out,n
 */

static constexpr int n_partial = BLOCKS;

/* The twin of specimens/hidden-size: the loop's increment is called a step,
 * and nothing hides the number of partial sums. The last block's threads walk
 * over them in a loop, since there may be more of them than threads. */
extern "C" __global__ void
specimens_hidden_size_fixed (const int *__restrict__ in,
                             int *partial,
                             unsigned *finished,
                             int *out,
                             int n)
{
  __shared__ int sums[BLOCK];
  const int step = BLOCK * gridDim.x;
  int sum = 0;
  int is_last = 0;

  for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += step)
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
  sum = 0;
  for (int k = threadIdx.x; k < n_partial; k += BLOCK)
    sum += partial[k];
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
 * [Claim clean]
 * Text=Nothing is read past the partial sums
 * Metric=findings
 * High=0
 *
 * [Claim more]
 * Text=Nor where there are more blocks than threads per block
 * Metric=findings
 * At=block=64,blocks=132
 * High=0
 */
