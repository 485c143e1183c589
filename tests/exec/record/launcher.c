/* SPDX-License-Identifier: MIT
 * A program with device code, by the driver API: N launches of saxpy, each of which is as large as
 * the first or half of it. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define N 512

static const char ptx[] = ".version 7.0\n"
                          ".target sm_75\n"
                          ".address_size 64\n"
                          ".const .align 4 .f32 scale;\n"
                          ".visible .entry saxpy(.param .u32 n, .param .f32 a, .param .u64 x,\n"
                          "                      .param .u64 y)\n{\n"
                          "  .reg .pred %p<2>;\n"
                          "  .reg .b32 %r<6>;\n"
                          "  .reg .f32 %f<7>;\n"
                          "  .reg .b64 %d<6>;\n"
                          "  ld.param.u32 %r1, [n];\n"
                          "  ld.param.f32 %f1, [a];\n"
                          "  ld.param.u64 %d1, [x];\n"
                          "  ld.param.u64 %d2, [y];\n"
                          "  mov.u32 %r2, %ctaid.x;\n"
                          "  mov.u32 %r3, %ntid.x;\n"
                          "  mov.u32 %r4, %tid.x;\n"
                          "  mad.lo.s32 %r5, %r2, %r3, %r4;\n"
                          "  setp.ge.u32 %p1, %r5, %r1;\n"
                          "  @%p1 bra $done;\n"
                          "  mul.wide.u32 %d3, %r5, 4;\n"
                          "  add.s64 %d4, %d1, %d3;\n"
                          "  add.s64 %d5, %d2, %d3;\n"
                          "  ld.global.f32 %f2, [%d4];\n"
                          "  ld.global.f32 %f3, [%d5];\n"
                          "  ld.const.f32 %f4, [scale];\n"
                          "  mul.f32 %f5, %f4, %f1;\n"
                          "  fma.rn.f32 %f6, %f5, %f2, %f3;\n"
                          "  st.global.f32 [%d5], %f6;\n"
                          "$done:\n"
                          "  ret;\n}\n";

static int (*find) (const char *, void **, int, uint64_t, int *);

static void
get (const char *name, void *pointer)
{
  int status = 0;

  if (find (name, pointer, 12000, 0, &status) != 0)
    exit (3);
}

int
main (int argc, char **argv)
{
  void *library = dlopen ("libcuda.so.1", RTLD_NOW);
  int (*allocate) (uint64_t *, size_t);
  int (*copy) (uint64_t, const void *, size_t);
  int (*load) (void **, const void *);
  int (*unload) (void *);
  int (*get_function) (void **, void *, const char *);
  int (*launch) (void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                 void *, void **, void **);
  int n_launches = argc > 1 ? atoi (argv[1]) : 1;
  float values[N], a = 2;
  uint64_t x = 0, y = 0;
  void *module = NULL, *function = NULL;

  if (library == NULL)
    return 2;
  *(void **) &find = dlsym (library, "cuGetProcAddress_v2");
  get ("cuMemAlloc", &allocate);
  get ("cuMemcpyHtoD", &copy);
  get ("cuModuleLoadData", &load);
  get ("cuModuleUnload", &unload);
  get ("cuModuleGetFunction", &get_function);
  get ("cuLaunchKernel", &launch);
  for (int i = 0; i < N; i++)
    values[i] = (float) i;
  allocate (&x, sizeof values);
  allocate (&y, sizeof values);
  copy (x, values, sizeof values);
  copy (y, values, sizeof values);
  load (&module, ptx);
  get_function (&function, module, "saxpy");
  for (int i = 0; i < n_launches; i++)
    {
      unsigned n = i % 2 == 0 ? N : N / 2;
      void *arguments[] = { &n, &a, &x, &y };

      if (launch (function, n / 64, 1, 1, 64, 1, 1, 0, NULL, arguments, NULL) != 0)
        return 4;
    }
  unload (module);
  puts ("done");
  return 0;
}
