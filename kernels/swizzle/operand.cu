// SPDX-License-Identifier: MIT
// ldmatrix.trans from a tile whose rows are permuted by a swizzle of CuTe's.
/*! cured
 * [Kernel]
 * Title=Swizzled operand, transposed by ldmatrix
 * Summary=Tiles of 32 x 128 halves are stored in atoms of 8 rows; ldmatrix.x4.trans reads them, with no swizzle, Swizzle<3,3,3> or Swizzle<3,3,4>
 * Family=swizzle
 * Step=1
 * Bytes=4*n*m
 * Ceiling=copy
 *
 * [Parameter swizzle]
 * Kind=compile
 * Values=0,3,4
 * Names=none,s333,s334
 * Default=4
 * Summary=the swizzle of element numbers that a tile has in shared memory
 *
 * [Parameter n]
 * Kind=problem
 * Values=128..1024:128
 * Default=1024
 * Summary=columns of the matrix
 *
 * [Parameter m]
 * Kind=problem
 * Values=32..1024:32
 * Default=1024
 * Summary=rows of the matrix
 *
 * [Buffer in]
 * Type=u16
 * Length=n*m
 * Fill=uniform
 * Low=0
 * High=65535
 *
 * [Buffer out]
 * Type=u16
 * Length=n*m
 * Fill=poison
 *
 * [Require chip]
 * If=compute_major*10+compute_minor >= 75
 * Reason=ldmatrix needs compute capability 7.5
 *
 * [Launch]
 * Entry=swizzle_operand
 * Grid=n/128,m/32
 * Block=128
 * Arguments=in,out,n,m
 *
 * [Check]
 * Output=out
 * Reference=transpose
 */

#define ROWS    32
#define COLUMNS 128

/* The place of an element of the tile: atoms of 8 rows follow each other, and
 * three bits of its number, from bit 3 + SWIZZLE on, are XORed into the three
 * from bit 3 on. */
__device__ __forceinline__ int
place (int row, int column)
{
  const int element = row * COLUMNS + column;

  return SWIZZLE == 0 ? element : element ^ (element >> SWIZZLE & 7 << 3);
}

/* Asked in CUTLASS #3172: are there conflicts left when ldmatrix.trans reads a
 * tile of 128 x 8 atoms, swizzled by Swizzle<3,3,4>?
 *
 * None. A row of an atom is 256 bytes, twice around the banks, so without a
 * swizzle the eight rows of a matrix share four banks: eight wavefronts where
 * one would do. Swizzle<3,3,4> takes bits 7 to 9 of the element's number, which
 * are the row's; eight rows go to eight different places of 16 bytes.
 * Swizzle<3,3,3>, right for rows of 128 bytes, takes a bit of the column and
 * two of the row: two rows still collide. Anything more that a counter reports
 * for the swizzled tile is no bank conflict of ldmatrix. */
extern "C" __global__ void __launch_bounds__ (128)
swizzle_operand (const unsigned short *__restrict__ in,
                 unsigned short *__restrict__ out,
                 int n,
                 int m)
{
  __shared__ __align__ (1024) unsigned short tile[ROWS * COLUMNS];
  const int thread = (int) threadIdx.x;
  const int lane = thread % 32;
  const int first_column = (int) blockIdx.x * COLUMNS;
  const int first_row = (int) blockIdx.y * ROWS;

  /* 16 bytes per thread: 16 threads per row. */
#pragma unroll
  for (int i = 0; i < ROWS; i += 8)
    {
      const int row = i + thread / 16;
      const int column = thread % 16 * 8;

      *(uint4 *) &tile[place (row, column)] = *(const uint4 *) &in
          [(size_t) (first_row + row) * n + first_column + column];
    }
  __syncthreads ();

  /* Each warp has 32 columns, four matrices of 8 x 8 beside each other; lane l
   * names row l % 8 of matrix l / 8. */
#pragma unroll
  for (int i = 0; i < ROWS; i += 8)
    {
      const int column = thread / 32 * 32;
      const unsigned address = (unsigned) __cvta_generic_to_shared (
          &tile[place (i + lane % 8, column + lane / 8 * 8)]);
      unsigned pairs[4];

      asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 "
                   "{%0, %1, %2, %3}, [%4];"
                   : "=r"(pairs[0]), "=r"(pairs[1]), "=r"(pairs[2]),
                     "=r"(pairs[3])
                   : "r"(address)
                   : "memory");
#pragma unroll
      for (int matrix = 0; matrix < 4; matrix++)
        *(unsigned *) &out[(size_t) (first_column + column + matrix * 8 +
                                     lane / 4) *
                               m +
                           first_row + i + lane % 4 * 2] = pairs[matrix];
    }
}

/*! cured
 * [Sweep]
 * X=swizzle
 * Y=m
 * swizzle=0,3,4
 * m=256,512,1024
 *
 * [Claim none]
 * Text=Without a swizzle eight rows conflict: seven wavefronts too many for each of 4 matrices of 16 ldmatrix
 * Metric=excess_wavefronts
 * At=swizzle=0,n=128,m=32
 * Low=448
 * High=448
 *
 * [Claim half]
 * Text=With Swizzle<3,3,3> two rows conflict: one wavefront too many for each of these 64 matrices
 * Metric=excess_wavefronts
 * At=swizzle=3,n=128,m=32
 * Low=64
 * High=64
 *
 * [Claim whole]
 * Text=With Swizzle<3,3,4> there is no conflict
 * Metric=excess_wavefronts
 * At=swizzle=4,n=128,m=32
 * High=0
 *
 * [Claim wavefronts]
 * Text=The swizzled tile takes 64 wavefronts to write and 64 to read: 128 bytes each
 * Metric=shared_wavefronts
 * At=swizzle=4,n=128,m=32
 * Low=128
 * High=128
 */
