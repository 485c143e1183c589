// SPDX-License-Identifier: MIT
// Tiled matrix product whose tile of b lies straight or transposed, padded or
// not.
/*! cured
 * [Kernel]
 * Title=Tiled matrix product with padding
 * Summary=A tile that is read along a row or down a column of shared memory, its rows made longer by a padding
 * Family=matmul
 * Step=3
 * Role=detour
 * Flops=2*n*n*n
 * Bytes=12*n*n
 * Ceiling=fp32
 * Like=matmul/naive
 *
 * [Parameter bx]  # none
 * [Parameter by]  # none
 *
 * [Parameter tile]
 * Kind=compile
 * Values=1..32
 * Default=32
 * Summary=rows and columns of a tile
 *
 * [Parameter padding]
 * Kind=compile
 * Values=0..8
 * Default=0
 * Summary=words that are added to each row of the tile of b
 *
 * [Parameter layout]
 * Kind=compile
 * Values=0,1
 * Names=straight,transposed
 * Default=1
 * Summary=layout of the tile of b: the lanes of a warp read along its rows, or down its columns
 *
 * [Launch]
 * Entry=matmul_tile_padding
 * Grid=ceil(n/tile),ceil(n/tile)
 * Block=tile,tile
 * Arguments=a,b,c,n
 */

#define ROW (TILE + PADDING)

/* Before: shared memory. Now: shared memory. In matmul/tiled, the lanes of a
 * warp read neighbours of a row of b's tile, and one element of a's: a
 * wavefront each.
 *
 * A detour: here the tile of b may be stored transposed, as for a product by a
 * transposed matrix. Then the lanes read down a column, TILE + PADDING words
 * apart, and the greatest common divisor of that distance and the 32 banks is
 * the degree of the conflict: 32 with a tile of 32; 1, no conflict, with a
 * tile of 31 or with one word of padding; and 32 again with both. A few words
 * of shared memory compensate for the transposed tile: expect one word of
 * padding to bring a tile of 32 back to the time of the straight one. */
extern "C" __global__ void __launch_bounds__ (TILE * TILE)
matmul_tile_padding (const float *__restrict__ a,
                     const float *__restrict__ b,
                     float *__restrict__ c,
                     int n)
{
  __shared__ float tile_a[TILE][TILE];
  __shared__ float tile_b[TILE][ROW];
  const int x = threadIdx.x;
  const int y = threadIdx.y;
  const int column = blockIdx.x * TILE + x;
  const int row = blockIdx.y * TILE + y;
  float sum = 0;

  for (int k = 0; k < n; k += TILE)
    {
      /* Zeros outside the matrices. */
      const float from_b =
          k + y < n && column < n ? b[(size_t) (k + y) * n + column] : 0;

      tile_a[y][x] = row < n && k + x < n ? a[(size_t) row * n + k + x] : 0;
#if LAYOUT == 1
      tile_b[x][y] = from_b;
#else
      tile_b[y][x] = from_b;
#endif
      __syncthreads ();

#pragma unroll
      for (int j = 0; j < TILE; j++)
#if LAYOUT == 1
        sum += tile_a[y][j] * tile_b[x][j];
#else
        sum += tile_a[y][j] * tile_b[j][x];
#endif
      __syncthreads ();
    }
  if (row < n && column < n)
    c[(size_t) row * n + column] = sum;
}

/*! cured
 * [Sweep]
 * X=padding
 * Y=tile
 * padding=0,1,2,4,8
 * tile=16,31,32
 * layout=0,1
 *
 * [Claim straight]
 * Text=Along the rows there is no conflict, with or without padding
 * Metric=excess_wavefronts
 * At=tile=32,padding=0,layout=0,n=64
 * High=0
 *
 * [Claim transposed]
 * Text=In an unpadded column of 32 words all lanes share one bank: 31 excess wavefronts for each warp's read and each warp's write of the tile
 * Metric=excess_wavefronts
 * At=tile=32,padding=0,layout=1,n=32
 * Low=32736
 * High=32736
 *
 * [Claim one]
 * Text=One word of padding takes all of them away
 * Metric=excess_wavefronts
 * At=tile=32,padding=1,layout=1,n=64
 * High=0
 *
 * [Claim two]
 * Text=With two words, lanes conflict in pairs: the degree is gcd(padding, 32)
 * Metric=excess_wavefronts
 * At=tile=32,padding=2,layout=1,n=32
 * Low=1056
 * High=1056
 *
 * [Claim eight]
 * Text=Eight words are worse than one: eight lanes share a bank
 * Metric=excess_wavefronts
 * At=tile=32,padding=8,layout=1,n=32
 * Low=7392
 * High=7392
 *
 * [Claim slow]
 * Text=Unpadded and transposed, a tile of 32 takes more than three times as long as straight
 * Metric=time
 * At=tile=32,padding=0,layout=1
 * Against=layout=0
 * Low=3
 *
 * [Claim mended]
 * Text=With a word of padding it takes as long as straight
 * Metric=time
 * At=tile=32,padding=1,layout=1
 * Against=layout=0
 * Low=0.9
 * High=1.1
 *
 * [Claim pairs]
 * Text=Two words are as good
 * Metric=time
 * At=tile=32,padding=2,layout=1
 * Against=padding=1
 * Low=0.9
 * High=1.1
 *
 * [Claim worst]
 * Text=A tile of 31 and a word of padding make rows of 32 words again
 * Metric=time
 * At=tile=31,padding=1,layout=1
 * Against=padding=0
 * Low=8
 */
