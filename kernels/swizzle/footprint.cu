// SPDX-License-Identifier: MIT
// A tile of halves through shared memory that is larger than it.
/*! cured
 * [Kernel]
 * Title=Unused shared memory
 * Summary=Blocks of 256 threads copy tiles of 16 x 32 halves through shared memory, with some bytes of it unused
 * Family=swizzle
 * Step=3
 * Bytes=4*n
 * Ceiling=copy
 *
 * [Parameter unused]
 * Kind=launch
 * Values=0..200:8
 * Default=0
 * Summary=KiB of shared memory that a block reserves but does not use
 *
 * [Parameter n]
 * Kind=problem
 * Values=512..65536:512
 * Default=65536
 * Summary=elements
 *
 * [Buffer in]
 * Type=u16
 * Length=n
 * Fill=uniform
 * Low=0
 * High=65535
 *
 * [Buffer out]
 * Type=u16
 * Length=n
 * Fill=poison
 *
 * [Launch]
 * Entry=swizzle_footprint
 * Grid=n/512
 * Block=256
 * Shared=1024+unused*1024
 * Arguments=in,out
 *
 * [Check]
 * Output=out
 * Reference=copy
 */

/* Asked in CUTLASS #1882: why does a layout without conflicts get some as soon
 * as more shared memory is declared than the tile needs?
 *
 * It gets none: banks depend on addresses, and those are the same. A warp
 * writes 32 halves, one word per two lanes, in one wavefront. More shared
 * memory leaves less for L1, and fewer blocks at a time: this changes when
 * global memory's sectors pass through the same pipe, and the counter of its
 * conflicts includes the cycles lost to them: an artefact of the counter. */
extern "C" __global__ void __launch_bounds__ (256)
swizzle_footprint (const unsigned short *__restrict__ in,
                   unsigned short *__restrict__ out)
{
  extern __shared__ unsigned short tile[];
  const unsigned thread = threadIdx.x;
  const size_t first = (size_t) blockIdx.x * 512;

#pragma unroll
  for (unsigned i = 0; i < 512; i += 256)
    tile[i + thread] = in[first + i + thread];
  __syncthreads ();

  /* Another thread's element, so shared memory is needed. */
#pragma unroll
  for (unsigned i = 0; i < 512; i += 256)
    out[first + i + (thread ^ 32)] = tile[i + (thread ^ 32)];
}

/*! cured
 * [Sweep]
 * X=unused
 * Y=n
 * unused=0,8,32,64,96,200
 * n=2^12,2^14,2^16
 *
 * [Claim none]
 * Text=A tile has no conflict
 * Metric=excess_wavefronts
 * At=unused=0,n=16384
 * High=0
 *
 * [Claim unused]
 * Text=Nor does it with 96 KiB more
 * Metric=excess_wavefronts
 * At=unused=96,n=16384
 * High=0
 *
 * [Claim wavefronts]
 * Text=It takes as many wavefronts as before
 * Metric=shared_wavefronts
 * At=unused=96,n=16384
 * Against=unused=0,n=16384
 * Low=1
 * High=1
 *
 * [Claim each]
 * Text=One for each of 16 writes and 16 reads of its warps
 * Metric=shared_wavefronts
 * At=unused=0,n=512
 * Low=32
 * High=32
 */
