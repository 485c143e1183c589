/* SPDX-License-Identifier: MIT
 * The emulator as a device: kernels give what they should, counts are what one counts by hand, and
 * faults are found and end the launch. */
#include <cured.h>
#include <math.h>
#include <string.h>

#include "device/cured-device-internal.h"
#include "test-compiled.h"
#include "test.h"

static CuredDevice *
open_device (const char *id)
{
  return MUST (cured_device_open (id, &fail));
}

TEST ("/emulator-device/no-id")
{
  g_test_expect_message ("cured", G_LOG_LEVEL_CRITICAL, "*id != NULL*");
  g_assert_null (cured_device_open (NULL, NULL));
  g_test_assert_expected_messages ();
}

/* A kernel file with n threads in blocks of 32 × @warps, an input a and an output b of n elements
 * each. */
static CuredKernel *
make_kernel (const char *more, const char *body)
{
  g_autofree char *text = g_strdup_printf ("/*! cured\n * [Kernel]\n * Title=Test\n * Family=test\n"
                                           "%s * [Parameter n]\n"
                                           " * Kind=problem\n * Default=256\n *\n"
                                           " * [Buffer a]\n * Type=i32\n * Length=n\n * Fill=ramp\n"
                                           " *\n"
                                           " * [Buffer b]\n * Type=i32\n * Length=n\n"
                                           " * Fill=poison\n *\n"
                                           " * [Launch]\n * Entry=run\n * Grid=ceil(n/64)\n"
                                           " * Block=64\n * Arguments=a,b,n\n */\n"
                                           "extern \"C\" __global__ void\n"
                                           "run (const int *a, int *b, int n)\n{\n"
                                           "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                           "  %s\n}\n",
                                           more, body);
  return MUST (cured_kernel_new_from_text (text, "test", NULL, &fail));
}

static gboolean
measure (CuredDevice *device, CuredKernel *kernel, const gint64 *values,
         const CuredOptions *options, CuredOutcome *outcome, GCancellable *cancellable,
         GError **error)
{
  g_auto (CuredOptions) defaults = { 0 };
  CuredJob job = { .kernel = kernel, .values = values };

  cured_options_init (&defaults);
  job.options = options != NULL ? options : &defaults;
  return cured_measure (device, &job, outcome, cancellable, error);
}

static CuredOutcome *
run (CuredKernel *kernel, gint64 n, const CuredOptions *options)
{
  g_autoptr (CuredDevice) device = open_device ("emulator");
  CuredOutcome *outcome = cured_outcome_new ();

  g_assert_true (MUST (measure (device, kernel, &n, options, outcome, NULL, &fail)));
  return outcome;
}

static const CuredFinding *
find (const CuredOutcome *outcome, CuredFindingKind kind)
{
  for (guint i = 0; i < outcome->findings->len; i++)
    {
      const CuredFinding *finding = g_ptr_array_index (outcome->findings, i);

      if (finding->kind == kind)
        return finding;
    }
  return NULL;
}

/* Likewise of textures, over the buffers that @arguments says. */
static CuredKernel *
make_fetch (const char *arguments, const char *type, const char *body)
{
  g_autofree char *text = g_strdup_printf ("/*! cured\n * [Kernel]\n * Title=Test\n"
                                           " * [Parameter n]\n * Kind=problem\n * Default=256\n"
                                           " * [Buffer a]\n * Type=%s\n * Length=n\n * Fill=ramp\n"
                                           " * [Buffer b]\n * Type=i32\n * Length=n\n"
                                           " * Fill=poison\n"
                                           " * [Launch]\n * Entry=run\n * Grid=ceil(n/64)\n"
                                           " * Block=64\n * Arguments=%s,a,b,n\n */\n"
                                           "extern \"C\" __global__ void\n"
                                           "run (cudaTextureObject_t t, int *a, int *b, int n)\n{\n"
                                           "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                           "  %s\n}\n",
                                           type, arguments, body);
  return MUST (cured_kernel_new_from_text (text, "test", NULL, &fail));
}

#define SPLIT(mask, call)                                                                          \
  "unsigned m = 0; if (i % 2 == 0) m = " call (mask) " __syncthreads (); b[i] = (int) m;"
/* The other lanes go past it and end. */
#define ODD(mask, call) "unsigned m = 0; if (i % 2 == 1) m = " call (mask) " b[i] = (int) m + a[i];"
#define SYNC_ODD(mask)  "1; if (i % 2 == 1) __syncwarp (" mask ");"
#define BALLOT(mask)    "__ballot_sync (" mask ", a[i] > 10);"
#define MATCH(mask)     "__match_any_sync (" mask ", a[i]);"
#define REDUCE(mask)    "__reduce_add_sync (" mask ", (unsigned) a[i]);"
#define SYNC(mask)      "1; if (i % 2 == 0) __syncwarp (" mask ");"
#define LOCAL(condition)                                                                           \
  "int v[5]; for (int k = 0; " condition "; k++) v[k] = a[k + i % 3]; b[i] = v[i % 5];"
#define SUMS(end)                                                                                  \
  "__shared__ int part[64];\n"                                                                     \
  "  for (int r = 0; r < 3; r++)\n"                                                                \
  "    {\n"                                                                                        \
  "      part[threadIdx.x] = a[i] + r;\n"                                                          \
  "      __syncthreads ();\n"                                                                      \
  "      if (threadIdx.x == 0)\n"                                                                  \
  "        for (int k = 0; k < 64; k++)\n"                                                         \
  "          b[i + r] = (k > 0 ? b[i + r] : 0) + part[k];\n" end "    }"
#define REVERSE(declaration, member)                                                               \
  declaration "s[threadIdx.x]" member " = a[i]; b[i] = (int) s[63 - threadIdx.x]" member ";"
#define COPY(before, after)                                                                        \
  "__shared__ int w[64]; unsigned s = (unsigned) __cvta_generic_to_shared (&w[threadIdx.x]);\n"    \
  "  if (threadIdx.x < 32)\n"                                                                      \
  "    asm volatile (\"cp.async.ca.shared.global [%0], [%1], 4;\" :: \"r\" (s), \"l\" (a + i));\n" \
  "  " before " __syncthreads (); " after " b[i] = w[threadIdx.x % 32];"
#define WAIT "asm volatile (\"cp.async.wait_all;\" ::: \"memory\");"
#define SWAP(read)                                                                                 \
  "int *p = (int *) a + (i & 1), old = " read ", assumed;\n"                                       \
  "  do { assumed = old; old = atomicCAS (p, assumed, assumed + 3); } while (assumed != old);\n"   \
  "  b[i] = old;"

/* What is said of mistakes, and nothing of the same without them. */
TEST ("/emulator-device/findings")
{
  static const struct
  {
    const char *body;
    int finding; /* -1: none */
    const char *object, *detail;
  } rows[] = {
    /* clang-format off */
    { SPLIT ("0xffffffffu", BALLOT), CURED_FINDING_INACTIVE_LANE, NULL, "*0xffffffff names lanes 0xaaaaaaaa*" },
    { SPLIT ("0x55555555u", BALLOT), -1, NULL, NULL },
    { SPLIT ("0xffffffffu", MATCH), CURED_FINDING_INACTIVE_LANE, NULL, "*do not come*" },
    { SPLIT ("0x55555555u", MATCH), -1, NULL, NULL },
    { SPLIT ("0xffffffffu", REDUCE), CURED_FINDING_INACTIVE_LANE, NULL, "*do not come*" },
    { SPLIT ("0x55555555u", REDUCE), -1, NULL, NULL },
    { SPLIT ("0xffffffffu", SYNC), CURED_FINDING_INACTIVE_LANE, NULL, "*do not come*" },
    { SPLIT ("0x55555555u", SYNC), -1, NULL, NULL },
    { ODD ("0xffffffffu", BALLOT), CURED_FINDING_INACTIVE_LANE, NULL, "*0xffffffff names lanes 0x55555555*" },
    { ODD ("0xaaaaaaaau", BALLOT), -1, NULL, NULL },
    { ODD ("0xffffffffu", REDUCE), CURED_FINDING_INACTIVE_LANE, NULL, "*do not come*" },
    { ODD ("0xffffffffu", SYNC_ODD), CURED_FINDING_INACTIVE_LANE, NULL, "*do not come*" },
    { "if (i % 3 == 0) { b[i] = 7; return; } b[i] = (int) " BALLOT ("0xffffffffu"), -1, NULL, NULL },
    { "if (i >= 200) return; b[i] = (int) " BALLOT ("0xffffffffu"), -1, NULL, NULL },
    { LOCAL ("k <= n / 51"), CURED_FINDING_OUT_OF_BOUNDS, "local memory, byte 20", "*has 20 of local*" },
    { LOCAL ("k < n / 51"), -1, NULL, NULL },
    { SUMS (""), CURED_FINDING_RACE_SHARED, "part[*", "no barrier between them" },
    { SUMS ("      __syncthreads ();\n"), -1, NULL, NULL },
    { REVERSE ("__shared__ __align__ (16) char raw[768]; double *s = (double *) (raw + 256);", ""),
      CURED_FINDING_RACE_SHARED, "raw[???] (shared*", NULL },
    { REVERSE ("__shared__ float3 s[64];", ".y"), CURED_FINDING_RACE_SHARED, "s[*] + 4 bytes (*", NULL },
    { REVERSE ("struct P { char c; double d[2]; }; __shared__ P s[64];", ".d[1]"),
      CURED_FINDING_RACE_SHARED, "s[*] + 16 bytes (*", NULL },
    { "static __device__ float3 g[8]; g[i % 9].y = a[i]; b[i] = (int) g[0].x;",
      CURED_FINDING_OUT_OF_BOUNDS, "g[8] + 4 bytes", NULL },
    { "static __constant__ short t[6]; b[i] = t[i % 7];", CURED_FINDING_OUT_OF_BOUNDS, "t[6]", NULL },
    { COPY ("", WAIT), CURED_FINDING_RACE_SHARED, "w[*", "*cp.async.wait_group*before the barrier*" },
    { COPY (WAIT, ""), -1, NULL, NULL },
    { "if (i > n) b[i] = a[i];", CURED_FINDING_NO_STORE, NULL, "no store *" },
    { "if (i < n) b[i] = a[i];", -1, NULL, NULL },
    { SWAP ("*p"), -1, NULL, NULL },
    { "int *p = (int *) a; atomicAdd (p, 1); b[i] = *p;", CURED_FINDING_RACE_GLOBAL, "a[*", NULL },
    /* clang-format on */
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (CuredKernel) kernel = make_kernel ("", rows[i].body);
      g_autoptr (CuredOutcome) outcome = run (kernel, 256, NULL);

      g_test_message ("%s", rows[i].body);
      g_assert_cmpstr (outcome->reason, ==, NULL);
      for (guint k = 0; k < outcome->findings->len; k++)
        {
          g_autofree char *text = cured_finding_to_string (outcome->findings->pdata[k]);

          g_test_message ("%s", text);
        }
      if (rows[i].finding < 0)
        {
          g_assert_cmpuint (outcome->findings->len, ==, 0);
          continue;
        }
      const CuredFinding *finding = find (outcome, (CuredFindingKind) rows[i].finding);
      g_assert_nonnull (finding);
      if (rows[i].object != NULL && !g_pattern_match_simple (rows[i].object, finding->object))
        g_error ("%s is not %s", finding->object, rows[i].object);
      if (rows[i].detail != NULL && !g_pattern_match_simple (rows[i].detail, finding->detail))
        g_error ("%s is not %s", finding->detail, rows[i].detail);
    }
}

/* The detectors see fetches as loads; those beyond the ends touch nothing. */
TEST ("/emulator-device/textures")
{
  static const struct
  {
    const char *argument, *body;
    int finding; /* -1: none */
  } rows[] = {
    { "a:texture", "b[i] = tex1Dfetch<int> (t, i + 1);", -1 },
    { "a:texture", "b[i] = tex1Dfetch<int> (t, i - n);", -1 },
    { "a:texture", "a[i] = i; b[i] = tex1Dfetch<int> (t, i);", -1 },
    { "a:texture", "a[i] = i; b[i] = tex1Dfetch<int> (t, n - 1 - i);", CURED_FINDING_RACE_GLOBAL },
    { "b:texture", "b[i] = tex1Dfetch<int> (t, i);", CURED_FINDING_UNWRITTEN },
    { "b:texture", "b[i] = i; b[i] += tex1Dfetch<int> (t, i);", -1 },
    { "7:u64", "b[i] = tex1Dfetch<int> (t, i);", CURED_FINDING_OUT_OF_BOUNDS },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (CuredKernel) kernel = make_fetch (rows[i].argument, "i32", rows[i].body);
      g_autoptr (CuredOutcome) outcome = run (kernel, 256, NULL);

      g_test_message ("%s", rows[i].body);
      if (rows[i].finding < 0)
        g_assert_cmpuint (outcome->findings->len, ==, 0);
      else
        g_assert_nonnull (find (outcome, (CuredFindingKind) rows[i].finding));
    }
}

/* A convolution whose taps a tensor map brings is what a plain one gives, and one that asks for
 * another tap is not. */
TEST ("/emulator-device/im2col")
{
  static const struct
  {
    const char *tap;
    CuredState state;
  } rows[] = {
    { "tap % 3", CURED_STATE_OK },
    { "tap % 2", CURED_STATE_WRONG },
  };
  static const gint64 sizes[][2] = { { 8, 8 }, { 5, 11 }, { 1, 3 } };
  g_autofree char *path =
      g_build_filename (g_getenv ("CURED_TEST_DATA"), "kernels", "im2col", "im2col.cu", NULL);
  g_autoptr (CuredDevice) device = open_device ("emulator");
  g_autofree char *text = NULL;

  g_assert_true (MUST (g_file_get_contents (path, &text, NULL, &fail)));
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    for (gsize k = 0; k < G_N_ELEMENTS (sizes); k++)
      {
        g_autoptr (GString) changed = g_string_new (text);
        g_autoptr (CuredOutcome) outcome = cured_outcome_new ();
        g_auto (CuredOptions) options = { 0 };

        cured_options_init (&options);
        options.check = TRUE;
        g_assert_cmpuint (g_string_replace (changed, "tap % 3", rows[i].tap, 0), ==, 1);
        g_autoptr (CuredKernel) kernel =
            MUST (cured_kernel_new_from_text (changed->str, "im2col", path, &fail));
        g_assert_true (MUST (measure (device, kernel, sizes[k], &options, outcome, NULL, &fail)));
        g_test_message ("%s: %s", rows[i].tap, outcome->reason);
        g_assert_cmpint (outcome->state, ==, rows[i].state);
        g_assert_cmpuint (outcome->findings->len, ==, 0);
      }
}

/* What a chip has no textures of can't be launched. */
TEST ("/emulator-device/texture-types")
{
  static const struct
  {
    const char *type, *argument;
    gboolean is_right;
  } rows[] = {
    { "f32", "a:texture", TRUE },
    { "f16x2", "a:texture", TRUE },
    { "u8x4", "a:texture:normalized", TRUE },
    { "f64", "a:texture", FALSE },
    { "bf16", "a:texture", FALSE },
    { "f32x3", "a:texture", FALSE },
    { "i32", "a:texture:normalized", FALSE },
    { "f32", "a:texture:normalized", FALSE },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (CuredKernel) kernel =
          make_fetch (rows[i].argument, rows[i].type, "b[i] = tex1Dfetch<int> (t, i);");
      g_autoptr (CuredOutcome) outcome = run (kernel, 256, NULL);

      g_test_message ("%s of %s", rows[i].argument, rows[i].type);
      if (rows[i].is_right)
        g_assert_cmpint (outcome->state, ==, CURED_STATE_OK);
      else
        g_assert_cmpint (outcome->state, ==, CURED_STATE_NOT_LAUNCHABLE);
    }
}

TEST ("/emulator-device/open")
{
  gsize n_profiles = 0;
  const CuredProfile *profiles = cured_profile_list (&n_profiles);
  g_autoptr (CuredDevice) device = open_device ("emulator");
  const CuredDeviceInfo *info = cured_device_get_info (device);
  g_autoptr (GPtrArray) list = cured_device_list ();
  gboolean is_listed = FALSE;

  g_assert_cmpstr (info->id, ==, "emulator:sm_90");
  g_assert_cmpstr (info->kind, ==, "emulator");
  g_assert_false (cured_device_has_time (device));
  g_assert_null (device->klass->span);
  g_assert_cmpstr (info->arch, ==, "compute_90");
  g_assert_cmpint (info->limits.shared_per_block_optin, ==, 232448);
  g_assert_cmpint (info->limits.global_bytes, >, 0);
  g_assert_true (g_str_has_prefix (info->compiler, "NVRTC"));
  for (gsize i = 0; i < n_profiles; i++)
    {
      g_autofree char *id = g_strconcat ("emulator:", profiles[i].arch, NULL);

      if (!profiles[i].is_emulated)
        continue;
      g_autoptr (CuredDevice) other = open_device (id);

      g_assert_cmpint (cured_device_get_info (other)->limits.sms, ==, profiles[i].limits.sms);
      g_assert_cmpstr (cured_device_get_info (other)->id, ==, id);
    }
  g_autoptr (CuredDevice) own = open_device ("emulator:sm_103a");
  g_assert_cmpstr (cured_device_get_info (own)->id, ==, "emulator:sm_103");
  FAILS (cured_device_open ("emulator:sm_86a", &fail), CURED_ERROR, CURED_ERROR_NO_DEVICE,
         "emulator:sm_86");
  FAILS (cured_device_open ("emulator:sm_90f", &fail), CURED_ERROR, CURED_ERROR_NO_DEVICE,
         "emulator:sm_90");
  FAILS (cured_device_open ("emulator:sm_20", &fail), CURED_ERROR, CURED_ERROR_NO_DEVICE,
         "emulator:sm_75");
  for (guint i = 0; i < list->len; i++)
    {
      const CuredDeviceFound *found = g_ptr_array_index (list, i);

      if (g_str_equal (found->id, "emulator"))
        is_listed = found->info != NULL;
    }
  g_assert_true (is_listed);
}

TEST ("/emulator-device/memory")
{
  g_autoptr (CuredDevice) device = open_device ("emulator");
  const CuredLaunchClass *launch = device->klass->launch;
  g_autoptr (GError) error = NULL;
  guint8 from[100], to[100] = { 0 };
  CuredDevicePtr a = 0, b = 0;

  for (guint i = 0; i < sizeof from; i++)
    from[i] = (guint8) (i * 7);
  g_assert_true (launch->allocate (device, 100, &a, &error));
  g_assert_true (launch->allocate (device, 100, &b, &error));
  g_assert_true (launch->upload (device, a, from, 100, &error));
  g_assert_true (launch->copy (device, b + 10, a, 90, &error));
  g_assert_true (launch->set (device, b, 0xee, 10, &error));
  g_assert_true (MUST (launch->download (device, to, b, 100, &fail)));
  g_assert_cmpint (to[9], ==, 0xee);
  g_assert_cmpmem (to + 10, 90, from, 90);
  /* Past an end. */
  FAILS (launch->upload (device, a + 1, from, 100, &fail), CURED_ERROR, CURED_ERROR_DEVICE, "");
  launch->release (device, a);
  launch->release (device, b);
}

/* 256 threads are 8 warps; each reads and writes 128 bytes in a row. */
TEST ("/emulator-device/counts")
{
  g_autoptr (CuredKernel) kernel = make_kernel ("", "b[i] = a[i] + 1;");
  g_autoptr (CuredOutcome) outcome = run (kernel, 256, NULL);
  const double *metrics = outcome->metrics;

  g_assert_cmpint (outcome->state, ==, CURED_STATE_OK);
  g_assert_cmpstr (outcome->reason, ==, NULL);
  g_assert_cmpfloat (metrics[CURED_METRIC_global_sectors], ==, 2 * 8 * 4);
  g_assert_cmpfloat (metrics[CURED_METRIC_sectors_per_request], ==, 4);
  g_assert_cmpfloat (metrics[CURED_METRIC_lanes_active], ==, 1);
  g_assert_cmpfloat (metrics[CURED_METRIC_shared_wavefronts], ==, 0);
  g_assert_cmpfloat (metrics[CURED_METRIC_barriers], ==, 0);
  g_assert_cmpfloat (metrics[CURED_METRIC_divergent_branches], ==, 0);
  g_assert_cmpfloat (metrics[CURED_METRIC_findings], ==, 0);
  g_assert_cmpfloat (metrics[CURED_METRIC_blocks_run], ==, 4);
  g_assert_cmpfloat (metrics[CURED_METRIC_grid_blocks], ==, 4);
  g_assert_cmpfloat (metrics[CURED_METRIC_instructions], >, 8 * 4);
  g_assert_cmpfloat (fmod (metrics[CURED_METRIC_instructions], 8), ==, 0);
  g_assert_cmpfloat (metrics[CURED_METRIC_registers], >, 0);
  g_assert_cmpfloat (metrics[CURED_METRIC_blocks_per_sm], ==, 32);
  /* There is no time. */
  g_assert_true (isnan (metrics[CURED_METRIC_time]));
  g_assert_true (isnan (metrics[CURED_METRIC_time_hot]));
  g_assert_null (outcome->cold);
  g_assert_null (outcome->hot);
}

/* The work of a reference kernel on the same device is not counted. */
TEST ("/emulator-device/reference")
{
  static const char checked[] = " * [Check]\n * Output=b\n * Reference=./other.cu\n *\n";
  g_autoptr (CuredDevice) device = open_device ("emulator");
  g_autoptr (CuredKernel) kernel = make_kernel (checked, "b[i] = a[i];");
  g_autoptr (CuredKernel) reference =
      make_kernel (checked, "for (int k = 0; k <= i; k++) b[i] = a[k];");
  g_autoptr (CuredKernel) same = make_kernel ("", "b[i] = a[i];");
  g_autoptr (CuredOutcome) alone = run (same, 256, NULL);
  g_autoptr (CuredOutcome) outcome = cured_outcome_new ();
  g_auto (CuredOptions) options = { 0 };
  const gint64 n = 256;
  const CuredJob job = {
    .kernel = kernel, .reference = reference, .values = &n, .options = &options
  };

  cured_options_init (&options);
  g_assert_true (MUST (cured_measure (device, &job, outcome, NULL, &fail)));
  g_assert_cmpint (outcome->state, ==, CURED_STATE_OK);
  g_assert_cmpfloat (outcome->metrics[CURED_METRIC_blocks_run], ==, 4);
  g_assert_cmpfloat (outcome->metrics[CURED_METRIC_instructions], ==,
                     alone->metrics[CURED_METRIC_instructions]);
  g_assert_cmpfloat (outcome->metrics[CURED_METRIC_global_sectors], ==,
                     alone->metrics[CURED_METRIC_global_sectors]);
}

/* A finding in a reference kernel is reported for that one, and the kernel is not called wrong. */
TEST ("/emulator-device/bad-reference")
{
  static const char checked[] = " * [Check]\n * Output=b\n * Reference=./other.cu\n *\n";
  g_autoptr (CuredDevice) device = open_device ("emulator");
  g_autoptr (CuredKernel) kernel = make_kernel (checked, "b[i] = a[i];");
  g_autoptr (CuredKernel) reference = make_kernel (checked, "b[i + 4096] = a[i];");
  g_autoptr (CuredOutcome) outcome = cured_outcome_new ();
  g_auto (CuredOptions) options = { 0 };
  const gint64 n = 256;
  const CuredJob job = {
    .kernel = kernel, .reference = reference, .values = &n, .options = &options
  };

  cured_options_init (&options);
  g_assert_true (MUST (cured_measure (device, &job, outcome, NULL, &fail)));
  g_assert_cmpint (outcome->state, ==, CURED_STATE_FAILED);
  g_assert_nonnull (strstr (outcome->reason, "The reference"));
  g_assert_nonnull (strstr (outcome->reason, "Access out of bounds"));
  g_assert_cmpuint (outcome->findings->len, ==, 0);
  g_assert_cmpuint (outcome->n_mismatches, ==, 0);
}

/* Both warps of a block write column by column: each store takes a wavefront per lane; the loads,
 * row by row, take one. */
TEST ("/emulator-device/conflicts")
{
  g_autoptr (CuredKernel) kernel =
      make_kernel ("", "__shared__ int tile[64 * 32];\n"
                       "  int t = threadIdx.x;\n"
                       "  tile[t * 32] = a[i];\n"
                       "  __syncthreads ();\n"
                       "  b[i] = t < n ? tile[(t & 31) * 32 + (t >> 5) * 1024] : 0;");
  g_autoptr (CuredOutcome) outcome = run (kernel, 64, NULL);
  const CuredFinding *finding = find (outcome, CURED_FINDING_BANK_CONFLICT);

  g_assert_cmpint (outcome->state, ==, CURED_STATE_OK);
  g_assert_cmpfloat (outcome->metrics[CURED_METRIC_shared_wavefronts], ==, 2 * 2 * 32);
  g_assert_cmpfloat (outcome->metrics[CURED_METRIC_excess_wavefronts], ==, 2 * 2 * 31);
  g_assert_cmpfloat (outcome->metrics[CURED_METRIC_barriers], ==, 2);
  /* A conflict is slow and not wrong. */
  g_assert_cmpfloat (outcome->metrics[CURED_METRIC_findings], ==, 0);
  g_assert_nonnull (finding);
  g_autofree char *text = cured_finding_to_string (finding);
  g_assert_nonnull (strstr (text, "st.shared"));
  g_assert_nonnull (strstr (text, "32 wavefronts"));
  g_assert_nonnull (strstr (text, "test.cu:"));
}

/* A column of another block's tile is found by its sectors; its rows are not. */
TEST ("/emulator-device/remote")
{
  static const gint64 values[] = { 64, 32 };
  g_autoptr (CuredKernel) column = MUST (cured_catalogue_get ("cluster/column", &fail));
  g_autoptr (CuredKernel) rows = MUST (cured_catalogue_get ("cluster/rows", &fail));
  g_autoptr (CuredDevice) device = open_device ("emulator");
  g_autoptr (CuredOutcome) outcome = cured_outcome_new ();
  g_autoptr (CuredOutcome) good = cured_outcome_new ();

  g_assert_true (MUST (measure (device, column, values, NULL, outcome, NULL, &fail)));
  g_assert_true (MUST (measure (device, rows, values, NULL, good, NULL, &fail)));
  const CuredFinding *finding = find (outcome, CURED_FINDING_BANK_CONFLICT);
  g_assert_nonnull (finding);
  g_autofree char *text = cured_finding_to_string (finding);
  g_assert_nonnull (strstr (text, "32 remote sectors per access, where 4 is ideal"));
  g_assert_cmpfloat (outcome->metrics[CURED_METRIC_remote_sectors], ==, 2048);
  g_assert_cmpfloat (outcome->metrics[CURED_METRIC_excess_wavefronts], ==, 0);
  g_assert_null (find (good, CURED_FINDING_BANK_CONFLICT));
  g_assert_cmpfloat (good->metrics[CURED_METRIC_remote_sectors], ==, 256);
}

/* Two buffers are swapped, nine launches long, after a memset. */
TEST ("/emulator-device/steps")
{
  static const char text[] =
      "/*! cured\n * [Kernel]\n * Title=Test\n * Family=test\n"
      " * [Buffer from]\n * Type=i32\n * Length=64\n * Fill=ramp\n"
      " * [Buffer to]\n * Type=i32\n * Length=64\n * Fill=poison\n"
      " * [Buffer sum]\n * Type=i32\n * Length=64\n * Fill=poison\n"
      " * [Launch 1]\n * Memset=sum\n * Value=0\n"
      " * [Launch 2]\n * Entry=step\n * Grid=1\n * Block=64\n"
      " * Arguments=from,to,sum,1.5:f64,-3,7:i64\n * Repeat=9\n * Swap=from,to\n */\n"
      "extern \"C\" __global__ void\n"
      "step (const int *from, int *to, int *sum, double x, int y, long long z)\n{\n"
      "  int i = threadIdx.x;\n"
      "  to[i] = from[i] + 1;\n"
      "  sum[i] += to[i] + (int) (x * 2) + y + (int) z;\n"
      "  if (i == 0) printf (\"%d\\n\", sum[0]);\n}\n";
  g_autoptr (CuredKernel) kernel = MUST (cured_kernel_new_from_text (text, "test", NULL, &fail));
  g_autoptr (CuredDevice) device = open_device ("emulator");
  g_autoptr (CuredOutcome) outcome = cured_outcome_new ();

  g_assert_true (MUST (measure (device, kernel, NULL, NULL, outcome, NULL, &fail)));
  g_assert_cmpstr (outcome->reason, ==, NULL);
  g_assert_cmpint (outcome->state, ==, CURED_STATE_OK);
  g_assert_cmpuint (outcome->findings->len, ==, 0);
  g_assert_cmpfloat (outcome->metrics[CURED_METRIC_blocks_run], ==, 9);
  /* 1 + 2 + … + 9, and 3 - 3 + 7 each time; an even number would begin with the unwritten
   * buffer. */
  g_assert_true (g_str_has_suffix (outcome->output, "\n108\n"));
}

/* The host adds up what blocks leave, in the buffers' type, which a parameter picks. */
static const char host_source[] =
    "/*! cured\n[Kernel]\nTitle=Test\n"
    "[Parameter type]\nKind=compile\nValues=0..3\nNames=i32,u32,f32,f64\n"
    "Default=i32\n"
    "[Parameter n]\nKind=problem\nDefault=1000\n"
    "[Buffer in]\nType=type:i32,u32,f32,f64\nLength=n\nFill=uniform\n"
    "Low=type == 0 ? -2^31 : type == 1 ? 2^30 : 0\n"
    "High=type == 0 ? 2^31 - 1 : type == 1 ? 2^32 - 1 : 1\n"
    "[Buffer partial]\nType=type:i32,u32,f32,f64\nLength=ceil(n/64)\n"
    "Fill=poison\n"
    "[Buffer out]\nType=type:i32,u32,f32,f64\nLength=1\nFill=poison\n"
    "[Launch 1]\nEntry=part\nGrid=ceil(n/64)\nBlock=32\n"
    "Arguments=in,partial,n\n"
    "[Launch 2]\nHost=sum\nFrom=partial\nTo=out\n"
    "[Check]\nOutput=out\nReference=sum\nRelative=type < 2 ? 0 : 1e-6\n*/\n"
    "#if TYPE == 0\ntypedef int T;\n#elif TYPE == 1\ntypedef unsigned T;\n"
    "#elif TYPE == 2\ntypedef float T;\n#else\ntypedef double T;\n#endif\n"
    "extern \"C\" __global__ void\npart (const T *in, T *partial, int n)\n{\n"
    "  T sum = 0;\n"
    "  if (threadIdx.x != 0)\n    return;\n"
    "  for (int i = 0; i < 64 && blockIdx.x * 64 + i < n; i++)\n"
    "    sum += in[blockIdx.x * 64 + i];\n"
    "  partial[blockIdx.x] = sum;\n}\n";

TEST ("/emulator-device/host")
{
  g_autoptr (CuredDevice) device = open_device ("emulator");
  g_autoptr (CuredKernel) kernel =
      MUST (cured_kernel_new_from_text (host_source, "test", NULL, &fail));

  for (gint64 type = 0; type < 4; type++)
    for (gint64 n = 1; n < 5000; n = n * 7 + 1)
      {
        const gint64 values[] = { type, n };
        g_autoptr (CuredOutcome) outcome = cured_outcome_new ();

        g_assert_true (MUST (measure (device, kernel, values, NULL, outcome, NULL, &fail)));
        g_assert_cmpint (outcome->state, ==, CURED_STATE_OK);
        g_assert_cmpfloat (outcome->metrics[CURED_METRIC_findings], ==, 0);
        g_assert_cmpfloat (outcome->metrics[CURED_METRIC_grid_blocks], ==, ceil ((double) n / 64));
      }
}

/* The host sends zeros, as often as it is told to; what it fetches changes nothing. */
TEST ("/emulator-device/host-copies")
{
  g_autoptr (CuredDevice) device = open_device ("emulator");
  g_autoptr (CuredKernel) kernel = MUST (
      cured_kernel_new_from_text ("/*! cured\n[Kernel]\nTitle=Test\n"
                                  "[Parameter times]\nKind=launch\nDefault=1\n"
                                  "[Buffer out]\nType=i32\nLength=32\nFill=ramp\n"
                                  "[Launch 1]\nHost=fetch-pageable\nFrom=out\n"
                                  "[Launch 2]\nHost=send\nTo=out\nRepeat=times\n"
                                  "[Launch 3]\nEntry=show\nGrid=1\nBlock=32\nArguments=out\n*/\n"
                                  "extern \"C\" int printf (const char *, ...);\n"
                                  "extern \"C\" __global__ void show (int *out)\n{\n"
                                  "  if (threadIdx.x == 7)\n    printf (\"%d\\n\", out[7]);\n}\n",
                                  "test", NULL, &fail));

  for (gint64 times = 0; times < 3; times++)
    {
      g_autoptr (CuredOutcome) outcome = cured_outcome_new ();

      g_assert_true (MUST (measure (device, kernel, &times, NULL, outcome, NULL, &fail)));
      g_assert_cmpint (outcome->state, ==, CURED_STATE_OK);
      g_assert_cmpstr (outcome->output, ==, times == 0 ? "7\n" : "0\n");
    }
}

TEST ("/emulator-device/bounds")
{
  g_autoptr (CuredKernel) kernel = make_kernel ("", "b[i] = a[i]; if (i == n - 1) b[n + 2] = 5;");
  g_autoptr (CuredOutcome) outcome = run (kernel, 64, NULL);
  const CuredFinding *finding = find (outcome, CURED_FINDING_OUT_OF_BOUNDS);

  g_assert_nonnull (finding);
  g_assert_cmpstr (finding->object, ==, "b[66]");
  g_assert_cmpstr (finding->kernel, ==, "run");
  g_assert_cmpuint (finding->here.lanes, ==, 0x80000000);
  g_assert_cmpuint (finding->here.warp, ==, 1);
  g_assert_cmpint (finding->here.line, >, 0);
  g_assert_cmpfloat (outcome->metrics[CURED_METRIC_findings], ==, 1);
}

TEST ("/emulator-device/unwritten")
{
  g_autoptr (CuredKernel) kernel = make_kernel ("", "b[i] += a[i];");
  g_autoptr (CuredOutcome) outcome = run (kernel, 64, NULL);
  const CuredFinding *finding = find (outcome, CURED_FINDING_UNWRITTEN);

  g_assert_nonnull (finding);
  g_assert_true (g_str_has_prefix (finding->object, "b["));
  /* Once it was written it may be read: by the next cell, too. */
  g_clear_pointer (&outcome, cured_outcome_free);
  g_clear_pointer (&kernel, cured_kernel_unref);
  kernel = make_kernel ("", "b[i] = 1; b[i] += a[i];");
  outcome = run (kernel, 64, NULL);
  g_assert_cmpuint (outcome->findings->len, ==, 0);
}

TEST ("/emulator-device/time-limit")
{
  g_autoptr (CuredKernel) kernel =
      make_kernel ("", "while (*(volatile const int *) a == 0) ; b[i] = 0;");
  g_auto (CuredOptions) options = { 0 };

  cured_options_init (&options);
  /* Compiling counts, and may take all of it on a busy machine. */
  options.limit_s = 1;
  g_autoptr (CuredOutcome) outcome = run (kernel, 64, &options);
  g_assert_cmpint (outcome->state, ==, CURED_STATE_TIMED_OUT);
  g_assert_nonnull (outcome->reason);
  /* Half a count is none. */
  g_assert_true (isnan (outcome->metrics[CURED_METRIC_instructions]));
}

static gpointer
cancel_thread (gpointer data)
{
  g_usleep (300000);
  g_cancellable_cancel (data);
  return NULL;
}

TEST ("/emulator-device/cancel")
{
  g_autoptr (CuredKernel) kernel =
      make_kernel ("", "while (*(volatile const int *) a == 0) ; b[i] = 0;");
  g_autoptr (CuredDevice) device = open_device ("emulator");
  g_autoptr (CuredOutcome) outcome = cured_outcome_new ();
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;
  GThread *thread = g_thread_new ("cancel", cancel_thread, cancellable);
  gint64 n = 64;

  g_assert_false (measure (device, kernel, &n, NULL, outcome, cancellable, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_thread_join (thread);
  /* The device is none the worse for it. */
  g_clear_error (&error);
  g_clear_pointer (&kernel, cured_kernel_unref);
  g_clear_pointer (&outcome, cured_outcome_free);
  kernel = make_kernel ("", "b[i] = a[i];");
  outcome = cured_outcome_new ();
  g_assert_true (measure (device, kernel, &n, NULL, outcome, NULL, &error));
  g_assert_cmpint (outcome->state, ==, CURED_STATE_OK);
}

TEST ("/emulator-device/trap")
{
  g_autoptr (CuredKernel) kernel =
      make_kernel ("", "b[i] = a[i]; if (i == 40) asm volatile (\"trap;\");");
  g_autoptr (CuredOutcome) outcome = run (kernel, 64, NULL);

  g_assert_cmpint (outcome->state, ==, CURED_STATE_FAILED);
  g_assert_nonnull (outcome->reason);
  g_assert_nonnull (find (outcome, CURED_FINDING_TRAP));
}

TEST ("/emulator-device/printf")
{
  g_autoptr (CuredKernel) kernel =
      make_kernel ("", "b[i] = a[i]; if (i == 5) printf (\"%d of %d\\n\", i, n);");
  g_autoptr (CuredOutcome) outcome = run (kernel, 64, NULL);

  g_assert_cmpint (outcome->state, ==, CURED_STATE_OK);
  g_assert_cmpstr (outcome->output, ==, "5 of 64\n");
}

TEST ("/emulator-device/blocks")
{
  g_autoptr (CuredKernel) kernel = make_kernel ("", "b[i] = a[i];");
  g_auto (CuredOptions) options = { 0 };

  cured_options_init (&options);
  options.blocks = g_strdup ("0,2,99");
  g_autoptr (CuredOutcome) outcome = run (kernel, 256, &options);
  g_assert_cmpint (outcome->state, ==, CURED_STATE_OK);
  g_assert_cmpfloat (outcome->metrics[CURED_METRIC_blocks_run], ==, 2);
  g_assert_cmpfloat (outcome->metrics[CURED_METRIC_global_sectors], ==, 32);

  g_clear_pointer (&outcome, cured_outcome_free);
  g_free (options.blocks);
  options.blocks = g_strdup ("7..9");
  outcome = run (kernel, 256, &options);
  g_assert_cmpint (outcome->state, ==, CURED_STATE_FAILED);
  g_assert_nonnull (strstr (outcome->reason, "blocks 0 to 3"));
}

/* A result that does not depend on the order comes out in every order. */
TEST ("/emulator-device/shuffle")
{
  g_autoptr (CuredDevice) device = open_device ("emulator");
  g_autoptr (GError) error = NULL;
  g_autoptr (CuredKernel) kernel = cured_catalogue_get ("reduce/two-launch", &error);
  gint64 values[8] = { 0 };
  const CuredParameter *parameters = kernel->parameters;
  gsize n_parameters = kernel->n_parameters;

  g_assert_cmpuint (n_parameters, <=, G_N_ELEMENTS (values));
  for (gsize i = 0; i < n_parameters; i++)
    values[i] = parameters[i].kind == CURED_PARAMETER_PROBLEM ? 10007 : parameters[i].default_value;
  for (guint64 shuffle = 0; shuffle < 3; shuffle++)
    {
      g_auto (CuredOptions) options = { 0 };
      g_autoptr (CuredOutcome) outcome = cured_outcome_new ();

      cured_options_init (&options);
      options.shuffle = shuffle;
      g_assert_true (MUST (measure (device, kernel, values, &options, outcome, NULL, &fail)));
      g_assert_cmpstr (outcome->reason, ==, NULL);
      g_assert_cmpint (outcome->state, ==, CURED_STATE_OK);
    }
}

/* As the chip would. */
TEST ("/emulator-device/limits")
{
  static const char body[] = "extern __shared__ int tile[];\n"
                             "  tile[threadIdx.x] = a[i]; b[i] = n;";
  static const char *const ids[] = { "emulator:sm_75", "emulator:sm_86", "emulator:sm_90" };
  gint64 n = 64;
  g_autoptr (CuredKernel) kernel = make_kernel ("", body);

  g_autofree char *text = g_strdup (kernel->source);
  {
    g_auto (GStrv) parts = g_strsplit (text, " * Arguments", 2);

    g_free (text);
    text = g_strconcat (parts[0], " * Shared=102400\n * Arguments", parts[1], NULL);
  }
  g_clear_pointer (&kernel, cured_kernel_unref);
  kernel = MUST (cured_kernel_new_from_text (text, "test", NULL, &fail));
  for (gsize i = 0; i < G_N_ELEMENTS (ids); i++)
    {
      g_autoptr (CuredDevice) device = open_device (ids[i]);
      g_autoptr (CuredOutcome) outcome = cured_outcome_new ();

      g_assert_true (MUST (measure (device, kernel, &n, NULL, outcome, NULL, &fail)));
      /* 100 KiB: more than sm_75 has at all, more than sm_86 gives one block, two blocks on
       * sm_90. */
      g_assert_cmpint (outcome->state, ==, i == 2 ? CURED_STATE_OK : CURED_STATE_NOT_LAUNCHABLE);
      if (i == 2)
        g_assert_cmpfloat (outcome->metrics[CURED_METRIC_blocks_per_sm], ==, 2);
    }
}

TEST ("/emulator-device/parameters")
{
  static const char text[] = "/*! cured\n * [Kernel]\n * Title=Test\n * Family=test\n"
                             " * [Buffer b]\n * Type=i32\n * Length=64\n * Fill=poison\n"
                             " * [Launch]\n * Entry=run\n * Grid=1\n * Block=64\n"
                             " * Arguments=b,64\n */\n"
                             "extern \"C\" __global__ void\n"
                             "run (int *b, long long n) { b[threadIdx.x] = (int) n; }\n";
  g_autoptr (CuredKernel) kernel = MUST (cured_kernel_new_from_text (text, "test", NULL, &fail));

  g_autoptr (CuredOutcome) outcome = run (kernel, 0, NULL);
  g_assert_cmpint (outcome->state, ==, CURED_STATE_FAILED);
  g_assert_nonnull (strstr (outcome->reason, "16 bytes"));
}

/* What the compiler and CUDA said of the same cells on an H200. */
TEST ("/emulator-device/recorded")
{
  g_autofree char *path =
      g_build_filename (g_getenv ("CURED_TEST_RESULTS"), "matmul-tiled-h200.cured", NULL);
  g_autoptr (CuredResult) result = MUST (cured_result_load (path, NULL, &fail));
  g_autoptr (CuredDevice) device = open_device ("emulator:sm_90");
  static const CuredMetric metrics[] = {
    CURED_METRIC_registers,   CURED_METRIC_shared_static, CURED_METRIC_shared_dynamic,
    CURED_METRIC_local_bytes, CURED_METRIC_blocks_per_sm, CURED_METRIC_occupancy,
  };
  guint n_compared = 0;

  if (!g_str_equal (cured_result_get_device (result)->compiler,
                    cured_device_get_info (device)->compiler))
    {
      g_test_skip ("recorded with another version of NVRTC");
      return;
    }
  g_autoptr (CuredKernel) kernel = cured_kernel_ref (cured_result_get_kernel (result));
  for (gint64 cell = 0; cell < cured_result_get_n_cells (result); cell += 37)
    {
      gsize n_axes;
      const CuredResultAxis *axes = cured_result_get_axes (result, &n_axes);
      g_autofree gsize *positions = g_new0 (gsize, n_axes);
      g_autofree gint64 *values = g_new0 (gint64, n_axes);
      g_autoptr (CuredOutcome) outcome = cured_outcome_new ();

      if (cured_result_get_states (result)[cell] != CURED_STATE_OK)
        continue;
      cured_result_get_positions (result, cell, positions);
      for (gsize i = 0; i < n_axes; i++)
        values[i] = g_str_equal (axes[i].name, "n")
                        ? 64
                        : cured_axis_get_value (axes[i].values, positions[i]);
      g_assert_true (MUST (measure (device, kernel, values, NULL, outcome, NULL, &fail)));
      g_assert_cmpint (outcome->state, ==, CURED_STATE_OK);
      for (gsize i = 0; i < G_N_ELEMENTS (metrics); i++)
        {
          const char *id = cured_metric_info (metrics[i])->id;
          gsize metric = 0;

          g_assert_true (cured_result_find_metric (result, id, &metric));
          g_assert_cmpfloat (outcome->metrics[metrics[i]], ==,
                             cured_result_get_value (result, cell, metric));
        }
      n_compared++;
    }
  g_assert_cmpuint (n_compared, >=, 3);
}

/* What the compiler is asked for: lines, and what options say. */
TEST ("/emulator-device/options")
{
  static const char source[] =
      "extern \"C\" __global__ void f (float *x) { *x = x[1] * x[2] + x[3]; }";
  g_autoptr (CuredDevice) device = open_device ("emulator");
  g_autoptr (CuredCompiler) compiler = cured_compiler_new (NULL);
  const char *options[] = { "--fmad=false", NULL };

  for (int is_off = 0; is_off < 2; is_off++)
    {
      g_autoptr (GBytes) ptx =
          MUST (cured_compiler_compile (compiler, source, "f.cu", is_off ? options : NULL,
                                        cured_device_get_info (device)->arch, NULL, &fail));

      const char *text = g_bytes_get_data (ptx, NULL);
      g_assert_nonnull (strstr (text, ".loc"));
      g_assert_true ((strstr (text, "fma.rn.f32") == NULL) == is_off);
    }
}

int
main (int argc, char **argv)
{
  CuredCompiler *compiler;

  g_test_init (&argc, &argv, NULL);
  g_test_summary ("The emulator as a device");
  return run_compiled_tests (&compiler, NULL);
}
