// SPDX-License-Identifier: MIT
// Dot product at the rate of memory: tiles, handed out as blocks ask for them.
/*! cured
 * [Kernel]
 * Title=Dot product, best
 * Summary=One launch of a grid that fits the device; tiles of wide loads, strided or handed out; shuffles; the last block finishes
 * Family=dot
 * Step=6
 * Bytes=8*n
 * Ceiling=read
 *
 * [Parameter block]
 * Kind=compile
 * Values=32..1024:32
 * Default=1024
 * Summary=threads per block, whole warps
 *
 * [Parameter per_sm]
 * Kind=launch
 * Values=1..32
 * Default=2
 * Summary=blocks per multiprocessor
 *
 * [Parameter loads]
 * Kind=compile
 * Values=1..8
 * Default=2
 * Summary=loads of 16 bytes of each array in flight per thread
 *
 * [Parameter hint]
 * Kind=compile
 * Values=0..2
 * Names=none,once,ahead
 * Default=0
 * Summary=cache hint of loads: none, used once, or fetch 256 bytes into L2
 *
 * [Parameter order]
 * Kind=compile
 * Values=0..1
 * Names=strided,handed
 * Default=1
 * Summary=a block's tiles: those a grid apart, or the next one that is free
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
 * Length=per_sm*sms
 * Fill=poison
 *
 * [Buffer counters]
 * Type=u32
 * Length=2
 * Fill=constant
 * Low=0
 *
 * [Buffer out]
 * Type=f32
 * Length=1
 * Fill=poison
 *
 * [Launch]
 * Entry=dot_best
 * Grid=per_sm*sms
 * Block=block
 * Arguments=a,b,partial,counters,out,n:i64
 *
 * [Check]
 * Output=out
 * Reference=dot
 * # Rounding: of the products and the last sums, and of each thread's own sum.
 * Tolerance=1e-6*(1+sqrt(n)) + 5e-8*n/sqrt(block*per_sm*sms)
 */

#define HINT_NONE     0
#define HINT_ONCE     1
#define HINT_AHEAD    2
#define ORDER_STRIDED 0
#define ORDER_HANDED  1

/* A tile: a block's loads in flight of each array, in vectors of four. */
#define TILE (BLOCK * LOADS)

__device__ __forceinline__ float4
load (const float4 *from)
{
#if HINT == HINT_NONE
  return *from;
#else
  float4 v;

#if HINT == HINT_AHEAD && __CUDA_ARCH__ >= 800
  asm volatile ("ld.global.nc.L1::no_allocate.L2::256B.v4.f32 "
                "{%0, %1, %2, %3}, [%4];"
#else
  asm volatile ("ld.global.nc.L1::no_allocate.v4.f32 {%0, %1, %2, %3}, [%4];"
#endif
                : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
                : "l"(from));
  return v;
#endif
}

/* Adds up one number per thread: a warp its own in registers, the first warp
 * those of the warps. The result is thread 0's; a second call needs a barrier
 * before it. */
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

/* Before: memory, at 98 % of the measured limit. Now: memory, at the measured
 * limit.
 *
 * Against dot/last-block: there are as many blocks as are resident, so all
 * start together and the last block's sum is short. A thread has a tile of
 * loads in flight. With order=handed a block that is done with a tile draws
 * the next one from a counter, so all end together, however fast each of them
 * is. It draws before it waits for its own loads, so the ticket has arrived
 * when it is needed. Tiles that are drawn take no longer than tiles a grid
 * apart, but they must be large, since there is a barrier per tile; and the
 * last bits of the sum differ from run to run.
 *
 * Letting L2 fetch 256 bytes where a sector of 32 is requested costs more than
 * it gains; see also vector/best. Expect the rate of memory. */
extern "C" __global__ void __launch_bounds__ (BLOCK)
dot_best (const float *__restrict__ a,
          const float *__restrict__ b,
          volatile float *partial,
          unsigned *counters,
          float *out,
          long long n)
{
  const float4 *a4 = (const float4 *) a;
  const float4 *b4 = (const float4 *) b;
  const long long n_vectors = n / 4;
  const long long n_tiles = (n_vectors + TILE - 1) / TILE;
  long long tile = blockIdx.x;
  float sums[LOADS] = { 0 };
  float sum = 0;
  int is_last = 0;
#if ORDER == ORDER_HANDED
  __shared__ unsigned next_tile[2];
  unsigned next = 0;
  int turn = 0;
#endif

  while (tile < n_tiles)
    {
      const long long i = tile * TILE + threadIdx.x;

#if ORDER == ORDER_HANDED
      /* Requested now, and needed when this tile is done. */
      if (threadIdx.x == 0)
        next = gridDim.x + atomicAdd (&counters[1], 1u);
#endif
      if ((tile + 1) * TILE <= n_vectors)
        {
          float4 x[LOADS], y[LOADS];

#pragma unroll
          for (int v = 0; v < LOADS; v++)
            {
              x[v] = load (a4 + i + v * BLOCK);
              y[v] = load (b4 + i + v * BLOCK);
            }
#pragma unroll
          for (int v = 0; v < LOADS; v++)
            sums[v] = dot4 (x[v], y[v], sums[v]);
        }
      else
        for (int v = 0; v < LOADS; v++)
          if (i + v * BLOCK < n_vectors)
            sum = dot4 (a4[i + v * BLOCK], b4[i + v * BLOCK], sum);
#if ORDER == ORDER_HANDED
      /* Two slots alternate: the next tile's number is written into the
       * other one while slow warps still read this one. */
      if (threadIdx.x == 0)
        next_tile[turn] = next;
      __syncthreads ();
      tile = next_tile[turn];
      turn = !turn;
#else
      tile += gridDim.x;
#endif
    }
  /* The elements after the last vector: three at most. */
  if (blockIdx.x == 0 && threadIdx.x < n % 4)
    {
      const long long i = n_vectors * 4 + threadIdx.x;

      sum += a[i] * b[i];
    }
#pragma unroll
  for (int v = 0; v < LOADS; v++)
    sum += sums[v];
  sum = add_block (sum);

  if (threadIdx.x == 0)
    {
      partial[blockIdx.x] = sum;
      __threadfence ();
      is_last = atomicInc (&counters[0], gridDim.x - 1) == gridDim.x - 1;
    }
  if (!__syncthreads_or (is_last))
    return;

  /* The fence's other half: nothing below may be read before the count,
   * which has wrapped to 0 for the next run. */
  __threadfence ();
  sum = 0;
  for (unsigned i = threadIdx.x; i < gridDim.x; i += BLOCK)
    sum += partial[i];
  sum = add_block (sum);
  if (threadIdx.x == 0)
    {
      out[0] = sum;
      counters[1] = 0;
    }
}

/*! cured
 * [Sweep]
 * X=loads
 * Y=per_sm
 * loads=1,2,4
 * per_sm=1,2
 * block=512,1024
 * order=0,1
 * hint=0,2
 *
 * [Claim ceiling]
 * Text=Expect the rate of memory
 * Metric=of_ceiling
 * At=n=100000000,block=1024,per_sm=2,loads=2,order=handed
 * Low=0.93
 *
 * [Claim handed]
 * Text=Tiles that are handed out take no longer than those a grid apart
 * Metric=time
 * At=block=1024,per_sm=2,loads=2,order=handed
 * Against=order=strided
 * High=1.05
 *
 * [Claim small]
 * Text=Small tiles that are handed out take longer than those a grid apart: each costs a barrier
 * Metric=time
 * At=block=512,per_sm=1,loads=1,order=handed
 * Against=order=strided
 * Low=1.2
 *
 * [Claim ahead]
 * Text=Fetching 256 bytes costs more than it gains
 * Metric=time
 * At=block=1024,per_sm=2,loads=2,order=handed,hint=ahead
 * Against=hint=none
 * Low=1.02
 */
