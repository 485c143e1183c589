/* SPDX-License-Identifier: MIT
 * Copies by a tensor map: what is in memory afterwards, against a walk over its elements, and what
 * is refused. */
#include <cured.h>
#include <string.h>

#include "ptx/cured-tensor-map-internal.h"
#include "test.h"

#define GLOBAL_BYTES 16384
#define SHARED_BYTES 8192
#define N_BLOCKS     2
#define DATA_BYTES   (GLOBAL_BYTES + N_BLOCKS * SHARED_BYTES)
#define N_THREADS    64

/* Thread 0 runs the body; then shared memory, from 1024 on, goes behind the tensor. %rd1 is the
 * map's address, m the barrier, s the tile. */
#define FRONT                                                                                      \
  ".version 8.3\n.target sm_90a\n.address_size 64\n"                                               \
  ".visible .entry k (.param .align 64 .b8 map[128], .param .u64 p) {\n"                           \
  ".reg .pred %p<9>; .reg .b32 %r<20>; .reg .b64 %rd<9>;\n"                                        \
  ".shared .align 8 .b8 m[8]; .shared .align 1024 .b8 s[8192];\n"                                  \
  "ld.param.u64 %rd4, [p]; mov.u64 %rd0, map; cvta.param.u64 %rd1, %rd0;\n"                        \
  "mov.u32 %r1, %tid.x; mul.lo.u32 %r2, %r1, 128; mov.u32 %r3, s;\n"                               \
  "add.u32 %r3, %r3, %r2; cvt.u64.u32 %rd2, %r2; add.u64 %rd2, %rd2, %rd4;\n"                      \
  "mov.u32 %r5, 0;\n"
#define FILL                                                                                       \
  "F: add.u32 %r6, %r3, %r5; add.u32 %r7, %r2, %r5;\n"                                             \
  "mul.lo.u32 %r7, %r7, 0x9e3779b1; shr.u32 %r7, %r7, 8;\n"                                        \
  "st.shared.u32 [%r6], %r7;\n"                                                                    \
  "add.u32 %r5, %r5, 4; setp.lt.u32 %p3, %r5, 128; @%p3 bra F;\n"                                  \
  "fence.proxy.async.shared::cta;\n"
#define INIT                                                                                       \
  "setp.ne.u32 %p1, %r1, 0; @!%p1 mbarrier.init.shared.b64 [m], 1;\n"                              \
  "bar.sync 0; @%p1 bra DONE;\n"
#define BACK                                                                                       \
  "DONE: bar.sync 0; mov.u32 %r5, 0;\n"                                                            \
  "C: add.u32 %r6, %r3, %r5; cvt.u64.u32 %rd3, %r5; add.u64 %rd3, %rd2, %rd3;\nld.shared.u32 "     \
  "%r7, [%r6]; st.global.u32 [%rd3 + 16384], %r7;\n"                                               \
  "add.u32 %r5, %r5, 4; setp.lt.u32 %p3, %r5, 128; @%p3 bra C;\nret;\n}\n"

#define SYNC                                                                                       \
  "barrier.cluster.arrive.release.aligned;\n"                                                      \
  "barrier.cluster.wait.acquire.aligned;\n"

typedef struct
{
  CuredTensorShape shape;
  gint32 at[CURED_TENSOR_RANK];
} Case;

static void
launch (const char *ptx, const guint8 *object, guint n_blocks, guint8 *data, CuredReport *report)
{
  g_autoptr (CuredMemory) memory = cured_memory_new ((guint64) 1 << 20);
  g_autoptr (CuredPtxModule) module = MUST (cured_ptx_module_parse (ptx, -1, "tensor.ptx", &fail));
  guint8 parameters[136];
  CuredLaunch run = {
    .module = module,
    .memory = memory,
    .entry = "k",
    .grid = { n_blocks, 1, 1 },
    .cluster = { n_blocks, 1, 1 },
    .block = { N_THREADS, 1, 1 },
    .parameters = parameters,
    .parameters_bytes = sizeof parameters,
    .watch = CURED_WATCH_RACES,
    .max_instructions = 1000000,
    .threads = 1,
  };
  CuredTensorShape shape;
  guint64 address, old;

  MUST (cured_memory_allocate (memory, DATA_BYTES, &address, &fail));
  MUST (cured_ptx_module_link (module, memory, &fail));
  memcpy (parameters, object, 128);
  if (cured_tensor_shape_decode (&shape, &old, object))
    cured_tensor_shape_encode (&shape, address, parameters);
  memcpy (parameters + 128, &address, 8);
  memcpy (cured_memory_map (memory, address, DATA_BYTES), data, DATA_BYTES);
  MUST (cured_emulator_launch (&run, report, NULL, &fail));
  memcpy (data, cured_memory_map (memory, address, DATA_BYTES), DATA_BYTES);
}

static char *
write_coordinates (const Case *self)
{
  GString *text = g_string_new ("{");

  for (guint i = 0; i < self->shape.rank; i++)
    g_string_append_printf (text, "%s%d", i > 0 ? ", " : "", self->at[i]);
  return g_string_free (g_string_append_c (text, '}'), FALSE);
}

static guint
count (const CuredTensorShape *shape, guint i)
{
  guint step = i == 0 ? 1 : shape->steps[i];

  return (shape->box[i] + step - 1) / step;
}

/* Where element @index of the box is in global memory, -1: out of bounds; and in shared memory. */
static gint64
locate (const Case *self, guint index, guint *shared)
{
  const CuredTensorShape *shape = &self->shape;
  guint bytes = (guint) cured_tensor_type_get_size (shape->type);
  gint64 global = 0;

  guint row = count (shape, 0);

  *shared = index / row * MAX (row * bytes, shape->swizzle) + index % row * bytes;
  if (shape->swizzle == 128)
    *shared ^= (*shared / 128 % 8) * 16;
  else if (shape->swizzle == 64)
    *shared ^= (*shared / 128 % 4) * 16;
  else if (shape->swizzle == 32)
    *shared ^= (*shared / 128 % 2) * 16;
  for (guint i = 0; i < shape->rank; i++)
    {
      gint64 at = self->at[i] +
                  (gint64) (index % count (shape, i)) * (i == 0 ? 1 : (gint64) shape->steps[i]);

      index /= count (shape, i);
      if (at < 0 || at >= (gint64) shape->dims[i])
        return -1;
      global += at * (i == 0 ? bytes : (gint64) shape->strides[i - 1]);
    }
  return global;
}

static guint
count_all (const CuredTensorShape *shape)
{
  guint n = 1;

  for (guint i = 0; i < shape->rank; i++)
    n *= count (shape, i);
  return n;
}

static void
fill (guint8 *data)
{
  for (guint i = 0; i < DATA_BYTES; i++)
    data[i] = (guint8) (i * 167 + i / 256 * 29);
}

static const Case cases[] = {
  { { CURED_TENSOR_U8, 1, { 1000 }, { 0 }, { 64 }, { 1 } }, { 16 } },
  { { CURED_TENSOR_F32, 1, { 100 }, { 0 }, { 128 }, { 1 } }, { -4 } },
  { { CURED_TENSOR_F32, 2, { 40, 20 }, { 160 }, { 32, 8 }, { 1, 1 }, 128 }, { 0, 3 } },
  { { CURED_TENSOR_BF16, 2, { 72, 40 }, { 144 }, { 64, 16 }, { 1, 1 }, 128 }, { 8, 30 } },
  { { CURED_TENSOR_U16, 2, { 64, 16 }, { 128 }, { 32, 16 }, { 1, 1 }, 64 }, { 8, 0 } },
  { { CURED_TENSOR_U16, 2, { 64, 16 }, { 128 }, { 32, 16 }, { 1, 1 }, 128 }, { 8, 0 } },
  { { CURED_TENSOR_F64, 2, { 9, 16 }, { 80 }, { 4, 16 }, { 1, 1 }, 32 }, { 6, -2 } },
  { { CURED_TENSOR_I32, 2, { 30, 33 }, { 128 }, { 8, 16 }, { 1, 3 } }, { -4, 5 } },
  { { CURED_TENSOR_F16, 3, { 24, 5, 6 }, { 48, 256 }, { 16, 3, 4 }, { 1, 1, 2 }, 32, 0, 0, TRUE },
    { 8, -1, 1 } },
  { { CURED_TENSOR_F32,
      4,
      { 8, 3, 4, 3 },
      { 32, 96, 512 },
      { 4, 2, 3, 2 },
      { 1, 1, 1, 1 },
      0,
      0,
      0,
      TRUE },
    { 4, 2, 1, -1 } },
  { { CURED_TENSOR_U64,
      5,
      { 4, 3, 2, 2, 2 },
      { 32, 96, 192, 384 },
      { 2, 2, 2, 1, 2 },
      { 1, 2, 1, 1, 1 } },
    { 2, 1, 0, 1, 1 } },
};

static gboolean
is_nan (const guint8 *at, guint bytes)
{
  static const guint8 nan[] = { 0xf7, 0x7f, 0xf7, 0x7f };

  return memcmp (at, nan, bytes) == 0;
}

static void
test_in (gconstpointer user_data)
{
  const Case *self = user_data;
  const CuredTensorShape *shape = &self->shape;
  guint bytes = (guint) cured_tensor_type_get_size (shape->type);
  guint n = count_all (shape);
  g_autofree char *at = write_coordinates (self);
  g_autofree char *body =
      g_strdup_printf ("mbarrier.arrive.expect_tx.shared.b64 _, [m], %u;\n"
                       "prefetch.tensormap [%%rd1];\n"
                       "cp.async.bulk.prefetch.tensor.%ud.L2.global.tile [%%rd1, %s];\n"
                       "mov.u32 %%r9, s; mov.u32 %%r10, m;\n"
                       "cp.async.bulk.tensor.%ud.shared::cluster.global.tile.mbarrier::complete_tx:"
                       ":bytes [%%r9], [%%rd1, %s], [%%r10];\n"
                       "W: mbarrier.try_wait.parity.shared.b64 %%p2, [m], 0; @!%%p2 bra W;\n",
                       n * bytes, shape->rank, at, shape->rank, at);
  g_autofree char *ptx = g_strconcat (FRONT INIT, body, BACK, NULL);
  g_autofree guint8 *data = g_malloc (DATA_BYTES);
  g_auto (CuredReport) report = { 0 };
  guint8 object[CURED_TENSOR_MAP_BYTES];
  guint n_outside = 0;

  cured_tensor_shape_encode (shape, 0, object);
  fill (data);
  g_autofree guint8 *before = g_memdup2 (data, DATA_BYTES);
  launch (ptx, object, 1, data, &report);
  g_assert_cmpint (report.end, ==, CURED_END_DONE);
  for (guint i = 0; i < n; i++)
    {
      static const guint8 zeros[8];
      guint shared;
      gint64 global = locate (self, i, &shared);
      const guint8 *got = data + GLOBAL_BYTES + shared;

      n_outside += global < 0;
      if (global >= 0)
        g_assert_cmpmem (got, bytes, before + global, bytes);
      else if (shape->fills_nan)
        g_assert_true (is_nan (got, bytes));
      else
        g_assert_cmpmem (got, bytes, zeros, bytes);
    }
  g_test_message ("%u of %u elements out of bounds", n_outside, n);
}

static void
test_out (gconstpointer user_data)
{
  const Case *self = user_data;
  const CuredTensorShape *shape = &self->shape;
  guint bytes = (guint) cured_tensor_type_get_size (shape->type);
  gboolean is_added = shape->type == CURED_TENSOR_I32;
  Case written = *self;
  g_autofree char *at = NULL;
  g_autofree guint8 *data = g_malloc (DATA_BYTES);
  g_auto (CuredReport) report = { 0 };
  guint8 object[CURED_TENSOR_MAP_BYTES];

  for (guint i = 0; i < shape->rank; i++)
    written.at[i] = ABS (self->at[i]);
  at = write_coordinates (&written);
  g_autofree char *body = g_strdup_printf (
      "mov.u32 %%r9, s;\n"
      "cp.%sasync.bulk.tensor.%ud.global.shared::cta%s.tile.bulk_group [%%rd1, %s], [%%r9];\n"
      "cp.async.bulk.commit_group;\n"
      "cp.async.bulk.wait_group 0;\n",
      is_added ? "reduce." : "", shape->rank, is_added ? ".add" : "", at);
  g_autofree char *ptx = g_strconcat (FRONT FILL INIT, body, BACK, NULL);
  /* The last 16 bytes of a row are written whole. */
  written.shape.dims[0] = (shape->dims[0] * bytes + 15) / 16 * 16 / bytes;
  cured_tensor_shape_encode (shape, 0, object);
  fill (data);
  g_autofree guint8 *before = g_memdup2 (data, DATA_BYTES);
  launch (ptx, object, 1, data, &report);
  g_assert_cmpint (report.end, ==, CURED_END_DONE);
  g_assert_cmpuint (report.findings->len, ==, 0);
  /* What is in shared memory was copied behind the tensor. */
  for (guint i = 0; i < count_all (shape); i++)
    {
      guint shared;
      gint64 global = locate (&written, i, &shared);
      guint32 sum, a, b;

      if (global < 0)
        continue;
      if (!is_added)
        {
          memcpy (before + global, data + GLOBAL_BYTES + shared, bytes);
          continue;
        }
      memcpy (&a, before + global, 4);
      memcpy (&b, data + GLOBAL_BYTES + shared, 4);
      sum = a + b;
      memcpy (before + global, &sum, 4);
    }
  g_assert_cmpmem (data, GLOBAL_BYTES, before, GLOBAL_BYTES);
}

/* One copy to both blocks of a cluster, of which each tells what it got. */
TEST ("/tensor/multicast")
{
  const Case *self = &cases[2];
  guint n = count_all (&self->shape);
  g_autofree char *at = write_coordinates (self);
  g_autofree char *body =
      g_strdup_printf ("setp.ne.u32 %%p1, %%r1, 0; mov.u32 %%r8, %%cluster_ctarank;\n"
                       "mul.wide.u32 %%rd5, %%r8, %d; add.u64 %%rd2, %%rd2, %%rd5;\n"
                       "@!%%p1 mbarrier.init.shared.b64 [m], 1;\n"
                       "@!%%p1 mbarrier.arrive.expect_tx.shared.b64 _, [m], %u;\n" SYNC
                       "setp.ne.u32 %%p4, %%r8, 0; or.pred %%p4, %%p4, %%p1;\n"
                       "{ .reg .b16 h; mov.b16 h, 3;\n"
                       "@!%%p4 "
                       "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::"
                       "bytes.multicast::cluster [s], [%%rd1, %s], [m], h; }\n"
                       "W: mbarrier.try_wait.parity.shared.b64 %%p2, [m], 0; @!%%p2 bra W;\n" SYNC,
                       SHARED_BYTES, 4 * n, at);
  g_autofree char *ptx = g_strconcat (FRONT, body, BACK, NULL);
  g_autofree guint8 *data = g_malloc (DATA_BYTES);
  g_auto (CuredReport) report = { 0 };
  guint8 object[CURED_TENSOR_MAP_BYTES];

  cured_tensor_shape_encode (&self->shape, 0, object);
  fill (data);
  g_autofree guint8 *before = g_memdup2 (data, DATA_BYTES);
  launch (ptx, object, N_BLOCKS, data, &report);
  g_assert_cmpint (report.end, ==, CURED_END_DONE);
  g_assert_cmpuint (report.findings->len, ==, 0);
  for (guint i = 0; i < N_BLOCKS * n; i++)
    {
      guint shared;
      gint64 global = locate (self, i % n, &shared);

      g_assert_cmpint (global, >=, 0);
      g_assert_cmpmem (data + GLOBAL_BYTES + i / n * SHARED_BYTES + shared, 4, before + global, 4);
    }
}

/* The first finding's text of a copy by @object; @at: the coordinates, without braces; @where: from
 * the first byte of shared memory, or NULL for a copy out of it. */
/* ---- Maps that the kernel changes ---- */

/* Warp 0 has a copy of the map in shared memory, @changes made there or, by a copy to it, in global
 * memory; %rd6 is that. */
#define VARIABLE ".global .align 128 .b8 g[128];\n"
#define TAKE                                                                                       \
  ".shared .align 128 .b8 t[128];\n"                                                               \
  "mov.u64 %rd6, g; mov.u32 %r13, t; setp.gt.u32 %p4, %r1, 31;\n"                                  \
  "@%p4 bra P;\n"                                                                                  \
  "mul.lo.u32 %r11, %r1, 4; cvt.u64.u32 %rd5, %r11;\n"                                             \
  "add.u64 %rd5, %rd5, %rd1; ld.u32 %r12, [%rd5]; add.u32 %r14, %r13, %r11;\n"                     \
  "st.shared.u32 [%r14], %r12; bar.warp.sync 0xffffffff;\n"                                        \
  "setp.ne.u32 %p5, %r1, 0;\n"
#define GIVE                                                                                       \
  "bar.warp.sync 0xffffffff;\n"                                                                    \
  "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned "        \
  "[%rd6], [%r13], 128;\n"
#define ACQUIRE "fence.proxy.tensormap::generic.acquire.gpu [%rd6], 128;\n"
#define RELEASE "fence.proxy.tensormap::generic.release.gpu;\n"
#define CHANGE  "tensormap.replace.tile.global_dim.global.b1024.b32 [%rd6], 0, 24;\n"
#define COPY(bytes, dimensions, at)                                                                \
  "mbarrier.arrive.expect_tx.shared.b64 _, [m], " bytes ";\n"                                      \
  "mov.u32 %r9, s; mov.u32 %r10, m;\n"                                                             \
  "cp.async.bulk.tensor." dimensions                                                               \
  ".shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r9], [%rd6, {" at "}], [%r10];\n"   \
  "W: mbarrier.try_wait.parity.shared.b64 %p2, [m], 0; @!%p2 bra W;\n"

/* FRONT, after a variable that precedes a kernel. */
static char *
put_variable (const char *rest)
{
  const char *entry = strstr (FRONT, ".visible");
  g_autofree char *head = g_strndup (FRONT, (gsize) (entry - FRONT));

  return g_strconcat (head, VARIABLE, entry, rest, NULL);
}

static void
append_change (GString *text, const char *field, int index, guint64 value)
{
  gboolean is_wide = g_str_equal (field, "global_stride");

  g_string_append_printf (text, "@!%%p5 tensormap.replace.tile.%s.shared::cta.b1024.%s [%%r13], ",
                          field, is_wide ? "b64" : "b32");
  if (index >= 0)
    g_string_append_printf (text, "%d, ", index);
  g_string_append_printf (text, "%" G_GUINT64_FORMAT ";\n", value);
}

/* Whatever the map was, it is that of the case. */
static char *
write_changes (const CuredTensorShape *shape)
{
  /* PTX ISA 9.0, Tensormap: by our type. */
  static const guint8 types[] = { 0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 8, 11, 12 };
  GString *text = g_string_new (TAKE);

  g_string_append (
      text, "@!%p5 tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%r13], %rd4;\n");
  append_change (text, "rank", -1, shape->rank - 1);
  append_change (text, "elemtype", -1, types[shape->type]);
  append_change (text, "interleave_layout", -1, shape->interleave / 16);
  append_change (text, "swizzle_mode", -1,
                 shape->swizzle == 0 ? 0 : (guint) g_bit_nth_lsf (shape->swizzle, -1) - 4);
  append_change (text, "fill_mode", -1, shape->fills_nan ? 1 : 0);
  for (guint i = 0; i < shape->rank; i++)
    {
      append_change (text, "global_dim", (int) i, shape->dims[i]);
      append_change (text, "box_dim", (int) i, shape->box[i]);
      append_change (text, "element_stride", (int) i, shape->steps[i]);
      if (i > 0)
        append_change (text, "global_stride", (int) i - 1, shape->strides[i - 1]);
    }
  g_string_append (text, GIVE "P:\n");
  return g_string_free (text, FALSE);
}

/* A copy by a map that was changed into that of the case does what one by that does. */
static void
test_changed (gconstpointer user_data)
{
  static const CuredTensorShape other = { CURED_TENSOR_U32,
                                          5,
                                          { 7, 6, 5, 4, 3 },
                                          { 32, 192, 960, 3840 },
                                          { 4, 2, 2, 2, 2 },
                                          { 1, 2, 1, 1, 1 },
                                          64,
                                          0,
                                          0,
                                          FALSE };
  const Case *self = user_data;
  const CuredTensorShape *shape = &self->shape;
  g_autofree char *at = write_coordinates (self);
  g_autofree char *coordinates = g_strndup (at + 1, strlen (at) - 2);
  g_autofree char *changes = write_changes (shape);
  g_autofree char *copy =
      g_strdup_printf ("mbarrier.arrive.expect_tx.shared.b64 _, [m], %u;\n"
                       "mov.u32 %%r9, s; mov.u32 %%r10, m;\n"
                       "cp.async.bulk.tensor.%ud.shared::cluster.global.tile.mbarrier::complete_tx:"
                       ":bytes [%%r9], [%%rd6, {%s}], [%%r10];\n"
                       "W: mbarrier.try_wait.parity.shared.b64 %%p2, [m], 0; @!%%p2 bra W;\n",
                       count_all (shape) * (guint) cured_tensor_type_get_size (shape->type),
                       shape->rank, coordinates);
  g_autofree char *rest = NULL;
  guint8 object[CURED_TENSOR_MAP_BYTES];
  g_autofree guint8 *data = g_malloc (DATA_BYTES);
  g_autofree guint8 *expected = NULL;

  for (guint turn = 0; turn < 2; turn++)
    {
      g_auto (CuredReport) report = { 0 };

      rest = g_strconcat (turn == 0 ? "mov.u64 %rd6, %rd1;\n" : changes, INIT,
                          turn == 0 ? "" : ACQUIRE, copy, BACK, NULL);
      g_autofree char *ptx = put_variable (rest);
      cured_tensor_shape_encode (turn == 0 ? shape : &other, 0, object);
      fill (data);
      launch (ptx, object, 1, data, &report);
      g_assert_cmpint (report.end, ==, CURED_END_DONE);
      g_assert_cmpuint (report.findings->len, ==, 0);
      if (turn == 0)
        expected = g_memdup2 (data, DATA_BYTES);
      g_clear_pointer (&rest, g_free);
    }
  g_assert_cmpmem (data, DATA_BYTES, expected, DATA_BYTES);
}

/* A change that a copy need not see is found, and one that it has to see is not. */
TEST ("/tensor/fences")
{
  static const CuredTensorShape line = { CURED_TENSOR_F32, 1, { 64 }, { 0 }, { 32 }, { 1 } };
  static const struct
  {
    const char *before; /* by warp 0 */
    const char *after;  /* by thread 0 */
    const char *text;   /* NULL: nothing */
  } cases_of_fences[] = {
    { GIVE, ACQUIRE, NULL },
    { GIVE, "", "acquire of its address" },
    { ACQUIRE GIVE, "", "acquire of its address" },
    { GIVE "@!%p5 " CHANGE, ACQUIRE, "release has to follow" },
    { GIVE "@!%p5 " CHANGE RELEASE, ACQUIRE, NULL },
    { GIVE "@!%p5 " CHANGE, RELEASE ACQUIRE, NULL },
    { GIVE "@!%p5 " CHANGE RELEASE, "", "acquire of its address" },
    { GIVE "@!%p5 " CHANGE, ACQUIRE RELEASE, "acquire of its address" },
    { GIVE, ACQUIRE CHANGE, "release has to follow" },
    { GIVE, ACQUIRE CHANGE RELEASE ACQUIRE, NULL },
  };
  guint8 object[CURED_TENSOR_MAP_BYTES];

  cured_tensor_shape_encode (&line, 0, object);
  for (gsize i = 0; i < G_N_ELEMENTS (cases_of_fences); i++)
    {
      g_autofree char *rest =
          g_strconcat (TAKE, cases_of_fences[i].before, "P:\n", INIT, cases_of_fences[i].after,
                       COPY ("128", "1d", "0"), BACK, NULL);
      g_autofree char *ptx = put_variable (rest);
      g_autofree guint8 *data = g_malloc0 (DATA_BYTES);
      g_auto (CuredReport) report = { 0 };

      launch (ptx, object, 1, data, &report);
      g_test_message ("%zu", i);
      g_assert_cmpint (report.end, ==, CURED_END_DONE);
      g_assert_cmpuint (report.findings->len, ==, cases_of_fences[i].text != NULL ? 1 : 0);
      if (cases_of_fences[i].text == NULL)
        continue;
      const CuredFinding *finding = report.findings->pdata[0];
      g_assert_cmpint (finding->kind, ==, CURED_FINDING_RACE_GLOBAL);
      g_assert_nonnull (strstr (finding->detail, cases_of_fences[i].text));
      g_assert_cmpstr (finding->there.what, ==, "write");
    }
}

static void
assert_refused (const guint8 *object, const char *where, const char *at, const char *what)
{
  g_autofree char *body =
      where == NULL
          ? g_strdup_printf ("mov.u32 %%r9, s;\n"
                             "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%%rd1, "
                             "{%s}], [%%r9];\n",
                             at)
          : g_strdup_printf ("mbarrier.arrive.expect_tx.shared.b64 _, [m], 128;\n"
                             "mov.u32 %%r9, s; mov.u32 %%r10, m;\n"
                             "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::"
                             "complete_tx::bytes [%%r9%s], [%%rd1, {%s}], [%%r10];\n",
                             where, at);
  g_autofree char *ptx = g_strconcat (FRONT INIT, body, BACK, NULL);
  g_autofree guint8 *data = g_malloc0 (DATA_BYTES);
  g_auto (CuredReport) report = { 0 };

  launch (ptx, object, 1, data, &report);
  g_assert_cmpuint (report.findings->len, >, 0);
  const CuredFinding *finding = report.findings->pdata[0];
  g_test_message ("%s", finding->detail);
  g_assert_nonnull (strstr (finding->detail, what));
}

TEST ("/tensor/refused")
{
  static const CuredTensorShape line = { CURED_TENSOR_F32, 1, { 64 }, { 0 }, { 32 }, { 1 } };
  static const CuredTensorShape plane = { CURED_TENSOR_F32, 2,         { 64, 8 },
                                          { 256 },          { 32, 4 }, { 1, 1 } };
  static const CuredTensorShape huge = { CURED_TENSOR_F32, 2,       { 64, 8 }, { 256 },
                                         { 256, 256 },     { 1, 1 } };
  guint8 object[CURED_TENSOR_MAP_BYTES] = { 0 };

  assert_refused (object, "", "0, 0", "no tensor map");
  cured_tensor_shape_encode (&line, 0, object);
  assert_refused (object, "", "0, 0", "another number of dimensions");
  cured_tensor_shape_encode (&huge, 0, object);
  assert_refused (object, "", "0, 0", "where the block has");
  cured_tensor_shape_encode (&plane, 0, object);
  assert_refused (object, " + 64", "0, 0", "not a multiple of 128");
  assert_refused (object, " + 7936", "0, 0", "where the block has");
  assert_refused (object, "", "-1, 0", "no multiple of 16 bytes");
  assert_refused (object, "", "6, 0", "no multiple of 16 bytes");
  assert_refused (object, NULL, "6, 0", "no multiple of 16 bytes");
  assert_refused (object, NULL, "-4, 0", "negative");
  assert_refused (object, NULL, "4, -1", "negative");
}

TEST ("/tensor/syntax")
{
  static const struct
  {
    const char *body, *message;
  } bodies[] = {
    { "cp.async.bulk.tensor.2d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%r9], "
      "[%rd1, {0, 0}], [%r10];",
      "offsets in braces belong here" },
    { "cp.async.bulk.tensor.2d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%r9], "
      "[%rd1, {0, 0}], [%r10], {0};",
      "takes .3d to .5d with .im2col" },
    { "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r9], "
      "[%rd1, {0, 0, 0}], [%r10];",
      "as many coordinates as dimensions" },
    { "cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r9], "
      "[%rd1, {0}];",
      "the address of a barrier" },
    { "cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r9], "
      "[%rd1, 0], [%r10];",
      "coordinates" },
    { "ld.global.u32 %r9, [%rd1, {0}];", "without coordinates" },
    { "cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r9], "
      "[%rd1, {0}], [%r10], %h1;",
      "takes 2 to 3 operands" },
    { "cp.async.bulk.tensor.1d.shared::cta.global.tile.mbarrier::complete_tx::bytes.multicast::"
      "cluster [%r9], [%rd1, {0}], [%r10], %h1;",
      "needs .shared::cluster" },
    { "tensormap.replace.tile.global_address.global.b1024.b32 [%rd1], 1;",
      "not .global_address for .b32" },
    { "tensormap.replace.tile.rank.global.b1024.b32 [%rd1], 1, 2;", "takes a value alone" },
    { "tensormap.replace.tile.box_dim.global.b1024.b32 [%rd1], 1;", "a dimension and a value" },
    { "tensormap.replace.tile.global.b1024.b32 [%rd1], 1;", "needs .rank" },
    { "tensormap.replace.tile.rank.global.b32 [%rd1], 1;", "needs .b1024" },
    { "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned "
      "[%rd1], [%r1], 64;",
      "takes 128 bytes" },
    { "fence.proxy.tensormap::generic.acquire.gpu [%rd1], 64;", "takes 128 bytes" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (bodies); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autofree char *ptx =
          g_strconcat (FRONT ".reg .b16 %h<2>;\n", bodies[i].body, "ret;\n}\n", NULL);
      CuredPtxModule *module = cured_ptx_module_parse (ptx, -1, "tensor.ptx", &error);

      g_assert_null (module);
      g_test_message ("%s", error->message);
      g_assert_nonnull (strstr (error->message, bodies[i].message));
    }
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *in = g_strdup_printf ("/tensor/in/%zu", i);
      g_autofree char *out = g_strdup_printf ("/tensor/out/%zu", i);
      g_autofree char *changed = g_strdup_printf ("/tensor/changed/%zu", i);

      g_test_add_data_func (in, &cases[i], test_in);
      g_test_add_data_func (out, &cases[i], test_out);
      g_test_add_data_func (changed, &cases[i], test_changed);
    }
  return run_tests ();
}
