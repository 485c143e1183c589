/* SPDX-License-Identifier: MIT
 * A kernel at a point: values, limits, and the reasons of what can't run. */
#include "cured.h"

#include <math.h>
#include <string.h>
#include "kernel/program/cured-program-internal.h"
#include "ptx/cured-tensor-map-internal.h"
#include "made-up-limits.h"
#include "test.h"

static const CuredLimits device = {
  LAUNCH_LIMITS,
  .sms = 132,
  .warp_size = 32,
  .shared_per_block = 49152,
  .shared_per_block_optin = 232448,
  .global_bytes = G_GINT64_CONSTANT (1) << 37,
};

/* A file with one parameter `n` besides a compile parameter `tile`, and the groups of the test. */
static CuredKernel *
make (const char *groups)
{
  g_autofree char *text = g_strconcat ("/*! cured\n"
                                       "[Kernel]\n"
                                       "Title=A test\n"
                                       "Options=-lineinfo\n"
                                       "[Parameter tile]\n"
                                       "Kind=compile\n"
                                       "Values=1..64\n"
                                       "Default=16\n"
                                       "[Parameter n]\n"
                                       "Kind=problem\n"
                                       "Default=100\n",
                                       groups, "\n*/\n", NULL);
  return MUST (cured_kernel_new_from_text (text, "test", NULL, &fail));
}

TEST ("/program/values")
{
  g_autoptr (CuredKernel) kernel = make ("[Buffer a]\n"
                                         "Type=f64\n"
                                         "Length=n*tile\n"
                                         "Fill=normal\n"
                                         "High=n/8\n"
                                         "[Buffer b]\n"
                                         "Type=f64\n"
                                         "Length=tile*n\n"
                                         "Fill=poison\n"
                                         "[Buffer count]\n"
                                         "Type=u32\n"
                                         "Length=1\n"
                                         "Fill=uniform\n"
                                         "[Launch 1]\n"
                                         "Memset=count\n"
                                         "Value=255\n"
                                         "[Launch 2]\n"
                                         "Entry=f\n"
                                         "Grid=ceil(n/tile),sms\n"
                                         "Block=tile,2\n"
                                         "Shared=4*tile\n"
                                         "Arguments=a,n,n-101,n/8:f32,10*n^4:i64,n:f64,b\n"
                                         "Repeat=n\n"
                                         "Swap=a,b\n"
                                         "[Check]\n"
                                         "Output=b\n"
                                         "Reference=kernel:x\n"
                                         "Tolerance=n*1e-7\n");
  const gint64 values[] = { 16, 100 };
  g_autoptr (CuredProgram) program = MUST (cured_program_new (kernel, values, &device, &fail));
  gint64 value = 0;

  g_assert_true (program->kernel == kernel);
  g_assert_cmpint (program->values[0], ==, 16);
  g_assert_true (cured_program_get_value (program, "n", &value));
  g_assert_cmpint (value, ==, 100);
  g_assert_false (cured_program_get_value (program, "m", &value));
  g_assert_cmpint (cured_program_find_buffer (program, "count"), ==, 2);
  g_assert_cmpint (cured_program_find_buffer (program, "n"), ==, -1);

  g_assert_cmpuint (program->n_buffers, ==, 3);
  g_assert_cmpint (program->buffers[0].length, ==, 1600);
  g_assert_cmpuint (program->buffers[0].size, ==, 12800);
  g_assert_cmpfloat (program->buffers[0].low, ==, 0);
  g_assert_cmpfloat (program->buffers[0].high, ==, 12.5);
  g_assert_cmpuint (program->buffers[2].size, ==, 4);
  g_assert_cmpfloat (program->buffers[2].low, ==, 0);
  g_assert_cmpfloat (program->buffers[2].high, ==, 99);

  g_assert_cmpuint (program->n_steps, ==, 2);
  g_assert_null (program->steps[0].entry);
  g_assert_cmpint (program->steps[0].memset_buffer, ==, 2);
  g_assert_cmpint (program->steps[0].memset_value, ==, 255);
  g_assert_cmpstr (program->steps[1].entry, ==, "f");
  g_assert_cmpuint (program->steps[1].grid[0], ==, 7);
  g_assert_cmpuint (program->steps[1].grid[1], ==, 132);
  g_assert_cmpuint (program->steps[1].grid[2], ==, 1);
  g_assert_cmpuint (program->steps[1].block[0], ==, 16);
  g_assert_cmpuint (program->steps[1].block[1], ==, 2);
  g_assert_cmpuint (program->steps[1].block[2], ==, 1);
  g_assert_cmpuint (program->steps[1].shared_bytes, ==, 64);
  g_assert_cmpint (program->steps[1].repeat, ==, 100);
  g_assert_cmpint (program->steps[1].swap[0], ==, 0);
  g_assert_cmpint (program->steps[1].swap[1], ==, 1);
  g_assert_cmpuint (program->steps[1].n_arguments, ==, 7);
  g_assert_cmpint (program->steps[1].arguments[0].buffer, ==, 0);
  g_assert_cmpint (program->steps[1].arguments[1].integer, ==, 100);
  g_assert_cmpint (program->steps[1].arguments[2].integer, ==, -1);
  g_assert_cmpfloat (program->steps[1].arguments[3].real, ==, 12.5);
  g_assert_cmpint (program->steps[1].arguments[4].integer, ==, 1000000000);
  g_assert_cmpint (program->steps[1].arguments[4].type, ==, CURED_ELEMENT_I64);
  g_assert_cmpfloat (program->steps[1].arguments[5].real, ==, 100);
  g_assert_cmpint (program->steps[1].arguments[6].buffer, ==, 1);

  g_assert_cmpstr (program->defines[0], ==, "-DTILE=16");
  g_assert_cmpstr (program->defines[1], ==, "-lineinfo");
  g_assert_true (g_str_has_prefix (program->defines[2], "--cured-entry="));
  g_assert_true (isnan (program->flops));
  g_assert_true (isnan (program->bytes));
  g_assert_cmpfloat_with_epsilon (program->tolerance, 1e-5, 1e-12);
  g_assert_cmpfloat (program->relative, ==, 0);
}

typedef struct
{
  const char *path, *groups;
  gint64 tile, n;
  const char *reason; /* NULL: it can be launched */
} Point;

#define LAUNCH(grid, block)        "[Launch]\nEntry=f\nGrid=" grid "\nBlock=" block "\n"
#define BUFFER(type, length, fill) "[Buffer a]\nType=" type "\nLength=" length "\nFill=" fill "\n"

#define TENSOR(dims, box, keys)                                                                    \
  LAUNCH ("1", "1")                                                                                \
  "Arguments=m\n" BUFFER ("f32", "256", "uniform") "[TensorMap m]\nBuffer=a\n"                     \
                                                   "Dims=" dims "\nBox=" box "\n" keys

#define TENSOR_OF(dims, keys)                                                                      \
  LAUNCH ("1", "1")                                                                                \
  "Arguments=m\n" BUFFER ("f32", "256", "uniform") "[TensorMap m]\nBuffer=a\n"                     \
                                                   "Dims=" dims "\n" keys

/* clang-format off */
static const Point points[] = {
  { "block/1024", LAUNCH ("1", "tile,tile"), 32, 1, NULL },
  { "block/1025", LAUNCH ("1", "n"), 1, 1025, "the block is 1025 threads" },
  { "block/33-33", LAUNCH ("1", "tile,tile"), 33, 1, "the block is 1089 threads (33 × 33 × 1); this device allows 1024" },
  { "block/0", LAUNCH ("1", "n-1"), 1, 1, "threads per block in x are 0" },
  { "block/negative", LAUNCH ("1", "-n"), 1, 1, "in x are -1 (Block=-n)" },
  { "block/z", LAUNCH ("1", "1,1,n"), 1, 65, "this device allows 64" },
  { "block/2^31", LAUNCH ("1", "n"), 1, G_MAXINT32 + G_GINT64_CONSTANT (1), "threads per block in x are 2147483648" },
  { "block/huge", LAUNCH ("1", "n,n,n"), 1, G_MAXINT32, "this device allows 1024" },
  { "block/half", LAUNCH ("1", "n/2"), 1, 3, "Block=n/2: " },
  { "grid/0", LAUNCH ("ceil(n/tile)", "1"), 16, 0, "blocks in x are 0 (Grid=ceil(n/tile)); at least 1 is needed" },
  { "grid/1", LAUNCH ("ceil(n/tile)", "1"), 16, 1, NULL },
  { "grid/prime", LAUNCH ("ceil(n/tile)", "1"), 16, 104729, NULL },
  { "grid/largest", LAUNCH ("n", "1"), 16, G_MAXINT32, NULL },
  { "grid/2^31", LAUNCH ("n", "1"), 16, G_MAXINT32 + G_GINT64_CONSTANT (1),
    "blocks in x are 2147483648 (Grid=n); this device allows 2147483647" },
  { "grid/y", LAUNCH ("1,n", "1"), 16, 65536, "this device allows 65535" },
  { "grid/half", LAUNCH ("n/tile", "1"), 16, 100, "Grid=n/tile: " },
  { "grid/zero-divisor", LAUNCH ("tile/n", "1"), 16, 0, "Grid=tile/n: " },
  { "grid/overflow", LAUNCH ("n*n", "1"), 16, G_GINT64_CONSTANT (1) << 40, "Grid=n*n: " },
  { "shared/most", LAUNCH ("1", "1") "Shared=n\n", 1, 232448, NULL },
  { "shared/over", LAUNCH ("1", "1") "Shared=n\n", 1, 232449,
    "dynamic shared memory is 232449 bytes per block (Shared=n); this device allows 232448" },
  { "shared/negative", LAUNCH ("1", "1") "Shared=n\n", 1, -4, "-4 bytes" },
  { "repeat/0", LAUNCH ("1", "1") "Repeat=n\n", 1, 0, NULL },
  { "repeat/negative", LAUNCH ("1", "1") "Repeat=n\n", 1, -1, "Repeat=n is -1" },
  { "argument/largest", LAUNCH ("1", "1") "Arguments=n\n", 1, G_MAXINT32, NULL },
  { "argument/i32", LAUNCH ("1", "1") "Arguments=tile,n\n", 1, G_MAXINT32 + G_GINT64_CONSTANT (1),
    "argument 2 of f, n, is 2147483648 and does not fit i32" },
  { "argument/u32", LAUNCH ("1", "1") "Arguments=n:u32\n", 1, -1, "argument 1 of f, n, is -1 and does not fit u32" },
  { "argument/half", LAUNCH ("1", "1") "Arguments=n/2\n", 1, 1, "Arguments=n/2: " },
  { "argument/past-2^31", LAUNCH ("1", "1") "Arguments=n:i64\n", 1, G_GINT64_CONSTANT (3000000000), NULL },
  { "step/odd", LAUNCH ("1", "1") BUFFER ("i32", "1", "uniform\nStep=n"), 1, 2, NULL },
  { "step/0", LAUNCH ("1", "1") BUFFER ("i32", "1", "uniform\nStep=n"), 1, 0,
    "the numbers of buffer a lie 0 apart (Step=n); 1 is the minimum" },
  { "length/0", LAUNCH ("1", "1") BUFFER ("f32", "n", "uniform"), 1, 0, "buffer a has no elements (Length=n is 0)" },
  { "length/negative", LAUNCH ("1", "1") BUFFER ("f32", "n", "uniform"), 1, -5,
    "buffer a has no elements (Length=n is -5)" },
  { "length/past-2^31", LAUNCH ("1", "1") BUFFER ("i32", "n", "uniform"), 1, G_GINT64_CONSTANT (2147483659), NULL },
  { "length/2^40", LAUNCH ("1", "1") BUFFER ("f32", "n", "uniform"), 1, G_GINT64_CONSTANT (1) << 40,
    "2^40 elements or more" },
  { "length/memory", LAUNCH ("1", "1") BUFFER ("f64", "n", "uniform"), 1,
    G_GINT64_CONSTANT (1) << 34,
    "the buffers take 137,438,961,664 bytes; this device has 137,438,953,472" },
  { "length/overflow", LAUNCH ("1", "1") BUFFER ("f32", "n*n*n", "uniform"), 1,
    G_GINT64_CONSTANT (10000000), "Length=n*n*n: " },
  { "fill/range", LAUNCH ("1", "1") BUFFER ("f32", "1", "uniform") "Low=n\nHigh=2\n", 1, 3,
    "buffer a is filled from 3 to 2" },
  { "fill/half", LAUNCH ("1", "1") BUFFER ("i32", "1", "uniform") "High=n/2\n", 1, 3, "buffer a has integers" },
  { "fill/fit", LAUNCH ("1", "1") BUFFER ("u32", "1", "constant") "Low=n\n", 1, -1, "buffer a is u32; Low=-1" },
  { "fill/permutation", LAUNCH ("1", "1") BUFFER ("i32", "n", "permutation"), 1,
    G_GINT64_CONSTANT (2147483649), "which i32 can't count" },
  { "value/outside", LAUNCH ("1", "1"), 65, 1, "tile=65 is not among" },
  { "tolerance/negative",
    LAUNCH ("1", "1") BUFFER ("f32", "1", "poison") "[Check]\nOutput=a\n"
                                                    "Reference=kernel:x\n"
                                                    "Tolerance=n\n",
    1, -1, "Tolerance= or Relative= is negative" },
  { "swap/lengths",
    BUFFER ("f32", "n", "uniform") "[Buffer b]\nType=f32\nLength=n+1\n"
                                   "Fill=poison\n" LAUNCH ("1", "1") "Repeat=2\nSwap=a,b\n",
    1, 7, "Swap=a,b: the lengths differ, 7 and 8" },
  { "tensor/whole", TENSOR ("n,8", "n,8", "Swizzle=128\n"), 1, 32, NULL },
  { "tensor/strides", TENSOR ("4,8", "4,8", "Strides=4*n\n"), 1, 32, NULL },
  { "tensor/rank", TENSOR ("4,2,2,2,2", "4,2,2,2,2", ""), 1, 32, NULL },
  { "tensor/im2col", TENSOR_OF ("4,2,2,2", "Channels=4\nPixels=n\nLowerCorner=-1,-n\n"), 1, 8, NULL },
  { "tensor/im2col-pixels", TENSOR_OF ("4,2,2,2", "Channels=4\nPixels=n\n"), 1, 1025,
    "Channels= is 4 and Pixels= 1025; 1 to 256" },
  { "tensor/im2col-corner", TENSOR_OF ("4,2,2,2", "Channels=4\nPixels=8\nUpperCorner=0,n\n"), 1,
    128, "the corners of dimension 2 are 0 and 128; -128 to 127" },
  { "tensor/im2col-far", TENSOR_OF ("4,2,2", "Channels=4\nPixels=8\nLowerCorner=-n\n"), 1,
    G_GINT64_CONSTANT (1) << 32, "the corners of dimension 1 are -32769 and 0" },
  { "tensor/interleave", TENSOR ("4,4", "4,4", "Interleave=n\n"), 1, 16,
    "[TensorMap m]: Interleave= needs 3 dimensions or more" },
  { "tensor/row", TENSOR ("32,8", "n,8", ""), 1, 5,
    "[TensorMap m]: a row of Box= is 20 bytes; a multiple of 16 is needed" },
  { "tensor/stride", TENSOR ("4,8", "4,8", "Strides=n\n"), 1, 24,
    "the stride of dimension 1 is 24 bytes; a multiple of 16 below 2^40 is needed" },
  { "tensor/stride-zero", TENSOR ("4,8", "4,8", "Strides=n\n"), 1, 0, "the stride of dimension 1 is 0 bytes" },
  { "tensor/box", TENSOR ("256", "n", ""), 1, 257, "Box= has 257 elements in dimension 0; 1 to 256 are possible" },
  { "tensor/box-negative", TENSOR ("256", "n", ""), 1, -1, "Box=n is -1; expected 0 to 2147483647" },
  { "tensor/steps", TENSOR ("8,8", "8,8", "ElementStrides=1,n\n"), 1, 9,
    "ElementStrides= has 9 in dimension 1; 1 to 8 are possible" },
  { "tensor/swizzle", TENSOR ("32,8", "32,8", "Swizzle=n\n"), 1, 64,
    "a row of Box= is 128 bytes, and Swizzle=64 takes so many at most" },
  { "tensor/swizzle-value", TENSOR ("8,8", "8,8", "Swizzle=n\n"), 1, 96,
    "Swizzle= is 96; 0, 32, 64 and 128 bytes are possible" },
  { "tensor/nan", TENSOR ("8,8", "8,8", "Type=u32\nFill=nan\n"), 1, 1, "Fill=nan needs a type of reals" },
  { "tensor/past-end", TENSOR ("32,n", "32,8", ""), 1, 9,
    "the tensor of Dims= and Strides= ends after 1152 bytes, and its buffer has 1024" },
  { "tensor/huge", TENSOR ("2^32,2^32,n", "32,8,8", "Strides=2^39,2^39\n"), 1,
    G_GINT64_CONSTANT (1) << 32, "ends after 18446744073709551615 bytes" },
};
/* clang-format on */

TEST ("/program/tensor-map")
{
  g_autoptr (CuredKernel) kernel =
      make (TENSOR ("8,tile,n", "4,2,1", "Type=bf16\nFill=nan\nSwizzle=32\n"));
  const gint64 values[] = { 16, 2 };
  g_autoptr (GError) error = NULL;
  g_autoptr (CuredProgram) program = cured_program_new (kernel, values, &device, &error);
  const CuredTensorShape *shape;
  CuredTensorShape copy;
  guint8 object[CURED_TENSOR_MAP_BYTES];
  guint64 address;

  g_assert_null (program);
  g_assert_error (error, CURED_ERROR, CURED_ERROR_NOT_LAUNCHABLE);
  g_clear_error (&error);
  cured_kernel_unref (g_steal_pointer (&kernel));

  kernel = make (TENSOR ("8,tile,n", "8,2,1", "Type=bf16\nFill=nan\nSwizzle=32\n"));
  program = MUST (cured_program_new (kernel, values, &device, &fail));
  g_assert_cmpint (program->steps[0].arguments[0].buffer, ==, -1);
  g_assert_cmpint (program->steps[0].arguments[0].tensor_map, ==, 0);
  g_assert_cmpuint (program->n_tensor_maps, ==, 1);
  g_assert_cmpint (program->tensor_maps[0].buffer, ==, 0);
  shape = &program->tensor_maps[0].shape;
  g_assert_cmpint (shape->type, ==, CURED_TENSOR_BF16);
  g_assert_cmpuint (shape->rank, ==, 3);
  g_assert_cmpuint (shape->dims[1], ==, 16);
  g_assert_cmpuint (shape->strides[0], ==, 16);
  g_assert_cmpuint (shape->strides[1], ==, 256);
  g_assert_cmpuint (shape->steps[2], ==, 1);
  g_assert_true (shape->fills_nan);

  /* What the emulator passes to a kernel. */
  cured_tensor_shape_encode (shape, 0x1000, object);
  g_assert_true (cured_tensor_shape_decode (&copy, &address, object));
  g_assert_cmpuint (address, ==, 0x1000);
  g_assert_cmpmem (&copy, sizeof copy, shape, sizeof *shape);
  object[0] ^= 1;
  g_assert_false (cured_tensor_shape_decode (&copy, &address, object));
}

TEST ("/program/im2col")
{
  static const struct
  {
    const char *keys, *message;
  } refused[] = {
    { "Dims=4,4,4\nChannels=4\n", "Pixels" },
    { "Dims=4,4,4\nChannels=4\nPixels=4\nBox=4,4,4\n", "leave one of both" },
    { "Dims=4,4\nChannels=4\nPixels=4\n", "too few dimensions" },
    { "Dims=4,4,4\nChannels=4\nPixels=4\nLowerCorner=1,1\n", "LowerCorner" },
    { "Dims=4,4,4\nLowerCorner=1\n", "Channels" },
  };
  g_autoptr (CuredKernel) kernel =
      make (TENSOR_OF ("4,tile,n,2", "Channels=4\nPixels=tile-n\nLowerCorner=-1,-n\n"
                                     "UpperCorner=n,-3\nElementStrides=1,2,1,1\n"));
  const gint64 values[] = { 16, 2 };
  g_autoptr (CuredProgram) program = MUST (cured_program_new (kernel, values, &device, &fail));
  const CuredTensorShape *shape;

  shape = &program->tensor_maps[0].shape;
  g_assert_true (shape->is_im2col);
  g_assert_cmpuint (shape->rank, ==, 4);
  g_assert_cmpuint (shape->box[0], ==, 4);
  g_assert_cmpuint (shape->box[1], ==, 14);
  g_assert_cmpint (shape->lower[0], ==, -1);
  g_assert_cmpint (shape->lower[1], ==, -2);
  g_assert_cmpint (shape->upper[0], ==, 2);
  g_assert_cmpint (shape->upper[1], ==, -3);
  g_assert_cmpuint (shape->steps[1], ==, 2);
  for (gsize i = 0; i < G_N_ELEMENTS (refused); i++)
    {
      g_autofree char *text = g_strconcat (
          "/*! cured\n[Kernel]\nTitle=A test\n" LAUNCH ("1", "1") "Arguments=m\n" BUFFER (
              "f32", "256", "uniform") "[TensorMap m]\nBuffer=a\n",
          refused[i].keys, "*/\n", NULL);
      g_autoptr (GError) problem = NULL;

      g_assert_null (cured_kernel_new_from_text (text, "test", NULL, &problem));
      g_assert_nonnull (strstr (problem->message, refused[i].message));
    }
}

TEST ("/program/arch")
{
  g_autofree char *text = g_strdup ("/*! cured\n[Kernel]\nTitle=A test\n"
                                    "Arch=90a\n" LAUNCH ("1", "1") "*/\n");
  g_autoptr (GError) error = NULL;
  g_autoptr (CuredKernel) kernel = MUST (cured_kernel_new_from_text (text, "test", NULL, &fail));
  CuredLimits limits = { .compute_major = 9 };

  g_autoptr (CuredProgram) program = MUST (cured_program_new (kernel, NULL, &limits, &fail));
  g_assert_cmpstr (program->defines[0], ==, "--cured-arch=90a");
  limits.compute_major = 10;
  g_assert_false (cured_program_check (kernel, NULL, &limits, &error));
  g_assert_error (error, CURED_ERROR, CURED_ERROR_NOT_LAUNCHABLE);
  g_assert_nonnull (
      strstr (error->message, "sm_90a alone has (Arch=90a), and this device is an sm_100"));
}

TEST_ROWS ("/program/point/%s", points)
{
  const Point *point = data;
  g_autoptr (CuredKernel) kernel = make (point->groups);
  const gint64 values[] = { point->tile, point->n };
  g_autoptr (GError) error = NULL, again = NULL;
  g_autoptr (CuredProgram) program = cured_program_new (kernel, values, &device, &error);

  if (point->reason == NULL)
    {
      g_assert_no_error (error);
      g_assert_nonnull (program);
      g_assert_true (cured_program_check (kernel, values, &device, &again));
      g_assert_no_error (again);
      return;
    }
  g_assert_null (program);
  g_assert_error (error, CURED_ERROR, CURED_ERROR_NOT_LAUNCHABLE);
  g_test_message ("%s", error->message);
  g_assert_nonnull (strstr (error->message, point->reason));
  g_assert_false (cured_program_check (kernel, values, &device, &again));
  g_assert_error (again, CURED_ERROR, CURED_ERROR_NOT_LAUNCHABLE);
  g_assert_cmpstr (again->message, ==, error->message);
  g_assert_false (cured_program_check (kernel, values, &device, NULL));
}

/* A device that says nothing forbids nothing but what no device has. */
TEST ("/program/unknown-limits")
{
  static const CuredLimits nothing;
  g_autoptr (CuredKernel) kernel =
      make (LAUNCH ("1,n", "n") "Shared=n\n" BUFFER ("f64", "n", "ramp"));
  const gint64 values[] = { 1, 1000000 };
  g_autoptr (CuredProgram) program = MUST (cured_program_new (kernel, values, &nothing, &fail));

  g_assert_cmpuint (program->steps[0].block[0], ==, 1000000);
}

/* The file's own reasons: the first that holds, before the device's limits. */
TEST ("/program/requirements")
{
  g_autoptr (CuredKernel) kernel =
      make (LAUNCH ("1", "n") BUFFER ("f64", "n", "ramp") /* … */
            "[Require first]\nIf=n % (tile - 1) == 0\nReason=no whole tiles\n"
            "[Require second]\nIf=compute_major*10 + compute_minor >= 95\n"
            "Reason=the chip is too old\n"
            "[Require third]\nIf=!emulated\nReason=not here\n"
            "[Require fourth]\nIf=sms > 0\nReason=never\n");
  static const struct
  {
    gint64 tile, n, major, emulated;
    const char *reason;
    gboolean is_refusal;
  } rows[] = {
    { 9, 64, 10, 0, NULL, FALSE },
    { 9, 65, 10, 0, "no whole tiles", TRUE },
    { 9, 65, 9, 1, "no whole tiles", TRUE },
    { 9, 64, 9, 1, "the chip is too old", TRUE },
    { 9, 64, 10, 1, "not here", TRUE },
    /* A limit that the device did not report is not a reason. */
    { 9, 64, 0, 0, NULL, FALSE },
    { 9, 64, 0, 1, "not here", TRUE },
    { 1, 64, 10, 0, "If=n % (tile - 1) == 0: ", FALSE },
    { 9, 4096, 10, 0, "4096", FALSE },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      const gint64 values[] = { rows[i].tile, rows[i].n };
      CuredLimits limits = { .compute_major = rows[i].major,
                             .emulated = rows[i].emulated,
                             .max_threads_per_block = 1024 };
      g_autoptr (GError) error = NULL;
      g_autoptr (CuredProgram) program = cured_program_new (kernel, values, &limits, &error);
      const char *refusal = cured_program_find_refusal (kernel, values, &limits);

      g_assert_true ((program != NULL) == (rows[i].reason == NULL));
      g_assert_true (cured_program_check (kernel, values, &limits, NULL) ==
                     (rows[i].reason == NULL));
      g_assert_cmpstr (refusal, ==, rows[i].is_refusal ? rows[i].reason : NULL);
      if (program != NULL)
        continue;
      g_assert_error (error, CURED_ERROR, CURED_ERROR_NOT_LAUNCHABLE);
      if (rows[i].is_refusal)
        g_assert_cmpstr (error->message, ==, rows[i].reason);
      else
        g_assert_nonnull (strstr (error->message, rows[i].reason));
    }
}

TEST ("/program/add-up")
{
  static const gint32 integers[] = { G_MAXINT32, 5, G_MAXINT32, -3 };
  static const float floats[] = { 1e8f, 1, 1, -1e8f };
  static const double doubles[] = { 0.5, 0.25, -3, 7 };
  CuredBuffer buffer = { .type = CURED_ELEMENT_I32 };
  CuredProgramBuffer from = { .buffer = &buffer, .length = 4 };
  gint32 integer = 0;
  guint32 natural = 0;
  float single = 0;
  double real = 0;

  cured_program_add_up (&from, integers, &integer);
  g_assert_cmpint (integer, ==, 0);
  buffer.type = CURED_ELEMENT_U32;
  from.length = 2;
  cured_program_add_up (&from, integers, &natural);
  g_assert_cmpuint (natural, ==, G_GUINT64_CONSTANT (2147483652));
  buffer.type = CURED_ELEMENT_F32;
  from.length = 4;
  cured_program_add_up (&from, floats, &single);
  g_assert_cmpfloat (single, ==, 2);
  buffer.type = CURED_ELEMENT_F64;
  cured_program_add_up (&from, doubles, &real);
  g_assert_cmpfloat (real, ==, 4.75);
}

TEST ("/program/reference")
{
  g_autoptr (CuredKernel) kernel = make (LAUNCH ("1", "1"));
  g_autoptr (CuredKernel) reference = cured_kernel_new_from_text (
      "/*! cured\n[Kernel]\nTitle=x\n[Launch]\nEntry=f\nGrid=1\nBlock=1\n"
      "[Parameter n]\nKind=problem\nDefault=5\n"
      "[Parameter tile]\nKind=compile\nValues=1..8\nDefault=4\n"
      "[Parameter other]\nKind=launch\nDefault=3\n*/",
      "reference", NULL, NULL);
  const gint64 values[] = { 16, 100 };
  g_autoptr (CuredProgram) program = MUST (cured_program_new (kernel, values, &device, &fail));
  g_autoptr (CuredProgram) same =
      MUST (cured_program_new_reference (program, reference, &device, &fail));

  g_assert_cmpint (same->values[0], ==, 100);
  g_assert_cmpint (same->values[1], ==, 4);
  g_assert_cmpint (same->values[2], ==, 3);
}
