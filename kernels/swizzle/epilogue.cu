// SPDX-License-Identifier: MIT
// The shared memory of a tensor-core product, without the product.
/*! cured
 * [Kernel]
 * Title=Shared memory of a product: copy, operand, epilogue
 * Summary=cp.async brings tiles of 128 x 64 halves, ldmatrix.trans reads them, and the fragments go through a second tile to global memory
 * Family=swizzle
 * Step=2
 * Like=swizzle/operand
 *
 * [Parameter swizzle]
 * Kind=compile
 * Values=0,3,4
 * Names=none,s333,s334
 * Default=4
 * Summary=the swizzle of the tile that the fragments are written to; that of the operand is always Swizzle<3,3,3>
 *
 * [Parameter n]
 * Kind=problem
 * Values=64..1024:64
 * Default=1024
 * Summary=columns of the matrix
 *
 * [Parameter m]
 * Kind=problem
 * Values=128..1024:128
 * Default=1024
 * Summary=rows of the matrix
 *
 * [Require chip]
 * If=compute_major >= 8
 * Reason=cp.async needs compute capability 8.0
 *
 * [Launch]
 * Entry=swizzle_epilogue
 * Grid=n/64,m/128
 * Block=128
 * Arguments=in,out,n,m
 */

#define ROWS    128
#define COLUMNS 64

/* Rows of 128 bytes: the three bits of the element's number above those of the
 * row's 64 elements are the row's. */
__device__ __forceinline__ int
place_operand (int row, int column)
{
  const int element = row * COLUMNS + column;

  return element ^ (element >> 3 & 7 << 3);
}

/* The tile of the result, transposed: rows of 256 bytes. */
__device__ __forceinline__ int
place_result (int row, int column)
{
  const int element = row * ROWS + column;

  return SWIZZLE == 0 ? element : element ^ (element >> SWIZZLE & 7 << 3);
}

/* Asked in CUTLASS #2810: where do the conflicts come from that Nsight Compute
 * reports for the product in CuTe's Python examples?
 *
 * None of its accesses has one, as long as each tile has the swizzle that its
 * rows need: Swizzle<3,3,3> for rows of 128 bytes, Swizzle<3,3,4> for the 256
 * bytes of the result's. Copies, ldmatrix.trans, the stores of fragments and
 * the loads of 16 bytes after them take no excess wavefront, with one block or
 * with many. The counters of the pipe then report an artefact: they include
 * cycles lost to global memory's traffic, so they grow with the grid although
 * the addresses do not change. With a swizzle that is one bit off, the stores
 * of the fragments do conflict. */
extern "C" __global__ void __launch_bounds__ (128)
swizzle_epilogue (const unsigned short *__restrict__ in,
                  unsigned short *__restrict__ out,
                  int n,
                  int m)
{
  __shared__ __align__ (1024) unsigned short operand[ROWS * COLUMNS];
  __shared__ __align__ (1024) unsigned short result[ROWS * COLUMNS];
  const int thread = (int) threadIdx.x;
  const int lane = thread % 32;
  const int warp = thread / 32;
  const int first_column = (int) blockIdx.x * COLUMNS;
  const int first_row = (int) blockIdx.y * ROWS;

  /* 16 bytes per thread: 8 threads per row. */
#pragma unroll
  for (int i = 0; i < ROWS; i += 16)
    {
      const int row = i + thread / 8;
      const int column = thread % 8 * 8;

      asm volatile(
          "cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
              (unsigned) __cvta_generic_to_shared (
                  &operand[place_operand (row, column)])),
          "l"(in + (size_t) (first_row + row) * n + first_column + column)
          : "memory");
    }
  asm volatile("cp.async.wait_all;" ::: "memory");
  __syncthreads ();

  /* Each warp has 32 rows. Its matrices become transposed: columns of the
   * operand are rows of the result. */
#pragma unroll
  for (int i = 0; i < 4; i++)
#pragma unroll
    for (int j = 0; j < COLUMNS; j += 32)
      {
        const int row = warp * 32 + i * 8;
        const unsigned address = (unsigned) __cvta_generic_to_shared (
            &operand[place_operand (row + lane % 8, j + lane / 8 * 8)]);
        unsigned pairs[4];

        asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 "
                     "{%0, %1, %2, %3}, [%4];"
                     : "=r"(pairs[0]), "=r"(pairs[1]), "=r"(pairs[2]),
                       "=r"(pairs[3])
                     : "r"(address)
                     : "memory");
#pragma unroll
        for (int matrix = 0; matrix < 4; matrix++)
          *(unsigned *) &result[place_result (
              j + matrix * 8 + lane / 4, row + lane % 4 * 2)] = pairs[matrix];
      }
  __syncthreads ();

#pragma unroll
  for (int i = 0; i < COLUMNS; i += 8)
    {
      const int row = i + thread / 16;
      const int column = thread % 16 * 8;

      *(uint4 *) &out[(size_t) (first_column + row) * m + first_row + column] =
          *(const uint4 *) &result[place_result (row, column)];
    }
}

/*! cured
 * [Sweep]
 * X=swizzle
 * Y=m
 * swizzle=0,3,4
 * m=256,512,1024
 *
 * [Claim clean]
 * Text=One block has no conflict
 * Metric=excess_wavefronts
 * At=swizzle=4,n=64,m=128
 * High=0
 *
 * [Claim clean_many]
 * Text=Nor do 64 blocks
 * Metric=excess_wavefronts
 * At=swizzle=4,n=512,m=1024
 * High=0
 *
 * [Claim stores]
 * Text=With Swizzle<3,3,3> two rows of a fragment conflict: one wavefront too many for each of 128 stores
 * Metric=excess_wavefronts
 * At=swizzle=3,n=64,m=128
 * Low=128
 * High=128
 *
 * [Claim stores_none]
 * Text=Without a swizzle all eight rows conflict: seven too many for each of them
 * Metric=excess_wavefronts
 * At=swizzle=0,n=64,m=128
 * Low=896
 * High=896
 */
