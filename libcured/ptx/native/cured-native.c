/* SPDX-License-Identifier: MIT
 * Splits functions into pieces, translates them, and manages their
 * code.
 *
 * A piece begins at a branch target, or after an instruction that the interpreter runs, and ends
 * before the next such place; the branch that ends it belongs to it. Each piece is translated
 * twice: for all lanes of a warp, and for some. A piece that would exceed the warp's turn, or run
 * past the place where another group of lanes waits, is left to the interpreter, and so is a
 * divergent branch: the order of execution is the same with and without translation.
 *
 * Counting each instruction by itself was tried: it costs as much as the instructions. */
#include "ptx/native/cured-native-internal.h"

#include <string.h>

#if defined(__x86_64__) && defined(__linux__)

#include <stddef.h>
#include <sys/mman.h>

#include "base/cured-own.h"
#include "ptx/native/cured-native-private.h"

/* Limit on the liveness bits of a function, in words: larger functions are not translated. */
#define MOST_WORDS (1u << 22)

/* Variants: with and without counts and observers. */
#define N_MODES 4

/* Counts of a piece: runs by all lanes, runs by some and the sum of those lanes, and branches
 * left to the interpreter. */
enum
{
  COUNT_FULL,
  COUNT_PARTIAL,
  COUNT_LANES,
  COUNT_PARTED,
  N_COUNTS
};

typedef struct
{
  uint32_t first;
  uint32_t end;    /* after its last instruction, not counting the branch */
  bool has_branch; /* which is at @end */
} Piece;

typedef struct
{
  CuredNative parent;
  GArray *pieces;  /* (element-type Piece) */
  GPtrArray *maps; /* (element-type Map) */
  CuredPtxModule *module;
  bool *is_translated; /* by function */
} Translation;

/* A module's translations. */
typedef struct
{
  Translation *modes[N_MODES]; /* (nullable) elements */
  GPtrArray *cleared;          /* (nullable) elements: CuredCleared by function */
} Translations;

typedef struct
{
  void *bytes;
  gsize size;
} Map;

/* ---- Live registers ---- */

static bool
is_in (const uint64_t *bits, uint32_t offset)
{
  return (bits[offset / 4096] >> (offset / 64 % 64) & 1) != 0;
}

static void
add (uint64_t *bits, uint32_t offset)
{
  bits[offset / 4096] |= UINT64_C (1) << (offset / 64 % 64);
}

/* Adds what @inst reads and is not in @written to @read, and what it writes completely to
 * @written. */
static void
look_at (const CuredPtxInst *inst, uint64_t *read, uint64_t *written)
{
  bool is_whole = inst->guard.width == 0 && _cured_native_is_whole (inst);

  for (int pass = 0; pass < 2; pass++)
    CURED_EACH_OPERAND (walk, inst)
      {
        bool is_destination = cured_ptx_is_destination (&walk);

        if (walk.x->base != CURED_BASE_REGISTERS || walk.x->width < 2)
          continue;
        if (pass == 0 && !is_destination && !is_in (written, walk.x->offset))
          add (read, walk.x->offset);
        else if (pass == 1 && is_destination && is_whole)
          add (written, walk.x->offset);
      }
}

/* A basic block. */
typedef struct
{
  uint32_t first, end;
  uint32_t next[2]; /* indices; G_MAXUINT32: none */
  bool is_open;     /* it may lead anywhere: everything is live */
} Stretch;

typedef struct
{
  const CuredPtxFunction *function;
  const CuredPtxInst *code;
  bool *begins; /* by site, from the function's first one on */
  GArray *stretches;
  uint32_t *stretch_of; /* by site */
  gsize n_words;
  uint64_t *live_in; /* n_words per block */
} Flow;

static bool
is_straight (const CuredPtxInst *inst)
{
  return inst->straight > 0;
}

static void
find_begins (Flow *self, const CuredPtxModule *module)
{
  const CuredPtxFunction *function = self->function;
  uint32_t end = function->first + function->n_sites;

  self->begins = g_new0 (bool, function->n_sites + 1);
  self->begins[0] = true;
  for (uint32_t site = function->first; site < end; site++)
    {
      const CuredPtxInst *inst = &self->code[site];

      if (is_straight (inst))
        continue;
      self->begins[site - function->first] = true;
      self->begins[site + 1 - function->first] = true;
      if (inst->op == CURED_PTX_OP_bra)
        self->begins[inst->target - function->first] = true;
    }
  for (guint t = 0; t < module->n_tables; t++)
    for (guint i = 0; i < module->tables[t].n_targets; i++)
      if (module->tables[t].targets[i] - function->first < function->n_sites)
        self->begins[module->tables[t].targets[i] - function->first] = true;
}

static void
find_stretches (Flow *self)
{
  const CuredPtxFunction *function = self->function;
  uint32_t end = function->first + function->n_sites;

  self->stretches = g_array_new (FALSE, TRUE, sizeof (Stretch));
  self->stretch_of = g_new (uint32_t, function->n_sites + 1);
  for (uint32_t site = function->first; site < end;)
    {
      Stretch stretch = { .first = site, .end = site + 1 };

      if (is_straight (&self->code[site]))
        while (stretch.end < end && !self->begins[stretch.end - function->first])
          stretch.end++;
      for (; site < stretch.end; site++)
        self->stretch_of[site - function->first] = self->stretches->len;
      g_array_append_val (self->stretches, stretch);
    }
  for (guint i = 0; i < self->stretches->len; i++)
    {
      Stretch *stretch = &g_array_index (self->stretches, Stretch, i);
      const CuredPtxInst *last = &self->code[stretch->end - 1];
      bool falls = true;

      stretch->next[0] = stretch->next[1] = G_MAXUINT32;
      if (is_straight (last))
        ;
      else if (last->op == CURED_PTX_OP_bra)
        {
          stretch->next[1] = self->stretch_of[last->target - function->first];
          falls = last->guard.width != 0;
        }
      else if (last->op == CURED_PTX_OP_exit ||
               (last->op == CURED_PTX_OP_ret && function->is_entry))
        falls = last->guard.width != 0;
      else if (_cured_ptx_ops[last->op].klass == CURED_PTX_CLASS_CONTROL)
        stretch->is_open = true;
      if (falls && i + 1 < self->stretches->len)
        stretch->next[0] = i + 1;
      else if (falls)
        stretch->is_open = true;
    }
}

/* Backwards, until nothing changes. */
static void
find_live (Flow *self)
{
  guint n = self->stretches->len;
  g_autofree uint64_t *read = g_new0 (uint64_t, n * self->n_words);
  g_autofree uint64_t *written = g_new0 (uint64_t, n * self->n_words);
  bool has_changed = true;

  self->live_in = g_new0 (uint64_t, n * self->n_words);
  for (guint i = 0; i < n; i++)
    {
      const Stretch *stretch = &g_array_index (self->stretches, Stretch, i);

      for (uint32_t site = stretch->first; site < stretch->end; site++)
        look_at (&self->code[site], read + i * self->n_words, written + i * self->n_words);
    }
  while (has_changed)
    {
      has_changed = false;
      for (guint i = n; i-- > 0;)
        {
          const Stretch *stretch = &g_array_index (self->stretches, Stretch, i);
          uint64_t *in = self->live_in + i * self->n_words;

          for (gsize w = 0; w < self->n_words; w++)
            {
              uint64_t out = stretch->is_open ? UINT64_MAX : 0;

              for (int k = 0; k < 2; k++)
                if (stretch->next[k] != G_MAXUINT32)
                  out |= self->live_in[stretch->next[k] * self->n_words + w];
              out = read[i * self->n_words + w] | (out & ~written[i * self->n_words + w]);
              has_changed |= out != in[w];
              in[w] = out;
            }
        }
    }
}

/* Granularity in bytes of the parts of a frame to clear (the widest register), and the longest gap
 * between two parts that is cleared as well. */
#define UNIT_BYTES 64
#define MOST_BYTES (16 * CURED_WARP_LANES)
#define MOST_GAP   (4 * UNIT_BYTES)

/* Finds the bytes of the frame to clear at the start: predicates, and registers that may be read
 * before they are written. The first register, each lane's base, is never written in an entry.
 *
 * Returns: (transfer full): up to an empty one */
static CuredCleared *
find_cleared (const Flow *self)
{
  const CuredPtxFunction *function = self->function;
  gsize n = function->frame_bytes / UNIT_BYTES + 1;
  g_autofree bool *is_cleared = g_new0 (bool, n + MOST_BYTES / UNIT_BYTES);
  GArray *spans = g_array_new (TRUE, FALSE, sizeof (CuredCleared));
  CuredCleared *last = NULL;

  for (gsize i = 1; i < n; i++)
    if (is_in (self->live_in, (uint32_t) (i * UNIT_BYTES)))
      memset (is_cleared + i, true, MOST_BYTES / UNIT_BYTES);
  for (uint32_t site = function->first; site < function->first + function->n_sites; site++)
    {
      const CuredPtxInst *inst = &self->code[site];
      const CuredPtxOperand *x = inst->x;
      guint n_operands = 1; /* the guard */

      for (unsigned k = 0; k < inst->n_counts; k++)
        n_operands += inst->counts[k];
      for (guint i = 0; i < n_operands; i++)
        {
          const CuredPtxOperand *operand = i + 1 == n_operands ? &inst->guard : &x[i];

          if (operand->width == 1 && operand->base == CURED_BASE_REGISTERS)
            is_cleared[operand->offset / UNIT_BYTES] = true;
        }
    }
  for (gsize i = 0; i < n; i++)
    {
      CuredCleared unit = { i * UNIT_BYTES, MIN ((i + 1) * UNIT_BYTES, function->frame_bytes) };

      if (!is_cleared[i] || unit.begin == unit.end)
        continue;
      if (last != NULL && unit.begin - last->end <= MOST_GAP)
        last->end = unit.end;
      else
        {
          g_array_append_val (spans, unit);
          last = &g_array_index (spans, CuredCleared, spans->len - 1);
        }
    }
  return (CuredCleared *) (void *) g_array_free (spans, FALSE);
}

/* The registers that are live after the @end of a piece, in @live. */
static void
get_live_out (const Flow *self, const Piece *piece, uint64_t *live)
{
  uint32_t site = piece->has_branch ? piece->end : piece->end - 1;
  const Stretch *stretch =
      &g_array_index (self->stretches, Stretch, self->stretch_of[site - self->function->first]);

  for (gsize w = 0; w < self->n_words; w++)
    {
      live[w] = stretch->is_open ? UINT64_MAX : 0;
      for (int k = 0; k < 2; k++)
        if (stretch->next[k] != G_MAXUINT32)
          live[w] |= self->live_in[stretch->next[k] * self->n_words + w];
    }
}

CURED_CLEAR_FUNC (Flow, flow_clear, begins, g_free, stretches, g_array_unref, stretch_of, g_free,
                  live_in, g_free)

/* ---- A piece ---- */

typedef struct
{
  Native native;
  Flow flow;
  X86Label *labels[2]; /* by site of the function: for all lanes, and for some */
  X86Label leave;
  bool *is_piece; /* by site of the function */
} Compiler;

static void
leave_at (Compiler *self, uint32_t pc)
{
  X86 *x86 = &self->native.x86;

  _cured_x86_store_immediate (x86, x86_memory (NATIVE_WARP, offsetof (CuredWarp, pc)), pc);
  _cured_x86_jump (x86, &self->leave);
}

/* Continues at @pc. */
static void
go_to (Compiler *self, uint32_t pc)
{
  uint32_t at = pc - self->flow.function->first;

  if (at < self->flow.function->n_sites && self->is_piece[at])
    _cured_x86_jump (&self->native.x86, &self->labels[!self->native.is_full][at]);
  else
    leave_at (self, pc);
}

/* Sites come first, with the lane counts of those that not all lanes execute; then pieces. */
static X86Operand
count_of_site (uint32_t site)
{
  return x86_memory (NATIVE_COUNTS, (gint64) site * 8);
}

static X86Operand
count_of (const Compiler *self, guint piece, unsigned which)
{
  return x86_memory (NATIVE_COUNTS,
                     (self->native.module->n_code + (gint64) piece * N_COUNTS + which) * 8);
}

/* RDX gets the active lanes of a predicated instruction. */
static void
load_lanes (Native *self, const CuredPtxInst *inst)
{
  _cured_x86_load (&self->x86, RDX, _cured_native_place (&inst->guard, 0), false);
  if (inst->guard.is_negated)
    _cured_x86_not (&self->x86, RDX);
  if (!self->is_full)
    _cured_x86_arithmetic (&self->x86, X86_AND, RDX,
                           x86_memory (NATIVE_WARP, offsetof (CuredWarp, active)), false);
}

/* Adds the number of lanes in @from to @place. */
static void
count_lanes (X86 *x86, X86Operand from, X86Operand place)
{
  _cured_x86_popcount (x86, RAX, from);
  _cured_x86_arithmetic (x86, X86_ADD, RAX, place, true);
  _cured_x86_store (x86, place, RAX, true);
}

static void
translate_instruction (Compiler *self, const CuredPtxInst *inst)
{
  Native *native = &self->native;

  native->inst = inst;
  native->stamp++;
  native->is_masked = !native->is_full || inst->guard.width != 0;
  if (inst->guard.width != 0)
    {
      load_lanes (native, inst);
      if (native->is_counting)
        count_lanes (&native->x86, x86_register (RDX), count_of_site (inst->site));
    }
  if (!_cured_native_translate (native))
    _cured_native_call_handler (native, inst);
}

/* The branch at the end of the piece: divergence is left to the interpreter. */
static void
translate_branch (Compiler *self, guint index, const CuredPtxInst *inst)
{
  Native *native = &self->native;
  X86 *x86 = &native->x86;
  X86Operand active = x86_memory (NATIVE_WARP, offsetof (CuredWarp, active));
  X86Label falls = { 0 }, parts = { 0 }, is_alone = { 0 };

  if (inst->guard.width != 0)
    {
      load_lanes (native, inst);
      _cured_x86_arithmetic_immediate (x86, X86_CMP, x86_register (RDX), 0, false);
      _cured_x86_jump_if (x86, X86_EQUAL, &falls);
      _cured_x86_arithmetic (x86, X86_CMP, RDX, active, false);
      _cured_x86_jump_if (x86, X86_NOT_EQUAL, &parts);
      if (native->is_counting)
        count_lanes (x86, active, count_of_site (inst->site));
    }
  /* Other groups of the warp may have to run first. */
  _cured_x86_arithmetic_immediate (
      x86, X86_CMP, x86_memory (NATIVE_WARP, offsetof (CuredWarp, n_groups)), 1, false);
  _cured_x86_jump_if (x86, X86_EQUAL, &is_alone);
  _cured_x86_store_immediate (x86, x86_memory (NATIVE_WARP, offsetof (CuredWarp, is_stopped)), 1);
  leave_at (self, inst->target);
  _cured_x86_place (x86, &is_alone);
  go_to (self, inst->target);
  if (inst->guard.width == 0)
    return;
  _cured_x86_place (x86, &parts);
  _cured_x86_arithmetic_immediate (x86, X86_ADD, x86_register (NATIVE_LEFT), 1, false);
  if (native->is_counting)
    _cured_x86_arithmetic_immediate (x86, X86_ADD, count_of (self, index, COUNT_PARTED), 1, true);
  leave_at (self, inst->site);
  _cured_x86_place (x86, &falls);
  go_to (self, inst->site + 1);
}

static void
translate_piece (Compiler *self, guint index, const Piece *piece, const uint64_t *live_out)
{
  Native *native = &self->native;
  X86 *x86 = &native->x86;
  const CuredPtxInst *code = self->flow.code;
  uint32_t n = piece->end - piece->first + piece->has_branch;
  X86Label is_short = { 0 };

  native->piece_end = &code[piece->end];
  native->live_out = live_out;
  _cured_native_forget (native);
  _cured_x86_place (x86,
                    &self->labels[!native->is_full][piece->first - self->flow.function->first]);
  _cured_x86_arithmetic_immediate (x86, X86_CMP, x86_register (NATIVE_LEFT), (int32_t) n, false);
  _cured_x86_jump_if (x86, X86_BELOW, &is_short);
  _cured_x86_load (x86, RAX, x86_memory (NATIVE_WARP, offsetof (CuredWarp, merge_pc)), false);
  _cured_x86_arithmetic_immediate (x86, X86_SUB, x86_register (RAX), (int32_t) piece->first, false);
  _cured_x86_arithmetic_immediate (x86, X86_CMP, x86_register (RAX), (int32_t) n, false);
  _cured_x86_jump_if (x86, X86_BELOW, &is_short);
  _cured_x86_arithmetic_immediate (x86, X86_SUB, x86_register (NATIVE_LEFT), (int32_t) n, false);
  if (native->is_counting && native->is_full)
    _cured_x86_arithmetic_immediate (x86, X86_ADD, count_of (self, index, COUNT_FULL), 1, true);
  else if (native->is_counting)
    {
      _cured_x86_arithmetic_immediate (x86, X86_ADD, count_of (self, index, COUNT_PARTIAL), 1,
                                       true);
      count_lanes (x86, x86_memory (NATIVE_WARP, offsetof (CuredWarp, active)),
                   count_of (self, index, COUNT_LANES));
    }
  for (const CuredPtxInst *inst = &code[piece->first]; inst < native->piece_end; inst++)
    translate_instruction (self, inst);
  _cured_native_write_back (native, native->piece_end, false);
  _cured_native_forget (native);
  if (piece->has_branch)
    translate_branch (self, index, native->piece_end);
  else
    go_to (self, piece->end);
  _cured_x86_place (x86, &is_short);
  leave_at (self, piece->first);
  _cured_native_place_detours (native);
}

/* ---- A function ---- */

/* Entry and exit code; cured-native-internal.h declares its arguments. */
static void
translate_ends (Compiler *self)
{
  /* push rbx, rbp, r12 to r15; sub rsp, 8 */
  static const uint8_t begin[] = { 0x53, 0x55, 0x41, 0x54, 0x41, 0x55, 0x41,
                                   0x56, 0x41, 0x57, 0x48, 0x83, 0xec, 0x08 };
  /* jmp rsi */
  static const uint8_t jump[] = { 0xff, 0xe6 };
  /* vzeroupper; add rsp, 8; the registers again; ret */
  static const uint8_t end[] = { 0xc5, 0xf8, 0x77, 0x48, 0x83, 0xc4, 0x08, 0x41, 0x5f,
                                 0x41, 0x5e, 0x41, 0x5d, 0x41, 0x5c, 0x5d, 0x5b, 0xc3 };
  X86 *x86 = &self->native.x86;

  _cured_x86_bytes (x86, begin, sizeof begin);
  _cured_x86_move (x86, NATIVE_WARP, RDI, true);
  _cured_x86_move (x86, NATIVE_COUNTS, RDX, true);
  _cured_x86_move (x86, NATIVE_LEFT, RCX, false);
  _cured_x86_load (x86, NATIVE_REGISTERS,
                   x86_memory (NATIVE_WARP, offsetof (CuredWarp, bases) +
                                                CURED_BASE_REGISTERS * sizeof (void *)),
                   true);
  _cured_x86_load (x86, NATIVE_CONSTANTS,
                   x86_memory (NATIVE_WARP, offsetof (CuredWarp, bases) +
                                                CURED_BASE_CONSTANTS * sizeof (void *)),
                   true);
  _cured_x86_set (x86, NATIVE_DATA, (uint64_t) (uintptr_t) &_cured_native_data);
  _cured_x86_bytes (x86, jump, sizeof jump);
  _cured_x86_place (x86, &self->leave);
  _cured_x86_move (x86, RAX, NATIVE_LEFT, false);
  _cured_x86_bytes (x86, end, sizeof end);
}

/* Adds the function's pieces to the translation's. */
static void
find_pieces (Compiler *self, Translation *translation)
{
  const CuredPtxFunction *function = self->flow.function;
  uint32_t end = function->first + function->n_sites;

  for (guint i = 0; i < self->flow.stretches->len; i++)
    {
      const Stretch *stretch = &g_array_index (self->flow.stretches, Stretch, i);
      const CuredPtxInst *first = &self->flow.code[stretch->first];
      Piece piece = { .first = stretch->first, .end = stretch->end };

      if (first->op == CURED_PTX_OP_bra)
        piece.end = piece.first;
      else if (!is_straight (first))
        continue;
      piece.has_branch = piece.end < end && self->flow.code[piece.end].op == CURED_PTX_OP_bra;
      self->is_piece[piece.first - function->first] = true;
      g_array_append_val (translation->pieces, piece);
    }
}

/* Makes @bytes executable; FALSE: the system refuses. */
static bool
map_code (Translation *self, const X86 *x86)
{
  Map *map = g_new0 (Map, 1);

  map->size = x86->n;
  map->bytes = mmap (NULL, x86->n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (map->bytes == MAP_FAILED)
    {
      g_free (map);
      return false;
    }
  memcpy (map->bytes, x86->bytes, x86->n);
  if (mprotect (map->bytes, map->size, PROT_READ | PROT_EXEC) != 0)
    {
      munmap (map->bytes, map->size);
      g_free (map);
      return false;
    }
  g_ptr_array_add (self->maps, map);
  return true;
}

static void
free_map (gpointer data)
{
  Map *map = data;

  munmap (map->bytes, map->size);
  g_free (map);
}

/* ---- A module ---- */

/* Held while code is generated, and while its pieces are read. */
static GMutex mutex;

CURED_FREE_FUNC (Translation, free_translation, maps, g_ptr_array_unref, pieces, g_array_unref,
                 parent.entries, g_free, is_translated, g_free)

static void
free_translations (gpointer data)
{
  Translations *self = data;

  for (int i = 0; i < N_MODES; i++)
    g_clear_pointer (&self->modes[i], free_translation);
  g_ptr_array_unref (self->cleared);
  g_free (self);
}

static Translations *
get_translations (CuredPtxModule *module)
{
  Translations *self = module->native;

  if (self != NULL)
    return self;
  self = module->native = g_new0 (Translations, 1);
  self->cleared = g_ptr_array_new_with_free_func (g_free);
  g_ptr_array_set_size (self->cleared, (int) module->n_functions);
  module->native_free = free_translations;
  return self;
}

/* ---- A function ---- */

static Flow
flow_make (const CuredPtxModule *module, const CuredPtxFunction *function)
{
  Flow flow = { .function = function,
                .code = module->code,
                .n_words = function->frame_bytes / 4096 + 1 };

  find_begins (&flow, module);
  find_stretches (&flow);
  if ((guint64) flow.stretches->len * flow.n_words <= MOST_WORDS)
    find_live (&flow);
  return flow;
}

/* Records what has to be cleared when a block of an entry begins. */
static void
keep_cleared (CuredPtxModule *module, const Flow *flow)
{
  const CuredPtxFunction *function = flow->function;
  gpointer *cleared = &get_translations (module)->cleared->pdata[function - module->functions];
  const CuredCleared whole[] = { { 0, function->frame_bytes }, { 0, 0 } };

  if (function->is_entry && *cleared == NULL)
    *cleared = flow->live_in != NULL ? find_cleared (flow) : g_memdup2 (whole, sizeof whole);
}

static void
translate_function (Translation *self, const CuredPtxFunction *function, bool is_counting,
                    bool is_observed)
{
  Compiler compiler = {
    .native = { .module = self->module,
                .function = function,
                .is_counting = is_counting,
                .is_observed = is_observed },
    .flow = flow_make (self->module, function),
  };
  guint first = self->pieces->len;
  g_autofree uint64_t *live = g_new0 (uint64_t, compiler.flow.n_words);

  keep_cleared (self->module, &compiler.flow);
  if (compiler.flow.live_in == NULL)
    {
      flow_clear (&compiler.flow);
      return;
    }
  compiler.is_piece = g_new0 (bool, function->n_sites + 1);
  for (int i = 0; i < 2; i++)
    compiler.labels[i] = g_new0 (X86Label, function->n_sites + 1);
  compiler.native.detours = g_ptr_array_new_with_free_func (g_free);
  find_pieces (&compiler, self);
  translate_ends (&compiler);
  for (guint i = first; i < self->pieces->len; i++)
    for (int is_full = 0; is_full < 2; is_full++)
      {
        const Piece *piece = &g_array_index (self->pieces, Piece, i);

        compiler.native.is_full = is_full;
        get_live_out (&compiler.flow, piece, live);
        translate_piece (&compiler, i, piece, live);
      }
  if (map_code (self, &compiler.native.x86))
    {
      const uint8_t *bytes = ((Map *) g_ptr_array_index (self->maps, self->maps->len - 1))->bytes;

      self->parent.enter = (CuredNativeEnter) (uintptr_t) bytes;
      for (guint i = first; i < self->pieces->len; i++)
        {
          uint32_t site = g_array_index (self->pieces, Piece, i).first;

          for (int k = 0; k < 2; k++)
            self->parent.entries[2 * site + (guint) k] =
                bytes + compiler.labels[k][site - function->first].at;
        }
    }
  g_ptr_array_unref (compiler.native.detours);
  _cured_x86_clear (&compiler.native.x86);
  for (int i = 0; i < 2; i++)
    g_free (compiler.labels[i]);
  g_free (compiler.is_piece);
  flow_clear (&compiler.flow);
}

/* Products of four warps (wgmma) are checked register by register, as they are used. */
static bool
can_look (const CuredPtxModule *module)
{
  return module->late == NULL && g_strcmp0 (g_getenv ("CURED_TRANSLATE"), "0") != 0;
}

static bool
can_translate (const CuredPtxModule *module)
{
  return can_look (module) && __builtin_cpu_supports ("avx512f") &&
         __builtin_cpu_supports ("avx512bw") && __builtin_cpu_supports ("avx512dq") &&
         __builtin_cpu_supports ("avx512vl") && __builtin_cpu_supports ("avx512cd");
}

/* The registers of @entry to clear when a block begins: those that may be read before they are
 * written.
 *
 * Returns: (nullable): up to an empty one, the module's; NULL: all */
const CuredCleared *
_cured_native_get_cleared (CuredPtxModule *module, const CuredPtxFunction *entry)
{
  if (!can_look (module))
    return NULL;
  g_mutex_lock (&mutex);
  const gpointer *cleared = &get_translations (module)->cleared->pdata[entry - module->functions];
  if (*cleared == NULL)
    {
      Flow flow = flow_make (module, entry);

      keep_cleared (module, &flow);
      flow_clear (&flow);
    }
  g_mutex_unlock (&mutex);
  return *cleared;
}

/* Machine code for a launch of @entry and the functions it may call, generated on first use.
 *
 * @is_counting: instructions are counted by site
 * @is_observed: accesses are reported to observers
 *
 * Returns: (nullable): the module's; NULL: everything is interpreted */
const CuredNative *
_cured_native_prepare (CuredPtxModule *module, const CuredPtxFunction *entry, bool is_counting,
                       bool is_observed)
{
  Translation *self;

  if (!can_translate (module))
    return NULL;
  g_mutex_lock (&mutex);
  Translation **mode = &get_translations (module)->modes[is_counting | (unsigned) is_observed << 1];
  self = *mode;
  if (self == NULL)
    {
      self = *mode = g_new0 (Translation, 1);
      self->module = module;
      self->pieces = g_array_new (FALSE, FALSE, sizeof (Piece));
      self->maps = g_ptr_array_new_with_free_func (free_map);
      self->parent.entries = g_new0 (const void *, 2 * (gsize) module->n_code);
      self->is_translated = g_new0 (bool, module->n_functions);
    }
  for (guint i = 0; i < module->n_functions; i++)
    {
      const CuredPtxFunction *function = &module->functions[i];

      if (self->is_translated[i] || !function->is_defined || function->n_sites == 0 ||
          (function->is_entry && function != entry))
        continue;
      self->is_translated[i] = true;
      translate_function (self, function, is_counting, is_observed);
    }
  self->parent.n_counts = module->n_code + self->pieces->len * N_COUNTS;
  g_mutex_unlock (&mutex);
  return self->parent.enter != NULL ? &self->parent : NULL;
}

/* Adds the counts of the pieces.
 *
 * @counts: of a host thread
 * @sites: by site
 * @lane_instructions: (inout) */
void
_cured_native_add_counts (const CuredNative *native, const uint64_t *counts, gsize n_counts,
                          CuredSiteCounts *sites, uint64_t *lane_instructions)
{
  const Translation *self = (const Translation *) native;
  const CuredPtxInst *code = self->module->code;

  g_mutex_lock (&mutex);
  for (guint i = 0; i < self->pieces->len; i++)
    {
      const Piece *piece = &g_array_index (self->pieces, Piece, i);
      const uint64_t *count = counts + self->module->n_code + i * N_COUNTS;
      uint64_t runs, lanes;

      if (count >= counts + n_counts)
        break;
      runs = count[COUNT_FULL] + count[COUNT_PARTIAL];
      lanes = count[COUNT_FULL] * CURED_WARP_LANES + count[COUNT_LANES];
      for (uint32_t site = piece->first; runs != 0 && site < piece->end + piece->has_branch; site++)
        {
          sites[site].issued += site == piece->end ? runs - count[COUNT_PARTED] : runs;
          if (code[site].guard.width != 0)
            continue;
          sites[site].lanes += lanes;
          *lane_instructions += lanes;
        }
    }
  g_mutex_unlock (&mutex);
  for (guint site = 0; site < self->module->n_code; site++)
    {
      sites[site].lanes += counts[site];
      *lane_instructions += counts[site];
    }
}

#else

const CuredCleared *
_cured_native_get_cleared (CuredPtxModule *module, const CuredPtxFunction *entry)
{
  return NULL;
}

const CuredNative *
_cured_native_prepare (CuredPtxModule *module, const CuredPtxFunction *entry, bool is_counting,
                       bool is_observed)
{
  return NULL;
}

void
_cured_native_add_counts (const CuredNative *native, const uint64_t *counts, gsize n_counts,
                          CuredSiteCounts *sites, uint64_t *lane_instructions)
{
}

#endif
