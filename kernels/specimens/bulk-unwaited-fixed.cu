// SPDX-License-Identifier: MIT
// Reversal of a bulk copy, with what it needs.
/*! cured
 * [Kernel]
 * Title=Reversal of a bulk copy
 * Summary=One thread copies a tile into shared memory by the copy engine; all wait at its mbarrier
 * Family=specimens
 * Step=17
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
 * Entry=specimens_bulk_unwaited_fixed
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

/* The twin of specimens/bulk-unwaited. Every thread waits until the phase of
 * the mbarrier is over, which is when all expected bytes have arrived. */
extern "C" __global__ void
specimens_bulk_unwaited_fixed (const int *__restrict__ in, int *__restrict__ out, int n)
{
  __shared__ alignas (16) int slice[BLOCK];
  __shared__ alignas (8) unsigned long long arrived;
  const int first = (int) blockIdx.x * BLOCK;
  const int j = n - first - BLOCK + (int) threadIdx.x;

  if (first + BLOCK > n)
    {
      if (first + (int) threadIdx.x < n)
        slice[threadIdx.x] = in[first + threadIdx.x];
      __syncthreads ();
    }
  else
    {
      if (threadIdx.x == 0)
        {
          asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;"
                       :
                       : "r"(shared_address (&arrived))
                       : "memory");
          asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
          asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
                       :
                       : "r"(shared_address (&arrived)), "r"(BLOCK * 4)
                       : "memory");
          asm volatile("cp.async.bulk.shared::cluster.global.mbarrier"
                       "::complete_tx::bytes [%0], [%1], %2, [%3];"
                       :
                       : "r"(shared_address (slice)),
                         "l"(in + first),
                         "r"(BLOCK * 4),
                         "r"(shared_address (&arrived))
                       : "memory");
        }
      __syncthreads ();
      asm volatile("{\n"
                   ".reg .pred done;\n"
                   "WAIT:\n"
                   "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], 0;\n"
                   "@!done bra WAIT;\n"
                   "}"
                   :
                   : "r"(shared_address (&arrived))
                   : "memory");
    }
  if (j >= 0)
    out[j] = slice[BLOCK - 1 - threadIdx.x];
}

/*! cured
 * [Sweep]
 * X=block
 * Y=n
 * block=64,256,1024
 * n=1024,4096,10^5
 *
 * [Claim clean]
 * Text=The copy is waited for
 * Metric=findings
 * High=0
 */
