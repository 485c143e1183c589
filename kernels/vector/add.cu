// SPDX-License-Identifier: MIT
// Vector addition: the simplest memory-bound kernel.
/*! cured
 * [Kernel]
 * Title=Vector addition
 * Summary=out = a + b, element by element, with a grid-stride loop
 * Family=vector
 * Step=2
 * Bytes=12*n
 * Ceiling=copy
 *
 * [Parameter vector]
 * Kind=compile
 * Values=1,4
 * Default=1
 * Summary=elements a thread moves with one load: 1 (4 bytes) or 4 (16 bytes)
 *
 * [Parameter threads]
 * Kind=launch
 * Values=1..1024
 * Default=256
 * Summary=threads per block
 *
 * [Parameter blocks]
 * Kind=launch
 * Default=1056
 * Summary=blocks in the grid
 *
 * [Parameter n]
 * Kind=problem
 * Default=50000000
 * Summary=elements, any number
 *
 * [Buffer a]
 * Type=i32
 * Length=n
 * Fill=uniform
 * Low=-1000000
 * High=1000000
 *
 * [Buffer b]
 * Type=i32
 * Length=n
 * Fill=uniform
 * Low=-1000000
 * High=1000000
 *
 * [Buffer out]
 * Type=i32
 * Length=n
 * Fill=poison
 *
 * [Launch]
 * Entry=vector_add
 * Grid=blocks
 * Block=threads
 * Arguments=a,b,out,n:i64
 *
 * [Check]
 * Output=out
 * Reference=vector-add
 */

/* Before: memory and block dispatch. Now: memory. Each element is 8 bytes
 * read and 4 written for one addition, so the bytes in flight decide.
 *
 * Against vector/one: the grid-stride loop makes the result independent
 * of the grid: a vector of any length fits any number of blocks, where
 * one element per thread needs as many threads as elements. Eight blocks
 * have too few bytes in flight; past the point where memory is busy, more
 * blocks change little, until starting them takes longer than adding.
 *
 * vector=4 moves 16 bytes per load, which takes less than half of the
 * instructions, and keeps more bytes in flight per thread. Expect a gain where
 * few threads run, and hardly any where many do.
 */
extern "C" __global__ void
vector_add (const int *__restrict__ a,
            const int *__restrict__ b,
            int *__restrict__ out,
            long long n)
{
  const long long first = (long long) blockIdx.x * blockDim.x + threadIdx.x;
  const long long stride = (long long) gridDim.x * blockDim.x;

#if VECTOR == 4
  const int4 *a4 = (const int4 *) a;
  const int4 *b4 = (const int4 *) b;
  int4 *out4 = (int4 *) out;

  for (long long i = first; i < n / 4; i += stride)
    {
      int4 x = a4[i];
      int4 y = b4[i];

      out4[i] = make_int4 (x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w);
    }
  /* The rest when n is not a multiple of 4: three elements at most. */
  for (long long i = n / 4 * 4 + first; i < n; i += stride)
    out[i] = a[i] + b[i];
#else
  for (long long i = first; i < n; i += stride)
    out[i] = a[i] + b[i];
#endif
}

/*! cured
 * [Sweep]
 * X=threads
 * Y=blocks
 * threads=32,64,96,128,192,256,384,512,768,1024
 * blocks=1,8,32,66,132,264,528,1056,2112,4224,16896,65536
 *
 * [Claim idle]
 * Text=Eight blocks have too few bytes in flight to keep memory busy
 * Metric=time
 * At=threads=256,blocks=8
 * Against=threads=256,blocks=1056
 * Low=5
 *
 * [Claim more]
 * Text=Four times the blocks of a grid that keeps memory busy change little
 * Metric=time
 * At=threads=512,blocks=4224
 * Against=threads=512,blocks=1056
 * Low=0.85
 * High=1.1
 *
 * [Claim instructions]
 * Text=Loads of 16 bytes need less than half of the instructions
 * Metric=instructions
 * At=vector=4,n=100000,blocks=8
 * Against=vector=1
 * High=0.5
 */
