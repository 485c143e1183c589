/* SPDX-License-Identifier: MIT
 * What the library alone asks of resources. */
#pragma once

#include "explain/cured-resource.h"

/* Bytes between L2 and memory, over a program. */
typedef struct
{
  double read;      /* fetched */
  double written;   /* written back */
  double least;     /* that had to be moved: each byte of each buffer once */
  double l1_hits;   /* sectors of loads that L1 had; 0 where it is unknown */
  gboolean is_most; /* what is moved again is not known: it may be less */
} CuredMemoryUse;

void _cured_workload_get_memory (const CuredWorkload *work, const CuredMachine *machine,
                                 CuredMemoryUse *use);
double _cured_resource_get_work (CuredResource resource, const CuredWork *work);
