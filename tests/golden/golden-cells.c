/* SPDX-License-Identifier: MIT
 * Expands golden-cells.def, and runs its cells on a device. */
#include "golden-cells.h"

#include <string.h>

#include "device/cured-compiler-internal.h"
#include "device/cured-device-internal.h"
#include "kernel/fill/cured-fill-internal.h"

#define SEED 1

typedef struct
{
  const char *kernel;
  const char *parameters; /* nullable: not recorded */
  const char *counter;    /* nullable */
  const char *reason;     /* nullable */
} Row;

static const Row rows[] = {
#define CELLS(kernel, parameters)        { kernel, parameters, NULL, NULL },
#define NO_CELLS(kernel, reason)         { kernel, NULL, NULL, reason },
#define DIFFERS(kernel, counter, reason) { kernel, NULL, counter, reason },
#include "base/cured-own.h"
#include "golden-cells.def"
};

CURED_FREE_FUNC (GoldenCell, cell_free, program, cured_program_free, kernel, cured_kernel_unref,
                 name, g_free)

/* The @index-th cell of a row of a list. */
static GoldenCell *
cell_new (const char *list_name, const char *kernel, const char *row_parameters, gsize index,
          GError **error)
{
  g_auto (GStrv) words = g_strsplit (row_parameters, " ", -1);
  const CuredProfile *profile = cured_profile_find ("sm_90");
  g_autoptr (GString) name = g_string_new (NULL);
  g_autofree gint64 *values = NULL;
  const CuredParameter *parameters;
  GoldenCell *self = g_new0 (GoldenCell, 1);

  self->kernel = cured_catalogue_load (kernel, error);
  if (self->kernel == NULL)
    goto out;
  parameters = self->kernel->parameters;
  gsize n = self->kernel->n_parameters;
  values = g_new0 (gint64, n + 1);
  for (gsize i = 0; i < n; i++)
    values[i] = parameters[i].default_value;
  for (gsize i = 0; words[i] != NULL; i++)
    {
      char *list = strchr (words[i], '=');
      gsize parameter;

      g_assert (list != NULL);
      *list++ = '\0';
      g_auto (GStrv) choices = g_strsplit (list, ",", -1);
      const char *choice = choices[index % g_strv_length (choices)];
      if (!cured_kernel_find_parameter (self->kernel, words[i], &parameter))
        {
          g_set_error (error, CURED_ERROR, CURED_ERROR_NOT_FOUND, "%s: %s has no parameter %s",
                       list_name, kernel, words[i]);
          goto out;
        }
      values[parameter] = g_ascii_strtoll (choice, NULL, 10);
      g_string_append_printf (name, "%s%s=%s", name->len > 0 ? " " : "", words[i], choice);
    }
  self->name = g_string_free (g_steal_pointer (&name), FALSE);
  self->program = cured_program_new (self->kernel, values, &profile->limits, error);
  if (self->program == NULL)
    g_prefix_error (error, "%s: %s %s: ", list_name, kernel, self->name);

out:
  if (self->program == NULL)
    g_clear_pointer (&self, cell_free);
  return self;
}

static gsize
count_cells (const Row *row)
{
  g_auto (GStrv) words = g_strsplit (row->parameters, " ", -1);
  gsize longest = 1;

  for (gsize i = 0; words[i] != NULL; i++)
    {
      g_auto (GStrv) choices = g_strsplit (words[i], ",", -1);

      longest = MAX (longest, g_strv_length (choices));
    }
  return longest;
}

/**
 * golden_cells_new:
 * @error: return location for an error
 *
 * Returns: (nullable) (transfer full) (element-type GoldenCell): all cells, in
 *   the order of the list
 */
GPtrArray *
golden_cells_new (GError **error)
{
  g_autoptr (GPtrArray) cells = g_ptr_array_new_with_free_func ((GDestroyNotify) cell_free);

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    for (gsize k = 0; rows[i].parameters != NULL && k < count_cells (&rows[i]); k++)
      {
        GoldenCell *cell =
            cell_new ("golden-cells.def", rows[i].kernel, rows[i].parameters, k, error);

        if (cell == NULL)
          return NULL;
        g_ptr_array_add (cells, cell);
      }
  return g_steal_pointer (&cells);
}

/**
 * golden_cells_read:
 * @path: of a list of cells: a kernel or its file, a tab and "n=7 tile=3" per
 *   line; other parameters have their defaults; what begins with # is a comment
 * @error: return location for an error
 *
 * Returns: (nullable) (transfer full) (element-type GoldenCell): the cells, in
 *   the order of the list
 */
GPtrArray *
golden_cells_read (const char *path, GError **error)
{
  g_autoptr (GPtrArray) cells = g_ptr_array_new_with_free_func ((GDestroyNotify) cell_free);
  g_autofree char *text = NULL;

  if (!g_file_get_contents (path, &text, NULL, error))
    return NULL;
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  for (gsize i = 0; lines[i] != NULL; i++)
    {
      char *parameters = strchr (lines[i], '\t');

      if (lines[i][0] == '\0' || lines[i][0] == '#')
        continue;
      if (parameters != NULL)
        *parameters++ = '\0';
      GoldenCell *cell = cell_new (path, lines[i], parameters != NULL ? parameters : "", 0, error);
      if (cell == NULL)
        return NULL;
      g_ptr_array_add (cells, cell);
    }
  return g_steal_pointer (&cells);
}

/**
 * golden_cells_get_reason:
 * @kernel: an id of the catalogue
 *
 * Returns: (nullable): why the kernel is not recorded */
const char *
golden_cells_get_reason (const char *kernel)
{
  return golden_cells_get_difference (kernel, NULL);
}

/**
 * golden_cells_get_quick:
 * @kernel: an id of the catalogue
 *
 * Returns: which of the kernel's cells the quick tier runs: another one with
 *   each row of the list, so that all columns of parameters come up
 */
guint
golden_cells_get_quick (const char *kernel)
{
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    if (rows[i].parameters != NULL && g_str_equal (rows[i].kernel, kernel))
      return i % (guint) count_cells (&rows[i]);
  return 0;
}

/**
 * golden_cells_get_difference:
 * @kernel: an id of the catalogue
 * @counter: (nullable): of the hardware
 *
 * Returns: (nullable): why the hardware counts otherwise */
const char *
golden_cells_get_difference (const char *kernel, const char *counter)
{
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    if (rows[i].reason != NULL && g_str_equal (rows[i].kernel, kernel) &&
        g_strcmp0 (rows[i].counter, counter) == 0)
      return rows[i].reason;
  return NULL;
}

/**
 * golden_cell_compile:
 * @arch: "sm_90", "compute_90"
 * @is_contracted: whether a * b + c may be rounded once
 * @error: return location for an error
 *
 * Returns: (nullable) (transfer full): the image */
GBytes *
golden_cell_compile (const GoldenCell *self, CuredCompiler *compiler, const char *arch,
                     gboolean is_contracted, GError **error)
{
  g_autoptr (GPtrArray) options = g_ptr_array_new ();
  /* As measuring names it: the cache may have it. */
  g_autofree char *file_name = g_strconcat (self->kernel->id, ".cu", NULL);
  g_autoptr (CuredSources) sources = cured_sources_new (self->kernel, NULL, error);

  if (sources == NULL)
    return NULL;
  for (char **define = self->program->defines; *define != NULL; define++)
    g_ptr_array_add (options, *define);
  if (!is_contracted)
    g_ptr_array_add (options, (char *) "--fmad=false");
  g_ptr_array_add (options, NULL);
  return cured_compiler_compile_sources (compiler, sources, file_name,
                                         (const char *const *) options->pdata, arch, NULL, error);
}

static gboolean
take_outputs (const GoldenCell *self, CuredDevice *device, const CuredDevicePtr *bindings,
              GoldenOutputFunc output, gpointer user_data, GError **error)
{
  for (gsize i = 0; i < self->program->n_buffers; i++)
    {
      const CuredProgramBuffer *buffer = &self->program->buffers[i];
      g_autofree guint8 *bytes = g_malloc (MAX (buffer->size, 1));

      /* What the kernel read off a clock, and what is another every time. */
      if ((int) i == self->program->cycles ||
          golden_cells_get_difference (self->kernel->id, buffer->buffer->name) != NULL)
        continue;
      if (!device->klass->launch->download (device, bytes, bindings[i], buffer->size, error))
        return FALSE;
      g_autofree char *checksum =
          g_compute_checksum_for_data (G_CHECKSUM_SHA256, bytes, buffer->size);
      output (self, buffer, checksum, user_data);
    }
  return TRUE;
}

/**
 * golden_cell_run:
 * @image: what the compiler made for @device
 * @output: (nullable): called with the SHA-256 of each buffer's bytes
 * @error: return location for an error
 *
 * Runs the cell once, on its kernel's inputs.
 *
 * Returns: whether it ran */
gboolean
golden_cell_run (const GoldenCell *self, CuredDevice *device, GBytes *image,
                 GoldenOutputFunc output, gpointer user_data, GError **error)
{
  const CuredProgram *program = self->program;
  g_autofree CuredDevicePtr *bindings = g_new0 (CuredDevicePtr, program->n_buffers + 1);
  CuredModule *module = device->klass->launch->load (device, image, error);
  gboolean ok = module != NULL;

  for (gsize i = 0; ok && i < program->n_buffers; i++)
    {
      const CuredProgramBuffer *buffer = &program->buffers[i];
      g_autofree void *host = g_malloc (MAX (buffer->size, 1));

      cured_fill_buffer (buffer, i, SEED, host);
      ok = device->klass->launch->allocate (device, MAX (buffer->size, 1), &bindings[i], error) &&
           device->klass->launch->upload (device, bindings[i], host, buffer->size, error);
    }
  for (gsize i = 0; ok && i < program->n_steps; i++)
    {
      CuredFunctionInfo info;

      /* Also opts in to the shared memory that the step wants. */
      ok = program->steps[i].entry == NULL ||
           device->klass->launch->query (device, module, &program->steps[i], &info, error);
    }
  ok = ok && device->klass->launch->run (device, module, program, bindings, error) &&
       (output == NULL || take_outputs (self, device, bindings, output, user_data, error));
  for (gsize i = 0; i < program->n_buffers; i++)
    if (bindings[i] != 0)
      device->klass->launch->release (device, bindings[i]);
  if (module != NULL)
    device->klass->launch->unload (device, module);
  return ok;
}
