/* SPDX-License-Identifier: MIT
 * Runs a kernel of the catalogue once, on other inputs than its own. */
#include "device/cured-device-internal.h"
#include "worked.h"

#include <string.h>
#include "kernel/fill/cured-fill-internal.h"
#include "kernel/program/cured-program-internal.h"
#include "test.h"

/* Puts @fill in the place of what the header says is in a buffer. */
static char *
refill (const char *source, const WorkedFill *fill)
{
  g_autofree char *group = g_strdup_printf ("[Buffer %s]", fill->buffer);
  g_auto (GStrv) lines = g_strsplit (source, "\n", -1);
  g_autoptr (GString) text = g_string_new (NULL);
  gboolean is_there = FALSE, is_inside = FALSE;

  for (guint i = 0; lines[i] != NULL; i++)
    {
      if (strchr (lines[i], '[') != NULL)
        is_inside = strstr (lines[i], group) != NULL;
      if (is_inside && strstr (lines[i], "Fill=") != NULL)
        {
          g_string_append_printf (text, "%s\n", fill->fill);
          is_there = TRUE;
        }
      else if (!is_inside ||
               (strstr (lines[i], "Low=") == NULL && strstr (lines[i], "High=") == NULL &&
                strstr (lines[i], "Step=") == NULL))
        g_string_append_printf (text, "%s\n", lines[i]);
    }
  g_assert_true (is_there);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static gint64 *
parse_values (CuredKernel *kernel, const char *parameters)
{
  g_auto (GStrv) words = g_strsplit (parameters, " ", -1);

  const CuredParameter *list = kernel->parameters;
  gsize n = kernel->n_parameters;
  gint64 *values = g_new0 (gint64, n + 1);
  for (gsize i = 0; i < n; i++)
    values[i] = list[i].default_value;
  for (guint i = 0; words[i] != NULL; i++)
    {
      g_auto (GStrv) word = g_strsplit (words[i], "=", 2);
      gsize parameter;

      g_assert_true (cured_kernel_find_parameter (kernel, word[0], &parameter));
      values[parameter] = g_ascii_strtoll (word[1], NULL, 10);
    }
  return values;
}

/* Runs the program as it is, and keeps what is in the buffers then. */
static void
run (Worked *self, CuredDevice *device, CuredCompiler *compiler)
{
  const CuredProgram *program = self->program;
  g_autofree CuredDevicePtr *bindings = g_new0 (CuredDevicePtr, program->n_buffers + 1);
  g_autoptr (GBytes) image = MUST (cured_compiler_compile (
      compiler, self->kernel->source, self->kernel->id, (const char *const *) program->defines,
      device->info.arch, NULL, &fail));

  CuredModule *module = MUST (device->klass->launch->load (device, image, &fail));
  for (gsize i = 0; i < program->n_buffers; i++)
    {
      gsize size = program->buffers[i].size;

      self->data[i] = g_malloc (size);
      cured_fill_buffer (&program->buffers[i], i, 1, self->data[i]);
      MUST (device->klass->launch->allocate (device, size, &bindings[i], &fail));
      MUST (device->klass->launch->upload (device, bindings[i], self->data[i], size, &fail));
    }
  MUST (device->klass->launch->run (device, module, program, bindings, &fail));
  for (gsize i = 0; i < program->n_buffers; i++)
    {
      MUST (device->klass->launch->download (device, self->data[i], bindings[i],
                                             program->buffers[i].size, &fail));
      device->klass->launch->release (device, bindings[i]);
    }
  device->klass->launch->unload (device, module);
}

/**
 * worked_new:
 * @device: one that emulates
 * @id: a kernel of the catalogue
 * @parameters: "n=10 blocks=2"; other parameters have their defaults
 * @fills: (array length=n_fills): inputs that are not the kernel file's own
 *
 * Measures the kernel, which has to be right by its own reference, and runs it once more for what
 * is in its buffers then.
 *
 * Returns: (transfer full): what came out */
Worked *
worked_new (CuredDevice *device, CuredCompiler *compiler, const char *id, const char *parameters,
            const WorkedFill *fills, gsize n_fills)
{
  Worked *self = g_new0 (Worked, 1);
  g_autoptr (CuredKernel) own = cured_catalogue_get (id, NULL);
  g_autofree char *source = NULL;
  g_auto (CuredOptions) options = { 0 };
  CuredJob job = { .options = &options };

  g_assert_nonnull (own);
  source = g_strdup (own->source);
  for (gsize i = 0; i < n_fills; i++)
    {
      char *refilled = refill (source, &fills[i]);

      g_free (source);
      source = refilled;
    }
  self->kernel = MUST (cured_kernel_new_from_text (source, id, NULL, &fail));
  g_autofree gint64 *values = parse_values (self->kernel, parameters);

  cured_options_init (&options);
  job.kernel = self->kernel;
  job.values = values;
  self->outcome = cured_outcome_new ();
  MUST (cured_measure (device, &job, self->outcome, NULL, &fail));
  g_assert_cmpstr (self->outcome->reason, ==, NULL);
  g_assert_cmpint (self->outcome->state, ==, CURED_STATE_OK);

  self->program = MUST (
      cured_program_new (self->kernel, values, &cured_device_get_info (device)->limits, &fail));
  self->data = g_new0 (void *, self->program->n_buffers + 1);
  run (self, device, compiler);
  return self;
}

/**
 * worked_get:
 * @buffer: its name
 *
 * Returns: (transfer none): what is in the buffer behind the run */
const void *
worked_get (const Worked *self, const char *buffer)
{
  int index = cured_program_find_buffer (self->program, buffer);

  g_assert_cmpint (index, >=, 0);
  return self->data[index];
}

/**
 * worked_free:
 * @self: (nullable) (transfer full): what came out */
void
worked_free (Worked *self)
{
  if (self == NULL)
    return;
  for (gsize i = 0; i < self->program->n_buffers; i++)
    g_free (self->data[i]);
  g_free (self->data);
  cured_outcome_free (self->outcome);
  cured_program_free (self->program);
  cured_kernel_unref (self->kernel);
  g_free (self);
}
