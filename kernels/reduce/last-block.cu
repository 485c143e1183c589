// SPDX-License-Identifier: MIT
// Sum in one launch: the block that finishes last adds the partial sums.
/*! cured
 * [Kernel]
 * Title=Sum in one launch, finished by the last block
 * Summary=Grid-stride partial sums; an atomic counter tells which block is the last, and that one adds them
 * Family=reduce
 * Step=12
 * Bytes=4*n
 * Ceiling=read
 * Like=reduce/vector
 *
 * [Parameter loads]   # none
 * [Parameter per_sm]  # none
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
 * [Launch]
 * Entry=reduce_last_block
 * Grid=blocks
 * Block=block
 * Arguments=in,partial,finished,out,n:i64
 */

/* Adds up one number per thread, for any size of the block; every thread gets
 * the sum. */
__device__ __forceinline__ int
add_block (int sum, int *sums)
{
  sums[threadIdx.x] = sum;
  __syncthreads ();
  for (int active = BLOCK; active > 1; active = (active + 1) / 2)
    {
      const int half = (active + 1) / 2;

      if (threadIdx.x < active / 2)
        sums[threadIdx.x] += sums[threadIdx.x + half];
      __syncthreads ();
    }
  return sums[0];
}

/* Before: memory. Now: memory, as in reduce/two-launch.
 *
 * Against reduce/two-launch: no second launch. A block writes its partial sum,
 * makes it visible to all (__threadfence), and increments a counter. The block
 * that increments it last knows that all others have written. __syncthreads_or
 * is a barrier that also passes thread 0's result to the whole block. This
 * saves a launch, which is small beside a long vector: expect about the same
 * time.
 *
 * The last block resets the counter to 0 for the next run. */
extern "C" __global__ void
reduce_last_block (const int *__restrict__ in,
                   volatile int *partial,
                   unsigned *finished,
                   int *out,
                   long long n)
{
  __shared__ int sums[BLOCK];
  const long long stride = (long long) BLOCK * gridDim.x;
  int sum = 0;
  int is_last = 0;

  for (long long i = (long long) blockIdx.x * BLOCK + threadIdx.x; i < n;
       i += stride)
    sum += in[i];
  sum = add_block (sum, sums);

  if (threadIdx.x == 0)
    {
      partial[blockIdx.x] = sum;
      __threadfence ();
      is_last = atomicAdd (finished, 1u) == gridDim.x - 1;
    }
  if (!__syncthreads_or (is_last))
    return;

  /* The fence's other half: nothing below may be read before the count. */
  __threadfence ();
  sum = 0;
  for (unsigned i = threadIdx.x; i < gridDim.x; i += BLOCK)
    sum += partial[i];
  sum = add_block (sum, sums);
  if (threadIdx.x == 0)
    {
      out[0] = sum;
      *finished = 0;
    }
}

/*! cured
 * [Sweep]
 * X=blocks
 * Y=block
 * block=64,96,128,192,256,384,512,768,1024
 * blocks=8,24,66,132,264,528,1056,2112,4224
 *
 * [Claim time]
 * Text=A long vector gains next to nothing: a second launch is short beside it
 * Question=For a sum of 10⁸ elements, what fraction of the time of two launches does one launch take?
 * Metric=time
 * At=block=256,blocks=1056
 * Against=reduce/two-launch block=256,blocks=1056
 * Low=0.92
 * High=1.04
 *
 * [Claim sectors]
 * Text=The same bytes, and a few more for the finish
 * Metric=global_sectors
 * At=block=256,blocks=16,n=2^18
 * Against=reduce/two-launch block=256,blocks=16,n=2^18
 * Low=1
 * High=1.01
 */
