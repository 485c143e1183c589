/* SPDX-License-Identifier: MIT
 * Runs a golden case on the emulator. */
#include "golden-case.h"

#include <cured.h>
#include <string.h>

#define TIME_MS 20000

/**
 * golden_case_emulate:
 * @module: the case's text, parsed
 * @buffer: (out caller-allocates): the case's after the launch
 * @report: (out caller-allocates): how it ended; clear it
 * @error: return location for an error
 *
 * Returns: %FALSE where the emulator does not launch it */
gboolean
golden_case_emulate (const GoldenCase *self, CuredPtxModule *module, guint8 *buffer,
                     CuredReport *report, GError **error)
{
  g_autoptr (CuredMemory) memory = cured_memory_new (1 << 28);
  guint8 parameters[GOLDEN_PARAMETERS] = { 0 };
  CuredTexture texture = self->texture;
  guint64 address = 0;
  guint has_cluster = golden_case_has_cluster (self);
  CuredLaunch launch = {
    .module = module,
    .memory = memory,
    .entry = GOLDEN_ENTRY,
    .grid = { 1, 1, 1 },
    .block = { self->n_threads, 1, 1 },
    .cluster = { has_cluster, has_cluster, has_cluster },
    .parameters = parameters,
    .parameters_bytes = self->map_at >= 0          ? sizeof parameters
                        : self->texture_of != NULL ? 2 * sizeof address
                                                   : sizeof address,
    .bank_arch = CURED_BANK_ARCH_5,
    .threads = 1,
    .time_limit_ms = TIME_MS,
  };

  if (!cured_memory_allocate (memory, self->size, &address, error))
    return FALSE;
  memcpy (cured_memory_map (memory, address, self->size), self->buffer, self->size);
  memcpy (parameters, &address, sizeof address);
  if (self->texture_of != NULL)
    {
      guint64 handle = CURED_TEXTURE_HANDLE;

      texture.address += address;
      launch.textures = &texture;
      launch.n_textures = 1;
      memcpy (parameters + GOLDEN_TEXTURE, &handle, sizeof handle);
    }
  if (self->map_at >= 0)
    cured_tensor_shape_encode (&self->shape, address + (guint64) self->map_at,
                               parameters + GOLDEN_MAP);
  if (!cured_ptx_module_link (module, memory, error) ||
      !cured_emulator_launch (&launch, report, NULL, error))
    return FALSE;
  memcpy (buffer, cured_memory_map (memory, address, self->size), self->size);
  return TRUE;
}
