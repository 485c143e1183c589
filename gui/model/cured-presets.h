/* SPDX-License-Identifier: MIT
 * Sweeps that were saved under a name, a list for each kernel. */
#pragma once

#include "cured.h"

G_BEGIN_DECLS

/**
 * CuredPreset:
 * @kernel_id: of which kernel
 * @name: what the user calls it
 * @axes: (array zero-terminated=1): assignments such as `tile=4..32:4`
 * @options: how cells are measured
 * @device_id: (nullable): where
 * @launcher: (nullable): what starts the worker there
 *
 * Axes, options and device of a sweep. One of a kernel that has changed since
 * is good for what the kernel still has.
 */
typedef struct
{
  char *kernel_id;
  char *name;
  char **axes;
  CuredOptions options;
  char *device_id;
  char *launcher;
} CuredPreset;

CuredPreset *cured_preset_new (const char *name,
                               CuredSpec *spec,
                               const char *device_id,
                               const char *launcher);
void cured_preset_free (CuredPreset *self);
void cured_preset_apply (const CuredPreset *self, CuredSpec *spec);

char **cured_presets_list (const char *kernel_id);
CuredPreset *cured_presets_load (const char *kernel_id, const char *name);
void cured_presets_save (const CuredPreset *preset);
void cured_presets_delete (const char *kernel_id, const char *name);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredPreset, cured_preset_free)

G_END_DECLS
