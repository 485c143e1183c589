// SPDX-License-Identifier: MIT
// Matrix product with tiles in shared memory.
/*! cured
 * [Kernel]
 * Title=Tiled matrix product
 * Summary=Tiles of both matrices staged in shared memory, one element of the product per thread
 * Family=matmul
 * Step=2
 * Flops=2*n*n*n
 * Bytes=12*n*n
 * Ceiling=fp32
 * Like=matmul/naive
 *
 * [Parameter bx]  # none
 * [Parameter by]  # none
 *
 * [Parameter tile]
 * Kind=compile
 * Values=1..32
 * Default=16
 * Summary=rows and columns of a tile, and of a block
 *
 * [Launch]
 * Entry=matmul_tiled
 * Grid=ceil(n/tile),ceil(n/tile)
 * Block=tile,tile
 * Arguments=a,b,c,n
 */

/* Before: L1 cache. Now: shared memory. An element loaded from global memory is
 * used TILE times, so global loads per multiply-add fall as 2/TILE. Two words
 * of shared memory per multiply-add are left.
 *
 * Against matmul/naive: the reuse is planned, not left to the cache. Small
 * tiles cost more than they save: a tile of 4 fills half a warp, which passes
 * two barriers per four multiply-adds. Odd sides are slower than even ones:
 * ptxas merges loads from a row of tile_a, four at a time where rows are
 * multiples of 16 bytes, two where they are multiples of 8. A tile of 32 takes
 * 40 loads from shared memory for 32 multiply-adds, one of 31 takes 62 for 31. */
extern "C" __global__ void
matmul_tiled (const float *__restrict__ a,
              const float *__restrict__ b,
              float *__restrict__ c,
              int n)
{
  __shared__ float tile_a[TILE][TILE];
  __shared__ float tile_b[TILE][TILE];
  const int x = threadIdx.x;
  const int y = threadIdx.y;
  const int column = blockIdx.x * TILE + x;
  const int row = blockIdx.y * TILE + y;
  float sum = 0;

  for (int k = 0; k < n; k += TILE)
    {
      /* Zeros outside the matrices. */
      tile_a[y][x] = row < n && k + x < n ? a[(size_t) row * n + k + x] : 0;
      tile_b[y][x] =
          k + y < n && column < n ? b[(size_t) (k + y) * n + column] : 0;
      __syncthreads ();

#pragma unroll
      for (int j = 0; j < TILE; j++)
        sum += tile_a[y][j] * tile_b[j][x];
      __syncthreads ();
    }
  if (row < n && column < n)
    c[(size_t) row * n + column] = sum;
}

/*! cured
 * [Sweep]
 * X=tile
 * Y=n
 * tile=1..32
 * n=1024,2048,4096
 *
 * [Claim loads]
 * Text=A tile twice as wide requests half of the sectors, apart from those of the product
 * Metric=global_sectors
 * At=tile=32,n=64
 * Against=tile=16
 * Low=0.5
 * High=0.56
 *
 * [Claim sectors]
 * Text=An eighth of the plain kernel's sectors, though a sixteenth of its elements: a row of 16 floats is two sectors, and the lanes of the plain kernel share sectors, too
 * Question=What fraction of the sectors of the kernel without tiles does a tile of 16 request?
 * Metric=global_sectors
 * At=tile=16,n=64
 * Against=matmul/naive bx=16,by=16,n=64
 * Low=1/8
 * High=0.14
 *
 * [Claim many]
 * Text=A multiprocessor of an H200 holds 32 blocks with tiles of 8
 * Metric=blocks_per_sm
 * At=tile=8,n=64
 * Low=32
 * High=32
 *
 * [Claim few]
 * Text=It holds 2 blocks with tiles of 32
 * Metric=blocks_per_sm
 * At=tile=32,n=64
 * Low=2
 * High=2
 *
 * [Claim small]
 * Text=A tile of 4 takes more than three times as long as one of 16
 * Metric=time
 * At=tile=4
 * Against=tile=16
 * Low=3
 *
 * [Claim odd]
 * Text=A tile of 31 takes 62 loads from shared memory for 31 multiply-adds, a tile of 32 takes 40 for 32: ptxas merges those of aligned rows
 * Question=At n = 2048, how many times as long as a tile of 32 does a tile of 31 take?
 * Metric=time
 * At=tile=31
 * Against=tile=32
 * Low=1.2
 *
 * [Claim elements]
 * Text=A block of 16 × 16 threads loads 512 elements for 4,096 multiply-adds
 * Metric=global_loads
 * At=tile=16,n=16
 * Low=512
 * High=512
 *
 * [Claim multiply-adds]
 * Text=These are 8,192 operations
 * Metric=flops
 * At=tile=16,n=16
 * Low=8192
 * High=8192
 *
 * [Claim reuse]
 * Text=A tile of 16 uses each loaded element for 16 operations, that is 8 multiply-adds
 * Question=How many floating-point operations are there per element loaded, with a tile of 16?
 * Metric=flops_per_load
 * At=tile=16,n=64
 * Low=16
 * High=16
 *
 * [Claim reuse half]
 * Text=A tile of 8 gets half as many
 * Metric=flops_per_load
 * At=tile=8,n=64
 * Against=tile=16,n=64
 * Low=0.5
 * High=0.5
 *
 * [Claim against]
 * Text=Tiles of 32 are faster than the plain kernel's blocks of 32 × 8
 * Metric=time
 * At=tile=32
 * Against=matmul/naive bx=32,by=8
 * High=0.9
 */
