/* SPDX-License-Identifier: MIT
 * Decoded machine code: what must hold of any, damaged files, and the catalogue's against
 * nvdisasm's text and life ranges. */
#include <cured.h>
#include <glib/gstdio.h>
#include <string.h>
#include "base/cured-own.h"
#include "sass/cured-sass-code-internal.h"
#include "test-compiled.h"
#include "test.h"

static GBytes *
read_cubin (guint arch)
{
  g_autofree char *name = g_strdup_printf ("shared.sm_%u.cubin", arch);
  g_autofree char *path = g_build_filename (g_getenv ("CURED_TEST_DATA"), "cubin", name, NULL);
  char *contents = NULL;
  gsize size = 0;

  MUST (g_file_get_contents (path, &contents, &size, &fail));
  return g_bytes_new_take (contents, size);
}

static const CuredSassInst *
get_inst (const CuredSassCode *code, guint i)
{
  return &g_array_index (code->insts, CuredSassInst, i);
}

/* Registers, as nvdisasm's table of life ranges has them: "R3", and "U", "P", "Q" of uniform
 * registers, predicates and uniform predicates. */
static GHashTable *
list_registers (const CuredSassInst *inst, gboolean is_written)
{
  GHashTable *set = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (guint i = 0; i < inst->n_operands; i++)
    {
      const CuredSassOperand *operand = &inst->operands[i];

      if (operand->is_written != is_written)
        continue;
      for (guint j = 0; j < operand->count; j++)
        g_hash_table_add (set,
                          g_strdup_printf ("%c%u", "RUPQ"[operand->file], operand -> first + j));
    }
  return set;
}

/* ---- What must hold of any ---- */

static gboolean
touches (const CuredSassInst *inst, const CuredSassOperand *what)
{
  for (guint i = 0; i < inst->n_operands; i++)
    {
      const CuredSassOperand *operand = &inst->operands[i];

      if (operand->file == what->file && operand->first < what->first + what->count &&
          what->first < operand->first + operand->count)
        return TRUE;
    }
  return FALSE;
}

/* An instruction of the same straight piece of code that uses the result of @code[@at] waits for
 * its barrier, or one between them did. */
static void
check_wait (const CuredSassCode *code, guint at)
{
  const CuredSassInst *source = get_inst (code, at);

  for (guint i = 0; i < source->n_operands; i++)
    {
      const CuredSassOperand *operand = &source->operands[i];

      if (!operand->is_written)
        continue;
      for (guint j = at + 1; j < code->insts->len; j++)
        {
          const CuredSassInst *user = get_inst (code, j);

          if ((user->wait_mask >> source->write_barrier & 1) != 0 ||
              user->target != CURED_SASS_NO_TARGET || user->is_indirect ||
              user->op_class == CURED_SASS_CLASS_EXIT)
            break;
          if (touches (user, operand))
            {
              g_test_message ("0x%" G_GINT64_MODIFIER "x uses what 0x%" G_GINT64_MODIFIER
                              "x brings",
                              user->offset, source->offset);
              g_test_fail ();
              break;
            }
        }
    }
}

static void
check_code (const CuredSassCode *code)
{
  for (guint i = 0; i < code->insts->len; i++)
    {
      const CuredSassInst *inst = get_inst (code, i);
      g_autofree char *mnemonic = cured_sass_inst_get_mnemonic (inst);

      g_assert_cmpuint (inst->offset, ==, i * 16);
      g_assert_cmpuint (inst->stall, <, 16);
      g_assert_cmpuint (inst->n_operands, <=, CURED_SASS_MAX_OPERANDS);
      g_assert_cmpuint (strlen (mnemonic), >, 0);
      g_assert_nonnull (cured_sass_pipe_get_name (inst->pipe));
      g_assert_nonnull (cured_sass_class_get_name (inst->op_class));
      if (inst->row >= 0 && inst->write_barrier != CURED_SASS_NO_BARRIER)
        check_wait (code, i);
    }
}

/* ---- Recorded files ---- */

static void
test_recorded (gconstpointer data)
{
  guint arch = GPOINTER_TO_UINT (data);
  g_autoptr (GBytes) cubin = read_cubin (arch);
  g_autoptr (CuredSassCode) code = MUST (cured_sass_code_new (cubin, "shared_all", &fail));
  guint n_wide = 0, n_exits = 0;

  g_assert_cmpuint (code->arch, ==, arch);
  check_code (code);
  for (guint i = 0; i < code->insts->len; i++)
    {
      const CuredSassInst *inst = get_inst (code, i);
      g_autofree char *mnemonic = cured_sass_inst_get_mnemonic (inst);

      n_exits += inst->op_class == CURED_SASS_CLASS_EXIT;
      if (!g_str_equal (mnemonic, "LDS.128"))
        continue;
      n_wide++;
      g_assert_cmpint (inst->pipe, ==, CURED_SASS_PIPE_LSU);
      g_assert_cmpint (inst->op_class, ==, CURED_SASS_CLASS_LOAD_SHARED);
      g_assert_cmpuint (inst->width, ==, 128);
      g_assert_cmpint (inst->line, ==, 40);
      g_assert_cmpint (inst->write_barrier, !=, CURED_SASS_NO_BARRIER);
      g_assert_true (inst->operands[0].is_written);
      g_assert_cmpint (inst->operands[0].file, ==, CURED_SASS_REGISTER);
      g_assert_cmpuint (inst->operands[0].count, ==, 4);
    }
  g_assert_cmpuint (n_wide, ==, 1);
  g_assert_cmpuint (n_exits, >=, 1);
}

/* An operation that is in no row is named by its number. */
TEST ("/sass-code/unknown")
{
  g_autoptr (GBytes) cubin = read_cubin (90);
  gsize size = 0;
  g_autoptr (CuredSassCode) before = MUST (cured_sass_code_new (cubin, "shared_all", &fail));

  guint8 *copy = g_memdup2 (g_bytes_get_data (cubin, &size), g_bytes_get_size (cubin));
  guint8 *place = memmem (copy, size, get_inst (before, 0)->words, 16);
  g_assert_nonnull (place);
  place[0] = 0xee;
  place[1] |= 1;
  g_autoptr (GBytes) changed = g_bytes_new_take (copy, size);
  g_autoptr (CuredSassCode) code = MUST (cured_sass_code_new (changed, "shared_all", &fail));
  g_autofree char *mnemonic = cured_sass_inst_get_mnemonic (get_inst (code, 0));
  g_assert_cmpstr (mnemonic, ==, "?1ee");
  g_assert_cmpint (get_inst (code, 0)->row, ==, -1);
  g_assert_cmpint (get_inst (code, 0)->pipe, ==, CURED_SASS_PIPE_UNKNOWN);
  g_assert_cmpuint (get_inst (code, 0)->n_operands, ==, 0);
}

/* Whatever is in the file, reading it ends, and stays inside of it. */
TEST ("/sass-code/damaged")
{
  g_autoptr (GBytes) cubin = read_cubin (80);
  g_autoptr (GRand) random = g_rand_new_with_seed (20261122);
  gsize size = 0;
  const guint8 *data = g_bytes_get_data (cubin, &size);
  guint n_read = 0;

  for (guint turn = 0; turn < 1500; turn++)
    {
      guint8 *copy = g_memdup2 (data, size);
      g_autoptr (GBytes) changed = g_bytes_new_take (copy, size);

      for (guint i = 0; i < 32; i++)
        copy[g_rand_int_range (random, 64, (gint32) size)] = (guint8) g_rand_int (random);
      g_autoptr (CuredSassCode) code = cured_sass_code_new (changed, "shared_all", NULL);
      if (code == NULL)
        continue;
      n_read++;
      for (guint i = 0; i < code->insts->len; i++)
        g_free (cured_sass_inst_get_mnemonic (get_inst (code, i)));
    }
  g_assert_cmpuint (n_read, >, 0);
}

/* ---- Explanations of the catalogue ---- */

/* Loads from shared memory in the main loop of matmul/tiled: those of a row of a are merged where
 * rows are aligned. Its comment and a lesson explain times by that. */
static const struct
{
  const char *tile;
  gint64 side;
  guint n_loads;
} tiles[] = { { "30", 30, 45 }, { "31", 31, 62 }, { "32", 32, 40 } };

TEST_ROWS ("/sass-code/merged-loads/%s", tiles)
{
  const typeof (tiles[0]) *row = data;
  static const CuredLimits limits = { .sms = 132 };
  gint64 values[] = { row->side, 64 };
  guint n_loads = 0;

  NEED_COMPILER ();
  g_autoptr (CuredCompiler) compiler = MUST (cured_compiler_new (&fail));
  g_autoptr (CuredKernel) kernel = MUST (cured_catalogue_get ("matmul/tiled", &fail));
  g_assert_cmpuint (kernel->n_parameters, ==, G_N_ELEMENTS (values));
  g_autoptr (CuredProgram) program = MUST (cured_program_new (kernel, values, &limits, &fail));
  g_autoptr (GBytes) cubin =
      MUST (cured_compiler_compile (compiler, kernel->source, "kernel.cu",
                                    (const char *const *) program->defines, "sm_90", NULL, &fail));
  g_autoptr (CuredSassCode) code = MUST (cured_sass_code_new (cubin, "matmul_tiled", &fail));
  for (guint i = 0; i < code->insts->len; i++)
    n_loads += get_inst (code, i)->op_class == CURED_SASS_CLASS_LOAD_SHARED;
  g_assert_cmpuint (n_loads, ==, row->n_loads);
}

/* ---- Against nvdisasm ---- */

/* One instruction of its listing. */
typedef struct
{
  char *text;
  GHashTable *written, *read;
} Listed;

/* What it says of a column of the table of life ranges. */
typedef struct
{
  gsize place;
  char file;
  guint number;
} Column;

CURED_FREE_FUNC (Listed, listed_free, text, g_free, written, g_hash_table_unref, read,
                 g_hash_table_unref)

static char *
find_disassembler (void)
{
  const char *name = g_getenv ("CURED_NVDISASM");
  char *path = g_find_program_in_path (name != NULL ? name : "nvdisasm");

  return path != NULL ? path : g_find_program_in_path ("/usr/local/cuda/bin/nvdisasm");
}

/* The line of numbers above a table: "|  # 0 1 2  | # 0 1 |  # 0  |". */
static void
read_columns (const char *names, const char *numbers, GArray *columns)
{
  static const struct
  {
    const char *name;
    char file;
  } files[] = { { "UGPR", 'U' }, { "GPR", 'R' }, { "UPRED", 'Q' }, { "PRED", 'P' } };
  g_auto (GStrv) parts = g_strsplit (numbers, "|", -1);
  g_auto (GStrv) titles = g_strsplit (names, "|", -1);
  gsize place = 0;

  g_array_set_size (columns, 0);
  for (gsize i = 0; parts[i] != NULL && titles[i] != NULL; i++)
    {
      char file = '\0';

      g_strstrip (titles[i]);
      for (gsize j = 0; j < G_N_ELEMENTS (files); j++)
        if (g_str_equal (titles[i], files[j].name))
          file = files[j].file;
      for (const char *at = parts[i]; *at != '\0' && file != '\0'; at++)
        {
          Column column = { .file = file };
          char *end = NULL;

          if (!g_ascii_isdigit (*at))
            continue;
          column.number = (guint) g_ascii_strtoull (at, &end, 10);
          at = end - 1;
          column.place = place + (gsize) (at - parts[i]);
          g_array_append_val (columns, column);
        }
      place += strlen (parts[i]) + 1;
    }
}

/* Offset → Listed, and label → offset, of one kernel. */
static void
read_listing (const char *listing, const char *entry, GHashTable *instructions, GHashTable *labels)
{
  g_autofree char *begin = g_strdup_printf (".text.%s:", entry);
  g_autoptr (GRegex) instruction =
      g_regex_new ("^\\s*/\\*([0-9a-f]{4,})\\*/\\s+(.*?)\\s*;", G_REGEX_OPTIMIZE, 0, NULL);
  g_autoptr (GArray) columns = g_array_new (FALSE, FALSE, sizeof (Column));
  g_auto (GStrv) lines = g_strsplit (listing, "\n", -1);
  g_autofree char *names = NULL;
  g_autoptr (GPtrArray) waiting = g_ptr_array_new ();
  gboolean is_in = FALSE;

  for (gsize i = 0; lines[i] != NULL; i++)
    {
      char *table = strstr (lines[i], "// ");
      g_autoptr (GMatchInfo) match = NULL;
      char *code = lines[i];

      if (table != NULL)
        {
          *table = '\0';
          table += strlen ("// |"); /* or "// +" */
          if (strstr (table, "GPR") != NULL)
            {
              g_free (names);
              names = g_strdup (table);
              continue;
            }
          if (strstr (table, "# ") != NULL)
            {
              read_columns (names, table, columns);
              continue;
            }
        }
      g_strstrip (code);
      if (g_str_has_prefix (code, ".text."))
        is_in = g_str_equal (code, begin);
      if (!is_in)
        continue;
      if (code[0] == '.' && g_str_has_suffix (code, ":"))
        {
          code[strlen (code) - 1] = '\0';
          g_ptr_array_add (waiting, code);
        }
      else if (g_regex_match (instruction, code, 0, &match))
        {
          g_autofree char *offset = g_match_info_fetch (match, 1);
          Listed *listed = g_new0 (Listed, 1);
          guint64 *place = g_new (guint64, 1);

          *place = g_ascii_strtoull (offset, NULL, 16);
          for (guint j = 0; j < waiting->len; j++)
            g_hash_table_insert (labels, g_strdup (waiting->pdata[j]),
                                 g_memdup2 (place, sizeof *place));
          g_ptr_array_set_size (waiting, 0);
          listed->text = g_match_info_fetch (match, 2);
          listed->written = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
          listed->read = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
          for (guint j = 0; table != NULL && j < columns->len; j++)
            {
              const Column *column = &g_array_index (columns, Column, j);
              char mark = column->place < strlen (table) ? table[column->place] : ' ';

              if (mark == '^' || mark == 'x')
                g_hash_table_add (listed->written,
                                  g_strdup_printf ("%c%u", column->file, column->number));
              if (mark == 'v' || mark == 'x')
                g_hash_table_add (listed->read,
                                  g_strdup_printf ("%c%u", column->file, column->number));
            }
          g_hash_table_insert (instructions, place, listed);
        }
    }
}

static gboolean
is_same_set (GHashTable *a, GHashTable *b)
{
  GHashTableIter iter;
  gpointer key = NULL;

  if (g_hash_table_size (a) != g_hash_table_size (b))
    return FALSE;
  g_hash_table_iter_init (&iter, a);
  while (g_hash_table_iter_next (&iter, &key, NULL))
    if (!g_hash_table_contains (b, key))
      return FALSE;
  return TRUE;
}

/* The guard in front of the name: "@!P0 ". */
static const char *
skip_guard (const char *text, const CuredSassInst *inst, gboolean *is_same)
{
  const char *at = text;
  gboolean is_negated = FALSE;
  guint number = CURED_SASS_NO_PREDICATE;

  if (*at == '@')
    {
      at++;
      is_negated = *at == '!';
      at += is_negated;
      at += *at == 'U';
      at++; /* P */
      if (*at != 'T')
        number = (guint) g_ascii_digit_value (*at);
      at++;
      while (*at == ' ')
        at++;
    }
  *is_same = inst->guard == number &&
             (number == CURED_SASS_NO_PREDICATE ? inst->never == is_negated
                                                : inst->is_guard_negated == is_negated);
  return at;
}

/* Of memory, matrices and the like all modifiers count, but for those that say how numbers are
 * added; of others the name alone, and whether it is wide. */
static char *
reduce_name (const CuredSassInst *inst, const char *name)
{
  static const char *const dropped[] = {
    "LTC64B", "LTC128B", "LTC256B", "U32", "S32", "FTZ", "RN",
    "SPIN",   "IVALL",   "OR",      "AND", "SUM", "XOR", "MAX",
  };
  static const char *const counted[] = { "WIDE", "HI", "64", "MMA" };
  gboolean is_whole = inst->pipe == CURED_SASS_PIPE_LSU || inst->pipe == CURED_SASS_PIPE_TENSOR ||
                      inst->op_class == CURED_SASS_CLASS_SPECIAL ||
                      inst->op_class == CURED_SASS_CLASS_LOAD_CONSTANT;
  gboolean has_counted = inst->op_class == CURED_SASS_CLASS_INTEGER_MULTIPLY ||
                         inst->op_class == CURED_SASS_CLASS_HALF;
  g_auto (GStrv) words = g_strsplit (name, ".", -1);
  GString *left = g_string_new (words[0]);

  for (gsize i = 1; words[0] != NULL && words[i] != NULL; i++)
    {
      gboolean is_kept = is_whole;

      for (gsize j = 0; j < G_N_ELEMENTS (dropped) && is_kept; j++)
        is_kept = !g_str_equal (words[i], dropped[j]);
      for (gsize j = 0; j < G_N_ELEMENTS (counted) && has_counted; j++)
        is_kept |= g_str_equal (words[i], counted[j]);
      if (is_kept)
        g_string_append_printf (left, ".%s", words[i]);
    }
  return g_string_free (left, FALSE);
}

static gboolean
is_same_name (const CuredSassInst *inst, const char *text)
{
  g_autofree char *mnemonic = cured_sass_inst_get_mnemonic (inst);
  /* What is RED for sm_80 it calls REDG for sm_90. */
  gboolean is_global = g_str_has_prefix (text, "REDG.");
  g_autofree char *rest =
      g_strndup (text + (is_global ? 4 : 0), strcspn (text + (is_global ? 4 : 0), " "));
  g_autofree char *name = g_strconcat (is_global ? "RED" : "", rest, NULL);
  g_autofree char *ours = reduce_name (inst, mnemonic);
  g_autofree char *theirs = reduce_name (inst, name);

  /* Double precision's shape has two ways to be written. */
  return g_str_equal (ours, theirs) ||
         (g_str_equal (name, "DMMA.884") && g_str_equal (mnemonic, "DMMA.8x8x4"));
}

/* "c[0x0][0x28]" */
static gboolean
is_same_constant (const CuredSassInst *inst, const char *text)
{
  g_autofree char *constant = g_strdup_printf ("c[0x%x][0x%x]", inst->bank, inst->address);
  g_autofree char *indexed = g_strdup_printf ("c[0x%x][R", inst->bank);

  if (!inst->has_constant)
    return strstr (text, "c[0x") == NULL;
  return strstr (text, constant) != NULL || strstr (text, indexed) != NULL;
}

static gboolean
is_same_target (const CuredSassInst *inst, const char *text, GHashTable *labels)
{
  const char *at = strstr (text, "`(.L_");

  /* LEPC takes the address, and goes nowhere. */
  if (at == NULL || inst->op_class == CURED_SASS_CLASS_MOVE)
    return inst->target == CURED_SASS_NO_TARGET || inst->op_class == CURED_SASS_CLASS_CALL;
  at += 2;
  g_autofree char *label = g_strndup (at, strcspn (at, ")"));
  const guint64 *place = g_hash_table_lookup (labels, label);
  return place != NULL && *place == inst->target;
}

/* What the table of life ranges has otherwise: all of a function where it is called, and what it
 * leaves out. A copy's predicate stands there as written, too. */
static gboolean
has_own_ranges (const CuredSassInst *inst)
{
  g_autofree char *mnemonic = cured_sass_inst_get_mnemonic (inst);

  return inst->op_class != CURED_SASS_CLASS_CALL && !g_str_equal (mnemonic, "P2R") &&
         !g_str_equal (mnemonic, "R2P");
}

typedef struct
{
  guint n_instructions, n_unknown, n_equal;
} Tally;

static void
compare_entry (const CuredSassCode *code, const char *listing, const char *entry, Tally *tally)
{
  g_autoptr (GHashTable) instructions =
      g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, listed_free);
  g_autoptr (GHashTable) labels = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);

  read_listing (listing, entry, instructions, labels);
  g_assert_cmpuint (g_hash_table_size (instructions), >, 0);
  for (guint i = 0; i < code->insts->len; i++)
    {
      const CuredSassInst *inst = get_inst (code, i);
      const Listed *listed = g_hash_table_lookup (instructions, &inst->offset);
      g_autoptr (GHashTable) written = list_registers (inst, TRUE);
      g_autoptr (GHashTable) read = list_registers (inst, FALSE);
      const char *wrong = NULL;
      gboolean is_same_guard = FALSE;

      /* It leaves out what fills the section up. */
      if (listed == NULL)
        {
          g_assert_cmpuint (i, >=, g_hash_table_size (instructions));
          g_assert_cmpuint (inst->opcode, ==, 0x118);
          continue;
        }
      tally->n_instructions++;
      if (inst->row < 0)
        {
          g_test_message ("not known: %s", listed->text);
          tally->n_unknown++;
          continue;
        }
      const char *text = skip_guard (listed->text, inst, &is_same_guard);
      if (!is_same_guard)
        wrong = "guard";
      else if (!is_same_name (inst, text))
        wrong = "name";
      else if (!is_same_constant (inst, text))
        wrong = "constant";
      else if (!is_same_target (inst, text, labels))
        wrong = "target";
      else if (has_own_ranges (inst) && ((!is_same_set (written, listed->written) &&
                                          inst->op_class != CURED_SASS_CLASS_COPY) ||
                                         !is_same_set (read, listed->read)))
        wrong = "registers";
      if (wrong != NULL)
        {
          g_autofree char *mnemonic = cured_sass_inst_get_mnemonic (inst);

          g_test_message ("%s, 0x%" G_GINT64_MODIFIER "x: %s of “%s”, which is “%s”", entry,
                          inst->offset, wrong, mnemonic, listed->text);
        }
      else
        tally->n_equal++;
    }
}

static char *
disassemble (GBytes *cubin, const char *disassembler)
{
  g_autofree char *path = NULL;
  char *listing = NULL;
  const char *argv[] = { disassembler, "-c", "-plr", NULL, NULL };
  int status = 0;
  int file = MUST (g_file_open_tmp ("cured-XXXXXX.cubin", &path, &fail));

  g_close (file, NULL);
  MUST (g_file_set_contents (path, g_bytes_get_data (cubin, NULL),
                             (gssize) g_bytes_get_size (cubin), &fail));
  argv[3] = path;
  MUST (g_spawn_sync (NULL, (char **) argv, NULL, G_SPAWN_DEFAULT, NULL, NULL, &listing, NULL,
                      &status, &fail));
  g_assert_cmpint (status, ==, 0);
  g_remove (path);
  return listing;
}

static void
compare_program (CuredCompiler *compiler, const CuredProgram *program, const char *arch,
                 const char *disassembler, Tally *tally)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) cubin =
      cured_compiler_compile (compiler, program->kernel->source, "kernel.cu",
                              (const char *const *) program->defines, arch, NULL, &error);

  /* A few need what an older chip does not have. */
  if (g_error_matches (error, CURED_ERROR, CURED_ERROR_COMPILE))
    {
      g_test_message ("not for %s: %s", arch, error->message);
      return;
    }
  g_assert_no_error (error);
  g_autofree char *listing = disassemble (cubin, disassembler);
  for (gsize i = 0; i < program->n_steps; i++)
    {
      const char *entry = program->steps[i].entry;

      if (entry == NULL)
        continue;
      g_autoptr (CuredSassCode) code = MUST (cured_sass_code_new (cubin, entry, &fail));
      check_code (code);
      compare_entry (code, listing, entry, tally);
    }
}

static void
test_catalogue (gconstpointer data)
{
  const char *arch = data;
  static const CuredLimits limits = { .sms = 132 };
  g_autofree char *disassembler = find_disassembler ();
  g_auto (GStrv) ids = cured_catalogue_list ();
  g_autoptr (GError) error = NULL;
  Tally tally = { 0 };

  if (disassembler == NULL)
    {
      g_test_skip ("nvdisasm was not found; CURED_NVDISASM can name it");
      return;
    }
  g_autoptr (CuredCompiler) compiler = cured_compiler_new (&error);
  NEED_COMPILER ();
  for (gsize i = 0; ids[i] != NULL; i++)
    {
      g_autoptr (CuredKernel) kernel = MUST (cured_catalogue_get (ids[i], &fail));

      g_test_message ("%s", ids[i]);
      g_autofree gint64 *values = g_new0 (gint64, kernel->n_parameters + 1);
      for (gsize j = 0; j < kernel->n_parameters; j++)
        values[j] = kernel->parameters[j].default_value;
      g_autoptr (CuredProgram) program = MUST (cured_program_new (kernel, values, &limits, &fail));
      compare_program (compiler, program, arch, disassembler, &tally);
    }
  g_test_message ("%u instructions, %u equal, %u not known", tally.n_instructions, tally.n_equal,
                  tally.n_unknown);
  g_assert_cmpuint (tally.n_instructions, >, 0);
  g_assert_cmpuint (tally.n_unknown, ==, 0);
  g_assert_cmpuint (tally.n_equal, ==, tally.n_instructions);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/sass-code/recorded/sm-75", GUINT_TO_POINTER (75), test_recorded);
  g_test_add_data_func ("/sass-code/recorded/sm-80", GUINT_TO_POINTER (80), test_recorded);
  g_test_add_data_func ("/sass-code/recorded/sm-90", GUINT_TO_POINTER (90), test_recorded);
  g_test_add_data_func ("/sass-code/catalogue/sm-80", "sm_80", test_catalogue);
  g_test_add_data_func ("/sass-code/catalogue/sm-90", "sm_90", test_catalogue);
  return run_tests ();
}
