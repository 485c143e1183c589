/* SPDX-License-Identifier: MIT
 * Writes a file completely or not at all. */
#pragma once

#include <gio/gio.h>

/* *
 * CuredOutputFunc:
 * @stream: takes the file's contents
 * @user_data: as passed to cured_output_file_write()
 * @cancellable: (nullable): checked while writing
 *
 * Returns: FALSE with an error */
typedef gboolean (*CuredOutputFunc) (GOutputStream *stream, gpointer user_data,
                                     GCancellable *cancellable, GError **error);

gboolean cured_output_file_write (const char *path, CuredOutputFunc func, gpointer user_data,
                                  GCancellable *cancellable, GError **error);
gboolean cured_output_file_write_text (const char *path, const char *text, GError **error);
