// SPDX-License-Identifier: MIT
// Transpose by a tensor map without a proxy fence, wrong on purpose.
/*! cured
 * [Kernel]
 * Title=Transpose of a tile to a tensor map without a fence
 * Summary=Threads store a tile to shared memory, and one copies it out without a proxy fence
 * Family=specimens
 * Step=25
 * Defect=race
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
 * Entry=specimens_tensor_unfenced
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

/* A specimen. The copy reads shared memory through the asynchronous proxy:
 * with only a barrier in between, it need not see the threads' stores.
 * specimens/tensor-unfenced-fixed has the fence. */
extern "C" __global__ void
specimens_tensor_unfenced (const __grid_constant__ TensorMap map, const int *in, int n)
{
  __shared__ alignas (128) int tile[ROWS][32];
  const int x = (int) blockIdx.x * 32 + (int) threadIdx.x;
  const int y = (int) blockIdx.y * ROWS + (int) threadIdx.y;

  tile[threadIdx.y][threadIdx.x] = x < n && y < n ? in[x * n + y] : 0;
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
 * [Claim found]
 * Text=The copy need not see the stores
 * Metric=findings
 * Low=1
 */
