/* SPDX-License-Identifier: MIT
 * Named sweeps, saved in a file each, for command and window. */
#pragma once

#include <glib.h>

#include "spec/cured-options.h"
#include "spec/cured-spec.h"

/* Suffix of preset files. */
#define CURED_PRESET_SUFFIX ".preset"

/* Axes, options and device of a sweep. Immutable and reference-counted. */
typedef struct
{
  char *name;           /* the user's name for it */
  char *kernel_id;      /* (nullable): the kernel; %NULL: not in the file */
  char **axes;          /* (array zero-terminated=1): assignments such as `tile=4..32:4` */
  CuredOptions options; /* how cells are measured */
  char *device_id;      /* (nullable): the device */
  /* (nullable): the command that starts the worker there; see cured_launcher_get_worker(). A file
   * from elsewhere may name any program here. */
  char *launcher;
  char *path;          /* (nullable): the file's name in errors */
  guint launcher_line; /* line number of the launcher in that file, from 1; 0: none */
} CuredPreset;

CuredPreset *cured_preset_new (const char *name, CuredSpec *spec, const char *device_id,
                               const char *launcher);
CuredPreset *cured_preset_new_from_text (const char *text, const char *name, const char *path,
                                         GError **error);
CuredPreset *cured_preset_new_from_file (const char *path, GError **error);
CuredPreset *cured_preset_ref (CuredPreset *self);
void cured_preset_unref (CuredPreset *self);
char *cured_preset_to_text (const CuredPreset *self);
gboolean cured_preset_apply (const CuredPreset *self, CuredSpec *spec, GError **error);

/* The user's presets. */
char **cured_presets_list (const char *kernel_id);
CuredPreset *cured_presets_load (const char *kernel_id, const char *name, GError **error);
gboolean cured_presets_save (const CuredPreset *preset, GError **error);
gboolean cured_presets_rename (const char *kernel_id, const char *name, const char *to,
                               GError **error);
gboolean cured_presets_delete (const char *kernel_id, const char *name, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredPreset, cured_preset_unref)
