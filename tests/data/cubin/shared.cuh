/* SPDX-License-Identifier: MIT
 * What shared.cu has inlined from another file. */
static __device__ __forceinline__ unsigned
read_pair (const volatile unsigned *tile, unsigned i)
{
  return tile[i] + tile[i + 7];
}
