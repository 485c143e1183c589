// SPDX-License-Identifier: MIT
// Sum whose blocks are added up with warp shuffles.
/*! cured
 * [Kernel]
 * Title=Warp shuffles
 * Summary=Lanes add their sums with shuffles; one number per warp goes through shared memory
 * Family=reduce
 * Step=14
 * Bytes=4*n
 * Ceiling=read
 * Like=reduce/vector
 *
 * [Launch]
 * Entry=reduce_shuffle
 * Grid=per_sm*sms
 * Block=block
 * Arguments=in,partial,finished,out,n:i64
 */

/* Adds up one number per thread: the lanes of a warp with shuffles, then the
 * warps' sums, in the first warp. The sum is thread 0's. */
__device__ __forceinline__ int
add_block (int sum, int *sums)
{
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

/* Before: memory. Now: memory.
 *
 * Against reduce/vector: lanes of a warp exchange their sums in registers.
 * The tree needs neither shared memory nor a barrier until one sum per warp
 * is left; these go to shared memory, behind the only barrier, and the first
 * warp adds them in the same way. Expect a fifth of the barriers and
 * wavefronts with blocks of 256 threads, and the same time for a long vector:
 * there is one tree per block, and all other additions are in registers
 * already. */
extern "C" __global__ void
reduce_shuffle (const int *__restrict__ in,
                volatile int *partial,
                unsigned *finished,
                int *out,
                long long n)
{
  __shared__ int sums[BLOCK / 32];
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
 * [Claim barriers]
 * Text=A fifth of the barriers, with blocks of 256 threads
 * Metric=barriers
 * At=block=256,per_sm=1,n=65536
 * Against=reduce/vector block=256,per_sm=1,n=65536
 * Low=0.19
 * High=0.21
 *
 * [Claim wavefronts]
 * Text=A fifth of the wavefronts of shared memory, with blocks of 256 threads
 * Metric=shared_wavefronts
 * At=block=256,per_sm=1,n=65536
 * Against=reduce/vector block=256,per_sm=1,n=65536
 * Low=0.19
 * High=0.21
 *
 * [Claim time]
 * Text=The same time, when the vector is long
 * Metric=time
 * At=block=256,loads=4,per_sm=8
 * Against=reduce/vector block=256,loads=4,per_sm=8
 * Low=0.94
 * High=1.06
 */
