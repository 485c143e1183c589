/* SPDX-License-Identifier: MIT
 * Fuzz target: whatever the expressions of a kernel file say, its cells are programs within the
 * limits of a device, or have a reason why not. A line `Key=value` of the input takes the place of
 * the same line of a kernel file; any other is added to its header. */
#include <math.h>

#include "cured.h"
#include "fuzz.h"
#include "kernel/cured-kernel-internal.h"
#include "kernel/program/cured-program-internal.h"

#define MAX_CELLS    2000
#define MAX_PROGRAMS 16

/* What stands where the input says nothing. */
static const struct
{
  const char *group, *key, *value;
} rows[] = {
  { "Kernel", "Title", "Fuzzed" },
  { NULL, "Flops", "2*n" },
  { NULL, "Bytes", "4*n+4*m" },
  { NULL, "Options", "-DX=1" },
  { NULL, "Require", "tile <= max_threads_per_block" },
  { "Parameter tile", "Kind", "compile" },
  { NULL, "Values", "1..1024" },
  { NULL, "Default", "32" },
  { "Parameter n", "Kind", "problem" },
  { NULL, "Default", "100" },
  { "Parameter m", "Kind", "launch" },
  { NULL, "Default", "7" },
  { "Buffer a", "Type", "f32" },
  { NULL, "Length", "n" },
  { NULL, "Fill", "uniform" },
  { NULL, "Low", "-1" },
  { NULL, "High", "1" },
  { "Buffer c", "Type", "i32" },
  { NULL, "Length", "max(n,m)" },
  { NULL, "Fill", "poison" },
  { "Launch", "Entry", "k" },
  { NULL, "Grid", "ceil(n/tile)" },
  { NULL, "Block", "tile" },
  { NULL, "Shared", "4*tile" },
  { NULL, "Arguments", "a,c,n" },
  { "Check", "Output", "c" },
  { NULL, "Tolerance", "1e-6*n" },
  { "Sweep", "tile", "32,64" },
  { NULL, "n", "2^4..2^8" },
};

static char *
make_text (const char *given)
{
  g_auto (GStrv) lines = g_strsplit (given, "\n", 64);
  g_autofree gboolean *is_taken = g_new0 (gboolean, g_strv_length (lines) + 1);
  GString *text = g_string_new ("/*! cured\n");

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      const char *value = rows[i].value;
      gsize length = strlen (rows[i].key);

      for (guint k = 0; lines[k] != NULL; k++)
        if (!is_taken[k] && strncmp (lines[k], rows[i].key, length) == 0 && lines[k][length] == '=')
          {
            is_taken[k] = TRUE;
            value = lines[k] + length + 1;
            break;
          }
      if (rows[i].group != NULL)
        g_string_append_printf (text, " *\n * [%s]\n", rows[i].group);
      /* Nothing: the line is left out. */
      if (*value != '\0')
        g_string_append_printf (text, " * %s=%s\n", rows[i].key, value);
    }
  for (guint k = 0; lines[k] != NULL; k++)
    if (!is_taken[k])
      g_string_append_printf (text, " * %s\n", lines[k]);
  g_string_append (text, " */\nextern \"C\" __global__ void k () {}\n");
  return g_string_free (text, FALSE);
}

static void
check_step (const CuredProgram *program, const CuredProgramStep *step, const CuredLimits *limits)
{
  if (step->entry == NULL)
    return;
  g_assert_cmpuint (step->grid[0], >=, 1);
  g_assert_cmpuint (step->grid[0], <=, limits->max_grid_x);
  g_assert_cmpuint (step->grid[1], <=, limits->max_grid_y);
  g_assert_cmpuint (step->grid[2], <=, limits->max_grid_z);
  g_assert_cmpuint ((guint64) step->block[0] * step->block[1] * step->block[2], <=,
                    limits->max_threads_per_block);
  g_assert_cmpuint (step->block[0], >=, 1);
  g_assert_cmpint (step->repeat, >=, 0);
  for (gsize i = 0; i < step->n_arguments; i++)
    g_assert_cmpint (step->arguments[i].buffer, <, (int) program->n_buffers);
}

static void
check_program (const CuredProgram *program, const CuredLimits *limits)
{
  gsize total = 0;

  for (gsize i = 0; i < program->n_buffers; i++)
    {
      const CuredProgramBuffer *buffer = &program->buffers[i];

      g_assert_cmpint (buffer->length, >=, 0);
      g_assert_cmpuint (buffer->size, ==,
                        (gsize) buffer->length * cured_element_get_size (buffer->buffer->type));
      g_assert_true (g_size_checked_add (&total, total, buffer->size));
    }
  for (gsize i = 0; i < program->n_steps; i++)
    check_step (program, &program->steps[i], limits);
  g_assert_false (isinf (program->flops));
  g_assert_false (isinf (program->bytes));
}

static void
check_cells (CuredKernel *kernel, const CuredLimits *limits)
{
  g_autoptr (CuredSpec) spec = cured_spec_new (kernel);
  g_autoptr (GError) error = NULL;
  gsize n_parameters;
  gint64 n_cells;

  n_parameters = kernel->n_parameters;
  g_autofree gint64 *values = g_new0 (gint64, n_parameters + 1);
  cured_spec_use_default_sweep (spec);
  if (!cured_spec_count_cells (spec, &n_cells, NULL) || n_cells > MAX_CELLS)
    return;
  g_autoptr (CuredPlan) plan = cured_plan_new (spec, limits, &error);
  g_assert_true ((plan == NULL) == (error != NULL));
  if (plan == NULL)
    return;
  for (gint64 i = 0; i < MIN (cured_plan_get_n_launchable (plan), MAX_PROGRAMS); i++)
    {
      gint64 cell = cured_plan_get_ordered (plan, i);

      g_free (cured_plan_describe_cell (plan, cell));
      cured_plan_get_values (plan, cell, values);
      g_autoptr (CuredProgram) program = cured_program_new (kernel, values, limits, &error);
      g_assert_no_error (error);
      check_program (program, limits);
    }
  for (gint64 cell = 0; cell < cured_plan_get_n_cells (plan); cell++)
    if (cured_plan_get_reason (plan, cell) != NULL)
      {
        cured_plan_get_values (plan, cell, values);
        cured_program_find_refusal (kernel, values, limits);
        g_assert_false (cured_program_check (kernel, values, limits, NULL));
        break;
      }
  cured_spec_use_small_sizes (spec, limits);
  cured_spec_count_cells (spec, &n_cells, NULL);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  g_autofree char *given = g_strndup ((const char *) data, size);
  g_autofree char *text = make_text (given);
  g_autoptr (GError) error = NULL;
  g_autoptr (CuredKernel) kernel = cured_kernel_new_from_text (text, "fuzz", NULL, &error);

  g_assert_true ((kernel == NULL) == (error != NULL));
  if (kernel == NULL)
    g_assert_true (g_utf8_validate (error->message, -1, NULL));
  else
    check_cells (kernel, &cured_profile_find ("sm_90")->limits);
  return 0;
}
