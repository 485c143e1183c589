/* SPDX-License-Identifier: MIT
 * Completes a draft by the launches of the CUDA file's own program. */
#pragma once

#include <gio/gio.h>

#include "draft/cured-header-draft.h"

/* The launches of a file's program; free with cured_exec_recording_free(). */
typedef struct _CuredExecRecording CuredExecRecording;

typedef struct
{
  const char *const *arguments; /* (nullable): of the program, NULL-terminated */
  gint64 limit_us;              /* time after which the program is stopped; 0: never */
  guint64 n_launches; /* the program is stopped after about this many launches; 0: never */
} CuredExecRecordingOptions;

char *cured_exec_find_nvcc (void);
CuredExecRecording *cured_exec_recording_new (const char *path,
                                              const CuredExecRecordingOptions *options,
                                              GCancellable *cancellable, GError **error);
void cured_exec_recording_free (CuredExecRecording *self);
const GPtrArray *cured_exec_recording_get_notes (const CuredExecRecording *self);
int cured_exec_recording_find (const CuredExecRecording *self, const GPtrArray *drafts);
gboolean cured_exec_recording_apply (CuredExecRecording *self, CuredHeaderDraft *draft,
                                     const char *source, const char *output, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredExecRecording, cured_exec_recording_free)
