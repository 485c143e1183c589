/* SPDX-License-Identifier: MIT
 * What the emulator counts is what the counters of a GPU counted. The quick part: one cell of each
 * kernel.
 *
 * usage: test-counters [--quick | --shard=I/N] [GLib's options]
 *        test-counters --table      prints both, in Markdown */
#include "golden-cells.h"

#include <stdio.h>
#include <string.h>

#include "base/cured-own.h"
#include "device/cured-argument-private.h"
#include "kernel/fill/cured-fill-internal.h"
#include "kernel/program/cured-program-internal.h"
#include "part.h"
#include "ptx/emulator/cured-emulator.h"
#include "ptx/parse/cured-ptx-parse.h"
#include "test.h"

#define SEED 1

/* What is compared: the hardware's name, and which of the emulator's sites are meant. */
typedef enum
{
  SHARED_LOADS,
  SHARED_STORES,
  SHARED_PRODUCTS,
  GLOBAL_LOAD_SECTORS,
  GLOBAL_STORE_SECTORS,
  GLOBAL_LOAD_REQUESTS,
  GLOBAL_STORE_REQUESTS,
  N_COUNTERS
} Counter;

static const struct
{
  const char *name, *title;
} counters[N_COUNTERS] = {
  [SHARED_LOADS] = { "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld",
                     "shared loads, wavefronts" },
  [SHARED_STORES] = { "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st",
                      "shared stores, wavefronts" },
  [SHARED_PRODUCTS] = { "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_gmma",
                        "shared operands of products, wavefronts" },
  [GLOBAL_LOAD_SECTORS] = { "l1tex__t_sectors_pipe_lsu_mem_global_op_ld", "global loads, sectors" },
  [GLOBAL_STORE_SECTORS] = { "l1tex__t_sectors_pipe_lsu_mem_global_op_st",
                             "global stores, sectors" },
  [GLOBAL_LOAD_REQUESTS] = { "l1tex__t_requests_pipe_lsu_mem_global_op_ld",
                             "global loads, requests" },
  [GLOBAL_STORE_REQUESTS] = { "l1tex__t_requests_pipe_lsu_mem_global_op_st",
                              "global stores, requests" },
};

/* One launch of a cell, as the hardware counted it. */
typedef struct
{
  char *kernel, *cell, *entry;
  gint64 counts[N_COUNTERS]; /* -1: not recorded */
} Recorded;

static GPtrArray *recorded;
static GPtrArray *cells;
static CuredCompiler *compiler;

CURED_FREE_FUNC (Recorded, recorded_free, kernel, g_free, cell, g_free, entry, g_free)

static void
read_recording (void)
{
  g_autofree char *path = g_build_filename (g_getenv ("CURED_TEST_GOLDEN"), "counters.tsv", NULL);
  g_autofree char *text = NULL;
  g_auto (GStrv) names = NULL;

  recorded = g_ptr_array_new_with_free_func ((GDestroyNotify) recorded_free);
  if (!g_file_get_contents (path, &text, NULL, NULL))
    return;
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  for (gsize i = 0; lines[i] != NULL; i++)
    {
      g_auto (GStrv) fields = g_strsplit (lines[i], "\t", -1);

      if (g_str_has_prefix (lines[i], "# kernel\t"))
        names = g_steal_pointer (&fields);
      if (*lines[i] == '#' || *lines[i] == '\0')
        continue;
      g_assert_nonnull (names);
      g_assert_cmpuint (g_strv_length (fields), ==, g_strv_length (names));
      Recorded *row = g_new0 (Recorded, 1);
      row->kernel = g_strdup (fields[0]);
      row->cell = g_strdup (fields[1]);
      row->entry = g_strdup (fields[2]);
      for (guint c = 0; c < N_COUNTERS; c++)
        {
          /* A counter that was 0 everywhere has no column. */
          row->counts[c] = 0;
          for (gsize k = 3; names[k] != NULL; k++)
            if (g_str_equal (names[k], counters[c].name))
              row->counts[c] =
                  g_str_equal (fields[k], "-") ? -1 : g_ascii_strtoll (fields[k], NULL, 10);
        }
      g_ptr_array_add (recorded, row);
    }
}

/* ---- The emulator's counts ---- */

static void
add_counts (const CuredPtxModule *module, const CuredReport *report, gint64 counts[N_COUNTERS])
{
  g_assert_cmpuint (report->n_counts, ==, module->n_code);
  for (guint i = 0; i < report->n_counts; i++)
    {
      const CuredSiteCounts *site = &report->counts[i];
      gint64 global = (gint64) (site->requests - site->shared_requests);

      switch ((int) module->code[i].op)
        {
        case CURED_PTX_OP_ld:
        case CURED_PTX_OP_ldu:
        case CURED_PTX_OP_ldmatrix:
          counts[SHARED_LOADS] += (gint64) site->wavefronts;
          counts[GLOBAL_LOAD_SECTORS] += (gint64) site->sectors;
          if (site->sectors > 0)
            counts[GLOBAL_LOAD_REQUESTS] += global;
          break;
        case CURED_PTX_OP_wgmma:
        case CURED_PTX_OP_wgmma_sparse: counts[SHARED_PRODUCTS] += (gint64) site->wavefronts; break;
        /* Loads, and stores that these counters leave out. */
        case CURED_PTX_OP_cp_async:
          counts[GLOBAL_LOAD_SECTORS] += (gint64) site->sectors;
          if (site->sectors > 0)
            counts[GLOBAL_LOAD_REQUESTS] += global;
          break;
        case CURED_PTX_OP_st:
        case CURED_PTX_OP_stmatrix:
          counts[SHARED_STORES] += (gint64) site->wavefronts;
          counts[GLOBAL_STORE_SECTORS] += (gint64) site->sectors;
          if (site->sectors > 0)
            counts[GLOBAL_STORE_REQUESTS] += global;
          break;
        default: break;
        }
    }
}

static void
launch (CuredPtxModule *module, CuredMemory *memory, const CuredProgram *program,
        const CuredProgramStep *step, const CuredDevicePtr *bindings, gint64 turn,
        gint64 counts[N_COUNTERS])
{
  CuredPtxEntry entry = { 0 };
  g_auto (CuredReport) report = { 0 };
  CuredLaunch wanted = { .module = module,
                         .memory = memory,
                         .entry = step->entry,
                         .is_cooperative = step->is_cooperative,
                         .shared_bytes = step->shared_bytes,
                         .watch = CURED_WATCH_COUNTS,
                         .bank_arch = CURED_BANK_ARCH_5 };

  g_assert_true (cured_ptx_module_find_entry (module, step->entry, &entry));
  g_autoptr (GByteArray) packed =
      MUST (_cured_arguments_pack (program, step, bindings, turn, &entry, NULL, &fail));
  wanted.parameters = packed->data;
  wanted.parameters_bytes = packed->len;
  memcpy (wanted.grid, step->grid, sizeof wanted.grid);
  memcpy (wanted.block, step->block, sizeof wanted.block);
  memcpy (wanted.cluster, step->cluster, sizeof wanted.cluster);
  MUST (cured_emulator_launch (&wanted, &report, NULL, &fail));
  g_assert_cmpint (report.end, ==, CURED_END_DONE);
  add_counts (module, &report, counts);
}

typedef void (*LaunchFunc) (const GoldenCell *cell, const char *entry,
                            const gint64 counts[N_COUNTERS], gpointer user_data);

/* Runs @cell, calling @func after each launch. */
static void
emulate (const GoldenCell *cell, LaunchFunc func, gpointer user_data)
{
  const CuredProgram *program = cell->program;
  g_autoptr (GBytes) image = MUST (golden_cell_compile (cell, compiler, "compute_90", TRUE, &fail));
  g_autoptr (CuredMemory) memory = cured_memory_new (1 << 30);
  g_autofree CuredDevicePtr *bindings = g_new0 (CuredDevicePtr, program->n_buffers + 1);

  g_autoptr (CuredPtxModule) module =
      MUST (cured_ptx_module_parse (g_bytes_get_data (image, NULL), -1, cell->name, &fail));
  MUST (cured_ptx_module_link (module, memory, &fail));
  for (gsize i = 0; i < program->n_buffers; i++)
    {
      const CuredProgramBuffer *buffer = &program->buffers[i];

      MUST (cured_memory_allocate (memory, MAX (buffer->size, 1), &bindings[i], &fail));
      if (buffer->size > 0)
        cured_fill_buffer (buffer, i, SEED, cured_memory_map (memory, bindings[i], buffer->size));
    }
  for (gsize i = 0; i < program->n_steps; i++)
    {
      const CuredProgramStep *step = &program->steps[i];

      if (step->host == CURED_HOST_SUM)
        cured_program_add_up (&program->buffers[step->host_from],
                              cured_memory_map (memory, bindings[step->host_from],
                                                program->buffers[step->host_from].size),
                              cured_memory_map (memory, bindings[step->host_to], 4));
      else if (step->entry == NULL)
        memset (cured_memory_map (memory, bindings[step->memset_buffer],
                                  program->buffers[step->memset_buffer].size),
                step->memset_value, program->buffers[step->memset_buffer].size);
      for (gint64 turn = 0; step->entry != NULL && turn < step->repeat; turn++)
        {
          gint64 counts[N_COUNTERS] = { 0 };

          launch (module, memory, program, step, bindings, turn, counts);
          func (cell, step->entry, counts, user_data);
        }
    }
}

/* The @n-th recorded launch of a cell. */
static const Recorded *
find_recorded (const GoldenCell *cell, guint n)
{
  for (guint i = 0; i < recorded->len; i++)
    {
      const Recorded *row = g_ptr_array_index (recorded, i);

      if (g_str_equal (row->kernel, cell->kernel->id) && g_str_equal (row->cell, cell->name) &&
          n-- == 0)
        return row;
    }
  return NULL;
}

/* ---- The test ---- */

static void
check_launch (const GoldenCell *cell, const char *entry, const gint64 counts[N_COUNTERS],
              gpointer user_data)
{
  guint *n = user_data;
  const Recorded *row = find_recorded (cell, (*n)++);
  const char *id = cell->kernel->id;

  if (row == NULL)
    {
      g_test_message ("%s %s: not recorded on a GPU", id, cell->name);
      g_test_skip ("not recorded on a GPU");
      return;
    }
  g_assert_cmpstr (row->entry, ==, entry);
  for (guint c = 0; c < N_COUNTERS; c++)
    if (row->counts[c] >= 0 && row->counts[c] != counts[c] &&
        golden_cells_get_difference (id, counters[c].name) == NULL)
      {
        g_test_message ("%s %s %s: %s: %" G_GINT64_FORMAT
                        ", the hardware counted %" G_GINT64_FORMAT,
                        id, cell->name, entry, counters[c].title, counts[c], row->counts[c]);
        g_test_fail ();
      }
}

static void
test_kernel (gconstpointer data)
{
  guint n_cells = 0;

  for (guint i = 0; i < cells->len; i++)
    {
      const GoldenCell *cell = g_ptr_array_index (cells, i);
      guint n = 0;

      if (g_str_equal (cell->kernel->id, data) &&
          part_has_cell (n_cells++ == golden_cells_get_quick (data)))
        emulate (cell, check_launch, &n);
    }
}

/* ---- The table ---- */

static void
print_launch (const GoldenCell *cell, const char *entry, const gint64 counts[N_COUNTERS],
              gpointer user_data)
{
  guint *n = user_data;
  const Recorded *row = find_recorded (cell, (*n)++);

  printf ("| %s | %s | %s |", cell->kernel->id, cell->name, entry);
  for (guint c = 0; c < N_COUNTERS; c++)
    if (row == NULL || row->counts[c] < 0)
      printf (" %" G_GINT64_FORMAT " / – |", counts[c]);
    else if (row->counts[c] == counts[c])
      printf (" %" G_GINT64_FORMAT " |", counts[c]);
    else
      printf (" **%" G_GINT64_FORMAT " / %" G_GINT64_FORMAT "** |", counts[c], row->counts[c]);
  printf ("\n");
}

static void
print_table (void)
{
  printf ("| kernel | cell | launch |");
  for (guint c = 0; c < N_COUNTERS; c++)
    printf (" %s |", counters[c].title);
  printf ("\n|---|---|---|");
  for (guint c = 0; c < N_COUNTERS; c++)
    printf ("---:|");
  printf ("\n");
  for (guint i = 0; i < cells->len; i++)
    {
      guint n = 0;

      emulate (g_ptr_array_index (cells, i), print_launch, &n);
    }
}

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  gboolean is_table = argc == 2 && g_str_equal (argv[1], "--table");
  int status = 0;

  if (!is_table)
    {
      part_init (&argc, argv);
      g_test_init (&argc, &argv, NULL);
      g_test_summary ("The emulator counts what a GPU counts.");
    }
  compiler = cured_compiler_new (&error);
  if (compiler == NULL)
    {
      g_print ("1..0 # SKIP %s\n", error->message);
      return 0;
    }
  cells = MUST (golden_cells_new (&fail));
  read_recording ();
  g_auto (GStrv) kernels = cured_catalogue_list ();
  if (is_table)
    print_table ();
  else
    {
      for (guint i = 0; kernels[i] != NULL; i++)
        if (golden_cells_get_reason (kernels[i]) == NULL && part_has_case (i))
          {
            g_autofree char *path = g_strconcat ("/counters/", kernels[i], NULL);

            g_test_add_data_func (path, kernels[i], test_kernel);
          }
      status = g_test_run ();
    }
  g_ptr_array_unref (recorded);
  g_ptr_array_unref (cells);
  cured_compiler_free (compiler);
  return status;
}
