// SPDX-License-Identifier: MIT
// Transpose by a tensor map, with what it needs.
/*! cured
 * [Kernel]
 * Title=Transpose of a tile from a tensor map
 * Summary=One thread copies a box of a matrix into shared memory by the copy engine, and all wait for its bytes
 * Family=specimens
 * Step=24
 * Like=specimens/tensor-unwaited
 *
 * [Require chip]
 * If=compute_major >= 9
 * Reason=Tensor maps need compute capability 9.0
 *
 * [TensorMap map]
 * Buffer=in
 * Dims=n,n
 * Box=32,rows
 *
 * [Launch]
 * Entry=specimens_tensor_unwaited_fixed
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

/* The twin of specimens/tensor-unwaited. A box across the edge of the matrix
 * delivers all its bytes: elements out of bounds are 0. */
extern "C" __global__ void
specimens_tensor_unwaited_fixed (const __grid_constant__ TensorMap map, int *out, int n)
{
  __shared__ alignas (128) int tile[ROWS][32];
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
                   : "r"(shared_address (&full)), "r"(ROWS * 32 * 4)
                   : "memory");
      asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier"
                   "::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];"
                   :
                   : "r"(shared_address (tile)), "l"(&map),
                     "r"((int) blockIdx.x * 32), "r"((int) blockIdx.y * ROWS),
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
    out[x * n + y] = tile[threadIdx.y][threadIdx.x];
}

/*! cured
 * [Sweep]
 * X=n
 * Y=rows
 * n=32,64,256,512
 * rows=4,8,16
 *
 * [Claim clean]
 * Text=Nothing is read before the copy has brought it
 * Metric=findings
 * High=0
 */
