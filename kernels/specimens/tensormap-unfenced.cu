// SPDX-License-Identifier: MIT
// Copies by tensor maps that each block makes, wrong on purpose.
/*! cured
 * [Kernel]
 * Title=Rows by tensor maps made in the kernel without a fence
 * Summary=Each block makes a tensor map of its row and copies that, without an acquire of its address
 * Family=specimens
 * Step=28
 * Defect=global-race
 * Arch=90a
 *
 * [Parameter n]
 * Kind=problem
 * Values=4..256:4
 * Default=100
 * Summary=elements of a row
 *
 * [Parameter rows]
 * Kind=problem
 * Values=1..128
 * Default=7
 * Summary=rows, one a block
 *
 * [Buffer in]
 * Type=f32
 * Length=n*rows
 * Fill=uniform
 *
 * [Buffer maps]
 * Type=u64
 * Length=16*rows
 * Fill=constant
 * Low=0
 *
 * [Buffer out]
 * Type=f32
 * Length=n*rows
 * Fill=poison
 *
 * [TensorMap map]
 * Buffer=in
 * Dims=n
 * Box=n
 *
 * [Launch]
 * Entry=specimens_tensormap_unfenced
 * Grid=rows
 * Block=32
 * Arguments=map,in,maps,out,n
 *
 * [Check]
 * Output=out
 * Reference=copy
 */

struct alignas (128) TensorMap
{
  unsigned long long opaque[16];
};

__device__ __forceinline__ unsigned
shared_address (const void *pointer)
{
  return (unsigned) __cvta_generic_to_shared (pointer);
}

/* A specimen. The copy engine keeps tensor maps in a cache of its own: without
 * an acquire of the address, it need not see the block's changes to one, even
 * after a release. specimens/tensormap-unfenced-fixed has the acquire. */
extern "C" __global__ void
specimens_tensormap_unfenced (const __grid_constant__ TensorMap map,
                              const float *in,
                              unsigned long long *maps,
                              float *out,
                              int n)
{
  __shared__ TensorMap own;
  __shared__ alignas (128) float row[256];
  __shared__ unsigned long long barrier;
  unsigned long long *to = maps + blockIdx.x * 16;
  unsigned is_done = 0;

  if (threadIdx.x < 16)
    own.opaque[threadIdx.x] = map.opaque[threadIdx.x];
  __syncwarp ();
  if (threadIdx.x == 0)
    {
      asm volatile("tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%0], %1;"
                   :
                   : "r"(shared_address (&own)), "l"(in + blockIdx.x * n)
                   : "memory");
      asm volatile("mbarrier.init.shared.b64 [%0], 1;"
                   :
                   : "r"(shared_address (&barrier))
                   : "memory");
    }
  __syncwarp ();
  asm volatile("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic"
               ".release.gpu.sync.aligned [%0], [%1], 128;"
               :
               : "l"(to), "r"(shared_address (&own))
               : "memory");
  if (threadIdx.x == 0)
    {
      asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;"
                   :
                   : "r"(shared_address (&barrier)), "r"(4 * n)
                   : "memory");
      asm volatile("cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
                   " [%0], [%1, {%2}], [%3];"
                   :
                   : "r"(shared_address (row)), "l"(to), "r"(0), "r"(shared_address (&barrier))
                   : "memory");
    }
  while (is_done == 0)
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0;"
                 " selp.u32 %0, 1, 0, p; }"
                 : "=r"(is_done)
                 : "r"(shared_address (&barrier))
                 : "memory");
  for (int i = (int) threadIdx.x; i < n; i += 32)
    out[blockIdx.x * n + i] = row[i];
}

/*! cured
 * [Sweep]
 * X=n
 * Y=rows
 * n=64,128,256
 * rows=8,64
 *
 * [Claim found]
 * Text=The copy need not see the tensor map that the block made
 * Metric=findings
 * Low=1
 */
