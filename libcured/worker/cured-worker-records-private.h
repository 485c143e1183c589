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

/* The first message of each side. */
typedef struct
{
  gint64 protocol;
  char *version;
  int share;              /* from the runner: descriptor of the share; -1: none */
  gint64 memory_bytes;    /* from the worker: its limit of memory; 0: none */
  CuredDeviceInfo device; /* from the worker: its device */
} CuredHello;

/* A file that a kernel includes. */
typedef struct
{
  char *name, *text;
} CuredIncluded;

/* A piece of an input file of the next kernel. */
typedef struct
{
  char *digest; /* digest of that file, as in the kernel's text */
  char *bytes;  /* in Base64 */
} CuredInput;

/* @compiled: (nullable): the text for the compiler, if it differs from @source
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

/* A question about a kernel. Its parameters are parsed with the kernel. */
typedef struct
{
  gint64 id; /* comes back in the answers; -1: none */
  gint64 kernel;
  CuredOptions options;
  GPtrArray *ranges; /* (nullable) (element-type CuredRange): for `measure` */
  CuredLimits limits;
  int step; /* for a question, like the following: the launch; -1: the first with shared memory */
  gint64 block;
  int warp;
  CuredBankArch arch;
  guint64 seed;
  gint64 time_limit_ms, traffic_ms;
  guint blocks;
  int registers;
  char *widths_of;
} CuredWorkerRequest;

/* The beginning of every answer. */
typedef struct
{
  gint64 id;
  CuredStage stage; /* for `stage` */
  gboolean is_lost; /* for `outcome`: the device is lost */
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
