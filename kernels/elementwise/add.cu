// SPDX-License-Identifier: MIT
// Sum of two matrices, one element per thread, with no tile in between.
/*! cured
 * [Kernel]
 * Title=Sum of matrices
 * Summary=One element per thread, straight from and to global memory
 * Family=elementwise
 * Step=1
 * Bytes=12*n*n
 * Ceiling=copy
 *
 * [Parameter tile]
 * Kind=compile
 * Values=1..32
 * Default=16
 * Summary=rows and columns of a tile, and of the block
 *
 * [Parameter n]
 * Kind=problem
 * Default=10000
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
 * [Buffer out]
 * Type=f32
 * Length=n*n
 * Fill=poison
 *
 * [Launch]
 * Entry=elementwise_add
 * Grid=ceil(n/tile),ceil(n/tile)
 * Block=tile,tile
 * Arguments=a,b,out,n
 *
 * [Check]
 * Output=out
 * Reference=vector-add
 */

/* Now: memory, at 74 %, with block dispatch at 61 %: with smaller blocks their
 * starts are the limit. Each element of both matrices is read once, each
 * element of the sum written once, and no thread needs an element that another
 * one has read: there is no reuse.
 *
 * The tiled versions of this family compete with this one. Its blocks are
 * patches of the matrix, too, but no patch is kept. Expect blocks of 8 × 8 to
 * be far behind. Memory is not the cause: they request the same sectors as
 * those of 16 × 16. But a device starts blocks one after another: a quarter of
 * the threads per block are four times the blocks, and four times the time. */
extern "C" __global__ void
elementwise_add (const float *__restrict__ a,
                 const float *__restrict__ b,
                 float *__restrict__ out,
                 int n)
{
  const int column = blockIdx.x * TILE + threadIdx.x;
  const int row = blockIdx.y * TILE + threadIdx.y;

  if (row < n && column < n)
    {
      const long long i = (long long) row * n + column;

      out[i] = a[i] + b[i];
    }
}

/*! cured
 * [Sweep]
 * X=tile
 * Y=n
 * tile=4,8,16,24,32
 * n=1000,1024,4096,10000
 *
 * [Claim sectors]
 * Text=Blocks of 8 × 8 request the same sectors as those of 16 × 16
 * Metric=global_sectors
 * At=n=64,tile=8
 * Against=n=64,tile=16
 * Low=0.99
 * High=1.01
 *
 * [Claim time]
 * Text=Expect blocks of 8 × 8 to be far behind
 * Metric=time
 * At=n=10000,tile=8
 * Against=n=10000,tile=16
 * Low=1.8
 *
 * [Claim blocks]
 * Text=A quarter of the threads per block are four times the blocks, and four times the time
 * Metric=time
 * At=n=10000,tile=4
 * Against=n=10000,tile=8
 * Low=3.5
 * High=4.5
 */
