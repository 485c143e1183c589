/* SPDX-License-Identifier: MIT
 * Every instruction of PTX that accesses shared memory; recorded as cubins with
 *   nvcc -cubin -lineinfo -arch=sm_75 shared.cu -o shared.sm_75.cubin
 * and so on, with CUDA 13.0. */
#include "shared.cuh"

#define LOAD(type, constraint, value)                                          \
  asm volatile ("ld.volatile.shared." type " %0, [%1];"                        \
                : "=" constraint (value)                                       \
                : "r"(at))
#define STORE(type, constraint, value)                                         \
  asm volatile ("st.volatile.shared." type " [%0], %1;" ::"r"(at),             \
                constraint (value))
#define ATOM(op, constraint, value)                                            \
  asm volatile ("atom.shared." op " %0, [%1], %0;"                             \
                : "+" constraint (value)                                       \
                : "r"(at))

extern "C" __global__ void
shared_all (unsigned *out, unsigned long long *wide)
{
  __shared__ __align__ (16) unsigned tile[1024];
  unsigned at = (unsigned) __cvta_generic_to_shared (tile + 4 * threadIdx.x);
  unsigned x = 0, y = 0, z = 0, w = 0, sum = 0;
  unsigned short h = 0;
  unsigned long long l = 0, m = 0;

  LOAD ("u8", "h", h);
  STORE ("u8", "h", h);
  LOAD ("u16", "h", h);
  STORE ("u16", "h", h);
  LOAD ("s8", "r", x);
  LOAD ("s16", "r", y);
  LOAD ("b32", "r", z);
  STORE ("b32", "r", z);
  LOAD ("b64", "l", l);
  STORE ("b64", "l", l);
  asm volatile ("ld.volatile.shared.v4.b32 {%0, %1, %2, %3}, [%4];"
                : "=r"(x), "=r"(y), "=r"(z), "=r"(w)
                : "r"(at));
  asm volatile ("st.volatile.shared.v4.b32 [%4], {%0, %1, %2, %3};" ::"r"(x),
                "r"(y), "r"(z), "r"(w), "r"(at));
  ATOM ("add.u32", "r", x);
  ATOM ("min.s32", "r", y);
  ATOM ("exch.b32", "r", z);
  ATOM ("exch.b64", "l", m);
  asm volatile ("red.shared.or.b32 [%0], %1;" ::"r"(at), "r"(x));
  asm volatile ("red.shared.inc.u32 [%0], 1;" ::"r"(at));
  asm volatile ("atom.shared.cas.b32 %0, [%1], %0, %2;"
                : "+r"(w)
                : "r"(at), "r"(x));
  asm volatile ("atom.shared.cas.b64 %0, [%1], %0, %2;"
                : "+l"(m)
                : "r"(at), "l"(l));
  asm volatile ("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];"
                : "=r"(x)
                : "r"(at));
  sum += x;
  asm volatile ("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
                : "=r"(x), "=r"(y)
                : "r"(at));
  sum += x + y;
  asm volatile (
      "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
      : "=r"(x), "=r"(y), "=r"(z), "=r"(w)
      : "r"(at));
#if __CUDA_ARCH__ >= 900
  asm volatile ("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%1], {%0};" ::"r"(x),
                "r"(at));
  asm volatile (
      "stmatrix.sync.aligned.m8n8.x2.shared.b16 [%2], {%0, %1};" ::"r"(x),
      "r"(y), "r"(at));
  asm volatile ("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%4], {%0, %1, "
                "%2, %3};" ::"r"(x),
                "r"(y), "r"(z), "r"(w), "r"(at));
#endif
#if __CUDA_ARCH__ >= 800
  asm volatile ("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(at), "l"(out));
  asm volatile ("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(at), "l"(out));
  asm volatile ("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at),
                "l"(out));
  asm volatile ("cp.async.wait_all;");
#endif
  out[threadIdx.x] = sum + h + x + y + z + w + read_pair (tile, threadIdx.x);
  wide[threadIdx.x] = l + m;
}
