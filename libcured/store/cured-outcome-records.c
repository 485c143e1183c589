/* SPDX-License-Identifier: MIT
 * The field tables of a cell's outcome. */
#include "store/cured-outcome-records-internal.h"

#include <float.h>

#include "base/cured-base-internal.h"
#include "measure/cured-anchor.h"
#include "measure/cured-measure-internal.h"
#include "ptx/cured-finding-internal.h"
#include "ptx/cured-work-internal.h"

/* Far more than Cured keeps, than a kernel file launches, or than a kernel has instructions. */
#define MAX_MISMATCHES 1000
#define MAX_EXCERPTS   16
#define MAX_LAUNCHES   4096
#define MAX_SITES      1000000
#define MAX_BUFFERS    4096
#define MAX_TEXT_BYTES (16 << 10)

/* clang-format off */
#define NULLABLE  CURED_FIELD_NULLABLE
#define REQUIRED  CURED_FIELD_REQUIRED
#define NO_COLUMN CURED_FIELD_NO_COLUMN
/* clang-format on */

static const char *
name_state (int value)
{
  return cured_state_to_string ((CuredState) value);
}

static const char *
name_finding (int value)
{
  return cured_finding_info ((CuredFindingKind) value)->id;
}

static const char *
name_mode (int value)
{
  return cured_timing_mode_to_string ((CuredTimingMode) value);
}

const char *
_cured_stop_to_string (int value)
{
  static const char *const names[] = {
    [CURED_STOP_NO] = "no",         [CURED_STOP_PRECISE] = "precise",
    [CURED_STOP_STABLE] = "stable", [CURED_STOP_SAMPLES] = "samples",
    [CURED_STOP_TIME] = "time",
  };

  return names[value];
}

static const char *
name_note (int value)
{
  static const char *const names[] = {
    [CURED_DEVICE_NOTE_OFF_PEERS] = "off-peers",
    [CURED_DEVICE_NOTE_DRIFT] = "drift",
    [CURED_DEVICE_NOTE_SHARED] = "shared",
  };

  return names[value];
}

/* Samples */

/* clang-format off */
static const CuredFieldInfo sample_fields[] = {
  CURED_FIELD (CuredSample, time_ns, REAL, "ns", 0, DBL_MAX, NULLABLE),
  CURED_FIELD (CuredSample, sm_clock_hz, REAL, "Hz", 0, DBL_MAX, NULLABLE),
  CURED_FIELD (CuredSample, throttled, BOOLEAN, "", 0, 0, NULLABLE),
  CURED_FIELD (CuredSample, round, INTEGER, "", 0, G_MAXINT, CURED_FIELD_NO_JSON),
};

const CuredRecordInfo _cured_sample_record = CURED_RECORD (CuredSample, "sample", sample_fields, NULL, .is_row = TRUE);

static const CuredFieldInfo samples_fields[] = {
  CURED_FIELD_NAMES ("mode", CuredSamples, mode, name_mode, CURED_TIMING_HOT + 1, REQUIRED | CURED_FIELD_NO_JSON),
  CURED_FIELD (CuredSamples, runs, INTEGER, "", 1, G_MAXUINT, 0),
  CURED_FIELD_NAMES ("stop", CuredSamples, stop, _cured_stop_to_string, CURED_STOP_TIME + 1, 0),
  CURED_FIELD_AS ("waits", CuredSamples, n_waits, INTEGER, "", 0, G_MAXUINT, NULLABLE | NO_COLUMN),
  CURED_FIELD_OF ("samples", CuredSamples, samples, STRUCTS, &_cured_sample_record, 0, NO_COLUMN, NULL),
};
/* clang-format on */

static gpointer
create_samples (void)
{
  return cured_samples_new (CURED_TIMING_COLD, 1);
}

/* A sample without a time keeps its place, but does not count. */
static gboolean
finish_samples (gpointer self)
{
  cured_samples_update (self);
  return TRUE;
}

const CuredRecordInfo _cured_samples_record =
    CURED_RECORD (CuredSamples, "sample_set", samples_fields, (GDestroyNotify) cured_samples_free,
                  .create = create_samples, .finish = finish_samples);

/* Mismatches and findings */

/* clang-format off */
static const CuredFieldInfo mismatch_fields[] = {
  CURED_FIELD (CuredMismatch, buffer, TEXT, "", 0, MAX_TEXT_BYTES, 0),
  CURED_FIELD_AS ("element", CuredMismatch, index, INTEGER, "", 0, 0, 0),
  CURED_FIELD (CuredMismatch, got, TEXT, "", 0, MAX_TEXT_BYTES, 0),
  CURED_FIELD (CuredMismatch, expected, TEXT, "", 0, MAX_TEXT_BYTES, 0),
};

const CuredRecordInfo _cured_mismatch_record =
    CURED_RECORD (CuredMismatch, "mismatch", mismatch_fields, (GDestroyNotify) cured_mismatch_free);

static const CuredFieldInfo side_fields[] = {
  CURED_FIELD (CuredFindingSide, what, TEXT, "", 0, MAX_TEXT_BYTES, NULLABLE),
  CURED_FIELD (CuredFindingSide, file, TEXT, "", 0, MAX_TEXT_BYTES, NULLABLE),
  CURED_FIELD (CuredFindingSide, line, INTEGER, "", 0, G_MAXINT, 0),
  CURED_FIELD (CuredFindingSide, ptx_line, INTEGER, "", 0, G_MAXINT, 0),
  CURED_FIELD (CuredFindingSide, source, TEXT, "", 0, MAX_TEXT_BYTES, NULLABLE | NO_COLUMN),
  CURED_FIELD (CuredFindingSide, block, INTEGERS, "", 0, 0, 0),
  CURED_FIELD (CuredFindingSide, warp, INTEGER, "", 0, 0, 0),
  CURED_FIELD (CuredFindingSide, lanes, INTEGER, "", 0, 0, 0),
};

static const CuredRecordInfo side_record = CURED_RECORD (CuredFindingSide, "side", side_fields, NULL);

static const CuredFieldInfo finding_fields[] = {
  CURED_FIELD_NAMES ("kind", CuredFinding, kind, name_finding, CURED_N_FINDINGS, 0),
  CURED_FIELD (CuredFinding, kernel, TEXT, "", 0, MAX_TEXT_BYTES, 0),
  CURED_FIELD (CuredFinding, object, TEXT, "", 0, MAX_TEXT_BYTES, NULLABLE),
  CURED_FIELD (CuredFinding, detail, TEXT, "", 0, MAX_TEXT_BYTES, NULLABLE),
  CURED_FIELD (CuredFinding, count, INTEGER, "", 0, 0, 0),
  CURED_FIELD_OF ("here", CuredFinding, here, RECORD, &side_record, 0, 0, ""),
  CURED_FIELD_OF ("there", CuredFinding, there, RECORD, &side_record, 0, NULLABLE, "there_"),
};
/* clang-format on */

/* Kinds unknown to this version are left out. */
static void
init_finding (gpointer self)
{
  ((CuredFinding *) self)->kind = CURED_N_FINDINGS;
  ((CuredFinding *) self)->count = 1;
}

static gboolean
is_known_finding (gconstpointer self)
{
  return ((const CuredFinding *) self)->kind < CURED_N_FINDINGS;
}

/* The words belong to the finding, not to its sides. */
static gboolean
finish_finding (gpointer self)
{
  CuredFinding *finding = self;

  finding->words[0] = (char *) finding->here.what;
  finding->words[1] = (char *) finding->there.what;
  return TRUE;
}

const CuredRecordInfo _cured_finding_record =
    CURED_RECORD (CuredFinding, "finding", finding_fields, (GDestroyNotify) cured_finding_free,
                  .init = init_finding, .is_known = is_known_finding, .finish = finish_finding);

/* Work */

/* clang-format off */
/* Recorded files have no columns for remote sectors. */
static const CuredFieldInfo work_fields[] = {
#define IS_AT(name, other) (offsetof (CuredWork, name) == offsetof (CuredWork, other))
#define WORK_FLAGS(name)                                                                           \
  (IS_AT (name, remote) || IS_AT (name, remote_least) || IS_AT (name, remote_requests)             \
       ? CURED_FIELD_SPARSE | NO_COLUMN                                                            \
       : CURED_FIELD_SPARSE)
#define WORK_FIELD(name, title, meaning)                                                           \
  CURED_FIELD (CuredWork, name, REAL, "", 0, DBL_MAX, WORK_FLAGS (name)),
  CURED_WORK_FIELDS (WORK_FIELD)
#undef WORK_FIELD
};

static const CuredRecordInfo work_record = CURED_RECORD (CuredWork, "work", work_fields, NULL);

static const CuredFieldInfo site_fields[] = {
  CURED_FIELD (CuredWorkSite, site, INTEGER, "", 0, 0, NO_COLUMN),
  CURED_FIELD (CuredWorkSite, file, TEXT, "", 0, MAX_TEXT_BYTES, NULLABLE),
  CURED_FIELD (CuredWorkSite, line, INTEGER, "", 0, G_MAXINT, 0),
  CURED_FIELD (CuredWorkSite, ptx_line, INTEGER, "", 0, G_MAXINT, 0),
  CURED_FIELD_AS ("ptx", CuredWorkSite, text, TEXT, "", 0, MAX_TEXT_BYTES, 0),
  CURED_FIELD_OF ("work", CuredWorkSite, work, RECORD, &work_record, 0, 0, ""),
};

static const CuredFieldInfo buffer_fields[] = {
  CURED_FIELD (CuredWorkBuffer, name, TEXT, "", 0, MAX_TEXT_BYTES, 0),
  CURED_FIELD (CuredWorkBuffer, bytes, REAL, "B", 0, DBL_MAX, 0),
  CURED_FIELD (CuredWorkBuffer, read, REAL, "", 0, DBL_MAX, 0),
  CURED_FIELD (CuredWorkBuffer, written, REAL, "", 0, DBL_MAX, 0),
  CURED_FIELD (CuredWorkBuffer, once, REAL, "", 0, DBL_MAX, NO_COLUMN),
  CURED_FIELD (CuredWorkBuffer, fresh, REAL, "ratio", 0, DBL_MAX, NULLABLE | NO_COLUMN),
  CURED_FIELD (CuredWorkBuffer, joined, REAL, "ratio", 0, DBL_MAX, NULLABLE | NO_COLUMN),
};

static const CuredFieldInfo traffic_fields[] = {
  CURED_FIELD (CuredTraffic, l1_hits, REAL, "", 0, DBL_MAX, NULLABLE),
  CURED_FIELD (CuredTraffic, l2_read, REAL, "B", 0, DBL_MAX, NULLABLE),
  CURED_FIELD (CuredTraffic, l2_written, REAL, "B", 0, DBL_MAX, NULLABLE),
  CURED_FIELD (CuredTraffic, memory_read, REAL, "B", 0, DBL_MAX, NULLABLE),
  CURED_FIELD (CuredTraffic, memory_written, REAL, "B", 0, DBL_MAX, NULLABLE),
};

static const CuredRecordInfo traffic_record = CURED_RECORD (CuredTraffic, "traffic", traffic_fields, NULL);

static const CuredFieldInfo launch_fields[] = {
  CURED_FIELD (CuredWorkLaunch, entry, TEXT, "", 0, MAX_TEXT_BYTES, REQUIRED),
  CURED_FIELD (CuredWorkLaunch, step, INTEGER, "", 0, 0, 0),
  CURED_FIELD (CuredWorkLaunch, repeats, INTEGER, "", 0, 0, 0),
  CURED_FIELD (CuredWorkLaunch, grid, INTEGERS, "", 0, 0, 0),
  CURED_FIELD (CuredWorkLaunch, block, INTEGERS, "", 0, 0, 0),
  CURED_FIELD (CuredWorkLaunch, shared_bytes, INTEGER, "B", 0, G_MAXUINT32, 0),
  CURED_FIELD (CuredWorkLaunch, registers, INTEGER, "", 0, G_MAXINT, 0),
  CURED_FIELD (CuredWorkLaunch, blocks_per_sm, INTEGER, "", 0, G_MAXINT, 0),
  CURED_FIELD_AS ("blocks", CuredWorkLaunch, n_blocks, INTEGER, "", 0, 0, 0),
  CURED_FIELD_AS ("blocks_run", CuredWorkLaunch, n_run, INTEGER, "", 0, 0, 0),
  CURED_FIELD_AS ("tickets", CuredWorkLaunch, takes_tickets, BOOLEAN, "", 0, 0, 0),
  CURED_FIELD (CuredWorkLaunch, error, REAL, "ratio", 0, DBL_MAX, 0),
  CURED_FIELD (CuredWorkLaunch, uncertain, REAL, "ratio", 0, DBL_MAX, NULLABLE | NO_COLUMN),
  CURED_FIELD (CuredWorkLaunch, in_flight, REAL, "B", 0, DBL_MAX, NULLABLE | NO_COLUMN),
  CURED_FIELD (CuredWorkLaunch, longest, REAL, "", 0, DBL_MAX, 0),
  CURED_FIELD (CuredWorkLaunch, hottest, REAL, "", 0, DBL_MAX, 0),
  CURED_FIELD_AS ("stopped", CuredWorkLaunch, end, TEXT, "", 0, MAX_TEXT_BYTES, NULLABLE),
  CURED_FIELD_OF ("traffic", CuredWorkLaunch, traffic, RECORD, &traffic_record, 0, 0, ""),
  CURED_FIELD_OF ("total", CuredWorkLaunch, total, RECORD, &work_record, 0, 0, ""),
  CURED_FIELD_OF ("sites", CuredWorkLaunch, sites, POINTERS, &_cured_site_record, MAX_SITES, NO_COLUMN, NULL),
  CURED_FIELD_OF ("buffers", CuredWorkLaunch, buffers, POINTERS, &_cured_buffer_record, MAX_BUFFERS, NO_COLUMN, NULL),
};

static const CuredFieldInfo workload_fields[] = {
  CURED_FIELD_OF ("launches", CuredWorkload, launches, POINTERS, &_cured_launch_record, MAX_LAUNCHES, 0, NULL),
};
/* clang-format on */

static void
free_site (gpointer self)
{
  _cured_record_clear (&_cured_site_record, self);
  g_free (self);
}

static void
free_buffer (gpointer self)
{
  _cured_record_clear (&_cured_buffer_record, self);
  g_free (self);
}

static void
free_launch (gpointer self)
{
  _cured_record_clear (&_cured_launch_record, self);
  g_free (self);
}

static gpointer
create_launch (void)
{
  CuredWorkLaunch *self =
      CURED_NEW (CuredWorkLaunch, .sites = g_ptr_array_new_with_free_func (free_site),
                 .buffers = g_ptr_array_new_with_free_func (free_buffer));

  return self;
}

static gboolean
finish_launch (gpointer self)
{
  return cured_work_launch_is_sane (self);
}

static gpointer
create_workload (void)
{
  return cured_workload_new ();
}

const CuredRecordInfo _cured_site_record =
    CURED_RECORD (CuredWorkSite, "work_site", site_fields, free_site);
const CuredRecordInfo _cured_buffer_record =
    CURED_RECORD (CuredWorkBuffer, "work_buffer", buffer_fields, free_buffer);

const CuredRecordInfo _cured_launch_record =
    CURED_RECORD (CuredWorkLaunch, "work_launch", launch_fields, free_launch,
                  .create = create_launch, .finish = finish_launch);

const CuredRecordInfo _cured_workload_record =
    CURED_RECORD (CuredWorkload, "work", workload_fields, (GDestroyNotify) cured_workload_unref,
                  .create = create_workload);

/* Outcomes */

/* clang-format off */
static const CuredFieldInfo excerpt_fields[] = {
  CURED_FIELD (CuredExcerpt, buffer, TEXT, "", 0, MAX_TEXT_BYTES, REQUIRED),
  CURED_FIELD (CuredExcerpt, type, TEXT, "", 0, MAX_TEXT_BYTES, REQUIRED),
  CURED_FIELD (CuredExcerpt, length, INTEGER, "", 0, 0x1p62, 0),
  CURED_FIELD (CuredExcerpt, first, INTEGER, "", 0, 0x1p62, 0),
  CURED_FIELD (CuredExcerpt, before, TEXTS, "", 0, CURED_EXCERPT_MAX_ELEMENTS, NULLABLE),
  CURED_FIELD (CuredExcerpt, after, TEXTS, "", 0, CURED_EXCERPT_MAX_ELEMENTS, REQUIRED),
};
/* clang-format on */

/* Lists of different lengths would be read past the end of the shorter one. */
static gboolean
finish_excerpt (gpointer self)
{
  const CuredExcerpt *excerpt = self;

  return excerpt->before == NULL || (excerpt->after != NULL && g_strv_length (excerpt->before) ==
                                                                   g_strv_length (excerpt->after));
}

static const CuredRecordInfo excerpt_record =
    CURED_RECORD (CuredExcerpt, "excerpt", excerpt_fields, (GDestroyNotify) cured_excerpt_free,
                  .finish = finish_excerpt);

static const CuredFieldInfo metric_fields[] = {
#define METRIC_FIELD(id, unit_, ...)                                                               \
  { .name = #id,                                                                                   \
    .type = CURED_FIELD_REAL,                                                                      \
    .flags = NULLABLE,                                                                             \
    .offset = CURED_METRIC_##id * sizeof (double),                                                 \
    .size = sizeof (double),                                                                       \
    .unit = unit_ },
  CURED_METRICS (METRIC_FIELD)
#undef METRIC_FIELD
};

static const CuredRecordInfo metrics_record = {
  .name = "metrics",
  .size = CURED_N_METRICS * sizeof (double),
  .fields = metric_fields,
  .n_fields = G_N_ELEMENTS (metric_fields),
};

/* clang-format off */
static const CuredFieldInfo outcome_fields[] = {
  CURED_FIELD_NAMES ("state", CuredOutcome, state, name_state, CURED_N_STATES, REQUIRED | CURED_FIELD_NUMBER),
  CURED_FIELD (CuredOutcome, reason, TEXT, "", 0, CURED_REASON_MAX_BYTES, NULLABLE),
  CURED_FIELD (CuredOutcome, output, TEXT, "", 0, CURED_OUTPUT_MAX_BYTES, NULLABLE),
  CURED_FIELD (CuredOutcome, n_mismatches, INTEGER, "", 0, 0, 0),
  CURED_FIELD (CuredOutcome, finished, DATE, "", 0, 0, 0),
  CURED_FIELD_AS ("compile_ns", CuredOutcome, stage_ns[CURED_STAGE_COMPILE], INTEGER, "ns", 0, 0x1p62, 0),
  CURED_FIELD_AS ("prepare_ns", CuredOutcome, stage_ns[CURED_STAGE_PREPARE], INTEGER, "ns", 0, 0x1p62, 0),
  CURED_FIELD_AS ("check_ns", CuredOutcome, stage_ns[CURED_STAGE_CHECK], INTEGER, "ns", 0, 0x1p62, 0),
  CURED_FIELD_AS ("sampling_ns", CuredOutcome, stage_ns[CURED_STAGE_TIME], INTEGER, "ns", 0, 0x1p62, 0),
  CURED_FIELD_OF ("metrics", CuredOutcome, metrics, RECORD, &metrics_record, 0, NO_COLUMN, NULL),
  CURED_FIELD_OF ("cold", CuredOutcome, cold, POINTER, &_cured_samples_record, 0, NO_COLUMN, NULL),
  CURED_FIELD_OF ("hot", CuredOutcome, hot, POINTER, &_cured_samples_record, 0, NO_COLUMN, NULL),
  CURED_FIELD_OF ("mismatches", CuredOutcome, mismatches, POINTERS, &_cured_mismatch_record, MAX_MISMATCHES, NULLABLE | NO_COLUMN, NULL),
  CURED_FIELD_OF ("findings", CuredOutcome, findings, POINTERS, &_cured_finding_record, CURED_MAX_FINDINGS, NULLABLE | NO_COLUMN, NULL),
  CURED_FIELD_OF ("excerpts", CuredOutcome, excerpts, POINTERS, &excerpt_record, MAX_EXCERPTS, NULLABLE | NO_COLUMN, NULL),
  CURED_FIELD_OF ("work", CuredOutcome, work, POINTER, &_cured_workload_record, 0, NO_COLUMN, NULL),
};
/* clang-format on */

static gboolean
finish_outcome (gpointer self)
{
  CuredOutcome *outcome = self;

  if (outcome->hot != NULL)
    outcome->hot->mode = CURED_TIMING_HOT;
  return TRUE;
}

const CuredRecordInfo _cured_outcome_record =
    CURED_RECORD (CuredOutcome, "cell", outcome_fields, NULL, .finish = finish_outcome);

/* Devices */

/* clang-format off */
static const CuredFieldInfo anchor_fields[] = {
  CURED_FIELD (CuredAnchor, cell, INTEGER, "", 0, 0, 0),
  CURED_FIELD (CuredAnchor, measured, TEXT, "", 0, MAX_TEXT_BYTES, 0),
  CURED_FIELD (CuredAnchor, time_ns, REAL, "ns", 0, DBL_MAX, 0),
  CURED_FIELD (CuredAnchor, low_ns, REAL, "ns", 0, DBL_MAX, NULLABLE),
  CURED_FIELD (CuredAnchor, high_ns, REAL, "ns", 0, DBL_MAX, NULLABLE),
};

const CuredRecordInfo _cured_anchor_record = CURED_RECORD (CuredAnchor, "anchor", anchor_fields, NULL);

static const CuredFieldInfo note_fields[] = {
  CURED_FIELD_NAMES ("kind", CuredDeviceNote, kind, name_note, CURED_DEVICE_NOTE_SHARED + 1, REQUIRED),
  CURED_FIELD (CuredDeviceNote, value, REAL, "ratio", 0, 0, NULLABLE),
  CURED_FIELD (CuredDeviceNote, detail, TEXT, "", 0, MAX_TEXT_BYTES, 0),
};

const CuredRecordInfo _cured_note_record = CURED_RECORD (CuredDeviceNote, "device_note", note_fields, NULL);
/* clang-format on */
