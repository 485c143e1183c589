// SPDX-License-Identifier: MIT
// Latency of arithmetic: a chain in which each result is the next operand.
/*! cured
 * [Kernel]
 * Title=Latency of arithmetic
 * Summary=Each warp computes a chain of dependent operations on one register
 * Family=latency
 * Step=1
 *
 * [Parameter op]
 * Kind=compile
 * Values=0..5
 * Names=imad,fadd,fmul,ffma,dfma,shuffle
 * Default=0
 * Summary=the operation of the chain
 *
 * [Parameter warps]
 * Kind=launch
 * Values=1..32
 * Default=1
 * Summary=warps of the block, each with a chain of its own
 *
 * [Parameter steps]
 * Kind=problem
 * Default=1024
 * Summary=operations of one measurement
 *
 * [Parameter repeats]
 * Kind=launch
 * Default=8
 * Summary=measurements
 *
 * [Buffer in]
 * Type=i32
 * Length=32*warps
 * Fill=uniform
 * Low=1
 * High=1000
 *
 * [Buffer out]
 * Type=i32
 * Length=32*warps
 * Fill=poison
 *
 * [Buffer cycles]
 * Type=u32
 * Length=warps*repeats
 * Fill=poison
 *
 * [Launch]
 * Entry=latency_register
 * Grid=1
 * Block=32*warps
 * Arguments=in,out,cycles,steps,repeats,0,1
 *
 * [Cycles]
 * Buffer=cycles
 * Per=steps
 *
 * [Check]
 * Output=out
 * Reference=copy
 *
 * [Sweep]
 * X=warps
 * Y=op
 * warps=1,2,4,8,16,32
 * op=0..5
 */

/* The operations leave the value as it is; the compiler does not know that,
 * for zero and one are arguments. */
#if OP == 4
typedef double Value;
#elif OP >= 1 && OP <= 3
typedef float Value;
#else
typedef int Value;
#endif

__device__ __forceinline__ Value
apply (Value x, Value zero, Value one)
{
#if OP == 0
  asm volatile ("mad.lo.s32 %0, %0, %2, %1;" : "+r"(x) : "r"(zero), "r"(one));
#elif OP == 1
  asm volatile ("add.rn.f32 %0, %0, %1;" : "+f"(x) : "f"(zero));
#elif OP == 2
  asm volatile ("mul.rn.f32 %0, %0, %1;" : "+f"(x) : "f"(one));
#elif OP == 3
  asm volatile ("fma.rn.f32 %0, %0, %2, %1;"
                : "+f"(x)
                : "f"(zero), "f"(one));
#elif OP == 4
  asm volatile ("fma.rn.f64 %0, %0, %2, %1;"
                : "+d"(x)
                : "d"(zero), "d"(one));
#else
  x = __shfl_xor_sync (0xFFFFFFFF, x, zero);
#endif
  return x;
}

/* Limit: nothing but the wait for the operand. The text says that a register
 * costs about one cycle. It does not: an operation's result can be used only
 * after the pipe has handed it back, some four cycles later, and a double's or
 * a shuffle's later still. What costs one cycle or two is the *issue* of an
 * instruction: other warps use the wait.
 *
 * The heat map shows both. A multiprocessor has four schedulers; up to one
 * warp for each the chains don't notice each other, and with some more the
 * wait is still theirs to share. Where the figure starts to grow with the
 * warps, the pipe is full: latency has become throughput. That many warps are
 * what occupancy is for. */
extern "C" __global__ void
latency_register (const int *__restrict__ in,
                  int *__restrict__ out,
                  unsigned *__restrict__ cycles,
                  int steps,
                  int repeats,
                  int zero,
                  int one)
{
  __shared__ volatile Value sink[1024];
  const Value a = (Value) zero;
  const Value b = (Value) one;
  Value x = (Value) in[threadIdx.x];

  for (int r = 0; r < repeats; r++)
    {
      long long start, end;

      __syncthreads ();
      start = clock64 ();
#pragma unroll 64
      for (int i = 0; i < steps; i++)
        x = apply (x, a, b);
      /* The store waits for the last result, and the clock for the store. */
      sink[threadIdx.x] = x;
      end = clock64 ();
      if (threadIdx.x % 32 == 0)
        cycles[threadIdx.x / 32 * repeats + r] = (unsigned) (end - start);
    }
  out[threadIdx.x] = (int) x;
}
