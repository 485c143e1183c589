// SPDX-License-Identifier: MIT
// Reversal by a bulk store, wrong on purpose.
/*! cured
 * [Kernel]
 * Title=Reversal by a bulk store without a proxy fence
 * Summary=A tile is stored to shared memory, and one thread copies it to global memory without a proxy fence
 * Family=specimens
 * Step=18
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
 * Entry=specimens_bulk_unfenced
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

/* A specimen. Bulk copies go through the asynchronous proxy, which need not
 * see earlier stores of threads to shared memory: a barrier orders threads,
 * but not proxies.
 *
 * Expect the right result nearly always, and old elements now and then.
 * specimens/bulk-unfenced-fixed has the fence. */
extern "C" __global__ void
specimens_bulk_unfenced (const int *__restrict__ in, int *__restrict__ out, int n)
{
  __shared__ alignas (16) int slice[BLOCK];
  const int first = (int) blockIdx.x * BLOCK;
  const int i = n - 1 - first - (int) threadIdx.x;

  if (i >= 0)
    slice[threadIdx.x] = in[i];
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
      asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
    }
}

/*! cured
 * [Sweep]
 * X=block
 * Y=n
 * block=64,256,1024
 * n=1024,4096,10^5
 *
 * [Claim found]
 * Text=The copy may not see the stores
 * Metric=findings
 * Low=1
 */
