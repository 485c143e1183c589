/* SPDX-License-Identifier: MIT
 * Replays the golden cases on the emulator: results are those that a GPU gave, and
 * docs/ptx-coverage.md says what is covered.
 *
 * usage: test-golden [GLib's options]
 *        test-golden --coverage       prints docs/ptx-coverage.md */
#include "golden-case.h"

#include <cured.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ptx/exec/cured-ptx-exec-private.h"
#include "ptx/parse/cured-ptx-parser-private.h"
#include "test.h"

#define MAX_MESSAGES 5

/* What the cases of a row gave. */
typedef struct
{
  guint n_cases, n_unrecorded;
  guint64 types;     /* first suffixes, a bit each */
  guint64 others;    /* further suffixes */
  GHashTable *words; /* modifier words that occur */
  GString *problems;
  guint n_problems;
} RowResult;

static RowResult results[CURED_PTX_N_OPS];
static gboolean is_done[CURED_PTX_N_OPS];

static void G_GNUC_PRINTF (2, 3) complain (RowResult *result, const char *format, ...)
{
  va_list arguments;

  if (result->n_problems++ >= MAX_MESSAGES)
    return;
  va_start (arguments, format);
  g_string_append_vprintf (result->problems, format, arguments);
  va_end (arguments);
  g_string_append_c (result->problems, '\n');
}

/* ---- Recordings ---- */

/* (nullable): what was recorded of a row, by the names of its cases. */
static GHashTable *
read_recording (const char *row)
{
  g_autofree char *name = g_strconcat (row, ".txt", NULL);
  g_autofree char *path = g_build_filename (g_getenv ("CURED_TEST_GOLDEN"), name, NULL);
  g_autofree char *text = NULL;

  if (!g_file_get_contents (path, &text, NULL, NULL))
    return NULL;
  GHashTable *found = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  for (gsize i = 0; lines[i] != NULL; i++)
    {
      char *space = strchr (lines[i], ' ');

      if (*lines[i] != '#' && space != NULL)
        {
          *space = '\0';
          g_hash_table_insert (found, g_strdup (lines[i]), g_strdup (space + 1));
        }
    }
  return found;
}

/* ---- Running ---- */

/* FALSE with @error: the text was refused; otherwise @end says how the launch ended. */
static gboolean
run_case (const GoldenCase *golden, gboolean is_baseline, guint8 *buffer, CuredEnd *end,
          RowResult *result, CuredPtxOp op, GError **error)
{
  g_autoptr (CuredPtxModule) module =
      _cured_ptx_parse (golden->ptx, -1, golden->name, _cured_ptx_get_forms (is_baseline), error);
  g_auto (CuredReport) report = { 0 };
  gboolean is_there = FALSE;

  if (module == NULL)
    return FALSE;
  for (guint i = 0; i < module->n_code; i++)
    {
      const CuredPtxInst *inst = &module->code[i];

      if (inst->op != op)
        continue;
      is_there = TRUE;
      if (inst->n_types > 0)
        result->types |= (guint64) 1 << inst->types[0];
      for (guint k = 1; k < inst->n_types; k++)
        result->others |= (guint64) 1 << inst->types[k];
      for (guint k = 0; k < CURED_PTX_N_GROUPS; k++)
        if (inst->words[k] != 0)
          g_hash_table_add (result->words, GUINT_TO_POINTER (inst->words[k]));
    }
  if (!is_there)
    complain (result, "%s: has no such instruction", golden->name);

  if (!golden_case_emulate (golden, module, buffer, &report, error))
    return FALSE;
  *end = report.end;
  /* The emulator goes on after what a GPU does not survive, and says so. */
  for (guint i = 0; i < report.findings->len; i++)
    {
      const CuredFinding *finding = g_ptr_array_index (report.findings, i);

      if (finding->kind == CURED_FINDING_OUT_OF_BOUNDS || finding->kind == CURED_FINDING_MISALIGNED)
        *end = CURED_END_TRAPPED;
    }
  if (report.end != CURED_END_DONE && report.end != CURED_END_TRAPPED)
    complain (result, "%s: %s", golden->name,
              report.end_text != NULL ? report.end_text : "did not end");
  return TRUE;
}

/* ---- Comparing ---- */

static guint64
load (const guint8 *from, gsize bytes)
{
  guint64 value = 0;

  for (gsize i = bytes; i-- > 0;)
    value = value << 8 | from[i];
  return value;
}

/* "a=00000001 b=80000000" of the thread. */
static char *
print_inputs (const GoldenCase *golden, gsize thread)
{
  GString *out = g_string_new (NULL);

  for (guint i = 0; i < golden->operands->len; i++)
    {
      const GoldenOperand *operand = &g_array_index (golden->operands, GoldenOperand, i);

      if (operand->role == GOLDEN_OUT || operand->role == GOLDEN_WARP ||
          operand->type == CURED_PTX_TYPE_NONE)
        continue;
      g_string_append_printf (
          out, " %s=%0*" G_GINT64_MODIFIER "x", operand->name, (int) (2 * operand->bytes),
          load (golden->buffer + operand->offset + thread * operand->bytes, operand->bytes));
    }
  return g_string_free (out, FALSE);
}

static void
compare (const GoldenCase *golden, const guint8 *expected, const guint8 *got, RowResult *result)
{
  guint n_wrong = 0, n_elements = 0;
  g_autofree char *first = NULL;

  for (guint i = 0; i < golden->operands->len; i++)
    {
      const GoldenOperand *operand = &g_array_index (golden->operands, GoldenOperand, i);
      gsize bytes = operand->type == CURED_PTX_TYPE_NONE ? 1 : operand->bytes;

      if (operand->role == GOLDEN_IN || operand->role == GOLDEN_SOURCE)
        continue;
      for (gsize k = 0; k < operand->size; k += bytes)
        {
          guint64 x = load (expected + operand->offset + k, bytes);
          guint64 y = load (got + operand->offset + k, bytes);

          n_elements++;
          if (x == y)
            continue;
          if (n_wrong++ == 0)
            {
              gsize n = golden->n_threads * k / operand->size;
              g_autofree char *inputs = print_inputs (golden, n);

              first = g_strdup_printf ("%s=%0*" G_GINT64_MODIFIER "x, not %0*" G_GINT64_MODIFIER
                                       "x, in thread %zu with%s",
                                       operand->name, (int) (2 * bytes), y, (int) (2 * bytes), x, n,
                                       inputs);
            }
        }
    }
  if (n_wrong > 0)
    complain (result, "%s: %u of %u results differ: %s", golden->name, n_wrong, n_elements, first);
}

static void
replay_case (const GoldenCase *golden, gboolean is_baseline, CuredPtxOp op, const char *recorded,
             RowResult *result)
{
  g_autofree guint8 *buffer = g_malloc (golden->size);
  g_autofree guint8 *expected = g_malloc (golden->size);
  g_autoptr (GError) error = NULL;
  CuredEnd end = CURED_END_DONE;
  gboolean is_run = run_case (golden, is_baseline, buffer, &end, result, op, &error);

  result->n_cases += !is_baseline;
  if (recorded == NULL && !is_baseline)
    result->n_unrecorded++;
  if (recorded != NULL && !g_str_has_prefix (recorded, golden->hash))
    {
      complain (result, "%s: was recorded with another text or other inputs; record it again",
                golden->name);
      return;
    }
  recorded = recorded != NULL ? recorded + strlen (golden->hash) + 1 : NULL;
  if (recorded != NULL && g_str_has_prefix (recorded, "refused"))
    {
      if (is_run)
        complain (result, "%s: runs, but the hardware's compiler refuses it", golden->name);
      return;
    }
  if (!is_run)
    {
      complain (result, "%s: %s", golden->name, error->message);
      return;
    }
  if (recorded == NULL)
    return;
  if (g_str_has_prefix (recorded, "failed"))
    {
      if (end != CURED_END_TRAPPED)
        complain (result, "%s: ends well, but on the hardware: %s", golden->name, recorded);
      return;
    }
  if (end != CURED_END_DONE)
    {
      complain (result, "%s: traps", golden->name);
      return;
    }
  if (!golden_case_read (golden, recorded, expected, &error))
    complain (result, "%s: %s", golden->name, error->message);
  else
    compare (golden, expected, buffer, result);
}

/* Rows of which test-exec has the chip's values, in tests/data/exec/textures.txt: they take textures
 * and surfaces that a program makes. */
static gboolean
is_of_programs (const char *row)
{
  static const char *const rows[] = { "tex_level", "tex_grad", "tld4", "suld", "sust", NULL };

  return g_strv_contains (rows, row);
}

static const RowResult *
replay_row (CuredPtxOp op)
{
  const char *row = _cured_ptx_ops[op].id;
  RowResult *result = &results[op];

  if (is_done[op])
    return result;
  is_done[op] = TRUE;
  result->words = g_hash_table_new (NULL, NULL);
  result->problems = g_string_new (NULL);
  g_autoptr (GPtrArray) cases = golden_cases_new (row);
  g_autoptr (GHashTable) recording = read_recording (row);
  if (cases->len == 0 && !is_of_programs (row))
    complain (result, "the row has no golden case");
  for (guint i = 0; i < cases->len; i++)
    {
      const GoldenCase *golden = g_ptr_array_index (cases, i);
      const char *recorded =
          recording != NULL ? g_hash_table_lookup (recording, golden->name) : NULL;

      /* In both builds of the handlers. */
      for (guint is_baseline = 0; is_baseline < 2; is_baseline++)
        replay_case (golden, is_baseline, op, recorded, result);
    }
  if (recording != NULL)
    {
      GHashTableIter iterator;
      gpointer name;

      g_hash_table_iter_init (&iterator, recording);
      while (g_hash_table_iter_next (&iterator, &name, NULL))
        if (golden_cases_find (cases, name) == NULL)
          complain (result, "%s: recorded, but no case", (char *) name);
    }
  return result;
}

static void
test_row (gconstpointer data)
{
  const RowResult *result = replay_row ((CuredPtxOp) GPOINTER_TO_UINT (data));
  g_auto (GStrv) lines = g_strsplit (result->problems->str, "\n", -1);

  for (gsize i = 0; lines[i] != NULL && *lines[i] != '\0'; i++)
    g_test_message ("%s", lines[i]);
  if (result->n_problems > MAX_MESSAGES)
    g_test_message ("and %u more", result->n_problems - MAX_MESSAGES);
  if (result->n_problems > 0)
    g_test_fail ();
  else if (result->n_cases == 0)
    g_test_skip ("compared by test-exec");
  else if (result->n_unrecorded > 0)
    {
      g_test_message ("%u of %u cases are not recorded on a GPU", result->n_unrecorded,
                      result->n_cases);
      g_test_skip ("not recorded on a GPU");
    }
}

/* ---- Nothing is taken that is not tested ---- */

/* The types and words of the forms of a row, but for shapes that a handler looks at. */
static void
gather_forms (const CuredPtxFormTable *table, guint op, guint64 *types,
              gboolean words[CURED_PTX_N_WORDS])
{
  for (guint i = 0; i < table->n[op]; i++)
    {
      const CuredPtxForm *form = table->rows[op][i];

      *types |= form->types[0];
      for (guint k = 0; k < G_N_ELEMENTS (form->words); k++)
        words[form->words[k] & ~MAY_BE_MISSING] = TRUE;
      /* The parser has made st.local of st.param, and no recorded chip has 256 bits. */
      if (op == CURED_PTX_OP_st)
        words[CURED_PTX_SPACE_PARAM] = FALSE;
      if (op == CURED_PTX_OP_ld || op == CURED_PTX_OP_st)
        words[CURED_PTX_VECTOR_V8] = words[CURED_PTX_EVICT2_NORMAL] =
            words[CURED_PTX_EVICT2_FIRST] = words[CURED_PTX_EVICT2_LAST] = FALSE;
      for (guint w = 1; w < CURED_PTX_N_WORDS && (form->free & G_SHAPE) == 0; w++)
        words[w] |= (form->free >> _cured_ptx_word_groups[w] & 1) != 0;
    }
}

TEST ("/golden-coverage/accepted")
{
  const CuredPtxFormTable *table = _cured_ptx_get_forms (FALSE);

  for (guint op = 0; op < CURED_PTX_N_OPS; op++)
    {
      const CuredPtxOpInfo *info = &_cured_ptx_ops[op];
      const RowResult *result = replay_row ((CuredPtxOp) op);
      guint64 types = 0;
      gboolean words[CURED_PTX_N_WORDS] = { FALSE };

      /* What a GPU gave for arrays is in tests/data/exec/textures.txt. */
      if (_cured_ptx_is_texture (op))
        continue;
      gather_forms (table, op, &types, words);
      types = types == ANY_TYPES ? 0 : types & info->types;
      for (guint type = 1; type < CURED_PTX_N_TYPES; type++)
        if (types >> type & ~result->types >> type & 1)
          {
            g_test_message ("%s: takes .%s, and no case tests it", info->id,
                            _cured_ptx_types[type].word);
            g_test_fail ();
          }
      for (guint w = 1; w < CURED_PTX_N_WORDS; w++)
        if (words[w] && (info->modifiers >> _cured_ptx_word_groups[w] & 1) != 0 &&
            !g_hash_table_contains (result->words, GUINT_TO_POINTER (w)))
          {
            g_test_message ("%s: takes .%s, and no case tests it", info->id,
                            _cured_ptx_word_names[w]);
            g_test_fail ();
          }
    }
}

/* ---- The page ---- */

static const char *const class_titles[] = {
  [CURED_PTX_CLASS_INT] = "Integers",
  [CURED_PTX_CLASS_VIDEO] = "Video",
  [CURED_PTX_CLASS_LOGIC] = "Logic and shifts",
  [CURED_PTX_CLASS_COMPARE] = "Comparison and selection",
  [CURED_PTX_CLASS_FLOAT] = "Floating point",
  [CURED_PTX_CLASS_HALF] = "Half precision",
  [CURED_PTX_CLASS_CONVERT] = "Conversion",
  [CURED_PTX_CLASS_MOVE] = "Moving",
  [CURED_PTX_CLASS_MEMORY] = "Memory",
  [CURED_PTX_CLASS_ATOMIC] = "Atomics and fences",
  [CURED_PTX_CLASS_WARP] = "Across the warp",
  [CURED_PTX_CLASS_BARRIER] = "Barriers",
  [CURED_PTX_CLASS_MATRIX] = "Matrices",
  [CURED_PTX_CLASS_CONTROL] = "Control",
};

static void
write_types (GString *page, guint64 types)
{
  for (guint type = 1; type < CURED_PTX_N_TYPES; type++)
    if (types >> type & 1)
      g_string_append_printf (page, " %s", _cured_ptx_types[type].word);
}

/* A bar would end the cell. */
static char *
escape (const char *text)
{
  g_auto (GStrv) parts = g_strsplit (text, "|", -1);

  return g_strjoinv ("\\|", parts);
}

static void
write_row (GString *page, CuredPtxOp op)
{
  const CuredPtxOpInfo *info = &_cured_ptx_ops[op];
  const RowResult *result = replay_row (op);
  g_autofree char *meaning = escape (info->meaning);

  g_string_append_printf (page, "| `%s` |", info->mnemonic);
  write_types (page, _cured_ptx_is_texture (op) ? info->types : result->types);
  if (result->others & ~result->types)
    {
      g_string_append (page, ";");
      write_types (page, result->others);
    }
  g_string_append (page, " |");
  for (guint w = 1; w < CURED_PTX_N_WORDS; w++)
    if (g_hash_table_contains (result->words, GUINT_TO_POINTER (w)))
      g_string_append_printf (page, " %s", _cured_ptx_word_names[w]);
  g_string_append_printf (page, " | %s | %u |%s\n", meaning, result->n_cases,
                          result->n_unrecorded > 0 ? " not all recorded" : "");
}

static char *
write_page (void)
{
  GString *page = g_string_new (
      "# The PTX that the emulator runs\n\n"
      "`test-golden --coverage` writes this page from the table of instructions; a test fails\n"
      "where the page is out of date. Each case ran on an NVIDIA H200 and on the emulator, and\n"
      "the results are equal in every bit, also those of approximations\n"
      "([how](special-functions.md)). Types and modifiers are listed if a case has them; a test\n"
      "fails where the emulator accepts one that no case has. Textures and surfaces are also\n"
      "covered by `tests/data/exec/textures.cu`.\n\n"
      "Types after a semicolon are those of the second and further suffixes. An instruction,\n"
      "type or modifier that is not listed is refused when a kernel is loaded.\n");

  for (guint klass = 0; klass < G_N_ELEMENTS (class_titles); klass++)
    {
      g_string_append_printf (page,
                              "\n## %s\n\n"
                              "| instruction | types | modifiers | meaning | cases |\n"
                              "|---|---|---|---|---:|\n",
                              class_titles[klass]);
      for (guint op = 0; op < CURED_PTX_N_OPS; op++)
        if (_cured_ptx_ops[op].klass == klass)
          write_row (page, (CuredPtxOp) op);
    }
  return g_string_free (page, FALSE);
}

/* A sum of which a tiny negative product is cut off is +0, on an H200 with these inputs. */
TEST ("/golden-sum/zero")
{
  static const char name[] = "mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32/any";
  g_autoptr (GPtrArray) cases = golden_cases_new ("mma");
  g_auto (CuredReport) report = { 0 };
  GoldenCase *golden = NULL;
  guint n_found = 0;

  for (guint i = 0; i < cases->len; i++)
    if (g_str_equal (((GoldenCase *) cases->pdata[i])->name, name))
      golden = cases->pdata[i];
  g_assert_nonnull (golden);
  golden_case_fill (golden, 2000809);
  g_autofree guint8 *buffer = g_malloc (golden->size);
  g_autoptr (CuredPtxModule) module =
      MUST (cured_ptx_module_parse (golden->ptx, -1, golden->name, &fail));
  MUST (golden_case_emulate (golden, module, buffer, &report, &fail));
  for (guint i = 0; i < golden->operands->len; i++)
    {
      const GoldenOperand *operand = &g_array_index (golden->operands, GoldenOperand, i);
      guint32 value;

      if (!g_str_equal (operand->name, "d2"))
        continue;
      memcpy (&value, buffer + operand->offset + 17 * operand->bytes, sizeof value);
      g_assert_cmphex (value, ==, 0);
      n_found++;
    }
  g_assert_cmpuint (n_found, ==, 1);
}

TEST ("/golden-coverage/page")
{
  g_autofree char *page = write_page ();
  g_autofree char *written = NULL;

  MUST (g_file_get_contents (g_getenv ("CURED_TEST_COVERAGE"), &written, NULL, &fail));
  if (!g_str_equal (page, written))
    {
      g_test_message ("%s is stale: test-golden --coverage prints a new one",
                      g_getenv ("CURED_TEST_COVERAGE"));
      g_test_fail ();
    }
}

static void
free_results (void)
{
  for (guint op = 0; op < CURED_PTX_N_OPS; op++)
    if (is_done[op])
      {
        g_hash_table_unref (results[op].words);
        g_string_free (results[op].problems, TRUE);
      }
}

int
main (int argc, char **argv)
{
  if (argc == 2 && g_str_equal (argv[1], "--coverage"))
    {
      g_autofree char *page = write_page ();

      fputs (page, stdout);
      free_results ();
      return 0;
    }
  g_test_init (&argc, &argv, NULL);
  g_test_set_nonfatal_assertions ();
  for (guint op = 0; op < CURED_PTX_N_OPS; op++)
    {
      g_autofree char *path = g_strconcat ("/golden/", _cured_ptx_ops[op].id, NULL);

      g_test_add_data_func (path, GUINT_TO_POINTER (op), test_row);
    }
  int status = run_tests ();
  free_results ();
  return status;
}
