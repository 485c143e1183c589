/* SPDX-License-Identifier: MIT
 * Runs a golden case on a GPU. */
#pragma once

#include <cuda_runtime_api.h>

#include "golden-case.h"

/* A case's module, loaded. */
typedef struct
{
  cudaLibrary_t library;
  cudaKernel_t kernel;
} GoldenGpu;

char *golden_gpu_load_as (GoldenGpu *self, const GoldenCase *golden, gboolean is_optimized);
char *golden_gpu_load (GoldenGpu *self, const GoldenCase *golden);
void golden_gpu_unload (GoldenGpu *self);
char *golden_gpu_run_blocks (const GoldenGpu *self, const GoldenCase *golden, guint n,
                             guint8 *buffers, gsize bytes);
char *golden_gpu_run (const GoldenGpu *self, const GoldenCase *golden, guint8 *buffer);
