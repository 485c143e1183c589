/* SPDX-License-Identifier: MIT
 * Handlers: textures and surfaces. */
#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "ptx/cured-texture-internal.h"
#include "ptx/exec/cured-half-private.h"
#include "ptx/exec/cured-ptx-exec-private.h"

/* Filters, layers and edges are as on an H200: tests/data/exec/textures.txt. Weights are integer
 * multiples of 1 / WEIGHT_ONE. */
#define WEIGHT_ONE 256

/* Coordinates from 0 to 1 are truncated to this resolution. */
#define UNIT_STEPS 0x1p24

/* Coordinates of an instruction, by its word. */
typedef struct
{
  uint8_t n_operands; /* some are for alignment */
  uint8_t n_dims;
  bool is_layered, is_cube;
} Shape;

static Shape
get_shape (const CuredPtxInst *inst)
{
  switch ((int) WORD_OF (inst, DIMENSIONS))
    {
    case CURED_PTX_DIMENSIONS_D1: return (Shape){ 1, 1, false, false };
    case CURED_PTX_DIMENSIONS_D2: return (Shape){ 2, 2, false, false };
    case CURED_PTX_DIMENSIONS_D3: return (Shape){ 4, 3, false, false };
    case CURED_PTX_DIMENSIONS_A1D: return (Shape){ 2, 1, true, false };
    case CURED_PTX_DIMENSIONS_A2D: return (Shape){ 4, 2, true, false };
    case CURED_PTX_DIMENSIONS_CUBE: return (Shape){ 4, 2, false, true };
    case CURED_PTX_DIMENSIONS_ACUBE: return (Shape){ 4, 2, true, true };
    default: return (Shape){ 0, 0, false, false };
    }
}

/* ---- Texels ---- */

static uint32_t
to_bits (float value)
{
  uint32_t bits;

  memcpy (&bits, &value, sizeof bits);
  return bits;
}

static float
to_real (uint32_t bits)
{
  float value;

  memcpy (&value, &bits, sizeof value);
  return value;
}

/* An integer of @bits as a real: CUDA C++ Programming Guide, cudaReadModeNormalizedFloat. */
static uint32_t
normalize (int64_t value, unsigned bits, bool is_signed)
{
  double most = (double) ((UINT64_C (1) << (is_signed ? bits - 1 : bits)) - 1);
  double real = (double) value / most;

  return to_bits ((float) MAX (real, -1.0));
}

/* The value of a channel in its register. */
static uint32_t
read_channel (const CuredTexture *texture, const uint8_t *from)
{
  bool is_signed = _cured_ptx_types[texture->type].kind == CURED_PTX_KIND_S;
  unsigned bytes = _cured_ptx_types[texture->type].bytes;
  uint32_t value = 0;
  int32_t number;

  memcpy (&value, from, bytes);
  /* A NaN keeps its bits. */
  if (texture->type == CURED_PTX_F16)
    return (value & 0x7fff) > 0x7c00 ? (value >> 15) << 31 | 0x7f800000 | (value & 0x3ff) << 13
                                     : to_bits (cured_f16_to_f32 ((uint16_t) value));
  if (bytes == 4)
    return value;
  number = is_signed ? (int32_t) (value << (32 - 8 * bytes)) >> (32 - 8 * bytes) : (int32_t) value;
  return texture->is_normalized ? normalize (number, 8 * bytes, is_signed) : (uint32_t) number;
}

static void
report (CuredWarp *warp, const CuredPtxInst *inst, uint32_t lanes, uint64_t address,
        const char *text)
{
  CuredAccessKind kind = inst->op == CURED_PTX_OP_sust ? CURED_ACCESS_STORE : CURED_ACCESS_LOAD;
  CuredWitness here = _cured_warp_witness (warp, inst, lanes, _cured_access_what (kind));

  _cured_grid_report (warp->block->grid, CURED_FINDING_OUT_OF_BOUNDS, &here, NULL,
                      CURED_SPACE_GLOBAL, address, "%s", text);
}

/* ---- Texels of the lanes ---- */

/* @first: texels in each dimension, before wrapping; with a filter, the lower ones. @weight: of the
 * next ones, in units of 1 / WEIGHT_ONE */
typedef struct
{
  const CuredTexture *texture;
  unsigned n_dims;
  int64_t first[3][CURED_WARP_LANES];
  uint16_t weight[3][CURED_WARP_LANES];
  uint64_t layer[CURED_WARP_LANES]; /* bytes */
} Footprint;

/* Limits coordinates so that their neighbours do not overflow. */
static int64_t
to_texel (double x)
{
  return isnan (x) ? 0 : (int64_t) CLAMP (x, -1e15, 1e15);
}

/* Maps a texel into the texture; FALSE: it is in the border. */
static bool
fold (int64_t *at, int64_t n, CuredTextureEdge mode)
{
  int64_t turn;

  if (*at >= 0 && *at < n)
    return true;
  switch (mode)
    {
    case CURED_EDGE_WRAP: *at = (*at % n + n) % n; return true;
    case CURED_EDGE_MIRROR:
      turn = (*at % (2 * n) + 2 * n) % (2 * n);
      *at = turn < n ? turn : 2 * n - 1 - turn;
      return true;
    case CURED_EDGE_BORDER: return false;
    case CURED_EDGE_CLAMP:
    default: *at = CLAMP (*at, 0, n - 1); return true;
    }
}

/* The face of a direction, and the coordinates on it, from 0 to 1: CUDA C++ Programming Guide,
 * cubemap textures. */
static unsigned
find_face (const float *x, float *at)
{
  float s[3] = { fabsf (x[0]), fabsf (x[1]), fabsf (x[2]) };
  unsigned axis = s[0] >= s[1] && s[0] >= s[2] ? 0 : s[1] >= s[2] ? 1 : 2;
  bool is_negative = x[axis] < 0;
  float u = axis == 0 ? (is_negative ? x[2] : -x[2]) : axis == 2 && is_negative ? -x[0] : x[0];
  float v = axis == 1 ? (is_negative ? -x[2] : x[2]) : -x[1];

  at[0] = (u / s[axis] + 1) / 2;
  at[1] = (v / s[axis] + 1) / 2;
  return 2 * axis + is_negative;
}

/* Whether a texel and the next one are different. */
static bool
has_neighbour (const CuredTexture *texture, int64_t at, unsigned d)
{
  int64_t next = at + 1;
  CuredTextureEdge edge = (CuredTextureEdge) texture->modes[d];

  return fold (&at, texture->size[d], edge) != fold (&next, texture->size[d], edge) || at != next;
}

/* @x: the handle, followed by the coordinates */
static void
find_texels (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask, const CuredPtxOperand *x,
             bool has_filter, Footprint *footprint)
{
  const CuredTexture *texture = footprint->texture;
  const Shape shape = get_shape (inst);
  bool is_real = inst->n_types > 1 && inst->types[1] == CURED_PTX_F32;

  /* One-dimensional textures have border rows on both sides. */
  footprint->n_dims = has_filter && shape.n_dims == 1 && !shape.is_layered ? 2 : shape.n_dims;
  for (uint32_t left = mask; left != 0; left &= left - 1)
    {
      unsigned l = (unsigned) __builtin_ctz (left);
      float real[3] = { 0 };
      uint64_t layer = 0;
      const CuredPtxOperand *c = x + 1;

      if (shape.is_layered)
        {
          uint32_t n = MAX (texture->n_layers / (shape.is_cube ? 6 : 1), 1);

          /* Negative layers become the last one. */
          layer = MIN (LANES (const uint32_t, *c)[l], n - 1);
          c++;
        }
      for (unsigned d = 0; d < (shape.is_cube ? 3u : shape.n_dims); d++)
        real[d] = is_real ? LANES (const float, c[d])[l] : 0;
      if (shape.is_cube)
        {
          float at[2];

          layer = layer * 6 + find_face (real, at);
          memcpy (real, at, sizeof at);
        }
      footprint->layer[l] = layer * texture->plane;
      for (unsigned d = 0; d < footprint->n_dims; d++)
        {
          double place = (double) real[d];

          footprint->weight[d][l] = 0;
          if (!is_real)
            {
              footprint->first[d][l] = LANES (const int32_t, c[d])[l];
              continue;
            }
          if (shape.is_cube)
            place *= texture->size[d];
          else if (texture->is_unit)
            place = floor (place * UNIT_STEPS) / UNIT_STEPS * texture->size[d];
          if (has_filter)
            {
              double fixed = floor ((place - 0.5) * WEIGHT_ONE + 0.5);

              footprint->first[d][l] = to_texel (floor (fixed / WEIGHT_ONE));
              footprint->weight[d][l] =
                  isfinite (fixed) && has_neighbour (texture, footprint->first[d][l], d)
                      ? (uint16_t) (fixed - floor (fixed / WEIGHT_ONE) * WEIGHT_ONE)
                      : 0;
            }
          else
            footprint->first[d][l] = to_texel (floor (place));
        }
    }
}

/* Finds one texel of each lane: bit d of @next selects the next one in dimension d. The other lanes
 * of @mask get the border. */
static void
look_up (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask, const Footprint *footprint,
         unsigned next, CuredHosts *hosts)
{
  const CuredTexture *texture = footprint->texture;
  uint32_t width = (uint32_t) _cured_ptx_types[texture->type].bytes * texture->n_channels;
  const uint64_t strides[] = { width, texture->pitch, texture->plane };
  uint64_t address[CURED_WARP_LANES] = { 0 };
  uint32_t inside = 0;

  for (uint32_t left = mask; left != 0; left &= left - 1)
    {
      unsigned l = (unsigned) __builtin_ctz (left);
      bool is_inside = true;

      address[l] = texture->address + footprint->layer[l];
      for (unsigned d = 0; d < footprint->n_dims; d++)
        {
          int64_t at = footprint->first[d][l] + (next >> d & 1);

          if (texture->n_dims == 0)
            is_inside &= at >= 0 && (uint64_t) at < texture->n_elements;
          else
            is_inside &= fold (&at, texture->size[d], (CuredTextureEdge) texture->modes[d]);
          address[l] += (uint64_t) at * strides[d];
        }
      inside |= (uint32_t) is_inside << l;
    }
  hosts->mask = 0;
  if (inside != 0)
    _cured_warp_access_at (
        warp, &(CuredWarpRequest){ inst, inside, CURED_SPACE_GLOBAL, CURED_ACCESS_LOAD, width, 0 },
        address, hosts);
}

/* Channel @i of the texel that look_up () found for lane @l. */
static uint32_t
get_channel (const CuredTexture *texture, const CuredHosts *hosts, unsigned l, unsigned i)
{
  if (i >= texture->n_channels)
    return 0;
  if ((hosts->mask >> l & 1) == 0)
    return texture->n_dims > 0 ? to_bits (texture->border[i]) : 0;
  return read_channel (texture, hosts->host[l] + i * _cured_ptx_types[texture->type].bytes);
}

static void
set_result (CuredWarp *warp, const CuredPtxInst *inst, unsigned l, unsigned i, uint32_t value)
{
  if (inst->x[i].width != 0)
    LANES (uint32_t, inst->x[i])[l] = value;
}

/* ---- Textures ---- */

/* Processes the lanes of @mask, which access the same texture. */
typedef void (*Visit) (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask,
                       const CuredTexture *texture);

/* The weight of each texel around a lane's coordinates. It is split by the last of three
 * dimensions, then by the first, then by the second, and rounded to an integer each time: halves go
 * to the next texel in the first dimension. In three dimensions with mirrors, an H200 sometimes
 * increments one weight and decrements another. */
static void
find_weights (const Footprint *footprint, unsigned l, double weights[8])
{
  double a = footprint->weight[0][l];
  double b = footprint->n_dims > 1 ? footprint->weight[1][l] : 0;
  double c = footprint->n_dims > 2 ? footprint->weight[2][l] : 0;

  for (unsigned z = 0; z < 2; z++)
    {
      double *w = weights + 4 * z;
      double all = z == 0 ? WEIGHT_ONE - c : c;
      double next = floor (all * a / WEIGHT_ONE + 0.5);

      w[3] = floor (next * b / WEIGHT_ONE + 0.5);
      w[1] = next - w[3];
      w[2] = ceil ((all - next) * b / WEIGHT_ONE - 0.5);
      w[0] = all - next - w[2];
    }
}

/* A filtered value in its register: integers have 16 bits. Halves are rounded away from 0. */
static float
finish (const CuredTexture *texture, double sum)
{
  double most = _cured_ptx_types[texture->type].kind == CURED_PTX_KIND_S ? INT16_MAX : UINT16_MAX;

  return texture->is_normalized ? (float) (round (sum * most * (1 + 0x1p-40)) / most)
                                : (float) (sum * (1 + 0x1p-40));
}

static void
fetch_filtered (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask, Footprint *footprint)
{
  double sums[4][CURED_WARP_LANES] = { { 0 } };
  CuredHosts hosts;

  for (unsigned next = 0; next < 1u << footprint->n_dims; next++)
    {
      look_up (warp, inst, mask, footprint, next, &hosts);
      for (uint32_t left = mask; left != 0; left &= left - 1)
        {
          unsigned l = (unsigned) __builtin_ctz (left);
          double weights[8];

          find_weights (footprint, l, weights);
          for (unsigned i = 0; i < footprint->texture->n_channels && weights[next] != 0; i++)
            sums[i][l] += weights[next] / WEIGHT_ONE *
                          (double) to_real (get_channel (footprint->texture, &hosts, l, i));
        }
    }
  for (uint32_t left = mask; left != 0; left &= left - 1)
    for (unsigned i = 0; i < 4; i++)
      set_result (warp, inst, (unsigned) __builtin_ctz (left), i,
                  to_bits (finish (footprint->texture, sums[i][__builtin_ctz (left)])));
}

static void
fetch (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask, const CuredTexture *texture)
{
  Footprint footprint = { .texture = texture };
  bool has_filter = texture->has_filter && texture->n_dims > 0 && inst->types[1] == CURED_PTX_F32;
  CuredHosts hosts;

  find_texels (warp, inst, mask, &inst->x[4], has_filter, &footprint);
  if (has_filter)
    {
      fetch_filtered (warp, inst, mask, &footprint);
      return;
    }
  look_up (warp, inst, mask, &footprint, 0, &hosts);
  for (uint32_t left = mask; left != 0; left &= left - 1)
    for (unsigned i = 0; i < 4; i++)
      {
        unsigned l = (unsigned) __builtin_ctz (left);

        set_result (warp, inst, l, i, get_channel (texture, &hosts, l, i));
      }
}

/* The four texels of a filter, counterclockwise from the lower left one. */
static void
gather (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask, const CuredTexture *texture)
{
  static const uint8_t corners[] = { 2, 3, 1, 0 };
  unsigned word = WORD_OF (inst, MODE);
  unsigned channel = word == CURED_PTX_MODE_G   ? 1
                     : word == CURED_PTX_MODE_B ? 2
                     : word == CURED_PTX_MODE_A ? 3
                                                : 0;
  Footprint footprint = { .texture = texture };
  uint32_t values[4][CURED_WARP_LANES];
  CuredHosts hosts;

  find_texels (warp, inst, mask, &inst->x[4], true, &footprint);
  for (unsigned i = 0; i < 4; i++)
    {
      look_up (warp, inst, mask, &footprint, corners[i], &hosts);
      for (uint32_t left = mask; left != 0; left &= left - 1)
        {
          unsigned l = (unsigned) __builtin_ctz (left);

          values[i][l] = get_channel (texture, &hosts, l, channel);
        }
    }
  for (uint32_t left = mask; left != 0; left &= left - 1)
    for (unsigned i = 0; i < 4; i++)
      set_result (warp, inst, (unsigned) __builtin_ctz (left), i, values[i][__builtin_ctz (left)]);
}

/* ---- Surfaces ---- */

static void
access_surface (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask,
                const CuredTexture *texture)
{
  const Shape shape = get_shape (inst);
  bool is_store = inst->op == CURED_PTX_OP_sust;
  const CuredPtxOperand *c = is_store ? inst->x : inst->x + inst->counts[0];
  const CuredPtxOperand *values = is_store ? inst->x + inst->counts[0] : inst->x;
  unsigned n = is_store ? inst->counts[1] : inst->counts[0];
  unsigned bytes = _cured_ptx_types[inst->types[0]].bytes;
  int64_t element = (int64_t) _cured_ptx_types[texture->type].bytes * texture->n_channels;
  uint64_t address[CURED_WARP_LANES] = { 0 };
  uint32_t inside = 0;
  CuredHosts hosts;

  for (uint32_t left = mask; left != 0; left &= left - 1)
    {
      unsigned l = (unsigned) __builtin_ctz (left);
      int64_t at[4] = { 0 };
      int64_t limits[4] = { element * texture->size[0] - (int64_t) (bytes * n) + 1 };
      const uint64_t strides[4] = { 1, texture->pitch, texture->plane, texture->plane };
      bool is_inside = true;

      /* Here the layer comes last, and x counts bytes. */
      if (shape.is_layered)
        at[3] = LANES (const int32_t, c[1])[l];
      limits[1] = texture->size[1];
      limits[2] = texture->size[2];
      limits[3] = MAX (texture->n_layers, 1);
      for (unsigned d = 0; d < shape.n_dims; d++)
        at[d] = LANES (const int32_t, c[1 + shape.is_layered + d])[l];
      address[l] = texture->address;
      for (unsigned d = 0; d < 4; d++)
        {
          is_inside &= at[d] >= 0 && at[d] < limits[d];
          if (WORD_OF (inst, WRAP) == CURED_PTX_WRAP_CLAMP)
            at[d] = CLAMP (at[d], 0, MAX (limits[d], 1) - 1);
          address[l] += (uint64_t) at[d] * strides[d];
        }
      inside |= (uint32_t) is_inside << l;
    }
  if (WORD_OF (inst, WRAP) == CURED_PTX_WRAP_CLAMP)
    inside = mask;
  else if (WORD_OF (inst, WRAP) == CURED_PTX_WRAP_TRAP && inside != mask)
    report (warp, inst, mask & ~inside, address[__builtin_ctz (mask & ~inside)],
            _ ("this is outside of the surface"));
  hosts.mask = 0;
  if (inside != 0)
    _cured_warp_access_at (warp,
                           &(CuredWarpRequest){ inst, inside, CURED_SPACE_GLOBAL,
                                                is_store ? CURED_ACCESS_STORE : CURED_ACCESS_LOAD,
                                                bytes * n, 0 },
                           address, &hosts);
  for (uint32_t left = mask; left != 0; left &= left - 1)
    for (unsigned i = 0; i < n; i++)
      {
        unsigned l = (unsigned) __builtin_ctz (left);
        bool is_there = (hosts.mask >> l & 1) != 0;
        uint64_t value = is_store ? cured_get_lane (warp, &values[i], l) : 0;

        if (is_store && is_there)
          memcpy (hosts.host[l] + i * bytes, &value, bytes);
        else if (!is_store)
          {
            if (is_there)
              memcpy (&value, hosts.host[l] + i * bytes, bytes);
            cured_set_lane (warp, &values[i], l, value);
          }
      }
}

/* ---- Handles ---- */

/* The conflict between a texture and an instruction; NULL: none. */
static const char *
find_mismatch (const CuredPtxInst *inst, const CuredTexture *texture)
{
  const Shape shape = get_shape (inst);

  if (texture->n_dims == 0)
    return inst->op == CURED_PTX_OP_tex && inst->types[1] == CURED_PTX_S32 && shape.n_dims == 1 &&
                   !shape.is_layered
               ? NULL
               : _ ("it is over linear memory, which tex1Dfetch () alone reads");
  if (shape.n_dims != texture->n_dims)
    return _ ("it has another number of dimensions");
  return NULL;
}

/* Visits each texture that the lanes access; @handle: the operand. */
static void
visit_textures (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask,
                const CuredPtxOperand *handle, Visit visit)
{
  const CuredLaunch *launch = warp->block->grid->launch;
  uint64_t handles[CURED_WARP_LANES];

  /* A result may overwrite the handle. */
  memcpy (handles, LANES (const uint64_t, *handle), sizeof handles);
  while (mask != 0)
    {
      uint64_t asked = handles[__builtin_ctz (mask)];
      uint64_t index = asked - CURED_TEXTURE_HANDLE;
      const char *problem = NULL;
      uint32_t same = 0;

      for (uint32_t left = mask; left != 0; left &= left - 1)
        if (handles[__builtin_ctz (left)] == asked)
          same |= left & -left;
      if (index >= launch->n_textures)
        problem = _ ("this is no texture or surface of its launch");
      else
        problem = find_mismatch (inst, &launch->textures[index]);
      if (problem == NULL)
        visit (warp, inst, same, &launch->textures[index]);
      else
        {
          report (warp, inst, same, asked, problem);
          for (unsigned i = 0; i < inst->counts[0] && inst->op != CURED_PTX_OP_sust; i++)
            for (uint32_t left = same; left != 0; left &= left - 1)
              cured_set_lane (warp, &inst->x[i], (unsigned) __builtin_ctz (left), 0);
        }
      mask &= ~same;
    }
}

static void
run_tex (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  visit_textures (warp, inst, mask, &inst->x[4], fetch);
}

static void
run_tld4 (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  visit_textures (warp, inst, mask, &inst->x[4], gather);
}

static void
run_surface (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  visit_textures (warp, inst, mask,
                  inst->op == CURED_PTX_OP_sust ? inst->x : inst->x + inst->counts[0],
                  access_surface);
}

/* ---- Forms ---- */

static const char *
check_shape (const CuredPtxInst *inst)
{
  const Shape shape = get_shape (inst);
  unsigned which = inst->op == CURED_PTX_OP_sust ? 0 : 1;
  const CuredPtxOperand *handle = cured_get_operands (inst, which);

  if (shape.n_operands == 0)
    return "takes .1d, .2d, .3d, .a1d, .a2d, .cube or .acube";
  return inst->counts[which] != 1 + shape.n_operands || handle->width != 8
             ? "takes a texture or surface object, and in braces as many coordinates as its shape "
               "has"
             : NULL;
}

static const char *
check_texture (const CuredPtxInst *inst)
{
  return inst->counts[0] != 4 ? "takes four registers" : check_shape (inst);
}

static const char *
check_gather (const CuredPtxInst *inst)
{
  return WORD_OF (inst, DIMENSIONS) != CURED_PTX_DIMENSIONS_D2 ? "takes .2d" : check_texture (inst);
}

#define T_TEXEL   T_F32 | T_S32 | T_U32
#define T_PLACE   T_S32 | T_F32
#define T_SURFACE T_B8 | T_B16 | T_B32 | T_B64
#define W_OUTSIDE WORDS (W_WRAP_TRAP, W_WRAP_CLAMP, W_WRAP_ZERO)

/* clang-format off */
static const CuredPtxForm forms[] = {
  CHECKED (tex, TYPES (T_TEXEL, T_PLACE), W_VECTOR_V4, G_DIMENSIONS, run_tex, check_texture)
  CHECKED (tex_level, TYPES (T_TEXEL, T_F32), W_VECTOR_V4, G_DIMENSIONS, run_tex, check_texture)
  CHECKED (tex_grad, TYPES (T_TEXEL, T_F32), W_VECTOR_V4, G_DIMENSIONS, run_tex, check_texture)
  CHECKED (tld4, TYPES (T_TEXEL, T_F32),
           WORDS (W_VECTOR_V4, W_MODE_R, W_MODE_G, W_MODE_B, W_MODE_A), G_DIMENSIONS, run_tld4,
           check_gather)
  CHECKED (suld, T_SURFACE, W_OUTSIDE, G_DIMENSIONS | G_VECTOR, run_surface, check_shape)
  CHECKED (sust, T_SURFACE, W_OUTSIDE, G_DIMENSIONS | G_VECTOR, run_surface, check_shape)
};
/* clang-format on */

FORMS_OF (texture)
