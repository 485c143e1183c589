/* SPDX-License-Identifier: MIT
 * What the library alone calls. */
#pragma once

#include "ptx/cured-finding.h"

/* The most distinct findings that are kept. */
#define CURED_MAX_FINDINGS 1000

void cured_finding_take_what (CuredFinding *self, CuredFindingSide *side, char *what);
gboolean cured_findings_add (GPtrArray *findings, const CuredFinding *finding);

gsize _cured_source_find_element (const char *source, const char *name);
