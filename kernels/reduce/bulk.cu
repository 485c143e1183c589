// SPDX-License-Identifier: MIT
// Sum fed by bulk copies into shared memory (TMA): one thread asks for tiles.
/*! cured
 * [Kernel]
 * Title=Sum with bulk copies into shared memory
 * Summary=One thread copies tiles into a ring in shared memory; the others add those that have arrived
 * Family=reduce
 * Step=16
 * Role=detour
 * Bytes=4*n
 * Ceiling=read
 * Like=reduce/vector
 *
 * [Parameter loads]  # none
 *
 * [Parameter block]
 * Kind=compile
 * Values=2^5..2^10
 * Default=256
 * Summary=threads per block, a power of two
 *
 * [Parameter tile]
 * Kind=compile
 * Values=2^10..2^16
 * Default=2^14
 * Summary=bytes a copy, a power of two
 *
 * [Parameter tiles]
 * Kind=compile
 * Values=1..16
 * Default=4
 * Summary=copies in flight per block
 *
 * [Parameter per_sm]
 * Kind=launch
 * Values=1,2,4,8,16
 * Default=2
 * Summary=blocks per multiprocessor
 *
 * [Require chip]
 * If=compute_major >= 9
 * Reason=Bulk copies need compute capability 9.0
 *
 * [Require share]
 * If=tile >= 16*block
 * Reason=Each thread has to find 16 bytes or more in a tile
 *
 * [Launch]
 * Entry=reduce_bulk
 * Grid=per_sm*sms
 * Block=block
 * Shared=tile*tiles
 * Arguments=in,partial,finished,out,n:i64
 */

__device__ __forceinline__ unsigned
shared_address (const void *pointer)
{
  return (unsigned) __cvta_generic_to_shared (pointer);
}

/* Starts the copy of a tile. The barrier's phase ends when all bytes have
 * arrived. */
__device__ __forceinline__ void
start_copy (int4 *to, const int *from, unsigned long long *arrived)
{
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
               :
               : "r"(shared_address (arrived)), "r"(TILE)
               : "memory");
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier"
               "::complete_tx::bytes [%0], [%1], %2, [%3];"
               :
               : "r"(shared_address (to)),
                 "l"(from),
                 "r"(TILE),
                 "r"(shared_address (arrived))
               : "memory");
}

/* Waits for a tile; the parity distinguishes it from the previous one in the
 * same slot. */
__device__ __forceinline__ void
wait_for_copy (unsigned long long *arrived, unsigned parity)
{
  asm volatile("{\n"
               ".reg .pred done;\n"
               "again:\n"
               "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
               "@!done bra again;\n"
               "}"
               :
               : "r"(shared_address (arrived)), "r"(parity)
               : "memory");
}

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
 * A detour, against reduce/shuffle: bytes in flight need no registers. One
 * thread names an address and a length, and a unit of the multiprocessor
 * copies the tile into shared memory; the block waits for the bytes of the
 * oldest tile, adds them up, and starts the copy of the next tile into their
 * place. Threads fill no registers and compute no addresses, and as many bytes
 * can be in flight as shared memory holds: the number of tiles and their size
 * are the axes of the heat map. The price is a barrier per tile and a second
 * copy, from shared memory to registers. Expect the rate of loads into
 * registers with far fewer threads, but no more: memory limits both. */
extern "C" __global__ void
reduce_bulk (const int *__restrict__ in,
             volatile int *partial,
             unsigned *finished,
             int *out,
             long long n)
{
  extern __shared__ __align__ (128) int4 ring[];
  __shared__ unsigned long long arrived[TILES];
  __shared__ int sums[BLOCK / 32];
  const long long n_tiles = n / (TILE / 4);
  long long next = blockIdx.x;
  unsigned parity = 0;
  int slot = 0;
  int sum = 0;
  int is_last = 0;

  if (threadIdx.x == 0)
    {
      for (int i = 0; i < TILES; i++)
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;"
                     :
                     : "r"(shared_address (arrived + i))
                     : "memory");
      asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
      for (int i = 0; i < TILES && next < n_tiles; i++, next += gridDim.x)
        start_copy (
            ring + i * (TILE / 16), in + next * (TILE / 4), arrived + i);
    }
  __syncthreads ();

  /* Elements after the last tile, while the first tiles are in flight. */
  for (long long i =
           n_tiles * (TILE / 4) + (long long) blockIdx.x * BLOCK + threadIdx.x;
       i < n;
       i += (long long) BLOCK * gridDim.x)
    sum += in[i];

#pragma unroll 1
  for (long long tile = blockIdx.x; tile < n_tiles; tile += gridDim.x)
    {
      const int4 *const from = ring + slot * (TILE / 16) + threadIdx.x;

      wait_for_copy (arrived + slot, parity);
#pragma unroll
      for (int i = 0; i < TILE / 16 / BLOCK; i++)
        {
          const int4 v = from[i * BLOCK];

          sum += (v.x + v.y) + (v.z + v.w);
        }
      __syncthreads ();
      if (threadIdx.x == 0 && next < n_tiles)
        {
          start_copy (ring + slot * (TILE / 16),
                      in + next * (TILE / 4),
                      arrived + slot);
          next += gridDim.x;
        }
      if (++slot == TILES)
        {
          slot = 0;
          parity ^= 1;
        }
    }
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
 * X=tile
 * Y=tiles
 * tile=2^12..2^15
 * tiles=2,3,4,6
 * per_sm=1,2
 *
 * [Claim way]
 * Text=16 KB in flight per multiprocessor take far longer than 64 KB
 * Metric=time
 * At=tile=2^12,tiles=4,per_sm=1
 * Against=tile=2^14
 * Low=1.3
 *
 * [Claim threads]
 * Text=With 256 threads per multiprocessor, faster than loads into registers
 * Metric=time
 * At=tile=2^15,tiles=4,per_sm=1
 * Against=reduce/shuffle block=256,loads=8,per_sm=1
 * High=0.88
 *
 * [Claim time]
 * Text=No faster than loads into registers with enough threads
 * Metric=time
 * At=tile=2^15,tiles=4,per_sm=1
 * Against=reduce/shuffle block=256,loads=4,per_sm=8
 * Low=0.92
 * High=1.06
 */
