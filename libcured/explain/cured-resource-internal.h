/* SPDX-License-Identifier: MIT
 * Functions of resources for the library only. */
#pragma once

#include "explain/cured-resource.h"

/* Bytes between L2 and memory, over a program. */
typedef struct
{
  double read;      /* fetched */
  double written;   /* written back */
  double least;     /* necessary: each byte of each buffer once */
  double l1_hits;   /* sectors of loads that hit L1; 0 if unknown */
  gboolean is_most; /* bytes moved again are not known: they may be fewer */
} CuredMemoryUse;

void _cured_workload_get_memory (const CuredWorkload *work, const CuredMachine *machine,
                                 CuredMemoryUse *use);
double _cured_resource_get_work (CuredResource resource, const CuredWork *work);
