/* SPDX-License-Identifier: MIT
 * A parsed kernel file: its contents and their ownership. */
#include "kernel/cured-kernel-private.h"

#include "base/cured-base-internal.h"
#include "kernel/cured-element-internal.h"
#include "kernel/cured-kernel-internal.h"
#include "kernel/cured-sources-internal.h"

CURED_CLEAR_FUNC (CuredParameter, clear_parameter, name, g_free, summary, g_free, values,
                  cured_axis_unref)

static void
clear_buffer (CuredBuffer *self)
{
  g_free (self->name);
  g_clear_pointer (&self->record, cured_record_free);
  for (gsize i = 0; i < self->n_variants; i++)
    g_clear_pointer (&self->variants[i].record, cured_record_free);
  CURED_CLEAR (length, cured_expr_free, low, cured_expr_free, high, cured_expr_free, step,
               cured_expr_free, value, cured_expr_free, file, g_free, contents, g_bytes_unref,
               checksum, g_free, values, g_free);
  g_free (self->variants); /* variants share all other pointers with the buffer */
}

static void
clear_argument (CuredArgument *self)
{
  if (self->record != NULL)
    for (gsize i = 0; i < self->record->n_fields; i++)
      clear_argument (&self->parts[i]);
  CURED_CLEAR (parts, g_free, record, cured_record_free, expr, cured_expr_free);
}

static void
clear_tensor_map (CuredTensorMap *self)
{
  g_free (self->name);
  for (int i = 0; i < CURED_TENSOR_RANK; i++)
    {
      g_clear_pointer (&self->dims[i], cured_expr_free);
      g_clear_pointer (&self->box[i], cured_expr_free);
      g_clear_pointer (&self->steps[i], cured_expr_free);
      if (i > 0)
        g_clear_pointer (&self->strides[i - 1], cured_expr_free);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (self->lower); i++)
    {
      g_clear_pointer (&self->lower[i], cured_expr_free);
      g_clear_pointer (&self->upper[i], cured_expr_free);
    }
  CURED_CLEAR (swizzle, cured_expr_free, interleave, cured_expr_free, promotion, cured_expr_free);
}

static void
clear_step (CuredStep *self)
{
  g_free (self->entry);
  for (int i = 0; i < 3; i++)
    {
      g_clear_pointer (&self->grid[i], cured_expr_free);
      g_clear_pointer (&self->block[i], cured_expr_free);
      g_clear_pointer (&self->cluster[i], cured_expr_free);
    }
  g_clear_pointer (&self->shared, cured_expr_free);
  for (gsize i = 0; i < self->n_arguments; i++)
    clear_argument (&self->arguments[i]);
  CURED_CLEAR (arguments, g_free, index, g_free, repeat, cured_expr_free);
}

CURED_CLEAR_FUNC (CuredRequirement, clear_requirement, name, g_free, condition, cured_expr_free,
                  reason, g_free)

CURED_CLEAR_FUNC (CuredClaim, clear_claim, name, g_free, text, g_free, question, g_free, at, g_free,
                  at_values, g_free, against, g_free, against_kernel, g_free, against_point, g_free,
                  against_values, g_free)

static void
clear_kernel (gpointer data)
{
  CuredKernel *self = data;

  for (gsize i = 0; i < self->n_parameters; i++)
    {
      clear_parameter (&self->parameters[i]);
      if (self->sweep != NULL)
        g_clear_pointer (&self->sweep[i], cured_axis_unref);
    }
  for (gsize i = 0; i < self->n_buffers; i++)
    clear_buffer (&self->buffers[i]);
  for (gsize i = 0; i < self->n_tensor_maps; i++)
    clear_tensor_map (&self->tensor_maps[i]);
  for (gsize i = 0; i < self->n_steps; i++)
    clear_step (&self->steps[i]);
  for (gsize i = 0; i < self->n_requirements; i++)
    clear_requirement (&self->requirements[i]);
  for (gsize i = 0; i < self->n_claims; i++)
    clear_claim (&self->claims[i]);
  CURED_CLEAR (parameters, g_free, sweep, g_free, sweep_x, g_free, sweep_y, g_free, buffers, g_free,
               tensor_maps, g_free, steps, g_free, requirements, g_free, claims, g_free, reference,
               g_free, tolerance, cured_expr_free, relative, cured_expr_free);
  CURED_CLEAR (cycles_per, cured_expr_free, flops, cured_expr_free, elements, cured_expr_free,
               bytes, cured_expr_free);
  g_strfreev ((char **) self->options);
  CURED_CLEAR (includes, g_strfreev, arch, g_free, sources, cured_sources_unref, carried,
               cured_sources_unref, title, g_free, summary, g_free, family, g_free, defect, g_free,
               text, g_free, source, g_free, path, g_free, id, g_free);
}

/* The names of all parameters; with @limits, those of the limits, too. */
const char **
_cured_kernel_list_names (const CuredKernel *kernel, gboolean limits)
{
  GPtrArray *names = g_ptr_array_new ();
  gsize n;
  const CuredLimitInfo *infos = cured_limits_list (&n);

  for (gsize i = 0; i < kernel->n_parameters; i++)
    g_ptr_array_add (names, kernel->parameters[i].name);
  for (gsize i = 0; limits && i < n; i++)
    g_ptr_array_add (names, (gpointer) infos[i].name);
  g_ptr_array_add (names, NULL);
  return (const char **) g_ptr_array_free (names, FALSE);
}

/* Edit distance; both names are short. */
static guint
distance (const char *a, const char *b)
{
  gsize n = strlen (b);
  g_autofree guint *row = g_new (guint, n + 1);

  for (gsize j = 0; j <= n; j++)
    row[j] = (guint) j;
  for (gsize i = 0; a[i] != '\0'; i++)
    {
      guint diagonal = row[0];

      row[0] = (guint) i + 1;
      for (gsize j = 0; j < n; j++)
        {
          guint cost = g_ascii_tolower (a[i]) != g_ascii_tolower (b[j]);
          guint best = MIN (diagonal + cost, MIN (row[j], row[j + 1]) + 1);

          diagonal = row[j + 1];
          row[j + 1] = best;
        }
    }
  return row[n];
}

/* (nullable): the candidate that is one or a few typing errors away from @name. */
const char *
_cured_nearest (const char *name, const char *const *candidates)
{
  const char *nearest = NULL;
  guint length = (guint) strlen (name), least = (length < 4 ? 1 : MAX (2, length / 3)) + 1;

  if (length > 64)
    return NULL;
  for (; *candidates != NULL; candidates++)
    {
      guint d = distance (name, *candidates);

      if (d < least)
        {
          least = d;
          nearest = *candidates;
        }
    }
  return nearest;
}

/* " (did you mean …?)" or nothing. */
char *
_cured_suggest (const char *name, const char *const *candidates)
{
  const char *nearest = _cured_nearest (name, candidates);

  return nearest != NULL ? g_strdup_printf (_ ("; did you mean %s?"), nearest) : g_strdup ("");
}

CURED_DEFINE_RC (CuredKernel, cured_kernel, clear_kernel)

/* @index: (out): its index among the parameters
 * Returns: FALSE where no parameter has that name; @index is then unchanged */
gboolean
cured_kernel_find_parameter (const CuredKernel *self, const char *name, gsize *index)
{
  g_return_val_if_fail (self != NULL, FALSE);

  for (gsize i = 0; i < self->n_parameters; i++)
    if (g_str_equal (self->parameters[i].name, name))
      {
        *index = i;
        return TRUE;
      }
  return FALSE;
}

/* Returns: (transfer full): its file name in compilers' output and in messages, without a folder:
 *   `softmax.ptx` */
char *
cured_kernel_get_file_name (const CuredKernel *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  if (self->path != NULL)
    return g_filename_display_basename (self->path);
  return g_strconcat (self->id, self->is_ptx ? ".ptx" : ".cu", NULL);
}

/* @file: (nullable): a file as the compiler named it
 * @line: a line of @file, from 1; 0: unknown
 * @ptx_line: a line of the PTX, from 1; 0: unknown
 *
 * Finds a place in the kernel's own text; for a PTX kernel, that is the PTX line.
 * Returns: a line of that text, from 1; 0: the place is in another file, or unknown */
int
cured_kernel_find_line (const CuredKernel *self, const char *file, int line, int ptx_line)
{
  g_return_val_if_fail (self != NULL, 0);

  if (self->is_ptx)
    return ptx_line;
  g_autofree char *name = cured_kernel_get_file_name (self);
  return _cured_is_file (file, name) ? line : 0;
}

/* @text: `tile=32,op=min`: values of parameters, each once
 * @values: (inout): one per parameter, in the kernel's order; those that @text does not name keep
 *   what they have
 * @error: (nullable): CURED_ERROR_SYNTAX, CURED_ERROR_OVERFLOW, CURED_ERROR_NOT_FOUND for a
 *   parameter or a name of a value, or CURED_ERROR_INVALID for a value that the file does not allow
 * Returns: FALSE on failure; some of @values may then have changed */
gboolean
cured_kernel_parse_point (const CuredKernel *self, const char *text, gint64 *values, GError **error)
{
  g_return_val_if_fail (self != NULL && text != NULL && values != NULL, FALSE);

  g_auto (GStrv) items = g_strsplit (text, ",", -1);
  g_autofree gboolean *is_set = g_new0 (gboolean, self->n_parameters + 1);
  for (guint i = 0; items[i] != NULL; i++)
    {
      char *equals = strchr (items[i], '=');
      gsize index;

      if (equals == NULL)
        return cured_fail (error, CURED_ERROR_SYNTAX,
                           _ ("“%s”: expected PARAMETER=VALUE, as in tile=32,n=1024"), items[i]);
      *equals = '\0';
      g_strstrip (items[i]);
      if (!cured_kernel_find_parameter (self, items[i], &index))
        {
          g_autofree const char **names = _cured_kernel_list_names (self, FALSE);
          g_autofree char *hint = _cured_suggest (items[i], names);

          return cured_fail (error, CURED_ERROR_NOT_FOUND, _ ("no parameter is called %s%s"),
                             items[i], hint);
        }
      if (is_set[index])
        return cured_fail (error, CURED_ERROR_INVALID, _ ("%s stands twice"), items[i]);
      is_set[index] = TRUE;
      const CuredParameter *parameter = &self->parameters[index];
      if (!cured_axis_parse_value (parameter->values, equals + 1, &values[index], error))
        return FALSE;
      if (parameter->values != NULL && !cured_axis_find (parameter->values, values[index], NULL))
        {
          g_autofree char *allowed = cured_axis_to_string (parameter->values);

          return cured_fail (error, CURED_ERROR_INVALID,
                             _ ("%s can't be %" PRId64 "; allowed are %s"), parameter->name,
                             values[index], allowed);
        }
    }
  return TRUE;
}

/* @self: a buffer of a kernel
 * @values: one per parameter, in the kernel's order, allowed by the kernel file
 * Returns: (transfer none): the buffer with the type that it has at @values */
const CuredBuffer *
cured_buffer_resolve (const CuredBuffer *self, const gint64 *values)
{
  g_return_val_if_fail (self != NULL, NULL);

  if (self->n_variants == 0)
    return self;
  gint64 value = values[self->type_parameter];
  g_return_val_if_fail (value >= 0 && value < (gint64) self->n_variants, self);
  return &self->variants[value];
}

/* @buffer: index of a buffer
 * Returns: (transfer full): its type as the file has it: `f32`, or `type:i32,f32` where a parameter
 *   picks it */
char *
cured_kernel_describe_type (const CuredKernel *self, gsize buffer)
{
  g_return_val_if_fail (self != NULL && buffer < self->n_buffers, NULL);

  const CuredBuffer *at = &self->buffers[buffer];
  if (at->n_variants == 0)
    return g_strdup (cured_buffer_get_type_name (at));
  GString *text = g_string_new (self->parameters[at->type_parameter].name);
  for (gsize i = 0; i < at->n_variants; i++)
    g_string_append_printf (text, "%c%s", i == 0 ? ':' : ',',
                            cured_buffer_get_type_name (&at->variants[i]));
  return g_string_free (text, FALSE);
}

/* @text: (nullable): a title or a summary of a kernel, of a parameter or of a result, or a
 *   paragraph of a kernel's comment
 *
 * Texts of the built-in kernels are translated for display; files and JSON contain them as written
 * in the kernel's file.
 * Returns: (transfer none) (nullable): the translation, or @text itself if there is
 *   none */
const char *
cured_kernel_translate (const char *text)
{
  /* The translation of "" is the catalogue's header. */
  return text != NULL && *text != '\0' ? _ (text) : text;
}
