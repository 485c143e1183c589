// SPDX-License-Identifier: MIT
// Sum of a warp by shuffles, some lanes missing, wrong on purpose.
/*! cured
 * [Kernel]
 * Title=Shuffle from inactive lanes
 * Summary=One warp adds up a vector; lanes without an element stay outside
 * Family=specimens
 * Step=12
 * Defect=inactive-lane
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
 * Entry=specimens_short_shuffle
 * Grid=1
 * Block=width
 * Arguments=in,out,n
 */

/* The lanes with an element. */
#define LANES (0xffffffffu >> (32 - WIDTH))

/* A specimen. Lanes without an element stay out of the branch, and the mask is
 * correct; but of 20 lanes, lane 4 still takes the value of lane 20, which is
 * not in the mask, and gets an undefined value. A GPU returns its own value,
 * so some elements count twice. Where every lane has an element nothing is
 * wrong. */
extern "C" __global__ void
specimens_short_shuffle (const int *__restrict__ in, int *out, int n)
{
  const int lane = threadIdx.x;
  const unsigned mask = __ballot_sync (LANES, lane < n);

  if (lane < n)
    {
      int sum = 0;

      for (int i = lane; i < n; i += WIDTH)
        sum += in[i];
      for (int half = WIDTH / 2; half > 0; half /= 2)
        sum += __shfl_down_sync (mask, sum, half, WIDTH);
      if (lane == 0)
        out[0] = sum;
    }
}

/*! cured
 * [Sweep]
 * X=n
 * Y=width
 * n=5,13,20,28
 * width=8,16,32
 *
 * [Claim found]
 * Text=Of 20 lanes, some take a value from an absent lane
 * Metric=findings
 * Low=1
 *
 * [Claim all]
 * Text=Where every lane has an element nothing is wrong
 * Metric=findings
 * At=n=32
 * High=0
 */
