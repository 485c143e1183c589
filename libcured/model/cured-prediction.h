/* SPDX-License-Identifier: MIT
 * What a program's time would be, from counts and what the chip reaches. */
#pragma once

#include "device/cured-machine-facts.h"
#include "ptx/cured-work.h"

/* What may hold a launch. */
typedef enum
{
  CURED_TERM_COMPUTE,    /* issue slots and arithmetic of the multiprocessors */
  CURED_TERM_LOAD_STORE, /* their loads, stores and shared memory */
  CURED_TERM_MEMORY,     /* L2 and memory */
  CURED_TERM_LATENCY,    /* what a warp waits for, one thing after the other */
  CURED_TERM_DISPATCH,   /* handing out blocks */
  CURED_TERM_ATOMIC,     /* atomic operations */
  CURED_TERM_LAUNCH,     /* launches, and what the host does between them */
  CURED_N_TERMS
} CuredTerm;

/* What the model makes of a launch; times and cycles are of one of its repeats, sectors and bytes
 * of all of them. */
typedef struct
{
  double time_ns;                  /* of one */
  double terms[CURED_TERM_LAUNCH]; /* how long each alone would take, in ns */
  double rounds;                   /* of blocks on a multiprocessor, as @terms has them */
  double near;        /* cycles of a warp that has a multiprocessor to itself, with loads from L1 */
  double middle;      /* with loads from L2 */
  double far;         /* with loads from memory */
  double last;        /* that the last block takes on top */
  double loaded;      /* sectors that were asked for */
  double from_l2;     /* of these, past L1 */
  double memory_read; /* bytes from memory */
  double memory_written; /* bytes to memory */
} CuredLaunchPrediction;

typedef struct
{
  /* of the program, with a cold L2 cache; NaN: a fact of the chip that it needs is not known */
  double time_ns;
  /* how long each alone would take, in ns, over all launches; they overlap, so that @time_ns is
   * less than their sum */
  double terms[CURED_N_TERMS];
  CuredTerm held_by; /* the largest of them */
} CuredPrediction;

const char *cured_term_to_string (CuredTerm term);
GArray *cured_prediction_list_launches (const CuredWorkload *work, const CuredMachine *machine);
void cured_prediction_init (CuredPrediction *self, const CuredWorkload *work,
                            const CuredMachine *machine);
