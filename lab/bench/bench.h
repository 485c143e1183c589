/* SPDX-License-Identifier: MIT
 * What programs against the clock share: a large file, figures, limits. */
#pragma once

#include <glib.h>
#include <time.h>

/* The limits that the project promises, of a million cells. */
#define BENCH_MOST_OPEN_MS  1000.0
#define BENCH_MOST_FRAME_MS 4.0
#define BENCH_MOST_MEMORY   400.0 /* MB */

void bench_report (const char *what, double figure, const char *unit, double limit);
void bench_report_frames (const char *what, double *frames, gsize n_frames);
gboolean bench_has_failed (void);
double bench_get_cpu_ms (clockid_t clock);
double bench_get_memory (const char *key);
void bench_make_million (const char *make_result, const char *path);
