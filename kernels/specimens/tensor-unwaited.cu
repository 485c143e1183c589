// SPDX-License-Identifier: MIT
// Transpose by a tensor map without a wait, wrong on purpose.
/*! cured
 * [Kernel]
 * Title=Transpose of a tile from a tensor map, without a wait
 * Summary=One thread copies a box of a matrix into shared memory by the copy engine; no thread waits for it
 * Family=specimens
 * Step=24
 * Defect=race
 *
 * [Parameter n]
 * Kind=problem
 * Values=4..512:4
 * Default=100
 * Summary=rows and columns
 *
 * [Parameter rows]
 * Kind=compile
 * Values=2..16:2
 * Default=8
 * Summary=rows of a tile
 *
 * [Buffer in]
 * Type=i32
 * Length=n*n
 * Fill=uniform
 * Low=-100
 * High=100
 *
 * [Buffer out]
 * Type=i32
 * Length=n*n
 * Fill=poison
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
 * Entry=specimens_tensor_unwaited
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

/* A specimen. The barrier orders threads; the copy belongs to no thread, and
 * only the mbarrier that counts its bytes tells when they have arrived.
 * specimens/tensor-unwaited-fixed waits. */
extern "C" __global__ void
specimens_tensor_unwaited (const __grid_constant__ TensorMap map, int *out, int n)
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
 * [Claim found]
 * Text=Elements are read that the copy may not have brought
 * Metric=findings
 * Low=1
 */
