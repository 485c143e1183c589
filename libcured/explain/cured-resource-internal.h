/* SPDX-License-Identifier: MIT
 * What the library alone asks of resources. */
#pragma once

#include "explain/cured-resource.h"

G_BEGIN_DECLS

/**
 * CuredMemoryUse: bytes between L2 and memory, over a program.
 * @read: fetched
 * @written: written back
 * @least: that had to be moved: each byte of each buffer once
 * @l1_hits: sectors of loads that L1 had; 0 where nobody knows
 * @is_most: what is moved again is not known: it may be less
 */
typedef struct
{
  double read, written, least, l1_hits;
  gboolean is_most;
} CuredMemoryUse;

void _cured_workload_get_memory (const CuredWorkload *work, const CuredMachine *machine,
                                 CuredMemoryUse *use);
double _cured_resource_get_work (CuredResource resource, const CuredWork *work);

G_END_DECLS
