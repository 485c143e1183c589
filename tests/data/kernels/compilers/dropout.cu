// SPDX-License-Identifier: MIT
/*! cured
 * [Kernel]
 * Title=Dropout by the generator Philox
 *
 * [Parameter n]
 * Kind=problem
 * Default=1000
 *
 * [Parameter seed]
 * Kind=problem
 * Default=42
 *
 * [Buffer x]
 * Type=f32
 * Length=n
 * Fill=uniform
 *
 * [Buffer out]
 * Type=f32
 * Length=n
 * Fill=poison
 *
 * [Launch]
 * Entry=drop
 * Grid=ceil(n/128)
 * Block=128
 * Arguments=x,out,n,seed
 *
 * [Check]
 * Output=out
 * Reference=copy
 */
/* Salmon et al., "Parallel random numbers: as easy as 1, 2, 3": Philox 4 x 32,
 * ten rounds, of which Triton takes the first word. */
extern "C" __global__ void
drop (const float *x, float *out, int n, int seed)
{
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned c0 = i, c1 = 0, c2 = 0, c3 = 0, k0 = seed, k1 = 0;
  int bits;

  if (i >= n)
    return;
  for (int round = 0; round < 10; round++)
    {
      const unsigned a = c0, b = c2;

      c0 = __umulhi (0xCD9E8D57u, b) ^ c1 ^ k0;
      c2 = __umulhi (0xD2511F53u, a) ^ c3 ^ k1;
      c1 = 0xCD9E8D57u * b;
      c3 = 0xD2511F53u * a;
      k0 += 0x9E3779B9u;
      k1 += 0xBB67AE85u;
    }
  bits = (int) c0 < 0 ? -(int) c0 - 1 : (int) c0;
  out[i] = bits * 4.6566127342e-10f > 0.5f ? x[i] / 0.5f : 0.0f;
}
