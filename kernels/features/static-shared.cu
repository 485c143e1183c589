// SPDX-License-Identifier: MIT
// Reversal through shared memory whose size is known to the compiler.
/*! cured
 * [Kernel]
 * Title=Static shared memory
 * Summary=Slices of a vector reversed in an array whose size is part of its type
 * Family=features
 * Step=1
 * Bytes=8*n
 * Ceiling=copy
 * Like=features/dynamic-shared
 *
 * [Parameter size]
 * Kind=compile
 * Values=1..58112
 * Default=1024
 * Summary=elements of a slice, 4 bytes each
 *
 * [Require size]
 * If=4*size <= shared_per_block
 * Reason=A static array is 48 KB at most, on every device.
 *
 * [Launch]
 * Entry=features_static_shared
 * Grid=ceil(n/size)
 * Block=threads
 * Arguments=in,out,n:i64
 */

/* The shared memory that a block reserves decides how many blocks are resident
 * on a multiprocessor. It is not split among the blocks: each block has all of
 * its array.
 *
 * Here the array's length is part of its type: the compiler knows it, places
 * it, and can use it as a constant; another length is another compilation. A
 * static array is 48 KB at most, whatever the device has: blocks of 48 KB leave
 * room for four on a multiprocessor with 228 KB. Expect the few blocks of 48 KB
 * to be slower than those of 4 KB: while all of them wait at their barrier,
 * nothing else can run.
 *
 * features/dynamic-shared is the same kernel, with the length given at the
 * launch. */
extern "C" __global__ void
features_static_shared (const int *__restrict__ in,
                        int *__restrict__ out,
                        long long n)
{
  __shared__ int slice[SIZE];
  const long long first = (long long) blockIdx.x * SIZE;
  const int length = (int) min ((long long) SIZE, n - first);

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
 * size=256,1024,4096,8192,12288,16384
 * threads=64,128,256,512,1024
 *
 * [Claim static]
 * Text=All of it is static
 * Metric=shared_static
 * At=n=5000,size=1024
 * Low=4096
 * High=4096
 *
 * [Claim dynamic]
 * Text=None of it is dynamic
 * Metric=shared_dynamic
 * At=n=5000,size=1024
 * High=0
 *
 * [Claim resident]
 * Text=Each block has all of its array: blocks of 48 KB leave room for four on a multiprocessor
 * Metric=blocks_per_sm
 * At=n=50000,size=12288
 * Low=4
 * High=4
 *
 * [Claim large]
 * Text=Expect the few blocks of 48 KB to be slower than those of 4 KB
 * Metric=time
 * At=size=12288,threads=256
 * Against=size=1024,threads=256
 * Low=1.3
 */
