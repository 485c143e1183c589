/* SPDX-License-Identifier: MIT
 * Element types: numbers in few bits, vectors, structs, and what they are as arguments and
 * outputs. */
#include "cured.h"

#include <math.h>
#include <string.h>
#include <unistd.h>
#include <glib/gstdio.h>

#include "device/cured-argument-private.h"
#include "kernel/cured-element-internal.h"
#include "ptx/cured-tensor-map-internal.h"
#include "kernel/fill/cured-fill-internal.h"
#include "measure/cured-measure-internal.h"
#include "make-result.h"
#include "test.h"

static const CuredElement small[] = { CURED_ELEMENT_F16, CURED_ELEMENT_BF16, CURED_ELEMENT_E4M3,
                                      CURED_ELEMENT_E5M2 };

/* Every pattern is a number that is stored as the same pattern. */
TEST ("/element/bits")
{
  for (gsize t = 0; t < G_N_ELEMENTS (small); t++)
    {
      gsize size = cured_element_get_size (small[t]);

      for (guint bits = 0; bits < 1u << (8 * size); bits++)
        {
          guint back = 0;
          double value = cured_element_load (small[t], &bits);

          if (isnan (value))
            continue;
          cured_element_store (small[t], &back, value);
          g_assert_cmphex (back, ==, bits);
        }
    }
}

static double
round_to (CuredElement type, double value)
{
  guint64 bits = 0;

  cured_element_store (type, &bits, value);
  return cured_element_load (type, &bits);
}

TEST ("/element/rounding")
{
  static const struct
  {
    CuredElement type;
    double value, expected;
  } cases[] = {
    { CURED_ELEMENT_F16, 2049, 2048 }, /* a tie, to even */
    { CURED_ELEMENT_F16, 2051, 2052 },
    { CURED_ELEMENT_F16, 65519.99, 65504 },
    { CURED_ELEMENT_F16, 65520, (double) INFINITY },
    { CURED_ELEMENT_F16, 0x1p-25, 0 },
    { CURED_ELEMENT_F16, 0x1.8p-25, 0x1p-24 },
    { CURED_ELEMENT_BF16, 257, 256 },
    { CURED_ELEMENT_E4M3, 448, 448 },
    { CURED_ELEMENT_E4M3, 1e9, 448 }, /* as __nv_cvt_float_to_fp8 does */
    { CURED_ELEMENT_E4M3, -1e9, -448 },
    { CURED_ELEMENT_E5M2, 1e9, 57344 },
    { CURED_ELEMENT_E4M3, 0.3, 0.3125 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    g_assert_cmpfloat (round_to (cases[i].type, cases[i].value), ==, cases[i].expected);
  g_assert_cmpfloat (cured_element_step_down (CURED_ELEMENT_F16, 1), ==, 1 - 0x1p-11);
  g_assert_cmpfloat (cured_element_step_down (CURED_ELEMENT_F16, 0), ==, -0x1p-24);
}

static const char record_source[] =
    "/*! cured\n[Kernel]\nTitle=x\n"
    "[Parameter n]\nKind=problem\nDefault=8\n"
    "[Buffer a]\nType=struct:Item\nLength=n\n"
    "Fill=uniform\nHigh=9\n"
    "[Buffer b]\nType=f32x3\nLength=n\nFill=ramp\n"
    "[Buffer out]\nType=bf16\nLength=n\nFill=poison\n"
    "[Launch]\nEntry=f\nGrid=i+1\nBlock=n\nRepeat=n-1\n"
    "Index=i\nSwap=b,c\n"
    "Arguments=a,b+2,n:u8,-1:i16,0.5:f16,(i,2,b+1):struct:Pack,out\n"
    "[Buffer c]\nType=f32x3\nLength=n\nFill=ramp\n*/\n"
    "#define N 2\n"
    "typedef double real;\n"
    "typedef struct Item_ { char c; real r, s[N]; short2 t; /* int gone; */ } Item;\n"
    "struct Pack { signed char k; int m; float *p; __device__ int get () const { return m; } };\n";

TEST ("/element/records")
{
  static const CuredLimits limits;
  static const gsize offsets[] = { 0, 8, 16, 24, 32, 34 };
  g_autoptr (CuredKernel) kernel =
      MUST (cured_kernel_new_from_text (record_source, "records", NULL, &fail));
  const CuredDevicePtr bindings[] = { 0x1000, 0x2000, 0x3000, 0x4000 };
  CuredPtxEntry entry = { .name = "f", .parameter_bytes = 0 };
  gint64 n = 8;
  gint16 i16;
  CuredDevicePtr address;

  const CuredRecord *item = kernel->buffers[0].record;
  g_assert_nonnull (item);
  g_assert_cmpuint (item->n_fields, ==, G_N_ELEMENTS (offsets));
  for (gsize i = 0; i < item->n_fields; i++)
    g_assert_cmpuint (item->fields[i].offset, ==, offsets[i]);
  g_assert_cmpuint (item->size, ==, 40);
  g_assert_cmpstr (item->fields[3].name, ==, "s[1]");

  /* Each repetition is a step that knows its index. */
  g_autoptr (CuredProgram) program = MUST (cured_program_new (kernel, &n, &limits, &fail));
  g_assert_cmpuint (program->n_steps, ==, 7);
  for (guint i = 0; i < 7; i++)
    {
      const CuredProgramStep *step = &program->steps[i];

      g_assert_cmpuint (step->grid[0], ==, i + 1);
      g_assert_cmpint (step->repeat, ==, 1);
      g_assert_cmpint (step->arguments[5].parts[0].integer, ==, (gint64) i);
      /* The last one sees b as b. */
      g_assert_cmpint (step->arguments[1].buffer, ==, 1);
      g_assert_cmpint (step->is_swapped, ==, i % 2 != 0);
    }
  g_assert_cmpuint (program->buffers[0].size, ==, 320);

  /* 0 a, 8 b, 16 n, 18 -1, 20 half, 24 pack (0, 4, 8), 40 out */
  entry.parameter_bytes = 48;
  g_autoptr (GByteArray) packed =
      MUST (_cured_arguments_pack (program, &program->steps[0], bindings, 0, &entry, NULL, &fail));
  memcpy (&address, packed->data + 8, sizeof address);
  g_assert_cmphex (address, ==, 0x2000 + 24);
  g_assert_cmpuint (packed->data[16], ==, 8);
  memcpy (&i16, packed->data + 18, sizeof i16);
  g_assert_cmpint (i16, ==, -1);
  g_assert_cmpfloat (cured_element_load (CURED_ELEMENT_F16, packed->data + 20), ==, 0.5);
  g_assert_cmpuint (packed->data[28], ==, 2);
  memcpy (&address, packed->data + 32, sizeof address);
  g_assert_cmphex (address, ==, 0x2000 + 12);

  /* The next one sees what swaps with b, in a struct too. */
  g_byte_array_unref (packed);
  packed =
      MUST (_cured_arguments_pack (program, &program->steps[1], bindings, 0, &entry, NULL, &fail));
  memcpy (&address, packed->data + 8, sizeof address);
  g_assert_cmphex (address, ==, 0x4000 + 24);
  memcpy (&address, packed->data + 32, sizeof address);
  g_assert_cmphex (address, ==, 0x4000 + 12);
}

/* A tensor map is laid over the buffer that replaces its own, whether the repetitions are one step
 * or each has its own. */
TEST ("/element/swapped-map")
{
  static const char text[] = "/*! cured\n[Kernel]\nTitle=Swap\n"
                             "[Buffer a]\nType=f32\nLength=64\nFill=ramp\n"
                             "[Buffer b]\nType=f32\nLength=64\nFill=ramp\n"
                             "[TensorMap map]\nBuffer=a\nDims=64\nBox=32\n"
                             "[Launch]\nEntry=k\nGrid=1\nBlock=32\nRepeat=3\nSwap=a,b\n"
                             "%sArguments=map,b\n*/\n";
  static const CuredLimits limits;
  const CuredDevicePtr bindings[] = { 0x10000, 0x20000 };
  const CuredPtxEntry entry = { .name = "k", .parameter_bytes = 136 };

  for (int has_index = 0; has_index < 2; has_index++)
    {
      g_autoptr (GString) source = g_string_new (text);

      g_string_replace (source, "%s", has_index ? "Index=i\n" : "", 1);
      g_autoptr (CuredKernel) kernel =
          MUST (cured_kernel_new_from_text (source->str, "k", NULL, &fail));
      g_autoptr (CuredProgram) program = MUST (cured_program_new (kernel, NULL, &limits, &fail));
      g_assert_cmpuint (program->n_steps, ==, has_index ? 3 : 1);
      for (gint64 turn = 0; turn < 3; turn++)
        {
          const CuredProgramStep *step = &program->steps[has_index ? turn : 0];
          g_autoptr (GByteArray) packed = MUST (_cured_arguments_pack (
              program, step, bindings, has_index ? 0 : turn, &entry, NULL, &fail));
          CuredTensorShape shape;
          guint64 map_address, address;

          g_assert_true (cured_tensor_shape_decode (&shape, &map_address, packed->data));
          memcpy (&address, packed->data + 128, sizeof address);
          g_assert_cmphex (map_address, ==, bindings[turn == 1]);
          g_assert_cmphex (address, ==, bindings[turn != 1]);
        }
    }
}

/* Fields whose types are other names for scalars. */
TEST ("/element/typedefs")
{
  static const struct
  {
    const char *source;
    CuredElement type;
    gboolean is_pointer;
  } cases[] = {
    { "typedef float real; struct A { real x; };", CURED_ELEMENT_F32, FALSE },
    { "typedef double real, *reals; struct A { real x; };", CURED_ELEMENT_F64, FALSE },
    { "typedef double real, *reals; struct A { reals x; };", CURED_ELEMENT_U64, TRUE },
    { "typedef double *reals, real; struct A { real x; };", CURED_ELEMENT_F64, FALSE },
    { "typedef unsigned short word __attribute__((aligned (2)));\n"
      "typedef word words; struct A { words x; };",
      CURED_ELEMENT_U16, FALSE },
    { "typedef float pair[2], real; struct A { real x; };", CURED_ELEMENT_F32, FALSE },
    { "using real = float; struct A { real x; };", CURED_ELEMENT_F32, FALSE },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (CuredRecord) record =
          MUST (_cured_record_new_from_source (cases[i].source, "A", &fail));

      g_assert_cmpuint (record->n_fields, ==, 1);
      g_assert_cmpint (record->fields[0].type, ==, cases[i].type);
      g_assert_cmpint (record->fields[0].is_pointer, ==, cases[i].is_pointer);
    }
}

/* A struct that can't be laid out is reported, with what to write instead. */
TEST ("/element/refused")
{
  static const char *const cases[][2] = {
    { "struct A { int x : 3; };", "bit field" },
    { "struct A : B { int x; };", "base class" },
    { "struct A { Other x; };", "no declaration of Other" },
    { "typedef float Other[2]; struct A { Other x; };", "no declaration of Other" },
    { "struct A { A x; };", "too deep" },
    { "struct A { int x[n]; };", "length of x" },
    { "struct A { };", "no fields" },
    { "struct A { char x[4096]; };", "more than 256 fields" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;
      CuredRecord *record = _cured_record_new_from_source (cases[i][0], "A", &error);

      g_assert_null (record);
      g_assert_nonnull (error);
      g_assert_nonnull (strstr (error->message, cases[i][1]));
    }
}

/* A piece that begins and ends within an element is that piece of the whole. */
TEST ("/element/fill")
{
  static const CuredLimits limits;
  g_autoptr (CuredKernel) kernel =
      cured_kernel_new_from_text (record_source, "records", NULL, NULL);
  gint64 n = 8;
  g_autoptr (CuredProgram) program = cured_program_new (kernel, &n, &limits, NULL);

  for (gsize b = 0; b < program->n_buffers; b++)
    {
      const CuredProgramBuffer *buffer = &program->buffers[b];
      g_autofree guint8 *whole = g_malloc (buffer->size);
      g_autofree guint8 *pieces = g_malloc0 (buffer->size);

      cured_fill_buffer (buffer, b, 1, whole);
      for (gsize at = 0; at < buffer->size; at += 7)
        cured_fill_range (buffer, b, 1, at, MIN (7, buffer->size - at), pieces);
      g_assert_cmpmem (whole, buffer->size, pieces, buffer->size);
    }
}

TEST ("/element/compare")
{
  static const guint16 got[] = { 0x3c01, 0x3c02, 0xaaaa, 0x3c00 };
  static const guint16 right[] = { 0x3c00, 0x3c00, 0xaaab, 0x3c00 };
  g_autoptr (CuredRecord) pair = cured_record_new_vector (CURED_ELEMENT_I8, 2);
  CuredBuffer buffer = { .name = (char *) "p", .type = CURED_ELEMENT_I8, .record = pair };
  g_autoptr (GPtrArray) mismatches =
      g_ptr_array_new_with_free_func ((GDestroyNotify) cured_mismatch_free);

  /* One unit in the last place is right where the file says nothing; poison is a number of an
   * f16. */
  g_assert_cmpuint (cured_compare (CURED_ELEMENT_F16, 4, got, right, NAN, NAN, "h", mismatches), ==,
                    1);
  const CuredMismatch *mismatch = g_ptr_array_index (mismatches, 0);
  g_assert_cmpint (mismatch->index, ==, 1);
  g_assert_cmpstr (mismatch->got, ==, "1.002");
  g_assert_cmpuint (cured_compare (CURED_ELEMENT_F16, 4, got, right, 0, 0, "h", NULL), ==, 3);
  g_assert_cmpuint (cured_compare_buffer (&buffer, 4, got, right, 0, NAN, mismatches), ==, 3);
  mismatch = g_ptr_array_index (mismatches, 2);
  g_assert_cmpstr (mismatch->got, ==, "(2, 60)");
  g_assert_cmpstr (mismatch->expected, ==, "(0, 60)");
}

static CuredKernel *
open_with_file (const char *folder, const char *type, const char *name, GError **error)
{
  g_autofree char *path = g_build_filename (folder, "k.cu", NULL);
  g_autofree char *text =
      g_strdup_printf ("/*! cured\n[Kernel]\nTitle=x\n[Buffer a]\nType=%s\nLength=2\n"
                       "Fill=file\nFile=%s\n[Buffer s]\nType=i16\nLength=500\nFill=sorted\n"
                       "Low=-5\nHigh=900\n[Launch]\nEntry=f\nGrid=1\nBlock=1\nArguments=a\n*/\n"
                       "int x;\n",
                       type, name);

  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  return cured_kernel_new_from_file (path, error);
}

/* A key that is for one fill alone says which; and another fill takes its place, with the key. */
TEST ("/element/implied")
{
  static const struct
  {
    const char *key;
    CuredFill fill;
  } cases[] = {
    { "File=a.bin", CURED_FILL_FILE },
    { "Value=i*i", CURED_FILL_EXPRESSION },
    { "Values=3,4", CURED_FILL_VALUES },
  };
  const char *folder = test_folder ();
  g_autofree char *path = g_build_filename (folder, "k.cu", NULL);
  g_autofree char *raw = g_build_filename (folder, "a.bin", NULL);

  g_assert_true (g_file_set_contents (raw, "\1\0\2\0", 4, NULL));
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      static const char *const fills[] = { "a=ramp:5:2", NULL };
      g_autofree char *text =
          g_strdup_printf ("/*! cured\n[Kernel]\nTitle=x\n[Buffer a]\nType=i16\nLength=2\n"
                           "%s\n[Launch]\nEntry=f\nGrid=1\nBlock=1\nArguments=a\n*/\nint x;\n",
                           cases[i].key);

      g_assert_true (g_file_set_contents (path, text, -1, NULL));
      g_autoptr (CuredKernel) kernel = MUST (cured_kernel_new_from_file (path, &fail));
      g_assert_cmpint (kernel->buffers[0].fill, ==, cases[i].fill);
      g_autoptr (CuredKernel) other = MUST (cured_kernel_refill (kernel, fills, &fail));
      g_assert_cmpint (other->buffers[0].fill, ==, CURED_FILL_RAMP);
    }
}

/* What a file has is what a copy of the text has, and nothing leads out. */
TEST ("/element/files")
{
  static const char npy[] = "\x93NUMPY\x01\x00\x46\x00{'descr': '<i2', 'fortran_order': False, "
                            "'shape': (3,), }            \n\x01\x00\x02\x00\xff\xff";
  static const struct
  {
    const char *type, *name;
    const char *message; /* NULL: it is read */
  } cases[] = {
    { "i16", "a.npy", NULL },
    { "i16x3", "a.bin", NULL },
    { "u16", "a.npy", "expected one type" },
    { "f16", "short.npy", "ends early" },
    { "i16", "..", "points outside" },
    { "i16", "/etc/passwd", "points outside" },
    { "i16", "link", "points outside" },
    { "i16", "none.bin", "none.bin" },
    { "i16", "sub", "expected a file of numbers" },
    { "i16", "none", "is empty" },
  };
  const char *folder = test_folder ();
  g_autofree char *raw = g_build_filename (folder, "a.bin", NULL);
  g_autofree char *array = g_build_filename (folder, "a.npy", NULL);
  g_autofree char *early = g_build_filename (folder, "short.npy", NULL);
  g_autofree char *link = g_build_filename (folder, "link", NULL);
  g_autofree char *none = g_build_filename (folder, "none", NULL);
  g_autofree char *sub = g_build_filename (folder, "sub", NULL);

  g_assert_cmpint (g_mkdir (sub, 0700), ==, 0);
  g_assert_true (g_file_set_contents (raw, npy + 80, 6, NULL));
  g_assert_true (g_file_set_contents (array, npy, sizeof npy - 1, NULL));
  g_assert_true (g_file_set_contents (early, npy, 40, NULL));
  g_assert_true (g_file_set_contents (none, "", 0, NULL));
  g_assert_cmpint (symlink ("/etc/passwd", link), ==, 0);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (CuredKernel) kernel =
          open_with_file (folder, cases[i].type, cases[i].name, &error);
      g_autoptr (GError) missing = NULL;

      if (cases[i].message != NULL)
        {
          g_assert_null (kernel);
          g_assert_nonnull (strstr (error->message, cases[i].message));
          continue;
        }
      g_assert_no_error (error);
      g_autoptr (CuredKernel) copy =
          MUST (cured_kernel_new_from_text (kernel->source, "copy", NULL, &fail));
      const gint16 *numbers = g_bytes_get_data (copy->buffers[0].contents, NULL);
      g_assert_cmpuint (g_bytes_get_size (copy->buffers[0].contents), ==, 6);
      g_assert_cmpint (numbers[1], ==, 2);
      g_assert_cmpint (numbers[2], ==, -1);
      /* The text alone has no inputs, and says so. */
      g_assert_null (cured_kernel_new_from_text (kernel->text, "alone", NULL, &missing));
      g_assert_nonnull (strstr (missing->message, "came without it"));
    }
}

/* A file that is too large for a kernel's text is read where the kernel file is, and there alone; its
 * digest says whether it is the same. */
TEST ("/element/files/apart")
{
  static const CuredLimits limits;
  const char *folder = test_folder ();
  g_autofree char *raw = g_build_filename (folder, "a.bin", NULL);
  g_autofree char *path = g_build_filename (folder, "k.cu", NULL);
  gsize size = ((gsize) 2 << 20) + 6;
  g_autofree char *bytes = g_malloc0 (size);
  g_autoptr (GError) error = NULL;

  bytes[size - 1] = 7;
  g_assert_true (g_file_set_contents (raw, bytes, (gssize) size, NULL));
  g_autoptr (CuredKernel) kernel = MUST (open_with_file (folder, "i16", "a.bin", &fail));
  g_assert_cmpuint (strlen (kernel->source), <, 4096);
  g_autoptr (CuredKernel) again =
      MUST (cured_kernel_new_from_text (kernel->source, "again", path, &fail));
  g_assert_cmpuint (g_bytes_get_size (again->buffers[0].contents), ==, size);
  g_assert_cmpstr (again->buffers[0].checksum, ==, kernel->buffers[0].checksum);
  g_autoptr (CuredKernel) copy =
      MUST (cured_kernel_new_from_text (kernel->source, "copy", NULL, &fail));
  g_assert_null (cured_program_new (copy, (gint64[]){ 0 }, &limits, &error));
  g_assert_nonnull (strstr (error->message, kernel->buffers[0].checksum));
  g_clear_error (&error);
  bytes[0] = 1;
  g_assert_true (g_file_set_contents (raw, bytes, (gssize) size, NULL));
  REFUSES (cured_kernel_new_from_text (kernel->source, "changed", path, &fail), "is another file");
  /* Beyond the limit, of which nothing is read. */
  g_assert_cmpint (truncate (raw, ((off_t) 512 << 20) + 1), ==, 0);
  REFUSES (open_with_file (folder, "i16", "a.bin", &fail), "512 MiB");
}

TEST ("/element/inputs")
{
  static const CuredLimits limits;
  g_autoptr (CuredKernel) kernel = MUST (cured_kernel_new_from_text (
      "/*! cured\n[Kernel]\nTitle=x\n[Parameter n]\nKind=problem\nDefault=300\n"
      "[Buffer s]\nType=i16\nLength=n\nFill=sorted\nLow=-5\nHigh=900\n"
      "[Buffer r]\nType=f16\nLength=n\nFill=sorted\n"
      "[Buffer e]\nType=u8\nLength=n\nFill=expression\nValue=i*i % n\n"
      "[Launch]\nEntry=f\nGrid=1\nBlock=1\nArguments=s,r,e\n*/\nint x;\n",
      "inputs", NULL, &fail));
  gint64 n = 300;
  gint16 sorted[300];
  guint16 halves[300];
  guint8 squares[300];

  g_autoptr (CuredProgram) program = MUST (cured_program_new (kernel, &n, &limits, &fail));
  cured_fill_buffer (&program->buffers[0], 0, 7, sorted);
  cured_fill_buffer (&program->buffers[1], 1, 7, halves);
  cured_fill_buffer (&program->buffers[2], 2, 7, squares);
  g_assert_cmpint (sorted[0], >=, -5);
  g_assert_cmpint (sorted[0], <, 0);
  g_assert_cmpint (sorted[299], >, 894);
  g_assert_cmpint (sorted[299], <=, 900);
  for (int i = 0; i < 300; i++)
    {
      g_assert_cmpuint (squares[i], ==, (guint8) (i * i % 300));
      g_assert_true (i == 0 || sorted[i] >= sorted[i - 1]);
      g_assert_true (i == 0 || halves[i] >= halves[i - 1]);
      g_assert_cmpuint (halves[i], <, 0x3c00);
    }
}

/* An integer without a value is refused, however far inside; a divisor that is never 0 is not. */
TEST ("/element/no-value")
{
  static const CuredLimits limits;
  static const struct
  {
    const char *value;
    const char *message; /* NULL: fine */
  } cases[] = {
    { "floor(100/(i-5))", "no value where i is 5" },
    { "i + floor(7/(i-299999))", "no value where i is 299999" },
    { "7 % (i*2-6)", "no value where i is 3" },
    { "i/2", "no value where i is 1" },
    { "i*0.5", "no value where i is 1" },
    { "i % 7 + floor(i/n) % (n+1)", NULL },
    { "floor(7/(i+1))", NULL },
  };

  for (gsize k = 0; k < G_N_ELEMENTS (cases); k++)
    {
      g_autofree char *text = g_strdup_printf (
          "/*! cured\n[Kernel]\nTitle=x\n[Parameter n]\nKind=problem\nDefault=300001\n"
          "[Buffer e]\nType=i32\nLength=n\nValue=%s\n"
          "[Launch]\nEntry=f\nGrid=1\nBlock=1\nArguments=e\n*/\nint x;\n",
          cases[k].value);
      g_autoptr (GError) error = NULL;
      g_autoptr (CuredKernel) kernel = MUST (cured_kernel_new_from_text (text, "x", NULL, &fail));
      gint64 n = 300001;

      g_test_message ("%s", cases[k].value);
      g_autoptr (CuredProgram) program = MUST (cured_program_new (kernel, &n, &limits, &fail));
      g_assert_cmpint (cured_fill_check (&program->buffers[0], &error), ==,
                       cases[k].message == NULL);
      if (cases[k].message != NULL)
        g_assert_nonnull (strstr (error->message, cases[k].message));
    }
}
