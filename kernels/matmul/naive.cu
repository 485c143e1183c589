// SPDX-License-Identifier: MIT
// Matrix product from global memory alone.
/*! cured
 * [Kernel]
 * Title=Matrix product, global memory only
 * Summary=One element of the product per thread; a row and a column read from global memory
 * Family=matmul
 * Step=1
 * Flops=2*n*n*n
 * Bytes=12*n*n
 * Ceiling=fp32
 *
 * [Parameter bx]
 * Kind=launch
 * Values=1..1024
 * Default=16
 * Summary=threads per block in x, along a row of the product
 *
 * [Parameter by]
 * Kind=launch
 * Values=1..1024
 * Default=16
 * Summary=threads per block in y, along a column
 *
 * [Parameter n]
 * Kind=problem
 * Default=2048
 * Summary=rows and columns of the matrices, any number
 *
 * [Buffer a]
 * Type=f32
 * Length=n*n
 * Fill=uniform
 * Low=-1
 * High=1
 *
 * [Buffer b]
 * Type=f32
 * Length=n*n
 * Fill=uniform
 * Low=-1
 * High=1
 *
 * [Buffer c]
 * Type=f32
 * Length=n*n
 * Fill=poison
 *
 * [Launch]
 * Entry=matmul_naive
 * Grid=ceil(n/bx),ceil(n/by)
 * Block=bx,by
 * Arguments=a,b,c,n
 *
 * [Check]
 * Output=c
 * Reference=matmul
 * Tolerance=(n+8)*1e-7       # seven standard deviations of the rounding errors
 */

/* Now: L1 cache. Every multiply-add loads two numbers; without the cache this
 * would be slower still, since the threads of a block read the same rows and
 * columns.
 *
 * The heat map is about the shape of the block. The lanes of a warp run along x
 * first: with bx of 32 a warp reads 32 neighbours of b and one element of a,
 * which takes few sectors; with bx of 1 it reads one element of b and a column
 * of a, whose elements are a row apart, for the same number of multiply-adds.
 * Expect such a block to request more than six times the sectors, and to take
 * more than eight times as long. */
extern "C" __global__ void
matmul_naive (const float *__restrict__ a,
              const float *__restrict__ b,
              float *__restrict__ c,
              int n)
{
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  float sum = 0;

  if (row >= n || column >= n)
    return;
  for (int k = 0; k < n; k++)
    sum += a[(size_t) row * n + k] * b[(size_t) k * n + column];
  c[(size_t) row * n + column] = sum;
}

/*! cured
 * [Sweep]
 * X=bx
 * Y=by
 * bx=1,4,8,16,32,64
 * by=1,4,8,16
 *
 * [Claim narrow]
 * Text=A block that is one thread wide requests more than six times the sectors of one that is a warp wide
 * Metric=global_sectors
 * At=bx=1,by=32,n=64
 * Against=bx=32,by=1
 * Low=6
 *
 * [Claim reuse]
 * Text=Two loads for a multiply-add: one operation for each element, 37.5 GFLOP/s from 150 GB/s
 * Metric=flops_per_load
 * At=bx=16,by=16,n=64
 * Low=1
 * High=1
 *
 * [Claim slow]
 * Text=A block that is one thread wide takes more than eight times as long
 * Metric=time
 * At=bx=1,by=16
 * Against=bx=32,by=16
 * Low=8
 */
