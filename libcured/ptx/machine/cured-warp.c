/* SPDX-License-Identifier: MIT
 * A warp: groups of lanes at the same place, and the choice of the group that runs next.
 *
 * Of the groups that can continue, the one deepest in calls runs, and among these the one with the
 * lowest PC; groups of a frame merge when their PCs are equal. Code that spins until another group
 * of its warp does something would starve that group: after CURED_WARP_TURN instructions, the group
 * whose last turn is the longest ago gets the same number for itself.
 *
 * A group that reaches a `.sync` instruction before other lanes that it names waits for them. If
 * nothing in the warp can continue otherwise, the waiting lanes continue without them, as on the
 * hardware. */
#include "ptx/machine/cured-machine-private.h"

#include "base/cured-base-internal.h"

/* Limits on the depth of calls and on the size of a warp's frames: deeper recursion is taken to be
 * endless. */
#define MAX_DEPTH       10000
#define MAX_FRAME_BYTES ((gsize) 256 << 20)

/* Number of instructions before a trap among which a grid barrier's test for its use is sought. */
#define GRID_TRAP_SITES 24

/* An H200's values, for launches that emulate no particular device, and the part of each block's
 * shared memory that CUDA reserves since sm_80. */
#define WARPS_PER_SM          64
#define RESERVED_SHARED_BYTES 1024

#define NOWHERE UINT32_MAX

static inline CuredGroup *
get_current (CuredWarp *warp)
{
  return &warp->groups[warp->current];
}

static const CuredPtxInst *
get_code (const CuredWarp *warp)
{
  return warp->block->grid->module->code;
}

static inline uint32_t
count_bits (uint32_t mask)
{
  return mask == UINT32_MAX ? CURED_WARP_LANES : (uint32_t) __builtin_popcount (mask);
}

/* ---- Frames ---- */

static CuredFrame *
take_frame (CuredWarp *warp, gsize bytes)
{
  CuredFrame **link = &warp->free_frames;

  while (*link != NULL && (*link)->capacity < bytes)
    link = &(*link)->next;
  CuredFrame *frame = *link;
  if (frame != NULL)
    *link = frame->next;
  else
    {
      frame = g_new0 (CuredFrame, 1);
      frame->capacity = MAX (bytes, 64);
      frame->registers = g_aligned_alloc (1, frame->capacity, 64);
      warp->frame_bytes += frame->capacity;
    }
  memset (frame->registers, 0, bytes);
  frame->parent = frame->next = frame->children = NULL;
  frame->lanes = 0;
  frame->caller = NULL;
  return frame;
}

static void
drop_frame (CuredWarp *warp, CuredFrame *frame)
{
  if (frame->parent != NULL)
    {
      CuredFrame **link = &frame->parent->children;

      while (*link != frame)
        link = &(*link)->next;
      *link = frame->next;
    }
  frame->next = warp->free_frames;
  warp->free_frames = frame;
}

CURED_FREE_FUNC (CuredFrame, free_frame, registers, g_aligned_free)

static void
set_frame (CuredWarp *warp, CuredFrame *frame)
{
  warp->frame = frame;
  warp->bases[CURED_BASE_REGISTERS] = frame->registers;
}

/* ---- Groups ---- */

/* Where the running group has to stop: the next higher PC of another group at its depth. */
static void
find_merge_pc (CuredWarp *warp)
{
  warp->merge_pc = NOWHERE;
  for (uint32_t i = 0; i < warp->n_groups; i++)
    {
      const CuredGroup *other = &warp->groups[i];

      if (i != warp->current && other->state != CURED_GROUP_AT_BARRIER &&
          other->frame->depth == warp->frame->depth && other->pc >= warp->pc &&
          other->pc < warp->merge_pc)
        warp->merge_pc = other->pc;
    }
}

/* Writes the running group's state back. */
static void
store_current (CuredWarp *warp)
{
  CuredGroup *group = get_current (warp);

  group->pc = warp->pc;
  group->mask = warp->active;
  group->frame = warp->frame;
}

static void
remove_group (CuredWarp *warp, uint32_t index)
{
  warp->groups[index] = warp->groups[--warp->n_groups];
}

/* Adds a group that can continue at @pc in the running frame. */
static void
add_group (CuredWarp *warp, uint32_t mask, uint32_t pc)
{
  CuredGroup *group = &warp->groups[warp->n_groups++];

  *group = (CuredGroup){
    .pc = pc,
    .mask = mask,
    .state = CURED_GROUP_READY,
    .frame = warp->frame,
    .turn = warp->turns,
  };
  warp->is_stopped = 1;
}

/* Leaves the running group with @mask; the lanes that are taken off it go on at
 * @pc. */
static void
split_off (CuredWarp *warp, uint32_t mask, uint32_t pc)
{
  uint32_t rest = warp->active & ~mask;

  if (rest == 0)
    return;
  warp->active = mask;
  add_group (warp, rest, pc);
}

/* Merges runnable groups at the same place of the same frame. */
static void
merge_groups (CuredWarp *warp)
{
  for (uint32_t i = 0; i < warp->n_groups; i++)
    {
      CuredGroup *group = &warp->groups[i];

      if (group->state == CURED_GROUP_AT_BARRIER)
        continue;
      for (uint32_t j = warp->n_groups - 1; j > i; j--)
        {
          const CuredGroup *other = &warp->groups[j];

          if (other->state == CURED_GROUP_AT_BARRIER || other->pc != group->pc ||
              other->frame != group->frame)
            continue;
          group->mask |= other->mask;
          group->state = CURED_GROUP_READY;
          group->is_synced = 0;
          group->missing &= other->missing;
          group->turn = MAX (group->turn, other->turn);
          group->is_waiting &= other->is_waiting;
          group->is_timed_out &= other->is_timed_out;
          group->parked = 0;
          remove_group (warp, j);
        }
    }
}

/* Notes the lanes that @group's instruction names and that do not come: live lanes, except those at
 * another __syncwarp (), and lanes that went past it and ended. */
static void
note_absent (CuredWarp *warp, CuredGroup *group)
{
  bool is_barrier = get_code (warp)[group->pc].op == CURED_PTX_OP_bar_warp;

  uint32_t ended = group->missing & ~group->mask & ~warp->alive;

  group->missing = group->wanted & warp->alive & ~group->mask;
  for (uint32_t i = 0; i < warp->n_groups; i++)
    {
      const CuredGroup *other = &warp->groups[i];

      if (is_barrier && get_code (warp)[other->pc].op == CURED_PTX_OP_bar_warp &&
          (other->state == CURED_GROUP_AT_SYNC || other->is_synced))
        group->missing &= ~other->mask;
      else if ((other->mask & group->missing) != 0)
        group->missing_pc = other->pc;
    }
  group->missing |= ended;
}

/* Used when no group can continue: groups at a .sync instruction whose members have all reached
 * some .sync instruction continue; otherwise, groups at a barrier of the block arrive as they
 * are. */
static bool
release_syncs (CuredWarp *warp)
{
  bool is_released = false;

  for (int pass = 0; pass < 2 && !is_released; pass++)
    for (uint32_t i = 0; i < warp->n_groups; i++)
      {
        CuredGroup *group = &warp->groups[i];
        uint32_t there = 0;

        if (group->state != CURED_GROUP_AT_SYNC)
          continue;
        for (uint32_t j = 0; j < warp->n_groups; j++)
          if (warp->groups[j].state != CURED_GROUP_AT_BARRIER &&
              (warp->groups[j].state == CURED_GROUP_AT_SYNC || warp->groups[j].is_synced))
            there |= warp->groups[j].mask;
        if ((group->wanted & warp->alive & ~there) != 0 &&
            (pass == 0 || group->barrier != CURED_N_BARRIERS))
          continue;
        group->state = CURED_GROUP_READY;
        group->is_synced = 1;
        if (group->barrier == CURED_N_BARRIERS)
          note_absent (warp, group);
        is_released = true;
      }
  return is_released;
}

/* Whether @group precedes @other in the warp's present order. */
static bool
is_before (const CuredWarp *warp, const CuredGroup *group, const CuredGroup *other)
{
  switch (warp->order)
    {
    case CURED_NEXT_OLDEST: return group->turn < other->turn;
    case CURED_NEXT_LATEST: return group->turn > other->turn;
    case CURED_NEXT_LOWEST:
    default:
      if (group->frame->depth != other->frame->depth)
        return group->frame->depth > other->frame->depth;
      return group->pc < other->pc;
    }
}

/* Whether @group yielded until an mbarrier changes, and none has changed. */
static bool
is_parked (const CuredWarp *warp, const CuredGroup *group)
{
  return group->parked == warp->block->cluster->n_changes + 1;
}

/* Chooses the group that runs next. FALSE: none can. */
static bool
choose_group (CuredWarp *warp)
{
  CuredGroup *best = NULL;
  bool has_parked = false;

  if (warp->n_groups == 0)
    return false;
  if (warp->n_groups > 1)
    merge_groups (warp);
  if (warp->n_groups == 1)
    {
      warp->order = CURED_NEXT_LOWEST;
      warp->turn_left = CURED_WARP_TURN;
      if (warp->groups[0].state == CURED_GROUP_AT_BARRIER)
        return false;
      if (warp->groups[0].state == CURED_GROUP_READY && !is_parked (warp, &warp->groups[0]))
        best = &warp->groups[0];
    }
  else if (warp->turn_left == 0)
    {
      warp->order = warp->order == CURED_NEXT_LOWEST ? CURED_NEXT_OLDEST : CURED_NEXT_LOWEST;
      warp->turn_left = CURED_WARP_TURN;
    }
  while (best == NULL)
    {
      for (uint32_t i = 0; i < warp->n_groups; i++)
        {
          CuredGroup *group = &warp->groups[i];

          if (group->state != CURED_GROUP_READY)
            continue;
          if (is_parked (warp, group))
            has_parked = true;
          else if (best == NULL || is_before (warp, group, best))
            best = group;
        }
      if (best == NULL && (has_parked || !release_syncs (warp)))
        return false;
    }
  best->parked = 0;

  /* The turn given to the oldest group is not interrupted. */
  if (warp->order == CURED_NEXT_OLDEST)
    warp->order = CURED_NEXT_LATEST;
  warp->current = (uint32_t) (best - warp->groups);
  warp->groups[warp->current].turn = ++warp->turns;
  warp->pc = best->pc;
  warp->active = best->mask;
  set_frame (warp, best->frame);
  find_merge_pc (warp);
  warp->is_stopped = 0;
  return true;
}

/* ---- The loop ---- */

/* Lanes of @active that @inst is for. */
static inline uint32_t
get_lanes (const CuredWarp *warp, const CuredPtxInst *inst, uint32_t active)
{
  if (inst->guard.width == 0)
    return active;
  uint32_t bits = *(const uint32_t *) (warp->bases[inst->guard.base] + inst->guard.offset);
  return active & (inst->guard.is_negated ? ~bits : bits);
}

static inline void
count_lanes (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  CuredSiteCounts *counts = &warp->counts[inst->site];
  uint32_t lanes = count_bits (mask);

  counts->issued++;
  counts->lanes += lanes;
  warp->n_lanes += lanes;
}

/* Runs @n consecutive instructions from @inst on; see CuredPtxInst.straight. */
static inline void
run_straight (CuredWarp *warp, const CuredPtxInst *inst, uint32_t n, bool is_counting)
{
  const CuredPtxInst *end = inst + n;
  uint32_t active = warp->active, lanes = count_bits (active);

  if (is_counting)
    {
      CuredRunCounts *first = &warp->runs[inst->site], *behind = first + n;

      first->issued++;
      first->lanes += lanes;
      behind->issued--;
      behind->lanes -= lanes;
      warp->n_lanes += (uint64_t) n * lanes;
    }
  for (; inst < end; inst++)
    {
      uint32_t mask = active;

      if (inst->guard.width != 0)
        {
          mask = get_lanes (warp, inst, active);
          if (is_counting)
            {
              warp->counts[inst->site].lanes -= lanes - count_bits (mask);
              warp->n_lanes -= lanes - count_bits (mask);
            }
          if (mask == 0)
            continue;
        }
      inst->run (warp, inst, mask);
    }
}

/* Runs the running group until it meets another one, stops, or has used up @budget. Returns: the
 * number of instructions */
static G_ALWAYS_INLINE inline uint32_t
run_group (CuredWarp *warp, uint32_t budget, bool is_counting, bool is_watched,
           const uint32_t *actions)
{
  const CuredPtxInst *code = get_code (warp);
  const CuredNative *native = actions == NULL && !is_watched ? warp->block->grid->native : NULL;
  uint32_t n = 0;

  do
    {
      if (native != NULL)
        {
          const void *piece = native->entries[2 * warp->pc + (warp->active != UINT32_MAX)];
          uint32_t left = budget - n;

          if (piece != NULL)
            {
              n = budget - native->enter (warp, piece, warp->block->tally->counted, left);
              if (budget - n != left)
                continue;
            }
        }

      const CuredPtxInst *inst = &code[warp->pc];
      uint32_t mask = get_lanes (warp, inst, warp->active);
      uint32_t action = actions != NULL ? actions[warp->pc] : 0;

      if (actions == NULL && !is_watched && inst->straight > 1)
        {
          /* Two groups at one place that can't merge execute one instruction each in turn. */
          uint32_t most = MAX (MIN (budget - n, warp->merge_pc - warp->pc), 1);
          uint32_t left = MIN (inst->straight, most);

          warp->pc += left;
          n += left;
          run_straight (warp, inst, left, is_counting);
          continue;
        }
      if (action != 0 && action != CURED_SLICE_ANNOUNCE)
        {
          warp->pc += action;
          n += action;
          continue;
        }
      warp->pc++;
      n++;
      if (is_counting)
        count_lanes (warp, inst, mask);
      if (mask == 0)
        continue;
      if (is_watched)
        _cured_stall_look (warp, inst);
      if (action == CURED_SLICE_ANNOUNCE)
        _cured_warp_announce (warp, inst, mask);
      else
        inst->run (warp, inst, mask);
    }
  while (n < budget && !warp->is_stopped && warp->pc < warp->merge_pc);
  warp->n_issued += n;
  return n;
}

bool
_cured_warp_run (CuredWarp *warp, uint32_t budget)
{
  bool has_run = false;

  while (budget > 0 && choose_group (warp))
    {
      uint32_t turn = warp->n_groups > 1 ? MIN (budget, warp->turn_left) : budget;
      const uint32_t *actions = warp->block->grid->actions;
      uint32_t n = 0;

      warp->is_yielding = 0;
      if (G_UNLIKELY (warp->block->cluster->stall.is_watched))
        n = run_group (warp, turn, actions == NULL && warp->counts != NULL, true, actions);
      else if (actions != NULL)
        n = run_group (warp, turn, false, false, actions);
      else if (warp->counts != NULL)
        n = run_group (warp, turn, true, false, NULL);
      else
        n = run_group (warp, turn, false, false, NULL);

      if (warp->active != 0)
        store_current (warp);
      else
        remove_group (warp, warp->current);
      has_run = true;
      budget -= MIN (n, budget);
      warp->turn_left -= MIN (n, warp->turn_left);
      /* Alone in its warp, it waits for others. */
      if (warp->n_groups == 1 &&
          (warp->is_yielding || warp->groups[0].state == CURED_GROUP_AT_BARRIER))
        break;
      if (g_atomic_int_get (&warp->block->grid->stop) != CURED_END_DONE)
        break;
    }
  return has_run;
}

/* ---- Branches, calls, exits ---- */

void
_cured_warp_branch (CuredWarp *warp, uint32_t mask, uint32_t target)
{
  if (G_UNLIKELY (mask != warp->active))
    {
      if (warp->counts != NULL)
        warp->counts[warp->pc - 1].diverged++;
      split_off (warp, mask, warp->pc);
    }
  warp->pc = target;
  if (G_UNLIKELY (warp->n_groups > 1))
    warp->is_stopped = 1;
}

void
_cured_warp_branch_lanes (CuredWarp *warp, uint32_t mask, const uint32_t *targets)
{
  uint32_t site = warp->pc - 1, first = targets[__builtin_ctz (mask)], same = 0, left;

  split_off (warp, mask, warp->pc);
  for (left = mask; left != 0; left &= left - 1)
    if (targets[__builtin_ctz (left)] == first)
      same |= 1u << __builtin_ctz (left);
  if (same != mask && warp->counts != NULL)
    warp->counts[site].diverged++;
  warp->active = same;
  for (left = mask & ~same; left != 0;)
    {
      uint32_t target = targets[__builtin_ctz (left)], lanes = 0;

      for (uint32_t rest = left; rest != 0; rest &= rest - 1)
        if (targets[__builtin_ctz (rest)] == target)
          lanes |= 1u << __builtin_ctz (rest);
      add_group (warp, lanes, target);
      left &= ~lanes;
    }
  warp->pc = first;
  if (warp->n_groups > 1)
    warp->is_stopped = 1;
}

/* The frame of @function, called by @inst from the running frame; lanes that made this call before
 * share it. NULL: too deep. */
static CuredFrame *
enter_frame (CuredWarp *warp, const CuredPtxInst *inst, const CuredPtxFunction *function,
             uint32_t mask)
{
  const CuredPtxModule *module = warp->block->grid->module;
  CuredFrame *parent = warp->frame;
  uint32_t index = (uint32_t) (function - module->functions);
  gsize caller_bytes = module->functions[parent->function].local_bytes;
  uint32_t stack_bytes = warp->block->grid->stack_bytes;
  CuredFrame *frame = parent->children;

  while (frame != NULL && (frame->caller != inst || frame->function != index))
    frame = frame->next;
  for (uint32_t left = mask; left != 0; left &= left - 1)
    {
      uint64_t base = cured_frame_get_base (parent)[__builtin_ctz (left)];

      /* Every call has a size, so that recursion without local variables also ends. */
      if (base + caller_bytes + 32 + function->local_bytes > stack_bytes)
        return NULL;
    }
  if (frame == NULL)
    {
      if (parent->depth >= MAX_DEPTH || warp->frame_bytes + function->frame_bytes > MAX_FRAME_BYTES)
        return NULL;
      frame = take_frame (warp, function->frame_bytes);
      frame->parent = parent;
      frame->next = parent->children;
      parent->children = frame;
      frame->function = index;
      frame->return_pc = inst->site + 1;
      frame->depth = parent->depth + 1;
      frame->caller = inst;
    }
  frame->lanes |= mask;
  for (uint32_t left = mask; left != 0; left &= left - 1)
    {
      uint32_t lane = (uint32_t) __builtin_ctz (left);

      cured_frame_get_base (frame)[lane] =
          (cured_frame_get_base (parent)[lane] + caller_bytes + 31) & ~UINT64_C (15);
      _cured_warp_define_slot (warp, frame, lane, 0, function->local_bytes, false);
    }
  return frame;
}

void
_cured_warp_call (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  const CuredPtxModule *module = warp->block->grid->module;
  const CuredPtxCall *call = inst->call;
  const CuredPtxFunction *function;
  uint64_t index = inst->target;

  split_off (warp, mask, warp->pc);
  if (call->is_indirect)
    {
      uint32_t same = 0;

      /* Lanes that call another function call it after these. */
      const uint8_t *at = warp->bases[call->pointer.base] + call->pointer.offset;
      uint64_t values[CURED_WARP_LANES] = { 0 };

      for (uint32_t left = mask; left != 0; left &= left - 1)
        {
          uint32_t lane = (uint32_t) __builtin_ctz (left);

          memcpy (&values[lane], at + (gsize) lane * call->pointer.width, call->pointer.width);
        }
      index = values[__builtin_ctz (mask)];
      for (uint32_t left = mask; left != 0; left &= left - 1)
        if (values[__builtin_ctz (left)] == index)
          same |= 1u << __builtin_ctz (left);
      split_off (warp, same, inst->site);
      mask = same;
      index--; /* function addresses are index + 1 */
    }
  if (index >= module->n_functions ||
      (!module->functions[index].is_defined &&
       module->functions[index].builtin == CURED_BUILTIN_NONE) ||
      module->functions[index].is_entry)
    {
      CuredWitness here = _cured_warp_witness (warp, inst, mask, NC_ ("in a finding", "call"));

      _cured_grid_report (warp->block->grid, CURED_FINDING_TRAP, &here, NULL, CURED_SPACE_GENERIC,
                          0, "the call goes to no function");
      _cured_grid_stop (warp->block->grid, CURED_END_TRAPPED);
      _cured_warp_exit (warp, mask);
      return;
    }
  function = &module->functions[index];
  if (function->builtin != CURED_BUILTIN_NONE)
    {
      if (!_cured_warp_run_builtin (warp, inst, function, mask))
        _cured_warp_exit (warp, mask);
      return;
    }

  CuredFrame *frame = enter_frame (warp, inst, function, mask);
  if (frame == NULL)
    {
      CuredWitness here = _cured_warp_witness (warp, inst, mask, NC_ ("in a finding", "call"));

      _cured_grid_report (warp->block->grid, CURED_FINDING_STACK_OVERFLOW, &here, NULL,
                          CURED_SPACE_GENERIC, 0,
                          "the call of %s is %u deep, with %u bytes of local memory per thread",
                          function->name, warp->frame->depth + 1, warp->block->grid->stack_bytes);
      _cured_grid_stop (warp->block->grid, CURED_END_TRAPPED);
      _cured_warp_exit (warp, mask);
      return;
    }
  _cured_warp_pass_arguments (warp, inst, function, warp->frame, frame, mask);
  set_frame (warp, frame);
  warp->pc = function->first;
  warp->is_stopped = 1;
}

void
_cured_warp_return (CuredWarp *warp, uint32_t mask)
{
  CuredFrame *frame = warp->frame;

  if (frame->parent == NULL)
    {
      _cured_warp_exit (warp, mask);
      return;
    }
  split_off (warp, mask, warp->pc);
  _cured_warp_pass_results (warp, frame->caller,
                            &warp->block->grid->module->functions[frame->function], frame,
                            frame->parent, mask);
  warp->pc = frame->return_pc;
  set_frame (warp, frame->parent);
  frame->lanes &= ~mask;
  if (frame->lanes == 0)
    drop_frame (warp, frame);
  warp->is_stopped = 1;
}

void
_cured_warp_exit (CuredWarp *warp, uint32_t mask)
{
  CuredFrame *frame = warp->frame;

  warp->alive &= ~mask;
  warp->active &= ~mask;
  warp->block->n_alive -= (uint32_t) __builtin_popcount (mask);
  while (frame->parent != NULL)
    {
      CuredFrame *parent = frame->parent;

      frame->lanes &= ~mask;
      if (frame->lanes == 0)
        drop_frame (warp, frame);
      frame = parent;
    }
  warp->is_stopped = 1;
}

/* Whether a trap is that of cooperative_groups::this_grid (), which tests for the driver's grid
 * barrier just before. */
static bool
is_grid_trap (const CuredWarp *warp, const CuredPtxInst *inst)
{
  const CuredPtxInst *code = warp->block->grid->module->code;

  for (uint32_t back = 1; back <= MIN (inst->site, GRID_TRAP_SITES); back++)
    {
      const CuredPtxInst *before = &code[inst->site - back];

      if (before->op == CURED_PTX_OP_mov && before->x[1].base == CURED_BASE_SPECIALS &&
          before->x[1].offset >= offsetof (CuredSpecials, envreg) &&
          before->x[1].offset < offsetof (CuredSpecials, envreg) + sizeof warp->specials.envreg)
        return true;
    }
  return false;
}

void
_cured_warp_trap (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  CuredWitness here = _cured_warp_witness (warp, inst, mask, NC_ ("in a finding", "trap"));

  _cured_grid_report (
      warp->block->grid, CURED_FINDING_TRAP, &here, NULL, CURED_SPACE_GENERIC, 0, "%s",
      is_grid_trap (warp, inst) ? _ ("a barrier of the whole grid needs a cooperative launch: "
                                     "Cooperative=true in [Launch]")
                                : "the kernel executed trap");
  _cured_grid_stop (warp->block->grid, CURED_END_TRAPPED);
  _cured_warp_exit (warp, mask);
}

void
_cured_warp_yield (CuredWarp *warp)
{
  warp->is_yielding = 1;
  warp->is_stopped = 1;
}

/* Lets other groups run. An instruction that yields is executed again later, as if for the first
 * time, but not without limit: kernels that wait in a loop of their own have to continue. Returns:
 * FALSE if the kernel is told that the phase is not complete */
bool
_cured_warp_wait (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask, const uint8_t *barrier,
                  bool is_suspending)
{
  CuredGroup *group = get_current (warp);
  CuredCluster *cluster = warp->block->cluster;
  bool is_timed_out = group->is_timed_out || cluster->stall.is_watched;

  warp->is_yielding = 1;
  warp->is_stopped = 1;
  group->is_waiting = 1;
  group->is_timed_out = 0;
  group->wait_offset = barrier != NULL ? (uint32_t) (barrier - warp->block->shared) : UINT32_MAX;
  group->wait_site = inst->site;
  if (!is_suspending || is_timed_out)
    return false;

  warp->pc--;
  group->parked = cluster->n_changes + 1;
  warp->n_issued--;
  if (warp->counts != NULL && warp->block->grid->actions == NULL)
    {
      CuredSiteCounts *counts = &warp->counts[inst->site];
      uint32_t lanes = (uint32_t) __builtin_popcount (mask);

      counts->issued--;
      counts->lanes -= lanes;
      warp->n_lanes -= lanes;
    }
  return true;
}

/* The phase that the running group tested is complete. */
void
_cured_warp_waited (CuredWarp *warp)
{
  get_current (warp)->is_waiting = 0;
  get_current (warp)->is_timed_out = 0;
}

/* ---- Convergence ---- */

/* Whether the code at @pc only ends the lane. */
static bool
is_way_out (const CuredWarp *warp, uint32_t pc)
{
  const CuredPtxInst *code = get_code (warp);

  for (int i = 0; i < 8; i++)
    {
      const CuredPtxInst *inst = &code[pc];

      if (inst->op == CURED_PTX_OP_exit ||
          (inst->op == CURED_PTX_OP_ret && warp->frame->parent == NULL))
        return inst->guard.width == 0;
      if (inst->op != CURED_PTX_OP_bra || inst->guard.width != 0)
        return false;
      pc = inst->target;
    }
  return false;
}

/* Whether @to follows @from without a way back: lanes at @to have passed @from. */
static bool
is_past (const CuredWarp *warp, uint32_t from, uint32_t to)
{
  const CuredPtxInst *code = get_code (warp);

  if (to <= from || is_way_out (warp, to))
    return false;
  g_autofree uint8_t *is_reached = g_malloc0 (to - from + 1);
  is_reached[1] = 1;
  for (uint32_t pc = from + 1; pc < to; pc++)
    {
      const CuredPtxInst *inst = &code[pc];
      bool is_branch = inst->op == CURED_PTX_OP_bra;

      if (is_reached[pc - from] == 0)
        continue;
      if (is_branch && inst->target > pc && inst->target <= to)
        is_reached[inst->target - from] = 1;
      if (inst->guard.width != 0 ||
          !(is_branch || inst->op == CURED_PTX_OP_exit || inst->op == CURED_PTX_OP_ret))
        is_reached[pc - from + 1] = 1;
    }
  return is_reached[to - from] != 0;
}

/* Marks @from and everything reachable from it in @function, up to those of @stops (nullable) that
 * do more than exit. @ends: set if an end is reachable. FALSE: a table of labels is reachable. */
static bool
mark_reached (const CuredWarp *warp, const CuredPtxFunction *function, uint32_t from,
              const uint8_t *stops, uint8_t *marks, bool *ends)
{
  const CuredPtxInst *code = get_code (warp);
  uint32_t first = function->first;
  g_autoptr (GArray) places = g_array_new (FALSE, FALSE, sizeof (uint32_t));

  g_array_append_val (places, from);
  while (places->len > 0)
    {
      uint32_t pc = g_array_index (places, uint32_t, places->len - 1), next = pc + 1;
      const CuredPtxInst *inst = &code[pc];

      g_array_set_size (places, places->len - 1);
      if (marks[pc - first] != 0 ||
          (stops != NULL && stops[pc - first] != 0 && !is_way_out (warp, pc)))
        continue;
      marks[pc - first] = 1;
      if (inst->op == CURED_PTX_OP_brx)
        return false;
      if (inst->op == CURED_PTX_OP_exit || inst->op == CURED_PTX_OP_ret)
        *ends = true;
      if (inst->op == CURED_PTX_OP_bra)
        g_array_append_val (places, inst->target);
      if (next < first + function->n_sites &&
          (inst->guard.width != 0 ||
           (inst->op != CURED_PTX_OP_bra && inst->op != CURED_PTX_OP_exit &&
            inst->op != CURED_PTX_OP_ret)))
        g_array_append_val (places, next);
    }
  return true;
}

/* Whether lanes at @to of @frame can no longer reach @from, but certainly reach code after it that
 * does more than exit: such lanes go around @from. */
static bool
is_around (const CuredWarp *warp, const CuredFrame *frame, uint32_t from, uint32_t to)
{
  const CuredPtxFunction *function = &warp->block->grid->module->functions[frame->function];
  uint32_t n = function->n_sites;
  g_autofree uint8_t *after_to = g_malloc0 (n), *after_from = NULL, *around = NULL;
  bool ends = false;

  if (from + 1 >= function->first + n ||
      !mark_reached (warp, function, to, NULL, after_to, &ends) ||
      after_to[from - function->first] != 0)
    return false;
  after_from = g_malloc0 (n);
  around = g_malloc0 (n);
  if (!mark_reached (warp, function, from + 1, NULL, after_from, &ends))
    return false;
  ends = false;
  mark_reached (warp, function, to, after_from, around, &ends);
  return !ends;
}

/* Whether @group passes or goes around the running group's instruction, or the call that led to
 * it. */
static bool
is_avoiding (const CuredWarp *warp, const CuredGroup *group)
{
  const CuredFrame *frame = warp->frame, *other = group->frame;
  uint32_t from = warp->pc - 1, to = group->pc;

  if (other == frame && is_past (warp, from, to))
    return true;
  for (; frame->depth > other->depth; frame = frame->parent)
    from = frame->return_pc - 1;
  for (; other->depth > frame->depth; other = other->parent)
    to = other->return_pc;
  return other == frame && is_around (warp, frame, from, to);
}

/* Lanes that a vote, match, reduction or __syncwarp () names went elsewhere. Shuffles and matrix
 * products report missing lanes themselves. */
static void
report_absent (CuredWarp *warp, uint32_t mask)
{
  CuredGroup *group = get_current (warp);
  const CuredPtxInst *inst = &get_code (warp)[warp->pc - 1];
  uint32_t missing = group->missing;
  bool is_barrier = inst->op == CURED_PTX_OP_bar_warp;

  group->missing = 0;
  if (!is_barrier && inst->op != CURED_PTX_OP_vote && inst->op != CURED_PTX_OP_match &&
      inst->op != CURED_PTX_OP_match_all && inst->op != CURED_PTX_OP_redux &&
      inst->op != CURED_PTX_OP_redux_float && inst->op != CURED_PTX_OP_elect)
    return;
  CuredWitness here = _cured_warp_witness (warp, inst, mask,
                                           is_barrier ? NC_ ("in a finding", "barrier")
                                                      : NC_ ("in a finding", "read"));
  CuredWitness there = _cured_warp_witness (warp, &get_code (warp)[group->missing_pc], missing,
                                            NC_ ("in a finding", "elsewhere"));

  _cured_grid_report (
      warp->block->grid, CURED_FINDING_INACTIVE_LANE, &here, &there, CURED_SPACE_GENERIC, 0,
      _ ("the mask 0x%08x names lanes 0x%08x, which do not come"), group->wanted, missing);
}

/* Stops the running group at its instruction until the lanes of @members have reached it, too.
 * @barrier: of the block, or CURED_N_BARRIERS. */
static bool
converge (CuredWarp *warp, uint32_t mask, uint32_t members, uint32_t barrier)
{
  CuredGroup *group = get_current (warp);

  if (G_LIKELY ((members & warp->alive & ~mask) == 0) || group->is_synced)
    {
      /* Lanes that passed it may have come back. */
      if (barrier == CURED_N_BARRIERS && !group->is_synced)
        group->missing &= ~mask & ~warp->alive;
      if (G_UNLIKELY (barrier == CURED_N_BARRIERS && group->missing != 0))
        report_absent (warp, mask);
      group->is_synced = 0;
      return true;
    }
  split_off (warp, mask, warp->pc);
  group->state = CURED_GROUP_AT_SYNC;
  group->wanted = members;
  group->barrier = (uint8_t) barrier;
  if (barrier != CURED_N_BARRIERS && group->missing == 0)
    for (uint32_t i = 0; i < warp->n_groups; i++)
      {
        const CuredGroup *other = &warp->groups[i];

        if (i == warp->current || other->pc == warp->pc - 1 || is_way_out (warp, other->pc))
          continue;
        group->missing |= other->mask;
        group->missing_pc = other->pc;
      }
  if (barrier == CURED_N_BARRIERS && group->missing == 0)
    for (uint32_t i = 0; i < warp->n_groups; i++)
      {
        const CuredGroup *other = &warp->groups[i];

        if (i == warp->current || (other->mask & members) == 0 || !is_avoiding (warp, other))
          continue;
        group->missing |= other->mask & members;
        group->missing_pc = other->pc;
      }
  warp->pc--;
  warp->is_stopped = 1;
  return false;
}

void
_cured_warp_split_off (CuredWarp *warp, uint32_t mask)
{
  split_off (warp, mask, warp->pc);
}

bool
_cured_warp_converge_at (CuredWarp *warp, uint32_t mask, uint32_t members, uint32_t barrier)
{
  return converge (warp, mask, members, barrier);
}

bool
_cured_warp_converge (CuredWarp *warp, uint32_t mask, uint32_t members)
{
  return converge (warp, mask, members, CURED_N_BARRIERS);
}

/* ---- Barriers ---- */

/* Lanes of the warp went elsewhere, while these reached a barrier that all should reach
 * together. */
static void
report_divergence (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask, uint32_t missing,
                   uint32_t missing_pc)
{
  CuredWitness here = _cured_warp_witness (warp, inst, mask, NC_ ("in a finding", "barrier"));
  CuredWitness there = _cured_warp_witness (warp, &get_code (warp)[missing_pc], missing,
                                            NC_ ("in a finding", "elsewhere"));

  _cured_grid_report (
      warp->block->grid, CURED_FINDING_DIVERGENT_BARRIER, &here, &there, CURED_SPACE_GENERIC, 0,
      "lanes %08x of the warp are at the barrier, lanes %08x are not", mask, missing);
}

/* CUDA C++ allows __syncthreads() in a branch only if the whole block takes it. Threads at a
 * barrier of another source line did not take it; the hardware lets them pass. Compilers may
 * duplicate a barrier: a source line counts as one place. */
static __attribute__ ((noinline)) void
check_same_barrier (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask,
                    const CuredBarrier *barrier)
{
  CuredBlock *block = warp->block;
  const CuredPtxInst *first = &get_code (warp)[barrier->site];
  uint32_t w = 0;

  if (inst->line != 0 && inst->line == first->line && inst->file == first->file)
    return;
  while (w + 1 < block->n_warps && barrier->lanes[w] == 0)
    w++;
  CuredWitness here = _cured_warp_witness (warp, inst, mask, NC_ ("in a finding", "barrier"));
  CuredWitness there = _cured_warp_witness (&block->warps[w], first, barrier->lanes[w],
                                            NC_ ("in a finding", "barrier"));
  _cured_grid_report (block->grid, CURED_FINDING_DIVERGENT_BARRIER, &here, &there,
                      CURED_SPACE_GENERIC, 0, "threads of the block wait at different barriers");
}

/* Handles an aligned barrier that some lanes of the warp have not reached. FALSE: the group waits
 * for them. */
static __attribute__ ((noinline)) bool
gather_for_barrier (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask, uint32_t barrier)
{
  CuredGroup *group = get_current (warp);
  bool was_synced = group->is_synced;

  if (!converge (warp, mask, warp->alive, barrier))
    return false;
  uint32_t missing = group->missing & ~mask, missing_pc = group->missing_pc;
  if (missing == 0 && was_synced && (warp->alive & ~mask) != 0)
    {
      missing = warp->alive & ~mask;
      missing_pc = inst->site;
      for (uint32_t i = 0; i < warp->n_groups; i++)
        if ((warp->groups[i].mask & missing) != 0 && i != warp->current)
          missing_pc = warp->groups[i].pc;
    }
  if (missing != 0)
    report_divergence (warp, inst, mask, missing, missing_pc);
  group->missing = 0;
  return true;
}

void
_cured_warp_barrier (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask, uint32_t barrier,
                     uint32_t count, bool is_waiting, bool is_aligned, uint32_t votes)
{
  CuredBlock *block = warp->block;
  CuredGroup *group = get_current (warp);
  uint32_t index = barrier % CURED_N_BARRIERS;
  CuredBarrier *to = &block->barriers[index];

  if (is_aligned &&
      G_UNLIKELY (mask != warp->alive || group->is_synced != 0 || group->missing != 0) &&
      !gather_for_barrier (warp, inst, mask, barrier))
    return;

  warp->n_barriers++;
  if (to->arrived == 0)
    {
      to->count = count;
      to->site = inst->site;
      to->votes = 0;
    }
  else if (is_waiting && count == 0 && to->count == 0 && to->site != inst->site)
    check_same_barrier (warp, inst, mask, to);
  block->arrivals |= 1u << index;
  to->n_lanes += count_bits (mask & ~to->lanes[warp->index]);
  to->is_reduction |= inst->words[CURED_PTX_GROUP_OPERATION] != CURED_PTX_NO_WORD;
  to->lanes[warp->index] |= mask;
  /* Aligned barriers count whole warps (PTX ISA 9.0, bar). */
  to->arrived += is_aligned ? CURED_WARP_LANES : count_bits (mask);
  if (votes != 0)
    to->votes += count_bits (votes & mask);
  if (!is_waiting)
    CURED_TELL_OBSERVERS (warp->block, arrive, warp, mask, index);
  else
    {
      split_off (warp, mask, warp->pc);
      group->state = CURED_GROUP_AT_BARRIER;
      group->barrier = (uint8_t) index;
      warp->is_stopped = 1;
    }
}

void
_cured_warp_release (CuredWarp *warp, uint32_t barrier)
{
  const CuredBarrier *from = &warp->block->barriers[barrier];

  for (uint32_t i = 0; i < warp->n_groups; i++)
    {
      CuredGroup *group = &warp->groups[i];
      const CuredPtxInst *inst = &get_code (warp)[group->pc - 1];
      const CuredPtxOperand *x;
      uint32_t n = 0;

      if (group->state != CURED_GROUP_AT_BARRIER || group->barrier != barrier)
        continue;
      group->state = CURED_GROUP_READY;
      if (inst->words[CURED_PTX_GROUP_OPERATION] == CURED_PTX_NO_WORD)
        continue;

      for (uint32_t w = 0; w < warp->block->n_warps; w++)
        n += (uint32_t) __builtin_popcount (from->lanes[w]);
      x = &inst->x[0];
      if (inst->words[CURED_PTX_GROUP_OPERATION] == CURED_PTX_OPERATION_POPC)
        {
          uint32_t *to = (uint32_t *) (group->frame->registers + x->offset);

          for (uint32_t l = 0; l < CURED_WARP_LANES; l++)
            if ((group->mask >> l & 1) != 0)
              to[l] = from->votes;
        }
      else
        {
          uint32_t *to = (uint32_t *) (group->frame->registers + x->offset);
          bool is_true = inst->words[CURED_PTX_GROUP_OPERATION] == CURED_PTX_OPERATION_AND
                             ? from->votes == n
                             : from->votes > 0;

          *to = is_true ? *to | group->mask : *to & ~group->mask;
        }
    }
}

/* ---- Observers ---- */

/* Reports lanes that are not in the masks that they name.
 *
 * @members: the mask of each lane */
void
_cured_warp_report_strangers (CuredWarp *warp, const CuredPtxInst *inst, uint32_t strangers,
                              const uint32_t *members)
{
  bool is_barrier = inst->op == CURED_PTX_OP_bar_warp;
  CuredWitness here = _cured_warp_witness (warp, inst, strangers,
                                           is_barrier ? NC_ ("in a finding", "barrier")
                                                      : NC_ ("in a finding", "read"));
  unsigned l = (unsigned) __builtin_ctz (strangers);

  _cured_grid_report (warp->block->grid, CURED_FINDING_INACTIVE_LANE, &here, NULL,
                      CURED_SPACE_GENERIC, 0,
                      _ ("lane %u is not in the mask that it names: 0x%08x"), l, members[l]);
}

void
_cured_warp_fence (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask, CuredPtxWord scope,
                   CuredPtxWord order)
{
  /* Blocks run on several cores: like a GPU, the host may move a load before an earlier store. */
  __atomic_thread_fence (__ATOMIC_SEQ_CST);
  CURED_TELL_OBSERVERS (warp->block, fence, warp, inst, mask, scope, order);
}

void
_cured_warp_tell_tensor_map (CuredWarp *warp, const CuredPtxInst *inst, unsigned lane,
                             uint64_t address, bool is_change)
{
  CURED_TELL_OBSERVERS (warp->block, tensor_map, warp, inst, lane, address, is_change);
}

void
_cured_warp_synced (CuredWarp *warp, uint32_t mask)
{
  CURED_TELL_OBSERVERS (warp->block, warp_sync, warp, mask);
}

/* Clocks count the warp's instructions: there is no time here. */
void
_cured_warp_update_clocks (CuredWarp *warp)
{
  CuredSpecials *specials = &warp->specials;
  /* n_issued is only updated at the end of a turn; a read advances the clock itself, so that it
   * never stops. */
  uint64_t now = warp->n_issued + ++warp->n_clock_reads + warp->block->cluster->stall.leap;

  for (uint32_t l = 0; l < CURED_WARP_LANES; l++)
    {
      specials->clock[l] = specials->globaltimer_lo[l] = (uint32_t) now;
      specials->clock_hi[l] = specials->globaltimer_hi[l] = (uint32_t) (now >> 32);
      specials->clock64[l] = specials->globaltimer[l] = now;
    }
}

/* ---- Life ---- */

/* The lanes are the same as before. */
static void
fill (uint32_t *lanes, uint32_t value)
{
  if (lanes[0] == value)
    return;
  for (uint32_t l = 0; l < CURED_WARP_LANES; l++)
    lanes[l] = value;
}

/* Initializes everything that is the same for all blocks. */
void
_cured_warp_init (CuredWarp *warp, CuredBlock *block, uint32_t index)
{
  const CuredPtxGrid *grid = block->grid;
  const CuredLaunch *launch = grid->launch;
  CuredSpecials *specials = &warp->specials;
  uint32_t dynamic = (uint32_t) (block->shared_bytes - launch->shared_bytes);

  warp->block = block;
  warp->index = index;
  warp->bases[CURED_BASE_CONSTANTS] = grid->module->constants;
  warp->bases[CURED_BASE_SPECIALS] = (uint8_t *) specials;
  warp->counts = block->tally->counts;
  warp->runs = block->tally->runs;
  for (uint32_t l = 0; l < CURED_WARP_LANES; l++)
    {
      uint32_t t = index * CURED_WARP_LANES + l;

      specials->tid[0][l] = t % launch->block[0];
      specials->tid[1][l] = t / launch->block[0] % launch->block[1];
      specials->tid[2][l] = t / launch->block[0] / launch->block[1];
      specials->laneid[l] = l;
      specials->lanemask_eq[l] = 1u << l;
      specials->lanemask_lt[l] = (1u << l) - 1;
      specials->lanemask_le[l] = (1u << l) | ((1u << l) - 1);
      specials->lanemask_ge[l] = ~((1u << l) - 1);
      specials->lanemask_gt[l] = ~((1u << l) | ((1u << l) - 1));
      specials->gridid[l] = 1;
      specials->dynamic_shared[l] = dynamic;
    }
  for (int i = 0; i < 3; i++)
    {
      fill (specials->ntid[i], launch->block[i]);
      fill (specials->nctaid[i], launch->grid[i]);
      fill (specials->cluster_nctaid[i], grid->cluster[i]);
      fill (specials->nclusterid[i], launch->grid[i] / grid->cluster[i]);
    }
  fill (specials->warpid, index);
  /* Warps that a multiprocessor holds. */
  fill (specials->nwarpid, launch->limits != NULL && launch->limits->max_threads_per_sm > 0
                               ? (uint32_t) launch->limits->max_threads_per_sm / CURED_WARP_LANES
                               : WARPS_PER_SM);
  fill (specials->nsmid,
        launch->limits != NULL && launch->limits->sms > 0 ? (uint32_t) launch->limits->sms : 1);
  fill (specials->total_smem_size, block->shared_bytes);
  /* Including the part that the system reserves. */
  fill (specials->aggr_smem_size, block->shared_bytes + RESERVED_SHARED_BYTES);
  fill (specials->dynamic_smem_size, (uint32_t) launch->shared_bytes);
  fill (specials->cluster_nctarank, block->cluster->n_blocks);
  fill (specials->envreg[1], (uint32_t) (grid->workspace >> 32));
  fill (specials->envreg[2], (uint32_t) grid->workspace);
  specials->is_explicit_cluster[0] = grid->is_clustered ? G_MAXUINT32 : 0;

  warp->local = g_malloc0 ((gsize) CURED_WARP_LANES * grid->stack_bytes + 1);
  if ((launch->watch & CURED_WATCH_UNDEFINED) != 0)
    warp->local_defined = g_malloc0 ((gsize) CURED_WARP_LANES * grid->stack_bytes / 8 + 1);
  warp->entry_frame = take_frame (warp, grid->entry->frame_bytes);
  warp->entry_frame->function = (uint32_t) (grid->entry - grid->module->functions);
}

static void
free_children (CuredFrame *frame)
{
  CuredFrame *next;

  for (CuredFrame *child = frame->children; child != NULL; child = next)
    {
      next = child->next;
      free_children (child);
      free_frame (child);
    }
}

/* Prepares for the block's coordinates. */
void
_cured_warp_start (CuredWarp *warp)
{
  CuredBlock *block = warp->block;
  const CuredPtxGrid *grid = block->grid;
  CuredFrame *frame = warp->entry_frame;

  warp->alive = cured_get_threads (block, warp->index);
  for (int i = 0; i < 3; i++)
    {
      fill (warp->specials.ctaid[i], block->coord[i]);
      fill (warp->specials.clusterid[i], block->coord[i] / grid->cluster[i]);
      fill (warp->specials.cluster_ctaid[i], block->coord[i] % grid->cluster[i]);
    }
  fill (warp->specials.cluster_ctarank, block->rank);
  fill (warp->specials.smid, block->sm);
  /* The previous block may have ended within a call. */
  free_children (frame);
  frame->children = NULL;
  for (const CuredCleared *span = grid->clear; span->end > 0; span++)
    memset (frame->registers + span->begin, 0, span->end - span->begin);
  if (warp->local_defined != NULL)
    memset (warp->local_defined, 0, (gsize) CURED_WARP_LANES * grid->stack_bytes / 8);
  frame->lanes = warp->alive;
  warp->n_issued = warp->n_lanes = warp->n_barriers = warp->turns = 0;
  warp->n_clock_reads = 0;
  warp->n_products = warp->product_group = 0;
  warp->has_product_fence = false;
  warp->writer = NULL;
  warp->order = CURED_NEXT_LOWEST;
  warp->turn_left = CURED_WARP_TURN;
  warp->carry = 0;
  warp->n_groups = 1;
  warp->current = 0;
  warp->groups[0] = (CuredGroup){
    .pc = grid->entry->first,
    .mask = warp->alive,
    .state = CURED_GROUP_READY,
    .frame = frame,
  };
  set_frame (warp, frame);
}

void
_cured_warp_clear (CuredWarp *warp)
{
  CuredFrame *next;

  if (warp->entry_frame != NULL)
    {
      free_children (warp->entry_frame);
      free_frame (warp->entry_frame);
    }
  for (CuredFrame *frame = warp->free_frames; frame != NULL; frame = next)
    {
      next = frame->next;
      free_frame (frame);
    }
  g_free (warp->local);
  g_free (warp->local_defined);
}
