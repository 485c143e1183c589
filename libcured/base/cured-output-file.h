/* SPDX-License-Identifier: MIT
 * A file that is written whole, or not at all. */
#pragma once

#include <gio/gio.h>

/**
 * CuredOutputFunc:
 * @stream: takes what the file is to have
 * @user_data: of the call
 * @cancellable: (nullable): looked at while writing
 *
 * Returns: FALSE with an error */
typedef gboolean (*CuredOutputFunc) (GOutputStream *stream, gpointer user_data,
                                     GCancellable *cancellable, GError **error);

gboolean cured_output_file_write (const char *path, CuredOutputFunc func, gpointer user_data,
                                  GCancellable *cancellable, GError **error);
gboolean cured_output_file_write_text (const char *path, const char *text, GError **error);
