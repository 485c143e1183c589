/* SPDX-License-Identifier: MIT
 * Handlers: textures over linear memory. */
#include "config.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "ptx/cured-texture-internal.h"
#include "ptx/exec/cured-half-private.h"
#include "ptx/exec/cured-ptx-exec-private.h"

static uint32_t
to_bits (float value)
{
  uint32_t bits;

  memcpy (&bits, &value, sizeof bits);
  return bits;
}

/* An integer of @bits as a real: CUDA C++ Programming Guide, cudaReadMode- NormalizedFloat. */
static uint32_t
normalize (int64_t value, unsigned bits, bool is_signed)
{
  double most = (double) ((UINT64_C (1) << (is_signed ? bits - 1 : bits)) - 1);
  double real = (double) value / most;

  return to_bits ((float) MAX (real, -1.0));
}

/* What the register of a channel gets. */
static uint32_t
read_channel (const CuredTexture *texture, const uint8_t *from)
{
  bool is_signed = _cured_ptx_types[texture->type].kind == CURED_PTX_KIND_S;
  unsigned bytes = _cured_ptx_types[texture->type].bytes;
  uint32_t value = 0;
  int32_t number;

  memcpy (&value, from, bytes);
  if (texture->type == CURED_PTX_F16)
    return to_bits (cured_f16_to_f32 ((uint16_t) value));
  if (bytes == 4)
    return value;
  number = is_signed ? (int32_t) (value << (32 - 8 * bytes)) >> (32 - 8 * bytes) : (int32_t) value;
  return texture->is_normalized ? normalize (number, 8 * bytes, is_signed) : (uint32_t) number;
}

static void
report_no_texture (CuredWarp *warp, const CuredPtxInst *inst, uint32_t lanes, uint64_t handle)
{
  CuredWitness here =
      _cured_warp_witness (warp, inst, lanes, _cured_access_what (CURED_ACCESS_LOAD));

  _cured_grid_report (warp->block->grid, CURED_FINDING_OUT_OF_BOUNDS, &here, NULL,
                      CURED_SPACE_GLOBAL, handle, "%s", _ ("this is no texture of its launch"));
}

/* The lanes of @mask, which ask for one and the same texture. */
static void
fetch_from (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask, const CuredTexture *texture)
{
  const int32_t *at = LANES (const int32_t, inst->x[5]);
  unsigned bytes = _cured_ptx_types[texture->type].bytes;
  uint32_t width = bytes * texture->n_channels;
  uint64_t address[CURED_WARP_LANES] = { 0 };
  uint32_t inside = 0;
  CuredHosts hosts;

  for (uint32_t left = mask; left != 0; left &= left - 1)
    {
      unsigned l = (unsigned) __builtin_ctz (left);

      address[l] = texture->address + (uint64_t) (uint32_t) at[l] * width;
      if (at[l] >= 0 && (uint64_t) at[l] < texture->n_elements)
        inside |= 1u << l;
    }
  hosts.mask = 0;
  if (inside != 0)
    _cured_warp_access_at (
        warp, &(CuredWarpRequest){ inst, inside, CURED_SPACE_GLOBAL, CURED_ACCESS_LOAD, width, 0 },
        address, &hosts);
  for (unsigned i = 0; i < 4; i++)
    {
      uint32_t *to;

      if (inst->x[i].width == 0)
        continue;
      to = LANES (uint32_t, inst->x[i]);
      for (uint32_t left = mask; left != 0; left &= left - 1)
        {
          unsigned l = (unsigned) __builtin_ctz (left);

          if ((hosts.mask >> l & 1) == 0 || i >= texture->n_channels)
            to[l] = 0;
          else
            to[l] = read_channel (texture, hosts.host[l] + i * bytes);
        }
    }
}

static void
run_tex (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  const CuredLaunch *launch = warp->block->grid->launch;
  uint64_t handles[CURED_WARP_LANES];

  /* A result may take the place of the handle. */
  memcpy (handles, LANES (const uint64_t, inst->x[4]), sizeof handles);
  while (mask != 0)
    {
      uint64_t handle = handles[__builtin_ctz (mask)];
      uint64_t index = handle - CURED_TEXTURE_HANDLE;
      uint32_t same = 0;

      for (uint32_t left = mask; left != 0; left &= left - 1)
        if (handles[__builtin_ctz (left)] == handle)
          same |= left & -left;
      if (index < launch->n_textures)
        fetch_from (warp, inst, same, &launch->textures[index]);
      else
        {
          report_no_texture (warp, inst, same, handle);
          for (unsigned i = 0; i < 4; i++)
            for (uint32_t left = same; left != 0; left &= left - 1)
              if (inst->x[i].width != 0)
                LANES (uint32_t, inst->x[i])[__builtin_ctz (left)] = 0;
        }
      mask &= ~same;
    }
}

static const char *
check_texture (const CuredPtxInst *inst)
{
  return inst->counts[0] != 4 || inst->counts[1] != 2 || inst->x[4].width != 8
             ? "takes four registers, and a texture object and a coordinate in braces: textures "
               "over linear memory (tex1Dfetch) alone are emulated"
             : NULL;
}

/* clang-format off */
static const CuredPtxForm forms[] = {
  CHECKED (tex, TYPES (T_F32 | T_S32 | T_U32, T_S32), W_VECTOR_V4, 0, run_tex, check_texture)
};
/* clang-format on */

FORMS_OF (texture)
