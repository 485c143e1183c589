// SPDX-License-Identifier: MIT
// Transpose to a tensor map, with what it needs.
/*! cured
 * [Kernel]
 * Title=Transpose of a tile to a tensor map
 * Summary=Threads store a tile to shared memory, and one has it copied out after a proxy fence
 * Family=specimens
 * Step=25
 * Like=specimens/tensor-unwaited
 *
 * [Require chip]
 * If=compute_major >= 9
 * Reason=Tensor maps need compute capability 9.0
 *
 * [TensorMap map]
 * Buffer=out
 * Dims=n,n
 * Box=32,rows
 *
 * [Launch]
 * Entry=specimens_tensor_unfenced_fixed
 * Grid=ceil(n/32),ceil(n/rows)
 * Block=32,rows
 * Arguments=map,in,n
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

/* The twin of specimens/tensor-unfenced. Each thread has a proxy fence between
 * its store and the barrier. Elements out of bounds are not written. */
extern "C" __global__ void
specimens_tensor_unfenced_fixed (const __grid_constant__ TensorMap map, const int *in, int n)
{
  __shared__ alignas (128) int tile[ROWS][32];
  const int x = (int) blockIdx.x * 32 + (int) threadIdx.x;
  const int y = (int) blockIdx.y * ROWS + (int) threadIdx.y;

  tile[threadIdx.y][threadIdx.x] = x < n && y < n ? in[x * n + y] : 0;
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads ();
  if (threadIdx.x == 0 && threadIdx.y == 0)
    {
      asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group"
                   " [%0, {%1, %2}], [%3];"
                   :
                   : "l"(&map), "r"((int) blockIdx.x * 32),
                     "r"((int) blockIdx.y * ROWS), "r"(shared_address (tile))
                   : "memory");
      asm volatile("cp.async.bulk.commit_group;" ::: "memory");
      asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
    }
}

/*! cured
 * [Sweep]
 * X=n
 * Y=rows
 * n=32,64,256,512
 * rows=4,8,16
 *
 * [Claim clean]
 * Text=The copy sees the stores
 * Metric=findings
 * High=0
 */
