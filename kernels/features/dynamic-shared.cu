// SPDX-License-Identifier: MIT
// Reversal through shared memory whose size is given at the launch.
/*! cured
 * [Kernel]
 * Title=Dynamic shared memory
 * Summary=Slices of a vector reversed in an array whose size is set at launch
 * Family=features
 * Step=2
 * Bytes=8*n
 * Ceiling=copy
 *
 * [Parameter size]
 * Kind=launch
 * Values=1..58112
 * Default=1024
 * Summary=elements of a slice, 4 bytes each
 *
 * [Parameter threads]
 * Kind=launch
 * Values=1..1024
 * Default=256
 * Summary=threads per block
 *
 * [Parameter n]
 * Kind=problem
 * Default=10^7
 * Summary=elements, any number
 *
 * [Buffer in]
 * Type=i32
 * Length=n
 * Fill=uniform
 * Low=-1000000
 * High=1000000
 *
 * [Buffer out]
 * Type=i32
 * Length=n
 * Fill=poison
 *
 * [Launch]
 * Entry=features_dynamic_shared
 * Grid=ceil(n/size)
 * Block=threads
 * Shared=4*size
 * Arguments=in,out,n:i64,size
 *
 * [Check]
 * Output=out
 * Reference=reverse
 */

/* Before: 48 KB, in features/static-shared, and one compilation per length.
 *
 * Against features/static-shared: the array has no length in the source; the
 * launch says how many bytes a block gets. One compilation serves all lengths,
 * up to the device's opt-in limit. Blocks of 64 KB, more than a static array
 * can have, leave room for three on a multiprocessor with 228 KB. There is one
 * such array: a kernel that needs several divides it. Expect the same time as
 * with a static array. */
extern "C" __global__ void
features_dynamic_shared (const int *__restrict__ in,
                         int *__restrict__ out,
                         long long n,
                         int size)
{
  extern __shared__ int slice[];
  const long long first = (long long) blockIdx.x * size;
  const int length = (int) min ((long long) size, n - first);

  for (int i = threadIdx.x; i < length; i += blockDim.x)
    slice[i] = in[first + i];
  __syncthreads ();
  for (int i = threadIdx.x; i < length; i += blockDim.x)
    out[n - first - length + i] = slice[length - 1 - i];
}

/*! cured
 * [Sweep]
 * X=size
 * Y=threads
 * size=256,1024,4096,8192,12288,16384,24576,32768,58112
 * threads=64,128,256,512,1024
 *
 * [Claim dynamic]
 * Text=All of it is dynamic
 * Metric=shared_dynamic
 * At=n=5000,size=1024
 * Low=4096
 * High=4096
 *
 * [Claim static]
 * Text=None of it is static
 * Metric=shared_static
 * At=n=5000,size=1024
 * High=0
 *
 * [Claim resident]
 * Text=Blocks of 64 KB, more than a static array can have, leave room for three on a multiprocessor
 * Metric=blocks_per_sm
 * At=n=50000,size=16384
 * Low=3
 * High=3
 *
 * [Claim time]
 * Text=Expect the same time as with a static array
 * Metric=time
 * At=size=1024,threads=256
 * Against=features/static-shared size=1024,threads=256
 * Low=0.9
 * High=1.1
 */
