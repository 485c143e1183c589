// SPDX-License-Identifier: MIT
// Averaging filter: the sixteen cases that four yes-or-no choices make.
/*! cured
 * [Kernel]
 * Title=Averaging, sixteen cases
 * Summary=Same or different arrays, one or many iterations, one or many blocks, global memory only or shared memory too
 * Family=average
 * Step=1
 * Bytes=8*n
 * Flops=3*n*iterations
 * Ceiling=fp32
 *
 * [Parameter case]
 * Kind=compile
 * Values=0..15
 * Default=14
 * Summary=1 same array, plus 2 many iterations, plus 4 many blocks, plus 8 shared memory
 *
 * [Parameter block]
 * Kind=compile
 * Values=1..1024
 * Default=256
 * Summary=threads per block
 *
 * [Parameter n]
 * Kind=problem
 * Default=10000
 * Summary=elements, any number; with one block and shared memory as many as fit
 *
 * [Parameter iterations]
 * Kind=problem
 * Default=8
 * Summary=iterations, 1 where the case has a single one
 *
 * [Require one iteration]
 * If=case % 4 >= 2 || iterations == 1
 * Reason=this case has a single iteration
 *
 * [Buffer in]
 * Type=f32
 * Length=n
 * Fill=uniform
 * Low=0
 * High=100
 *
 * [Buffer spare]
 * Type=f32
 * Length=n
 * Fill=poison
 *
 * [Buffer out]
 * Type=f32
 * Length=n
 * Fill=poison
 *
 * [Buffer ghosts]
 * Type=f32
 * Length=2*ceil(n/block)*(case >= 8 ? iterations : 1)
 * Fill=poison
 *
 * [Buffer fresh]
 * Type=f32
 * Length=2*ceil(n/block)*(case >= 8 ? iterations : 1)
 * Fill=poison
 *
 * [Launch 1]
 * Entry=average_cases_copy
 * Grid=ceil(n/block)
 * Block=block
 * Arguments=in,out,ghosts,fresh,n:i64,case >= 8 ? iterations : 1
 * Repeat=case % 2 == 1 ? 1 : 0
 *
 * [Launch 2]
 * Entry=average_cases
 * Grid=case % 8 >= 4 ? ceil(n/block) : 1
 * Block=block
 * Shared=case < 8 ? 0 : 4*(case < 12 ? n : min(n, block+2*iterations))
 * Arguments=in,spare,out,ghosts,n:i64,iterations
 * Repeat=case == 5 || case == 7 ? 0 : 1
 *
 * [Launch 3]
 * Entry=average_cases_again
 * Grid=ceil(n/block)
 * Block=block
 * Arguments=spare,out,n:i64
 * Repeat=case == 6 ? iterations-1 : 0
 * Swap=spare,out
 *
 * [Launch 4]
 * Entry=average_cases_bordered
 * Grid=ceil(n/block)
 * Block=block
 * Arguments=out,ghosts,fresh,n:i64
 * Repeat=case == 5 || case == 7 ? iterations : 0
 * Swap=ghosts,fresh
 *
 * [Check]
 * Output=out
 * Reference=average
 */

/* The filter is out[i] = (in[i - 1] + in[i] + in[i + 1]) / 3; the ends stay. Four
 * choices make sixteen cases, and a case's number is the sum of its choices:
 *
 *   1  one array for input and output; else two
 *   2  many iterations; else one
 *   4  many blocks; else one
 *   8  shared memory, too; else global memory only
 *
 *    0  different  one   one   global
 *    1  same       one   one   global
 *    2  different  many  one   global
 *    3  same       many  one   global
 *    4  different  one   many  global
 *    5  same       one   many  global
 *    6  different  many  many  global   average/global
 *    7  same       many  many  global
 *    8  different  one   one   shared
 *    9  same       one   one   shared
 *   10  different  many  one   shared
 *   11  same       many  one   shared
 *   12  different  one   many  shared
 *   13  same       one   many  shared
 *   14  different  many  many  shared   average/shared
 *   15  same       many  many  shared
 *
 * The text calls 8, 9, 12 and 13 useless: one iteration, and a copy to shared
 * memory. Yet a three-point filter reads each element three times. With the copy
 * it needs a third of the loads; without, L1 serves the repeated reads. Chips
 * before Fermi had no L1: there each of these loads went to memory.
 *
 * On one array, a thread overwrites elements that its neighbours have yet to
 * read. Written as the formula, that is a race: specimens/average-in-place is
 * case 5, specimens/average-repeated case 3, specimens/average-shared case 11.
 * Within a block, a barrier separates all reads from all writes. Between
 * blocks there is no barrier, so an earlier launch saves the elements beyond
 * each block's borders. Cases on the same array begin with a copy, so that the
 * input is the same for every run.
 *
 * In global memory, each iteration of many blocks needs a launch of its own: a
 * barrier only synchronizes one block (specimens/average-one-launch). In
 * shared memory each block loads as many more elements on each side as there
 * are iterations, its ghost zones, and repeats its neighbours' work at the
 * borders.
 *
 * Now: no single resource: latency accounts for 44 % of the time, the launch for
 * 41 %. Expect one block to be slow, many iterations of many blocks in global
 * memory to cost a launch each, and the one launch of case 14 to win. */

#define IS_DIFFERENT (CASE % 2 == 0)
#define HAS_BLOCKS   (CASE % 8 >= 4)
#define IS_SHARED    (CASE >= 8)

__device__ __forceinline__ float
average (float left, float middle, float right)
{
  return (left + middle + right) / 3;
}

/* One element per thread, of one array to another. */
__device__ __forceinline__ void
filter (const float *from, float *to, long long i, long long n)
{
  if (i > 0 && i < n - 1)
    to[i] = average (from[i - 1], from[i], from[i + 1]);
  else if (i < n)
    to[i] = from[i];
}

/* One block filters an array in place, tile by tile. Before a tile is written,
 * each thread reads the element of it that the next tile needs: the left
 * neighbour of its own element there. */
__device__ __forceinline__ void
filter_in_place (float *data, long long n)
{
  float left = threadIdx.x > 0 && threadIdx.x < n ? data[threadIdx.x - 1] : 0;

  for (long long first = 0; first < n; first += BLOCK)
    {
      const long long i = first + threadIdx.x;
      const float middle = i < n ? data[i] : 0;
      const float right = i < n - 1 ? data[i + 1] : 0;
      const float next = i + BLOCK < n ? data[i + BLOCK - 1] : 0;

      __syncthreads ();
      if (i > 0 && i < n - 1)
        data[i] = average (left, middle, right);
      left = next;
    }
  __syncthreads ();
}

/* For the same array: the copy on which the filter works, and separately, the
 * "width" elements on either side of each block. */
extern "C" __global__ void
__launch_bounds__ (BLOCK) average_cases_copy (const float *in,
                                              float *out,
                                              float *ghosts,
                                              float *fresh,
                                              long long n,
                                              int width)
{
  const long long first = (long long) blockIdx.x * BLOCK;

  if (first + threadIdx.x < n)
    out[first + threadIdx.x] = in[first + threadIdx.x];
  for (int k = threadIdx.x; k < 2 * width; k += BLOCK)
    {
      const long long i =
          k < width ? first - width + k : first + BLOCK + k - width;

      if (i >= 0 && i < n)
        {
          ghosts[2ll * width * blockIdx.x + k] = in[i];
          fresh[2ll * width * blockIdx.x + k] = in[i];
        }
    }
}

/* All iterations in shared memory, of a block's elements and its ghost
 * zones. */
__device__ __forceinline__ void
filter_shared (const float *in,
               float *out,
               const float *ghosts,
               long long n,
               int iterations)
{
  extern __shared__ float tile[];
  const long long first = HAS_BLOCKS ? (long long) blockIdx.x * BLOCK : 0;
  const long long last = HAS_BLOCKS && n > first + BLOCK ? first + BLOCK : n;
  const int width = HAS_BLOCKS ? iterations : 0;
  const int before = (int) (first < width ? first : width);
  const int after = (int) (n - last < width ? n - last : width);
  const int length = (int) (last - first) + before + after;

  ghosts += 2ll * width * blockIdx.x + width;
  for (int k = threadIdx.x; k < length; k += BLOCK)
    {
      const int i = k - before;

      if (IS_DIFFERENT)
        tile[k] = in[first + i];
      else if (i < 0)
        tile[k] = ghosts[i];
      else if (i < last - first)
        tile[k] = out[first + i];
      else
        tile[k] = ghosts[i - BLOCK];
    }
  __syncthreads ();
  for (int k = 0; k < iterations; k++)
    filter_in_place (tile, length);
  for (int k = threadIdx.x; k < last - first; k += BLOCK)
    out[first + k] = tile[before + k];
}

extern "C" __global__ void
__launch_bounds__ (BLOCK) average_cases (const float *in,
                                         float *spare,
                                         float *out,
                                         const float *ghosts,
                                         long long n,
                                         int iterations)
{
  if (IS_SHARED)
    filter_shared (in, out, ghosts, n, iterations);
  else if (HAS_BLOCKS)
    filter (in,
            iterations % 2 == 0 ? spare : out,
            (long long) blockIdx.x * BLOCK + threadIdx.x,
            n);
  else if (IS_DIFFERENT)
    for (int k = iterations; k-- > 0;)
      {
        float *to = k % 2 == 0 ? out : spare;

        for (long long i = threadIdx.x; i < n; i += BLOCK)
          filter (in, to, i, n);
        __syncthreads ();
        in = to;
      }
  else
    for (int k = 0; k < iterations; k++)
      filter_in_place (out, n);
}

/* The second iteration and all others of case 6. */
extern "C" __global__ void
__launch_bounds__ (BLOCK)
    average_cases_again (const float *from, float *to, long long n)
{
  filter (from, to, (long long) blockIdx.x * BLOCK + threadIdx.x, n);
}

/* Cases 5 and 7: an iteration on one array, which reads the saved elements
 * beyond the block's borders, and saves its own borders for the neighbours'
 * next iteration. */
extern "C" __global__ void
__launch_bounds__ (BLOCK) average_cases_bordered (float *data,
                                                  const float *ghosts,
                                                  float *fresh,
                                                  long long n)
{
  const long long i = (long long) blockIdx.x * BLOCK + threadIdx.x;
  float value = i < n ? data[i] : 0;

  if (i > 0 && i < n - 1)
    {
      const float left =
          threadIdx.x == 0 ? ghosts[2ll * blockIdx.x] : data[i - 1];
      const float right =
          threadIdx.x == BLOCK - 1 ? ghosts[2ll * blockIdx.x + 1] : data[i + 1];

      value = average (left, value, right);
    }
  __syncthreads ();
  if (i < n)
    data[i] = value;
  if (threadIdx.x == 0 && blockIdx.x > 0)
    fresh[2ll * blockIdx.x - 1] = value;
  if (threadIdx.x == BLOCK - 1 && i + 1 < n)
    fresh[2ll * blockIdx.x + 2] = value;
}

/*! cured
 * [Sweep]
 * X=case
 * Y=iterations
 * case=0..15
 * iterations=1,8,64
 *
 * [Claim traffic]
 * Text=With ghost zones, one launch of 8 iterations requests 6 % of the sectors of 8 launches
 * Metric=global_sectors
 * At=case=14,iterations=8
 * Against=case=6
 * High=0.1
 *
 * [Claim copy]
 * Text=The copy to shared memory needs a third of the loads; without it L1 serves the repeated reads
 * Question=What fraction of the loads of case 4 does case 12, which the text calls useless, need?
 * Metric=global_loads
 * At=case=12,iterations=1
 * Against=case=4
 * Low=0.3
 * High=0.4
 *
 * [Claim one launch]
 * Text=One launch for 64 iterations, at the price of ghost zones
 * Question=With 64 iterations, what fraction of the time of case 6 does case 14 take?
 * Metric=time
 * At=case=14,iterations=64
 * Against=case=6
 * High=0.25
 *
 * [Claim one block]
 * Text=One multiprocessor does all the work, and it takes longer than 64 launches of many blocks
 * Question=With 64 iterations, how many times as long as many blocks does one block take?
 * Metric=time
 * At=case=2,iterations=64
 * Against=case=6
 * Low=1.5
 */
