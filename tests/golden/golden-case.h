/* SPDX-License-Identifier: MIT
 * Golden cases: small PTX kernels, one instruction each, with their operands.
 *
 * golden-cases.def lists them, a line per family. A line is expanded to cases; a case is one PTX
 * text and one buffer of inputs, the same on every machine. What a real GPU made of them is
 * recorded (lab/record-instructions.c) and replayed on the emulator
 * (tests/golden/test-golden.c). */
#pragma once

#include <glib.h>

#include "ptx/cured-ptx-internal.h"
#include "ptx/cured-ptx-module.h"
#include "ptx/emulator/cured-emulator.h"
#include "ptx/cured-tensor-map-internal.h"
#include "ptx/cured-texture-internal.h"

#define GOLDEN_ENTRY "golden"

/* The parameters of a case: an address, and maybe a texture or a tensor map. */
#define GOLDEN_TEXTURE    8
#define GOLDEN_MAP        64
#define GOLDEN_PARAMETERS (GOLDEN_MAP + CURED_TENSOR_MAP_BYTES)

/**
 * GoldenRole: what an operand is to the instruction.
 * @GOLDEN_OUT: a register that is recorded
 * @GOLDEN_IN: a register that is filled
 * @GOLDEN_CELL: bytes of global memory for each thread, filled and recorded;
 *   the register holds their address
 * @GOLDEN_SOURCE: likewise, but not recorded
 * @GOLDEN_WARP: bytes of global memory for each warp, filled and recorded */
typedef enum
{
  GOLDEN_OUT,
  GOLDEN_IN,
  GOLDEN_CELL,
  GOLDEN_SOURCE,
  GOLDEN_WARP,
} GoldenRole;

/**
 * GoldenOperand:
 * @name: as the body writes it behind a `$`
 * @type: of the value; CURED_PTX_TYPE_NONE: raw bytes
 * @bytes: a thread, or a warp; a predicate takes one
 * @set: (nullable): which values; NULL: those of the type
 * @offset: of the first thread's, in the case's buffer
 * @size: of all threads' */
typedef struct
{
  char *name;
  GoldenRole role;
  CuredPtxType type;
  gsize bytes;
  char *set;
  gsize offset, size;
} GoldenOperand;

/**
 * GoldenCase:
 * @row: id of the instruction table's row
 * @name: distinct in its row, without white space
 * @hash: of text and inputs, 8 hexadecimal digits
 * @ptx: the module's text; its kernel is GOLDEN_ENTRY and takes the buffer's
 *   address
 * @buffer: before the launch, outputs poisoned
 * @n_threads: of the one block; whole warps
 * @map_at: where in the buffer the tensor of @shape begins, which the kernel
 *   takes a tensor map of, CURED_GOLDEN_MAP bytes behind the address; -1: it
 *   takes none
 * @texture: with @texture_of, the texture over that operand, which the kernel
 *   takes GOLDEN_TEXTURE bytes behind the address; its address is an offset in
 *   the buffer
 */
typedef struct
{
  const char *row;
  char *name, *hash, *ptx;
  guint8 *buffer;
  gsize size;
  guint n_threads;
  gssize map_at;
  char *map_of; /* the operand that holds it */
  CuredTensorShape shape;
  char *texture_of; /* nullable */
  CuredTexture texture;
  GArray *operands; /* (element-type GoldenOperand) */
} GoldenCase;

GoldenCase *golden_case_new (const char *row, const char *name, const char *body,
                             const char *signature);
void golden_case_free (GoldenCase *self);
void golden_case_fill (GoldenCase *self, guint64 seed);
guint golden_case_count_differences (const GoldenCase *self, const guint8 *a, const guint8 *b,
                                     guint *first);
gboolean golden_case_emulate (const GoldenCase *self, CuredPtxModule *module, guint8 *buffer,
                              CuredReport *report, GError **error);
GPtrArray *golden_cases_new (const char *row);
const GoldenCase *golden_cases_find (GPtrArray *cases, const char *name);
gboolean golden_case_has_cluster (const GoldenCase *self);
char *golden_case_print (const GoldenCase *self, const guint8 *buffer);
gboolean golden_case_read (const GoldenCase *self, const char *text, guint8 *buffer,
                           GError **error);
