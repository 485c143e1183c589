/* SPDX-License-Identifier: MIT
 * A kernel at one point of its parameters, with all expressions evaluated. */
#pragma once

#include <glib.h>

#include "base/cured-limits.h"
#include "kernel/cured-kernel.h"

/* Guard zone before and after each buffer on the device, counted against its memory. */
#define CURED_GUARD_BYTES 4096

typedef struct
{
  const CuredBuffer *buffer; /* (transfer none): of the kernel, resolved */
  gint64 length;             /* elements */
  gsize size;                /* bytes, without guard zones */
  double low;                /* the fill's parameters */
  double high;
  gint64 step;                         /* distance of uniform integers; 0 means 1 */
  const struct _CuredProgram *program; /* (transfer none): its owner */
} CuredProgramBuffer;

typedef struct _CuredProgramArgument CuredProgramArgument;
struct _CuredProgramArgument
{
  int buffer;     /* index of a program buffer, or -1 */
  int tensor_map; /* index of a program tensor map, or -1 */
  CuredTextureMode texture;
  CuredElement type;
  union
  {
    gint64 integer; /* if the type is an integer */
    double real;    /* otherwise */
    gsize offset;   /* bytes from the buffer's beginning */
  };
  const CuredRecord *record;   /* nullable (transfer none): of a struct or vector by value */
  CuredProgramArgument *parts; /* one per field of @record */
};

typedef struct
{
  int buffer; /* index of the program buffer that it describes */
  CuredTensorShape shape;
} CuredProgramTensorMap;

typedef struct
{
  const char *entry; /* NULL: a memset step, or one of the host */
  guint grid[3], block[3];
  guint cluster[3]; /* [0] is 0: by the kernel's own attributes */
  gboolean is_cooperative;
  gsize shared_bytes;
  CuredProgramArgument *arguments;
  gsize n_arguments;
  gint64 repeat;
  int swap[2];
  gboolean is_swapped; /* the swapped buffers are exchanged in the arguments */
  CuredSetup setup;
  int memset_buffer;
  guint8 memset_value;
  CuredHostWork host;
  gboolean is_pageable;
  int host_from; /* index of the buffer that the host sums up or fetches */
  int host_to;   /* index of the buffer that gets the sum, or is sent */
} CuredProgramStep;

/* The program of one cell: buffers and steps with concrete sizes. Immutable except for @asked,
 * which records the parameters that a reference's output depends on; free with
 * cured_program_free(). Holds a reference to its kernel. */
typedef struct _CuredProgram
{
  CuredKernel *kernel;
  CuredLimits limits; /* limits of its device */
  gint64 *values;     /* of all parameters, in the kernel's order */
  CuredProgramBuffer *buffers;
  gsize n_buffers;
  CuredProgramTensorMap *tensor_maps;
  gsize n_tensor_maps;
  CuredProgramStep *steps;
  gsize n_steps;
  char **defines;    /* NULL-terminated: "-DTILE=16" … and the file's options */
  double flops;      /* of one run; NaN: the kernel file has no formula */
  double bytes;      /* of one run; NaN: likewise */
  double elements;   /* of one run, as the divisor of its time; NaN: none */
  double tolerance;  /* absolute */
  double relative;   /* relative to the reference; NaN: the type's own */
  int cycles;        /* index of the buffer with the kernel's own measurements; -1: none */
  double cycles_per; /* divisor of its elements */
  gboolean *asked;   /* per parameter: cured_program_get_value() was called */
} CuredProgram;

CuredProgram *cured_program_new (CuredKernel *kernel, const gint64 *values,
                                 const CuredLimits *limits, GError **error);
const char *cured_program_find_refusal (CuredKernel *kernel, const gint64 *values,
                                        const CuredLimits *limits);
void cured_program_free (CuredProgram *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredProgram, cured_program_free)
