// SPDX-License-Identifier: MIT
// Boxes that the copy engine writes into shared memory, in each of its layouts.
/*! cured
 * [Kernel]
 * Title=Tensor copies into shared memory
 * Summary=One thread copies boxes of a matrix into shared memory by the copy engine, with any swizzle, and reads the clock before and after
 * Family=banks
 * Step=5
 *
 * [Parameter type]
 * Kind=launch
 * Values=0..3
 * Names=u8,u16,u32,u64
 * Default=1
 * Summary=type of an element, of 1, 2, 4 or 8 bytes
 *
 * [Parameter width]
 * Kind=launch
 * Values=16..2048:16
 * Default=128
 * Summary=bytes of a row of the box, at most 256 elements
 *
 * [Parameter height]
 * Kind=launch
 * Values=1..256
 * Default=64
 * Summary=rows of the box
 *
 * [Parameter swizzle]
 * Kind=launch
 * Values=0,32,64,128
 * Default=128
 * Summary=bytes within which chunks of 16 bytes are permuted
 *
 * [Parameter offset]
 * Kind=launch
 * Values=0..1920:128
 * Default=0
 * Summary=bytes from a multiple of 1024 to where the box is written
 *
 * [Parameter column]
 * Kind=launch
 * Values=0..2048:16
 * Default=0
 * Summary=byte of a row of the matrix that the box begins at
 *
 * [Parameter copies]
 * Kind=launch
 * Values=0..192
 * Default=1
 * Summary=copies, each to a place of its own, that are waited for together
 *
 * [Parameter blocks]
 * Kind=launch
 * Values=1..4096
 * Default=1
 * Summary=blocks in the grid
 *
 * [Buffer in]
 * Type=u32
 * Length=1024*256
 * Fill=uniform
 * Low=0
 * High=4294967295
 *
 * [Buffer out]
 * Type=u32
 * Length=blocks*32
 * Fill=poison
 *
 * [Buffer cycles]
 * Type=u32
 * Length=blocks
 * Fill=poison
 *
 * [TensorMap u8]
 * Buffer=in
 * Type=u8
 * Dims=4096,256
 * Box=width < 256 ? width : 256,height
 * Swizzle=swizzle
 *
 * [TensorMap u16]
 * Buffer=in
 * Type=u16
 * Dims=2048,256
 * Box=width < 512 ? width/2 : 256,height
 * Swizzle=swizzle
 *
 * [TensorMap u32]
 * Buffer=in
 * Type=u32
 * Dims=1024,256
 * Box=width < 1024 ? width/4 : 256,height
 * Swizzle=swizzle
 *
 * [TensorMap u64]
 * Buffer=in
 * Type=u64
 * Dims=512,256
 * Box=width < 2048 ? width/8 : 256,height
 * Swizzle=swizzle
 *
 * [Require chip]
 * If=compute_major >= 9
 * Reason=Tensor maps need compute capability 9.0
 *
 * [Require shared]
 * If=max(copies,1)*ceil(max(width,swizzle)*height/1024)*1024 <= 196608
 * Reason=the block has 192 KiB for its boxes
 *
 * [Require rows]
 * If=width <= 256*2^type
 * Reason=a row of the box has at most 256 elements
 *
 * [Require swizzled]
 * If=swizzle == 0 || width <= swizzle
 * Reason=a swizzled row is as long as the swizzle's bytes, or shorter
 *
 * [Launch]
 * Entry=banks_tensor_copy
 * Grid=blocks
 * Block=32
 * Shared=196608+3072
 * Arguments=u8,u16,u32,u64,out,cycles,type,width*height,max(width,swizzle)*height,offset,column/2^type,copies
 *
 * [Check]
 * Output=out
 * Reference=index
 *
 * [Cycles]
 * Buffer=cycles
 * Per=copies == 0 ? 1 : copies
 */

struct alignas (64) TensorMap
{
  unsigned long long opaque[16];
};

/* Measures the copy engine.
 *
 * Its writes bypass the registers, so the bank rules for lanes do not
 * apply. The only other accesses to shared memory are the barrier's: counts
 * and cycles added by `copies` are the engine's own. Whether a layout has
 * conflicts for it must be measured (lab/measure-tensor); here `swizzle` is
 * varied against `width`, with data from L2. Rows narrower than the swizzle
 * are padded to its width, so the space of a box may be larger than its
 * bytes. */
extern "C" __global__ void
banks_tensor_copy (const __grid_constant__ TensorMap u8,
                   const __grid_constant__ TensorMap u16,
                   const __grid_constant__ TensorMap u32,
                   const __grid_constant__ TensorMap u64,
                   unsigned *__restrict__ out,
                   unsigned *__restrict__ cycles,
                   int type,
                   int bytes,
                   int place,
                   int offset,
                   int column,
                   int copies)
{
  extern __shared__ __align__ (1024) unsigned char boxes[];
  __shared__ alignas (8) unsigned long long full;
  const unsigned barrier = (unsigned) __cvta_generic_to_shared (&full);
  const unsigned base = (unsigned) __cvta_generic_to_shared (boxes);
  const unsigned to = ((base + 1023) & ~1023u) + offset;
  const TensorMap *const map = type == 0   ? &u8
                               : type == 1 ? &u16
                               : type == 2 ? &u32
                                           : &u64;
  long long start = 0, end = 0;

  if (threadIdx.x == 0)
    {
      asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier)
                   : "memory");
      asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
      asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
                   :
                   : "r"(barrier), "r"(copies * bytes)
                   : "memory");
      start = clock64 ();
#pragma unroll 1
      for (int i = 0; i < copies; i++)
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile"
                     ".mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];"
                     :
                     : "r"(to + i * ((place + 1023) & ~1023)), "l"(map), "r"(column), "r"(0), "r"(barrier)
                     : "memory");
      asm volatile("{\n"
                   ".reg .pred done;\n"
                   "wait: mbarrier.try_wait.parity.shared::cta.b64 done, [%0], "
                   "0;\n"
                   "@!done bra wait;\n"
                   "}" ::"r"(barrier)
                   : "memory");
      end = clock64 ();
      cycles[blockIdx.x] = (unsigned) (end - start);
    }
  out[blockIdx.x * 32 + threadIdx.x] = blockIdx.x * 32 + threadIdx.x;
}

/*! cured
 * [Sweep]
 * X=swizzle
 * Y=height
 * swizzle=0,32,64,128
 * height=8,64,256
 * type=1
 * width=32
 * copies=8
 *
 * [Claim clean]
 * Text=Nothing is read before it has arrived, or overwritten before it was read
 * Metric=findings
 * At=copies=2,height=16
 * High=0
 */
