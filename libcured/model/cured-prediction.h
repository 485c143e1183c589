/* SPDX-License-Identifier: MIT
 * Predicts a program's time from counts and the chip's measured rates. */
#pragma once

#include "device/cured-machine-facts.h"
#include "ptx/cured-work.h"

/* Terms of a launch's predicted time. */
typedef enum
{
  CURED_TERM_COMPUTE,    /* issue slots and arithmetic of the multiprocessors */
  CURED_TERM_LOAD_STORE, /* the multiprocessors' loads, stores and shared memory */
  CURED_TERM_MEMORY,     /* L2 and memory */
  CURED_TERM_LATENCY,    /* a warp's waits, one after the other */
  CURED_TERM_DISPATCH,   /* handing out blocks */
  CURED_TERM_ATOMIC,     /* atomic operations */
  CURED_TERM_LAUNCH,     /* launches, and the host's work between them */
  CURED_N_TERMS
} CuredTerm;

/* The prediction for a launch; times and cycles are per repeat, sectors and bytes for all
 * repeats. */
typedef struct
{
  double time_ns;                  /* time of one repeat */
  double terms[CURED_TERM_LAUNCH]; /* time of each alone, in ns */
  double rounds;                   /* rounds of blocks on a multiprocessor, as in @terms */
  double near;           /* cycles of a lone warp on a multiprocessor, with loads from L1 */
  double middle;         /* with loads from L2 */
  double far;            /* with loads from memory */
  double last;           /* additional time of the last block */
  double loaded;         /* requested sectors */
  double from_l2;        /* requested sectors that missed L1 */
  double memory_read;    /* bytes from memory */
  double memory_written; /* bytes to memory */
} CuredLaunchPrediction;

typedef struct
{
  /* time of the program, with a cold L2 cache; NaN: a required fact of the chip is not known */
  double time_ns;
  /* time of each alone, in ns, over all launches; they overlap, so that @time_ns is less than their
   * sum */
  double terms[CURED_N_TERMS];
  CuredTerm held_by; /* the largest of them */
} CuredPrediction;

const char *cured_term_to_string (CuredTerm term);
GArray *cured_prediction_list_launches (const CuredWorkload *work, const CuredMachine *machine);
void cured_prediction_init (CuredPrediction *self, const CuredWorkload *work,
                            const CuredMachine *machine);
