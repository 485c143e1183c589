/* SPDX-License-Identifier: MIT
 * Evaluates the expressions of a kernel file, and checks the results against a device's
 * limits. */
#include "kernel/program/cured-program-internal.h"

#include "base/cured-base-internal.h"
#include "kernel/cured-element-internal.h"
#include "kernel/cured-kernel-internal.h"
#include "ptx/cured-tensor-map-internal.h"

/* More elements than this are a mistake. */
#define MAX_LENGTH (G_GINT64_CONSTANT (1) << 40)

/* Elements of a texture over linear memory: cudaDeviceProp.maxTexture1DLinear. */
#define MAX_TEXTURE (1 << 28)

/* No CUDA device exceeds it; used if a device does not report its limit. */
#define MAX_EXTENT G_MAXINT32

/* Limit of repetitions that differ by their index; each becomes a step. */
#define MAX_TURNS 4096

/* Blocks of a cluster; a chip need not have more than 8. */
#define MAX_CLUSTER 16

/* A point of a kernel's parameters on a device: where names get their value. */
typedef struct
{
  const CuredKernel *kernel;
  const CuredParameter *parameters;
  gsize n_parameters;
  const gint64 *values;
  const CuredLimits *limits;
  const char *index; /* nullable: name of @turn in expressions */
  gint64 turn;
} Point;

static gboolean
lookup_cb (const char *name, CuredNumber *value, gpointer user_data)
{
  const Point *self = user_data;

  value->is_double = FALSE;
  if (self->index != NULL && strcmp (self->index, name) == 0)
    {
      value->integer = self->turn;
      return TRUE;
    }
  for (gsize i = 0; i < self->n_parameters; i++)
    if (strcmp (self->parameters[i].name, name) == 0)
      {
        value->integer = self->values[i];
        return TRUE;
      }
  return cured_limits_get (self->limits, name, &value->integer);
}

/* Turns an error of @expr into the reason why a cell can't run. */
static gboolean
fail_expr (const CuredExpr *expr, const char *key, const GError *cause, GError **error)
{
  return cured_fail (error, CURED_ERROR_NOT_LAUNCHABLE, "%s=%s: %s", key,
                     cured_expr_get_text (expr), cause->message);
}

static gboolean
get_integer (const Point *self, const CuredExpr *expr, const char *key, gint64 *value,
             GError **error)
{
  g_autoptr (GError) local = NULL;

  return cured_expr_evaluate_integer (expr, lookup_cb, (gpointer) self, value, &local) ||
         fail_expr (expr, key, local, error);
}

static gboolean
get_double (const Point *self, const CuredExpr *expr, const char *key, double *value,
            GError **error)
{
  g_autoptr (GError) local = NULL;

  return cured_expr_evaluate_double (expr, lookup_cb, (gpointer) self, value, &local) ||
         fail_expr (expr, key, local, error);
}

/* Type of field @index of the buffer's elements, or of the elements themselves. */
static CuredElement
get_part (const CuredBuffer *buffer, gsize index)
{
  return buffer->record != NULL ? buffer->record->fields[index].type : buffer->type;
}

/* Whether each field's type can represent Low= and High=. */
static gboolean
check_bounds (const CuredProgramBuffer *value, GError **error)
{
  const CuredBuffer *buffer = value->buffer;
  gsize n = buffer->record != NULL ? buffer->record->n_fields : 1;

  for (gsize i = 0; i < n; i++)
    {
      CuredElement type = get_part (buffer, i);
      /* Beyond, doubles do not represent every integer. */
      const double most_exact = 0x1p53;
      gint64 low, high;
      gboolean fits;

      if (!cured_element_is_integer (type))
        {
          double largest = cured_element_get_largest (type);

          /* FLT_MAX, rounded to few decimal digits, is a little more, but converts to it. */
          largest += largest * 0x1p-26;
          fits = !(fabs (value->low) > largest || fabs (value->high) > largest);
        }
      else if (value->low != floor (value->low) || value->high != floor (value->high))
        return cured_error_refuse (
            error, _ ("buffer %s has integers; Low=%g and High=%g have to be integers too"),
            buffer->name, value->low, value->high);
      else
        {
          cured_element_get_range (type, &low, &high);
          fits = value->low >= MAX ((double) low, -most_exact) &&
                 value->low <= MIN ((double) high, most_exact) &&
                 value->high <= MIN ((double) high, most_exact) &&
                 (buffer->fill != CURED_FILL_RAMP || value->high >= G_MININT32);
        }
      if (!fits)
        return cured_error_refuse (error, _ ("buffer %s is %s; Low=%g or High=%g does not fit"),
                                   buffer->name, cured_element_to_string (type), value->low,
                                   value->high);
    }
  return TRUE;
}

static gboolean
check_contents (const CuredProgramBuffer *value, GError **error)
{
  const CuredBuffer *buffer = value->buffer;
  gsize element = cured_buffer_get_element_size (buffer);

  if (buffer->contents == NULL)
    return cured_error_refuse (
        error,
        _ ("buffer %s has what is in %s (SHA-256 %s), which a copy of the kernel does not carry; "
           "put that file beside the kernel file, and run that"),
        buffer->name, buffer->file, buffer->checksum);
  gsize size = g_bytes_get_size (buffer->contents);
  return value->size <= size ||
         cured_error_refuse (error,
                             _ ("buffer %s needs %" PRId64
                                " elements (Length=%s), and %s has %zu; expected a "
                                "longer file or a smaller Length="),
                             buffer->name, value->length, cured_expr_get_text (buffer->length),
                             buffer->file, size / element);
}

/* Checks that the first and the last element have a value. */
static gboolean
check_ends (const Point *self, const CuredProgramBuffer *value, GError **error)
{
  const CuredBuffer *buffer = value->buffer;
  Point point = *self;

  point.index = "i";
  for (int end = 0; end < 2; end++)
    {
      gint64 integer;
      double real;

      point.turn = end == 0 ? 0 : value->length - 1;
      if (cured_element_is_integer (get_part (buffer, 0))
              ? !get_integer (&point, buffer->value, "Value", &integer, error)
              : !get_double (&point, buffer->value, "Value", &real, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
evaluate_buffer (const Point *self, const CuredBuffer *kernel_buffer, CuredProgramBuffer *value,
                 GError **error)
{
  const CuredBuffer *buffer = cured_buffer_resolve (kernel_buffer, self->values);
  const char *length = cured_expr_get_text (buffer->length);
  gboolean integers = FALSE;
  gsize n_parts = buffer->record != NULL ? buffer->record->n_fields : 1;
  gint64 least, most;

  for (gsize i = 0; i < n_parts; i++)
    integers |= cured_element_is_integer (get_part (buffer, i));
  value->buffer = buffer;
  if (!get_integer (self, buffer->length, "Length", &value->length, error))
    return FALSE;
  if (value->length < 1)
    return cured_error_refuse (error, _ ("buffer %s has no elements (Length=%s is %" PRId64 ")"),
                               buffer->name, length, value->length);
  if (value->length >= MAX_LENGTH)
    return cured_error_refuse (error,
                               _ ("buffer %s has 2^40 elements or more (Length=%s is %" PRId64 ")"),
                               buffer->name, length, value->length);
  value->size = (gsize) value->length * cured_buffer_get_element_size (buffer);

  /* The fills' defaults; see docs/kernel-files.md. */
  value->low = 0;
  value->high =
      (buffer->fill == CURED_FILL_UNIFORM || buffer->fill == CURED_FILL_SORTED) && integers ? 99
                                                                                            : 1;
  if ((buffer->low != NULL && !get_double (self, buffer->low, "Low", &value->low, error)) ||
      (buffer->high != NULL && !get_double (self, buffer->high, "High", &value->high, error)))
    return FALSE;
  value->step = 1;
  if (buffer->step != NULL && !get_integer (self, buffer->step, "Step", &value->step, error))
    return FALSE;
  if (value->step < 1)
    return cured_error_refuse (
        error, _ ("the numbers of buffer %s lie %" PRId64 " apart (Step=%s); 1 is the minimum"),
        buffer->name, value->step, cured_expr_get_text (buffer->step));
  if ((buffer->fill == CURED_FILL_UNIFORM || buffer->fill == CURED_FILL_SORTED) &&
      value->high < value->low)
    return cured_error_refuse (error,
                               _ ("buffer %s is filled from %g to %g; High= has to be the larger"),
                               buffer->name, value->low, value->high);
  if (buffer->fill == CURED_FILL_FILE)
    return check_contents (value, error);
  if (buffer->fill == CURED_FILL_EXPRESSION)
    return check_ends (self, value, error);
  if (buffer->fill != CURED_FILL_POISON && buffer->fill != CURED_FILL_PERMUTATION &&
      !check_bounds (value, error))
    return FALSE;
  if (buffer->fill != CURED_FILL_PERMUTATION)
    return TRUE;
  cured_element_get_range (buffer->type, &least, &most);
  if (value->length - 1 > most)
    return cured_error_refuse (
        error, _ ("buffer %s is a permutation of %" PRId64 " numbers, which %s can't count"),
        buffer->name, value->length, cured_element_to_string (buffer->type));
  return TRUE;
}

/* The default of a missing number is @other. */
static gboolean
get_extent (const Point *self, const CuredExpr *expr, const char *key, gint64 other, gint64 max,
            gint64 *value, GError **error)
{
  *value = other;
  if (expr == NULL)
    return TRUE;
  if (!get_integer (self, expr, key, value, error))
    return FALSE;
  return (*value >= 0 && *value <= max) ||
         cured_error_refuse (error, _ ("%s=%s is %" PRId64 "; expected 0 to %" PRId64), key,
                             cured_expr_get_text (expr), *value, max);
}

/* A corner of im2col, which may be negative. */
static gboolean
get_corner (const Point *self, const CuredExpr *expr, const char *key, int *corner, GError **error)
{
  gint64 value = 0;

  *corner = 0;
  if (expr == NULL)
    return TRUE;
  if (!get_integer (self, expr, key, &value, error))
    return FALSE;
  /* The allowed range depends on the rank, and is checked later. */
  *corner = (int) CLAMP (value, G_MININT16 - 1, G_MAXINT16 + 1);
  return TRUE;
}

static gboolean
evaluate_shape (const Point *self, const CuredTensorMap *map, CuredTensorShape *shape,
                GError **error)
{
  gint64 packed = (gint64) cured_tensor_type_get_size (map->type), value;

  *shape = (CuredTensorShape){
    .type = map->type,
    .rank = map->rank,
    .fills_nan = map->fills_nan,
    .is_im2col = map->is_im2col,
  };
  for (guint i = 0; i + 2 < map->rank; i++)
    if (!get_corner (self, map->lower[i], "LowerCorner", &shape->lower[i], error) ||
        !get_corner (self, map->upper[i], "UpperCorner", &shape->upper[i], error))
      return FALSE;
  for (guint i = 0; i < map->rank; i++)
    {
      if (i > 0)
        {
          if (!get_extent (self, map->strides[i - 1], "Strides", packed, G_MAXINT64, &value, error))
            return FALSE;
          shape->strides[i - 1] = (guint64) value;
          packed = value;
        }
      if (!get_extent (self, map->dims[i], "Dims", 1, G_MAXINT64, &value, error))
        return FALSE;
      shape->dims[i] = (guint64) value;
      if (!g_uint64_checked_mul ((guint64 *) &packed, (guint64) packed, shape->dims[i]) ||
          packed < 0)
        packed = G_MAXINT64;
      if (!get_extent (self, map->box[i],
                       !map->is_im2col ? "Box"
                       : i == 0        ? "Channels"
                                       : "Pixels",
                       1, G_MAXINT32, &value, error))
        return FALSE;
      shape->box[i] = (guint) value;
      if (!get_extent (self, map->steps[i], "ElementStrides", 1, G_MAXINT32, &value, error))
        return FALSE;
      shape->steps[i] = (guint) value;
    }
  if (!get_extent (self, map->swizzle, "Swizzle", 0, G_MAXINT32, &value, error))
    return FALSE;
  shape->swizzle = (guint) value;
  if (!get_extent (self, map->interleave, "Interleave", 0, G_MAXINT32, &value, error))
    return FALSE;
  shape->interleave = (guint) value;
  if (!get_extent (self, map->promotion, "Promotion", 0, G_MAXINT32, &value, error))
    return FALSE;
  shape->promotion = (guint) value;
  return TRUE;
}

static gboolean
evaluate_tensor_map (const Point *self, const CuredTensorMap *map, CuredProgramTensorMap *value,
                     GError **error)
{
  CuredProgramBuffer buffer;

  value->buffer = map->buffer;
  if (evaluate_buffer (self, &self->kernel->buffers[map->buffer], &buffer, error) &&
      evaluate_shape (self, map, &value->shape, error) &&
      cured_tensor_shape_check (&value->shape, buffer.size, error))
    return TRUE;
  g_prefix_error (error, "[TensorMap %s]: ", map->name);
  return FALSE;
}

/* Arch= names the one chip that has what the kernel uses. */
static gboolean
check_arch (const Point *self, GError **error)
{
  const char *arch = self->kernel->arch;

  if (arch == NULL || self->limits->compute_major <= 0)
    return TRUE;
  gint64 wanted = g_ascii_strtoll (arch, NULL, 10), major = self->limits->compute_major;
  return wanted == 10 * major + self->limits->compute_minor ||
         cured_error_refuse (
             error,
             _ ("the kernel uses what sm_%s alone has (Arch=%s), and this device is an sm_%" PRId64
                "%" PRId64),
             arch, arch, major, self->limits->compute_minor);
}

static gboolean
evaluate_place (const Point *self, const CuredArgument *argument, CuredProgramArgument *value,
                GError **error)
{
  const CuredBuffer *buffer =
      cured_buffer_resolve (&self->kernel->buffers[argument->buffer], self->values);
  gint64 offset, length;

  value->offset = 0;
  if (argument->expr == NULL)
    return TRUE;
  if (!get_integer (self, argument->expr, "Arguments", &offset, error) ||
      !get_integer (self, buffer->length, "Length", &length, error))
    return FALSE;
  if (offset < 0 || offset > length || length >= MAX_LENGTH)
    return cured_error_refuse (
        error,
        _ ("Arguments=: %s+%s is element %" PRId64 " of %" PRId64 "; expected one of the buffer"),
        buffer->name, cured_expr_get_text (argument->expr), offset, length);
  value->offset = (gsize) offset * cured_buffer_get_element_size (buffer);
  return TRUE;
}

/* Checks that textures can have such elements. */
static gboolean
check_texture (const Point *self, const CuredArgument *argument, GError **error)
{
  const CuredBuffer *buffer =
      cured_buffer_resolve (&self->kernel->buffers[argument->buffer], self->values);
  gboolean is_normalized = argument->texture == CURED_TEXTURE_NORMALIZED;
  guint n_channels;
  CuredElement type;
  gint64 length;

  if (!cured_buffer_get_channels (buffer, &type, &n_channels) ||
      (is_normalized && (!cured_element_is_integer (type) || cured_element_get_size (type) > 2)))
    return cured_error_refuse (error,
                               is_normalized
                                   ? _ ("buffer %s: a normalized texture is of integers of 8 or 16 "
                                        "bits, or 2 or 4 of them together")
                                   : _ ("buffer %s: a texture is of f32, f16, or integers of 8 to "
                                        "32 bits, or 2 or 4 of them together"),
                               buffer->name);
  if (!get_integer (self, buffer->length, "Length", &length, error))
    return FALSE;
  return length <= MAX_TEXTURE ||
         cured_error_refuse (
             error,
             _ ("buffer %s has %" PRId64 " elements, and a texture over linear memory %d at most"),
             buffer->name, length, MAX_TEXTURE);
}

static gboolean
evaluate_argument (const Point *self, const CuredStep *step, gsize index,
                   const CuredArgument *argument, CuredProgramArgument *value, GError **error)
{
  gint64 low, high;

  value->buffer = argument->buffer;
  value->tensor_map = argument->tensor_map;
  value->type = argument->type;
  if (argument->tensor_map >= 0)
    return TRUE;
  value->record = argument->record;
  if (argument->record != NULL)
    {
      for (gsize i = 0; i < argument->record->n_fields; i++)
        {
          CuredProgramArgument scratch = { 0 };

          if (!evaluate_argument (self, step, index, &argument->parts[i],
                                  value->parts != NULL ? &value->parts[i] : &scratch, error))
            return FALSE;
        }
      return TRUE;
    }
  value->texture = argument->texture;
  if (argument->texture != CURED_TEXTURE_NO)
    return check_texture (self, argument, error);
  if (argument->buffer >= 0)
    return evaluate_place (self, argument, value, error);
  if (!cured_element_is_integer (argument->type))
    return get_double (self, argument->expr, "Arguments", &value->real, error);
  if (!get_integer (self, argument->expr, "Arguments", &value->integer, error))
    return FALSE;
  cured_element_get_range (argument->type, &low, &high);
  if (value->integer < low || value->integer > high)
    return cured_error_refuse (error,
                               _ ("argument %zu of %s, %s, is %" PRId64 " and does not fit %s"),
                               index + 1, step->entry, cured_expr_get_text (argument->expr),
                               value->integer, cured_element_to_string (argument->type));
  return TRUE;
}

/* Evaluates a grid or a block. A limit of 0 is unknown. */
static gboolean
evaluate_extent (const Point *self, CuredExpr *const exprs[3], gboolean is_grid,
                 const gint64 limits[3], guint extent[3], GError **error)
{
  const char *key = is_grid ? "Grid" : "Block";

  for (int i = 0; i < 3; i++)
    {
      gint64 value = 1, limit = limits[i] > 0 ? limits[i] : MAX_EXTENT;

      if (exprs[i] != NULL && !get_integer (self, exprs[i], key, &value, error))
        return FALSE;
      if (value < 1)
        return cured_error_refuse (
            error,
            /* Translators: x, y or z, a number, and in brackets
                        * where it comes from. */
            is_grid
                ? _ ("blocks in %c are %" PRId64 " (Grid=%s); at least 1 is needed")
                : _ ("threads per block in %c are %" PRId64 " (Block=%s); at least 1 is needed"),
            'x' + i, value, cured_expr_get_text (exprs[i]));
      if (value > limit)
        return cured_error_refuse (
            error,
            /* Translators: x, y or z, a number, in brackets where it
                        * comes from, and the most that there may be. */
            is_grid ? _ ("blocks in %c are %" PRId64 " (Grid=%s); this device allows %" PRId64)
                    : _ ("threads per block in %c are %" PRId64
                         " (Block=%s); this device allows %" PRId64),
            'x' + i, value, cured_expr_get_text (exprs[i]), limit);
      extent[i] = (guint) value;
    }
  return TRUE;
}

/* Blocks of a cluster (CUDA C++ Programming Guide, thread block clusters): at most 16; the grid
 * must be a multiple. */
static gboolean
evaluate_cluster (const Point *self, const CuredStep *step, CuredProgramStep *value, GError **error)
{
  gint64 n_blocks = 1;

  value->is_cooperative = step->is_cooperative;
  if (step->cluster[0] == NULL)
    return TRUE;
  if (self->limits->compute_major > 0 && self->limits->compute_major < 9)
    return cured_error_refuse (
        error,
        _ ("clusters need compute capability 9.0 (Cluster=); this device has %" PRId64 ".%" PRId64),
        self->limits->compute_major, self->limits->compute_minor);
  for (int i = 0; i < 3; i++)
    {
      gint64 blocks = 1;

      if (step->cluster[i] != NULL &&
          !get_integer (self, step->cluster[i], "Cluster", &blocks, error))
        return FALSE;
      if (blocks < 1 || blocks > MAX_CLUSTER)
        return cured_error_refuse (
            error, _ ("blocks of a cluster in %c are %" PRId64 " (Cluster=%s); expected 1 to %d"),
            'x' + i, blocks, cured_expr_get_text (step->cluster[i]), MAX_CLUSTER);
      if (value->grid[i] % blocks != 0)
        return cured_error_refuse (
            error, _ ("%u blocks in %c are no multiple of a cluster's %" PRId64 " (Cluster=)"),
            value->grid[i], 'x' + i, blocks);
      value->cluster[i] = (guint) blocks;
      n_blocks *= blocks;
    }
  if (n_blocks > MAX_CLUSTER)
    return cured_error_refuse (
        error, _ ("a cluster of %" PRId64 " blocks (Cluster=); a device has at most %d"), n_blocks,
        MAX_CLUSTER);
  return TRUE;
}

static gboolean
evaluate_step (const Point *self, const CuredStep *step, CuredProgramStep *value, GError **error)
{
  const CuredLimits *limits = self->limits;
  const gint64 grid[3] = { limits->max_grid_x, limits->max_grid_y, limits->max_grid_z };
  const gint64 block[3] = { limits->max_block_x, limits->max_block_y, limits->max_block_z };
  gint64 threads, shared = 0;
  gint64 shared_limit = limits->shared_per_block_optin > 0 ? limits->shared_per_block_optin
                                                           : limits->shared_per_block;

  value->entry = step->entry;
  value->repeat = 1;
  value->swap[0] = step->swap[0];
  value->swap[1] = step->swap[1];
  value->memset_buffer = step->memset_buffer;
  value->memset_value = (guint8) step->memset_value;
  value->host = step->host;
  value->is_pageable = step->is_pageable;
  value->host_from = step->host_from;
  value->host_to = step->host_to;
  value->setup = step->setup;
  if (step->repeat != NULL)
    {
      if (!get_integer (self, step->repeat, "Repeat", &value->repeat, error))
        return FALSE;
      if (value->repeat < 0 || value->repeat > G_MAXINT32)
        return cured_error_refuse (error, _ ("Repeat=%s is %" PRId64 "; expected 0 or more"),
                                   cured_expr_get_text (step->repeat), value->repeat);
    }
  if (step->entry == NULL)
    return TRUE;

  /* Check the product before the dimensions, so that a block of 1025 threads is reported as such. A
   * product that overflows fails by its factors. */
  if (!evaluate_extent (self, step->block, FALSE, (const gint64[3]){ 0, 0, 0 }, value->block,
                        error))
    return FALSE;
  if (!g_uint64_checked_mul ((guint64 *) &threads, value->block[0], value->block[1]) ||
      !g_uint64_checked_mul ((guint64 *) &threads, (guint64) threads, value->block[2]) ||
      threads < 0)
    threads = G_MAXINT64;
  if (limits->max_threads_per_block > 0 && threads > limits->max_threads_per_block)
    return cured_error_refuse (
        error, _ ("the block is %" PRId64 " threads (%u × %u × %u); this device allows %" PRId64),
        threads, value->block[0], value->block[1], value->block[2], limits->max_threads_per_block);
  if (!evaluate_extent (self, step->block, FALSE, block, value->block, error) ||
      !evaluate_extent (self, step->grid, TRUE, grid, value->grid, error) ||
      !evaluate_cluster (self, step, value, error))
    return FALSE;

  if (step->shared != NULL && !get_integer (self, step->shared, "Shared", &shared, error))
    return FALSE;
  if (shared < 0 || shared > G_MAXINT32)
    return cured_error_refuse (error, _ ("Shared=%s is %" PRId64 " bytes"),
                               cured_expr_get_text (step->shared), shared);
  if (shared_limit > 0 && shared > shared_limit)
    return cured_error_refuse (error,
                               _ ("dynamic shared memory is %" PRId64
                                  " bytes per block (Shared=%s); this device allows %" PRId64),
                               shared, cured_expr_get_text (step->shared), shared_limit);
  value->shared_bytes = (gsize) shared;

  for (gsize i = 0; i < step->n_arguments; i++)
    {
      CuredProgramArgument scratch = { 0 };

      if (!evaluate_argument (self, step, i, &step->arguments[i],
                              value->arguments != NULL ? &value->arguments[i] : &scratch, error))
        return FALSE;
    }
  return TRUE;
}

/* Appends a step to the program, with room for its arguments. */
static CuredProgramStep *
add_step (CuredProgram *program, const CuredStep *step)
{
  program->steps = g_renew (CuredProgramStep, program->steps, program->n_steps + 1);
  CuredProgramStep *value = &program->steps[program->n_steps++];
  memset (value, 0, sizeof *value);
  value->n_arguments = step->n_arguments;
  value->arguments = g_new0 (CuredProgramArgument, step->n_arguments);
  for (gsize i = 0; i < step->n_arguments; i++)
    if (step->arguments[i].record != NULL)
      value->arguments[i].parts =
          g_new0 (CuredProgramArgument, step->arguments[i].record->n_fields);
  return value;
}

/* A launch. If its repetitions differ by their index, each becomes a step of its own, so that
 * devices need not know the index. */
static gboolean
evaluate_turns (const Point *self, const CuredStep *step, CuredProgram *program, GError **error)
{
  gint64 n_turns = 1;

  if (step->index != NULL && !get_integer (self, step->repeat, "Repeat", &n_turns, error))
    return FALSE;
  if (n_turns > MAX_TURNS)
    return cured_error_refuse (
        error, _ ("Repeat=%s is %" PRId64 "; with Index=, at most %d launches are possible"),
        cured_expr_get_text (step->repeat), n_turns, MAX_TURNS);
  for (gint64 turn = 0; turn < MAX (n_turns, 1); turn++)
    {
      Point point = *self;
      CuredProgramStep scratch = { 0 };
      CuredProgramStep *value = program != NULL ? add_step (program, step) : &scratch;

      point.index = step->index;
      point.turn = turn;
      if (!evaluate_step (&point, step, value, error))
        return FALSE;
      if (step->index == NULL)
        continue;
      value->repeat = MIN (value->repeat, 1);
      /* The last repetition gets the buffers as named. */
      value->is_swapped = (n_turns - 1 - turn) % 2 != 0;
    }
  return TRUE;
}

static gboolean
evaluate_optional (const Point *self, const CuredExpr *expr, const char *key, double *value,
                   GError **error)
{
  return expr == NULL || get_double (self, expr, key, value, error);
}

/* As lookup_cb(); marks limits that the device does not report. */
typedef struct
{
  const Point *point;
  gboolean is_unknown;
} RequirementLookup;

static gboolean
lookup_requirement_cb (const char *name, CuredNumber *value, gpointer user_data)
{
  RequirementLookup *self = user_data;
  gsize index;

  if (!lookup_cb (name, value, (gpointer) self->point))
    return FALSE;
  if (!cured_limits_is_known (name, value->integer) &&
      !cured_kernel_find_parameter (self->point->kernel, name, &index))
    self->is_unknown = TRUE;
  return TRUE;
}

/* Evaluates all [Require] groups. @refusal is the file's reason if one is not met; FALSE with
 * @error if a condition has no value. */
static gboolean
check_requirements (const Point *self, const char **refusal, GError **error)
{
  const CuredRequirement *requirements = self->kernel->requirements;
  gsize n = self->kernel->n_requirements;

  *refusal = NULL;
  for (gsize i = 0; i < n; i++)
    {
      RequirementLookup lookup = { self, FALSE };
      g_autoptr (GError) local = NULL;
      double value = 0;

      if (!cured_expr_evaluate_double (requirements[i].condition, lookup_requirement_cb, &lookup,
                                       &value, &local))
        {
          if (lookup.is_unknown)
            continue;
          return fail_expr (requirements[i].condition, "If", local, error);
        }
      if (value == 0 && !lookup.is_unknown)
        {
          *refusal = requirements[i].reason;
          return TRUE;
        }
    }
  return TRUE;
}

/* Evaluates everything. @program has room for buffers, steps and arguments; NULL only
 * checks. */
static gboolean
evaluate (const Point *self, CuredProgram *program, GError **error)
{
  const CuredBuffer *buffers = self->kernel->buffers;
  gsize n_buffers = self->kernel->n_buffers;
  const CuredStep *steps = self->kernel->steps;
  gsize n_steps = self->kernel->n_steps;
  double flops = NAN, bytes = NAN, elements = NAN, tolerance = 0;
  /* NAN: without either key, each type has its default. */
  double relative = self->kernel->tolerance == NULL ? NAN : 0, cycles_per = 1;
  const char *refusal;
  guint64 total = 0;

  for (gsize i = 0; i < self->n_parameters; i++)
    {
      if (self->parameters[i].values != NULL &&
          !cured_axis_find (self->parameters[i].values, self->values[i], NULL))
        return cured_error_refuse (
            error, _ ("%s=%" PRId64 " is not among the values that the kernel file allows"),
            self->parameters[i].name, self->values[i]);
    }

  /* Before the device's limits, since these reasons say more. */
  if (!check_requirements (self, &refusal, error))
    return FALSE;
  if (refusal != NULL)
    return cured_error_refuse (error, "%s", refusal);
  if (!check_arch (self, error))
    return FALSE;

  for (gsize i = 0; i < n_steps; i++)
    if (!evaluate_turns (self, &steps[i], program, error))
      return FALSE;

  /* 2^40 elements of at most 2^12 bytes: the sum of a thousand such buffers fits 64 bits. */
  for (gsize i = 0; i < n_buffers; i++)
    {
      CuredProgramBuffer scratch, *buffer = program != NULL ? &program->buffers[i] : &scratch;

      buffer->program = program;
      if (!evaluate_buffer (self, &buffers[i], buffer, error))
        return FALSE;
      total += buffer->size + 2 * CURED_GUARD_BYTES;
    }
  if (self->limits->global_bytes > 0 && total > (guint64) self->limits->global_bytes)
    {
      g_autofree char *needed = cured_format_count ((gint64) total);
      g_autofree char *there = cured_format_count (self->limits->global_bytes);

      return cured_error_refuse (error, _ ("the buffers take %s bytes; this device has %s"), needed,
                                 there);
    }
  for (gsize i = 0; i < self->kernel->n_tensor_maps; i++)
    {
      CuredProgramTensorMap scratch;

      if (!evaluate_tensor_map (self, &self->kernel->tensor_maps[i],
                                program != NULL ? &program->tensor_maps[i] : &scratch, error))
        return FALSE;
    }
  for (gsize i = 0; i < n_steps; i++)
    if (steps[i].swap[0] >= 0)
      {
        const CuredBuffer *a = &buffers[steps[i].swap[0]], *b = &buffers[steps[i].swap[1]];
        gint64 length_a, length_b;

        if (!get_integer (self, a->length, "Length", &length_a, error) ||
            !get_integer (self, b->length, "Length", &length_b, error))
          return FALSE;
        if (length_a != length_b)
          return cured_error_refuse (error,
                                     _ ("Swap=%s,%s: the lengths differ, %" PRId64 " and %" PRId64),
                                     a->name, b->name, length_a, length_b);
      }

  if (!evaluate_optional (self, self->kernel->flops, "Flops", &flops, error) ||
      !evaluate_optional (self, self->kernel->bytes, "Bytes", &bytes, error) ||
      !evaluate_optional (self, self->kernel->elements, "Elements", &elements, error) ||
      !evaluate_optional (self, self->kernel->tolerance, "Tolerance", &tolerance, error) ||
      !evaluate_optional (self, self->kernel->relative, "Relative", &relative, error) ||
      !evaluate_optional (self, self->kernel->cycles_per, "Per", &cycles_per, error))
    return FALSE;
  if (!(tolerance >= 0) || relative < 0)
    return cured_error_refuse (error, _ ("Tolerance= or Relative= is negative"));
  if (!(cycles_per > 0))
    return cured_error_refuse (error, _ ("Per= is not above 0"));
  if (program != NULL)
    {
      program->flops = flops;
      program->bytes = bytes;
      for (gsize i = 0; self->kernel->elements == NULL && i < program->n_buffers; i++)
        elements = fmax (elements, (double) program->buffers[i].length);
      program->elements = elements > 0 ? elements : NAN;
      program->tolerance = tolerance;
      program->relative = relative;
      program->cycles = self->kernel->cycles;
      program->cycles_per = cycles_per;
    }
  return TRUE;
}

/* "-DTILE=16" for each compile parameter, then the file's own options, then the kernels. */
static char **
list_defines (const Point *self, const CuredProgram *program)
{
  const char *const *options = self->kernel->options;
  g_autoptr (GPtrArray) defines = g_ptr_array_new_with_free_func (g_free);

  for (gsize i = 0; i < self->n_parameters; i++)
    if (self->parameters[i].kind == CURED_PARAMETER_COMPILE)
      {
        g_autofree char *macro = g_ascii_strup (self->parameters[i].name, -1);

        g_ptr_array_add (defines, g_strdup_printf ("-D%s=%" PRId64, macro, self->values[i]));
      }
  for (; *options != NULL; options++)
    g_ptr_array_add (defines, g_strdup (*options));
  if (self->kernel->arch != NULL)
    g_ptr_array_add (defines, g_strconcat (CURED_PROGRAM_ARCH_OPTION, self->kernel->arch, NULL));
  /* In PTX, names are symbols already. */
  for (gsize i = 0; i < program->n_steps; i++)
    if (program->steps[i].entry != NULL && !self->kernel->is_ptx)
      {
        g_autofree char *word =
            g_strconcat (CURED_PROGRAM_ENTRY_OPTION, program->steps[i].entry, NULL);

        if (!g_ptr_array_find_with_equal_func (defines, word, g_str_equal, NULL))
          g_ptr_array_add (defines, g_steal_pointer (&word));
      }
  for (gsize i = 0; i < program->n_buffers; i++)
    if (program->buffers[i].buffer->is_constant && !self->kernel->is_ptx)
      g_ptr_array_add (defines, g_strconcat (CURED_PROGRAM_VARIABLE_OPTION,
                                             program->buffers[i].buffer->name, NULL));
  g_ptr_array_add (defines, NULL);
  return (char **) g_ptr_array_free (g_steal_pointer (&defines), FALSE);
}

/* @values: one per parameter, in the kernel's order
 * @limits: of the device; a limit of 0 is unknown, and not checked
 * @error: (nullable): CURED_ERROR_NOT_LAUNCHABLE; the message is the reason, with the expression
 * Returns: (transfer full): the program of the cell */
CuredProgram *
cured_program_new (CuredKernel *kernel, const gint64 *values, const CuredLimits *limits,
                   GError **error)
{
  Point point = { kernel, NULL, 0, values, limits, NULL, 0 };

  g_return_val_if_fail (kernel != NULL && limits != NULL, NULL);

  point.parameters = kernel->parameters;
  point.n_parameters = kernel->n_parameters;
  g_autoptr (CuredProgram) self =
      CURED_NEW (CuredProgram, .kernel = cured_kernel_ref (kernel), .limits = *limits,
                 .values = g_new (gint64, MAX (point.n_parameters, 1)),
                 .asked = g_new0 (gboolean, MAX (point.n_parameters, 1)));
  for (gsize i = 0; i < point.n_parameters; i++)
    self->values[i] = values[i];

  self->n_buffers = kernel->n_buffers;
  self->buffers = g_new0 (CuredProgramBuffer, self->n_buffers);
  self->n_tensor_maps = kernel->n_tensor_maps;
  self->tensor_maps = g_new0 (CuredProgramTensorMap, self->n_tensor_maps);
  if (!evaluate (&point, self, error))
    return NULL;
  self->defines = list_defines (&point, self);
  return g_steal_pointer (&self);
}

/* @values: one per parameter, in the kernel's order
 * @limits: of the device; a limit of 0 is unknown and not checked
 * @error: (nullable): as from cured_program_new()
 *
 * As cured_program_new(), without making the program: takes about 2 µs, and allocates only an
 * error.
 * Returns: whether cured_program_new() would succeed */
gboolean
cured_program_check (CuredKernel *kernel, const gint64 *values, const CuredLimits *limits,
                     GError **error)
{
  Point point = { kernel, NULL, 0, values, limits, NULL, 0 };

  g_return_val_if_fail (kernel != NULL && limits != NULL, FALSE);

  point.parameters = kernel->parameters;
  point.n_parameters = kernel->n_parameters;
  return evaluate (&point, NULL, error);
}

/* @values: one per parameter, in the kernel's order
 * @limits: of the device; a requirement on an unknown limit counts as met
 *
 * Distinguishes points that the kernel file refuses by `[Require]` from those that exceed a limit
 * of the device.
 * Returns: (transfer none) (nullable): the file's reason; NULL where it has none */
const char *
cured_program_find_refusal (CuredKernel *kernel, const gint64 *values, const CuredLimits *limits)
{
  Point point = { kernel, NULL, 0, values, limits, NULL, 0 };
  const char *refusal = NULL;

  g_return_val_if_fail (kernel != NULL && limits != NULL, NULL);

  point.parameters = kernel->parameters;
  point.n_parameters = kernel->n_parameters;
  return check_requirements (&point, &refusal, NULL) ? refusal : NULL;
}

/* @self: a program whose kernel is checked against another kernel
 * @reference: that kernel, from cured_catalogue_load_reference()
 * @limits: of the device
 * @error: (nullable): CURED_ERROR_NOT_LAUNCHABLE
 *
 * Parameters of the same name get the values of @self, where @reference allows them; the others
 * keep their defaults.
 * Returns: (transfer full): @reference at the same problem */
CuredProgram *
cured_program_new_reference (const CuredProgram *self, CuredKernel *reference,
                             const CuredLimits *limits, GError **error)
{
  g_return_val_if_fail (self != NULL && reference != NULL, NULL);

  const CuredParameter *parameters = reference->parameters;
  gsize n = reference->n_parameters;
  g_autofree gint64 *values = g_new (gint64, MAX (n, 1));
  for (gsize i = 0; i < n; i++)
    {
      gint64 value;

      values[i] = parameters[i].default_value;
      if (cured_program_get_value (self, parameters[i].name, &value) &&
          (parameters[i].values == NULL || cured_axis_find (parameters[i].values, value, NULL)))
        values[i] = value;
    }
  return cured_program_new (reference, values, limits, error);
}

void
cured_program_free (CuredProgram *self)
{
  g_return_if_fail (self != NULL);

  for (gsize i = 0; i < self->n_steps; i++)
    {
      for (gsize k = 0; k < self->steps[i].n_arguments; k++)
        g_free (self->steps[i].arguments[k].parts);
      g_free (self->steps[i].arguments);
    }
  CURED_CLEAR (steps, g_free, buffers, g_free, tensor_maps, g_free, values, g_free, asked, g_free,
               defines, g_strfreev, kernel, cured_kernel_unref);
  g_free (self);
}

/* @name: a parameter's name
 * @value: (out): its value
 * Returns: FALSE where the kernel has no such parameter; @value is then unchanged */
gboolean
cured_program_get_value (const CuredProgram *self, const char *name, gint64 *value)
{
  gsize index;

  g_return_val_if_fail (self != NULL, FALSE);

  if (!cured_kernel_find_parameter (self->kernel, name, &index))
    return FALSE;
  *value = self->values[index];
  self->asked[index] = TRUE;
  return TRUE;
}

/* The point that resolves names in expressions of a buffer's elements. */
static Point
get_element_point (const CuredProgramBuffer *buffer, gint64 i)
{
  const CuredProgram *program = buffer->program;
  const CuredKernel *kernel = program->kernel;

  return (Point){
    kernel, kernel->parameters, kernel->n_parameters, program->values, &program->limits, "i", i
  };
}

/* @buffer: a program's buffer, with Fill=expression
 * @i: index of an element
 * @value: (out): its value
 * Returns: FALSE if the expression has no value there */
gboolean
cured_program_evaluate_integer (const CuredProgramBuffer *buffer, gint64 i, gint64 *value)
{
  Point point = get_element_point (buffer, i);

  return cured_expr_evaluate_integer (buffer->buffer->value, lookup_cb, &point, value, NULL);
}

/* @buffer: a program's buffer, with Fill=expression
 * @i: index of an element
 * @value: (out): its value
 * Returns: FALSE if the expression has no value there */
gboolean
cured_program_evaluate_real (const CuredProgramBuffer *buffer, gint64 i, double *value)
{
  Point point = get_element_point (buffer, i);

  return cured_expr_evaluate_double (buffer->buffer->value, lookup_cb, &point, value, NULL);
}

/* @from: the buffer that a host step sums up
 * @data: its contents
 * @sum: (out caller-allocates): one element of the buffer's type
 *
 * The host's work in a step with `Host=sum`: integers wrap, reals are added as doubles, in
 * order. */
void
cured_program_add_up (const CuredProgramBuffer *from, const void *data, void *sum)
{
  CuredElement type = from->buffer->type;
  gsize size = cured_element_get_size (type);
  const guint8 *at = data;
  guint64 integer = 0;
  double real = 0;

  g_return_if_fail (from != NULL && data != NULL && sum != NULL);

  if (cured_element_is_integer (type))
    {
      for (gint64 i = 0; i < from->length; i++, at += size)
        integer += (guint64) cured_element_load_integer (type, at);
      cured_element_store_integer (type, sum, integer);
      return;
    }
  if (type == CURED_ELEMENT_F32)
    for (gint64 i = 0; i < from->length; i++)
      real += (double) ((const float *) data)[i];
  else
    for (gint64 i = 0; i < from->length; i++, at += size)
      real += cured_element_load (type, at);
  cured_element_store (type, sum, real);
}

/* @name: a buffer's name
 * Returns: its index, -1 where the kernel has no such buffer */
int
cured_program_find_buffer (const CuredProgram *self, const char *name)
{
  g_return_val_if_fail (self != NULL, -1);

  for (gsize i = 0; i < self->n_buffers; i++)
    if (g_str_equal (self->buffers[i].buffer->name, name))
      return (int) i;
  return -1;
}
