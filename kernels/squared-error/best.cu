// SPDX-License-Identifier: MIT
// Squared error at the rate of memory.
/*! cured
 * [Kernel]
 * Title=Squared error, best
 * Summary=One launch of a grid that fits the device; tiles of wide loads, strided or handed out; shuffles; the last block finishes
 * Family=squared-error
 * Step=3
 * Bytes=8*n*n
 * Ceiling=read
 * Like=squared-error/read
 *
 * [Buffer a]
 * Type=f32
 * Length=n*n
 * Fill=uniform
 * Low=-1
 * High=1
 *
 * [Buffer b]
 * Type=f32
 * Length=n*n
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
 * Length=2
 * Fill=poison
 *
 * [Launch]
 * Entry=squared_error_best
 * Grid=per_sm*sms
 * Block=block
 * Arguments=a,b,partial,counters,out,n
 *
 * [Check]
 * Output=out
 * Reference=squared-error
 * Relative=(8*ceil(n*n/(4*block*loads*per_sm*sms)) + ceil(per_sm*sms/block) + 5*loads + 26)*2^-24 # half a step for each addition that an element is in, where a block is handed twice its part
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
error4 (float4 x, float4 y, float sum)
{
  const float4 d =
      make_float4 (x.x - y.x, x.y - y.y, x.z - y.z, x.w - y.w);

  return d.x * d.x + (d.y * d.y + (d.z * d.z + (d.w * d.w + sum)));
}

/* Before: memory. Now: memory, at the measured limit.
 *
 * Against squared-error/stride: all steps of the ladder of dot; only the
 * arithmetic differs. Tiles of wide loads, as many blocks as are resident,
 * tiles a grid apart or drawn from a counter, sums in registers, and a last
 * block that finishes. Expect the time of reading alone. */
extern "C" __global__ void __launch_bounds__ (BLOCK)
squared_error_best (const float *__restrict__ a,
                    const float *__restrict__ b,
                    volatile float *partial,
                    unsigned *counters,
                    float *out,
                    int n)
{
  const long long length = (long long) n * n;
  const float4 *a4 = (const float4 *) a;
  const float4 *b4 = (const float4 *) b;
  const long long n_vectors = length / 4;
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
            sums[v] = error4 (x[v], y[v], sums[v]);
        }
      else
        for (int v = 0; v < LOADS; v++)
          if (i + v * BLOCK < n_vectors)
            sum = error4 (a4[i + v * BLOCK], b4[i + v * BLOCK], sum);
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
  if (blockIdx.x == 0 && threadIdx.x < length % 4)
    {
      const long long i = n_vectors * 4 + threadIdx.x;

      sum += (a[i] - b[i]) * (a[i] - b[i]);
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
      out[1] = sum / ((float) n * (float) n);
      counters[1] = 0;
    }
}

/*! cured
 * [Claim read]
 * Text=Expect the time of reading alone
 * Metric=time
 * At=block=1024,per_sm=2,loads=2,order=handed
 * Against=squared-error/read block=1024,per_sm=2,loads=2,order=handed
 * High=1.05
 */
