/* SPDX-License-Identifier: MIT
 * Sweeps that were saved under a name, a list for each kernel. */
#include <config.h>

#include "model/cured-presets.h"

#include "model/cured-settings.h"

/* Implementation notes: the settings keep a text for each name; the name there
 * is the kernel's id, a line's end, and the user's name, and the text is a key
 * file of one group. Numbers are written as files have them, in the C
 * locale. */

#define GROUP "Sweep"

static char *
make_key (const char *kernel_id, const char *name)
{
  return g_strdup_printf ("%s\n%s", kernel_id, name);
}

/**
 * cured_preset_new:
 * @name: what to call it
 * @spec: the axes and the options
 * @device_id: (nullable): where
 * @launcher: (nullable): what starts the worker there
 *
 * Returns: (transfer full): a preset, not yet saved
 */
CuredPreset *
cured_preset_new (const char *name,
                  CuredSpec *spec,
                  const char *device_id,
                  const char *launcher)
{
  CuredPreset *self = g_new0 (CuredPreset, 1);
  CuredKernel *kernel = cured_spec_get_kernel (spec);
  const CuredParameter *parameters = kernel->parameters;
  gsize n_parameters = kernel->n_parameters;

  self->kernel_id = g_strdup (kernel->id);
  self->name = g_strdup (name);
  self->axes = g_new0 (char *, n_parameters + 1);
  for (gsize i = 0; i < n_parameters; i++)
    {
      g_autofree char *values =
          cured_axis_to_string (cured_spec_get_axis (spec, i));

      self->axes[i] = g_strdup_printf ("%s=%s", parameters[i].name, values);
    }
  cured_options_copy (cured_spec_get_options (spec), &self->options);
  self->device_id = g_strdup (device_id);
  self->launcher = g_strdup (launcher);
  return self;
}

/**
 * cured_preset_free:
 * @self: (transfer full): a preset
 */
void
cured_preset_free (CuredPreset *self)
{
  g_free (self->kernel_id);
  g_free (self->name);
  g_strfreev (self->axes);
  cured_options_clear (&self->options);
  g_free (self->device_id);
  g_free (self->launcher);
  g_free (self);
}

/**
 * cured_preset_apply:
 * @self: a preset
 * @spec: of its kernel
 *
 * Sets axes and options. A parameter that the kernel lacks by now, or that may
 * not have these values any more, is left as it is.
 */
void
cured_preset_apply (const CuredPreset *self, CuredSpec *spec)
{
  CuredOptions *options = cured_spec_get_options (spec);

  for (gsize i = 0; self->axes[i] != NULL; i++)
    {
      g_autoptr (GError) error = NULL;

      if (!cured_spec_parse_axis (spec, self->axes[i], &error))
        g_debug ("%s: %s", self->name, error->message);
    }
  cured_options_clear (options);
  cured_options_copy (&self->options, options);
}

/**
 * cured_presets_list:
 * @kernel_id: a kernel
 *
 * Returns: (transfer full) (array zero-terminated=1): the names of the sweeps
 *   that were saved of it, in alphabetical order
 */
char **
cured_presets_list (const char *kernel_id)
{
  g_auto (GStrv) keys = cured_settings_list_presets ();
  g_autofree char *prefix = make_key (kernel_id, "");
  g_autoptr (GPtrArray) names = g_ptr_array_new ();

  for (gsize i = 0; keys[i] != NULL; i++)
    if (g_str_has_prefix (keys[i], prefix))
      g_ptr_array_add (names, g_strdup (keys[i] + strlen (prefix)));
  g_ptr_array_add (names, NULL);
  return (char **) g_ptr_array_free (g_steal_pointer (&names), FALSE);
}

static guint
get_uint (GKeyFile *file, const char *name, guint fallback)
{
  g_autoptr (GError) error = NULL;
  guint64 value = g_key_file_get_uint64 (file, GROUP, name, &error);

  return error == NULL && value > 0 && value <= G_MAXINT ? (guint) value
                                                         : fallback;
}

static guint64
get_uint64 (GKeyFile *file, const char *name, guint64 fallback)
{
  g_autoptr (GError) error = NULL;
  guint64 value = g_key_file_get_uint64 (file, GROUP, name, &error);

  return error == NULL ? value : fallback;
}

static double
get_double (GKeyFile *file, const char *name, double fallback)
{
  g_autoptr (GError) error = NULL;
  double value = g_key_file_get_double (file, GROUP, name, &error);

  return error == NULL && value > 0 && isfinite (value) ? value : fallback;
}

static gboolean
get_boolean (GKeyFile *file, const char *name, gboolean fallback)
{
  g_autoptr (GError) error = NULL;
  gboolean value = g_key_file_get_boolean (file, GROUP, name, &error);

  return error == NULL ? value : fallback;
}

/**
 * cured_presets_load:
 * @kernel_id: a kernel
 * @name: of a sweep of it
 *
 * Reads a preset. What is not in it, or is damaged, has its default.
 *
 * Returns: (transfer full) (nullable): the preset; %NULL: there is none of that
 *   name
 */
CuredPreset *
cured_presets_load (const char *kernel_id, const char *name)
{
  g_autofree char *key = make_key (kernel_id, name);
  g_autofree char *text = cured_settings_get_preset (key);
  g_autoptr (GKeyFile) file = g_key_file_new ();
  CuredPreset *self;
  CuredOptions *options;

  if (text == NULL ||
      !g_key_file_load_from_data (file, text, strlen (text), 0, NULL))
    return NULL;
  self = g_new0 (CuredPreset, 1);
  options = &self->options;
  self->kernel_id = g_strdup (kernel_id);
  self->name = g_strdup (name);
  self->axes = g_key_file_get_string_list (file, GROUP, "axes", NULL, NULL);
  if (self->axes == NULL)
    self->axes = g_new0 (char *, 1);
  self->device_id = g_key_file_get_string (file, GROUP, "device", NULL);
  self->launcher = g_key_file_get_string (file, GROUP, "launcher", NULL);
  cured_options_init (options);
  options->seed = get_uint64 (file, "seed", options->seed);
  options->limit_s = get_double (file, "limit-s", options->limit_s);
  options->min_samples = get_uint (file, "min-samples", options->min_samples);
  options->max_samples = get_uint (file, "max-samples", options->max_samples);
  options->sampling_s = get_double (file, "sampling-s", options->sampling_s);
  options->precision = get_double (file, "precision", options->precision);
  options->check = get_boolean (file, "check", options->check);
  options->cold = get_boolean (file, "cold", options->cold);
  options->hot = get_boolean (file, "hot", options->hot);
  options->compile_options =
      g_key_file_get_string (file, GROUP, "compile-options", NULL);
  options->shuffle = get_uint64 (file, "shuffle", options->shuffle);
  options->blocks = g_key_file_get_string (file, GROUP, "blocks", NULL);
  return self;
}

static void
set_text (GKeyFile *file, const char *name, const char *text)
{
  if (text != NULL && *text != '\0')
    g_key_file_set_string (file, GROUP, name, text);
}

/**
 * cured_presets_save:
 * @preset: what to keep
 *
 * Saves a preset, in the place of one of the same kernel and name.
 */
void
cured_presets_save (const CuredPreset *preset)
{
  g_autoptr (GKeyFile) file = g_key_file_new ();
  const CuredOptions *options = &preset->options;
  g_autofree char *key = make_key (preset->kernel_id, preset->name);
  g_autofree char *text = NULL;

  g_key_file_set_string_list (file,
                              GROUP,
                              "axes",
                              (const char *const *) preset->axes,
                              g_strv_length (preset->axes));
  set_text (file, "device", preset->device_id);
  set_text (file, "launcher", preset->launcher);
  g_key_file_set_uint64 (file, GROUP, "seed", options->seed);
  g_key_file_set_double (file, GROUP, "limit-s", options->limit_s);
  g_key_file_set_uint64 (file, GROUP, "min-samples", options->min_samples);
  g_key_file_set_uint64 (file, GROUP, "max-samples", options->max_samples);
  g_key_file_set_double (file, GROUP, "sampling-s", options->sampling_s);
  g_key_file_set_double (file, GROUP, "precision", options->precision);
  g_key_file_set_boolean (file, GROUP, "check", options->check);
  g_key_file_set_boolean (file, GROUP, "cold", options->cold);
  g_key_file_set_boolean (file, GROUP, "hot", options->hot);
  set_text (file, "compile-options", options->compile_options);
  g_key_file_set_uint64 (file, GROUP, "shuffle", options->shuffle);
  set_text (file, "blocks", options->blocks);
  text = g_key_file_to_data (file, NULL, NULL);
  cured_settings_set_preset (key, text);
}

/**
 * cured_presets_delete:
 * @kernel_id: a kernel
 * @name: of a sweep of it
 *
 * Forgets a preset; cured_presets_save() brings one back that was loaded
 * before.
 */
void
cured_presets_delete (const char *kernel_id, const char *name)
{
  g_autofree char *key = make_key (kernel_id, name);

  cured_settings_set_preset (key, NULL);
}
