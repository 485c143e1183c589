/* SPDX-License-Identifier: MIT
 * Calls: values that they pass between frames, and the functions that the emulator provides. */
#include <glib/gi18n-lib.h>
#include <string.h>

#include "ptx/machine/cured-heap-private.h"
#include "ptx/machine/cured-machine-private.h"

/* The bytes of a slot of @frame in the local memory of lane @lane. */
static uint8_t *
get_slot (CuredWarp *warp, CuredFrame *frame, uint32_t lane, const CuredPtxSlot *slot)
{
  gsize offset = cured_frame_get_base (frame)[lane] + slot->offset;

  return warp->local + (gsize) lane * warp->block->grid->stack_bytes + offset;
}

void
_cured_warp_define_slot (CuredWarp *warp, CuredFrame *frame, uint32_t lane, gsize offset,
                         gsize size, bool is_defined)
{
  gsize first = cured_frame_get_base (frame)[lane] + offset;

  if (warp->local_defined == NULL)
    return;
  uint8_t *bits = warp->local_defined + (gsize) lane * warp->block->grid->stack_bytes / 8;
  for (gsize i = first; i < first + size; i++)
    if (is_defined)
      bits[i / 8] |= (uint8_t) (1u << (i % 8));
    else
      bits[i / 8] &= (uint8_t) ~(1u << (i % 8));
}

/* The location of a value that a call passes: a register, a constant, or local memory of a
 * frame. */
typedef struct
{
  CuredFrame *frame;
  const CuredPtxOperand *x; /* (nullable) */
  const CuredPtxSlot *slot; /* where @x is NULL */
} Place;

static uint8_t *
get_register (CuredWarp *warp, const Place *self)
{
  return (self->x->base == CURED_BASE_REGISTERS ? self->frame->registers
                                                : warp->bases[self->x->base]) +
         self->x->offset;
}

/* Copies lane @lane's value from one side of a call to the other. */
static void
pass_value (CuredWarp *warp, uint32_t lane, const Place *from, const Place *to)
{
  uint8_t *source, *target;
  gsize n_source, n_target;
  uint8_t bit = 0;

  if (from->x != NULL && from->x->width == 1)
    {
      bit = (*(const uint32_t *) get_register (warp, from) >> lane) & 1;
      source = &bit;
      n_source = 1;
    }
  else
    {
      n_source = from->x != NULL ? from->x->width : from->slot->size;
      source = from->x != NULL ? get_register (warp, from) + lane * n_source
                               : get_slot (warp, from->frame, lane, from->slot);
    }

  if (to->x != NULL && to->x->width == 1)
    {
      uint32_t *bits = (uint32_t *) get_register (warp, to);

      *bits = (*bits & ~(1u << lane)) | ((uint32_t) (*source & 1) << lane);
      return;
    }
  n_target = to->x != NULL ? to->x->width : to->slot->size;
  target = to->x != NULL ? get_register (warp, to) + lane * n_target
                         : get_slot (warp, to->frame, lane, to->slot);
  if (to->x == NULL)
    _cured_warp_define_slot (warp, to->frame, lane, to->slot->offset, MIN (n_source, n_target),
                             true);
  memmove (target, source, MIN (n_source, n_target));
}

static Place
get_actual (CuredFrame *frame, const CuredPtxActual *actual)
{
  return (Place){ frame, actual->is_slot ? NULL : &actual->operand, &actual->slot };
}

/* @index: in the function's registers; @slot: used if it is in no register. */
static Place
get_formal (CuredFrame *frame, const CuredPtxFunction *function, guint index,
            const CuredPtxSlot *slot)
{
  bool is_register = function->in_registers != NULL && function->in_registers[index].width != 0;

  return (Place){ frame, is_register ? &function->in_registers[index] : NULL, slot };
}

void
_cured_warp_pass_arguments (CuredWarp *warp, const CuredPtxInst *inst,
                            const CuredPtxFunction *function, CuredFrame *from, CuredFrame *to,
                            uint32_t mask)
{
  const CuredPtxCall *call = inst->call;

  for (guint i = 0; i < MIN (call->n_arguments, function->n_parameters); i++)
    for (uint32_t left = mask; left != 0; left &= left - 1)
      {
        Place actual = get_actual (from, &call->arguments[i]);
        Place formal = get_formal (to, function, function->n_results + i, &function->parameters[i]);

        pass_value (warp, (uint32_t) __builtin_ctz (left), &actual, &formal);
      }
}

void
_cured_warp_pass_results (CuredWarp *warp, const CuredPtxInst *inst,
                          const CuredPtxFunction *function, CuredFrame *from, CuredFrame *to,
                          uint32_t mask)
{
  const CuredPtxCall *call = inst->call;

  for (guint i = 0; i < MIN (call->n_results, function->n_results); i++)
    for (uint32_t left = mask; left != 0; left &= left - 1)
      {
        Place actual = get_actual (to, &call->results[i]);
        Place formal = get_formal (from, function, i, &function->results[i]);

        if (actual.x == NULL || actual.x->width != 0)
          pass_value (warp, (uint32_t) __builtin_ctz (left), &formal, &actual);
      }
}

/* The value of argument @index of lane @lane, as a 64-bit number. */
static uint64_t
get_argument (CuredWarp *warp, const CuredPtxCall *call, guint index, uint32_t lane)
{
  uint64_t value = 0;

  if (index >= call->n_arguments)
    return 0;
  const CuredPtxActual *actual = &call->arguments[index];
  if (actual->is_slot)
    memcpy (&value, get_slot (warp, warp->frame, lane, &actual->slot),
            MIN (actual->slot.size, sizeof value));
  else
    memcpy (&value,
            warp->bases[actual->operand.base] + actual->operand.offset +
                (gsize) lane * actual->operand.width,
            MIN (actual->operand.width, sizeof value));
  return value;
}

static void
set_result (CuredWarp *warp, const CuredPtxCall *call, uint32_t lane, uint64_t value)
{
  if (call->n_results == 0)
    return;
  if (call->results[0].is_slot)
    {
      const CuredPtxSlot *slot = &call->results[0].slot;

      memcpy (get_slot (warp, warp->frame, lane, slot), &value, MIN (slot->size, sizeof value));
      _cured_warp_define_slot (warp, warp->frame, lane, slot->offset, slot->size, true);
    }
  else
    {
      const CuredPtxOperand *x = &call->results[0].operand;

      memcpy (warp->bases[x->base] + x->offset + (gsize) lane * x->width, &value,
              MIN (x->width, sizeof value));
    }
}

/* free; there is no heap if no module calls malloc. */
static void
release (CuredWarp *warp, const CuredPtxInst *inst, uint32_t lane, uint64_t address)
{
  CuredPtxGrid *grid = warp->block->grid;
  CuredHeap *heap = grid->memory->heap;
  CuredHeapState state = heap != NULL   ? _cured_heap_release (heap, address)
                         : address == 0 ? CURED_HEAP_FINE
                                        : CURED_HEAP_NOBODYS;

  if (state == CURED_HEAP_FINE)
    return;
  {
    CuredWitness here = _cured_warp_witness (warp, inst, 1u << lane, NC_ ("in a finding", "free"));

    _cured_grid_report (grid, CURED_FINDING_HEAP, &here, NULL, CURED_SPACE_GLOBAL, address, "%s",
                        state == CURED_HEAP_FREED ? _ ("it was freed before")
                                                  : _ ("it is no address that malloc gave"));
  }
}

/* Returns: false: the lanes end here */
bool
_cured_warp_run_builtin (CuredWarp *warp, const CuredPtxInst *inst,
                         const CuredPtxFunction *function, uint32_t mask)
{
  const CuredPtxCall *call = inst->call;

  switch (function->builtin)
    {
    case CURED_BUILTIN_VPRINTF:
      for (uint32_t left = mask; left != 0; left &= left - 1)
        {
          uint32_t lane = (uint32_t) __builtin_ctz (left);

          _cured_warp_vprintf (warp, lane, get_argument (warp, call, 0, lane),
                               get_argument (warp, call, 1, lane));
          set_result (warp, call, lane, 0);
        }
      break;

    case CURED_BUILTIN_ASSERTFAIL:
      {
        uint32_t lane = (uint32_t) __builtin_ctz (mask);
        uint32_t tid = warp->index * CURED_WARP_LANES + lane;
        const CuredBlock *block = warp->block;
        g_autofree char *what =
            _cured_warp_read_string (warp, lane, get_argument (warp, call, 0, lane));
        g_autofree char *file =
            _cured_warp_read_string (warp, lane, get_argument (warp, call, 1, lane));
        g_autofree char *where =
            _cured_warp_read_string (warp, lane, get_argument (warp, call, 3, lane));
        g_autofree char *message = g_strdup_printf (
            "%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.\n", file,
            (guint) get_argument (warp, call, 2, lane), where, block->coord[0], block->coord[1],
            block->coord[2], warp->specials.tid[0][lane], warp->specials.tid[1][lane],
            warp->specials.tid[2][lane], what);
        CuredWitness here =
            _cured_warp_witness (warp, inst, mask, NC_ ("in a finding", "assertion"));

        _cured_block_print (warp->block, message, strlen (message));
        _cured_grid_report (warp->block->grid, CURED_FINDING_TRAP, &here, NULL, CURED_SPACE_GENERIC,
                            0, "thread %u of the block: assertion “%s” failed", tid, what);
        _cured_grid_stop (warp->block->grid, CURED_END_TRAPPED);
        return false;
      }

    case CURED_BUILTIN_MALLOC:
      for (uint32_t left = mask; left != 0; left &= left - 1)
        {
          uint32_t lane = (uint32_t) __builtin_ctz (left);

          set_result (warp, call, lane,
                      _cured_heap_allocate (warp->block->grid->memory->heap,
                                            get_argument (warp, call, 0, lane)));
        }
      break;

    case CURED_BUILTIN_FREE:
      for (uint32_t left = mask; left != 0; left &= left - 1)
        {
          uint32_t lane = (uint32_t) __builtin_ctz (left);

          release (warp, inst, lane, get_argument (warp, call, 0, lane));
        }
      break;

    case CURED_BUILTIN_NONE:
    default: g_assert_not_reached ();
    }
  return true;
}
