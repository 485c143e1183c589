/* SPDX-License-Identifier: MIT
 * Layouts of a tile in shared memory, as CuTe and Triton write them, and what an access of a warp
 * to such a tile costs. */
#pragma once

#include <glib.h>

#include "bank/cured-bank-model.h"

/* Greatest number of rows, and of columns, of a tile. */
#define CURED_BANK_LAYOUT_MAX_ROWS 4096

/* Maps each element of a tile to its address in shared memory. */
typedef struct _CuredBankLayout CuredBankLayout;

/* How a warp accesses a tile, such as “ldmatrix.x4”. */
typedef struct _CuredBankTileAccess CuredBankTileAccess;

/* Cost of an access at every place of a tile. */
typedef struct
{
  guint n_places;        /* number of times that the access fits into the tile */
  guint64 wavefronts;    /* sum over all places */
  guint64 least;         /* wavefronts without conflicts, sum over all places */
  guint64 conflicts;     /* sum over all places */
  guint row;             /* first row of the costliest access; the first of equal ones */
  guint column;          /* first column, likewise */
  CuredBankAccess worst; /* that access */
} CuredBankTileCount;

CuredBankLayout *cured_bank_layout_parse (const char *text, guint n_rows, guint n_columns,
                                          guint element_bits, GError **error);
void cured_bank_layout_free (CuredBankLayout *self);
guint cured_bank_layout_get_n_rows (const CuredBankLayout *self);
guint cured_bank_layout_get_n_columns (const CuredBankLayout *self);
gboolean cured_bank_layout_swizzles_elements (const CuredBankLayout *self);
guint32 cured_bank_layout_get_address (const CuredBankLayout *self, guint row, guint column);
char *cured_bank_layout_format (const CuredBankLayout *self);
CuredBankLayout *cured_bank_layout_find_nearest (const CuredBankLayout *self,
                                                 const CuredBankTileAccess *const *accesses,
                                                 gsize n_accesses);

const CuredBankTileAccess *cured_bank_tile_access_find (const char *name, GError **error);
const char *cured_bank_tile_access_get_name (const CuredBankTileAccess *self);
gboolean cured_bank_tile_access_count (const CuredBankTileAccess *self,
                                       const CuredBankLayout *layout, CuredBankTileCount *count,
                                       GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredBankLayout, cured_bank_layout_free)
