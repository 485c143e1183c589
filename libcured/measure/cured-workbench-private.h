/* SPDX-License-Identifier: MIT
 * The state that a device keeps between cells: the compiled variant, buffers, and expected
 * outputs. */
#pragma once

#include "device/cured-compiler.h"
#include "device/cured-device-internal.h"
#include "kernel/program/cured-program-internal.h"
#include "measure/cured-measure-internal.h"
#include "measure/cured-share-internal.h"

typedef struct
{
  CuredDevice *device;
  CuredCompiler *compiler;
  CuredShare *share; /* nullable */
  GBytes *image;
  GBytes *binary; /* nullable: the chip's machine code, if @image is PTX */
  CuredModule *module;
  GPtrArray *slots;    /* (element-type Slot) */
  GPtrArray *expected; /* (element-type Expected): least recently used first */
  void *got;           /* host memory for outputs */
  gsize got_size;
  GThreadPool *ahead; /* nullable: makes contents of later cells */
  GCancellable *ahead_cancellable;
} CuredWorkbench;

CuredWorkbench *_cured_workbench_get (CuredDevice *device, GError **error);
CuredModule *_cured_workbench_load (CuredWorkbench *self, const CuredProgram *program,
                                    const CuredOptions *options, double *compile_ns,
                                    GError **error);
gboolean _cured_workbench_annotate (CuredWorkbench *self, const CuredProgram *program,
                                    const CuredOptions *options, GError **error);
CuredDevicePtr *_cured_workbench_bind (CuredWorkbench *self, const CuredProgram *program,
                                       const CuredOptions *options, GError **error);
gboolean _cured_workbench_check_guards (CuredWorkbench *self, const CuredProgram *program,
                                        CuredOutcome *outcome, GError **error);
const CuredContents *_cured_workbench_expect (CuredWorkbench *self, const CuredJob *job,
                                              const CuredProgram *program,
                                              GCancellable *cancellable, GError **error);
void *_cured_workbench_get_room (CuredWorkbench *self, gsize size, GError **error);
void _cured_workbench_prepare_variant (CuredWorkbench *self, const CuredProgram *program,
                                       const CuredOptions *options);
void _cured_workbench_prepare_contents (CuredWorkbench *self, CuredProgram *program,
                                        const CuredOptions *options);
gboolean _cured_workbench_fill (CuredWorkbench *self, const CuredProgram *program,
                                const CuredOptions *options, GError **error);
const guint8 *_cured_workbench_get_input (const CuredWorkbench *self, guint index);
