/* SPDX-License-Identifier: MIT
 * What the catalogue's kernels leave in their buffers on the emulator is what they left there on a
 * GPU, bit for bit. The quick part: one cell of each kernel. */
#include "golden-cells.h"

#include <string.h>

#include "part.h"
#include "device/cured-device-internal.h"
#include "device/cured-devices.h"
#include "test.h"

/* Sizes of each kernel, at least. */
#define LEAST_CELLS 5

static CuredDevice *device;
static CuredCompiler *compiler;
static GPtrArray *cells;
static GHashTable *recorded; /* "kernel\tcell\tbuffer" to checksum */

static GHashTable *
read_recording (void)
{
  g_autofree char *path = g_build_filename (g_getenv ("CURED_TEST_GOLDEN"), "outputs.tsv", NULL);
  g_autofree char *text = NULL;
  GHashTable *found = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);

  if (!g_file_get_contents (path, &text, NULL, NULL))
    return found;
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  for (gsize i = 0; lines[i] != NULL; i++)
    {
      char *tab = strrchr (lines[i], '\t');

      if (*lines[i] == '#' || tab == NULL)
        continue;
      *tab = '\0';
      g_hash_table_insert (found, g_strdup (lines[i]), g_strdup (tab + 1));
    }
  return found;
}

static void
check_output (const GoldenCell *cell, const CuredProgramBuffer *buffer, const char *checksum,
              gpointer user_data)
{
  g_autofree char *key =
      g_strdup_printf ("%s\t%s\t%s", cell->kernel->id, cell->name, buffer->buffer->name);
  const char *expected = g_hash_table_lookup (recorded, key);

  if (expected == NULL)
    {
      g_test_message ("%s: not recorded on a GPU", key);
      g_test_skip ("not recorded on a GPU");
    }
  else if (!g_str_equal (expected, checksum))
    {
      g_test_message (
          "%s: not what a GPU gave; where the kernel's file was changed, record it again", key);
      g_test_fail ();
    }
}

static void
test_kernel (gconstpointer data)
{
  const char *id = data;
  guint n = 0;

  for (guint i = 0; i < cells->len; i++)
    {
      const GoldenCell *cell = g_ptr_array_index (cells, i);
      g_autoptr (GError) error = NULL;

      if (!g_str_equal (cell->kernel->id, id))
        continue;
      if (!part_has_cell (n++ == golden_cells_get_quick (id)))
        continue;
      g_autoptr (GBytes) image =
          golden_cell_compile (cell, compiler, device->info.arch, FALSE, &error);
      if (image != NULL)
        golden_cell_run (cell, device, image, check_output, NULL, &error);
      if (error != NULL)
        {
          g_test_message ("%s %s: %s", id, cell->name, error->message);
          g_test_fail ();
        }
    }
  g_assert_cmpuint (n, >=, LEAST_CELLS);
}

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;

  part_init (&argc, argv);
  g_test_init (&argc, &argv, NULL);
  g_test_set_nonfatal_assertions ();
  g_test_summary ("Kernels compute on the emulator what they do on a GPU.");
  compiler = cured_compiler_new (&error);
  if (compiler == NULL)
    {
      g_print ("1..0 # SKIP %s\n", error->message);
      return 0;
    }
  device = MUST (cured_device_open ("emulator:sm_90", &fail));
  cells = MUST (golden_cells_new (&fail));
  recorded = read_recording ();
  g_auto (GStrv) kernels = cured_catalogue_list ();
  for (guint i = 0; kernels[i] != NULL; i++)
    if (golden_cells_get_reason (kernels[i]) == NULL && part_has_case (i))
      {
        g_autofree char *path = g_strconcat ("/outputs/", kernels[i], NULL);

        g_test_add_data_func (path, kernels[i], test_kernel);
      }
  int status = g_test_run ();
  g_hash_table_unref (recorded);
  g_ptr_array_unref (cells);
  cured_compiler_free (compiler);
  cured_device_close (device);
  return status;
}
