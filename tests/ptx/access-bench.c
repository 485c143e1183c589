/* SPDX-License-Identifier: MIT
 * One memory instruction at a time, with a block and memory around it. */
#include "access-bench.h"
#include "test.h"

#include <string.h>

/* Zone before and behind the buffer that is not the kernel's. */
#define GUARD_BYTES 512

/**
 * access_bench_new:
 * @build: whose handlers are run
 *
 * Makes block (1, 0, 0), warp 2 of a kernel "k" in "k.cu", with one buffer "a".
 *
 * Returns: (transfer full): the bench */
AccessBench *
access_bench_new (ExecBenchBuild build)
{
  AccessBench *self = g_new0 (AccessBench, 1);
  gsize bytes = ACCESS_BENCH_ELEMENTS * sizeof (float);
  guint64 base;

  self->exec = exec_bench_new (build);
  self->warp = self->exec->warp;
  self->memory = cured_memory_new (1 << 20);
  g_assert_true (
      MUST (cured_memory_allocate (self->memory, bytes + 2 * GUARD_BYTES, &base, &fail)));
  self->a = base + GUARD_BYTES;
  cured_memory_label (self->memory, self->a, bytes, "a", sizeof (float), FALSE);
  self->a_host = cured_memory_map (self->memory, self->a, bytes);

  self->files[0] = (char *) "";
  self->files[1] = (char *) "/somewhere/k.cu";
  self->module.files = self->files;
  self->module.n_files = 2;
  self->module.code = self->code;
  self->module.n_code = ACCESS_BENCH_SITES;
  self->entry.shared_bytes = ACCESS_BENCH_SHARED_BYTES;
  self->launch.entry = "k";
  self->launch.grid[0] = 4;
  self->launch.grid[1] = self->launch.grid[2] = 1;
  self->launch.parameters = self->parameters;
  self->launch.parameters_bytes = sizeof self->parameters;
  self->grid.launch = &self->launch;
  self->grid.report = &self->report;
  self->grid.module = &self->module;
  self->grid.entry = &self->entry;
  self->grid.memory = self->memory;
  self->grid.stack_bytes = ACCESS_BENCH_STACK_BYTES;
  self->grid.observers = self->observers;
  g_mutex_init (&self->grid.mutex);
  self->block.grid = &self->grid;
  self->block.index = 1;
  self->cluster.n_blocks = 1;
  self->cluster.blocks[0] = &self->block;
  self->block.cluster = &self->cluster;
  self->block.coord[0] = 1;
  self->block.shared = aligned_alloc (128, ACCESS_BENCH_SHARED_BYTES);
  memset (self->block.shared, 0, ACCESS_BENCH_SHARED_BYTES);
  self->block.shared_bytes = ACCESS_BENCH_SHARED_BYTES;
  self->block.states = self->states;
  self->tally.regions = g_malloc0 (4 * sizeof *self->tally.regions);
  self->block.tally = &self->tally;
  self->warp->block = &self->block;
  self->warp->index = 2;
  self->warp->counts = self->counts;
  self->warp->local = g_malloc0 (32 * ACCESS_BENCH_STACK_BYTES);
  self->warp->local_defined = g_malloc0 (32 * ACCESS_BENCH_STACK_BYTES / 8 + 1);
  self->warp->n_groups = 1;
  self->warp->groups[0].mask = CURED_ALL_LANES;
  return self;
}

/**
 * access_bench_free:
 * @self: (transfer full) (nullable):
 *
 * Frees a bench; findings that were not taken fail the test. */
void
access_bench_free (AccessBench *self)
{
  if (self == NULL)
    return;
  access_bench_assert_clean (self);
  for (guint i = 0; i < self->grid.n_observers; i++)
    {
      self->observers[i]->klass->free (self->observers[i]);
      g_free (self->states[i]);
    }
  g_free (self->tally.regions);
  g_free (self->tally.hot);
  g_free (self->tally.learned.known);
  g_free (self->tally.learned.shapes);
  g_free (self->tally.learned.last_shapes);
  cured_report_clear (&self->report);
  g_mutex_clear (&self->grid.mutex);
  free (self->block.shared);
  g_free (self->warp->local);
  g_free (self->warp->local_defined);
  cured_memory_free (self->memory);
  exec_bench_free (self->exec);
  g_free (self);
}

/**
 * access_bench_watch:
 * @observer: (transfer full):
 *
 * Lets an observer see what follows. */
void
access_bench_watch (AccessBench *self, CuredObserver *observer)
{
  guint i = self->grid.n_observers++;

  g_assert_cmpuint (i, <, G_N_ELEMENTS (self->observers));
  self->observers[i] = observer;
  self->states[i] = g_malloc0 (observer->klass->state_size + 1);
}

/**
 * access_bench_site:
 * @site: below ACCESS_BENCH_SITES
 * @line: of k.cu
 *
 * Says where the bench's instruction stands, and keeps it there: observers that are made afterwards
 * find it. Setting another instruction makes it one of site 0 again. */
void
access_bench_site (AccessBench *self, guint site, int line)
{
  self->exec->inst.site = site;
  self->exec->inst.file = 1;
  self->exec->inst.line = line;
  self->code[site] = self->exec->inst;
}

/**
 * access_bench_run:
 * @site: where access_bench_site() put an instruction
 * @mask: lanes; not 0
 *
 * Runs an instruction that is not the last one that was set, with the operands of the last one. */
void
access_bench_run (AccessBench *self, guint site, uint32_t mask)
{
  self->code[site].run (self->warp, &self->code[site], mask);
}

/**
 * access_bench_take_findings:
 *
 * Returns: (transfer full) (element-type CuredFinding): what was found since
 *   the last call
 */
GPtrArray *
access_bench_take_findings (AccessBench *self)
{
  _cured_grid_finish_findings (&self->grid);
  return g_steal_pointer (&self->report.findings);
}

/**
 * access_bench_assert_clean:
 *
 * Asserts that nothing was found since findings were last taken. */
void
access_bench_assert_clean (AccessBench *self)
{
  g_autoptr (GPtrArray) findings = access_bench_take_findings (self);

  for (guint i = 0; i < findings->len; i++)
    {
      g_autofree char *text = cured_finding_to_string (g_ptr_array_index (findings, i));

      g_test_message ("%s", text);
    }
  g_assert_cmpuint (findings->len, ==, 0);
}

/**
 * access_bench_take_finding:
 *
 * Returns: (transfer full): the one finding that there is */
CuredFinding *
access_bench_take_finding (AccessBench *self)
{
  g_autoptr (GPtrArray) findings = access_bench_take_findings (self);

  g_assert_cmpuint (findings->len, ==, 1);
  return cured_finding_copy (g_ptr_array_index (findings, 0));
}
