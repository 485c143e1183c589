/* SPDX-License-Identifier: MIT
 * PTX text, parsed whole: what its kernels are called and what they need. */
#pragma once

#include <glib.h>

/* A parsed PTX text. Immutable once parsed and linked; free with cured_ptx_module_free(). */
typedef struct _CuredPtxModule CuredPtxModule;

/* One kernel of a module, as needed to launch it. */
typedef struct
{
  const char *name;   /* of the kernel */
  gsize shared_bytes; /* static shared memory per block */
  gsize local_bytes;  /* local memory per thread, as declared (no spills: PTX has none) */
  /* estimate: the number of 32-bit registers live at once in the PTX, which gives no upper bound */
  int registers;
  gsize parameter_bytes; /* of the parameter block */
  int max_threads;  /* threads per block, the product of `.maxntid` or `.reqntid`; 0: unspecified */
  guint cluster[3]; /* blocks of a cluster (`.reqnctapercluster`); [0] 0: unspecified */
  /* bit i: at byte 4 i of the parameter block a floating-point number begins; of the first 64 such
   * words */
  guint64 floats;
  guint64 integers; /* the same of integers */
} CuredPtxEntry;

typedef struct
{
  gsize offset;      /* of the parameter block, in bytes */
  gsize size;        /* in bytes */
  gboolean is_float; /* a floating-point number; FALSE also for a struct */
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
