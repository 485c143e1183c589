// SPDX-License-Identifier: MIT
// Sum in one launch: one atomic addition per block both adds and counts.
/*! cured
 * [Kernel]
 * Title=Sum and count packed in one word
 * Summary=Each block adds its sum and 1 to the halves of one 64-bit word; the block that finds all others counted has the sum
 * Family=reduce
 * Step=17
 * Bytes=4*n
 * Ceiling=read
 * Like=reduce/vector
 *
 * [Buffer partial]   # none
 * [Buffer finished]  # none
 *
 * [Parameter block]
 * Kind=compile
 * Values=2^5..2^10
 * Default=512
 * Summary=threads per block, a power of two
 *
 * [Parameter loads]
 * Kind=compile
 * Values=1..16
 * Default=4
 * Summary=loads of 16 bytes in flight per thread
 *
 * [Parameter per_sm]
 * Kind=launch
 * Values=1,2,4,8,16,32,64
 * Default=32
 * Summary=blocks of the grid per multiprocessor, resident or waiting
 *
 * [Buffer in]
 * Type=i32
 * Length=n
 * Fill=uniform
 * Low=-100
 * High=100
 * # A 64-bit word: the count is the first half, the sum the second.
 *
 * [Buffer packed]
 * Type=u32
 * Length=2
 * Fill=constant
 * Low=0
 *
 * [Launch]
 * Entry=reduce_packed
 * Grid=per_sm*sms
 * Block=block
 * Arguments=in,packed,out,n:i64
 */

/* Adds up one number per thread: the lanes of a warp with shuffles, then the
 * warps' sums, in the first warp. The sum is thread 0's. */
__device__ __forceinline__ int
add_block (int sum)
{
  __shared__ int sums[BLOCK / 32];

#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2)
    sum += __shfl_down_sync (0xffffffff, sum, distance);
  if (threadIdx.x % 32 == 0)
    sums[threadIdx.x / 32] = sum;
  __syncthreads ();
  if (threadIdx.x < 32)
    {
      sum = threadIdx.x < BLOCK / 32 ? sums[threadIdx.x] : 0;
#pragma unroll
      for (int distance = BLOCK / 64; distance > 0; distance /= 2)
        sum += __shfl_down_sync (0xffffffff, sum, distance);
    }
  return sum;
}

/* Before: memory. Now: memory, from the first load to the last.
 *
 * Against reduce/atomic: a last block waits until its own sum is visible to
 * all, then for the counter, then for all other sums. Here the sum and the
 * counter are the halves of one word, and one atomic addition changes both; it
 * also returns the previous value. The block that finds all others counted adds
 * its own sum to theirs, and that is all: no fence, no partial sums, no second
 * barrier, no memset. The counter is the lower half, so a sum that wraps
 * carries nothing into it.
 *
 * A block costs little at its end, so there can be more blocks than fit at
 * once. A multiprocessor that is done early takes the next one, so the last
 * blocks end together. The elements after the last full tile are distributed
 * over all threads of the grid. Expect the memory's rate, and no more time than
 * with a last block. */
extern "C" __global__ void
__launch_bounds__ (BLOCK) reduce_packed (const int *__restrict__ in,
                                         unsigned long long *packed,
                                         int *out,
                                         long long n)
{
  const long long threads = (long long) BLOCK * gridDim.x;
  const long long thread = (long long) blockIdx.x * BLOCK + threadIdx.x;
  const long long n_vectors = n / 4;
  const long long rounds = n_vectors / (threads * LOADS);
  const int4 *from = (const int4 *) in +
                     (long long) blockIdx.x * (BLOCK * LOADS) + threadIdx.x;
  int sum = 0;

#pragma unroll 1
  for (long long round = 0; round < rounds; round++)
    {
      int4 v[LOADS];

#pragma unroll
      for (int i = 0; i < LOADS; i++)
        v[i] = from[i * BLOCK];
#pragma unroll
      for (int i = 0; i < LOADS; i++)
        sum += (v[i].x + v[i].y) + (v[i].z + v[i].w);
      from += threads * LOADS;
    }

  from = (const int4 *) in + rounds * (threads * LOADS) + thread;
#pragma unroll
  for (int i = 0; i < LOADS; i++)
    if (rounds * (threads * LOADS) + i * threads + thread < n_vectors)
      {
        const int4 v = from[i * threads];

        sum += (v.x + v.y) + (v.z + v.w);
      }
  if (n_vectors * 4 + thread < n)
    sum += in[n_vectors * 4 + thread];
  sum = add_block (sum);

  if (threadIdx.x == 0)
    {
      const unsigned long long before =
          atomicAdd (packed, (unsigned long long) (unsigned) sum << 32 | 1);

      if ((unsigned) before == gridDim.x - 1)
        {
          out[0] = (int) (before >> 32) + sum;
          /* For the next run. */
          atomicExch (packed, 0ull);
        }
    }
}

/*! cured
 * [Sweep]
 * X=per_sm
 * Y=loads
 * per_sm=8,16,32,64
 * loads=2,4,8
 * block=256,512
 * n=10^8,2^30
 *
 * [Claim barriers]
 * Text=Half as many barriers as with a last block
 * Metric=barriers
 * At=block=256,per_sm=1,n=65536
 * Against=reduce/shuffle block=256,per_sm=1,n=65536
 * Low=0.48
 * High=0.52
 *
 * [Claim time]
 * Text=No longer than with a last block
 * Metric=time
 * At=block=512,loads=4,per_sm=32
 * Against=reduce/shuffle block=512,loads=4,per_sm=8
 * Low=0.9
 * High=1.03
 *
 * [Claim rate]
 * Text=The memory's rate
 * Metric=of_ceiling
 * At=block=512,loads=4,per_sm=32
 * Low=0.93
 */
