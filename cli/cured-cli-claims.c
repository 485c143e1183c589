/* SPDX-License-Identifier: MIT
 * Figures of claims, for the verbs that print them or quiz about them. */
#include <glib/gi18n.h>
#include <math.h>

#include "cured-cli.h"

struct _CuredCliClaims
{
  GPtrArray *recordings; /* of CuredResult, in the order of their names */
  gboolean has_folder;   /* a folder of recordings was given; it may be empty */
  CuredDevice *device;   /* NULL until something is counted */
};

/* A file that can't be read is named, and left out. */
CuredCliClaims *
cured_cli_claims_new (const char *folder, GError **error)
{
  g_autoptr (CuredCliClaims) self = g_new0 (CuredCliClaims, 1);
  g_autoptr (GPtrArray) paths = cured_recordings_list (folder, error);

  if (paths == NULL)
    return NULL;
  self->has_folder = folder != NULL;
  self->recordings = g_ptr_array_new_with_free_func (g_object_unref);
  for (guint i = 0; i < paths->len; i++)
    {
      g_autoptr (GError) local_error = NULL;
      CuredResult *result = cured_result_load (paths->pdata[i], NULL, &local_error);

      if (result != NULL)
        g_ptr_array_add (self->recordings, result);
      else
        g_printerr ("cured: %s\n", local_error->message);
    }
  return g_steal_pointer (&self);
}

CURED_DEFINE_FREE (CuredCliClaims, cured_cli_claims_free, recordings, g_ptr_array_unref, device,
                   cured_device_close)

/* Returns its first recording. */
CuredResult *
cured_cli_claims_find_recording (CuredCliClaims *self, const char *kernel_id)
{
  for (guint i = 0; i < self->recordings->len; i++)
    if (g_strcmp0 (cured_result_get_kernel_id (self->recordings->pdata[i]), kernel_id) == 0)
      return self->recordings->pdata[i];
  return NULL;
}

/* Finds a claim's figure on the emulator, or in the recordings. */
gboolean
cured_cli_claims_find_out (CuredCliClaims *self, CuredKernel *kernel, const CuredClaim *claim,
                           CuredClaimResult *result, GError **error)
{
  if (cured_claim_is_counted (claim))
    {
      if (self->device == NULL)
        self->device = cured_device_open_confined ("emulator:sm_90", error);
      return self->device != NULL && cured_claim_count (kernel, claim, self->device, result, error);
    }
  CuredResult *recorded = cured_cli_claims_find_recording (self, kernel->id);
  if (recorded == NULL)
    {
      *result = (CuredClaimResult){
        .verdict = CURED_CLAIM_NOT_RECORDED,
        .value = NAN,
        .low = claim->low,
        .high = claim->high,
        .reason = g_strdup (!self->has_folder ? _ ("a time; --results names recordings")
                                              : _ ("no recording of this kernel")),
      };
      return TRUE;
    }
  return cured_claim_look_up (kernel, claim, recorded,
                              claim->against_kernel != NULL
                                  ? cured_cli_claims_find_recording (self, claim->against_kernel)
                                  : NULL,
                              result, error);
}
