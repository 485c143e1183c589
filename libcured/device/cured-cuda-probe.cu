/* SPDX-License-Identifier: MIT
 * The CUDA device's own kernels: they hold the stream, empty the cache, read
 * the clocks and find the device's ceilings. Compiled by NVRTC when a device
 * is opened. */

typedef unsigned long long u64;
typedef long long i64;

__device__ static u64
nanoseconds (void)
{
  u64 t;

  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
  return t;
}

/* Keeps the stream busy until the host sets *released, so that what is
 * enqueued meanwhile starts without launch latency. Ends by itself after
 * limit_ns: a launch that blocks on an earlier one must not wait for ever. */
extern "C" __global__ void
cured_hold (const volatile int *released, u64 limit_ns)
{
  u64 start = nanoseconds ();

  while (*released == 0 && nanoseconds () - start < limit_ns)
    ;
}

/* Reads more than the L2 cache holds. Reading leaves clean lines; a memset
 * would leave dirty ones, whose write-back the timed kernel would pay for. */
extern "C" __global__ void
cured_read (const int4 *data, i64 n, int *sink)
{
  i64 step = (i64) blockDim.x * gridDim.x;
  int sum = 0;

#pragma unroll 4
  for (i64 i = blockIdx.x * (i64) blockDim.x + threadIdx.x; i < n; i += step)
    {
      int4 v = data[i];

      sum += v.x + v.y + v.z + v.w;
    }
  /* Never true for the zeros that the buffer holds; keeps the loads alive. */
  if (sum != 0)
    *sink = sum;
}

extern "C" __global__ void
cured_copy (const int4 *from, int4 *to, i64 n)
{
  i64 step = (i64) blockDim.x * gridDim.x;

#pragma unroll 4
  for (i64 i = blockIdx.x * (i64) blockDim.x + threadIdx.x; i < n; i += step)
    to[i] = from[i];
}

/* Sixteen independent chains a thread of fused multiply-adds; 16 * 64 * turns
 * of them in all, two operations each. */
extern "C" __global__ void
cured_fp32 (int turns, float a, float b, float *sink)
{
  float x[16];
  float sum = 0.0f;

#pragma unroll
  for (int k = 0; k < 16; k++)
    x[k] = (float) (threadIdx.x + k);
#pragma unroll 1
  for (int t = 0; t < turns; t++)
    {
#pragma unroll
      for (int u = 0; u < 64; u++)
#pragma unroll
        for (int k = 0; k < 16; k++)
          x[k] = fmaf (x[k], a, b);
    }
#pragma unroll
  for (int k = 0; k < 16; k++)
    sum += x[k];
  if (sum == 12345.678f)
    *sink = sum;
}

/* One block per multiprocessor: its cycle counter beside the global clock. */
extern "C" __global__ void
cured_clock (u64 *readings)
{
  unsigned sm;

  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  readings[2 * sm] = (u64) clock64 ();
  readings[2 * sm + 1] = nanoseconds ();
}

extern "C" __global__ void
cured_spin (i64 cycles)
{
  i64 start = clock64 ();

  while (clock64 () - start < cycles)
    ;
}
