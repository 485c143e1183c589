// SPDX-License-Identifier: MIT
// Averaging filter in shared memory, from one array to another.
/*! cured
 * [Kernel]
 * Title=Averaging in shared memory, in place, with care
 * Summary=One block keeps two arrays in shared memory, which trade places between iterations
 * Family=specimens
 * Step=16
 *
 * [Parameter block]
 * Kind=compile
 * Values=32..1024:32
 * Default=256
 * Summary=threads a block
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
 * [Buffer out]
 * Type=f32
 * Length=n
 * Fill=poison
 *
 * [Launch]
 * Entry=specimens_average_shared_fixed
 * Grid=1
 * Block=block
 * Shared=8*n
 * Arguments=in,out,n,iterations
 *
 * [Check]
 * Output=out
 * Reference=average
 * Relative=1e-6
 *
 * [Sweep]
 * X=block
 * Y=n
 * block=64,256,1024
 * n=100,1000,10007
 *
 * [Claim barriers]
 * Text=A second array takes no more barriers
 * Metric=barriers
 * At=iterations=8,n=1000
 * Low=72
 * High=72
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
