/* SPDX-License-Identifier: MIT
 * What programs against the clock share: a large file, figures, limits. */
#include "bench.h"

#include <glib/gstdio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static gboolean has_failed;

/**
 * bench_report:
 * @what: what was measured
 * @figure: what came out
 * @unit: of it
 * @limit: what it has to be below
 */
void
bench_report (const char *what, double figure, const char *unit, double limit)
{
  gboolean is_over = !(figure < limit);

  printf ("%-40s %8.2f %s, limit %g%s\n", what, figure, unit, limit, is_over ? ": FAILED" : "");
  has_failed = has_failed || is_over;
}

static int
compare_doubles (const void *a, const void *b)
{
  double x = *(const double *) a;
  double y = *(const double *) b;

  return (x > y) - (x < y);
}

/**
 * bench_report_frames:
 * @what: what they showed
 * @frames: (array length=n_frames): ms of CPU that each took; they are sorted
 * @n_frames: how many there are; at least one
 */
void
bench_report_frames (const char *what, double *frames, gsize n_frames)
{
  g_autofree char *mean = g_strconcat (what, ", mean", NULL);
  g_autofree char *most = g_strconcat (what, ", 95 of 100 are below", NULL);
  double sum = 0;

  for (gsize i = 0; i < n_frames; i++)
    sum += frames[i];
  qsort (frames, n_frames, sizeof frames[0], compare_doubles);
  bench_report (mean, sum / (double) n_frames, "ms of CPU", BENCH_MOST_FRAME_MS);
  bench_report (most, frames[n_frames * 95 / 100], "ms of CPU", BENCH_MOST_FRAME_MS * 1.5);
}

/**
 * bench_has_failed:
 *
 * Returns: whether a figure was over its limit
 */
gboolean
bench_has_failed (void)
{
  return has_failed;
}

/**
 * bench_get_cpu_ms:
 * @clock: of the process or of this thread
 *
 * Returns: ms of processor time, which other programs can't lengthen
 */
double
bench_get_cpu_ms (clockid_t clock)
{
  struct timespec now;

  clock_gettime (clock, &now);
  return (double) now.tv_sec * 1e3 + (double) now.tv_nsec / 1e6;
}

/**
 * bench_get_memory:
 * @key: "VmHWM:": the most that was ever held; "VmRSS:": what is held now
 *
 * Returns: MB of this process
 */
double
bench_get_memory (const char *key)
{
  g_autofree char *status = NULL;
  const char *line;

  if (!g_file_get_contents ("/proc/self/status", &status, NULL, NULL))
    return 0;
  line = strstr (status, key);
  return line != NULL ? g_ascii_strtod (line + strlen (key), NULL) * 1024 / 1e6 : 0;
}

/**
 * bench_make_million:
 * @make_result: the program that makes result files
 * @path: a file of a million cells, made where it is missing or old
 *
 * In a process of its own: its memory is not ours.
 */
void
bench_make_million (const char *make_result, const char *path)
{
  g_autofree char *temporary = g_strconcat (path, ".part", NULL);
  const char *arguments[] = { make_result, temporary, "1000", "1000", NULL };
  g_autoptr (GError) error = NULL;
  GStatBuf maker;
  GStatBuf made;
  int status = 0;

  if (g_stat (make_result, &maker) == 0 && g_stat (path, &made) == 0 &&
      made.st_mtime >= maker.st_mtime)
    return;
  if (!g_spawn_sync (NULL, (char **) arguments, NULL, G_SPAWN_DEFAULT, NULL, NULL, NULL, NULL,
                     &status, &error) ||
      !g_spawn_check_wait_status (status, &error))
    g_error ("%s: %s", make_result, error->message);
  if (g_rename (temporary, path) != 0)
    g_error ("%s: cannot be renamed", temporary);
}
