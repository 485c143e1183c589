// SPDX-License-Identifier: MIT
// Sum of two matrices, one tile per block: load, compute, store.
/*! cured
 * [Kernel]
 * Title=Sum of matrices, one tile per block
 * Summary=Both tiles go to shared memory, then they are added, then the sum is stored
 * Family=elementwise
 * Step=2
 * Bytes=12*n*n
 * Ceiling=copy
 * Like=elementwise/add
 *
 * [Launch]
 * Entry=elementwise_add_tile
 * Grid=ceil(n/tile),ceil(n/tile)
 * Block=tile,tile
 * Arguments=a,b,out,n
 */

/* Before: memory. Now: memory, and waiting at each barrier.
 *
 * Against elementwise/add: the tiling exercise, on a problem that has no
 * use for it. Each thread loads its element of both matrices into shared
 * memory; the block waits until the tile is complete; then it computes and
 * stores. Tiling pays where an element in shared memory is read many times
 * per read of global memory. Here it is read once, by the thread that
 * stored it, so only the cost of the copy is left. The tile saves no sector
 * of global memory. It adds wavefronts of shared memory, instructions and a
 * barrier. Expect no gain, and see matmul/tiled, where the same three steps
 * pay.
 *
 * (Since no thread reads another one's element, the barrier could go, and
 * the shared memory with it.) */
extern "C" __global__ void
elementwise_add_tile (const float *__restrict__ a,
                      const float *__restrict__ b,
                      float *__restrict__ out,
                      int n)
{
  __shared__ float tile_a[TILE][TILE];
  __shared__ float tile_b[TILE][TILE];
  const int x = threadIdx.x;
  const int y = threadIdx.y;
  const int column = blockIdx.x * TILE + x;
  const int row = blockIdx.y * TILE + y;
  const long long i = (long long) row * n + column;
  const bool is_inside = row < n && column < n;

  if (is_inside)
    {
      tile_a[y][x] = a[i];
      tile_b[y][x] = b[i];
    }
  __syncthreads ();
  if (is_inside)
    out[i] = tile_a[y][x] + tile_b[y][x];
}

/*! cured
 * [Claim sectors]
 * Text=The tile saves no sector of global memory: each element is read once in any case
 * Question=How many times as many sectors of global memory are requested with the tile as without?
 * Metric=global_sectors
 * At=n=100,tile=16
 * Against=elementwise/add n=100,tile=16
 * Low=1
 * High=1
 *
 * [Claim wavefronts]
 * Text=It adds wavefronts of shared memory, where there were none: each warp's two stores and two loads
 * Metric=shared_wavefronts
 * At=n=64,tile=32
 * Low=512
 * High=512
 *
 * [Claim instructions]
 * Text=It adds instructions
 * Metric=instructions
 * At=n=100,tile=16
 * Against=elementwise/add n=100,tile=16
 * Low=1.1
 *
 * [Claim reuse]
 * Text=With a tile or without, there is one addition per two loaded elements
 * Question=How many floating-point operations are there per element loaded?
 * Metric=flops_per_load
 * At=n=100,tile=16
 * Low=0.5
 * High=0.5
 *
 * [Claim time]
 * Text=It gains nothing: two stores to shared memory, two loads and a barrier come on top
 * Question=How many times as long does it take with the tile as without?
 * Metric=time
 * At=n=10000,tile=16
 * Against=elementwise/add n=10000,tile=16
 * Low=1
 */
