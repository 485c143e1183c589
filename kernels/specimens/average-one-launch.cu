// SPDX-License-Identifier: MIT
// Averaging filter, many iterations in one launch, wrong on purpose.
/*! cured
 * [Kernel]
 * Title=Averaging many times in one launch
 * Summary=Many blocks make many iterations, with nothing but barriers of their own between them
 * Family=specimens
 * Step=17
 * Defect=global-race,unwritten-output
 *
 * [Parameter block]
 * Kind=compile
 * Values=32..1024:32
 * Default=256
 * Summary=threads per block
 *
 * [Parameter n]
 * Kind=problem
 * Default=1000
 * Summary=elements, any number
 *
 * [Parameter iterations]
 * Kind=problem
 * Default=8
 * Summary=iterations, any number
 *
 * [Buffer in]
 * Type=f32
 * Length=n
 * Fill=uniform
 * Low=0
 * High=100
 *
 * [Buffer spare]
 * Type=f32
 * Length=n
 * Fill=poison
 *
 * [Buffer out]
 * Type=f32
 * Length=n
 * Fill=poison
 *
 * [Launch]
 * Entry=specimens_average_one_launch
 * Grid=ceil(n/block)
 * Block=block
 * Arguments=in,spare,out,n,iterations
 *
 * [Check]
 * Output=out
 * Reference=average
 * Relative=1e-6
 */

/* A specimen: case 6 of average/cases in one launch. The arrays are swapped
 * from iteration to iteration, so no thread overwrites what another one reads.
 * But a barrier only synchronizes one block. At its borders a block reads
 * elements that its neighbours have not written yet, or have overwritten
 * since.
 *
 * Expect a GPU to be wrong at the blocks' borders, from the second iteration
 * on. */
extern "C" __global__ void
specimens_average_one_launch (
    const float *in, float *spare, float *out, int n, int iterations)
{
  const int i = blockIdx.x * BLOCK + threadIdx.x;

  for (int k = iterations; k-- > 0;)
    {
      float *to = k % 2 == 0 ? out : spare;

      if (i > 0 && i < n - 1)
        to[i] = (in[i - 1] + in[i] + in[i + 1]) / 3;
      else if (i < n)
        to[i] = in[i];
      __syncthreads ();
      in = to;
    }
}

/*! cured
 * [Sweep]
 * X=block
 * Y=n
 * block=64,256,1024
 * n=100,1000,10007
 *
 * [Claim barriers]
 * Text=Each warp waits once per iteration, for its own block alone
 * Metric=barriers
 * At=iterations=8,n=1000
 * Low=256
 * High=256
 */
