// SPDX-License-Identifier: MIT
// Averaging filter by tiles, from one array to another.
/*! cured
 * [Kernel]
 * Title=Averaging by tiles, with both neighbours
 * Summary=Each block loads its elements and one more on each side, and writes the means into another array
 * Family=specimens
 * Step=22
 * Like=specimens/average-one-launch
 *
 * [Parameter iterations]  # none
 * [Buffer spare]          # none
 *
 * [Launch]
 * Entry=specimens_average_tile_fixed
 * Grid=ceil(n/block)
 * Block=block
 * Arguments=in,out,n
 */

/* The twin of specimens/average-tile: the last thread loads the element to the
 * right, and no block writes elements that others read. A tile saves loads
 * even for one iteration: see average/cases. */
extern "C" __global__ void
specimens_average_tile_fixed (const float *__restrict__ in,
                              float *__restrict__ out,
                              int n)
{
  __shared__ float tile[BLOCK + 2];
  const int i = blockIdx.x * BLOCK + threadIdx.x;

  if (i < n)
    tile[threadIdx.x + 1] = in[i];
  if (threadIdx.x == 0 && i > 0)
    tile[0] = in[i - 1];
  if (threadIdx.x == BLOCK - 1 && i < n - 1)
    tile[BLOCK + 1] = in[i + 1];
  __syncthreads ();
  if (i > 0 && i < n - 1)
    out[i] =
        (tile[threadIdx.x] + tile[threadIdx.x + 1] + tile[threadIdx.x + 2]) / 3;
  else if (i < n)
    out[i] = in[i];
}

/*! cured
 * [Sweep]
 * X=block
 * Y=n
 * block=64,256,1024
 * n=1000,1024,10^5
 *
 * [Claim clean]
 * Text=Every element of a tile is loaded before it is read
 * Metric=findings
 * At=n=1000
 * High=0
 */
