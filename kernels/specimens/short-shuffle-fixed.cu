// SPDX-License-Identifier: MIT
// Sum of a warp by shuffles, all lanes taking part.
/*! cured
 * [Kernel]
 * Title=Shuffle from lanes that all take part
 * Summary=A warp adds up a few elements; lanes without one add 0
 * Family=specimens
 * Step=12
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
 * Entry=specimens_short_shuffle_fixed
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

/* The twin of specimens/short-shuffle: all lanes take part, those past the end
 * with 0. */
extern "C" __global__ void
specimens_short_shuffle_fixed (const int *__restrict__ in, int *out, int n)
{
  int sum = add_own (in, n);

  for (int half = 16; half > 0; half /= 2)
    sum += __shfl_down_sync (0xffffffff, sum, half);
  if (threadIdx.x == 0)
    out[0] = sum;
}
