// SPDX-License-Identifier: MIT
// Averaging filter in shared memory with its barrier in a branch, wrong on purpose.
/*! cured
 * [Kernel]
 * Title=Averaging with a barrier in the branch
 * Summary=One block keeps two arrays in shared memory; only the threads that average wait for each other
 * Family=specimens
 * Step=23
 * Defect=divergent-barrier,exited-barrier
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
 * Entry=specimens_average_branch
 * Grid=1
 * Block=block
 * Arguments=in,out,n,iterations
 */

/* A specimen: case 10 of average/cases, written in the belief that only
 * threads with work need to wait. The first thread, the last one and those
 * past the end stay out of the branch and run on, to a barrier of another
 * iteration or to their end, while others wait for them.
 *
 * Expect a GPU to succeed where whole warps agree, and a wrong result, or a
 * hang, where lanes of one warp do not. */
extern "C" __global__ void
specimens_average_branch (const float *in, float *out, int n, int iterations)
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
        {
          to[i] = (from[i - 1] + from[i] + from[i + 1]) / 3;
          __syncthreads ();
        }
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
 * [Claim found]
 * Text=Threads that average wait for others that never come
 * Metric=findings
 * Low=1
 */
