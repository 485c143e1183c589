/* SPDX-License-Identifier: MIT
 * Runs small cells of the catalogue's kernels on a GPU.
 *
 * usage: record-outputs OUTPUTS.tsv [KERNEL...]
 *        record-outputs --launch LAUNCHES.tsv [--cells LIST.tsv] [KERNEL...]
 *        record-outputs --list LAUNCHES.tsv [--cells LIST.tsv] [KERNEL...]
 *
 * OUTPUTS.tsv gets a line per buffer, with the SHA-256 of what the kernel left in it;
 * multiplications and additions are not contracted. tests/golden/test-outputs.c replays them.
 *
 * With --launch each cell runs once, compiled as Cured does, for a profiler to count
 * (dev/record-counters), and LAUNCHES.tsv gets a line for each kernel launch, in their order;
 * --list writes that alone, without a GPU. LIST.tsv names other cells than the small ones: a
 * kernel, a tab and "n=4096 tile=16" per line. */
#include "golden-cells.h"
#include "device/cured-device-internal.h"
#include "device/cured-devices.h"

static void
write_output (const GoldenCell *cell, const CuredProgramBuffer *buffer, const char *checksum,
              gpointer user_data)
{
  g_string_append_printf (user_data, "%s\t%s\t%s\t%s\n", cell->kernel->id, cell->name,
                          buffer->buffer->name, checksum);
}

static void
write_launches (const GoldenCell *cell, GString *text)
{
  for (gsize i = 0; i < cell->program->n_steps; i++)
    {
      const CuredProgramStep *step = &cell->program->steps[i];

      for (gint64 turn = 0; step->entry != NULL && turn < step->repeat; turn++)
        g_string_append_printf (text, "%s\t%s\t%s\n", cell->kernel->id, cell->name, step->entry);
    }
}

/* Action selected on the command line. */
typedef struct
{
  enum
  {
    OUTPUTS, /* run all, and record the outputs' checksums */
    LAUNCH,  /* run all as Cured does, after writing the list of launches */
    LIST,    /* write only the list of launches: no device is needed */
  } what;
  const char *path;           /* path of the file to write */
  const char *list;           /* (nullable): list of other cells */
  const char *const *kernels; /* ids; none: all */
} Options;

static gboolean
read_options (char **argv, Options *options)
{
  *options = (Options){ .what = OUTPUTS };
  argv++;
  if (g_strcmp0 (*argv, "--launch") == 0 || g_strcmp0 (*argv, "--list") == 0)
    options->what = g_str_equal (*argv++, "--list") ? LIST : LAUNCH;
  if (*argv == NULL || **argv == '-')
    return FALSE;
  options->path = *argv++;
  if (g_strcmp0 (*argv, "--cells") == 0)
    {
      options->list = *++argv;
      if (options->list == NULL)
        return FALSE;
      argv++;
    }
  options->kernels = (const char *const *) argv;
  return TRUE;
}

static gboolean
run_all (GPtrArray *cells, const Options *options, GString *text, GError **error)
{
  gboolean is_launch = options->what == LAUNCH;
  g_autoptr (CuredDevice) device = cured_device_open ("cuda:0", error);
  g_autoptr (GHashTable) images = NULL; /* by kernel and defines */

  if (device == NULL)
    return FALSE;
  g_autoptr (CuredCompiler) compiler = cured_compiler_new (error);
  if (compiler == NULL)
    return FALSE;
  images = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) g_bytes_unref);
  for (guint i = 0; i < cells->len; i++)
    {
      const GoldenCell *cell = g_ptr_array_index (cells, i);
      g_autofree char *defines = g_strjoinv (" ", cell->program->defines);
      g_autofree char *key = g_strconcat (cell->kernel->id, " ", defines, NULL);
      GBytes *image = g_hash_table_lookup (images, key);

      if (image == NULL)
        {
          image = golden_cell_compile (cell, compiler, device->info.arch, is_launch, error);
          if (image != NULL)
            g_hash_table_insert (images, g_steal_pointer (&key), image);
        }
      if (image == NULL ||
          !golden_cell_run (cell, device, image, is_launch ? NULL : write_output, text, error))
        {
          g_prefix_error (error, "%s %s: ", cell->kernel->id, cell->name);
          return FALSE;
        }
    }
  g_autofree char *line =
      g_strdup_printf ("# %s (%s), driver %s, %s\n", device->info.name, device->info.arch,
                       device->info.driver, device->info.compiler);
  g_string_prepend (text, line);
  return TRUE;
}

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GString) text = g_string_new (NULL);
  Options options;

  if (argc < 2 || !read_options (argv, &options))
    {
      g_printerr ("usage: %s OUTPUTS.tsv [KERNEL...]\n"
                  "       %s --launch LAUNCHES.tsv [--cells LIST.tsv] [KERNEL...]\n"
                  "       %s --list LAUNCHES.tsv [--cells LIST.tsv] [KERNEL...]\n",
                  argv[0], argv[0], argv[0]);
      return 2;
    }
  g_autoptr (GPtrArray) cells =
      options.list != NULL ? golden_cells_read (options.list, &error) : golden_cells_new (&error);
  for (guint i = 0; cells != NULL && i < cells->len;)
    {
      const GoldenCell *cell = g_ptr_array_index (cells, i);

      if (*options.kernels != NULL && !g_strv_contains (options.kernels, cell->kernel->id))
        {
          g_ptr_array_remove_index (cells, i);
          continue;
        }
      if (options.what != OUTPUTS)
        write_launches (cell, text);
      i++;
    }
  if (cells == NULL || (options.what != LIST && !run_all (cells, &options, text, &error)) ||
      !g_file_set_contents (options.path, text->str, (gssize) text->len, &error))
    {
      g_printerr ("%s\n", error->message);
      return 1;
    }
  return 0;
}
