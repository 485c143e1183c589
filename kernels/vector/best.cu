// SPDX-License-Identifier: MIT
// Vector addition at the rate of memory: wide loads and stores, tile by tile.
/*! cured
 * [Kernel]
 * Title=Vector addition, best
 * Summary=Tiles of wide loads and stores; one tile per block, or a grid that fits the device
 * Family=vector
 * Step=3
 * Bytes=12*n
 * Ceiling=copy
 * Like=vector/add
 *
 * [Parameter vector]   # none
 * [Parameter threads]  # none
 * [Parameter blocks]   # none
 *
 * [Parameter block]
 * Kind=compile
 * Values=32..1024:32
 * Default=512
 * Summary=threads per block
 *
 * [Parameter loads]
 * Kind=compile
 * Values=1..8
 * Default=1
 * Summary=loads of 16 bytes of each vector in flight per thread
 *
 * [Parameter per_sm]
 * Kind=launch
 * Values=0..32
 * Default=0
 * Summary=blocks per multiprocessor, which go from tile to tile; 0: one tile per block
 *
 * [Parameter hint]
 * Kind=compile
 * Values=0..2
 * Names=none,once,ahead
 * Default=0
 * Summary=cache hint of loads: none, used once, or fetch 256 bytes into L2
 *
 * [Parameter store]
 * Kind=compile
 * Values=0..1
 * Names=none,streaming
 * Default=0
 * Summary=cache hint of stores: none, or not read again
 *
 * [Launch]
 * Entry=vector_best
 * Grid=per_sm > 0 ? per_sm*sms : ceil(n/(4*block*loads))
 * Block=block
 * Arguments=a,b,out,n:i64
 */

#define HINT_NONE       0
#define HINT_ONCE       1
#define HINT_AHEAD      2
#define STORE_NONE      0
#define STORE_STREAMING 1

/* A block's elements at a time, in vectors of four. */
#define TILE (BLOCK * LOADS)

__device__ __forceinline__ int4
load (const int4 *from)
{
#if HINT == HINT_NONE
  return *from;
#else
  int4 v;

#if HINT == HINT_AHEAD && __CUDA_ARCH__ >= 800
  asm volatile ("ld.global.nc.L1::no_allocate.L2::256B.v4.s32 "
                "{%0, %1, %2, %3}, [%4];"
#else
  asm volatile ("ld.global.nc.L1::no_allocate.v4.s32 {%0, %1, %2, %3}, [%4];"
#endif
                : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                : "l"(from));
  return v;
#endif
}

__device__ __forceinline__ void
store (int4 *to, int4 x, int4 y)
{
  const int4 sum = make_int4 (x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w);

#if STORE == STORE_STREAMING
  __stcs (to, sum);
#else
  *to = sum;
#endif
}

/* Before: memory. Now: memory, at the measured limit.
 *
 * Against vector/add: loads and stores of 16 bytes, and as many blocks
 * as tiles. Starting them is a limit with one element per thread, but
 * with four elements or more there are few enough of them. A block
 * that is done leaves, and the next one issues its loads at once,
 * while a persistent block waits for its own. Persistent blocks are no faster than one block per tile. (A sum
 * is another matter: each block ends with a tree. See dot/best.)
 *
 * Letting L2 fetch 256 bytes where a sector of 32 is requested costs more
 * than it saves: the neighbouring sectors are requested anyway. Expect the
 * rate of a copy. */
extern "C" __global__ void __launch_bounds__ (BLOCK)
vector_best (const int *__restrict__ a,
             const int *__restrict__ b,
             int *__restrict__ out,
             long long n)
{
  const int4 *a4 = (const int4 *) a;
  const int4 *b4 = (const int4 *) b;
  int4 *out4 = (int4 *) out;
  const long long n_vectors = n / 4;
  const long long n_tiles = (n_vectors + TILE - 1) / TILE;

  for (long long tile = blockIdx.x; tile < n_tiles; tile += gridDim.x)
    {
      const long long i = tile * TILE + threadIdx.x;

      if ((tile + 1) * TILE <= n_vectors)
        {
          int4 x[LOADS], y[LOADS];

#pragma unroll
          for (int v = 0; v < LOADS; v++)
            {
              x[v] = load (a4 + i + v * BLOCK);
              y[v] = load (b4 + i + v * BLOCK);
            }
#pragma unroll
          for (int v = 0; v < LOADS; v++)
            store (out4 + i + v * BLOCK, x[v], y[v]);
        }
      else
        for (int v = 0; v < LOADS; v++)
          if (i + v * BLOCK < n_vectors)
            store (
                out4 + i + v * BLOCK, a4[i + v * BLOCK], b4[i + v * BLOCK]);
    }
  /* The elements after the last vector: three at most. */
  if (blockIdx.x == 0 && threadIdx.x < n % 4)
    {
      const long long i = n_vectors * 4 + threadIdx.x;

      out[i] = a[i] + b[i];
    }
}

/*! cured
 * [Sweep]
 * X=block
 * Y=loads
 * block=128,256,512,1024
 * loads=1,2,4
 * per_sm=0,8
 * hint=0,2
 *
 * [Claim ceiling]
 * Text=Expect the rate of a copy
 * Metric=of_ceiling
 * At=block=512,loads=1,per_sm=0,hint=none
 * Low=0.95
 *
 * [Claim one]
 * Text=It is well ahead of one element per thread
 * Metric=time
 * At=block=512,loads=1,per_sm=0,hint=none
 * Against=vector/one n=50000000,threads=256
 * High=0.9
 *
 * [Claim grid]
 * Text=Blocks that go from tile to tile are no faster than as many blocks as tiles
 * Metric=time
 * At=block=256,loads=1,per_sm=8,hint=none
 * Against=block=256,loads=1,per_sm=0,hint=none
 * Low=0.98
 *
 * [Claim ahead]
 * Text=Fetching 256 bytes costs more than it saves
 * Metric=time
 * At=block=512,loads=1,per_sm=0,hint=ahead
 * Against=block=512,loads=1,per_sm=0,hint=none
 * Low=1.02
 */
