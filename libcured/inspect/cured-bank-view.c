/* SPDX-License-Identifier: MIT
 * One warp's accesses to the banks of shared memory, by source line. */
#include "inspect/cured-bank-view.h"

#include "base/cured-base-internal.h"
#include "sass/cured-sass-internal.h"
#include "inspect/cured-inspection-internal.h"
#include "inspect/cured-loaded-program-private.h"
#include "kernel/cured-sources-internal.h"
#include "ptx/cured-bank-kind-internal.h"
#include "ptx/cured-finding-internal.h"

/* ---- Collecting ---- */

typedef struct
{
  guint32 mask;
  guint32 addresses[CURED_BANK_LANES]; /* relative to the pattern's begin; 0: inactive lane */
  CuredBankViewPattern pattern;
} Seen;

typedef struct
{
  guint site;
  CuredAccessKind kind;
  guint width;
  CuredBankKind bank_kind;
  gboolean is_known, is_remote;
  gboolean is_loop; /* of compare and swap */
  guint loop_lanes;
  guint64 accesses, wavefronts, least;
  GHashTable *seen; /* (element-type Seen): a set */
  GPtrArray *order; /* (element-type Seen): owned */
  guint64 n_left_out;
} Site;

typedef struct
{
  const CuredPtxModule *module;
  CuredBankArch arch;
  guint64 block;
  guint warp;
  GHashTable *sites; /* guint → Site: twice the PTX's site, plus one for remote accesses */
  GArray *events;    /* (element-type CuredBankEvent): with the PTX's sites */
  guint64 n_later_events;
  const CuredEmulated *emulated; /* owner of these buffers: */
  CuredBankSlice *slices;        /* one per buffer */
  GHashTable *touched;           /* (element-type CuredBankTouch): a set */
  GPtrArray *touches;            /* (element-type CuredBankTouch): owned, in order */
  gboolean is_touched_more;
} Collector;

static guint
seen_hash (gconstpointer data)
{
  const Seen *seen = data;
  guint hash = seen->mask;

  for (guint n = 0; n < CURED_BANK_LANES; n++)
    hash = hash * 16777619u ^ seen->addresses[n];
  return hash;
}

static gboolean
seen_equal (gconstpointer a, gconstpointer b)
{
  const Seen *seen_a = a, *seen_b = b;

  return seen_a->mask == seen_b->mask &&
         memcmp (seen_a->addresses, seen_b->addresses, sizeof seen_a->addresses) == 0;
}

CURED_FREE_FUNC (Site, site_free, seen, g_hash_table_unref, order, g_ptr_array_unref)

/* A pattern can be moved by multiples of this many bytes without changing its conflicts. */
static guint32
get_unit (CuredBankArch arch)
{
  switch (arch)
    {
    case CURED_BANK_ARCH_3: return 256; /* words i and i + 32 of an aligned segment share a bank */
    case CURED_BANK_ARCH_3_WIDE: return 8;
    case CURED_BANK_ARCH_5:
    case CURED_BANK_ARCH_2:
    case CURED_BANK_ARCH_1:
    default: return 4;
    }
}

static void
site_add (Site *self, const CuredBankAccess *access, CuredBankCounts *counts)
{
  guint32 begin = G_MAXUINT32;
  Seen key = { .mask = access->mask };

  for (guint n = 0; n < CURED_BANK_LANES; n++)
    if ((access->mask >> n & 1) != 0)
      begin = MIN (begin, access->addresses[n]);
  begin -= begin % get_unit (access->arch);
  for (guint n = 0; n < CURED_BANK_LANES; n++)
    key.addresses[n] = (access->mask >> n & 1) != 0 ? access->addresses[n] - begin : 0;
  Seen *seen = g_hash_table_lookup (self->seen, &key);
  if (seen == NULL && self->order->len == CURED_BANK_VIEW_MAX_PATTERNS)
    {
      self->n_left_out++;
      return;
    }
  if (seen == NULL)
    {
      seen = g_memdup2 (&key, sizeof key);
      seen->pattern.access = *access;
      seen->pattern.counts = *counts;
      g_hash_table_add (self->seen, seen);
      g_ptr_array_add (self->order, seen);
    }
  seen->pattern.count++;
}

static void
add_event (Collector *self, guint site, const CuredBankAccess *access)
{
  CuredBankEvent event = { .site = site, .access = *access };

  if (self->events->len < CURED_BANK_VIEW_MAX_EVENTS)
    g_array_append_val (self->events, event);
  else
    self->n_later_events++;
}

static void
touch (CuredBankSlice *slice, guint64 begin, guint64 end, guint8 flags)
{
  gsize first = (gsize) (begin * slice->n_parts / slice->bytes);
  gsize last = (gsize) ((end - 1) * slice->n_parts / slice->bytes);

  for (gsize i = first; i <= last; i++)
    slice->parts[i] |= flags;
  if ((flags & CURED_BANK_PART_READ) != 0)
    {
      if (slice->read_begin >= slice->read_end)
        slice->read_begin = begin;
      slice->read_begin = MIN (slice->read_begin, begin);
      slice->read_end = MAX (slice->read_end, end);
    }
  if ((flags & CURED_BANK_PART_WRITTEN) != 0)
    {
      if (slice->write_begin >= slice->write_end)
        slice->write_begin = begin;
      slice->write_begin = MIN (slice->write_begin, begin);
      slice->write_end = MAX (slice->write_end, end);
    }
}

static guint
touch_hash (gconstpointer data)
{
  const CuredBankTouch *touch = data;

  return (guint) (touch->element * 1024 + touch->thread) * 31 + (guint) touch->slice;
}

static gboolean
touch_equal (gconstpointer a, gconstpointer b)
{
  const CuredBankTouch *touch_a = a, *touch_b = b;

  return touch_a->element == touch_b->element && touch_a->thread == touch_b->thread &&
         touch_a->slice == touch_b->slice;
}

/* Bytes from @begin to @end, of one or more elements. */
static void
add_touches (Collector *self, gsize slice, guint64 begin, guint64 end, guint thread, guint8 flags)
{
  guint element_bytes = self->slices[slice].element_bytes;

  for (guint64 i = begin / element_bytes; i <= (end - 1) / element_bytes; i++)
    {
      CuredBankTouch key = { .slice = slice, .element = i, .thread = thread };
      CuredBankTouch *known = g_hash_table_lookup (self->touched, &key);

      if (known == NULL && self->touches->len == CURED_BANK_VIEW_MAX_TOUCHES)
        {
          self->is_touched_more = TRUE;
          return;
        }
      if (known == NULL)
        {
          known = g_memdup2 (&key, sizeof key);
          g_hash_table_add (self->touched, known);
          g_ptr_array_add (self->touches, known);
        }
      known->flags |= flags;
    }
}

/* Collects a warp's accesses to buffers in global memory. */
static void
collect_global (Collector *self, const CuredTraced *access)
{
  const CuredProgram *program = self->emulated->program;
  guint8 flags = CURED_BANK_PART_READ | CURED_BANK_PART_WRITTEN;

  if (access->kind == CURED_ACCESS_LOAD)
    flags = CURED_BANK_PART_READ;
  else if (access->kind == CURED_ACCESS_STORE)
    flags = CURED_BANK_PART_WRITTEN;
  for (guint lane = 0; lane < CURED_BANK_LANES; lane++)
    for (gsize i = 0; i < program->n_buffers; i++)
      {
        guint64 offset = access->addresses[lane] - self->emulated->bindings[i];

        if ((access->mask >> lane & 1) == 0 ||
            access->addresses[lane] < self->emulated->bindings[i] ||
            offset >= self->slices[i].bytes)
          continue;
        touch (&self->slices[i], offset, MIN (offset + access->width, self->slices[i].bytes),
               flags);
        add_touches (self, i, offset, MIN (offset + access->width, self->slices[i].bytes),
                     access->warp * CURED_BANK_LANES + lane, flags);
        break;
      }
}

static void
collect_cb (const CuredTraced *access, gpointer user_data)
{
  Collector *self = user_data;
  CuredBankAccess bank_access = { .arch = self->arch, .mask = access->mask };
  CuredBankCounts counts = { 0 };

  if (access->block != self->block)
    return;
  if (!access->is_shared)
    collect_global (self, access);
  if (!access->is_shared || access->warp != self->warp)
    return;
  gpointer key = GUINT_TO_POINTER (access->site * 2 + access->is_remote);
  Site *site = g_hash_table_lookup (self->sites, key);
  if (site == NULL)
    {
      site = g_new0 (Site, 1);
      site->site = access->site;
      site->kind = access->kind;
      site->width = access->width * 8;
      site->is_remote = access->is_remote;
      site->is_known =
          site->is_remote
              ? _cured_bank_kind_find_remote (self->module, access->site, &site->bank_kind)
              : _cured_bank_kind_find (self->module, access->site, &site->bank_kind);
      site->is_loop = !site->is_known && !site->is_remote &&
                      _cured_bank_kind_is_loop (self->module, access->site);
      site->seen = g_hash_table_new (seen_hash, seen_equal);
      site->order = g_ptr_array_new_with_free_func (g_free);
      g_hash_table_insert (self->sites, key, site);
    }
  bank_access.kind = site->bank_kind;
  bank_access.width = site->width;
  for (guint n = 0; n < CURED_BANK_LANES; n++)
    if ((access->mask >> n & 1) != 0)
      bank_access.addresses[n] = (guint32) access->addresses[n];
  site->accesses++;
  site->is_known = site->is_known && cured_bank_model_count (&bank_access, &counts);
  for (guint n = 0; n < CURED_BANK_LANES && site->is_loop; n++)
    {
      guint n_here = 0;

      for (guint k = 0; k < CURED_BANK_LANES; k++)
        n_here += (access->mask >> k & 1) != 0 && access->addresses[k] == access->addresses[n];
      if ((access->mask >> n & 1) != 0)
        site->loop_lanes = MAX (site->loop_lanes, n_here);
    }
  if (!site->is_known)
    return;
  site->wavefronts += counts.wavefronts;
  site->least += counts.least;
  site_add (site, &bank_access, &counts);
  add_event (self, access->site, &bank_access);
}

/* ---- The view ---- */

/* (transfer full): an empty view */
CuredBankView *
_cured_bank_view_new_empty (void)
{
  CuredBankView *self = g_atomic_rc_box_new0 (CuredBankView);

  self->faults = g_ptr_array_new_with_free_func ((GDestroyNotify) cured_finding_free);
  return self;
}

static gint
compare_pattern (gconstpointer a, gconstpointer b)
{
  const CuredBankViewPattern *pattern_a = a, *pattern_b = b;

  if (pattern_a->counts.conflicts != pattern_b->counts.conflicts)
    return pattern_a->counts.conflicts < pattern_b->counts.conflicts ? 1 : -1;
  if (pattern_a->count != pattern_b->count)
    return pattern_a->count < pattern_b->count ? 1 : -1;
  return 0;
}

static gint
compare_patterns_cb (gconstpointer a, gconstpointer b, gpointer user_data)
{
  return compare_pattern (a, b);
}

static gint
compare_site (gconstpointer a, gconstpointer b)
{
  const CuredBankSite *site_a = a, *site_b = b;

  if (site_a->site != site_b->site)
    return site_a->site > site_b->site ? 1 : -1;
  return site_a->is_remote - site_b->is_remote;
}

static void
fill_site (CuredBankSite *self, const Site *site, const CuredPtxModule *module,
           const CuredReport *report, char **lines, const char *file_name,
           const CuredSources *sources)
{
  g_auto (CuredPtxPlace) place = { 0 };

  cured_ptx_module_get_place (module, site->site, &place);
  self->site = site->site;
  self->file = g_strdup (place.file);
  self->line = place.line;
  if (place.line > 0 && _cured_is_file (place.file, file_name) &&
      (guint) place.line <= g_strv_length (lines))
    self->source = g_strstrip (g_strdup (lines[place.line - 1]));
  else if (sources != NULL)
    self->source = _cured_sources_dup_line (sources, place.file, place.line);
  self->ptx_line = place.ptx_line;
  self->ptx = g_strdup (place.text);
  self->kind = site->kind;
  self->width = site->width;
  self->is_known = site->is_known;
  self->is_remote = site->is_remote;
  self->loop_lanes = site->loop_lanes;
  self->accesses = site->accesses;
  if (site->is_known)
    {
      self->wavefronts = site->wavefronts;
      self->least = site->least;
    }
  if (report->counts != NULL && site->site < report->n_counts)
    {
      const CuredSiteCounts *counts = &report->counts[site->site];

      self->block_accesses = counts->shared_requests;
      self->block_wavefronts = site->is_remote ? counts->remote : counts->wavefronts;
      self->block_least = site->is_remote ? counts->remote_least : counts->least;
    }
  self->n_patterns = site->order->len;
  self->n_left_out = site->n_left_out;
  self->patterns = g_new (CuredBankViewPattern, MAX (site->order->len, 1));
  for (guint i = 0; i < site->order->len; i++)
    self->patterns[i] = ((const Seen *) site->order->pdata[i])->pattern;
  /* A stable sort: equal ones stay in order. */
  g_qsort_with_data (self->patterns, (gint) self->n_patterns, sizeof *self->patterns,
                     compare_patterns_cb, NULL);
}

static void
fill_sites (CuredBankView *self, const Collector *collector, const CuredReport *report,
            CuredKernel *kernel, const CuredSources *sources)
{
  g_auto (GStrv) lines = g_strsplit (kernel->source, "\n", -1);
  g_autofree char *file_name = cured_kernel_get_file_name (kernel);
  GHashTableIter iter;
  gpointer site = NULL;
  gsize n = 0;

  self->n_sites = g_hash_table_size (collector->sites);
  self->sites = g_new0 (CuredBankSite, MAX (self->n_sites, 1));
  g_hash_table_iter_init (&iter, collector->sites);
  while (g_hash_table_iter_next (&iter, NULL, &site))
    fill_site (&self->sites[n++], site, collector->module, report, lines, file_name, sources);
  qsort (self->sites, self->n_sites, sizeof *self->sites, compare_site);
}

static gboolean
is_fault (const CuredFinding *finding)
{
  return finding->kind == CURED_FINDING_MISALIGNED || finding->kind == CURED_FINDING_OUT_OF_BOUNDS;
}

/* (transfer full) (nullable): the array that contains all patterns of a site */
static char *
find_array (const CuredBankSite *site, const CuredPtxModule *module, const CuredProgramStep *step)
{
  g_autofree char *array = NULL;

  for (gsize i = 0; i < site->n_patterns; i++)
    {
      const CuredBankAccess *access = &site->patterns[i].access;
      int lane = g_bit_nth_lsf (access->mask, -1);

      if (lane < 0)
        continue;
      g_autofree char *name =
          _cured_ptx_name_shared (module, step->entry, step->shared_bytes, access->addresses[lane]);
      if (name == NULL || (array != NULL && !g_str_equal (array, name)))
        return NULL;
      g_free (array);
      array = g_steal_pointer (&name);
    }
  return g_steal_pointer (&array);
}

/* Lanes that the emulator refused are in no access; without the faults, an invalid layout would
 * look better the worse it is. */
static void
fill_faults (CuredBankView *self, const CuredReport *report)
{
  CURED_EACH_POINTER (const CuredFinding, finding, report->findings)
    {
      if (!is_fault (finding))
        continue;
      cured_findings_add (self->faults, finding);
      for (gsize site = 0; site < self->n_sites; site++)
        if (self->sites[site].fault == NULL && self->sites[site].ptx_line == finding->here.ptx_line)
          self->sites[site].fault = cured_finding_copy (finding);
    }
}

/* Called after sorting the sites. A site may turn out to be unknown after its first accesses; these
 * are dropped, too. */
static void
fill_events (CuredBankView *self, Collector *collector)
{
  CuredBankEvent *events = (CuredBankEvent *) (gpointer) collector->events->data;

  for (guint i = 0; i < collector->events->len; i++)
    {
      CuredBankSite key = { .site = (guint) events[i].site,
                            .is_remote = cured_bank_kind_is_remote (events[i].access.kind) };
      const CuredBankSite *site =
          bsearch (&key, self->sites, self->n_sites, sizeof key, compare_site);

      if (!site->is_known)
        continue;
      events[self->n_events] = events[i];
      events[self->n_events++].site = (gsize) (site - self->sites);
    }
  self->n_later_events = collector->n_later_events;
  self->events = g_memdup2 (events, self->n_events * sizeof *events);
}

/* ---- Widths ---- */

static int
get_width_index (guint bits)
{
  for (int i = 0; i < CURED_BANK_N_WIDTHS; i++)
    if (cured_bank_width_get_bits ((gsize) i) == bits)
      return i;
  return -1;
}

static CuredBankWidths *
get_widths (GArray *list, const char *file, int line, CuredAccessKind kind)
{
  CuredBankWidths row = { .line = line, .kind = kind };

  CURED_EACH (CuredBankWidths, known, list)
    if (known->line == line && known->kind == kind && g_strcmp0 (known->file, file) == 0)
      return known;
  row.file = g_strdup (file);
  g_array_append_val (list, row);
  return &g_array_index (list, CuredBankWidths, list->len - 1);
}

/* Reads an instruction's access to shared memory from the text; FALSE if it has none, or its
 * address is generic. */
static gboolean
read_instruction (const CuredPtxInst *inst, CuredAccessKind *kind, guint *bits)
{
  guint count = 1;

  if (inst->words[CURED_PTX_GROUP_SPACE] != CURED_PTX_SPACE_SHARED)
    return FALSE;
  if (inst->words[CURED_PTX_GROUP_VECTOR] == CURED_PTX_VECTOR_V2)
    count = 2;
  else if (inst->words[CURED_PTX_GROUP_VECTOR] == CURED_PTX_VECTOR_V4)
    count = 4;
  *bits = _cured_ptx_types[inst->types[0]].bytes * 8u * count;
  switch (inst->op)
    {
    case CURED_PTX_OP_ld: *kind = CURED_ACCESS_LOAD; return TRUE;
    case CURED_PTX_OP_st: *kind = CURED_ACCESS_STORE; return TRUE;
    case CURED_PTX_OP_atom:
    case CURED_PTX_OP_red: *kind = CURED_ACCESS_ATOMIC; return TRUE;
    case CURED_PTX_OP_ldmatrix:
      *kind = CURED_ACCESS_LDMATRIX;
      *bits = 128;
      return TRUE;
    case CURED_PTX_OP_stmatrix:
      *kind = CURED_ACCESS_STMATRIX;
      *bits = 128;
      return TRUE;
    case CURED_PTX_OP_cp_async:
      *kind = CURED_ACCESS_COPY;
      *bits = (guint) inst->immediate * 8;
      return TRUE;
    default: return FALSE;
    }
}

static gint
compare_widths (gconstpointer a, gconstpointer b)
{
  const CuredBankWidths *widths_a = a, *widths_b = b;
  int order = g_strcmp0 (widths_a->file, widths_b->file);

  if (order == 0)
    order = widths_a->line - widths_b->line;
  return order != 0 ? order : (int) widths_a->kind - (int) widths_b->kind;
}

/* Compares, line by line, the PTX of the kernel and of functions that it may call with the machine
 * code. Without a cubin there is nothing to compare. */
static void
fill_widths (CuredBankView *self, const CuredPtxModule *module, GBytes *cubin)
{
  g_autoptr (GArray) machine = cured_sass_list_shared (cubin, self->entry, NULL);

  if (machine == NULL)
    return;
  GArray *list = g_array_new (FALSE, TRUE, sizeof (CuredBankWidths));
  for (guint i = 0; i < module->n_functions; i++)
    {
      const CuredPtxFunction *function = &module->functions[i];

      if (function->is_entry && !g_str_equal (function->name, self->entry))
        continue;
      for (guint site = function->first; site < function->first + function->n_sites; site++)
        {
          const CuredPtxInst *inst = &module->code[site];
          CuredAccessKind kind = CURED_ACCESS_LOAD;
          guint bits = 0;
          int index = -1;

          if (read_instruction (inst, &kind, &bits) && inst->line > 0)
            index = get_width_index (bits);
          if (index >= 0)
            get_widths (list, module->files[inst->file], inst->line, kind)->ptx[index]++;
        }
    }
  CURED_EACH (const CuredSassAccess, access, machine)
    {
      int index = get_width_index (access->width);

      if (index >= 0 && access->line > 0)
        get_widths (list, access->file, access->line, access->kind)->machine[index]++;
    }
  g_array_sort (list, compare_widths);
  self->machine = g_strdup (CURED_STAGE_MACHINE_ARCH);
  self->n_widths = list->len;
  self->widths = (CuredBankWidths *) (gpointer) g_array_free (list, FALSE);
}

/* @index: in @ptx and @machine of #CuredBankWidths
 * Returns: 8, 16, 32, 64 or 128 */
guint
cured_bank_width_get_bits (gsize index)
{
  g_return_val_if_fail (index < CURED_BANK_N_WIDTHS, 0);
  return 8u << index;
}

/* Returns: the difference of the machine code to the PTX */
CuredBankChange
cured_bank_widths_get_change (const CuredBankWidths *self)
{
  gboolean has_other_width = FALSE;
  guint n_ptx = 0, n_machine = 0;

  for (gsize i = 0; i < CURED_BANK_N_WIDTHS; i++)
    {
      has_other_width |= self->machine[i] > 0 && self->ptx[i] == 0;
      n_ptx += self->ptx[i];
      n_machine += self->machine[i];
    }
  if (has_other_width)
    return CURED_BANK_CHANGE_WIDTHS;
  if (n_machine != n_ptx)
    return n_machine < n_ptx ? CURED_BANK_CHANGE_FEWER : CURED_BANK_CHANGE_MORE;
  return memcmp (self->ptx, self->machine, sizeof self->ptx) == 0 ? CURED_BANK_CHANGE_NONE
                                                                  : CURED_BANK_CHANGE_WIDTHS;
}

/* ---- Running ---- */

/* Describes how the block ended. The emulator's limit is not a fault of the kernel, which may run
 * for longer than a person waits. */
static char *
describe_end (const CuredLoadedProgram *stage, const CuredReport *report)
{
  guint64 max_instructions = stage->emulated.emulation.max_instructions;

  if (report->end != CURED_END_TIMED_OUT)
    return g_strdup (report->end_text);
  if (report->instructions > max_instructions)
    {
      g_autofree char *limit = cured_format_count ((gint64) max_instructions);

      return g_strdup_printf (
          /* Translators: a number of a million or more. */
          _ ("The emulator's limit of %s instructions for one block is reached; what is shown is "
             "as far as the block came."),
          limit);
    }
  return g_strdup_printf (_ ("The emulator's limit of %.1f s for one block is reached; what is "
                             "shown is as far as the block came."),
                          (double) stage->time_limit_ms / 1000);
}

CURED_CLEAR_FUNC (CuredBankSlice, slice_clear, buffer, g_free, parts, g_free)

/* Makes one slice per buffer, without accesses. */
static void
make_slices (CuredBankView *self, const CuredProgram *program)
{
  self->n_slices = program->n_buffers;
  self->slices = g_new0 (CuredBankSlice, MAX (self->n_slices, 1));
  for (gsize i = 0; i < program->n_buffers; i++)
    {
      CuredBankSlice *slice = &self->slices[i];

      slice->buffer = g_strdup (program->buffers[i].buffer->name);
      slice->bytes = program->buffers[i].size;
      slice->element_bytes =
          (guint) MAX (slice->bytes / (guint64) MAX (program->buffers[i].length, 1), 1);
      slice->n_parts = (gsize) CLAMP (program->buffers[i].length, 1, CURED_BANK_MAX_PARTS);
      slice->parts = g_new0 (guint8, slice->n_parts);
    }
}

static void
keep_touched (CuredBankView *self, const Collector *collector)
{
  g_autofree gsize *places = g_new0 (gsize, self->n_slices + 1);
  gsize n = 0;

  for (gsize i = 0; i < self->n_slices; i++)
    {
      CuredBankSlice *slice = &self->slices[i];

      if (slice->read_begin < slice->read_end || slice->write_begin < slice->write_end)
        {
          places[i] = n;
          self->slices[n++] = *slice;
        }
      else
        slice_clear (slice);
    }
  self->n_slices = n;
  self->n_touches = collector->touches->len;
  self->touches = g_new (CuredBankTouch, MAX (self->n_touches, 1));
  self->is_touched_more = collector->is_touched_more;
  for (gsize i = 0; i < self->n_touches; i++)
    {
      self->touches[i] = *(CuredBankTouch *) collector->touches->pdata[i];
      self->touches[i].slice = places[self->touches[i].slice];
    }
}

static gboolean
run_block (CuredBankView *self, CuredLoadedProgram *stage, const CuredBankQuery *query,
           CuredReport *report, GCancellable *cancellable, GError **error)
{
  g_autoptr (GHashTable) sites = g_hash_table_new_full (NULL, NULL, NULL, site_free);
  g_autoptr (GArray) events = g_array_new (FALSE, FALSE, sizeof (CuredBankEvent));
  g_autoptr (GHashTable) touched = g_hash_table_new (touch_hash, touch_equal);
  g_autoptr (GPtrArray) touches = g_ptr_array_new_with_free_func (g_free);
  CuredKernel *kernel = stage->emulated.program->kernel;
  Collector collector = {
    .module = stage->emulated.module,
    .arch = query->arch,
    .block = query->block,
    .warp = query->warp,
    .sites = sites,
    .events = events,
    .emulated = &stage->emulated,
    .touched = touched,
    .touches = touches,
  };

  make_slices (self, stage->emulated.program);
  collector.slices = self->slices;
  if (!_cured_loaded_program_run (stage, query, self->step, collect_cb, &collector, report,
                                  &self->note, cancellable, error))
    return FALSE;
  keep_touched (self, &collector);
  self->end = report->end;
  self->end_text = describe_end (stage, report);
  g_autoptr (CuredSources) sources = cured_sources_new (kernel, NULL, NULL);
  if (sources != NULL)
    _cured_sources_quote (sources, report->findings);
  fill_sites (self, &collector, report, kernel, sources);
  for (gsize i = 0; i < self->n_sites; i++)
    self->sites[i].array = find_array (&self->sites[i], stage->emulated.module,
                                       &stage->emulated.program->steps[self->step]);
  fill_faults (self, report);
  fill_events (self, &collector);
  return TRUE;
}

/* As cured_bank_view_new(), for a compiled program.
 *
 * @stage: a program, without buffers yet; without machine code there will be no @widths
 * @report: (out) (optional): the block's report
 * @cancellable: (nullable): stops the run
 * Returns: (transfer full): %NULL with an error */
CuredBankView *
_cured_bank_view_new_loaded (CuredLoadedProgram *stage, const CuredBankQuery *query,
                             CuredReport *report, GCancellable *cancellable, GError **error)
{
  g_autoptr (CuredBankView) self = _cured_bank_view_new_empty ();
  g_auto (CuredReport) own_report = { 0 };
  CuredPtxEntry entry = { 0 };

  if (!_cured_loaded_program_choose (stage, query, &self->step, &entry, error))
    return NULL;
  const CuredProgramStep *step = &stage->emulated.program->steps[self->step];
  self->shared_bytes = entry.shared_bytes + step->shared_bytes;
  self->entry = g_strdup (step->entry);
  memcpy (self->grid, step->grid, sizeof self->grid);
  memcpy (self->threads, step->block, sizeof self->threads);
  self->block[0] = (guint) (query->block % step->grid[0]);
  self->block[1] = (guint) (query->block / step->grid[0] % step->grid[1]);
  self->block[2] = (guint) (query->block / step->grid[0] / step->grid[1]);
  self->warp = query->warp;
  self->n_warps = (guint) ((_cured_step_count_threads (step) + 31) / 32);
  self->arch = query->arch;
  if (!run_block (self, stage, query, report != NULL ? report : &own_report, cancellable, error))
    return NULL;
  if (g_cancellable_set_error_if_cancelled (cancellable, error))
    return NULL;
  if (stage->cubin != NULL && self->shared_bytes > 0)
    fill_widths (self, stage->emulated.module, stage->cubin);
  return g_steal_pointer (&self);
}

/* @self: (out caller-allocates): warp 0 of block 0 of the first launch that has shared memory, on
 *   the banks of today's chips, with the inputs of a default run */
void
cured_bank_query_init (CuredBankQuery *self)
{
  *self = (CuredBankQuery){ .step = CURED_BANK_FIRST_STEP };
}

/* @program: a kernel at a point
 * @query: the accesses to view
 * @cancellable: (nullable): stops the run
 *
 * Compiles the kernel, runs one block of it on the emulator, and keeps the accesses of one of its
 * warps to shared memory. Earlier launches run completely if they are small; otherwise @note says
 * so. Blocks, for seconds at most unless compiling is slower. Needs no GPU.
 *
 * The figures are for the PTX. ptxas may merge accesses, which @widths shows if NVRTC can make
 * machine code.
 * Returns: (transfer full): NULL with %CURED_ERROR_COMPILE, %CURED_ERROR_SYNTAX (the PTX has what
 *   the emulator does not know), %CURED_ERROR_NOT_FOUND (no such launch, block or warp),
 *   %CURED_ERROR_INVALID, %CURED_ERROR_DEVICE (no memory), or %G_IO_ERROR_CANCELLED. A block that
 *   fails is not an error, but in @end. */
CuredBankView *
cured_bank_view_new (CuredCompiler *compiler, const CuredProgram *program,
                     const CuredBankQuery *query, GCancellable *cancellable, GError **error)
{
  g_auto (CuredLoadedProgram) stage = { 0 };

  if (!_cured_loaded_program_init (&stage, compiler, program, TRUE, FALSE, cancellable, NULL,
                                   error))
    return NULL;
  return _cured_bank_view_new_loaded (&stage, query, NULL, cancellable, error);
}

/* @program: a kernel at a point
 * @entry: name of a kernel in it
 *
 * Compares the PTX with the machine code, without running it. Blocks; any thread.
 * Returns: (transfer full): a view with only @widths; %NULL with %G_IO_ERROR_CANCELLED, or
 *   %CURED_ERROR_COMPILE */
CuredBankView *
cured_bank_view_new_widths (CuredCompiler *compiler, const CuredProgram *program, const char *entry,
                            GCancellable *cancellable, GError **error)
{
  g_autoptr (CuredBankView) self = _cured_bank_view_new_empty ();
  g_auto (CuredLoadedProgram) stage = { 0 };

  if (!_cured_loaded_program_init (&stage, compiler, program, FALSE, TRUE, cancellable, NULL,
                                   error))
    return NULL;
  g_autoptr (GBytes) cubin = _cured_loaded_program_compile (
      compiler, program, CURED_STAGE_MACHINE_ARCH, TRUE, NULL, cancellable, error);
  if (cubin == NULL)
    return NULL;
  self->entry = g_strdup (entry);
  fill_widths (self, stage.emulated.module, cubin);
  return g_steal_pointer (&self);
}

static void
clear (gpointer data)
{
  CuredBankView *self = data;

  for (gsize i = 0; i < self->n_sites; i++)
    {
      g_free (self->sites[i].file);
      g_free (self->sites[i].source);
      g_free (self->sites[i].ptx);
      g_free (self->sites[i].patterns);
      cured_finding_free (self->sites[i].fault);
      g_free (self->sites[i].array);
    }
  for (gsize i = 0; i < self->n_widths; i++)
    g_free (self->widths[i].file);
  CURED_CLEAR (sites, g_free, widths, g_free, events, g_free);
  for (gsize i = 0; i < self->n_slices; i++)
    slice_clear (&self->slices[i]);
  CURED_CLEAR (slices, g_free, touches, g_free, entry, g_free, machine, g_free, note, g_free,
               faults, g_ptr_array_unref, end_text, g_free);
}

CURED_DEFINE_RC (CuredBankView, cured_bank_view, clear)
