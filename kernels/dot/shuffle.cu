// SPDX-License-Identifier: MIT
// Dot product whose blocks add in registers.
/*! cured
 * [Kernel]
 * Title=Dot product with shuffles
 * Summary=Wide loads; warps add in registers, the first warp adds their sums; then one block
 * Family=dot
 * Step=4
 * Bytes=8*n
 * Ceiling=read
 *
 * [Parameter block]
 * Kind=compile
 * Values=32..1024:32
 * Default=256
 * Summary=threads per block, whole warps
 *
 * [Parameter blocks]
 * Kind=launch
 * Default=1056
 * Summary=blocks in the grid
 *
 * [Parameter loads]
 * Kind=compile
 * Values=1,2,4,8
 * Default=2
 * Summary=loads of 16 bytes of each array in flight per thread
 *
 * [Parameter n]
 * Kind=problem
 * Default=10^8
 * Summary=elements, any number
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
 * [Buffer out]
 * Type=f32
 * Length=1
 * Fill=poison
 *
 * [Launch 1]
 * Entry=dot_shuffle
 * Grid=blocks
 * Block=block
 * Arguments=a,b,partial,n:i64
 *
 * [Launch 2]
 * Entry=dot_shuffle_finish
 * Grid=1
 * Block=block
 * Arguments=partial,out,blocks
 *
 * [Check]
 * Output=out
 * Reference=dot
 * # Rounding: of the products and the last sums, and of each thread's own sum.
 * Tolerance=1e-6*(1+sqrt(n)) + 5e-8*n/sqrt(block*blocks)
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

/* Before: memory, except at the end of each block: each of the tree's
 * log2(BLOCK) steps is a barrier, and the block loads nothing meanwhile. Now:
 * memory.
 *
 * Against dot/wide: lanes of a warp exchange their sums in registers, which
 * needs neither shared memory nor a barrier. One barrier is left, for the sums
 * of the warps. Expect a fraction of the barriers and of the accesses to shared
 * memory; a long vector gains little. */
extern "C" __global__ void
dot_shuffle (const float *__restrict__ a,
             const float *__restrict__ b,
             float *__restrict__ partial,
             long long n)
{
  const float sum = add_block (add_products (a, b, n));

  if (threadIdx.x == 0)
    partial[blockIdx.x] = sum;
}

/* One block adds the blocks' sums, however many there are. */
extern "C" __global__ void
dot_shuffle_finish (const float *__restrict__ partial,
                    float *__restrict__ out,
                    int n_partial)
{
  float sum = 0;

  for (int i = threadIdx.x; i < n_partial; i += BLOCK)
    sum += partial[i];
  sum = add_block (sum);
  if (threadIdx.x == 0)
    out[0] = sum;
}

/*! cured
 * [Sweep]
 * X=blocks
 * Y=block
 * block=32,64,128,256,512,1024
 * blocks=66,132,264,528,1056,2112,4224
 *
 * [Claim barriers]
 * Text=Expect a tree's barriers to go: of 1 + log2(block) one is left
 * Metric=barriers
 * At=n=200000,block=256,blocks=8,loads=2
 * Against=dot/wide n=200000,block=256,blocks=8,loads=2
 * High=0.125
 *
 * [Claim wavefronts]
 * Text=Expect a fraction of the accesses to shared memory
 * Metric=shared_wavefronts
 * At=n=200000,block=256,blocks=8,loads=2
 * Against=dot/wide n=200000,block=256,blocks=8,loads=2
 * High=0.5
 */
