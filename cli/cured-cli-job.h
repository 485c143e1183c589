/* SPDX-License-Identifier: MIT
 * Work of unknown length in a thread: progress, and Ctrl+C. */
#pragma once

#include "cured.h"

/**
 * CuredCliJob:
 *
 * Work in progress.
 */
typedef struct _CuredCliJob CuredCliJob;

/**
 * CuredCliJobFunc:
 * @job: for cured_cli_job_report()
 *
 * Does the work, in a thread of its own. Returns FALSE with @error set.
 */
typedef gboolean (*CuredCliJobFunc) (CuredCliJob *job, gpointer user_data,
                                     GCancellable *cancellable, GError **error);

gboolean cured_cli_job_run (const char *what, CuredCliJobFunc func, gpointer user_data,
                            gboolean *is_terminated, GError **error);
void cured_cli_job_report (gint64 done, gint64 all, gpointer job);
