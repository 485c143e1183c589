// SPDX-License-Identifier: MIT
// Sum with several elements per thread: a tile per block.
/*! cured
 * [Kernel]
 * Title=Several elements per thread
 * Summary=Each block adds a tile of several elements per thread, loaded before any of them is added
 * Family=reduce
 * Step=9
 * Bytes=4*n
 * Ceiling=read
 * Like=reduce/interleaved-modulo
 *
 * [Parameter block]
 * Kind=compile
 * Values=2^6..2^10
 * Default=256
 * Summary=threads per block, a power of two
 *
 * [Parameter elements]
 * Kind=compile
 * Values=1..64
 * Default=16
 * Summary=elements per thread
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
 * Length=ceil(n/(block*elements))
 * Fill=poison
 *
 * [Buffer few]
 * Type=i32
 * Length=min(ceil(ceil(n/(block*elements))/block),sms)
 * Fill=poison
 *
 * [Launch 1]
 * Entry=reduce_several
 * Grid=ceil(n/(block*elements))
 * Block=block
 * Arguments=in,partial,n:i64
 *
 * [Launch 2]
 * Entry=reduce_several_finish
 * Grid=min(ceil(ceil(n/(block*elements))/block),sms)
 * Block=block
 * Arguments=partial,few,ceil(n/(block*elements)):i64
 *
 * [Launch 3]
 * Entry=reduce_several_finish
 * Grid=1
 * Block=block
 * Arguments=few,out,min(ceil(ceil(n/(block*elements))/block),sms):i64
 */

/* Adds up one number per thread; the sum is thread 0's. */
__device__ __forceinline__ int
add_block (int sum)
{
  __shared__ int sums[BLOCK];

  sums[threadIdx.x] = sum;
  __syncthreads ();
#pragma unroll
  for (unsigned half = BLOCK / 2; half > 32; half /= 2)
    {
      if (threadIdx.x < half)
        sums[threadIdx.x] += sums[threadIdx.x + half];
      __syncthreads ();
    }
  if (threadIdx.x < 32)
    {
      sum = sums[threadIdx.x];
#pragma unroll
      for (unsigned half = 32; half > 0; half /= 2)
        {
          /* Read, wait, write, wait: a lane reads an element that another
           * one writes in the same step. */
          sum += sums[threadIdx.x + half];
          __syncwarp ();
          sums[threadIdx.x] = sum;
          __syncwarp ();
        }
    }
  return sum;
}

/* Before: block dispatch. Now: memory, once a thread has enough loads in
 * flight; with few elements per thread it is still the number of blocks.
 *
 * Against reduce/unrolled: with a block per few hundred elements, starting
 * blocks takes longer than adding, so each thread adds more elements in a
 * register. A full tile is loaded without bounds checks, and all its loads can
 * be in flight at once; only the last tile checks. Neighbouring lanes load
 * neighbouring elements. Expect the rate to rise with the elements until
 * memory is the limit. */
extern "C" __global__ void
reduce_several (const int *__restrict__ in,
                int *__restrict__ partial,
                long long n)
{
  const long long tile = (long long) blockIdx.x * (BLOCK * ELEMENTS);
  const int *const from = in + tile + threadIdx.x;
  int sum = 0;

  if (n - tile >= BLOCK * ELEMENTS)
    {
#pragma unroll
      for (int i = 0; i < ELEMENTS; i++)
        sum += from[i * BLOCK];
    }
  else
    {
      for (int i = threadIdx.x; i < n - tile; i += BLOCK)
        sum += in[tile + i];
    }
  sum = add_block (sum);
  if (threadIdx.x == 0)
    partial[blockIdx.x] = sum;
}

/* Adds the blocks' sums: first on every multiprocessor, then in one block. */
extern "C" __global__ void
reduce_several_finish (const int *__restrict__ partial,
                       int *__restrict__ out,
                       long long n_partial)
{
  const long long stride = (long long) BLOCK * gridDim.x;
  int sum = 0;

  for (long long i = (long long) blockIdx.x * BLOCK + threadIdx.x;
       i < n_partial;
       i += stride)
    sum += partial[i];
  sum = add_block (sum);
  if (threadIdx.x == 0)
    out[blockIdx.x] = sum;
}

/*! cured
 * [Sweep]
 * X=elements
 * Y=block
 * elements=1,2,4,8,16,32,64
 * block=64,128,256,512,1024
 *
 * [Claim barriers]
 * Text=One eighth of the trees of two elements per thread
 * Metric=barriers
 * At=block=256,elements=16,n=2^18
 * Against=block=256,elements=2
 * Low=0.1
 * High=0.15
 *
 * [Claim time]
 * Text=Far less time than with two elements per thread
 * Metric=time
 * At=block=256,elements=16
 * Against=block=256,elements=2
 * High=0.62
 *
 * [Claim rate]
 * Text=Near the memory's rate
 * Metric=of_ceiling
 * At=block=256,elements=16
 * Low=0.85
 */
