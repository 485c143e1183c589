/* SPDX-License-Identifier: MIT
 * What an edit of a kernel shows: lines, findings, remarks, and how soon. */
#include <cured.h>
#include <string.h>

#include "test-compiled.h"
#include "test.h"

static CuredCompiler *compiler;

/* Two lines with a bank conflict, one without, a branch. */
static const char source[] = "/*! cured\n * [Kernel]\n * Title=Lines\n *\n"
                             " * [Parameter n]\n * Kind=problem\n * Default=2^20\n *\n"
                             " * [Buffer in]\n * Type=f32\n * Length=n\n * Fill=ramp\n *\n"
                             " * [Buffer out]\n * Type=f32\n * Length=n\n * Fill=poison\n *\n"
                             " * [Launch]\n * Entry=lines\n * Grid=n/64\n * Block=64\n"
                             " * Arguments=in,out\n */\n"
                             "extern \"C\" __global__ void\nlines (const float *in, float *out)\n"
                             "{\n"
                             "  __shared__ float tile[64 * 32];\n"
                             "  unsigned i = 64 * blockIdx.x + threadIdx.x;\n\n"
                             "  tile[threadIdx.x * 32] = in[i];\n"
                             "  __syncthreads ();\n"
                             "  out[i] = tile[32 * (63 - threadIdx.x)];\n}\n";

static CuredInspection *
inspect_within (CuredKernel *kernel, gint64 time_limit_ms, GCancellable *cancellable,
                GError **error)
{
  CuredBankQuery query;
  const CuredParameter *parameters = kernel->parameters;
  gsize n = kernel->n_parameters;

  g_autofree gint64 *values = g_new (gint64, n + 1);
  for (gsize i = 0; i < n; i++)
    values[i] = parameters[i].default_value;
  cured_bank_query_init (&query);
  return cured_inspection_new (compiler, kernel, values, &cured_profile_find ("sm_90")->limits,
                               &query, time_limit_ms, cancellable, error);
}

static CuredInspection *
inspect_kernel (CuredKernel *kernel, GCancellable *cancellable, GError **error)
{
  return inspect_within (kernel, CURED_INSPECTION_TIME_LIMIT_MS, cancellable, error);
}

static CuredInspection *
inspect (const char *text)
{
  g_autoptr (CuredKernel) kernel = MUST (cured_kernel_new_from_text (text, "lines", NULL, &fail));

  return MUST (inspect_kernel (kernel, NULL, &fail));
}

static CuredInspection *
inspect_catalogue (const char *id)
{
  g_autoptr (CuredKernel) kernel = MUST (cured_catalogue_get (id, &fail));

  return MUST (inspect_kernel (kernel, NULL, &fail));
}

static char *
replace (const char *text, const char *what, const char *with)
{
  g_auto (GStrv) parts = g_strsplit (text, what, 2);

  g_assert_cmpuint (g_strv_length (parts), ==, 2);
  return g_strjoinv (with, parts);
}

TEST ("/inspection/lines")
{
  int store_line = find_line (source, "tile[threadIdx.x * 32]");
  int load_line = find_line (source, "out[i] =");

  NEED_COMPILER ();
  g_autoptr (CuredInspection) inspection = inspect (source);
  g_assert_cmpuint (inspection->diagnostics->len, ==, 0);
  g_assert_cmpuint (inspection->findings->len, ==, 0);
  g_assert_cmpuint (inspection->n_blocks, ==, 1 << 14);
  g_assert_cmpint (inspection->compile_ns, >, 0);
  g_assert_cmpint (inspection->run_ns, >, 0);

  /* Both warps of the block; every lane in bank 0. */
  const CuredLineCounts *store = cured_inspection_find_line (inspection, store_line);
  g_assert_nonnull (store);
  g_assert_cmpuint (store->shared_requests, ==, 2);
  g_assert_cmpuint (store->wavefronts, ==, 64);
  g_assert_cmpuint (store->least, ==, 2);
  g_assert_cmpuint (store->requests, ==, 2);
  g_assert_cmpuint (store->sectors, ==, 8);
  g_assert_cmpuint (store->diverged, ==, 0);
  const CuredLineCounts *load = cured_inspection_find_line (inspection, load_line);
  g_assert_nonnull (load);
  g_assert_cmpuint (load->wavefronts, ==, 64);
  g_assert_cmpuint (load->sectors, ==, 8);
  g_assert_null (cured_inspection_find_line (inspection, 1));
  for (guint i = 1; i < inspection->lines->len; i++)
    g_assert_cmpint (g_array_index (inspection->lines, CuredLineCounts, i - 1).line, <,
                     g_array_index (inspection->lines, CuredLineCounts, i).line);

  /* The sites of the banks are on the same lines. */
  g_assert_cmpuint (inspection->banks->n_sites, ==, 2);
  g_assert_cmpint (inspection->banks->sites[0].line, ==, store_line);
  g_assert_cmpint (inspection->banks->sites[1].line, ==, load_line);
}

/* Each line of the PTX knows its own, and they say what they should. */
TEST ("/inspection/ptx")
{
  int load_line = find_line (source, "out[i] =");
  gboolean has_store = FALSE, has_barrier = FALSE;

  NEED_COMPILER ();
  g_autoptr (CuredInspection) inspection = inspect (source);
  g_auto (GStrv) lines = g_strsplit (inspection->ptx, "\n", -1);
  g_assert_cmpuint (g_strv_length (lines), ==, inspection->n_ptx_lines);
  for (gsize i = 0; i < inspection->n_ptx_lines; i++)
    {
      if (strstr (lines[i], "st.global") != NULL)
        {
          g_assert_cmpint (inspection->ptx_lines[i], ==, load_line);
          has_store = TRUE;
        }
      if (strstr (lines[i], "bar.sync") != NULL)
        {
          g_assert_cmpint (inspection->ptx_lines[i], ==, find_line (source, "__syncthreads"));
          has_barrier = TRUE;
        }
      if (strstr (lines[i], ".version") != NULL)
        g_assert_cmpint (inspection->ptx_lines[i], ==, 0);
    }
  g_assert_true (has_store && has_barrier);
}

/* A kernel without shared memory runs, too. */
TEST ("/inspection/no-shared")
{
  guint64 sectors = 0;

  NEED_COMPILER ();
  g_autoptr (CuredInspection) inspection = inspect_catalogue ("vector/one");
  g_assert_nonnull (inspection->banks);
  g_assert_cmpuint (inspection->banks->n_sites, ==, 0);
  g_assert_cmpuint (inspection->lines->len, >, 0);
  for (guint i = 0; i < inspection->lines->len; i++)
    sectors += g_array_index (inspection->lines, CuredLineCounts, i).sectors;
  g_assert_cmpuint (sectors, >, 0);
}

static const CuredDiagnostic *
get_diagnostic (const CuredInspection *inspection, guint n)
{
  g_assert_cmpuint (inspection->diagnostics->len, >, n);
  return inspection->diagnostics->pdata[n];
}

TEST ("/inspection/compile-error")
{
  g_autofree char *broken = replace (source, "= in[i]", "= im[i] + other");
  int line = find_line (broken, "im[i]");

  NEED_COMPILER ();
  g_autoptr (CuredInspection) inspection = inspect (broken);
  g_assert_null (inspection->banks);
  g_assert_null (inspection->ptx);
  g_assert_cmpuint (inspection->diagnostics->len, ==, 2);
  for (guint i = 0; i < 2; i++)
    {
      const CuredDiagnostic *diagnostic = get_diagnostic (inspection, i);

      g_assert_cmpint (diagnostic->severity, ==, CURED_SEVERITY_ERROR);
      g_assert_cmpint (diagnostic->line, ==, line);
      g_assert_nonnull (strstr (diagnostic->text, "undefined"));
      g_assert_null (strchr (diagnostic->text, '\n'));
    }
}

/* In another language: only the log is read. */
static GError *
make_log (const char *log)
{
  GError *error = g_error_new (CURED_ERROR, CURED_ERROR_COMPILE, "Nein (k.cu):\n%s", log);

  cured_error_set_log (error, log);
  return error;
}

TEST ("/inspection/remarks")
{
  g_autoptr (GError) log =
      make_log ("k.cu(9): warning #177-D: variable \"y\" was declared but never referenced\n"
                "      int y;\n"
                "          ^\n\n"
                "Remark: The warnings can be suppressed with \"-diag-suppress\"\n\n"
                "k.cu(7): error: expected a \";\"\n"
                "k.cu(4): catastrophic error: cannot open source file \"no.h\"\n"
                "/usr/include/cuda_fp16.h(120): error: that one\n"
                "4 errors detected in the compilation of \"k.cu\".");
  g_autoptr (GError) header = NULL, elsewhere = NULL;
  g_autoptr (GError) other =
      g_error_new_literal (CURED_ERROR, CURED_ERROR_NOT_LAUNCHABLE, "too many threads");
  g_autoptr (GError) bare = g_error_new_literal (CURED_ERROR, CURED_ERROR_SYNTAX, "k.cu:6: as if");
  g_autoptr (GPtrArray) list = cured_diagnostics_new (log, "k.cu");

  g_assert_cmpuint (list->len, ==, 4);
  const CuredDiagnostic *row = list->pdata[0];
  g_assert_cmpint (row->line, ==, 0);
  g_assert_nonnull (strstr (row->text, "cuda_fp16.h(120)"));
  row = list->pdata[1];
  g_assert_cmpint (row->line, ==, 4);
  g_assert_cmpstr (row->text, ==, "cannot open source file \"no.h\"");
  row = list->pdata[2];
  g_assert_cmpint (row->line, ==, 7);
  g_assert_cmpint (row->severity, ==, CURED_SEVERITY_ERROR);
  row = list->pdata[3];
  g_assert_cmpint (row->line, ==, 9);
  g_assert_cmpint (row->severity, ==, CURED_SEVERITY_WARNING);
  g_assert_true (g_str_has_prefix (row->text, "variable \"y\""));

  g_clear_pointer (&list, g_ptr_array_unref);
  cured_set_error_at (&header, CURED_ERROR_SYNTAX, "/a/k.cu", 6, 0, "[Buffer out] knows no X=");
  g_prefix_error (&header, "other.cu:9: ");
  list = cured_diagnostics_new (header, "k.cu");
  row = list->pdata[0];
  g_assert_cmpint (row->line, ==, 6);
  g_assert_cmpstr (row->text, ==, "[Buffer out] knows no X=");

  /* Another file's line is not one of this file. */
  g_clear_pointer (&list, g_ptr_array_unref);
  cured_set_error_at (&elsewhere, CURED_ERROR_SYNTAX, "/a/ok.cu", 6, 0, "knows no X=");
  list = cured_diagnostics_new (elsewhere, "k.cu");
  row = list->pdata[0];
  g_assert_cmpint (row->line, ==, 0);
  g_assert_cmpstr (row->text, ==, "/a/ok.cu:6: knows no X=");

  /* Nothing is read out of a message. */
  g_clear_pointer (&list, g_ptr_array_unref);
  list = cured_diagnostics_new (bare, "k.cu");
  row = list->pdata[0];
  g_assert_cmpint (row->line, ==, 0);
  g_assert_cmpstr (row->text, ==, "k.cu:6: as if");

  g_clear_pointer (&list, g_ptr_array_unref);
  list = cured_diagnostics_new (other, "k.cu");
  row = list->pdata[0];
  g_assert_cmpint (row->line, ==, 0);
  g_assert_cmpstr (row->text, ==, "too many threads");
}

/* A source that compiles has its warnings, too: those of its own lines. */
TEST ("/inspection/warnings")
{
  g_autofree char *text =
      replace (source, "  __syncthreads ();\n", "  __syncthreads ();\n  int spare;\n");
  g_autoptr (GError) log = make_log ("/usr/include/cuda_fp16.h(120): warning #177-D: that one\n"
                                     "k.cu(7): error: expected a \";\"");
  g_autoptr (GPtrArray) list = cured_diagnostics_new (log, "k.cu");

  g_assert_cmpuint (list->len, ==, 1);
  NEED_COMPILER ();
  for (int turn = 0; turn < 2; turn++)
    {
      g_autoptr (CuredInspection) inspection = inspect (text);
      const CuredDiagnostic *diagnostic = get_diagnostic (inspection, 0);

      g_assert_cmpuint (inspection->diagnostics->len, ==, 1);
      g_assert_cmpint (diagnostic->severity, ==, CURED_SEVERITY_WARNING);
      g_assert_cmpint (diagnostic->line, ==, find_line (text, "int spare"));
      g_assert_true (g_str_has_prefix (diagnostic->text, "variable \"spare\""));
      g_assert_nonnull (inspection->banks);
      g_assert_cmpuint (inspection->banks->n_sites, ==, 2);
    }
}

TEST ("/inspection/not-launchable")
{
  g_autofree char *wide = replace (source, "Block=64", "Block=2048");

  NEED_COMPILER ();
  g_autoptr (CuredInspection) inspection = inspect (wide);
  g_assert_null (inspection->banks);
  g_assert_cmpuint (inspection->diagnostics->len, ==, 1);
  g_assert_nonnull (strstr (get_diagnostic (inspection, 0)->text, "2048"));
}

/* PTX that the emulator refuses: the text is there, and its line. */
TEST ("/inspection/refused")
{
  g_autofree char *odd = replace (source, "__syncthreads ();",
                                  "asm volatile (\"tcgen05.fence::before_thread_sync;\");");

  NEED_COMPILER ();
  g_autoptr (CuredInspection) inspection = inspect (odd);
  g_assert_null (inspection->banks);
  g_assert_nonnull (inspection->ptx);
  g_assert_cmpint (get_diagnostic (inspection, 0)->line, ==, find_line (odd, "tcgen05"));
}

static gboolean
has_finding (const CuredInspection *inspection, CuredFindingKind kind, gboolean *has_line)
{
  gboolean is_found = FALSE;

  for (guint i = 0; i < inspection->findings->len; i++)
    {
      const CuredFinding *finding = inspection->findings->pdata[i];

      is_found |= finding->kind == kind;
      *has_line |= finding->kind == kind && finding->here.line > 0;
    }
  return is_found;
}

/* Specimens whose mistake shows in one block, and their twins. */
TEST ("/inspection/findings")
{
  static const struct
  {
    const char *id;
    CuredFindingKind kind;
  } rows[] = {
    { "average-shared", CURED_FINDING_RACE_SHARED },
    { "last-warp", CURED_FINDING_RACE_SHARED },
    { "average-in-place", CURED_FINDING_RACE_GLOBAL },
    { "branch-barrier", CURED_FINDING_DIVERGENT_BARRIER },
    { "misaligned", CURED_FINDING_MISALIGNED },
    { "short-shuffle", CURED_FINDING_INACTIVE_LANE },
    { "unset-counter", CURED_FINDING_UNINITIALIZED },
  };

  NEED_COMPILER ();
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *id = g_strconcat ("specimens/", rows[i].id, NULL);
      g_autofree char *twin_id = g_strconcat (id, "-fixed", NULL);
      g_autoptr (CuredInspection) specimen = inspect_catalogue (id);
      g_autoptr (CuredInspection) twin = inspect_catalogue (twin_id);
      gboolean has_line = FALSE;

      g_test_message ("%s", id);
      g_assert_true (has_finding (specimen, rows[i].kind, &has_line));
      g_assert_true (has_line);
      g_assert_cmpuint (twin->findings->len, ==, 0);
    }
}

/* No kernel of these families is accused of what it does not do. The benchmark “inspection” goes
 * through the whole catalogue, and tells times. */
TEST ("/inspection/catalogue")
{
  g_auto (GStrv) ids = cured_catalogue_list ();

  NEED_COMPILER ();
  for (char **id = ids; *id != NULL; id++)
    {
      g_autoptr (CuredKernel) kernel = cured_catalogue_get (*id, NULL);

      if (!g_str_has_prefix (*id, "specimens/") && !g_str_has_prefix (*id, "transpose/") &&
          !g_str_has_prefix (*id, "reduce/"))
        continue;
      g_test_message ("%s", *id);
      g_autoptr (CuredInspection) inspection = inspect_catalogue (*id);
      for (guint i = 0; i < inspection->findings->len; i++)
        {
          const CuredFinding *finding = inspection->findings->pdata[i];

          if ((kernel->defects >> finding->kind & 1) == 0)
            {
              g_autofree char *text = cured_finding_to_string (finding);

              g_test_message ("%s: %s", *id, text);
              g_test_fail ();
            }
        }
    }
}

static gpointer
cancel_thread (gpointer data)
{
  g_usleep (30000);
  g_cancellable_cancel (data);
  return NULL;
}

/* The longer the compiler takes, the sooner a first answer's block is stopped: here it is a block
 * that never ends. */
TEST ("/inspection/first-answer")
{
  static const char endless[] = "for (;;) ((volatile float *) tile)[threadIdx.x] += 1;";

  NEED_COMPILER ();
  g_autofree char *text = replace (source, "__syncthreads ();", endless);
  g_autoptr (CuredKernel) kernel = cured_kernel_new_from_text (text, "lines", NULL, NULL);
  /* Nothing is left but the least. */
  {
    g_autoptr (CuredInspection) hasty = inspect_within (kernel, 0, NULL, NULL);

    g_assert_true (hasty->is_partial);
    g_assert_cmpuint (hasty->diagnostics->len, ==, 0);
    g_assert_cmpuint (hasty->banks->n_sites, >, 0);
    g_assert_cmpint (hasty->run_ns, >=, 15 * 1000000);
  }
  {
    gint64 start_us = g_get_monotonic_time ();
    g_autoptr (CuredInspection) first =
        inspect_within (kernel, CURED_INSPECTION_FIRST_LIMIT_MS, NULL, NULL);
    gint64 rest_ms = (g_get_monotonic_time () - start_us) / 1000 - first->run_ns / 1000000;

    g_assert_true (first->is_partial);
    /* The time that the block did not use, and 120 ms at most. */
    g_assert_cmpint (first->run_ns, >=,
                     1000000 * CLAMP (CURED_INSPECTION_FIRST_LIMIT_MS - rest_ms, 15, 100));
  }
}

/* Where the emulator stops is reported as a limit of its own, not as a fault of the kernel. */
TEST ("/inspection/limit")
{
  NEED_COMPILER ();
  g_autofree char *text = replace (source, "__syncthreads ();",
                                   "for (;;) ((volatile float *) tile)[threadIdx.x] += 1;");
  g_autoptr (CuredInspection) inspection = inspect (text);
  g_assert_true (inspection->is_partial);
  g_assert_cmpuint (inspection->diagnostics->len, ==, 1);
  g_assert_cmpint (get_diagnostic (inspection, 0)->severity, ==, CURED_SEVERITY_NOTE);
  g_assert_true (
      g_str_has_prefix (get_diagnostic (inspection, 0)->text, "The emulator's limit of "));
  g_assert_null (strstr (get_diagnostic (inspection, 0)->text, "lines"));
}

/* A loop that is unrolled has many instructions, and one missing barrier. */
TEST ("/inspection/unrolled")
{
  guint n_races = 0;

  NEED_COMPILER ();
  g_autofree char *once = replace (source, "  __syncthreads ();\n", "");
  g_autofree char *text = replace (once, "  out[i] = tile[32 * (63 - threadIdx.x)];\n",
                                   "  float sum = 0;\n"
                                   "  for (int k = 0; k < 8; k++)\n"
                                   "    sum += tile[32 * ((threadIdx.x + 8 * k) % 64)];\n"
                                   "  out[i] = sum;\n");
  g_autoptr (CuredInspection) inspection = inspect (text);
  for (guint i = 0; i < inspection->findings->len; i++)
    {
      const CuredFinding *finding = inspection->findings->pdata[i];

      if (finding->kind != CURED_FINDING_RACE_SHARED)
        continue;
      n_races++;
      g_assert_cmpuint (finding->count, >, 1);
    }
  g_assert_cmpuint (n_races, ==, 1);
}

/* Wherever it is: in the compiler, or in a block that never ends. */
TEST ("/inspection/cancel")
{
  static const char endless[] = "for (;;) ((volatile float *) tile)[threadIdx.x] += 1;";

  NEED_COMPILER ();
  for (int turn = 0; turn < 2; turn++)
    {
      g_autofree char *looping = replace (source, "__syncthreads ();", endless);
      g_autofree char *text = g_strdup_printf ("%s// %d\n", looping, g_random_int ());
      g_autoptr (CuredKernel) kernel = cured_kernel_new_from_text (text, "lines", NULL, NULL);
      g_autoptr (GCancellable) cancellable = g_cancellable_new ();

      /* The second time it is compiled already. */
      if (turn == 1)
        {
          g_autoptr (CuredInspection) whole = inspect_kernel (kernel, NULL, NULL);

          g_assert_cmpuint (whole->diagnostics->len, ==, 1);
          g_assert_cmpint (get_diagnostic (whole, 0)->severity, ==, CURED_SEVERITY_NOTE);
        }
      GThread *thread = g_thread_new ("cancel", cancel_thread, cancellable);
      FAILS (inspect_kernel (kernel, cancellable, &fail), G_IO_ERROR, G_IO_ERROR_CANCELLED, "");
      g_thread_join (thread);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  compiler = cured_compiler_new (NULL);
  int result = run_tests ();
  cured_compiler_free (compiler);
  return result;
}
