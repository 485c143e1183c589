// SPDX-License-Identifier: MIT
// Averaging filter in shared memory with its barrier behind the branch.
/*! cured
 * [Kernel]
 * Title=Averaging with a barrier behind the branch
 * Summary=One block keeps two arrays in shared memory; every thread reaches every barrier
 * Family=specimens
 * Step=23
 * Like=specimens/average-one-launch
 *
 * [Parameter n]
 * Kind=problem
 * Default=200
 * Summary=elements, at most one per thread
 *
 * [Buffer spare]  # none
 *
 * [Require one block]
 * If=n <= block
 * Reason=there is one block, and each thread has one element at most
 *
 * [Launch]
 * Entry=specimens_average_branch_fixed
 * Grid=1
 * Block=block
 * Arguments=in,out,n,iterations
 */

/* The twin of specimens/average-branch: the barrier comes after the branch, so
 * threads that have nothing to average wait as well. */
extern "C" __global__ void
specimens_average_branch_fixed (const float *in,
                                float *out,
                                int n,
                                int iterations)
{
  __shared__ float data[2][BLOCK];
  const int i = threadIdx.x;

  if (i < n)
    {
      data[0][i] = in[i];
      data[1][i] = in[i];
    }
  __syncthreads ();
  for (int k = 0; k < iterations; k++)
    {
      const float *from = data[k % 2];
      float *to = data[1 - k % 2];

      if (i > 0 && i < n - 1)
        to[i] = (from[i - 1] + from[i] + from[i + 1]) / 3;
      __syncthreads ();
    }
  if (i < n)
    out[i] = data[iterations % 2][i];
}

/*! cured
 * [Sweep]
 * X=block
 * Y=n
 * block=256,512,1024
 * n=100,200,256
 *
 * [Claim clean]
 * Text=Every thread reaches every barrier
 * Metric=findings
 * High=0
 *
 * [Claim barriers]
 * Text=Eight warps wait for the load, and once per iteration
 * Metric=barriers
 * At=iterations=8
 * Low=72
 * High=72
 */
