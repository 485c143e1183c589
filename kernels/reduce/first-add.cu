// SPDX-License-Identifier: MIT
// Sum by a tree over halves, whose first addition is done on load.
/*! cured
 * [Kernel]
 * Title=First addition during load
 * Summary=Two elements per thread, added before the tree begins
 * Family=reduce
 * Step=6
 * Bytes=4*n
 * Ceiling=read
 *
 * [Parameter block]
 * Kind=compile
 * Values=2^5..2^10
 * Default=256
 * Summary=threads per block, a power of two
 *
 * [Parameter n]
 * Kind=problem
 * Default=10^8
 * Summary=elements, any number
 *
 * [Buffer in]
 * Type=i32
 * Length=n
 * Fill=uniform
 * Low=-100
 * High=100
 *
 * [Buffer partial]
 * Type=i32
 * Length=ceil(n/(2*block))
 * Fill=poison
 *
 * [Buffer few]
 * Type=i32
 * Length=min(ceil(ceil(n/(2*block))/block),sms)
 * Fill=poison
 *
 * [Buffer out]
 * Type=i32
 * Length=1
 * Fill=poison
 *
 * [Launch 1]
 * Entry=reduce_first_add
 * Grid=ceil(n/(2*block))
 * Block=block
 * Arguments=in,partial,n:i64
 *
 * [Launch 2]
 * Entry=reduce_first_add_finish
 * Grid=min(ceil(ceil(n/(2*block))/block),sms)
 * Block=block
 * Arguments=partial,few,ceil(n/(2*block)):i64
 *
 * [Launch 3]
 * Entry=reduce_first_add_finish
 * Grid=1
 * Block=block
 * Arguments=few,out,min(ceil(ceil(n/(2*block))/block),sms):i64
 *
 * [Check]
 * Output=out
 * Reference=sum
 */

/* Adds up one number per thread; every thread gets the sum. */
__device__ __forceinline__ int
add_block (int sum)
{
  __shared__ int sums[BLOCK];

  sums[threadIdx.x] = sum;
  __syncthreads ();
#pragma unroll 1
  for (unsigned half = BLOCK / 2; half > 0; half /= 2)
    {
      if (threadIdx.x < half)
        sums[threadIdx.x] += sums[threadIdx.x + half];
      __syncthreads ();
    }
  return sums[0];
}

/* Before: instruction issue, of the tree. Now: instruction issue, still.
 *
 * Against reduce/sequential: half of the threads only loaded a number for
 * another one. Now each of them loads two and adds them in a register. The
 * tree is the same, but there are half as many of them. Expect nearly twice
 * the rate, since memory was not the limit. */
extern "C" __global__ void
reduce_first_add (const int *__restrict__ in,
                  int *__restrict__ partial,
                  long long n)
{
  const long long i = (long long) blockIdx.x * (2 * BLOCK) + threadIdx.x;
  int sum = 0;

  if (i < n)
    sum = in[i];
  if (i + BLOCK < n)
    sum += in[i + BLOCK];
  sum = add_block (sum);
  if (threadIdx.x == 0)
    partial[blockIdx.x] = sum;
}

/* Adds the blocks' sums: first on every multiprocessor, then in one block. */
extern "C" __global__ void
reduce_first_add_finish (const int *__restrict__ partial,
                         int *__restrict__ out,
                         long long n_partial)
{
  const long long stride = (long long) BLOCK * gridDim.x;
  int sum = 0;

  for (long long i = (long long) blockIdx.x * BLOCK + threadIdx.x;
       i < n_partial;
       i += stride)
    sum += partial[i];
  sum = add_block (sum);
  if (threadIdx.x == 0)
    out[blockIdx.x] = sum;
}

/*! cured
 * [Sweep]
 * X=block
 * Y=n
 * block=32,64,128,256,512,1024
 * n=10^5,10^6,10^7,10^8
 *
 * [Claim barriers]
 * Text=About half as many barriers
 * Metric=barriers
 * At=block=256,n=65536
 * Against=reduce/sequential block=256,n=65536
 * Low=0.48
 * High=0.53
 *
 * [Claim time]
 * Text=Nearly half the time
 * Metric=time
 * At=block=256,n=10^8
 * Against=reduce/sequential block=256
 * Low=0.45
 * High=0.62
 */
