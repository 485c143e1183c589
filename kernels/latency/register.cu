// SPDX-License-Identifier: MIT
// Latency of arithmetic: a chain in which each result is the next operand.
/*! cured
 * [Kernel]
 * Title=Latency of arithmetic
 * Summary=Each warp computes a chain of dependent operations on one register
 * Family=latency
 * Step=1
 * Like=latency/shared
 *
 * [Parameter stride]  # none
 * [Parameter hops]    # none
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
 * [Buffer in]
 * Type=i32
 * Length=32*warps
 * Fill=uniform
 * Low=1
 * High=1000
 *
 * [Launch]
 * Entry=latency_register
 * Grid=1
 * Block=32*warps
 * Arguments=in,out,cycles,steps,repeats,0,1
 *
 * [Check]
 * Output=out
 * Reference=copy
 */

/* The operations do not change the value; the compiler can't know that, since
 * zero and one are arguments. */
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

/* Now: latency, of the operand. Teaching texts say that a register costs about
 * one cycle. It does not: a result can be used only after the pipe has
 * delivered it, some four cycles later, and a double's or a shuffle's later
 * still. Issuing an instruction takes a cycle or two, and other warps issue
 * theirs while this one waits.
 *
 * The heat map shows both. A multiprocessor has four schedulers: up to a warp
 * for each, and with some more, the chains don't slow each other. Where the
 * figure starts to grow with the warps, the pipe is full, and latency has
 * become throughput. That many warps are the purpose of occupancy. */
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

/*! cured
 * [Sweep]
 * X=warps
 * Y=op
 * warps=1,2,4,8,16,32
 * op=0..5
 *
 * [Claim multiply-add]
 * Text=The result of an integer multiply-add can be used after four cycles: that is the latency of the pipe, operand included; a register by itself shows none
 * Question=A register takes one cycle, the text says. After how many cycles can the result of a multiply-add be used?
 * Metric=cycles
 * At=op=0,warps=1
 * Low=4
 * High=4.6
 *
 * [Claim double]
 * Text=That of a multiply-add of doubles takes twice as long on an H200
 * Metric=cycles
 * At=op=4,warps=1
 * Against=op=0
 * Low=1.8
 * High=2.2
 *
 * [Claim shuffle]
 * Text=A shuffle takes longer than five multiply-adds
 * Metric=cycles
 * At=op=5,warps=1
 * Against=op=0
 * Low=5
 * High=7
 *
 * [Claim shared-wait]
 * Text=Four warps wait no longer than one
 * Metric=cycles
 * At=op=0,warps=4
 * Against=warps=1
 * Low=0.95
 * High=1.05
 *
 * [Claim issue]
 * Text=With 32 warps on four schedulers, each scheduler issues a float addition in a cycle
 * Metric=cycles
 * At=op=1,warps=32
 * Low=7.9
 * High=9
 *
 * [Claim full]
 * Text=With 32 warps an integer multiply-add takes nearly four times as long: the pipe is full
 * Metric=cycles
 * At=op=0,warps=32
 * Against=warps=1
 * Low=3.5
 * High=4.1
 */
