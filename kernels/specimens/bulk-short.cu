// SPDX-License-Identifier: MIT
// Reversal of a bulk copy, wrong on purpose.
/*! cured
 * [Kernel]
 * Title=Reversal of a bulk copy that brings less than is expected
 * Summary=The mbarrier of the last tile expects a whole tile, and fewer bytes come
 * Family=specimens
 * Step=29
 * Defect=deadlock
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
 * Entry=specimens_bulk_short
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

/* A specimen. The last tile has fewer elements than the others, and its copy
 * is shorter: the mbarrier still expects a whole tile, so its phase never ends
 * and every thread waits for ever. Where n is a multiple of BLOCK, nothing
 * goes wrong.
 *
 * Expect a GPU to hang: nothing ends the wait. specimens/bulk-short-fixed
 * expects the copied bytes. */
extern "C" __global__ void
specimens_bulk_short (const int *__restrict__ in, int *__restrict__ out, int n)
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
                   : "r"(shared_address (&arrived)), "r"(BLOCK * 4)
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
 * [Claim found]
 * Text=The last tile is waited for in vain
 * Metric=findings
 * Low=1
 */
