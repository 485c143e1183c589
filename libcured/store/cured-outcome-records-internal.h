/* SPDX-License-Identifier: MIT
 * The field tables of a cell's outcome, used by messages, `--json` and result files. */
#pragma once

#include "base/cured-fields.h"

/* Limits of a worker's texts in a file. */
#define CURED_OUTPUT_MAX_BYTES (66 << 10)
#define CURED_REASON_MAX_BYTES (64 << 10)

const char *_cured_stop_to_string (int stop);

extern const CuredRecordInfo _cured_outcome_record;
extern const CuredRecordInfo _cured_samples_record;
extern const CuredRecordInfo _cured_sample_record;
extern const CuredRecordInfo _cured_mismatch_record;
extern const CuredRecordInfo _cured_finding_record;
extern const CuredRecordInfo _cured_workload_record;
extern const CuredRecordInfo _cured_launch_record;
extern const CuredRecordInfo _cured_site_record;
extern const CuredRecordInfo _cured_buffer_record;
extern const CuredRecordInfo _cured_anchor_record;
extern const CuredRecordInfo _cured_note_record;
