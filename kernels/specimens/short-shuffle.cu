// SPDX-License-Identifier: MIT
// Sum of a warp by shuffles, some lanes missing, wrong on purpose.
/*! cured
 * [Kernel]
 * Title=Shuffle from lanes that are not there
 * Summary=A warp adds up a few elements; lanes without one stay outside
 * Family=specimens
 * Step=12
 * Defect=inactive-lane
 *
 * [Parameter each]
 * Kind=compile
 * Values=1,2,4,8
 * Default=1
 * Summary=elements that a lane adds before the tree
 *
 * [Parameter n]
 * Kind=problem
 * Values=1..31
 * Default=20
 * Summary=elements
 *
 * [Buffer in]
 * Type=i32
 * Length=n
 * Fill=uniform
 * Low=-100
 * High=100
 *
 * [Buffer out]
 * Type=i32
 * Length=1
 * Fill=poison
 *
 * [Launch]
 * Entry=specimens_short_shuffle
 * Grid=1
 * Block=32
 * Arguments=in,out,n
 *
 * [Check]
 * Output=out
 * Reference=sum
 *
 * [Sweep]
 * X=n
 * Y=each
 * n=20,24,28,31
 * each=1,2,4
 */

/* The elements of one lane. */
__device__ __forceinline__ int
add_own (const int *in, int n)
{
  int sum = 0;

  for (int i = threadIdx.x * EACH; i < (int) (threadIdx.x + 1) * EACH; i++)
    if (i < n)
      sum += in[i];
  return sum;
}

/* A specimen. Lanes past the end stay out of the branch, and the mask says so
 * truly; but lane 4 of 20 still takes the value of lane 20, which is not in the
 * mask, and gets anything. A GPU gives it its own value here, so that some
 * elements count twice. */
extern "C" __global__ void
specimens_short_shuffle (const int *__restrict__ in, int *out, int n)
{
  const int lanes = (n + EACH - 1) / EACH;
  const unsigned mask = __ballot_sync (0xffffffff, threadIdx.x < lanes);

  if (threadIdx.x < lanes)
    {
      int sum = add_own (in, n);

      for (int half = 16; half > 0; half /= 2)
        sum += __shfl_down_sync (mask, sum, half);
      if (threadIdx.x == 0)
        out[0] = sum;
    }
}
