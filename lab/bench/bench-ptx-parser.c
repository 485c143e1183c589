/* SPDX-License-Identifier: MIT
 * How long a megabyte of PTX takes to parse. */
#include <stdlib.h>
#include <string.h>

#include "ptx/cured-ptx-module.h"
#include "ptx/parse/cured-ptx-parse.h"

#define BYTES   (1 << 20)
#define TURNS   15
#define MOST_MS 50.0

/* A kernel's text over and over, each time with another name. */
static char *
make_text (const char *path)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL;
  g_autofree char *head = NULL;
  g_autofree char *body = NULL;
  g_autoptr (GString) whole = NULL;
  const char *begin, *end;

  if (!g_file_get_contents (path, &text, NULL, &error))
    {
      g_printerr ("%s\n", error->message);
      exit (1);
    }
  begin = strstr (text, ".visible .entry");
  end = strstr (text, "\t.file");
  g_assert_nonnull (begin);
  g_assert_nonnull (end);
  head = g_strndup (text, (gsize) (begin - text));
  body = g_strndup (begin, (gsize) (end - begin));
  whole = g_string_new (head);
  for (guint i = 0; whole->len < BYTES; i++)
    {
      g_auto (GStrv) pieces = g_strsplit (body, "reduce_last_block", -1);
      g_autofree char *name = g_strdup_printf ("reduce_%05u_block", i);
      g_autofree char *copy = g_strjoinv (name, pieces);

      g_string_append (whole, copy);
    }
  g_string_append (whole, end);
  return g_string_free (g_steal_pointer (&whole), FALSE);
}

static int
compare (const void *a, const void *b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

int
main (int argc, char *argv[])
{
  g_autofree char *path =
      g_build_filename (g_getenv ("CURED_TEST_DATA"), "ptx", "last-block.ptx", NULL);
  g_autofree char *text = make_text (path);
  gsize length = strlen (text);
  double ms[TURNS];
  double median_ms;

  for (guint i = 0; i < TURNS; i++)
    {
      g_autoptr (GError) error = NULL;
      gint64 start = g_get_monotonic_time ();
      g_autoptr (CuredPtxModule) module =
          cured_ptx_module_parse (text, (gssize) length, path, &error);

      ms[i] = (double) (g_get_monotonic_time () - start) / 1e3;
      if (module == NULL)
        {
          g_printerr ("%s\n", error->message);
          return 1;
        }
      if (i == 0)
        g_print ("%zu bytes, %u instructions\n", length, cured_ptx_module_get_n_sites (module));
    }
  qsort (ms, TURNS, sizeof *ms, compare);
  median_ms = ms[TURNS / 2];
  g_print ("parsed in %.1f ms (median of %d, %.1f to %.1f); at most %.0f\n", median_ms, TURNS,
           ms[0], ms[TURNS - 1], MOST_MS);
  return median_ms <= MOST_MS ? 0 : 1;
}
