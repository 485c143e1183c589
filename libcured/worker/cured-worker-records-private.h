/* SPDX-License-Identifier: MIT
 * The field tables of the messages between runner and worker; docs/worker-protocol.md explains
 * them. */
#pragma once

#include "base/cured-fields-internal.h"
#include "inspect/cured-inspection.h"
#include "inspect/cured-machine-view.h"
#include "inspect/cured-workload-count.h"
#include "measure/cured-measure.h"
#include "store/cured-outcome-records-internal.h"

/* What either side says first. */
typedef struct
{
  gint64 protocol;
  char *version;
  int share;              /* of the runner: a descriptor; -1: none */
  gint64 memory_bytes;    /* of the worker: that it may have; 0: as much as it likes */
  CuredDeviceInfo device; /* of the worker */
} CuredHello;

/* A file that a kernel includes. */
typedef struct
{
  char *name, *text;
} CuredIncluded;

/* A piece of what a buffer of the next kernel has of a file. */
typedef struct
{
  char *digest; /* of that file, as the kernel's text has it */
  char *bytes;  /* in Base64 */
} CuredInput;

/* @compiled: (nullable): what the compiler gets, where that is not @source
 * @included: (nullable) (element-type CuredIncluded)
 *
 * A kernel file. */
typedef struct _CuredKernelMessage CuredKernelMessage;
struct _CuredKernelMessage
{
  gint64 number;
  char *id, *path, *source, *compiled;
  GPtrArray *included;
  CuredKernelMessage *reference;
};

/* A question about a kernel. Its parameters are read with the kernel at hand. */
typedef struct
{
  gint64 id; /* comes back in the answers; -1: none */
  gint64 kernel;
  CuredOptions options;
  GPtrArray *ranges; /* (nullable) (element-type CuredRange): of `measure` */
  CuredLimits limits;
  int step; /* of a question, as the others: the launch; -1: the first with shared memory */
  gint64 block;
  int warp;
  CuredBankArch arch;
  guint64 seed;
  gint64 time_limit_ms, traffic_ms;
  guint blocks;
  int registers;
  char *widths_of;
} CuredWorkerRequest;

/* What every answer begins with. */
typedef struct
{
  gint64 id;
  CuredStage stage; /* of `stage` */
  gboolean is_lost; /* of `outcome`: the device is */
} CuredReply;

/* (element-type CuredDemand): of a program */
typedef struct
{
  GPtrArray *demands;
} CuredDemands;

/* A #GError. */
typedef struct
{
  char *code, *message, *file;
  guint line, column;
  char *text, *log;
} CuredFailure;

extern const CuredRecordInfo _cured_hello_record;
extern const CuredRecordInfo _cured_included_record;
extern const CuredRecordInfo _cured_input_record;
extern const CuredRecordInfo _cured_kernel_record;
extern const CuredRecordInfo _cured_request_record;
extern const CuredRecordInfo _cured_reply_record;
extern const CuredRecordInfo _cured_loaded_program_record;
extern const CuredRecordInfo _cured_failure_record;
extern const CuredRecordInfo _cured_options_record;
extern const CuredRecordInfo _cured_limits_record;
extern CuredRecordInfo _cured_device_record;
extern const CuredRecordInfo _cured_bank_view_record;
extern const CuredRecordInfo _cured_inspection_record;
extern const CuredRecordInfo _cured_machine_view_record;
extern const CuredRecordInfo _cured_demands_record;

void _cured_request_init (CuredWorkerRequest *self);
const CuredRecordInfo *const *_cured_worker_records (void);
