// SPDX-License-Identifier: MIT
// Sum finished by the last block, without a fence, wrong on purpose.
/*! cured
 * [Kernel]
 * Title=Last block without memory fences
 * Summary=The block that counts last adds the partial sums, which it may not see yet
 * Family=specimens
 * Step=10
 * Defect=global-race
 * Like=specimens/branch-barrier
 *
 * [Parameter block]
 * Kind=compile
 * Values=32..1024:32
 * Default=256
 * Summary=threads per block
 *
 * [Buffer in]
 * Type=i32
 * Length=n
 * Fill=uniform
 * Low=-100
 * High=100
 *
 * [Buffer partial]
 * Type=i32
 * Length=ceil(n/block)
 * Fill=poison
 *
 * [Buffer finished]
 * Type=u32
 * Length=1
 * Fill=constant
 * Low=0
 *
 * [Launch]
 * Entry=specimens_unfenced
 * Grid=ceil(n/block)
 * Block=block
 * Arguments=in,partial,finished,out,n
 */

/* A specimen. An atomic addition orders nothing but itself: the count may
 * reach the other blocks before the partial sum does, and the last block then
 * adds the old value. volatile keeps the compiler from holding the sum back,
 * but does not restrict the memory system.
 *
 * Expect the right sum nearly always, and a wrong one now and then. Where the
 * grid has one block nothing is wrong. */
extern "C" __global__ void
specimens_unfenced (const int *__restrict__ in,
                    volatile int *partial,
                    unsigned *finished,
                    int *out,
                    int n)
{
  __shared__ int slice[BLOCK];
  __shared__ int is_last;
  const int i = blockIdx.x * BLOCK + threadIdx.x;

  slice[threadIdx.x] = i < n ? in[i] : 0;
  __syncthreads ();
  if (threadIdx.x == 0)
    {
      int sum = 0;

      for (int t = 0; t < BLOCK; t++)
        sum += slice[t];
      partial[blockIdx.x] = sum;
      is_last = atomicAdd (finished, 1u) == gridDim.x - 1;
    }
  __syncthreads ();
  if (is_last && threadIdx.x == 0)
    {
      int sum = 0;

      for (unsigned k = 0; k < gridDim.x; k++)
        sum += partial[k];
      out[0] = sum;
      *finished = 0;
    }
}

/*! cured
 * [Sweep]
 * X=block
 * Y=n
 * block=64,256,512
 * n=1025,2048,10^5
 *
 * [Claim found]
 * Text=The count of finished blocks may come before their sums
 * Metric=findings
 * Low=1
 *
 * [Claim one]
 * Text=Where the grid has one block nothing is wrong
 * Metric=findings
 * At=n=256
 * High=0
 */
