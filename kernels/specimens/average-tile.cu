// SPDX-License-Identifier: MIT
// Averaging filter by tiles of one array, wrong on purpose.
/*! cured
 * [Kernel]
 * Title=Averaging by tiles of one array
 * Summary=Each block loads its elements and one more on each side, and writes the means where they were
 * Family=specimens
 * Step=22
 * Defect=global-race,uninitialized
 * Like=specimens/average-one-launch
 *
 * [Parameter iterations]  # none
 * [Buffer spare]          # none
 * [Buffer out]            # none
 *
 * [Launch]
 * Entry=specimens_average_tile
 * Grid=ceil(n/block)
 * Block=block
 * Arguments=in,n
 *
 * [Check]
 * Output=in
 * Reference=average
 * Relative=1e-6
 */

/* A specimen, with two mistakes in the elements beside the tile:
 *
 * 1. The one to the right is for thread BLOCK, and the last thread is
 *    BLOCK - 1. It is never loaded, and the previous contents of shared
 *    memory are averaged.
 * 2. The one to the left is the neighbour's, which writes its means into
 *    the same array. Whether it has done so by now is chance, and no barrier
 *    helps: it only synchronizes one block.
 *
 * Expect a GPU to be right inside the blocks and wrong at their borders. */
extern "C" __global__ void
specimens_average_tile (float *in, int n)
{
  __shared__ float tile[BLOCK + 2];
  const int i = blockIdx.x * BLOCK + threadIdx.x;

  if (i < n)
    tile[threadIdx.x + 1] = in[i];
  if (threadIdx.x == 0 && i > 0)
    tile[0] = in[i - 1];
  if (threadIdx.x == BLOCK && i < n - 1)
    tile[BLOCK + 1] = in[i + 1];
  __syncthreads ();
  if (i > 0 && i < n - 1)
    in[i] =
        (tile[threadIdx.x] + tile[threadIdx.x + 1] + tile[threadIdx.x + 2]) / 3;
}

/*! cured
 * [Sweep]
 * X=block
 * Y=n
 * block=64,256,1024
 * n=1000,1024,10^5
 *
 * [Claim found]
 * Text=Of the elements beside a tile, one is not loaded, and one is raced for
 * Metric=findings
 * At=n=1000
 * Low=2
 *
 * [Claim one]
 * Text=One block that holds all elements has nothing beside it
 * Metric=findings
 * At=block=1024,n=1000
 * High=0
 */
