/* SPDX-License-Identifier: MIT
 * The race detector, fed by hand with what a launch does. */
#include <cured.h>

#include "ptx/machine/cured-warp-private.h"
#include "ptx/watch/cured-race-private.h"
#include "test.h"

#define N_SITES  24
#define N_WARPS  4
#define N_BLOCKS 8

/* Instructions, by site; each access names one. */
enum
{
  LOAD,
  STORE,
  LOAD_2,
  STORE_2,
  LOAD_VOLATILE,
  STORE_VOLATILE,
  POLL, /* a volatile load in a loop that it ends: sites POLL to POLL + 2 */
  ATOMIC = POLL + 3,
  ATOMIC_BLOCK,
  ATOMIC_ACQ_REL,
  COPY,
  ARRIVE,
  WAIT,
  FENCE,
  PRODUCT, /* of matrices: reads that are pending until they are waited for */
};

/* A launch whose events the test makes up. */
typedef struct
{
  CuredPtxInst code[N_SITES];
  CuredPtxOperand operands[N_SITES][5];
  CuredPtxFunction entry;
  CuredPtxModule module;
  CuredLaunch launch;
  CuredReport report;
  CuredMemory *memory;
  guint64 data; /* a buffer of 64 KiB */
  CuredPtxGrid grid;
  CuredObserver *race;
  CuredBlock blocks[N_BLOCKS];
  CuredWarp *warps;
  void *states[N_BLOCKS];
  guint32 registers[N_WARPS * N_BLOCKS][8][32];
  gboolean is_by_lane;   /* plain accesses are announced lane by lane, and none is postponed */
  guint folds;           /* of accesses of all lanes, see CuredAccess */
  guint widths[N_SITES]; /* of stores by chance: an instruction has one; 0: none yet */
} Bench;

static void
set_site (Bench *self, guint site, CuredPtxOp op, int order, int scope)
{
  CuredPtxInst *inst = &self->code[site];

  inst->op = (guint16) op;
  inst->words[CURED_PTX_GROUP_ORDER] = (guint8) order;
  inst->words[CURED_PTX_GROUP_SCOPE] = (guint8) scope;
}

static void
set_strong_sites (Bench *self)
{
  set_site (self, LOAD_VOLATILE, CURED_PTX_OP_ld, CURED_PTX_ORDER_VOLATILE, 0);
  set_site (self, STORE_VOLATILE, CURED_PTX_OP_st, CURED_PTX_ORDER_VOLATILE, 0);
  set_site (self, POLL, CURED_PTX_OP_ld, CURED_PTX_ORDER_VOLATILE, 0);
  set_site (self, POLL + 1, CURED_PTX_OP_setp, 0, 0);
  set_site (self, POLL + 2, CURED_PTX_OP_bra, 0, 0);
  set_site (self, ATOMIC, CURED_PTX_OP_atom, 0, 0);
  set_site (self, ATOMIC_BLOCK, CURED_PTX_OP_atom, 0, CURED_PTX_SCOPE_CTA);
  set_site (self, ATOMIC_ACQ_REL, CURED_PTX_OP_atom, CURED_PTX_ORDER_ACQ_REL, CURED_PTX_SCOPE_GPU);
  set_site (self, ARRIVE, CURED_PTX_OP_mbarrier_arrive, 0, 0);
  set_site (self, WAIT, CURED_PTX_OP_mbarrier_try_wait, 0, 0);
}

/* @has_strong: there are strong and volatile accesses, and atomics
 * @has_copies: there is cp.async, too
 * @has_products: and products of matrices */
static Bench *
bench_new_full (gboolean has_strong, gboolean has_copies, gboolean has_products)
{
  Bench *self = g_new0 (Bench, 1);

  self->memory = cured_memory_new (1 << 20);
  MUST (cured_memory_allocate (self->memory, 65536, &self->data, &fail));
  cured_memory_label (self->memory, self->data, 65536, "data", 4, FALSE);

  for (guint i = 0; i < N_SITES; i++)
    {
      CuredPtxInst *inst = &self->code[i];

      inst->site = i;
      inst->ptx_line = (gint32) i + 1;
      inst->x = self->operands[i];
      inst->n_counts = 2;
      inst->counts[0] = inst->counts[1] = 1;
      /* Register 0 is an address, 1 a value, 2 a predicate. */
      self->operands[i][0] = (CuredPtxOperand){ .width = 4 };
      self->operands[i][1] = (CuredPtxOperand){ .width = 4, .offset = 128 };
    }
  set_site (self, LOAD, CURED_PTX_OP_ld, 0, 0);
  set_site (self, STORE, CURED_PTX_OP_st, 0, 0);
  set_site (self, LOAD_2, CURED_PTX_OP_ld, 0, 0);
  set_site (self, STORE_2, CURED_PTX_OP_st, 0, 0);
  set_site (self, FENCE, CURED_PTX_OP_fence, 0, 0);
  if (has_strong)
    set_strong_sites (self);
  if (has_copies)
    set_site (self, COPY, CURED_PTX_OP_cp_async, 0, 0);
  if (has_products)
    set_site (self, PRODUCT, CURED_PTX_OP_wgmma, 0, 0);
  for (guint i = 0; i < N_SITES; i++)
    if (self->code[i].op == CURED_PTX_OP_ld)
      {
        self->operands[i][0].offset = 128;
        self->operands[i][1].offset = 0;
      }
  /* setp p, q?, value, value; @p bra POLL */
  self->code[POLL + 1].n_counts = 4;
  for (guint i = 0; i < 4; i++)
    {
      self->code[POLL + 1].counts[i] = 1;
      self->operands[POLL + 1][i] = (CuredPtxOperand){ .width = 4 };
    }
  self->operands[POLL + 1][0].offset = 256;
  self->operands[POLL + 1][1].width = 0;
  self->operands[POLL + 1][2].offset = 128;
  self->operands[POLL + 1][3].offset = 512;
  self->code[POLL + 2].n_counts = 0;
  self->code[POLL + 2].target = POLL;
  self->code[POLL + 2].guard = (CuredPtxOperand){ .offset = 256, .width = 1 };

  self->entry.shared_bytes = 8192;
  self->module.code = self->code;
  self->module.n_code = N_SITES;
  self->launch.entry = "test";
  self->launch.module = &self->module;
  self->launch.grid[0] = N_BLOCKS;
  self->launch.grid[1] = self->launch.grid[2] = 1;
  self->grid.launch = &self->launch;
  self->grid.report = &self->report;
  self->grid.module = &self->module;
  self->grid.entry = &self->entry;
  self->grid.memory = self->memory;
  self->report.findings = g_ptr_array_new_with_free_func ((GDestroyNotify) cured_finding_free);
  g_mutex_init (&self->grid.mutex);
  self->race = _cured_race_detector_new (&self->grid);
  self->warps = g_aligned_alloc0 (N_BLOCKS * N_WARPS, sizeof (CuredWarp), 64);
  return self;
}

static Bench *
bench_new (void)
{
  return bench_new_full (TRUE, TRUE, FALSE);
}

static void
begin (Bench *self, guint b)
{
  CuredBlock *block = &self->blocks[b];
  static CuredCluster alone = { .n_blocks = 1 };

  block->cluster = &alone;
  block->grid = &self->grid;
  block->warps = &self->warps[b * N_WARPS];
  block->n_warps = N_WARPS;
  block->n_threads = block->n_alive = N_WARPS * 32;
  block->index = b;
  block->n_reads = block->most_reads = 0;
  for (guint w = 0; w < N_WARPS; w++)
    {
      CuredWarp *warp = &block->warps[w];

      warp->block = block;
      warp->index = w;
      warp->alive = G_MAXUINT32;
      warp->bases[CURED_BASE_REGISTERS] = (guint8 *) self->registers[b * N_WARPS + w];
    }
  self->states[b] = g_malloc0 (self->race->klass->state_size);
  self->race->klass->block_begin (self->race, self->states[b], block);
  if (self->is_by_lane)
    {
      RaceBlock *races = ((RaceState *) self->states[b])->races;

      memset (races->regrets, 0xff, sizeof races->regrets);
    }
}

static void
end (Bench *self, guint b)
{
  self->race->klass->block_end (self->race, self->states[b], &self->blocks[b]);
  g_clear_pointer (&self->states[b], g_free);
}

static void
bench_free (Bench *self)
{
  self->race->klass->free (self->race);
  cured_report_clear (&self->report);
  cured_memory_free (self->memory);
  g_mutex_clear (&self->grid.mutex);
  g_aligned_free (self->warps);
  g_free (self);
}

/* Frees the bench; how many findings of @kind there were. No others may be. */
static guint
bench_finish (Bench *self, CuredFindingKind kind)
{
  for (guint b = 0; b < N_BLOCKS; b++)
    if (self->states[b] != NULL)
      end (self, b);
  _cured_grid_finish_findings (&self->grid);
  guint n = self->report.findings->len;
  for (guint i = 0; i < n; i++)
    {
      CuredFinding *finding = self->report.findings->pdata[i];
      g_autofree char *text = cured_finding_to_string (finding);

      g_test_message ("%s", text);
      g_assert_cmpint (finding->kind, ==, kind);
      if (finding->there.what == NULL)
        g_assert_cmpstr (finding->here.what, ==, "asynchronous copy");
    }
  bench_free (self);
  return n;
}

/* Whether a load needs no telling now: see CuredBlock. */
static gboolean
is_quiet (const Bench *self, guint b, const CuredAccess *access)
{
  const CuredBlock *block = &self->blocks[b];

  return access->space == CURED_SPACE_SHARED && access->kind == CURED_ACCESS_LOAD &&
         access->bulk == NULL && access->mask == G_MAXUINT32 && access->width == 4 &&
         access->pattern != CURED_PATTERN_ANY && block->n_reads < block->most_reads &&
         self->race->klass->get_telling (self->race, access->inst) == CURED_TELL_LATER;
}

static void
note (CuredBlock *block, guint w, const CuredAccess *access)
{
  block->reads[block->n_reads++] =
      (CuredQuietRead){ (guint32) access->address[0], access->inst->site << 6 | w << 1 |
                                                          (access->pattern == CURED_PATTERN_SAME) };
}

/* Lanes of @mask access base + step × lane of @space. */
static void
touch (Bench *self, guint b, guint w, guint site, guint32 mask, CuredSpace space, guint64 base,
       gint64 step, guint width)
{
  CuredAccess access = { .inst = &self->code[site],
                         .space = space,
                         .width = width,
                         .mask = mask,
                         .pattern = CURED_PATTERN_ANY,
                         .folds = mask == G_MAXUINT32 ? self->folds : 0 };
  const CuredBulk bulk = { .inst = access.inst, .barrier = G_MAXUINT64 };
  guint period = 32u >> access.folds;

  switch (self->code[site].op)
    {
    case CURED_PTX_OP_ld: access.kind = CURED_ACCESS_LOAD; break;
    case CURED_PTX_OP_wgmma:
      access.kind = CURED_ACCESS_LOAD;
      access.bulk = &bulk;
      break;
    case CURED_PTX_OP_st: access.kind = CURED_ACCESS_STORE; break;
    case CURED_PTX_OP_cp_async: access.kind = CURED_ACCESS_COPY; break;
    default: access.kind = CURED_ACCESS_ATOMIC; break;
    }
  if (space == CURED_SPACE_GLOBAL)
    base += self->data;
  if (step == 0)
    access.pattern = CURED_PATTERN_SAME;
  else if (mask == G_MAXUINT32 && step == (gint64) width && access.folds == 0)
    access.pattern = CURED_PATTERN_CONTIGUOUS;
  for (guint l = 0; l < 32; l++)
    access.address[l] = base + (guint64) (step * (gint64) (l % period));
  if (space == CURED_SPACE_SHARED && access.bulk == NULL)
    {
      access.shape = (guint64) mask | (guint64) (step & 0xffff) << 32 | (guint64) width << 48 |
                     (guint64) access.folds << 56;
      access.low = access.high = access.address[__builtin_ctz (mask)];
      for (guint32 left = mask; left != 0; left &= left - 1)
        {
          guint64 address = access.address[__builtin_ctz (left)];

          access.low = MIN (access.low, address);
          access.high = MAX (access.high, address);
        }
    }
  if (!self->is_by_lane && is_quiet (self, b, &access))
    note (&self->blocks[b], w, &access);
  else if (!self->is_by_lane || step == 0 || site > STORE_2)
    self->race->klass->access (self->race, self->states[b], &self->blocks[b].warps[w], &access);
  else
    for (guint l = 0; l < 32; l++)
      {
        CuredAccess one = access;

        one.mask = mask & 1u << l;
        one.pattern = CURED_PATTERN_SAME;
        one.shape = 0;
        for (guint k = 0; k < 32; k++)
          one.address[k] = access.address[l];
        if (one.mask != 0)
          self->race->klass->access (self->race, self->states[b], &self->blocks[b].warps[w], &one);
      }
}

#define SHARED(b, w, site, mask, base, step)                                                       \
  touch (bench, b, w, site, mask, CURED_SPACE_SHARED, base, step, 4)
#define GLOBAL(b, w, site, mask, base, step)                                                       \
  touch (bench, b, w, site, mask, CURED_SPACE_GLOBAL, base, step, 4)
#define ALL G_MAXUINT32

static void
barrier (Bench *self, guint b, guint index, const guint32 *lanes)
{
  self->race->klass->barrier (self->race, self->states[b], &self->blocks[b], index, lanes);
}

static void
barrier_all (Bench *self, guint b)
{
  const guint32 lanes[32] = { ALL, ALL, ALL, ALL };

  barrier (self, b, 0, lanes);
}

static void
sync_warp (Bench *self, guint b, guint w, guint32 mask)
{
  self->race->klass->warp_sync (self->race, self->states[b], &self->blocks[b].warps[w], mask);
}

static void
fence (Bench *self, guint b, guint w, guint32 mask, CuredPtxWord scope)
{
  self->race->klass->fence (self->race, self->states[b], &self->blocks[b].warps[w],
                            &self->code[FENCE], mask, scope, CURED_PTX_NO_WORD);
}

static void
products (Bench *self, guint b, guint w, int left)
{
  self->race->klass->products (self->race, self->states[b], &self->blocks[b].warps[w], ALL, left);
}

static void
copies (Bench *self, guint b, guint w, int left)
{
  self->race->klass->copies (self->race, self->states[b], &self->blocks[b].warps[w], ALL, left);
}

/* A launch of block 0 that does what is said, and how many races of a kind are found. */
#define RACES(kind, n, ...)                                                                        \
  G_STMT_START                                                                                     \
  {                                                                                                \
    Bench *bench = bench_new ();                                                                   \
    begin (bench, 0);                                                                              \
    __VA_ARGS__;                                                                                   \
    g_assert_cmpuint (bench_finish (bench, CURED_FINDING_RACE_##kind), ==, n);                     \
  }                                                                                                \
  G_STMT_END

/* clang-format off */

/* ---- Shared memory ---- */

TEST ("/race/shared/warps")
{
  {
    Bench *bench = bench_new ();

    begin (bench, 0);
    SHARED (0, 0, STORE, ALL, 0, 4);
    SHARED (0, 1, LOAD, 0xff00, 0, 4);
    end (bench, 0);
    _cured_grid_finish_findings (&bench->grid);
    g_assert_cmpuint (bench->report.findings->len, ==, 1);
    CuredFinding *finding = bench->report.findings->pdata[0];
    g_assert_cmpint (finding->kind, ==, CURED_FINDING_RACE_SHARED);
    g_assert_cmpstr (finding->here.what, ==, "read");
    g_assert_cmpuint (finding->here.warp, ==, 1);
    g_assert_cmphex (finding->here.lanes, ==, 0xff00);
    g_assert_cmpint (finding->here.ptx_line, ==, LOAD + 1);
    g_assert_cmpstr (finding->there.what, ==, "write");
    g_assert_cmpuint (finding->there.warp, ==, 0);
    g_assert_cmphex (finding->there.lanes, ==, 0xff00);
    g_assert_cmpint (finding->there.ptx_line, ==, STORE + 1);
    g_assert_cmpstr (finding->object, ==, "shared memory, byte 32");
    bench_finish (bench, CURED_FINDING_RACE_SHARED);
  }
  RACES (SHARED, 0, SHARED (0, 0, STORE, ALL, 0, 4); barrier_all (bench, 0);
         SHARED (0, 1, LOAD, ALL, 0, 4); SHARED (0, 2, LOAD, ALL, 0, 4); barrier_all (bench, 0);
         SHARED (0, 3, STORE, ALL, 0, 4));

  /* Write after read; the same thread's own read is none. */
  RACES (SHARED, 0, SHARED (0, 1, LOAD, ALL, 0, 4); SHARED (0, 1, STORE, ALL, 0, 4);
         SHARED (0, 1, LOAD_2, ALL, 0, 4));
  RACES (SHARED, 1, SHARED (0, 1, LOAD, ALL, 0, 4); SHARED (0, 2, LOAD, ALL, 0, 4);
         SHARED (0, 2, STORE, ALL, 0, 4));

  /* The next block finds its memory untouched. */
  RACES (SHARED, 0, SHARED (0, 0, STORE, ALL, 0, 4); end (bench, 0); begin (bench, 1);
         SHARED (1, 3, LOAD, ALL, 0, 4); SHARED (1, 3, STORE, ALL, 0, 4));
}

TEST ("/race/shared/lanes")
{
  /* Lane l writes its own word and reads that of lane l + 1. */
  RACES (SHARED, 1, SHARED (0, 0, STORE, ALL, 0, 4); SHARED (0, 0, LOAD, ALL >> 1, 4, 4));
  RACES (SHARED, 0, SHARED (0, 0, STORE, ALL, 0, 4); sync_warp (bench, 0, 0, ALL);
         SHARED (0, 0, LOAD, ALL >> 1, 4, 4));

  /* Halves that each synchronize: the edge between them races. */
  RACES (SHARED, 1, SHARED (0, 0, STORE, ALL, 0, 4); sync_warp (bench, 0, 0, 0xffff);
         sync_warp (bench, 0, 0, 0xffff0000); SHARED (0, 0, LOAD, 0x7fff7fff, 4, 4);
         SHARED (0, 0, LOAD_2, 1 << 15, 4, 4));

  /* What lane 0 gives to lane 1 and this to lane 2 has reached lane 2. */
  RACES (SHARED, 0, SHARED (0, 0, STORE, 1, 0, 4); sync_warp (bench, 0, 0, 3);
         sync_warp (bench, 0, 0, 6); SHARED (0, 0, LOAD, 4, 0, 0));

  /* And in the other order it has not. */
  RACES (SHARED, 1, SHARED (0, 0, STORE, 1, 0, 4); sync_warp (bench, 0, 0, 6);
         sync_warp (bench, 0, 0, 3); SHARED (0, 0, LOAD, 4, 0, 0));

  /* A warp's barrier says nothing to another warp. */
  RACES (SHARED, 1, SHARED (0, 0, STORE, ALL, 0, 4); sync_warp (bench, 0, 0, ALL);
         sync_warp (bench, 0, 1, ALL); SHARED (0, 1, LOAD, 1, 0, 4));

  /* volatile does not keep a warp converged. */
  RACES (SHARED, 1, SHARED (0, 0, STORE_VOLATILE, ALL, 0, 4);
         SHARED (0, 0, LOAD_VOLATILE, ALL >> 1, 4, 4));
}

TEST ("/race/shared/values")
{
  {
    Bench *bench = bench_new ();

    /* All lanes store 7 to one word, and so does another warp. */
    begin (bench, 0);
    for (guint l = 0; l < 32; l++)
      bench->registers[0][1][l] = bench->registers[1][1][l] = 7;
    SHARED (0, 0, STORE, ALL, 0, 0);
    SHARED (0, 1, STORE, ALL, 0, 0);
    g_assert_cmpuint (bench_finish (bench, CURED_FINDING_RACE_SHARED), ==, 0);
  }
  RACES (SHARED, 1, bench->registers[0][1][3] = 8; SHARED (0, 0, STORE, ALL, 0, 0));

  /* Zeros, too, are values: the value now matters, not the one before. */
  RACES (SHARED, 1, bench->registers[1][1][0] = 1; SHARED (0, 0, STORE, 1, 0, 0);
         SHARED (0, 1, STORE, 1, 0, 0));
}

TEST ("/race/shared/bytes")
{
  {
    Bench *bench = bench_new ();

    begin (bench, 0);
    for (guint l = 0; l < 32; l++)
      bench->registers[0][1][l] = l;
    /* Bytes side by side are different bytes, in what was a page of words. */
    SHARED (0, 2, STORE, ALL, 1024, 4);
    touch (bench, 0, 0, STORE, ALL, CURED_SPACE_SHARED, 0, 1, 1);
    touch (bench, 0, 0, LOAD, ALL, CURED_SPACE_SHARED, 0, 1, 1);
    touch (bench, 0, 1, STORE, ALL, CURED_SPACE_SHARED, 33, 2, 1);
    touch (bench, 0, 2, LOAD, ALL, CURED_SPACE_SHARED, 1025, 4, 1);
    g_assert_cmpuint (bench_finish (bench, CURED_FINDING_RACE_SHARED), ==, 0);
  }
  RACES (SHARED, 1, SHARED (0, 0, STORE, ALL, 0, 4);
         touch (bench, 0, 1, LOAD, 1, CURED_SPACE_SHARED, 127, 1, 1));

  /* Wide ones cover several words, across the end of a page. */
  RACES (SHARED, 2, touch (bench, 0, 0, STORE, 1, CURED_SPACE_SHARED, 4096 - 16, 16, 16);
         touch (bench, 0, 0, STORE, 2, CURED_SPACE_SHARED, 4096 - 16, 16, 16);
         SHARED (0, 1, LOAD, 1, 4096 - 4, 4); SHARED (0, 1, LOAD_2, 1, 4096 + 12, 4));
}

TEST ("/race/shared/atomics")
{
  RACES (SHARED, 0, SHARED (0, 0, ATOMIC, ALL, 0, 0); SHARED (0, 1, ATOMIC, ALL, 0, 0);
         barrier_all (bench, 0); SHARED (0, 2, LOAD, ALL, 0, 0));
  RACES (SHARED, 1, SHARED (0, 0, ATOMIC, ALL, 0, 0); SHARED (0, 1, ATOMIC, 1, 0, 0);
         SHARED (0, 1, LOAD, 1, 0, 0));
  RACES (SHARED, 1, SHARED (0, 0, STORE, 1, 0, 0); SHARED (0, 1, ATOMIC, ALL, 0, 0));
}

TEST ("/race/shared/named-barriers")
{
  static const guint32 first_two[32] = { ALL, ALL };
  static const guint32 second[32] = { 0, ALL };
  /* Warps 0 and 1 meet; warp 2 was not there. */
  RACES (SHARED, 0, SHARED (0, 0, STORE, ALL, 0, 4); barrier (bench, 0, 1, first_two);
         SHARED (0, 1, LOAD, ALL, 0, 4));
  RACES (SHARED, 1, SHARED (0, 0, STORE, ALL, 0, 4); barrier (bench, 0, 1, first_two);
         SHARED (0, 2, LOAD, ALL, 0, 4));

  /* Warp 0 arrives and goes on, warp 1 waits. */
  RACES (SHARED, 0, SHARED (0, 0, STORE, ALL, 0, 4);
         bench->race->klass->arrive (bench->race, bench->states[0], &bench->blocks[0].warps[0], ALL, 1);
         barrier (bench, 0, 1, second); SHARED (0, 1, LOAD, ALL, 0, 4));

  /* What it writes after it arrived is not covered, nor does it learn what the others did. */
  RACES (SHARED, 2, SHARED (0, 1, STORE, ALL, 256, 4);
         bench->race->klass->arrive (bench->race, bench->states[0], &bench->blocks[0].warps[0], ALL, 1);
         SHARED (0, 0, STORE, ALL, 0, 4); barrier (bench, 0, 1, second);
         SHARED (0, 1, LOAD, ALL, 0, 4); SHARED (0, 0, LOAD_2, ALL, 256, 4));
}

TEST ("/race/shared/copies")
{
  RACES (SHARED, 0, touch (bench, 0, 0, COPY, ALL, CURED_SPACE_SHARED, 0, 16, 16);
         copies (bench, 0, 0, CURED_COPIES_COMMIT); copies (bench, 0, 0, 0);
         touch (bench, 0, 0, LOAD, ALL, CURED_SPACE_SHARED, 0, 16, 16); barrier_all (bench, 0);
         touch (bench, 0, 1, LOAD, ALL, CURED_SPACE_SHARED, 0, 16, 16));

  /* Not waited for: a barrier does not help, nor that it was one's own. */
  RACES (SHARED, 2, touch (bench, 0, 0, COPY, ALL, CURED_SPACE_SHARED, 0, 16, 16);
         copies (bench, 0, 0, CURED_COPIES_COMMIT);
         touch (bench, 0, 0, LOAD, ALL, CURED_SPACE_SHARED, 0, 16, 16); barrier_all (bench, 0);
         touch (bench, 0, 1, LOAD_2, ALL, CURED_SPACE_SHARED, 0, 16, 16));

  /* Waited for, and no barrier. */
  RACES (SHARED, 1, touch (bench, 0, 0, COPY, ALL, CURED_SPACE_SHARED, 0, 16, 16);
         copies (bench, 0, 0, CURED_COPIES_NONE);
         touch (bench, 0, 1, LOAD, ALL, CURED_SPACE_SHARED, 0, 16, 16));

  /* Never waited for, nor used. */
  RACES (SHARED, 1, touch (bench, 0, 0, COPY, ALL, CURED_SPACE_SHARED, 0, 16, 16);
         copies (bench, 0, 0, CURED_COPIES_COMMIT));

  /* Two stages: one group may still be pending, the older is done. */
  RACES (SHARED, 1, touch (bench, 0, 0, COPY, ALL, CURED_SPACE_SHARED, 0, 16, 16);
         copies (bench, 0, 0, CURED_COPIES_COMMIT);
         touch (bench, 0, 0, COPY, ALL, CURED_SPACE_SHARED, 512, 16, 16);
         copies (bench, 0, 0, CURED_COPIES_COMMIT); copies (bench, 0, 0, 1);
         barrier_all (bench, 0); touch (bench, 0, 1, LOAD, ALL, CURED_SPACE_SHARED, 0, 16, 16);
         touch (bench, 0, 1, LOAD_2, ALL, CURED_SPACE_SHARED, 512, 16, 16));
}

TEST ("/race/shared/mbarrier")
{
  RACES (SHARED, 0, SHARED (0, 0, STORE, ALL, 0, 4);
         touch (bench, 0, 0, ARRIVE, ALL, CURED_SPACE_SHARED, 4096, 0, 8);
         touch (bench, 0, 1, WAIT, ALL, CURED_SPACE_SHARED, 4096, 0, 8);
         SHARED (0, 1, LOAD, ALL, 0, 4));
  RACES (SHARED, 1, touch (bench, 0, 0, ARRIVE, ALL, CURED_SPACE_SHARED, 4096, 0, 8);
         SHARED (0, 0, STORE, ALL, 0, 4);
         touch (bench, 0, 1, WAIT, ALL, CURED_SPACE_SHARED, 4096, 0, 8);
         SHARED (0, 1, LOAD, ALL, 0, 4));
}

/* ---- Global memory ---- */

TEST ("/race/global/blocks")
{
  {
    Bench *bench = bench_new ();

    /* Averaging in place: the neighbour's element is read and written. The sides are named in
     * the order of their places, not of their time. */
    begin (bench, 0);
    begin (bench, 1);
    GLOBAL (1, 0, STORE, ALL, 128, 4);
    GLOBAL (0, 0, LOAD, ALL, 4, 4);
    _cured_grid_finish_findings (&bench->grid);
    CuredFinding *finding = bench->report.findings->pdata[0];
    g_assert_cmpint (finding->kind, ==, CURED_FINDING_RACE_GLOBAL);
    g_assert_cmpstr (finding->object, ==, "data[32]");
    g_assert_cmpstr (finding->here.what, ==, "read");
    g_assert_cmpuint (finding->here.block[0], ==, 0);
    g_assert_cmphex (finding->here.lanes, ==, 1u << 31);
    g_assert_cmpstr (finding->there.what, ==, "write");
    g_assert_cmpuint (finding->there.block[0], ==, 1);
    g_assert_cmphex (finding->there.lanes, ==, 1);
    g_assert_cmpuint (bench_finish (bench, CURED_FINDING_RACE_GLOBAL), ==, 1);

    bench = bench_new ();
    begin (bench, 0);
    begin (bench, 1);
    GLOBAL (0, 0, LOAD, ALL, 4, 4);
    GLOBAL (1, 0, STORE, ALL, 128, 4);
    _cured_grid_finish_findings (&bench->grid);
    finding = bench->report.findings->pdata[0];
    g_assert_cmpstr (finding->here.what, ==, "read");
    g_assert_cmpstr (finding->there.what, ==, "write");
    bench_finish (bench, CURED_FINDING_RACE_GLOBAL);

    /* Own parts, reads of the same, relaxed atomics, and the same flag set by everyone. */
    bench = bench_new ();
    for (guint b = 0; b < N_BLOCKS; b++)
      {
        begin (bench, b);
        GLOBAL (b, 0, STORE, ALL, 128 * b, 4);
        GLOBAL (b, 0, LOAD, ALL, 8192, 4);
        GLOBAL (b, 0, ATOMIC, ALL, 4096, 0);
        GLOBAL (b, 0, STORE, ALL, 4100, 0);
      }
    g_assert_cmpuint (bench_finish (bench, CURED_FINDING_RACE_GLOBAL), ==, 0);
  }

  /* Within a block a barrier orders global memory, too. */
  RACES (GLOBAL, 1, GLOBAL (0, 0, STORE, ALL, 0, 4); barrier_all (bench, 0);
         GLOBAL (0, 1, LOAD, ALL, 0, 4); GLOBAL (0, 2, STORE, ALL, 0, 4));

  /* atomicAdd_block () is one of the block. */
  RACES (GLOBAL, 0, begin (bench, 1); GLOBAL (0, 0, ATOMIC_BLOCK, ALL, 0, 0);
         GLOBAL (0, 1, ATOMIC_BLOCK, ALL, 0, 0); GLOBAL (1, 0, ATOMIC_BLOCK, ALL, 4, 0));
  RACES (GLOBAL, 1, begin (bench, 1); GLOBAL (0, 0, ATOMIC_BLOCK, ALL, 0, 0);
         GLOBAL (1, 0, ATOMIC, ALL, 0, 0));
}

/* Every block but the first writes a partial sum and counts itself; the first one, the last to
 * count, sets the counter back and reads them all. */
static guint
run_last_block (CuredPtxWord scope, guint store, guint load, guint count)
{
  Bench *bench = bench_new ();

  begin (bench, 0);
  for (guint b = 1; b < N_BLOCKS; b++)
    {
      begin (bench, b);
      GLOBAL (b, 0, store, 1, 4 * b, 0);
      if (scope != CURED_PTX_NO_WORD)
        fence (bench, b, 0, 1, scope);
      GLOBAL (b, 0, count, 1, 4096, 0);
      end (bench, b);
    }
  GLOBAL (0, 0, count, 1, 4096, 0);
  GLOBAL (0, 0, store, 1, 4096, 0);
  barrier_all (bench, 0);
  GLOBAL (0, 1, load, (1 << N_BLOCKS) - 2, 0, 4);
  return bench_finish (bench, CURED_FINDING_RACE_GLOBAL);
}

TEST ("/race/global/last-block")
{
  g_assert_cmpuint (run_last_block (CURED_PTX_SCOPE_GPU, STORE, LOAD, ATOMIC), ==, 0);
  g_assert_cmpuint (run_last_block (CURED_PTX_SCOPE_GPU, STORE_VOLATILE, LOAD_VOLATILE, ATOMIC), ==,
                    0);
  g_assert_cmpuint (run_last_block (CURED_PTX_NO_WORD, STORE, LOAD, ATOMIC_ACQ_REL), ==, 0);
  /* No fence, or one for the block only: the partial sums race, and so does the counter that is set
   * back. */
  g_assert_cmpuint (run_last_block (CURED_PTX_NO_WORD, STORE, LOAD, ATOMIC), ==, 2);
  g_assert_cmpuint (run_last_block (CURED_PTX_SCOPE_CTA, STORE, LOAD, ATOMIC), ==, 2);
  /* To a volatile access the counter is a flag, and the sums are data. */
  g_assert_cmpuint (run_last_block (CURED_PTX_NO_WORD, STORE_VOLATILE, LOAD_VOLATILE, ATOMIC), ==,
                    1);
  /* An atomic for the block only races with itself, too. */
  g_assert_cmpuint (run_last_block (CURED_PTX_SCOPE_GPU, STORE, LOAD, ATOMIC_BLOCK), ==, 3);
}

TEST ("/race/global/flags")
{
  {
    Bench *bench = bench_new ();

    /* A flag that is polled, with what it guards; then on to a third block. */
    for (guint b = 0; b < 3; b++)
      begin (bench, b);
    GLOBAL (1, 0, POLL, 1, 4096, 0);
    GLOBAL (0, 0, STORE, ALL, 0, 4);
    barrier_all (bench, 0);
    fence (bench, 0, 1, 1, CURED_PTX_SCOPE_GPU);
    GLOBAL (0, 1, STORE_VOLATILE, 1, 4096, 0);
    GLOBAL (1, 0, POLL, 1, 4096, 0);
    fence (bench, 1, 0, 1, CURED_PTX_SCOPE_GPU);
    barrier_all (bench, 1);
    GLOBAL (1, 2, LOAD, ALL, 0, 4);
    fence (bench, 1, 3, 1, CURED_PTX_SCOPE_GPU);
    GLOBAL (1, 3, STORE_VOLATILE, 1, 4100, 0);
    GLOBAL (2, 0, POLL, 1, 4100, 0);
    barrier_all (bench, 2);
    GLOBAL (2, 1, LOAD_2, ALL, 0, 4);
    g_assert_cmpuint (bench_finish (bench, CURED_FINDING_RACE_GLOBAL), ==, 0);
  }

  /* Written after the fence. */
  RACES (GLOBAL, 1, begin (bench, 1); fence (bench, 0, 0, 1, CURED_PTX_SCOPE_GPU);
         GLOBAL (0, 0, STORE, 1, 0, 4); GLOBAL (0, 0, STORE_VOLATILE, 1, 4096, 0);
         GLOBAL (1, 0, POLL, 1, 4096, 0); GLOBAL (1, 0, LOAD, 1, 0, 4));

  /* A flag that is read once is not a flag. */
  RACES (GLOBAL, 1, begin (bench, 1); GLOBAL (0, 0, STORE_VOLATILE, 1, 4096, 0);
         GLOBAL (1, 0, LOAD_VOLATILE, 1, 4096, 0));

  /* A release after the reader looked, before its next step, is seen: another processor may be
   * between the word of an access and the access. */
  RACES (GLOBAL, 0, begin (bench, 1); GLOBAL (0, 0, STORE, 1, 0, 4);
         fence (bench, 0, 0, 1, CURED_PTX_SCOPE_GPU); GLOBAL (1, 0, ATOMIC, 1, 4096, 0);
         GLOBAL (0, 0, ATOMIC, 1, 4096, 0); fence (bench, 1, 0, 1, CURED_PTX_SCOPE_GPU);
         GLOBAL (1, 0, LOAD, 1, 0, 4));
}

/* All blocks synchronize through a counter, over and over, and pass their data on. */
static guint
run_grid_barrier (guint n_rounds, guint round_without)
{
  Bench *bench = bench_new ();

  for (guint b = 0; b < N_BLOCKS; b++)
    begin (bench, b);
  for (guint round = 0; round < n_rounds; round++)
    {
      for (guint b = 0; b < N_BLOCKS; b++)
        {
          GLOBAL (b, 0, STORE, ALL, 128 * b + 8192 * (round % 2), 4);
          barrier_all (bench, b);
          if (round != round_without)
            fence (bench, b, 0, 1, CURED_PTX_SCOPE_GPU);
          GLOBAL (b, 0, ATOMIC, 1, 32768, 0);
        }
      for (guint b = 0; b < N_BLOCKS; b++)
        {
          GLOBAL (b, 0, ATOMIC, 1, 32768, 0);
          barrier_all (bench, b);
          GLOBAL (b, 1, LOAD, ALL, 128 * ((b + 1) % N_BLOCKS) + 8192 * (round % 2), 4);
        }
    }
  return bench_finish (bench, CURED_FINDING_RACE_GLOBAL);
}

TEST ("/race/global/grid-barrier")
{
  g_assert_cmpuint (run_grid_barrier (6, G_MAXUINT), ==, 0);
  g_assert_cmpuint (run_grid_barrier (6, 3), >=, 1);
}

/* ---- Short cuts ---- */

/* Something that threads of a few blocks do, by chance: mostly accesses of neighbours in the same
 * kilobyte. */
static void
do_anything (Bench *bench, GRand *random)
{
  static const guint sites[] = { LOAD,    LOAD,          LOAD_2,         STORE, STORE,
                                 STORE_2, LOAD_VOLATILE, STORE_VOLATILE, ATOMIC };
  static const guint32 masks[] = { ALL, ALL, ALL, 0xffff, 0xff00ff00, 1 };
  guint b = (guint) g_rand_int_range (random, 0, 2);
  guint w = (guint) g_rand_int_range (random, 0, N_WARPS);
  guint width = 2u << g_rand_int_range (random, 0, 4);
  gboolean has_strong = bench->code[ATOMIC].op == CURED_PTX_OP_atom;
  guint site = sites[g_rand_int_range (random, 0, has_strong ? G_N_ELEMENTS (sites) : 6)];
  guint32 mask = masks[g_rand_int_range (random, 0, G_N_ELEMENTS (masks))];
  gboolean is_shared = g_rand_boolean (random);
  guint64 base = (guint64) g_rand_int_range (random, 0, 8) * 128;

  if (bench->code[site].op == CURED_PTX_OP_st && bench->widths[site] == 0)
    bench->widths[site] = width;
  else if (bench->code[site].op == CURED_PTX_OP_st)
    width = bench->widths[site];
  gint64 step = width;

  switch (g_rand_int_range (random, 0, 16))
    {
    case 0:
    case 1:
      barrier_all (bench, b);
      return;
    case 2:
      sync_warp (bench, b, w, mask);
      return;
    case 3:
      fence (bench, b, w, ALL, CURED_PTX_SCOPE_GPU);
      return;
    case 4:
      end (bench, b);
      begin (bench, b);
      return;
    case 5:
      base += width * (guint64) g_rand_int_range (random, 1, 32);
      break;
    case 6:
      step *= 2;
      break;
    case 7:
      step = 0;
      break;
    case 8:
      if (bench->code[COPY].op == CURED_PTX_OP_cp_async)
        (g_rand_boolean (random) ? copies : products) (bench, b, w,
                                                       g_rand_int_range (random, -1, 2));
      return;
    case 9:
      if (bench->code[COPY].op != CURED_PTX_OP_cp_async)
        break;
      site = g_rand_boolean (random) ? COPY : PRODUCT;
      is_shared = TRUE;
      width = 16;
      step = 16;
      break;
    default:
      break;
    }
  bench->folds = g_rand_int_range (random, 0, 3) == 0 ? (guint) g_rand_int_range (random, 1, 4) : 0;
  if (site == ATOMIC)
    {
      width = 4;
      step = MIN (step, 4);
    }
  if (bench->code[site].op == CURED_PTX_OP_st)
    {
      bench->code[site].counts[1] = (guint8) MAX (width / 4, 1);
      for (guint i = 1; i <= MAX (width / 4, 1); i++)
        bench->operands[site][i] =
            (CuredPtxOperand){ .width = (guint8) MIN (width, 4), .offset = i * 128 };
    }
  touch (bench, b, w, site, mask, is_shared ? CURED_SPACE_SHARED : CURED_SPACE_GLOBAL, base, step,
         width);
}

/* Which places race, as text. */
static char *
describe (Bench *bench)
{
  GString *text = g_string_new (NULL);

  _cured_grid_finish_findings (&bench->grid);
  for (guint i = 0; i < bench->report.findings->len; i++)
    {
      const CuredFinding *finding = bench->report.findings->pdata[i];

      g_string_append_printf (text, "%d %d %s %d %s\n", finding->kind, finding->here.ptx_line,
                              finding->here.what, finding->there.ptx_line, finding->there.what);
    }
  return g_string_free (text, FALSE);
}

/* Lanes of one access are looked at together, a line at a time where they are neighbours: that may
 * change nothing of what is found. */
TEST ("/race/lines")
{
  guint n_findings = 0;

  for (guint32 round = 0; round < 4000; round++)
    {
      char *texts[2];

      for (guint i = 0; i < 2; i++)
        {
          g_autoptr (GRand) random = g_rand_new_with_seed (round);
          Bench *bench = bench_new_full (round % 3 != 0, round % 3 == 1, round % 3 == 1);

          bench->is_by_lane = i == 1;
          for (guint w = 0; w < N_WARPS * N_BLOCKS; w++)
            for (guint r = 0; r < 8; r++)
              for (guint l = 0; l < 32; l++)
                bench->registers[w][r][l] = (guint32) g_rand_int_range (random, 0, 2) * round % 3;
          begin (bench, 0);
          begin (bench, 1);
          for (guint k = 0; k < 8 + round % 64; k++)
            do_anything (bench, random);
          end (bench, 0);
          end (bench, 1);
          texts[i] = describe (bench);
          n_findings += bench->report.findings->len;
          bench_free (bench);
        }
      g_assert_cmpstr (texts[0], ==, texts[1]);
      g_free (texts[0]);
      g_free (texts[1]);
    }
  g_assert_cmpuint (n_findings, >, 4000);
}
/* clang-format on */
