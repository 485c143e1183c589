/* SPDX-License-Identifier: MIT
 * Functions on a worker's device for the runner and the tests. */
#pragma once

#include "measure/cured-measure.h"
#include "worker/cured-worker-records-private.h"
#include "worker/cured-worker.h"

gint64 _cured_worker_device_take_start_ns (CuredDevice *device);
void _cured_worker_device_set_limits (CuredDevice *device, double start_s, double prepare_s);
char **_cured_examiner_default_command (void);
int _cured_worker_device_get_pid (CuredDevice *device);
gboolean _cured_worker_device_ask (CuredDevice *device, const char *type,
                                   CuredWorkerRequest *request, const CuredJob *job,
                                   const CuredRecordInfo *record, gpointer answer, double limit_s,
                                   GCancellable *cancellable, GError **error);

gboolean _cured_worker_answer (CuredDevice *device, const char *const *lines);
