/* SPDX-License-Identifier: MIT
 * A model of a chip: its facts and limits. The measuring stage predicts
 * cells. */

#include "base/cured-base-internal.h"
#include "device/cured-compiler.h"
#include "device/cured-device-internal.h"
#include "device/cured-kind-private.h"

typedef struct
{
  CuredDevice parent;
  CuredMachine *machine;
} ModelDevice;

static const CuredMachine *
model_get_machine (const CuredDevice *device)
{
  return ((const ModelDevice *) device)->machine;
}

static void
model_close (CuredDevice *device)
{
  ModelDevice *self = (ModelDevice *) device;

  cured_machine_free (self->machine);
  cured_device_info_clear (&device->info);
  g_free (self);
}

static const CuredDeviceClass model_class = {
  .get_machine = model_get_machine,
  .close = model_close,
};

static void
set_text (char **text, char *value)
{
  g_free (*text);
  *text = value;
}

/* FALSE with an error if the chip's limits are unknown; @info must be cleared in any case. */
static gboolean
fill_info (const CuredMachine *machine, CuredDeviceInfo *info, GError **error)
{
  const CuredProfile *profile = machine->arch != NULL ? cured_profile_find (machine->arch) : NULL;

  cured_device_info_init (info);
  if (profile == NULL || !profile->is_emulated || !(machine->sms > 0))
    return cured_fail (
        error, CURED_ERROR_NO_DEVICE,
        _ ("The machine facts “%s” name no chip that there is an emulator of: Arch= and "
           "Multiprocessors= in [Chip]"),
        machine->id);
  set_text (&info->id, g_strdup_printf ("model:%s", machine->id));
  set_text (&info->kind, g_strdup ("model"));
  set_text (&info->name,
            g_strdup_printf ("Model of %s", machine->name != NULL ? machine->name : machine->id));
  set_text (&info->arch, g_strdup (machine->arch));
  info->limits = profile->limits;
  info->limits.sms = (gint64) machine->sms;
  /* Nothing is allocated: buffers are filled on access. So no kernel is too large for the memory,
   * whose size is not in the profile. */
  info->limits.global_bytes = 0;
  return TRUE;
}

static CuredDevice *
model_open (const char *id, GError **error)
{
  g_autoptr (CuredCompiler) compiler = NULL;
  CuredMachine *machine = cured_machine_find (id != NULL ? id : "", error);

  if (machine == NULL)
    return NULL;
  ModelDevice *self = CURED_NEW (ModelDevice, .parent.klass = &model_class, .machine = machine);
  if (fill_info (machine, &self->parent.info, error))
    compiler = cured_compiler_new (error);
  if (compiler == NULL)
    {
      model_close (&self->parent);
      return NULL;
    }
  set_text (&self->parent.info.compiler, g_strdup (cured_compiler_get_version (compiler)));
  return &self->parent;
}

static void
model_list (GPtrArray *list)
{
  g_autoptr (GPtrArray) ids = cured_machine_list ();

  CURED_EACH_POINTER (const char, id, ids)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (CuredMachine) machine = cured_machine_find (id, &error);
      CuredDeviceFound *found = g_new0 (CuredDeviceFound, 1);

      found->id = g_strconcat ("model:", id, NULL);
      if (machine != NULL)
        {
          found->info = g_new0 (CuredDeviceInfo, 1);
          if (!fill_info (machine, found->info, &error))
            {
              cured_device_info_clear (found->info);
              g_clear_pointer (&found->info, g_free);
            }
        }
      if (found->info == NULL)
        found->reason = g_strdup (error->message);
      g_ptr_array_add (list, found);
    }
}

const CuredDeviceKind _cured_model_kind = {
  .name = "model",
  .open = model_open,
  .list = model_list,
};
