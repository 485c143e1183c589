// SPDX-License-Identifier: MIT
// Sum of a warp by shuffles, all lanes taking part.
/*! cured
 * [Kernel]
 * Title=Shuffle from active lanes
 * Summary=One warp adds up a vector; lanes without an element add 0
 * Family=specimens
 * Step=12
 * Like=specimens/branch-barrier
 *
 * [Parameter block]  # none
 *
 * [Parameter width]
 * Kind=compile
 * Values=8,16,32
 * Default=32
 * Summary=lanes that add up, and threads of the block
 *
 * [Parameter n]
 * Kind=problem
 * Default=20
 * Summary=elements, any number
 *
 * [Launch]
 * Entry=specimens_short_shuffle_fixed
 * Grid=1
 * Block=width
 * Arguments=in,out,n
 */

/* The lanes with an element. */
#define LANES (0xffffffffu >> (32 - WIDTH))

/* The twin of specimens/short-shuffle: all lanes take part, those without an
 * element with 0. */
extern "C" __global__ void
specimens_short_shuffle_fixed (const int *__restrict__ in, int *out, int n)
{
  const int lane = threadIdx.x;
  int sum = 0;

  for (int i = lane; i < n; i += WIDTH)
    sum += in[i];
  for (int half = WIDTH / 2; half > 0; half /= 2)
    sum += __shfl_down_sync (LANES, sum, half, WIDTH);
  if (lane == 0)
    out[0] = sum;
}

/*! cured
 * [Sweep]
 * X=n
 * Y=width
 * n=5,13,20,28
 * width=8,16,32
 *
 * [Claim clean]
 * Text=All lanes take part
 * Metric=findings
 * High=0
 *
 * [Claim cost]
 * Text=It needs no more instructions
 * Metric=instructions
 * Against=specimens/short-shuffle
 * High=1
 */
