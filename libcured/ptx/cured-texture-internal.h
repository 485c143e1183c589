/* SPDX-License-Identifier: MIT
 * Textures over linear memory: what tex1Dfetch () reads. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "ptx/cured-ptx-internal.h"

G_BEGIN_DECLS

/* What a kernel takes stands for one: number @i of the launch's textures. */
#define CURED_TEXTURE_HANDLE UINT64_C (0x5465780000000000)

/**
 * CuredTexture:
 * @address: of the first element, in global memory
 * @n_elements: beyond which a fetch gives 0
 * @type: of a channel: F32, F16, or an integer of 8, 16 or 32 bits
 * @n_channels: of an element: 1, 2 or 4
 * @is_normalized: integers are read as reals of 0 to 1, or of -1 to 1
 */
typedef struct _CuredTexture CuredTexture;
struct _CuredTexture
{
  uint64_t address;
  uint64_t n_elements;
  CuredPtxType type;
  uint8_t n_channels;
  bool is_normalized;
};

G_END_DECLS
