/* SPDX-License-Identifier: MIT
 * Sweeps that were saved under a name: a file each, for command and window. */
#pragma once

#include <glib.h>

#include "spec/cured-options.h"
#include "spec/cured-spec.h"

/* What the names of preset files end in. */
#define CURED_PRESET_SUFFIX ".preset"

/* Axes, options and device of a sweep. Immutable and reference-counted. */
typedef struct
{
  char *name;           /* what the user calls it */
  char *kernel_id;      /* (nullable): of which kernel; %NULL: the file does not tell */
  char **axes;          /* (array zero-terminated=1): assignments such as `tile=4..32:4` */
  CuredOptions options; /* how cells are measured */
  char *device_id;      /* (nullable): where */
  /* (nullable): what starts the worker there; see cured_launcher_get_worker(). A file from
   * elsewhere may name any program here. */
  char *launcher;
  char *path;          /* (nullable): the file that it was read from, as errors name it */
  guint launcher_line; /* of the launcher in that file, from 1; 0: none */
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

/* Those of the user. */
char **cured_presets_list (const char *kernel_id);
CuredPreset *cured_presets_load (const char *kernel_id, const char *name, GError **error);
gboolean cured_presets_save (const CuredPreset *preset, GError **error);
gboolean cured_presets_rename (const char *kernel_id, const char *name, const char *to,
                               GError **error);
gboolean cured_presets_delete (const char *kernel_id, const char *name, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredPreset, cured_preset_unref)
