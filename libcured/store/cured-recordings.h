/* SPDX-License-Identifier: MIT
 * Result files of a folder: location of Cured's own, and names of new ones. */
#pragma once

#include <glib.h>

/* *
 * CuredPathTaken:
 * @path: a path at which there is no file
 * @user_data: as passed by the caller
 *
 * Returns: whether a file is about to be written there */
typedef gboolean (*CuredPathTaken) (const char *path, gpointer user_data);

char *cured_recordings_find_folder (void);
GPtrArray *cured_recordings_list (const char *folder, GError **error);
const char *cured_recordings_find (GPtrArray *paths, const char *kernel_id, const char *but);
GHashTable *cured_recordings_read (const char *folder);
char *cured_recordings_propose_path (const char *kernel_id, const char *folder,
                                     CuredPathTaken is_taken, gpointer user_data);
