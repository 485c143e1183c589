// SPDX-License-Identifier: MIT
// Transpose from a tensor map, four columns to the left.
/*! cured
 * [Kernel]
 * Title=Transpose from a tensor map, four columns to the left
 * Summary=The box begins 16 bytes before the tile, of which one element is wanted
 * Family=specimens
 * Step=26
 * Like=specimens/tensor-misaligned
 *
 * [Require chip]
 * If=compute_major >= 9
 * Reason=Tensor maps need compute capability 9.0
 *
 * [TensorMap map]
 * Buffer=in
 * Dims=n,n
 * Box=36,rows
 *
 * [Launch]
 * Entry=specimens_tensor_misaligned_fixed
 * Grid=ceil(n/32),ceil(n/rows)
 * Block=32,rows
 * Arguments=map,out,n
 *
 * [Check]
 * Output=out
 * Reference=transpose
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

/* The twin of specimens/tensor-misaligned: the box begins at a multiple of 16
 * bytes, and three of the four columns before the tile are not used. */
extern "C" __global__ void
specimens_tensor_misaligned_fixed (const __grid_constant__ TensorMap map, int *out, int n)
{
  __shared__ alignas (128) int tile[ROWS][36];
  __shared__ alignas (8) unsigned long long full;
  const int x = (int) blockIdx.x * 32 + (int) threadIdx.x;
  const int y = (int) blockIdx.y * ROWS + (int) threadIdx.y;

  if (threadIdx.x == 0 && threadIdx.y == 0)
    {
      asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(
                       shared_address (&full))
                   : "memory");
      asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
      asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
                   :
                   : "r"(shared_address (&full)), "r"(ROWS * 36 * 4)
                   : "memory");
      asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier"
                   "::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];"
                   :
                   : "r"(shared_address (tile)), "l"(&map),
                     "r"((int) blockIdx.x * 32 - 4), "r"((int) blockIdx.y * ROWS),
                     "r"(shared_address (&full))
                   : "memory");
    }
  __syncthreads ();
  asm volatile("{\n"
               ".reg .pred done;\n"
               "wait: mbarrier.try_wait.parity.shared::cta.b64 done, [%0], 0;\n"
               "@!done bra wait;\n"
               "}" ::"r"(shared_address (&full))
               : "memory");
  if (x < n && y < n)
    out[x * n + y] = tile[threadIdx.y][threadIdx.x + 4];
}

/*! cured
 * [Sweep]
 * X=n
 * Y=rows
 * n=32,64,256,512
 * rows=4,8,16
 *
 * [Claim clean]
 * Text=Nothing is found
 * Metric=findings
 * High=0
 */
