/* SPDX-License-Identifier: MIT
 * Matrix products (wgmma) in flight: the registers and the shared memory that they still use.
 *
 * PTX ISA 9.0, sections 9.7.15.7 (wgmma.fence, wgmma.commit_group, wgmma.wait_group). Compilers
 * have to order their own register moves (mov), which are not examined. */
#include <glib/gi18n-lib.h>

#include "ptx/machine/cured-machine-private.h"

/* Registers have 4 bytes per lane. */
#define REGISTER_BITS 7

static void
report_registers (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask,
                  const CuredPtxInst *other, const char *text)
{
  CuredWitness here = _cured_warp_witness (warp, inst, mask, NC_ ("in a finding", "matrix"));
  CuredWitness there = here;

  if (other != NULL)
    there = _cured_warp_witness (warp, other, mask, NC_ ("in a finding", "matrix"));
  _cured_grid_report (warp->block->grid, CURED_FINDING_RACE_REGISTERS, &here,
                      other != NULL ? &there : NULL, CURED_SPACE_GENERIC, 0, "%s", text);
}

/* Whether @x is one of the registers of @n operands. */
static bool
is_among (const CuredPtxOperand *x, const CuredPtxOperand *list, uint32_t n)
{
  if (x->base != CURED_BASE_REGISTERS || x->width <= 1)
    return false;
  for (uint32_t i = 0; i < n; i++)
    if (list[i].base == CURED_BASE_REGISTERS && list[i].offset == x->offset)
      return true;
  return false;
}

static void
mark_written (CuredWarp *warp, const CuredPtxInst *inst, uint32_t offset)
{
  uint32_t at = offset >> REGISTER_BITS;

  if (at < CURED_N_WRITTEN)
    warp->written[at / 64] |= UINT64_C (1) << at % 64;
  warp->writer = inst;
}

/* Starts a product. Its register operands must have been written before the last wgmma.fence. */
void
_cured_warp_add_product (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  const CuredBlock *block = warp->block;
  uint32_t n = inst->counts[0] + (inst->counts[1] == 1 ? 0u : inst->counts[1]);
  bool is_written = false;

  for (uint32_t i = 0; i < n && warp->writer != NULL; i++)
    {
      uint32_t at = inst->x[i].offset >> REGISTER_BITS;

      is_written |= inst->x[i].base == CURED_BASE_REGISTERS && at < CURED_N_WRITTEN &&
                    (warp->written[at / 64] >> at % 64 & 1) != 0;
    }
  if (!warp->has_product_fence)
    report_registers (warp, inst, mask, NULL,
                      "no wgmma.fence comes before the first product of the warp");
  else if (is_written)
    report_registers (warp, inst, mask, warp->writer,
                      "a register of the product was written after the last wgmma.fence: another "
                      "one has to come between");
  if (warp->index / 4 * 4 + 4 > block->n_warps)
    {
      CuredWitness here = _cured_warp_witness (warp, inst, mask, NC_ ("in a finding", "matrix"));

      _cured_grid_report (
          block->grid, CURED_FINDING_INACTIVE_LANE, &here, NULL, CURED_SPACE_GENERIC, 0,
          "it is for four warps, from a multiple of four on, and the block has %u", block->n_warps);
    }
  if (warp->n_products == CURED_N_PRODUCTS)
    memmove (warp->products, warp->products + 1, --warp->n_products * sizeof *warp->products);
  warp->products[warp->n_products++] = (CuredProduct){ inst, warp->frame, warp->product_group };
}

/* wgmma.fence: products may use the registers' present contents. */
void
_cured_warp_fence_products (CuredWarp *warp)
{
  warp->has_product_fence = true;
  if (warp->writer != NULL)
    memset (warp->written, 0, sizeof warp->written);
  warp->writer = NULL;
}

/* Makes the products so far a group (CURED_COPIES_COMMIT), or waits until at most @left groups
 * are in flight. */
void
_cured_warp_wait_products (CuredWarp *warp, uint32_t mask, int left)
{
  uint32_t n_kept = 0;

  if (left == CURED_COPIES_COMMIT)
    warp->product_group++;
  else
    {
      for (uint32_t i = 0; i < warp->n_products; i++)
        if (warp->products[i].group + (uint32_t) left >= warp->product_group)
          warp->products[n_kept++] = warp->products[i];
      warp->n_products = n_kept;
    }
  CURED_TELL_OBSERVERS (warp->block, products, warp, mask, left);
}

/* Runs an instruction that uses a register of a product, as found by the parser. */
void
_cured_warp_run_late (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  const CuredPtxInst *met = NULL;

  CURED_EACH_OPERAND (walk, inst)
    {
      const CuredPtxOperand *x = walk.x;
      bool is_destination = cured_ptx_is_destination (&walk);

      for (uint32_t p = 0; p < warp->n_products && met == NULL; p++)
        {
          const CuredProduct *product = &warp->products[p];
          const CuredPtxInst *other = product->inst;

          if (product->frame != warp->frame)
            continue;
          if (is_among (x, other->x, other->counts[0]) ||
              (is_destination && other->counts[1] > 1 &&
               is_among (x, other->x + other->counts[0], other->counts[1])))
            met = other;
        }
      if (is_destination && x->base == CURED_BASE_REGISTERS && x->width > 1)
        mark_written (warp, inst, x->offset);
    }
  if (met != NULL)
    report_registers (
        warp, inst, mask, met,
        "the product may still have this register: wgmma.wait_group has to come between");
  warp->block->grid->module->late[inst->site](warp, inst, mask);
}
