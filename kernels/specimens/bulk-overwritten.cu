// SPDX-License-Identifier: MIT
// Tile used again after a bulk store, wrong on purpose.
/*! cured
 * [Kernel]
 * Title=Tile used again after a bulk store before the copy has read it
 * Summary=A tile in shared memory is copied to global memory and stored to again before the copy has read it
 * Family=specimens
 * Step=19
 * Defect=race
 * Like=specimens/early-exit
 *
 * [Buffer a]  # none
 * [Buffer b]  # none
 *
 * [Buffer in]
 * Type=i32
 * Length=n
 * Fill=uniform
 * Low=-100
 * High=100
 *
 * [Require chip]
 * If=compute_major >= 9
 * Reason=Bulk copies need compute capability 9.0
 *
 * [Launch]
 * Entry=specimens_bulk_overwritten
 * Grid=ceil(n/block)
 * Block=block
 * Arguments=in,out,n
 *
 * [Check]
 * Output=out
 * Reference=reverse
 */

__device__ __forceinline__ unsigned
shared_address (const void *pointer)
{
  return (unsigned) __cvta_generic_to_shared (pointer);
}

/* A specimen. The thread that starts a bulk copy continues at once. Until the
 * copy has read the tile, no thread may store to it, and only
 * cp.async.bulk.wait_group.read waits for that.
 *
 * Expect zeros in the result on a GPU, in some tiles and not in others.
 * specimens/bulk-overwritten-fixed waits. */
extern "C" __global__ void
specimens_bulk_overwritten (const int *__restrict__ in, int *__restrict__ out, int n)
{
  __shared__ alignas (16) int slice[BLOCK];
  const int first = (int) blockIdx.x * BLOCK;
  const int i = n - 1 - first - (int) threadIdx.x;

  if (i >= 0)
    slice[threadIdx.x] = in[i];
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads ();
  if (first + BLOCK > n)
    {
      if (i >= 0)
        out[first + threadIdx.x] = slice[threadIdx.x];
      return;
    }
  if (threadIdx.x == 0)
    {
      asm volatile("cp.async.bulk.global.shared::cta.bulk_group"
                   " [%0], [%1], %2;"
                   :
                   : "l"(out + first),
                     "r"(shared_address (slice)),
                     "r"(BLOCK * 4)
                   : "memory");
      asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    }
  /* The slice is used again, as in a loop over tiles. */
  __syncthreads ();
  slice[threadIdx.x] = 0;
  if (slice[threadIdx.x] != 0)
    out[0] = 0;
}

/*! cured
 * [Sweep]
 * X=block
 * Y=n
 * block=64,256,1024
 * n=1024,4096,10^5
 *
 * [Claim found]
 * Text=The tile may be overwritten before it is read
 * Metric=findings
 * Low=1
 */
