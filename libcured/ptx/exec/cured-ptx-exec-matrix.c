/* SPDX-License-Identifier: MIT
 * Moves matrices between memory and a warp's registers: ldmatrix, stmatrix, movmatrix. */
#include <glib/gi18n-lib.h>

#include "ptx/exec/cured-product-private.h"
#include "ptx/exec/cured-ptx-exec-private.h"

/* ---- 8 × 8 matrices of 16 bits ---- */

typedef struct
{
  uint16_t at[8][8];
} Matrix;

/* A lane's register: two adjacent elements of a row. */
static void
take_fragments (const uint32_t *lanes, Matrix *matrix)
{
  for (unsigned l = 0; l < CURED_WARP_LANES; l++)
    for (unsigned j = 0; j < 2; j++)
      matrix->at[l / 4][l % 4 * 2 + j] = (uint16_t) (lanes[l] >> (16 * j));
}

static void
give_fragments (const Matrix *matrix, uint32_t mask, uint32_t *lanes)
{
  FOR_LANES (mask, lanes[l] = (uint32_t) matrix->at[l / 4][l % 4 * 2] |
                              (uint32_t) matrix->at[l / 4][l % 4 * 2 + 1] << 16);
}

static void
transpose (const Matrix *from, Matrix *to)
{
  for (unsigned i = 0; i < 8; i++)
    for (unsigned j = 0; j < 8; j++)
      to->at[i][j] = from->at[j][i];
}

/* Lanes 0 to 7 have the addresses of the first matrix's rows, and so on. */
static void
access_rows (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask, unsigned n_matrices,
             CuredAccessKind kind, const CuredPtxOperand *address, CuredHosts *hosts)
{
  uint32_t rows = n_matrices == 4 ? CURED_ALL_LANES : (1u << (8 * n_matrices)) - 1;

  hosts->mask = 0;
  if ((mask & rows) == 0)
    return;
  _cured_warp_access (warp,
                      &(CuredWarpRequest){ inst, mask & rows, cured_get_space (inst), kind,
                                           sizeof (Matrix) / 8, 0 },
                      address, inst->displacement, hosts);
  if (G_UNLIKELY (hosts->mask != 0 && hosts->space != CURED_SPACE_SHARED))
    {
      CuredWitness here =
          _cured_warp_witness (warp, inst, hosts->mask, NC_ ("in a finding", "matrix"));

      _cured_grid_report (warp->block->grid, CURED_FINDING_OUT_OF_BOUNDS, &here, NULL,
                          CURED_SPACE_GENERIC, 0, "rows of a matrix are in shared memory only");
      hosts->mask = 0;
    }
}

/* Rows that cannot be read are zero. */
static void
load_matrices (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  unsigned n = inst->counts[0];
  bool is_transposed = inst->words[CURED_PTX_GROUP_TRANS] != CURED_PTX_NO_WORD;
  CuredHosts hosts;

  if (!gather (warp, inst, mask))
    return;
  access_rows (warp, inst, mask, n, CURED_ACCESS_LDMATRIX, &inst->x[n], &hosts);
  for (unsigned i = 0; i < n; i++)
    {
      Matrix matrix = { 0 }, transposed;

      for (unsigned row = 0; row < 8; row++)
        if ((hosts.mask >> (8 * i + row) & 1) != 0)
          memcpy (matrix.at[row], hosts.host[8 * i + row], 16);
      if (is_transposed)
        transpose (&matrix, &transposed);
      give_fragments (is_transposed ? &transposed : &matrix, mask, LANES (uint32_t, inst->x[i]));
    }
}

static void
store_matrices (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  unsigned n = inst->counts[1];
  bool is_transposed = inst->words[CURED_PTX_GROUP_TRANS] != CURED_PTX_NO_WORD;
  CuredHosts hosts;

  if (!gather (warp, inst, mask))
    return;
  access_rows (warp, inst, mask, n, CURED_ACCESS_STMATRIX, &inst->x[0], &hosts);
  for (unsigned i = 0; i < n; i++)
    {
      Matrix matrix, transposed;

      take_fragments (LANES (const uint32_t, inst->x[1 + i]), &matrix);
      if (is_transposed)
        transpose (&matrix, &transposed);
      for (unsigned row = 0; row < 8; row++)
        if ((hosts.mask >> (8 * i + row) & 1) != 0)
          memcpy (hosts.host[8 * i + row], is_transposed ? transposed.at[row] : matrix.at[row], 16);
    }
}

static void
move_matrix (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  Matrix matrix, transposed;

  if (!gather (warp, inst, mask))
    return;
  take_fragments (LANES (const uint32_t, inst->x[1]), &matrix);
  transpose (&matrix, &transposed);
  give_fragments (&transposed, mask, LANES (uint32_t, inst->x[0]));
}

/* ---- Forms ---- */

/* Requires the number of 32-bit registers given by .x1, .x2 or .x4. */
static const char *
check_registers (const CuredPtxInst *inst)
{
  unsigned letter = inst->op == CURED_PTX_OP_stmatrix ? 1 : 0;
  unsigned n = 1u << (WORD_OF (inst, MATRICES) - CURED_PTX_MATRICES_X1);

  return inst->counts[letter] != n || !cured_are_wide (cured_get_operands (inst, letter), n, 4)
             ? "takes as many registers of 32 bits as .x1, .x2 or .x4 says"
             : NULL;
}

/* clang-format off */
#define ROWS_OF_8 W_ALIGNED_ALIGNED, W_SHAPE_M8N8, W_MATRICES_X1, W_MATRICES_X2, W_MATRICES_X4, MAY (TRANS, TRANS), MAY (SPACE, SHARED)

static const CuredPtxForm forms[] = {
  CHECKED (ldmatrix, T_B16, WORDS (ROWS_OF_8), 0, load_matrices, check_registers)
  CHECKED (stmatrix, T_B16, WORDS (ROWS_OF_8), 0, store_matrices, check_registers)
  FORM (movmatrix, T_B16, WORDS (W_ALIGNED_ALIGNED, W_SHAPE_M8N8, W_TRANS_TRANS), move_matrix)
};
/* clang-format on */

FORMS_OF (matrix)
