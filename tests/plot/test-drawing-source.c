/* SPDX-License-Identifier: MIT
 * A source with its figures, as a picture and as a table. */
#include <string.h>

#include <glib/gstdio.h>

#include "cured-plot.h"
#include "test.h"

static CuredCompiler *compiler;

static CuredInspection *
inspect (const char *id, char **source)
{
  g_autoptr (CuredKernel) kernel = MUST (cured_catalogue_get (id, &fail));
  const CuredParameter *parameters;
  CuredBankQuery query;

  parameters = kernel->parameters;
  gsize n = kernel->n_parameters;
  g_autofree gint64 *values = g_new (gint64, n + 1);
  for (gsize i = 0; i < n; i++)
    values[i] = parameters[i].default_value;
  cured_bank_query_init (&query);
  CuredInspection *inspection =
      MUST (cured_inspection_new (compiler, kernel, values, &cured_profile_find ("sm_90")->limits,
                                  &query, CURED_INSPECTION_TIME_LIMIT_MS, NULL, &fail));
  *source = g_strdup (kernel->source);
  return inspection;
}

static char *
write_as (CuredDrawing *drawing, const char *format)
{
  g_autoptr (GOutputStream) stream = g_memory_output_stream_new_resizable ();
  gsize length;

  MUST (cured_export_format_find (format)->write (drawing, &(CuredExportOptions){ 0 }, stream, NULL,
                                                  &fail));
  MUST (g_output_stream_write_all (stream, "", 1, &length, NULL, &fail));
  g_output_stream_close (stream, NULL, NULL);
  return g_memory_output_stream_steal_data (G_MEMORY_OUTPUT_STREAM (stream));
}

/* What a column of a CSV table adds up to. */
static guint64
add_up (const char *csv, guint column)
{
  g_auto (GStrv) rows = g_strsplit (csv, "\n", -1);
  guint64 sum = 0;

  for (guint i = 1; rows[i] != NULL && *rows[i] != '\0'; i++)
    {
      g_auto (GStrv) fields = g_strsplit (rows[i], ",", 11);

      g_assert_cmpuint (g_strv_length (fields), ==, 11);
      sum += g_ascii_strtoull (fields[column], NULL, 10);
    }
  return sum;
}

/* The table's excess is the block's, as the bank model has it. */
static void
test_table (gconstpointer data)
{
  g_autofree char *source = NULL;
  g_autoptr (CuredInspection) inspection = inspect (data, &source);
  g_autoptr (CuredDrawing) drawing =
      cured_drawing_new_source (inspection, source, "name", "Title", "n=1");
  g_autofree char *csv = write_as (drawing, "csv");
  g_autofree char *json = write_as (drawing, "json");
  g_autofree char *svg = write_as (drawing, "svg");
  guint64 excess = 0;

  for (gsize i = 0; i < inspection->banks->n_sites; i++)
    excess +=
        inspection->banks->sites[i].block_wavefronts - inspection->banks->sites[i].block_least;
  g_assert_cmpuint (add_up (csv, 5), ==, excess);
  if (g_str_equal (data, "transpose/shared"))
    g_assert_cmpuint (excess, >, 0);
  else
    g_assert_cmpuint (excess, ==, 0);
  g_assert_nonnull (strstr (json, "\"findings\""));
  g_assert_nonnull (strstr (svg, "<svg"));
  if (g_getenv ("CURED_SHOTS") != NULL)
    {
      g_autofree char *path = g_build_filename (
          g_getenv ("CURED_SHOTS"),
          g_str_equal (data, "transpose/shared") ? "source.png" : "twin.png", NULL);

      cured_export (drawing, &(CuredExportOptions){ 0 }, cured_export_format_find ("png"), path,
                    NULL, NULL);
    }
}

/* A mistake is marked on its line, and its mended twin has none. */
TEST ("/drawing-source/remarks")
{
  g_autofree char *source = NULL, *twin = NULL;
  g_autoptr (CuredInspection) wrong = inspect ("specimens/branch-barrier", &source);
  g_autoptr (CuredInspection) right = inspect ("specimens/branch-barrier-fixed", &twin);
  g_autoptr (CuredDrawing) first = cured_drawing_new_source (wrong, source, "name", "Title", NULL);
  g_autoptr (CuredDrawing) second = cured_drawing_new_source (right, twin, "name", "Title", NULL);
  g_autofree char *first_csv = write_as (first, "csv");
  g_autofree char *second_csv = write_as (second, "csv");

  g_assert_cmpuint (add_up (first_csv, 9), >, 0);
  g_assert_cmpuint (add_up (second_csv, 9), ==, 0);
}

/* No lines at all, and one that never ends. */
TEST ("/drawing-source/odd")
{
  g_autofree char *source = NULL;
  g_autoptr (CuredInspection) inspection = inspect ("transpose/shared", &source);
  g_autoptr (CuredDrawing) empty = cured_drawing_new_source (inspection, "", "name", "Title", NULL);
  g_autoptr (CuredDrawing) one =
      cured_drawing_new_source (inspection, "\"a\",b", "name", "Title", NULL);
  g_autofree char *svg = write_as (empty, "svg");
  g_autofree char *csv = write_as (one, "csv");

  g_assert_nonnull (strstr (svg, "<svg"));
  g_assert_nonnull (strstr (csv, "\"\"\"a\"\",b\""));
}

/* Whether a pixel between two columns and two rows is not white. */
static gboolean
has_ink (cairo_surface_t *surface, int left, int right, int top, int bottom)
{
  const guchar *data = cairo_image_surface_get_data (surface);
  int stride = cairo_image_surface_get_stride (surface);

  for (int y = top; y < bottom; y++)
    for (int x = left; x < right; x++)
      if (data[y * stride + 4 * x] < 0xc0)
        return TRUE;
  return FALSE;
}

/* Every column has a name over it: of the lines, of the figures, of the text. */
TEST ("/drawing-source/heads")
{
  g_autofree char *source = NULL;
  g_autoptr (CuredInspection) inspection = inspect ("transpose/shared", &source);
  g_autoptr (CuredDrawing) drawing =
      cured_drawing_new_source (inspection, source, "name", "Title", NULL);
  CuredPlotStyle style;
  double width, height;
  int rule = -1;

  cured_plot_style_init (&style, FALSE);
  cured_drawing_get_size (drawing, &width, &height);
  cairo_surface_t *surface =
      cairo_image_surface_create (CAIRO_FORMAT_RGB24, (int) width, (int) height);
  cairo_t *cr = cairo_create (surface);
  cured_drawing_draw (drawing, cr, &style, width, height);
  cairo_destroy (cr);
  cairo_surface_flush (surface);

  /* The line under them is the first row of ink without a gap. */
  for (int y = 0; y < 200 && rule < 0; y++)
    {
      int x = 40;

      while (x < width - 40 && has_ink (surface, x, x + 1, y, y + 1))
        x++;
      if (x >= width - 40)
        rule = y;
    }
  g_assert_cmpint (rule, >, 20);
  g_assert_true (has_ink (surface, 0, 55, rule - 20, rule - 1));
  g_assert_true (has_ink (surface, 60, 140, rule - 20, rule - 1));
  g_assert_true (has_ink (surface, 155, 230, rule - 20, rule - 1));
  cairo_surface_destroy (surface);
}

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;

  g_test_init (&argc, &argv, NULL);
  compiler = cured_compiler_new (&error);
  if (compiler == NULL)
    {
      g_print ("1..0 # SKIP %s\n", error->message);
      return 0;
    }
  g_test_add_data_func ("/drawing-source/conflict", "transpose/shared", test_table);
  g_test_add_data_func ("/drawing-source/no-conflict", "transpose/padded", test_table);
  int result = run_tests ();
  cured_compiler_free (compiler);
  return result;
}
