// SPDX-License-Identifier: MIT
// Product of tiles by four warps, with what it needs.
/*! cured
 * [Kernel]
 * Title=Product of tiles by wgmma
 * Summary=Tiles in shared memory are multiplied by four warps, with all fences and waits
 * Family=specimens
 * Step=20
 * Arch=90a
 * Like=specimens/wgmma-unfenced
 *
 * [Launch]
 * Entry=specimens_wgmma_unfenced_fixed
 * Grid=n/8,m/64
 * Block=128
 * Arguments=a,b,c,n,k
 *
 * [Check]
 * Output=c
 * Reference=matmul
 * Tolerance=0.01*k
 */

__device__ __forceinline__ unsigned
shared_address (const void *pointer)
{
  return (unsigned) __cvta_generic_to_shared (pointer);
}

/* A tile without a swizzle: pieces of 8 rows of 16 bytes, @leading bytes from
 * one piece to the next along a row, @stride bytes down to the next 8 rows. */
__device__ __forceinline__ unsigned long long
describe (const void *tile, unsigned leading, unsigned stride)
{
  return (shared_address (tile) & 0x3ffff) >> 4 |
         (unsigned long long) (leading >> 4) << 16 |
         (unsigned long long) (stride >> 4) << 32;
}

/* The twin of specimens/wgmma-unfenced. Each thread has a proxy fence between its
 * stores and the barrier. */
extern "C" __global__ void __launch_bounds__ (128)
specimens_wgmma_unfenced_fixed (const float *a, const float *b, float *c, int n, int k)
{
  __shared__ alignas (128) float tile_a[2][8][8][4];
  __shared__ alignas (128) float tile_b[2][8][4];
  const int t = (int) threadIdx.x;
  const int row = (int) blockIdx.y * 64;
  const int column = (int) blockIdx.x * 8;
  float d[4] = { 0, 0, 0, 0 };

  for (int first = 0; first < k; first += 8)
    {
      for (int i = t; i < 64 * 8; i += 128)
        tile_a[i % 8 / 4][i / 64][i / 8 % 8][i % 4] =
            a[(row + i / 8) * k + first + i % 8];
      if (t < 8 * 8)
        tile_b[t / 8 / 4][t % 8][t / 8 % 4] =
            b[(first + t / 8) * n + column + t % 8];
      asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
      __syncthreads ();
      asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
      asm volatile("wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 "
                   "{%0, %1, %2, %3}, %4, %5, 1, 1, 1;"
                   : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                   : "l"(describe (tile_a, 1024, 128)),
                     "l"(describe (tile_b, 128, 128))
                   : "memory");
      asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
      asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
      __syncthreads ();
    }
  for (int i = 0; i < 4; i++)
    c[(row + t / 32 * 16 + t % 32 / 4 + i / 2 * 8) * n + column + t % 4 * 2 +
      i % 2] = d[i];
}

/*! cured
 * [Sweep]
 * X=n
 * Y=k
 * n=8,16,64
 * k=8,32,64
 *
 * [Claim clean]
 * Text=Everything is ordered before it is used
 * Metric=findings
 * High=0
 */
