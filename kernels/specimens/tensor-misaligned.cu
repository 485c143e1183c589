// SPDX-License-Identifier: MIT
// Transpose from a tensor map, one column too far left.
/*! cured
 * [Kernel]
 * Title=Transpose from a tensor map, one column too far left
 * Summary=The box begins one element before the tile, as a stencil would have it
 * Family=specimens
 * Step=26
 * Defect=misaligned
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
 * Box=36,rows
 *
 * [Launch]
 * Entry=specimens_tensor_misaligned
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

/* The box begins one column before the tile, for the neighbour on the left.
 * The copy engine rejects such a box: its first coordinate must be a multiple
 * of 16 bytes, here of four elements, and the GPU ends the launch. */
extern "C" __global__ void
specimens_tensor_misaligned (const __grid_constant__ TensorMap map, int *out, int n)
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
                     "r"((int) blockIdx.x * 32 - 1), "r"((int) blockIdx.y * ROWS),
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
    out[x * n + y] = tile[threadIdx.y][threadIdx.x + 1];
}

/*! cured
 * [Sweep]
 * X=n
 * Y=rows
 * n=32,64,256,512
 * rows=4,8,16
 *
 * [Claim found]
 * Text=The coordinate is found
 * Metric=findings
 * Low=1
 */
