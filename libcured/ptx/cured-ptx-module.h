/* SPDX-License-Identifier: MIT
 * PTX text, parsed whole: what its kernels are called and what they need. */
#pragma once

#include <glib.h>

/* A parsed PTX text. Immutable once parsed and linked; free with cured_ptx_module_free(). */
typedef struct _CuredPtxModule CuredPtxModule;

/* One kernel of a module, for those who launch it. */
typedef struct
{
  const char *name;   /* of the kernel */
  gsize shared_bytes; /* static shared memory per block */
  gsize local_bytes;  /* local memory per thread, as declared (no spills: PTX has none) */
  /* an upper bound is not known from PTX; this is the number of 32-bit registers live at once, as
   * far as the text tells */
  int registers;
  gsize parameter_bytes; /* of the parameter block */
  int max_threads;       /* of a block, `.maxntid`'s or `.reqntid`'s product; 0: not said */
  guint cluster[3];      /* blocks of a cluster (`.reqnctapercluster`); [0] 0: unspecified */
  /* bit i: at byte 4 i of the parameter block a floating-point number begins; of the first 64 such
   * words */
  guint64 floats;
  guint64 integers; /* the same of integers */
} CuredPtxEntry;

typedef struct
{
  gsize offset;      /* of the parameter block, in bytes */
  gsize size;        /* in bytes */
  gboolean is_float; /* a number with a fraction; FALSE, too: a struct */
} CuredPtxParameter;

/* Where an instruction comes from. */
typedef struct
{
  const char *file; /* (nullable): the source file as `.file` names it */
  int line;         /* its line, from 1; 0: not known */
  int ptx_line;     /* the line of the PTX text, from 1 */
  char *text;       /* (nullable): the text of the PTX instruction, one line */
} CuredPtxPlace;

void cured_ptx_module_free (CuredPtxModule *self);
gboolean cured_ptx_module_find_entry (const CuredPtxModule *self, const char *name,
                                      CuredPtxEntry *entry);
gboolean cured_ptx_module_find_variable (const CuredPtxModule *self, const char *name,
                                         guint64 *address, gsize *size);
gboolean cured_ptx_module_get_parameter (const CuredPtxModule *self, const char *kernel,
                                         guint index, CuredPtxParameter *parameter);
gboolean cured_ptx_module_get_variable (const CuredPtxModule *self, guint index, const char **name,
                                        guint64 *address, gsize *size);
guint cured_ptx_module_get_n_sites (const CuredPtxModule *self);
void cured_ptx_module_get_place (const CuredPtxModule *self, guint site, CuredPtxPlace *place);
void cured_ptx_place_clear (CuredPtxPlace *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredPtxModule, cured_ptx_module_free)
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (CuredPtxPlace, cured_ptx_place_clear)
