/* SPDX-License-Identifier: MIT
 * Textures and surfaces: read by tex and suld, written by sust. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "ptx/cured-ptx-internal.h"

/* A kernel's handle: CURED_TEXTURE_HANDLE plus the index in the launch's textures. */
#define CURED_TEXTURE_HANDLE UINT64_C (0x5465780000000000)

/* cudaTextureAddressMode: handling of coordinates out of bounds. */
typedef enum
{
  CURED_EDGE_WRAP,
  CURED_EDGE_CLAMP,
  CURED_EDGE_MIRROR,
  CURED_EDGE_BORDER,
} CuredTextureEdge;

/**
 * CuredTexture:
 * @address: of the first element, in global memory
 * @n_elements: over linear memory, beyond which a fetch gives 0
 * @type: of a channel: F32, F16, or an integer of 8, 16 or 32 bits
 * @n_channels: of an element: 1, 2 or 4
 * @is_normalized: integers are read as reals of 0 to 1, or of -1 to 1
 * @n_dims: 0: over linear memory; or 1 to 3: what follows is of these
 * @size: elements of each dimension; 1 beyond @n_dims
 * @n_layers: layers, or faces: 0: there are none
 * @is_cube: six faces, and with layers six of each
 * @pitch: bytes from a row to the next
 * @plane: bytes from a slice to the next, or from a layer
 * @modes: of each dimension
 * @has_filter: neighbours are mixed
 * @is_unit: coordinates go from 0 to 1
 * @border: the value outside, of CURED_EDGE_BORDER */
typedef struct _CuredTexture CuredTexture;
struct _CuredTexture
{
  uint64_t address, n_elements;
  CuredPtxType type;
  uint8_t n_channels;
  bool is_normalized;

  uint8_t n_dims;
  bool is_cube, has_filter, is_unit;
  uint8_t modes[3];
  uint32_t size[3], n_layers;
  uint64_t pitch, plane;
  float border[4];
};
