/* SPDX-License-Identifier: MIT
 * The field tables of the messages between runner and worker. */
#include "worker/cured-worker-records-private.h"

#include <float.h>
#include <string.h>

#include "inspect/cured-inspection-internal.h"
#include "measure/cured-measure-internal.h"
#include "ptx/cured-finding-internal.h"
#include "spec/cured-options-internal.h"

/* Implementation notes
 *
 * A worker compiles and runs untrusted code; if that takes it over, its messages may contain
 * anything. The tables bound every number, list and text; consistency (indices, lengths, blocks and
 * their warps) is checked in the functions called finish_…. Data that can be computed from the rest
 * are not sent. */

/* Limits: texts of a device; lines, sites and files of a kernel. */
#define MAX_TEXT_BYTES 4096
#define MAX_LINES      (1 << 22)
#define MAX_SITES      (1 << 20)
#define MAX_FILES      4096
#define MAX_LAUNCHES   4096

/* clang-format off */
#define NULLABLE CURED_FIELD_NULLABLE
#define REQUIRED CURED_FIELD_REQUIRED
/* clang-format on */

static const char *
name_stage (int value)
{
  return cured_stage_to_string ((CuredStage) value);
}

/* Options, limits and devices */

/* clang-format off */
static const CuredFieldInfo option_fields[] = {
#define FIELD_FLAG(name)      CURED_FIELD (CuredOptions, name, BOOLEAN, "", 0, 0, 0)
#define FIELD_COUNT(name)     CURED_FIELD (CuredOptions, name, INTEGER, "", 0, 0, 0)
#define FIELD_SEED(name)      CURED_FIELD (CuredOptions, name, BIG, "", 0, 0, 0)
#define FIELD_NUMBER(name)    CURED_FIELD (CuredOptions, name, REAL, "", 0, DBL_MAX, 0)
#define FIELD_WORDS(name)     CURED_FIELD (CuredOptions, name, TEXT, "", 0, 0, NULLABLE)
#define FIELD_BLOCKS(name)    CURED_FIELD (CuredOptions, name, TEXT, "", 0, 0, NULLABLE)
#define FIELD_CONDITION(name) CURED_FIELD (CuredOptions, name, TEXT, "", 0, 0, NULLABLE)
#define OPTION_FIELD(type, name, ...) FIELD_##type (name),
  CURED_OPTIONS (OPTION_FIELD)
};
/* clang-format on */

/* Checks texts like those of a file. */
static gboolean
finish_options (gpointer self)
{
  gsize n_rows;
  const CuredOptionInfo *rows = cured_options_list (&n_rows);

  for (gsize i = 0; i < n_rows; i++)
    if (rows[i].type == CURED_OPTION_WORDS || rows[i].type == CURED_OPTION_BLOCKS ||
        rows[i].type == CURED_OPTION_CONDITION)
      {
        g_autofree char *text = cured_option_to_string (&rows[i], self);

        if (!cured_option_read (&rows[i], self, text))
          return FALSE;
      }
  return TRUE;
}

const CuredRecordInfo _cured_options_record =
    CURED_RECORD (CuredOptions, "options", option_fields, NULL, .finish = finish_options);

static const CuredFieldInfo limit_fields[] = {
#define LIMIT_FIELD(name, unit, meaning)                                                           \
  CURED_FIELD (CuredLimits, name, INTEGER, unit, 0, 9.3e18, 0),
  CURED_LIMITS_FIELDS (LIMIT_FIELD)
#undef LIMIT_FIELD
};

const CuredRecordInfo _cured_limits_record =
    CURED_RECORD (CuredLimits, "limits", limit_fields, NULL);

/* Filled from the table of facts when the program starts. */
CuredRecordInfo _cured_device_record = { .name = "device", .size = sizeof (CuredDeviceInfo) };

__attribute__ ((constructor)) static void
make_device_record (void)
{
  gsize n_facts;
  const CuredDeviceFact *facts = cured_device_facts (&n_facts);
  CuredFieldInfo *fields = g_new0 (CuredFieldInfo, n_facts + 1);

  for (gsize i = 0; i < n_facts; i++)
    {
      gboolean is_number = facts[i].type == CURED_DEVICE_FACT_NUMBER;

      fields[i] = (CuredFieldInfo){
        .name = facts[i].group != NULL ? g_strjoin (".", facts[i].group, facts[i].key, NULL)
                                       : facts[i].key,
        .type = is_number ? CURED_FIELD_REAL : CURED_FIELD_TEXT,
        .flags = facts[i].type == CURED_DEVICE_FACT_TEXT ? 0 : NULLABLE,
        .offset = facts[i].offset,
        .size = is_number ? sizeof (double) : sizeof (char *),
        .unit = facts[i].unit,
        .most = is_number ? 0 : MAX_TEXT_BYTES,
      };
    }
  fields[n_facts] = (CuredFieldInfo) CURED_FIELD_OF ("limits", CuredDeviceInfo, limits, RECORD,
                                                     &_cured_limits_record, 0, 0, NULL);
  _cured_device_record.fields = fields;
  _cured_device_record.n_fields = n_facts + 1;
}

/* Messages */

/* clang-format off */
static const CuredFieldInfo hello_fields[] = {
  CURED_FIELD (CuredHello, protocol, INTEGER, "", 0, 0, REQUIRED),
  CURED_FIELD (CuredHello, version, TEXT, "", 0, MAX_TEXT_BYTES, NULLABLE),
  CURED_FIELD (CuredHello, share, INTEGER, "", 0, G_MAXINT, NULLABLE),
  CURED_FIELD (CuredHello, memory_bytes, INTEGER, "B", 0, 0x1p62, NULLABLE),
  CURED_FIELD_OF ("device", CuredHello, device, RECORD, &_cured_device_record, 0, NULLABLE, NULL),
};

static const CuredFieldInfo included_fields[] = {
  CURED_FIELD (CuredIncluded, name, TEXT, "", 0, 0, REQUIRED),
  CURED_FIELD (CuredIncluded, text, TEXT, "", 0, 0, REQUIRED),
};
/* clang-format on */

static void free_included (gpointer self);
static void free_kernel (gpointer self);

const CuredRecordInfo _cured_included_record =
    CURED_RECORD (CuredIncluded, "included", included_fields, free_included);

/* clang-format off */
static const CuredFieldInfo kernel_fields[] = {
  CURED_FIELD (CuredKernelMessage, number, INTEGER, "", 0, 0x1p62, 0),
  CURED_FIELD (CuredKernelMessage, id, TEXT, "", 0, 0, NULLABLE),
  CURED_FIELD (CuredKernelMessage, path, TEXT, "", 0, 0, NULLABLE),
  CURED_FIELD (CuredKernelMessage, source, TEXT, "", 0, 0, REQUIRED),
  CURED_FIELD (CuredKernelMessage, compiled, TEXT, "", 0, 0, NULLABLE),
  CURED_FIELD_OF ("included", CuredKernelMessage, included, POINTERS, &_cured_included_record, MAX_FILES, NULLABLE, NULL),
  CURED_FIELD_OF ("reference", CuredKernelMessage, reference, POINTER, &_cured_kernel_record, 0, 0, NULL),
};

static const CuredFieldInfo input_fields[] = {
  CURED_FIELD (CuredInput, digest, TEXT, "", 0, MAX_TEXT_BYTES, REQUIRED),
  CURED_FIELD (CuredInput, bytes, TEXT, "", 0, 0, REQUIRED),
};

static const CuredFieldInfo range_fields[] = {
  CURED_FIELD (CuredRange, buffer, TEXT, "", 0, MAX_TEXT_BYTES, REQUIRED),
  CURED_FIELD (CuredRange, first, INTEGER, "", 0, 0x1p62, 0),
  CURED_FIELD (CuredRange, length, INTEGER, "", 1, CURED_EXCERPT_MAX_ELEMENTS, 0),
};
/* clang-format on */

static void
free_included (gpointer self)
{
  _cured_record_clear (&_cured_included_record, self);
  g_free (self);
}

static void
free_kernel (gpointer self)
{
  _cured_record_clear (&_cured_kernel_record, self);
  g_free (self);
}

static void
init_range (gpointer self)
{
  ((CuredRange *) self)->length = CURED_EXCERPT_ELEMENTS;
}

static const CuredRecordInfo range_record = CURED_RECORD (
    CuredRange, "range", range_fields, (GDestroyNotify) cured_range_free, .init = init_range);

/* clang-format off */
static const CuredFieldInfo request_fields[] = {
  CURED_FIELD (CuredWorkerRequest, id, INTEGER, "", -1, 0x1p62, 0),
  CURED_FIELD (CuredWorkerRequest, kernel, INTEGER, "", 0, 0x1p62, REQUIRED),
  CURED_FIELD_OF ("options", CuredWorkerRequest, options, RECORD, &_cured_options_record, 0, 0, NULL),
  CURED_FIELD_OF ("excerpts", CuredWorkerRequest, ranges, POINTERS, &range_record, CURED_EXCERPT_MAX, NULLABLE, NULL),
  CURED_FIELD_OF ("limits", CuredWorkerRequest, limits, RECORD, &_cured_limits_record, 0, NULLABLE, NULL),
  CURED_FIELD (CuredWorkerRequest, step, INTEGER, "", -1, G_MAXINT, 0),
  CURED_FIELD (CuredWorkerRequest, block, INTEGER, "", 0, 0x1p62, NULLABLE),
  CURED_FIELD (CuredWorkerRequest, warp, INTEGER, "", 0, G_MAXINT, NULLABLE),
  CURED_FIELD (CuredWorkerRequest, arch, INTEGER, "", 0, CURED_BANK_ARCH_1, NULLABLE),
  CURED_FIELD (CuredWorkerRequest, seed, BIG, "", 0, 0, NULLABLE),
  CURED_FIELD (CuredWorkerRequest, time_limit_ms, INTEGER, "ms", 1, 600000, NULLABLE),
  CURED_FIELD (CuredWorkerRequest, traffic_ms, INTEGER, "ms", 0, 600000, NULLABLE),
  CURED_FIELD (CuredWorkerRequest, blocks, INTEGER, "", 0, G_MAXINT16, NULLABLE),
  CURED_FIELD (CuredWorkerRequest, registers, INTEGER, "", 0, G_MAXUINT16, NULLABLE),
  CURED_FIELD (CuredWorkerRequest, widths_of, TEXT, "", 0, MAX_TEXT_BYTES, NULLABLE),
};

static const CuredFieldInfo reply_fields[] = {
  CURED_FIELD (CuredReply, id, INTEGER, "", 0, 0x1p62, REQUIRED),
  CURED_FIELD_AS ("device_lost", CuredReply, is_lost, BOOLEAN, "", 0, 0, NULLABLE),
};

static const CuredFieldInfo stage_fields[] = {
  CURED_FIELD (CuredReply, id, INTEGER, "", 0, 0x1p62, REQUIRED),
  CURED_FIELD_NAMES ("stage", CuredReply, stage, name_stage, CURED_N_STAGES, 0),
};

static const CuredFieldInfo failure_fields[] = {
  CURED_FIELD (CuredFailure, code, TEXT, "", 0, MAX_TEXT_BYTES, NULLABLE),
  CURED_FIELD (CuredFailure, message, TEXT, "", 0, CURED_REASON_MAX_BYTES, NULLABLE),
  CURED_FIELD (CuredFailure, file, TEXT, "", 0, MAX_TEXT_BYTES, NULLABLE),
  CURED_FIELD (CuredFailure, line, INTEGER, "", 0, G_MAXINT, NULLABLE),
  CURED_FIELD (CuredFailure, column, INTEGER, "", 0, G_MAXINT, NULLABLE),
  CURED_FIELD (CuredFailure, text, TEXT, "", 0, MAX_TEXT_BYTES, NULLABLE),
  CURED_FIELD (CuredFailure, log, TEXT, "", 0, 0, NULLABLE),
};
/* clang-format on */

const CuredRecordInfo _cured_hello_record = CURED_RECORD (CuredHello, "hello", hello_fields, NULL);
const CuredRecordInfo _cured_kernel_record =
    CURED_RECORD (CuredKernelMessage, "kernel", kernel_fields, free_kernel);
const CuredRecordInfo _cured_input_record = CURED_RECORD (CuredInput, "input", input_fields, NULL);
const CuredRecordInfo _cured_request_record =
    CURED_RECORD (CuredWorkerRequest, "request", request_fields, NULL);
const CuredRecordInfo _cured_reply_record = CURED_RECORD (CuredReply, "reply", reply_fields, NULL);
const CuredRecordInfo _cured_loaded_program_record =
    CURED_RECORD (CuredReply, "stage", stage_fields, NULL);
const CuredRecordInfo _cured_failure_record =
    CURED_RECORD (CuredFailure, "error", failure_fields, NULL);

/* The defaults of a request. */
void
_cured_request_init (CuredWorkerRequest *self)
{
  CuredBankQuery query;

  memset (self, 0, sizeof *self);
  self->id = -1;
  self->step = -1;
  cured_bank_query_init (&query);
  self->arch = query.arch;
  cured_options_init (&self->options);
}

/* Banks */

/* clang-format off */
static const CuredFieldInfo access_fields[] = {
  CURED_FIELD (CuredBankAccess, arch, INTEGER, "", 0, CURED_BANK_ARCH_1, 0),
  CURED_FIELD (CuredBankAccess, kind, INTEGER, "", 0, CURED_BANK_KIND_REMOTE_SWAP, 0),
  CURED_FIELD (CuredBankAccess, width, INTEGER, "bit", 8, 128, 0),
  CURED_FIELD (CuredBankAccess, mask, INTEGER, "", 0, 0, 0),
  CURED_FIELD (CuredBankAccess, addresses, BYTES, "", 0, 0, 0),
};
/* clang-format on */

static gboolean
count_access (const CuredBankAccess *access, CuredBankCounts *counts)
{
  return access->width >= 8 && (access->width & (access->width - 1)) == 0 && access->mask != 0 &&
         cured_bank_model_count (access, counts);
}

static gboolean
finish_access (gpointer self)
{
  CuredBankCounts counts;

  return count_access (self, &counts);
}

static const CuredRecordInfo access_record = CURED_RECORD (
    CuredBankAccess, "access", access_fields, NULL, .is_row = TRUE, .finish = finish_access);

/* clang-format off */
static const CuredFieldInfo pattern_fields[] = {
  CURED_FIELD (CuredBankViewPattern, count, INTEGER, "", 0, 0, 0),
  CURED_FIELD_OF ("access", CuredBankViewPattern, access, RECORD, &access_record, 0, 0, NULL),
};
/* clang-format on */

static gboolean
finish_pattern (gpointer self)
{
  CuredBankViewPattern *pattern = self;

  return count_access (&pattern->access, &pattern->counts);
}

static const CuredRecordInfo pattern_record =
    CURED_RECORD (CuredBankViewPattern, "pattern", pattern_fields, NULL, .is_row = TRUE,
                  .finish = finish_pattern);

/* clang-format off */
static const CuredFieldInfo bank_site_fields[] = {
  CURED_FIELD (CuredBankSite, site, INTEGER, "", 0, 0, 0),
  CURED_FIELD (CuredBankSite, file, TEXT, "", 0, MAX_TEXT_BYTES, NULLABLE),
  CURED_FIELD (CuredBankSite, line, INTEGER, "", 0, G_MAXINT, 0),
  CURED_FIELD (CuredBankSite, source, TEXT, "", 0, MAX_TEXT_BYTES, NULLABLE),
  CURED_FIELD (CuredBankSite, ptx_line, INTEGER, "", 0, G_MAXINT, 0),
  CURED_FIELD (CuredBankSite, ptx, TEXT, "", 0, MAX_TEXT_BYTES, 0),
  CURED_FIELD (CuredBankSite, kind, INTEGER, "", 0, CURED_ACCESS_COPY, 0),
  CURED_FIELD (CuredBankSite, width, INTEGER, "bit", 0, 128, 0),
  CURED_FIELD (CuredBankSite, is_known, BOOLEAN, "", 0, 0, 0),
  CURED_FIELD (CuredBankSite, is_remote, BOOLEAN, "", 0, 0, 0),
  CURED_FIELD (CuredBankSite, loop_lanes, INTEGER, "", 0, CURED_BANK_LANES, 0),
  CURED_FIELD (CuredBankSite, accesses, INTEGER, "", 0, 0, 0),
  CURED_FIELD (CuredBankSite, wavefronts, INTEGER, "", 0, 0, 0),
  CURED_FIELD (CuredBankSite, least, INTEGER, "", 0, 0, 0),
  CURED_FIELD (CuredBankSite, block_accesses, INTEGER, "", 0, 0, 0),
  CURED_FIELD (CuredBankSite, block_wavefronts, INTEGER, "", 0, 0, 0),
  CURED_FIELD (CuredBankSite, block_least, INTEGER, "", 0, 0, 0),
  CURED_FIELD_LIST (CuredBankSite, patterns, n_patterns, &pattern_record, CURED_BANK_VIEW_MAX_PATTERNS, 0),
  CURED_FIELD (CuredBankSite, n_left_out, INTEGER, "", 0, 0, 0),
  CURED_FIELD_OF ("fault", CuredBankSite, fault, POINTER, &_cured_finding_record, 0, 0, NULL),
  CURED_FIELD (CuredBankSite, array, TEXT, "", 0, MAX_TEXT_BYTES, NULLABLE),
};
/* clang-format on */

static gboolean
finish_bank_site (gpointer self)
{
  const CuredBankSite *site = self;

  return site->accesses > 0 && (!site->is_known || site->n_patterns > 0);
}

static const CuredRecordInfo bank_site_record =
    CURED_RECORD (CuredBankSite, "site", bank_site_fields, NULL, .finish = finish_bank_site);

/* clang-format off */
static const CuredFieldInfo event_fields[] = {
  CURED_FIELD (CuredBankEvent, site, INTEGER, "", 0, 0, 0),
  CURED_FIELD_OF ("access", CuredBankEvent, access, RECORD, &access_record, 0, 0, NULL),
};

static const CuredRecordInfo event_record = CURED_RECORD (CuredBankEvent, "event", event_fields, NULL, .is_row = TRUE);

static const CuredFieldInfo slice_fields[] = {
  CURED_FIELD (CuredBankSlice, buffer, TEXT, "", 0, MAX_TEXT_BYTES, 0),
  CURED_FIELD (CuredBankSlice, bytes, INTEGER, "B", 0, 0, 0),
  CURED_FIELD (CuredBankSlice, element_bytes, INTEGER, "B", 1, G_MAXUINT, 0),
  CURED_FIELD (CuredBankSlice, read_begin, INTEGER, "B", 0, 0, 0),
  CURED_FIELD (CuredBankSlice, read_end, INTEGER, "B", 0, 0, 0),
  CURED_FIELD (CuredBankSlice, write_begin, INTEGER, "B", 0, 0, 0),
  CURED_FIELD (CuredBankSlice, write_end, INTEGER, "B", 0, 0, 0),
  CURED_FIELD_INTEGER_LIST (CuredBankSlice, parts, n_parts, CURED_BANK_MAX_PARTS, 0),
};
/* clang-format on */

static gboolean
finish_slice (gpointer self)
{
  const CuredBankSlice *slice = self;

  return slice->n_parts >= 1 && slice->element_bytes > 0 && slice->read_begin <= slice->read_end &&
         slice->read_end <= slice->bytes && slice->write_begin <= slice->write_end &&
         slice->write_end <= slice->bytes;
}

static const CuredRecordInfo slice_record =
    CURED_RECORD (CuredBankSlice, "slice", slice_fields, NULL, .finish = finish_slice);

/* clang-format off */
static const CuredFieldInfo touch_fields[] = {
  CURED_FIELD (CuredBankTouch, slice, INTEGER, "", 0, 0, 0),
  CURED_FIELD (CuredBankTouch, element, INTEGER, "", 0, 0, 0),
  CURED_FIELD (CuredBankTouch, thread, INTEGER, "", 0, 0, 0),
  CURED_FIELD (CuredBankTouch, flags, INTEGER, "", 0, 0, 0),
};

static const CuredRecordInfo touch_record = CURED_RECORD (CuredBankTouch, "touch", touch_fields, NULL, .is_row = TRUE);

static const CuredFieldInfo widths_fields[] = {
  CURED_FIELD (CuredBankWidths, file, TEXT, "", 0, MAX_TEXT_BYTES, NULLABLE),
  CURED_FIELD (CuredBankWidths, line, INTEGER, "", 0, G_MAXINT, 0),
  CURED_FIELD (CuredBankWidths, kind, INTEGER, "", 0, CURED_ACCESS_COPY, 0),
  CURED_FIELD (CuredBankWidths, ptx, INTEGERS, "", 0, 0, 0),
  CURED_FIELD (CuredBankWidths, machine, INTEGERS, "", 0, 0, 0),
};

static const CuredRecordInfo widths_record = CURED_RECORD (CuredBankWidths, "widths", widths_fields, NULL);

static const CuredFieldInfo view_fields[] = {
  CURED_FIELD (CuredBankView, entry, TEXT, "", 0, MAX_TEXT_BYTES, REQUIRED),
  CURED_FIELD (CuredBankView, step, INTEGER, "", 0, 0, 0),
  CURED_FIELD (CuredBankView, grid, INTEGERS, "", 0, 0, 0),
  CURED_FIELD (CuredBankView, block, INTEGERS, "", 0, 0, 0),
  CURED_FIELD (CuredBankView, threads, INTEGERS, "", 0, CURED_BANK_VIEW_MAX_THREADS, 0),
  CURED_FIELD (CuredBankView, warp, INTEGER, "", 0, 0, 0),
  CURED_FIELD (CuredBankView, n_warps, INTEGER, "", 0, 0, 0),
  CURED_FIELD (CuredBankView, shared_bytes, INTEGER, "B", 0, 0, 0),
  CURED_FIELD (CuredBankView, arch, INTEGER, "", 0, CURED_BANK_ARCH_1, 0),
  CURED_FIELD_LIST (CuredBankView, sites, n_sites, &bank_site_record, MAX_SITES, 0),
  CURED_FIELD_LIST (CuredBankView, events, n_events, &event_record, CURED_BANK_VIEW_MAX_EVENTS, 0),
  CURED_FIELD (CuredBankView, n_later_events, INTEGER, "", 0, 0, 0),
  CURED_FIELD_LIST (CuredBankView, slices, n_slices, &slice_record, MAX_SITES, 0),
  CURED_FIELD_LIST (CuredBankView, touches, n_touches, &touch_record, CURED_BANK_VIEW_MAX_TOUCHES, 0),
  CURED_FIELD (CuredBankView, is_touched_more, BOOLEAN, "", 0, 0, 0),
  CURED_FIELD (CuredBankView, machine, TEXT, "", 0, MAX_TEXT_BYTES, NULLABLE),
  CURED_FIELD_LIST (CuredBankView, widths, n_widths, &widths_record, MAX_SITES, 0),
  CURED_FIELD (CuredBankView, note, TEXT, "", 0, MAX_TEXT_BYTES, NULLABLE),
  CURED_FIELD_OF ("faults", CuredBankView, faults, POINTERS, &_cured_finding_record, CURED_MAX_FINDINGS, 0, NULL),
  CURED_FIELD (CuredBankView, end, INTEGER, "", 0, CURED_END_DEADLOCK, 0),
  CURED_FIELD (CuredBankView, end_text, TEXT, "", 0, CURED_REASON_MAX_BYTES, NULLABLE),
};
/* clang-format on */

/* A view without a run has no threads, and no accesses. */
static gboolean
is_block (const CuredBankView *self)
{
  const guint *threads = self->threads;
  guint64 n_threads = (guint64) threads[0] * threads[1] * threads[2];

  if (n_threads > CURED_BANK_VIEW_MAX_THREADS || self->n_warps != (n_threads + 31) / 32)
    return FALSE;
  return n_threads > 0 ? self->warp < self->n_warps
                       : threads[0] == 0 && threads[1] == 0 && threads[2] == 0 && self->warp == 0;
}

static gboolean
finish_view (gpointer self)
{
  const CuredBankView *view = self;

  if (view->entry == NULL || !is_block (view))
    return FALSE;
  for (gsize i = 0; i < view->n_events; i++)
    if (view->events[i].site >= view->n_sites || !view->sites[view->events[i].site].is_known)
      return FALSE;
  for (gsize i = 0; i < view->n_touches; i++)
    {
      const CuredBankTouch *touch = &view->touches[i];

      if (touch->slice >= view->n_slices ||
          touch->thread >= view->threads[0] * view->threads[1] * view->threads[2])
        return FALSE;
      const CuredBankSlice *slice = &view->slices[touch->slice];
      if (slice->bytes == 0 || touch->element > (slice->bytes - 1) / slice->element_bytes)
        return FALSE;
    }
  return TRUE;
}

static gpointer
create_view (void)
{
  return _cured_bank_view_new_empty ();
}

const CuredRecordInfo _cured_bank_view_record =
    CURED_RECORD (CuredBankView, "bank_view", view_fields, (GDestroyNotify) cured_bank_view_unref,
                  .create = create_view, .finish = finish_view);

/* Inspections and demands */

/* clang-format off */
static const CuredFieldInfo line_fields[] = {
  CURED_FIELD (CuredLineCounts, line, INTEGER, "", 1, G_MAXINT, 0),
  CURED_FIELD (CuredLineCounts, issued, INTEGER, "", 0, 0, NULLABLE),
  CURED_FIELD (CuredLineCounts, shared_requests, INTEGER, "", 0, 0, NULLABLE),
  CURED_FIELD (CuredLineCounts, wavefronts, INTEGER, "", 0, 0, NULLABLE),
  CURED_FIELD (CuredLineCounts, least, INTEGER, "", 0, 0, NULLABLE),
  CURED_FIELD (CuredLineCounts, requests, INTEGER, "", 0, 0, NULLABLE),
  CURED_FIELD (CuredLineCounts, sectors, INTEGER, "", 0, 0, NULLABLE),
  CURED_FIELD (CuredLineCounts, diverged, INTEGER, "", 0, 0, NULLABLE),
};

static const CuredRecordInfo line_record = CURED_RECORD (CuredLineCounts, "line", line_fields, NULL, .is_row = TRUE);

static const CuredFieldInfo diagnostic_fields[] = {
  CURED_FIELD (CuredDiagnostic, severity, INTEGER, "", 0, CURED_SEVERITY_NOTE, 0),
  CURED_FIELD (CuredDiagnostic, line, INTEGER, "", 0, G_MAXINT, 0),
  CURED_FIELD (CuredDiagnostic, text, TEXT, "", 0, CURED_REASON_MAX_BYTES, 0),
};
/* clang-format on */

static void free_diagnostic (gpointer self);

static const CuredRecordInfo diagnostic_record =
    CURED_RECORD (CuredDiagnostic, "diagnostic", diagnostic_fields, free_diagnostic);

static void
free_diagnostic (gpointer self)
{
  _cured_record_clear (&diagnostic_record, self);
  g_free (self);
}

/* clang-format off */
static const CuredFieldInfo inspection_fields[] = {
  CURED_FIELD_OF ("banks", CuredInspection, banks, POINTER, &_cured_bank_view_record, 0, 0, NULL),
  CURED_FIELD (CuredInspection, ptx, TEXT, "", 0, 0, NULLABLE),
  CURED_FIELD_INTEGER_LIST (CuredInspection, ptx_lines, n_ptx_lines, MAX_LINES, 0),
  CURED_FIELD_OF ("lines", CuredInspection, lines, STRUCTS, &line_record, MAX_LINES, 0, NULL),
  CURED_FIELD_OF ("findings", CuredInspection, findings, POINTERS, &_cured_finding_record, CURED_MAX_FINDINGS, 0, NULL),
  CURED_FIELD_OF ("diagnostics", CuredInspection, diagnostics, POINTERS, &diagnostic_record, MAX_LINES, 0, NULL),
  CURED_FIELD (CuredInspection, n_blocks, INTEGER, "", 0, 0, 0),
  CURED_FIELD (CuredInspection, is_partial, BOOLEAN, "", 0, 0, 0),
  CURED_FIELD (CuredInspection, compile_ns, INTEGER, "ns", 0, 0, 0),
  CURED_FIELD (CuredInspection, run_ns, INTEGER, "ns", 0, 0, 0),
};
/* clang-format on */

static gboolean
finish_inspection (gpointer self)
{
  const CuredInspection *inspection = self;
  gsize n_expected = inspection->ptx != NULL ? 1 : 0;
  int last = 0;

  for (const char *at = inspection->ptx; at != NULL && *at != '\0'; at++)
    n_expected += *at == '\n';
  if (inspection->n_ptx_lines != n_expected)
    return FALSE;
  for (gsize i = 0; i < inspection->n_ptx_lines; i++)
    if (inspection->ptx_lines[i] < 0)
      return FALSE;
  /* Lines must be sorted for binary search. */
  for (guint i = 0; i < inspection->lines->len; i++)
    {
      int line = g_array_index (inspection->lines, CuredLineCounts, i).line;

      if (line <= last)
        return FALSE;
      last = line;
    }
  return TRUE;
}

static gpointer
create_inspection (void)
{
  return _cured_inspection_new_empty ();
}

const CuredRecordInfo _cured_inspection_record = CURED_RECORD (
    CuredInspection, "inspection", inspection_fields, (GDestroyNotify) cured_inspection_unref,
    .create = create_inspection, .finish = finish_inspection);

/* clang-format off */
static const CuredFieldInfo machine_line_fields[] = {
  CURED_FIELD (CuredMachineLine, offset, INTEGER, "B", 0, 0, 0),
  CURED_FIELD (CuredMachineLine, text, TEXT, "", 0, MAX_TEXT_BYTES, REQUIRED),
  CURED_FIELD (CuredMachineLine, line, INTEGER, "", 0, G_MAXINT, 0),
  CURED_FIELD (CuredMachineLine, stall, INTEGER, "", 0, 15, 0),
  CURED_FIELD (CuredMachineLine, waits, INTEGER, "", 0, 63, 0),
  CURED_FIELD (CuredMachineLine, sets, INTEGER, "", 0, 63, 0),
  CURED_FIELD (CuredMachineLine, executed, INTEGER, "", 0, 0, 0),
  CURED_FIELD (CuredMachineLine, is_exact, BOOLEAN, "", 0, 0, 0),
};

static const CuredRecordInfo machine_line_record = CURED_RECORD (CuredMachineLine, "machine_line", machine_line_fields, NULL, .is_row = TRUE);

static const CuredFieldInfo machine_view_fields[] = {
  CURED_FIELD (CuredMachineView, entry, TEXT, "", 0, MAX_TEXT_BYTES, REQUIRED),
  CURED_FIELD (CuredMachineView, arch, TEXT, "", 0, MAX_TEXT_BYTES, REQUIRED),
  CURED_FIELD_LIST (CuredMachineView, lines, n_lines, &machine_line_record, MAX_LINES, 0),
};
/* clang-format on */

const CuredRecordInfo _cured_machine_view_record =
    CURED_RECORD (CuredMachineView, "machine_view", machine_view_fields,
                  (GDestroyNotify) cured_machine_view_free);

/* clang-format off */
static const CuredFieldInfo demand_fields[] = {
  CURED_FIELD (CuredDemand, entry, TEXT, "", 0, MAX_TEXT_BYTES, 0),
  CURED_FIELD (CuredDemand, threads, INTEGER, "", 1, 0x1p62, REQUIRED),
  CURED_FIELD (CuredDemand, shared_dynamic, INTEGER, "B", 0, G_MAXINT32, 0),
  CURED_FIELD_AS ("registers", CuredDemand, info.registers, INTEGER, "", 0, G_MAXINT32, 0),
  CURED_FIELD_AS ("shared_static", CuredDemand, info.shared_static, INTEGER, "B", 0, G_MAXINT32, 0),
  CURED_FIELD_AS ("local_bytes", CuredDemand, info.local_bytes, INTEGER, "B", 0, G_MAXINT32, 0),
  CURED_FIELD_AS ("max_threads_per_block", CuredDemand, info.max_threads_per_block, INTEGER, "", 0, G_MAXINT32, 0),
  CURED_FIELD_AS ("blocks_per_sm", CuredDemand, info.blocks_per_sm, INTEGER, "", 0, G_MAXINT32, 0),
};

static const CuredRecordInfo demand_record =
    CURED_RECORD (CuredDemand, "demand", demand_fields, (GDestroyNotify) cured_demand_free);

static const CuredFieldInfo demands_fields[] = {
  CURED_FIELD_OF ("demands", CuredDemands, demands, POINTERS, &demand_record, MAX_LAUNCHES, 0, NULL),
};
/* clang-format on */

const CuredRecordInfo _cured_demands_record =
    CURED_RECORD (CuredDemands, "demands", demands_fields, NULL);

/* (array zero-terminated=1): all records of messages, for the test of the documentation */
const CuredRecordInfo *const *
_cured_worker_records (void)
{
  static const CuredRecordInfo *const records[] = {
    &_cured_hello_record,
    &_cured_kernel_record,
    &_cured_input_record,
    &_cured_request_record,
    &_cured_reply_record,
    &_cured_loaded_program_record,
    &_cured_failure_record,
    &_cured_outcome_record,
    &_cured_bank_view_record,
    &_cured_inspection_record,
    &_cured_demands_record,
    &_cured_machine_view_record,
    NULL,
  };

  return records;
}
