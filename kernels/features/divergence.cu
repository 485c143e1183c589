// SPDX-License-Identifier: MIT
// Two ways through a kernel, chosen by lane, by warp or by block.
/*! cured
 * [Kernel]
 * Title=Warp divergence
 * Summary=Each thread takes one of two branches of the same length, chosen by lane, warp or block
 * Family=features
 * Step=4
 * Bytes=8*n
 *
 * [Parameter by]
 * Kind=launch
 * Values=0..2
 * Names=lane,warp,block
 * Default=0
 * Summary=what chooses the branch
 *
 * [Parameter fraction]
 * Kind=launch
 * Values=0..32
 * Default=16
 * Summary=of 32 lanes, warps or blocks, how many take the second branch
 *
 * [Parameter rounds]
 * Kind=launch
 * Values=1..100000
 * Default=512
 * Summary=rounds of either branch
 *
 * [Parameter threads]
 * Kind=launch
 * Values=32..1024:32
 * Default=1024
 * Summary=threads per block, whole warps
 *
 * [Parameter n]
 * Kind=problem
 * Default=2^20
 * Summary=elements, any number
 *
 * [Buffer in]
 * Type=u32
 * Length=n
 * Fill=uniform
 * Low=0
 * High=1000000
 *
 * [Buffer out]
 * Type=u32
 * Length=n
 * Fill=poison
 *
 * [Launch]
 * Entry=features_divergence
 * Grid=ceil(n/threads)
 * Block=threads
 * Arguments=in,out,n,by,fraction,rounds
 *
 * [Check]
 * Output=out
 * Reference=divergence
 */

#define LANE  0
#define WARP  1
#define BLOCK 2

/* Now: integer arithmetic; there are few elements, and much work for each.
 *
 * Both branches take equally long, so without divergence it makes no
 * difference which lanes take which. A warp executes one instruction at a
 * time: where its lanes take two branches, it executes both, one after the
 * other, while the other lanes wait. By lane, a warp issues the instructions
 * of both branches with half of its lanes active, and one diverging lane costs
 * as much as sixteen. By warp or by block, it issues only one. Expect the time
 * to double by lane, and a choice by warp to cost next to nothing. */
extern "C" __global__ void
features_divergence (const unsigned *__restrict__ in,
                     unsigned *__restrict__ out,
                     int n,
                     int by,
                     int fraction,
                     int rounds)
{
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int warp = i / 32;
  const int place = by == LANE ? i % 32 : by == WARP ? warp : blockIdx.x;
  unsigned x;

  if (i >= n)
    return;
  x = in[i];
  if (place % 32 < fraction)
    for (int k = 0; k < rounds; k++)
      x = (x ^ x >> 15) * 1664525u + 1013904223u;
  else
    for (int k = 0; k < rounds; k++)
      x = (x ^ x >> 13) * 22695477u + 12345u;
  out[i] = x;
}

/*! cured
 * [Sweep]
 * X=fraction
 * Y=by
 * fraction=0,1,2,4,8,16,24,28,30,31,32
 * by=0..2
 *
 * [Claim lane]
 * Text=By lane, a warp issues the instructions of both branches
 * Metric=instructions
 * At=n=32768,by=lane,fraction=16
 * Against=n=32768,by=lane,fraction=0
 * Low=1.8
 * High=2.2
 *
 * [Claim one]
 * Text=One diverging lane costs as much as sixteen
 * Metric=instructions
 * At=n=32768,by=lane,fraction=1
 * Against=n=32768,by=lane,fraction=16
 * Low=0.98
 * High=1.02
 *
 * [Claim warp]
 * Text=By warp, it issues only one branch
 * Metric=instructions
 * At=n=32768,by=warp,fraction=16
 * Against=n=32768,by=warp,fraction=0
 * Low=0.9
 * High=1.1
 *
 * [Claim block]
 * Text=By block, too
 * Metric=instructions
 * At=n=32768,by=block,fraction=16
 * Against=n=32768,by=block,fraction=0
 * Low=0.9
 * High=1.1
 *
 * [Claim lanes]
 * Text=Half of the lanes are active
 * Metric=lanes_active
 * At=n=32768,by=lane,fraction=16
 * Low=0.45
 * High=0.6
 *
 * [Claim time]
 * Text=Expect the time to be twice that of no divergence
 * Metric=time
 * At=by=lane,fraction=16
 * Against=by=lane,fraction=0
 * Low=1.6
 * High=2.4
 *
 * [Claim time-warp]
 * Text=Expect a choice by warp to cost next to nothing
 * Metric=time
 * At=by=warp,fraction=16
 * Against=by=warp,fraction=0
 * Low=0.8
 * High=1.25
 */
