/* SPDX-License-Identifier: MIT
 * Types of drafting from PTX: an entry, and the uses of its parameters. */
#pragma once

#include "draft/cured-header-draft-internal.h"

typedef struct
{
  char *name;
  char *label; /* for people and headers; NULL: none is known */
  int bytes;
  int alignment;       /* alignment of a struct by value; 0: unknown */
  gboolean is_pointer; /* `.ptr`, or used in an address */
  gboolean is_real;    /* a scalar, or the pointer's target */
  gboolean is_used;
  int element_bytes; /* of the pointer's target; 0: not known */
  gboolean is_read, is_written;
  gboolean is_exact;    /* its type was declared, not derived */
  CuredElement element; /* if it is exact */
  gboolean is_array;    /* `name[56]`: a struct by value, whose fields follow as they are read */
  int parent;           /* the struct's index + 1; 0: a parameter of its own */
  int offset;           /* in the struct */
} CuredPtxDraftParameter;

typedef struct
{
  guint64 origins; /* of an address: the parameters that were added up */
  gboolean is_real;
  gboolean is_unread; /* only a loaded vector contains it */
  gboolean is_asked;  /* whether it is that */
} CuredPtxDraftRegister;

typedef struct
{
  char *name;
  GArray *parameters;     /* (element-type CuredPtxDraftParameter) */
  GHashTable *registers;  /* name → CuredPtxDraftRegister */
  GHashTable *places;     /* name of a parameter → its index + 1 */
  GHashTable *predicates; /* names, and the text before <n> */
  guint64 stored;         /* origins of addresses in shared memory */
  int block[3];
  gboolean has_block, is_block_exact;
  gboolean has_shared; /* dynamic */
  gboolean uses_y;     /* threads in two dimensions */
  gboolean has_rows;   /* likewise blocks */
  guint n_asked;       /* registers */
  int scratch;         /* bytes per block of Triton's scratch memory, in the last but one pointer */
  char **statements;
} CuredPtxDraftEntry;

#define PARAMETER(self, i) (&g_array_index ((self)->parameters, CuredPtxDraftParameter, i))

char *_cured_draft_mask_ptx (const char *ptx);
char *_cured_draft_read_ptx_name (const char **at);
CuredPtxDraftEntry *_cured_draft_read_entry (const char **at);
void _cured_draft_follow_entry (CuredPtxDraftEntry *self);
void _cured_draft_entry_free (CuredPtxDraftEntry *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredPtxDraftEntry, _cured_draft_entry_free)
