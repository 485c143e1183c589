// SPDX-License-Identifier: MIT
// The same convolution, each tap of which a copy by a tensor map brings.
/*! cured
 * [Kernel]
 * Title=Convolution by im2col
 *
 * [Parameter w]
 * Kind=problem
 * Default=8
 *
 * [Parameter h]
 * Kind=problem
 * Default=8
 *
 * [Buffer in]
 * Type=i32
 * Length=8*w*h
 * Fill=uniform
 * Low=-1000
 * High=1000
 *
 * [Buffer out]
 * Type=i32
 * Length=8*w*h
 * Fill=poison
 *
 * [TensorMap image]
 * Buffer=in
 * Dims=8,w,h,1
 * Channels=8
 * Pixels=w*h
 * LowerCorner=-1,-1
 * UpperCorner=-1,-1
 *
 * [Launch]
 * Entry=im2col
 * Grid=1
 * Block=256
 * Shared=8*w*h*4
 * Arguments=image,out,w*h
 *
 * [Check]
 * Output=out
 * Reference=./plain.cu
 */

struct alignas (64) TensorMap
{
  unsigned long long opaque[16];
};

__device__ __forceinline__ unsigned
shared_address (const void *pointer)
{
  return (unsigned) __cvta_generic_to_shared (pointer);
}

extern "C" __global__ void
im2col (const __grid_constant__ TensorMap image, int *out, int pixels)
{
  extern __shared__ __align__ (128) int tile[];
  __shared__ alignas (8) unsigned long long full;

  if (threadIdx.x == 0)
    {
      asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(
                       shared_address (&full))
                   : "memory");
      asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
  __syncthreads ();
  for (int tap = 0; tap < 9; tap++)
    {
      if (threadIdx.x == 0)
        {
          asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
                       :
                       : "r"(shared_address (&full)), "r"(pixels * 32)
                       : "memory");
          asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.im2col"
                       ".mbarrier::complete_tx::bytes"
                       " [%0], [%1, {%2, %3, %4, %5}], [%6], {%7, %8};"
                       :
                       : "r"(shared_address (tile)), "l"(&image), "r"(0),
                         "r"(-1), "r"(-1), "r"(0), "r"(shared_address (&full)),
                         "h"((short) (tap % 3)), "h"((short) (tap / 3))
                       : "memory");
        }
      asm volatile("{\n"
                   ".reg .pred done;\n"
                   "wait: mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
                   "@!done bra wait;\n"
                   "}" ::"r"(shared_address (&full)),
                   "r"(tap % 2)
                   : "memory");
      for (int i = (int) threadIdx.x; i < pixels * 8; i += (int) blockDim.x)
        out[i] = (tap > 0 ? out[i] : 0) + (tap + 1) * tile[i];
      __syncthreads ();
    }
}
