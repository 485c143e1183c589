// SPDX-License-Identifier: MIT
// Dot product with loads of 16 bytes, several in flight.
/*! cured
 * [Kernel]
 * Title=Dot product with wide loads
 * Summary=Loads of 16 bytes, several of each array in flight per thread; a tree, then one block
 * Family=dot
 * Step=3
 * Bytes=8*n
 * Ceiling=read
 * Like=dot/shuffle
 *
 * [Parameter block]
 * Kind=compile
 * Values=1..1024
 * Default=256
 * Summary=threads per block
 *
 * [Launch 1]
 * Entry=dot_wide
 * Grid=blocks
 * Block=block
 * Arguments=a,b,partial,n:i64
 *
 * [Launch 2]
 * Entry=dot_wide_finish
 * Grid=1
 * Block=block
 * Arguments=partial,out,blocks
 */

/* Adds up one number per thread with a tree in shared memory, for any size of
 * the block. The sum is thread 0's. */
__device__ __forceinline__ float
add_block (float sum)
{
  __shared__ float cache[BLOCK];

  cache[threadIdx.x] = sum;
  __syncthreads ();
  for (int active = BLOCK; active > 1; active = (active + 1) / 2)
    {
      if (threadIdx.x < active / 2)
        cache[threadIdx.x] += cache[threadIdx.x + (active + 1) / 2];
      __syncthreads ();
    }
  return cache[0];
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

/* Before: memory. Now: memory, at fewer threads: bytes in flight over latency
 * is bandwidth, and a thread that requests 4 bytes at a time has few in
 * flight.
 *
 * Against dot/two-launch: a load takes four elements, 16 bytes, and a thread
 * issues LOADS such loads of each array before it needs the first. The bytes
 * are the same. Expect less than half of the instructions, and the largest
 * gain with few threads. */
extern "C" __global__ void
dot_wide (const float *__restrict__ a,
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
dot_wide_finish (const float *__restrict__ partial,
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
 * Y=loads
 * block=128,256
 * blocks=66,132,264,528,1056,2112
 * loads=1,2,4,8
 *
 * [Claim instructions]
 * Text=Expect less than half of the instructions
 * Metric=instructions
 * At=n=200000,block=256,blocks=8,loads=2
 * Against=dot/two-launch n=200000,block=256,blocks=8
 * High=0.5
 *
 * [Claim sectors]
 * Text=The bytes are the same
 * Metric=global_sectors
 * At=n=200000,block=256,blocks=8,loads=2
 * Against=dot/two-launch n=200000,block=256,blocks=8
 * Low=0.99
 * High=1.01
 *
 * [Claim few]
 * Text=Expect the largest gain with few threads
 * Metric=time
 * At=block=256,blocks=264,loads=4
 * Against=dot/two-launch n=100000000,block=256,blocks=264
 * High=0.85
 */
