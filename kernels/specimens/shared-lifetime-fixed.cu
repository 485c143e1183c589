// SPDX-License-Identifier: MIT
// Elements that go from one launch to the next through global memory.
/*! cured
 * [Kernel]
 * Title=Global memory across launches
 * Summary=One launch leaves elements in global memory, the next one reads them there
 * Family=specimens
 * Step=25
 * Like=specimens/shared-lifetime
 *
 * [Launch 1]
 * Entry=specimens_shared_lifetime_fixed
 * Grid=ceil(n/block)
 * Block=block
 * Arguments=in,kept,out,n,0
 *
 * [Launch 2]
 * Entry=specimens_shared_lifetime_fixed
 * Grid=ceil(n/block)
 * Block=block
 * Arguments=in,kept,out,n,1
 */

/* The twin of specimens/shared-lifetime: the second launch loads its tile again,
 * from global memory, which outlives launches. */
extern "C" __global__ void
specimens_shared_lifetime_fixed (
    const int *__restrict__ in, int *kept, int *out, int n, int phase)
{
  __shared__ int tile[BLOCK];
  const int i = blockIdx.x * BLOCK + threadIdx.x;

  if (phase == 0 && i < n)
    {
      tile[threadIdx.x] = in[i];
      kept[i] = tile[threadIdx.x];
    }
  if (phase == 1 && i < n)
    {
      tile[threadIdx.x] = kept[i];
      out[i] = tile[threadIdx.x];
    }
}

/*! cured
 * [Sweep]
 * X=block
 * Y=n
 * block=64,256,1024
 * n=1000,1024,10^5
 *
 * [Claim clean]
 * Text=Each block reads its own writes
 * Metric=findings
 * High=0
 */
