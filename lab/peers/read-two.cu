// SPDX-License-Identifier: MIT
// Two arrays that are read, and nothing else: what bounds a squared error.
/*! cured
 * [Kernel]
 * Title=Two arrays, read
 * Summary=Reads two arrays, 16 bytes per load, and forgets them
 * Bytes=8*n
 * Ceiling=read
 *
 * [Parameter loads]
 * Kind=compile
 * Values=1..16
 * Default=4
 * Summary=loads of each array that a thread has under way
 *
 * [Parameter block]
 * Kind=compile
 * Values=32..1024
 * Default=512
 * Summary=threads per block
 *
 * [Parameter per_sm]
 * Kind=launch
 * Values=1..32
 * Default=4
 * Summary=blocks per multiprocessor
 *
 * [Parameter n]
 * Kind=problem
 * Default=10^8
 * Summary=elements of each array, a multiple of 4
 *
 * [Buffer a]
 * Type=f32
 * Length=n
 * Fill=uniform
 * Low=-1
 * High=1
 *
 * [Buffer b]
 * Type=f32
 * Length=n
 * Fill=uniform
 * Low=-1
 * High=1
 *
 * [Buffer out]
 * Type=f32
 * Length=1
 * Fill=poison
 *
 * [Launch]
 * Entry=read_two
 * Grid=per_sm*sms
 * Block=block
 * Arguments=a,b,out,n:i64
 *
 * [Sweep]
 * X=per_sm
 * Y=loads
 * loads=1,2,4,8
 * per_sm=1,2,4,8
 * block=256,512
 */

/* The compiler must not know that nothing comes of it: all elements go into one
 * number, which is written where it is one that no sum of these inputs is. */
extern "C" __global__ void __launch_bounds__ (BLOCK)
read_two (const float4 *__restrict__ a,
          const float4 *__restrict__ b,
          float *__restrict__ out,
          long long n)
{
  const long long n_loads = n / 4;
  const long long stride = (long long) BLOCK * LOADS * gridDim.x;
  float sum = 0;

  for (long long first = (long long) blockIdx.x * BLOCK * LOADS + threadIdx.x;
       first < n_loads;
       first += stride)
    {
      float4 x[LOADS];
      float4 y[LOADS];

#pragma unroll
      for (int i = 0; i < LOADS; i++)
        {
          const long long at = first + i * BLOCK;
          const float4 none = make_float4 (0, 0, 0, 0);

          x[i] = at < n_loads ? __ldcs (&a[at]) : none;
          y[i] = at < n_loads ? __ldcs (&b[at]) : none;
        }
#pragma unroll
      for (int i = 0; i < LOADS; i++)
        sum += x[i].x + x[i].y + x[i].z + x[i].w + y[i].x + y[i].y + y[i].z +
               y[i].w;
    }
  if (sum == 1e30f)
    *out = sum;
}
