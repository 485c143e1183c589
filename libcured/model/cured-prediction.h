/* SPDX-License-Identifier: MIT
 * What a program's time would be, from counts and what the chip reaches. */
#pragma once

#include "device/cured-machine-facts.h"
#include "ptx/cured-work.h"

G_BEGIN_DECLS

/**
 * CuredTerm: what may hold a launch.
 * @CURED_TERM_COMPUTE: issue slots and arithmetic of the multiprocessors
 * @CURED_TERM_LOAD_STORE: their loads, stores and shared memory
 * @CURED_TERM_MEMORY: L2 and memory
 * @CURED_TERM_LATENCY: what a warp waits for, one thing after the other
 * @CURED_TERM_DISPATCH: handing out blocks
 * @CURED_TERM_ATOMIC: atomic operations
 * @CURED_TERM_LAUNCH: launches, and what the host does between them
 */
typedef enum
{
  CURED_TERM_COMPUTE,
  CURED_TERM_LOAD_STORE,
  CURED_TERM_MEMORY,
  CURED_TERM_LATENCY,
  CURED_TERM_DISPATCH,
  CURED_TERM_ATOMIC,
  CURED_TERM_LAUNCH,
  CURED_N_TERMS
} CuredTerm;

/**
 * CuredLaunchPrediction: what the model makes of a launch; times and cycles are of one of its
 * repeats, sectors and bytes of all of them.
 * @time_ns: of one
 * @terms: how long each alone would take, in ns
 * @rounds: of blocks on a multiprocessor, as @terms has them
 * @near: cycles of a warp that has a multiprocessor to itself, with loads from L1
 * @middle: with loads from L2
 * @far: with loads from memory
 * @last: that the last block takes on top
 * @loaded: sectors that were asked for
 * @from_l2: of these, past L1
 * @memory_read: bytes from memory
 * @memory_written: bytes to memory
 */
typedef struct
{
  double time_ns, terms[CURED_TERM_LAUNCH], rounds, near, middle, far, last, loaded, from_l2;
  double memory_read, memory_written;
} CuredLaunchPrediction;

/**
 * CuredPrediction:
 * @time_ns: of the program, with a cold L2 cache; NaN: a fact of the chip that
 *   it needs is not known
 * @terms: how long each alone would take, in ns, over all launches; they
 *   overlap, so that @time_ns is less than their sum
 * @held_by: the largest of them
 */
typedef struct
{
  double time_ns, terms[CURED_N_TERMS];
  CuredTerm held_by;
} CuredPrediction;

const char *cured_term_to_string (CuredTerm term);
GArray *cured_prediction_list_launches (const CuredWorkload *work, const CuredMachine *machine);
void cured_prediction_init (CuredPrediction *self, const CuredWorkload *work,
                            const CuredMachine *machine);

G_END_DECLS
