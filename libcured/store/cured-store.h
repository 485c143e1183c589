/* SPDX-License-Identifier: MIT
 * The result file: an SQLite database that is consistent after every cell. */
#pragma once

#include <gio/gio.h>

#include "measure/cured-outcome.h"
#include "plan/cured-plan.h"

/* "CurE" in ASCII; PRAGMA application_id. */
#define CURED_STORE_APPLICATION_ID 0x43757245
#define CURED_STORE_VERSION        1

/* An open result file for writing. Thread-safe: every call takes a lock. Format:
 * docs/result-format.md. */
typedef struct _CuredStore CuredStore;

CuredStore *cured_store_create (const char *path, CuredPlan *plan, const CuredDeviceInfo *device,
                                gboolean overwrite, GError **error);
CuredStore *cured_store_create_on (const char *path, CuredPlan *plan,
                                   const CuredDeviceInfo *const *devices, gsize n_devices,
                                   int shard, int n_shards, gboolean overwrite, GError **error);
CuredStore *cured_store_open (const char *path, GError **error);
gboolean cured_store_copy (const char *path, const char *copy_path, GError **error);
gboolean cured_store_matches (CuredStore *self, CuredPlan *plan, const CuredDeviceInfo *device,
                              GError **error);
void cured_store_close (CuredStore *self);
const char *cured_store_get_path (const CuredStore *self);
CuredSpec *cured_store_load_spec (CuredStore *self, GError **error);
CuredPlan *cured_store_new_plan (CuredStore *self, CuredSpec *spec, const CuredLimits *limits,
                                 GError **error);
gboolean cured_store_get_shard (CuredStore *self, int *shard, int *n_shards);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredStore, cured_store_close)
