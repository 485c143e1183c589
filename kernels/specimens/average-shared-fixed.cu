// SPDX-License-Identifier: MIT
// Averaging filter in shared memory, from one array to another.
/*! cured
 * [Kernel]
 * Title=Averaging in shared memory, in place, with care
 * Summary=One block keeps two arrays in shared memory, which are swapped between iterations
 * Family=specimens
 * Step=16
 * Like=specimens/average-one-launch
 *
 * [Buffer spare]  # none
 *
 * [Launch]
 * Entry=specimens_average_shared_fixed
 * Grid=1
 * Block=block
 * Shared=8*n
 * Arguments=in,out,n,iterations
 */

/* The twin of specimens/average-shared: an iteration reads one array and writes
 * another, and one barrier is enough. */
extern "C" __global__ void
specimens_average_shared_fixed (const float *in,
                                float *out,
                                int n,
                                int iterations)
{
  extern __shared__ float data[];

  for (int i = threadIdx.x; i < n; i += BLOCK)
    data[i] = in[i];
  __syncthreads ();
  for (int k = 0; k < iterations; k++)
    {
      const float *from = data + (k % 2 == 0 ? 0 : n);
      float *to = data + (k % 2 == 0 ? n : 0);

      for (int i = threadIdx.x; i < n; i += BLOCK)
        to[i] = i > 0 && i < n - 1 ? (from[i - 1] + from[i] + from[i + 1]) / 3
                                   : from[i];
      __syncthreads ();
    }
  for (int i = threadIdx.x; i < n; i += BLOCK)
    out[i] = data[(iterations % 2 == 0 ? 0 : n) + i];
}

/*! cured
 * [Claim barriers]
 * Text=A second array takes no more barriers
 * Metric=barriers
 * At=iterations=8,n=1000
 * Low=72
 * High=72
 */
