// SPDX-License-Identifier: MIT
// Reversal of a bulk copy, with what it needs.
/*! cured
 * [Kernel]
 * Title=Reversal of a bulk copy that brings what is expected
 * Summary=The mbarrier expects as many bytes as the copies bring, the last one, too
 * Family=specimens
 * Step=29
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
 * Entry=specimens_bulk_short_fixed
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

/* The twin of specimens/bulk-short: the mbarrier expects the copied bytes. */
extern "C" __global__ void
specimens_bulk_short_fixed (const int *__restrict__ in, int *__restrict__ out, int n)
{
  __shared__ alignas (16) int slice[BLOCK];
  __shared__ alignas (8) unsigned long long arrived;
  const int first = (int) blockIdx.x * BLOCK;
  const int count = min (BLOCK, n - first);
  const int whole = count / 4 * 4;

  if (threadIdx.x == 0)
    {
      asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;"
                   :
                   : "r"(shared_address (&arrived))
                   : "memory");
      asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
      asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
                   :
                   : "r"(shared_address (&arrived)), "r"(whole * 4)
                   : "memory");
      if (whole > 0)
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier"
                     "::complete_tx::bytes [%0], [%1], %2, [%3];"
                     :
                     : "r"(shared_address (slice)),
                       "l"(in + first),
                       "r"(whole * 4),
                       "r"(shared_address (&arrived))
                     : "memory");
    }
  /* A bulk copy has a multiple of 16 bytes. */
  if ((int) threadIdx.x >= whole && (int) threadIdx.x < count)
    slice[threadIdx.x] = in[first + threadIdx.x];
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
  if ((int) threadIdx.x < count)
    out[n - first - count + (int) threadIdx.x] = slice[count - 1 - (int) threadIdx.x];
}

/*! cured
 * [Sweep]
 * X=block
 * Y=n
 * block=64,256,1024
 * n=1024,4096,10^5
 *
 * [Claim clean]
 * Text=The expected bytes arrive
 * Metric=findings
 * High=0
 */
