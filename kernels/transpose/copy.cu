// SPDX-License-Identifier: MIT
// Copy: what no transpose can be faster than.
/*! cured
 * [Kernel]
 * Title=Copy of a matrix
 * Summary=out = in, element by element: the least that a transpose has to move
 * Family=transpose
 * Step=1
 * Bytes=8*n*m
 * Ceiling=copy
 * Like=transpose/naive
 *
 * [Parameter tile]       # none
 * [Parameter rows]       # none
 * [Parameter coalesced]  # none
 * [Require whole]        # none
 *
 * [Parameter vector]
 * Kind=compile
 * Values=1,2,4
 * Default=4
 * Summary=elements per load: 4, 8 or 16 bytes
 *
 * [Parameter each]
 * Kind=compile
 * Values=1,2,4,8
 * Default=1
 * Summary=loads per thread, all in flight at once
 *
 * [Parameter threads]
 * Kind=compile
 * Values=32..1024:32
 * Default=256
 * Summary=threads per block
 *
 * [Launch]
 * Entry=transpose_copy
 * Grid=ceil(n*m/(vector*each*threads))
 * Block=threads
 * Arguments=in,out,n*m:i64
 *
 * [Check]
 * Output=out
 * Reference=copy
 */

#if VECTOR == 1
typedef float Vector;
#elif VECTOR == 2
typedef float2 Vector;
#else
typedef float4 Vector;
#endif

/* Now: memory, at the measured limit. Each element is read once and written
 * once, in order; a transpose must move as much, and can't be faster.
 *
 * With 4 bytes per thread, too few are in flight to keep memory busy. (Starting
 * the blocks takes long as well, but half as many of 512 threads are no faster.)
 * 16 bytes, or four loads of 4, are enough; with more per thread it takes up to
 * 4 % longer. */
extern "C" __global__ void
__launch_bounds__ (THREADS) transpose_copy (const float *__restrict__ in,
                                            float *__restrict__ out,
                                            long long length)
{
  const long long n_vectors = length / VECTOR;
  const long long first =
      (long long) blockIdx.x * (EACH * THREADS) + threadIdx.x;
  Vector v[EACH];

#pragma unroll
  for (int e = 0; e < EACH; e++)
    if (first + e * THREADS < n_vectors)
      v[e] = __ldg ((const Vector *) in + first + e * THREADS);
#pragma unroll
  for (int e = 0; e < EACH; e++)
    if (first + e * THREADS < n_vectors)
      ((Vector *) out)[first + e * THREADS] = v[e];

  /* The rest of the last vector. */
  if (first < length - n_vectors * VECTOR)
    out[n_vectors * VECTOR + first] = in[n_vectors * VECTOR + first];
}

/*! cured
 * [Sweep]
 * X=each
 * Y=vector
 * vector=1,2,4
 * each=1,2,4,8
 * threads=256,512
 *
 * [Claim sectors]
 * Text=Every sector of memory is requested once, and each request is for whole sectors
 * Metric=sectors_per_request
 * At=vector=4,n=64,m=64
 * Low=16
 * High=16
 *
 * [Claim narrow]
 * Text=With 4 bytes per thread it takes much longer than with 16
 * Metric=time
 * At=vector=1,each=1,threads=256
 * Against=vector=4
 * Low=1.3
 * High=1.8
 *
 * [Claim several]
 * Text=Four loads of 4 bytes are nearly as good as one of 16
 * Metric=time
 * At=vector=1,each=4,threads=256
 * Against=vector=4,each=1
 * Low=0.95
 * High=1.12
 */
