/* SPDX-License-Identifier: MIT
 * A folder of results as web pages, pictures or tables. */
#pragma once

#include "plot/export/cured-export.h"

/* *
 * CuredSiteFunc:
 * @file: a result file that was read
 * @problem: (nullable): why it has no page
 * @user_data: as passed to cured_site_write()
 *
 * Called for each file, in the thread that writes. */
typedef void (*CuredSiteFunc) (const char *file, const GError *problem, gpointer user_data);

gboolean cured_site_write (const char *folder, const char *output, const CuredExportFormat *format,
                           const CuredExportOptions *options, CuredSiteFunc func,
                           gpointer user_data, GCancellable *cancellable, GError **error);
