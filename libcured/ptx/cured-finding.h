/* SPDX-License-Identifier: MIT
 * What the emulator's detectors find. */
#pragma once

#include <glib.h>

/* ORDER: id, the Defect= that declares it, title, meaning. */
#define CURED_FINDINGS(X)                                                                          \
  X (RACE_SHARED, "race", N_ ("Race in shared memory"),                                            \
     N_ ("two threads of a block access the same bytes, one of them writes, and no barrier "       \
         "between them"))                                                                          \
  X (RACE_GLOBAL, "global-race", N_ ("Race in global memory"),                                     \
     N_ ("two threads access the same bytes, one of them writes, and nothing orders them"))        \
  X (DIVERGENT_BARRIER, "divergent-barrier", N_ ("Divergent barrier"),                             \
     N_ ("some lanes of a warp reach a barrier that others do not, or threads of a block wait at " \
         "different barriers"))                                                                    \
  X (EXITED_BARRIER, "exited-barrier", N_ ("Exit before a barrier"),                               \
     N_ ("threads exited before a barrier at which others wait"))                                  \
  X (DEADLOCK, "deadlock", N_ ("Deadlock"),                                                        \
     N_ ("every remaining thread waits for one that will never arrive"))                           \
  X (OUT_OF_BOUNDS, "out-of-bounds", N_ ("Access out of bounds"),                                  \
     N_ ("an address is in no buffer"))                                                            \
  X (MISALIGNED, "misaligned", N_ ("Misaligned access"),                                           \
     N_ ("an address is not a multiple of the access's width"))                                    \
  X (UNINITIALIZED, "uninitialized", N_ ("Uninitialized read"),                                    \
     N_ ("shared or local memory is read before it is written"))                                   \
  X (UNWRITTEN, "unwritten-output", N_ ("Use of an unwritten output"),                             \
     N_ ("an output buffer is read where nothing has been written yet"))                           \
  X (INACTIVE_LANE, "inactive-lane", N_ ("Value of an inactive lane"),                             \
     N_ ("a shuffle reads from a lane that does not take part, or a lane is not in the mask that " \
         "it names"))                                                                              \
  X (ABSENT_BLOCK, "absent-block", N_ ("Block that may not be there"),                             \
     N_ ("shared memory of another block of the cluster is accessed, which may not have begun "    \
         "yet, or may have ended"))                                                                \
  X (STACK_OVERFLOW, "stack-overflow", N_ ("Stack overflow"),                                      \
     N_ ("calls need more local memory than a thread has"))                                        \
  X (TRAP, "trap", N_ ("Trap"), N_ ("the kernel stopped itself: trap or assert"))                  \
  X (BANK_CONFLICT, "bank-conflict", N_ ("Bank conflict"),                                         \
     N_ ("a shared-memory access takes more wavefronts, or sectors of another block's memory, "    \
         "than its lanes need"))                                                                   \
  X (RACE_REGISTERS, "register-race", N_ ("Race in registers"),                                    \
     N_ ("a product of matrices (wgmma) has registers that are used before it was waited for, or " \
         "were written with no wgmma.fence before it"))                                            \
  X (HEAP, "heap", N_ ("Misuse of the heap"),                                                      \
     N_ ("memory of malloc is used after free, or freed twice"))                                   \
  X (NO_STORE, "no-store", N_ ("No store"),                                                        \
     N_ ("no thread stored anything to a buffer, and no reference says that this is right"))

typedef enum
{
#define CURED_FINDING_ENUM(id, defect, title, meaning) CURED_FINDING_##id,
  CURED_FINDINGS (CURED_FINDING_ENUM)
#undef CURED_FINDING_ENUM
      CURED_N_FINDINGS
} CuredFindingKind;

/* In place of a warp: the program that launches kernels. */
#define CURED_FINDING_HOST G_MAXUINT

/* One of the parties to a finding. */
typedef struct
{
  char *file;   /* (nullable): of the source */
  int line;     /* of the source; 0: not known */
  int ptx_line; /* of the PTX text; 0: not known */
  /* (nullable): the text of that line, if it is in another file than the kernel's own text and that
   * file is known */
  char *source;
  /* "read", "write", "atomic", "barrier" …; (transfer none): static, or of the finding's @words */
  const char *what;
  guint block[3]; /* coordinates */
  guint warp;     /* of the block; %CURED_FINDING_HOST: the program itself */
  guint32 lanes;  /* lane 0 is bit 0 */
} CuredFindingSide;

/* One finding. Occurrences of the same kind at the same places are one finding, counted; the first
 * one is described. A launch distinguishes instructions; cured_findings_add() merges those of one
 * line. */
typedef struct
{
  CuredFindingKind kind;  /* its kind */
  char *kernel;           /* name of the entry */
  CuredFindingSide here;  /* the access that was caught */
  CuredFindingSide there; /* the other party; @there.what is NULL where there is none */
  /* (nullable): the accessed object, for people: "c[1024]", "tile[3] (shared memory, byte 12)",
   * "shared memory, byte 12" */
  char *object;
  char *detail;  /* (nullable): one more sentence */
  guint64 count; /* occurrences at this pair of places */
  /* (nullable): holds @here.what and @there.what if they came from another process or a file */
  char *words[2];
} CuredFinding;

/* A row of the table; strings are untranslated. */
typedef struct
{
  const char *id;     /* "race-shared": in JSON */
  const char *defect; /* in a kernel file that has the defect on purpose */
  const char *title, *meaning;
} CuredFindingInfo;

const CuredFindingInfo *cured_finding_info (CuredFindingKind kind);
CuredFinding *cured_finding_copy (const CuredFinding *self);
void cured_finding_free (CuredFinding *self);
char *cured_finding_to_string (const CuredFinding *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredFinding, cured_finding_free)
