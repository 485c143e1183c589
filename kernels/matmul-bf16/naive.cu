// SPDX-License-Identifier: MIT
// Matrix product of bf16 on tensor cores, straight from global memory.
/*! cured
 * [Kernel]
 * Title=Matrix product of bf16, mma from global memory
 * Summary=A warp has 16 × 8 elements of the product; its tensor core gets operands from global memory
 * Family=matmul-bf16
 * Step=1
 * Flops=2*n*n*n
 * Bytes=6*n*n
 *
 * [Parameter across]
 * Kind=launch
 * Values=1..32
 * Default=8
 * Summary=warps per block side by side, along a row of the product
 *
 * [Parameter down]
 * Kind=launch
 * Values=1..32
 * Default=2
 * Summary=warps per block below each other
 *
 * [Parameter n]
 * Kind=problem
 * Default=4096
 * Summary=rows and columns of the matrices, any number
 *
 * [Require chip]
 * If=compute_major >= 8
 * Reason=products of bf16 need compute capability 8.0
 *
 * [Buffer a]
 * Type=bf16
 * Length=n*(8*ceil(n/8))     # rows begin at multiples of 16 bytes
 * Fill=uniform
 * Low=-1
 * High=1
 *
 * [Buffer b]
 * Type=bf16
 * Length=n*(8*ceil(n/8))
 * Fill=uniform
 * Low=-1
 * High=1
 *
 * [Buffer c]
 * Type=bf16
 * Length=n*(8*ceil(n/8))
 * Fill=poison
 *
 * [Launch]
 * Entry=matmul_bf16_naive
 * Grid=ceil(n/(8*across)),ceil(n/(16*down))
 * Block=32*across,down
 * Arguments=a,b,c,n
 *
 * [Check]
 * Output=c
 * Reference=matmul
 * Relative=1/128               # one step of bf16: both are rounded to it
 * Tolerance=1e-6+2e-8*n*sqrt(n) # n/8 times, a sum of up to 4/3*sqrt(n) is cut off behind its 23rd bit
 */

/* Two neighbours of a row from column k on, of which those from column n on are
 * zeros. */
static __device__ __forceinline__ unsigned
load_row (const unsigned short *row, int k, int n, bool inside)
{
  unsigned pair = 0;

  if (inside && k < n)
    pair = *(const unsigned *) (row + k);
  return k + 1 < n ? pair : pair & 0xffff;
}

/* Two neighbours of a column. */
static __device__ __forceinline__ unsigned
load_column (
    const unsigned short *b, int k, int column, int n, int pitch, bool inside)
{
  unsigned pair = 0;

  if (inside && k < n)
    pair = b[(size_t) k * pitch + column];
  if (inside && k + 1 < n)
    pair |= (unsigned) b[(size_t) (k + 1) * pitch + column] << 16;
  return pair;
}

/* Writes two neighbours of a row of the product. */
static __device__ __forceinline__ void
store_pair (
    unsigned short *c, float left, float right, int row, int column, int n)
{
  unsigned short *to = c + (size_t) row * ((n + 7) / 8 * 8) + column;
  unsigned pair;

  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(right), "f"(left));
  if (row < n && column + 1 < n)
    *(unsigned *) to = pair;
  else if (row < n && column < n)
    *to = (unsigned short) pair;
}

/* Now: L1 cache. An instruction of the tensor core, mma.sync, multiplies 16 ×
 * 16 elements of a by 16 × 8 of b: 2048 multiply-adds per warp, with an operand
 * of 4 + 2 registers per lane. Here each of these registers comes from global
 * memory, and those of b two bytes at a time, because its neighbours in a
 * register are neighbours of a column. The tensor cores wait.
 *
 * All kernels of this ladder read rows that begin at multiples of 16 bytes, as
 * from cudaMallocPitch: matrices of n × n whose rows are padded to the next
 * multiple of 8 elements. The padding is neither used nor written. */
extern "C" __global__ void
matmul_bf16_naive (const unsigned short *__restrict__ a,
                   const unsigned short *__restrict__ b,
                   unsigned short *__restrict__ c,
                   int n)
{
  const int pitch = (n + 7) / 8 * 8;
  const int lane = (int) threadIdx.x % 32;
  const int row =
      (int) (blockIdx.y * blockDim.y + threadIdx.y) * 16 + lane / 4;
  const int first =
      (int) (blockIdx.x * blockDim.x + threadIdx.x) / 32 * 8;
  const int column = first + lane / 4;
  const unsigned short *upper = a + (size_t) row * pitch;
  const unsigned short *lower = upper + (size_t) 8 * pitch;
  float d[4] = { 0, 0, 0, 0 };

  for (int i = 0; i < n; i += 16)
    {
      const int k = i + lane % 4 * 2;
      const unsigned a0 = load_row (upper, k, n, row < n);
      const unsigned a1 = load_row (lower, k, n, row + 8 < n);
      const unsigned a2 = load_row (upper, k + 8, n, row < n);
      const unsigned a3 = load_row (lower, k + 8, n, row + 8 < n);
      const unsigned b0 = load_column (b, k, column, n, pitch, column < n);
      const unsigned b1 = load_column (b, k + 8, column, n, pitch, column < n);

      asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
          "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
          : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
          : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
    }
  store_pair (c, d[0], d[1], row, first + lane % 4 * 2, n);
  store_pair (c, d[2], d[3], row + 8, first + lane % 4 * 2, n);
}

/*! cured
 * [Sweep]
 * X=across
 * Y=down
 * across=1,2,4,8
 * down=1,2,4,8
 * n=2048
 *
 * [Claim alone]
 * Text=A block of sixteen warps requests as many sectors as sixteen blocks: only the cache exploits that they are the same
 * Metric=global_sectors
 * At=across=8,down=2,n=128
 * Against=across=1,down=1
 * Low=1
 * High=1
 */
