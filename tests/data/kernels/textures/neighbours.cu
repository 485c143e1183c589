// SPDX-License-Identifier: MIT
// Textures over linear memory: neighbours without a test for the edges.
/*! cured
 * [Kernel]
 * Title=Fetches of textures over buffers
 * Summary=Each thread adds an element's neighbours, which are 0 beyond the ends, and a table's entry read as a real
 *
 * [Parameter block]
 * Kind=compile
 * Values=32..1024:32
 * Default=128
 *
 * [Parameter n]
 * Kind=problem
 * Default=10000
 *
 * [Buffer in]
 * Type=f32
 * Length=n
 * Fill=uniform
 *
 * [Buffer table]
 * Type=u8x4
 * Length=64
 * Fill=uniform
 * High=255
 *
 * [Buffer out]
 * Type=f32
 * Length=n
 * Fill=poison
 *
 * [Launch]
 * Entry=neighbours
 * Grid=ceil(n/block)
 * Block=block
 * Arguments=in:texture,table:texture:normalized,out,n
 *
 * [Check]
 * Output=out
 * Reference=./neighbours-plain.cu
 */
extern "C" __global__ void
neighbours (cudaTextureObject_t in,
            cudaTextureObject_t table,
            float *out,
            int n)
{
  const int i = blockIdx.x * BLOCK + threadIdx.x;

  if (i < n)
    {
      const float4 entry = tex1Dfetch<float4> (table, i % 64);

      out[i] = tex1Dfetch<float> (in, i - 1) + tex1Dfetch<float> (in, i + 1) +
               entry.x * entry.w;
    }
}
