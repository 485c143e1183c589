// SPDX-License-Identifier: MIT
// Sum finished by the last block, with fences.
/*! cured
 * [Kernel]
 * Title=Last block with memory fences
 * Summary=The block that counts last adds the partial sums, which fences make visible
 * Family=specimens
 * Step=10
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
 * Entry=specimens_unfenced_fixed
 * Grid=ceil(n/block)
 * Block=block
 * Arguments=in,partial,finished,out,n
 */

/* The twin of specimens/unfenced, and the small form of reduce/last-block. The
 * first fence orders the partial sum before the count, the second one the count
 * before the reading. */
extern "C" __global__ void
specimens_unfenced_fixed (const int *__restrict__ in,
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
      __threadfence ();
      is_last = atomicAdd (finished, 1u) == gridDim.x - 1;
    }
  __syncthreads ();
  if (is_last && threadIdx.x == 0)
    {
      int sum = 0;

      __threadfence ();
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
 * [Claim clean]
 * Text=Sums come before the count
 * Metric=findings
 * High=0
 *
 * [Claim cost]
 * Text=The fences are less than one instruction in five hundred
 * Metric=instructions
 * Against=specimens/unfenced
 * Low=1
 * High=1.002
 */
