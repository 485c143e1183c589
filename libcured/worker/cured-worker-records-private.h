/* SPDX-License-Identifier: MIT
 * The field tables of what runner and worker tell each other; docs/worker-protocol.md explains
 * them. */
#pragma once

#include "base/cured-fields-internal.h"
#include "inspect/cured-inspection.h"
#include "inspect/cured-machine-view.h"
#include "inspect/cured-workload-count.h"
#include "measure/cured-measure.h"
#include "store/cured-outcome-records-internal.h"

G_BEGIN_DECLS

/**
 * CuredHello: what either side says first.
 * @share: of the runner: a descriptor; -1: none
 * @memory_bytes: of the worker: that it may have; 0: as much as it likes
 * @device: of the worker
 */
typedef struct
{
  gint64 protocol;
  char *version;
  int share;
  gint64 memory_bytes;
  CuredDeviceInfo device;
} CuredHello;

/**
 * CuredIncluded: a file that a kernel includes.
 */
typedef struct
{
  char *name;
  char *text;
} CuredIncluded;

/**
 * CuredInput: a piece of what a buffer of the next kernel has of a file.
 * @digest: of that file, as the kernel's text has it
 * @bytes: in Base64
 */
typedef struct
{
  char *digest;
  char *bytes;
} CuredInput;

/**
 * CuredKernelMessage: a kernel file.
 * @compiled: (nullable): what the compiler gets, where that is not @source
 * @included: (nullable) (element-type CuredIncluded)
 */
typedef struct _CuredKernelMessage CuredKernelMessage;
struct _CuredKernelMessage
{
  gint64 number;
  char *id;
  char *path;
  char *source;
  char *compiled;
  GPtrArray *included;
  CuredKernelMessage *reference;
};

/**
 * CuredWorkerRequest: a question about a kernel. Its parameters are read with the kernel at hand.
 * @id: comes back in the answers; -1: none
 * @ranges: (nullable) (element-type CuredRange): of `measure`
 * @step: of a question, as the others: the launch; -1: the first with shared memory
 */
typedef struct
{
  gint64 id;
  gint64 kernel;
  CuredOptions options;
  GPtrArray *ranges;
  CuredLimits limits;
  int step;
  gint64 block;
  int warp;
  CuredBankArch arch;
  guint64 seed;
  gint64 time_limit_ms;
  gint64 traffic_ms;
  guint blocks;
  int registers;
  char *widths_of;
} CuredWorkerRequest;

/**
 * CuredReply: what every answer begins with.
 * @stage: of `stage`
 * @is_lost: of `outcome`: the device is
 */
typedef struct
{
  gint64 id;
  CuredStage stage;
  gboolean is_lost;
} CuredReply;

/**
 * CuredDemands: (element-type CuredDemand): of a program
 */
typedef struct
{
  GPtrArray *demands;
} CuredDemands;

/**
 * CuredFailure: a #GError.
 */
typedef struct
{
  char *code;
  char *message;
  char *file;
  guint line;
  guint column;
  char *text;
  char *log;
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

G_END_DECLS
