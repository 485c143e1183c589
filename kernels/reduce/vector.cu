// SPDX-License-Identifier: MIT
// Sum with loads of 16 bytes, several of them in flight per thread.
/*! cured
 * [Kernel]
 * Title=16-byte vector loads
 * Summary=Grid-stride tiles of several loads of four elements per thread, finished by the last block
 * Family=reduce
 * Step=13
 * Bytes=4*n
 * Ceiling=read
 *
 * [Parameter block]
 * Kind=compile
 * Values=2^5..2^10
 * Default=256
 * Summary=threads per block, a power of two
 *
 * [Parameter loads]
 * Kind=compile
 * Values=1..16
 * Default=4
 * Summary=loads in flight per thread
 *
 * [Parameter per_sm]
 * Kind=launch
 * Values=1,2,4,8,16
 * Default=8
 * Summary=blocks per multiprocessor
 *
 * [Parameter n]
 * Kind=problem
 * Default=10^8
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
 * Length=per_sm*sms
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
 * Entry=reduce_vector
 * Grid=per_sm*sms
 * Block=block
 * Arguments=in,partial,finished,out,n:i64
 *
 * [Check]
 * Output=out
 * Reference=sum
 */

/* Adds up one number per thread; every thread gets the sum. */
__device__ __forceinline__ int
add_block (int sum, int *sums)
{
  sums[threadIdx.x] = sum;
  __syncthreads ();
#pragma unroll
  for (unsigned half = BLOCK / 2; half > 0; half /= 2)
    {
      if (threadIdx.x < half)
        sums[threadIdx.x] += sums[threadIdx.x + half];
      __syncthreads ();
    }
  return sums[0];
}

/* Before: memory. Now: memory, with fewer instructions.
 *
 * Against reduce/last-block: a load brings four elements, so far fewer
 * instructions request the same bytes. A tile is all loads that a thread has
 * in flight at once; the code issues them together, before the first addition.
 * Memory needs bytes in flight: blocks × threads × bytes per thread. The heat
 * map shows that it does not matter whether blocks or threads bring them, and
 * little whether wider loads do. The compiler decides, though: of eight loads
 * it keeps no more in flight than of four, to save registers. Elements behind
 * the last full tile are added one by one. Expect the memory's rate wherever
 * enough is in flight. */
extern "C" __global__ void
reduce_vector (const int *__restrict__ in,
               volatile int *partial,
               unsigned *finished,
               int *out,
               long long n)
{
  __shared__ int sums[BLOCK];
  const int4 *const vectors = (const int4 *) in;
  const long long tiles = n / (4 * BLOCK * LOADS);
  int sum = 0;
  int is_last = 0;

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
  sum = add_block (sum, sums);

  if (threadIdx.x == 0)
    {
      partial[blockIdx.x] = sum;
      __threadfence ();
      is_last = atomicInc (finished, gridDim.x - 1) == gridDim.x - 1;
    }
  if (!__syncthreads_or (is_last))
    return;

  /* The fence's other half: nothing below may be read before the count,
   * which has wrapped to 0 for the next run. */
  __threadfence ();
  sum = 0;
  for (unsigned i = threadIdx.x; i < gridDim.x; i += BLOCK)
    sum += partial[i];
  sum = add_block (sum, sums);
  if (threadIdx.x == 0)
    out[0] = sum;
}

/*! cured
 * [Sweep]
 * X=loads
 * Y=per_sm
 * loads=1,2,4,8
 * per_sm=1,2,4,8
 * block=128,256,512
 *
 * [Claim instructions]
 * Text=Far fewer instructions than with loads of one element
 * Metric=instructions
 * At=block=256,per_sm=1,n=2^22
 * Against=reduce/last-block block=256,blocks=132,n=2^22
 * High=0.6
 *
 * [Claim way]
 * Text=It does not matter whether threads or blocks bring the loads
 * Metric=time
 * At=block=512,loads=1,per_sm=2
 * Against=block=128,loads=1,per_sm=8
 * Low=0.93
 * High=1.07
 *
 * [Claim loads]
 * Text=It hardly matters whether a thread has more loads or there are more blocks
 * Metric=time
 * At=block=256,loads=4,per_sm=1
 * Against=block=256,loads=1,per_sm=4
 * Low=0.9
 * High=1.25
 *
 * [Claim eight]
 * Text=Of eight loads, no more are in flight than of four
 * Metric=time
 * At=block=256,loads=8,per_sm=1
 * Against=block=256,loads=4,per_sm=1
 * Low=0.9
 * High=1.1
 *
 * [Claim rate]
 * Text=The memory's rate
 * Metric=of_ceiling
 * At=block=256,loads=4,per_sm=8
 * Low=0.9
 */
