// SPDX-License-Identifier: MIT
// Sum by atomic additions to one word: one per thread, a warp or a block.
/*! cured
 * [Kernel]
 * Title=Sum with atomic additions
 * Summary=Threads, warps or blocks add what they have to the sum with an atomic instruction
 * Family=reduce
 * Step=15
 * Bytes=4*n
 * Ceiling=read
 * Like=reduce/vector
 *
 * [Buffer partial]   # none
 * [Buffer finished]  # none
 *
 * [Parameter by]
 * Kind=compile
 * Values=0..2
 * Names=thread,warp,block
 * Default=2
 * Summary=who adds to the sum
 *
 * [Launch 1]
 * Memset=out
 * Value=0
 *
 * [Launch 2]
 * Entry=reduce_atomic
 * Grid=per_sm*sms
 * Block=block
 * Arguments=in,out,n:i64
 */

#define BY_THREAD 0
#define BY_WARP   1

/* Before: memory. Now: memory, unless every warp adds to the one word.
 *
 * Against reduce/shuffle: there is no last block. The sum is set to 0 first,
 * and each block adds its own with an atomic instruction; integers may come in
 * any order. With by=warp or by=thread the tree is cut short, and warps or
 * threads add to the sum themselves. All of them access one word of the L2
 * cache, which performs the additions one after another. The machine code
 * differs from the source, though: where all lanes add to one word, the
 * compiler adds their numbers up first, so by=thread becomes by=warp. Expect
 * by=block to take as long as a last block, plus the memset, and the others to
 * pay for each warp. */
extern "C" __global__ void
reduce_atomic (const int *__restrict__ in, int *out, long long n)
{
  const int4 *const vectors = (const int4 *) in;
  const long long tiles = n / (4 * BLOCK * LOADS);
  int sum = 0;

  for (long long tile = blockIdx.x; tile < tiles; tile += gridDim.x)
    {
      const int4 *const from = vectors + tile * (BLOCK * LOADS) + threadIdx.x;
      int4 v[LOADS];

#pragma unroll
      for (int i = 0; i < LOADS; i++)
        v[i] = from[i * BLOCK];
#pragma unroll
      for (int i = 0; i < LOADS; i++)
        sum += (v[i].x + v[i].y) + (v[i].z + v[i].w);
    }
  for (long long i = tiles * (4 * BLOCK * LOADS) +
                     (long long) blockIdx.x * BLOCK + threadIdx.x;
       i < n;
       i += (long long) BLOCK * gridDim.x)
    sum += in[i];

#if BY == BY_THREAD
  atomicAdd (out, sum);
#else
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2)
    sum += __shfl_down_sync (0xffffffff, sum, distance);
#if BY == BY_WARP
  if (threadIdx.x % 32 == 0)
    atomicAdd (out, sum);
#else
  {
    __shared__ int sums[BLOCK / 32];

    if (threadIdx.x % 32 == 0)
      sums[threadIdx.x / 32] = sum;
    __syncthreads ();
    if (threadIdx.x == 0)
      {
        sum = 0;
#pragma unroll
        for (int warp = 0; warp < BLOCK / 32; warp++)
          sum += sums[warp];
        atomicAdd (out, sum);
      }
  }
#endif
#endif
}

/*! cured
 * [Sweep]
 * X=per_sm
 * Y=by
 * per_sm=1,2,4,8
 * by=0..2
 * block=128,256
 *
 * [Claim time]
 * Text=As fast as a last block
 * Metric=time
 * At=by=2,block=256,per_sm=8
 * Against=reduce/shuffle block=256,loads=4,per_sm=8
 * Low=0.92
 * High=1.05
 *
 * [Claim lanes]
 * Text=One addition per thread takes as long as one per warp
 * Metric=time
 * At=by=0,block=256,per_sm=8
 * Against=by=1
 * Low=0.94
 * High=1.06
 */
