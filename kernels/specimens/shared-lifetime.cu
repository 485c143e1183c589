// SPDX-License-Identifier: MIT
// Shared memory that is to last from one launch to the next, wrong on purpose.
/*! cured
 * [Kernel]
 * Title=Shared memory across launches
 * Summary=One launch leaves elements in shared memory, the next one reads them there
 * Family=specimens
 * Step=25
 * Defect=uninitialized
 *
 * [Parameter block]
 * Kind=compile
 * Values=32..1024:32
 * Default=256
 * Summary=threads per block
 *
 * [Parameter n]
 * Kind=problem
 * Default=1000
 * Summary=elements, any number
 *
 * [Buffer in]
 * Type=i32
 * Length=n
 * Fill=uniform
 *
 * [Buffer kept]
 * Type=i32
 * Length=n
 * Fill=poison
 *
 * [Buffer out]
 * Type=i32
 * Length=n
 * Fill=poison
 *
 * [Launch 1]
 * Entry=specimens_shared_lifetime
 * Grid=ceil(n/block)
 * Block=block
 * Arguments=in,kept,out,n,0
 *
 * [Launch 2]
 * Entry=specimens_shared_lifetime
 * Grid=ceil(n/block)
 * Block=block
 * Arguments=in,kept,out,n,1
 *
 * [Check]
 * Output=out
 * Reference=copy
 */

/* A specimen. Shared memory belongs to a block, and ends with it. The blocks
 * of the next launch are different ones, on any multiprocessor, and their
 * shared memory contains leftovers, or nothing.
 *
 * Expect a right result now and then, when an otherwise idle GPU gives each
 * block the place of its predecessor. */
extern "C" __global__ void
specimens_shared_lifetime (
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
    out[i] = tile[threadIdx.x];
}

/*! cured
 * [Sweep]
 * X=block
 * Y=n
 * block=64,256,1024
 * n=1000,1024,10^5
 *
 * [Claim found]
 * Text=The second launch reads shared memory that its blocks have not written
 * Metric=findings
 * Low=1
 */
