// SPDX-License-Identifier: MIT
// Dot product in one launch: the last block adds the partial sums.
/*! cured
 * [Kernel]
 * Title=Dot product in one launch
 * Summary=Wide loads and shuffles; an atomic counter tells which block is the last, and that one adds the partial sums
 * Family=dot
 * Step=5
 * Bytes=8*n
 * Ceiling=read
 * Like=dot/shuffle
 *
 * [Buffer a]
 * Type=f32
 * Length=n
 * Fill=uniform
 * Low=-1
 * High=1
 *
 * [Buffer b]
 * Type=f32
 * Length=n
 * Fill=uniform
 * Low=-1
 * High=1
 *
 * [Buffer partial]
 * Type=f32
 * Length=blocks
 * Fill=poison
 *
 * [Buffer finished]
 * Type=u32
 * Length=1
 * Fill=constant
 * Low=0
 *
 * [Launch]
 * Entry=dot_last_block
 * Grid=blocks
 * Block=block
 * Arguments=a,b,partial,finished,out,n:i64
 */

/* Adds up one number per thread, for a block of whole warps: a warp adds its
 * own in registers, and the first warp adds the sums of the warps. The sum is
 * thread 0's; a second call needs a barrier before it. */
__device__ __forceinline__ float
add_block (float sum)
{
  __shared__ float sums[BLOCK / 32];

  for (int lanes = 16; lanes > 0; lanes /= 2)
    sum += __shfl_down_sync (~0u, sum, lanes);
  if (threadIdx.x % 32 == 0)
    sums[threadIdx.x / 32] = sum;
  __syncthreads ();
  if (threadIdx.x < 32)
    {
      sum = threadIdx.x < BLOCK / 32 ? sums[threadIdx.x] : 0;
      for (int lanes = 16; lanes > 0; lanes /= 2)
        sum += __shfl_down_sync (~0u, sum, lanes);
    }
  return sum;
}

__device__ __forceinline__ float
dot4 (float4 x, float4 y, float sum)
{
  return x.x * y.x + (x.y * y.y + (x.z * y.z + (x.w * y.w + sum)));
}

/* A thread's own sum: vectors of its own, LOADS of each array at a time, one
 * grid after another. */
__device__ __forceinline__ float
add_products (const float *__restrict__ a,
              const float *__restrict__ b,
              long long n)
{
  const float4 *a4 = (const float4 *) a;
  const float4 *b4 = (const float4 *) b;
  const long long stride = (long long) BLOCK * LOADS * gridDim.x;
  const long long n4 = n / 4;
  long long i = (long long) blockIdx.x * BLOCK * LOADS + threadIdx.x;
  float sums[LOADS] = { 0 };
  float sum = 0;

  for (; i + (LOADS - 1) * BLOCK < n4; i += stride)
    {
      float4 x[LOADS], y[LOADS];

#pragma unroll
      for (int v = 0; v < LOADS; v++)
        {
          x[v] = a4[i + v * BLOCK];
          y[v] = b4[i + v * BLOCK];
        }
#pragma unroll
      for (int v = 0; v < LOADS; v++)
        sums[v] = dot4 (x[v], y[v], sums[v]);
    }
  /* Vectors of the last, partial round, and then the elements after the
   * last vector: three at most. */
#pragma unroll
  for (int v = 0; v < LOADS; v++)
    {
      if (i + v * BLOCK < n4)
        sums[v] = dot4 (a4[i + v * BLOCK], b4[i + v * BLOCK], sums[v]);
      sum += sums[v];
    }
  for (i = n4 * 4 + (long long) blockIdx.x * BLOCK + threadIdx.x; i < n;
       i += (long long) BLOCK * gridDim.x)
    sum += a[i] * b[i];
  return sum;
}

/* Before: memory, and for short vectors the second launch, which waits
 * until the first one has drained and then does next to nothing. Now:
 * memory.
 *
 * Against dot/shuffle: a block writes its partial sum, makes it visible to all
 * (__threadfence), and increments a counter. The block that increments it last
 * knows that the others have written, and adds. It resets the counter to 0 for
 * the next run. Expect the time of a launch to be saved, which matters for
 * short vectors only. */
extern "C" __global__ void
dot_last_block (const float *__restrict__ a,
                const float *__restrict__ b,
                volatile float *partial,
                unsigned *finished,
                float *out,
                long long n)
{
  float sum = add_block (add_products (a, b, n));
  int is_last = 0;

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
  sum = add_block (sum);
  if (threadIdx.x == 0)
    {
      out[0] = sum;
      *finished = 0;
    }
}

/*! cured
 * [Sweep]
 * X=blocks
 * Y=n
 * block=256
 * blocks=66,132,264,528,1056,2112,4224
 * n=10^5,10^6,10^7,10^8
 *
 * [Claim short]
 * Text=A short vector saves a launch; wide loads and shuffles save time, too
 * Question=For a dot product of 10⁶ elements, what fraction of the time of two launches does one launch take?
 * Metric=time
 * At=n=1000000,block=256,blocks=264
 * Against=dot/two-launch n=1000000,block=256,blocks=264
 * High=0.85
 */
