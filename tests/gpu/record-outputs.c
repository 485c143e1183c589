/* SPDX-License-Identifier: MIT
 * Runs small cells of the catalogue's kernels on a GPU.
 *
 * usage: record-outputs OUTPUTS.tsv
 *        record-outputs --launch LAUNCHES.tsv [KERNEL...]
 *
 * OUTPUTS.tsv gets a line per buffer, with the SHA-256 of what the kernel left
 * in it; multiplications and additions are not contracted.
 * tests/golden/test-outputs.c replays them.
 *
 * With --launch each cell runs once, compiled as Cured does, for a profiler to
 * count (dev/compare-counters), and LAUNCHES.tsv gets a line for each kernel
 * launch, in their order. */
#include "golden-cells.h"
#include "device/cured-device-internal.h"
#include "device/cured-devices.h"

static void
write_output (const GoldenCell *cell,
              const CuredProgramBuffer *buffer,
              const char *checksum,
              gpointer user_data)
{
  g_string_append_printf (user_data,
                          "%s\t%s\t%s\t%s\n",
                          cell->kernel->id,
                          cell->name,
                          buffer->buffer->name,
                          checksum);
}

static void
write_launches (const GoldenCell *cell, GString *text)
{
  for (gsize i = 0; i < cell->program->n_steps; i++)
    {
      const CuredProgramStep *step = &cell->program->steps[i];

      for (gint64 turn = 0; step->entry != NULL && turn < step->repeat; turn++)
        g_string_append_printf (
            text, "%s\t%s\t%s\n", cell->kernel->id, cell->name, step->entry);
    }
}

static gboolean
run_all (GPtrArray *cells,
         const char *const *kernels,
         gboolean is_launch,
         GString *text,
         GError **error)
{
  g_autoptr (CuredDevice) device = cured_device_open ("cuda:0", error);
  g_autoptr (CuredCompiler) compiler = NULL;

  if (device == NULL)
    return FALSE;
  compiler = cured_compiler_new (error);
  if (compiler == NULL)
    return FALSE;
  g_string_append_printf (text,
                          "# %s (%s), driver %s, %s\n",
                          device->info.name,
                          device->info.arch,
                          device->info.driver,
                          device->info.compiler);
  for (guint i = 0; i < cells->len; i++)
    {
      const GoldenCell *cell = g_ptr_array_index (cells, i);
      const char *id = cell->kernel->id;
      g_autoptr (GBytes) image = NULL;

      if (*kernels != NULL && !g_strv_contains (kernels, id))
        continue;
      image = golden_cell_compile (
          cell, compiler, device->info.arch, is_launch, error);
      if (image == NULL || !golden_cell_run (cell,
                                             device,
                                             image,
                                             is_launch ? NULL : write_output,
                                             text,
                                             error))
        {
          g_prefix_error (error, "%s %s: ", id, cell->name);
          return FALSE;
        }
      if (is_launch)
        write_launches (cell, text);
    }
  return TRUE;
}

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) cells = NULL;
  g_autoptr (GString) text = g_string_new (NULL);
  gboolean is_launch = argc > 1 && g_str_equal (argv[1], "--launch");
  int file_at = is_launch ? 2 : 1;

  if (argc <= file_at || *argv[file_at] == '-')
    {
      g_printerr ("usage: %s OUTPUTS.tsv\n"
                  "       %s --launch LAUNCHES.tsv [KERNEL...]\n",
                  argv[0],
                  argv[0]);
      return 2;
    }
  cells = golden_cells_new (&error);
  if (cells == NULL ||
      !run_all (cells,
                (const char *const *) argv + file_at + 1,
                is_launch,
                text,
                &error) ||
      !g_file_set_contents (
          argv[file_at], text->str, (gssize) text->len, &error))
    {
      g_printerr ("%s\n", error->message);
      return 1;
    }
  return 0;
}
