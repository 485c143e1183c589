/* SPDX-License-Identifier: MIT
 * What one warp of a kernel does to the banks of shared memory, by source line.
 */
#include "config.h"

#include "run/cured-bank-view.h"

#include <inttypes.h>
#include <glib/gi18n-lib.h>
#include <string.h>

#include "base/cured-error.h"
#include "base/cured-profile.h"
#include "device/cured-device-private.h"
#include "device/cured-sass.h"
#include "kernel/cured-fill.h"
#include "ptx/cured-bank-kind-private.h"

/* PTX is compiled for this, and so is the machine code that it is compared
 * with. */
#define PTX_ARCH     "compute_90"
#define MACHINE_ARCH "sm_90"

/* Patterns of one site that are kept: random data make as many as there are
 * accesses. */
#define MAX_PATTERNS 4096

/* Launches before the one that is looked at run whole, up to this many threads;
 * more would take minutes. */
#define MAX_EARLIER_THREADS (G_GUINT64_CONSTANT (1) << 22)

/* The most that all of them, and then the block, may take. A block that waits
 * for another one, which does not run, ends here too. */
#define MAX_INSTRUCTIONS G_GUINT64_CONSTANT (400000000)
#define TIME_LIMIT_MS    20000

/* ---- Collecting ---- */

typedef struct
{
  guint32 mask;
  guint32
      addresses[CURED_BANK_LANES]; /* from the pattern's begin; 0: no lane */
  CuredBankViewPattern pattern;
} Seen;

typedef struct
{
  guint site;
  CuredAccessKind kind;
  guint width;
  CuredBankKind bank_kind;
  gboolean is_known;
  guint64 accesses;
  guint64 wavefronts;
  guint64 least;
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
  GHashTable *sites; /* guint → Site */
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
  const Seen *seen_a = a;
  const Seen *seen_b = b;

  return seen_a->mask == seen_b->mask && memcmp (seen_a->addresses,
                                                 seen_b->addresses,
                                                 sizeof seen_a->addresses) == 0;
}

static void
site_free (gpointer data)
{
  Site *self = data;

  g_hash_table_unref (self->seen);
  g_ptr_array_unref (self->order);
  g_free (self);
}

/* By how many bytes a pattern can be moved without a lane meeting another one
 * in another bank. */
static guint32
get_unit (CuredBankArch arch)
{
  switch (arch)
    {
    case CURED_BANK_ARCH_3:
      return 256; /* words i and i + 32 of an aligned segment are neighbours */
    case CURED_BANK_ARCH_3_WIDE:
      return 8;
    case CURED_BANK_ARCH_5:
    case CURED_BANK_ARCH_2:
    case CURED_BANK_ARCH_1:
    default:
      return 4;
    }
}

static void
site_add (Site *self, const CuredBankAccess *access, CuredBankCounts *counts)
{
  guint32 begin = G_MAXUINT32;
  Seen key = { .mask = access->mask };
  Seen *seen = NULL;

  for (guint n = 0; n < CURED_BANK_LANES; n++)
    if ((access->mask >> n & 1) != 0)
      begin = MIN (begin, access->addresses[n]);
  begin -= begin % get_unit (access->arch);
  for (guint n = 0; n < CURED_BANK_LANES; n++)
    key.addresses[n] =
        (access->mask >> n & 1) != 0 ? access->addresses[n] - begin : 0;
  seen = g_hash_table_lookup (self->seen, &key);
  if (seen == NULL && self->order->len == MAX_PATTERNS)
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
collect_cb (const CuredTraced *access, gpointer user_data)
{
  Collector *self = user_data;
  CuredBankAccess bank_access = { .arch = self->arch, .mask = access->mask };
  CuredBankCounts counts = { 0 };
  Site *site = NULL;

  if (!access->is_shared || access->warp != self->warp ||
      access->block != self->block)
    return;
  site = g_hash_table_lookup (self->sites, GUINT_TO_POINTER (access->site));
  if (site == NULL)
    {
      site = g_new0 (Site, 1);
      site->site = access->site;
      site->kind = access->kind;
      site->width = access->width * 8;
      site->is_known =
          _cured_bank_kind_find (self->module, access->site, &site->bank_kind);
      site->seen = g_hash_table_new (seen_hash, seen_equal);
      site->order = g_ptr_array_new_with_free_func (g_free);
      g_hash_table_insert (self->sites, GUINT_TO_POINTER (access->site), site);
    }
  bank_access.kind = site->bank_kind;
  bank_access.width = site->width;
  for (guint n = 0; n < CURED_BANK_LANES; n++)
    if ((access->mask >> n & 1) != 0)
      bank_access.addresses[n] = (guint32) access->addresses[n];
  site->accesses++;
  site->is_known =
      site->is_known && cured_bank_model_count (&bank_access, &counts);
  if (!site->is_known)
    return;
  site->wavefronts += counts.wavefronts;
  site->least += counts.least;
  site_add (site, &bank_access, &counts);
}

/* ---- The view ---- */

static gint
compare_pattern (gconstpointer a, gconstpointer b)
{
  const CuredBankViewPattern *pattern_a = a;
  const CuredBankViewPattern *pattern_b = b;

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
  const CuredBankSite *site_a = a;
  const CuredBankSite *site_b = b;

  return (site_a->site > site_b->site) - (site_a->site < site_b->site);
}

/* NVRTC calls the source by its file name, with a folder before it. */
static char *
get_file_name (CuredKernel *kernel)
{
  const char *path = cured_kernel_get_path (kernel);

  if (path != NULL)
    return g_path_get_basename (path);
  return g_strconcat (cured_kernel_get_id (kernel), ".cu", NULL);
}

static gboolean
is_file (const char *path, const char *file_name)
{
  gsize length = strlen (file_name);
  gsize path_length = path != NULL ? strlen (path) : 0;

  if (path == NULL || !g_str_has_suffix (path, file_name))
    return FALSE;
  return path_length == length ||
         G_IS_DIR_SEPARATOR (path[path_length - length - 1]);
}

static void
fill_site (CuredBankSite *self,
           const Site *site,
           const CuredPtxModule *module,
           const CuredReport *report,
           char **lines,
           const char *file_name)
{
  g_auto (CuredPtxPlace) place = { 0 };

  cured_ptx_module_get_place (module, site->site, &place);
  self->site = site->site;
  self->file = g_strdup (place.file);
  self->line = place.line;
  if (place.line > 0 && is_file (place.file, file_name) &&
      (guint) place.line <= g_strv_length (lines))
    self->source = g_strstrip (g_strdup (lines[place.line - 1]));
  self->ptx_line = place.ptx_line;
  self->ptx = g_strdup (place.text);
  self->kind = site->kind;
  self->width = site->width;
  self->is_known = site->is_known;
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
      self->block_wavefronts = counts->wavefronts;
      self->block_least = counts->least;
    }
  self->n_patterns = site->order->len;
  self->n_left_out = site->n_left_out;
  self->patterns = g_new (CuredBankViewPattern, MAX (site->order->len, 1));
  for (guint i = 0; i < site->order->len; i++)
    self->patterns[i] = ((const Seen *) site->order->pdata[i])->pattern;
  /* It is stable: equals stay in the order in which they came. */
  g_qsort_with_data (self->patterns,
                     (gint) self->n_patterns,
                     sizeof *self->patterns,
                     compare_patterns_cb,
                     NULL);
}

static void
fill_sites (CuredBankView *self,
            const Collector *collector,
            const CuredReport *report,
            CuredKernel *kernel)
{
  g_auto (GStrv) lines =
      g_strsplit (cured_kernel_get_source (kernel), "\n", -1);
  g_autofree char *file_name = get_file_name (kernel);
  GHashTableIter iter;
  gpointer site = NULL;
  gsize n = 0;

  self->n_sites = g_hash_table_size (collector->sites);
  self->sites = g_new0 (CuredBankSite, MAX (self->n_sites, 1));
  g_hash_table_iter_init (&iter, collector->sites);
  while (g_hash_table_iter_next (&iter, NULL, &site))
    fill_site (
        &self->sites[n++], site, collector->module, report, lines, file_name);
  qsort (self->sites, self->n_sites, sizeof *self->sites, compare_site);
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

  for (guint i = 0; i < list->len; i++)
    {
      CuredBankWidths *known = &g_array_index (list, CuredBankWidths, i);

      if (known->line == line && known->kind == kind &&
          g_strcmp0 (known->file, file) == 0)
        return known;
    }
  row.file = g_strdup (file);
  g_array_append_val (list, row);
  return &g_array_index (list, CuredBankWidths, list->len - 1);
}

/* What the text says of an instruction's access to shared memory; FALSE where
 * there is none, or its address is generic. */
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
    case CURED_PTX_OP_ld:
      *kind = CURED_ACCESS_LOAD;
      return TRUE;
    case CURED_PTX_OP_st:
      *kind = CURED_ACCESS_STORE;
      return TRUE;
    case CURED_PTX_OP_atom:
    case CURED_PTX_OP_red:
      *kind = CURED_ACCESS_ATOMIC;
      return TRUE;
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
    default:
      return FALSE;
    }
}

static gint
compare_widths (gconstpointer a, gconstpointer b)
{
  const CuredBankWidths *widths_a = a;
  const CuredBankWidths *widths_b = b;
  int order = g_strcmp0 (widths_a->file, widths_b->file);

  if (order == 0)
    order = widths_a->line - widths_b->line;
  return order != 0 ? order : (int) widths_a->kind - (int) widths_b->kind;
}

/* Compares, line by line, the text of the kernel and of what it may call with
 * the machine code. Without a cubin there is nothing to compare. */
static void
fill_widths (CuredBankView *self, const CuredPtxModule *module, GBytes *cubin)
{
  g_autoptr (GArray) machine =
      cured_sass_list_shared (cubin, self->entry, NULL);
  GArray *list = NULL;

  if (machine == NULL)
    return;
  list = g_array_new (FALSE, TRUE, sizeof (CuredBankWidths));
  for (guint i = 0; i < module->n_functions; i++)
    {
      const CuredPtxFunction *function = &module->functions[i];

      if (function->is_entry && !g_str_equal (function->name, self->entry))
        continue;
      for (guint site = function->first;
           site < function->first + function->n_sites;
           site++)
        {
          const CuredPtxInst *inst = &module->code[site];
          CuredAccessKind kind = CURED_ACCESS_LOAD;
          guint bits = 0;
          int index = -1;

          if (read_instruction (inst, &kind, &bits) && inst->line > 0)
            index = get_width_index (bits);
          if (index >= 0)
            get_widths (list, module->files[inst->file], inst->line, kind)
                ->ptx[index]++;
        }
    }
  for (guint i = 0; i < machine->len; i++)
    {
      const CuredSassAccess *access =
          &g_array_index (machine, CuredSassAccess, i);
      int index = get_width_index (access->width);

      if (index >= 0 && access->line > 0)
        get_widths (list, access->file, access->line, access->kind)
            ->machine[index]++;
    }
  g_array_sort (list, compare_widths);
  self->machine = g_strdup (MACHINE_ARCH);
  self->n_widths = list->len;
  self->widths = (CuredBankWidths *) (gpointer) g_array_free (list, FALSE);
}

/**
 * cured_bank_width_get_bits:
 * @index: in @ptx and @machine of #CuredBankWidths
 *
 * Returns: 8, 16, 32, 64 or 128
 */
guint
cured_bank_width_get_bits (gsize index)
{
  g_return_val_if_fail (index < CURED_BANK_N_WIDTHS, 0);
  return 8u << index;
}

/**
 * cured_bank_widths_get_change:
 * @self: a line
 *
 * Returns: in what the machine code is not as the PTX there
 */
CuredBankChange
cured_bank_widths_get_change (const CuredBankWidths *self)
{
  gboolean has_other_width = FALSE;
  guint n_ptx = 0;
  guint n_machine = 0;

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
  return memcmp (self->ptx, self->machine, sizeof self->ptx) == 0
             ? CURED_BANK_CHANGE_NONE
             : CURED_BANK_CHANGE_WIDTHS;
}

/* ---- Running ---- */

/* Everything that a launch needs, made of a program. */
typedef struct
{
  const CuredProgram *program;
  CuredPtxModule *module;
  CuredMemory *memory;
  guint64 *bindings;
} Stage;

static void
stage_clear (Stage *self)
{
  g_clear_pointer (&self->module, cured_ptx_module_free);
  g_clear_pointer (&self->memory, cured_memory_free);
  g_clear_pointer (&self->bindings, g_free);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Stage, stage_clear)

static GBytes *
compile (CuredCompiler *compiler,
         const CuredProgram *program,
         const char *arch,
         GError **error)
{
  g_autofree char *file_name = get_file_name (program->kernel);

  return cured_compiler_compile (compiler,
                                 cured_kernel_get_source (program->kernel),
                                 file_name,
                                 (const char *const *) program->defines,
                                 arch,
                                 NULL,
                                 error);
}

/* Buffers in memory, as they are before the first launch. */
static gboolean
stage_fill (Stage *self, guint64 seed, GError **error)
{
  const CuredProgram *program = self->program;

  for (gsize i = 0; i < program->n_buffers; i++)
    {
      const CuredProgramBuffer *buffer = &program->buffers[i];
      void *bytes = NULL;

      if (!cured_memory_allocate (
              self->memory, MAX (buffer->size, 1), &self->bindings[i], error))
        return FALSE;
      bytes = cured_memory_map (self->memory, self->bindings[i], buffer->size);
      if (buffer->size == 0 || bytes == NULL)
        continue;
      if (buffer->buffer->fill == CURED_FILL_POISON)
        memset (bytes, CURED_POISON_BYTE, buffer->size);
      else
        cured_fill_buffer (buffer, i, seed, bytes);
      cured_memory_label (self->memory,
                          self->bindings[i],
                          buffer->size,
                          buffer->buffer->name,
                          cured_element_get_size (buffer->buffer->type),
                          FALSE);
    }
  return TRUE;
}

static gboolean
find_entry (const Stage *self,
            const CuredProgramStep *step,
            CuredPtxEntry *entry,
            GError **error)
{
  if (cured_ptx_module_find_entry (self->module, step->entry, entry))
    return TRUE;
  g_set_error (error,
               CURED_ERROR,
               CURED_ERROR_NOT_FOUND,
               _ ("The compiled file has no kernel “%s”. The kernel named by "
                  "Entry= has to be declared extern \"C\" __global__"),
               step->entry);
  return FALSE;
}

/* (nullable): the parameter block of a launch */
static GByteArray *
pack_arguments (const Stage *self,
                const CuredProgramStep *step,
                gint64 turn,
                GError **error)
{
  CuredPtxEntry entry = { 0 };

  if (!find_entry (self, step, &entry, error))
    return NULL;
  return _cured_arguments_pack (
      step, self->bindings, turn, entry.parameter_bytes, error);
}

static void
stage_prepare (const Stage *self,
               const CuredProgramStep *step,
               const GByteArray *arguments,
               CuredLaunch *launch)
{
  *launch = (CuredLaunch){
    .module = self->module,
    .memory = self->memory,
    .entry = step->entry,
    .grid = { step->grid[0], step->grid[1], step->grid[2] },
    .block = { step->block[0], step->block[1], step->block[2] },
    .shared_bytes = step->shared_bytes,
    .parameters = arguments->data,
    .parameters_bytes = arguments->len,
    .max_instructions = MAX_INSTRUCTIONS,
    .time_limit_ms = TIME_LIMIT_MS,
  };
}

static guint64
count_blocks (const CuredProgramStep *step)
{
  return (guint64) step->grid[0] * step->grid[1] * step->grid[2];
}

static guint64
count_threads (const CuredProgramStep *step)
{
  return (guint64) step->block[0] * step->block[1] * step->block[2];
}

/* Runs what comes before launch @last, or says in @note why not. */
static gboolean
run_earlier (const Stage *self,
             gsize last,
             char **note,
             GCancellable *cancellable,
             GError **error)
{
  const CuredProgram *program = self->program;
  gint64 deadline_us = g_get_monotonic_time () + TIME_LIMIT_MS * 1000;
  double n_threads = 0.0;

  for (gsize i = 0; i < last; i++)
    if (program->steps[i].entry != NULL)
      n_threads += (double) count_blocks (&program->steps[i]) *
                   (double) count_threads (&program->steps[i]) *
                   (double) program->steps[i].repeat;
  if (n_threads > (double) MAX_EARLIER_THREADS)
    {
      *note = g_strdup_printf (
          _ ("The launches before it have %.3g threads and were left out: it "
             "reads its buffers as they are filled at first. Choose a smaller "
             "problem to run them."),
          n_threads);
      return TRUE;
    }
  for (gsize i = 0; i < last; i++)
    {
      const CuredProgramStep *step = &program->steps[i];

      if (step->host_from >= 0)
        {
          const CuredProgramBuffer *from = &program->buffers[step->host_from];

          cured_program_add_up (
              from,
              cured_memory_map (
                  self->memory, self->bindings[step->host_from], from->size),
              cured_memory_map (self->memory,
                                self->bindings[step->host_to],
                                cured_element_get_size (from->buffer->type)));
          continue;
        }
      if (step->entry == NULL)
        {
          const CuredProgramBuffer *buffer =
              &program->buffers[step->memset_buffer];

          if (buffer->size > 0)
            memset (cured_memory_map (self->memory,
                                      self->bindings[step->memset_buffer],
                                      buffer->size),
                    step->memset_value,
                    buffer->size);
          continue;
        }
      for (gint64 turn = 0; turn < step->repeat; turn++)
        {
          g_autoptr (GByteArray) arguments =
              pack_arguments (self, step, turn, error);
          g_auto (CuredReport) report = { 0 };
          CuredLaunch launch;

          if (arguments == NULL)
            return FALSE;
          stage_prepare (self, step, arguments, &launch);
          launch.time_limit_ms =
              MAX ((deadline_us - g_get_monotonic_time ()) / 1000, 1);
          if (!cured_emulator_launch (&launch, &report, cancellable, error))
            return FALSE;
          if (report.end == CURED_END_DONE)
            continue;
          *note = g_strdup_printf (
              _ ("A launch before it, of %s, did not end as it should: its "
                 "buffers are as that one left them."),
              step->entry);
          return TRUE;
        }
    }
  return TRUE;
}

/* Which launch is looked at: the one that is asked for, or the first with
 * shared memory, or the first at all. */
static gboolean
choose_step (const Stage *self, gsize wanted, gsize *chosen, GError **error)
{
  const CuredProgram *program = self->program;
  gsize first = program->n_steps;

  if (wanted != CURED_BANK_FIRST_STEP &&
      (wanted >= program->n_steps || program->steps[wanted].entry == NULL))
    {
      g_set_error (error,
                   CURED_ERROR,
                   CURED_ERROR_NOT_FOUND,
                   wanted >= program->n_steps
                       ? _ ("Launch %zu: the kernel file has launches 1 to %zu")
                       : _ ("Launch %zu of 1 to %zu sets a buffer and runs no "
                            "kernel"),
                   wanted + 1,
                   program->n_steps);
      return FALSE;
    }
  *chosen = wanted;
  for (gsize i = program->n_steps; i-- > 0 && wanted == CURED_BANK_FIRST_STEP;)
    {
      const CuredProgramStep *step = &program->steps[i];
      CuredPtxEntry entry = { 0 };

      if (step->entry == NULL)
        continue;
      if (cured_ptx_module_find_entry (self->module, step->entry, &entry) &&
          (entry.shared_bytes > 0 || step->shared_bytes > 0))
        *chosen = i;
      first = i;
    }
  if (*chosen == CURED_BANK_FIRST_STEP)
    *chosen = first;
  if (*chosen < program->n_steps)
    return TRUE;
  g_set_error (error,
               CURED_ERROR,
               CURED_ERROR_NOT_FOUND,
               _ ("The kernel file launches no kernel"));
  return FALSE;
}

static gboolean
check_query (const CuredBankQuery *query,
             const CuredProgramStep *step,
             GError **error)
{
  guint64 n_blocks = count_blocks (step);
  guint64 n_warps = (count_threads (step) + 31) / 32;

  if (query->block >= n_blocks)
    g_set_error (error,
                 CURED_ERROR,
                 CURED_ERROR_NOT_FOUND,
                 _ ("There is no block %" PRIu64 ": the grid of %s has blocks "
                    "0 to %" PRIu64),
                 query->block,
                 step->entry,
                 n_blocks - 1);
  else if (query->warp >= n_warps)
    g_set_error (error,
                 CURED_ERROR,
                 CURED_ERROR_NOT_FOUND,
                 _ ("There is no warp %u: a block of %s has warps 0 to "
                    "%" PRIu64),
                 query->warp,
                 step->entry,
                 n_warps - 1);
  else
    return TRUE;
  return FALSE;
}

static gboolean
run_block (CuredBankView *self,
           const Stage *stage,
           const CuredBankQuery *query,
           GCancellable *cancellable,
           GError **error)
{
  const CuredProgramStep *step = &stage->program->steps[self->step];
  g_autoptr (GHashTable) sites =
      g_hash_table_new_full (NULL, NULL, NULL, site_free);
  g_autoptr (GByteArray) arguments = pack_arguments (stage, step, 0, error);
  g_auto (CuredReport) report = { 0 };
  Collector collector = {
    .module = stage->module,
    .arch = query->arch,
    .block = query->block,
    .warp = query->warp,
    .sites = sites,
  };
  CuredLaunch launch;

  if (arguments == NULL)
    return FALSE;
  stage_prepare (stage, step, arguments, &launch);
  launch.watch = CURED_WATCH_COUNTS;
  launch.bank_arch = query->arch;
  launch.threads = 1;
  launch.blocks = &query->block;
  launch.n_blocks = 1;
  launch.trace = collect_cb;
  launch.trace_data = &collector;
  if (!cured_emulator_launch (&launch, &report, cancellable, error))
    return FALSE;
  self->end = report.end;
  self->end_text = g_strdup (report.end_text);
  fill_sites (self, &collector, &report, stage->program->kernel);
  return TRUE;
}

/**
 * cured_bank_query_init:
 * @self: (out caller-allocates): warp 0 of block 0 of the first launch that has
 *   shared memory, on the banks of today's chips, with the inputs of a default
 *   run
 */
void
cured_bank_query_init (CuredBankQuery *self)
{
  *self = (CuredBankQuery){ .step = CURED_BANK_FIRST_STEP };
}

/**
 * cured_bank_view_new:
 * @compiler: NVRTC
 * @program: a kernel at a point
 * @query: whose accesses are wanted
 * @cancellable: (nullable): ends the run
 * @error: return location
 *
 * Compiles the kernel, runs one block of it on the emulator, and keeps what one
 * of its warps did to shared memory. Launches before it run whole, where they
 * are small; @note says where they did not. Blocks, for seconds at most where
 * compiling is not slower. Needs no GPU.
 *
 * The figures are those of the PTX. ptxas may have merged accesses, which
 * @widths shows where NVRTC can make machine code.
 *
 * Returns: (transfer full): NULL with %CURED_ERROR_COMPILE,
 *   %CURED_ERROR_SYNTAX (the PTX has what the emulator does not know),
 *   %CURED_ERROR_NOT_FOUND (no such launch, block or warp),
 *   %CURED_ERROR_INVALID, %CURED_ERROR_DEVICE (no memory), or
 *   %G_IO_ERROR_CANCELLED. A block that does not end well is no error: @end
 *   tells.
 */
CuredBankView *
cured_bank_view_new (CuredCompiler *compiler,
                     const CuredProgram *program,
                     const CuredBankQuery *query,
                     GCancellable *cancellable,
                     GError **error)
{
  g_autoptr (CuredBankView) self = g_atomic_rc_box_new0 (CuredBankView);
  g_auto (Stage) stage = { .program = program };
  g_autofree char *file_name = get_file_name (program->kernel);
  g_autofree char *ptx_name = g_strconcat (file_name, ".ptx", NULL);
  g_autoptr (GBytes) ptx = NULL;
  g_autoptr (GBytes) cubin = NULL;
  const CuredProgramStep *step = NULL;
  CuredPtxEntry entry = { 0 };
  const char *text = NULL;
  gsize size = 0;

  stage.bindings = g_new0 (guint64, program->n_buffers + 1);
  ptx = compile (compiler, program, PTX_ARCH, error);
  if (ptx == NULL)
    return NULL;
  text = g_bytes_get_data (ptx, &size);
  stage.module = cured_ptx_module_parse (
      text, (gssize) strnlen (text, size), ptx_name, error);
  stage.memory = cured_memory_new (G_MAXINT64);
  if (stage.module == NULL ||
      !cured_ptx_module_link (stage.module, stage.memory, error) ||
      !choose_step (&stage, query->step, &self->step, error))
    return NULL;
  step = &program->steps[self->step];
  if (!check_query (query, step, error) ||
      !find_entry (&stage, step, &entry, error))
    return NULL;
  self->shared_bytes = entry.shared_bytes + step->shared_bytes;
  self->entry = g_strdup (step->entry);
  memcpy (self->grid, step->grid, sizeof self->grid);
  self->block[0] = (guint) (query->block % step->grid[0]);
  self->block[1] = (guint) (query->block / step->grid[0] % step->grid[1]);
  self->block[2] = (guint) (query->block / step->grid[0] / step->grid[1]);
  self->warp = query->warp;
  self->n_warps = (guint) ((count_threads (step) + 31) / 32);
  self->arch = query->arch;
  /* Without shared memory nothing has to run. */
  if (self->shared_bytes == 0)
    return g_steal_pointer (&self);
  if (!stage_fill (&stage, query->seed, error) ||
      !run_earlier (&stage, self->step, &self->note, cancellable, error) ||
      !run_block (self, &stage, query, cancellable, error))
    return NULL;
  cubin = compile (compiler, program, MACHINE_ARCH, NULL);
  if (cubin != NULL)
    fill_widths (self, stage.module, cubin);
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
    }
  for (gsize i = 0; i < self->n_widths; i++)
    g_free (self->widths[i].file);
  g_free (self->sites);
  g_free (self->widths);
  g_free (self->entry);
  g_free (self->machine);
  g_free (self->note);
  g_free (self->end_text);
}

/**
 * cured_bank_view_ref:
 * @self: a view
 *
 * Returns: (transfer full): @self
 */
CuredBankView *
cured_bank_view_ref (CuredBankView *self)
{
  return g_atomic_rc_box_acquire (self);
}

/**
 * cured_bank_view_unref:
 * @self: (transfer full): a view
 */
void
cured_bank_view_unref (CuredBankView *self)
{
  g_atomic_rc_box_release_full (self, clear);
}
