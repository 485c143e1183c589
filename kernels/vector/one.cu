// SPDX-License-Identifier: MIT
// Vector addition with one element per thread.
/*! cured
 * [Kernel]
 * Title=Vector addition, one element per thread
 * Summary=out = a + b; the grid is as large as the vector
 * Family=vector
 * Step=1
 * Bytes=12*n
 * Ceiling=copy
 * Like=vector/add
 *
 * [Parameter vector]  # none
 * [Parameter blocks]  # none
 *
 * [Parameter threads]
 * Kind=launch
 * Values=1..1024
 * Default=256
 * Summary=threads per block
 *
 * [Parameter n]
 * Kind=problem
 * Default=50000000
 * Summary=elements, any number that the grid can hold
 *
 * [Launch]
 * Entry=vector_one
 * Grid=ceil(n/threads)
 * Block=threads
 * Arguments=a,b,out,n:i64
 */

/* Now: memory, at 81 %, with block dispatch at 68 %.
 *
 * One element per thread is the shortest form: the index is the thread's place
 * in the grid, and threads past the end do nothing. The length sets the number
 * of blocks, and the grid's limit sets the longest vector: once 65535 blocks
 * of 512 threads, 33553920 elements; since compute capability 3.0, 2³¹ − 1
 * blocks. The index is 64 bits wide, for grids of more than 2³¹ threads.
 *
 * A device starts blocks one after another. With small blocks that is the
 * limit: half the threads per block are twice the blocks, and twice the time,
 * whatever memory could do. Blocks of 256 threads do better; those of 1024 are
 * slower again: two fit on a multiprocessor, and a new one starts only when
 * all warps of an old one have ended. */
extern "C" __global__ void
vector_one (const int *__restrict__ a,
            const int *__restrict__ b,
            int *__restrict__ out,
            long long n)
{
  const long long i = (long long) blockIdx.x * blockDim.x + threadIdx.x;

  if (i < n)
    out[i] = a[i] + b[i];
}

/*! cured
 * [Sweep]
 * X=threads
 * Y=n
 * threads=32,64,128,256,512,1024
 * n=10^5,10^6,10^7,33553921,50000000
 *
 * [Claim blocks]
 * Text=Half the threads per block are twice the blocks, and twice the time
 * Metric=time
 * At=n=50000000,threads=32
 * Against=n=50000000,threads=64
 * Low=1.8
 * High=2.2
 *
 * [Claim large]
 * Text=Blocks of 1024 are slower again
 * Metric=time
 * At=n=50000000,threads=1024
 * Against=n=50000000,threads=256
 * Low=1.05
 */
