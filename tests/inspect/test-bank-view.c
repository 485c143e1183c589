/* SPDX-License-Identifier: MIT
 * What a warp does to the banks, seen through the emulator: sites, patterns, sums, and the machine
 * code's widths. */
#include <cured.h>
#include <string.h>
#include "inspect/cured-bank-view-internal.h"
#include "inspect/cured-loaded-program-private.h"
#include "test-compiled.h"
#include "test.h"

/* A column of a tile: every lane in one bank, unless the rows are padded. */
static const char column_source[] = "/*! cured\n * [Kernel]\n * Title=Column\n *\n"
                                    " * [Parameter pad]\n * Kind=compile\n * Values=0,1\n"
                                    " * Default=0\n *\n"
                                    " * [Buffer in]\n * Type=f32\n * Length=1024\n * Fill=ramp\n"
                                    " *\n"
                                    " * [Buffer out]\n * Type=f32\n * Length=1024\n * Fill=poison\n"
                                    " *\n"
                                    " * [Launch]\n * Entry=column\n * Grid=1\n * Block=32,8\n"
                                    " * Arguments=in,out\n */\n"
                                    "extern \"C\" __global__ void\n"
                                    "column (const float *in, float *out)\n{\n"
                                    "  __shared__ float tile[32][32 + PAD];\n\n"
                                    "  for (int row = threadIdx.y; row < 32; row += 8)\n"
                                    "    tile[row][threadIdx.x] = in[32 * row + threadIdx.x];\n"
                                    "  __syncthreads ();\n"
                                    "  for (int row = threadIdx.y; row < 32; row += 8)\n"
                                    "    out[32 * row + threadIdx.x] = tile[threadIdx.x][row];\n"
                                    "}\n";

/* Atomics whose result is used, and is not; a broadcast; half a warp; code that goes through a
 * pointer of which the compiler does not know the space. */
static const char mixed_source[] = "/*! cured\n * [Kernel]\n * Title=Mixed\n *\n"
                                   " * [Buffer out]\n * Type=u32\n * Length=4096\n * Fill=poison\n"
                                   " *\n"
                                   " * [Launch 1]\n * Memset=out\n * Value=0\n *\n"
                                   " * [Launch 2]\n * Entry=nothing\n * Grid=4\n * Block=64\n"
                                   " * Arguments=out\n *\n"
                                   " * [Launch 3]\n * Entry=mixed\n * Grid=2\n * Block=64\n"
                                   " * Shared=256\n * Arguments=out\n */\n"
                                   "extern \"C\" __global__ void\nnothing (unsigned *out)\n{\n"
                                   "  out[blockIdx.x * 64 + threadIdx.x] = 3 * threadIdx.x;\n}\n"
                                   "extern \"C\" __global__ void\nmixed (unsigned *out)\n{\n"
                                   "  extern __shared__ unsigned words[];\n"
                                   "  unsigned x = 0;\n"
                                   "  words[threadIdx.x] = out[threadIdx.x];\n"
                                   "  __syncthreads ();\n"
                                   "  atomicAdd (&words[0], 1u);\n"
                                   "  atomicAdd (&words[1], threadIdx.x);\n"
                                   "  x = atomicAdd (&words[2], threadIdx.x);\n"
                                   "  x += atomicExch (&words[3], threadIdx.x);\n"
                                   "  x += atomicCAS (&words[4], 1u, 2u);\n"
                                   "  x += (unsigned) atomicAdd ((float *) &words[6], 1.0f);\n"
                                   "  __syncthreads ();\n"
                                   "  x += ((volatile unsigned *) words)[5];\n"
                                   "  if ((threadIdx.x & 1) != 0)\n"
                                   "    x += ((volatile unsigned *) words)[threadIdx.x];\n"
                                   "  out[64 * (blockIdx.x + 4) + threadIdx.x] = x;\n}\n";

/* Rows of 130 bytes: four of the matrices' rows are aligned, and the others are not. */
static const char rows_source[] =
    "/*! cured\n * [Kernel]\n * Title=Rows\n *\n"
    " * [Parameter pad]\n * Kind=compile\n * Values=1,8\n * Default=1\n *\n"
    " * [Buffer out]\n * Type=u32\n * Length=32\n * Fill=poison\n *\n"
    " * [Launch]\n * Entry=rows\n * Grid=1\n * Block=32\n * Arguments=out\n */\n"
    "extern \"C\" __global__ void\nrows (unsigned *out)\n{\n"
    "  __shared__ __align__ (16) unsigned short tile[32][64 + PAD];\n"
    "  unsigned a, b, c, d;\n\n"
    "  for (int i = threadIdx.x; i < 32 * (64 + PAD); i += 32)\n"
    "    tile[0][i] = i;\n"
    "  __syncthreads ();\n"
    "  asm volatile (\"ldmatrix.sync.aligned.m8n8.x4.shared.b16 \"\n"
    "    \"{%0, %1, %2, %3}, [%4];\" : \"=r\" (a), \"=r\" (b), \"=r\" (c),\n"
    "    \"=r\" (d) : \"r\" ((unsigned) __cvta_generic_to_shared (\n"
    "    &tile[threadIdx.x][0])));\n"
    "  out[threadIdx.x] = a + b + c + d;\n}\n";

/* Lanes send words to the other block of a cluster, and add words there, step by step. */
static const char sent_source[] =
    "/*! cured\n * [Kernel]\n * Title=Sent\n *\n"
    " * [Parameter step]\n * Kind=compile\n * Values=1,33\n * Default=1\n *\n"
    " * [Buffer out]\n * Type=u32\n * Length=64\n * Fill=poison\n *\n"
    " * [Launch]\n * Entry=sent\n * Grid=2\n * Block=32\n * Cluster=2\n * Arguments=out\n */\n"
    "#define MEET() asm volatile (\"barrier.cluster.arrive; barrier.cluster.wait;\" ::: "
    "\"memory\")\n"
    "extern \"C\" __global__ void\nsent (unsigned *out)\n{\n"
    "  __shared__ unsigned words[2112];\n"
    "  __shared__ __align__ (8) unsigned long long done;\n"
    "  unsigned to = __cvta_generic_to_shared (&words[threadIdx.x * STEP]);\n"
    "  unsigned bar = __cvta_generic_to_shared (&done), own = bar, is_done = 0;\n\n"
    "  for (int i = threadIdx.x; i < 2112; i += 32)\n    words[i] = 0;\n"
    "  asm (\"mapa.shared::cluster.u32 %0, %0, %1;\" : \"+r\" (to) : \"r\" (blockIdx.x ^ 1));\n"
    "  asm (\"mapa.shared::cluster.u32 %0, %0, %1;\" : \"+r\" (bar) : \"r\" (blockIdx.x ^ 1));\n"
    "  if (threadIdx.x == 0)\n"
    "    asm volatile (\"mbarrier.init.shared.b64 [%0], 1;\"\n"
    "      \"mbarrier.arrive.expect_tx.shared.b64 _, [%0], 256;\" :: \"r\" (own) : \"memory\");\n"
    "  MEET ();\n"
    "  asm volatile (\"st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 \"\n"
    "    \"[%0], 5, [%1];\" :: \"r\" (to), \"r\" (bar) : \"memory\");\n"
    "  asm volatile (\"red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.\"\n"
    "    \"add.u32 [%0+4224], 7, [%1];\" :: \"r\" (to), \"r\" (bar) : \"memory\");\n"
    "  while (is_done == 0)\n"
    "    asm volatile (\"{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0;\"\n"
    "      \"selp.u32 %0, 1, 0, p; }\" : \"=r\" (is_done) : \"r\" (own) : \"memory\");\n"
    "  out[blockIdx.x * 32 + threadIdx.x] = words[threadIdx.x * STEP];\n"
    "  MEET ();\n}\n";

/* 64 bits of another block: an addition, which has a rule, and a maximum, which has none. */
static const char reduced_source[] =
    "/*! cured\n * [Kernel]\n * Title=Reduced\n *\n"
    " * [Buffer out]\n * Type=u32\n * Length=64\n * Fill=poison\n *\n"
    " * [Launch]\n * Entry=reduced\n * Grid=2\n * Block=32\n * Cluster=2\n * Arguments=out\n */\n"
    "#define MEET() asm volatile (\"barrier.cluster.arrive; barrier.cluster.wait;\" ::: "
    "\"memory\")\n"
    "extern \"C\" __global__ void\nreduced (unsigned *out)\n{\n"
    "  __shared__ unsigned long long words[32];\n"
    "  unsigned to = __cvta_generic_to_shared (&words[threadIdx.x]);\n\n"
    "  words[threadIdx.x] = 0;\n"
    "  asm (\"mapa.shared::cluster.u32 %0, %0, %1;\" : \"+r\" (to) : \"r\" (blockIdx.x ^ 1));\n"
    "  MEET ();\n"
    "  asm volatile (\"red.relaxed.cluster.shared::cluster.add.u64 [%0], 5;\""
    "    :: \"r\" (to) : \"memory\");\n"
    "  asm volatile (\"red.relaxed.cluster.shared::cluster.max.u64 [%0], 7;\""
    "    :: \"r\" (to) : \"memory\");\n"
    "  MEET ();\n"
    "  out[blockIdx.x * 32 + threadIdx.x] = words[threadIdx.x];\n}\n";

static CuredCompiler *compiler;

static CuredProgram *
make_program (CuredKernel *kernel, const char *assignments)
{
  g_autoptr (CuredSpec) spec = cured_spec_new (kernel);
  g_auto (GStrv) axes = g_strsplit (assignments, " ", -1);

  for (gsize i = 0; axes[i] != NULL; i++)
    if (*axes[i] != '\0')
      {
        MUST (cured_spec_parse_axis (spec, axes[i], &fail));
      }
  gsize n = kernel->n_parameters;
  g_autofree gint64 *values = g_new0 (gint64, n + 1);
  for (gsize i = 0; i < n; i++)
    values[i] = cured_axis_get_value (cured_spec_get_axis (spec, i), 0);
  return MUST (cured_program_new (kernel, values, &cured_profile_find ("sm_90")->limits, &fail));
}

static CuredProgram *
make_program_of_text (const char *text, const char *assignments)
{
  g_autoptr (CuredKernel) kernel =
      MUST (cured_kernel_new_from_text (text, "test/kernel", NULL, &fail));

  return make_program (kernel, assignments);
}

static CuredProgram *
make_program_of_id (const char *id, const char *assignments)
{
  g_autoptr (CuredKernel) kernel = MUST (cured_catalogue_get (id, &fail));

  return make_program (kernel, assignments);
}

static CuredBankView *
make_view (const CuredProgram *program, gsize step, guint64 block, guint warp, CuredBankArch arch)
{
  CuredBankQuery query;

  cured_bank_query_init (&query);
  query.step = step;
  query.block = block;
  query.warp = warp;
  query.arch = arch;
  CuredBankView *view = MUST (cured_bank_view_new (compiler, program, &query, NULL, &fail));
  g_assert_cmpint (view->end, ==, CURED_END_DONE);
  return view;
}

static const CuredBankSite *
find_site (const CuredBankView *view, int line, CuredAccessKind kind)
{
  for (gsize i = 0; i < view->n_sites; i++)
    if (view->sites[i].line == line && view->sites[i].kind == kind)
      return &view->sites[i];
  g_test_message ("nothing of kind %d on line %d", kind, line);
  g_assert_not_reached ();
}

/* What all sites of a line and kind come to. */
static void
assert_line (const CuredBankView *view, int line, CuredAccessKind kind, guint64 accesses,
             guint64 wavefronts, guint64 least)
{
  guint64 sums[3] = { 0 };

  for (gsize i = 0; i < view->n_sites; i++)
    if (view->sites[i].line == line && view->sites[i].kind == kind)
      {
        sums[0] += view->sites[i].accesses;
        sums[1] += view->sites[i].wavefronts;
        sums[2] += view->sites[i].least;
      }
  g_test_message ("line %d", line);
  g_assert_cmpuint (sums[0], ==, accesses);
  g_assert_cmpuint (sums[1], ==, wavefronts);
  g_assert_cmpuint (sums[2], ==, least);
}

static void
assert_description (const CuredBankSite *site, const char *text)
{
  g_autofree char *description = cured_bank_access_describe (&site->patterns[0].access);

  g_assert_cmpstr (description, ==, text);
}

static const char two_source[] = "/*! cured\n * [Kernel]\n * Title=Two arrays\n"
                                 " * Summary=Two arrays in one line\n * Family=specimens\n"
                                 " * Step=1\n"
                                 " * [Buffer in]\n * Type=f32\n * Length=128\n * Fill=ramp\n"
                                 " * [Buffer out]\n * Type=f32\n * Length=64\n * Fill=poison\n"
                                 " * [Launch]\n * Entry=two\n * Grid=2\n * Block=32\n"
                                 " * Arguments=in,out\n */\n"
                                 "extern \"C\" __global__ void\ntwo (const float *in, float *out)\n"
                                 "{\n"
                                 "  __shared__ float left[32];\n"
                                 "  __shared__ float right[32];\n"
                                 "  left[threadIdx.x] = in[64 * blockIdx.x + threadIdx.x];\n"
                                 "  right[threadIdx.x] = in[64 * blockIdx.x + 32 + threadIdx.x];\n"
                                 "  __syncthreads ();\n"
                                 "  out[32 * blockIdx.x + threadIdx.x] =\n"
                                 "      left[31 - threadIdx.x] * right[31 - threadIdx.x];\n}\n";

static gboolean
has_load_of (const CuredBankView *view, const char *array)
{
  for (gsize i = 0; i < view->n_sites; i++)
    if (view->sites[i].kind == CURED_ACCESS_LOAD && g_strcmp0 (view->sites[i].array, array) == 0)
      return TRUE;
  return FALSE;
}

/* Which of two buffers, and in it a thread's own elements: an int32 or two. */
static void
assert_touches (const CuredBankView *view, guint64 block)
{
  guint n_read = 0, n_written = 0;

  g_assert_cmpuint (view->threads[0], ==, 32);
  g_assert_cmpuint (view->slices[0].element_bytes, ==, 4);
  g_assert_false (view->is_touched_more);
  for (gsize i = 0; i < view->n_touches; i++)
    {
      const CuredBankTouch *touch = &view->touches[i];

      g_assert_cmpuint (touch->flags, ==,
                        touch->slice == 0 ? CURED_BANK_PART_READ : CURED_BANK_PART_WRITTEN);
      n_read += touch->slice == 0;
      n_written += touch->slice == 1;
      if (touch->slice == 1)
        g_assert_cmpuint (touch->element, ==, 32 * block + touch->thread);
      else
        g_assert_cmpuint (touch->element % 32, ==, touch->thread);
    }
  g_assert_cmpuint (n_read, ==, 64);
  g_assert_cmpuint (n_written, ==, 32);
}

/* The arrays distinguish two loads of one line; and what a block reads and writes of each
 * buffer is its own part. */
TEST ("/bank-view/arrays")
{
  g_autoptr (CuredProgram) program = make_program_of_text (two_source, "");

  for (guint64 block = 0; block < 2; block++)
    {
      g_autoptr (CuredBankView) view =
          make_view (program, CURED_BANK_FIRST_STEP, block, 0, CURED_BANK_ARCH_5);

      g_assert_true (has_load_of (view, "left"));
      g_assert_true (has_load_of (view, "right"));
      g_assert_false (has_load_of (view, "middle"));
      g_assert_cmpuint (view->n_slices, ==, 2);
      g_assert_cmpstr (view->slices[0].buffer, ==, "in");
      g_assert_cmpuint (view->slices[0].bytes, ==, 512);
      g_assert_cmpuint (view->slices[0].read_begin, ==, 256 * block);
      g_assert_cmpuint (view->slices[0].read_end, ==, 256 * block + 256);
      g_assert_cmpuint (view->slices[0].write_end - view->slices[0].write_begin, ==, 0);
      g_assert_cmpstr (view->slices[1].buffer, ==, "out");
      g_assert_cmpuint (view->slices[1].write_begin, ==, 128 * block);
      g_assert_cmpuint (view->slices[1].write_end, ==, 128 * block + 128);
      g_assert_cmpuint (view->slices[1].n_parts, ==, 64);
      for (gsize i = 0; i < 64; i++)
        g_assert_cmpuint (view->slices[1].parts[i], ==,
                          i / 32 == block ? CURED_BANK_PART_WRITTEN : 0);
      assert_touches (view, block);
    }
}

TEST ("/bank-view/column")
{
  g_autoptr (CuredProgram) program = make_program_of_text (column_source, "");
  g_autoptr (CuredProgram) padded = make_program_of_text (column_source, "pad=1");
  g_autoptr (CuredBankView) view =
      make_view (program, CURED_BANK_FIRST_STEP, 0, 3, CURED_BANK_ARCH_5);
  g_autoptr (CuredBankView) good =
      make_view (padded, CURED_BANK_FIRST_STEP, 0, 3, CURED_BANK_ARCH_5);
  int store = find_line (column_source, "    tile[row]");
  int load = find_line (column_source, "    out[32 * row");

  g_assert_cmpstr (view->entry, ==, "column");
  g_assert_cmpuint (view->n_warps, ==, 8);
  g_assert_cmpuint (view->shared_bytes, ==, 4096);
  g_assert_null (view->note);
  assert_line (view, store, CURED_ACCESS_STORE, 4, 4, 4);
  assert_line (view, load, CURED_ACCESS_LOAD, 4, 128, 4);
  assert_line (good, store, CURED_ACCESS_STORE, 4, 4, 4);
  assert_line (good, load, CURED_ACCESS_LOAD, 4, 4, 4);

  const CuredBankSite *site = find_site (view, load, CURED_ACCESS_LOAD);
  g_assert_cmpstr (site->source, ==, "out[32 * row + threadIdx.x] = tile[threadIdx.x][row];");
  g_assert_nonnull (strstr (site->ptx, "ld.shared"));
  g_assert_cmpstr (site->array, ==, "tile");
  g_assert_cmpuint (site->width, ==, 32);
  g_assert_cmpuint (site->n_patterns, ==, 1);
  g_assert_cmpuint (site->patterns[0].count, ==, site->accesses);
  for (guint n = 1; n < CURED_BANK_LANES; n++)
    g_assert_cmpuint (site->patterns[0].access.addresses[n], ==,
                      site->patterns[0].access.addresses[0] + 128 * n);
  /* Warp 3 begins in column 3. */
  assert_description (site, "stride 32 words: every lane in bank 3");
  assert_description (find_site (good, load, CURED_ACCESS_LOAD),
                      "stride 33 words: no bank conflicts");
  assert_description (find_site (good, store, CURED_ACCESS_STORE),
                      "stride 1 word: no bank conflicts");
}

/* A column of another block's tile: sectors in the place of wavefronts, and no advice to pad. */
TEST ("/bank-view/remote")
{
  g_autoptr (CuredProgram) program = make_program_of_id ("cluster/column", "n=64 m=32");
  g_autoptr (CuredBankView) view =
      make_view (program, CURED_BANK_FIRST_STEP, 1, 3, CURED_BANK_ARCH_5);
  CuredBankAccess narrow = {
    .arch = CURED_BANK_ARCH_5, .kind = CURED_BANK_KIND_REMOTE_STORE, .width = 8, .mask = G_MAXUINT32
  };
  guint n_remote = 0;

  for (gsize i = 0; i < view->n_sites; i++)
    {
      const CuredBankSite *site = &view->sites[i];

      g_assert_cmpint (site->is_remote, ==, site->kind == CURED_ACCESS_LOAD);
      if (!site->is_remote)
        continue;
      n_remote++;
      g_assert_true (site->is_known);
      g_assert_cmpuint (site->wavefronts, ==, 32);
      g_assert_cmpuint (site->least, ==, 4);
      assert_description (site,
                          "32 sectors of another block’s shared memory, about 48 cycles, 96 if "
                          "both blocks access each other’s; side by side, the lanes’ bytes are in "
                          "4. Padding against bank conflicts changes nothing here");
    }
  g_assert_cmpuint (n_remote, ==, 1);

  /* Bytes in a column wait for their bank as well: padded, they take 48. */
  for (guint n = 0; n < CURED_BANK_LANES; n++)
    narrow.addresses[n] = 128 * n;
  g_autofree char *text = cured_bank_access_describe (&narrow);
  g_assert_cmpstr (text, ==,
                   "32 sectors of another block’s shared memory, about 64 cycles, 64 if both "
                   "blocks access each other’s");
}

/* What lanes send one by one is an access of the warp: neighbours and lanes in lines of their own. */
TEST ("/bank-view/sent")
{
  static const struct
  {
    const char *step;
    guint turns[2], least[2];
  } rows[] = {
    { "step=1", { 4, 5 }, { 4, 5 } },
    { "step=33", { 32, 32 }, { 4, 5 } },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (CuredProgram) program = make_program_of_text (sent_source, rows[i].step);
      g_autoptr (CuredBankView) view =
          make_view (program, CURED_BANK_FIRST_STEP, 1, 0, CURED_BANK_ARCH_5);
      guint n = 0;

      g_assert_cmpuint (view->faults->len, ==, 0);
      for (gsize k = 0; k < view->n_sites; k++)
        {
          const CuredBankSite *site = &view->sites[k];

          if (!site->is_remote)
            continue;
          g_assert_cmpuint (n, <, 2);
          g_assert_true (site->is_known);
          g_assert_cmpuint (site->accesses, ==, 1);
          g_assert_cmpuint (site->wavefronts, ==, rows[i].turns[n]);
          g_assert_cmpuint (site->least, ==, rows[i].least[n]);
          g_assert_cmpuint (site->block_wavefronts, ==, 2 * site->wavefronts);
          g_assert_cmpuint (site->block_least, ==, 2 * site->least);
          n++;
        }
      g_assert_cmpuint (n, ==, 2);
    }
}

TEST ("/bank-view/remote/reductions")
{
  g_autoptr (CuredProgram) program = make_program_of_text (reduced_source, "");
  g_autoptr (CuredBankView) view =
      make_view (program, CURED_BANK_FIRST_STEP, 1, 0, CURED_BANK_ARCH_5);
  guint n_remote = 0;

  for (gsize i = 0; i < view->n_sites; i++)
    if (view->sites[i].is_remote)
      g_assert_cmpint (view->sites[i].is_known, ==, n_remote++ == 0);
  g_assert_cmpuint (n_remote, ==, 2);
}

/* A store and a load of the tile, four of each: in the order of time. */
/* What can't be served is not a layout without a conflict. */
TEST ("/bank-view/misaligned")
{
  g_autoptr (CuredProgram) program = make_program_of_text (rows_source, "");
  g_autoptr (CuredProgram) padded = make_program_of_text (rows_source, "pad=8");
  g_autoptr (CuredBankView) view =
      make_view (program, CURED_BANK_FIRST_STEP, 0, 0, CURED_BANK_ARCH_5);
  g_autoptr (CuredBankView) good =
      make_view (padded, CURED_BANK_FIRST_STEP, 0, 0, CURED_BANK_ARCH_5);
  const CuredBankSite *site = NULL;

  for (gsize i = 0; i < view->n_sites; i++)
    if (view->sites[i].kind == CURED_ACCESS_LDMATRIX)
      site = &view->sites[i];
    else
      g_assert_null (view->sites[i].fault);
  g_assert_nonnull (site);
  g_assert_cmpuint (view->faults->len, ==, 1);
  const CuredFinding *fault = view->faults->pdata[0];
  g_assert_cmpint (fault->kind, ==, CURED_FINDING_MISALIGNED);
  g_assert_cmpint (fault->here.line, ==, site->line);
  g_assert_nonnull (site->fault);
  /* Lanes 0, 8, 16 and 24 are left. */
  g_assert_cmphex (site->fault->here.lanes, ==, 0xfefefefe);
  g_autofree char *why = cured_bank_site_describe (site, &site->patterns[0].access);
  g_assert_cmpstr (why, ==,
                   "misaligned: lanes 1, 2, 3, 4, 5, 6, … of warp 0 can't be served, and a GPU "
                   "stops the kernel here (the address is not a multiple of 16)");

  g_assert_cmpuint (good->faults->len, ==, 0);
  for (gsize i = 0; i < good->n_sites; i++)
    if (good->sites[i].kind == CURED_ACCESS_LDMATRIX)
      site = &good->sites[i];
  g_assert_null (site->fault);
  g_autofree char *good_why = cured_bank_site_describe (site, &site->patterns[0].access);
  g_assert_nonnull (strstr (good_why, "each without a conflict"));
}

TEST ("/bank-view/events")
{
  g_autoptr (CuredProgram) program = make_program_of_text (column_source, "");
  g_autoptr (CuredBankView) view =
      make_view (program, CURED_BANK_FIRST_STEP, 0, 3, CURED_BANK_ARCH_5);
  int store = find_line (column_source, "    tile[row]");
  int load = find_line (column_source, "    out[32 * row");

  g_assert_cmpuint (view->n_events, ==, 8);
  g_assert_cmpuint (view->n_later_events, ==, 0);
  for (guint i = 0; i < 8; i++)
    {
      const CuredBankEvent *event = &view->events[i];
      gboolean is_load = i >= 4;
      /* Warp 3 has row 3 first, and every eighth one after it. */
      guint row = 3 + 8 * (i % 4);

      g_assert_cmpuint (event->site, <, view->n_sites);
      g_assert_cmpint (view->sites[event->site].line, ==, is_load ? load : store);
      g_assert_cmpuint (event->access.mask, ==, G_MAXUINT32);
      g_assert_cmpint (event->access.kind, ==,
                       is_load ? CURED_BANK_KIND_LOAD : CURED_BANK_KIND_STORE);
      for (guint n = 0; n < CURED_BANK_LANES; n++)
        g_assert_cmpuint (event->access.addresses[n] - view->events[0].access.addresses[0] +
                              3 * 128,
                          ==, 4 * (is_load ? 32 * n + row : 32 * row + n));
    }
}

/* Older banks, the same addresses. */
TEST ("/bank-view/arch")
{
  g_autoptr (CuredProgram) program = make_program_of_text (column_source, "");
  g_autoptr (CuredBankView) one =
      make_view (program, CURED_BANK_FIRST_STEP, 0, 0, CURED_BANK_ARCH_1);
  g_autoptr (CuredBankView) three =
      make_view (program, CURED_BANK_FIRST_STEP, 0, 0, CURED_BANK_ARCH_3_WIDE);
  int store = find_line (column_source, "    tile[row]");
  int load = find_line (column_source, "    out[32 * row");

  assert_line (one, store, CURED_ACCESS_STORE, 4, 8, 8);
  assert_line (one, load, CURED_ACCESS_LOAD, 4, 128, 8);
  /* Rows of 128 bytes are 16 banks of 8 bytes on, so two banks serve. */
  assert_line (three, load, CURED_ACCESS_LOAD, 4, 64, 4);
  assert_description (
      find_site (three, load, CURED_ACCESS_LOAD),
      "stride 32 words: bank 0 is accessed 16 times, by lanes 0, 2, 4, 6, 8, 10, …");
}

TEST ("/bank-view/mixed")
{
  g_autoptr (CuredProgram) program = make_program_of_text (mixed_source, "");
  g_autoptr (CuredBankView) view =
      make_view (program, CURED_BANK_FIRST_STEP, 1, 1, CURED_BANK_ARCH_5);
  const CuredBankSite *site = NULL;
  int first = find_line (mixed_source, "  words[threadIdx.x]");

  g_assert_cmpstr (view->entry, ==, "mixed");
  g_assert_cmpuint (view->step, ==, 2);
  g_assert_cmpuint (view->block[0], ==, 1);
  g_assert_cmpuint (view->shared_bytes, ==, 256);
  assert_line (view, first, CURED_ACCESS_STORE, 1, 1, 1);
  assert_line (view, first + 9, CURED_ACCESS_LOAD, 1, 1, 1);
  assert_description (find_site (view, first + 9, CURED_ACCESS_LOAD),
                      "all lanes at one address: one wavefront serves them all");
  assert_line (view, first + 11, CURED_ACCESS_LOAD, 1, 1, 1);
  g_assert_cmphex (find_site (view, first + 11, CURED_ACCESS_LOAD)->patterns[0].access.mask, ==,
                   0xaaaaaaaa);

  for (int line = first + 2; line <= first + 7; line++)
    {
      site = NULL;
      for (gsize i = 0; i < view->n_sites; i++)
        if (view->sites[i].line == line)
          site = &view->sites[i];
      g_test_message ("line %d", line);
      g_assert_nonnull (site);
      g_assert_cmpuint (site->accesses, ==, 1);
      if (line == first + 3)
        assert_description (
            site,
            "all lanes at one address take turns, unless ptxas lets one of them do it for all");
      g_assert_cmpuint (site->loop_lanes, ==, line == first + 7 ? 32 : 0);
      g_assert_cmpuint (cured_bank_site_get_loop_cycles (site), ==, line == first + 7 ? 3036 : 0);
      if (line == first + 7) /* of floats: no rule, but what was measured of loops */
        {
          g_autofree char *loop = cured_bank_site_describe_loop (site);

          g_assert_false (site->is_known);
          g_assert_nonnull (strstr (loop, "32 lanes add to one address"));
        }
      else
        /* All at one word: one turn for a constant 1, or one for each, which is two wavefronts of a
         * compare and swap. */
        g_assert_cmpuint (site->wavefronts, ==,
                          line == first + 2   ? 1
                          : line == first + 6 ? 64
                                              : 32);
    }
  g_assert_cmpint (find_site (view, first + 5, CURED_ACCESS_ATOMIC)->patterns[0].access.kind, ==,
                   CURED_BANK_KIND_EXCHANGE);
}

static void
assert_fails (const CuredProgram *program, gsize step, guint64 block, guint warp, const char *text)
{
  g_autoptr (GError) error = NULL;
  CuredBankQuery query;

  cured_bank_query_init (&query);
  query.step = step;
  query.block = block;
  query.warp = warp;
  g_assert_null (cured_bank_view_new (compiler, program, &query, NULL, &error));
  g_assert_error (error, CURED_ERROR, CURED_ERROR_NOT_FOUND);
  g_test_message ("%s", error->message);
  g_assert_nonnull (strstr (error->message, text));
}

TEST ("/bank-view/errors")
{
  g_autoptr (CuredProgram) program = make_program_of_text (mixed_source, "");

  assert_fails (program, 0, 0, 0, "runs no kernel");
  assert_fails (program, 3, 0, 0, "launches 1 to 3");
  assert_fails (program, 1, 4, 0, "blocks 0 to 3");
  assert_fails (program, 2, 0, 2, "warps 0 to 1");
}

TEST ("/bank-view/nothing")
{
  g_autoptr (CuredProgram) program = make_program_of_text (mixed_source, "");
  g_autoptr (CuredBankView) view = make_view (program, 1, 3, 1, CURED_BANK_ARCH_5);

  g_assert_cmpuint (view->n_sites, ==, 0);
  g_assert_cmpuint (view->shared_bytes, ==, 0);
  g_assert_cmpuint (view->n_widths, ==, 0);
}

/* ---- The catalogue ---- */

static guint64
get_sum (const CuredBankView *view, guint site, guint which)
{
  for (gsize i = 0; i < view->n_sites; i++)
    if (view->sites[i].site == site)
      return which == 0   ? view->sites[i].accesses
             : which == 1 ? view->sites[i].wavefronts
                          : view->sites[i].least;
  return 0;
}

/* The patterns account for what the sums say, and the picture for the pattern. */
static void
assert_patterns (const CuredBankSite *site)
{
  guint64 accesses = site->n_left_out;
  guint64 wavefronts = 0, least = 0;

  if (!site->is_known)
    return;
  for (gsize i = 0; i < site->n_patterns; i++)
    {
      const CuredBankViewPattern *pattern = &site->patterns[i];
      CuredBankPicture picture;

      accesses += pattern->count;
      wavefronts += pattern->count * pattern->counts.wavefronts;
      least += pattern->count * pattern->counts.least;
      g_assert_true (cured_bank_model_explain (&pattern->access, &picture));
      g_assert_cmpmem (&picture.counts, sizeof picture.counts, &pattern->counts,
                       sizeof pattern->counts);
      if (i > 0)
        g_assert_cmpuint (pattern[-1].counts.conflicts, >=, pattern->counts.conflicts);
    }
  g_assert_cmpuint (accesses, ==, site->accesses);
  if (site->n_left_out == 0)
    {
      g_assert_cmpuint (wavefronts, ==, site->wavefronts);
      g_assert_cmpuint (least, ==, site->least);
    }
}

/* The bank model on what each warp was seen to do, and what the interpreter counted of the block,
 * agree at every instruction. */
static void
assert_agrees (const CuredProgram *program)
{
  g_autoptr (CuredBankView) first =
      make_view (program, CURED_BANK_FIRST_STEP, 0, 0, CURED_BANK_ARCH_5);
  g_autoptr (GPtrArray) views =
      g_ptr_array_new_with_free_func ((GDestroyNotify) cured_bank_view_unref);

  g_ptr_array_add (views, cured_bank_view_ref (first));
  for (guint warp = 1; warp < first->n_warps; warp++)
    g_ptr_array_add (views, make_view (program, first->step, 0, warp, CURED_BANK_ARCH_5));
  for (gsize i = 0; i < first->n_sites; i++)
    {
      const CuredBankSite *site = &first->sites[i];
      guint64 sums[3] = { 0 };

      for (guint j = 0; j < views->len; j++)
        for (guint k = 0; k < 3; k++)
          sums[k] += get_sum (views->pdata[j], site->site, k);
      g_assert_cmpuint (sums[0], ==, site->block_accesses);
      g_assert_cmpuint (sums[1], ==, site->block_wavefronts);
      g_assert_cmpuint (sums[2], ==, site->block_least);
      g_assert_cmpint (site->line, >, 0);
      g_assert_nonnull (site->source);
      assert_patterns (site);
    }
}

TEST ("/bank-view/catalogue")
{
  static const struct
  {
    const char *id, *point;
  } rows[] = {
    { "matmul/tiled", "n=64 tile=8" },       { "matmul/tiled", "n=64 tile=16" },
    { "matmul/tiled", "n=66 tile=32" },      { "reduce/last-block", "n=5000" },
    { "banks/stride", "stride=3 width=16" }, { "banks/stride", "stride=32 width=8" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (CuredProgram) program = make_program_of_id (rows[i].id, rows[i].point);

      g_test_message ("%s %s", rows[i].id, rows[i].point);
      assert_agrees (program);
    }
}

static guint
count (const char *text, const char *word)
{
  guint n = 0;

  for (const char *at = strstr (text, word); at != NULL; at = strstr (at + 1, word))
    n++;
  return n;
}

/* Every access of the PTX is on some line, and ptxas merged the loads of the inner loop. */
TEST ("/bank-view/widths")
{
  g_autoptr (CuredProgram) program = make_program_of_id ("matmul/tiled", "n=64 tile=32");
  g_autoptr (CuredBankView) view =
      make_view (program, CURED_BANK_FIRST_STEP, 0, 0, CURED_BANK_ARCH_5);
  g_autoptr (GBytes) ptx = MUST (
      cured_compiler_compile (compiler, program->kernel->source, "tiled.cu",
                              (const char *const *) program->defines, "compute_90", NULL, &fail));
  guint n_loads = 0, n_stores = 0;
  gboolean has_wide = FALSE;

  g_autofree char *text = g_strndup (g_bytes_get_data (ptx, NULL), g_bytes_get_size (ptx));
  g_assert_cmpstr (view->machine, ==, "sm_90");
  for (gsize i = 0; i < view->n_widths; i++)
    {
      const CuredBankWidths *widths = &view->widths[i];

      for (gsize j = 0; j < CURED_BANK_N_WIDTHS; j++)
        if (widths->kind == CURED_ACCESS_LOAD)
          n_loads += widths->ptx[j];
        else
          n_stores += widths->ptx[j];
      if (widths->ptx[2] > 0 && widths->machine[4] > 0)
        has_wide = cured_bank_widths_get_change (widths) == CURED_BANK_CHANGE_WIDTHS;
    }
  g_assert_cmpuint (n_loads, ==, count (text, "ld.shared"));
  g_assert_cmpuint (n_stores, ==, count (text, "st.shared"));
  g_assert_true (has_wide);

  /* The same, and nothing is run. */
  g_autoptr (CuredBankView) alone =
      MUST (cured_bank_view_new_widths (compiler, program, view->entry, NULL, &fail));
  g_assert_cmpuint (alone->n_sites, ==, 0);
  g_assert_cmpuint (alone->n_widths, ==, view->n_widths);
  for (gsize i = 0; i < view->n_widths; i++)
    {
      g_assert_cmpint (alone->widths[i].line, ==, view->widths[i].line);
      g_assert_cmpmem (alone->widths[i].machine, sizeof alone->widths[i].machine,
                       view->widths[i].machine, sizeof view->widths[i].machine);
    }
}

/* Two tiles, each between two barriers, of a block of 32 warps. */
TEST ("/machine-view/barriers")
{
  g_autoptr (CuredProgram) program = make_program_of_id ("matmul/tiled", "n=64 tile=32");
  g_auto (GStrv) source = g_strsplit (program->kernel->source, "\n", -1);
  CuredBankQuery query;
  guint n_barriers = 0, n_branches = 0;

  cured_bank_query_init (&query);
  g_autoptr (CuredMachineView) view =
      MUST (cured_machine_view_new (compiler, program, &query, NULL, &fail));
  g_assert_cmpstr (view->arch, ==, "sm_90");
  for (gsize i = 0; i < view->n_lines; i++)
    {
      const CuredMachineLine *line = &view->lines[i];

      g_assert_cmpuint (line->offset, ==, 16 * i);
      n_branches += strstr (line->text, "BRA → 0x") != NULL;
      if (!g_str_has_prefix (line->text, "BAR.SYNC"))
        continue;
      g_assert_nonnull (strstr (source[line->line - 1], "__syncthreads"));
      g_assert_true (line->is_exact);
      n_barriers += (guint) line->executed;
    }
  g_assert_cmpuint (n_barriers, ==, 2 * 2 * 32);
  g_assert_cmpuint (n_branches, >, 0);

  query.step = 7;
  g_assert_null (cured_machine_view_new (compiler, program, &query, NULL, NULL));
}

/* The same access at another value, of another warp, and after an edit. */
TEST ("/bank-view/alike")
{
  g_autoptr (CuredProgram) program = make_program_of_text (column_source, "");
  g_autoptr (CuredProgram) padded = make_program_of_text (column_source, "pad=1");
  g_autoptr (CuredBankView) view =
      make_view (program, CURED_BANK_FIRST_STEP, 0, 3, CURED_BANK_ARCH_5);
  g_autoptr (CuredBankView) good =
      make_view (padded, CURED_BANK_FIRST_STEP, 0, 1, CURED_BANK_ARCH_5);
  const char *body = strstr (column_source, "extern");
  g_autofree char *moved_source =
      g_strdup_printf ("%.*s\n\n%s", (int) (body - column_source), column_source, body);
  g_autoptr (CuredProgram) moved = make_program_of_text (moved_source, "");
  g_autoptr (CuredBankView) other =
      make_view (moved, CURED_BANK_FIRST_STEP, 0, 3, CURED_BANK_ARCH_5);

  g_assert_cmpuint (view->n_sites, ==, 8);
  for (gsize i = 0; i < view->n_sites; i++)
    {
      g_autofree char *mnemonic = cured_bank_site_get_mnemonic (&view->sites[i]);

      g_assert_cmpstr (mnemonic, ==,
                       view->sites[i].kind == CURED_ACCESS_LOAD ? "ld.shared.f32"
                                                                : "st.shared.f32");
      g_assert_true (cured_bank_view_find_like (good, &view->sites[i], view) == &good->sites[i]);
      g_assert_cmpint (other->sites[i].line, ==, view->sites[i].line + 2);
      g_assert_true (cured_bank_view_find_like (other, &view->sites[i], view) == &other->sites[i]);
      for (gsize j = 0; j < view->n_sites; j++)
        g_assert_cmpint (cured_bank_site_is_alike (&view->sites[i], &view->sites[j]), ==,
                         view->sites[i].kind == view->sites[j].kind);
    }
}

/* Four loads of a column in 32 ways each, four stores without a conflict. */
TEST ("/bank-view/groups")
{
  g_autoptr (CuredProgram) program = make_program_of_text (column_source, "");
  g_autoptr (CuredBankView) view =
      make_view (program, CURED_BANK_FIRST_STEP, 0, 3, CURED_BANK_ARCH_5);
  g_autofree char *text = cured_bank_view_describe (view);
  CuredBankChoice choice = { 0 };

  g_assert_cmpstr (text, ==, "column: warp 3 of 8, block (0, 0, 0) of 1 × 1 × 1");
  g_autoptr (GPtrArray) groups = MUST (cured_bank_view_group (view, NULL, &fail));
  g_assert_cmpuint (groups->len, ==, 2);
  const CuredBankGroup *worst = groups->pdata[0];
  const CuredBankSite *site = cured_bank_group_get_site (worst);
  g_assert_cmpint (site->kind, ==, CURED_ACCESS_LOAD);
  g_assert_cmpuint (worst->sites->len, ==, 4);
  g_assert_cmpuint (worst->wavefronts, ==, 4 * 32);
  g_assert_cmpint (cured_bank_group_get_excess (worst), ==, 4 * 31);
  g_assert_cmpfloat (cured_bank_site_get_ways (site), ==, 32);
  g_assert_cmpint (cured_bank_group_get_excess (groups->pdata[1]), ==, 0);
  for (gsize i = 0; i < view->n_sites; i++)
    g_assert_cmpint (cured_bank_group_has (worst, i), ==, view->sites[i].kind == CURED_ACCESS_LOAD);

  choice.is_apart = TRUE;
  g_autoptr (GPtrArray) apart = MUST (cured_bank_view_group (view, &choice, &fail));
  g_assert_cmpuint (apart->len, ==, 8);

  choice = (CuredBankChoice){ .line = site->line };
  g_autoptr (GPtrArray) chosen = MUST (cured_bank_view_group (view, &choice, &fail));
  g_assert_cmpuint (chosen->len, ==, 1);
  choice.line = 1;
  FAILS (cured_bank_view_group (view, &choice, &fail), CURED_ERROR, CURED_ERROR_NOT_FOUND, "");
  choice = (CuredBankChoice){ .site = 9 };
  FAILS (cured_bank_view_group (view, &choice, &fail), CURED_ERROR, CURED_ERROR_NOT_FOUND, "");
}

/* Launches before the one that is wanted run, where they are small. */
TEST ("/bank-view/earlier")
{
  g_autoptr (CuredProgram) small =
      make_program_of_id ("reduce/two-launch", "n=4096 block=64 blocks=64");
  g_autoptr (CuredProgram) large =
      make_program_of_id ("reduce/two-launch", "n=4096 block=1024 blocks=4224");
  g_autoptr (CuredBankView) after = make_view (small, 1, 0, 0, CURED_BANK_ARCH_5);
  g_autoptr (CuredBankView) alone = make_view (large, 1, 0, 0, CURED_BANK_ARCH_5);

  g_assert_cmpuint (after->step, ==, 1);
  g_assert_null (after->note);
  g_assert_cmpuint (after->n_sites, >, 0);
  g_assert_nonnull (alone->note);
}

/* Where lanes go is read from a buffer, which the first launch clears: all of them access one word
 * then. */
static const char cleared_source[] = "/*! cured\n * [Kernel]\n * Title=Cleared\n *\n"
                                     " * [Buffer place]\n * Type=u32\n * Length=32\n * Fill=ramp\n"
                                     " *\n"
                                     " * [Buffer out]\n * Type=u32\n * Length=32\n * Fill=poison\n"
                                     " *\n"
                                     " * [Launch 1]\n * Memset=place\n * Value=0\n *\n"
                                     " * [Launch 2]\n * Entry=cleared\n * Grid=1\n * Block=32\n"
                                     " * Arguments=place,out\n */\n"
                                     "extern \"C\" __global__ void\n"
                                     "cleared (const unsigned *place, unsigned *out)\n{\n"
                                     "  __shared__ unsigned tile[1024];\n\n"
                                     "  for (int i = 0; i < 32; i++)\n"
                                     "    tile[32 * i + threadIdx.x] = i;\n"
                                     "  __syncthreads ();\n"
                                     "  out[threadIdx.x] = tile[32 * (place[threadIdx.x] % 32)];\n"
                                     "}\n";

/* What an earlier launch sets is seen by the one that is looked at. */
TEST ("/bank-view/cleared")
{
  g_auto (GStrv) parts = g_strsplit (cleared_source, "Memset=place", 2);
  g_autofree char *kept = g_strjoinv ("Memset=out", parts);
  const char *const sources[] = { cleared_source, kept };

  for (int i = 0; i < 2; i++)
    {
      g_autoptr (CuredProgram) program = make_program_of_text (sources[i], "");
      g_autoptr (CuredBankView) view = make_view (program, 1, 0, 0, CURED_BANK_ARCH_5);
      guint64 wavefronts = 0;

      for (gsize site = 0; site < view->n_sites; site++)
        if (view->sites[site].kind == CURED_ACCESS_LOAD)
          wavefronts += view->sites[site].wavefronts;
      g_assert_cmpuint (wavefronts, ==, i == 0 ? 1 : 32);
    }
}

/* A machine that is busy elsewhere may take all the time there is before the launch begins: an
 * answer all the same, of nothing. */
TEST ("/bank-view/late")
{
  g_autoptr (CuredProgram) program = make_program_of_text (column_source, "");
  g_auto (CuredLoadedProgram) stage = { 0 };
  CuredBankQuery query;

  g_assert_true (MUST (
      _cured_loaded_program_init (&stage, compiler, program, FALSE, FALSE, NULL, NULL, &fail)));
  cured_bank_query_init (&query);
  stage.time_limit_ms = -1;
  g_autoptr (CuredBankView) view =
      MUST (_cured_bank_view_new_loaded (&stage, &query, NULL, NULL, &fail));
  g_assert_cmpint (view->end, ==, CURED_END_TIMED_OUT);
  g_assert_cmpuint (view->n_sites, ==, 0);
  g_assert_cmpuint (view->faults->len, ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  return run_compiled_tests (&compiler, NULL);
}
