/* SPDX-License-Identifier: MIT
 * Exported files are whole and well-formed; maps of characters fit. */
#include "cured-plot.h"
#include "plot/map/cured-grid-internal.h"
#include "make-result.h"
#include "test.h"

#include <locale.h>
#include <string.h>

typedef struct
{
  char *folder;
  CuredResult *result;
  CuredView view;
} Fixture;

static void
load (Fixture *self, const MakeResult *what)
{
  g_autofree char *path = g_build_filename (self->folder, "a.cured", NULL);

  make_result (path, what);
  self->result = MUST (cured_result_load (path, NULL, &fail));
  cured_view_init (&self->view, self->result);
}

static void
set_up (Fixture *self, gconstpointer user_data)
{
  self->folder = make_folder ();
  if (user_data != NULL)
    load (self, user_data);
}

static void
tear_down (Fixture *self, gconstpointer user_data)
{
  if (self->result != NULL)
    {
      cured_view_clear (&self->view);
      g_assert_finalize_object (self->result);
    }
  remove_folder (self->folder);
}

static const MakeResult small = { .n_tiles = 7, .n_blocks = 5, .n_sizes = 2 };
static const MakeResult line = { .n_tiles = 1, .n_blocks = 30 };
static const MakeResult single = { .n_tiles = 1, .n_blocks = 1 };
static const MakeResult wide = { .n_tiles = 300, .n_blocks = 120, .no_samples = TRUE };
static const MakeResult part = { .n_tiles = 20, .n_blocks = 20, .unfinished = TRUE };

static guint
count_files (const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  guint n = 0;

  while (g_dir_read_name (dir) != NULL)
    n++;
  return n;
}

static void
check_text_cb (GMarkupParseContext *context, const char *text, gsize length, gpointer user_data,
               GError **error)
{
}

static void
check_svg (const char *text, gsize length)
{
  static const GMarkupParser parser = { .text = check_text_cb };
  g_autoptr (GMarkupParseContext) context = g_markup_parse_context_new (&parser, 0, NULL, NULL);

  MUST (g_markup_parse_context_parse (context, text, (gssize) length, &fail));
  MUST (g_markup_parse_context_end_parse (context, &fail));
  g_assert_nonnull (strstr (text, "<svg"));
  /* A number that is none; a picture inside can hold any letters. */
  g_assert_null (strstr (text, " nan"));
  g_assert_null (strstr (text, "\"nan"));
  g_assert_null (strstr (text, " inf"));
}

static void
check_png (const char *path)
{
  cairo_surface_t *surface = cairo_image_surface_create_from_png (path);

  g_assert_cmpint (cairo_surface_status (surface), ==, CAIRO_STATUS_SUCCESS);
  g_assert_cmpint (cairo_image_surface_get_width (surface), >, 800);
  g_assert_cmpint (cairo_image_surface_get_width (surface), <, 4000);
  g_assert_cmpint (cairo_image_surface_get_height (surface), >, 500);
  g_assert_cmpint (cairo_image_surface_get_height (surface), <, 4000);
  cairo_surface_destroy (surface);
}

static void
test_formats (Fixture *self, gconstpointer user_data)
{
  gsize n;
  const CuredExportFormat *formats = cured_export_formats (&n);

  g_assert_cmpuint (n, ==, 11);
  for (gsize i = 0; i < n; i++)
    for (int dark = 0; dark < 2; dark++)
      {
        g_autofree char *name = g_strconcat ("out.", formats[i].id, NULL);
        g_autofree char *path = g_build_filename (self->folder, name, NULL);
        g_autofree char *text = NULL;
        g_autoptr (CuredDrawing) drawing = cured_drawing_new_map (self->result, &self->view);
        const CuredExportOptions options = { .dark = dark };
        gsize length;

        /* A page has a limit, and says which. */
        if (user_data == &wide && g_str_equal (formats[i].id, "html"))
          {
            FAILS (cured_export (drawing, &options, &formats[i], path, NULL, &fail), CURED_ERROR,
                   CURED_ERROR_INVALID, "20000");
            continue;
          }
        g_assert_true (MUST (cured_export (drawing, &options, &formats[i], path, NULL, &fail)));
        g_assert_true (g_file_get_contents (path, &text, &length, NULL));
        if (g_str_equal (formats[i].id, "png"))
          check_png (path);
        else if (g_str_equal (formats[i].id, "svg"))
          check_svg (text, length);
        else if (g_str_equal (formats[i].id, "pdf"))
          {
            g_assert_true (g_str_has_prefix (text, "%PDF-"));
            g_assert_nonnull (g_strrstr_len (text + length - 16, 16, "%%EOF"));
          }
        else if (g_str_equal (formats[i].id, "html"))
          {
            g_assert_true (g_str_has_prefix (text, "<!DOCTYPE html>"));
            g_assert_true (g_str_has_suffix (text, "</html>\n"));
            g_assert_cmpint (strstr (text, "<html lang=\"en\" data-theme=\"dark\"") != NULL, ==,
                             dark);
          }
        else if (g_str_equal (formats[i].id, "tsv"))
          g_assert_true (g_str_has_prefix (text, "tile\t"));
        else if (g_str_equal (formats[i].id, "md"))
          g_assert_true (g_str_has_prefix (text, "**Synthetic sum"));
        else if (g_str_equal (formats[i].id, "csv"))
          g_assert_nonnull (strstr (text, "tile"));
        else if (g_str_equal (formats[i].id, "eps"))
          g_assert_true (g_str_has_prefix (text, "%!PS-Adobe-3.0 EPSF-3.0"));
        else if (g_str_equal (formats[i].id, "tex"))
          {
            g_assert_true (g_str_has_prefix (text, "\\begin{table}\n"));
            g_assert_true (g_str_has_suffix (text, "\\end{tabular}\n\\end{table}\n"));
          }
        else if (g_str_equal (formats[i].id, "tikz"))
          {
            g_assert_nonnull (strstr (text, "\\begin{axis}["));
            g_assert_true (g_str_has_suffix (text, "\\end{axis}\n\\end{tikzpicture}\n"));
          }
        else
          g_assert_cmpint (text[0], ==, '{');
      }
  /* The result, one file a format, and nothing that was left over. */
  g_assert_cmpuint (count_files (self->folder), ==, user_data == &wide ? n : n + 1);
}

/* The size of a page, in points. */
static void
get_eps_size (const char *text, double *width, double *height)
{
  const char *box = strstr (text, "%%BoundingBox: 0 0 ");

  g_assert_nonnull (box);
  g_assert_cmpint (sscanf (box, "%%%%BoundingBox: 0 0 %lf %lf", width, height), ==, 2);
}

/* A picture of the size that was asked for, and not larger than it can be. */
static void
test_options (Fixture *self, gconstpointer user_data)
{
  static const struct
  {
    const char *format;
    CuredExportOptions options;
    double width; /* pixels, or points; 0: refused */
    double height;
  } rows[] = {
    { "png", { .width = 480, .height = 384 }, 960, 768 },
    { "png", { .width = 480, .height = 384, .dpi = 96 }, 480, 384 },
    { "png", { .width = 960, .height = 384, .dpi = 300, .font_size = 6 }, 3000, 1200 },
    { "png", { .width = 9600, .height = 9600, .dpi = 2400 }, 0, 0 },
    { "eps", { .width = 480, .height = 384 }, 360, 288 },
    { "svg", { .width = 480, .height = 384, .dark = TRUE, .font_size = 20 }, 480, 384 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *path = g_build_filename (self->folder, rows[i].format, NULL);
      g_autofree char *text = NULL;
      g_autoptr (CuredDrawing) drawing = cured_drawing_new_map (self->result, &self->view);
      const CuredExportFormat *format = cured_export_format_find (rows[i].format);
      double width = 0;
      double height = 0;
      gsize length;

      if (rows[i].width <= 0)
        {
          FAILS (cured_export (drawing, &rows[i].options, format, path, NULL, &fail), CURED_ERROR,
                 CURED_ERROR_INVALID, "240000 × 240000");
          continue;
        }
      MUST (cured_export (drawing, &rows[i].options, format, path, NULL, &fail));
      g_assert_true (g_file_get_contents (path, &text, &length, NULL));
      if (g_str_equal (rows[i].format, "png"))
        {
          cairo_surface_t *surface = cairo_image_surface_create_from_png (path);

          width = cairo_image_surface_get_width (surface);
          height = cairo_image_surface_get_height (surface);
          cairo_surface_destroy (surface);
        }
      else if (g_str_equal (rows[i].format, "eps"))
        get_eps_size (text, &width, &height);
      else
        {
          width = g_ascii_strtod (strstr (text, "width=\"") + strlen ("width=\""), NULL);
          height = g_ascii_strtod (strstr (text, "height=\"") + strlen ("height=\""), NULL);
        }
      g_assert_cmpfloat (width, ==, rows[i].width);
      g_assert_cmpfloat (height, ==, rows[i].height);
    }
}

TEST ("/export/size")
{
  static const struct
  {
    const char *text;
    double width; /* 0: refused */
    double height;
  } rows[] = {
    { "800x600", 800, 600 },
    { " 5 x 4in ", 480, 384 },
    { "12.7×10.16cm", 480, 384 },
    { "127x101.6mm", 480, 384 },
    { "360x288pt", 480, 384 },
    { "6IN", 576, 0 },
    { "0x600", 0, 0 },
    { "800x", 0, 0 },
    { "800x600m", 0, 0 },
    { "large", 0, 0 },
    { "", 0, 0 },
    { "2x2cm", 0, 0 },
    { "9x9e9in", 0, 0 },
    { "inf", 0, 0 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (GError) error = NULL;
      double width = 0;
      double height = 0;

      g_test_message ("%s", rows[i].text);
      g_assert_cmpint (cured_export_parse_size (rows[i].text, &width, &height, &error), ==,
                       rows[i].width > 0);
      g_assert_cmpint (error != NULL, ==, rows[i].width <= 0);
      g_assert_cmpfloat_with_epsilon (width, rows[i].width, 1e-9);
      g_assert_cmpfloat_with_epsilon (height, rows[i].height, 1e-9);
    }
}

TEST ("/export/find")
{
  gsize n;
  const CuredExportFormat *formats = cured_export_formats (&n);

  for (gsize i = 0; i < n; i++)
    g_assert_true (cured_export_format_find (formats[i].id) == &formats[i]);
  g_assert_true (cured_export_format_find ("PNG") == cured_export_format_find ("png"));
  g_assert_null (cured_export_format_find ("gif"));
}

static void
test_failures (Fixture *self, gconstpointer user_data)
{
  g_autofree char *nowhere = g_build_filename (self->folder, "none", "out.png", NULL);
  g_autofree char *path = g_build_filename (self->folder, "out.txt", NULL);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  gsize n;
  const CuredExportFormat *formats = cured_export_formats (&n);

  g_assert_true (g_file_set_contents (path, "before", -1, NULL));
  g_cancellable_cancel (cancellable);
  for (gsize i = 0; i < n; i++)
    {
      g_autoptr (CuredDrawing) drawing = cured_drawing_new_map (self->result, &self->view);
      g_autoptr (GError) missing = NULL, full = NULL, cancelled = NULL;
      g_autofree char *text = NULL;

      g_assert_false (
          cured_export (drawing, &(CuredExportOptions){ 0 }, &formats[i], nowhere, NULL, &missing));
      g_assert_error (missing, CURED_ERROR, CURED_ERROR_STORAGE);
      g_assert_nonnull (strstr (missing->message, nowhere));

      g_assert_false (cured_export (drawing, &(CuredExportOptions){ 0 }, &formats[i], "/dev/full",
                                    NULL, &full));
      g_assert_error (full, CURED_ERROR, CURED_ERROR_STORAGE);
      g_assert_nonnull (strstr (full->message, "/dev/full"));

      /* The old file stays. */
      g_assert_false (cured_export (drawing, &(CuredExportOptions){ 0 }, &formats[i], path,
                                    cancellable, &cancelled));
      g_assert_error (cancelled, G_IO_ERROR, G_IO_ERROR_CANCELLED);
      g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
      g_assert_cmpstr (text, ==, "before");
    }
  g_assert_cmpuint (count_files (self->folder), ==, 2);
}

/* Characters that are seen in the longest line. */
static gsize
measure_text (const char *text)
{
  gsize longest = 0, width = 0;

  g_assert_true (g_utf8_validate (text, -1, NULL));
  for (const char *p = text; *p != '\0'; p = g_utf8_next_char (p))
    {
      if (*p == '\033')
        {
          p = strchr (p, 'm');
          g_assert_nonnull (p);
          continue;
        }
      width = *p == '\n' ? 0 : width + 1;
      longest = MAX (longest, width);
    }
  return longest;
}

static void
test_terminal (Fixture *self, gconstpointer user_data)
{
  static const int widths[] = { 50, 80, 120, 200 };

  for (gsize i = 0; i < G_N_ELEMENTS (widths); i++)
    {
      g_autofree char *plain = cured_export_terminal (self->result, &self->view, widths[i], FALSE);
      g_autofree char *colour = cured_export_terminal (self->result, &self->view, widths[i], TRUE);

      g_assert_null (strchr (plain, '\033'));
      g_assert_nonnull (strstr (plain, "Synthetic sum"));
      g_assert_nonnull (strstr (plain, "Synthetic device"));
      g_assert_nonnull (strstr (plain, "Time"));
      g_assert_nonnull (strstr (plain, "measured"));
      g_assert_nonnull (strchr (plain, '*'));
      g_assert_cmpuint (measure_text (plain), <=, (gsize) widths[i]);
      g_assert_cmpuint (measure_text (colour), <=, (gsize) widths[i]);
      if (user_data != &single)
        g_assert_nonnull (strstr (colour, "\033[48;2;"));
      /* Every colour is put back: nothing leaks into the prompt. */
      g_autofree char *cells = g_strdup (g_strrstr (colour, "\033["));
      g_assert_true (g_str_has_prefix (cells, "\033[0m"));
    }
}

static void
test_terminal_wide (Fixture *self, gconstpointer user_data)
{
  g_autofree char *text = cured_export_terminal (self->result, &self->view, 80, FALSE);
  guint n_lines = 0;

  g_assert_nonnull (strstr (text, "Each place shows the best of"));
  for (const char *p = text; *p != '\0'; p++)
    n_lines += *p == '\n';
  g_assert_cmpuint (n_lines, <, 65);
}

static void
test_terminal_states (Fixture *self, gconstpointer user_data)
{
  g_autofree char *text = cured_export_terminal (self->result, &self->view, 80, FALSE);

  for (gsize i = 0; i < CURED_N_STATES; i++)
    {
      static const char *const keys[] = {
        ". not run: ",        NULL,          "W wrong result: ",
        "F failed: ",         "C crashed: ", "T timed out: ",
        "- not launchable: ",
      };

      if (keys[i] != NULL)
        g_assert_cmpint (strstr (text, keys[i]) != NULL, ==,
                         cured_result_count_state (self->result, (CuredState) i) > 0);
    }
}

static void
test_terminal_ascii (Fixture *self, gconstpointer user_data)
{
  g_autofree char *before = g_strdup (setlocale (LC_ALL, NULL));

  g_assert_nonnull (setlocale (LC_ALL, "C"));
  g_autofree char *text = cured_export_terminal (self->result, &self->view, 80, FALSE);
  setlocale (LC_ALL, before);
  g_assert_true (g_str_is_ascii (text));
  g_assert_null (strstr (text, "? "));
  g_assert_nonnull (strstr (text, " us - measured"));
}

/* ---- Names ---- */

/* What @drawing writes, as text. */
static char *
write_text (CuredDrawing *drawing, const char *format)
{
  g_autoptr (GOutputStream) stream = g_memory_output_stream_new_resizable ();

  MUST (cured_export_format_find (format)->write (drawing, &(CuredExportOptions){ 0 }, stream, NULL,
                                                  &fail));
  g_output_stream_close (stream, NULL, NULL);
  g_autoptr (GBytes) bytes =
      g_memory_output_stream_steal_as_bytes (G_MEMORY_OUTPUT_STREAM (stream));
  return g_strndup (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));
}

/* A third of the cells is bound by @first, the others by memory. */
static void
set_limiters (CuredResult *result, double first)
{
  gint64 n_cells = cured_result_get_n_cells (result);
  g_autoptr (CuredLimiters) limiters = cured_limiters_new (n_cells);

  for (gint64 i = 0; i < n_cells; i++)
    if (cured_result_get_state (result, i) == CURED_STATE_OK)
      {
        limiters->columns[0][i] = i % 3 == 0 ? first : CURED_RESOURCE_MEMORY;
        limiters->columns[1][i] = 0.97;
        limiters->columns[2][i] = CURED_RESOURCE_L2;
        limiters->columns[3][i] = 0.55;
      }
  cured_limiters_show (limiters, result);
}

/* The colour is in the SVG only where the cells, and the key, have it. */
static guint
count_colour (const char *svg, int limit)
{
  CuredColour colour = cured_factor_get_colour (limit);
  g_autofree char *text = g_strdup_printf ("rgb(%.8g%%,%.8g%%,%.8g%%)", colour.red * 100,
                                           colour.green * 100, colour.blue * 100);
  g_autoptr (GString) dense = g_string_new (svg);
  guint n = 0;

  g_string_replace (dense, ", ", ",", 0);
  for (const char *at = strstr (dense->str, text); at != NULL; at = strstr (at + 1, text))
    n++;
  return n;
}

static void
test_names (Fixture *self, gconstpointer user_data)
{
  guint n_shared = 0;

  g_autoptr (CuredDrawing) before = cured_drawing_new_map (self->result, &self->view);
  g_autofree char *plain_csv = write_text (before, "csv");
  g_assert_null (strstr (plain_csv, "limiter"));

  set_limiters (self->result, CURED_RESOURCE_SHARED);
  g_assert_true (cured_result_find_metric (self->result, "limiter", &self->view.metric));
  self->view.contour = "time";
  self->view.marginals = TRUE;
  g_autoptr (CuredGrid) grid = cured_grid_new (self->result, &self->view);
  g_assert_true (cured_grid_is_named (grid));
  g_assert_false (cured_grid_is_line (grid));
  g_assert_null (grid->contour_values);
  g_assert_false (grid->marginals);
  for (gsize i = 0; i < grid->nx * grid->ny; i++)
    n_shared += grid->values[i] == CURED_RESOURCE_SHARED;

  g_autoptr (CuredDrawing) drawing = cured_drawing_new_map (self->result, &self->view);
  g_autofree char *svg = write_text (drawing, "svg");
  /* Each cell, and the key; no key of what does not occur. */
  g_assert_cmpuint (count_colour (svg, CURED_RESOURCE_SHARED), ==, n_shared + 1);
  g_assert_cmpuint (count_colour (svg, CURED_RESOURCE_MEMORY), >, 1);
  g_assert_cmpuint (count_colour (svg, CURED_RESOURCE_L2), ==, 0);
  g_assert_cmpuint (count_colour (svg, CURED_FACTOR_LATENCY), ==, 0);

  g_autofree char *csv = write_text (drawing, "csv");
  g_assert_nonnull (strstr (csv, ",limiter,limiter_share [ratio],limiter_next,limiter_next_share"));
  g_assert_nonnull (strstr (csv, ",shared,0.97,l2,0.55"));
  g_assert_nonnull (strstr (csv, ",memory,0.97,l2,0.55"));
  g_autofree char *json = write_text (drawing, "json");
  g_assert_nonnull (strstr (json, "\"limiter\":\"shared\""));
  g_assert_nonnull (strstr (json, "\"limiter\":null"));
}

/* What a stranger's file has in the place of a name. */
static void
test_no_names (Fixture *self, gconstpointer user_data)
{
  static const double values[] = { -1, -1e300,       7.5,   CURED_N_RESOURCES,
                                   35, 4294967303.0, 1e300, INFINITY };

  for (gsize i = 0; i < G_N_ELEMENTS (values); i++)
    {
      g_autofree char *quantity = cured_format_quantity (values[i], "limit");

      set_limiters (self->result, values[i]);
      g_assert_true (cured_result_find_metric (self->result, "limiter", &self->view.metric));
      g_autoptr (CuredDrawing) drawing = cured_drawing_new_map (self->result, &self->view);
      g_autofree char *svg = write_text (drawing, "svg");
      g_autofree char *json = write_text (drawing, "json");
      g_assert_cmpint (cured_factor_from_value (values[i]), ==, -1);
      g_assert_null (strstr (quantity, cured_factor_get_title (7)));
      g_assert_cmpuint (count_colour (svg, 7), ==, 0);
      g_assert_cmpuint (count_colour (svg, CURED_RESOURCE_MEMORY), >, 1);
      g_assert_null (strstr (json, "\"limiter\":\"shared\""));
      g_assert_nonnull (strstr (json, "\"limiter\":\"memory\""));
    }
}

int
main (int argc, char *argv[])
{
  static const struct
  {
    const char *name;
    const MakeResult *what;
  } results[] = {
    { "small", &small }, { "line", &line }, { "single", &single },
    { "wide", &wide },   { "part", &part },
  };

  setlocale (LC_ALL, "C.UTF-8");
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/export/names", Fixture, &small, set_up, test_names, tear_down);
  g_test_add ("/export/no-names", Fixture, &small, set_up, test_no_names, tear_down);
  for (gsize i = 0; i < G_N_ELEMENTS (results); i++)
    {
      g_autofree char *formats = g_strconcat ("/export/formats/", results[i].name, NULL);
      g_autofree char *terminal = g_strconcat ("/export/terminal/", results[i].name, NULL);

      g_test_add (formats, Fixture, results[i].what, set_up, test_formats, tear_down);
      g_test_add (terminal, Fixture, results[i].what, set_up, test_terminal, tear_down);
    }
  g_test_add ("/export/options", Fixture, &small, set_up, test_options, tear_down);
  g_test_add ("/export/failures", Fixture, &small, set_up, test_failures, tear_down);
  g_test_add ("/export/terminal/thinned", Fixture, &wide, set_up, test_terminal_wide, tear_down);
  g_test_add ("/export/terminal/states", Fixture, &part, set_up, test_terminal_states, tear_down);
  g_test_add ("/export/terminal/ascii", Fixture, &small, set_up, test_terminal_ascii, tear_down);
  return run_tests ();
}
