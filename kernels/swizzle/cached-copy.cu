// SPDX-License-Identifier: MIT
// Asynchronous copies to a tile, through the L1 cache or past it.
/*! cured
 * [Kernel]
 * Title=Asynchronous copies, cached or not
 * Summary=cp.async.ca or .cg brings tiles of 32 x 64 halves, by rows or by columns of 16 bytes, to swizzled places or plain ones
 * Family=swizzle
 * Step=4
 * Bytes=4*n*m
 * Ceiling=copy
 *
 * [Parameter cache]
 * Kind=compile
 * Values=0,1
 * Names=cg,ca
 * Default=0
 * Summary=whether the copies bypass the L1 cache
 *
 * [Parameter lanes]
 * Kind=compile
 * Values=0,1
 * Names=rows,columns
 * Default=0
 * Summary=layout of a warp's lanes: eight in a row of the tile, or each in another row
 *
 * [Parameter swizzle]
 * Kind=compile
 * Values=0,1
 * Names=none,s333
 * Default=1
 * Summary=whether the tile has Swizzle<3,3,3>
 *
 * [Parameter n]
 * Kind=problem
 * Values=64..1024:64
 * Default=1024
 * Summary=columns of the matrix
 *
 * [Parameter m]
 * Kind=problem
 * Values=32..1024:32
 * Default=1024
 * Summary=rows of the matrix
 *
 * [Buffer in]
 * Type=u16
 * Length=n*m
 * Fill=uniform
 * Low=0
 * High=65535
 *
 * [Buffer out]
 * Type=u16
 * Length=n*m
 * Fill=poison
 *
 * [Require chip]
 * If=compute_major >= 8
 * Reason=cp.async needs compute capability 8.0
 *
 * [Launch]
 * Entry=swizzle_cached_copy
 * Grid=n/64,m/32
 * Block=256
 * Arguments=in,out,n
 *
 * [Check]
 * Output=out
 * Reference=copy
 */

#define COLUMNS 64

__device__ __forceinline__ int
place (int row, int column)
{
  const int element = row * COLUMNS + column;

  return SWIZZLE == 0 ? element : element ^ (element >> 3 & 7 << 3);
}

/* Asked in CUTLASS #2212: why does a swizzle remove the conflicts from the
 * writes of cp.async.cg and not from those of cp.async.ca?
 *
 * Their banks are the same, and by banks the swizzle removes the conflicts
 * from both: where each lane has another row, eight lanes share a bank without
 * it and none with it. The counters see them differently. Writes of 16 bytes
 * by cp.async.cg do not appear in them. Those of cp.async.ca are counted as
 * the bytes arrive: where every lane's source is a cache line of its own, each
 * takes a wavefront of its own, wherever its bytes go. That is a property of
 * the source: no swizzle of the destination changes it, but lanes along rows
 * do. It is an artefact of the counter. */
extern "C" __global__ void __launch_bounds__ (256)
swizzle_cached_copy (const unsigned short *__restrict__ in,
                     unsigned short *__restrict__ out,
                     int n)
{
  __shared__ __align__ (1024) unsigned short tile[32 * COLUMNS];
  const int thread = (int) threadIdx.x;
  const int row = LANES == 0 ? thread / 8 : thread % 32;
  const int column = (LANES == 0 ? thread % 8 : thread / 32) * 8;
  const size_t corner = (size_t) blockIdx.y * 32 * n + blockIdx.x * COLUMNS;
  const unsigned address =
      (unsigned) __cvta_generic_to_shared (&tile[place (row, column)]);

#if CACHE
  asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(address),
               "l"(in + corner + (size_t) row * n + column)
               : "memory");
#else
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(address),
               "l"(in + corner + (size_t) row * n + column)
               : "memory");
#endif
  asm volatile("cp.async.wait_all;" ::: "memory");
  __syncthreads ();

  *(uint4 *) &out[corner + (size_t) (thread / 8) * n + thread % 8 * 8] =
      *(const uint4 *) &tile[place (thread / 8, thread % 8 * 8)];
}

/*! cured
 * [Sweep]
 * X=lanes
 * Y=swizzle
 * lanes=0,1
 * swizzle=0,1
 * cache=0,1
 *
 * [Claim conflict]
 * Text=Without a swizzle eight lanes of eight rows conflict: 28 wavefronts too many for each of 8 warps
 * Metric=excess_wavefronts
 * At=cache=1,lanes=1,swizzle=0,n=64,m=32
 * Low=224
 * High=224
 *
 * [Claim swizzled]
 * Text=By banks, the swizzle leaves no conflict
 * Metric=excess_wavefronts
 * At=cache=1,lanes=1,swizzle=1,n=64,m=32
 * High=0
 *
 * [Claim rows]
 * Text=Lanes along rows have none, without a swizzle as well
 * Metric=excess_wavefronts
 * At=cache=1,lanes=0,swizzle=0,n=64,m=32
 * High=0
 *
 * [Claim traceless]
 * Text=With copies that bypass L1, only the loads count: 4 wavefronts for each of 8 warps
 * Metric=shared_wavefronts
 * At=cache=0,lanes=1,swizzle=0,n=64,m=32
 * Low=32
 * High=32
 *
 * [Claim cached]
 * Text=Copies through L1 count as well: 4 more for each warp without a conflict
 * Metric=shared_wavefronts
 * At=cache=1,lanes=0,swizzle=1,n=64,m=32
 * Low=64
 * High=64
 */
